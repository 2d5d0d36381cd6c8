//! Grok: expressions made of named patterns, `%{NUMBER:bytes:int}`.
//!
//! - [`Grok`]: a compiled expression; what it captures, by name. `expand`: named patterns to one regular expression.
//! - [`bank`]: the patterns that everybody knows.
//!
//! The syntax of the expressions is Oniguruma's for Ruby: `^` and `$` are those of lines, `(?m)` lets the dot match line
//! breaks, `\h` is a hexadecimal digit.

mod bank;
mod expand;

pub use bank::bank;

use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::parse_java_f64;
use std::collections::BTreeMap;

/// Most steps that the engine, which tracks back, may go back in one match.
const BACKTRACK_MAX: usize = 500_000;

/// A compiled expression.
#[derive(Debug)]
pub(super) struct Grok {
    regex: fancy_regex::Regex,
    captures: Vec<Capture>,
}

/// A name, and the groups that capture for it.
#[derive(Debug)]
struct Capture {
    name: String,
    kind: Kind,
    groups: Vec<usize>,
}

/// What a captured text becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Int,
    Long,
    Float,
    Double,
    Boolean,
}

impl Grok {
    /// Compiles `pattern`; `own` are patterns beside those of the bank, before which they go.
    pub fn new(pattern: &str, own: &BTreeMap<String, String>) -> Result<Self> {
        expand::check_own(own)?;
        let expanded = expand::expand(pattern, own)?;
        let regex = fancy_regex::RegexBuilder::new(&expanded.regex)
            .oniguruma_mode(true)
            .multi_line(true)
            .ignore_numbered_groups_when_named_groups_exist(true)
            .backtrack_limit(BACKTRACK_MAX)
            .delegate_size_limit(4 << 20)
            .build()
            .map_err(|error| Error::illegal_argument(error.to_string()))?;
        let numbers: BTreeMap<&str, usize> =
            regex.capture_names().enumerate().filter_map(|(number, name)| name.map(|name| (name, number))).collect();
        let mut captures: Vec<Capture> = vec![];
        for (at, name) in expanded.names.iter().enumerate() {
            let Some(number) = numbers.get(expand::group_name(at).as_str()) else { continue };
            let (name, kind) = name.split_once(':').unwrap_or((name, ""));
            match captures.iter_mut().find(|capture| capture.name == name) {
                Some(capture) => capture.groups.push(*number),
                None => captures.push(Capture { name: name.to_owned(), kind: Kind::of(kind), groups: vec![*number] }),
            }
        }
        Ok(Self { regex, captures })
    }

    /// What the expression captures of `text`, or `None` where it does not match. With `all`, names that capture several
    /// times have lists.
    pub fn captures(&self, text: &str, all: bool) -> Result<Option<Vec<(&str, Value)>>> {
        let Some(found) = self.regex.captures(text).map_err(gave_up)? else { return Ok(None) };
        let mut out = vec![];
        for capture in &self.captures {
            let texts = capture.groups.iter().filter_map(|group| found.get(*group)).map(|group| group.as_str());
            let mut values: Vec<Value> = match all {
                true => texts.map(|text| capture.kind.value(text)).collect::<Result<_>>()?,
                false => texts.take(1).map(|text| capture.kind.value(text)).collect::<Result<_>>()?,
            };
            match values.len() {
                0 => {}
                1 => out.extend(values.pop().map(|value| (capture.name.as_str(), value))),
                _ => out.push((capture.name.as_str(), Value::Array(values))),
            }
        }
        Ok(Some(out))
    }
}

impl Kind {
    fn of(name: &str) -> Self {
        match name {
            "int" => Self::Int,
            "long" => Self::Long,
            "float" => Self::Float,
            "double" => Self::Double,
            "boolean" => Self::Boolean,
            _ => Self::Text,
        }
    }

