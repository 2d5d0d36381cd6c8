//! Escapes, classes and properties, as `java.util.regex.Pattern` reads them.

use super::node::{At, Case, Node};
use super::parser::{END, Escaped, Parser};
use super::sets;
use crate::Result;
use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

/// The last character of Unicode.
const CODE_MAX: u32 = 0x10_ffff;

impl Parser<'_> {
    /// An escape, whose backslash is the current character. `ends_range`: it stands before or behind the hyphen of a range.
    pub(super) fn escape(&mut self, in_class: bool, ends_range: bool) -> Result<Escaped> {
        self.peek();
        let c = self.skip();
        if self.at > self.chars.len() {
            return Err(self.error("Unescaped trailing backslash"));
        }
        let flags = self.flags;
        let at = |at| Ok(Escaped::Node(Node::At(at)));
        match c {
            '0' => self.octal().map(Escaped::Char),
            '1'..='9' if !in_class => {
                let group = self.group_number(c as usize - '0' as usize);
                Ok(Escaped::Node(Node::BackReference { group, case: flags.case() }))
            }
            'd' | 'D' | 'w' | 'W' | 's' | 'S' | 'h' | 'H' | 'V' => {
                self.charged(sets::escape(c, &flags)).map(Escaped::Set)
            }
            // As the end of a range it is the one character that it once was.
            'v' if ends_range => Ok(Escaped::Char('\u{b}')),
            'v' => self.charged(sets::escape(c, &flags)).map(Escaped::Set),
            'A' if !in_class => at(At::Begin),
            'z' if !in_class => at(At::End),
            'Z' if !in_class => at(At::EndOrBreak { unix: flags.unix_lines }),
            'G' if !in_class => at(At::SearchBegin),
            'b' if !in_class && self.peek() == '{' && self.char_at(self.at + 1) == 'g' => {
                self.skip();
                let is_closed = self.read() == '}';
                Err(if is_closed {
                    self.unsupported(r"\b{g}")
                } else {
                    self.error("Illegal/unsupported escape sequence")
                })
            }
            'b' | 'B' if !in_class => at(At::WordBorder { unicode: flags.unicode_classes, negative: c == 'B' }),
            'R' if !in_class => Ok(Escaped::Node(sets::line_break())),
            'X' if !in_class => Err(self.unsupported(r"\X")),
            'N' => self.named_char(),
            'k' if !in_class => {
                if self.read() != '<' {
                    return Err(self.error("\\k is not followed by '<' for named capturing group"));
                }
                let first = self.read();
                let name = self.group_name(first)?;
                match self.group_of(&name) {
                    Some(group) => Ok(Escaped::Node(Node::BackReference { group, case: flags.case() })),
                    None => Err(self.error(&format!("named capturing group <{name}> does not exist"))),
                }
            }
            'a' => Ok(Escaped::Char('\u{7}')),
            'e' => Ok(Escaped::Char('\u{1b}')),
            'f' => Ok(Escaped::Char('\u{c}')),
            'n' => Ok(Escaped::Char('\n')),
            'r' => Ok(Escaped::Char('\r')),
            't' => Ok(Escaped::Char('\t')),
            'c' if self.is_end() => Err(self.error("Illegal control escape sequence")),
            'c' => {
                let code = self.read() as u32 ^ 64;
                Ok(escaped_code(code))
            }
            'u' => self.utf16().map(escaped_code),
            'x' => self.hexadecimal().map(escaped_code),
            c if c.is_ascii_alphanumeric() => Err(self.error("Illegal/unsupported escape sequence")),
            c => Ok(Escaped::Char(c)),
        }
    }

    fn octal(&mut self) -> Result<char> {
        let Some(first) = self.read().to_digit(8) else {
            return Err(self.error("Illegal octal escape sequence"));
        };
        let (mut code, mut digits) = (first, 1);
        while let Some(digit) = self.peek().to_digit(8).filter(|_| digits < 3 && (digits < 2 || first <= 3)) {
            code = code * 8 + digit;
            digits += 1;
            self.at += 1;
        }
        Ok(char::from(code as u8))
    }

    fn hexadecimal(&mut self) -> Result<u32> {
        let first = self.read();
        if let Some(high) = first.to_digit(16) {
            if let Some(low) = self.read().to_digit(16) {
                return Ok(high * 16 + low);
            }
        } else if first == '{' && self.peek().is_ascii_hexdigit() {
            let mut code = 0;
            loop {
                match self.read() {
                    '}' => return Ok(code),
                    c => match c.to_digit(16) {
                        Some(digit) => code = code * 16 + digit,
                        None => return Err(self.error("Unclosed hexadecimal escape sequence")),
                    },
                }
                if code > CODE_MAX {
                    return Err(self.error("Hexadecimal codepoint is too big"));
                }
            }
        }
        Err(self.error("Illegal hexadecimal escape sequence"))
    }

    /// Behind `\u`: four digits, and four more behind a `\u` of their own if they are the other half.
    fn utf16(&mut self) -> Result<u32> {
        let high = self.unit()?;
        if !(0xd800..0xdc00).contains(&high) {
            return Ok(high);
        }
        let from = self.at;
        if self.read() == '\\' && self.read() == 'u' {
            let low = self.unit()?;
            if (0xdc00..0xe000).contains(&low) {
                return Ok(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
            }
        }
        self.at = from;
        Ok(high)
    }

    fn unit(&mut self) -> Result<u32> {
        let mut unit = 0;
        for _ in 0..4 {
            match self.read().to_digit(16) {
                Some(digit) => unit = unit * 16 + digit,
                None => return Err(self.error("Illegal Unicode escape sequence")),
            }
        }
        Ok(unit)
    }

    fn named_char(&mut self) -> Result<Escaped> {
        if self.read() != '{' {
            return Err(self.error("Illegal character name escape sequence"));
        }
        let from = self.at;
        while self.read() != '}' {
            if self.is_end() {
                return Err(self.error("Unclosed character name escape sequence"));
            }
        }
        let name: String = self.chars[from..self.at - 1].iter().collect();
        // Names are of these characters; which there are is not known here.
        let may_be_name = name.chars().all(|c| c.is_ascii_alphanumeric() || " -_".contains(c));
        Err(match may_be_name && name.contains(|c: char| c.is_ascii_alphabetic()) {
            true => self.unsupported(r"\N"),
            false => self.error(&format!("Unknown character name [{name}]")),
        })
    }

    /// A class, whose bracket is the current character. Without `consume` what stands behind `&&`, up to the bracket that ends
    /// the class around it.
    pub(super) fn class(&mut self, consume: bool) -> Result<ClassUnicode> {
        let mut c = self.next();
        let mut negated = false;
        if c == '^' && self.char_at(self.at - 1) == '[' {
            negated = true;
            c = self.next();
        }
        let mut found = Found::default();
        loop {
            match c {
                '[' => {
                    let inner = self.nested_class(true)?;
                    found.add(inner);
                    c = self.peek();
                    continue;
                }
                '&' => {
                    if self.next() == '&' {
                        let right = self.right_side()?;
                        self.charge(found.len())?;
                        found.intersect(right).map_err(|what| self.error(what))?;
                        c = self.peek();
                        continue;
                    }
                    // A literal.
                    self.at -= 1;
                }
                END if self.is_end() => return Err(self.error("Unclosed character class")),
                ']' if found.set.is_some() || found.bits.is_some() => {
                    if consume {
                        self.next();
                    }
                    break;
                }
                _ => {}
            }
            match self.range()? {
                Part::Bit(set) => found.add_bit(set),
                Part::Set(set) => found.add(set),
            }
            c = self.peek();
        }
        let mut set = found.finish();
        if negated {
            set.negate();
        }
        Ok(set)
    }

    /// What stands behind `&&`, up to the end or the next `&`.
    fn right_side(&mut self) -> Result<Option<ClassUnicode>> {
        let mut right = None;
        let mut c = self.next();
        while !matches!(c, ']' | '&') {
            let consume = c == '[';
            self.at -= usize::from(!consume);
            let inner = self.nested_class(consume)?;
            self.charge(right.as_ref().map_or(0, |right: &ClassUnicode| right.ranges().len()))?;
            union(&mut right, inner);
            c = self.peek();
        }
        Ok(right)
    }

    /// A character of a class, a range or an escape.
    fn range(&mut self) -> Result<Part> {
        let c = self.peek();
        let first = if c != '\\' {
            self.next();
            Some(c)
        } else if matches!(self.char_at(self.at + 1), 'p' | 'P') {
            return self.property().map(Part::Set);
        } else {
            let ends_range = self.char_at(self.at + 2) == '-';
            match self.escape(true, ends_range)? {
                Escaped::Char(c) => Some(c),
                Escaped::Surrogate => None,
                Escaped::Set(set) => return Ok(Part::Set(set)),
                Escaped::Node(_) => return Err(self.error("Illegal/unsupported escape sequence")),
            }
        };
        let case = self.flags.case();
        if self.peek() != '-' || matches!(self.char_at(self.at + 1), '[' | ']') {
            return Ok(match first {
                Some(c) if c <= LATIN_MAX => Part::Bit(self.range_of(c, c, case)?),
                Some(c) => Part::Set(self.range_of(c, c, case)?),
                None => Part::Set(ClassUnicode::empty()),
            });
        }
        self.next();
        let last = match self.peek() {
            '\\' => match self.escape(true, true)? {
                Escaped::Char(c) => Some(c),
                _ => None,
            },
            c => {
                self.next();
                Some(c)
            }
        };
        match (first, last) {
            (Some(first), Some(last)) if first <= last => self.range_of(first, last, case).map(Part::Set),
            _ => Err(self.error("Illegal character range")),
        }
    }

    /// `\p{…}`, whose backslash is the current character.
    pub(super) fn property(&mut self) -> Result<ClassUnicode> {
        let negated = self.skip() == 'P';
        let name = self.property_name()?;
        let flags = self.flags;
        let insensitive = flags.case() != Case::Sensitive;
        let (found, complaint) = if let Some((key, value)) = name.split_once('=') {
            let key = key.to_ascii_lowercase();
            let found = match key.as_str() {
                "sc" | "script" => {
                    let complaint = || self.error(&format!("Unknown character script name {{{value}}}"));
                    Some(sets::script(value).ok_or_else(complaint)?)
                }
                "blk" | "block" => {
                    let complaint = || self.error(&format!("Unknown character block name {{{value}}}"));
                    Some(sets::block(value).ok_or_else(complaint)?)
                }
                "gc" | "general_category" => sets::category(value, insensitive),
                _ => None,
            };
            (found, format!("Unknown Unicode property {{name=<{key}>, value=<{value}>}}"))
        } else if let Some(block) = name.strip_prefix("In") {
            (sets::block(block), format!("Unknown character block name {{{block}}}"))
        } else if let Some(short) = name.strip_prefix("Is") {
            let found = sets::binary(short, insensitive).or_else(|| sets::category(short, insensitive));
            (found.or_else(|| sets::script(short)), format!("Unknown character script name {{{short}}}"))
        } else {
            let unicode = flags.unicode_classes.then(|| sets::posix_of_unicode(&name, insensitive)).flatten();
            (
                unicode.or_else(|| sets::category(&name, insensitive)),
                format!("Unknown character property name {{{name}}}"),
            )
        };
        let mut found = found.ok_or_else(|| self.error(&complaint))?;
        if negated {
            found.negate();
        }
        // Finding it in the tables takes longer than its ranges tell.
        self.charge(NAMED)?;
        self.charged(found)
    }

    fn property_name(&mut self) -> Result<String> {
        if self.peek() != '{' {
            let c = self.read();
            return Ok(c.to_string());
        }
        self.next();
        let from = self.at;
        let Some(len) = self.chars.get(from..).unwrap_or_default().iter().position(|c| *c == '}') else {
            self.at = self.chars.len() + 1;
            return Err(self.error("Unclosed character family"));
        };
        self.at = from + len + 1;
        if len == 0 {
            return Err(self.error("Empty character family"));
        }
        Ok(self.chars[from..from + len].iter().collect())
    }
}

