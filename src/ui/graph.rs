//! Speed over bytes, drawn.

mod area;
mod curve;
mod series;
mod speed_graph;

pub(super) use curve::{Curve, Point};
pub(super) use speed_graph::SpeedGraph;
