//! terms: a bucket per distinct value. Parsing, reduction and rendering; collection is by type of value, in
//! `terms_bytes` and `terms_numbers`.

use super::chosen_terms::check_chosen;
use super::kind::{Aggregator, Kind, Subs};
use super::order::{Comparable, Order};
use super::parse::{Agg, ParseContext};
use super::partial::{KeyType, Partial, Shown, TermBucket, TermsBuckets, mismatch, render_bucket};
use super::ranking::Ranking;
use super::reduce_context::ReduceContext;
use super::source::{Source, SourceConfig};
use super::terms_bytes::BytesAggregator;
use super::terms_merge::reduce_terms;
use super::terms_numbers::NumbersAggregator;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Entry, Map, Value, Writer};
use crate::mapping::{DocValues, Field};
use crate::query::{Query, ShardContext};
use ahash::AHashSet;
use std::hash::Hash;
use std::sync::Arc;

#[derive(Debug)]
struct Terms {
    source: SourceConfig,
    config: Arc<TermsConfig>,
}

#[derive(Debug, Clone)]
pub(crate) struct TermsConfig {
    pub(crate) size: usize,
    pub(crate) shard_size: usize,
    pub(crate) min_doc_count: u64,
    pub(crate) shard_min_doc_count: u64,
    pub(crate) order: Order,
    /// Whether a number that a document has twice counts twice.
    pub(crate) counts_repeated: bool,
    pub(crate) include: Option<Selection>,
    pub(crate) exclude: Option<Selection>,
    pub(crate) show_error: bool,
    /// `collect_mode`, which profiles alone tell of: ours chooses by itself.
    pub(crate) breadth_first: Option<bool>,
    /// `execution_hint`, the same.
    pub(crate) hint: Option<String>,
    /// Buckets of more documents are answered without what is below.
    pub(crate) count_max: u64,
    /// Whether the reference merges shards in a map, bucket by bucket as they come, and not by the order of keys.
    pub(crate) merges_in_map: bool,
}

/// So many times as many terms as are wanted make the reference keep the best of them in a queue.
const QUEUE_FACTOR: u64 = 5;

impl TermsConfig {
    pub(crate) fn by_map(&self) -> bool {
        self.hint.as_deref() == Some("map")
    }

    /// How the reference chooses among the buckets it `met`, of a field with so many terms.
    pub(crate) fn selects_by(&self, terms: u64, met: u64) -> &'static str {
        match self.shard_size as u64 {
            size if self.order.is_key() || size.saturating_mul(QUEUE_FACTOR) < terms => "priority_queue",
            size if size < met => "quick_select",
            _ => "select_all",
        }
    }

    /// Whether the reference would have sub-aggregations wait, of a field with so many ordinals if it has any.
    pub(crate) fn defers(&self, ords: Option<usize>) -> bool {
        self.breadth_first.unwrap_or_else(|| ords.is_none_or(|ords| ords > self.shard_size))
    }
}

#[derive(Debug, Clone)]
pub(crate) enum Selection {
    Values(Vec<Value>),
    /// A regular expression, which shards read.
    Pattern(String),
    /// One of so many parts that all values are dealt out to by their hashes.
    Partition {
        part: i64,
        of: i64,
    },
}

impl Selection {
    /// The values that a selection lists, each as `parse` reads it; `None` for patterns and where there is no selection.
    pub(crate) fn values<T: Eq + Hash>(
        selection: Option<&Selection>,
        parse: impl Fn(&Value) -> Result<T>,
    ) -> Result<Option<AHashSet<T>>> {
        match selection {
            Some(Selection::Values(values)) => {
                // The first in their own order that cannot be read is the one that is refused.
                let mut values: Vec<&Value> = values.iter().collect();
                values.sort_by_cached_key(|value| value.to_text());
                values.into_iter().map(parse).collect::<Result<_>>().map(Some)
            }
            _ => Ok(None),
        }
    }
}

const FIELDS: &[&str] = &[
    "field",
    "missing",
    "format",
    "value_type",
    "script",
    "size",
    "shard_size",
    "min_doc_count",
    "shard_min_doc_count",
    "order",
    "include",
    "exclude",
    "show_term_doc_count_error",
    "execution_hint",
    "collect_mode",
];

