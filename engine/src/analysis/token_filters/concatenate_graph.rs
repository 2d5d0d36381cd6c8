//! `concatenate_graph`: all tokens of the value as one, one for each path through the graph of tokens.

use super::{StreamFilter, TokenFilter};
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::{Item, TokenBuf, WORD};
use crate::{Error, Result};

/// Most paths that are looked at.
const PATHS_MAX: usize = 10_000;
/// Most separators that stand for removed tokens in one place.
const HOLES_MAX: u32 = 1000;

#[derive(Debug)]
pub(crate) struct ConcatenateGraph {
    separator: String,
    max_expansions: usize,
    /// A removed token leaves its separator.
    preserve_increments: bool,
}

pub(super) fn build(params: &Params, _: &Context) -> Result<TokenFilter> {
    let separator = params.text("token_separator").unwrap_or_else(|| " ".to_owned());
    if separator.encode_utf16().count() > 1 {
        return Err(Error::illegal_argument("token_separator must be either empty or a single character"));
    }
    let max_expansions = params.int("max_graph_expansions", 100)?;
    if max_expansions < 1 && max_expansions != -1 {
        return Err(Error::illegal_argument(format!(
            "limit must be -1 (which means no limit), or > 0; got: {max_expansions}"
        )));
    }
    Ok(TokenFilter::stream(ConcatenateGraph {
        separator,
        max_expansions: usize::try_from(max_expansions).unwrap_or(PATHS_MAX).min(PATHS_MAX),
        preserve_increments: params.bool("preserve_position_increments", false)?,
    }))
}

impl StreamFilter for ConcatenateGraph {
    fn apply(&self, input: &TokenBuf, out: &mut TokenBuf) {
        out.end_like(input);
        out.trailing = 0;
        let Some(first) = input.items().first().filter(|_| input.iter().any(|(text, _)| !text.is_empty())) else {
            return;
        };
        let mut from = vec![];
        let mut position = 0u32;
        for item in input.items() {
            position = position.saturating_add(item.increment);
            from.push(position);
        }
        let to = |at: usize| from[at].saturating_add(input.items()[at].length);
        let end = (0..from.len()).map(to).max().unwrap_or_default();
        // Depth first: the state is the tokens taken and where to look on.
        let mut paths: Vec<String> = vec![];
        let mut path: Vec<usize> = vec![];
        let (mut at, mut next) = (from[0], 0);
        loop {
            // A hole is skipped: the path goes on at the next token.
            let reachable = (at..=end).find(|p| from.contains(p));
            let token = reachable.and_then(|p| (next..from.len()).find(|token| from[*token] == p));
            match token {
                Some(token) => {
                    path.push(token);
                    (at, next) = (to(token), 0);
                }
                None => {
                    if reachable.is_none() && next == 0 {
                        let mut text = self.join(input, &path, &from);
                        if self.preserve_increments {
                            text.push_str(&self.separator.repeat(input.trailing.min(HOLES_MAX) as usize));
                        }
                        paths.push(text);
                    }
                    let last = path.pop().filter(|_| paths.len() < PATHS_MAX);
                    let Some(last) = last else { break };
                    (at, next) = (from[last], last + 1);
                }
            }
        }
        // What goes on comes before what ends: strings are told when all that they begin have been.
        let labels = |path: &String| path.bytes().map(u16::from).chain([u16::MAX]).collect::<Vec<_>>();
        paths.sort_by_cached_key(labels);
        paths.dedup();
        for (n, path) in paths.iter().take(self.max_expansions).enumerate() {
            let item = Item { start: 0, end: input.end_offset, increment: u32::from(n == 0), length: 1, ..*first };
            if !out.push(path, Item { kind: WORD, keyword: false, ..item }) {
                return;
            }
        }
    }

    fn hides_attributes(&self) -> bool {
        true
    }
}

impl ConcatenateGraph {
    fn join(&self, input: &TokenBuf, path: &[usize], from: &[u32]) -> String {
        let mut text = String::new();
        let mut expected = None;
        for token in path {
            if expected.is_some() {
                text.push_str(&self.separator);
            }
            // The first token may stand behind a hole, too.
            let holes = from[*token].saturating_sub(expected.unwrap_or(1));
            if self.preserve_increments {
                text.push_str(&self.separator.repeat(holes.min(HOLES_MAX) as usize));
            }
            // What separates is escaped by itself within a token.
            for letter in input.text(*token).chars() {
                text.push(letter);
                if self.separator.starts_with(letter) {
                    text.push(letter);
                }
            }
            expected = Some(from[*token].saturating_add(input.items()[*token].length));
        }
        text
    }
}
