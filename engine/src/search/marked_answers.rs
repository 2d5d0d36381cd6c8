//! What highlighters mark.

use crate::query::ShardContext;
use crate::search::tests::{search, shard, shard_analyzing};

/// What of the hits is highlighted by the plain highlighter.
fn marked(cx: &ShardContext, query: &str) -> String {
    marked_by("plain", cx, query)
}

fn marked_by(kind: &str, cx: &ShardContext, query: &str) -> String {
    let body = format!(r#"{{"query":{query},"_source":false,"highlight":{{"type":"{kind}","fields":{{"t":{{}}}}}}}}"#);
    let response = search(cx, &body);
    match response.split_once(r#""highlight":"#) {
        Some((_, marked)) => marked.split(']').next().unwrap_or_default().to_owned(),
        None => response,
    }
}

#[test]
fn terms_that_are_near_count_for_how_near_they_are() {
    let cx = shard(r#"{"properties":{"t":{"type":"text"},"u":{"type":"text"}}}"#, &[&[r#"{"t":"o on x stones"}"#]]);
    assert_eq!(marked(&cx, r#"{"fuzzy":{"t":{"value":"o","fuzziness":1}}}"#), r#"{"t":["<em>o</em> on x stones""#);
    assert_eq!(marked(&cx, r#"{"fuzzy":{"t":{"value":"stone"}}}"#), r#"{"t":["o on x <em>stones</em>""#);
    let far =
        marked(&cx, r#"{"bool":{"must":{"match_all":{}},"should":{"fuzzy":{"t":{"value":"xyz","fuzziness":2}}}}}"#);
    assert!(far.contains("boost must be a positive float, got -1.0"), "{far}");
    let scored = r#"{"script_score":{"query":{"fuzzy":{"t":{"value":"o","fuzziness":2}}},"script":{"source":"1"}}}"#;
    assert_eq!(
        marked(&cx, scored),
        r#"{"t":["<em>o</em> <em>on</em> <em>x</em> stones""#,
        "how near is not known there"
    );
    let combined = |word: &str| format!(r#"{{"combined_fields":{{"query":"{word}","fields":["t","u"],"boost":0}}}}"#);
    assert_eq!(marked(&cx, &combined("stones")), r#"{"t":["o on x <em>stones</em>""#);
    let behind = format!(r#"{{"bool":{{"must":[{{"match":{{"t":"x"}}}},{}]}}}}"#, combined("stones"));
    assert_eq!(marked(&cx, &behind), r#"{"t":["o on <em>x</em> stones""#);
}

#[test]
fn of_what_is_not_looked_into_words_are_marked_beside_nothing_else() {
    let cx = shard(r#"{"properties":{"t":{"type":"text"}}}"#, &[&[r#"{"t":"list of all kinds of x"}"#]]);
    let phrase = r#"{"match_phrase":{"t":"list of all"}}"#;
    let word = r#"{"match":{"t":"kinds"}}"#;
    let scored = |query: &str| format!(r#"{{"function_score":{{"query":{query}}}}}"#);
    let script = |query: &str| format!(r#"{{"script_score":{{"query":{query},"script":{{"source":"1"}}}}}}"#);
    let both = |a: &str, b: &str| format!(r#"{{"bool":{{"must":[{a},{b}]}}}}"#);
    let of_phrase = r#"{"t":["<em>list</em> <em>of</em> <em>all</em> kinds of x""#;
    let of_words = r#"{"t":["<em>list</em> <em>of</em> <em>all</em> kinds <em>of</em> x""#;
    for (kind, query, wanted) in [
        ("unified", phrase.to_owned(), of_phrase),
        ("unified", scored(phrase), of_words),
        ("unified", script(phrase), of_words),
        ("unified", both(phrase, &scored(word)), of_phrase),
        ("plain", scored(phrase), of_phrase),
        ("plain", script(phrase), of_words),
        ("plain", both(phrase, &script(word)), of_phrase),
        ("unified", both(phrase, r#"{"terms":{"t":["kinds"]}}"#), of_phrase),
    ] {
        assert_eq!(marked_by(kind, &cx, &query), wanted, "{kind} {query}");
    }
    let pattern = both(phrase, &scored(r#"{"wildcard":{"t":"ki*"}}"#));
    assert_eq!(
        marked_by("unified", &cx, &pattern),
        r#"{"t":["<em>list</em> <em>of</em> <em>all</em> <em>kinds</em> of x""#
    );
}

#[test]
fn beginnings_stand_for_as_many_words_as_they_may() {
    let cx = shard(r#"{"properties":{"t":{"type":"text"}}}"#, &[&[r#"{"t":"in the inside of inns"}"#]]);
    let query = |text: &str, most: u32| {
        format!(r#"{{"match_phrase_prefix":{{"t":{{"query":"{text}","slop":4,"max_expansions":{most}}}}}}}"#)
    };
    assert_eq!(marked(&cx, &query("in", 1)), r#"{"t":["<em>in</em> the inside of inns""#);
    assert_eq!(marked(&cx, &query("in", 2)), r#"{"t":["<em>in</em> the inside of <em>inns</em>""#);
    assert_eq!(
        marked_by("unified", &cx, &query("in", 50)),
        r#"{"t":["<em>in</em> the <em>inside</em> of <em>inns</em>""#
    );
}

#[test]
fn what_pieces_are_looked_for_is_not_marked() {
    let mapping = r#"{"properties":{"t":{"type":"text"},"w":{"type":"wildcard"},"u":{"type":"text"}}}"#;
    let cx = shard(mapping, &[&[r#"{"t":"house","w":"house","u":"require"}"#]]);
    let body = |query: &str| {
        format!(
            r#"{{"query":{query},"highlight":{{"require_field_match":false,"fields":{{"t":{{}}}}}},"_source":false}}"#
        )
    };
    assert!(!search(&cx, &body(r#"{"wildcard":{"w":"*us*"}}"#)).contains("highlight"));
    assert!(search(&cx, &body(r#"{"wildcard":{"t":"*us*"}}"#)).contains("<em>house</em>"));
}

#[test]
fn ranges_of_keywords_mark_twice() {
    let mapping = r#"{"properties":{"t":{"type":"text"},"k":{"type":"keyword"}}}"#;
    let (first, second) = (
        "aa aa aa aa zzz zzz zzz zzz zzz zzz zzz zzz zzz zzz zzz zzz zzz zzz zzz zzz.",
        "Aa aa aa aa aa zzz zzz zzz zzz zzz zzz zzz zzz zzz zzz zzz zzz zzz zzz zzz zzz zzz.",
    );
    let cx = shard(mapping, &[&[&*format!(r#"{{"t":"{first} {second}","k":"a"}}"#)]]);
    let body = |range: &str| {
        format!(
            r#"{{"query":{{"range":{range}}},"highlight":{{"require_field_match":false,"fields":{{"t":{{"number_of_fragments":1}}}}}},"_source":false}}"#
        )
    };
    // Four marks that count twice outweigh five behind them that do, though not if each counts once.
    assert!(search(&cx, &body(r#"{"k":{"lt":"b"}}"#)).contains(r#"["<em>aa</em>"#));
    assert!(search(&cx, &body(r#"{"t":{"lt":"b"}}"#)).contains(r#"["<em>Aa</em>"#));
}

#[test]
fn a_mark_ends_with_its_passage() {
    let analysis = r#"{"analyzer":{"pairs":{"tokenizer":"standard","filter":["shingle"]}}}"#;
    let mapping = r#"{"properties":{"t":{"type":"text","analyzer":"pairs"}}}"#;
    let cx = shard_analyzing(analysis, mapping, &[&[r#"{"t":"valley and fox haven running"}"#]]);
    let body = r#"{"query":{"match":{"t":"fox"}},"highlight":{"fields":{"t":{"fragment_size":10}}},"_source":false}"#;
    assert!(search(&cx, body).contains(r#""valley and <em>fox</em>""#), "{}", search(&cx, body));
}

#[test]
fn of_functions_and_scripts_words_are_marked_and_not_what_a_phrase_ends_with() {
    let cx = shard(r#"{"properties":{"t":{"type":"text"}}}"#, &[&[r#"{"t":"fjord amber north fjord ambers"}"#]]);
    let function = |query: &str| format!(r#"{{"function_score":{{"query":{query}}}}}"#);
    let script = |query: &str| format!(r#"{{"script_score":{{"query":{query},"script":{{"source":"1"}}}}}}"#);
    let phrase = r#"{"match_phrase_prefix":{"t":"fjord amber"}}"#;
    let words = "<em>fjord</em> amber north <em>fjord</em> ambers";
    for query in [function(phrase), script(phrase)] {
        assert!(marked_by("unified", &cx, &query).contains(words), "{}", marked_by("unified", &cx, &query));
    }
    let all = "<em>fjord</em> <em>amber</em> north <em>fjord</em> <em>ambers</em>";
    assert!(marked(&cx, &script(phrase)).contains(all), "{}", marked(&cx, &script(phrase)));
    let fuzzy = |rewrite: &str| script(&format!(r#"{{"fuzzy":{{"t":{{"value":"ambex","rewrite":"{rewrite}"}}}}}}"#));
    assert!(marked(&cx, &fuzzy("scoring_boolean")).contains("<em>amber</em>"));
    assert!(!marked(&cx, &fuzzy("constant_score")).contains("<em>"));
}

/// The reference does not count the step to the first word: it takes each phrase to stand one word further on than it does.
#[test]
fn fragments_begin_within_phrases_and_wait_behind_them() {
    let text = r#"Behavior-oriented integration testing for Yesod applications.\nThis package contains the normal library files."#;
    let cx = shard(r#"{"properties":{"t":{"type":"text"}}}"#, &[&[format!(r#"{{"t":"{text}"}}"#).as_str()]]);
    let told = |phrase: &str, size: usize| {
        let highlight = format!(r#"{{"type":"plain","fragment_size":{size},"fields":{{"t":{{}}}}}}"#);
        let body =
            format!(r#"{{"query":{{"match_phrase":{{"t":"{phrase}"}}}},"_source":false,"highlight":{highlight}}}"#);
        let found = search(&cx, &body);
        let (_, marked) = found.split_once(r#""highlight":{"t":["#).expect("it matches");
        marked.split(']').next().unwrap_or_default().to_owned()
    };
    let first = r#"" <em>applications</em>",".\n<em>This</em> package""#;
    assert_eq!(told("applications this", 10), first);
    assert_eq!(told("package contains", 10), r#"" <em>package</em>"," <em>contains</em> the""#);
    let longer =
        r#"" for Yesod applications.\n<em>This</em> <em>package</em> <em>contains</em> the normal library files.""#;
    assert_eq!(told("this package contains", 40), longer);
}

/// Were it nothing.
#[test]
fn the_last_of_several_patterns_says_what_is_marked_in_a_field() {
    let cx = shard(r#"{"properties":{"t":{"type":"text"}}}"#, &[&[r#"{"t":"list of x"}"#]]);
    let marked =
        |fields: &str| search(&cx, &format!(r#"{{"highlight":{{"fields":[{fields}]}}}}"#)).contains("highlight");
    assert!(marked(r#"{"*":{}},{"t":{"no_match_size":4}}"#) && !marked(r#"{"t":{"no_match_size":4}},{"*":{}}"#));
}

/// Whether or not a document has such words in the field that they are looked for in.
#[test]
fn words_of_patterns_within_spans_are_marked_in_other_fields() {
    let cx =
        shard(r#"{"properties":{"t":{"type":"text"},"u":{"type":"text"}}}"#, &[&[r#"{"t":"list of x","u":"on"}"#]]);
    for pattern in
        [r#"{"fuzzy":{"u":{"value":"of"}}}"#, r#"{"fuzzy":{"u":{"value":"ofx"}}}"#, r#"{"prefix":{"u":"of"}}"#]
    {
        for kind in ["unified", "plain"] {
            let span = format!(r#"{{"span_multi":{{"match":{pattern}}}}}"#);
            let fields = format!(r#"{{"t":{{"type":"{kind}","require_field_match":false,"highlight_query":{span}}}}}"#);
            let found = search(&cx, &format!(r#"{{"highlight":{{"fields":{fields}}}}}"#));
            assert!(found.contains("list <em>of</em> x"), "{found}");
        }
    }
}

#[test]
fn fields_that_match_beside_the_own() {
    let mapping = r#"{"properties":{"t":{"type":"text","term_vector":"with_positions_offsets","fields":{"e":{"type":"text","analyzer":"english","term_vector":"with_positions_offsets"}}}}}"#;
    let cx = shard(mapping, &[&[r#"{"t":"quick foxes run"}"#]]);
    let told = |kind: &str, options: &str, query: &str| {
        let fields = format!(r#"{{"t":{{"type":"{kind}",{options}}}}}"#);
        let found = search(&cx, &format!(r#"{{"query":{query},"_source":false,"highlight":{{"fields":{fields}}}}}"#));
        found.split_once(r#""highlight":{"t":["#).map_or("", |(_, rest)| rest.split(']').next().unwrap()).to_owned()
    };
    let (word, phrase) = (r#"{"match":{"t.e":"fox"}}"#, r#"{"match_phrase":{"t.e":"quick fox"}}"#);
    let both = r#""matched_fields":["t","t.e"]"#;
    assert_eq!(told("fvh", both, word), r#""quick <em>foxes</em> run""#);
    assert_eq!(told("fvh", both, phrase), r#""<em>quick foxes</em> run""#);
    assert_eq!(
        told("fvh", r#""matched_fields":["t.e"],"require_field_match":false"#, word),
        r#""quick <em>foxes</em> run""#
    );
    assert_eq!(told("unified", both, word), r#""quick <em>foxes</em> run""#);
    // The plain one knows no other fields.
    assert_eq!(told("plain", both, word), "");
    let apart = shard(mapping, &[&[r#"{"t":"in St. Louis, Mo."}"#]]);
    let query = r#"{"query":{"match_phrase":{"t":"st louis mo"}},"highlight":{"fields":{"t":{"type":"fvh"}}}}"#;
    assert!(search(&apart, query).contains("in <em>St. Louis, Mo</em>."));
    assert_eq!(told("fvh", r#""matched_fields":["no"],"require_field_match":false"#, word), "");
}

#[test]
fn where_nothing_matches_nothing_is_shown_of_blanks() {
    let mapping = r#"{"properties":{"t":{"type":"text","term_vector":"with_positions_offsets"}}}"#;
    let cx = shard(mapping, &[&[r#"{"t":["  ","a b"]}"#, r#"{"t":["a b","c d"]}"#]]);
    let told = |id: u32, options: &str| {
        let body =
            format!(r#"{{"query":{{"ids":{{"values":["{id}"]}}}},"highlight":{{"fields":{{"t":{{{options}}}}}}}}}"#);
        search(&cx, &body).contains("highlight")
    };
    assert!(!told(1, r#""no_match_size":5"#) && told(2, r#""no_match_size":5"#));
    // A fragment that goes over the end of the first of several values is none.
    let fast = |size: u32| format!(r#""type":"fvh","no_match_size":{size}"#);
    assert!(told(2, &fast(3)) && told(2, &fast(4)) && !told(2, &fast(5)));
}

#[test]
fn what_scans_is_asked_for_where_there_is_something_to_scan() {
    let cx = shard(r#"{"properties":{"t":{"type":"text"},"u":{"type":"text"}}}"#, &[&[r#"{"t":"a b"}"#]]);
    let told = |field: &str, more: &str| {
        let options = format!(r#"{{"boundary_scanner":"chars"{more}}}"#);
        search(&cx, &format!(r#"{{"highlight":{{"fields":{{"{field}":{options}}}}}}}"#))
    };
    assert!(told("t", "").contains("Invalid boundary scanner type: chars"));
    assert!(!told("u", "").contains("Invalid") && !told("t", r#","number_of_fragments":0"#).contains("Invalid"));
}

#[test]
fn fragments_of_the_fast_highlighter() {
    let analysis =
        r#"{"analyzer":{"g":{"tokenizer":"g"}},"tokenizer":{"g":{"type":"ngram","min_gram":2,"max_gram":3}}}"#;
    let mapping = r#"{"properties":{"g":{"type":"text","analyzer":"g","term_vector":"with_positions_offsets"},"t":{"type":"text","term_vector":"with_positions_offsets"}}}"#;
    let docs = [r#"{"g":"abcdef","t":["one fox. end","two foxes fox"]}"#, r#"{"t":""}"#];
    let cx = shard_analyzing(analysis, mapping, &[&docs]);
    let told = |query: &str, field: &str, options: &str| {
        let fields = format!(r#"{{"{field}":{{"type":"fvh"{options}}}}}"#);
        let found = search(&cx, &format!(r#"{{"query":{query},"_source":false,"highlight":{{"fields":{fields}}}}}"#));
        let shown = format!(r#""highlight":{{"{field}":["#);
        found.split_once(&shown).map_or(String::new(), |(_, rest)| rest.split(']').next().unwrap().to_owned())
    };
    // Of words in the same text the one that stands first.
    assert_eq!(told(r#"{"match":{"g":"abcdef"}}"#, "g", ""), r#""<em>ab</em><em>cd</em><em>ef</em>""#);
    let fox = r#"{"match":{"t":"fox"}}"#;
    assert_eq!(told(fox, "t", ""), r#""one <em>fox</em>. end","two foxes <em>fox</em>""#);
    // Where wholes are shown, their beginnings are looked for as those of others.
    let whole = r#","number_of_fragments":0,"boundary_chars":".""#;
    assert_eq!(told(fox, "t", whole), r#""one <em>fox</em>. end"," end two foxes <em>fox</em>""#);
    // Behind the end of a value stands what was looked at before.
    let scored = r#"{"bool":{"should":[{"match":{"t":"fox"}},{"match":{"t":{"query":"two foxes","boost":3}}}]}}"#;
    let by_score = told(scored, "t", r#","order":"score","boundary_chars":"x","boundary_max_scan":9"#);
    assert_eq!(by_score, r#"". end <em>two</em> <em>foxes</em> <em>fox</em>","one <em>fox</em>. end two fo""#);
    assert_eq!(told(r#"{"ids":{"values":["2"]}}"#, "t", r#","no_match_size":9"#), r#""""#);
}
