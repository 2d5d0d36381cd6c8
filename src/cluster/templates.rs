//! Templates: what new indexes of certain names begin with.

use super::create::{first_mapping, registry_of};
use super::template_mappings::Composition;
use super::{AliasMeta, State};
use crate::settings::{Settings, SettingsUpdate, glob};
use pith_engine::json::Value;
use pith_engine::{Error, ErrorKind, Result};
use std::collections::BTreeMap;
use std::sync::Arc;

/// All templates, by kind and name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Templates {
    pub legacy: BTreeMap<String, Arc<LegacyTemplate>>,
    pub index: BTreeMap<String, Arc<IndexTemplate>>,
    pub component: BTreeMap<String, Arc<ComponentTemplate>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemplateKind {
    Legacy,
    Index,
    Component,
}

/// Settings, mapping and aliases that a template brings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TemplateContent {
    /// Keys begin with `index.`.
    pub settings: Settings,
    pub mapping: Option<Value>,
    pub aliases: BTreeMap<String, AliasMeta>,
    /// Whether there is an object of settings, which is shown even if there is nothing in it.
    pub shows_settings: bool,
    /// The same of aliases.
    pub shows_aliases: bool,
}

/// `_template`: all that match are merged, by ascending order.
#[derive(Clone, Debug, PartialEq)]
pub struct LegacyTemplate {
    pub index_patterns: Vec<String>,
    pub order: i64,
    pub version: Option<i64>,
    pub content: TemplateContent,
}

/// `_index_template`: the one of the highest priority decides.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexTemplate {
    pub index_patterns: Vec<String>,
    pub composed_of: Vec<String>,
    pub priority: Option<i64>,
    pub version: Option<i64>,
    pub meta: Option<Value>,
    /// Set where the template makes data streams: the field that has the time of a document.
    pub timestamp_field: Option<String>,
    /// `None`: the template has no object of this name, which is shown so.
    pub content: Option<TemplateContent>,
}

/// `_component_template`: a part of index templates.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentTemplate {
    pub version: Option<i64>,
    pub meta: Option<Value>,
    pub content: TemplateContent,
}

/// A template to be put.
#[derive(Clone, Debug)]
pub struct Template {
    pub name: String,
    pub body: TemplateBody,
    /// Fail if there is one already.
    pub create: bool,
}

#[derive(Clone, Debug)]
pub enum TemplateBody {
    Legacy(LegacyTemplate),
    Index(IndexTemplate),
    Component(ComponentTemplate),
}

/// What the templates that match a new index bring, merged; mappings in the order in which they are merged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pattern {
    pub settings: Settings,
    pub mappings: Vec<Value>,
    pub aliases: BTreeMap<String, AliasMeta>,
    /// How the mappings become one.
    pub composition: Composition,
}

impl Pattern {
    fn add(&mut self, content: &TemplateContent) {
        self.settings.overlay(&content.settings);
        self.mappings.extend(content.mapping.clone());
        self.aliases.extend(content.aliases.iter().map(|(name, alias)| (name.clone(), alias.clone())));
    }
}

/// Whether a new index is asked to be hidden.
pub fn is_hidden(requested: &SettingsUpdate) -> bool {
    matches!(requested.get("index.hidden"), Some(Some(value)) if value.text() == "true")
}

/// The pattern of a new index called `name`. A template that was composed of a component that is gone is an error.
pub fn pattern_for(state: &State, name: &str, requested: &SettingsUpdate) -> Result<Pattern> {
    let hidden = is_hidden(requested);
    if let Some((_, template)) = matching_index_template(&state.templates, name, hidden) {
        return Ok(pattern_of_template(state, template));
    }
    let mut pattern = Pattern { composition: Composition::Legacy, ..Pattern::default() };
    let matches = |template: &&Arc<LegacyTemplate>| matches_any(&template.index_patterns, name, hidden);
    let mut legacy: Vec<_> = state.templates.legacy.values().filter(matches).collect();
    legacy.sort_by_key(|template| template.order);
    for template in legacy {
        pattern.add(&template.content);
    }
    Ok(pattern)
}

/// The old templates that a new index called `name` is made of, if no other comes before them: the first counts most.
pub fn matching_legacy<'a>(templates: &'a Templates, name: &str, hidden: bool) -> Vec<&'a str> {
    if matching_index_template(templates, name, hidden).is_some() {
        return vec![];
    }
    let matches = |template: &LegacyTemplate| matches_any(&template.index_patterns, name, hidden);
    let mut matching: Vec<_> = templates.legacy.iter().filter(|(_, template)| matches(template)).collect();
    matching.sort_by_key(|(_, template)| std::cmp::Reverse(template.order));
    matching.into_iter().map(|(name, _)| name.as_str()).collect()
}

