//! The rewrites that the reference applies before it scores: they decide what an explanation looks like, and let scorers
//! assume that clauses can match something.

use super::{BoolPlan, PhrasePosition, Plan, PointSet};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// What a boolean without clauses is called once it is nothing.
const NO_CLAUSES: &str = "empty BooleanQuery";

impl Plan {
    /// The equivalent plan in simplest form.
    pub fn simplify(self) -> Plan {
        match self {
            Self::Bool(plan) => simplify_bool(plan),
            Self::DisMax { plans, tie_breaker } => simplify_dis_max(plans, tie_breaker),
            Self::Constant(plan) => simplify_constant(*plan),
            Self::Boost(plan, by) => match plan.simplify() {
                nothing @ Self::Nothing(_) => nothing,
                Self::Boost(inner, first) if by != 0.0 || matches!(*inner, Self::Constant(_)) => {
                    inner.boosted(first * by)
                }
                Self::Boost(inner, _) => Self::Boost(Box::new(simplify_constant(*inner)), by),
                inner if by == 0.0 && !matches!(inner, Self::Constant(_)) => {
                    Self::Boost(Box::new(simplify_constant(inner)), by)
                }
                inner => inner.boosted(by),
            },
            Self::Custom(node) => match node.0.simplify() {
                Some(plan) => plan,
                None => Self::Custom(node),
            },
            Self::Points(PointSet { rewritten: Some(plan), .. }) => *plan,
            // What stood before the first word of a phrase no longer shows, unless a place has several words.
            Self::Phrase { field, positions, slop }
                if positions.first().is_some_and(|p| p.position > 0)
                    && positions.iter().all(|p| p.terms.len() == 1) =>
            {
                let first = positions[0].position;
                let behind = |p: &PhrasePosition| PhrasePosition { position: p.position - first, ..p.clone() };
                Self::Phrase { field, positions: positions.iter().map(behind).collect(), slop }
            }
            other => other,
        }
    }
}

fn simplify_constant(plan: Plan) -> Plan {
    match simplify_filter(plan) {
        nothing @ Plan::Nothing(_) => nothing,
        inner => inner.constant(),
    }
}

/// A plan whose scores nobody asks for.
fn simplify_filter(plan: Plan) -> Plan {
    match plan {
        // What is boosted still has scores when it is looked through first.
        Plan::Boost(inner, _) if matches!(*inner, Plan::Bool(_)) => match *inner {
            Plan::Bool(inner) => simplify_unscored_bool(inner, true),
            inner => simplify_filter(inner),
        },
        Plan::Constant(inner) | Plan::Boost(inner, _) => simplify_filter(*inner),
        Plan::Bool(inner) => {
            let inlines = is_required_disjunction(&inner)
                && inner.sequence().into_iter().all(|(occur, at)| stays(&inner.clauses_of(occur)[at]));
            simplify_unscored_bool(inner, inlines)
        }
        Plan::Custom(node) => match node.0.simplify() {
            // Many nodes are made anew around what they hold, so asking again and again would never end.
            Some(node @ Plan::Custom(_)) => node,
            Some(plan) => simplify_filter(plan),
            None => Plan::Custom(node),
        },
        other => match other.simplify() {
            Plan::Constant(inner) | Plan::Boost(inner, _) => *inner,
            // What became a boolean loses its scores as one.
            found @ Plan::Bool(_) => simplify_filter(found),
            simple => simple,
        },
    }
}

/// `inlines`: what is required was a disjunction before it lost its scores.
fn simplify_unscored_bool(plan: BoolPlan, inlines: bool) -> Plan {
    match normalize_bool(plan) {
        Ok(mut plan) => {
            if inlines {
                inline_required_disjunction(&mut plan);
            }
            simplify_unscored(plan)
        }
        Err(decided) => decided,
    }
}

/// Whether a clause is in its simplest form, to the reference.
fn stays(plan: &Plan) -> bool {
    match plan {
        Plan::MultiTerm(_) => false,
        Plan::Custom(node) => node.0.simplify().is_none(),
        plan => plan.clone().simplify() == *plan,
    }
}

