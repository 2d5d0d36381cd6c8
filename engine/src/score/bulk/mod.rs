//! The best hits of a few terms, evaluated a window at a time and without cursors: any of them, all of them, some beside
//! those that must match, without those that must not.
//!
//! - [`BulkTop`]: the terms, and what decides how a window is evaluated
//! - `clause`: one term in the current window; `lengths`: norms
//! - `phrase`: phrases among required clauses; `alternatives`: several terms at one of their positions
//! - `count`: how many documents of a window match; `tally`: those that match several optional clauses
//! - `by_list`: one list of blocks leads; `by_ranges`: all must match, as bitsets; `by_sets`: several must match, whichever they are;
//!   `by_stretch`: scores are added up by slot
//!
//! All ways start from what each range of 128 documents can score at most, and look only at ranges whose bounds, added up,
//! can compete. Exact totals come from a pass of their own over the same window that counts bits, so that counting keeps
//! nothing from being skipped. What finally enters is scored in the order of the clauses, in the arithmetic that
//! [`super::Scorer`] has: sums of doubles over required and over optional clauses, each rounded, then added.

mod alternatives;
mod by_list;
mod by_ranges;
mod by_sets;
mod by_stretch;
mod clause;
mod count;
mod lengths;
mod phrase;
mod tally;

pub use clause::Clause;
pub use lengths::{Lengths, lengths_of};

use super::TopScores;
use super::conjunction::round_up;
use super::phrase_match::Group;
use crate::segment::{
    LiveDocs, NO_MORE_DOCS, Postings, SegmentView, WINDOW, WINDOW_RANGES, WindowBits, WindowPart, WindowSpan,
};
use by_list::Block;
use by_sets::Sets;
use by_stretch::Slots;
use phrase::{Candidates, Phrase};
use std::ops::Range;
use std::sync::Arc;
use tally::Tally;

/// With more clauses than this bounds would need more room for rounding, and evaluation by cursor is as good.
pub const CLAUSES_MAX: usize = 32;

/// A bit for each clause.
type ClauseSet = u32;
const _: () = assert!(CLAUSES_MAX <= ClauseSet::BITS as usize);

/// Blocks of the shortest list that are gone through at once, where none of the lists is a bitset.
const SPAN_BLOCKS: usize = 64;

/// Required, optional and excluded terms of one segment.
pub struct BulkTop {
    /// Required ones first, then optional ones, then excluded ones.
    clauses: Vec<Clause>,
    required: usize,
    scored: usize,
    /// How many optional ones have to match.
    minimum: usize,
    phrases: Vec<Phrase>,
    lengths: Vec<Lengths>,
    live: Option<Arc<LiveDocs>>,
    /// The window that comes next, and the one that it ends before.
    window: u32,
    windows: u32,
    /// A window that takes several turns, and how many of its words were looked at.
    done: (u32, usize),
    // Memory for one way or another, made when it is first needed.
    bits: Option<WindowBits>,
    /// Whether `bits` are the matches of the current window.
    masked: bool,
    tally: Option<Box<Tally>>,
    /// What each range of the window can score at most.
    sums: Vec<f32>,
    slots: Option<Box<Slots>>,
    sets: Option<Box<Sets>>,
    block: Option<Box<Block>>,
    /// Documents that are to be offered.
    pending: Candidates,
    /// Indexes of clauses by ascending bound in the current window or stretch, with their bounds.
    order: Vec<(f32, usize)>,
}

/// What [`BulkTop`] is made of.
#[derive(Default)]
pub struct BulkClauses {
    pub required: Vec<Clause>,
    pub optional: Vec<Clause>,
    pub excluded: Vec<Clause>,
    /// How many optional ones have to match; without required ones at least one does.
    pub minimum: usize,
    pub lengths: Vec<Lengths>,
    pub phrases: Vec<PhraseClauses>,
}

/// A phrase among required clauses.
pub struct PhraseClauses {
    /// The clause that carries the score.
    pub carrier: usize,
    /// Those of its terms, in the order of the phrase.
    pub terms: Vec<PhraseTerm>,
    pub slop: u32,
}

pub struct PhraseTerm {
    pub lists: TermLists,
    /// Where it stands in the phrase.
    pub offset: u32,
    /// The same for the same terms.
    pub group: Group,
}

/// The terms that may stand at a position.
pub enum TermLists {
    /// The one of this clause.
    One(usize),
    /// Any of several.
    Any(Vec<Postings>),
}

