//! A constant, alone or times another function.

use super::super::Explanation;
use super::{LeafFunction, ScoreFunction, name_text};
use crate::error::Result;
use crate::segment::SegmentView;
use std::sync::Arc;

/// `weight`.
#[derive(Debug)]
pub struct Weighted {
    pub function: Option<Arc<dyn ScoreFunction>>,
    pub weight: f32,
}

struct Leaf {
    function: Option<Box<dyn LeafFunction>>,
    weight: f32,
}

impl ScoreFunction for Weighted {
    fn leaf(&self, view: &SegmentView, doc_base: u64) -> Result<Box<dyn LeafFunction>> {
        let function = self.function.as_ref().map(|function| function.leaf(view, doc_base)).transpose()?;
        Ok(Box::new(Leaf { function, weight: self.weight }))
    }

    fn weight(&self) -> f64 {
        f64::from(self.weight)
    }

    fn needs_scores(&self) -> bool {
        self.function.as_ref().is_some_and(|function| function.needs_scores())
    }

    fn class(&self) -> &'static str {
        "org.opensearch.common.lucene.search.function.WeightFactorFunction"
    }
}

impl LeafFunction for Leaf {
    fn score(&mut self, doc: u32, query_score: f32) -> Result<f64> {
        let value = match &mut self.function {
            Some(function) => function.score(doc, query_score)?,
            None => 1.0,
        };
        Ok(value * f64::from(self.weight))
    }

    fn explain(&mut self, doc: u32, query: &Explanation, name: Option<&str>) -> Result<Explanation> {
        let inner = match &mut self.function {
            Some(function) => function.explain(doc, query, name)?,
            None => {
                let description = format!("constant score 1.0{} - no function provided", name_text(name));
                Explanation::matching(1.0, description, vec![])
            }
        };
        let product = inner.score() * self.weight;
        Ok(Explanation::matching(
            product,
            "product of:",
            vec![inner, Explanation::matching(self.weight, "weight", vec![])],
        ))
    }
}
