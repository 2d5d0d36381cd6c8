//! `word_delimiter_graph`: parts at positions of their own, concatenations and the original spanning those of theirs.

use super::super::{InRules, StreamFilter};
use super::Options;
use super::parts::Parts;
use crate::analysis::token::{Item, TokenBuf};
use std::cmp::Reverse;

#[derive(Debug)]
pub(super) struct WordDelimiterGraph {
    pub options: Options,
    /// Parts have offsets of their own, where the token's text is as long as what it stands for.
    pub adjust_offsets: bool,
    pub ignore_keywords: bool,
}

/// A token to be: its text, the nodes between which it stands, and the units of the token that it stands for.
struct Piece {
    text: Vec<u16>,
    from: u32,
    to: u32,
    start: usize,
    end: usize,
}

/// Parts joined so far.
#[derive(Default)]
struct Joined {
    text: Vec<u16>,
    count: usize,
    kind: u8,
    from: u32,
    start: usize,
    end: usize,
}

impl StreamFilter for WordDelimiterGraph {
    fn apply(&self, input: &TokenBuf, out: &mut TokenBuf) {
        out.end_like(input);
        let (mut gap, mut last_start) = (0u32, 0u32);
        for (text, item) in input.iter() {
            gap = gap.saturating_add(item.increment);
            let mut whole = |gap: &mut u32| out.push(text, Item { increment: std::mem::take(gap), ..*item });
            if self.ignore_keywords && item.keyword || self.options.protected.contains(text) {
                whole(&mut gap);
                continue;
            }
            let units: Vec<u16> = text.encode_utf16().collect();
            let parts = Parts::of(&units, &self.options.types);
            match parts.parts.as_slice() {
                [part, ..] if part.start == 0 && part.end == units.len() => _ = whole(&mut gap),
                [] if self.options.preserve_original => _ = whole(&mut gap),
                [] => {}
                _ => {
                    if !self.write(&units, &parts, item, (&mut gap, &mut last_start), out) {
                        return;
                    }
                }
            }
        }
        // What was removed at the end leaves no hole before the next value.
    }

    fn shows_keyword(&self) -> bool {
        true
    }

    fn in_rules(&self) -> InRules {
        InRules::Refused
    }
}

impl WordDelimiterGraph {
    /// Parts begin no earlier than those of the token before, which a graph may have in the same place.
    fn write(
        &self,
        units: &[u16],
        parts: &Parts,
        item: &Item,
        (gap, last_start): (&mut u32, &mut u32),
        out: &mut TokenBuf,
    ) -> bool {
        let mut pieces = self.pieces(units, parts);
        // Longer before shorter, in nodes and then in the token's text.
        pieces.sort_by_key(|piece| (piece.from, Reverse(piece.to), piece.start, Reverse(piece.end)));
        let exact = self.adjust_offsets && (item.end - item.start) as usize == units.len();
        let mut node = 0;
        pieces.iter().all(|piece| {
            let increment = std::mem::take(gap) + piece.from - node;
            node = piece.from;
            let (start, end) = match exact {
                true => (item.start + piece.start as u32, item.start + piece.end as u32),
                false => (item.start, item.end),
            };
            let start = start.max(*last_start);
            *last_start = start;
            let (end, length) = (end.max(start), piece.to - piece.from);
            out.push(&String::from_utf16_lossy(&piece.text), Item { start, end, increment, length, ..*item })
        })
    }

    fn pieces(&self, units: &[u16], parts: &Parts) -> Vec<Piece> {
        let options = &self.options;
        let mut pieces = vec![];
        let mut node = 0;
        if parts.single {
            let part = parts.parts[0];
            pieces.push(Piece {
                text: units[part.start..part.end].to_vec(),
                from: 0,
                to: 1,
                start: part.start,
                end: part.end,
            });
            node = 1;
        } else {
            let (mut joined, mut all, mut last_count) = (Joined::default(), Joined::default(), 0);
            for part in &parts.parts {
                if joined.count > 0 && joined.kind & part.kind == 0 {
                    last_count = joined.count;
                    self.flush(std::mem::take(&mut joined), &mut node, &mut pieces);
                }
                if options.joins(part.kind) {
                    joined.add(units, part, node);
                }
                if options.concat_all {
                    all.add(units, part, node);
                }
                if options.generates(part.kind) {
                    let text = units[part.start..part.end].to_vec();
                    pieces.push(Piece { text, from: node, to: node + 1, start: part.start, end: part.end });
                    node += 1;
                }
            }
            if joined.count > 0 {
                last_count = joined.count;
                self.flush(joined, &mut node, &mut pieces);
            }
            if all.count > last_count {
                node += u32::from(node == all.from);
                pieces.push(all.piece(node));
            }
        }
        if options.preserve_original {
            node += u32::from(node == 0);
            pieces.insert(0, Piece { text: units.to_vec(), from: 0, to: node, start: 0, end: units.len() });
        }
        pieces
    }

    /// Ends a concatenation. One of a single part is a token only if the part itself is not.
    fn flush(&self, joined: Joined, node: &mut u32, pieces: &mut Vec<Piece>) {
        *node += u32::from(*node == joined.from);
        if joined.count != 1 || !self.options.generates(joined.kind) {
            pieces.push(joined.piece(*node));
        }
    }
}

impl Joined {
    fn add(&mut self, units: &[u16], part: &super::parts::Part, node: u32) {
        if self.count == 0 {
            (self.kind, self.from, self.start) = (part.kind, node, part.start);
        }
        self.text.extend_from_slice(&units[part.start..part.end]);
        self.end = part.end;
        self.count += 1;
    }

    fn piece(self, to: u32) -> Piece {
        Piece { text: self.text, from: self.from, to, start: self.start, end: self.end }
    }
}
