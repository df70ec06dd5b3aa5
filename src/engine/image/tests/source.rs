use std::fs::OpenOptions;
use std::io::{Cursor, Read, Write};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::bytes::mixed;
use super::files::Files;
use super::readers::{Endless, Failing, Silent};
use super::{STREAMS, disks, packers, read_all};
use crate::engine::ErrorKind;
use crate::engine::checksum::{Algorithm, Hasher};
use crate::engine::image::{Container, DecodeError, Decoded, ImageFile, Recognised, Size, look};

/// Generous: the computer may be busy.
const LONG: Duration = Duration::from_mins(1);

fn image(path: &Path) -> ImageFile {
    match look(path, None).unwrap() {
        Recognised::Image(image) => image,
        other => panic!("it is an image, not {other:?}"),
    }
}

#[test]
fn a_source_that_cannot_be_read_is_not_called_damaged() {
    for container in STREAMS {
        let packed = packers::pack(container, &mixed(200_000));
        let half = packed[..packed.len() / 2].to_vec();
        let source = Failing(Cursor::new(half));
        let mut decoded = Decoded::from_reader(source, &[container], Size::AtLeast(0));
        let error = DecodeError::from_io(read_all(&mut decoded).unwrap_err()).unwrap();
        let DecodeError::Source(error) = error else {
            panic!("{container:?}: {error}");
        };
        assert_eq!(error.kind(), ErrorKind::Unreadable);
        assert_eq!(error.cause.raw_os_error(), Some(5));
    }
}

#[test]
fn a_source_that_is_gone_or_no_file_is_told() {
    let files = Files::new();
    let path = files.put("a.img", &disks::mbr(1 << 16));
    let image = image(&path);
    std::fs::remove_file(&path).unwrap();
    let gone = look(&path, None).unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::SourceGone);
    let gone = Decoded::open(&path, &image).unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::SourceGone);
    let folder = look(path.parent().unwrap(), None).unwrap_err();
    assert_eq!(folder.kind(), ErrorKind::Unreadable);
}

#[test]
fn a_file_that_changed_since_it_was_looked_at_is_not_opened() {
    let files = Files::new();
    let path = files.put("a.img", &disks::mbr(1 << 16));
    let image = image(&path);
    files.put("a.img", &disks::mbr(1 << 17));
    let changed = Decoded::open(&path, &image).unwrap_err();
    assert_eq!(changed.kind(), ErrorKind::SourceChanged);
}

#[test]
fn a_file_that_changes_while_it_is_read_is_noticed() {
    let mut disk = mixed(8 << 20);
    disks::add_mbr(&mut disk, 1, 7);
    let packed = packers::pack(Container::Gzip, &disk);
    for bytes in [&disk, &packed, &packers::zip(&[("a.img", &disk)])] {
        let files = Files::new();
        let path = files.put("a", bytes);
        let mut decoded = Decoded::open(&path, &image(&path)).unwrap();
        decoded.read_exact(&mut [0; 1000]).unwrap();
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(&[0; 512]).unwrap();
        drop(file);
        let error = read_all(&mut decoded).unwrap_err();
        let Ok(DecodeError::Source(error)) = DecodeError::from_io(error) else {
            panic!("it has changed");
        };
        assert_eq!(error.kind(), ErrorKind::SourceChanged);
    }
}

#[test]
fn a_failure_stays_one() {
    let packed = packers::pack(Container::Xz, &mixed(5000));
    let cut = Cursor::new(packed[..packed.len() - 1].to_vec());
    let mut decoded = Decoded::from_reader(cut, &[Container::Xz], Size::AtLeast(0));
    assert!(read_all(&mut decoded).is_err());
    assert!(decoded.read(&mut [0; 10]).is_err());
}

#[test]
fn a_size_that_is_not_kept_is_damage() {
    let packed = packers::gzip(&mixed(5000));
    let source = Cursor::new(packed);
    let mut decoded = Decoded::from_reader(source, &[Container::Gzip], Size::Exact(5001));
    let error = read_all(&mut decoded).unwrap_err();
    let error = DecodeError::of(&error).unwrap();
    assert!(matches!(error, DecodeError::Corrupt { decoded: 5000, .. }));
}

#[test]
fn dropping_it_ends_the_thread() {
    // One that waits for its pieces to be taken, and two that find nothing to hand out.
    let frame = packers::zstd(&mixed(100_000));
    for (container, bytes) in [
        (Container::Zstd, frame),
        (Container::Zstd, packers::skippable(1000)),
        (Container::Lz4, packers::skippable(1000)),
    ] {
        let (dropped, ended) = mpsc::channel();
        let source = Endless {
            bytes,
            at: 0,
            dropped,
        };
        let decoded = Decoded::from_reader(source, &[container], Size::AtLeast(0));
        assert!(ended.recv_timeout(Duration::from_millis(100)).is_err());
        drop(decoded);
        ended.recv_timeout(LONG).expect("the thread ends");
    }
}

#[test]
fn a_cancelled_reader_waits_for_no_silent_source() {
    let (hold, silence) = mpsc::channel();
    let mut decoded = Decoded::from_reader(Silent(silence), &[], Size::AtLeast(0));
    let progress = decoded.progress();
    let canceller = thread::spawn(move || progress.cancel());
    let error = read_all(&mut decoded).unwrap_err();
    assert!(matches!(
        DecodeError::of(&error),
        Some(DecodeError::Cancelled)
    ));
    canceller.join().unwrap();
    drop(hold);
}

#[test]
fn the_checksum_of_the_packed_file_comes_on_the_way() {
    let files = Files::new();
    let bytes = disks::mbr(300_000);
    let zip = packers::zip(&[("a.img", &bytes)]);
    for (name, file) in [
        ("a.img.xz", packers::pack(Container::Xz, &bytes)),
        ("a.zip", zip),
    ] {
        let path = files.put(name, &file);
        let image = image(&path);
        let opened = Decoded::open_with_checksum(&path, &image, Algorithm::Sha256);
        let (mut decoded, tap) = opened.unwrap();
        assert_eq!(read_all(&mut decoded).unwrap(), bytes, "{name}");
        let mut hasher = Hasher::new(Algorithm::Sha256);
        hasher.update(&file);
        assert_eq!(tap.finish().unwrap(), hasher.finish(), "{name}");
        assert_eq!(
            decoded.progress().consumed(),
            decoded.progress().packed_size().unwrap()
        );
    }
}
