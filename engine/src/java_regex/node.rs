//! What an expression is made of once it is read.

use regex_syntax::hir::ClassUnicode;

#[derive(Clone, Debug)]
pub enum Node {
    Empty,
    /// A character, and nothing else.
    Char(char),
    /// One of a set of characters.
    Set(ClassUnicode),
    Seq(Vec<Node>),
    /// Tried in order.
    Any(Vec<Node>),
    /// Remembers what it matched, by its number.
    Group(usize, Box<Node>),
    Repeat(Box<Repeat>),
    Look(Box<Look>),
    /// What it matched first is not given up again.
    Atomic(Box<Node>),
    BackReference {
        group: usize,
        case: Case,
    },
    At(At),
}

#[derive(Clone, Debug)]
pub struct Repeat {
    pub node: Node,
    pub min: u32,
    pub max: Option<u32>,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Greedy,
    Lazy,
    Possessive,
}

/// What stands ahead, or behind, or does not.
#[derive(Clone, Debug)]
pub struct Look {
    pub node: Node,
    pub ahead: bool,
    pub negative: bool,
    /// Characters that what stands behind has at least and at most.
    pub width: (u32, Option<u32>),
}

/// Which characters are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    Sensitive,
    Ascii,
    Unicode,
}

/// A place without width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    Begin,
    End,
    /// The end, or before the last line break.
    EndOrBreak {
        unix: bool,
    },
    LineBegin {
        unix: bool,
    },
    LineEnd {
        unix: bool,
    },
    WordBorder {
        unicode: bool,
        negative: bool,
    },
    /// Where the search began.
    SearchBegin,
}

/// What the reference finds out about what stands behind, in its arithmetic: of numbers without bound it knows no more than that they are
/// large, and sums of them wrap.
#[derive(Clone, Copy, Debug)]
pub struct Study {
    pub min: u64,
    max: i32,
    /// Whether there is a maximum at all.
    pub is_bounded: bool,
    is_fixed: bool,
}

/// As often as can be.
const OFTEN: i32 = i32::MAX;

impl Study {
    const NONE: Self = Self { min: 0, max: 0, is_bounded: true, is_fixed: true };

    /// Most characters; none if there are too many to count.
    pub fn max(&self) -> Option<u32> {
        u32::try_from(self.max).ok().filter(|max| *max < OFTEN as u32)
    }
}

impl Node {
    /// Least characters that it matches.
    pub fn min_width(&self) -> u64 {
        self.study().min
    }

    pub fn study(&self) -> Study {
        let mut study = Study::NONE;
        self.add_to(&mut study);
        study
    }

    fn add_to(&self, study: &mut Study) {
        match self {
            Self::Empty | Self::At(_) | Self::Look(_) => {}
            Self::Char(_) | Self::Set(_) => {
                study.min += 1;
                study.max = study.max.wrapping_add(1);
            }
            Self::Seq(nodes) => nodes.iter().for_each(|node| node.add_to(study)),
            Self::Any(nodes) => {
                let each: Vec<Study> = nodes.iter().map(Self::study).collect();
                study.min += each.iter().map(|study| study.min).min().unwrap_or(0);
                study.max = study.max.wrapping_add(each.iter().map(|study| study.max).max().unwrap_or(0));
                study.is_bounded &= each.iter().all(|study| study.is_bounded);
                study.is_fixed = false;
            }
            Self::Group(_, node) | Self::Atomic(node) => node.add_to(study),
            Self::Repeat(repeat) => repeat.add_to(study),
            Self::BackReference { .. } => study.is_bounded = false,
        }
    }
}

impl Repeat {
    fn add_to(&self, study: &mut Study) {
        let inner = self.node.study();
        let is_char = matches!(self.node, Node::Char(_) | Node::Set(_));
        study.min = study.min.saturating_add(inner.min.saturating_mul(u64::from(self.min)));
        let is_fixed = study.is_fixed && inner.is_fixed && Some(self.min) == self.max;
        match self.max {
            Some(1) if self.min == 0 => {
                study.max = study.max.wrapping_add(inner.max);
                study.is_bounded &= inner.is_bounded;
            }
            None if is_char && self.kind == Kind::Greedy => study.max = study.max.wrapping_add(OFTEN),
            // Groups that can match in several ways are gone through by a loop of which nothing is known.
            _ if !is_char && !inner.is_fixed && self.kind != Kind::Possessive => study.is_bounded = false,
            max => {
                let times = max.map_or(OFTEN, |max| i32::try_from(max).unwrap_or(OFTEN));
                let sum = inner.max.wrapping_mul(times).wrapping_add(study.max);
                study.is_bounded &= inner.is_bounded && sum >= study.max;
                study.max = sum;
            }
        }
        study.is_fixed = is_fixed;
    }
}
