//! Statistics of one term over several fields, blended so that the field in which it happens to be rare does not win.

use super::BlendedTerm;
use super::term::{TermLookup, field_totals};
use crate::segment::Snapshot;
use std::sync::Arc;

/// The term in each of `fields`: all count as about as frequent as in the field where it is most frequent, the rarer ones
/// a little more so.
pub fn blend(snapshot: &Snapshot, fields: &[Arc<str>], term: &[u8]) -> Vec<BlendedTerm> {
    let lookups: Vec<TermLookup> = fields.iter().map(|field| TermLookup::new(snapshot, field, term)).collect();
    let max = lookups.iter().map(|lookup| lookup.doc_freq).max().unwrap_or(0);
    let total_limit = (fields.iter().zip(&lookups))
        .filter(|(_, lookup)| lookup.total_term_freq > 0)
        .map(|(field, _)| field_totals(snapshot, field).sum_total_term_freq)
        .min()
        .unwrap_or(0);
    let max_doc = snapshot.max_doc().min(total_limit);
    let mut order: Vec<usize> = (0..fields.len()).collect();
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
        doc_freqs[at] = actual.min(max_doc);
        before = current;
    }
    let total = lookups.iter().map(|lookup| lookup.total_term_freq).sum::<u64>().min(total_limit);
    (fields.iter().zip(doc_freqs))
        .map(|(field, doc_freq)| BlendedTerm {
            field: field.clone(),
            term: term.to_vec(),
            doc_freq,
            total_term_freq: total,
            once: false,
        })
        .collect()
}
