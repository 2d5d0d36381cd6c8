//! The rewrites that the reference applies before it scores: they decide what an explanation looks like, and let scorers
//! assume that clauses can match something.

use super::plan::{ClauseOrder, Occur};
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
            // A boost of nothing makes a constant of a boolean after one step with scores.
            Self::Boost(plan, by) if by == 0.0 && matches!(*plan, Self::Bool(_)) => {
                match simplify_filter(plan.boosted(2.0)) {
                    nothing @ Self::Nothing(_) => nothing,
                    inner => Self::Boost(Box::new(inner.constant()), by),
                }
            }
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
        Plan::Boost(inner, _) => match *inner {
            Plan::Bool(inner) => simplify_filter_bool(inner, true),
            inner => simplify_filter(inner),
        },
        Plan::Constant(inner) => simplify_filter(*inner),
        Plan::Bool(inner) => simplify_filter_bool(inner, false),
        Plan::Custom(node) => match node.0.simplify() {
            // Many nodes are made anew around what they hold, so asking again and again would never end.
            Some(node @ Plan::Custom(_)) => node,
            Some(plan) => simplify_filter(plan),
            None => Plan::Custom(node),
        },
        other => match other.simplify() {
            Plan::Constant(inner) | Plan::Boost(inner, _) => match *inner {
                // A boost of nothing is around a constant.
                Plan::Constant(inner) => *inner,
                inner => inner,
            },
            // What became a boolean loses its scores as one.
            found @ Plan::Bool(_) => simplify_filter(found),
            simple => simple,
        },
    }
}

/// What is in its simplest form but for a disjunction that is required is changed before it loses its scores, anything else behind that. What
/// is boosted still has them when it is looked through first.
fn simplify_filter_bool(plan: BoolPlan, boosted: bool) -> Plan {
    let may_be_whole = plan.must.len() == 1 && plan.should.is_empty();
    let asked = match boosted {
        true => Some(&plan).filter(|_| may_be_whole).and_then(after_a_step),
        false => Some(&plan).filter(|plan| may_be_whole && !has_rewritten(plan)).cloned(),
    };
    let asked = asked.filter(is_required_disjunction);
    match normalize_bool(plan) {
        Ok(mut plan) => {
            if asked.is_some_and(|asked| asked == plan) {
                inline_required_disjunction(&mut plan);
            }
            simplify_unscored(plan)
        }
        Err(nothing @ Plan::Nothing(_)) => nothing,
        Err(only) => simplify_filter(only),
    }
}

/// The boolean after one step: what is known by the text of another query has its plan in its place, and what sums up alternatives is
/// one. None where that brings up what takes another step.
fn after_a_step(plan: &BoolPlan) -> Option<BoolPlan> {
    let mut plan = plan.clone();
    for clause in plan.must.iter_mut().chain(&mut plan.filter).chain(&mut plan.should).chain(&mut plan.must_not) {
        match &mut *clause {
            Plan::Custom(node) => match node.0.written().cloned() {
                Some(written) => *clause = written,
                None => continue,
            },
            Plan::DisMax { plans, tie_breaker } if *tie_breaker == 1.0 && plans.len() > 1 => {
                if plans.iter().any(|plan| is_rewritten(plan) || is_written(plan)) {
                    return None;
                }
                *clause = Plan::Bool(BoolPlan { should: std::mem::take(plans), ..BoolPlan::default() });
            }
            _ => {}
        }
    }
    Some(plan)
}

fn is_written(plan: &Plan) -> bool {
    matches!(plan, Plan::Custom(node) if node.0.written().is_some())
}

/// A boolean whose scores nobody asks for: `must` and `filter` are the same, and `should` beside them is idle.
fn simplify_unscored(mut plan: BoolPlan) -> Plan {
    let must = std::mem::take(&mut plan.must);
    plan.filter.splice(0..0, must.into_iter().map(simplify_filter));
    plan.should = plan.should.into_iter().map(simplify_filter).collect();
    // What stood apart for its boost no longer does.
    inline_nested(&mut plan);
    if let Err(nothing) = check_contrary(&plan) {
        return nothing;
    }
    plan.filter = each_once(plan.filter);
    if plan.minimum_should_match <= 1 {
        plan.should = each_once(plan.should);
    }
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
    let simplified = plans.into_iter().map(|plan| (steps_of(&plan), plan.simplify()));
    let (nothing, mut plans): (Vec<_>, Vec<_>) =
        simplified.partition(|(_, plan)| !alone && matches!(plan, Plan::Nothing(_)));
    let last = nothing.iter().map(|(steps, _)| *steps).max().unwrap_or(0);
    let mut late = nothing.into_iter().filter(|(steps, _)| *steps == last && last > 1).map(|(_, plan)| plan);
    match plans.len() {
        // Once it is alone it stands for the whole, and so does what it comes to.
        0 => match (late.next(), late.next()) {
            (Some(only), None) => only,
            _ => Plan::nothing("empty DisjunctionMaxQuery"),
        },
        1 => plans.remove(0).1,
        _ => Plan::DisMax { plans: plans.into_iter().map(|(_, plan)| plan).collect(), tie_breaker },
    }
}

