//! Searches from templates: `_search/template`, `_msearch/template`, `_render/template`.

use super::document::{invalid, validation_failed};
use super::search::{ROUTES as SEARCH, check_address, run_body};
use super::{ApiRequest, Method, Reply, Route, msearch};
use crate::cluster::State;
use crate::coordinate::{Core, clock};
use pith_engine::deprecated::note;
use pith_engine::json::{self, Map, Value, Writer};
use pith_engine::query::{Node, Source};
use pith_engine::script::{Script, execute_template};
use pith_engine::search::Template;
use pith_engine::{Error, ErrorKind, Result, did_you_mean};
use pith_net::rt;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

const fn search(method: Method, path: &'static str) -> Route {
    Route {
        method,
        path,
        name: "search_template",
        params: SEARCH[0].params,
        handler: |core, request| Box::pin(run(core, request)),
    }
}

/// What a request of several templates may say: less than one of several searches.
const SEVERAL_PARAMS: &[&str] = &[
    "max_concurrent_searches?",
    "rest_total_hits_as_int",
    "typed_keys",
    "search_type",
    "ccs_minimize_roundtrips",
    "routing",
];

const fn several(method: Method, path: &'static str) -> Route {
    Route {
        method,
        path,
        name: "msearch_template",
        params: &[SEVERAL_PARAMS, super::document::BODY_PARAMS],
        handler: |core, request| Box::pin(run_several(core, request)),
    }
}

const fn show(method: Method, path: &'static str) -> Route {
    Route {
        method,
        path,
        name: "render_search_template",
        params: &[super::document::BODY_PARAMS],
        handler: |core, request| Box::pin(render(core, request)),
    }
}

pub const ROUTES: &[Route] = &[
    search(Method::Get, "/_search/template"),
    search(Method::Post, "/_search/template"),
    search(Method::Get, "/{index}/_search/template"),
    search(Method::Post, "/{index}/_search/template"),
    several(Method::Get, "/_msearch/template"),
    several(Method::Post, "/_msearch/template"),
    several(Method::Get, "/{index}/_msearch/template"),
    several(Method::Post, "/{index}/_msearch/template"),
    show(Method::Get, "/_render/template"),
    show(Method::Post, "/_render/template"),
    show(Method::Get, "/_render/template/{id}"),
    show(Method::Post, "/_render/template/{id}"),
];

/// A template with its values, as a request gives them.
#[derive(Debug, Default)]
pub struct TemplateRequest {
    source: Option<String>,
    pub id: Option<String>,
    params: Map,
    explain: bool,
    profile: bool,
}

/// What a request may hold; the names after the first are old ones of it.
const FIELDS: &[&str] = &["source", "inline", "template", "id", "params", "explain", "profile"];

impl TemplateRequest {
    pub fn parse(body: &[u8]) -> Result<Self> {
        let value = json::parse(body)?;
        let source = Source::new(body);
        let node = Node::root(&value, &source);
        let mut template = Self::default();
        for field in node.fields() {
            if let old @ ("inline" | "template") = field.key {
                let at = node.location(field.node.pos());
                note(format!("[search_template]{at} Deprecated field [{old}] used, expected [source] instead"));
            }
            match field.key {
                "source" | "inline" | "template" => match field.node.value {
                    // Of a template and the name of one, what stands last counts.
                    Value::String(_) | Value::Object(_) => {
                        (template.source, template.id) = (Some(field.node.value.to_text()), None);
                    }
                    _ => return Err(wrong_type(field.key, &field.node)),
                },
                "id" => match field.node.value {
                    Value::String(id) => (template.source, template.id) = (None, Some(id.clone())),
                    _ => return Err(wrong_type(field.key, &field.node)),
                },
                "params" => match field.node.object() {
                    Some(params) => template.params = params.clone(),
                    None => return Err(wrong_type(field.key, &field.node)),
                },
                "explain" | "profile" if !matches!(field.node.value, Value::Bool(_) | Value::String(_)) => {
                    return Err(wrong_type(field.key, &field.node));
                }
                "explain" => template.explain = flag(field.key, &field.node)?,
                "profile" => template.profile = flag(field.key, &field.node)?,
                key => {
                    let at = node.location(field.key_pos);
                    let hint = did_you_mean::suffix(key, FIELDS.iter().copied());
                    let reason = format!("{at} [search_template] unknown field [{key}]{hint}");
                    return Err(Error::new(ErrorKind::XContentParse, reason));
                }
            }
        }
        Ok(template)
    }

    /// Refuses a request that names no template.
    pub fn validate(&self) -> Result<()> {
        match (&self.source, &self.id) {
            (None, None) => {
                validation_failed(&["template is missing".to_owned(), "template's script type is missing".to_owned()])
            }
            (Some(source), _) if source.is_empty() => validation_failed(&["template is missing".to_owned()]),
            _ => Ok(()),
        }
    }

    /// The search that the template makes.
    pub fn render(&self, state: &State) -> Result<String> {
        self.maker(state)?.make(&self.params)
    }

    fn maker(&self, state: &State) -> Result<Maker> {
        let source = match (&self.source, &self.id) {
            (Some(source), _) => source,
            (None, Some(id)) => match state.scripts.get(id) {
                Some(script) if script.lang == "mustache" => &script.source,
                Some(script) => {
                    let params = Value::Object(self.params.clone());
                    return Ok(Maker::Script(Script::new(&script.source, &script.lang, params)));
                }
                None => {
                    let reason = format!("unable to find script [{id}] in cluster state");
                    return Err(Error::new(ErrorKind::ResourceNotFound, reason));
                }
            },
            (None, None) => "",
        };
        Template::parse(source).map(Maker::Template)
    }

