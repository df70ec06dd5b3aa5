use gettextrs::gettext;
use gtk::glib;

use crate::tasks::{Did, Ended, Receipt, shown_name};
use crate::ui::text::{gettext_f, isolate, ngettext_f, rate, size};

/// What was done, as the title of its row.
pub(super) fn title(receipt: &Receipt) -> String {
    let what = [("name", receipt.what.as_str())];
    match receipt.did {
        Did::Formatted => gettext("Formatted"),
        Did::CheckedStick => gettext("Stick checked"),
        Did::Imaged => gettext_f("Image “{name}”", &what),
        Did::Copied if receipt.files > 1 => ngettext_f(
            "“{name}” and {count} more file",
            "“{name}” and {count} more files",
            receipt.files - 1,
            &what,
        ),
        Did::Copied => gettext_f("“{name}”", &what),
    }
}

/// How it ended, how much and how fast it was; when, and which stick.
pub(super) fn details(receipt: &Receipt) -> String {
    let mut facts = vec![ended(receipt.ended)];
    if receipt.bytes > 0 {
        facts.push(size(receipt.bytes));
    }
    if receipt.bytes_per_second > 0.0 {
        facts.push(rate(receipt.bytes_per_second));
    }
    if matches!(receipt.did, Did::Copied | Did::Imaged) && receipt.ended != Ended::Failed {
        facts.push(if receipt.checked {
            gettext("checked")
        } else {
            gettext("not checked")
        });
    }
    let mut place = vec![isolate(&shown_name(&receipt.stick))];
    place.extend(date(receipt.ended_at).as_deref().map(isolate));
    format!("{}\n{}", facts.join(" · "), place.join(" · "))
}

/// For the eye only: the words say it too.
pub(super) fn icon(ended: Ended) -> &'static str {
    match ended {
        Ended::Done => "object-select-symbolic",
        Ended::InPart => "dialog-warning-symbolic",
        Ended::Failed => "dialog-error-symbolic",
        Ended::Stopped => "process-stop-symbolic",
    }
}

fn ended(ended: Ended) -> String {
    match ended {
        Ended::Done => gettext("Done"),
        Ended::InPart => gettext("Done in part"),
        Ended::Failed => gettext("Failed"),
        Ended::Stopped => gettext("Stopped"),
    }
}

/// Day and time as people write them here.
fn date(seconds: i64) -> Option<String> {
    let date = glib::DateTime::from_unix_local(seconds).ok()?;
    date.format("%x, %R").ok().map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receipt() -> Receipt {
        Receipt {
            ended_at: 1_795_000_000,
            did: Did::Copied,
            stick: "Intenso Rainbow Line".into(),
            what: "film.mkv".into(),
            files: 3,
            bytes: 429_265_824,
            bytes_per_second: 4_280_000.0,
            checked: true,
            ended: Ended::Done,
        }
    }

    #[test]
    fn a_receipt_says_what_when_which_stick_how_fast_and_how_it_ended() {
        assert_eq!(title(&receipt()), "“film.mkv” and 2 more files");
        let told = details(&receipt());
        assert!(told.starts_with("Done · 429 MB · 4.2 MB/s · checked\nIntenso Rainbow Line · "));
        assert!(told.contains("26"), "{told}: the year");
    }

    #[test]
    fn a_failure_claims_nothing() {
        let told = details(&Receipt {
            ended: Ended::Failed,
            bytes: 0,
            bytes_per_second: 0.0,
            ..receipt()
        });
        assert!(told.starts_with("Failed\n"), "{told}");
    }
}
