//! Statistics of one term over several fields, blended so that the field in which it happens to be rare does not win.

use super::BlendedTerm;
use super::term::{TermLookup, field_totals};
use crate::segment::Snapshot;
use std::sync::Arc;

/// Terms of several fields: all count as about as frequent as the most frequent one, the rarer ones a little more so.
pub fn blend(snapshot: &Snapshot, terms: &[(Arc<str>, &[u8])]) -> Vec<BlendedTerm> {
    let lookups: Vec<TermLookup> =
        terms.iter().map(|(field, term)| TermLookup::new(snapshot, field, term, true)).collect();
    let max = lookups.iter().map(|lookup| lookup.doc_freq).max().unwrap_or(0);
    let total_limit = (terms.iter().zip(&lookups))
        .filter(|(_, lookup)| lookup.total_term_freq > 0)
        .map(|((field, _), _)| field_totals(snapshot, field).sum_total_term_freq)
        .min()
        .unwrap_or(0);
    let max_doc = snapshot.max_doc().min(total_limit);
    let mut order: Vec<usize> = (0..terms.len()).collect();
    order.sort_by(|a, b| lookups[*b].doc_freq.cmp(&lookups[*a].doc_freq));
    let mut doc_freqs: Vec<u64> = lookups.iter().map(|lookup| lookup.doc_freq).collect();
    let mut actual = max.min(max_doc);
    let mut before = max;
    for at in order {
        let current = lookups[at].doc_freq;
        if current == 0 {
            break;
        }
        if before > current {
            actual += 1;
        }
        // Never more than have the field.
        doc_freqs[at] = actual.min(max_doc).min(field_totals(snapshot, &terms[at].0).doc_count);
        before = current;
    }
    // A term is in no more documents than it is there times.
    let total_of = |(lookup, doc_freq): (&TermLookup, &u64)| match lookup.doc_freq {
        0 => 0,
        _ => lookup.total_term_freq.max(*doc_freq),
    };
    let total = lookups.iter().zip(&doc_freqs).map(total_of).sum::<u64>().min(total_limit);
    (terms.iter().zip(doc_freqs))
        .map(|((field, term), doc_freq)| BlendedTerm {
            field: field.clone(),
            term: term.to_vec(),
            doc_freq,
            total_term_freq: total,
            once: false,
        })
        .collect()
}
