use std::cell::Cell;

use adw::prelude::*;
use adw::subclass::prelude::*;
use gtk::glib;

use super::text::{ngettext_f, tr};
use crate::tasks::{Choice, Problem, Wording};

#[expect(unreachable_pub, reason = "the accessors come from the derive")]
mod imp {
    use super::*;

    #[derive(Debug, Default, gtk::CompositeTemplate, glib::Properties)]
    #[template(file = "review.ui")]
    #[properties(wrapper_type = super::ReviewPage)]
    pub(in crate::ui) struct ReviewPage {
        /// Whether all that will not work can be left out.
        #[property(get)]
        pub(super) ready: Cell<bool>,
        #[template_child]
        pub(super) heading: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) list: TemplateChild<gtk::ListBox>,
        #[template_child]
        pub(super) more: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) leave_out: TemplateChild<gtk::Button>,
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
    /// The page before the first byte, shown only when something will not work.
    pub(super) struct ReviewPage(ObjectSubclass<imp::ReviewPage>)
        @extends adw::NavigationPage, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

/// More rows than anybody reads would only make the page slow.
const SHOWN: usize = 200;

impl ReviewPage {
    /// Lists the problems; going on without their files is offered where each allows it.
    pub(super) fn show_problems(&self, problems: &[Problem]) {
        let imp = self.imp();
        imp.list.remove_all();
        for problem in problems.iter().take(SHOWN) {
            imp.list.append(&row(problem));
        }
        let hidden = problems.len().saturating_sub(SHOWN) as u64;
        imp.more.set_visible(hidden > 0);
        imp.more.set_label(&ngettext_f(
            "and {count} more",
            "and {count} more",
            hidden,
            &[],
        ));
        imp.heading.set_label(&ngettext_f(
            "{count} thing will not work",
            "{count} things will not work",
            problems.len() as u64,
            &[],
        ));
        let ready = problems
            .iter()
            .all(|problem| problem.choices.contains(&Choice::Skip));
        imp.leave_out.set_visible(ready);
        if imp.ready.replace(ready) != ready {
            self.notify_ready();
        }
    }
}

fn row(problem: &Problem) -> adw::ActionRow {
    adw::ActionRow::builder()
        .use_markup(false)
        .title(tr(&Wording::of_problem(problem)))
        .subtitle(problem.path.to_string_lossy())
        .subtitle_lines(2)
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::plan::ProblemKind;
    use crate::ui::testing::widget;

    fn problem(kind: ProblemKind) -> Problem {
        Problem {
            kind,
            path: "/films/film.mkv".into(),
            size: Some(5_000_000_000),
            limit: Some(4_294_967_295),
            choices: kind.choices(),
            chosen: Choice::Stop,
        }
    }

    #[gtk::test]
    fn leaving_out_is_offered_only_where_it_helps() {
        let page = widget::<ReviewPage>();
        page.show_problems(&[problem(ProblemKind::FileTooLarge)]);
        assert!(page.ready() && page.imp().leave_out.get_visible());
        assert_eq!(page.imp().heading.label(), "1 thing will not work");

        page.show_problems(&[
            problem(ProblemKind::FileTooLarge),
            problem(ProblemKind::NotEnoughSpace),
        ]);
        assert!(!page.ready() && !page.imp().leave_out.get_visible());
    }

    #[gtk::test]
    fn a_long_list_is_cut_and_says_so() {
        let page = widget::<ReviewPage>();
        page.show_problems(&vec![problem(ProblemKind::FileTooLarge); SHOWN + 3]);
        let rows = page.imp().list.observe_children();
        assert_eq!(rows.n_items() as usize, SHOWN);
        assert!(page.imp().more.get_visible());
        assert_eq!(page.imp().more.label(), "and 3 more");
    }
}
