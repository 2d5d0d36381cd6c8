//! significant_terms: the values that the matching documents have more often than all documents.

use super::accepted;
use super::format::Format;
use super::keys::key_bytes;
use super::kind::{Aggregator, Built, Kind, Owners, Subs, check_shard_buckets};
use super::order::Order;
use super::parse::{Agg, ParseContext};
use super::partial::{Bucket, Key, KeyType, Partial, Shown, mismatch, reduce_buckets, render_subs};
use super::profile::Details;
use super::reduce_context::ReduceContext;
use super::significance::{Formula, Heuristic, Judge, parse_heuristic};
use super::significant_background::{Background, ByQuery};
use super::significant_text::{TextAggregator, TextSource, without_field};
use super::source::{Source, SourceConfig};
use super::terms::{TermsConfig, collector};
use crate::error::{Error, ErrorKind, Result};
use crate::java_order::{best_of_queue, held_by_queue, slot, slots_of};
use crate::json::{Entry, Map, Value, Writer, line_col};
use crate::mapping::DocValueFormat;
use crate::pace::Pace;
use crate::profile::{QueryProfile, QueryProfiler};
use crate::query::{Query, ShardContext, term};
use crate::score::{BoolPlan, Plan, WeightContext};
use crate::segment::{NO_MORE_DOCS, SegmentView, Snapshot, Want};
use ahash::{AHashMap, AHashSet};
use std::sync::Arc;

const MIN_DOC_COUNT_DEFAULT: u64 = 3;

#[derive(Debug)]
pub(super) struct SignificantTerms {
    source: SourceConfig,
    config: Arc<TermsConfig>,
    size: usize,
    shard_size: usize,
    min_doc_count: u64,
    shard_min_doc_count: u64,
    heuristic: Heuristic,
    background: Option<Query>,
    /// Where the values are words of texts.
    text: Option<TextSource>,
}

/// What `significant_terms` and `significant_text` are both told.
pub(super) struct Parameters {
    config: TermsConfig,
    size: usize,
    shard_size: Option<usize>,
    min_doc_count: u64,
    shard_min_doc_count: u64,
    heuristic: Heuristic,
    background: Option<Query>,
}

impl Default for Parameters {
    fn default() -> Self {
        // Every term is scored, so the counting part leaves none out.
        let order = Order::key_asc();
        Self {
            config: TermsConfig {
                size: usize::MAX,
                shard_size: usize::MAX,
                order,
                breadth_first: Some(false),
                ..TermsConfig::default()
            },
            size: 10,
            shard_size: None,
            min_doc_count: MIN_DOC_COUNT_DEFAULT,
            shard_min_doc_count: 0,
            heuristic: Heuristic::Formula(Formula::Jlh),
            background: None,
        }
    }
}

/// The parameters that both aggregations have, beside the heuristics.
const SHARED_KEYS: &[&str] =
    &["field", "size", "shard_size", "min_doc_count", "shard_min_doc_count", "include", "exclude", "background_filter"];

impl Parameters {
    /// Takes the entry if it is one of them.
    pub(super) fn accept(&mut self, entry: &Entry, cx: &ParseContext<'_>) -> Result<bool> {
        match entry.key.as_str() {
            "size" => self.size = cx.positive(entry)?,
            "shard_size" => {
                let given = cx.int(entry)?;
                let refusal = || format!("[shardSize] must be greater than  0. Found [{given}] in [{}]", cx.name);
                let size = usize::try_from(given).ok().filter(|size| *size > 0);
                let refused = || cx.failed_field(entry, Error::illegal_argument(refusal()));
                self.shard_size = Some(size.ok_or_else(refused)?);
            }
            "min_doc_count" => self.min_doc_count = cx.not_negative_long_as(entry, "minDocCount")?,
            "shard_min_doc_count" => self.shard_min_doc_count = cx.not_negative_long_as(entry, "shardMinDocCount")?,
            "include" | "exclude" => self.config.set_selection(entry, cx)?,
            "background_filter" if entry.value.as_object().is_none() => return Err(cx.wrong_type(entry)),
            "background_filter" => {
                let query = cx.query(&entry.value, entry.value_pos);
                self.background = Some(query.map_err(|cause| cx.failed_inside(entry, cause))?);
            }
            _ => match parse_heuristic(entry, cx)? {
                Some(named) => self.heuristic = named,
                None => return Ok(false),
            },
        }
        Ok(true)
    }

