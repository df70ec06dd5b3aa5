use serde::{Deserialize, Serialize};

use crate::engine::speed_curve::SpeedCurve;

/// Points that are kept of a curve: hundreds of sticks have to fit into a small file.
const MOST: usize = 32;

/// How fast a stick was over all of its room, as a check has measured it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct KnownSpeed {
    /// Writing.
    pub write: SpeedCurve,
    /// Reading.
    pub read: SpeedCurve,
    /// From where on writing gets slower, in bytes written.
    pub cliff_at: Option<u64>,
}

impl KnownSpeed {
    /// The same with fewer points.
    pub(in crate::tasks) fn of(
        write: &SpeedCurve,
        read: &SpeedCurve,
        cliff_at: Option<u64>,
    ) -> Self {
        Self {
            write: thinned(write),
            read: thinned(read),
            cliff_at,
        }
    }
}

fn thinned(curve: &SpeedCurve) -> SpeedCurve {
    let every = curve.points.len().div_ceil(MOST).max(1);
    let points = curve.points.iter().step_by(every);
    SpeedCurve {
        points: points.map(|(at, rate)| (*at, rate.round())).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_of_a_curve_is_small_and_spans_it() {
        for count in [0, 1, 31, 32, 33, 200] {
            let points = (0..count).map(|at| (at * 5, 1.25 * at as f64));
            let curve = SpeedCurve {
                points: points.collect(),
            };
            let speed = KnownSpeed::of(&curve, &SpeedCurve::default(), None);
            assert!(speed.write.points.len() <= MOST);
            assert_eq!(speed.write.points.is_empty(), count == 0);
            let text = serde_json::to_string(&speed).expect("it is plain");
            assert!(text.len() < 1_500, "{}", text.len());
        }
    }
}