pub(crate) fn parse(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let mut source = SourceConfig::default();
    let (mut size, mut shard_size) = (10, None);
    let mut config = TermsConfig::default();
    for entry in &map.entries {
        match entry.key.as_str() {
            "size" => size = cx.positive(entry)?,
            "shard_size" => shard_size = Some(cx.positive_as(entry, "shardSize")?),
            "min_doc_count" => config.min_doc_count = cx.not_negative_long_as(entry, "minDocCount")?,
            "shard_min_doc_count" => config.shard_min_doc_count = cx.not_negative_long_as(entry, "shardMinDocCount")?,
            "order" => config.order = Order::parse(entry, cx)?,
            "include" | "exclude" => config.set_selection(entry, cx)?,
            "show_term_doc_count_error" => config.show_error = cx.bool(entry)?,
            "collect_mode" => config.breadth_first = Some(parse_collect_mode(entry, cx)?),
            "execution_hint" => config.hint = Some(cx.text(entry)?),
            _ if source.accept(entry, cx)? => {}
            _ => return Err(cx.unknown_field(entry, FIELDS)),
        }
    }
    source.check()?;
    config.set_sizes(size, shard_size);
    Ok(Box::new(Terms { source, config: Arc::new(config) }))
}

/// True for `breadth_first`.
pub(crate) fn parse_collect_mode(entry: &Entry, cx: &ParseContext<'_>) -> Result<bool> {
    match cx.text(entry)?.as_str() {
        "breadth_first" => Ok(true),
        "depth_first" => Ok(false),
        other => {
            let refusal = Error::new(ErrorKind::Parse, format!("no [collect_mode] found for value [{other}]"));
            Err(cx.failed_field(entry, refusal.clone()).with_root_causes(vec![refusal]))
        }
    }
}

/// Refuses hints that name no way to tell terms apart.
pub(crate) fn check_hint(hint: Option<&str>, known: &[&str]) -> Result<()> {
    match hint.filter(|hint| !known.contains(hint)) {
        Some(hint) => Err(Error::illegal_argument(format!(
            "Unknown `execution_hint`: [{hint}], expected any of [{}]",
            known.join(", ")
        ))),
        None => Ok(()),
    }
}

fn parse_selection(entry: &Entry, cx: &ParseContext<'_>) -> Result<Selection> {
    match &entry.value {
        Value::Array(values) => {
            cx.items(entry, |item| match item.value {
                Value::Null | Value::Array(_) | Value::Object(_) => {
                    let reason = "Array elements in include/exclude clauses should be string values";
                    Err(Error::new(ErrorKind::Parse, reason).at(item.pos()))
                }
                _ => Ok(()),
            })
            .map_err(|cause| cx.failed_inside(entry, cause))?;
            Ok(Selection::Values(values.clone()))
        }
        Value::String(pattern) => Ok(Selection::Pattern(pattern.clone())),
        Value::Object(partition) if entry.key == "include" => parse_partition(partition, entry, cx),
        _ => Err(cx.wrong_type(entry)),
    }
}

/// What is included and excluded has to be said in the same way.
fn check_selections(config: &TermsConfig, entry: &Entry, cx: &ParseContext<'_>) -> Result<()> {
    let (Some(include), Some(exclude)) = (&config.include, &config.exclude) else { return Ok(()) };
    let way = |selection: &Selection| if matches!(selection, Selection::Pattern(_)) { "regex" } else { "set" };
    let reason = match (include, way(include), way(exclude)) {
        (Selection::Partition { .. }, ..) => {
            "Cannot specify any excludes when using a partition-based include".to_owned()
        }
        (_, include, exclude) if include != exclude => {
            format!("Cannot mix a {include}-based include with a {exclude}-based method")
        }
        _ => return Ok(()),
    };
    let refused = Error::illegal_argument(reason);
    Err(match entry.value {
        Value::String(_) => cx.failed_field(entry, refused),
        _ => cx.failed_at_end(entry, refused),
    })
}

