use std::{
    fmt, thread,
    time::{Duration, Instant},
};

use anyhow::Result;
use serde_json::Value;

use super::{Fault, Job, draw::Draw, moment::Moment, oracle, stage::Stage, story};
use crate::Lab;

/// One job, what befalls it, and from what the rest is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// What Steady does.
    pub job: Job,
    /// What befalls it.
    pub fault: Fault,
    /// Moment, details and what survives a pull are drawn from it.
    pub seed: u64,
}

/// How a case went.
#[derive(Debug)]
pub struct Verdict {
    /// Whether the fault came before the job's end.
    pub hit: bool,
    /// The moment of the fault, and what Steady said last.
    pub story: String,
    /// What must not be.
    pub wrong: Vec<String>,
    /// How long it took.
    pub took: Duration,
}

impl Case {
    /// So many cases from that seed on. Jobs and faults come in turn, a bit of everything in each
    /// stretch: which, where all may come, the seed alone decides.
    pub fn several(
        jobs: &[Job],
        faults: &[Fault],
        long: bool,
        seed: u64,
        count: usize,
    ) -> Vec<Self> {
        let pairs = faults
            .iter()
            .filter(|fault| long || !fault.is_long())
            .flat_map(|fault| fault.jobs().iter().map(move |job| (*fault, *job)))
            .filter(|(_, job)| jobs.contains(job));
        let mut pairs: Vec<_> = pairs.collect();
        let mut draw = Draw::new(1);
        pairs.sort_by_cached_key(|_| draw.number());
        let case = |seed: u64| {
            let (fault, job) = *pairs.get(seed as usize % pairs.len().max(1))?;
            Some(Self { job, fault, seed })
        };
        (seed..).map_while(case).take(count).collect()
    }

    /// Lets it happen in the lab, and judges. An error means that the lab failed.
    pub fn run(self, lab: &Lab) -> Result<Verdict> {
        let begun = Instant::now();
        let mut draw = Draw::new(self.seed.wrapping_mul(0x1_0001) ^ 0x5eed);
        let moment = Moment::draw(self.job, self.fault, &mut draw);
        let mut stage = Stage::set(lab, self, &mut draw)?;
        let told = story::follow(&stage, &moment, &mut draw)?;
        if self.fault == Fault::TwoSteadys {
            let wait = "while pgrep -x steady-cli; do sleep 0.3; done";
            lab.run_root(&["sh", "-c", wait])?;
        }
        let is_in = |name: &str| lab.sticks().iter().any(|stick| stick.name == name);
        let read = stage.stick.counters().map_or(u64::MAX, |it| it.bytes_read);
        let mut wrong = Vec::new();
        for name in ["case", "other", "victim", "camera"] {
            if !is_in(name) {
                continue;
            }
            let stick = lab.stick(Some(name))?;
            let written = stick.counters()?.bytes_written;
            if matches!(name, "other" | "victim") && written > 0 {
                wrong.push(format!("{written} bytes were written to the {name}"));
            }
            lab.unplug(&stick)?;
        }
        wrong.extend(oracle::after_fault(&stage, &told, read));
        self.heal(lab, &mut stage)?;
        wrong.extend(self.next(lab, &stage)?);
        wrong.extend(oracle::left_overs(lab)?);
        let end = told.end.as_ref();
        let field = |name: &str| end.map_or(Value::Null, |end| end[name].clone());
        let story = format!(
            "{moment:?} in {:?}; {}, kind {}, exit {:?}; {}",
            told.hit,
            told.word(),
            field("kind"),
            told.code,
            field("cause"),
        );
        if !wrong.is_empty() {
            wrong.push(format!("it said {}", end.unwrap_or(&Value::Null)));
        }
        Ok(Verdict {
            hit: told.hit.is_some(),
            story,
            wrong,
            took: begun.elapsed(),
        })
    }

    /// Ends what the fault has done to the PC.
    fn heal(self, lab: &Lab, stage: &mut Stage<'_>) -> Result<()> {
        let root = |command: &str| lab.run_root(&["sh", "-c", command]).map(drop);
        match self.fault {
            Fault::UdisksStopped => {
                root("systemctl unmask --runtime udisks2; systemctl start udisks2")?;
            }
            Fault::BusGone => {
                lab.restore()?;
                root("touch /run/campaign-begin; sleep 0.1")?;
                stage.put_sources()?;
            }
            Fault::LoggedOut => {
                // The old session has to be gone before the new one can be told from it.
                thread::sleep(Duration::from_secs(10));
                lab.await_desktop()?;
            }
            // What the system writes when it starts is not to be counted.
            Fault::PowerCut => root("touch -d '5 minutes' /run/campaign-begin")?,
            Fault::DiskFull => root("rm -f /home/tester/fill?")?,
            Fault::ClockBack | Fault::ClockForward => lab.set_clock()?,
            _ => {}
        }
        match self.fault {
            Fault::SourceGrown
            | Fault::SourceRemoved
            | Fault::SourceTruncated
            | Fault::PowerCut => {
                root("rm -rf /home/tester/job")?;
                stage.put_sources()?;
            }
            _ => {}
        }
        stage.folder = "/home/tester/job".into();
        stage.allow_devices()
    }

    /// The same once more, on the same stick, without a fault.
    fn next(self, lab: &Lab, stage: &Stage<'_>) -> Result<Vec<String>> {
        let mut wrong = Vec::new();
        if self.fault == Fault::TurnsReadOnly {
            let protected = stage.plug_again("protected", true, false)?;
            let (code, said) = self.again(lab, stage, &protected.device)?;
            if code == 0 || protected.counters()?.bytes_written > 0 {
                wrong.push(format!("write-protected, and exit {code}: {said}"));
            }
            lab.unplug(&protected)?;
        }
        // Nobody can use that stick any more, or the file system is the other program's affair.
        let fresh = matches!(self.fault, Fault::Fake | Fault::Formatted);
        let again = stage.plug_again("again", false, fresh)?;
        let (code, said) = self.again(lab, stage, &again.device)?;
        lab.unplug(&again)?;
        if code == 0 {
            match oracle::after_next(stage, again.image_path()) {
                Ok(more) => wrong.extend(more),
                Err(error) => wrong.push(format!("after the next run {error:#}")),
            }
        } else {
            wrong.push(format!("the next run fails, exit {code}: {said}"));
        }
        Ok(wrong)
    }

    fn again(self, lab: &Lab, stage: &Stage<'_>, device: &str) -> Result<(i32, String)> {
        let mut arguments = self.job.arguments(device, &stage.folder, stage.image);
        if self.job == Job::Copy {
            arguments += " --repair";
        }
        let command = format!(
            "timeout 400 steady-cli {arguments} --json 2>&1 | tail -n 1; exit ${{PIPESTATUS[0]}}"
        );
        let output = lab.run(&["bash", "-c", &command])?;
        Ok((output.code, output.text()))
    }
}

/// As it is repeated.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { job, fault, seed } = self;
        write!(
            f,
            "--job {} --fault {} --seed {seed}",
            job.name(),
            fault.name()
        )
    }
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn every_fault_befalls_every_job_that_it_can() {
        let all = Case::several(&Job::ALL, Fault::value_variants(), true, 5, 300);
        for fault in Fault::value_variants() {
            for job in fault.jobs() {
                assert!(
                    all.iter()
                        .any(|case| (case.fault, case.job) == (*fault, *job))
                );
            }
        }
        assert!(all.iter().zip(5..).all(|(case, seed)| case.seed == seed));
    }
}
