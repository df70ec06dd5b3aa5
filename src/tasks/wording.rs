mod check;
mod image;
mod offer;
mod size;
mod slow;

use std::path::Path;

use super::{
    About, CheckFound, Failure, ImageFile, Kind, OfferedImage, Problem, ProblemGroup, ProblemKind,
    Renamed, Report, Slow, shown,
};

pub use size::{Notation, power_of, size_text};

use size::need_text;

/// A sentence for people, ready to be translated: a template with `{named}` places and what goes
/// into them. All sentences about problems and failures live here. The window translates
/// the template before filling it; the command line fills it as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wording {
    /// English, also the key of the translation.
    pub template: &'static str,
    /// The form for more than one, and the count that decides.
    pub plural: Option<(&'static str, u64)>,
    /// By the name of their place.
    pub args: Vec<(&'static str, Arg)>,
}

/// What goes into a [`Wording`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arg {
    /// A name or other text; what would not be harmless to show is left out where it is filled in.
    Text(String),
    /// Bytes that are there.
    Size(u64),
    /// Bytes that are needed.
    Need(u64),
    /// A number of things.
    Count(u64),
}

/// Marks a template for xgettext.
fn wording(template: &'static str) -> Wording {
    Wording {
        template,
        plural: None,
        args: Vec::new(),
    }
}

/// Marks both forms of a template for xgettext.
fn wording_n(template: &'static str, plural: &'static str, count: u64) -> Wording {
    Wording {
        template,
        plural: Some((plural, count)),
        args: vec![("count", Arg::Count(count))],
    }
}

impl Wording {
    fn text(self, name: &'static str, value: impl Into<String>) -> Self {
        self.arg(name, Arg::Text(value.into()))
    }

    fn size(self, name: &'static str, bytes: u64) -> Self {
        self.arg(name, Arg::Size(bytes))
    }

    fn arg(mut self, name: &'static str, value: Arg) -> Self {
        self.args.push((name, value));
        self
    }

