//! geo_distance: a bucket per range of distances from one place.

use super::filters::{build_fixed, reduce_fixed};
use super::format::Format;
use super::kind::{Aggregator, Built, Kind, Owners, Subs, check_shard_buckets};
use super::parse::{Agg, Level, ParseContext};
use super::partial::{FixedBuckets, Partial, Shown, empty_beside, mismatch, of_nothing, render_bucket};
use super::places::{Places, PlacesConfig};
use super::profile::UNMAPPED_RANGES;
use super::reduce_context::ReduceContext;
use crate::error::{Error, ErrorKind, Result};
use crate::geo::{DistanceUnit, Point, arc_distance, decode_point, plane_distance, read_point};
use crate::json::{Entry, Map, Value, Writer, line_col};
use crate::mapping::number::java_f64;
use crate::pace::Pace;
use crate::query::{Node, ShardContext, Source, read_distance_type};
use crate::segment::SegmentView;
use std::sync::Arc;

#[derive(Debug)]
struct GeoDistance {
    places: PlacesConfig,
    origin: Point,
    measure: Measure,
    keys: Vec<Option<String>>,
    /// In the unit asked for; `from` is inclusive, `to` exclusive.
    bounds: Vec<(Option<f64>, Option<f64>)>,
    keyed: bool,
}

#[derive(Clone, Copy, Debug)]
struct Measure {
    unit: DistanceUnit,
    plane: bool,
}

pub(crate) fn parse(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let mut places = PlacesConfig::default();
    let (mut origin, mut keyed) = (None, false);
    let mut measure = Measure { unit: DistanceUnit::METERS, plane: false };
    let (mut keys, mut bounds) = (vec![], vec![]);
    for entry in &map.entries {
        match (entry.key.as_str(), &entry.value) {
            ("origin" | "center" | "point" | "por", Value::String(_) | Value::Array(_) | Value::Object(_)) => {
                if entry.key != "origin" {
                    cx.note_renamed(entry, "origin");
                }
                origin = Some(read_origin(entry, cx.body).map_err(|cause| {
                    let failed = cx.failed_inside(entry, cause.clone());
                    match cause.kind() {
                        ErrorKind::Parse | ErrorKind::Parsing => failed.with_root_causes(vec![cause]),
                        _ => failed,
                    }
                })?);
            }
            ("unit", _) => {
                measure.unit = DistanceUnit::parse(&cx.text(entry)?).map_err(|cause| cx.failed_field(entry, cause))?;
            }
            ("distance_type", _) => {
                measure.plane = read_distance_type(&cx.text(entry)?).map_err(|cause| cx.failed_field(entry, cause))?;
            }
            ("keyed", _) => keyed = cx.bool(entry)?,
            ("ranges", Value::Array(_) | Value::Object(_)) => {
                let checked = cx.list(entry, |range| match range.value {
                    Value::Object(bounds) => check_numbers(bounds, range.end_pos()),
                    _ => {
                        let (pos, token) = range.after();
                        Err(range.error_at(pos, format!("Failed to parse object: unexpected token [{token}] found")))
                    }
                });
                checked.map_err(|cause| cx.failed_inside(entry, cause))?;
                for range in entry.value.as_array().unwrap_or(std::slice::from_ref(&entry.value)) {
                    let (key, from, to) = parse_range(range, entry, cx)?;
                    keys.push(key);
                    bounds.push((Some(from.unwrap_or(0.0)), to));
                }
            }
            ("origin" | "center" | "point" | "por" | "ranges", _) => return Err(cx.wrong_type(entry)),
            _ if places.accept(entry, cx)? => {}
            _ => {
                let own = ["origin", "unit", "distance_type", "keyed", "ranges"];
                return Err(cx.unknown_field(entry, &[&own, PlacesConfig::FIELDS].concat()));
            }
        }
    }
    places.check(true)?;
    let Some(origin) = origin else {
        return Err(Error::illegal_argument(format!("Aggregation [{}] must define an [origin].", cx.name)));
    };
    Ok(Box::new(GeoDistance { places, origin, measure, keys, bounds, keyed }))
}

