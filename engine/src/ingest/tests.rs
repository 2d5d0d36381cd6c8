//! Pipelines as a whole; expectations are the reference's.

use super::*;
use crate::error::Result;
use crate::json::{Map, Value, parse};
use crate::pace::{Pace, block_on_ready};
use std::sync::Arc;

fn object(text: &str) -> Map {
    match parse(text.as_bytes()).unwrap() {
        Value::Object(map) => map,
        other => panic!("{other:?} is no object"),
    }
}

fn pipelines(configs: &[(&str, &str)]) -> Pipelines {
    let mut all = Pipelines::default();
    for (id, config) in configs {
        let config = object(config);
        let pipeline = Arc::new(Pipeline::parse(id, &config, &NoScripts).unwrap());
        all.by_id.insert((*id).to_owned(), Stored { config, pipeline });
    }
    all
}

fn document(source: &str) -> Document {
    let metadata = Map::from_iter([("_index", "i"), ("_id", "1")]);
    Document::new(metadata, object(source), "2026-01-01T00:00:00Z".into())
}

fn run_in(all: &Pipelines, id: &str, source: &str) -> Result<(Flow, String)> {
    let pace = Pace::never();
    let run = Run { pipelines: all, pace: &pace, now_ms: 0, clock: || 0 };
    let mut doc = document(source);
    let flow = block_on_ready(run.document(all.get(id).unwrap(), &mut doc)).map_err(|failure| failure.error)?;
    Ok((flow, String::from_utf8(Value::Object(doc.split().1).to_bytes()).unwrap()))
}

