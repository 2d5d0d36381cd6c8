//! `flatten_graph`: a graph of tokens as a chain of positions, since an index keeps no lengths. Nodes of side paths are
//! merged with those of the main path, and each path touches every node.

use super::{StreamFilter, TokenFilter};
use crate::Result;
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::{Item, TokenBuf};
use hashbrown::HashMap;

#[derive(Debug)]
pub(crate) struct FlattenGraph;

pub(super) fn build(_: &Params, _: &Context) -> Result<TokenFilter> {
    Ok(TokenFilter::stream(FlattenGraph))
}

/// A node of the input.
#[derive(Default)]
struct In {
    /// Tokens that leave it.
    tokens: Vec<usize>,
    /// Where the nearest of its tokens leads.
    nearest: Option<u64>,
    /// The node of the output that it became.
    out: Option<u64>,
}

/// A node of the output, with the tightest offsets of the tokens around it.
#[derive(Default)]
struct Out {
    inputs: Vec<u64>,
    start: Option<u32>,
    end: Option<u32>,
}

#[derive(Default)]
struct Graph {
    ins: HashMap<u64, In>,
    outs: HashMap<u64, Out>,
    /// One more than the last node of the output.
    out_end: u64,
}

impl StreamFilter for FlattenGraph {
    fn apply(&self, input: &TokenBuf, out: &mut TokenBuf) {
        out.end_like(input);
        let mut graph = Graph::default();
        graph.link(0, 0);
        graph.out(0).start = Some(0);
        // Nodes are counted from one before the first token, so that its increment leads to node 0.
        let mut next = 0u64;
        for (at, item) in input.items().iter().enumerate() {
            next += u64::from(item.increment);
            graph.add(at, item, next.saturating_sub(1));
        }
        graph.write(input, out);
    }
}

impl Graph {
    fn out(&mut self, node: u64) -> &mut Out {
        self.out_end = self.out_end.max(node + 1);
        self.outs.entry(node).or_default()
    }

    fn link(&mut self, input: u64, out: u64) {
        self.ins.entry(input).or_default().out = Some(out);
        self.out(out).inputs.push(input);
    }

    fn unlink(&mut self, input: u64, out: u64) {
        self.out(out).inputs.retain(|node| *node != input);
    }

    fn out_of(&self, input: u64) -> Option<u64> {
        self.ins.get(&input).and_then(|node| node.out)
    }

    fn add(&mut self, at: usize, item: &Item, from: u64) {
        let to = from + u64::from(item.length.max(1));
        let before = from.checked_sub(u64::from(item.increment));
        match self.out_of(from) {
            None => self.place_behind_hole(from, before, item.start),
            Some(out) => {
                // A hole may have ended a side path: the node was made, but not where it belongs.
                let behind_hole = item.increment > 1
                    && before.is_some_and(|before| {
                        let node = self.ins.get(&before);
                        let placed = node.and_then(|node| node.out).map_or(-1, |out| out as i64);
                        out as i64 - placed <= 1 && node.and_then(|node| node.nearest) != Some(from)
                    });
                if behind_hole {
                    self.unlink(from, out);
                    let end = self.out(out).end;
                    self.place_behind_hole(from, before, item.start);
                    let placed = self.out_of(from).unwrap_or_default();
                    self.out(placed).end = end;
                }
                let out = self.out_of(from).unwrap_or_default();
                let node = self.out(out);
                node.start = Some(node.start.map_or(item.start, |start| start.max(item.start)));
            }
        }
        let source = self.ins.entry(from).or_default();
        source.tokens.push(at);
        source.nearest = Some(source.nearest.map_or(to, |nearest| nearest.min(to)));
        let end_out = source.out.unwrap_or_default() + 1;
        match self.out_of(to) {
            Some(out) if out >= end_out => {}
            old => {
                if let Some(old) = old {
                    self.unlink(to, old);
                }
                self.link(to, end_out);
            }
        }
        let end_out = self.out_of(to).unwrap_or_default();
        let node = self.out(end_out);
        node.end = Some(node.end.map_or(item.end, |end| end.min(item.end)));
    }

    /// A node that no token leads to comes one after what the node before the hole leads to, or at the end.
    fn place_behind_hole(&mut self, from: u64, before: Option<u64>, start: u32) {
        let last = self.out_end.saturating_sub(1);
        let out = match before {
            None => last + 1,
            Some(before) => {
                let nearest = self.ins.get(&before).and_then(|node| node.nearest).filter(|nearest| *nearest < from);
                nearest.and_then(|nearest| self.out_of(nearest)).map_or(last, |out| out + 1)
            }
        };
        self.link(from, out);
        let node = self.out(out);
        node.start = Some(node.start.map_or(start, |known| known.max(start)));
    }

    fn write(&self, input: &TokenBuf, out: &mut TokenBuf) {
        let mut last_out: i64 = -1;
        let mut last_start = 0;
        for node in 0..self.out_end {
            let Some(output) = self.outs.get(&node) else { continue };
            for source in &output.inputs {
                let Some(tokens) = self.ins.get(source) else { continue };
                for at in &tokens.tokens {
                    let item = input.items()[*at];
                    let end_node = self.out_of(source + u64::from(item.length.max(1))).unwrap_or(node + 1);
                    let start = output.start.unwrap_or_default().max(last_start);
                    let end = self.outs.get(&end_node).and_then(|out| out.end).unwrap_or_default().max(start);
                    let increment = (node as i64 - last_out).max(0) as u32;
                    let length = end_node.saturating_sub(node).max(1) as u32;
                    if !out.push(input.text(*at), Item { start, end, increment, length, ..item }) {
                        return;
                    }
                    (last_out, last_start) = (node as i64, start);
                }
            }
        }
    }
}
