//! Texts whose analysis is a graph: synonyms of several words stand beside the words that they are for.
//!
//! Places that every way through the graph passes cut it into stretches. A stretch of single tokens is a position like any
//! other; in every other one each way through it is an alternative.

use crate::analysis::{Analyzer, Scratch};
use std::collections::BTreeMap;

/// A token between two places.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    to: u32,
    /// Where the token itself ends: before `to` where tokens were removed.
    ends: u32,
    pub term: String,
}

/// The tokens of a text by the places where they begin.
#[derive(Debug)]
pub struct Graph {
    edges: BTreeMap<u32, Vec<Edge>>,
    end: u32,
}

/// One way: its terms, each with its position.
pub type Path = Vec<(u32, String)>;

/// What stands between two places that every way passes.
#[derive(Debug, PartialEq)]
pub enum Stretch {
    /// Single tokens.
    Terms(Vec<String>),
    Paths(Vec<Path>),
}

impl Graph {
    pub fn new(analyzer: &Analyzer, text: &str) -> Self {
        let mut tokens: Vec<(u32, Edge)> = vec![];
        analyzer.analyze(text, &mut Scratch::default(), &mut |token| {
            let ends = token.position.saturating_add(token.position_length.max(1));
            tokens.push((token.position, Edge { to: ends, ends, term: token.text.to_owned() }));
        });
        Self::of(tokens)
    }

    fn of(tokens: Vec<(u32, Edge)>) -> Self {
        let end = tokens.iter().map(|(_, edge)| edge.ends).max().unwrap_or(0);
        let mut edges: BTreeMap<u32, Vec<Edge>> = BTreeMap::new();
        for (from, edge) in tokens {
            edges.entry(from).or_default().push(edge);
        }
        // Where tokens were removed the way goes on at the next place where one begins.
        let places: Vec<u32> = edges.keys().copied().collect();
        for edge in edges.values_mut().flatten() {
            let next = places.partition_point(|place| *place < edge.ends);
            edge.to = places.get(next).copied().unwrap_or(end);
        }
        Self { edges, end }
    }

    /// The stretches, in order; none if one has more than `most` ways through it.
    pub fn stretches(&self, most: usize) -> Option<Vec<Stretch>> {
        let mut out = vec![];
        let mut start = None;
        // How far tokens reach that began before the place at hand.
        let mut reach = 0;
        for (place, edges) in &self.edges {
            if *place >= reach
                && let Some(start) = start.replace(*place)
            {
                out.push(self.stretch(start, *place, most)?);
            }
            reach = edges.iter().map(|edge| edge.to).fold(reach, u32::max);
        }
        if let Some(start) = start {
            out.push(self.stretch(start, self.end, most)?);
        }
        Some(out)
    }

    fn stretch(&self, start: u32, end: u32, most: usize) -> Option<Stretch> {
        let edges = self.edges.get(&start).map_or(&[][..], Vec::as_slice);
        if edges.iter().all(|edge| edge.to == end) {
            return Some(Stretch::Terms(edges.iter().map(|edge| edge.term.clone()).collect()));
        }
        self.paths_between(start, end, most).map(Stretch::Paths)
    }

    /// Every way through the whole graph; none if there are more than `most`.
    pub fn paths(&self, most: usize) -> Option<Vec<Path>> {
        match self.edges.keys().next() {
            Some(start) => self.paths_between(*start, self.end, most),
            None => Some(vec![]),
        }
    }

    fn paths_between(&self, start: u32, end: u32, most: usize) -> Option<Vec<Path>> {
        let mut out: Vec<Path> = vec![];
        // Each with the place that it has come to, and the position of what comes next.
        let mut open: Vec<(u32, u32, Path)> = vec![(start, 0, vec![])];
        while let Some((place, position, path)) = open.pop() {
            if place >= end {
                out.push(path);
                continue;
            }
            let edges = self.edges.get(&place).map_or(&[][..], Vec::as_slice);
            // The last one is gone on with first, so that ways come in the order of their tokens.
            for edge in edges.iter().rev() {
                let mut path = path.clone();
                path.push((position, edge.term.clone()));
                open.push((edge.to, position + 1 + (edge.to - edge.ends), path));
            }
            if open.len() + out.len() > most {
                return None;
            }
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(tokens: &[(u32, u32, &str)]) -> Graph {
        let edge = |(from, length, term): &(u32, u32, &str)| {
            (*from, Edge { to: from + length, ends: from + length, term: (*term).to_owned() })
        };
        Graph::of(tokens.iter().map(edge).collect())
    }

    #[test]
    fn stretches_between_places_that_every_way_passes() {
        let graph =
            graph(&[(0, 1, "say"), (1, 1, "what"), (1, 3, "wtf"), (2, 1, "the"), (3, 1, "fudge"), (4, 1, "foo")]);
        let words = |words: &[&str]| (0..).zip(words).map(|(at, word)| (at, (*word).to_owned())).collect::<Path>();
        assert_eq!(
            graph.stretches(10).unwrap(),
            [
                Stretch::Terms(vec!["say".into()]),
                Stretch::Paths(vec![words(&["what", "the", "fudge"]), words(&["wtf"])]),
                Stretch::Terms(vec!["foo".into()]),
            ]
        );
        assert_eq!(graph.paths(10).unwrap()[1], words(&["say", "wtf", "foo"]));
        assert!(graph.stretches(1).is_none());
    }

    #[test]
    fn what_is_there_twice_is_two_ways() {
        let graph = graph(&[(0, 2, "ab"), (0, 2, "ab"), (0, 1, "a"), (1, 1, "b")]);
        assert_eq!(graph.paths(10).unwrap().len(), 3);
    }

    #[test]
    fn removed_tokens_leave_holes() {
        let graph = graph(&[(0, 1, "a"), (2, 1, "b"), (2, 2, "bc"), (3, 1, "c")]);
        assert_eq!(graph.paths(10).unwrap()[0], [(0, "a".to_owned()), (2, "b".to_owned()), (3, "c".to_owned())]);
    }
}
