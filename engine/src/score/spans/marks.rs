//! The tokens of a text that spans are found by: what highlighting marks.

use super::matching::{Node, Place, Spot, at_position};
use super::{Span, TermSet};
use std::sync::Arc;

/// A term that a span query looks for: its field and its bytes.
pub type SpanTerm = (Arc<str>, Vec<u8>);

/// A place with the tokens that it was found by, each behind the number of its term.
#[derive(Clone)]
struct Marked {
    place: Place,
    tokens: Vec<(usize, usize)>,
}

impl Spot for Marked {
    fn place(&self) -> Place {
        self.place
    }

    fn found_by<'a>(place: Place, parts: impl Iterator<Item = &'a Self>) -> Self {
        Self { place, tokens: parts.flat_map(|part| part.tokens.iter().copied()).collect() }
    }
}

impl Span {
    /// Numbers of terms, as [`Span::numbered`] has them, with the tokens of a text that are within matches. `tokens` gives for a term
    /// the positions where it stands, ascending, and the numbers of the tokens there.
    pub fn marked(&self, tokens: &dyn Fn(&SpanTerm) -> Vec<(u32, usize)>) -> Vec<(usize, usize)> {
        let mut marked: Vec<(usize, usize)> = self.spots(tokens).into_iter().flat_map(|spot| spot.tokens).collect();
        marked.sort_unstable();
        marked.dedup();
        marked
    }

    /// Where the matches stand, the last position included, each with the numbers of the tokens within.
    pub fn stands(&self, tokens: &dyn Fn(&SpanTerm) -> Vec<(u32, usize)>) -> Vec<((i64, i64), Vec<usize>)> {
        let one = |spot: Marked| {
            let (first, last) = (i64::from(spot.place.start), i64::from(spot.place.end) - 1);
            ((first, last), spot.tokens.into_iter().map(|(_, token)| token).collect())
        };
        self.spots(tokens).into_iter().map(one).collect()
    }

    fn spots(&self, tokens: &dyn Fn(&SpanTerm) -> Vec<(u32, usize)>) -> Vec<Marked> {
        let mut span = self;
        // What must not be near is not asked about by the reference.
        while let Self::Not { include: inner, .. } | Self::Multi { inner, .. } = span {
            span = inner;
        }
        let mut terms = vec![];
        let node = span.numbered(&mut terms);
        node.spots(&|at| {
            let stands = tokens(&terms[at]).into_iter();
            stands.map(|(position, token)| Marked { place: at_position(position), tokens: vec![(at, token)] }).collect()
        })
    }

