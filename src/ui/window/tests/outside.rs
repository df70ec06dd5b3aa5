//! Names that somebody plays with: each is read as it is, and does nothing.

use adw::prelude::*;

use super::*;
use crate::tasks::stick_name;
use crate::ui::testing::volume;

/// Markup, an unknown entity, a terminal's command, and letters turned around.
const NASTY: &str = "<b>&x; \u{1b}[2J\u{202e}gpj";
/// What there is to see of it.
const SEEN: &str = "<b>&x; �[2J�gpj";

fn texts(widget: &gtk::Widget, found: &mut Vec<String>) {
    if let Some(label) = widget.downcast_ref::<gtk::Label>() {
        found.push(label.text().into());
    }
    let mut child = widget.first_child();
    while let Some(here) = child {
        texts(&here, found);
        child = here.next_sibling();
    }
}

/// How many labels show the name.
fn seen(window: &Window) -> usize {
    let page = window.imp().navigation.visible_page().expect("a page");
    let mut found = Vec::new();
    texts(page.upcast_ref(), &mut found);
    for text in &found {
        let odd = |sign: char| sign == '\u{202e}' || (sign.is_control() && sign != '\n');
        assert!(!text.contains(odd), "{text:?}");
    }
    found.iter().filter(|text| text.contains(SEEN)).count()
}

#[gtk::test]
fn names_of_files_and_sticks_are_never_markup() {
    let window = widget::<Window>();
    window.add_sources([format!("/films/{NASTY}").into()]);
    assert!(seen(&window) > 0, "chosen");

    window.act(Action::Continue);
    wait_until(|| page(&window) == "stick");
    let mut drive = stick("a");
    drive.vendor = String::new();
    drive.model = NASTY.to_owned() + &"x".repeat(10_000);
    drive.volumes = vec![volume(NASTY)];
    window.imp().stick.show_drives(Ok(vec![drive.clone()]));
    assert!(seen(&window) > 1, "a stick and its label");

    let job = Job::new(&stick_name(&drive), true);
    window.show_job(&job);
    job.take(Event::Phase(Phase::Writing));
    let mut totals = progress(5, TOTAL);
    totals.current = Some(NASTY.into());
    job.take(Event::Progress(totals));
    assert!(seen(&window) > 0, "the file being written");
    assert!(title(&window).starts_with("Writing to <b>&x;"));

    let mut left = report(true);
    left.failed_items = vec![Failure {
        path: Some(NASTY.into()),
        ..Failure::new(Kind::Unreadable, NASTY)
    }];
    job.take(Event::Done(left));
    assert_eq!(page(&window), "end");
    assert!(seen(&window) > 0, "what could not be copied");
    assert!(!window.imp().end.details().contains('\u{1b}'));
}
