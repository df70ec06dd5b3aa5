/// Numbers that are the same for the same seed, on every machine (`SplitMix64`).
#[derive(Debug)]
pub(super) struct Draw(u64);

impl Draw {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 up to, not including, 1.
    pub(super) fn share(&mut self) -> f64 {
        ((self.number() >> 11) as f64) / 2_f64.powi(53)
    }

    /// One of them, each as likely as its weight tells.
    pub(super) fn weighted<T: Copy>(&mut self, choices: &[(T, f64)]) -> T {
        let sum: f64 = choices.iter().map(|(_, weight)| weight).sum();
        let mut left = self.share() * sum;
        for (choice, weight) in choices {
            left -= weight;
            if left < 0.0 {
                return *choice;
            }
        }
        choices.last().expect("there is something to choose from").0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_draws_the_same_and_weights_hold() {
        let all = |seed| {
            let mut draw = Draw::new(seed);
            [(); 1000].map(|()| draw.weighted(&[('a', 9.0), ('b', 1.0), ('c', 0.0)]))
        };
        assert_eq!(all(7), all(7));
        assert_ne!(all(7), all(8));
        let rare = all(7).iter().filter(|drawn| **drawn == 'b').count();
        assert!((50..150).contains(&rare), "{rare}");
        assert!(!all(7).contains(&'c'));
    }
}
