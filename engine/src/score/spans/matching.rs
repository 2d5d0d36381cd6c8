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
        let all = |nodes: &[Node]| nodes.iter().map(|node| node.places(leaves)).collect::<Vec<_>>();
        match self {
            Self::Leaf(at) => (leaves[*at].positions().iter())
                .map(|position| {
                    let start = i32::try_from(*position).unwrap_or(i32::MAX - 1);
                    Place { start, end: start + 1, width: 0 }
                })
                .collect(),
            Self::Or(nodes) => {
                let mut places: Vec<Place> = all(nodes).into_iter().flatten().collect();
                places.sort_by_key(|place| (place.start, place.end));
                places
            }
            Self::Ordered(nodes, slop) => {
                let parts = nodes.iter().map(|node| match node {
                    Self::Gap(width) => Part::Gap(*width),
                    node => Part::Places(node.places(leaves)),
                });
                ordered(&parts.collect::<Vec<_>>(), *slop)
            }
            Self::Unordered(nodes, slop) => unordered(&all(nodes), *slop),
            Self::Gap(_) => vec![],
            Self::Not { include, exclude, pre, post } => {
                not(include.places(leaves), &exclude.places(leaves), *pre, *post)
            }
            Self::First(inner, end) => {
                let mut places = inner.places(leaves);
                places.retain(|place| place.end <= *end);
                places
            }
            Self::Containing(big, little) => containing(big.places(leaves), &little.places(leaves)),
            Self::Within(big, little) => within(&big.places(leaves), little.places(leaves)),
        }
    }
}

enum Part {
    Places(Vec<Place>),
    Gap(i32),
}

/// For each place of the first part the next places of the others behind one another, as long as they are close enough.
fn ordered(parts: &[Part], slop: i32) -> Vec<Place> {
    let mut out = vec![];
    let Some(Part::Places(first)) = parts.first() else { return out };
    let mut cursors = vec![0; parts.len()];
    for lead in first {
        let (mut end, mut width) = (lead.end, 0);
        for (part, cursor) in parts.iter().zip(&mut cursors).skip(1) {
            match part {
                Part::Gap(gap) => end = end.saturating_add(*gap),
                Part::Places(places) => {
                    while places.get(*cursor).is_some_and(|place| place.start < end) {
                        *cursor += 1;
                    }
                    let Some(place) = places.get(*cursor) else { return out };
                    width += place.start - end;
                    end = place.end;
                }
            }
        }
        if width <= slop {
            out.push(Place { start: lead.start, end, width });
        }
    }
    out
}

/// The place that begins first moves on, again and again; where all are close enough there is a match.
fn unordered(parts: &[Vec<Place>], slop: i32) -> Vec<Place> {
    let mut out = vec![];
    if parts.is_empty() || parts.iter().any(Vec::is_empty) {
        return out;
    }
    let mut cursors = vec![0; parts.len()];
    let mut total: i64 = parts.iter().map(|places| i64::from(places[0].end - places[0].start)).sum();
    let mut max_end = parts.iter().map(|places| places[0].end).max().unwrap_or(0);
    loop {
        let top = (0..parts.len())
            .min_by_key(|at| (parts[*at][cursors[*at]].start, parts[*at][cursors[*at]].end))
            .expect("there are parts");
        let place = parts[top][cursors[top]];
        if i64::from(max_end) - i64::from(place.start) - total <= i64::from(slop) {
            out.push(Place { start: place.start, end: max_end, width: max_end - place.start });
        }
        cursors[top] += 1;
        let Some(next) = parts[top].get(cursors[top]) else { return out };
        total += i64::from(next.end - next.start) - i64::from(place.end - place.start);
        max_end = max_end.max(next.end);
    }
}

fn not(mut include: Vec<Place>, exclude: &[Place], pre: i32, post: i32) -> Vec<Place> {
    let mut at = 0;
    include.retain(|place| {
        while exclude.get(at).is_some_and(|other| other.end <= place.start.saturating_sub(pre)) {
            at += 1;
        }
        exclude.get(at).is_none_or(|other| other.start.saturating_sub(post) >= place.end)
    });
    include
}

fn containing(big: Vec<Place>, little: &[Place]) -> Vec<Place> {
    let (mut out, mut at) = (vec![], 0);
    for place in big {
        while little.get(at).is_some_and(|little| little.start < place.start) {
            at += 1;
        }
        let Some(found) = little.get(at) else { break };
        if place.end >= found.end {
            out.push(place);
        }
    }
    out
}

fn within(big: &[Place], little: Vec<Place>) -> Vec<Place> {
    let (mut out, mut at) = (vec![], 0);
    for place in little {
        while big.get(at).is_some_and(|big| big.end < place.end) {
            at += 1;
        }
        let Some(found) = big.get(at) else { break };
        if found.start <= place.start {
            out.push(place);
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
        let parts = [Part::Places(at(&[0, 1])), Part::Places(at(&[2]))];
        assert_eq!(widths(&ordered(&parts, 1)), [(0, 3, 1), (1, 3, 0)]);
        let gap = [Part::Places(at(&[0, 1])), Part::Gap(1), Part::Places(at(&[2]))];
        assert_eq!(widths(&ordered(&gap, 0)), [(0, 3, 0)]);
        assert_eq!(widths(&unordered(&[at(&[0, 1]), at(&[2])], 5)), [(0, 3, 3), (1, 3, 2)]);
        assert_eq!(widths(&unordered(&[at(&[0]), at(&[9])], 5)), []);
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
