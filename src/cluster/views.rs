//! Views: names for searches over patterns of indexes.

use super::State;
use pith_engine::json::{Map, Value};
use pith_engine::{Error, ErrorKind, Result};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq)]
pub struct View {
    pub name: String,
    pub description: String,
    pub created_at_ms: i64,
    pub modified_at_ms: i64,
    /// Patterns of indexes.
    pub targets: Vec<String>,
}

pub type Views = BTreeMap<String, Arc<View>>;

#[derive(Clone, Debug)]
pub enum ViewChange {
    Create(View),
    Update(View),
    Delete { name: String },
}

pub fn apply(state: &mut State, change: ViewChange) -> Result<()> {
    match change {
        ViewChange::Create(view) => create(state, view),
        ViewChange::Update(view) => update(state, view),
        ViewChange::Delete { name } => delete(state, &name),
    }
}

/// Adds a view, which nothing may be called like.
fn create(state: &mut State, view: View) -> Result<()> {
    if state.views.contains_key(&view.name) {
        let reason = format!("View [{}] already exists", view.name);
        return Err(Error::new(ErrorKind::ViewAlreadyExists, reason));
    }
    Arc::make_mut(&mut state.views).insert(view.name.clone(), Arc::new(view));
    Ok(())
}

/// Puts another view in the place of one that is there, which stays as old as it is.
fn update(state: &mut State, view: View) -> Result<()> {
    let before = find(&state.views, &view.name)?;
    let created_at_ms = before.created_at_ms;
    Arc::make_mut(&mut state.views).insert(view.name.clone(), Arc::new(View { created_at_ms, ..view }));
    Ok(())
}

fn delete(state: &mut State, name: &str) -> Result<()> {
    find(&state.views, name)?;
    Arc::make_mut(&mut state.views).remove(name);
    Ok(())
}

pub fn find<'a>(views: &'a Views, name: &str) -> Result<&'a Arc<View>> {
    views.get(name).ok_or_else(|| Error::new(ErrorKind::ViewNotFound, format!("View [{name}] does not exist")))
}

/// All views as they are kept.
pub fn all_to_value(views: &Views) -> Value {
    Value::Array(views.values().map(|view| to_value(view)).collect())
}

/// What [`all_to_value`] made.
pub fn all_from_value(value: &Value) -> Option<Views> {
    let read = value.as_array()?.iter().map(from_value);
    read.map(|view| view.map(|view| (view.name.clone(), Arc::new(view)))).collect()
}

/// As it is shown, and kept.
pub fn to_value(view: &View) -> Value {
    let target = |pattern: &String| Value::Object(Map::from_iter([("indexPattern", Value::from(pattern.as_str()))]));
    Value::Object(Map::from_iter([
        ("name", Value::from(view.name.as_str())),
        ("description", Value::from(view.description.as_str())),
        ("createdAt", Value::Int(view.created_at_ms)),
        ("modifiedAt", Value::Int(view.modified_at_ms)),
        ("targets", Value::Array(view.targets.iter().map(target).collect())),
    ]))
}

/// What [`to_value`] made.
pub fn from_value(value: &Value) -> Option<View> {
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let target = |target: &Value| target.get("indexPattern").and_then(Value::as_str).map(str::to_owned);
    Some(View {
        name: text("name")?,
        description: text("description")?,
        created_at_ms: value.get("createdAt")?.as_i64()?,
        modified_at_ms: value.get("modifiedAt")?.as_i64()?,
        targets: value.get("targets")?.as_array()?.iter().map(target).collect::<Option<_>>()?,
    })
}
