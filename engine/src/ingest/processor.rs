//! Steps of a pipeline: what every processor has, and the table of kinds.

use super::allowed::{Group, is_allowed};
use super::compile::Compiler;
use super::config::Config;
use super::script::Condition;
use super::template::Template;
use super::{Document, Stats, processors};
use crate::error::{Error, Result};

/// A processor that works on one document at once. What takes long over long lists is [`Work::Foreach`]'s business.
pub(super) trait Processor: Send + Sync {
    fn run(&self, doc: &mut Document, now_ms: i64) -> Result<()>;
}

/// What a step does.
pub(super) enum Work {
    Simple(Box<dyn Processor>),
    /// Ends the way of the document: it is not indexed.
    Drop,
    Foreach(Box<Foreach>),
    /// The name of another pipeline.
    Pipeline(Template),
}

/// Runs a step for each item of a list.
pub(super) struct Foreach {
    pub field: String,
    pub ignore_missing: bool,
    pub step: Step,
}

/// A processor with its options.
pub(super) struct Step {
    pub kind: &'static str,
    pub tag: Option<String>,
    pub description: Option<String>,
    pub condition: Option<Condition>,
    pub ignore_failure: bool,
    pub on_failure: Vec<Step>,
    pub work: Work,
    pub stats: Stats,
}

impl Step {
    /// A step that always fails.
    pub fn failing(error: Error) -> Self {
        struct Broken(Error);
        impl Processor for Broken {
            fn run(&self, _: &mut Document, _: i64) -> Result<()> {
                Err(self.0.clone())
            }
        }
        Self {
            kind: "unknown",
            tag: None,
            description: None,
            condition: None,
            ignore_failure: false,
            on_failure: vec![],
            work: Work::Simple(Box::new(Broken(error))),
            stats: Stats::default(),
        }
    }

    /// The kind that the reference has for it where a failure reaches the list of steps.
    pub fn outer_kind(&self) -> &'static str {
        if self.condition.is_some() { "conditional" } else { self.kind }
    }

    /// Whether failures are dealt with by the step itself.
    pub fn guarded(&self) -> bool {
        self.ignore_failure || !self.on_failure.is_empty()
    }

    /// What statistics call the step.
    pub fn stats_name(&self) -> String {
        let mut name = self.kind.to_owned();
        if let Work::Pipeline(Template::Text(pipeline)) = &self.work {
            name = format!("{name}:{pipeline}");
        }
        match &self.tag {
            // The reference looks behind what guards a step, but not behind a condition too.
            _ if self.guarded() && self.condition.is_some() => {
                format!("compound:CompoundProcessor-{}", self.tag.as_deref().unwrap_or("null"))
            }
            Some(tag) => format!("{name}:{tag}"),
            None => name,
        }
    }
}

/// Reads the settings of a kind.
type Build = fn(&mut Config, &mut Compiler<'_>) -> Result<Work>;

/// One kind of processor.
pub(super) struct Kind {
    pub name: &'static str,
    pub build: Build,
}

impl Kind {
    /// Whether a step of this kind tells what its pipeline says of it: the reference's `dot_expander` forgets it.
    pub fn is_described(&self) -> bool {
        self.name != "dot_expander"
    }

    fn is_allowed(&self) -> bool {
        let group = if self.name == "user_agent" { Group::UserAgent } else { Group::Ingest };
        is_allowed(group, self.name)
    }
}

macro_rules! kinds {
    ($($name:literal $build:path;)*) => { &[$(Kind { name: $name, build: $build },)*] };
}

/// All kinds, by name.
const KINDS: &[Kind] = kinds! {
    "acl_routing" processors::acl_routing::build;
    "append" processors::append::build;
    "bytes" processors::bytes::build;
    "community_id" processors::community_id::build;
    "convert" processors::convert::build;
    "copy" processors::copy::build;
    "csv" processors::csv::build;
    "date" processors::date::build;
    "date_index_name" processors::date_index_name::build;
    "dissect" processors::dissect::build;
    "dot_expander" processors::dot_expander::build;
    "drop" processors::drop::build;
    "fail" processors::fail::build;
    "fingerprint" processors::fingerprint::build;
    "foreach" processors::foreach::build;
    "grok" processors::grok::build;
    "gsub" processors::gsub::build;
    "hierarchical_routing" processors::hierarchical_routing::build;
    "html_strip" processors::html_strip::build;
    "join" processors::join::build;
    "json" processors::json::build;
    "kv" processors::kv::build;
    "lowercase" processors::case::build_lower;
    "pipeline" processors::pipeline::build;
    "remove" processors::remove::build;
    "remove_by_pattern" processors::remove_by_pattern::build;
    "rename" processors::rename::build;
    "script" processors::script::build;
    "set" processors::set::build;
    "sort" processors::sort::build;
    "split" processors::split::build;
    "split_to_fields" processors::split_to_fields::build;
    "temporal_routing" processors::temporal_routing::build;
    "trim" processors::trim::build;
    "uppercase" processors::case::build_upper;
    "urldecode" processors::urldecode::build;
    "user_agent" processors::user_agent::build;
};

/// The kind of this name, if the node may have it.
pub(super) fn kind(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name == name && kind.is_allowed())
}

/// The names of all kinds that the node may have.
pub fn processor_kinds() -> impl Iterator<Item = &'static str> {
    KINDS.iter().filter(|kind| kind.is_allowed()).map(|kind| kind.name)
}
