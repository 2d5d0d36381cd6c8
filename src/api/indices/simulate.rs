//! `_index_template/_simulate` and `_index_template/_simulate_index`: what templates would make of a new index.

use super::super::targets::{MANAGER_ALONE, manager_timeout_ms};
use super::super::unknown::refuse;
use super::super::{ApiRequest, Method, Reply, Route};
use super::template_names::check_patterns;
use super::templates::parse_index_template;
use crate::cluster::{
    Change, IndexTemplate, State, Template, TemplateBody, composed_mapping, legacy_overlapping,
    matching_index_template, overlapping, simulate,
};
use crate::coordinate::Core;
use pith_engine::java_order::sort_by_few_slots;
use pith_engine::json::{Map, Value};
use pith_engine::{Error, ErrorKind, Result};
use std::rc::Rc;

const fn row(path: &'static str, handler: crate::api::Handler) -> Route {
    Route {
        method: Method::Post,
        path,
        name: "simulate_template_action",
        params: &[MANAGER_ALONE, &["create?", "cause?"]],
        handler,
    }
}

pub const ROUTES: &[Route] = &[
    row("/_index_template/_simulate", |core, request| Box::pin(template(core, request))),
    row("/_index_template/_simulate/{name}", |core, request| Box::pin(template(core, request))),
    Route {
        method: Method::Post,
        path: "/_index_template/_simulate_index/{name}",
        name: "simulate_index_template_action",
        params: &[MANAGER_ALONE, &["create?", "cause?"]],
        handler: |core, request| Box::pin(index(core, request)),
    },
];

/// A template, as if new indexes were made of it alone.
async fn template(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    manager_timeout_ms(&request)?;
    let state = core.state();
    let name = request.param("name");
    refuse_idle(&request)?;
    let creates = request.flag("create", false)?;
    if let Some(name) = name
        && creates
        && !request.body.is_empty()
        && state.templates.index.contains_key(name)
    {
        return Err(Error::illegal_argument(format!("index template [{name}] already exists")));
    }
    let called = name.map_or_else(|| format!("simulate_template_{}", core.make_id().to_lowercase()), str::to_owned);
    let (name, state, template) = match (body(&state, &request, &called)?, name) {
        (Some(template), _) => {
            let with = with_template(&state, &called, &template)?;
            (called, with, template)
        }
        (None, Some(name)) => {
            let found = state.templates.index.get(name).cloned().ok_or_else(|| {
                Error::illegal_argument(format!("unable to simulate template [{name}] that does not exist"))
            })?;
            (name.to_owned(), State::clone(&state), IndexTemplate::clone(&found))
        }
        (None, None) => {
            return Err(Error::new(
                ErrorKind::ActionRequestValidation,
                "Validation Failed: 1: either index name or index template body must be specified for simulation;",
            ));
        }
    };
    // The reference tries the template with an index of this name.
    let index = format!("simulate_template_index_{}", core.make_id().to_lowercase());
    answer(&state, &name, &template, &index)
}

/// What is about the template in the body is refused where there is none.
fn refuse_idle(request: &ApiRequest) -> Result<()> {
    if request.body.is_empty() {
        let idle = ["cause", "create"].into_iter().filter(|name| request.has(name));
        refuse(request.route, &request.path, idle)?;
    }
    Ok(())
}

/// An index of this name, as if it were made now.
async fn index(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    manager_timeout_ms(&request)?;
    refuse_idle(&request)?;
    let mut state = State::clone(&core.state());
    let index = request.path_param("name");
    let name = format!("simulate_index_template_{}", core.make_id().to_lowercase());
    if let Some(template) = body(&state, &request, &name)? {
        state = with_template(&state, &name, &template)?;
    }
    match matching_index_template(&state.templates, index, false) {
        Some((name, template)) => answer(&state, name, template, index),
        None => Ok(Reply::json(200, b"{}".to_vec())),
    }
}

fn body(state: &State, request: &ApiRequest, name: &str) -> Result<Option<IndexTemplate>> {
    let Some(body) = request.json_opt()? else { return Ok(None) };
    let template = parse_index_template(state, name, &body, &request.body)?;
    check_patterns(name, &template.index_patterns)?;
    Ok(Some(template))
}

/// The state with one more template, if it may be put. Nothing is kept of it.
fn with_template(state: &State, name: &str, template: &IndexTemplate) -> Result<State> {
    let body = TemplateBody::Index(template.clone());
    simulate(state, Change::PutTemplate(Box::new(Template { name: name.to_owned(), body, create: false })))
}

/// What would be made of `index` by the template called `name`.
fn answer(state: &State, name: &str, template: &IndexTemplate, index: &str) -> Result<Reply> {
    let pattern = crate::cluster::pattern_of_template(state, template);
    let aliases: Map =
        pattern.aliases.iter().map(|(name, alias)| (name.replace("{index}", index), alias.to_value())).collect();
    let mut made = Map::from_iter([("settings", pattern.settings.shown(false))]);
    if let Some(mapping) = composed_mapping(&pattern)? {
        made.insert("mappings", mapping);
    }
    made.insert("aliases", aliases);
    let shown = |(name, patterns): (String, Vec<String>)| {
        let patterns: Vec<Value> = patterns.into_iter().map(Value::from).collect();
        Value::Object(Map::from_iter([("name", Value::from(name)), ("index_patterns", Value::Array(patterns))]))
    };
    // The legacy ones come first into one slot; of two of one name that of the new kind is told.
    let mut others = legacy_overlapping(&state.templates, template);
    for (name, patterns) in overlapping(&state.templates, name, &template.index_patterns) {
        match others.iter_mut().find(|(other, _)| *other == name) {
            Some(other) => other.1 = patterns,
            None => others.push((name, patterns)),
        }
    }
    sort_by_few_slots(&mut others, |(name, _)| name);
    let body = Map::from_iter([
        ("template", Value::Object(made)),
        ("overlapping", Value::Array(others.into_iter().map(shown).collect())),
    ]);
    Ok(Reply::json(200, Value::Object(body).to_bytes()))
}
