//! Many small files: until the stick may be pulled, never slower than `cp`.

mod common;

use anyhow::Result;
use common::{Story, copy_of, formatted_image, put_folder};
use steady_lab::{Lab, PlugOptions, Stick};

const MIB: u64 = 1 << 20;
#[test]
fn five_hundred_small_files_on_an_even_stick() -> Result<()> {
    compare("even", 500, 2)
}

#[test]
fn five_hundred_small_files_on_a_stick_that_hates_jumps() -> Result<()> {
    compare("ftl", 500, 1)
}

#[test]
fn long_two_thousand_small_files_on_an_even_stick() -> Result<()> {
    compare("even", 2000, 3)
}

#[test]
fn long_two_thousand_small_files_on_a_stick_that_hates_jumps() -> Result<()> {
    compare("ftl", 2000, 1)
}

/// Each way of copying is tried so often; the best of each says what it can do. `cp` takes minutes on
/// a stick that hates jumps.
fn compare(profile: &str, count: usize, runs: usize) -> Result<()> {
    let lab = Lab::ready()?;
    let files: Vec<_> = (0..count)
        .map(|number| (format!("{:02}/{number:04}.txt", number / 100), 4096))
        .collect();
    put_folder(&lab, "notes", &files)?;
    let blank = formatted_image(&lab, 600 * MIB)?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for run in 0..runs {
        let plug = |name: String| -> Result<Stick> {
            lab.run_root(&["sh", "-c", "echo 1 >/proc/sys/vm/drop_caches"])?
                .success()?;
            lab.plug(&PlugOptions {
                profile: profile.into(),
                image: Some(copy_of(&blank, &name)?),
                name: Some(name),
                ..PlugOptions::default()
            })
        };
        let stick = plug(format!("theirs{run}"))?;
        theirs.push(cp(&lab, &stick)?);
        lab.unplug(&stick)?;

        let stick = plug(format!("ours{run}"))?;
        let arguments = format!("copy /home/tester/notes --no-check --to {}", stick.device);
        let end = Story::start(&lab, &arguments)?.finish()?;
        assert_eq!(end["event"], "done", "{end}");
        assert_eq!(end["on_stick"]["complete"], count, "{end}");
        assert_eq!(end["safe_to_unplug"], true, "{end}");
        ours.push(end["seconds"].as_f64().unwrap_or(f64::MAX));
        lab.unplug(&stick)?;
    }
    let best = |seconds: &[f64]| seconds.iter().copied().fold(f64::MAX, f64::min);
    let ratio = best(&ours) / best(&theirs);
    println!(
        "figure: {count} files of 4 KiB on {profile}: {ratio:.2} x cp -r ({ours:.1?} s, {theirs:.1?} s)"
    );
    assert!(ratio <= 1.05, "{ratio:.2}: {ours:?} {theirs:?}");
    Ok(())
}

/// Seconds until a stick may be pulled that `cp` has written: as a careful person would do it, on
/// the mount that the desktop makes.
fn cp(lab: &Lab, stick: &Stick) -> Result<f64> {
    let part = format!("{}1", stick.device);
    // An automounter may have been quicker.
    let _ = lab.run(&["udisksctl", "mount", "-b", &part])?;
    let script = r#"
import os, subprocess, sys, time
part, = sys.argv[1:]
place = subprocess.check_output(["findmnt", "-n", "-o", "TARGET", part], text=True).strip()
begin = time.monotonic()
subprocess.check_call(["cp", "-r", "/home/tester/notes", place])
subprocess.check_call(["sync"])
subprocess.check_call(["umount", place])
device = os.open(part, os.O_RDWR)
os.fsync(device)
print(time.monotonic() - begin)
"#;
    let told = lab.run_root(&["python3", "-c", script, &part])?.success()?;
    Ok(told.text().parse()?)
}
