//! A search request.

use super::asked_fields::{self, DocValueField};
use super::collapse::Collapse;
use super::highlight::Highlight;
use super::params;
use super::pipelined::PipelineChoice;
use super::reader::{PointInTime, Slice};
use super::rescore::Rescore;
use super::script_fields::ScriptField;
use super::sort_parse::{self, Sort};
use super::source::{SourceSpec, StoredFields};
use super::suggest::Suggest;
use crate::aggs::{self, Aggs};
use crate::deprecated::note;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Map, Value, leading_token, parse, parse_declared_objects};
use crate::mapping::{DerivedFields, parse_derived};
use crate::query::{self, Bool, Common, Lookup, Node, Query, Source, match_all, reread};
use std::sync::Arc;

/// What is asked for, independent of any index. Shared by all shards.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// Length of the body that it was read from: what building its query costs goes by that.
    pub body_bytes: usize,
    /// None: everything.
    pub query: Option<Query>,
    /// Which documents are there at all, for a search behind an alias: the query has it within; global aggregations see no others.
    pub restriction: Option<Query>,
    pub post_filter: Option<Query>,
    pub from: usize,
    pub size: usize,
    /// Empty: by score.
    pub sort: Vec<Sort>,
    pub search_after: Option<Vec<Value>>,
    pub total_hits: TotalHits,
    /// Whether the request says how far to count.
    pub total_hits_given: bool,
    /// A number of hits that nobody can count, which shards refuse.
    pub total_hits_refused: Option<i64>,
    pub total_hits_as_int: bool,
    pub track_scores: bool,
    /// Whether hits say how well they match the queries that have names.
    pub named_scores: bool,
    /// Whether the body asks for that: hits do not say it then, though profiles show that these queries are scored.
    pub named_weighed: bool,
    /// Of inner hits that are explained: the search that they stand in.
    pub around: Option<Arc<SearchRequest>>,
    /// Of inner hits: the filter after the search that they stand in and what scores its hits once more, whose names they show too.
    pub named_around: Vec<Query>,
    pub min_score: Option<f32>,
    pub timeout_ms: Option<i64>,
    /// A shard stops after collecting this many documents.
    pub terminate_after: Option<u64>,
    /// None: what `stored_fields` implies.
    pub source: Option<SourceSpec>,
    pub stored_fields: Option<StoredFields>,
    pub docvalue_fields: Vec<DocValueField>,
    /// Fields whose values are read from the source.
    pub fields: Vec<DocValueField>,
    /// Whether there is a list of them, were it empty.
    pub fields_given: bool,
    pub script_fields: Vec<ScriptField>,
    /// Fields that the search brings along, beside those of the mapping.
    pub derived: Arc<DerivedFields>,
    pub collapse: Option<Arc<Collapse>>,
    pub highlight: Option<Arc<Highlight>>,
    pub rescore: Vec<Rescore>,
    pub slice: Option<Slice>,
    pub point_in_time: Option<PointInTime>,
    pub version: bool,
    pub seq_no_primary_term: bool,
    pub explain: bool,
    /// Index names or patterns with their boosts; the first that fits counts.
    pub indices_boost: Vec<(String, f32)>,
    pub aggs: Option<Arc<Aggs>>,
    /// Whether aggregations look at documents that do not match, so that no shard may be passed over.
    pub aggs_visit_all: bool,
    /// The same, or whether they count documents that do not match, or go from a match to its parent or children.
    pub aggs_beyond: bool,
    pub typed_keys: bool,
    pub stats: Vec<String>,
    pub suggest: Option<Arc<Suggest>>,
    /// Whether it is to be shown where the time goes.
    pub profile: bool,
    /// Whether times are shown for people too.
    pub human: bool,
    pub pipeline: PipelineChoice,
    /// The body as it was given, and as pipelines changed it, if their steps are to be shown.
    pub shown: Option<Box<Map>>,
}

/// How far matches are counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TotalHits {
    No,
    Exact,
    UpTo(u64),
}