/// A boolean whose scores nobody asks for: `must` and `filter` are the same, and `should` beside them is idle.
fn simplify_unscored(mut plan: BoolPlan) -> Plan {
    let must = std::mem::take(&mut plan.must);
    plan.filter.splice(0..0, must.into_iter().map(simplify_filter));
    plan.should = plan.should.into_iter().map(simplify_filter).collect();
    // What stood apart for its boost no longer does.
    inline_nested(&mut plan);
    if plan.filter.iter().any(|p| !matches!(p, Plan::All)) {
        plan.filter.retain(|p| !matches!(p, Plan::All));
    }
    if plan.minimum_should_match == 0 && !plan.filter.is_empty() {
        plan.should.clear();
    }
    let alone = plan.must_not.is_empty();
    match (plan.filter.len(), plan.should.len()) {
        (1, 0) if alone => plan.filter.remove(0),
        (0, 1) if alone => plan.should.remove(0),
        _ => Plan::Bool(plan),
    }
}

fn simplify_dis_max(plans: Vec<Plan>, tie_breaker: f32) -> Plan {
    let alone = plans.len() == 1;
    if tie_breaker == 1.0 && plans.len() > 1 {
        return simplify_bool(BoolPlan { should: plans, ..BoolPlan::default() });
    }
    // Terms that come to none are still a boolean when those that were nothing from the start are left out.
    let is_later = |plan: &&Plan| match plan {
        Plan::Boost(inner, _) => matches!(**inner, Plan::Custom(_)),
        plan => matches!(plan, Plan::Custom(_)),
    };
    let later = plans.iter().filter(is_later).count();
    let (nothing, mut plans): (Vec<Plan>, Vec<Plan>) =
        plans.into_iter().map(Plan::simplify).partition(|p| !alone && matches!(p, Plan::Nothing(_)));
    let empty = Plan::nothing(NO_CLAUSES);
    match plans.len() {
        0 if later == 1 && nothing.contains(&empty) => empty,
        0 => Plan::nothing("empty DisjunctionMaxQuery"),
        1 => plans.remove(0),
        _ => Plan::DisMax { plans, tie_breaker },
    }
}

fn simplify_bool(mut plan: BoolPlan) -> Plan {
    let optional = plan.must.is_empty() && plan.filter.is_empty() && plan.must_not.is_empty();
    if optional && plan.should.len() == 1 && plan.minimum_should_match <= 1 {
        // A clause alone is what the whole comes to, with what it asks for itself.
        return plan.should.remove(0).simplify();
    }
    if plan.must.is_empty() && plan.should.is_empty() && plan.must_not.is_empty() && plan.minimum_should_match == 0 {
        // A filter alone, but for those that let everything through, is one before its own clauses are taken in.
        plan.filter = plan.filter.into_iter().map(simplify_filter).collect();
        if plan.filter.iter().any(|filter| *filter != Plan::All) {
            plan.filter.retain(|filter| *filter != Plan::All);
        }
        if plan.filter.len() == 1 {
            return match plan.filter.remove(0) {
                nothing @ Plan::Nothing(_) => nothing,
                filter => Plan::Boost(Box::new(filter.constant()), 0.0),
            };
        }
    }
    match normalize_bool(plan) {
        Ok(mut plan) => {
            inline_required_disjunction(&mut plan);
            finish_bool(plan)
        }
        Err(decided) => decided,
    }
}

/// Without a clause that may match nothing does.
fn check_positive(plan: &BoolPlan) -> Result<(), Plan> {
    if !(plan.must.is_empty() && plan.filter.is_empty() && plan.should.is_empty()) {
        return Ok(());
    }
    let empty = plan.must_not.is_empty();
    Err(Plan::nothing(if empty { NO_CLAUSES } else { "pure negative BooleanQuery" }))
}

