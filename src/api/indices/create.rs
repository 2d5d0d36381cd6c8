//! `PUT /{index}`.

use super::super::targets::{TIMEOUTS, active_shards, submit, wait_for_copies};
use super::super::{ApiRequest, Method, Reply, Route};
use crate::cluster::{AliasMeta, Change, CreateIndex, single_name};
use crate::coordinate::{Core, clock};
use crate::settings::{Setting, SettingsUpdate};
use pith_engine::analysis::{OLD_FILTER, OLD_TOKENIZER, note_old_filter, note_old_tokenizer};
use pith_engine::json::{Value, Writer, no_cast};
use pith_engine::mapping::note_ineffective;
use pith_engine::{Error, ErrorKind, Result, deprecated};
use std::rc::Rc;

pub const ROUTES: &[Route] = &[Route {
    method: Method::Put,
    path: "/{index}",
    name: "create_index_action",
    params: &[TIMEOUTS, &["wait_for_active_shards"]],
    handler: |core, request| Box::pin(create(core, request)),
}];

async fn create(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let mut index = match request.body.is_empty() {
        false => parse_body(&request.json_map()?)?,
        true => CreateIndex::default(),
    };
    index.provided_name = Some(request.path_param("index").to_owned());
    index.name = single_name(request.path_param("index"), clock::now_ms())?;
    index.wait_for_active_shards = active_shards(&request)?;
    let name = index.name.clone();
    index.mapping.iter().for_each(note_ineffective);
    note_old_names(&index.settings);
    note_retention(&index.settings);
    note_dynamic(&index);
    let done = submit(&core, &request, Change::CreateIndex(Box::new(index))).await?.is_done();
    let active = done && wait_for_copies(&core, &request, &[name.as_str().into()]).await?;
    let mut w = Writer::new();
    w.begin_object().key("acknowledged").bool(done).key("shards_acknowledged").bool(active);
    w.key("index").string(&name).end_object();
    Ok(Reply::ok(w))
}

/// Notes that nothing is kept for the sake of settings that once said so.
fn note_retention(settings: &SettingsUpdate) {
    let retention = |(key, _): (&String, &Option<Setting>)| {
        matches!(key.trim_start_matches("index."), "translog.retention.age" | "translog.retention.size")
    };
    if settings.iter().any(retention) {
        deprecated::note(
            "Translog retention settings [index.translog.retention.age] and [index.translog.retention.size] are \
             deprecated and effectively ignored. They will be removed in a future version.",
        );
    }
}

/// Notes that whether mappings are dynamic is not said by a setting.
fn note_dynamic(index: &CreateIndex) {
    const KEY: &str = "index.mapper.dynamic";
    if index.settings.clone().normalized("index.").get(KEY).is_some() {
        let name = &index.name;
        deprecated::note(format!(
            "Index [{name}] has setting [{KEY}] that is not supported in OpenSearch, its value will be ignored."
        ));
    }
}

/// Notes deprecated names among the definitions of tokenizers and filters, and in what analyzers are made of.
fn note_old_names(settings: &SettingsUpdate) {
    for (key, value) in settings.iter() {
        let Some((_, path)) = key.split_once("analysis.") else { continue };
        let Some(text) = value.as_ref().map(Setting::text) else { continue };
        let parts = path.split_once('.').and_then(|(group, rest)| Some((group, rest.rsplit_once('.')?.1)));
        match parts {
            Some(("tokenizer", "type") | ("analyzer", "tokenizer")) if text == OLD_TOKENIZER => note_old_tokenizer(),
            Some(("filter", "type")) if text == OLD_FILTER => note_old_filter(),
            _ => {}
        }
    }
}

/// Reads `settings`, `mappings` and `aliases`; anything else is an error.
fn parse_body(body: &Value) -> Result<CreateIndex> {
    let map = body.as_object().ok_or_else(Error::not_x_content)?;
    let mut index = CreateIndex::default();
    for (key, value) in map.iter() {
        match key {
            "settings" => index.settings = SettingsUpdate::from_json(object(key, value)?)?,
            "mappings" => index.mapping = Some(mapping_of(object(key, value)?)?),
            "aliases" => index.aliases = parse_aliases(value)?,
            _ => return Err(Error::new(ErrorKind::Parse, format!("unknown key [{key}] for create index"))),
        }
    }
    Ok(index)
}

pub fn object<'a>(key: &str, value: &'a Value) -> Result<&'a Value> {
    match value {
        Value::Object(_) => Ok(value),
        _ => Err(Error::new(ErrorKind::Parse, format!("key [{key}] must be an object"))),
    }
}

/// A mapping as it is kept; one that is wrapped in the name of a type is refused.
pub fn mapping_of(value: &Value) -> Result<Value> {
    if value.as_object().is_some_and(|map| map.len() == 1 && map.contains("_doc")) {
        return Err(Error::illegal_argument("The mapping definition cannot be nested under a type"));
    }
    Ok(value.clone())
}

/// The aliases of a new index or of a template.
pub fn parse_aliases(value: &Value) -> Result<Vec<(String, AliasMeta)>> {
    let map = match value {
        Value::Object(map) => map,
        Value::Null => return Err(Error::not_x_content()),
        other => return Err(no_cast(other, "java.util.Map")),
    };
    map.iter().map(|(name, alias)| Ok((name.to_owned(), AliasMeta::from_value(alias)?))).collect()
}

/// The error of a body that `parser` finds to be no object.
#[cold]
pub fn expected_object(parser: &str, body: &Value) -> Error {
    let token = body.token();
    Error::new(ErrorKind::XContentParse, format!("[1:1] [{parser}] Expected START_OBJECT but was: {token}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pith_engine::json::parse;

    fn read(body: &str) -> Result<CreateIndex> {
        parse_body(&parse(body.as_bytes()).unwrap())
    }

    #[test]
    fn body_parts() {
        let index = read(
            r#"{"settings":{"number_of_shards":2},"mappings":{"dynamic":false},"aliases":{"a":{"routing":"r","is_write_index":true}}}"#,
        )
        .unwrap();
        assert_eq!(index.settings.get("number_of_shards"), Some(&Some("2".into())));
        assert_eq!(index.mapping, Some(parse(br#"{"dynamic":false}"#).unwrap()));
        let (name, alias) = &index.aliases[0];
        assert_eq!(
            (name.as_str(), alias.search_routing.as_deref(), alias.is_write_index),
            ("a", Some("r"), Some(true))
        );
    }

    #[test]
    fn mistakes() {
        let reason = |body: &str| read(body).unwrap_err().reason().to_owned();
        assert_eq!(reason(r#"{"nonsense":{}}"#), "unknown key [nonsense] for create index");
        assert_eq!(reason(r#"{"settings":[1]}"#), "key [settings] must be an object");
        assert_eq!(reason(r#"{"aliases":{"a":1}}"#), "No alias is specified");
        assert_eq!(
            reason(r#"{"mappings":{"_doc":{"properties":{}}}}"#),
            "The mapping definition cannot be nested under a type"
        );
    }
}