    fn value(self, text: &str) -> Result<Value> {
        let no_number = || Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\""));
        Ok(match self {
            Self::Text => Value::from(text),
            Self::Int => Value::from(text.parse::<i32>().map_err(|_| no_number())?),
            Self::Long => Value::from(text.parse::<i64>().map_err(|_| no_number())?),
            Self::Float => super::processors::convert::float(parse_java_f64(text)? as f32),
            Self::Double => Value::Float(parse_java_f64(text)?),
            Self::Boolean => Value::Bool(text.eq_ignore_ascii_case("true")),
        })
    }
}

/// The error of a match that took too many steps.
#[cold]
fn gave_up(error: fancy_regex::Error) -> Error {
    Error::new(ErrorKind::Runtime, format!("a regular expression took too many steps and was given up: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(pattern: &str, text: &str) -> String {
        let grok = Grok::new(pattern, &BTreeMap::new()).unwrap();
        let Some(found) = grok.captures(text, false).unwrap() else { return "no match".to_owned() };
        found.into_iter().map(|(name, value)| format!("{name}={};", value.to_text())).collect()
    }

    #[test]
    fn captures_with_types() {
        assert_eq!(captured("%{NUMBER:n:int} %{WORD:w}", "12 abc"), "n=12;w=abc;");
        assert_eq!(captured("%{NUMBER:n:float} %{WORD:b:boolean}", "1.5 true"), "n=1.5;b=true;");
        assert_eq!(captured("%{WORD:a.b} %{WORD:[c][d]}", "x y"), "a.b=x;[c][d]=y;");
        assert_eq!(captured("(?<x>\\d+)-%{WORD:y}", "a12-b"), "x=12;y=b;");
        assert_eq!(captured("%{WORD:a} %{WORD:a}", "x y"), "a=x;");
        assert_eq!(captured("%{INT:i}x|%{WORD:w}", "abc"), "w=abc;");
        assert_eq!(captured("%{WORD:a}", "%%"), "no match");
    }

    #[test]
    fn lines_and_classes_are_those_of_ruby() {
        assert_eq!(captured("^%{WORD:a}$", "x\ny"), "a=x;");
        assert_eq!(captured("%{GREEDYDATA:a}", "x\ny"), "a=x;");
        assert_eq!(captured("(?m)%{GREEDYDATA:a}", "x\ny"), "a=x\ny;");
        assert_eq!(captured("\\h+ (?<z>\\p{Alpha}+)", "af ä"), "z=ä;");
    }

    #[test]
    fn letters_are_of_ascii_where_a_class_has_no_name() {
        assert_eq!(captured("(?<z>\\w+)", "héllo"), "z=h;");
        // Words end where Unicode's do.
        assert_eq!(captured("%{WORD:z}", "héllo"), "no match");
        assert_eq!(captured("(?<z>[[:alpha:]]+)(?<d>[[:^digit:]])", "héllo—1"), "z=héllo;d=—;");
        assert_eq!(captured("(?<z>[^\\W_]+)(?<d>\\D+)", "é1٣"), "z=1;d=٣;");
    }

    #[test]
    fn every_pattern_of_the_bank_compiles() {
        for (name, _) in bank() {
            let compiled = Grok::new(&format!("%{{{name}}}"), &BTreeMap::new());
            assert!(compiled.is_ok(), "{name}: {:?}", compiled.err());
        }
    }

    #[test]
    fn reads_logs() {
        let line = r#"127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a.gif HTTP/1.0" 200 2326 "http://x/y" "Mozilla/4.08 [en]""#;
        let found = captured("%{COMBINEDAPACHELOG}", line);
        for part in ["clientip=127.0.0.1;", "auth=frank;", "verb=GET;", "bytes=2326;", "agent=\"Mozilla/4.08 [en]\";"] {
            assert!(found.contains(part), "{found}");
        }
        assert_eq!(
            captured("%{SYSLOGLINE}", "Mar 16 00:01:25 host postfix/smtpd[1713]: connect from x[1.2.3.4]"),
            "timestamp=Mar 16 00:01:25;logsource=host;program=postfix/smtpd;pid=1713;message=connect from x[1.2.3.4];"
        );
    }
}
