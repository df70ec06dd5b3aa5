use std::time::Duration;

use clap::ValueEnum;

use super::{Job, moment::Phase};

/// What befalls a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Fault {
    /// Nothing: the case has to succeed.
    Nothing,
    /// The stick is pulled out, and forgets part of what was not flushed.
    Pulled,
    /// One write fails, however often the kernel asks.
    WriteError,
    /// Every write fails from then on.
    WriteErrors,
    /// As before, and the stick is write-protected when it is plugged in again.
    TurnsReadOnly,
    /// One read of the stick fails.
    ReadError,
    /// Every read of the stick fails from then on.
    ReadErrors,
    /// One flush fails, and what it was for stays in the cache.
    FlushError,
    /// Every flush fails from then on.
    FlushErrors,
    /// Every flush takes three seconds more from then on.
    SlowFlush,
    /// The stick does not answer for 5 s.
    Hang5,
    /// The stick does not answer for 40 s.
    Hang40,
    /// The stick does not answer for 200 s.
    Hang200,
    /// The stick has less than it claims.
    Fake,
    /// `udisksd` is killed; the bus starts it again.
    UdisksKilled,
    /// `udisksd` is restarted.
    UdisksRestarted,
    /// `udisksd` is stopped and can't be started.
    UdisksStopped,
    /// The system's bus is killed.
    BusGone,
    /// The password prompt is closed.
    Dismissed,
    /// A wrong password, then the prompt is closed.
    WrongPassword,
    /// The password comes after two minutes.
    DelayedPassword,
    /// Steady is killed.
    Killed,
    /// Steady is told to end.
    Terminated,
    /// The person is logged out.
    LoggedOut,
    /// The power fails, of the stick and of the PC; then it boots.
    PowerCut,
    /// A source becomes shorter.
    SourceTruncated,
    /// A source becomes longer.
    SourceGrown,
    /// The sources are removed.
    SourceRemoved,
    /// The sources lie on another stick, which can't be read from then on.
    SourceUnreadable,
    /// The sources lie on another stick, which does not answer for 8 s.
    SourceStalled,
    /// The sources lie on another stick, which is pulled out.
    SourcePulled,
    /// The system's disk is full.
    DiskFull,
    /// A decoder that needs more memory than there is.
    OutOfMemory,
    /// The clock is set an hour ahead.
    ClockForward,
    /// The clock is set an hour back.
    ClockBack,
    /// The PC sleeps for some seconds.
    Suspended,
    /// Another program mounts the stick.
    Mounted,
    /// Another program formats the stick's partition.
    Formatted,
    /// Another program writes to the stick.
    WrittenByAnother,
    /// A second Steady is set to the same stick.
    TwoSteadys,
    /// Another stick is in its place when the password has been given, or at once.
    Swapped,
}

impl Fault {
    /// The jobs that it can befall.
    pub fn jobs(self) -> &'static [Job] {
        use Job::{CheckStick, Copy, Format, Write};
        match self {
            Self::Dismissed | Self::WrongPassword | Self::DelayedPassword => &[Write, CheckStick],
            Self::ReadError | Self::ReadErrors | Self::Fake | Self::Swapped => {
                &[Copy, Write, CheckStick]
            }
            Self::SourceTruncated
            | Self::SourceGrown
            | Self::SourceRemoved
            | Self::SourceUnreadable
            | Self::SourceStalled
            | Self::SourcePulled
            | Self::WrittenByAnother => &[Copy, Write],
            Self::OutOfMemory => &[Write],
            Self::Mounted => &[Write, Format, CheckStick],
            _ => &Job::ALL,
        }
    }

    /// Whether a case takes minutes, or changes the PC for good.
    pub fn is_long(self) -> bool {
        matches!(
            self,
            Self::Hang40
                | Self::Hang200
                | Self::DelayedPassword
                | Self::LoggedOut
                | Self::PowerCut
                | Self::BusGone
                | Self::Suspended
        )
    }

    /// For how long nothing can go on because of it.
    pub(super) fn lasts(self) -> Duration {
        Duration::from_secs(match self {
            Self::Hang5 => 5,
            Self::Hang40 => 40,
            Self::Hang200 => 200,
            Self::SourceStalled | Self::Suspended => 10,
            // Slow: a few dozen flushes.
            Self::DelayedPassword | Self::SlowFlush => 120,
            _ => 0,
        })
    }

    /// Where it only makes sense in some phases: those of `job`, and how often in each.
    pub(super) fn phases(self, job: Job) -> Option<&'static [(Phase, f64)]> {
        match (self, job) {
            // There is nobody who reads a stick while it is written.
            (Self::ReadError | Self::ReadErrors, _) => Some(&[(Phase::Checking, 1.0)]),
            // Who formats it after the end has the last word.
            (Self::Formatted, Job::Format) => Some(&[(Phase::Formatting, 1.0)]),
            (Self::Formatted, _) => Some(&[(Phase::Writing, 0.6), (Phase::Checking, 0.4)]),
            // What is written once it has been compared can't be noticed by anybody.
            (Self::WrittenByAnother, Job::Write) => Some(&[(Phase::Writing, 1.0)]),
            (
                Self::SourceTruncated
                | Self::SourceGrown
                | Self::SourceRemoved
                | Self::SourceUnreadable
                | Self::SourceStalled
                | Self::SourcePulled,
                _,
            ) => Some(&[(Phase::Preparing, 0.2), (Phase::Writing, 0.8)]),
            (
                Self::Dismissed
                | Self::WrongPassword
                | Self::DelayedPassword
                | Self::Fake
                | Self::OutOfMemory
                | Self::Nothing
                | Self::Swapped,
                _,
            ) => Some(&[(Phase::Preparing, 1.0)]),
            _ => None,
        }
    }

    /// Whether the sources lie on a stick.
    pub(super) fn has_camera(self) -> bool {
        matches!(
            self,
            Self::SourceUnreadable | Self::SourceStalled | Self::SourcePulled
        )
    }

    /// Whether a person sees the password prompt; in other cases the PC asks for none.
    pub(super) fn prompts(self) -> bool {
        matches!(
            self,
            Self::Dismissed | Self::WrongPassword | Self::DelayedPassword | Self::Swapped
        )
    }

    /// Its name on the command line.
    pub fn name(self) -> String {
        self.to_possible_value()
            .map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

impl Job {
    /// Its name on the command line.
    pub fn name(self) -> String {
        self.to_possible_value()
            .map_or_else(String::new, |value| value.get_name().to_owned())
    }
}
