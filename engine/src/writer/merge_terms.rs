//! Merges terms, postings and norms of one field.

use super::merge::{DocMap, Source};
use super::sort::sort_paced;
use crate::pace::Pace;
use crate::segment::{
    FieldLengths, FieldStats, FileWriter, Group, Kind, NO_MORE_DOCS, PostingsWriter, TermInfo, TermIter, Terms,
    TermsWriter, Want, keys_of, norms,
};

/// Gives the merged terms, without postings.
pub(super) async fn merge_inverted(
    sources: &[Source<'_>],
    map: &DocMap,
    file: &mut FileWriter,
    pace: &Pace,
) -> Option<Terms> {
    let lengths = merge_norms(sources, map, file, pace).await;
    let with_terms = || sources.iter().filter(|source| source.field.terms().is_some());
    with_terms().next()?;
    let freqs = with_terms().all(|source| source.field.has_freqs());
    let positions = freqs && with_terms().all(|source| source.field.has_positions());
    (file.header().freqs, file.header().positions) = (freqs, positions);
    // Room for all there is: what grows to its size is copied several times, at once each.
    let sizes = with_terms().filter_map(|source| Some(source.field.terms()?.section_bytes()));
    let [room, of_postings, of_positions] = sizes.fold([0; 3], |sum, bytes| std::array::from_fn(|i| sum[i] + bytes[i]));
    let mut terms = TermsWriter::with_postings(freqs, positions).with_capacity(room);
    let mut postings = PostingsWriter::new(freqs, positions, &lengths).with_capacity(of_postings, of_positions);
    let mut heads = Heads::new(with_terms().filter_map(|source| Some((source.at, source.field.terms()?.iter()))));
    let mut stats = FieldStats::default();
    let mut has_term = vec![0u64; map.max_doc().div_ceil(64) as usize];
    let mut buffer = vec![];
    let (mut shuffled, mut group) = (Shuffled::default(), Group::default());
    while heads.next() {
        let mut any = false;
        for (source, info) in &heads.infos {
            let source = sources.iter().find(|own| own.at == *source).expect("one of the sources");
            let terms = source.field.terms().expect("it gave the term");
            let want = if positions { Want::Positions } else { Want::Freqs };
            let mut list = terms.postings(*info, want);
            if let Some(first) = map.first_of_all(source.at) {
                group.rewind();
                while list.next_group(positions, &mut group) {
                    group.docs.iter_mut().for_each(|doc| *doc += first);
                    group.docs.iter().for_each(|doc| has_term[(doc / 64) as usize] |= 1 << (doc % 64));
                    postings.push_group(&group.docs, &group.freqs, &group.distances);
                    any = true;
                    pace.tick((group.docs.len() + group.distances.len() / 2) as u32).await;
                }
                continue;
            }
            while list.doc() != NO_MORE_DOCS {
                if let Some(doc) = map.get(source.at, list.doc()) {
                    list.positions(&mut buffer);
                    if map.reorders() {
                        shuffled.push(doc, list.freq(), &buffer);
                    } else {
                        postings.push(doc, list.freq(), &buffer);
                    }
                    has_term[(doc / 64) as usize] |= 1 << (doc % 64);
                    any = true;
                }
                list.next();
                pace.tick(2 + buffer.len() as u32).await;
            }
        }
        shuffled.drain_to(&mut postings, pace).await;
        if any {
            let meta = postings.end_term();
            stats.sum_doc_freq += u64::from(meta.doc_freq);
            stats.sum_total_term_freq += meta.total_term_freq;
            terms.push(&heads.term, &meta);
        }
        pace.tick(8).await;
    }
    stats.doc_count = crate::codec::simd::count(&has_term);
    file.header().stats = stats;
    let (postings, positions_bytes) = postings.finish();
    let terms = terms.finish();
    file.section(Kind::Terms, &terms, pace).await;
    file.section(Kind::Postings, &postings, pace).await;
    if positions {
        file.section(Kind::Positions, &positions_bytes, pace).await;
    }
    Some(keys_of(terms.into()))
}

/// The postings of one term, as they came.
#[derive(Default)]
struct Shuffled {
    /// Document, frequency, and where its positions start and end.
    docs: Vec<(u32, u32, u32, u32)>,
    positions: Vec<u32>,
}

impl Shuffled {
    fn push(&mut self, doc: u32, freq: u32, positions: &[u32]) {
        let start = self.positions.len() as u32;
        self.positions.extend_from_slice(positions);
        self.docs.push((doc, freq, start, self.positions.len() as u32));
    }

    /// Hands them on in the order of documents.
    async fn drain_to(&mut self, postings: &mut PostingsWriter<'_>, pace: &Pace) {
        if self.docs.is_empty() {
            return;
        }
        sort_paced(&mut self.docs, |a, b| a.0 < b.0, pace).await;
        for (doc, freq, start, end) in self.docs.drain(..) {
            postings.push(doc, freq, &self.positions[start as usize..end as usize]);
            pace.tick(2).await;
        }
        self.positions.clear();
    }
}

/// Gives the lengths for which score bounds are recorded.
async fn merge_norms(sources: &[Source<'_>], map: &DocMap, file: &mut FileWriter, pace: &Pace) -> FieldLengths {
    let stats = || sources.iter().map(|source| source.field.stats());
    let docs: u64 = stats().map(|stats| u64::from(stats.doc_count)).sum();
    let tokens: u64 = stats().map(|stats| stats.sum_total_term_freq).sum();
    let average = (tokens as f64 / (docs as f64).max(1.0)) as f32;
    file.header().bound_avg_len = average;
    if sources.iter().all(|source| source.field.norms().is_none()) {
        return FieldLengths::without_norms(average);
    }
    let max_doc = map.max_doc() as usize;
    let (mut by_source, mut by_doc) = (Vec::with_capacity(max_doc), vec![0; max_doc]);
    for source in sources {
        let Some(norms) = source.field.norms() else { continue };
        let mut it = norms.docs().iter();
        while it.doc() != NO_MORE_DOCS {
            if let Some(doc) = map.get(source.at, it.doc()) {
                by_source.push((doc, norms.get(it.doc())));
                by_doc[doc as usize] = norms.get(it.doc());
            }
            it.next();
            pace.tick(1).await;
        }
    }
    if map.reorders() {
        sort_paced(&mut by_source, |a, b| a.0 < b.0, pace).await;
    }
    let (docs, values): (Vec<u32>, Vec<u8>) = by_source.into_iter().unzip();
    file.header().norms = true;
    file.section(Kind::Norms, &norms::write(map.max_doc(), &docs, &values, pace).await, pace).await;
    FieldLengths::new(by_doc, average)
}

/// Several dictionaries walked side by side.
pub(super) struct Heads {
    iters: Vec<Head>,
    /// The current term, and the sources that have it, in order.
    pub term: Vec<u8>,
    pub infos: Vec<(usize, TermInfo)>,
}

struct Head {
    source: usize,
    iter: TermIter,
    /// The next term, if there is one.
    next: Option<(Vec<u8>, TermInfo)>,
}

impl Heads {
    pub fn new(iters: impl Iterator<Item = (usize, TermIter)>) -> Self {
        let mut heads = Self { iters: vec![], term: vec![], infos: vec![] };
        for (source, mut iter) in iters {
            let next = iter.next().map(|(term, info)| (term.to_vec(), info));
            heads.iters.push(Head { source, iter, next });
        }
        heads
    }

    /// Moves to the next term; `false` at the end.
    pub fn next(&mut self) -> bool {
        let Some(least) = self.iters.iter().filter_map(|head| Some(&head.next.as_ref()?.0)).min() else {
            return false;
        };
        self.term.clone_from(least);
        self.infos.clear();
        for Head { source, iter, next: head } in &mut self.iters {
            let Some((term, info)) = head else { continue };
            if *term != self.term {
                continue;
            }
            self.infos.push((*source, *info));
            match iter.next() {
                Some((next, next_info)) => {
                    term.clear();
                    term.extend_from_slice(next);
                    *info = next_info;
                }
                None => *head = None,
            }
        }
        true
    }
}
