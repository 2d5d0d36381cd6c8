//! The minimal intervals of one document, by the algorithms of Clarke, Cormack and Burkowski as Lucene has them.

use super::super::Faults;
use super::super::positional::Leaf;
use super::Relation;
use crate::script::PropertyScript;
use std::cell::RefCell;

/// Positions from `start` to `end`, inclusive, of which `gaps` hold none of the terms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub start: i32,
    pub end: i32,
    pub gaps: i32,
    /// What an interval that this is a part of takes for covered: all of it, but of repetitions only what is repeated.
    width: i32,
}

impl Interval {
    pub fn new(start: i32, end: i32, gaps: i32) -> Self {
        Self { start, end, gaps, width: (end - start).saturating_add(1) }
    }

    /// With positions around it, all of which are covered then.
    fn extended(&self, before: i32, after: i32) -> Self {
        let end = self.end.saturating_add(after).min(i32::MAX - 1);
        Self::new(self.start.saturating_sub(before).max(0), end, self.gaps)
    }

    fn of_parts(start: i32, end: i32, parts: impl Iterator<Item = Interval>) -> Self {
        let whole = Self::new(start, end, 0);
        Self { gaps: parts.fold(whole.width, |gaps, part| gaps.saturating_sub(part.width)), ..whole }
    }
}

/// A [`Source`](super::Source) whose terms are numbered leaves.
pub enum Node {
    Nothing,
    Leaf(usize),
    Or(Vec<Node>),
    Ordered(Vec<Node>),
    Unordered(Vec<Node>),
    Repeat(Box<Node>, usize),
    Block(Vec<Node>),
    MaxGaps(Box<Node>, i32),
    Extend(Box<Node>, i32, i32),
    Filter(Box<Node>, Relation, Box<Node>),
    Scripted(Box<Node>, Box<RefCell<PropertyScript>>, Faults),
}

impl Node {
    pub fn intervals(&self, leaves: &[Leaf]) -> Vec<Interval> {
        let all = |nodes: &[Node]| nodes.iter().map(|node| node.intervals(leaves)).collect::<Vec<_>>();
        match self {
            Self::Nothing => vec![],
            Self::Leaf(at) => (leaves[*at].positions().iter())
                .map(|position| i32::try_from(*position).unwrap_or(i32::MAX - 1))
                .map(|position| Interval::new(position, position, 0))
                .collect(),
            Self::Or(nodes) => any(all(nodes)),
            Self::Ordered(nodes) => ordered(&all(nodes)),
            Self::Unordered(nodes) => unordered(&all(nodes)),
            Self::Repeat(node, times) => repeated(&node.intervals(leaves), *times),
            Self::Block(nodes) => block(&all(nodes)),
            Self::MaxGaps(node, gaps) => {
                let mut intervals = node.intervals(leaves);
                intervals.retain(|interval| interval.gaps <= *gaps);
                intervals
            }
            Self::Extend(node, before, after) => {
                let extended = |of: &Interval| of.extended(*before, *after);
                node.intervals(leaves).iter().map(extended).collect()
            }
            Self::Scripted(node, script, faults) => {
                let mut intervals = node.intervals(leaves);
                intervals.retain(|interval| {
                    let (start, end, gaps) = (interval.start.into(), interval.end.into(), interval.gaps.into());
                    let accepted = script.borrow_mut().accepts(&[("start", start), ("end", end), ("gaps", gaps)]);
                    accepted.unwrap_or_else(|error| {
                        faults.report(error);
                        false
                    })
                });
                intervals
            }
            Self::Filter(node, relation, by) => {
                let by = by.intervals(leaves);
                debug_assert!(by.is_sorted_by(|a, b| a.start <= b.start && a.end <= b.end));
                let mut intervals = node.intervals(leaves);
                match relation {
                    Relation::NotContaining => drop_containing(&mut intervals, &by),
                    _ => intervals.retain(|interval| relation.holds(*interval, &by)),
                }
                intervals
            }
        }
    }
}

impl Relation {
    /// Whether it holds to some of the intervals `to`. No interval of a list begins or ends before one that stands before it, so
    /// the one that may do is found by halves: a long document has very many.
    fn holds(self, of: Interval, to: &[Interval]) -> bool {
        let first_from = |start: i32| to.get(to.partition_point(|by| by.start < start));
        let first_reaching = |end: i32| to.get(to.partition_point(|by| by.end < end));
        match self {
            Self::Containing => first_from(of.start).is_some_and(|by| of.end >= by.end),
            Self::NotContaining => !Self::Containing.holds(of, to),
            Self::ContainedBy => first_reaching(of.end).is_some_and(|by| by.start <= of.start),
            Self::NotContainedBy => !Self::ContainedBy.holds(of, to),
            Self::Overlapping => first_reaching(of.start).is_some_and(|by| by.start <= of.end),
            Self::NotOverlapping => !Self::Overlapping.holds(of, to),
            Self::Before => to.last().is_some_and(|by| of.end <= (by.start - 1).max(0)),
            Self::After => to.first().is_some_and(|by| of.start > by.end),
        }
    }
}

