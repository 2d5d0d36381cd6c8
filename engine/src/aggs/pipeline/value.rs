//! The result of a pipeline: a number, with what some kinds say besides.

use crate::aggs::extended_stats::{ExtendedStats, render_extended};
use crate::aggs::format::Format;
use crate::aggs::stats::{Stats, render_stats};
use crate::json::Writer;

#[derive(Debug, Clone)]
pub enum PipelineValue {
    Simple {
        value: f64,
        format: Format,
        /// A derivative per unit of time.
        normalized: Option<f64>,
        derivative: bool,
    },
    /// The extreme, and the keys of the buckets that have it.
    Keyed {
        value: f64,
        keys: Vec<String>,
        format: Format,
    },
    Stats(Stats),
    Extended(Box<ExtendedStats>, f64),
    Percentiles {
        values: Vec<(f64, f64)>,
        keyed: bool,
        format: Format,
    },
}

impl PipelineValue {
    pub(crate) fn simple(value: f64, format: &Format) -> Self {
        Self::Simple { value, format: format.clone(), normalized: None, derivative: false }
    }

    pub(crate) fn number(&self, property: Option<&str>) -> Option<f64> {
        match (self, property) {
            (Self::Simple { normalized, .. }, Some("normalized_value")) => *normalized,
            (Self::Simple { value, .. } | Self::Keyed { value, .. }, None | Some("value")) => Some(*value),
            (Self::Stats(stats), Some(name)) => Some(match name {
                "count" => stats.count as f64,
                "min" => stats.min,
                "max" => stats.max,
                "sum" => stats.sum,
                "avg" => stats.avg(),
                _ => return None,
            }),
            (Self::Extended(stats, sigma), Some(name)) => stats.metric(name, *sigma),
            (Self::Percentiles { values, .. }, Some(name)) => {
                let percent: f64 = name.parse().ok()?;
                values.iter().find(|(p, _)| *p == percent).map(|(_, value)| *value)
            }
            _ => None,
        }
    }

    pub(crate) fn typed_name(&self) -> &'static str {
        match self {
            Self::Simple { derivative: true, .. } => "derivative",
            Self::Simple { .. } => "simple_value",
            Self::Keyed { .. } => "bucket_metric_value",
            Self::Stats(_) => "stats_bucket",
            Self::Extended(..) => "extended_stats_bucket",
            Self::Percentiles { .. } => "percentiles_bucket",
        }
    }
}

/// Writes the fields of a result's object.
pub(crate) fn render(result: &PipelineValue, w: &mut Writer) {
    match result {
        PipelineValue::Simple { value, format, normalized, .. } => {
            number(w, "value", *value, format);
            if let Some(normalized) = normalized {
                number(w, "normalized_value", *normalized, format);
            }
        }
        PipelineValue::Keyed { value, keys, format } => {
            number(w, "value", *value, format);
            w.key("keys").begin_array();
            keys.iter().for_each(|key| _ = w.string(key));
            w.end_array();
        }
        PipelineValue::Stats(stats) => render_stats(stats, w),
        PipelineValue::Extended(stats, sigma) => render_extended(stats, *sigma, w),
        PipelineValue::Percentiles { values, keyed, format } => render_percentiles(values, *keyed, format, w),
    }
}

/// Writes a number, null where it is none, and its text where the format differs from plain numbers.
fn number(w: &mut Writer, name: &str, value: f64, format: &Format) {
    w.key(name);
    if !value.is_finite() {
        w.null();
        return;
    }
    w.f64(value);
    if let Some(text) = format.text(value) {
        w.key(&format!("{name}_as_string")).string(&text);
    }
}

fn render_percentiles(values: &[(f64, f64)], keyed: bool, format: &Format, w: &mut Writer) {
    w.key("values");
    if keyed {
        w.begin_object()
    } else {
        w.begin_array()
    };
    for (percent, value) in values {
        let name = Format::Raw.text_or_plain(*percent);
        if keyed {
            w.key(&name);
        } else {
            w.begin_object().key("key").f64(*percent).key("value");
        }
        if value.is_finite() {
            w.f64(*value)
        } else {
            w.null()
        };
        if let Some(text) = format.text(*value).filter(|_| value.is_finite()) {
            w.key(&format!("{name}_as_string")).string(&text);
        }
        if !keyed {
            w.end_object();
        }
    }
    if keyed {
        w.end_object()
    } else {
        w.end_array()
    };
}