impl BulkTop {
    pub fn new(mut clauses: BulkClauses, view: &SegmentView) -> Self {
        let required = clauses.required.len();
        let scored = required + clauses.optional.len();
        let mut all = clauses.required;
        all.append(&mut clauses.optional);
        all.append(&mut clauses.excluded);
        for (at, phrase) in clauses.phrases.iter().enumerate() {
            all[phrase.carrier].phrase = Some(at);
            for term in &phrase.terms {
                if let TermLists::One(clause) = term.lists {
                    all[clause].remember_places();
                }
            }
        }
        // What is required is found before it is scored.
        all[..required].iter_mut().filter(|clause| clause.weight > 0.0).for_each(Clause::remember_places);
        let phrases = clauses.phrases.into_iter().map(|phrase| Phrase::new(phrase, &all)).collect();
        Self {
            clauses: all,
            phrases,
            required,
            scored,
            minimum: clauses.minimum.max(usize::from(required == 0)),
            lengths: clauses.lengths,
            live: view.live.clone(),
            window: 0,
            windows: view.max_doc().div_ceil(WINDOW),
            done: (0, 0),
            bits: None,
            masked: false,
            tally: None,
            sums: Vec::new(),
            slots: None,
            sets: None,
            block: None,
            pending: Candidates::default(),
            order: Vec::new(),
        }
    }

    /// Passes over the windows before that of `doc`.
    pub fn begin_at(&mut self, doc: u32) {
        self.window = doc / WINDOW;
    }

    /// Leaves the windows from that of `doc` on to others; `doc` is where one begins, or behind all.
    pub fn end_before(&mut self, doc: u32) {
        self.windows = self.windows.min(doc.div_ceil(WINDOW));
    }

    /// The beginning of the next window that was not begun with.
    pub fn next_doc(&self) -> u32 {
        let begun = self.done.1 > 0 && self.done.0 == self.window;
        if self.window >= self.windows { NO_MORE_DOCS } else { (self.window + u32::from(begun)) * WINDOW }
    }

    /// Evaluates the next window, or several of them. False when there was none left.
    pub fn work(&mut self, top: &mut TopScores) -> bool {
        let window = self.window;
        if window >= self.windows {
            return false;
        }
        if window == 0 {
            self.seed(top);
        }
        let Some(span) = self.span(window) else { return false };
        self.window = span.end();
        self.clauses.iter_mut().for_each(|clause| clause.enter(&span));
        self.phrases.iter_mut().for_each(Phrase::enter);
        self.masked = false;
        let counted = if top.is_counting() && self.phrases.is_empty() { self.count_window(window) } else { Some(0) };
        if let Some(counted) = counted.filter(|counted| *counted > 0) {
            top.add_count(counted);
        }
        if top.size() > 0 || counted.is_none() || !self.phrases.is_empty() {
            self.collect(&span, counted.is_none(), top);
        }
        true
    }

    /// The windows that come next. Where only lists of blocks are asked about, going through these window by window would mean
    /// to look at the blocks on the borders twice, and at many windows for few documents. None where nothing can match any more.
    fn span(&mut self, window: u32) -> Option<WindowSpan> {
        let shortest = self.clauses[..self.required].iter().min_by_key(|clause| clause.postings.doc_freq());
        let Some(last) = shortest.map(|clause| clause.last_of_blocks(window, SPAN_BLOCKS)) else {
            return Some(WindowSpan::one(window));
        };
        if last / WINDOW < window {
            return None;
        }
        let mut end = if self.has_alternatives() { window + 1 } else { last / WINDOW + 1 }.min(self.windows);
        for clause in &mut self.clauses {
            if end > window + 1 {
                end = end.min(clause.next_bitset(window));
            }
        }
        Some(WindowSpan::new(window, end))
    }

    /// Where all of its documents match, a list knows a score that as many as are wanted exceed.
    fn seed(&self, top: &mut TopScores) {
        let thinned = self.is_thinned() || self.has_alternatives();
        if self.live.is_some() || self.scored < self.clauses.len() || thinned {
            return;
        }
        let certain = match self.required {
            0 => &self.clauses[..],
            1 => &self.clauses[..1],
            _ => return,
        };
        let floor = certain.iter().map(|clause| clause.floor(top.size())).fold(0.0, f32::max);
        if floor > 0.0 {
            top.raise_floor(floor);
        }
    }

