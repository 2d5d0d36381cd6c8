//! `terms_set`: documents that enough of some queries match, where each document says how many are enough.

use super::candidate::Candidate;
use super::functions::NumberSource;
use super::late::Late;
use super::script::{BoundScript, script_text};
use super::{Explanation, Faults, Plan, PlanNode, Scorer, Seen, Weight, WeightContext};
use crate::error::Result;
use crate::json::{Map, Value};
use crate::mapping::number::{NumberKind, decode_u64};
use crate::script::{DocumentScript, Script, context};
use crate::segment::{NO_MORE_DOCS, NumericColumn, SegmentView};
use std::fmt;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct Covering {
    pub queries: Vec<Plan>,
    pub minimum: Minimum,
}

/// Who says how many queries are enough for a document.
#[derive(Clone, Debug)]
pub enum Minimum {
    Field(NumberSource),
    Script(BoundScript),
}

/// The same for the documents of a segment.
enum LeafMinimum {
    Field(NumberSource, NumericColumn),
    Script(Box<DocumentScript>),
}

impl Minimum {
    fn in_segment(&self, view: &SegmentView) -> Result<Option<LeafMinimum>> {
        Ok(match self {
            Self::Field(source) => source.column(view).map(|column| LeafMinimum::Field(source.clone(), column)),
            Self::Script(bound) => {
                let mapping = &bound.mapping.0;
                let mut script =
                    DocumentScript::new(&bound.script, &context::TERMS_SET, mapping, Some(&bound.index), bound.now_ms)?;
                script.enter_segment(view, 0);
                Some(LeafMinimum::Script(Box::new(script)))
            }
        })
    }
}

impl LeafMinimum {
    /// How many queries a document wants at least; none where it does not say.
    fn of(&mut self, doc: u32) -> Result<Option<i64>> {
        Ok(match self {
            // Of a number without a sign the reference takes the first bit for one.
            Self::Field(source, column) => column.first(doc).map(|value| match source.kind {
                Some(NumberKind::UnsignedLong) => decode_u64(value) as i64,
                Some(NumberKind::Long) => value,
                _ => source.decode(value) as i64,
            }),
            Self::Script(script) => Some(script.number(doc, 0.0)? as i64),
        })
    }
}

/// The script without the number of terms, which it is told beside its own parameters.
fn without_count(script: &Script) -> Script {
    let Value::Object(map) = &script.params else { return script.with_params(script.params.clone()) };
    let mut own = Map::new();
    map.iter().filter(|(name, _)| *name != "num_terms").for_each(|(name, value)| own.insert(name, value.clone()));
    script.with_params(Value::Object(own))
}

impl fmt::Display for Covering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let queries: Vec<String> = self.queries.iter().map(Plan::to_string).collect();
        let minimum = match &self.minimum {
            Minimum::Field(source) => format!("long({})", source.field),
            // What the script is told of the terms does not show.
            Minimum::Script(bound) => format!("script({})", script_text(&without_count(&bound.script))),
        };
        write!(f, "CoveringQuery(queries=[{}], minimumNumberMatch={minimum})", queries.join(", "))
    }
}

impl PlanNode for Covering {
    fn type_name(&self) -> String {
        "CoveringQuery".to_owned()
    }

    fn weight(&self, cx: &WeightContext, scores: bool, boost: f32) -> Result<Box<dyn Weight>> {
        let weights = self.queries.iter().map(|plan| plan.weight(cx, scores, boost)).collect::<Result<_>>()?;
        if let Minimum::Script(bound) = &self.minimum {
            bound.script.program(&context::TERMS_SET)?;
        }
        Ok(Box::new(CoveringWeight { weights, minimum: self.minimum.clone(), faults: cx.faults.clone() }))
    }

    fn scored_through(&self) -> Vec<&Plan> {
        self.queries.iter().collect()
    }

    fn highlighted(&self) -> Vec<Plan> {
        self.queries.clone()
    }

    fn seen(&self) -> (Seen, Seen) {
        let seen = Seen { fast: false, ..Seen::BY_ALL };
        (seen, seen)
    }

    fn weighs_alike(&self) -> bool {
        true
    }

    fn unknown(&self) -> Seen {
        Seen { fast: false, ..Seen::BY_ALL }
    }