fn escaped_code(code: u32) -> Escaped {
    char::from_u32(code).map_or(Escaped::Surrogate, Escaped::Char)
}

fn union(found: &mut Option<ClassUnicode>, other: ClassUnicode) {
    match found {
        Some(found) => found.union(&other),
        None => *found = Some(other),
    }
}

/// The last character that the reference keeps as a bit.
const LATIN_MAX: char = '\u{ff}';

/// A part of a class.
enum Part {
    /// A character that the reference keeps as a bit.
    Bit(ClassUnicode),
    Set(ClassUnicode),
}

/// What it costs to find a set by its name.
const NAMED: usize = 2_000;

/// What a class has up to now. What it has in common with nothing (`[a-cx&&]`) is its last part, if that is not kept as a bit.
#[derive(Default)]
struct Found {
    set: Option<Vec<ClassUnicodeRange>>,
    last: Option<ClassUnicode>,
    bits: Option<Vec<ClassUnicodeRange>>,
}

impl Found {
    fn add(&mut self, set: ClassUnicode) {
        self.set.get_or_insert_default().extend_from_slice(set.ranges());
        self.last = Some(set);
    }

    fn add_bit(&mut self, bit: ClassUnicode) {
        self.bits.get_or_insert_default().extend_from_slice(bit.ranges());
        self.last = None;
    }

    fn intersect(&mut self, right: Option<ClassUnicode>) -> std::result::Result<(), &'static str> {
        if let Some(bits) = self.bits.take() {
            if self.set.is_none() {
                self.last = Some(ClassUnicode::new(bits.iter().copied()));
            }
            self.set.get_or_insert_default().extend(bits);
        }
        if right.is_some() {
            self.last = right;
        }
        match (&mut self.set, &self.last) {
            (None, None) => return Err("Bad class syntax"),
            (None, Some(last)) => self.set = Some(last.ranges().to_vec()),
            (Some(_), None) => return Err("Bad intersection syntax"),
            (Some(set), Some(last)) => {
                let mut both = ClassUnicode::new(set.iter().copied());
                both.intersect(last);
                *set = both.ranges().to_vec();
            }
        }
        Ok(())
    }

    fn finish(self) -> ClassUnicode {
        ClassUnicode::new(self.set.into_iter().chain(self.bits).flatten())
    }

    fn len(&self) -> usize {
        [&self.set, &self.bits].into_iter().flatten().map(Vec::len).sum()
    }
}
