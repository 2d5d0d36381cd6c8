//! Documents to ops, type by type.

use super::{DocumentScratch, Parsed};
use crate::analysis::Registry;
use crate::json;
use crate::mapping::{Mapping, MappingSettings};
use crate::writer::FieldOp;

fn mapping(properties: &str) -> Mapping {
    let text = format!("{{\"properties\":{properties}}}");
    let source = json::parse(text.as_bytes()).unwrap();
    Mapping::parse(&source, &Registry::built_in(), &MappingSettings::default()).unwrap()
}

/// The ops of a document, one a line: kind, field, value.
fn ops(properties: &str, document: &str) -> Vec<String> {
    let mapping = mapping(properties);
    let (mut scratch, mut ops) = (DocumentScratch::default(), vec![]);
    let parsed = mapping.parse_document(document.as_bytes(), "1", &mut scratch, &mut ops).unwrap();
    assert_eq!(parsed, Parsed::Ready);
    let bytes = |value: &[u8]| value.iter().map(|b| b.escape_ascii().to_string()).collect::<String>();
    let show = |op: &FieldOp| {
        let (kind, field, value) = match op {
            FieldOp::Text { field, value } => ("text", field, value.to_string()),
            FieldOp::Term { field, value } => ("term", field, bytes(value)),
            FieldOp::Ordinal { field, value } => ("ordinal", field, bytes(value)),
            FieldOp::Number { field, value } => ("number", field, value.to_string()),
            FieldOp::Point { field, value } => ("point", field, value.to_string()),
            FieldOp::Stored { field, value } => ("stored", field, format!("{value:?}")),
            FieldOp::Exists { field } => ("exists", field, String::new()),
            FieldOp::Named { field } => ("named", field, String::new()),
            FieldOp::EndNested => return "end".to_owned(),
        };
        format!("{kind} {} {value}", mapping.by_id(*field).name).trim_end().to_owned()
    };
    ops.iter().map(show).collect()
}

#[test]
fn nested_objects_come_first_and_may_be_included() {
    let properties = r#"{"x":{"type":"long"},"c":{"type":"keyword","copy_to":"x"},"n":{"type":"nested","include_in_parent":true,
        "properties":{"a":{"type":"long","copy_to":"x"},"m":{"type":"nested","properties":{"b":{"type":"long"}}}}}}"#;
    assert_eq!(
        ops(properties, r#"{"x":1,"n":[{"m":[{"b":2},{"b":3}],"a":4},{"a":5}]}"#),
        [
            "point n.m.b 2",
            "number n.m.b 2",
            "term _nested_path n.m",
            "end",
            "point n.m.b 3",
            "number n.m.b 3",
            "term _nested_path n.m",
            "end",
            "point n.a 4",
            "number n.a 4",
            "term _nested_path n",
            "end",
            "point n.a 5",
            "number n.a 5",
            "term _nested_path n",
            "end",
            "point x 1",
            "number x 1",
            "point x 4",
            "number x 4",
            "point n.a 4",
            "number n.a 4",
            "point x 5",
            "number x 5",
            "point n.a 5",
            "number n.a 5"
        ]
    );
}