    fn simplify(&self) -> Option<Plan> {
        let queries = self.queries.iter().map(|plan| plan.clone().simplify()).collect();
        let plan = Self { queries, minimum: self.minimum.clone() };
        Some(Plan::Custom(super::CustomPlan(Arc::new(plan))))
    }
}

struct CoveringWeight {
    weights: Vec<Box<dyn Weight>>,
    minimum: Minimum,
    faults: Faults,
}

impl Weight for CoveringWeight {
    fn prepare(&mut self, view: &SegmentView, spent: &mut u32) -> Result<bool> {
        for weight in &mut self.weights {
            if !weight.prepare(view, spent)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        let Some(minimum) = self.minimum.in_segment(view)? else { return Ok(None) };
        let mut clauses = Vec::with_capacity(self.weights.len());
        for weight in &mut self.weights {
            clauses.extend(weight.scorer(view)?);
        }
        let clauses: Vec<_> = clauses.into_iter().map(Candidate::of).collect();
        let doc = clauses.iter().map(|clause| clause.doc()).min().unwrap_or(NO_MORE_DOCS);
        let scorer = CoveringScorer { clauses, minimum, faults: self.faults.clone(), doc };
        Ok((doc != NO_MORE_DOCS).then(|| Late::boxed(scorer)))
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        let minimum = match self.minimum.in_segment(view)? {
            Some(mut minimum) => minimum.of(doc)?,
            None => None,
        };
        let Some(minimum) = minimum else {
            return Ok(Explanation::no_match("minimumNumberMatch has no value on the current document", vec![]));
        };
        let minimum = minimum.max(1);
        let (mut found, mut score, mut details) = (0, 0f64, vec![]);
        for weight in &mut self.weights {
            let detail = weight.explain(view, doc)?;
            if detail.matched {
                found += 1;
                score += f64::from(detail.score());
            }
            details.push(detail);
        }
        if found >= minimum {
            let description = format!("{found} matches for {minimum} required matches, sum of:");
            return Ok(Explanation::matching(score as f32, description, details));
        }
        Ok(Explanation::no_match(format!("{found} matches for {minimum} required matches"), details))
    }
}

struct CoveringScorer {
    clauses: Vec<Box<dyn Scorer>>,
    minimum: LeafMinimum,
    faults: Faults,
    doc: u32,
}

/// It stands on documents that any clause has as candidate. How many have to match may be what a script says of each.
impl Scorer for CoveringScorer {
    fn doc(&self) -> u32 {
        self.doc
    }

    fn next(&mut self) -> u32 {
        self.advance(self.doc + 1)
    }

    fn advance(&mut self, target: u32) -> u32 {
        self.advance_candidate(target);
        while self.doc != NO_MORE_DOCS && !self.matches() {
            self.advance_candidate(self.doc.saturating_add(1));
        }
        self.doc
    }

    fn advance_candidate(&mut self, target: u32) -> u32 {
        if target > self.doc {
            for clause in &mut self.clauses {
                if clause.doc() < target {
                    clause.advance(target);
                }
            }
            self.doc = self.clauses.iter().map(|clause| clause.doc()).min().unwrap_or(NO_MORE_DOCS);
        }
        self.doc
    }

    fn matches(&mut self) -> bool {
        let doc = self.doc;
        let minimum = match self.minimum.of(doc) {
            Ok(minimum) => minimum,
            Err(error) => {
                self.faults.report(error);
                self.doc = NO_MORE_DOCS;
                return false;
            }
        };
        let here = self.clauses.iter_mut().filter(|clause| clause.doc() == doc);
        minimum.is_some_and(|minimum| {
            here.filter_map(|clause| clause.matches().then_some(())).count() as i64 >= minimum.max(1)
        })
    }

    fn is_two_phase(&self) -> bool {
        true
    }

    fn score(&mut self) -> f32 {
        let doc = self.doc;
        let here = self.clauses.iter_mut().filter(|clause| clause.doc() == doc);
        here.filter_map(|clause| clause.matches().then(|| f64::from(clause.score()))).sum::<f64>() as f32
    }

    fn cost(&self) -> u64 {
        self.clauses.iter().map(|clause| clause.cost()).sum()
    }
}
