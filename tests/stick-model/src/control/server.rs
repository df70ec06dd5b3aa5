use std::{
    io::{self, BufRead, BufReader, Write},
    os::unix::net::{UnixListener, UnixStream},
    sync::Arc,
    thread,
};

use serde::Serialize;

use super::reply::{Done, Reply};
use crate::{Ailment, Stick};

/// Answers on `listener` for as long as the process lives, from threads of its own.
pub(crate) fn serve(listener: UnixListener, stick: Arc<Stick>) -> io::Result<()> {
    thread::Builder::new()
        .name("control".to_owned())
        .spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let stick = Arc::clone(&stick);
                // Without a thread for it a client sees its connection closed.
                let _ = thread::Builder::new()
                    .name("control client".to_owned())
                    .spawn(move || converse(stream, &stick));
            }
        })
        .map(drop)
}

/// One line asked, one line answered, until the client leaves.
fn converse(stream: UnixStream, stick: &Stick) -> io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?);
    let mut stream = stream;
    let mut request = String::new();
    while lines.read_line(&mut request)? > 0 {
        let mut answer = answer(request.trim(), stick)?;
        answer.push('\n');
        stream.write_all(answer.as_bytes())?;
        request.clear();
    }
    Ok(())
}

fn answer(request: &str, stick: &Stick) -> io::Result<String> {
    match request {
        "counters" => line(&Reply::Given(stick.counters())),
        "stats" => line(&Reply::Given(stick.stats())),
        "power-off" => match stick.power_off() {
            Ok(()) => line(&Reply::Given(Done { ok: true })),
            Err(error) => refuse(format!("The medium's file could not be finished: {error}.")),
        },
        _ => match request.parse::<Ailment>() {
            Ok(ailment) => {
                stick.befall(ailment);
                line(&Reply::Given(Done { ok: true }))
            }
            Err(_) => refuse(format!(
                "There is no request {request:?}. There are: counters, stats, power-off, fail, hang, slow-flush."
            )),
        },
    }
}

fn refuse(error: String) -> io::Result<String> {
    line(&Reply::<()>::Refused { error })
}

fn line<T: Serialize>(reply: &Reply<T>) -> io::Result<String> {
    Ok(serde_json::to_string(reply)?)
}