/// What an index template and its components bring.
pub fn pattern_of_template(state: &State, template: &IndexTemplate) -> Pattern {
    let mut pattern = Pattern::default();
    for component in &template.composed_of {
        if let Some(component) = state.templates.component.get(component) {
            pattern.add(&component.content);
        }
    }
    if let Some(content) = &template.content {
        pattern.add(content);
    }
    pattern
}

/// The index templates with patterns for the same names: their names and patterns. One of the same name is not told.
pub fn overlapping(templates: &Templates, name: &str, patterns: &[String]) -> Vec<(String, Vec<String>)> {
    let others = templates.index.iter().filter(|(other, _)| *other != name);
    let clashing = others.filter(|(_, other)| overlap_any(&other.index_patterns, patterns));
    clashing.map(|(name, other)| (name.clone(), other.index_patterns.clone())).collect()
}

/// The legacy templates with patterns for the same names, which the template keeps from being used.
pub fn legacy_overlapping(templates: &Templates, template: &IndexTemplate) -> Vec<(String, Vec<String>)> {
    let clashing =
        templates.legacy.iter().filter(|(_, other)| overlap_any(&other.index_patterns, &template.index_patterns));
    clashing.map(|(name, other)| (name.clone(), other.index_patterns.clone())).collect()
}

fn overlap_any(a: &[String], b: &[String]) -> bool {
    a.iter().any(|a| b.iter().any(|b| overlap(a, b)))
}

/// The state after a change that is only tried out.
pub fn simulate(state: &State, change: super::Change) -> Result<State> {
    let mut new_id = || "_simulated_".to_owned();
    let mut cx = super::ApplyContext { now_ms: 0, new_id: &mut new_id, cores: 1 };
    super::apply(state, change, &mut cx).map(|(next, _)| next)
}

/// The settings that templates have for an index of this name; `None` if they cannot be told.
pub fn template_settings(state: &State, name: &str) -> Option<Settings> {
    pattern_for(state, name, &SettingsUpdate::default()).ok().map(|pattern| pattern.settings)
}

/// The index template that decides about `name`.
pub fn matching_index_template<'a>(
    templates: &'a Templates,
    name: &str,
    hidden: bool,
) -> Option<(&'a String, &'a Arc<IndexTemplate>)> {
    templates
        .index
        .iter()
        .filter(|(_, template)| matches_any(&template.index_patterns, name, hidden))
        .max_by_key(|(_, template)| template.priority.unwrap_or(0))
}

/// Whether a pattern matches. Patterns that match everything pass hidden indexes by.
fn matches_any(patterns: &[String], name: &str, hidden: bool) -> bool {
    patterns.iter().any(|pattern| glob(pattern, name) && !(hidden && pattern == "*"))
}

pub fn put(state: &mut State, template: Template) -> Result<()> {
    let Template { name, body, create } = template;
    match body {
        TemplateBody::Legacy(body) => {
            check_content(&body.content)?;
            let templates = Arc::make_mut(&mut state.templates);
            if create && templates.legacy.contains_key(&name) {
                return Err(Error::illegal_argument(format!("index_template [{name}] already exists")));
            }
            templates.legacy.insert(name, Arc::new(body));
        }
        TemplateBody::Component(body) => {
            check_content(&body.content)?;
            let templates = Arc::make_mut(&mut state.templates);
            if create && templates.component.contains_key(&name) {
                return Err(Error::illegal_argument(format!("component template [{name}] already exists")));
            }
            templates.component.insert(name, Arc::new(body));
        }
        TemplateBody::Index(body) => {
            if create && state.templates.index.contains_key(&name) {
                return Err(Error::illegal_argument(format!("index template [{name}] already exists")));
            }
            check_index_template(&state.templates, &name, &body)?;
            check_streams(state, &name, &body)?;
            check_composed(state, &name, &body)?;
            Arc::make_mut(&mut state.templates).index.insert(name, Arc::new(body));
        }
    }
    Ok(())
}

/// Checks that an index could be made of the content alone.
fn check_content(content: &TemplateContent) -> Result<()> {
    let registry = registry_of(&content.settings)?;
    first_mapping(content.mapping.iter(), Composition::default(), &registry, &content.settings).map(drop)
}

