//! How fast a stick takes what comes in a row, put together from several jobs.

/// Bytes below which a job says too little.
pub(super) const LEAST: u64 = 64_000_000;
/// Points that are kept.
const MOST: usize = 256;

/// The newest job of so many bytes counts as far as it went, an older and longer one beyond.
/// Points are (from so many bytes on, bytes a second).
pub(super) fn merged(old: &[(u64, f64)], new: &[(u64, f64)], reach: u64) -> Vec<(u64, f64)> {
    if new.is_empty() {
        return old.to_vec();
    }
    let mut merged = new.to_vec();
    let beyond = old.partition_point(|(offset, _)| *offset <= reach);
    if beyond < old.len() {
        let there = beyond.checked_sub(1).map(|index| (reach, old[index].1));
        merged.extend(there);
        merged.extend(&old[beyond..]);
    }
    while merged.len() > MOST {
        let mut index = 0;
        merged.retain(|_| {
            index += 1;
            index % 2 == 1
        });
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_counts_as_far_as_it_went() {
        let long = [(0, 30.0), (100, 20.0), (400, 9.0)];
        let merged = |new: &[(u64, f64)], reach| merged(&long, new, reach);
        assert_eq!(
            merged(&[(0, 33.0), (110, 21.0)], 200),
            [(0, 33.0), (110, 21.0), (200, 20.0), (400, 9.0)]
        );
        assert_eq!(merged(&[(0, 33.0), (90, 8.0)], 500), [(0, 33.0), (90, 8.0)]);
        assert_eq!(merged(&[], 500), long);
        let many: Vec<_> = (0..10_000).map(|offset| (offset, 1.0)).collect();
        assert!(merged(&many, 10_000).len() <= MOST);
    }
}
