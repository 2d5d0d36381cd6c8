//! Buffers, segments and merges against a plain model of the documents.

use super::*;
use crate::analysis::Registry;
use crate::mapping::{DocValues, FieldId, IndexSpec, Indexed};
use crate::pace::{Pace, block_on_ready};
use crate::segment::*;
use bytes::Bytes;
use proptest::prelude::*;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::{Bound, Range};
use std::sync::Arc;

/// Positions between two values in these tests.
const GAP: u32 = 100;

const TEXT: FieldId = FieldId(0);
const KEYWORD: FieldId = FieldId(1);
const NUMBER: FieldId = FieldId(2);
const FLAG: FieldId = FieldId(3);
const BYTES: FieldId = FieldId(4);
const DOCS_ONLY: FieldId = FieldId(5);

/// Fields by number: name and what is kept.
fn fields() -> Vec<(Arc<str>, IndexSpec)> {
    let spec = |indexed, doc_values, norms, analyzer| IndexSpec {
        indexed,
        doc_values,
        norms,
        stored: false,
        analyzer,
        count_overlaps: false,
        position_increment_gap: GAP,
    };
    let standard = Some(Registry::built_in().default_analyzer());
    let terms = |freqs, positions| Indexed::Terms { freqs, positions, offsets: false };
    vec![
        ("text".into(), spec(terms(true, true), DocValues::None, true, standard.clone())),
        ("keyword".into(), spec(terms(false, false), DocValues::Ordinals, false, None)),
        ("a.number".into(), spec(Indexed::Points, DocValues::Numeric, false, None)),
        ("flag".into(), spec(terms(false, false), DocValues::None, false, None)),
        ("bytes".into(), spec(Indexed::No, DocValues::Ordinals, false, None)),
        ("docs_only".into(), spec(terms(false, false), DocValues::None, true, standard)),
    ]
}

#[derive(Clone, Debug, PartialEq)]
struct Doc {
    id: String,
    routing: Option<String>,
    /// Values of the text fields: numbers of words.
    text: Vec<Vec<u8>>,
    keywords: Vec<String>,
    numbers: Vec<i64>,
    flag: bool,
    bytes: Vec<String>,
    deleted: bool,
}

fn word(n: u8) -> String {
    format!("w{n}")
}

fn docs(most: usize) -> impl Strategy<Value = Vec<Doc>> {
    let words = || proptest::collection::vec(proptest::collection::vec(0u8..12, 0..6), 0..3);
    let names = || proptest::collection::vec("[a-d]{0,2}", 0..3);
    let numbers = proptest::collection::vec(prop_oneof![-3i64..3, any::<i64>()], 0..3);
    let doc = (0u32..40, any::<Option<u8>>(), words(), names(), numbers, any::<bool>(), names(), 0u8..4).prop_map(
        |(id, routing, text, keywords, numbers, flag, bytes, deleted)| Doc {
            id: format!("id{id}"),
            routing: routing.map(|n| n.to_string()),
            text,
            keywords,
            numbers,
            flag,
            bytes,
            deleted: deleted == 0,
        },
    );
    proptest::collection::vec(doc, 0..most)
}

fn add(buffer: &mut Buffer, fields: &[(Arc<str>, IndexSpec)], doc: &Doc, seq_no: u64) -> u32 {
    let texts: Vec<String> =
        doc.text.iter().map(|value| value.iter().map(|n| word(*n)).collect::<Vec<_>>().join(" ")).collect();
    let mut ops = vec![];
    for text in &texts {
        ops.push(FieldOp::Text { field: TEXT, value: Cow::Borrowed(text) });
        ops.push(FieldOp::Text { field: DOCS_ONLY, value: Cow::Borrowed(text) });
        ops.push(FieldOp::Stored { field: TEXT, value: StoredValue::String(text.clone()) });
    }
    for keyword in &doc.keywords {
        ops.push(FieldOp::Term { field: KEYWORD, value: keyword.as_bytes().into() });
        ops.push(FieldOp::Ordinal { field: KEYWORD, value: keyword.as_bytes().into() });
    }
    for number in &doc.numbers {
        ops.push(FieldOp::Point { field: NUMBER, value: *number });
        ops.push(FieldOp::Number { field: NUMBER, value: *number });
    }
    if doc.flag {
        ops.push(FieldOp::Term { field: FLAG, value: Cow::Borrowed(b"T") });
        ops.push(FieldOp::Exists { field: FLAG });
    }
    ops.extend(doc.bytes.iter().map(|value| FieldOp::Ordinal { field: BYTES, value: value.as_bytes().into() }));
    let source = source_of(doc);
    let doc = IndexDocument {
        id: &doc.id,
        routing: doc.routing.as_deref(),
        source: Some(&source),
        seq_no,
        version: seq_no * 2,
        primary_term: 3,
        ops,
    };
    buffer.add_with(&|id| (&fields[id.0 as usize].0, &fields[id.0 as usize].1), &doc).unwrap()
}

