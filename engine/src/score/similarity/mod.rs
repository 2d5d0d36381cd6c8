//! Similarities: how the score of a term or a phrase follows from how often it occurs, how long the field is, and statistics.
//!
//! [`Similarity`] is one as settings describe it, [`Similarities`] which fields of a mapping have which, [`Sim`] one bound to the
//! statistics of a field and its terms. Nearly all fields are scored by plain BM25, of which bounds are known; it stays a type of
//! its own, so that scorers are made for it alone. A file per family: `boolean`, `divergence` (DFR), `independence` (DFI),
//! `information` (IB), `language_model`, `scripted`; `normalization` is what DFR and IB share. `settings` reads them and `check`
//! tries what was read.

mod boolean;
mod check;
mod divergence;
mod formula;
mod independence;
mod information;
mod language_model;
mod normalization;
mod scripted;
mod settings;

pub use check::check;
pub use settings::{no_classic, read};

use super::bm25::{B, K1};
use super::term::field_totals;
use super::{Bm25, Explanation, Faults, FieldTotals, Idf, WeightContext};
use crate::segment::{Counting, TermCounts};
use ahash::AHashMap;
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

/// A similarity as the settings of an index describe it.
#[derive(Clone, Debug, PartialEq)]
pub struct Similarity {
    pub kind: SimilarityKind,
    /// Whether tokens at the position of another do not add to the length of a field.
    pub discount_overlaps: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum SimilarityKind {
    /// `legacy`: multiplied by `k1 + 1`.
    Bm25 {
        k1: f32,
        b: f32,
        legacy: bool,
    },
    Boolean,
    Divergence(divergence::Divergence),
    Independence(independence::Independence),
    Information(information::Information),
    Dirichlet(language_model::Dirichlet),
    JelinekMercer(language_model::JelinekMercer),
    Scripted(scripted::Scripted),
}

impl Similarity {
    fn of(kind: SimilarityKind) -> Self {
        Self { kind, discount_overlaps: true }
    }

    /// BM25 as all fields have it that name no other.
    pub fn is_plain(&self) -> bool {
        self.discount_overlaps && self.kind == SimilarityKind::Bm25 { k1: K1, b: B, legacy: false }
    }

    /// The similarity that the name stands for in any index.
    pub fn built_in(name: &str) -> Option<Self> {
        match name {
            "BM25" => Some(Self::of(SimilarityKind::Bm25 { k1: K1, b: B, legacy: false })),
            "boolean" => Some(Self::of(SimilarityKind::Boolean)),
            _ => None,
        }
    }
}

/// The similarities of the fields of a mapping that are not scored by plain BM25.
#[derive(Debug, Default)]
pub struct Similarities {
    fields: AHashMap<Arc<str>, Arc<Similarity>>,
    /// That of fields which name none.
    default: Option<Arc<Similarity>>,
    /// Whether they are those of a mapping.
    per_field: bool,
    /// Fields whose words stand nowhere to who asks for spans: the reference reads their sources for phrases.
    unplaced: Vec<Arc<str>>,
}

static PLAIN: LazyLock<Similarities> = LazyLock::new(Similarities::default);

impl Similarities {
    /// Each field with the similarity that it names. `defined`: those of the index's settings.
    pub fn new<'a>(
        fields: impl Iterator<Item = (&'a Arc<str>, Option<&'a str>)>,
        defined: &[(String, Arc<Similarity>)],
    ) -> Self {
        let find = |name: &str| {
            let own = defined.iter().find(|(known, _)| known == name).map(|(_, similarity)| similarity.clone());
            own.or_else(|| Similarity::built_in(name).map(Arc::new))
        };
        let default = find("default").filter(|similarity| !similarity.is_plain());
        // With another default fields say so that they are scored by plain BM25.
        let named = fields.filter_map(|(field, name)| Some((field.clone(), find(name?)?)));
        let fields = named.filter(|(_, similarity)| default.is_some() || !similarity.is_plain()).collect();
        Self { fields, default, per_field: true, unplaced: vec![] }
    }

