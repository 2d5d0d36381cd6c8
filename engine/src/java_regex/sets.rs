//! Sets of characters: what classes and properties of Java stand for.

use super::flags::Flags;
use super::node::{Case, Node};
use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange, HirKind};

/// Of Java's names, what they mean in the notation of `regex-syntax`.
const POSIX: &[(&str, &str)] = &[
    ("Lower", "a-z"),
    ("Upper", "A-Z"),
    ("ASCII", r"\x00-\x7F"),
    ("Alpha", "A-Za-z"),
    ("Digit", "0-9"),
    ("Alnum", "A-Za-z0-9"),
    ("Punct", r##"!-/:-@\[-`\{-~"##),
    ("Graph", "!-~"),
    ("Print", r"\x20-~"),
    ("Blank", r"\x20\t"),
    ("Cntrl", r"\x00-\x1F\x7F"),
    ("XDigit", "0-9A-Fa-f"),
    ("Space", r"\t\n\x0B\f\r\x20"),
    ("javaLowerCase", r"\p{Lowercase}"),
    ("javaUpperCase", r"\p{Uppercase}"),
    ("javaTitleCase", r"\p{Lt}"),
    ("javaAlphabetic", r"\p{Alphabetic}"),
    ("javaIdeographic", r"\p{Ideographic}"),
    ("javaDigit", r"\p{Nd}"),
    ("javaDefined", r"\P{Cn}"),
    ("javaLetter", r"\p{L}"),
    ("javaLetterOrDigit", r"\p{L}\p{Nd}"),
    ("javaSpaceChar", r"\p{Z}"),
    ("javaWhitespace", r"[\p{Z}--[\x{A0}\x{2007}\x{202F}]]\t\n\x0B\f\r\x1C-\x1F"),
    ("javaISOControl", r"\x00-\x1F\x7F-\x{9F}"),
    ("LC", r"\p{Lu}\p{Ll}\p{Lt}"),
    ("LD", r"\p{L}\p{Nd}"),
    ("L1", r"\x00-\x{FF}"),
    ("all", r"\x00-\x{10FFFF}"),
];

/// General categories of Unicode.
const CATEGORIES: &[&str] = &[
    "Cn", "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Me", "Mc", "Nd", "Nl", "No", "Zs", "Zl", "Zp", "Cc", "Cf", "Co", "Cs",
    "Pd", "Ps", "Pe", "Pc", "Po", "Sm", "Sc", "Sk", "So", "Pi", "Pf", "L", "M", "N", "Z", "C", "P", "S",
];

/// Properties behind `Is`, in capitals.
const BINARY: &[(&str, &str)] = &[
    ("ALPHABETIC", r"\p{Alphabetic}"),
    ("ASSIGNED", r"\P{Cn}"),
    ("CONTROL", r"\p{Cc}"),
    ("EMOJI", r"\p{Emoji}"),
    ("EMOJI_COMPONENT", r"\p{Emoji_Component}"),
    ("EMOJI_MODIFIER", r"\p{Emoji_Modifier}"),
    ("EMOJI_MODIFIER_BASE", r"\p{Emoji_Modifier_Base}"),
    ("EMOJI_PRESENTATION", r"\p{Emoji_Presentation}"),
    ("EXTENDED_PICTOGRAPHIC", r"\p{Extended_Pictographic}"),
    ("HEXDIGIT", r"\p{Nd}0-9A-Fa-f\x{FF10}-\x{FF19}\x{FF21}-\x{FF26}\x{FF41}-\x{FF46}"),
    ("HEX_DIGIT", r"\p{Nd}0-9A-Fa-f\x{FF10}-\x{FF19}\x{FF21}-\x{FF26}\x{FF41}-\x{FF46}"),
    ("IDEOGRAPHIC", r"\p{Ideographic}"),
    ("JOINCONTROL", r"\x{200C}\x{200D}"),
    ("JOIN_CONTROL", r"\x{200C}\x{200D}"),
    ("LETTER", r"\p{L}"),
    ("LOWERCASE", r"\p{Lowercase}"),
    ("NONCHARACTERCODEPOINT", r"\p{Noncharacter_Code_Point}"),
    ("NONCHARACTER_CODE_POINT", r"\p{Noncharacter_Code_Point}"),
    ("PUNCTUATION", r"\p{P}"),
    ("TITLECASE", r"\p{Lt}"),
    ("UPPERCASE", r"\p{Uppercase}"),
    ("WHITESPACE", r"\p{White_Space}"),
    ("WHITE_SPACE", r"\p{White_Space}"),
    ("WORD", r"\w"),
];

/// With [`Flags::unicode_classes`]: classes of POSIX, in capitals.
const POSIX_OF_UNICODE: &[(&str, &str)] = &[
    ("ALPHA", r"\p{Alphabetic}"),
    ("LOWER", r"\p{Lowercase}"),
    ("UPPER", r"\p{Uppercase}"),
    ("SPACE", r"\p{White_Space}"),
    ("PUNCT", r"\p{P}"),
    ("XDIGIT", r"\p{Nd}0-9A-Fa-f\x{FF10}-\x{FF19}\x{FF21}-\x{FF26}\x{FF41}-\x{FF46}"),
    ("ALNUM", r"\p{Alphabetic}\p{Nd}"),
    ("CNTRL", r"\p{Cc}"),
    ("DIGIT", r"\p{Nd}"),
    ("BLANK", r"\p{Zs}\t"),
    ("GRAPH", r"[^\p{White_Space}\p{Cc}\p{Cs}\p{Cn}]"),
    ("PRINT", r"[^\p{White_Space}\p{Cc}\p{Cs}\p{Cn}]\p{Zs}"),
];

/// The set that stands in a class of the notation of `regex-syntax`.
fn parse(inner: &str) -> Option<ClassUnicode> {
    let hir = regex_syntax::Parser::new().parse(&format!("[{inner}]")).ok()?;
    match hir.into_kind() {
        HirKind::Class(regex_syntax::hir::Class::Unicode(set)) => Some(set),
        // Of one character nothing but that is left.
        HirKind::Literal(literal) => {
            let c = std::str::from_utf8(&literal.0).ok()?.chars().next()?;
            Some(ClassUnicode::new([ClassUnicodeRange::new(c, c)]))
        }
        _ => None,
    }
}

fn of_ranges(ranges: &[(char, char)]) -> ClassUnicode {
    ClassUnicode::new(ranges.iter().map(|(first, last)| ClassUnicodeRange::new(*first, *last)))
}

const ASCII_DIGITS: &[(char, char)] = &[('0', '9')];
const ASCII_WORDS: &[(char, char)] = &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];
const ASCII_SPACES: &[(char, char)] = &[('\t', '\r'), (' ', ' ')];
const HORIZONTAL: &[(char, char)] = &[
    ('\t', '\t'),
    (' ', ' '),
    ('\u{a0}', '\u{a0}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{180e}', '\u{180e}'),
    ('\u{2000}', '\u{200a}'),
    ('\u{202f}', '\u{202f}'),
    ('\u{205f}', '\u{205f}'),
    ('\u{3000}', '\u{3000}'),
];
const VERTICAL: &[(char, char)] = &[('\n', '\r'), ('\u{85}', '\u{85}'), ('\u{2028}', '\u{2029}')];
const LINE_BREAKS: &[(char, char)] = &[('\n', '\n'), ('\r', '\r'), ('\u{85}', '\u{85}'), ('\u{2028}', '\u{2029}')];

