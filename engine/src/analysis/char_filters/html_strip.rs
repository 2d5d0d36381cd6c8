//! `html_strip`: removes the tags of HTML and decodes its entities.
//!
//! Inline tags vanish, other tags, line breaks, scripts and styles become a line break, comments and instructions vanish.
//! What is not well-formed stays as it is.

use super::CharFilter;
use super::html_entities::ENTITIES;
use crate::Result;
use crate::analysis::offsets::Filtered;
use crate::analysis::params::Params;

/// Tags that stand within a line: removed without a trace.
const INLINE: &[&str] = &[
    "a", "abbr", "acronym", "b", "basefont", "bdo", "big", "cite", "code", "dfn", "em", "font", "i", "img", "input",
    "kbd", "label", "q", "s", "samp", "select", "small", "span", "strike", "strong", "sub", "sup", "textarea", "tt",
    "u", "var",
];

/// What looks like a tag and does not end within so many bytes is text. Keeps hostile input linear.
const TAG_BYTES_MAX: usize = 64 << 10;

#[derive(Debug)]
pub(crate) struct HtmlStrip {
    /// Tags that stay, in lower case.
    escaped: Vec<String>,
}

pub(super) fn build(params: &Params) -> Result<Box<dyn CharFilter>> {
    let escaped = params.list("escaped_tags").unwrap_or_default().iter().map(|tag| tag.to_lowercase()).collect();
    Ok(Box::new(HtmlStrip { escaped }))
}

/// A text without its tags.
pub(crate) fn strip_html(text: &str) -> String {
    let mut out = Filtered::default();
    HtmlStrip { escaped: vec![] }.filter(text, &mut out);
    out.text
}

/// What to do with a piece of markup that ends at `end`.
enum Markup {
    Keep {
        end: usize,
    },
    Replace {
        end: usize,
        by: &'static str,
    },
    Decode {
        end: usize,
        by: char,
    },
    /// An escaped script or style: its tags stay, what is between them vanishes.
    Empty {
        content: usize,
        content_end: usize,
        end: usize,
    },
    /// CDATA: the markers vanish, what is between them stays.
    Unwrap {
        start: usize,
        content_end: usize,
        end: usize,
    },
}

impl CharFilter for HtmlStrip {
    fn filter(&self, text: &str, out: &mut Filtered) {
        let (mut at, mut copied) = (0, 0);
        while let Some(found) = memchr::memchr2(b'<', b'&', &text.as_bytes()[at..]) {
            at += found;
            let markup = if text.as_bytes()[at] == b'&' { entity(text, at) } else { self.markup(text, at) };
            if let Markup::Keep { end } = markup {
                at = end;
                continue;
            }
            out.copy(&text[copied..at]);
            at = match markup {
                Markup::Keep { end } => end,
                Markup::Replace { end, by } => {
                    out.replace(&text[at..end], by);
                    end
                }
                Markup::Decode { end, by } => {
                    out.replace(&text[at..end], by.encode_utf8(&mut [0; 4]));
                    end
                }
                Markup::Empty { content, content_end, end } => {
                    out.copy(&text[at..content]);
                    out.skip(&text[content..content_end]);
                    out.copy(&text[content_end..end]);
                    end
                }
                Markup::Unwrap { start, content_end, end } => {
                    out.skip(&text[at..start]);
                    out.copy(&text[start..content_end]);
                    out.skip(&text[content_end..end]);
                    end
                }
            };
            copied = at;
        }
        out.copy(&text[copied..]);
    }
}

/// An entity that begins at `at`. It ends with a semicolon, or the text does.
fn entity(text: &str, at: usize) -> Markup {
    let rest = &text[at + 1..];
    let (len, c) = match rest.strip_prefix('#') {
        Some(number) => match numeric(number) {
            Some((len, c)) => (len + 1, c),
            None => return Markup::Keep { end: at + 1 },
        },
        None => {
            // The longest name that fits; none has more than eight letters.
            let name = |len: usize| {
                let name = rest.get(..len)?;
                let found = ENTITIES.binary_search_by_key(&name, |(name, _)| name).ok()?;
                Some((len, ENTITIES[found].1))
            };
            match (2..=8).rev().find_map(name) {
                Some(found) => found,
                None => return Markup::Keep { end: at + 1 },
            }
        }
    };
    let end = at + 1 + len;
    match text[end..].bytes().next() {
        None => Markup::Decode { end, by: c },
        Some(b';') => Markup::Decode { end: end + 1, by: c },
        Some(_) => Markup::Keep { end: at + 1 },
    }
}

