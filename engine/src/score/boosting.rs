//! `boosting`: a query, and another one that takes something off the score of what matches both.

use super::candidate::Candidate;
use super::{Explanation, Number, Plan, PlanNode, Scorer, Weight, WeightContext, float_text, takes};
use crate::error::Result;
use crate::segment::{Counting, SegmentView};
use std::fmt;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct Boosting {
    pub positive: Plan,
    /// Or why it grows to too much, which is an error where scores are wanted.
    pub negative: Result<Plan>,
    /// The negative query as it was asked.
    pub asked: String,
    pub negative_boost: f32,
}

impl fmt::Display for Boosting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { positive, asked, negative_boost, .. } = self;
        let boost = float_text(*negative_boost);
        write!(f, "FunctionScoreQuery({positive}, scored by boost(queryboost(score({asked}))^{boost}))")
    }
}

impl PlanNode for Boosting {
    fn type_name(&self) -> String {
        "FunctionScoreQuery".to_owned()
    }

    fn weight(&self, cx: &WeightContext, scores: bool, boost: f32) -> Result<Box<dyn Weight>> {
        // Neither has an entry of its own in a profile.
        let positive = self.positive.bind(cx, scores, 1.0)?;
        if !scores {
            return Ok(positive);
        }
        // The reference weighs it as if its score were wanted, which shows in a profile and in what the shards' statistics are asked for.
        let shows = cx.profiler.is_some() || matches!(cx.snapshot.counting, Counting::Noted(_));
        let negative = self.negative.as_ref().map_err(Clone::clone)?.bind(cx, shows, 1.0)?;
        Ok(Box::new(BoostingWeight { plan: self.clone(), positive, negative, boost }))
    }

    fn unscored(&self) -> Option<&Plan> {
        Some(&self.positive)
    }

    fn scored_through(&self) -> Vec<&Plan> {
        std::iter::once(&self.positive).chain(self.negative.as_ref().ok()).collect()
    }

    fn highlighted(&self) -> Vec<Plan> {
        vec![self.positive.clone()]
    }

    fn simplify(&self) -> Option<Plan> {
        let positive = self.positive.clone().simplify();
        let negative = self.negative.clone().map(Plan::simplify);
        let plan = Self { positive, negative, ..self.clone() };
        Some(Plan::Custom(super::CustomPlan(Arc::new(plan))))
    }
}

struct BoostingWeight {
    plan: Boosting,
    positive: Box<dyn Weight>,
    negative: Box<dyn Weight>,
    boost: f32,
}

impl Weight for BoostingWeight {
    fn prepare(&mut self, view: &SegmentView, spent: &mut u32) -> Result<bool> {
        Ok(self.positive.prepare(view, spent)? && self.negative.prepare(view, spent)?)
    }

    fn opens(&mut self, view: &SegmentView) -> Result<bool> {
        let opens = self.positive.opens(view)?;
        if opens {
            self.negative.opens(view)?;
        }
        Ok(opens)
    }

    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        let Some(positive) = self.positive.scorer(view)? else {
            // What only turns out to match nothing has the other part opened, which may refuse.
            if self.positive.opens(view)? {
                self.negative.opens(view)?;
            }
            return Ok(None);
        };
        let negative = self.negative.scorer_below(view, positive.cost())?.map(Candidate::of);
        let scorer = BoostingScorer { positive, negative, negative_boost: self.plan.negative_boost, boost: self.boost };
        Ok(Some(Box::new(scorer)))
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        let positive = self.positive.explain(view, doc)?;
        if !positive.matched {
            return Ok(positive);
        }
        let negative = match self.negative.scorer(view)? {
            Some(mut scorer) => scorer.doc() <= doc && scorer.advance(doc) == doc,
            None => false,
        };
        let product = if negative {
            let boost = self.plan.negative_boost;
            let product = f64::from(positive.score()) * f64::from(boost);
            // The reference asks the weight of the query for its text, which knows of no boost around it.
            let mut negative = self.plan.negative.as_ref().map_err(Clone::clone)?;
            while let Plan::Boost(inner, _) = negative {
                negative = inner;
            }
            let matched = format!("Matched boosting query score({negative})");
            let details = vec![positive, Explanation::matching(boost, matched, vec![])];
            Explanation::matching(0.0, "product of:", details).valued(Number::Double(product))
        } else {
            positive
        };
        if self.boost == 1.0 {
            let value = product.value;
            return Ok(
                Explanation::matching(0.0, format!("weight({}), result of:", self.plan), vec![product]).valued(value)
            );
        }
        let score = match product.value {
            Number::Double(value) => (value * f64::from(self.boost)) as f32,
            _ => product.score() * self.boost,
        };
        let boost = Explanation::matching(self.boost, "boost", vec![]);
        Ok(Explanation::matching(score, format!("weight({}), product of:", self.plan), vec![boost, product]))
    }
}

struct BoostingScorer {
    positive: Box<dyn Scorer>,
    negative: Option<Box<dyn Scorer>>,
    negative_boost: f32,
    boost: f32,
}

impl Scorer for BoostingScorer {
    fn doc(&self) -> u32 {
        self.positive.doc()
    }

    fn next(&mut self) -> u32 {
        self.positive.next()
    }

    fn advance(&mut self, target: u32) -> u32 {
        self.positive.advance(target)
    }

    fn score(&mut self) -> f32 {
        let doc = self.positive.doc();
        let mut score = f64::from(self.positive.score());
        if let Some(negative) = &mut self.negative
            && takes(negative.as_mut(), doc)
        {
            score *= f64::from(self.negative_boost);
        }
        let score = (score * f64::from(self.boost)) as f32;
        if score.is_nan() || score < 0.0 { 0.0 } else { score.min(f32::MAX) }
    }

    fn cost(&self) -> u64 {
        self.positive.cost()
    }

    fn advance_candidate(&mut self, target: u32) -> u32 {
        self.positive.advance_candidate(target)
    }

    fn candidate_from(&mut self, target: u32) -> u32 {
        self.positive.candidate_from(target)
    }

    fn matches(&mut self) -> bool {
        self.positive.matches()
    }

    fn goes_by_candidates(&self) -> bool {
        self.positive.goes_by_candidates()
    }

    fn is_two_phase(&self) -> bool {
        self.positive.is_two_phase()
    }
}