/// How far matches are counted unless a request says otherwise.
const TOTAL_HITS_DEFAULT: u64 = 10_000;

impl TotalHits {
    pub fn of(number: i64) -> Result<Self> {
        match number {
            -1 => Ok(Self::No),
            0.. => Ok(Self::UpTo(number as u64)),
            _ => Err(Error::illegal_argument(format!("totalHitsThreshold must be >= 0, got {number}"))),
        }
    }

    /// Counting may stop when it has gone beyond this; none if nothing is counted.
    pub fn limit(self) -> Option<u64> {
        match self {
            Self::No => None,
            Self::Exact => Some(u64::MAX),
            Self::UpTo(limit) => Some(limit),
        }
    }
}

impl Default for SearchRequest {
    fn default() -> Self {
        Self {
            body_bytes: 0,
            query: None,
            restriction: None,
            post_filter: None,
            from: 0,
            size: 10,
            sort: vec![],
            search_after: None,
            total_hits: TotalHits::UpTo(TOTAL_HITS_DEFAULT),
            total_hits_given: false,
            total_hits_refused: None,
            total_hits_as_int: false,
            track_scores: false,
            named_scores: false,
            named_weighed: false,
            around: None,
            named_around: vec![],
            min_score: None,
            timeout_ms: None,
            terminate_after: None,
            source: None,
            stored_fields: None,
            docvalue_fields: vec![],
            fields: vec![],
            fields_given: false,
            script_fields: vec![],
            derived: Arc::default(),
            collapse: None,
            highlight: None,
            rescore: vec![],
            slice: None,
            point_in_time: None,
            version: false,
            seq_no_primary_term: false,
            explain: false,
            indices_boost: vec![],
            aggs: None,
            aggs_visit_all: false,
            aggs_beyond: false,
            typed_keys: false,
            stats: vec![],
            suggest: None,
            profile: false,
            human: false,
            pipeline: PipelineChoice::default(),
            shown: None,
        }
    }
}

impl SearchRequest {
    /// Parses body and URL parameters. The parameters' names have been checked.
    pub fn parse(body: Option<&[u8]>, params: &[(String, String)]) -> Result<Self> {
        let mut request = Self::read(body, params)?;
        request.settle_total_hits()?;
        Ok(request)
    }

    /// As [`Self::parse`], but for [`Self::settle_total_hits`]: where other parameters are looked at before.
    pub fn read(body: Option<&[u8]>, params: &[(String, String)]) -> Result<Self> {
        let body = body.filter(|body| !body.is_empty());
        let mut request = Self::default();
        if let Some(body) = body {
            if body.iter().all(u8::is_ascii_whitespace) {
                let error = Error::new(ErrorKind::Parsing, "Expected [START_OBJECT] but found [null]");
                return Err(error.with("line", 1i64).with("col", 0i64));
            }
            request = reread(body, |text| {
                let mut request = Self { body_bytes: body.len(), ..Self::default() };
                request.parse_body(text)?;
                Ok(request)
            })?;
        }
        params::apply(&mut request, params)?;
        if let (Some(_), Some(aggs)) = (request.terminate_after, request.aggs.as_mut().and_then(Arc::get_mut)) {
            aggs.gather_whole();
        }
        request.sort = sort_parse::simplified(request.sort);
        if let Some(number) = request.total_hits_refused.filter(|_| request.size == 0) {
            return Err(unanswerable(Error::illegal_argument(format!("value must be >= 0, got {number}"))));
        }
        if request.pipeline.verbose {
            let map = body.map(parse).transpose()?.and_then(|value| value.as_object().cloned());
            request.shown = Some(Box::new(map.unwrap_or_default()));
        }
        Ok(request)
    }

    /// Totals that are to be a number are counted to the end, unless the request says how far.
    pub fn settle_total_hits(&mut self) -> Result<()> {
        if let (true, TotalHits::UpTo(limit)) = (self.total_hits_as_int, self.total_hits) {
            if self.total_hits_given {
                return Err(Error::illegal_argument(format!(
                    "[rest_total_hits_as_int] cannot be used if the tracking of total hits is not accurate, got {limit}"
                )));
            }
            self.total_hits = TotalHits::Exact;
        }
        Ok(())
    }

