//! The use cases, joining [`crate::engine`] and [`crate::drives`]: what is asked for is prepared
//! (everything that will not work is told first), then started as a job whose one stream of
//! [`Event`]s is the whole contract with the outside.

mod about;
mod access;
mod awake;
mod check_stick;
mod copy;
mod event;
mod failure;
mod format;
mod history;
mod job;
mod job_state;
mod kind;
mod known;
mod place;
mod portal;
mod private_file;
mod probing;
mod review;
mod sandbox;
mod shown;
mod slow;
mod stick;
mod stop;
mod volume;
mod wording;
mod write;

pub use crate::drives::{TextAgent, watch as watch_sticks};
pub use crate::engine::copy::OnStick;
pub use crate::engine::device::OnStick as ImageLeft;
pub use crate::engine::image::{Entry, ImageFile};
pub use crate::engine::plan::{Choice, Choices, Gathering, Problem, ProblemKind, Renamed};
pub use crate::engine::speed_curve::{Cliff, SpeedCurve, cliff};
pub use about::About;
pub use check_stick::{CheckFound, CheckRequest, PreparedCheck, prepare_check};
pub use copy::{AtEnd, CopyRequest, Destination, Prepared, prepare_copy};
pub use event::{Event, Phase, Progress, Report};
pub use failure::Failure;
pub use format::{PreparedFormat, prepare_format};
pub use history::{Did, Ended, History, Receipt};
pub use job::Job;
pub use job_state::JobState;
pub use kind::Kind;
pub use known::{Known, KnownSpeed};
pub use review::{ProblemGroup, group_problems, proposed_choices};
pub use shown::{shown, shown_message, shown_name};
pub use slow::Slow;
pub use stick::{find_stick, find_volume, list_sticks, stick_name};
pub use wording::{Arg, Notation, Wording, power_of, size_text};
pub use write::{
    GivenChecksum, GivenMap, Looked, Offer, OfferedImage, PreparedWrite, WriteRequest,
    look_at_image, offer_image, prepare_write,
};
