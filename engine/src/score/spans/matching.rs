//! The spans of one document: lists in the order in which Lucene enumerates them, which decides how often a query is
//! found.

use super::super::positional::Leaf;

/// A place in a document. `width` is what scores are lowered by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    pub start: i32,
    pub end: i32,
    pub width: i32,
}

/// A place, and what is to be known of those that it was found by.
pub trait Spot: Clone {
    fn place(&self) -> Place;

    /// What is found at `place` by all of `parts`.
    fn found_by<'a>(place: Place, parts: impl Iterator<Item = &'a Self>) -> Self
    where
        Self: 'a;
}

impl Spot for Place {
    fn place(&self) -> Place {
        *self
    }

    fn found_by<'a>(place: Place, _: impl Iterator<Item = &'a Self>) -> Self {
        place
    }
}

/// A [`Span`](super::Span) whose terms are numbered leaves.
pub enum Node {
    Leaf(usize),
    Or(Vec<Node>),
    Ordered(Vec<Node>, i32),
    Unordered(Vec<Node>, i32),
    Gap(i32),
    Not { include: Box<Node>, exclude: Box<Node>, pre: i32, post: i32 },
    First(Box<Node>, i32),
    Containing(Box<Node>, Box<Node>),
    Within(Box<Node>, Box<Node>),
}

impl Node {
    pub fn places(&self, leaves: &[Leaf]) -> Vec<Place> {
        self.spots(&|at| leaves[at].positions().iter().map(|position| at_position(*position)).collect())
    }

    /// What is found where the leaves stand at the spots that `leaf` gives.
    pub fn spots<S: Spot>(&self, leaf: &impl Fn(usize) -> Vec<S>) -> Vec<S> {
        let all = |nodes: &[Node]| nodes.iter().map(|node| node.spots(leaf)).collect::<Vec<_>>();
        match self {
            Self::Leaf(at) => leaf(*at),
            Self::Or(nodes) => {
                let mut places: Vec<S> = all(nodes).into_iter().flatten().collect();
                places.sort_by_key(|spot| (spot.place().start, spot.place().end));
                places
            }
            Self::Ordered(nodes, slop) => {
                let parts = nodes.iter().map(|node| match node {
                    Self::Gap(width) => Part::Gap(*width),
                    node => Part::Spots(node.spots(leaf)),
                });
                ordered(&parts.collect::<Vec<_>>(), *slop)
            }
            Self::Unordered(nodes, slop) => unordered(&all(nodes), *slop),
            Self::Gap(_) => vec![],
            Self::Not { include, exclude, pre, post } => not(include.spots(leaf), &exclude.spots(leaf), *pre, *post),
            Self::First(inner, end) => {
                let mut places = inner.spots(leaf);
                places.retain(|spot| spot.place().end <= *end);
                places
            }
            Self::Containing(big, little) => containing(big.spots(leaf), &little.spots(leaf)),
            Self::Within(big, little) => within(&big.spots(leaf), little.spots(leaf)),
        }
    }
}

/// The place of one token.
pub fn at_position(position: u32) -> Place {
    let start = i32::try_from(position).unwrap_or(i32::MAX - 1);
    Place { start, end: start + 1, width: 0 }
}

enum Part<S> {
    Spots(Vec<S>),
    Gap(i32),
}

/// A gap that leads may begin at any position: no more of them are tried than this.
const LEADS_MAX: i32 = 1 << 20;

/// For each place of the first part the next places of the others behind one another, as long as they are close enough.
fn ordered<S: Spot>(parts: &[Part<S>], slop: i32) -> Vec<S> {
    let mut out = vec![];
    // None stands before the first spot of a part, as all of them do until they have to be behind another one.
    let mut cursors: Vec<Option<usize>> = vec![None; parts.len()];
    let lead = |at: usize| match parts.first()? {
        Part::Spots(spots) => spots.get(at).map(Spot::place),
        Part::Gap(width) => {
            let start = i32::try_from(at).ok().filter(|start| *start < LEADS_MAX)?;
            Some(Place { start, end: start.saturating_add(*width), width: 0 })
        }
    };
    for at in 0.. {
        let Some(lead) = lead(at) else { return out };
        cursors[0] = Some(at);
        let (mut end, mut width) = (lead.end, 0_i32);
        for (part, cursor) in parts.iter().zip(&mut cursors).skip(1) {
            match part {
                Part::Gap(gap) => end = end.saturating_add(*gap),
                Part::Spots(spots) => {
                    let place = loop {
                        let place = match cursor {
                            None => UNSTARTED,
                            Some(at) => match spots.get(*at) {
                                Some(spot) => spot.place(),
                                None => return out,
                            },
                        };
                        if place.start >= end {
                            break place;
                        }
                        *cursor = Some(cursor.map_or(0, |at| at + 1));
                    };
                    width = width.saturating_add(place.start.saturating_sub(end));
                    end = place.end;
                }
            }
        }
        if width <= slop {
            let found = parts.iter().zip(&cursors).filter_map(|(part, cursor)| match part {
                Part::Spots(spots) => spots.get((*cursor)?),
                Part::Gap(_) => None,
            });
            out.push(S::found_by(Place { start: lead.start, end, width }, found));
        }
    }
    out
}

/// Where a part stands that has not begun.
const UNSTARTED: Place = Place { start: -1, end: -1, width: 0 };

