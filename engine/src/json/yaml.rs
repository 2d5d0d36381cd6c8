//! JSON to YAML as the reference writes it: blocks, strings in double quotes folded at 80 columns, names plain where
//! they may be.

use super::tokens::{Token, Tokens, unescape};

const WIDTH: usize = 80;
/// Longer names (in UTF-16 units) are written behind a question mark.
const SIMPLE_KEY_MAX: usize = 128;

/// Turns one JSON value into a YAML document.
pub fn to_yaml(json: &[u8]) -> Vec<u8> {
    let mut yaml = Yaml { out: String::from("---"), open: vec![], after_key: false };
    let mut tokens = Tokens::new(json);
    while let Some(token) = tokens.next() {
        match token {
            Token::Key(text) => yaml.key(&unescape(text)),
            Token::Scalar(text) => yaml.scalar(text),
            Token::BeginObject | Token::BeginArray => {
                let object = token == Token::BeginObject;
                if matches!(tokens.peek(), Some(Token::EndObject | Token::EndArray)) {
                    tokens.next();
                    yaml.inline(if object { "{}" } else { "[]" });
                } else {
                    yaml.begin(object);
                }
            }
            Token::EndObject | Token::EndArray => {
                yaml.open.pop();
            }
        }
    }
    yaml.out.push('\n');
    yaml.out.into_bytes()
}

struct Open {
    object: bool,
    indent: usize,
    /// Whether its first entry stands on the line of the dash that holds it.
    on_line: bool,
}

struct Yaml {
    out: String,
    open: Vec<Open>,
    /// Whether a name has just been written whose value comes now.
    after_key: bool,
}

impl Yaml {
    /// Goes to where the next entry of the innermost block begins.
    fn entry(&mut self) {
        let Some(open) = self.open.last_mut() else { return };
        if open.on_line {
            open.on_line = false;
            return;
        }
        let indent = open.indent;
        self.new_line(indent);
    }

    fn new_line(&mut self, indent: usize) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(' ', indent));
    }

    fn indent(&self) -> usize {
        self.open.last().map_or(0, |open| open.indent)
    }

    fn key(&mut self, name: &str) {
        self.entry();
        let simple = !name.is_empty() && !name.contains('\n') && name.encode_utf16().count() < SIMPLE_KEY_MAX;
        if !simple {
            self.out.push_str("? ");
        }
        match key_style(name) {
            Style::Plain => self.out.push_str(name),
            Style::Single => {
                self.out.push('\'');
                self.out.push_str(&name.replace('\'', "''"));
                self.out.push('\'');
            }
            Style::Double => self.double_quoted(name, None),
        }
        if !simple {
            let indent = self.indent();
            self.new_line(indent);
        }
        self.out.push(':');
        self.after_key = true;
    }

    /// Writes what fits on the line of its name or dash.
    fn inline(&mut self, text: &str) {
        self.lead();
        self.out.push_str(text);
    }

    /// Writes what stands before a value on its line.
    fn lead(&mut self) {
        if self.open.last().is_some_and(|open| !open.object) {
            self.entry();
            self.out.push('-');
        }
        self.after_key = false;
        self.out.push(' ');
    }

    fn scalar(&mut self, text: &[u8]) {
        self.lead();
        if text.starts_with(b"\"") {
            let indent = self.indent() + 2;
            self.double_quoted(&unescape(text), Some(indent));
        } else {
            self.out.push_str(&String::from_utf8_lossy(text));
        }
    }

    fn begin(&mut self, object: bool) {
        let parent = self.open.last().map(|open| (open.object, open.indent));
        let (indent, on_line) = match parent {
            None => (0, false),
            // A list under a name is not indented.
            Some((true, indent)) => (if object { indent + 2 } else { indent }, false),
            Some((false, indent)) => {
                self.lead();
                (indent + 2, true)
            }
        };
        self.after_key = false;
        self.open.push(Open { object, indent, on_line });
    }

    /// Writes a string in double quotes; where `fold_indent` is given, it is folded at spaces past the width.
    fn double_quoted(&mut self, text: &str, fold_indent: Option<usize>) {
        let units: Vec<u16> = text.encode_utf16().collect();
        let line_start = self.out.rfind('\n').map_or(0, |at| at + 1);
        let mut column = self.out[line_start..].encode_utf16().count() + 1;
        self.out.push('"');
        let (mut start, mut end) = (0, 0);
        while end <= units.len() {
            let unit = units.get(end).copied();
            if unit.is_none_or(|u| !(0x20..=0x7e).contains(&u) || u == 0x22 || u == 0x5c) {
                column += end.saturating_sub(start);
                self.plain_units(&units[start.min(end)..end]);
                start = start.max(end);
                if let Some(unit) = unit {
                    let (escaped, used) = escape(unit, units.get(end + 1).copied());
                    column += escaped.encode_utf16().count();
                    self.out.push_str(&escaped);
                    end += used - 1;
                    start = end + 1;
                }
            }
            let inside = 0 < end && end + 1 < units.len();
            let breakable = unit == Some(0x20) || start >= end;
            if let Some(indent) = fold_indent
                && inside
                && breakable
                && column + end.saturating_sub(start) > WIDTH
            {
                self.plain_units(&units[start.min(end)..end]);
                start = start.max(end);
                self.out.push('\\');
                self.new_line(indent);
                column = indent;
                if units[start] == 0x20 {
                    self.out.push('\\');
                    column += 1;
                }
            }
            end += 1;
        }
        self.out.push('"');
    }

    fn plain_units(&mut self, units: &[u16]) {
        self.out.extend(char::decode_utf16(units.iter().copied()).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
    }
}

