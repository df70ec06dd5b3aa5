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

const M: u64 = 1 << 20;

#[test]
fn ftl_writes_17_megabytes_a_second_in_sequence() {
    let mut bench = Bench::new("ftl");
    bench.write(0, 400 * M);
    bench.took(400.0 * M as f64 / 17.1e6);
}

#[test]
fn ftl_fills_two_blocks_side_by_side_for_nothing() {
    let mut bench = Bench::new("ftl");
    for piece in 0..32 {
        bench.write(piece * PIECE, PIECE);
        bench.write(100 * M + piece * PIECE, PIECE);
        bench.flush();
    }
    bench.took(8.0 * M as f64 / 17.1e6);
}

#[test]
fn ftl_copies_the_rest_of_a_block_that_gives_way_to_a_third() {
    let mut bench = Bench::new("ftl");
    bench.write(0, M);
    bench.write(100 * M, 2 * M);
    bench.took(3.0 * M as f64 / 17.1e6);
    // The one longest untouched goes.
    bench.write(200 * M, M);
    bench.took((4.0 + 3.0) * M as f64 / 17.1e6);
    bench.write(102 * M, M);
    bench.took((5.0 + 3.0) * M as f64 / 17.1e6);
}

#[test]
fn ftl_copies_what_was_not_written_wherever_in_the_block_it_lies() {
    let mut bench = Bench::new("ftl");
    bench.write(M, M / 2);
    bench.write(2 * M, M / 2);
    bench.took(M as f64 / 17.1e6);
    // Something behind the pointer: the block begins anew, and has 3 MiB to copy.
    bench.write(0, M);
    bench.took((2.0 + 3.0) * M as f64 / 17.1e6);
    // A block that was filled is given up for nothing.
    bench.write(M, 3 * M);
    bench.write(0, M);
    bench.took((6.0 + 3.0) * M as f64 / 17.1e6);
}

/// 96 MiB in windows of so many bytes, each followed by its entries in both tables, one sector
/// after another as `fdatasync` on FAT writes them: both tables in one erase block, the folder in
/// a second. MB/s.
fn fat_windows(window: u64, cluster: u64) -> f64 {
    let (first, second, folder, data) = (4 * M + 16_384, 6 * M, 8 * M, 12 * M);
    let mut bench = Bench::new("ftl");
    let total = 96 * M;
    for start in (0..total).step_by(window as usize) {
        bench.write(data + start, window);
        let sector = |at: u64| at / cluster * 4 / 512;
        for entry in sector(start)..=sector(start + window - 1) {
            bench.write(first + entry * 512, 512);
            bench.write(second + entry * 512, 512);
        }
        bench.write(folder, 512);
        bench.flush();
    }
    total as f64 / 1e6 / bench.seconds()
}

#[test]
fn ftl_makes_syncs_on_fat_as_slow_as_they_are() {
    // Measured with such a stick behind a real Linux, whose tables lie a little differently.
    for (window, cluster, measured) in [
        (1, 4096, 0.90),
        (4, 4096, 1.92),
        (8, 4096, 2.39),
        (16, 4096, 2.22),
        (8, 32_768, 6.0),
        (32, 32_768, 7.5),
    ] {
        let modelled = fat_windows(window * M, cluster);
        assert!(
            (0.7..1.4).contains(&(modelled / measured)),
            "{window} MiB, clusters of {cluster}: {modelled}"
        );
    }
}

#[test]
fn ftl_hardly_minds_tables_that_are_written_in_order_at_the_end() {
    let mut bench = Bench::new("ftl");
    bench.write(12 * M, 96 * M);
    for table in [4 * M + 16_384, 6 * M] {
        bench.write(table, 96 << 10);
    }
    bench.write(8 * M, 512);
    bench.flush();
    assert!(bench.seconds() < 1.01 * 96.0 * M as f64 / 17.1e6);
}

