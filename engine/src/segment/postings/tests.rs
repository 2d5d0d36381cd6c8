//! Posting lists of all shapes against a plain vector.

use super::*;
use crate::segment::terms_writer::TermMeta;
use crate::segment::{NO_MORE_DOCS, WINDOW, WindowBits};

/// A document of a list with its positions (as many as its frequency).
type Model = Vec<(u32, Vec<u32>)>;

/// A generator that gives the same numbers in each run.
struct Noise(u64);

impl Noise {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(n)) as u32
    }
}

/// A list that takes each document of a range with a probability in 1000.
fn list(noise: &mut Noise, ranges: &[(std::ops::Range<u32>, u32)]) -> Model {
    let mut model = vec![];
    for (docs, per_mille) in ranges {
        for doc in docs.clone() {
            if noise.below(1_000) >= *per_mille {
                continue;
            }
            let most = if noise.below(50) == 0 { 40 } else { 3 };
            let freq = 1 + noise.below(most);
            let mut position = noise.below(20);
            let positions = (0..freq).map(|_| {
                position += noise.below(30);
                position
            });
            model.push((doc, positions.collect()));
        }
    }
    model
}

fn models() -> Vec<Model> {
    let mut noise = Noise(42);
    let windows = |n: u32| n * WINDOW..(n + 1) * WINDOW;
    let mut models = vec![
        vec![(7, vec![3])],
        vec![(0, vec![0, 0, 5]), (u32::MAX - 1, vec![1])],
        list(&mut noise, &[(0..400, 300)]),
        list(&mut noise, &[(0..128, 1_000)]),
        list(&mut noise, &[(0..129, 1_000)]),
        list(&mut noise, &[(100..10_000, 200)]),
        list(&mut noise, &[(windows(0), 3), (windows(1), 2), (windows(4), 10)]),
        list(&mut noise, &[(windows(0), 10), (windows(1), 300), (windows(2), 1), (windows(3), 1_000)]),
        list(&mut noise, &[(5..WINDOW, 900), (windows(1), 70), (windows(2), 40)]),
    ];
    for len in [2, 127, 128, 129, 256, 4_095, 4_096, 4_097] {
        models.push((0..len).map(|i| (i * 9, vec![i])).collect());
    }
    models
}

/// Writes all lists one behind the other, so that each but the first starts somewhere.
fn write(models: &[Model], freqs: bool, positions: bool) -> (PostingsSource, Vec<(u32, ListPlace)>) {
    let lengths = FieldLengths::new((0..1_000_000u32).map(|doc| (doc % 90) as u8).collect(), 30.0);
    let mut writer = PostingsWriter::new(freqs, positions, &lengths);
    let mut places = vec![];
    let (mut start, mut positions_start) = (0, 0);
    for model in models {
        for (doc, own) in model {
            writer.push(*doc, own.len() as u32, if positions { own } else { &[] });
        }
        let meta: TermMeta = writer.end_term();
        let occurrences: usize = model.iter().map(|(_, own)| own.len()).sum();
        assert_eq!(meta.doc_freq as usize, model.len());
        assert_eq!(meta.total_term_freq as usize, if freqs { occurrences } else { model.len() });
        let single = meta.doc_freq == 1;
        places.push((
            meta.doc_freq,
            ListPlace {
                start: if single { u64::from(meta.single) } else { start },
                positions: positions_start,
                single_freq: meta.total_term_freq as u32,
                best: meta.best,
                tenth: meta.tenth,
            },
        ));
        start += meta.postings_bytes;
        positions_start += meta.positions_bytes;
    }
    let (postings, positions_bytes) = writer.finish();
    let source = PostingsSource {
        lists: None,
        postings: postings.into(),
        positions: positions_bytes.into(),
        freqs,
        has_positions: positions,
        norms: true,
        bound_avg_len: 30.0,
    };
    (source, places)
}

fn for_all(mut check: impl FnMut(&Model, &dyn Fn(Want) -> Postings, bool, bool)) {
    let models = models();
    for (freqs, positions) in [(false, false), (true, false), (true, true)] {
        let (source, places) = write(&models, freqs, positions);
        for (model, (doc_freq, place)) in models.iter().zip(places) {
            check(model, &|want| Postings::open(&source, doc_freq, place, want), freqs, positions);
        }
    }
}

