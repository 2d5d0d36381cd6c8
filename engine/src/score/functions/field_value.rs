//! `field_value_factor`: the value of a field, scaled and modified.

use super::super::{Explanation, double_text};
use super::{LeafFunction, NumberSource, ScoreFunction, name_text};
use crate::error::{Error, ErrorKind, Result};
use crate::segment::{NumericColumn, SegmentView};
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Modifier {
    None,
    Log,
    Log1p,
    Log2p,
    Ln,
    Ln1p,
    Ln2p,
    Square,
    Sqrt,
    Reciprocal,
}

const NAMES: &[(&str, Modifier)] = &[
    ("none", Modifier::None),
    ("log", Modifier::Log),
    ("log1p", Modifier::Log1p),
    ("log2p", Modifier::Log2p),
    ("ln", Modifier::Ln),
    ("ln1p", Modifier::Ln1p),
    ("ln2p", Modifier::Ln2p),
    ("square", Modifier::Square),
    ("sqrt", Modifier::Sqrt),
    ("reciprocal", Modifier::Reciprocal),
];

impl Modifier {
    pub fn of(text: &str) -> Result<Self> {
        let lower = text.to_lowercase();
        NAMES.iter().find(|(name, _)| *name == lower).map(|(_, modifier)| *modifier).ok_or_else(|| {
            Error::illegal_argument(format!(
                "No enum constant org.opensearch.common.lucene.search.function.FieldValueFactorFunction.Modifier.{}",
                text.to_uppercase()
            ))
        })
    }

    fn name(self) -> &'static str {
        NAMES.iter().find(|(_, modifier)| *modifier == self).map_or("none", |(name, _)| name)
    }

    fn apply(self, value: f64) -> f64 {
        match self {
            Self::None => value,
            Self::Log => value.log10(),
            Self::Log1p => (value + 1.0).log10(),
            Self::Log2p => (value + 2.0).log10(),
            Self::Ln => value.ln(),
            Self::Ln1p => value.ln_1p(),
            Self::Ln2p => (value + 1.0).ln_1p(),
            Self::Square => value.powi(2),
            Self::Sqrt => value.sqrt(),
            Self::Reciprocal => 1.0 / value,
        }
    }
}

#[derive(Clone, Debug)]
pub struct FieldValue {
    pub field: Arc<str>,
    /// None for a field that the mapping does not have: `missing` stands for all of its values.
    pub source: Option<NumberSource>,
    pub factor: f32,
    pub modifier: Modifier,
    pub missing: Option<f64>,
}

struct Leaf {
    function: FieldValue,
    column: Option<NumericColumn>,
}

impl ScoreFunction for FieldValue {
    fn leaf(&self, view: &SegmentView, _doc_base: u64) -> Result<Box<dyn LeafFunction>> {
        let column = self.source.as_ref().and_then(|source| source.column(view));
        Ok(Box::new(Leaf { function: self.clone(), column }))
    }

    fn class(&self) -> &'static str {
        "org.opensearch.common.lucene.search.function.FieldValueFactorFunction"
    }
}

impl LeafFunction for Leaf {
    fn score(&mut self, doc: u32, _query_score: f32) -> Result<f64> {
        let function = &self.function;
        let found = self.column.as_ref().and_then(|column| column.first(doc));
        let found = found.zip(function.source.as_ref()).map(|(value, source)| source.decode(value));
        let Some(value) = found.or(function.missing) else {
            return Err(Error::new(ErrorKind::General, format!("Missing value for field [{}]", function.field)));
        };
        let result = function.modifier.apply(value * f64::from(function.factor));
        if result < 0.0 {
            let hint = match function.modifier {
                Modifier::Ln => "; consider using ln1p or ln2p instead of ln to avoid negative scores",
                Modifier::Log => "; consider using log1p or log2p instead of log to avoid negative scores",
                _ => "",
            };
            return Err(Error::illegal_argument(format!(
                "field value function must not produce negative scores, but got: [{}] for field value: [{}]{hint}",
                double_text(result),
                double_text(value)
            )));
        }
        Ok(result)
    }

    fn explain(&mut self, doc: u32, query: &Explanation, name: Option<&str>) -> Result<Explanation> {
        let value = self.score(doc, query.score())?;
        let function = &self.function;
        let missing = function.missing.map_or(String::new(), |missing| format!("?:{}", double_text(missing)));
        let description = format!(
            "field value function{}: {}(doc['{}'].value{missing} * factor={})",
            name_text(name),
            function.modifier.name(),
            function.field,
            super::super::float_text(function.factor)
        );
        Ok(Explanation::matching(value as f32, description, vec![]))
    }
}
