//! The longest match of several expressions at a place, in linear time.

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::{Anchored, Input, MatchKind, PatternID};

/// Several expressions; of those that match equally long texts the first counts.
#[derive(Debug)]
pub(super) struct Longest {
    dfa: DFA,
}

/// Most bytes of the states that a search keeps.
const CACHE_BYTES: usize = 4 << 20;

impl Longest {
    /// Expressions of this crate, which are well-formed.
    pub fn new(expressions: &[String]) -> Self {
        let dfa = DFA::builder()
            .configure(
                DFA::config()
                    .match_kind(MatchKind::All)
                    .cache_capacity(CACHE_BYTES)
                    .skip_cache_capacity_check(true)
                    .starts_for_each_pattern(false),
            )
            .syntax(regex_automata::util::syntax::Config::new().dot_matches_new_line(true))
            .thompson(regex_automata::nfa::thompson::Config::new().shrink(false))
            .build_many(expressions);
        let dfa = dfa.unwrap_or_else(|error| panic!("the grammars of this crate are well-formed: {error}"));
        Self { dfa }
    }

    pub fn search(&self) -> Search<'_> {
        Search { dfa: &self.dfa, cache: self.dfa.create_cache() }
    }
}

pub(super) struct Search<'l> {
    dfa: &'l DFA,
    cache: Cache,
}

impl Search<'_> {
    /// Where the longest match that begins at `at` ends, and of which expression it is. Empty matches are none.
    pub fn at(&mut self, text: &str, at: usize) -> Option<(usize, usize)> {
        let input = Input::new(text).span(at..text.len()).anchored(Anchored::Yes);
        let (dfa, cache) = (self.dfa, &mut self.cache);
        let mut state = dfa.start_state_forward(cache, &input).ok()?;
        let mut found = None;
        for (offset, byte) in text.as_bytes()[at..].iter().enumerate() {
            state = dfa.next_state(cache, state, *byte).ok()?;
            if state.is_match() {
                // States know a match one byte later.
                found = Some((at + offset, first_pattern(dfa, cache, state)));
            } else if state.is_dead() {
                return found.filter(|(end, _)| *end > at);
            }
        }
        state = dfa.next_eoi_state(cache, state).ok()?;
        if state.is_match() {
            found = Some((text.len(), first_pattern(dfa, cache, state)));
        }
        found.filter(|(end, _)| *end > at)
    }
}

fn first_pattern(dfa: &DFA, cache: &Cache, state: LazyStateID) -> usize {
    let patterns = (0..dfa.match_len(cache, state)).map(|n| dfa.match_pattern(cache, state, n));
    patterns.min().unwrap_or(PatternID::ZERO).as_usize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_longest() {
        let longest = Longest::new(&["a|ab".to_owned(), "abc?".to_owned(), "é+".to_owned()]);
        let mut search = longest.search();
        assert_eq!(search.at("abcab", 0), Some((3, 1)));
        assert_eq!(search.at("abcab", 3), Some((5, 0)));
        assert_eq!((search.at("xab", 0), search.at("xéé", 1)), (None, Some((5, 2))));
    }
}
