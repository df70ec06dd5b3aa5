use super::fake::Fake;
use super::private_bus::PrivateBus;
use super::tree::Tree;
use crate::drives::{Drive, Udisks};

/// A computer with a made-up UDisks2 on a bus of its own, and the stick that a test is about.
pub(super) struct Desk {
    _bus: PrivateBus,
    pub(super) fake: Fake,
    pub(super) udisks: Udisks,
    pub(super) drive: Drive,
}

impl Desk {
    /// With the only drive of the tree.
    pub(super) fn new(tree: Tree) -> Self {
        let drive = tree.only();
        Self::about(tree, drive)
    }

    /// With one drive of the tree.
    pub(super) fn about(tree: Tree, drive: Drive) -> Self {
        let bus = PrivateBus::start();
        let fake = Fake::start(&bus, tree);
        let udisks = Fake::udisks(&bus);
        Self {
            _bus: bus,
            fake,
            udisks,
            drive,
        }
    }
}
