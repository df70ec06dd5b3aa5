use super::SpeedCurve;

/// A stick that keeps so much of its speed has no cliff: they all waver.
const KEPT: f64 = 0.8;
/// Ups and downs are no cliff: so much of what is before it has to be faster than what is right
/// behind, and so much of what is behind slower than what was before.
const FAST: f64 = 0.75;
const SLOW: f64 = 0.9;
/// Points that have to be known before and behind it.
const BEFORE: usize = 2;
const BEHIND: usize = 4;

/// The place from which on a stick is slower for good.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cliff {
    /// Bytes from the start.
    pub at: u64,
    /// Bytes a second before it.
    pub before: f64,
    /// Bytes a second right behind it. It may get slower still.
    pub after: f64,
}

/// The first cliff of a curve. Single slow pieces are none.
pub fn cliff(curve: &SpeedCurve) -> Option<Cliff> {
    let points = &curve.points;
    let window = BEHIND.max(points.len() / 20);
    let is_slow = |rate: f64, before: f64| rate <= KEPT * before;
    let share = |points: &[(u64, f64)], is: &dyn Fn(f64) -> bool| {
        let those = points.iter().filter(|(_, rate)| is(*rate)).count();
        those as f64 / points.len() as f64
    };
    let from = (BEFORE..(points.len() + 1).saturating_sub(window)).find(|at| {
        let before = median(&points[..*at]);
        let behind = median(&points[*at..at + window]);
        is_slow(behind, before)
            && is_slow(median(&points[*at..]), before)
            && share(&points[..*at], &|rate| rate > behind) >= FAST
            && share(&points[*at..], &|rate| rate < before) >= SLOW
    })?;
    let before = median(&points[..from]);
    let after = median(&points[from..from + window]);
    // The window that looks ahead sees it before it is there.
    let middle = (before * after).sqrt();
    let edge = (from..from + window).find(|at| {
        let slow = |at: usize| points.get(at).is_none_or(|(_, rate)| *rate < middle);
        slow(*at) && slow(at + 1)
    });
    let edge = edge.unwrap_or(from);
    let behind = &points[edge + 1..(edge + 1 + window).min(points.len())];
    let after = match behind {
        [] => after,
        behind => median(behind).min(after),
    };
    Some(Cliff {
        at: within(points, edge, before, after),
        before,
        after,
    })
}

/// Where in a piece the rate has changed, by how much of it was still fast.
fn within(points: &[(u64, f64)], edge: usize, before: f64, after: f64) -> u64 {
    let (start, rate) = points[edge];
    let neighbours = if edge + 1 < points.len() {
        points[edge + 1].0 - start
    } else {
        start - points[edge - 1].0
    };
    let fast = (1.0 / after - 1.0 / rate) / (1.0 / after - 1.0 / before);
    start + (neighbours as f64 * fast.clamp(0.0, 1.0)) as u64
}

/// The middle one of the rates.
pub(super) fn median(points: &[(u64, f64)]) -> f64 {
    let mut rates: Vec<_> = points.iter().map(|(_, rate)| *rate).collect();
    rates.sort_by(f64::total_cmp);
    rates.get(rates.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MB: u64 = 1_000_000;

    /// Pieces of `step`, of a stick that has the rates from these places on, wavering by 5 %.
    fn curve(rates: &[(u64, f64)], total: u64, step: u64) -> SpeedCurve {
        let rate_at = |at: u64| {
            let mut known = rates.iter().rev();
            known.find(|(from, _)| *from <= at).expect("a rate").1
        };
        let pieces = (0..total / step).map(|index| {
            let start = index * step;
            let parts = 100;
            let times = (0..parts).map(|part| {
                let rate = rate_at(start + step * part / parts);
                step as f64 / parts as f64 / rate
            });
            let waver = 1.0 + 0.05 * ((index * 7919 % 13) as f64 / 6.0 - 1.0);
            (start, step as f64 / times.sum::<f64>() * waver)
        });
        SpeedCurve {
            points: pieces.collect(),
        }
    }

    proptest! {
        #[test]
        fn the_first_cliff_is_found_within_a_tenth(
            at in 100_u64..700,
            fall in 0.1_f64..0.7,
            second in 0.3_f64..1.0,
            step in 4_u64..9,
        ) {
            let rates = [(0, 32e6), (at * MB, 32e6 * fall), ((at + 200) * MB, 32e6 * fall * second)];
            let found = cliff(&curve(&rates, 1000 * MB, step * MB)).expect("a cliff");
            let off = found.at.abs_diff(at * MB);
            prop_assert!(off <= at * MB / 10, "{} instead of {}", found.at, at * MB);
            prop_assert!((found.before / 32e6 - 1.0).abs() < 0.1);
            prop_assert!((found.after / (32e6 * fall) - 1.0).abs() < 0.2, "{found:?}");
        }

        #[test]
        fn whatever_the_rates_it_is_in_order(rates in prop::collection::vec(1.0_f64..1e9, 0..60)) {
            let points = (0..).step_by(5).zip(rates).collect::<Vec<_>>();
            let end = points.last().map_or(0, |(at, _)| at + 5);
            if let Some(found) = cliff(&SpeedCurve { points }) {
                prop_assert!(found.at <= end && found.after < found.before);
            }
        }
    }

    #[test]
    fn an_even_stick_and_single_slow_pieces_are_no_cliff() {
        let even = curve(&[(0, 20e6)], 1000 * MB, 5 * MB);
        assert_eq!(cliff(&even), None);
        let mut stumbling = even.clone();
        for point in stumbling.points.iter_mut().skip(3).step_by(9) {
            point.1 = 1e6;
        }
        assert_eq!(cliff(&stumbling), None);
        // One that is slow for a while and then fast again.
        let recovering = curve(
            &[(0, 20e6), (200 * MB, 5e6), (400 * MB, 20e6)],
            1000 * MB,
            5 * MB,
        );
        assert_eq!(cliff(&recovering), None);
        assert_eq!(cliff(&SpeedCurve::default()), None);
    }

    #[test]
    fn ups_and_downs_are_no_cliff() {
        let waves: Vec<_> = (0..10)
            .map(|wave| (wave * 60 * MB, [16e6, 4e6][wave as usize % 2]))
            .collect();
        assert_eq!(cliff(&curve(&waves, 600 * MB, 10 * MB)), None);
        let growing = curve(&[(0, 4e6), (300 * MB, 16e6)], 600 * MB, 10 * MB);
        assert_eq!(cliff(&growing), None);
        let wavering = curve(&[(0, 16e6), (300 * MB, 14e6)], 600 * MB, 10 * MB);
        assert_eq!(cliff(&wavering), None);
    }

    #[test]
    fn little_is_not_enough() {
        for rates in [&[16e6, 16e6, 1e6, 1e6][..], &[16e6; 3]] {
            let points = (0..).step_by(10).zip(rates.iter().copied()).collect();
            assert_eq!(cliff(&SpeedCurve { points }), None);
        }
    }
}
