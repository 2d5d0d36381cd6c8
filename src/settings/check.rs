//! Checks of whole sets of settings.

use super::beside::{check_beside, check_parts};
use super::cluster_table::CLUSTER_SETTINGS;
use super::idle_table::IDLE_SETTINGS;
use super::index_table::INDEX_SETTINGS;
use super::map::{ARCHIVED, Setting, Settings, SettingsUpdate, glob};
use super::row::{Mode, Row};
use pith_engine::deprecated::note;
use pith_engine::java_order::slot;
use pith_engine::mapping::{IndexSortKey, MappingSettings};
use pith_engine::score::similarity;
use pith_engine::{Error, ErrorKind, Result};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The row of an index setting: its own, or that of its family.
pub fn index_setting(key: &str) -> Option<&'static Row> {
    find(INDEX_SETTINGS, key)
}

/// The row of a setting of the cluster or of a node.
pub fn cluster_setting(key: &str) -> Option<&'static Row> {
    find(CLUSTER_SETTINGS, key).or_else(|| find(IDLE_SETTINGS, key))
}

fn find(table: &'static [Row], key: &str) -> Option<&'static Row> {
    if let Ok(at) = table.binary_search_by(|row| row.key.cmp(key)) {
        return Some(&table[at]).filter(|row| !row.key.contains('*'));
    }
    table.iter().find(|row| row.key.ends_with(".*") && glob(row.key, key) && key.len() >= row.key.len())
}

/// Mistakes that are told at most; looking for what is like an unknown key takes time.
const MISTAKES_MAX: usize = 20;

/// Settings that may still be said, though not for long.
const DEPRECATED: [&str; 11] = [
    "cluster.no_master_block",
    "cluster.routing.allocation.disk.include_relocations",
    "cluster.routing.allocation.move.primary_first",
    "cluster.routing.allocation.shard_state.reroute.priority",
    "index.force_memory_term_dictionary",
    "index.mapper.dynamic",
    "index.max_adjacency_matrix_filters",
    "index.merge.policy.reclaim_deletes_weight",
    "index.search.concurrent_segment_search.enabled",
    "script.max_compilations_rate",
    "search.concurrent_segment_search.enabled",
];

/// Notes that a setting is deprecated, if it is.
pub fn note_deprecated(key: &str) {
    if DEPRECATED.contains(&key) {
        note(format!(
            "[{key}] setting was deprecated in OpenSearch and will be removed in a future release! See the breaking changes \
             documentation for the next major version."
        ));
    }
}

/// Checks what a request wants of a new index: every key must be known, every value right. The first mistake by key is
/// the error, the others go along as `suppressed`.
pub fn check_new_index(update: &SettingsUpdate) -> Result<()> {
    let mut mistakes: Vec<Error> = vec![];
    for (key, value) in update.iter() {
        note_deprecated(key);
        let found = match (index_setting(key), value) {
            (None, _) => Err(unknown(key)),
            (Some(row), _) if row.mode == Mode::Unnamed => Err(unknown(key)),
            (Some(row), Some(value)) => row.check(key, value).and_then(|()| check_beside(key, &value.text(), update)),
            (Some(_), None) => Ok(()),
        };
        mistakes.extend(found.err());
        if mistakes.len() == MISTAKES_MAX {
            break;
        }
    }
    first_of(mistakes)
}

/// The value of one setting, which is looked at before all others.
pub fn check_one(update: &SettingsUpdate, key: &str) -> Result<()> {
    match (index_setting(key), update.get(key)) {
        (Some(row), Some(Some(value))) => row.check(key, value),
        _ => Ok(()),
    }
}

/// As [`check_new_index`], for a change of an index; what Pith alone sets is an error too. Patterns are passed over.
pub fn check_index_update(update: &SettingsUpdate) -> Result<()> {
    check_one(update, "index.refresh_interval")?;
    let mut mistakes: Vec<Error> = vec![];
    for (key, value) in update.iter().filter(|(key, _)| !key.contains('*') && !key.starts_with(ARCHIVED)) {
        note_deprecated(key);
        let found = match (index_setting(key), value) {
            (None, _) => Err(unknown(key)),
            (Some(row), _) if row.mode == Mode::Unnamed => Err(unknown(key)),
            (Some(row), _) if row.mode == Mode::Managed => Err(Error::new(
                ErrorKind::Settings,
                format!("can not update internal setting [{key}]; this setting is managed via a dedicated API"),
            )),
            (Some(row), _) if row.mode == Mode::Private => Err(Error::new(
                ErrorKind::Settings,
                format!("can not update private setting [{key}]; this setting is managed by OpenSearch"),
            )),
            (Some(row), Some(value)) => row.check(key, value),
            (Some(_), None) => Ok(()),
        };
        mistakes.extend(found.err());
        if mistakes.len() == MISTAKES_MAX {
            break;
        }
    }
    first_of(mistakes)
}

/// Checks settings as they will stand.
pub fn check_index(settings: &Settings) -> Result<()> {
    let rows = settings.iter().filter_map(|(key, value)| Some((key, value, index_setting(key)?)));
    rows.filter(|(_, _, row)| !row.mode.is_own()).try_for_each(|(key, value, row)| row.check(key, value))?;
    check_together(settings)
}

/// Settings that only make sense beside others.
fn check_together(settings: &Settings) -> Result<()> {
    check_index_sort(settings)?;
    check_similarities(settings)?;
    check_parts(settings)?;
    let level = "index.codec.compression_level";
    if settings.is_said(level) {
        match settings.text("index.codec") {
            None => {
                return Err(Error::new(
                    ErrorKind::Settings,
                    format!("missing required setting [index.codec] for setting [{level}]"),
                ));
            }
            Some(codec @ ("default" | "lz4" | "best_compression" | "zlib")) => {
                return Err(Error::illegal_argument(format!("Compression level cannot be set for the {codec} codec.")));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

const SIMILARITY: &str = "index.similarity.";

/// `index.similarity.*` by the names of the similarities.
fn similarity_groups(settings: &Settings) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut groups: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    let all = settings.below(SIMILARITY);
    for (name, _) in all.nulls().filter_map(|key| key.split_once('.')) {
        groups.entry(name.to_owned()).or_default();
    }
    for (key, setting) in all.iter() {
        let Some((name, param)) = key.split_once('.') else { continue };
        let text = match setting {
            Setting::Text(text) => text.clone(),
            Setting::List(items) => format!("[{}]", items.join(", ")),
        };
        groups.entry(name.to_owned()).or_default().insert(param.to_owned(), text);
    }
    groups
}

/// Refuses similarities that cannot be read, and those by which hits could not be ranked.
pub fn check_similarities(settings: &Settings) -> Result<()> {
    let all = settings.below(SIMILARITY);
    let mut names = all.iter().map(|(key, _)| key.as_str()).chain(all.nulls());
    if let Some(name) = names.find(|key| !key.contains('.')) {
        let reason =
            format!("Failed to get setting group for [] setting prefix and setting [{name}] because of a missing '.'");
        return Err(Error::new(ErrorKind::Settings, reason));
    }
    for (name, params) in similarity_groups(settings) {
        similarity::check(&similarity::read(&name, &params)?)?;
    }
    Ok(())
}

/// `index.sort.*` go side by side, one of each for every field.
fn check_index_sort(settings: &Settings) -> Result<()> {
    let list = |name: &str| settings.get(&format!("index.sort.{name}")).map(Setting::list).unwrap_or_default();
    let fields = list("field");
    for name in ["order", "mode", "missing"] {
        let mut given = list(name);
        if name == "mode" {
            given.iter_mut().for_each(|mode| *mode = mode.to_uppercase());
        }
        if !given.is_empty() && given.len() != fields.len() {
            let (fields, given) = (fields.join(", "), given.join(", "));
            return Err(Error::illegal_argument(format!(
                "index.sort.field:[{fields}] index.sort.{name}:[{given}], size mismatch"
            )));
        }
        if let Some(mode) = given.iter().find(|mode| matches!(mode.as_str(), "AVG" | "SUM" | "MEDIAN")) {
            return Err(Error::illegal_argument(format!(
                "Illegal index sort mode:[{mode}], must be one of [MAX, MIN]"
            )));
        }
    }
    Ok(())
}

/// The keys that documents of the index are ordered by.
fn index_sort(settings: &Settings) -> Vec<IndexSortKey> {
    let list = |name: &str| settings.get(&format!("index.sort.{name}")).map(Setting::list).unwrap_or_default();
    let (orders, modes, missing) = (list("order"), list("mode"), list("missing"));
    let is = |list: &[String], at: usize, word: &str| list.get(at).map(|given| given.eq_ignore_ascii_case(word));
    let key = |(at, field): (usize, String)| {
        let descending = is(&orders, at, "desc").unwrap_or(false);
        IndexSortKey {
            field,
            descending,
            max: is(&modes, at, "max").unwrap_or(descending),
            missing_first: is(&missing, at, "_first").unwrap_or(false),
        }
    };
    list("field").into_iter().enumerate().map(key).collect()
}

/// Refuses what only Pith sets, and folders of its own for an index, as the creation of an index does.
pub fn check_not_private(update: &SettingsUpdate) -> Result<()> {
    let private = update.iter().filter(|(key, _)| index_setting(key).is_some_and(|row| row.mode == Mode::Private));
    let private = private.map(|(key, _)| format!("private index setting [{key}] can not be set explicitly"));
    let elsewhere = matches!(update.get("index.data_path"), Some(Some(path)) if !path.text().is_empty())
        .then(|| "path.shared_data must be set in order to use custom data paths".to_owned());
    let mistakes = elsewhere.into_iter().chain(private).enumerate();
    let reason: String = mistakes.map(|(at, mistake)| format!("{}: {mistake};", at + 1)).collect();
    if reason.is_empty() {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Validation, format!("Validation Failed: {reason}")))
}

/// Whether an open index keeps it from being changed.
pub fn is_static_of_index(key: &str) -> bool {
    let is_static = || index_setting(key).is_some_and(|row| matches!(row.mode, Mode::Static | Mode::Final));
    !key.contains('*') && (key.starts_with(ARCHIVED) || is_static())
}

pub fn is_final_of_index(key: &str) -> bool {
    index_setting(key).is_some_and(|row| row.mode == Mode::Final)
}

/// Whether a reset by pattern passes the setting over: what makes the index what it is.
pub fn is_kept(key: &str) -> bool {
    match index_setting(key) {
        Some(row) => matches!(row.mode, Mode::Final | Mode::Managed) || row.mode.is_own(),
        None => true,
    }
}

fn first_of(mistakes: Vec<Error>) -> Result<()> {
    let mut mistakes = mistakes.into_iter();
    let Some(first) = mistakes.next() else { return Ok(()) };
    Err(first.with_suppressed(mistakes))
}

#[cold]
fn unknown(key: &str) -> Error {
    let near: Vec<&str> = nearest(key);
    let reason = match near.as_slice() {
        [] => format!(
            "unknown setting [{key}] please check that any required plugins are installed, or check the breaking changes documentation for removed settings"
        ),
        [only] => format!("unknown setting [{key}] did you mean [{only}]?"),
        several => format!("unknown setting [{key}] did you mean any of [{}]?", several.join(", ")),
    };
    Error::new(ErrorKind::Settings, reason)
}

/// Slots of the hash map that the reference keeps settings in, whose order tells which of two keys alike comes first.
const SLOTS: usize = 512;

/// The known keys that are like `key`, the likest first. Lists are not looked at, since the reference knows them by patterns.
fn nearest(key: &str) -> Vec<&'static str> {
    let mut near: Vec<(f64, &'static str)> = INDEX_SETTINGS
        .iter()
        .filter(|row| row.mode != Mode::Unnamed && !row.key.contains('*') && !row.kind.is_list())
        .map(|row| (likeness(key, row.key), row.key))
        .filter(|(likeness, _)| *likeness > 0.7)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| slot(a.1, SLOTS).cmp(&slot(b.1, SLOTS))));
    near.into_iter().map(|(_, key)| key).collect()
}

/// One less the share of characters that have to be changed to make one text of the other; 0.0 where it is less than 0.7.
fn likeness(a: &str, b: &str) -> f64 {
    let longest = a.len().max(b.len());
    if longest == 0 || a.len().abs_diff(b.len()) * 10 > longest * 3 {
        return 0.0;
    }
    let (a, b) = (a.as_bytes(), b.as_bytes());
    // Letters that the other does not have have to be changed, wherever they stand: that rules most out.
    let mut left = [0u8; 256];
    b.iter().for_each(|y| left[usize::from(*y)] = left[usize::from(*y)].saturating_add(1));
    let missing = a.iter().filter(|x| {
        let left = &mut left[usize::from(**x)];
        std::mem::replace(left, left.saturating_sub(1)) == 0
    });
    if missing.count() * 10 > longest * 3 {
        return 0.0;
    }
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let changed = previous[j] + usize::from(x != y);
            row.push(changed.min(previous[j + 1] + 1).min(row[j] + 1));
        }
        // Nobody asks for what is less like than that.
        if row.iter().min().is_some_and(|least| least * 10 > longest * 3) {
            return 0.0;
        }
        previous = row;
    }
    1.0 - previous[b.len()] as f64 / longest as f64
}

