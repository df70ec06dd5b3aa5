use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Result;

use super::{Recipe, tool};
use crate::Places;

/// The files of another Debian's package and of all that it depends on, in a folder of the cache.
pub fn package_of(places: &Places, suite: &str, package: &str) -> Result<PathBuf> {
    let what = format!("Fetching {package} of Debian's {suite}, once");
    let recipe = Recipe {
        kind: "lab-package",
        key: what.as_bytes(),
        what: &what,
        usually: "30 seconds",
    };
    recipe.made(&places.cache, |new| fetch(suite, package, new))
}

fn fetch(suite: &str, package: &str, new: &Path) -> Result<()> {
    let include = format!("--include={package}");
    tool(
        Command::new("mmdebstrap")
            .args(["--variant=extract", &include, suite])
            .arg(new),
    )
}
