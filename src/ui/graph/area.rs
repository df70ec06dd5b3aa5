use std::cell::RefCell;

use gtk::prelude::*;
use gtk::subclass::prelude::*;
use gtk::{glib, graphene, gsk};

use super::curve::Curve;

mod imp {
    use super::*;

    #[derive(Debug, Default)]
    pub(in crate::ui) struct Area {
        pub(super) curve: RefCell<Curve>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for Area {
        const NAME: &'static str = "SteadyArea";
        type Type = super::Area;
        type ParentType = gtk::Widget;

        fn class_init(class: &mut Self::Class) {
            class.set_accessible_role(gtk::AccessibleRole::Img);
        }
    }

    impl ObjectImpl for Area {
        fn constructed(&self) {
            self.parent_constructed();
            // The person's accent colour, whatever it is.
            self.obj().add_css_class("accent");
        }
    }

    impl WidgetImpl for Area {
        fn measure(&self, orientation: gtk::Orientation, _for_size: i32) -> (i32, i32, i32, i32) {
            match orientation {
                gtk::Orientation::Horizontal => (60, 300, -1, -1),
                _ => (72, 96, -1, -1),
            }
        }

        fn snapshot(&self, snapshot: &gtk::Snapshot) {
            self.obj().draw(snapshot);
        }
    }
}

glib::wrapper! {
    /// Draws a [`Curve`] as a quiet area, from the side where reading begins.
    pub(in crate::ui) struct Area(ObjectSubclass<imp::Area>)
        @extends gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl Area {
    /// Draws this one from now on.
    pub(super) fn show_curve(&self, curve: Curve) {
        if *self.imp().curve.borrow() != curve {
            self.imp().curve.replace(curve);
            self.queue_draw();
        }
    }

    fn draw(&self, snapshot: &gtk::Snapshot) {
        let (width, height) = (self.width() as f32, self.height() as f32);
        let is_rtl = self.direction() == gtk::TextDirection::Rtl;
        let place = |(x, y): (f64, f64)| {
            let x = if is_rtl { 1.0 - x } else { x };
            (x as f32 * width, (1.0 - y as f32) * height)
        };
        let (accent, strong) = (
            self.color(),
            adw::StyleManager::default().is_high_contrast(),
        );
        let shade = |quiet: f32, loud: f32| accent.with_alpha(if strong { loud } else { quiet });

        let line = |from: (f64, f64), to: (f64, f64)| {
            let builder = gsk::PathBuilder::new();
            let (x, y) = place(from);
            builder.move_to(x, y);
            let (x, y) = place(to);
            builder.line_to(x, y);
            builder.to_path()
        };
        let ground = gsk::Stroke::new(1.0);
        snapshot.append_stroke(&line((0.0, 0.0), (1.0, 0.0)), &ground, &shade(0.4, 1.0));

        let curve = self.imp().curve.borrow();
        let outline = curve.outline();
        let (Some(first), Some(last)) = (outline.first(), outline.last()) else {
            return;
        };
        let (area, edge) = (gsk::PathBuilder::new(), gsk::PathBuilder::new());
        let (x, y) = place((first.0, 0.0));
        area.move_to(x, y);
        for (at, point) in outline.iter().enumerate() {
            let (x, y) = place(*point);
            area.line_to(x, y);
            if at == 0 {
                edge.move_to(x, y);
            } else {
                edge.line_to(x, y);
            }
        }
        let (x, y) = place((last.0, 0.0));
        area.line_to(x, y);
        area.close();
        snapshot.push_clip(&graphene::Rect::new(0.0, 0.0, width, height));
        snapshot.append_fill(&area.to_path(), gsk::FillRule::Winding, &shade(0.2, 0.5));
        let stroke = gsk::Stroke::builder(2.0)
            .line_join(gsk::LineJoin::Round)
            .build();
        snapshot.append_stroke(&edge.to_path(), &stroke, &accent);
        if let Some(cliff) = curve.cliff {
            let x = cliff as f64 / curve.end as f64;
            let dashes = gsk::Stroke::builder(1.5).dash(&[3.0, 4.0]).build();
            snapshot.append_stroke(&line((x, 0.0), (x, 1.0)), &dashes, &accent);
        }
        snapshot.pop();
    }
}

#[cfg(test)]
mod tests {
    use adw::prelude::AdwWindowExt;

    use super::*;
    use crate::ui::testing::{settle, widget};

    /// As WCAG defines it, 1 to 21.
    fn contrast(one: gtk::gdk::RGBA, other: gtk::gdk::RGBA) -> f32 {
        let linear = |part: f32| {
            if part <= 0.04045 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        };
        let luminance = |colour: gtk::gdk::RGBA| {
            0.2126 * linear(colour.red())
                + 0.7152 * linear(colour.green())
                + 0.0722 * linear(colour.blue())
        };
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn black_on_white_is_as_clear_as_can_be() {
        use gtk::gdk::RGBA;
        assert!((contrast(RGBA::BLACK, RGBA::WHITE) - 21.0).abs() < 0.01);
        assert!((contrast(RGBA::RED, RGBA::RED) - 1.0).abs() < 0.01);
    }

    /// The one colour that is not the toolkit's own choice for its place.
    #[gtk::test]
    fn the_edge_is_clear_in_front_of_the_window() {
        adw::init().expect("libadwaita should start on a display");
        let style = adw::StyleManager::default();
        for scheme in [adw::ColorScheme::ForceLight, adw::ColorScheme::ForceDark] {
            style.set_color_scheme(scheme);
            let (window, area) = (widget::<adw::Window>(), widget::<Area>());
            window.set_content(Some(&area));
            window.present();
            settle();
            #[expect(deprecated, reason = "nothing else tells a named colour")]
            let behind = window.style_context().lookup_color("window_bg_color");
            let behind = behind.expect("libadwaita should name it");
            let clear = contrast(area.color(), behind);
            assert!(
                clear >= 4.5,
                "{scheme:?}: {} on {behind}: {clear}",
                area.color()
            );
            window.destroy();
        }
        style.set_color_scheme(adw::ColorScheme::Default);
    }
}
