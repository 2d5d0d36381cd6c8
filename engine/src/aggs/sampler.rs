//! sampler: the best documents of each shard alone. diversified_sampler: not too many of them with the same value.

use super::doc_scores::DocScores;
use super::kind::{Aggregator, Built, Kind, Owners, Subs, check_shard_buckets};
use super::nested::reduce_single;
use super::parse::{Agg, ParseContext, at};
use super::partial::{Bucket, Partial, Shown, empty_beside, empty_bucket, mismatch, render_bucket};
use super::reduce_context::ReduceContext;
use super::single::check_single_order;
use super::source::{Source, SourceConfig};
use super::terms::check_hint;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Map, Writer};
use crate::pace::Pace;
use crate::query::{self, Node, ShardContext};
use crate::segment::{SegmentView, Snapshot};
use ahash::{AHashMap, AHashSet};
use std::sync::Arc;

const SHARD_SIZE_DEFAULT: usize = 100;

#[derive(Debug)]
struct Sampler {
    shard_size: usize,
    diverse: Option<Diverse>,
}

#[derive(Debug)]
struct Diverse {
    source: SourceConfig,
    per_value: usize,
    /// `execution_hint`, which profiles alone tell of: ours chooses by itself.
    hint: Option<String>,
}

pub(crate) fn parse(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let mut shard_size = SHARD_SIZE_DEFAULT;
    for entry in &map.entries {
        match (entry.key.as_str(), &entry.value) {
            // Less than one is refused by the shards.
            ("shard_size", value) if value.as_f64().is_some() => {
                let number = Node::of_entry(entry, &query::Source::new(cx.body)).i32()?;
                shard_size = usize::try_from(number).unwrap_or(0)
            }
            (name, _) => {
                let reason = format!("Unsupported property \"{name}\" for aggregation \"{}", cx.name);
                return Err(at(cx.body, entry.value_pos, reason));
            }
        }
    }
    Ok(Box::new(Sampler { shard_size, diverse: None }))
}

pub(crate) fn parse_diversified(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let source = SourceConfig::default();
    let (mut shard_size, mut diverse) = (SHARD_SIZE_DEFAULT, Diverse { source, per_value: 1, hint: None });
    for entry in &map.entries {
        match entry.key.as_str() {
            "shard_size" => shard_size = cx.not_negative_as(entry, "shardSize")? as usize,
            "max_docs_per_value" => diverse.per_value = cx.not_negative_as(entry, "maxDocsPerValue")? as usize,
            "execution_hint" if entry.value.as_str().is_none() => return Err(cx.wrong_type(entry)),
            "execution_hint" => diverse.hint = Some(cx.string(entry)?),
            _ if diverse.source.accept(entry, cx)? => {}
            _ => {
                let own = ["shard_size", "max_docs_per_value", "execution_hint"];
                return Err(cx.unknown_field(entry, &[&own, SourceConfig::FIELDS].concat()));
            }
        }
    }
    diverse.source.check()?;
    Ok(Box::new(Sampler { shard_size, diverse: Some(diverse) }))
}

impl Sampler {
    /// Whether no shard knew the field that tells samples apart. Otherwise there is something below, or the shard refuses.
    fn is_of_unmapped(&self, partial: &Partial) -> bool {
        let nothing = |bucket: &Bucket| bucket.subs.iter().all(|sub| matches!(sub, Partial::None));
        self.diverse.is_some() && matches!(partial, Partial::Single(bucket) if nothing(bucket))
    }
}

/// What is told of a field that no mapping knows: nothing below it.
fn unmapped_bucket(subs: usize) -> Partial {
    Partial::Single(Bucket { count: 0, subs: std::iter::repeat_with(|| Partial::None).take(subs).collect() })
}

