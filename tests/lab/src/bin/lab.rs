//! The lab from a shell: see `build-aux/lab`.

use std::{
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::Result;
use clap::{Args, Parser, Subcommand, ValueEnum};
use steady_lab::{Bus, Lab, Places, PlugOptions, Theme, demo};
use steady_stick_model::Profile;

/// A virtual PC with USB sticks.
#[derive(Parser)]
#[command(name = "lab")]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Start the PC, if it is not up, with freshly built programs
    Up,
    /// End the PC and its sticks
    Down,
    /// Tell whether it is up and what is plugged in
    Status,
    /// Go back to the desktop as it was saved, with nothing plugged in
    Restore,
    /// Plug a stick in and print the guest's device
    Plug(Plug),
    /// Pull a stick out: its power is gone first
    Unplug {
        /// The stick; may be left out if there is only one
        name: Option<String>,
    },
    /// Put the card into a reader, or take it out
    Card {
        /// in or out
        place: CardPlace,
        /// The reader; may be left out if nothing else is plugged in
        name: Option<String>,
    },
    /// Click through a copy, with a picture of each page and log.tsv in FOLDER
    Demo { folder: PathBuf },
    /// Run a command in the user's active session
    Run {
        /// As root instead, outside the session
        #[arg(long)]
        root: bool,
        #[arg(required = true, last = true)]
        command: Vec<String>,
    },
    /// Copy a file into the guest
    Put { host: PathBuf, guest: String },
    /// Copy a file out of the guest
    Get { guest: String, host: PathBuf },
    /// Save what is on the screen as PNG
    Shot {
        path: PathBuf,
        /// The active window only
        #[arg(long)]
        window: bool,
    },
    /// Give the active window a size in pixels
    Size { width: u32, height: u32 },
    /// Have programs look light or dark, or in high contrast: light, dark or contrast
    Theme { theme: Theme },
    /// Press an element, once it is there. Names are exact, or regular expressions written /…/
    Click { role: String, name: String },
    /// Write into an element, once it is there
    Type {
        role: String,
        name: String,
        text: String,
    },
    /// Drag a file of the guest onto an element, once it is there
    Drag {
        file: String,
        role: String,
        name: String,
        /// A further file that is dragged along
        #[arg(long)]
        with: Vec<String>,
    },
    /// Press keys in the active window, as in: ctrl+q Tab Return
    Key {
        #[arg(required = true)]
        keys: Vec<String>,
    },
    /// Wait until an element is on the screen
    Wait { role: String, name: String },
    /// Print the text, value or name of an element
    Read { role: String, name: String },
    /// Print what gets the keys
    Focus,
    /// Print what is on the screen
    Tree,
    /// Print what a stick has counted, as JSON
    Stats {
        /// The stick; may be left out if there is only one
        name: Option<String>,
    },
}

/// Where a reader's card is.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CardPlace {
    In,
    Out,
}

#[derive(Args)]
struct Plug {
    #[arg(long, default_value = "even", help = profile_help())]
    profile: String,
    /// The size of a new stick, as in 2G. A fake one has it from its profile: claims=, has=
    #[arg(long, default_value = "2G", value_parser = bytes)]
    size: u64,
    /// A file with the stick's contents, written to
    #[arg(long)]
    image: Option<PathBuf>,
    /// The serial number that the stick tells
    #[arg(long)]
    serial: Option<String>,
    /// Switch its write protection on
    #[arg(long)]
    read_only: bool,
    /// The kind of port: usb1, usb2 or usb3
    #[arg(long, default_value = "usb3")]
    bus: Bus,
    /// A card reader with so many slots; the first holds the card, the others are empty
    #[arg(long, default_value_t = 1)]
    slots: u32,
    /// What to call it in other verbs
    #[arg(long)]
    name: Option<String>,
}

