use super::*;
use crate::Profile;

const PIECE: u64 = 128 << 10;

/// A stick with a clock of its own; the host is as quick as it can be unless told to wait.
struct Bench {
    timing: Timing,
    start: Instant,
    now: Instant,
    commands: u32,
    pauses: u32,
}

impl Bench {
    fn new(spec: &str) -> Self {
        let now = Instant::now();
        Self {
            timing: Timing::new(Profile::parse(spec).unwrap().parameters().clone()),
            start: now,
            now,
            commands: 0,
            pauses: 0,
        }
    }

    fn request(&mut self, direction: Direction, offset: u64, length: u64) {
        let request = Request {
            direction,
            offset,
            length,
        };
        let begun = self.timing.begin(request, self.now);
        self.commands += u32::from(begun.new_command);
        self.pauses += u32::from(begun.after_pause);
        self.now = self.now.max(begun.done_at);
        self.timing.finish(self.now);
    }

    /// Bytes from `offset` on, in QEMU's pieces.
    fn stream(&mut self, direction: Direction, offset: u64, length: u64) {
        for piece in (0..length).step_by(PIECE as usize) {
            self.request(direction, offset + piece, PIECE.min(length - piece));
        }
    }

    fn write(&mut self, offset: u64, length: u64) {
        self.stream(Direction::Write, offset, length);
    }

    fn flush(&mut self) {
        self.now = self.timing.flush(self.now);
        self.timing.finish(self.now);
    }

    fn wait(&mut self, milliseconds: u64) {
        self.now += Duration::from_millis(milliseconds);
    }

    /// Seconds that have passed.
    fn seconds(&self) -> f64 {
        (self.now - self.start).as_secs_f64()
    }

    /// Asserts how many seconds have passed; each piece may be rounded by a nanosecond.
    #[track_caller]
    fn took(&self, seconds: f64) {
        let difference = self.seconds() - seconds;
        assert!(
            difference.abs() < 1e-5,
            "{} and not {seconds}",
            self.seconds()
        );
    }
}

#[test]
fn even_writes_16_and_reads_24_megabytes_a_second() {
    let mut bench = Bench::new("even");
    bench.write(0, 160_000_000);
    bench.took(10.0);
    bench.stream(Direction::Read, 0, 240_000_000);
    bench.took(20.0);
    bench.flush();
    bench.took(20.0);
}

#[test]
fn even_is_as_quick_in_small_and_scattered_pieces() {
    let mut bench = Bench::new("even");
    for n in 0..1000 {
        bench.write((n * 7919 % 1000) * 4096, 4000);
    }
    bench.took(0.25);
}

#[test]
fn volatile_is_as_quick_as_even() {
    let mut bench = Bench::new("volatile");
    bench.write(0, 16_000_000);
    bench.stream(Direction::Read, 0, 24_000_000);
    bench.took(2.0);
}

#[test]
fn backlog_gets_slow_after_15_megabytes() {
    let mut bench = Bench::new("backlog");
    bench.write(0, 15_000_000);
    bench.took(15.0 / 17.1);
    bench.write(15_000_000, 40_400_000);
    bench.took(15.0 / 17.1 + 10.0);
}

#[test]
fn backlog_stays_quick_with_a_flush_or_a_pause_each_8_megabytes() {
    for flush in [true, false] {
        let mut bench = Bench::new("backlog");
        for part in 0..20 {
            bench.write(part * 8_550_000, 8_550_000);
            if flush {
                bench.flush();
            } else {
                bench.wait(50);
            }
        }
        let waited = if flush { 0.0 } else { 1.0 };
        bench.took(10.0 + waited);
        // The last one was not followed by a write; a flush leaves nothing to pause for.
        assert_eq!(bench.pauses, if flush { 0 } else { 19 });
    }
}

#[test]
fn a_shorter_gap_is_no_pause() {
    let mut bench = Bench::new("backlog");
    for part in 0..20 {
        bench.write(part * 1_000_000, 1_000_000);
        bench.wait(49);
    }
    assert_eq!(bench.pauses, 0);
    assert!(bench.seconds() > 15.0 / 17.1 + 5.0 / 4.04);
}

#[test]
fn reading_is_no_pause() {
    let mut bench = Bench::new("backlog");
    bench.write(0, 1_000_000);
    bench.stream(Direction::Read, 0, 24_000_000);
    bench.write(1_000_000, 1_000_000);
    assert_eq!(bench.pauses, 0);
}

#[test]
fn pieces_of_one_transfer_are_one_command() {
    let mut bench = Bench::new("even:command_ms=40");
    bench.write(0, 4 << 20);
    assert_eq!(bench.commands, 4);
    bench.took(f64::from(4 << 20) / 16e6 + 4.0 * 0.04);
}

#[test]
fn what_is_elsewhere_later_or_the_other_way_is_a_command_of_its_own() {
    let mut bench = Bench::new("even");
    bench.request(Direction::Write, 0, 4096);
    bench.wait(5);
    bench.request(Direction::Write, 4096, 4096);
    assert_eq!(bench.commands, 1);
    bench.wait(6);
    bench.request(Direction::Write, 8192, 4096);
    assert_eq!(bench.commands, 2);
    bench.request(Direction::Write, 0, 4096);
    assert_eq!(bench.commands, 3);
    bench.request(Direction::Read, 4096, 4096);
    assert_eq!(bench.commands, 4);
    bench.flush();
    bench.request(Direction::Read, 8192, 4096);
    assert_eq!(bench.commands, 5);
}

#[test]
fn short_gaps_in_a_stream_and_oversleeping_cost_nothing() {
    let mut bench = Bench::new("even");
    for piece in 0..1000 {
        bench.request(Direction::Write, piece * 16_000, 16_000);
        // Of each millisecond, half is spent in the host.
        bench.now += Duration::from_micros(500);
    }
    assert!(bench.seconds() < 1.01, "{}", bench.seconds());
}

#[test]
fn idling_earns_no_speed() {
    let mut bench = Bench::new("even");
    bench.write(0, 16_000);
    bench.wait(10_000);
    bench.write(16_000, 16_000_000);
    bench.took(11.001);
}
