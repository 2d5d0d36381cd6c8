//! Text to [`Value`], by recursive descent with a bounded depth.

use super::misread::{
    ANY_VALUE_EXPECTED, IN_COMMENT, IN_ESCAPE, Misread, Reads, VALUE_EXPECTED, located, non_standard, syntax_error,
};
use super::scanner::{escaped, is_high, pair};
use super::{Entry, Map, Value};
use crate::error::{Error, ErrorKind, Result};

/// Deepest nesting of arrays and objects that is read. The reference stops at 1,000 (Jackson's limit); so do we.
pub const MAX_DEPTH: usize = 1000;

/// Reads one JSON value; only white space and comments may follow it. Duplicate keys are an error.
/// Errors are `json_parse_exception` (or `unexpected_end_of_input_exception` where the text ends too soon).
pub fn parse(text: &[u8]) -> Result<Value> {
    Reader::new(text)?.whole()
}

/// As [`parse`], for requests whose parsers declare their fields: such a parser tells of an error within a field which field
/// that is. `declares` names the parser that declares the last of a path of fields.
pub fn parse_declared(text: &[u8], declares: Reads) -> Result<Value> {
    parse_declared_objects(text, declares, |_| None)
}

/// The same where some objects have parsers that tell that they could not read them: `makes_object` names those of the last of a path.
pub fn parse_declared_objects(text: &[u8], declares: Reads, makes_object: Reads) -> Result<Value> {
    let mut reader = Reader::new(text)?;
    reader.whole().map_err(|error| reader.misread(error, declares, makes_object).error)
}

/// As [`parse_prefix`], with errors as [`parse_declared`] has them.
pub fn parse_declared_prefix(text: &[u8], declares: Reads) -> std::result::Result<(Value, usize), Misread> {
    let mut reader = Reader::new(text)?;
    match reader.prefix() {
        Ok(value) => Ok((value, reader.at)),
        Err(error) => Err(reader.misread(error, declares, |_| None)),
    }
}

/// Reads the JSON value that `text` begins with; also gives where the text goes on after it and white space. Some
/// requests are read no further than that.
pub fn parse_prefix(text: &[u8]) -> Result<(Value, usize)> {
    let mut reader = Reader::new(text)?;
    let value = reader.prefix()?;
    Ok((value, reader.at))
}

/// What a text begins with, if it can be read and is no object.
pub fn leading_token(text: &[u8]) -> Option<&'static str> {
    let mut reader = Reader::new(text).ok()?;
    match reader.peek_opt()? {
        b'[' => Some("START_ARRAY"),
        b'"' => reader.string(false).ok().map(|_| "VALUE_STRING"),
        b'-' | b'0'..=b'9' => reader.number().ok().map(|_| "VALUE_NUMBER"),
        _ => None,
    }
}

/// One-based line and column of a byte offset.
pub fn line_col(text: &[u8], pos: u32) -> (u32, u32) {
    let before = &text[..(pos as usize).min(text.len())];
    let line = memchr::memchr_iter(b'\n', before).count() as u32 + 1;
    let col = before.len() - memchr::memrchr(b'\n', before).map_or(0, |i| i + 1) + 1;
    (line, col as u32)
}

/// What is told of bytes that are no text. Where a value has to begin a byte is taken for a character by itself; and what comes before
/// the bytes is read first.
#[cold]
fn not_utf8(text: &[u8], at: usize) -> Error {
    let byte = text.get(at).copied().unwrap_or_default();
    let before = std::str::from_utf8(&text[..at]).unwrap_or_default();
    let mut reader = Reader { text: &text[..at], text_str: before, at: 0, token: 0, within: vec![] };
    match reader.prefix() {
        // It ends before the bytes, or is wrong already.
        Err(error) if error.kind() != ErrorKind::JsonEof && !error.reason().starts_with("Unexpected end-of-input") => {
            error
        }
        _ if before.trim_ascii().is_empty() => syntax_error(
            format!("Unexpected character ('{}' (code {byte})): {ANY_VALUE_EXPECTED}", char::from(byte)),
            at,
        ),
        _ => syntax_error(format!("Invalid UTF-8 start byte 0x{byte:02x}"), at + 1),
    }
}

