use std::rc::Rc;

use adw::prelude::*;
use adw::subclass::prelude::*;
use gtk::glib;

use super::wording::choice_text;
use crate::tasks::{Choice, Problem, ProblemGroup, Wording, shown};
use crate::ui::combo;
use crate::ui::text::{ngettext_f, tr};

mod imp {
    use super::*;

    #[derive(Debug, Default, gtk::CompositeTemplate)]
    #[template(file = "group.ui")]
    pub(in crate::ui) struct ProblemGroupView {
        /// Wraps, as the title of a group of preferences does not.
        #[template_child]
        pub(super) question: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) choice: TemplateChild<adw::ComboRow>,
        #[template_child]
        pub(super) items: TemplateChild<adw::ExpanderRow>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for ProblemGroupView {
        const NAME: &'static str = "SteadyProblemGroup";
        type Type = super::ProblemGroupView;
        type ParentType = gtk::Box;

        fn class_init(class: &mut Self::Class) {
            class.bind_template();
        }

        fn instance_init(object: &glib::subclass::InitializingObject<Self>) {
            object.init_template();
        }
    }

    impl ObjectImpl for ProblemGroupView {}
    impl WidgetImpl for ProblemGroupView {}
    impl BoxImpl for ProblemGroupView {}
}

glib::wrapper! {
    /// One question: what is the matter, what shall be done, and which files it is about.
    pub(in crate::ui) struct ProblemGroupView(ObjectSubclass<imp::ProblemGroupView>)
        @extends gtk::Box, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget, gtk::Orientable;
}

/// More rows than anybody reads would only make the page slow.
const SHOWN: usize = 100;

/// What was chosen: for one problem, or for the whole group.
pub(super) type Chosen = Rc<dyn Fn(Option<&Problem>, Choice)>;

impl ProblemGroupView {
    /// Shows the group; `chosen` is called with each choice that a person makes.
    pub(super) fn new(group: &ProblemGroup, chosen: &Chosen) -> Self {
        let view: Self = glib::Object::new();
        let imp = view.imp();
        imp.question.set_label(&tr(&Wording::of_group(group)));
        imp.choice.set_visible(!group.choices.is_empty());
        // One problem is told by the question already.
        imp.items.set_visible(group.problems.len() > 1);
        let items = ngettext_f(
            "Show {count} item",
            "Show {count} items",
            group.problems.len() as u64,
            &[],
        );
        imp.items.set_title(&items);
        // The title names the row inside, which opens it, and not the one around both.
        let row: &gtk::Widget = imp.items.upcast_ref();
        row.update_property(&[gtk::accessible::Property::Label(&items)]);
        let mut exceptions = Vec::new();
        for problem in group.problems.iter().take(SHOWN) {
            if group.choices.len() < 2 {
                let row = adw::ActionRow::new();
                show_item(&row, problem);
                imp.items.add_row(&row);
                continue;
            }
            let row = adw::ComboRow::new();
            show_item(&row, problem);
            let (chosen, about) = (Rc::clone(chosen), problem.clone());
            let offered = offer(&row, group, problem.chosen, move |choice| {
                chosen(Some(&about), choice);
            });
            imp.items.add_row(&row);
            exceptions.push((row, offered));
        }
        let hidden = group.problems.len().saturating_sub(SHOWN) as u64;
        if hidden > 0 {
            let more = ngettext_f("and {count} more", "and {count} more", hidden, &[]);
            imp.items
                .add_row(&adw::ActionRow::builder().title(more).build());
        }
        let chosen = Rc::clone(chosen);
        offer(&imp.choice, group, group.chosen, move |choice| {
            chosen(None, choice);
            for (row, offered) in &exceptions {
                select(row, offered, choice);
            }
        });
        view
    }
}

#[cfg(test)]
impl ProblemGroupView {
    /// What is asked.
    pub(super) fn question(&self) -> String {
        self.imp().question.label().into()
    }
}

