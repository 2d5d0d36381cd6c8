//! Measurements over a corpus: what indexing, merging and reading of postings cost in processor time.
//!
//! ```text
//! PITH_CORPUS=packages.ndjson PITH_MAPPING=packages.json cargo run --release -p pith-engine --example corpus
//! ```
//!
//! The corpus holds one document per line; the mapping is the body that creates the index (without it mapping is dynamic).

use pith_engine::analysis::Registry;
use pith_engine::json::{Value, parse};
use pith_engine::mapping::{DocumentScratch, Mapping, MappingSettings, Parsed};
use pith_engine::pace::{Pace, block_on_ready};
use pith_engine::segment::*;
use pith_engine::writer::*;
use std::sync::Arc;

fn main() {
    let Ok(path) = std::env::var("PITH_CORPUS") else { return };
    let text = std::fs::read(path).expect("the corpus");
    let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    let segments = 4;
    let mut mapping = mapping();
    let mut views = vec![];
    let (mut parsing, mut adding, mut sealing, mut opening) = (0.0, 0.0, 0.0, 0.0);
    let (mut scratch, mut number) = (DocumentScratch::default(), 0);
    for lines in lines.chunks(lines.len().div_ceil(segments)) {
        let mut buffer = Buffer::new();
        for lines in lines.chunks(1_000) {
            let started = cpu_seconds();
            let mut docs = vec![];
            for line in lines {
                let (id, mut ops) = ((number + docs.len() as u64).to_string(), vec![]);
                while let Parsed::NeedsMapping(change) =
                    mapping.parse_document(line, &id, &mut scratch, &mut ops).unwrap()
                {
                    mapping = Arc::new(mapping.merge(&change).unwrap());
                }
                docs.push((id, line, ops));
            }
            parsing += cpu_seconds() - started;
            let started = cpu_seconds();
            for (id, line, ops) in docs {
                let (source, seq_no) = (Some(*line), number);
                let doc = IndexDocument { id: &id, routing: None, source, seq_no, version: 1, primary_term: 1, ops };
                buffer.add(&mapping, &doc).unwrap();
                number += 1;
            }
            adding += cpu_seconds() - started;
        }
        let started = cpu_seconds();
        let (bytes, _) = block_on_ready(seal(&buffer, "s", &Pace::never())).unwrap();
        sealing += cpu_seconds() - started;
        println!("buffer {} bytes, segment {} bytes", buffer.memory_bytes(), bytes.len());
        let started = cpu_seconds();
        views.push(SegmentView { segment: Segment::open("s", bytes.into()).unwrap(), live: None });
        opening += cpu_seconds() - started;
    }
    let mb = text.len() as f64 / 1e6;
    let all = parsing + adding + sealing;
    println!("parse {parsing:.2} s, add {adding:.2} s, seal {sealing:.2} s, open {opening:.3} s");
    println!("add and seal {:.1} MB/s", mb / (adding + sealing));
    println!("all three {:.1} MB/s, {:.0} documents/s", mb / all, number as f64 / all);
    let started = cpu_seconds();
    let (bytes, _) = block_on_ready(merge("m", &views, &Pace::never())).unwrap();
    let merging = cpu_seconds() - started;
    println!(
        "merge {merging:.2} s, {} bytes, {:.3} of the source",
        bytes.len(),
        bytes.len() as f64 / text.len() as f64
    );
    let segment = Segment::open("m", bytes.into()).unwrap();
    query_speed(&segment);
}

/// Seconds that this thread had a core: others may want it too.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    let nanos: u64 = stat.split(' ').next().and_then(|text| text.parse().ok()).expect("nanoseconds come first");
    nanos as f64 / 1e9
}

fn mapping() -> Arc<Mapping> {
    let (registry, settings) = (Registry::built_in(), MappingSettings::default());
    let Ok(path) = std::env::var("PITH_MAPPING") else { return Arc::new(Mapping::empty(&registry, &settings)) };
    let body = parse(&std::fs::read(path).expect("the mapping")).unwrap();
    Arc::new(Mapping::parse(body.get("mappings").unwrap_or(&Value::Null), &registry, &settings).unwrap())
}

