//! Regular expressions in Java's syntax.
//!
//! - `parser`, `escapes`: an expression is read as `java.util.regex.Pattern` reads it, with its flags and its complaints; `sets`: what
//!   its classes and properties stand for. `node`: what comes of it.
//! - `linear`: what needs no tracking back goes to an engine that takes linear time.
//! - [`replacement`]: what stands in the place of matches.
//! - `program`, `backtrack`: the rest (look-around, back references, possessive quantifiers, places of lines) is matched by trying
//!   one way after the other, within a number of steps. So is what ends in `$` where a text ends in a line break, before which it
//!   may match as well.

mod backtrack;
mod escapes;
mod flags;
mod linear;
mod node;
mod parser;
mod program;
mod replacement;
mod sets;

use crate::analysis::char_table::is_mark;
use crate::{Error, ErrorKind, Result};
use backtrack::{Search, TooManySteps};
use flags::Flags;
use linear::Ends;
use node::{At, Node};
use program::Program;
use regex_automata::meta::Regex;
use regex_automata::util::captures::{Captures, GroupInfo};
use regex_automata::util::primitives::NonMaxUsize;
use regex_automata::{Input, PatternID};
pub(crate) use replacement::Replacement;
use std::sync::OnceLock;

/// Steps of one search that tracks back, how many more for each byte of the text, and most of them.
const STEPS: usize = 400_000;
const STEPS_A_BYTE: usize = 16;
const STEPS_MAX: usize = 20_000_000;

/// The most bytes that replacements may make of one token that is not half as long itself.
const REPLACED_BYTES_MAX: usize = 16 << 20;

/// A compiled expression.
#[derive(Debug)]
pub(crate) struct JavaRegex {
    pattern: Box<str>,
    node: Node,
    /// None where it needs tracking back.
    linear: Option<Regex>,
    /// The same between anchors, made when it is first asked for: alternatives are tried in order, so a shorter match may hide a
    /// whole one.
    whole: OnceLock<Option<Regex>>,
    /// Made when it is first needed.
    program: OnceLock<Option<Program>>,
    /// Whether a line break at the end of a text makes a difference.
    has_break: bool,
    /// Whether marks make a difference, which belong to the word that they stand in.
    has_border: bool,
    groups: usize,
    names: Vec<(String, usize)>,
}

impl JavaRegex {
    /// Compiles `pattern` with `flags`, names of Java's constants with `|` between them.
    pub fn new(pattern: &str, flags: &str) -> Result<Self> {
        let parsed = parser::parse(pattern, Flags::parse(flags)?)?;
        let linear = linear::compile(&parsed.node, Ends::Anywhere, pattern).transpose()?;
        let has_break = linear::has(&parsed.node, |at| matches!(at, At::EndOrBreak { .. }));
        let has_border = linear::has(&parsed.node, |at| matches!(at, At::WordBorder { .. }));
        let program = match linear {
            Some(_) => OnceLock::new(),
            None => {
                let compiled = Program::new(&parsed.node, parsed.groups);
                let too_long = || Error::illegal_argument(format!("regular expression [{pattern}] is too long"));
                OnceLock::from(Some(compiled.ok_or_else(too_long)?))
            }
        };
        Ok(Self {
            pattern: pattern.into(),
            node: parsed.node,
            linear,
            whole: OnceLock::new(),
            program,
            has_break,
            has_border,
            groups: parsed.groups,
            names: parsed.names,
        })
    }

