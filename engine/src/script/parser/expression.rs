//! Operators by precedence.

use super::super::ast::{Binary, Expr, ExprKind, Unary};
use super::super::lexer::Tok;
use super::{Parser, Result};

/// From those that bind weakest; operators of a level associate to the left.
const LEVELS: &[&[(&str, Binary)]] = &[
    &[("||", Binary::BoolOr)],
    &[("&&", Binary::BoolAnd)],
    &[("|", Binary::Or)],
    &[("^", Binary::Xor)],
    &[("&", Binary::And)],
    &[("==", Binary::Eq), ("===", Binary::EqRef), ("!=", Binary::Ne), ("!==", Binary::NeRef)],
    &[],
    &[("<", Binary::Lt), ("<=", Binary::Le), (">", Binary::Gt), (">=", Binary::Ge)],
    &[("<<", Binary::Shl), (">>", Binary::Shr), (">>>", Binary::Ushr)],
    &[("=~", Binary::Find), ("==~", Binary::Match)],
    &[("+", Binary::Add), ("-", Binary::Sub)],
    &[("*", Binary::Mul), ("/", Binary::Div), ("%", Binary::Rem)],
];

/// The level of `instanceof`.
const INSTANCE_OF: usize = 6;

const COMPOUND: &[(&str, Binary)] = &[
    ("+=", Binary::Add),
    ("-=", Binary::Sub),
    ("*=", Binary::Mul),
    ("/=", Binary::Div),
    ("%=", Binary::Rem),
    ("&=", Binary::And),
    ("^=", Binary::Xor),
    ("|=", Binary::Or),
    ("<<=", Binary::Shl),
    (">>=", Binary::Shr),
    (">>>=", Binary::Ushr),
];

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Result<Expr> {
        self.nested(|parser| {
            let at = parser.peek().start;
            let left = parser.elvis()?;
            let Tok::Punct(punct) = parser.peek().kind else { return Ok(left) };
            match punct {
                "?" => {
                    parser.next();
                    let then = parser.expression()?;
                    parser.expect(":")?;
                    let otherwise = parser.expression()?;
                    parser.node(at, ExprKind::Ternary(left.into(), then.into(), otherwise.into()))
                }
                "=" => {
                    parser.next();
                    let right = parser.expression()?;
                    parser.node(at, ExprKind::Assign(left.into(), None, right.into()))
                }
                _ => match COMPOUND.iter().find(|(text, _)| *text == punct) {
                    Some((_, op)) => {
                        parser.next();
                        let right = parser.expression()?;
                        parser.node(at, ExprKind::Assign(left.into(), Some(*op), right.into()))
                    }
                    None => Ok(left),
                },
            }
        })
    }

    /// `a ?: b`, which binds less than operators, and more than `? :` and assignments.
    fn elvis(&mut self) -> Result<Expr> {
        let at = self.peek().start;
        let left = self.level(0)?;
        if !matches!(self.peek().kind, Tok::Punct("?:")) {
            return Ok(left);
        }
        self.next();
        let right = self.nested(Self::elvis)?;
        self.node(at, ExprKind::Elvis(left.into(), right.into()))
    }

    /// Operators that bind at least as strongly as a level: one call, not one for each level, so that nested
    /// expressions take little of the stack.
    fn level(&mut self, least: usize) -> Result<Expr> {
        let at = self.peek().start;
        let mut left = self.unary()?;
        loop {
            if least <= INSTANCE_OF && self.eat_word("instanceof") {
                let class = self.type_name()?;
                left = self.node(at, ExprKind::InstanceOf(left.into(), class))?;
                continue;
            }
            let Tok::Punct(punct) = self.peek().kind else { return Ok(left) };
            let found = LEVELS.iter().enumerate().skip(least).find_map(|(level, operators)| {
                operators.iter().find(|(text, _)| *text == punct).map(|(_, op)| (level, *op))
            });
            let Some((level, op)) = found else { return Ok(left) };
            self.next();
            let right = self.level(level + 1)?;
            left = self.node(at, ExprKind::Binary(op, left.into(), right.into()))?;
        }
    }

    fn unary(&mut self) -> Result<Expr> {
        let token = self.peek();
        let at = token.start;
        let Tok::Punct(punct) = token.kind else { return self.postfix() };
        match punct {
            "++" | "--" => {
                self.next();
                let target = self.chain()?;
                self.node(at, ExprKind::Step(target.into(), if punct == "++" { 1 } else { -1 }, false))
            }
            "-" if matches!(self.ahead(1).kind, Tok::Integer | Tok::Decimal | Tok::Octal | Tok::Hex) => {
                self.next();
                // The sign belongs to the number unless the number goes on.
                let operand = self.nested(Self::unary)?;
                match operand.kind {
                    ExprKind::Number(text, radix) => self.node(operand.at, ExprKind::Number(format!("-{text}"), radix)),
                    ExprKind::Decimal(text) => self.node(operand.at, ExprKind::Decimal(format!("-{text}"))),
                    kind => self.node(at, ExprKind::Unary(Unary::Minus, Expr { kind, ..operand }.into())),
                }
            }
            "+" | "-" | "!" | "~" => {
                self.next();
                let operand = self.nested(Self::unary)?;
                let op = match punct {
                    "+" => Unary::Plus,
                    "-" => Unary::Minus,
                    "!" => Unary::Not,
                    _ => Unary::BitNot,
                };
                self.node(at, ExprKind::Unary(op, operand.into()))
            }
            "(" if self.cast_begins() => {
                self.next();
                let class = self.type_name()?;
                self.expect(")")?;
                let operand = self.nested(Self::unary)?;
                self.node(at, ExprKind::Cast(class, operand.into()))
            }
            _ => self.postfix(),
        }
    }

    /// `(type)` before what can be cast. A name in parentheses before a sign is an operand instead.
    fn cast_begins(&self) -> bool {
        let Some(length) = self.type_length(1) else { return false };
        if !self.is_at(1 + length, ")") {
            return false;
        }
        if self.is_primitive(1) || self.is_word(1, "def") {
            return true;
        }
        match self.ahead(2 + length).kind {
            Tok::Word => !self.is_word(2 + length, "instanceof") && !self.is_word(2 + length, "in"),
            Tok::Punct(punct) => matches!(punct, "(" | "!" | "~" | "[" if punct != "[" || self.is_array_cast(length)),
            Tok::Eof | Tok::Member => false,
            _ => true,
        }
    }

    /// Brackets behind `(x)` index it unless no index can stand in them; behind `(x[])` they begin a list.
    fn is_array_cast(&self, length: usize) -> bool {
        self.is_at(length, "]") || self.holds_list(2 + length)
    }

    /// Whether the brackets that begin at a token hold nothing, several items or a map.
    fn holds_list(&self, from: usize) -> bool {
        let (mut depth, mut questions) = (0, 0);
        for n in from.. {
            match self.ahead(n).kind {
                Tok::Eof => break,
                Tok::Punct("[" | "(" | "{") => depth += 1,
                Tok::Punct("]" | ")" | "}") if depth == 1 => return n == from + 1,
                Tok::Punct("]" | ")" | "}") => depth -= 1,
                Tok::Punct(",") if depth == 1 => return true,
                Tok::Punct("?") if depth == 1 => questions += 1,
                Tok::Punct(":") if depth == 1 && questions == 0 => return true,
                Tok::Punct(":") if depth == 1 => questions -= 1,
                _ => {}
            }
        }
        false
    }

    fn postfix(&mut self) -> Result<Expr> {
        let at = self.peek().start;
        let target = self.chain()?;
        let by = match self.peek().kind {
            Tok::Punct("++") => 1,
            Tok::Punct("--") => -1,
            _ => return Ok(target),
        };
        self.next();
        self.node(at, ExprKind::Step(target.into(), by, true))
    }
}
