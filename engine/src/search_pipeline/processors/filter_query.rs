//! `filter_query`: only hits that match a query as well.

use super::super::run::Attributes;
use super::super::step::RequestProcessor;
use crate::error::{Error, Result};
use crate::ingest::{Config, Scripts};
use crate::json::{Map, Value};
use crate::query::{self, Bool, Common, Query};
use crate::search::SearchRequest;

struct FilterQuery {
    query: Query,
    shown: Value,
}

pub fn build(config: &mut Config, _: &dyn Scripts) -> Result<Box<dyn RequestProcessor>> {
    let Some(map) = config.object_opt("query")? else {
        return Err(Error::illegal_argument("Did not specify the query property in processor of type filter_query"));
    };
    let shown = Value::Object(map);
    // Positions in errors are those of the query by itself.
    let bytes = shown.to_bytes();
    let query = query::parse(&crate::json::parse(&bytes)?, &bytes)?;
    Ok(Box::new(FilterQuery { query, shown }))
}

impl RequestProcessor for FilterQuery {
    fn change(&self, request: &mut SearchRequest, _: &mut Attributes, _: i64) -> Result<()> {
        let given = request.query.take();
        let filtered = Bool { must: given.into_iter().collect(), filter: vec![self.query.clone()], ..Bool::default() };
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
