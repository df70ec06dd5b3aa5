use std::{fs, thread, time::Duration};

use anyhow::{Context, Result};
use steady_stick_model::{Ailment, Operation};

use super::{Fault, Job, draw::Draw, stage::Stage};
use crate::{PlugOptions, contents};

/// The kernel asks six times before a request has failed.
const ONE_REQUEST: u32 = 6;
const FOR_GOOD: u32 = u32::MAX;

/// Lets the fault of the case happen, now.
pub(super) fn inject(stage: &Stage<'_>, draw: &mut Draw) -> Result<()> {
    let fault = stage.case.fault;
    if let Some(ailment) = ailment(fault) {
        return stage.stick.befall(ailment);
    }
    if let Some(command) = command(stage, draw) {
        // It may find nothing to do any more.
        return stage.lab.run_root(&["sh", "-c", &command]).map(drop);
    }
    match fault {
        Fault::Pulled => stage.lab.unplug(&stage.stick),
        Fault::SourcePulled => stage
            .lab
            .unplug(stage.camera.as_ref().context("no camera")?),
        Fault::SourceUnreadable => {
            let camera = stage.camera.as_ref().context("no camera")?;
            camera.befall(Ailment::Fails(Operation::Read, FOR_GOOD))
        }
        Fault::SourceStalled => {
            let camera = stage.camera.as_ref().context("no camera")?;
            camera.befall(Ailment::Hangs(fault.lasts()))
        }
        Fault::PowerCut => stage.lab.power_cut(),
        Fault::Dismissed => dismiss(stage),
        Fault::WrongPassword => {
            stage.lab.type_text("password text", "/^/", "wrong")?;
            stage.lab.click("button", "/^_?OK$/")?;
            thread::sleep(Duration::from_secs(3));
            dismiss(stage)
        }
        Fault::DelayedPassword => {
            stage.lab.wait("password text", "/^/")?;
            thread::sleep(fault.lasts());
            stage.lab.give_password()
        }
        Fault::Swapped => swap(stage),
        _ => Ok(()),
    }
}

/// What befalls the stick.
fn ailment(fault: Fault) -> Option<Ailment> {
    Some(match fault {
        Fault::WriteError => Ailment::Fails(Operation::Write, ONE_REQUEST),
        Fault::WriteErrors | Fault::TurnsReadOnly => Ailment::Fails(Operation::Write, FOR_GOOD),
        Fault::ReadError => Ailment::Fails(Operation::Read, ONE_REQUEST),
        Fault::ReadErrors => Ailment::Fails(Operation::Read, FOR_GOOD),
        Fault::FlushError => Ailment::Fails(Operation::Flush, ONE_REQUEST),
        Fault::FlushErrors => Ailment::Fails(Operation::Flush, FOR_GOOD),
        Fault::SlowFlush => Ailment::SlowFlushes(Duration::from_secs(3)),
        Fault::Hang5 | Fault::Hang40 | Fault::Hang200 => Ailment::Hangs(fault.lasts()),
        _ => return None,
    })
}

/// What root does in the guest.
fn command(stage: &Stage<'_>, draw: &mut Draw) -> Option<String> {
    let (device, part, folder) = (&stage.stick.device, stage.part(), &stage.folder);
    let source = match stage.case.job {
        Job::Write => format!("{folder}/{}", stage.image),
        _ => draw
            .weighted(&[
                (format!("{folder}/film.bin").leak() as &str, 1.0),
                (format!("{folder}/small/020.bin").leak() as &str, 1.0),
            ])
            .to_owned(),
    };
    Some(match stage.case.fault {
        Fault::UdisksKilled => "pkill -KILL -x udisksd".into(),
        Fault::UdisksRestarted => "systemctl restart udisks2".into(),
        Fault::UdisksStopped => "systemctl mask --runtime --now udisks2".into(),
        Fault::BusGone => "systemctl kill --signal=KILL dbus.service".into(),
        Fault::Killed => "pkill -KILL -x steady-cli".into(),
        Fault::Terminated => "pkill -TERM -x steady-cli".into(),
        Fault::LoggedOut => "loginctl terminate-user tester".into(),
        Fault::SourceTruncated => format!("truncate -s 1000 {source}"),
        Fault::SourceGrown => format!("head -c 300000 /dev/urandom >>{source}"),
        Fault::SourceRemoved => format!("rm -r {folder}"),
        Fault::DiskFull => "for i in 1 2; do fallocate -l $(df --output=avail -B1 /home | tail -1) /home/tester/fill$i; done; dd if=/dev/zero of=/home/tester/fill3 bs=64K status=none".into(),
        Fault::ClockForward => "date -s '1 hour'".into(),
        Fault::ClockBack => "date -s '1 hour ago'".into(),
        Fault::Suspended => "rtcwake -m freeze -s 5".into(),
        Fault::Mounted => format!("/usr/lib/steady-lab/in-session udisksctl mount -b {part}"),
        Fault::Formatted => format!("mkfs.fat -F 32 -n THEIRS {part} || mkfs.fat -I -F 32 {device}"),
        Fault::WrittenByAnother if stage.case.job == Job::Write => format!(
            "dd if=/dev/urandom of={device} bs=64K count=4 seek=4 conv=notrunc,fsync status=none"
        ),
        Fault::WrittenByAnother => format!(
            "t=$(findmnt -n -o TARGET {part}) && head -c 200000 /dev/urandom | /usr/lib/steady-lab/in-session tee \"$t/theirs.bin\" | sha256sum >/run/theirs.sum; rm -f /none"
        ),
        Fault::TwoSteadys => {
            let second = stage.case.job.arguments(device, folder, stage.image);
            format!(
                "/usr/lib/steady-lab/in-session sh -c 'timeout 300 steady-cli {second} --json >/tmp/second.json 2>&1' &"
            )
        }
        _ => return None,
    })
}

fn dismiss(stage: &Stage<'_>) -> Result<()> {
    stage.lab.wait("password text", "/^/")?;
    stage.lab.click("button", "/^_?Cancel$/")
}

/// Pulls the stick and puts another one in its place, before the password is given.
fn swap(stage: &Stage<'_>) -> Result<()> {
    let prompts = stage.case.job.asks_password();
    if prompts {
        stage.lab.wait("password text", "/^/")?;
    }
    stage.lab.unplug(&stage.stick)?;
    let image = stage.lab.stick_images().join("victim.img");
    fs::write(&image, contents("victim", 1 << 20))?;
    let size = fs::metadata(stage.stick.image_path())?.len();
    fs::File::options()
        .write(true)
        .open(&image)?
        .set_len(size)?;
    stage.lab.plug(&PlugOptions {
        image: Some(image),
        name: Some("victim".into()),
        ..PlugOptions::default()
    })?;
    if prompts {
        stage.lab.give_password()?;
    }
    Ok(())
}
