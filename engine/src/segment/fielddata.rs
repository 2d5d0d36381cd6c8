//! Fielddata: the terms of an indexed field by document, turned around from its postings when a search wants to sort or to
//! aggregate by them. What was made stays as long as its segment.

use super::segment::SegmentField;
use super::{NO_MORE_DOCS, NumericColumn, OrdinalColumn, Postings, TermInfo, Terms, Want, misses, numeric};
use crate::pace::Pace;
use bytes::Bytes;
use std::ops::RangeInclusive;

impl SegmentField {
    /// Whether the terms by document could be made, and are not there yet.
    pub fn lacks_fielddata(&self) -> bool {
        self.terms().is_some() && self.has_no_ordinals()
    }

    /// About how many bytes they would take: a number for each document and each term of it.
    pub fn fielddata_estimate(&self, max_doc: u32) -> u64 {
        4 * (u64::from(max_doc) + self.stats().sum_doc_freq)
    }

    /// Makes the terms by document, unless they are there: of those that are in as many documents as `frequencies` says. Whether
    /// they are then: not where lists are missing that are to be read first.
    pub async fn load_fielddata(&self, max_doc: u32, frequencies: &RangeInclusive<u32>, pace: &Pace) -> bool {
        let Some(terms) = self.terms().filter(|_| self.has_no_ordinals()) else { return true };
        let mut lacks = false;
        let mut counts = vec![0u32; max_doc as usize + 1];
        let mut iter = terms.iter();
        // Counts first, so that every value is put where it belongs: documents in order, their ordinals ascending.
        while let Some((_, info)) = iter.next() {
            if !frequencies.contains(&info.doc_freq) {
                continue;
            }
            let Some(mut postings) = list(terms, info) else {
                // All that are missing are to be read together.
                lacks = true;
                continue;
            };
            let mut doc = postings.doc();
            while doc != NO_MORE_DOCS {
                counts[doc as usize + 1] += 1;
                doc = postings.next();
                pace.tick(1).await;
            }
        }
        if lacks {
            return false;
        }
        for doc in 1..counts.len() {
            counts[doc] += counts[doc - 1];
        }
        let total = counts.last().copied().unwrap_or(0);
        let mut values = vec![(0u32, 0i64); total as usize];
        let mut iter = terms.iter();
        while let Some((_, info)) = iter.next() {
            if !frequencies.contains(&info.doc_freq) {
                continue;
            }
            let Some(mut postings) = list(terms, info) else { return false };
            let mut doc = postings.doc();
            while doc != NO_MORE_DOCS {
                let place = &mut counts[doc as usize];
                values[*place as usize] = (doc, info.ord as i64);
                *place += 1;
                doc = postings.next();
                pace.tick(1).await;
            }
        }
        let bytes = Bytes::from(numeric::write(max_doc, &values, pace).await);
        let size = bytes.len() as u64;
        let column =
            OrdinalColumn::new(NumericColumn::new(max_doc, bytes), terms.clone(), Some(self.stats().sum_doc_freq));
        self.keep_fielddata(column, size);
        true
    }
}

/// The documents of a term, if its list has been read.
fn list(terms: &Terms, info: TermInfo) -> Option<Postings> {
    let before = misses();
    let list = terms.postings(info, Want::Docs);
    (misses() == before).then_some(list)
}
