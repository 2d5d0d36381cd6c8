use super::*;
use crate::score::{Automaton, BlendedTerm, MultiTerm, TermSet};

#[derive(Debug)]
struct Pattern(String);

impl Automaton for Pattern {
    fn matches(&self, term: &[u8]) -> bool {
        term.starts_with(self.0.as_bytes())
    }

    fn prefix(&self) -> &[u8] {
        b""
    }
}

fn term(text: &str) -> Plan {
    let field: Arc<str> = "t".into();
    Plan::term(&field, text.as_bytes())
}

fn simplified(plan: BoolPlan) -> String {
    Plan::Bool(plan).simplify().to_string()
}

#[test]
fn single_clauses_stand_alone() {
    let bool_plan = BoolPlan::default;
    assert_eq!(simplified(BoolPlan { must: vec![term("a")], ..bool_plan() }), "t:a");
    assert_eq!(simplified(BoolPlan { should: vec![term("a")], ..bool_plan() }), "t:a");
    assert_eq!(simplified(BoolPlan { filter: vec![term("a")], ..bool_plan() }), "(ConstantScore(t:a))^0.0");
    let both = Plan::Bool(BoolPlan { must: vec![term("a"), term("b")], ..bool_plan() });
    let filter = vec![both, Plan::All];
    assert_eq!(simplified(BoolPlan { filter, ..bool_plan() }), "(ConstantScore(#t:a #t:b))^0.0");
    assert_eq!(simplified(bool_plan()), "MatchNoDocsQuery(\"empty BooleanQuery\")");
    let contrary =
        BoolPlan { filter: vec![Plan::All], must_not: vec![Plan::All], minimum_should_match: 1, ..bool_plan() };
    let reason = "MatchNoDocsQuery(\"FILTER or MUST clause also in MUST_NOT\")";
    assert_eq!(simplified(contrary), reason);
    let any = |plans: [Plan; 2]| Plan::DisMax { plans: plans.into(), tie_breaker: 0.0 };
    let pattern = |pattern: &str| {
        let set = TermSet::Pattern(Arc::new(Pattern(pattern.into())));
        Plan::MultiTerm(MultiTerm { field: "t".into(), set, text: format!("t:{pattern}") })
    };
    let must = vec![any([pattern("a?"), term("b")])];
    let must_not = vec![any([term("b"), pattern("a?")])];
    assert_eq!(simplified(BoolPlan { must: must.clone(), must_not, ..bool_plan() }), reason);
    let must_not = vec![any([term("b"), pattern("b?")])];
    assert_eq!(simplified(BoolPlan { must, must_not, ..bool_plan() }), "+(t:a? | t:b) -(t:b | t:b?)");
    let sum = Plan::DisMax { plans: vec![term("a"), term("b").constant().boosted(2.0)], tie_breaker: 1.0 };
    assert_eq!(sum.constant().simplify().to_string(), "ConstantScore(t:a t:b)");
    // What is left alone stands for the whole.
    let either = Plan::Bool(BoolPlan { should: vec![term("a"), term("b")], ..bool_plan() });
    let should = vec![Plan::nothing("no terms"), either];
    let left = BoolPlan { should, minimum_should_match: 1, ..bool_plan() };
    assert_eq!(simplified(left.clone()), "t:a t:b");
    assert_eq!(Plan::Bool(left).constant().simplify().to_string(), "ConstantScore(t:a t:b)");
    let wanting = BoolPlan { minimum_should_match: 2, ..bool_plan() };
    assert_eq!(simplified(wanting), "MatchNoDocsQuery(\"empty BooleanQuery\")");
}

/// A node that is made anew whenever it is simplified, as those are that hold other plans.
#[derive(Debug)]
struct Restless;

impl std::fmt::Display for Restless {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("restless")
    }
}

impl crate::score::PlanNode for Restless {
    fn weight(
        &self,
        cx: &crate::score::WeightContext,
        scores: bool,
        boost: f32,
    ) -> crate::error::Result<Box<dyn crate::score::Weight>> {
        Plan::All.bind(cx, scores, boost)
    }

    fn simplify(&self) -> Option<Plan> {
        Some(Plan::custom(Restless))
    }
}

#[test]
fn filters_that_are_made_anew_are_simplified_once() {
    let filter = vec![Plan::custom(Restless)];
    let plan = BoolPlan { must: vec![term("a")], filter, ..BoolPlan::default() };
    assert_eq!(simplified(plan), "+t:a #restless");
}

