//! `ngram` and `edge_ngram`: pieces of each token, all or those at its beginning or end.

use super::{InRules, StreamFilter, TokenFilter};
use crate::analysis::old_names::note_old_filter;
use crate::analysis::params::Params;
use crate::analysis::registry::{Context, Lookup};
use crate::analysis::token::{Item, TokenBuf};
use crate::{Error, Result};

/// Sizes of pieces, in code points.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    min: usize,
    max: usize,
    /// Also the whole token where it is no piece.
    preserve_original: bool,
}

#[derive(Debug)]
pub(crate) struct Ngram(Sizes);

#[derive(Debug)]
pub(crate) struct EdgeNgram {
    sizes: Sizes,
    /// Pieces of the end, not of the beginning.
    back: bool,
}

impl EdgeNgram {
    /// The beginnings of tokens, from `min` to `max` code points.
    pub(crate) fn beginnings(min: usize, max: usize) -> Self {
        Self { sizes: Sizes { min, max, preserve_original: false }, back: false }
    }
}

/// The sizes as they are written, not compared yet.
fn bounds(params: &Params) -> Result<(i64, i64)> {
    Ok((params.int("min_gram", 1)?, params.int("max_gram", 2)?))
}

fn sizes(params: &Params, (min, max): (i64, i64)) -> Result<Sizes> {
    let preserve_original = params.bool("preserve_original", false)?;
    check_sizes(min, max)?;
    Ok(Sizes { min: min as usize, max: max as usize, preserve_original })
}

/// Bounds of the sizes of pieces, for tokenizers and filters alike.
pub(crate) fn check_sizes(min: i64, max: i64) -> Result<()> {
    if min < 1 {
        return Err(Error::illegal_argument("minGram must be greater than zero"));
    }
    if min > max {
        return Err(Error::illegal_argument("minGram must not be greater than maxGram"));
    }
    Ok(())
}

pub(super) fn build(params: &Params, context: &Context) -> Result<TokenFilter> {
    let (min, max) = bounds(params)?;
    context.components.limits.check_ngram("NGram Tokenizer", min, max)?;
    Ok(TokenFilter::stream(Ngram(sizes(params, (min, max))?)))
}

pub(super) fn build_edge(params: &Params, _: &Context) -> Result<TokenFilter> {
    let bounds = bounds(params)?;
    let back = match params.text("side").as_deref() {
        None | Some("front") => false,
        Some("back") => true,
        Some(other) => return Err(Error::illegal_argument(format!("invalid side: {other}"))),
    };
    Ok(TokenFilter::stream(EdgeNgram { sizes: sizes(params, bounds)?, back }))
}

/// `nGram`: `ngram` where it is defined; the bare name is gone.
pub(super) fn build_old(params: &Params, context: &Context) -> Result<TokenFilter> {
    if params.is_bare() {
        return Err(Error::illegal_argument(
            "The [nGram] token filter name was deprecated in 6.4 and cannot be used in new indices. Please change the filter name to [ngram] instead.",
        ));
    }
    note_old_filter();
    build(params, context)
}

pub(super) fn build_old_edge(params: &Params, context: &Context) -> Result<TokenFilter> {
    Err(Error::illegal_argument(if params.is_bare() && context.lookup != Lookup::IndexRequest {
        "The [edgeNGram] token filter name was deprecated in 6.4 and cannot be used in new indices. Please change the filter name to [edge_ngram] instead."
    } else {
        "The [edgeNGram] tokenizer name was deprecated pre 1.0. Please change the tokenizer name to [edge_ngram] for indices created in versions 3.0 or higher instead."
    }))
}

/// `edge_ngram` under its bare name: the first character.
pub(super) fn edge_preset() -> TokenFilter {
    TokenFilter::stream(EdgeNgram { sizes: Sizes { min: 1, max: 1, preserve_original: false }, back: false })
}

impl StreamFilter for Ngram {
    fn apply(&self, input: &TokenBuf, out: &mut TokenBuf) {
        pieces(input, out, self.0, |count, sizes, piece| {
            for start in 0..count {
                for size in sizes.min..=sizes.max.min(count - start) {
                    if !piece(start, start + size) {
                        return;
                    }
                }
            }
        });
    }

    fn in_rules(&self) -> InRules {
        InRules::Refused
    }
}

impl StreamFilter for EdgeNgram {
    fn apply(&self, input: &TokenBuf, out: &mut TokenBuf) {
        pieces(input, out, self.sizes, |count, sizes, piece| {
            for size in sizes.min..=sizes.max.min(count) {
                let start = if self.back { count - size } else { 0 };
                if !piece(start, start + size) {
                    return;
                }
            }
        });
    }

    fn in_rules(&self) -> InRules {
        InRules::Refused
    }
}

/// Writes the pieces that `cut` finds in each token: it gets the token's length in code points and a place to put the
/// ranges of the pieces. All pieces of a token stand at its position.
fn pieces(
    input: &TokenBuf,
    out: &mut TokenBuf,
    sizes: Sizes,
    cut: impl Fn(usize, Sizes, &mut dyn FnMut(usize, usize) -> bool),
) {
    out.end_like(input);
    let mut gap = 0u32;
    let mut bounds: Vec<usize> = vec![];
    for (text, item) in input.iter() {
        gap = gap.saturating_add(item.increment);
        bounds.clear();
        bounds.extend(text.char_indices().map(|(at, _)| at));
        let count = bounds.len();
        bounds.push(text.len());
        let mut room = true;
        let mut push = |text: &str| {
            room = out.push(text, Item { increment: std::mem::take(&mut gap), ..*item });
            room
        };
        cut(count, sizes, &mut |start, end| push(&text[bounds[start]..bounds[end]]));
        if sizes.preserve_original && !(sizes.min..=sizes.max).contains(&count) {
            push(text);
        }
        if !room {
            return;
        }
    }
    // What other filters left out at the end is forgotten, as in the reference.
    out.trailing = gap;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::token::Term;

    #[test]
    fn gaps_of_others_at_the_end_are_forgotten() {
        let (mut input, mut out) = (TokenBuf::default(), TokenBuf::default());
        input.push_term(&Term { text: "a".into(), increment: 1, length: 1, ..Term::default() });
        input.trailing = 3;
        pieces(&input, &mut out, Sizes { min: 2, max: 2, preserve_original: false }, |_, _, _| {});
        assert_eq!(out.trailing, 1);
    }

    #[test]
    fn cuts_pieces() {
        let mut input = TokenBuf::default();
        input.push_term(&Term { text: "aé😀".into(), increment: 1, length: 1, ..Term::default() });
        let shown = |filter: &dyn StreamFilter| {
            let mut out = TokenBuf::default();
            filter.apply(&input, &mut out);
            out.iter().map(|(text, item)| format!("{text}{}", item.increment)).collect::<Vec<_>>().join(" ")
        };
        let sizes = Sizes { min: 1, max: 2, preserve_original: true };
        assert_eq!(shown(&Ngram(sizes)), "a1 aé0 é0 é😀0 😀0 aé😀0");
        assert_eq!(shown(&EdgeNgram { sizes, back: false }), "a1 aé0 aé😀0");
        assert_eq!(shown(&EdgeNgram { sizes, back: true }), "😀1 é😀0 aé😀0");
    }
}
