//! The bounds that a shard keeps during a search, from the settings of its index and of the cluster.

use crate::cluster::{IndexMeta, State};
use pith_engine::query::{QueryLimits, SearchLimits, SideBySide};
use std::cell::RefCell;
use std::str::FromStr;
use std::sync::Arc;

/// The limits that were asked for last: requests mostly come for the same index, and its settings rarely change.
#[derive(Default)]
pub struct KnownLimits(RefCell<Option<Known>>);

struct Known {
    state: Arc<State>,
    index: Arc<IndexMeta>,
    limits: SearchLimits,
}

impl KnownLimits {
    pub fn of(&self, state: &Arc<State>, index: &Arc<IndexMeta>) -> SearchLimits {
        if let Some(known) = &*self.0.borrow()
            && Arc::ptr_eq(&known.state, state)
            && Arc::ptr_eq(&known.index, index)
        {
            return known.limits;
        }
        let limits = limits(state, index);
        self.0.replace(Some(Known { state: state.clone(), index: index.clone(), limits }));
        limits
    }
}

/// With it query strings of any length are let through.
const LENGTH_ONLY_COUNTED: &str = "search.query.max_query_string_length_monitor_only";

/// Values that are not set, or that the table of settings would not have let through, are the defaults.
pub fn limits(state: &State, index: &IndexMeta) -> SearchLimits {
    fn of_index<T: FromStr>(index: &IndexMeta, key: &str, default: T) -> T {
        index.settings.text(key).and_then(|text| text.parse().ok()).unwrap_or(default)
    }
    let default = SearchLimits::default();
    let max_result_window = of_index(index, "index.max_result_window", default.max_result_window);
    SearchLimits {
        max_result_window,
        max_inner_result_window: of_index(index, "index.max_inner_result_window", default.max_inner_result_window),
        max_docvalue_fields: of_index(index, "index.max_docvalue_fields_search", default.max_docvalue_fields),
        max_rescore_window: of_index(index, "index.max_rescore_window", max_result_window),
        max_slices_per_scroll: of_index(index, "index.max_slices_per_scroll", default.max_slices_per_scroll),
        max_script_fields: of_index(index, "index.max_script_fields", default.max_script_fields),
        max_slices_per_pit: of_index(index, "index.max_slices_per_pit", default.max_slices_per_pit),
        max_analyzed_offset: of_index(index, "index.highlight.max_analyzed_offset", default.max_analyzed_offset),
        max_buckets: max_buckets(state),
        allow_derived: of_cluster(state, "search.derived_field.enabled", default.allow_derived)
            && of_index(index, "index.query.derived_field.enabled", default.allow_derived),
        side_by_side: side_by_side(state, index),
        query: QueryLimits {
            max_clause_count: of_cluster(state, "indices.query.bool.max_clause_count", default.query.max_clause_count),
            max_terms_count: of_index(index, "index.max_terms_count", default.query.max_terms_count),
            max_regex_length: of_index(index, "index.max_regex_length", default.query.max_regex_length),
            allow_leading_wildcard: of_cluster(
                state,
                "indices.query.query_string.allowLeadingWildcard",
                default.query.allow_leading_wildcard,
            ),
            allow_expensive: of_cluster(state, "search.allow_expensive_queries", default.query.allow_expensive),
            max_query_string_length: match of_cluster(state, LENGTH_ONLY_COUNTED, false) {
                true => usize::MAX,
                false => {
                    of_cluster(state, "search.query.max_query_string_length", default.query.max_query_string_length)
                }
            },
        },
    }
}

/// What the index says goes before what the cluster says.
fn side_by_side(state: &State, index: &IndexMeta) -> SideBySide {
    let said = index.settings.text("index.search.concurrent_segment_search.mode");
    let said = said.map(str::to_owned).or_else(|| state.cluster_setting("search.concurrent_segment_search.mode"));
    match said.as_deref() {
        Some("all") => SideBySide::Always,
        Some("none") => SideBySide::Never,
        _ => SideBySide::WhereItPays,
    }
}

/// `search.max_buckets`, which the reduce keeps as well.
pub fn max_buckets(state: &State) -> u64 {
    of_cluster(state, "search.max_buckets", SearchLimits::default().max_buckets)
}

fn of_cluster<T: FromStr>(state: &State, key: &str, default: T) -> T {
    state.cluster_setting(key).and_then(|text| text.parse().ok()).unwrap_or(default)
}
