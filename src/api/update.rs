//! Updating one document: `_update`. The lines of a bulk update are read here too.

use super::document::{
    Conditions, SOURCE_PARAMS, SourceChoice, UNASSIGNED_SEQ_NO, WRITE_PARAMS, location_of, single, validate_id,
    validation_failed, write_done, write_item, write_options, write_updated_source,
};
use super::{ApiRequest, Method, Reply, Route, params};
use crate::coordinate::{Core, update::update as update_document};
use bytes::Bytes;
use pith_engine::did_you_mean;
use pith_engine::json::tokens::value_end;
use pith_engine::json::{self, Entry, Value, Writer, line_col};
use pith_engine::query::{Node, Source, script_of};
use pith_engine::script::Script;
use pith_engine::search::SourceSpec;
use pith_engine::shard::{OpKind, ScriptedUpdate, UpdateSpec, VersionType, WriteResult};
use pith_engine::{Error, ErrorKind, Result};
use std::rc::Rc;
use std::sync::Arc;

const UPDATE_PARAMS: &[&str] = &[
    "doc_as_upsert",
    "retry_on_conflict",
    "if_seq_no",
    "if_primary_term",
    "require_alias",
    "version?",
    "version_type?",
];

pub const ROUTES: &[Route] = &[Route {
    method: Method::Post,
    path: "/{index}/_update/{id}",
    name: "update",
    params: &[WRITE_PARAMS, SOURCE_PARAMS, UPDATE_PARAMS],
    handler: |core, request| Box::pin(update(core, request)),
}];

async fn update(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let options = write_options(&request)?;
    // A shard merges and writes a document in one step, so an update never meets a conflict of its own making that it
    // would have to try again for, unless pipelines come in between.
    let doc_as_upsert = request.flag("doc_as_upsert", false)?;
    let of_params = SourceChoice::from_params(&request)?;
    let retries = request.int("retry_on_conflict", 0)?;
    if request.has("version") || request.has("version_type") {
        validation_failed(&[VERSIONED.to_owned()])?;
    }
    let conditions = Conditions::from_params(&request)?;
    let require_alias = request.flag("require_alias", false)?;
    let mut body = match request.body_opt()? {
        Some(bytes) => UpdateBody::parse(&bytes)?,
        None => UpdateBody::default(),
    };
    body.doc_as_upsert = body.doc_as_upsert || doc_as_upsert;
    body.take_conditions(conditions);
    body.source = body.source.take().or(of_params);
    request.check_known()?;
    let id = request.path_param("id");
    let mut problems = vec![];
    body.validate(Some(id), retries, &mut problems);
    validation_failed(&problems)?;
    // Of a bulk the routing only says where the document is.
    let spec = UpdateSpec { doc_routing: request.write_routing().map(str::to_owned), ..body.spec()? };
    let mut item = write_item(request.path_param("index"), Some(id.to_owned()), OpKind::Update(spec));
    body.conditions.apply(&mut item);
    item.routing = request.write_routing().map(str::to_owned);
    item.require_alias = require_alias;
    let tries = u32::try_from(retries).unwrap_or(0);
    let (index, id, done) = single(update_document(&core, item, tries, &options).await)?;
    let mut w = Writer::new();
    w.begin_object();
    // An update that changed nothing went to no copy; as one of a bulk it did, together with the others.
    let noop = done.outcome.result == pith_engine::shard::WriteResult::Noop;
    write_done(&mut w, &index, &id, &done, if noop { (0, 0) } else { done.copies() });
    write_updated_source(&mut w, &done, body.source.as_ref());
    w.end_object();
    let reply = Reply::json(done.outcome.result.status(), w.finish());
    Ok(match done.outcome.result {
        WriteResult::Created => reply.with_header("Location", location_of(&core, &request, &index, &id)),
        _ => reply,
    })
}

const VERSIONED: &str = "internal versioning can not be used for optimistic concurrency control. Please use `if_seq_no` \
                         and `if_primary_term` instead";