/// Simplifies the clauses and takes out what makes no difference. The error is a plan that the clauses add up to.
fn normalize_bool(plan: BoolPlan) -> Result<BoolPlan, Plan> {
    let simplify = |plans: Vec<Plan>| plans.into_iter().map(Plan::simplify).collect::<Vec<_>>();
    let is_nothing = |p: &Plan| matches!(p, Plan::Nothing(_));
    check_positive(&plan)?;
    let mut plan = BoolPlan {
        must: simplify(plan.must),
        filter: plan.filter.into_iter().map(simplify_filter).collect(),
        should: simplify(plan.should),
        must_not: plan.must_not.into_iter().map(simplify_filter).collect(),
        minimum_should_match: plan.minimum_should_match,
        order: plan.order,
    };
    if let Some(nothing) = first_nothing(plan.must.iter().chain(&plan.filter)) {
        return Err(nothing.clone());
    }
    plan.should.retain(|p| !is_nothing(p));
    plan.must_not.retain(|p| !is_nothing(p));
    check_positive(&plan)?;
    if plan.must_not.iter().any(|p| plan.must.contains(p) || plan.filter.contains(p)) {
        return Err(Plan::nothing("FILTER or MUST clause also in MUST_NOT"));
    }
    if plan.must_not.contains(&Plan::All) {
        return Err(Plan::nothing("MUST_NOT clause is MatchAllDocsQuery"));
    }
    if plan.should.len() < plan.minimum_should_match {
        return Err(Plan::nothing("SHOULD clause count less than minimumNumberShouldMatch"));
    }
    if plan.minimum_should_match <= 1 {
        // Equal disjunctions are summed before their clauses are taken in.
        plan.should = sum_duplicates(std::mem::take(&mut plan.should));
    }
    inline_nested(&mut plan);
    plan.filter = each_once(plan.filter);
    plan.must_not = each_once(plan.must_not);
    drop_idle_filters(&mut plan);
    plan.must = sum_duplicates(std::mem::take(&mut plan.must));
    if plan.minimum_should_match <= 1 {
        plan.should = sum_duplicates(std::mem::take(&mut plan.should));
    }
    if plan.minimum_should_match > 0 && plan.should.len() == plan.minimum_should_match {
        plan.must.append(&mut plan.should);
        plan.minimum_should_match = 0;
        // What is required now may be made of what is required itself.
        inline_nested(&mut plan);
        drop_idle_filters(&mut plan);
        plan.must = sum_duplicates(std::mem::take(&mut plan.must));
    }
    Ok(plan)
}

/// Which clause that finds nothing the reference comes to first: patterns of no terms are booleans of none before they are nothing.
fn first_nothing<'p>(clauses: impl Iterator<Item = &'p Plan> + Clone) -> Option<&'p Plan> {
    let mut nothing = clauses.filter(|plan| matches!(plan, Plan::Nothing(_)));
    let first = nothing.clone().next();
    nothing.find(|plan| **plan != Plan::nothing(NO_CLAUSES)).or(first)
}

/// Filters that are required anyway, and those that let everything through beside others.
fn drop_idle_filters(plan: &mut BoolPlan) {
    let must = &plan.must;
    plan.filter.retain(|p| !must.contains(p));
    if plan.filter.len() > 1 || !must.is_empty() {
        let all_only = must.is_empty() && plan.filter.iter().all(|p| matches!(p, Plan::All));
        plan.filter.retain(|p| !matches!(p, Plan::All));
        if all_only {
            plan.filter.push(Plan::All);
        }
    }
}

/// Clauses that do not score: what stands there several times says no more than once.
fn each_once(clauses: Vec<Plan>) -> Vec<Plan> {
    if clauses.len() < 2 {
        return clauses;
    }
    let mut once: Vec<Plan> = Vec::with_capacity(clauses.len());
    let mut twins = Twins::default();
    for clause in clauses {
        if twins.place_of(&clause, once.iter()).is_none() {
            once.push(clause);
        }
    }
    once
}

