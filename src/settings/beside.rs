//! What a setting may be beside others, and which parts they may name. The reference looks at these after all others.

use super::map::{Setting, Settings, SettingsUpdate};
use pith_engine::{Error, Result};

const REMOTE_STORE: &str = "index.remote_store.enabled";
const REPLICATION: &str = "index.replication.type";
const INGESTION: &str = "index.ingestion_source.type";
const INGESTION_ON_ALL: &str = "index.ingestion_source.all_active";
const POINTER: &str = "index.ingestion_source.pointer.init.reset";
const POINTER_VALUE: &str = "index.ingestion_source.pointer.init.reset.value";
const SEARCH_REPLICAS: &str = "index.number_of_search_replicas";
const VIRTUAL_SHARDS: &str = "index.number_of_virtual_shards";

/// Checks one setting of a new index against the others of the request.
///
/// # Errors
/// What it needs beside it is not there.
pub fn check_beside(key: &str, text: &str, update: &SettingsUpdate) -> Result<()> {
    let is = |key: &str, word: &str| matches!(update.get(key), Some(Some(Setting::Text(text))) if text.eq_ignore_ascii_case(word));
    match key {
        REMOTE_STORE if text == "true" && !is(REPLICATION, "SEGMENT") => {
            Err(Error::illegal_argument(format!("To enable {REMOTE_STORE}, {REPLICATION} should be set to SEGMENT")))
        }
        "index.remote_store.segment.repository" | "index.remote_store.translog.repository" => {
            if text.is_empty() {
                return Err(Error::illegal_argument(format!(
                    "Setting {key} should be provided with non-empty repository ID"
                )));
            }
            if is(REMOTE_STORE, "true") {
                return Ok(());
            }
            Err(Error::illegal_argument(format!(
                "Settings {key} can only be set/enabled when {REMOTE_STORE} is set to true"
            )))
        }
        INGESTION if !text.eq_ignore_ascii_case("none") => {
            if is(REPLICATION, "SEGMENT") || is(INGESTION_ON_ALL, "true") {
                return Ok(());
            }
            Err(Error::illegal_argument(format!(
                "Replication type DOCUMENT is not supported in pull-based ingestion when {INGESTION_ON_ALL} is not enabled"
            )))
        }
        POINTER if text.to_ascii_uppercase().starts_with("RESET_BY_") && update.get(POINTER_VALUE).is_none() => Err(
            Error::illegal_argument(format!("Setting {POINTER_VALUE} should be set when resetting consumer position")),
        ),
        _ => Ok(()),
    }
}

/// Refuses settings that name parts which there is nothing behind, or which only old indexes may have.
pub fn check_parts(settings: &Settings) -> Result<()> {
    let shown = |key: &str| match settings.get(key) {
        Some(Setting::List(items)) => format!("[{}]", items.join(", ")),
        Some(Setting::Text(text)) => text.clone(),
        None => String::new(),
    };
    for (key, what) in [("index.store.factory", "store factory"), ("index.recovery.type", "recovery type")] {
        let name = shown(key);
        if !name.is_empty() {
            return Err(Error::illegal_argument(format!("Unknown {what} [{name}]")));
        }
    }
    let store = shown("index.composite_store.type");
    if !matches!(store.as_str(), "" | "default") {
        return Err(Error::illegal_argument(format!("Unknown composite store type [{store}]")));
    }
    let policy = shown("index.merge_on_flush.policy");
    if !matches!(policy.as_str(), "" | "default" | "merge-on-flush") {
        return Err(Error::illegal_argument(format!(
            "The index.merge_on_flush.policy has unsupported policy specified: {policy}. Please use one of: default, merge-on-flush"
        )));
    }
    if !matches!(shown(SEARCH_REPLICAS).as_str(), "" | "0") {
        return Err(Error::illegal_argument(format!("To set {SEARCH_REPLICAS}, {REMOTE_STORE} must be set to true")));
    }
    let removed = "index.optimize_auto_generated_id";
    if settings.contains(removed) {
        return Err(Error::illegal_argument(format!("Setting [{removed}] was removed in version 7.0.0")));
    }
    let source = shown(INGESTION).to_uppercase();
    if !matches!(source.as_str(), "" | "NONE") {
        return Err(Error::illegal_argument(format!("No factory found for ingestion source type [{source}]")));
    }
    Ok(())
}

