use super::wording::refusal_text;
use crate::drives::{Drive, Refusal};
use crate::tasks::{Failure, Kind, OfferedImage, Wording};
use crate::ui::text::tr;

/// Whether a stick can be used for what is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) is_usable: bool,
    /// Why it cannot be, or what a person should know of it.
    pub(super) text: Option<String>,
}

impl Standing {
    /// For files, or for the image.
    pub(super) fn of(drive: &Drive, image: Option<&OfferedImage>) -> Self {
        let is_unlocked = drive.refusal == Some(Refusal::Unlocked);
        if let Some(refusal) = drive.refusal.filter(|_| !(is_unlocked && image.is_some())) {
            return Self::unusable(refusal_text(refusal));
        }
        if let Some(objection) = image.and_then(|image| image.objection(drive)) {
            return Self::unusable(tr(&Wording::of_failure(&objection)));
        }
        Self {
            is_usable: true,
            // An image takes all of the stick, so that what is open on it can be closed.
            text: is_unlocked.then(|| tr(&Wording::of_failure(&Failure::new(Kind::WillLock, "")))),
        }
    }

    fn unusable(text: String) -> Self {
        Self {
            is_usable: false,
            text: Some(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::testing::{image, stick};

    #[test]
    fn a_stick_that_is_too_small_for_the_image_says_why() {
        let mut drive = stick("a");
        assert!(Standing::of(&drive, Some(&image("a.img", 2_000_000_000))).is_usable);
        let large = image("a.img", 2_000_000_512);
        assert!(Standing::of(&drive, None).is_usable);
        let standing = Standing::of(&drive, Some(&large));
        assert!(!standing.is_usable);
        assert_eq!(
            standing.text.as_deref(),
            Some("“a.img” needs 2.1 GB, but the stick has only 2.0 GB.")
        );
        drive.refusal = Some(Refusal::WriteProtected);
        assert!(!Standing::of(&drive, Some(&image("a.img", 512))).is_usable);
    }

    #[test]
    fn what_is_open_on_it_is_closed_for_an_image_and_that_is_told() {
        let mut drive = stick("a");
        drive.refusal = Some(Refusal::Unlocked);
        assert!(!Standing::of(&drive, None).is_usable);
        let standing = Standing::of(&drive, Some(&image("a.img", 512)));
        assert!(standing.is_usable);
        assert!(
            standing
                .text
                .is_some_and(|text| text.contains("closed before"))
        );
    }
}
