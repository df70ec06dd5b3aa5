use super::*;
use crate::drives::Refusal;
use crate::ui::testing::{stick, volume, widget};

fn page_with(drives: Vec<Drive>) -> StickPage {
    let page = widget::<StickPage>();
    page.show_drives(Ok(drives));
    page
}

fn rows(page: &StickPage) -> Vec<StickRow> {
    page.imp().rows.borrow().clone()
}

#[gtk::test]
fn without_a_stick_there_is_nothing_to_copy_to() {
    let page = page_with(Vec::new());
    assert!(!page.ready());
    assert_eq!(
        page.imp().stack.visible_child_name().as_deref(),
        Some("none")
    );
    assert_eq!(page.imp().no_stick.title(), "No stick found. Plug one in.");
    page.show_drives(Err(drives::Error::NoUdisks("gone".into())));
    let reason = page.imp().no_stick.description().expect("a reason");
    assert!(reason.contains("UDisks2") && !reason.contains("gone"));
}

#[gtk::test]
fn of_two_sticks_none_is_chosen_until_a_person_does() {
    let twin = |id: &str| Drive {
        distinction: Some(drives::Distinction::Serial(format!("1234{id}"))),
        ..stick(id)
    };
    let page = page_with(vec![twin("a"), twin("b")]);
    assert!(!page.ready());
    let rows = rows(&page);
    // They look alike, so that the serial number has to tell them apart.
    assert!(
        rows[0]
            .subtitle()
            .is_some_and(|text| text.contains("1234a"))
    );
    // Nor may they sound alike: a title that names the button would go before its own label.
    let check = rows[0].activatable_widget().expect("a button");
    let named_by = gtk::AccessibleRelation::LabelledBy;
    assert!(!gtk::test_accessible_has_relation(&check, named_by));
    adw::prelude::ActionRowExt::activate(&rows[1]);
    let choice = page.choice().expect("a choice");
    assert_eq!((choice.drive.id.as_str(), choice.format), ("b", None));
    assert!(page.ready());
}

#[gtk::test]
fn rows_stay_while_other_sticks_come_and_a_pulled_one_is_told() {
    let page = page_with(vec![stick("b")]);
    assert!(page.ready(), "the only stick is chosen");
    let before = rows(&page);
    page.show_drives(Ok(vec![stick("a"), stick("b")]));
    assert_eq!(rows(&page)[1], before[0]);
    assert_eq!(page.choice().expect("a choice").drive.id, "b");

    page.show_drives(Ok(vec![stick("a")]));
    assert!(!page.ready());
    assert!(page.imp().banner.is_revealed());
    assert_eq!(
        page.imp().banner.title(),
        "Intenso Rainbow Line was unplugged."
    );
}

#[gtk::test]
fn why_the_chosen_stick_is_slow_is_told_and_of_no_other() {
    let page = page_with(vec![stick("a"), stick("b")]);
    let told = || {
        let label = &page.imp().slow_because;
        label.get_visible().then(|| label.label().to_string())
    };
    page.take_slow(&stick("a"), &[Slow::Usb1, Slow::NearlyFull]);
    assert_eq!(told(), None, "none is chosen");
    adw::prelude::ActionRowExt::activate(&rows(&page)[0]);
    let text = told().expect("the reasons");
    assert!(text.contains("slowest USB speed") && text.contains("nearly full"));
    adw::prelude::ActionRowExt::activate(&rows(&page)[1]);
    assert_eq!(told(), None);
    adw::prelude::ActionRowExt::activate(&rows(&page)[0]);
    page.take_slow(&stick("a"), &[]);
    assert_eq!(told(), None);
}

#[gtk::test]
fn a_refused_stick_is_shown_with_its_reason() {
    let mut locked = stick("a");
    locked.refusal = Some(Refusal::WriteProtected);
    let mut internal = stick("b");
    internal.refusal = Some(Refusal::NotAStick);
    let page = page_with(vec![locked, internal]);
    let rows = rows(&page);
    assert_eq!(rows.len(), 1);
    assert!(!rows[0].get_sensitive());
    assert!(
        rows[0]
            .subtitle()
            .is_some_and(|text| text.contains("lock switch"))
    );
    assert!(!page.ready());
}

#[gtk::test]
fn a_name_that_does_not_fit_is_told_while_it_is_typed() {
    let page = page_with(vec![stick("a")]);
    let imp = page.imp();
    imp.format.set_active(true);
    assert!(page.ready() && !imp.message.get_visible());
    for name in ["TWELVE SIGNS", "A/B", "MÜSLI"] {
        imp.label.set_text(name);
        assert!(!page.ready(), "{name}");
        assert!(imp.message.get_visible(), "{name}");
    }
    imp.label.set_text("MUSIC");
    assert!(page.ready() && !imp.message.get_visible());
    let format = page.choice().expect("a choice").format;
    assert_eq!(format.expect("a format").label, "MUSIC");
    imp.exfat.set_active(true);
    let format = page.choice().expect("a choice").format;
    let chosen = format.expect("a format").file_system;
    assert_eq!(chosen, FileSystem::ExFat);
    imp.label.set_text("A/B");
    imp.format.set_active(false);
    assert!(page.ready(), "without formatting the name does not matter");
}

