use super::place::Place;
use super::{Event, Failure, Job, Kind, Phase, Report};
use crate::drives::{Drive, FormatSpec, Udisks, format_problem};

/// A stick that can be formatted as asked, looked at again just now. Nothing was written yet.
#[derive(Debug)]
pub struct PreparedFormat {
    place: Place,
}

/// Looks whether `drive` is still there and can be formatted like that. Blocks: belongs on a
/// worker thread.
pub fn prepare_format(drive: &Drive, spec: &FormatSpec) -> Result<PreparedFormat, Failure> {
    let udisks = Udisks::connect()?;
    let drive = udisks.recheck(drive)?;
    let place = place_to_format(udisks, drive, spec)?;
    Ok(PreparedFormat { place })
}

/// The place that `drive` will be once it is formatted.
pub(super) fn place_to_format(
    udisks: Udisks,
    drive: Drive,
    spec: &FormatSpec,
) -> Result<Place, Failure> {
    if let Some(problem) = format_problem(drive.size, spec) {
        return Err(Failure::new(Kind::from(problem), format!("{problem:?}")));
    }
    Ok(Place::ToFormat {
        udisks,
        drive: Box::new(drive),
        spec: spec.clone(),
    })
}

impl PreparedFormat {
    /// Starts formatting, which erases the stick, on a thread of its own.
    pub fn start(self) -> Job {
        Job::start("format", move |story| {
            let mut report = Report::default();
            story.begin(Phase::Formatting);
            let formatted = self.place.make_ready().and_then(|ready| {
                story.begin(Phase::Finishing);
                ready.settle(false)
            });
            report.seconds = story.seconds();
            match formatted {
                Ok(safe) => {
                    report.safe_to_unplug = safe;
                    Event::Done(report)
                }
                Err(failure) if failure.kind == Kind::Dismissed => Event::Cancelled(report),
                Err(failure) => Event::Failed(failure, report),
            }
        })
    }
}
