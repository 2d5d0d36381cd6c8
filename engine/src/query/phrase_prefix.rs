//! Phrases whose last word is the beginning of one: by the terms that begin so, or by the field that has what terms begin with.

use super::analyzed::Words;
use super::prefix::{Beginnings, beginnings_of};
use super::term_scan::terms_with_prefix;
use super::text::{TextOptions, check_positions, phrase_positions};
use super::{PlanContext, fields};
use crate::error::Result;
use crate::mapping::{Field, SearchAsYouType};
use crate::score::spans::Span;
use crate::score::{PhrasePosition, Plan};
use std::sync::Arc;

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
    let mut expanded: Vec<Vec<u8>> = Vec::new();
    for prefix in &prefixes {
        expanded.extend(terms_with_prefix(
            cx,
            &field.name,
            prefix,
            options.max_expansions.saturating_sub(expanded.len()),
        ));
    }
    if expanded.is_empty() {
        return Ok(Plan::nothing("No terms supplied for org.opensearch.common.lucene.search.MultiPhrasePrefixQuery")
            .written_as(written));
    }
    if positions.is_empty() {
        let should = expanded.into_iter().map(|term| Plan::term(&field.name, term)).collect();
        return Ok(fields::any(should).written_as(written));
    }
    check_positions(field)?;
    let mut positions = phrase_positions(positions);
    positions.push(PhrasePosition { position: last_position, terms: expanded, completed: true });
    Ok(Plan::Phrase { field: field.name.clone(), positions: positions.into(), slop: options.slop }.written_as(written))
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
        clauses.extend((gap > 0).then(|| Span::Gap(gap.min(i32::MAX as u32) as i32)));
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
