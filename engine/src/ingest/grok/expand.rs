//! Named patterns written out as one regular expression.

use super::bank;
use crate::error::{Error, Result};
use std::collections::{BTreeMap, BTreeSet};

/// Longest expression, written out.
const LENGTH_MAX: usize = 1 << 18;
/// Deepest nesting of names.
const DEPTH_MAX: usize = 100;

/// An expression written out.
#[derive(Debug)]
pub(super) struct Expanded {
    /// Its named groups are called as [`group_name`] says.
    pub regex: String,
    /// What the groups were called.
    pub names: Vec<String>,
}

/// What the group of the name at a place is called: names may hold anything and occur several times.
pub(super) fn group_name(at: usize) -> String {
    format!("g{at}")
}

pub(super) fn expand(pattern: &str, own: &BTreeMap<String, String>) -> Result<Expanded> {
    let mut written = String::with_capacity(pattern.len() * 4);
    write_out(pattern, own, &mut vec![], &mut written)?;
    name_groups(&written)
}

/// Writes `pattern` with expressions in the place of names. `within` are the names whose expressions it stands in.
fn write_out<'p>(
    pattern: &'p str,
    own: &'p BTreeMap<String, String>,
    within: &mut Vec<&'p str>,
    out: &mut String,
) -> Result<()> {
    let mut rest = pattern;
    while let Some(at) = rest.find("%{") {
        let Some(reference) = Reference::parse(&rest[at..]) else {
            out.push_str(&rest[..at + 2]);
            rest = &rest[at + 2..];
            continue;
        };
        out.push_str(&rest[..at]);
        rest = &rest[at + reference.length..];
        let name = reference.name;
        let known = own.get(name).map(String::as_str).or_else(|| bank::get(name));
        let Some(expression) = known else {
            let reason = format!("Unable to find pattern [{name}] in Grok's pattern dictionary");
            return Err(Error::illegal_argument(reason));
        };
        check_circle(pattern, name, within)?;
        if within.len() >= DEPTH_MAX || out.len() > LENGTH_MAX {
            let reason =
                format!("patterns nest deeper than [{DEPTH_MAX}] or are longer than [{LENGTH_MAX}] written out");
            return Err(Error::illegal_argument(reason));
        }
        match reference.capture {
            Some(capture) => {
                out.push_str("(?<");
                out.push_str(capture);
                out.push('>');
            }
            None => out.push_str("(?:"),
        }
        within.push(name);
        write_out(expression, own, within, out)?;
        within.pop();
        out.push(')');
    }
    out.push_str(rest);
    Ok(())
}

/// Refuses patterns of one's own that stand in themselves, whether anything uses them or not.
pub(super) fn check_own(own: &BTreeMap<String, String>) -> Result<()> {
    let mut done = BTreeSet::new();
    own.iter().try_for_each(|(name, pattern)| go_round(pattern, own, &mut vec![name.as_str()], &mut done))
}

/// Every name is looked into once.
fn go_round<'p>(
    pattern: &'p str,
    own: &'p BTreeMap<String, String>,
    within: &mut Vec<&'p str>,
    done: &mut BTreeSet<&'p str>,
) -> Result<()> {
    for (at, _) in pattern.match_indices("%{") {
        let Some(reference) = Reference::parse(&pattern[at..]) else { continue };
        let Some(inner) = own.get(reference.name) else { continue };
        check_circle(pattern, reference.name, within)?;
        if within.len() < DEPTH_MAX && done.insert(reference.name) {
            within.push(reference.name);
            go_round(inner, own, within, done)?;
            within.pop();
        }
    }
    Ok(())
}

/// Refuses a name within its own expression.
fn check_circle(pattern: &str, name: &str, within: &[&str]) -> Result<()> {
    if !within.contains(&name) {
        return Ok(());
    }
    let last = within.last().copied().unwrap_or_default();
    let mut reason = format!("circular reference in pattern [{last}][{pattern}]");
    if last != name {
        reason = format!("{reason} back to pattern [{name}]");
    }
    Err(Error::illegal_argument(reason))
}

/// `%{NAME}`, `%{NAME:capture}` or `%{NAME:capture:type}`; what follows a `=` means nothing.
struct Reference<'p> {
    name: &'p str,
    capture: Option<&'p str>,
    length: usize,
}

impl<'p> Reference<'p> {
    fn parse(text: &'p str) -> Option<Self> {
        let inner = &text[2..];
        let of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '[' | '\\' | ']' | '^' | '_' | '`');
        let of_capture = |c: char| c.is_alphanumeric() || matches!(c, '@' | '-' | '_' | ':' | '.' | '[' | ']');
        let name = &inner[..inner.find(|c| !of_name(c)).unwrap_or(inner.len())];
        if name.is_empty() {
            return None;
        }
        let mut after = &inner[name.len()..];
        let mut capture = None;
        if let Some(rest) = after.strip_prefix(':') {
            let text = &rest[..rest.find(|c| !of_capture(c)).unwrap_or(rest.len())];
            if text.is_empty() {
                return None;
            }
            capture = Some(text);
            after = &rest[text.len()..];
        }
        if let Some(definition) = after.strip_prefix('=') {
            after = &definition[definition.find(['{', '}'])?..];
        }
        let rest = after.strip_prefix('}')?;
        Some(Self { name, capture, length: text.len() - rest.len() })
    }
}

