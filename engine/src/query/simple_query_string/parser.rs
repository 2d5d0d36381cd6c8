//! The small syntax, read as Lucene reads it: what does not make sense is passed over.

use crate::error::{Error, Result};
use std::collections::HashMap;

/// Which operators there are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flags(u32);

const AND: u32 = 1;
const NOT: u32 = 2;
const OR: u32 = 4;
const PREFIX: u32 = 8;
const PHRASE: u32 = 16;
const PRECEDENCE: u32 = 32;
const ESCAPE: u32 = 64;
const WHITESPACE: u32 = 128;
const FUZZY: u32 = 256;
const NEAR: u32 = 512;

impl Flags {
    pub const ALL: Self = Self(u32::MAX);

    pub fn of_bits(bits: i64) -> Self {
        Self(if bits < 0 { u32::MAX } else { bits as u32 })
    }

    /// All that is there are -1.
    pub fn bits(self) -> i64 {
        i64::from(self.0 as i32)
    }

    pub fn of(text: &str) -> Result<Self> {
        if text.is_empty() {
            return Ok(Self::ALL);
        }
        let mut bits = 0;
        for name in text.split('|') {
            if name.is_empty() {
                continue;
            }
            bits |= match name.to_uppercase().as_str() {
                "NONE" => return Ok(Self(0)),
                "ALL" => return Ok(Self::ALL),
                "AND" => AND,
                "NOT" => NOT,
                "OR" => OR,
                "PREFIX" => PREFIX,
                "PHRASE" => PHRASE,
                "PRECEDENCE" => PRECEDENCE,
                "ESCAPE" => ESCAPE,
                "WHITESPACE" => WHITESPACE,
                "FUZZY" => FUZZY,
                "NEAR" | "SLOP" => NEAR,
                _ => return Err(Error::illegal_argument(format!("Unknown simple_query_string flag [{name}]"))),
            };
        }
        Ok(Self(bits))
    }

    fn has(self, flag: u32) -> bool {
        self.0 & flag != 0
    }
}

/// What a text looks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Leaf {
    Text(String),
    Prefix(String),
    Fuzzy(String, u8),
    Phrase(String, u32),
}

/// What a text says.
#[derive(Clone, Debug, PartialEq)]
pub enum Tree<L> {
    Leaf(L),
    Not(Box<Tree<L>>),
    All(Vec<Tree<L>>),
    Any(Vec<Tree<L>>),
}

/// Deepest nesting of parentheses.
const DEPTH_MAX: usize = 100;
/// Most branches of a tree: beyond this it is no query that anybody means.
const BRANCHES_MAX: usize = 65_536;
/// How far terms may be off at most.
const EDITS_MAX: i64 = 2;

/// None for a text that says nothing. `default_and`: what stands side by side must all match. `leaf` makes what is
/// looked for, or None where analysis leaves nothing of it: the operator before that is the operator of what follows.
pub fn parse<L>(
    text: &str,
    flags: Flags,
    default_and: bool,
    leaf: impl FnMut(Leaf) -> Result<Option<L>>,
) -> Result<Option<Tree<L>>> {
    let chars: Vec<char> = text.chars().collect();
    let closed_by = if flags.has(PRECEDENCE) { matching_parentheses(&chars, flags) } else { HashMap::new() };
    let mut parser = Parser { flags, default_and, depth: 0, branches: 0, closed_by, leaf };
    parser.query(&chars, 0)
}

/// Where the parenthesis that opens at a place is closed, for those that are.
fn matching_parentheses(chars: &[char], flags: Flags) -> HashMap<usize, usize> {
    let (mut open, mut closed_by, mut escaped) = (vec![], HashMap::new(), false);
    for (at, c) in chars.iter().enumerate() {
        match c {
            _ if escaped => escaped = false,
            '\\' if flags.has(ESCAPE) => escaped = true,
            '(' => open.push(at),
            ')' => {
                if let Some(start) = open.pop() {
                    closed_by.insert(start, at);
                }
            }
            _ => {}
        }
    }
    closed_by
}

/// Slices of the text come with the place where they begin.
struct Parser<F> {
    flags: Flags,
    default_and: bool,
    depth: usize,
    branches: usize,
    /// By places in the whole text.
    closed_by: HashMap<usize, usize>,
    leaf: F,
}

/// Whether clauses must all match (`true`) or any of them.
type Operation = Option<bool>;

struct State<L> {
    at: usize,
    top: Option<Tree<L>>,
    current: Operation,
    previous: Operation,
    not: u32,
}

