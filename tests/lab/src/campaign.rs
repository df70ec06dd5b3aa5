//! Faults at drawn moments of jobs, and what has to hold whatever happens.
//!
//! | part | what it does |
//! |---|---|
//! | [`Case`] | one job, one fault and a seed; everything else is drawn from it |
//! | [`Job`], [`Fault`], `moment` | what is done, what befalls it, and when |
//! | `stage` | the PC, the sticks and the files, the same at the start of every case |
//! | `inject` | lets a fault happen |
//! | `story` | what Steady says, up to its end or its silence |
//! | `oracle` | holds that against what is on the stick, and against what is left on the PC |
//! | [`Table`] | counts of what befell what |

mod case;
mod draw;
mod fault;
mod inject;
mod job;
mod moment;
mod oracle;
mod stage;
mod story;
mod table;

pub use case::{Case, Verdict};
pub use fault::Fault;
pub use job::Job;
pub use table::Table;
