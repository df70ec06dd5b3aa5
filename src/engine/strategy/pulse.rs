use std::time::Duration;

/// Bytes between two breaks.
const BETWEEN: u64 = 8 << 20;
/// The first flush of a job may find the file system's own tables to be written; only a second one
/// in a row that is dear tells of the stick.
const DEAR_IN_A_ROW: u32 = 2;
/// Long enough for a stick to see a pause.
const PAUSE: Duration = Duration::from_millis(60);

/// When to let the stick breathe, and how.
#[derive(Debug, Clone, Default)]
pub struct Pulse {
    since_break: u64,
    /// Flushes in a row that cost more than a pause.
    dear: u32,
}

/// What to do when all handed over has been confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Break {
    /// A flush of the device, measured.
    Flush,
    /// A pause of that length.
    Pause(Duration),
}

impl Pulse {
    /// Whether a break is due before so many bytes more.
    pub fn is_due(&self, bytes: u64) -> bool {
        self.since_break > 0 && self.since_break + bytes > BETWEEN
    }

    /// Bytes are on their way to the stick.
    pub fn accept(&mut self, bytes: u64) {
        self.since_break = (self.since_break + bytes).min(BETWEEN);
    }

    /// The break to make once [`Pulse::is_due`]: a flush, or a pause where a flush was
    /// measured to cost more.
    pub fn next_break(&self) -> Break {
        if self.dear < DEAR_IN_A_ROW {
            Break::Flush
        } else {
            Break::Pause(PAUSE)
        }
    }

    /// A break, or a checkpoint, was made; `flush` is what a flush has cost.
    pub fn rested(&mut self, flush: Option<Duration>) {
        self.since_break = 0;
        match flush {
            Some(cost) if cost > PAUSE => self.dear += 1,
            Some(_) => self.dear = 0,
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_break_is_due_after_eight_mebibytes() {
        let mut pulse = Pulse::default();
        pulse.accept(5 << 20);
        assert!(!pulse.is_due(3 << 20) && pulse.is_due(4 << 20));
        pulse.accept(3 << 20);
        assert!(pulse.is_due(1));
        pulse.rested(None);
        assert!(!pulse.is_due(8 << 20) && !pulse.is_due(20 << 20));
    }

    #[test]
    fn a_flush_that_costs_more_than_a_pause_gives_way_to_it() {
        let mut pulse = Pulse::default();
        let mut after = |cost: Option<u64>| {
            pulse.rested(cost.map(Duration::from_millis));
            pulse.next_break()
        };
        assert_eq!(after(None), Break::Flush);
        assert_eq!(
            after(Some(400)),
            Break::Flush,
            "it may have been the tables"
        );
        assert_eq!(after(Some(5)), Break::Flush);
        assert_eq!(after(Some(400)), Break::Flush);
        assert_eq!(after(Some(400)), Break::Pause(Duration::from_millis(60)));
        assert_eq!(after(None), Break::Pause(Duration::from_millis(60)));
    }
}