    /// The terms by themselves, but for those that keep others away, and apart from these the patterns.
    pub fn words<'a>(&'a self, terms: &mut Vec<SpanTerm>, patterns: &mut Vec<&'a (Arc<str>, TermSet)>) {
        match self {
            Self::Term { field, term } => terms.push((field.clone(), term.clone())),
            Self::Gap { .. } => {}
            Self::Or(spans) | Self::Near { clauses: spans, .. } => {
                spans.iter().for_each(|span| span.words(terms, patterns));
            }
            Self::Multi { pattern: Some(pattern), .. } => patterns.push(pattern),
            Self::Not { include: inner, .. }
            | Self::First { inner, .. }
            | Self::Mask { inner, .. }
            | Self::Multi { inner, .. } => inner.words(terms, patterns),
            Self::Containing { big, little } | Self::Within { big, little } => {
                big.words(terms, patterns);
                little.words(terms, patterns);
            }
        }
    }

    /// Whether a term is among those of the spans, to who looks at one field: patterns that pass for another field's are not seen.
    /// `has`: whether it is among those of a pattern. `hidden`: whether patterns are not seen anyway.
    pub fn knows(&self, text: &[u8], of: &str, has: &dyn Fn(&TermSet) -> bool, hidden: bool) -> bool {
        let any = |spans: &[Self]| spans.iter().any(|span| span.knows(text, of, has, hidden));
        match self {
            Self::Term { term, .. } => term == text,
            Self::Gap { .. } => false,
            Self::Or(spans) | Self::Near { clauses: spans, .. } => any(spans),
            Self::Multi { pattern: Some((_, set)), .. } => !hidden && has(set),
            Self::Mask { inner, field } => inner.knows(text, of, has, hidden || **field != *of),
            Self::Not { include: inner, .. } | Self::First { inner, .. } | Self::Multi { inner, .. } => {
                inner.knows(text, of, has, hidden)
            }
            Self::Containing { big, little } | Self::Within { big, little } => {
                big.knows(text, of, has, hidden) || little.knows(text, of, has, hidden)
            }
        }
    }

    /// Whether there is a pattern within them.
    pub fn has_pattern(&self) -> bool {
        match self {
            Self::Term { .. } | Self::Gap { .. } => false,
            Self::Or(spans) | Self::Near { clauses: spans, .. } => spans.iter().any(Self::has_pattern),
            Self::Not { include: inner, .. } | Self::First { inner, .. } | Self::Mask { inner, .. } => {
                inner.has_pattern()
            }
            Self::Containing { big, little } | Self::Within { big, little } => {
                big.has_pattern() || little.has_pattern()
            }
            Self::Multi { pattern, .. } => pattern.is_some(),
        }
    }

    /// The same spans with other terms for patterns: those that `terms_of` gives for them.
    pub fn among(&self, terms_of: &dyn Fn(&TermSet) -> Vec<Vec<u8>>) -> Self {
        let one = |span: &Self| Box::new(span.among(terms_of));
        let all = |spans: &[Self]| spans.iter().map(|span| span.among(terms_of)).collect();
        match self {
            Self::Term { .. } | Self::Gap { .. } | Self::Multi { pattern: None, .. } => self.clone(),
            Self::Or(spans) => Self::Or(all(spans)),
            Self::Near { clauses, slop, in_order } => {
                Self::Near { clauses: all(clauses), slop: *slop, in_order: *in_order }
            }
            Self::Not { include, exclude, pre, post } => {
                Self::Not { include: one(include), exclude: one(exclude), pre: *pre, post: *post }
            }
            Self::First { inner, end } => Self::First { inner: one(inner), end: *end },
            Self::Containing { big, little } => Self::Containing { big: one(big), little: one(little) },
            Self::Within { big, little } => Self::Within { big: one(big), little: one(little) },
            Self::Mask { inner, field } => Self::Mask { inner: one(inner), field: field.clone() },
            Self::Multi { pattern: Some((field, set)), .. } => {
                let mut terms = terms_of(set);
                terms.sort();
                terms.dedup();
                Self::Or(terms.into_iter().map(|term| Self::Term { field: field.clone(), term }).collect())
            }
        }
    }

    /// How many terms there are, those of what keeps others away among them.
    pub fn count_terms(&self) -> usize {
        let mut terms = vec![];
        self.numbered(&mut terms);
        terms.len()
    }

    /// The same spans over terms by number.
    pub fn numbered(&self, terms: &mut Vec<SpanTerm>) -> Node {
        fn all(spans: &[Span], terms: &mut Vec<SpanTerm>) -> Vec<Node> {
            spans.iter().map(|span| span.numbered(terms)).collect()
        }
        match self {
            Self::Term { field, term } => {
                terms.push((field.clone(), term.clone()));
                Node::Leaf(terms.len() - 1)
            }
            Self::Or(spans) => Node::Or(all(spans, terms)),
            Self::Near { clauses, slop, in_order: true } => Node::Ordered(all(clauses, terms), *slop),
            Self::Near { clauses, slop, in_order: false } => Node::Unordered(all(clauses, terms), *slop),
            Self::Gap { width, .. } => Node::Gap(*width),
            Self::Not { include, exclude, pre, post } => {
                let (include, exclude) = (Box::new(include.numbered(terms)), Box::new(exclude.numbered(terms)));
                Node::Not { include, exclude, pre: *pre, post: *post }
            }
            Self::First { inner, end } => Node::First(Box::new(inner.numbered(terms)), *end),
            Self::Containing { big, little } => {
                Node::Containing(Box::new(big.numbered(terms)), Box::new(little.numbered(terms)))
            }
            Self::Within { big, little } => {
                Node::Within(Box::new(big.numbered(terms)), Box::new(little.numbered(terms)))
            }
            Self::Mask { inner, .. } | Self::Multi { inner, .. } => inner.numbered(terms),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(span: &Span, text: &str) -> Vec<usize> {
        let words: Vec<&str> = text.split(' ').collect();
        let stands = |term: &SpanTerm| {
            let at = (0..words.len()).filter(|at| words[*at].as_bytes() == term.1);
            at.map(|at| (at as u32, at)).collect()
        };
        let mut tokens: Vec<usize> = span.marked(&stands).into_iter().map(|(_, token)| token).collect();
        tokens.sort_unstable();
        tokens.dedup();
        tokens
    }

    #[test]
    fn only_what_is_within_matches_is_marked() {
        let term = |text: &str| Span::Term { field: "t".into(), term: text.into() };
        let near = |in_order| Span::Near { clauses: vec![term("quick"), term("fox")], slop: 0, in_order };
        let text = "fox a quick fox b quick c fox quick";
        assert_eq!(marked(&near(true), text), [2, 3]);
        assert_eq!(marked(&near(false), text), [2, 3, 7, 8]);
        let not = Span::Not { include: Box::new(term("fox")), exclude: Box::new(near(true)), pre: 0, post: 0 };
        assert_eq!(marked(&not, text), [0, 3, 7]);
        assert_eq!(marked(&Span::First { inner: Box::new(term("fox")), end: 2 }, text), [0]);
        let wide = Span::Near { clauses: vec![term("fox"), term("fox")], slop: 5, in_order: true };
        let within = Span::Within { big: Box::new(wide), little: Box::new(term("b")) };
        assert_eq!(marked(&within, text), [3, 4, 7]);
    }
}
