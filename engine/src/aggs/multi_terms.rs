//! multi_terms: a bucket per combination of values of several sources.

use super::format::Format;
use super::keys::{KeyBytes, KeySource, for_each_combination};
use super::kind::{Aggregator, Built, Kind, Owners, Subs, check_shard_buckets};
use super::order::Order;
use super::parse::{Agg, ParseContext};
use super::partial::{Key, KeyType, Partial, Shown, TermsBuckets, mismatch};
use super::profile::Details;
use super::ranking::{KeyForm, Ranking, Table};
use super::reduce_context::ReduceContext;
use super::source::SourceConfig;
use super::terms::{TermsConfig, parse_collect_mode, render_terms};
use super::terms_merge::reduce_terms;
use super::weighted_avg::parse_source_object;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Entry, Map, Value, Writer};
use crate::pace::Pace;
use crate::query::ShardContext;
use crate::query::declared::Declared;
use crate::segment::SegmentView;
use ahash::AHashMap;
use std::cmp::Ordering;
use std::collections::hash_map;
use std::sync::Arc;

/// Sources of one aggregation.
const SOURCES_MAX: usize = 64;

#[derive(Debug)]
struct MultiTerms {
    sources: Vec<SourceConfig>,
    config: Arc<TermsConfig>,
}

const FIELDS: &[&str] = &[
    "terms",
    "size",
    "shard_size",
    "min_doc_count",
    "shard_min_doc_count",
    "order",
    "show_term_doc_count_error",
    "collect_mode",
];

pub(crate) fn parse(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let mut config = TermsConfig::default();
    let (mut sources, mut size, mut shard_size) = (vec![], 10, None);
    for entry in &map.entries {
        match entry.key.as_str() {
            "terms" => sources = parse_sources(entry, cx)?,
            "size" => size = cx.positive(entry)?,
            "shard_size" => shard_size = Some(cx.positive_as(entry, "shardSize")?),
            "min_doc_count" => config.min_doc_count = cx.not_negative_long_as(entry, "minDocCount")?,
            "shard_min_doc_count" => config.shard_min_doc_count = cx.not_negative_long_as(entry, "shardMinDocCount")?,
            "order" => config.order = Order::parse(entry, cx)?,
            "show_term_doc_count_error" => config.show_error = cx.bool(entry)?,
            "collect_mode" => config.breadth_first = Some(parse_collect_mode(entry, cx)?),
            _ => return Err(cx.unknown_field(entry, FIELDS)),
        }
    }
    config.set_sizes(size, shard_size);
    Ok(Box::new(MultiTerms { sources, config: Arc::new(config) }))
}

const FIELD_CONFIG: Declared = Declared { name: "field_config", fields: &[] };

fn parse_sources(entry: &Entry, cx: &ParseContext<'_>) -> Result<Vec<SourceConfig>> {
    let (Value::Array(_) | Value::Object(_)) = &entry.value else { return Err(cx.wrong_type(entry)) };
    let sources = cx.inside(entry, "field_config", |inner| {
        cx.list(entry, |item| {
            FIELD_CONFIG.check_next_object(item)?;
            let source = item.object().map(|map| parse_source_object(map, inner, SourceConfig::FIELDS));
            source.transpose().map_err(|error| error.at(item.end_pos()))
        })
    })?;
    let sources: Vec<SourceConfig> = sources.into_iter().flatten().collect();
    if sources.len() < 2 {
        let hint = if sources.is_empty() { "" } else { " Use terms aggregation for single term aggregation" };
        let (found, name) = (sources.len(), cx.name);
        let refusal = format!("multi term aggregation must has at least 2 terms. Found [{found}] in [{name}]{hint}");
        return Err(cx.failed_at_end(entry, Error::illegal_argument(refusal)));
    }
    if sources.len() > SOURCES_MAX {
        return Err(cx.failed_field(entry, Error::illegal_argument(format!("more than [{SOURCES_MAX}] terms"))));
    }
    Ok(sources)
}

/// What each shard says where the request has no sources.
const NO_TERMS: &str = r#"Cannot invoke "java.util.List.stream()" because "multiTermConfigs" is null"#;

impl Kind for MultiTerms {
    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        let resolve = |source: &SourceConfig| Ok(KeySource::new(source.resolve_any(cx, agg.type_name)?));
        let (subs, sources) = Subs::beside(agg, cx, || match self.sources.is_empty() {
            true => Err(Error::new(ErrorKind::NullPointer, NO_TERMS)),
            false => self.sources.iter().map(resolve).collect::<Result<Vec<_>>>(),
        })?;
        self.config.order.check(agg, cx).map_err(Error::late)?;
        let formats: Arc<[Format]> = sources.iter().map(|s| s.source.format().clone()).collect();
        Ok(Box::new(MultiTermsAggregator {
            lists: vec![vec![]; sources.len()],
            sources,
            format: Format::Many(formats),
            ranking: Ranking::new(self.config.clone(), agg, cx),
            subs: subs.waiting_if(
                agg.subs.may_fail() && !self.config.order.has_path() && self.config.breadth_first == Some(true),
            ),
            codes: AHashMap::new(),
            numbers: AHashMap::new(),
            table: Buckets::default(),
            wanted: AHashMap::new(),
            key_bytes: KeyBytes::default(),
        }))
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

    fn multiplies(&self) -> bool {
        true
    }

    fn defers(&self, _cx: &ShardContext) -> bool {
        self.config.breadth_first == Some(true)
    }

    fn typed_name(&self, _partial: &Partial) -> &'static str {
        "multi_terms"
    }
}

/// Owner, key and count of every bucket.
#[derive(Default)]
struct Buckets(Vec<(u32, Key, u64)>);