#[gtk::test]
fn of_several_parts_the_person_says_which() {
    let mut divided = stick("a");
    divided.volumes = vec![volume("MUSIC"), volume("FILMS")];
    let page = page_with(vec![divided]);
    let imp = page.imp();
    assert!(imp.part.get_visible() && !page.ready());
    imp.part.set_selected(2);
    assert!(page.ready());
    let chosen = page.choice().expect("a choice").volume;
    assert_eq!(chosen, Some("/dev/FILMS".into()));
    imp.part.set_selected(0);
    assert!(!page.ready());
    imp.format.set_active(true);
    assert!(page.ready(), "formatting erases all parts");
    page.show_drives(Ok(vec![stick("b")]));
    assert!(imp.parts.borrow().is_empty());
}

#[gtk::test]
fn a_known_stick_tells_how_long_it_will_take() {
    let page = page_with(vec![stick("a")]);
    let imp = page.imp();
    page.set_amount(Some((2_000_000_000, 3)));
    assert!(!imp.estimate.get_visible(), "nothing is known of it yet");
    let known = r#"{"strategy": "stream", "past": [
        {"bytes": 1000000000, "files": 1, "write_seconds": 100.0, "check_seconds": 50.0}]}"#;
    let known = serde_json::from_str(known).expect("what is known");
    page.take_known(stick("a"), known);
    assert!(imp.estimate.get_visible());
    assert_eq!(
        imp.estimate.label(),
        "Takes about 4–6 minutes on this stick"
    );
    imp.check.set_active(false);
    assert_eq!(
        imp.estimate.label(),
        "Takes about 2–4 minutes on this stick"
    );
    page.show_drives(Ok(vec![stick("b")]));
    assert!(!imp.estimate.get_visible(), "another stick is another's");
}

#[gtk::test]
fn for_an_image_several_sticks_are_ticked_and_each_says_why_not() {
    let mut small = stick("c");
    small.size = 1_000_000_000;
    let page = page_with(vec![stick("a"), stick("b"), small]);
    adw::prelude::ActionRowExt::activate(&rows(&page)[2]);
    let needs = crate::ui::testing::image("debian.img", 1_500_000_000);
    page.set_image(Some(needs));
    assert!(!page.imp().formatting.get_visible() && page.imp().several.get_visible());
    assert_eq!(page.imp().go.label().as_deref(), Some("Continue"));
    assert!(!page.ready(), "the chosen one is too small");
    let told = rows(&page)[2].subtitle().expect("a reason");
    assert!(
        told.contains("needs 1.5 GB, but the stick has only 1.0 GB"),
        "{told}"
    );
    assert!(!rows(&page)[2].get_sensitive());

    let ids = |page: &StickPage| {
        let targets = page.image_targets();
        let ids = targets.map(|targets| targets.drives.into_iter().map(|drive| drive.id));
        ids.map_or_else(Vec::new, Iterator::collect)
    };
    adw::prelude::ActionRowExt::activate(&rows(&page)[1]);
    adw::prelude::ActionRowExt::activate(&rows(&page)[0]);
    assert_eq!(ids(&page), ["b", "a"]);
    assert!(page.ready());
    adw::prelude::ActionRowExt::activate(&rows(&page)[1]);
    assert_eq!(ids(&page), ["a"]);
    page.show_drives(Ok(vec![stick("b")]));
    assert!(!page.ready() && page.imp().banner.is_revealed());

    // For files it is one again, and nothing is chosen for the person.
    page.show_drives(Ok(vec![stick("a"), stick("b")]));
    for row in rows(&page) {
        adw::prelude::ActionRowExt::activate(&row);
    }
    page.set_image(None);
    assert!(page.imp().formatting.get_visible() && !page.ready());
    assert!(page.choice().is_none() && page.image_targets().is_none());
}

#[gtk::test]
fn what_lies_beside_the_image_is_said() {
    let page = page_with(vec![stick("a")]);
    let mut image = crate::ui::testing::image("debian.img", 1 << 20);
    page.set_image(Some(image.clone()));
    assert!(!page.imp().beside.get_visible());
    image.checksum = Some("/images/SHA256SUMS".into());
    page.set_image(Some(image));
    assert_eq!(
        page.imp().beside.label(),
        "The checksum in “SHA256SUMS” is compared while the image is written."
    );
    page.imp().format.set_active(true);
    assert!(page.ready(), "what was chosen for files says nothing here");
}
