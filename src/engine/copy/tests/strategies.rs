//! Sticks that contradict each other.

use std::time::Duration;

use super::super::{Options, write};
use super::run;
use crate::engine::Meter;
use crate::engine::strategy::Strategy;
use crate::engine::testing::{Call, Model, Pace, Sources};

#[test]
fn a_stick_with_a_backlog_is_fed_in_pulses() {
    let backlog = Pace {
        rate: 17.1e6,
        slow: 4.04e6,
        backlog: 15_000_000,
        flush: Duration::from_millis(5),
    };
    let sources = Sources::new(&[("film", 160 << 20)]);
    let plan = sources.plan();
    let model = Model::with_pace(backlog);
    let written = run(&plan, &model, &Meter::default()).unwrap();
    assert_eq!(written.strategy, Strategy::Pulse);
    let seconds = model.seconds();
    let best = plan.bytes as f64 / 17.1e6;
    assert!(seconds < 1.3 * best, "{seconds} s against {best}");

    let begun_so = Options {
        strategy: Some(Strategy::Pulse),
        ..Options::default()
    };
    let model = Model::with_pace(backlog);
    write(&plan, &model, &begun_so, &Meter::default()).unwrap();
    assert!(
        model.seconds() < 1.1 * best,
        "{} s against {best}",
        model.seconds()
    );
}

#[test]
fn a_stick_with_dear_flushes_is_paused_instead() {
    let pace = Pace {
        rate: 17.1e6,
        slow: 4.04e6,
        backlog: 15_000_000,
        flush: Duration::from_millis(900),
    };
    let sources = Sources::new(&[("film", 100 << 20)]);
    let plan = sources.plan();
    let model = Model::with_pace(pace);
    let options = Options {
        strategy: Some(Strategy::Pulse),
        ..Options::default()
    };
    write(&plan, &model, &options, &Meter::default()).unwrap();
    let flushes = model
        .calls
        .borrow()
        .iter()
        .filter(|c| **c == Call::FlushDevice)
        .count();
    assert_eq!(flushes, 2, "to be sure of it");
}

#[test]
fn an_even_stick_is_written_at_its_rate() {
    let sources = Sources::new(&[("film", 100 << 20)]);
    let plan = sources.plan();
    let model = Model::default();
    let written = run(&plan, &model, &Meter::default()).unwrap();
    assert_eq!(written.strategy, Strategy::Stream);
    let best = plan.bytes as f64 / 17.1e6;
    assert!(
        model.seconds() < 1.03 * best,
        "{} s against {best}",
        model.seconds()
    );
}
