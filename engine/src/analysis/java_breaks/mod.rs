//! Boundaries of words and sentences as Java's runtime finds them (`BreakIterator` of no language), by bytes of a text, its
//! beginning and end among them. Highlighters cut by them, and so does the `thai` tokenizer what no dictionary is for.

mod sentences;
mod words;

pub(crate) use sentences::{sentences, turns};
pub(crate) use words::{words, words_beside_thai};

use super::char_table::{CharTable, for_each};

/// A class that the rules never see: its characters belong to what stands before them.
const UNSEEN: u8 = u8::MAX;

/// A table of classes: rows are applied in order, later ones win.
fn classes(rows: &[(u8, &str)]) -> CharTable {
    CharTable::build(|flat| rows.iter().for_each(|(class, set)| for_each(set, |byte| *byte = *class, flat)))
}

/// A text as the rules see it.
struct Seen {
    classes: Vec<u8>,
    /// Where each character begins, and behind them the end of the text.
    places: Vec<usize>,
}

impl Seen {
    fn new(text: &str, table: &CharTable) -> Self {
        let mut seen = Self { classes: Vec::with_capacity(text.len()), places: Vec::with_capacity(text.len() + 1) };
        for (place, c) in text.char_indices() {
            let class = table.get(c);
            if class != UNSEEN {
                seen.classes.push(class);
                seen.places.push(place);
            }
        }
        seen.places.push(text.len());
        seen
    }

    /// The class of a character; none behind the end.
    fn class(&self, at: usize) -> Option<u8> {
        self.classes.get(at).copied()
    }

    /// The first character from `at` on that is of none of the `classes`.
    fn past(&self, at: usize, classes: &[u8]) -> usize {
        let rest = self.classes.get(at..).unwrap_or_default();
        at + rest.iter().position(|class| !classes.contains(class)).unwrap_or(rest.len())
    }
}
