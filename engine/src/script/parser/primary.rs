//! What operators stand between: literals, names, calls and what is hung on them.

use super::super::ast::{Block, Expr, ExprKind, Stmt, StmtKind, TypeName};
use super::super::lexer::{KEYWORDS, Tok};
use super::{Parser, Result};

impl Parser<'_> {
    pub(super) fn chain(&mut self) -> Result<Expr> {
        let mut left = self.primary()?;
        loop {
            let token = self.peek();
            match token.kind {
                Tok::Punct(dot @ ("." | "?.")) => {
                    let member = self.ahead(1);
                    if member.kind != Tok::Member {
                        self.next();
                        return Err(self.no_viable());
                    }
                    self.next();
                    self.next();
                    let (name, null_safe) = (self.text(member).to_owned(), dot == "?.");
                    let kind = match self.is("(") {
                        true => ExprKind::Call(left.into(), name, self.arguments()?, null_safe),
                        false => ExprKind::Member(left.into(), name, null_safe),
                    };
                    left = self.node(token.start, kind)?;
                }
                Tok::Punct("[") => {
                    self.next();
                    let index = self.looking_ahead(Self::expression)?;
                    self.close("]")?;
                    left = self.node(token.start, ExprKind::Index(left.into(), index.into()))?;
                }
                _ => return Ok(left),
            }
        }
    }

    fn primary(&mut self) -> Result<Expr> {
        let token = self.peek();
        let (at, text) = (token.start, self.text(token).to_owned());
        let kind = match token.kind {
            Tok::Integer => ExprKind::Number(text, 10),
            Tok::Octal => ExprKind::Number(text, 8),
            Tok::Hex => ExprKind::Number(text[2..].to_owned(), 16),
            Tok::Decimal => ExprKind::Decimal(text),
            Tok::Str => ExprKind::Str(unquoted(&text)),
            Tok::Regex => {
                let end = text.rfind('/').unwrap_or(0);
                ExprKind::Regex(text[1..end].to_owned(), text[end + 1..].to_owned())
            }
            Tok::Word => return self.word(&text),
            Tok::Punct("(") => {
                self.next();
                if let Some(length) = self.type_length(0)
                    && (self.is_type_keyword(0) || self.is_at(length - 1, "]"))
                {
                    // What can only be a type begins a cast, and this is none.
                    return Err(self.no_viable_at(length + usize::from(self.is_at(length, "["))));
                }
                let inner = self.looking_ahead(Self::expression)?;
                self.close(")")?;
                return Ok(inner);
            }
            Tok::Punct("[") => return self.looking_ahead(Self::list_or_map),
            _ => return Err(self.no_viable()),
        };
        self.next();
        self.node(at, kind)
    }

    /// Whether the next token can be the first of an expression.
    pub(super) fn expression_begins(&self) -> bool {
        let token = self.peek();
        match token.kind {
            Tok::Word => {
                let text = self.text(token);
                matches!(text, "true" | "false" | "null" | "new") || !KEYWORDS.contains(&text)
            }
            Tok::Punct(punct) => matches!(punct, "(" | "[" | "+" | "-" | "!" | "~" | "++" | "--"),
            Tok::Member | Tok::Eof => false,
            _ => true,
        }
    }

    fn word(&mut self, text: &str) -> Result<Expr> {
        let at = self.peek().start;
        let kind = match text {
            "true" => ExprKind::Bool(true),
            "false" => ExprKind::Bool(false),
            "null" => ExprKind::Null,
            "new" => return self.looking_ahead(Self::new_object),
            _ if KEYWORDS.contains(&text) => return Err(self.no_viable()),
            _ => {
                self.next();
                let kind = match self.is("(") {
                    true => ExprKind::LocalCall(text.to_owned(), self.arguments()?),
                    false => ExprKind::Name(text.to_owned()),
                };
                return self.node(at, kind);
            }
        };
        self.next();
        self.node(at, kind)
    }

    fn list_or_map(&mut self) -> Result<Expr> {
        let at = self.next().start;
        if self.eat("]") {
            return self.node(at, ExprKind::List(vec![]));
        }
        if self.eat(":") {
            self.close("]")?;
            return self.node(at, ExprKind::Map(vec![]));
        }
        let first = self.expression()?;
        if !self.is(":") {
            let mut items = vec![first];
            while self.eat(",") {
                items.push(self.expression()?);
            }
            self.close("]")?;
            return self.node(at, ExprKind::List(items));
        }
        let mut entries = vec![];
        let mut key = first;
        loop {
            self.close(":")?;
            let value = self.expression()?;
            entries.push((key, value));
            if !self.eat(",") {
                break;
            }
            key = self.expression()?;
        }
        self.close("]")?;
        self.node(at, ExprKind::Map(entries))
    }

    /// `new Type(…)`, `new type[…]…` or `new type[] {…}`.
    fn new_object(&mut self) -> Result<Expr> {
        let at = self.next().start;
        let mut class = self.type_name()?;
        if self.is("{") && class.dims == 1 {
            self.next();
            let mut items = vec![];
            while !self.is("}") {
                if !items.is_empty() {
                    self.close(",")?;
                }
                items.push(self.expression()?);
            }
            self.next();
            class.dims = 0;
            return self.node(at, ExprKind::ArrayInit(class, items));
        }
        if self.is("[") {
            let mut sizes = vec![];
            while self.is("[") {
                self.next();
                if !self.is("]") {
                    sizes.push(self.expression()?);
                }
                self.close("]")?;
                class.dims = class.dims.saturating_add(1);
            }
            return self.node(at, ExprKind::NewArray(class, sizes));
        }
        if !self.is("(") || class.dims > 0 {
            return Err(self.no_viable());
        }
        let arguments = self.arguments()?;
        self.node(at, ExprKind::New(class, arguments))
    }

    fn arguments(&mut self) -> Result<Vec<Expr>> {
        self.expect("(")?;
        let mut arguments = vec![];
        while !self.is(")") {
            if !arguments.is_empty() && !self.eat(",") {
                return Err(self.no_viable());
            }
            arguments.push(self.looking_ahead(Self::argument)?);
        }
        self.next();
        Ok(arguments)
    }

    fn argument(&mut self) -> Result<Expr> {
        let at = self.peek().start;
        if self.is_word(0, "this") {
            self.next();
            if !self.eat("::") {
                return Err(self.no_viable());
            }
            let (_, name) = self.name()?;
            return self.node(at, ExprKind::FunctionRef(None, name));
        }
        if let Some(length) = self.type_length(0)
            && self.is_at(length, "::")
        {
            let class = self.type_name()?;
            self.next();
            let token = self.next();
            let name = self.text(token).to_owned();
            return self.node(at, ExprKind::FunctionRef(Some(class), name));
        }
        if self.lambda_begins() {
            return self.nested(Self::lambda);
        }
        if let Some(n) = self.lambda_breaks() {
            return Err(self.no_viable_at(n));
        }
        self.expression()
    }

    /// Where what begins as a lambda goes on as none: with a type before a name or a comma between names it can be nothing else.
    fn lambda_breaks(&self) -> Option<usize> {
        let bracketed = self.is("(");
        let (mut n, mut certain) = (usize::from(bracketed), false);
        if bracketed && self.is_at(1, ")") {
            return Some(2);
        }
        loop {
            let length = self.type_length(n).filter(|length| self.is_name(n + length));
            if !self.is_name(n) && length.is_none() {
                let length = self.type_length(n).unwrap_or(0);
                let end = n + length + usize::from(length > 0 && self.is_at(n + length, "["));
                return (certain || !bracketed && self.is_type_keyword(0)).then_some(end);
            }
            certain |= length.is_some();
            n += length.map_or(1, |length| length + 1);
            if !bracketed || !self.is_at(n, ",") {
                let end = n + usize::from(bracketed && self.is_at(n, ")"));
                return certain.then_some(end);
            }
            (n, certain) = (n + 1, true);
        }
    }

    fn lambda_begins(&self) -> bool {
        if self.is_name(0) && self.is_at(1, "->") {
            return true;
        }
        if let Some(length) = self.type_length(0)
            && self.is_name(length)
            && self.is_at(length + 1, "->")
        {
            return true;
        }
        if !self.is("(") {
            return false;
        }
        // Parameters are names, types and commas: anything else is no lambda.
        let mut n = 1;
        while !self.is_at(n, ")") {
            match self.ahead(n).kind {
                // An object in parentheses, whatever comes after it.
                Tok::Word if self.text(self.ahead(n)) == "new" => return false,
                Tok::Word | Tok::Member | Tok::Punct("," | "." | "[" | "]") => n += 1,
                _ => return false,
            }
        }
        self.is_at(n + 1, "->")
    }

    fn lambda(&mut self) -> Result<Expr> {
        let at = self.peek().start;
        let mut params: Vec<(Option<TypeName>, String)> = vec![];
        if self.eat("(") {
            while !self.is(")") {
                if !params.is_empty() {
                    self.expect(",")?;
                }
                params.push(self.lambda_param()?);
            }
            self.next();
        } else {
            params.push(self.lambda_param()?);
        }
        self.expect("->")?;
        let body = match self.is("{") {
            true => self.block()?,
            false => {
                let value = self.expression()?;
                // The statement begins where the lambda does.
                Block { at: value.at, statements: vec![Stmt { at, kind: StmtKind::Return(Some(value)) }] }
            }
        };
        self.node(at, ExprKind::Lambda(params, body))
    }

    fn lambda_param(&mut self) -> Result<(Option<TypeName>, String)> {
        let typed = self.type_length(0).is_some_and(|length| self.is_name(length));
        let class = if typed { Some(self.type_name()?) } else { None };
        Ok((class, self.name()?.1))
    }
}

/// The text between quotes, escapes resolved.
fn unquoted(text: &str) -> String {
    let inner = &text[1..text.len() - 1];
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        out.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    out
}
