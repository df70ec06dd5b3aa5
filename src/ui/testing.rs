//! Made-up sticks and totals, and widgets, for the tests.

use adw::prelude::*;
use gtk::glib;
use gtk::glib::object::IsClass;

use crate::drives::{Drive, Volume};
use crate::tasks::{Offer, OfferedImage, Phase, Progress, offer_image};

/// An offered stick of 2 GB.
pub(super) fn stick(id: &str) -> Drive {
    Drive {
        id: id.into(),
        object: format!("/drives/{id}"),
        block: format!("/block_devices/{id}"),
        device: format!("/dev/{id}").into(),
        vendor: "Intenso".into(),
        model: "Rainbow Line".into(),
        serial: format!("1234{id}"),
        size: 2_000_000_000,
        bus: "usb".into(),
        can_power_off: true,
        ..Drive::default()
    }
}

/// A volume with this name.
pub(super) fn volume(label: &str) -> Volume {
    Volume {
        object: format!("/block_devices/{label}"),
        device: format!("/dev/{label}").into(),
        file_system: "vfat".into(),
        label: label.into(),
        size: 1_990_000_000,
        ..Volume::default()
    }
}

/// An offered image of that many bytes, found in a file of that name.
pub(super) fn image(name: &str, bytes: u64) -> OfferedImage {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    let mut first = [0; 512];
    first[446..454].copy_from_slice(&[0x80, 0, 2, 0, 0x0c, 0, 1, 0]);
    first[454..462].copy_from_slice(&[1, 0, 0, 0, 1, 0, 0, 0]);
    first[510..].copy_from_slice(&[0x55, 0xaa]);
    std::fs::write(&path, first).expect("a file");
    let file = std::fs::OpenOptions::new().write(true).open(&path);
    let grown = file.and_then(|file| file.set_len(bytes));
    grown.expect("a sparse file");
    match offer_image(&path, None) {
        Offer::Image(image) => *image,
        other => panic!("it should be an image: {other:?}"),
    }
}

/// Lets the window work until that holds.
pub(super) fn wait_until(holds: impl Fn() -> bool) {
    let context = glib::MainContext::default();
    let begun = std::time::Instant::now();
    while !holds() {
        assert!(begun.elapsed().as_secs() < 60, "waited in vain");
        if !context.iteration(false) {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }
}

/// Totals while writing one file, `confirmed` of `total` bytes.
pub(super) fn progress(confirmed: u64, total: u64) -> Progress {
    Progress {
        phase: Phase::Writing,
        accepted: confirmed,
        confirmed,
        durable: 0,
        checked: 0,
        kept: 0,
        share: confirmed as f64 / total as f64,
        total: Some(total),
        items_done: 0,
        items_total: 1,
        current: None,
        bytes_per_second: 0.0,
        seconds_left: None,
        slower: false,
        stalled_ms: 0,
    }
}

/// A widget with its template, ready to be looked at.
pub(super) fn widget<W: IsA<glib::Object> + IsClass>() -> W {
    adw::init().expect("libadwaita should start on a display");
    glib::Object::new()
}

/// Lets the window draw itself and everything settle.
pub(super) fn settle() {
    let context = glib::MainContext::default();
    let done = std::rc::Rc::new(std::cell::Cell::new(false));
    let end = std::rc::Rc::clone(&done);
    glib::timeout_add_local_once(std::time::Duration::from_millis(250), move || end.set(true));
    while !done.get() {
        context.iteration(true);
    }
}

/// All widgets that can be seen below this one, itself included.
pub(super) fn visible(widget: &gtk::Widget) -> Vec<gtk::Widget> {
    if !widget.is_mapped() {
        return Vec::new();
    }
    let mut found = vec![widget.clone()];
    let mut child = widget.first_child();
    while let Some(here) = child {
        found.extend(visible(&here));
        child = here.next_sibling();
    }
    found
}

/// Whether a label somewhere inside it says this.
pub(super) fn says(widget: &impl IsA<gtk::Widget>, text: &str) -> bool {
    let widget = widget.as_ref();
    if widget
        .downcast_ref::<gtk::Label>()
        .is_some_and(|label| label.label() == text)
    {
        return true;
    }
    let mut child = widget.first_child();
    while let Some(here) = child {
        if says(&here, text) {
            return true;
        }
        child = here.next_sibling();
    }
    false
}
