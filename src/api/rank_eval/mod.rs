//! Judging searches by documents whose relevance is known: `_rank_eval`.

mod metric;

use super::document::BODY_PARAMS;
use super::index_options::INDEX_PARAMS;
use super::search::{globally, offload_noting, scope};
use super::search_template::TemplateRequest;
use super::trace::traced;
use super::{ApiRequest, Method, Reply, Route};
use crate::cluster::State;
use crate::coordinate::Core;
use crate::coordinate::search::{SearchOptions, search_piped_parts};
use metric::{Metric, Rated};
use pith_engine::join::for_each_of;
use pith_engine::json::{Map, Value, Writer, parse};
use pith_engine::query::declared::{
    ARRAY, Declared, NUMERIC, OBJECT, STRING, STRINGS, check_given, texts, unbuildable,
};
use pith_engine::query::{Node, Source, script_of};
use pith_engine::search::SearchRequest;
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

const fn route(method: Method, path: &'static str) -> Route {
    Route {
        method,
        path,
        name: "rank_eval",
        params: &[INDEX_PARAMS, BODY_PARAMS, &["search_type"]],
        handler: |core, request| Box::pin(run(core, request)),
    }
}

pub const ROUTES: &[Route] = &[
    route(Method::Get, "/_rank_eval"),
    route(Method::Post, "/_rank_eval"),
    route(Method::Get, "/{index}/_rank_eval"),
    route(Method::Post, "/{index}/_rank_eval"),
];

/// Searches that run at the same time, unless the request says otherwise.
const CONCURRENT_DEFAULT: usize = 5;

/// What is to be judged, and how.
struct Evaluation {
    templates: Templates,
    requests: Vec<RatedRequest>,
    metric: Metric,
    concurrent: usize,
}

/// A search with the documents that it should find.
struct RatedRequest {
    id: String,
    search: Option<SearchRequest>,
    template: Option<String>,
    params: Map,
    summary_fields: Vec<String>,
    ratings: Vec<Rating>,
}

struct Rating {
    index: String,
    id: String,
    rating: i32,
}

const EVALUATION: Declared = Declared {
    name: "rank_eval",
    fields: &[
        ("templates", OBJECT | ARRAY),
        ("requests", OBJECT | ARRAY),
        ("metric", OBJECT),
        ("max_concurrent_searches", NUMERIC),
    ],
};
const TEMPLATE: Declared = Declared { name: "script_with_id", fields: &[("id", STRING), ("template", OBJECT)] };
const RATED_REQUEST: Declared = Declared {
    name: "request",
    fields: &[
        ("id", STRING),
        ("ratings", OBJECT | ARRAY),
        ("request", OBJECT),
        ("params", OBJECT),
        ("summary_fields", STRINGS),
        ("template_id", STRING),
    ],
};
const RATING: Declared =
    Declared { name: "rated_document", fields: &[("_index", STRING), ("_id", STRING), ("rating", NUMERIC)] };

async fn run(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let global_statistics = globally(request.param("search_type"))?;
    let body = request.body_or_source()?;
    let (scope, state) = (scope(&request), core.state());
    // What a short template makes can be long, as can what is written of the hits of many searches.
    let (evaluation, scope, searches) = offload_noting(move || {
        let (scope, evaluation) = (scope?, Evaluation::parse(&body)?);
        let searches = evaluation.requests.iter().map(|rated| evaluation.search(rated, &state));
        let searches = searches.collect::<Result<Vec<_>>>()?;
        Ok((evaluation, scope, searches))
    })
    .await?;
    let answers: Vec<RefCell<Option<Result<Hits>>>> = searches.iter().map(|_| RefCell::new(None)).collect();
    let options = SearchOptions { global_statistics, ..SearchOptions::default() };
    for_each_of(searches.len(), evaluation.concurrent, async |at| {
        let answer = search_piped_parts(&core, &searches[at], &scope, &options).await;
        answers[at].replace(Some(answer.map(|answer| answer.hits)));
        rt::yield_if_needed().await;
    })
    .await;
    let error_trace = request.common.error_trace;
    offload_noting(move || {
        drop(searches);
        let answers = answers.into_iter().map(|answer| answer.into_inner().unwrap_or_else(|| Ok(vec![])));
        evaluation.write(answers, error_trace)
    })
    .await
}

/// Templates by the names that requests call them by.
type Templates = Vec<(String, Value)>;

