//! Scores changed by functions of a document: `function_score`.
//!
//! - [`FunctionScore`]: a query, functions with the filters they apply to, and how their values are joined.
//! - [`ScoreFunction`], [`LeafFunction`]: what a function implements; the seam for scripts too.
//! - `field_value`, `decay`, `random`, `weight`: a file per function. `combine`: the modes. `scorer`: the weight.

mod combine;
mod decay;
mod field_value;
mod random;
mod scorer;
mod weight;

pub use combine::{BoostMode, ScoreMode};
pub use decay::{Decay, DecayOrigin, DecayShape, MultiValueMode};
pub use field_value::{FieldValue, Modifier};
pub use random::{RandomScore, RandomSource, random_number};
pub use weight::Weighted;

use super::{Explanation, Plan, PlanNode, Seen, Weight, WeightContext};
use crate::error::Result;
use crate::mapping::number::NumberKind;
use crate::segment::{NumericColumn, SegmentView};
use std::fmt;
use std::sync::Arc;

/// A number for each document.
pub trait ScoreFunction: fmt::Debug + Send + Sync {
    /// The function on one segment, whose first document is number `doc_base` of the shard.
    fn leaf(&self, view: &SegmentView, doc_base: u64) -> Result<Box<dyn LeafFunction>>;

    /// What the function counts for where values are averaged.
    fn weight(&self) -> f64 {
        1.0
    }

    /// Whether it looks at the score of the query.
    fn needs_scores(&self) -> bool {
        false
    }

    /// The class of the reference, which the text of the query shows.
    fn class(&self) -> &'static str;

    /// What the text of the query shows of it.
    fn text(&self) -> String {
        self.class().to_owned()
    }
}

/// A [`ScoreFunction`] on one segment. Documents come in ascending order.
pub trait LeafFunction {
    fn score(&mut self, doc: u32, query_score: f32) -> Result<f64>;

    /// `name`: what the function goes by, which is told.
    fn explain(&mut self, doc: u32, query: &Explanation, name: Option<&str>) -> Result<Explanation>;
}

/// A function and the documents it is for.
#[derive(Clone, Debug)]
pub struct FilteredFunction {
    pub filter: Option<Plan>,
    /// The `_name` of the filter.
    pub filter_name: Option<String>,
    pub function: Arc<dyn ScoreFunction>,
    /// The `_name` of the function.
    pub name: Option<String>,
}

/// `(_name: …)`, as explanations have it, or nothing.
pub(super) fn name_text(name: Option<&str>) -> String {
    name.map_or_else(String::new, |name| format!("(_name: {name})"))
}

/// The same within brackets.
fn name_within(name: Option<&str>) -> String {
    name.map_or_else(String::new, |name| format!(", _name: {name}"))
}

/// `function_score`.
#[derive(Clone, Debug)]
pub struct FunctionScore {
    pub query: Plan,
    /// That of the query within.
    pub name: Option<String>,
    pub functions: Vec<FilteredFunction>,
    pub score_mode: ScoreMode,
    pub boost_mode: BoostMode,
    pub max_boost: f32,
    pub min_score: Option<f32>,
}

impl fmt::Display for FunctionScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "function score ({}, functions: [", self.query)?;
        for function in &self.functions {
            match function.filter {
                Some(_) => {
                    f.write_str(
                        "{org.opensearch.common.lucene.search.function.FunctionScoreQuery$FilterScoreFunction}",
                    )?;
                }
                None => write!(f, "{{{}}}", function.function.text())?,
            }
        }
        f.write_str("])")
    }
}

impl PlanNode for FunctionScore {
    fn type_name(&self) -> String {
        "FunctionScoreQuery".to_owned()
    }

    /// One function for all documents tells by itself what it comes to, and nothing comes of none.
    fn is_explained_by_scorer(&self, cx: &WeightContext, view: &SegmentView, doc: u32) -> Result<bool> {
        if let [FilteredFunction { filter: None, .. }] = &self.functions[..] {
            return Ok(false);
        }
        for function in &self.functions {
            let Some(filter) = &function.filter else { return Ok(true) };
            if filter.weight(cx, false, 1.0)?.explain(view, doc)?.matched {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn weight(&self, cx: &WeightContext, scores: bool, boost: f32) -> Result<Box<dyn Weight>> {
        if !scores && self.min_score.is_none() {
            if cx.profiler.is_some() && cx.best {
                // The reference has their weights made, and asks nothing of them.
                for filter in self.functions.iter().filter_map(|function| function.filter.as_ref()) {
                    filter.weight(&cx.for_filters(), false, 1.0)?;
                }
            }
            return self.query.bind(cx, false, boost);
        }
        // Where nobody asks for scores, the least of them is held against what no boost has touched.
        let boost = if scores || cx.keeps_boosts { boost } else { 1.0 };
        Ok(Box::new(scorer::FunctionScoreWeight::new(cx, self, boost)?))
    }

    fn unscored(&self) -> Option<&Plan> {
        self.min_score.is_none().then_some(&self.query)
    }

    fn asks_all_for_best(&self) -> bool {
        true
    }

    fn scored_through(&self) -> Vec<&Plan> {
        std::iter::once(&self.query).chain(self.functions.iter().filter_map(|f| f.filter.as_ref())).collect()
    }

    fn highlighted(&self) -> Vec<Plan> {
        vec![self.query.clone()]
    }

    fn unknown(&self) -> Seen {
        Seen { unified: true, ..Seen::BY_NONE }
    }

    fn simplify(&self) -> Option<Plan> {
        let query = self.query.clone().simplify();
        let filter = |function: &FilteredFunction| FilteredFunction {
            filter: function.filter.clone().map(Plan::simplify),
            ..function.clone()
        };
        let functions = self.functions.iter().map(filter).collect();
        Some(Plan::Custom(super::CustomPlan(Arc::new(Self { query, functions, ..self.clone() }))))
    }
}

/// The numeric doc values of a field.
#[derive(Clone, Debug)]
pub struct NumberSource {
    pub field: Arc<str>,
    /// How numbers are encoded; none for those that stand for themselves.
    pub kind: Option<NumberKind>,
    /// Whether they are nanoseconds, of which whole milliseconds are what is told.
    pub nanos: bool,
}

impl NumberSource {
    pub fn column(&self, view: &SegmentView) -> Option<NumericColumn> {
        view.segment.field(&self.field).and_then(|field| field.numeric()).cloned()
    }

    pub fn decode(&self, value: i64) -> f64 {
        if self.nanos {
            return value.div_euclid(1_000_000) as f64;
        }
        self.kind.map_or(value as f64, |kind| kind.decode(value))
    }
}
