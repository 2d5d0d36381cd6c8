//! Texts whose analysis is a graph: several ways through the words.

use super::PlanContext;
use super::bool_query::too_many;
use super::graph::{Graph, Path, Stretch};
use super::phrase_prefix::phrase_prefix;
use super::prefix::{prefix_plan, prefix_terms};
use super::span::multi as span_multi;
use super::text::{Shape, TextOptions, boolean, check_positions, joined_clauses, one_position, pairs, phrase};
use crate::error::Result;
use crate::mapping::Field;
use crate::score::spans::Span;
use crate::score::{BoolPlan, Plan};
use smallvec::smallvec;

/// The plan of a text whose analysis is a graph.
pub(super) fn graph_plan(
    cx: &PlanContext,
    shape: Shape,
    field: &Field,
    graph: &Graph,
    options: &TextOptions,
) -> Result<Plan> {
    let most = cx.limits.max_clause_count;
    let alternatives = |plans: Vec<Plan>| match plans.len() {
        1 => plans.into_iter().next().unwrap_or(Plan::All),
        _ => Plan::Bool(BoolPlan { should: plans, ..BoolPlan::default() }),
    };
    let is_phrase = matches!(shape, Shape::Phrase | Shape::PhrasePrefix);
    if is_phrase && options.slop == 0 && check_positions(field).is_ok() {
        let stretches = graph.stretches(most).ok_or_else(|| too_many(cx))?;
        if let Some(plan) = graph_spans(cx, field, stretches, shape == Shape::PhrasePrefix, options.max_expansions) {
            return Ok(plan);
        }
    }
    let positions =
        |path: Path| path.into_iter().map(|(position, term)| (position, smallvec![term])).collect::<Vec<_>>();
    if is_phrase {
        let plan = |path: Path| match (shape, path.len()) {
            (Shape::PhrasePrefix, _) => phrase_prefix(cx, field, positions(path), options),
            (_, 1) => boolean(cx, field, positions(path), false, options),
            _ => phrase(cx, field, positions(path), options.slop),
        };
        return Ok(alternatives(
            graph.paths(most).ok_or_else(|| too_many(cx))?.into_iter().map(plan).collect::<Result<_>>()?,
        ));
    }
    // Where the index has no positions, all words of a way are looked for.
    let as_phrases = options.synonyms_as_phrases && check_positions(field).is_ok();
    let path_plan = |path: Path| match path.len() {
        1 => boolean(cx, field, positions(path), false, options),
        _ if as_phrases => {
            let words = positions(path);
            let first = words[0].0;
            let from_zero: Vec<_> = words.iter().map(|(at, terms)| (at - first, terms.clone())).collect();
            pairs(cx, field, &from_zero, 0).map_or_else(|| phrase(cx, field, words, 0), Ok)
        }
        _ => {
            let must = path.into_iter().map(|(_, term)| one_position(cx, field, smallvec![term], options)).collect();
            Ok(Plan::Bool(BoolPlan { must, ..BoolPlan::default() }))
        }
    };
    let mut clauses = vec![];
    let mut stretches = graph.stretches(most).ok_or_else(|| too_many(cx))?;
    // Ways through the last words are beginnings as phrases alone.
    let begins = |last: &mut Stretch| as_phrases || matches!(last, Stretch::Terms(_));
    let last = if shape == Shape::BooleanPrefix { stretches.pop_if(begins) } else { None };
    for stretch in stretches {
        clauses.push(match stretch {
            Stretch::Terms(terms) => one_position(cx, field, terms.into(), options),
            Stretch::Paths(paths) => alternatives(paths.into_iter().map(path_plan).collect::<Result<_>>()?),
        });
    }
    // The last one is a beginning, unless it is one of several terms.
    match last {
        Some(Stretch::Terms(mut terms)) if terms.len() == 1 => {
            clauses.push(prefix_plan(cx, field, &terms.remove(0), false));
        }
        Some(Stretch::Terms(terms)) => clauses.push(one_position(cx, field, terms.into(), options)),
        Some(Stretch::Paths(paths)) => {
            let plans = paths.into_iter().map(|path| phrase_prefix(cx, field, positions(path), options));
            clauses.push(alternatives(plans.collect::<Result<_>>()?));
        }
        None => {}
    }
    // What stands alone is a clause none the less: so and so many of it should match, not of the ways through it.
    joined_clauses(cx, clauses, options)
}

/// A phrase without slop as spans one after the other, of which those with several ways through them are alternatives; of a
/// prefix the last words are beginnings, of `max_expansions` terms each. `None` where terms were removed within such a way.
fn graph_spans(
    cx: &PlanContext,
    field: &Field,
    stretches: Vec<Stretch>,
    prefix: bool,
    max_expansions: usize,
) -> Option<Plan> {
    let near = |clauses: Vec<Span>| Span::Near { clauses, slop: 0, in_order: true };
    let joined = |mut spans: Vec<Span>, join: fn(Vec<Span>) -> Span| match spans.len() {
        1 => spans.remove(0),
        _ => join(spans),
    };
    let word = |text: String, begins: bool| match begins {
        true => span_multi::of_first_terms(cx, prefix_terms(field, &text, false), max_expansions),
        false => Span::Term { field: field.name.clone(), term: text.into_bytes() },
    };
    let (mut clauses, count) = (vec![], stretches.len());
    for (at, stretch) in stretches.into_iter().enumerate() {
        let last = prefix && at + 1 == count;
        clauses.push(match stretch {
            Stretch::Terms(terms) => joined(terms.into_iter().map(|term| word(term, last)).collect(), Span::Or),
            Stretch::Paths(paths) => {
                let mut ways = Vec::with_capacity(paths.len());
                for path in paths {
                    if path.iter().enumerate().any(|(at, (position, _))| *position as usize != at) {
                        return None;
                    }
                    let end = path.len();
                    let words = path.into_iter().enumerate().map(|(at, (_, text))| word(text, last && at + 1 == end));
                    ways.push(joined(words.collect(), near));
                }
                Span::Or(ways)
            }
        });
    }
    Some(Plan::custom(joined(clauses, near)))
}
