//! From an image to its end, on one stick and on several.

use super::*;
use crate::tasks::{ImageLeft, Offer, OfferedImage};
use crate::ui::job::Subject;
use crate::ui::testing::{image, says};

const GIB: u64 = 1 << 30;

fn window_with_image() -> (Window, OfferedImage) {
    let window = widget::<Window>();
    let image = image("debian.img", GIB);
    window.imp().stick.set_image(Some(image.clone()));
    window.go_to("stick");
    (window, image)
}

fn image_job(window: &Window, sticks: &[&str]) -> Job {
    let subject = Subject::Image {
        name: "debian.img".into(),
    };
    let sticks = sticks.iter().map(|&stick| stick.into()).collect();
    let job = Job::of(subject, sticks, true);
    window.show_job(&job);
    job
}

fn written(safe_to_unplug: bool) -> Report {
    Report {
        safe_to_unplug,
        checked: true,
        bytes: GIB,
        bytes_per_second: 15_300_000.0,
        ..Report::default()
    }
}

fn left(left: ImageLeft) -> Report {
    Report {
        image_left: Some(left),
        ..Report::default()
    }
}

#[gtk::test]
fn an_opened_image_is_recognised_and_goes_to_sticks_that_can_be_ticked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("debian.img");
    let mut disk = vec![0; 1 << 20];
    disk[446..458].copy_from_slice(&[0x80, 0, 2, 0, 0x0c, 0, 1, 0, 1, 0, 0, 0]);
    disk[458] = 1;
    disk[510..512].copy_from_slice(&[0x55, 0xaa]);
    std::fs::write(&path, &disk).unwrap();

    let window = widget::<Window>();
    window.add_sources([path.clone()]);
    window.act(Action::Continue);
    // It came to the sticks before the choice was seen: it stays where the choice is.
    wait_until(|| says(&*window.imp().choose, "Write as bootable image"));
    assert_eq!(page(&window), "choose");
    assert!(can(&window, Action::Continue));
    window.act(Action::Continue);
    wait_until(|| page(&window) == "stick");
    window
        .imp()
        .stick
        .show_drives(Ok(vec![stick("a"), stick("b")]));
    assert!(!can(&window, Action::Copy), "of two none is chosen");
    assert!(says(
        &*window.imp().stick,
        "An image can be written to several sticks at once."
    ));

    // A second file with it: both are only copied.
    window.act(Action::Back);
    window.add_sources(["/films/film.mkv".into()]);
    assert!(window.imp().choose.image().is_none());
    window.act(Action::Continue);
    wait_until(|| page(&window) == "stick");
    assert!(window.imp().stick.image_targets().is_none());
}

#[gtk::test]
fn the_window_waits_for_the_password_and_goes_quietly_back_without_it() {
    let (window, _) = window_with_image();
    window.imp().stick.show_drives(Ok(vec![stick("a")]));
    assert!(can(&window, Action::Copy));
    let job = image_job(&window, &["Intenso Rainbow Line"]);
    let mut asking = progress(0, GIB);
    asking.phase = Phase::Asking;
    job.take(Event::Phase(Phase::Preparing));
    job.take(Event::Progress(asking));
    assert_eq!(window.imp().writing.shown().2, "Waiting for the password…");

    let dismissed = Report {
        dismissed: true,
        ..left(ImageLeft::AsBefore)
    };
    job.take(Event::Cancelled(dismissed));
    assert_eq!(page(&window), "stick");
    assert!(can(&window, Action::Copy), "the stick is still chosen");
    assert!(window.imp().stick.image_targets().is_some());
}

#[gtk::test]
fn a_person_who_stops_is_told_what_is_on_the_stick() {
    let (window, _) = window_with_image();
    let job = image_job(&window, &["Intenso Rainbow Line"]);
    window.act(Action::Cancel);
    job.take(Event::Cancelled(left(ImageLeft::Incomplete)));
    assert_eq!(title(&window), "Stopped");
    let end = &*window.imp().end;
    assert!(says(end, "Writing was stopped before the end."));
    assert!(says(
        end,
        "The stick holds only a part of the image and can’t be used like this. Write the image again, or format the stick."
    ));
}