/// Drops what contains one of the others. As in the reference, that is told by the first of them which neither begins nor ends
/// before: one that begins within is enough, wherever it ends.
fn drop_containing(intervals: &mut Vec<Interval>, others: &[Interval]) {
    let mut next = 0;
    intervals.retain(|of| {
        while others.get(next).is_some_and(|other| other.start < of.start && other.end < of.end) {
            next += 1;
        }
        others.get(next).is_none_or(|other| other.start > of.end)
    });
}

/// The intervals of all that contain no other.
fn any(lists: Vec<Vec<Interval>>) -> Vec<Interval> {
    let mut all: Vec<Interval> = lists.into_iter().flatten().collect();
    // By end, and of those with the same end the shortest first: what begins no later than one before it contains that.
    all.sort_by_key(|interval| (interval.end, -interval.start));
    let mut out: Vec<Interval> = Vec::with_capacity(all.len());
    for interval in all {
        if out.last().is_none_or(|last| interval.start > last.start) {
            out.push(interval);
        }
    }
    out
}

/// A list that is gone through once. It begins before its first interval, at -1, and ends behind its last, at [`END`].
struct Cursor<'a> {
    list: &'a [Interval],
    /// How many intervals were taken.
    taken: usize,
}

const END: i32 = i32::MAX;

impl Cursor<'_> {
    fn current(&self) -> Option<Interval> {
        self.list.get(self.taken.checked_sub(1)?).copied()
    }

    fn outside(&self) -> i32 {
        if self.taken == 0 { -1 } else { END }
    }

    fn start(&self) -> i32 {
        self.current().map_or(self.outside(), |interval| interval.start)
    }

    fn end(&self) -> i32 {
        self.current().map_or(self.outside(), |interval| interval.end)
    }

    /// False at the end.
    fn next(&mut self) -> bool {
        self.taken += 1;
        self.taken <= self.list.len()
    }
}

/// Cursors of which so many stand on their first interval.
fn cursors(lists: &[Vec<Interval>], begun: usize) -> Vec<Cursor<'_>> {
    let cursor = |(at, list)| Cursor { list, taken: usize::from(at < begun) };
    lists.iter().map(Vec::as_slice).enumerate().map(cursor).collect()
}

fn spanned(start: i32, end: i32, parts: &[Cursor]) -> Interval {
    Interval::of_parts(start, end, parts.iter().filter_map(Cursor::current))
}

fn ordered(lists: &[Vec<Interval>]) -> Vec<Interval> {
    let mut out = vec![];
    if lists.is_empty() || lists.iter().any(Vec::is_empty) {
        return out;
    }
    let mut parts = cursors(lists, 1);
    let mut next = 1;
    while let Some(interval) = next_ordered(&mut parts, &mut next) {
        out.push(interval);
    }
    out
}

/// The next interval with a part behind the other, as narrow as it gets. `next` is the first part that may have to move.
fn next_ordered(parts: &mut [Cursor], next: &mut usize) -> Option<Interval> {
    let last = parts.len() - 1;
    let mut found = None;
    // While a match is narrowed no part may reach the place where its last part began.
    let mut limit = END;
    loop {
        loop {
            let before = parts[*next - 1].end();
            if before >= limit {
                return found;
            }
            if *next > last || (found.is_some() && parts[*next].start() > before) {
                break;
            }
            loop {
                if parts[*next].end() >= limit || !parts[*next].next() {
                    return found;
                }
                if parts[*next].start() > before {
                    break;
                }
            }
            *next += 1;
        }
        found = Some(spanned(parts[0].start(), parts[last].end(), parts));
        limit = parts[last].start();
        *next = 1;
        if !parts[0].next() {
            return found;
        }
    }
}

/// Runs of so many intervals that stand next to each other in a list.
fn repeated(list: &[Interval], times: usize) -> Vec<Interval> {
    let run = |run: &[Interval]| {
        let whole = Interval::of_parts(run.first()?.start, run.last()?.end, run.iter().copied());
        Some(Interval { width: whole.width.saturating_sub(whole.gaps), ..whole })
    };
    list.windows(times.max(1)).filter_map(run).collect()
}

