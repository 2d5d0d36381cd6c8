//! What a request uses that is deprecated. Parsers note it where they read it, however deep they are; whoever runs the request
//! collects the notes and tells them with the answer.

use std::cell::RefCell;

thread_local! {
    /// The notes of the request that runs on this thread; nothing where nobody collects.
    static NOTES: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// A request is told of no more than this: positions make notes of one kind many.
const NOTES_MAX: usize = 64;

/// Notes that something deprecated is used. The same note is told once.
#[cold]
pub fn note(text: impl Into<String>) {
    let text = text.into();
    NOTES.with_borrow_mut(|notes| {
        if let Some(notes) = notes.as_mut().filter(|notes| notes.len() < NOTES_MAX && !notes.contains(&text)) {
            notes.push(text);
        }
    });
}

/// Notes that a field is called by the name that it had before. `at`: the parser, and where the value begins, as in `[terms][1:20]`; nothing
/// where a parser does not tell.
#[cold]
pub fn note_renamed(at: &str, old: &str, new: &str) {
    let space = if at.is_empty() { "" } else { " " };
    note(format!("{at}{space}Deprecated field [{old}] used, expected [{new}] instead"));
}

/// Runs `step` of a request and adds what it notes to `notes`.
pub fn collect<T>(notes: &mut Vec<String>, step: impl FnOnce() -> T) -> T {
    let _collecting = Collecting::begin(notes);
    step()
}

/// While it lives, notes of this thread go to one list.
struct Collecting<'a> {
    notes: &'a mut Vec<String>,
    outer: Option<Vec<String>>,
}

impl<'a> Collecting<'a> {
    fn begin(notes: &'a mut Vec<String>) -> Self {
        let outer = NOTES.replace(Some(std::mem::take(notes)));
        Self { notes, outer }
    }
}

impl Drop for Collecting<'_> {
    fn drop(&mut self) {
        *self.notes = NOTES.replace(self.outer.take()).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_go_to_whoever_collects_once_each_and_to_nobody_else() {
        note("lost");
        let (mut outer, mut inner) = (vec![], vec![]);
        collect(&mut outer, || {
            note("a");
            collect(&mut inner, || note("b"));
            note("a");
            note("c");
        });
        note("lost");
        assert_eq!((outer, inner), (vec!["a".to_owned(), "c".to_owned()], vec!["b".to_owned()]));
    }

    #[test]
    fn a_request_is_not_told_endlessly() {
        let mut notes = vec![];
        collect(&mut notes, || (0..1_000).for_each(|n| note(format!("{n}"))));
        assert_eq!(notes.len(), NOTES_MAX);
    }
}
