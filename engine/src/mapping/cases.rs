//! Cases recorded from the reference: what it makes of mappings, of changes to them, and of documents.
//!
//! A line of `cases/*.jsonl` has a `mapping` (if none, that of the line before), an `update` or a `document` (as text) where there is one, and either the
//! `result` (the mapping afterwards, left out if a document does not change it) or `error` and `status`.

use super::{DocumentScratch, Mapping, MappingSettings, Parsed};
use crate::analysis::Registry;
use crate::error::{Error, Result};
use crate::json::{self, Value, Writer};

/// What the reference answered, or what we do, as text to compare.
type Outcome = std::result::Result<String, (u16, String)>;

fn text(value: &Value) -> String {
    String::from_utf8(value.to_bytes()).unwrap()
}

fn outcome(result: Result<Mapping>) -> Outcome {
    result.map(|mapping| text(&mapping.to_value())).map_err(|error| render(&error))
}

fn render(error: &Error) -> (u16, String) {
    let mut w = Writer::new();
    error.write_with_root_cause(&mut w);
    (error.status(), String::from_utf8(w.finish()).unwrap())
}

fn expected(case: &Value) -> Outcome {
    match case.get("error") {
        Some(error) => Err((case.get("status").and_then(Value::as_i64).unwrap() as u16, text(error))),
        None => Ok(text(case.get("result").unwrap())),
    }
}

/// Runs all cases and shows every one that differs, so that a change of behaviour is seen as a whole.
fn run(cases: &str, act: impl Fn(&Value) -> (Outcome, Outcome)) {
    let (mut differing, mut mapping) = (0, Value::Null);
    for line in cases.lines().filter(|line| !line.is_empty()) {
        let mut case = json::parse(line.as_bytes()).expect(line);
        match case.get("mapping") {
            Some(given) => mapping = given.clone(),
            None => case.as_object_mut().unwrap().insert("mapping", mapping.clone()),
        }
        let (wanted, got) = act(&case);
        if wanted != got {
            differing += 1;
            let case: String = line.chars().take(600).collect();
            println!("{case}\n  wanted {wanted:?}\n  got    {got:?}");
        }
    }
    assert_eq!(differing, 0, "cases differ from the reference");
}

fn parse(case: &Value) -> Result<Mapping> {
    Mapping::parse(case.get("mapping").unwrap(), &Registry::built_in(), &settings(case))
}

fn settings(case: &Value) -> MappingSettings {
    let limit = case.get("total_fields_limit").and_then(Value::as_i64).unwrap_or(1000);
    let ignore_malformed = case.get("ignore_malformed") == Some(&Value::Bool(true));
    MappingSettings { total_fields_limit: limit as usize, ignore_malformed, ..MappingSettings::default() }
}

#[test]
fn new_mappings() {
    run(include_str!("cases/create.jsonl"), |case| (expected(case), outcome(parse(case))));
}

#[test]
fn printed_mappings_read_back_the_same() {
    run(include_str!("cases/create.jsonl"), |case| {
        let Ok(mapping) = parse(case) else { return (Ok(String::new()), Ok(String::new())) };
        let again = Mapping::parse(&mapping.to_value(), &Registry::built_in(), &settings(case));
        (outcome(Ok(mapping)), outcome(again))
    });
}

#[test]
fn changes_of_mappings() {
    run(include_str!("cases/update.jsonl"), |case| {
        let update = case.get("update").unwrap();
        (expected(case), outcome(parse(case).unwrap().merge(update)))
    });
}

#[test]
fn documents() {
    run(include_str!("cases/document.jsonl"), |case| {
        let mapping = parse(case).unwrap();
        let document = case.get("document").and_then(Value::as_str).unwrap();
        let unchanged = text(&mapping.to_value());
        let wanted = match case.get("result") {
            None if case.get("error").is_none() => Ok(unchanged),
            _ => expected(case),
        };
        let (mut scratch, mut ops) = (DocumentScratch::default(), vec![]);
        let got = match mapping.parse_document(document.as_bytes(), "1", &mut scratch, &mut ops) {
            Ok(Parsed::Ready) => Ok(text(&mapping.to_value())),
            Ok(Parsed::NeedsMapping(change)) => {
                let merged = mapping.merge(&change);
                if let Ok(mapping) = &merged {
                    let again = mapping.parse_document(document.as_bytes(), "1", &mut scratch, &mut ops);
                    assert_eq!(again, Ok(Parsed::Ready), "{document}");
                }
                outcome(merged)
            }
            Ok(Parsed::Refused(error)) | Err(error) => Err(render(&error)),
        };
        (wanted, got)
    });
}