    /// `counting`: count matches on the way.
    fn collect(&mut self, span: &WindowSpan, counting: bool, top: &mut TopScores) {
        let mut best = 0f64;
        for (at, clause) in self.clauses.iter().enumerate() {
            if at < self.required && clause.is_empty() {
                return;
            }
            if at < self.scored {
                best += f64::from(clause.max);
            }
        }
        if !counting && round_up(best) <= self.bar(top) {
            return;
        }
        let lead = self.required_lead();
        let by_list = lead.is_some_and(|lead| matches!(self.clauses[lead].part, WindowPart::Blocks { .. }));
        if !by_list || self.has_alternatives() || !self.takes_everything(top) {
            self.clauses[..self.scored].iter_mut().for_each(|clause| clause.load_bests(span));
        }
        if self.has_alternatives() {
            return self.collect_alternatives(span, top);
        }
        if let Some(lead) = lead {
            if by_list {
                return self.collect_by_list(lead, span, counting, top);
            }
            if !self.mask(span.window, top) {
                return self.collect_by_ranges(lead, span.window, top);
            }
        }
        let essential = self.essential(top.threshold());
        if essential.is_empty() {
            return;
        }
        if let [(_, lead)] = self.order[essential.clone()]
            && matches!(self.clauses[lead].part, WindowPart::Blocks { .. })
        {
            return self.collect_by_list(lead, span, false, top);
        }
        let idle = self.order[..essential.start].iter().fold(0, |idle, (_, at)| idle | 1 << at);
        if !self.collect_by_sets(span, top) {
            self.collect_by_stretch(span, idle, top);
        }
    }

    /// More optional clauses have to match than the rest of the query demands by itself.
    fn is_thinned(&self) -> bool {
        self.minimum > usize::from(self.required == 0)
    }

    /// Sorts clauses by their bound in the window. Those in the range given are essential: without any of them the others
    /// together cannot compete.
    fn essential(&mut self, threshold: f32) -> Range<usize> {
        let clauses = self.clauses[..self.scored].iter().enumerate().skip(self.required);
        self.order.clear();
        self.order.extend(clauses.filter(|(_, clause)| !clause.is_empty()).map(|(at, clause)| (clause.max, at)));
        idle_count(&mut self.order, 0, threshold)..self.order.len()
    }

    /// What the ranges of the window can score at most goes into `sums`; those that can compete are the bits set.
    fn passing_ranges(&mut self, threshold: f32) -> [u64; WINDOW_RANGES / 64] {
        self.sums.clear();
        self.sums.resize(WINDOW_RANGES, 0.0);
        self.clauses[..self.scored].iter().for_each(|clause| clause.add_bounds(0, &mut self.sums));
        let mut passing = [0; WINDOW_RANGES / 64];
        crate::codec::simd::above(&self.sums, threshold, &mut passing);
        if self.masked {
            for range in 0..WINDOW_RANGES {
                let some = self.range_matches(range) != Some([0; 2]);
                passing[range / 64] &= !(u64::from(!some) << (range % 64));
            }
        }
        passing
    }

    /// The matches of a range, if those of the window are known.
    #[inline]
    fn range_matches(&self, range: usize) -> Option<[u64; 2]> {
        let words = self.bits.as_ref().filter(|_| self.masked)?.words();
        Some([words[2 * range], words[2 * range + 1]])
    }

    /// While positions decide what is counted, every document matters, and where a phrase may be found more often than its rarest
    /// term.
    fn takes_everything(&self, top: &TopScores) -> bool {
        self.phrases.iter().any(|phrase| top.is_counting() || phrase.is_loose())
    }

    /// Only what scores more than this matters.
    #[inline]
    fn bar(&self, top: &TopScores) -> f32 {
        if self.takes_everything(top) { f32::NEG_INFINITY } else { top.threshold() }
    }

    /// Offers a document of the window, which all required clauses are known to match, `lead` with this score.
    fn offer(&mut self, doc: u32, lead: Option<(usize, f32)>, top: &mut TopScores) {
        let (mut required, mut optional, mut matched) = (0f64, 0f64, 0);
        if !self.phrases_match(doc) {
            return;
        }
        for at in 0..self.scored {
            let score = match (lead, self.clauses[at].phrase) {
                (_, Some(phrase)) => Some(self.phrases[phrase].score),
                // Known to match.
                _ if at < self.required && self.clauses[at].weight == 0.0 => Some(0.0),
                (Some((lead, score)), _) if lead == at => Some(score),
                _ => self.clauses[at].score(doc, &self.lengths),
            };
            match score {
                Some(score) if at < self.required => required += f64::from(score),
                Some(score) => (optional, matched) = (optional + f64::from(score), matched + 1),
                None if at < self.required => return,
                None => {}
            }
        }
        if matched < self.minimum {
            return;
        }
        self.offer_sums(doc, required, optional, top);
    }