/// The objects of the hits of a search, best first.
type Hits = Vec<Vec<u8>>;

impl Evaluation {
    fn parse(body: &[u8]) -> Result<Self> {
        let value = parse(body)?;
        let source = Source::new(body);
        let root = Node::root(&value, &source);
        let (mut templates, mut metric, mut concurrent) = (None, None, CONCURRENT_DEFAULT);
        let mut requests: Option<Vec<RatedRequest>> = None;
        for field in root.fields() {
            match field.key {
                "templates" => {
                    EVALUATION.read(&field, |node| {
                        let read = TEMPLATE.objects(node)?.into_iter().map(template);
                        templates = Some(read.collect::<Result<_>>()?);
                        complete(&requests, &metric, &templates).map_err(|error| error.at(node.last_pos()))
                    })?;
                }
                "requests" => EVALUATION.read(&field, |node| {
                    let rated = RATED_REQUEST.objects(node)?.into_iter().map(RatedRequest::parse);
                    requests = Some(rated.collect::<Result<_>>()?);
                    complete(&requests, &metric, &templates).map_err(|error| error.at(node.last_pos()))
                })?,
                "metric" => EVALUATION.read(&field, |node| {
                    metric = Some(Metric::parse_only(node)?);
                    complete(&requests, &metric, &templates).map_err(|error| error.at(node.last_pos()))
                })?,
                "max_concurrent_searches" => match EVALUATION.read(&field, |node| node.i32())? {
                    number if number > 0 => concurrent = number.unsigned_abs() as usize,
                    _ => return Err(Error::illegal_argument("maxConcurrentSearches must be positive")),
                },
                _ => EVALUATION.check(&field)?,
            }
        }
        buildable(&requests, &metric)?;
        let templates = templates.unwrap_or_default();
        match (requests, metric) {
            (Some(requests), Some(metric)) => Ok(Self { templates, requests, metric, concurrent }),
            (None, None) => Err(Error::illegal_argument("Required [requests, metric]")),
            (None, _) => Err(Error::illegal_argument("Required [requests]")),
            (_, None) => Err(Error::illegal_argument("Required [metric]")),
        }
    }

    /// The search of a rated request: as many hits as the metric looks at, and of their sources what is asked for.
    fn search(&self, rated: &RatedRequest, state: &State) -> Result<Arc<SearchRequest>> {
        let mut search = match (&rated.search, &rated.template) {
            (Some(search), _) => search.clone(),
            (None, Some(template)) => SearchRequest::parse(Some(&self.rendered(rated, template, state)?), &[])?,
            (None, None) => return Err(without_search()),
        };
        check(&search)?;
        let shown = match rated.summary_fields.is_empty() {
            true => Value::Bool(false),
            false => Value::Array(rated.summary_fields.iter().map(|name| Value::from(name.as_str())).collect()),
        };
        let mut override_source = Map::new();
        override_source.insert("_source", shown);
        let text = Value::Object(override_source).to_bytes();
        search.source = SearchRequest::parse(Some(&text), &[])?.source;
        search.size = self.metric.window()?;
        Ok(Arc::new(search))
    }

    fn rendered(&self, rated: &RatedRequest, name: &str, state: &State) -> Result<Vec<u8>> {
        let Some((_, template)) = self.templates.iter().find(|(id, _)| id == name) else {
            let reason = format!(
                "Cannot evaluate ranking if neither template nor evaluation request is provided. Seen for request id: {}",
                rated.id
            );
            return Err(Error::new(ErrorKind::IllegalState, reason));
        };
        let mut map = Map::new();
        for key in ["source", "inline", "id"] {
            if let Some(value) = template.get(key) {
                map.insert(if key == "inline" { "source" } else { key }, value.clone());
            }
        }
        map.insert("params", Value::Object(rated.params.clone()));
        let template = TemplateRequest::parse(&Value::Object(map).to_bytes())?;
        template.validate()?;
        let search = template.render(state)?.into_bytes();
        match search.trim_ascii_start().first() {
            Some(b'{') => Ok(search),
            _ => Err(Error::not_x_content()),
        }
    }