#[test]
fn walking_gives_documents_frequencies_and_positions() {
    for_all(|model, open, freqs, has_positions| {
        let (mut docs, mut with_freqs, mut full) = (open(Want::Docs), open(Want::Freqs), open(Want::Positions));
        let mut out = vec![];
        for (doc, positions) in model {
            assert_eq!([docs.doc(), with_freqs.doc(), full.doc()], [*doc; 3]);
            assert_eq!(docs.freq(), 1);
            let freq = if freqs { positions.len() as u32 } else { 1 };
            assert_eq!((with_freqs.freq(), full.freq()), (freq, freq));
            full.positions(&mut out);
            assert_eq!(out, if has_positions { &positions[..] } else { &[] });
            docs.next();
            with_freqs.next();
            full.next();
        }
        for cursor in [&mut docs, &mut with_freqs, &mut full] {
            assert_eq!((cursor.doc(), cursor.next(), cursor.advance(5)), (NO_MORE_DOCS, NO_MORE_DOCS, NO_MORE_DOCS));
            assert_eq!(cursor.block(), (&[][..], &[][..]));
        }
    });
}

#[test]
fn advancing_finds_the_first_document_not_before_the_target() {
    let mut noise = Noise(7);
    for_all(|model, open, freqs, has_positions| {
        for stride in [1, 40, 3_000, 100_000] {
            let mut cursor = open(Want::Positions);
            let (mut target, mut out) = (0u32, vec![]);
            loop {
                let at = model.partition_point(|(doc, _)| *doc < target);
                let expected = model.get(at).map_or(NO_MORE_DOCS, |(doc, _)| *doc);
                assert_eq!(cursor.advance(target), expected, "target {target}");
                let Some((doc, positions)) = model.get(at) else { break };
                if noise.below(3) == 0 {
                    assert_eq!(cursor.freq(), if freqs { positions.len() as u32 } else { 1 });
                    cursor.positions(&mut out);
                    assert_eq!(out, if has_positions { &positions[..] } else { &[] });
                }
                target = doc.saturating_add(1).saturating_add(noise.below(stride));
            }
        }
    });
}

#[test]
fn blocks_give_the_same_as_walking() {
    for_all(|model, open, freqs, _| {
        for want in [Want::Docs, Want::Freqs] {
            let mut cursor = open(want);
            let mut got = vec![];
            while cursor.doc() != NO_MORE_DOCS {
                if got.len() % 7 == 3 {
                    got.push((cursor.doc(), cursor.freq()));
                    cursor.next();
                    continue;
                }
                let first = cursor.doc();
                let (docs, freqs) = cursor.block();
                assert_eq!(docs[0], first);
                got.extend(docs.iter().enumerate().map(|(i, doc)| (*doc, freqs.get(i).copied().unwrap_or(1))));
                let last = got[got.len() - 1].0;
                assert!(cursor.skip_block() > last);
            }
            let freq = |positions: &[u32]| if freqs && want == Want::Freqs { positions.len() as u32 } else { 1 };
            let expected: Vec<(u32, u32)> = model.iter().map(|(doc, own)| (*doc, freq(own))).collect();
            assert_eq!(got, expected);
            // Skipping without looking.
            let mut cursor = open(want);
            let mut last = cursor.doc();
            while cursor.doc() != NO_MORE_DOCS {
                last = cursor.doc();
                assert!(cursor.skip_block() > last);
            }
            assert!(model.iter().any(|(doc, _)| *doc == last));
        }
    });
}