#[test]
fn disjunctions_are_inlined_and_duplicates_summed() {
    let inner = Plan::Bool(BoolPlan { should: vec![term("a"), term("b")], ..BoolPlan::default() });
    let outer = BoolPlan { should: vec![inner, term("a")], ..BoolPlan::default() };
    assert_eq!(simplified(outer), "(t:a)^2.0 t:b");
}

#[test]
fn constants_of_the_same_term_are_summed() {
    let blended = |doc_freq| {
        let (field, term) = ("t".into(), b"a".to_vec());
        Plan::Blended(BlendedTerm { field, term, doc_freq, total_term_freq: 9, once: false }).constant()
    };
    let should = vec![blended(3).boosted(0.0), blended(5).boosted(0.5), term("a")];
    let plan = Plan::Bool(BoolPlan { should, ..BoolPlan::default() }).simplify();
    assert_eq!(plan.to_string(), "(ConstantScore(t:a))^0.5 t:a");
}

#[test]
fn terms_are_the_same_whatever_they_are_scored_by() {
    let blended = |doc_freq| {
        Plan::Blended(BlendedTerm { field: "t".into(), term: b"a".to_vec(), doc_freq, total_term_freq: 9, once: false })
    };
    let should = vec![blended(3), blended(5).boosted(0.75), term("b")];
    let plan = Plan::Bool(BoolPlan { should, ..BoolPlan::default() }).simplify();
    let excluded = BoolPlan { must: vec![blended(3), term("b")], must_not: vec![term("a")], ..BoolPlan::default() };
    assert_eq!(simplified(excluded), "MatchNoDocsQuery(\"FILTER or MUST clause also in MUST_NOT\")");
    // So it is where one of them is taken in.
    let inner = Plan::Bool(BoolPlan { must: vec![blended(3), term("b")], ..BoolPlan::default() });
    let excluded = BoolPlan { must: vec![inner, term("c")], must_not: vec![term("a")], ..BoolPlan::default() };
    assert_eq!(simplified(excluded), "MatchNoDocsQuery(\"FILTER or MUST clause also in MUST_NOT\")");
    let kept = vec![blended(3).boosted(1.75), term("b")];
    assert_eq!(plan, Plan::Bool(BoolPlan { should: kept, ..BoolPlan::default() }));
}

#[test]
fn disjunctions_are_inlined_before_scores_are_lost_or_not_at_all() {
    let any = Plan::Bool(BoolPlan { should: vec![term("a"), term("b")], ..BoolPlan::default() });
    let but = |not: Plan| BoolPlan { must: vec![any.clone()], must_not: vec![not], ..BoolPlan::default() };
    let without =
        |plan: Plan| simplified(BoolPlan { must: vec![term("x")], must_not: vec![plan], ..BoolPlan::default() });
    let set = || TermSet::Pattern(Arc::new(Pattern("c?".into())));
    let pattern = || Plan::MultiTerm(MultiTerm { field: "t".into(), set: set(), text: "t:c?".to_owned() });
    assert_eq!(without(Plan::Bool(but(term("c")))), "+t:x -((-t:c t:a t:b)~1)");
    assert_eq!(without(Plan::Bool(but(pattern())).boosted(2.0)), "+t:x -((-t:c? t:a t:b)~1)");
    // So it is where a clause stands for another one, which the boost outlives.
    let written = || term("c").written_as("Approximate(c)");
    assert_eq!(without(Plan::Bool(but(written())).boosted(2.0)), "+t:x -((-t:c t:a t:b)~1)");
    assert_eq!(without(Plan::Bool(but(written()))), "+t:x -(-t:c #(t:a t:b))");
    // While a clause is rewritten, all that is required becomes a filter.
    assert_eq!(without(Plan::Bool(but(pattern()))), "+t:x -(-t:c? #(t:a t:b))");
}

#[test]
fn what_is_required_of_required_clauses_is_required_at_once() {
    let inner = Plan::Bool(BoolPlan { must: vec![term("a"), term("b")], ..BoolPlan::default() });
    let outer = BoolPlan { should: vec![inner, term("c")], minimum_should_match: 2, ..BoolPlan::default() };
    assert_eq!(simplified(outer), "+t:a +t:b +t:c");
    // What only let everything through beside what may not match is idle then.
    let inner = BoolPlan { filter: vec![Plan::All], must_not: vec![term("a")], ..BoolPlan::default() };
    let should = vec![Plan::Bool(inner), term("c")];
    let outer = BoolPlan { should, minimum_should_match: 2, ..BoolPlan::default() };
    assert_eq!(simplified(outer), "+t:c -t:a");
}

