//! By what the reference finds stored queries that may match given documents: the terms and the numbers of these, looked for among what
//! it keeps of each query. Here all stored queries are run; profiles show what would have been asked.

use super::ShardContext;
use crate::error::Result;
use crate::mapping::number::NumberKind;
use crate::mapping::{Family, Field, Indexed};
use crate::murmur3::hash128;
use crate::profile::QueryProfiler;
use crate::score::{Plan, encode_id};
use crate::segment::{NO_MORE_DOCS, Segment, SegmentField};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Every number and address takes up so many bytes; what is left of them is for the name of its field.
const RANGE_BYTES: usize = 16;

/// What documents hold, as it is looked for.
#[derive(Default)]
pub struct Candidates {
    field: String,
    /// The text of each query, and whether it is one for a range.
    queries: BTreeMap<String, bool>,
}

impl Candidates {
    /// `field`: that of the stored queries.
    pub fn of(field: &str, within: &ShardContext) -> Self {
        let mut made = Self { field: field.to_owned(), queries: BTreeMap::new() };
        // A document that is only tried has no number yet, and this id.
        made.add_term("_id", &encode_id("_temp_id"));
        made.add_range("_seq_no", &sortable(-2, 8), &sortable(-2, 8));
        let mut ranges: BTreeMap<String, (Vec<u8>, Vec<u8>)> = BTreeMap::new();
        for view in &within.snapshot.segments {
            made.add_terms(&view.segment, within);
            for (name, lo, hi) in view.segment.fields().filter_map(|field| bounds(field, within)) {
                let (least, most) = ranges.entry(name).or_insert_with(|| (lo.clone(), hi.clone()));
                (*least, *most) = (lo.min(std::mem::take(least)), hi.max(std::mem::take(most)));
            }
        }
        ranges.iter().for_each(|(name, (lo, hi))| made.add_range(name, lo, hi));
        made
    }

    fn add_terms(&mut self, segment: &Segment, within: &ShardContext) {
        for field in segment.fields().filter(|field| has_terms(field, within)) {
            let mut terms = field.terms().map(|terms| terms.iter());
            while let Some((term, _)) = terms.as_mut().and_then(|terms| terms.next()) {
                self.add_term(field.name(), term);
            }
        }
        let recorded =
            segment.fields().filter(|field| field.recorded().is_some() && field.exists().doc() != NO_MORE_DOCS);
        for field in recorded.filter(|field| !field.name().starts_with('_')) {
            self.add_term("_field_names", field.name().as_bytes());
        }
        // Of these the reference only has that they are there.
        for field in segment.fields().filter(|field| field.exists().doc() != NO_MORE_DOCS) {
            match within.mapping.field(field.name()) {
                Some(known) if known.completion().is_some() => self.add_term("_field_names", field.name().as_bytes()),
                Some(known) if known.type_name == "rank_feature" => self.add_term("_feature", field.name().as_bytes()),
                _ => {}
            }
        }
    }

    fn add_term(&mut self, name: &str, term: &[u8]) {
        let key: Vec<u8> = [name.as_bytes(), &[0], term].concat();
        let kept = format!("{}.extracted_terms", self.field).into();
        self.queries.insert(Plan::term(&kept, key).to_string(), false);
    }

    fn add_range(&mut self, name: &str, lo: &[u8], hi: &[u8]) {
        let (first, second) = hash128(name.as_bytes());
        let mut text = format!("{}.range_field:<ranges:[[", self.field);
        for (at, end) in [lo, hi].into_iter().enumerate() {
            let mut bytes = [0; RANGE_BYTES];
            bytes[..8].copy_from_slice(&first.to_be_bytes());
            bytes[8..].copy_from_slice(&second.to_be_bytes());
            let from = RANGE_BYTES.saturating_sub(end.len());
            bytes[from..].copy_from_slice(&end[end.len() - (RANGE_BYTES - from)..]);
            text.push_str(if at == 0 { "" } else { "] TO [" });
            for (place, byte) in bytes.iter().enumerate() {
                // Writing to a text does not fail.
                let _ = write!(text, "{}{byte:x}", if place == 0 { "" } else { " " });
            }
        }
        text.push_str("]]>");
        self.queries.insert(text, true);
    }

