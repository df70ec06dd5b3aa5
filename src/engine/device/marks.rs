//! Where file systems, partition tables, volume managers and arrays leave their marks on a whole
//! device. A stick that was one of them still looks like it as long as the mark is there.

use std::ops::Range;

use super::fault::fault;
use super::{Device, StopReason};
use crate::engine::Operation;
use crate::engine::aligned::AlignedBuffer;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// Zeroes of one write.
const PIECE: u64 = MIB;
/// Offsets here are multiples of this, and so of every logical block.
const GRAIN: u64 = 4 * KIB;

/// From the start: MBR, GPT (up to 34 blocks of 4 KiB), APM (up to 63 of 2 KiB), boot sectors of
/// FAT, exFAT and NTFS, ext and f2fs (1 KiB), LVM and bcache (4 KiB), md 1.1 and 1.2 (0 and
/// 4 KiB), ISO 9660 and UDF (32 KiB), btrfs (64 KiB), swap (the end of pages up to 64 KiB), the
/// two first ZFS labels (up to 512 KiB), second headers of LUKS2 (16 KiB to 1 MiB), VMFS (1 MiB),
/// and UDF's anchor (its block 256, at 1 MiB where blocks have 4 KiB).
const HEAD: u64 = MIB + 2 * GRAIN;
/// From the end: GPT's copy (up to 33 blocks of 4 KiB), the two last ZFS labels (in the last
/// 768 KiB), md 0.90 (128 KiB) and 1.0 (12 KiB), nilfs2, DRBD, UDF's anchors (the last block and
/// the 256th before it, 1 MiB + 4 KiB), and the arrays of mainboards, of which Promise goes back
/// 3087 sectors.
const TAIL: u64 = 2 * MIB;
/// On their own: the last second headers of LUKS2 and VMFS (2 MiB, 4 MiB), the copies of btrfs's
/// superblock (64 MiB, 256 GiB).
const SINGLE: [u64; 4] = [2 * MIB, 4 * MIB, 64 * MIB, 256 * GIB];

/// The ranges of a device of that size in which marks can be, in order, within the device.
pub fn stale_ranges(size: u64) -> Vec<Range<u64>> {
    let head = 0..HEAD.min(size);
    let tail = tail(size);
    if tail.start <= head.end {
        return std::iter::once(0..size).collect();
    }
    let single = SINGLE.into_iter().map(|at| at..at + GRAIN);
    let before_tail = single.filter(|range| range.end <= tail.start);
    let mut ranges = vec![head];
    ranges.extend(before_tail);
    ranges.push(tail);
    ranges
}

/// The last of them.
pub(super) fn tail(size: u64) -> Range<u64> {
    size.saturating_sub(TAIL) / GRAIN * GRAIN..size
}

/// Removes every mark from a device that holds nothing any more, durably.
pub fn clear_marks<D: Device>(device: &D) -> Result<(), StopReason> {
    for range in stale_ranges(device.size()) {
        zero(device, range)?;
    }
    device
        .flush()
        .map_err(fault(device, Operation::Checkpoint, None))
}

/// Writes zeroes over a range.
pub(super) fn zero<D: Device>(device: &D, range: Range<u64>) -> Result<(), StopReason> {
    let zeroes = AlignedBuffer::new(PIECE.min(range.end - range.start) as usize);
    let mut offset = range.start;
    while offset < range.end {
        let length = PIECE.min(range.end - offset);
        device
            .write_at(offset, &zeroes.as_slice()[..length as usize])
            .map_err(fault(device, Operation::Write, Some(offset)))?;
        offset += length;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_in_order_aligned_and_within_the_device() {
        for size in [
            512,
            4096,
            MIB,
            3 * MIB,
            4 * MIB + 512,
            100 * MIB + 512,
            300 * GIB,
        ] {
            let ranges = stale_ranges(size);
            assert_eq!(ranges[0].start, 0);
            assert_eq!(ranges.last().unwrap().end, size);
            for pair in ranges.windows(2) {
                assert!(pair[0].end <= pair[1].start, "{size}: {ranges:?}");
            }
            for range in &ranges[..ranges.len() - 1] {
                assert!(range.start % GRAIN == 0 && range.end % GRAIN == 0);
            }
        }
        assert_eq!(stale_ranges(300 * GIB).len(), 6);
    }
}
