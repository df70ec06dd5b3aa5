//! What a busy job costs the window's thread.

use std::cell::Cell;
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

use adw::prelude::*;
use adw::subclass::prelude::*;
use gtk::glib;
use rustix::time::{ClockId, clock_gettime};

use super::Window;
use crate::tasks::{Event, Phase};
use crate::ui::job::Job;
use crate::ui::testing::{progress, settle, widget};

/// Of the thread that asks.
fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[gtk::test]
fn twenty_events_a_second_change_the_label_five_times() {
    const SECONDS: u64 = 4;
    const TOTAL: u64 = 4_000_000_000;
    let window = widget::<Window>();
    window.present();
    let job = Job::new("Intenso Rainbow Line", true);
    window.show_job(&job);
    settle();

    let changes = Rc::new(Cell::new(0));
    let counted = Rc::clone(&changes);
    window
        .imp()
        .writing
        .connect_amount_changed(move || counted.set(counted.get() + 1));
    let (sender, events) = async_channel::unbounded();
    job.take_all(events);
    let teller = thread::spawn(move || {
        let _ = sender.send_blocking(Event::Phase(Phase::Writing));
        for step in 1..=SECONDS * 20 {
            let mut totals = progress(step * 20_000_000, TOTAL);
            totals.bytes_per_second = 4e6 + step as f64 * 1e5;
            let _ = sender.send_blocking(Event::Progress(totals));
            thread::sleep(Duration::from_millis(50));
        }
        sender
    });
    let context = glib::MainContext::default();
    let (begun, begun_cpu) = (Instant::now(), cpu());
    let mut longest = Duration::ZERO;
    while !teller.is_finished() {
        let before = cpu();
        context.iteration(true);
        longest = longest.max(cpu().saturating_sub(before));
    }
    let (seconds, used) = (
        begun.elapsed().as_secs_f64(),
        cpu().saturating_sub(begun_cpu),
    );
    let changes = f64::from(changes.get());
    println!(
        "figure: window's thread: {:.1} % of a core, {:.1} labels a second, longest turn {:.1} ms",
        100.0 * used.as_secs_f64() / seconds,
        changes / seconds,
        longest.as_secs_f64() * 1e3,
    );
    assert!(changes / seconds <= 5.5, "{changes} in {seconds} s");
    assert!(changes >= 3.0, "{changes} in {seconds} s");
    drop(teller.join());
}