    /// As [`Self::render`], off the core where that takes long.
    async fn render_anywhere(&self, state: &State) -> Result<String> {
        let maker = self.maker(state)?;
        let quickly = match &maker {
            Maker::Template(template) => template.render_quickly(&self.params),
            Maker::Script(_) => None,
        };
        match quickly {
            Some(text) => text,
            None => {
                let params = self.params.clone();
                rt::offload(move || maker.make(&params)).await
            }
        }
    }

    /// The rendered search with what the request itself asks for beside the template.
    pub fn complete(&self, text: String) -> Result<Vec<u8>> {
        if text.trim_ascii().is_empty() {
            // It is a body without anything in it, which is not the same as none.
            return Ok(b" ".to_vec());
        }
        if !self.explain && !self.profile {
            return Ok(text.into_bytes());
        }
        let mut body = json::parse(text.as_bytes()).map_err(json::of_text)?;
        if let Value::Object(map) = &mut body {
            if self.explain {
                map.insert("explain", true);
            }
            if self.profile {
                map.insert("profile", true);
            }
        }
        Ok(body.to_bytes())
    }
}

/// What makes a search of parameters: a template, or what was stored in another language.
enum Maker {
    Template(Template),
    Script(Script),
}

impl Maker {
    fn make(&self, params: &Map) -> Result<String> {
        match self {
            Self::Template(template) => template.render(params),
            Self::Script(script) => execute_template(script, clock::now_ms()).map_err(|error| {
                // A language that has no templates says so itself.
                let cause = error.cause().filter(|_| error.kind() == ErrorKind::GeneralScript).cloned();
                cause.unwrap_or(error)
            }),
        }
    }
}

fn wrong_type(key: &str, node: &Node) -> Error {
    let at = node.location(node.pos());
    let reason = format!("{at} [search_template] {key} doesn't support values of type: {}", node.token());
    Error::new(ErrorKind::XContentParse, reason)
}

fn flag(key: &str, node: &Node) -> Result<bool> {
    node.bool().map_err(|error| {
        let reason = format!("{} [search_template] failed to parse field [{key}]", node.location(node.pos()));
        Error::new(ErrorKind::XContentParse, reason).caused_by(error)
    })
}

async fn run(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    check_address(&core, &request).await?;
    let template = TemplateRequest::parse(&request.body_or_source()?)?;
    request.check_known()?;
    template.validate()?;
    let body = template.complete(template.render_anywhere(&core.state()).await?)?;
    let mut answer = run_body(&core, &without_source(request), Some(&body)).await.map_err(json::of_text)?;
    // The answer is an object; the status goes in at its end.
    answer.pop();
    answer.extend_from_slice(b",\"status\":200}");
    Ok(Reply::json(200, answer))
}

/// The request without the parameters that say what a body says: what the template makes stands in their place.
fn without_source(mut request: ApiRequest) -> ApiRequest {
    const REPLACED: &[&str] = &[
        "_source",
        "_source_excludes",
        "_source_includes",
        "analyze_wildcard",
        "analyzer",
        "default_operator",
        "df",
        "docvalue_fields",
        "explain",
        "from",
        "lenient",
        "q",
        "seq_no_primary_term",
        "size",
        "sort",
        "stats",
        "stored_fields",
        "suggest_field",
        "suggest_mode",
        "suggest_size",
        "suggest_text",
        "terminate_after",
        "timeout",
        "track_scores",
        "version",
    ];
    request.params.retain(|(name, _)| !REPLACED.contains(&name.as_str()));
    request
}

/// What all templates of one request may make together.
const RENDERED_BYTES_MAX: usize = 100 << 20;

async fn run_several(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let state = core.state();
    let left = AtomicUsize::new(RENDERED_BYTES_MAX);
    let (asked, failed) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let counts = (asked.clone(), failed.clone());
    let answered = msearch::run_entries(core, request, move |line, params| {
        let template = TemplateRequest::parse(line)?;
        if template.source.is_none() && template.id.is_none() {
            return Err(Error::illegal_argument("Malformed search template"));
        }
        template.validate()?;
        counts.0.fetch_add(1, Relaxed);
        let text = match template.render(&state) {
            Ok(text) => text,
            Err(error) => {
                counts.1.fetch_add(1, Relaxed);
                return Ok(Err(error));
            }
        };
        if left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(text.len())).is_err() {
            let reason = format!("the templates of a request make more than [{RENDERED_BYTES_MAX}] bytes");
            return Err(Error::illegal_argument(reason));
        }
        let parse = |body: Vec<u8>| pith_engine::search::SearchRequest::parse(Some(&body), params);
        let search = template.complete(text).and_then(parse).map_err(json::of_text);
        counts.1.fetch_add(usize::from(search.is_err()), Relaxed);
        Ok(search)
    })
    .await?;
    // Where no template comes to a search there is nothing to ask for.
    if asked.load(Relaxed) > 0 && asked.load(Relaxed) == failed.load(Relaxed) {
        return Err(invalid(&["no requests added".to_owned()]));
    }
    Ok(answered)
}

async fn render(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let mut template = TemplateRequest::parse(&request.body_or_source()?)?;
    if let Some(id) = request.param("id") {
        // What the path names comes before what the body brings.
        (template.id, template.source) = (Some(id.to_owned()), None);
    }
    template.validate()?;
    let text = template.render_anywhere(&core.state()).await?;
    let mut w = Writer::new();
    w.begin_object().key("template_output").raw(text.as_bytes()).end_object();
    Ok(Reply::ok(w))
}