/// `\d` and the like; capitals are all others.
pub fn escape(letter: char, flags: &Flags) -> ClassUnicode {
    let unicode = flags.unicode_classes;
    let of_unicode = |inner: &str| parse(inner).unwrap_or_else(ClassUnicode::empty);
    let mut set = match letter.to_ascii_lowercase() {
        'd' if unicode => of_unicode(r"\p{Nd}"),
        'd' => of_ranges(ASCII_DIGITS),
        'w' if unicode => of_unicode(r"\w"),
        'w' => of_ranges(ASCII_WORDS),
        's' if unicode => of_unicode(r"\p{White_Space}"),
        's' => of_ranges(ASCII_SPACES),
        'h' => of_ranges(HORIZONTAL),
        _ => of_ranges(VERTICAL),
    };
    if letter.is_ascii_uppercase() {
        set.negate();
    }
    set
}

/// What a dot stands for.
pub fn any(flags: &Flags) -> ClassUnicode {
    let mut set = match (flags.dot_all, flags.unix_lines) {
        (true, _) => ClassUnicode::empty(),
        (_, true) => of_ranges(&[('\n', '\n')]),
        _ => of_ranges(LINE_BREAKS),
    };
    set.negate();
    set
}

/// `\R`: a line break, of two characters or one. What it took it does give up again, for the other way to read it.
pub fn line_break() -> Node {
    let both = Node::Seq(vec![Node::Char('\r'), Node::Char('\n')]);
    Node::Any(vec![both, Node::Set(of_ranges(VERTICAL))])
}

