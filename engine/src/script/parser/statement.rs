//! Statements, blocks and functions.

use super::super::ast::{Block, Catch, Declared, Function, Stmt, StmtKind, TypeName};
use super::super::lexer::{KEYWORDS, Tok};
use super::{Parser, Result};

/// Keywords that a statement may begin with, besides those of types.
const STARTERS: &[&str] =
    &["break", "continue", "do", "false", "for", "if", "new", "null", "return", "throw", "true", "try", "while"];

impl Parser<'_> {
    pub(super) fn type_name(&mut self) -> Result<TypeName> {
        let Some(length) = self.type_length(0) else { return Err(self.no_viable()) };
        let at = self.peek().start;
        let (mut name, mut dims) = (String::new(), 0u8);
        for _ in 0..length {
            let token = self.next();
            match token.kind {
                Tok::Punct("[") => dims = dims.saturating_add(1),
                Tok::Punct("]") => {}
                _ => name.push_str(self.text(token)),
            }
        }
        Ok(TypeName { at, name, dims })
    }

    /// `type name (`.
    pub(super) fn function_begins(&self) -> bool {
        let length = self.type_length(0);
        length.is_some_and(|n| self.is_name(n) && self.is_at(n + 1, "("))
    }

    pub(super) fn function(&mut self) -> Result<Function> {
        let returns = self.type_name()?;
        let at = returns.at;
        let (_, name) = self.name()?;
        self.expect("(")?;
        let mut params = vec![];
        while params.is_empty() && self.type_length(0).is_some() || !params.is_empty() && self.eat(",") {
            let class = self.type_name()?;
            params.push((class, self.name()?.1));
        }
        self.expect(")")?;
        let body = self.block()?;
        Ok(Function { at, returns, name, params, body })
    }

    pub(super) fn script_body(&mut self) -> Result<Block> {
        let mut statements = vec![];
        self.check_beginning(false)?;
        while self.peek().kind != Tok::Eof {
            // Behind a statement the script may as well end, which is what the reference then expects.
            if !statements.is_empty() && !self.statement_begins() {
                return Err(self.mismatch("<EOF>"));
            }
            statements.push(self.statement(false)?);
        }
        Ok(Block { at: 0, statements })
    }

    /// Where a script begins the reference tells a function from a statement, and where a loop does whether it goes over something: it
    /// gives up at the first token that goes on with neither.
    fn check_beginning(&self, of_loop: bool) -> Result<()> {
        let Some(length) = self.type_length(0) else { return Ok(()) };
        let next = |n: usize| self.ahead(n).kind;
        if self.is_name(length) && !self.is_word(length, "in") {
            return match next(length + 1) {
                Tok::Punct("=" | "," | ";") => Ok(()),
                Tok::Eof if !of_loop => Ok(()),
                _ => Err(self.no_viable_at(length + 1)),
            };
        }
        let goes_on = match next(length) {
            Tok::Punct(punct) => !matches!(punct, ")" | "]" | "{" | "}" | "," | ":" | "!" | "~" | "->"),
            Tok::Word => self.is_word(length, "instanceof") || of_loop && self.is_word(length, "in"),
            Tok::Eof => !of_loop,
            Tok::Regex | Tok::Member => true,
            _ => false,
        };
        // A keyword of a type goes on with a name alone.
        match self.is_type_keyword(0) {
            true => Err(self.no_viable_at(length + usize::from(self.is_at(length, "[")))),
            false if goes_on => Ok(()),
            false => Err(self.no_viable_at(length)),
        }
    }

    /// Whether the next token may be the first of a statement.
    fn statement_begins(&self) -> bool {
        let token = self.peek();
        match token.kind {
            Tok::Punct(punct) => matches!(punct, "(" | "[" | "+" | "-" | "!" | "~" | "++" | "--"),
            Tok::Word => {
                let word = self.text(token);
                !KEYWORDS.contains(&word) || STARTERS.contains(&word) || self.type_length(0).is_some()
            }
            _ => true,
        }
    }

    /// `{ … }`; the last statement needs no semicolon.
    pub(super) fn block(&mut self) -> Result<Block> {
        let at = self.expect("{")?.start;
        self.nested(|parser| {
            let mut statements = vec![];
            while !parser.is("}") {
                statements.push(parser.statement(true)?);
            }
            parser.next();
            Ok(Block { at, statements })
        })
    }

    /// A block, or one statement in the place of one.
    fn trailer(&mut self) -> Result<Block> {
        if self.is("{") {
            return self.block();
        }
        let at = self.peek().start;
        let statement = self.nested(|parser| parser.statement(false))?;
        Ok(Block { at, statements: vec![statement] })
    }

    fn statement(&mut self, in_block: bool) -> Result<Stmt> {
        let token = self.peek();
        let at = token.start;
        if token.kind == Tok::Word {
            let word = self.text(token);
            let kind = match word {
                "if" => self.if_statement()?,
                "while" => self.while_statement()?,
                "for" => self.for_statement()?,
                "try" => self.try_statement()?,
                _ => return self.delimited(in_block),
            };
            return Ok(Stmt { at, kind });
        }
        self.delimited(in_block)
    }

    /// A statement that a semicolon, the end of the script or of the block ends.
    fn delimited(&mut self, in_block: bool) -> Result<Stmt> {
        // In a block a semicolon tells whether it is the last one, who needs none.
        if in_block && !self.looks_ahead {
            return self.looking_ahead(|parser| parser.delimited(true));
        }
        let at = self.peek().start;
        let kind = self.delimited_kind()?;
        let ends = self.eat(";") || self.peek().kind == Tok::Eof || (in_block && self.is("}"));
        if ends {
            Ok(Stmt { at, kind })
        } else {
            Err(self.mismatch(if in_block { "{';', '}'}" } else { "{<EOF>, ';'}" }))
        }
    }

    fn delimited_kind(&mut self) -> Result<StmtKind> {
        if self.eat_word("do") {
            let body = self.block()?;
            if !self.eat_word("while") {
                return Err(self.mismatch("'while'"));
            }
            self.expect("(")?;
            let condition = self.expression()?;
            self.expect(")")?;
            return Ok(StmtKind::Do(body, condition));
        }
        if self.eat_word("continue") {
            return Ok(StmtKind::Continue);
        }
        if self.eat_word("break") {
            return Ok(StmtKind::Break);
        }
        if self.eat_word("return") {
            // What can begin no value ends the statement, and is refused as what stands behind it.
            return Ok(StmtKind::Return(if self.expression_begins() { Some(self.expression()?) } else { None }));
        }
        if self.eat_word("throw") {
            return Ok(StmtKind::Throw(self.expression()?));
        }
        if self.declaration_begins() {
            return self.declaration();
        }
        Ok(StmtKind::Expr(self.expression()?))
    }

    fn declaration_begins(&self) -> bool {
        match self.type_length(0) {
            // A keyword of a type can begin nothing else but a method reference, nor can a type of arrays.
            Some(length) if self.is_type_keyword(0) || self.is_at(length - 1, "]") => !self.is_at(length, "::"),
            Some(length) => self.is_name(length),
            None => false,
        }
    }

    fn declaration(&mut self) -> Result<StmtKind> {
        let class = self.type_name()?;
        let mut declared = vec![];
        loop {
            let (at, name) = self.name()?;
            let value = if self.eat("=") { Some(self.expression()?) } else { None };
            declared.push(Declared { at, name, value });
            if !self.eat(",") {
                return Ok(StmtKind::Declare(class, declared));
            }
        }
    }

    fn if_statement(&mut self) -> Result<StmtKind> {
        self.next();
        self.expect("(")?;
        let condition = self.expression()?;
        self.expect(")")?;
        let then = self.trailer()?;
        let otherwise = if self.eat_word("else") { Some(self.trailer()?) } else { None };
        Ok(StmtKind::If(condition, then, otherwise))
    }

    fn while_statement(&mut self) -> Result<StmtKind> {
        self.next();
        self.expect("(")?;
        let condition = self.expression()?;
        self.expect(")")?;
        let body = match self.eat(";") {
            true => Block { at: condition.at, statements: vec![] },
            false => self.trailer()?,
        };
        Ok(StmtKind::While(condition, body))
    }

    fn for_statement(&mut self) -> Result<StmtKind> {
        self.next();
        // Which kind of loop it is tells what stands in the parentheses.
        self.close("(")?;
        if self.is_name(0) && self.is_word(1, "in") {
            let (_, name) = self.name()?;
            self.next();
            return self.for_each(None, name);
        }
        if let Some(length) = self.type_length(0)
            && self.is_name(length)
            && self.is_at(length + 1, ":")
        {
            let class = self.type_name()?;
            let (_, name) = self.name()?;
            self.next();
            return self.for_each(Some(class), name);
        }
        self.check_beginning(true)?;
        let at = self.peek().start;
        let init = match self.is(";") {
            true => None,
            false if self.declaration_begins() => Some(Box::new(Stmt { at, kind: self.declaration()? })),
            false => Some(Box::new(Stmt { at, kind: StmtKind::Expr(self.expression()?) })),
        };
        self.expect(";")?;
        let condition = if self.expression_begins() { Some(self.expression()?) } else { None };
        self.expect(";")?;
        let after = if self.expression_begins() { Some(self.expression()?) } else { None };
        self.expect(")")?;
        let body = if self.eat(";") { None } else { Some(self.trailer()?) };
        Ok(StmtKind::For(init, condition, after, body))
    }

    fn for_each(&mut self, class: Option<TypeName>, name: String) -> Result<StmtKind> {
        let over = self.expression()?;
        self.expect(")")?;
        Ok(StmtKind::ForEach(class, name, over, self.trailer()?))
    }

    fn try_statement(&mut self) -> Result<StmtKind> {
        self.next();
        let body = self.block()?;
        let mut catches = vec![];
        while self.is_word(0, "catch") {
            let at = self.next().start;
            self.expect("(")?;
            let class = self.type_name()?;
            let (_, name) = self.name()?;
            self.expect(")")?;
            catches.push(Catch { at, class, name, body: self.block()? });
        }
        if catches.is_empty() {
            return Err(self.mismatch("'catch'"));
        }
        Ok(StmtKind::Try(body, catches))
    }
}