    /// The engine of linear time, where it finds what Java finds in this text.
    fn linear(&self, text: &str) -> Option<&Regex> {
        let regex = self.linear.as_ref()?;
        let ends_in_break = || text.ends_with(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']);
        let has_marks = || !text.is_ascii() && text.chars().any(is_mark);
        let differs = self.has_break && ends_in_break() || self.has_border && has_marks();
        (!differs).then_some(regex)
    }

    /// Searches by tracking back; gives the slots of the groups.
    fn track_back(&self, text: &str, at: usize, whole: bool) -> Result<Option<Vec<usize>>, TooManySteps> {
        let program = self.program.get_or_init(|| Program::new(&self.node, self.groups));
        let program = program.as_ref().ok_or(TooManySteps)?;
        let steps = text.len().saturating_mul(STEPS_A_BYTE).saturating_add(STEPS).min(STEPS_MAX);
        let mut search = Search::new(program, text, at, steps);
        Ok(search.find(whole)?.then_some(search.slots))
    }

    /// Whether all of `text` matches. What takes too many steps does not.
    pub fn matches_whole(&self, text: &str) -> bool {
        let compile = || linear::compile(&self.node, Ends::Whole, &self.pattern)?.ok();
        match self.linear(text).map(|_| self.whole.get_or_init(compile)) {
            Some(Some(whole)) => whole.is_match(text),
            _ => matches!(self.track_back(text, 0, true), Ok(Some(_))),
        }
    }

    /// Finds from `at` on, filling `captures`. What takes too many steps is not found.
    pub fn find(&self, text: &str, at: usize, captures: &mut Captures) -> bool {
        self.try_find(text, at, captures).unwrap_or(false)
    }

    /// The same; an error where it takes too many steps.
    pub fn try_find(&self, text: &str, at: usize, captures: &mut Captures) -> Result<bool> {
        if let Some(regex) = self.linear(text) {
            regex.captures(Input::new(text).span(at..text.len()), captures);
            return Ok(captures.is_match());
        }
        captures.clear();
        let gave_up =
            |TooManySteps| Error::new(ErrorKind::Runtime, "a regular expression took too many steps and was given up");
        let Some(slots) = self.track_back(text, at, false).map_err(gave_up)? else { return Ok(false) };
        captures.set_pattern(Some(PatternID::ZERO));
        for (to, from) in captures.slots_mut().iter_mut().zip(slots) {
            *to = NonMaxUsize::new(from);
        }
        Ok(true)
    }

    pub fn captures(&self) -> Captures {
        match &self.linear {
            Some(regex) => regex.create_captures(),
            None => {
                let names = vec![None::<&str>; self.groups];
                // As many groups as this are bounded by the parser; none has a name.
                GroupInfo::new([names]).map_or_else(|_| Captures::empty(GroupInfo::empty()), Captures::all)
            }
        }
    }

    /// Groups, the whole match among them.
    pub fn group_count(&self) -> usize {
        self.groups
    }

    /// The number of a named group.
    pub fn group_index(&self, name: &str) -> Option<usize> {
        self.names.iter().find(|(known, _)| known == name).map(|(_, number)| *number)
    }

    /// Calls `on` for each match, in order, as Java's `find` goes: an empty match may follow right after another match.
    pub fn for_each(&self, text: &str, mut on: impl FnMut(&Captures) -> bool) {
        // Where it is given up, there is nothing more.
        let _ = self.try_for_each(text, |captures| Ok(on(captures)));
    }

    /// The same; an error where it takes too many steps, or `on` says so.
    pub fn try_for_each(&self, text: &str, mut on: impl FnMut(&Captures) -> Result<bool>) -> Result<()> {
        let mut captures = self.captures();
        let mut at = 0;
        while at <= text.len() && self.try_find(text, at, &mut captures)? {
            let span = captures.get_group(0).expect("group 0 is the match");
            if !on(&captures)? {
                return Ok(());
            }
            at = match span.end > span.start {
                true => span.end,
                false => span.end + text[span.end..].chars().next().map_or(1, char::len_utf8),
            };
        }
        Ok(())
    }

    /// The parts of `text` between matches, as Java's `split` gives them: at most `limit` of them if it is positive; if it
    /// is 0, without the empty ones at the end.
    pub fn split<'t>(&self, text: &'t str, limit: i32) -> Result<Vec<&'t str>> {
        let (mut parts, mut at) = (vec![], 0);
        let most = usize::try_from(limit).ok().filter(|limit| *limit > 0);
        self.try_for_each(text, |captures| {
            let (start, end) = captures.get_group(0).map_or((at, at), |span| (span.start, span.end));
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

    /// `text` with the first or all matches replaced, or `None` if there is none.
    pub fn replace(&self, text: &str, replacement: &Replacement, all: bool) -> Result<Option<String>> {
        let mut out = String::new();
        let mut copied = None;
        let most = REPLACED_BYTES_MAX.max(text.len().saturating_mul(2));
        self.try_for_each(text, |captures| {
            replacement.failure().map_or(Ok(()), Err)?;
            let span = captures.get_group(0).expect("group 0 is the match");
            out.push_str(&text[copied.unwrap_or(0)..span.start]);
            replacement.write(text, captures, &mut out);
            copied = Some(span.end);
            Ok(all && out.len() <= most)
        })?;
        if out.len() > most {
            return Err(Error::illegal_argument(format!("replacements make more than [{most}] bytes of one token")));
        }
        let Some(copied) = copied else { return Ok(None) };
        out.push_str(&text[copied..]);
        Ok(Some(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(pattern: &str, flags: &str, replacement: &str, text: &str) -> String {
        let regex = JavaRegex::new(pattern, flags).unwrap();
        let replacement = Replacement::parse(replacement, &regex);
        regex.replace(text, &replacement, true).unwrap().unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn replaces_as_java() {
        let cases = [
            (r"\W+", "-", "aé b_c", "a-b_c"),
            (r"(a)(b)?", "[$1$2]", "ab a", "[ab] [a]"),
            (r"(?<x>\d+)", "<${x}>", "a12", "a<12>"),
            (r"b*", "-", "abc", "-a--c-"),
            (r"[a-c&&[^b]]", "x", "abc", "xbx"),
            (r"[^&&[^a]b]", "x", "abc", "xbc"),
            (r"\Qa.b\E", "x", "a.b acb", "x acb"),
            (r"[\[\]&~-]", "x", "[&~-]a", "xxxxxa"),
            (r"\p{Punct}", "", "a!b~", "ab"),
            (r"(?iu)ä", "x", "Ä", "x"),
            (r"\u0041\x{42}", "x", "AB", "x"),
            (r"a", r"\$", "a", "$"),
            (r"\p{IsHan}", "H", "漢a", "Ha"),
            (r"[^a-z]", "", "a-B", "a"),
            ("a b#", "x", "a b#", "x"),
            ("a{2}", "x", "aaaa{2}", "xx{2}"),
            ("a{2,}b", "x", "ab aab aaab", "ab x x"),
            ("(a{1,2}?)[b,]{0,3}", "[$1]", "aab,bc", "[a][a]c"),
            (r"a\{1,2}", "x", "a{1,2}", "x"),
            // Marks belong to the word that they stand in.
            (r"\b", "|", "e\u{301}x é _\u{301}", "|e\u{301}x| é |_|\u{301}"),
        ];
        for (pattern, replacement, text, expected) in cases {
            assert_eq!(replaced(pattern, "", replacement, text), expected, "{pattern}");
        }
    }

    /// Letters beyond ASCII have two cases with a flag of their own only, and classes by name keep what they have.
    #[test]
    fn cases_are_those_of_java() {
        let cases = [
            ("é", "CASE_INSENSITIVE", "É é", "É x"),
            ("é", "CASE_INSENSITIVE|UNICODE_CASE", "É é", "x x"),
            ("[é-ís]", "CASE_INSENSITIVE|UNICODE_CASE", "Ê ê ſ S", "x x x x"),
            ("s", "CASE_INSENSITIVE", "ſ S s", "ſ x x"),
            ("[^sk-m]", "CASE_INSENSITIVE", "ſKLNsn", "xKLxsx"),
            ("[W-c]", "CASE_INSENSITIVE", "a_D[wZe", "xxDxxxe"),
            (r"[\x41-\x43\Qz\E]", "CASE_INSENSITIVE", "abdZ", "xxdx"),
            (r"\W", "CASE_INSENSITIVE", "ſ-a", "xxa"),
            (r"\W", "CASE_INSENSITIVE|UNICODE_CASE", "ſ-a", "xxa"),
            (r"\p{Lower}", "CASE_INSENSITIVE", "aAé", "xxé"),
            (r"\p{Lu}\p{javaLowerCase}", "CASE_INSENSITIVE", "aÉb", "xb"),
            ("a((?i)b)c", "", "aBc aBC", "x aBC"),
            ("a(?i:b)c", "", "aBc ABc", "x ABc"),
            ("a(?i)b(?-i)c", "", "aBc aBC", "x aBC"),
            ("a.b", "LITERAL|CASE_INSENSITIVE", "A.B AxB", "x AxB"),
            ("(?s)(?-s).", "", "\n", "\n"),
        ];
        for (pattern, flags, text, expected) in cases {
            assert_eq!(replaced(pattern, flags, "x", text), expected, "{pattern} {flags}");
        }
    }

    #[test]
    fn mistakes_in_the_words_of_java() {
        let cases = [
            ("(", "Unclosed group near index 1\n("),
            ("[a", "Unclosed character class near index 1\n[a\n ^"),
            ("a)", "Unmatched closing ')' near index 0\na)\n^"),
            (")", "Unmatched closing ')'\n)"),
            ("*a", "Dangling meta character '*' near index 0\n*a\n^"),
            ("a**", "Dangling meta character '*' near index 2\na**\n  ^"),
            ("a{", "Illegal repetition near index 2\na{"),
            ("a{,3}", "Illegal repetition near index 2\na{,3}\n  ^"),
            ("a{1,2x", "Unclosed counted closure near index 5\na{1,2x\n     ^"),
            ("a{2,1}", "Illegal repetition range near index 5\na{2,1}\n     ^"),
            ("(?<n", "named capturing group is missing trailing '>' near index 4\n(?<n"),
            (
                "(?<n>a)(?<n>b)",
                "Named capturing group <n> is already defined near index 11\n(?<n>a)(?<n>b)\n           ^",
            ),
            ("\\", "Unescaped trailing backslash near index 1\n\\"),
            ("[b-a]", "Illegal character range near index 3\n[b-a]\n   ^"),
            ("(?z)", "Unknown inline modifier near index 2\n(?z)\n  ^"),
            (r"x\q", "Illegal/unsupported escape sequence near index 2\nx\\q\n  ^"),
            (r"\p{Foo}", "Unknown character property name {Foo} near index 6\n\\p{Foo}\n      ^"),
            ("[&&]", "Bad class syntax near index 2\n[&&]\n  ^"),
            (
                r"(?<=(a|bc)+)d",
                "Look-behind group does not have an obvious maximum length near index 10\n(?<=(a|bc)+)d\n          ^",
            ),
        ];
        for (pattern, reason) in cases {
            assert_eq!(JavaRegex::new(pattern, "").unwrap_err().reason(), reason);
        }
        for fine in [
            "",
            "a|",
            "()",
            "[[:alpha:]]",
            "[]a]",
            "a*?b+?c??",
            r"\Q*(\E",
            r"\p{L}{2}",
            "(?i)x(?:y)z{3,}",
            "a?+",
            "{1}",
        ] {
            assert!(JavaRegex::new(fine, "").is_ok(), "{fine}");
        }
        assert!(JavaRegex::new("a", "NONSENSE").is_err());
        assert!(JavaRegex::new("(a{1000}){1000}{1000}", "").is_err());
        assert!(JavaRegex::new("((?=a){1000}){1000}", "").is_err());
        assert!(JavaRegex::new(&"(".repeat(100_000), "").is_err());
        assert!(JavaRegex::new(&"[".repeat(100_000), "").is_err());
    }

    #[test]
    fn what_costs_too_much_is_refused() {
        for pattern in [
            r"[\x{0}-\x{10ffff}]".repeat(3_000),
            r"\pL".repeat(20_000),
            "[a]".repeat(20_000),
            format!("[x&&{}]", "[a]".repeat(20_000)),
            format!("[{}]", "é&&".repeat(15_000)),
            format!("[{}]", ('\u{4e00}'..'\u{9000}').step_by(2).take(15_000).collect::<String>()),
            "(?:a{0,9}".repeat(150) + &")".repeat(150),
        ] {
            // Whether it is taken or not: without bounds on its work this would not come to an end.
            let _ = JavaRegex::new(&pattern, "CASE_INSENSITIVE|UNICODE_CASE");
        }
        assert!(JavaRegex::new(&r"[\x{0}-\x{10ffff}]".repeat(300), "CASE_INSENSITIVE|UNICODE_CASE").is_err());
        let again = JavaRegex::new(r"(.*)\1\1x", "").unwrap();
        assert!(again.try_find(&"a".repeat(300_000), 0, &mut again.captures()).is_err());
    }

    #[test]
    fn tracks_back_within_a_limit() {
        let cases = [
            (r"(\d+)-(?=\d)", "$1_", "12-34 5-x", "12_34 5-x"),
            (r"(?<=a)b", "x", "ab cb", "ax cb"),
            (r"(\w)\1", "<$1>", "aabccd", "<a>b<c>d"),
            (r"(?i)(\w)\1(?!x)", "<$1>", "aAbcC", "<a>b<c>"),
            (r"(?<c>\w)(?!x)y++", "${c}", "ay byy cyx", "a b cx"),
            (r"\bthe\b(?= end)", "x", "the end, the é", "x end, the é"),
            (r"(?<=a*)b", "x", "aab b", "aax x"),
            ("(?m)^a", "x", "a\r\na\n", "x\r\nx\n"),
            ("b$", "x", "b\nb\n", "b\nx\n"),
            (r"\Bb", "x", "ab b", "ax b"),
            (r"(?:(a)|b)*", "[$1]", "abc", "[a][]c[]"),
            (r"(?>a|ab)c", "x", "abc ac", "abc x"),
            (r"(a?)*b", "x", "aab", "x"),
        ];
        for (pattern, replacement, text, expected) in cases {
            assert_eq!(replaced(pattern, "", replacement, text), expected, "{pattern}");
        }
        assert!(JavaRegex::new("(?=A)a", "CASE_INSENSITIVE").unwrap().matches_whole("A"));
        // What would take for ever finds nothing.
        let endless = JavaRegex::new("(?=(a+)+c)", "").unwrap();
        let mut captures = endless.captures();
        assert!(endless.try_find(&"a".repeat(200), 0, &mut captures).is_err());
        assert!(!endless.find(&"a".repeat(200), 0, &mut captures));
    }

    #[test]
    fn whole_matches() {
        let regex = JavaRegex::new("a|ab", "").unwrap();
        assert!(regex.matches_whole("ab") && regex.matches_whole("a") && !regex.matches_whole("abc"));
    }
}
