//! Regular expressions in Java's syntax: those that the linear engine can take go there, what needs look-around, back
//! references or possessive quantifiers goes to one that tracks back, within a limit.

use crate::analysis::JavaRegex;
use crate::error::{Error, ErrorKind, Result};

/// Most steps that the engine which tracks back may go back in one match.
pub(super) const BACKTRACK_MAX: usize = 500_000;

/// A compiled expression.
#[derive(Debug)]
pub struct Pattern {
    engine: Engine,
    /// Names of groups with their numbers.
    names: Vec<(String, usize)>,
}

#[derive(Debug)]
enum Engine {
    Linear(JavaRegex),
    Backtracking(Box<fancy_regex::Regex>),
}

/// Where the groups of one match are; the first is the match itself.
type Groups = Vec<Option<(usize, usize)>>;

impl Pattern {
    pub fn new(text: &str) -> Result<Self> {
        check_syntax(text)?;
        let names = group_names(text);
        match JavaRegex::new(text, "") {
            Ok(regex) => Ok(Self { engine: Engine::Linear(regex), names }),
            Err(error) => {
                let regex = fancy_regex::RegexBuilder::new(&for_backtracking(text))
                    .backtrack_limit(BACKTRACK_MAX)
                    .delegate_size_limit(1 << 20)
                    .build()
                    .map_err(|_| error)?;
                Ok(Self { engine: Engine::Backtracking(Box::new(regex)), names })
            }
        }
    }

    /// Calls `on` for each match in order, as Java's `find` goes, until it says `false`.
    fn for_each(&self, text: &str, mut on: impl FnMut(&Groups) -> Result<bool>) -> Result<()> {
        let mut groups = vec![];
        let mut at = 0;
        while at <= text.len() && self.find(text, at, &mut groups)? {
            let (start, end) = groups.first().copied().flatten().unwrap_or((at, at));
            if !on(&groups)? {
                return Ok(());
            }
            at = match end > start {
                true => end,
                false => end + text[end..].chars().next().map_or(1, char::len_utf8),
            };
        }
        Ok(())
    }

    fn find(&self, text: &str, at: usize, groups: &mut Groups) -> Result<bool> {
        groups.clear();
        match &self.engine {
            Engine::Linear(regex) => {
                let mut captures = regex.captures();
                if !regex.find(text, at, &mut captures) {
                    return Ok(false);
                }
                let spans = (0..regex.group_count()).map(|group| captures.get_group(group));
                groups.extend(spans.map(|span| span.map(|span| (span.start, span.end))));
            }
            Engine::Backtracking(regex) => {
                let Some(captures) = regex.captures_from_pos(text, at).map_err(gave_up)? else { return Ok(false) };
                groups.extend((0..captures.len()).map(|at| captures.get(at).map(|found| (found.start(), found.end()))));
            }
        }
        Ok(true)
    }

    /// `text` with all matches replaced, as Java's `replaceAll` does.
    pub fn replace_all(&self, text: &str, replacement: &str) -> Result<String> {
        let (mut out, mut copied) = (String::new(), 0);
        self.for_each(text, |groups| {
            let (start, end) = groups[0].unwrap_or((copied, copied));
            out.push_str(&text[copied..start]);
            self.expand(text, groups, replacement, &mut out)?;
            copied = end;
            Ok(true)
        })?;
        out.push_str(&text[copied..]);
        Ok(out)
    }

