//! Reads an expression, as `java.util.regex.Pattern` reads it: what is wrong is told in its words, with the place that it has come to.

use super::flags::Flags;
use super::node::{At, Case, Kind, Look, Node, Repeat};
use super::sets;
use crate::{Error, ErrorKind, Result};
use regex_syntax::hir::ClassUnicode;

/// Deepest nesting of groups, and of classes.
const DEPTH_MAX: usize = 200;

/// Expressions of more characters are refused.
const CHARS_MAX: usize = 1 << 16;

/// Ranges of all sets of an expression, and characters whose other cases are looked for.
const WORK_MAX: usize = 1_500_000;

/// What it costs to look for the other cases of one character.
const FOLD: usize = 16;

/// Behind the end.
pub(super) const END: char = '\0';

/// An expression that was read.
pub struct Parsed {
    pub node: Node,
    /// Groups, the whole match among them.
    pub groups: usize,
    /// Names of groups with their numbers.
    pub names: Vec<(String, usize)>,
}

pub fn parse(pattern: &str, flags: Flags) -> Result<Parsed> {
    if pattern.len() > CHARS_MAX {
        let reason = format!("a regular expression may have at most [{CHARS_MAX}] bytes");
        return Err(Error::illegal_argument(reason));
    }
    let mut chars: Vec<char> = pattern.chars().collect();
    if !flags.literal {
        chars = without_quotations(chars);
    }
    let mut parser = Parser { pattern, chars, at: 0, flags, groups: 1, names: vec![], depth: 0, work: 0 };
    let node = match flags.literal {
        true => {
            let chars = std::mem::take(&mut parser.chars);
            Node::Seq(chars.into_iter().map(|c| parser.single(c)).collect::<Result<_>>()?)
        }
        false => parser.whole()?,
    };
    Ok(Parsed { node, groups: parser.groups, names: parser.names })
}

/// Writes `\Q…\E` as escapes: places in messages are counted from then on. A digit that a quotation begins with is written by its
/// number, so that it does not belong to an escape before it.
fn without_quotations(chars: Vec<char>) -> Vec<char> {
    let mut out = Vec::with_capacity(chars.len());
    let (mut at, mut quoted, mut first) = (0, false, false);
    while let Some(&c) = chars.get(at) {
        at += 1;
        let next = chars.get(at).copied();
        match (quoted, c, next) {
            (false, '\\', Some('Q')) => {
                at += 1;
                (quoted, first) = (true, true);
                continue;
            }
            (false, '\\', Some(next)) => {
                at += 1;
                out.extend([c, next]);
            }
            (true, '\\', Some('E')) => {
                at += 1;
                quoted = false;
            }
            (true, '0'..='9', _) if first => out.extend(['\\', 'x', '3', c]),
            (true, c, _) if c.is_ascii() && !c.is_ascii_alphanumeric() => out.extend(['\\', c]),
            _ => out.push(c),
        }
        first = false;
    }
    out
}

pub(super) struct Parser<'p> {
    pattern: &'p str,
    pub chars: Vec<char>,
    pub at: usize,
    pub flags: Flags,
    groups: usize,
    names: Vec<(String, usize)>,
    depth: usize,
    work: usize,
}

/// What an escape stands for.
pub(super) enum Escaped {
    Char(char),
    /// Half of a pair of UTF-16, which no text has.
    Surrogate,
    Set(ClassUnicode),
    Node(Node),
}

