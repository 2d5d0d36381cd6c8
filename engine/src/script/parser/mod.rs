//! Tokens to a tree, by recursive descent.
//!
//! `statement` reads statements and blocks, `expression` operators by precedence, `primary` what they stand between.
//! Depth is bounded while reading, so that later passes may recurse.

mod expression;
mod primary;
mod statement;

use super::ast::{DEPTH_MAX, Expr, ExprKind, Function, Script};
use super::error::Compile;
use super::lexer::{KEYWORDS, PRIMITIVES, Tok, Token, lex};

type Result<T> = std::result::Result<T, Compile>;

/// Nested constructs of the text itself (parentheses, blocks).
const NESTING_MAX: u32 = 64;

pub fn parse(source: &str) -> Result<Script> {
    let (tokens, broken) = lex(source);
    let mut parser = Parser { source, tokens, at: 0, nesting: 0, looks_ahead: false };
    match (parser.script(), broken) {
        (Err(error), Some(broken)) if error.at < broken.at => Err(error),
        (_, Some(broken)) => Err(broken),
        (parsed, None) => parsed,
    }
}

struct Parser<'s> {
    source: &'s str,
    tokens: Vec<Token>,
    at: usize,
    nesting: u32,
    /// Whether the reference looks ahead through what is being read, to decide what it is: what does not fit there fits nothing, where
    /// it else tells what it expects.
    looks_ahead: bool,
}

impl<'s> Parser<'s> {
    fn peek(&self) -> Token {
        self.ahead(0)
    }

    fn ahead(&self, n: usize) -> Token {
        self.tokens.get(self.at + n).copied().unwrap_or(self.tokens[self.tokens.len() - 1])
    }

    fn text(&self, token: Token) -> &'s str {
        &self.source[token.start as usize..token.end as usize]
    }

    fn next(&mut self) -> Token {
        let token = self.peek();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    fn is(&self, punct: &str) -> bool {
        matches!(self.peek().kind, Tok::Punct(p) if p == punct)
    }

    fn is_at(&self, n: usize, punct: &str) -> bool {
        matches!(self.ahead(n).kind, Tok::Punct(p) if p == punct)
    }

    fn eat(&mut self, punct: &str) -> bool {
        let found = self.is(punct);
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, punct: &str) -> Result<Token> {
        if self.is(punct) { Ok(self.next()) } else { Err(self.mismatch(&format!("'{punct}'"))) }
    }

    /// What closes an expression: what stands there instead could continue none.
    fn close(&mut self, punct: &str) -> Result<Token> {
        if self.is(punct) { Ok(self.next()) } else { Err(self.no_viable()) }
    }

    fn is_word(&self, n: usize, word: &str) -> bool {
        let token = self.ahead(n);
        token.kind == Tok::Word && self.text(token) == word
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(0, word);
        if found {
            self.next();
        }
        found
    }

    /// A word that is no keyword.
    fn is_name(&self, n: usize) -> bool {
        let token = self.ahead(n);
        token.kind == Tok::Word && !KEYWORDS.contains(&self.text(token))
    }

    fn name(&mut self) -> Result<(u32, String)> {
        if !self.is_name(0) {
            return Err(self.mismatch("ID"));
        }
        let token = self.next();
        Ok((token.start, self.text(token).to_owned()))
    }

    fn is_primitive(&self, n: usize) -> bool {
        let token = self.ahead(n);
        token.kind == Tok::Word && PRIMITIVES.contains(&self.text(token))
    }

    /// Whether it is a word that stands for a type and nothing else.
    fn is_type_keyword(&self, n: usize) -> bool {
        self.is_primitive(n) || self.is_word(n, "def")
    }

    /// How many tokens a type at `n` takes, brackets included; none if there is no type.
    fn type_length(&self, n: usize) -> Option<usize> {
        let mut length = if self.is_primitive(n) || self.is_word(n, "def") {
            1
        } else if self.is_name(n) {
            let mut length = 1;
            while self.is_at(n + length, ".") && self.ahead(n + length + 1).kind == Tok::Member {
                length += 2;
            }
            length
        } else {
            return None;
        };
        while self.is_at(n + length, "[") && self.is_at(n + length + 1, "]") {
            length += 2;
        }
        Some(length)
    }

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.nesting >= NESTING_MAX {
            let at = self.peek().start;
            return Err(Compile::illegal(at, format!("a script cannot be nested deeper than [{NESTING_MAX}] levels")));
        }
        self.nesting += 1;
        let result = parse(self);
        self.nesting -= 1;
        result
    }

    /// A node over its children: their depth and assignments become its own.
    fn node(&self, at: u32, kind: ExprKind) -> Result<Expr> {
        let (mut depth, mut assigns) = (0, false);
        for_children(&kind, &mut |child| {
            depth = depth.max(child.depth);
            assigns |= child.assigns;
        });
        assigns |= matches!(kind, ExprKind::Assign(..) | ExprKind::Step(..));
        if depth >= DEPTH_MAX {
            return Err(Compile::illegal(at, format!("an expression cannot be deeper than [{DEPTH_MAX}] operators")));
        }
        Ok(Expr { at, depth: depth + 1, assigns, kind })
    }

    fn looking_ahead<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let before = std::mem::replace(&mut self.looks_ahead, true);
        let result = parse(self);
        self.looks_ahead = before;
        result
    }

    #[cold]
    fn mismatch(&self, expected: &str) -> Compile {
        if self.looks_ahead {
            return self.no_viable();
        }
        let token = self.peek();
        let text = if token.kind == Tok::Eof { "<EOF>" } else { self.text(token) };
        Compile::illegal(token.start, format!("unexpected token ['{text}'] was expecting one of [{expected}]."))
    }

    /// The error where nothing fits.
    #[cold]
    fn no_viable(&self) -> Compile {
        self.no_viable_at(0)
    }

    #[cold]
    fn no_viable_at(&self, n: usize) -> Compile {
        let token = self.ahead(n);
        let reason = match token.kind {
            Tok::Eof => "unexpected end of script.".to_owned(),
            _ => format!("invalid sequence of tokens near ['{}'].", self.text(token)),
        };
        Compile::illegal(token.start, reason).because("no_viable_alt_exception")
    }

    fn script(&mut self) -> Result<Script> {
        let mut functions: Vec<Function> = vec![];
        while self.function_begins() {
            functions.push(self.function()?);
        }
        Ok(Script { functions, body: self.script_body()? })
    }
}