    /// Writes a replacement in Java's syntax: `$1`, `${name}`, `\x` for a literal x.
    fn expand(&self, text: &str, groups: &Groups, replacement: &str, out: &mut String) -> Result<()> {
        let mut chars = replacement.chars().peekable();
        while let Some(c) = chars.next() {
            let group = match (c, chars.peek()) {
                ('\\', Some(_)) => {
                    out.extend(chars.next());
                    continue;
                }
                ('\\', None) => return Err(Error::illegal_argument("character to be escaped is missing")),
                ('$', Some('{')) => {
                    chars.next();
                    let name: String = chars.by_ref().take_while(|c| *c != '}').collect();
                    let named = self.names.iter().find(|(known, _)| *known == name);
                    named.ok_or_else(|| Error::illegal_argument(format!("No group with name {{{name}}}")))?.1
                }
                ('$', Some(digit)) if digit.is_ascii_digit() => {
                    let mut group = chars.next().and_then(|c| c.to_digit(10)).unwrap_or(0) as usize;
                    if group >= groups.len() {
                        return Err(Error::new(ErrorKind::IndexOutOfBounds, format!("No group {group}")));
                    }
                    // Further digits belong to the number as long as there is such a group.
                    while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
                        let longer = group * 10 + digit as usize;
                        if longer >= groups.len() {
                            break;
                        }
                        group = longer;
                        chars.next();
                    }
                    group
                }
                ('$', Some(_)) => return Err(Error::illegal_argument("Illegal group reference")),
                ('$', None) => return Err(Error::illegal_argument("Illegal group reference: group index is missing")),
                (c, _) => {
                    out.push(c);
                    continue;
                }
            };
            if let Some((start, end)) = groups.get(group).copied().flatten() {
                out.push_str(&text[start..end]);
            }
        }
        Ok(())
    }

    /// The parts of `text` between matches, as Java's `split` gives them: at most `limit` of them if it is positive; if it
    /// is 0, without the empty ones at the end.
    pub fn split<'t>(&self, text: &'t str, limit: i32) -> Result<Vec<&'t str>> {
        let (mut parts, mut at) = (vec![], 0);
        let most = usize::try_from(limit).ok().filter(|limit| *limit > 0);
        self.for_each(text, |groups| {
            let (start, end) = groups[0].unwrap_or((at, at));
            if most.is_some_and(|most| parts.len() + 1 >= most) {
                return Ok(false);
            }
            // There is nothing before a match without width at the beginning.
            if !(at == 0 && start == 0 && end == 0) {
                parts.push(&text[at..start]);
                at = end;
            }
            Ok(true)
        })?;
        if at == 0 && parts.is_empty() {
            return Ok(vec![text]);
        }
        parts.push(&text[at..]);
        if limit == 0 {
            while parts.last().is_some_and(|part| part.is_empty()) {
                parts.pop();
            }
        }
        Ok(parts)
    }
}

/// The error of a match that took too many steps.
#[cold]
pub(super) fn gave_up(error: fancy_regex::Error) -> Error {
    Error::new(ErrorKind::Runtime, format!("a regular expression took too many steps and was given up: {error}"))
}

/// Names of the groups and their numbers.
fn group_names(pattern: &str) -> Vec<(String, usize)> {
    let (mut names, mut count) = (vec![], 0);
    let mut rest = pattern.char_indices();
    let mut in_class = false;
    while let Some((at, c)) = rest.next() {
        match c {
            '\\' => drop(rest.next()),
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => {
                let after = &pattern[at + 1..];
                let name = after.strip_prefix("?<").filter(|rest| !rest.starts_with(['=', '!']));
                if let Some(name) = name.and_then(|rest| rest.split_once('>')) {
                    count += 1;
                    names.push((name.0.to_owned(), count));
                } else if !after.starts_with('?') {
                    count += 1;
                }
            }
            _ => {}
        }
    }
    names
}

/// The expression in the syntax of the engine that tracks back: Java's classes are those of ASCII.
fn for_backtracking(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut chars = pattern.chars();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        if c != '\\' {
            in_class = (in_class || c == '[') && c != ']';
            out.push(c);
            continue;
        }
        let (open, close) = if in_class { ("", "") } else { ("[", "]") };
        let class = match chars.next() {
            Some('d') => "0-9",
            Some('w') => "a-zA-Z0-9_",
            Some('s') => " \\t\\n\\x0B\\f\\r",
            Some('h') => " \\t\\xA0",
            Some('D') if !in_class => "^0-9",
            Some('W') if !in_class => "^a-zA-Z0-9_",
            Some('S') if !in_class => "^ \\t\\n\\x0B\\f\\r",
            Some('Q') => {
                let rest = chars.as_str();
                let (literal, after) = rest.split_once("\\E").unwrap_or((rest, ""));
                out.push_str(&fancy_regex::escape(literal));
                chars = after.chars();
                continue;
            }
            Some(other) => {
                out.push('\\');
                out.push(other);
                continue;
            }
            None => continue,
        };
        out.push_str(open);
        out.push_str(class);
        out.push_str(close);
    }
    out
}