    /// Puts the arguments into a (translated) template, sizes in the notation of its language.
    pub fn fill(&self, template: &str, notation: &Notation) -> String {
        // One pass over the template, so that a `{…}` inside an argument is left alone.
        let mut filled = String::with_capacity(template.len());
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            filled.push_str(before);
            let known = after.split_once('}').and_then(|(name, behind)| {
                let (_, arg) = self.args.iter().find(|(known, _)| *known == name)?;
                Some((arg, behind))
            });
            if let Some((arg, behind)) = known {
                match arg {
                    Arg::Text(text) => filled.push_str(&shown(text)),
                    Arg::Size(bytes) => filled.push_str(&size_text(*bytes, notation)),
                    Arg::Need(bytes) => filled.push_str(&need_text(*bytes, notation)),
                    Arg::Count(count) => filled.push_str(&count.to_string()),
                }
                rest = behind;
            } else {
                filled.push('{');
                rest = after;
            }
        }
        filled.push_str(rest);
        filled
    }

    /// As it is, in English.
    pub fn english(&self) -> String {
        let template = match self.plural {
            Some((plural, count)) if count != 1 => plural,
            _ => self.template,
        };
        self.fill(template, &Notation::ENGLISH)
    }

    /// What will not work, before the start.
    pub fn of_problem(problem: &Problem) -> Self {
        let name = file_name(&problem.path);
        let size = problem.size.unwrap_or_default();
        let limit = problem.limit.unwrap_or_default();
        if let (ProblemKind::NameCharset, Some(charset)) = (problem.kind, &problem.detail) {
            return wording(
                "The stick is mounted with the character set “{charset}”, which can’t hold the name “{name}”. Unplug it and plug it in again.",
            )
            .text("charset", charset)
            .text("name", name);
        }
        match Kind::from(problem.kind) {
            Kind::FileTooLarge => wording(
                "“{name}” is {size}, but a FAT32 stick holds files up to {limit}. Formatted as exFAT, the stick can take it.",
            )
            .text("name", name)
            .arg("size", Arg::Need(size))
            .size("limit", limit),
            Kind::NotEnoughSpace => {
                wording("{size} are needed, but the stick has room for {limit}.")
                    .arg("size", Arg::Need(size))
                    .size("limit", limit)
            }
            kind => of_kind(kind, &name),
        }
    }

    /// The question about problems of one kind.
    pub fn of_group(group: &ProblemGroup) -> Self {
        match group.problems.as_slice() {
            [problem] => Self::of_problem(problem),
            problems => of_many(Kind::from(group.kind), problems.len() as u64),
        }
    }

    /// What went wrong.
    pub fn of_failure(failure: &Failure) -> Self {
        if failure.kind == Kind::Busy {
            return of_busy(failure);
        }
        if let (Some(folder), Some(About::Sandboxed(app))) = (&failure.path, &failure.about) {
            return wording(
                "The stick is mounted in “{folder}”, where Steady may not look. To allow it, run “flatpak override --user --filesystem=\"{folder}\" {app}” in a terminal. Then close Steady and open it again.",
            )
            .text("folder", folder.to_string_lossy())
            .text("app", app);
        }
        let name = failure.path.as_deref().map(file_name).unwrap_or_default();
        image::of_failure(failure, &name)
            .or_else(|| check::of_failure(failure))
            .unwrap_or_else(|| of_kind(failure.kind, &name))
    }

    /// What a check has found.
    pub fn of_check(found: &CheckFound) -> Vec<Self> {
        check::of_found(found)
    }

    /// Why a stick is slow.
    pub fn of_slow(reason: Slow) -> Self {
        slow::of_slow(reason)
    }

    /// What has another name on the stick.
    pub fn of_renamed(renamed: &Renamed) -> Self {
        wording("“{name}” is called “{new_name}” on the stick.")
            .text("name", file_name(&renamed.source))
            .text("new_name", file_name(&renamed.target))
    }

    /// What an image is, and how large: a few words each.
    pub fn of_image(image: &ImageFile) -> Vec<Self> {
        offer::of_image(image)
    }

    /// What was found beside an image, and what it is used for.
    pub fn of_beside(image: &OfferedImage) -> Vec<Self> {
        offer::of_beside(image)
    }

    /// What is on the stick after an end that was not a full success, and what to do with it.
    pub fn of_rest(report: &Report) -> Vec<Self> {
        Self::rest(None, report)
    }

    /// The same after a failure, on which it depends what helps.
    pub fn of_rest_after(failure: &Failure, report: &Report) -> Vec<Self> {
        Self::rest(Some(failure.kind), report)
    }

    fn rest(failed: Option<Kind>, report: &Report) -> Vec<Self> {
        if let Some(found) = &report.found {
            return check::of_rest(found);
        }
        if let Some(left) = report.image_left {
            return image::of_left(left, failed);
        }
        let on_stick = &report.on_stick;
        let mut sentences = Vec::new();
        let mut tell = |count: usize, one, many| {
            if count > 0 {
                sentences.push(wording_n(one, many, count as u64));
            }
        };
        tell(
            on_stick.complete.len(),
            "{count} file is complete on the stick.",
            "{count} files are complete on the stick.",
        );
        tell(
            on_stick.kept.len(),
            "{count} of them was there already.",
            "{count} of them were there already.",
        );
        tell(
            on_stick.missing.len(),
            "{count} file is not on the stick.",
            "{count} files are not on the stick.",
        );
        tell(
            on_stick.removed.len(),
            "{count} unfinished file was removed from the stick.",
            "{count} unfinished files were removed from the stick.",
        );
        tell(
            on_stick.partial.len(),
            "{count} unfinished file may still be on the stick. The next copy removes it.",
            "{count} unfinished files may still be on the stick. The next copy removes them.",
        );
        tell(
            on_stick.deleted.len(),
            "{count} old file was deleted to make room, and the new one is not there yet.",
            "{count} old files were deleted to make room, and the new ones are not there yet.",
        );
        tell(
            on_stick.left_over.len(),
            "{count} left-over of an interrupted copy stays in the folder “.steady-parts” until the stick was repaired.",
            "{count} left-overs of an interrupted copy stay in the folder “.steady-parts” until the stick was repaired.",
        );
        tell(
            on_stick.skipped.len(),
            "{count} file was left out.",
            "{count} files were left out.",
        );
        sentences
    }
}

