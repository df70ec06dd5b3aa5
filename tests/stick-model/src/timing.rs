//! How long a stick takes, as a function of requests and of a clock that is handed in.

use std::time::{Duration, Instant};

use crate::Parameters;

mod backlog;
mod cliff;
mod erase_blocks;
mod hang;
mod request;

use backlog::Backlog;
use cliff::Cliff;
use erase_blocks::EraseBlocks;
use hang::Hang;
pub(crate) use request::{Direction, Request};

/// QEMU cuts every USB transfer into 128 KiB pieces; what comes next to the last request and no
/// later than this after it is the same transfer, going on.
const JOIN_WINDOW: Duration = Duration::from_millis(5);
/// The longest transfer that Linux asks of USB storage.
const LONGEST_COMMAND: u64 = 1 << 20;

/// The clockwork of one stick.
///
/// Each request is `begin`-ed when it arrives, gets the moment at which the stick will be done
/// with it, and is `finish`-ed when it is answered. Moments follow from one another instead of
/// from when somebody woke up, so oversleeping does not add up.
#[derive(Debug)]
pub(crate) struct Timing {
    parameters: Parameters,
    backlog: Backlog,
    erase_blocks: EraseBlocks,
    cliff: Cliff,
    hang: Hang,
    busy_until: Option<Instant>,
    answered: Option<Instant>,
    command: Option<Command>,
}

/// What the stick is in the middle of.
#[derive(Debug)]
struct Command {
    direction: Direction,
    next: u64,
    length: u64,
}

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Begun {
    /// When the stick is done with it.
    pub(crate) done_at: Instant,
    /// Whether it is a command of its own and not the rest of the last one.
    pub(crate) new_command: bool,
    /// Whether a pause came before it.
    pub(crate) after_pause: bool,
}

impl Timing {
    pub(crate) fn new(parameters: Parameters) -> Self {
        Self {
            backlog: Backlog::new(&parameters),
            erase_blocks: EraseBlocks::new(&parameters),
            cliff: Cliff::new(&parameters),
            hang: Hang::new(&parameters),
            parameters,
            busy_until: None,
            answered: None,
            command: None,
        }
    }

    /// A read or a write arrives.
    pub(crate) fn begin(&mut self, request: Request, now: Instant) -> Begun {
        let idle = self.idle(now);
        let adjacent = idle.is_some_and(|idle| idle <= JOIN_WINDOW)
            && self.command.as_ref().is_some_and(|command| {
                command.direction == request.direction && command.next == request.offset
            });
        let so_far = self
            .command
            .as_ref()
            .filter(|command| adjacent && command.length + request.length <= LONGEST_COMMAND)
            .map(|command| command.length);
        let after_pause = request.direction == Direction::Write
            && idle.is_some_and(|idle| idle >= self.parameters.pause)
            && self.backlog.pause();
        self.cliff.rest(idle.unwrap_or_default());

        let mut cost = match request.direction {
            Direction::Read => seconds(request.length, self.parameters.read_rate),
            Direction::Write => self.write(request.offset, request.length),
        };
        if so_far.is_none() {
            cost += self.parameters.command_cost;
        }
        self.command = Some(Command {
            direction: request.direction,
            next: request.offset + request.length,
            length: so_far.unwrap_or(0) + request.length,
        });
        Begun {
            done_at: self.spend(cost, adjacent, now),
            new_command: so_far.is_none(),
            after_pause,
        }
    }

    /// A flush arrives; returned is when the stick is done with it.
    pub(crate) fn flush(&mut self, now: Instant) -> Instant {
        self.command = None;
        self.backlog.flush();
        self.cliff.rest(self.idle(now).unwrap_or_default());
        let cost = self.parameters.command_cost + self.parameters.flush_for;
        self.spend(cost, false, now)
    }

    /// The last request was answered.
    pub(crate) fn finish(&mut self, now: Instant) {
        self.answered = Some(now);
    }

    /// What writing costs, apart from the command.
    fn write(&mut self, offset: u64, length: u64) -> Duration {
        let copied = self.erase_blocks.write(offset, length);
        seconds(length + copied, self.parameters.write_rate)
            + self.backlog.arrive(length)
            + self.cliff.arrive(length)
            + self.hang.arrive(length)
    }

    /// How long the stick has had nothing to do; none before its first request.
    fn idle(&self, now: Instant) -> Option<Duration> {
        self.answered
            .map(|answered| now.saturating_duration_since(answered))
    }

    /// A stream goes on where it was: the stick has a buffer and works on while the next piece is
    /// on its way. Anything else starts when it arrives.
    fn spend(&mut self, cost: Duration, streaming: bool, now: Instant) -> Instant {
        let start = match self.busy_until {
            Some(until) if streaming => now.checked_sub(JOIN_WINDOW).unwrap_or(now).max(until),
            Some(until) => now.max(until),
            None => now,
        };
        let done_at = start + cost;
        self.busy_until = Some(done_at);
        done_at
    }
}

/// What `length` bytes cost at `rate` bytes a second.
fn seconds(length: u64, rate: f64) -> Duration {
    Duration::from_secs_f64(length as f64 / rate)
}

/// What `length` bytes cost more at `slow` than at `rate` bytes a second.
fn beyond(length: u64, slow: f64, rate: f64) -> Duration {
    seconds(length, slow).saturating_sub(seconds(length, rate))
}

#[cfg(test)]
mod tests;
