//! What of a query can be found in a text: its terms, patterns and phrases, by field.

use super::options::{FieldOptions, Kind};
use crate::error::Result;
use crate::mapping::{Family, Field};
use crate::query::fields::has_keywords_twice;
use crate::query::{PlanContext, Query, ShardContext, expand};
use crate::score::spans::Span;
use crate::score::{CustomPlan, MultiTerm, PhrasePosition, Plan, Seen, TermSet};
use std::ops::Bound;
use std::sync::Arc;

/// Everything that the query looks for.
#[derive(Debug, Default)]
pub struct Matchers {
    all: Vec<Matcher>,
    /// Whether boosts count for nothing in what is being gathered.
    alike: bool,
    /// Who knows only words of what is being gathered, and how many such queries there were.
    unknown: Seen,
    queries: usize,
    /// For how many words of a text a beginning stands in what is being gathered.
    most: usize,
    /// Fields of pieces of values: what is looked for there is seen by nobody.
    unseen: Vec<Arc<str>>,
    /// Fields without positions: the words of a phrase are looked for each by itself.
    apart: Vec<Arc<str>>,
    /// Fields of which ranges are found by terms or by values, which is no pattern to who looks patterns up.
    twice: Vec<Arc<str>>,
}

/// One thing that the query looks for in one field.
#[derive(Clone, Debug)]
pub struct Matcher {
    pub field: Arc<str>,
    pub what: What,
    pub boost: f32,
    seen: Seen,
    /// For how many words of a text a beginning stands, to the plain highlighter.
    pub most: usize,
    /// The number of the query that it is a word of, if nothing else is known of that one.
    pub word_of: Option<usize>,
    /// Whether patterns that pass for another field's are not seen.
    pub masked: bool,
}

#[derive(Clone, Debug)]
pub enum What {
    Term(Vec<u8>),
    /// Any term of a set.
    Any(MultiTerm),
    Phrase {
        positions: Vec<PhrasePosition>,
        slop: u32,
    },
    Spans(Arc<Span>),
}

/// Parts of a query that are looked at; hostile ones have more.
const MATCHERS_MAX: usize = 4_096;

/// Terms that a pattern comes to for the highlighter for term vectors.
const EXPANDED_MAX: usize = 1_024;

/// Of how many terms the highlighter for term vectors makes phrases, where some stand at the same position. Where there are more, each
/// is found by itself.
const PHRASES_MAX: usize = 16;

impl Matchers {
    pub fn of(query: &Query, cx: &ShardContext) -> Result<Self> {
        let fields = cx.mapping.matching("*");
        let names = |wanted: fn(&Field) -> bool| {
            fields.iter().filter(|field| wanted(field)).map(|field| field.name.clone()).collect()
        };
        // What stands for ranges and addresses are no words, whatever texts lie between them.
        let is_unseen =
            |field: &Field| field.type_name == "wildcard" || matches!(field.family(), Family::Range | Family::Ip);
        let (apart, unseen) = (names(Field::scores_alike), names(is_unseen));
        let twice = names(|field| has_keywords_twice(field) || field.type_name == "flat_object");
        let mut matchers = Self { apart, unseen, twice, most: usize::MAX, ..Self::default() };
        let plan = query.asked_plan(cx)?;
        matchers.gather(&plan, 1.0, (Seen::BY_ALL, Seen::BY_ALL));
        Ok(matchers)
    }

    /// The same where the highlighter for term vectors sees the first terms that patterns come to in the dictionaries of their own
    /// fields, wherever it looks for them.
    pub fn with_expanded(mut self, cx: &ShardContext) -> Self {
        let plans = PlanContext::new(cx);
        let mut expanded = vec![];
        for matcher in &mut self.all {
            if let (What::Any(multi), true) = (&matcher.what, matcher.seen.fast) {
                let terms = expand(&plans, multi, EXPANDED_MAX).into_iter().map(|found| found.term).collect();
                let multi = MultiTerm { set: TermSet::Terms(terms), ..multi.clone() };
                let seen = Seen { unified: false, plain: false, fast: true };
                expanded.push(Matcher { what: What::Any(multi), seen, ..matcher.clone() });
                matcher.seen.fast = false;
            }
        }
        self.all.extend(expanded);
        self
    }