    /// The error of a name that is neither a parameter nor a heuristic.
    #[cold]
    pub(super) fn unknown(entry: &Entry, own: &[&str], cx: &ParseContext<'_>) -> Error {
        let (line, col) = line_col(cx.body, entry.value_pos);
        let reason = format!("[{line}:{col}] unknown field [{}]", entry.key);
        let cause = Error::new(ErrorKind::NamedObjectNotFound, reason);
        cx.unknown_field(entry, &[own, SHARED_KEYS, Heuristic::NAMES].concat())
            .caused_by(cause.clone())
            .with_root_causes(vec![cause])
    }
}

#[derive(Debug, Clone)]
pub struct SignificantBuckets {
    pub(crate) buckets: Vec<SignificantBucket>,
    /// Documents of the bucket that they are significant for, and of the background.
    subset: u64,
    superset: u64,
    /// The documents of the first shard, which the reference takes for the background of a bucket without documents.
    superset_first: u64,
    format: Format,
    key_type: KeyType,
}

#[derive(Debug, Clone)]
pub(crate) struct SignificantBucket {
    pub(crate) key: Key,
    superset_count: u64,
    score: f64,
    pub(crate) bucket: Bucket,
}

pub(crate) fn parse(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let (mut source, mut parameters) = (SourceConfig::default(), Parameters::default());
    for entry in &map.entries {
        match entry.key.as_str() {
            "execution_hint" => parameters.config.hint = Some(cx.text(entry)?),
            _ if source.accept(entry, cx)? || parameters.accept(entry, cx)? => {}
            _ => return Err(Parameters::unknown(entry, &["missing", "value_type", "format", "execution_hint"], cx)),
        }
    }
    source.check()?;
    Ok(Box::new(SignificantTerms::new(source, parameters, None)))
}

impl SignificantTerms {
    pub(super) fn new(source: SourceConfig, parameters: Parameters, text: Option<TextSource>) -> Self {
        let size = parameters.size;
        // Shards return twice the usual margin: what is rare in one of them may be significant over all.
        let margin = 2 * ((size as f64 * 1.5 + 10.0) as usize);
        Self {
            source,
            config: Arc::new(parameters.config),
            size,
            shard_size: parameters.shard_size.unwrap_or(margin.max(size)),
            min_doc_count: parameters.min_doc_count,
            shard_min_doc_count: parameters.shard_min_doc_count,
            heuristic: parameters.heuristic,
            background: parameters.background,
            text,
        }
    }

    fn empty_result(&self) -> SignificantBuckets {
        let (format, key_type) = (Format::Unsaid, KeyType::Unmapped);
        SignificantBuckets { buckets: vec![], subset: 0, superset: 0, superset_first: 0, format, key_type }
    }
}

