//! weighted_avg: a mean in which each document's values count as much as its weight says.

use super::accepted;
use super::format::Format;
use super::kind::{Aggregator, Built, Kind, Owners, STATE_UNITS, check_shard_buckets, of_each};
use super::metric::check_single_value;
use super::parse::{Agg, ParseContext};
use super::partial::{Partial, Shown, mismatch};
use super::reduce_context::ReduceContext;
use super::source::{Source, SourceConfig};
use super::source_config::VALUE_TYPES;
use super::stats::Stats;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Entry, Map, Value, Writer, line_col};
use crate::mapping::DocValueFormat;
use crate::mapping::number::NumberKind;
use crate::pace::Pace;
use crate::query::ShardContext;
use crate::segment::SegmentView;

/// What the reference says where `value_type` names no type.
const NO_TYPE: &str = r#"Cannot invoke "org.opensearch.search.aggregations.support.ValueType.isNotA(org.opensearch.search.aggregations.support.ValueType)" because "valueType" is null"#;

/// The same where the request leaves values or weights out.
const NO_SOURCE: &str = r#"Cannot invoke "org.opensearch.search.aggregations.support.ValuesSourceConfig.valueSourceType()" because the return value of "java.util.Map.get(Object)" is null"#;

#[derive(Debug)]
struct WeightedAvg {
    value: Option<SourceConfig>,
    weight: Option<SourceConfig>,
    /// That of the request alone: the mean goes by no field's own.
    format: Format,
    /// The format of the request, which shards read.
    pattern: Option<String>,
}

/// Sums of weighted values and of weights.
#[derive(Debug, Clone)]
pub struct Weighted {
    values: Stats,
    weights: Stats,
}

impl Weighted {
    fn new(format: Format) -> Self {
        Self { values: Stats::new(format), weights: Stats::new(Format::Raw) }
    }

    fn value(&self) -> Option<f64> {
        (self.weights.sum != 0.0).then(|| self.values.sum / self.weights.sum)
    }
}

pub(crate) fn parse(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let (mut value, mut weight, mut shared) = (None, None, SourceConfig::default());
    for entry in &map.entries {
        match entry.key.as_str() {
            "value" => value = Some(parse_source(entry, cx)?),
            "weight" => weight = Some(parse_source(entry, cx)?),
            "value_type" | "valueType" => shared.value_type = Some(parse_number_type(entry, cx)?),
            "format" => _ = shared.accept(entry, cx)?,
            _ => return Err(cx.unknown_field(entry, &["value", "weight", "format", "value_type"])),
        }
    }
    // What stands in for missing values is written as the mean is shown.
    for source in [&mut value, &mut weight].into_iter().flatten() {
        source.format = shared.format.clone();
        source.value_type = shared.value_type.clone().filter(|_| source.is_scripted());
    }
    // A type of value brings a format of its own, whatever the request has.
    let format = match (shared.value_type.as_deref(), &shared.format) {
        (Some("date"), _) => super::scripted::date_format(None, None)?,
        (Some("boolean"), _) => Format::Field(DocValueFormat::Boolean),
        (Some("unsigned_long"), _) => Format::Field(DocValueFormat::Raw(NumberKind::UnsignedLong)),
        _ => Format::Raw,
    };
    let pattern = shared.format.filter(|_| shared.value_type.is_none());
    Ok(Box::new(WeightedAvg { value, weight, format, pattern }))
}

/// What its values are said to be, which has to be a kind of numbers.
fn parse_number_type(entry: &Entry, cx: &ParseContext<'_>) -> Result<String> {
    let name = cx.text(entry)?;
    let (line, col) = line_col(cx.body, entry.value_pos);
    let refusal = match name.as_str() {
        "ip" | "string" => Error::new(
            ErrorKind::Parsing,
            format!(
                "Aggregation [{}] was configured with an incompatible value type [{name}].  It can only work on value off type [numeric]",
                cx.kind
            ),
        )
        .with("line", line)
        .with("col", col),
        name if VALUE_TYPES.contains(&name) => return Ok(name.to_owned()),
        _ => Error::new(ErrorKind::NullPointer, NO_TYPE),
    };
    Err(cx.failed_field(entry, refusal))
}

/// The object of one of several sources of an aggregation.
pub(crate) fn parse_source(entry: &Entry, cx: &ParseContext<'_>) -> Result<SourceConfig> {
    let Value::Object(map) = &entry.value else { return Err(cx.wrong_type(entry)) };
    cx.inside(entry, "field_config", |inner| {
        let source = parse_source_object(map, inner, &["field", "missing", "script"])?;
        match source.field.is_some() && source.script.is_some() {
            true => Err(not_both("configured")),
            false => Ok(source),
        }
    })
}

