//! Each page and dialog as a person meets it: named for a screen reader, nothing cut off, and,
//! where `STEADY_SCREENS` names a folder, as a picture. All of it in the language that `LANGUAGE`
//! names, where `STEADY_LOCALEDIR` says where the translations are.

mod images;
mod shown;

use std::path::Path;

use adw::prelude::*;
use adw::subclass::prelude::*;
use gtk::graphene;

use super::Window;
use crate::ui::testing::{settle, visible, widget};
use shown::SCREENS;

/// Shows each screen in a window of that size, and closes it again.
fn on_each_screen(width: i32, height: i32, look: impl Fn(&str, &Window)) {
    adw::init().expect("libadwaita should start on a display");
    speak();
    let settings = gtk::Settings::default().expect("a display");
    settings.set_gtk_enable_animations(false);
    let display = gtk::gdk::Display::default().expect("a display");
    gtk::IconTheme::for_display(&display)
        .add_search_path(concat!(env!("CARGO_MANIFEST_DIR"), "/data/icons"));
    for (name, show) in SCREENS.iter().chain(images::SCREENS) {
        let window = widget::<Window>();
        window.set_default_size(width, height);
        window.present();
        // Of a display that can't show shadows: a grey edge, inside of the window's size.
        window.remove_css_class("solid-csd");
        show(&window);
        settle();
        let is_there = || (window.is_mapped() && window.width() > 0).then_some(());
        settle_until(is_there).unwrap_or_else(|| panic!("{name} is not shown"));
        look(name, &window);
        window.imp().job.take();
        window.destroy();
    }
    settings.reset_property("gtk-enable-animations");
}

/// A busy machine takes its time for a frame.
fn settle_until<T>(found: impl Fn() -> Option<T>) -> Option<T> {
    (0..60).find_map(|_| {
        found().or_else(|| {
            settle();
            None
        })
    })
}

/// `xx` is no language: all that is translated stands between ⟦ and ⟧ there.
fn language() -> String {
    std::env::var("LANGUAGE").unwrap_or_default()
}

fn speak() {
    if std::env::var_os("STEADY_LOCALEDIR").is_none() {
        return;
    }
    crate::ui::speak_the_persons_language();
    if language() == "ar" {
        gtk::Widget::set_default_direction(gtk::TextDirection::Rtl);
    }
}

/// Whether all of a text was translated, as whole sentences: what stands outside of ⟦ and ⟧ only
/// joins them, or is a name.
fn is_translated(text: &str) -> bool {
    const NAMES: &[&str] = &[
        "SanDisk Ultra",
        "Kingston",
        "Kingston Rainbow Line",
        images::NAME,
        "boot/console.img",
        "rescue.img",
        "Steady",
        "FAT32",
        "exFAT",
        "a film.mkv",
        "music",
        "films/a film.mkv",
        "Intenso Rainbow Line",
        "Intenso Alu Line",
        "what?.mkv",
        "who?.mkv",
        "films/what?.mkv",
        "films/who?.mkv",
    ];
    let mut depth = 0;
    let outside: String = text
        .chars()
        .filter(|sign| {
            depth += i32::from(*sign == '⟦') - i32::from(*sign == '⟧');
            depth == 0 && *sign != '⟧'
        })
        .collect();
    let mut parts = outside.split(['·', '\n', ',']).map(str::trim);
    parts.all(|part| NAMES.contains(&part) || !part.chars().any(char::is_alphabetic))
}

#[test]
fn what_is_not_translated_is_noticed() {
    for good in [
        "⟦A ⟦b⟧ c⟧",
        "4.2 ⟦GB⟧ · ⟦x⟧",
        "FAT32",
        "⟦a⟧\nIntenso Rainbow Line · 11/18/26, 11:06",
    ] {
        assert!(is_translated(good), "{good}");
    }
    for bad in ["Copy", "⟦a⟧ of ⟦b⟧", "4.2 GB", "⟦a⟧s"] {
        assert!(!is_translated(bad), "{bad}");
    }
}

