//! cardinality: how many distinct values.

use super::kind::{Aggregator, Built, Kind, Owners, SKETCH_UNITS, check_shard_buckets, of_each};
use super::metric::check_single_value;
use super::parse::{Agg, ParseContext};
use super::partial::{Partial, Shown, mismatch};
use super::profile::Details;
use super::reduce_context::ReduceContext;
use super::sketch::{Sketch, hash_bytes, hash_number};
use super::source::{Source, SourceConfig};
use crate::codec::simd;
use crate::deprecated::note;
use crate::error::{Error, Result};
use crate::json::{Map, Value, Writer, line_col};
use crate::mapping::Family;
use crate::pace::Pace;
use crate::query::ShardContext;
use crate::score::Selection;
use crate::segment::{Batch, OrdinalColumn, SegmentField, SegmentView};

/// Below so many distinct values the count is exact.
const PRECISION_THRESHOLD_DEFAULT: usize = 3000;
const PRECISION_THRESHOLD_MAX: usize = 40_000;
/// `search.dynamic_pruning.cardinality_aggregation.max_allowed_cardinality`: so many terms the reference keeps track of.
const PRUNING_TERMS_MAX: u64 = 100;

#[derive(Debug)]
struct Cardinality {
    source: SourceConfig,
    threshold: usize,
    /// `execution_hint`, which profiles alone tell of: ours is one way for all.
    hint: Option<String>,
}

pub(crate) fn parse(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let mut kind = Cardinality { source: SourceConfig::default(), threshold: PRECISION_THRESHOLD_DEFAULT, hint: None };
    for entry in &map.entries {
        match entry.key.as_str() {
            "precision_threshold" => {
                kind.threshold =
                    (cx.not_negative_long_as(entry, "precisionThreshold")? as usize).min(PRECISION_THRESHOLD_MAX)
            }
            "execution_hint" => kind.hint = Some(cx.text(entry)?),
            // Rehashing concerned values hashed outside; there are none any more. The reference accepts it still.
            "rehash" => {
                let (line, col) = line_col(cx.body, entry.value_pos);
                note(format!(
                    "[cardinality][{line}:{col}] Deprecated field [rehash] used, replaced by [no replacement - values will always be rehashed]"
                ));
                // Whatever number it is.
                cx.number(entry, |node| node.i64())?;
            }
            _ if kind.source.accept(entry, cx)? => {}
            _ => {
                return Err(cx.unknown_field(
                    entry,
                    &["precision_threshold", "execution_hint", "field", "missing", "script", "value_type"],
                ));
            }
        }
    }
    kind.source.check()?;
    Ok(Box::new(kind))
}