/// Gives named groups names that can be told apart, and flags the meaning that the engine has for them.
fn name_groups(pattern: &str) -> Result<Expanded> {
    let (mut regex, mut names) = (String::with_capacity(pattern.len()), vec![]);
    let mut rest = pattern;
    let mut in_class = 0usize;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            _ => c.len_utf8(),
        };
        if let Some((meaning, taken)) = Class::of_ruby(rest, in_class > 0) {
            regex.push_str(&meaning);
            rest = &rest[taken..];
            continue;
        }
        match c {
            '[' => in_class += 1,
            ']' => in_class = in_class.saturating_sub(1),
            '(' if in_class == 0 => {
                if let Some(taken) = open_group(rest, &mut regex, &mut names)? {
                    rest = &rest[taken..];
                    continue;
                }
            }
            _ => {}
        }
        regex.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    Ok(Expanded { regex, names })
}

/// A set of characters by its short name. Those of one letter hold ASCII alone, those of names all of Unicode.
struct Class;

impl Class {
    const LETTERS: [(char, &str); 3] = [('d', "0-9"), ('w', "0-9A-Za-z_"), ('s', r"\t-\r\x20")];
    const NAMES: [(&str, &str); 13] = [
        ("alnum", r"\p{Alphabetic}\p{Nd}"),
        ("alpha", r"\p{Alphabetic}"),
        ("ascii", r"\x00-\x7f"),
        ("blank", r"\p{Zs}\t"),
        ("cntrl", r"\p{Cc}"),
        ("digit", r"\p{Nd}"),
        ("graph", r"^\s\p{Cc}\p{Cn}\p{Cs}"),
        ("lower", r"\p{Lowercase}"),
        ("print", r"^\p{Cc}\p{Cn}\p{Cs}\p{Zl}\p{Zp}"),
        ("punct", r"\p{P}$+<=>^`|~"),
        ("space", r"\s"),
        ("upper", r"\p{Uppercase}"),
        ("xdigit", "0-9A-Fa-f"),
    ];

    /// What a class that `text` begins with is to our engine, and how long its name was.
    fn of_ruby(text: &str, in_class: bool) -> Option<(String, usize)> {
        if let Some(letter) = text.strip_prefix('\\').and_then(|rest| rest.chars().next()) {
            let (_, set) = Self::LETTERS.iter().find(|(known, _)| known.eq_ignore_ascii_case(&letter))?;
            return Some(match (letter.is_ascii_lowercase(), in_class) {
                (true, true) => ((*set).to_owned(), 2),
                (true, false) => (format!("[{set}]"), 2),
                (false, _) => (format!("[^{set}]"), 2),
            });
        }
        let (name, _) = text.strip_prefix("[:").filter(|_| in_class)?.split_once(":]")?;
        let (negated, plain) = name.strip_prefix('^').map_or((false, name), |plain| (true, plain));
        let set = match plain {
            "word" => r"\w",
            plain => Self::NAMES.iter().find(|(known, _)| *known == plain)?.1,
        };
        // Some are said by what is not in them.
        let caret = if negated != set.starts_with('^') { "^" } else { "" };
        Some((format!("[{caret}{}]", set.trim_start_matches('^')), name.len() + 4))
    }
}

/// Writes the beginning of a named group or of flags; gives how long it was.
fn open_group(text: &str, regex: &mut String, names: &mut Vec<String>) -> Result<Option<usize>> {
    let Some(inner) = text.strip_prefix("(?") else { return Ok(None) };
    if let Some(name) = inner.strip_prefix('<').filter(|rest| !rest.starts_with(['=', '!'])) {
        let end = name.find('>');
        let (name, is_open) = (&name[..end.unwrap_or(name.len())], end.is_none());
        if name.is_empty() {
            return Err(Error::illegal_argument("group name is empty"));
        }
        if is_open || name.starts_with(|first: char| first.is_ascii_digit()) {
            return Err(Error::illegal_argument(format!("invalid group name <{name}>")));
        }
        regex.push_str(&format!("(?<{}>", group_name(names.len())));
        names.push(name.to_owned());
        return Ok(Some("(?<".len() + name.len() + ">".len()));
    }
    let Some(end) = inner.find([')', ':']) else { return Ok(None) };
    let flags = &inner[..end];
    if flags.is_empty() || !flags.chars().all(|c| matches!(c, 'i' | 'm' | 'x' | '-')) {
        return Ok(None);
    }
    // What Ruby calls multi-line lets the dot match line breaks.
    regex.push_str(&format!("(?{}", flags.replace('m', "s")));
    Ok(Some(2 + end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_and_unknown_names() {
        let own = BTreeMap::from_iter(
            [("A", "%{B}"), ("B", "%{A}"), ("S", "%{S}")].map(|(name, text)| (name.to_owned(), text.to_owned())),
        );
        let reason = |pattern: &str| expand(pattern, &own).unwrap_err().reason().to_owned();
        assert_eq!(reason("%{S:x}"), "circular reference in pattern [S][%{S}]");
        assert_eq!(reason("%{A:x}"), "circular reference in pattern [B][%{A}] back to pattern [A]");
        assert_eq!(reason("(?<>x)"), "group name is empty");
        assert_eq!(reason("(?<1a>x)"), "invalid group name <1a>");
        assert_eq!(reason("%{NOPE:n}"), "Unable to find pattern [NOPE] in Grok's pattern dictionary");
    }

    #[test]
    fn growth_is_bounded() {
        let mut own = BTreeMap::from([("P0".to_owned(), "xxxxxxxxxx".to_owned())]);
        for n in 1..40 {
            own.insert(format!("P{n}"), format!("%{{P{}}}%{{P{}}}", n - 1, n - 1));
        }
        assert!(expand("%{P39}", &own).is_err());
    }
}
