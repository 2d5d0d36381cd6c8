//! What a shard answers.

use super::request::SearchRequest;
use super::suggest::ShardSuggestions;
use crate::aggs::ShardAggs;
use crate::json::{Value, Writer};
use crate::profile::ShardProfile;
use std::cmp::Ordering;

/// The best hits of one shard and what was counted.
#[derive(Clone, Debug, Default)]
pub struct ShardResult {
    /// Best first, at most `from + size`.
    pub hits: Vec<ShardHit>,
    /// How many better ones there are that were left out, because only a page is wanted that begins behind them.
    pub passed: usize,
    /// Matching documents counted; more than this if `total_is_lower_bound`.
    pub total: u64,
    pub total_is_lower_bound: bool,
    /// The best score of all matches, where scores were computed.
    pub max_score: Option<f32>,
    pub aggs: Option<ShardAggs>,
    pub timed_out: bool,
    /// Whether `terminate_after` ended the search; none if it was not asked for.
    pub terminated_early: Option<bool>,
    pub suggestions: Option<ShardSuggestions>,
    /// Where the time went, if that was asked for.
    pub profile: Option<Box<ShardProfile>>,
}

impl ShardResult {
    /// The hits of the page that the request wants, where no other shard has better ones.
    pub fn page(&self, request: &SearchRequest) -> impl Iterator<Item = &ShardHit> {
        self.hits.iter().skip(request.from.saturating_sub(self.passed)).take(request.size)
    }

    /// About how much memory it takes. Suggestions count by their number.
    pub fn memory_bytes(&self) -> usize {
        let suggested = self.suggestions.iter().flatten().map(|entries| entries.len() * SUGGESTION_BYTES);
        size_of::<Self>()
            + self.hits.iter().map(ShardHit::memory_bytes).sum::<usize>()
            + self.aggs.as_ref().map_or(0, ShardAggs::memory_bytes)
            + suggested.sum::<usize>()
    }
}

/// What one part of a text and what is suggested for it take.
const SUGGESTION_BYTES: usize = 1024;

/// One hit, by its place in the snapshot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShardHit {
    /// Index in the snapshot's segments.
    pub segment: u32,
    pub doc: u32,
    /// NaN if it was not computed.
    pub score: f32,
    /// One per sort key; empty when sorted by score alone.
    pub sort: Vec<SortValue>,
    /// The value that the hit's group has in common, if hits are collapsed.
    pub group: Option<Box<Value>>,
    /// The numbers of the rescorers whose window it was in.
    pub rescored: Vec<usize>,
}

impl ShardHit {
    /// The order of two hits by their scores, best first; zeros of both signs are equal. What rescoring made no number of counts as
    /// infinite: the reference takes it for equal to every other score, which is no order, and refuses to sort by that if it notices.
    pub fn order_by_score(&self, other: &Self) -> Ordering {
        let key = |hit: &Self| if hit.score.is_nan() { f32::INFINITY } else { hit.score + 0.0 };
        key(other).total_cmp(&key(self))
    }

    /// About how much memory it takes.
    pub fn memory_bytes(&self) -> usize {
        let sort = self.sort.iter().map(|value| match value {
            SortValue::Text(text) => text.capacity(),
            SortValue::Bytes(bytes, text) => bytes.capacity() + text.capacity(),
            _ => 0,
        });
        let group = self.group.as_ref().map_or(0, |value| value.as_str().map_or(0, str::len) + size_of_val(&**value));
        size_of::<Self>()
            + self.sort.len() * size_of::<SortValue>()
            + sort.sum::<usize>()
            + group
            + size_of_val(&*self.rescored)
    }

    /// A hit that is sorted by its score alone.
    pub fn scored(segment: u32, doc: u32, score: f32) -> Self {
        Self { segment, doc, score, sort: vec![], group: None, rescored: vec![] }
    }
}

/// A value that hits are sorted by, as it is shown.
#[derive(Clone, Debug, PartialEq)]
pub enum SortValue {
    Long(i64),
    ULong(u64),
    Double(f64),
    Float(f32),
    Text(String),
    /// An address: the bytes order, the text is shown.
    Bytes(Vec<u8>, String),
    Null,
}

impl SortValue {
    pub fn write(&self, w: &mut Writer) {
        match self {
            Self::Long(value) => w.i64(*value),
            Self::ULong(value) => w.u64(*value),
            Self::Double(value) => w.f64(*value),
            Self::Float(value) => w.f32(*value),
            Self::Text(text) | Self::Bytes(_, text) => w.string(text),
            Self::Null => w.null(),
        };
    }

    /// The order of two values of one key. Nulls stand last, or first with `null_first`, whatever the direction.
    pub fn compare(&self, other: &Self, descending: bool, null_first: bool) -> Ordering {
        let nulls = if null_first { Ordering::Less } else { Ordering::Greater };
        match (self, other) {
            (Self::Null, Self::Null) => Ordering::Equal,
            (Self::Null, _) => nulls,
            (_, Self::Null) => nulls.reverse(),
            _ if descending => other.ascending(self),
            _ => self.ascending(other),
        }
    }

    fn ascending(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Long(a), Self::Long(b)) => a.cmp(b),
            (Self::ULong(a), Self::ULong(b)) => a.cmp(b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::Bytes(a, _), Self::Bytes(b, _)) => a.cmp(b),
            _ => match (self.as_f64(), other.as_f64()) {
                (Some(a), Some(b)) => a.total_cmp(&b),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => self.as_text().cmp(other.as_text()),
            },
        }
    }

    fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Long(value) => Some(*value as f64),
            Self::ULong(value) => Some(*value as f64),
            Self::Double(value) => Some(*value),
            Self::Float(value) => Some(f64::from(*value)),
            _ => None,
        }
    }

    fn as_text(&self) -> &str {
        match self {
            Self::Text(text) | Self::Bytes(_, text) => text,
            _ => "",
        }
    }
}
