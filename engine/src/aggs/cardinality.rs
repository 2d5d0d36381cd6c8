//! cardinality: how many distinct values.

use super::kind::{Aggregator, Kind, Owners, ReduceContext, check_shard_buckets};
use super::parse::{Agg, ParseContext};
use super::partial::{Partial, mismatch};
use super::sketch::{Sketch, hash_bytes, hash_number};
use super::source::{Source, SourceConfig};
use crate::error::Result;
use crate::json::{Map, Value, Writer};
use crate::query::ShardContext;
use crate::segment::SegmentView;

/// Below so many distinct values the count is exact.
const PRECISION_THRESHOLD_DEFAULT: usize = 3000;
const PRECISION_THRESHOLD_MAX: usize = 40_000;

#[derive(Debug)]
struct Cardinality {
    source: SourceConfig,
    threshold: usize,
}

pub(crate) fn parse(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let mut kind = Cardinality { source: SourceConfig::default(), threshold: PRECISION_THRESHOLD_DEFAULT };
    for entry in &map.entries {
        match entry.key.as_str() {
            "precision_threshold" => {
                kind.threshold =
                    (cx.not_negative_as(entry, "precisionThreshold")? as usize).min(PRECISION_THRESHOLD_MAX)
            }
            // Ways to compute the same count; ours is one and the same for all.
            "execution_hint" => _ = cx.string(entry)?,
            // Rehashing concerned values hashed outside; there are none any more. The reference accepts it still.
            "rehash" if matches!(entry.value, Value::Bool(_)) => {}
            _ if kind.source.accept(entry, cx)? => {}
            _ => {
                return Err(cx.unknown_field(
                    entry,
                    &[
                        "precision_threshold",
                        "execution_hint",
                        "field",
                        "missing",
                        "script",
                        "format",
                        "value_type",
                        "time_zone",
                    ],
                ));
            }
        }
    }
    kind.source.check()?;
    Ok(Box::new(kind))
}

impl Kind for Cardinality {
    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        Ok(Box::new(CardinalityAggregator {
            source: self.source.resolve_any(cx, agg.type_name)?,
            threshold: self.threshold,
            sketches: vec![],
            ord_seen: vec![],
            ord_hashes: vec![],
            numbers: vec![],
            ords: vec![],
        }))
    }

    fn empty(&self, _agg: &Agg) -> Partial {
        Partial::Cardinality(Sketch::new(self.threshold))
    }

    fn reduce(&self, _agg: &Agg, parts: Vec<Partial>, _cx: &mut ReduceContext) -> Result<Partial> {
        let mut whole = Sketch::new(self.threshold);
        for part in parts {
            let Partial::Cardinality(sketch) = part else { return Err(mismatch()) };
            whole.merge(&sketch);
        }
        Ok(Partial::Cardinality(whole))
    }

    fn render(&self, _agg: &Agg, partial: &Partial, w: &mut Writer, _typed_keys: bool) -> Result<()> {
        let Partial::Cardinality(sketch) = partial else { return Err(mismatch()) };
        w.key("value").u64(sketch.estimate());
        Ok(())
    }

    fn typed_name(&self, _partial: &Partial) -> &'static str {
        "cardinality"
    }

    fn is_bucketing(&self) -> bool {
        false
    }

    fn order_value(&self, partial: &Partial, _property: Option<&str>) -> Option<f64> {
        match partial {
            Partial::Cardinality(sketch) => Some(sketch.estimate() as f64),
            _ => None,
        }
    }
}

struct CardinalityAggregator {
    source: Source,
    threshold: usize,
    sketches: Vec<Sketch>,
    /// At the top level: which ordinals of the segment were seen, hashed once when the segment is left.
    ord_seen: Vec<bool>,
    /// Below buckets: hashes of the segment's ordinals, 0 where not yet computed.
    ord_hashes: Vec<u64>,
    numbers: Vec<i64>,
    ords: Vec<u32>,
}

impl CardinalityAggregator {
    fn sketch(&mut self, owner: u32) -> Result<&mut Sketch> {
        let owner = owner as usize;
        if owner >= self.sketches.len() {
            check_shard_buckets(owner)?;
            let threshold = self.threshold;
            self.sketches.resize_with(owner + 1, || Sketch::new(threshold));
        }
        Ok(&mut self.sketches[owner])
    }

    fn collect_ordinals(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        let mut ords = std::mem::take(&mut self.ords);
        for (i, &doc) in docs.iter().enumerate() {
            ords.clear();
            self.source.ords(doc, &mut ords);
            match owners {
                Owners::One(0) => ords.iter().for_each(|o| self.ord_seen[*o as usize] = true),
                _ => {
                    for &ord in &ords {
                        let mut hash = self.ord_hashes[ord as usize];
                        if hash == 0 {
                            hash = hash_bytes(&self.source.term(ord));
                            self.ord_hashes[ord as usize] = hash;
                        }
                        self.sketch(owners.of(i))?.add(hash);
                    }
                }
            }
            if ords.is_empty()
                && let Some(missing) = self.source.missing_bytes()
            {
                let hash = hash_bytes(missing);
                self.sketch(owners.of(i))?.add(hash);
            }
        }
        self.ords = ords;
        Ok(())
    }
}

impl Aggregator for CardinalityAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.source.enter_segment(view);
        let ords = self.source.num_ords() as usize;
        self.ord_seen = vec![false; ords];
        self.ord_hashes = vec![0; ords];
        Ok(())
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if self.source.is_absent() {
            return Ok(());
        }
        if self.source.is_bytes() {
            return self.collect_ordinals(docs, owners);
        }
        let mut numbers = std::mem::take(&mut self.numbers);
        for (i, &doc) in docs.iter().enumerate() {
            self.source.numbers(doc, &mut numbers);
            if numbers.is_empty() {
                continue;
            }
            let sketch = self.sketch(owners.of(i))?;
            numbers.iter().for_each(|n| sketch.add(hash_number(*n)));
        }
        self.numbers = numbers;
        Ok(())
    }

    fn leave_segment(&mut self) -> Result<()> {
        let seen = std::mem::take(&mut self.ord_seen);
        for (ord, _) in seen.iter().enumerate().filter(|(_, seen)| **seen) {
            let hash = hash_bytes(&self.source.term(ord as u32));
            self.sketch(0)?.add(hash);
        }
        Ok(())
    }

    fn build(&mut self, owners: &[u32]) -> Result<Vec<Partial>> {
        let threshold = self.threshold;
        Ok(owners
            .iter()
            .map(|o| {
                let sketch = self.sketches.get_mut(*o as usize).map(|s| std::mem::replace(s, Sketch::new(threshold)));
                Partial::Cardinality(sketch.unwrap_or_else(|| Sketch::new(threshold)))
            })
            .collect())
    }
}
