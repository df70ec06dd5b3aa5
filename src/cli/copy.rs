use std::path::Path;

use super::args::CopyArgs;
use super::confirm::may_erase;
use super::exit::Exit;
use super::output::Output;
use super::password::asked_here;
use crate::drives::Drive;
use crate::tasks::{
    AtEnd, Choice, Choices, CopyRequest, Destination, Failure, Gathering, find_stick, find_volume,
    prepare_copy, stick_name,
};

pub(super) fn run(args: CopyArgs) -> Exit {
    let drive = match stick_of(&args) {
        Ok(drive) => drive,
        Err(failure) => return Output::new(args.json, None).refuse(&failure),
    };
    let output = Output::new(args.json, drive.as_ref());
    // Mounting asks already where the stick is the system's.
    let _agent = drive.as_ref().and_then(asked_here);
    let name = drive.as_ref().map(stick_name);
    let format = args.format.map(|format| format.with_label(&args.label));
    let erases = format.is_some();
    let destination = match drive {
        Some(drive) => Destination::Stick {
            volume: find_volume(&drive, &args.to),
            drive: Box::new(drive),
            format,
        },
        None => Destination::Folder(args.to.into()),
    };
    let request = CopyRequest {
        sources: args.source,
        destination,
        check: !args.no_check,
        choices: Choices {
            all: args.on_problem.into_iter().map(Choice::from).collect(),
            ..Choices::default()
        },
        at_end: match (args.keep_mounted, args.no_power_off) {
            (true, _) => AtEnd::KeepMounted,
            (false, true) => AtEnd::Unmount,
            (false, false) => AtEnd::PowerOff,
        },
        repair: args.repair,
    };
    let prepared = match prepare_copy(request, &Gathering::default()) {
        Ok(prepared) => prepared,
        Err(failure) => return output.refuse(&failure),
    };
    if prepared.must_stop() {
        return output.refuse_problems(prepared.problems());
    }
    if let Some(name) = name.filter(|_| erases)
        && !may_erase(&[name], args.yes)
    {
        return Exit::Refused;
    }
    let checks = prepared.checks();
    output.follow(&prepared.start(), checks)
}

/// The stick that is meant, or none where it is a folder.
fn stick_of(args: &CopyArgs) -> Result<Option<Drive>, Failure> {
    if Path::new(&args.to).is_dir() {
        if args.format.is_some() {
            return Err(Failure::new(crate::tasks::Kind::NotAStick, &args.to));
        }
        return Ok(None);
    }
    find_stick(&args.to).map(Some)
}
