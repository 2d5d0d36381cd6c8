//! Text to [`Value`], by recursive descent with a bounded depth.

use super::{Entry, Map, Value};
use crate::error::{Error, ErrorKind, Result};

/// Deepest nesting of arrays and objects that is read. The reference stops at 1,000 (Jackson's limit); so do we.
pub const MAX_DEPTH: usize = 1000;

/// Reads one JSON value; only white space and comments may follow it. Duplicate keys are an error.
/// Errors are `json_parse_exception` (or `json_e_o_f_exception` where the text ends too soon).
pub fn parse(text: &[u8]) -> Result<Value> {
    let text_str = std::str::from_utf8(text)
        .map_err(|e| Error::new(ErrorKind::JsonParse, format!("Invalid UTF-8 at byte {}", e.valid_up_to())))?;
    let mut reader = Reader { text, text_str, at: 0 };
    reader.skip_space()?;
    let value = reader.value(0)?;
    reader.skip_space()?;
    if reader.at < text.len() {
        return Err(reader.unexpected("expected end of content"));
    }
    Ok(value)
}

/// One-based line and column of a byte offset.
pub fn line_col(text: &[u8], pos: u32) -> (u32, u32) {
    let before = &text[..(pos as usize).min(text.len())];
    let line = memchr::memchr_iter(b'\n', before).count() as u32 + 1;
    let col = before.len() - memchr::memrchr(b'\n', before).map_or(0, |i| i + 1) + 1;
    (line, col as u32)
}

