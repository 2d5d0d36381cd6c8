//! Phrases whose last word is the beginning of one: by the terms that begin so, or by the field that has what terms begin with.

use super::adapt::each_once;
use super::analyzed::Words;
use super::prefix::{Beginnings, beginnings_of};
use super::term_scan::terms_with_prefixes;
use super::text::{TextOptions, check_positions, phrase_positions};
use super::{PlanContext, fields};
use crate::error::Result;
use crate::mapping::{Field, SearchAsYouType};
use crate::score::spans::Span;
use crate::score::{BoolPlan, Marks, MultiTerm, NothingKept, PhrasePosition, Plan, Seen, TermSet};
use std::sync::Arc;

const NO_TERMS: &str = "No terms supplied for org.opensearch.common.lucene.search.MultiPhrasePrefixQuery";

pub fn phrase_prefix(
    cx: &PlanContext,
    field: &Field,
    mut positions: Vec<(u32, Words)>,
    options: &TextOptions,
) -> Result<Plan> {
    let Some((last_position, prefixes)) = positions.pop() else {
        return Ok(Plan::nothing("Matching no documents because no terms present"));
    };
    if let Some(plan) = indexed_phrase_prefix(cx, field, &positions, last_position, &prefixes, options) {
        return Ok(plan);
    }
    let written = phrase_prefix_text(&field.name, &positions, &prefixes, options.slop);
    // Where sources are read, so many terms count of each document, not of the index.
    let most = if field.scores_alike() { SOURCE_EXPANSIONS_MAX } else { options.max_expansions };
    let expanded = terms_with_prefixes(cx, &field.name, &prefixes, most);
    if field.scores_alike() {
        fields::check_sources(cx, field)?;
        return source_match(field, positions, &prefixes, expanded, (last_position, options.slop), written);
    }
    let prefixes: Vec<Vec<u8>> = prefixes.into_iter().map(String::into_bytes).collect();
    let positions = phrase_positions(positions);
    // Highlighters that do not look into the index mark whatever begins so.
    let seen = Seen { fast: false, ..Seen::BY_ALL };
    let marks = |plan| Marks { plan, seen, rest_sees_query: true, most: options.max_expansions };
    if positions.is_empty() {
        if last_position > 0 {
            check_positions(field)?;
        }
        let one = |prefix: Vec<u8>| {
            let text = format!("{}:{}*", field.name, String::from_utf8_lossy(&prefix));
            Plan::MultiTerm(MultiTerm { field: field.name.clone(), set: TermSet::Prefix(prefix), text })
        };
        let marks = marks(fields::any(prefixes.into_iter().map(one).collect()));
        let plan = match expanded.is_empty() {
            true => Plan::nothing(NO_TERMS),
            false => fields::any(expanded.into_iter().map(|term| Plan::term(&field.name, term)).collect()),
        };
        return Ok(plan.written_with_marks(written, marks));
    }
    let phrase = |mut positions: Vec<PhrasePosition>, terms: Vec<Vec<u8>>| {
        positions.push(PhrasePosition { position: last_position, terms, completed: true, alternatives: false });
        Plan::Phrase { field: field.name.clone(), positions: positions.into(), slop: options.slop }
    };
    let marks = marks(phrase(positions.clone(), prefixes));
    check_positions(field)?;
    if expanded.is_empty() {
        return Ok(without_last(field, positions, options.slop).written_with_marks(written, marks));
    }
    Ok(phrase(positions, expanded).written_with_marks(written, marks))
}

/// The words before one that no term begins with: the reference asks for them all the same, beside something that is never there.
fn without_last(field: &Field, mut positions: Vec<PhrasePosition>, slop: u32) -> Plan {
    let before = match &mut positions[..] {
        [only] => {
            let terms = std::mem::take(&mut only.terms);
            fields::any(terms.into_iter().map(|term| Plan::term(&field.name, term)).collect())
        }
        several => {
            // A phrase of terms that may be many, to the reference.
            several.iter_mut().for_each(|position| position.completed = true);
            Plan::Phrase { field: field.name.clone(), positions: positions.into(), slop }
        }
    };
    let must = vec![before, Plan::custom(NothingKept(NO_TERMS.to_owned()))];
    Plan::Bool(BoolPlan { must, ..BoolPlan::default() })
}

/// The most terms that a prefix stands for where sources are read.
const SOURCE_EXPANSIONS_MAX: usize = 4_096;