#[test]
fn the_last_of_several_that_match_nothing_tells_why() {
    let wanting = || Plan::Bool(BoolPlan { should: vec![term("a")], minimum_should_match: 2, ..BoolPlan::default() });
    let any = |plans: Vec<Plan>| Plan::DisMax { plans, tie_breaker: 0.0 }.simplify().to_string();
    let empty = "MatchNoDocsQuery(\"empty DisjunctionMaxQuery\")";
    let less = "MatchNoDocsQuery(\"SHOULD clause count less than minimumNumberShouldMatch\")";
    assert_eq!(any(vec![wanting(), wanting()]), empty);
    assert_eq!(any(vec![wanting(), wanting().boosted(2.0)]), empty);
    let (known, no_terms) = (Plan::nothing("x").written_as("y"), Plan::nothing(NO_CLAUSES));
    assert_eq!(any(vec![known.clone(), known.boosted(2.0)]), empty);
    assert_eq!(any(vec![no_terms.clone(), no_terms.boosted_whatever(2.0)]), empty);
    assert_eq!(any(vec![Plan::nothing("x"), Plan::nothing(NO_CLAUSES)]), "MatchNoDocsQuery(\"empty BooleanQuery\")");
    assert_eq!(any(vec![wanting().boosted(3.0), wanting().boosted(2.0)]), empty);
    let blended =
        Plan::DisMax { plans: vec![term("a"), term("b")], tie_breaker: 0.0 }.written_as("blended(terms:[t:a, t:b])");
    let late = Plan::Bool(BoolPlan { must: vec![blended], minimum_should_match: 1, ..BoolPlan::default() });
    assert_eq!(any(vec![late.clone(), wanting()]), less);
    assert_eq!(any(vec![late.clone(), late]), empty);
}

#[test]
fn what_is_filtered_and_wanted_is_required() {
    let wanting = |filter, should, minimum_should_match| {
        simplified(BoolPlan { filter, should, minimum_should_match, ..BoolPlan::default() })
    };
    let any = |plans: [Plan; 2]| Plan::Bool(BoolPlan { should: plans.into(), ..BoolPlan::default() });
    assert_eq!(wanting(vec![term("a")], vec![term("a"), term("b")], 0), "+t:a t:b");
    assert_eq!(wanting(vec![term("a")], vec![term("a"), term("a"), term("b")], 0), "+(t:a)^2.0 t:b");
    assert_eq!(wanting(vec![term("a")], vec![term("a"), term("b"), term("c")], 2), "(+t:a t:b t:c)~1");
    assert_eq!(wanting(vec![term("a")], vec![term("a").boosted(2.0), term("b")], 0), "(t:a)^2.0 t:b #t:a");
    assert_eq!(wanting(vec![Plan::All, term("a")], vec![Plan::All, term("b")], 0), "*:* t:b #t:a");
    assert_eq!(wanting(vec![term("a")], vec![any([term("a"), term("c")]), term("b")], 0), "+t:a t:c t:b");
    let either = || any([term("a"), term("c")]);
    assert_eq!(wanting(vec![either()], vec![either(), term("b")], 0), "+(t:a t:c) t:b");
}

#[test]
fn a_disjunction_is_taken_in_before_scores_are_forgotten() {
    let either = Plan::Bool(BoolPlan { should: vec![term("a"), term("b")], ..BoolPlan::default() });
    let inner = BoolPlan { must: vec![either], must_not: vec![term("c")], ..BoolPlan::default() };
    let outer = BoolPlan { must: vec![term("q")], filter: vec![Plan::Bool(inner.clone())], ..BoolPlan::default() };
    assert_eq!(simplified(outer), "+t:q #((-t:c t:a t:b)~1)");
    let twice = BoolPlan { filter: vec![term("a")], must_not: vec![], ..inner.clone() };
    assert_eq!(Plan::Bool(twice.clone()).simplify().to_string(), "+t:a t:b");
    assert_eq!(Plan::Bool(twice).constant().simplify().to_string(), "ConstantScore(t:a)");
    // What changes in other ways as well has lost them by then.
    let ids = BoolPlan { must_not: vec![Plan::Ids(vec!["1".to_owned()])], ..inner.clone() };
    assert!(!Plan::Bool(ids).constant().simplify().to_string().contains("~1"));
    let both = BoolPlan { must: vec![term("d"), term("e")], ..BoolPlan::default() };
    let inner = BoolPlan { filter: vec![Plan::Bool(both)], ..inner };
    let outer = BoolPlan { must: vec![term("q")], filter: vec![Plan::Bool(inner)], ..BoolPlan::default() };
    assert_eq!(simplified(outer), "+t:q -t:c #(t:a t:b) #t:d #t:e");
}

