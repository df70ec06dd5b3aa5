//! Addresses of files, as other programs drop or paste them.

use gtk::{gdk, gio};

use super::*;
use crate::ui::testing::says;

/// Lets the toolkit read them.
fn read(addresses: &'static str) -> gdk::FileList {
    let stream =
        gio::MemoryInputStream::from_bytes(&glib::Bytes::from_static(addresses.as_bytes()));
    let files = gdk::FileList::static_type();
    let list =
        gdk::content_deserialize_future(&stream, "text/uri-list", files, glib::Priority::DEFAULT);
    let list = glib::MainContext::default().block_on(list).expect("a list");
    list.get().expect("files")
}

#[gtk::test]
fn x06_dropped_addresses_are_files_or_told_as_being_elsewhere() {
    const ELSEWHERE: &str = "Only files on this computer can be copied";
    let window = widget::<Window>();
    let list =
        read("# songs\r\nfile:///music/a%20song.ogg\r\nfile://localhost/music/100%25.ogg\r\n");
    window.add_files(&list.files());
    for name in ["a song.ogg", "100%.ogg"] {
        assert!(says(&window, name), "{name}");
    }
    assert!(!says(&window, ELSEWHERE));

    let list = read("smb://server/films/film.mkv\r\nfile:///music/last.ogg\r\n");
    window.add_files(&list.files());
    assert!(says(&window, "last.ogg"));
    assert!(!says(&window, "film.mkv"));
    assert!(says(&window, ELSEWHERE));
}
