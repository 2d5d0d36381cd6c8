//! Folding of Bengali, after its sounds (UzZaman and Khan's encoding).

const VIRAMA: char = '\u{9cd}';

/// Long vowels become short, sibilants one, conjuncts what they sound like. The rules look back at what was written
/// before, so they run over a vector that shrinks.
pub(crate) fn bengali(text: &mut String) {
    let mut s: Vec<char> = text.chars().collect();
    let mut at = 0;
    while at < s.len() {
        let mut next = at + 1;
        match s[at] {
            '\u{981}' => {
                s.remove(at);
                next = at;
            }
            '\u{9c0}' => s[at] = '\u{9bf}',
            '\u{9c2}' => s[at] = '\u{9c1}',
            '\u{995}' if s.get(at + 1) == Some(&VIRAMA) && s.get(at + 2) == Some(&'\u{9bf}') => {
                if at == 0 {
                    s[at] = '\u{996}';
                    s.drain(at + 1..at + 3);
                } else {
                    s[at + 1] = '\u{996}';
                    s.remove(at + 2);
                }
            }
            '\u{999}' => s[at] = '\u{982}',
            '\u{9af}' => next = ya(&mut s, at),
            '\u{9ac}' => next = ba(&mut s, at),
            '\u{983}' => {
                if at + 1 < s.len() {
                    s[at] = s[at + 1];
                } else if s.len() <= 3 {
                    s[at] = '\u{9b9}';
                } else {
                    s.remove(at);
                }
            }
            '\u{9b6}' | '\u{9b7}' => s[at] = '\u{9b8}',
            '\u{9a3}' => s[at] = '\u{9a8}',
            '\u{9dc}' | '\u{9dd}' => s[at] = '\u{9b0}',
            '\u{9ce}' => s[at] = '\u{9a4}',
            _ => {}
        }
        at = next;
    }
    text.clear();
    text.extend(s);
}

/// Ya after a virama: a vowel in the first conjunct, silent in others. Gives where to go on.
fn ya(s: &mut Vec<char>, at: usize) -> usize {
    if at == 0 || s[at - 1] != VIRAMA {
        return at + 1;
    }
    if at == 2 {
        s[at - 1] = '\u{9c7}';
        if s.get(at + 1) == Some(&'\u{9be}') {
            s.remove(at + 1);
        }
        s.remove(at);
        return at;
    }
    s.drain(at - 1..=at);
    at - 1
}

/// Ba after a virama: silent in the first conjunct and in those of three, else it doubles the consonant before.
fn ba(s: &mut Vec<char>, at: usize) -> usize {
    if at == 0 || s[at - 1] != VIRAMA {
        return at + 1;
    }
    if at == 2 || at >= 5 && s[at - 3] == VIRAMA {
        s.drain(at - 1..=at);
        return at - 1;
    }
    if at > 2 {
        s[at - 1] = s[at - 2];
        s.remove(at);
        return at;
    }
    at + 1
}
