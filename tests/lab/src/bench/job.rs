use std::{fmt, str::FromStr};

use anyhow::{Context, Result};

use super::{Bench, Place};

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    /// One film of 100 MB; with another size of it, all jobs grow.
    Large,
    /// 500 files of 4 KiB.
    Small,
    /// A film of 60 MB, 100 photos of 300 KB and 200 texts of 4 KiB.
    Mixed,
    /// A disk image of 100 MB.
    Image,
    /// The same, packed.
    ImageXz,
}

impl Job {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Large,
        Self::Small,
        Self::Mixed,
        Self::Image,
        Self::ImageXz,
    ];
    /// Where the sources lie: in memory, so that nobody waits for a disk.
    pub(super) const FOLDER: &'static str = "/run/steady-bench";

    /// Whether it erases the stick.
    pub(super) fn is_image(self) -> bool {
        matches!(self, Self::Image | Self::ImageXz)
    }

    /// Whether it is one row of bytes, so that the stick's own limit says something about it.
    pub(super) fn is_one_sequence(self) -> bool {
        matches!(self, Self::Large | Self::Image | Self::ImageXz)
    }

    /// The file or folder to be written.
    pub(super) fn source(self) -> String {
        let name = match self {
            Self::Large => "film.mkv",
            Self::Small => "notes",
            Self::Mixed => "album",
            Self::Image => "disk.img",
            Self::ImageXz => "disk.img.xz",
        };
        format!("{}/{name}", Self::FOLDER)
    }

    /// Makes the sources, with a film or an image of that many bytes. Gives the bytes that will be
    /// on the stick.
    pub(super) fn make(self, place: &mut dyn Place, large: u64) -> Result<u64> {
        let part = |of_quick: u64| of_quick * large / Bench::QUICK;
        let random = "random() { head -c $1 /dev/urandom >$2; }";
        let what = match self {
            Self::Large => format!("random {large} film.mkv"),
            Self::Small => format!(
                "mkdir notes; for n in $(seq {}); do random 4096 notes/$n.txt; done",
                part(500)
            ),
            Self::Mixed => format!(
                "mkdir album; random {} album/film.mkv
                for n in $(seq {}); do random 300000 album/$n.jpg; done
                for n in $(seq {}); do random 4096 album/$n.txt; done",
                part(60_000_000),
                part(100),
                part(200)
            ),
            // A third of it is easily packed, as in images that people write.
            Self::Image | Self::ImageXz => format!(
                "random {} disk.img; head -c {} /dev/zero >>disk.img",
                (large * 2 / 3).next_multiple_of(512),
                (large / 3).next_multiple_of(512)
            ),
        };
        let pack = match self {
            Self::ImageXz => "; xz -0 -T0 disk.img",
            _ => "",
        };
        let script = format!(
            "set -e; mkdir -p {folder}; mountpoint -q {folder} || mount -t tmpfs -o size=60% bench {folder}
            cd {folder}; rm -rf film.mkv notes album disk.img disk.img.xz; {random}; {what}
            find . -type f -printf '%s\\n' | awk '{{ sum += $1 }} END {{ print sum }}'{pack}",
            folder = Self::FOLDER,
        );
        let told = place.root(&["sh", "-c", &script])?.success()?.text();
        let bytes = told.lines().last().context("no size was told")?;
        Ok(bytes.trim().parse()?)
    }
}

impl FromStr for Job {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|job| job.to_string() == name);
        found.ok_or_else(|| "one of large, small, mixed, image, image-xz".to_owned())
    }
}

impl fmt::Display for Job {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Large => "large",
            Self::Small => "small",
            Self::Mixed => "mixed",
            Self::Image => "image",
            Self::ImageXz => "image-xz",
        })
    }
}
