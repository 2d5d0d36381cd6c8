//! Sentences: they end at a full stop that something follows which may begin another one, and at every other mark that ends
//! sentences; with closing marks and spaces.

use super::{Seen, UNSEEN, classes};
use crate::analysis::char_table::CharTable;
use std::sync::LazyLock;

/// Whatever may stand before the first letter of a sentence.
const OTHER: u8 = 0;
const LOWER: u8 = 1;
/// Letters that are no small ones.
const LETTER: u8 = 2;
/// What no sentence begins with.
const DIGIT: u8 = 3;
const SPACE: u8 = 4;
const STOP: u8 = 5;
const END: u8 = 6;
const DANDA: u8 = 7;
const QUOTE: u8 = 8;
const CLOSING: u8 = 9;
const PARAGRAPH: u8 = 10;

static TABLE: LazyLock<CharTable> = LazyLock::new(|| {
    classes(&[
        (OTHER, r"\p{any}"),
        (LETTER, r"\p{L}"),
        (LOWER, r"\p{Ll}"),
        (DIGIT, r"[\p{N},]"),
        (UNSEEN, r"[\p{Cf}\p{Mn}\p{Me}]"),
        (SPACE, r"[\p{Zs}\t\n\x0C\r\x{2028}]"),
        (STOP, r"[.\x{FF0E}]"),
        (END, r"[!?\x{3002}\x{FF01}\x{FF1F}]"),
        (DANDA, r"[\x{964}\x{965}]"),
        (QUOTE, "[\"']"),
        (CLOSING, r"[\p{Pe}\p{Pf}]"),
        (PARAGRAPH, r"\x{2029}"),
    ])
});

/// What follows full stops.
enum After {
    /// A sentence begins there.
    Begins(usize),
    /// None begins; how far that is known.
    GoesOn(usize),
    /// The runtime meets what its rules do not know, and goes back to before the full stops.
    Lost,
}

/// Where sentences begin and end.
pub(crate) fn sentences(text: &str) -> Vec<usize> {
    let seen = Seen::new(text, &TABLE);
    let mut bounds = vec![0];
    // The sentence begins at `start`; what the rules are sure of reaches to `sure`.
    let (mut at, mut start, mut sure) = (0, 0, 0);
    // Full stops beside each other are followed by the same.
    let mut lost_until = 0;
    while let Some(class) = seen.class(at) {
        let end = match class {
            PARAGRAPH => at + 1,
            END => seen.paragraph(seen.past(seen.past(at, &[END, STOP, QUOTE, CLOSING]), &[SPACE])),
            DANDA => seen.past(at + 1, &[SPACE]),
            STOP => {
                let after = if at < lost_until { After::Lost } else { seen.after_stops(at) };
                match after {
                    After::Begins(end) => end,
                    After::GoesOn(end) => {
                        let chained = seen.class(end) == Some(STOP);
                        sure = if chained { sure } else { end };
                        at = end;
                        continue;
                    }
                    After::Lost => {
                        lost_until = lost_until.max(seen.past(at, &[STOP]));
                        if sure > start { sure } else { start + 1 }
                    }
                }
            }
            _ => {
                at += 1;
                sure = at;
                continue;
            }
        };
        bounds.push(seen.places[end]);
        (at, start, sure) = (end, end, end);
    }
    if bounds.last() != Some(&text.len()) {
        bounds.push(text.len());
    }
    bounds
}

/// Full stops at which the runtime turns around where it looks backwards for the beginning of a sentence, whether one ends there
/// or not; each with the place of what has to stand behind it.
pub(crate) fn turns(text: &str) -> Vec<(usize, usize)> {
    let seen = Seen::new(text, &TABLE);
    let stops = (0..seen.classes.len()).filter(|at| seen.classes[*at] == STOP);
    let turn = |at: usize| {
        let closed = seen.past(at + 1, &[QUOTE, CLOSING]);
        let mut first = seen.past(closed, &[SPACE]);
        let spaced = first > closed;
        let opens = |at: usize| {
            let place = seen.places[at];
            seen.class(at) == Some(QUOTE)
                || text[place..].starts_with(['(', '[', '{', '\u{ab}', '\u{201c}', '\u{2018}'])
        };
        while first < seen.classes.len() && opens(first) {
            first += 1;
        }
        // A letter has to stand apart, other marks need not.
        let turns = seen.class(first) == Some(OTHER) || spaced && seen.class(first) == Some(LETTER);
        turns.then(|| (seen.places[at], seen.places[first]))
    };
    stops.filter_map(turn).collect()
}

impl Seen {
    fn paragraph(&self, at: usize) -> usize {
        at + usize::from(self.class(at) == Some(PARAGRAPH))
    }

    fn after_stops(&self, at: usize) -> After {
        let closed = self.past(self.past(at, &[STOP]), &[QUOTE, CLOSING]);
        let end = self.past(closed, &[SPACE]);
        if self.class(end) == Some(PARAGRAPH) {
            return After::Begins(end + 1);
        }
        let first = self.past(end, &[OTHER, QUOTE, DANDA]);
        let next = self.class(first);
        let letter = matches!(next, Some(LOWER | LETTER));
        // Behind a quotation mark, and behind several spaces, any letter begins a sentence.
        let loose = end > closed + 1 || end == closed && self.classes[end - 1] == QUOTE;
        if letter && (first > end || loose || end > closed && next == Some(LETTER)) {
            After::Begins(end)
        } else if first > end && (next.is_none() || loose) {
            After::Lost
        } else {
            After::GoesOn(first)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sentences;

    #[test]
    fn sentences_as_the_runtime_of_java_cuts_them() {
        for (text, expected) in [
            ("Yes.\nNew line\n\nPara 2. x", &["Yes.\n", "New line\n\nPara 2. x"][..]),
            ("This is. it? no! Yes", &["This is. it? ", "no! ", "Yes"]),
            ("e.g. the \"x.\" Y (z.) W", &["e.g. the \"x.\" ", "Y (z.) ", "W"]),
            ("a.B a. (b) a. -b a. - B", &["a.B a. ", "(b) a. ", "-b a. - B"]),
            ("a. 1 a.  b a.  1 a.\n  b", &["a. 1 a.  ", "b a.  1 a.\n  ", "b"]),
            ("a\u{2029}\u{2029}b. \u{2029}c", &["a\u{2029}", "\u{2029}", "b. \u{2029}", "c"]),
            ("日本。テスト です", &["日本。", "テスト です"]),
            ("a.\u{301} B? b", &["a.\u{301} ", "B? ", "b"]),
            ("a! \u{301}B a.  (1) b", &["a! \u{301}", "B a", ".", "  (1) b"]),
            ("a. \"B\" 'c.' d 'e.'f", &["a. ", "\"B\" 'c.' d 'e.'", "f"]),
            ("a. *", &["a", ".", " *"]),
            ("a\u{964} b\u{964}c", &["a\u{964} ", "b\u{964}", "c"]),
        ] {
            let bounds = sentences(text);
            let found: Vec<&str> = bounds.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
            assert_eq!(found, expected, "{text}");
        }
        assert_eq!(sentences(""), [0]);
    }

    #[test]
    fn hostile_texts_take_linear_time() {
        for part in [".", ". ", ".-", ".\"-", "!.", ".)  (", "\u{2029}", ".'"] {
            let text = part.repeat(200_000);
            let bounds = sentences(&text);
            assert_eq!(bounds.last(), Some(&text.len()));
            assert!(bounds.is_sorted());
        }
    }
}
