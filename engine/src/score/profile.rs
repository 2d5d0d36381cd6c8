//! Weights and scorers that write down what is spent on them, and the names that queries go by there.

use super::phrase::is_multi;
use super::{Bound, Explanation, MultiTerm, Plan, Scorer, TermSet, Weight, WeightContext};
use crate::error::Result;
use crate::profile::{Lap, QueryProfiler, call};
use crate::segment::SegmentView;
use std::sync::Arc;

/// Binds `plan` as an entry of its own in the profile.
pub fn profiled(
    plan: &Plan,
    cx: &WeightContext,
    profiler: &QueryProfiler,
    scores: bool,
    boost: f32,
) -> Result<Box<dyn Weight>> {
    let description = plan.to_string();
    let bind = || match plan {
        // What is boosted shares the entry of its boost.
        Plan::Boost(inner, by) => inner.bind(cx, scores, boost * by),
        plan => plan.bind(cx, scores, boost),
    };
    let (weight, lap) = profiler.enter(type_name(plan, &description), description, bind)?;
    Ok(Box::new(ProfiledWeight { weight, lap }))
}

/// Enters what the reference has for a plan that it makes of others: terms that are as good as each other are a disjunction where
/// nothing is scored, and patterns of a field that keeps short pieces of its values begin with those.
pub fn enter_alternatives(plan: &Plan, cx: &WeightContext, scores: bool) -> Result<()> {
    let Some(profiler) = &cx.profiler else { return Ok(()) };
    let pieces = match plan {
        Plan::Synonyms { field, terms } if !scores => {
            terms.iter().map(|term| Plan::term(field, term.clone())).collect()
        }
        Plan::MultiTerm(MultiTerm { field, text, set: TermSet::Terms(values), .. })
            if values.len() > 1 && text.starts_with("WildcardMatchingQuery(") =>
        {
            return values.iter().try_for_each(|value| enter_value(field, value, text, profiler));
        }
        Plan::MultiTerm(pattern) => pieces_of(pattern),
        _ => return Ok(()),
    };
    enter_terms(&pieces, profiler)
}

/// One of several values of a field that keeps pieces of its values: all pieces of this one. `text` has it as often as it was asked
/// for, and as often it counts.
fn enter_value(field: &Arc<str>, value: &[u8], text: &str, profiler: &QueryProfiler) -> Result<()> {
    let value = String::from_utf8_lossy(value);
    let pieces = pieces_in(field, &[&value]);
    let shown = pieces.iter().map(|piece| format!("#{piece}")).collect::<Vec<_>>().join(" ");
    let listed = text.split_once(":\"").map_or("", |(_, rest)| rest.strip_suffix("\")").unwrap_or(rest));
    let (class, shown) = match listed.split('|').filter(|one| *one == value).count() {
        ..2 => ("BooleanQuery", shown),
        times => ("BoostQuery", format!("({shown})^{times}.0")),
    };
    profiler.enter(class.to_owned(), shown, || enter_terms(&pieces, profiler))?;
    Ok(())
}

/// Entries of terms that are looked for in no place of their own.
pub fn enter_terms(terms: &[Plan], profiler: &QueryProfiler) -> Result<()> {
    terms.iter().try_for_each(|term| {
        profiler.enter("TermQuery".to_owned(), term.to_string(), || Ok(()))?;
        Ok(())
    })
}

/// The pieces of three characters that a pattern cannot do without, where its field keeps such: zeros stand beyond both ends.
fn pieces_of(pattern: &MultiTerm) -> Vec<Plan> {
    let text = pattern.text.strip_prefix("WildcardMatchingQuery(").and_then(|rest| rest.strip_prefix(&*pattern.field));
    let Some(text) = text.and_then(|rest| rest.strip_prefix(":\"")?.strip_suffix("\")")) else { return vec![] };
    let is_set = matches!(pattern.set, TermSet::Terms(_));
    if text.starts_with('/') || (is_set && text.contains('|')) {
        return vec![];
    }
    let unescaped = text.replace("\\*", "*").replace("\\?", "?");
    match is_set {
        true => pieces_in(&pattern.field, &[&unescaped]),
        false => pieces_in(&pattern.field, &text.split(['*', '?']).collect::<Vec<_>>()),
    }
}