    fn push(&mut self, field: &Arc<str>, what: What, boost: f32, seen: Seen) {
        let (known, words) = (seen.and(self.unknown.inverted()), seen.and(self.unknown));
        if words != Seen::BY_NONE {
            self.push_words(field, &what, boost, words);
        }
        if known != Seen::BY_NONE {
            self.push_one(field, what, boost, known, None);
        }
    }

    fn push_one(&mut self, field: &Arc<str>, what: What, boost: f32, seen: Seen, word_of: Option<usize>) {
        if seen != Seen::BY_NONE && self.all.len() < MATCHERS_MAX {
            self.all.push(Matcher { field: field.clone(), what, boost, seen, most: self.most, word_of, masked: false });
        }
    }

    /// The words of something for those that know nothing else of it. Patterns are found like any others, or count as the words
    /// that they come to. What a phrase ends with is a word only to who reads the text for it.
    fn push_words(&mut self, field: &Arc<str>, what: &What, boost: f32, seen: Seen) {
        let word_of = Some(self.queries);
        let plain = seen.and(Seen { plain: true, ..Seen::BY_NONE });
        match what {
            What::Term(_) => self.push_one(field, what.clone(), boost, seen, word_of),
            What::Any(_) => {
                self.push_one(field, what.clone(), boost, seen.and(plain.inverted()), None);
                self.push_one(field, what.clone(), boost, plain, word_of);
            }
            What::Phrase { positions, .. } => {
                for position in positions {
                    for term in &position.terms {
                        let (what, seen) = match position.completed {
                            true => (beginning(field, term), plain),
                            false => (What::Term(term.clone()), seen),
                        };
                        self.push_one(field, what, boost, seen, word_of);
                    }
                }
            }
            What::Spans(span) => {
                let (mut terms, mut patterns) = (vec![], vec![]);
                span.words(&mut terms, &mut patterns);
                for (field, term) in terms {
                    self.push_one(&field, What::Term(term), boost, seen, word_of);
                }
                // Only one of them knows what patterns within spans come to.
                let seen = Seen { unified: false, ..seen };
                for (field, set) in patterns {
                    let multi = MultiTerm { field: field.clone(), set: set.clone(), text: String::new() };
                    self.push_one(field, What::Any(multi), boost, seen, word_of);
                }
            }
        }
    }

