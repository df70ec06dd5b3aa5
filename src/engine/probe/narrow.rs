use super::seen::Seen;

/// Places of one step: eight parts.
const PARTS: u64 = 8;

/// Narrows down where a stick ends. Offsets of blocks.
#[derive(Debug, Clone)]
pub(super) struct Narrow {
    block: u64,
    /// Holds what it is given.
    good: u64,
    /// Does not, and neither does what is behind it.
    bad: u64,
}

impl Narrow {
    pub(super) fn between(good: u64, bad: u64, block: u64) -> Self {
        Self { block, good, bad }
    }

    /// What to look at next, in order; empty once the end is known.
    pub(super) fn points(&self) -> Vec<u64> {
        let blocks = (self.bad - self.good) / self.block;
        let mut points: Vec<_> = (1..PARTS)
            .map(|part| self.good + blocks * part / PARTS * self.block)
            .filter(|point| (self.good + 1..self.bad).contains(point))
            .collect();
        points.dedup();
        points
    }

    /// What was seen there.
    pub(super) fn take(&mut self, points: &[u64], seen: &[Seen]) {
        let bad = seen.iter().position(|seen| *seen != Seen::Own);
        let bad = bad.unwrap_or(points.len());
        self.bad = points.get(bad).copied().unwrap_or(self.bad);
        if let Some(good) = bad.checked_sub(1) {
            self.good = points[good];
        }
    }

    /// Bytes in front of the end, once nothing is left to look at.
    pub(super) fn end(&self) -> u64 {
        self.good + self.block
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_end_is_found_to_the_block_in_few_steps(
            claimed in 2_u64..1 << 40,
            share in 0.0_f64..1.0,
            block in prop::sample::select(vec![512_u64, 4096]),
        ) {
            // Blocks that are there: at least the good one.
            let real = 1 + (share * (claimed - 1) as f64) as u64;
            let mut narrow = Narrow::between(0, (claimed - 1).max(real) * block, block);
            let mut steps = 0;
            loop {
                let points = narrow.points();
                if points.is_empty() {
                    break;
                }
                let seen = points.iter().map(|point| {
                    if point / block < real { Seen::Own } else { Seen::Lost }
                });
                let seen: Vec<_> = seen.collect();
                narrow.take(&points, &seen);
                steps += 1;
            }
            prop_assert_eq!(narrow.end(), real * block);
            prop_assert!(steps <= 22, "{} steps", steps);
        }
    }
}
