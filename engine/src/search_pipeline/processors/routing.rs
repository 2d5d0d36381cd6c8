//! What a query says of the fields that documents are routed by: `acl_routing_search`, `hierarchical_routing_search` and
//! `temporal_routing_search` choose the shards that the ingest processors of these names put documents on.

use super::super::run::Attributes;
use super::super::step::RequestProcessor;
use crate::error::Result;
use crate::ingest::{Config, Granularity, Scripts, acl_routing_value, path_anchor, routing_number};
use crate::mapping::date::{DateFormat, Zone};
use crate::query::{Query, Sought, SoughtValues};
use crate::search::SearchRequest;
use std::collections::BTreeSet;

/// Buckets of time that a search asks for at most.
const BUCKETS_MAX: usize = 100;

struct Acl {
    field: String,
    from_query: bool,
}

pub fn build_acl(config: &mut Config, _: &dyn Scripts) -> Result<Box<dyn RequestProcessor>> {
    Ok(Box::new(Acl { field: config.text("acl_field")?, from_query: config.flag("extract_from_query", true)? }))
}

impl RequestProcessor for Acl {
    fn change(&self, request: &mut SearchRequest, _: &mut Attributes, _: i64) -> Result<()> {
        let mut found = BTreeSet::new();
        // Wherever a value stands, in what must not match too, as in the reference.
        let query = request.query.as_ref().filter(|_| self.from_query);
        visit(query, |query| query.kind.children(), &mut |sought| {
            if let (true, SoughtValues::Terms(values)) = (sought.field == self.field, sought.values) {
                found.extend(values.iter().map(|value| acl_routing_value(value)));
            }
        });
        route(request, found);
        Ok(())
    }
}

struct Hierarchical {
    field: String,
    depth: usize,
    separator: String,
}

pub fn build_hierarchical(config: &mut Config, _: &dyn Scripts) -> Result<Box<dyn RequestProcessor>> {
    let field = config.text("path_field")?;
    let depth = config.int_opt("anchor_depth")?.unwrap_or(2);
    let separator = config.text_or("path_separator", "/")?;
    passed_over(config)?;
    let Some(depth) = usize::try_from(depth).ok().filter(|depth| *depth > 0) else {
        return Err(config.property("anchor_depth", "must be greater than 0"));
    };
    if separator.is_empty() {
        return Err(config.property("path_separator", "cannot be null or empty"));
    }
    Ok(Box::new(Hierarchical { field, depth, separator }))
}

/// Whether paths and times are looked for by themselves: the reference reads it, and looks for them all the same.
fn passed_over(config: &mut Config) -> Result<()> {
    config.flag("enable_auto_detection", true).map(drop)
}

impl RequestProcessor for Hierarchical {
    fn change(&self, request: &mut SearchRequest, _: &mut Attributes, _: i64) -> Result<()> {
        if request.pipeline.routing.is_some() {
            return Ok(());
        }
        let mut paths = vec![];
        visit(request.query.as_ref(), required, &mut |sought| {
            if sought.field == self.field {
                match sought.values {
                    SoughtValues::Terms(values) => paths.extend(values),
                    SoughtValues::Prefix(text) => paths.push(text),
                    SoughtValues::Wildcard(text) => {
                        paths.push(text.split(['*', '?']).next().unwrap_or_default().to_owned());
                    }
                    SoughtValues::Range(..) | SoughtValues::Other => {}
                }
            }
        });
        let paths = paths.iter().map(|path| path.trim()).filter(|path| !path.is_empty());
        let found = paths.map(|path| routing_number(&path_anchor(path, &self.separator, self.depth))).collect();
        route(request, found);
        Ok(())
    }
}

struct Temporal {
    field: String,
    granularity: Granularity,
    format: DateFormat,
    hash_bucket: bool,
}

pub fn build_temporal(config: &mut Config, _: &dyn Scripts) -> Result<Box<dyn RequestProcessor>> {
    let field = config.text("timestamp_field")?;
    let granularity = Granularity::read(config)?;
    let format = config.text_or("format", "strict_date_optional_time")?;
    let format = DateFormat::parse(&format)
        .map_err(|error| config.property("format", &format!("invalid date format: {}", error.reason())))?;
    passed_over(config)?;
    Ok(Box::new(Temporal { field, granularity, format, hash_bucket: config.flag("hash_bucket", false)? }))
}

impl RequestProcessor for Temporal {
    fn change(&self, request: &mut SearchRequest, _: &mut Attributes, _: i64) -> Result<()> {
        if request.pipeline.routing.is_some() {
            return Ok(());
        }
        let mut found = BTreeSet::new();
        visit(request.query.as_ref(), required, &mut |sought| {
            if let (true, SoughtValues::Range(from, to)) = (sought.field == self.field, sought.values) {
                found.extend(self.buckets(from.as_deref(), to.as_deref()).unwrap_or_default());
            }
        });
        route(request, found);
        Ok(())
    }
}

impl Temporal {
    /// The buckets from one bound to the other; `None` where a bound cannot be read.
    fn buckets(&self, from: Option<&str>, to: Option<&str>) -> Option<Vec<String>> {
        let moment = |text: &str| self.format.parse_millis(text, false, &Zone::Utc).ok();
        let (from, to) = match (from, to) {
            (Some(from), Some(to)) => (moment(from)?, moment(to)?),
            (Some(only), None) | (None, Some(only)) => (moment(only)?, moment(only)?),
            (None, None) => return None,
        };
        if from > to {
            return None;
        }
        let buckets = self.granularity.buckets(from, to, BUCKETS_MAX);
        Some(match self.hash_bucket {
            true => buckets.iter().map(|bucket| routing_number(bucket)).collect(),
            false => buckets,
        })
    }
}

/// The queries within one that whatever it finds has to match.
fn required(query: &Query) -> Vec<&Query> {
    query.kind.required()
}

fn visit(query: Option<&Query>, within: fn(&Query) -> Vec<&Query>, see: &mut dyn FnMut(Sought)) {
    let Some(query) = query else { return };
    if let Some(sought) = query.kind.sought() {
        see(sought);
    }
    within(query).into_iter().for_each(|inner| visit(Some(inner), within, see));
}

fn route(request: &mut SearchRequest, found: BTreeSet<String>) {
    if !found.is_empty() {
        request.pipeline.routing = Some(found.into_iter().collect::<Vec<_>>().join(","));
    }
}
