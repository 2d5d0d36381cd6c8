//! Analyzers that fields make of others: runs of words, and what they begin with.

use super::Analyzer;
use super::chain::Named;
use super::token::{Item, TokenBuf};
use super::token_filters::{InRules, StreamFilter, TokenFilter};

/// Longest beginning that is kept of a run, in code points.
const PREFIX_CHARS_MAX: usize = 20;

impl Analyzer {
    /// This analyzer with runs of `size` neighbouring tokens in the place of single ones.
    pub fn with_shingles(&self, size: usize) -> Analyzer {
        self.followed_by("shingles", Runs { size, prefixes: false })
    }

    /// This analyzer with all that runs of `size` tokens begin with. At the end runs are filled up with empty tokens, so that
    /// the last token has its run too.
    pub fn with_shingle_prefixes(&self, size: usize) -> Analyzer {
        self.followed_by("shingle_prefixes", Runs { size, prefixes: true })
    }

    fn followed_by(&self, name: &str, filter: impl StreamFilter + 'static) -> Analyzer {
        let mut chain = self.chain().clone();
        chain.push(Named::new(name, TokenFilter::stream(filter)));
        Analyzer::custom(self.name(), self.position_increment_gap(), chain)
    }
}

#[derive(Debug)]
struct Runs {
    size: usize,
    prefixes: bool,
}

impl StreamFilter for Runs {
    fn apply(&self, input: &TokenBuf, out: &mut TokenBuf) {
        out.end_like(input);
        let (items, mut text) = (input.items(), String::new());
        let mut gap = 0u32;
        for at in 0..items.len() {
            gap = gap.saturating_add(items[at].increment.max(1));
            if !self.prefixes && at + self.size > items.len() {
                break;
            }
            let run = &items[at..(at + self.size).min(items.len())];
            text.clear();
            for n in 0..self.size {
                text.push_str(if n == 0 { "" } else { " " });
                text.push_str(run.get(n).map_or("", |item| input.text_of(item)));
            }
            let (end, kind) = (run[run.len() - 1].end, "shingle");
            let mut push = |text: &str| {
                let item = Item { end, kind, length: 1, increment: std::mem::take(&mut gap), ..items[at] };
                out.push(text, item)
            };
            let ends = text.char_indices().map(|(start, c)| start + c.len_utf8()).take(PREFIX_CHARS_MAX);
            let room = match self.prefixes {
                // What is longer than the longest beginning stays whole behind them.
                true => {
                    let mut last = 0;
                    let room = ends.into_iter().all(|end| {
                        last = end;
                        push(&text[..end])
                    });
                    room && (last == text.len() || push(&text))
                }
                false => push(&text),
            };
            if !room {
                return;
            }
        }
    }

    fn in_rules(&self) -> InRules {
        InRules::Refused
    }
}

#[cfg(test)]
mod tests {
    use crate::analysis::Registry;

    #[test]
    fn runs_of_tokens_and_their_beginnings() {
        let simple = Registry::built_in().analyzer("simple").unwrap();
        let texts = |tokens: Vec<crate::analysis::OwnedToken>| {
            tokens.into_iter().map(|token| token.text).collect::<Vec<_>>().join("|")
        };
        assert_eq!(texts(simple.with_shingles(2).tokens("a b c")), "a b|b c");
        assert_eq!(texts(simple.with_shingles(2).tokens("a")), "");
        assert_eq!(texts(simple.with_shingle_prefixes(2).tokens("ab c")), "a|ab|ab |ab c|c|c ");
        let long = simple.with_shingle_prefixes(2).tokens("running abcdefghijklmn");
        assert_eq!(long.iter().filter(|token| token.text == "running abcdefghijklmn").count(), 1);
    }
}
