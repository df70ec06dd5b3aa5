//! Names: what the plan says of them against what the kernel does with them.

mod common;

use std::{ffi::OsStr, fmt::Write as _, fs, os::unix::ffi::OsStrExt, path::Path};

use anyhow::{Context, Result, ensure};
use common::{Story, steady_cli};
use serde_json::Value;
use steady::engine::plan::{Choices, FileSystem, ProblemKind, TargetFacts, gather, plan};
use steady_lab::{Lab, PlugOptions, Stick};

const NAMES: &[&[u8]] = &[
    b"plain.txt",
    b"with space",
    b" leading",
    b"trailing ",
    b"trailing.",
    b"dots...",
    b".hidden",
    b"..two",
    b"a?b",
    b"x:y",
    b"star*",
    b"less<",
    b"more>",
    b"pipe|",
    b"quote\"",
    b"back\\slash",
    b"tab\tname",
    b"new\nline",
    b"bell\x07",
    b"\x01",
    b"del\x7f",
    b"apostrophe'",
    b"[brackets] {braces} + = ; ,",
    b"caf\xc3\xa9.txt",
    b"cafe\xcc\x81.txt",
    b"caf\xe9.txt",
    b"\xff\xfe",
    b"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e",
    b"\xf0\x9f\x98\x80.png",
    b"\xd7\xa2\xd7\x91\xd7\xa8\xd7\x99\xd7\xaa",
    b"aux.c",
    b"con",
    b"NUL.txt",
    b"COM1",
    b"console.txt",
    b"~tilde~1",
    b"LONGNA~1.TXT",
    b"a.b.c.d.e",
];

const PAIRS: &[(&str, &str)] = &[
    ("README", "readme"),
    ("readme", "readme "),
    ("name", "name."),
    ("É.txt", "é.txt"),
    ("ЖУК", "жук"),
    ("straße", "STRASSE"),
    ("é", "e\u{301}"),
    ("ÿ", "Ÿ"),
    ("ς", "σ"),
    ("ｆｕｌｌ", "ＦＵＬＬ"),
    ("i", "İ"),
    ("a", "b"),
];

/// Makes every name in a folder of its own and tells what came of it: how it is spelled there, or
/// nothing. Of each pair it tells whether the second name leads to the first one's file.
const KERNEL: &str = r"
import json, os, sys
work = json.load(sys.stdin)
root = os.fsencode(work['root'])
def made(names):
    made.count += 1
    folder = os.path.join(root, b'n%d' % made.count)
    os.mkdir(folder)
    try:
        os.close(os.open(os.path.join(folder, names[0]), os.O_CREAT | os.O_WRONLY))
    except OSError:
        return None
    if len(names) > 1:
        return os.path.exists(os.path.join(folder, names[1]))
    return [name.hex() for name in os.listdir(folder)][0]
made.count = 0
names = [made([bytes.fromhex(name)]) for name in work['names']]
pairs = [made([bytes.fromhex(name) for name in pair]) for pair in work['pairs']]
print(json.dumps({'names': names, 'pairs': pairs}))
";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A stick with this file system, mounted; where.
fn mounted(lab: &Lab, file_system: &str) -> Result<(Stick, String)> {
    let stick = lab.plug(&PlugOptions {
        size: 600 << 20,
        ..PlugOptions::default()
    })?;
    let format = ["format", &stick.device, "--fs", file_system, "--yes"];
    let (code, _, said) = steady_cli(lab, &format)?;
    ensure!(code == 0, "format: {said}");
    let part = format!("{}1", stick.device);
    // An automounter may have been quicker.
    let _ = lab.run(&["udisksctl", "mount", "-b", &part])?;
    let place = lab.run(&["findmnt", "-n", "-o", "TARGET", &part])?;
    Ok((stick, place.success()?.text().trim().to_owned()))
}

/// What the plan says of files with these names: the kinds of problems.
fn planned(file_system: FileSystem, names: &[&OsStr]) -> Result<Vec<ProblemKind>> {
    let folder = std::env::temp_dir().join(format!("steady-lab-names-{}", std::process::id()));
    let mut sources = Vec::new();
    for (number, name) in names.iter().enumerate() {
        let source = folder.join(number.to_string()).join(name);
        fs::create_dir_all(source.parent().context("a parent")?)?;
        fs::write(&source, b"x")?;
        sources.push(source);
    }
    let facts = TargetFacts::fresh(file_system, 1 << 40, 4096);
    let plan = plan(
        &gather(&sources),
        &facts,
        &|_: &Path| None,
        &Choices::default(),
    );
    fs::remove_dir_all(folder)?;
    let kinds = plan.problems.iter().map(|problem| problem.kind);
    Ok(kinds
        .filter(|kind| *kind != ProblemKind::NothingToCopy)
        .collect())
}