/// A number of a character: the bytes it takes (without the semicolon) and the character. Surrogates count in pairs.
fn numeric(text: &str) -> Option<(usize, char)> {
    let (len, code) = code_point(text)?;
    if let (0xd800..=0xdbff, Some(next)) = (code, text[len..].strip_prefix(";&#"))
        && let Some((low_len, low @ 0xdc00..=0xdfff)) = code_point(next)
        && next[low_len..].starts_with(';')
    {
        let c = char::from_u32(0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00))?;
        return Some((len + 3 + low_len, c));
    }
    match code {
        0xd800..=0xdfff => Some((len, char::REPLACEMENT_CHARACTER)),
        _ => Some((len, char::from_u32(code)?)),
    }
}

fn code_point(text: &str) -> Option<(usize, u32)> {
    let (prefix, radix, digits_max) = if text.starts_with(['x', 'X']) { (1, 16, 5) } else { (0, 10, 7) };
    let digits = text[prefix..].chars().take_while(|c| c.is_digit(radix)).count();
    if digits == 0 || digits > digits_max {
        return None;
    }
    Some((prefix + digits, u32::from_str_radix(&text[prefix..prefix + digits], radix).ok()?))
}

impl HtmlStrip {
    /// The markup whose `<` is at `at`.
    fn markup(&self, text: &str, at: usize) -> Markup {
        let rest = &text[at + 1..];
        match rest.bytes().next() {
            Some(b'!') => bang(text, at),
            Some(b'/') => self.end_tag(text, at),
            Some(b'?') => {
                let end = rest.find('>');
                match end.filter(|end| matches!(rest.as_bytes()[end - 1], b'/' | b'?') && *end > 1) {
                    Some(end) => Markup::Replace { end: at + 1 + end + 1, by: "" },
                    None => Markup::Keep { end: at + 1 },
                }
            }
            _ => self.start_tag(text, at),
        }
    }

    fn start_tag(&self, text: &str, at: usize) -> Markup {
        let name_start = skip_space(text, at + 1);
        for (name, is_element) in [("br", false), ("script", true), ("style", true)] {
            let prefix = text.get(name_start..name_start + name.len());
            let end =
                prefix.filter(|p| p.eq_ignore_ascii_case(name)).and_then(|_| tag_end(text, name_start + name.len()));
            let Some(end) = end else { continue };
            let escaped = self.is_escaped(name);
            return match (is_element, escaped) {
                (true, _) => self.element(text, end, name, escaped),
                (false, true) => Markup::Keep { end },
                (false, false) => Markup::Replace { end, by: "\n" },
            };
        }
        let name_end = name_end(text, name_start);
        if name_end == name_start {
            return Markup::Keep { end: at + 1 };
        }
        let name = &text[name_start..name_end];
        match tag_end(text, name_end) {
            Some(end) => self.tag(name, end),
            // A tag that the text breaks off within its name vanishes.
            None if name_end == text.len() && !self.is_escaped_name(name) => Markup::Replace { end: name_end, by: "" },
            None => Markup::Keep { end: name_end },
        }
    }

    fn end_tag(&self, text: &str, at: usize) -> Markup {
        let name_start = skip_space(text, at + 2);
        let name_end = name_end(text, name_start);
        if name_end == name_start {
            return Markup::Keep { end: at + 1 };
        }
        let name = &text[name_start..name_end];
        let end = skip_space(text, name_end);
        if text[end..].starts_with('>') {
            let is_break = name.eq_ignore_ascii_case("br") && self.is_escaped(name);
            return if is_break { Markup::Keep { end: end + 1 } } else { self.tag(name, end + 1) };
        }
        match name_end == text.len() && !self.is_escaped_name(name) {
            true => Markup::Replace { end: name_end, by: "" },
            false => Markup::Keep { end: name_end },
        }
    }