struct Reader<'a> {
    text: &'a [u8],
    text_str: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Result<Value> {
        if depth > MAX_DEPTH {
            return Err(
                self.error(format!("Document nesting depth ({depth}) exceeds the maximum allowed ({MAX_DEPTH})"))
            );
        }
        match self.peek()? {
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            b'"' => Ok(Value::String(self.string()?)),
            b't' => self.literal("true", Value::Bool(true)),
            b'f' => self.literal("false", Value::Bool(false)),
            b'n' => self.literal("null", Value::Null),
            b'-' | b'0'..=b'9' => self.number(),
            _ => Err(self.unexpected(
                "expected a valid value (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
            )),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value> {
        self.at += 1;
        let mut map = Map::new();
        let mut seen: Option<ahash::AHashSet<String>> = None;
        self.skip_space()?;
        if self.peek()? == b'}' {
            self.at += 1;
            return Ok(Value::Object(map));
        }
        loop {
            if self.peek()? != b'"' {
                return Err(self.unexpected("was expecting double-quote to start field name"));
            }
            let key_pos = self.at as u32;
            let key = self.string()?;
            let duplicate = match &mut seen {
                None => map.contains(&key),
                Some(seen) => !seen.insert(key.clone()),
            };
            if duplicate {
                return Err(self.error(format!("Duplicate field '{key}'")));
            }
            self.skip_space()?;
            if self.peek()? != b':' {
                return Err(self.unexpected("was expecting a colon to separate field name and value"));
            }
            self.at += 1;
            self.skip_space()?;
            let value_pos = self.at as u32;
            let value = self.value(depth + 1)?;
            map.entries.push(Entry { key, value, key_pos, value_pos });
            // Linear search for duplicates up to here; a set beyond, so that hostile objects stay linear.
            if map.len() == 32 {
                seen = Some(map.entries.iter().map(|e| e.key.clone()).collect());
            }
            self.skip_space()?;
            match self.peek()? {
                b',' => {
                    self.at += 1;
                    self.skip_space()?;
                }
                b'}' => {
                    self.at += 1;
                    return Ok(Value::Object(map));
                }
                _ => return Err(self.unexpected("was expecting comma to separate Object entries")),
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value> {
        self.at += 1;
        let mut items = Vec::new();
        self.skip_space()?;
        if self.peek()? == b']' {
            self.at += 1;
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.skip_space()?;
            match self.peek()? {
                b',' => {
                    self.at += 1;
                    self.skip_space()?;
                }
                b']' => {
                    self.at += 1;
                    return Ok(Value::Array(items));
                }
                _ => return Err(self.unexpected("was expecting comma to separate Array entries")),
            }
        }
    }

    fn string(&mut self) -> Result<String> {
        self.at += 1;
        let start = self.at;
        let mut out = String::new();
        let mut copied = start;
        loop {
            let Some(&byte) = self.text.get(self.at) else { return Err(self.eof()) };
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
                    return Err(self.error(format!(
                        "Illegal unquoted character ((CTRL-CHAR, code {byte})): has to be escaped using backslash to be included in string value"
                    )));
                }
                _ => self.at += 1,
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<()> {
        let byte = self.peek()?;
        self.at += 1;
        out.push(match byte {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let first = self.hex4()?;
                match first {
                    0xd800..=0xdbff if self.text[self.at..].starts_with(b"\\u") => {
                        let back = self.at;
                        self.at += 2;
                        let second = self.hex4()?;
                        if (0xdc00..=0xdfff).contains(&second) {
                            let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                            char::from_u32(code).expect("a surrogate pair makes a valid code point")
                        } else {
                            self.at = back;
                            char::REPLACEMENT_CHARACTER
                        }
                    }
                    _ => char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER),
                }
            }
            other => {
                return Err(self.error(format!("Unrecognized character escape '{}' (code {other})", other as char)));
            }
        });
        Ok(())
    }

    fn hex4(&mut self) -> Result<u32> {
        let digits = self.text.get(self.at..self.at + 4).ok_or_else(|| self.eof())?;
        let mut code = 0;
        for &d in digits {
            let digit = (d as char).to_digit(16).ok_or_else(|| {
                self.error(format!(
                    "Unexpected character ('{}' (code {d})): expected a hex-digit for character escape sequence",
                    d as char
                ))
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
            return Err(self.unexpected("expected digit (0-9) to follow minus sign, for valid numeric value"));
        }
        if self.text[int_start] == b'0' && self.at > int_start + 1 {
            return Err(self.error("Invalid numeric value: Leading zeroes not allowed".into()));
        }
        let mut float = false;
        if self.text.get(self.at) == Some(&b'.') {
            self.at += 1;
            float = true;
            let fraction = self.at;
            self.digits();
            if self.at == fraction {
                return Err(self.unexpected("Decimal point not followed by a digit"));
            }
        }
        if matches!(self.text.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            float = true;
            self.at += usize::from(matches!(self.text.get(self.at), Some(b'+' | b'-')));
            let exponent = self.at;
            self.digits();
            if self.at == exponent {
                return Err(self.unexpected("Exponent indicator not followed by a digit"));
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
        if self.text[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(value);
        }
        let end = self.text[self.at..]
            .iter()
            .position(|b| !b.is_ascii_alphanumeric())
            .map_or(self.text.len(), |n| self.at + n);
        let token = String::from_utf8_lossy(&self.text[self.at..end]).into_owned();
        Err(self.error(format!("Unrecognized token '{token}': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')")))
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
                        let end = memchr::memmem::find(&self.text[self.at + 2..], b"*/").ok_or_else(|| self.eof())?;
                        self.at += end + 4;
                    }
                    _ => return Err(self.unexpected("maybe a (non-standard) comment?")),
                },
                _ => return Ok(()),
            }
        }
    }

    fn peek(&self) -> Result<u8> {
        self.text.get(self.at).copied().ok_or_else(|| self.eof())
    }

    #[cold]
    fn unexpected(&self, expectation: &str) -> Error {
        match self.text_str.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some(c) => self.error(format!("Unexpected character ('{c}' (code {})): {expectation}", c as u32)),
            None => self.eof(),
        }
    }

    #[cold]
    fn error(&self, what: String) -> Error {
        let (line, col) = line_col(self.text, self.at as u32);
        Error::new(
            ErrorKind::JsonParse,
            format!(
                "{what}\n at [Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); line: {line}, column: {col}]"
            ),
        )
    }

    #[cold]
    fn eof(&self) -> Error {
        let (line, col) = line_col(self.text, self.at as u32);
        Error::new(
            ErrorKind::JsonEof,
            format!(
                "Unexpected end-of-input\n at [Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); line: {line}, column: {col}]"
            ),
        )
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
