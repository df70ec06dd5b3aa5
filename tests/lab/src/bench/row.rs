use std::fmt;

use super::{
    Job, Tool,
    run::Run,
    statistics::{median, quantile, spread_percent},
};

const MIB: f64 = (1 << 20) as f64;

/// What came of the runs of one tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The kind of stick.
    pub profile: String,
    /// What was written.
    pub job: Job,
    /// Who wrote it.
    pub tool: Tool,
    /// Until the stick may be pulled out.
    pub seconds: f64,
    /// 10^6 bytes.
    pub mb_per_s: f64,
    /// The share of what the stick can do.
    pub of_limit: Option<f64>,
    /// The largest gap between what was shown and what the stick had, in percent of the job.
    pub progress_error_pct: Option<f64>,
    /// What the system held unwritten, above what it held idle.
    pub peak_dirty_mib: f64,
    /// Of another program's small saves.
    pub neighbour_median_ms: Option<f64>,
    /// See `neighbour_median_ms`.
    pub neighbour_p99_ms: Option<f64>,
    /// Of the tool itself, without the kernel's own threads.
    pub cpu_s: f64,
    /// How many runs these are the medians of.
    pub runs: usize,
    /// How far the seconds lie apart.
    pub spread_pct: f64,
}

impl Row {
    /// The names of the columns.
    pub const HEADER: &'static str = "profile\tjob\ttool\tseconds\tmb_per_s\tof_limit\tprogress_error_pct\tpeak_dirty_mib\tneighbour_median_ms\tneighbour_p99_ms\tcpu_s\truns\tspread_pct";

    pub(super) fn of(
        profile: &str,
        job: Job,
        tool: Tool,
        bytes: u64,
        limit: Option<f64>,
        runs: &[Run],
    ) -> Self {
        let all = |of: fn(&Run) -> f64| runs.iter().map(of).collect::<Vec<_>>();
        let seconds = all(|run| run.seconds);
        let middle = median(&seconds).unwrap_or(f64::NAN);
        let errors: Vec<_> = runs.iter().filter_map(|run| run.error_pct).collect();
        let saves: Vec<_> = runs.iter().flat_map(|run| run.saves_ms.clone()).collect();
        Self {
            profile: profile.to_owned(),
            job,
            tool,
            seconds: middle,
            mb_per_s: bytes as f64 / 1e6 / middle,
            of_limit: limit.map(|limit| limit / middle),
            progress_error_pct: median(&errors),
            peak_dirty_mib: median(&all(|run| run.peak_dirty as f64 / MIB)).unwrap_or(f64::NAN),
            neighbour_median_ms: median(&saves),
            neighbour_p99_ms: quantile(&saves, 0.99),
            cpu_s: median(&all(|run| run.cpu_seconds)).unwrap_or(f64::NAN),
            runs: runs.len(),
            spread_pct: spread_percent(&seconds).unwrap_or(f64::NAN),
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cell = |value: Option<f64>, digits: usize| {
            value.map_or("na".to_owned(), |value| format!("{value:.digits$}"))
        };
        write!(
            formatter,
            "{}\t{}\t{}\t{:.2}\t{:.2}\t{}\t{}\t{:.1}\t{}\t{}\t{:.2}\t{}\t{:.0}",
            self.profile,
            self.job,
            self.tool,
            self.seconds,
            self.mb_per_s,
            cell(self.of_limit, 3),
            cell(self.progress_error_pct, 1),
            self.peak_dirty_mib,
            cell(self.neighbour_median_ms, 1),
            cell(self.neighbour_p99_ms, 1),
            self.cpu_s,
            self.runs,
            self.spread_pct
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_a_cell_for_each_column_and_na_where_nothing_is_known() {
        let run = |seconds| Run {
            seconds,
            cpu_seconds: 0.5,
            peak_dirty: 3 << 20,
            ..Run::default()
        };
        let runs = [run(5.0), run(4.0), run(8.0)];
        let row = Row::of("even", Job::Large, Tool::Cp, 100_000_000, Some(4.5), &runs);
        assert_eq!(
            row.to_string(),
            "even\tlarge\tcp\t5.00\t20.00\t0.900\tna\t3.0\tna\tna\t0.50\t3\t80"
        );
        let cells = row.to_string().split('\t').count();
        assert_eq!(cells, Row::HEADER.split('\t').count());
    }
}
