//! Where in a text the query matches.

use super::matchers::{Matcher, What, set_has};
use super::text::Text;
use crate::analysis::OwnedToken;
use crate::score::spans::Span;
use crate::score::{MultiTerm, PhrasePosition, TermSet};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A token that the query matches.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// Its number in the text.
    pub token: usize,
    pub start: usize,
    pub end: usize,
    /// What it counts as: tokens with the same label are the same term.
    pub label: usize,
    pub boost: f32,
}

/// A token that the query matches, as often as something of the query does.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub start: usize,
    pub end: usize,
    /// What it counts as: a term, or the text of a pattern.
    pub label: Rc<[u8]>,
    /// Whether this was found at the token before.
    pub again: bool,
}

/// Where each text of tokens stands. Patterns are tried once for each, and words are looked up.
struct Places<'t>(HashMap<&'t [u8], Vec<usize>>);

impl<'t> Places<'t> {
    fn of(tokens: &'t [OwnedToken]) -> Self {
        let mut places: HashMap<&[u8], Vec<usize>> = HashMap::new();
        for (at, token) in tokens.iter().enumerate() {
            places.entry(token.text.as_bytes()).or_default().push(at);
        }
        Self(places)
    }

    fn of_text(&self, text: &[u8]) -> &[usize] {
        self.0.get(text).map_or(&[], Vec::as_slice)
    }

    /// Positions of a text with the numbers of the tokens there.
    fn positions(&self, text: &[u8], tokens: &[OwnedToken]) -> Vec<(u32, usize)> {
        self.of_text(text).iter().map(|at| (tokens[*at].position, *at)).collect()
    }

    /// The tokens whose texts are wanted, in their order.
    fn having(&self, wanted: impl Fn(&[u8]) -> bool) -> Vec<usize> {
        let mut all: Vec<usize> =
            self.0.iter().filter(|(text, _)| wanted(text)).flat_map(|(_, at)| at).copied().collect();
        all.sort_unstable();
        all
    }
}

/// All that a query matches in a text, in its order: terms, each pattern by itself, and the parts of phrases. The text is looked at
/// as each of the fields reads it that are matched with its own, and as that does.
pub fn every_match(text: &Text, matchers: &[Matcher]) -> Vec<Found> {
    let mut found: Vec<Found> = vec![];
    let mut known = HashSet::new();
    for tokens in text.matched.iter().map(|(_, tokens)| tokens).chain([&text.tokens]) {
        let (mut terms, mut parts) = (HashSet::new(), HashSet::new());
        let places = Places::of(tokens);
        let mut push = |token: usize, label: Rc<[u8]>| {
            let (start, end) = (tokens[token].start_offset as usize, tokens[token].end_offset as usize);
            let again = !known.insert((start, end, label.clone()));
            found.push(Found { start, end, label, again });
        };
        for matcher in matchers {
            match &matcher.what {
                What::Term(term) => {
                    let label: Rc<[u8]> = term.as_slice().into();
                    for at in places.of_text(term) {
                        if terms.insert((*at, label.clone())) {
                            push(*at, label.clone());
                        }
                    }
                }
                What::Any(multi) => {
                    let label: Rc<[u8]> = multi.text.as_bytes().into();
                    // The last word of a phrase counts as each of the words that begin so.
                    let apart = matcher.most != usize::MAX;
                    for at in places.having(|text| set_has(&multi.set, text)) {
                        push(at, if apart { tokens[at].text.as_bytes().into() } else { label.clone() });
                    }
                }
                what => {
                    let knows = |text: &[u8]| match what {
                        What::Spans(span) if matcher.masked => {
                            span.knows(text, &matcher.field, &|set| set_has(set, text), false)
                        }
                        _ => true,
                    };
                    for (_, token) in parts_of(what, tokens) {
                        if knows(tokens[token].text.as_bytes()) && parts.insert(token) {
                            push(token, tokens[token].text.as_bytes().into());
                        }
                    }
                }
            }
        }
    }
    found.sort_by(|a, b| (a.start, a.end, &a.label).cmp(&(b.start, b.end, &b.label)));
    found
}

/// Where a phrase or spans stand: the numbers of their parts with those of the tokens.
fn parts_of(what: &What, tokens: &[OwnedToken]) -> Vec<(usize, usize)> {
    match what {
        What::Phrase { positions, slop } => {
            let found = spans(tokens, positions, *slop, false).into_iter().flatten();
            // Each word of its first part is a beginning of the phrase; of the others one is enough to go on.
            let first = |(part, token): (usize, usize)| match part == 0 && *slop == 0 {
                true => beside(tokens, &positions[0], token).map(|at| (0, at)).collect(),
                false => vec![(part, token)],
            };
            found.flat_map(first).collect()
        }
        What::Spans(span) => {
            let places = Places::of(tokens);
            span_among(span, tokens).marked(&|(_, term)| places.positions(term, tokens))
        }
        What::Term(_) | What::Any(_) => vec![],
    }
}

