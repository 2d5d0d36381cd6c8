//! `_scripts/painless/_execute`: one script, run for its result.

use super::{Limits, Script, context, lib};
use crate::error::Result;

/// Runs a script of the context `painless_test`; the text of its result.
pub fn execute_test(script: &Script, now_ms: i64) -> Result<String> {
    let mut vm = script.vm(&context::PAINLESS_TEST, Limits::default(), now_ms)?;
    let variables = [vm.params()];
    let mut out = String::new();
    let written = vm.execute(&variables).and_then(|value| lib::write_text(&mut vm, &value, &mut out));
    match written {
        Ok(()) => Ok(out),
        Err(failed) => Err(vm.to_error(&failed)),
    }
}