    /// The same with fields that have no positions to who asks for spans, though they are kept.
    pub fn with_unplaced(self, unplaced: Vec<Arc<str>>) -> Self {
        Self { unplaced, ..self }
    }

    /// The fields without positions as far as the mapping goes.
    pub fn unplaced(&self) -> &[Arc<str>] {
        &self.unplaced
    }

    /// Whether a field has positions as far as the mapping goes.
    pub fn has_places(&self, field: &str) -> bool {
        !self.unplaced.iter().any(|name| **name == *field)
    }

    /// Plain BM25 for all fields.
    pub fn plain() -> &'static Self {
        &PLAIN
    }

    /// What explanations call them.
    pub fn name(&self) -> &'static str {
        if self.per_field { "PerFieldSimilarity" } else { "BM25Similarity" }
    }

    /// That of a field; none for plain BM25.
    #[inline]
    fn get(&self, field: &str) -> Option<&Similarity> {
        if self.fields.is_empty() && self.default.is_none() {
            return None;
        }
        self.fields.get(field).or(self.default.as_ref()).map(|similarity| &**similarity)
    }

    /// Whether tokens at the position of another add to the length of the field.
    pub fn counts_overlaps(&self, field: &str) -> bool {
        self.get(field).is_some_and(|similarity| !similarity.discount_overlaps)
    }
}

/// A similarity bound to statistics: scores by frequency and norm.
pub trait SimScorer {
    fn score(&self, freq: f32, norm: u8) -> f32;

    /// No document scores more; infinite where that is not known.
    fn max_score(&self) -> f32 {
        f32::INFINITY
    }

    /// What a tf-norm that BM25 recorded for an average length is multiplied by, for a bound of the score.
    fn bound_factor(&self, _recorded_average: f32) -> f32 {
        f32::INFINITY
    }

    /// Explains a score; `freq` explains the frequency.
    fn explain(&self, freq: Explanation, norm: u8) -> Explanation;
}

/// The statistics of one term that formulas go by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stats {
    pub boost: f32,
    /// Documents that have the field.
    pub documents: u64,
    pub sum_doc_freq: u64,
    /// Tokens of the field.
    pub tokens: u64,
    pub doc_freq: u64,
    pub total_term_freq: u64,
}

impl Stats {
    fn average_length(&self) -> f64 {
        self.tokens as f64 / self.documents as f64
    }
}

/// What scores the terms of one field.
#[derive(Clone)]
pub enum Sim {
    Bm25(Rc<Bm25>),
    Other(Rc<dyn SimScorer>),
}

impl Sim {
    /// For where nobody asks for scores.
    pub fn unscored() -> Self {
        Self::Bm25(Bm25::unscored())
    }

    /// The same for the terms of a phrase or of spans that the shard has. Where it has none its field is not looked at, so that it
    /// does not count among the statistics of all shards.
    pub fn of_places(cx: &WeightContext, field: &str, terms: &[TermCounts], boost: f32, scores: bool) -> Self {
        if terms.is_empty() {
            return Self::unscored();
        }
        Self::of_field(cx, field, terms, boost, scores)
    }

    /// For a field of the snapshot; of a phrase all terms. Where nobody asks for scores it is BM25, which cannot fail.
    pub fn of_field(cx: &WeightContext, field: &str, terms: &[TermCounts], boost: f32, scores: bool) -> Self {
        if !scores && matches!(cx.snapshot.counting, Counting::Noted(_)) {
            return Self::unscored();
        }
        let mut totals = field_totals(cx.snapshot, field);
        if !cx.similarities.has_places(field) {
            // There each word of a document counts once.
            totals.sum_total_term_freq = totals.sum_doc_freq;
        }
        if scores {
            Self::new(cx, field, totals, terms, boost)
        } else {
            Self::Bm25(Rc::new(bm25(totals, terms, boost, K1, B)))
        }
    }