    fn parse_body(&mut self, body: &[u8]) -> Result<()> {
        let declares = |path: &[&str]| aggs::declares(path).or_else(|| query::declares(path));
        let value = parse_declared_objects(body, declares, aggs::makes_object)
            .map_err(|misread| begun_otherwise(body).unwrap_or(misread))?;
        let source = Source::new(body);
        let node = Node::root(&value, &source);
        if node.object().is_none() {
            return Err(node.error(format!("Expected [START_OBJECT] but found [{}]", node.token())));
        }
        // What aggregations may not be together is looked at when all has been read.
        let mut late = None;
        for field in node.fields() {
            match self.take(field.key, field.node) {
                Err(error) if error.kind() == ErrorKind::ActionRequestValidation => _ = late.get_or_insert(error),
                read => read?,
            }
        }
        late.map_or(Ok(()), Err)?;
        self.collapse.as_ref().map_or(Ok(()), |collapse| collapse.check())
    }

    /// Parses what stands in another object.
    pub fn parse_node(node: Node) -> Result<Self> {
        let mut request = Self::default();
        node.fields().try_for_each(|field| request.take(field.key, field.node))?;
        request.sort = sort_parse::simplified(request.sort);
        Ok(request)
    }

    /// Takes one key of the body.
    pub(crate) fn take(&mut self, key: &str, node: Node) -> Result<()> {
        match node.value {
            Value::Object(_) => self.take_object(key, node),
            Value::Array(_) => self.take_array(key, node),
            Value::Null => Err(unknown_key(key, node)),
            _ => self.take_scalar(key, node),
        }
    }

    fn take_scalar(&mut self, key: &str, node: Node) -> Result<()> {
        match key {
            "from" => self.set_from(i64::from(node.i32()?))?,
            "size" => self.set_size(i64::from(node.i32()?))?,
            "timeout" => self.timeout_ms = params::time_value("timeout", &node.text()?)?,
            "terminate_after" => self.terminate_after = terminate_after(node.i32()?),
            "min_score" => self.min_score = Some(score(node)?),
            "version" => self.version = node.bool()?,
            "seq_no_primary_term" => self.seq_no_primary_term = node.bool()?,
            "explain" => self.explain = node.bool()?,
            "track_scores" => self.track_scores = node.bool()?,
            "track_total_hits" => {
                self.total_hits = match node.value {
                    Value::Bool(true) => TotalHits::Exact,
                    Value::Bool(false) => TotalHits::No,
                    Value::String(text) if text == "true" => TotalHits::Exact,
                    Value::String(text) if text == "false" => TotalHits::No,
                    _ => {
                        let number = i64::from(node.i32()?);
                        self.total_hits_refused = TotalHits::of(number).is_err().then_some(number);
                        TotalHits::of(number).unwrap_or(TotalHits::No)
                    }
                };
                self.total_hits_given = true;
            }
            "_source" => self.source = Some(SourceSpec::parse(node)?),
            "stored_fields" => self.stored_fields = Some(StoredFields::parse(node)?),
            "sort" => self.sort = sort_parse::parse(node)?,
            "profile" => self.profile = node.bool()?,
            // The parameter of the address goes before it, also where it is not given.
            "include_named_queries_score" => self.named_weighed = node.bool()?,
            _ if self.take_pipeline(key, node)? => {}
            _ => return Err(unknown_key(key, node)),
        }
        Ok(())
    }

