//! Which cores a piece of work has called.

use std::{cell::Cell, mem};

thread_local! {
    static CURRENT: Cell<Visits> = const { Cell::new(Visits::None) };
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Visits {
    #[default]
    None,
    /// This core, and no other.
    One(usize),
    Several,
}

impl Visits {
    /// Runs one poll of the work and adds the calls that it begins. What it leaves to tasks of their own is not seen.
    pub fn add_during<T>(&mut self, poll: impl FnOnce() -> T) -> T {
        let outer = CURRENT.replace(mem::take(self));
        let result = poll();
        *self = CURRENT.replace(outer);
        result
    }
}

/// The work that runs calls this core.
pub(super) fn note(core: usize) {
    CURRENT.set(match CURRENT.get() {
        Visits::None => Visits::One(core),
        Visits::One(known) if known == core => Visits::One(core),
        _ => Visits::Several,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_added_up_and_kept_apart() {
        let (mut one, mut several) = (Visits::None, Visits::None);
        one.add_during(|| {
            note(3);
            several.add_during(|| note(1));
            note(3);
        });
        several.add_during(|| note(2));
        assert_eq!((one, several), (Visits::One(3), Visits::Several));
    }
}
