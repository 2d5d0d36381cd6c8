//! Phrases among required clauses: each of their terms is a clause of its own, one of them (the rarest) carries the score, as a
//! bound until positions are read. Those are read only in documents that all clauses match and that can still compete: of many such
//! documents term by term, so that the reads of one do not wait for what the other is found to be.

use super::alternatives::Alternatives;
use super::clause::Blocks;
use super::{Clause, Lengths, PhraseClauses, PhraseTerm, TermLists};
use crate::codec::simd::{self, BLOCK};
use crate::score::phrase_match::{Place, sloppy_freq};
use crate::segment::{
    DenseWindow, PositionSums, Positions, PositionsAhead, Postings, WindowBits, WindowPart, WindowSpan,
};

/// Of so many documents it is seen whether their positions stand close to each other; of fewer nothing is asked for.
const SPANS_SEEN: usize = 8;

/// No sums are at hand.
const NO_GROUP: usize = usize::MAX;

pub struct Phrase {
    /// The clause that carries the score.
    carrier: usize,
    /// Terms, rarest first; in the order of the phrase if there are several at a position.
    members: Vec<Member>,
    slop: u32,
    /// With slop: positions of the terms, in the order of the phrase.
    places: Vec<Place>,
    /// The score in the document that was looked at last.
    pub score: f32,
    /// Starts that are still possible.
    starts: Vec<u32>,
    ahead: Ahead,
}

struct Member {
    lists: Lists,
    /// Where it stands in the phrase.
    offset: u32,
    /// The how manieth term of the phrase it is.
    place: usize,
    sums: PositionSums,
    /// Where several terms may stand: the positions of all of them in a document.
    positions: Vec<u32>,
}

enum Lists {
    One {
        clause: usize,
        /// The place in the blocks of the window.
        blocks: Blocks,
        groups: Groups,
    },
    Any(Alternatives),
}

/// The group of a bitset, or the block, whose sums of frequencies are at hand, their last, and where its positions start.
pub struct Groups {
    group: usize,
    sums: Box<[u32; BLOCK]>,
    total: u32,
    start: usize,
}

/// The positions of a term in a document: `first..end` of `total` that start at `start`.
#[derive(Clone, Copy)]
pub struct Span {
    start: usize,
    total: u32,
    first: u32,
    end: u32,
}

/// Documents that match all clauses, ascending, and may have the phrases.
#[derive(Default)]
pub struct Candidates {
    pub docs: Vec<u32>,
    /// The clause that led to them and its block, if it is a list of blocks, and their places there; the other required lists of
    /// blocks know where they found them.
    pub leading: Option<(usize, usize)>,
    pub places: Vec<u8>,
}

impl Candidates {
    /// Moves the document at `from` to the front.
    fn keep(&mut self, from: usize, to: usize) {
        self.docs[to] = self.docs[from];
        if self.leading.is_some() {
            self.places[to] = self.places[from];
        }
    }

    fn truncate(&mut self, len: usize) {
        self.docs.truncate(len);
        self.places.truncate(len);
    }

    pub fn clear(&mut self) {
        self.truncate(0);
        self.leading = None;
    }
}

/// What is known of documents before they are asked about one by one.
#[derive(Default)]
struct Ahead {
    /// Documents up to this one were looked at.
    last: Option<u32>,
    /// Those with the phrase, where their starts end, the starts, and their scores.
    docs: Vec<u32>,
    ends: Vec<u32>,
    starts: Vec<u32>,
    scores: Vec<f32>,
    spans: Vec<Option<Span>>,
    /// The next to be asked about.
    next: usize,
}

