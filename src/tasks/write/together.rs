use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::engine::Meter;
use crate::engine::device::{Image, Lane, lanes};
use crate::tasks::{Failure, Kind};

/// How long a stick that is open waits for the others, so that the image is read once for all.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it looks meanwhile whether its job was cancelled.
const LOOK: Duration = Duration::from_millis(100);

/// The jobs of all sticks that one image goes to: they ask for the password one after the other,
/// and begin together.
#[derive(Debug)]
pub(super) struct Together {
    image: Arc<Image>,
    checked: bool,
    /// Whether the password was dismissed. Held while it is asked for.
    dismissed: Mutex<bool>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// Sticks that are neither open nor given up.
    awaited: usize,
    /// Once the image is being read: the lane of each stick until it is taken or given up.
    lanes: Option<Vec<Option<Lane>>>,
    given_up: Vec<bool>,
}

/// One stick's place among them; dropped, nobody waits for it.
#[derive(Debug)]
pub(super) struct Member {
    together: Arc<Together>,
    place: usize,
    arrived: bool,
}

impl Together {
    /// A place for each of that many sticks. `checked`: they will be read back.
    pub(super) fn members(image: &Arc<Image>, checked: bool, count: usize) -> Vec<Member> {
        let together = Arc::new(Self {
            image: Arc::clone(image),
            checked,
            dismissed: Mutex::new(false),
            state: Mutex::new(State {
                awaited: count,
                lanes: None,
                given_up: vec![false; count],
            }),
            changed: Condvar::new(),
        });
        let member = |place| Member {
            together: Arc::clone(&together),
            place,
            arrived: false,
        };
        (0..count).map(member).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Member {
    /// Asks for the password by `ask`, when nobody else is asking. Who has dismissed it once is
    /// not asked again.
    pub(super) fn authorize(
        &self,
        ask: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let dismissed = self.together.dismissed.lock();
        let mut dismissed = dismissed.unwrap_or_else(PoisonError::into_inner);
        if *dismissed {
            return Err(Failure::new(Kind::Dismissed, "for another stick"));
        }
        let answer = ask();
        *dismissed = matches!(&answer, Err(failure) if failure.kind == Kind::Dismissed);
        answer
    }

    pub(super) fn image(&self) -> &Arc<Image> {
        &self.together.image
    }

    /// The stick is open: its way through the image, once the others are open too or have kept it
    /// waiting for too long. `None`: cancelled.
    pub(super) fn join(&mut self, meter: &Meter) -> Option<Lane> {
        let together = Arc::clone(&self.together);
        let mut state = together.lock();
        state.awaited -= 1;
        self.arrived = true;
        together.changed.notify_all();
        let deadline = Instant::now() + PATIENCE;
        while state.awaited > 0 && state.lanes.is_none() && Instant::now() < deadline {
            if meter.is_cancelled() {
                return None;
            }
            let waited = together.changed.wait_timeout(state, LOOK);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        if state.lanes.is_none() {
            let given_up = state.given_up.clone();
            let all = lanes(&together.image, given_up.len(), together.checked);
            let wanted = all.into_iter().zip(given_up);
            state.lanes = Some(wanted.map(|(lane, gone)| (!gone).then_some(lane)).collect());
            together.changed.notify_all();
        }
        state.lanes.as_mut()?.get_mut(self.place)?.take()
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        let mut state = self.together.lock();
        if !self.arrived {
            state.awaited -= 1;
        }
        state.given_up[self.place] = true;
        if let Some(lanes) = &mut state.lanes {
            lanes[self.place] = None;
        }
        self.together.changed.notify_all();
    }
}
