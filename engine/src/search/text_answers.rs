//! Queries over texts whose answers once differed from the reference's, with its answers: beginnings of words, spans, intervals,
//! query strings over many fields, and what of them is highlighted.

use super::tests::{described, ids, search, shard, shard_analyzing};
use super::*;
use crate::json;
use crate::query::{automaton_text, parse};

fn assert_described(cx: &ShardContext, cases: &[(&str, &str)]) {
    for (query, text) in cases {
        assert_eq!(described(cx, query, false), *text, "{query}");
    }
}

fn highlighted(cx: &ShardContext, query: &str) -> String {
    let body =
        format!(r#"{{"query":{query},"_source":false,"highlight":{{"number_of_fragments":0,"fields":{{"*":{{}}}}}}}}"#);
    let response = search(cx, &body);
    let from = response.find(r#""highlight":"#).map_or("", |at| &response[at + 12..]);
    from.split("]}").next().unwrap_or_default().to_owned()
}

#[test]
fn beginnings_of_words_are_a_field() {
    let mapping = r#"{"properties":{"p":{"type":"text","index_prefixes":{}},"o":{"type":"text","index_prefixes":{"min_chars":1,"max_chars":3},"index_options":"freqs"}}}"#;
    let cx = shard(mapping, &[&[r#"{"p":"quick brown fox","o":"quick"}"#, r#"{"p":"lazy dog"}"#]]);
    assert_eq!(ids(&cx, r#"{"match":{"p._index_prefix":"qui"}}"#), "1");
    assert_eq!(ids(&cx, r#"{"query_string":{"query":"laz"}}"#), "2", "where all fields are asked it is one of them");
    assert_eq!(ids(&cx, r#"{"prefix":{"p":"b"}}"#), "1", "a character less than are indexed");
    assert_eq!(ids(&cx, r#"{"prefix":{"o":"qui"}}"#), "1");
    assert_eq!(ids(&cx, r#"{"prefix":{"p":{"value":"QUI","case_insensitive":true}}}"#), "1");
    assert_eq!(ids(&cx, r#"{"match_phrase_prefix":{"p":"quick brow"}}"#), "1");
    assert_eq!(ids(&cx, r#"{"match_phrase_prefix":{"p":"quick fo"}}"#), "");
    assert_described(
        &cx,
        &[
            (r#"{"prefix":{"p":"br"}}"#, "ConstantScore(p._index_prefix:br)"),
            (r#"{"prefix":{"p":{"value":"br","rewrite":"scoring_boolean"}}}"#, "p._index_prefix:br"),
            (
                r#"{"prefix":{"p":{"value":"BR","case_insensitive":true}}}"#,
                &format!("ConstantScore({})", automaton_text("p._index_prefix", "BR")),
            ),
            (r#"{"prefix":{"p":"brownx"}}"#, "p:brownx*"),
            (r#"{"match_bool_prefix":{"p":"quick br"}}"#, "p:quick ConstantScore(p._index_prefix:br)"),
            (r#"{"match_phrase_prefix":{"p":"br"}}"#, "Synonym(p._index_prefix:br)"),
            (
                r#"{"match_phrase_prefix":{"p":"quick br"}}"#,
                "spanNear([p:quick, mask(p._index_prefix:br) as p], 0, true)",
            ),
            (r#"{"match_phrase_prefix":{"p":{"query":"quick br","slop":1}}}"#, r#"p:"quick br*"~1"#),
            (r#"{"span_multi":{"match":{"prefix":{"p":"br"}}}}"#, "mask(p._index_prefix:br) as p"),
            (r#"{"intervals":{"p":{"prefix":{"prefix":"br"}}}}"#, "p:FIELD(p._index_prefix,br)"),
            (r#"{"intervals":{"p":{"prefix":{"prefix":"b"}}}}"#, "p:or(FIELD(p._index_prefix,MultiTerm(b?)),b)"),
            (r#"{"query_string":{"query":"br*","fields":["p"]}}"#, "ConstantScore(p._index_prefix:br)"),
            (
                r#"{"match_phrase":{"p._index_prefix":"a b"}}"#,
                "failed to create query: Can only use phrase queries on text fields - not on [p._index_prefix] which is of type [prefix]",
            ),
        ],
    );
}

/// Words that are looked for whatever their case are as good as each other where the words themselves are.
#[test]
fn words_of_any_case_score_as_words_do() {
    let mapping = r#"{"properties":{"p":{"type":"text","index_prefixes":{}},"o":{"type":"match_only_text"}}}"#;
    let cx = shard(mapping, &[&[r#"{"p":"Brown","o":"Fox"}"#]]);
    for (query, text) in [
        (
            r#"{"prefix":{"p":{"value":"BR","case_insensitive":true}}}"#,
            "ConstantScore(p._index_prefix:AutomatonQuery {\n",
        ),
        (r#"{"term":{"o":{"value":"FOX","case_insensitive":true}}}"#, "ConstantScore(o:AutomatonQuery {\n"),
    ] {
        assert_eq!(ids(&cx, query), "1", "{query}");
        let told = described(&cx, query, true);
        assert!(told.starts_with(text), "{query}: {told}");
    }
}

#[test]
fn groups_of_words_keep_places_of_words_left_out() {
    let mapping = r#"{"properties":{"a":{"type":"search_as_you_type","analyzer":"stop"}}}"#;
    let cx = shard(mapping, &[&[r#"{"a":"stone the inlet the"}"#]]);
    assert_eq!(ids(&cx, r#"{"term":{"a._2gram":"inlet "}}"#), "1");
    assert_described(
        &cx,
        &[
            (r#"{"match_phrase":{"a":"the quick fox"}}"#, r#"a:"quick fox""#),
            (r#"{"match_phrase":{"a":"quick fox the"}}"#, r#"a._2gram:"quick fox fox _""#),
            (
                r#"{"match_phrase_prefix":{"a":"quick fox the"}}"#,
                "spanNear([a._2gram:quick fox, mask(a._index_prefix:fox _) as a._2gram], 0, true)",
            ),
            (
                r#"{"match_phrase_prefix":{"a._2gram":"quick fox run"}}"#,
                "spanNear([a._2gram:quick fox, mask(a._index_prefix:fox run) as a._2gram], 0, true)",
            ),
            (r#"{"simple_query_string":{"query":"x + y","fields":["a"],"minimum_should_match":1}}"#, "(+a:x +a:y)~1"),
        ],
    );
}

#[test]
fn spans_are_made_of_terms_alone() {
    let mapping = r#"{"properties":{"i":{"type":"integer"},"k":{"type":"keyword"},"a":{"type":"ip"},"t":{"type":"text"},
        "w":{"type":"wildcard"},"c":{"type":"constant_keyword","value":"x"}}}"#;
    let cx = shard(mapping, &[&[r#"{"i":1,"k":"fox","a":"1.2.3.4","t":"a ]"}"#]]);
    let refused =
        |class: &str| format!("failed to create query: Cannot extract a term from a query of type class {class}");
    let both = "org.apache.lucene.search.IndexOrDocValuesQuery: IndexOrDocValuesQuery";
    assert_described(
        &cx,
        &[
            (r#"{"span_term":{"i":1}}"#, &refused(&format!("{both}(indexQuery=i:[1 TO 1], dvQuery=i:[1 TO 1])"))),
            (r#"{"span_term":{"c":"x"}}"#, &refused("org.apache.lucene.search.MatchAllDocsQuery: *:*")),
            (
                r#"{"span_term":{"w":"x"}}"#,
                &refused(
                    r#"org.opensearch.index.mapper.WildcardFieldMapper$WildcardMatchingQuery: WildcardMatchingQuery(w:"x")"#,
                ),
            ),
            (
                r#"{"span_multi":{"match":{"prefix":{"k":"fo"}}}}"#,
                "failed to create query: Can only use span prefix queries on text fields - not on [k] which is of type [keyword]",
            ),
            (r#"{"span_term":{"t":{"value":["a"]}}}"#, "t:]"),
            (r#"{"span_term":{"t":{"value":{}}}}"#, "t:{"),
        ],
    );
    let without = "was indexed without position data; cannot run SpanTermQuery (term=fox)";
    assert!(search(&cx, r#"{"query":{"span_term":{"k":"fox"}}}"#).contains(without));
    let behind = r#"{"bool":{"must":[{"prefix":{"k":"zz"}}],"filter":[{"span_term":{"k":"fox"}}]}}"#;
    assert!(
        search(&cx, &format!(r#"{{"query":{behind}}}"#)).contains(without),
        "what a prefix comes to is found out later"
    );
}

#[test]
fn intervals_ask_for_texts_or_for_positions() {
    let mapping = r#"{"properties":{"k":{"type":"keyword"},"a":{"type":"search_as_you_type"},"t":{"type":"text","analyzer":"stop"}}}"#;
    let cx = shard(mapping, &[&[r#"{"k":"x","a":"x y","t":"x"}"#]]);
    let text = |field: &str, kind: &str| {
        format!(
            "failed to create query: Can only use interval queries on text fields - not on [{field}] which is of type [{kind}]"
        )
    };
    let positions = "failed to create query: Cannot create intervals over field [k] with no positions indexed";
    assert_described(
        &cx,
        &[
            (r#"{"intervals":{"k":{"prefix":{"prefix":"x"}}}}"#, &text("k", "keyword")),
            (r#"{"intervals":{"k":{"wildcard":{"pattern":"x"}}}}"#, positions),
            (r#"{"intervals":{"t":{"fuzzy":{"term":"x","use_field":"k"}}}}"#, positions),
            (r#"{"intervals":{"t":{"match":{"query":"x","use_field":"k"}}}}"#, &text("k", "keyword")),
            (r#"{"intervals":{"a":{"match":{"query":"x"}}}}"#, &text("a", "search_as_you_type")),
            (r#"{"intervals":{"a":{"fuzzy":{"term":"X"}}}}"#, "a:MultiTerm(X)"),
            (r#"{"intervals":{"t":{"match":{"query":"of x"}}}}"#, "t:x"),
        ],
    );
}

#[test]
fn fields_stand_as_in_a_hash_map() {
    let mapping =
        r#"{"properties":{"addr":{"type":"ip"},"n":{"type":"integer"},"t":{"type":"text"},"d":{"type":"date"}}}"#;
    let cx = shard(mapping, &[&[r#"{"n":1}"#]]);
    let first = |query: &str| described(&cx, query, false);
    let all = r#"{"query_string":{"query":"ledge","lenient":false}}"#;
    assert!(first(all).contains("failed to parse date field [ledge]"), "{}", first(all));
    // What is wrong with values is told before what is wrong with the syntax behind them.
    let both = r#"{"query_string":{"query":"n:ledge AND (t:x","lenient":false}}"#;
    assert_eq!(first(both), r#"failed to create query: For input string: "ledge""#);
    assert!(first(r#"{"query_string":{"query":"n:1 AND (t:x","lenient":false}}"#).starts_with("Failed to parse query"));
}

#[test]
fn highlights_are_within_spans() {
    let cx = shard(r#"{"properties":{"t":{"type":"text"}}}"#, &[&[r#"{"t":"fox a quick fox b"}"#]]);
    let near = r#"{"span_near":{"clauses":[{"span_term":{"t":"quick"}},{"span_term":{"t":"fox"}}],"slop":0}}"#;
    assert_eq!(highlighted(&cx, near), r#"{"t":["fox a <em>quick</em> <em>fox</em> b""#);
    let first = r#"{"span_first":{"match":{"span_term":{"t":"fox"}},"end":1}}"#;
    assert_eq!(highlighted(&cx, first), r#"{"t":["<em>fox</em> a quick fox b""#);
    let before = r#"{"intervals":{"t":{"match":{"query":"quick","filter":{"before":{"match":{"query":"b"}}}}}}}"#;
    assert_eq!(highlighted(&cx, before), r#"{"t":["fox a <em>quick</em> fox <em>b</em>""#);
}

#[test]
fn values_that_were_ignored_are_not_shown_as_fields() {
    let mapping = r#"{"properties":{"n":{"type":"integer","ignore_malformed":true},"g":{"type":"geo_shape","ignore_malformed":true},
        "s":{"type":"scaled_float","scaling_factor":10,"ignore_malformed":true}}}"#;
    let found = |doc: &str| search(&shard(mapping, &[&[doc]]), r#"{"_source":false,"fields":["*"]}"#);
    let ignored = found(r#"{"n":["bad",5],"g":{"type":"none"}}"#);
    assert!(ignored.contains(r#""_ignored":["g","n"]"#) && !ignored.contains(r#""fields""#), "{ignored}");
    assert!(found(r#"{"n":["",5]}"#).contains(r#""fields":{"n":[5]}"#));
    // What the reference says nothing of, it trips over.
    assert_eq!(found(r#"{"n":[5,{"a":1}]}"#), r#"number_format_exception: For input string: "{a=1}""#);
    assert_eq!(found(r#"{"s":"bad"}"#), r#"number_format_exception: For input string: "bad""#);
}

#[test]
fn what_is_told_of_documents_with_ignored_values() {
    let mapping = r#"{"properties":{"n":{"type":"integer","ignore_malformed":true},"m":{"type":"integer","ignore_malformed":true},
        "k":{"type":"keyword"},"s":{"type":"keyword","store":true}}}"#;
    let docs = [
        r#"{"n":"bad"}"#,
        r#"{"n":"bad","m":"bad","k":"routed"}"#,
        r#"{"n":"bad","k":"routed","s":"x"}"#,
        r#"{"n":1}"#,
    ];
    let cx = shard(mapping, &[&docs]);
    for query in [
        r#"{"exists":{"field":"_ignored"}}"#,
        r#"{"wildcard":{"_ignored":"*"}}"#,
        r#"{"range":{"_ignored":{"gt":"m"}}}"#,
        r#"{"term":{"_ignored":{"value":"N","case_insensitive":true}}}"#,
        r#"{"prefix":{"_ignored":"n"}}"#,
    ] {
        assert_eq!(ids(&cx, query), "1 2 3", "{query}");
    }
    let shown = |body: &str| {
        let response = search(&cx, body);
        let hits = response.split(r#"{"_index""#).skip(1);
        hits.map(|hit| hit.contains(r#""_ignored""#)).collect::<Vec<_>>()
    };
    assert_eq!(shown("{}"), [true, true, false, false], "stored fields are read until the last that is needed");
    assert_eq!(shown(r#"{"_source":false}"#), [true, false, false, false]);
    assert_eq!(shown(r#"{"_source":false,"fields":[]}"#), [true, true, false, false], "these ask for the source");
    assert_eq!(shown(r#"{"stored_fields":["s"]}"#), [true, true, true, false]);
    assert!(search(&cx, "{}").contains(r#""_ignored":["m","n"]"#), "in the order of a hash set");
}

#[test]
fn values_that_are_only_looked_up() {
    let mapping = r#"{"settings":{},"properties":{"w":{"type":"wildcard","normalizer":"lowercase"},"d":{"type":"date","index":false},
        "o":{"type":"match_only_text"},"i":{"type":"integer"}}}"#;
    let mapping = mapping.replace(r#""settings":{},"#, "");
    let cx = shard(&mapping, &[&[r#"{"w":"Hello","d":"2021-01-01","o":"a b","i":5}"#]]);
    assert_eq!(ids(&cx, r#"{"term":{"w":"HELLO"}}"#), "1");
    assert_eq!(ids(&cx, r#"{"terms":{"w":["HELLO"]}}"#), "", "several are not normalized");
    assert_eq!(ids(&cx, r#"{"terms":{"w":["hello"]}}"#), "1");
    let near = r#"{"distance_feature":{"field":"d","origin":"2021-01-02","pivot":"1d"}}"#;
    assert_eq!(ids(&cx, near), "", "values are not indexed");
    assert_eq!(
        described(&cx, r#"{"match_phrase":{"o":"a b"}}"#, false),
        r#"SourceFieldMatchQuery (delegate query: [ #o:a #o:b ], filter query: [ o:"a b"])"#
    );
    assert_eq!(ids(&cx, r#"{"range":{"i":[[{"gte":5}]]}}"#), "1", "lists are passed over");
    assert_eq!(described(&cx, r#"{"wildcard":{"w":"**"}}"#, false), "FieldExistsQuery [field=w]");
    let refused = |query: &str| {
        let value = json::parse(query.as_bytes()).expect("JSON");
        parse(&value, query.as_bytes()).expect_err("refused").reason().to_owned()
    };
    let lookup = r#"{"terms":{"i":{"index":"x","id":1,"path":"a"}}}"#;
    assert_eq!(refused(lookup), "[1:33] [terms_lookup] id doesn't support values of type: VALUE_NUMBER");
    let nameless = r#"{"query_string":{"query":"a","fields":[null]}}"#;
    assert_eq!(refused(nameless), "[query_string] field name in [fields] cannot be null");
    assert_eq!(refused(r#"{"range":{"i":null}}"#), "field name is null or empty");
}

#[test]
fn what_the_reference_refuses_of_words_and_their_beginnings() {
    let mapping = r#"{"properties":{"t":{"type":"text"},"k":{"type":"keyword"},"n":{"type":"integer"}}}"#;
    let cx = shard(mapping, &[&[r#"{"t":"n no na","k":"a b"}"#], &[r#"{"t":"nu"}"#]]);
    let found = |query: &str| search(&cx, &format!(r#"{{"query":{query},"_source":false}}"#));
    let near = |rewrite: &str| {
        found(&format!(r#"{{"fuzzy":{{"t":{{"value":"xy","fuzziness":2,"prefix_length":0,"rewrite":"{rewrite}"}}}}}}"#))
    };
    assert!(near("scoring_boolean").contains("boost must be a positive float, got -1.0"));
    assert!(near("constant_score_boolean").contains("boost must be a positive float, got -1.0"));
    assert!(near("constant_score").contains(r#""hits""#) && near("top_terms_2").contains(r#""hits""#));
    let beginning = |field: &str, text: &str| {
        found(&format!(
            r#"{{"multi_match":{{"fields":["{field}"],"query":"{text}","type":"phrase_prefix","analyzer":"standard"}}}}"#
        ))
    };
    assert!(beginning("k", "a").contains("Can only use phrase prefix queries on text fields - not on [k]"));
    assert!(beginning("k", "a b").contains("was indexed without position data"));
    let behind = found(r#"{"match_phrase_prefix":{"k":{"query":"the fox","analyzer":"stop"}}}"#);
    assert!(behind.contains("was indexed without position data"), "a word that is left out counts");
    assert!(beginning("n", "a b").contains("was indexed without position data"));
    let first = r#"{"match_phrase_prefix":{"t":{"query":"n","max_expansions":1}}}"#;
    assert_eq!(described(&cx, first, true), "t:n", "one of a prefix, whatever further segments have");
    let between =
        r#"{"intervals":{"t":{"match":{"query":"n","filter":{"not_contained_by":{"match":{"query":"!"}}}}}}}"#;
    assert_eq!((described(&cx, between, false), ids(&cx, between)), ("t:or()".to_owned(), String::new()));
}

#[test]
fn several_ways_through_the_last_word_are_beginnings() {
    let analysis = r#"{"filter":{"w":{"type":"word_delimiter_graph","preserve_original":true}},"analyzer":{"w":{"tokenizer":"whitespace","filter":["w"]}}}"#;
    let mapping = r#"{"properties":{"t":{"type":"text","analyzer":"w"}}}"#;
    let cx = shard_analyzing(analysis, mapping, &[&[r#"{"t":"x wi-fi"}"#]]);
    let prefix = |options: &str| {
        let fields = r#""fields":["t"],"type":"bool_prefix""#;
        described(&cx, &format!(r#"{{"multi_match":{{"query":"x wi-fi",{fields}{options}}}}}"#), false)
    };
    assert_eq!(prefix(""), r#"t:x (t:"wi-fi*" t:"wi fi*")"#);
    assert_eq!(prefix(r#","auto_generate_synonyms_phrase_query":false"#), "t:x (t:wi-fi (+t:wi +t:fi))");
    // What stands behind the last word does not finish it, where it is several.
    let finished = r#"{"match_bool_prefix":{"t":"wi-fi-"}}"#;
    assert_eq!(described(&cx, finished, false), r#"(t:"wi-fi-*" t:"wi fi*")"#);
}

/// Words with several ways through them are a clause, of which so and so many should match: the ways are not counted.
#[test]
fn synonyms_of_several_words_are_one_clause_where_they_stand_alone() {
    let analysis = r#"{"filter":{"s":{"type":"synonym_graph","synonyms":["house, big home","fox, vulpes"]}},"analyzer":{"s":{"tokenizer":"standard","filter":["s"]}}}"#;
    let mapping = r#"{"properties":{"t":{"type":"text","analyzer":"standard","search_analyzer":"s"}}}"#;
    let cx = shard_analyzing(analysis, mapping, &[&[r#"{"t":"house"}"#, r#"{"t":"big home"}"#]]);
    let query =
        |minimum: &str| format!(r#"{{"match":{{"t":{{"query":"house","minimum_should_match":"{minimum}"}}}}}}"#);
    assert_described(
        &cx,
        &[
            (&query("50%"), r#"(t:"big home" t:house)"#),
            (&query("100%"), r#"((t:"big home" t:house))~1"#),
            (r#"{"match_bool_prefix":{"t":"house"}}"#, r#"(t:"big home*" t:"house*")"#),
            (r#"{"query_string":{"query":"house","minimum_should_match":"2<75%"}}"#, r#"((t:"big home" t:house))~1"#),
        ],
    );
    assert_eq!((ids(&cx, &query("100%")), ids(&cx, &query("2"))), ("2 1".to_owned(), String::new()));
    let intervals = |text: &str| format!(r#"{{"intervals":{{"t":{{"match":{{"query":"{text}"}}}}}}}}"#);
    let first_alone = "t:UNORDERED(or(BLOCK(big,home),house),vulpes)";
    assert_described(&cx, &[(&intervals("house fox"), first_alone), (&intervals("fox"), "t:or(vulpes,fox)")]);
}

#[test]
fn words_that_come_to_phrases_have_the_slop_of_these() {
    let cx = shard(r#"{"properties":{"t":{"type":"text"}}}"#, &[]);
    let query = |kind: &str| format!(r#"{{"query_string":{{"query":"a\\-b","type":"{kind}","phrase_slop":2}}}}"#);
    assert_described(&cx, &[(&query("phrase"), r#"t:"a b"~2"#), (&query("best_fields"), "t:a t:b")]);
}

#[test]
fn fuzzy_values_are_rewritten_as_asked() {
    let cx = shard(r#"{"properties":{"k":{"type":"keyword"}}}"#, &[&[r#"{"k":"abc"}"#, r#"{"k":"abd"}"#]]);
    let query =
        |rewrite: &str| format!(r#"{{"match":{{"k":{{"query":"abc","fuzziness":1,"fuzzy_rewrite":"{rewrite}"}}}}}}"#);
    assert_eq!(
        (ids(&cx, &query("constant_score")), ids(&cx, &query("top_terms_1"))),
        ("1 2".to_owned(), "1".to_owned())
    );
}

#[test]
fn the_primary_term_is_no_field() {
    let cx = shard(r#"{"properties":{"k":{"type":"keyword"}}}"#, &[&[r#"{"k":"a"}"#]]);
    for query in [r#"{"exists":{"field":"_primary_term"}}"#, r#"{"terms":{"_primary_term":[0,1]}}"#] {
        assert_eq!(ids(&cx, query), "", "{query}");
    }
}

#[test]
fn flags_are_terms_in_any_case() {
    let cx = shard(r#"{"properties":{"f":{"type":"boolean"}}}"#, &[&[r#"{"f":true}"#, r#"{"f":false}"#]]);
    let query = |value: &str| format!(r#"{{"term":{{"f":{{"value":{value},"case_insensitive":true}}}}}}"#);
    assert_eq!((ids(&cx, &query("true")), ids(&cx, &query(r#""false""#))), ("1".to_owned(), "2".to_owned()));
    assert!(described(&cx, &query(r#""FALSE""#), false).contains("Can't parse boolean value [FALSE]"));
}

#[test]
fn synonyms_are_no_phrases_where_there_are_no_positions() {
    let analysis = r#"{"filter":{"s":{"type":"synonym_graph","synonyms":["fox, red animal"]}},"analyzer":{"s":{"tokenizer":"standard","filter":["s"]}}}"#;
    let mapping = r#"{"properties":{"t":{"type":"text","index_options":"freqs"},"k":{"type":"keyword"}}}"#;
    let cx = shard_analyzing(analysis, mapping, &[&[r#"{"t":"red x animal"}"#]]);
    let query = |field: &str| format!(r#"{{"match":{{"{field}":{{"query":"fox","analyzer":"s"}}}}}}"#);
    assert_eq!(described(&cx, &query("t"), false), "((+t:red +t:animal) t:fox)");
    assert_eq!(ids(&cx, &query("t")), "1");
    assert!(described(&cx, &query("k"), false).starts_with("((+ConstantScore(k:red) +ConstantScore(k:animal))"));
    let mapping = r#"{"properties":{"t":{"type":"text","index_phrases":true}}}"#;
    let cx = shard_analyzing(analysis, mapping, &[&[r#"{"t":"red animal"}"#]]);
    assert_eq!(described(&cx, &query("t"), false), r#"(t._index_phrase:"red animal" t:fox)"#);
}

#[test]
fn what_is_not_indexed_is_looked_for_among_values() {
    let mapping = r#"{"properties":{"k":{"type":"keyword","index":false},"t":{"type":"text","index":false}}}"#;
    let cx = shard(mapping, &[&[r#"{"k":"fox","t":"fox"}"#]]);
    assert_eq!(ids(&cx, r#"{"match":{"k":{"query":"fox dog","analyzer":"standard"}}}"#), "1");
    let asked = |text: &str, field: &str| {
        let body = format!(r#"{{"query":{{"query_string":{{"query":"{text}","fields":["{field}"]}}}}}}"#);
        search(&cx, &body)
    };
    assert!(asked("fo*", "k").contains(r#""value":1"#));
    for (text, field) in [("fo?", "k"), ("fox~", "t")] {
        let told = asked(text, field);
        assert!(told.contains(&format!("Cannot search on field [{field}] since it is not indexed.")), "{told}");
    }
}

#[test]
fn ends_of_ranges_are_open_however_the_star_is_written() {
    let cx = shard(r#"{"properties":{"k":{"type":"keyword"}}}"#, &[&[r#"{"k":"!"}"#, r#"{"k":"a"}"#]]);
    for star in ["*", r"\\*", r#"\"*\""#] {
        let query = format!(r#"{{"query_string":{{"query":"[{star} TO b]","fields":["k"]}}}}"#);
        assert_eq!(ids(&cx, &query), "1 2", "{star}");
    }
}

#[test]
fn names_of_fields_that_are_not_there() {
    let cx = shard(r#"{"properties":{"k":{"type":"keyword"}}}"#, &[]);
    let query = |text: &str| format!(r#"{{"query_string":{{"query":"{text}","fields":["no"]}}}}"#);
    let nothing = |told: &str| format!("MatchNoDocsQuery(\"unmapped fields [{told}]\")");
    assert_described(&cx, &[(&query("a"), &nothing("null")), (&query("no:a"), &nothing("no"))]);
    // Blanks that Java does not take away are a word.
    assert_described(&cx, &[(&query(r"\u00a0"), &nothing("null"))]);
}

#[test]
fn phrases_of_nothing() {
    let cx = shard(r#"{"properties":{"k":{"type":"keyword"}}}"#, &[]);
    let query = |text: &str| format!(r#"{{"simple_query_string":{{"query":"{text}","fields":["k"]}}}}"#);
    assert_described(
        &cx,
        &[
            (&query(r#"\"\"~"#), "ConstantScore(k:)"),
            (&query(r#"\"\"~2"#), "ConstantScore(k:)"),
            (&query(r#"\"a\"~"#), "ConstantScore(k:a)"),
        ],
    );
}

#[test]
fn patterns_of_query_strings_find_nothing_in_flat_objects() {
    let mapping = r#"{"properties":{"f":{"type":"flat_object"},"t":{"type":"text"}}}"#;
    let cx = shard(mapping, &[&[r#"{"f":{"p":"fox"},"t":"fox"}"#]]);
    let count = |kind: &str, text: &str, field: &str| {
        let query = format!(r#"{{"{kind}":{{"query":"{text}","fields":["{field}"],"analyze_wildcard":true}}}}"#);
        ids(&cx, &query)
    };
    assert_eq!((count("query_string", "f?x", "f"), count("query_string", "f?x", "f.p")), Default::default());
    assert_eq!(count("query_string", "f?x", "t"), "1");
    assert_eq!(count("simple_query_string", "fo*", "f.p"), "");
    assert_eq!(count("simple_query_string", "fo*", "t"), "1");
    assert_eq!(ids(&cx, r#"{"wildcard":{"f":"f?x"}}"#), "1");
}

#[test]
fn alternatives_are_the_same_in_any_order() {
    let analysis = r#"{"filter":{"s":{"type":"synonym","synonyms":["stone, rock"]}},"analyzer":{"s":{"tokenizer":"standard","filter":["s"]}}}"#;
    let mapping = r#"{"properties":{"t":{"type":"text","analyzer":"s"}}}"#;
    let cx = shard_analyzing(analysis, mapping, &[&[r#"{"t":"a stone"}"#, r#"{"t":"a rock of stone"}"#]]);
    // One stone is not both of them.
    let body = r#"{"query":{"intervals":{"t":{"match":{"query":"stone rock"}}}},"_source":false}"#;
    let found = search(&cx, body);
    assert!(found.contains(r#""value":1"#), "{found}");
}