#[test]
fn flat_objects_and_ranges() {
    assert_eq!(
        ops(r#"{"f":{"type":"flat_object"}}"#, r#"{"f":{"a":[1,{"b":null,"c":true}]}}"#),
        [
            "ordinal f 1",
            "term f 1",
            "ordinal f true",
            "term f true",
            "ordinal f._valueAndPath f.a=1",
            "term f._valueAndPath f.a=1",
            "ordinal f._valueAndPath f.a.c=true",
            "term f._valueAndPath f.a.c=true"
        ]
    );
    let ends = "\\x80\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x80\\x00\\x00\\x00\\x00\\x00\\x00\\x04";
    assert_eq!(
        ops(r#"{"r":{"type":"integer_range"}}"#, r#"{"r":{"gt":1,"lt":5}}"#),
        [format!("ordinal r {ends}"), format!("term r {ends}")]
    );
}

#[test]
fn strings() {
    assert_eq!(
        ops(r#"{"t":{"type":"text","fields":{"k":{"type":"keyword","ignore_above":3}}}}"#, r#"{"t":["a\nb","long"]}"#),
        ["text t a\nb", "ordinal t.k a\\nb", "term t.k a\\nb", "text t long"]
    );
    assert_eq!(
        ops(
            r#"{"k":{"type":"keyword","null_value":"N","normalizer":"lowercase","doc_values":false}}"#,
            r#"{"k":[null,"B",5]}"#
        ),
        ["term k n", "exists k", "term k b", "exists k", "term k 5", "exists k"]
    );
    assert_eq!(
        ops(r#"{"t":{"type":"text","norms":false,"store":true,"index":false}}"#, r#"{"t":true}"#),
        ["stored t String(\"true\")", "exists t"]
    );
}

#[test]
fn numbers() {
    assert_eq!(
        ops(r#"{"n":{"type":"integer"}}"#, r#"{"n":["1.9",-2,"",null]}"#),
        ["point n 1", "number n 1", "point n -2", "number n -2"]
    );
    assert_eq!(
        ops(r#"{"n":{"type":"scaled_float","scaling_factor":100,"index":false}}"#, r#"{"n":1.235}"#),
        ["number n 124"]
    );
    assert_eq!(
        ops(
            r#"{"n":{"type":"long","ignore_malformed":true,"doc_values":false,"store":true}}"#,
            r#"{"n":["x",7,{"a":[1]},"y"]}"#
        ),
        ["point n 7", "stored n Long(7)", "exists n", "term _ignored n", "stored _ignored String(\"n\")"]
    );
}

#[test]
fn dates_booleans_and_addresses() {
    assert_eq!(
        ops(r#"{"d":{"type":"date"}}"#, r#"{"d":["1970-01-02",5]}"#),
        ["point d 86400000", "number d 86400000", "point d 5", "number d 5"]
    );
    assert_eq!(
        ops(r#"{"d":{"type":"date_nanos","index":false}}"#, r#"{"d":"1970-01-01T00:00:00.000000001Z"}"#),
        ["number d 1"]
    );
    assert_eq!(
        ops(r#"{"b":{"type":"boolean"}}"#, r#"{"b":[true,"false",""]}"#),
        ["term b T", "number b 1", "term b F", "number b 0", "term b F", "number b 0"]
    );
    assert_eq!(
        ops(r#"{"i":{"type":"ip","doc_values":false}}"#, r#"{"i":"1.2.3.4"}"#),
        ["term i \\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\xff\\xff\\x01\\x02\\x03\\x04", "exists i"]
    );
    assert_eq!(
        ops(r#"{"c":{"type":"token_count","analyzer":"standard","index":false}}"#, r#"{"c":"a b, c"}"#),
        ["number c 3"]
    );
}

#[test]
fn paths_objects_and_copies() {
    let properties = r#"{"o":{"properties":{"n":{"type":"long","index":false}}},"x":{"type":"object","enabled":false},"k":{"type":"keyword","doc_values":false,"norms":true,"copy_to":["o.n","t"]},"t":{"type":"text"}}"#;
    assert_eq!(
        ops(properties, r#"{"o.n":1,"o":[{"n":2},null,{"n":[[3]]}]}"#),
        ["number o.n 1", "number o.n 2", "number o.n 3"]
    );
    assert_eq!(ops(properties, r#"{"x":{"y":[1,{"z":null}]},"k":"4"}"#), ["term k 4", "number o.n 4", "text t 4"]);
}

#[test]
fn deep_documents_are_refused() {
    let mapping = mapping(r#"{"x":{"type":"object","enabled":false},"n":{"type":"long"}}"#);
    for (open, close) in [("{\"x\":", "}"), ("{\"n\":[", "]}"), ("[", "]")] {
        for prefix in ["{\"x\":", "{\"n\":", "{\"new\":"] {
            let document = format!("{prefix}{}1{}}}", open.repeat(5000), close.repeat(5000));
            let (mut scratch, mut ops) = (DocumentScratch::default(), vec![]);
            let error = mapping.parse_document(document.as_bytes(), "1", &mut scratch, &mut ops).unwrap_err();
            assert!(error.reason().starts_with("failed to parse"), "{error}");
        }
    }
}

#[test]
fn parts_of_a_document_never_panic() {
    let mapping = mapping(
        r#"{"t":{"type":"text","copy_to":"u.v"},"n":{"type":"long"},"d":{"type":"date"},"o":{"properties":{}}}"#,
    );
    let document =
        r#"{"t":"a\u00e9\n","n":[1,-2.5e3,"x"],"d":"2020-01-01","o":{"p.q":{"r":null}},"é":true,/*c*/"z":[{}]}"#;
    let (mut scratch, mut ops) = (DocumentScratch::default(), vec![]);
    for end in 0..document.len() {
        for start in [0, end / 2] {
            let _ = mapping.parse_document(&document.as_bytes()[start..end], "1", &mut scratch, &mut ops);
        }
        let mut changed = document.as_bytes().to_vec();
        for byte in [b'"', b'{', b']', b'\\', 0, 0xff, b'.', b'1'] {
            changed[end] = byte;
            let mut ops = vec![];
            let _ = mapping.parse_document(&changed, "1", &mut scratch, &mut ops);
        }
    }
}

#[test]
fn a_document_of_very_many_new_fields_is_not_read_to_its_end() {
    let mapping = mapping("{}");
    let parse = |document: &str| {
        let (mut scratch, mut ops) = (DocumentScratch::default(), vec![]);
        mapping.parse_document(document.as_bytes(), "1", &mut scratch, &mut ops)
    };
    let fields = |number: u32| (0..number).map(|n| format!("\"f{n}\":1,")).collect::<String>();
    // Some more are for those to count who make the mapping: what else is wrong goes before.
    assert!(matches!(parse(&format!("{{{}\"a\":1}}", fields(1_100))), Ok(Parsed::NeedsMapping(_))));
    let error = parse(&format!("{{{}\"a\":", fields(1_100))).unwrap_err();
    assert_eq!(error.reason(), "failed to parse");
    let error = parse(&format!("{{{}\"a\":", fields(6_000))).unwrap_err();
    assert_eq!(error.reason(), "Limit of total fields [1000] has been exceeded");
    // The same field again and again is one.
    assert!(matches!(parse(&format!("{{\"o\":[{}{{}}]}}", "{\"a\":1},".repeat(6_000))), Ok(Parsed::NeedsMapping(_))));
}
