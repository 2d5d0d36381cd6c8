//! Scripts of updates: `ctx` before and after.

use super::json::{SELF_REFERENCE, UNKNOWN_VALUE, from_json_hashed, write_json};
use super::parts::Parts;
use super::reach::Reach;
use super::source::{Shape, Unread, read};
use super::value::{Data, Key, Map as VmMap, MapKind, Value};
use super::{Context, Failed, Limits, Script, Vm, lib, to_json};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Map, Value as Json, cast_text, hashed, parse};
use std::borrow::Cow;

/// What a script made of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    /// `ctx.op`, `none` where the script has cleared it.
    pub op: String,
    /// `ctx` has no operation any more.
    pub cleared: bool,
    /// `ctx._source`, as JSON.
    pub source: Vec<u8>,
    /// Entries of `ctx` beside these that are new, or other than they were given; `null` for those that are gone.
    pub rest: Map,
}

/// An entry of `ctx` before the script runs.
#[derive(Clone, Copy, Debug)]
pub enum Given<'a> {
    Null,
    Text(&'a str),
    /// What versions and moments may be: unsigned, or -1.
    Number(i128),
    /// A document, as text: an object.
    Document(&'a [u8]),
    /// The same where the reference reads it without minding its order: objects are hash maps, for the script and afterwards.
    Hashed(&'a [u8]),
}

impl Given<'_> {
    fn document(&self) -> Option<&[u8]> {
        match self {
            Self::Document(text) | Self::Hashed(text) => Some(text),
            _ => None,
        }
    }
}

/// A script that is run over one document after the other.
pub struct Updater {
    vm: Vm,
    shape: Shape,
    parts: Parts,
    /// The entries of `ctx` as of the last document: names, and texts, of which most stay the same.
    last: Vec<(&'static str, Value, Value)>,
}

/// The entries of a `ctx` that a script can reach, as values of the machine.
struct Entries {
    values: Vec<(Value, Value)>,
    /// Of the document only what the script reaches has been read.
    in_parts: bool,
    /// The operation, where the script cannot change it.
    op: Option<String>,
}

impl Updater {
    pub fn new(script: &Script, context: &'static Context) -> Result<Self> {
        let vm = script.vm(context, Limits::default(), 0)?;
        Ok(Self { vm, shape: Shape::default(), parts: Parts::default(), last: vec![] })
    }

    /// Runs the script over a `ctx` of these entries, of which one is `_source`.
    pub fn run(&mut self, entries: &[(&'static str, Given)], now_ms: i64) -> Result<Changed> {
        let program = self.vm.program().clone();
        self.run_reaching(entries, program.reach.as_ref(), now_ms)
    }

    fn run_reaching(
        &mut self,
        entries: &[(&'static str, Given)],
        reach: Option<&Reach>,
        now_ms: i64,
    ) -> Result<Changed> {
        self.vm.reset();
        self.vm.now_ms = now_ms;
        let given = self.give(entries, reach)?;
        let vm = &mut self.vm;
        let ctx = execute(vm, &given.values).map_err(|failed| vm.to_error(&failed))?;
        let size = entries.iter().filter_map(|(_, entry)| entry.document()).map(<[u8]>::len);
        // What was not read for the script is put into order where it is written.
        let unordered = given.in_parts && entries.iter().any(|(_, entry)| matches!(entry, Given::Hashed(_)));
        let mut changed = written(vm, &ctx, given, &self.parts, size.sum::<usize>() + 64)?;
        if unordered && changed.source.first() == Some(&b'{') {
            changed.source = hashed(&changed.source);
        }
        Ok(changed)
    }

    /// The entries as values of the machine.
    fn give(&mut self, entries: &[(&'static str, Given)], reach: Option<&Reach>) -> Result<Entries> {
        let mut given = Entries { values: Vec::with_capacity(entries.len()), in_parts: false, op: None };
        for (at, (name, entry)) in entries.iter().enumerate() {
            if self.last.get(at).is_none_or(|(known, ..)| known != name) {
                self.last.truncate(at);
                self.last.push((name, Value::text(*name), Value::Null));
            }
            if entry.document().is_none() && reach.is_some_and(|reach| !reach.of_ctx.contains(*name)) {
                if let ("op", Given::Text(op)) = (*name, entry) {
                    given.op = Some((*op).to_owned());
                }
                continue;
            }
            let vm = &mut self.vm;
            let value = match entry {
                Given::Null => Value::Null,
                Given::Text(text) => text_of(vm, &mut self.last[at].2, text).map_err(|failed| vm.to_error(&failed))?,
                Given::Number(number) => match i64::try_from(*number) {
                    Ok(number) => i32::try_from(number).map_or(Value::Long(number), Value::Int),
                    Err(_) => vm.alloc(Data::BigInteger((*number).into())).map_err(|failed| vm.to_error(&failed))?,
                },
                Given::Document(text) | Given::Hashed(text) => {
                    let part = match reach {
                        Some(reach) => self.parts.read(vm, text, &reach.of_source),
                        None => Ok(None),
                    };
                    let part = part.map_err(|failed| vm.to_error(&failed))?;
                    given.in_parts = part.is_some();
                    match part {
                        Some(part) => part,
                        None if matches!(entry, Given::Hashed(_)) => {
                            from_json_hashed(vm, &parse(text)?).map_err(|failed| vm.to_error(&failed))?
                        }
                        None => read(vm, text, &mut self.shape).map_err(|unread| match unread {
                            Unread::Text(error) => error,
                            Unread::Room(failed) => vm.to_error(&failed),
                        })?,
                    }
                }
            };
            given.values.push((self.last[at].1.clone(), value));
        }
        Ok(given)
    }
}

/// The text as a value: the last one, if it says the same.
fn text_of(vm: &mut Vm, last: &mut Value, text: &str) -> std::result::Result<Value, Failed> {
    if last.as_str() == Some(text) {
        vm.grow(text.len() + 32)?;
    } else {
        *last = vm.string(text)?;
    }
    Ok(last.clone())
}

/// Runs a script over one `ctx`.
pub fn run(
    script: &Script,
    context: &'static Context,
    entries: &[(&'static str, Given)],
    now_ms: i64,
) -> Result<Changed> {
    Updater::new(script, context)?.run(entries, now_ms)
}

fn execute(vm: &mut Vm, given: &[(Value, Value)]) -> std::result::Result<Value, Failed> {
    let mut ctx = VmMap::new(MapKind::Linked);
    vm.grow(given.len() * 64)?;
    ctx.entries.extend(given.iter().map(|(name, value)| (Key(name.clone()), value.clone())));
    let ctx = vm.alloc(Data::Map(ctx.into()))?;
    let variables = [vm.params(), ctx.clone()];
    vm.execute(&variables)?;
    Ok(ctx)
}

/// What a script left behind of what it was given.
/// `size_hint` is about how many bytes the document takes.
fn written(vm: &mut Vm, ctx: &Value, given: Entries, parts: &Parts, size_hint: usize) -> Result<Changed> {
    let Entries { values: given, in_parts, op } = given;
    let (mut op, mut source, mut rest) = (op, None, Map::new());
    let Some(Data::Map(map)) = ctx.data() else { return Err(Error::illegal_argument("a script's ctx is no map")) };
    let map = map.borrow();
    for (Key(key), value) in &map.entries {
        let key = key.as_str().map_or_else(|| Cow::Owned(lib::plain(key)), Cow::Borrowed);
        match (&*key, value) {
            ("op", Value::Null) => {}
            ("op", Value::Str(value)) => op = Some(value.as_str().to_owned()),
            ("op", value) => return Err(no_cast_of(value, "java.lang.String")),
            ("_source", Value::Null) => {}
            ("_source", value) => match value.data() {
                Some(Data::Map(left)) => {
                    let mut out = Vec::with_capacity(size_hint);
                    let done = match in_parts {
                        true => parts.write(vm, &left.borrow(), &mut out),
                        false => write_json(vm, value, &mut out),
                    };
                    source = Some(done.map(|()| out).map_err(|failed| no_document(vm, &failed)));
                }
                _ => return Err(no_cast_of(value, "java.util.Map")),
            },
            (key_text, value) => {
                let before = given.iter().find(|(name, _)| name.as_str() == Some(key_text)).map(|(_, before)| before);
                if !before.is_some_and(|before| is_unchanged(before, value)) {
                    rest.insert(key_text, to_json(vm, value).map_err(|failed| no_document(vm, &failed))?);
                }
            }
        }
    }
    for (name, before) in &given {
        let Some(text) = name.as_str().filter(|text| !matches!(*text, "op" | "_source")) else { continue };
        if !before.is_null() && !map.entries.contains_key(&Key(name.clone())) {
            rest.insert(text, Json::Null);
        }
    }
    // That nothing is no document shows where it would be written.
    let cleared = op.is_none();
    let op = op.unwrap_or_else(|| "none".to_owned());
    let source = match source {
        // Where nothing is written, it does not matter what could not be.
        Some(Err(_)) if !matches!(op.as_str(), "index" | "create") => b"null".to_vec(),
        Some(source) => source?,
        None => b"null".to_vec(),
    };
    Ok(Changed { op, cleared, source, rest })
}

#[cold]
fn no_cast_of(value: &Value, to: &str) -> Error {
    Error::new(ErrorKind::ClassCast, cast_text(&value.class_name(), to))
}

/// Whether an entry still says what it said, as JSON would.
fn is_unchanged(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Null, Value::Null) => true,
        (Value::Str(a), Value::Str(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Long(a), Value::Long(b)) => a == b,
        (Value::Int(a), Value::Long(b)) => i64::from(*a) == *b,
        _ => before.same(after),
    }
}

/// No fault of running the script: what it left behind cannot be a document.
fn no_document(vm: &Vm, failed: &super::Failed) -> Error {
    let error = vm.to_error(failed);
    let cause = error.cause().filter(|cause| is_of_document(cause)).cloned();
    cause.unwrap_or(error)
}

/// Whether an error is of what a script left behind, not of its run.
pub fn is_of_document(error: &Error) -> bool {
    let reason = error.reason();
    error.kind() == ErrorKind::ClassCast || reason == SELF_REFERENCE || reason.starts_with(UNKNOWN_VALUE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::context::UPDATE;

    fn change(source: &str) -> Result<Changed> {
        let params = crate::json::parse(br#"{"by": 4}"#).unwrap();
        let document = Given::Document(br#"{"n": 1, "tags": ["a"]}"#);
        let ctx = [
            ("_id", Given::Text("1")),
            ("op", Given::Text("index")),
            ("_now", Given::Number(5)),
            ("_source", document),
        ];
        run(&Script::new(source, "painless", params), &UPDATE, &ctx, 5)
    }

    #[test]
    fn documents_in_hash_maps_are_in_their_order() {
        let document = br#"{"title":1,"name":{"zeta":1,"b":2},"obj":3}"#;
        for (source, expected) in [
            ("ctx._source.obj = 4", r#"{"obj":4,"name":{"zeta":1,"b":2},"title":1}"#),
            (
                "ctx._source.k = ctx._source.keySet().toString()",
                r#"{"obj":3,"name":{"zeta":1,"b":2},"k":"[obj, name, title]","title":1}"#,
            ),
        ] {
            let script = Script::new(source, "painless", Json::Object(Map::new()));
            let ctx = [("op", Given::Text("index")), ("_source", Given::Hashed(document))];
            let changed = run(&script, &UPDATE, &ctx, 0).unwrap();
            assert_eq!(String::from_utf8(changed.source).unwrap(), expected);
        }
    }

    #[test]
    fn sources_change_in_place() {
        let changed = change("ctx._source.n += params.by; ctx._source.tags.add('b'); ctx._source.o = ['k': ctx._now]");
        assert_eq!(String::from_utf8(changed.unwrap().source).unwrap(), r#"{"n":5,"tags":["a","b"],"o":{"k":5}}"#);
        assert_eq!(change("ctx.op = 'delete'").unwrap().op, "delete");
        assert_eq!(change("if (ctx._source.n == 1) { ctx.op = 'none' }").unwrap().op, "none");
        assert_eq!(change("ctx._source.remove('n')").unwrap().source, br#"{"tags":["a"]}"#);
        let reason = |source: &str| change(source).unwrap_err().reason().to_owned();
        assert!(
            reason("ctx._source.c = (char)65").starts_with("cannot write xcontent for unknown value of type class")
        );
        assert!(
            reason("ctx._source.m = [1: 2]")
                .starts_with("class java.lang.Integer cannot be cast to class java.lang.String")
        );
        assert_eq!(change("ctx._source.m = [1: 2]; ctx.op = 'noop'").unwrap().source, b"null");
        assert_eq!(change("ctx._source = null").unwrap().source, b"null");
        assert_eq!(change("ctx.remove('_source')").unwrap().source, b"null");
        assert_eq!(change("ctx._source = [1]").unwrap_err().kind(), ErrorKind::ClassCast);
        assert!(change("ctx._source.foo.bar = 1").is_err());
        assert!(change("def m = [:]; m.m = m; ctx._source.x = m").is_err());
    }

    #[test]
    fn documents_follow_one_another() {
        let params = crate::json::parse(br#"{"seen": ["a"]}"#).unwrap();
        let script = Script::new("ctx._source.n = ctx._source.n + params.seen.size() + '\"'", "painless", params);
        let mut updater = Updater::new(&script, &UPDATE).unwrap();
        for n in 0..3 {
            let document = format!(r#"{{"n": {n}, "f": 1.5, "o": [true, null, {{}}]}}"#);
            let ctx = [("op", Given::Text("index")), ("_source", Given::Document(document.as_bytes()))];
            let changed = updater.run(&ctx, 5).unwrap();
            let expected = format!(r#"{{"n":"{}\"","f":1.5,"o":[true,null,{{}}]}}"#, n + 1);
            assert_eq!((String::from_utf8(changed.source).unwrap(), changed.rest.len()), (expected, 0));
        }
    }

    #[test]
    fn parts_of_documents_change_as_whole_ones_do() {
        let params = crate::json::parse(br#"{"by": 4, "list": [1, 2]}"#).unwrap();
        let documents = [
            r#"{"n": 1, "tags": ["a"], "o": {"x": 1.50, "y": [ ]}, "f": 38.66, "z": null}"#,
            r#"{"n": 2, "tags": ["b"], "o": {"x": -0.0}, "f": 1e9, "z": "a\n\u0041"}"#,
            r#"{"tags": [], "n": 3}"#,
            r#"{"a": 1, "b": 2, "tags": {}, "n": {}, "a": 2}"#,
            r#"{}"#,
            r#"{"n": 1, "n": 2}"#,
            "[1]",
        ];
        for source in [
            "ctx._source.n += params.by",
            "ctx._source.n = 'x'; ctx._source.new = params.list; ctx._source.more = ctx._source.tags",
            "ctx._source.remove('n'); ctx._source.remove('f'); ctx._source.b = 1",
            "ctx._source.tags.add('b'); if (ctx._source.tags.size() > 1) { ctx.op = 'noop' }",
            "if (ctx._source.containsKey('z') == false) { ctx.op = 'delete'; ctx._id = 'other' }",
            "ctx._source.o.x = ctx._source.o; ctx._source.n = 1",
            "ctx._source.o.remove('x'); ctx._source.put('n', ctx._version); ctx.x = 7",
            "ctx._source.z = ctx._source.f == null ? 0 : ctx._source.f",
        ] {
            let script = Script::new(source, "painless", params.clone());
            assert!(script.program(&UPDATE).unwrap().reach.is_some(), "{source}");
            let (mut part, mut whole) =
                (Updater::new(&script, &UPDATE).unwrap(), Updater::new(&script, &UPDATE).unwrap());
            for document in documents.iter().chain(&documents) {
                let ctx = [
                    ("_id", Given::Text("1")),
                    ("_version", Given::Number(3)),
                    ("_source", Given::Document(document.as_bytes())),
                    ("op", Given::Text("index")),
                ];
                let (quick, slow) = (part.run(&ctx, 5), whole.run_reaching(&ctx, None, 5));
                assert_eq!(quick, slow, "{source} on {document}");
            }
        }
    }

    #[test]
    fn only_what_changed_is_told() {
        assert!(change("ctx._id = '1'; ctx._now = 5L").unwrap().rest.is_empty());
        let rest = change("ctx._id = '2'; ctx.remove('_now'); ctx.x = [1]").unwrap().rest;
        assert_eq!(Json::Object(rest).to_text(), r#"{"_id":"2","x":[1],"_now":null}"#);
    }
}
