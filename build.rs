//! Compiles what the window brings with it into the program, so that it also runs from where it
//! was built: the schema of the preferences, and the description of the program. Writes only to
//! `OUT_DIR`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const SCHEMA: &str = "io.github.steadyusb.Steady.gschema.xml";
const METAINFO: &str = "io.github.steadyusb.Steady.metainfo.xml";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_GUI").is_none() {
        return;
    }
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let out: PathBuf = env::var_os("OUT_DIR")
        .expect("cargo should name OUT_DIR")
        .into();
    for file in [SCHEMA, METAINFO] {
        println!("cargo::rerun-if-changed=data/{file}");
    }
    run(Command::new("glib-compile-schemas")
        .args(["--strict", "--targetdir"])
        .args([&out, &data]));

    let list = format!(
        r#"<gresources><gresource prefix="/io/github/steadyusb/Steady"><file>{METAINFO}</file></gresource></gresources>"#
    );
    let list_file = out.join("steady.gresource.xml");
    fs::write(&list_file, list).expect("OUT_DIR should be writable");
    run(Command::new("glib-compile-resources")
        .arg("--sourcedir")
        .arg(data)
        .arg("--target")
        .args([&out.join("steady.gresource"), &list_file]));
}

fn run(command: &mut Command) {
    let status = command
        .status()
        .expect("GLib's tools should be installed with its development files");
    assert!(status.success(), "{command:?} failed");
}
