//! The explanation of a boolean, put together from those of its clauses.

use super::{Explanation, Plan};

/// What explaining the clauses one by one came to.
#[derive(Default)]
pub(super) struct ExplainedClauses {
    /// The details where the whole matches, and where it does not.
    pub(super) within: Vec<Explanation>,
    pub(super) without: Vec<Explanation>,
    /// Optional clauses that do not match: they are shown only where nothing that is required fails.
    pub(super) optional: Vec<Explanation>,
    pub(super) failed: bool,
    pub(super) matched: usize,
    pub(super) should_matched: usize,
}

impl ExplainedClauses {
    pub(super) fn matching(&mut self, detail: Explanation) {
        self.matched += 1;
        self.within.push(detail.clone());
        self.without.push(detail);
    }

    pub(super) fn required(&mut self, detail: Explanation, plan: &Plan) {
        if detail.matched {
            return self.matching(detail);
        }
        self.failed = true;
        self.without.push(Explanation::no_match(format!("no match on required clause ({plan})"), vec![detail]));
    }

    pub(super) fn prohibited(&mut self, detail: Explanation, plan: &Plan) {
        if detail.matched {
            self.failed = true;
            let reason = format!("match on prohibited clause ({plan})");
            self.without.push(Explanation::no_match(reason, vec![detail]));
        }
    }

    pub(super) fn desired(&mut self, detail: Explanation, plan: &Plan) {
        if detail.matched {
            self.should_matched += 1;
            return self.matching(detail);
        }
        let reason = format!("no match on optional clause ({plan})");
        self.optional.push(Explanation::no_match(reason, vec![detail]));
    }

    pub(super) fn filtering(&mut self, detail: Explanation, plan: &Plan) {
        if !detail.matched {
            return self.required(detail, plan);
        }
        let parts = vec![Explanation::matching(0.0, "# clause", vec![]), detail];
        self.matching(Explanation::matching(0.0, "match on required clause, product of:", parts));
    }

    /// Why the whole does not match, if it does not.
    pub(super) fn no_match(&self, minimum: usize) -> Option<String> {
        if self.failed {
            return Some("Failure to meet condition(s) of required/prohibited clause(s)".to_owned());
        }
        if self.matched == 0 {
            return Some("No matching clauses".to_owned());
        }
        let few = self.should_matched < minimum;
        few.then(|| {
            let matched = self.should_matched;
            format!("Failure to match minimum number of optional clauses: {minimum}, matched: {matched}")
        })
    }
}