fn show_item(row: &impl IsA<adw::ActionRow>, problem: &Problem) {
    let row: &adw::ActionRow = row.upcast_ref();
    let name = problem.path.file_name().unwrap_or(problem.path.as_os_str());
    row.set_use_markup(false);
    row.set_title(&shown(&name.to_string_lossy()));
    row.set_subtitle(&shown(&problem.path.to_string_lossy()));
    row.set_subtitle_lines(2);
}

/// Fills a row with the group's choices and gives them back. Where nothing is chosen yet, the row
/// says so first.
fn offer(
    row: &adw::ComboRow,
    group: &ProblemGroup,
    chosen: Choice,
    on_chosen: impl Fn(Choice) + 'static,
) -> Vec<Choice> {
    let mut choices = group.choices.clone();
    if !choices.contains(&chosen) {
        choices.insert(0, Choice::Stop);
    }
    let texts = choices
        .iter()
        .map(|choice| choice_text(*choice, group.kind));
    combo::offer(row, &texts.collect());
    select(row, &choices, chosen);
    let offered = choices.clone();
    row.connect_selected_notify(move |row| {
        if let Some(choice) = choices.get(row.selected() as usize) {
            on_chosen(*choice);
        }
    });
    offered
}

fn select(row: &adw::ComboRow, offered: &[Choice], choice: Choice) {
    if let Some(place) = offered.iter().position(|offered| *offered == choice) {
        row.set_selected(place as u32);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::tasks::ProblemKind;
    use crate::ui::testing::{says, widget};

    fn group(count: usize, choices: &'static [Choice]) -> ProblemGroup {
        let problem = |number| Problem {
            kind: ProblemKind::Link,
            path: format!("/m/{number}").into(),
            size: None,
            limit: None,
            detail: None,
            choices,
            chosen: Choice::Skip,
        };
        ProblemGroup {
            kind: ProblemKind::Link,
            choices: choices.to_vec(),
            chosen: Choice::Skip,
            problems: (0..count).map(problem).collect(),
        }
    }

    fn view(group: &ProblemGroup) -> (ProblemGroupView, Rc<RefCell<Vec<String>>>) {
        drop(widget::<gtk::Box>());
        let told = Rc::<RefCell<Vec<_>>>::default();
        let chosen: Chosen = Rc::new({
            let told = Rc::clone(&told);
            move |problem: Option<&Problem>, choice| {
                let about = problem.map_or("all".into(), |p| p.path.display().to_string());
                told.borrow_mut().push(format!("{about}: {choice:?}"));
            }
        });
        (ProblemGroupView::new(group, &chosen), told)
    }

    #[gtk::test]
    fn a_long_list_is_cut_and_says_so() {
        let (view, _) = view(&group(SHOWN + 3, &[Choice::Skip]));
        assert_eq!(view.imp().items.title(), "Show 103 items");
        assert!(says(&view, "/m/99") && !says(&view, "/m/100"));
        assert!(says(&view, "and 3 more"));
    }

    #[gtk::test]
    fn the_question_answers_for_all_and_a_row_for_itself() {
        let (view, told) = view(&group(2, &[Choice::Skip, Choice::Rename]));
        view.imp().choice.set_selected(1);
        assert_eq!(told.take(), ["all: Rename", "/m/0: Rename", "/m/1: Rename"]);
    }

    #[gtk::test]
    fn where_nothing_is_chosen_it_says_so() {
        let mut open = group(1, &[Choice::Rename]);
        open.chosen = Choice::Stop;
        let (view, _) = view(&open);
        let shown = view.imp().choice.selected_item().and_downcast();
        let shown = shown.map(|shown: gtk::StringObject| shown.string());
        assert_eq!(shown.as_deref(), Some("Not decided yet"));
        assert!(
            !view.imp().items.get_visible(),
            "the question tells the one"
        );
    }
}
