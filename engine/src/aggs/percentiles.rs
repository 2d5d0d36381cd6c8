//! percentiles and percentile_ranks, each by a t-digest or by an HDR histogram.

use super::format::Format;
use super::hdr::{DIGITS_MAX, Hdr};
use super::kind::{Aggregator, Kind};
use super::metric::{MetricAggregator, State, no_such_value};
use super::parse::{Agg, ParseContext};
use super::partial::{Partial, Shown, mismatch};
use super::reduce_context::ReduceContext;
use super::source::SourceConfig;
use super::tdigest::TDigest;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Entry, Map, Value, Writer, line_col};
use crate::mapping::number::java_f64;
use crate::query::ShardContext;
use std::cell::RefCell;

const PERCENTS_DEFAULT: [f64; 7] = [1.0, 5.0, 25.0, 50.0, 75.0, 95.0, 99.0];
pub(crate) const COMPRESSION_DEFAULT: f64 = 100.0;
/// A digest takes some 200 bytes per unit of compression: the reference has no limit, a bucket must have one.
pub(crate) const COMPRESSION_MAX: f64 = 100_000.0;
const DIGITS_DEFAULT: u32 = 3;

/// What a shard keeps of the values of a bucket.
#[derive(Debug, Clone)]
pub(crate) enum Digest {
    /// To read it merges what it has buffered.
    TDigest(Box<RefCell<TDigest>>),
    Hdr(Box<Hdr>),
}

/// The digest of one bucket, and how its values are shown.
#[derive(Debug, Clone)]
pub struct Percentiles {
    pub(crate) digest: Digest,
    pub(crate) format: Format,
}

#[cold]
fn no_number() -> Error {
    Error::illegal_argument("Cannot add NaN to t-digest")
}

impl State for Percentiles {
    #[inline]
    fn add(&mut self, value: f64) -> Result<()> {
        match &mut self.digest {
            Digest::TDigest(_) if value.is_nan() => Err(no_number()),
            Digest::TDigest(digest) => {
                digest.get_mut().add(value, 1.0);
                Ok(())
            }
            Digest::Hdr(hdr) => hdr.add(value),
        }
    }

    fn add_all(&mut self, values: &[f64]) -> Result<()> {
        match &mut self.digest {
            Digest::TDigest(_) if values.iter().any(|value| value.is_nan()) => Err(no_number()),
            Digest::TDigest(digest) => {
                digest.get_mut().add_singles(values);
                Ok(())
            }
            Digest::Hdr(hdr) => values.iter().try_for_each(|value| hdr.add(*value)),
        }
    }

    fn into_partial(self) -> Partial {
        Partial::Percentiles(Box::new(self))
    }
}

#[derive(Debug, Clone, Copy)]
enum Method {
    TDigest(f64),
    Hdr(u32),
}

impl Method {
    fn fresh(self, format: Format) -> Percentiles {
        let digest = match self {
            Method::TDigest(compression) => Digest::TDigest(Box::new(TDigest::new(compression).into())),
            Method::Hdr(digits) => Digest::Hdr(Box::new(Hdr::new(digits))),
        };
        Percentiles { digest, format }
    }
}

#[derive(Debug)]
struct PercentilesKind {
    source: SourceConfig,
    /// Values are given and their ranks wanted, instead of the other way round.
    ranks: bool,
    /// Percentages or values, ascending.
    keys: Vec<f64>,
    keyed: bool,
    method: Method,
}

pub(crate) fn parse_percentiles(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    parse(map, cx, false)
}

pub(crate) fn parse_ranks(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    parse(map, cx, true)
}

