//! The Debian package of `build-aux/deb`.

mod common;

use anyhow::{Context, Result};
use steady_lab::{Lab, Places};

/// Installed, it starts; removed, nothing of it is left.
#[test]
fn long_the_debian_package_installs_starts_and_uninstalls() -> Result<()> {
    let project = Places::of_this_checkout()?.project;
    let package = project.join("target/deb/steady.deb").canonicalize();
    let package = package.context("the package is made by build-aux/deb")?;
    let lab = Lab::ready()?;
    lab.put(&package, "/home/tester/steady.deb")?;
    lab.run_root(&["dpkg", "--install", "/home/tester/steady.deb"])?
        .success()?;
    let listed = lab.run_root(&["dpkg-query", "--listfiles", "steady"])?;
    let files = listed.success()?.text();
    lab.start(&["/usr/bin/steady"])?;
    lab.wait("button", "Choose Files…")?;
    lab.run(&["pkill", "-x", "steady"])?.success()?;
    lab.run(&["/usr/bin/steady-cli", "list"])?.success()?;

    lab.run_root(&["dpkg", "--purge", "steady"])?.success()?;
    let left = "while read -r file; do [ ! -f \"$file\" ] || echo \"$file\"; done";
    let left = format!("{left} <<'EOF'\n{files}\nEOF");
    assert_eq!(lab.run_root(&["sh", "-c", &left])?.success()?.text(), "");
    Ok(())
}