/// Where distances are measured from: a text in any form, a list of the longitude and the latitude, or an object that has both. A
/// list without either is no place at all.
fn read_origin(entry: &Entry, body: &[u8]) -> Result<Point> {
    let source = Source::new(body);
    let node = Node::of_entry(entry, &source);
    match &entry.value {
        Value::Array(_) => {
            let (mut at, mut read) = ([f64::NAN; 2], 0);
            for item in node.items() {
                let Some(place) = at.get_mut(read) else {
                    let reason = format!("malformed [{}]: a geo point array must be of the form [lon, lat]", entry.key);
                    return Err(item.error(reason));
                };
                *place = item.f64()?;
                read += 1;
            }
            Ok(Point { lat: at[1], lon: at[0] })
        }
        Value::Object(map) => {
            let number =
                |name: &str| map.get(name).filter(|value| value.token() == "VALUE_NUMBER").and_then(Value::as_f64);
            match (number("lat"), number("lon")) {
                (Some(lat), Some(lon)) => Ok(Point { lat, lon }),
                _ => {
                    let last = map.iter().last().map_or("null", |(key, _)| key);
                    let what = "geo point object. either [lat] or [lon] (or both) are missing";
                    Err(node.error_at_end(format!("malformed [{last}] {what}")))
                }
            }
        }
        value => read_point(value, true),
    }
}

/// Texts are read as numbers when all of a range has been read, up to `end`.
fn check_numbers(bounds: &Map, end: u32) -> Result<()> {
    for name in ["from", "to"] {
        let Some(Value::String(text)) = bounds.get(name) else { continue };
        if text.trim().parse::<f64>().is_err() {
            let shown = if text.trim().is_empty() {
                "empty String".to_owned()
            } else {
                format!("For input string: \"{text}\"")
            };
            return Err(Error::new(ErrorKind::NumberFormat, shown).at(end));
        }
    }
    Ok(())
}

type GivenRange = (Option<String>, Option<f64>, Option<f64>);

fn parse_range(value: &Value, ranges: &Entry, cx: &ParseContext<'_>) -> Result<GivenRange> {
    let Value::Object(map) = value else { return Err(cx.wrong_type(ranges)) };
    let (mut key, mut from, mut to) = (None, None, None);
    for entry in &map.entries {
        match (entry.key.as_str(), &entry.value) {
            ("from" | "to" | "key", Value::Null) => {}
            ("key", Value::String(text)) => key = Some(text.clone()),
            ("from", Value::String(_)) => from = Some(cx.float(entry)?),
            ("to", Value::String(_)) => to = Some(cx.float(entry)?),
            ("from", value) if value.as_f64().is_some() => from = Some(cx.float(entry)?),
            ("to", value) if value.as_f64().is_some() => to = Some(cx.float(entry)?),
            (name, value) => {
                let what = match value {
                    Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
                        format!("unexpected token [{}]", value.token())
                    }
                    _ => format!("unknown field [{name}]"),
                };
                let (line, col) = line_col(cx.body, entry.value_pos);
                let reason = format!("Failed to parse object: {what} found");
                let cause = Error::new(ErrorKind::Parsing, reason).with("line", line).with("col", col);
                let range = Entry {
                    key: ranges.key.clone(),
                    key_pos: entry.key_pos,
                    value: Value::Null,
                    value_pos: entry.value_pos,
                };
                return Err(cx.failed_field(&range, cause.clone()).with_root_causes(vec![cause]));
            }
        }
    }
    Ok((key, from, to))
}

impl GeoDistance {
    fn key(&self, i: usize) -> String {
        self.keys[i].clone().unwrap_or_else(|| {
            let (from, to) = self.bounds[i];
            let show = |bound: Option<f64>| bound.map_or("*".to_owned(), java_f64);
            format!("{}-{}", show(from.filter(|from| *from != 0.0)), show(to))
        })
    }
}

