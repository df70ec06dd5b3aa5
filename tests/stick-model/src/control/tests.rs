use std::{os::unix::net::UnixListener, sync::Arc};

use super::*;
use crate::{Profile, Stick};

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
        "There is no request \"power-on\". There are: counters, stats, power-off."
    );
}
