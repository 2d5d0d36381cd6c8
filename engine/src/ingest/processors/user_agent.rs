//! `user_agent`: what a browser says of itself, taken apart into its name, version, operating system and device.

use super::super::Document;
use super::super::agents::{self, Details, Patterns, Versioned};
use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::processor::{Processor, Work};
use crate::deprecated::note;
use crate::error::{Error, Result};
use crate::java_order::{sort_by_few_slots, sort_by_slot};
use crate::json::{Map, Value};
use std::sync::Arc;

/// What is told, in the order in which it is put into the target.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Property {
    Name,
    Major,
    Minor,
    Patch,
    Os,
    OsName,
    OsMajor,
    OsMinor,
    Device,
    Build,
    Original,
    Version,
}

const PROPERTIES: &[(&str, Property)] = &[
    ("NAME", Property::Name),
    ("MAJOR", Property::Major),
    ("MINOR", Property::Minor),
    ("PATCH", Property::Patch),
    ("OS", Property::Os),
    ("OS_NAME", Property::OsName),
    ("OS_MAJOR", Property::OsMajor),
    ("OS_MINOR", Property::OsMinor),
    ("DEVICE", Property::Device),
    ("BUILD", Property::Build),
    ("ORIGINAL", Property::Original),
    ("VERSION", Property::Version),
];

/// Told in the old form alone.
const DEPRECATED: &[Property] = &[
    Property::Build,
    Property::Major,
    Property::Minor,
    Property::Patch,
    Property::OsName,
    Property::OsMajor,
    Property::OsMinor,
];

/// What stands where nothing is known.
const OTHER: &str = "Other";

struct UserAgent {
    field: String,
    target: String,
    patterns: Arc<Patterns>,
    properties: Vec<Property>,
    ignore_missing: bool,
    /// The form of the Elastic Common Schema; the old one is flat.
    common_schema: bool,
}

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    let field = config.text("field")?;
    let target = config.text_or("target_field", "user_agent")?;
    let file = config.text_or("regex_file", agents::BUILT_IN)?;
    let names = config.texts_opt("properties")?;
    let ignore_missing = config.flag("ignore_missing", false)?;
    let common_schema = config.flag("ecs", true)?;
    let patterns = agents::patterns(&file).ok_or_else(|| {
        let reason = format!("regex file [{file}] doesn't exist (has to exist at node startup)");
        config.property("regex_file", &reason)
    })?;
    let wanted = match names {
        Some(names) => names.iter().map(|name| property(name, config)).collect::<Result<Vec<_>>>()?,
        None => PROPERTIES.iter().map(|(_, property)| *property).collect(),
    };
    if !common_schema {
        note(
            "setting [ecs] to false for non-common schema format is deprecated and will be removed in 3.0, set to true or \
             remove to use the non-deprecated format",
        );
    }
    let properties = PROPERTIES.iter().map(|(_, property)| *property).filter(|known| wanted.contains(known)).collect();
    Ok(Work::Simple(Box::new(UserAgent { field, target, patterns, properties, ignore_missing, common_schema })))
}

fn property(name: &str, config: &Config) -> Result<Property> {
    let upper = name.to_uppercase();
    let Some((_, property)) = PROPERTIES.iter().find(|(known, _)| *known == upper) else {
        let known: Vec<&str> = PROPERTIES.iter().map(|(known, _)| *known).collect();
        let reason = format!("illegal property value [{name}]. valid values are [{}]", known.join(", "));
        return Err(config.property("properties", &reason));
    };
    if DEPRECATED.contains(property) {
        note(format!("the [{name}] property is deprecated for the user-agent processor"));
    }
    Ok(*property)
}

impl Processor for UserAgent {
    fn run(&self, doc: &mut Document, _: i64) -> Result<()> {
        let Some(agent) = doc.text(&self.field, self.ignore_missing)? else {
            let reason = || format!("field [{}] is null, cannot parse user-agent.", self.field);
            return if self.ignore_missing { Ok(()) } else { Err(Error::illegal_argument(reason())) };
        };
        let details = self.patterns.parse(agent)?;
        let mut told = Map::default();
        for property in &self.properties {
            match self.common_schema {
                true => tell(*property, &details, agent, &mut told),
                false => tell_flat(*property, &details, &mut told),
            }
        }
        // As the reference's map has it.
        sort_by_slot(&mut told.entries, |entry| &entry.key);
        doc.set(&self.target, Value::Object(told))
    }
}

fn name_of(found: &Option<Versioned>) -> &str {
    found.as_ref().map_or(OTHER, |found| &found.name)
}

fn tell(property: Property, details: &Details, agent: &str, told: &mut Map) {
    let (key, value) = match property {
        Property::Original => ("original", Some(Value::from(agent))),
        Property::Name => ("name", Some(Value::from(name_of(&details.program)))),
        Property::Version => {
            let version = details.program.as_ref().and_then(Versioned::full_version);
            ("version", version.map(Value::String))
        }
        Property::Os => ("os", details.system.as_ref().map(system)),
        Property::Device => {
            let device = Map::from_iter([("name", name_of(&details.device))]);
            ("device", Some(Value::Object(device)))
        }
        // Of the old form alone.
        _ => return,
    };
    if let Some(value) = value {
        told.insert(key, value);
    }
}

fn system(system: &Versioned) -> Value {
    let mut os = Map::default();
    os.insert("name", system.name.as_str());
    if let Some(version) = system.full_version() {
        os.insert("full", format!("{} {version}", system.name));
        os.insert("version", version);
    }
    sort_by_few_slots(&mut os.entries, |entry| &entry.key);
    Value::Object(os)
}

fn tell_flat(property: Property, details: &Details, told: &mut Map) {
    let part = |found: &Option<Versioned>, at: usize| found.as_ref().and_then(|found| found.version[at].clone());
    let (key, value) = match property {
        Property::Name => ("name", Some(name_of(&details.program).to_owned())),
        Property::Major => ("major", part(&details.program, 0)),
        Property::Minor => ("minor", part(&details.program, 1)),
        Property::Patch => ("patch", part(&details.program, 2)),
        Property::Build => ("build", part(&details.program, 3)),
        Property::Os => {
            let full = details.system.as_ref().map(|system| match system.full_version() {
                Some(version) => format!("{} {version}", system.name),
                None => system.name.clone(),
            });
            ("os", Some(full.unwrap_or_else(|| OTHER.to_owned())))
        }
        Property::OsName => ("os_name", Some(name_of(&details.system).to_owned())),
        Property::OsMajor => ("os_major", part(&details.system, 0)),
        Property::OsMinor => ("os_minor", part(&details.system, 1)),
        Property::Device => ("device", Some(name_of(&details.device).to_owned())),
        // Of the other form alone.
        Property::Original | Property::Version => return,
    };
    if let Some(value) = value {
        told.insert(key, value);
    }
}
