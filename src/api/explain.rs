//! How a score comes about: `_explain`.

use super::count::{parse_request, query_body};
use super::document::{BODY_PARAMS, SOURCE_PARAMS, SourceChoice, validation_failed};
use super::get_document::{Shown, write_metadata, write_stored_fields};
use super::search::{QUERY_PARAMS, SHARD_PARAMS};
use super::{ApiRequest, Method, Reply, Route};
use crate::coordinate::Core;
use crate::coordinate::read::{ReadItem, check_copies};
use crate::coordinate::search::{Preference, explain};
use pith_engine::json::Writer;
use pith_engine::{Error, Result};
use std::rc::Rc;
use std::sync::Arc;

const fn route(method: Method) -> Route {
    Route {
        method,
        path: "/{index}/_explain/{id}",
        name: "explain",
        params: &[QUERY_PARAMS, SHARD_PARAMS, SOURCE_PARAMS, BODY_PARAMS, &["stored_fields", "fields", "parent?"]],
        handler: |core, request| Box::pin(run(core, request)),
    }
}

pub const ROUTES: &[Route] = &[route(Method::Get), route(Method::Post)];

async fn run(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let source = request.body_opt()?;
    let body = query_body(source.as_deref())?;
    // Beside a body the query in the address does not count, even if the body has none.
    let (of_body, of_address) = (source.is_some(), request.has("q"));
    let of_query =
        |name: &str| !(of_body && name == "q") && QUERY_PARAMS.iter().any(|known| known.trim_end_matches('?') == name);
    let params: Vec<(String, String)> = request.params().iter().filter(|(name, _)| of_query(name)).cloned().collect();
    let search_request = Arc::new(parse_request(&body, &params)?);
    if request.has("fields") {
        return Err(Error::illegal_argument(
            "The parameter [fields] is no longer supported, please use [stored_fields] to retrieve stored fields",
        ));
    }
    let choice = SourceChoice::from_params(&request)?;
    request.check_known()?;
    if !body.has_query && (of_body || !of_address) {
        validation_failed(&["query is missing".to_owned()])?;
    }
    let (index, id) = (request.path_param("index"), request.path_param("id"));
    let preference = Preference::new(request.param("preference"));
    if preference.is_particular() {
        let routing = request.param("routing").map(str::to_owned);
        let item = ReadItem { index: index.to_owned(), id: id.to_owned(), routing, version: None };
        check_copies(&core, "explain", &item, preference)?;
    }
    let stored: Vec<String> = request.list("stored_fields").into_iter().map(str::to_owned).collect();
    // Unlike a read, an explanation shows the document only when it is asked to.
    let wanted = choice.as_ref().is_some_and(|choice| choice.fetch) || request.has("stored_fields");
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
