//! Stemmers of German: light, minimal, and Caumanns' with its masks for sounds of several letters.

use super::word::Word;
use crate::analysis::char_table::is_letter;

pub(crate) fn light(word: &mut String) {
    let before_s = |c| matches!(c, 'b' | 'd' | 'f' | 'g' | 'h' | 'k' | 'l' | 'm' | 'n' | 't');
    Word::edit(word, |word| {
        word.map(&[("äàáâ", 'a'), ("öòóô", 'o'), ("ïìíî", 'i'), ("üùúû", 'u')]);
        if !word.cut_suffix(&[(5, &["ern"]), (4, &["em", "en", "er", "es"]), (3, &["e"])])
            && word.len() > 3
            && word.back(1) == 's'
            && before_s(word.back(2))
        {
            word.cut(1);
        }
        if !word.cut_suffix(&[(5, &["est"]), (4, &["er", "en"])])
            && word.len() > 4
            && word.ends("st")
            && before_s(word.back(3))
        {
            word.cut(2);
        }
    });
}

pub(crate) fn minimal(word: &mut String) {
    Word::edit(word, |word| {
        if word.len() < 5 {
            return;
        }
        word.map(&[("ä", 'a'), ("ö", 'o'), ("ü", 'u')]);
        word.cut_suffix(&[(6, &["nen"]), (5, &["en", "se", "es", "er"]), (4, &["n", "e", "s", "r"])]);
    });
}

/// Sounds of several letters, and the marks that stand for them while endings are cut.
const MASKS: [(&str, char); 6] = [("sch", '$'), ("ch", '§'), ("ei", '%'), ("ie", '&'), ("ig", '#'), ("st", '!')];

/// Caumanns' stemmer: cuts endings again and again, however much that joins together.
pub(crate) fn caumanns(word: &mut String) {
    *word = word.to_lowercase();
    if !word.chars().all(is_letter) {
        return;
    }
    Word::edit(word, |word| {
        let hidden = mask(word);
        strip(word, hidden);
        if word.len() > 5 && word.ends("erin*") {
            word.cut(1);
            strip(word, hidden);
        }
        if word.back(1) == 'z' {
            word.set_back(1, 'x');
        }
        unmask(word);
        let chars = word.chars_mut();
        if chars.len() > 4
            && let Some(at) = chars.windows(4).position(|four| four == ['g', 'e', 'g', 'e'])
        {
            chars.drain(at..at + 2);
        }
    });
}

/// Puts marks; tells how many letters they hide.
fn mask(word: &mut Word) -> usize {
    let chars = word.chars_mut();
    let mut hidden = 0;
    let mut at = 0;
    while at < chars.len() {
        match chars[at] {
            c if at > 0 && chars[at - 1] == c => chars[at] = '*',
            'ä' => chars[at] = 'a',
            'ö' => chars[at] = 'o',
            'ü' => chars[at] = 'u',
            'ß' => {
                chars[at] = 's';
                chars.insert(at + 1, 's');
                hidden += 1;
            }
            _ => {}
        }
        let sound = MASKS.iter().find(|(sound, _)| {
            let mut rest = chars[at..].iter();
            sound.chars().all(|c| rest.next() == Some(&c))
        });
        if let Some((sound, mark)) = sound {
            chars[at] = *mark;
            chars.drain(at + 1..at + sound.len());
            hidden += sound.len() - 1;
        }
        at += 1;
    }
    hidden
}

fn strip(word: &mut Word, hidden: usize) {
    while word.len() > 3 {
        let len = word.len() + hidden;
        if len > 5 && word.ends("nd") || len > 4 && word.ends_any(&["em", "er"]) {
            word.cut(2);
        } else if matches!(word.back(1), 'e' | 's' | 'n' | 't') {
            word.cut(1);
        } else {
            return;
        }
    }
}

fn unmask(word: &mut Word) {
    let chars = word.chars_mut();
    let masked = std::mem::take(chars);
    for c in masked {
        match MASKS.iter().find(|(_, mark)| *mark == c) {
            Some((sound, _)) => chars.extend(sound.chars()),
            None if c == '*' => chars.extend(chars.last().copied()),
            None => chars.push(c),
        }
    }
}
