//! What of analysis the indexes of a cluster use: types that they define, and what is built in.

use crate::cluster::State;
use pith_engine::json::{Value, Writer};
use std::collections::{BTreeMap, BTreeSet};

/// Uses by name: how many, and in how many indexes.
type Uses = BTreeMap<String, (u64, u64)>;

/// The groups in the order in which they are written.
const GROUPS: [&str; 8] = [
    "char_filter_types",
    "tokenizer_types",
    "filter_types",
    "analyzer_types",
    "built_in_char_filters",
    "built_in_tokenizers",
    "built_in_filters",
    "built_in_analyzers",
];

#[derive(Debug, Default)]
pub struct AnalysisStats([Uses; 8]);

/// The uses of one index, by group.
#[derive(Default)]
struct OfIndex([BTreeMap<String, u64>; 8]);

impl OfIndex {
    fn count(&mut self, group: usize, name: &str) {
        *self.0[group].entry(name.to_owned()).or_default() += 1;
    }
}

/// The kinds of parts, each with the groups of its types and of those that are built in.
const KINDS: [(&str, usize, usize); 3] = [("char_filter", 0, 4), ("tokenizer", 1, 5), ("filter", 2, 6)];
const ANALYZER_TYPES: usize = 3;
const BUILT_IN_ANALYZERS: usize = 7;

impl AnalysisStats {
    pub fn of(state: &State) -> Self {
        let mut all = Self::default();
        for index in state.indices.values() {
            let settings: BTreeMap<&str, String> = index
                .settings
                .iter()
                .filter_map(|(key, value)| Some((key.strip_prefix("index.analysis.")?, value.text())))
                .collect();
            let mut own = OfIndex::default();
            let analyzers = count_settings(&settings, &mut own);
            if let Some(mapping) = &index.mapping_source {
                count_fields(mapping, &analyzers, &mut own);
            }
            for (group, uses) in own.0.into_iter().enumerate() {
                for (name, count) in uses {
                    let sum = all.0[group].entry(name).or_default();
                    *sum = (sum.0 + count, sum.1 + 1);
                }
            }
        }
        all
    }

    pub fn write(&self, w: &mut Writer) {
        w.begin_object();
        for (group, uses) in GROUPS.iter().zip(&self.0) {
            w.key(group).begin_array();
            for (name, (count, indexes)) in uses {
                w.begin_object().key("name").string(name).key("count").u64(*count);
                w.key("index_count").u64(*indexes).end_object();
            }
            w.end_array();
        }
        w.end_object();
    }
}

/// Counts what the settings of an index define; gives the names of its analyzers.
fn count_settings(settings: &BTreeMap<&str, String>, own: &mut OfIndex) -> BTreeSet<String> {
    let defined = |kind: &str| -> BTreeSet<String> {
        let names = settings.keys().filter_map(|key| key.strip_prefix(kind)?.strip_prefix('.')?.split('.').next());
        names.map(str::to_owned).collect()
    };
    let one = |key: String| settings.get(key.as_str()).map(String::as_str);
    for (kind, types, _) in KINDS {
        for name in defined(kind) {
            if let Some(kind) = one(format!("{kind}.{name}.type")) {
                own.count(types, kind);
            }
        }
    }
    let analyzers = defined("analyzer");
    for analyzer in &analyzers {
        let kind = one(format!("analyzer.{analyzer}.type")).unwrap_or("custom");
        own.count(ANALYZER_TYPES, kind);
        for (part, _, built_in) in KINDS.iter().filter(|_| kind == "custom") {
            let defined = defined(part);
            let prefix = format!("analyzer.{analyzer}.{part}");
            let names = settings.iter().filter(|(key, _)| {
                key.strip_prefix(prefix.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            });
            let listed = names.flat_map(|(_, value)| value.trim_matches(['[', ']']).split(',').map(str::trim));
            let listed: Vec<&str> = listed.filter(|name| !name.is_empty() && !defined.contains(*name)).collect();
            listed.into_iter().for_each(|name| own.count(*built_in, name.trim_matches('"')));
        }
    }
    analyzers
}

/// Counts the analyzers that fields name and that the index does not define. As deep as mappings may be.
fn count_fields(mapping: &Value, analyzers: &BTreeSet<String>, own: &mut OfIndex) {
    for part in ["properties", "fields"] {
        let Some(fields) = mapping.get(part).and_then(Value::as_object) else { continue };
        for (_, field) in fields.iter() {
            for name in ["analyzer", "search_analyzer", "search_quote_analyzer"] {
                if let Some(analyzer) =
                    field.get(name).and_then(Value::as_str).filter(|name| !analyzers.contains(*name))
                {
                    own.count(BUILT_IN_ANALYZERS, analyzer);
                }
            }
            count_fields(field, analyzers, own);
        }
    }
}
