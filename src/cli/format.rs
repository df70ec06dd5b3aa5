use super::args::FormatArgs;
use super::confirm::may_erase;
use super::exit::Exit;
use super::output::Output;
use super::password::asked_here;
use crate::tasks::{find_stick, prepare_format, stick_name};

pub(super) fn run(args: &FormatArgs) -> Exit {
    let drive = match find_stick(&args.stick) {
        Ok(drive) => drive,
        Err(failure) => return Output::new(args.json, None).refuse(&failure),
    };
    let name = stick_name(&drive);
    let output = Output::new(args.json, Some(&drive));
    let prepared = match prepare_format(&drive, &args.fs.with_label(&args.label)) {
        Ok(prepared) => prepared,
        Err(failure) => return output.refuse(&failure),
    };
    if !may_erase(&[name], args.yes) {
        return Exit::Refused;
    }
    let _agent = asked_here(&drive);
    output.follow(&prepared.start(), false)
}
