//! Every way through a scorer against an evaluation that looks at each document by itself.

use super::*;
use crate::search::ShardContext;
use crate::search::tests::shard;
use crate::segment::WINDOW;
use proptest::prelude::*;
use std::sync::Arc;

const WORDS: &[&str] = &["a", "b", "c", "d", "e"];

fn index(docs: &[Vec<usize>], per_segment: usize) -> ShardContext {
    let texts: Vec<String> = docs
        .iter()
        .map(|doc| {
            let words: Vec<&str> = doc.iter().map(|w| WORDS[*w]).collect();
            format!("{{\"t\":\"{}\"}}", words.join(" "))
        })
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let segments: Vec<&[&str]> = texts.chunks(per_segment.max(1)).collect();
    shard(r#"{"properties":{"t":{"type":"text"}}}"#, &segments)
}

fn plan() -> impl Strategy<Value = Plan> {
    let word = 0..WORDS.len();
    let term = word.clone().prop_map(|w| Plan::term(&Arc::from("t"), WORDS[w].as_bytes()));
    let phrase = (word.clone(), word, 0u32..3).prop_map(|(a, b, slop)| Plan::Phrase {
        field: "t".into(),
        positions: Arc::new([
            PhrasePosition { position: 0, terms: vec![WORDS[a].into()], completed: false, alternatives: false },
            PhrasePosition { position: 1, terms: vec![WORDS[b].into()], completed: false, alternatives: false },
        ]),
        slop,
    });
    let leaf = prop_oneof![4 => term, 1 => phrase, 1 => Just(Plan::All)];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let some = |max| prop::collection::vec(inner.clone(), 0..max);
        let bool_plan =
            (some(3), some(2), some(4), some(2), 0usize..3).prop_map(|(must, filter, should, must_not, minimum)| {
                let minimum_should_match = minimum.min(should.len());
                Plan::Bool(BoolPlan { must, filter, should, must_not, minimum_should_match, ..BoolPlan::default() })
            });
        prop_oneof![
            4 => bool_plan,
            1 => (some(3), 0f32..1.0).prop_map(|(plans, tie_breaker)| Plan::DisMax { plans, tie_breaker }),
            1 => inner.clone().prop_map(Plan::constant),
            1 => (inner, 1f32..3.0).prop_map(|(plan, boost)| plan.boosted(boost)),
        ]
    })
}

/// Whether a document matches, by the meaning of the plan alone.
fn matches(plan: &Plan, doc: &[usize]) -> bool {
    let word = |term: &[u8]| WORDS.iter().position(|w| w.as_bytes() == term);
    match plan {
        Plan::All => true,
        Plan::Term { term, .. } => doc.iter().any(|w| Some(*w) == word(term)),
        Plan::Phrase { positions, slop: 0, .. } => {
            let (a, b) = (word(&positions[0].terms[0]), word(&positions[1].terms[0]));
            doc.windows(2).any(|pair| Some(pair[0]) == a && Some(pair[1]) == b)
        }
        Plan::Phrase { positions, slop, .. } => {
            let (a, b) = (word(&positions[0].terms[0]), word(&positions[1].terms[0]));
            (0..doc.len()).any(|i| {
                (0..doc.len()).any(|j| {
                    let distance = (j as i64 - 1 - i as i64).unsigned_abs();
                    i != j && Some(doc[i]) == a && Some(doc[j]) == b && distance <= u64::from(*slop)
                })
            })
        }
        Plan::Bool(plan) => {
            let should = plan.should.iter().filter(|p| matches(p, doc)).count();
            let required = !plan.must.is_empty() || !plan.filter.is_empty();
            let minimum = plan.minimum_should_match.max(usize::from(!required));
            plan.must.iter().chain(&plan.filter).all(|p| matches(p, doc))
                && !plan.must_not.iter().any(|p| matches(p, doc))
                && should >= minimum
                && (required || !plan.should.is_empty())
        }
        Plan::DisMax { plans, .. } => plans.iter().any(|p| matches(p, doc)),
        Plan::Constant(inner) | Plan::Boost(inner, _) => matches(inner, doc),
        _ => false,
    }
}

