//! After how many blocks a stick comes round, where a multiple of that number is known.

/// A number and the powers of its prime factors.
#[derive(Debug, Clone)]
pub(super) struct Multiple {
    number: u64,
    factors: Vec<(u64, u32)>,
}

impl Multiple {
    pub(super) fn new(number: u64) -> Self {
        let mut factors = Vec::new();
        let (mut left, mut prime) = (number, 2);
        while prime * prime <= left {
            let mut power = 0;
            while left.is_multiple_of(prime) {
                left /= prime;
                power += 1;
            }
            if power > 0 {
                factors.push((prime, power));
            }
            prime += 1;
        }
        if left > 1 {
            factors.push((left, 1));
        }
        Self { number, factors }
    }

    /// The numbers to try, the multiple itself first: each divided by powers of one factor.
    pub(super) fn candidates(&self) -> Vec<u64> {
        let divided = self
            .factors
            .iter()
            .flat_map(|(prime, most)| (1..=*most).map(move |power| self.number / prime.pow(power)));
        [self.number].into_iter().chain(divided).collect()
    }

    /// The least number of which all those are multiples that `is_multiple` says are; `None` where
    /// not even the multiple itself is one.
    pub(super) fn reduce(&self, is_multiple: impl Fn(u64) -> bool) -> Option<u64> {
        if !is_multiple(self.number) {
            return None;
        }
        let divided = self.factors.iter().map(|(prime, most)| {
            let works = |power: &u32| is_multiple(self.number / prime.pow(*power));
            prime.pow((1..=*most).take_while(works).last().unwrap_or(0))
        });
        Some(self.number / divided.product::<u64>())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_period_is_found_from_any_multiple(period in 1_u64..1 << 24, times in 1_u64..1 << 12) {
            let multiple = Multiple::new(period * times);
            let candidates = multiple.candidates();
            prop_assert!(candidates.len() <= 40);
            let is_multiple = |number: u64| {
                assert!(candidates.contains(&number), "only what was tried is asked for");
                number.is_multiple_of(period)
            };
            prop_assert_eq!(multiple.reduce(is_multiple), Some(period));
        }
    }

    #[test]
    fn what_is_no_multiple_has_no_period() {
        assert_eq!(Multiple::new(1 << 20).reduce(|_| false), None);
    }
}