/// A character that is not plain ASCII (or needs an escape) as it is written, and how many units it took.
fn escape(unit: u16, next: Option<u16>) -> (String, usize) {
    let short = match unit {
        0x00 => "\\0",
        0x07 => "\\a",
        0x08 => "\\b",
        0x09 => "\\t",
        0x0a => "\\n",
        0x0b => "\\v",
        0x0c => "\\f",
        0x0d => "\\r",
        0x1b => "\\e",
        0x22 => "\\\"",
        0x5c => "\\\\",
        0x85 => "\\N",
        0xa0 => "\\_",
        _ => "",
    };
    if !short.is_empty() {
        return (short.to_owned(), 1);
    }
    match unit {
        0x00..=0x1f | 0x7f..=0x9f => (format!("\\x{unit:02x}"), 1),
        0xd800..=0xdbff => match next.and_then(|low| char::decode_utf16([unit, low]).next()) {
            Some(Ok(c)) => (c.to_string(), 2),
            _ => (format!("\\u{unit:04x}"), 1),
        },
        0xdc00..=0xdfff | 0xfffe | 0xffff => (format!("\\u{unit:04x}"), 1),
        _ => (char::from_u32(unit.into()).map(String::from).unwrap_or_default(), 1),
    }
}

#[derive(Debug, PartialEq)]
enum Style {
    Plain,
    Single,
    Double,
}

/// Words that YAML 1.1 reads as something else than a string.
const RESERVED: [&str; 8] = ["true", "false", "null", "yes", "no", "on", "off", "~"];

fn key_style(name: &str) -> Style {
    let Some(first) = name.chars().next() else { return Style::Double };
    let reserved = RESERVED.contains(&name.to_ascii_lowercase().as_str()) || matches!(name, "y" | "Y" | "n" | "N");
    if reserved || first.is_ascii_digit() || matches!(first, '-' | '+' | '.' | '~') {
        return Style::Double;
    }
    let printable = |c: char| {
        matches!(c, ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..) && c != '\u{feff}'
    };
    if !name.chars().all(printable) {
        return Style::Double;
    }
    let chars: Vec<char> = name.chars().collect();
    let space_at = |i: usize| chars.get(i).is_none_or(|c| *c == ' ');
    let indicator = chars.iter().enumerate().any(|(i, c)| match c {
        '#' => i == 0 || chars[i - 1] == ' ',
        ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`' => i == 0,
        '?' => i == 0 && space_at(1),
        ':' => space_at(i + 1),
        _ => false,
    });
    if indicator || name.starts_with(' ') || name.ends_with(' ') { Style::Single } else { Style::Plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn yaml(json: &str) -> String {
        String::from_utf8(to_yaml(json.as_bytes())).unwrap()
    }

    #[test]
    fn blocks() {
        assert_eq!(
            yaml(r#"{"a":{"b":1,"c":[{"d":1,"x":2},{"e":2}]},"t":[],"n":{},"arr":[[1,2],[]],"no":null,"f":1.10}"#),
            "---\na:\n  b: 1\n  c:\n  - d: 1\n    x: 2\n  - e: 2\nt: []\n\"n\": {}\narr:\n- - 1\n  - 2\n- []\n\"no\": null\nf: 1.10\n"
        );
        assert_eq!(
            yaml(r#"{"nest":[[[1],{"a":[{"b":{"c":[]}}]}],"s"]}"#),
            "---\nnest:\n- - - 1\n  - a:\n    - b:\n        c: []\n- \"s\"\n"
        );
        assert_eq!(yaml("[1]"), "---\n- 1\n");
        assert_eq!(yaml("{}"), "--- {}\n");
    }

    #[test]
    fn names() {
        for (name, written) in [
            ("a b", "a b"),
            ("1a", "\"1a\""),
            ("key: x", "'key: x'"),
            ("a:b", "a:b"),
            ("x]", "x]"),
            ("'a", "'''a'"),
            ("?a", "?a"),
            ("? a", "'? a'"),
            (" a", "' a'"),
            ("nullx", "nullx"),
            ("Yes", "\"Yes\""),
            ("\u{7}", "\"\\a\""),
        ] {
            let mut y = Yaml { out: String::new(), open: vec![], after_key: false };
            y.key(name);
            assert_eq!(y.out, format!("{written}:"));
        }
        assert_eq!(yaml(r#"{"":2,"a\nb":1}"#), "---\n? \"\"\n: 2\n? \"a\\nb\"\n: 1\n");
    }

    #[test]
    fn strings_are_folded() {
        assert_eq!(
            yaml(
                r#"{"a":{"x y":"véry long string that goes on and on and on and on and on until it has to be folded by the emitter\n\tand \"quoted\" \u0007 ok ☃ 😀"}}"#
            ),
            "---\na:\n  x y: \"véry long string that goes on and on and on and on and on until it has to\\\n    \\ be folded by the emitter\\n\\tand \\\"quoted\\\" \\a ok ☃ 😀\"\n"
        );
        let long = "a".repeat(106);
        assert_eq!(
            yaml(&format!(r#"{{"long word":"{long} bbbbbbb"}}"#)),
            format!("---\nlong word: \"{long}\\\n  \\ bbbbbbb\"\n")
        );
        assert_eq!(yaml(r#"{"u":"\u0080\u00a0\u0000\u001b\u0085\\/"}"#), "---\nu: \"\\x80\\_\\0\\e\\N\\\\/\"\n");
    }
}
