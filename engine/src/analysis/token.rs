//! Tokens: as they leave a chain, as they travel inside it, and the buffers that both use.

use super::offsets::Filtered;
use super::tokenizers::Stop;
use crate::Error;

/// The type of tokens that tokenizers give no better name.
pub const WORD: &str = "word";

/// Most tokens that filters which look at many tokens at once may hold for one value. A text of the largest request that
/// is accepted (100 MB) stays below it; only chains that multiply their input (n-grams of shingles) reach it.
const TOKENS_MAX: usize = 32 << 20;
/// A text may have so many tokens, or so many for each of its bytes where these are more: filters that each double the tokens
/// make all that there may be of a single word.
const TOKENS_MIN: usize = 1 << 20;
const TOKENS_PER_BYTE: usize = 8;
/// Most bytes of token text for one value, for the same reason.
const TEXT_BYTES_MAX: usize = 256 << 20;

/// A token as the chain hands it over. Offsets are UTF-16 code units of the original text (the reference's unit),
/// start ≤ end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    pub text: &'a str,
    pub start_offset: u32,
    pub end_offset: u32,
    /// Absolute within this value; the first is 0 unless a filter removed tokens before it.
    pub position: u32,
    /// How many positions it spans in a token graph; 1 for all but multi-word synonyms and the like.
    pub position_length: u32,
    pub kind: &'a str,
    /// How often the term counts at this place; 1 but for `delimited_term_freq`.
    pub frequency: u32,
    /// What the chain attached to the token; empty if nothing.
    pub payload: &'a [u8],
}

/// A [`Token`] that owns its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedToken {
    pub text: String,
    pub start_offset: u32,
    pub end_offset: u32,
    pub position: u32,
    pub position_length: u32,
    pub kind: String,
}

impl From<&Token<'_>> for OwnedToken {
    fn from(token: &Token<'_>) -> Self {
        Self {
            text: token.text.to_owned(),
            start_offset: token.start_offset,
            end_offset: token.end_offset,
            position: token.position,
            position_length: token.position_length,
            kind: token.kind.to_owned(),
        }
    }
}

/// Where a value ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct End {
    /// The position from which the next value starts, before the position increment gap.
    pub position: u32,
    /// The UTF-16 length of the value.
    pub offset: u32,
    /// The chain made more tokens of the value than one value may have, and dropped the rest: the value must be refused.
    pub overflow: bool,
    /// What the chain could not make sense of: the value must be refused with it.
    pub failure: Option<Error>,
}

/// A token inside the chain. Filters of single tokens change it in place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Term {
    pub text: String,
    pub start: u32,
    pub end: u32,
    /// Distance from the position of the token before it.
    pub increment: u32,
    pub length: u32,
    pub kind: &'static str,
    /// Stemmers leave the token alone.
    pub keyword: bool,
    pub frequency: u32,
    pub payload: Vec<u8>,
    /// What a filter could not make sense of; ends the value.
    pub failure: Option<Error>,
}

impl Default for Term {
    fn default() -> Self {
        Self {
            text: String::new(),
            start: 0,
            end: 0,
            increment: 0,
            length: 0,
            kind: "",
            keyword: false,
            frequency: 1,
            payload: vec![],
            failure: None,
        }
    }
}

/// All about a token in a [`TokenBuf`] but its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// Where the text stands; set by [`TokenBuf::push`], whatever it was.
    pub text_start: u32,
    pub text_len: u32,
    pub start: u32,
    pub end: u32,
    pub increment: u32,
    pub length: u32,
    pub kind: &'static str,
    pub keyword: bool,
    pub frequency: u32,
    /// Where the payload stands, and how long it is. Payloads travel from buffer to buffer at their places.
    pub payload: (u32, u32),
}

/// The tokens of one value, for filters that look at more than one token at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct TokenBuf {
    text: String,
    items: Vec<Item>,
    payloads: Vec<u8>,
    /// Increment that stands after the last token: tokens removed at the end.
    pub trailing: u32,
    /// UTF-16 length of the value.
    pub end_offset: u32,
    /// Where the value ends if no more than the first tokens are asked for.
    pub stops: Stop,
    pub overflow: bool,
    pub failure: Option<Error>,
    /// How many tokens fewer than [`TOKENS_MAX`] there may be.
    fewer: usize,
}

impl TokenBuf {
    /// Bounds the tokens by the length of the text that they are of.
    pub fn bound_by(&mut self, text: &str) {
        let most = text.len().saturating_mul(TOKENS_PER_BYTE).clamp(TOKENS_MIN, TOKENS_MAX);
        self.fewer = TOKENS_MAX - most;
    }

    /// Bounds the tokens as those of `other` are.
    pub fn bound_like(&mut self, other: &TokenBuf) {
        self.fewer = other.fewer;
    }

