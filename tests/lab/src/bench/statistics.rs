/// The value in the middle, or the mean of the two; `None` of nothing.
pub(super) fn median(values: &[f64]) -> Option<f64> {
    let sorted = sorted(values);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        count if count % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

/// The value below which that share of all lies, 0 to 1; `None` of nothing.
pub(super) fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let sorted = sorted(values);
    let last = sorted.len().checked_sub(1)?;
    Some(sorted[(last as f64 * share).round() as usize])
}

/// How far the values lie apart, in percent of the median; `None` of nothing, or around 0.
pub(super) fn spread_percent(values: &[f64]) -> Option<f64> {
    let sorted = sorted(values);
    let (first, last) = (sorted.first()?, sorted.last()?);
    let median = median(values).filter(|median| *median > 0.0)?;
    Some((last - first) / median * 100.0)
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wild_run_does_not_move_the_median() {
        assert_eq!(median(&[9.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 100.0]), Some(3.0));
        assert_eq!((median(&[]), median(&[7.0])), (None, Some(7.0)));
    }

    #[test]
    fn quantiles_and_spread() {
        let hundred: Vec<_> = (0..=100).rev().map(f64::from).collect();
        assert_eq!(quantile(&hundred, 0.99), Some(99.0));
        assert_eq!(quantile(&[3.0], 0.99), Some(3.0));
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(spread_percent(&[10.0, 11.0, 9.0]), Some(20.0));
        assert_eq!(spread_percent(&[0.0]), None);
    }
}
