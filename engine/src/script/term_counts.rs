//! How often terms occur, for scripts that score: in the current document, and in all of the shard.

use super::doc::documents;
use super::error::{Failed, illegal};
use super::vm::Vm;
use crate::score::TermLookup;
use crate::segment::{Postings, SegmentField, Snapshot, Want};
use std::sync::Arc;

/// Terms whose lists stay open from one document to the next.
const LISTS_MAX: usize = 64;

/// The documents of the current segment that have a term.
pub struct TermList {
    field: Box<str>,
    term: Box<str>,
    /// None where the segment does not have the term.
    list: Option<Postings>,
}

/// How often the current document has a term.
pub fn term_freq(vm: &mut Vm, field: &str, term: &str) -> Result<i32, Failed> {
    let documents = documents(vm)?;
    let Some((view, doc)) = documents.place() else { return Ok(0) };
    let known = documents.terms.iter().position(|list| &*list.field == field && &*list.term == term);
    // A list only goes on: for a document before the last one it is begun anew.
    let usable = |list: &TermList| list.list.as_ref().is_none_or(|list| list.doc() <= doc);
    let at = match known {
        Some(at) if usable(&documents.terms[at]) => at,
        stale => {
            let terms = view.segment.field(field).and_then(SegmentField::terms);
            let list = terms.and_then(|terms| Some(terms.postings(terms.get(term.as_bytes())?, Want::Freqs)));
            let opened = TermList { field: field.into(), term: term.into(), list };
            if let Some(at) = stale {
                documents.terms.remove(at);
            }
            if documents.terms.len() == LISTS_MAX {
                documents.terms.remove(0);
            }
            documents.terms.push(opened);
            documents.terms.len() - 1
        }
    };
    let Some(list) = &mut documents.terms[at].list else { return Ok(0) };
    if list.doc() < doc {
        list.advance(doc);
    }
    Ok(if list.doc() == doc { i32::try_from(list.freq()).unwrap_or(i32::MAX) } else { 0 })
}

/// How often the documents of the shard have a term, deleted ones among them.
pub fn total_term_freq(vm: &mut Vm, field: &str, term: &str) -> Result<i64, Failed> {
    let snapshot = snapshot(vm)?;
    Ok(TermLookup::new(&snapshot, field, term.as_bytes(), false).total_term_freq as i64)
}

/// How many terms the documents of the shard have in a field, deleted ones among them.
pub fn sum_total_term_freq(vm: &mut Vm, field: &str) -> Result<i64, Failed> {
    let snapshot = snapshot(vm)?;
    let held = snapshot.segments.iter().filter_map(|view| view.segment.field(field));
    Ok(held.map(|field| field.stats().sum_total_term_freq as i64).sum())
}

fn snapshot(vm: &mut Vm) -> Result<Arc<Snapshot>, Failed> {
    documents(vm)?.snapshot.clone().ok_or_else(|| illegal("there is no shard whose terms could be counted"))
}