/// The body of an update.
#[derive(Clone, Debug)]
pub struct UpdateBody {
    doc: Option<Bytes>,
    upsert: Option<Bytes>,
    script: Option<Arc<Script>>,
    scripted_upsert: bool,
    pub doc_as_upsert: bool,
    detect_noop: bool,
    pub source: Option<SourceChoice>,
    pub conditions: Conditions,
}

impl Default for UpdateBody {
    fn default() -> Self {
        Self {
            doc: None,
            upsert: None,
            script: None,
            scripted_upsert: false,
            doc_as_upsert: false,
            detect_noop: true,
            source: None,
            conditions: Conditions::default(),
        }
    }
}

/// What a body may hold.
const FIELDS: &[&str] = &[
    "script",
    "scripted_upsert",
    "upsert",
    "doc",
    "doc_as_upsert",
    "detect_noop",
    "_source",
    "if_seq_no",
    "if_primary_term",
];

impl UpdateBody {
    /// Reads the object that `text` begins with; what comes after it is passed over, as the reference does.
    pub fn parse(text: &[u8]) -> Result<Self> {
        let declares = |path: &[&str]| matches!(path, ["doc" | "upsert" | "script"]).then_some("UpdateRequest");
        let (value, _) = json::parse_declared_prefix(text, declares).map_err(|misread| misread.error)?;
        let Value::Object(map) = &value else {
            let token = value.token();
            return Err(at(text, 0, &format!("Expected START_OBJECT but was: {token}")));
        };
        let mut body = Self::default();
        for entry in &map.entries {
            body.entry(text, entry)?;
        }
        Ok(body)
    }

    fn entry(&mut self, text: &[u8], entry: &Entry) -> Result<()> {
        let key = entry.key.as_str();
        match key {
            "doc" => self.doc = Some(object(text, entry)?),
            "upsert" => self.upsert = Some(object(text, entry)?),
            "script" => self.script = Some(script(text, entry)?),
            "scripted_upsert" => self.scripted_upsert = flag(text, entry)?,
            "doc_as_upsert" => self.doc_as_upsert = flag(text, entry)?,
            "detect_noop" => self.detect_noop = flag(text, entry)?,
            "_source" => {
                check_source(text, entry)?;
                // What is strange about it is told as searches tell it.
                SourceSpec::parse(Node::of_entry(entry, &Source::new(text))).map_err(|e| failed(text, entry, e))?;
                self.source = Some(SourceChoice::from_value(&entry.value).map_err(|e| failed(text, entry, e))?)
            }
            "if_seq_no" => self.conditions.if_seq_no = Some(number(text, entry)?),
            "if_primary_term" => self.conditions.if_primary_term = Some(number(text, entry)?),
            _ => {
                let hint = did_you_mean::suffix(key, FIELDS.iter().copied());
                return Err(at(text, entry.key_pos, &format!("unknown field [{key}]{hint}")));
            }
        }
        Ok(())
    }

    /// Conditions from outside the body; those of the body win.
    pub fn take_conditions(&mut self, outer: Conditions) {
        let inner = std::mem::take(&mut self.conditions);
        self.conditions = Conditions {
            if_seq_no: inner.if_seq_no.or(outer.if_seq_no),
            if_primary_term: inner.if_primary_term.or(outer.if_primary_term),
            version: None,
            version_type: VersionType::Internal,
        };
    }

    pub fn validate(&self, id: Option<&str>, retries: i32, problems: &mut Vec<String>) {
        if id.is_none_or(str::is_empty) {
            problems.push("id is missing".into());
        }
        self.conditions.validate(false, problems);
        validate_id(id, problems);
        let mut problem = |text: &str| problems.push(text.to_owned());
        if self.conditions.if_seq_no.is_some() {
            if retries > 0 {
                problem("compare and write operations can not be retried");
            }
            if self.doc_as_upsert {
                problem("compare and write operations can not be used with upsert");
            }
            if self.upsert.is_some() {
                problem("upsert requests don't support `if_seq_no` and `if_primary_term`");
            }
        }
        match (self.script.is_some(), self.doc.is_some()) {
            (false, false) => problem("script or doc is missing"),
            (true, true) => problem("can't provide both script and doc"),
            _ => {}
        }
        if self.doc.is_none() && self.doc_as_upsert {
            problem("doc must be specified if doc_as_upsert is enabled");
        }
    }

