//! Expressions for the engine that takes linear time: all but those with look-around, back references, what is not given up again
//! and places of lines.

use super::node::{At, Kind, Node};
use crate::{Error, ErrorKind, Result};
use regex_automata::meta::Regex;
use regex_syntax::hir::{Capture, Class, Hir, Look, Repetition};

/// The largest compiled expression; larger ones are refused.
const COMPILED_BYTES_MAX: usize = 10 << 20;

/// How an expression ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    Anywhere,
    /// It has to match a text from its beginning to its end.
    Whole,
}

/// None if the expression is none for this engine. `$` stands for the very end.
pub fn compile(node: &Node, ends: Ends, pattern: &str) -> Option<Result<Regex>> {
    let hir = hir(node)?;
    let hir = match ends {
        Ends::Anywhere => hir,
        Ends::Whole => Hir::concat(vec![Hir::look(Look::Start), hir, Hir::look(Look::End)]),
    };
    let config = Regex::config().nfa_size_limit(Some(COMPILED_BYTES_MAX));
    let built = Regex::builder().configure(config).build_from_hir(&hir);
    Some(built.map_err(|error| Error::new(ErrorKind::PatternSyntax, format!("{error} in [{pattern}]"))))
}

/// Nesting is bounded by the parser.
fn hir(node: &Node) -> Option<Hir> {
    let all = |nodes: &[Node]| nodes.iter().map(hir).collect::<Option<Vec<_>>>();
    Some(match node {
        Node::Empty => Hir::empty(),
        Node::Char(c) => Hir::literal(c.encode_utf8(&mut [0; 4]).as_bytes()),
        Node::Set(set) => Hir::class(Class::Unicode(set.clone())),
        Node::Seq(nodes) => Hir::concat(all(nodes)?),
        Node::Any(nodes) => Hir::alternation(all(nodes)?),
        Node::Group(index, node) => {
            let index = u32::try_from(*index).ok()?;
            Hir::capture(Capture { index, name: None, sub: Box::new(hir(node)?) })
        }
        Node::Repeat(repeat) if repeat.kind != Kind::Possessive => Hir::repetition(Repetition {
            min: repeat.min,
            max: repeat.max,
            greedy: repeat.kind == Kind::Greedy,
            sub: Box::new(hir(&repeat.node)?),
        }),
        Node::At(at) => Hir::look(match at {
            At::Begin => Look::Start,
            At::End | At::EndOrBreak { .. } => Look::End,
            At::WordBorder { unicode: false, negative: false } => Look::WordAscii,
            At::WordBorder { unicode: true, negative: false } => Look::WordUnicode,
            // Between the bytes of a character there is no place for Java.
            At::WordBorder { .. } | At::LineBegin { .. } | At::LineEnd { .. } | At::SearchBegin => return None,
        }),
        Node::Repeat(_) | Node::Look(_) | Node::Atomic(_) | Node::BackReference { .. } => return None,
    })
}

/// Whether an expression has a place of this kind.
pub fn has(node: &Node, is: fn(&At) -> bool) -> bool {
    match node {
        Node::At(at) => is(at),
        Node::Seq(nodes) | Node::Any(nodes) => nodes.iter().any(|node| has(node, is)),
        Node::Group(_, node) | Node::Atomic(node) => has(node, is),
        Node::Repeat(repeat) => has(&repeat.node, is),
        Node::Look(look) => has(&look.node, is),
        Node::Empty | Node::Char(_) | Node::Set(_) | Node::BackReference { .. } => false,
    }
}
