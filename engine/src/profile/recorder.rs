//! The tree of queries, gathered while their weights are made one within the other.

use super::breakdown::{Breakdown, Clock};
use super::{QUERY_CALLS, QueryProfile, call};
use crate::error::Result;
use std::cell::RefCell;
use std::rc::Rc;

/// Cheap to clone: all clones write to the same tree.
#[derive(Clone)]
pub struct QueryProfiler {
    recorder: Rc<Recorder>,
    aside: bool,
}

struct Recorder {
    clock: Clock,
    tree: RefCell<Tree>,
}

#[derive(Default)]
struct Tree {
    nodes: Vec<Node>,
    /// Those whose weights are being made, outer ones first.
    open: Vec<usize>,
}

struct Node {
    type_name: String,
    description: String,
    parent: Option<usize>,
    aside: bool,
    /// Whether no segment was asked for its documents.
    unasked: bool,
    breakdown: Rc<Breakdown<QUERY_CALLS>>,
}

/// What the weight and the scorers of one query write to.
#[derive(Clone)]
pub struct Lap {
    pub clock: Clock,
    pub breakdown: Rc<Breakdown<QUERY_CALLS>>,
}

impl QueryProfiler {
    pub fn new(clock: Clock) -> Self {
        Self { recorder: Rc::new(Recorder { clock, tree: RefCell::default() }), aside: false }
    }

    /// For queries that are asked beside that of the search, which its collectors do not know.
    pub fn aside(&self) -> Self {
        Self { aside: true, ..self.clone() }
    }

    pub fn clock(&self) -> Clock {
        self.recorder.clock
    }

    /// Enters a query into the tree while `make` makes its weight.
    pub fn enter<T>(
        &self,
        type_name: String,
        description: String,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<(T, Lap)> {
        let breakdown = Rc::<Breakdown<QUERY_CALLS>>::default();
        {
            let mut tree = self.recorder.tree.borrow_mut();
            let parent = tree.open.last().copied();
            let at = tree.nodes.len();
            let (aside, breakdown) = (self.aside, breakdown.clone());
            tree.nodes.push(Node { type_name, description, parent, aside, unasked: false, breakdown });
            tree.open.push(at);
        }
        let made = breakdown.time(call::CREATE_WEIGHT, self.recorder.clock, make);
        self.recorder.tree.borrow_mut().open.pop();
        Ok((made?, Lap { clock: self.recorder.clock, breakdown }))
    }

    /// How many queries have been entered.
    pub fn entered(&self) -> usize {
        self.recorder.tree.borrow().nodes.len()
    }

    /// Of the queries from `first` on, those that no scorer was made for were not asked in any segment.
    pub fn note_unasked(&self, first: usize) {
        for node in self.recorder.tree.borrow_mut().nodes.iter_mut().skip(first) {
            node.unasked = node.breakdown.0[call::BUILD_SCORER].count() == 0;
        }
    }

    /// The same where it is known of each of these queries whether some segment asked it.
    pub fn note_asked(&self, first: usize, asked: &[bool]) {
        for (node, asked) in self.recorder.tree.borrow_mut().nodes.iter_mut().skip(first).zip(asked) {
            node.unasked = !asked;
        }
    }

    /// The same of the query entered as `first` and of what stands within it.
    pub fn note_asked_within(&self, first: usize, asked: &Asked) {
        let nodes = &mut self.recorder.tree.borrow_mut().nodes;
        if first < nodes.len() {
            note(nodes, first, asked);
        }
    }

    /// The time that went into finding and scoring the documents of the last query at the top.
    pub fn found_ns(&self) -> u64 {
        let tree = self.recorder.tree.borrow();
        let tops = tree.nodes.iter().filter(|node| node.parent.is_none());
        tops.map(|node| node.breakdown.total_ns() - node.breakdown.0[call::CREATE_WEIGHT].ns()).sum()
    }

    /// The queries at the top, in the order in which they were entered.
    pub fn finish(&self) -> Vec<QueryProfile> {
        let tree = self.recorder.tree.borrow();
        let mut made: Vec<Option<QueryProfile>> = tree.nodes.iter().map(|node| Some(node.profile())).collect();
        let mut tops = vec![];
        // Children stand behind their parents: from the end on each is complete when it is handed up.
        for at in (0..made.len()).rev() {
            let Some(mut profile) = made[at].take() else { continue };
            profile.children.reverse();
            match tree.nodes[at].parent.and_then(|parent| made[parent].as_mut()) {
                Some(parent) => parent.children.push(profile),
                None => tops.push(profile),
            }
        }
        tops.reverse();
        tops
    }
}

/// Whether some segment was asked for the documents of a query, and of those within it.
#[derive(Clone, Debug)]
pub struct Asked {
    pub asked: bool,
    /// The same of all within those that `within` does not tell of.
    pub rest: bool,
    pub within: Vec<Asked>,
}

impl Asked {
    /// Itself and all within it, outer ones first.
    pub fn flatten(&self, all: &mut Vec<bool>) {
        all.push(self.asked);
        self.within.iter().for_each(|one| one.flatten(all));
    }

    /// What was asked at another occasion is asked as well.
    pub fn add(&mut self, other: &Asked) {
        self.asked |= other.asked;
        self.rest |= other.rest;
        self.within.iter_mut().zip(&other.within).for_each(|(one, other)| one.add(other));
    }
}

/// Notes it of a node and of those within it.
fn note(nodes: &mut [Node], at: usize, asked: &Asked) {
    nodes[at].unasked = !asked.asked;
    let rest = Asked { asked: asked.rest, rest: asked.rest, within: vec![] };
    let inner: Vec<usize> = (at + 1..nodes.len()).filter(|inner| nodes[*inner].parent == Some(at)).collect();
    for (number, inner) in inner.into_iter().enumerate() {
        note(nodes, inner, asked.within.get(number).unwrap_or(&rest));
    }
}

impl Node {
    fn profile(&self) -> QueryProfile {
        QueryProfile {
            type_name: self.type_name.clone(),
            description: self.description.clone(),
            breakdown: (*self.breakdown).clone(),
            // What was not asked anywhere is shown as if by slices.
            aside: self.aside && !self.unasked,
            children: vec![],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_within_weights_make_a_tree() {
        let profiler = QueryProfiler::new(|| 0);
        let enter = |name: &str, inner: &[&str]| {
            let inside = || {
                for name in inner {
                    profiler.enter((*name).into(), String::new(), || Ok(()))?;
                }
                Ok(())
            };
            profiler.enter(name.to_owned(), String::new(), inside).unwrap();
        };
        enter("a", &["b", "c"]);
        enter("d", &[]);
        let tops = profiler.finish();
        let names: Vec<&str> = tops.iter().map(|top| top.type_name.as_str()).collect();
        let inner: Vec<&str> = tops[0].children.iter().map(|child| child.type_name.as_str()).collect();
        assert_eq!((names, inner), (vec!["a", "d"], vec!["b", "c"]));
        assert_eq!(tops[0].breakdown.0[call::CREATE_WEIGHT].count(), 1);
    }
}