fn source_of(doc: &Doc) -> Vec<u8> {
    format!("{{\"doc\":{doc:?}}}").into_bytes()
}

/// A segment of these documents, of which the first has number `seq_no`.
fn segment(docs: &[Doc], seq_no: u64) -> SegmentView {
    let fields = fields();
    let mut buffer = Buffer::new();
    for (i, doc) in docs.iter().enumerate() {
        let number = add(&mut buffer, &fields, doc, seq_no + i as u64);
        assert_eq!(number, i as u32);
        assert_eq!(buffer.stored(number).unwrap().source.unwrap(), source_of(doc));
        if doc.deleted {
            buffer.delete(number);
        }
    }
    let (bytes, live) = block_on_ready(seal(&buffer, "s0", &Pace::never())).unwrap();
    SegmentView { segment: Segment::open("s0", bytes.into()).unwrap(), live: live.map(Arc::new) }
}

fn collect(mut it: DocIterator) -> Vec<u32> {
    let mut out = vec![];
    while it.doc() != NO_MORE_DOCS {
        out.push(it.doc());
        it.next();
    }
    out
}

/// Documents of a model for which `f` holds.
fn docs_where(model: &[(u64, &Doc)], f: impl Fn(&Doc) -> bool) -> Vec<u32> {
    (0u32..).zip(model).filter(|(_, (_, doc))| f(doc)).map(|(i, _)| i).collect()
}

/// The segment of a file that is read part by part.
fn open_partly(file: &Bytes) -> crate::Result<Arc<Segment>> {
    let (cache, read) = (PartCache::new(1 << 20), async |range| Ok(part(file, range)));
    block_on_ready(Segment::open_partly("s0", file.len() as u64, &cache, read, &Pace::never()))
}

fn part(file: &Bytes, range: Range<u64>) -> Bytes {
    file.slice(range.start as usize..range.end as usize)
}

/// Asks for everything, and reads what is not there until everything is.
fn read_all(segment: &Segment, file: &Bytes) -> crate::Result<()> {
    loop {
        let before = misses();
        for doc in 0..segment.max_doc() {
            segment.id(doc);
            segment.stored(doc)?;
        }
        for terms in segment.fields().filter_map(SegmentField::terms) {
            let mut iter = terms.iter();
            while let Some((_, info)) = iter.next() {
                terms.postings(info, Want::Positions);
            }
        }
        if misses() == before {
            return Ok(());
        }
        block_on_ready(segment.read_missed(async |range| Ok(part(file, range)), &Pace::never()))?;
    }
}

/// Compares every reader with the model: documents with their sequence numbers.
fn check(segment: &Segment, model: &[(u64, &Doc)]) {
    assert_eq!(segment.max_doc() as usize, model.len());
    for (doc, (seq_no, expected)) in (0u32..).zip(model) {
        assert_eq!(segment.id(doc), expected.id);
        assert_eq!((segment.seq_no(doc), segment.version(doc), segment.primary_term(doc)), (*seq_no, seq_no * 2, 3));
        let stored = segment.stored(doc).unwrap();
        assert_eq!(stored.source.unwrap(), source_of(expected));
        assert_eq!(stored.routing, expected.routing);
        assert_eq!(stored.fields.len(), expected.text.len());
        let newest = model.iter().rposition(|(_, other)| other.id == expected.id).map(|i| i as u32);
        assert_eq!(segment.doc_of_id(&expected.id), newest);
    }
    assert_eq!(segment.doc_of_id("absent"), None);
    check_text(segment, model);
    check_ordinals(segment, "keyword", model, |doc| &doc.keywords);
    check_ordinals(segment, "bytes", model, |doc| &doc.bytes);
    check_numbers(segment, model);
    check_terms(segment, "keyword", model, |doc| doc.keywords.clone());
    check_terms(segment, "flag", model, |doc| if doc.flag { vec!["T".into()] } else { vec![] });
    check_terms(segment, "docs_only", model, |doc| doc.text.iter().flatten().map(|n| word(*n)).collect());
    if let Some(flag) = segment.field("flag") {
        assert_eq!(collect(flag.exists()), docs_where(model, |doc| doc.flag));
    }
}