    fn take_object(&mut self, key: &str, node: Node) -> Result<()> {
        match key {
            "query" => self.query = Some(query::parse_node(node)?),
            "post_filter" => self.post_filter = Some(query::parse_node(node)?),
            "_source" => self.source = Some(SourceSpec::parse(node)?),
            "sort" => self.sort = sort_parse::parse(node)?,
            "aggs" | "aggregations" => {
                self.aggs = Some(Arc::new(aggs::parse(node.value, node.body())?));
                self.aggs_visit_all = any_agg(node.value, visits_all);
                self.aggs_beyond = any_agg(node.value, looks_beyond);
            }
            "indices_boost" => {
                note("Object format in indices_boost is deprecated, please use array format instead");
                for field in node.fields() {
                    if matches!(field.node.value, Value::Null | Value::Object(_) | Value::Array(_)) {
                        let reason = format!("Unknown key for a {} in [{}].", field.node.token(), field.key);
                        return Err(field.node.error(reason));
                    }
                    self.indices_boost.push((field.key.to_owned(), field.node.f32()?));
                }
            }
            "slice" => self.slice = Some(Slice::parse(node)?),
            "pit" => self.point_in_time = Some(PointInTime::parse(node)?),
            "script_fields" => self.script_fields = ScriptField::parse_all(node)?,
            "collapse" => self.collapse = Some(Arc::new(Collapse::parse(node)?)),
            "rescore" => self.rescore = Rescore::parse_all(node)?,
            // Nothing registers extensions of a search.
            "ext" => {
                if node.fields().next().is_some() {
                    let reason = "unknown named object category [org.opensearch.search.SearchExtBuilder]";
                    return Err(Error::new(ErrorKind::XContentParse, reason));
                }
            }
            "highlight" => self.highlight = Some(Arc::new(Highlight::parse(node)?)),
            "suggest" => self.suggest = Some(Arc::new(Suggest::parse(node)?)),
            "derived" => self.derived = Arc::new(parse_derived(node.value)?),
            _ if self.take_pipeline(key, node)? => {}
            _ => return Err(unknown_key(key, node)),
        }
        Ok(())
    }

    fn take_array(&mut self, key: &str, node: Node) -> Result<()> {
        match key {
            "sort" => self.sort = sort_parse::parse(node)?,
            "_source" => self.source = Some(SourceSpec::parse(node)?),
            "stored_fields" => self.stored_fields = Some(StoredFields::parse(node)?),
            "docvalue_fields" => {
                self.docvalue_fields = asked_fields::columns(node)?;
            }
            "search_after" => {
                let values: Vec<Value> = node.value.as_array().unwrap_or(&[]).to_vec();
                if let Some(item) = node.items().find(|item| matches!(item.value, Value::Object(_) | Value::Array(_))) {
                    return Err(item.error(format!(
                        "Expected [VALUE_STRING] or [VALUE_NUMBER] or [VALUE_BOOLEAN] or [VALUE_NULL] but found [{}] inside search_after.",
                        item.token()
                    )));
                }
                if values.is_empty() {
                    return Err(Error::illegal_argument("Values must contains at least one value."));
                }
                self.search_after = Some(values);
            }
            "stats" => {
                let text = |item: Node| match item.value {
                    Value::String(text) => Ok(text.clone()),
                    _ => Err(item.error(format!("Expected [VALUE_STRING] in [stats] but found [{}]", item.token()))),
                };
                self.stats = node.items().map(text).collect::<Result<_>>()?;
            }
            "indices_boost" => {
                for item in node.items() {
                    let mut fields = item.fields();
                    let Some(field) = fields.next() else {
                        return Err(match item.value {
                            Value::Object(_) => {
                                // The reference has stepped into the object by then.
                                item.error_at(
                                    item.pos() + 1,
                                    "Expected [FIELD_NAME] in [indices_boost] but found [END_OBJECT]",
                                )
                            }
                            _ => item.error(format!("Expected [START_OBJECT] in [null] but found [{}]", item.token())),
                        });
                    };
                    if !matches!(field.node.value, Value::Int(_) | Value::UInt(_) | Value::BigInt(_) | Value::Float(_))
                    {
                        let token = field.node.token();
                        let reason = format!("Expected [VALUE_NUMBER] in [indices_boost] but found [{token}]");
                        return Err(field.node.error(reason));
                    }
                    self.indices_boost.push((field.key.to_owned(), field.node.f32()?));
                    if let Some(second) = fields.next() {
                        let reason = "Expected [END_OBJECT] in [indices_boost] but found [FIELD_NAME]";
                        return Err(item.error_at(second.key_pos, reason));
                    }
                }
            }
            "fields" => {
                self.fields = asked_fields::fields(node)?;
                self.fields_given = true;
            }
            "rescore" => self.rescore = Rescore::parse_all(node)?,
            _ => return Err(unknown_key(key, node)),
        }
        Ok(())
    }

