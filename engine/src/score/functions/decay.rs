//! `gauss`, `exp` and `linear`: scores that fall with the distance of a value from an origin.

use super::super::{Explanation, double_text};
use super::{LeafFunction, NumberSource, ScoreFunction, name_within};
use crate::error::{Error, ErrorKind, Result};
use crate::geo::{Point, arc_distance, decode_point};
use crate::segment::{NumericColumn, SegmentView};
use std::sync::Arc;

/// How scores fall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DecayShape {
    Gauss,
    Exp,
    Linear,
}

impl DecayShape {
    /// The scale as the formula has it, such that the score is `decay` at distance `scale`.
    pub fn scale(self, scale: f64, decay: f64) -> f64 {
        match self {
            Self::Gauss => 0.5 * scale.powi(2) / decay.ln(),
            Self::Exp => decay.ln() / scale,
            Self::Linear => scale / (1.0 - decay),
        }
    }

    fn value(self, distance: f64, scale: f64) -> f64 {
        match self {
            Self::Gauss => (0.5 * distance.powi(2) / scale).exp(),
            Self::Exp => (scale * distance).exp(),
            Self::Linear => ((scale - distance) / scale).max(0.0),
        }
    }

    fn explain(self, distance: &str, scale: f64, name: Option<&str>) -> String {
        let name = name_within(name);
        match self {
            Self::Gauss => format!("exp(-0.5*pow({distance},2.0)/{}{name})", double_text(-scale)),
            Self::Exp => format!("exp(- {distance} * {}{name})", double_text(-scale)),
            Self::Linear => format!("max(0.0, (({0} - {distance})/{0}{name})", double_text(scale)),
        }
    }
}

/// Which of several distances counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MultiValueMode {
    Sum,
    Avg,
    Median,
    Min,
    Max,
}

impl MultiValueMode {
    pub fn of(text: &str) -> Result<Self> {
        Ok(match text.to_lowercase().as_str() {
            "sum" => Self::Sum,
            "avg" => Self::Avg,
            "median" => Self::Median,
            "min" => Self::Min,
            "max" => Self::Max,
            _ => return Err(Error::illegal_argument(format!("Illegal sort mode: {text}"))),
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Sum => "SUM",
            Self::Avg => "AVG",
            Self::Median => "MEDIAN",
            Self::Min => "MIN",
            Self::Max => "MAX",
        }
    }

    /// Of values in ascending order; 0 without any.
    fn pick(self, values: &[f64]) -> f64 {
        let (Some(first), Some(last)) = (values.first(), values.last()) else { return 0.0 };
        match self {
            Self::Sum => values.iter().sum(),
            Self::Avg => values.iter().sum::<f64>() / values.len() as f64,
            Self::Median => {
                let middle = values.len() / 2;
                if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
            }
            Self::Min => *first,
            Self::Max => *last,
        }
    }
}

/// What distances are measured from, and in which field.
#[derive(Clone, Debug)]
pub enum DecayOrigin {
    Number(NumberSource, f64),
    /// Distances are meters along the surface of the earth.
    Place(Arc<str>, Point),
}

impl DecayOrigin {
    fn column(&self, view: &SegmentView) -> Option<NumericColumn> {
        match self {
            Self::Number(source, _) => source.column(view),
            Self::Place(field, _) => view.segment.field(field)?.numeric().cloned(),
        }
    }

    fn distance(&self, value: i64) -> f64 {
        match self {
            Self::Number(source, origin) => (source.decode(value) - origin).abs(),
            Self::Place(_, origin) => arc_distance(*origin, decode_point(value)),
        }
    }

