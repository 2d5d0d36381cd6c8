//! Terms and ranges of queries, type by type; errors as the reference's.

use crate::analysis::Registry;
use crate::error::Result;
use crate::json::{self, Value};
use crate::mapping::{DateContext, Exact, FieldRange, Mapping, MappingSettings, RangeBounds};
use std::ops::Bound;

/// 2020-02-05T10:20:30.400Z.
const NOW_MS: i64 = 1_580_898_030_400;

fn mapping() -> Mapping {
    let source = br#"{"properties":{
        "i":{"type":"integer"},"l":{"type":"long"},"f":{"type":"float"},"h":{"type":"half_float"},"u":{"type":"unsigned_long"},
        "s":{"type":"scaled_float","scaling_factor":10},"b":{"type":"boolean"},"d":{"type":"date"},"ip":{"type":"ip"},
        "k":{"type":"keyword","normalizer":"lowercase"},"t":{"type":"text"},"c":{"type":"constant_keyword","value":"x"},
        "no":{"type":"keyword","index":false,"doc_values":false},"tn":{"type":"text","index":false},"bin":{"type":"binary"}}}"#;
    Mapping::parse(&json::parse(source).unwrap(), &Registry::built_in(), &MappingSettings::default()).unwrap()
}

fn term(field: &str, value: &str) -> std::result::Result<Exact, String> {
    let value = json::parse(value.as_bytes()).unwrap();
    let mapping = mapping();
    let exact = mapping.field(field).unwrap().term(&value, &DateContext { now_ms: NOW_MS });
    exact.map_err(|error| error.reason().to_owned())
}

fn range(field: &str, bounds: &str) -> Result<FieldRange> {
    let body = json::parse(bounds.as_bytes()).unwrap();
    let get = |key: &str| body.get(key);
    let text = |key: &str| body.get(key).and_then(Value::as_str);
    let bounds = RangeBounds {
        gt: get("gt"),
        gte: get("gte"),
        lt: get("lt"),
        lte: get("lte"),
        format: text("format"),
        time_zone: text("time_zone"),
        ..RangeBounds::default()
    };
    mapping().field(field).unwrap().range(&bounds, NOW_MS)
}

#[test]
fn terms() {
    let cases = [
        ("i", "5", Exact::Number(5)),
        ("i", "\"5\"", Exact::Number(5)),
        ("i", "1.5", Exact::Nothing),
        ("i", "\"1.5\"", Exact::Nothing),
        ("l", "9223372036854775807", Exact::Number(i64::MAX)),
        ("u", "1.5", Exact::Nothing),
        ("s", "1.26", Exact::Number(13)),
        ("b", "true", Exact::Bytes(b"T".to_vec())),
        ("b", "\"false\"", Exact::Bytes(b"F".to_vec())),
        ("k", "\"ABC\"", Exact::Bytes(b"abc".to_vec())),
        ("t", "\"ABC\"", Exact::Bytes(b"ABC".to_vec())),
        ("t", "5", Exact::Bytes(b"5".to_vec())),
        ("c", "\"x\"", Exact::All),
        ("c", "\"y\"", Exact::Nothing),
        ("d", "\"1970-01-01\"", Exact::Numbers(0, 86_399_999)),
        ("d", "5", Exact::Number(5)),
        ("d", "\"now\"", Exact::Number(NOW_MS)),
        ("_seq_no", "3", Exact::Number(3)),
        ("_id", "\"a\"", Exact::Bytes(b"a".to_vec())),
    ];
    for (field, value, exact) in cases {
        assert_eq!(term(field, value), Ok(exact), "{field} {value}");
    }
}

#[test]
fn terms_refused() {
    let cases = [
        ("i", "\"x\"", "For input string: \"x\""),
        ("i", "true", "For input string: \"true\""),
        ("i", "99999999999", "Value [99999999999] is out of range for an integer"),
        ("l", "\"x\"", "For input string: \"x\""),
        ("l", "1e30", "Value [1.0E30] is out of range for a long"),
        ("l", "\"9223372036854775808\"", "Value [9223372036854775808] is out of range for a long"),
        ("f", "1e50", "[float] supports only finite values, but got [Infinity]"),
        ("h", "70000", "[half_float] supports only finite values, but got [70000.0]"),
        ("u", "-1", "Value [-1] is out of range for an unsigned long"),
        ("b", "\"x\"", "Can't parse boolean value [x], expected [true] or [false]"),
        ("b", "1", "Can't parse boolean value [1], expected [true] or [false]"),
        ("ip", "\"x\"", "'x' is not an IP string literal."),
        (
            "ip",
            "\"1.2.3.4/33\"",
            "Illegal prefix length [33] in [1.2.3.4/33]. Must be 0-32 for IPv4 ranges, 0-128 for IPv6 ranges",
        ),
        (
            "d",
            "\"x\"",
            "failed to parse date field [x] with format [strict_date_optional_time||epoch_millis]: [failed to parse date field [x] with format [strict_date_optional_time||epoch_millis]]",
        ),
        (
            "no",
            "\"x\"",
            "Cannot search on field [no] since it is both not indexed, and does not have doc_values enabled.",
        ),
        ("tn", "\"x\"", "Cannot search on field [tn] since it is not indexed."),
        ("bin", "\"x\"", "Binary fields do not support searching"),
        ("_source", "\"x\"", "The _source field is not searchable"),
        ("_doc_count", "1", "Field [_doc_count] of type [_doc_count] is not searchable"),
    ];
    for (field, value, reason) in cases {
        assert_eq!(term(field, value), Err(reason.to_owned()), "{field} {value}");
    }
}

