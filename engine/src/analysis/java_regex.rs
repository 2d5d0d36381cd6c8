//! Regular expressions in Java's syntax, on an engine that takes linear time.
//!
//! The syntax is rewritten into that of the engine. What needs backtracking (look-around, back references, possessive
//! quantifiers, atomic groups) is refused, or goes to an engine that tracks back within a limit. One difference stays:
//! `$` matches at the very end only, not also before a final line break.

use super::java_syntax;
use super::java_translate::{Flags, translate};
use super::replacement::Replacement;
use crate::{Error, ErrorKind, Result};
use regex_automata::Input;
use regex_automata::PatternID;
use regex_automata::meta::Regex;
use regex_automata::util::captures::{Captures, GroupInfo};
use regex_automata::util::primitives::NonMaxUsize;

/// The largest compiled expression; larger ones are refused.
const COMPILED_BYTES_MAX: usize = 10 << 20;

/// Most steps of one search that tracks back. What needs more finds nothing.
const BACKTRACK_MAX: usize = 100_000;

/// The most bytes that replacements may make of one token that is not half as long itself.
const REPLACED_BYTES_MAX: usize = 16 << 20;

/// A compiled expression.
#[derive(Clone, Debug)]
pub(crate) enum JavaRegex {
    Linear {
        regex: Regex,
        /// The expression between anchors: alternatives are tried in order, so a shorter match may hide a whole one.
        whole: Regex,
    },
    Backtracking {
        regex: Box<fancy_regex::Regex>,
        whole: Box<fancy_regex::Regex>,
        groups: GroupInfo,
    },
}

/// An expression in the syntax of the linear engine.
struct Linear<'a> {
    pattern: &'a str,
    text: String,
    multi_line: bool,
}

impl<'a> Linear<'a> {
    fn translate(pattern: &'a str, flags: &str) -> Result<Self> {
        let flags = Flags::parse(flags)?;
        if !flags.literal && !flags.comments {
            java_syntax::check(pattern)?;
        }
        Ok(Self { pattern, text: translate(pattern, flags, false)?, multi_line: flags.multi_line })
    }

    fn compile(&self, text: &str) -> Result<Regex> {
        let syntax = regex_automata::util::syntax::Config::new().multi_line(self.multi_line).nest_limit(100);
        let config = Regex::config().nfa_size_limit(Some(COMPILED_BYTES_MAX));
        let built = Regex::builder().configure(config).syntax(syntax).build(text);
        built.map_err(|e| Error::new(ErrorKind::PatternSyntax, format!("{e} in [{}]", self.pattern)))
    }
}

/// What is only searched for, not asked whether it is a whole text.
pub(crate) fn linear_regex(pattern: &str, flags: &str) -> Result<Regex> {
    let linear = Linear::translate(pattern, flags)?;
    linear.compile(&linear.text)
}

impl JavaRegex {
    /// Compiles `pattern` with `flags`, names of Java's constants with `|` between them.
    pub fn new(pattern: &str, flags: &str) -> Result<Self> {
        let linear = Linear::translate(pattern, flags)?;
        let regex = linear.compile(&linear.text)?;
        let whole = linear.compile(&format!(r"\A(?:{})\z", linear.text))?;
        Ok(Self::Linear { regex, whole })
    }

    /// The same for expressions that may need backtracking.
    pub fn bounded(pattern: &str, flags: &str) -> Result<Self> {
        let refused = match Self::new(pattern, flags) {
            Err(error) if error.kind() == ErrorKind::IllegalArgument => error,
            other => return other,
        };
        let flags = Flags::parse(flags)?;
        let Ok(translated) = translate(pattern, flags, true) else { return Err(refused) };
        let multi_line = if flags.multi_line { "(?m)" } else { "" };
        let compile = |text: &str| {
            fancy_regex::RegexBuilder::new(text)
                .backtrack_limit(BACKTRACK_MAX)
                .delegate_size_limit(COMPILED_BYTES_MAX)
                .build()
                .map_err(|e| Error::new(ErrorKind::PatternSyntax, format!("{e} in [{pattern}]")))
        };
        let regex = compile(&format!("{multi_line}{translated}"))?;
        let whole = compile(&format!(r"\A(?:{multi_line}{translated})\z"))?;
        let names = regex.capture_names().map(|name| name.map(str::to_owned));
        let groups = GroupInfo::new([names.collect::<Vec<_>>()])
            .map_err(|e| Error::new(ErrorKind::PatternSyntax, format!("{e} in [{pattern}]")))?;
        Ok(Self::Backtracking { regex: Box::new(regex), whole: Box::new(whole), groups })
    }

    /// Whether all of `text` matches.
    pub fn matches_whole(&self, text: &str) -> bool {
        match self {
            Self::Linear { whole, .. } => whole.is_match(text),
            Self::Backtracking { whole, .. } => whole.is_match(text).unwrap_or(false),
        }
    }

    /// Whether any of `text` matches.
    pub fn finds(&self, text: &str) -> bool {
        match self {
            Self::Linear { regex, .. } => regex.is_match(text),
            Self::Backtracking { regex, .. } => regex.is_match(text).unwrap_or(false),
        }
    }

