//! `steady-cli`: the same tasks on a terminal.
