//! A list read as a whole, a block or 128 documents of a bitset at a time, positions as the distances that they are kept as: for merges,
//! which write most of it as it was.

use super::cursor::Postings;
use super::dense::Dense;
use super::positions;
use super::write::DENSE_WIDTH;
use crate::codec::simd::BLOCK;

/// Documents that follow each other in a list.
#[derive(Default)]
pub(crate) struct Group {
    pub docs: Vec<u32>,
    /// How often each has the term; 1 where the field does not know.
    pub freqs: Vec<u32>,
    /// The distances of its positions in each of them, the first from 0; empty where they were not asked for.
    pub distances: Vec<u32>,
    /// What comes next: the unit, of a bitset the group in it, and from which document on.
    unit: usize,
    group: u32,
    from: u32,
}

impl Group {
    /// Goes back in front of the first documents of a list.
    pub fn rewind(&mut self) {
        (self.unit, self.group, self.from) = (0, 0, 0);
    }
}

impl Postings {
    /// Reads the next documents of the list; false if there are none left. `positions`: their distances too, which the field must
    /// have.
    pub(crate) fn next_group(&self, positions: bool, out: &mut Group) -> bool {
        let Group { docs, freqs, distances, unit, group, from } = out;
        docs.clear();
        freqs.clear();
        distances.clear();
        let (bytes, units) = (&self.source.postings, &self.units);
        let mut block = [0; BLOCK];
        let mut positions_at = self.positions_start as usize;
        if units.len == 0 {
            if *unit > 0 {
                return false;
            }
            docs.extend_from_slice(self.short_docs());
            freqs.extend_from_slice(self.short_freqs());
            *unit = 1;
        } else if *unit == units.len {
            return false;
        } else if units.meta(bytes, *unit) & 63 == DENSE_WIDTH {
            let (data, last_doc) = (units.data_at(bytes, *unit), units.last_doc(bytes, *unit));
            let dense = Dense::new(bytes, data, last_doc, self.source.has_positions);
            let len = dense.docs_from(bytes, dense.base.max(*from), &mut block);
            docs.extend_from_slice(&block[..len]);
            self.group_freqs_of(&dense, *group, &mut block);
            freqs.extend_from_slice(&block[..len]);
            if positions {
                positions_at += units.positions_at(bytes, *unit) as usize + dense.positions_at(bytes, *group) as usize;
            }
            (*group, *from) = (*group + 1, docs[len - 1].saturating_add(1));
            if docs[len - 1] == last_doc {
                (*unit, *group) = (*unit + 1, 0);
            }
        } else {
            let len = self.read_docs(*unit, &mut block);
            docs.extend_from_slice(&block[..len]);
            self.read_freqs(*unit, &mut block);
            freqs.extend_from_slice(&block[..len]);
            if positions {
                positions_at = self.block_positions(*unit);
            }
            *unit += 1;
        }
        if positions {
            let total = freqs.iter().map(|freq| *freq as usize).sum();
            positions::read_distances(&self.source.positions[positions_at..], total, distances);
        }
        true
    }
}