    pub(crate) fn set_from(&mut self, from: i64) -> Result<()> {
        self.from = usize::try_from(from).map_err(|_| negative("from", from))?;
        Ok(())
    }

    pub(crate) fn set_size(&mut self, size: i64) -> Result<()> {
        self.size = usize::try_from(size).map_err(|_| negative("size", size))?;
        Ok(())
    }

    /// The same search over the documents that at least one of `filters` (queries as they were given) matches as well:
    /// what it is behind an alias.
    pub fn filtered(&self, filters: &[Value]) -> Result<Self> {
        if self.suggests_only() {
            // Nothing is searched for, and a query would change that.
            return Ok(self.clone());
        }
        let mut parsed: Vec<Query> =
            filters.iter().map(|filter| query::parse(filter, &filter.to_bytes())).collect::<Result<_>>()?;
        let any = match parsed.len() {
            1 => parsed.swap_remove(0),
            _ => Query::new(Common::default(), Bool { should: parsed, ..Bool::default() }),
        };
        let query = Bool {
            must: vec![self.query.clone().unwrap_or_else(match_all)],
            filter: vec![any.clone()],
            ..Bool::default()
        };
        Ok(Self { query: Some(Query::new(Common::default(), query)), restriction: Some(any), ..self.clone() })
    }

    /// Fills in what queries only announce, with what a search pipeline knows.
    pub fn fill(&self, variables: &Map) -> Result<()> {
        let of_rescores = self.rescore.iter().map(|rescore| &rescore.query);
        let of_highlights = self.highlight.iter().flat_map(|highlight| highlight.queries());
        let of_aggs = self.aggs.iter().flat_map(|aggs| aggs.queries());
        let of_sorts = self.sort.iter().filter_map(Sort::nested).filter_map(|nested| nested.filter.as_ref());
        let queries = self.query.iter().chain(&self.post_filter).chain(of_rescores).chain(of_highlights);
        let mut queries = queries.chain(of_aggs).chain(of_sorts);
        queries.try_for_each(|query| query.fill(variables))
    }

    /// The documents that have to be read before shards are asked.
    pub fn lookups(&self) -> Vec<&Lookup> {
        let of_rescores = self.rescore.iter().map(|rescore| &rescore.query);
        let of_highlights = self.highlight.iter().flat_map(|highlight| highlight.queries());
        let queries = self.query.iter().chain(&self.post_filter).chain(of_rescores).chain(of_highlights);
        queries.flat_map(Query::lookups).chain(self.aggs.iter().flat_map(|aggs| aggs.lookups())).collect()
    }

    /// How many hits each shard has to find.
    pub fn window(&self) -> usize {
        if self.size == 0 { 0 } else { self.from.saturating_add(self.size) }
    }

    /// Suggestions alone have no fields of scripts.
    pub fn shown_script_fields(&self) -> &[ScriptField] {
        if self.size > 0 { &self.script_fields } else { &[] }
    }

    /// How many hits have to be found first where the best are scored once more.
    pub fn first_window(&self) -> usize {
        let rescored = self.rescore.iter().map(|rescore| rescore.window).max().unwrap_or(0);
        if self.size == 0 { 0 } else { self.window().max(rescored) }
    }

    /// Whether nothing is asked for but suggestions.
    pub fn suggests_only(&self) -> bool {
        self.suggest.is_some() && self.query.is_none() && self.aggs.is_none()
    }

    /// Whether hits tell how their scores come about; suggested ones do so beside a search only, whether or not it has hits.
    pub fn explains_hits(&self) -> bool {
        self.explain && !self.suggests_only()
    }

