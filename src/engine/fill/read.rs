use super::Filled;
use crate::engine::copy::{StopReason, fault};
use crate::engine::pattern::Pattern;
use crate::engine::speed_curve::{Recorder, SpeedCurve};
use crate::engine::target::{ReadBack as _, Target};
use crate::engine::{Meter, Operation};

/// What came of reading test data back.
#[derive(Debug)]
pub struct ReadBack {
    /// How fast it was read, over the bytes before.
    pub curve: SpeedCurve,
    /// The first place that is not what was written; nothing was read behind it.
    pub misread: Option<Misread>,
    /// Whether every byte came from the stick for certain, past the kernel's memory.
    pub past_cache: bool,
}

/// Test data that is not what was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Misread {
    /// Bytes from the start, in 512.
    pub offset: u64,
    /// What is there was written to another place: the two are one.
    pub is_of_other_place: bool,
}

impl Misread {
    /// The first place in `bytes`, read at `position`, that does not hold what was written.
    pub(in crate::engine) fn find(pattern: &Pattern, position: u64, bytes: &[u8]) -> Option<Self> {
        let at = pattern.mismatch(position, bytes)?;
        let sector = &bytes[at..at + Pattern::SECTOR];
        let offset = position + at as u64;
        let place = pattern.place_of(sector);
        Some(Self {
            offset,
            is_of_other_place: place.is_some_and(|place| place != offset),
        })
    }
}

/// Reads all test files and compares. Blocks; tells the meter, and is cancelled through it.
pub fn read_back<T: Target>(
    filled: &Filled,
    target: &T,
    meter: &Meter,
) -> Result<ReadBack, StopReason> {
    let mut recorder = Recorder::new(filled.bytes);
    let (mut past_cache, mut start) = (true, 0);
    for (path, size) in &filled.files {
        let opened = target.open_read_back(path);
        let mut reader = opened.map_err(fault(target, Operation::ReadBack, path))?;
        past_cache &= reader.is_past_cache();
        let mut read = 0;
        while read < *size {
            if meter.is_cancelled() {
                return Err(StopReason::Cancelled);
            }
            let began = target.now();
            let bytes = reader.next();
            let bytes = bytes.map_err(fault(target, Operation::ReadBack, path))?;
            recorder.add(bytes.len() as u64, target.now().saturating_sub(began));
            // What is behind was not counted as written.
            let counted = bytes.len().min((size - read) as usize);
            let counted = counted / Pattern::SECTOR * Pattern::SECTOR;
            let position = start + read;
            let misread = match counted {
                // It ends too early.
                0 => Some(Misread {
                    offset: position,
                    is_of_other_place: false,
                }),
                counted => Misread::find(&filled.pattern, position, &bytes[..counted]),
            };
            if misread.is_some() {
                return Ok(ReadBack {
                    curve: recorder.into_curve(),
                    misread,
                    past_cache,
                });
            }
            read += counted as u64;
            meter.check(counted as u64);
        }
        start += size;
    }
    Ok(ReadBack {
        curve: recorder.into_curve(),
        misread: None,
        past_cache,
    })
}