impl Kind for SignificantTerms {
    /// The documents of the background are counted at once.
    fn counted_with(&self, cx: &ShardContext) -> Result<Vec<Plan>> {
        let is_mapped = self.source.field.as_deref().is_some_and(|name| cx.mapping.field(name).is_some());
        let background = self.background.iter().filter(|_| is_mapped);
        background.map(|query| Ok(query.bare_plan(cx)?.constant().simplify())).collect()
    }

    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        let known = self.source.field.as_deref().and_then(|name| cx.mapping.field(name));
        let name = known.map(|field| field.name.clone());
        let (counting, values) = match (&self.text, &self.source.field) {
            (Some(text), Some(field)) => {
                let counting = TextAggregator::new(field, text, &self.config, agg, cx);
                (counting.map(|counting| Box::new(counting) as Box<dyn Aggregator>), None)
            }
            (Some(_), None) => return Err(without_field()),
            _ => {
                let values = self.source.resolve_any(cx, agg.type_name)?;
                accepted::check_searchable(values.field())?;
                if let Some(name) = self.source.field.as_deref().filter(|name| cx.derived_field(name).is_some()) {
                    return Err(accepted::not_searchable(name));
                }
                if values.is_mapped() && !values.is_bytes() && !values.is_integral() {
                    let reason = "No support for examining floating point numerics";
                    // The fields of what stands below are looked at before.
                    let below = Subs::new(agg, cx).err().filter(|error| !error.is_late());
                    return Err(below.unwrap_or_else(|| Error::new(ErrorKind::UnsupportedOperation, reason).late()));
                }
                let values = Some(values);
                let waits = agg.subs.may_fail();
                (collector(self.source.resolve_any(cx, agg.type_name)?, &self.config, agg, waits, cx), values)
            }
        };
        // Nobody looks at the background of a field that there is not.
        let background = match (self.background.as_ref().filter(|_| name.is_some()), counting.as_ref().err()) {
            (Some(query), early) if early.is_none_or(Error::is_late) => {
                Some(Background::new(query, cx).map_err(Error::late)?)
            }
            _ => None,
        };
        let counting = counting?;
        let in_map = self.text.is_some() || counting.details().class == Some("MapStringTermsAggregator");
        Ok(Box::new(SignificantAggregator {
            counting,
            in_map,
            name,
            judge: self.heuristic.judge()?,
            shard_size: self.shard_size,
            // What is gathered in slices is looked at once it is merged.
            shard_min_doc_count: if agg.sliced { 0 } else { self.shard_min_doc_count },
            values,
            snapshot: cx.snapshot.clone(),
            background,
            collected: vec![],
            asking: Some(cx.clone()).filter(|cx| cx.profile.is_some()),
            filter: self.background.clone(),
            asked: vec![],
            by_query: known.and_then(|field| ByQuery::of(field, self.text.is_some(), self.source.format.is_some(), cx)),
            counted: AHashSet::new(),
        }))
    }

    fn empty(&self, _agg: &Agg) -> Partial {
        Partial::Significant(Box::new(self.empty_result()))
    }

    fn empty_beside(&self, agg: &Agg, other: Option<&Partial>) -> Partial {
        let Some(Partial::Significant(other)) = other else { return self.empty(agg) };
        let (superset, format, key_type) = (other.superset_first, other.format.clone(), other.key_type);
        let empty = SignificantBuckets { superset, superset_first: superset, format, key_type, ..self.empty_result() };
        Partial::Significant(Box::new(empty))
    }

    fn reduce(&self, agg: &Agg, parts: Vec<Partial>, cx: &mut ReduceContext) -> Result<Partial> {
        let mut whole = self.empty_result();
        let mut places: AHashMap<Vec<u8>, usize> = AHashMap::new();
        let mut merged: Vec<(Key, u64, Vec<Bucket>)> = vec![];
        // What is shown alike is one, even on one shard.
        let place_of = |key: &Key, format: &Format| match key {
            Key::Bytes(_) => key_bytes(key),
            key => format.key_text(key).into_bytes(),
        };
        for part in parts {
            let Partial::Significant(mut part) = part else { return Err(mismatch()) };
            // Documents of shards that do not know the field are no part of what is compared.
            if part.key_type == KeyType::Unmapped {
                continue;
            }
            if cx.sliced {
                // What was gathered in slices went through such a map, and a queue for all of it, on each shard.
                let (slots, format) = (slots_of(part.buckets.len()), part.format.clone());
                part.buckets.sort_by_cached_key(|bucket| slot(&format.key_text(&bucket.key), slots));
                let all = part.buckets.len();
                part.buckets.retain(|bucket| bucket.bucket.count >= self.shard_min_doc_count);
                part.buckets = best_of_queue(part.buckets, all, |a, b| a.score < b.score);
            }
            if whole.key_type == KeyType::Unmapped {
                whole.superset_first = part.superset_first;
            }
            whole.subset += part.subset;
            whole.superset = if cx.within_shard { part.superset } else { whole.superset + part.superset };
            whole.key_type = part.key_type;
            whole.format.hear(&part.format);
            for bucket in part.buckets {
                let place = *places.entry(place_of(&bucket.key, &part.format)).or_insert(merged.len());
                // What was gathered in slices of one shard is the same in each.
                let again =
                    merged.get(place).is_some_and(|known| cx.within_shard && known.0.compare(&bucket.key).is_eq());
                if place == merged.len() {
                    merged.push((bucket.key, 0, vec![]));
                }
                let before = if again { 0 } else { merged[place].1 };
                merged[place].1 = before + bucket.superset_count;
                merged[place].2.push(bucket.bucket);
            }
        }
        // The reference merges in a map by the texts of keys, and goes through it in its order.
        let slots = slots_of(merged.len());
        merged.sort_by_cached_key(|(key, ..)| slot(&whole.format.key_text(key), slots));
        let mut judge = self.heuristic.judge()?;
        for (key, superset_count, same) in merged {
            let bucket = reduce_buckets(&agg.subs, same, cx)?;
            let score = judge.score(bucket.count, whole.subset, superset_count, whole.superset)?;
            let least = if cx.within_shard { self.shard_min_doc_count } else { self.min_doc_count };
            if (cx.within_shard || score > 0.0) && bucket.count >= least {
                whole.buckets.push(SignificantBucket { key, superset_count, score, bucket });
            }
        }
        // What is of one shard still is all that the shard has.
        let size = if cx.within_shard { whole.buckets.len() } else { self.size };
        whole.buckets = best_of_queue(whole.buckets, size, |a, b| a.score < b.score);
        cx.add_buckets(whole.buckets.len())?;
        Ok(Partial::Significant(Box::new(whole)))
    }

    fn render(&self, agg: &Agg, partial: &Partial, w: &mut Writer, shown: Shown<'_>) -> Result<()> {
        let Partial::Significant(terms) = partial else { return Err(mismatch()) };
        if terms.key_type != KeyType::Unmapped {
            w.key("doc_count").u64(terms.subset).key("bg_count").u64(terms.superset);
        }
        w.key("buckets").begin_array();
        for bucket in &terms.buckets {
            w.begin_object();
            write_key(&terms.format, &bucket.key, w);
            w.key("doc_count").u64(bucket.bucket.count).key("score").f64(bucket.score);
            w.key("bg_count").u64(bucket.superset_count);
            render_subs(agg, &bucket.bucket, w, shown)?;
            w.end_object();
        }
        w.end_array();
        Ok(())
    }

    fn is_bucketing(&self) -> bool {
        self.text.is_none()
    }

    fn is_multi_bucket(&self) -> bool {
        true
    }

    fn queries(&self) -> Vec<&Query> {
        self.background.iter().collect()
    }

    fn defers(&self, cx: &ShardContext) -> bool {
        !self.source.is_unmapped(cx)
    }

    fn typed_name(&self, partial: &Partial) -> &'static str {
        match partial {
            Partial::Significant(terms) if matches!(terms.key_type, KeyType::Bytes | KeyType::Unmapped) => "sigsterms",
            _ => "siglterms",
        }
    }

    fn bucket_key(&self, partial: &Partial, i: usize) -> String {
        match partial {
            Partial::Significant(terms) => terms.format.key_text(&terms.buckets[i].key),
            _ => String::new(),
        }
    }
}

