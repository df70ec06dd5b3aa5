use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What a file or folder counts for beside its bytes: a cluster of a usual stick. So a job of empty
/// files moves too.
const ITEM: u64 = 4096;

/// The running totals of one job: written by the worker, read by whoever shows them.
///
/// Totals only grow, and a reader sees `durable <= confirmed <= accepted`. What the stick took of a
/// file that failed later stays counted, for nothing is read twice; the rest of that file is given
/// up. So the sum of both never exceeds what was expected, and nothing shown goes back.
#[derive(Debug, Default)]
pub struct Meter {
    accepted: AtomicU64,
    confirmed: AtomicU64,
    durable: AtomicU64,
    kept: AtomicU64,
    compared: AtomicU64,
    checked: AtomicU64,
    given_up: AtomicU64,
    kept_items: AtomicU64,
    whole_items: AtomicU64,
    items_done: AtomicU64,
    items_failed: AtomicU64,
    folders_done: AtomicU64,
    /// All there is to do, as [`Meter::expect`] was told: bytes and [`ITEM`] for each item.
    expected: AtomicU64,
    peak_unconfirmed: AtomicU64,
    turns: AtomicU64,
    current: Mutex<Option<PathBuf>>,
    cancelled: AtomicBool,
}

/// What a [`Meter`] held at one moment. Bytes, except for items and the share.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Totals {
    /// Handed to the kernel, and [`Totals::kept`].
    pub accepted: u64,
    /// Reported written by the stick, and [`Totals::kept`].
    pub confirmed: u64,
    /// Covered by a flush that reached the device's own cache, and [`Totals::kept`].
    pub durable: u64,
    /// Of files that were on the stick already and are equal: not written, and no part of a speed.
    pub kept: u64,
    /// Read from the stick so far to see whether files are there already. Moves while nothing
    /// else does.
    pub compared: u64,
    /// Read back from the stick.
    pub checked: u64,
    /// Will not come, because their files have failed.
    pub given_up: u64,
    /// Files that are complete on the stick under their own names.
    pub items_done: u64,
    /// Files that have failed.
    pub items_failed: u64,
    /// Files that are through: all handed over, there already, or failed. Their names may come
    /// later.
    pub through: u64,
    /// Of those, the ones that were there already.
    pub kept_items: u64,
    /// How often the stick began to be written to in another way.
    pub turns: u64,
    /// How much of the writing is behind, 0 to 1: by bytes, and by items where there are none. Never
    /// falls; 1 when all that can come is there under its own name.
    pub share: f64,
    /// The file being worked on.
    pub current: Option<PathBuf>,
}

impl Meter {
    /// What is to be done.
    pub fn expect(&self, bytes: u64, files: u64, folders: u64) {
        let all = bytes.saturating_add(ITEM * (files + folders));
        self.expected.store(all, Ordering::SeqCst);
    }

    /// Bytes were handed to the kernel.
    pub fn accept(&self, bytes: u64) {
        let accepted = self.accepted.fetch_add(bytes, Ordering::SeqCst) + bytes;
        let unconfirmed = accepted - self.confirmed.load(Ordering::SeqCst);
        self.peak_unconfirmed
            .fetch_max(unconfirmed, Ordering::SeqCst);
    }

    /// The stick has reported them written.
    pub fn confirm(&self, bytes: u64) {
        let confirmed = self.confirmed.fetch_add(bytes, Ordering::SeqCst) + bytes;
        debug_assert!(confirmed <= self.accepted.load(Ordering::SeqCst));
    }

    /// A flush that came back without error covers all that was confirmed before it began.
    pub fn durable_up_to(&self, confirmed: u64) {
        self.durable.fetch_max(confirmed, Ordering::SeqCst);
    }

    /// A file is on the stick already and equal.
    pub fn keep(&self, bytes: u64) {
        self.kept.fetch_add(bytes, Ordering::SeqCst);
        self.kept_items.fetch_add(1, Ordering::SeqCst);
    }

    /// Bytes were read to see whether a file is there already.
    pub fn compare(&self, bytes: u64) {
        self.compared.fetch_add(bytes, Ordering::SeqCst);
    }

    /// A file has failed; so many of its bytes were not handed over and will not come.
    pub fn give_up(&self, bytes: u64) {
        self.given_up.fetch_add(bytes, Ordering::SeqCst);
        self.items_failed.fetch_add(1, Ordering::SeqCst);
    }

    /// The last byte of a file was handed over.
    pub fn finish_bytes(&self) {
        self.whole_items.fetch_add(1, Ordering::SeqCst);
    }

    /// From now on the stick is written to in another way.
    pub fn turn(&self) {
        self.turns.fetch_add(1, Ordering::SeqCst);
    }

    /// A folder is there.
    pub fn finish_folder(&self) {
        self.folders_done.fetch_add(1, Ordering::SeqCst);
    }

    /// Bytes were read back; whether they are equal is known at the end of their file.
    pub fn check(&self, bytes: u64) {
        self.checked.fetch_add(bytes, Ordering::SeqCst);
    }

    /// Files got their own names.
    pub fn finish_items(&self, items: u64) {
        self.items_done.fetch_add(items, Ordering::SeqCst);
    }

    /// The file being worked on from now on.
    pub fn set_current(&self, path: Option<&Path>) {
        *self.lock_current() = path.map(Path::to_path_buf);
    }

