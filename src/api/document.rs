//! What the families for documents share: parameters of writes, `_source` filters, and the shape of a document in replies.

use super::ApiRequest;
use crate::cluster;
use crate::coordinate::write::{Done, ItemOutcome, WaitFor, WriteItem, WriteOptions, parse_wait_for};
use crate::coordinate::{Core, RefreshPolicy, clock};
use pith_engine::error::validation_text;
use pith_engine::json::{Select, Value, Writer};
use pith_engine::search::SourceSpec;
use pith_engine::shard::{OpKind, VersionType, WriteResult};
use pith_engine::{Error, ErrorKind, Result};

/// Parameters of every request that writes documents.
pub const WRITE_PARAMS: &[&str] = &["routing", "timeout", "refresh", "wait_for_active_shards"];
/// Parameters that choose what of `_source` is returned.
pub const SOURCE_PARAMS: &[&str] = &["_source", "_source_includes", "_source_excludes"];
/// The body as a parameter.
pub const BODY_PARAMS: &[&str] = &["source?", "source_content_type?"];

/// How long a write waits for its shard, unless it says otherwise.
pub const WRITE_TIMEOUT_MS: i64 = 60_000;

/// Longest id of a document, in bytes.
const ID_BYTES_MAX: usize = 512;

/// `timeout`, `refresh` and `wait_for_active_shards`.
pub fn write_options(request: &ApiRequest) -> Result<WriteOptions> {
    Ok(WriteOptions { wait_for: wait_for(request)?, ..unwaiting_options(request)? })
}

/// `wait_for_active_shards` alone.
pub fn wait_for(request: &ApiRequest) -> Result<Option<WaitFor>> {
    request.param("wait_for_active_shards").map(parse_wait_for).transpose()
}

/// `timeout` and `refresh`, for requests that look at `wait_for_active_shards` last of all.
pub fn unwaiting_options(request: &ApiRequest) -> Result<WriteOptions> {
    let timeout_ms = request.time_ms("timeout", WRITE_TIMEOUT_MS)?;
    let refresh = match request.param("refresh") {
        None | Some("false") => RefreshPolicy::None,
        Some("true" | "") => RefreshPolicy::Immediate,
        Some("wait_for") => RefreshPolicy::WaitFor,
        Some(other) => return Err(Error::illegal_argument(format!("Unknown value for refresh: [{other}]."))),
    };
    Ok(WriteOptions { refresh, wait_for: None, timeout_ms })
}

/// The conditions of a write, as they were given.
#[derive(Clone, Debug, Default)]
pub struct Conditions {
    pub if_seq_no: Option<i64>,
    pub if_primary_term: Option<i64>,
    pub version: Option<i64>,
    pub version_type: VersionType,
}

/// What the reference takes for no sequence number.
pub const UNASSIGNED_SEQ_NO: i64 = -2;

impl Conditions {
    pub fn from_params(request: &ApiRequest) -> Result<Self> {
        let version = request.long_opt("version")?;
        let version_type = request.param("version_type").map(VersionType::parse).transpose()?.unwrap_or_default();
        let if_seq_no = request.long_opt("if_seq_no")?;
        // What is no number of an operation is told before the term is read.
        let read = Self { if_seq_no, if_primary_term: None, version, version_type }.checked()?;
        Self { if_primary_term: request.long_opt("if_primary_term")?, ..read }.checked()
    }

    /// Refuses values that are not numbers of operations at all. One of them stands for none.
    pub fn checked(mut self) -> Result<Self> {
        self.if_seq_no = self.if_seq_no.filter(|seq_no| *seq_no != UNASSIGNED_SEQ_NO);
        if let Some(seq_no) = self.if_seq_no.filter(|seq_no| *seq_no < 0) {
            return Err(Error::illegal_argument(format!("sequence numbers must be non negative. got [{seq_no}].")));
        }
        if let Some(term) = self.if_primary_term.filter(|term| *term < 0) {
            return Err(Error::illegal_argument(format!("primary term must be non negative. got [{term}]")));
        }
        Ok(self)
    }