impl Parser<'_> {
    /// The error at the character that was read last.
    #[cold]
    pub fn error(&self, what: &str) -> Error {
        let Some(index) = self.at.checked_sub(1) else {
            return Error::new(ErrorKind::PatternSyntax, format!("{what}\n{}", self.pattern));
        };
        let mut text = format!("{what} near index {index}\n{}", self.pattern);
        if index < self.pattern.encode_utf16().count() {
            text.push('\n');
            let before = self.pattern.encode_utf16().take(index);
            text.extend(before.map(|unit| if unit == u16::from(b'\t') { '\t' } else { ' ' }));
            text.push('^');
        }
        Error::new(ErrorKind::PatternSyntax, text)
    }

    /// What Java has, and this has not.
    #[cold]
    pub fn unsupported(&self, what: &str) -> Error {
        Error::illegal_argument(format!("regular expression [{}]: {what} is not supported", self.pattern))
    }

    /// Counts what sets cost: expressions of few characters can stand for very many ranges.
    pub fn charge(&mut self, work: usize) -> Result<()> {
        self.work = self.work.saturating_add(work);
        match self.work > WORK_MAX {
            true => Err(Error::illegal_argument("a regular expression stands for too many ranges of characters")),
            false => Ok(()),
        }
    }

    pub fn charged(&mut self, set: ClassUnicode) -> Result<ClassUnicode> {
        self.charge(set.ranges().len())?;
        Ok(set)
    }

    pub fn char_at(&self, at: usize) -> char {
        self.chars.get(at).copied().unwrap_or(END)
    }

    pub fn is_end(&self) -> bool {
        self.at >= self.chars.len()
    }

    /// With comments, passes what is none of the expression.
    fn pass_comments(&mut self) {
        if !self.flags.comments {
            return;
        }
        loop {
            match self.char_at(self.at) {
                c if c.is_ascii_whitespace() || c == '\u{b}' => self.at += 1,
                '#' => {
                    let is_break = |c: char| match self.flags.unix_lines {
                        true => c == '\n',
                        false => matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}'),
                    };
                    while !self.is_end() && !is_break(self.char_at(self.at)) {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// The current character.
    pub fn peek(&mut self) -> char {
        self.pass_comments();
        self.char_at(self.at)
    }

    /// The current character, which is passed.
    pub fn read(&mut self) -> char {
        self.pass_comments();
        let c = self.char_at(self.at);
        self.at += 1;
        c
    }

    /// The character behind the current one, which becomes the current one.
    pub fn next(&mut self) -> char {
        self.at += 1;
        self.peek()
    }

    /// The character behind the current one; both are passed.
    pub fn skip(&mut self) -> char {
        self.at += 2;
        self.char_at(self.at - 1)
    }

    fn whole(&mut self) -> Result<Node> {
        let node = self.alternatives()?;
        if !self.is_end() {
            let is_bracket = self.peek() == ')';
            return Err(self.error(if is_bracket { "Unmatched closing ')'" } else { "Unexpected internal error" }));
        }
        Ok(node)
    }

    fn alternatives(&mut self) -> Result<Node> {
        let mut all = vec![self.sequence()?];
        while self.peek() == '|' {
            self.next();
            all.push(self.sequence()?);
        }
        Ok(if all.len() > 1 { Node::Any(all) } else { all.swap_remove(0) })
    }

    fn sequence(&mut self) -> Result<Node> {
        let mut nodes = vec![];
        loop {
            let node = match self.peek() {
                '(' => match self.group()? {
                    Some(node) => node,
                    None => continue,
                },
                '[' => Node::Set(self.class(true)?),
                '\\' if matches!(self.char_at(self.at + 1), 'p' | 'P') => Node::Set(self.property()?),
                '^' => {
                    self.next();
                    let unix = self.flags.unix_lines;
                    Node::At(if self.flags.multi_line { At::LineBegin { unix } } else { At::Begin })
                }
                '$' => {
                    self.next();
                    let unix = self.flags.unix_lines;
                    Node::At(if self.flags.multi_line { At::LineEnd { unix } } else { At::EndOrBreak { unix } })
                }
                '.' => {
                    self.next();
                    Node::Set(self.charged(sets::any(&self.flags))?)
                }
                '|' | ')' => break,
                c @ ('?' | '*' | '+') => {
                    self.next();
                    return Err(self.error(&format!("Dangling meta character '{c}'")));
                }
                END if self.is_end() => break,
                _ => self.atom(&mut nodes)?,
            };
            let node = self.closure(node)?;
            nodes.push(node);
        }
        Ok(match nodes.len() {
            0 => Node::Empty,
            1 => nodes.swap_remove(0),
            _ => Node::Seq(nodes),
        })
    }

    /// Characters that stand for themselves, of which the last is given (a quantifier belongs to it alone), or an escape.
    fn atom(&mut self, before: &mut Vec<Node>) -> Result<Node> {
        let mut last: Option<(Node, usize)> = None;
        loop {
            let from = self.at;
            let c = self.peek();
            let node = match c {
                '*' | '+' | '?' | '{' => break,
                '$' | '.' | '^' | '(' | '[' | '|' | ')' => break,
                END if self.is_end() => break,
                '\\' if matches!(self.char_at(self.at + 1), 'p' | 'P') => {
                    // Only behind characters: alone it was read before.
                    break;
                }
                '\\' => match self.escape(false, false)? {
                    Escaped::Char(c) => self.single(c)?,
                    Escaped::Surrogate => Node::Set(ClassUnicode::empty()),
                    Escaped::Set(set) if last.is_none() => return Ok(Node::Set(set)),
                    Escaped::Node(node) if last.is_none() => return Ok(node),
                    _ => {
                        // It is read again as an atom of its own.
                        self.at = from;
                        break;
                    }
                },
                c => {
                    self.next();
                    self.single(c)?
                }
            };
            before.extend(last.replace((node, from)).map(|(node, _)| node));
        }
        Ok(last.map_or(Node::Empty, |(node, _)| node))
    }

    /// A character that stands for itself, or for all that are the same by the flags.
    fn single(&mut self, c: char) -> Result<Node> {
        let case = self.flags.case();
        if case == Case::Sensitive {
            return Ok(Node::Char(c));
        }
        let set = self.range_of(c, c, case)?;
        let is_alone = matches!(set.ranges(), [only] if only.start() == only.end());
        Ok(if is_alone { Node::Char(c) } else { Node::Set(set) })
    }

    /// A range, and what is the same as something in it.
    pub fn range_of(&mut self, first: char, last: char, case: Case) -> Result<ClassUnicode> {
        if case == Case::Unicode {
            self.charge(FOLD + (last as usize).saturating_sub(first as usize))?;
        }
        self.charged(sets::range(first, last, case))
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= DEPTH_MAX {
            return Err(self.unsupported("so deep a nesting"));
        }
        self.depth += 1;
        let found = read(self);
        self.depth -= 1;
        found
    }

    pub fn nested_class(&mut self, consume: bool) -> Result<ClassUnicode> {
        self.deeper(|parser| parser.class(consume))
    }

    /// A group; none where it only sets flags.
    fn group(&mut self) -> Result<Option<Node>> {
        let flags = self.flags;
        if self.next() != '?' {
            let number = self.new_group();
            let node = self.inside(flags)?;
            return Ok(Some(Node::Group(number, Box::new(node))));
        }
        let node = match self.skip() {
            ':' => self.inside(flags)?,
            c @ ('=' | '!') => {
                let node = self.inside(flags)?;
                Node::Look(Box::new(Look { node, ahead: true, negative: c == '!', width: (0, None) }))
            }
            '>' => Node::Atomic(Box::new(self.inside(flags)?)),
            '<' => match self.read() {
                c @ ('=' | '!') => self.look_behind(c == '!', flags)?,
                c => {
                    let name = self.group_name(c)?;
                    if self.group_of(&name).is_some() {
                        return Err(self.error(&format!("Named capturing group <{name}> is already defined")));
                    }
                    let number = self.new_group();
                    self.names.push((name, number));
                    Node::Group(number, Box::new(self.inside(flags)?))
                }
            },
            '$' | '@' => return Err(self.error("Unknown group type")),
            _ => {
                self.at -= 1;
                self.switch_flags();
                match self.read() {
                    ')' => return Ok(None),
                    ':' => self.inside(flags)?,
                    _ => return Err(self.error("Unknown inline modifier")),
                }
            }
        };
        // A group is one atom, whatever stands in it.
        Ok(Some(match node {
            Node::Char(_) | Node::Set(_) | Node::Empty => Node::Seq(vec![node]),
            node => node,
        }))
    }

    fn new_group(&mut self) -> usize {
        self.groups += 1;
        self.groups - 1
    }

    /// What stands in a group, up to its end, where the flags are those before it.
    fn inside(&mut self, flags: Flags) -> Result<Node> {
        let node = self.deeper(Self::alternatives)?;
        if self.read() != ')' {
            return Err(self.error("Unclosed group"));
        }
        self.flags = flags;
        Ok(node)
    }

    fn look_behind(&mut self, negative: bool, flags: Flags) -> Result<Node> {
        let node = self.deeper(Self::alternatives)?;
        let study = node.study();
        if !study.is_bounded {
            return Err(self.error("Look-behind group does not have an obvious maximum length"));
        }
        if self.read() != ')' {
            return Err(self.error("Unclosed group"));
        }
        self.flags = flags;
        let width = (u32::try_from(study.min).unwrap_or(u32::MAX), study.max());
        Ok(Node::Look(Box::new(Look { node, ahead: false, negative, width })))
    }

    /// The name of a group, whose first character was read, up to its `>`.
    pub fn group_name(&mut self, first: char) -> Result<String> {
        if !first.is_ascii_alphabetic() {
            return Err(self.error("capturing group name does not start with a Latin letter"));
        }
        let (mut name, mut c) = (String::new(), first);
        while c.is_ascii_alphanumeric() {
            name.push(c);
            c = self.read();
        }
        match c {
            '>' => Ok(name),
            _ => Err(self.error("named capturing group is missing trailing '>'")),
        }
    }

    /// The number of a group that was named before.
    pub fn group_of(&self, name: &str) -> Option<usize> {
        self.names.iter().find(|(known, _)| known == name).map(|(_, number)| *number)
    }

    /// The number of a group, of which the first digit was read: as many digits as make a number that there is so far.
    pub fn group_number(&mut self, first: usize) -> usize {
        let mut number = first;
        while let Some(digit) = self.peek().to_digit(10) {
            let longer = number * 10 + digit as usize;
            if longer > self.groups - 1 {
                break;
            }
            number = longer;
            self.at += 1;
        }
        number
    }

    fn switch_flags(&mut self) {
        let mut on = true;
        loop {
            match self.peek() {
                '-' if on => on = false,
                c if Flags::is_letter(c) => self.flags.switch(c, on),
                _ => return,
            }
            self.next();
        }
    }

    /// A quantifier, if there is one.
    fn closure(&mut self, node: Node) -> Result<Node> {
        let (min, max) = match self.peek() {
            '?' => (0, Some(1)),
            '*' => (0, None),
            '+' => (1, None),
            '{' => self.numbers()?,
            _ => return Ok(node),
        };
        let kind = match self.next() {
            '?' => Kind::Lazy,
            '+' => Kind::Possessive,
            _ => Kind::Greedy,
        };
        if kind != Kind::Greedy {
            self.next();
        }
        Ok(Node::Repeat(Box::new(Repeat { node, min, max, kind })))
    }

    /// The numbers of `{2,5}`, up to its last brace.
    fn numbers(&mut self) -> Result<(u32, Option<u32>)> {
        let mut c = self.skip();
        if !c.is_ascii_digit() {
            return Err(self.error("Illegal repetition"));
        }
        let min = self.number(&mut c)?;
        let mut max = Some(min);
        if c == ',' {
            c = self.read();
            max = match c {
                '}' => None,
                c if !c.is_ascii_digit() => return Err(self.error("Illegal repetition")),
                _ => Some(self.number(&mut c)?),
            };
        }
        if c != '}' {
            return Err(self.error("Unclosed counted closure"));
        }
        if max.is_some_and(|max| max < min) {
            return Err(self.error("Illegal repetition range"));
        }
        self.at -= 1;
        Ok((min, max))
    }

    /// A number that begins with `c`, which is what stands behind it then.
    fn number(&mut self, c: &mut char) -> Result<u32> {
        let mut number = 0u32;
        while let Some(digit) = c.to_digit(10) {
            let longer = number.checked_mul(10).and_then(|number| number.checked_add(digit));
            match longer.filter(|number| *number <= i32::MAX as u32) {
                Some(longer) => number = longer,
                None => return Err(self.error("Illegal repetition range")),
            }
            *c = self.read();
        }
        Ok(number)
    }
}