/// In how many steps a plan that can match nothing is found out.
fn steps_of(plan: &Plan) -> usize {
    steps_to_nothing(plan).unwrap_or_else(|| match plan {
        Plan::Boost(inner, _) | Plan::Constant(inner) => steps_of(inner),
        Plan::Custom(_) => 2,
        // Its clauses are counted once each of them stands as it runs.
        Plan::Bool(plan) if runs_otherwise(plan) => 2,
        // Neither are they before each of them stands there once.
        Plan::Bool(plan) if plan.should.len() < plan.minimum_should_match && repeats_itself(plan) => 2,
        _ => 1,
    })
}

/// Whether one clause is required, or excluded, several times.
fn repeats_itself(plan: &BoolPlan) -> bool {
    [&plan.must, &plan.filter, &plan.must_not].into_iter().any(|clauses| {
        let mut twins = Twins::default();
        (0..clauses.len()).any(|at| twins.place_of(&clauses[at], clauses[..at].iter()).is_some())
    })
}

/// Whether something else is put in the place of a clause, with as many clauses as before.
fn runs_otherwise(plan: &BoolPlan) -> bool {
    has_rewritten(plan) || [&plan.must, &plan.filter, &plan.should].into_iter().flatten().any(is_written)
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

/// What is required and excluded as well, nothing can match.
fn check_contrary(plan: &BoolPlan) -> Result<(), Plan> {
    if plan.must_not.iter().any(|p| plan.must.contains(p) || plan.filter.contains(p)) {
        return Err(Plan::nothing("FILTER or MUST clause also in MUST_NOT"));
    }
    match plan.must_not.contains(&Plan::All) {
        true => Err(Plan::nothing("MUST_NOT clause is MatchAllDocsQuery")),
        false => Ok(()),
    }
}

/// Simplifies the clauses and takes out what makes no difference. The error is a plan that the clauses add up to.
fn normalize_bool(plan: BoolPlan) -> Result<BoolPlan, Plan> {
    let simplify = |plans: Vec<Plan>| plans.into_iter().map(Plan::simplify).collect::<Vec<_>>();
    let is_nothing = |p: &Plan| matches!(p, Plan::Nothing(_));
    check_positive(&plan)?;
    let required = plan.must.iter().chain(&plan.filter);
    let steps: Vec<usize> = match plan.must.len() + plan.filter.len() {
        0 | 1 => vec![],
        _ => required.clone().map(steps_of).collect(),
    };
    let alternatives: Vec<usize> = match required.count() + plan.must_not.len() {
        0 => plan.should.iter().map(steps_of).collect(),
        _ => vec![],
    };
    let mut plan = BoolPlan {
        must: simplify(plan.must),
        filter: plan.filter.into_iter().map(simplify_filter).collect(),
        should: simplify(plan.should),
        must_not: plan.must_not.into_iter().map(simplify_filter).collect(),
        minimum_should_match: plan.minimum_should_match,
        order: plan.order,
    };
    // Which of several is found first tells why nothing is found.
    let nothing = plan.must.iter().chain(&plan.filter).enumerate().filter(|(_, clause)| is_nothing(clause));
    if let Some((_, nothing)) = nothing.min_by_key(|(at, _)| steps.get(*at)) {
        return Err(nothing.clone());
    }
    if let Some(last) = last_of(&plan, &alternatives) {
        return Err(last.clone());
    }
    plan.should.retain(|p| !is_nothing(p));
    plan.must_not.retain(|p| !is_nothing(p));
    check_positive(&plan)?;
    let optional = plan.must.is_empty() && plan.filter.is_empty() && plan.must_not.is_empty();
    if optional && plan.should.len() == 1 && plan.minimum_should_match <= 1 {
        // What is left alone stands for the whole, before its own clauses would be taken in.
        return Err(plan.should.remove(0));
    }
    check_contrary(&plan)?;
    if plan.should.len() < plan.minimum_should_match {
        return Err(Plan::nothing("SHOULD clause count less than minimumNumberShouldMatch"));
    }
    // Once before clauses of clauses stand among them, and once behind that.
    drop_idle_filters(&mut plan);
    require_wanted_filters(&mut plan);
    if plan.minimum_should_match <= 1 {
        // Equal disjunctions are summed before their clauses are taken in.
        plan.should = sum_duplicates(std::mem::take(&mut plan.should));
    }
    inline_nested(&mut plan);
    check_contrary(&plan)?;
    plan.filter = each_once(plan.filter);
    plan.must_not = each_once(plan.must_not);
    drop_idle_filters(&mut plan);
    require_wanted_filters(&mut plan);
    plan.must = sum_duplicates(std::mem::take(&mut plan.must));
    if plan.minimum_should_match <= 1 {
        plan.should = sum_duplicates(std::mem::take(&mut plan.should));
    }
    if plan.minimum_should_match > 0 && plan.should.len() == plan.minimum_should_match {
        plan.must.append(&mut plan.should);
        plan.minimum_should_match = 0;
        // What is required now may be made of what is required itself.
        inline_nested(&mut plan);
        check_contrary(&plan)?;
        drop_idle_filters(&mut plan);
        plan.must = sum_duplicates(std::mem::take(&mut plan.must));
    }
    Ok(plan)
}

/// The alternative that stands alone for a while before it, too, finds nothing: the whole comes to what it comes to. `steps`: when each
/// of them is found out, where there are no other clauses.
fn last_of<'p>(plan: &'p BoolPlan, steps: &[usize]) -> Option<&'p Plan> {
    let found_out = |plan: &&Plan| matches!(plan, Plan::Nothing(_));
    if steps.is_empty() || plan.minimum_should_match > 1 || !plan.should.iter().all(|clause| found_out(&clause)) {
        return None;
    }
    let last = steps.iter().max()?;
    let mut late = plan.should.iter().zip(steps).filter(|(_, steps)| *steps == last);
    late.next().filter(|_| late.next().is_none()).map(|(clause, _)| clause)
}

