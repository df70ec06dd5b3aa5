use crate::tasks::{SpeedCurve, cliff};

/// Speed by position: all that the graph draws.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::ui) struct Curve {
    /// The position at which the graph ends, in bytes; at least that of the last point.
    pub(in crate::ui) end: u64,
    /// In order of their positions.
    pub(in crate::ui) points: Vec<Point>,
    /// From where on it is slower for good, in bytes.
    pub(in crate::ui) cliff: Option<u64>,
}

/// The speed over one stretch of bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::ui) struct Point {
    /// Where the stretch begins.
    pub(in crate::ui) from: u64,
    /// Where it ends.
    pub(in crate::ui) to: u64,
    /// Bytes a second.
    pub(in crate::ui) rate: f64,
}

impl Curve {
    /// A curve up to `end`, with the cliff that its points show.
    pub(in crate::ui) fn new(points: Vec<Point>, end: u64) -> Self {
        let last = points.last().map_or(0, |point| point.to);
        let rates = points.iter().map(|point| (point.from, point.rate));
        let curve = SpeedCurve {
            points: rates.collect(),
        };
        Self {
            end: end.max(last),
            cliff: cliff(&curve).map(|cliff| cliff.at),
            points,
        }
    }

    /// The fastest of it, in bytes a second; 0 while nothing is known.
    pub(in crate::ui) fn fastest(&self) -> f64 {
        let rates = self.points.iter().map(|point| point.rate);
        rates.fold(0.0, f64::max)
    }

    /// The outline from start to end as shares of width and height, from the lower left corner.
    pub(super) fn outline(&self) -> Vec<(f64, f64)> {
        /// Air above the fastest point.
        const HEIGHT: f64 = 0.92;
        let (fastest, end) = (self.fastest(), self.end as f64);
        let (Some(first), Some(last)) = (self.points.first(), self.points.last()) else {
            return Vec::new();
        };
        if fastest <= 0.0 || end <= 0.0 {
            return Vec::new();
        }
        let height = |point: &Point| point.rate / fastest * HEIGHT;
        let mut outline = vec![(first.from as f64 / end, height(first))];
        outline.extend(self.points.iter().map(|point| {
            let middle = point.from as f64 / 2.0 + point.to as f64 / 2.0;
            (middle / end, height(point))
        }));
        outline.push((last.to as f64 / end, height(last)));
        outline
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(from: u64, to: u64, rate: f64) -> Point {
        Point { from, to, rate }
    }

    #[test]
    fn the_outline_stays_inside_and_ends_where_the_bytes_end() {
        let curve = Curve::new(vec![point(0, 10, 4.0), point(10, 50, 2.0)], 100);
        let outline = curve.outline();
        assert_eq!(outline.first().map(|(x, _)| *x), Some(0.0));
        assert_eq!(outline.last().map(|(x, _)| *x), Some(0.5));
        assert!(outline.is_sorted_by(|left, right| left.0 <= right.0));
        let inside = |share: f64| (0.0..=1.0).contains(&share);
        assert!(outline.iter().all(|&(x, y)| inside(x) && inside(y)));
        assert!(outline[0].1 > outline[2].1, "the faster part is higher");
    }

    #[test]
    fn more_bytes_than_were_expected_are_drawn_too() {
        let curve = Curve::new(vec![point(0, 200, 4.0)], 100);
        assert_eq!(curve.end, 200);
        assert_eq!(curve.outline().last().map(|(x, _)| *x), Some(1.0));
    }

    #[test]
    fn without_points_there_is_nothing_to_draw() {
        assert!(Curve::default().outline().is_empty());
        assert!(Curve::new(vec![point(0, 10, 0.0)], 10).outline().is_empty());
    }
}