/// Walks a scorer document by document.
fn walk(weight: &mut Box<dyn Weight>, view: &SegmentView) -> Vec<(u32, f32)> {
    let mut out = vec![];
    if let Some(mut scorer) = weight.scorer(view).unwrap() {
        while scorer.doc() != NO_MORE_DOCS {
            out.push((scorer.doc(), scorer.score()));
            scorer.next();
        }
    }
    out
}

fn near(a: f32, b: f32) -> bool {
    (a - b).abs() <= 1e-5 * a.abs().max(b.abs()).max(1e-6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn all_ways_agree(
        docs in prop::collection::vec(prop::collection::vec(0..WORDS.len(), 0..8), 1..40),
        per_segment in 1usize..40,
        plan in plan(),
        size in 1usize..6,
    ) {
        let cx = index(&docs, per_segment);
        let simple = plan.clone().simplify();
        let weight_cx = WeightContext::new(&cx.snapshot, cx.mapping.similarities());
        let mut weight = simple.weight(&weight_cx, true, 1.0).unwrap();
        let mut filter = simple.weight(&weight_cx, false, 1.0).unwrap();
        let mut raw = plan.weight(&weight_cx, true, 1.0).unwrap();
        let (mut all, mut first) = (vec![], 0usize);
        let mut top = TopScores::new(size, None);
        for (ord, view) in cx.snapshot.segments.iter().enumerate() {
            let walked = walk(&mut weight, view);
            let expected: Vec<u32> =
                (0..view.max_doc()).filter(|doc| matches(&plan, &docs[first + *doc as usize])).collect();
            prop_assert_eq!(walked.iter().map(|(doc, _)| *doc).collect::<Vec<_>>(), expected.clone(), "{}", simple);
            // Simplification changes no score.
            for ((doc, score), (raw_doc, raw_score)) in walked.iter().zip(walk(&mut raw, view)) {
                prop_assert!(*doc == raw_doc && near(*score, raw_score), "{} {} {}", simple, score, raw_score);
            }
            // Counting and batches.
            let mut bits = WindowBits::new(0);
            if let Some(mut scorer) = filter.scorer(view).unwrap() {
                scorer.fill(WINDOW, &mut bits);
            }
            prop_assert_eq!(bits.iter().collect::<Vec<_>>(), expected.clone());
            if let Some(count) = weight.count(view) {
                prop_assert_eq!(count, expected.len() as u64);
            }
            let (mut batch, mut scores) = (vec![], vec![]);
            if let Some(mut scorer) = weight.scorer(view).unwrap() {
                for upto in [3, 17, NO_MORE_DOCS] {
                    if scorer.doc() < upto {
                        scorer.collect(upto, &mut batch, Some(&mut scores));
                    }
                }
            }
            prop_assert_eq!(batch, expected);
            prop_assert!(walked.iter().zip(&scores).all(|((_, a), b)| near(*a, *b)));
            // Skipping, and targets.
            top.enter_segment(ord as u32, None, None);
            if let Some(mut scorer) = weight.scorer(view).unwrap() {
                scorer.collect_top(NO_MORE_DOCS, &mut top);
            }
            for target in 0..view.max_doc() {
                let found = walked.iter().find(|(doc, _)| *doc >= target).map_or(NO_MORE_DOCS, |(doc, _)| *doc);
                if let Some(mut scorer) = weight.scorer(view).unwrap() {
                    let at = if scorer.doc() < target { scorer.advance(target) } else { scorer.doc() };
                    prop_assert_eq!(at, found);
                }
            }
            for (doc, score) in &walked {
                let explained = weight.explain(view, *doc).unwrap();
                prop_assert!(explained.matched && near(explained.score(), *score), "{} {:?}", simple, explained);
            }
            all.extend(walked.into_iter().map(|(doc, score)| (ord as u32, doc, score)));
            first += view.max_doc() as usize;
        }
        all.sort_by(|a, b| b.2.total_cmp(&a.2).then((a.0, a.1).cmp(&(b.0, b.1))));
        let best: Vec<f32> = top.finish().iter().map(|hit| hit.score).collect();
        let expected: Vec<f32> = all.iter().take(size).map(|(_, _, score)| *score).collect();
        prop_assert!(best.len() == expected.len() && best.iter().zip(&expected).all(|(a, b)| near(*a, *b)),
            "{} {:?} {:?}", simple, best, expected);
    }
}

/// More documents of a window have one of the terms of a position than are kept at once.
#[test]
fn many_alternatives_take_several_turns() {
    let docs: Vec<Vec<usize>> = (0..20_000usize)
        .map(|doc| match doc % 7 {
            0 => vec![0, 1, 2],
            1 => vec![2, 0],
            _ => vec![3, 0, 1 + doc % 4, 2, 0],
        })
        .collect();
    let cx = index(&docs, docs.len());
    let position = |position, words: &[usize]| PhrasePosition {
        position,
        terms: words.iter().map(|word| WORDS[*word].into()).collect(),
        completed: true,
        alternatives: false,
    };
    let plan = Plan::Phrase {
        field: "t".into(),
        positions: Arc::new([position(0, &[0]), position(1, &[1, 2, 3, 4])]),
        slop: 0,
    };
    let weight_cx = WeightContext::new(&cx.snapshot, cx.mapping.similarities());
    let mut weight = plan.weight(&weight_cx, true, 1.0).unwrap();
    let view = &cx.snapshot.segments[0];
    let walked = walk(&mut weight, view);
    let mut top = TopScores::new(walked.len(), None);
    top.enter_segment(0, None, None);
    let mut bulk = weight.bulk(view).unwrap().expect("evaluated in bulk");
    let turns = std::iter::from_fn(|| bulk.work(&mut top).then_some(())).count();
    assert!(turns > 1, "{turns}");
    let mut found: Vec<(u32, f32)> = top.finish().iter().map(|hit| (hit.doc, hit.score)).collect();
    found.sort_by_key(|(doc, _)| *doc);
    assert_eq!(found, walked);
}

/// Enough matches are counted in the midst of a list, while all of them were still looked at.
#[test]
fn counting_ends_in_the_midst_of_a_list() {
    let docs: Vec<Vec<usize>> = (0..1_000usize)
        .map(|doc| match doc {
            0..900 => vec![0, 1, 3, 3, 2, 3, 3],
            _ => vec![0, 1, 2],
        })
        .chain((0..500).map(|_| vec![0, 1]))
        .collect();
    let cx = index(&docs, docs.len());
    let term = |word: usize| Plan::term(&Arc::from("t"), WORDS[word].as_bytes());
    let position = |position, word: usize| PhrasePosition {
        position,
        terms: vec![WORDS[word].into()],
        completed: false,
        alternatives: false,
    };
    let positions = Arc::new([position(0, 0), position(1, 1)]);
    let phrase = Plan::Phrase { field: "t".into(), positions, slop: 0 };
    for must in [vec![phrase.clone(), term(2)], vec![phrase.clone(), term(2), term(3)], vec![term(0), phrase]] {
        let plan = Plan::Bool(BoolPlan { must, ..BoolPlan::default() }).simplify();
        let weight_cx = WeightContext::new(&cx.snapshot, cx.mapping.similarities());
        let mut weight = plan.weight(&weight_cx, true, 1.0).unwrap();
        let view = &cx.snapshot.segments[0];
        let mut expected = walk(&mut weight, view);
        expected.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        expected.truncate(3);
        let mut top = TopScores::new(3, Some(20));
        top.enter_segment(0, None, None);
        let mut bulk = weight.bulk(view).unwrap().expect("evaluated in bulk");
        while bulk.work(&mut top) {}
        let found: Vec<(u32, f32)> = top.finish().iter().map(|hit| (hit.doc, hit.score)).collect();
        assert_eq!(found, expected, "{plan}");
    }
}
