//! Scripts that score what another query matches, and what scripts of queries need to know.

use super::candidate::Candidate;
use super::functions::{LeafFunction, ScoreFunction, name_text};
use super::late::Late;
use super::{Explanation, Faults, Plan, PlanNode, Scorer, Seen, Weight, WeightContext, float_text};
use crate::error::{Error, Result};
use crate::java_order::java_hashed_text;
use crate::json::Value;
use crate::mapping::Mapping;
use crate::script::{DocumentScript, Script, context};
use crate::segment::{NO_MORE_DOCS, SegmentView, Snapshot};
use std::fmt;
use std::sync::Arc;

/// A script and what it needs to know of the shard.
#[derive(Clone, Debug)]
pub struct BoundScript {
    pub script: Arc<Script>,
    pub mapping: MappingRef,
    pub snapshot: SnapshotRef,
    /// The name of the index.
    pub index: Arc<str>,
    /// What random scores of the shard begin with.
    pub salt: i32,
    pub now_ms: i64,
}

impl BoundScript {
    /// The script as one that scores documents.
    fn scoring(&self) -> Result<DocumentScript> {
        let mut script =
            DocumentScript::new(&self.script, &context::SCORE, &self.mapping.0, Some(&self.index), self.now_ms)?;
        script.set_salt(self.salt);
        script.set_snapshot(&self.snapshot.0);
        Ok(script)
    }
}

/// The mapping, which says nothing of itself where plans are compared by their text.
#[derive(Clone)]
pub struct MappingRef(pub Arc<Mapping>);

impl fmt::Debug for MappingRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("mapping")
    }
}

/// The shard, which says nothing of itself either.
#[derive(Clone)]
pub struct SnapshotRef(pub Arc<Snapshot>);

impl fmt::Debug for SnapshotRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("snapshot")
    }
}

/// `Script{type=inline, …}`, as the reference writes scripts.
pub fn script_text(script: &Script) -> String {
    let params = match &script.params {
        params @ Value::Object(_) => java_hashed_text(params),
        _ => "{}".to_owned(),
    };
    match script.stored_id() {
        Some(id) => format!("Script{{type=stored, lang='null', idOrCode='{id}', options=null, params={params}}}"),
        None => format!(
            "Script{{type=inline, lang='{}', idOrCode='{}', options={{}}, params={params}}}",
            script.lang, script.source
        ),
    }
}

/// `script_score`: the matches of a query, scored by a script.
#[derive(Clone, Debug)]
pub struct ScriptScore {
    pub query: Plan,
    /// That of the query within.
    pub name: Option<String>,
    pub script: BoundScript,
    pub min_score: Option<f32>,
}

impl fmt::Display for ScriptScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "script_score ({}", self.query)?;
        if let Some(name) = &self.name {
            write!(f, ", _name: {name}")?;
        }
        write!(f, ", script: {{{}}}", script_text(&self.script.script))
    }
}

impl PlanNode for ScriptScore {
    fn weight(&self, cx: &WeightContext, scores: bool, boost: f32) -> Result<Box<dyn Weight>> {
        let program = self.script.script.program(&context::SCORE)?;
        if !scores && self.min_score.is_none() {
            return self.query.bind(cx, false, boost);
        }
        let inner = self.query.bind(cx, program.uses_score, 1.0)?;
        Ok(Box::new(ScoreWeight {
            inner,
            plan: self.clone(),
            uses_score: program.uses_score,
            // Where nobody asks for scores, the least of them is held against what no boost has touched.
            boost: if scores || cx.keeps_boosts { boost } else { 1.0 },
            doc_bases: doc_bases(cx),
            faults: cx.faults.clone(),
        }))
    }

    fn unscored(&self) -> Option<&Plan> {
        self.min_score.is_none().then_some(&self.query)
    }

    fn scored_through(&self) -> Vec<&Plan> {
        vec![&self.query]
    }

    fn highlighted(&self) -> Vec<Plan> {
        vec![self.query.clone()]
    }

    fn seen(&self) -> (Seen, Seen) {
        let seen = Seen { fast: false, ..Seen::BY_ALL };
        (seen, Seen { plain: false, ..seen })
    }

    fn unknown(&self) -> Seen {
        Seen { fast: false, ..Seen::BY_ALL }
    }

    fn weighs_alike(&self) -> bool {
        true
    }

