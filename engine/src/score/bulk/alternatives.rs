//! Several terms at one position of a phrase: the documents of each of their lists are gone through once a window, and those
//! that the other terms have too are kept with their places, so that positions are read without looking for them.

use super::BulkTop;
use super::count::Join;
use super::phrase::Groups;
use crate::codec::simd::BLOCK;
use crate::score::TopScores;
use crate::segment::{Postings, WindowBits, WindowPart, WindowSpan};

/// So many documents of the lists are kept at once, about: sorting them and reading their positions takes a millisecond or two.
const FOUND_MAX: usize = 16_384;

/// The lists of one position.
pub struct Alternatives {
    lists: Vec<List>,
    /// Documents of the window with one of the terms, once for each of these.
    found: Vec<Found>,
    /// The first of the document that was asked about last.
    next: usize,
}

struct List {
    postings: Postings,
    part: WindowPart,
    hint: usize,
    groups: Groups,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    doc: u32,
    list: u32,
    /// The block, and the place in it; of a bitset the rank.
    block: u32,
    at: u32,
}

impl Alternatives {
    pub fn new(lists: Vec<Postings>) -> Self {
        let list = |postings| List { postings, part: WindowPart::Empty, hint: 0, groups: Groups::default() };
        Self { lists: lists.into_iter().map(list).collect(), found: Vec::new(), next: 0 }
    }

    /// Nothing is known of the window that comes.
    pub fn clear(&mut self) {
        self.found.clear();
        self.next = 0;
    }

    /// Goes to a window, of which so many documents are asked about. Gives how many places may be kept at most.
    pub fn enter(&mut self, span: &WindowSpan, candidates: usize) -> usize {
        self.clear();
        let mut most = 0;
        for list in &mut self.lists {
            list.part = list.postings.window_part(span, &mut list.hint);
            list.groups.clear();
            most += list.part.most_docs().min(candidates);
        }
        most
    }

    /// Keeps of the documents of the window those with one of the terms.
    pub fn keep(&mut self, span: &WindowSpan, bits: &mut WindowBits) {
        for (number, list) in self.lists.iter().enumerate() {
            list.find(number as u32, span, bits, &mut self.found);
        }
        self.found.sort_unstable();
        bits.reset(span.window);
        self.found.iter().for_each(|found| bits.insert(found.doc));
    }

    /// The positions in a document, ascending. Documents must ascend within a window.
    pub fn read(&mut self, doc: u32, out: &mut Vec<u32>) {
        out.clear();
        self.next += self.found[self.next..].iter().take_while(|found| found.doc < doc).count();
        let here = self.found[self.next..].iter().take_while(|found| found.doc == doc);
        let mut lists = 0;
        for found in here {
            let List { postings, part, groups, .. } = &mut self.lists[found.list as usize];
            let span = match part {
                WindowPart::Empty => continue,
                WindowPart::Dense(dense) => groups.of_rank(postings, dense, found.at),
                WindowPart::Blocks { .. } => groups.of_block(postings, found.block as usize, found.at as usize),
            };
            out.extend(span.positions(postings));
            lists += 1;
        }
        if lists > 1 {
            out.sort_unstable();
        }
    }
}

impl List {
    /// Adds the documents that are among the `wanted`.
    fn find(&self, list: u32, span: &WindowSpan, wanted: &WindowBits, found: &mut Vec<Found>) {
        match &self.part {
            WindowPart::Empty => {}
            WindowPart::Dense(dense) => {
                let words = self.postings.window_words(dense).as_chunks::<8>().0;
                for (at, (own, wanted)) in words.iter().zip(wanted.words()).enumerate() {
                    let mut both = u64::from_le_bytes(*own) & wanted;
                    while both != 0 {
                        let doc = span.base() + at as u32 * 64 + both.trailing_zeros();
                        both &= both - 1;
                        found.push(Found { doc, list, block: 0, at: self.postings.rank_in(dense, doc) });
                    }
                }
            }
            WindowPart::Blocks { first, end } => {
                let mut docs = [0; BLOCK];
                for block in *first..*end {
                    let len = self.postings.read_docs(block, &mut docs);
                    for (at, doc) in docs[..len].iter().enumerate() {
                        let place = doc.wrapping_sub(span.base()) as usize;
                        let is_wanted =
                            wanted.words().get(place / 64).is_some_and(|word| word >> (place % 64) & 1 == 1);
                        if is_wanted {
                            found.push(Found { doc: *doc, list, block: block as u32, at: at as u32 });
                        }
                    }
                }
            }
        }
    }
}

impl BulkTop {
    /// Phrases have alternatives: what the required clauses match in the window is found first, then what of that has a term of
    /// each position, and only of this positions are read. Of a window with many such documents, a part at a time.
    pub(super) fn collect_alternatives(&mut self, span: &WindowSpan, top: &mut TopScores) {
        let mut bits = self.bits.take().unwrap_or_default();
        bits.reset(span.window);
        let mut own = WindowBits::default();
        for (number, clause) in self.clauses[..self.required].iter_mut().enumerate() {
            match clause.part {
                _ if number == 0 => clause.add_to(span.window, &mut bits, Join::Or),
                WindowPart::Dense(_) => clause.add_to(span.window, &mut bits, Join::And),
                _ => {
                    own.reset(span.window);
                    clause.add_to(span.window, &mut own, Join::Or);
                    bits.and(own.words());
                }
            }
        }
        self.take_part(span, &mut bits);
        for phrase in &mut self.phrases {
            phrase.keep_alternatives(span, &mut bits);
        }
        self.pending.docs.extend(bits.iter());
        self.bits = Some(bits);
        self.offer_pending(top);
    }

    /// Leaves as many of the candidates as places can be kept of, and comes back to the window for the others.
    fn take_part(&mut self, span: &WindowSpan, bits: &mut WindowBits) {
        let words = bits.words_mut();
        let (window, done) = self.done;
        words[..if window == span.window { done } else { 0 }].fill(0);
        let candidates = crate::codec::simd::count(words) as usize;
        let most = self.phrases.iter_mut().map(|phrase| phrase.enter_alternatives(span, candidates)).sum();
        let end = match FOUND_MAX >= most {
            true => words.len(),
            false => {
                let enough = (candidates * FOUND_MAX / most).max(1) as u32;
                let mut docs = 0;
                let full = words.iter().position(|word| {
                    docs += word.count_ones();
                    docs >= enough
                });
                full.map_or(words.len(), |at| at + 1)
            }
        };
        words[end..].fill(0);
        if end < words.len() {
            (self.window, self.done) = (span.window, (span.window, end));
        }
    }
}
