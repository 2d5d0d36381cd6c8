//! ip_range: a bucket per range of addresses, by bounds or by mask.

use super::filters::{build_fixed, reduce_fixed};
use super::format::Format;
use super::kind::{Aggregator, Built, Kind, Owners, Subs, check_shard_buckets};
use super::parse::{Agg, ParseContext};
use super::partial::{FixedBuckets, Partial, Shown, empty_bucket, mismatch, render_bucket};
use super::reduce_context::ReduceContext;
use super::source::{Source, SourceConfig};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Map, Value, Writer};
use crate::mapping::{check_block, format_ip, parse_ip};
use crate::pace::Pace;
use crate::query::{Node, ShardContext};
use crate::segment::SegmentView;

#[derive(Debug)]
struct IpRanges {
    source: SourceConfig,
    /// In the order of the answer.
    ranges: Vec<Range>,
    keyed: bool,
}

/// `from` inclusive, `to` exclusive; addresses are of 16 bytes, whose order is theirs.
#[derive(Debug)]
struct Range {
    key: String,
    from: Option<u128>,
    to: Option<u128>,
}

pub(crate) fn parse(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let mut kind = IpRanges { source: SourceConfig::default(), ranges: vec![], keyed: false };
    for entry in &map.entries {
        match (entry.key.as_str(), &entry.value) {
            ("keyed", _) => kind.keyed = cx.bool(entry)?,
            ("ranges", Value::Array(ranges)) => {
                let source = crate::query::Source::new(cx.body);
                for (i, range) in Node::of_entry(entry, &source).items().enumerate() {
                    let range = parse_range(range, cx).map_err(|cause| match ranges[i] {
                        Value::Object(_) if cause.place().is_none() => cx.failed_item(entry, i, cause),
                        _ => cx.failed_inside(entry, cause),
                    })?;
                    kind.ranges.push(range);
                }
            }
            ("ranges", Value::Object(_)) => {
                let source = crate::query::Source::new(cx.body);
                let range = parse_range(Node::of_entry(entry, &source), cx);
                kind.ranges.push(range.map_err(|cause| cx.failed_inside(entry, cause))?);
            }
            ("ranges", _) => return Err(cx.wrong_type(entry)),
            _ if kind.source.accept(entry, cx)? => {}
            _ => return Err(cx.unknown_field(entry, &[&["ranges", "keyed"], SourceConfig::FIELDS].concat())),
        }
    }
    if kind.source.field.is_none() && kind.source.script.is_none() {
        return Err(Error::illegal_argument("Required one of fields [field], but none were specified. "));
    }
    kind.ranges.sort_by_key(|r| (r.from.unwrap_or(0), r.from.is_some(), r.to.unwrap_or(u128::MAX), r.to.is_none()));
    Ok(Box::new(kind))
}

fn parse_range(node: Node, cx: &ParseContext<'_>) -> Result<Range> {
    let map = match node.value {
        Value::Object(map) => map,
        Value::Array(_) => {
            let reason = format!("expected value but got [{}]", node.token());
            return Err(Error::new(ErrorKind::IllegalState, reason).at(node.pos()));
        }
        _ => return Err(node.error(format!("[ranges] must contain objects, but hit a {}", node.token()))),
    };
    let (mut key, mut from, mut to, mut mask) = (None, None, None, None);
    let source = crate::query::Source::new(cx.body);
    for entry in &map.entries {
        let text = || Node::of_entry(entry, &source).text().map(Some);
        match entry.key.as_str() {
            "from" | "to" if entry.value.is_null() => {}
            "key" => key = text()?,
            "from" => from = text()?,
            "to" => to = text()?,
            "mask" => mask = text()?,
            key => return Err(Node::of_entry(entry, &source).error(format!("Unexpected ip range parameter: [{key}]"))),
        }
    }
    // Beside a mask nobody looks at the ends.
    let (from, to) = match mask {
        Some(mask) => {
            let ends = masked(&mask)?;
            key = key.or(Some(mask));
            ends
        }
        None => (from.as_deref().map(address).transpose()?, to.as_deref().map(address).transpose()?),
    };
    let shown = |bound: Option<u128>| bound.map_or("*".to_owned(), |b| format_ip(&b.to_be_bytes()));
    let key = key.unwrap_or_else(|| format!("{}-{}", shown(from), shown(to)));
    Ok(Range { key, from, to })
}

fn address(text: &str) -> Result<u128> {
    parse_ip(text).map(u128::from_be_bytes)
}

/// The addresses of `address/bits`: an end that is the last address of all is open.
fn masked(mask: &str) -> Result<(Option<u128>, Option<u128>)> {
    let refuse = || Error::illegal_argument(format!("Expected [ip/prefix] but was [{mask}]"));
    let (ip, bits) = mask.split_once('/').ok_or_else(refuse)?;
    let at = address(ip)?;
    check_block(ip, &at.to_be_bytes())?;
    let width = if ip.contains(':') { 128 } else { 32 };
    let bits: u32 = bits.parse().ok().filter(|bits| *bits <= width).ok_or_else(|| {
        Error::illegal_argument(format!(
            "Illegal prefix length [{bits}] in [{mask}]. Must be 0-32 for IPv4 ranges, 0-128 for IPv6 ranges"
        ))
    })?;
    let free = width - bits;
    let size = 1u128.checked_shl(free);
    let from = match size {
        Some(size) => at & !(size - 1),
        None => 0,
    };
    Ok(((from > 0).then_some(from), size.and_then(|size| from.checked_add(size))))
}