#[test]
fn windows_are_collected_and_intersected() {
    for_all(|model, open, _, _| {
        let last = model[model.len() - 1].0;
        for start in [0, 1, 70, WINDOW + 5_000] {
            for upto in [1_000, WINDOW - 1, WINDOW + 100, 3 * WINDOW, NO_MORE_DOCS] {
                for window in [0, 1, 2, 3, last / WINDOW] {
                    let mut cursor = open(Want::Docs);
                    cursor.advance(start);
                    let mut bits = WindowBits::new(window);
                    bits.insert(window * WINDOW + 2);
                    cursor.collect_into(upto, &mut bits);
                    let end = u64::from(upto).min(bits.end());
                    let inside = |doc: u32| doc >= start && doc / WINDOW == window && u64::from(doc) < end;
                    let mut expected: Vec<u32> = model.iter().map(|(doc, _)| *doc).filter(|doc| inside(*doc)).collect();
                    expected.push(window * WINDOW + 2);
                    expected.sort_unstable();
                    expected.dedup();
                    assert_eq!(bits.iter().collect::<Vec<_>>(), expected);
                    let after = |doc: u32| u64::from(doc) >= end.max(u64::from(start)).max(u64::from(bits.base()));
                    let next = model.iter().map(|(doc, _)| *doc).find(|doc| after(*doc));
                    let next = next.filter(|_| end > u64::from(bits.base())).or_else(|| {
                        model
                            .iter()
                            .map(|(doc, _)| *doc)
                            .find(|doc| *doc >= start.max(bits.base()))
                            .filter(|_| end <= u64::from(bits.base()))
                    });
                    assert_eq!(cursor.doc(), next.unwrap_or(NO_MORE_DOCS));
                }
            }
            for window in [0, 1, 3, last / WINDOW] {
                let mut cursor = open(Want::Docs);
                cursor.advance(start);
                let mut bits = WindowBits::new(window);
                (0..WINDOW / 3).for_each(|i| bits.insert(window * WINDOW + i * 3));
                let before = bits.clone();
                cursor.intersect_into(&mut bits);
                let docs = model.iter().map(|(doc, _)| *doc);
                let inside = docs.filter(|doc| *doc >= start && doc / WINDOW == window && before.contains(*doc));
                assert_eq!(bits.iter().collect::<Vec<_>>(), inside.collect::<Vec<_>>());
            }
        }
    });
}

#[test]
fn bounds_hold_for_every_document_they_cover() {
    let lengths = FieldLengths::new((0..1_000_000u32).map(|doc| (doc % 90) as u8).collect(), 30.0);
    for_all(|model, open, freqs, _| {
        let cursor = open(Want::Freqs);
        let score = |(doc, own): &(u32, Vec<u32>)| lengths.tf_norm(*doc, if freqs { own.len() as u32 } else { 1 });
        assert!(model.iter().all(|entry| score(entry) <= cursor.list_bound()));
        for nth in [11, 40, 300, 1_000] {
            let floor = cursor.nth_best(nth);
            assert!(floor == 0.0 || model.iter().filter(|entry| score(entry) > floor).count() >= nth, "{nth} {floor}");
        }
        let mut target = model[0].0;
        loop {
            let bound = cursor.bound(target);
            assert!(bound.last_doc >= target);
            let covered = model.iter().filter(|(doc, _)| (target..=bound.last_doc).contains(doc));
            assert!(covered.clone().all(|entry| score(entry) <= bound.max_tf_norm), "{target} {bound:?}");
            if bound.last_doc == NO_MORE_DOCS {
                break;
            }
            target = bound.last_doc + 1;
        }
    });
}

#[test]
fn groups_written_again_are_the_list() {
    let models = models();
    let lengths = FieldLengths::new((0..1_000_000u32).map(|doc| (doc % 90) as u8).collect(), 30.0);
    for (freqs, positions) in [(false, false), (true, false), (true, true)] {
        let (source, places) = write(&models, freqs, positions);
        let mut writer = PostingsWriter::new(freqs, positions, &lengths);
        let mut group = Group::default();
        for (model, (doc_freq, place)) in models.iter().zip(places) {
            let list = Postings::open(&source, doc_freq, place, Want::Docs);
            group.rewind();
            let mut docs = vec![];
            while list.next_group(positions, &mut group) {
                docs.extend_from_slice(&group.docs);
                writer.push_group(&group.docs, &group.freqs, &group.distances);
            }
            assert!(docs.iter().eq(model.iter().map(|(doc, _)| doc)));
            let meta = writer.end_term();
            assert_eq!((meta.doc_freq, meta.best, meta.tenth), (doc_freq, place.best, place.tenth));
        }
        assert_eq!(writer.finish(), (source.postings.to_vec(), source.positions.to_vec()));
    }
}
