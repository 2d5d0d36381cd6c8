//! What is told of a text that is no JSON, in the words of the reference's reader.

use crate::error::{Error, ErrorKind, Result};

/// An error of reading, and the one-based line and column of the token that was read last.
#[derive(Debug)]
pub struct Misread {
    pub error: Error,
    pub line: u32,
    pub col: u32,
}

/// The parser that reads the value of the last of a path of fields.
pub type Reads = fn(&[&str]) -> Option<&'static str>;

impl Misread {
    /// An error within the last of a path of fields, as the parser of the object there tells it, and those that declare the fields.
    pub fn within(error: Error, path: &[&str], (line, col): (u32, u32), declares: Reads, makes_object: Reads) -> Self {
        let told = |what: String, cause: Error| {
            Error::new(ErrorKind::XContentParse, format!("[{line}:{col}] {what}")).caused_by(cause)
        };
        let error = match makes_object(path) {
            Some(parser) => told(format!("[{parser}] failed to parse object"), error),
            None => error,
        };
        let error = (1..=path.len()).rev().fold(error, |error, length| match declares(&path[..length]) {
            Some(parser) => told(format!("[{parser}] failed to parse field [{}]", path[length - 1]), error),
            None => error,
        });
        Self { error, line, col }
    }

    /// As the reader of a query tells it that is a whole request.
    pub fn of_query(self) -> Error {
        let error = Error::new(ErrorKind::Parsing, "Failed to parse");
        error.with("line", i64::from(self.line)).with("col", i64::from(self.col)).caused_by(self.error)
    }
}

impl From<Error> for Misread {
    fn from(error: Error) -> Self {
        Self { error, line: 1, col: 1 }
    }
}

/// Refuses a text whose kind of content nobody tells, and which does not begin as an object does.
pub fn check_begins_object(text: &[u8]) -> Result<()> {
    match text.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'{') => Ok(()),
        _ => Err(Error::new(ErrorKind::XContentParse, "Failed to derive xcontent")),
    }
}

/// What is told of a place where a value has to begin.
pub const VALUE_EXPECTED: &str = "expected a value";
pub const ANY_VALUE_EXPECTED: &str =
    "expected a valid value (JSON String, Number, Array, Object or token 'null', 'true' or 'false')";
pub const IN_ESCAPE: &str = " in character escape sequence";
pub const IN_COMMENT: &str = " in a comment";

#[cold]
pub fn non_standard(word: &str, end: usize) -> Error {
    syntax_error(
        format!("Non-standard token '{word}': enable `JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS` to allow"),
        end,
    )
}

/// The error of a value that is no text where base64 is wanted, read up to `end`.
#[cold]
pub fn not_binary(token: &str, end: usize) -> Error {
    let what = "not VALUE_STRING or VALUE_EMBEDDED_OBJECT, cannot access as binary";
    syntax_error(format!("Current token ({token}) {what}"), end)
}

#[cold]
pub fn syntax_error(what: String, offset: usize) -> Error {
    let reason = located(&what, offset);
    Error::new(ErrorKind::JsonParse, reason.clone()).caused_by(Error::new(ErrorKind::StreamRead, reason))
}

pub fn located(what: &str, offset: usize) -> String {
    format!(
        "{what}\n at [Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); byte offset: #{offset}]"
    )
}

