//! How a score comes about: `_explain`.

use super::count::{parse_request, query_body};
use super::document::{BODY_PARAMS, SOURCE_PARAMS, SourceChoice, validation_failed};
use super::get_document::{Shown, check_preference, write_metadata, write_stored_fields};
use super::search::{QUERY_PARAMS, SHARD_PARAMS};
use super::{ApiRequest, Method, Reply, Route};
use crate::coordinate::Core;
use crate::coordinate::search::explain;
use pith_engine::Result;
use pith_engine::json::Writer;
use std::rc::Rc;
use std::sync::Arc;

const fn route(method: Method) -> Route {
    Route {
        method,
        path: "/{index}/_explain/{id}",
        name: "explain",
        params: &[QUERY_PARAMS, SHARD_PARAMS, SOURCE_PARAMS, BODY_PARAMS, &["stored_fields"]],
        handler: |core, request| Box::pin(run(core, request)),
    }
}

pub const ROUTES: &[Route] = &[route(Method::Get), route(Method::Post)];

async fn run(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let body = query_body(request.body_opt()?.as_deref())?;
    // Of a query in the body and one in the address, the body's counts.
    let of_query = |name: &str| {
        !(body.has_query && name == "q") && QUERY_PARAMS.iter().any(|known| known.trim_end_matches('?') == name)
    };
    let params: Vec<(String, String)> = request.params().iter().filter(|(name, _)| of_query(name)).cloned().collect();
    let search_request = Arc::new(parse_request(&body, &params)?);
    let choice = SourceChoice::from_params(&request)?;
    request.check_known()?;
    if !body.has_query && !request.has("q") {
        validation_failed(&["query is missing".to_owned()])?;
    }
    check_preference(request.param("preference"))?;
    let (index, id) = (request.path_param("index"), request.path_param("id"));
    let stored: Vec<String> = request.list("stored_fields").into_iter().map(str::to_owned).collect();
    // Unlike a read, an explanation shows the document only when it is asked to.
    let wanted = choice.as_ref().is_some_and(|choice| choice.fetch) || !stored.is_empty();
    let shown = Shown::new(choice, Some(stored));
    let found = explain(&core, &search_request, index, id, request.param("routing"), wanted).await?;
    let mut w = Writer::new();
    w.begin_object().key("_index").string(&found.index.name).key("_id").string(id);
    let Some(explanation) = &found.explanation else {
        w.key("matched").bool(false).end_object();
        return Ok(Reply::json(404, w.finish()));
    };
    w.key("matched").bool(explanation.matched).key("explanation");
    explanation.write(&mut w);
    if let Some(document) = &found.document {
        w.key("get").begin_object();
        w.key("_seq_no").u64(document.seq_no).key("_primary_term").u64(document.primary_term);
        write_metadata(&mut w, document, &shown);
        w.key("found").bool(true);
        if let (true, Some(source)) = (shown.source.fetch, &document.source) {
            w.key("_source").raw(&shown.source.select.apply(source));
        }
        write_stored_fields(&mut w, &found.index, document, &shown.stored_fields)?;
        w.end_object();
    }
    w.end_object();
    Ok(Reply::ok(w))
}