pub(super) fn for_children(kind: &ExprKind, f: &mut dyn FnMut(&Expr)) {
    match kind {
        ExprKind::Unary(_, a) | ExprKind::Step(a, ..) | ExprKind::Cast(_, a) | ExprKind::InstanceOf(a, _) => f(a),
        ExprKind::Member(a, ..) => f(a),
        ExprKind::Binary(_, a, b) | ExprKind::Assign(a, _, b) | ExprKind::Elvis(a, b) | ExprKind::Index(a, b) => {
            f(a);
            f(b);
        }
        ExprKind::Ternary(a, b, c) => [a, b, c].into_iter().for_each(|e| f(e)),
        ExprKind::New(_, list) | ExprKind::NewArray(_, list) | ExprKind::ArrayInit(_, list) => list.iter().for_each(f),
        ExprKind::List(list) | ExprKind::LocalCall(_, list) => list.iter().for_each(f),
        ExprKind::Map(entries) => entries.iter().for_each(|(k, v)| {
            f(k);
            f(v);
        }),
        ExprKind::Call(a, _, list, _) => {
            f(a);
            list.iter().for_each(f);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(source: &str) -> (u32, String) {
        let error = parse(source).unwrap_err();
        (error.at.expect("parsers know the place"), error.reason)
    }

    #[test]
    fn what_the_reference_says_of_bad_syntax() {
        let expecting = "was expecting one of [{<EOF>, ';'}].";
        assert_eq!(reason("int x = 5\nint y"), (10, format!("unexpected token ['int'] {expecting}")));
        assert_eq!(reason("if ("), (4, "unexpected end of script.".into()));
        assert_eq!(reason("def f = x -> x"), (10, format!("unexpected token ['->'] {expecting}")));
        let end = "was expecting one of [<EOF>].";
        assert_eq!(reason("if (true) { int y = 1 }; return 1"), (23, format!("unexpected token [';'] {end}")));
        assert_eq!(reason("if (true) { return 1; } * 2"), (24, format!("unexpected token ['*'] {end}")));
        assert_eq!(reason("; return 1"), (0, "invalid sequence of tokens near [';'].".into()));
        let within = ["f(1 2)", "[1 2]", "(1 2)", "a[1 2]", "[1:2 2]", "new int[1 2]", "new int[] {1 2}"];
        for source in within {
            let at = source.rfind('2').unwrap() as u32;
            assert_eq!(reason(source), (at, "invalid sequence of tokens near ['2'].".into()), "{source}");
        }
        // What can begin no value ends a return.
        for token in ["this", ")", "else", "int", ".x", "=="] {
            let first = token.trim_end_matches('x');
            let expected = format!("unexpected token ['{first}'] {expecting}");
            assert_eq!(reason(&format!("return {token}")), (7, expected), "{token}");
        }
        assert_eq!(reason("f(this)"), (6, "invalid sequence of tokens near [')'].".into()));
        assert_eq!(reason("def (x) = 1"), (4, "invalid sequence of tokens near ['('].".into()));
    }

    #[test]
    fn the_reference_tells_what_it_expects_where_it_has_nothing_to_decide() {
        let expecting = "was expecting one of [{<EOF>, ';'}].";
        // The end of the script is one more token.
        for (source, expected) in [
            ("if (true", "')'"),
            ("for (;", "';'"),
            ("try", "'{'"),
            ("do {}", "'while'"),
            ("try {} catch (Exception", "ID"),
            ("def f(", "')'"),
            ("def f(def", "ID"),
            ("def a = 1,", "ID"),
            ("x ? 1", "':'"),
        ] {
            let told = format!("unexpected token ['<EOF>'] was expecting one of [{expected}].");
            assert_eq!(reason(source), (source.len() as u32, told), "{source}");
        }
        for source in ["f(1", "(x ? 1", "for (int a", "if (true) { int a", "throw"] {
            assert_eq!(reason(source), (source.len() as u32, "unexpected end of script.".into()), "{source}");
        }
        assert_eq!(
            reason("def f(def a def b) {}"),
            (12, "unexpected token ['def'] was expecting one of [')'].".into())
        );
        assert_eq!(reason("def a, 3"), (7, "unexpected token ['3'] was expecting one of [ID].".into()));
        assert_eq!(reason("if (x ? 3) {}"), (9, "unexpected token [')'] was expecting one of [':'].".into()));
        assert_eq!(reason("if (true) 1 3"), (12, format!("unexpected token ['3'] {expecting}")));
        assert_eq!(reason("return 1; int a b"), (16, format!("unexpected token ['b'] {expecting}")));
        // Where a script or a loop begins, and within blocks and brackets, there is something to decide.
        for source in [
            "x 3",
            "x.y 3",
            "x[] 3",
            "int a 3",
            "a b 3",
            "def f() {1} int a 3",
            "for (int a 3;;) {}",
            "for (x 3;;) {}",
            "if (true) { int a = 1 3 }",
            "if (true) { return 1 3; }",
            "while (true) { 1; 2 3 }",
            "f(x -> { 1 3 })",
            "if (true) { do { 1; } while (false) 3 }",
            "f(x ? 3)",
            "f(int 3",
            "f(a b 3)",
            "f((a, b 3) -> 1)",
            "f((a, 3) -> 1)",
            "f(() 3)",
            "[: 3]",
            "(a[] 3",
            "int[ 3",
            "[x ? 3]",
            "(int 3",
        ] {
            let at = (source.rfind('3').unwrap() + usize::from(source.contains("? 3"))) as u32;
            let token = &source[at as usize..][..1];
            assert_eq!(reason(source), (at, format!("invalid sequence of tokens near ['{token}'].")), "{source}");
        }
        // Behind a first statement a type has but to be followed by a name, and what begins no statement by nothing.
        assert_eq!(reason("1; int 3"), (7, "unexpected token ['3'] was expecting one of [ID].".into()));
        assert_eq!(reason("1; a[] = 3"), (7, "unexpected token ['='] was expecting one of [ID].".into()));
        for source in ["1; in 2", "1; {}", "if (true) {} this"] {
            assert!(reason(source).1.ends_with("was expecting one of [<EOF>]."), "{source}");
        }
        assert_eq!(reason("for int i"), (4, "invalid sequence of tokens near ['int'].".into()));
        assert_eq!(reason("for (x : y) {}"), (7, "invalid sequence of tokens near [':'].".into()));
    }

    #[test]
    fn depth_is_bounded() {
        assert!(parse(&format!("{}1{}", "(".repeat(60), ")".repeat(60))).is_ok());
        for bomb in ["(", "[", "-", "!", "if(1){", "x->", "1+(", "a[", "f("] {
            assert!(parse(&bomb.repeat(20_000)).is_err(), "{bomb}");
        }
        assert!(parse(&"1+".repeat(20_000)).is_err());
        assert!(parse(&format!("{}1", "1+".repeat(20_000))).is_err());
        assert!(parse(&format!("a{}", ".b".repeat(20_000))).is_err());
    }
}