    pub fn capacity_bytes(&self) -> usize {
        self.text.capacity() + self.items.capacity() * size_of::<Item>() + self.payloads.capacity()
    }

    pub fn clear(&mut self) {
        self.text.clear();
        self.items.clear();
        self.payloads.clear();
        self.failure = None;
        (self.trailing, self.end_offset, self.overflow) = (0, 0, false);
    }

    /// Takes over what stands behind the last token, and the payloads that items point to.
    pub fn end_like(&mut self, other: &TokenBuf) {
        self.trailing = other.trailing;
        self.end_offset = other.end_offset;
        self.stops = other.stops;
        self.overflow |= other.overflow;
        self.take_payloads_of(other);
        if self.failure.is_none() {
            self.failure.clone_from(&other.failure);
        }
    }

    /// Makes the payloads of the items of `other` those of the same items here.
    pub fn take_payloads_of(&mut self, other: &TokenBuf) {
        if !other.payloads.is_empty() {
            self.payloads.clone_from(&other.payloads);
        }
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn items(&self) -> &[Item] {
        &self.items
    }

    pub fn text(&self, at: usize) -> &str {
        self.text_of(&self.items[at])
    }

    pub fn text_of(&self, item: &Item) -> &str {
        &self.text[item.text_start as usize..(item.text_start + item.text_len) as usize]
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &Item)> {
        self.items.iter().map(|item| (self.text_of(item), item))
    }

    /// Adds a token with `text` and the rest as in `item`. Beyond the bounds of a value the token is dropped and
    /// `overflow` set; `false` says so.
    pub fn push(&mut self, text: &str, item: Item) -> bool {
        if self.items.len() + self.fewer >= TOKENS_MAX || self.text.len() + text.len() > TEXT_BYTES_MAX {
            self.overflow = true;
            return false;
        }
        let text_start = self.text.len() as u32;
        self.text.push_str(text);
        self.items.push(Item { text_start, text_len: text.len() as u32, ..item });
        true
    }

    /// Adds a token of `other` with its payload, with `increment` as its own.
    pub fn push_from(&mut self, other: &TokenBuf, item: &Item, increment: u32) -> bool {
        let payload = other.payload_of(item);
        let start = self.payloads.len() as u32;
        self.payloads.extend_from_slice(payload);
        let payload = if payload.is_empty() { (0, 0) } else { (start, payload.len() as u32) };
        self.push(other.text_of(item), Item { increment, payload, ..*item })
    }

    pub fn push_term(&mut self, term: &Term) -> bool {
        let mut item = Item::of(term);
        if !term.payload.is_empty() {
            item.payload = (self.payloads.len() as u32, term.payload.len() as u32);
            self.payloads.extend_from_slice(&term.payload);
        }
        self.push(&term.text, item)
    }

    pub fn payload_of(&self, item: &Item) -> &[u8] {
        let (start, len) = item.payload;
        self.payloads.get(start as usize..(start + len) as usize).unwrap_or_default()
    }

    /// Copies the token at `at` into `term`.
    pub fn load(&self, at: usize, term: &mut Term) {
        let item = &self.items[at];
        term.text.clear();
        term.text.push_str(self.text_of(item));
        (term.start, term.end, term.increment) = (item.start, item.end, item.increment);
        (term.length, term.kind, term.keyword) = (item.length, item.kind, item.keyword);
        term.frequency = item.frequency;
        term.payload.clear();
        term.payload.extend_from_slice(self.payload_of(item));
    }
}

impl Item {
    /// A token of another `kind` in the place of this one, with nothing of what filters have set.
    pub fn without_attributes(self, kind: &'static str) -> Self {
        Self { kind, keyword: false, frequency: 1, payload: (0, 0), ..self }
    }

    pub fn of(term: &Term) -> Self {
        Self {
            text_start: 0,
            text_len: 0,
            start: term.start,
            end: term.end,
            increment: term.increment,
            length: term.length,
            kind: term.kind,
            keyword: term.keyword,
            frequency: term.frequency,
            payload: (0, 0),
        }
    }
}

/// Buffers that are reused from value to value, so that analysis allocates nothing per token.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(crate) term: Term,
    pub(crate) front: TokenBuf,
    pub(crate) back: TokenBuf,
    pub(crate) filtered: Vec<Filtered>,
}

impl Scratch {
    /// About how much memory the buffers hold, whatever is in them.
    pub(crate) fn capacity_bytes(&self) -> usize {
        let filtered = self.filtered.iter().map(|filtered| filtered.text.capacity());
        self.term.text.capacity()
            + self.term.payload.capacity()
            + self.front.capacity_bytes()
            + self.back.capacity_bytes()
            + filtered.sum::<usize>()
    }
}
