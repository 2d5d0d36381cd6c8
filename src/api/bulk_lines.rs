//! The lines of a bulk: cut in place, only action lines are decoded.

use super::document::{Conditions, SourceChoice, write_item};
use super::update::UpdateBody;
use crate::coordinate::write::WriteItem;
use bytes::Bytes;
use pith_engine::json::{self, Map, Value};
use pith_engine::pace::Pace;
use pith_engine::query::{Node, Source};
use pith_engine::search::SourceSpec;
use pith_engine::shard::{OpKind, VersionType};
use pith_engine::{Error, ErrorKind, Result};

/// What the request says for all lines that do not say it themselves.
#[derive(Clone, Debug, Default)]
pub struct Defaults {
    pub index: Option<String>,
    pub routing: Option<String>,
    pub pipeline: Option<String>,
    pub require_alias: bool,
    pub source: Option<SourceChoice>,
}

/// One operation of a bulk.
#[derive(Debug)]
pub struct BulkItem {
    /// The key of its reply.
    pub action: &'static str,
    pub item: WriteItem,
    /// What an update's reply shows of the document.
    pub source: Option<SourceChoice>,
}

const ACTIONS: [&str; 4] = ["create", "delete", "index", "update"];

/// Cuts `body` into operations; appends what is wrong with them to `problems`. Hands the core back as `pace` asks for it.
pub async fn parse(
    body: &Bytes,
    defaults: &Defaults,
    problems: &mut Vec<String>,
    pace: &Pace,
) -> Result<Vec<BulkItem>> {
    let mut lines = Lines { body, at: 0, number: 0 };
    let mut items = vec![];
    while let Some(line) = lines.next()? {
        // An action line takes about a microsecond.
        pace.tick(100 + line.len() as u32 / 8).await;
        let Some(mut action) = Action::parse(&line, lines.number, defaults)? else { continue };
        if action.name == "delete" {
            action.check_conditions()?;
            items.push(action.delete(problems));
            continue;
        }
        // An action without a line for its document is passed over.
        let Some(source) = lines.next()? else { break };
        action.check_conditions()?;
        items.push(match action.name {
            "update" => action.update(&source, problems)?,
            _ => action.index(source, problems),
        });
    }
    Ok(items)
}

struct Lines<'a> {
    body: &'a Bytes,
    at: usize,
    number: usize,
}

impl Lines<'_> {
    fn next(&mut self) -> Result<Option<Bytes>> {
        let rest = &self.body[self.at..];
        if rest.is_empty() {
            return Ok(None);
        }
        let Some(len) = memchr::memchr(b'\n', rest) else {
            return Err(Error::illegal_argument("The bulk request must be terminated by a newline [\\n]"));
        };
        let line = self.body.slice(self.at..self.at + len - usize::from(rest[..len].ends_with(b"\r")));
        self.at += len + 1;
        self.number += 1;
        Ok(Some(line))
    }
}

/// A decoded action line.
struct Action {
    name: &'static str,
    index: Option<String>,
    id: Option<String>,
    routing: Option<String>,
    pipeline: Option<String>,
    require_alias: bool,
    op_type: Option<String>,
    conditions: Conditions,
    retry_on_conflict: i32,
    source: Option<SourceChoice>,
}

