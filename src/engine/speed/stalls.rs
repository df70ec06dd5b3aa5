/// Silence from so many seconds on is a stall and no part of a rate.
pub(super) const STALL: f64 = 3.0;

/// The times that a stick took nothing at all.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Stalls {
    count: u32,
    seconds: f64,
}

impl Stalls {
    /// It has ended after so many seconds.
    pub(super) fn add(&mut self, seconds: f64) {
        self.count += 1;
        self.seconds += seconds;
    }

    /// Seconds to expect of more of them. One is an accident, several are a habit.
    pub(super) fn expected(&self, done: u64, left: u64) -> f64 {
        if self.count < 2 || done == 0 {
            return 0.0;
        }
        self.seconds / done as f64 * left as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_an_accident_and_several_are_a_habit() {
        let mut stalls = Stalls::default();
        stalls.add(20.0);
        assert!(stalls.expected(100, 100).abs() < f64::EPSILON);
        stalls.add(10.0);
        assert!((stalls.expected(100, 50) - 15.0).abs() < 1e-9);
        assert!(stalls.expected(0, 50).abs() < f64::EPSILON);
    }
}
