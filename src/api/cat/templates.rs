//! `_cat/templates`.

use super::super::indices::templates::as_hashed;
use super::super::targets::{MANAGER_TIMEOUT, manager_timeout_ms};
use super::super::{ApiRequest, Method, Reply, Route};
use super::table::{Align, Cell, Column, TABLE_PARAMS, column, help, table, wants_help};
use crate::coordinate::Core;
use crate::settings::glob;
use pith_engine::Result;
use std::rc::Rc;

const fn row(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "cat_templates_action",
        params: &[TABLE_PARAMS, MANAGER_TIMEOUT],
        handler: |core, request| Box::pin(templates(core, request)),
    }
}

pub const ROUTES: &[Route] = &[row("/_cat/templates"), row("/_cat/templates/{name}")];

const COLUMNS: &[Column] = &[
    column("name", "n", Align::Left, "template name"),
    column("index_patterns", "t", Align::Left, "template index patterns"),
    column("order", "o,p", Align::Left, "template application order/priority number"),
    column("version", "v", Align::Left, "version"),
    column("composed_of", "c", Align::Left, "component templates comprising index template"),
];

async fn templates(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    if wants_help(&request)? {
        return Ok(help(COLUMNS));
    }
    manager_timeout_ms(&request)?;
    request.flag("local", false)?;
    let pattern = request.param("name").unwrap_or("*");
    let state = core.state();
    let list = |items: &[String]| -> Cell { format!("[{}]", items.join(", ")).into() };
    let version = |version: Option<i64>| version.map_or(Cell::Null, |version| version.to_string().into());
    let legacy = as_hashed(&state.templates.legacy).into_iter().filter(|(name, _)| glob(pattern, name));
    let legacy = legacy.map(|(name, template)| {
        vec![
            name.into(),
            list(&template.index_patterns),
            template.order.to_string().into(),
            version(template.version),
            "".into(),
        ]
    });
    let index = as_hashed(&state.templates.index).into_iter().filter(|(name, _)| glob(pattern, name));
    let index = index.map(|(name, template)| {
        vec![
            name.into(),
            list(&template.index_patterns),
            template.priority.unwrap_or(0).to_string().into(),
            version(template.version),
            list(&template.composed_of),
        ]
    });
    table(&request, COLUMNS, legacy.chain(index).collect())
}