impl Table for Buckets {
    fn count(&self, number: u32) -> u64 {
        self.0[number as usize].2
    }

    fn compare_keys(&self, a: u32, b: u32) -> Ordering {
        self.0[a as usize].1.compare(&self.0[b as usize].1)
    }

    fn key(&self, number: u32) -> Key {
        self.0[number as usize].1.clone()
    }
}

struct MultiTermsAggregator {
    sources: Vec<KeySource>,
    format: Format,
    ranking: Ranking,
    subs: Subs,
    /// Buckets by owner and the codes of the current segment.
    codes: AHashMap<(u32, Box<[i64]>), u32>,
    /// Buckets by owner and key, over all segments.
    numbers: AHashMap<(u32, Vec<u8>), u32>,
    table: Buckets,
    lists: Vec<Vec<i64>>,
    /// Keys that are answered even without documents, by their bytes.
    wanted: AHashMap<Vec<u8>, Key>,
    /// Those of the keys of all buckets.
    key_bytes: KeyBytes,
}

impl MultiTermsAggregator {
    /// Notes the combinations of all documents of the segment: they are answered even where none matches.
    fn note_all(&mut self, docs: u32) -> Result<()> {
        for doc in 0..docs {
            for (source, list) in self.sources.iter_mut().zip(&mut self.lists) {
                source.codes(doc, list)?;
            }
            let (sources, wanted, held) = (&self.sources, &mut self.wanted, &mut self.key_bytes);
            for_each_combination(&self.lists, |combination| {
                let key = Key::Many(sources.iter().zip(combination).map(|(s, code)| s.key(*code)).collect());
                check_shard_buckets(wanted.len())?;
                if let hash_map::Entry::Vacant(place) = wanted.entry(super::keys::key_bytes(&key)) {
                    held.hold(key.parts())?;
                    place.insert(key);
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    fn add_wanted(&mut self, owners: &[u32]) -> Result<()> {
        for (bytes, key) in std::mem::take(&mut self.wanted) {
            for owner in owners {
                let next = self.table.0.len() as u32;
                if *self.numbers.entry((*owner, bytes.clone())).or_insert(next) == next {
                    check_shard_buckets(self.table.0.len())?;
                    self.key_bytes.hold(key.parts())?;
                    self.table.0.push((*owner, key.clone(), 0));
                }
            }
        }
        Ok(())
    }
}

impl Aggregator for MultiTermsAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.codes.clear();
        self.sources.iter_mut().for_each(|s| s.enter_segment(view));
        if self.ranking.config.min_doc_count == 0 {
            self.note_all(view.max_doc())?;
        }
        self.subs.enter_segment(view)
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        for (i, &doc) in docs.iter().enumerate() {
            let owner = owners.of(i);
            for (source, list) in self.sources.iter_mut().zip(&mut self.lists) {
                source.codes(doc, list)?;
            }
            let (sources, codes, numbers) = (&self.sources, &mut self.codes, &mut self.numbers);
            let (table, subs, held) = (&mut self.table.0, &mut self.subs, &mut self.key_bytes);
            for_each_combination(&self.lists, |combination| {
                let known = codes.get(&(owner, combination) as &dyn OwnedBy).copied();
                let bucket = match known {
                    Some(bucket) => bucket,
                    None => {
                        let parts = sources.iter().zip(combination).map(|(s, code)| s.key(*code)).collect();
                        let key = Key::Many(parts);
                        let next = table.len() as u32;
                        let bucket = *numbers.entry((owner, super::keys::key_bytes(&key))).or_insert(next);
                        if bucket == next {
                            check_shard_buckets(table.len())?;
                            held.hold(key.parts())?;
                            table.push((owner, key, 0));
                        }
                        codes.insert((owner, combination.into()), bucket);
                        bucket
                    }
                };
                table[bucket as usize].2 += 1;
                subs.push(doc, bucket)
            })?;
        }
        Ok(())
    }

    fn leave_segment(&mut self) -> Result<()> {
        self.subs.leave_segment()
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            self.add_wanted(owners)?;
            let mut by_owner: AHashMap<u32, Vec<u32>> = AHashMap::new();
            for (number, (owner, _, _)) in self.table.0.iter().enumerate() {
                by_owner.entry(*owner).or_default().push(number as u32);
            }
            let lists = owners.iter().map(|o| by_owner.remove(o).unwrap_or_default()).collect();
            self.ranking
                .build(
                    &self.table,
                    lists,
                    0,
                    &mut self.subs,
                    KeyForm { format: &self.format, key_type: KeyType::Many },
                    pace,
                )
                .await
        })
    }

    fn subs(&self) -> Option<&Subs> {
        Some(&self.subs)
    }

    fn details(&self) -> Details {
        Details { defers: self.ranking.config.breadth_first == Some(true), ..Details::default() }
    }
}

/// Lets a map with owned keys be asked with borrowed ones.
trait OwnedBy {
    fn parts(&self) -> (u32, &[i64]);
}

impl OwnedBy for (u32, Box<[i64]>) {
    fn parts(&self) -> (u32, &[i64]) {
        (self.0, &self.1)
    }
}

impl OwnedBy for (u32, &[i64]) {
    fn parts(&self) -> (u32, &[i64]) {
        (self.0, self.1)
    }
}

impl PartialEq for dyn OwnedBy + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }
}

impl Eq for dyn OwnedBy + '_ {}

impl std::hash::Hash for dyn OwnedBy + '_ {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.parts().hash(state);
    }
}

impl<'a> std::borrow::Borrow<dyn OwnedBy + 'a> for (u32, Box<[i64]>) {
    fn borrow(&self) -> &(dyn OwnedBy + 'a) {
        self
    }
}
