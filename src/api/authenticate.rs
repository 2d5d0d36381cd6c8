//! Who sends a request. Basic authentication: a password is hashed off the core, a few at a time, and remembered for a while when it was right.

use super::serve::Incoming;
use super::{Method, Reply};
use crate::cluster::State;
use crate::coordinate::Core;
use crate::security::{self, Credentials, DUMMY_HASH, Login, Store, Subject, Verdict};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pith_engine::{Error, ErrorKind};
use pith_net::rt::{self, Notify};
use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Passwords that a core has hashed at the same time; hashing takes all of a processor.
const HASHED_AT_ONCE: usize = 2;
/// Passwords that wait to be hashed, from one address and from all. Beyond that, clients are told to come again.
const WAITING_OF_ONE_MAX: usize = 16;
const WAITING_MAX: usize = 64;
/// How often those look who wait for the same password to be verified.
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// What is remembered of a password, in minutes, where nothing is set.
const TTL_MINUTES: u64 = 60;
/// Longest header that is looked at.
const HEADER_MAX: usize = 8 << 10;

/// Paths that nobody has to say who they are for.
const OPEN_PATHS: [&str; 4] = [
    "/_plugins/_security/health",
    "/_opendistro/_security/health",
    "/_plugins/_security/whoami",
    "/_opendistro/_security/whoami",
];

/// Whether the request must say who sends it. Browsers ask for the methods of an address before they log in anywhere; no handler
/// sees that.
pub fn asks(state: &State, request: &Incoming) -> bool {
    if request.method == Method::Options {
        return false;
    }
    let path = || request.target.split('?').next().unwrap_or_default().trim_end_matches('/');
    state.secured().is_some() && !OPEN_PATHS.contains(&path())
}

/// Whoever sends the request, or the answer to somebody who does not say so well.
pub async fn authenticate(core: &Rc<Core>, request: &Incoming) -> Result<Rc<Subject>, Box<Reply>> {
    let Some((name, password)) = request.authorization.as_deref().and_then(basic) else {
        return Err(unauthorized());
    };
    loop {
        let state = core.state();
        let Some(store) = state.secured() else { return Err(unauthorized()) };
        let hash = store.hash_of(&name);
        match core.logins.find(&name, &password, Instant::now()) {
            // A password that was changed meanwhile is verified anew.
            Verdict::Verified(verified) if hash == Some(&verified) => {
                return subject(core, store, &name, request).ok_or_else(unauthorized);
            }
            Verdict::Pending(login) => {
                if !passed(&login).await {
                    return Err(unauthorized());
                }
            }
            _ => {
                let source = request.remote.map(|remote| remote.ip().to_string()).unwrap_or_default();
                let Some(admitted) = core.logins.admit(&source, WAITING_OF_ONE_MAX, WAITING_MAX) else {
                    return Err(too_many());
                };
                let until = Credentials::until(Instant::now(), ttl(&state));
                let login = core.logins.begin(&name, &password);
                let (logins, hash) = (core.logins.clone(), hash.map(str::to_owned));
                let (of, with) = (name.clone(), password.clone());
                // It goes on when the client is gone: others may wait for it.
                rt::spawn(async move {
                    let passed = verify(with.clone(), hash.clone()).await;
                    logins.end(&of, &with, hash.as_deref().filter(|_| passed), until);
                    drop(admitted);
                })
                .detach();
                if !passed(&login).await {
                    return Err(unauthorized());
                }
                // Nothing is remembered, or not for long enough to be found: this request has shown who it is all the same.
                let state = core.state();
                let Some(store) = state.secured() else { return Err(unauthorized()) };
                return subject(core, store, &name, request).ok_or_else(unauthorized);
            }
        }
    }
}

/// Whether the password that is being verified was right, once that is known.
async fn passed(login: &Login) -> bool {
    loop {
        match login.passed() {
            Some(passed) => return passed,
            None => rt::sleep(LOOK_EVERY).await,
        }
    }
}

thread_local! {
    static HASHING: Rc<Hashing> = Rc::default();
}

/// Passwords that are being hashed for this core.
#[derive(Default)]
struct Hashing {
    running: Cell<usize>,
    changed: Notify,
}

impl Hashing {
    async fn enter() -> Entered {
        let hashing = HASHING.with(Rc::clone);
        while hashing.running.get() >= HASHED_AT_ONCE {
            hashing.changed.wait().await;
        }
        hashing.running.set(hashing.running.get() + 1);
        Entered(hashing)
    }
}

struct Entered(Rc<Hashing>);

impl Drop for Entered {
    fn drop(&mut self) {
        self.0.running.set(self.0.running.get() - 1);
        self.0.changed.notify_all();
    }
}

/// Whether a password goes with a hash. A user that does not exist takes as long as one that does.
pub async fn verify(password: String, hash: Option<String>) -> bool {
    let _entered = Hashing::enter().await;
    rt::offload(move || {
        let exists = hash.is_some();
        security::verify(&password, hash.as_deref().unwrap_or(DUMMY_HASH)) && exists
    })
    .await
}

/// The hash of a password, and what is wrong with it for the user of that name.
pub async fn hash(name: String, password: String, rounds: u32) -> Result<Result<String, security::Weakness>, Error> {
    let _entered = Hashing::enter().await;
    rt::offload(move || match security::weakness(&name, &password) {
        Some(weakness) => Ok(Err(weakness)),
        None => security::hash(&password, rounds).map(Ok),
    })
    .await
}

fn ttl(state: &State) -> Duration {
    let minutes = state.configured.text("plugins.security.cache.ttl_minutes");
    Duration::from_secs(60 * minutes.and_then(|text| text.parse().ok()).unwrap_or(TTL_MINUTES))
}

fn subject(core: &Core, store: &std::sync::Arc<Store>, name: &str, request: &Incoming) -> Option<Rc<Subject>> {
    let ip = request.remote.map(|remote| remote.ip());
    core.subject(store, name, ip, request.tenant.as_deref())
}

/// Name and password of an `Authorization` header.
fn basic(header: &str) -> Option<(String, String)> {
    let (scheme, encoded) = header.split_once(' ').filter(|_| header.len() <= HEADER_MAX)?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (name, password) = decoded.split_once(':')?;
    (!name.is_empty()).then(|| (name.to_owned(), password.to_owned()))
}

#[cold]
fn unauthorized() -> Box<Reply> {
    let reply = Reply::text(401, "Unauthorized");
    Box::new(reply.with_header("www-authenticate", "Basic realm=\"OpenSearch Security\""))
}

#[cold]
fn too_many() -> Box<Reply> {
    let error = Error::new(ErrorKind::RejectedExecution, "too many passwords are being verified, try again later");
    Box::new(Reply::error(&error).with_header(super::door::RETRY_AFTER, "1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_basic_authentication() {
        let header = |text: &str| format!("Basic {}", STANDARD.encode(text));
        assert_eq!(basic(&header("u:p:q")), Some(("u".into(), "p:q".into())));
        assert_eq!(basic(&header("u:")), Some(("u".into(), String::new())));
        assert_eq!(basic(&header("up")), None);
        assert_eq!(basic(&header(":p")), None);
        assert_eq!(basic("Bearer abc"), None);
        assert_eq!(basic("Basic %%%"), None);
    }
}