/// Virtual shards, if an index has any, are whole multiples of its shards.
pub fn check_virtual_shards(name: &str, settings: &Settings) -> Result<()> {
    let number = |key: &str| settings.text(key).and_then(|text| text.parse::<i64>().ok());
    let (Some(virtual_shards), Some(shards)) = (number(VIRTUAL_SHARDS), number("index.number_of_shards")) else {
        return Ok(());
    };
    let wrong = |must: &str| {
        Err(Error::illegal_argument(format!(
            "number of virtual shards [{virtual_shards}] must be {must} number of shards [{shards}] for [{name}]"
        )))
    };
    match virtual_shards {
        -1 => Ok(()),
        fewer if fewer < shards => wrong(">="),
        uneven if uneven % shards != 0 => wrong("a multiple of"),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pith_engine::json::parse;

    fn reason(result: Result<()>) -> String {
        result.map_or_else(|error| error.reason().to_owned(), |()| "ok".to_owned())
    }

    fn update(text: &str) -> SettingsUpdate {
        SettingsUpdate::from_json(&parse(text.as_bytes()).unwrap()).unwrap().normalized("index.")
    }

    #[test]
    fn what_settings_need_beside_them() {
        let check = |key: &str, text: &str, others: &str| reason(check_beside(key, text, &update(others)));
        assert_eq!(check(REMOTE_STORE, "false", "{}"), "ok");
        assert_eq!(
            check(REMOTE_STORE, "true", "{}"),
            "To enable index.remote_store.enabled, index.replication.type should be set to SEGMENT"
        );
        assert_eq!(check(REMOTE_STORE, "true", r#"{"replication.type":"SEGMENT"}"#), "ok");
        let repository = "index.remote_store.segment.repository";
        assert_eq!(
            check(repository, "", "{}"),
            "Setting index.remote_store.segment.repository should be provided with non-empty repository ID"
        );
        assert_eq!(
            check(repository, "a", "{}"),
            "Settings index.remote_store.segment.repository can only be set/enabled when index.remote_store.enabled is set to true"
        );
        assert_eq!(
            check(INGESTION, "kafka", "{}"),
            "Replication type DOCUMENT is not supported in pull-based ingestion when index.ingestion_source.all_active is not enabled"
        );
        assert_eq!(
            check(POINTER, "reset_by_offset", "{}"),
            "Setting index.ingestion_source.pointer.init.reset.value should be set when resetting consumer position"
        );
        assert_eq!(check(POINTER, "reset_by_offset", r#"{"ingestion_source.pointer.init.reset.value":"3"}"#), "ok");
    }

    #[test]
    fn parts_that_are_not_there() {
        let check = |text: &str| reason(check_parts(&Settings::default().updated(&update(text))));
        assert_eq!(check(r#"{"store.factory":"","recovery.type":"","composite_store.type":"default"}"#), "ok");
        assert_eq!(check(r#"{"store.factory":"x"}"#), "Unknown store factory [x]");
        assert_eq!(check(r#"{"recovery.type":["a","b"]}"#), "Unknown recovery type [[a, b]]");
        assert_eq!(
            check(r#"{"number_of_search_replicas":1}"#),
            "To set index.number_of_search_replicas, index.remote_store.enabled must be set to true"
        );
        assert_eq!(
            check(r#"{"merge_on_flush.policy":"x"}"#),
            "The index.merge_on_flush.policy has unsupported policy specified: x. Please use one of: default, merge-on-flush"
        );
        assert_eq!(check(r#"{"composite_store.type":"x"}"#), "Unknown composite store type [x]");
        assert_eq!(
            check(r#"{"optimize_auto_generated_id":true}"#),
            "Setting [index.optimize_auto_generated_id] was removed in version 7.0.0"
        );
        assert_eq!(check(r#"{"ingestion_source.type":"kafka"}"#), "No factory found for ingestion source type [KAFKA]");
    }

    #[test]
    fn virtual_shards_are_multiples() {
        let check = |virtual_shards: i64| {
            let text = format!(r#"{{"number_of_shards":2,"number_of_virtual_shards":{virtual_shards}}}"#);
            reason(check_virtual_shards("a", &Settings::default().updated(&update(&text))))
        };
        assert_eq!(check(-1), "ok");
        assert_eq!(check(4), "ok");
        assert_eq!(check(1), "number of virtual shards [1] must be >= number of shards [2] for [a]");
        assert_eq!(check(3), "number of virtual shards [3] must be a multiple of number of shards [2] for [a]");
    }
}
