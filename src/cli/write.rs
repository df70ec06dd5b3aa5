use super::args::WriteArgs;
use super::confirm::may_erase;
use super::exit::Exit;
use super::output::{Output, warn};
use super::password::asked_for_image;
use crate::drives::Drive;
use crate::tasks::{
    AtEnd, Failure, GivenChecksum, GivenMap, WriteRequest, find_stick, prepare_write,
    shown_message, stick_name,
};

pub(super) fn run(args: WriteArgs) -> Exit {
    let sticks = match find_sticks(&args.to) {
        Ok(sticks) => sticks,
        Err(failure) => return Output::new(args.json, None).refuse(&failure),
    };
    let only = Some(&sticks[0]).filter(|_| sticks.len() == 1);
    let output = Output::new(args.json, only);
    let names = names(&sticks);
    let request = WriteRequest {
        image: args.image,
        entry: args.entry,
        sticks: sticks.clone(),
        check: !args.no_check,
        checksum: match (args.sha256, args.checksum_file) {
            (Some(value), _) => GivenChecksum::Value(value),
            (None, Some(list)) => GivenChecksum::List(list),
            (None, None) => GivenChecksum::None,
        },
        map: match (args.bmap, args.no_bmap) {
            (Some(map), _) => GivenMap::File(map),
            (None, true) => GivenMap::None,
            (None, false) => GivenMap::Beside,
        },
        // It is among the notes, and who agrees to erasing agrees to this.
        lock: true,
        at_end: if args.no_power_off {
            AtEnd::Unmount
        } else {
            AtEnd::PowerOff
        },
    };
    let prepared = match prepare_write(&request) {
        Ok(prepared) => prepared,
        Err(failure) => {
            if only.is_none() {
                warn(&shown_message(&failure.detail));
            }
            return output.refuse(&failure);
        }
    };
    output.notes(prepared.notes());
    if !may_erase(&names, args.yes) {
        return Exit::Refused;
    }
    let _agent = asked_for_image();
    let checks = prepared.checks();
    let ids = sticks.into_iter().map(|drive| drive.id);
    let jobs = ids.zip(names).zip(prepared.start());
    output.follow_all(&jobs.collect::<Vec<_>>(), checks)
}

/// Each once, even where it was named twice.
fn find_sticks(named: &[String]) -> Result<Vec<Drive>, Failure> {
    let mut sticks: Vec<Drive> = Vec::with_capacity(named.len());
    for name in named {
        let stick = find_stick(name)?;
        if sticks.iter().all(|known| known.id != stick.id) {
            sticks.push(stick);
        }
    }
    Ok(sticks)
}

/// With the device, where several could be called the same.
fn names(sticks: &[Drive]) -> Vec<String> {
    let names = sticks.iter().map(|drive| match sticks.len() {
        1 => stick_name(drive),
        _ => format!("{} ({})", stick_name(drive), drive.device.display()),
    });
    names.collect()
}