/// The same of one whose parameters are `known`, and where a script may be of the values of a field.
pub(crate) fn parse_source_object(map: &Map, cx: &ParseContext<'_>, known: &[&str]) -> Result<SourceConfig> {
    let mut source = SourceConfig::default();
    for field in &map.entries {
        let name = if field.key == "valueType" { "value_type" } else { &field.key };
        if !known.contains(&name) || !source.take(field, cx)? {
            return Err(cx.unknown_field(field, known));
        }
    }
    match source.field.as_deref().is_none_or(str::is_empty) && source.script.is_none() {
        true => Err(not_both("null")),
        false => Ok(source),
    }
}

#[cold]
fn not_both(what: &str) -> Error {
    let reason = format!("[field] and [script] cannot both be {what}.  Please specify one or the other.");
    Error::illegal_argument(reason)
}

impl Kind for WeightedAvg {
    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        let resolve = |source: &SourceConfig| {
            source.check_loadable(cx, agg.type_name)?;
            source.check_shown(cx)?;
            source.check_mapped(cx, accepted::check_weighted)?;
            source.resolve_numeric(cx, agg.type_name)
        };
        // The reference looks at them in the order of their hashes.
        let weight = self.weight.as_ref().map(resolve).transpose()?;
        let Some(value) = self.value.as_ref().map(resolve).transpose()? else {
            return Err(Error::new(ErrorKind::NullPointer, NO_SOURCE).late());
        };
        let format = match &self.pattern {
            Some(pattern) => Format::Field(DocValueFormat::decimal(pattern)?),
            None => self.format.clone(),
        };
        Ok(Box::new(WeightedAggregator { value, weight, format, states: vec![], values: vec![], weights: vec![] }))
    }

    fn empty(&self, _agg: &Agg) -> Partial {
        Partial::Weighted(Box::new(Weighted::new(Format::Unsaid)))
    }

    fn reduce(&self, _agg: &Agg, parts: Vec<Partial>, _cx: &mut ReduceContext) -> Result<Partial> {
        let mut whole = Weighted::new(Format::Unsaid);
        for part in parts {
            let Partial::Weighted(part) = part else { return Err(mismatch()) };
            whole.values.merge(&part.values);
            whole.weights.merge(&part.weights);
        }
        Ok(Partial::Weighted(Box::new(whole)))
    }

    fn render(&self, _agg: &Agg, partial: &Partial, w: &mut Writer, _shown: Shown<'_>) -> Result<()> {
        let Partial::Weighted(weighted) = partial else { return Err(mismatch()) };
        let Some(value) = weighted.value() else {
            w.key("value").null();
            return Ok(());
        };
        w.key("value").f64(value);
        weighted.values.format.write_as_string("value", value, w);
        Ok(())
    }

    fn typed_name(&self, _partial: &Partial) -> &'static str {
        "weighted_avg"
    }

    fn is_bucketing(&self) -> bool {
        false
    }

    fn order_value(&self, partial: &Partial, _property: Option<&str>) -> Option<f64> {
        let Partial::Weighted(weighted) = partial else { return None };
        weighted.value()
    }

    fn check_order_property(&self, name: &str, property: Option<&str>) -> Result<()> {
        check_single_value(name, property)
    }
}

struct WeightedAggregator {
    value: Source,
    weight: Option<Source>,
    format: Format,
    states: Vec<Weighted>,
    values: Vec<f64>,
    weights: Vec<f64>,
}

impl Aggregator for WeightedAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.value.enter_segment(view);
        // That there is none is found out where there is something to weigh.
        let absent = || Error::illegal_argument("Could not find field name [weight] in multiValuesSource");
        self.weight.as_mut().ok_or_else(absent)?.enter_segment(view);
        Ok(())
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        let Some(weight) = self.weight.as_mut().filter(|weight| !weight.is_absent()) else { return Ok(()) };
        if self.value.is_absent() {
            return Ok(());
        }
        for (i, &doc) in docs.iter().enumerate() {
            self.value.doubles(doc, &mut self.values)?;
            if self.values.is_empty() {
                // A script is not asked for the weight of nothing.
                continue;
            }
            weight.doubles(doc, &mut self.weights)?;
            let Some(&weight) = self.weights.first() else { continue };
            if self.weights.len() > 1 {
                return Err(Error::new(
                    ErrorKind::AggregationExecution,
                    "Encountered more than one weight for a single document. Use a script to combine multiple weights-per-doc into a single value.",
                ));
            }
            let owner = owners.of(i) as usize;
            if owner >= self.states.len() {
                check_shard_buckets(owner)?;
                self.states.resize_with(owner + 1, || Weighted::new(self.format.clone()));
            }
            for value in &self.values {
                self.states[owner].values.add(value * weight);
                self.states[owner].weights.add(weight);
            }
        }
        Ok(())
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            let fresh = || Weighted::new(self.format.clone());
            let of = |owner: u32| self.states.get(owner as usize).cloned().unwrap_or_else(fresh);
            of_each(owners, STATE_UNITS, pace, |owner| Ok(Partial::Weighted(Box::new(of(owner))))).await
        })
    }
}