/// After how many steps a plan is known to find nothing, where what it is made of shows that it does: patterns of no terms are booleans
/// of none before they are nothing, and what clauses come to is seen once they have come to it.
fn steps_to_nothing(plan: &Plan) -> Option<usize> {
    let of_all = |plans: &[Plan]| plans.iter().map(steps_to_nothing).try_fold(0, |most, steps| Some(most.max(steps?)));
    match plan {
        Plan::Nothing(reason) if reason == NO_CLAUSES => Some(2),
        Plan::Nothing(_) => Some(1),
        Plan::Boost(inner, _) | Plan::Constant(inner) => steps_to_nothing(inner),
        Plan::Points(points) => points.rewritten.as_deref().and_then(steps_to_nothing),
        Plan::DisMax { plans, .. } => Some(1 + of_all(plans)?),
        Plan::Bool(plan) if plan.must.is_empty() && plan.filter.is_empty() => Some(1 + of_all(&plan.should)?),
        Plan::Bool(plan) => plan.must.iter().chain(&plan.filter).filter_map(steps_to_nothing).min(),
        Plan::Custom(node) => steps_to_nothing(node.0.written()?),
        _ => None,
    }
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

/// What is required and wanted as well is required with its scores.
fn require_wanted_filters(plan: &mut BoolPlan) {
    let (filters, before) = (&plan.filter, plan.should.len());
    let is_required = |clause: &Plan| filters.contains(clause);
    if plan.filter.is_empty() || !plan.should.iter().any(is_required) {
        return;
    }
    let (mut both, should): (Vec<Plan>, Vec<Plan>) = plan.should.drain(..).partition(is_required);
    plan.filter.retain(|filter| !both.contains(filter));
    plan.should = should;
    plan.minimum_should_match = plan.minimum_should_match.saturating_sub(before - plan.should.len());
    plan.must.append(&mut both);
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

/// Whether the reference puts something else in the place of a plan that nothing simpler stands for here.
fn is_rewritten(plan: &Plan) -> bool {
    match plan {
        Plan::MultiTerm(_) | Plan::Ids(_) => true,
        Plan::Bool(plan) => has_rewritten(plan),
        Plan::DisMax { plans, .. } => plans.iter().any(is_rewritten),
        Plan::Constant(inner) | Plan::Boost(inner, _) => is_rewritten(inner),
        _ => false,
    }
}

fn has_rewritten(plan: &BoolPlan) -> bool {
    [&plan.must, &plan.filter, &plan.should, &plan.must_not].into_iter().flatten().any(is_rewritten)
}

/// Where all that is scored is one disjunction, its clauses are those of the whole.
fn inline_required_disjunction(plan: &mut BoolPlan) {
    if !is_required_disjunction(plan) {
        return;
    }
    let beside = plan.sequence().into_iter().map(|(occur, _)| occur).filter(|occur| *occur != Occur::Must);
    let beside: Vec<Occur> = beside.collect();
    if let Some(Plan::Bool(inner)) = plan.must.pop() {
        plan.minimum_should_match = inner.minimum_should_match.max(1);
        plan.should = inner.should;
        // They stand behind the others then.
        plan.order = ClauseOrder::of(beside.into_iter().chain(plan.should.iter().map(|_| Occur::Should)));
        require_wanted_filters(plan);
        plan.must = sum_duplicates(std::mem::take(&mut plan.must));
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
struct Twins(HashMap<Key, usize>);

#[derive(PartialEq, Eq, Hash)]
enum Key {
    Term(TermKey),
    ConstantTerm(TermKey),
    Phrase(Arc<str>, Arc<[PhrasePosition]>, u32),
}

impl Twins {
    /// Where a clause stands among those that are kept; if it does not, it is taken to be put behind them.
    fn place_of<'p>(&mut self, clause: &Plan, mut kept: impl ExactSizeIterator<Item = &'p Plan>) -> Option<usize> {
        let key = match clause {
            Plan::Constant(of) => of.as_term().map(Key::ConstantTerm),
            Plan::Phrase { field, positions, slop } => Some(Key::Phrase(field.clone(), positions.clone(), *slop)),
            plan => plan.as_term().map(Key::Term),
        };
        match key.map(|key| self.0.entry(key)) {
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
mod tests;
