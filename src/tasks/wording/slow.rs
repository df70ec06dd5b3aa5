use super::{Wording, wording};
use crate::tasks::Slow;

/// Why a stick is slow, and what a person can do.
pub(super) fn of_slow(reason: Slow) -> Wording {
    match reason {
        Slow::Usb1 => wording(
            "It is connected at the slowest USB speed, about 1 MB/s. Plug it directly into the computer, or into another port.",
        ),
        Slow::OlderPort => wording(
            "It could be faster in another port: this one, or a hub or cable in between, is of an older kind.",
        ),
        Slow::EachWriteWaits => wording(
            "The system has it set so that every small piece waits for the stick. Steady changes that before it copies.",
        ),
        Slow::CommandsFail => wording(
            "It often does not answer, or answers with an error. Try another port. If that does not help, the stick is failing: save what is on it.",
        ),
        Slow::NearlyFull => wording(
            "It is nearly full. Sticks get slow then: delete what is not needed, or format it.",
        ),
        Slow::KnownCliff(at) => wording(
            "It gets slower once about {size} were written in one go. A pause lets it recover.",
        )
        .size("size", at),
        Slow::TinyClusters => wording(
            "It is formatted in very small units, which makes copying slow. Formatting it anew helps, but erases it.",
        ),
    }
}