    /// Phrases look at documents that will be offered next, and leave those that have all of them, if that is any faster.
    fn look_ahead(&mut self, docs: &mut Candidates) {
        for phrase in &mut self.phrases {
            phrase.look_ahead(docs, &self.clauses, &self.lengths);
        }
    }

    /// Offers those of some documents of the window that have the phrases; all required clauses are known to match.
    fn offer_pending(&mut self, top: &mut TopScores) {
        let mut docs = std::mem::take(&mut self.pending);
        self.look_ahead(&mut docs);
        docs.docs.iter().for_each(|doc| self.offer(*doc, None, top));
        docs.clear();
        self.pending = docs;
    }

    fn has_alternatives(&self) -> bool {
        self.phrases.iter().any(Phrase::has_alternatives)
    }

    fn phrases_match(&mut self, doc: u32) -> bool {
        let (clauses, lengths) = (&self.clauses, &self.lengths);
        self.phrases.iter_mut().all(|phrase| phrase.matches(doc, clauses, lengths))
    }

    /// Offers a document that matches all required clauses, unless it is excluded.
    fn offer_sums(&mut self, doc: u32, required: f64, optional: f64, top: &mut TopScores) {
        if self.clauses[self.scored..].iter_mut().any(|excluded| excluded.matches(doc)) {
            return;
        }
        let score = if self.required == 0 { optional as f32 } else { required as f32 + optional as f32 };
        if !self.phrases.is_empty() {
            top.offer(doc, score);
        } else if self.live.as_ref().is_none_or(|live| live.is_live(doc)) {
            top.offer_live(doc, score);
        }
    }
}

/// Sorts clauses by ascending bound, those first that are known to be `idle`, and gives how many of them together cannot compete.
fn idle_count(order: &mut [(f32, usize)], idle: ClauseSet, threshold: f32) -> usize {
    let is_idle = |at: usize| idle >> at & 1 == 1;
    order.sort_unstable_by(|a, b| is_idle(b.1).cmp(&is_idle(a.1)).then(a.0.total_cmp(&b.0)));
    let mut sum = 0f64;
    let idle = order.iter().take_while(|(max, at)| {
        sum += f64::from(*max);
        is_idle(*at) || round_up(sum) <= threshold
    });
    idle.count()
}

/// Where the documents of a window stand among those of a block that reaches into it; it begins at document `base`.
fn in_window(docs: &[u32], base: u32) -> Range<usize> {
    if docs[0] >= base && docs[docs.len() - 1] - base < WINDOW {
        return 0..docs.len();
    }
    let from = docs.partition_point(|doc| *doc < base);
    from..docs.partition_point(|doc| *doc < base || *doc - base < WINDOW)
}

/// What a document must score for itself, at least, to compete where others add at most `rest`; with room for sums of floats
/// whose order differs.
fn needed(threshold: f32, rest: f32) -> f32 {
    if threshold == f32::NEG_INFINITY {
        return threshold;
    }
    (f64::from(threshold) - f64::from(rest) * (1.0 + 4e-6) - f64::from(threshold.abs()) * 4e-6) as f32
}

fn first_bit(words: [u64; 2]) -> Option<usize> {
    match words {
        [0, 0] => None,
        [0, high] => Some(64 + high.trailing_zeros() as usize),
        [low, _] => Some(low.trailing_zeros() as usize),
    }
}

/// Keeps bits `lo..hi`.
fn keep_range(words: &mut [u64; 2], lo: usize, hi: usize) {
    let below = |n: usize| if n >= 128 { u128::MAX } else { (1 << n) - 1 };
    let keep: u128 = below(hi) & !below(lo);
    words[0] &= keep as u64;
    words[1] &= (keep >> 64) as u64;
}

/// Calls `found` with the numbers of the bits set.
#[inline]
fn for_each_bit(words: [u64; 2], mut found: impl FnMut(usize)) {
    for (half, mut word) in words.into_iter().enumerate() {
        while word != 0 {
            found(half * 64 + word.trailing_zeros() as usize);
            word &= word - 1;
        }
    }
}