#[test]
fn ranges() {
    let days = |from: i64, to: i64| FieldRange::Numbers(from * 86_400_000, to * 86_400_000 - 1);
    let cases = [
        ("i", r#"{"gt":1.5,"lte":"7.9"}"#, FieldRange::Numbers(2, 7)),
        ("i", r#"{"gt":3,"lt":4}"#, FieldRange::Numbers(4, 3)),
        ("i", r#"{"gte":null,"lt":4}"#, FieldRange::Numbers(i32::MIN.into(), 3)),
        ("s", r#"{"gte":1.21,"lte":1.29}"#, FieldRange::Numbers(12, 13)),
        ("s", r#"{"gte":1.2,"lt":1.3}"#, FieldRange::Numbers(12, 12)),
        ("d", r#"{"gte":"1970-01-02","lte":"1970-01-02"}"#, days(1, 2)),
        ("d", r#"{"gt":"1970-01-02","lt":"1970-01-04"}"#, days(2, 3)),
        ("d", r#"{"gte":"1970-01-02||/d","lt":"1970-01-02||+2d/d"}"#, days(1, 3)),
        ("d", r#"{"gte":"now","lte":"now"}"#, FieldRange::Numbers(NOW_MS, NOW_MS)),
        ("d", r#"{"gte":"02.01.1970","lt":"03.01.1970","format":"dd.MM.yyyy"}"#, days(1, 2)),
        (
            "d",
            r#"{"gte":"1970-01-02","lt":"1970-01-03","time_zone":"+01:00"}"#,
            FieldRange::Numbers(82_800_000, 169_199_999),
        ),
        (
            "k",
            r#"{"gt":"A","lte":"B"}"#,
            FieldRange::Bytes(Bound::Excluded(b"a".to_vec()), Bound::Included(b"b".to_vec())),
        ),
        ("b", r#"{"lt":true}"#, FieldRange::Bytes(Bound::Included(b"F".to_vec()), Bound::Included(b"F".to_vec()))),
        ("b", r#"{"gt":true}"#, FieldRange::Nothing),
        ("ip", r#"{"gt":"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"}"#, FieldRange::Nothing),
    ];
    for (field, bounds, expected) in cases {
        assert_eq!(range(field, bounds), Ok(expected), "{field} {bounds}");
    }
}

#[test]
fn ranges_refused() {
    let cases = [
        ("i", r#"{"gt":99999999999}"#, "Value [99999999999] is out of range for an integer"),
        ("i", r#"{"lt":"x"}"#, "For input string: \"x\""),
        ("u", r#"{"gt":-5}"#, "Value [-5] is out of range for an unsigned long"),
        ("f", r#"{"gt":1e50}"#, "[float] supports only finite values, but got [Infinity]"),
        ("_id", r#"{"gt":"x"}"#, "Field [_id] of type [_id] does not support range queries"),
        ("d", r#"{"lt":"2020","format":"foo"}"#, "Invalid format: [foo]: Unknown pattern letter: f"),
        ("d", r#"{"lt":"2020","time_zone":"foo"}"#, "java.time.zone.ZoneRulesException: Unknown time-zone ID: foo"),
        (
            "d",
            r#"{"lt":"2020","time_zone":"-25:00"}"#,
            "java.time.DateTimeException: Zone offset hours not in valid range: value -25 is not in the range -18 to 18",
        ),
        (
            "d",
            r#"{"lt":"2020","time_zone":"UTC+x"}"#,
            "java.time.DateTimeException: Invalid ID for offset-based ZoneId: UTC+x",
        ),
        ("ip", r#"{"lt":"x"}"#, "'x' is not an IP string literal."),
    ];
    for (field, bounds, reason) in cases {
        assert_eq!(range(field, bounds).unwrap_err().reason(), reason, "{field} {bounds}");
    }
}
