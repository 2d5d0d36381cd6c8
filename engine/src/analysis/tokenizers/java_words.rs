//! Where words begin and end as Java's runtime has it, for all but the scripts that it has dictionaries for: a word is
//! letters and numbers, with marks within that no two stand beside each other.

use unicode_normalization::char::is_combining_mark;

/// What a character is for the rules.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Class {
    Letter,
    Digit,
    Kanji,
    Katakana,
    Hiragana,
    /// Belongs to the character before it.
    Ignored,
    Other,
}

fn class(c: char) -> Class {
    match c {
        '\u{3005}' | '\u{4e00}'..='\u{9fa5}' | '\u{f900}'..='\u{fa2d}' => Class::Kanji,
        '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30fe}' => Class::Katakana,
        '\u{3041}'..='\u{3094}' | '\u{309d}' | '\u{309e}' => Class::Hiragana,
        _ if is_format(c) || is_combining_mark(c) => Class::Ignored,
        _ if c.is_numeric() => Class::Digit,
        _ if c.is_alphabetic() => Class::Letter,
        _ => Class::Other,
    }
}

/// Characters that are not seen and only say how others are to be shown.
fn is_format(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}')
}

/// May stand between two letters.
fn joins_letters(c: char) -> bool {
    matches!(
        c,
        '"' | '\'' | '.' | '-' | '\u{2027}' | '\u{58a}' | '\u{5be}' | '\u{1400}' | '\u{1806}' | '\u{2010}'
            ..='\u{2015}'
                | '\u{2e17}'
                | '\u{2e1a}'
                | '\u{2e3a}'
                | '\u{2e3b}'
                | '\u{2e40}'
                | '\u{301c}'
                | '\u{3030}'
                | '\u{30a0}'
                | '\u{fe31}'
                | '\u{fe32}'
                | '\u{fe58}'
                | '\u{fe63}'
                | '\u{ff0d}'
    )
}

/// May stand between two digits.
fn joins_digits(c: char) -> bool {
    matches!(c, '"' | '\'' | ',' | '\u{66b}' | '.')
}

/// May stand before a number, and belongs to it.
fn begins_number(c: char) -> bool {
    matches!(c,
        '#' | '.' | '$' | '\u{a3}'..='\u{a5}' | '\u{58f}' | '\u{60b}' | '\u{9f2}' | '\u{9f3}' | '\u{9fb}' | '\u{af1}'
        | '\u{bf9}' | '\u{e3f}' | '\u{17db}' | '\u{20a0}'..='\u{20c0}' | '\u{a838}' | '\u{fdfc}' | '\u{fe69}'
        | '\u{ff04}' | '\u{ffe0}' | '\u{ffe1}' | '\u{ffe5}' | '\u{ffe6}')
}

/// May stand behind a number, and belongs to it.
fn ends_number(c: char) -> bool {
    matches!(c, '\u{a2}' | '%' | '\u{66a}' | '\u{2030}' | '\u{2031}' | '&')
}

/// The end of what begins at the start of `text`: a word, or a single character that is part of none. `text` is not empty.
pub(crate) fn end(text: &str) -> usize {
    let mut scan = Scan { text, at: 0 };
    match scan.class() {
        Some(class @ (Class::Kanji | Class::Katakana | Class::Hiragana)) => {
            while scan.class() == Some(class) {
                scan.step();
            }
            return scan.at;
        }
        Some(Class::Ignored) => scan.ignored(),
        _ => {}
    }
    let start = scan.at;
    if scan.next().is_some_and(begins_number) {
        scan.step();
        if scan.class() != Some(Class::Digit) {
            scan.at = start;
        }
    }
    let mut last = None;
    loop {
        match (scan.class(), last) {
            (Some(found @ (Class::Letter | Class::Digit)), _) => {
                scan.step();
                last = Some(found);
            }
            (Some(Class::Other), Some(before)) => {
                let (mark, place) = (scan.next().unwrap_or(' '), scan.at);
                let joins = if before == Class::Letter { joins_letters(mark) } else { joins_digits(mark) };
                if joins {
                    scan.step();
                    if scan.class() == Some(before) {
                        continue;
                    }
                    scan.at = place;
                }
                if before == Class::Digit && ends_number(mark) {
                    scan.step();
                }
                break;
            }
            _ => break,
        }
    }
    if scan.at == 0 {
        scan.step();
    }
    scan.at
}

struct Scan<'t> {
    text: &'t str,
    at: usize,
}

impl Scan<'_> {
    fn next(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    /// The class of the next character; none for what a dictionary cuts.
    fn class(&self) -> Option<Class> {
        self.next().filter(|c| !is_thai(*c)).map(class)
    }

    /// Passes a character and those that belong to it.
    fn step(&mut self) {
        self.at += self.next().map_or(0, char::len_utf8);
        self.ignored();
    }

    fn ignored(&mut self) {
        while self.class() == Some(Class::Ignored) {
            self.at += self.next().map_or(0, char::len_utf8);
        }
    }
}

/// Letters and marks of Thai.
pub(crate) fn is_thai(c: char) -> bool {
    matches!(c, '\u{e01}'..='\u{e2e}' | '\u{e30}'..='\u{e3a}' | '\u{e40}'..='\u{e44}' | '\u{e47}'..='\u{e4e}')
}

#[cfg(test)]
mod tests {
    use super::end;

    fn words(text: &str) -> Vec<&str> {
        let (mut rest, mut out) = (text, vec![]);
        while !rest.is_empty() {
            let (word, after) = rest.split_at(end(rest));
            out.push(word);
            rest = after;
        }
        out
    }

    #[test]
    fn words_as_the_runtime_of_java_cuts_them() {
        for (text, expected) in [
            ("l'a m-As", &["l'a", " ", "m-As"][..]),
            ("a--b", &["a", "-", "-", "b"]),
            ("1,000.50 1-2", &["1,000.50", " ", "1", "-", "2"]),
            ("$10 $a US$5", &["$10", " ", "$", "a", " ", "US", "$5"]),
            ("10% 5\u{20ac}", &["10%", " ", "5", "\u{20ac}"]),
            ("v1.2.3-beta", &["v1.2.3", "-", "beta"]),
            ("AT&T", &["AT", "&", "T"]),
            (".5 a.", &[".5", " ", "a", "."]),
            ("日本ひらカタ", &["日本", "ひら", "カタ"]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }
}