    pub fn new(cx: &WeightContext, field: &str, totals: FieldTotals, terms: &[TermCounts], boost: f32) -> Self {
        match cx.similarities.get(field) {
            None => Self::Bm25(Rc::new(bm25(totals, terms, boost, K1, B))),
            Some(similarity) => Self::bound(similarity, &cx.faults, totals, terms, boost),
        }
    }

    fn bound(similarity: &Similarity, faults: &Faults, totals: FieldTotals, terms: &[TermCounts], boost: f32) -> Self {
        let stats = || terms.iter().map(|term| stats_of(totals, *term, boost)).collect::<Vec<_>>();
        Self::Other(match &similarity.kind {
            SimilarityKind::Bm25 { k1, b, legacy } => {
                let boost = if *legacy { boost * (1.0 + k1) } else { boost };
                return Self::Bm25(Rc::new(bm25(totals, terms, boost, *k1, *b)));
            }
            SimilarityKind::Boolean => Rc::new(boolean::BooleanScorer::new(boost)),
            SimilarityKind::Divergence(formula) => Rc::new(formula::FormulaScorer::new(*formula, stats())),
            SimilarityKind::Independence(formula) => Rc::new(formula::FormulaScorer::new(*formula, stats())),
            SimilarityKind::Information(formula) => Rc::new(formula::FormulaScorer::new(*formula, stats())),
            SimilarityKind::Dirichlet(formula) => Rc::new(formula::FormulaScorer::new(*formula, stats())),
            SimilarityKind::JelinekMercer(formula) => Rc::new(formula::FormulaScorer::new(*formula, stats())),
            SimilarityKind::Scripted(scripted) => match scripted::ScriptedScorer::new(scripted, stats(), faults) {
                Ok(scorer) => Rc::new(scorer),
                Err(error) => {
                    faults.report(error);
                    Rc::new(boolean::BooleanScorer::new(0.0))
                }
            },
        })
    }

    #[inline]
    pub fn score(&self, freq: f32, norm: u8) -> f32 {
        match self {
            Self::Bm25(bm25) => bm25.score(freq, norm),
            Self::Other(other) => other.score(freq, norm),
        }
    }

    pub fn max_score(&self) -> f32 {
        match self {
            Self::Bm25(bm25) => bm25.max_score(),
            Self::Other(other) => other.max_score(),
        }
    }

    /// Explains a score. `description` words the frequency: that of a term or of a phrase.
    pub fn explain(&self, freq: f32, norm: u8, description: &str) -> Explanation {
        self.explain_freq(Explanation::matching(freq, description, vec![]), norm)
    }

    fn explain_freq(&self, freq: Explanation, norm: u8) -> Explanation {
        match self {
            Self::Bm25(bm25) => bm25.explain(freq, norm),
            Self::Other(other) => other.explain(freq, norm),
        }
    }

    /// For evaluation in bulk, which knows BM25 alone, and not where it divides by nothing.
    pub fn for_bulk(&self) -> Option<&Rc<Bm25>> {
        match self {
            Self::Bm25(bm25) => Some(bm25).filter(|bm25| bm25.is_finite()),
            Self::Other(_) => None,
        }
    }
}

fn bm25(totals: FieldTotals, terms: &[TermCounts], boost: f32, k1: f32, b: f32) -> Bm25 {
    let idfs = terms.iter().map(|term| Idf { doc_freq: term.doc_freq, doc_count: totals.doc_count }).collect();
    Bm25::with_parameters(boost, idfs, totals, k1, b)
}

fn stats_of(totals: FieldTotals, term: TermCounts, boost: f32) -> Stats {
    Stats {
        boost,
        documents: totals.doc_count,
        sum_doc_freq: totals.sum_doc_freq,
        tokens: totals.sum_total_term_freq,
        doc_freq: term.doc_freq,
        total_term_freq: term.total_term_freq,
    }
}