    fn simplify(&self) -> Option<Plan> {
        let query = self.query.clone().simplify();
        Some(Plan::Custom(super::CustomPlan(Arc::new(Self { query, ..self.clone() }))))
    }
}

/// The number that the first document of each segment has in the shard, by the segment's name.
pub(super) fn doc_bases(cx: &WeightContext) -> Vec<(String, u64)> {
    let mut base = 0;
    let mut bases = vec![];
    for view in &cx.snapshot.segments {
        bases.push((view.segment.name().to_owned(), base));
        base += u64::from(view.max_doc());
    }
    bases
}

struct ScoreWeight {
    inner: Box<dyn Weight>,
    plan: ScriptScore,
    uses_score: bool,
    boost: f32,
    doc_bases: Vec<(String, u64)>,
    faults: Faults,
}

impl ScoreWeight {
    fn script(&self, view: &SegmentView) -> Result<DocumentScript> {
        let mut script = self.plan.script.scoring()?;
        let base = self.doc_bases.iter().find(|(name, _)| name == view.segment.name()).map_or(0, |(_, base)| *base);
        script.enter_segment(view, base);
        Ok(script)
    }
}

impl Weight for ScoreWeight {
    fn prepare(&mut self, view: &SegmentView, spent: &mut u32) -> Result<bool> {
        self.inner.prepare(view, spent)
    }

    fn opens(&mut self, view: &SegmentView) -> Result<bool> {
        self.inner.opens(view)
    }

    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        let script = self.script(view)?;
        let Some(inner) = self.inner.scorer(view)? else { return Ok(None) };
        let late = self.plan.min_score.is_some() || inner.goes_by_candidates();
        let scorer = ScoreScorer {
            inner: Candidate::of(inner),
            late,
            script,
            live: view.clone(),
            uses_score: self.uses_score,
            boost: self.boost,
            min_score: self.plan.min_score,
            last: None,
            faults: self.faults.clone(),
        };
        Ok(Some(if late { Late::boxed(scorer) } else { Box::new(scorer) }))
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        let inner = self.inner.explain(view, doc)?.named(self.plan.name.as_deref());
        if !inner.matched {
            return Ok(inner);
        }
        let value = checked(self.script(view)?.number(doc, inner.score())?, &self.plan.script.script)?;
        let text = script_text(&self.plan.script.script);
        let score = (value * f64::from(self.boost)) as f32;
        let scored = self.uses_score.then(|| Explanation::matching(inner.score(), "_score: ", vec![inner]));
        let description = format!("script score function, computed with script:\"{text}\"");
        let details = Vec::from_iter(scored);
        let whole = match self.boost == 1.0 {
            true => Explanation::matching(score, description, details),
            false => {
                let parts = [(self.boost, "boost".to_owned(), vec![]), (value as f32, description, details)];
                let parts = parts.map(|(value, text, details)| Explanation::matching(value, text, details));
                Explanation::matching(score, "Boosted score, product of:", parts.into())
            }
        };
        if let Some(min_score) = self.plan.min_score.filter(|min| score < *min) {
            let (least, found) = (float_text(min_score), float_text(score));
            let why = format!("Score value is too low, expected at least {least} but got {found}");
            return Ok(Explanation::no_match(why, vec![whole]));
        }
        Ok(whole)
    }
}

fn checked(value: f64, script: &Script) -> Result<f64> {
    if value < 0.0 || value.is_nan() {
        return Err(Error::illegal_argument(format!(
            "script_score script returned an invalid score [{}] for doc [0]. Must be a non-negative score! [{}]",
            float_text(value as f32),
            script.source
        )));
    }
    Ok(value)
}

struct ScoreScorer {
    inner: Box<dyn Scorer>,
    /// Whether documents have to be looked at to know whether they match: many may not.
    late: bool,
    script: DocumentScript,
    live: SegmentView,
    uses_score: bool,
    boost: f32,
    min_score: Option<f32>,
    /// The score of a document that had to be computed to see whether it is enough.
    last: Option<(u32, f32)>,
    faults: Faults,
}

