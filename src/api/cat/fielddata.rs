//! `_cat/fielddata`: memory of the terms by document that text fields are sorted and aggregated by.

use super::table::{Align, Cell, Column, TABLE_PARAMS, column, help, table, wants_help};
use crate::api::{ApiRequest, Method, Reply, Route};
use crate::coordinate::broadcast::broadcast;
use crate::coordinate::{Core, ShardReply, ShardRequest};
use crate::settings::glob;
use pith_engine::Result;
use pith_engine::shard::ShardStats;
use std::rc::Rc;

const fn row(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "cat_fielddata_action",
        params: &[TABLE_PARAMS, &["fields"]],
        handler: |core, request| Box::pin(fielddata(core, request)),
    }
}

pub const ROUTES: &[Route] = &[row("/_cat/fielddata"), row("/_cat/fielddata/{fields}")];

const COLUMNS: &[Column] = &[
    column("id", "", Align::Left, "node id"),
    column("host", "h", Align::Left, "host name"),
    column("ip", "", Align::Left, "ip address"),
    column("node", "n", Align::Left, "node name"),
    column("field", "f", Align::Left, "field name"),
    column("size", "s", Align::Left, "field data usage"),
];

async fn fielddata(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    if wants_help(&request)? {
        return Ok(help(COLUMNS));
    }
    let patterns = request.list("fields");
    let state = core.state();
    let indexes: Vec<_> = state.indices.values().cloned().collect();
    let mut sum = ShardStats::default();
    for answer in broadcast(&core, &indexes, || ShardRequest::Stats).await.answers {
        if let Ok(ShardReply::Stats(stats)) = answer.reply {
            sum.add(&stats);
        }
    }
    let is_shown = |field: &str| !request.has("fields") || patterns.iter().any(|pattern| glob(pattern, field));
    let node = state.nodes.get(core.node_id());
    let rows = sum.fielddata.iter().filter(|(field, _)| is_shown(field)).filter_map(|(field, bytes)| {
        let node = node?;
        Some(vec![
            (&*node.id).into(),
            node.host.as_str().into(),
            node.ip.as_str().into(),
            node.name.as_str().into(),
            field.as_str().into(),
            Cell::Bytes(*bytes),
        ])
    });
    table(&request, COLUMNS, rows.collect())
}