/// A key, and beside it what its format makes of it: flags and numbers without a sign stay what they are.
fn write_key(format: &Format, key: &Key, w: &mut Writer) {
    match key {
        Key::Unsigned(number) if format.is_unsigned() => {
            w.key("key").i64(*number as i64).key("key_as_string").u64(*number);
        }
        Key::Long(flag) if matches!(format, Format::Field(DocValueFormat::Boolean)) => {
            w.key("key").i64(*flag).key("key_as_string").bool(*flag != 0);
        }
        key => format.write_key(key, w),
    }
}

/// What a query for one value takes, in the units of [`Pace`].
const QUERY_UNITS: u32 = 1000;

struct SignificantAggregator {
    counting: Box<dyn Aggregator>,
    /// Whether the reference gathers the values in a map.
    in_map: bool,
    judge: Judge,
    shard_size: usize,
    shard_min_doc_count: u64,
    name: Option<Arc<str>>,
    /// Tells which numbers a key stands for.
    values: Option<Source>,
    snapshot: Arc<Snapshot>,
    background: Option<Background>,
    /// Documents by owner.
    collected: Vec<u64>,
    /// Where a profile is wanted: what to make the queries of that the reference counts the background by.
    asking: Option<ShardContext>,
    filter: Option<Query>,
    asked: Vec<QueryProfile>,
    by_query: Option<ByQuery>,
    /// The values that these count: the background of each is counted once, whoever it is significant for.
    counted: AHashSet<String>,
}