    /// What the shard is to do.
    pub fn spec(&self) -> Result<UpdateSpec> {
        let script = self.script.clone();
        Ok(UpdateSpec {
            doc_routing: None,
            script: script.map(|script| ScriptedUpdate { script, runs_on_upsert: self.scripted_upsert }),
            doc: self.doc.clone(),
            upsert: self.upsert.clone(),
            doc_as_upsert: self.doc_as_upsert,
            detect_noop: self.detect_noop,
        })
    }
}

#[cold]
fn at(text: &[u8], pos: u32, what: &str) -> Error {
    let (line, col) = line_col(text, pos);
    Error::new(ErrorKind::XContentParse, format!("[{line}:{col}] [UpdateRequest] {what}"))
}

#[cold]
fn failed(text: &[u8], entry: &Entry, cause: Error) -> Error {
    at(text, entry.value_pos, &format!("failed to parse field [{}]", entry.key)).caused_by(cause)
}

fn object(text: &[u8], entry: &Entry) -> Result<Bytes> {
    match &entry.value {
        Value::Object(_) => Ok(Bytes::from(entry.value.to_bytes())),
        other => Err(unsupported(text, entry, other)),
    }
}

#[cold]
fn unsupported(text: &[u8], entry: &Entry, value: &Value) -> Error {
    at(text, entry.value_pos, &format!("{} doesn't support values of type: {}", entry.key, value.token()))
}

fn script(text: &[u8], entry: &Entry) -> Result<Arc<Script>> {
    match &entry.value {
        Value::String(_) | Value::Object(_) => {
            let source = Source::new(text);
            script_of(Node::of_entry(entry, &source)).map_err(|error| {
                let place = error.place().unwrap_or(entry.value_pos);
                at(text, place, "failed to parse field [script]").caused_by(error)
            })
        }
        other => Err(unsupported(text, entry, other)),
    }
}

/// Refuses a `_source` that is none of the shapes it may have, at the token that is not.
fn check_source(text: &[u8], entry: &Entry) -> Result<()> {
    match &entry.value {
        Value::Bool(_) | Value::String(_) => Ok(()),
        Value::Array(items) => check_patterns(text, entry.value_pos, items),
        Value::Object(map) => map.entries.iter().try_for_each(|inner| {
            let known = matches!(inner.key.as_str(), "includes" | "include" | "excludes" | "exclude");
            match &inner.value {
                Value::Array(items) if known => check_patterns(text, inner.value_pos, items),
                Value::String(_) if known => Ok(()),
                other => Err(unknown_token(text, inner.value_pos, other, &inner.key)),
            }
        }),
        other => Err(unsupported(text, entry, other)),
    }
}

/// What stands in an array has no name.
fn check_patterns(text: &[u8], array: u32, items: &[Value]) -> Result<()> {
    let mut at = array as usize + 1;
    for item in items {
        let rest = text.get(at..).unwrap_or_default();
        at += rest.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == b',').count();
        if !matches!(item, Value::String(_)) {
            return Err(unknown_token(text, at as u32, item, "null"));
        }
        at += value_end(text.get(at..).unwrap_or_default());
    }
    Ok(())
}

#[cold]
fn unknown_token(text: &[u8], pos: u32, value: &Value, name: &str) -> Error {
    let (line, col) = line_col(text, pos);
    let cause = Error::new(ErrorKind::Parsing, format!("Unknown key for a {} in [{name}].", value.token()));
    at(text, pos, "failed to parse field [_source]").caused_by(cause.with("line", line).with("col", col))
}