fn query_speed(segment: &Segment) {
    let name = if segment.field("description").is_some() { "description" } else { "text" };
    let terms = segment.field(name).unwrap().terms().unwrap();
    let mut by_freq = vec![];
    let mut iter = terms.iter();
    while let Some((term, info)) = iter.next() {
        by_freq.push((info.doc_freq, term.to_vec(), info));
    }
    by_freq.sort_by_key(|(df, ..)| std::cmp::Reverse(*df));
    let time = |what: &str, docs: u64, f: &mut dyn FnMut() -> u64| {
        let rounds = (20_000_000 / docs.max(1)).clamp(3, 500_000);
        let mut sum = 0u64;
        let started = cpu_seconds();
        (0..rounds).for_each(|_| sum = sum.wrapping_add(f()));
        let each = (cpu_seconds() - started) * 1e9 / rounds as f64;
        println!("  {what}: {:.2} us, {:.2} ns/doc ({sum})", each / 1e3, each / docs as f64);
    };
    let at = |df: u32| by_freq.iter().find(|(n, ..)| *n <= df).unwrap();
    for df in [u32::MAX, segment.max_doc() / 10, segment.max_doc() / 30, 1_000, 100, 1] {
        let (df, term, info) = at(df);
        println!("{} df {df}", String::from_utf8_lossy(term));
        time("get", 1, &mut || terms.get(term).unwrap().total_term_freq);
        time("open", 1, &mut || u64::from(terms.postings(*info, Want::Freqs).doc()));
        let docs = u64::from(*df);
        time("next", docs, &mut || {
            let mut list = terms.postings(*info, Want::Docs);
            let mut sum = 0;
            while list.doc() != NO_MORE_DOCS {
                sum += u64::from(list.doc());
                list.next();
            }
            sum
        });
        time("next+freq", docs, &mut || {
            let mut list = terms.postings(*info, Want::Freqs);
            let mut sum = 0;
            while list.doc() != NO_MORE_DOCS {
                sum += u64::from(list.freq());
                list.next();
            }
            sum
        });
        time("block", docs, &mut || {
            let mut list = terms.postings(*info, Want::Freqs);
            let mut sum = 0;
            while list.doc() != NO_MORE_DOCS {
                let (docs, freqs) = list.block();
                sum +=
                    docs.iter().map(|d| u64::from(*d)).sum::<u64>() + freqs.iter().map(|d| u64::from(*d)).sum::<u64>();
                list.skip_block();
            }
            sum
        });
        time("collect", docs, &mut || {
            let mut list = terms.postings(*info, Want::Docs);
            let mut bits = WindowBits::new(0);
            let mut sum = 0;
            while list.doc() != NO_MORE_DOCS {
                bits.reset(list.doc() / WINDOW);
                list.collect_into(NO_MORE_DOCS, &mut bits);
                sum += u64::from(bits.count());
            }
            sum
        });
        let mut out = vec![];
        time("positions", docs, &mut || {
            let mut list = terms.postings(*info, Want::Positions);
            let mut sum = 0;
            while list.doc() != NO_MORE_DOCS {
                list.positions(&mut out);
                sum += out.len() as u64;
                list.next();
            }
            sum
        });
        let (_, _, other) = at(segment.max_doc() / 12);
        time("and", docs, &mut || {
            let (mut a, mut b) = (terms.postings(*info, Want::Docs), terms.postings(*other, Want::Docs));
            let (mut sum, mut target) = (0, 0);
            loop {
                let doc = a.advance(target);
                if doc == NO_MORE_DOCS {
                    return sum;
                }
                target = b.advance(doc);
                if target == doc {
                    sum += 1;
                    target += 1;
                }
                if target == NO_MORE_DOCS {
                    return sum;
                }
            }
        });
        time("bounds", docs, &mut || {
            let list = terms.postings(*info, Want::Freqs);
            let (mut sum, mut target) = (0, list.doc());
            loop {
                let bound = list.bound(target);
                if bound.last_doc == NO_MORE_DOCS {
                    return sum;
                }
                target = bound.last_doc + 1;
                sum += 1;
            }
        });
    }
}