/// The error of a text that was never bytes: how far its reader came is not known.
pub fn of_text(error: Error) -> Error {
    const OFFSET: &str = "disabled); byte offset: #";
    error.rephrased(&|reason| match reason.rsplit_once(OFFSET) {
        Some((before, offset)) if offset.strip_suffix(']').is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit())) => {
            format!("{before}{OFFSET}UNKNOWN]")
        }
        _ => reason.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Value, parse, parse_declared};
    use super::*;

    #[test]
    fn errors_of_the_reference() {
        for (text, reason, offset) in [
            ("{\"query\"", "Unexpected end-of-input within/between Object entries", 8),
            ("{\"query\":", "Unexpected end-of-input within/between Object entries", 9),
            ("{\"", "Unexpected end-of-input: was expecting closing '\"' for name", 2),
            ("{\"a\":\"", "Unexpected end-of-input in VALUE_STRING", 6),
            ("{\"a", "Unexpected end-of-input in property name", 3),
            ("{\"a\":1,", "Unexpected end-of-input within/between Object entries", 7),
            ("{\"a\":[1,", "Unexpected end-of-input within/between Array entries", 8),
            ("{\"a\":\"\\", "Unexpected end-of-input in character escape sequence", 7),
            ("{\"a\":1 /*", "Unexpected end-of-input in a comment", 9),
            ("{\"a\":[1,]}", "Unexpected character (']' (code 93)): expected a value", 8),
            ("{\"a\":}", "Unexpected character ('}' (code 125)): expected a value", 5),
            (
                "{\"a\":1.",
                "Unexpected character ('.' (code 46)) in numeric value: Decimal point not followed by a digit",
                6,
            ),
            (
                "x",
                "Unrecognized token 'x': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
                0,
            ),
            (
                "{\"a\":truex}",
                "Unrecognized token 'truex': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
                5,
            ),
            ("{x", "Unexpected character ('x' (code 120)): was expecting double-quote to start property name", 1),
            ("{\"size\":01}", "Invalid numeric value: Leading zeroes not allowed", 9),
            (
                "{\"size\":1.}",
                "Unexpected character ('}' (code 125)) in numeric value: Decimal point not followed by a digit",
                10,
            ),
            (
                "{\"size\" 1}",
                "Unexpected character ('1' (code 49)): was expecting a colon to separate property name and value",
                8,
            ),
            (
                "{\"size\":1,}",
                "Unexpected character ('}' (code 125)): was expecting double-quote to start property name",
                10,
            ),
            ("{\"s\\x\":1}", "Unrecognized character escape 'x' (code 120)", 4),
            ("{\"size\":1,\"size\":2}", "Duplicate Object property \"size\"", 16),
            (
                "{\"size\":NaN}",
                "Non-standard token 'NaN': enable `JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS` to allow",
                11,
            ),
            ("{\"size\":1}]", "Unexpected close marker ']': no open Array to close", 10),
        ] {
            assert_eq!(parse(text.as_bytes()).unwrap_err().reason(), located(reason, offset), "{text}");
        }
        let error = parse(b"{\"size\":1}{\"size\":1}").unwrap_err();
        assert_eq!(error.reason(), "Unexpected token [START_OBJECT] found after the main object.");
        assert_eq!(error.field("col"), Some(&Value::Int(11)));
        assert!(parse(b"\xef\xbb\xbf{}").is_ok());
    }

    #[test]
    fn errors_tell_the_declared_fields_that_they_lie_within() {
        let declares = |path: &[&str]| path.ends_with(&["bool", "must"]).then_some("bool");
        let told = |text: &str| {
            let error = parse_declared(text.as_bytes(), declares).unwrap_err();
            error.reason().lines().next().unwrap_or_default().to_owned()
        };
        for (text, reason) in [
            (r#"{"bool":{"must":[{"a":1},]}}"#, "[1:26] [bool] failed to parse field [must]"),
            (r#"{"bool":{"must":[{"a":1}}"#, "[1:25] [bool] failed to parse field [must]"),
            (r#"{"bool":{"must":{"a":1,}}}"#, "[1:22] [bool] failed to parse field [must]"),
            (r#"{"bool":{"must":["#, "[1:17] [bool] failed to parse field [must]"),
            // The value is read along with its key.
            (
                r#"{"bool":{"must":x}}"#,
                "Unrecognized token 'x': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
            ),
            (
                r#"{"bool":{"must":[],}}"#,
                "Unexpected character ('}' (code 125)): was expecting double-quote to start property name",
            ),
        ] {
            assert_eq!(told(text), reason, "{text}");
        }
    }
}