#[gtk::test]
fn all_that_is_said_is_translated() {
    if language() != "xx" {
        return;
    }
    on_each_screen(620, 680, |name, window| {
        // The toolkit's own words are translated by the toolkit.
        let is_ours = |label: &gtk::Label| {
            label.ancestor(adw::AboutDialog::static_type()).is_none()
                && !(name == "shortcuts" && label.has_css_class("dim-label"))
        };
        for widget in visible(window.upcast_ref()) {
            let Some(label) = widget.downcast_ref::<gtk::Label>() else {
                continue;
            };
            assert!(
                !is_ours(label) || is_translated(&label.text()),
                "{name}: {}",
                label.text()
            );
        }
    });
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
    // So is the list that a row opens.
    let is_opened =
        widget.is::<gtk::ListBox>() && widget.ancestor(adw::ExpanderRow::static_type()).is_some();
    widget.is_focusable() && widget.get_sensitive() && !holds && !is_of_row && !is_opened
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

/// What cannot be narrower, and why: the innermost widgets and their texts.
fn wider_than(limit: i32, within: &gtk::Widget) -> Vec<String> {
    let mut found = Vec::new();
    let mut child = within.first_child();
    while let Some(widget) = child {
        if widget.measure(gtk::Orientation::Horizontal, -1).0 > limit {
            found.extend(wider_than(limit, &widget));
            if found.is_empty() {
                let label = widget.downcast_ref::<gtk::Label>().map(gtk::Label::text);
                found.push(format!("{} {label:?}", widget.type_()));
            }
        }
        child = widget.next_sibling();
    }
    found
}

#[gtk::test]
fn nothing_is_cut_off_with_large_text_in_a_narrow_window() {
    // Texts of no language are longer than any, and large enough as they are.
    let _large = (language() != "xx").then(LargeText::at_200_percent);
    on_each_screen(360, 640, |name, window| {
        let (width, ..) = window.measure(gtk::Orientation::Horizontal, -1);
        assert!(
            width <= 360,
            "{name} needs {width}: {:?}",
            wider_than(330, window.upcast_ref())
        );
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
        if let Some(folder) = std::env::var_os("STEADY_SCREENS") {
            save(
                window,
                &Path::new(&folder).join(format!("{name}-large.png")),
            );
        }
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
    let Some(folder) = std::env::var_os("STEADY_SCREENS") else {
        return;
    };
    let _font = as_people_have_it();
    let style = adw::StyleManager::default();
    for (scheme, tone) in [
        (adw::ColorScheme::ForceLight, "light"),
        (adw::ColorScheme::ForceDark, "dark"),
    ] {
        style.set_color_scheme(scheme);
        for (width, height) in [(360, 640), (1000, 700)] {
            on_each_screen(width, height, |name, window| {
                let name = format!("{name}-{width}-{tone}.png");
                save(window, &Path::new(&folder).join(name));
            });
        }
    }
    style.set_color_scheme(adw::ColorScheme::Default);
}

/// Those that the program's description names.
#[gtk::test]
fn pictures_for_software_centres() {
    const SHOWN: &[&str] = &["sticks", "review", "writing", "done", "check-end"];
    let Some(folder) = std::env::var_os("STEADY_SHOTS") else {
        return;
    };
    let _font = as_people_have_it();
    on_each_screen(620, 680, |name, window| {
        if SHOWN.contains(&name) {
            save(window, &Path::new(&folder).join(format!("{name}.png")));
        }
    });
}

/// The font that the desktop sets, for as long as this is held.
fn as_people_have_it() -> impl Drop {
    struct Font;
    impl Drop for Font {
        fn drop(&mut self) {
            if let Some(settings) = gtk::Settings::default() {
                settings.reset_property("gtk-font-name");
            }
        }
    }
    adw::init().expect("libadwaita should start on a display");
    let settings = gtk::Settings::default().expect("a display");
    settings.set_gtk_font_name(Some("Cantarell 11"));
    Font
}

/// A picture of the window.
fn save(window: &Window, file: &Path) {
    let (width, height) = (f64::from(window.width()), f64::from(window.height()));
    let paintable = gtk::WidgetPaintable::new(Some(window));
    // What was drawn last may be from before the dialog came.
    window.queue_draw();
    settle();
    let node = settle_until(|| {
        let snapshot = gtk::Snapshot::new();
        paintable.snapshot(&snapshot, width, height);
        snapshot.to_node()
    });
    let node = node.expect("a window should draw something");
    let renderer = window.renderer().expect("a window should have a renderer");
    let bounds = graphene::Rect::new(0.0, 0.0, width as f32, height as f32);
    let texture = renderer.render_texture(&node, Some(&bounds));
    texture
        .save_to_png(file)
        .expect("the picture should be saved");
}
