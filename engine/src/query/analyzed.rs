//! Texts as analyzers read them: terms by their positions.

use crate::analysis::{Analyzer, Scratch, Token};
use smallvec::{SmallVec, smallvec};
use std::cell::RefCell;

/// The terms of one position, which hardly ever has several.
pub type Words = SmallVec<[String; 1]>;

/// The terms of a text by position, and how many positions behind the last of them the analyzer left empty.
pub struct Positions(pub Vec<(u32, Words)>, pub u32);

pub fn analyze(analyzer: &Analyzer, text: &str) -> Positions {
    analyze_noting(analyzer, text).0
}

/// The terms by their positions, and whether one of them is longer than a position.
pub fn analyze_graph(analyzer: &Analyzer, text: &str) -> (Vec<(u32, Words)>, bool) {
    let (positions, is_graph, _) = analyze_noting(analyzer, text);
    (positions.0, is_graph)
}

thread_local! {
    /// What the last text was analysed with: the next one needs no memory of its own.
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// What a large text needed is not kept.
const SCRATCH_BYTES_MAX: usize = 64 << 10;

/// The terms by their positions, whether a token is longer than one position, and whether the last one ends where the text does.
pub fn analyze_noting(analyzer: &Analyzer, text: &str) -> (Positions, bool, bool) {
    let mut positions: Vec<(u32, Words)> = Vec::new();
    let (mut is_graph, mut last_end) = (false, 0);
    let mut sink = |token: &Token<'_>| {
        is_graph |= token.position_length > 1;
        last_end = token.end_offset;
        match positions.last_mut() {
            Some((position, terms)) if *position == token.position => {
                if !terms.iter().any(|term| term == token.text) {
                    terms.push(token.text.to_owned());
                }
            }
            _ => positions.push((token.position, smallvec![token.text.to_owned()])),
        }
    };
    let end = SCRATCH.with_borrow_mut(|scratch| {
        let end = analyzer.analyze(text, scratch, &mut sink);
        if scratch.capacity_bytes() > SCRATCH_BYTES_MAX {
            *scratch = Scratch::default();
        }
        end
    });
    let trailing = positions.last().map_or(0, |(last, _)| end.position.saturating_sub(last + 1));
    (Positions(positions, trailing), is_graph, last_end == end.offset)
}
