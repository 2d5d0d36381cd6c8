//! rare_terms: the values that few documents have.

use super::chosen_terms::check_patterns;
use super::composite_parents::check_scores_of_nested;
use super::keys::key_bytes;
use super::kind::{Aggregator, Kind, Subs};
use super::order::Order;
use super::parse::{Agg, ParseContext};
use super::partial::{Key, KeyType, Partial, Shown, TermsBuckets, mismatch, render_bucket};
use super::reduce_context::ReduceContext;
use super::source::SourceConfig;
use super::terms::{TermsConfig, collector};
use super::terms_merge::reduce_terms;
use crate::error::{Error, Result};
use crate::json::{Map, Writer};
use crate::query::{PlanContext, ShardContext};
use ahash::{AHashMap, AHashSet};
use std::sync::Arc;

const COUNT_MAX: i64 = 100;
const COUNT_MAX_DEFAULT: u64 = 1;

#[derive(Debug)]
struct RareTerms {
    source: SourceConfig,
    config: Arc<TermsConfig>,
    max_doc_count: u64,
}

pub(crate) fn parse(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let mut source = SourceConfig::default();
    let mut max_doc_count = COUNT_MAX_DEFAULT;
    // Every term is counted exactly, so all of them come from the shards.
    let mut config =
        TermsConfig { size: usize::MAX, shard_size: usize::MAX, order: Order::key_asc(), ..TermsConfig::default() };
    for entry in &map.entries {
        match entry.key.as_str() {
            "max_doc_count" => {
                let given = cx.number(entry, |node| node.i64())?;
                if given <= 0 {
                    let refusal = format!("[max_doc_count] must be greater than 0. Found [{given}] in [{}]", cx.name);
                    return Err(cx.failed_field(entry, Error::illegal_argument(refusal)));
                }
                if given > COUNT_MAX {
                    let refusal = format!("[max_doc_count] must be smallerthan {COUNT_MAX}in [{}]", cx.name);
                    return Err(cx.failed_field(entry, Error::illegal_argument(refusal)));
                }
                max_doc_count = given as u64;
            }
            // The share of wrong answers that a filter of frequent terms may cause; there is no such filter here.
            "precision" => {
                let given = cx.float(entry)?;
                if !(0.00001..=1.0).contains(&given) {
                    let refusal = "[precision] must be greater than 0.00001";
                    return Err(cx.failed_field(entry, Error::illegal_argument(refusal)));
                }
            }
            "include" | "exclude" => config.set_selection(entry, cx)?,
            _ if source.accept(entry, cx)? => {}
            _ => {
                let own = ["max_doc_count", "precision", "include", "exclude"];
                return Err(cx.unknown_field(entry, &[&own, SourceConfig::FIELDS].concat()));
            }
        }
    }
    source.check()?;
    (config.count_max, config.merges_in_map, config.counts_repeated) = (max_doc_count, true, true);
    Ok(Box::new(RareTerms { source, config: Arc::new(config), max_doc_count }))
}

/// The reference takes unsigned numbers for signed ones here; their text alone is right.
fn signed(key: Key) -> Key {
    match key {
        Key::Unsigned(value) => Key::Long(value as i64),
        key => key,
    }
}

/// What the first shard with such a field takes for rare.
fn first_count_max(parts: &[Partial]) -> Option<u64> {
    parts.iter().find_map(|part| match part {
        Partial::Terms(part) if part.key_type != KeyType::Unmapped => Some(part.count_max),
        _ => None,
    })
}