    fn explain(&self, value: i64, offset: f64) -> String {
        let offset = double_text(offset);
        match self {
            Self::Number(source, origin) => {
                let (value, origin) = (double_text(source.decode(value)), double_text(*origin));
                format!("Math.max(Math.abs({value}(=doc value) - {origin}(=origin))) - {offset}(=offset), 0)")
            }
            Self::Place(_, origin) => {
                let text = |point: Point| format!("{}, {}", double_text(point.lat), double_text(point.lon));
                let (value, origin) = (text(decode_point(value)), text(*origin));
                format!("Math.max(arcDistance({value}(=doc value),{origin}(=origin)) - {offset}(=offset), 0)")
            }
        }
    }
}

#[derive(Clone, Debug)]
pub struct Decay {
    pub shape: DecayShape,
    pub origin: DecayOrigin,
    /// See [`DecayShape::scale`].
    pub scale: f64,
    pub offset: f64,
    pub mode: MultiValueMode,
    pub field: Arc<str>,
}

impl Decay {
    /// Checks what the user gave as scale, decay and offset.
    pub fn check(scale: f64, decay: f64, offset: f64) -> Result<()> {
        let refused = |reason: &str| Err(Error::new(ErrorKind::IllegalArgument, format!("function_score : {reason}")));
        if scale <= 0.0 {
            return refused("scale must be > 0.0.");
        }
        if decay <= 0.0 || decay >= 1.0 {
            return refused("decay must be in the range [0..1].");
        }
        if offset < 0.0 {
            return refused("offset must be > 0.0");
        }
        Ok(())
    }
}

struct Leaf {
    function: Decay,
    column: Option<NumericColumn>,
    values: Vec<f64>,
}

impl ScoreFunction for Decay {
    fn leaf(&self, view: &SegmentView, _doc_base: u64) -> Result<Box<dyn LeafFunction>> {
        Ok(Box::new(Leaf { function: self.clone(), column: self.origin.column(view), values: vec![] }))
    }

    fn class(&self) -> &'static str {
        match self.origin {
            DecayOrigin::Number(..) => {
                "org.opensearch.index.query.functionscore.DecayFunctionBuilder$NumericFieldDataScoreFunction"
            }
            DecayOrigin::Place(..) => {
                "org.opensearch.index.query.functionscore.DecayFunctionBuilder$GeoFieldDataScoreFunction"
            }
        }
    }
}

impl LeafFunction for Leaf {
    fn score(&mut self, doc: u32, _query_score: f32) -> Result<f64> {
        let (function, values) = (&self.function, &mut self.values);
        values.clear();
        if let Some(column) = &self.column {
            column.for_each(doc, |value| {
                values.push((function.origin.distance(value) - function.offset).max(0.0));
            });
        }
        values.sort_unstable_by(f64::total_cmp);
        Ok(function.shape.value(function.mode.pick(values), function.scale))
    }

    fn explain(&mut self, doc: u32, query: &Explanation, name: Option<&str>) -> Result<Explanation> {
        let score = self.score(doc, query.score())? as f32;
        let function = &self.function;
        let mut parts = vec![];
        if let Some(column) = &self.column {
            column.for_each(doc, |value| parts.push(function.origin.explain(value, function.offset)));
        }
        let parts = if parts.is_empty() { "0.0".to_owned() } else { parts.join(", ") };
        let of = if matches!(function.origin, DecayOrigin::Place(..)) { " of: " } else { "" };
        let distance = format!("{}{of}[{parts}]", function.mode.name());
        let inner = Explanation::matching(score, function.shape.explain(&distance, function.scale, name), vec![]);
        Ok(Explanation::matching(score, format!("Function for field {}:", function.field), vec![inner]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_fall_to_the_decay_at_the_scale() {
        for shape in [DecayShape::Gauss, DecayShape::Exp, DecayShape::Linear] {
            let scale = shape.scale(2.0, 0.4);
            assert!((shape.value(2.0, scale) - 0.4).abs() < 1e-12, "{shape:?}");
            assert_eq!(shape.value(0.0, scale), 1.0);
        }
        assert_eq!(MultiValueMode::Median.pick(&[1.0, 2.0, 4.0, 9.0]), 3.0);
        assert_eq!(MultiValueMode::Avg.pick(&[]), 0.0);
        assert!(Decay::check(1.0, 1.0, 0.0).is_err());
    }

    #[test]
    fn places_are_as_far_as_the_arc_between_them() {
        let origin = Point { lat: 50.0, lon: 10.0 };
        let place = DecayOrigin::Place("place".into(), origin);
        let value = crate::geo::encode_point(Point { lat: 49.9454, lon: 9.9143 });
        assert!((place.distance(value) - 8_626.8).abs() < 1.0, "{}", place.distance(value));
        assert_eq!(
            place.explain(value, 1000.0),
            "Math.max(arcDistance(49.94539998471737, 9.914299976080656(=doc value),50.0, 10.0(=origin)) - 1000.0(=offset), 0)"
        );
    }
}
