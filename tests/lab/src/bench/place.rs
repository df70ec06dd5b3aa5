use std::time::Instant;

use anyhow::Result;

use crate::Output;

/// A computer and a stick in it, on which tools can be tried.
pub trait Place {
    /// What the stick is called in the table.
    fn name(&self) -> &str;

    /// Whether the stick's own limit can be measured, and means something.
    fn has_limit(&self) -> bool;

    /// Whether pauses help this stick, so that those of a tool are luck.
    fn minds_pauses(&self) -> bool;

    /// Whether a stick that was switched off is plugged in again.
    fn replugs(&self) -> bool;

    /// Where lines can be told that are then known with their arrival.
    fn events(&self) -> Option<&str>;

    /// Runs a command as root.
    fn root(&self, command: &[&str]) -> Result<Output>;

    /// A stick on which nothing was written, formatted with FAT32 or not at all, and nothing in
    /// any cache. Gives its device.
    fn fresh(&mut self, formatted: bool) -> Result<String>;

    /// Runs a command as root and watches the stick meanwhile.
    fn watched(&mut self, command: &[&str]) -> Result<Watched>;
}

/// What was seen while a command ran.
#[derive(Debug)]
pub struct Watched {
    /// What it said.
    pub output: Output,
    /// Lines that it told while it ran, with their arrival.
    pub lines: Vec<(Instant, String)>,
    /// What the stick had over time, where it can be asked.
    pub truth: Option<crate::Truth>,
    /// Pauses that came by themselves, where the stick counts them.
    pub pauses: Option<u64>,
}