impl Phrase {
    pub fn new(phrase: PhraseClauses, clauses: &[Clause]) -> Self {
        let places = phrase.terms.iter().map(|term| Place::new(term.offset, term.group)).collect();
        let alternatives = phrase.terms.iter().any(|term| matches!(term.lists, TermLists::Any(_)));
        let mut members: Vec<Member> =
            phrase.terms.into_iter().enumerate().map(|(place, term)| Member::new(term, place)).collect();
        if !alternatives {
            members.sort_by_key(|member| member.clause().map(|clause| clauses[clause].postings.doc_freq()));
        }
        Self {
            carrier: phrase.carrier,
            members,
            slop: phrase.slop,
            places,
            score: 0.0,
            starts: Vec::new(),
            ahead: Ahead::default(),
        }
    }

    /// Whether its terms tell nothing of what it can score.
    pub fn is_loose(&self) -> bool {
        self.slop > 0 || self.has_alternatives()
    }

    /// Whether several terms may stand at one of its positions.
    pub fn has_alternatives(&self) -> bool {
        self.members.iter().any(|member| member.clause().is_none())
    }

    /// A new span was entered.
    pub fn enter(&mut self) {
        self.ahead.last = None;
        for member in &mut self.members {
            match &mut member.lists {
                Lists::One { groups, .. } => groups.clear(),
                Lists::Any(any) => any.clear(),
            }
        }
    }

    /// Goes to a window where several terms may stand, of which so many documents are asked about; gives how many places of such
    /// terms may be kept at most.
    pub fn enter_alternatives(&mut self, span: &WindowSpan, candidates: usize) -> usize {
        let alternatives = self.members.iter_mut().filter_map(|member| match &mut member.lists {
            Lists::Any(any) => Some(any.enter(span, candidates)),
            Lists::One { .. } => None,
        });
        alternatives.sum()
    }

    /// Keeps of the documents of a window those that have a term at each position where several may stand.
    pub fn keep_alternatives(&mut self, span: &WindowSpan, bits: &mut WindowBits) {
        for member in &mut self.members {
            if let Lists::Any(any) = &mut member.lists {
                any.keep(span, bits);
            }
        }
    }

    /// Whether the phrase stands in `doc`, which all of its terms do; if so scores it. Documents must ascend within a span.
    pub fn matches(&mut self, doc: u32, clauses: &[Clause], lengths: &[Lengths]) -> bool {
        if self.ahead.last.is_some_and(|last| doc <= last) {
            let score = self.ahead.score(doc);
            self.score = score.unwrap_or(0.0);
            return score.is_some();
        }
        let carrier = &clauses[self.carrier];
        let freq = match self.slop {
            0 => self.freq(doc, clauses) as f32,
            _ => self.sloppy_freq(doc, clauses, carrier.weight == 0.0),
        };
        self.score = score(freq, doc, carrier, lengths);
        freq > 0.0
    }

    /// Looks at documents that will be asked about, all behind those that were; leaves in `docs` those that have the phrase. (Or all,
    /// where looking ahead saves nothing.)
    pub fn look_ahead(&mut self, docs: &mut Candidates, clauses: &[Clause], lengths: &[Lengths]) {
        let Some(last) = docs.docs.last().filter(|_| !self.has_alternatives()) else { return };
        self.ahead.last = Some(*last);
        self.ahead.next = 0;
        self.ahead.scores.clear();
        match self.slop {
            0 => self.find_exact(docs, clauses, lengths),
            _ => self.find_sloppy(docs, clauses, lengths),
        }
        self.ahead.docs.clone_from(&docs.docs);
    }