impl<L> State<L> {
    /// Adds a branch to the tree; one that changes the operation makes a new top.
    fn add(&mut self, branch: Option<Tree<L>>, default_and: bool) {
        let Some(mut branch) = branch else { return };
        if self.not % 2 == 1 {
            branch = Tree::Not(Box::new(branch));
        }
        self.top = Some(match self.top.take() {
            None => branch,
            Some(top) => {
                let and = self.current.unwrap_or(default_and);
                let mut clauses = match top {
                    Tree::All(clauses) | Tree::Any(clauses) if self.previous == Some(and) => clauses,
                    top => vec![top],
                };
                clauses.push(branch);
                self.previous = Some(and);
                if and { Tree::All(clauses) } else { Tree::Any(clauses) }
            }
        });
        self.current = None;
    }
}

impl<L, F: FnMut(Leaf) -> Result<Option<L>>> Parser<F> {
    fn query(&mut self, chars: &[char], base: usize) -> Result<Option<Tree<L>>> {
        if self.depth >= DEPTH_MAX {
            return Err(Error::illegal_argument(format!("[simple_query_string] is nested deeper than [{DEPTH_MAX}]")));
        }
        self.depth += 1;
        let mut state = State { at: 0, top: None, current: None, previous: None, not: 0 };
        while let Some(c) = chars.get(state.at) {
            match c {
                '(' if self.flags.has(PRECEDENCE) => self.group(chars, base, &mut state)?,
                ')' if self.flags.has(PRECEDENCE) => state.at += 1,
                '"' if self.flags.has(PHRASE) => self.phrase(chars, &mut state)?,
                '+' if self.flags.has(AND) => operator(&mut state, true),
                '|' if self.flags.has(OR) => operator(&mut state, false),
                '-' if self.flags.has(NOT) => {
                    state.not += 1;
                    state.at += 1;
                    continue;
                }
                ' ' | '\t' | '\n' | '\r' if self.flags.has(WHITESPACE) => state.at += 1,
                _ => self.token(chars, &mut state)?,
            }
            state.not = 0;
            self.branches += 1;
            if self.branches > BRANCHES_MAX {
                let reason = format!("[simple_query_string] has more than [{BRANCHES_MAX}] parts");
                return Err(Error::illegal_argument(reason));
            }
        }
        self.depth -= 1;
        Ok(state.top)
    }

    fn group(&mut self, chars: &[char], base: usize, state: &mut State<L>) -> Result<()> {
        state.at += 1;
        let start = state.at;
        // Never closed: as if it had not been opened.
        let Some(end) = self.closed_by.get(&(base + start - 1)) else { return Ok(()) };
        let at = end - base;
        state.at = at + 1;
        if at == start {
            state.current = None;
            return Ok(());
        }
        let inner = self.query(&chars[start..at], base + start)?;
        state.add(inner, self.default_and);
        Ok(())
    }

    fn phrase(&mut self, chars: &[char], state: &mut State<L>) -> Result<()> {
        state.at += 1;
        let start = state.at;
        let (mut text, mut escaped, mut at) = (String::new(), false, start);
        while let Some(c) = chars.get(at) {
            if escaped {
                escaped = false;
            } else if *c == '\\' && self.flags.has(ESCAPE) {
                escaped = true;
                at += 1;
                continue;
            } else if *c == '"' {
                break;
            }
            text.push(*c);
            at += 1;
        }
        if at >= chars.len() {
            return Ok(());
        }
        state.at = at + 1;
        let near = chars.get(state.at) == Some(&'~') && self.flags.has(NEAR);
        // A phrase of nothing is none, unless something is to be near.
        if at == start && !near {
            state.current = None;
            return Ok(());
        }
        let mut slop = 0;
        if near {
            if chars.len() > state.at + 1 {
                slop = self.number(chars, state);
            }
            // What ends the number is passed over, whatever it is.
            state.at += 1;
        }
        let slop = u32::try_from(slop).unwrap_or(0);
        self.add(state, Leaf::Phrase(text, slop))
    }

    fn token(&mut self, chars: &[char], state: &mut State<L>) -> Result<()> {
        let (mut text, mut escaped, mut prefix, mut fuzzy) = (String::new(), false, false, false);
        while let Some(c) = chars.get(state.at).copied() {
            if !escaped {
                if c == '\\' && self.flags.has(ESCAPE) {
                    escaped = true;
                    prefix = false;
                    state.at += 1;
                    continue;
                }
                if self.ends_token(c) {
                    break;
                }
                if !text.is_empty() && c == '~' && self.flags.has(FUZZY) {
                    fuzzy = true;
                    break;
                }
                prefix = !text.is_empty() && c == '*' && self.flags.has(PREFIX);
            }
            escaped = false;
            text.push(c);
            state.at += 1;
        }
        if text.is_empty() {
            return Ok(());
        }
        let leaf = if fuzzy {
            match self.number(chars, state).min(EDITS_MAX) {
                0 => Leaf::Text(text),
                edits => Leaf::Fuzzy(text, edits as u8),
            }
        } else if prefix {
            text.pop();
            Leaf::Prefix(text)
        } else {
            Leaf::Text(text)
        };
        self.add(state, leaf)
    }

