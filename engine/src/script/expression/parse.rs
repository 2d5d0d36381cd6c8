//! Tokens to formulas, by precedence.

use super::lexer::{Kind, Lexer, Token, place};
use super::members::{FUNCTIONS, Function};
use super::{Node, Wrong, variable};
use crate::error::{Error, ErrorKind};

/// What keeps a text from being a formula.
pub enum Fault {
    Wrong(Wrong),
    /// A number that is too large, which the reference does not tell as an error of scripts.
    Number(Error),
}

impl From<Wrong> for Fault {
    fn from(wrong: Wrong) -> Self {
        Self::Wrong(wrong)
    }
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

/// Operators with what they stand at: those of a higher level bind tighter.
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
pub fn parse(source: &str) -> Result<(Node, bool), Fault> {
    let mut lexer = Lexer::new(source);
    let token = lexer.next()?;
    let mut parser = Parser { source, lexer, token, depth: 0, uses_score: false, fault: None };
    let node = parser.choice()?;
    if parser.token.kind != Kind::End {
        return Err(parser.expected("<EOF>").into());
    }
    // What is called and what numbers are is looked at when the whole is known to be a formula, from left to right.
    match parser.fault {
        Some((_, fault)) => Err(fault),
        None => Ok((node, parser.uses_score)),
    }
}

struct Parser<'a> {
    source: &'a str,
    lexer: Lexer<'a>,
    /// The next one.
    token: Token<'a>,
    depth: usize,
    uses_score: bool,
    /// The leftmost of what is wrong with functions and numbers, and where it is.
    fault: Option<(usize, Fault)>,
}

impl<'a> Parser<'a> {
    fn advance(&mut self) -> Parsed<Token<'a>> {
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.token, next))
    }

    fn is(&self, sign: &str) -> bool {
        self.token.kind == Kind::Sign && self.token.text == sign
    }

    fn take(&mut self, sign: &str) -> Parsed<bool> {
        let found = self.is(sign);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn need(&mut self, sign: &str, called: &str) -> Parsed<()> {
        if self.take(sign)? { Ok(()) } else { Err(self.expected(called)) }
    }

    /// One thing alone could have stood here.
    fn expected(&self, what: &str) -> Wrong {
        let Token { kind, text, start } = self.token;
        let shown = if kind == Kind::End { "<EOF>" } else { text };
        let reason = format!("unexpected token '{shown}' {} was expecting one of {what}", place(self.source, start));
        Wrong { reason, at: start, cause: None }
    }

    /// Nothing that could have stood here begins so.
    fn impossible(&self) -> Wrong {
        let Token { kind, text, start } = self.token;
        let reason = match kind {
            Kind::End => "unexpected end of expression".to_owned(),
            _ => format!("invalid sequence of tokens near '{text}' {}", place(self.source, start)),
        };
        Wrong { reason, at: start, cause: Some(ErrorKind::NoViableAlt) }
    }

    fn begins_operand(&self) -> bool {
        match self.token.kind {
            Kind::Sign => matches!(self.token.text, "(" | "-" | "+" | "!" | "~"),
            kind => kind != Kind::End,
        }
    }

    fn note(&mut self, at: usize, fault: Fault) {
        if self.fault.as_ref().is_none_or(|(known, _)| at < *known) {
            self.fault = Some((at, fault));
        }
    }

    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEPTH_MAX {
            let reason = format!("the expression is nested deeper than [{DEPTH_MAX}]");
            return Err(Wrong { reason, at: self.token.start, cause: None });
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn choice(&mut self) -> Parsed<Node> {
        self.deeper(|parser| {
            let test = parser.binary(0)?;
            if !parser.take("?")? {
                return Ok(test);
            }
            let yes = parser.choice()?;
            parser.need(":", "COLON")?;
            let no = parser.choice()?;
            Ok(Node::Choose(Box::new(test), Box::new(yes), Box::new(no)))
        })
    }

    /// Operators of this level and above. Long rows of them are as deep as they are long.
    fn binary(&mut self, level: usize) -> Parsed<Node> {
        let mut left = self.unary()?;
        let mut row = 0;
        loop {
            let found = OPERATORS.iter().find(|(sign, ..)| self.is(sign));
            let Some((_, its, operator)) = found.filter(|(_, its, _)| *its >= level) else { return Ok(left) };
            row += 1;
            if row > DEPTH_MAX {
                let reason = format!("more than [{DEPTH_MAX}] operators in a row");
                return Err(Wrong { reason, at: self.token.start, cause: None });
            }
            self.advance()?;
            let right = self.deeper(|parser| parser.binary(its + 1))?;
            left = Node::Binary(*operator, Box::new(left), Box::new(right));
        }
    }

    fn unary(&mut self) -> Parsed<Node> {
        let make: fn(Box<Node>) -> Node = match (self.token.kind, self.token.text) {
            (Kind::Sign, "-") => Node::Negate,
            (Kind::Sign, "!") => Node::Not,
            (Kind::Sign, "~") => Node::Complement,
            (Kind::Sign, "+") => |node| *node,
            _ => return self.primary(),
        };
        self.advance()?;
        self.deeper(|parser| Ok(make(Box::new(parser.unary()?))))
    }

    fn primary(&mut self) -> Parsed<Node> {
        match self.token.kind {
            Kind::Sign if self.is("(") => {
                self.advance()?;
                let node = self.choice()?;
                self.need(")", "RP")?;
                Ok(node)
            }
            Kind::Decimal => Ok(Node::Number(self.advance()?.text.parse().unwrap_or(f64::NAN))),
            Kind::Hex => self.whole(2, 16),
            Kind::Octal => self.whole(1, 8),
            Kind::Variable => {
                let token = self.advance()?;
                if self.is("(") { self.call(token) } else { Ok(self.variable(token.text)) }
            }
            Kind::Sign | Kind::End => Err(self.impossible()),
        }
    }

    fn variable(&mut self, text: &str) -> Node {
        self.uses_score |= text == "_score";
        variable::node(text)
    }

    fn whole(&mut self, from: usize, radix: u32) -> Parsed<Node> {
        let Token { text, start, .. } = self.advance()?;
        let digits = &text[from..];
        let number = i64::from_str_radix(digits, radix).unwrap_or_else(|_| {
            let reason = format!("For input string: \"{digits}\" under radix {radix}");
            self.note(start, Fault::Number(Error::new(ErrorKind::NumberFormat, reason)));
            0
        });
        Ok(Node::Number(number as f64))
    }

    fn call(&mut self, called: Token<'a>) -> Parsed<Node> {
        self.advance()?;
        let mut arguments = vec![];
        if self.begins_operand() {
            arguments.push(self.choice()?);
            while self.take(",")? {
                arguments.push(self.choice()?);
            }
        }
        self.need(")", "RP")?;
        let (name, found) = (called.text, arguments.len());
        let what = match FUNCTIONS.iter().find(|function| function.name == name) {
            Some(Function { arity, run, .. }) if *arity == found => return Ok(Node::Call(*run, arguments)),
            Some(Function { arity, .. }) => {
                format!("Expected ({arity}) arguments for function call ({name}), but found ({found}).")
            }
            // A method of a variable.
            None if found == 0 && name.contains('.') => return Ok(self.variable(&format!("{name}()"))),
            None => format!("Unrecognized function call ({name})."),
        };
        let reason = format!("Invalid expression '{}': {what}", self.source);
        self.note(called.start, Fault::Wrong(Wrong { reason, at: called.start, cause: None }));
        Ok(Node::Number(0.0))
    }
}
