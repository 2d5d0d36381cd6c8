//! Whether a shard can have a match at all, told from its mapping and the ranges of its dates alone, and between which values of
//! the first sort key its documents lie.

use super::check::check_after;
use super::request::SearchRequest;
use super::sort_parse::{FieldSort, Missing, Mode, SortBy};
use crate::error::{Error, ErrorKind, Result};
use crate::mapping::{Family, Indexed};
use crate::query::{Lookup, PlanContext, Query, ShardContext};

/// What a shard tells of itself before it is searched.
#[derive(Clone, Debug, PartialEq)]
pub struct CanMatch {
    /// False only if no document of the shard can match. The request's slice and post filter do not count. A query that cannot be
    /// built fails when the shard is searched, and says so then; where its documents lie is known all the same.
    pub matches: Result<bool>,
    /// Least and greatest value of the field that hits are sorted by first, where the index of the field tells.
    pub bounds: Option<SortBounds>,
    /// What is wrong with that sort, or with the query before it is built. Where it is so on all shards the search ends with it.
    pub fails: Option<Error>,
}

/// Bounds of a shard's values; only those of one kind can be compared.
#[derive(Clone, Debug, PartialEq)]
pub enum SortBounds {
    Whole(i64, i64),
    Double(f64, f64),
    Bytes(Vec<u8>, Vec<u8>),
    Int(i64, i64),
    Float(f64, f64),
}

pub fn can_match(request: &SearchRequest, cx: &ShardContext) -> CanMatch {
    if let Some(error) = failure(request, cx) {
        return CanMatch { matches: Ok(true), bounds: None, fails: Some(error) };
    }
    let matches = request.query.as_ref().map_or(Ok(true), |query| query_can_match(query, cx));
    CanMatch { matches, bounds: sort_bounds(request, cx), fails: None }
}

fn failure(request: &SearchRequest, cx: &ShardContext) -> Option<Error> {
    request.sort.first().filter(|sort| matches!(sort.by, SortBy::Field(_) | SortBy::Doc))?;
    // What is told of the shard's index comes up only when the query is built, which is not done here.
    if let Some(Err(error)) = request.query.as_ref().map(|query| query.check(&PlanContext::new(cx)))
        && error.kind() != ErrorKind::QueryShard
    {
        return Some(error);
    }
    // Other errors are none of the request's.
    let refused = |error: &Error| {
        matches!(
            error.kind(),
            ErrorKind::QueryShard | ErrorKind::IllegalArgument | ErrorKind::NumberFormat | ErrorKind::Script
        )
    };
    check_after(request, cx).err().filter(refused)
}

fn sort_bounds(request: &SearchRequest, cx: &ShardContext) -> Option<SortBounds> {
    let SortBy::Field(FieldSort { name, missing, mode, numeric_type, nested, .. }) = &request.sort.first()?.by else {
        return None;
    };
    let field = cx.mapping.field(name)?;
    // Nothing is known of values that are made for the sort.
    if nested.is_some() || !matches!(mode, None | Some(Mode::Min | Mode::Max)) {
        return None;
    }
    let columns = || cx.snapshot.segments.iter().filter_map(|view| view.segment.field(&field.name));
    if field.family() == Family::Keyword {
        if field.type_name != "keyword" || field.spec.indexed == Indexed::No || matches!(missing, Missing::Value(_)) {
            return None;
        }
        let terms = columns().filter_map(|field| field.ordinals()).filter(|column| column.num_ords() > 0);
        let (mut least, mut greatest) = (vec![], vec![]);
        for column in terms {
            least.push(column.term(0).into_owned());
            greatest.push(column.term(column.num_ords() - 1).into_owned());
        }
        return Some(SortBounds::Bytes(least.into_iter().min()?, greatest.into_iter().max()?));
    }
    // Those without a sign the reference does not compare, nor those that are not kept as they are sorted.
    let numbers = matches!(field.family(), Family::Integer | Family::Float | Family::Date);
    let made = matches!(field.type_name, "scaled_float" | "half_float");
    let own = numeric_type.is_none_or(|wanted| wanted.type_name() == field.type_name);
    if !numbers || field.spec.indexed != Indexed::Points || made || !own {
        return None;
    }
    let least = columns().filter_map(|field| field.numeric()?.min()).min()?;
    let greatest = columns().filter_map(|field| field.numeric()?.max()).max()?;
    Some(match field.family() {
        Family::Float if field.type_name == "float" => {
            SortBounds::Float(field.decode_number(least), field.decode_number(greatest))
        }
        Family::Float => SortBounds::Double(field.decode_number(least), field.decode_number(greatest)),
        Family::Integer if field.type_name != "long" => SortBounds::Int(least, greatest),
        _ => SortBounds::Whole(least, greatest),
    })
}

