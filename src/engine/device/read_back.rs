use std::io;
use std::iter;
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use super::block::BLOCK;
use super::digest::Digest;
use super::fault::fault;
use super::guess::{Evidence, Later, is_uniform};
use super::image::fill;
use super::{Device, Guess, Image, Mismatch, StopReason, Written, partitions};
use crate::engine::aligned::AlignedBuffer;
use crate::engine::{Meter, Operation};

/// Blocks in memory: one being read, one waiting, one being hashed.
const BUFFERS: usize = 3;
/// How long the stick may take before it is looked whether the job was cancelled.
const PATIENCE: Duration = Duration::from_millis(250);
/// How long the image may be read again to find the very byte that differs.
const SEARCH: Duration = Duration::from_secs(20);
/// Blocks behind a bad one that are looked at for a guess.
const SAMPLES: u64 = 8;
/// A piece in which an unreadable sector is looked for.
const PIECE: usize = 64 << 10;

/// What of a stick was read back and is equal; its lead is not there yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checked {
    /// Bytes.
    pub bytes: u64,
}

/// Reads back what was written, past every cache, and compares. Ends at the first place that
/// differs. Blocks; cancelled through the meter, even while the stick does not answer.
///
/// The image is needed again only when something differs.
pub fn read_back<D: Device>(
    written: &Written,
    image: &Arc<Image>,
    device: &Arc<D>,
    meter: &Meter,
) -> Result<Checked, StopReason> {
    let check = Check {
        written,
        image,
        device,
        meter,
    };
    check.run()
}

struct Check<'a, D: Device> {
    written: &'a Written,
    image: &'a Arc<Image>,
    device: &'a Arc<D>,
    meter: &'a Meter,
}

/// A block as the stick has it, or the offset and error at which it could not be read.
type Read = Result<AlignedBuffer, (u64, io::Error)>;

impl<D: Device> Check<'_, D> {
    fn run(&self) -> Result<Checked, StopReason> {
        let mut checked = Checked { bytes: 0 };
        let (reads, spare) = self.start_reading();
        for (digest, index) in self.written.digests.0.iter().zip(0..) {
            let mut buffer = self.receive(&reads)?;
            if index == 0 {
                self.check_guard(buffer.as_slice())?;
                let lead = self.written.lead.bytes();
                buffer.as_mut_slice()[..lead.len()].copy_from_slice(lead);
            }
            let written = self.written_of(index);
            if hash(buffer.as_slice(), &written) != digest.hash {
                return Err(self.investigate(index, digest, buffer.as_slice(), &written));
            }
            let lead = if index == 0 {
                self.written.lead.counted()
            } else {
                0
            };
            let bytes = written.iter().map(|range| range.len() as u64).sum::<u64>() - lead;
            self.meter.check(bytes);
            checked.bytes += bytes;
            #[expect(
                clippy::let_underscore_must_use,
                reason = "the reader may be through already"
            )]
            let _ = spare.send(buffer);
        }
        Ok(checked)
    }

    /// Reads ahead on a thread of its own: hashing costs the stick no time, and one that hangs
    /// does not hold up a cancel.
    fn start_reading(&self) -> (Receiver<Read>, SyncSender<AlignedBuffer>) {
        let (send, reads) = mpsc::sync_channel(1);
        let (spare, buffers) = mpsc::sync_channel(BUFFERS);
        for _ in 0..BUFFERS {
            let fresh = AlignedBuffer::new(BLOCK as usize);
            spare.send(fresh).expect("there is room for them all");
        }
        let (device, image) = (Arc::clone(self.device), Arc::clone(self.image));
        let (size, lead) = (self.written.size, self.written.lead.len());
        let count = self.written.digests.0.len() as u64;
        let read = move || {
            for index in 0..count {
                let Ok(mut buffer) = buffers.recv() else {
                    return;
                };
                let result = ranges_of(&image, index, size, lead)
                    .into_iter()
                    .try_for_each(|range| read_range(&*device, index, range, &mut buffer));
                let failed = result.is_err();
                if send.send(result.map(|()| buffer)).is_err() || failed {
                    return;
                }
            }
        };
        thread::Builder::new()
            .name("read-back".into())
            .spawn(read)
            .expect("the system should be able to start a thread");
        (reads, spare)
    }

    fn receive(&self, reads: &Receiver<Read>) -> Result<AlignedBuffer, StopReason> {
        loop {
            if self.meter.is_cancelled() {
                return Err(StopReason::Cancelled);
            }
            match reads.recv_timeout(PATIENCE) {
                Ok(Ok(buffer)) => return Ok(buffer),
                Ok(Err((offset, error))) => {
                    let offset = Some(offset);
                    return Err(fault(&**self.device, Operation::ReadBack, offset)(error));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    unreachable!("the reader tells of every block")
                }
            }
        }
    }

    /// What is written of a block, as ranges in it.
    fn written_of(&self, index: u64) -> Vec<Range<usize>> {
        let start = index * BLOCK;
        let end = (start + BLOCK).min(self.written.size);
        let written = self.image.written_of(start..end).into_iter();
        written
            .map(|range| (range.start - start) as usize..(range.end - start) as usize)
            .collect()
    }

    /// Nobody has written to the lead's place since: other data there were meant for a place that
    /// the stick does not have.
    fn check_guard(&self, block: &[u8]) -> Result<(), StopReason> {
        let guard = self.written.lead.guard();
        let found = &block[..guard.as_slice().len()];
        let mut pairs = guard.as_slice().iter().zip(found);
        let Some(offset) = pairs.position(|(wanted, found)| wanted != found) else {
            return Ok(());
        };
        let other = found.chunks(512).zip(guard.as_slice().chunks(512));
        let mut other = other.filter(|(found, wanted)| found != wanted);
        let guess = if other.all(|(found, _)| is_uniform(found)) {
            Guess::FailingStick
        } else {
            Guess::FakeCapacity
        };
        Err(StopReason::Mismatch(Mismatch {
            offset: offset as u64,
            exact: true,
            guess,
        }))
    }

    /// Finds the byte and makes a guess.
    fn investigate(
        &self,
        index: u64,
        digest: &Digest,
        found: &[u8],
        written: &[Range<usize>],
    ) -> StopReason {
        let wanted = self.read_image_again(index);
        let wanted = wanted.filter(|wanted| hash(wanted, written) == digest.hash);
        let start = index * BLOCK;
        let evidence = Evidence {
            start,
            found,
            wanted: wanted.as_deref(),
            written,
            digests: &self.written.digests,
            partitions: &partitions::starts(self.written.lead.bytes()),
            later: &self.samples(index),
        };
        let first = evidence.first();
        StopReason::Mismatch(Mismatch {
            offset: first.unwrap_or(start),
            exact: first.is_some(),
            guess: evidence.guess(),
        })
    }

    /// What a block should be; `None` when it takes too long.
    fn read_image_again(&self, index: u64) -> Option<Vec<u8>> {
        let began = Instant::now();
        let mut reader = self.image.open().ok()?.reader;
        let mut block = vec![0; BLOCK as usize];
        for _ in 0..=index {
            if began.elapsed() > SEARCH || self.meter.is_cancelled() {
                return None;
            }
            fill(&mut *reader, &mut block).ok()?;
        }
        Some(block)
    }

    /// How some of the blocks behind a bad one read.
    fn samples(&self, index: u64) -> Vec<Later> {
        let digests = &self.written.digests.0;
        let behind = digests.len() as u64 - index - 1;
        let mut buffer = AlignedBuffer::new(BLOCK as usize);
        let samples = (1..=SAMPLES.min(behind)).map(|n| index + behind * n / SAMPLES.min(behind));
        samples
            .map(|index| {
                let ranges = ranges_of(self.image, index, self.written.size, 0);
                let mut ranges = ranges.into_iter();
                let read = ranges
                    .try_for_each(|range| read_range(&**self.device, index, range, &mut buffer));
                let (block, written) = (buffer.as_slice(), self.written_of(index));
                let is_uniform = || {
                    written
                        .iter()
                        .all(|range| is_uniform(&block[range.clone()]))
                };
                if read.is_err() {
                    Later::Different
                } else if hash(block, &written) == digests[index as usize].hash {
                    Later::Equal
                } else if is_uniform() {
                    Later::Uniform
                } else {
                    Later::Different
                }
            })
            .collect()
    }
}

