//! Documents with a feature, scored by a function of it.

use super::{Explanation, Plan, PlanNode, Scorer, Weight, WeightContext, float_text};
use crate::error::Result;
use crate::mapping::number::NumberKind;
use crate::mapping::types::{decode_feature, feature_prefix};
use crate::segment::{DocIterator, NO_MORE_DOCS, NumericColumn, OrdinalColumn, SegmentView, Snapshot};
use std::fmt;
use std::sync::Arc;

/// Where a feature stands: a column of its own, or among others of a field.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureSource {
    pub field: Arc<str>,
    /// None: the field itself is the feature.
    pub feature: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FeatureFunction {
    Linear,
    Log {
        scaling_factor: f32,
    },
    /// Without a pivot, the mean of the feature is one.
    Saturation {
        pivot: Option<f32>,
    },
    Sigmoid {
        pivot: f32,
        exponent: f32,
    },
}

#[derive(Clone, Debug)]
pub struct FeatureQuery {
    pub source: FeatureSource,
    pub function: FeatureFunction,
    /// Where what is not given is found, once the query is rewritten.
    pub found_in: Option<FoundIn>,
}

/// A snapshot, of which plans that are compared say nothing.
#[derive(Clone)]
pub struct FoundIn {
    pub snapshot: Arc<Snapshot>,
    pub rewritten: bool,
}

impl fmt::Debug for FoundIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.rewritten { "rewritten" } else { "asked" })
    }
}

impl FeatureSource {
    fn names(&self) -> (&str, &str) {
        match &self.feature {
            Some(feature) => (&self.field, feature),
            None => ("_feature", &self.field),
        }
    }
}

impl fmt::Display for FeatureQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (field, feature) = self.source.names();
        let function = match (self.function, &self.found_in) {
            (FeatureFunction::Saturation { pivot: None }, Some(found)) if found.rewritten => {
                FeatureFunction::Saturation { pivot: Some(mean(&self.source, &found.snapshot)) }
            }
            (function, _) => function,
        };
        write!(f, "FeatureQuery(field={field}, feature={feature}, function={function})")
    }
}

impl fmt::Display for FeatureFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Linear => f.write_str("LinearFunction"),
            Self::Log { scaling_factor } => write!(f, "LogFunction(scalingFactor={})", float_text(scaling_factor)),
            Self::Saturation { pivot } => {
                write!(f, "SaturationFunction(pivot={})", pivot.map_or("null".to_owned(), float_text))
            }
            Self::Sigmoid { pivot, exponent } => {
                write!(f, "SigmoidFunction(pivot={}, a={})", float_text(pivot), float_text(exponent))
            }
        }
    }
}

impl PlanNode for FeatureQuery {
    fn simplify(&self) -> Option<Plan> {
        let found = self.found_in.as_ref().filter(|found| !found.rewritten)?;
        let found_in = Some(FoundIn { rewritten: true, ..found.clone() });
        Some(Plan::custom(Self { found_in, source: self.source.clone(), function: self.function }))
    }

    fn weight(&self, cx: &WeightContext, scores: bool, boost: f32) -> Result<Box<dyn Weight>> {
        let function = match self.function {
            FeatureFunction::Saturation { pivot: None } if scores => {
                FeatureFunction::Saturation { pivot: Some(mean(&self.source, cx.snapshot)) }
            }
            function => function,
        };
        Ok(Box::new(FeatureWeight { source: self.source.clone(), function, boost }))
    }

    /// A term, as far as matches alone go.
    fn text_unscored(&self) -> Option<String> {
        let (field, feature) = self.source.names();
        Some(format!("{field}:{feature}"))
    }
}

/// The mean of a feature as the reference has it: of the upper bits, which it keeps a feature by.
fn mean(source: &FeatureSource, snapshot: &Snapshot) -> f32 {
    let (mut sum, mut count) = (0f64, 0u64);
    for view in &snapshot.segments {
        let Some(mut values) = Values::of(source, view) else { continue };
        while values.settle() != NO_MORE_DOCS {
            sum += f64::from(values.value().to_bits() >> 15);
            count += 1;
            values.docs.next();
        }
    }
    if count == 0 {
        return 1.0;
    }
    f32::from_bits(((sum / count as f64) as f32 as u32) << 15)
}

/// The values of a feature in a segment.
struct Values {
    docs: DocIterator,
    column: Column,
    ords: Vec<u32>,
}

enum Column {
    Numbers(NumericColumn),
    /// Ordinals of the feature's values.
    Among(OrdinalColumn, std::ops::Range<u32>),
}

impl Values {
    fn of(source: &FeatureSource, view: &SegmentView) -> Option<Self> {
        let field = view.segment.field(&source.field)?;
        let (docs, column) = match &source.feature {
            None => {
                let column = field.numeric()?.clone();
                (column.docs().iter(), Column::Numbers(column))
            }
            Some(feature) => {
                let column = field.ordinals()?.clone();
                let ord = |term: &[u8]| column.ord_of(term).unwrap_or_else(|after| after);
                let (first, end) = (ord(&feature_prefix(feature)), ord(&[feature.as_bytes(), &[1]].concat()));
                if first >= end {
                    return None;
                }
                (column.docs().iter(), Column::Among(column, first..end))
            }
        };
        Some(Self { docs, column, ords: vec![] })
    }

