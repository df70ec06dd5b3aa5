use crate::drives::Drive;

/// Which sticks are chosen, by their identity: other sticks may come and go.
#[derive(Debug, Default)]
pub(super) struct Selection {
    chosen: Vec<Drive>,
    /// A person has chosen, or has lost what was chosen: from then on nothing is chosen for them.
    decided: bool,
}

impl Selection {
    /// The chosen stick, as it is now, where there is only one.
    pub(super) fn chosen(&self) -> Option<&Drive> {
        match self.chosen.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// All chosen sticks, as they are now.
    pub(super) fn all(&self) -> &[Drive] {
        &self.chosen
    }

    /// Whether that stick is chosen.
    pub(super) fn holds(&self, drive: &Drive) -> bool {
        self.chosen.iter().any(|chosen| is_same(chosen, drive))
    }

    /// The person has chosen this one and no other.
    pub(super) fn choose(&mut self, drive: Drive) {
        self.chosen = vec![drive];
        self.decided = true;
    }

    /// The person has taken one more, or one less.
    pub(super) fn tick(&mut self, drive: Drive, is_wanted: bool) {
        self.chosen.retain(|chosen| !is_same(chosen, &drive));
        if is_wanted {
            self.chosen.push(drive);
        }
        self.decided = true;
    }

    /// Only one can be chosen from now on. Which of several is meant is for the person to say.
    pub(super) fn keep_one(&mut self) {
        if self.chosen.len() > 1 {
            self.chosen.clear();
            self.decided = true;
        }
    }

    /// Takes in the list as it is now. Returns the sticks that were chosen and are gone, or can be
    /// used no more.
    pub(super) fn look(
        &mut self,
        drives: &[Drive],
        is_usable: impl Fn(&Drive) -> bool,
    ) -> Vec<Drive> {
        let usable = |drive: &&Drive| is_usable(drive);
        let mut lost = Vec::new();
        let before = std::mem::take(&mut self.chosen);
        let was_chosen = !before.is_empty();
        for chosen in before {
            let mut usable = drives.iter().filter(usable);
            match usable.find(|drive| is_same(drive, &chosen)) {
                Some(now) => self.chosen.push(now.clone()),
                None => lost.push(chosen),
            }
        }
        self.decided |= !lost.is_empty();
        // Where there is only one there is no question; of two none is the more likely one.
        let mut offered = drives.iter().filter(|drive| drive.refusal.is_none());
        if let (false, false, Some(only), None) =
            (was_chosen, self.decided, offered.next(), offered.next())
            && is_usable(only)
        {
            self.chosen = vec![only.clone()];
        }
        lost
    }
}

/// The same stick with the same medium.
pub(super) fn is_same(one: &Drive, other: &Drive) -> bool {
    identity(one) == identity(other)
}

fn identity(drive: &Drive) -> (&str, &str, &str, u64) {
    (&drive.id, &drive.object, &drive.serial, drive.size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drives::Refusal;
    use crate::ui::testing::stick;

    fn look(selection: &mut Selection, drives: &[Drive]) -> Option<Drive> {
        let mut lost = selection.look(drives, |drive| drive.refusal.is_none());
        assert!(lost.len() < 2, "only one could be chosen");
        lost.pop()
    }

    fn chosen(selection: &Selection) -> Option<&str> {
        selection.chosen().map(|drive| drive.id.as_str())
    }

    #[test]
    fn the_only_stick_is_chosen_and_of_two_none() {
        let mut selection = Selection::default();
        look(&mut selection, &[]);
        assert_eq!(chosen(&selection), None);
        look(&mut selection, &[stick("a")]);
        assert_eq!(chosen(&selection), Some("a"));
        let mut selection = Selection::default();
        look(&mut selection, &[stick("a"), stick("b")]);
        assert_eq!(chosen(&selection), None);
    }

    #[test]
    fn another_stick_never_moves_the_choice() {
        let mut selection = Selection::default();
        look(&mut selection, &[stick("a"), stick("b")]);
        selection.choose(stick("b"));
        let all = [stick("0"), stick("a"), stick("b")];
        assert!(look(&mut selection, &all).is_none());
        assert_eq!(chosen(&selection), Some("b"));
        assert!(look(&mut selection, &[stick("b")]).is_none());
        assert_eq!(chosen(&selection), Some("b"));
    }

    #[test]
    fn a_pulled_stick_is_told_and_nothing_takes_its_place() {
        let mut selection = Selection::default();
        selection.choose(stick("a"));
        let lost = look(&mut selection, &[stick("b")]);
        assert_eq!(lost.map(|drive| drive.id).as_deref(), Some("a"));
        assert_eq!(chosen(&selection), None);
        assert!(look(&mut selection, &[stick("a")]).is_none());
        assert_eq!(chosen(&selection), None);
    }

    #[test]
    fn another_card_in_the_same_reader_is_another_stick() {
        let mut selection = Selection::default();
        selection.choose(stick("a"));
        let mut other = stick("a");
        other.size += 512;
        assert!(look(&mut selection, &[other]).is_some());
    }

    #[test]
    fn what_is_not_offered_is_never_chosen() {
        let mut refused = stick("a");
        refused.refusal = Some(Refusal::WriteProtected);
        let mut selection = Selection::default();
        look(&mut selection, &[refused.clone()]);
        assert_eq!(chosen(&selection), None);
        look(&mut selection, &[refused.clone(), stick("b")]);
        assert_eq!(chosen(&selection), Some("b"));
        selection.choose(stick("a"));
        assert!(look(&mut selection, &[refused]).is_some());
    }

    #[test]
    fn the_choice_holds_what_is_on_the_stick_now() {
        let mut selection = Selection::default();
        selection.choose(stick("a"));
        let mut mounted = stick("a");
        mounted.volumes = vec![crate::ui::testing::volume("NEW")];
        look(&mut selection, &[mounted.clone()]);
        assert_eq!(selection.chosen(), Some(&mounted));
    }

    #[test]
    fn several_are_ticked_and_each_is_lost_for_itself() {
        let all = [stick("a"), stick("b"), stick("c")];
        let mut selection = Selection::default();
        for drive in &all {
            selection.tick(drive.clone(), true);
        }
        selection.tick(stick("c"), false);
        assert_eq!(selection.all(), &all[..2]);
        assert_eq!(chosen(&selection), None, "there is more than one");
        let lost = selection.look(&all[1..], |_| true);
        assert_eq!(lost, &all[..1]);
        assert!(selection.holds(&all[1]) && !selection.holds(&all[0]));
    }

    #[test]
    fn of_two_that_are_offered_none_is_chosen_though_only_one_has_room() {
        let mut selection = Selection::default();
        selection.look(&[stick("a"), stick("b")], |drive| drive.id == "b");
        assert!(selection.all().is_empty());
    }

    #[test]
    fn where_only_one_can_be_used_none_of_several_is_kept() {
        let mut selection = Selection::default();
        selection.choose(stick("a"));
        selection.keep_one();
        assert_eq!(chosen(&selection), Some("a"));
        selection.tick(stick("b"), true);
        selection.keep_one();
        look(&mut selection, &[stick("a")]);
        assert!(selection.all().is_empty());
    }
}
