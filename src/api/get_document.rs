//! Reading one document: `_doc` and `_source`.

use super::document::{SOURCE_PARAMS, SourceChoice, illegal_version, validation_failed};
use super::reply::Content;
use super::{ApiRequest, Method, Reply, Route};
use crate::cluster::IndexMeta;
use crate::coordinate::Core;
use crate::coordinate::read::{Read, ReadItem, ReadOptions, check_copies, read};
use crate::coordinate::search::Preference;
use pith_engine::java_order::sort_by_slot;
use pith_engine::json::Writer;
use pith_engine::mapping::Field;
use pith_engine::search::write_stored;
use pith_engine::segment::{StoredValue, ignored_follows_source};
use pith_engine::shard::{FoundDocument, VersionType};
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::rc::Rc;

const GET_PARAMS: &[&str] = &["routing", "preference", "realtime", "refresh"];
const DOC_PARAMS: &[&str] = &["stored_fields", "version?", "version_type", "fields"];

const fn doc(method: Method) -> Route {
    Route {
        method,
        path: "/{index}/_doc/{id}",
        name: "get",
        params: &[GET_PARAMS, SOURCE_PARAMS, DOC_PARAMS],
        handler: |core, request| rt::boxed(|| get(core, request)),
    }
}

const fn source(method: Method) -> Route {
    Route {
        method,
        path: "/{index}/_source/{id}",
        name: "get_source",
        params: &[GET_PARAMS, SOURCE_PARAMS],
        handler: |core, request| rt::boxed(|| get_source(core, request)),
    }
}

pub const ROUTES: &[Route] = &[doc(Method::Get), doc(Method::Head), source(Method::Get), source(Method::Head)];

/// What a reply shows of a document.
#[derive(Clone, Debug)]
pub struct Shown {
    pub source: SourceChoice,
    pub stored_fields: Vec<String>,
    /// Whether stored fields were named, if only by names that there are none of.
    pub by_name: bool,
}

impl Shown {
    /// From what was asked: stored fields push `_source` out unless it is asked for too.
    pub fn new(source: Option<SourceChoice>, stored_fields: Option<Vec<String>>) -> Self {
        let asked = stored_fields.is_some();
        let mut fields = stored_fields.unwrap_or_default();
        let by_name = !fields.is_empty();
        let listed = fields.iter().any(|field| field == "_source");
        let source = match source {
            Some(choice) => choice,
            None if !asked || listed => SourceChoice::ALL,
            None => SourceChoice::NONE,
        };
        fields.retain(|field| field != "_source" && field != "_none_");
        Self { source, stored_fields: fields, by_name }
    }
}

async fn get(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let options = read_options(&request)?;
    if request.has("fields") {
        return Err(Error::illegal_argument(
            "the parameter [fields] is no longer supported, please use [stored_fields] to retrieve stored fields or \
             [_source] to load the field from _source",
        ));
    }
    let stored = request.param("stored_fields").map(|text| super::params::parts(text).map(str::to_owned).collect());
    // Whatever its type, a version in a read is one that the document must have.
    let version = request.long_opt("version")?;
    let version_type =
        request.param("version_type").map(VersionType::parse).transpose()?.unwrap_or(VersionType::Internal);
    let shown = Shown::new(SourceChoice::from_params(&request)?, stored);
    request.check_known()?;
    validation_failed(illegal_version(version_type, version, false).as_slice())?;
    let version = version.and_then(|version| u64::try_from(version).ok());
    let found = read_one(&core, &request, options, version).await?;
    let mut w = Writer::new();
    w.begin_object();
    let exists = write_document(&mut w, &found, request.path_param("id"), &shown)?;
    w.end_object();
    Ok(Reply::json(if exists { 200 } else { 404 }, w.finish()))
}

async fn get_source(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let options = read_options(&request)?;
    let choice = SourceChoice::from_params(&request)?.unwrap_or(SourceChoice::ALL);
    request.check_known()?;
    if !choice.fetch {
        validation_failed(&["fetching source can not be disabled".to_owned()])?;
    }
    let found = read_one(&core, &request, options, None).await?;
    let (index, id) = (found.index.name.clone(), request.path_param("id"));
    let missing = |what: &str| Error::new(ErrorKind::ResourceNotFound, format!("{what} not found [{index}]/[{id}]"));
    let document = found.document.ok_or_else(|| missing("Document"))?;
    let source = document.source.ok_or_else(|| missing("Source"))?;
    let mut reply = Reply::json(200, vec![]);
    reply.content = Content::Verbatim(choice.select.apply(&source));
    Ok(reply)
}

