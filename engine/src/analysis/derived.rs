//! Analyzers that fields make of others: runs of words, and what they begin with.

use super::Analyzer;
use super::chain::Named;
use super::token::{Item, TokenBuf};
use super::token_filters::{EdgeNgram, InRules, StreamFilter, TokenFilter};

/// Longest beginning that is kept of a run, in code points.
const PREFIX_CHARS_MAX: usize = 20;

impl Analyzer {
    /// This analyzer with runs of `size` neighbouring tokens in the place of single ones, none where one is left out.
    pub fn with_shingles(&self, size: usize) -> Analyzer {
        self.with_runs("shingles", Runs { size, filler: "", prefixes: false })
    }

    /// This analyzer with pairs of neighbouring tokens in the place of single ones, `_` where one is left out.
    pub fn with_pairs(&self) -> Analyzer {
        self.with_runs("pairs", Runs { size: 2, filler: "_", prefixes: false })
    }

    /// This analyzer with all that runs of `size` tokens begin with. At the end runs are filled up with empty tokens, so that
    /// the last token has its run too.
    pub fn with_shingle_prefixes(&self, size: usize) -> Analyzer {
        self.with_runs("shingle_prefixes", Runs { size, filler: "", prefixes: true })
    }

    /// This analyzer with what each token begins with, from `min` to `max` code points, in the place of the token.
    pub fn with_beginnings(&self, min: usize, max: usize) -> Analyzer {
        self.followed_by("beginnings", EdgeNgram::beginnings(min, max), self.position_increment_gap())
    }

    /// Runs know of the gap of an analyzer that is made of parts alone: an index gives that of others to single tokens only.
    fn with_runs(&self, name: &str, runs: Runs) -> Analyzer {
        self.followed_by(name, runs, if self.is_custom() { self.position_increment_gap() } else { 0 })
    }

    fn followed_by(&self, name: &str, filter: impl StreamFilter + 'static, gap: i32) -> Analyzer {
        let mut chain = self.chain().clone();
        chain.push(Named::new(name, TokenFilter::stream(filter)));
        Analyzer::custom(self.name(), gap, chain).derived()
    }
}

#[derive(Debug)]
struct Runs {
    size: usize,
    /// What stands for a token that is left out.
    filler: &'static str,
    prefixes: bool,
}

impl StreamFilter for Runs {
    fn apply(&self, input: &TokenBuf, out: &mut TokenBuf) {
        out.end_like(input);
        let (items, mut text) = (input.items(), String::new());
        // Where each token stands when those of one position stand one behind the other; where one is left out a place stays empty.
        let mut next = 0usize;
        let places: Vec<usize> = (items.iter())
            .map(|item| {
                let place = next + item.increment.saturating_sub(1) as usize;
                next = place + 1;
                place
            })
            .collect();
        let whole = next + (input.trailing as usize).min(self.size);
        let mut gap = 0u32;
        for at in 0..items.len() {
            gap = gap.saturating_add(items[at].increment.max(1));
            if !self.prefixes && places[at] + self.size > whole {
                break;
            }
            text.clear();
            let (mut last, mut end) = (at, items[at].end);
            for n in 0..self.size {
                text.push_str(if n == 0 { "" } else { " " });
                if places.get(last).is_some_and(|place| *place == places[at] + n) {
                    text.push_str(input.text_of(&items[last]));
                    (last, end) = (last + 1, items[last].end);
                } else {
                    text.push_str(self.filler);
                }
            }
            let kind = "shingle";
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
        let stop = Registry::built_in().analyzer("stop").unwrap();
        assert_eq!(texts(stop.with_shingles(2).tokens("the stone inlet the")), "stone inlet|inlet ");
        assert_eq!(texts(stop.with_shingles(2).tokens("stone the inlet")), "stone ");
        assert_eq!(texts(stop.with_pairs().tokens("stone the inlet river the")), "stone _|inlet river|river _");
        assert_eq!(texts(stop.with_shingles(3).tokens("stone the inlet river the")), "stone  inlet|inlet river ");
        assert_eq!(texts(stop.with_shingles(3).tokens("inlet the the")), "inlet  ");
        assert_eq!(texts(simple.with_shingle_prefixes(2).tokens("ab c")), "a|ab|ab |ab c|c|c ");
        let long = simple.with_shingle_prefixes(2).tokens("running abcdefghijklmn");
        assert_eq!(texts(simple.with_beginnings(2, 3).tokens("a bc defg")), "bc|de|def");
        assert_eq!(long.iter().filter(|token| token.text == "running abcdefghijklmn").count(), 1);
    }
}