impl Kind for IpRanges {
    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        let source = self.source.resolve_any(cx, agg.type_name)?;
        source.check_ip(agg.type_name)?;
        if self.ranges.is_empty() {
            let refusal = format!("No [ranges] specified for the [{}] aggregation", agg.name);
            return Err(Error::illegal_argument(refusal));
        }
        ReduceContext::check_asked(self.ranges.len(), cx)?;
        let bounds = self.ranges.iter().map(|r| (r.from, r.to)).collect();
        Ok(Box::new(IpRangeAggregator {
            source,
            bounds,
            ordinals: vec![],
            subs: Subs::new(agg, cx)?,
            counts: vec![],
            ords: vec![],
        }))
    }

    fn empty(&self, agg: &Agg) -> Partial {
        let buckets = (0..self.ranges.len()).map(|i| (i, empty_bucket(&agg.subs))).collect();
        Partial::Fixed(FixedBuckets { buckets, format: Format::Raw, bounds: vec![] })
    }

    /// The reference has no ranges there.
    fn empty_beside(&self, _agg: &Agg, _other: Option<&Partial>) -> Partial {
        Partial::Fixed(FixedBuckets { buckets: vec![], format: Format::Raw, bounds: vec![] })
    }

    fn reduce(&self, agg: &Agg, mut parts: Vec<Partial>, cx: &mut ReduceContext) -> Result<Partial> {
        // Buckets without documents have no ranges, and add nothing to those that have some.
        let has_none = |part: &Partial| matches!(part, Partial::Fixed(fixed) if fixed.buckets.is_empty());
        if let Some(at) = parts.iter().position(has_none) {
            let none = parts.swap_remove(at);
            parts.retain(|part| !has_none(part));
            if parts.is_empty() {
                return Ok(none);
            }
        }
        Ok(Partial::Fixed(reduce_fixed(agg, parts, self.ranges.len(), cx)?))
    }

    fn render(&self, agg: &Agg, partial: &Partial, w: &mut Writer, shown: Shown<'_>) -> Result<()> {
        let Partial::Fixed(fixed) = partial else { return Err(mismatch()) };
        w.key("buckets");
        if self.keyed {
            w.begin_object()
        } else {
            w.begin_array()
        };
        for (i, bucket) in fixed.shown() {
            let range = &self.ranges[i];
            if self.keyed {
                w.key(&range.key).begin_object();
            } else {
                w.begin_object().key("key").string(&range.key);
            }
            for (name, bound) in [("from", range.from), ("to", range.to)] {
                if let Some(bound) = bound {
                    w.key(name).string(&format_ip(&bound.to_be_bytes()));
                }
            }
            render_bucket(agg, bucket, w, shown)?;
            w.end_object();
        }
        if self.keyed {
            w.end_object()
        } else {
            w.end_array()
        };
        Ok(())
    }

    fn typed_name(&self, _partial: &Partial) -> &'static str {
        "ip_range"
    }

    fn collects_many(&self) -> bool {
        self.ranges.len() > 1
    }

    fn bucket_key(&self, partial: &Partial, i: usize) -> String {
        let Partial::Fixed(fixed) = partial else { return String::new() };
        self.ranges[fixed.buckets[i].0].key.clone()
    }
}

struct IpRangeAggregator {
    source: Source,
    bounds: Vec<(Option<u128>, Option<u128>)>,
    /// The ranges as ordinals of the current segment.
    ordinals: Vec<std::ops::Range<u32>>,
    subs: Subs,
    counts: Vec<u64>,
    ords: Vec<u32>,
}

impl Aggregator for IpRangeAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.source.enter_segment(view);
        let source = &self.source;
        let at = |bound: Option<u128>, open: u32| bound.map_or(open, |b| source.ord_at_or_after(&b.to_be_bytes()));
        self.ordinals = self.bounds.iter().map(|(from, to)| at(*from, 0)..at(*to, source.num_ords())).collect();
        self.subs.enter_segment(view)
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if self.source.is_absent() {
            return Ok(());
        }
        let width = self.bounds.len();
        for (i, &doc) in docs.iter().enumerate() {
            self.source.ords(doc, &mut self.ords)?;
            let first = (owners.of(i) as usize).saturating_mul(width);
            if first.saturating_add(width) > self.counts.len() {
                check_shard_buckets(first.saturating_add(width))?;
                self.counts.resize(first + width, 0);
            }
            let stand_in = self.source.missing_bytes().filter(|_| self.ords.is_empty());
            let stand_in = stand_in.and_then(|b| <[u8; 16]>::try_from(b).ok()).map(u128::from_be_bytes);
            for r in 0..width {
                let (from, to) = self.bounds[r];
                let inside = match stand_in {
                    Some(ip) => from.is_none_or(|f| ip >= f) && to.is_none_or(|t| ip < t),
                    None => self.ords.iter().any(|ord| self.ordinals[r].contains(ord)),
                };
                if inside {
                    self.counts[first + r] += 1;
                    self.subs.push(doc, (first + r) as u32)?;
                }
            }
        }
        Ok(())
    }

    fn leave_segment(&mut self) -> Result<()> {
        self.subs.leave_segment()
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            build_fixed(&mut self.subs, &self.counts, owners, self.bounds.len(), &Format::Raw, &[], pace).await
        })
    }

    fn subs(&self) -> Option<&Subs> {
        Some(&self.subs)
    }
}
