//! `cjk_bigram`: pairs of neighbouring ideographs and syllables, as the standard tokenizer typed them.

use super::{InRules, StreamFilter, TokenFilter};
use crate::Result;
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::{Item, TokenBuf};

const SCRIPTS: [(&str, &str); 4] =
    [("han", "<IDEOGRAPHIC>"), ("hiragana", "<HIRAGANA>"), ("katakana", "<KATAKANA>"), ("hangul", "<HANGUL>")];

#[derive(Debug)]
pub(crate) struct CjkBigram {
    /// Types of the tokens to pair.
    kinds: Vec<&'static str>,
    unigrams: bool,
}

impl Default for CjkBigram {
    fn default() -> Self {
        Self { kinds: SCRIPTS.iter().map(|(_, kind)| *kind).collect(), unigrams: false }
    }
}

pub(super) fn build(params: &Params, _: &Context) -> Result<TokenFilter> {
    let ignored = params.list("ignored_scripts").unwrap_or_default();
    let kinds = SCRIPTS.iter().filter(|(script, _)| !ignored.iter().any(|name| name == script));
    Ok(TokenFilter::stream(CjkBigram {
        kinds: kinds.map(|(_, kind)| *kind).collect(),
        unigrams: params.bool("output_unigrams", false)?,
    }))
}

/// A character of a run, with its offsets.
struct Char<'t> {
    text: &'t str,
    start: u32,
    end: u32,
}

impl StreamFilter for CjkBigram {
    fn disables_graphs(&self) -> bool {
        self.unigrams
    }

    fn in_rules(&self) -> InRules {
        if self.unigrams { InRules::Refused } else { InRules::Same }
    }

    fn apply(&self, input: &TokenBuf, out: &mut TokenBuf) {
        out.end_like(input);
        let mut run: Vec<Char> = vec![];
        let mut template = None;
        for (text, item) in input.iter() {
            if !self.kinds.contains(&item.kind) {
                self.flush(&mut run, template.take(), out);
                out.push(text, *item);
                continue;
            }
            // Runs go on over tokens that touch.
            if run.last().is_some_and(|last| last.end != item.start) {
                self.flush(&mut run, template.take(), out);
            }
            template.get_or_insert(*item);
            let aligned = item.end - item.start == crate::analysis::offsets::utf16_len(text);
            let mut start = item.start;
            for (at, c) in text.char_indices() {
                let end = if aligned { start + c.len_utf16() as u32 } else { item.end };
                run.push(Char { text: &text[at..at + c.len_utf8()], start, end });
                start = if aligned { end } else { start };
            }
        }
        self.flush(&mut run, template, out);
    }
}

impl CjkBigram {
    /// Writes the pairs of a run; of one character, that alone.
    fn flush(&self, run: &mut Vec<Char>, template: Option<Item>, out: &mut TokenBuf) {
        let Some(template) = template else { return };
        let one = Item { increment: 1, length: 1, keyword: false, ..template };
        let single = |c: &Char| Item { start: c.start, end: c.end, kind: "<SINGLE>", ..one };
        let double = |pair: &[Char]| Item { start: pair[0].start, end: pair[1].end, kind: "<DOUBLE>", ..one };
        let mut text = String::new();
        if self.unigrams || run.len() == 1 {
            for (at, c) in run.iter().enumerate() {
                out.push(c.text, single(c));
                if let Some(pair) = run.get(at..at + 2) {
                    text.clear();
                    text.extend(pair.iter().map(|c| c.text));
                    out.push(&text, Item { increment: 0, length: 2, ..double(pair) });
                }
            }
        } else {
            for pair in run.windows(2) {
                text.clear();
                text.extend(pair.iter().map(|c| c.text));
                out.push(&text, double(pair));
            }
        }
        run.clear();
    }
}
