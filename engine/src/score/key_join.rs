//! Documents joined by a key that they share: parents and children of a join field.

use super::{Explanation, JoinScore, ListScorer, Plan, PlanNode, Scorer, Weight, WeightContext, takes};
use crate::error::Result;
use crate::segment::{Counting, NO_MORE_DOCS, SegmentView, Snapshot, Want};
use ahash::AHashMap;
use std::fmt;
use std::sync::Arc;

/// Documents of `to` that have the key of one that `from` matches.
#[derive(Debug)]
pub struct KeyJoin {
    pub from: Plan,
    /// The field of the key, on both sides: its ordinals and its terms.
    pub key: Arc<str>,
    pub to: Plan,
    /// None: every match scores 1.
    pub score: Option<JoinScore>,
    /// Least and most documents of `from` that share a key.
    pub counts: (u64, u64),
}

impl fmt::Display for KeyJoin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_plain() {
            return f.write_str(&self.plain_text());
        }
        let (min, max) = (self.counts.0, self.counts.1.min(i32::MAX as u64));
        write!(f, "GlobalOrdinalsQuery{{joinField={},min={min},max={max},fromQuery={}}}", self.key, self.from)
    }
}

impl KeyJoin {
    /// Whether neither scores nor numbers of documents count.
    fn is_plain(&self) -> bool {
        self.score.is_none() && self.counts_nothing()
    }

    fn counts_nothing(&self) -> bool {
        self.counts.0 <= 1 && self.counts.1 >= i32::MAX as u64
    }

    fn plain_text(&self) -> String {
        format!("GlobalOrdinalsQuery{{joinField={}}}", self.key)
    }
}

impl PlanNode for KeyJoin {
    fn type_name(&self) -> String {
        let scored = if self.is_plain() { "" } else { "WithScore" };
        format!("GlobalOrdinals{scored}Query")
    }

    fn text_unscored(&self) -> Option<String> {
        self.counts_nothing().then(|| self.plain_text())
    }

    fn weight(&self, cx: &WeightContext, scores: bool, boost: f32) -> Result<Box<dyn Weight>> {
        let scored = scores && self.score.is_some();
        // What is joined from was looked for before the search began: nobody asks other shards about it.
        let own = match cx.snapshot.counting {
            Counting::Noted(_) => &Arc::new(cx.snapshot.counted(Counting::Own)),
            _ => cx.snapshot,
        };
        let before = &WeightContext { faults: cx.faults.clone(), ..WeightContext::new(own, cx.similarities) };
        Ok(Box::new(KeyJoinWeight {
            from: self.from.weight(before, scored, 1.0)?,
            to: self.to.bind(cx, false, 1.0)?,
            key: self.key.clone(),
            score: self.score.filter(|_| scored),
            counts: self.counts,
            boost,
            plain: self.is_plain(),
            snapshot: cx.snapshot.clone(),
            at: (0, 0),
            keys: AHashMap::new(),
        }))
    }

    /// What is joined to alone: what is joined from was looked for beforehand.
    fn scored_through(&self) -> Vec<&Plan> {
        vec![&self.to]
    }

    fn simplify(&self) -> Option<Plan> {
        match self.from.clone().simplify() {
            from if from == self.from => None,
            from => {
                let (key, to, score, counts) = (self.key.clone(), self.to.clone(), self.score, self.counts);
                Some(Plan::custom(Self { from, key, to, score, counts }))
            }
        }
    }
}

/// What documents of one key came to.
#[derive(Clone, Copy)]
struct Tally {
    count: u64,
    sum: f64,
    min: f32,
    max: f32,
}

impl Default for Tally {
    fn default() -> Self {
        Self { count: 0, sum: 0.0, min: f32::INFINITY, max: f32::NEG_INFINITY }
    }
}

/// Documents looked at in one slice.
const DOCS_PER_SLICE: usize = 4_096;

struct KeyJoinWeight {
    from: Box<dyn Weight>,
    to: Box<dyn Weight>,
    key: Arc<str>,
    score: Option<JoinScore>,
    counts: (u64, u64),
    boost: f32,
    plain: bool,
    snapshot: Arc<Snapshot>,
    /// The segment and document from which on keys are still to be gathered.
    at: (usize, u32),
    keys: AHashMap<Box<[u8]>, Tally>,
}

