//! Ranges of query strings: what stands between their brackets is split by rules of its own.

use crate::error::{Error, ErrorKind, Result};

/// One end of a range.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// Open to this side.
    Any,
    /// As it is written, escapes and all.
    Text(String),
}

/// A range that was read.
pub struct Range {
    pub lower: End,
    pub upper: End,
    /// Behind its closing bracket.
    pub end: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    To,
    Quoted,
    Word,
    Close,
    Nothing,
}

/// What may stand in each place of a range.
const PLACES: [(&[Kind], &[&str]); 4] = [
    (&[Kind::To, Kind::Quoted, Kind::Word], &["\"TO\"", "<RANGE_QUOTED>", "<RANGE_GOOP>"]),
    (&[Kind::To], &["\"TO\""]),
    (&[Kind::To, Kind::Quoted, Kind::Word], &["\"TO\"", "<RANGE_QUOTED>", "<RANGE_GOOP>"]),
    (&[Kind::Close], &["\"]\"", "\"}\""]),
];

/// Reads the range whose opening bracket stands at `at`.
pub fn read(text: &str, chars: &[char], at: usize) -> Result<Range> {
    let mut end = at + 1;
    let mut ends = PLACES.map(|_| End::Any);
    for ((allowed, names), part) in PLACES.into_iter().zip(&mut ends) {
        let begin = end + chars[end..].iter().take_while(|c| super::lexer::SPACE.contains(c)).count();
        let kind;
        (kind, end) = next(chars, begin);
        let written: String = chars[begin..end].iter().collect();
        if !allowed.contains(&kind) {
            return Err(mistake(text, kind, &written, begin, names));
        }
        *part = match kind {
            Kind::Quoted => End::Text(chars[begin + 1..end - 1].iter().collect()),
            _ if written == "*" => End::Any,
            _ => End::Text(written),
        };
    }
    let [lower, _, upper, _] = ends;
    Ok(Range { lower, upper, end })
}

/// The kind of the part that begins at `at`, and where it ends: the longest that it may be.
fn next(chars: &[char], at: usize) -> (Kind, usize) {
    let word = at + chars[at..].iter().take_while(|c| !matches!(c, ' ' | ']' | '}')).count();
    match chars.get(at) {
        None => return (Kind::Nothing, at),
        Some(']' | '}') => return (Kind::Close, at + 1),
        Some('"') => {
            let mut end = at + 1;
            while let Some(c) = chars.get(end).filter(|c| **c != '"') {
                end += if *c == '\\' && chars.get(end + 1) == Some(&'"') { 2 } else { 1 };
            }
            if end > at + 1 && end < chars.len() && end + 1 >= word {
                return (Kind::Quoted, end + 1);
            }
        }
        Some(_) => {}
    }
    if chars[at..word] == ['T', 'O'] { (Kind::To, word) } else { (Kind::Word, word) }
}

fn mistake(text: &str, kind: Kind, written: &str, at: usize, names: &[&str]) -> Error {
    let written = super::lexer::escaped(written);
    let found = match kind {
        Kind::Nothing => "<EOF>".to_owned(),
        Kind::To | Kind::Close => format!(" \"{written}\" \"{written} \""),
        Kind::Quoted => format!(" <RANGE_QUOTED> \"{written} \""),
        Kind::Word => format!(" <RANGE_GOOP> \"{written} \""),
    };
    let list: String = names.iter().map(|name| format!("\n    {name} ...")).collect();
    let one_of = if names.len() == 1 { "Was expecting:" } else { "Was expecting one of:" };
    let reason = format!("Encountered \"{found}\" at line 1, column {at}.\n{one_of}{list}\n    ");
    let cause = Error::new(ErrorKind::Parse, reason.clone());
    Error::new(ErrorKind::Parse, format!("Cannot parse '{text}': {reason}")).caused_by(cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(text: &str) -> Result<(End, End)> {
        let chars: Vec<char> = text.chars().collect();
        read(text, &chars, 0).map(|range| (range.lower, range.upper))
    }

    #[test]
    fn both_ends_are_read() {
        let text = |text: &str| End::Text(text.to_owned());
        assert_eq!(ends("[a TO b]").unwrap(), (text("a"), text("b")));
        assert_eq!(ends("{* TO \"x y\"]").unwrap(), (End::Any, text("x y")));
        assert_eq!(ends("[ TO TO TO}").unwrap(), (text("TO"), text("TO")));
        assert_eq!(ends("[a/b TO \"*\"]").unwrap(), (text("a/b"), text("*")));
    }

    #[test]
    fn mistakes_are_told_where_they_stand() {
        let reason = |text: &str| ends(text).unwrap_err().cause().unwrap().reason().lines().next().unwrap().to_owned();
        assert_eq!(reason("[a b]"), r#"Encountered " <RANGE_GOOP> "b "" at line 1, column 3."#);
        assert_eq!(reason("[a TO) x]"), r#"Encountered " <RANGE_GOOP> "TO) "" at line 1, column 3."#);
        assert_eq!(reason("[]"), r#"Encountered " "]" "] "" at line 1, column 1."#);
        assert_eq!(reason("[a TO b c]"), r#"Encountered " <RANGE_GOOP> "c "" at line 1, column 8."#);
        assert_eq!(reason("[\"a b\" \"c\"]"), r#"Encountered " <RANGE_QUOTED> "\"c\" "" at line 1, column 7."#);
        assert_eq!(reason("[a TO b"), r#"Encountered "<EOF>" at line 1, column 7."#);
    }
}
