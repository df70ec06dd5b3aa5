use std::time::Duration;

use super::*;
use crate::engine::copy::StopReason;
use crate::engine::speed_curve::cliff;
use crate::engine::testing::{Call, Fault, Model, Pace};
use crate::engine::{ErrorKind, Meter};

use rustix::io::Errno;

const MIB: u64 = 1 << 20;

fn is_clean(model: &Model) -> bool {
    !model.folders().contains(Path::new(FOLDER)) && model.content().len() == 1
}

/// A stick with a file on it.
fn model() -> Model {
    let model = Model::default();
    model.put("film", b"of somebody");
    model
}

#[test]
fn free_space_is_filled_compared_and_free_again() {
    let (model, meter) = (model(), Meter::default());
    // Left by a check whose stick was pulled.
    model.make_folder(Path::new(FOLDER)).unwrap();
    model.put(".steady-check/7.check", b"old");
    let filled = fill(&model, 20 * MIB + 5, &meter).unwrap();
    assert_eq!(filled.bytes, 20 * MIB);
    assert_eq!(model.content().len(), 2, "{:?}", model.content().keys());
    let read = read_back(&filled, &model, &meter).unwrap();
    assert_eq!(read.misread, None);
    assert!(read.past_cache);
    let totals = meter.totals();
    assert_eq!((totals.durable, totals.checked), (20 * MIB, 20 * MIB));
    assert!((filled.curve.typical() / 17.1e6 - 1.0).abs() < 0.1);
    assert!(clean_up(&model).unwrap());
    assert!(is_clean(&model));
    assert!(!clean_up(&model).unwrap(), "nothing is there any more");
}

#[test]
fn a_stick_that_is_full_earlier_is_read_as_far_as_it_went() {
    let model = model();
    let writes = |model: &Model| {
        let calls = model.calls.borrow();
        calls.iter().position(|call| *call == Call::Write)
    };
    fill(&model, 8 * MIB, &Meter::default()).unwrap();
    let first = writes(&model).expect("it wrote");
    let model = self::model();
    model.fault.set(Some(Fault {
        at: first,
        errno: Errno::NOSPC,
        for_good: false,
    }));
    let meter = Meter::default();
    let filled = fill(&model, 8 * MIB, &meter).unwrap();
    assert_eq!(filled.bytes, 0);
    assert_eq!(read_back(&filled, &model, &meter).unwrap().misread, None);
    clean_up(&model).unwrap();
    assert!(is_clean(&model));
}

#[test]
fn a_changed_byte_is_found_where_it_is() {
    let (model, meter) = (model(), Meter::default());
    let filled = fill(&model, 4 * MIB, &meter).unwrap();
    model.corrupt(&name(0), 3 * MIB as usize + 600);
    let read = read_back(&filled, &model, &meter).unwrap();
    let misread = read.misread.expect("one");
    assert_eq!(misread.offset, 3 * MIB + 512);
    assert!(!misread.is_of_other_place);
}

#[test]
fn whatever_fails_and_whenever_it_is_cancelled_nothing_stays() {
    let whole = model();
    fill(&whole, 4 * MIB, &Meter::default()).unwrap();
    for at in 0..whole.calls.borrow().len() {
        let model = model();
        model.fault.set(Some(Fault {
            at,
            errno: Errno::IO,
            for_good: false,
        }));
        match fill(&model, 4 * MIB, &Meter::default()) {
            Ok(_) => {}
            Err(StopReason::Target(error)) => assert_eq!(error.kind(), ErrorKind::IoError),
            Err(other) => panic!("{other:?}"),
        }
        model.fault.set(None);
        clean_up(&model).unwrap();
        assert!(is_clean(&model), "at call {at}");
    }
    let (model, meter) = (model(), Meter::default());
    meter.cancel();
    let result = fill(&model, 4 * MIB, &meter);
    assert!(matches!(result, Err(StopReason::Cancelled)));
    clean_up(&model).unwrap();
    assert!(is_clean(&model));
}

#[test]
fn what_somebody_else_has_put_into_the_folder_stays() {
    let model = model();
    model.make_folder(Path::new(FOLDER)).unwrap();
    model.put(".steady-check/notes.check", b"mine");
    fill(&model, MIB, &Meter::default()).unwrap();
    assert!(clean_up(&model).unwrap());
    assert!(
        model
            .content()
            .contains_key(Path::new(".steady-check/notes.check"))
    );
}

#[test]
fn the_place_where_a_stick_gets_slow_is_told() {
    let model = Model::with_pace(Pace {
        rate: 32e6,
        slow: 12e6,
        backlog: 24 * MIB,
        flush: Duration::from_millis(5),
    });
    let filled = fill(&model, 64 * MIB, &Meter::default()).unwrap();
    let cliff = cliff(&filled.curve).expect("one");
    assert!(cliff.at.abs_diff(24 * MIB) <= 24 * MIB / 10, "{cliff:?}");
}