    /// Appends what is wrong with these conditions, the pipeline and the id for a document to be indexed.
    pub fn validate_index(&self, create: bool, id: Option<&str>, pipeline: Option<&str>, problems: &mut Vec<String>) {
        let by_version = self.version.is_some() || self.version_type != VersionType::Internal;
        if id.is_none() && !create && by_version {
            problems.push("an id must be provided if version type or value are set".into());
        }
        self.validate(create, problems);
        // What a new document cannot have is told alone.
        let refused = create && (by_version || self.if_seq_no.is_some() || self.if_primary_term.unwrap_or(0) != 0);
        if pipeline == Some("") && !refused {
            problems.push("pipeline cannot be an empty string".into());
        }
        validate_id(id, problems);
    }

    /// Appends what is wrong with these conditions for an operation.
    pub fn validate(&self, create: bool, problems: &mut Vec<String>) {
        let mut problem = |text: &str| problems.push(text.to_owned());
        let term = self.if_primary_term.unwrap_or(0);
        if create {
            if self.version_type != VersionType::Internal {
                return problem("create operations only support internal versioning. use index instead");
            }
            if self.version.is_some() {
                return problem("create operations do not support explicit versions. use index instead");
            }
            if self.if_seq_no.is_some() || term != 0 {
                return problem("create operations do not support compare and set. use index instead");
            }
        }
        let external = self.version_type != VersionType::Internal;
        if let Some(wrong) = illegal_version(self.version_type, self.version, true) {
            problem(&wrong);
        }
        if !external && self.version.is_some() {
            problem(
                "internal versioning can not be used for optimistic concurrency control. Please use `if_seq_no` and \
                 `if_primary_term` instead",
            );
        }
        if self.if_seq_no.is_some() && (external || self.version.is_some()) {
            problem("compare and write operations can not use versioning");
        }
        if self.if_seq_no.is_some() && term == 0 {
            problem("ifSeqNo is set, but primary term is [0]");
        }
        if self.if_seq_no.is_none() && term != 0 {
            problem(&format!("ifSeqNo is unassigned, but primary term is [{term}]"));
        }
    }

    /// Moves the conditions into an operation.
    pub fn apply(&self, item: &mut WriteItem) {
        let unsigned = |value: Option<i64>| value.and_then(|v| u64::try_from(v).ok());
        item.if_seq_no = unsigned(self.if_seq_no);
        item.if_primary_term = unsigned(self.if_primary_term);
        item.version = unsigned(self.version);
        item.version_type = self.version_type;
    }
}

/// A version that stands for none given.
const MATCH_ANY: i64 = -3;

/// What is wrong with the version of a write, or of a read.
pub fn illegal_version(of: VersionType, version: Option<i64>, write: bool) -> Option<String> {
    let version = version.unwrap_or(MATCH_ANY);
    let legal = match of {
        VersionType::Internal => version > 0 || version == MATCH_ANY,
        VersionType::External | VersionType::ExternalGte => version >= 0 || (!write && version == MATCH_ANY),
    };
    let name = of.name().to_ascii_uppercase();
    (!legal).then(|| format!("illegal version value [{version}] for version type [{name}]"))
}

/// Appends what is wrong with the id of a document.
pub fn validate_id(id: Option<&str>, problems: &mut Vec<String>) {
    if let Some(id) = id.filter(|id| id.len() > ID_BYTES_MAX) {
        let len = id.len();
        problems.push(format!("id [{id}] is too long, must be no longer than {ID_BYTES_MAX} bytes but was: {len}"));
    }
}

/// The error of a request with these problems, if there are any.
pub fn validation_failed(problems: &[String]) -> Result<()> {
    if problems.is_empty() { Ok(()) } else { Err(invalid(problems)) }
}

/// The error of a request with these problems.
#[cold]
pub fn invalid(problems: &[String]) -> Error {
    Error::new(ErrorKind::ActionRequestValidation, validation_text(problems))
}

/// An operation without conditions.
pub fn write_item(index: &str, id: Option<String>, kind: OpKind) -> WriteItem {
    WriteItem {
        index: index.to_owned(),
        id,
        routing: None,
        kind,
        if_seq_no: None,
        if_primary_term: None,
        version: None,
        version_type: VersionType::Internal,
        pipeline: None,
        require_alias: false,
    }
}

