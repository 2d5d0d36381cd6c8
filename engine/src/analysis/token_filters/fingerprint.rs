//! `fingerprint`: one token of all distinct tokens, sorted.

use super::{InRules, StreamFilter, TokenFilter};
use crate::Error;
use crate::Result;
use crate::analysis::offsets::utf16_len;
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::Item;
use crate::analysis::token::TokenBuf;

#[derive(Debug)]
pub(crate) struct Fingerprint {
    separator: char,
    max_output_size: usize,
}

pub(super) fn build(params: &Params, _: &Context) -> Result<TokenFilter> {
    Ok(TokenFilter::stream(Fingerprint::read(params)?))
}

impl Fingerprint {
    pub fn read(params: &Params) -> Result<Self> {
        let separator = params.text("separator").unwrap_or_else(|| " ".to_owned());
        let mut chars = separator.chars();
        let (Some(separator), None) = (chars.next(), chars.next()) else {
            return Err(Error::illegal_argument(
                "Setting [separator] must be a single, non-null character. [".to_owned()
                    + &separator
                    + "] was provided.",
            ));
        };
        Ok(Self { separator, max_output_size: params.int("max_output_size", 255)?.max(0) as usize })
    }
}

impl StreamFilter for Fingerprint {
    fn apply(&self, input: &TokenBuf, out: &mut TokenBuf) {
        out.end_like(input);
        // Whatever comes of it, the value ends a position further.
        out.trailing = 1;
        let mut words: Vec<&str> = input.iter().map(|(text, _)| text).collect();
        // The reference orders UTF-16 code units.
        words.sort_unstable_by(|a, b| a.encode_utf16().cmp(b.encode_utf16()));
        words.dedup();
        let units: usize = words.iter().map(|word| utf16_len(word) as usize + 1).sum();
        let Some(first) = input.items().first().filter(|_| units <= self.max_output_size + 1) else { return };
        let text = words.join(self.separator.encode_utf8(&mut [0; 4]));
        let (start, end) = (0, input.end_offset);
        // Nothing else is left of the tokens.
        let token = first.without_attributes("fingerprint");
        out.push(&text, Item { start, end, increment: 1, length: 1, ..token });
    }

    fn in_rules(&self) -> InRules {
        InRules::Refused
    }
}