/// Positions of each term of a document.
fn positions_of(doc: &Doc) -> BTreeMap<String, Vec<u32>> {
    let (mut positions, mut base) = (BTreeMap::<String, Vec<u32>>::new(), 0);
    for (i, value) in doc.text.iter().enumerate() {
        base += if i > 0 { GAP } else { 0 };
        for n in value {
            positions.entry(word(*n)).or_default().push(base);
            base += 1;
        }
    }
    positions
}

fn check_text(segment: &Segment, model: &[(u64, &Doc)]) {
    let mut expected: BTreeMap<String, Vec<(u32, Vec<u32>)>> = BTreeMap::new();
    for (number, (_, doc)) in (0u32..).zip(model) {
        for (term, positions) in positions_of(doc) {
            expected.entry(term).or_default().push((number, positions));
        }
    }
    let Some(field) = segment.field("text") else { return assert!(expected.is_empty()) };
    let tokens = |doc: &Doc| doc.text.iter().map(Vec::len).sum::<usize>();
    let stats = FieldStats {
        doc_count: docs_where(model, |doc| tokens(doc) > 0).len() as u32,
        sum_doc_freq: expected.values().map(|list| list.len() as u64).sum(),
        sum_total_term_freq: model.iter().map(|(_, doc)| tokens(doc) as u64).sum(),
    };
    assert_eq!(field.stats(), stats);
    assert_eq!(collect(field.exists()), docs_where(model, |doc| !doc.text.is_empty()));
    if let Some(norms) = field.norms() {
        for (number, (_, doc)) in (0u32..).zip(model) {
            assert_eq!(norms.get(number), encode_length(tokens(doc) as u32));
        }
    }
    let terms = field.terms().unwrap();
    let mut iter = terms.iter();
    let mut out = vec![];
    for (term, list) in &expected {
        let (found, info) = iter.next().unwrap();
        assert_eq!(found, term.as_bytes());
        assert_eq!(terms.get(found), Some(info));
        assert_eq!(info.total_term_freq as usize, list.iter().map(|(_, positions)| positions.len()).sum::<usize>());
        let mut cursor = terms.postings(info, Want::Positions);
        for (doc, positions) in list {
            assert_eq!((cursor.doc(), cursor.freq() as usize), (*doc, positions.len()));
            cursor.positions(&mut out);
            assert_eq!(out, *positions);
            cursor.next();
        }
        assert_eq!(cursor.doc(), NO_MORE_DOCS);
    }
    assert!(iter.next().is_none());
}

fn check_terms(segment: &Segment, name: &str, model: &[(u64, &Doc)], terms_of: impl Fn(&Doc) -> Vec<String>) {
    let mut expected: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (number, (_, doc)) in (0u32..).zip(model) {
        for term in terms_of(doc) {
            let list = expected.entry(term).or_default();
            if list.last() != Some(&number) {
                list.push(number);
            }
        }
    }
    let Some(field) = segment.field(name) else { return assert!(expected.is_empty()) };
    let terms = field.terms().unwrap();
    assert_eq!(terms.len(), expected.len() as u64);
    for (term, docs) in &expected {
        let info = terms.get(term.as_bytes()).unwrap();
        assert_eq!((info.doc_freq as usize, info.total_term_freq as usize), (docs.len(), docs.len()));
        let mut cursor = terms.postings(info, Want::Freqs);
        for doc in docs {
            assert_eq!((cursor.doc(), cursor.freq()), (*doc, 1));
            cursor.next();
        }
    }
    assert_eq!(field.stats().doc_count as usize, docs_where(model, |doc| !terms_of(doc).is_empty()).len());
}