struct Reader<'a> {
    text: &'a [u8],
    text_str: &'a str,
    at: usize,
    /// Where the last token began, for errors that tell where their reader stood.
    token: usize,
    /// After an error, the fields whose values it lies within, the innermost first.
    within: Vec<String>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a [u8]) -> Result<Self> {
        let text_str = std::str::from_utf8(text).map_err(|e| not_utf8(text, e.valid_up_to()))?;
        // A byte order mark counts for nothing.
        let at = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Ok(Self { text, text_str, at, token: at, within: vec![] })
    }

    fn whole(&mut self) -> Result<Value> {
        let value = self.prefix()?;
        match self.peek_opt() {
            None => Ok(value),
            Some(_) => Err(self.after_main_object(self.at)),
        }
    }

    fn prefix(&mut self) -> Result<Value> {
        self.skip_space()?;
        let value = self.value(0)?;
        self.skip_space()?;
        Ok(value)
    }

    /// The error as the parsers around the place where it lies tell it.
    #[cold]
    fn misread(&self, error: Error, declares: Reads, makes_object: Reads) -> Misread {
        let path: Vec<&str> = self.within.iter().rev().map(String::as_str).collect();
        Misread::within(error, &path, line_col(self.text, self.token as u32), declares, makes_object)
    }

    fn value(&mut self, depth: usize) -> Result<Value> {
        if depth > MAX_DEPTH {
            return Err(
                self.error(format!("Document nesting depth ({depth}) exceeds the maximum allowed ({MAX_DEPTH})"))
            );
        }
        match self.peek()? {
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            b'"' => {
                self.token = self.at;
                Ok(Value::String(self.string(false)?))
            }
            b't' => self.literal("true", Value::Bool(true)),
            b'f' => self.literal("false", Value::Bool(false)),
            b'n' => self.literal("null", Value::Null),
            b'-' | b'0'..=b'9' => {
                let start = self.at;
                self.number().inspect(|_| self.token = start)
            }
            _ => Err(self.not_a_value()),
        }
    }

    #[cold]
    fn not_a_value(&self) -> Error {
        let rest = &self.text_str[self.at..];
        let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').map_or(rest, |end| &rest[..end]);
        match word {
            "NaN" | "Infinity" | "INF" => non_standard(word, self.at + word.len()),
            "" if rest.starts_with('+') => self.unexpected_number(
                self.at,
                "JSON spec does not allow numbers to have plus signs: enable \
                 `JsonReadFeature.ALLOW_LEADING_PLUS_SIGN_FOR_NUMBERS` to allow",
            ),
            "" if rest.starts_with(['}', ',']) => self.unexpected(VALUE_EXPECTED),
            "" => self.unexpected(ANY_VALUE_EXPECTED),
            _ => self.error(format!(
                "Unrecognized token '{word}': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')"
            )),
        }
    }

    /// The error of what follows the value that a text is to be.
    #[cold]
    fn after_main_object(&mut self, at: usize) -> Error {
        let token = match self.text[at] {
            b'{' => "START_OBJECT",
            b'[' => "START_ARRAY",
            b'"' => "VALUE_STRING",
            b'-' | b'0'..=b'9' => "VALUE_NUMBER",
            b'}' | b']' => {
                let (close, kind) = if self.text[at] == b']' { (']', "Array") } else { ('}', "Object") };
                return syntax_error(format!("Unexpected close marker '{close}': no open {kind} to close"), at);
            }
            _ => match self.value(0) {
                Ok(Value::Null) => "VALUE_NULL",
                Ok(_) => "VALUE_BOOLEAN",
                Err(error) => return error,
            },
        };
        let (line, col) = line_col(self.text, at as u32);
        Error::new(ErrorKind::Parsing, format!("Unexpected token [{token}] found after the main object."))
            .with("line", i64::from(line))
            .with("col", i64::from(col))
    }

    fn object(&mut self, depth: usize) -> Result<Value> {
        self.bracket();
        let mut map = Map::new();
        self.skip_space()?;
        match self.peek_in("Object")? {
            b'}' => {
                self.bracket();
                return Ok(Value::Object(map));
            }
            b']' => return Err(self.unexpected_close()),
            _ => {}
        }
        loop {
            if self.peek_after_comma("Object")? != b'"' {
                return Err(self.unexpected("was expecting double-quote to start property name"));
            }
            let key_at = self.at;
            let key_pos = key_at as u32;
            let key = self.string(true)?;
            if map.contains(&key) {
                // The reader still stands at what came before the name.
                return Err(self.error(format!("Duplicate Object property \"{key}\"")));
            }
            self.token = key_at;
            self.skip_space()?;
            if self.peek_between()? != b':' {
                return Err(self.unexpected("was expecting a colon to separate property name and value"));
            }
            self.at += 1;
            self.skip_space()?;
            self.peek_between()?;
            let value_pos = self.at as u32;
            // Readers of tokens take plain values along with the key, so they are not yet within it.
            let entered = matches!(self.peek_opt(), Some(b'{' | b'[' | b'"'));
            let value = match self.value(depth + 1) {
                Ok(value) => value,
                Err(error) => {
                    if entered {
                        self.within.push(key);
                    }
                    return Err(error);
                }
            };
            map.entries.push(Entry { key, value, key_pos, value_pos });
            self.skip_space()?;
            match self.peek_in("Object")? {
                b',' => {
                    self.at += 1;
                    self.skip_space()?;
                }
                b'}' => {
                    self.bracket();
                    return Ok(Value::Object(map));
                }
                b']' => return Err(self.unexpected_close()),
                _ => return Err(self.unexpected("was expecting comma to separate Object entries")),
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value> {
        self.bracket();
        let mut items = Vec::new();
        self.skip_space()?;
        match self.peek_in("Array")? {
            b']' => {
                self.bracket();
                return Ok(Value::Array(items));
            }
            b'}' => return Err(self.unexpected_close()),
            _ => {}
        }
        loop {
            if self.peek_after_comma("Array")? == b']' {
                self.token = self.at;
                return Err(self.unexpected(VALUE_EXPECTED));
            }
            self.token = self.at;
            items.push(self.value(depth + 1)?);
            self.skip_space()?;
            match self.peek_in("Array")? {
                b',' => {
                    self.at += 1;
                    self.skip_space()?;
                }
                b']' => {
                    self.bracket();
                    return Ok(Value::Array(items));
                }
                b'}' => return Err(self.unexpected_close()),
                _ => return Err(self.unexpected("was expecting comma to separate Array entries")),
            }
        }
    }

    /// Consumes a bracket.
    fn bracket(&mut self) {
        self.token = self.at;
        self.at += 1;
    }

    fn string(&mut self, name: bool) -> Result<String> {
        self.at += 1;
        let start = self.at;
        let mut out = String::new();
        let mut copied = start;
        loop {
            let Some(&byte) = self.text.get(self.at) else {
                let what = match name {
                    true if self.at == start => ": was expecting closing '\"' for name",
                    true => " in property name",
                    false => " in VALUE_STRING",
                };
                return Err(self.end_of_input(what));
            };
            match byte {
                b'"' => {
                    // Both ends are ASCII quotes or escapes, so the slice falls on character boundaries.
                    out.push_str(&self.text_str[copied..self.at]);
                    self.at += 1;
                    return Ok(out);
                }
                b'\\' => {
                    out.push_str(&self.text_str[copied..self.at]);
                    self.at += 1;
                    self.escape(&mut out)?;
                    copied = self.at;
                }
                0..=0x1f => {
                    let place = if name { "name" } else { "string value" };
                    return Err(self.error(format!(
                        "Illegal unquoted character ((CTRL-CHAR, code {byte})): has to be escaped using backslash to be included in {place}"
                    )));
                }
                _ => self.at += 1,
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<()> {
        let byte = self.peek_opt().ok_or_else(|| self.end_of_input(IN_ESCAPE))?;
        self.at += 1;
        if byte != b'u' {
            out.push(escaped(byte).ok_or_else(|| {
                let what = format!("Unrecognized character escape '{}' (code {byte})", byte as char);
                syntax_error(what, self.at - 1)
            })?);
            return Ok(());
        }
        let first = self.hex4()?;
        let mut read = char::from_u32(first);
        if is_high(first) && self.text[self.at..].starts_with(b"\\u") {
            let back = self.at;
            self.at += 2;
            read = pair(first, self.hex4()?);
            if read.is_none() {
                self.at = back;
            }
        }
        out.push(read.unwrap_or(char::REPLACEMENT_CHARACTER));
        Ok(())
    }

    fn hex4(&mut self) -> Result<u32> {
        let digits = self.text.get(self.at..self.at + 4).ok_or_else(|| self.end_of_input(IN_ESCAPE))?;
        let mut code = 0;
        for (i, &d) in digits.iter().enumerate() {
            let digit = (d as char).to_digit(16).ok_or_else(|| {
                let what = "expected a hex-digit for character escape sequence";
                syntax_error(format!("Unexpected character ('{}' (code {d})): {what}", d as char), self.at + i)
            })?;
            code = code * 16 + digit;
        }
        self.at += 4;
        Ok(code)
    }

    fn number(&mut self) -> Result<Value> {
        let start = self.at;
        self.at += usize::from(self.text[self.at] == b'-');
        let int_start = self.at;
        self.digits();
        if self.at == int_start {
            let rest = &self.text_str[self.at..];
            if let Some(word) = ["Infinity", "INF"].into_iter().find(|word| rest.starts_with(word)) {
                return Err(non_standard(&format!("-{word}"), self.at + word.len()));
            }
            let what = "expected digit (0-9) to follow minus sign, for valid numeric value";
            return Err(self.unexpected_number(self.at, what));
        }
        if self.text[int_start] == b'0' && self.at > int_start + 1 {
            return Err(syntax_error("Invalid numeric value: Leading zeroes not allowed".into(), int_start + 1));
        }
        if self.text[int_start] == b'0' && matches!(self.text.get(self.at), Some(b'x' | b'X')) {
            return Err(self.unexpected(
                "hexadecimal number literals require enabling `JsonReadFeature.ALLOW_HEXADECIMAL_NUMBERS`",
            ));
        }
        let mut float = false;
        if self.text.get(self.at) == Some(&b'.') {
            self.at += 1;
            float = true;
            let fraction = self.at;
            self.digits();
            if self.at == fraction {
                // At the end of the text it is the point that is told.
                let at = if self.at == self.text.len() { fraction - 1 } else { self.at };
                return Err(self.unexpected_number(at, "Decimal point not followed by a digit"));
            }
            if self.peek_opt() == Some(b'.') {
                let what = "Cannot parse number with more than one decimal point";
                return Err(self.unexpected_number(self.at, what));
            }
        }
        if matches!(self.text.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            float = true;
            self.at += usize::from(matches!(self.text.get(self.at), Some(b'+' | b'-')));
            let exponent = self.at;
            self.digits();
            if self.at == exponent {
                return Err(self.unexpected_number(self.at, "Exponent indicator not followed by a digit"));
            }
        }
        let digits = &self.text_str[start..self.at];
        if float {
            return Ok(Value::Float(digits.parse().expect("checked to be a number")));
        }
        Ok(match digits.parse::<i64>() {
            Ok(i) => Value::Int(i),
            Err(_) => digits.parse::<u64>().map_or_else(|_| Value::BigInt(digits.to_owned()), Value::UInt),
        })
    }

    fn digits(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
    }

    fn literal(&mut self, word: &str, value: Value) -> Result<Value> {
        let after = self.at + word.len();
        let whole = self.text[self.at..].starts_with(word.as_bytes())
            && self.text_str[after..].chars().next().is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '$');
        if !whole {
            return Err(self.not_a_value());
        }
        (self.token, self.at) = (self.at, after);
        Ok(value)
    }

    fn skip_space(&mut self) -> Result<()> {
        loop {
            match self.text.get(self.at) {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(b'/') => match self.text.get(self.at + 1) {
                    Some(b'/') => {
                        self.at += memchr::memchr(b'\n', &self.text[self.at..]).unwrap_or(self.text.len() - self.at);
                    }
                    Some(b'*') => {
                        let end = memchr::memmem::find(&self.text[self.at + 2..], b"*/");
                        self.at += end.ok_or_else(|| self.end_of_input(IN_COMMENT))? + 4;
                    }
                    None => return Err(self.end_of_input(IN_COMMENT)),
                    _ => return Err(self.unexpected("maybe a (non-standard) comment?")),
                },
                _ => return Ok(()),
            }
        }
    }

    fn peek_opt(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn peek(&self) -> Result<u8> {
        self.peek_opt().ok_or_else(|| self.eof())
    }

    /// The next byte where the entries of an open `kind` go on.
    fn peek_in(&self, kind: &str) -> Result<u8> {
        self.peek_opt().ok_or_else(|| {
            self.end_of_input(&format!(
                ": expected close marker for {kind} (start marker at [Source: REDACTED \
                 (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); byte offset: #UNKNOWN])"
            ))
        })
    }

    /// The next byte where an entry of an open `kind` has to begin.
    fn peek_after_comma(&self, kind: &str) -> Result<u8> {
        self.peek_opt().ok_or_else(|| {
            syntax_error(format!("Unexpected end-of-input within/between {kind} entries"), self.text.len())
        })
    }

    /// The next byte between the name and the value of an entry.
    fn peek_between(&self) -> Result<u8> {
        self.peek_opt().ok_or_else(|| self.end_of_input(" within/between Object entries"))
    }

    #[cold]
    fn unexpected(&self, expectation: &str) -> Error {
        if let Some(code @ ..b' ') = self.peek_opt() {
            return self.error(format!(
                "Illegal character ((CTRL-CHAR, code {code})): only regular white space (\\r, \\n, \\t) is allowed between tokens"
            ));
        }
        match self.text_str.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some(c) => self.error(format!("Unexpected character ('{c}' (code {})): {expectation}", c as u32)),
            None => self.eof(),
        }
    }

    #[cold]
    fn unexpected_number(&self, at: usize, what: &str) -> Error {
        match self.text_str.get(at..).and_then(|rest| rest.chars().next()) {
            Some(c) => {
                let offset = at + usize::from(c == '+');
                let code = c as u32;
                syntax_error(format!("Unexpected character ('{c}' (code {code})) in numeric value: {what}"), offset)
            }
            None => self.end_of_input(" in numeric value"),
        }
    }

    /// A bracket that closes something else than what is open.
    #[cold]
    fn unexpected_close(&mut self) -> Error {
        self.token = self.at;
        let (found, expected, kind) = match self.text[self.at] {
            b']' => (']', '}', "Object"),
            _ => ('}', ']', "Array"),
        };
        self.error(format!(
            "Unexpected close marker '{found}': expected '{expected}' (for {kind} starting at [Source: REDACTED \
             (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); byte offset: #UNKNOWN])"
        ))
    }

    #[cold]
    fn error(&self, what: String) -> Error {
        syntax_error(what, self.at)
    }

    #[cold]
    fn eof(&self) -> Error {
        self.end_of_input("")
    }

    #[cold]
    fn end_of_input(&self, what: &str) -> Error {
        let error = |cause: Option<Error>| {
            let reason = located(&format!("Unexpected end-of-input{what}"), self.text.len());
            let error = Error::new(ErrorKind::JsonEof, reason);
            if let Some(cause) = cause { error.caused_by(cause) } else { error }
        };
        error(Some(error(None)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_back() {
        for text in [r#"{"a":[1,-2,3.5,"x\n",null,true],"b":{}}"#, "[]", "18446744073709551615", "1.0E10"] {
            assert_eq!(String::from_utf8(parse(text.as_bytes()).unwrap().to_bytes()).unwrap(), text);
        }
        assert_eq!(parse(b"123456789012345678901").unwrap(), Value::BigInt("123456789012345678901".into()));
        assert_eq!(parse(br#""\ud83d\ude00\ud83d""#).unwrap().as_str(), Some("\u{1f600}\u{fffd}"));
        assert!(parse(b"/* c */ {} // end").is_ok());
    }

    #[test]
    fn refuses_what_is_not_json() {
        for text in
            [&b"{\"a\":1,\"a\":2}"[..], b"01", b"{", b"[1,]", b"nul", b"{} {}", b"\"\x01\"", b"1.", b"-", b"\xff"]
        {
            assert!(parse(text).is_err(), "{text:?}");
        }
        let deep = [vec![b'['; MAX_DEPTH + 2], vec![b']'; MAX_DEPTH + 2]].concat();
        assert!(parse(&deep).is_err());
    }

    #[test]
    fn keeps_positions() {
        let text = b"{\n  \"a\" : 7}";
        let value = parse(text).unwrap();
        let entry = &value.as_object().unwrap().entries[0];
        assert_eq!((line_col(text, entry.key_pos), line_col(text, entry.value_pos)), ((2, 3), (2, 9)));
    }
}