impl Action {
    /// Reads an action line; `None` for one that is blank. Only the first entry of the object counts.
    fn parse(line: &[u8], number: usize, defaults: &Defaults) -> Result<Option<Self>> {
        let start = line.iter().position(|b| !b.is_ascii_whitespace());
        let Some(start) = start else { return Ok(None) };
        let malformed = |expected: &str, found: &str| {
            Error::illegal_argument(format!(
                "Malformed action/metadata line [{number}], expected {expected} but found [{found}]"
            ))
        };
        if line[start] != b'{' {
            let (value, _) = json::parse_prefix(line)?;
            return Err(malformed("START_OBJECT", value.token()));
        }
        let (key, value) = match first_entry(line, start)? {
            Some(entry) => entry,
            None => return Err(malformed("FIELD_NAME", "END_OBJECT")),
        };
        let Some(name) = ACTIONS.into_iter().find(|action| *action == key) else {
            return Err(malformed(&format!("one of [{}]", ACTIONS.join(", ")), &key));
        };
        let Value::Object(fields) = &value else {
            return Err(malformed("START_OBJECT or END_OBJECT", value.token()));
        };
        let mut action = Self {
            name,
            index: defaults.index.clone(),
            id: None,
            routing: defaults.routing.clone(),
            pipeline: defaults.pipeline.clone(),
            require_alias: defaults.require_alias,
            op_type: None,
            conditions: Conditions::default(),
            retry_on_conflict: 0,
            source: defaults.source.clone(),
        };
        action.fields(fields, line, number)?;
        Ok(Some(action))
    }

    fn fields(&mut self, fields: &Map, line: &[u8], number: usize) -> Result<()> {
        for (key, value) in fields.iter() {
            match value {
                Value::Null => continue,
                Value::Object(_) if key == "_source" => {
                    self.source = Some(source_in(line)?);
                    continue;
                }
                Value::Object(_) | Value::Array(_) => {
                    let found = value.token();
                    return Err(Error::illegal_argument(format!(
                        "Malformed action/metadata line [{number}], expected a simple value for field [{key}] but found \
                         [{found}]"
                    )));
                }
                _ => {}
            }
            match key {
                "_index" => self.index = Some(value.to_text()),
                "_id" => self.id = Some(value.to_text()),
                "routing" => self.routing = Some(value.to_text()),
                "op_type" => self.op_type = Some(value.to_text()),
                "version" => self.conditions.version = Some(integer(line, key, value)?),
                "version_type" => self.conditions.version_type = VersionType::parse(&value.to_text())?,
                "if_seq_no" => self.conditions.if_seq_no = Some(integer(line, key, value)?),
                "if_primary_term" => self.conditions.if_primary_term = Some(integer(line, key, value)?),
                "retry_on_conflict" => self.retry_on_conflict = in_place(line, key, |node| node.i32())?,
                "pipeline" => self.pipeline = Some(value.to_text()),
                "_source" => self.source = Some(source_in(line)?),
                "require_alias" => self.require_alias = in_place(line, key, |node| node.bool())?,
                _ => {
                    return Err(Error::illegal_argument(format!(
                        "Action/metadata line [{number}] contains an unknown parameter [{key}]"
                    )));
                }
            }
        }
        Ok(())
    }

    fn check_conditions(&mut self) -> Result<()> {
        self.conditions = std::mem::take(&mut self.conditions).checked()?;
        Ok(())
    }

    fn item(&mut self, kind: OpKind, problems: &mut Vec<String>) -> WriteItem {
        if self.index.is_none() {
            problems.push("index is missing".into());
        }
        let mut item = write_item(self.index.as_deref().unwrap_or_default(), self.id.take(), kind);
        item.routing = self.routing.take().filter(|routing| !routing.is_empty());
        item.pipeline = self.pipeline.take();
        item.require_alias = self.require_alias;
        self.conditions.apply(&mut item);
        item
    }

    fn delete(mut self, problems: &mut Vec<String>) -> BulkItem {
        let mut item = self.item(OpKind::Delete, problems);
        // Nothing is created by it, so it may name an index, whatever it says.
        item.require_alias = false;
        if item.id.as_deref().is_none_or(str::is_empty) {
            problems.push("id is missing".into());
        }
        self.conditions.validate(false, problems);
        BulkItem { action: "delete", item, source: None }
    }

    fn index(mut self, source: Bytes, problems: &mut Vec<String>) -> BulkItem {
        let create = self.name == "create" || self.op_type.as_deref() == Some("create");
        let kind = match create && self.id.is_some() {
            true => OpKind::Create { source },
            // A new id makes a document that was not there, which is all that data streams take.
            false => OpKind::Index { source, auto_id: create },
        };
        let item = self.item(kind, problems);
        self.conditions.validate_index(create, item.id.as_deref(), item.pipeline.as_deref(), problems);
        BulkItem { action: if create { "create" } else { "index" }, item, source: None }
    }