impl Kind for Sampler {
    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        let unmapped = self.diverse.as_ref().is_some_and(|diverse| diverse.source.is_unmapped(cx));
        // That nothing stands below is told first, by the first segment.
        let childless = agg.subs.is_empty();
        if let Some(diverse) = self.diverse.as_ref().filter(|_| !unmapped) {
            // Nobody asks how numbers are gathered.
            if diverse.source.resolve_any(cx, agg.type_name)?.is_bytes() {
                check_hint(diverse.hint.as_deref(), &["map", "bytes_hash", "global_ordinals"])?;
            }
        }
        if self.shard_size == 0 && !childless {
            let reason =
                "numHits must be > 0; please use TotalHitCountCollectorManager if you just need the total hit count";
            return Err(Error::illegal_argument(reason));
        }
        let diverse = match &self.diverse {
            Some(diverse) => {
                let mut source = diverse.source.resolve_any(cx, agg.type_name)?;
                let values = Values::new(&mut source, diverse.hint.as_deref(), &cx.snapshot);
                Some((source, diverse.per_value, values))
            }
            None => None,
        };
        Ok(Box::new(SamplerAggregator {
            scores: DocScores::new(cx)?,
            shard_size: self.shard_size,
            diverse,
            subs: Subs::new(agg, cx)?,
            snapshot: cx.snapshot.clone(),
            childless,
            unmapped,
            segment: None,
            entered: AHashSet::new(),
            samples: vec![],
            best: vec![],
        }))
    }

    fn empty(&self, agg: &Agg) -> Partial {
        Partial::Single(empty_bucket(&agg.subs))
    }

    fn empty_beside(&self, agg: &Agg, other: Option<&Partial>) -> Partial {
        Partial::Single(empty_beside(&agg.subs, other.and_then(Partial::first_bucket)))
    }

    fn reduce(&self, agg: &Agg, parts: Vec<Partial>, cx: &mut ReduceContext) -> Result<Partial> {
        match parts.iter().all(|part| self.is_of_unmapped(part)) {
            true => Ok(unmapped_bucket(agg.subs.len())),
            false => reduce_single(agg, parts.into_iter().filter(|part| !self.is_of_unmapped(part)).collect(), cx),
        }
    }

    fn render(&self, agg: &Agg, partial: &Partial, w: &mut Writer, shown: Shown<'_>) -> Result<()> {
        let Partial::Single(bucket) = partial else { return Err(mismatch()) };
        render_bucket(agg, bucket, w, shown)
    }

    fn typed_name(&self, _partial: &Partial) -> &'static str {
        "sampler"
    }

    fn order_value(&self, partial: &Partial, _property: Option<&str>) -> Option<f64> {
        match partial {
            Partial::Single(bucket) => Some(bucket.count as f64),
            _ => None,
        }
    }

    fn check_order_property(&self, name: &str, property: Option<&str>) -> Result<()> {
        check_single_order(name, property)
    }

    fn is_multi_bucket(&self) -> bool {
        false
    }

    fn class(&self, cx: &ShardContext) -> Option<&'static str> {
        let diverse = self.diverse.as_ref()?;
        if diverse.source.is_unmapped(cx) {
            return Some("NonCollectingAggregator");
        }
        let source = diverse.source.resolve_any(cx, "diversified_sampler").ok()?;
        if !source.is_bytes() {
            return Some("DiversifiedNumericSamplerAggregator");
        }
        Some(match Zero::of(&source, diverse.hint.as_deref()) {
            Zero::Met => "DiversifiedMapSamplerAggregator",
            Zero::None => "DiversifiedBytesHashSamplerAggregator",
            Zero::First => "DiversifiedOrdinalsSamplerAggregator",
        })
    }

    fn needs_scores(&self) -> bool {
        true
    }

    fn defers(&self, _cx: &ShardContext) -> bool {
        true
    }

    /// The reference has its samples collected as if there were many.
    fn collects_many(&self) -> bool {
        true
    }
}

/// Stands for the value of documents that have none: the reference takes them for zeros.
const NO_VALUE: i64 = 0;

/// The text that the reference numbers zero, as it does documents without a value.
#[derive(Clone, Copy, Default, PartialEq)]
enum Zero {
    /// The first of all in order, where it counts by ordinals.
    #[default]
    First,
    /// The one that it meets first.
    Met,
    /// None: it takes the hashes of texts for their numbers.
    None,
}