    fn own_ord(&mut self) -> Option<u32> {
        let Column::Among(column, own) = &self.column else { return None };
        column.ords(self.docs.doc(), &mut self.ords);
        self.ords.iter().copied().find(|ord| own.contains(ord))
    }

    /// Goes to the first document from the current one on that has the feature.
    fn settle(&mut self) -> u32 {
        while self.docs.doc() != NO_MORE_DOCS && matches!(self.column, Column::Among(..)) && self.own_ord().is_none() {
            self.docs.next();
        }
        self.docs.doc()
    }

    fn value(&mut self) -> f32 {
        let own = self.own_ord();
        match (&self.column, own) {
            (Column::Numbers(column), _) => {
                column.first(self.docs.doc()).map_or(0.0, |number| NumberKind::Float.decode(number) as f32)
            }
            (Column::Among(column, _), Some(ord)) => decode_feature(&column.term(ord)).unwrap_or(0.0),
            _ => 0.0,
        }
    }
}

struct FeatureWeight {
    source: FeatureSource,
    function: FeatureFunction,
    boost: f32,
}

impl FeatureFunction {
    fn score(self, weight: f32, value: f32) -> f32 {
        match self {
            Self::Linear => weight * value,
            Self::Log { scaling_factor } => (f64::from(weight) * f64::from(scaling_factor + value).ln()) as f32,
            Self::Saturation { pivot } => weight * (1.0 - pivot.unwrap_or(1.0) / (value + pivot.unwrap_or(1.0))),
            Self::Sigmoid { pivot, exponent } => {
                let (power, pivot) =
                    (f64::from(value).powf(f64::from(exponent)), f64::from(pivot).powf(f64::from(exponent)));
                (f64::from(weight) * (1.0 - pivot / (power + pivot))) as f32
            }
        }
    }

    /// Name, formula, and the figures that it has beside weight and feature.
    fn explained(self) -> (&'static str, &'static str, Vec<(f32, &'static str)>) {
        const PIVOT: &str = "k, pivot feature value that would give a score contribution equal to w/2";
        match self {
            Self::Linear => ("Linear", "w * S", vec![]),
            Self::Log { scaling_factor } => ("Log", "w * log(a + S)", vec![(scaling_factor, "a, scaling factor")]),
            Self::Saturation { pivot } => ("Saturation", "w * S / (S + k)", vec![(pivot.unwrap_or(1.0), PIVOT)]),
            Self::Sigmoid { pivot, exponent } => (
                "Sigmoid",
                "w * S^a / (S^a + k^a)",
                vec![
                    (pivot, PIVOT),
                    (exponent, "a, exponent, higher values make the function grow slower before k and faster after k"),
                ],
            ),
        }
    }
}

impl Weight for FeatureWeight {
    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        let Some(mut values) = Values::of(&self.source, view) else { return Ok(None) };
        values.settle();
        Ok(Some(Box::new(FeatureScorer { values, function: self.function, weight: self.boost })))
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        let (field, feature) = self.source.names();
        let missing = |why: &str| {
            let query = FeatureQuery { source: self.source.clone(), function: self.function, found_in: None };
            let text = format!("weight({query} in {doc}) [{}]. Feature {feature} {why}.", self.function);
            Ok(Explanation::no_match(text, vec![]))
        };
        let Some(mut values) = Values::of(&self.source, view) else { return missing("doesn't exist") };
        values.docs.advance(doc);
        if values.settle() != doc {
            return missing("isn't set");
        }
        let value = values.value();
        let (name, formula, figures) = self.function.explained();
        let mut details = vec![Explanation::matching(self.boost, "w, weight of this function", vec![])];
        details.extend(figures.into_iter().map(|(figure, text)| Explanation::matching(figure, text, vec![])));
        details.push(Explanation::matching(value, "S, feature value", vec![]));
        let description =
            format!("{name} function on the {field} field for the {feature} feature, computed as {formula} from:");
        Ok(Explanation::matching(self.function.score(self.boost, value), description, details))
    }
}

struct FeatureScorer {
    values: Values,
    function: FeatureFunction,
    weight: f32,
}

impl Scorer for FeatureScorer {
    fn doc(&self) -> u32 {
        self.values.docs.doc()
    }

    fn next(&mut self) -> u32 {
        self.values.docs.next();
        self.values.settle()
    }

    fn advance(&mut self, target: u32) -> u32 {
        self.values.docs.advance(target);
        self.values.settle()
    }

    fn score(&mut self) -> f32 {
        let value = self.values.value();
        self.function.score(self.weight, value)
    }

    fn cost(&self) -> u64 {
        self.values.docs.cost()
    }
}

impl FeatureQuery {
    pub fn plan(self) -> Plan {
        Plan::custom(self)
    }
}
