//! Suggestions of the reference for the same documents.

use super::*;
use crate::json::Writer;
use crate::query::{Node, Source};
use crate::search::tests::{search, shard};

fn suggest(cx: &ShardContext, body: &str) -> String {
    let value = crate::json::parse(body.as_bytes()).unwrap();
    let source = Source::new(body.as_bytes());
    let suggest = match Suggest::parse(Node::root(&value, &source)) {
        Ok(suggest) => Arc::new(suggest),
        Err(error) => return format!("{} {}", error.reason(), error.cause().map_or("", Error::reason)),
    };
    let mut task = SuggestTask::new(&suggest, cx.clone());
    loop {
        match task.run(&Budget::unlimited()) {
            Ok(Step::Yield) => {}
            Ok(Step::Done) => break,
            Err(error) => return error.reason().to_owned(),
        }
    }
    let suggested = reduce_suggestions(&suggest, vec![(0, task.finish())]).unwrap();
    let mut w = Writer::new();
    suggested.write(&suggest, false, &mut w);
    String::from_utf8(w.finish()).unwrap()
}

fn texts() -> ShardContext {
    let docs = [
        r#"{"t":"noble prize"}"#,
        r#"{"t":"nobel prize winner"}"#,
        r#"{"t":"nobel price"}"#,
        r#"{"t":"nobel peace prize"}"#,
        r#"{"t":"distributed search"}"#,
        r#"{"t":"saerch engies"}"#,
        r#"{"t":"search engine design"}"#,
    ];
    shard(r#"{"properties":{"t":{"type":"text"}}}"#, &[&docs])
}

#[test]
fn terms_that_are_near() {
    assert_eq!(
        suggest(&texts(), r#"{"s":{"text":"serch nobl","term":{"field":"t"}}}"#),
        concat!(
            r#"{"s":[{"text":"serch","offset":0,"length":5,"options":[{"text":"search","score":0.8,"freq":2},"#,
            r#"{"text":"saerch","score":0.8,"freq":1}]},{"text":"nobl","offset":6,"length":4,"options":["#,
            r#"{"text":"nobel","score":0.75,"freq":3},{"text":"noble","score":0.75,"freq":1}]}]}"#
        )
    );
}

#[test]
fn phrases_with_one_word_replaced() {
    let answer = suggest(
        &texts(),
        r#"{"s":{"text":"nobl prize","phrase":{"field":"t","size":1,"highlight":{"pre_tag":"<","post_tag":">"}}}}"#,
    );
    assert!(answer.contains(r#""text":"nobel prize","highlighted":"<nobel> prize""#), "{answer}");
}

#[test]
fn completions_by_weight_and_nearness() {
    let mapping = r#"{"properties":{"c":{"type":"completion"}}}"#;
    let docs = [
        r#"{"c":{"input":["Noble prize","other"],"weight":4}}"#,
        r#"{"c":{"input":"nobel price","weight":6}}"#,
        r#"{"c":"nothing"}"#,
    ];
    let cx = shard(mapping, &[&docs]);
    let of = |body: &str| {
        let answer = suggest(&cx, body);
        let texts = answer.split(r#"{"text":""#).skip(2).filter_map(|part| part.split('"').next());
        texts.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(of(r#"{"s":{"prefix":"NO","completion":{"field":"c"}}}"#), ["nobel price", "Noble prize", "nothing"]);
    assert_eq!(of(r#"{"s":{"prefix":"nobal","completion":{"field":"c","fuzzy":{}}}}"#), ["nobel price", "Noble prize"]);
    assert_eq!(of(r#"{"s":{"regex":"n[ao]b.*z","completion":{"field":"c"}}}"#), ["Noble prize"]);
}

#[test]
fn what_is_wrong_with_options_of_completions_is_told_where_it_is() {
    let cx = shard(r#"{"properties":{"c":{"type":"completion"}}}"#, &[&[r#"{"c":"amber"}"#]]);
    let answer = |options: &str| {
        let completion = format!(r#"{{"field":"c",{options}}}"#);
        search(&cx, &format!(r#"{{"suggest":{{"x":{{"prefix":"am","completion":{completion}}}}}}}"#))
    };
    let size = answer(r#""size":0"#);
    assert!(size.contains("[completion] failed to parse field [size]; caused by"), "{size}");
    assert!(size.contains("size must be positive"), "{size}");
    let fuzzy = answer(r#""fuzzy":{"prefix_length":-1}"#);
    assert!(fuzzy.contains("[completion] failed to parse field [fuzzy]"), "{fuzzy}");
    assert!(fuzzy.contains("[fuzzy] failed to parse field [prefix_length]"), "{fuzzy}");
    let flags = answer(r#""regex":{"flags":"NOPE"}"#);
    assert!(flags.contains("[regex] failed to parse field [flags]") && flags.contains("[NOPE]"), "{flags}");
    let found = suggest(&cx, r#"{"x":{"regex":"am","completion":{"field":"c","regex":{"flags":3}}}}"#);
    assert!(found.contains(r#""text":"amber""#), "{found}");
}

#[test]
fn contexts_are_told_of_all_entries_and_refused_by_shards() {
    let mapping = r#"{"properties":{"c":{"type":"completion","contexts":[{"name":"hue","type":"category"}]},"g":{"type":"completion","contexts":[{"name":"w","type":"geo"}]}}}"#;
    let doc = r#"{"c":[{"input":"amber","contexts":{"hue":"red"}},{"input":"ambers","contexts":{"hue":"green"}}]}"#;
    let cx = shard(mapping, &[&[doc]]);
    let asked = |field: &str, contexts: &str| {
        suggest(&cx, &format!(r#"{{"x":{{"prefix":"am","completion":{{"field":"{field}","contexts":{contexts}}}}}}}"#))
    };
    let found = asked("c", r#"{"hue":["green","red"]}"#);
    assert!(found.contains(r#""contexts":{"hue":["red","green"]}"#), "{found}");
    for (field, contexts, reason) in [
        ("c", r#"{"hue":{"context":"red","boost":0}}"#, "category context must be a string, number or boolean"),
        ("c", r#"{"hue":[["red"]]}"#, "category context must be an object, string, number or boolean"),
        ("c", r#"{"hue":{"boost":2}}"#, "category must not be null"),
        ("g", r#"{"w":{"context":"u17"}}"#, "[1:17] [geo] context doesn't support values of type: VALUE_STRING"),
        ("g", r#"{"w":{"lat":1,"lon":2,"boost":0}}"#, "[1:31] [geo] failed to parse field [boost]"),
        ("g", r#"{"w":5}"#, "geo context must be an object or string"),
    ] {
        let answer = asked(field, contexts);
        assert!(answer.contains(reason), "{contexts}: {answer}");
    }
}

#[test]
fn larger_cells_than_the_field_s_come_without_those_around_them() {
    let mapping = r#"{"properties":{"c":{"type":"completion","contexts":[{"name":"w","type":"geo","precision":4}]}}}"#;
    let doc =
        |lat: f64, lon: f64| format!(r#"{{"c":{{"input":"amber","contexts":{{"w":{{"lat":{lat},"lon":{lon}}}}}}}}}"#);
    // In one cell of two letters, and in the one beside it.
    let (near, beside) = (doc(50.5, 11.3), doc(50.5, 22.6));
    let cx = shard(mapping, &[&[&near, &beside]]);
    let found = |context: &str| {
        let completion =
            format!(r#"{{"field":"c","contexts":{{"w":[{{"context":{{"lat":50.6,"lon":11.4}},{context}}}]}}}}"#);
        let answer = suggest(&cx, &format!(r#"{{"x":{{"prefix":"am","completion":{completion}}}}}"#));
        answer.matches(r#""text":"amber""#).count()
    };
    assert_eq!(found(r#""precision":2"#), 1);
    assert_eq!(found(r#""neighbours":[2]"#), 2);
    assert_eq!(found(r#""precision":2,"neighbours":[2]"#), 1);
}

#[test]
fn generators_are_refused_where_the_reference_refuses_them() {
    let generator = |option: &str| {
        let body = format!(r#"{{"x":{{"text":"amber","phrase":{{"field":"t","direct_generator":[{{{option}}}]}}}}}}"#);
        suggest(&shard(r#"{"properties":{"t":{"type":"text"}}}"#, &[&[r#"{"t":"amber"}"#]]), &body)
    };
    for (option, reason) in [
        (r#""size":"a""#, r#"[direct_generator] failed to parse field [size] For input string: "a""#),
        (r#""max_edits":5"#, "Illegal max_edits value 5"),
        (r#""field":1"#, "[direct_generator] field doesn't support values of type: VALUE_NUMBER"),
        (r#""prefix_len":1"#, "unknown field [prefix_len] did you mean [prefix_length]?"),
        (r#""sort":"x""#, "Required [field]"),
        (r#""field":"t","suggest_mode":"X""#, "Illegal suggest mode x"),
        (r#""field":"t","suggest_mode":"x","pre_filter":"nope""#, "Analyzer [nope] doesn't exists"),
        (r#""field":"t","min_doc_freq":1.5"#, "Fractional absolute document frequencies are not allowed"),
        (r#""field":"t","min_doc_freq":-1"#, r#""options":[]"#),
    ] {
        let answer = generator(option);
        assert!(answer.contains(reason), "{option}: {answer}");
    }
}

#[test]
fn fields_that_are_not_there_are_told_in_the_order_of_a_hash_map() {
    let body = r#"{"words":{"text":"a","term":{"field":"x"}},"words_too":{"text":"b","term":{"field":"y"}}}"#;
    assert!(suggest(&texts(), body).contains("no mapping found for field [y]"));
}

#[test]
fn options_that_are_wrong_or_empty() {
    let mapping = r#"{"properties":{"t":{"type":"text"},"c":{"type":"completion"}}}"#;
    let cx = shard(mapping, &[&[r#"{"t":"fox den","c":"fox"}"#]]);
    let completion = |options: &str| format!(r#""prefix":"fo","completion":{{"field":"c",{options}}}"#);
    let phrase = |options: &str| format!(r#""text":"fix","phrase":{{"field":"t",{options}}}"#);
    for (suggestion, expected) in [
        (completion(r#""skip_duplicates":1"#), "skip_duplicates doesn't support values of type: VALUE_NUMBER"),
        (completion(r#""analyzer":5"#), "[completion] analyzer doesn't support values of type: VALUE_NUMBER"),
        (completion(r#""regex":{"x":1}"#), "[completion] failed to parse field [regex]"),
        (r#""prefix":null,"completion":{"field":"c"}"#.to_owned(), "The required text option is missing"),
        (r#""prefix":["fo"],"completion":{"field":"c"}"#.to_owned(), r#""text":"fox""#),
        (r#""text":"fix","term":{"field":"t","shard_size":0}"#.to_owned(), "ShardSize must be positive but was: 0"),
        (phrase(r#""collate":{},"highlight":{}"#), r#""length":3"#),
        (phrase(r#""collate":{"query":{}}"#), "must specify either [source]"),
        (phrase(r#""collate":{"prune":"x"}"#), "prune must be either 'true' or 'false'"),
        (phrase(r#""smoothing":{"laplace":5}"#), "[smoothing] unknown token [VALUE_NUMBER] after [laplace]"),
        (phrase(r#""size":{}"#), "suggester[phrase]  doesn't support array field [size]"),
    ] {
        let answer = suggest(&cx, &format!(r#"{{"s":{{{suggestion}}}}}"#));
        assert!(answer.contains(expected), "{suggestion}: {answer}");
    }
}

#[test]
fn phrases_of_one_shard_stay_in_its_order() {
    let body = br#"{"s":{"text":"x","phrase":{"field":"t"}}}"#;
    let value = crate::json::parse(body).unwrap();
    let source = Source::new(body);
    let suggest = Suggest::parse(Node::root(&value, &source)).unwrap();
    // As alike as they are, told by fewer digits than they were put in order by.
    let choice = |text: &str| Choice { text: text.to_owned(), score: 0.5, ..Choice::default() };
    let entry = || Entry {
        text: "x".to_owned(),
        offset: 0,
        length: 1,
        options: vec![choice("draws"), choice("dian")],
        cutoff: 0.0,
    };
    let texts = |shards: Vec<(u32, ShardSuggestions)>| {
        let mut w = Writer::new();
        reduce_suggestions(&suggest, shards).unwrap().write(&suggest, false, &mut w);
        let found = String::from_utf8(w.finish()).unwrap();
        (found.find("draws"), found.find("dian"))
    };
    let (first, second) = texts(vec![(0, vec![vec![entry()]])]);
    assert!(first < second);
    let (first, second) = texts(vec![(0, vec![vec![entry()]]), (1, vec![vec![entry()]])]);
    assert!(first > second);
}

#[test]
fn what_completions_begin_with_stands_beside_the_text() {
    let cx = shard(
        r#"{"properties":{"c":{"type":"completion"},"t":{"type":"text"}}}"#,
        &[&[r#"{"c":"world","t":"world"}"#]],
    );
    let found = |entry: &str| {
        let answer = suggest(&cx, &format!(r#"{{"s":{{{entry}}}}}"#));
        (answer.contains(r#"{"text":"world""#), answer.split('"').nth(5).unwrap_or_default().to_owned())
    };
    let completion = r#""completion":{"field":"c"}"#;
    assert_eq!(found(&format!(r#""text":"x","prefix":"wo",{completion}"#)), (true, "x".to_owned()));
    assert_eq!(found(&format!(r#""text":"x","regex":"w.",{completion}"#)), (false, "x".to_owned()));
    assert_eq!(found(&format!(r#""regex":"w.",{completion}"#)), (true, "w.".to_owned()));
    assert!(!found(&format!(r#""regex":"",{completion}"#)).0);
    assert_eq!(found(r#""text":"wrld","prefix":"x","term":{"field":"t"}"#).1, "wrld");
    // By the length of a text that nobody knows.
    let near = |prefix: &str, fuzziness: &str| {
        let fuzzy = format!(r#""completion":{{"field":"c","fuzzy":{{"fuzziness":"{fuzziness}"}}}}"#);
        suggest(&cx, &format!(r#"{{"s":{{"prefix":"{prefix}",{fuzzy}}}}}"#)).contains(r#"{"text":"world""#)
    };
    let found = |prefix: &str| ["AUTO", "AUTO:1,3", "AUTO:6,9"].map(|fuzziness| near(prefix, fuzziness));
    assert_eq!((found("wold"), found("wxxld")), ([true, true, false], [false, true, false]));
}

#[test]
fn edits_are_those_of_bytes_unless_characters_are_asked_for() {
    let docs = [r#"{"c":{"input":"東京","weight":2}}"#, r#"{"c":"東西"}"#, r#"{"c":"cafés"}"#];
    let cx = shard(r#"{"properties":{"c":{"type":"completion"}}}"#, &[&docs]);
    let found = |prefix: &str, options: &str| -> Vec<String> {
        let fuzzy = format!(r#""completion":{{"field":"c","fuzzy":{{{options}}}}}"#);
        let answer = suggest(&cx, &format!(r#"{{"s":{{"prefix":"{prefix}",{fuzzy}}}}}"#));
        let texts = answer.split(r#"{"text":""#).skip(2).filter_map(|part| part.split('"').next());
        texts.map(str::to_owned).collect()
    };
    let both = ["東京", "東西"];
    assert_eq!(found("東", ""), both);
    assert_eq!(found("東", r#""unicode_aware":true"#), both);
    assert_eq!(found("東北", r#""unicode_aware":true,"min_length":1"#), both);
    assert!(found("東北", "").is_empty());
    assert_eq!(found("cafè", ""), ["cafés"]);
}
