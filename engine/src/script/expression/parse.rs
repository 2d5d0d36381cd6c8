//! Text to formulas, by precedence.

use super::members::{self, Function};
use super::{FieldRef, Node};

/// What is wrong with a formula, and where.
pub struct Wrong {
    pub reason: String,
    pub at: usize,
}

type Parsed<T> = Result<T, Wrong>;

/// Formulas nest no deeper.
const DEPTH_MAX: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operator {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    ShiftLeft,
    ShiftRight,
    ShiftRightUnsigned,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// Operators with what they stand at: those of a higher level bind tighter. Longer ones before those that they begin with.
const OPERATORS: &[(&str, usize, Operator)] = &[
    ("||", 0, Operator::Or),
    ("&&", 1, Operator::And),
    ("|", 2, Operator::BitOr),
    ("^", 3, Operator::BitXor),
    ("&", 4, Operator::BitAnd),
    ("==", 5, Operator::Equal),
    ("!=", 5, Operator::NotEqual),
    ("<<", 7, Operator::ShiftLeft),
    (">>>", 7, Operator::ShiftRightUnsigned),
    (">>", 7, Operator::ShiftRight),
    ("<=", 6, Operator::LessOrEqual),
    (">=", 6, Operator::GreaterOrEqual),
    ("<", 6, Operator::Less),
    (">", 6, Operator::Greater),
    ("+", 8, Operator::Add),
    ("-", 8, Operator::Subtract),
    ("*", 9, Operator::Multiply),
    ("/", 9, Operator::Divide),
    ("%", 9, Operator::Remainder),
];

/// A formula, and whether it names the score.
pub fn parse(source: &str) -> Parsed<(Node, bool)> {
    let mut parser = Parser { source, at: 0, depth: 0, uses_score: false };
    let node = parser.choice()?;
    parser.blanks();
    if parser.at < source.len() {
        return Err(parser.unexpected());
    }
    Ok((node, parser.uses_score))
}

struct Parser<'a> {
    source: &'a str,
    at: usize,
    depth: usize,
    uses_score: bool,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    fn blanks(&mut self) {
        self.at = self.source.len() - self.rest().trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    fn unexpected(&self) -> Wrong {
        let reason = match self.rest().chars().next() {
            None => "unexpected end of expression".to_owned(),
            Some(c) => format!("unexpected token ['{c}'] on line (1) position ({})", self.at),
        };
        Wrong { reason, at: self.at }
    }

    fn take(&mut self, text: &str) -> bool {
        self.blanks();
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn need(&mut self, text: &str) -> Parsed<()> {
        if self.take(text) { Ok(()) } else { Err(self.unexpected()) }
    }

    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEPTH_MAX {
            return Err(Wrong { reason: format!("the expression is nested deeper than [{DEPTH_MAX}]"), at: self.at });
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn choice(&mut self) -> Parsed<Node> {
        self.deeper(|parser| {
            let test = parser.binary(0)?;
            if !parser.take("?") {
                return Ok(test);
            }
            let yes = parser.choice()?;
            parser.need(":")?;
            let no = parser.choice()?;
            Ok(Node::Choose(Box::new(test), Box::new(yes), Box::new(no)))
        })
    }

    /// Operators of this level and above. Long rows of them are as deep as they are long.
    fn binary(&mut self, level: usize) -> Parsed<Node> {
        let mut left = self.unary()?;
        let mut row = 0;
        loop {
            self.blanks();
            let found = OPERATORS.iter().find(|(text, ..)| self.rest().starts_with(text));
            let Some((text, its, operator)) = found.filter(|(_, its, _)| *its >= level) else { return Ok(left) };
            row += 1;
            if row > DEPTH_MAX {
                return Err(Wrong { reason: format!("more than [{DEPTH_MAX}] operators in a row"), at: self.at });
            }
            self.at += text.len();
            let right = self.deeper(|parser| parser.binary(its + 1))?;
            left = Node::Binary(*operator, Box::new(left), Box::new(right));
        }
    }

    fn unary(&mut self) -> Parsed<Node> {
        self.blanks();
        let make: fn(Box<Node>) -> Node = match self.rest().bytes().next() {
            Some(b'-') => Node::Negate,
            Some(b'!') => Node::Not,
            Some(b'~') => Node::Complement,
            Some(b'+') => |node| *node,
            _ => return self.primary(),
        };
        self.at += 1;
        self.deeper(|parser| Ok(make(Box::new(parser.unary()?))))
    }

    fn primary(&mut self) -> Parsed<Node> {
        let start = self.at;
        if self.take("(") {
            let node = self.choice()?;
            self.need(")")?;
            return Ok(node);
        }
        match self.rest().bytes().next() {
            Some(b'0'..=b'9' | b'.') => self.number(),
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$') => {
                let name = self.word();
                match name {
                    "doc" => self.field(start),
                    _ if self.take("(") => self.call(name, start),
                    _ => {
                        self.uses_score |= name == "_score";
                        Ok(Node::Name(name.to_owned(), start))
                    }
                }
            }
            _ => Err(self.unexpected()),
        }
    }

    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$')).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn number(&mut self) -> Parsed<Node> {
        let rest = self.rest();
        let wrong = Wrong { reason: "malformed number".into(), at: self.at };
        if let Some(hex) = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")) {
            let end = hex.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(hex.len());
            self.at += 2 + end;
            let number = u64::from_str_radix(&hex[..end], 16).map_err(|_| wrong)?;
            return Ok(Node::Number(number as f64));
        }
        let bytes = rest.as_bytes();
        let digits = |mut at: usize| {
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            at
        };
        let mut end = digits(0);
        if bytes.get(end) == Some(&b'.') {
            end = digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let after = digits(end + 1 + sign);
            if after > end + 1 + sign {
                end = after;
            }
        }
        self.at += end;
        rest[..end].parse().map(Node::Number).map_err(|_| wrong)
    }

    fn call(&mut self, name: &str, start: usize) -> Parsed<Node> {
        let mut arguments = vec![];
        if !self.take(")") {
            loop {
                arguments.push(self.choice()?);
                if self.take(")") {
                    break;
                }
                self.need(",")?;
            }
        }
        let text = &self.source[start..self.at];
        let wrong = |what: String| Wrong { reason: format!("Invalid expression '{}': {what}", self.source), at: start };
        debug_assert!(text.starts_with(name));
        let Some(Function { arity, run, .. }) = members::FUNCTIONS.iter().find(|f| f.name == name) else {
            return Err(wrong(format!("Unrecognized function call ({name}).")));
        };
        if *arity != arguments.len() {
            let found = arguments.len();
            return Err(wrong(format!(
                "Expected ({arity}) arguments for function call ({name}), but found ({found})."
            )));
        }
        Ok(Node::Call(*run, arguments))
    }

    /// What follows `doc`.
    fn field(&mut self, start: usize) -> Parsed<Node> {
        let specific = "Variable 'doc' must be used with a specific field like: doc['myfield']";
        if !self.rest().starts_with('[') {
            return Err(Wrong { reason: specific.into(), at: self.at });
        }
        self.at += 1;
        let Some(quote) = self.rest().chars().next().filter(|c| matches!(c, '\'' | '"')) else {
            return Err(Wrong { reason: specific.into(), at: self.at });
        };
        self.at += 1;
        let name_at = self.at - start;
        let Some(end) = self.rest().find(quote) else { return Err(self.unexpected()) };
        let field = self.rest()[..end].to_owned();
        self.at += end + 1;
        self.need("]")?;
        let mut names: Vec<&str> = vec![];
        let mut called = false;
        while !called && self.rest().starts_with('.') {
            self.at += 1;
            names.push(self.word());
            if self.rest().starts_with("()") {
                self.at += 2;
                called = true;
            }
        }
        let member = members::find(&names, called);
        let text = self.source[start..self.at].to_owned();
        Ok(Node::Field(FieldRef { field, text, name_at, member }))
    }
}