/// The same where positions are not indexed: the reference reads the sources of documents that have all of the terms.
fn source_match(
    field: &Field,
    positions: Vec<(u32, Words)>,
    prefixes: &[String],
    mut expanded: Vec<Vec<u8>>,
    (last_position, slop): (u32, u32),
    written: String,
) -> Result<Plan> {
    let name = &field.name;
    let one_of = |terms: &[String]| match terms {
        [only] => format!("#{name}:{only}"),
        several => {
            format!("#({})", several.iter().map(|term| format!("{name}:{term}")).collect::<Vec<_>>().join(" "))
        }
    };
    let required: Vec<String> = positions.iter().map(|(_, terms)| one_of(terms)).collect();
    let shown = |last: String| {
        let delegate = [&required[..], &[last]].concat().join(" ");
        format!("SourceFieldMatchQuery (delegate query: [ {delegate} ], filter query: [ {written}])")
    };
    let asked = shown(format!("#{}", phrase_prefix_text(name, &[], prefixes, 0)));
    let found: Vec<String> = expanded.iter().map(|term| String::from_utf8_lossy(term).into_owned()).collect();
    let rewritten = match (found.is_empty(), positions.is_empty()) {
        (true, _) => {
            let delegate = format!("MatchNoDocsQuery(\"{NO_TERMS}\")");
            format!("SourceFieldMatchQuery (delegate query: [ {delegate} ], filter query: [ {written}])")
        }
        (false, true) => {
            let terms = found.iter().map(|term| format!("{name}:{term}")).collect::<Vec<_>>().join(" ");
            shown(format!("(ConstantScore({terms}))^0.0"))
        }
        (false, false) => {
            let required = [&required[..], &[one_of(&found)]].concat();
            let delegate = each_once(&required).join(" ");
            format!("SourceFieldMatchQuery (delegate query: [ {delegate} ], filter query: [ {written}])")
        }
    };
    let plan = match (found.is_empty(), positions.is_empty()) {
        (true, _) => Plan::nothing(NO_TERMS),
        (false, true) if expanded.len() == 1 => Plan::term(name, expanded.remove(0)),
        (false, true) => fields::any(expanded.into_iter().map(|term| Plan::term(name, term)).collect()),
        (false, false) => {
            check_positions(field)?;
            let mut positions = phrase_positions(positions);
            positions.push(PhrasePosition {
                position: last_position,
                terms: expanded,
                completed: true,
                alternatives: false,
            });
            Plan::Phrase { field: name.clone(), positions: positions.into(), slop }
        }
    };
    let prefixes = prefixes.iter().map(|prefix| {
        let set = TermSet::Prefix(prefix.clone().into_bytes());
        Plan::MultiTerm(MultiTerm { field: name.clone(), set, text: format!("{name}:{prefix}*") })
    });
    // Of single words whatever begins so is marked, by those that look into it at all.
    let marks = match &plan {
        Plan::Phrase { .. } => None,
        _ => Some(Marks {
            plan: fields::any(prefixes.collect()),
            seen: Seen { plain: true, ..Seen::BY_NONE },
            rest_sees_query: false,
            most: usize::MAX,
        }),
    };
    let plan = plan.constant().explained_as(rewritten.clone(), rewritten);
    Ok(match marks {
        Some(marks) => plan.written_with_marks(asked, marks),
        None => plan.written_as(asked),
    })
}

/// The same where what the last terms begin with is indexed: spans of the words, and of terms of the field of beginnings.
fn indexed_phrase_prefix(
    cx: &PlanContext,
    field: &Field,
    positions: &[(u32, Words)],
    last_position: u32,
    prefixes: &[String],
    options: &TextOptions,
) -> Option<Plan> {
    // Of what is searched as it is typed only groups of words are looked for so.
    if options.slop > 0 || field.type_name == SearchAsYouType::NAME && !SearchAsYouType::is_group(&field.name) {
        return None;
    }
    let fits = |prefix: &String| beginnings_of(cx, field, prefix).filter(Beginnings::fits);
    let found: Vec<Beginnings> = prefixes.iter().map(fits).collect::<Option<_>>()?;
    let beginnings: Arc<str> = found.first()?.field.as_str().into();
    let bytes = |term: &String| term.clone().into_bytes();
    if positions.is_empty() {
        let asked = Plan::Synonyms { field: beginnings.clone(), terms: prefixes.iter().map(bytes).collect() };
        return Some(match prefixes {
            [prefix] => Plan::term(&beginnings, prefix.as_str()).written_as(asked.to_string()),
            _ => asked,
        });
    }
    let any = |mut spans: Vec<Span>| if spans.len() == 1 { spans.remove(0) } else { Span::Or(spans) };
    let word = |term: &String| Span::Term { field: field.name.clone(), term: bytes(term) };
    let beginning = |term: &String| {
        let inner = Box::new(Span::Term { field: beginnings.clone(), term: bytes(term) });
        Span::Mask { inner, field: field.name.clone() }
    };
    let words = positions.iter().map(|(position, terms)| (*position, any(terms.iter().map(word).collect())));
    let last = (last_position, any(prefixes.iter().map(beginning).collect()));
    let (mut clauses, mut before) = (vec![], None);
    for (position, span) in words.chain([last]) {
        let gap = before.map_or(0, |before: u32| position.saturating_sub(before + 1));
        let width = i32::try_from(gap).unwrap_or(i32::MAX);
        clauses.extend((gap > 0).then(|| Span::Gap { field: field.name.clone(), width }));
        clauses.push(span);
        before = Some(position);
    }
    Some(Plan::custom(Span::Near { clauses, slop: 0, in_order: true }))
}

/// The text of a phrase whose last terms are prefixes, before those are looked up.
fn phrase_prefix_text(field: &str, before: &[(u32, Words)], prefixes: &[String], slop: u32) -> String {
    let one = |terms: &[String], end: &str| match terms {
        [term] => format!("{term}{end}"),
        _ => {
            let terms: Vec<String> = terms.iter().map(|term| format!("{term}{end}")).collect();
            format!("({})", terms.join(" "))
        }
    };
    let mut parts: Vec<String> = before.iter().map(|(_, terms)| one(terms, "")).collect();
    parts.push(one(prefixes, "*"));
    let slop = if slop > 0 { format!("~{slop}") } else { String::new() };
    format!("{field}:\"{}\"{slop}", parts.join(" "))
}
