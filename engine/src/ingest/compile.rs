//! From the configuration of a pipeline to its steps.

use super::config::{Config, name_processor, not_castable};
use super::processor::{self, Step};
use super::script::{Condition, Scripts};
use super::{Pipeline, Stats};
use crate::error::{Error, ErrorKind, Result};
use crate::java_order::sort_by_slot;
use crate::json::{Map, Value, java_class};

/// Deepest nesting of processors in processors.
const NESTING_MAX: usize = 100;
/// Most processors of one pipeline.
const PROCESSORS_MAX: usize = 100_000;

/// What the building of processors needs to know.
pub(super) struct Compiler<'a> {
    pub scripts: &'a dyn Scripts,
    depth: usize,
    processors: usize,
}

impl Pipeline {
    /// Reads a pipeline. `config` is the object that was put; `scripts` knows the stored scripts.
    pub fn parse(id: &str, config: &Map, scripts: &dyn Scripts) -> Result<Self> {
        let mut compiler = Compiler { scripts, depth: 0, processors: 0 };
        let mut read = Config::new(config.clone());
        let description = read.text_opt("description")?;
        let version = read.int_opt("version")?;
        let steps = compiler.steps(read.list("processors")?)?;
        let on_failure = read.list_opt("on_failure")?.map(|list| compiler.steps(list)).transpose()?;
        let rest = read.rest();
        if !rest.is_empty() {
            let reason = format!(
                "pipeline [{id}] doesn't support one or more provided configuration parameters [{}]",
                rest.join(", ")
            );
            return Err(Error::new(ErrorKind::Parse, reason));
        }
        if on_failure.as_ref().is_some_and(Vec::is_empty) {
            let reason = format!("pipeline [{id}] cannot have an empty on_failure option defined");
            return Err(Error::new(ErrorKind::Parse, reason));
        }
        let on_failure = on_failure.unwrap_or_default();
        Ok(Self { id: id.to_owned(), description, version, steps, on_failure, stats: Stats::default() })
    }
}

impl Compiler<'_> {
    /// The steps of a list of objects `{"<kind>": {…}}`. Of several mistakes the first is told, with the others beside it.
    pub fn steps(&mut self, configs: Vec<Value>) -> Result<Vec<Step>> {
        let (mut steps, mut errors) = (vec![], vec![]);
        for config in configs {
            let Value::Object(mut map) = config else {
                return Err(not_castable(java_class(&config), "java.util.Map"));
            };
            // Several in one object come as a hash map has them.
            sort_by_slot(&mut map.entries, |entry| &entry.key);
            for entry in map.entries {
                match self.step(&entry.key, entry.value) {
                    Ok(step) => steps.push(step),
                    Err(error) => errors.push(error),
                }
            }
        }
        let mut errors = errors.into_iter();
        let Some(first) = errors.next() else { return Ok(steps) };
        let others: Vec<Error> = errors.collect();
        if others.is_empty() {
            return Err(first);
        }
        if first.unwrapped().kind() == ErrorKind::IllegalArgument {
            // An exception of Java's own does not tell of the others.
            return Err(first);
        }
        // As the root of itself it tells of the others without their causes. It may have had others beside it within.
        let within = |error: &Error| error.field("suppressed").and_then(Value::as_array).unwrap_or_default().to_vec();
        let mut of_root = within(first.root_causes().first().unwrap_or(&first));
        of_root.extend(others.iter().map(Error::to_root_value));
        let mut beside = within(&first);
        beside.extend(others.iter().map(Error::to_value));
        let root = first.clone().with("suppressed", Value::Array(of_root)).with_root_causes(vec![]);
        Err(first.with("suppressed", Value::Array(beside)).with_root_causes(vec![root]))
    }

    /// One processor with its options.
    pub fn step(&mut self, name: &str, config: Value) -> Result<Step> {
        self.processors += 1;
        if self.depth > NESTING_MAX || self.processors > PROCESSORS_MAX {
            return Err(Error::illegal_argument(format!(
                "a pipeline may have at most [{PROCESSORS_MAX}] processors, nested at most [{NESTING_MAX}] deep"
            )));
        }
        self.depth += 1;
        let step = self.step_inside(name, config);
        self.depth -= 1;
        step
    }

    fn step_inside(&mut self, name: &str, config: Value) -> Result<Step> {
        let map = match config {
            Value::Object(map) => map,
            // A script may be given by its source alone.
            Value::String(source) if name == "script" => Map::from_iter([("source", source)]),
            other => {
                let reason = match other {
                    Value::Null => format!("the config of processor [{name}] cannot be null"),
                    other => format!("property isn't a map, but of type [{}]", java_class(&other)),
                };
                return Err(name_processor(Error::new(ErrorKind::Parse, reason), name, None));
            }
        };
        let mut options = Config::new(map);
        let tag = options.text_opt("tag")?;
        let mut options = options.tagged(tag.as_deref());
        let description = options.text_opt("description")?;
        let condition = options.take("if");
        // The form of a condition is looked at before anything else, what it says when the processor stands.
        condition.as_ref().map(Condition::check_form).transpose()?;
        let Some(kind) = processor::kind(name) else {
            let reason = format!("No processor type exists with name [{name}]");
            return Err(name_processor(Error::new(ErrorKind::Parse, reason), name, tag.as_deref()));
        };
        let mut options = options.tagged(None);
        let ignore_failure = options.flag("ignore_failure", false)?;
        let on_failure = options.list_opt("on_failure")?;
        let mut config = options.owned_by(kind.name, tag.as_deref());
        let on_failure = match on_failure {
            Some(list) => {
                let steps = self.steps(list)?;
                if steps.is_empty() {
                    return Err(config.property("on_failure", "processors list cannot be empty"));
                }
                steps
            }
            None => vec![],
        };
        let named = |error| name_processor(as_exception(error), name, tag.as_deref());
        let work = (kind.build)(&mut config, self).map_err(named)?;
        let rest = config.rest();
        if !rest.is_empty() {
            let reason = format!(
                "processor [{name}] doesn't support one or more provided configuration parameters [{}]",
                rest.join(", ")
            );
            return Err(named(Error::new(ErrorKind::Parse, reason)));
        }
        // What is wrong with the form of a condition is told as its own mistake.
        let of_condition = |error: Error| if error.field("processor_type").is_some() { error } else { named(error) };
        let condition =
            condition.map(|script| Condition::parse(script, self.scripts)).transpose().map_err(of_condition)?;
        Ok(Step {
            kind: kind.name,
            tag,
            description: description.filter(|_| kind.is_described()),
            condition,
            ignore_failure,
            on_failure,
            work,
            stats: Stats::default(),
        })
    }
}

/// The reference tells of exceptions of Java's own within one of its own.
fn as_exception(error: Error) -> Error {
    let class = match error.kind() {
        ErrorKind::IllegalArgument => "java.lang.IllegalArgumentException",
        ErrorKind::ClassCast => "java.lang.ClassCastException",
        ErrorKind::DateTime => "java.time.DateTimeException",
        ErrorKind::ZoneRules => "java.time.zone.ZoneRulesException",
        ErrorKind::XContentParse => "org.opensearch.core.xcontent.XContentParseException",
        ErrorKind::DissectPattern => "org.opensearch.dissect.DissectException$PatternParse",
        ErrorKind::DissectKey => "org.opensearch.dissect.DissectException$KeyParse",
        ErrorKind::PatternSyntax => "java.util.regex.PatternSyntaxException",
        _ => return error,
    };
    Error::new(ErrorKind::General, format!("{class}: {}", error.reason())).caused_by(error)
}
