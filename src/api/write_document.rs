//! Writing one document: `_doc`, `_create` and deleting.

use super::document::{
    Conditions, WRITE_PARAMS, location_of, single, unwaiting_options, validation_failed, wait_for, write_done,
    write_item,
};
use super::{ApiRequest, Method, Reply, Route};
use crate::coordinate::{Core, write::write};
use pith_engine::json::Writer;
use pith_engine::shard::{OpKind, WriteResult};
use pith_engine::{Error, Result};
use pith_net::rt;
use std::rc::Rc;

const INDEX_PARAMS: &[&str] =
    &["pipeline", "version?", "version_type", "op_type", "if_seq_no", "if_primary_term", "require_alias"];
const DELETE_PARAMS: &[&str] = &["version?", "version_type", "if_seq_no", "if_primary_term"];

const fn index_route(method: Method, path: &'static str, name: &'static str, handler: super::Handler) -> Route {
    Route { method, path, name, params: &[WRITE_PARAMS, INDEX_PARAMS], handler }
}

pub const ROUTES: &[Route] = &[
    index_route(Method::Put, "/{index}/_doc/{id}", "index", |core, request| rt::boxed(|| index(core, request, false))),
    index_route(Method::Post, "/{index}/_doc/{id}", "index", |core, request| rt::boxed(|| index(core, request, false))),
    index_route(Method::Post, "/{index}/_doc", "index", |core, request| rt::boxed(|| index(core, request, false))),
    index_route(Method::Put, "/{index}/_create/{id}", "create", |core, request| {
        rt::boxed(|| index(core, request, true))
    }),
    index_route(Method::Post, "/{index}/_create/{id}", "create", |core, request| {
        rt::boxed(|| index(core, request, true))
    }),
    Route {
        method: Method::Delete,
        path: "/{index}/_doc/{id}",
        name: "delete",
        params: &[WRITE_PARAMS, DELETE_PARAMS],
        handler: |core, request| rt::boxed(|| delete(core, request)),
    },
];

async fn index(core: Rc<Core>, request: ApiRequest, create_path: bool) -> Result<Reply> {
    let source = request.required_body()?.clone();
    let mut options = unwaiting_options(&request)?;
    let id = request.param("id").map(str::to_owned);
    let given = request.param("op_type").map(str::to_ascii_lowercase);
    let conditions = match given.as_deref() {
        // Of the path is known at once what it takes.
        Some(other) if create_path && other != "create" => Conditions::default(),
        _ => Conditions::from_params(&request)?,
    };
    let create = match (create_path, given.as_deref()) {
        (true, Some(other)) if other != "create" => {
            return Err(Error::illegal_argument(format!("opType must be 'create', found: [{other}]")));
        }
        (true, _) | (_, Some("create")) => true,
        (_, Some("index")) => false,
        // A document without an id is new.
        (_, None) => id.is_none(),
        (_, Some(other)) => {
            return Err(Error::illegal_argument(format!("opType must be 'create' or 'index', found: [{other}]")));
        }
    };
    let require_alias = request.flag("require_alias", false)?;
    options.wait_for = wait_for(&request)?;
    request.check_known()?;
    let mut problems = vec![];
    conditions.validate_index(create, id.as_deref(), request.param("pipeline"), &mut problems);
    validation_failed(&problems)?;
    let kind = match create && id.is_some() {
        true => OpKind::Create { source },
        false => OpKind::Index { source, auto_id: id.is_none() },
    };
    let mut item = write_item(request.path_param("index"), id, kind);
    conditions.apply(&mut item);
    item.routing = request.write_routing().map(str::to_owned);
    item.pipeline = request.param("pipeline").map(str::to_owned);
    item.require_alias = require_alias;
    let (index, id, done) = single(write(&core, vec![item], &options).await)?;
    let mut w = Writer::new();
    w.begin_object();
    write_done(&mut w, &index, &id, &done, done.copies());
    w.end_object();
    let reply = Reply::json(done.outcome.result.status(), w.finish());
    Ok(match done.outcome.result {
        WriteResult::Created => reply.with_header("Location", location_of(&core, &request, &index, &id)),
        _ => reply,
    })
}

async fn delete(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let mut options = unwaiting_options(&request)?;
    let conditions = Conditions::from_params(&request)?;
    options.wait_for = wait_for(&request)?;
    request.check_known()?;
    let mut problems = vec![];
    conditions.validate(false, &mut problems);
    validation_failed(&problems)?;
    let mut item = write_item(request.path_param("index"), Some(request.path_param("id").to_owned()), OpKind::Delete);
    conditions.apply(&mut item);
    item.routing = request.write_routing().map(str::to_owned);
    let (index, id, done) = single(write(&core, vec![item], &options).await)?;
    let mut w = Writer::new();
    w.begin_object();
    write_done(&mut w, &index, &id, &done, done.copies());
    w.end_object();
    Ok(Reply::json(done.outcome.result.status(), w.finish()))
}