    fn find_exact(&mut self, docs: &mut Candidates, clauses: &[Clause], lengths: &[Lengths]) {
        let Self { members, ahead, .. } = self;
        ahead.ends.clear();
        ahead.starts.clear();
        ahead.spans.clear();
        let Some((first, others)) = members.split_first_mut() else { return };
        first.locate_all(docs, clauses, &mut ahead.spans);
        for span in &ahead.spans {
            first.add_starts(clauses, span, &mut ahead.starts);
            ahead.ends.push(ahead.starts.len() as u32);
        }
        for member in others {
            ahead.spans.clear();
            member.locate_all(docs, clauses, &mut ahead.spans);
            let (mut begin, mut starts, mut kept) = (0, 0, 0);
            for at in 0..docs.docs.len() {
                let own = std::mem::replace(&mut begin, ahead.ends[at] as usize)..ahead.ends[at] as usize;
                let following = member.keep_following(clauses, &ahead.spans[at], &mut ahead.starts[own.clone()]);
                for start in own.start..own.start + following {
                    ahead.starts[starts] = ahead.starts[start];
                    starts += 1;
                }
                docs.keep(at, kept);
                ahead.ends[kept] = starts as u32;
                kept += usize::from(following > 0);
            }
            docs.truncate(kept);
            ahead.ends.truncate(kept);
        }
        let carrier = &clauses[self.carrier];
        let mut begin = 0;
        ahead.scores.extend(docs.docs.iter().zip(&ahead.ends).map(|(doc, end)| {
            let freq = end - std::mem::replace(&mut begin, *end);
            if freq == 0 { f32::NAN } else { score(freq as f32, *doc, carrier, lengths) }
        }));
    }

    fn find_sloppy(&mut self, docs: &mut Candidates, clauses: &[Clause], lengths: &[Lengths]) {
        let Self { members, ahead, places, .. } = self;
        ahead.spans.clear();
        members.iter_mut().for_each(|member| member.locate_all(docs, clauses, &mut ahead.spans));
        let carrier = &clauses[self.carrier];
        let (all, mut kept) = (docs.docs.len(), 0);
        for at in 0..all {
            for (member, spans) in members.iter_mut().zip(ahead.spans.chunks(all)) {
                member.read_located(clauses, &spans[at], &mut places[member.place].positions);
            }
            let freq = sloppy_freq(places, self.slop, carrier.weight == 0.0);
            if freq > 0.0 {
                ahead.scores.push(score(freq, docs.docs[at], carrier, lengths));
                docs.keep(at, kept);
                kept += 1;
            }
        }
        docs.truncate(kept);
    }

    fn sloppy_freq(&mut self, doc: u32, clauses: &[Clause], first_only: bool) -> f32 {
        for member in &mut self.members {
            member.read(clauses, doc, &mut self.places[member.place].positions);
        }
        sloppy_freq(&mut self.places, self.slop, first_only)
    }

    fn freq(&mut self, doc: u32, clauses: &[Clause]) -> u32 {
        let Some((first, others)) = self.members.split_first_mut() else { return 0 };
        self.starts.clear();
        first.add_starts_in(clauses, doc, &mut self.starts);
        for member in others {
            if self.starts.is_empty() {
                break;
            }
            let following = member.keep_following_in(clauses, doc, &mut self.starts);
            self.starts.truncate(following);
        }
        self.starts.len() as u32
    }
}

fn score(freq: f32, doc: u32, carrier: &Clause, lengths: &[Lengths]) -> f32 {
    if freq == 0.0 || carrier.weight == 0.0 {
        return 0.0;
    }
    carrier.weight - carrier.weight / (1.0 + freq * lengths[carrier.lengths].inverse(doc))
}

impl Ahead {
    /// The score of a document that was looked at; none if it does not have the phrase.
    fn score(&mut self, doc: u32) -> Option<f32> {
        while self.docs.get(self.next).is_some_and(|next| *next < doc) {
            self.next += 1;
        }
        let found = self.docs.get(self.next) == Some(&doc);
        found.then(|| self.scores[self.next]).filter(|score| !score.is_nan())
    }
}

impl Member {
    fn new(term: PhraseTerm, place: usize) -> Self {
        let lists = match term.lists {
            TermLists::One(clause) => Lists::One { clause, blocks: Blocks::default(), groups: Groups::default() },
            TermLists::Any(lists) => Lists::Any(Alternatives::new(lists)),
        };
        Self { lists, offset: term.offset, place, sums: PositionSums::default(), positions: Vec::new() }
    }

    /// The clause of its term, if that is one.
    fn clause(&self) -> Option<usize> {
        match &self.lists {
            Lists::One { clause, .. } => Some(*clause),
            Lists::Any(_) => None,
        }
    }

