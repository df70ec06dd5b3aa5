use std::{
    hash::{BuildHasher, RandomState},
    io::{BufRead, BufReader, Write},
    os::unix::net::UnixStream,
    path::Path,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

/// What the accessibility bus tells of an element.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Element {
    /// AT-SPI's name of its role; "button" also for what older releases call "push button".
    pub role: String,
    /// Its accessible name: for labels and buttons what is written on them.
    pub name: String,
    /// Its accessible description.
    pub description: String,
    /// The text of what holds text.
    pub text: Option<String>,
    /// The value of progress bars, spin buttons and the like.
    pub value: Option<f64>,
    /// Those of `sensitive`, `focused`, `checked` and `selected` that hold.
    pub states: Vec<String>,
}

impl Element {
    /// What a person would read: its text, or its value, or its name.
    pub fn reading(&self) -> String {
        match (&self.text, self.value) {
            (Some(text), _) if !text.is_empty() => text.clone(),
            (_, Some(value)) => value.to_string(),
            _ => self.name.clone(),
        }
    }
}

/// The accessibility driver in the user's session (`guest/usr/lib/steady-lab/driver.py`).
///
/// Its port serves one connection after the other.
#[derive(Debug)]
pub(crate) struct Driver(BufReader<UnixStream>);

impl Driver {
    /// How long an element may take to appear: five times more than anything does.
    const LIMIT: Duration = Duration::from_mins(5);

    /// How long a request may go unacknowledged before it is sent again, and how often it is sent.
    const ACKNOWLEDGED: Duration = Duration::from_secs(20);
    const ATTEMPTS: u32 = 4;

    pub(crate) fn connect(state: &Path) -> Result<Self> {
        let stream = UnixStream::connect(state.join("driver")).context("the lab is not up")?;
        Ok(Self(BufReader::new(stream)))
    }

    /// Asks for `verb` on an element. `details` are added to the request.
    pub(crate) fn element<T: DeserializeOwned>(
        mut self,
        verb: &str,
        role: &str,
        name: &str,
        details: Value,
    ) -> Result<T> {
        let mut request = json!({
            "do": verb, "role": role, "name": name, "limit": Self::LIMIT.as_secs(),
        });
        merge(&mut request, details);
        self.ask(request)
    }

    /// Asks for `verb`.
    pub(crate) fn plain<T: DeserializeOwned>(mut self, verb: &str, details: Value) -> Result<T> {
        let mut request = json!({ "do": verb });
        merge(&mut request, details);
        self.ask(request)
    }

    fn ask<T: DeserializeOwned>(&mut self, mut request: Value) -> Result<T> {
        // Answers to a call that was broken off are told apart by this.
        let id = RandomState::new().hash_one(0_u8);
        merge(&mut request, json!({ "id": id }));
        // In one piece; the empty line ends what such a call may have left unfinished.
        let line = format!("\n{request}\n");
        for _ in 0..Self::ATTEMPTS {
            self.0.get_mut().write_all(line.as_bytes())?;
            // What is sent while the guest learns that somebody is there may get lost.
            self.patience(Self::ACKNOWLEDGED)?;
            let Ok(mut answer) = self.next_about(id) else {
                continue;
            };
            // What is looked at may answer slowly, and a screen that is in the way is described.
            self.patience(Self::LIMIT + Duration::from_mins(2))?;
            while answer.get("value").or(answer.get("error")).is_none() {
                answer = self.next_about(id)?;
            }
            if let Some(error) = answer["error"].as_str() {
                bail!("{error}");
            }
            return Ok(serde_json::from_value(answer["value"].take())?);
        }
        bail!("the desktop does not answer")
    }

    fn patience(&self, limit: Duration) -> Result<()> {
        Ok(self.0.get_ref().set_read_timeout(Some(limit))?)
    }

    /// The next line of that id.
    fn next_about(&mut self, id: u64) -> Result<Value> {
        loop {
            let mut line = String::new();
            let read = self.0.read_line(&mut line);
            if read.context("the desktop does not answer")? == 0 {
                bail!("the lab went down");
            }
            match serde_json::from_str::<Value>(&line) {
                Ok(answer) if answer["id"] == id => return Ok(answer),
                _ => {}
            }
        }
    }
}

fn merge(into: &mut Value, from: Value) {
    if let (Value::Object(into), Value::Object(from)) = (into, from) {
        into.extend(from);
    }
}
