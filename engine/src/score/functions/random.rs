//! `random_score`: numbers that look random and are the same for the same seed and document.

use super::super::Explanation;
use super::{LeafFunction, NumberSource, ScoreFunction, name_within};
use crate::error::Result;
use crate::mapping::number::NumberKind;
use crate::score::double_text;
use crate::segment::{NumericColumn, OrdinalColumn, Segment, SegmentView};
use std::sync::Arc;

/// What tells documents apart.
#[derive(Clone, Debug)]
pub enum RandomSource {
    /// Their numbers, which change when segments merge.
    Doc,
    Id,
    Numbers(NumberSource),
    Bytes(Arc<str>),
}

#[derive(Clone, Debug)]
pub struct RandomScore {
    pub seed: i32,
    /// Differs from shard to shard.
    pub salt: i32,
    pub source: RandomSource,
    /// As explanations name it.
    pub field: Option<String>,
}

struct Leaf {
    function: RandomScore,
    values: Values,
    doc_base: u64,
}

enum Values {
    Doc,
    Id(Arc<Segment>),
    Numbers(Option<NumericColumn>, NumberSource),
    Bytes(Option<OrdinalColumn>),
}

impl ScoreFunction for RandomScore {
    fn leaf(&self, view: &SegmentView, doc_base: u64) -> Result<Box<dyn LeafFunction>> {
        let values = match &self.source {
            RandomSource::Doc => Values::Doc,
            RandomSource::Id => Values::Id(view.segment.clone()),
            RandomSource::Numbers(source) => Values::Numbers(source.column(view), source.clone()),
            RandomSource::Bytes(name) => {
                Values::Bytes(view.segment.field(name).and_then(|field| field.ordinals()).cloned())
            }
        };
        Ok(Box::new(Leaf { function: self.clone(), values, doc_base }))
    }

    fn class(&self) -> &'static str {
        "org.opensearch.common.lucene.search.function.RandomScoreFunction"
    }
}

/// The number between zero and one that a seed, a shard and a value make.
pub fn random_number(seed: i32, salt: i32, value: &[u8]) -> f64 {
    fraction(murmur3(value, salted(seed, salt)))
}

fn salted(seed: i32, salt: i32) -> u32 {
    mix((seed ^ salt) as u32)
}

fn fraction(hash: u32) -> f64 {
    f64::from((hash & 0x00ff_ffff) as f32 / (1 << 24) as f32)
}

impl Leaf {
    fn hash(&self, doc: u32) -> u32 {
        let seed = salted(self.function.seed, self.function.salt);
        let text = match &self.values {
            Values::Doc => {
                let number = self.doc_base.wrapping_add(u64::from(doc)) as u32;
                return mix(number ^ seed);
            }
            Values::Id(segment) => Some(segment.id(doc).as_bytes().to_vec()),
            Values::Numbers(column, source) => column.as_ref().and_then(|column| {
                let text = |value| number_text(value, source).into_bytes();
                if column.single_valued() {
                    return column.first(doc).map(text);
                }
                // The first of several is that of their texts.
                let mut values = vec![];
                column.values(doc, &mut values);
                values.into_iter().map(text).min()
            }),
            Values::Bytes(column) => {
                column.as_ref().and_then(|column| Some(column.term(column.first(doc)?).into_owned()))
            }
        };
        text.map_or(seed, |text| murmur3(&text, seed))
    }
}

fn number_text(value: i64, source: &NumberSource) -> String {
    match source.kind {
        None => value.to_string(),
        Some(kind) if kind.is_integer() => value.to_string(),
        Some(NumberKind::UnsignedLong) => ((value as u64) ^ (1 << 63)).to_string(),
        Some(kind) => double_text(kind.decode(value)),
    }
}

impl LeafFunction for Leaf {
    fn score(&mut self, doc: u32, _query_score: f32) -> Result<f64> {
        Ok(fraction(self.hash(doc)))
    }

    fn explain(&mut self, doc: u32, query: &Explanation, name: Option<&str>) -> Result<Explanation> {
        let score = self.score(doc, query.score())? as f32;
        let field = self.function.field.as_deref().unwrap_or("null");
        let description =
            format!("random score function (seed: {}, field: {field}{})", self.function.seed, name_within(name));
        Ok(Explanation::matching(score, description, vec![]))
    }
}

/// The end of murmur3, which spreads a number over all bits.
fn mix(mut number: u32) -> u32 {
    number = (number ^ (number >> 16)).wrapping_mul(0x85eb_ca6b);
    number = (number ^ (number >> 13)).wrapping_mul(0xc2b2_ae35);
    number ^ (number >> 16)
}

fn murmur3(bytes: &[u8], seed: u32) -> u32 {
    const C1: u32 = 0xcc9e_2d51;
    const C2: u32 = 0x1b87_3593;
    let scramble = |word: u32| word.wrapping_mul(C1).rotate_left(15).wrapping_mul(C2);
    let mut hash = seed;
    let mut chunks = bytes.chunks_exact(4);
    for chunk in &mut chunks {
        let word = u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
        hash = (hash ^ scramble(word)).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    let rest = chunks.remainder();
    if !rest.is_empty() {
        let word = rest.iter().rev().fold(0u32, |word, byte| (word << 8) | u32::from(*byte));
        hash ^= scramble(word);
    }
    mix(hash ^ bytes.len() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_as_the_reference_does() {
        assert_eq!(murmur3(b"", 0), 0);
        assert_eq!(murmur3(b"test", 0), 0xba6b_d213);
        assert_eq!(murmur3(b"hello", 0), 0x248b_fa47);
    }

    #[test]
    fn numbers_are_those_of_the_reference() {
        // The seed 3 on the only shard of an index `h3-every-1`, by sequence numbers 0 and 1.
        let salt = 206_304_256;
        let number = |value: &str| random_number(3, salt, value.as_bytes()) as f32;
        assert_eq!((number("0"), number("1")), (0.25074255, 0.9007643));
    }
}
