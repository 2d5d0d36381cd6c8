//! `_cat/aliases`.

use super::super::index_options::{INDEX_PARAMS, index_options};
use super::super::indices::aliases::matches;
use super::super::{ApiRequest, Method, Reply, Route};
use super::as_hashed;
use super::table::{Align, Cell, Column, TABLE_PARAMS, column, help, table, wants_help};
use crate::cluster::{BlockLevel, IndicesOptions, blocks, resolve};
use crate::coordinate::{Core, clock};
use pith_engine::Result;
use pith_engine::java_order::sort_among_few_slots;
use std::rc::Rc;

const fn row(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "cat_alias_action",
        params: &[TABLE_PARAMS, INDEX_PARAMS, &["local"]],
        handler: |core, request| Box::pin(aliases(core, request)),
    }
}

pub const ROUTES: &[Route] = &[row("/_cat/aliases"), row("/_cat/aliases/{alias}")];

const COLUMNS: &[Column] = &[
    column("alias", "a", Align::Left, "alias name"),
    column("index", "i,idx", Align::Left, "index alias points to"),
    column("filter", "f,fi", Align::Left, "filter"),
    column("routing.index", "ri,routingIndex", Align::Left, "index routing"),
    column("routing.search", "rs,routingSearch", Align::Left, "search routing"),
    column("is_write_index", "w,isWriteIndex", Align::Left, "write index"),
];

async fn aliases(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    if wants_help(&request)? {
        return Ok(help(COLUMNS));
    }
    request.flag("local", false)?;
    let state = core.state();
    let options = index_options(&request, IndicesOptions::STRICT_EXPAND_HIDDEN)?;
    let patterns = request.list("alias");
    let mut indexes =
        resolve(&state, &["_all"], &IndicesOptions { allow_no_indices: true, ..options }, clock::now_ms())?;
    blocks::check(&state, BlockLevel::MetadataRead, indexes.iter().map(|index| &**index))?;
    as_hashed(&mut indexes);
    let mut shown: Vec<(&str, Vec<Vec<Cell>>)> = vec![];
    for index in &indexes {
        let mut rows: Vec<Vec<Cell>> = vec![];
        for (name, alias) in &index.aliases {
            let hidden = alias.is_hidden == Some(true) && !options.expand_hidden && !patterns.contains(&&**name);
            if hidden || !matches(&patterns, name) {
                continue;
            }
            let text = |value: &Option<String>| value.as_deref().unwrap_or("-").into();
            rows.push(vec![
                (&**name).into(),
                (&*index.name).into(),
                if alias.filter.is_some() { "*" } else { "-" }.into(),
                text(&alias.index_routing),
                text(&alias.search_routing),
                alias.is_write_index.map_or("-".into(), |write| write.to_string().into()),
            ]);
        }
        if !rows.is_empty() {
            shown.push((&index.name, rows));
        }
    }
    // Where no alias is asked for, indexes without any are put to the others.
    let names = if patterns.is_empty() { indexes.len() } else { shown.len() };
    sort_among_few_slots(&mut shown, names, |(index, _)| index);
    table(&request, COLUMNS, shown.into_iter().flat_map(|(_, rows)| rows).collect())
}
