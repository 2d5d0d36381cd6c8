//! Looking terms up in the dictionaries of all segments: what fuzzy terms and prefixes of phrases expand to.

use super::PlanContext;
use super::as_mapped::{goes_over_values, of_values};
use super::edits::{Edits, closeness, edits_between};
use super::rewrite::{FoundTerm, Rewrite, ScoredTerm, check_each_a_clause};
use crate::error::{Error, Result};
use crate::mapping::Field;
use crate::mapping::number::java_f32;
use crate::score::{Automaton, Marks, MultiTerm, Plan, Refused, Seen, TermSet};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a fuzzy term allows.
#[derive(Clone, Copy, Debug)]
pub struct FuzzyOptions {
    pub edits: u8,
    pub prefix_length: usize,
    pub max_expansions: usize,
    pub transpositions: bool,
}

/// Terms that begin with one of the `prefixes`: for each of these the first ones of the first segment, then of the next, as the
/// reference takes them, which asks for one of each prefix at least.
pub fn terms_with_prefixes(cx: &PlanContext, field: &str, prefixes: &[String], max_expansions: usize) -> Vec<Vec<u8>> {
    let mut found = BTreeSet::new();
    for prefix in prefixes {
        let of_segments = cx.snapshot.segments.iter().filter_map(|view| view.segment.field(field)?.terms());
        for terms in of_segments {
            let mut iter = terms.prefix(prefix.as_bytes());
            let mut full = false;
            while let Some((term, _)) = iter.next().filter(|_| !full) {
                found.insert(term.to_vec());
                full = found.len() >= max_expansions;
            }
            if full {
                break;
            }
        }
    }
    found.into_iter().collect()
}

/// The closest terms to `text`, each boosted by how close it is, all with the statistics of the most frequent.
pub fn fuzzy_plan(cx: &PlanContext, field: &Field, text: &str, options: FuzzyOptions) -> Plan {
    let near = Near::of(field, text, options);
    if goes_over_values(field) {
        return near.of_values(field);
    }
    let (field, text, options) = (&near.field, near.text.as_str(), near.options);
    let plan = Rewrite::Default.of_terms(field, fuzzy_terms(cx, field, text, options, options.max_expansions));
    near.written(plan.unwrap_or_else(|error| Plan::nothing(error.reason())))
}

/// A term with what stands before it where its field has its terms. The reference counts this as a part of the term: how many edits
/// follow from the length, and what must not differ.
pub fn written_term<'t>(field: &Field, text: &'t str) -> Cow<'t, str> {
    match field.terms_elsewhere() {
        Some((_, before)) => Cow::Owned(format!("{before}{text}")),
        None => Cow::Borrowed(text),
    }
}

/// A fuzzy term where its field has its terms.
struct Near {
    field: Arc<str>,
    /// What shows as the field's name.
    shown: String,
    text: String,
    options: FuzzyOptions,
}

impl Near {
    fn of(field: &Field, text: &str, options: FuzzyOptions) -> Self {
        let Some((elsewhere, _)) = field.terms_elsewhere() else {
            let values = field.type_name == "flat_object" && !field.hidden;
            let shown = format!("{}{}", field.name, if values { "._value" } else { "" });
            return Self { field: field.name.clone(), shown, text: text.to_owned(), options };
        };
        Self {
            field: elsewhere.clone(),
            shown: elsewhere.to_string(),
            text: written_term(field, text).into_owned(),
            options,
        }
    }

    /// All that is near, however much that is.
    fn nearby(&self) -> TermSet {
        nearby(&self.text, self.options)
    }

    /// Of a field that has values alone: these are all gone over.
    fn of_values(&self, field: &Field) -> Plan {
        of_values(field, MultiTerm { field: self.field.clone(), set: self.nearby(), text: self.text() })
    }

    fn text(&self) -> String {
        format!("{}:{}~{}", self.shown, self.text, self.options.edits)
    }

    /// The plan with what highlighters see of it: those that do not look into the index go by what is near, however much that is.
    fn written(&self, plan: Plan) -> Plan {
        let seen = Seen { fast: false, ..Seen::BY_ALL };
        if self.options.edits == 0 || self.options.prefix_length >= self.text.chars().count() {
            let term = Plan::term(&self.field, self.text.clone().into_bytes());
            return plan
                .written_with_marks(self.text(), Marks { plan: term, seen, rest_sees_query: true, most: usize::MAX });
        }
        let terms = MultiTerm { field: self.field.clone(), set: self.nearby(), text: self.text() };
        plan.written_with_marks(
            self.text(),
            Marks { plan: Plan::MultiTerm(terms), seen, rest_sees_query: true, most: usize::MAX },
        )
    }
}

/// All that is within some edits of a text.
#[derive(Debug)]
struct Nearby {
    prefix: Vec<u8>,
    wanted: Vec<char>,
    edits: usize,
    transpositions: bool,
}

impl Nearby {
    fn edits_to(&self, term: &[u8]) -> Option<usize> {
        let text = std::str::from_utf8(term).ok().filter(|_| term.starts_with(&self.prefix))?;
        edits_between(&self.wanted, text, self.edits, self.transpositions)
    }
}