/// What mappings take from the settings of their index.
pub fn mapping_settings(settings: &Settings) -> MappingSettings {
    let default = MappingSettings::default();
    let number = |key: &str, default: usize| settings.text(key).and_then(|text| text.parse().ok()).unwrap_or(default);
    let flag = |key: &str, default: bool| settings.text(key).map_or(default, |text| text == "true");
    MappingSettings {
        total_fields_limit: number("index.mapping.total_fields.limit", default.total_fields_limit),
        depth_limit: number("index.mapping.depth.limit", default.depth_limit),
        field_name_length_limit: number("index.mapping.field_name_length.limit", default.field_name_length_limit),
        nested_fields_limit: number("index.mapping.nested_fields.limit", default.nested_fields_limit),
        nested_objects_limit: number("index.mapping.nested_objects.limit", default.nested_objects_limit),
        ignore_malformed: flag("index.mapping.ignore_malformed", default.ignore_malformed),
        coerce: flag("index.mapping.coerce", default.coerce),
        default_fields: settings.get("index.query.default_field").map_or(default.default_fields, Setting::list),
        unmapped_as_text: flag("index.percolator.map_unmapped_fields_as_text", default.unmapped_as_text),
        lenient_query_strings: flag("index.query_string.lenient", default.lenient_query_strings),
        // What cannot be read was refused when it was set; it is as if it was not there.
        similarities: (similarity_groups(settings).into_iter())
            .filter_map(|(name, params)| similarity::read(&name, &params).ok().map(|read| (name, Arc::new(read))))
            .collect(),
        index_sort: index_sort(settings),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pith_engine::json::parse;

    fn update(text: &str) -> SettingsUpdate {
        SettingsUpdate::from_json(&parse(text.as_bytes()).unwrap()).unwrap().normalized("index.")
    }

    #[test]
    fn tables_are_in_order_and_their_defaults_are_values() {
        for table in [INDEX_SETTINGS, CLUSTER_SETTINGS, IDLE_SETTINGS] {
            assert!(table.is_sorted_by_key(|row| row.key));
            for row in table {
                assert!(!row.doc.is_empty(), "{} is not documented", row.key);
                if !row.default.is_empty() && !row.key.contains('*') {
                    assert!(row.check(row.key, &row.default.into()).is_ok(), "{} = {}", row.key, row.default);
                }
            }
        }
    }

    #[test]
    fn unknown_settings() {
        let error = check_new_index(&update(r#"{"number_of_shard":3}"#)).unwrap_err();
        assert_eq!(error.reason(), "unknown setting [index.number_of_shard] did you mean [index.number_of_shards]?");
        let error = check_new_index(&update(r#"{"blocks.foo":3}"#)).unwrap_err();
        assert_eq!(
            error.reason(),
            "unknown setting [index.blocks.foo] did you mean any of [index.blocks.read, index.blocks.write]?"
        );
        let error = check_new_index(&update(r#"{"query.default_fields":3}"#)).unwrap_err();
        assert!(error.reason().contains("please check that any required plugins"), "{}", error.reason());
        let error = check_new_index(&update(r#"{"nonsense":3,"number_of_shards":0}"#)).unwrap_err();
        assert_eq!(
            error.reason(),
            "unknown setting [index.nonsense] please check that any required plugins are installed, or check the breaking changes documentation for removed settings"
        );
        let suppressed = error.field("suppressed").unwrap().as_array().unwrap();
        assert_eq!(
            suppressed[0].get("reason").and_then(|reason| reason.as_str()),
            Some("Failed to parse value [0] for setting [index.number_of_shards] must be >= 1")
        );
    }

    #[test]
    fn families_match_their_keys() {
        assert_eq!(index_setting("index.analysis.analyzer.a.type").unwrap().key, "index.analysis.*");
        assert_eq!(cluster_setting("logger.org.pith.discovery").unwrap().key, "logger.*");
        assert_eq!(cluster_setting("search_backpressure.mode").unwrap().default, "monitor_only");
        assert!(index_setting("index.analysis.").is_none());
        assert!(is_static_of_index("index.analysis.x"));
    }
}