fn unordered(lists: &[Vec<Interval>]) -> Vec<Interval> {
    let mut out: Vec<Interval> = vec![];
    if lists.is_empty() || lists.iter().any(Vec::is_empty) {
        return out;
    }
    let mut parts = cursors(lists, lists.len());
    let mut right = parts.iter().map(Cursor::end).max().unwrap_or(END);
    let mut start = -1;
    loop {
        // Beyond the start of the last interval.
        let mut top = first(&parts);
        while parts[top].start() == start {
            if !parts[top].next() {
                return out;
            }
            right = right.max(parts[top].end());
            top = first(&parts);
        }
        // Then as narrow as it gets.
        let mut found;
        let mut more = true;
        loop {
            start = parts[top].start();
            found = spanned(start, right, &parts);
            if parts[top].end() == right {
                break;
            }
            if !parts[top].next() {
                more = false;
                break;
            }
            let reached = right;
            right = right.max(parts[top].end());
            top = first(&parts);
            if right != reached {
                break;
            }
        }
        out.push(found);
        if !more {
            return out;
        }
    }
}

/// The part that begins first, of those that begin together the longest.
fn first(parts: &[Cursor]) -> usize {
    (0..parts.len()).min_by_key(|at| (parts[*at].start(), -i64::from(parts[*at].end()))).unwrap_or(0)
}

fn block(lists: &[Vec<Interval>]) -> Vec<Interval> {
    let mut out = vec![];
    if lists.is_empty() || lists.iter().any(Vec::is_empty) {
        return out;
    }
    let mut parts = cursors(lists, 1);
    loop {
        let mut at = 1;
        while at < parts.len() {
            let before = parts[at - 1].end();
            while parts[at].start() <= before {
                if !parts[at].next() {
                    return out;
                }
            }
            if parts[at].start() == before.saturating_add(1) {
                at += 1;
            } else {
                if !parts[0].next() {
                    return out;
                }
                at = 1;
            }
        }
        out.push(Interval::new(parts[0].start(), parts[parts.len() - 1].end(), 0));
        if !parts[0].next() {
            return out;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(positions: &[i32]) -> Vec<Interval> {
        positions.iter().map(|p| Interval::new(*p, *p, 0)).collect()
    }

    fn found(intervals: &[Interval]) -> Vec<(i32, i32, i32)> {
        intervals.iter().map(|interval| (interval.start, interval.end, interval.gaps)).collect()
    }

    #[test]
    fn minimal_intervals() {
        assert_eq!(found(&ordered(&[at(&[0, 1]), at(&[2, 5])])), [(1, 2, 0)]);
        assert_eq!(found(&ordered(&[at(&[0, 3]), at(&[2, 5])])), [(0, 2, 1), (3, 5, 1)]);
        assert_eq!(found(&ordered(&[at(&[5]), at(&[2])])), []);
        assert_eq!(found(&unordered(&[at(&[0, 1]), at(&[2])])), [(1, 2, 0)]);
        assert_eq!(found(&unordered(&[at(&[0, 6]), at(&[2, 4])])), [(0, 2, 1), (4, 6, 1)]);
        assert_eq!(found(&block(&[at(&[0, 4]), at(&[5])])), [(4, 5, 0)]);
        let long = vec![Interval::new(0, 4, 3)];
        assert_eq!(found(&any(vec![long, at(&[2])])), [(2, 2, 0)]);
    }

    #[test]
    fn the_same_several_times() {
        assert_eq!(found(&repeated(&at(&[1, 2, 5]), 2)), [(1, 2, 0), (2, 5, 2)]);
        assert!(repeated(&at(&[1]), 2).is_empty());
        // What lies between them stays a gap of what they are a part of.
        assert_eq!(found(&unordered(&[repeated(&at(&[1, 9]), 2), at(&[5])])), [(1, 9, 6)]);
    }

    #[test]
    fn what_is_extended_covers_more() {
        let behind_a_hole = vec![Interval::new(2, 2, 0).extended(1, 0)];
        assert_eq!(found(&unordered(&[at(&[0]), behind_a_hole])), [(0, 2, 0)]);
    }

    #[test]
    fn relations() {
        let of = Interval::new(2, 4, 0);
        for (relation, by, expected) in [
            (Relation::Containing, 3, true),
            (Relation::Containing, 5, false),
            (Relation::Before, 5, true),
            (Relation::Before, 4, false),
            (Relation::After, 1, true),
            (Relation::NotOverlapping, 9, true),
        ] {
            assert_eq!(relation.holds(of, &at(&[by])), expected, "{relation:?} {by}");
        }
    }
}