    fn update(mut self, source: &[u8], problems: &mut Vec<String>) -> Result<BulkItem> {
        if self.conditions.version.is_some() || self.conditions.version_type != VersionType::Internal {
            return Err(Error::illegal_argument(
                "Update requests do not support versioning. Please use `if_seq_no` and `if_primary_term` instead",
            ));
        }
        if source.trim_ascii().is_empty() {
            let reason = "[1:0] [UpdateRequest] Expected START_OBJECT but was: null";
            return Err(Error::new(ErrorKind::XContentParse, reason));
        }
        let mut body = UpdateBody::parse(source)?;
        body.take_conditions(std::mem::take(&mut self.conditions));
        let mut item = self.item(OpKind::Delete, problems);
        let before = problems.len();
        body.validate(item.id.as_deref(), self.retry_on_conflict, problems);
        body.conditions.apply(&mut item);
        // An update that is refused as a whole needs no work to do.
        if problems.len() == before {
            item.kind = OpKind::Update(body.spec()?);
        }
        // What the action's line says of it goes before what the update itself does.
        let source = self.source.take().or_else(|| body.source.take());
        Ok(BulkItem { action: "update", item, source })
    }
}

/// The first key of the object that begins at `start`, and its value. What follows on the line is not looked at.
fn first_entry(line: &[u8], start: usize) -> Result<Option<(String, Value)>> {
    // The key is read as a value of its own; the reader's errors are those of the whole line only when it is given it.
    let whole = || json::parse_prefix(line).err();
    let after = |at: usize| line[at..].iter().position(|b| !b.is_ascii_whitespace()).map(|n| at + n);
    let Some(key_at) = after(start + 1) else { return Err(whole().unwrap_or_else(|| broken(line))) };
    match line[key_at] {
        b'}' => return Ok(None),
        b'"' => {}
        _ => return Err(whole().unwrap_or_else(|| broken(line))),
    }
    let Ok((Value::String(key), used)) = json::parse_prefix(&line[key_at..]) else {
        return Err(whole().unwrap_or_else(|| broken(line)));
    };
    let colon = key_at + used;
    if line.get(colon) != Some(&b':') {
        return Err(whole().unwrap_or_else(|| broken(line)));
    }
    match json::parse_prefix(&line[colon + 1..]) {
        Ok((value, _)) => Ok(Some((key, value))),
        Err(error) => Err(whole().unwrap_or(error)),
    }
}

/// `_source` of an action line, with its place in the line.
fn source_in(line: &[u8]) -> Result<SourceChoice> {
    in_place(line, "_source", |node| Ok(SourceSpec::parse(node)?.into()))
}

/// Reads the last value that the action of a line has by this name, at its place in the line, which errors tell.
fn in_place<T>(line: &[u8], key: &str, read: impl FnOnce(Node) -> Result<T>) -> Result<T> {
    let (whole, _) = json::parse_prefix(line)?;
    let source = Source::new(line);
    let root = Node::root(&whole, &source);
    let found = root.fields().flat_map(|action| action.node.fields().collect::<Vec<_>>());
    match found.filter(|field| field.key == key).last() {
        Some(field) => read(field.node),
        None => Err(broken(line)),
    }
}

#[cold]
fn broken(line: &[u8]) -> Error {
    Error::illegal_argument(format!("Malformed action/metadata line [{}]", String::from_utf8_lossy(line)))
}

