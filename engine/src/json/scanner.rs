//! JSON read as its reader asks for it, without a tree: the quick way through documents. What is malformed is only
//! detected here; the reason is found by reading again with [`parse`](super::parse), which knows the reference's words for it.

use std::borrow::Cow;

/// The text is no JSON.
#[derive(Debug, PartialEq)]
pub struct Malformed;

/// A value that holds no others. Numbers stay digits until someone reads them.
#[derive(Clone, Debug, PartialEq)]
pub enum Plain<'a> {
    Null,
    Bool(bool),
    Number(&'a str),
    String(Cow<'a, str>),
}

pub struct Scanner<'a> {
    pub text: &'a str,
    bytes: &'a [u8],
    pub at: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str) -> Self {
        // A byte order mark counts for nothing.
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Self { text, bytes: text.as_bytes(), at }
    }

    /// The next byte that is neither space nor comment; it is not consumed.
    #[inline]
    pub fn peek(&mut self) -> Result<u8, Malformed> {
        self.peek_or_end()?.ok_or(Malformed)
    }

    /// The same, or `None` at the end of the text.
    #[inline]
    pub fn peek_or_end(&mut self) -> Result<Option<u8>, Malformed> {
        loop {
            match self.bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(b'/') => self.comment()?,
                byte => return Ok(byte.copied()),
            }
        }
    }

    #[cold]
    fn comment(&mut self) -> Result<(), Malformed> {
        let rest = &self.bytes[self.at..];
        self.at += match rest.get(1) {
            Some(b'/') => memchr::memchr(b'\n', rest).unwrap_or(rest.len()),
            Some(b'*') => memchr::memmem::find(&rest[2..], b"*/").ok_or(Malformed)? + 4,
            _ => return Err(Malformed),
        };
        Ok(())
    }

    /// Consumes `byte`, which must come next.
    #[inline]
    pub fn expect(&mut self, byte: u8) -> Result<(), Malformed> {
        if self.peek()? != byte {
            return Err(Malformed);
        }
        self.at += 1;
        Ok(())
    }

    /// After an entry: consumes a comma (`true`) or the closing bracket (`false`).
    #[inline]
    pub fn more(&mut self, close: u8) -> Result<bool, Malformed> {
        let byte = self.peek()?;
        self.at += 1;
        match byte {
            b',' => Ok(true),
            byte if byte == close => Ok(false),
            _ => Err(Malformed),
        }
    }

    /// After an opening bracket: whether the closing one follows at once; it is consumed.
    #[inline]
    pub fn closes(&mut self, close: u8) -> Result<bool, Malformed> {
        let closes = self.peek()? == close;
        self.at += usize::from(closes);
        Ok(closes)
    }

    /// Reads a key and its colon; gives the key and the place of its raw text.
    #[inline]
    pub fn key(&mut self) -> Result<(Cow<'a, str>, (u32, u32)), Malformed> {
        if self.peek()? != b'"' {
            return Err(Malformed);
        }
        let start = self.at + 1;
        let key = self.string()?;
        let span = (start as u32, self.at as u32 - 1);
        self.expect(b':')?;
        Ok((key, span))
    }

    /// Reads a value that is neither object nor array; those must not come here.
    #[inline]
    pub fn plain(&mut self) -> Result<Plain<'a>, Malformed> {
        Ok(match self.peek()? {
            b'"' => Plain::String(self.string()?),
            b'-' | b'0'..=b'9' => Plain::Number(self.number()?),
            b't' => self.word("true", Plain::Bool(true))?,
            b'f' => self.word("false", Plain::Bool(false))?,
            b'n' => self.word("null", Plain::Null)?,
            _ => return Err(Malformed),
        })
    }

    /// Passes over a value, whatever it is; gives where it begins and ends. `depth` is how many more may lie in one another.
    pub fn skip(&mut self, depth: usize) -> Result<(usize, usize), Malformed> {
        let first = self.peek()?;
        let start = self.at;
        let close = match first {
            b'{' => b'}',
            b'[' => b']',
            b'"' => {
                self.skip_string()?;
                return Ok((start, self.at));
            }
            _ => {
                self.plain()?;
                return Ok((start, self.at));
            }
        };
        let depth = depth.checked_sub(1).ok_or(Malformed)?;
        self.at += 1;
        if !self.closes(close)? {
            loop {
                if close == b'}' {
                    self.peek()?;
                    self.skip_string()?;
                    self.expect(b':')?;
                }
                self.skip(depth)?;
                if !self.more(close)? {
                    break;
                }
            }
        }
        Ok((start, self.at))
    }

    /// Passes over a string that begins here, its escapes unread.
    fn skip_string(&mut self) -> Result<(), Malformed> {
        if self.bytes.get(self.at) != Some(&b'"') {
            return Err(Malformed);
        }
        self.at += 1;
        loop {
            self.at += plain_length(self.bytes.get(self.at..).ok_or(Malformed)?);
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.at += 2,
                _ => return Err(Malformed),
            }
        }
    }

    fn word(&mut self, word: &str, value: Plain<'a>) -> Result<Plain<'a>, Malformed> {
        let after = self.at + word.len();
        let whole = self.bytes[self.at..].starts_with(word.as_bytes())
            && self.text[after..].chars().next().is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '$');
        if !whole {
            return Err(Malformed);
        }
        self.at = after;
        Ok(value)
    }

    /// Reads a string that begins here; borrowed unless it has escapes.
    #[inline]
    pub fn string(&mut self) -> Result<Cow<'a, str>, Malformed> {
        let start = self.at + 1;
        let end = start + plain_length(self.bytes.get(start..).ok_or(Malformed)?);
        match self.bytes.get(end) {
            Some(b'"') => {
                self.at = end + 1;
                Ok(Cow::Borrowed(&self.text[start..end]))
            }
            Some(b'\\') => self.escaped(start, end).map(Cow::Owned),
            _ => Err(Malformed),
        }
    }

    /// The rest of a string of which `start..end` is plain and an escape follows.
    #[cold]
    fn escaped(&mut self, start: usize, mut end: usize) -> Result<String, Malformed> {
        let mut out = String::with_capacity((end - start) * 2 + 16);
        let mut copied = start;
        loop {
            out.push_str(&self.text[copied..end]);
            match self.bytes.get(end) {
                Some(b'"') => {
                    self.at = end + 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    self.at = end + 1;
                    let c = self.escape()?;
                    out.push(c);
                }
                _ => return Err(Malformed),
            }
            copied = self.at;
            end = copied + plain_length(&self.bytes[copied..]);
        }
    }

    fn escape(&mut self) -> Result<char, Malformed> {
        let byte = *self.bytes.get(self.at).ok_or(Malformed)?;
        self.at += 1;
        if byte != b'u' {
            return escaped(byte).ok_or(Malformed);
        }
        let first = self.hex4()?;
        if !(is_high(first) && self.bytes[self.at..].starts_with(b"\\u")) {
            return Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let back = self.at;
        self.at += 2;
        let second = self.hex4()?;
        Ok(pair(first, second).unwrap_or_else(|| {
            self.at = back;
            char::REPLACEMENT_CHARACTER
        }))
    }

    fn hex4(&mut self) -> Result<u32, Malformed> {
        let digits = self.bytes.get(self.at..self.at + 4).ok_or(Malformed)?;
        self.at += 4;
        digits.iter().try_fold(0, |code, d| Some(code * 16 + (*d as char).to_digit(16)?)).ok_or(Malformed)
    }

    /// The digits of a number that begins here.
    #[inline]
    fn number(&mut self) -> Result<&'a str, Malformed> {
        let start = self.at;
        self.at += usize::from(self.bytes[start] == b'-');
        let whole = self.digits();
        if whole == 0 || (whole > 1 && self.bytes[self.at - whole] == b'0') {
            return Err(Malformed);
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return Err(Malformed);
            }
        }
        if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.bytes.get(self.at), Some(b'+' | b'-')));
            if self.digits() == 0 {
                return Err(Malformed);
            }
        }
        Ok(&self.text[start..self.at])
    }

    fn digits(&mut self) -> usize {
        let count = self.bytes[self.at..].iter().take_while(|b| b.is_ascii_digit()).count();
        self.at += count;
        count
    }
}

