//! RSLP stemmers (Orengo and Huyck's of Portuguese, its kin of Galician): steps of rules with exceptions, read from tables.
//!
//! A line of a table begins a step (`step <name> <shortest word> <word|end> <ends>…`: only words with one of the ends
//! enter; exceptions are whole words or ends of words) or adds a rule to it (`<suffix> <shortest stem> <replacement or ->
//! <exceptions>…`). The first rule that fits a word is applied.

use super::word::Word;
use std::sync::LazyLock;

#[derive(Debug)]
struct Step {
    name: &'static str,
    min: usize,
    whole_words: bool,
    ends: Vec<&'static str>,
    rules: Vec<Rule>,
}

#[derive(Debug)]
struct Rule {
    suffix: &'static str,
    suffix_len: usize,
    min_stem: usize,
    replacement: &'static str,
    exceptions: Vec<&'static str>,
}

static PORTUGUESE: LazyLock<Vec<Step>> = LazyLock::new(|| read(include_str!("rslp_portuguese.txt")));
static GALICIAN: LazyLock<Vec<Step>> = LazyLock::new(|| read(include_str!("rslp_galician.txt")));

fn read(table: &'static str) -> Vec<Step> {
    let number = |text: Option<&str>| text.and_then(|n| n.parse().ok()).expect("tables are well-formed");
    let mut steps: Vec<Step> = vec![];
    for line in table.lines() {
        let mut fields = line.split(' ');
        let first = fields.next().expect("a split gives at least one part");
        if first == "step" {
            let name = fields.next().expect("steps have names");
            let min = number(fields.next());
            let whole_words = fields.next() == Some("word");
            steps.push(Step { name, min, whole_words, ends: fields.collect(), rules: vec![] });
            continue;
        }
        let min_stem = number(fields.next());
        let replacement = fields.next().filter(|text| *text != "-").unwrap_or_default();
        let step = steps.last_mut().expect("rules stand in steps");
        let suffix_len = first.chars().count();
        step.rules.push(Rule { suffix: first, suffix_len, min_stem, replacement, exceptions: fields.collect() });
    }
    steps
}

/// Applies the step of this name; tells whether the length of the word changed.
fn apply(steps: &[Step], name: &str, word: &mut Word) -> bool {
    let Some(step) = steps.iter().find(|step| step.name == name) else { return false };
    let len = word.len();
    if len < step.min || !step.ends.is_empty() && !word.ends_any(&step.ends) {
        return false;
    }
    let rule = step.rules.iter().find(|rule| {
        len >= rule.min_stem + rule.suffix_len
            && word.ends(rule.suffix)
            && !if step.whole_words { word.is_any(&rule.exceptions) } else { word.ends_any(&rule.exceptions) }
    });
    if let Some(rule) = rule {
        word.replace(rule.suffix_len, rule.replacement);
    }
    word.len() != len
}

pub(crate) fn portuguese(word: &mut String) {
    Word::edit(word, |word| {
        for step in ["plural", "adverb", "feminine", "augmentative"] {
            apply(&PORTUGUESE, step, word);
        }
        let _ = ["noun", "verb", "vowel"].iter().any(|step| apply(&PORTUGUESE, step, word));
        word.map(&[
            ("àáâãäå", 'a'),
            ("ç", 'c'),
            ("èéêë", 'e'),
            ("ìíîï", 'i'),
            ("ñ", 'n'),
            ("òóôõö", 'o'),
            ("ùúûü", 'u'),
            ("ýÿ", 'y'),
        ]);
    });
}

/// The plural only, without the rest.
pub(crate) fn minimal_portuguese(word: &mut String) {
    Word::edit(word, |word| _ = apply(&PORTUGUESE, "plural", word));
}

pub(crate) fn galician(word: &mut String) {
    Word::edit(word, |word| {
        for step in ["plural", "unification", "adverb"] {
            apply(&GALICIAN, step, word);
        }
        // Bounded, although each turn is expected to shorten the word.
        for _ in 0..=word.len() {
            if !apply(&GALICIAN, "augmentative", word) {
                break;
            }
        }
        let _ = ["noun", "verb"].iter().any(|step| apply(&GALICIAN, step, word));
        apply(&GALICIAN, "vowel", word);
        word.map(&[("á", 'a'), ("éê", 'e'), ("í", 'i'), ("ó", 'o'), ("ú", 'u')]);
    });
}

/// The plural only, without the rest.
pub(crate) fn minimal_galician(word: &mut String) {
    Word::edit(word, |word| _ = apply(&GALICIAN, "plural", word));
}
