//! `combined_fields`: a term in several fields, scored as if they were one.

use super::plan::term_text;
use super::profile::enter_terms;
use super::term::{TermLookup, field_totals, segment_index};
use super::{
    Bm25, Bound, Explanation, FieldTotals, Idf, Plan, PlanNode, Scorer, Seen, Weight, WeightContext, float_text,
};
use crate::error::{Error, Result};
use crate::segment::{NO_MORE_DOCS, Norms, Postings, SegmentView, Snapshot, Want, encode_length};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

/// A term in fields with weights, sorted by name.
#[derive(Clone, Debug)]
pub struct CombinedFields {
    pub fields: Vec<(Arc<str>, f32)>,
    pub term: Vec<u8>,
}

impl fmt::Display for CombinedFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = |(name, weight): &(Arc<str>, f32)| match weight {
            1.0 => name.to_string(),
            weight => format!("{name}^{}", float_text(*weight)),
        };
        let fields: Vec<String> = self.fields.iter().map(field).collect();
        write!(f, "CombinedFieldQuery(({})({}))", fields.join(" "), term_text(&self.term))
    }
}

impl PlanNode for CombinedFields {
    fn type_name(&self) -> String {
        "CombinedFieldQuery".to_owned()
    }

    fn highlighted(&self) -> Vec<Plan> {
        self.fields.iter().map(|(name, _)| Plan::term(name, self.term.clone())).collect()
    }

    fn seen(&self) -> (Seen, Seen) {
        let seen = Seen { unified: true, plain: true, fast: false };
        (seen, seen)
    }

    fn weighs_alike(&self) -> bool {
        true
    }

    fn text_unscored(&self) -> Option<String> {
        // There the reference looks for the term of any field instead.
        let terms: Vec<String> = self.highlighted().iter().map(Plan::to_string).collect();
        Some(terms.join(" "))
    }

    fn unknown(&self) -> Seen {
        Seen { fast: false, ..Seen::BY_ALL }
    }

    fn weight(&self, cx: &WeightContext, scores: bool, boost: f32) -> Result<Box<dyn Weight>> {
        if let Some(profiler) = cx.profiler.as_ref().filter(|_| !scores) {
            // Where nothing is scored the reference looks for the term of any field; one alone takes the place of the whole.
            let terms = self.highlighted();
            if terms.len() > 1 {
                enter_terms(&terms, profiler)?;
            }
        }
        check_norms(cx.snapshot, &self.fields)?;
        Ok(Box::new(CombinedWeight::new(cx, self, scores, boost)))
    }
}

/// Refuses fields of which some have norms and some have none: their lengths do not add up.
fn check_norms(snapshot: &Snapshot, fields: &[(Arc<str>, f32)]) -> Result<()> {
    let (mut with, mut without) = (false, false);
    for view in &snapshot.segments {
        for field in
            fields.iter().filter_map(|(name, _)| view.segment.field(name)).filter(|field| field.terms().is_some())
        {
            *(if field.norms().is_some() { &mut with } else { &mut without }) = true;
        }
    }
    if with && without {
        return Err(Error::illegal_argument(
            "CombinedFieldQuery requires norms to be consistent across fields: some fields cannot  have norms enabled, while others have norms disabled",
        ));
    }
    Ok(())
}

struct CombinedWeight {
    plan: CombinedFields,
    snapshot: Arc<Snapshot>,
    /// The term by field.
    lookups: Vec<TermLookup>,
    sim: Rc<Bm25>,
}

impl CombinedWeight {
    fn new(cx: &WeightContext, plan: &CombinedFields, scores: bool, boost: f32) -> Self {
        let lookup = |name: &str| TermLookup::new(cx.snapshot, name, &plan.term, scores);
        let lookups: Vec<TermLookup> = plan.fields.iter().map(|(name, _)| lookup(name)).collect();
        let counts = lookups.iter().filter_map(TermLookup::counts_here);
        let doc_freq = counts.map(|counts| counts.doc_freq).max().unwrap_or(0);
        // Of each sum the fraction is cut off before the next field is added.
        let (mut doc_count, mut length) = (0, 0u64);
        // Where the term is in none, nobody asks for the fields: with statistics of all shards this one's are left out.
        let counted = plan.fields.iter().filter(|_| scores && doc_freq > 0);
        for (name, weight) in counted {
            let totals = field_totals(cx.snapshot, name);
            doc_count = doc_count.max(totals.doc_count);
            length = (length as f64 + totals.sum_total_term_freq as f64 * f64::from(*weight)) as u64;
        }
        let totals = FieldTotals { doc_count, sum_doc_freq: 0, sum_total_term_freq: length };
        let sim = Rc::new(Bm25::new(boost, vec![Idf { doc_freq, doc_count }], totals));
        Self { plan: plan.clone(), snapshot: cx.snapshot.clone(), lookups, sim }
    }