    /// Finds from `at` on, filling `captures`.
    pub fn find(&self, text: &str, at: usize, captures: &mut Captures) -> bool {
        let regex = match self {
            Self::Linear { regex, .. } => {
                regex.captures(Input::new(text).span(at..text.len()), captures);
                return captures.is_match();
            }
            Self::Backtracking { regex, .. } => regex,
        };
        captures.clear();
        let Ok(Some(found)) = regex.captures_from_pos(text, at) else { return false };
        captures.set_pattern(Some(PatternID::ZERO));
        for (group, slots) in captures.slots_mut().chunks_exact_mut(2).enumerate() {
            let span = found.get(group);
            slots[0] = span.and_then(|span| NonMaxUsize::new(span.start()));
            slots[1] = span.and_then(|span| NonMaxUsize::new(span.end()));
        }
        true
    }

    pub fn captures(&self) -> Captures {
        match self {
            Self::Linear { regex, .. } => regex.create_captures(),
            Self::Backtracking { groups, .. } => Captures::all(groups.clone()),
        }
    }

    fn groups(&self) -> &GroupInfo {
        match self {
            Self::Linear { regex, .. } => regex.group_info(),
            Self::Backtracking { groups, .. } => groups,
        }
    }

    /// Groups, the whole match among them.
    pub fn group_count(&self) -> usize {
        self.groups().group_len(PatternID::ZERO)
    }

    /// The number of a named group.
    pub fn group_index(&self, name: &str) -> Option<usize> {
        self.groups().to_index(PatternID::ZERO, name)
    }

    /// Calls `on` for each match, in order, as Java's `find` goes: an empty match may follow right after another match.
    pub fn for_each(&self, text: &str, mut on: impl FnMut(&Captures) -> bool) {
        let mut captures = self.captures();
        let mut at = 0;
        while at <= text.len() && self.find(text, at, &mut captures) {
            let span = captures.get_group(0).expect("group 0 is the match");
            if !on(&captures) {
                return;
            }
            at = match span.end > span.start {
                true => span.end,
                false => span.end + text[span.end..].chars().next().map_or(1, char::len_utf8),
            };
        }
    }

    /// `text` with the first or all matches replaced, or `None` if there is none.
    pub fn replace(&self, text: &str, replacement: &Replacement, all: bool) -> Result<Option<String>> {
        let mut out = String::new();
        let mut copied = None;
        let most = REPLACED_BYTES_MAX.max(text.len().saturating_mul(2));
        self.for_each(text, |captures| {
            let span = captures.get_group(0).expect("group 0 is the match");
            out.push_str(&text[copied.unwrap_or(0)..span.start]);
            replacement.write(text, captures, &mut out);
            copied = Some(span.end);
            all && out.len() <= most
        });
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

    fn replaced(pattern: &str, replacement: &str, text: &str) -> String {
        let regex = JavaRegex::new(pattern, "").unwrap();
        let replacement = Replacement::parse(replacement, &regex).unwrap();
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
        ];
        for (pattern, replacement, text, expected) in cases {
            assert_eq!(replaced(pattern, replacement, text), expected, "{pattern}");
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
            let regex = JavaRegex::new(pattern, flags).unwrap();
            let replacement = Replacement::parse("x", &regex).unwrap();
            let replaced = regex.replace(text, &replacement, true).unwrap().unwrap_or_else(|| text.to_owned());
            assert_eq!(replaced, expected, "{pattern} {flags}");
        }
    }

    #[test]
    fn refuses_what_needs_backtracking() {
        for pattern in [r"(?=a)", r"(?!a)", r"(?<=a)", r"(a)\1", "a++", "(?>a)", r"\p{InGreek}", "(", "[a"] {
            assert!(JavaRegex::new(pattern, "").is_err(), "{pattern}");
        }
        assert!(JavaRegex::new("a", "NONSENSE").is_err());
        assert!(JavaRegex::new("(a{1000}){1000}{1000}", "").is_err());
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
        ];
        for (pattern, replacement, text, expected) in cases {
            let regex = JavaRegex::bounded(pattern, "").unwrap();
            let replacement = Replacement::parse(replacement, &regex).unwrap();
            let replaced = regex.replace(text, &replacement, true).unwrap().unwrap_or_else(|| text.to_owned());
            assert_eq!(replaced, expected, "{pattern}");
        }
        assert!(JavaRegex::bounded("(?=A)a", "CASE_INSENSITIVE").unwrap().matches_whole("A"));
        // What would take for ever finds nothing.
        let endless = JavaRegex::bounded(r"(?=(a+)+$)b", "").unwrap();
        assert!(!endless.finds(&"a".repeat(200)));
        for pattern in [r"\p{InGreek}", "(", "[a", r"(?=a)\p{InGreek}"] {
            assert!(JavaRegex::bounded(pattern, "").is_err(), "{pattern}");
        }
    }

    #[test]
    fn whole_matches() {
        let regex = JavaRegex::new("a|ab", "").unwrap();
        assert!(regex.matches_whole("ab") && regex.matches_whole("a") && !regex.matches_whole("abc"));
    }
}