impl ScoreScorer {
    fn compute(&mut self) -> f32 {
        let doc = self.inner.doc();
        if let Some((last, score)) = self.last
            && last == doc
        {
            return score;
        }
        // Deleted documents are scored by no one: their values may break what holds for all others.
        if !self.live.is_live(doc) {
            return 0.0;
        }
        let score = if self.uses_score { self.inner.score() } else { 0.0 };
        let value = match self.script.number(doc, score) {
            Ok(value) if value < 0.0 || value.is_nan() => {
                let shown = float_text(value as f32);
                self.faults.report(Error::illegal_argument(format!(
                    "script_score script returned an invalid score [{shown}] for doc [{doc}]. Must be a non-negative score!"
                )));
                0.0
            }
            Ok(value) => value,
            Err(error) => {
                self.faults.report(error);
                self.inner.advance(NO_MORE_DOCS);
                return 0.0;
            }
        };
        let score = (value * f64::from(self.boost)) as f32;
        self.last = Some((doc, score));
        score
    }

    fn settle(&mut self) -> u32 {
        while self.inner.doc() != NO_MORE_DOCS && !self.matches() {
            if self.inner.doc() != NO_MORE_DOCS {
                self.inner.next();
            }
        }
        self.inner.doc()
    }
}

impl Scorer for ScoreScorer {
    fn doc(&self) -> u32 {
        self.inner.doc()
    }

    fn next(&mut self) -> u32 {
        self.inner.next();
        self.settle()
    }

    fn advance(&mut self, target: u32) -> u32 {
        self.inner.advance(target);
        self.settle()
    }

    fn score(&mut self) -> f32 {
        self.compute()
    }

    fn cost(&self) -> u64 {
        self.inner.cost()
    }

    fn is_two_phase(&self) -> bool {
        true
    }

    fn advance_candidate(&mut self, target: u32) -> u32 {
        self.inner.advance(target)
    }

    fn matches(&mut self) -> bool {
        if !self.late {
            return true;
        }
        let found = self.inner.doc() != NO_MORE_DOCS && self.inner.matches();
        found && self.min_score.is_none_or(|min| self.compute() >= min) && self.inner.doc() != NO_MORE_DOCS
    }
}

/// The function `script_score` of `function_score`.
#[derive(Debug)]
pub struct ScriptFunction(pub BoundScript);

struct FunctionLeaf {
    script: DocumentScript,
    text: String,
}

impl ScoreFunction for ScriptFunction {
    fn leaf(&self, view: &SegmentView, doc_base: u64) -> Result<Box<dyn LeafFunction>> {
        let mut script = self.0.scoring()?;
        script.enter_segment(view, doc_base);
        Ok(Box::new(FunctionLeaf { script, text: script_text(&self.0.script) }))
    }

    fn needs_scores(&self) -> bool {
        self.0.script.program(&context::SCORE).is_ok_and(|program| program.uses_score)
    }

    fn class(&self) -> &'static str {
        "org.opensearch.common.lucene.search.function.ScriptScoreFunction"
    }

    fn text(&self) -> String {
        format!("script{}", script_text(&self.0.script))
    }
}

impl LeafFunction for FunctionLeaf {
    fn score(&mut self, doc: u32, query_score: f32) -> Result<f64> {
        let value = self.script.number(doc, query_score)?;
        if value < 0.0 {
            return Err(Error::illegal_argument(format!(
                "script score function must not produce negative scores, but got: [{}]",
                super::double_text(value)
            )));
        }
        Ok(value)
    }

    fn explain(&mut self, doc: u32, query: &Explanation, name: Option<&str>) -> Result<Explanation> {
        let value = self.score(doc, query.score())?;
        let scored = Explanation::matching(query.score(), "_score: ", vec![query.clone()]);
        let description = format!("script score function{}, computed with script:\"{}\"", name_text(name), self.text);
        Ok(Explanation::matching(value as f32, description, vec![scored]))
    }
}

#[cfg(test)]
mod tests {
    use super::{Script, Value, script_text};

    #[test]
    fn parameters_are_shown_as_hash_maps() {
        let params = br#"{"z":1,"a":{"y":1.5,"b":[1,"x"],"q":null},"k":null,"longer_name":true}"#;
        let script = Script::new("1", "painless", crate::json::parse(params).unwrap());
        let shown = "params={a={q=null, b=[1, x], y=1.5}, longer_name=true, z=1, k=null}}";
        let text = script_text(&script);
        assert!(text.ends_with(shown), "{text}");
        assert!(script_text(&Script::new("1", "painless", Value::Null)).ends_with("params={}}"));
    }
}