impl Zero {
    /// By how the request wants to count. Texts of scripts have no ordinals.
    fn of(source: &Source, hint: Option<&str>) -> Self {
        match hint {
            Some("bytes_hash") => Self::None,
            Some("map") => Self::Met,
            _ if source.is_scripted() => Self::Met,
            _ => Self::First,
        }
    }
}

/// Numbers for the values that documents are told apart by: the same on the whole shard.
#[derive(Default)]
struct Values {
    numbers: Vec<i64>,
    ords: Vec<u32>,
    of_bytes: AHashMap<Vec<u8>, i64>,
    zero: Zero,
}

impl Values {
    fn new(source: &mut Source, hint: Option<&str>, snapshot: &Snapshot) -> Self {
        let mut values = Self { zero: Zero::of(source, hint), ..Self::default() };
        if source.is_bytes() && values.zero == Zero::First {
            let first = snapshot.segments.iter().filter_map(|view| {
                source.enter_segment(view);
                (source.num_ords() > 0).then(|| source.term(0).into_owned())
            });
            values.of_bytes.extend(first.min().map(|first| (first, NO_VALUE)));
        }
        values
    }

    /// The number of a document's only value; none if it has several.
    fn of(&mut self, source: &Source, doc: u32) -> Result<Option<i64>> {
        if !source.is_bytes() {
            source.numbers(doc, &mut self.numbers)?;
            // Of fractions the reference takes what stands before the point.
            let whole = |number: &i64| if source.is_integral() { *number } else { source.decode(*number) as i64 };
            return Ok(if self.numbers.len() > 1 { None } else { Some(self.numbers.first().map_or(NO_VALUE, whole)) });
        }
        source.ords(doc, &mut self.ords)?;
        if self.ords.len() > 1 {
            return Ok(None);
        }
        let Some(bytes) = self.ords.first().map(|ord| source.term(*ord)) else { return Ok(Some(NO_VALUE)) };
        if let Some(number) = self.of_bytes.get(&*bytes) {
            return Ok(Some(*number));
        }
        let number = match self.zero {
            Zero::Met if self.of_bytes.is_empty() => NO_VALUE,
            _ => self.of_bytes.len() as i64 + 1,
        };
        self.of_bytes.insert(bytes.into_owned(), number);
        Ok(Some(number))
    }
}

/// A document that may be part of a sample.
#[derive(Clone, Copy)]
struct Candidate {
    score: f32,
    segment: u32,
    doc: u32,
    value: i64,
}

struct SamplerAggregator {
    scores: DocScores,
    shard_size: usize,
    /// Where samples are to be diverse: by which values, and how many documents may have the same.
    diverse: Option<(Source, usize, Values)>,
    subs: Subs,
    snapshot: Arc<Snapshot>,
    /// Whether nothing stands below, which is refused as soon as there is a segment to look at.
    childless: bool,
    /// Samples that are to be told apart by a field that no mapping knows are none.
    unmapped: bool,
    segment: Option<u32>,
    /// The segments that were entered.
    entered: AHashSet<u32>,
    /// By owner.
    samples: Vec<Vec<Candidate>>,
    /// How many of an owner's candidates are known to be the best of all so far, best first.
    best: Vec<usize>,
}

impl SamplerAggregator {
    /// Whether a document that comes after all others so far would be sampled for its score.
    fn competes(&mut self, owner: usize, score: f32) -> bool {
        let (sample, best) = (&mut self.samples[owner], &mut self.best[owner]);
        if *best != sample.len() {
            keep_best(sample, self.shard_size, self.diverse.as_ref().map(|(_, per_value, _)| *per_value));
            *best = sample.len();
        }
        sample.len() < self.shard_size || sample.last().is_some_and(|worst| score > worst.score)
    }
}

/// Leaves the best candidates, of those with the same value no more than `per_value`.
fn keep_best(sample: &mut Vec<Candidate>, size: usize, per_value: Option<usize>) {
    sample.sort_by(|a, b| b.score.total_cmp(&a.score).then((a.segment, a.doc).cmp(&(b.segment, b.doc))));
    if let Some(per_value) = per_value {
        let mut counts: AHashMap<i64, usize> = AHashMap::new();
        sample.retain(|candidate| {
            let count = counts.entry(candidate.value).or_default();
            *count += 1;
            *count <= per_value
        });
    }
    sample.truncate(size);
}

