//! What searches and queries are evaluated for: the mapping and the snapshot of one shard, and limits.

use super::derived;
use crate::error::{Error, ErrorKind, Result};
use crate::mapping::{DateContext, Derived, DerivedFields, Family, Field, Mapping};
use crate::profile::Clock;
use crate::score::WeightContext;
use crate::search::SearchRequest;
use crate::segment::Snapshot;
use elsa::FrozenVec;
use std::cell::OnceCell;
use std::sync::Arc;

/// Bounds of what one query may grow to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueryLimits {
    /// `indices.query.bool.max_clause_count`.
    pub max_clause_count: usize,
    /// `index.max_terms_count`.
    pub max_terms_count: usize,
    /// `index.max_regex_length`.
    pub max_regex_length: usize,
    /// `indices.query.query_string.allowLeadingWildcard`.
    pub allow_leading_wildcard: bool,
    /// `search.allow_expensive_queries`.
    pub allow_expensive: bool,
    /// `search.query.max_query_string_length`, in characters of UTF-16.
    pub max_query_string_length: usize,
}

impl Default for QueryLimits {
    fn default() -> Self {
        Self {
            max_clause_count: 1024,
            max_terms_count: 65_536,
            max_regex_length: 1000,
            allow_leading_wildcard: true,
            allow_expensive: true,
            max_query_string_length: 32_000,
        }
    }
}

/// Bounds of one search on one shard, from the index's and the cluster's settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchLimits {
    /// `index.max_result_window`.
    pub max_result_window: usize,
    /// `index.max_inner_result_window`.
    pub max_inner_result_window: usize,
    /// `index.max_docvalue_fields_search`.
    pub max_docvalue_fields: usize,
    /// `index.max_rescore_window`.
    pub max_rescore_window: usize,
    /// `index.max_slices_per_scroll`.
    pub max_slices_per_scroll: u32,
    /// `index.max_script_fields`.
    pub max_script_fields: usize,
    /// `index.max_slices_per_pit`.
    pub max_slices_per_pit: u32,
    /// `index.highlight.max_analyzed_offset`.
    pub max_analyzed_offset: usize,
    /// `search.max_buckets`.
    pub max_buckets: u64,
    /// `search.derived_field.enabled` and `index.query.derived_field.enabled`: whether searches may bring derived fields along.
    pub allow_derived: bool,
    /// `search.concurrent_segment_search.mode`, and that of the index: what profiles are shown by.
    pub side_by_side: SideBySide,
    pub query: QueryLimits,
}

/// When segments are searched side by side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum SideBySide {
    Always,
    Never,
    /// Where aggregations or the query gain by it.
    #[default]
    WhereItPays,
}

impl Default for SearchLimits {
    fn default() -> Self {
        Self {
            max_result_window: 10_000,
            max_inner_result_window: 100,
            max_docvalue_fields: 100,
            max_rescore_window: 10_000,
            max_slices_per_scroll: 1024,
            max_script_fields: 32,
            max_slices_per_pit: 1024,
            max_analyzed_offset: 1_000_000,
            max_buckets: 65_535,
            allow_derived: true,
            side_by_side: SideBySide::default(),
            query: QueryLimits::default(),
        }
    }
}

/// One shard as a search sees it: a point in time of its documents, its mapping, and who it is. Cheap to clone.
#[derive(Clone)]
pub struct ShardContext {
    pub index: Arc<str>,
    pub index_uuid: Arc<str>,
    pub shard: u32,
    /// The id of the node that holds it, which explanations name.
    pub node_id: Arc<str>,
    pub mapping: Arc<Mapping>,
    pub snapshot: Arc<Snapshot>,
    /// What `now` stands for: the same on all shards of a request.
    pub now_ms: i64,
    pub limits: SearchLimits,
    /// The clock by which is written down where the time goes, if that is asked for.
    pub profile: Option<Clock>,
    /// The search that aggregations are of: they go by its scores, and their hits show the names of its queries.
    pub search: Option<Arc<SearchRequest>>,
    /// Whether aggregations see all documents, whatever the query is: these score alike then.
    pub sees_all: bool,
}

impl ShardContext {
    /// What weights are bound to here.
    pub fn weighing(&self) -> WeightContext<'_> {
        let uncached = self.profile.is_some();
        WeightContext { uncached, ..WeightContext::new(&self.snapshot, self.mapping.similarities()) }
    }

    /// A derived field, or what stands below a derived object.
    pub fn derived_field(&self, name: &str) -> Option<Arc<Derived>> {
        match self.mapping.field(name) {
            Some(field) => field.derived.clone(),
            None => derived::sub_field(name, &self.mapping, &self.snapshot, self.now_ms)?.derived,
        }
    }

    /// What stands below a derived object, as a field.
    pub fn below_derived(&self, name: &str) -> Option<Field> {
        derived::sub_field(name, &self.mapping, &self.snapshot, self.now_ms)
    }

    /// The shard for a search that brings derived fields along.
    pub fn with_derived(self, fields: &DerivedFields) -> Result<Self> {
        if fields.is_empty() {
            return Ok(self);
        }
        let refuse = |settings: &str| {
            let reason = format!("[derived field] queries cannot be executed when {settings} is set to false.");
            Err(Error::new(ErrorKind::General, reason))
        };
        if !self.limits.allow_derived {
            return refuse("'index.query.derived_field.enabled' or 'search.derived_field.enabled'");
        }
        if !self.limits.query.allow_expensive {
            return refuse("'search.allow_expensive_queries'");
        }
        Ok(Self { mapping: Arc::new(self.mapping.with_derived(fields)?), ..self })
    }
}

