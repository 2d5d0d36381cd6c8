//! Scripts as queries: those that decide which documents match, and those that score what another query matches.

use super::candidate::Candidate;
use super::exists::passed_on;
use super::functions::{LeafFunction, ScoreFunction, name_text};
use super::late::Late;
use super::{DocsScorer, Explanation, Faults, Plan, PlanNode, Scorer, Seen, Weight, WeightContext, float_text};
use crate::error::{Error, Result};
use crate::java_order::java_hashed_text;
use crate::json::Value;
use crate::mapping::Mapping;
use crate::script::{DocumentScript, Script, context};
use crate::segment::{DocIterator, NO_MORE_DOCS, SegmentView, Snapshot};
use std::cell::RefCell;
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

/// `script`: the documents for which a script says yes.
#[derive(Debug)]
pub struct ScriptFilter {
    pub script: BoundScript,
    /// The `_name` that the query goes by, which its text says.
    pub name: Option<String>,
}

impl fmt::Display for ScriptFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ScriptQuery({}", script_text(&self.script.script))?;
        if let Some(name) = &self.name {
            write!(f, ", _name: {name}")?;
        }
        f.write_str(")")
    }
}

impl PlanNode for ScriptFilter {
    fn type_name(&self) -> String {
        "ScriptQuery".to_owned()
    }

    fn weight(&self, cx: &WeightContext, _scores: bool, boost: f32) -> Result<Box<dyn Weight>> {
        // A script that does not compile is an error even where there are no documents.
        self.script.script.program(&context::FILTER)?;
        Ok(Box::new(FilterWeight {
            script: self.script.clone(),
            text: self.to_string(),
            boost,
            faults: cx.faults.clone(),
        }))
    }
}

struct FilterWeight {
    script: BoundScript,
    text: String,
    boost: f32,
    faults: Faults,
}

impl FilterWeight {
    fn script(&self, view: &SegmentView) -> Result<DocumentScript> {
        let bound = &self.script;
        let mut script =
            DocumentScript::new(&bound.script, &context::FILTER, &bound.mapping.0, Some(&bound.index), bound.now_ms)?;
        script.enter_segment(view, 0);
        Ok(script)
    }
}

impl Weight for FilterWeight {
    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        let script = self.script(view)?;
        let Some(docs) = DocsScorer::boxed(DocIterator::range(0, view.max_doc()), self.boost) else { return Ok(None) };
        let live = view.clone();
        let parts = FilterParts { docs, script, live, faults: self.faults.clone(), begun: false };
        let scorer = FilterScorer { parts: RefCell::new(parts), boost: self.boost };
        Ok(Some(Box::new(scorer)))
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        let matches = self.script(view)?.boolean(doc)?;
        Ok(match matches {
            true if self.boost != 1.0 => {
                Explanation::matching(self.boost, format!("{}^{}", self.text, float_text(self.boost)), vec![])
            }
            true => Explanation::matching(self.boost, self.text.clone(), vec![]),
            false => Explanation::no_match(format!("{} doesn't match id {doc}", self.text), vec![]),
        })
    }
}

/// It looks for its first match when it is asked where it stands: beside other clauses it need not be, and documents that these
/// leave out may be none that the script can do anything with.
struct FilterScorer {
    parts: RefCell<FilterParts>,
    boost: f32,
}

struct FilterParts {
    docs: Box<dyn Scorer>,
    script: DocumentScript,
    live: SegmentView,
    faults: Faults,
    begun: bool,
}

impl FilterParts {
    fn confirmed(&mut self) -> bool {
        let doc = self.docs.doc();
        if !self.live.is_live(doc) {
            return false;
        }
        match self.script.boolean(doc) {
            Ok(matches) => matches,
            Err(error) => {
                self.faults.report(error);
                self.docs.advance(NO_MORE_DOCS);
                false
            }
        }
    }

    /// Goes on to the first document that matches, from the current one.
    fn settle(&mut self) -> u32 {
        while self.docs.doc() != NO_MORE_DOCS && !self.confirmed() {
            if self.docs.doc() != NO_MORE_DOCS {
                self.docs.next();
            }
        }
        self.docs.doc()
    }

    /// Stands on a match if it has just been made.
    fn begin(&mut self) {
        if !std::mem::replace(&mut self.begun, true) {
            self.settle();
        }
    }

    /// Goes on to a document, whether it matches or not.
    fn go(&mut self, target: u32) -> u32 {
        self.begun = true;
        if self.docs.doc() < target { self.docs.advance(target) } else { self.docs.doc() }
    }
}

impl Scorer for FilterScorer {
    fn doc(&self) -> u32 {
        let mut parts = self.parts.borrow_mut();
        parts.begin();
        parts.docs.doc()
    }

    fn next(&mut self) -> u32 {
        let parts = self.parts.get_mut();
        parts.begin();
        parts.docs.next();
        parts.settle()
    }

    fn advance(&mut self, target: u32) -> u32 {
        let parts = self.parts.get_mut();
        parts.go(target);
        parts.settle()
    }

    fn score(&mut self) -> f32 {
        self.boost
    }

    fn cost(&self) -> u64 {
        self.parts.borrow().docs.cost()
    }

    fn advance_candidate(&mut self, target: u32) -> u32 {
        self.parts.get_mut().go(target)
    }

    fn candidate_from(&mut self, target: u32) -> u32 {
        self.parts.get_mut().go(target)
    }

    fn goes_by_candidates(&self) -> bool {
        true
    }

    fn matches(&mut self) -> bool {
        let parts = self.parts.get_mut();
        parts.begin();
        parts.docs.doc() != NO_MORE_DOCS && parts.confirmed()
    }

    fn is_two_phase(&self) -> bool {
        true
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
            return Ok(passed_on(&self.query, self.query.bind(cx, false, boost)?));
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
    use crate::search::tests::{search, shard};

    #[test]
    fn scripts_do_not_see_what_other_clauses_leave_out() {
        let mapping = r#"{"properties":{"n":{"type":"integer"},"k":{"type":"keyword"}}}"#;
        let cx = shard(mapping, &[&[r#"{"k":"a"}"#, r#"{"n":1,"k":"a"}"#, r#"{"n":2}"#, r#"{"k":"b"}"#]]);
        let script = r#"{"script":{"script":"doc['n'].value == 1"}}"#;
        for (clauses, total) in [
            (format!(r#""filter":[{{"exists":{{"field":"n"}}}},{script}]"#), 1),
            (format!(r#""filter":[{script},{{"exists":{{"field":"n"}}}}]"#), 1),
            (format!(r#""must":{{"range":{{"n":{{"gte":1}}}}}},"must_not":{script}"#), 1),
            (format!(r#""must":{{"exists":{{"field":"n"}}}},"filter":[{{"term":{{"k":"a"}}}},{script}]"#), 1),
        ] {
            for size in [0, 5] {
                let answer = search(&cx, &format!(r#"{{"size":{size},"query":{{"bool":{{{clauses}}}}}}}"#));
                assert!(answer.contains(&format!(r#""total":{{"value":{total},"#)), "{clauses} {answer}");
            }
        }
        let answer = search(&cx, &format!(r#"{{"query":{script}}}"#));
        assert!(answer.contains("runtime error"), "{answer}");
    }

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
