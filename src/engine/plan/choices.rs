use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::{Choice, ProblemKind};

/// What a person chose about problems: for one item, else for its kind, else for all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choices {
    /// For all problems, the dearest first: of each problem the first that it offers.
    pub all: Vec<Choice>,
    /// For a kind of problem.
    pub kinds: HashMap<ProblemKind, Choice>,
    /// For one problem: its kind and the source concerned.
    pub items: HashMap<(ProblemKind, PathBuf), Choice>,
}

impl Choices {
    /// The same for all problems that offer it.
    pub fn all(choice: Choice) -> Self {
        Self {
            all: vec![choice],
            ..Self::default()
        }
    }

    /// What is chosen among the choices of one problem; [`Choice::Stop`] where nothing fits.
    pub(super) fn among(&self, choices: &[Choice], kind: ProblemKind, path: &Path) -> Choice {
        let item = self.items.get(&(kind, path.to_path_buf()));
        let wishes = item
            .into_iter()
            .chain(self.kinds.get(&kind))
            .chain(&self.all);
        let mut offered = wishes.filter(|wish| choices.contains(wish));
        offered.next().copied().unwrap_or(Choice::Stop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_choice_that_is_offered_holds() {
        let both = [Choice::Stop, Choice::Skip];
        let mut choices = Choices {
            all: vec![Choice::Rename, Choice::Skip],
            ..Choices::default()
        };
        let of = |choices: &Choices, path: &str| {
            choices.among(&both, ProblemKind::Link, Path::new(path))
        };
        assert_eq!(of(&choices, "a"), Choice::Skip);
        choices.kinds.insert(ProblemKind::Link, Choice::Stop);
        assert_eq!(of(&choices, "a"), Choice::Stop);
        let item = (ProblemKind::Link, PathBuf::from("b"));
        choices.items.insert(item, Choice::Skip);
        assert_eq!(of(&choices, "b"), Choice::Skip);
        assert_eq!(of(&choices, "a"), Choice::Stop);
        assert_eq!(of(&Choices::default(), "a"), Choice::Stop);
    }
}