    /// The positions in a document, ascending.
    fn read(&mut self, clauses: &[Clause], doc: u32, out: &mut Vec<u32>) {
        match &mut self.lists {
            Lists::Any(any) => any.read(doc, out),
            Lists::One { .. } => {
                let span = self.locate(clauses, doc);
                self.read_located(clauses, &span, out);
            }
        }
    }

    /// Where the positions in all of the documents stand. Those that are far from each other are on their way to the processor then;
    /// of others the processor foresees it.
    fn locate_all(&mut self, docs: &Candidates, clauses: &[Clause], out: &mut Vec<Option<Span>>) {
        let before = out.len();
        self.locate_each(docs, clauses, out);
        // The few of a short list are read as quickly as they are asked for.
        if let Lists::One { clause, .. } = &self.lists
            && out.len() - before >= SPANS_SEEN
        {
            let (postings, mut ahead) = (&clauses[*clause].postings, PositionsAhead::default());
            for spans in out[before..].chunks(SPANS_SEEN) {
                let blocks: usize = spans.iter().flatten().map(|span| span.fetch(postings, &mut ahead)).sum();
                if blocks < SPANS_SEEN / 2 {
                    break;
                }
            }
        }
    }

    fn locate_each(&mut self, docs: &Candidates, clauses: &[Clause], out: &mut Vec<Option<Span>>) {
        let (Lists::One { clause, groups, .. }, Some((lead, block))) = (&mut self.lists, docs.leading) else {
            return out.extend(docs.docs.iter().map(|doc| self.locate(clauses, *doc)));
        };
        let Clause { postings, part, .. } = &clauses[*clause];
        if let WindowPart::Dense(dense) = part {
            let ranks = docs.docs.iter().map(|doc| postings.rank_in(dense, *doc));
            out.extend(ranks.map(|rank| Some(groups.of_rank(postings, dense, rank))));
        } else if *clause == lead {
            out.extend(docs.places.iter().map(|at| Some(groups.of_block(postings, block, usize::from(*at)))));
        } else {
            let found = docs.places.iter().map(|at| clauses[*clause].found_at(usize::from(*at)));
            out.extend(found.map(|(block, at)| Some(groups.of_block(postings, block, at))));
        }
    }

    /// Where the positions in a document stand; none where the term does not.
    #[inline]
    fn locate(&mut self, clauses: &[Clause], doc: u32) -> Option<Span> {
        let Lists::One { clause, blocks, groups } = &mut self.lists else { return None };
        let Clause { postings, part, .. } = &clauses[*clause];
        match part {
            WindowPart::Empty => None,
            WindowPart::Dense(dense) => Some(groups.of_rank(postings, dense, postings.rank_in(dense, doc))),
            WindowPart::Blocks { first, end } => {
                if blocks.seek_doc(postings, *first, *end, doc) != Some(doc) {
                    return None;
                }
                let (block, at) = blocks.place();
                Some(groups.of_block(postings, block, at))
            }
        }
    }

    /// [`Member::add_starts`] of a document that was not located.
    fn add_starts_in(&mut self, clauses: &[Clause], doc: u32, out: &mut Vec<u32>) {
        if let Lists::Any(any) = &mut self.lists {
            any.read(doc, &mut self.positions);
            return out.extend(self.positions.iter().filter_map(|position| position.checked_sub(self.offset)));
        }
        let span = self.locate(clauses, doc);
        self.add_starts(clauses, &span, out);
    }

    /// [`Member::keep_following`] in a document that was not located.
    fn keep_following_in(&mut self, clauses: &[Clause], doc: u32, starts: &mut [u32]) -> usize {
        if let Lists::Any(any) = &mut self.lists {
            any.read(doc, &mut self.positions);
            self.positions.iter_mut().zip(1..).for_each(|(position, number)| *position = position.wrapping_add(number));
            return simd::keep_following(starts, self.offset, &self.positions, 0);
        }
        let span = self.locate(clauses, doc);
        self.keep_following(clauses, &span, starts)
    }

