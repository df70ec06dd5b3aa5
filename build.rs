//! Compiles the schema of the preferences into the program, so that it also runs from where it
//! was built. Writes only to `OUT_DIR`.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_GUI").is_none() {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    println!("cargo::rerun-if-changed=data/io.github.steadyusb.Steady.gschema.xml");
    let out = env::var_os("OUT_DIR").expect("cargo should name OUT_DIR");
    let status = Command::new("glib-compile-schemas")
        .arg("--strict")
        .arg("--targetdir")
        .arg(out)
        .arg(folder)
        .status()
        .expect("glib-compile-schemas should be installed with GLib's development files");
    assert!(status.success(), "the schema should be valid");
}