impl Automaton for Nearby {
    fn matches(&self, term: &[u8]) -> bool {
        self.edits_to(term).is_some()
    }

    fn closeness(&self, term: &[u8]) -> f32 {
        self.edits_to(term).map_or(1.0, |edits| closeness(self.wanted.len(), term, edits))
    }

    fn prefix(&self) -> &[u8] {
        &self.prefix
    }
}

/// A fuzzy term with a `rewrite` of its own.
pub fn rewritten_fuzzy(
    cx: &PlanContext,
    field: &Field,
    text: &str,
    options: FuzzyOptions,
    rewrite: &Rewrite,
) -> Result<Plan> {
    rewrite.check()?;
    if goes_over_values(field) {
        return Ok(fuzzy_plan(cx, field, text, options));
    }
    let limit = match rewrite {
        Rewrite::Default => return Ok(fuzzy_plan(cx, field, text, options)),
        Rewrite::TopTerms(n) | Rewrite::TopTermsBoost(n) | Rewrite::TopTermsBlended(n) => {
            (*n).min(cx.limits.max_clause_count)
        }
        _ => usize::MAX,
    };
    let near = Near::of(field, text, options);
    let mut terms = near_terms(cx, &near.field, &near.text, near.options, limit);
    if matches!(rewrite, Rewrite::ScoringBoolean | Rewrite::ConstantBoolean) {
        check_each_a_clause(cx, terms.len())?;
        if let Some(ScoredTerm { boost, .. }) = terms.iter().find(|term| term.boost < 0.0) {
            // Scores are multiplied by how near a term is, even where it is further away than it is long.
            let error = Error::illegal_argument(format!("boost must be a positive float, got {}", java_f32(*boost)));
            return Ok(Plan::custom(Refused { text: near.text(), error }));
        }
    }
    without_negative(&mut terms);
    if matches!(rewrite, Rewrite::Constant | Rewrite::ConstantBlended) {
        let set = TermSet::Terms(terms.into_iter().map(|term| term.found.term).collect());
        let plan = Plan::MultiTerm(MultiTerm { field: near.field.clone(), set, text: near.text() });
        let plan = if *rewrite == Rewrite::Constant { plan.shown_as(near.text()) } else { plan };
        return Ok(near.written(plan));
    }
    Ok(near.written(rewrite.of_terms(&near.field, terms)?))
}

/// All that is near to a text, whether a dictionary has it or not.
pub fn nearby(text: &str, options: FuzzyOptions) -> TermSet {
    let wanted: Vec<char> = text.chars().collect();
    let FuzzyOptions { edits, prefix_length, transpositions, .. } = options;
    let prefix = wanted[..prefix_length.min(wanted.len())].iter().collect::<String>().into_bytes();
    TermSet::Pattern(Arc::new(Nearby { prefix, wanted, edits: usize::from(edits), transpositions }))
}

/// Terms below zero are the first to go, but count for nothing like others.
fn without_negative(terms: &mut [ScoredTerm]) {
    terms.iter_mut().for_each(|term| term.boost = term.boost.max(0.0));
}

/// The closest `limit` terms to `text`, in their order, as many as there may be clauses.
pub fn fuzzy_terms(cx: &PlanContext, field: &str, text: &str, options: FuzzyOptions, limit: usize) -> Vec<ScoredTerm> {
    let mut terms = near_terms(cx, field, text, options, limit.min(cx.limits.max_clause_count));
    without_negative(&mut terms);
    terms
}

/// The same with the nearness of each as it is.
fn near_terms(cx: &PlanContext, field: &str, text: &str, options: FuzzyOptions, limit: usize) -> Vec<ScoredTerm> {
    let wanted: Vec<char> = text.chars().collect();
    // Nothing is close to an empty text: how close goes by its length.
    let options = if wanted.is_empty() { FuzzyOptions { edits: 0, ..options } } else { options };
    // Without edits only the text itself is looked at.
    let prefix_length = if options.edits == 0 { wanted.len() } else { options.prefix_length };
    let prefix: String = wanted.iter().take(prefix_length).collect();
    let mut found: BTreeMap<Vec<u8>, (usize, u64, u64)> = BTreeMap::new();
    let mut edits = Edits::new(&wanted, usize::from(options.edits), options.transpositions);
    for view in &cx.snapshot.segments {
        let Some(terms) = view.segment.field(field).and_then(|field| field.terms()) else { continue };
        edits.matching(terms, prefix.as_bytes(), |term, edits, info| {
            let entry = found.entry(term.to_vec()).or_insert((edits, 0, 0));
            entry.1 += u64::from(info.doc_freq);
            entry.2 += info.total_term_freq;
        });
    }
    let scored = |(term, (edits, doc_freq, total_term_freq)): (Vec<u8>, (usize, u64, u64))| ScoredTerm {
        boost: closeness(wanted.len(), &term, edits),
        found: FoundTerm { term, doc_freq, total_term_freq },
    };
    let mut best: Vec<ScoredTerm> = found.into_iter().map(scored).collect();
    best.sort_by(|a, b| b.boost.total_cmp(&a.boost).then_with(|| a.found.term.cmp(&b.found.term)));
    best.truncate(limit);
    best.sort_by(|a, b| a.found.term.cmp(&b.found.term));
    best
}
