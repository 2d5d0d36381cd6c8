//! Scripts of updates: `ctx` before and after.

use super::json::{SELF_REFERENCE, write_json};
use super::value::{Data, Value};
use super::{Context, Limits, Script, Vm, from_json, lib, to_json};
use crate::error::{Error, Result};
use crate::json::{Map, Value as Json};

/// What a script made of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    /// `ctx.op`.
    pub op: String,
    /// `ctx._source`, as JSON.
    pub source: Vec<u8>,
    /// All other entries of `ctx`.
    pub rest: Map,
}

/// A script that is run over one document after the other.
pub struct Updater {
    vm: Vm,
}

impl Updater {
    pub fn new(script: &Script, context: &'static Context) -> Result<Self> {
        Ok(Self { vm: script.vm(context, Limits::default(), 0)? })
    }

    /// Runs the script over `ctx`, which holds `_source` beside what else the caller puts there.
    pub fn run(&mut self, ctx: &Json, now_ms: i64) -> Result<Changed> {
        let vm = &mut self.vm;
        vm.reset();
        vm.now_ms = now_ms;
        let ctx = execute(vm, ctx).map_err(|failed| vm.to_error(&failed))?;
        written(vm, &ctx)
    }
}

/// Runs a script over one `ctx`.
pub fn run(script: &Script, context: &'static Context, ctx: &Json, now_ms: i64) -> Result<Changed> {
    Updater::new(script, context)?.run(ctx, now_ms)
}

/// What a script left behind.
fn written(vm: &mut Vm, ctx: &Value) -> Result<Changed> {
    let (mut op, mut source, mut rest) = ("none".to_owned(), None, Map::new());
    for (key, value) in lib::entries(ctx) {
        match (&*lib::plain(&key), &value) {
            ("op", Value::Null) => {}
            ("op", value) => op = to_json(vm, value).map_err(|failed| no_document(vm, &failed))?.to_text(),
            ("_source", value) if matches!(value.data(), Some(Data::Map(_))) => {
                let mut out = vec![];
                write_json(vm, value, &mut out).map_err(|failed| no_document(vm, &failed))?;
                source = Some(out);
            }
            ("_source", _) => {}
            (key, value) => rest.insert(key, to_json(vm, value).map_err(|failed| no_document(vm, &failed))?),
        }
    }
    let source = source.ok_or_else(|| Error::illegal_argument("[_source] of a script's ctx is no map any more"))?;
    Ok(Changed { op, source, rest })
}

/// No fault of running the script: what it left behind cannot be a document.
fn no_document(vm: &Vm, failed: &super::Failed) -> Error {
    let error = vm.to_error(failed);
    let cause = error.cause().filter(|cause| cause.reason() == SELF_REFERENCE).cloned();
    cause.unwrap_or(error)
}

fn execute(vm: &mut Vm, ctx: &Json) -> std::result::Result<Value, super::Failed> {
    let ctx = from_json(vm, ctx)?;
    let variables = [vm.params(), ctx.clone()];
    vm.execute(&variables)?;
    debug_assert!(matches!(ctx.data(), Some(Data::Map(_))), "{}", lib::plain(&ctx));
    Ok(ctx)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::context::UPDATE;

    fn change(source: &str) -> Result<Changed> {
        let params = crate::json::parse(br#"{"by": 4}"#).unwrap();
        let ctx = crate::json::parse(br#"{"_id": "1", "op": "index", "_now": 5, "_source": {"n": 1, "tags": ["a"]}}"#);
        run(&Script::new(source, "painless", params), &UPDATE, &ctx.unwrap(), 5)
    }

    #[test]
    fn sources_change_in_place() {
        let changed = change("ctx._source.n += params.by; ctx._source.tags.add('b'); ctx._source.o = ['k': ctx._now]");
        assert_eq!(String::from_utf8(changed.unwrap().source).unwrap(), r#"{"n":5,"tags":["a","b"],"o":{"k":5}}"#);
        assert_eq!(change("ctx.op = 'delete'").unwrap().op, "delete");
        assert_eq!(change("if (ctx._source.n == 1) { ctx.op = 'none' }").unwrap().op, "none");
        assert_eq!(change("ctx._source.remove('n')").unwrap().source, br#"{"tags":["a"]}"#);
        assert!(change("ctx._source.foo.bar = 1").is_err());
        assert!(change("def m = [:]; m.m = m; ctx._source.x = m").is_err());
    }

    #[test]
    fn documents_follow_one_another() {
        let params = crate::json::parse(br#"{"seen": ["a"]}"#).unwrap();
        let script = Script::new("ctx._source.n = ctx._source.n + params.seen.size() + '\"'", "painless", params);
        let mut updater = Updater::new(&script, &UPDATE).unwrap();
        for n in 0..3 {
            let ctx = format!(r#"{{"op": "index", "_source": {{"n": {n}, "f": 1.5, "o": [true, null, {{}}]}}}}"#);
            let changed = updater.run(&crate::json::parse(ctx.as_bytes()).unwrap(), 5).unwrap();
            let expected = format!(r#"{{"n":"{}\"","f":1.5,"o":[true,null,{{}}]}}"#, n + 1);
            assert_eq!((String::from_utf8(changed.source).unwrap(), changed.rest.len()), (expected, 0));
        }
    }
}