fn flag(text: &[u8], entry: &Entry) -> Result<bool> {
    match &entry.value {
        Value::Bool(flag) => Ok(*flag),
        Value::String(word) => params::boolean(word).map_err(|error| failed(text, entry, error)),
        other => Err(unsupported(text, entry, other)),
    }
}

fn number(text: &[u8], entry: &Entry) -> Result<i64> {
    match &entry.value {
        Value::Int(number) if *number < 0 && *number != UNASSIGNED_SEQ_NO && entry.key == "if_seq_no" => {
            let cause = Error::illegal_argument(format!("sequence numbers must be non negative. got [{number}]."));
            Err(failed(text, entry, cause))
        }
        Value::Int(number) => Ok(*number),
        Value::String(digits) => digits
            .parse()
            .map_err(|_| failed(text, entry, Error::illegal_argument(format!("For input string: \"{digits}\"")))),
        other => Err(unsupported(text, entry, other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_read() {
        let body =
            UpdateBody::parse(br#"{"doc":{"a":1.5},"upsert":{"b":[]},"detect_noop":"false","_source":"a"} x"#).unwrap();
        let spec = body.spec().unwrap();
        assert_eq!(spec.doc.as_deref(), Some(&br#"{"a":1.5}"#[..]));
        assert_eq!(spec.upsert.as_deref(), Some(&br#"{"b":[]}"#[..]));
        assert!(!spec.detect_noop && !spec.doc_as_upsert && body.source.is_some());
    }

    #[test]
    fn bodies_that_are_wrong() {
        let reason = |text: &str| UpdateBody::parse(text.as_bytes()).unwrap_err().reason().to_owned();
        assert_eq!(reason(r#"{"doc":{"a":1},"x":1}"#), "[1:16] [UpdateRequest] unknown field [x]");
        assert_eq!(reason(r#"{"doc":[1]}"#), "[1:8] [UpdateRequest] doc doesn't support values of type: START_ARRAY");
        assert_eq!(reason(r#"{"script": {}}"#), "[1:13] [UpdateRequest] failed to parse field [script]");
        let cause = |text: &str| {
            let error = UpdateBody::parse(text.as_bytes()).unwrap_err();
            (error.reason().to_owned(), error.cause().map(|cause| cause.reason().to_owned()))
        };
        let source = |col: u32| format!("[1:{col}] [UpdateRequest] failed to parse field [_source]");
        let token = |name: &str| Some(format!("Unknown key for a VALUE_NUMBER in [{name}]."));
        assert_eq!(cause(r#"{"_source":["a", 1]}"#), (source(18), token("null")));
        assert_eq!(cause(r#"{"_source":{"foo":1}}"#), (source(19), token("foo")));
        assert_eq!(cause(r#"{"_source":{"includes":[1]}}"#), (source(25), token("null")));
        let number = "[1:12] [UpdateRequest] _source doesn't support values of type: VALUE_NUMBER";
        assert_eq!(reason(r#"{"_source":1}"#), number);
        let negative = Some("sequence numbers must be non negative. got [-1].".to_owned());
        assert_eq!(cause(r#"{"if_seq_no":-1}"#).1, negative);
        assert_eq!(cause(r#"{"if_seq_no":"a"}"#).1, Some("For input string: \"a\"".to_owned()));
        assert_eq!(reason("[1]"), "[1:1] [UpdateRequest] Expected START_OBJECT but was: START_ARRAY");
        let mut problems = vec![];
        let long = "i".repeat(513);
        UpdateBody::parse(br#"{"doc":{}}"#).unwrap().validate(Some(&long), 0, &mut problems);
        assert!(problems.pop().unwrap().ends_with("must be no longer than 512 bytes but was: 513"));
        UpdateBody::parse(br#"{"doc_as_upsert":true}"#).unwrap().validate(Some("1"), 0, &mut problems);
        assert_eq!(problems, ["script or doc is missing", "doc must be specified if doc_as_upsert is enabled"]);
        assert!(UpdateBody::parse(br#"{"script":"x"}"#).unwrap().spec().unwrap().script.is_some());
    }
}
