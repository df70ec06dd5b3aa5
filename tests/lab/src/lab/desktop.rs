//! The desktop: what a person sees there and does to it.
//!
//! Roles are AT-SPI's names. Names are exact, or regular expressions if written `/…/`; an empty
//! name matches any.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
};

use anyhow::{Result, anyhow};
use serde_json::{Value, json};

use super::Lab;
use crate::{Element, Events, Theme};

impl Lab {
    /// Waits for an element that can be used, and presses it.
    pub fn click(&self, role: &str, name: &str) -> Result<()> {
        self.awaited::<Value>("click", role, name, Value::Null)
            .map(drop)
    }

    /// Waits for an element that can be used, and writes `text` into it.
    pub fn type_text(&self, role: &str, name: &str, text: &str) -> Result<()> {
        self.awaited::<Value>("type", role, name, json!({ "text": text }))
            .map(drop)
    }

    /// Drags files of the guest from a window of their own onto the middle of an element (a
    /// program's window is one, too), with the pointer, as from a file manager.
    pub fn drag(&self, files: &[&str], role: &str, name: &str) -> Result<()> {
        self.awaited("drag", role, name, json!({ "files": files }))
    }

    /// Waits until an element is on the screen.
    pub fn wait(&self, role: &str, name: &str) -> Result<Element> {
        self.awaited("wait", role, name, Value::Null)
    }

    /// Looks at an element that is on the screen.
    pub fn read(&self, role: &str, name: &str) -> Result<Element> {
        self.element("read", role, name, Value::Null)
    }

    /// From now on sends each change of elements to [`Lab::events`], as JSON with `role`, `name`,
    /// `text` and `value`. The name is a beginning or a `/…/`.
    pub fn watch(&self, role: &str, name: &str) -> Result<()> {
        self.element("watch", role, name, Value::Null)
    }

    /// Ends every [`Lab::watch`].
    pub fn unwatch(&self) -> Result<()> {
        self.plain("unwatch", Value::Null)
    }

    /// Presses keys in the active window, as in `ctrl+q` or `Tab Return`.
    pub fn key(&self, keys: &str) -> Result<()> {
        self.plain("key", json!({ "keys": keys }))
    }

    /// What gets the keys, if anything in the active window does.
    pub fn focus(&self) -> Result<Option<Element>> {
        self.plain("focus", Value::Null)
    }

    /// Controls and images in the active window about which a screen reader can say nothing.
    pub fn nameless(&self) -> Result<Vec<String>> {
        self.plain("nameless", Value::Null)
    }

    /// Everything on the screen, a line each.
    pub fn tree(&self) -> Result<String> {
        self.plain("tree", Value::Null)
    }

    /// Gives the active window that size in pixels, without its shadow.
    pub fn size(&self, width: u32, height: u32) -> Result<()> {
        self.plain("size", json!({ "width": width, "height": height }))
    }

    /// Changes how the desktop wants programs to look. They follow a moment later.
    pub fn theme(&self, theme: Theme) -> Result<()> {
        for (schema, key, value) in theme.settings() {
            self.run(&["gsettings", "set", schema, key, value])?
                .success()?;
        }
        Ok(())
    }

    /// Types the person's password into the desktop's own prompt.
    pub fn give_password(&self) -> Result<()> {
        self.type_text("password text", "/^/", Self::PASSWORD)?;
        self.click("button", "/^_?OK$/")
    }

    /// Saves what is on the screen, or the active window only, as PNG.
    pub fn shot(&self, path: &Path, window: bool) -> Result<()> {
        let guest = "/tmp/steady-lab-shot.png";
        self.plain::<Value>("shot", json!({ "path": guest, "window": window }))?;
        self.get(guest, path)
    }

    /// Listens to the lines that the guest sends.
    pub fn events(&self) -> Result<Events> {
        Events::listen(&self.places.state)
    }

    // Inside

    /// As [`Self::element`], for what is waited for: when it does not come, a picture tells more.
    fn awaited<T: serde::de::DeserializeOwned>(
        &self,
        verb: &str,
        role: &str,
        name: &str,
        details: Value,
    ) -> Result<T> {
        self.element(verb, role, name, details).map_err(|error| {
            self.picture()
                .map(|path| anyhow!("{error:#}\nA picture of it: {}", path.display()))
                .unwrap_or(error)
        })
    }

    /// Saves what is on the screen under the name of the test that asks.
    fn picture(&self) -> Result<PathBuf> {
        let folder = self.places.project.join("target/lab");
        fs::create_dir_all(&folder)?;
        let asker = thread::current();
        let name = asker.name().unwrap_or("lab").replace(':', "_");
        let path = folder.join(format!("{name}.png"));
        self.shot(&path, false)?;
        Ok(path)
    }

    fn element<T: serde::de::DeserializeOwned>(
        &self,
        verb: &str,
        role: &str,
        name: &str,
        details: Value,
    ) -> Result<T> {
        self.machine.driver()?.element(verb, role, name, details)
    }

    fn plain<T: serde::de::DeserializeOwned>(&self, verb: &str, details: Value) -> Result<T> {
        self.machine.driver()?.plain(verb, details)
    }
}
