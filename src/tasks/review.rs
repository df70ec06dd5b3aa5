//! Problems as people look at them: one question a kind, with a proposal.

use std::collections::HashMap;

use super::{Choice, Choices, Problem, ProblemKind};

/// Problems of one kind among which the same can be chosen: one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProblemGroup {
    /// What they are.
    pub kind: ProblemKind,
    /// What can be chosen; empty where nothing but stopping is left.
    pub choices: Vec<Choice>,
    /// What is chosen for most of them; [`Choice::Stop`] where nothing is.
    pub chosen: Choice,
    /// The problems, in the order in which they were found.
    pub problems: Vec<Problem>,
}

/// What is proposed to a person: as little as possible is lost, and nothing that is on the stick.
pub fn proposed_choices() -> Choices {
    Choices {
        all: vec![Choice::Rename, Choice::KeepBoth, Choice::Skip],
        // Most likely an earlier copy that broke off: this goes on with it.
        kinds: HashMap::from([(ProblemKind::AlreadyThere, Choice::Replace)]),
        items: HashMap::new(),
    }
}

/// One group a question, those without a choice first: they decide whether anything is copied.
pub fn group_problems(problems: &[Problem]) -> Vec<ProblemGroup> {
    let mut groups: Vec<ProblemGroup> = Vec::new();
    for problem in problems {
        let choices = problem.choices.iter().copied();
        let choices: Vec<_> = choices.filter(|choice| *choice != Choice::Stop).collect();
        let same =
            |group: &&mut ProblemGroup| group.kind == problem.kind && group.choices == choices;
        if let Some(group) = groups.iter_mut().find(same) {
            group.problems.push(problem.clone());
        } else {
            groups.push(ProblemGroup {
                kind: problem.kind,
                choices,
                chosen: Choice::Stop,
                problems: vec![problem.clone()],
            });
        }
    }
    for group in &mut groups {
        let count = |choice: Choice| {
            let chosen = group.problems.iter().filter(|p| p.chosen == choice);
            chosen.count()
        };
        let most = group.choices.iter().copied().rev();
        let most = most.max_by_key(|choice| count(*choice));
        group.chosen = most
            .filter(|choice| count(*choice) > 0)
            .unwrap_or(Choice::Stop);
    }
    groups.sort_by_key(|group| !group.choices.is_empty());
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(kind: ProblemKind, path: &str, chosen: Choice) -> Problem {
        Problem {
            kind,
            path: path.into(),
            size: None,
            limit: None,
            detail: None,
            choices: kind.choices(),
            chosen,
        }
    }

    #[test]
    fn one_question_a_kind_and_what_forbids_the_start_first() {
        let groups = group_problems(&[
            problem(ProblemKind::Link, "a", Choice::Skip),
            problem(ProblemKind::NotEnoughSpace, "", Choice::Stop),
            problem(ProblemKind::SpecialFile, "b", Choice::Skip),
            problem(ProblemKind::Link, "c", Choice::Stop),
            problem(ProblemKind::Link, "d", Choice::Skip),
        ]);
        let kinds: Vec<_> = groups.iter().map(|group| group.kind).collect();
        let wanted = [
            ProblemKind::NotEnoughSpace,
            ProblemKind::Link,
            ProblemKind::SpecialFile,
        ];
        assert_eq!(kinds, wanted);
        assert!(groups[0].choices.is_empty() && groups[0].chosen == Choice::Stop);
        assert_eq!(groups[1].choices, [Choice::Skip]);
        assert_eq!(
            (groups[1].chosen, groups[1].problems.len()),
            (Choice::Skip, 3)
        );
    }
}