/// Who uses the stick, and what was unmounted before that was found out.
fn of_busy(failure: &Failure) -> Wording {
    let unmounted = match &failure.about {
        Some(About::Unmounted(places)) => Some(places.join(", ")),
        _ => None,
    };
    match (&failure.program, unmounted) {
        (Some(program), None) => {
            wording("“{program}” is using the stick. Close it and try again.").text("program", program)
        }
        (Some(program), Some(places)) => wording(
            "“{program}” is using the stick. Close it and try again. These parts of the stick can’t be reached until it is plugged in again: {places}.",
        )
        .text("program", program)
        .text("places", places),
        (None, Some(places)) => wording(
            "Another program is using the stick. Close it and try again. These parts of the stick can’t be reached until it is plugged in again: {places}.",
        )
        .text("places", places),
        (None, None) => wording("Another program is using the stick. Close it and try again."),
    }
}

/// The sentence of each kind; those about a file have a place for its name.
#[allow(clippy::too_many_lines, reason = "a sentence each")]
fn of_kind(kind: Kind, name: &str) -> Wording {
    let sentence = match kind {
        Kind::FileTooLarge => wording("“{name}” is too large for this stick."),
        Kind::NotEnoughSpace => wording("The stick is full."),
        Kind::NameForbidden => {
            wording("“{name}” has a sign in its name that this stick can’t store.")
        }
        Kind::FolderFull => {
            wording("“{name}” does not fit: its folder on the stick can hold no more names.")
        }
        Kind::AlreadyThere => {
            wording("“{name}” seems to be on the stick already: same name, size and date.")
        }
        Kind::NameReserved => wording("“{name}” has a name that Windows can’t open."),
        Kind::NameClash => wording("There is already something named “{name}” there."),
        Kind::NameTooLong => wording("The name “{name}” is too long for this stick."),
        Kind::NameNotUtf8 => wording("The name “{name}” can’t be stored on this stick."),
        Kind::Link => wording("“{name}” is a link. Links are not copied."),
        Kind::SpecialFile => wording("“{name}” is not a file or folder that can be copied."),
        Kind::Unreadable => wording("“{name}” can’t be read."),
        Kind::NothingToCopy => wording("There is nothing to copy: no files were found."),
        Kind::SourceChanged => wording("“{name}” changed while it was being copied."),
        Kind::SourceGone => wording("“{name}” can’t be found."),
        Kind::Stalled => {
            wording("“{name}” can’t be read: the place it comes from does not answer.")
        }
        Kind::SourceOnStick => wording("“{name}” is on the stick itself. It would be erased."),
        Kind::IntoItself => wording("“{name}” can’t be copied into itself."),
        Kind::TargetGone => wording("The stick no longer answers. It may have been unplugged."),
        Kind::TargetChanged => {
            wording("This is not the stick that was chosen. Nothing was written.")
        }
        Kind::WriteProtected => {
            wording("The stick can only be read. Some sticks and cards have a small lock switch.")
        }
        Kind::TurnedReadOnly => wording(
            "The stick can only be read now, because its file system has errors. Copy again: Steady then offers to repair it.",
        ),
        Kind::NoMedium => wording("There is no card in this reader."),
        Kind::Busy => wording("Another program is using the stick. Close it and try again."),
        Kind::InUseBySystem => wording("This drive holds the running system. It is never written."),
        Kind::LeftEmpty => wording(
            "The stick is empty now and has no file system, because formatting broke off. Format it again.",
        ),
        Kind::Dismissed => wording("The password was not given."),
        Kind::NoAgent => wording(
            "An administrator’s password is needed, but nothing here can ask for it. Start Steady on the desktop, or as an administrator.",
        ),
        Kind::NotAuthorized => wording("You are not allowed to write to this stick."),
        Kind::NoUdisks => wording(
            "The system’s disk service (UDisks2) does not answer. Without it, sticks can’t be used.",
        ),
        Kind::VerifyMismatch => wording(
            "“{name}” reads back differently from what was written. The stick may be failing, or smaller than it claims.",
        ),
        Kind::LabelTooLong => wording("The name of the stick is too long: at most 11 characters."),
        Kind::LabelForbidden => wording("The name of the stick has a sign that it can’t store."),
        Kind::StickTooSmall => wording("The stick is too small for this format."),
        Kind::StickTooLarge => wording("The stick is too large for this format."),
        Kind::NoFileSystem => {
            wording("The stick has no file system that can be used. Format it first.")
        }
        Kind::SeveralFileSystems => {
            wording("The stick is divided into several parts. Choose the one to copy to.")
        }
        Kind::NoDriver => wording(
            "This computer can’t read what is on the stick. Formatting makes it usable, but erases it.",
        ),
        Kind::DamagedFileSystem => wording(
            "The stick was unplugged too early once, or its file system has errors. It has to be repaired before anything is copied. Repairing may leave pieces of lost files on it, such as FSCK0000.REC.",
        ),
        Kind::BeyondRepair => wording(
            "The file system of the stick is damaged and could not be repaired. Formatting makes the stick usable again, but erases it.",
        ),
        Kind::MountedReadOnly => wording(
            "The stick can only be read at the moment. Unplug it, plug it in again and try once more.",
        ),
        Kind::OutOfSight | Kind::OutOfReach => wording(
            "Steady can’t see where the stick is mounted, because there was no place for sticks when it was opened. Close Steady and open it again.",
        ),
        Kind::NoSuchStick => wording("There is no such stick. Is it plugged in?"),
        Kind::NotAStick => wording("This is neither a stick nor a card. It is never written."),
        Kind::ImageTooLarge => wording("“{name}” is larger than the stick."),
        Kind::ImageCorrupt => wording("“{name}” is damaged or incomplete. Download it again."),
        Kind::ImageUnsupported => wording("“{name}” can’t be written to a stick as it is."),
        Kind::ImageEmpty => wording("“{name}” is empty."),
        Kind::NotAnImage => wording("“{name}” is not a disk image."),
        Kind::NoImageInside => wording("There is no disk image in “{name}”."),
        Kind::SeveralImages => wording("There are several disk images in “{name}”. Choose one."),
        Kind::WillNotBoot => wording(
            "“{name}” has no partition table. A computer will probably not start from the stick.",
        ),
        Kind::WindowsInstaller => wording(
            "“{name}” installs Windows. A computer will probably not start from a stick written like this. Open the image and copy its files to a stick formatted as FAT32 instead.",
        ),
        Kind::NameMismatch => wording("“{name}” is not what its name says. What is in it decides."),
        Kind::SectorSize => wording(
            "“{name}” was made for sticks with another size of sectors. A computer may not find anything on this one.",
        ),
        Kind::ChecksumMismatch => {
            wording("“{name}” does not have the checksum that it should have. Download it again.")
        }
        Kind::ChecksumNoEntry => wording("The list has no checksum for “{name}”."),
        Kind::NotAChecksum if name.is_empty() => wording("This is not a checksum."),
        Kind::NotAChecksum => wording("There is no checksum in “{name}”."),
        Kind::SignatureUnchecked => wording(
            "“{name}” is signed, but its signature was not checked. It counts as a plain list of checksums.",
        ),
        Kind::BmapUnusable => wording("“{name}” is damaged, or not the block map of this image."),
        Kind::BmapIgnored => wording(
            "“{name}” is damaged, or not the block map of this image. The whole image is written.",
        ),
        Kind::FakeCapacity => wording(
            "The stick has less room than it claims. What was written to it is lost in part.",
        ),
        Kind::OnlySize => wording(
            "Nothing on the stick can be filled with test data, so only its size is checked.",
        ),
        Kind::ChangedBySystem => wording(
            "Something on this computer changed the stick while it was being checked. Write it again.",
        ),
        Kind::Unlocked => {
            wording("An encrypted part of the stick is open. Close it and try again.")
        }
        Kind::OneOfSeveral => wording(
            "This drive belongs to a group of drives that the system uses as one (LVM, RAID or Btrfs). It is never written.",
        ),
        Kind::WillLock => wording(
            "An encrypted part of the stick is open. It is closed before anything is written.",
        ),
        Kind::IoError => wording("The stick reports an error. It may be failing."),
    };
    sentence.text("name", name)
}

