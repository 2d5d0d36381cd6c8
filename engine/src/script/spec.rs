//! A script as requests write it.

use super::{Context, Documents, Limits, Program, StoredSource, Vm, compile_painless};
use crate::did_you_mean;
use crate::error::{Error, ErrorKind, Result};
use crate::json::tokens::value_end;
use crate::json::{Map, Value, java_text};
use crate::mapping::Mapping;
use std::sync::{Arc, OnceLock};

/// Longest source, as `script.max_size_in_bytes` has it by default.
pub const SOURCE_BYTES_MAX: usize = 65_535;

/// UTF-16 units of a script's text that its errors show as its name.
const NAME_UNITS_MAX: usize = 256;

/// Source and parameters of a script. It is compiled when it is first run, once for all shards of a request.
#[derive(Debug)]
pub struct Script {
    pub source: Arc<str>,
    pub lang: Arc<str>,
    pub params: Value,
    /// Options of the compiler, as Java shows them.
    options: Option<Arc<str>>,
    /// The id of a stored script.
    id: Option<Arc<str>>,
    /// Whether no script of this id was found when the request came in.
    missing: bool,
    compiled: OnceLock<(&'static str, Result<Arc<Program>>)>,
}

impl PartialEq for Script {
    fn eq(&self, other: &Self) -> bool {
        (&self.source, &self.lang, &self.params, &self.options, &self.id, self.missing)
            == (&other.source, &other.lang, &other.params, &other.options, &other.id, other.missing)
    }
}

impl Script {
    pub fn new(source: &str, lang: &str, params: Value) -> Self {
        let (options, id, missing, compiled) = (None, None, false, OnceLock::new());
        Self { source: source.into(), lang: lang.into(), params, options, id, missing, compiled }
    }

    /// Reads `"source"` or `{"source": …, "lang": …, "params": …}`.
    pub fn parse(value: &Value) -> Result<Arc<Self>> {
        let failed = |reason: String| Err(Error::new(ErrorKind::XContentParse, reason));
        let map = match value {
            Value::String(source) => return Self::checked(Self::new(source, "painless", Value::Object(Map::new()))),
            Value::Object(map) => map,
            other => return failed(format!("[script] expected an object or a string but got [{}]", other.to_text())),
        };
        let (mut source, mut id, mut lang, mut params) = (None, None, None, Value::Object(Map::new()));
        let mut options = None;
        for (key, value) in map.iter() {
            match (key, value) {
                ("source" | "inline", Value::String(text)) => source = Some(text.clone()),
                ("source" | "inline", Value::Object(_) | Value::Array(_)) => {
                    source = Some(String::from_utf8_lossy(&value.to_bytes()).into_owned());
                }
                ("id" | "stored", Value::String(name)) => id = Some(name.clone()),
                ("lang", Value::String(name)) => lang = Some(name.clone()),
                ("params", Value::Object(_)) => params = value.clone(),
                ("params", Value::Null) => {}
                ("options", Value::Object(given)) if given.is_empty() => {}
                ("options", Value::Object(given)) => {
                    let pick = |known: bool| given.iter().filter(move |(key, _)| (*key == "content_type") == known);
                    let [known, strange]: [Map; 2] =
                        [true, false].map(|known| pick(known).map(|(key, value)| (key, value.clone())).collect());
                    if !strange.is_empty() {
                        let shown = java_text(&Value::Object(strange));
                        return Err(Error::illegal_argument(format!("illegal compiler options [{shown}] specified")));
                    }
                    options = Some(java_text(&Value::Object(known)));
                }
                ("source" | "inline" | "id" | "stored" | "lang" | "params" | "options", _) => {
                    return failed(format!("[script] {key} doesn't support values of type: {}", value.token()));
                }
                _ => {
                    let known = ["source", "inline", "id", "stored", "lang", "params", "options"];
                    return failed(format!("[script] unknown field [{key}]{}", did_you_mean::suffix(key, known)));
                }
            }
        }
        let given = map.get("source").or(map.get("inline"));
        if options.is_none() && given.is_some_and(|source| source.as_str().is_none()) {
            options = Some("{content_type=application/json; charset=UTF-8}".to_owned());
        }
        match (source, id) {
            (Some(_), Some(_)) => {
                Err(Error::illegal_argument("must only use one of [source, id] when specifying a script"))
            }
            (Some(source), None) => {
                let options = options.map(Into::into);
                Self::checked(Self { options, ..Self::new(&source, lang.as_deref().unwrap_or("painless"), params) })
            }
            (None, Some(_)) if lang.is_some() => {
                Err(Error::illegal_argument("illegally specified <lang> for a stored script"))
            }
            (None, Some(_)) if options.is_some() => {
                Err(Error::illegal_argument("field [options] cannot be specified using a stored script"))
            }
            (None, Some(id)) => Ok(Arc::new(match super::stored::find(&id) {
                Some(StoredSource { lang, source, options }) => {
                    let (id, options) = (Some(id.into()), options.map(Into::into));
                    Self { id, options, ..Self::new(&source, &lang, params) }
                }
                None => Self { id: Some(id.into()), missing: true, ..Self::new("", "painless", params) },
            })),
            (None, None) => Err(Error::illegal_argument(
                "must specify either [source] for an inline script or [id] for a stored script",
            )),
        }
    }