fn parse(map: &Map, cx: &ParseContext<'_>, ranks: bool) -> Result<Box<dyn Kind>> {
    let keys_name = if ranks { "values" } else { "percents" };
    let (mut source, mut keys, mut keyed) = (SourceConfig::default(), None, true);
    let (mut tdigest, mut hdr) = (None, None);
    for entry in &map.entries {
        match entry.key.as_str() {
            "keyed" => keyed = cx.bool(entry)?,
            "tdigest" | "TDigest" | "TDIGEST" => {
                if entry.key != "tdigest" {
                    cx.note_renamed(entry, "tdigest");
                }
                tdigest = Some(parse_tdigest(entry, cx)?);
            }
            "hdr" | "HDR" => {
                if entry.key != "hdr" {
                    cx.note_renamed(entry, "hdr");
                }
                hdr = Some(parse_hdr(entry, cx)?);
            }
            name if name == keys_name => keys = Some(parse_keys(entry, cx)?),
            _ if source.accept(entry, cx)? => {}
            _ => {
                let known =
                    [&[keys_name, "keyed", "tdigest", "TDigest", "TDIGEST", "hdr", "HDR"], SourceConfig::FIELDS]
                        .concat();
                return Err(cx.unknown_field(entry, &known));
            }
        }
    }
    let refuse = |reason: String| {
        Error::new(ErrorKind::XContentParse, format!("Failed to build [{}] after last required field arrived", cx.kind))
            .caused_by(Error::illegal_argument(reason))
    };
    source.check()?;
    if ranks && tdigest.is_some() && hdr.is_some() {
        return Err(refuse("Only one percentiles method should be declared.".into()));
    }
    let mut keys = match keys {
        None if ranks => return Err(refuse(format!("[values] must not be null: [{}]", cx.name))),
        None => PERCENTS_DEFAULT.to_vec(),
        Some(keys) => keys,
    };
    if keys.is_empty() {
        let what = if ranks { "[values] must not be an empty array" } else { "[percents] must not be empty" };
        return Err(refuse(format!("{what}: [{}]", cx.name)));
    }
    keys.sort_by(f64::total_cmp);
    if !ranks && let Some(percent) = keys.iter().find(|p| !(0.0..=100.0).contains(*p)) {
        return Err(refuse(format!("percent must be in [0,100], got [{}]: [{}]", java_f64(*percent), cx.name)));
    }
    let method = match (tdigest, hdr) {
        (Some(_), Some(_)) => return Err(refuse("Only one percentiles method should be declared.".into())),
        (_, Some(digits)) => Method::Hdr(digits),
        (compression, None) => Method::TDigest(compression.unwrap_or(COMPRESSION_DEFAULT)),
    };
    if let (true, Method::TDigest(_), Some(key)) = (ranks, &method, keys.iter().find(|key| key.is_infinite())) {
        return Err(Error::illegal_argument(format!("Invalid value: {}", java_f64(*key))));
    }
    Ok(Box::new(PercentilesKind { source, ranks, keys, keyed, method }))
}

fn parse_keys(entry: &Entry, cx: &ParseContext<'_>) -> Result<Vec<f64>> {
    if matches!(entry.value, Value::Object(_) | Value::Bool(_) | Value::Null) {
        return Err(cx.wrong_type(entry));
    }
    let keys = cx.list(entry, |item| item.f64());
    keys.map_err(|cause| cx.failed_inside(entry, cause))
}