/// The pieces of what stands between wildcards.
fn pieces_in(field: &Arc<str>, parts: &[&str]) -> Vec<Plan> {
    let mut pieces = vec![];
    for (at, part) in parts.iter().enumerate().filter(|(_, part)| !part.is_empty()) {
        let (first, last) = (at == 0, at == parts.len() - 1);
        let mut chars: Vec<char> = part.chars().collect();
        if first {
            chars.insert(0, '\0');
        }
        if last {
            chars.push('\0');
        }
        // A value of one character is filled up on each side by itself.
        if first && last && chars.len() == 3 {
            chars.insert(0, '\0');
            chars.push('\0');
        }
        while chars.len() < 3 && (first || last) {
            if first { chars.insert(0, '\0') } else { chars.push('\0') }
        }
        for piece in chars.windows(3) {
            let term = Plan::term(field, piece.iter().collect::<String>().into_bytes());
            if !pieces.contains(&term) {
                pieces.push(term);
            }
        }
    }
    pieces
}

/// Binds a plan whose entry says that its terms are looked for among the values of documents.
/// `text`: how these are written, if not like the plan.
pub fn of_values(
    plan: &Plan,
    text: Option<&str>,
    cx: &WeightContext,
    profiler: &QueryProfiler,
) -> Result<Box<dyn Weight>> {
    let type_name = "MultiTermQueryDocValuesWrapper".to_owned();
    let text = text.map_or_else(|| plan.to_string(), str::to_owned);
    let (weight, lap) = profiler.enter(type_name, text, || plan.bind(cx, false, 1.0))?;
    Ok(Box::new(ProfiledWeight { weight, lap }))
}

/// The name of the class that the reference has for the plan.
fn type_name(plan: &Plan, description: &str) -> String {
    let name = match plan {
        Plan::Nothing(_) => "MatchNoDocsQuery",
        Plan::All => "MatchAllDocsQuery",
        Plan::Term { .. } | Plan::Blended(_) => "TermQuery",
        Plan::Synonyms { .. } => "SynonymQuery",
        Plan::Phrase { positions, .. } if is_multi(positions) => "MultiPhraseQuery",
        Plan::Phrase { .. } => "PhraseQuery",
        Plan::MultiTerm(terms) if is_single(terms) => "TermQuery",
        Plan::MultiTerm(_) | Plan::Ids(_) => return class_in(description, "MultiTermQueryConstantScoreBlendedWrapper"),
        // Names of fields and of features are terms of a field that all of them have in common.
        Plan::Exists { .. } if description.starts_with("_field_names:") || description.starts_with("_feature:") => {
            "TermQuery"
        }
        Plan::Points(points)
            if description.strip_prefix(&*points.field).is_some_and(|rest| rest.starts_with(": [")) =>
        {
            "SortedNumericDocValuesSetQuery"
        }
        Plan::Points(points) if description.strip_prefix(&*points.field).is_some_and(|rest| rest.starts_with(":{")) => {
            "PointInSetQuery"
        }
        Plan::Points(_) | Plan::Exists { .. } => return class_in(description, "PointRangeQuery"),
        Plan::Bool(_) => "BooleanQuery",
        Plan::DisMax { .. } => "DisjunctionMaxQuery",
        Plan::Constant(_) => "ConstantScoreQuery",
        Plan::Boost(..) => "BoostQuery",
        Plan::Custom(node) => return node.0.type_name(),
    };
    name.to_owned()
}

/// Whether it is one term, which reads like one.
pub fn is_single(terms: &MultiTerm) -> bool {
    let reads_like = |term: &[u8]| {
        terms
            .text
            .strip_prefix(&*terms.field)
            .is_some_and(|rest| rest.strip_prefix(':').is_some_and(|rest| rest.as_bytes() == term))
    };
    matches!(&terms.set, TermSet::Terms(all) if all.len() == 1 && reads_like(&all[0]))
}

/// The class that a text of the form `SomeQuery(…)` or `SomeQuery […` begins with.
pub fn class_in(text: &str, otherwise: &str) -> String {
    let name = text.split(['(', ' ', ':']).next().unwrap_or_default();
    if name.ends_with("Query") { name.to_owned() } else { otherwise.to_owned() }
}

struct ProfiledWeight {
    weight: Box<dyn Weight>,
    lap: Lap,
}

impl ProfiledWeight {
    fn build(
        &mut self,
        make: impl FnOnce(&mut dyn Weight) -> Result<Option<Box<dyn Scorer>>>,
    ) -> Result<Option<Box<dyn Scorer>>> {
        let lap = &self.lap;
        let scorer = lap.breakdown.time(call::BUILD_SCORER, lap.clock, || make(self.weight.as_mut()))?;
        if scorer.is_some() {
            // A scorer that is made has looked for its first match.
            lap.breakdown.0[call::NEXT_DOC].add(1, 0);
        }
        Ok(scorer.map(|scorer| Box::new(ProfiledScorer { scorer, lap: lap.clone() }) as Box<dyn Scorer>))
    }
}

