//! weighted_avg: a mean in which each document's values count as much as its weight says.

use super::accepted;
use super::format::Format;
use super::kind::{Aggregator, Built, Kind, Owners, ReduceContext, STATE_UNITS, check_shard_buckets, of_each};
use super::metric::check_single_value;
use super::parse::{Agg, ParseContext};
use super::partial::{Partial, Shown, mismatch};
use super::source::{Source, SourceConfig};
use super::stats::Stats;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Entry, Map, Value, Writer};
use crate::mapping::DocValueFormat;
use crate::pace::Pace;
use crate::query::ShardContext;
use crate::segment::SegmentView;

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
            "format" | "value_type" | "valueType" => _ = shared.accept(entry, cx)?,
            _ => return Err(cx.unknown_field(entry, &["value", "weight", "format", "value_type"])),
        }
    }
    // What stands in for missing values is written as the mean is shown.
    for source in [&mut value, &mut weight].into_iter().flatten() {
        source.format = shared.format.clone();
    }
    // A type of value brings a format of its own, whatever the request has.
    let format = match (shared.value_type.as_deref(), &shared.format) {
        (Some("date"), _) => super::scripted::date_format(None, None)?,
        _ => Format::Raw,
    };
    let pattern = shared.format.filter(|_| shared.value_type.is_none());
    Ok(Box::new(WeightedAvg { value, weight, format, pattern }))
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
        let resolve = |source: &Option<SourceConfig>, name: &str| match source {
            Some(source) => {
                source.check_shown(cx)?;
                source.check_mapped(cx, accepted::check_weighted)?;
                source.resolve_numeric(cx, agg.type_name)
            }
            None => Err(Error::illegal_argument(format!("Could not find field name [{name}] in multiValuesSource"))),
        };
        // The reference looks at them in the order of their hashes.
        let weight = resolve(&self.weight, "weight")?;
        let value = resolve(&self.value, "value")?;
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
        if let Some(text) = weighted.values.format.text(value) {
            w.key("value_as_string").string(&text);
        }
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
    weight: Source,
    format: Format,
    states: Vec<Weighted>,
    values: Vec<f64>,
    weights: Vec<f64>,
}

impl Aggregator for WeightedAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.value.enter_segment(view);
        self.weight.enter_segment(view);
        Ok(())
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if self.value.is_absent() || self.weight.is_absent() {
            return Ok(());
        }
        for (i, &doc) in docs.iter().enumerate() {
            self.value.doubles(doc, &mut self.values)?;
            if self.values.is_empty() {
                // A script is not asked for the weight of nothing.
                continue;
            }
            self.weight.doubles(doc, &mut self.weights)?;
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