/// What a query is planned for.
pub struct PlanContext<'a> {
    pub index: &'a Arc<str>,
    pub index_uuid: &'a Arc<str>,
    pub shard: u32,
    pub mapping: &'a Arc<Mapping>,
    pub snapshot: &'a Arc<Snapshot>,
    pub dates: DateContext,
    pub limits: QueryLimits,
    /// The nested object whose documents are looked for; none where root documents are.
    pub nested_path: Option<&'a str>,
    /// Whether the query is only told of, not looked for.
    pub described: bool,
    /// Whether patterns stay what they are, so that it does not matter how many terms they come to.
    pub unexpanded: bool,
    /// Where the first field is kept that a query names and the mapping does not have, if that matters.
    unmapped: Option<&'a OnceCell<String>>,
    /// Fields that only their parents' types know of, made when a query names them.
    made: FrozenVec<Box<Field>>,
}

impl<'a> PlanContext<'a> {
    pub fn new(cx: &'a ShardContext) -> Self {
        Self {
            index: &cx.index,
            index_uuid: &cx.index_uuid,
            shard: cx.shard,
            mapping: &cx.mapping,
            snapshot: &cx.snapshot,
            dates: DateContext { now_ms: cx.now_ms },
            limits: cx.limits.query,
            nested_path: None,
            described: false,
            unexpanded: false,
            unmapped: None,
            made: FrozenVec::new(),
        }
    }

    /// The same where patterns stay what they are.
    pub fn unexpanded(cx: &'a ShardContext) -> Self {
        Self { unexpanded: true, ..Self::new(cx) }
    }

    /// The same for the documents nested under `path`.
    pub fn within<'b>(&'b self, path: &'b str) -> PlanContext<'b> {
        PlanContext { nested_path: Some(path), ..self.again() }
    }

    /// The same for a plan in which patterns stay what they are.
    pub fn as_written(&self) -> PlanContext<'_> {
        PlanContext { unexpanded: true, ..self.again() }
    }

    fn again(&self) -> PlanContext<'_> {
        PlanContext {
            index: self.index,
            index_uuid: self.index_uuid,
            shard: self.shard,
            mapping: self.mapping,
            snapshot: self.snapshot,
            dates: self.dates,
            limits: self.limits,
            nested_path: self.nested_path,
            described: self.described,
            unexpanded: self.unexpanded,
            unmapped: self.unmapped,
            made: FrozenVec::new(),
        }
    }

    pub fn field(&self, name: &str) -> Option<&Field> {
        if let Some(field) = self.mapping.field(name) {
            return Some(field);
        }
        if let Some(made) = (0..self.made.len()).filter_map(|at| self.made.get(at)).find(|field| *field.name == *name) {
            return Some(made);
        }
        // One feature of many is a field to its own query alone.
        let field = self.mapping.sub_field(name).filter(|field| field.family() != Family::Feature);
        let field = field.or_else(|| derived::sub_field(name, self.mapping, self.snapshot, self.dates.now_ms));
        if let (None, Some(unmapped)) = (&field, self.unmapped) {
            unmapped.get_or_init(|| name.to_owned());
        }
        field.map(|field| self.made.push_get(Box::new(field)))
    }

    /// The field of a feature: one of its own, or one of those of another field.
    pub fn feature(&self, name: &str) -> Option<&Field> {
        let one_of_many = || self.mapping.sub_field(name).filter(|field| field.family() == Family::Feature);
        match self.mapping.field(name) {
            Some(field) => Some(field),
            None => one_of_many().map(|field| self.made.push_get(Box::new(field))).or_else(|| self.field(name)),
        }
    }

    /// The same, telling `unmapped` the first field that the mapping does not have.
    pub fn telling_unmapped(self, unmapped: &'a OnceCell<String>) -> Self {
        Self { unmapped: Some(unmapped), ..self }
    }

    /// Refuses queries of a kind that has to look at too much, where the cluster does not allow them.
    pub fn check_expensive(&self, queries: &str, hint: &str) -> Result<()> {
        if self.limits.allow_expensive {
            return Ok(());
        }
        let reason =
            format!("{queries} cannot be executed when 'search.allow_expensive_queries' is set to false.{hint}");
        Err(Error::new(ErrorKind::General, reason))
    }

    /// The same error with the index, of which types of fields know nothing where they refuse a query.
    pub fn of_index(&self, error: Error) -> Error {
        let unsaid = error.kind() == ErrorKind::QueryShard && error.field("index").is_none() && error.cause().is_none();
        if unsaid { self.error(error.reason()) } else { error }
    }

    /// A `query_shard_exception` of this index.
    pub fn error(&self, reason: impl Into<String>) -> Error {
        Error::new(ErrorKind::QueryShard, reason).with("index", &**self.index).with("index_uuid", &**self.index_uuid)
    }
}