    /// Whether hits show their scores: not those that are sorted by something else, even where a script or `min_score`
    /// looked at them.
    pub fn shows_scores(&self) -> bool {
        let by_score = |sort: &Sort| matches!(sort.by, sort_parse::SortBy::Score);
        self.sort.is_empty() || self.track_scores || self.sort.iter().any(by_score)
    }

    /// Whether hits need their scores.
    pub fn needs_scores(&self) -> bool {
        (self.size > 0 && (self.orders_by_scores() || self.track_scores)) || self.min_score.is_some()
    }

    /// Whether the order of hits depends on their scores.
    pub fn orders_by_scores(&self) -> bool {
        let scored = |sort: &Sort| match &sort.by {
            sort_parse::SortBy::Score => true,
            sort_parse::SortBy::Script(script) => script.uses_score(),
            _ => false,
        };
        self.sort.is_empty() || self.sort.iter().any(scored)
    }
}

/// What the reference only sees when it puts the answer together, so that no shard is to blame.
fn unanswerable(cause: Error) -> Error {
    Error::new(ErrorKind::SearchPhaseExecution, "")
        .with("phase", "fetch")
        .with("grouped", true)
        .with("failed_shards", Value::Array(vec![]))
        .with_status(cause.status())
        .caused_by(cause)
}

/// A score may be one that no document has.
fn score(node: Node) -> Result<f32> {
    match node.value {
        Value::String(text) => match text.trim_matches(|c: char| c <= ' ') {
            "NaN" | "+NaN" | "-NaN" => Ok(f32::NAN),
            "Infinity" | "+Infinity" => Ok(f32::INFINITY),
            "-Infinity" => Ok(f32::NEG_INFINITY),
            _ => node.f32(),
        },
        _ => node.f32(),
    }
}

/// Zero means never. A negative number ends the search at once, as it does in the reference.
fn terminate_after(number: i32) -> Option<u64> {
    match number {
        0 => None,
        _ => Some(u64::try_from(number).unwrap_or(0)),
    }
}

/// Whether any aggregation is as `wanted` says, those within others too. They nest to a bounded depth.
fn any_agg(aggs: &Value, wanted: fn(&Value) -> bool) -> bool {
    let Value::Object(aggs) = aggs else { return false };
    aggs.iter().any(|(_, definition)| {
        let inner = definition.get("aggs").or_else(|| definition.get("aggregations"));
        wanted(definition) || inner.is_some_and(|inner| any_agg(inner, wanted))
    })
}

/// Whether an aggregation is global or shows terms that no match has.
fn visits_all(definition: &Value) -> bool {
    let empty_terms = definition.get("terms").and_then(|terms| terms.get("min_doc_count")) == Some(&Value::Int(0));
    definition.get("global").is_some() || empty_terms
}

/// Whether an aggregation counts documents that do not match, or goes from a match to its parent or children.
fn looks_beyond(definition: &Value) -> bool {
    let kinds = ["significant_terms", "significant_text", "children", "parent", "global"];
    let empty =
        |(kind, body): (&str, &Value)| kind.ends_with("terms") && body.get("min_doc_count") == Some(&Value::Int(0));
    kinds.iter().any(|kind| definition.get(kind).is_some())
        || definition.as_object().is_some_and(|map| map.iter().any(empty))
}

fn negative(name: &str, number: i64) -> Error {
    Error::illegal_argument(format!("[{name}] parameter cannot be negative, found [{number}]"))
}

fn unknown_key(key: &str, node: Node) -> Error {
    node.error(format!("Unknown key for a {} in [{key}].", node.token()))
}

/// What is told of a body that begins with something else than an object, however it goes on.
#[cold]
fn begun_otherwise(body: &[u8]) -> Option<Error> {
    let token = leading_token(body)?;
    let error = Error::new(ErrorKind::Parsing, format!("Expected [START_OBJECT] but found [{token}]"));
    Some(error.with("line", 1i64).with("col", 1i64))
}