    fn tag(&self, name: &str, end: usize) -> Markup {
        if self.is_escaped_name(name) {
            return Markup::Keep { end };
        }
        let inline = INLINE.iter().any(|inline| inline.eq_ignore_ascii_case(name));
        Markup::Replace { end, by: if inline { "" } else { "\n" } }
    }

    /// Line breaks, scripts and styles are escaped as wholes only.
    fn is_escaped_name(&self, name: &str) -> bool {
        self.is_escaped(name) && !["br", "script", "style"].iter().any(|special| special.eq_ignore_ascii_case(name))
    }

    fn is_escaped(&self, name: &str) -> bool {
        self.escaped.iter().any(|escaped| escaped.eq_ignore_ascii_case(name))
    }

    /// A script or style, whose content begins at `content`, with all that is in it.
    fn element(&self, text: &str, content: usize, name: &str, escaped: bool) -> Markup {
        let mut at = content;
        while let Some(found) = text[at..].find('<') {
            at += found;
            if text[at..].starts_with("<!--") {
                at = script_comment_end(text, at + 4);
                continue;
            }
            if let Some(close) = text[at..].strip_prefix("</") {
                let start = text.len() - close.len();
                let name_start = skip_space(text, start);
                if text.get(name_start..name_start + name.len()).is_some_and(|n| n.eq_ignore_ascii_case(name)) {
                    let end = skip_space(text, name_start + name.len());
                    if text[end..].starts_with('>') {
                        return match escaped {
                            true => Markup::Empty { content, content_end: at, end: end + 1 },
                            false => Markup::Replace { end: end + 1, by: "\n" },
                        };
                    }
                }
            }
            at += 1;
        }
        let end = text.len();
        if escaped { Markup::Empty { content, content_end: end, end } } else { Markup::Replace { end, by: "" } }
    }
}

/// `<!…`: a comment, a CDATA section, or a declaration.
fn bang(text: &str, at: usize) -> Markup {
    let rest = &text[at + 2..];
    if rest.starts_with("--") {
        let end = comment_end(text, at + 4);
        return Markup::Replace { end, by: "" };
    }
    if rest.starts_with("[CDATA[") {
        let start = at + 9;
        let content_end = text[start..].find("]]>").map_or(text.len(), |len| start + len);
        return Markup::Unwrap { start, content_end, end: (content_end + 3).min(text.len()) };
    }
    match rest.find('>') {
        Some(len) => Markup::Replace { end: at + 2 + len + 1, by: "" },
        None => Markup::Keep { end: text.len() },
    }
}

/// Behind the comment that goes on at `at`. Server side includes in it may hold `-->` in quotes.
fn comment_end(text: &str, mut at: usize) -> usize {
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("-->") {
            return at + 3;
        }
        at = if rest.starts_with("<!--#") { quoted_comment_end(text, at + 5) } else { next_char(text, at) };
    }
    at
}

/// The same within a script or style, where quotes count in the comment itself.
fn script_comment_end(text: &str, at: usize) -> usize {
    quoted_comment_end(text, at)
}

/// Behind the first `-->` that is not in quotes.
fn quoted_comment_end(text: &str, mut at: usize) -> usize {
    while at < text.len() {
        match text.as_bytes()[at] {
            quote @ (b'\'' | b'"') => {
                at += 1;
                while at < text.len() && text.as_bytes()[at] != quote {
                    at += 1 + usize::from(text.as_bytes()[at] == b'\\');
                }
                at = text.ceil_char_boundary((at + 1).min(text.len()));
            }
            b'-' if text[at..].starts_with("-->") => return at + 3,
            _ => at = next_char(text, at),
        }
    }
    at.min(text.len())
}

fn next_char(text: &str, at: usize) -> usize {
    at + text[at..].chars().next().map_or(1, char::len_utf8)
}