fn hash(block: &[u8], written: &[Range<usize>]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for range in written {
        hasher.update(&block[range.clone()]);
    }
    hasher.finalize()
}

/// What is read of a block: what was written of it, and all of the lead. In as few pieces as can be,
/// for each costs a stick a command.
fn ranges_of(image: &Image, index: u64, size: u64, lead: u64) -> Vec<Range<u64>> {
    let start = index * BLOCK;
    let lead = if index == 0 { lead } else { start };
    let written = image
        .written_of(start..(start + BLOCK).min(size))
        .into_iter();
    let behind = written.map(|range| range.start.max(lead)..range.end);
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for range in iter::once(start..lead).chain(behind) {
        match ranges.last_mut() {
            _ if range.is_empty() => {}
            Some(last) if last.end == range.start => last.end = range.end,
            _ => ranges.push(range),
        }
    }
    ranges
}

/// Reads a range of the stick into its block, in whole logical blocks.
fn read_range<D: Device>(
    device: &D,
    index: u64,
    range: Range<u64>,
    buffer: &mut AlignedBuffer,
) -> Result<(), (u64, io::Error)> {
    let end = range.end.next_multiple_of(device.block_size());
    let at = (range.start - index * BLOCK) as usize;
    let length = (end - range.start) as usize;
    let into = &mut buffer.as_mut_slice()[at..at + length];
    match device.read_at(range.start, into) {
        Ok(()) => Ok(()),
        Err(error) if device.is_gone() => Err((range.start, error)),
        // In small pieces the place is found; or it can be read after all.
        Err(_) => read_pieces(device, range.start, into, PIECE),
    }
}

fn read_pieces<D: Device>(
    device: &D,
    start: u64,
    into: &mut [u8],
    piece: usize,
) -> Result<(), (u64, io::Error)> {
    let least = device.block_size() as usize;
    for (part, number) in into.chunks_mut(piece).zip(0_u64..) {
        let offset = start + number * piece as u64;
        match device.read_at(offset, part) {
            Ok(()) => {}
            Err(error) if piece == least => return Err((offset, error)),
            Err(_) => read_pieces(device, offset, part, least)?,
        }
    }
    Ok(())
}
