//! Scripts of updates: `ctx` before and after.

use super::json::SELF_REFERENCE;
use super::value::{Data, Value};
use super::{Context, Limits, Script, Vm, from_json, lib, to_json};
use crate::error::{Error, Result};
use crate::json::{Map, Value as Json};

/// What a script made of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    /// `ctx.op`.
    pub op: String,
    /// `ctx._source`.
    pub source: Map,
    /// All other entries of `ctx`.
    pub rest: Map,
}

/// Runs a script over `ctx`, which holds `_source` beside what else the caller puts there.
pub fn run(script: &Script, context: &'static Context, ctx: &Json, now_ms: i64) -> Result<Changed> {
    let mut vm = script.vm(context, Limits::default(), now_ms)?;
    let outcome = execute(&mut vm, ctx);
    let object = match outcome {
        Ok(object) => object,
        Err(failed) => return Err(vm.to_error(&failed)),
    };
    let written = to_json(&mut vm, &object).map_err(|failed| {
        let error = vm.to_error(&failed);
        // No fault of running the script: what it left behind cannot be a document.
        let cause = error.cause().filter(|cause| cause.reason() == SELF_REFERENCE).cloned();
        cause.unwrap_or(error)
    });
    let Json::Object(mut rest) = written? else {
        return Err(Error::illegal_argument("[ctx] of a script is no map any more"));
    };
    let op = match rest.remove("op") {
        Some(Json::String(op)) => op,
        Some(Json::Null) | None => "none".to_owned(),
        Some(other) => other.to_text(),
    };
    let source = match rest.remove("_source") {
        Some(Json::Object(source)) => source,
        _ => return Err(Error::illegal_argument("[_source] of a script's ctx is no map any more")),
    };
    Ok(Changed { op, source, rest })
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
        let source = Json::Object(changed.unwrap().source).to_bytes();
        assert_eq!(String::from_utf8(source).unwrap(), r#"{"n":5,"tags":["a","b"],"o":{"k":5}}"#);
        assert_eq!(change("ctx.op = 'delete'").unwrap().op, "delete");
        assert_eq!(change("if (ctx._source.n == 1) { ctx.op = 'none' }").unwrap().op, "none");
        assert_eq!(change("ctx._source.remove('n')").unwrap().source.len(), 1);
        assert!(change("ctx._source.foo.bar = 1").is_err());
        assert!(change("def m = [:]; m.m = m; ctx._source.x = m").is_err());
    }
}