fn parse_partition(map: &Map, entry: &Entry, cx: &ParseContext<'_>) -> Result<Selection> {
    let (mut part, mut of) = (None, None);
    // What is no number is a mistake of the whole clause.
    let int = |field: &Entry| {
        let of_clause = |error: Error| match error.cause() {
            Some(cause) => cx.failed_inside(entry, cause.clone().at(field.value_pos)),
            None => error,
        };
        cx.int(field).map_err(of_clause)
    };
    for field in &map.entries {
        match field.key.as_str() {
            "partition" => part = Some(int(field)?),
            "num_partitions" => of = Some(int(field)?),
            other => {
                let refusal = format!("Unknown parameter in Include/Exclude clause: {other}");
                return Err(cx.failed_inside(entry, Error::new(ErrorKind::Parse, refusal).at(field.value_pos)));
            }
        }
    }
    let refuse = |reason: String| cx.failed_at_end(entry, Error::illegal_argument(reason));
    let part = part.ok_or_else(|| refuse("Missing [partition] parameter for partition-based include".into()))?;
    let of = of.ok_or_else(|| refuse("Missing [num_partitions] parameter for partition-based include".into()))?;
    if part < 0 || part >= of {
        return Err(refuse(format!("Partition must be >=0 and < numPartition which is {of}")));
    }
    Ok(Selection::Partition { part, of })
}

impl TermsConfig {
    /// Takes what is included, or what is excluded.
    pub(crate) fn set_selection(&mut self, entry: &Entry, cx: &ParseContext<'_>) -> Result<()> {
        let selection = Some(parse_selection(entry, cx)?);
        match entry.key.as_str() {
            "include" => self.include = selection,
            _ => self.exclude = selection,
        }
        check_selections(self, entry, cx)
    }

    /// Sets the sizes from what the request gives: without a shard's size, a margin lowers the error of counts.
    pub(crate) fn set_sizes(&mut self, size: usize, shard_size: Option<usize>) {
        self.size = size;
        self.shard_size = match shard_size {
            Some(given) => given.max(size),
            // In key order every shard's first terms suffice.
            None if self.order.is_key() => size,
            None => (size as f64 * 1.5 + 10.0) as usize,
        };
    }
}

impl Default for TermsConfig {
    fn default() -> Self {
        Self {
            size: 10,
            shard_size: 25,
            min_doc_count: 1,
            shard_min_doc_count: 0,
            order: Order::count_desc(),
            counts_repeated: false,
            include: None,
            exclude: None,
            show_error: false,
            breadth_first: None,
            hint: None,
            count_max: u64::MAX,
            merges_in_map: false,
        }
    }
}

/// What a shard collects its terms with: by bytes or by numbers. `waits`: what is below sees documents once buckets are chosen.
pub(crate) fn collector(
    source: Source,
    config: &Arc<TermsConfig>,
    agg: &Agg,
    waits: bool,
    cx: &ShardContext,
) -> Result<Box<dyn Aggregator>> {
    let subs = Subs::new(agg, cx);
    // What is wrong with the choice of terms is found once the fields of all below are, but before that is made.
    if subs.as_ref().err().is_none_or(Error::is_late) {
        let hint = config.hint.as_deref().filter(|_| source.is_bytes());
        let hint = || check_hint(hint, &["map", "global_ordinals"]);
        check_chosen(&source, config, agg).and_then(|()| hint()).map_err(Error::late)?;
    }
    let (subs, is_rare) = (subs?, agg.type_name == "rare_terms");
    let subs = if is_rare { subs.waiting_for_chosen_if(waits) } else { subs.waiting_if(waits) };
    let mut ranking = Ranking::new(config.clone(), agg, cx);
    // Numbers are hashed as they are met, and what is significant is chosen in that order.
    ranking.as_met |= agg.type_name == "significant_terms" && !source.is_bytes();
    if source.is_bytes() {
        return Ok(Box::new(BytesAggregator::new(source, ranking, subs, cx).map_err(Error::late)?));
    }
    Ok(Box::new(NumbersAggregator::new(source, ranking, subs).map_err(Error::late)?))
}