/// There is no way past the scorer, whose calls could not be told apart, and no term for others to take over.
impl Weight for ProfiledWeight {
    fn prepare(&mut self, view: &SegmentView, spent: &mut u32) -> Result<bool> {
        let start = (self.lap.clock)();
        let done = self.weight.prepare(view, spent)?;
        self.lap.breakdown.0[call::BUILD_SCORER].add(0, (self.lap.clock)().saturating_sub(start));
        Ok(done)
    }

    fn opens(&mut self, view: &SegmentView) -> Result<bool> {
        let lap = &self.lap;
        lap.breakdown.time(call::BUILD_SCORER, lap.clock, || self.weight.opens(view))
    }

    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        self.build(|weight| weight.scorer(view))
    }

    fn scorer_below(&mut self, view: &SegmentView, lead_cost: u64) -> Result<Option<Box<dyn Scorer>>> {
        self.build(|weight| weight.scorer_below(view, lead_cost))
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        self.weight.explain(view, doc)
    }

    fn count(&mut self, view: &SegmentView) -> Option<u64> {
        self.weight.count(view)
    }
}

struct ProfiledScorer {
    scorer: Box<dyn Scorer>,
    lap: Lap,
}

impl ProfiledScorer {
    #[inline]
    fn time<T>(&mut self, call: usize, run: impl FnOnce(&mut dyn Scorer) -> T) -> T {
        let Self { scorer, lap } = self;
        lap.breakdown.time(call, lap.clock, || run(scorer.as_mut()))
    }
}

/// What works on many documents at once goes a document at a time here, by the methods that are timed.
impl Scorer for ProfiledScorer {
    fn doc(&self) -> u32 {
        self.scorer.doc()
    }

    fn next(&mut self) -> u32 {
        self.time(call::NEXT_DOC, |scorer| scorer.next())
    }

    fn advance(&mut self, target: u32) -> u32 {
        self.time(call::ADVANCE, |scorer| scorer.advance(target))
    }

    fn score(&mut self) -> f32 {
        self.time(call::SCORE, |scorer| scorer.score())
    }

    fn cost(&self) -> u64 {
        self.scorer.cost()
    }

    fn advance_candidate(&mut self, target: u32) -> u32 {
        self.time(call::ADVANCE, |scorer| scorer.advance_candidate(target))
    }

    fn candidate_from(&mut self, target: u32) -> u32 {
        if self.scorer.is_two_phase() {
            return self.time(call::ADVANCE, |scorer| scorer.candidate_from(target));
        }
        if self.doc() < target { self.advance_candidate(target) } else { self.doc() }
    }

    fn matches(&mut self) -> bool {
        self.time(call::MATCH, |scorer| scorer.matches())
    }

    fn is_two_phase(&self) -> bool {
        self.scorer.is_two_phase()
    }

    fn goes_by_candidates(&self) -> bool {
        self.scorer.goes_by_candidates()
    }

    fn bound(&mut self, target: u32) -> Bound {
        self.time(call::COMPUTE_MAX_SCORE, |scorer| scorer.bound(target))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_texts() {
        assert_eq!(class_in("IndexOrDocValuesQuery(indexQuery=n:[1 TO 2])", "x"), "IndexOrDocValuesQuery");
        assert_eq!(class_in("FieldExistsQuery [field=k]", "x"), "FieldExistsQuery");
        assert_eq!(class_in("n:[1 TO 2]", "PointRangeQuery"), "PointRangeQuery");
    }

    #[test]
    fn pieces_of_values_are_filled_up_beyond_their_ends() {
        let pieces = |parts: &[&str]| {
            let pieces = pieces_in(&"w".into(), parts);
            pieces.iter().map(|piece| piece.to_string().replace('\0', "_")).collect::<Vec<_>>().join(" ")
        };
        for (parts, expected) in [
            (&["x"][..], "w:__x w:_x_ w:x__"),
            (&["x", ""], "w:__x"),
            (&["", "x"], "w:x__"),
            (&["ab"], "w:_ab w:ab_"),
            (&["a", "bcd"], "w:__a w:bcd w:cd_"),
        ] {
            assert_eq!(pieces(parts), expected, "{parts:?}");
        }
    }
}