    /// Asks the worker to stop; it does so between two pieces.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
    }

    /// Whether [`Meter::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }

    /// Bytes confirmed so far, without what was kept.
    pub fn confirmed(&self) -> u64 {
        self.confirmed.load(Ordering::SeqCst)
    }

    /// Bytes accepted and not yet confirmed.
    pub fn unconfirmed(&self) -> u64 {
        let confirmed = self.confirmed.load(Ordering::SeqCst);
        self.accepted.load(Ordering::SeqCst) - confirmed
    }

    /// The most bytes that were ever accepted and unconfirmed at once.
    pub fn peak_unconfirmed(&self) -> u64 {
        self.peak_unconfirmed.load(Ordering::SeqCst)
    }

    /// The totals now. Each is read before the one it may not exceed.
    pub fn totals(&self) -> Totals {
        let of = |total: &AtomicU64| total.load(Ordering::SeqCst);
        let durable = of(&self.durable);
        let confirmed = of(&self.confirmed);
        let accepted = of(&self.accepted);
        let (kept, given_up) = (of(&self.kept), of(&self.given_up));
        let (items_done, items_failed) = (of(&self.items_done), of(&self.items_failed));
        let kept_items = of(&self.kept_items);
        let items = items_done + items_failed + of(&self.folders_done);
        let behind = confirmed + kept + given_up + ITEM * items;
        let share = match of(&self.expected) {
            0 => 0.0,
            all => (behind as f64 / all as f64).min(1.0),
        };
        Totals {
            accepted: accepted + kept,
            confirmed: confirmed + kept,
            durable: durable + kept,
            kept,
            compared: of(&self.compared),
            checked: of(&self.checked),
            given_up,
            items_done,
            items_failed,
            through: of(&self.whole_items) + kept_items + items_failed,
            kept_items,
            turns: of(&self.turns),
            share,
            current: self.lock_current().clone(),
        }
    }

    fn lock_current(&self) -> std::sync::MutexGuard<'_, Option<PathBuf>> {
        self.current
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What can become of a planned file.
    #[derive(Debug, Clone, Copy)]
    enum Fate {
        Arrives,
        Kept,
        /// After that many bytes.
        Fails(u64),
        /// All of it is handed over, and then its name is taken.
        Unnamed,
    }

    fn fate() -> impl Strategy<Value = Fate> {
        prop_oneof![
            Just(Fate::Arrives),
            Just(Fate::Kept),
            any::<u64>().prop_map(Fate::Fails),
            Just(Fate::Unnamed),
        ]
    }

    type Step = Box<dyn Fn(&Meter)>;

    /// What a job tells the meter about one file, in its order.
    fn tell(meter: &Meter, size: u64, fate: Fate) -> Vec<Step> {
        let taken = match fate {
            Fate::Kept => 0,
            Fate::Fails(after) => after % (size + 1),
            _ => size,
        };
        meter.accept(taken);
        let mut steps: Vec<Step> = vec![
            Box::new(move |meter| meter.confirm(taken / 2)),
            Box::new(move |meter| meter.confirm(taken - taken / 2)),
            Box::new(|meter| meter.durable_up_to(meter.confirmed())),
        ];
        match fate {
            Fate::Arrives => steps.push(Box::new(|meter| meter.finish_items(1))),
            Fate::Kept => steps.push(Box::new(move |meter| {
                meter.compare(size);
                meter.keep(size);
                meter.finish_items(1);
            })),
            _ => steps.push(Box::new(move |meter| meter.give_up(size - taken))),
        }
        steps
    }

    proptest! {
        #[test]
        fn nothing_goes_back_or_beyond_whatever_happens(
            files in prop::collection::vec((0..100_000_u64, fate()), 1..12),
            turns in prop::collection::vec(any::<prop::sample::Index>(), 60),
        ) {
            let bytes: u64 = files.iter().map(|(size, _)| size).sum();
            let meter = Meter::default();
            meter.expect(bytes, files.len() as u64, 2);
            meter.finish_folder();
            let mut waiting: Vec<_> = files
                .iter()
                .map(|(size, fate)| tell(&meter, *size, *fate).into_iter().peekable())
                .collect();
            let mut turns = turns.into_iter().cycle();
            let mut last = meter.totals();
            while !waiting.is_empty() {
                let turn = turns.next().expect("they go round").index(waiting.len());
                match waiting[turn].next() {
                    Some(step) => step(&meter),
                    None => drop(waiting.swap_remove(turn)),
                }
                let now = meter.totals();
                prop_assert!(now.durable <= now.confirmed && now.confirmed <= now.accepted);
                prop_assert!(now.accepted + now.given_up <= bytes);
                prop_assert!(now.share >= last.share && now.share < 1.0);
                prop_assert!(now.confirmed >= last.confirmed && now.durable >= last.durable);
                last = now;
            }
            meter.finish_folder();
            let end = meter.totals();
            prop_assert!(end.share > 0.999_999, "all is behind: {}", end.share);
            prop_assert_eq!(end.items_done + end.items_failed, files.len() as u64);
        }
    }

    #[test]
    fn k06_p02_a_job_of_empty_files_moves() {
        let meter = Meter::default();
        meter.expect(0, 2_000, 1);
        meter.finish_folder();
        let mut last = meter.totals().share;
        for _ in 0..20 {
            meter.finish_items(100);
            let now = meter.totals().share;
            assert!(now > last);
            last = now;
        }
        assert!((last - 1.0).abs() < 1e-9);
    }
}
