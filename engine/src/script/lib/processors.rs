//! `Processors`: what ingest processors do to one value, for scripts.

use super::super::class::{ClassRow, Row};
use super::super::error::{Failed, illegal};
use super::super::json::from_json;
use super::super::value::Value;
use super::args::text;
use super::{get, key_of, plain, put};
use crate::ingest;
use crate::json::Value as Json;

fn told(error: crate::Error) -> Failed {
    illegal(error.reason())
}

pub static CLASSES: &[ClassRow] = &[ClassRow::new(
    "org.opensearch.ingest.common.Processors",
    &[],
    &[
        Row("static long bytes(String)", |_, a| ingest::parse_bytes(&text(&a[0])?).map(Value::Long).map_err(told)),
        Row("static String lowercase(String)", |vm, a| {
            let lower = text(&a[0])?.to_lowercase();
            vm.string(lower)
        }),
        Row("static String uppercase(String)", |vm, a| {
            let upper = text(&a[0])?.to_uppercase();
            vm.string(upper)
        }),
        Row("static Object json(Object)", |vm, a| {
            let value = ingest::parse_json(&plain(&a[0])).map_err(told)?;
            from_json(vm, &value)
        }),
        Row("static void json(Map,String)", |vm, a| {
            let found = get(vm, &a[0], &a[1])?;
            let Json::Object(map) = ingest::parse_json(&plain(&found)).map_err(told)? else {
                return Err(illegal("cannot add non-map fields to root of document"));
            };
            for (key, value) in map.iter() {
                let value = from_json(vm, value)?;
                put(vm, &a[0], key_of(key).0, value)?;
            }
            Ok(Value::Null)
        }),
        Row("static String urlDecode(String)", |vm, a| {
            let decoded = ingest::decode_url(&text(&a[0])?).map_err(told)?;
            vm.string(decoded)
        }),
    ],
)];