#[test]
fn what_is_boosted_by_nothing_is_constant() {
    let both = || Plan::Bool(BoolPlan { should: vec![term("a"), term("b")], ..BoolPlan::default() });
    assert_eq!(both().boosted(2.0).boosted(0.0).simplify().to_string(), "(ConstantScore(t:a t:b))^0.0");
    let unscored = |second: Plan| {
        let sum = Plan::DisMax { plans: vec![term("a"), second], tie_breaker: 1.0 };
        let but = BoolPlan { must: vec![sum], must_not: vec![term("c")], ..BoolPlan::default() };
        Plan::Bool(but).boosted(0.0).simplify().to_string()
    };
    assert_eq!(unscored(term("b")), "(ConstantScore((-t:c t:a t:b)~1))^0.0");
    // What is put in the place of a pattern comes too late for it to be taken in before scores are lost.
    let ids = Plan::Ids(vec!["1".to_owned()]);
    let text = format!("(ConstantScore(-t:c #(t:a {ids})))^0.0");
    assert_eq!(unscored(ids), text);
}

#[test]
fn clauses_that_cannot_match_decide() {
    let nothing = || Plan::nothing("x");
    assert_eq!(
        simplified(BoolPlan { must: vec![term("a"), nothing()], ..BoolPlan::default() }),
        "MatchNoDocsQuery(\"x\")"
    );
    let no_terms = Plan::nothing(NO_CLAUSES);
    assert_eq!(
        simplified(BoolPlan { must: vec![no_terms, nothing()], ..BoolPlan::default() }),
        "MatchNoDocsQuery(\"x\")"
    );
    // Alternatives of no terms are found out later than what is known at once behind them.
    let patterns = || Plan::DisMax { plans: vec![Plan::nothing(NO_CLAUSES); 2], tie_breaker: 0.0 };
    let found_first = |must: Vec<Plan>| simplified(BoolPlan { must, ..BoolPlan::default() });
    assert_eq!(found_first(vec![patterns(), nothing().written_as("y")]), "MatchNoDocsQuery(\"x\")");
    // Of alternatives the one that is found out last.
    let any = |should: Vec<Plan>| simplified(BoolPlan { should, ..BoolPlan::default() });
    assert_eq!(any(vec![patterns(), nothing().written_as("y")]), "MatchNoDocsQuery(\"empty DisjunctionMaxQuery\")");
    assert_eq!(any(vec![patterns(), patterns()]), "MatchNoDocsQuery(\"empty BooleanQuery\")");
    assert_eq!(simplified(BoolPlan { must: vec![term("a")], must_not: vec![nothing()], ..BoolPlan::default() }), "t:a");
    let all_required = BoolPlan { should: vec![term("a"), term("b")], minimum_should_match: 2, ..BoolPlan::default() };
    assert_eq!(simplified(all_required), "+t:a +t:b");
}

#[test]
fn phrases_are_summed_among_many_clauses() {
    let phrase = || {
        let at = |position, text: &str| PhrasePosition {
            position,
            terms: vec![text.as_bytes().to_vec()],
            completed: false,
            alternatives: false,
        };
        Plan::Phrase { field: "t".into(), positions: vec![at(0, "a"), at(1, "b")].into(), slop: 0 }
    };
    let others = (0..100).map(|at| Plan::Ids(vec![at.to_string()]));
    let should = others.chain([phrase(), phrase()]).collect();
    let plan = Plan::Bool(BoolPlan { should, ..BoolPlan::default() }).simplify();
    assert!(plan.to_string().ends_with(r#" (t:"a b")^2.0"#));
}

#[test]
fn what_is_the_same_without_scores_stands_once() {
    let should = vec![term("a").constant(), term("a"), term("b")];
    let plan = Plan::Bool(BoolPlan { should, ..BoolPlan::default() });
    assert_eq!(plan.constant().simplify().to_string(), "ConstantScore(t:a t:b)");
}