    fn covering(&self) -> String {
        let queries: Vec<&str> = self.queries.keys().map(String::as_str).collect();
        let minimum = format!("long({}.minimum_should_match_field)", self.field);
        format!("CoveringQuery(queries=[{}], minimumNumberMatch={minimum})", queries.join(", "))
    }

    /// Queries that nothing is known of, which always have to be run.
    fn unknown(&self) -> String {
        format!("{}.extraction_result:failed", self.field)
    }

    pub fn text(&self) -> String {
        format!("{} {}", self.covering(), self.unknown())
    }

    /// Enters the queries into a profile.
    pub fn enter(&self, profiler: &QueryProfiler) -> Result<()> {
        profiler.enter("CoveringQuery".to_owned(), self.covering(), || {
            self.queries.iter().try_for_each(|(text, is_range)| {
                let type_name = if *is_range { "RangeFieldQuery" } else { "TermQuery" };
                profiler.enter(type_name.to_owned(), text.clone(), || Ok(())).map(drop)
            })
        })?;
        profiler.enter("TermQuery".to_owned(), self.unknown(), || Ok(())).map(drop)
    }
}

/// Whether the reference has terms of the field.
fn has_terms(field: &SegmentField, within: &ShardContext) -> bool {
    match within.mapping.field(field.name()) {
        Some(known) => !matches!(
            known.family(),
            Family::Ip | Family::Percolator | Family::GeoPoint | Family::GeoShape | Family::Range
        ),
        None => true,
    }
}

/// The least and the greatest value of a field whose values are points to the reference, of one dimension each.
fn bounds(field: &SegmentField, within: &ShardContext) -> Option<(String, Vec<u8>, Vec<u8>)> {
    // The number of a document that is only tried is no value of the segment.
    let known = within.mapping.field(field.name()).filter(|known| !known.name.starts_with('_'))?;
    let (lo, hi) = match known.family() {
        Family::Ip => {
            let terms = field.terms().filter(|terms| !terms.is_empty())?;
            (terms.term(0), terms.term(terms.len() - 1))
        }
        _ => {
            let bytes = width(known)?;
            let points = field.points().map(|points| (points.min(), points.max()));
            let ends = points.or_else(|| field.numeric().map(|numbers| (numbers.min(), numbers.max())))?;
            (sortable(ends.0?, bytes), sortable(ends.1?, bytes))
        }
    };
    Some((field.name().to_owned(), lo, hi))
}

/// How many bytes a value of the field takes up; none if it has no such.
fn width(field: &Field) -> Option<usize> {
    if field.spec.indexed != Indexed::Points {
        return None;
    }
    match (field.family(), field.number_kind()) {
        (Family::Date, _) => Some(8),
        (_, Some(NumberKind::Byte | NumberKind::Short | NumberKind::Integer | NumberKind::Float)) => Some(4),
        (_, Some(NumberKind::Long | NumberKind::Double | NumberKind::Scaled(_))) => Some(8),
        (_, Some(NumberKind::HalfFloat)) => Some(2),
        (_, Some(NumberKind::UnsignedLong)) => Some(16),
        _ => None,
    }
}

/// A value as bytes in the order of numbers.
fn sortable(value: i64, bytes: usize) -> Vec<u8> {
    match bytes {
        16 => ((value as u64 ^ 1 << 63) as u128 ^ 1 << 127).to_be_bytes().to_vec(),
        _ => {
            let flipped = value ^ 1i64.checked_shl(bytes as u32 * 8 - 1).unwrap_or(0);
            flipped.to_be_bytes()[8 - bytes..].to_vec()
        }
    }
}
