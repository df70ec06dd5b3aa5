use std::io;

use super::fault::fault;
use super::{Checked, Device, Guess, Mismatch, OnStick, StopReason, Stopped, Written};
use crate::engine::aligned::AlignedBuffer;
use crate::engine::{Meter, Operation};

/// A stick that durably has the whole image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completed {
    /// Bytes of the image.
    pub size: u64,
    /// Every byte that was written was read back from the stick and is equal.
    pub verified: bool,
}

/// Writes the lead, and so makes the stick what its image is. With what came of reading back, the
/// lead is read back too. Blocks.
///
/// Where it fails, the lead is taken back, as far as the stick still answers.
pub fn complete<D: Device>(
    written: &Written,
    checked: Option<Checked>,
    device: &D,
    meter: &Meter,
) -> Result<Completed, Box<Stopped>> {
    let mut head_began = false;
    match write_lead(written, checked.is_some(), device, meter, &mut head_began) {
        Ok(()) => {
            let compared = checked.map(|checked| checked.bytes + written.lead.counted());
            Ok(Completed {
                size: written.size,
                verified: written.mapped > 0 && compared == Some(written.mapped),
            })
        }
        Err(reason) => {
            let on_stick = match take_back(written, device) {
                Err(_) if head_began => OnStick::Unknown,
                _ => OnStick::Incomplete,
            };
            Err(Box::new(Stopped { reason, on_stick }))
        }
    }
}

fn write_lead<D: Device>(
    written: &Written,
    check: bool,
    device: &D,
    meter: &Meter,
    head_began: &mut bool,
) -> Result<(), StopReason> {
    let lead = &written.lead;
    let (head, rest) = lead.head_and_rest();
    if meter.is_cancelled() {
        return Err(StopReason::Cancelled);
    }
    meter.accept(lead.counted());
    for part in [rest, head] {
        if meter.is_cancelled() {
            return Err(StopReason::Cancelled);
        }
        if !part.is_empty() {
            *head_began = part.start == 0;
            let offset = part.start as u64;
            let written = device.write_at(offset, &lead.bytes()[part]);
            written.map_err(fault(device, Operation::Write, Some(offset)))?;
            device
                .flush()
                .map_err(fault(device, Operation::Checkpoint, None))?;
        }
    }
    meter.confirm(lead.counted());
    meter.durable_up_to(meter.confirmed());
    if check {
        compare(written, device)?;
        meter.check(lead.counted());
    }
    Ok(())
}

fn compare<D: Device>(written: &Written, device: &D) -> Result<(), StopReason> {
    let mut found = AlignedBuffer::new(written.lead.bytes().len());
    device
        .read_at(0, found.as_mut_slice())
        .map_err(fault(device, Operation::ReadBack, Some(0)))?;
    let mut pairs = written.lead.bytes().iter().zip(found.as_slice());
    match pairs.position(|(wanted, found)| wanted != found) {
        None => Ok(()),
        Some(offset) => Err(StopReason::Mismatch(Mismatch {
            offset: offset as u64,
            exact: true,
            guess: Guess::FailingStick,
        })),
    }
}

fn take_back<D: Device>(written: &Written, device: &D) -> io::Result<()> {
    let guard = written.lead.guard();
    device.write_at(0, guard.as_slice())?;
    device.flush()
}