impl Aggregator for SamplerAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        let known = |known: &SegmentView| Arc::ptr_eq(&known.segment, &view.segment);
        if self.childless && !self.unmapped {
            let reason = "Sampler aggregation must be used with child aggregations.";
            return Err(Error::new(ErrorKind::AggregationExecution, reason));
        }
        self.segment = self.snapshot.segments.iter().position(known).map(|at| at as u32);
        self.entered.extend(self.segment);
        if let Some((source, _, _)) = &mut self.diverse {
            source.enter_segment(view);
        }
        self.scores.enter_segment(view)
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        let Some(segment) = self.segment.filter(|_| !self.unmapped) else { return Ok(()) };
        for (i, &doc) in docs.iter().enumerate() {
            let value = match &mut self.diverse {
                Some((source, _, values)) => values.of(source, doc)?,
                None => Some(NO_VALUE),
            };
            let owner = owners.of(i) as usize;
            if owner >= self.samples.len() {
                check_shard_buckets(owner)?;
                self.samples.resize(owner + 1, vec![]);
                self.best.resize(owner + 1, 0);
            }
            let score = self.scores.score(doc)?;
            let Some(value) = value else {
                // The reference does not look at the values of documents that are not good enough.
                if self.competes(owner, score) {
                    return Err(Error::illegal_argument("Sample diversifying key must be a single valued-field"));
                }
                continue;
            };
            self.samples[owner].push(Candidate { score, segment, doc, value });
            if self.samples[owner].len() >= 2 * self.shard_size + 1024 {
                let per_value = self.diverse.as_ref().map(|(_, per_value, _)| *per_value);
                keep_best(&mut self.samples[owner], self.shard_size, per_value);
                self.best[owner] = self.samples[owner].len();
            }
        }
        Ok(())
    }

    fn subs(&self) -> Option<&Subs> {
        Some(&self.subs)
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            let per_value = self.diverse.as_ref().map(|(_, per_value, _)| *per_value);
            let mut chosen: Vec<(u32, u32, u32)> = vec![];
            for &owner in owners {
                let Some(sample) = self.samples.get_mut(owner as usize) else { continue };
                keep_best(sample, self.shard_size, per_value);
                chosen.extend(sample.iter().map(|candidate| (candidate.segment, candidate.doc, owner)));
            }
            // A document that came several times is sampled several times.
            chosen.sort_unstable();
            // What is below sees the samples only now that they are known.
            let snapshot = self.snapshot.clone();
            for (at, view) in snapshot.segments.iter().enumerate().filter(|_| !self.unmapped) {
                // Segments without samples are entered too, if this was: some tell values that no sample has.
                if !self.entered.contains(&(at as u32)) {
                    continue;
                }
                let first = chosen.partition_point(|(segment, ..)| (*segment as usize) < at);
                let part = chosen[first..].iter().take_while(|(segment, ..)| *segment as usize == at);
                self.subs.enter_segment(view)?;
                part.into_iter().try_for_each(|(_, doc, owner)| self.subs.push(*doc, *owner))?;
                self.subs.leave_segment()?;
            }
            let count = |owner: &u32| self.samples.get(*owner as usize).map_or(0, |sample| sample.len() as u64);
            if self.unmapped {
                self.subs.find_nothing();
            }
            let subs = self.subs.build(owners, pace).await?;
            if self.unmapped {
                return Ok(subs.into_iter().map(|subs| unmapped_bucket(subs.len())).collect());
            }
            Ok(owners
                .iter()
                .zip(subs)
                .map(|(owner, subs)| Partial::Single(Bucket { count: count(owner), subs }))
                .collect())
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::search::tests::{search, shard};

    #[test]
    fn values_that_no_sample_has_are_told_where_buckets_may_be_empty() {
        let mapping = r#"{"properties":{"k":{"type":"keyword"},"n":{"type":"integer"}}}"#;
        let cx = shard(mapping, &[&[r#"{"k":"a","n":1}"#], &[r#"{"k":"b","n":2}"#]]);
        for (field, expected) in [
            ("k", r#"[{"key":"a","doc_count":0},{"key":"b","doc_count":0}]"#),
            ("n", r#"[{"key":1,"doc_count":0},{"key":2,"doc_count":0}]"#),
        ] {
            let terms = format!(r#"{{"t":{{"terms":{{"field":"{field}","min_doc_count":0}}}}}}"#);
            let aggs = format!(r#"{{"s":{{"sampler":{{}},"aggs":{terms}}}}}"#);
            let answer = search(&cx, &format!(r#"{{"size":0,"query":{{"term":{{"k":"c"}}}},"aggs":{aggs}}}"#));
            assert!(answer.contains(expected), "{answer}");
        }
    }

    #[test]
    fn fractions_are_told_apart_by_whole_numbers_and_unknown_fields_by_nothing() {
        let cx =
            shard(r#"{"properties":{"d":{"type":"double"}}}"#, &[&[r#"{"d":1.5}"#, r#"{"d":1.25}"#, r#"{"d":-0.5}"#]]);
        let below = r#""aggs":{"m":{"max":{"field":"d"}}}"#;
        let of = |field: &str| {
            search(
                &cx,
                &format!(r#"{{"size":0,"aggs":{{"s":{{"diversified_sampler":{{"field":"{field}"}},{below}}}}}}}"#),
            )
        };
        assert!(of("d").contains(r#""s":{"doc_count":2,"m":{"value":1.5}}"#), "{}", of("d"));
        assert!(of("none").contains(r#""s":{"doc_count":0}"#), "{}", of("none"));
    }

    #[test]
    fn documents_without_a_value_share_that_of_the_text_that_is_numbered_zero() {
        let mapping = r#"{"properties":{"k":{"type":"keyword"}}}"#;
        let cx = shard(mapping, &[&[r#"{"k":"b"}"#, r#"{}"#, r#"{"k":"a"}"#, r#"{"k":"b"}"#, r#"{}"#]]);
        let both = r#""buckets":[{"key":"a","doc_count":1},{"key":"b","doc_count":1}]"#;
        for (source, samples) in [
            (r#""field":"k""#, r#""buckets":[{"key":"b","doc_count":1}]"#),
            (r#""field":"k","execution_hint":"map""#, both),
            (r#""field":"k","execution_hint":"bytes_hash""#, both),
            (r#""script":"doc['k'].size() == 0 ? null : doc['k'].value""#, both),
        ] {
            let sampler =
                format!(r#"{{"diversified_sampler":{{{source}}},"aggs":{{"t":{{"terms":{{"field":"k"}}}}}}}}"#);
            let answer = search(&cx, &format!(r#"{{"size":0,"aggs":{{"s":{sampler}}}}}"#));
            assert!(answer.contains(samples), "{source}: {answer}");
        }
    }

    #[test]
    fn several_values_count_where_a_document_is_good_enough() {
        let mapping = r#"{"properties":{"t":{"type":"text"},"n":{"type":"long"}}}"#;
        let docs =
            [r#"{"t":"a a a","n":1}"#, r#"{"t":"a a","n":2}"#, r#"{"t":"a","n":[3,4]}"#, r#"{"t":"a a a a","n":1}"#];
        let cx = shard(mapping, &[&docs[..2], &docs[2..]]);
        for (size, told) in [(1, true), (2, true), (3, false)] {
            let sampler = format!(r#"{{"shard_size":{size},"field":"n"}}"#);
            let body = format!(
                r#"{{"size":0,"query":{{"match":{{"t":"a"}}}},"aggs":{{"s":{{"diversified_sampler":{sampler},"aggs":{{"m":{{"max":{{"field":"n"}}}}}}}}}}}}"#
            );
            let answer = search(&cx, &body);
            let expected = format!(r#""doc_count":{size}"#);
            assert_eq!(answer.contains(&expected), told, "{size}: {answer}");
            assert_eq!(answer.contains("single valued-field"), !told, "{size}: {answer}");
        }
    }
}
