//! Why a stick is slow, as far as something on this computer tells.

use serde::{Serialize, Serializer};

use super::Known;
use crate::drives::{Commands, Drive, MountOptions, Room, Volume};

/// A reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slow {
    /// The port, a hub or the stick talks USB 1.1: at most 1 MB/s.
    Usb1,
    /// The stick can do more than the port, a hub or the cable that it is plugged into.
    OlderPort,
    /// Mounted so that each write waits for the stick.
    EachWriteWaits,
    /// Commands to it fail or get no answer.
    CommandsFail,
    /// There is hardly any room left, so that the stick has to tidy up while it is written.
    NearlyFull,
    /// A check has seen it get slower from so many bytes written in one go.
    KnownCliff(u64),
    /// Its file system counts in so small pieces that files fall apart.
    TinyClusters,
}

/// What the reasons are found in.
#[derive(Debug, Clone, Copy, Default)]
struct Facts {
    speed_mbit: Option<u32>,
    usb_release: Option<(u8, u8)>,
    mount: Option<MountOptions>,
    commands: Option<Commands>,
    room: Option<Room>,
    cliff_at: Option<u64>,
}

/// By the name that the JSON lines use.
impl Serialize for Slow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(match self {
            Self::Usb1 => "usb1",
            Self::OlderPort => "older_port",
            Self::EachWriteWaits => "each_write_waits",
            Self::CommandsFail => "commands_fail",
            Self::NearlyFull => "nearly_full",
            Self::KnownCliff(_) => "known_cliff",
            Self::TinyClusters => "tiny_clusters",
        })
    }
}

impl Slow {
    /// The reasons of a stick as it is now, of which `known` is remembered; the weightiest first.
    /// Blocks while the stick does not answer: belongs on a worker thread.
    pub fn reasons(drive: &Drive, known: Option<&Known>) -> Vec<Self> {
        let mounted = |volume: &&Volume| !volume.mounted_at.is_empty();
        let volume = drive.volumes.iter().find(mounted);
        Self::of(&Facts {
            speed_mbit: drive.speed_mbit,
            usb_release: drive.usb_release,
            mount: volume.and_then(|volume| volume.mount_options),
            commands: Commands::of(drive),
            room: volume.and_then(|volume| Room::at(volume.mounted_at.first()?)),
            cliff_at: known.and_then(|known| known.speed()?.cliff_at),
        })
    }

    fn of(facts: &Facts) -> Vec<Self> {
        /// Below, opening files costs more than the room that larger clusters would waste.
        const LEAST_CLUSTER: u64 = 4096;
        /// On smaller file systems small clusters are as they should be.
        const SMALL_STICK: u64 = 256 << 20;
        /// Many sticks do not know a command or two and say so when they are plugged in.
        const HARMLESS: u64 = 10;

        let mounted = |wanted: fn(&MountOptions) -> bool| facts.mount.as_ref().is_some_and(wanted);
        let commands = facts.commands.unwrap_or_default();
        let room = facts.room.unwrap_or_default();
        // A device of USB 3 that has to talk USB 2 tells the release 2.10 instead of 2.0.
        let could_do_more = facts.usb_release == Some((2, 10));
        let checks = [
            (
                Self::CommandsFail,
                commands.unanswered > 0
                    || (commands.failed > HARMLESS && commands.failed * 100 > commands.done),
            ),
            (Self::Usb1, facts.speed_mbit.is_some_and(|it| it <= 12)),
            (
                Self::OlderPort,
                could_do_more && facts.speed_mbit == Some(480),
            ),
            (
                Self::EachWriteWaits,
                mounted(|it| it.sync) || mounted(|it| it.dirsync),
            ),
            (
                Self::NearlyFull,
                room.total > 0 && room.free < room.total / 20,
            ),
            (
                Self::TinyClusters,
                room.total > SMALL_STICK && room.cluster < LEAST_CLUSTER,
            ),
        ];
        let given = checks.into_iter().filter(|(_, holds)| *holds);
        given
            .map(|(reason, _)| reason)
            .chain(facts.cliff_at.map(Self::KnownCliff))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GB: u64 = 1_000_000_000;

    fn commands(done: u64, failed: u64, unanswered: u64) -> Facts {
        Facts {
            commands: Some(Commands {
                done,
                failed,
                unanswered,
            }),
            ..Facts::default()
        }
    }

    fn usb(speed: u32, release: (u8, u8)) -> Facts {
        Facts {
            speed_mbit: Some(speed),
            usb_release: Some(release),
            ..Facts::default()
        }
    }

    fn room(free: u64, total: u64, cluster: u64) -> Facts {
        Facts {
            room: Some(Room {
                free,
                total,
                cluster,
            }),
            ..Facts::default()
        }
    }

    #[test]
    fn each_reason_is_found_in_its_fact_and_in_no_other() {
        let mount = |sync, dirsync| Facts {
            mount: Some(MountOptions {
                sync,
                dirsync,
                ..MountOptions::default()
            }),
            ..Facts::default()
        };
        for (facts, expected) in [
            (Facts::default(), &[][..]),
            (usb(12, (1, 10)), &[Slow::Usb1]),
            (usb(2, (2, 0)), &[Slow::Usb1]),
            (usb(480, (2, 10)), &[Slow::OlderPort]),
            (usb(480, (2, 0)), &[]),
            (usb(5000, (3, 20)), &[]),
            (mount(true, false), &[Slow::EachWriteWaits]),
            (mount(false, true), &[Slow::EachWriteWaits]),
            (mount(false, false), &[]),
            (commands(5000, 2, 0), &[]),
            (commands(5000, 2, 1), &[Slow::CommandsFail]),
            (commands(5000, 11, 0), &[]),
            (commands(1000, 11, 0), &[Slow::CommandsFail]),
            (room(GB, 16 * GB, 8192), &[]),
            (room(GB / 2, 16 * GB, 8192), &[Slow::NearlyFull]),
            (room(0, 16 * GB, 8192), &[Slow::NearlyFull]),
            (room(GB, 2 * GB, 2048), &[Slow::TinyClusters]),
            (room(10_000_000, 64_000_000, 2048), &[]),
        ] {
            assert_eq!(Slow::of(&facts), expected, "{facts:?}");
        }
    }

    #[test]
    fn the_weightiest_comes_first() {
        let mut facts = usb(12, (1, 10));
        facts.commands = commands(100, 50, 3).commands;
        facts.cliff_at = Some(GB);
        let reasons = Slow::of(&facts);
        assert_eq!(
            reasons,
            [Slow::CommandsFail, Slow::Usb1, Slow::KnownCliff(GB)]
        );
        let names = serde_json::to_string(&reasons).expect("names");
        assert_eq!(names, r#"["commands_fail","usb1","known_cliff"]"#);
    }
}
