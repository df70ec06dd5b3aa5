use std::{os::unix::net::UnixListener, sync::Arc};

use super::*;
use crate::{Operation, Profile, Stick};

fn connected() -> (Control, Arc<Stick>) {
    let medium = tempfile::tempfile().unwrap();
    medium.set_len(1 << 20).unwrap();
    let profile = Profile::parse("volatile:wbps=1e9").unwrap();
    let stick = Arc::new(Stick::plug_in(medium, &profile).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("control");
    let listener = UnixListener::bind(&path).unwrap();
    server::serve(listener, Arc::clone(&stick)).unwrap();
    (Control::connect(path).unwrap(), stick)
}

#[test]
fn figures_arrive_as_they_are() {
    let (mut control, stick) = connected();
    stick.write(&[1; 131_072], 0, false).unwrap();
    let stats = control.stats().unwrap();
    assert_eq!(stats.written, [(0, 131_072)]);
    assert_eq!(stats.counters.in_cache_bytes, 131_072);
    let counters = control.counters().unwrap();
    assert_eq!(counters.bytes_written, 131_072);
    assert!(counters.up_ms >= stats.counters.up_ms);
}

#[test]
fn power_goes_off_over_the_socket() {
    let (mut control, stick) = connected();
    control.power_off().unwrap();
    control.power_off().unwrap();
    assert!(stick.flush().is_err());
    assert!(!control.counters().unwrap().powered);
}

#[test]
fn an_unknown_request_is_refused_with_a_sentence() {
    let (mut control, _stick) = connected();
    let error = control.ask::<Done>("power-on").unwrap_err();
    assert_eq!(
        error.to_string(),
        "There is no request \"power-on\". There are: counters, stats, power-off, fail, hang, slow-flush."
    );
}

#[test]
fn what_befalls_a_stick_is_told_over_the_socket() {
    let (mut control, stick) = connected();
    control.befall(Ailment::Fails(Operation::Write, 2)).unwrap();
    for _ in 0..2 {
        assert!(stick.write(&[1; 512], 0, false).is_err());
    }
    stick.write(&[1; 512], 0, false).unwrap();
    control
        .befall(Ailment::Fails(Operation::Flush, u32::MAX))
        .unwrap();
    for _ in 0..20 {
        assert!(stick.flush().is_err());
    }
    // Nothing was flushed, and reading still works.
    assert_eq!(control.counters().unwrap().in_cache_bytes, 512);
    stick.read(&mut [0; 512], 0).unwrap();
}

#[test]
fn every_ailment_is_read_as_it_is_written() {
    for ailment in [
        Ailment::Fails(Operation::Read, 6),
        Ailment::Fails(Operation::Flush, u32::MAX),
        Ailment::Hangs(Duration::from_secs(5)),
        Ailment::SlowFlushes(Duration::from_millis(3100)),
    ] {
        assert_eq!(ailment.to_string().parse(), Ok(ailment));
    }
    assert!("fail sleep 1".parse::<Ailment>().is_err());
}
