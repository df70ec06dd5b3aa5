use std::ops::Range;

/// What was read at a place when all was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// What was written there.
    Own,
    /// What was written at this offset.
    Other(u64),
    /// Neither.
    Lost,
}

impl Seen {
    /// Whether it is what was written to a place of the run: the two are one place.
    pub(super) fn is_in(self, run: &Range<u64>) -> bool {
        matches!(self, Self::Other(place) if run.contains(&place))
    }
}

/// Distances that bring one place to another, as far as the places tell: of a stick that comes
/// round, multiples of its room. The first are the surest.
pub(super) fn distances(points: &[u64], seen: &[Seen], run: &Range<u64>) -> Vec<u64> {
    let pairs = || points.iter().zip(seen);
    let to_run = pairs().filter(|(_, seen)| seen.is_in(run));
    let to_others = pairs().filter(|(_, seen)| !seen.is_in(run));
    let mut distances: Vec<_> = to_run
        .chain(to_others)
        .filter_map(|(point, seen)| match seen {
            Seen::Other(place) => Some(point.abs_diff(*place)),
            _ => None,
        })
        .collect();
    distances.dedup();
    distances
}

/// Between which places a stick ends that drops what is beyond: the last that holds what it was
/// given, or `floor`, and the first behind it that does not. `None` where the last place is good:
/// a single bad one is a bad place, no end.
pub(super) fn end_between(points: &[u64], seen: &[Seen], floor: u64) -> Option<(u64, u64)> {
    let good = seen.iter().rposition(|seen| *seen == Seen::Own);
    let bad = points.get(good.map_or(0, |good| good + 1))?;
    Some((good.map_or(floor, |good| points[good]), *bad))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_lost_up_to_the_end_is_beyond_it() {
        let points = [10, 20, 30, 40];
        let (own, lost) = (Seen::Own, Seen::Lost);
        let end = |seen: [Seen; 4]| end_between(&points, &seen, 5);
        assert_eq!(end([own; 4]), None);
        assert_eq!(end([own, lost, own, own]), None, "a bad place");
        assert_eq!(end([own, own, lost, lost]), Some((20, 30)));
        assert_eq!(end([own, lost, own, Seen::Other(30)]), Some((30, 40)));
        assert_eq!(end([lost; 4]), Some((5, 10)));
    }

    #[test]
    fn what_came_round_to_the_run_tells_most() {
        let seen = [
            Seen::Other(300),
            Seen::Own,
            Seen::Lost,
            Seen::Other(3),
            Seen::Other(3),
        ];
        let found = distances(&[100, 200, 250, 300, 300], &seen, &(0..10));
        assert_eq!(found, [297, 200]);
    }
}