impl Kind for Terms {
    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        let source = self.source.resolve_any(cx, agg.type_name)?;
        let waits = agg.subs.may_fail() && !self.config.order.has_path() && self.defers(cx);
        // What is wrong with what stands below is told before what is wrong with the order.
        let made = collector(source, &self.config, agg, waits, cx)?;
        self.config.order.check(agg, cx).map_err(Error::late).map(|()| made)
    }

    fn empty(&self, _agg: &Agg) -> Partial {
        Partial::Terms(TermsBuckets::empty(self.config.shard_size))
    }

    fn empty_beside(&self, _agg: &Agg, other: Option<&Partial>) -> Partial {
        Partial::Terms(TermsBuckets::empty_beside(self.config.shard_size, other))
    }

    fn reduce(&self, agg: &Agg, parts: Vec<Partial>, cx: &mut ReduceContext) -> Result<Partial> {
        Ok(Partial::Terms(reduce_terms(agg, &self.config, parts, cx)?))
    }

    fn render(&self, agg: &Agg, partial: &Partial, w: &mut Writer, shown: Shown<'_>) -> Result<()> {
        let Partial::Terms(terms) = partial else { return Err(mismatch()) };
        render_terms(agg, terms, self.config.show_error, w, shown)
    }

    fn may_fail(&self) -> bool {
        self.source.is_scripted()
    }

    fn collected(&self) -> Option<Query> {
        let field = self.source.field.as_deref().filter(|_| !self.source.is_scripted() && !self.source.stands_in())?;
        let (kind, name, value) = match &self.config.include {
            Some(Selection::Values(values)) => ("terms", field, Value::Array(values.clone())),
            _ => ("exists", "field", Value::from(field)),
        };
        let (mut inner, mut asked) = (Map::new(), Map::new());
        inner.insert(name, value);
        asked.insert(kind, Value::Object(inner));
        crate::query::parse(&Value::Object(asked), b"").ok()
    }

    fn leads_nowhere(&self, cx: &ShardContext) -> bool {
        self.source.is_unmapped(cx)
    }

    fn defers(&self, cx: &ShardContext) -> bool {
        if self.source.is_unmapped(cx) {
            return false;
        }
        let ords = |field: &str| {
            let columns = cx.snapshot.segments.iter().filter_map(|view| view.segment.field(field)?.ordinals());
            let most = columns.map(|column| column.num_ords() as usize).max();
            // Where no document has a term there are none of them, but their number is known.
            let has_ords = |field: &Field| matches!(field.spec.doc_values, DocValues::Ordinals);
            most.or_else(|| cx.mapping.field(field).is_some_and(has_ords).then_some(0))
        };
        let field = self.source.field.as_deref().filter(|_| !self.source.is_scripted() && !self.config.by_map());
        let more = usize::from(self.source.missing.is_some());
        self.config.defers(field.and_then(ords).map(|ords| ords + more))
    }

    fn typed_name(&self, partial: &Partial) -> &'static str {
        match partial {
            Partial::Terms(TermsBuckets { key_type: KeyType::Long, .. }) => "lterms",
            Partial::Terms(TermsBuckets { key_type: KeyType::Unsigned, .. }) => "ulterms",
            Partial::Terms(TermsBuckets { key_type: KeyType::Double, .. }) => "dterms",
            // Of fields that no index has.
            _ => "sterms",
        }
    }
}

/// Writes the fields of an answer of terms.
pub(crate) fn render_terms(
    agg: &Agg,
    terms: &TermsBuckets,
    show_error: bool,
    w: &mut Writer,
    shown: Shown<'_>,
) -> Result<()> {
    w.key("doc_count_error_upper_bound").i64(terms.error);
    w.key("sum_other_doc_count").u64(terms.other_count);
    w.key("buckets").begin_array();
    for bucket in &terms.buckets {
        w.begin_object();
        terms.format.write_key(&bucket.key, w);
        render_with_error(agg, bucket, show_error, w, shown)?;
        w.end_object();
    }
    w.end_array();
    Ok(())
}

fn render_with_error(agg: &Agg, bucket: &TermBucket, show: bool, w: &mut Writer, shown: Shown<'_>) -> Result<()> {
    if !show {
        return render_bucket(agg, &bucket.bucket, w, shown);
    }
    w.key("doc_count").u64(bucket.bucket.count);
    w.key("doc_count_error_upper_bound").i64(bucket.error);
    super::partial::render_subs(agg, &bucket.bucket, w, shown)
}

pub(super) fn comparable(t: &TermBucket) -> Comparable<'_> {
    Comparable { count: t.bucket.count, key: &t.key, subs: &t.bucket.subs }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_terms_are_all_kept_and_many_go_through_a_queue() {
        let config = TermsConfig { shard_size: 25, ..TermsConfig::default() };
        assert_eq!([20, 57, 126].map(|n| config.selects_by(n, n)), ["select_all", "quick_select", "priority_queue"]);
        let by_key = TermsConfig { order: Order::key_asc(), ..config };
        assert_eq!(by_key.selects_by(1, 1), "priority_queue");
    }
}