    /// Where in a request its refusal shows, if it begins at `pos`: what an object as a whole lacks shows at its end.
    pub fn refused_at(text: &[u8], pos: u32, error: &Error) -> u32 {
        let from = text.get(pos as usize..).unwrap_or_default();
        match from.first() == Some(&b'{') && error.kind() == ErrorKind::IllegalArgument {
            true => pos + (value_end(from) as u32).saturating_sub(1),
            false => pos,
        }
    }

    /// The same script with other parameters.
    pub fn with_params(&self, params: Value) -> Self {
        let (options, id) = (self.options.clone(), self.id.clone());
        Self { options, id, missing: self.missing, ..Self::new(&self.source, &self.lang, params) }
    }

    fn checked(script: Self) -> Result<Arc<Self>> {
        let source = &script.source;
        if source.len() > SOURCE_BYTES_MAX {
            return Err(Error::illegal_argument(format!(
                "exceeded max allowed inline script size in bytes [{SOURCE_BYTES_MAX}] with size [{}] for script [{source}]",
                source.len()
            )));
        }
        Ok(Arc::new(script))
    }

    /// The program for a context. A script is used in one context only.
    pub fn program(&self, context: &'static Context) -> Result<Arc<Program>> {
        if let (Some(id), true) = (&self.id, self.missing) {
            let what = format!("unable to find script [{id}] in cluster state");
            return Err(Error::new(ErrorKind::ResourceNotFound, what));
        }
        let compile = || self.compile(context);
        let (name, compiled) = self.compiled.get_or_init(|| (context.name, compile()));
        if *name == context.name { compiled.clone() } else { compile() }
    }

    fn compile(&self, context: &'static Context) -> Result<Arc<Program>> {
        let compiled = match &*self.lang {
            "painless" if let Some(options) = &self.options => {
                Err(Error::illegal_argument(format!("Unrecognized compile-time parameter(s): {options}")))
            }
            "painless" => {
                super::compiled::program("painless", &self.source, context, || compile_painless(&self.source, context))
            }
            "expression" => super::compiled::program("expression", &self.source, context, || {
                super::expression::compile(&self.source, context)
            }),
            "mustache" => Err(Error::illegal_argument(format!(
                "mustache engine does not know how to handle context [{}]",
                context.name
            ))),
            other => return Err(Error::illegal_argument(format!("script_lang not supported [{other}]"))),
        };
        compiled.map_err(|error| match error.kind() {
            ErrorKind::IllegalArgument | ErrorKind::NumberFormat => {
                let (kind, name) = self.id.as_ref().map_or(("inline", &self.source), |id| ("stored", id));
                let what = format!("Failed to compile {kind} script [{name}] using lang [{}]", self.lang);
                Error::new(ErrorKind::GeneralScript, what).caused_by(error)
            }
            _ => error,
        })
    }

    /// Fails where a script is wrong, or names what the mapping does not have.
    pub fn check(&self, context: &'static Context, mapping: &Mapping) -> Result<()> {
        super::expression::link(&*self.program(context)?, Some(mapping), &self.params)
    }

    /// Whether it was asked for by its id.
    pub fn is_stored(&self) -> bool {
        self.id.is_some()
    }

    /// The id that it was asked for by.
    pub fn stored_id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// What errors call the script: long texts are cut.
    fn name(&self) -> Arc<str> {
        let name = self.id.as_ref().unwrap_or(&self.source);
        let shown = super::text::prefix(name, NAME_UNITS_MAX);
        if shown.len() < name.len() { format!("{shown} ...").into() } else { name.clone() }
    }

    /// A machine for the script.
    pub fn vm(&self, context: &'static Context, limits: Limits, now_ms: i64) -> Result<Vm> {
        let program = self.program(context)?;
        super::expression::link(&program, None, &self.params)?;
        let mut vm = Vm::new(program, &self.params, limits)?;
        (vm.now_ms, vm.name) = (now_ms, Some(self.name()));
        Ok(vm)
    }

    /// A machine for a script that reads documents.
    pub fn document_vm(
        &self,
        context: &'static Context,
        mapping: &Arc<Mapping>,
        index: Option<&Arc<str>>,
        now_ms: i64,
    ) -> Result<Vm> {
        let limits = Limits { fuel: 4_000_000, memory_bytes: 32 << 20 };
        let program = self.program(context)?;
        super::expression::link(&program, Some(mapping), &self.params)?;
        let mut vm = Vm::new(program, &self.params, limits)?;
        (vm.now_ms, vm.name) = (now_ms, Some(self.name()));
        vm.documents = Some(Documents::new(mapping.clone(), index.cloned()));
        crate::meter::script();
        Ok(vm)
    }
}
