//! Terms at given distances from each other, exactly or nearly: two phases, documents first and positions then.

use super::bulk::{BulkClauses, Clause, PhraseClauses, PhraseTerm, TermLists, lengths_of};
use super::late::Late;
use super::phrase_match::{Group, Place, exact_freq, sloppy_freq};
use super::similarity::Sim;
use super::term::{TermLookup, explain_unscored, norm_of, segment_index};
use super::{Bound, BulkTop, Explanation, Plan, Scorer, Weight, WeightContext};
use crate::error::{Error, Result};
use crate::segment::{NO_MORE_DOCS, Norms, Postings, SegmentView, Snapshot, Want};
use std::fmt;
use std::sync::Arc;

/// A phrase of more positions is a mistake or an attack: each has a cursor of its own.
const POSITIONS_MAX: usize = 8_192;
/// With more terms at a position, and with more at all such positions, a document may have too many of them.
const ALTERNATIVES_MAX: usize = 64;
const ALL_ALTERNATIVES_MAX: usize = 256;

/// The terms that may stand at one position of the phrase.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PhrasePosition {
    pub position: u32,
    pub terms: Vec<Vec<u8>>,
    /// Whether the terms are what a prefix was completed to, one or many.
    pub completed: bool,
    /// Whether the reference has a query here that takes several terms at a position, however many there are.
    pub alternatives: bool,
}

/// Whether the reference has the query for it that takes several terms at a position.
pub fn is_multi(positions: &[PhrasePosition]) -> bool {
    positions.iter().any(|at| at.completed || at.alternatives || at.terms.len() > 1)
}

pub fn fmt(f: &mut fmt::Formatter<'_>, field: &str, positions: &[PhrasePosition], slop: u32) -> fmt::Result {
    write!(f, "{field}:\"")?;
    // Of several terms at a position the reference shows the gaps between them alone.
    let mut expected = positions.first().map_or(0, |first| if is_multi(positions) { first.position } else { 0 });
    for (i, position) in positions.iter().enumerate() {
        if i > 0 {
            f.write_str(" ")?;
        }
        while expected < position.position {
            f.write_str("? ")?;
            expected += 1;
        }
        expected += 1;
        let terms: Vec<_> = position.terms.iter().map(|term| String::from_utf8_lossy(term)).collect();
        match terms.as_slice() {
            [one] => f.write_str(one)?,
            many => write!(f, "({})", many.join(" "))?,
        }
    }
    f.write_str("\"")?;
    if slop > 0 { write!(f, "~{slop}") } else { Ok(()) }
}

pub struct PhraseWeight {
    snapshot: Arc<Snapshot>,
    field: Arc<str>,
    /// As the plan has them, and as they were looked up.
    planned: Arc<[PhrasePosition]>,
    positions: Vec<(u32, Vec<TermLookup>)>,
    /// Positions with the same terms have the same number here.
    groups: Vec<Group>,
    slop: u32,
    sim: Sim,
    /// What explanations call it.
    similarity: &'static str,
    scores: bool,
}

impl PhraseWeight {
    pub fn new(
        cx: &WeightContext,
        field: &Arc<str>,
        positions: &Arc<[PhrasePosition]>,
        slop: u32,
        scores: bool,
        boost: f32,
    ) -> Result<Self> {
        if positions.len() > POSITIONS_MAX {
            let reason = format!("a phrase may have at most [{POSITIONS_MAX}] positions, not [{}]", positions.len());
            return Err(Error::illegal_argument(reason));
        }
        for view in &cx.snapshot.segments {
            let indexed = view.segment.field(field).is_some_and(|f| f.terms().is_some() && !f.has_positions());
            if indexed {
                return Err(Error::new(
                    crate::error::ErrorKind::IllegalState,
                    format!("field \"{field}\" was indexed without position data; cannot run PhraseQuery"),
                ));
            }
        }
        let first = positions.first().map_or(0, |p| p.position);
        let mut counts = Vec::new();
        let looked_up: Vec<(u32, Vec<TermLookup>)> = positions
            .iter()
            .map(|position| {
                let lookups: Vec<TermLookup> =
                    position.terms.iter().map(|term| TermLookup::new(cx.snapshot, field, term, scores)).collect();
                counts.extend(lookups.iter().filter_map(TermLookup::counts_here));
                (position.position - first, lookups)
            })
            .collect();
        let groups = Group::of(&positions.iter().map(|position| position.terms.as_slice()).collect::<Vec<_>>());
        Ok(Self {
            snapshot: cx.snapshot.clone(),
            planned: positions.clone(),
            field: field.clone(),
            positions: looked_up,
            groups,
            slop,
            sim: Sim::of_places(cx, field, &counts, boost, scores),
            similarity: cx.similarities.name(),
            scores,
        })
    }

