//! `synonym`: outputs laid over the positions of the input, word by word. Outputs with more words than the input go on
//! over the tokens that follow.

use super::super::{InRules, StreamFilter};
use super::SYNONYM;
use super::rules::{Outputs, SynonymMap};
use crate::analysis::token::{Item, TokenBuf};

#[derive(Debug)]
pub(super) struct SynonymFlat {
    map: SynonymMap,
}

impl SynonymFlat {
    pub fn new(map: SynonymMap) -> Self {
        Self { map }
    }
}

/// A word of an output that waits for its position.
struct Waiting<'m> {
    text: &'m str,
    /// Of the last token of the input, if the output is this word alone.
    end: Option<u32>,
    length: u32,
}

impl StreamFilter for SynonymFlat {
    fn apply(&self, input: &TokenBuf, out: &mut TokenBuf) {
        out.end_like(input);
        let mut waiting: Vec<Vec<Waiting>> = vec![];
        let mut at = 0;
        while at < input.len() {
            let found = self.map.longest(input, at);
            let (len, keep) = match found {
                Some((len, outputs)) => {
                    lay_out(outputs, len, input.items()[at + len - 1].end, &mut waiting);
                    (len, outputs.keep_original)
                }
                None => (1, true),
            };
            for (text, item) in (at..at + len).map(|i| (input.text(i), input.items()[i])) {
                let words = if waiting.is_empty() { vec![] } else { waiting.remove(0) };
                if keep && !out.push(text, item) {
                    return;
                }
                write(words, item, u32::from(!keep), out);
            }
            at += len;
        }
        // Outputs that go on behind the last token.
        let Some(last) = input.items().last() else { return };
        for words in waiting {
            let words = words.into_iter().map(|word| Waiting { end: None, length: 1, ..word }).collect();
            write(words, *last, 1, out);
        }
    }

    fn in_rules(&self) -> InRules {
        InRules::Skipped
    }
}

/// Puts the words of each output at the positions from the first on.
fn lay_out<'m>(outputs: &'m Outputs, len: usize, end: u32, waiting: &mut Vec<Vec<Waiting<'m>>>) {
    for words in &outputs.words {
        for (n, text) in words.iter().enumerate() {
            if waiting.len() <= n {
                waiting.push(vec![]);
            }
            let alone = words.len() == 1;
            let length = if alone && outputs.keep_original { len as u32 } else { 1 };
            waiting[n].push(Waiting { text, end: alone.then_some(end), length });
        }
    }
}

/// Writes the words of one position, whose token is `item`; the first has the increment `first`.
fn write(words: Vec<Waiting>, item: Item, first: u32, out: &mut TokenBuf) {
    for (n, word) in words.iter().enumerate() {
        let increment = if n == 0 { first } else { 0 };
        let end = word.end.unwrap_or(item.end);
        let synonym = item.without_attributes(SYNONYM);
        out.push(word.text, Item { end, increment, length: word.length, ..synonym });
    }
}
