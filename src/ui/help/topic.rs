use gettextrs::gettext;

/// What a person may want to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ui) enum Topic {
    /// FAT32 or exFAT.
    Formats,
    /// Why it takes so long.
    Slow,
    /// What is promised at the end.
    Safe,
    /// Images.
    Images,
    /// What to do when it failed.
    Failure,
}

impl Topic {
    pub(in crate::ui) const ALL: [Self; 5] = [
        Self::Formats,
        Self::Slow,
        Self::Safe,
        Self::Images,
        Self::Failure,
    ];

    pub(super) fn title(self) -> String {
        match self {
            Self::Formats => gettext("FAT32 or exFAT?"),
            Self::Slow => gettext("Why is my stick so slow?"),
            Self::Safe => gettext("What does “safe to unplug” mean?"),
            Self::Images => gettext("Disk images"),
            Self::Failure => gettext("When something went wrong"),
        }
    }

    pub(super) fn paragraphs(self) -> Vec<String> {
        match self {
            Self::Formats => vec![
                gettext(
                    "The format decides which devices can read the stick, and how large a file may be.",
                ),
                gettext(
                    "FAT32 is read by nearly everything: TVs, car radios, printers, old computers. A single file can be 4 GB at most, so long films may not fit.",
                ),
                gettext(
                    "exFAT takes files of any size. Computers of the last years read it, but some TVs and car radios don’t.",
                ),
                gettext(
                    "If you don’t know what the other device can read, take FAT32. If a file is too large for it, Steady says so before anything is written.",
                ),
                gettext("Formatting erases everything on the stick."),
            ],
            Self::Slow => vec![
                gettext(
                    "Sticks read much faster than they write, and cheap ones write very slowly. The speed on the package is mostly the one for reading.",
                ),
                gettext(
                    "Many sticks start fast and become slow after the first gigabytes: they put new data into a small fast part first, and that is full then. In the speed graph this is where it says “slower since”. After a pause they are often fast again.",
                ),
                gettext(
                    "Thousands of small files take much longer than one large file of the same size.",
                ),
                gettext(
                    "Other programs often seem faster because they count what was only handed over. Steady counts what the stick has really taken.",
                ),
                gettext(
                    "A stick in an old socket, or behind a hub, is often slower than it could be. Try another socket, directly at the computer.",
                ),
            ],
            Self::Safe => vec![
                gettext(
                    "While files are copied, the computer and the stick both keep part of them in memory for a while. If the stick is unplugged then, files are missing or damaged, even if everything looked finished.",
                ),
                gettext(
                    "Steady says “Safe to unplug” only when all of this is over: everything is on the stick, the stick has confirmed it, and the system has let go of it. Then it can be unplugged without any further step.",
                ),
                gettext(
                    "With “Check the copy”, everything is also read back from the stick and compared with the original. That takes a while, and shows whether the stick really keeps what it was given.",
                ),
            ],
            Self::Images => vec![
                gettext(
                    "A disk image is a file that holds a whole disk, for instance to install a system. Its name often ends in .iso or .img.",
                ),
                gettext(
                    "To start a computer from the stick, the image has to be written to it; copying the file is not enough. Writing an image erases the whole stick.",
                ),
                gettext(
                    "Packed images, such as .xz, .gz, .zst or .zip, can be written as they are.",
                ),
                gettext(
                    "Afterwards the stick may look smaller, or other systems offer to format it. “Format a Stick” in the menu turns it back into an ordinary one.",
                ),
                gettext(
                    "Images of Windows are different: most computers don’t start from a stick that such an image was written to. Steady says so, and what to do instead.",
                ),
            ],
            Self::Failure => vec![
                gettext(
                    "The last page says what happened, what is on the stick now, and what to do. Files that are complete stay there; if you copy the same files again, Steady goes on with the rest.",
                ),
                gettext(
                    "If the stick no longer answers, unplug it, plug it in again and try once more, best in another socket.",
                ),
                gettext(
                    "If files read back differently, or errors keep coming, the stick is probably failing, or it has less room than it claims. Don’t trust it with anything that you need.",
                ),
                gettext(
                    "“Copy Details” puts technical details on the clipboard. They help whoever helps you.",
                ),
            ],
        }
    }
}