fn integer(line: &[u8], key: &str, value: &Value) -> Result<i64> {
    match value {
        Value::Int(number) => Ok(*number),
        _ => in_place(line, key, |node| node.i64()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pith_engine::pace::block_on_ready;

    fn run(body: &str) -> Result<Vec<String>> {
        let defaults = Defaults { index: Some("d".into()), ..Defaults::default() };
        let mut problems = vec![];
        let body = Bytes::copy_from_slice(body.as_bytes());
        let items = block_on_ready(parse(&body, &defaults, &mut problems, &Pace::never()))?;
        super::super::document::validation_failed(&problems)?;
        let show = |item: BulkItem| {
            let source = match &item.item.kind {
                OpKind::Index { source, .. } | OpKind::Create { source } => {
                    String::from_utf8_lossy(source).into_owned()
                }
                OpKind::Update(spec) => format!("{:?}", spec.doc),
                OpKind::Delete => String::new(),
            };
            format!("{} {} {:?} {source}", item.action, item.item.index, item.item.id)
        };
        Ok(items.into_iter().map(show).collect())
    }

    #[test]
    fn lines_are_cut() {
        let items = run(
            "{\"index\":{\"_id\":1}}\r\n{\"a\":1}\r\n\n {\"create\":{\"_index\":\"e\"}}\n{}\n{\"delete\":{\"_id\":\"x\"}}\n\
             {\"update\":{\"_id\":\"y\"},\"z\":1}\n{\"doc\":{}}\n{\"index\":{}\n{}\n{\"index\":{}}\n",
        );
        assert_eq!(
            items.unwrap(),
            [
                "index d Some(\"1\") {\"a\":1}",
                "create e None {}",
                "delete d Some(\"x\") ",
                "update d Some(\"y\") Some(b\"{}\")",
                "index d None {}"
            ]
        );
    }

    #[test]
    fn malformed_lines() {
        let reason = |body: &str| run(body).unwrap_err().reason().to_owned();
        for (body, text) in [
            ("{\"index\":{}}\n{}", "The bulk request must be terminated by a newline [\\n]"),
            (
                "\n{\"nonsense\":{}}\n{}\n",
                "Malformed action/metadata line [2], expected one of [create, delete, index, update] but found [nonsense]",
            ),
            ("{}\n{}\n", "Malformed action/metadata line [1], expected FIELD_NAME but found [END_OBJECT]"),
            (
                "{\"index\":1}\n",
                "Malformed action/metadata line [1], expected START_OBJECT or END_OBJECT but found [VALUE_NUMBER]",
            ),
            ("[1]\n", "Malformed action/metadata line [1], expected START_OBJECT but found [START_ARRAY]"),
            (
                "{\"index\":{\"_id\":[]}}\n{}\n",
                "Malformed action/metadata line [1], expected a simple value for field [_id] but found [START_ARRAY]",
            ),
            ("{\"index\":{\"_type\":1}}\n{}\n", "Action/metadata line [1] contains an unknown parameter [_type]"),
            ("{\"delete\":{}}\n", "Validation Failed: 1: id is missing;"),
            ("{\"update\":{\"_id\":\"1\"}}\n{}\n", "Validation Failed: 1: script or doc is missing;"),
            ("{\"update\":{}}\n\n", "[1:0] [UpdateRequest] Expected START_OBJECT but was: null"),
            (
                "{\"index\":{\"if_seq_no\":\"1.5\"}}\n{}\n",
                "Validation Failed: 1: ifSeqNo is set, but primary term is [0];",
            ),
            ("{\"update\":{\"retry_on_conflict\":\"\"}}\n{}\n", "empty String"),
            ("{\"index\":{\"if_seq_no\":-3}}\n{}\n", "sequence numbers must be non negative. got [-3]."),
        ] {
            assert_eq!(reason(body), text);
        }
        let of_flag = reason("{\"update\":{\"_index\":\"db\",\"_id\":\"1\",\"require_alias\":1}}\n{}\n");
        assert!(
            of_flag.starts_with("Current token (VALUE_NUMBER_INT) not of boolean type") && of_flag.ends_with("#52]")
        );
        assert!(reason("{\"index\":{\"_id\":\n{}\n").contains("byte offset: #16"));
    }
}
