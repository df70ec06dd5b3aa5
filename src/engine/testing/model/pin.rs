use std::cell::RefCell;
use std::rc::Rc;

use super::state::State;

/// Holds a file of a [`Model`](super::Model) open.
pub struct ModelPin {
    state: Rc<RefCell<State>>,
    id: usize,
    holds: usize,
}

impl ModelPin {
    pub(super) fn new(state: &Rc<RefCell<State>>, id: usize, holds: bool) -> Self {
        let pin = Self {
            state: Rc::clone(state),
            id,
            holds: usize::from(holds),
        };
        pin.state.borrow_mut().files[id].pins += pin.holds;
        pin
    }
}

impl Drop for ModelPin {
    fn drop(&mut self) {
        if self.holds == 0 {
            return;
        }
        let mut state = self.state.borrow_mut();
        state.files[self.id].pins -= self.holds;
        state.free_unused(self.id);
    }
}
