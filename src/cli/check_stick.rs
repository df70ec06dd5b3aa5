use super::args::CheckStickArgs;
use super::confirm::may_erase;
use super::exit::Exit;
use super::output::Output;
use super::password::asked_for_image;
use crate::tasks::{AtEnd, CheckRequest, find_stick, prepare_check, stick_name};

pub(super) fn run(args: &CheckStickArgs) -> Exit {
    let drive = match find_stick(&args.stick) {
        Ok(drive) => drive,
        Err(failure) => return Output::new(args.json, None).refuse(&failure),
    };
    let name = stick_name(&drive);
    let output = Output::new(args.json, Some(&drive));
    let prepared = match prepare_check(&CheckRequest {
        drive,
        erase: args.erase,
        at_end: AtEnd::PowerOff,
    }) {
        Ok(prepared) => prepared,
        Err(failure) => return output.refuse(&failure),
    };
    output.notes(prepared.notes());
    if prepared.erases() && !may_erase(&[name], args.yes) {
        return Exit::Refused;
    }
    let _agent = asked_for_image();
    output.follow(&prepared.start(), true)
}
