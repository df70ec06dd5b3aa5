use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use adw::prelude::*;
use adw::subclass::prelude::*;
use gettextrs::gettext;
use gtk::{gio, glib};

use super::Window;
use crate::drives::Drive;
use crate::tasks::{
    self, CopyRequest, Destination, Did, Failure, Gathering, Kind, Prepared, Problem, ProblemKind,
    Wording, proposed_choices,
};
use crate::ui::history::keep_receipt;
use crate::ui::job::Job;
use crate::ui::question::{Question, may_erase};
use crate::ui::stick::{StickChoice, stick_name};
use crate::ui::text::{gettext_f, tr};

/// A copy that can be started, and what has to be known of it until then.
#[derive(Debug)]
pub(super) struct Plan {
    prepared: Prepared,
    drive: Drive,
    erases: bool,
    /// The problems that a person has looked at.
    reviewed: HashSet<(ProblemKind, PathBuf)>,
}

impl Plan {
    /// Whether there is something to decide that was not seen yet, or not decided.
    fn needs_review(&self) -> bool {
        let mut problems = self.prepared.problems().iter();
        self.prepared.must_stop() || !problems.all(|problem| self.reviewed.contains(&problem.key()))
    }
}

impl Window {
    /// Looks at files and stick, then goes on to the first question or to the job.
    pub(super) fn prepare(&self) {
        let imp = self.imp();
        if let Some(choice) = imp.stick.choice() {
            imp.review.reset();
            imp.stick.reset(false);
            self.prepare_for(choice, false);
        }
    }

    fn prepare_for(&self, choice: StickChoice, repair: bool) {
        let imp = self.imp();
        let erases = choice.format.is_some();
        let drive = choice.drive.clone();
        if let Some(format) = &choice.format {
            imp.settings.set_file_system(format.file_system);
        }
        let request = CopyRequest {
            sources: imp.choose.paths(),
            destination: Destination::Stick {
                drive: Box::new(choice.drive),
                volume: choice.volume,
                format: choice.format,
            },
            check: choice.check,
            choices: proposed_choices(),
            at_end: imp.settings.at_end(),
            repair,
        };
        imp.stick.set_busy(true);
        let gathering = Arc::new(Gathering::default());
        if let Some(before) = imp.gathering.replace(Some(Arc::clone(&gathering))) {
            before.cancel();
        }
        self.work_on_plan(move || {
            tasks::prepare_copy(request, &gathering).map(|prepared| Plan {
                prepared,
                drive,
                erases,
                reviewed: HashSet::new(),
            })
        });
    }

    /// Plans again as it was chosen, and starts unless that brought something new.
    pub(super) fn copy_as_chosen(&self) {
        let imp = self.imp();
        let Some(mut plan) = imp.plan.take() else {
            return;
        };
        let choices = imp.review.choices();
        plan.reviewed = plan.prepared.problems().iter().map(Problem::key).collect();
        self.work_on_plan(move || plan.prepared.choose(choices).map(|()| plan));
    }

    /// Whatever was begun and not started is given up, for the person went back.
    pub(super) fn give_up_attempt(&self) {
        let imp = self.imp();
        imp.attempt.set(imp.attempt.get().wrapping_add(1));
        imp.stick.set_busy(false);
        if let Some(gathering) = imp.gathering.take() {
            gathering.cancel();
        }
        imp.image_plan.take();
        if let Some(plan) = imp.plan.take() {
            self.drop_on_worker(plan);
        }
    }

    /// Runs `work` on a worker thread and goes on with what it yields, unless the person has
    /// gone back meanwhile. The program does not end before it.
    fn work_on_plan(&self, work: impl FnOnce() -> Result<Plan, Failure> + Send + 'static) {
        let window = self.clone();
        let hold = self.application().map(|application| application.hold());
        let attempt = self.imp().attempt.get();
        glib::spawn_future_local(async move {
            let plan = gio::spawn_blocking(work)
                .await
                .expect("planning should not panic");
            if window.imp().attempt.get() == attempt {
                window.imp().stick.set_busy(false);
                window.go_on(plan).await;
            } else if let Ok(plan) = plan {
                window.drop_on_worker(plan);
            }
            drop(hold);
        });
    }

    async fn go_on(&self, plan: Result<Plan, Failure>) {
        let imp = self.imp();
        match plan {
            Err(failure) if failure.kind == Kind::Dismissed => self.go_to("stick"),
            Err(failure) if failure.kind == Kind::DamagedFileSystem => {
                self.go_to("stick");
                if let Some(choice) = imp.stick.choice()
                    && self.may_repair(&choice.drive, &failure).await
                {
                    self.prepare_for(choice, true);
                }
            }
            Err(failure) => {
                tracing::info!(?failure, "refused before the first byte");
                self.go_to("stick");
                imp.stick.say(&tr(&Wording::of_failure(&failure)));
            }
            Ok(plan) if plan.needs_review() => {
                imp.review.show_problems(plan.prepared.problems());
                imp.plan.replace(Some(plan));
                self.go_to("review");
            }
            Ok(plan)
                if !plan.erases
                    || may_erase(self, &plan.drive, gettext("_Erase and Copy")).await =>
            {
                self.start(plan);
            }
            Ok(plan) => {
                self.drop_on_worker(plan);
                self.go_to("stick");
            }
        }
    }

    async fn may_repair(&self, drive: &Drive, failure: &Failure) -> bool {
        let heading = gettext_f("Repair {stick}?", &[("stick", &stick_name(drive))]);
        let question = Question {
            heading,
            body: tr(&Wording::of_failure(failure)),
            no: gettext("_Cancel"),
            yes: gettext("_Repair"),
            appearance: adw::ResponseAppearance::Suggested,
        };
        question.ask(self).await
    }

    fn start(&self, plan: Plan) {
        let job = Job::new(&stick_name(&plan.drive), plan.prepared.checks());
        keep_receipt(&job, Did::Copied, self.imp().choose.paths());
        job.follow(plan.prepared.start());
        self.show_job(&job);
    }

    /// Dropping a plan unmounts what was mounted for it, which may take long.
    fn drop_on_worker(&self, plan: Plan) {
        let hold = self.application().map(|application| application.hold());
        glib::spawn_future_local(async move {
            let dropped = gio::spawn_blocking(move || drop(plan)).await;
            dropped.expect("unmounting should not panic");
            drop(hold);
        });
    }
}
