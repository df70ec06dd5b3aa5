use crate::drives::Drive;

/// Which stick is chosen, by its identity: other sticks may come and go.
#[derive(Debug, Default)]
pub(super) struct Selection {
    chosen: Option<Drive>,
    /// A person has chosen, or has lost what was chosen: from then on nothing is chosen for them.
    decided: bool,
}

impl Selection {
    /// The chosen stick, as it is now.
    pub(super) fn chosen(&self) -> Option<&Drive> {
        self.chosen.as_ref()
    }

    /// The person has chosen.
    pub(super) fn choose(&mut self, drive: Drive) {
        self.chosen = Some(drive);
        self.decided = true;
    }

    /// Takes in the list as it is now. Returns the stick that was chosen and is gone, or is
    /// offered no more.
    pub(super) fn look(&mut self, drives: &[Drive]) -> Option<Drive> {
        let mut offered = drives.iter().filter(|drive| drive.refusal.is_none());
        if let Some(chosen) = self.chosen.take() {
            self.chosen = offered.find(|drive| is_same(drive, &chosen)).cloned();
            if self.chosen.is_some() {
                return None;
            }
            self.decided = true;
            return Some(chosen);
        }
        // Where there is only one there is no question; of two none is the more likely one.
        if let (false, Some(only), None) = (self.decided, offered.next(), offered.next()) {
            self.chosen = Some(only.clone());
        }
        None
    }
}

/// The same stick with the same medium.
pub(super) fn is_same(one: &Drive, other: &Drive) -> bool {
    let identity = |drive: &Drive| {
        let Drive {
            id, object, serial, ..
        } = drive.clone();
        (id, object, serial, drive.size)
    };
    identity(one) == identity(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drives::Refusal;
    use crate::ui::testing::stick;

    fn chosen(selection: &Selection) -> Option<&str> {
        selection.chosen().map(|drive| drive.id.as_str())
    }

    #[test]
    fn the_only_stick_is_chosen_and_of_two_none() {
        let mut selection = Selection::default();
        selection.look(&[]);
        assert_eq!(chosen(&selection), None);
        selection.look(&[stick("a")]);
        assert_eq!(chosen(&selection), Some("a"));
        let mut selection = Selection::default();
        selection.look(&[stick("a"), stick("b")]);
        assert_eq!(chosen(&selection), None);
    }

    #[test]
    fn another_stick_never_moves_the_choice() {
        let mut selection = Selection::default();
        selection.look(&[stick("a"), stick("b")]);
        selection.choose(stick("b"));
        assert!(
            selection
                .look(&[stick("0"), stick("a"), stick("b")])
                .is_none()
        );
        assert_eq!(chosen(&selection), Some("b"));
        assert!(selection.look(&[stick("b")]).is_none());
        assert_eq!(chosen(&selection), Some("b"));
    }

    #[test]
    fn a_pulled_stick_is_told_and_nothing_takes_its_place() {
        let mut selection = Selection::default();
        selection.choose(stick("a"));
        let lost = selection.look(&[stick("b")]);
        assert_eq!(lost.map(|drive| drive.id).as_deref(), Some("a"));
        assert_eq!(chosen(&selection), None);
        assert!(selection.look(&[stick("a")]).is_none());
        assert_eq!(chosen(&selection), None);
    }

    #[test]
    fn another_card_in_the_same_reader_is_another_stick() {
        let mut selection = Selection::default();
        selection.choose(stick("a"));
        let mut other = stick("a");
        other.size += 512;
        assert!(selection.look(&[other]).is_some());
    }

    #[test]
    fn what_is_not_offered_is_never_chosen() {
        let mut refused = stick("a");
        refused.refusal = Some(Refusal::WriteProtected);
        let mut selection = Selection::default();
        selection.look(&[refused.clone()]);
        assert_eq!(chosen(&selection), None);
        selection.look(&[refused.clone(), stick("b")]);
        assert_eq!(chosen(&selection), Some("b"));
        selection.choose(stick("a"));
        assert!(selection.look(&[refused]).is_some());
    }

    #[test]
    fn the_choice_holds_what_is_on_the_stick_now() {
        let mut selection = Selection::default();
        selection.choose(stick("a"));
        let mut mounted = stick("a");
        mounted.volumes = vec![crate::ui::testing::volume("NEW")];
        selection.look(&[mounted.clone()]);
        assert_eq!(selection.chosen(), Some(&mounted));
    }
}
