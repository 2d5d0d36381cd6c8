//! Stored scripts: what an `id` in a request stands for.
//!
//! Scripts are read in many places of a request, far from whatever knows the cluster's metadata. The core that reads the
//! request therefore says beforehand which scripts are stored; each core has its own copy, which changes as a whole.

use std::cell::RefCell;
use std::rc::Rc;

/// Finds language and source of a stored script.
pub trait StoredScripts {
    fn find(&self, id: &str) -> Option<(String, String)>;
}

thread_local! {
    static STORED: RefCell<Option<Rc<dyn StoredScripts>>> = const { RefCell::new(None) };
}

/// From now on ids of requests read on this core stand for these scripts.
pub fn set_stored(scripts: Rc<dyn StoredScripts>) {
    STORED.with(|stored| *stored.borrow_mut() = Some(scripts));
}

pub(super) fn find(id: &str) -> Option<(String, String)> {
    let stored = STORED.with(|stored| stored.borrow().clone());
    stored?.find(id)
}