impl SortBounds {
    /// The order of two shards by what stands first on them; none if they cannot be compared.
    pub fn compare(&self, other: &Self, descending: bool) -> Option<std::cmp::Ordering> {
        let order = match (self, other) {
            (Self::Whole(a, b), Self::Whole(c, d)) | (Self::Int(a, b), Self::Int(c, d)) => {
                if descending {
                    d.cmp(b)
                } else {
                    a.cmp(c)
                }
            }
            (Self::Double(a, b), Self::Double(c, d)) | (Self::Float(a, b), Self::Float(c, d)) => {
                if descending {
                    d.total_cmp(b)
                } else {
                    a.total_cmp(c)
                }
            }
            (Self::Bytes(a, b), Self::Bytes(c, d)) => {
                if descending {
                    d.cmp(b)
                } else {
                    a.cmp(c)
                }
            }
            _ => return None,
        };
        Some(order)
    }
}

/// The same for a query by itself.
pub fn query_can_match(query: &Query, cx: &ShardContext) -> Result<bool> {
    let plan_cx = PlanContext::new(cx);
    // Documents that a query goes by are read for searches alone: without them there is nothing to make of it.
    if query.lookups().into_iter().all(Lookup::is_answered)
        && let Err(error) = query.plan(&plan_cx)
        // Of what cannot be read dates alone are looked at: ranges of them, for one, are not. What patterns come to is not looked up.
        && (error.kind() != ErrorKind::Parse || query.check(&plan_cx).is_err())
        && !error.is_of_rewriting()
    {
        return Err(error);
    }
    Ok(query.can_match(&plan_cx))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::tests::shard;

    #[test]
    fn bounds_of_what_is_sorted_as_it_is() {
        let mapping = r#"{"properties":{"f":{"type":"float"},"h":{"type":"half_float"},"k":{"type":"keyword"},
            "l":{"type":"long"}}}"#;
        let cx = shard(mapping, &[&[r#"{"f":[1.5,2.5],"h":1,"k":"a","l":3}"#]]);
        let has_bounds = |sort: &str| {
            let body = format!(r#"{{"sort":[{sort}]}}"#);
            let request = SearchRequest::parse(Some(body.as_bytes()), &[]).unwrap();
            sort_bounds(&request, &cx).is_some()
        };
        for sort in [r#""f""#, r#"{"f":{"mode":"max"}}"#, r#""k""#, r#"{"l":{"numeric_type":"long"}}"#] {
            assert!(has_bounds(sort), "{sort}");
        }
        for sort in
            [r#"{"f":{"mode":"avg"}}"#, r#""h""#, r#"{"k":{"missing":"m"}}"#, r#"{"l":{"numeric_type":"double"}}"#]
        {
            assert!(!has_bounds(sort), "{sort}");
        }
    }

    #[test]
    fn bounds_are_told_of_shards_that_cannot_build_the_query() {
        let cx = shard(r#"{"properties":{"l":{"type":"long"},"t":{"type":"text"}}}"#, &[&[r#"{"l":3}"#]]);
        let body = r#"{"query":{"match":{"t":{"query":"a","analyzer":"nothing"}}},"sort":["l"]}"#;
        let told = can_match(&SearchRequest::parse(Some(body.as_bytes()), &[]).unwrap(), &cx);
        assert_eq!((told.matches.is_err(), told.bounds, told.fails), (true, Some(SortBounds::Whole(3, 3)), None));
    }

    #[test]
    fn dates_alone_are_read_beforehand() {
        let mapping = r#"{"properties":{"d":{"type":"date"},"r":{"type":"date_range","format":"yyyy-MM-dd"}}}"#;
        let cx = shard(mapping, &[&[r#"{"d":"2020-01-01"}"#]]);
        let matches = |field: &str| {
            let body = format!(r#"{{"query":{{"range":{{"{field}":{{"lte":"2021-08-27T19-"}}}}}}}}"#);
            can_match(&SearchRequest::parse(Some(body.as_bytes()), &[]).unwrap(), &cx).matches
        };
        assert!(matches("d").is_err() && matches("r").unwrap());
    }

    #[test]
    fn what_other_documents_say_may_match_before_they_are_read() {
        let cx = shard(r#"{"properties":{"k":{"type":"keyword"}}}"#, &[&[r#"{"k":"a"}"#]]);
        let matches = |beside: &str| {
            let terms = r#"{"terms":{"k":{"index":"i","id":"1","path":"k"}}}"#;
            let body = format!(r#"{{"query":{{"bool":{{"filter":[{terms},{beside}]}}}}}}"#);
            can_match(&SearchRequest::parse(Some(body.as_bytes()), &[]).unwrap(), &cx).matches.unwrap()
        };
        assert!(matches(r#"{"match_all":{}}"#) && !matches(r#"{"match_none":{}}"#));
    }

    #[test]
    fn keys_behind_the_order_of_documents_are_looked_at() {
        let cx = shard(r#"{"properties":{"t":{"type":"text"}}}"#, &[&[r#"{"t":"a"}"#]]);
        let body = br#"{"query":{"query_string":{"query":"\""}},"sort":["_doc","none"]}"#;
        let told = can_match(&SearchRequest::parse(Some(body), &[]).unwrap(), &cx);
        assert_eq!(told.fails.unwrap().reason(), "No mapping found for [none] in order to sort on");
    }

    #[test]
    fn ranges_are_held_against_values_and_terms_are_not() {
        let cx = shard(r#"{"properties":{"d":{"type":"date"}}}"#, &[&[r#"{"d":"2020-01-01"}"#]]);
        let matches = |query: &str| {
            let body = format!(r#"{{"query":{query},"sort":["d"]}}"#);
            can_match(&SearchRequest::parse(Some(body.as_bytes()), &[]).unwrap(), &cx).matches.unwrap()
        };
        assert!(!matches(r#"{"range":{"d":{"gte":"2021-01-01"}}}"#));
        assert!(matches(r#"{"term":{"d":"2021-01-01"}}"#));
        assert!(!matches(r#"{"term":{"none":"x"}}"#));
    }

    #[test]
    fn sorts_are_refused_before_queries_are_built() {
        let cx = shard(r#"{"properties":{"d":{"type":"date"}}}"#, &[&[r#"{"d":"2020-01-01"}"#]]);
        let told = |query: &str| {
            let body = format!(r#"{{"query":{query},"sort":["none"]}}"#);
            let request = SearchRequest::parse(Some(body.as_bytes()), &[]).unwrap();
            can_match(&request, &cx).fails.unwrap().reason().to_owned()
        };
        let unmapped = "No mapping found for [none] in order to sort on";
        assert_eq!(told(r#"{"geo_distance":{"distance":"1km","none":{"lat":1,"lon":10}}}"#), unmapped);
        assert!(told(r#"{"range":{"d":{"gte":"x"}}}"#).starts_with("failed to parse date field [x]"));
    }
}
