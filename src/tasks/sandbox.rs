//! What is different in a Flatpak's sandbox.

use std::path::Path;

use super::{About, Failure, Kind};

/// Where UDisks2 mounts sticks. The sandbox has them if they were there when it was made.
const PLACES: [&str; 2] = ["/run/media", "/media"];

/// Whether this runs in a Flatpak's sandbox.
pub(super) fn is_sandboxed() -> bool {
    Path::new("/.flatpak-info").exists()
}

/// A stick that is mounted at `folder`, which does not exist in the sandbox: a person can help, by a
/// command with the name of the folder above. Let in by itself, the stick would stay mounted in the sandbox
/// when it is unmounted outside. Whoever named that folder must not be the one who says what runs in a
/// terminal: where it is more than a name, one further up is told.
pub(super) fn out_of_sight(folder: &Path) -> Failure {
    if PLACES.iter().any(|place| folder.starts_with(place)) {
        let detail = format!("{} is not in the sandbox", folder.display());
        return Failure::new(Kind::OutOfSight, detail);
    }
    let plain = folder.ancestors().skip(1).find(|folder| is_plain(folder));
    let Some(plain) = plain.filter(|folder| folder.parent().is_some()) else {
        let detail = format!("{} is not in the sandbox", folder.display());
        return Failure::new(Kind::OutOfReach, detail);
    };
    let app = std::env::var("FLATPAK_ID").unwrap_or_default();
    Failure::of_file(Kind::OutOfReach, plain).about(About::Sandboxed(app))
}

/// Whether a shell takes the path as it is between quotation marks, and shows it so.
fn is_plain(folder: &Path) -> bool {
    let sign = |sign: char| sign.is_alphanumeric() || "/ ._-+,@=()".contains(sign);
    folder
        .to_str()
        .is_some_and(|path| path.chars().all(sign) && path.len() < 200)
}

#[cfg(test)]
mod tests {
    use super::super::Wording;
    use super::*;

    #[test]
    fn what_helps_depends_on_where_the_stick_is_mounted() {
        let told = |folder: &str| {
            let mut failure = out_of_sight(Path::new(folder));
            if let Some(About::Sandboxed(app)) = &mut failure.about {
                *app = "org.example.App".into();
            }
            Wording::of_failure(&failure).english()
        };
        for usual in ["/run/media/ann/MUSIC", "/media/ann/MUSIC", "/media/usb0"] {
            assert!(told(usual).contains("open it again"), "{usual}");
            assert!(!told(usual).contains("flatpak"), "{usual}");
        }
        let elsewhere = told("/mnt/My sticks/A");
        assert!(
            elsewhere.contains(
                "flatpak override --user --filesystem=\"/mnt/My sticks\" org.example.App"
            ),
            "{elsewhere}"
        );
    }

    #[test]
    fn a_sticks_name_is_never_run() {
        for (folder, told) in [
            ("/mnt/$(rm -rf ~)", Some("/mnt")),
            ("/mnt/Müller (2)/a", Some("/mnt/Müller (2)")),
            ("/mnt/$(rm -rf ~)/a", Some("/mnt")),
            ("/mnt/a\"; reboot; \"/b/c", Some("/mnt")),
            ("/mnt/`id`/a", Some("/mnt")),
            ("/mnt/!!/a", Some("/mnt")),
            ("/mnt/a\\/a", Some("/mnt")),
            ("/mnt/a\nb/a", Some("/mnt")),
            ("/mnt/\u{202e}a/a", Some("/mnt")),
            ("/$HOME/a", None),
            ("/stick", None),
        ] {
            let failure = out_of_sight(Path::new(folder));
            assert_eq!(failure.path.as_deref(), told.map(Path::new), "{folder}");
            assert_eq!(failure.about.is_some(), told.is_some(), "{folder}");
        }
    }
}