#[gtk::test]
fn one_stick_is_shown_as_for_files_and_ends_with_its_figures() {
    let (window, _) = window_with_image();
    let job = image_job(&window, &["Intenso Rainbow Line"]);
    assert_eq!(title(&window), "Writing to Intenso Rainbow Line");
    job.take(Event::Phase(Phase::Writing));
    job.take(Event::Progress(progress(213_000_000, TOTAL)));
    let (_, amount, phase) = window.imp().writing.shown();
    assert_eq!(
        (amount.as_str(), phase.as_str()),
        ("213 of 429 MB on the stick", "Writing…")
    );
    job.take(Event::Done(written(true)));
    assert_eq!(title(&window), "Safe to unplug");
    let end = &*window.imp().end;
    assert!(says(end, "“debian.img” is on Intenso Rainbow Line."));
    assert!(says(end, "Average speed") && says(end, "15.3 MB/s"));
}

#[gtk::test]
fn each_of_several_sticks_has_its_row_and_its_end() {
    let (window, _) = window_with_image();
    let job = image_job(&window, &["Intenso", "SanDisk", "Kingston"]);
    assert_eq!(title(&window), "Writing to 3 sticks");
    for place in 0..3 {
        job.take_at(place, Event::Phase(Phase::Writing));
        let confirmed = 100_000_000 * (place as u64 + 1);
        job.take_at(place, Event::Progress(progress(confirmed, TOTAL)));
    }
    let rows = window.imp().writing.rows();
    assert_eq!(rows[0].0, "Intenso");
    assert_eq!(rows[1].1, "200 of 429 MB on the stick");
    assert!(rows[0].2 < rows[1].2 && rows[1].2 < rows[2].2, "{rows:?}");

    let failure = Failure::new(Kind::TargetGone, "write: No such device");
    job.take_at(2, Event::Failed(failure, left(ImageLeft::Incomplete)));
    job.take_at(0, Event::Done(written(true)));
    assert_eq!(page(&window), "writing", "one is still being written");
    let rows = window.imp().writing.rows();
    assert_eq!(rows[0].1, "Safe to unplug");
    assert_eq!(rows[2].2, None, "a bar would say that it goes on");
    assert!(can(&window, Action::Cancel));

    job.take_at(1, Event::Done(written(true)));
    assert_eq!(page(&window), "end");
    assert_eq!(title(&window), "2 of 3 sticks are written");
    assert!(says(&*window.imp().end, "Kingston"));
    window.act(Action::TryAgain);
    assert_eq!(page(&window), "stick");
}

#[gtk::test]
fn the_image_pages_fit_a_narrow_window() {
    let (window, _) = window_with_image();
    let fits = |window: &Window| {
        let page = window.imp().navigation.visible_page().expect("a page");
        let (width, ..) = page.measure(gtk::Orientation::Horizontal, -1);
        assert!(width <= 360, "{} needs {width}", page.title());
    };
    let long = "a-very-long-name-without-any-place-to-break-it-at-all-2026.img.xz";
    window
        .imp()
        .stick
        .show_drives(Ok(vec![stick("a"), stick("b")]));
    fits(&window);
    window.imp().erase.ask(long, &[stick("a"), stick("b")], &[]);
    window.go_to("erase");
    fits(&window);
    let job = image_job(&window, &["Intenso Rainbow Line (…12345a)", "SanDisk"]);
    job.take(Event::Progress(progress(213_000_000, TOTAL)));
    fits(&window);
    let failure = Failure::new(Kind::IoError, "");
    job.take(Event::Failed(failure, left(ImageLeft::Incomplete)));
    job.take_at(1, Event::Done(written(true)));
    fits(&window);
    window
        .imp()
        .choose
        .add([PathBuf::from(format!("/images/{long}"))]);
    let offer = Offer::Image(Box::new(image(long, GIB)));
    window.imp().choose.offer(offer);
    window.go_to("choose");
    fits(&window);
}
