//! What scripts need of whoever runs the engine: what an `id` in a request stands for, and leave to compile.
//!
//! Scripts are read in many places of a request, far from whatever knows the cluster's metadata and the time. The core that
//! reads the request therefore says beforehand whom to ask; each core has its own copy, which changes as a whole.

use crate::error::Result;
use std::cell::RefCell;
use std::rc::Rc;

/// What an id stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredSource {
    pub lang: String,
    pub source: String,
    /// Options of the compiler as Java shows them, if there are any.
    pub options: Option<String>,
}

/// Who is asked.
pub trait ScriptHost {
    fn stored(&self, id: &str) -> Option<StoredSource>;

    /// Fails when too many scripts have been compiled of late.
    fn admit(&self, lang: &str, source: &str) -> Result<()>;
}

thread_local! {
    static HOST: RefCell<Option<Rc<dyn ScriptHost>>> = const { RefCell::new(None) };
}

/// From now on scripts of requests read on this core ask this one.
pub fn set_host(host: Rc<dyn ScriptHost>) {
    HOST.with(|current| *current.borrow_mut() = Some(host));
}

fn host() -> Option<Rc<dyn ScriptHost>> {
    HOST.with(|host| host.borrow().clone())
}

pub(super) fn find(id: &str) -> Option<StoredSource> {
    host()?.stored(id)
}

/// Without a host everything may be compiled.
pub(super) fn admit(lang: &str, source: &str) -> Result<()> {
    host().map_or(Ok(()), |host| host.admit(lang, source))
}
