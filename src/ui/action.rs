use gettextrs::gettext;

/// Everything a person can ask for by a button, a menu or a key: names and keys in one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// Opens the dialog for files.
    ChooseFiles,
    /// Opens the dialog for folders.
    ChooseFolder,
    /// Takes files from the clipboard.
    Paste,
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
    /// To the page that formats a stick.
    FormatStick,
    /// Formats it, after asking.
    Format,
    /// To the page that checks a stick.
    CheckStick,
    /// Checks it.
    Check,
    /// Stops that.
    StopCheck,
    /// What was done before.
    History,
    /// What is decided once and for all.
    Preferences,
    /// The keys.
    Shortcuts,
    /// Short pages about sticks.
    Help,
    /// Who made this.
    About,
    /// Closes the window, asking first while a job runs.
    Quit,
}

impl Action {
    /// All of them.
    pub(super) const ALL: [Self; 23] = [
        Self::ChooseFiles,
        Self::ChooseFolder,
        Self::Paste,
        Self::Continue,
        Self::Copy,
        Self::CopyAsChosen,
        Self::EraseAndWrite,
        Self::Back,
        Self::Cancel,
        Self::TryAgain,
        Self::StartOver,
        Self::CopyDetails,
        Self::FormatStick,
        Self::Format,
        Self::CheckStick,
        Self::Check,
        Self::StopCheck,
        Self::History,
        Self::Preferences,
        Self::Shortcuts,
        Self::Help,
        Self::About,
        Self::Quit,
    ];

    /// Inside the window's group, `win`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::ChooseFiles => "choose-files",
            Self::ChooseFolder => "choose-folder",
            Self::Paste => "paste",
            Self::Continue => "continue",
            Self::Copy => "copy",
            Self::CopyAsChosen => "copy-as-chosen",
            Self::EraseAndWrite => "erase-and-write",
            Self::Back => "back",
            Self::Cancel => "cancel",
            Self::TryAgain => "try-again",
            Self::StartOver => "start-over",
            Self::CopyDetails => "copy-details",
            Self::FormatStick => "format-stick",
            Self::Format => "format",
            Self::CheckStick => "check-stick",
            Self::Check => "check",
            Self::StopCheck => "stop-check",
            Self::History => "history",
            Self::Preferences => "preferences",
            Self::Shortcuts => "shortcuts",
            Self::Help => "help",
            Self::About => "about",
            Self::Quit => "quit",
        }
    }

    /// Keys, as GTK writes them.
    pub(super) fn keys(self) -> &'static [&'static str] {
        match self {
            Self::ChooseFiles => &["<Control>o"],
            Self::ChooseFolder => &["<Control><Shift>o"],
            Self::Paste => &["<Control>v"],
            Self::Back => &["Escape", "<Alt>Left"],
            Self::Preferences => &["<Control>comma"],
            Self::Shortcuts => &["<Control>question"],
            Self::Help => &["F1"],
            Self::Quit => &["<Control>q", "<Control>w"],
            _ => &[],
        }
    }

    /// Who hears its keys.
    pub(super) fn hears(self) -> Hears {
        match self {
            Self::Back => Hears::Pages,
            Self::Paste => Hears::WindowLast,
            _ => Hears::WindowFirst,
        }
    }

    /// What its keys do, for those that have any.
    pub(super) fn meaning(self) -> Option<String> {
        match self {
            Self::ChooseFiles => Some(gettext("Choose files")),
            Self::ChooseFolder => Some(gettext("Choose a folder")),
            Self::Paste => Some(gettext("Take files from the clipboard")),
            Self::Back => Some(gettext("Go back")),
            Self::Preferences => Some(gettext("Preferences")),
            Self::Shortcuts => Some(gettext("Keyboard shortcuts")),
            Self::Help => Some(gettext("Help")),
            Self::Quit => Some(gettext("Quit")),
            _ => None,
        }
    }
}

/// Who hears keys, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hears {
    /// The window, before whatever has the focus.
    WindowFirst,
    /// The window, unless whatever has the focus wants them: a text field pastes text.
    WindowLast,
    /// The pages themselves.
    Pages,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[gtk::test]
    fn keys_can_be_read_belong_to_one_action_and_have_a_meaning() {
        let mut seen = HashSet::new();
        for action in Action::ALL {
            assert_eq!(action.keys().is_empty(), action.meaning().is_none());
            for key in action.keys() {
                assert!(gtk::accelerator_parse(*key).is_some(), "{key}");
                assert!(seen.insert(key), "{key} twice");
            }
        }
        let names: HashSet<_> = Action::ALL.map(Action::name).into();
        assert_eq!(names.len(), Action::ALL.len());
    }
}
