//! The lengths of a field, as scores take them.

use crate::codec::simd;
use crate::score::Bm25;
use crate::score::term::norm_of;
use crate::segment::{Norms, RANGE_DOCS, SegmentField, SegmentView};
use std::rc::Rc;
use std::sync::Arc;

/// Documents of a range.
const RANGE: usize = RANGE_DOCS as usize;

/// The norms of a field with the table that scores take them through.
pub struct Lengths {
    field: Arc<str>,
    norms: Option<Norms>,
    sim: Rc<Bm25>,
    max_doc: u32,
}

/// The place of a field's lengths, as `sim` takes them, among `lengths`, to which they are added if they are not there.
pub fn lengths_of(
    name: &Arc<str>,
    field: &SegmentField,
    sim: &Rc<Bm25>,
    view: &SegmentView,
    lengths: &mut Vec<Lengths>,
) -> usize {
    let known = lengths.iter().position(|lengths| lengths.is_of(name, sim));
    known.unwrap_or_else(|| {
        lengths.push(Lengths::new(name, field.norms().cloned(), sim.clone(), view.max_doc()));
        lengths.len() - 1
    })
}

impl Lengths {
    /// `sim` stands for all similarities of the field with the same average length.
    fn new(field: &Arc<str>, norms: Option<Norms>, sim: Rc<Bm25>, max_doc: u32) -> Self {
        Self { field: field.clone(), norms, sim, max_doc }
    }

    /// Whether these are the lengths of this field as `sim` takes them.
    fn is_of(&self, field: &Arc<str>, sim: &Bm25) -> bool {
        self.field == *field && self.sim.average_length() == sim.average_length()
    }

    #[inline]
    pub fn inverse(&self, doc: u32) -> f32 {
        let norm = match self.norms.as_ref().and_then(Norms::dense) {
            Some(bytes) => bytes[doc as usize],
            None => norm_of(&self.norms, doc),
        };
        self.sim.norm_inverses()[usize::from(norm)]
    }

    pub fn inverses_of(&self, docs: &[u32], out: &mut [f32]) {
        let table = self.sim.norm_inverses();
        match self.norms.as_ref().and_then(Norms::dense) {
            Some(bytes) => {
                out.iter_mut().zip(docs).for_each(|(out, doc)| *out = table[usize::from(bytes[*doc as usize])]);
            }
            None => out.iter_mut().zip(docs).for_each(|(out, doc)| *out = self.inverse(*doc)),
        }
    }

    /// For the documents from `base` on; past the last one they are unspecified.
    pub fn inverses_from(&self, base: u32, out: &mut [f32; RANGE]) {
        let end = self.max_doc.min(base + RANGE_DOCS);
        match self.norms.as_ref().and_then(Norms::dense) {
            Some(bytes) => simd::look_up(&bytes[base as usize..end as usize], self.sim.norm_inverses(), out),
            None => out.iter_mut().zip(base..end).for_each(|(out, doc)| *out = self.inverse(doc)),
        }
    }

    /// For the documents from `base` on whose bits are set.
    pub fn inverses_among(&self, base: u32, words: [u64; 2], out: &mut [f32; RANGE]) {
        super::for_each_bit(words, |at| out[at] = self.inverse(base + at as u32));
    }
}