/// Whether all that is scored is one disjunction, beside what is not.
fn is_required_disjunction(plan: &BoolPlan) -> bool {
    let only = match (plan.must.as_slice(), plan.should.is_empty()) {
        ([Plan::Bool(inner)], true) => {
            inner.must.is_empty() && inner.filter.is_empty() && inner.must_not.is_empty() && !inner.should.is_empty()
        }
        _ => false,
    };
    only && !(plan.filter.is_empty() && plan.must_not.is_empty())
}

/// Where all that is scored is one disjunction, its clauses are those of the whole.
fn inline_required_disjunction(plan: &mut BoolPlan) {
    if !is_required_disjunction(plan) {
        return;
    }
    if let Some(Plan::Bool(inner)) = plan.must.pop() {
        plan.minimum_should_match = inner.minimum_should_match.max(1);
        plan.should = inner.should;
    }
}

fn finish_bool(mut plan: BoolPlan) -> Plan {
    let optional = plan.must.is_empty() && plan.filter.is_empty();
    if !plan.must_not.is_empty() {
        return constant_of_all(plan);
    }
    match (plan.must.len(), plan.filter.len(), plan.should.len()) {
        (1, 0, 0) => plan.must.remove(0),
        (0, 1, 0) => Plan::Boost(Box::new(plan.filter.remove(0).constant()), 0.0),
        (0, 0, 1) if optional => plan.should.remove(0),
        _ => constant_of_all(plan),
    }
}

/// Beside filters a required clause that matches everything makes a constant of them, which stands in its place.
fn constant_of_all(mut plan: BoolPlan) -> Plan {
    let boost = match plan.must.as_slice() {
        [Plan::All] => 1.0,
        [Plan::Boost(inner, by)] if **inner == Plan::All => *by,
        _ => return Plan::Bool(plan),
    };
    if plan.filter.is_empty() {
        return Plan::Bool(plan);
    }
    plan.must.clear();
    let (should, minimum_should_match) = (std::mem::take(&mut plan.should), plan.minimum_should_match);
    plan.minimum_should_match = 0;
    let constant = simplify_unscored(plan).constant().boosted(boost);
    match should.is_empty() {
        true => constant,
        false => Plan::Bool(BoolPlan { must: vec![constant], should, minimum_should_match, ..BoolPlan::default() }),
    }
}

/// Takes in the clauses of nested booleans that only disjoin among `should`, or only conjoin among `must` and `filter`.
fn inline_nested(plan: &mut BoolPlan) {
    if plan.minimum_should_match <= 1 {
        let mut should = Vec::with_capacity(plan.should.len());
        for clause in std::mem::take(&mut plan.should) {
            match clause {
                Plan::Bool(inner)
                    if inner.minimum_should_match <= 1
                        && inner.must.is_empty()
                        && inner.filter.is_empty()
                        && inner.must_not.is_empty() =>
                {
                    should.extend(inner.should);
                }
                other => should.push(other),
            }
        }
        plan.should = should;
    }
    let is_conjunction = |p: &BoolPlan| p.should.is_empty() && p.minimum_should_match == 0;
    let mut must = Vec::with_capacity(plan.must.len());
    for clause in std::mem::take(&mut plan.must) {
        match clause {
            Plan::Bool(inner) if is_conjunction(&inner) => {
                must.extend(inner.must);
                plan.filter.extend(inner.filter);
                plan.must_not.extend(inner.must_not);
            }
            other => must.push(other),
        }
    }
    plan.must = must;
    let mut filter = Vec::with_capacity(plan.filter.len());
    for clause in std::mem::take(&mut plan.filter) {
        match clause {
            Plan::Bool(inner) if is_conjunction(&inner) => {
                filter.extend(inner.must);
                filter.extend(inner.filter);
                plan.must_not.extend(inner.must_not);
            }
            other => filter.push(other),
        }
    }
    plan.filter = filter;
}

/// A term and its field.
type TermKey = (Arc<str>, Vec<u8>);

/// Finds clauses that are equal to one before them. Terms are the same whatever statistics they are scored by: the first one stays.
#[derive(Default)]
struct Twins(HashMap<(bool, TermKey), usize>);

