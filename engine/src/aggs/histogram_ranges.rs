//! What both histograms do with fields whose values are ranges: a document falls into every bucket that one of its ranges touches.

use super::accepted::{check_formatted, check_type};
use super::bucket_table::BucketTable;
use super::format::Format;
use super::histogram_collect::Collected;
use super::histogram_collect::Rounder;
use super::kind::{Aggregator, Built, Owners, SHARD_BUCKETS_MAX, Subs, check_shard_buckets};
use super::profile::Details;
use super::source_config::{SourceConfig, nothing_stands_in_for_ranges};
use crate::error::{Error, Result};
use crate::json::Value;
use crate::mapping::{Family, FieldId, Mapping};
use crate::pace::Pace;
use crate::query::ShardContext;
use crate::segment::{OrdinalColumn, SegmentView};
use ahash::AHashMap;
use std::sync::Arc;

/// The ranges of a field on a shard.
pub(crate) struct Ranges {
    mapping: Arc<Mapping>,
    field: FieldId,
    pub(crate) format: Format,
}

impl Ranges {
    /// Those of the field that `source` names; none if its values are no ranges.
    pub(crate) fn resolve(source: &SourceConfig, cx: &ShardContext) -> Result<Option<Self>> {
        let named = source.field.as_deref().and_then(|name| cx.mapping.field(name));
        let Some(field) = named.filter(|field| field.family() == Family::Range) else {
            return Ok(None);
        };
        // A script has to be one, and has nothing to do.
        source.check_script(cx)?;
        field.check_aggregatable()?;
        if source.format.is_some() {
            check_formatted(field)?;
        }
        check_type(field, source.value_type.as_deref())?;
        if source.missing.is_some() {
            return Err(nothing_stands_in_for_ranges());
        }
        let format = Format::Field(field.range_format(source.format.as_deref(), source.time_zone.as_deref())?);
        Ok(Some(Self { mapping: cx.mapping.clone(), field: field.id, format }))
    }

    /// Refuses ranges of something else, which shows once what stands below is made.
    pub(crate) fn check_type(&self, dates: bool) -> Result<()> {
        let type_name = self.mapping.by_id(self.field).type_name;
        let reason = match (dates, type_name) {
            (true, "date_range") => return Ok(()),
            (true, _) => format!("Expected date range type but found range type [{type_name}]"),
            (false, "ip_range") => format!("Expected numeric range type but found non-numeric range [{type_name}]"),
            _ => return Ok(()),
        };
        Err(Error::illegal_argument(reason).late())
    }
}

pub(crate) struct RangesAggregator {
    ranges: Ranges,
    rounder: Rounder,
    bounds: Option<(f64, f64)>,
    subs: Subs,
    column: Option<OrdinalColumn>,
    keys: Vec<f64>,
    numbers: AHashMap<u64, u32>,
    buckets: BucketTable,
    counts: Vec<u64>,
    ords: Vec<u32>,
}

impl RangesAggregator {
    pub(crate) fn new(ranges: Ranges, rounder: Rounder, subs: Subs, bounds: Option<(f64, f64)>) -> Self {
        Self {
            ranges,
            rounder,
            bounds,
            subs,
            column: None,
            keys: vec![],
            numbers: AHashMap::new(),
            buckets: BucketTable::default(),
            counts: vec![],
            ords: vec![],
        }
    }

    fn add(&mut self, doc: u32, owner: u32, key: f64) -> Result<()> {
        let next = self.keys.len() as u32;
        let number = *self.numbers.entry(key.to_bits()).or_insert(next);
        if number == next {
            check_shard_buckets(self.keys.len())?;
            self.keys.push(key);
        }
        let bucket = self.buckets.bucket(owner, number)?;
        if bucket as usize >= self.counts.len() {
            self.counts.resize((bucket as usize + 1).next_power_of_two(), 0);
        }
        self.counts[bucket as usize] += 1;
        self.subs.push(doc, bucket)
    }

    /// The ranges of a document, ascending.
    fn ends(&mut self, doc: u32) -> Vec<(f64, f64)> {
        let (Some(column), ranges) = (&self.column, &self.ranges) else { return vec![] };
        column.ords(doc, &mut self.ords);
        let field = ranges.mapping.by_id(ranges.field);
        self.ords.iter().filter_map(|ord| field.range_ends(&column.term(*ord))).collect()
    }

    fn add_doc(&mut self, doc: u32, owner: u32) -> Result<()> {
        let mut last = f64::NEG_INFINITY;
        for (from, to) in self.ends(doc) {
            let Some((first, until, steps)) = self.rounder.span(from, to) else { continue };
            // Told beforehand: counting buckets one by one up to the limit would take long.
            if steps > SHARD_BUCKETS_MAX as f64 {
                check_shard_buckets(usize::MAX)?;
            }
            let mut key = first;
            while key <= until {
                if key > last {
                    self.add(doc, owner, key)?;
                    last = key;
                }
                let next = self.rounder.next(key);
                if next <= key {
                    break;
                }
                key = next;
            }
        }
        Ok(())
    }
}

impl Aggregator for RangesAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        let name = &self.ranges.mapping.by_id(self.ranges.field).name;
        self.column = view.segment.field(name).and_then(|field| field.ordinals()).cloned();
        self.subs.enter_segment(view)
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        docs.iter().enumerate().try_for_each(|(i, doc)| self.add_doc(*doc, owners.of(i)))
    }

    fn leave_segment(&mut self) -> Result<()> {
        self.subs.leave_segment()
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            let collected = Collected { buckets: &self.buckets, keys: &self.keys, counts: &self.counts };
            collected.build(owners, &mut self.subs, &self.ranges.format, self.bounds, pace).await
        })
    }

    fn subs(&self) -> Option<&Subs> {
        Some(&self.subs)
    }

    fn details(&self) -> Details {
        let debug = vec![("total_buckets", Value::UInt(self.keys.len() as u64))];
        let class = match self.rounder {
            Rounder::Date(_) => "DateRangeHistogramAggregator",
            _ => "RangeHistogramAggregator",
        };
        Details { class: Some(class), debug, shows_optimized: false, defers: false }
    }
}
