use super::fault::fault;
use super::flushing::Flushing;
use super::{Device, StopReason};
use crate::engine::aligned::AlignedBuffer;
use crate::engine::fill::{Misread, ReadBack};
use crate::engine::pattern::Pattern;
use crate::engine::speed_curve::{Recorder, SpeedCurve};
use crate::engine::{Meter, Operation, Speed};

const MIB: u64 = 1 << 20;
/// Bytes of the largest write and read.
const MOST: u64 = 4 * MIB;

/// A whole stick that is full of test data, durably. What was on it is gone.
#[derive(Debug)]
pub struct Surface {
    /// How fast it was written, over the bytes before.
    pub curve: SpeedCurve,
    pattern: Pattern,
}

/// Writes all of a stick. Blocks; tells the meter, and is cancelled through it.
pub fn write_surface<D: Device>(device: &D, meter: &Meter) -> Result<Surface, StopReason> {
    let pattern = Pattern::random();
    let mut piece = AlignedBuffer::new(MOST as usize);
    let (mut recorder, mut speed) = (Recorder::new(device.size()), Speed::default());
    let mut flushing = Flushing::default();
    let (start, mut offset) = (device.now(), 0);
    while offset < device.size() {
        stop_if_cancelled(meter)?;
        // Half a second's bytes, as what is on its way can't be called back.
        let half = speed.bytes_per_second() / 2.0;
        let length = (half as u64 / MIB * MIB).clamp(MIB, MOST);
        let length = length.min(device.size() - offset);
        let bytes = &mut piece.as_mut_slice()[..length as usize];
        pattern.fill(offset, bytes);
        let began = device.now();
        meter.accept(length);
        let written = device.write_at(offset, bytes);
        written.map_err(fault(device, Operation::Write, Some(offset)))?;
        meter.confirm(length);
        offset += length;
        if flushing.is_due(device.now(), meter.confirmed()) || offset == device.size() {
            let (began, confirmed) = (device.now(), meter.confirmed());
            let flushed = device.flush();
            flushed.map_err(fault(device, Operation::Checkpoint, None))?;
            meter.durable_up_to(confirmed);
            flushing.made(began, device.now(), confirmed);
        }
        let now = device.now();
        recorder.add(length, now.saturating_sub(began));
        speed.sample(now.saturating_sub(start), meter.confirmed());
    }
    Ok(Surface {
        curve: recorder.into_curve(),
        pattern,
    })
}

/// Reads it back and compares. Blocks; tells the meter, and is cancelled through it.
pub fn read_surface<D: Device>(
    surface: &Surface,
    device: &D,
    meter: &Meter,
) -> Result<ReadBack, StopReason> {
    let mut piece = AlignedBuffer::new(MOST as usize);
    let mut recorder = Recorder::new(device.size());
    let mut misread = None;
    let mut offset = 0;
    while offset < device.size() && misread.is_none() {
        stop_if_cancelled(meter)?;
        let length = MOST.min(device.size() - offset);
        let bytes = &mut piece.as_mut_slice()[..length as usize];
        let began = device.now();
        let read = device.read_at(offset, bytes);
        read.map_err(fault(device, Operation::ReadBack, Some(offset)))?;
        recorder.add(length, device.now().saturating_sub(began));
        misread = Misread::find(&surface.pattern, offset, bytes);
        if misread.is_none() {
            meter.check(length);
        }
        offset += length;
    }
    Ok(ReadBack {
        curve: recorder.into_curve(),
        misread,
        past_cache: true,
    })
}

fn stop_if_cancelled(meter: &Meter) -> Result<(), StopReason> {
    if meter.is_cancelled() {
        return Err(StopReason::Cancelled);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::testing::{Disk, Fake};

    fn checked(disk: &Disk) -> (Surface, ReadBack, Meter) {
        let meter = Meter::default();
        let surface = write_surface(disk, &meter).expect("written");
        let read = read_surface(&surface, disk, &meter).expect("read");
        (surface, read, meter)
    }

    #[test]
    fn all_of_a_stick_is_written_and_read_and_its_speed_is_told() {
        let disk = Disk::new(9 * MIB + 512, 512);
        let (surface, read, meter) = checked(&disk);
        assert_eq!(read.misread, None);
        let totals = meter.totals();
        assert_eq!((totals.durable, totals.checked), (disk.size(), disk.size()));
        let rate = surface.curve.typical();
        assert!((10e6..=16e6).contains(&rate), "{rate}");
        assert!(surface.curve.points.len() >= 3);
    }

    #[test]
    fn w04_what_is_not_there_or_is_another_places_is_found() {
        for (fake, offset, is_of_other_place) in [
            (Fake::Wrap(4 * MIB), 0, true),
            (Fake::Drop(4 * MIB), 4 * MIB, false),
        ] {
            let (_, read, _) = checked(&Disk::new(6 * MIB, 512).with_fake(fake));
            let misread = Misread {
                offset,
                is_of_other_place,
            };
            assert_eq!(read.misread, Some(misread), "{fake:?}");
        }
        let disk = Disk::new(6 * MIB, 512);
        let meter = Meter::default();
        let surface = write_surface(&disk, &meter).expect("written");
        disk.change(5 * MIB + 700);
        let read = read_surface(&surface, &disk, &meter).expect("read");
        assert_eq!(read.misread.expect("one").offset, 5 * MIB + 512);
    }
}