/// The object of a method, and the one parameter that it may have.
fn parse_method<T>(
    entry: &Entry,
    cx: &ParseContext<'_>,
    parameter: &str,
    default: T,
    read: impl Fn(&ParseContext<'_>, &Entry) -> Result<T>,
) -> Result<T> {
    let Value::Object(map) = &entry.value else { return Err(cx.wrong_type(entry)) };
    let mut value = default;
    let kind = if entry.key == "hdr" { "hdr" } else { "tdigest" };
    let inner = ParseContext { body: cx.body, name: cx.name, kind };
    for field in &map.entries {
        if field.key != parameter {
            return Err(wrap(entry, field, cx, inner.unknown_field(field, &[parameter])));
        }
        value = read(&inner, field).map_err(|e| wrap(entry, field, cx, e))?;
    }
    Ok(value)
}

/// A method's object is parsed by a parser of its own: its error is the cause of one that has its position.
fn wrap(method: &Entry, field: &Entry, cx: &ParseContext<'_>, cause: Error) -> Error {
    let (line, col) = line_col(cx.body, field.value_pos);
    Error::new(ErrorKind::XContentParse, format!("[{line}:{col}] [{}] failed to parse field [{}]", cx.kind, method.key))
        .caused_by(cause)
}

fn parse_tdigest(entry: &Entry, cx: &ParseContext<'_>) -> Result<f64> {
    parse_method(entry, cx, "compression", COMPRESSION_DEFAULT, |inner, field| {
        let compression = inner.float(field)?;
        if compression < 0.0 {
            let refusal = format!("[compression] must be greater than or equal to 0. Found [{compression:?}]");
            return Err(inner.failed_field(field, Error::illegal_argument(refusal)));
        }
        check_compression(compression).map_err(|cause| inner.failed_field(field, cause))
    })
}

/// Bounds the memory of a digest.
pub(crate) fn check_compression(compression: f64) -> Result<f64> {
    if compression <= COMPRESSION_MAX {
        return Ok(compression);
    }
    Err(Error::illegal_argument(format!(
        "[compression] must be less than or equal to {COMPRESSION_MAX}. Found [{compression:?}]"
    )))
}

fn parse_hdr(entry: &Entry, cx: &ParseContext<'_>) -> Result<u32> {
    parse_method(entry, cx, "number_of_significant_value_digits", DIGITS_DEFAULT, |inner, field| {
        let digits = inner.int(field)?;
        if !(0..=DIGITS_MAX).contains(&digits) {
            let refusal = Error::illegal_argument("[numberOfSignificantValueDigits] must be between 0 and 5");
            return Err(inner.failed_field(field, refusal));
        }
        Ok(digits as u32)
    })
}

impl PercentilesKind {
    /// What it has at a key.
    fn value(&self, percentiles: &Percentiles, key: f64) -> f64 {
        match (&percentiles.digest, self.ranks) {
            (Digest::TDigest(digest), false) => digest.borrow_mut().quantile(key / 100.0),
            (Digest::TDigest(digest), true) => (digest.borrow_mut().cdf(key) * 100.0).clamp(0.0, 100.0),
            (Digest::Hdr(hdr), false) => hdr.percentile(key),
            (Digest::Hdr(hdr), true) => hdr.rank(key).clamp(0.0, 100.0),
        }
    }
}

impl Kind for PercentilesKind {
    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        let source = self.source.resolve_numeric(cx, agg.type_name)?;
        let fresh = self.method.fresh(source.format().clone());
        Ok(Box::new(MetricAggregator::new(source, fresh)))
    }

    fn empty(&self, _agg: &Agg) -> Partial {
        self.method.fresh(Format::Unsaid).into_partial()
    }

    fn reduce(&self, _agg: &Agg, mut parts: Vec<Partial>, _cx: &mut ReduceContext) -> Result<Partial> {
        // What one shard found alone stays as it is: to add it to another digest would change it.
        if parts.len() == 1 {
            if let Partial::Percentiles(part) = &mut parts[0]
                && let Digest::TDigest(digest) = &mut part.digest
            {
                // To be sent it was compressed.
                digest.get_mut().compress();
            }
            return Ok(parts.remove(0));
        }
        let mut whole = self.method.fresh(Format::Unsaid);
        for part in parts {
            let Partial::Percentiles(part) = part else { return Err(mismatch()) };
            whole.format.hear(&part.format);
            match (&mut whole.digest, part.digest) {
                (Digest::TDigest(whole), Digest::TDigest(part)) => whole.get_mut().add_all(part.into_inner()),
                (Digest::Hdr(whole), Digest::Hdr(part)) => whole.merge(&part),
                _ => return Err(mismatch()),
            }
        }
        Ok(whole.into_partial())
    }

    fn render(&self, _agg: &Agg, partial: &Partial, w: &mut Writer, _shown: Shown<'_>) -> Result<()> {
        let Partial::Percentiles(percentiles) = partial else { return Err(mismatch()) };
        // What is shown can be shown again.
        let percentiles = percentiles.clone();
        w.key("values");
        if self.keyed {
            w.begin_object()
        } else {
            w.begin_array()
        };
        for &key in &self.keys {
            // The reference compresses a digest before it shows a value of it, which is seen in the last digits. Who reads it otherwise
            // merges what it has buffered, and that is seen in what is shown later.
            if let Digest::TDigest(digest) = &percentiles.digest {
                digest.borrow_mut().compress();
            }
            let value = self.value(&percentiles, key);
            let text = percentiles.format.text(value).filter(|_| !value.is_nan());
            let name = format_key(key);
            if self.keyed {
                w.key(&name);
            } else {
                w.begin_object().key("key").f64(key).key("value");
            }
            // Between infinities there is no number.
            let has_values = matches!(&percentiles.digest, Digest::TDigest(digest) if !digest.borrow().is_empty());
            if value.is_nan() && !has_values {
                w.null()
            } else {
                w.f64(value)
            };
            if let Some(text) = text {
                let shown = if self.keyed { format!("{name}_as_string") } else { "value_as_string".into() };
                w.key(&shown).string(&text);
            }
            if !self.keyed {
                w.end_object();
            }
        }
        if self.keyed {
            w.end_object()
        } else {
            w.end_array()
        };
        Ok(())
    }

    fn class(&self, _cx: &ShardContext) -> Option<&'static str> {
        match (&self.method, self.ranks) {
            (Method::Hdr(_), false) => Some("HDRPercentilesAggregator"),
            (Method::Hdr(_), true) => Some("HDRPercentileRanksAggregator"),
            _ => None,
        }
    }

    fn typed_name(&self, _partial: &Partial) -> &'static str {
        match (self.method, self.ranks) {
            (Method::TDigest(_), false) => "tdigest_percentiles",
            (Method::TDigest(_), true) => "tdigest_percentile_ranks",
            (Method::Hdr(_), false) => "hdr_percentiles",
            (Method::Hdr(_), true) => "hdr_percentile_ranks",
        }
    }

    fn is_bucketing(&self) -> bool {
        false
    }

    fn order_value(&self, partial: &Partial, property: Option<&str>) -> Option<f64> {
        let Partial::Percentiles(percentiles) = partial else { return None };
        let key: f64 = property?.parse().ok()?;
        Some(self.value(percentiles, key))
    }

    fn check_order_property(&self, name: &str, property: Option<&str>) -> Result<()> {
        let Some(text) = property else { return Err(no_such_value(name, None)) };
        match text.parse::<f64>() {
            Ok(key) if self.keys.contains(&key) => Ok(()),
            Ok(_) => Err(no_such_value(name, property)),
            Err(_) => Err(Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\""))),
        }
    }
}

/// A number as the key of an object: in Java's notation.
fn format_key(key: f64) -> String {
    Format::Raw.text_or_plain(key)
}
