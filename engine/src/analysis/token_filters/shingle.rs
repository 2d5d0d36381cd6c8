//! `shingle`: runs of neighbouring tokens as tokens.

use super::{InRules, StreamFilter, TokenFilter};
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::{Item, TokenBuf};
use crate::{Error, Result};

#[derive(Debug)]
pub(crate) struct Shingle {
    min: usize,
    max: usize,
    unigrams: bool,
    unigrams_if_no_shingles: bool,
    separator: String,
    filler: String,
}

pub(super) fn build(params: &Params, context: &Context) -> Result<TokenFilter> {
    let (min, max) = (params.int("min_shingle_size", 2)?, params.int("max_shingle_size", 2)?);
    let unigrams = params.bool("output_unigrams", true)?;
    context.components.limits.check_shingle(min, max, unigrams)?;
    if max < 2 {
        return Err(Error::illegal_argument("Max shingle size must be >= 2"));
    }
    if min < 2 {
        return Err(Error::illegal_argument("Min shingle size must be >= 2"));
    }
    if min > max {
        return Err(Error::illegal_argument("Min shingle size must be <= max shingle size"));
    }
    Ok(TokenFilter::stream(Shingle {
        min: min as usize,
        max: max as usize,
        unigrams,
        unigrams_if_no_shingles: params.bool("output_unigrams_if_no_shingles", false)?,
        separator: params.text("token_separator").unwrap_or_else(|| " ".to_owned()),
        filler: params.text("filler_token").unwrap_or_else(|| "_".to_owned()),
    }))
}

/// A token, or the filler that stands for a removed one.
#[derive(Clone, Copy)]
struct Gram {
    /// Of the input; `None` for a filler.
    token: Option<usize>,
    start: u32,
    end: u32,
}

impl StreamFilter for Shingle {
    fn disables_graphs(&self) -> bool {
        self.unigrams || self.min != self.max
    }

    fn apply(&self, input: &TokenBuf, out: &mut TokenBuf) {
        out.end_like(input);
        let grams = self.grams(input);
        let unigrams = self.unigrams || self.unigrams_if_no_shingles && grams.len() < self.min;
        let mut text = String::new();
        for at in 0..grams.len() {
            let window = &grams[at..grams.len().min(at + self.max)];
            // A shingle of fillers alone says nothing.
            let fillers = window.iter().take_while(|gram| gram.token.is_none()).count();
            let mut sizes =
                unigrams.then_some(1).into_iter().chain(self.min..=self.max).skip_while(|size| *size <= fillers);
            let mut increment = 1;
            let mut next = sizes.next();
            // A place that nothing begins at is taken for the end, as the reference has it.
            if next.is_none_or(|size| size > window.len()) {
                return;
            }
            while let Some(size) = next.filter(|size| *size <= window.len()) {
                let item = self.item(&window[..size], input, std::mem::take(&mut increment));
                self.join(&window[..size], input, &mut text);
                if !out.push(&text, item) {
                    return;
                }
                next = sizes.next();
            }
        }
    }

    fn in_rules(&self) -> InRules {
        InRules::Refused
    }
}

impl Shingle {
    /// Tokens with fillers between them, where tokens were removed; at most as many as a shingle has.
    fn grams(&self, input: &TokenBuf) -> Vec<Gram> {
        let mut grams = Vec::with_capacity(input.len());
        for (at, item) in input.items().iter().enumerate() {
            let fillers = (item.increment.max(1) as usize - 1).min(self.max - 1);
            for _ in 0..fillers {
                grams.push(Gram { token: None, start: item.start, end: item.start });
            }
            grams.push(Gram { token: Some(at), start: item.start, end: item.end });
        }
        // Tokens removed at the end count too.
        for _ in 0..(input.trailing as usize).min(self.max - 1) {
            grams.push(Gram { token: None, start: input.end_offset, end: input.end_offset });
        }
        grams
    }

    /// What a run is as a token. One that has a token in it.
    fn item(&self, run: &[Gram], input: &TokenBuf, increment: u32) -> Item {
        let first = run.iter().find_map(|gram| gram.token).expect("runs of fillers alone are left out");
        let first = input.items()[first];
        let size = run.len();
        match size {
            1 => Item { increment, length: 1, ..first },
            _ => Item {
                start: run[0].start,
                end: run[size - 1].end,
                increment,
                // Beside unigrams a shingle spans its tokens; else the shortest shingles are the unit.
                length: (if self.unigrams { size } else { size - self.min + 1 }) as u32,
                kind: "shingle",
                ..first
            },
        }
    }

    fn join(&self, run: &[Gram], input: &TokenBuf, text: &mut String) {
        text.clear();
        for (n, gram) in run.iter().enumerate() {
            if n > 0 {
                text.push_str(&self.separator);
            }
            text.push_str(gram.token.map_or(&self.filler, |token| input.text(token)));
        }
    }
}