/// What a letter behind a backslash stands for, where digits do not say it.
pub(super) fn escaped(letter: u8) -> Option<char> {
    Some(match letter {
        b'"' | b'\\' | b'/' => letter as char,
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        _ => return None,
    })
}

/// Whether a unit of UTF-16 is the first half of a character.
pub(super) fn is_high(unit: u32) -> bool {
    (0xd800..0xdc00).contains(&unit)
}

/// The character of a first half and what follows it, if that is a second one.
pub(super) fn pair(high: u32, unit: u32) -> Option<char> {
    let is_low = (0xdc00..0xe000).contains(&unit);
    is_low.then(|| char::from_u32(0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00))).flatten()
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;
const SPACES: u64 = ONES * 0x20;

/// A bit in each byte that is a quote, a backslash or a control character, and perhaps in bytes above the first of them: borrows can
/// disturb those.
#[inline]
fn special_bytes(word: u64) -> u64 {
    let zero_bytes = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    let control = word.wrapping_sub(SPACES) & !word & HIGHS;
    control | zero_bytes(word ^ (ONES * 0x22)) | zero_bytes(word ^ (ONES * 0x5c))
}

/// How many bytes of a string stand for themselves: up to the next quote, backslash or control character.
#[inline]
pub(super) fn plain_length(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    for (i, word) in words.iter().enumerate() {
        let found = special_bytes(u64::from_le_bytes(*word));
        if found != 0 {
            return 8 * i + (found.trailing_zeros() / 8) as usize;
        }
    }
    // The end is looked at as a word, too, in which some bytes may stand twice.
    let last = match (bytes.last_chunk::<8>(), rest.first_chunk::<4>(), rest.last_chunk::<4>(), rest) {
        (Some(last), ..) => u64::from_le_bytes(*last),
        (None, Some(first), Some(last), _) => {
            u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last))
        }
        (.., [first, .., last]) => SPACES << 24 | u64::from(*last) << 16 | u64::from(rest[1]) << 8 | u64::from(*first),
        (.., [only]) => SPACES << 8 | u64::from(*only),
        (.., []) => return 0,
    };
    if special_bytes(last) == 0 {
        return bytes.len();
    }
    bytes.len() - rest.len() + rest.iter().take_while(|b| **b >= 0x20 && **b != b'"' && **b != b'\\').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    pub(super) fn plain_length_agrees_with_its_slow_twin() {
        let slow = |bytes: &[u8]| bytes.iter().take_while(|b| **b >= 0x20 && **b != b'"' && **b != b'\\').count();
        for special in [b'"', b'\\', 0, 0x1f, b'\n'] {
            for length in 0..40 {
                for at in 0..=length {
                    for filler in [b'a', 0x20, 0x21, 0x23, 0x5b, 0x7f, 0x80, 0xff] {
                        let mut bytes = vec![filler; length];
                        if at < length {
                            bytes[at] = special;
                        }
                        assert_eq!(plain_length(&bytes), slow(&bytes), "{bytes:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn strings_borrow_unless_escaped() {
        let read = |text: &'static str| Scanner::new(text).string();
        assert!(matches!(read(r#""plain é""#), Ok(Cow::Borrowed("plain é"))));
        assert_eq!(read(r#""a\n\u00e9\ud83d\ude00\ud83dx\/""#).unwrap(), "a\né😀\u{fffd}x/");
        for text in [r#""open"#, r#""\x""#, "\"\u{1}\"", r#""\u12""#, r#""\ud83d\u12""#, "\""] {
            assert_eq!(read(text), Err(Malformed), "{text}");
        }
    }

    #[test]
    fn numbers_are_digits() {
        let read = |text: &'static str| {
            let mut scanner = Scanner::new(text);
            scanner.plain().map(|value| (value, scanner.at))
        };
        assert_eq!(read("-1.5e+3,"), Ok((Plain::Number("-1.5e+3"), 7)));
        assert_eq!(read(" /* c */ 0]"), Ok((Plain::Number("0"), 10)));
        for text in ["01", "-", "1.", "1e", ".5", "+1", "NaN", "truex", "nul"] {
            assert_eq!(read(text), Err(Malformed), "{text}");
        }
    }

    #[test]
    fn values_are_passed_over() {
        let skip = |text: &'static str| Scanner::new(text).skip(2).map(|(start, end)| &text[start..end]);
        for text in [r#"{"a\"]":[1, "x}"] }"#, "[]", "{}", r#""a\\""#, "-1.5", "null"] {
            let followed: &'static str = Box::leak(format!(" {text} ,1").into_boxed_str());
            assert_eq!(skip(followed), Ok(text));
        }
        for text in ["[[[]]]", "[1", "{1:2}", r#"{"a" 1}"#, "[1}", r#""a\"#, ""] {
            assert_eq!(skip(text), Err(Malformed), "{text}");
        }
    }
}
