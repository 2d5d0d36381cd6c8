//! Scripts that decide which documents match.

use super::script::{BoundScript, script_text};
use super::{DocsScorer, Explanation, Faults, PlanNode, Scorer, Weight, WeightContext, float_text};
use crate::error::Result;
use crate::script::{DocumentScript, context};
use crate::segment::{DocIterator, NO_MORE_DOCS, SegmentView};
use std::cell::RefCell;
use std::fmt;

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

#[cfg(test)]
mod tests {
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
}