impl Twins {
    /// Where a clause stands among those that are kept; if it does not, it is taken to be put behind them.
    fn place_of<'p>(&mut self, clause: &Plan, mut kept: impl ExactSizeIterator<Item = &'p Plan>) -> Option<usize> {
        let term = match clause {
            Plan::Constant(of) => of.as_term().map(|term| (true, term)),
            plan => plan.as_term().map(|term| (false, term)),
        };
        match term.map(|term| self.0.entry(term)) {
            Some(Entry::Occupied(known)) => Some(*known.get()),
            Some(Entry::Vacant(new)) => {
                new.insert(kept.len());
                None
            }
            // Comparing each with each is quadratic: beyond the usual sizes duplicates are left alone.
            None if kept.len() > 64 => None,
            None => kept.position(|known| known == clause),
        }
    }
}

/// Equal clauses become one whose boost is their sum.
fn sum_duplicates(clauses: Vec<Plan>) -> Vec<Plan> {
    if clauses.len() < 2 {
        return clauses;
    }
    let mut kept: Vec<(Plan, f64)> = Vec::with_capacity(clauses.len());
    let mut twins = Twins::default();
    for clause in clauses {
        let (inner, by) = match clause {
            Plan::Boost(inner, by) => (*inner, by),
            other => (other, 1.0),
        };
        let twin = twins.place_of(&inner, kept.iter().map(|(plan, _)| plan));
        match twin.and_then(|at| kept.get_mut(at)) {
            Some((_, sum)) => *sum += f64::from(by),
            None => kept.push((inner, f64::from(by))),
        }
    }
    kept.into_iter().map(|(plan, by)| plan.boosted(by as f32)).collect()
}

#[cfg(test)]
mod tests {
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
    fn disjunctions_are_inlined_before_scores_are_lost_or_not_at_all() {
        let any = Plan::Bool(BoolPlan { should: vec![term("a"), term("b")], ..BoolPlan::default() });
        let but = |not: Plan| BoolPlan { must: vec![any.clone()], must_not: vec![not], ..BoolPlan::default() };
        let without =
            |plan: Plan| simplified(BoolPlan { must: vec![term("x")], must_not: vec![plan], ..BoolPlan::default() });
        let set = || TermSet::Pattern(Arc::new(Pattern("c?".into())));
        let pattern = || Plan::MultiTerm(MultiTerm { field: "t".into(), set: set(), text: "t:c?".to_owned() });
        assert_eq!(without(Plan::Bool(but(term("c")))), "+t:x -((-t:c t:a t:b)~1)");
        assert_eq!(without(Plan::Bool(but(pattern())).boosted(2.0)), "+t:x -((-t:c? t:a t:b)~1)");
        // While a clause is rewritten, all that is required becomes a filter.
        assert_eq!(without(Plan::Bool(but(pattern()))), "+t:x -(-t:c? #(t:a t:b))");
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
            Plan::Blended(BlendedTerm {
                field: "t".into(),
                term: b"a".to_vec(),
                doc_freq,
                total_term_freq: 9,
                once: false,
            })
        };
        let should = vec![blended(3), blended(5).boosted(0.75), term("b")];
        let plan = Plan::Bool(BoolPlan { should, ..BoolPlan::default() }).simplify();
        let kept = vec![blended(3).boosted(1.75), term("b")];
        assert_eq!(plan, Plan::Bool(BoolPlan { should: kept, ..BoolPlan::default() }));
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
    fn what_is_boosted_by_nothing_is_constant() {
        let both = || Plan::Bool(BoolPlan { should: vec![term("a"), term("b")], ..BoolPlan::default() });
        assert_eq!(both().boosted(2.0).boosted(0.0).simplify().to_string(), "(ConstantScore(t:a t:b))^0.0");
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
        assert_eq!(
            simplified(BoolPlan { must: vec![term("a")], must_not: vec![nothing()], ..BoolPlan::default() }),
            "t:a"
        );
        let all_required =
            BoolPlan { should: vec![term("a"), term("b")], minimum_should_match: 2, ..BoolPlan::default() };
        assert_eq!(simplified(all_required), "+t:a +t:b");
    }
}