    /// Queries nest to a bounded depth, and so do plans. `seen`: who sees terms, and who sees patterns.
    fn gather(&mut self, plan: &Plan, boost: f32, seen: (Seen, Seen)) {
        let (terms_seen, patterns_seen) = seen;
        match plan {
            Plan::Term { field, term } => self.push(field, What::Term(term.clone()), boost, terms_seen),
            Plan::Blended(blended) => {
                let unknown = Seen { unified: true, ..Seen::BY_NONE };
                self.within(unknown, |all| {
                    all.push(&blended.field, What::Term(blended.term.clone()), boost, terms_seen);
                });
            }
            Plan::Synonyms { field, terms } => {
                terms.iter().for_each(|term| self.push(field, What::Term(term.clone()), boost, terms_seen));
            }
            Plan::Phrase { field, positions, .. } if self.apart.contains(field) => {
                self.within(Seen { fast: false, ..Seen::BY_ALL }, |all| {
                    for position in positions.iter() {
                        // One highlighter does not see what a prefix was completed to.
                        let own = Seen { unified: terms_seen.unified && !position.completed, ..terms_seen };
                        let own = Seen { fast: false, ..own };
                        position.terms.iter().for_each(|term| all.push(field, What::Term(term.clone()), boost, own));
                    }
                });
            }
            Plan::Phrase { field, positions, slop } => {
                let (fast, mut terms_seen) = (Seen { fast: true, ..Seen::BY_NONE }, terms_seen);
                let several = positions.iter().any(|position| position.terms.len() > 1);
                if several && positions.iter().map(|position| position.terms.len()).sum::<usize>() > PHRASES_MAX {
                    for term in positions.iter().flat_map(|position| &position.terms) {
                        self.push_one(field, What::Term(term.clone()), boost, terms_seen.and(fast), None);
                    }
                    terms_seen = terms_seen.and(fast.inverted());
                }
                self.push(field, What::Phrase { positions: positions.to_vec(), slop: *slop }, boost, terms_seen);
            }
            Plan::MultiTerm(multi) if self.unseen.contains(&multi.field) || is_value(multi) => {}
            Plan::MultiTerm(multi) => {
                let mut seen = patterns_seen;
                seen.fast &= !matches!(multi.set, TermSet::Range(..)) || !self.twice.contains(&multi.field);
                if let TermSet::Terms(terms) = &multi.set
                    && let [term] = &terms[..]
                {
                    // One term of a set is to one of them a word of a query that it does not know, several are a pattern.
                    let word = Seen { unified: true, ..Seen::BY_NONE };
                    self.within(word, |all| all.push(&multi.field, What::Term(term.clone()), boost, seen.and(word)));
                    seen = seen.and(word.inverted());
                }
                self.push(&multi.field, What::Any(multi.clone()), boost, seen);
            }
            Plan::Bool(plan) => {
                let clauses = plan.must.iter().chain(&plan.should).chain(&plan.filter);
                clauses.for_each(|clause| self.gather(clause, boost, seen));
            }
            Plan::DisMax { plans, .. } => plans.iter().for_each(|plan| self.gather(plan, boost, seen)),
            Plan::Constant(plan) => self.gather(plan, boost, seen),
            Plan::Boost(plan, by) => self.gather(plan, if self.alike { boost } else { boost * by }, seen),
            Plan::Custom(custom) => {
                let own = custom.0.seen();
                let seen = (terms_seen.and(own.0), patterns_seen.and(own.1));
                self.within(custom.0.unknown(), |all| all.gather_custom(custom, boost, seen));
            }
            Plan::Nothing(_) | Plan::All | Plan::Points(_) | Plan::Exists { .. } | Plan::Ids(_) => {}
        }
    }

    /// Gathers what those do not know who do not know what it stands in.
    fn within(&mut self, unknown: Seen, gather: impl FnOnce(&mut Self)) {
        let before = self.unknown;
        if before.and(unknown) != unknown {
            self.unknown = before.or(unknown);
            self.queries += 1;
        }
        gather(self);
        self.unknown = before;
    }

    fn gather_custom(&mut self, custom: &CustomPlan, boost: f32, seen: (Seen, Seen)) {
        match (custom.0.marks(), custom.0.spans()) {
            (Some(marks), _) => {
                let before = std::mem::replace(&mut self.most, marks.most);
                let mut patterns = seen.1.and(marks.seen);
                // To who knows only words a query is the words that it is rewritten to, but those that a phrase ends with.
                let has_terms = !matches!(custom.0.written(), Some(Plan::MultiTerm(_) | Plan::Custom(_)));
                let known = marks.seen.unified && marks.seen.plain && seen.0.plain;
                patterns.plain |= self.unknown.plain && has_terms && known;
                patterns.unified &= !(self.unknown.unified && marks.completes());
                self.gather(&marks.plan, boost, (seen.0.and(marks.seen), patterns));
                self.most = before;
                if marks.rest_sees_query {
                    let seen = (seen.0.and(marks.seen.inverted()), seen.1.and(marks.seen.inverted()));
                    custom.0.highlighted().iter().for_each(|plan| self.gather(plan, boost, seen));
                }
            }
            // Spans over several fields are not found in the text of one.
            (None, Some(span)) if one_field(span) => self.gather_spans(span, boost, seen.0),
            (None, _) if custom.0.weighs_alike() => {
                let before = std::mem::replace(&mut self.alike, true);
                custom.0.highlighted().iter().for_each(|plan| self.gather(plan, 1.0, seen));
                self.alike = before;
            }
            (None, _) => custom.0.highlighted().iter().for_each(|plan| self.gather(plan, boost, seen)),
        }
    }