/// What of a document's `_source` a reply contains.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceChoice {
    pub fetch: bool,
    pub select: Select,
}

impl SourceChoice {
    pub const ALL: Self = Self { fetch: true, select: Select { includes: vec![], excludes: vec![] } };
    pub const NONE: Self = Self { fetch: false, select: Select { includes: vec![], excludes: vec![] } };

    /// From `_source`, `_source_includes` and `_source_excludes`; `None` when none of them is given.
    pub fn from_params(request: &ApiRequest) -> Result<Option<Self>> {
        let list = |name: &str| -> Option<Vec<String>> {
            request.param(name).map(|text| super::params::parts(text).map(str::to_owned).collect())
        };
        let (mut includes, excludes) = (list("_source_includes"), list("_source_excludes"));
        let mut fetch = None;
        match request.param("_source") {
            None => {}
            Some("true") => fetch = Some(true),
            Some("false") => fetch = Some(false),
            Some(_) => includes = includes.or(list("_source")),
        }
        if fetch.is_none() && includes.is_none() && excludes.is_none() {
            return Ok(None);
        }
        let select = Select { includes: includes.unwrap_or_default(), excludes: excludes.unwrap_or_default() };
        Ok(Some(Self { fetch: fetch.unwrap_or(true), select: select.checked()? }))
    }

    /// From a `_source` in a body that was found right: a flag, one pattern, several, or an object with `includes` and `excludes`.
    pub fn from_value(value: &Value) -> Result<Self> {
        match value {
            Value::Bool(fetch) => Ok(if *fetch { Self::ALL } else { Self::NONE }),
            Value::String(_) | Value::Array(_) => {
                Ok(Self { fetch: true, select: Select { includes: patterns(value)?, excludes: vec![] } })
            }
            Value::Object(map) => {
                let mut select = Select::default();
                for (key, value) in map.iter() {
                    match key {
                        "includes" | "include" => select.includes = patterns(value)?,
                        "excludes" | "exclude" => select.excludes = patterns(value)?,
                        _ => return Err(Error::new(ErrorKind::Parse, format!("Unknown key [{key}] in [_source]."))),
                    }
                }
                Ok(Self { fetch: true, select: select.checked()? })
            }
            other => Err(Error::new(ErrorKind::Parse, format!("illegal type for _source: [{}]", other.token()))),
        }
    }
}

fn patterns(value: &Value) -> Result<Vec<String>> {
    let text = |value: &Value| match value {
        Value::String(text) => Ok(text.clone()),
        other => Err(Error::new(ErrorKind::Parse, format!("illegal type for _source: [{}]", other.token()))),
    };
    match value {
        Value::Array(items) => items.iter().map(text).collect(),
        one => Ok(vec![text(one)?]),
    }
}

impl From<SourceSpec> for SourceChoice {
    fn from(spec: SourceSpec) -> Self {
        match spec {
            SourceSpec::No | SourceSpec::Hidden(_) => Self::NONE,
            SourceSpec::All => Self::ALL,
            SourceSpec::Some(select) => Self { fetch: true, select },
        }
    }
}

/// Writes the entries of one operation's outcome, without the braces. `(total, successful)` copies took it.
pub fn write_done(w: &mut Writer, index: &str, id: &str, done: &Done, copies: (u64, u64)) {
    let outcome = &done.outcome;
    w.key("_index").string(index).key("_id").string(id);
    if let Some(version) = done.dropped {
        w.key("_version").i64(version).key("result").string(outcome.result.name());
        w.key("_shards").begin_object();
        w.key("total").u64(0).key("successful").u64(0).key("failed").u64(0).end_object();
        return;
    }
    match outcome.nothing_there() {
        true => w.key("_version").i64(-1),
        false => w.key("_version").u64(outcome.version),
    };
    w.key("result").string(outcome.result.name());
    if done.forced_refresh {
        w.key("forced_refresh").bool(true);
    }
    w.key("_shards").begin_object();
    w.key("total").u64(copies.0).key("successful").u64(copies.1).key("failed").u64(0).end_object();
    if !outcome.nothing_there() {
        w.key("_seq_no").u64(outcome.seq_no).key("_primary_term").u64(outcome.primary_term);
    }
}

