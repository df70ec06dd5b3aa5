//! Models of USB sticks: one parametrised model, as a library and as an nbdkit plugin.
//!
//! From the outside in; each part only looks at those below it:
//!
//! | part | what it does |
//! |---|---|
//! | [`Control`] | asks a running stick for its figures, lets it fail and takes its power away |
//! | `plugin` | nbdkit's calls and parameters |
//! | [`Stick`] | one request at a time: how long it takes, whether it fails, where it ends up |
//! | `timing` | how long, by a clock that is handed in |
//! | `layers` | the medium, a file, and the volatile cache in front of it |
//! | [`Stats`], [`Counters`] | what is counted |
//! | [`Profile`] | what kind of stick it is |
//!
//! # As a plugin
//!
//! `nbdkit libsteady_stick_model.so file=PATH [size=2G] [profile=even] [control=SOCKET] [readonly=1]`
//!
//! - `file`: what survives a pull. It is created (sparse) when absent and then needs `size`. Of a
//!   fake stick it is what the stick has; `size` is then what it claims, unless its profile says it.
//! - `profile`: see [`Profile`].
//! - `control`: a Unix socket. One request a line, `stats`, `counters`, `power-off` or an
//!   [`Ailment`], each answered by one line of JSON: [`Stats`], [`Counters`], `{"ok":true}`, or
//!   `{"error":"…"}`.
//!
//! Profiles with larger sectors need QEMU to know: `logical_block_size=4096` and
//! `physical_block_size=4096` on the device, and for QEMU's own reads
//! `--filter=blocksize-policy blocksize-minimum=4096`, as no nbdkit plugin in Rust can say it.
//!
//! After `power-off` every request fails and nothing changes any more, whatever is still
//! flushed. A replug is a new nbdkit on the same file. An nbdkit that ends without `power-off`
//! forgets the whole volatile cache.

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::float_cmp,
        clippy::large_stack_arrays,
        clippy::naive_bytecount,
        clippy::single_range_in_vec_init,
        reason = "a test fails by panicking, and its buffers are written where they are used"
    )
)]

mod control;
mod layers;
// Its symbols are nbdkit's, which a test program is not.
#[cfg(not(test))]
mod plugin;
mod profile;
mod stats;
mod stick;
mod timing;

pub use control::Control;
pub use profile::{Beyond, Parameters, Profile, ProfileError};
pub use stats::{Counters, Stats};
pub use stick::{Ailment, Operation, Stick, StickError};