    fn write(&self, answers: impl Iterator<Item = Result<Hits>>, error_trace: bool) -> Result<Reply> {
        let (mut details, mut failures, mut scores) = (Writer::new(), Writer::new(), vec![]);
        details.begin_object();
        failures.begin_object();
        for (rated, answer) in self.requests.iter().zip(answers) {
            match answer {
                Ok(answer) => {
                    let hits = rated.hits(answer)?;
                    let judged = self.metric.judge(&hits, &rated.all_ratings());
                    scores.push(judged.score);
                    details.key(&rated.id).begin_object().key("metric_score").f64(judged.score);
                    details.key("unrated_docs").begin_array();
                    for hit in hits.iter().filter(|hit| hit.rating.is_none()) {
                        details.begin_object().key("_index").string(&hit.index);
                        details.key("_id").string(&hit.id).end_object();
                    }
                    details.end_array().key("hits").begin_array();
                    for hit in &hits {
                        details.begin_object().key("hit").raw(&hit.object).key("rating");
                        match hit.rating {
                            Some(rating) => details.i64(i64::from(rating)),
                            None => details.null(),
                        };
                        details.end_object();
                    }
                    details.end_array().key("metric_details").begin_object();
                    details.key(self.metric.name()).value(&Value::Object(judged.details));
                    details.end_object().end_object();
                }
                Err(error) => {
                    failures.key(&rated.id).begin_object().key("error");
                    traced(error, error_trace).write_with_root_cause(&mut failures);
                    failures.end_object();
                }
            }
        }
        details.end_object();
        failures.end_object();
        let mut w = Writer::new();
        w.begin_object().key("metric_score");
        match scores.is_empty() {
            true => w.string("NaN"),
            false => w.f64(scores.iter().sum::<f64>() / scores.len() as f64),
        };
        w.key("details").raw(&details.finish()).key("failures").raw(&failures.finish()).end_object();
        Ok(Reply::ok(w))
    }
}

/// What cannot be judged may not be asked for.
fn check(search: &SearchRequest) -> Result<()> {
    let refused = [
        (search.suggest.is_some(), "contain a suggest section"),
        (search.aggs.is_some(), "contain aggregations"),
        (search.highlight.is_some(), "contain a highlighter section"),
        (search.explain, "use explain"),
        (search.profile, "use profile"),
    ];
    match refused.into_iter().find(|(refused, _)| *refused) {
        Some((_, what)) => Err(Error::illegal_argument(format!("Query in rated requests should not {what}."))),
        None => Ok(()),
    }
}

/// Whichever of the three comes last is what makes an evaluation of them, or fails to.
fn complete(
    requests: &Option<Vec<RatedRequest>>,
    metric: &Option<Metric>,
    templates: &Option<Templates>,
) -> Result<()> {
    if templates.is_some() { buildable(requests, metric) } else { Ok(()) }
}

/// Where not all three are given it is made at the end.
fn buildable(requests: &Option<Vec<RatedRequest>>, metric: &Option<Metric>) -> Result<()> {
    match (requests, metric) {
        (Some(requests), Some(_)) if requests.is_empty() => {
            let cause = "Cannot evaluate ranking if no search requests with rated results are provided. Seen: []";
            Err(unbuildable("rank_eval", Error::illegal_argument(cause)))
        }
        _ => Ok(()),
    }
}

/// A template with the name that requests call it by.
fn template(node: Node) -> Result<(String, Value)> {
    let (mut id, mut template) = (None, None);
    for field in node.fields() {
        match field.key {
            "id" => id = Some(TEMPLATE.read(&field, |node| node.text())?),
            "template" => {
                TEMPLATE.read(&field, |node| script_of(node).map(drop))?;
                template = Some(field.node.value.clone());
            }
            _ => TEMPLATE.check(&field)?,
        }
    }
    check_given(&[("id", id.is_none()), ("template", template.is_none())]).map_err(|error| error.at(node.end_pos()))?;
    Ok((id.unwrap_or_default(), template.unwrap_or_default()))
}

fn without_search() -> Error {
    Error::illegal_argument("Need to set at least test request or test request template parameters.")
}

