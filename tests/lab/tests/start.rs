//! How soon the window is there, against the least that a window takes and against a program that
//! people find quick.

use std::{
    collections::BTreeMap,
    env,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use steady_lab::Lab;

/// How often each is started; the one in the middle counts.
const RUNS: &str = "7";

/// Seconds to the first frame and bytes of memory of each start.
#[derive(Debug, Deserialize)]
struct Starts {
    seconds: Vec<f64>,
    pss: Vec<f64>,
    own: Vec<f64>,
}

fn median(numbers: &[f64]) -> f64 {
    let mut numbers = numbers.to_vec();
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// The programs as people get them. Gives where they are.
fn built() -> Result<PathBuf> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let what = ["--package=steady", "--bin=steady", "--example=bare-window"];
    let status = Command::new("cargo")
        .current_dir(&project)
        .args(["build", "--quiet", "--locked", "--release"])
        .args(what)
        .status()?;
    ensure!(status.success(), "building the programs failed");
    let target =
        env::var_os("CARGO_TARGET_DIR").map_or_else(|| project.join("target"), PathBuf::from);
    Ok(target.join("release"))
}

#[test]
fn long_the_window_is_there_as_soon_as_others() -> Result<()> {
    let built = built()?;
    let lab = Lab::ready()?;
    lab.put(&built.join("steady"), "/home/tester/steady")?;
    lab.put(
        &built.join("examples/bare-window"),
        "/home/tester/bare-window",
    )?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../start/first_frame.py");
    lab.put(&script, "/home/tester/first_frame.py")?;
    lab.run(&[
        "chmod",
        "+x",
        "/home/tester/steady",
        "/home/tester/bare-window",
    ])?
    .success()?;
    let told = lab.run(&[
        "python3",
        "/home/tester/first_frame.py",
        RUNS,
        "bare=/home/tester/bare-window",
        "steady=/home/tester/steady",
        "editor=gnome-text-editor --standalone",
    ])?;
    let told: BTreeMap<String, Starts> = serde_json::from_str(&told.success()?.text())?;
    let starts = |name: &str| told.get(name).with_context(|| name.to_owned());
    let (bare, steady, editor) = (starts("bare")?, starts("steady")?, starts("editor")?);
    for (name, starts) in [
        ("bare window", bare),
        ("steady", steady),
        ("gnome-text-editor", editor),
    ] {
        println!(
            "figure: {name}: first frame after {:.2} s ({:?}), memory {:.1} MB, of which {:.1} MB its own",
            median(&starts.seconds),
            starts.seconds,
            median(&starts.pss) / 1e6,
            median(&starts.own) / 1e6,
        );
    }
    let ours = median(&steady.seconds);
    let (of_bare, of_editor) = (ours / median(&bare.seconds), ours / median(&editor.seconds));
    println!("figure: {of_bare:.2} x a bare window, {of_editor:.2} x gnome-text-editor");
    ensure!(of_bare <= 1.25, "{of_bare:.2} times a bare window");
    ensure!(of_editor <= 1.0, "{of_editor:.2} times gnome-text-editor");
    Ok(())
}
