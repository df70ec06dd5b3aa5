/// How fast a stick takes bytes, by how many it has taken in a row: what was remembered of it.
/// An empty one says nothing, and every byte then counts the same.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Curve {
    /// From that many bytes on, so many a second; offsets ascend, rates are numbers above 0.
    steps: Vec<(u64, f64)>,
}

impl Curve {
    /// Of points in any order; a point that is no rate is left out.
    pub fn new(points: &[(u64, f64)]) -> Self {
        let is_rate = |rate: f64| rate.is_finite() && rate > 0.0;
        let points = points.iter().filter(|(_, rate)| is_rate(*rate));
        let mut steps: Vec<_> = points.copied().collect();
        steps.sort_by_key(|(offset, _)| *offset);
        steps.dedup_by_key(|(offset, _)| *offset);
        Self { steps }
    }

    /// One rate for all bytes.
    pub fn flat(rate: f64) -> Self {
        Self::new(&[(0, rate)])
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// What the bytes from one offset to another cost: seconds as remembered, or 1 for each.
    pub fn cost(&self, from: u64, to: u64) -> f64 {
        if self.is_empty() {
            return to.saturating_sub(from) as f64;
        }
        let mut cost = 0.0;
        for (index, (offset, rate)) in self.steps.iter().enumerate() {
            // The first rate holds from the beginning, the last one to the end.
            let start = if index == 0 { 0 } else { *offset };
            let end = self.steps.get(index + 1).map_or(u64::MAX, |next| next.0);
            let part = to.min(end).saturating_sub(from.max(start));
            cost += part as f64 / rate;
        }
        cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cliff_costs_what_lies_behind_it() {
        let curve = Curve::new(&[(1000, 10.0), (0, 100.0)]);
        assert!((curve.cost(0, 1000) - 10.0).abs() < 1e-9);
        assert!((curve.cost(500, 2000) - 105.0).abs() < 1e-9);
        assert!((curve.cost(5000, 6000) - 100.0).abs() < 1e-9);
        assert!(curve.cost(7, 7).abs() < 1e-9 && curve.cost(9, 7).abs() < 1e-9);
    }

    #[test]
    fn what_is_no_rate_is_no_part_of_it() {
        let odd = [(0, 0.0), (5, f64::NAN), (7, -3.0), (9, f64::INFINITY)];
        assert!(Curve::new(&odd).is_empty());
        assert!((Curve::new(&odd).cost(3, 8) - 5.0).abs() < 1e-9);
        let late = Curve::new(&[(500, 10.0)]);
        assert!((late.cost(0, 1000) - 100.0).abs() < 1e-9);
    }
}
