//! The sentences about checking a stick.

use super::{Wording, wording};
use crate::engine::speed_curve::Cliff;
use crate::tasks::{About, CheckFound, Failure, Kind};

/// Pieces of a curve below which nothing is said of how even it is.
const TELLING: usize = 20;

/// The sentence for what a failure tells beside its kind; `None` where that says it all.
pub(super) fn of_failure(failure: &Failure) -> Option<Wording> {
    Some(match (failure.kind, failure.about.as_ref()?) {
        (Kind::FakeCapacity, About::Sizes { size, limit }) => wording(
            "The stick claims to have {size}, but has only {limit}. What is written beyond that is lost.",
        )
        .size("size", *size)
        .size("limit", *limit),
        (_, About::NotPutBack) => wording(
            "The stick failed while it was being tried. A small part of what was on it may be damaged.",
        ),
        (Kind::VerifyMismatch, About::TestData) => wording(
            "The stick does not give back what was written to it. It is failing, or smaller than it claims.",
        ),
        _ => return None,
    })
}

/// What was found, for a stick that has passed.
pub(super) fn of_found(found: &CheckFound) -> Vec<Wording> {
    let mut sentences = Vec::new();
    if let Some(real) = found.real.filter(|_| !found.is_fake()) {
        let sentence = wording("The stick has the {size} that it claims to have.");
        sentences.push(sentence.size("size", real));
    }
    if found.compared > 0 {
        let sentence = wording("{size} were written to it and came back the same.");
        sentences.push(sentence.size("size", found.compared));
    }
    let rate = |curve: &crate::engine::speed_curve::SpeedCurve| curve.typical() as u64;
    let (write, read) = (rate(&found.write_curve), rate(&found.read_curve));
    if write > 0 && read > 0 {
        let sentence = wording("It writes {written} a second and reads {read} a second.");
        sentences.push(sentence.size("written", write).size("read", read));
    }
    match found.cliff {
        Some(cliff) => sentences.push(of_cliff(&cliff)),
        None if found.write_curve.points.len() >= TELLING => {
            sentences.push(wording("Writing stays about as fast up to the end."));
        }
        None => {}
    }
    sentences.extend(of_rest(found));
    sentences
}

fn of_cliff(cliff: &Cliff) -> Wording {
    wording("After {size}, writing slows down from {before} a second to {after} a second.")
        .size("size", cliff.at)
        .size("before", cliff.before as u64)
        .size("after", cliff.after as u64)
}

/// What is on the stick now.
pub(super) fn of_rest(found: &CheckFound) -> Vec<Wording> {
    let erased =
        || wording("Everything that was on the stick is erased. Format it before you use it.");
    let left_over = || {
        wording(
            "Test files may still be on the stick, in the folder “.steady-check”. The next check removes them.",
        )
    };
    let sentences = [found.erased.then(erased), found.left_over.then(left_over)];
    sentences.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::speed_curve::SpeedCurve;

    #[test]
    fn a_stick_that_has_passed_is_told_about_in_a_few_sentences() {
        let curve = |rate| SpeedCurve {
            points: (0..30).map(|piece| (piece * 5_000_000, rate)).collect(),
        };
        let mut found = CheckFound {
            claimed: 2_000_000_000,
            real: Some(2_000_000_000),
            compared: 150_000_000,
            write_curve: curve(12_340_000.0),
            read_curve: curve(25e6),
            ..CheckFound::default()
        };
        let told = |found: &CheckFound| {
            let sentences = of_found(found);
            let sentences = sentences.iter().map(Wording::english);
            sentences.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            told(&found),
            "The stick has the 2.0 GB that it claims to have. 150 MB were written to it and came back the same. \
             It writes 12.3 MB a second and reads 25.0 MB a second. Writing stays about as fast up to the end."
        );
        found.cliff = Some(Cliff {
            at: 128_000_000,
            before: 32e6,
            after: 20.8e6,
        });
        found.erased = true;
        assert!(told(&found).ends_with(
            "After 128 MB, writing slows down from 32.0 MB a second to 20.8 MB a second. \
             Everything that was on the stick is erased. Format it before you use it."
        ));
    }

    #[test]
    fn w04_a_fake_is_told_with_both_sizes() {
        let failure = Failure::new(Kind::FakeCapacity, "").about(About::Sizes {
            size: 1 << 30,
            limit: 256 << 20,
        });
        assert_eq!(
            Wording::of_failure(&failure).english(),
            "The stick claims to have 1.0 GB, but has only 268 MB. What is written beyond that is lost."
        );
    }
}
