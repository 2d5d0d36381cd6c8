//! Documents that wait until it is known which buckets are answered: what stands below sees those of these buckets alone, so that
//! nothing is spent on the others, and what it would refuse in them is not refused.

use super::kind::Owners;
use crate::segment::SegmentView;

/// More documents than this do not wait: what is below would see them all in one go.
const WAITING_MAX: usize = if cfg!(test) { 64 } else { 65_536 };
const NO_PLACE: u32 = u32::MAX;

#[derive(Default)]
pub(super) struct Waiting {
    segments: Vec<WaitingSegment>,
    docs: usize,
    /// Segments are not gone through again where none of the buckets that are answered has a document.
    chosen_alone: bool,
}

pub(super) struct WaitingSegment {
    pub(super) view: SegmentView,
    /// Ascending, each with its bucket.
    pub(super) docs: Vec<u32>,
    pub(super) owners: Vec<u32>,
}

impl Waiting {
    /// `chosen_alone`: what waits in other buckets than those that are answered is forgotten before anything sees its segment.
    pub(super) fn new(chosen_alone: bool) -> Self {
        Self { chosen_alone, ..Self::default() }
    }

    pub(super) fn enter_segment(&mut self, view: &SegmentView) {
        self.segments.push(WaitingSegment { view: view.clone(), docs: vec![], owners: vec![] });
    }

    /// Adds documents of the segment entered last. False if there are too many now.
    pub(super) fn add(&mut self, docs: &[u32], owners: Owners<'_>) -> bool {
        let Some(segment) = self.segments.last_mut() else { return true };
        segment.docs.extend_from_slice(docs);
        match owners {
            Owners::One(owner) => segment.owners.resize(segment.docs.len(), owner),
            Owners::Each(owners) => segment.owners.extend_from_slice(owners),
        }
        self.docs += docs.len();
        self.docs <= WAITING_MAX
    }

    /// Gives documents of each bucket to another one.
    pub(super) fn join(&mut self, buckets: &[u32]) {
        let owners = self.segments.iter_mut().flat_map(|segment| segment.owners.iter_mut());
        owners.for_each(|owner| *owner = buckets[*owner as usize]);
    }

    /// All of them, segment by segment; not those where no document waits, whatever would be refused there.
    pub(super) fn all(self) -> impl Iterator<Item = WaitingSegment> {
        self.segments.into_iter().filter(|segment| !segment.docs.is_empty())
    }

    /// Those of `owners`, with the places of their buckets among these in the place of the buckets.
    pub(super) fn chosen(self, owners: &[u32]) -> impl Iterator<Item = WaitingSegment> {
        let most = owners.iter().max().map_or(0, |most| *most as usize + 1);
        let mut places = vec![NO_PLACE; most];
        for (place, owner) in owners.iter().enumerate() {
            places[*owner as usize] = place as u32;
        }
        let chosen_alone = self.chosen_alone;
        let segments = self.all().map(move |segment| {
            let WaitingSegment { view, docs, owners } = segment;
            let place = |owner: u32| places.get(owner as usize).copied().filter(|place| *place != NO_PLACE);
            let kept = docs.into_iter().zip(owners).filter_map(|(doc, owner)| Some((doc, place(owner)?)));
            let (docs, owners) = kept.unzip();
            WaitingSegment { view, docs, owners }
        });
        segments.filter(move |segment| !chosen_alone || !segment.docs.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::WAITING_MAX;
    use crate::search::tests::{search, shard};

    const MAPPING: &str = r#"{"properties":{"k":{"type":"keyword"},"g":{"type":"keyword"},"n":{"type":"integer"}}}"#;

    fn aggregations(groups: &[&[&str]], body: &str) -> String {
        let answer = search(&shard(MAPPING, groups), &format!(r#"{{"size":0,"aggs":{{{body}}}}}"#));
        answer.split_once(r#""aggregations""#).map_or(answer.clone(), |(_, found)| found.to_owned())
    }

    #[test]
    fn what_is_not_answered_is_not_refused() {
        let groups: [&[&str]; 2] = [&[r#"{"k":"a"}"#, r#"{"k":"b","n":3}"#], &[r#"{"k":"a"}"#, r#"{"k":"c","n":5}"#]];
        let sum = r#""aggs":{"s":{"sum":{"script":"doc['n'].value"}}}"#;
        let rare = aggregations(&groups, &format!(r#""r":{{"rare_terms":{{"field":"k"}},{sum}}}"#));
        let expected = r#"[{"key":"b","doc_count":1,"s":{"value":3.0}},{"key":"c","doc_count":1,"s":{"value":5.0}}]"#;
        assert!(rare.contains(expected), "{rare}");
        for (mode, told) in [("breadth_first", true), ("depth_first", false)] {
            let options = format!(r#""size":1,"shard_size":1,"order":{{"_key":"desc"}},"collect_mode":"{mode}""#);
            let found = aggregations(&groups, &format!(r#""t":{{"terms":{{"field":"k",{options}}},{sum}}}"#));
            assert_eq!(found.contains(r#"{"key":"c","doc_count":1,"s":{"value":5.0}}"#), told, "{found}");
        }
    }

    #[test]
    fn waiting_changes_no_answer() {
        let doc = |i: usize| format!(r#"{{"k":["k{}","k{}"],"g":"g{}","n":{i}}}"#, i % 7, i % 5, i % 3);
        for docs in [WAITING_MAX / 3, WAITING_MAX * 3] {
            let docs: Vec<String> = (0..docs).map(doc).collect();
            let docs: Vec<&str> = docs.iter().map(String::as_str).collect();
            let groups = [&docs[..docs.len() / 3], &docs[docs.len() / 3..]];
            let ask = |mode: &str| {
                let of = |field: &str, size: usize, inner: &str| {
                    let terms =
                        format!(r#"{{"field":"{field}","size":{size},"shard_size":{size},"collect_mode":"{mode}"}}"#);
                    format!(r#""{field}":{{"terms":{terms},"aggs":{{{inner}}}}}"#)
                };
                let sum = r#""s":{"sum":{"script":"doc['n'].value * 2"}},"t":{"top_hits":{"size":1,"_source":false}}"#;
                aggregations(&groups, &of("k", 4, &of("g", 2, sum)))
            };
            assert_eq!(ask("breadth_first"), ask("depth_first"));
        }
    }
}