    /// Appends where the phrase would start for its positions there.
    #[inline]
    fn add_starts(&mut self, clauses: &[Clause], span: &Option<Span>, out: &mut Vec<u32>) {
        let (Lists::One { clause, .. }, Some(span)) = (&self.lists, span) else { return };
        let (sums, before) = span.sums(&clauses[*clause].postings, &mut self.sums);
        let positions = positions_of(sums, before);
        match self.offset {
            0 => out.extend(positions),
            offset => out.extend(positions.filter_map(|position| position.checked_sub(offset))),
        }
    }

    /// Moves the starts to the front from which it follows there, and gives their number.
    #[inline]
    fn keep_following(&mut self, clauses: &[Clause], span: &Option<Span>, starts: &mut [u32]) -> usize {
        let (Lists::One { clause, .. }, Some(span)) = (&self.lists, span) else { return 0 };
        let (sums, before) = span.sums(&clauses[*clause].postings, &mut self.sums);
        simd::keep_following(starts, self.offset, sums, before)
    }

    #[inline]
    fn read_located(&mut self, clauses: &[Clause], span: &Option<Span>, out: &mut Vec<u32>) {
        out.clear();
        if let (Lists::One { clause, .. }, Some(span)) = (&self.lists, span) {
            let (sums, before) = span.sums(&clauses[*clause].postings, &mut self.sums);
            out.extend(positions_of(sums, before));
        }
    }
}

/// The positions that have these running sums, each of which counts one for every position up to it.
#[inline]
fn positions_of(sums: &[u32], before: u32) -> impl Iterator<Item = u32> {
    sums.iter().zip(1..).map(move |(sum, number): (_, u32)| sum.wrapping_sub(before).wrapping_sub(number))
}

impl Default for Groups {
    fn default() -> Self {
        Self { group: NO_GROUP, sums: Box::new([0; BLOCK]), total: 0, start: 0 }
    }
}

impl Groups {
    pub fn clear(&mut self) {
        self.group = NO_GROUP;
    }

    /// Of a document of a bitset.
    #[inline]
    pub fn of_rank(&mut self, postings: &Postings, dense: &DenseWindow, rank: u32) -> Span {
        let group = rank / BLOCK as u32;
        if self.group != group as usize {
            postings.group_sums(dense, group, &mut self.sums);
            let len = (dense.count() as usize - group as usize * BLOCK).min(BLOCK);
            (self.group, self.total) = (group as usize, self.sums[len - 1]);
            self.start = postings.group_positions(dense, group);
        }
        self.at(rank as usize % BLOCK)
    }

    /// Of a document of a block.
    #[inline]
    pub fn of_block(&mut self, postings: &Postings, block: usize, at: usize) -> Span {
        if self.group != block {
            postings.block_sums(block, &mut self.sums);
            (self.group, self.total) = (block, self.sums[postings.block_len(block) - 1]);
            self.start = postings.block_positions(block);
        }
        self.at(at)
    }

    #[inline]
    fn at(&self, at: usize) -> Span {
        let first = at.checked_sub(1).map_or(0, |before| self.sums[before]);
        Span { start: self.start, total: self.total, first, end: self.sums[at] }
    }
}

impl Span {
    #[inline]
    fn fetch(&self, postings: &Postings, ahead: &mut PositionsAhead) -> usize {
        postings.fetch_positions(ahead, self.start, self.total, self.first, self.end)
    }

    #[inline]
    fn sums<'a>(&self, postings: &Postings, sums: &'a mut PositionSums) -> (&'a [u32], u32) {
        postings.position_sums(sums, self.start, self.total, self.first, self.end)
    }

    #[inline]
    pub fn positions<'a>(&self, postings: &'a Postings) -> Positions<'a> {
        postings.positions_at(self.start, self.total, self.first, self.end)
    }
}