/// Finds the mistakes that are made most, and tells of them as Java does.
fn check_syntax(pattern: &str) -> Result<()> {
    let chars: Vec<char> = pattern.chars().collect();
    let (mut depth, mut class, mut at) = (0usize, 0usize, 0);
    let mut element = false;
    while at < chars.len() {
        match chars[at] {
            '\\' if chars.get(at + 1) == Some(&'Q') => {
                let end = (at + 2..chars.len()).find(|at| chars[*at..].starts_with(&['\\', 'E']));
                at = end.map_or(chars.len(), |end| end + 1);
                element = true;
            }
            '\\' => {
                at += 1;
                // Braces behind these hold a name or a number.
                let braces = matches!(chars.get(at), Some('p' | 'P' | 'x' | 'N')) && chars.get(at + 1) == Some(&'{');
                if braces && let Some(end) = (at..chars.len()).find(|at| chars[*at] == '}') {
                    at = end;
                }
                element = true;
            }
            '[' => class += 1,
            ']' if class > 0 => {
                class -= 1;
                element = true;
            }
            _ if class > 0 => {}
            '(' => {
                depth += 1;
                element = false;
            }
            ')' => {
                let Some(less) = depth.checked_sub(1) else {
                    return Err(syntax("Unmatched closing ')'", pattern, at.saturating_sub(1), chars.len()));
                };
                depth = less;
                element = true;
            }
            '|' => element = false,
            c @ ('*' | '+' | '?') if !(element || c == '?' && at > 0 && chars[at - 1] == '(') => {
                return Err(syntax(&format!("Dangling meta character '{c}'"), pattern, at, chars.len()));
            }
            '{' if element && !chars.get(at + 1).is_some_and(char::is_ascii_digit) => {
                return Err(syntax("Illegal repetition", pattern, at, chars.len()));
            }
            _ => element = true,
        }
        at += 1;
    }
    if class > 0 {
        return Err(syntax("Unclosed character class", pattern, chars.len().saturating_sub(1), chars.len()));
    }
    if depth > 0 {
        return Err(syntax("Unclosed group", pattern, chars.len(), chars.len()));
    }
    Ok(())
}

#[cold]
fn syntax(what: &str, pattern: &str, at: usize, len: usize) -> Error {
    let mut reason = format!("{what} near index {at}\n{pattern}");
    if at < len {
        reason = format!("{reason}\n{}^", " ".repeat(at));
    }
    Error::new(ErrorKind::PatternSyntax, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_as_java_does() {
        for (pattern, replacement, text, expected) in [
            ("(\\d)(\\w)", "$2$1", "1a2b", "a1b2"),
            ("(?<n>a)", "<${n}>", "ba", "b<a>"),
            ("", "x", "ab", "xaxbx"),
            ("^|$", "|", "ab", "|ab|"),
            ("a(?=b)", "x", "ab ac", "xb ac"),
            ("(a)\\1", "x", "aab", "xb"),
            ("a++b", "x", "aaab", "x"),
            ("\\p{Alpha}", "x", "aä1", "xä1"),
            ("\\.", "\\\\", "a.b", "a\\b"),
        ] {
            assert_eq!(Pattern::new(pattern).unwrap().replace_all(text, replacement).unwrap(), expected, "{pattern}");
        }
        let reason = |replacement: &str| Pattern::new("a").unwrap().replace_all("a", replacement).unwrap_err();
        assert_eq!(reason("$5").reason(), "No group 5");
        assert_eq!(reason("\\").reason(), "character to be escaped is missing");
    }

    #[test]
    fn splits_as_java_does() {
        let split = |pattern: &str, text: &str, limit| {
            let parts = Pattern::new(pattern).unwrap().split(text, limit).unwrap();
            parts.into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(split("-", "1-2--", 0), ["1", "2"]);
        assert_eq!(split("-", "1-2--", -1), ["1", "2", "", ""]);
        assert_eq!(split("-", "-1", 0), ["", "1"]);
        assert_eq!(split("", "abc", 0), ["a", "b", "c"]);
        assert_eq!(split("-", "", 0), [""]);
        assert_eq!(split("(?=\\d)", "a1b22c", 0), ["a", "1b", "2", "2c"]);
        assert_eq!(split("=", "a=b=c", 2), ["a", "b=c"]);
        assert!(split("-", "---", 0).is_empty());
    }

    #[test]
    fn mistakes_in_java_s_words() {
        let reason = |pattern: &str| Pattern::new(pattern).unwrap_err().reason().to_owned();
        assert_eq!(reason("["), "Unclosed character class near index 0\n[\n^");
        assert_eq!(reason("("), "Unclosed group near index 1\n(");
        assert_eq!(reason("{{q}}"), "Illegal repetition near index 1\n{{q}}\n ^");
        assert_eq!(reason("*"), "Dangling meta character '*' near index 0\n*\n^");
    }

    #[test]
    fn hostile_expressions_are_given_up() {
        let pattern = Pattern::new("(?=(a+)+\\1$)b").unwrap();
        assert!(pattern.replace_all(&"a".repeat(5_000), "x").is_err());
    }
}