/// Checks that data streams which have a template will have one that is for streams.
fn check_streams(state: &State, name: &str, body: &IndexTemplate) -> Result<()> {
    let without = |templates: &Templates| -> Vec<&str> {
        let served = |stream: &&str| {
            let found = matching_index_template(templates, stream, false);
            found.is_some_and(|(_, template)| template.timestamp_field.is_some())
        };
        state.data_streams.keys().map(|stream| &**stream).filter(|stream| !served(stream)).collect()
    };
    if state.data_streams.is_empty() {
        return Ok(());
    }
    let mut next = Templates::clone(&state.templates);
    next.index.insert(name.to_owned(), Arc::new(body.clone()));
    let left = without(&next);
    if left.len() <= without(&state.templates).len() {
        return Ok(());
    }
    let priority = body.priority.map_or_else(|| "null".to_owned(), |priority| priority.to_string());
    let none = if body.timestamp_field.is_none() { " and no data stream configuration" } else { "" };
    Err(Error::illegal_argument(format!(
        "composable template [{name}] with index patterns [{}], priority [{priority}]{none} would cause data streams [{}] to \
         no longer match a data stream template",
        body.index_patterns.join(", "),
        left.join(", ")
    )))
}

/// Checks that an index could be made of the template and its components.
fn check_composed(state: &State, name: &str, body: &IndexTemplate) -> Result<()> {
    let mut pattern = pattern_of_template(state, body);
    if let Some(field) = &body.timestamp_field {
        pattern.mappings.insert(0, super::data_streams::timestamp_mapping(field));
    }
    let parts = &body.composed_of;
    let registry = registry_of(&pattern.settings).map_err(|cause| not_composable(name, parts, cause))?;
    first_mapping(pattern.mappings.iter(), pattern.composition, &registry, &pattern.settings)
        .map(drop)
        .map_err(|cause| not_composable(name, parts, invalid_mappings(name, cause)))
}

/// The mapping that an index would have which is made of the pattern, as it would be shown; `None` if the pattern has none.
pub fn composed_mapping(pattern: &Pattern) -> Result<Option<Value>> {
    if pattern.mappings.is_empty() {
        return Ok(None);
    }
    let registry = registry_of(&pattern.settings)?;
    first_mapping(pattern.mappings.iter(), pattern.composition, &registry, &pattern.settings)
        .map(|(mapping, _)| Some(mapping.to_value()))
}

/// The error of an index template of which, with the components `parts`, no index could be made.
#[cold]
pub fn not_composable(name: &str, parts: &[String], cause: Error) -> Error {
    let with = match parts {
        [] => String::new(),
        parts => format!(" with component templates [{}]", parts.join(", ")),
    };
    let reason = format!("composable template [{name}] template after composition{with} is invalid");
    Error::illegal_argument(reason).caused_by(cause)
}

/// What stands in it where it is the mappings that do not go.
#[cold]
pub fn invalid_mappings(name: &str, cause: Error) -> Error {
    Error::illegal_argument(format!("invalid composite mappings for [{name}]")).caused_by(cause)
}

/// Checks that the components exist and that no other template of the same priority has overlapping patterns.
pub fn check_index_template(templates: &Templates, name: &str, body: &IndexTemplate) -> Result<()> {
    let missing: Vec<&str> =
        body.composed_of.iter().filter(|part| !templates.component.contains_key(*part)).map(String::as_str).collect();
    if !missing.is_empty() {
        return Err(Error::new(
            ErrorKind::InvalidIndexTemplate,
            format!(
                "index_template [{name}] invalid, cause [index template [{name}] specifies component templates [{}] that do not exist]",
                missing.join(", ")
            ),
        ));
    }
    let priority = body.priority.unwrap_or(0);
    let clash = templates.index.iter().find(|(other_name, other)| {
        *other_name != name
            && other.priority.unwrap_or(0) == priority
            && other.index_patterns.iter().any(|a| body.index_patterns.iter().any(|b| overlap(a, b)))
    });
    let Some((other_name, other)) = clash else { return Ok(()) };
    Err(Error::illegal_argument(format!(
        "index template [{name}] has index patterns [{}] matching patterns from existing templates [{other_name}] with \
         patterns ({other_name} => [{}]) that have the same priority [{priority}], multiple index templates may not match \
         during index creation, please use a different priority",
        body.index_patterns.join(", "),
        other.index_patterns.join(", ")
    )))
}