async fn read_one(core: &Core, request: &ApiRequest, options: ReadOptions, version: Option<u64>) -> Result<Read> {
    let item = ReadItem {
        index: request.path_param("index").to_owned(),
        id: request.path_param("id").to_owned(),
        routing: request.param("routing").map(str::to_owned),
        version,
    };
    let preference = Preference::new(request.param("preference"));
    if preference.is_particular() {
        check_copies(core, "get", &item, preference)?;
    }
    let mut results = read(core, std::slice::from_ref(&item), options).await;
    results.pop().unwrap_or_else(|| Err(Error::new(ErrorKind::IllegalState, "the document was not looked for")))
}

pub fn read_options(request: &ApiRequest) -> Result<ReadOptions> {
    let refresh = request.flag("refresh", false)?;
    Ok(ReadOptions { realtime: request.flag("realtime", true)?, refresh })
}

/// Writes `_routing` and `_ignored`. They come with stored fields: without any of them they are not loaded, and where the source is
/// all that is wanted of what has a routing value, nothing is looked at but what follows on it.
pub fn write_metadata(w: &mut Writer, document: &FoundDocument, shown: &Shown) {
    if !shown.source.fetch && !shown.by_name {
        return;
    }
    if let Some(routing) = &document.routing {
        w.key("_routing").string(routing);
        if !shown.by_name && document.source.is_some() && !ignored_follows_source(&document.fields) {
            return;
        }
    }
    let mut ignored = document.fields.iter().filter(|(name, _)| name == "_ignored").peekable();
    if ignored.peek().is_some() {
        w.key("_ignored").begin_array();
        for (_, value) in ignored {
            if let StoredValue::String(name) = value {
                w.string(name);
            }
        }
        w.end_array();
    }
}

/// Writes the entries of a document, without the braces; gives whether it was found.
pub fn write_document(w: &mut Writer, read: &Read, id: &str, shown: &Shown) -> Result<bool> {
    w.key("_index").string(&read.index.name).key("_id").string(id);
    let Some(document) = &read.document else {
        w.key("found").bool(false);
        return Ok(false);
    };
    w.key("_version").u64(document.version).key("_seq_no").u64(document.seq_no);
    w.key("_primary_term").u64(document.primary_term);
    write_metadata(w, document, shown);
    w.key("found").bool(true);
    if let (true, Some(source)) = (shown.source.fetch, &document.source) {
        w.key("_source");
        match shown.source.select.is_everything() {
            true => w.raw(source),
            false => w.raw(&shown.source.select.apply(source)),
        };
    }
    write_stored_fields(w, &read.index, document, &shown.stored_fields)?;
    Ok(true)
}

/// Writes the values of stored fields, in the order of the reference's hash map of their names.
pub fn write_stored_fields(
    w: &mut Writer,
    index: &IndexMeta,
    document: &FoundDocument,
    names: &[String],
) -> Result<()> {
    let mut found: Vec<(&str, &Field, Vec<&StoredValue>)> = vec![];
    for name in names {
        let Some(field) = index.mapping.field(name) else {
            if index.mapping.is_object(name) {
                return Err(Error::illegal_argument(format!("field [{name}] isn't a leaf field")));
            }
            continue;
        };
        // Nothing is stored under the name of an alias.
        let own = *field.name == **name && field.spec.stored;
        if !own || field.family().is_metadata() || found.iter().any(|(other, ..)| other == name) {
            continue;
        }
        let own = document.fields.iter().filter(|(other, _)| **other == *field.name);
        let values: Vec<&StoredValue> = own.map(|(_, value)| value).collect();
        if !values.is_empty() {
            found.push((name, field, values));
        }
    }
    if found.is_empty() {
        return Ok(());
    }
    sort_by_slot(&mut found, |(name, ..)| name);
    w.key("fields").begin_object();
    for (name, field, values) in found {
        w.key(name).begin_array();
        for value in values {
            write_stored(field, value, w)?;
        }
        w.end_array();
    }
    w.end_object();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_fields_push_the_source_out() {
        let fields = |list: &[&str]| Some(list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>());
        assert!(Shown::new(None, None).source.fetch);
        assert!(!Shown::new(None, fields(&["a"])).source.fetch);
        assert!(Shown::new(None, fields(&["a", "_source"])).source.fetch);
        assert!(!Shown::new(None, fields(&["_none_"])).source.fetch);
        assert!(Shown::new(Some(SourceChoice::ALL), fields(&["a"])).source.fetch);
    }
}
