//! `csv`: the fields of a line, each into a field of the document.

use super::super::Document;
use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::processor::{Processor, Work};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;

struct Csv {
    field: String,
    targets: Vec<String>,
    dialect: Dialect,
    ignore_missing: bool,
    /// What stands for fields without text; they are passed over without it.
    empty_value: Option<Value>,
}

#[derive(Clone, Copy)]
struct Dialect {
    quote: char,
    separator: char,
    trim: bool,
}

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    let field = config.text("field")?;
    let quote = one_char(config, "quote", "\"", "like \" or '")?;
    let separator = one_char(config, "separator", ",", "like , or ;")?;
    let trim = config.flag("trim", false)?;
    let empty_value = if config.has("empty_value") { Some(config.value("empty_value")?) } else { None };
    let ignore_missing = config.flag("ignore_missing", false)?;
    let targets = config.texts("target_fields").map_err(not_stored)?;
    if targets.is_empty() {
        return Err(config.property("target_fields", "target fields list can't be empty"));
    }
    let dialect = Dialect { quote, separator, trim };
    Ok(Work::Simple(Box::new(Csv { field, targets, dialect, ignore_missing, empty_value })))
}

/// The reference copies the names into an array of texts.
fn not_stored(error: Error) -> Error {
    if error.kind() != ErrorKind::ClassCast {
        return error;
    }
    let reason = "arraycopy: element type mismatch: can not cast one of the elements of java.lang.Object[] to the type of the \
                  destination array, java.lang.String";
    let cause = Error::new(ErrorKind::ArrayStore, reason);
    Error::new(ErrorKind::General, format!("java.lang.ArrayStoreException: {reason}")).caused_by(cause)
}

fn one_char(config: &mut Config, key: &str, default: &str, like: &str) -> Result<char> {
    let text = config.text_or(key, default)?;
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(one), None) => Ok(one),
        _ => Err(config.property(key, &format!("{key} has to be single character {like}"))),
    }
}

impl Processor for Csv {
    fn run(&self, doc: &mut Document, _: i64) -> Result<()> {
        let Some(text) = doc.text(&self.field, self.ignore_missing)? else {
            if self.ignore_missing {
                return Ok(());
            }
            return Err(Error::illegal_argument(format!("field [{}] is null, cannot process it.", self.field)));
        };
        let fields = self.dialect.fields(text, self.targets.len())?;
        for (target, field) in self.targets.iter().zip(fields) {
            let value = if field.is_empty() { self.empty_value.clone() } else { Some(Value::String(field)) };
            if let Some(value) = value {
                doc.set(target, value)?;
            }
        }
        Ok(())
    }
}

enum State {
    /// Before a field.
    Start,
    Unquoted,
    Quoted,
    /// Behind a quote within a quoted field, which may have been its last.
    AfterQuote,
    /// Behind a quoted field.
    Ended,
}

fn is_blank(c: char) -> bool {
    c == ' ' || c == '\t'
}

impl Dialect {
    /// The fields of a line, at most `most` of them. What ends with a separator has no further field.
    fn fields(self, line: &str, most: usize) -> Result<Vec<String>> {
        let (mut fields, mut field, mut state) = (vec![], String::new(), State::Start);
        for (at, c) in line.chars().enumerate() {
            if fields.len() >= most {
                return Ok(fields);
            }
            state = match state {
                State::Start if c == self.quote => {
                    field.clear();
                    State::Quoted
                }
                State::Start | State::Unquoted | State::Ended if c == self.separator => {
                    if self.trim && !matches!(state, State::Ended) {
                        field.truncate(field.trim_end_matches(is_blank).len());
                    }
                    fields.push(std::mem::take(&mut field));
                    State::Start
                }
                State::Start if is_blank(c) => {
                    if !self.trim {
                        field.push(c);
                    }
                    State::Start
                }
                State::Start | State::Unquoted => {
                    if c == self.quote || c == '\n' || c == '\r' {
                        let reason = format!("Illegal character inside unquoted field at {at}");
                        return Err(Error::illegal_argument(reason));
                    }
                    field.push(c);
                    State::Unquoted
                }
                State::Quoted if c == self.quote => State::AfterQuote,
                State::Quoted => {
                    field.push(c);
                    State::Quoted
                }
                State::AfterQuote if c == self.quote => {
                    field.push(c);
                    State::Quoted
                }
                State::AfterQuote if c == self.separator => {
                    fields.push(std::mem::take(&mut field));
                    State::Start
                }
                State::AfterQuote | State::Ended if is_blank(c) => State::Ended,
                State::AfterQuote | State::Ended => {
                    return Err(Error::illegal_argument(format!("character '{c}' after quoted field at {at}")));
                }
            };
        }
        match state {
            State::Start => {}
            State::Quoted => return Err(Error::illegal_argument("Unmatched quote")),
            State::Unquoted | State::AfterQuote | State::Ended => fields.push(field),
        }
        Ok(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_lines() {
        let plain = Dialect { quote: '"', separator: ',', trim: false };
        let fields = |dialect: Dialect, line: &str| match dialect.fields(line, 9) {
            Ok(fields) => fields.join("|"),
            Err(error) => error.reason().to_owned(),
        };
        assert_eq!(fields(plain, "1,\"q,\"\"z\", 3"), "1|q,\"z| 3");
        assert_eq!(fields(Dialect { trim: true, ..plain }, "1 , 2 , \"3\" "), "1|2|3");
        // What ends a line is trimmed in front alone.
        assert_eq!(fields(Dialect { trim: true, ..plain }, " a , b "), "a|b ");
        assert_eq!(fields(plain, "1,,3"), "1||3");
        assert_eq!(fields(plain, "\"a\nb\",c"), "a\nb|c");
        assert_eq!(fields(plain, "\"1"), "Unmatched quote");
        assert_eq!(fields(plain, "1\"2,3"), "Illegal character inside unquoted field at 1");
        assert_eq!(fields(plain, "\"1\"2,3"), "character '2' after quoted field at 3");
        assert_eq!(plain.fields("1,2,3", 2).unwrap(), ["1", "2"]);
    }
}