impl SignificantAggregator {
    fn superset(&self) -> u64 {
        // The reference takes in what was deleted and not merged away yet.
        self.background.as_ref().map_or_else(|| self.snapshot.max_doc(), |b| b.count)
    }

    /// The queries by which the reference counts the documents of the background that have a value, as profiles show them: words are
    /// looked up instead.
    fn counting_queries(&self, keys: &[String]) -> Result<Vec<QueryProfile>> {
        let (Some(cx), Some(name)) = (&self.asking, &self.name) else { return Ok(vec![]) };
        let Some(clock) = cx.profile else { return Ok(vec![]) };
        let profiler = QueryProfiler::new(clock);
        let weights = WeightContext {
            profiler: Some(profiler.clone()),
            ..WeightContext::new(&cx.snapshot, cx.mapping.similarities())
        };
        for key in keys {
            let value = term(name, Value::from(key.as_str()));
            let plan = value.shard_plan(cx)?;
            if matches!(plan, Plan::Term { .. }) {
                return Ok(vec![]);
            }
            let plan = match &self.filter {
                Some(filter) => {
                    Plan::Bool(BoolPlan { filter: vec![plan, filter.shard_plan(cx)?], ..BoolPlan::default() })
                }
                None => plan,
            };
            plan.constant().simplify().weight(&weights, false, 1.0)?;
        }
        Ok(profiler.finish())
    }

    /// Documents of the background that have the value.
    fn superset_count(&mut self, key: &Key, format: &Format) -> Result<u64> {
        match &mut self.by_query {
            Some(by_query) => by_query.count(key, format, self.background.as_ref()),
            None => Ok(self.superset_of_terms(key)),
        }
    }

    fn superset_of_terms(&self, key: &Key) -> u64 {
        let Some(name) = &self.name else { return 0 };
        let numbers = |key: &Key| self.values.as_ref()?.numbers_of_key(key);
        let mut count = 0;
        let flag = match (key, self.values.as_ref().is_some_and(Source::is_boolean)) {
            (Key::Long(flag), true) => Some(Key::Bytes(if *flag != 0 { b"T"[..].into() } else { b"F"[..].into() })),
            _ => None,
        };
        let key = flag.as_ref().unwrap_or(key);
        for (at, view) in self.snapshot.segments.iter().enumerate() {
            let Some(field) = view.segment.field(name) else { continue };
            match key {
                Key::Bytes(term) => {
                    let Some((terms, info)) = field.terms().and_then(|t| Some((t, t.get(term)?))) else { continue };
                    if self.background.is_none() && view.deleted_count() == 0 {
                        count += u64::from(info.doc_freq);
                        continue;
                    }
                    let mut postings = terms.postings(info, Want::Docs);
                    while postings.doc() != NO_MORE_DOCS {
                        let doc = postings.doc();
                        let background = self.background.as_ref();
                        count += u64::from(background.map_or_else(|| view.is_live(doc), |b| b.has(at, doc)));
                        postings.next();
                    }
                }
                key => {
                    let (Some(points), Some((lo, hi))) = (field.points(), numbers(key)) else { continue };
                    count += match &self.background {
                        None if view.deleted_count() == 0 => points.count(lo, hi),
                        None => {
                            let (mut docs, mut within) = (points.range(lo, hi), 0);
                            while docs.doc() != NO_MORE_DOCS {
                                within += u64::from(view.is_live(docs.doc()));
                                docs.next();
                            }
                            within
                        }
                        Some(background) => {
                            let (mut docs, mut within) = (points.range(lo, hi), 0);
                            while docs.doc() != NO_MORE_DOCS {
                                within += u64::from(background.has(at, docs.doc()));
                                docs.next();
                            }
                            within
                        }
                    };
                }
            }
        }
        count
    }
}

