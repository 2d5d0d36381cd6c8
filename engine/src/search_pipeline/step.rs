//! Steps of a pipeline: what every processor has, and the tables of kinds.

use super::hits::{Answered, Hit, Pass};
use super::processors;
use super::run::Attributes;
use crate::error::Result;
use crate::ingest::allowed::{Group, is_allowed};
use crate::ingest::{Config, Scripts, Stats};
use crate::search::SearchRequest;

/// Changes a request.
pub(super) trait RequestProcessor: Send + Sync {
    fn change(&self, request: &mut SearchRequest, attributes: &mut Attributes, now_ms: i64) -> Result<()>;
}

/// Changes the hits of an answer, one after the other.
pub(super) trait ResponseProcessor: Send + Sync {
    /// What it means to do with the hits of an answer.
    fn begin(&self, _: &Answered, _: &Attributes) -> Result<Pass> {
        Ok(Pass::default())
    }

    /// Whether the hit stays. Only hits within the bounds of the pass come here.
    fn visit(&self, _: &mut Hit, _: &mut Pass) -> Result<bool> {
        Ok(true)
    }
}

/// A processor with its options.
pub(super) struct Step<P: ?Sized> {
    pub kind: &'static str,
    pub tag: Option<String>,
    pub ignore_failure: bool,
    pub work: Box<P>,
    pub stats: Stats,
}

impl<P: ?Sized> Step<P> {
    /// What statistics and errors call the step.
    pub fn name(&self) -> String {
        match &self.tag {
            Some(tag) => format!("{}:{tag}", self.kind),
            None => self.kind.to_owned(),
        }
    }
}

/// One kind of processor: its name, and what reads its settings.
pub(super) struct Kind<P: ?Sized> {
    pub name: &'static str,
    pub build: fn(&mut Config, &dyn Scripts) -> Result<Box<P>>,
}

macro_rules! kinds {
    ($($name:literal $build:path;)*) => { &[$(Kind { name: $name, build: $build },)*] };
}

/// Kinds that work on requests, by name.
pub(super) const REQUEST_KINDS: &[Kind<dyn RequestProcessor>] = kinds! {
    "acl_routing_search" processors::routing::build_acl;
    "filter_query" processors::filter_query::build;
    "hierarchical_routing_search" processors::routing::build_hierarchical;
    "oversample" processors::oversample::build;
    "script" processors::script::build;
    "temporal_routing_search" processors::routing::build_temporal;
};

/// Kinds that work on answers, by name.
pub(super) const RESPONSE_KINDS: &[Kind<dyn ResponseProcessor>] = kinds! {
    "collapse" processors::collapse::build;
    "rename_field" processors::rename_field::build;
    "sort" processors::sort::build;
    "split" processors::split::build;
    "truncate_hits" processors::truncate_hits::build;
};

/// The names of the kinds that work on requests.
pub fn request_kinds() -> impl Iterator<Item = &'static str> {
    REQUEST_KINDS.iter().map(|kind| kind.name).filter(|kind| is_allowed(Group::SearchRequests, kind))
}

/// The names of the kinds that work on answers.
pub fn response_kinds() -> impl Iterator<Item = &'static str> {
    RESPONSE_KINDS.iter().map(|kind| kind.name).filter(|kind| is_allowed(Group::SearchResponses, kind))
}