impl KeyJoinWeight {
    /// Gathers keys of a bounded number of documents. True when all are.
    fn gather(&mut self, docs: usize) -> Result<bool> {
        let snapshot = self.snapshot.clone();
        let (number, first) = self.at;
        let Some(view) = snapshot.segments.get(number) else { return Ok(true) };
        let next_segment = (number + 1, 0);
        let Some(column) = view.segment.field(&self.key).and_then(|field| field.ordinals()) else {
            self.at = next_segment;
            return Ok(false);
        };
        let Some(mut scorer) = self.from.scorer(view)? else {
            self.at = next_segment;
            return Ok(false);
        };
        let mut doc = scorer.candidate_from(first);
        for _ in 0..docs {
            if doc == NO_MORE_DOCS {
                break;
            }
            if let Some(ord) = column.first(doc).filter(|_| view.is_live(doc) && scorer.matches()) {
                let score = if self.score.is_some() { scorer.score() } else { 0.0 };
                let tally = self.keys.entry(column.term(ord).into()).or_default();
                tally.count += 1;
                tally.sum += f64::from(score);
                tally.min = tally.min.min(score);
                tally.max = tally.max.max(score);
            }
            doc = scorer.advance_candidate(doc + 1);
        }
        self.at = if doc == NO_MORE_DOCS { next_segment } else { (number, doc) };
        Ok(false)
    }

    /// Whether so many documents of a key are neither too few nor too many.
    fn counts(&self, tally: &Tally) -> bool {
        (self.counts.0..=self.counts.1).contains(&tally.count)
    }

    fn score_of(&self, tally: &Tally) -> f32 {
        let score = self.score.map_or(1.0, |mode| mode.combine(tally.sum, tally.count, tally.min, tally.max));
        score * self.boost
    }

    /// The joined documents of a segment with their scores, ascending.
    fn joined(&mut self, view: &SegmentView) -> Result<Vec<(u32, f32)>> {
        while !self.gather(usize::MAX)? {}
        let Some(terms) = view.segment.field(&self.key).and_then(|field| field.terms()) else { return Ok(vec![]) };
        let mut found = vec![];
        for (key, tally) in &self.keys {
            if !self.counts(tally) {
                continue;
            }
            let Some(info) = terms.get(key) else { continue };
            let mut docs = terms.postings(info, Want::Docs);
            while docs.doc() != NO_MORE_DOCS {
                found.push((docs.doc(), self.score_of(tally)));
                docs.next();
            }
        }
        found.sort_unstable_by_key(|(doc, _)| *doc);
        let mut to = self.to.scorer(view)?;
        found.retain(|(doc, _)| match &mut to {
            Some(to) => takes(to.as_mut(), *doc),
            None => false,
        });
        Ok(found)
    }
}

impl Weight for KeyJoinWeight {
    fn prepare(&mut self, view: &SegmentView, spent: &mut u32) -> Result<bool> {
        *spent += DOCS_PER_SLICE as u32;
        Ok(self.gather(DOCS_PER_SLICE)? && self.to.prepare(view, spent)?)
    }

    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        Ok(ListScorer::boxed(self.joined(view)?))
    }

    /// The reference goes by the key alone here: what is joined from counts as well as what is joined to.
    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        while !self.gather(usize::MAX)? {}
        let column = view.segment.field(&self.key).and_then(|field| field.ordinals());
        let key = column.and_then(|column| Some(column.term(column.first(doc)?).into_owned())).unwrap_or_default();
        let tally = self.keys.get(&*key).filter(|tally| self.counts(tally));
        let key = String::from_utf8_lossy(&key);
        let Some(tally) = tally else {
            let reason =
                if key.is_empty() { "Not a match".to_owned() } else { format!("Not a match, join value {key}") };
            return Ok(Explanation::no_match(reason, vec![]));
        };
        let boost = match self.boost {
            boost if boost == 1.0 || self.plain => String::new(),
            boost => format!("^{}", super::float_text(boost)),
        };
        let description = format!("A match, join value {key}{boost}");
        Ok(Explanation::matching(self.score_of(tally), description, vec![]))
    }
}