/// A range, and what is the same as something in it.
pub fn range(first: char, last: char, case: Case) -> ClassUnicode {
    let mut set = of_ranges(&[(first, last)]);
    match case {
        Case::Sensitive => {}
        Case::Ascii => {
            for (from, to) in [('a', 'z'), ('A', 'Z')] {
                let (from, to) = (first.max(from), last.min(to));
                if from <= to {
                    let other = |c: char| char::from(c as u8 ^ 0x20);
                    set.union(&of_ranges(&[(other(from), other(to))]));
                }
            }
        }
        Case::Unicode => {
            // Its tables are part of the build.
            let _ = set.try_case_fold_simple();
        }
    }
    set
}

/// A general category, or a class of POSIX or of Java's own.
pub fn category(name: &str, insensitive: bool) -> Option<ClassUnicode> {
    let name = if insensitive { in_both_cases(name) } else { name };
    if let Some((_, inner)) = POSIX.iter().find(|(known, _)| *known == name) {
        return parse(inner);
    }
    // Halves of pairs are no characters of a text.
    match CATEGORIES.contains(&name) {
        true if name == "Cs" => Some(ClassUnicode::empty()),
        true => parse(&format!(r"\p{{{name}}}")),
        false => None,
    }
}

/// A property that a character has or has not.
pub fn binary(name: &str, insensitive: bool) -> Option<ClassUnicode> {
    let upper = name.to_uppercase();
    let cased = ["LOWERCASE", "UPPERCASE", "TITLECASE"].contains(&upper.as_str());
    if insensitive && cased {
        return parse(r"\p{Lowercase}\p{Uppercase}\p{Lt}");
    }
    BINARY.iter().find(|(known, _)| *known == upper).and_then(|(_, inner)| parse(inner))
}

/// A class of POSIX where these are of all of Unicode.
pub fn posix_of_unicode(name: &str, insensitive: bool) -> Option<ClassUnicode> {
    let upper = name.to_uppercase();
    if insensitive && ["LOWER", "UPPER"].contains(&upper.as_str()) {
        return parse(r"\p{Lowercase}\p{Uppercase}\p{Lt}");
    }
    POSIX_OF_UNICODE.iter().find(|(known, _)| *known == upper).and_then(|(_, inner)| parse(inner))
}

/// The characters of a script, by its name or its code of four letters.
pub fn script(name: &str) -> Option<ClassUnicode> {
    let is_name = name.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
    is_name.then(|| parse(&format!(r"\p{{Script={name}}}"))).flatten()
}

/// The characters of a block.
pub fn block(name: &str) -> Option<ClassUnicode> {
    let wanted = plain(name);
    let found = BLOCKS.lines().find_map(|line| {
        let (range, names) = line.split_once(' ')?;
        names.split(';').any(|known| plain(known) == wanted).then_some(range)
    })?;
    let (first, last) = found.split_once('-')?;
    let code = |text: &str| u32::from_str_radix(text, 16).ok();
    // Blocks of surrogates have no characters.
    let (first, last) = (code(first)?, code(last)?);
    Some(match (char::from_u32(first), char::from_u32(last)) {
        (Some(first), Some(last)) => of_ranges(&[(first, last)]),
        _ => ClassUnicode::empty(),
    })
}

/// Blocks of Unicode: `first-last name;other name…`.
const BLOCKS: &str = include_str!("blocks.txt");

fn plain(name: &str) -> String {
    name.to_ascii_uppercase()
}

/// The class of the letters of a case together with those of the others.
fn in_both_cases(name: &str) -> &str {
    match name {
        "Lower" | "Upper" => "Alpha",
        "Lu" | "Ll" | "Lt" => "LC",
        "javaLowerCase" | "javaUpperCase" | "javaTitleCase" => "LC",
        name => name,
    }
}