    fn combined_scorer(&self, view: &SegmentView) -> Option<CombinedScorer> {
        let segment = segment_index(&self.snapshot, &view.segment);
        let (mut lists, mut norms) = (vec![], vec![]);
        for ((name, weight), lookup) in self.plan.fields.iter().zip(&self.lookups) {
            let Some(field) = view.segment.field(name) else { continue };
            norms.extend(field.norms().map(|of_field| (of_field.clone(), *weight)));
            let Some(terms) = field.terms() else { continue };
            lists.extend(lookup.info(segment).map(|info| (terms.postings(info, Want::Freqs), *weight)));
        }
        let doc = lists.iter().map(|(list, _)| list.doc()).min()?;
        (doc != NO_MORE_DOCS).then(|| CombinedScorer { doc, lists, norms, sim: self.sim.clone() })
    }
}

impl Weight for CombinedWeight {
    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        Ok(self.combined_scorer(view).map(|scorer| Box::new(scorer) as Box<dyn Scorer>))
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        let found = self.combined_scorer(view).filter(|scorer| scorer.doc <= doc);
        let Some(mut scorer) = found else { return Ok(Explanation::no_match("no matching term", vec![])) };
        if scorer.advance(doc) != doc {
            return Ok(Explanation::no_match("no matching term", vec![]));
        }
        let freq = scorer.freq();
        let detail = {
            let freq = Explanation::matching(freq, format!("termFreq={}", float_text(freq)), vec![]);
            self.sim.explain(freq, scorer.norm())
        };
        let description = format!("weight({} in {doc}), result of:", self.plan);
        Ok(Explanation::matching(detail.score(), description, vec![detail]))
    }
}

struct CombinedScorer {
    doc: u32,
    lists: Vec<(Postings, f32)>,
    norms: Vec<(Norms, f32)>,
    sim: Rc<Bm25>,
}

impl CombinedScorer {
    fn freq(&mut self) -> f32 {
        let doc = self.doc;
        let here = self.lists.iter_mut().filter(|(list, _)| list.doc() == doc);
        here.map(|(list, weight)| *weight * list.freq() as f32).sum()
    }

    /// The norm of the fields' weighted lengths together.
    fn norm(&self) -> u8 {
        if self.norms.is_empty() {
            // What no field tells counts as one word.
            return encode_length(1);
        }
        let here = self.norms.iter().filter(|(norms, _)| norms.docs().contains(self.doc));
        let length: f32 = here.map(|(norms, weight)| weight * super::norm_to_length(norms.get(self.doc)) as f32).sum();
        encode_length(length.round() as u32)
    }
}

impl Scorer for CombinedScorer {
    fn doc(&self) -> u32 {
        self.doc
    }

    fn next(&mut self) -> u32 {
        self.advance(self.doc + 1)
    }

    fn advance(&mut self, target: u32) -> u32 {
        if target > self.doc {
            let docs = (self.lists.iter_mut())
                .map(|(list, _)| if list.doc() < target { list.advance(target) } else { list.doc() });
            self.doc = docs.min().unwrap_or(NO_MORE_DOCS);
        }
        self.doc
    }

    fn score(&mut self) -> f32 {
        let freq = self.freq();
        self.sim.score(freq, self.norm())
    }

    fn cost(&self) -> u64 {
        self.lists.iter().map(|(list, _)| u64::from(list.doc_freq())).sum()
    }

    fn bound(&mut self, _target: u32) -> Bound {
        Bound { last_doc: NO_MORE_DOCS - 1, max: self.sim.weight() }
    }
}