#[test]
fn cliff_gets_slower_in_four_steps() {
    let mut bench = Bench::new("cliff");
    let (mut offset, mut seconds) = (0, 0.0);
    for (length, rate) in [(128, 32e6), (128, 20.8e6), (256, 12.8e6), (512, 9.2e6)] {
        bench.write(offset, length * M);
        offset += length * M;
        seconds += (length * M) as f64 / rate;
        bench.took(seconds);
    }
}

#[test]
fn a_quarter_of_the_fast_cells_is_a_quarter_of_the_sizes() {
    let mut bench = Bench::new("cliff:fast=32M");
    bench.write(0, 192 * M);
    bench.took((32.0 / 32.0 + 32.0 / 20.8 + 64.0 / 12.8 + 64.0 / 9.2) * M as f64 / 1e6);
}

#[test]
fn cliff_recovers_while_it_is_idle() {
    let mut bench = Bench::new("cliff");
    bench.write(0, 1024 * M);
    // 512 MiB at 9.2 MB/s, after a second in which nothing happens.
    bench.wait(1000 + 58_356);
    let start = bench.seconds();
    bench.write(0, 129 * M);
    bench.took(start + 128.0 * M as f64 / 32e6 + M as f64 / 20.8e6);
}

#[test]
fn cliff_recovers_by_parts_and_not_in_short_gaps() {
    let mut bench = Bench::new("cliff");
    bench.write(0, 256 * M);
    bench.wait(999);
    bench.stream(Direction::Read, 0, PIECE);
    bench.wait(999);
    bench.flush();
    let start = bench.seconds();
    bench.write(0, M);
    bench.took(start + M as f64 / 12.8e6);
    // Ten seconds' worth, whatever comes next, which ends them.
    for flush in [true, false] {
        bench.wait(11_000);
        if flush {
            bench.flush();
        } else {
            bench.stream(Direction::Read, 0, PIECE);
        }
        let start = bench.seconds();
        bench.write(0, 92_000_000);
        let slow = M as f64;
        bench.took(start + (92e6 - slow) / 20.8e6 + slow / 12.8e6);
    }
}

#[test]
fn commands_cost_40_milliseconds_each() {
    let mut bench = Bench::new("commands");
    bench.write(0, 2 * M);
    bench.took(0.08 + 2.0 * M as f64 / 16e6);
    for _ in 0..10 {
        bench.wait(6);
        bench.flush();
    }
    bench.took(0.48 + 0.06 + 2.0 * M as f64 / 16e6);
    bench.stream(Direction::Read, 0, M);
    bench.took(0.52 + 0.06 + 2.0 * M as f64 / 16e6 + M as f64 / 24e6);
}

#[test]
fn hang_holds_one_write_and_all_that_comes_after_it() {
    let mut bench = Bench::new("hang:at=1M,for=5");
    bench.write(0, M - PIECE);
    bench.took((M - PIECE) as f64 / 16e6);
    let request = |offset| Request {
        direction: Direction::Write,
        offset,
        length: PIECE,
    };
    let held = bench.timing.begin(request(M - PIECE), bench.now).done_at;
    let behind = bench.timing.begin(request(8 * M), bench.now).done_at;
    assert_eq!((behind - held).as_micros(), 8192);
    bench.now = behind;
    bench.timing.finish(behind);
    bench.took((M + PIECE) as f64 / 16e6 + 5.0);
    bench.write(0, 16_000_000);
    bench.took((M + PIECE) as f64 / 16e6 + 6.0);
}

#[test]
fn slow_flush_is_slow_at_every_flush_and_only_then() {
    let mut bench = Bench::new("slow-flush");
    bench.write(0, 16_000_000);
    bench.took(1.0);
    bench.flush();
    bench.flush();
    bench.took(7.0);
}

#[test]
fn behaviours_join() {
    let mut bench = Bench::new("ftl:wbps=200e6,command_ms=1,hang_at=1M,hang_for=2,flush_for=1");
    bench.write(0, 4 * M);
    bench.flush();
    bench.took(4.0 * M as f64 / 200e6 + 0.005 + 2.0 + 1.0);
}
