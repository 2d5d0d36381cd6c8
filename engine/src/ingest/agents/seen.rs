//! What came of texts before, on each core: the same programs ask again and again.

use super::{Details, Patterns};
use hashbrown::{Equivalent, HashMap};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

thread_local! {
    static SEEN: RefCell<Seen> = RefCell::default();
}

/// Two generations, of which the older goes when the younger has half of what may be remembered: what is asked for stays.
#[derive(Default)]
struct Seen {
    young: HashMap<Key, Rc<Details>, ahash::RandomState>,
    old: HashMap<Key, Rc<Details>, ahash::RandomState>,
}

/// A text, and the lists that it was held against.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    lists: usize,
    agent: Box<str>,
}

#[derive(Hash)]
struct Asked<'a> {
    lists: usize,
    agent: &'a str,
}

impl Equivalent<Key> for Asked<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        self.lists == key.lists && self.agent == &*key.agent
    }
}

/// What `make` makes of a text, or made of it before. At most `size` texts are remembered.
pub fn get(lists: &Arc<Patterns>, agent: &str, size: usize, make: impl FnOnce() -> Details) -> Rc<Details> {
    // Lists stay for as long as the process does.
    let asked = Asked { lists: Arc::as_ptr(lists) as usize, agent };
    SEEN.with_borrow_mut(|seen| {
        if let Some(known) = seen.young.get(&asked) {
            return known.clone();
        }
        let details = seen.old.remove(&asked).unwrap_or_else(|| Rc::new(make()));
        if size > 0 {
            if seen.young.len() >= size.div_ceil(2) {
                seen.old = std::mem::take(&mut seen.young);
            }
            seen.young.insert(Key { lists: asked.lists, agent: agent.into() }, details.clone());
        }
        details
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_stays_and_the_rest_goes() {
        let lists = Arc::new(Patterns::default());
        let made = std::cell::Cell::new(0);
        let ask = |agent: &str| {
            get(&lists, agent, 4, || {
                made.set(made.get() + 1);
                Details { program: None, system: None, device: None }
            });
            made.get()
        };
        assert_eq!((ask("a"), ask("a"), ask("b"), ask("c"), ask("a")), (1, 1, 2, 3, 3));
        for agent in 0..100 {
            ask(&agent.to_string());
            assert_eq!(ask("a"), 3 + agent + 1);
        }
        let kept = SEEN.with_borrow(|seen| seen.young.len() + seen.old.len());
        assert!(kept <= 4, "{kept}");
        let other = Arc::new(Patterns::default());
        get(&other, "a", 4, || {
            made.set(0);
            Details { program: None, system: None, device: None }
        });
        assert_eq!(made.get(), 0);
    }
}
