//! `filter_query`: only hits that match a query as well.

use super::super::run::Attributes;
use super::super::step::RequestProcessor;
use crate::error::{Error, Result};
use crate::ingest::{Config, Scripts};
use crate::json::{Map, Value};
use crate::query::{self, Bool, Common, Query};
use crate::search::SearchRequest;

/// The query as it was given: each search reads it anew, since documents that it names are looked up for that search.
struct FilterQuery {
    shown: Value,
    bytes: Vec<u8>,
}

impl FilterQuery {
    fn query(&self) -> Result<Query> {
        query::parse(&self.shown, &self.bytes)
    }
}

pub fn build(config: &mut Config, _: &dyn Scripts) -> Result<Box<dyn RequestProcessor>> {
    let Some(map) = config.object_opt("query")? else {
        return Err(Error::illegal_argument("Did not specify the query property in processor of type filter_query"));
    };
    // Positions in errors are those of the query by itself.
    let bytes = Value::Object(map).to_bytes();
    let filter = FilterQuery { shown: crate::json::parse(&bytes)?, bytes };
    filter.query()?;
    Ok(Box::new(filter))
}

impl RequestProcessor for FilterQuery {
    fn change(&self, request: &mut SearchRequest, _: &mut Attributes, _: i64) -> Result<()> {
        let given = request.query.take();
        let filtered = Bool { must: given.into_iter().collect(), filter: vec![self.query()?], ..Bool::default() };
        request.query = Some(Query::new(Common::default(), filtered));
        request.show("query", |before| {
            let mut clauses = Map::new();
            if let Some(before) = before {
                clauses.insert("must", Value::Array(vec![before]));
            }
            clauses.insert("filter", Value::Array(vec![self.shown.clone()]));
            clauses.insert("adjust_pure_negative", true);
            clauses.insert("boost", 1.0);
            Value::Object(Map::from_iter([("bool", Value::Object(clauses))]))
        });
        Ok(())
    }
}