impl RatedRequest {
    fn parse(node: Node) -> Result<Self> {
        let mut rated = Self {
            id: String::new(),
            search: None,
            template: None,
            params: Map::new(),
            summary_fields: vec![],
            ratings: vec![],
        };
        let (mut id, mut ratings) = (None, None);
        for field in node.fields() {
            match field.key {
                "id" => id = Some(RATED_REQUEST.read(&field, |node| node.text())?),
                "request" => {
                    let search = RATED_REQUEST.read(&field, SearchRequest::parse_node)?;
                    rated.search = Some(search);
                }
                "template_id" => rated.template = Some(RATED_REQUEST.read(&field, |node| node.text())?),
                "params" => {
                    rated.params = RATED_REQUEST.read(&field, |node| Ok(node.object().cloned().unwrap_or_default()))?;
                }
                "summary_fields" => rated.summary_fields = RATED_REQUEST.read(&field, texts)?,
                "ratings" => {
                    ratings = Some(
                        RATED_REQUEST
                            .read(&field, |node| RATING.objects(node)?.into_iter().map(Rating::parse).collect())?,
                    );
                }
                _ => RATED_REQUEST.check(&field)?,
            }
        }
        check_given(&[("id", id.is_none()), ("ratings", ratings.is_none())])
            .map_err(|error| error.at(node.end_pos()))?;
        (rated.id, rated.ratings) = (id.unwrap_or_default(), ratings.unwrap_or_default());
        rated.validate().map_err(|cause| unbuildable("request", cause).at(node.end_pos()))?;
        Ok(rated)
    }

    fn validate(&self) -> Result<()> {
        let mut seen = HashSet::new();
        if let Some(twice) = self.ratings.iter().find(|rating| !seen.insert((&rating.index, &rating.id))) {
            let key = format!("{{\"_index\":\"{}\",\"_id\":\"{}\"}}", twice.index, twice.id);
            return Err(Error::illegal_argument(format!(
                "Found duplicate rated document key [{key}] in evaluation request [{}]",
                self.id
            )));
        }
        match (&self.search, &self.template) {
            (Some(search), None) => check(search),
            (None, Some(_)) if !self.params.is_empty() => Ok(()),
            (Some(_), Some(_)) => Err(Error::illegal_argument(
                "Ambiguous rated request: Set both, verbatim test request and test request template parameters.",
            )),
            _ => Err(without_search()),
        }
    }

    fn all_ratings(&self) -> Vec<i32> {
        self.ratings.iter().map(|rating| rating.rating).collect()
    }

    /// The hits with their ratings.
    fn hits(&self, hits: Hits) -> Result<Vec<Rated>> {
        let ratings = self.ratings.iter().map(|rating| ((rating.index.as_str(), rating.id.as_str()), rating.rating));
        let ratings: HashMap<(&str, &str), i32> = ratings.collect();
        let rated = |object: Vec<u8>| {
            let value = parse(&object)?;
            let text = |key: &str| value.get(key).map(Value::to_text).unwrap_or_default();
            let (index, id) = (text("_index"), text("_id"));
            let rating = ratings.get(&(index.as_str(), id.as_str())).copied();
            Ok(Rated { rating, index, id, object })
        };
        hits.into_iter().map(rated).collect()
    }
}

impl Rating {
    fn check(index: &str, id: &str) -> Result<()> {
        let cause = match (index, id) {
            ("", _) => "Index must be set for each rated document",
            (_, "") => "DocId must be set for each rated document",
            _ => return Ok(()),
        };
        Err(unbuildable("rated_document", Error::illegal_argument(cause)))
    }

    fn parse(node: Node) -> Result<Self> {
        let (mut index, mut id, mut rating) = (None, None, None);
        // Whichever of them comes last is what makes a rating of them, or fails to.
        let build = |index: &Option<String>, id: &Option<String>, rating: Option<i32>| match (index, id, rating) {
            (Some(index), Some(id), Some(_)) => Self::check(index, id),
            _ => Ok(()),
        };
        for field in node.fields() {
            match field.key {
                "_index" => RATING.read(&field, |node| {
                    index = Some(node.text()?);
                    build(&index, &id, rating)
                })?,
                "_id" => RATING.read(&field, |node| {
                    id = Some(node.text()?);
                    build(&index, &id, rating)
                })?,
                "rating" => RATING.read(&field, |node| {
                    rating = Some(node.i32()?);
                    build(&index, &id, rating)
                })?,
                _ => RATING.check(&field)?,
            }
        }
        check_given(&[("_index", index.is_none()), ("_id", id.is_none()), ("rating", rating.is_none())])
            .map_err(|error| error.at(node.end_pos()))?;
        Ok(Self { index: index.unwrap_or_default(), id: id.unwrap_or_default(), rating: rating.unwrap_or_default() })
    }
}