impl Kind for RareTerms {
    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        let waits = agg.subs.may_fail();
        let source = self.source.resolve_any(cx, agg.type_name)?;
        let derived = self.source.field.as_deref().is_some_and(|name| cx.derived_field(name).is_some());
        let derived = derived && self.source.value_type.is_none();
        if !source.is_bytes() && source.is_mapped() && (derived || !source.is_integral()) {
            let refusal = "RareTerms aggregation does not support floating point fields.";
            let refused = || {
                check_patterns(&source, &self.config, agg).and_then(|()| Err::<(), _>(Error::illegal_argument(refusal)))
            };
            Subs::beside(agg, cx, || refused().map_err(Error::late))?;
        }
        // Made anew, it forgets which terms are rare.
        let config = match agg.is_made_anew(&PlanContext::new(cx)) {
            true => Arc::new(TermsConfig { count_max: COUNT_MAX_DEFAULT, ..(*self.config).clone() }),
            false => self.config.clone(),
        };
        let mapped = source.is_mapped();
        let made = collector(source, &config, agg, waits, cx)?;
        if mapped {
            check_scores_of_nested(agg, "RareTerms")?;
        }
        Ok(made)
    }

    fn empty(&self, _agg: &Agg) -> Partial {
        Partial::Terms(TermsBuckets::empty(usize::MAX))
    }

    fn empty_beside(&self, _agg: &Agg, other: Option<&Partial>) -> Partial {
        Partial::Terms(TermsBuckets::empty_beside(usize::MAX, other))
    }

    fn reduce(&self, agg: &Agg, mut parts: Vec<Partial>, cx: &mut ReduceContext) -> Result<Partial> {
        // Frequent terms do not count as buckets of the answer.
        let mut all = ReduceContext { buckets: 0, buckets_max: u64::MAX, ..*cx };
        // What was frequent before is not rare again among what is left of it.
        let mut frequent: AHashSet<Vec<u8>> = AHashSet::new();
        for part in &parts {
            let Partial::Terms(part) = part else { return Err(mismatch()) };
            frequent.extend(part.frequent.iter().map(key_bytes));
        }
        let count_max = first_count_max(&parts).unwrap_or(self.max_doc_count);
        // Nor is anything wanted of what stands below them.
        let mut counts: AHashMap<Vec<u8>, u64> = AHashMap::new();
        for part in &parts {
            let Partial::Terms(part) = part else { return Err(mismatch()) };
            part.buckets.iter().for_each(|b| *counts.entry(key_bytes(&b.key)).or_default() += b.bucket.count);
        }
        let mut dropped = vec![];
        for part in &mut parts {
            let Partial::Terms(part) = part else { return Err(mismatch()) };
            part.buckets.retain(|b| {
                let bytes = key_bytes(&b.key);
                let is_rare = counts[&bytes] <= count_max && !frequent.contains(&bytes);
                if !is_rare {
                    dropped.push(b.key.clone());
                }
                is_rare
            });
        }
        let mut terms = reduce_terms(agg, &self.config, parts, &mut all)?;
        terms.count_max = count_max;
        terms.frequent.extend(dropped.into_iter().map(signed));
        terms.buckets.iter_mut().for_each(|b| b.key = signed(std::mem::replace(&mut b.key, Key::Long(0))));
        terms.buckets.sort_by(|a, b| a.bucket.count.cmp(&b.bucket.count).then_with(|| a.key.compare(&b.key)));
        cx.add_buckets(terms.buckets.len())?;
        Ok(Partial::Terms(terms))
    }

    fn render(&self, agg: &Agg, partial: &Partial, w: &mut Writer, shown: Shown<'_>) -> Result<()> {
        let Partial::Terms(terms) = partial else { return Err(mismatch()) };
        w.key("buckets").begin_array();
        for bucket in &terms.buckets {
            w.begin_object();
            match &bucket.key {
                Key::Long(value) if terms.format.is_unsigned() => {
                    w.key("key").i64(*value).key("key_as_string").string(&(*value as u64).to_string());
                }
                key => terms.format.write_key(key, w),
            }
            render_bucket(agg, &bucket.bucket, w, shown)?;
            w.end_object();
        }
        w.end_array();
        Ok(())
    }

    fn defers(&self, cx: &ShardContext) -> bool {
        !self.source.is_unmapped(cx)
    }

    fn typed_name(&self, partial: &Partial) -> &'static str {
        match partial {
            Partial::Terms(TermsBuckets { key_type: KeyType::Bytes, .. }) => "srareterms",
            Partial::Terms(TermsBuckets { key_type: KeyType::Long | KeyType::Unsigned | KeyType::Double, .. }) => {
                "lrareterms"
            }
            // Of fields that no index has.
            _ => "sterms",
        }
    }
}