/// The sentence about several files of one kind of problem.
fn of_many(kind: Kind, count: u64) -> Wording {
    match kind {
        Kind::FileTooLarge => wording_n(
            "{count} file is too large: a FAT32 stick holds files up to 4.2 GB. Formatted as exFAT, the stick can take it.",
            "{count} files are too large: a FAT32 stick holds files up to 4.2 GB. Formatted as exFAT, the stick can take them.",
            count,
        ),
        Kind::NameForbidden | Kind::NameNotUtf8 => wording_n(
            "{count} name has a sign that this stick can’t store.",
            "{count} names have signs that this stick can’t store.",
            count,
        ),
        Kind::NameReserved => wording_n(
            "{count} name is one that Windows can’t open.",
            "{count} names are ones that Windows can’t open.",
            count,
        ),
        Kind::NameTooLong => wording_n(
            "{count} name is too long for this stick.",
            "{count} names are too long for this stick.",
            count,
        ),
        Kind::NameClash => wording_n(
            "{count} name is taken on the stick already.",
            "{count} names are taken on the stick already.",
            count,
        ),
        Kind::AlreadyThere => wording_n(
            "{count} file seems to be on the stick already: same name, size and date.",
            "{count} files seem to be on the stick already: same names, sizes and dates.",
            count,
        ),
        Kind::FolderFull => wording_n(
            "{count} item does not fit: its folder on the stick can hold no more names.",
            "{count} items do not fit: their folders on the stick can hold no more names.",
            count,
        ),
        Kind::Link => wording_n(
            "{count} item is a link. Links are not copied.",
            "{count} items are links. Links are not copied.",
            count,
        ),
        Kind::SpecialFile => wording_n(
            "{count} item is not a file or folder that can be copied.",
            "{count} items are not files or folders that can be copied.",
            count,
        ),
        Kind::Unreadable => wording_n(
            "{count} item can’t be read.",
            "{count} items can’t be read.",
            count,
        ),
        Kind::SourceGone => wording_n(
            "{count} item can’t be found any more.",
            "{count} items can’t be found any more.",
            count,
        ),
        _ => wording_n(
            "{count} item can’t be copied.",
            "{count} items can’t be copied.",
            count,
        ),
    }
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drives;

    #[test]
    fn arguments_are_filled_once_and_unknown_places_stay() {
        let template = "{a} and {b} and {unknown} {";
        let wording = wording(template).text("a", "{b}").size("b", 1_500_000);
        assert_eq!(wording.english(), "{b} and 1.5 MB and {unknown} {");
        let comma = Notation {
            decimal: ",".into(),
            ..Notation::ENGLISH
        };
        assert_eq!(wording.fill("{b}!", &comma), "1,5 MB!");
    }

    #[test]
    fn b03_who_holds_the_stick_and_what_is_unmounted_is_told() {
        let told = |program: Option<&str>, unmounted: &[&str]| {
            let failure = Failure::from(drives::Error::Busy {
                mount_point: None,
                program: program.map(str::to_owned),
                unmounted: unmounted.iter().map(Into::into).collect(),
                message: String::new(),
            });
            Wording::of_failure(&failure).english()
        };
        assert_eq!(
            told(Some("Music"), &[]),
            "“Music” is using the stick. Close it and try again."
        );
        for (program, begins) in [(Some("Music"), "“Music” is"), (None, "Another program is")] {
            let told = told(program, &["/run/media/ann/ONE", "/run/media/ann/TWO"]);
            assert!(
                told.starts_with(begins) && told.ends_with(": ONE, TWO."),
                "{told}"
            );
        }
    }

    #[test]
    fn plural_follows_the_count() {
        let mut report = Report::default();
        report.on_stick.complete = vec!["a".into()];
        report.on_stick.missing = vec!["b".into(), "c".into()];
        let told: Vec<_> = Wording::of_rest(&report)
            .iter()
            .map(Wording::english)
            .collect();
        assert_eq!(
            told,
            [
                "1 file is complete on the stick.",
                "2 files are not on the stick."
            ]
        );
    }
}