    fn add(&mut self, state: &mut State<L>, leaf: Leaf) -> Result<()> {
        let branch = (self.leaf)(leaf)?.map(Tree::Leaf);
        state.add(branch, self.default_and);
        Ok(())
    }

    fn ends_token(&self, c: char) -> bool {
        match c {
            '"' => self.flags.has(PHRASE),
            '|' => self.flags.has(OR),
            '+' => self.flags.has(AND),
            '(' | ')' => self.flags.has(PRECEDENCE),
            ' ' | '\t' | '\n' | '\r' => self.flags.has(WHITESPACE),
            _ => false,
        }
    }

    /// The number behind `~`: the greatest distance if there is none, 0 if it is no number.
    fn number(&self, chars: &[char], state: &mut State<L>) -> i64 {
        state.at += 1;
        let start = state.at;
        while chars.get(state.at).is_some_and(|c| !self.ends_token(*c)) {
            state.at += 1;
        }
        let text: String = chars[start..state.at].iter().collect();
        if text.is_empty() { EDITS_MAX } else { text.parse::<i32>().map_or(0, |number| i64::from(number.max(0))) }
    }
}

fn operator<L>(state: &mut State<L>, and: bool) {
    if state.current.is_none() && state.top.is_some() {
        state.current = Some(and);
    }
    state.at += 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Tree<Leaf> {
        Tree::Leaf(Leaf::Text(text.into()))
    }

    fn all(text: &str) -> Result<Option<Tree<Leaf>>> {
        parse(text, Flags::ALL, false, |leaf| Ok(Some(leaf)))
    }

    #[test]
    fn much_of_the_same_ends_soon() {
        assert_eq!(all(&"(".repeat(60_000)).unwrap(), None);
        assert!(all(&"a|".repeat(70_000)).is_err());
        let inner = Tree::Any(vec![text("b"), text("c")]);
        assert_eq!(all("((a (b c) \\( d").unwrap(), Some(Tree::Any(vec![text("a"), inner, text("("), text("d")])));
    }

    #[test]
    fn trees() {
        let of = |text: &str| all(text).unwrap();
        assert_eq!(of("a b"), Some(Tree::Any(vec![text("a"), text("b")])));
        let not = Tree::Not(Box::new(text("c")));
        let both = Tree::All(vec![text("a"), text("b")]);
        assert_eq!(of("a +b -c"), Some(Tree::Any(vec![both, not])));
        assert_eq!(of("\"a b\"~2"), Some(Tree::Leaf(Leaf::Phrase("a b".into(), 2))));
        let leaves = [Leaf::Prefix("a".into()), Leaf::Fuzzy("b".into(), 2), Leaf::Fuzzy("c".into(), 1)];
        assert_eq!(of("a* b~ c~1"), Some(Tree::Any(leaves.map(Tree::Leaf).into())));
        assert_eq!(of("(a | b"), Some(Tree::Any(vec![text("a"), text("b")])));
        assert_eq!(of(" + | ( ) "), None);
        assert_eq!(of("a\\*"), Some(text("a*")));
        let plain = parse("a+b", Flags::of("NONE").unwrap(), false, |leaf| Ok(Some(leaf)));
        assert_eq!(plain.unwrap(), Some(text("a+b")));
        assert!(all(&format!("{}a{}", "(".repeat(5000), ")".repeat(5000))).is_err());
    }

    #[test]
    fn an_operator_waits_for_something_to_join() {
        let of =
            |text: &str| parse(text, Flags::ALL, false, |leaf| Ok((leaf != Leaf::Text("the".into())).then_some(leaf)));
        let both = Some(Tree::All(vec![text("a"), text("b")]));
        assert_eq!(of("a + the b").unwrap(), both);
        assert_eq!(of("a + (the) | b").unwrap(), both);
        assert_eq!(of("a the + b").unwrap(), both);
        assert_eq!(of("the + a b").unwrap(), Some(Tree::Any(vec![text("a"), text("b")])));
        // What has nothing to be analyzed takes the operator with it.
        assert_eq!(of("a + () b").unwrap(), Some(Tree::Any(vec![text("a"), text("b")])));
    }
}
