//! Phrases among required clauses: each of their terms is a clause of its own, one of them (the rarest) carries the score, as a
//! bound until positions are read. Those are read only in documents that all clauses match and that can still compete.

use super::clause::Blocks;
use super::{Clause, Lengths, PhraseClauses};
use crate::codec::simd::BLOCK;
use crate::score::phrase_match::{Place, sloppy_freq};
use crate::segment::WindowPart;

/// No sums are at hand.
const NO_GROUP: usize = usize::MAX;

pub struct Phrase {
    /// The clause that carries the score.
    carrier: usize,
    /// Terms, rarest first.
    members: Vec<Member>,
    slop: u32,
    /// With slop: positions of the terms, in the order of the phrase.
    places: Vec<Place>,
    /// The score in the document that was looked at last.
    pub score: f32,
    /// Starts that are still possible, and positions of the next term.
    starts: Vec<u32>,
    positions: Vec<u32>,
}

struct Member {
    clause: usize,
    /// Where it stands in the phrase.
    offset: u32,
    /// The how manieth term of the phrase it is.
    place: usize,
    /// The place in the blocks of the window.
    blocks: Blocks,
    /// The group of the bitset, or the block, whose sums of frequencies are at hand, their last, and where its positions start.
    group: usize,
    sums: Box<[u32; BLOCK]>,
    total: u32,
    start: usize,
}

impl Phrase {
    pub fn new(phrase: &PhraseClauses, clauses: &[Clause]) -> Self {
        let mut members: Vec<Member> = (phrase.terms.iter().enumerate())
            .map(|(place, term)| Member {
                clause: term.clause,
                offset: term.offset,
                place,
                blocks: Blocks::default(),
                group: NO_GROUP,
                sums: Box::new([0; BLOCK]),
                total: 0,
                start: 0,
            })
            .collect();
        members.sort_by_key(|member| clauses[member.clause].postings.doc_freq());
        Self {
            carrier: phrase.carrier,
            members,
            slop: phrase.slop,
            places: phrase.terms.iter().map(|term| Place::new(term.offset, term.group)).collect(),
            score: 0.0,
            starts: Vec::new(),
            positions: Vec::new(),
        }
    }

    /// Whether its terms tell nothing of what it can score.
    pub fn is_loose(&self) -> bool {
        self.slop > 0
    }

    /// A new window was entered.
    pub fn enter(&mut self) {
        for member in &mut self.members {
            member.group = NO_GROUP;
        }
    }

    /// Whether the phrase stands in `doc`, which all of its terms do; if so scores it. Documents must ascend within a window.
    pub fn matches(&mut self, doc: u32, clauses: &[Clause], lengths: &[Lengths]) -> bool {
        let carrier = &clauses[self.carrier];
        let freq = match self.slop {
            0 => self.freq(doc, clauses) as f32,
            _ => self.sloppy_freq(doc, clauses, carrier.weight == 0.0),
        };
        self.score = 0.0;
        if freq > 0.0 && carrier.weight > 0.0 {
            let inverse = lengths[carrier.lengths].inverse(doc);
            self.score = carrier.weight - carrier.weight / (1.0 + freq * inverse);
        }
        freq > 0.0
    }

    fn sloppy_freq(&mut self, doc: u32, clauses: &[Clause], first_only: bool) -> f32 {
        for member in &mut self.members {
            member.read(&clauses[member.clause], doc, &mut self.places[member.place].positions);
        }
        sloppy_freq(&mut self.places, self.slop, first_only)
    }

    fn freq(&mut self, doc: u32, clauses: &[Clause]) -> u32 {
        let Some((first, others)) = self.members.split_first_mut() else { return 0 };
        first.read(&clauses[first.clause], doc, &mut self.positions);
        self.starts.clear();
        self.starts.extend(self.positions.iter().filter_map(|position| position.checked_sub(first.offset)));
        for member in others {
            if self.starts.is_empty() {
                break;
            }
            member.read(&clauses[member.clause], doc, &mut self.positions);
            keep_starts(&mut self.starts, &self.positions, member.offset);
        }
        self.starts.len() as u32
    }
}

/// Keeps the starts from which a term stands `offset` further on.
fn keep_starts(starts: &mut Vec<u32>, positions: &[u32], offset: u32) {
    let (mut kept, mut at) = (0, 0);
    for i in 0..starts.len() {
        let wanted = starts[i] + offset;
        while at < positions.len() && positions[at] < wanted {
            at += 1;
        }
        if at == positions.len() {
            break;
        }
        if positions[at] == wanted {
            starts[kept] = starts[i];
            kept += 1;
        }
    }
    starts.truncate(kept);
}

impl Member {
    fn read(&mut self, clause: &Clause, doc: u32, out: &mut Vec<u32>) {
        out.clear();
        let postings = &clause.postings;
        let at = match &clause.part {
            WindowPart::Empty => return,
            WindowPart::Dense(dense) => {
                let rank = postings.rank_in(dense, doc);
                let group = rank / BLOCK as u32;
                if self.group != group as usize {
                    postings.group_sums(dense, group, &mut self.sums);
                    let len = (dense.count() as usize - group as usize * BLOCK).min(BLOCK);
                    (self.group, self.total) = (group as usize, self.sums[len - 1]);
                    self.start = postings.group_positions(dense, group);
                }
                rank as usize % BLOCK
            }
            WindowPart::Blocks { first, end } => {
                if self.blocks.seek_doc(postings, *first, *end, doc) != Some(doc) {
                    return;
                }
                let (block, at, len) = self.blocks.place();
                if self.group != block {
                    postings.block_sums(block, &mut self.sums);
                    (self.group, self.total) = (block, self.sums[len - 1]);
                    self.start = postings.block_positions(block);
                }
                at
            }
        };
        let first = at.checked_sub(1).map_or(0, |before| self.sums[before]);
        postings.read_positions(self.start, self.total, first, self.sums[at], out);
    }
}