fn check_ordinals(segment: &Segment, name: &str, model: &[(u64, &Doc)], values: impl Fn(&Doc) -> &Vec<String>) {
    let mut dictionary: Vec<&String> = model.iter().flat_map(|(_, doc)| values(doc)).collect();
    dictionary.sort();
    dictionary.dedup();
    let Some(column) = segment.field(name).and_then(SegmentField::ordinals) else {
        return assert!(dictionary.is_empty());
    };
    assert_eq!(column.num_ords() as usize, dictionary.len());
    for (ord, term) in (0u32..).zip(&dictionary) {
        assert_eq!((&*column.term(ord), column.ord_of(term.as_bytes())), (term.as_bytes(), Ok(ord)));
        assert_eq!(column.ord_of(&[term.as_bytes(), &[0]].concat()), Err(ord + 1));
    }
    let mut ords = vec![];
    for (number, (_, doc)) in (0u32..).zip(model) {
        column.ords(number, &mut ords);
        let mut expected: Vec<u32> =
            values(doc).iter().map(|value| dictionary.binary_search(&value).unwrap() as u32).collect();
        expected.sort_unstable();
        expected.dedup();
        assert_eq!(ords, expected);
        assert_eq!(column.first(number), expected.first().copied());
    }
    assert_eq!(collect(segment.field(name).unwrap().exists()), docs_where(model, |doc| !values(doc).is_empty()));
    let mut iter = column.terms();
    for term in dictionary {
        assert_eq!(iter.next().unwrap().0, term.as_bytes());
    }
    assert!(iter.next().is_none());
}

fn check_numbers(segment: &Segment, model: &[(u64, &Doc)]) {
    let Some(field) = segment.field("a.number") else {
        return assert!(docs_where(model, |doc| !doc.numbers.is_empty()).is_empty());
    };
    let (column, points) = (field.numeric().unwrap(), field.points().unwrap());
    let mut values = vec![];
    for (number, (_, doc)) in (0u32..).zip(model) {
        column.values(number, &mut values);
        let mut expected = doc.numbers.clone();
        expected.sort_unstable();
        assert_eq!(values, expected);
    }
    for (lo, hi) in [(-1, 1), (0, 0), (i64::MIN, 0), (1, i64::MAX), (i64::MIN, i64::MAX), (2, 1)] {
        let within = |doc: &Doc| doc.numbers.iter().any(|number| lo <= *number && *number <= hi);
        assert_eq!(collect(points.range(lo, hi)), docs_where(model, within));
    }
}

fn model(docs: &[Doc], seq_no: u64) -> Vec<(u64, &Doc)> {
    (seq_no..).zip(docs).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_sealed_buffer_reads_like_its_documents(docs in docs(40)) {
        let view = segment(&docs, 10);
        check(&view.segment, &model(&docs, 10));
        for (number, doc) in (0u32..).zip(&docs) {
            prop_assert_eq!(view.is_live(number), !doc.deleted);
        }
    }

    #[test]
    fn a_segment_read_part_by_part_reads_like_its_documents(docs in docs(40)) {
        prop_assume!(!docs.is_empty());
        let file = segment(&docs, 10).segment.bytes().clone();
        let partly = open_partly(&file).unwrap();
        read_all(&partly, &file).unwrap();
        let before = misses();
        check(&partly, &model(&docs, 10));
        prop_assert_eq!(misses(), before);
    }

    #[test]
    fn a_merged_segment_reads_like_the_live_documents(a in docs(30), b in docs(30), c in docs(5)) {
        let sources = [segment(&a, 0), segment(&b, 1_000), segment(&c, 5_000)];
        let (bytes, map) = block_on_ready(merge("s1", &sources, &Pace::never())).unwrap();
        let merged = Segment::open("s1", bytes.into()).unwrap();
        let all = [model(&a, 0), model(&b, 1_000), model(&c, 5_000)];
        let live: Vec<(u64, &Doc)> = all.iter().flatten().copied().filter(|(_, doc)| !doc.deleted).collect();
        check(&merged, &live);
        let mut next = 0;
        for (source, docs) in all.iter().enumerate() {
            for (number, (_, doc)) in (0u32..).zip(docs) {
                let expected = (!doc.deleted).then_some(next);
                prop_assert_eq!(map.get(source, number), expected);
                next += u32::from(!doc.deleted);
            }
        }
        prop_assert_eq!(map.max_doc(), next);
        // What is merged can be merged again.
        let again = SegmentView { segment: merged, live: None };
        let (bytes, _) = block_on_ready(merge("s2", &[again], &Pace::never())).unwrap();
        check(&Segment::open("s2", bytes.into()).unwrap(), &live);
    }
}

fn simple(id: &str, text: &str) -> Doc {
    Doc {
        id: id.into(),
        routing: None,
        text: vec![text.bytes().collect()],
        keywords: vec![text.into()],
        numbers: vec![text.len() as i64],
        flag: false,
        bytes: vec![],
        deleted: false,
    }
}