    fn phrase_scorer(&self, view: &SegmentView) -> Option<PhraseScorer> {
        let segment = segment_index(&self.snapshot, &view.segment);
        let field = view.segment.field(&self.field)?;
        let terms = field.terms()?;
        let mut cursors = Vec::with_capacity(self.positions.len());
        for ((offset, lookups), group) in self.positions.iter().zip(&self.groups) {
            let lists: Vec<Postings> = (lookups.iter().filter_map(|lookup| lookup.info(segment)))
                .map(|info| terms.postings(info, Want::Positions))
                .collect();
            if lists.is_empty() {
                return None;
            }
            let docs: Vec<u32> = lists.iter().map(Postings::doc).collect();
            let doc = docs.iter().copied().min()?;
            cursors.push(Cursor { doc, lists, docs, offset: *offset, group: *group });
        }
        let mut order: Vec<usize> = (0..cursors.len()).collect();
        order.sort_by_key(|i| cursors[*i].cost());
        let places = cursors.iter().map(|cursor| Place::new(cursor.offset, cursor.group)).collect();
        let mut scorer = PhraseScorer {
            cursors,
            order,
            places,
            scratch: Vec::new(),
            doc: 0,
            freq: 0.0,
            slop: self.slop,
            norms: field.norms().cloned(),
            sim: self.sim.clone(),
            scores: self.scores,
        };
        let first = scorer.cursors[scorer.order[0]].doc;
        scorer.doc = scorer.align(first);
        (scorer.doc != NO_MORE_DOCS).then_some(scorer)
    }
}

impl PhraseWeight {
    /// Whether the document has a term of each position, wherever they stand.
    fn has_all(&self, view: &SegmentView, doc: u32) -> bool {
        let segment = segment_index(&self.snapshot, &view.segment);
        let Some(terms) = view.segment.field(&self.field).and_then(|field| field.terms()) else { return false };
        let has = |lookup: &TermLookup| {
            let found = lookup.info(segment).map(|info| terms.postings(info, Want::Docs));
            found.is_some_and(|mut list| list.doc() == doc || list.doc() < doc && list.advance(doc) == doc)
        };
        self.positions.iter().all(|(_, lookups)| lookups.iter().any(has))
    }

    /// Adds the phrase to the required clauses. None if the segment lacks one of its terms, or all that may stand at a position; and
    /// if there is no position with one term only, slop and a position with several, or one with more than are worth keeping.
    pub(super) fn add_to(&self, view: &SegmentView, bulk: &mut BulkClauses) -> Option<()> {
        if self.positions.len() < 1 + usize::from(self.slop > 0) {
            return None;
        }
        let segment = segment_index(&self.snapshot, &view.segment);
        let field = view.segment.field(&self.field)?;
        let mut terms = Vec::with_capacity(self.positions.len());
        let mut infos = Vec::with_capacity(self.positions.len());
        let several = self.positions.iter().map(|(_, lookups)| lookups.len()).filter(|terms| *terms > 1);
        if several.sum::<usize>() > ALL_ALTERNATIVES_MAX {
            return None;
        }
        for ((offset, lookups), group) in self.positions.iter().zip(&self.groups) {
            let lists = match lookups.as_slice() {
                [lookup] => {
                    infos.push(lookup.info(segment)?);
                    TermLists::One(bulk.required.len() + infos.len() - 1)
                }
                many if self.slop > 0 || many.len() > ALTERNATIVES_MAX => return None,
                many => {
                    let (infos, terms) = (many.iter().filter_map(|lookup| lookup.info(segment)), field.terms()?);
                    TermLists::Any(infos.map(|info| terms.list(info, Want::Positions)).collect())
                }
            };
            terms.push(PhraseTerm { lists, offset: *offset, group: *group });
        }
        let rarest = (0..infos.len()).min_by_key(|at| infos[*at].doc_freq)?;
        let sim = self.sim.for_bulk()?;
        let lengths = match self.scores {
            true => lengths_of(&self.field, field, sim, view, &mut bulk.lengths),
            false => 0,
        };
        let carrier = bulk.required.len() + rarest;
        for (at, info) in infos.into_iter().enumerate() {
            let postings = field.terms()?.list(info, Want::Positions);
            let scored = self.scores && at == rarest;
            let clause = if scored { Clause::new(postings, sim, lengths) } else { Clause::unscored(postings) };
            bulk.required.push(clause);
        }
        bulk.phrases.push(PhraseClauses { carrier, terms, slop: self.slop });
        Some(())
    }
}

impl Weight for PhraseWeight {
    fn bulk(&mut self, view: &SegmentView) -> Result<Option<BulkTop>> {
        let mut clauses = BulkClauses::default();
        Ok(self.add_to(view, &mut clauses).map(|()| BulkTop::new(clauses, view)))
    }

    fn as_phrase(&self) -> Option<&PhraseWeight> {
        Some(self)
    }