fn skip_space(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start_matches(is_space).len()
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Behind the name that begins at `at`; `at` itself if none does.
fn name_end(text: &str, at: usize) -> usize {
    let is_start = |c: char| c.is_alphabetic() || matches!(c, ':' | '_');
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, ':' | '_' | '-' | '.');
    match text[at..].chars().next() {
        Some(c) if is_start(c) => at + text[at..].find(|c| !is_part(c)).unwrap_or(text.len() - at),
        _ => at,
    }
}

/// Behind the `>` that ends the tag whose attributes begin at `at`. Quoted values of attributes may hold `<` and `>`;
/// the longest way to read the tag counts, as in the reference. All ways are followed at once: a set of states.
fn tag_end(text: &str, at: usize) -> Option<usize> {
    const PLAIN: u8 = 1;
    const SPACE: u8 = 2;
    const NAME: u8 = 4;
    const AFTER_NAME: u8 = 8;
    const AFTER_EQUALS: u8 = 16;
    const SINGLE: u8 = 32;
    const DOUBLE: u8 = 64;
    let mut states = PLAIN;
    let mut end = None;
    let mut backslash = false;
    let window = &text[at..text.floor_char_boundary(at.saturating_add(TAG_BYTES_MAX))];
    for (offset, c) in window.char_indices() {
        let is = |state: u8| states & state != 0;
        if c == '>' && is(PLAIN) {
            end = Some(at + offset + 1);
        }
        let mut next = 0;
        if is(PLAIN) && !matches!(c, '<' | '>') {
            next |= PLAIN;
            if is_space(c) {
                next |= SPACE;
            }
        }
        if is(SPACE | NAME) && (c.is_alphanumeric() || matches!(c, ':' | '_' | '-' | '.')) {
            next |= NAME;
        }
        if is(NAME | AFTER_NAME) && is_space(c) {
            next |= AFTER_NAME;
        }
        if is(NAME | AFTER_NAME) && c == '=' || is(AFTER_EQUALS) && is_space(c) {
            next |= AFTER_EQUALS;
        }
        for (state, quote) in [(SINGLE, '\''), (DOUBLE, '"')] {
            if is(AFTER_EQUALS) && c == quote {
                next |= state;
            }
            if is(state) {
                // An escaped quote may also be read as the closing one.
                next |= if c != quote {
                    state
                } else if backslash {
                    state | PLAIN
                } else {
                    PLAIN
                };
            }
        }
        backslash = c == '\\';
        states = next;
        if states == 0 {
            break;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strip(text: &str) -> String {
        let mut out = Filtered::default();
        HtmlStrip { escaped: vec!["u".into()] }.filter(text, &mut out);
        out.text
    }

    #[test]
    fn strips_markup() {
        let cases = [
            ("<b>a</b>c<p>d</p>", "ac\nd\n"),
            ("x<br/>y<!-- c > --->z", "x\nyz"),
            ("&lt;&amp;&eacute;&#65;&#x42;&nope;&amp", "<&éAB&nope;&"),
            ("<script>if (a<b) {}</script>x<style>y</style>", "\nx\n"),
            ("1 < 2 > 0, a<", "1 < 2 > 0, a<"),
            ("<a href=\"x>y\">t</a><u>k</u>", "t<u>k</u>"),
            ("<![CDATA[a<b>c]]>d<?php x ?>", "a<b>cd"),
            ("a <b", "a "),
            ("&#55357;&#56832;&#xd800;", "😀\u{fffd}"),
        ];
        for (text, expected) in cases {
            assert_eq!(strip(text), expected, "{text}");
        }
    }

    #[test]
    fn of_escaped_scripts_and_styles_the_tags_stay() {
        let strip = |text: &str| {
            let mut out = Filtered::default();
            HtmlStrip { escaped: vec!["script".into(), "style".into()] }.filter(text, &mut out);
            out.text
        };
        assert_eq!(strip("a<SCRIPT x>y<b>z</script >c"), "a<SCRIPT x></script >c");
        assert_eq!(strip("a<style>y<i>"), "a<style>");
    }
}
