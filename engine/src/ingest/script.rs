//! Scripts of pipelines: conditions, and the `script` processor. `ctx` is the document with its metadata.

use super::Document;
use super::foreign::Foreign;
use crate::deprecated::note_renamed;
use crate::error::{Error, ErrorKind, Result};
use crate::java_order::java_ordered;
use crate::json::{self, Entry, Map, Value as Json, java_class, line_col};
use crate::script::context::{INGEST, PROCESSOR_CONDITIONAL};
use crate::script::{
    Context, Limits, SELF_REFERENCE, Script, Value, document_json, freeze_for_condition, from_json_in_table,
};
use std::sync::Arc;

/// Knows the stored scripts.
pub trait Scripts {
    /// The language and source of a stored script.
    fn stored(&self, id: &str) -> Option<(String, String)>;
}

/// No stored scripts.
#[derive(Clone, Copy, Debug)]
pub struct NoScripts;

impl Scripts for NoScripts {
    fn stored(&self, _: &str) -> Option<(String, String)> {
        None
    }
}

/// `if` of a processor.
pub(super) struct Condition(Arc<Script>);

impl Condition {
    /// Whether it is a script at all.
    pub fn check_form(script: &Json) -> Result<()> {
        if !matches!(script, Json::String(_) | Json::Object(_)) {
            let reason = format!("[script] property isn't a map or string, but of type [{}]", java_class(script));
            return Err(Error::new(ErrorKind::Parse, reason)
                .with("processor_type", "conditional")
                .with("property_name", "script"));
        }
        placed(script).map(drop)
    }

    pub fn parse(script: Json, scripts: &dyn Scripts) -> Result<Self> {
        read(script, scripts, &PROCESSOR_CONDITIONAL).map(Self)
    }

    pub fn source(&self) -> String {
        self.0.source.to_string()
    }

    /// Whether the condition holds. It may look at the document, not change it.
    pub fn holds(&self, doc: &Document, now_ms: i64) -> Result<bool> {
        let mut vm = self.0.vm(&PROCESSOR_CONDITIONAL, Limits::default(), now_ms)?;
        let outcome = from_json_in_table(&mut vm, &doc.root, doc.slots()).and_then(|object| {
            freeze_for_condition(&object);
            let variables = [vm.params(), object];
            vm.execute(&variables)
        });
        let holds = outcome.map_err(|failed| vm.to_error(&failed))?;
        Ok(matches!(holds, Value::Bool(true)))
    }
}

/// The script of a `script` processor.
pub(super) struct Change(Arc<Script>);

impl Change {
    pub fn parse(config: Map, scripts: &dyn Scripts) -> Result<Self> {
        read(Json::Object(config), scripts, &INGEST).map(Self)
    }

    pub fn run(&self, doc: &mut Document, now_ms: i64) -> Result<()> {
        doc.check_copied()?;
        let mut vm = self.0.vm(&INGEST, Limits::default(), now_ms)?;
        let outcome = from_json_in_table(&mut vm, &doc.root, doc.slots()).and_then(|object| {
            let variables = [vm.params(), object.clone()];
            vm.execute(&variables)?;
            document_json(&mut vm, &object)
        });
        let (root, foreign) = outcome.map_err(|failed| match failed.message.as_deref() {
            Some(SELF_REFERENCE) => Error::illegal_argument(format!("{SELF_REFERENCE} (ingest script)")),
            _ => vm.to_error(&failed),
        })?;
        // Characters of earlier scripts came as texts.
        doc.foreign.retain(|known| known.is_in(&root));
        doc.foreign.extend(foreign.into_iter().filter_map(|(path, class)| Foreign::new(path, &root, class)));
        doc.root = root;
        Ok(())
    }
}

/// Reads a script and compiles it, so that mistakes show when the pipeline is put.
pub(crate) fn read(config: Json, scripts: &dyn Scripts, context: &'static Context) -> Result<Arc<Script>> {
    let stored = config.get("id").and_then(Json::as_str).filter(|_| config.get("source").is_none());
    let script = match stored {
        Some(id) => {
            let (lang, source) = scripts.stored(id).ok_or_else(|| {
                Error::new(ErrorKind::ResourceNotFound, format!("unable to find script [{id}] in cluster state"))
            })?;
            // It may not have the form of a script all the same.
            placed(&config).err().filter(|error| error.kind() == ErrorKind::XContentParse).map_or(Ok(()), Err)?;
            let params = config.get("params").cloned().unwrap_or_else(|| Map::new().into());
            Arc::new(Script::new(&source, &lang, params))
        }
        None => placed(&config)?,
    };
    script.program(context)?;
    Ok(script)
}

/// Reads a script as Java writes it anew: keys in the order of their hashes, and mistakes at their places in that.
fn placed(config: &Json) -> Result<Arc<Script>> {
    let Json::Object(map) = config else { return Script::parse(config) };
    let text = Json::Object(java_ordered(map.clone())).to_bytes();
    let config = json::parse(&text)?;
    let Json::Object(map) = &config else { return Script::parse(&config) };
    let at = |pos: u32, what: &str| {
        let (line, column) = line_col(&text, pos);
        Error::new(ErrorKind::XContentParse, format!("[{line}:{column}] {what}"))
    };
    for (old, new) in [("inline", "source"), ("stored", "id")] {
        if let Some(entry) = map.entries.iter().find(|entry| entry.key == old) {
            let (line, column) = line_col(&text, entry.value_pos);
            note_renamed(&format!("[script][{line}:{column}]"), old, new);
        }
    }
    let is_source = |entry: &&Entry| matches!(entry.key.as_str(), "source" | "inline" | "id" | "stored");
    if let [_, second, ..] = map.entries.iter().filter(is_source).collect::<Vec<_>>()[..] {
        let cause = "must only use one of [source, id] when specifying a script";
        let what = format!("[script] failed to parse field [{}]", second.key);
        return Err(at(second.value_pos, &what).caused_by(Error::illegal_argument(cause)));
    }
    let unfit = |entry: &&Entry| {
        let of = (entry.key.as_str(), &entry.value);
        matches!(of, ("params", Json::Null) | ("source" | "inline", Json::Array(_)))
    };
    if let Some(entry) = map.entries.iter().find(unfit) {
        let (key, token) = (&entry.key, entry.value.token());
        return Err(at(entry.value_pos, &format!("[script] {key} doesn't support values of type: {token}")));
    }
    Script::parse(&config).map_err(|error| {
        let told = error.reason().strip_prefix("[script] ").filter(|_| error.kind() == ErrorKind::XContentParse);
        let Some(told) = told else { return error };
        let unknown = told.strip_prefix("unknown field [").and_then(|rest| rest.split(']').next());
        let key = unknown.unwrap_or_else(|| told.split(' ').next().unwrap_or_default());
        match map.entries.iter().find(|entry| entry.key == key) {
            Some(entry) => at(if unknown.is_some() { entry.key_pos } else { entry.value_pos }, error.reason()),
            None => error,
        }
    })
}
