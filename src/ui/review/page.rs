use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::path::PathBuf;
use std::rc::Rc;

use adw::prelude::*;
use adw::subclass::prelude::*;
use gtk::glib;

use super::group::{Chosen, ProblemGroupView};
use crate::tasks::{Choice, Choices, Problem, ProblemKind, group_problems, proposed_choices};
use crate::ui::text::ngettext_f;

#[expect(unreachable_pub, reason = "the accessors come from the derive")]
mod imp {
    use super::*;

    #[derive(Debug, gtk::CompositeTemplate, glib::Properties)]
    #[template(file = "page.ui")]
    #[properties(wrapper_type = super::ReviewPage)]
    pub(in crate::ui) struct ReviewPage {
        /// Whether everything is decided and something is left to copy.
        #[property(get)]
        pub(super) ready: Cell<bool>,
        pub(super) choices: RefCell<Choices>,
        /// Problems that wait for a choice.
        pub(super) undecided: RefCell<HashSet<(ProblemKind, PathBuf)>>,
        #[template_child]
        pub(super) heading: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) groups: TemplateChild<gtk::Box>,
        #[template_child]
        pub(super) copy: TemplateChild<gtk::Button>,
    }

    impl Default for ReviewPage {
        fn default() -> Self {
            Self {
                ready: Cell::default(),
                choices: RefCell::new(proposed_choices()),
                undecided: RefCell::default(),
                heading: TemplateChild::default(),
                groups: TemplateChild::default(),
                copy: TemplateChild::default(),
            }
        }
    }

    #[glib::object_subclass]
    impl ObjectSubclass for ReviewPage {
        const NAME: &'static str = "SteadyReviewPage";
        type Type = super::ReviewPage;
        type ParentType = adw::NavigationPage;

        fn class_init(class: &mut Self::Class) {
            class.bind_template();
        }

        fn instance_init(object: &glib::subclass::InitializingObject<Self>) {
            object.init_template();
        }
    }

    #[glib::derived_properties]
    impl ObjectImpl for ReviewPage {}
    impl WidgetImpl for ReviewPage {}
    impl NavigationPageImpl for ReviewPage {}
}

glib::wrapper! {
    /// The page before the first byte, shown only when something will not work as it is.
    pub(in crate::ui) struct ReviewPage(ObjectSubclass<imp::ReviewPage>)
        @extends adw::NavigationPage, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl ReviewPage {
    /// What is chosen: what is proposed, until a person chose otherwise.
    pub(in crate::ui) fn choices(&self) -> Choices {
        self.imp().choices.borrow().clone()
    }

    /// For another copy: what is proposed.
    pub(in crate::ui) fn reset(&self) {
        self.imp().choices.replace(proposed_choices());
    }

    /// Asks one question a kind of problem. The choices that the page holds were followed.
    pub(in crate::ui) fn show_problems(&self, problems: &[Problem]) {
        let imp = self.imp();
        while let Some(group) = imp.groups.first_child() {
            imp.groups.remove(&group);
        }
        let groups = group_problems(problems);
        for group in &groups {
            let kind = group.kind;
            let page = self.downgrade();
            let chosen: Chosen = Rc::new(move |problem, choice| {
                if let Some(page) = page.upgrade() {
                    page.choose(kind, problem, choice);
                }
            });
            imp.groups.append(&ProblemGroupView::new(group, &chosen));
        }
        imp.heading.set_label(&ngettext_f(
            "{count} thing to decide",
            "{count} things to decide",
            groups.len() as u64,
            &[],
        ));
        let stopped = problems
            .iter()
            .filter(|problem| problem.chosen == Choice::Stop);
        let (undecided, blocking): (Vec<_>, Vec<_>) =
            stopped.partition(|problem| problem.choices.len() > 1);
        let undecided = undecided.iter().map(|problem| problem.key());
        imp.undecided.replace(undecided.collect());
        self.set_ready(imp.undecided.borrow().is_empty() && blocking.is_empty());
    }

    /// Notes a choice. Whether the copy can start with it is found out when it is asked for: the
    /// page stays as it is under the pointer.
    fn choose(&self, kind: ProblemKind, problem: Option<&Problem>, choice: Choice) {
        let imp = self.imp();
        {
            let mut choices = imp.choices.borrow_mut();
            let mut undecided = imp.undecided.borrow_mut();
            if let Some(problem) = problem {
                undecided.remove(&problem.key());
                if choice == Choice::Stop {
                    undecided.insert(problem.key());
                }
                choices.items.insert(problem.key(), choice);
            } else {
                choices.kinds.insert(kind, choice);
                choices.items.retain(|(other, _), _| *other != kind);
                undecided.retain(|(other, _)| *other != kind);
            }
        }
        // What can only be stopped, such as too little space, may be solved by this choice.
        self.set_ready(imp.undecided.borrow().is_empty());
    }

    fn set_ready(&self, ready: bool) {
        if self.imp().ready.replace(ready) != ready {
            self.notify_ready();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::testing::widget;

    fn problem(kind: ProblemKind, path: &str, chosen: Choice) -> Problem {
        Problem {
            kind,
            path: path.into(),
            size: Some(5_000_000_000),
            limit: Some(4_294_967_295),
            detail: None,
            choices: kind.choices(),
            chosen,
        }
    }

    fn groups(page: &ReviewPage) -> Vec<ProblemGroupView> {
        let children = page.imp().groups.observe_children();
        let children = children.iter::<glib::Object>().map(|child| child.unwrap());
        children.map(|child| child.downcast().unwrap()).collect()
    }

    #[gtk::test]
    fn what_is_proposed_can_start_at_once() {
        let page = widget::<ReviewPage>();
        page.show_problems(&[
            problem(ProblemKind::FileTooLarge, "/films/film.mkv", Choice::Skip),
            problem(ProblemKind::Link, "/films/link", Choice::Skip),
        ]);
        assert!(page.ready());
        assert_eq!(groups(&page).len(), 2);
        assert_eq!(page.imp().heading.label(), "2 things to decide");
        assert_eq!(
            groups(&page)[0].question(),
            "“film.mkv” is 5.0 GB, but a FAT32 stick holds files up to 4.2 GB. Formatted as exFAT, the stick can take it."
        );
    }

    #[gtk::test]
    fn without_room_something_else_has_to_be_chosen_first() {
        let page = widget::<ReviewPage>();
        let film = problem(ProblemKind::FileTooLarge, "/films/film.mkv", Choice::Skip);
        page.show_problems(&[
            problem(ProblemKind::NotEnoughSpace, "", Choice::Stop),
            film.clone(),
        ]);
        assert!(!page.ready());
        page.choose(film.kind, Some(&film), Choice::Skip);
        assert!(
            page.ready(),
            "whether that helped is found out when asked for"
        );
    }

    #[gtk::test]
    fn the_choice_for_all_takes_its_exceptions_along() {
        let page = widget::<ReviewPage>();
        let [a, b] = ["/m/a", "/m/b"].map(|path| problem(ProblemKind::Link, path, Choice::Stop));
        page.show_problems(&[a.clone(), b.clone()]);
        assert!(!page.ready());
        page.choose(a.kind, Some(&a), Choice::Skip);
        assert!(!page.ready(), "b is not decided");
        page.choose(b.kind, Some(&b), Choice::Skip);
        assert!(page.ready());
        assert_eq!(page.choices().items.len(), 2);
        page.choose(a.kind, None, Choice::Skip);
        assert!(page.choices().items.is_empty());
        page.reset();
        assert_eq!(page.choices(), proposed_choices());
    }
}