impl Aggregator for SignificantAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.counting.enter_segment(view)
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        for i in 0..docs.len() {
            let owner = owners.of(i) as usize;
            if owner >= self.collected.len() {
                check_shard_buckets(owner)?;
                self.collected.resize(owner + 1, 0);
            }
            self.collected[owner] += 1;
        }
        self.counting.collect(docs, owners)
    }

    fn leave_segment(&mut self) -> Result<()> {
        self.counting.leave_segment()
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            let superset = self.superset();
            let mut results = vec![];
            for (partial, owner) in self.counting.build(owners, pace).await?.into_iter().zip(owners) {
                let Partial::Terms(terms) = partial else { return Err(mismatch()) };
                let subset = self.collected.get(*owner as usize).copied().unwrap_or(0);
                let (mut buckets, least) = (vec![], self.shard_min_doc_count);
                for t in terms.buckets.into_iter().filter(|t| t.bucket.count >= least) {
                    if self.by_query.is_some() {
                        pace.tick(QUERY_UNITS).await;
                    }
                    let superset_count = self.superset_count(&t.key, &terms.format)?;
                    let score = self.judge.score(t.bucket.count, subset, superset_count, superset)?;
                    buckets.push(SignificantBucket { key: t.key, superset_count, score, bucket: t.bucket });
                }
                let keys: Vec<String> = match &self.asking {
                    Some(_) => {
                        let keys = buckets.iter().map(|bucket| terms.format.key_text(&bucket.key));
                        keys.filter(|key| self.counted.insert(key.clone())).collect()
                    }
                    None => vec![],
                };
                self.asked.extend(self.counting_queries(&keys)?);
                // The order decides between equals when shards are merged. What the reference gathered in a map it takes out of its
                // queue one by one; anything else it leaves as the queue holds it, from its end.
                let less = |a: &SignificantBucket, b: &SignificantBucket| a.score < b.score;
                let buckets = match self.in_map {
                    true => best_of_queue(buckets, self.shard_size, less),
                    false => held_by_queue(buckets, self.shard_size, less).into_iter().rev().collect(),
                };
                let (format, key_type) = (terms.format, terms.key_type);
                results.push(Partial::Significant(Box::new(SignificantBuckets {
                    buckets,
                    subset,
                    superset,
                    superset_first: self.snapshot.num_docs(),
                    format,
                    key_type,
                })));
            }
            Ok(results)
        })
    }

    fn asked_profile(&mut self) -> Vec<QueryProfile> {
        std::mem::take(&mut self.asked)
    }

    fn subs(&self) -> Option<&Subs> {
        self.counting.subs()
    }

    fn details(&self) -> Details {
        self.counting.details()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_return_twice_the_usual_margin() {
        let of = |size: usize| {
            let source = SourceConfig { field: Some("k".into()), ..SourceConfig::default() };
            SignificantTerms::new(source, Parameters { size, ..Parameters::default() }, None).shard_size
        };
        assert_eq!([1, 8, 9, 10].map(of), [22, 44, 46, 50]);
    }
}
