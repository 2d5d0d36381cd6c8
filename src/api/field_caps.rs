//! What fields can do: `_field_caps`.

use super::count::unreadable;
use super::index_options::{INDEX_PARAMS, index_options};
use super::{ApiRequest, Method, Reply, Route};
use crate::cluster::IndicesOptions;
use crate::coordinate::Core;
use crate::coordinate::search::{FieldCapsAsk, field_caps};
use pith_engine::json::{self, Misread};
use pith_engine::query::{Node, Source, declares, parse_node};
use pith_engine::{Error, Result};
use std::rc::Rc;

const fn route(method: Method, path: &'static str) -> Route {
    Route {
        method,
        path,
        name: "field_caps",
        params: &[INDEX_PARAMS, &["fields", "include_unmapped"], super::document::BODY_PARAMS],
        handler: |core, request| Box::pin(run(core, request)),
    }
}

pub const ROUTES: &[Route] = &[
    route(Method::Get, "/_field_caps"),
    route(Method::Post, "/_field_caps"),
    route(Method::Get, "/{index}/_field_caps"),
    route(Method::Post, "/{index}/_field_caps"),
];

async fn run(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let fields: Vec<String> = request.list("fields").into_iter().map(str::to_owned).collect();
    if fields.is_empty() {
        return Err(Error::illegal_argument("specified fields can't be null or empty"));
    }
    let mut ask = FieldCapsAsk {
        indexes: request.list("index").into_iter().map(str::to_owned).collect(),
        options: index_options(&request, IndicesOptions::STRICT_EXPAND_OPEN)?,
        fields,
        include_unmapped: request.flag("include_unmapped", false)?,
        index_filter: None,
    };
    if let Some(body) = request.body_opt()? {
        let (value, _) = json::parse_declared_prefix(&body, declares).map_err(Misread::of_query)?;
        let source = Source::new(&body);
        let node = Node::root(&value, &source);
        if value.as_object().is_none() {
            return Err(node.error_at(0, format!("Expected [START_OBJECT] but found [{}]", value.token())));
        }
        for field in node.fields() {
            match field.key {
                "index_filter" if field.node.object().is_none() => {
                    return Err(field.node.error("[_na] query malformed, must start with start_object"));
                }
                "index_filter" => {
                    let read = parse_node(field.node).map_err(|error| unreadable(Some(&body), error));
                    ask.index_filter = Some(read?);
                }
                key => return Err(node.error_at(field.key_pos, format!("request does not support [{key}]"))),
            }
        }
    }
    request.check_known()?;
    Ok(Reply::json(200, field_caps(&core, &ask).await?))
}
