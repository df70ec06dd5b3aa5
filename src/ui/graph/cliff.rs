use super::curve::Point;

/// On each side of a cliff there are at least so many points.
const LEAST: usize = 4;
/// What is slower than this share of what came before has fallen off a cliff.
const DROP: f64 = 0.67;
/// So much of what follows has to be slower than the average before: ups and downs are no cliff.
const MOST: f64 = 0.9;

/// The position from which on it is slower for good, where there is one.
pub(super) fn cliff(points: &[Point]) -> Option<u64> {
    let last = points.len().checked_sub(LEAST)?;
    let deepest = (LEAST..=last)
        .map(|at| (at, unlikeness(points, at)))
        .max_by(|one, other| one.1.total_cmp(&other.1))?;
    let (before, after) = points.split_at(deepest.0);
    let fast = average(before);
    let slower = after.iter().filter(|point| point.rate < fast).count();
    let lasts = slower as f64 >= MOST * after.len() as f64;
    (average(after) < DROP * fast && lasts).then(|| after[0].from)
}

/// How well a step at `at` explains the points: the difference of both sides' averages, weighted
/// by how much each side is.
fn unlikeness(points: &[Point], at: usize) -> f64 {
    let (before, after) = points.split_at(at);
    let (left, right) = (average(before), average(after));
    if left <= 0.0 || right <= 0.0 {
        return 0.0;
    }
    let sides = before.len() as f64 * after.len() as f64;
    (left / right).ln() * (sides / points.len() as f64).sqrt()
}

fn average(points: &[Point]) -> f64 {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return 0.0;
    };
    let seconds: f64 = points.iter().map(Point::seconds).sum();
    (last.to - first.from) as f64 / seconds
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten bytes each, at these rates.
    fn points(rates: &[f64]) -> Vec<Point> {
        let point = |(at, rate): (u64, &f64)| Point {
            from: at * 10,
            to: at * 10 + 10,
            rate: *rate,
        };
        (0..).zip(rates).map(point).collect()
    }

    fn rates(steps: &[(usize, f64)]) -> Vec<f64> {
        let steps = steps
            .iter()
            .flat_map(|&(count, rate)| std::iter::repeat_n(rate, count));
        // A little up and down, as everywhere.
        (0..)
            .zip(steps)
            .map(|(at, rate)| rate * [1.0, 0.93, 1.06][at % 3])
            .collect()
    }

    #[test]
    fn a_cliff_is_found_where_it_is() {
        let found = cliff(&points(&rates(&[(12, 17.0), (30, 4.0)])));
        assert_eq!(found, Some(120));
    }

    #[test]
    fn of_several_steps_one_is_told() {
        let found = cliff(&points(&rates(&[(12, 32.0), (12, 20.8), (24, 12.8)])));
        assert!(found == Some(120) || found == Some(240), "{found:?}");
    }

    #[test]
    fn an_even_stick_has_none() {
        assert_eq!(cliff(&points(&rates(&[(60, 16.0)]))), None);
        assert_eq!(cliff(&points(&rates(&[(30, 16.0), (30, 14.0)]))), None);
        assert_eq!(cliff(&points(&rates(&[(30, 4.0), (30, 16.0)]))), None);
    }

    #[test]
    fn ups_and_downs_are_none() {
        let waves = [(6, 16.0), (6, 4.0)].repeat(5);
        assert_eq!(cliff(&points(&rates(&waves))), None);
        let hiccup = [(20, 16.0), (4, 1.0), (20, 16.0)];
        assert_eq!(cliff(&points(&rates(&hiccup))), None);
    }

    #[test]
    fn little_is_not_enough() {
        assert_eq!(cliff(&[]), None);
        assert_eq!(cliff(&points(&[16.0, 16.0, 1.0, 1.0])), None);
        assert_eq!(cliff(&points(&[16.0; 3])), None);
    }
}