/// Writes the `get` part of an update's reply, where the request asked for it.
pub fn write_updated_source(w: &mut Writer, done: &Done, choice: Option<&SourceChoice>) {
    if done.dropped.is_some() {
        return;
    }
    if done.outcome.nothing_there() {
        w.key("get").begin_object().key("found").bool(false).end_object();
        return;
    }
    let (Some(choice), Some(source)) = (choice.filter(|choice| choice.fetch), &done.outcome.source) else { return };
    w.key("get").begin_object();
    w.key("_seq_no").u64(done.outcome.seq_no).key("_primary_term").u64(done.outcome.primary_term);
    w.key("found").bool(true);
    // What a script has deleted is shown only in part, never as a whole.
    let whole = choice.select.includes.is_empty() && choice.select.excludes.is_empty();
    if done.outcome.result != WriteResult::Deleted || !whole {
        w.key("_source").raw(&choice.select.apply(source));
    }
    w.end_object();
}

/// The one outcome of a request with one operation.
pub fn single(mut outcomes: Vec<ItemOutcome>) -> Result<(String, String, Done)> {
    match outcomes.pop() {
        Some(ItemOutcome { index, id, result }) => Ok((index, id.unwrap_or_default(), result?)),
        None => Err(Error::new(ErrorKind::IllegalState, "the operation was not answered")),
    }
}

/// Where a new document can be found, for the `Location` header.
/// The `Location` of a document that was made: with the routing that was given, or that the alias has which it went through.
pub fn location_of(core: &Core, request: &ApiRequest, index: &str, id: &str) -> String {
    let state = core.state();
    let name = request.path_param("index");
    let of_alias = || {
        let (target, asked) = cluster::write_target(&state, name, clock::now_ms()).ok()?;
        cluster::write_routing(&target, &asked, None).ok()?
    };
    match request.write_routing() {
        Some(routing) => location(index, id, Some(routing)),
        None if name != index => location(index, id, of_alias().as_deref()),
        None => location(index, id, None),
    }
}

fn location(index: &str, id: &str, routing: Option<&str>) -> String {
    let mut out = format!("/{}/_doc/{}", form_encode(index), form_encode(id));
    if let Some(routing) = routing {
        out.push_str("?routing=");
        out.push_str(&form_encode(routing));
    }
    out
}

fn form_encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'*' | b'_' => out.push(char::from(byte)),
            b' ' => out.push('+'),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_validated_as_the_reference_does() {
        let problems = |conditions: Conditions, create: bool| {
            let mut problems = vec![];
            conditions.validate(create, &mut problems);
            problems.join(";")
        };
        let none = Conditions::default();
        assert_eq!(problems(none.clone(), true), "");
        assert_eq!(
            problems(Conditions { if_seq_no: Some(1), ..none.clone() }, false),
            "ifSeqNo is set, but primary term is [0]"
        );
        assert_eq!(
            problems(Conditions { version_type: VersionType::External, ..none.clone() }, false),
            "illegal version value [-3] for version type [EXTERNAL]"
        );
        assert_eq!(
            problems(Conditions { if_seq_no: Some(1), if_primary_term: Some(1), ..none.clone() }, true),
            "create operations do not support compare and set. use index instead"
        );
        assert!(Conditions { if_seq_no: Some(-1), ..none }.checked().is_err());
    }

    #[test]
    fn validation_errors_are_numbered() {
        let error = validation_failed(&["a".into(), "b".into()]).unwrap_err();
        assert_eq!(error.reason(), "Validation Failed: 1: a;2: b;");
    }

    #[test]
    fn locations_are_encoded() {
        assert_eq!(location("i", "a/b c+é~!*()d", Some("x y")), "/i/_doc/a%2Fb+c%2B%C3%A9%7E%21*%28%29d?routing=x+y");
    }
}