/// Where spans stand in a text: first and last positions, with the numbers of the tokens that they were found by.
pub fn span_places(span: &Span, tokens: &[OwnedToken]) -> Vec<((i64, i64), Vec<usize>)> {
    let places = Places::of(tokens);
    span_among(span, tokens).stands(&|(_, term)| places.positions(term, tokens))
}

/// The spans where what patterns within them come to, they come to in this text.
fn span_among(span: &Span, tokens: &[OwnedToken]) -> Span {
    span.among(&|set| {
        let texts = tokens.iter().map(|token| token.text.as_bytes());
        texts.filter(|text| set_has(set, text)).map(<[u8]>::to_vec).collect()
    })
}

/// The matching tokens, each once, in their order, as the plain and the fast highlighter see them. Labels are numbers of matchers, so terms
/// of a phrase have labels behind those.
pub fn matches(tokens: &[OwnedToken], matchers: &[Matcher]) -> Vec<Match> {
    let mut found: Vec<Match> = vec![];
    let places = Places::of(tokens);
    // Of a query that nothing else is known of words are looked for only where nothing was before.
    let (mut begun, mut open) = (false, None);
    for (label, matcher) in matchers.iter().enumerate() {
        if begun && matcher.word_of.is_some_and(|query| open != Some(query)) {
            continue;
        }
        let before = found.len();
        let mut push = |token: usize, label: usize, closeness: f32| {
            let OwnedToken { start_offset, end_offset, .. } = &tokens[token];
            let (start, end) = (*start_offset as usize, *end_offset as usize);
            found.push(Match { token, start, end, label, boost: matcher.boost * closeness });
        };
        match &*within_most(matcher, &places) {
            what @ (What::Phrase { .. } | What::Spans(_)) => {
                for (part, token) in parts_of(what, tokens) {
                    push(token, matchers.len() + (label << 8) + part.min(255), 1.0);
                }
            }
            What::Term(term) => places.of_text(term).iter().for_each(|at| push(*at, label, 1.0)),
            What::Any(multi) => {
                for at in places.having(|text| set_has(&multi.set, text)) {
                    let closeness = match &multi.set {
                        // The words of a query that nothing else is known of count alike.
                        TermSet::Pattern(pattern) if matcher.word_of.is_none() => {
                            pattern.closeness(tokens[at].text.as_bytes())
                        }
                        _ => 1.0,
                    };
                    push(at, label, closeness);
                }
            }
        }
        begun |= matches!(matcher.what, What::Term(_)) || found.len() > before;
        open = matcher.word_of;
    }
    found.sort_by_key(|one| (one.start, one.end, one.token));
    found.dedup_by(|later, first| {
        let same = (later.start, later.end) == (first.start, first.end);
        if same {
            first.boost = first.boost.max(later.boost);
        }
        same
    });
    found
}

/// The token that was found for a part of a phrase, and those of its place that are words of the part as well: they may reach further.
fn beside<'t>(
    tokens: &'t [OwnedToken],
    part: &'t PhrasePosition,
    token: usize,
) -> impl Iterator<Item = usize> + use<'t> {
    let place = tokens[token].position;
    let first = tokens[..token].iter().rposition(|other| other.position != place).map_or(0, |before| before + 1);
    let here = (first..tokens.len()).take_while(move |at| tokens[*at].position == place);
    here.filter(move |at| *at == token || part.terms.iter().any(|term| term == tokens[*at].text.as_bytes()))
}

/// What is looked for where a beginning stands for so many words of the text alone, the first in their order. Where there are none,
/// the words before it are looked for.
fn within_most<'m>(matcher: &'m Matcher, places: &Places<'_>) -> Cow<'m, What> {
    let first = |prefixes: &[Vec<u8>]| {
        let mut words: Vec<Vec<u8>> = vec![];
        for prefix in prefixes {
            let mut more: Vec<_> = places.0.keys().filter(|text| text.starts_with(prefix)).collect();
            more.sort_unstable();
            words.extend(more.into_iter().take(matcher.most - words.len()).map(|text| text.to_vec()));
        }
        words.sort_unstable();
        words
    };
    match &matcher.what {
        What::Any(multi) if matcher.most < usize::MAX => {
            let TermSet::Prefix(prefix) = &multi.set else { return Cow::Borrowed(&matcher.what) };
            let set = TermSet::Terms(first(std::slice::from_ref(prefix)));
            Cow::Owned(What::Any(MultiTerm { set, ..multi.clone() }))
        }
        What::Phrase { positions, slop } if matcher.most < usize::MAX => {
            let Some((last, before)) = positions.split_last() else { return Cow::Borrowed(&matcher.what) };
            let words = first(&last.terms);
            let mut positions = before.to_vec();
            if !words.is_empty() {
                positions.push(PhrasePosition { terms: words, completed: false, ..last.clone() });
            }
            Cow::Owned(What::Phrase { positions, slop: *slop })
        }
        what => Cow::Borrowed(what),
    }
}