impl From<Plug> for PlugOptions {
    fn from(plug: Plug) -> Self {
        Self {
            profile: plug.profile,
            size: plug.size,
            image: plug.image,
            serial: plug.serial,
            read_only: plug.read_only,
            bus: plug.bus,
            slots: plug.slots,
            name: plug.name,
        }
    }
}

fn profile_help() -> String {
    let names: Vec<_> = Profile::names().collect();
    format!(
        "The kind of stick, as in even or dies:at=30e6. There are: {}",
        names.join(", ")
    )
}

/// Reads a size, as in 512, 64K, 100M or 2G (powers of 1024).
fn bytes(text: &str) -> Result<u64, String> {
    let shift = match text.chars().last() {
        Some('K') => 10,
        Some('M') => 20,
        Some('G') => 30,
        _ => 0,
    };
    let number = if shift > 0 {
        &text[..text.len() - 1]
    } else {
        text
    };
    number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(1 << shift))
        .ok_or_else(|| "a number of bytes, or one with K, M or G".to_owned())
}

fn main() -> ExitCode {
    let done = Places::of_this_checkout()
        .and_then(Lab::at)
        .and_then(|lab| perform(Cli::parse().verb, &lab));
    done.unwrap_or_else(|error| {
        eprintln!("lab: {error:#}");
        ExitCode::FAILURE
    })
}

fn perform(verb: Verb, lab: &Lab) -> Result<ExitCode> {
    match verb {
        Verb::Up => drop(lab.up()?),
        Verb::Down => lab.down()?,
        Verb::Status => print_status(lab),
        Verb::Restore => lab.restore()?,
        Verb::Demo { folder } => demo(&Lab::ready()?, &folder)?,
        Verb::Plug(plug) => println!("{}", lab.plug(&plug.into())?.device),
        Verb::Unplug { name } => lab.unplug(&lab.stick(name.as_deref())?)?,
        Verb::Card { place, name } => {
            lab.card(&lab.stick(name.as_deref())?, place == CardPlace::In)?;
        }
        Verb::Run { root, command } => {
            let output = if root {
                lab.run_root(&command)?
            } else {
                lab.run(&command)?
            };
            io::stdout().write_all(&output.stdout)?;
            io::stderr().write_all(&output.stderr)?;
            return Ok(ExitCode::from(u8::try_from(output.code).unwrap_or(u8::MAX)));
        }
        Verb::Put { host, guest } => lab.put(&host, &guest)?,
        Verb::Get { guest, host } => lab.get(&guest, &host)?,
        Verb::Shot { path, window } => lab.shot(&path, window)?,
        Verb::Size { width, height } => lab.size(width, height)?,
        Verb::Theme { theme } => lab.theme(theme)?,
        Verb::Click { role, name } => lab.click(&role, &name)?,
        Verb::Type { role, name, text } => lab.type_text(&role, &name, &text)?,
        Verb::Drag {
            file,
            role,
            name,
            with,
        } => {
            let files: Vec<_> = [&file]
                .into_iter()
                .chain(&with)
                .map(String::as_str)
                .collect();
            lab.drag(&files, &role, &name)?;
        }
        Verb::Key { keys } => lab.key(&keys.join(" "))?,
        Verb::Wait { role, name } => drop(lab.wait(&role, &name)?),
        Verb::Read { role, name } => println!("{}", lab.read(&role, &name)?.reading()),
        Verb::Focus => match lab.focus()? {
            Some(element) => println!("{} {:?}", element.role, element.name),
            None => println!("nothing"),
        },
        Verb::Tree => println!("{}", lab.tree()?),
        Verb::Stats { name } => {
            let stats = lab.stick(name.as_deref())?.stats()?;
            println!("{}", serde_json::to_string(&stats)?);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn print_status(lab: &Lab) {
    if !lab.is_up() {
        println!("down");
        return;
    }
    println!("up");
    for stick in lab.sticks() {
        println!(
            "{}\t{}\t{}",
            stick.name,
            stick.device,
            stick.image_path().display()
        );
    }
}
