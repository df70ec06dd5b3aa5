use std::cell::{Cell, RefCell};
use std::time::Instant;

use gettextrs::gettext;
use gtk::glib;
use gtk::prelude::*;
use gtk::subclass::prelude::*;

use super::area::Area;
use super::curve::Curve;
use super::series::Series;
use crate::tasks::{Phase, Progress};
use crate::ui::text::{gettext_f, rate, size};

mod imp {
    use super::*;

    #[derive(Debug, gtk::CompositeTemplate)]
    #[template(file = "speed_graph.ui")]
    pub(in crate::ui) struct SpeedGraph {
        pub(super) series: RefCell<Series>,
        pub(super) begun: Cell<Instant>,
        /// What was told to a screen reader last: how many tenths, and the cliff.
        pub(super) told: Cell<Option<(u64, Option<u64>)>>,
        #[template_child]
        pub(super) area: TemplateChild<Area>,
        #[template_child]
        pub(super) caption: TemplateChild<gtk::Label>,
    }

    impl Default for SpeedGraph {
        fn default() -> Self {
            Self {
                series: RefCell::default(),
                begun: Cell::new(Instant::now()),
                told: Cell::default(),
                area: TemplateChild::default(),
                caption: TemplateChild::default(),
            }
        }
    }

    #[glib::object_subclass]
    impl ObjectSubclass for SpeedGraph {
        const NAME: &'static str = "SteadySpeedGraph";
        type Type = super::SpeedGraph;
        type ParentType = gtk::Box;

        fn class_init(class: &mut Self::Class) {
            Area::ensure_type();
            class.bind_template();
        }

        fn instance_init(object: &glib::subclass::InitializingObject<Self>) {
            object.init_template();
        }
    }

    impl ObjectImpl for SpeedGraph {
        fn constructed(&self) {
            self.parent_constructed();
            self.obj().show_curve(Curve::default());
        }
    }
    impl WidgetImpl for SpeedGraph {}
    impl BoxImpl for SpeedGraph {}
}

glib::wrapper! {
    /// The speed over the bytes, with what it shows in words below.
    pub(in crate::ui) struct SpeedGraph(ObjectSubclass<imp::SpeedGraph>)
        @extends gtk::Box, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget, gtk::Orientable;
}

impl SpeedGraph {
    /// As for a new job.
    pub(in crate::ui) fn reset(&self) {
        self.imp().series.take();
        self.imp().begun.set(Instant::now());
        self.show_curve(Curve::default());
    }

    /// Takes in the totals of a job. Only what is written counts: reading has a speed of its own.
    pub(in crate::ui) fn follow(&self, progress: &Progress) {
        if progress.phase != Phase::Writing {
            return;
        }
        let imp = self.imp();
        // What was there already was not written.
        let written = progress.confirmed - progress.kept.min(progress.confirmed);
        let at = imp.begun.get().elapsed();
        imp.series.borrow_mut().sample(at, written);
        let points = imp.series.borrow().points();
        let end = progress
            .total
            .map_or(0, |total| total.saturating_sub(progress.kept));
        self.show_curve(Curve::new(points, end));
    }

    /// Shows a curve that is known as a whole.
    pub(in crate::ui) fn show_curve(&self, curve: Curve) {
        let imp = self.imp();
        let words = words(&curve);
        imp.caption.set_label(&words.join(" · "));
        let reached = curve.points.last().map_or(0, |point| point.to);
        let now = (reached * 10 / curve.end.max(1), curve.cliff);
        // Whoever listens to it is not to be interrupted five times a second.
        if imp.told.replace(Some(now)) != Some(now) {
            let description = words.join(". ");
            imp.area
                .update_property(&[gtk::accessible::Property::Description(&description)]);
        }
        imp.area.show_curve(curve);
    }
}

/// What the curve shows, in words.
fn words(curve: &Curve) -> Vec<String> {
    let fastest = curve.fastest();
    if fastest <= 0.0 {
        return vec![gettext("Nothing measured yet")];
    }
    let mut words = vec![gettext_f(
        // Translators: {rate} is a speed, such as “4.2 MB/s”
        "Fastest: {rate}",
        &[("rate", &rate(fastest))],
    )];
    if let Some(cliff) = curve.cliff {
        // Translators: {size} is how much was written by then, such as “1.2 GB”
        words.push(gettext_f("slower since {size}", &[("size", &size(cliff))]));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::graph::curve::Point;
    use crate::ui::testing::{progress, widget};

    fn with_cliff() -> Curve {
        let point = |at: u64| Point {
            from: at * 100_000_000,
            to: (at + 1) * 100_000_000,
            rate: if at < 12 { 17.2e6 } else { 4.1e6 },
        };
        Curve::new((0..30).map(point).collect(), 4_000_000_000)
    }

    #[gtk::test]
    fn a_cliff_is_told_in_words() {
        let graph = widget::<SpeedGraph>();
        assert_eq!(graph.imp().caption.label(), "Nothing measured yet");
        graph.show_curve(with_cliff());
        let told = graph.imp().caption.label();
        assert_eq!(told, "Fastest: 17.2 MB/s · slower since 1.2 GB");
    }

    #[gtk::test]
    fn a_screen_reader_is_told_at_each_tenth_and_at_the_cliff_only() {
        let graph = widget::<SpeedGraph>();
        let mut told = 0;
        let mut last = graph.imp().told.get();
        for step in 0..=400 {
            let points = with_cliff().points;
            let shown = points
                .into_iter()
                .filter(|point| point.to <= step * 10_000_000);
            graph.show_curve(Curve::new(shown.collect(), 4_000_000_000));
            told += u32::from(graph.imp().told.get() != last);
            last = graph.imp().told.get();
        }
        assert!((7..=9).contains(&told), "{told}");
    }

    #[gtk::test]
    fn only_what_is_written_is_drawn() {
        let graph = widget::<SpeedGraph>();
        let mut totals = progress(0, 1_000);
        totals.phase = Phase::Checking;
        graph.follow(&totals);
        assert!(graph.imp().series.borrow().points().is_empty());
        totals.phase = Phase::Writing;
        graph.follow(&totals);
        (totals.confirmed, totals.kept) = (600, 600);
        graph.follow(&totals);
        assert!(graph.imp().series.borrow().points().is_empty(), "kept");
        totals.confirmed = 800;
        graph.follow(&totals);
        let points = graph.imp().series.borrow().points();
        assert_eq!(points.last().map(|point| point.to), Some(200));
        graph.reset();
        assert!(graph.imp().series.borrow().points().is_empty());
    }
}