fn run(processors: &str, source: &str) -> String {
    let all = pipelines(&[("p", &format!(r#"{{"processors":{processors}}}"#))]);
    match run_in(&all, "p", source) {
        Ok((Flow::Goes, source)) => source,
        Ok((Flow::Dropped, _)) => "dropped".into(),
        Err(error) => error.reason().to_owned(),
    }
}

#[test]
fn conditions_see_a_document_that_they_cannot_change() {
    let tried = |condition: &str| {
        let all = pipelines(&[("p", &format!(r#"{{"processors":[{{"drop":{{"if":"{condition}"}}}}]}}"#))]);
        let error = run_in(&all, "p", r#"{"a":{"b":1},"l":[1]}"#).unwrap_err();
        error.cause().unwrap().reason().to_owned()
    };
    let told = "Mutating ingest documents in conditionals is not supported";
    for change in ["ctx.x = 1", "ctx.a.b = 2", "ctx.l.add(2)", "ctx.l[0] = 2; true", "ctx.a.clear()"] {
        assert_eq!(tried(change), told, "{change}");
    }
    let class = "org.opensearch.ingest.ConditionalProcessor";
    assert_eq!(tried("ctx.a"), format!("cannot cast def [{class}.UnmodifiableIngestData] to boolean"));
    assert_eq!(tried("ctx.l"), format!("cannot cast def [{class}.UnmodifiableIngestList] to boolean"));
    assert_eq!(run(r#"[{"drop":{"if":"ctx.l.contains(1) && ctx.a.b == 1"}}]"#, r#"{"a":{"b":1},"l":[1]}"#), "dropped");
}

#[test]
fn foreach_without_a_list_escapes_what_is_said_about_failures() {
    let each = r#""foreach":{"field":"k","ignore_failure":true,"processor":{"trim":{"field":"k"}}}"#;
    let config = format!(r#"{{"processors":[{{{each}}}],"on_failure":[{{"drop":{{}}}}]}}"#);
    let all = pipelines(&[("p", &config)]);
    let error = run_in(&all, "p", r#"{"k":"x"}"#).unwrap_err();
    assert_eq!(error.reason(), "field [k] of type [java.lang.String] cannot be cast to [java.util.List]");
    assert_eq!(run_in(&all, "p", r#"{"k":null}"#).unwrap().0, Flow::Goes);
}

#[test]
fn failures_are_dealt_with() {
    let told = r#"[{"set":{"field":"e","value":"{{_ingest.on_failure_message}}|{{_ingest.on_failure_processor_type}}|{{_ingest.on_failure_processor_tag}}|{{_ingest.on_failure_pipeline}}"}}]"#;
    assert_eq!(
        run(&format!(r#"[{{"fail":{{"message":"m {{{{a}}}}","tag":"T","on_failure":{told}}}}}]"#), r#"{"a":1}"#),
        r#"{"a":1,"e":"m 1|fail|T|"}"#
    );
    assert_eq!(run(r#"[{"fail":{"message":"m","ignore_failure":true}}]"#, "{}"), "{}");
    assert_eq!(run(r#"[{"fail":{"message":"m"}},{"set":{"field":"a","value":1}}]"#, "{}"), "m");
    let outer = format!(r#"{{"processors":[{{"pipeline":{{"name":"in"}}}}],"on_failure":{told}}}"#);
    let all = pipelines(&[("out", &outer), ("in", r#"{"processors":[{"fail":{"message":"inner","tag":"it"}}]}"#)]);
    assert_eq!(run_in(&all, "out", "{}").unwrap().1, r#"{"e":"inner|fail|it|in"}"#);
    let figures = all.get("in").unwrap().stats.figures();
    assert_eq!((figures.count, figures.failed, figures.current), (1, 1, 0));
}

#[test]
fn circles_of_pipelines_are_refused() {
    let all = pipelines(&[
        ("a", r#"{"processors":[{"pipeline":{"name":"b"}}]}"#),
        ("b", r#"{"processors":[{"pipeline":{"name":"a"}}]}"#),
    ]);
    assert_eq!(run_in(&all, "a", "{}").unwrap_err().reason(), "Cycle detected for pipeline: a");
}

#[test]
fn documents_grow_within_bounds() {
    let doubling = r#"{"append":{"field":"a","value":["{{a}}","{{a}}"]}}"#;
    let told = run(&format!("[{}]", vec![doubling; 60].join(",")), r#"{"a":["x"]}"#);
    assert!(told.contains("exceed") || told.contains("more than [67108864] bytes"), "{}", &told[..200.min(told.len())]);
    let deep =
        |depth: usize| run(&format!(r#"[{{"set":{{"field":"{}","value":1}}}}]"#, vec!["a"; depth].join(".")), "{}");
    assert_eq!(deep(3), r#"{"a":{"a":{"a":1}}}"#);
    assert!(deep(1_000).starts_with(r#"{"a":{"a":"#));
    assert!(deep(50_000).ends_with("nests deeper than the maximum of [1000]"));
    let copies = r#"{"copy":{"source_field":"a","target_field":"a.a.a.a.a.a.a.a.a.a","override_target":true}}"#;
    let copied = run(&format!("[{}]", vec![copies; 300].join(",")), r#"{"a":{"b":1}}"#);
    assert!(copied.ends_with("nests deeper than the maximum of [1000]"), "{}", &copied[..200.min(copied.len())]);
}

#[test]
fn items_of_lists() {
    let upper = r#"{"uppercase":{"field":"_ingest._value"}}"#;
    let foreach = |processor: &str| format!(r#"[{{"foreach":{{"field":"v","processor":{processor}}}}}]"#);
    assert_eq!(run(&foreach(upper), r#"{"v":["a","b"]}"#), r#"{"v":["A","B"]}"#);
    assert_eq!(
        run(&foreach(r#"{"append":{"field":"o","value":"{{_ingest._value}}"}}"#), r#"{"v":["a","b"]}"#),
        r#"{"v":["a","b"],"o":["a","b"]}"#
    );
    assert_eq!(
        run(&foreach(upper), r#"{"v":["a",1]}"#),
        "field [_ingest._value] of type [java.lang.Integer] cannot be cast to [java.lang.String]"
    );
    assert_eq!(run(&foreach(r#"{"drop":{}}"#), r#"{"v":[1]}"#), "dropped");
}

#[test]
fn processors_in_a_row() {
    for (processors, source, expected) in [
        (r#"[{"rename":{"field":"a","target_field":"a.b"}}]"#, r#"{"a":1}"#, r#"{"a":{"b":1}}"#),
        (r#"[{"remove":{"exclude_field":["a"]}}]"#, r#"{"a":1,"b":2}"#, r#"{"a":1}"#),
        (r#"[{"dot_expander":{"field":"a.b"}}]"#, r#"{"a.b":1,"a":{"b":2}}"#, r#"{"a":{"b":[2,1]}}"#),
        (
            r#"[{"kv":{"field":"f","field_split":" ","value_split":"="}}]"#,
            r#"{"f":"a=b a=c"}"#,
            r#"{"f":"a=b a=c","a":["b","c"]}"#,
        ),
        (r#"[{"json":{"field":"f"}}]"#, r#"{"f":"{\"a\":[1]}"}"#, r#"{"f":{"a":[1]}}"#),
        (r#"[{"sort":{"field":"a","order":"desc"}}]"#, r#"{"a":["b","ä","Z"]}"#, r#"{"a":["ä","b","Z"]}"#),
        (r#"[{"join":{"field":"a","separator":"-"}}]"#, r#"{"a":[1,"x",2.5]}"#, r#"{"a":"1-x-2.5"}"#),
        (
            r#"[{"set":{"field":"{{a}}.x","value":["{{a}}",{"k":"{{_source.a}}"}]}}]"#,
            r#"{"a":"q"}"#,
            r#"{"a":"q","q":{"x":["q",{"k":"q"}]}}"#,
        ),
        (
            r#"[{"fingerprint":{"fields":["b","a"]}}]"#,
            r#"{"a":"x","b":[1,{"z":1.5}]}"#,
            r#"{"a":"x","b":[1,{"z":1.5}],"fingerprint":"SHA-1@2.16.0:KBOL3qcH1Yy4d2fmIeC1dQ968Vk="}"#,
        ),
        (
            r#"[{"community_id":{"source_ip_field":"s","destination_ip_field":"d","protocol_field":"p","source_port_field":"sp","destination_port_field":"dp","target_field":"s"}}]"#,
            r#"{"s":"128.232.110.120","d":"66.35.250.204","p":"tcp","sp":34855,"dp":80}"#,
            r#"{"s":"1:LQU9qZlK+B5F3KDmev6m5PMibrg=","d":"66.35.250.204","p":"tcp","sp":34855,"dp":80}"#,
        ),
        (
            r#"[{"community_id":{"source_ip_field":"s","destination_ip_field":"d","protocol_field":"p","ignore_missing":true}}]"#,
            r#"{"s":"128.232.110.120","d":"66.35.250.204","p":"tcp"}"#,
            r#"{"s":"128.232.110.120","d":"66.35.250.204","p":"tcp"}"#,
        ),
        (
            r#"[{"date":{"field":"a","formats":["UNIX"],"timezone":"Europe/Berlin","target_field":"a"}}]"#,
            r#"{"a":1000}"#,
            r#"{"a":"1970-01-01T01:16:40.000+01:00"}"#,
        ),
        (
            r#"[{"grok":{"field":"a","patterns":["%{INT:i}x","%{WORD:w}"]}}]"#,
            r#"{"a":"abc"}"#,
            r#"{"a":"abc","w":"abc"}"#,
        ),
    ] {
        assert_eq!(run(processors, source), expected);
    }
}

#[test]
fn wrong_configurations() {
    let reason = |config: &str| Pipeline::parse("p", &object(config), &NoScripts).err().unwrap();
    for (config, expected) in [
        (r#"{}"#, "[processors] required property is missing"),
        (r#"{"processors":[{"nope":{}}]}"#, "No processor type exists with name [nope]"),
        (r#"{"processors":[{"set":{"field":"a"}}]}"#, "[value] required property is missing"),
        (
            r#"{"processors":[{"set":{"field":"a","value":1,"foo":2,"bar":3}}]}"#,
            "processor [set] doesn't support one or more provided configuration parameters [bar, foo]",
        ),
        (
            r#"{"processors":[],"x":1}"#,
            "pipeline [p] doesn't support one or more provided configuration parameters [x]",
        ),
        (r#"{"processors":[],"on_failure":[]}"#, "pipeline [p] cannot have an empty on_failure option defined"),
        (
            r#"{"processors":[{"set":{"field":"a","value":1,"on_failure":[]}}]}"#,
            "[on_failure] processors list cannot be empty",
        ),
    ] {
        assert_eq!(reason(config).reason(), expected);
    }
    let error = reason(r#"{"processors":[{"set":{"tag":"t"}}]}"#);
    assert_eq!(error.field("processor_tag"), Some(&Value::from("t")));
    assert_eq!(error.field("processor_type"), Some(&Value::from("set")));
    assert_eq!(error.field("property_name"), Some(&Value::from("field")));
    let deep = (0..200)
        .fold(r#"{"drop":{}}"#.to_owned(), |inner, _| format!(r#"{{"foreach":{{"field":"v","processor":{inner}}}}}"#));
    assert!(reason(&format!(r#"{{"processors":[{deep}]}}"#)).reason().contains("nested at most"));
}

#[test]
fn records_of_steps() {
    let all = pipelines(&[(
        "p",
        r#"{"processors":[{"set":{"field":"a","value":2,"tag":"t"}},{"rename":{"field":"q","target_field":"w","on_failure":[{"set":{"field":"e","value":1}}]}},{"drop":{}},{"set":{"field":"b","value":1}}]}"#,
    )]);
    let pace = Pace::never();
    let run = Run { pipelines: &all, pace: &pace, now_ms: 0, clock: || 0 };
    let trace = block_on_ready(run.traced(all.get("p").unwrap(), &mut document("{}"))).unwrap();
    let shown: Vec<String> =
        trace.entries.iter().map(|entry| format!("{} {}", entry.kind, entry.outcome.status())).collect();
    assert_eq!(shown, ["set success", "rename error", "set success", "drop dropped"]);
}

#[test]
fn scripts_and_conditions() {
    assert_eq!(run(r#"[{"script":"ctx.a = ctx._index + params.size()"}]"#, "{}"), r#"{"a":"i0"}"#);
    assert_eq!(
        run(r#"[{"set":{"field":"b","value":1,"if":"ctx.a == 1"}},{"drop":{"if":"ctx.a == 2"}}]"#, r#"{"a":1}"#),
        r#"{"a":1,"b":1}"#
    );
    assert_eq!(run(r#"[{"drop":{"if":"ctx.a == 1"}}]"#, r#"{"a":1}"#), "dropped");
    assert_eq!(run(r#"[{"script":"ctx.t = Processors.bytes(ctx.s)"}]"#, r#"{"s":"1kb"}"#), r#"{"s":"1kb","t":1024}"#);
    // A condition that fails is no business of the step's own handlers.
    assert_eq!(run(r#"[{"drop":{"if":"ctx.a.b == 1","ignore_failure":true}}]"#, "{}"), "runtime error");
    let all = pipelines(&[("p", r#"{"processors":[{"drop":{"if":"ctx.a = 3; return true"}}]}"#)]);
    let error = run_in(&all, "p", "{}").unwrap_err();
    assert_eq!(error.cause().unwrap().reason(), "Mutating ingest documents in conditionals is not supported");
    assert!(Pipeline::parse("p", &object(r#"{"processors":[{"script":"nope("}]}"#), &NoScripts).is_err());
}

#[test]
fn what_scripts_leave_that_no_copy_knows() {
    let array = r#"{"script":{"source":"ctx.x = new int[] {1}; ctx.y = new HashSet([2])"}}"#;
    let again = r#"{"script":{"source":"ctx.z = 1"}}"#;
    assert_eq!(run(&format!("[{array}]"), "{}"), r#"{"x":[1],"y":[2]}"#);
    assert_eq!(run(&format!("[{array},{again}]"), "{}"), "unexpected value type [class [I]");
    let removed = r#"{"remove":{"field":["x","y"]}}"#;
    assert_eq!(run(&format!("[{array},{removed},{again}]"), "{}"), r#"{"z":1}"#);
    let large = "18446744073709551616";
    assert_eq!(
        run(&format!("[{again}]"), &format!(r#"{{"b":{large}}}"#)),
        "unexpected value type [class java.math.BigInteger]"
    );
    let itself = r#"[{"script":{"source":"ctx.x = ctx"}}]"#;
    assert_eq!(run(itself, "{}"), "Iterable object is self-referencing itself (ingest script)");
}

#[test]
fn characters_cannot_be_written() {
    let all = pipelines(&[("p", r#"{"processors":[{"script":{"source":"ctx.x = (char)65"}}]}"#)]);
    let pace = Pace::never();
    let run = Run { pipelines: &all, pace: &pace, now_ms: 0, clock: || 0 };
    let mut doc = document("{}");
    block_on_ready(run.document(all.get("p").unwrap(), &mut doc)).unwrap();
    assert!(doc.check_copied().is_ok());
    let again = r#"{"processors":[{"script":{"source":"ctx.y = 1"}}]}"#;
    let again = Pipeline::parse("again", &object(again), &NoScripts).unwrap();
    block_on_ready(run.document(&again, &mut doc)).unwrap();
    let reason = "cannot write xcontent for unknown value of type class java.lang.Character";
    assert_eq!(doc.check_written().unwrap_err().reason(), reason);
}

#[test]
fn mistakes_are_told_in_the_order_of_the_reference_and_at_their_places() {
    for (processor, expected) in [
        (r#"{"set":{"field":"a","if":5}}"#, "[script] property isn't a map or string, but of type [java.lang.Integer]"),
        (r#"{"nope":{"if":{"bogus":1}}}"#, "[1:2] [script] unknown field [bogus]"),
        (r#"{"gsub":{"pattern":"l"}}"#, "[field] required property is missing"),
        (r#"{"dot_expander":{"field":"a..b"}}"#, "[field] No space between dots"),
        (
            r#"{"script":{"source":"x","lang":5}}"#,
            "org.opensearch.core.xcontent.XContentParseException: [1:22] [script] lang doesn't support values of type: VALUE_NUMBER",
        ),
        (
            r#"{"script":{"source":"abcdef","id":"q"}}"#,
            "org.opensearch.core.xcontent.XContentParseException: [1:25] [script] failed to parse field [id]",
        ),
        (
            r#"{"dissect":{"field":"m","pattern":"%{a/1}"}}"#,
            "org.opensearch.dissect.DissectException$KeyParse: Unable to parse key: a/1 Reason: The key name could be determined",
        ),
    ] {
        let config = object(&format!(r#"{{"processors":[{processor}]}}"#));
        let error = Pipeline::parse("p", &config, &NoScripts).err().unwrap();
        assert_eq!(error.reason(), expected, "{processor}");
    }
}

#[test]
fn odd_settings_and_documents() {
    for (processors, source, expected) in [
        // Java's hash maps say in which order members are shown.
        (
            r#"[{"set":{"field":"n","value":"{{o}}"}},{"remove":{"field":"o"}}]"#,
            r#"{"o":{"x":1,"y":["a"],"q":"r"}}"#,
            r#"{"n":"{q=r, x=1, y=[a]}"}"#,
        ),
        (
            r#"[{"kv":{"field":"f","field_split":" ","value_split":"=","target_field":"","include_keys":["a",1]}}]"#,
            r#"{"f":"a=1 b=2"}"#,
            r#"{"f":"a=1 b=2","a":"1"}"#,
        ),
        (
            r#"[{"kv":{"field":"f","field_split":" ","value_split":"=","trim_key":"x-z"}}]"#,
            r#"{"f":"yaz=1"}"#,
            r#"{"f":"yaz=1","a":"1"}"#,
        ),
        (r#"[{"fingerprint":{"fields":["_id"]}}]"#, "{}", "{}"),
        (r#"[{"fingerprint":{}}]"#, r#"{"z":1,"a.b":1}"#, "field [a.b] doesn't exist"),
        (r#"[{"remove_by_pattern":{"field_pattern":"o.*"}}]"#, r#"{"o":{"q":1},"o.q":2}"#, r#"{"o":{},"o.q":2}"#),
        (
            r#"[{"remove_by_pattern":{"field_pattern":"a*"}}]"#,
            r#"{"a.b":1}"#,
            "field [a] not present as part of path [a.b]",
        ),
        (r#"[{"hierarchical_routing":{"path_field":"p"}}]"#, r#"{"p":null}"#, "field [p] doesn't exist"),
        (
            r#"[{"temporal_routing":{"timestamp_field":"p","granularity":"day"}}]"#,
            r#"{"p":null}"#,
            "field [p] not present as part of path [p]",
        ),
        (
            r#"[{"date":{"field":"d","formats":["ISO8601"],"locale":"ENGLISH"}}]"#,
            r#"{"d":"2021-03-04"}"#,
            "unable to parse date [2021-03-04]",
        ),
        // The last format that reads a date wins.
        (
            r#"[{"date_index_name":{"field":"d","date_rounding":"M","date_formats":["UNIX","UNIX_MS"]}},{"set":{"field":"d","value":"{{_index}}"}}]"#,
            r#"{"d":"1614852672"}"#,
            r#"{"d":"<{1970-01-19||/M{yyyy-MM-dd|UTC}}>"}"#,
        ),
    ] {
        assert_eq!(run(processors, source), expected, "{processors}");
    }
    assert_eq!(
        run(r#"[{"set":{"field":"n","value":"{{#join}}l{{/join}}"}}]"#, r#"{"l":[["a"],{"x":1,"q":2}]}"#),
        r#"{"l":[["a"],{"x":1,"q":2}],"n":"[a],{q=2, x=1}"}"#
    );
    for (config, reason) in [
        (
            r#"{"csv":{"field":"f","target_fields":["a"],"empty_value":null}}"#,
            "[empty_value] required property is missing",
        ),
        (r#"{"temporal_routing":{"timestamp_field":"t","granularity":""}}"#, "[granularity] cannot be null or empty"),
        (r#"{"hierarchical_routing":{"path_field":""}}"#, "[path_field] cannot be null or empty"),
        (
            r#"{"hierarchical_routing":{"path_field":"p","anchor_depth":{"a":1}}}"#,
            "[anchor_depth] property cannot be converted to an int [{a=1}]",
        ),
        (
            r#"{"grok":{"field":"f","patterns":["%{WORD:a}"],"pattern_definitions":{"MY":"%{MY}"}}}"#,
            "[patterns] Invalid regex pattern found in: [%{WORD:a}]. circular reference in pattern [MY][%{MY}]",
        ),
        (
            r#"{"community_id":{"source_ip_field":"a","destination_ip_field":"b","source_port":"c","nope":1,"protocol":"d"}}"#,
            "processor [community_id] doesn't support one or more provided configuration parameters [protocol, nope, source_port]",
        ),
    ] {
        let config = object(&format!(r#"{{"processors":[{config}]}}"#));
        assert_eq!(Pipeline::parse("p", &config, &NoScripts).unwrap_err().reason(), reason);
    }
}

/// Names are looked up, not looked for: a list of them would be gone through for each.
#[test]
fn many_fields() {
    let pairs: String = (0..20_000).map(|n| format!("k{n}=v ")).collect();
    let made = run(
        r#"[{"kv":{"field":"a","field_split":" ","value_split":"="}},{"fingerprint":{"target_field":"h"}},{"remove":{"field":"a"}},
            {"remove_by_pattern":{"field_pattern":["k*"]}}]"#,
        &format!(r#"{{"a":"{pairs}"}}"#),
    );
    assert!(made.starts_with(r#"{"h":"SHA-1@2.16.0:"#), "{}", &made[..made.len().min(100)]);
    let keys: String = (0..5_000).map(|n| format!("%{{k{n}}} ")).collect();
    let made = run(
        &format!(r#"[{{"dissect":{{"field":"a","pattern":"{keys}"}}}}]"#),
        &format!(r#"{{"a":"{}"}}"#, "x ".repeat(5_000)),
    );
    assert!(made.ends_with(r#""k4999":"x"}"#));
}

#[test]
fn too_much_at_once() {
    let bounded = |processors: &str, source: &str, expected: &str| {
        let told = run(processors, source);
        assert!(told.contains(expected), "{}", &told[..told.len().min(200)]);
    };
    let items = vec!["1"; 20_000].join(",");
    let join = format!(r#"[{{"join":{{"field":"a","separator":"{}"}}}}]"#, "x".repeat(10_000));
    bounded(&join, &format!(r#"{{"a":[{items}]}}"#), "more than [67108864] bytes");
    let patterns: Vec<String> = (0..4_000).map(|n| format!("\"x{n}*\"")).collect();
    let names: Vec<String> = (0..4_000).map(|n| format!("\"f{n}\":0")).collect();
    let remove = format!(r#"[{{"remove_by_pattern":{{"field_pattern":[{}]}}}}]"#, patterns.join(","));
    bounded(&remove, &format!("{{{}}}", names.join(",")), "one times the other may be [200000000] at most");
    let set = r#"{"set":{"field":"b","value":1}}"#;
    let all = pipelines(&[("p", &format!(r#"{{"processors":[{}]}}"#, vec![set; 80].join(",")))]);
    let pace = Pace::never();
    let run = Run { pipelines: &all, pace: &pace, now_ms: 0, clock: || 0 };
    let mut doc = document(&format!(r#"{{"a":"{}"}}"#, "x".repeat(1 << 20)));
    let error = block_on_ready(run.traced(all.get("p").unwrap(), &mut doc)).unwrap_err();
    assert_eq!(error.reason(), "the record of all steps takes more than [67108864] bytes");
}

#[test]
fn what_is_not_named_is_missing() {
    let flow = |options: &str| {
        let rest =
            r#""destination_ip_field":"d","source_port_field":"sp","destination_port_field":"dp","protocol_field":"p""#;
        let source = r#"{"s":"1.2.3.4","sp":1,"d":"1.2.3.5","dp":2,"p":""}"#;
        run(&format!(r#"[{{"community_id":{{{options},{rest}}}}}]"#), source)
    };
    assert_eq!(flow(r#""source_ip_field":"s""#), "unsupported protocol []");
    let icmp = |options: &str| {
        let rest = r#""destination_ip_field":"d","iana_protocol_number_field":"n""#;
        run(&format!(r#"[{{"community_id":{{{options},{rest}}}}}]"#), r#"{"s":"1.2.3.4","d":"1.2.3.5","n":1}"#)
    };
    assert_eq!(
        icmp(r#""source_ip_field":"""#),
        "both source ip field path and destination ip field path cannot be null nor empty"
    );
    assert_eq!(icmp(r#""source_ip_field":"s""#), "icmp message type field path cannot be null nor empty");
    assert_eq!(icmp(r#""source_ip_field":"s","icmp_type_field":"t""#), "icmp message type cannot be null");
    assert_eq!(icmp(r#""source_ip_field":"s","ignore_missing":true"#), r#"{"s":"1.2.3.4","d":"1.2.3.5","n":1}"#);
    let kv = |options: &str| {
        run(&format!(r#"[{{"kv":{{"field":"","field_split":" ","value_split":"="{options}}}}}]"#), "{}")
    };
    assert_eq!(kv(""), "field path cannot be null nor empty");
    assert_eq!(kv(r#","ignore_missing":true"#), "{}");
    assert_eq!(run(r#"[{"remove":{"exclude_field":"{{x}}"}}]"#, r#"{"a":1}"#), r#"{"a":1}"#);
    assert_eq!(run(r#"[{"remove":{"exclude_field":["","a"]}}]"#, r#"{"a":1,"b":2}"#), r#"{"a":1}"#);
}

#[test]
fn lists_of_several_classes_cannot_be_sorted() {
    let sorted = |order: &str, list: &str| {
        let told = run(&format!(r#"[{{"sort":{{"field":"f","order":"{order}"}}}}]"#), &format!(r#"{{"f":{list}}}"#));
        told.replace("java.lang.", "").split(" (").next().unwrap_or_default().to_owned()
    };
    assert_eq!(sorted("asc", r#"[3,"a",2]"#), "class Integer cannot be cast to class String");
    assert_eq!(sorted("desc", r#"[3,"a",2]"#), "class String cannot be cast to class Integer");
    assert_eq!(sorted("desc", "[3,1,[]]"), "class java.util.ArrayList cannot be cast to class Comparable");
    assert_eq!(sorted("asc", r#"[3,"a",null]"#), "class Integer cannot be cast to class String");
}
