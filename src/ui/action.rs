/// Everything a person can ask for by a button, a menu or a key: names and keys in one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// Opens the dialog for files.
    ChooseFiles,
    /// Opens the dialog for folders.
    ChooseFolder,
    /// From the chosen files to the sticks.
    Continue,
    /// Looks at files and stick, then goes on to the first question or to the job.
    Copy,
    /// Copies as it was chosen for what will not work.
    CopyAsChosen,
    /// Writes the image to the sticks that were named.
    EraseAndWrite,
    /// Back to the page before.
    Back,
    /// Stops the job.
    Cancel,
    /// Once more, with the same files.
    TryAgain,
    /// From the beginning.
    StartOver,
    /// Details of the failure, for whoever helps.
    CopyDetails,
    /// Who made this.
    About,
    /// Closes the window, asking first while a job runs.
    Quit,
}

impl Action {
    /// All of them.
    pub(super) const ALL: [Self; 13] = [
        Self::ChooseFiles,
        Self::ChooseFolder,
        Self::Continue,
        Self::Copy,
        Self::CopyAsChosen,
        Self::EraseAndWrite,
        Self::Back,
        Self::Cancel,
        Self::TryAgain,
        Self::StartOver,
        Self::CopyDetails,
        Self::About,
        Self::Quit,
    ];

    /// Inside the window's group, `win`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::ChooseFiles => "choose-files",
            Self::ChooseFolder => "choose-folder",
            Self::Continue => "continue",
            Self::Copy => "copy",
            Self::CopyAsChosen => "copy-as-chosen",
            Self::EraseAndWrite => "erase-and-write",
            Self::Back => "back",
            Self::Cancel => "cancel",
            Self::TryAgain => "try-again",
            Self::StartOver => "start-over",
            Self::CopyDetails => "copy-details",
            Self::About => "about",
            Self::Quit => "quit",
        }
    }

    /// Keys, as GTK writes them.
    pub(super) fn keys(self) -> &'static [&'static str] {
        match self {
            Self::ChooseFiles => &["<Control>o"],
            Self::ChooseFolder => &["<Control><Shift>o"],
            Self::Quit => &["<Control>q", "<Control>w"],
            _ => &[],
        }
    }
}