/// The place that begins first moves on, again and again; where all are close enough there is a match.
fn unordered<S: Spot>(parts: &[Vec<S>], slop: i32) -> Vec<S> {
    let mut out = vec![];
    if parts.is_empty() || parts.iter().any(Vec::is_empty) {
        return out;
    }
    let mut cursors = vec![0; parts.len()];
    let length = |place: Place| i64::from(place.end - place.start);
    let mut total: i64 = parts.iter().map(|spots| length(spots[0].place())).sum();
    let mut max_end = parts.iter().map(|spots| spots[0].place().end).max().unwrap_or(0);
    let mut queue = Queue::default();
    parts.iter().enumerate().for_each(|(at, spots)| queue.add(at, spots[0].place()));
    loop {
        let top = queue.top();
        let place = parts[top][cursors[top]].place();
        if i64::from(max_end) - i64::from(place.start) - total <= i64::from(slop) {
            let found = parts.iter().zip(&cursors).map(|(spots, cursor)| &spots[*cursor]);
            out.push(S::found_by(Place { start: place.start, end: max_end, width: max_end - place.start }, found));
        }
        cursors[top] += 1;
        let Some(next) = parts[top].get(cursors[top]).map(Spot::place) else { return out };
        total += length(next) - length(place);
        max_end = max_end.max(next.end);
        queue.update_top(next);
    }
}

/// Parts by where they stand, a binary heap as the reference has it: of two that stand at the same place the one that moved there
/// last moves on first, and what counts as a match depends on that. (Looking at all parts for each step took half a minute for 400.)
#[derive(Default)]
struct Queue(Vec<(usize, (i32, i32))>);

impl Queue {
    fn add(&mut self, part: usize, place: Place) {
        let mut at = self.0.len();
        self.0.push((part, (place.start, place.end)));
        while at > 0 && self.is_before(at, (at - 1) / 2) {
            self.0.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }

    fn top(&self) -> usize {
        self.0[0].0
    }

    /// The first part stands elsewhere now.
    fn update_top(&mut self, place: Place) {
        self.0[0].1 = (place.start, place.end);
        let mut at = 0;
        loop {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            let child = if right < self.0.len() && self.is_before(right, left) { right } else { left };
            if child >= self.0.len() || !self.is_before(child, at) {
                return;
            }
            self.0.swap(child, at);
            at = child;
        }
    }

    fn is_before(&self, one: usize, other: usize) -> bool {
        self.0[one].1 < self.0[other].1
    }
}

fn not<S: Spot>(mut include: Vec<S>, exclude: &[S], pre: i32, post: i32) -> Vec<S> {
    let mut at = 0;
    include.retain(|spot| {
        let place = spot.place();
        while exclude.get(at).is_some_and(|other| other.place().end <= place.start.saturating_sub(pre)) {
            at += 1;
        }
        exclude.get(at).is_none_or(|other| other.place().start.saturating_sub(post) >= place.end)
    });
    include
}

fn containing<S: Spot>(big: Vec<S>, little: &[S]) -> Vec<S> {
    let (mut out, mut at) = (vec![], 0);
    for spot in big {
        let place = spot.place();
        while little.get(at).is_some_and(|little| little.place().start < place.start) {
            at += 1;
        }
        let Some(found) = little.get(at) else { break };
        if place.end >= found.place().end {
            out.push(S::found_by(place, [&spot, found].into_iter()));
        }
    }
    out
}

fn within<S: Spot>(big: &[S], little: Vec<S>) -> Vec<S> {
    let (mut out, mut at) = (vec![], 0);
    for spot in little {
        let place = spot.place();
        while big.get(at).is_some_and(|big| big.place().end < place.end) {
            at += 1;
        }
        let Some(found) = big.get(at) else { break };
        if found.place().start <= place.start {
            out.push(S::found_by(place, [&spot, found].into_iter()));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(positions: &[i32]) -> Vec<Place> {
        positions.iter().map(|p| Place { start: *p, end: p + 1, width: 0 }).collect()
    }

    fn widths(places: &[Place]) -> Vec<(i32, i32, i32)> {
        places.iter().map(|place| (place.start, place.end, place.width)).collect()
    }

    #[test]
    fn near_in_order_and_not() {
        let parts = [Part::Spots(at(&[0, 1])), Part::Spots(at(&[2]))];
        assert_eq!(widths(&ordered(&parts, 1)), [(0, 3, 1), (1, 3, 0)]);
        let gap = [Part::Spots(at(&[0, 1])), Part::Gap(1), Part::Spots(at(&[2]))];
        assert_eq!(widths(&ordered(&gap, 0)), [(0, 3, 0)]);
        assert_eq!(widths(&unordered(&[at(&[0, 1]), at(&[2])], 5)), [(0, 3, 3), (1, 3, 2)]);
        assert_eq!(widths(&unordered(&[at(&[0]), at(&[9])], 5)), []);
        let same = [at(&[0, 4]), at(&[0, 2]), at(&[3])];
        assert_eq!(widths(&unordered(&same, 5)), [(0, 4, 4), (0, 5, 5), (2, 5, 3)]);
    }

    #[test]
    fn exclusion_and_inclusion() {
        assert_eq!(widths(&not(at(&[1, 5]), &at(&[2]), 0, 1)), [(5, 6, 0)]);
        assert_eq!(widths(&not(at(&[1, 5]), &at(&[2]), 0, 0)), [(1, 2, 0), (5, 6, 0)]);
        let big = vec![Place { start: 1, end: 4, width: 1 }];
        assert_eq!(widths(&containing(big.clone(), &at(&[2]))), [(1, 4, 1)]);
        assert_eq!(widths(&within(&big, at(&[0, 2, 7]))), [(2, 3, 0)]);
    }
}