#[test]
fn what_was_not_read_looks_absent_and_is_noted() {
    let file = segment(&[simple("a", "one"), simple("b", "two")], 0).segment.bytes().clone();
    let partly = open_partly(&file).unwrap();
    let before = misses();
    assert_eq!((partly.seq_no(1), partly.version(1), partly.max_doc()), (1, 2, 2));
    assert!(partly.field("no such field").is_none());
    assert_eq!(misses(), before, "what the segment does not have is not missing");
    assert!(partly.field("text").is_none() && partly.id(0).is_empty() && partly.doc_of_id("a").is_none());
    assert_eq!(partly.stored(1).unwrap(), StoredDoc::default());
    assert_eq!(misses(), before + 4);
    let read = async |range| Ok(part(&file, range));
    block_on_ready(partly.read_missed(&read, &Pace::never())).unwrap();
    assert!(partly.field("text").is_some_and(|field| field.terms().is_some()) && partly.doc_of_id("a") == Some(0));
    assert!(partly.stored(1).unwrap().source.is_some());
    assert_eq!(misses(), before + 4);
    assert!(partly.field("keyword").is_none(), "nobody has asked for it");
    assert!(partly.renewed(true).is_none(), "all that is there was asked for");
    let renewed = partly.renewed(true).unwrap();
    assert!(renewed.field("text").is_none() && renewed.doc_of_id("a") == Some(0), "nobody has asked for it since");
    assert!(
        partly.field("text").is_some() && partly.renewed(false).is_some(),
        "whoever has the old one still has all of it"
    );
}

#[test]
fn lists_that_were_not_read_are_stood_in_for() {
    let docs: Vec<Doc> = (0..300).map(|n| simple(&n.to_string(), if n % 2 == 0 { "a b" } else { "b b" })).collect();
    let file = segment(&docs, 0).segment.bytes().clone();
    let partly = open_partly(&file).unwrap();
    partly.field("text");
    let read = async |range| Ok(part(&file, range));
    block_on_ready(partly.read_missed(&read, &Pace::never())).unwrap();
    let terms = partly.field("text").unwrap().terms().unwrap().clone();
    let mut iter = terms.iter();
    let info = std::iter::from_fn(|| iter.next().map(|(_, info)| info)).max_by_key(|info| info.doc_freq).unwrap();
    let before = misses();
    let mut stands_in = terms.postings(info, Want::Positions);
    assert_eq!((misses(), stands_in.doc(), info.doc_freq), (before + 2, 0, 300));
    let mut positions = vec![];
    stands_in.positions(&mut positions);
    assert_eq!((positions, stands_in.next()), (vec![0], NO_MORE_DOCS));
    let held = block_on_ready(partly.read_missed(&read, &Pace::never())).unwrap();
    assert_eq!(held.len(), 2);
    let mut list = terms.postings(info, Want::Positions);
    let mut count = 1;
    while list.next() != NO_MORE_DOCS {
        count += 1;
    }
    assert_eq!((misses(), count), (before + 2, 300));
}

#[test]
fn damage_of_parts_is_noticed_when_they_are_read() {
    let docs = [simple("a", "one"), simple("b", "two")];
    let good = segment(&docs, 0).segment;
    let stored = good.section_bytes().find(|(kind, _)| *kind == "stored").map_or(0, |(_, bytes)| bytes);
    let mut unnoticed = 0;
    for at in 0..good.bytes().len() {
        let mut bad = good.bytes().to_vec();
        bad[at] ^= 0x10;
        let bad = Bytes::from(bad);
        let read = open_partly(&bad).and_then(|partly| read_all(&partly, &bad));
        unnoticed += u64::from(read.is_ok());
    }
    // Blocks of stored fields have no checksum of their own.
    assert!(unnoticed < stored, "{unnoticed} of {stored}");
}

