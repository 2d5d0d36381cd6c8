//! `synonym_graph`: each output a path of its own through a token graph, from where the input begins to where it ends.

use super::super::StreamFilter;
use super::SYNONYM;
use super::rules::{Outputs, SynonymMap};
use crate::analysis::token::{Item, TokenBuf};

#[derive(Debug)]
pub(super) struct SynonymGraph {
    map: SynonymMap,
}

impl SynonymGraph {
    pub fn new(map: SynonymMap) -> Self {
        Self { map }
    }
}

/// An edge of the graph: a token between two nodes.
struct Edge<'a> {
    text: &'a str,
    item: Item,
    from: i64,
    to: i64,
}

/// Nodes are numbered along the output.
struct Nodes {
    /// Where the last token began.
    last: i64,
    /// Where the next token begins.
    next: i64,
}

impl StreamFilter for SynonymGraph {
    fn apply(&self, input: &TokenBuf, out: &mut TokenBuf) {
        out.end_like(input);
        let mut nodes = Nodes { last: -1, next: 0 };
        let mut edges = vec![];
        let mut at = 0;
        while at < input.len() {
            let Some((len, outputs)) = self.map.longest(input, at) else {
                let item = input.items()[at];
                nodes.last += i64::from(item.increment);
                nodes.next = nodes.last + i64::from(item.length);
                if !out.push(input.text(at), item) {
                    return;
                }
                at += 1;
                continue;
            };
            edges.clear();
            fan_out(outputs, input, at..at + len, &mut nodes, &mut edges);
            for edge in &edges {
                let increment = (edge.from - nodes.last).max(0) as u32;
                nodes.last = edge.from;
                let item = Item { increment, length: (edge.to - edge.from) as u32, ..edge.item };
                if !out.push(edge.text, item) {
                    return;
                }
            }
            at += len;
        }
    }
}

/// The edges that take the place of the tokens in `range`: first those that leave the start node, outputs before the
/// original, then the rest of each path.
fn fan_out<'a>(
    outputs: &'a Outputs,
    input: &'a TokenBuf,
    range: std::ops::Range<usize>,
    nodes: &mut Nodes,
    edges: &mut Vec<Edge<'a>>,
) {
    let matched = &input.items()[range.clone()];
    let synonym =
        Item { start: matched[0].start, end: matched[matched.len() - 1].end, ..matched[0].without_attributes(SYNONYM) };
    let mut paths: Vec<Vec<(&str, Item)>> =
        outputs.words.iter().map(|words| words.iter().map(|word| (word.as_str(), synonym)).collect()).collect();
    if outputs.keep_original {
        paths.push(range.map(|at| (input.text(at), input.items()[at])).collect());
    }
    let inner_nodes: usize = paths.iter().map(|path| path.len() - 1).sum();
    let start = nodes.next;
    let end = start + inner_nodes as i64 + 1;
    nodes.next = end;
    let mut node = start;
    for path in &paths {
        let to = if path.len() == 1 { end } else { node + 1 };
        node += path.len() as i64 - 1;
        edges.push(Edge { text: path[0].0, item: path[0].1, from: start, to });
    }
    for (n, path) in paths.iter().enumerate() {
        let mut from = edges[n].to;
        for (step, (text, item)) in path.iter().enumerate().skip(1) {
            let to = if step + 1 == path.len() { end } else { from + 1 };
            edges.push(Edge { text, item: *item, from, to });
            from = to;
        }
    }
}
