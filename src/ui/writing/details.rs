use gettextrs::gettext;

use crate::tasks::Progress;
use crate::ui::text::{gettext_f, size};

/// What only the curious want to know of a job under way: names and values.
pub(super) fn details(progress: &Progress) -> Vec<(String, String)> {
    let mut details = Vec::new();
    if progress.items_total > 1 {
        let done = progress.items_done.to_string();
        let all = progress.items_total.to_string();
        // Translators: a number of files, such as “3 of 12”
        let value = gettext_f("{done} of {all}", &[("done", &done), ("all", &all)]);
        details.push((gettext("Files that are complete"), value));
    }
    let on_its_way = progress.accepted.saturating_sub(progress.confirmed);
    details.push((gettext("On its way to the stick"), size(on_its_way)));
    if progress.kept > 0 {
        // Translators: what did not have to be written again
        details.push((gettext("Was there already"), size(progress.kept)));
    }
    // Translators: what the stick has not only taken, but also put where it outlasts a pull
    details.push((gettext("Written for good"), size(progress.durable)));
    if progress.checked > 0 {
        details.push((gettext("Read back, the same"), size(progress.checked)));
    }
    details
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::testing::progress;

    #[test]
    fn what_is_under_way_and_what_would_outlast_a_pull_are_told_apart() {
        let mut totals = progress(213_000_000, 429_265_824);
        totals.accepted = 217_500_000;
        totals.durable = 128_000_000;
        let told: Vec<_> = details(&totals);
        let told: Vec<_> = told
            .iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        assert_eq!(
            told,
            [
                "On its way to the stick: 4.5 MB",
                "Written for good: 128 MB"
            ]
        );
        (totals.items_done, totals.items_total) = (3, 12);
        totals.checked = 12_300_000;
        let told = details(&totals);
        assert_eq!(told[0].1, "3 of 12");
        assert_eq!(told[3].1, "12.3 MB");
    }
}