    /// Spans of terms of one field.
    fn gather_spans(&mut self, span: &Span, boost: f32, seen: Seen) {
        let mut terms = vec![];
        span.numbered(&mut terms);
        // A pattern that no term of the index belongs to may yet be that of words of another field.
        let of_pattern = || span.field().filter(|_| span.has_pattern());
        if let Some(field) = terms.first().map(|(field, _)| field).or_else(of_pattern) {
            self.push(field, What::Spans(Arc::new(span.clone())), boost, seen);
        }
    }

    /// What can be found in a field. Nothing in those of beginnings of other fields' terms.
    pub fn for_field(&self, field: &Field, options: &FieldOptions) -> Vec<Matcher> {
        if field.type_name == "prefix" {
            return vec![];
        }
        let listed =
            |field: &str| options.kind != Kind::Plain && options.matched_fields.iter().any(|name| name == field);
        // The fast one matches what is listed, and nothing else if anything is.
        let own = options.kind != Kind::Fast || options.matched_fields.is_empty();
        let wanted = |matcher: &&Matcher| {
            !options.require_field_match || own && matcher.field == field.name || listed(&matcher.field)
        };
        let seen = |matcher: &&Matcher| match options.kind {
            Kind::Unified => matcher.seen.unified,
            Kind::Plain => matcher.seen.plain,
            Kind::Fast => matcher.seen.fast,
        };
        let mut found: Vec<Matcher> = self.all.iter().filter(wanted).filter(seen).cloned().collect();
        let placed = |matcher: &Matcher| matches!(matcher.what, What::Phrase { .. } | What::Spans(_));
        if options.kind == Kind::Unified && options.require_field_match {
            found.iter_mut().for_each(|matcher| matcher.masked = true);
        }
        if options.kind == Kind::Unified && found.iter().any(placed) {
            // Where something has a place, words that are not known to have none are left out.
            found.retain(|matcher| matcher.word_of.is_none());
        }
        found
    }
}

/// Whether it is one value of a field that is not indexed: a range of values, of which no highlighter sees a word.
fn is_value(multi: &MultiTerm) -> bool {
    matches!(&multi.set, TermSet::Terms(terms) if terms.len() == 1) && multi.text.ends_with("]]")
}

/// What begins so.
fn beginning(field: &Arc<str>, prefix: &[u8]) -> What {
    What::Any(MultiTerm { field: field.clone(), set: TermSet::Prefix(prefix.to_vec()), text: String::new() })
}

/// Whether all terms of spans stand in the same field.
fn one_field(span: &Span) -> bool {
    let mut terms = vec![];
    span.numbered(&mut terms);
    terms.windows(2).all(|two| two[0].0 == two[1].0)
}

/// Whether a set has the term.
pub fn set_has(set: &TermSet, term: &[u8]) -> bool {
    match set {
        TermSet::Prefix(prefix) => term.starts_with(prefix),
        TermSet::Terms(terms) => terms.binary_search_by(|known| known.as_slice().cmp(term)).is_ok(),
        // A pattern is only asked for what begins as it does.
        TermSet::Pattern(pattern) => term.starts_with(pattern.prefix()) && pattern.matches(term),
        TermSet::Range(lo, hi) => {
            let above = match lo {
                Bound::Unbounded => true,
                Bound::Included(lo) => term >= lo.as_slice(),
                Bound::Excluded(lo) => term > lo.as_slice(),
            };
            let below = match hi {
                Bound::Unbounded => true,
                Bound::Included(hi) => term <= hi.as_slice(),
                Bound::Excluded(hi) => term < hi.as_slice(),
            };
            above && below
        }
    }
}