impl Kind for Cardinality {
    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        let hint = self.hint.as_deref().map(str::to_ascii_lowercase);
        if let (Some(hint), Some(given)) = (&hint, &self.hint)
            && !["direct", "ordinals"].contains(&hint.as_str())
        {
            let reason = format!("Unknown execution_hint: [{given}], expected any of [direct, ordinals]");
            return Err(Error::illegal_argument(reason));
        }
        Ok(Box::new(CardinalityAggregator {
            hint,
            source: self.source.resolve_any(cx, agg.type_name)?,
            threshold: self.threshold,
            sketches: vec![],
            seen: vec![],
            flags: vec![],
            ord_hashes: vec![],
            batch: Batch::default(),
            segments: [0; 3],
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

    fn render(&self, _agg: &Agg, partial: &Partial, w: &mut Writer, _shown: Shown<'_>) -> Result<()> {
        let Partial::Cardinality(sketch) = partial else { return Err(mismatch()) };
        w.key("value").u64(sketch.estimate());
        Ok(())
    }

    /// Where the terms are few, the reference skips documents whose terms it has seen all.
    fn asks_anew(&self, cx: &ShardContext, view: &SegmentView) -> bool {
        let plain =
            self.source.field.as_deref().filter(|_| !self.source.is_scripted() && self.source.missing.is_none());
        // Addresses are points to the reference, which has no terms of them.
        let known = plain.and_then(|name| cx.mapping.field(name)).filter(|field| field.family() != Family::Ip);
        let field = known.and_then(|field| view.segment.field(&field.name));
        let terms = field.filter(|field| field.ordinals().is_some()).and_then(SegmentField::terms);
        terms.is_some_and(|terms| (1..=PRUNING_TERMS_MAX).contains(&terms.len()))
    }

    fn typed_name(&self, _partial: &Partial) -> &'static str {
        "cardinality"
    }

    fn is_bucketing(&self) -> bool {
        false
    }

    fn may_fail(&self) -> bool {
        self.source.is_scripted()
    }

    fn check_order_property(&self, name: &str, property: Option<&str>) -> Result<()> {
        check_single_value(name, property)
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
    /// At the top level: a bit for each ordinal of the segment that was seen; hashed when the segment is left.
    seen: Vec<u64>,
    /// The same by a byte for each, on its way there.
    flags: Vec<u8>,
    /// Below buckets: hashes of the segment's ordinals, 0 where not yet computed.
    ord_hashes: Vec<u64>,
    batch: Batch,
    /// Segments without the field, with numbers, with ordinals.
    segments: [u64; 3],
    hint: Option<String>,
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

    /// Numbers as they are hashed: whole ones as they are, others as the bits of a double. The reference tells unsigned numbers apart as doubles,
    /// so that large ones that lie close together count once.
    fn recode(&self, batch: &mut Batch) {
        if self.source.is_unsigned() || !self.source.is_integral() {
            batch.map(|number| self.source.decode(number).to_bits() as i64);
        }
    }

    fn see(&mut self, ords: &[i64]) {
        let terms = self.source.num_ords() as usize;
        if terms <= FLAGS_MAX && ords.len() >= terms / FLAGS_SHARE {
            self.flags.resize(terms.next_multiple_of(64), 0);
            return ords.iter().for_each(|ord| self.flags[*ord as usize] = 1);
        }
        self.seen.resize(terms.div_ceil(64), 0);
        for ord in ords {
            self.seen[*ord as usize / 64] |= 1 << (ord % 64);
        }
    }

    fn hash_of(&mut self, ord: usize) -> u64 {
        let column = self.source.ordinal_column().filter(|_| !self.source.is_scripted());
        if let Some(hashes) = column.and_then(|column| column.hashes(false)) {
            return hashes[ord];
        }
        if ord >= self.ord_hashes.len() {
            self.ord_hashes.resize(self.source.num_ords() as usize, 0);
        }
        if self.ord_hashes[ord] == 0 {
            self.ord_hashes[ord] = hash_bytes(&self.source.term(ord as u32));
        }
        self.ord_hashes[ord]
    }

    fn add_ordinals(&mut self, owners: Owners<'_>, batch: &Batch) -> Result<()> {
        let places = batch.places();
        match owners {
            Owners::One(0) if !self.source.is_scripted() => self.see(batch.values()),
            _ => {
                for (i, ord) in batch.values().iter().enumerate() {
                    let owner = owners.of(places.map_or(i, |places| places[i] as usize));
                    let hash = self.hash_of(*ord as usize);
                    self.sketch(owner)?.add(hash);
                }
            }
        }
        let Some(hash) = self.source.missing_bytes().map(hash_bytes).filter(|_| batch.without() > 0) else {
            return Ok(());
        };
        let mut without = vec![];
        batch.for_each_doc(|place, ords| without.extend(ords.is_empty().then(|| owners.of(place))));
        without.dedup();
        without.into_iter().try_for_each(|owner| self.sketch(owner).map(|sketch| sketch.add(hash)))
    }

    /// Brings the flags into `seen`.
    fn take_flags(&mut self) {
        /// Brings the lowest bit of each of eight bytes into the last, the first one lowest.
        const GATHER: u64 = 0x0102_0408_1020_4080;
        let flags = std::mem::take(&mut self.flags);
        self.seen.resize(self.seen.len().max(flags.len() / 64), 0);
        for (word, flags) in self.seen.iter_mut().zip(flags.as_chunks::<64>().0) {
            let bytes =
                flags.as_chunks::<8>().0.iter().map(|flags| u64::from_le_bytes(*flags).wrapping_mul(GATHER) >> 56);
            *word |= bytes.rev().fold(0, |bits, byte| bits << 8 | byte);
        }
    }

    /// Whether values are ranges, of which all that a document has are one value to the reference.
    fn is_over_ranges(&self) -> bool {
        !self.source.is_scripted() && self.source.field().is_some_and(|field| field.family() == Family::Range)
    }

    /// Adds the ranges of documents: all that one has are one value.
    fn add_ranges(&mut self, owners: Owners<'_>, batch: &Batch) -> Result<()> {
        let (mut found, mut value) = (vec![], vec![]);
        batch.for_each_doc(|place, ords| {
            value.clear();
            ords.iter().for_each(|ord| value.extend_from_slice(&self.source.term(*ord as u32)));
            found.extend((!ords.is_empty()).then(|| (owners.of(place), hash_bytes(&value))));
        });
        found.into_iter().try_for_each(|(owner, hash)| self.sketch(owner).map(|sketch| sketch.add(hash)))
    }

    /// Adds the terms of the segment that were seen.
    fn add_seen(&mut self) -> Result<()> {
        self.take_flags();
        let seen = std::mem::take(&mut self.seen);
        let count = simd::count(&seen) as usize;
        let Some(column) = self.source.ordinal_column().cloned().filter(|_| count > 0) else { return Ok(()) };
        let sketch = self.sketch(0)?;
        sketch.expect(count);
        let walks = count * WALK_SHARE >= column.num_ords() as usize;
        let hashes = column.hashes(walks);
        if let Some(hashes) = hashes.filter(|hashes| hashes.len() == count) {
            hashes.iter().for_each(|hash| sketch.add(*hash));
            return Ok(());
        }
        if hashes.is_some() || !walks {
            let mut ords = vec![];
            simd::column::push_bits(&seen, 0, &mut ords);
            match hashes {
                Some(hashes) => ords.iter().for_each(|ord| sketch.add(hashes[*ord as usize])),
                None => ords.iter().for_each(|ord| sketch.add(hash_bytes(&column.term(*ord)))),
            }
            return Ok(());
        }
        let mut keys = column.keys();
        let mut ord = 0usize;
        while let Some((_, term)) = keys.next() {
            if seen[ord / 64] >> (ord % 64) & 1 == 1 {
                sketch.add(hash_bytes(term));
            }
            ord += 1;
        }
        Ok(())
    }
}

/// Terms of no larger dictionaries are marked by a byte each rather than a bit, where so large a share of them may be met at once: one that
/// is met again and again does not wait for its own bit.
const FLAGS_MAX: usize = 1 << 18;
const FLAGS_SHARE: usize = 64;

/// Walking the dictionary costs less than looking one in this many of its terms up.
const WALK_SHARE: usize = 8;
/// Larger dictionaries are not walked in one go unless documents ask for it.
const ALL_TERMS_MAX: u32 = 65_536;

impl Aggregator for CardinalityAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.source.enter_segment(view);
        let way = if self.source.is_absent() { 0 } else { 1 + usize::from(self.source.is_bytes()) };
        self.segments[way] += 1;
        self.seen.clear();
        self.flags.clear();
        self.ord_hashes.clear();
        Ok(())
    }

    /// Without deletes every term of a dictionary is in some document.
    fn collect_selection(&mut self, view: &SegmentView, selection: &Selection) -> Result<bool> {
        let by_terms = self.source.is_bytes() && !self.is_over_ranges() && !self.source.is_scripted();
        if *selection != Selection::All || !by_terms {
            return Ok(false);
        }
        let terms = self.source.num_ords();
        let uses_all = self.source.ordinal_column().is_none_or(OrdinalColumn::uses_all_terms);
        if terms > ALL_TERMS_MAX || !uses_all {
            return Ok(false);
        }
        self.seen = vec![u64::MAX; (terms as usize).div_ceil(64)];
        if let Some(last) = self.seen.last_mut().filter(|_| !terms.is_multiple_of(64)) {
            *last = (1 << (terms % 64)) - 1;
        }
        let having = self.source.ordinal_column().map_or(0, |column| column.docs().count());
        if let Some(hash) = self.source.missing_bytes().map(hash_bytes).filter(|_| having < view.max_doc()) {
            self.sketch(0)?.add(hash);
        }
        Ok(true)
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if self.source.is_absent() {
            return Ok(());
        }
        let mut batch = std::mem::take(&mut self.batch);
        self.source.read_or_plain(docs, &mut batch)?;
        if self.is_over_ranges() {
            self.add_ranges(owners, &batch)?;
        } else if self.source.is_bytes() {
            self.add_ordinals(owners, &batch)?;
        } else if let Owners::One(owner) = owners {
            self.recode(&mut batch);
            let sketch = self.sketch(owner)?;
            batch.values().iter().for_each(|number| sketch.add(hash_number(*number)));
        } else {
            self.recode(&mut batch);
            let places = batch.places();
            for (i, number) in batch.values().iter().enumerate() {
                let owner = owners.of(places.map_or(i, |places| places[i] as usize));
                self.sketch(owner)?.add(hash_number(*number));
            }
        }
        self.batch = batch;
        Ok(())
    }

    fn leave_segment(&mut self) -> Result<()> {
        self.add_seen()
    }

    fn can_be_joined(&self) -> bool {
        true
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            let threshold = self.threshold;
            let part = |owner: u32| {
                let sketch =
                    self.sketches.get_mut(owner as usize).map(|s| std::mem::replace(s, Sketch::new(threshold)));
                Ok(Partial::Cardinality(sketch.unwrap_or_else(|| Sketch::new(threshold))))
            };
            of_each(owners, SKETCH_UNITS, pace, part).await
        })
    }

    fn details(&self) -> Details {
        let [empty, numeric, ordinals] = self.segments.map(Value::UInt);
        let none = || Value::UInt(0);
        // What is told apart by its ordinals to the reference.
        let way = match self.hint.as_deref() {
            _ if self.source.is_scripted() => "string_hashing_collectors_used",
            Some("direct") => "string_hashing_collectors_used",
            Some(_) => "ordinals_collectors_used",
            None => "hybrid_collectors_used",
        };
        let by = |name: &str| if name == way { ordinals.clone() } else { none() };
        let debug = vec![
            ("dynamic_pruned_segments", none()),
            ("empty_collectors_used", empty),
            ("hybrid_collectors_used", by("hybrid_collectors_used")),
            ("numeric_collectors_used", numeric),
            ("ordinals_collectors_overhead_too_high", none()),
            ("ordinals_collectors_used", by("ordinals_collectors_used")),
            ("string_hashing_collectors_used", by("string_hashing_collectors_used")),
        ];
        Details { debug, ..Details::default() }
    }
}