    fn opens(&mut self, view: &SegmentView) -> Result<bool> {
        // Whether some document has them all is found out later.
        let segment = segment_index(&self.snapshot, &view.segment);
        let is_there = |lookup: &TermLookup| lookup.info(segment).is_some();
        Ok(self.positions.iter().all(|(_, lookups)| lookups.iter().any(is_there)))
    }

    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        Ok(self.phrase_scorer(view).map(Late::boxed))
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        let found = self.phrase_scorer(view).filter(|scorer| scorer.doc <= doc);
        let at_doc =
            |mut scorer: PhraseScorer| (scorer.advance_candidate(doc) == doc && scorer.matches()).then_some(scorer);
        let Some(mut scorer) = found.and_then(at_doc) else {
            let reason = if self.has_all(view, doc) { "no matching phrase" } else { "no matching terms" };
            return Ok(Explanation::no_match(reason, vec![]));
        };
        let freq = scorer.full_freq();
        let description = format!("phraseFreq={}", super::float_text(freq));
        let detail = match self.scores {
            true => self.sim.explain(freq, norm_of(&scorer.norms, doc), &description),
            false => explain_unscored(freq, &description, 1.0),
        };
        let (field, positions, slop) = (self.field.clone(), self.planned.clone(), self.slop);
        let text = Plan::Phrase { field, positions, slop };
        Ok(Explanation::matching(
            detail.score(),
            format!("weight({text} in {doc}) [{}], result of:", self.similarity),
            vec![detail],
        ))
    }
}

/// The documents of one position: of any of its terms.
struct Cursor {
    doc: u32,
    lists: Vec<Postings>,
    /// Where each list is: with many of them, most are not touched when the cursor moves.
    docs: Vec<u32>,
    offset: u32,
    group: Group,
}

impl Cursor {
    fn cost(&self) -> u64 {
        self.lists.iter().map(|list| u64::from(list.doc_freq())).sum()
    }

    fn advance(&mut self, target: u32) -> u32 {
        if target > self.doc {
            for (doc, list) in self.docs.iter_mut().zip(&mut self.lists).filter(|(doc, _)| **doc < target) {
                *doc = list.advance(target);
            }
            self.doc = self.docs.iter().copied().min().unwrap_or(NO_MORE_DOCS);
        }
        self.doc
    }

    /// The positions in the current document, ascending.
    fn positions(&mut self, out: &mut Vec<u32>, scratch: &mut Vec<u32>) {
        let doc = self.doc;
        match self.lists.as_mut_slice() {
            [one] => one.positions(out),
            many => {
                out.clear();
                for (_, list) in self.docs.iter().zip(many).filter(|(at, _)| **at == doc) {
                    list.positions(scratch);
                    out.extend_from_slice(scratch);
                }
                out.sort_unstable();
            }
        }
    }
}

struct PhraseScorer {
    cursors: Vec<Cursor>,
    /// Indexes of cursors, rarest first.
    order: Vec<usize>,
    places: Vec<Place>,
    scratch: Vec<u32>,
    doc: u32,
    /// The frequency found by the last `matches`: full if scores are wanted, else at least not zero.
    freq: f32,
    slop: u32,
    norms: Option<Norms>,
    sim: Sim,
    scores: bool,
}

impl PhraseScorer {
    fn align(&mut self, mut doc: u32) -> u32 {
        'lead: while doc != NO_MORE_DOCS {
            for i in 1..self.order.len() {
                let at = self.cursors[self.order[i]].advance(doc);
                if at > doc {
                    doc = self.cursors[self.order[0]].advance(at);
                    continue 'lead;
                }
            }
            return doc;
        }
        NO_MORE_DOCS
    }

    fn settle(&mut self) -> u32 {
        while self.doc != NO_MORE_DOCS && !self.matches() {
            let beyond = self.doc + 1;
            self.advance_candidate(beyond);
        }
        self.doc
    }

    fn full_freq(&mut self) -> f32 {
        self.find(false)
    }

    fn find(&mut self, first_only: bool) -> f32 {
        let mut scratch = std::mem::take(&mut self.scratch);
        for (cursor, place) in self.cursors.iter_mut().zip(&mut self.places) {
            cursor.positions(&mut place.positions, &mut scratch);
        }
        self.scratch = scratch;
        if self.slop == 0 {
            let alternatives = self.cursors.iter().any(|cursor| cursor.lists.len() > 1);
            exact_freq(&mut self.places, first_only, alternatives)
        } else {
            sloppy_freq(&mut self.places, self.slop, first_only)
        }
    }
}

impl Scorer for PhraseScorer {
    fn doc(&self) -> u32 {
        self.doc
    }

    fn next(&mut self) -> u32 {
        self.advance(self.doc + 1)
    }

    fn advance(&mut self, target: u32) -> u32 {
        if target > self.doc {
            self.advance_candidate(target);
            self.settle();
        }
        self.doc
    }

    fn score(&mut self) -> f32 {
        self.sim.score(self.freq, norm_of(&self.norms, self.doc))
    }

    fn cost(&self) -> u64 {
        self.cursors[self.order[0]].cost()
    }

    fn advance_candidate(&mut self, target: u32) -> u32 {
        if target > self.doc {
            let lead = self.order[0];
            let doc = self.cursors[lead].advance(target);
            self.doc = self.align(doc);
        }
        self.doc
    }

    fn matches(&mut self) -> bool {
        self.freq = self.find(!self.scores);
        self.freq > 0.0
    }

    fn is_two_phase(&self) -> bool {
        true
    }

    fn bound(&mut self, _target: u32) -> Bound {
        Bound { last_doc: NO_MORE_DOCS - 1, max: self.sim.max_score() }
    }
}