fn compare(name: &str, file_system: FileSystem) -> Result<()> {
    let lab = Lab::ready()?;
    let (_stick, place) = mounted(&lab, name)?;
    let pairs = PAIRS
        .iter()
        .map(|(a, b)| [hex(a.as_bytes()), hex(b.as_bytes())]);
    let work = serde_json::json!({
        "root": place,
        "names": NAMES.iter().map(|name| hex(name)).collect::<Vec<_>>(),
        "pairs": pairs.collect::<Vec<_>>(),
    });
    let script = format!("exec python3 -c \"$0\" <<'WORK'\n{work}\nWORK");
    let told = lab.run(&["sh", "-c", &script, KERNEL])?.success()?.text();
    let told: Value = serde_json::from_str(&told).with_context(|| told.clone())?;
    let mut wrong = Vec::new();
    for (at, bytes) in NAMES.iter().enumerate() {
        let arrives = told["names"][at] == hex(bytes);
        let problems = planned(file_system, &[OsStr::from_bytes(bytes)])?;
        // Names that only Windows refuses are a matter of the plan alone.
        if problems.is_empty() && !arrives {
            let spelled = String::from_utf8_lossy(bytes);
            wrong.push(format!("{spelled:?} becomes {}", told["names"][at]));
        }
    }
    for (at, (a, b)) in PAIRS.iter().enumerate() {
        let is_one = told["pairs"][at] == true;
        let problems = planned(file_system, &[OsStr::new(a), OsStr::new(b)])?;
        if is_one && problems.is_empty() {
            wrong.push(format!("{a} and {b} are one"));
        }
    }
    assert!(wrong.is_empty(), "{name}: {wrong:#?}");
    Ok(())
}

#[test]
fn f03_f05_f08_the_plan_knows_what_vfat_does_with_names() -> Result<()> {
    compare("fat32", FileSystem::Fat32)
}

#[test]
fn f03_f05_f08_the_plan_knows_what_exfat_does_with_names() -> Result<()> {
    compare("exfat", FileSystem::ExFat)
}

/// A tree of everything that is difficult, copied with new names where needed.
const TREE: &str = r"
mkdir -p 'demo/a?b' 'demo/x:y' demo/Foo demo/foo demo/deep/er/yet
cd demo
echo 1 >'a?b/in it.txt'; echo 2 >'x:y/ok.txt'; echo 3 >Foo/child; echo 4 >foo/child
echo 5 >README; echo 6 >readme; echo 7 >aux.c; echo 8 >deep/er/yet/plain
printf 9 >$(printf 'caf\351.txt'); printf 0 >$(printf 'tab\there')
touch -d 1970-01-01 deep/old; touch -d 2200-01-01 deep/new; touch -d '2020-01-01 12:00:01' deep/odd
: >deep/empty; ln -s README link; ln -s nowhere dangling; ln -s .. deep/up
";

fn tree(file_system: &str) -> Result<()> {
    let lab = Lab::ready()?;
    let (stick, _) = mounted(&lab, file_system)?;
    lab.run(&["sh", "-c", TREE])?.success()?;
    let copy = ["copy", "/home/tester/demo", "--to", &stick.device, "--json"];
    let (code, _, said) = steady_cli(&lab, &copy)?;
    assert_eq!(code, 2, "told first: {said}");

    let arguments = format!(
        "copy /home/tester/demo --to {} --keep-mounted --on-problem rename,keep-both,skip",
        stick.device
    );
    let end = Story::start(&lab, &arguments)?.finish()?;
    assert_eq!(end["event"], "done", "{end}");
    assert_eq!(end["checked"], true, "{end}");
    assert_eq!(end["on_stick"]["complete"], 14, "{end}");
    assert_eq!(end["on_stick"]["skipped"], 3, "the links: {end}");
    let part = format!("{}1", stick.device);
    let list = format!(
        "cd \"$(findmnt -n -o TARGET {part})/demo\" && find . -type f -exec head -c1 {{}} \\; -printf ' %P %TY\\n' | sort"
    );
    let listed = lab.run(&["sh", "-c", &list])?.success()?.text();
    for line in [
        "1 a_b/in it.txt",
        "2 x_y/ok.txt",
        "5 README",
        "6 readme (2)",
        "7 _aux.c",
        "8 deep/er/yet/plain",
        "9 caf_.txt",
        "0 tab_here",
        "deep/old 1980",
        "deep/new 2107",
        "deep/odd 2020",
        "deep/empty",
    ] {
        assert!(listed.contains(line), "no {line} in\n{listed}");
    }
    for child in ["3 ", "4 "] {
        assert_eq!(
            listed
                .lines()
                .filter(|line| line.starts_with(child))
                .count(),
            1
        );
    }
    Ok(())
}

#[test]
fn f03_f05_f07_f10_a_difficult_tree_arrives_on_fat32() -> Result<()> {
    tree("fat32")
}

#[test]
fn f03_f05_f07_f10_a_difficult_tree_arrives_on_exfat() -> Result<()> {
    tree("exfat")
}
