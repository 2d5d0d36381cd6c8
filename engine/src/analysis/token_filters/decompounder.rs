//! `dictionary_decompounder` and `hyphenation_decompounder`: the words that compounds consist of, beside them.

use super::hyphenation::Hyphenation;
use super::{StreamFilter, TokenFilter};
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::{Item, TokenBuf};
use crate::analysis::words::WordSet;
use crate::{Error, Result};

/// What both kinds are told. Lengths are in UTF-16 code units in the reference and in characters here; words beyond the
/// basic plane do not occur in compounds.
#[derive(Debug)]
struct Options {
    words: WordSet,
    min_word: usize,
    min_part: usize,
    max_part: usize,
    only_longest: bool,
}

impl Options {
    fn read(params: &Params) -> Result<Self> {
        // What cannot be read is refused before what is missing.
        for key in ["min_word_size", "min_subword_size", "max_subword_size"] {
            params.int(key, 0)?;
        }
        let only_longest = params.bool("only_longest_match", false)?;
        let Some(words) = params.words_or_file("word_list")? else {
            return Err(Error::illegal_argument(format!(
                "word_list must be provided for [{}], either as a path to a file, or directly",
                params.name
            )));
        };
        let size = |key: &str, name: &str, default: i64| {
            let size = params.int(key, default)?;
            usize::try_from(size).map_err(|_| Error::illegal_argument(format!("{name} cannot be negative")))
        };
        Ok(Self {
            words: words.into_set(params.bool("word_list_case", false)?),
            min_word: size("min_word_size", "minWordSize", 5)?,
            min_part: size("min_subword_size", "minSubwordSize", 2)?,
            max_part: size("max_subword_size", "maxSubwordSize", 15)?,
            only_longest,
        })
    }

    /// Writes each token and the parts that `parts` finds in it.
    fn apply(&self, input: &TokenBuf, out: &mut TokenBuf, mut parts: impl FnMut(&[char], &mut dyn FnMut(&[char]))) {
        out.end_like(input);
        for (text, item) in input.iter() {
            if !out.push(text, *item) {
                return;
            }
            let chars: Vec<char> = text.chars().collect();
            if chars.len() < self.min_word {
                continue;
            }
            let part = Item { increment: 0, ..*item };
            parts(&chars, &mut |chars| _ = out.push(&chars.iter().collect::<String>(), part));
        }
    }

    fn has(&self, chars: &[char]) -> bool {
        self.words.contains(&chars.iter().collect::<String>())
    }
}

#[derive(Debug)]
pub(crate) struct Dictionary {
    options: Options,
}

pub(super) fn build_dictionary(params: &Params, _: &Context) -> Result<TokenFilter> {
    Ok(TokenFilter::stream(Dictionary { options: Options::read(params)? }))
}

impl StreamFilter for Dictionary {
    fn apply(&self, input: &TokenBuf, out: &mut TokenBuf) {
        let options = &self.options;
        options.apply(input, out, |chars, emit| {
            let mut start = 0;
            while start + options.min_part <= chars.len() {
                let ends = start + options.min_part.max(1)..=(start + options.max_part).min(chars.len());
                let mut found = ends.filter(|end| options.has(&chars[start..*end]));
                // The longest part uses its letters up.
                match options.only_longest {
                    true => match found.next_back() {
                        Some(end) => {
                            emit(&chars[start..end]);
                            start = end;
                        }
                        None => start += 1,
                    },
                    false => {
                        found.for_each(|end| emit(&chars[start..end]));
                        start += 1;
                    }
                }
            }
        });
    }
}

#[derive(Debug)]
pub(crate) struct Hyphenated {
    options: Options,
    hyphenation: Hyphenation,
    no_sub_matches: bool,
    no_overlapping_matches: bool,
}

pub(super) fn build_hyphenation(params: &Params, _: &Context) -> Result<TokenFilter> {
    let options = Options::read(params)?;
    let Some(path) = params.text("hyphenation_patterns_path") else {
        return Err(Error::illegal_argument("hyphenation_patterns_path is a required setting."));
    };
    let failed = || Error::illegal_argument("Exception while reading hyphenation_patterns_path.");
    let text = params.file(&path)?.map_err(|_| failed())?;
    let hyphenation = Hyphenation::read(&text).ok_or_else(failed)?;
    Ok(TokenFilter::stream(Hyphenated {
        options,
        hyphenation,
        no_sub_matches: params.bool("no_sub_matches", false)?,
        no_overlapping_matches: params.bool("no_overlapping_matches", false)?,
    }))
}

impl StreamFilter for Hyphenated {
    fn apply(&self, input: &TokenBuf, out: &mut TokenBuf) {
        self.options.apply(input, out, |chars, emit| self.parts(chars, emit));
    }
}

impl Hyphenated {
    fn parts(&self, chars: &[char], emit: &mut dyn FnMut(&[char])) {
        let options = &self.options;
        let all = !options.only_longest && !self.no_sub_matches && !self.no_overlapping_matches;
        // Without the linking letter at its end a word counts as known too.
        if !all && (options.has(chars) || chars.len() > 1 && options.has(&chars[..chars.len() - 1])) {
            return;
        }
        let points = self.hyphenation.points(chars);
        let max_part = options.max_part.min(chars.len().saturating_sub(1));
        let mut consumed: Option<usize> = None;
        let mut from = 0;
        while from < points.len() {
            if self.no_overlapping_matches {
                from = from.max(consumed.unwrap_or(0));
            }
            let start = points[from];
            let until = if self.no_sub_matches { consumed.unwrap_or(0).max(from) } else { from };
            for to in (until + 1..points.len()).rev() {
                let len = points[to].saturating_sub(start);
                if len > max_part {
                    continue;
                }
                if len < options.min_part || len == 0 {
                    break;
                }
                let part = &chars[start..start + len];
                let known =
                    if options.has(part) { Some(part) } else { Some(&part[..len - 1]).filter(|p| options.has(p)) };
                if let Some(part) = known {
                    emit(part);
                    consumed = Some(to);
                    if !all {
                        break;
                    }
                }
            }
            from += 1;
        }
    }
}
