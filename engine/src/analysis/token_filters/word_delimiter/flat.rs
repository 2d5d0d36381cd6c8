//! `word_delimiter`: parts at positions of their own, concatenations at the position of their first part.

use super::super::{InRules, StreamFilter};
use super::Options;
use super::parts::{Part, Parts};
use crate::analysis::token::{Item, TokenBuf};

#[derive(Debug)]
pub(super) struct WordDelimiter {
    options: Options,
}

impl WordDelimiter {
    pub fn new(options: Options) -> Self {
        Self { options }
    }
}

/// What is carried from token to token.
struct State {
    /// Increment that the next token of the output inherits.
    gap: u32,
    first: bool,
}

/// Increments of the tokens made of one token.
struct Increments {
    any: bool,
    /// The first token after the original stands at its position.
    after_original: bool,
}

impl Increments {
    fn next(&mut self, gap: &mut u32, beside: bool) -> u32 {
        if self.any {
            let gap = std::mem::take(gap);
            return if beside { 0 } else { gap.max(1) };
        }
        self.any = true;
        if std::mem::take(&mut self.after_original) {
            return 0;
        }
        std::mem::take(gap).max(1)
    }
}

#[derive(Default)]
struct Joined {
    text: Vec<u16>,
    count: usize,
    kind: u8,
    start: usize,
    end: usize,
}

struct Piece {
    text: Vec<u16>,
    start: u32,
    end: u32,
    increment: u32,
}

impl StreamFilter for WordDelimiter {
    fn shows_keyword(&self) -> bool {
        true
    }

    fn apply(&self, input: &TokenBuf, out: &mut TokenBuf) {
        out.end_like(input);
        let mut state = State { gap: 0, first: true };
        for (text, item) in input.iter() {
            state.gap = state.gap.saturating_add(item.increment);
            let units: Vec<u16> = text.encode_utf16().collect();
            let parts = Parts::of(&units, &self.options.types);
            let untouched = parts.parts.first().is_some_and(|part| part.start == 0 && part.end == units.len());
            let delimiters = parts.parts.is_empty();
            let keep = untouched || self.options.protected.contains(text);
            if keep || self.options.preserve_original {
                state.first = false;
                if !out.push(text, Item { increment: std::mem::take(&mut state.gap), ..*item }) {
                    return;
                }
            } else if delimiters && item.increment == 1 && !state.first {
                state.gap -= 1;
            }
            if !keep && !delimiters && !self.write(&units, &parts, item, &mut state, out) {
                return;
            }
        }
    }

    fn in_rules(&self) -> InRules {
        InRules::Refused
    }
}

impl WordDelimiter {
    fn write(&self, units: &[u16], parts: &Parts, item: &Item, state: &mut State, out: &mut TokenBuf) -> bool {
        let exact = (item.end - item.start) as usize == units.len();
        let mut increments = Increments { any: false, after_original: self.options.preserve_original };
        if parts.single {
            let part = parts.parts[0];
            let start = item.start + part.start as u32;
            let (start, end) = match exact {
                true => (start, item.start + part.end as u32),
                false if start <= item.end => (start, item.end),
                false => (item.start, item.end),
            };
            state.first = false;
            let increment = increments.next(&mut state.gap, false);
            let text = String::from_utf16_lossy(&units[part.start..part.end]);
            return out.push(&text, Item { start, end, increment, length: 1, payload: (0, 0), ..*item });
        }
        let offsets = |start: usize, end: usize| match exact {
            true => (item.start + start as u32, item.start + end as u32),
            false => (item.start, item.end),
        };
        let mut pieces = self.pieces(units, &parts.parts, offsets, &mut increments, &mut state.gap);
        pieces.sort_by_key(|piece| (piece.start, std::cmp::Reverse(piece.increment)));
        pieces.iter().all(|piece| {
            let mut increment = piece.increment;
            if std::mem::take(&mut state.first) && increment == 0 {
                increment = 1;
            }
            let (start, end) = (piece.start, piece.end);
            out.push(
                &String::from_utf16_lossy(&piece.text),
                Item { start, end, increment, length: 1, payload: (0, 0), ..*item },
            )
        })
    }

    fn pieces(
        &self,
        units: &[u16],
        parts: &[Part],
        offsets: impl Fn(usize, usize) -> (u32, u32),
        increments: &mut Increments,
        gap: &mut u32,
    ) -> Vec<Piece> {
        let mut pieces = vec![];
        let (mut joined, mut all, mut last_count) = (Joined::default(), Joined::default(), 0);
        let write = |joined: Joined, increments: &mut Increments, gap: &mut u32, pieces: &mut Vec<Piece>| {
            let (start, end) = offsets(joined.start, joined.end);
            let increment = increments.next(gap, true);
            *gap = 0;
            pieces.push(Piece { text: joined.text, start, end, increment });
        };
        // A concatenation of a single part is a token only if the part itself is not.
        let is_token = |joined: &Joined| joined.count != 1 || !self.options.generates(joined.kind);
        for part in parts {
            if joined.count > 0 && joined.kind & part.kind == 0 {
                last_count = joined.count;
                let joined = std::mem::take(&mut joined);
                if is_token(&joined) {
                    write(joined, increments, gap, &mut pieces);
                }
                increments.any = false;
            }
            if self.options.joins(part.kind) {
                joined.add(units, part);
            }
            if self.options.concat_all {
                all.add(units, part);
            }
            if self.options.generates(part.kind) {
                let (start, end) = offsets(part.start, part.end);
                let increment = increments.next(gap, false);
                pieces.push(Piece { text: units[part.start..part.end].to_vec(), start, end, increment });
            }
        }
        if joined.count > 0 {
            last_count = joined.count;
            if is_token(&joined) {
                write(joined, increments, gap, &mut pieces);
            }
        }
        if all.count > last_count {
            write(all, increments, gap, &mut pieces);
        }
        pieces
    }
}

impl Joined {
    fn add(&mut self, units: &[u16], part: &Part) {
        if self.count == 0 {
            (self.kind, self.start) = (part.kind, part.start);
        }
        self.text.extend_from_slice(&units[part.start..part.end]);
        self.end = part.end;
        self.count += 1;
    }
}
