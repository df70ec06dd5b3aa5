//! Each page and dialog as a person meets it: named for a screen reader, nothing cut off, and,
//! where `STEADY_SCREENS` names a folder, as a picture.

mod images;

use std::path::Path;

use adw::prelude::*;
use adw::subclass::prelude::*;
use gtk::graphene;

use super::Window;
use crate::tasks::{
    CheckFound, Cliff, Did, Ended, Event, Failure, Kind, OnStick, Phase, Receipt, Report,
    SpeedCurve,
};
use crate::ui::action::Action;
use crate::ui::help::{Topic, help_dialog, topic_page};
use crate::ui::history::HistoryDialog;
use crate::ui::job::CopyJob;
use crate::ui::testing::{progress, settle, stick, visible, volume, widget};

const TOTAL: u64 = 4_292_658_240;

/// Its name, and how a new window comes to show it.
type Screen = (&'static str, fn(&Window));

/// All of them.
const SCREENS: &[Screen] = &[
    ("choose", |_| {}),
    ("chosen", |window| add(window)),
    ("no-stick", |window| {
        add(window);
        window.act(Action::Continue);
    }),
    ("sticks", |window| {
        add(window);
        window.act(Action::Continue);
        show_sticks(window);
    }),
    ("writing", |window| {
        show_writing(window);
    }),
    ("done", |window| {
        let job = show_writing(window);
        job.take(Event::Done(report()));
    }),
    ("failed", |window| {
        let job = show_writing(window);
        let mut left = report();
        left.safe_to_unplug = false;
        left.on_stick.missing = vec!["b".into()];
        job.take(Event::Failed(Failure::new(Kind::TargetGone, "EIO"), left));
    }),
    ("format", |window| {
        show_sticks(window);
        window.act(Action::FormatStick);
    }),
    ("check", |window| {
        show_sticks(window);
        window.act(Action::CheckStick);
    }),
    ("checking", |window| {
        window.act(Action::CheckStick);
        let job = CopyJob::new("Intenso Rainbow Line", true);
        window.imp().check.show_job(&job);
        job.take(Event::Phase(Phase::Checking));
        let mut totals = progress(TOTAL, TOTAL);
        totals.phase = Phase::Checking;
        totals.checked = TOTAL / 3;
        totals.bytes_per_second = 24e6;
        job.take(Event::Progress(totals));
    }),
    ("check-end", |window| {
        window.act(Action::CheckStick);
        let job = CopyJob::new("Intenso Rainbow Line", true);
        window.imp().check.show_job(&job);
        job.take(Event::Done(found()));
    }),
    ("formatting", |window| {
        window.act(Action::FormatStick);
        window
            .imp()
            .format
            .show_job(&CopyJob::new("Intenso Rainbow Line", false));
    }),
    ("formatted", |window| {
        window.act(Action::FormatStick);
        let job = CopyJob::new("Intenso Rainbow Line", false);
        window.imp().format.show_job(&job);
        job.take(Event::Done(report()));
    }),
    ("history", |window| {
        let dialog = widget::<HistoryDialog>();
        dialog.show_receipts(&receipts());
        dialog.present(Some(window));
    }),
    ("no-history", |window| {
        widget::<HistoryDialog>().present(Some(window));
    }),
    ("preferences", |window| window.act(Action::Preferences)),
    ("shortcuts", |window| window.act(Action::Shortcuts)),
    ("help", |window| window.act(Action::Help)),
    ("help-topic", |window| {
        let dialog = help_dialog();
        let pages = dialog.child().and_downcast::<adw::NavigationView>();
        pages.expect("pages").push(&topic_page(Topic::Slow));
        dialog.present(Some(window));
    }),
    ("about", |window| window.act(Action::About)),
];

fn add(window: &Window) {
    window.add_sources(["/films/a film.mkv".into(), "/music".into()]);
}

fn show_sticks(window: &Window) {
    let mut locked = stick("c");
    locked.refusal = Some(crate::drives::Refusal::WriteProtected);
    let mut full = stick("a");
    full.volumes = vec![volume("MUSIC")];
    window.show_drives(Ok(vec![full, stick("b"), locked]));
}

fn show_writing(window: &Window) -> CopyJob {
    add(window);
    let job = CopyJob::new("Intenso Rainbow Line", true);
    window.show_job(&job);
    job.take(Event::Phase(Phase::Writing));
    let mut totals = progress(2_130_000_000, TOTAL);
    totals.bytes_per_second = 4.28e6;
    totals.seconds_left = Some([250.0, 350.0]);
    totals.current = Some("films/a film.mkv".into());
    job.take(Event::Progress(totals));
    window.imp().writing.graph().show_curve(cliff());
    job
}

fn cliff() -> crate::ui::graph::Curve {
    let point = |at: u64| crate::ui::graph::Point {
        from: at * 50_000_000,
        to: (at + 1) * 50_000_000,
        rate: if at < 24 { 17.2e6 } else { 4.1e6 } * [1.0, 0.95, 1.03, 0.9][at as usize % 4],
    };
    crate::ui::graph::Curve::new((0..42).map(point).collect(), TOTAL)
}

fn report() -> Report {
    Report {
        safe_to_unplug: true,
        checked: true,
        bytes: TOTAL,
        bytes_per_second: 4.28e6,
        on_stick: OnStick {
            complete: vec!["film.mkv".into()],
            ..OnStick::default()
        },
        ..Report::default()
    }
}

fn found() -> Report {
    let rate = |at: u64| if at < 40 { 17e6 } else { 4e6 };
    let points = (0..128).map(|at| (at * TOTAL / 128, rate(at)));
    let found = CheckFound {
        claimed: TOTAL,
        real: Some(TOTAL),
        compared: TOTAL,
        write_curve: SpeedCurve {
            points: points.collect(),
        },
        read_curve: SpeedCurve {
            points: vec![(0, 24e6)],
        },
        cliff: Some(Cliff {
            at: 40 * TOTAL / 128,
            before: 17e6,
            after: 4e6,
        }),
        ..CheckFound::default()
    };
    Report {
        found: Some(found),
        ..report()
    }
}

fn receipts() -> Vec<Receipt> {
    let receipt = |did, ended, files| Receipt {
        ended_at: 1_795_000_000,
        did,
        stick: "Intenso Rainbow Line".into(),
        what: "A film with a long name that goes on and on.mkv".into(),
        files,
        bytes: TOTAL,
        bytes_per_second: 4.28e6,
        checked: ended == Ended::Done,
        ended,
    };
    vec![
        receipt(Did::Copied, Ended::Done, 3),
        receipt(Did::Imaged, Ended::Stopped, 0),
        receipt(Did::Formatted, Ended::Done, 0),
        receipt(Did::Copied, Ended::InPart, 1),
        receipt(Did::CheckedStick, Ended::Failed, 0),
    ]
}

/// Shows each screen in a window of that size, and closes it again.
fn on_each_screen(width: i32, height: i32, look: impl Fn(&str, &Window)) {
    adw::init().expect("libadwaita should start on a display");
    let settings = gtk::Settings::default().expect("a display");
    settings.set_gtk_enable_animations(false);
    for (name, show) in SCREENS.iter().chain(images::SCREENS) {
        let window = widget::<Window>();
        window.set_default_size(width, height);
        window.present();
        show(&window);
        settle();
        look(name, &window);
        window.imp().job.take();
        window.destroy();
    }
    settings.reset_property("gtk-enable-animations");
}

/// What GTK has for a screen reader to say; the rules are those of ARIA.
fn has_name(widget: &gtk::Widget) -> bool {
    let accessible = widget.upcast_ref::<gtk::Accessible>();
    let label = gtk::test_accessible_has_property(accessible, gtk::AccessibleProperty::Label);
    let by = gtk::test_accessible_has_relation(accessible, gtk::AccessibleRelation::LabelledBy);
    let tooltip = widget.tooltip_text().is_some_and(|text| !text.is_empty());
    label || by || tooltip || names_itself(widget)
}

/// Buttons, rows and texts are called what they say.
fn names_itself(widget: &gtk::Widget) -> bool {
    let by_content = matches!(
        widget.accessible_role(),
        gtk::AccessibleRole::Button
            | gtk::AccessibleRole::ToggleButton
            | gtk::AccessibleRole::Checkbox
            | gtk::AccessibleRole::Radio
            | gtk::AccessibleRole::Label
            | gtk::AccessibleRole::Link
            | gtk::AccessibleRole::ListItem
            | gtk::AccessibleRole::MenuItem
            | gtk::AccessibleRole::Tab
    );
    by_content && visible(widget).iter().any(says_something)
}

fn says_something(widget: &gtk::Widget) -> bool {
    let label = widget.downcast_ref::<gtk::Label>();
    label.is_some_and(|label| !label.text().is_empty())
}

fn is_control(widget: &gtk::Widget) -> bool {
    // What only holds others passes the focus on to them.
    let holds = widget.is::<gtk::ScrolledWindow>()
        || widget.is::<gtk::Viewport>()
        || widget.is::<gtk::Window>()
        || widget.is::<adw::Dialog>()
        || widget.is::<gtk::Stack>()
        || widget.type_().name() == "AdwGizmo";
    // What a row shows of its choice is part of the row.
    let is_of_row =
        widget.ancestor(adw::ComboRow::static_type()).is_some() && !widget.is::<adw::ComboRow>();
    widget.is_focusable() && widget.get_sensitive() && !holds && !is_of_row
}

fn is_image(widget: &gtk::Widget) -> bool {
    widget.accessible_role() == gtk::AccessibleRole::Img
}

#[gtk::test]
fn every_control_and_every_image_has_a_name() {
    on_each_screen(620, 680, |name, window| {
        for widget in visible(window.upcast_ref()) {
            if is_control(&widget) || is_image(&widget) {
                let inside = widget.parent().map(|parent| parent.type_().name());
                let kind = widget.type_().name();
                assert!(
                    has_name(&widget),
                    "{name}: a {kind} in {inside:?} has no name"
                );
            }
        }
    });
}

#[gtk::test]
fn nothing_is_cut_off_with_large_text_in_a_narrow_window() {
    let _large = LargeText::at_200_percent();
    on_each_screen(360, 640, |name, window| {
        let (width, ..) = window.measure(gtk::Orientation::Horizontal, -1);
        assert!(width <= 360, "{name} needs {width}");
        for widget in visible(window.upcast_ref()) {
            let Some(label) = widget.downcast_ref::<gtk::Label>() else {
                continue;
            };
            // Names of files are cut in the middle on purpose; titles of bars are told below.
            let may_be_cut = label.text().contains(".mkv")
                || label.text().contains(".iso")
                || label.has_css_class("title");
            let text = label.text();
            assert!(
                may_be_cut || !label.layout().is_ellipsized(),
                "{name}: {text}"
            );
        }
        save(window, &format!("{name}-large"));
    });
}

/// Text is as usual again when it is dropped, however the test ends.
struct LargeText(i32);

impl LargeText {
    fn at_200_percent() -> Self {
        adw::init().expect("libadwaita should start on a display");
        let settings = gtk::Settings::default().expect("a display");
        let usual = Self(settings.gtk_xft_dpi());
        settings.set_gtk_xft_dpi(2 * 96 * 1024);
        usual
    }
}

impl Drop for LargeText {
    fn drop(&mut self) {
        if let Some(settings) = gtk::Settings::default() {
            settings.set_gtk_xft_dpi(self.0);
        }
    }
}

#[gtk::test]
fn pictures_of_every_screen() {
    adw::init().expect("libadwaita should start on a display");
    if std::env::var_os("STEADY_SCREENS").is_none() {
        return;
    }
    let style = adw::StyleManager::default();
    for (scheme, tone) in [
        (adw::ColorScheme::ForceLight, "light"),
        (adw::ColorScheme::ForceDark, "dark"),
    ] {
        style.set_color_scheme(scheme);
        for (width, height) in [(360, 640), (1000, 700)] {
            on_each_screen(width, height, |name, window| {
                save(window, &format!("{name}-{width}-{tone}"));
            });
        }
    }
    style.set_color_scheme(adw::ColorScheme::Default);
}

/// A picture of the window, where pictures are wanted.
fn save(window: &Window, name: &str) {
    let Some(folder) = std::env::var_os("STEADY_SCREENS") else {
        return;
    };
    let file = Path::new(&folder).join(format!("{name}.png"));
    let (width, height) = (f64::from(window.width()), f64::from(window.height()));
    let snapshot = gtk::Snapshot::new();
    gtk::WidgetPaintable::new(Some(window)).snapshot(&snapshot, width, height);
    let node = snapshot.to_node().expect("a window should draw something");
    let renderer = window.renderer().expect("a window should have a renderer");
    let bounds = graphene::Rect::new(0.0, 0.0, width as f32, height as f32);
    let texture = renderer.render_texture(&node, Some(&bounds));
    texture
        .save_to_png(file)
        .expect("the picture should be saved");
}
