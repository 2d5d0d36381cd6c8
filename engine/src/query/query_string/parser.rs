//! From tokens to a tree: the grammar of Lucene's classic query parser.

use super::lexer::{Kind, Token, tokens};
use super::range::{self, End};
use crate::error::{Error, ErrorKind, Result};
use crate::query::fuzziness::{java_float, written_distance};

/// A parsed query string.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    Clauses(Vec<Clause>),
    Leaf { field: Option<String>, leaf: Leaf },
    Boost(Box<Node>, f32),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// `AND` or `OR` before it.
    pub conjunction: Conjunction,
    pub modifier: Modifier,
    pub node: Node,
    /// Words side by side that are analysed as one text.
    pub is_words: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Conjunction {
    None,
    And,
    Or,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Modifier {
    None,
    Not,
    Required,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Leaf {
    /// Text to be analysed, unescaped.
    Text(String),
    Phrase {
        text: String,
        slop: Option<u32>,
    },
    /// Without the star, unescaped.
    Prefix(String),
    /// As written.
    Wildcard(String),
    Regexp(String),
    Fuzzy {
        text: String,
        /// As written.
        distance: Option<String>,
    },
    /// Bounds with whether they are included; `None` is open.
    Range {
        lower: Option<String>,
        include_lower: bool,
        upper: Option<String>,
        include_upper: bool,
    },
    /// `*` alone.
    Any,
}

/// Deepest nesting of parentheses.
const MAX_DEPTH: usize = 100;

pub fn parse(text: &str) -> Result<Node> {
    Parser::new(text).whole()
}

/// The leaves, with their fields, that stand before a mistake in the syntax. The reference has made queries of them by then.
pub fn before_mistake(text: &str) -> Vec<(Option<String>, Leaf)> {
    let mut parser = Parser::new(text);
    parser.read = Some(vec![]);
    match parser.whole() {
        Ok(_) => vec![],
        Err(_) => parser.read.unwrap_or_default(),
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    /// Why there are no more tokens, where that is not the end of the text.
    broken: Option<Error>,
    at: usize,
    depth: usize,
    /// Whether the clause read last may still be given a boost, and a fuzziness or a slop.
    may_boost: bool,
    may_blur: bool,
    /// The leaves so far, if they are wanted by themselves.
    read: Option<Vec<(Option<String>, Leaf)>>,
}

/// What a query and a clause may begin with, in the words of the reference.
const BEGIN_NEXT: &[&str] = &[
    "<NOT>",
    "\"+\"",
    "\"-\"",
    "<BAREOPER>",
    "\"(\"",
    "\"*\"",
    "<QUOTED>",
    "<TERM>",
    "<PREFIXTERM>",
    "<WILDTERM>",
    "<REGEXPTERM>",
    "\"[\"",
    "\"{\"",
    "<NUMBER>",
    "<TERM>",
    "\"*\"",
];
const BEGIN_CLAUSE: &[&str] = &[
    "<BAREOPER>",
    "\"(\"",
    "\"*\"",
    "<QUOTED>",
    "<TERM>",
    "<PREFIXTERM>",
    "<WILDTERM>",
    "<REGEXPTERM>",
    "\"[\"",
    "\"{\"",
    "<NUMBER>",
    "<TERM>",
    "\"*\"",
];
/// The first clause is not looked as far ahead for as others are, and what follows the name of a field not at all.
const BEGIN_QUERY: &[&str] = BEGIN_NEXT.split_at(BEGIN_NEXT.len() - 1).0;
const BEGIN_TERM: &[&str] = BEGIN_CLAUSE.split_at(BEGIN_CLAUSE.len() - 2).0;

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        let (tokens, broken) = tokens(text);
        Self { text, tokens, broken, at: 0, depth: 0, may_boost: true, may_blur: false, read: None }
    }
}

impl Parser<'_> {
    fn whole(&mut self) -> Result<Node> {
        let node = self.query(None).and_then(|node| match self.peek() {
            Kind::End => Ok(node),
            _ => Err(self.unexpected(&self.after_clause("<EOF>"))),
        });
        match self.broken.take_if(|_| self.tokens[self.at].kind == Kind::End) {
            Some(error) => Err(error),
            None => node,
        }
    }

    fn leaf(&mut self, field: Option<&str>, leaf: Leaf) -> Node {
        let field = field.map(str::to_owned);
        // What follows is looked at first, where it is a token at all.
        let looks_on = self.peek() == Kind::End
            && self.broken.as_ref().and_then(Error::cause).is_some_and(|cause| cause.kind() == ErrorKind::TokenManager);
        if let Some(read) = self.read.as_mut().filter(|_| !looks_on) {
            read.push((field.clone(), leaf.clone()));
        }
        Node::Leaf { field, leaf }
    }

    /// What may follow the clause read last; `end` is what ends the query that it belongs to.
    fn after_clause(&self, end: &'static str) -> Vec<&'static str> {
        let top = end == "<EOF>";
        let wanted = |name: &&str| match *name {
            "<EOF>" => top,
            "\")\"" => !top,
            "\"^\"" => self.may_boost,
            "<FUZZY_SLOP>" => self.may_blur,
            _ => true,
        };
        let operators =
            ["<EOF>", "<AND>", "<OR>", "<NOT>", "\"+\"", "\"-\"", "<BAREOPER>", "\"(\"", "\")\"", "\"*\"", "\"^\""];
        let terms = ["<QUOTED>", "<TERM>", "<FUZZY_SLOP>", "<PREFIXTERM>", "<WILDTERM>", "<REGEXPTERM>"];
        operators.into_iter().chain(terms).chain(["\"[\"", "\"{\"", "<NUMBER>"]).filter(wanted).collect()
    }

    fn peek(&self) -> Kind {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Kind {
        self.tokens.get(self.at + ahead).map_or(Kind::End, |token| token.kind)
    }

    fn take(&mut self) -> Token {
        let token = self.tokens[self.at].clone();
        if token.kind != Kind::End {
            self.at += 1;
        }
        token
    }

    fn query(&mut self, field: Option<&str>) -> Result<Node> {
        if self.depth >= MAX_DEPTH {
            return Err(Error::new(ErrorKind::Parse, format!("Cannot parse '{}': nested too deeply", self.text)));
        }
        self.depth += 1;
        let mut clauses = Vec::new();
        loop {
            let conjunction = if clauses.is_empty() {
                Conjunction::None
            } else {
                match self.peek() {
                    Kind::And => {
                        self.take();
                        Conjunction::And
                    }
                    Kind::Or => {
                        self.take();
                        Conjunction::Or
                    }
                    Kind::End | Kind::Close => break,
                    Kind::Colon | Kind::Caret | Kind::Fuzzy => {
                        let end = if self.depth == 1 { "<EOF>" } else { "\")\"" };
                        return Err(self.unexpected(&self.after_clause(end)));
                    }
                    _ => Conjunction::None,
                }
            };
            if conjunction == Conjunction::None && self.begins_words() {
                let node = self.words(field)?;
                (self.may_boost, self.may_blur) = (false, false);
                clauses.push(Clause { conjunction, modifier: Modifier::None, node, is_words: true });
                continue;
            }
            let modifier = match self.peek() {
                Kind::Plus => Modifier::Required,
                Kind::Minus | Kind::Not => Modifier::Not,
                _ => Modifier::None,
            };
            if modifier != Modifier::None {
                self.take();
            }
            let expected = match (modifier, clauses.is_empty()) {
                (Modifier::None, true) => BEGIN_QUERY,
                (Modifier::None, false) => BEGIN_NEXT,
                _ => BEGIN_CLAUSE,
            };
            let node = self.clause(field, expected)?;
            clauses.push(Clause { conjunction, modifier, node, is_words: false });
        }
        self.depth -= 1;
        Ok(Node::Clauses(clauses))
    }

    /// Whether at least two words follow that neither belong to a field nor carry anything.
    fn begins_words(&self) -> bool {
        self.peek() == Kind::Term && self.next_word_joins()
    }

    /// Whether the token after the current one is a word that may be joined to it.
    fn next_word_joins(&self) -> bool {
        let disallowed = [Kind::Colon, Kind::Star, Kind::Fuzzy, Kind::Caret, Kind::And, Kind::Or];
        self.peek_at(1) == Kind::Term && !disallowed.contains(&self.peek_at(2))
    }

    fn words(&mut self, field: Option<&str>) -> Result<Node> {
        let mut text = String::new();
        loop {
            let more = self.next_word_joins();
            let word = self.take().text;
            text.push_str(&self.unescaped(&word)?);
            if !more {
                break;
            }
            text.push(' ');
        }
        Ok(self.leaf(field, Leaf::Text(text)))
    }

    fn clause(&mut self, field: Option<&str>, expected: &[&str]) -> Result<Node> {
        let own_field = match (self.peek(), self.peek_at(1)) {
            (Kind::Term | Kind::Star, Kind::Colon) => {
                let name = self.take().text;
                let name = self.unescaped(&name)?;
                self.take();
                Some(name)
            }
            _ => None,
        };
        let field = own_field.as_deref().or(field);
        if self.peek() == Kind::Open {
            self.take();
            let inner = self.query(field)?;
            if self.peek() != Kind::Close {
                return Err(self.unexpected(&self.after_clause("\")\"")));
            }
            self.take();
            (self.may_boost, self.may_blur) = (true, false);
            return self.boosted(inner);
        }
        self.term(field, if own_field.is_some() { BEGIN_TERM } else { expected })
    }

    fn term(&mut self, field: Option<&str>, expected: &[&str]) -> Result<Node> {
        let begin = self.peek();
        // Mistakes in what is escaped are told behind those of what follows.
        let mut escapes = Ok(String::new());
        let leaf = match begin {
            Kind::Term => {
                let text = self.take().text;
                escapes = self.unescaped(&text);
                Leaf::Text(escapes.clone().unwrap_or_default())
            }
            Kind::BareSign => Leaf::Text(self.take().text),
            Kind::Star => {
                self.take();
                Leaf::Any
            }
            Kind::Prefix => {
                let text = self.take().text;
                escapes = self.unescaped(&text);
                Leaf::Prefix(self.unescaped(text.strip_suffix('*').unwrap_or(&text)).unwrap_or_default())
            }
            Kind::Wildcard => {
                let text = self.take().text;
                // Patterns keep what is escaped, which has to be well written all the same.
                escapes = self.unescaped(&text);
                Leaf::Wildcard(text)
            }
            Kind::Regexp => {
                let text = self.take().text;
                escapes = self.unescaped(&text);
                Leaf::Regexp(text[1..text.len() - 1].to_owned())
            }
            Kind::Quoted => {
                let text = self.take().text;
                Leaf::Phrase { text: self.unescaped(&text[1..text.len() - 1])?, slop: None }
            }
            Kind::RangeInclusive | Kind::RangeExclusive => {
                let token = self.take();
                self.range(&token)?
            }
            _ => return Err(self.unexpected(expected)),
        };
        let mut node_leaf = leaf;
        let mut boost = None;
        (self.may_boost, self.may_blur) = (true, !matches!(begin, Kind::RangeInclusive | Kind::RangeExclusive));
        for _ in 0..2 {
            match self.peek() {
                Kind::Fuzzy if self.may_blur => {
                    let token = self.take();
                    self.may_blur = false;
                    node_leaf = Self::fuzzy(node_leaf, &token.text)?;
                }
                Kind::Caret if boost.is_none() => boost = Some(self.boost()?),
                _ => break,
            }
        }
        escapes?;
        let node = self.leaf(field, node_leaf);
        Ok(match boost {
            Some(boost) => Node::Boost(Box::new(node), boost),
            None => node,
        })
    }

    fn fuzzy(leaf: Leaf, image: &str) -> Result<Leaf> {
        let written = &image[1..];
        Ok(match leaf {
            Leaf::Text(text) => {
                let distance = (!written.is_empty()).then(|| written.to_owned());
                // What is no number is refused whatever the field is.
                match distance.as_deref().map(written_distance) {
                    Some(Err(error)) if error.kind() == ErrorKind::NumberFormat => return Err(error),
                    _ => {}
                }
                Leaf::Fuzzy { text, distance }
            }
            // What is no number is overlooked.
            Leaf::Phrase { text, .. } => match java_float(written).map(|slop| slop as i32) {
                Some(slop) if slop < 0 => {
                    return Err(Error::illegal_argument(format!("Slop must be >= 0, got {slop}")));
                }
                slop => Leaf::Phrase { text, slop: slop.map(i32::unsigned_abs) },
            },
            other => other,
        })
    }

    fn boosted(&mut self, node: Node) -> Result<Node> {
        if self.peek() != Kind::Caret {
            return Ok(node);
        }
        let boost = self.boost()?;
        Ok(Node::Boost(Box::new(node), boost))
    }

    fn boost(&mut self) -> Result<f32> {
        self.take();
        self.may_boost = false;
        match self.peek() {
            Kind::Term => {
                let number = self.tokens[self.at].text.parse::<f32>().ok().filter(|n| n.is_finite() && *n >= 0.0);
                match number {
                    Some(number) => {
                        self.take();
                        Ok(number)
                    }
                    None => Err(self.unexpected(&["<NUMBER>"])),
                }
            }
            _ => Err(self.unexpected(&["<NUMBER>"])),
        }
    }

    /// `[a TO b]`, `{a TO b}` and mixtures of both.
    fn range(&self, token: &Token) -> Result<Leaf> {
        let chars: Vec<char> = token.text.chars().collect();
        let range = range::read(self.text, &chars, 0)?;
        let bound = |end: End| match end {
            End::Any => Ok(None),
            // In quotes or escaped, a star is one all the same.
            End::Text(text) => self.unescaped(&text).map(|text| Some(text).filter(|text| text != "*")),
        };
        Ok(Leaf::Range {
            lower: bound(range.lower)?,
            include_lower: token.kind == Kind::RangeInclusive,
            upper: bound(range.upper)?,
            include_upper: token.text.ends_with(']'),
        })
    }

    fn unescaped(&self, text: &str) -> Result<String> {
        unescape(text).map_err(|what| self.failed(&what))
    }

    fn failed(&self, what: &str) -> Error {
        let cause = Error::new(ErrorKind::Parse, what);
        Error::new(ErrorKind::Parse, format!("Cannot parse '{}': {what}", self.text)).caused_by(cause)
    }

    fn unexpected(&self, expected: &[&str]) -> Error {
        let token = &self.tokens[self.at];
        let found = match token.kind {
            Kind::End => "<EOF>".to_owned(),
            Kind::And | Kind::Or | Kind::Not | Kind::Term | Kind::Quoted | Kind::Fuzzy => {
                let name = match token.kind {
                    Kind::And => "<AND>",
                    Kind::Or => "<OR>",
                    Kind::Not => "<NOT>",
                    Kind::Quoted => "<QUOTED>",
                    Kind::Fuzzy => "<FUZZY_SLOP>",
                    _ => "<TERM>",
                };
                format!(" {name} \"{} \"", token.text)
            }
            _ => format!(" \"{0}\" \"{0} \"", token.text),
        };
        let column = token.at;
        let line = |name: &&str| format!("\n    {name} {}", if *name == "<EOF>" { "" } else { "..." });
        let list: String = expected.iter().map(line).collect();
        let one_of = if expected.len() == 1 { "Was expecting:" } else { "Was expecting one of:" };
        self.failed(&format!("Encountered \"{found}\" at line 1, column {column}.\n{one_of}{list}\n    "))
    }
}

/// Takes escapes out: `\x` is `x`, `\u0041` is `A`. The error tells what is wrong.
fn unescape(text: &str) -> std::result::Result<String, String> {
    let mut units = Vec::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let (escaped, c) = match c {
            '\\' => (true, chars.next().ok_or("Term can not end with escape character.")?),
            c => (false, c),
        };
        if !escaped || c != 'u' {
            units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
            continue;
        }
        let mut unit = 0;
        for _ in 0..4 {
            let c = chars.next().ok_or("Truncated Unicode escape sequence.")?;
            let digit = c.to_digit(16).ok_or_else(|| format!("Non-hex character in Unicode escape sequence: {c}"))?;
            unit = unit << 4 | digit as u16;
        }
        units.push(unit);
    }
    Ok(String::from_utf16_lossy(&units))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(field: Option<&str>, leaf: Leaf) -> Node {
        Node::Leaf { field: field.map(str::to_owned), leaf }
    }

    fn clauses(text: &str) -> Vec<Clause> {
        match parse(text).unwrap() {
            Node::Clauses(clauses) => clauses,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn words_side_by_side_are_one_text() {
        let parsed = clauses("quick brown fox");
        assert_eq!(parsed.len(), 1);
        assert_eq!(parsed[0].node, leaf(None, Leaf::Text("quick brown fox".into())));
        // A word that an operator follows stands alone.
        assert_eq!(clauses("a b AND c").len(), 3);
    }

    #[test]
    fn fields_groups_and_boosts() {
        let parsed = clauses("t:(a OR b)^2 AND -u:\"x y\"~3");
        assert_eq!(parsed[1].conjunction, Conjunction::And);
        assert_eq!(parsed[1].modifier, Modifier::Not);
        assert_eq!(parsed[1].node, leaf(Some("u"), Leaf::Phrase { text: "x y".into(), slop: Some(3) }));
        let Node::Boost(inner, boost) = &parsed[0].node else { panic!("boosted") };
        assert_eq!(*boost, 2.0);
        let Node::Clauses(inner) = &**inner else { panic!("a group") };
        assert_eq!(inner[1].node, leaf(Some("t"), Leaf::Text("b".into())));
    }

    #[test]
    fn ranges() {
        let range = |text: &str| match parse(text).unwrap() {
            Node::Clauses(mut clauses) => clauses.remove(0).node,
            other => other,
        };
        assert_eq!(
            range("n:[1 TO *}"),
            leaf(
                Some("n"),
                Leaf::Range { lower: Some("1".into()), include_lower: true, upper: None, include_upper: false }
            )
        );
    }

    #[test]
    fn what_does_not_parse() {
        assert!(parse("a AND (b").unwrap_err().reason().starts_with(
            "Cannot parse 'a AND (b': Encountered \"<EOF>\" at line 1, column 8.\nWas expecting one of:\n    <AND> ..."
        ));
        for text in ["(", "a:", "a^x", "AND", "a)", "[1 TO", &"(".repeat(5000)] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_may_follow_a_clause() {
        let follows = |text: &str| {
            let reason = parse(text).unwrap_err().to_string();
            let list = ["<EOF>", "\")\"", "\"^\"", "<FUZZY_SLOP>"];
            list.map(|name| reason.contains(&format!("\n    {name} ")))
        };
        assert_eq!(follows("a:b:c"), [true, false, true, true]);
        assert_eq!(follows("a*:b"), [true, false, true, true]);
        assert_eq!(follows("a^2:b"), [true, false, false, true]);
        assert_eq!(follows("a~:b"), [true, false, true, false]);
        assert_eq!(follows("[a TO b]:c"), [true, false, true, false]);
        assert_eq!(follows("(a:b"), [false, true, true, true]);
        assert_eq!(follows("a b)"), [true, false, false, false]);
    }
}
