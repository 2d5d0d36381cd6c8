//! Documents by `_id`.

use super::all::explain_constant;
use super::exists::explain_by_scorer;
use super::profile::class_in;
use super::{DocsScorer, Explanation, Plan, PlanNode, Scorer, Weight, WeightContext};
use crate::error::Result;
use crate::segment::{DocIterator, Segment, SegmentView};
use std::fmt;
use std::sync::Arc;

/// Ids that are looked up in one go.
const IDS_PER_SLICE: usize = 1_024;

pub struct IdsWeight {
    ids: Vec<String>,
    boost: f32,
    /// Whether nested documents are found along with the document that they are in.
    blocks: bool,
    found: Option<Found>,
}

/// What has been found in a segment so far.
struct Found {
    segment: Arc<Segment>,
    looked_up: usize,
    docs: Vec<u32>,
}

impl IdsWeight {
    pub fn new(ids: &[String], boost: f32) -> Self {
        Self { ids: ids.to_vec(), boost, blocks: false, found: None }
    }

    /// Looks up some more; true when all have been.
    fn look_up(&mut self, view: &SegmentView, most: usize) -> bool {
        let Self { ids, found, blocks, .. } = self;
        let found = match found {
            Some(found) if Arc::ptr_eq(&found.segment, &view.segment) => found,
            other => other.insert(Found { segment: view.segment.clone(), looked_up: 0, docs: vec![] }),
        };
        let some = ids[found.looked_up..].iter().take(most);
        found.looked_up += some.len();
        let roots = view.segment.roots().filter(|_| *blocks);
        for doc in some.filter_map(|id| view.segment.doc_of_id(id)) {
            let before = roots.map_or(doc, |roots| roots.before(doc).map_or(0, |at| at + 1));
            found.docs.extend(before..=doc);
        }
        found.looked_up == ids.len()
    }
}

/// Documents by `_id`, along with those that are nested in them.
#[derive(Debug)]
pub struct BlockIds(pub Vec<String>);

impl fmt::Display for BlockIds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Plan::Ids(self.0.clone()).fmt(f)
    }
}

impl PlanNode for BlockIds {
    fn type_name(&self) -> String {
        class_in(&self.to_string(), "MultiTermQueryConstantScoreBlendedWrapper").to_owned()
    }

    fn weight(&self, _cx: &WeightContext, _scores: bool, boost: f32) -> Result<Box<dyn Weight>> {
        Ok(Box::new(IdsWeight { blocks: true, ..IdsWeight::new(&self.0, boost) }))
    }
}

impl Weight for IdsWeight {
    fn prepare(&mut self, view: &SegmentView, _spent: &mut u32) -> Result<bool> {
        Ok(self.look_up(view, IDS_PER_SLICE))
    }

    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        self.look_up(view, usize::MAX);
        let docs = self.found.as_ref().map(|found| found.docs.clone()).unwrap_or_default();
        Ok(DocsScorer::boxed(DocIterator::gathered(docs), self.boost))
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        explain_by_scorer(self, view, doc, |weight| {
            explain_constant(&Plan::Ids(weight.ids.clone()).to_string(), weight.boost)
        })
    }
}

/// The bytes that the reference indexes for an id, which its explanations show: numbers as nibbles behind `fe`, base64 of
/// URL alphabet as its bytes, all else as text behind `ff`.
pub fn encode(id: &str) -> Vec<u8> {
    let bytes = id.as_bytes();
    if !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit) {
        let nibbles = bytes.chunks(2).map(|pair| {
            let low = pair.get(1).map_or(0x0f, |digit| digit - b'0');
            (pair[0] - b'0') << 4 | low
        });
        return std::iter::once(0xfe).chain(nibbles).collect();
    }
    match decode_base64(bytes) {
        // A first byte this high would be taken for one of the other two encodings.
        Some(decoded) if decoded.first().is_some_and(|first| *first < 0xfd) => decoded,
        Some(decoded) if !decoded.is_empty() => std::iter::once(0xfd).chain(decoded).collect(),
        _ => std::iter::once(0xff).chain(bytes.iter().copied()).collect(),
    }
}

/// Unpadded base64 in the URL alphabet whose unused bits are zero.
fn decode_base64(text: &[u8]) -> Option<Vec<u8>> {
    if text.is_empty() || text.len() % 4 == 1 {
        return None;
    }
    let mut out = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut held) = (0u32, 0);
    for &c in text {
        let digit = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'-' => 62,
            b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(digit);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    (bits == 0).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_shown_as_the_reference_indexes_them() {
        assert_eq!(encode("1"), [0xfe, 0x1f]);
        assert_eq!(encode("123"), [0xfe, 0x12, 0x3f]);
        assert_eq!(encode("a.b"), [0xff, b'a', b'.', b'b']);
        assert_eq!(encode("AAEC"), [0, 1, 2]);
    }
}