impl Kind for GeoDistance {
    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        if self.bounds.is_empty() {
            return Err(Error::illegal_argument(format!("No [ranges] specified for the [{}] aggregation", agg.name)));
        }
        ReduceContext::check_asked(self.bounds.len(), cx)?;
        Ok(Box::new(DistanceAggregator {
            places: self.places.resolve(cx, agg.type_name, false)?,
            origin: self.origin,
            measure: self.measure,
            bounds: self.bounds.clone(),
            ranges: Ranges::new(&self.bounds),
            found: vec![],
            subs: Subs::new(agg, cx)?,
            nothing: self.places.is_unmapped(cx).then(|| agg.subs.clone()),
            counts: vec![],
            points: vec![],
            distances: vec![],
        }))
    }

    fn empty(&self, agg: &Agg) -> Partial {
        self.empty_beside(agg, None)
    }

    fn empty_beside(&self, agg: &Agg, other: Option<&Partial>) -> Partial {
        let empty = empty_beside(&agg.subs, other.and_then(Partial::first_bucket));
        let buckets = (0..self.bounds.len()).map(|i| (i, empty.clone())).collect();
        Partial::Fixed(FixedBuckets { buckets, format: Format::Raw, bounds: self.bounds.clone() })
    }

    fn reduce(&self, agg: &Agg, parts: Vec<Partial>, cx: &mut ReduceContext) -> Result<Partial> {
        Ok(Partial::Fixed(reduce_fixed(agg, parts, self.bounds.len(), cx)?))
    }

    fn render(&self, agg: &Agg, partial: &Partial, w: &mut Writer, shown: Shown<'_>) -> Result<()> {
        let Partial::Fixed(fixed) = partial else { return Err(mismatch()) };
        w.key("buckets");
        let _ = if self.keyed { w.begin_object() } else { w.begin_array() };
        for (i, bucket) in fixed.shown() {
            let key = self.key(i);
            if self.keyed {
                w.key(&key).begin_object();
            } else {
                w.begin_object().key("key").string(&key);
            }
            for (name, bound) in [("from", self.bounds[i].0), ("to", self.bounds[i].1)] {
                if let Some(bound) = bound {
                    w.key(name).f64(bound);
                }
            }
            render_bucket(agg, bucket, w, shown)?;
            w.end_object();
        }
        let _ = if self.keyed { w.end_object() } else { w.end_array() };
        Ok(())
    }

    fn leads_nowhere(&self, cx: &ShardContext) -> bool {
        self.places.is_unmapped(cx)
    }

    fn class(&self, cx: &ShardContext) -> Option<&'static str> {
        self.places.is_unmapped(cx).then_some(UNMAPPED_RANGES)
    }

    fn typed_name(&self, _partial: &Partial) -> &'static str {
        "geo_distance"
    }

    fn collects_many(&self) -> bool {
        self.bounds.len() > 1
    }

    fn bucket_key(&self, partial: &Partial, i: usize) -> String {
        let Partial::Fixed(fixed) = partial else { return String::new() };
        self.key(fixed.buckets[i].0)
    }
}

/// Ranges as the reference looks for distances in them: as if they stood in order, though it leaves them as they are given. Where
/// they do not, some are passed over.
struct Ranges {
    bounds: Vec<(f64, f64)>,
    /// The greatest end of each range and those before it.
    ends: Vec<f64>,
}

impl Ranges {
    fn new(bounds: &[(Option<f64>, Option<f64>)]) -> Self {
        let bounds: Vec<(f64, f64)> =
            bounds.iter().map(|(from, to)| (from.unwrap_or(f64::NEG_INFINITY), to.unwrap_or(f64::INFINITY))).collect();
        let mut greatest = f64::NEG_INFINITY;
        let ends = bounds.iter().map(|(_, to)| {
            greatest = greatest.max(*to);
            greatest
        });
        Self { ends: ends.collect(), bounds }
    }

