//! What parameters of a mapping do to queries on its fields: boosts, and keywords that are not indexed.

use crate::mapping::{Family, Field, Indexed};
use crate::score::{MultiTerm, Plan};

/// One term or value of a field whose mapping has a boost. Keywords are boosted within what makes them score alike, and once more around it.
pub fn boosted_by_mapping(field: &Field, plan: Plan) -> Plan {
    match plan {
        Plan::Constant(inner) => inner.boosted(field.boost).constant().boosted(field.boost),
        Plan::Term { .. } if field.family() == Family::Keyword => plan.boosted(field.boost * field.boost),
        plan => plan.boosted(field.boost),
    }
}

/// Some terms of a field. Where a keyword is not indexed the reference goes over its values, and all score alike.
pub fn of_values(field: &Field, terms: MultiTerm) -> Plan {
    let text = terms.text.clone();
    let plan = Plan::MultiTerm(terms);
    match goes_over_values(field) {
        true => plan.constant().written_as(text),
        false => plan,
    }
}

/// Whether the terms of a field are its values alone.
pub fn goes_over_values(field: &Field) -> bool {
    field.type_name == "keyword" && field.spec.indexed == Indexed::No
}

#[cfg(test)]
mod tests {
    use crate::search::tests::{described, ids, search, shard};

    #[test]
    fn fields_are_boosted_as_their_mapping_says() {
        let mapping = r#"{"properties":{"k":{"type":"keyword","boost":2},"s":{"type":"keyword","boost":2,"use_similarity":true},
            "t":{"type":"text","boost":3},"b":{"type":"boolean","boost":2.5},"d":{"type":"date","boost":2}}}"#;
        let cx = shard(
            mapping,
            &[&[r#"{"k":"a","s":"a","t":"quick fox","b":true,"d":"2020-01-01"}"#, r#"{"d":"2021-01-01"}"#]],
        );
        for (query, text) in [
            (r#"{"term":{"k":"a"}}"#, "(ConstantScore(k:a))^2.0"),
            (r#"{"match":{"k":"a"}}"#, "(ConstantScore(k:a))^2.0"),
            (r#"{"term":{"s":"a"}}"#, "(s:a)^4.0"),
            (r#"{"match":{"t":"quick fox"}}"#, "(t:quick)^3.0 (t:fox)^3.0"),
            (r#"{"match_phrase":{"t":"quick fox"}}"#, "t:\"quick fox\""),
            (r#"{"match_phrase":{"t":"quick"}}"#, "(t:quick)^3.0"),
            (r#"{"prefix":{"k":"a"}}"#, "k:a*"),
            (r#"{"terms":{"b":[true]}}"#, "(b:T)^2.5"),
            (
                r#"{"term":{"d":"2020-01-01"}}"#,
                "(IndexOrDocValuesQuery(indexQuery=d:[1577836800000 TO 1577923199999], dvQuery=d:[1577836800000 TO 1577923199999]))^2.0",
            ),
            (
                r#"{"span_term":{"k":"a"}}"#,
                "failed to create query: Cannot extract a term from a query of type class org.apache.lucene.search.BoostQuery: (k:a)^2.0",
            ),
        ] {
            assert_eq!(described(&cx, query, true), text, "{query}");
        }
        let found =
            search(&cx, r#"{"query":{"term":{"k":{"value":"A","case_insensitive":true,"boost":3}}},"_source":false}"#);
        assert!(found.contains(r#""_score":6.0"#), "{found}");
    }

    #[test]
    fn keywords_that_are_not_indexed_have_values_alone() {
        let cx =
            shard(r#"{"properties":{"k":{"type":"keyword","index":false}}}"#, &[&[r#"{"k":"one"}"#, r#"{"k":"two"}"#]]);
        for (query, text, found) in [
            (r#"{"prefix":{"k":"o"}}"#, "ConstantScore(k:o*)", "1"),
            (r#"{"wildcard":{"k":"?wo"}}"#, "ConstantScore(k:?wo)", "2"),
            (r#"{"terms":{"k":["one","two"]}}"#, "ConstantScore(k:(one two))", "1 2"),
            (r#"{"range":{"k":{"gt":"one"}}}"#, "ConstantScore(k:{one TO *])", "2"),
            (r#"{"fuzzy":{"k":{"value":"ona","fuzziness":1}}}"#, "ConstantScore(k:ona~1)", "1"),
        ] {
            assert_eq!(described(&cx, query, true), text, "{query}");
            assert_eq!(ids(&cx, query), found, "{query}");
        }
    }
}
