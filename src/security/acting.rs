//! For whom the future works that is polled right now. Futures that it awaits know it without being told; what it spawns has to be told,
//! which tasks do.

use super::Subject;
use pith_engine::Result;
use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};

thread_local! {
    static CURRENT: RefCell<Option<Rc<Subject>>> = const { RefCell::new(None) };
}

/// The subject that is worked for; `None` when the node works for itself or asks nobody who they are.
pub fn current() -> Option<Rc<Subject>> {
    CURRENT.with_borrow(Clone::clone)
}

/// What the current subject is called.
pub fn name() -> Option<Arc<str>> {
    CURRENT.with_borrow(|current| current.as_ref().map(|subject| subject.name.as_str().into()))
}

/// Asks the current subject, if there is one.
pub fn check(question: impl FnOnce(&Subject) -> Result<()>) -> Result<()> {
    match current() {
        Some(subject) => question(&subject),
        None => Ok(()),
    }
}

/// A future that works for a subject, or with `None` for the node itself.
pub struct Acting<F> {
    subject: Option<Rc<Subject>>,
    future: F,
}

impl<F: Future + Unpin> Acting<F> {
    pub fn new(subject: Option<Rc<Subject>>, future: F) -> Self {
        Self { subject, future }
    }
}

impl<F: Future + Unpin> Future for Acting<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let _entered = Entered::enter(self.subject.clone());
        Pin::new(&mut self.future).poll(cx)
    }
}

/// Makes a subject the current one for as long as it lives, also when what runs panics.
pub struct Entered {
    before: Option<Rc<Subject>>,
}

impl Entered {
    pub fn enter(subject: Option<Rc<Subject>>) -> Self {
        Self { before: CURRENT.replace(subject) }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(self.before.take());
    }
}