/// The places where a phrase stands: for each the parts of the phrase with the numbers of their tokens, in the order of the
/// text. `apart`: no token is two parts of a sloppy phrase.
pub fn spans(tokens: &[OwnedToken], positions: &[PhrasePosition], slop: u32, apart: bool) -> Vec<Vec<(usize, usize)>> {
    let by_text = Places::of(tokens);
    let places: Vec<Vec<usize>> = positions
        .iter()
        .map(|position| {
            let is = |term: &Vec<u8>, text: &[u8]| match position.completed {
                true => text.starts_with(term),
                false => term == text,
            };
            by_text.having(|text| position.terms.iter().any(|term| is(term, text)))
        })
        .collect();
    let Some(first) = places.first() else { return vec![] };
    let mut out = vec![];
    if slop == 0 {
        for &start in first {
            let at = |part: usize| {
                let offset = positions[part].position - positions[0].position;
                let wanted = tokens[start].position + offset;
                let from = places[part].partition_point(|token| tokens[*token].position < wanted);
                places[part].get(from).copied().filter(|token| tokens[*token].position == wanted)
            };
            if let Some(span) = (0..places.len()).map(|part| at(part).map(|token| (part, token))).collect() {
                out.push(span);
            }
        }
        return out;
    }
    // The narrowest place from each token on, in whatever order the parts stand.
    let mut starts: Vec<usize> = places.iter().flatten().copied().collect();
    starts.sort_unstable();
    starts.dedup();
    for start in starts {
        let mut span: Vec<(usize, usize)> = vec![];
        for (part, candidates) in places.iter().enumerate() {
            let free = |token: &&usize| !(apart && span.iter().any(|(_, taken)| taken == *token));
            let from = candidates.partition_point(|token| *token < start);
            match candidates[from..].iter().find(free) {
                Some(token) => span.push((part, *token)),
                None => break,
            }
        }
        if span.len() < places.len() {
            continue;
        }
        span.sort_unstable_by_key(|(_, token)| *token);
        let (Some(low), Some(high)) = (span.first(), span.last()) else { continue };
        let width = tokens[high.1].position + 1 - tokens[low.1].position;
        if low.1 == start && width <= places.len() as u32 + slop {
            out.push(span);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<OwnedToken> {
        let token = |(at, word): (usize, &str)| OwnedToken {
            text: word.to_owned(),
            start_offset: at as u32,
            end_offset: at as u32 + 1,
            position: at as u32,
            position_length: 1,
            kind: String::new(),
        };
        text.split(' ').enumerate().map(token).collect()
    }

    #[test]
    fn words_beside_those_of_a_phrase_reach_further() {
        let mut text = tokens("x a b");
        // A word of two, as shingles are.
        text.insert(2, OwnedToken { text: "a b".to_owned(), end_offset: 3, position_length: 2, ..text[1].clone() });
        let mut positions = phrase("a b");
        positions[0].terms.push(b"a b".to_vec());
        let what = What::Phrase { positions, slop: 0 };
        let mut found = parts_of(&what, &text);
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, [(0, 1), (0, 2), (1, 3)]);
    }

    fn phrase(words: &str) -> Vec<PhrasePosition> {
        let position = |(at, word): (usize, &str)| PhrasePosition {
            position: at as u32,
            terms: vec![word.as_bytes().to_vec()],
            completed: false,
            alternatives: false,
        };
        words.split(' ').enumerate().map(position).collect()
    }

    #[test]
    fn phrases_stand_where_their_words_do() {
        let text = tokens("a b a b c a");
        assert_eq!(spans(&text, &phrase("a b"), 0, false), [[(0, 0), (1, 1)], [(0, 2), (1, 3)]]);
        assert_eq!(spans(&text, &phrase("b a"), 1, false).len(), 4);
        assert_eq!(spans(&text, &phrase("a a"), 1, true), [[(0, 0), (1, 2)]]);
        assert_eq!(spans(&text, &phrase("c b"), 0, false), Vec::<Vec<(usize, usize)>>::new());
    }

    /// Looking at all places for each took minutes.
    #[test]
    fn long_texts_of_one_word() {
        let text = tokens(&vec!["a"; 20_000].join(" "));
        assert_eq!(spans(&text, &phrase(&["a"; 10].join(" ")), 1_000, false).len(), 20_000);
        assert_eq!(spans(&text, &phrase(&["a"; 10].join(" ")), 0, false).len(), 19_991);
    }
}
