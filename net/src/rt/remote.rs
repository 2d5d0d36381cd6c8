//! Posting a closure to a core, from any thread.

use std::{
    fmt,
    future::poll_fn,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::{self, Receiver, Sender},
    },
};

use super::{
    bell::Bell,
    core,
    home::Home,
    shell::shell,
    task::{Class, report_panic, spawn_in},
};

type Post = Box<dyn FnOnce() + Send>;

/// How many posts run before the core is handed back.
const POSTS_PER_TURN: usize = 64;

/// One core's inbox. The channel is the lock-free one of std: posting never waits.
pub(super) struct Inbox {
    sender: Sender<Post>,
    waiting: AtomicUsize,
    bell: Bell,
}

impl Inbox {
    pub fn new() -> (Arc<Self>, Receiver<Post>) {
        let (sender, receiver) = mpsc::channel();
        (Arc::new(Self { sender, waiting: AtomicUsize::new(0), bell: Bell::new() }), receiver)
    }

    pub fn post(&self, post: Post) {
        // Counted before it is sent, so that a sleeper that sees no count has missed nothing.
        self.waiting.fetch_add(1, Ordering::Release);
        if self.sender.send(post).is_err() {
            // The core has ended; the closure is dropped with the error.
            self.waiting.fetch_sub(1, Ordering::Release);
        }
        self.bell.ring();
    }
}

/// A core, as seen from anywhere.
#[derive(Clone)]
pub struct Remote {
    inbox: Arc<Inbox>,
    home: Arc<Home>,
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").field("asleep", &self.is_asleep()).finish_non_exhaustive()
    }
}

impl Remote {
    /// The core that this code runs on.
    pub fn current() -> Self {
        core::with(|core| Self { inbox: core.inbox.clone(), home: core.home.clone() })
    }

    /// Whether that core has nothing to do; out of date at once.
    pub fn is_asleep(&self) -> bool {
        self.home.bell().is_parked()
    }

    /// Runs what `make` makes as a task of that core. The future gives its result, or `None` where the core has ended or the task
    /// panicked; dropping it does not end the task.
    pub fn spawn<T, F, M>(&self, make: M) -> impl Future<Output = Option<T>> + use<T, F, M>
    where
        T: Send + 'static,
        F: Future<Output = T> + 'static,
        M: FnOnce() -> F + Send + 'static,
    {
        let (filler, filled) = shell();
        self.post(move || {
            spawn_in(Class::Latency, async move { filler.fill(make().await) }).detach();
        });
        filled
    }

    /// Runs `f` on that core, soon. Dropped unrun when the core has ended. `f` must be short: it runs between tasks.
    pub fn post(&self, f: impl FnOnce() + Send + 'static) {
        self.inbox.post(Box::new(f));
    }
}

/// The resident task of a core's inbox.
pub(super) async fn attend(inbox: Arc<Inbox>, posts: Receiver<Post>) {
    let sleeper = inbox.bell.sleeper();
    loop {
        let mut ran = 0;
        while let Ok(post) = posts.try_recv() {
            inbox.waiting.fetch_sub(1, Ordering::Relaxed);
            if let Err(payload) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(post)) {
                report_panic(payload, "posted closure");
            }
            ran += 1;
            if ran % POSTS_PER_TURN == 0 {
                super::yield_now().await;
            }
        }
        let look = || (inbox.waiting.load(Ordering::Acquire) > 0).then_some(());
        poll_fn(|cx| sleeper.poll(cx, look)).await;
    }
}