/// Whether names that match both patterns are to be expected. Patterns with as many stars whose middle parts differ are told
/// apart by them, as in the reference, although a name could hold both parts.
fn overlap(a: &str, b: &str) -> bool {
    let (parts, others): (Vec<&str>, Vec<&str>) = (a.split('*').collect(), b.split('*').collect());
    if parts.len() == others.len() && parts.len() > 2 {
        let middle = 1..parts.len() - 1;
        let differ = |(x, y): (&&str, &&str)| !x.starts_with(*y) && !y.starts_with(*x);
        if parts[middle.clone()].iter().zip(&others[middle]).any(differ) {
            return false;
        }
    }
    /// Both lists of literals between stars, walked as automata; patterns are short, so the table is small.
    fn meet(a: &[char], b: &[char]) -> bool {
        let mut row: Vec<bool> = vec![false; b.len() + 1];
        for i in (0..=a.len()).rev() {
            let mut next: Vec<bool> = vec![false; b.len() + 1];
            for j in (0..=b.len()).rev() {
                next[j] = match (a.get(i), b.get(j)) {
                    (None, None) => true,
                    (Some('*'), Some(_)) => row[j] || next[j + 1],
                    (Some('*'), None) => row[j],
                    (Some(_), Some('*')) => row[j] || next[j + 1],
                    (None, Some('*')) => next[j + 1],
                    (Some(x), Some(y)) => x == y && row[j + 1],
                    _ => false,
                };
            }
            row = next;
        }
        row[0]
    }
    meet(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>())
}

/// Deletes the templates of `kind` that match; gives their names. Nothing matched is an error, unless a pattern was `*`.
pub fn delete(state: &mut State, kind: TemplateKind, patterns: &[String]) -> Result<Vec<String>> {
    let names = names_matching(&state.templates, kind, patterns);
    if names.is_empty() && !patterns.iter().any(|pattern| pattern == "*") {
        return Err(missing(kind, &patterns.join(",")));
    }
    if kind == TemplateKind::Index {
        let users = super::data_streams::streams_of_templates(state, &names);
        if !users.is_empty() {
            return Err(Error::illegal_argument(format!(
                "unable to remove composable templates [{}] as they are in use by a data streams [{}]",
                names.join(", "),
                users.join(", ")
            )));
        }
    }
    if kind == TemplateKind::Component {
        let uses = |template: &IndexTemplate| template.composed_of.iter().any(|part| names.contains(part));
        let index = &state.templates.index;
        let users: Vec<&str> =
            index.iter().filter(|(_, template)| uses(template)).map(|(name, _)| name.as_str()).collect();
        if !users.is_empty() {
            return Err(Error::illegal_argument(format!(
                "component templates [{}] cannot be removed as they are still in use by index templates [{}]",
                names.join(", "),
                users.join(", ")
            )));
        }
    }
    let templates = Arc::make_mut(&mut state.templates);
    for name in &names {
        match kind {
            TemplateKind::Legacy => drop(templates.legacy.remove(name)),
            TemplateKind::Index => drop(templates.index.remove(name)),
            TemplateKind::Component => drop(templates.component.remove(name)),
        }
    }
    Ok(names)
}

fn names_matching(templates: &Templates, kind: TemplateKind, patterns: &[String]) -> Vec<String> {
    let names: Vec<&String> = match kind {
        TemplateKind::Legacy => templates.legacy.keys().collect(),
        TemplateKind::Index => templates.index.keys().collect(),
        TemplateKind::Component => templates.component.keys().collect(),
    };
    names.into_iter().filter(|name| patterns.iter().any(|pattern| glob(pattern, name))).cloned().collect()
}

/// The error of a template that does not exist.
#[cold]
pub fn missing(kind: TemplateKind, name: &str) -> Error {
    match kind {
        TemplateKind::Legacy | TemplateKind::Index => {
            Error::new(ErrorKind::IndexTemplateMissing, format!("index_template [{name}] missing"))
        }
        TemplateKind::Component => {
            Error::new(ErrorKind::IndexTemplateMissing, format!("index_template [{name}] missing"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_patterns() {
        assert!(overlap("logs-*", "*-a"));
        assert!(overlap("a*c", "ab*"));
        assert!(!overlap("a*", "b*"));
        assert!(!overlap("a", "ab"));
        assert!(overlap("*", "x"));
        assert!(!overlap("app-*-some-*", "app-*-some_other-*"));
    }
}
