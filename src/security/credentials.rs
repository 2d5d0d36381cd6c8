//! Passwords that were verified, remembered under a keyed hash: a core looks them up instead of having them hashed again.

use ring::hmac;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Logins that a core remembers; when there are more, all are forgotten.
const REMEMBERED_MAX: usize = 10_000;

/// What a login was found to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Unknown,
    /// Being verified right now for another request.
    Pending(Rc<Login>),
    /// The password went with this hash.
    Verified(String),
}

/// A verification that others may wait for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Login {
    passed: Cell<Option<bool>>,
}

impl Login {
    /// How it ended; `None` while it has not.
    pub fn passed(&self) -> Option<bool> {
        self.passed.get()
    }

    pub fn end(&self, passed: bool) {
        self.passed.set(Some(passed));
    }
}

type Key = [u8; 32];

/// The logins of one core.
pub struct Credentials {
    key: hmac::Key,
    verified: RefCell<HashMap<Key, (String, Instant)>>,
    pending: RefCell<HashMap<Key, Rc<Login>>>,
    /// Verifications that run or wait, by where they come from.
    waiting: RefCell<HashMap<String, usize>>,
}

impl Default for Credentials {
    fn default() -> Self {
        let random = ring::rand::SystemRandom::new();
        // Without random numbers there would be no keys for TLS either.
        let key = hmac::Key::generate(hmac::HMAC_SHA256, &random).expect("the system has random numbers");
        Self { key, verified: RefCell::default(), pending: RefCell::default(), waiting: RefCell::default() }
    }
}

impl Credentials {
    fn key(&self, name: &str, password: &str) -> Key {
        let mut context = hmac::Context::with_key(&self.key);
        context.update(&(name.len() as u64).to_le_bytes());
        context.update(name.as_bytes());
        context.update(password.as_bytes());
        let mut key = [0; 32];
        key.copy_from_slice(context.sign().as_ref());
        key
    }

    /// What is known of a login.
    pub fn find(&self, name: &str, password: &str, now: Instant) -> Verdict {
        let key = self.key(name, password);
        if let Some((hash, until)) = self.verified.borrow().get(&key)
            && *until > now
        {
            return Verdict::Verified(hash.clone());
        }
        match self.pending.borrow().get(&key) {
            Some(login) => Verdict::Pending(login.clone()),
            None => Verdict::Unknown,
        }
    }

    /// A verification begins; others that bring the same can wait for it.
    pub fn begin(&self, name: &str, password: &str) -> Rc<Login> {
        let login = Rc::new(Login::default());
        self.pending.borrow_mut().insert(self.key(name, password), login.clone());
        login
    }

    /// A verification has ended: `hash` is what the password goes with, if it does.
    pub fn end(&self, name: &str, password: &str, hash: Option<&str>, until: Instant) {
        let key = self.key(name, password);
        if let Some(login) = self.pending.borrow_mut().remove(&key) {
            login.end(hash.is_some());
        }
        if let Some(hash) = hash {
            let mut verified = self.verified.borrow_mut();
            if verified.len() >= REMEMBERED_MAX {
                verified.clear();
            }
            verified.insert(key, (hash.to_owned(), until));
        }
    }

    pub fn forget_all(&self) {
        self.verified.borrow_mut().clear();
    }

    /// Counts a verification from `source` while what is given back lives; `None` when there are as many as may be.
    pub fn admit(self: &Rc<Self>, source: &str, source_max: usize, all_max: usize) -> Option<Admitted> {
        let mut waiting = self.waiting.borrow_mut();
        if waiting.values().sum::<usize>() >= all_max || waiting.get(source).is_some_and(|count| *count >= source_max) {
            return None;
        }
        *waiting.entry(source.to_owned()).or_default() += 1;
        Some(Admitted { credentials: self.clone(), source: source.to_owned() })
    }

    /// Until when something is remembered that is verified now.
    pub fn until(now: Instant, ttl: Duration) -> Instant {
        now.checked_add(ttl).unwrap_or(now)
    }
}

/// A verification that was let in.
pub struct Admitted {
    credentials: Rc<Credentials>,
    source: String,
}

impl Drop for Admitted {
    fn drop(&mut self) {
        let mut waiting = self.credentials.waiting.borrow_mut();
        if let Some(count) = waiting.get_mut(&self.source) {
            *count -= 1;
            if *count == 0 {
                waiting.remove(&self.source);
            }
        }
    }
}
