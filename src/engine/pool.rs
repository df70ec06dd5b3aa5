use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Buffers that are through with, to be used again: fresh ones cost a computer as much as copying,
/// for the kernel has to clear each of their pages.
#[derive(Debug)]
pub(crate) struct Pool<B>(Arc<Mutex<Vec<B>>>);

/// A buffer of a pool, to which it returns when it is dropped, on whatever thread.
#[derive(Debug)]
pub(crate) struct Pooled<B> {
    /// Always there but while it is dropped.
    buffer: Option<B>,
    pool: Pool<B>,
}

impl<B> Pool<B> {
    /// One that was used before, as it was left, or else a fresh one.
    pub(crate) fn take(&self, fresh: impl FnOnce() -> B) -> Pooled<B> {
        let spare = self.spare().pop();
        Pooled {
            buffer: Some(spare.unwrap_or_else(fresh)),
            pool: self.clone(),
        }
    }

    fn spare(&self) -> MutexGuard<'_, Vec<B>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<B> Clone for Pool<B> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<B> Default for Pool<B> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<B> Deref for Pooled<B> {
    type Target = B;

    fn deref(&self) -> &B {
        self.buffer.as_ref().expect("it has its buffer")
    }
}

impl<B> DerefMut for Pooled<B> {
    fn deref_mut(&mut self) -> &mut B {
        self.buffer.as_mut().expect("it has its buffer")
    }
}

impl<B> Drop for Pooled<B> {
    fn drop(&mut self) {
        self.pool.spare().extend(self.buffer.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_through_with_is_used_again() {
        let pool = Pool::default();
        let mut first = pool.take(|| vec![1]);
        let second = pool.take(|| vec![2]);
        first.push(3);
        drop(first);
        assert_eq!(*pool.take(|| vec![4]), [1, 3]);
        drop(second);
        let (one, other) = (pool.take(Vec::new), pool.take(Vec::new));
        assert_eq!(one.len() + other.len(), 3);
    }
}