#[test]
fn many_documents_over_several_windows() {
    let docs: Vec<Doc> = (0..150_000u32)
        .map(|i| Doc {
            id: i.to_string(),
            text: vec![(0..3).map(|j| (i >> j) as u8 % 7 * u8::from(i % 5 != j)).collect()],
            numbers: vec![i64::from(i % 1_000) * 1_000],
            keywords: vec![(i % 100).to_string()],
            flag: i < 70_000,
            deleted: i % 100 == 17,
            ..simple("", "")
        })
        .collect();
    let view = segment(&docs, 0);
    let text = view.segment.field("text").unwrap().terms().unwrap();
    assert_eq!(text.range(Bound::Unbounded, Bound::Unbounded).next().unwrap().0, b"w0");
    let sources = [view.clone(), segment(&docs[..10], 200_000)];
    let (bytes, _) = block_on_ready(merge("m", &sources, &Pace::never())).unwrap();
    let merged = Segment::open("m", bytes.into()).unwrap();
    let live = || docs.iter().chain(&docs[..10]).filter(|doc| !doc.deleted);
    assert_eq!(merged.max_doc() as usize, live().count());
    for (segment, docs) in [(&view.segment, docs.iter().collect::<Vec<_>>()), (&merged, live().collect())] {
        let field = segment.field("text").unwrap();
        let terms = field.terms().unwrap();
        for n in 0..7 {
            let mut cursor = terms.postings(terms.get(word(n).as_bytes()).unwrap(), Want::Positions);
            let mut out = vec![];
            for (number, doc) in (0u32..).zip(&docs) {
                let expected: Vec<u32> = (0..3u32).filter(|i| doc.text[0][*i as usize] == n).collect();
                if expected.is_empty() {
                    continue;
                }
                assert_eq!((cursor.doc(), cursor.freq() as usize), (number, expected.len()));
                cursor.positions(&mut out);
                assert_eq!(out, expected);
                cursor.next();
            }
            assert_eq!(cursor.doc(), NO_MORE_DOCS);
        }
        let points = segment.field("a.number").unwrap().points().unwrap();
        let expected = docs.iter().filter(|doc| doc.numbers[0] <= 5_000).count();
        assert_eq!(points.count(0, 5_000) as usize, expected);
        assert_eq!(collect(points.range(0, 5_000)).len(), expected);
        assert_eq!(collect(segment.field("flag").unwrap().exists()).len(), docs.iter().filter(|doc| doc.flag).count());
    }
}

#[test]
fn a_document_that_fails_half_way_is_deleted_and_not_found() {
    let fields = fields();
    let mut buffer = Buffer::new();
    add(&mut buffer, &fields, &simple("a", "x"), 0);
    let long = "x".repeat(40_000);
    let ops = vec![
        FieldOp::Number { field: NUMBER, value: 1 },
        FieldOp::Term { field: KEYWORD, value: long.as_bytes().into() },
        FieldOp::Point { field: NUMBER, value: 1 },
    ];
    let doc =
        IndexDocument { id: "a", routing: None, source: Some(b"{}"), seq_no: 1, version: 1, primary_term: 1, ops };
    let error = buffer.add_with(&|id| (&fields[id.0 as usize].0, &fields[id.0 as usize].1), &doc).unwrap_err();
    assert!(error.reason().starts_with("Document contains at least one immense term in field=\"keyword\""));
    assert!(error.reason().contains("is: '[120, 120, ") && error.reason().ends_with("in length; got 40000"));
    let (bytes, live) = block_on_ready(seal(&buffer, "s", &Pace::never())).unwrap();
    let segment = Segment::open("s", bytes.into()).unwrap();
    let live = live.unwrap();
    assert_eq!((segment.max_doc(), live.live_count(), live.is_live(0)), (2, 1, true));
    assert_eq!(segment.doc_of_id("a"), Some(0));
}

#[test]
fn sealing_and_merging_hand_the_core_back() {
    use std::sync::atomic::{AtomicU32, Ordering};
    static ASKED: AtomicU32 = AtomicU32::new(0);
    let pace = Pace::new(|| {
        ASKED.fetch_add(1, Ordering::Relaxed);
        true
    });
    let fields = fields();
    let mut buffer = Buffer::new();
    for i in 0..2_000 {
        add(&mut buffer, &fields, &simple(&i.to_string(), "abc"), i);
    }
    let (bytes, _) = block_on_ready(seal(&buffer, "s", &pace)).unwrap();
    let sealing = ASKED.swap(0, Ordering::Relaxed);
    assert!(sealing > 10, "{sealing}");
    let view = SegmentView { segment: Segment::open("s", bytes.into()).unwrap(), live: None };
    block_on_ready(merge("m", &[view.clone(), view], &pace)).unwrap();
    assert!(ASKED.load(Ordering::Relaxed) > 20);
}

#[test]
fn an_empty_buffer_is_an_empty_segment() {
    let (bytes, live) = block_on_ready(seal(&Buffer::new(), "s", &Pace::never())).unwrap();
    let segment = Segment::open("s", bytes.into()).unwrap();
    assert_eq!((segment.max_doc(), live.is_none(), segment.doc_of_id("a")), (0, true, None));
}