    /// Adds the ranges from `low` on that are found to hold `value`; from which on the next greater value is looked for.
    fn find(&self, value: f64, low: usize, found: &mut Vec<usize>) -> usize {
        let (mut least, mut beyond) = (low, self.bounds.len());
        let mut middle = low;
        while least < beyond {
            middle = least + (beyond - 1 - least) / 2;
            if value < self.bounds[middle].0 {
                beyond = middle;
            } else if value >= self.ends[middle] {
                least = middle + 1;
            } else {
                break;
            }
        }
        if least >= beyond {
            return least;
        }
        let first = least + self.ends[least..=middle].partition_point(|end| value >= *end);
        let (mut after, mut end) = (middle, beyond);
        while after < end {
            let middle = after + (end - 1 - after) / 2;
            if value < self.bounds[middle].0 { end = middle } else { after = middle + 1 }
        }
        found.extend((first..after).filter(|at| value >= self.bounds[*at].0 && value < self.bounds[*at].1));
        after
    }
}

struct DistanceAggregator {
    places: Places,
    origin: Point,
    measure: Measure,
    bounds: Vec<(Option<f64>, Option<f64>)>,
    ranges: Ranges,
    /// The ranges that a document lies in.
    found: Vec<usize>,
    subs: Subs,
    /// What stands below where no mapping knows the field.
    nothing: Option<Arc<Level>>,
    counts: Vec<u64>,
    points: Vec<i64>,
    distances: Vec<f64>,
}

impl Aggregator for DistanceAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.places.enter_segment(view);
        self.subs.enter_segment(view)
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if self.places.is_absent() {
            return Ok(());
        }
        let Measure { unit, plane } = self.measure;
        let measure = if plane { plane_distance } else { arc_distance };
        for (i, &doc) in docs.iter().enumerate() {
            self.places.points(doc, &mut self.points);
            self.distances.clear();
            self.distances.extend(self.points.iter().map(|p| measure(self.origin, decode_point(*p)) / unit.meters));
            let first = owners.of(i) as usize * self.bounds.len();
            if first + self.bounds.len() > self.counts.len() {
                check_shard_buckets(first + self.bounds.len())?;
                self.counts.resize(first + self.bounds.len(), 0);
            }
            // A document counts once per range, however many of its places lie in it.
            self.distances.sort_by(f64::total_cmp);
            self.found.clear();
            let mut low = 0;
            for distance in &self.distances {
                low = self.ranges.find(*distance, low, &mut self.found);
            }
            for at in &self.found {
                self.counts[first + at] += 1;
                self.subs.push(doc, (first + at) as u32)?;
            }
        }
        Ok(())
    }

    fn leave_segment(&mut self) -> Result<()> {
        self.subs.leave_segment()
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            if self.nothing.is_some() {
                self.subs.find_nothing();
            }
            let (count, bounds) = (self.bounds.len(), &self.bounds);
            let built = build_fixed(&mut self.subs, &self.counts, owners, count, &Format::Raw, bounds, pace).await?;
            Ok(match &self.nothing {
                Some(below) => of_nothing(below, built),
                None => built,
            })
        })
    }

    fn subs(&self) -> Option<&Subs> {
        Some(&self.subs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_looked_for_as_if_they_stood_in_order() {
        let found = |bounds: &[(Option<f64>, Option<f64>)], values: &[f64]| {
            let (ranges, mut found, mut low) = (Ranges::new(bounds), vec![], 0);
            values.iter().for_each(|value| low = ranges.find(*value, low, &mut found));
            found
        };
        let ordered = [(Some(0.0), Some(5.0)), (Some(3.0), None), (Some(4.0), Some(9.0))];
        assert_eq!(found(&ordered, &[4.5]), [0, 1, 2]);
        assert_eq!(found(&ordered, &[1.0, 2.0, 3.5]), [0, 1]);
        assert_eq!(found(&ordered, &[-1.0]), [0; 0]);
        // The second is not found: what begins later stands before it.
        let mixed = [(Some(50.0), None), (Some(0.0), Some(30.0))];
        assert_eq!(found(&mixed, &[60.0]), [0]);
        assert_eq!(found(&mixed, &[10.0]), [0; 0]);
    }
}
