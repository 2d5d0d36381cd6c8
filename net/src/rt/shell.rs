//! One value on its way from any thread to a task that awaits it.

use std::{
    cell::UnsafeCell,
    future::poll_fn,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
};

use super::bell::Bell;

/// The two ends of a value's way. What awaits gets `None` where the filler is dropped unused.
pub(super) fn shell<T: Send>() -> (Filler<T>, impl Future<Output = Option<T>>) {
    let shell = Arc::new(Shell { done: AtomicBool::new(false), value: UnsafeCell::new(None), bell: Bell::new() });
    (Filler { shell: shell.clone() }, async move { shell.wait().await })
}

struct Shell<T> {
    done: AtomicBool,
    /// Written by the filler before `done`, taken by the awaiting task after it.
    value: UnsafeCell<Option<T>>,
    bell: Bell,
}

// SAFETY: `done` hands the cell from the one writer to the one reader, so a `T` that may change threads suffices.
unsafe impl<T: Send> Sync for Shell<T> {}

impl<T> Shell<T> {
    async fn wait(&self) -> Option<T> {
        let sleeper = self.bell.sleeper();
        poll_fn(|cx| sleeper.poll(cx, || self.done.load(SeqCst).then_some(()))).await;
        // SAFETY: `done` was seen, so the writer has finished; this is the only reader, which takes it once.
        unsafe { (*self.value.get()).take() }
    }
}

/// The end that the value is put in, by one thread, once.
pub(super) struct Filler<T> {
    shell: Arc<Shell<T>>,
}

impl<T> Filler<T> {
    pub fn fill(self, value: T) {
        // SAFETY: there is one filler, which is used up; the reader looks only after `done`, which its end sets.
        unsafe { *self.shell.value.get() = Some(value) };
    }
}

impl<T> Drop for Filler<T> {
    fn drop(&mut self) {
        self.shell.done.store(true, SeqCst);
        self.shell.bell.ring();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rt::block_on;
    use std::thread;

    #[test]
    fn a_value_arrives_or_is_given_up() {
        block_on(|| async {
            let (filler, filled) = shell();
            thread::spawn(move || filler.fill(7));
            assert_eq!(filled.await, Some(7));
            let (filler, filled) = shell::<u32>();
            thread::spawn(move || drop(filler));
            assert_eq!(filled.await, None);
        });
    }
}
