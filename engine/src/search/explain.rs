//! How the score of one document comes about.

use crate::error::Result;
use crate::query::{Query, ShardContext};
use crate::score::{Explanation, WeightContext};

/// Explains document `doc` of segment `segment` of the snapshot. The tree may say that it does not match.
pub fn explain(query: &Query, cx: &ShardContext, segment: usize, doc: u32) -> Result<Explanation> {
    let Some(view) = cx.snapshot.segments.get(segment) else {
        return Ok(Explanation::no_match("no such segment", vec![]));
    };
    let weight_cx = WeightContext::new(&cx.snapshot, cx.mapping.similarities());
    let explanation = query.explained_plan(cx)?.weight(&weight_cx, true, 1.0)?.explain(view, doc)?;
    // What went wrong while scores were reckoned.
    weight_cx.faults.check()?;
    Ok(explanation)
}

#[cfg(test)]
mod tests {
    use super::super::found_answers::rare;
    use super::super::tests::{search, shard};
    use crate::json;
    use crate::query::{ShardContext, parse};

    #[test]
    fn inner_ranges_are_explained_as_the_search_around_them_goes() {
        let mapping =
            r#"{"properties":{"o":{"type":"nested","properties":{"n":{"type":"integer"}}},"x":{"type":"long"}}}"#;
        let cx = shard(mapping, &[&[r#"{"x":1,"o":[{"n":5},{"n":7}]}"#]]);
        let approximated = |rest: &str| {
            let range = r#"{"range":{"o.n":{"gte":6}}}"#;
            let body = format!(
                r#"{{"query":{{"nested":{{"path":"o","query":{range},"inner_hits":{{"explain":true}}}}}}{rest}}}"#
            );
            let found = search(&cx, &body);
            assert!(found.contains("_explanation"), "{found}");
            found.contains("Approximate(o.n:[6 TO")
        };
        assert!(approximated(""));
        assert!(approximated(r#","sort":["o.n"]"#));
        assert!(!approximated(r#","sort":["x"]"#));
        assert!(!approximated(r#","track_total_hits":true"#));
        assert!(!approximated(r#","terminate_after":5"#));
    }

    #[test]
    fn ranges_below_the_boost_of_an_index_are_explained_as_asked() {
        let cx = shard(r#"{"properties":{"n":{"type":"integer"}}}"#, &[&[r#"{"n":7}"#, r#"{"n":5}"#]]);
        let told =
            |rest: &str| search(&cx, &format!(r#"{{"explain":true,"query":{{"range":{{"n":{{"gte":6}}}}}}{rest}}}"#));
        assert!(told("").contains(r#""Approximate(n:[6 TO 2147483647])""#), "{}", told(""));
        let boosted = told(&format!(r#","indices_boost":[{{"{}":1.5}}]"#, cx.index));
        assert!(boosted.contains(r#""n:[6 TO 2147483647]^1.5""#), "{boosted}");
    }

    #[test]
    fn boosted_ranges_are_explained_by_what_their_values_make_of_them() {
        let told = |docs: &[&str], range: &str, index_boost: bool| {
            let cx = shard(r#"{"properties":{"n":{"type":"long"}}}"#, &[docs]);
            let boost =
                if index_boost { format!(r#","indices_boost":[{{"{}":1.5}}]"#, cx.index) } else { String::new() };
            search(&cx, &format!(r#"{{"explain":true,"query":{{"range":{{"n":{range}}}}}{boost}}}"#))
        };
        let (all, some) = ([r#"{"n":7}"#], [r#"{"n":7}"#, "{}"]);
        for (docs, range, index_boost, shown) in [
            (&all[..], r#"{"gte":6,"boost":2}"#, false, "*:*^2.0"),
            (&all, r#"{"gte":6}"#, true, "*:*^1.5"),
            (&some, r#"{"gte":6,"boost":2}"#, true, "n:[6 TO 9223372036854775807]^3.0"),
            (&some, r#"{"gte":-9223372036854775808,"boost":2}"#, false, "FieldExistsQuery [field=n]^2.0"),
        ] {
            let answer = told(docs, range, index_boost);
            assert!(answer.contains(&format!(r#""description":"{shown}""#)), "{answer}");
        }
    }

    #[test]
    fn the_worst_of_several_parts_explains_the_least_score() {
        let mapping = r#"{"properties":{"o":{"type":"nested","properties":{"t":{"type":"text"}}}}}"#;
        let cx = shard(mapping, &[&[r#"{"o":[{"t":"a b"},{"t":"a"},{"t":"b a b"}]}"#]]);
        let told = |mode: &str| {
            let query =
                format!(r#"{{"nested":{{"path":"o","query":{{"match":{{"o.t":"b a"}}}},"score_mode":"{mode}"}}}}"#);
            search(&cx, &format!(r#"{{"explain":true,"query":{query}}}"#))
        };
        assert!(!told("min").contains("o.t:b in"), "{}", told("min"));
        assert!(told("max").contains("o.t:b in"), "{}", told("max"));
    }

    #[test]
    fn hits_behind_inner_hits_are_explained_as_the_outermost_search_goes() {
        let parts = r#"{"type":"nested","properties":{"n":{"type":"integer"}}}"#;
        let mapping = format!(r#"{{"properties":{{"o":{{"type":"nested","properties":{{"p":{parts}}}}}}}}}"#);
        let cx = shard(&mapping, &[&[r#"{"o":[{"p":[{"n":5},{"n":7}]}]}"#]]);
        let range = r#"{"range":{"o.p.n":{"gte":6}}}"#;
        let inner = format!(r#"{{"nested":{{"path":"o.p","query":{range},"inner_hits":{{"explain":true}}}}}}"#);
        let query = format!(r#"{{"nested":{{"path":"o","query":{inner},"inner_hits":{{}}}}}}"#);
        let approximated = |rest: &str| {
            let found = search(&cx, &format!(r#"{{"query":{query}{rest}}}"#));
            assert!(found.contains("_explanation"), "{found}");
            found.contains("Approximate(o.p.n:[6 TO")
        };
        assert!(approximated(""));
        assert!(!approximated(r#","track_total_hits":true"#));
    }

    #[test]
    fn inner_hits_are_explained_with_what_rescores_the_search_around_them() {
        let mapping = r#"{"properties":{"o":{"type":"nested","properties":{"n":{"type":"integer"}}}}}"#;
        let cx = shard(mapping, &[&[r#"{"o":[{"n":5}]}"#]]);
        let inner = r#"{"constant_score":{"filter":{"exists":{"field":"o.n"}}}}"#;
        let query = format!(r#"{{"nested":{{"path":"o","query":{inner},"inner_hits":{{"explain":true}}}}}}"#);
        let rescore = r#"{"query":{"rescore_query":{"match_all":{}},"query_weight":2}}"#;
        let found = search(&cx, &format!(r#"{{"query":{query},"rescore":{rescore}}}"#));
        let text = "ConstantScore(FieldExistsQuery [field=o.n])";
        let first = format!(r#"{{"value":1.0,"description":"{text}","details":[]}}"#);
        let weight = r#"{"value":2.0,"description":"primaryWeight","details":[]}"#;
        let told =
            format!(r#""_explanation":{{"value":2.0,"description":"product of:","details":[{first},{weight}]}}"#);
        assert!(found.contains(&told), "{found}");
    }

    #[test]
    fn what_takes_off_scores_is_told_without_its_boost() {
        let cx = shard(r#"{"properties":{"t":{"type":"text"}}}"#, &[&[r#"{"t":"a b"}"#]]);
        let told = |negative: &str| {
            let boosting =
                format!(r#"{{"positive":{{"match":{{"t":"a"}}}},"negative":{negative},"negative_boost":0.5}}"#);
            let found = search(&cx, &format!(r#"{{"query":{{"boosting":{boosting}}},"explain":true}}"#));
            let (_, text) = found.split_once("Matched boosting query score(").expect("it matches");
            text.split_once(")\"").expect("it ends").0.to_owned()
        };
        assert_eq!(told(r#"{"match":{"t":{"query":"b","boost":3}}}"#), "t:b");
        assert_eq!(told(r#"{"constant_score":{"filter":{"match":{"t":"b"}},"boost":2}}"#), "ConstantScore(t:b)");
        let either = r#"{"match":{"t":{"query":"a","boost":3}}},{"match":{"t":"b"}}"#;
        assert_eq!(told(&format!(r#"{{"bool":{{"should":[{either}],"boost":2}}}}"#)), "(t:a)^3.0 t:b");
    }

    #[test]
    fn how_many_terms_a_document_wants_is_a_whole_number() {
        let mapping = r#"{"properties":{"k":{"type":"keyword"},"n":{"type":"long"}}}"#;
        let cx = shard(mapping, &[&[r#"{"n":1475767975763780798}"#]]);
        let query = r#"{"terms_set":{"k":{"terms":["x"],"minimum_should_match_field":"n"}}}"#;
        let query = parse(&json::parse(query.as_bytes()).unwrap(), query.as_bytes()).unwrap();
        let explained = super::explain(&query, &cx, 0, 0).unwrap();
        assert_eq!(explained.description, "0 matches for 1475767975763780798 required matches");
    }

    #[test]
    fn combined_fields_are_terms_where_nobody_asks_for_scores() {
        let cx = shard(r#"{"properties":{"t":{"type":"text"},"u":{"type":"text"}}}"#, &[&[r#"{"t":"fox"}"#]]);
        let told = |fields: &str| {
            let combined = format!(r#"{{"combined_fields":{{"query":"fox","fields":[{fields}]}}}}"#);
            let query = format!(r#"{{"bool":{{"must_not":[{combined}]}}}}"#);
            let query = parse(&json::parse(query.as_bytes()).unwrap(), query.as_bytes()).unwrap();
            let explained = super::explain(&query, &cx, 0, 0).unwrap();
            explained.details[0].details[0].description.clone()
        };
        assert_eq!((told(r#""t""#), told(r#""u^2","t""#)), ("t:fox".to_owned(), "t:fox u:fox".to_owned()));
    }

    #[test]
    fn what_scores_alike_is_what_it_holds_where_nobody_asks_for_scores() {
        let mapping = r#"{"properties":{"k":{"type":"keyword"},"t":{"type":"text"}}}"#;
        let cx = shard(mapping, &[&[r#"{"k":"a","t":"b"}"#, r#"{"t":"b"}"#]]);
        let either = r#"{"bool":{"must":[{"term":{"t":"b"}}],"should":[{"term":{"k":"a"}}]}}"#;
        let query = parse(&json::parse(either.as_bytes()).unwrap(), either.as_bytes()).unwrap();
        let told = |scores: bool| {
            let mut weight = query.weight(&cx, scores).unwrap();
            let explained = weight.explain(&cx.snapshot.segments[0], 0).unwrap();
            explained.details.last().expect("both match").description.clone()
        };
        assert_eq!(told(true), "ConstantScore(k:a)");
        assert_eq!(told(false), "k:a");
    }

    #[test]
    fn patterns_refuse_their_terms_beside_what_finds_nothing() {
        let many: String = (0..130).map(|i| format!("se{i} ")).collect();
        let cx = shard(r#"{"properties":{"t":{"type":"text"}}}"#, &[&[&*format!(r#"{{"t":"a b {many}"}}"#)]]);
        let refused = |query: &str| {
            let value = json::parse(query.as_bytes()).unwrap();
            let mut weight = parse(&value, query.as_bytes()).unwrap().weight(&cx, true).unwrap();
            weight.scorer(&cx.snapshot.segments[0]).err().map(|error| error.reason().to_owned())
        };
        let pattern = r#"{"regexp":{"pattern":"se.*"}}"#;
        let too_many = "Automaton [\"se\"(.)*] expanded to too many terms (limit 128)";
        let beside = |text: &str| {
            let first = format!(r#"{{"match":{{"query":"{text}"}}}}"#);
            refused(&format!(r#"{{"intervals":{{"t":{{"all_of":{{"intervals":[{first},{pattern}]}}}}}}}}"#))
        };
        assert_eq!(beside("!").as_deref(), Some(too_many), "a text without words");
        assert_eq!(beside("c"), None, "a word that is not there");
        let without = |words: &[&str]| {
            let words: Vec<_> = words.iter().map(|word| format!(r#"{{"match":{{"query":"{word}"}}}}"#)).collect();
            let either = format!(r#"{{"intervals":[{}],"filter":{{"not_containing":{pattern}}}}}"#, words.join(","));
            refused(&format!(r#"{{"intervals":{{"t":{{"any_of":{either}}}}}}}"#))
        };
        assert_eq!(without(&["c", "!"]).as_deref(), Some(too_many), "the text without words is one of two");
        assert_eq!(without(&["c"]), None);
        assert_eq!(without(&["!"]), None, "nothing is any of no alternatives");
        let spans = |term: &str| {
            let near = format!(
                r#"{{"span_near":{{"clauses":[{{"span_term":{{"t":"b"}}}},{{"span_term":{{"t":"{term}"}}}}],"slop":0,"in_order":true}}}}"#
            );
            refused(&format!(r#"{{"bool":{{"must":[{near}],"must_not":[{{"intervals":{{"t":{pattern}}}}}]}}}}"#))
        };
        assert_eq!(spans("a").as_deref(), Some(too_many), "both are there, if not near each other");
        assert_eq!(spans("c"), None);
    }

    #[test]
    fn empty_texts_are_counted_beside_what_may_match() {
        let mapping = r#"{"properties":{"t":{"type":"text"},"n":{"type":"long"}}}"#;
        let cx = shard(mapping, &[&[r#"{"t":"","n":1}"#, r#"{"t":"a","n":2}"#]]);
        let counted = |rest: &str| {
            let exists = r#"{"exists":{"field":"t"}}"#;
            search(&cx, &format!(r#"{{"size":0,"query":{{"bool":{{"filter":[{exists}]{rest}}}}}}}"#))
        };
        assert!(counted("").contains(r#""value":1"#));
        assert!(counted(r#","should":[{"term":{"t":"b"}}]"#).contains(r#""value":2"#));
        let grouped =
            search(&cx, r#"{"query":{"exists":{"field":"t"}},"collapse":{"field":"n"},"track_total_hits":true}"#);
        assert!(grouped.contains(r#""value":2"#), "{grouped}");
    }

    #[test]
    fn filters_are_explained_in_full_under_a_profile() {
        let explained = |clock: Option<fn() -> u64>| {
            let cx = ShardContext { profile: clock, ..rare() };
            let query =
                r#"{"bool":{"filter":[{"exists":{"field":"r"}},{"dis_max":{"queries":[{"term":{"t":"quick"}}]}}]}}"#;
            let value = json::parse(query.as_bytes()).unwrap();
            let mut weight = parse(&value, query.as_bytes()).unwrap().weight(&cx, true).unwrap();
            weight.explain(&cx.snapshot.segments[0], 0).unwrap().details[1].details[1].text()
        };
        assert_eq!(explained(None), "1.0 = t:quick\n");
        assert_eq!(
            explained(Some(|| 0)),
            "0.0 = weight(t:quick in 0) [PerFieldSimilarity], result of:\n  0.0 = score(freq=1.0), with freq of:\n    1.0 = freq, occurrences of term within document\n"
        );
    }

    #[test]
    fn explanations_of_features_that_are_missing() {
        let explained = |query: &str, doc: u32| {
            let cx = rare();
            let value = json::parse(query.as_bytes()).unwrap();
            let mut weight = parse(&value, query.as_bytes()).unwrap().weight(&cx, true).unwrap();
            weight.explain(&cx.snapshot.segments[0], doc).unwrap().description
        };
        assert_eq!(
            explained(r#"{"rank_feature":{"field":"r"}}"#, 1),
            "weight(FeatureQuery(field=_feature, feature=r, function=SaturationFunction(pivot=3.5)) in 1) [SaturationFunction(pivot=3.5)]. Feature r isn't set."
        );
        assert_eq!(
            explained(r#"{"rank_feature":{"field":"s.two","linear":{}}}"#, 0),
            "weight(FeatureQuery(field=s, feature=two, function=LinearFunction) in 0) [LinearFunction]. Feature two isn't set."
        );
        assert_eq!(
            explained(r#"{"rank_feature":{"field":"s.zzz","linear":{}}}"#, 0),
            "weight(FeatureQuery(field=s, feature=zzz, function=LinearFunction) in 0) [LinearFunction]. Feature zzz doesn't exist."
        );
    }
}
