//! Text to tokens: `_analyze`.

use super::document::BODY_PARAMS;
use super::search::offload_noting;
use super::{ApiRequest, Method, Reply, Route};
use crate::cluster::{self, BlockLevel, IndexMeta, IndicesOptions, blocks};
use crate::coordinate::analyze_cache::Versions;
use crate::coordinate::{Core, clock};
use crate::settings::config_files;
use pith_engine::analysis::{ANALYZE_PARAMS, AnalyzeContext, AnalyzeRequest, FieldAnalysis, Registry, analyze};
use pith_engine::mapping::Family;
use pith_engine::{Error, ErrorKind, Result};
use std::rc::Rc;

const fn route(method: Method, path: &'static str) -> Route {
    Route {
        method,
        path,
        name: "analyze",
        params: &[ANALYZE_PARAMS, BODY_PARAMS, &["index"]],
        handler: |core, request| Box::pin(run(core, request)),
    }
}

pub const ROUTES: &[Route] = &[
    route(Method::Get, "/_analyze"),
    route(Method::Post, "/_analyze"),
    route(Method::Get, "/{index}/_analyze"),
    route(Method::Post, "/{index}/_analyze"),
];

/// `index.analyze.max_token_count` where no index says otherwise.
const TOKEN_COUNT_MAX: u64 = 10_000;

/// Texts that are longer are dealt with off the core, and so is what defines parts of its own, however short: each can make much
/// of little.
const QUICK_BYTES_MAX: usize = 4 << 10;

async fn run(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let body = request.body_opt()?.unwrap_or_default();
    let params: Vec<(&str, &str)> = request.params().iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    let asked = AnalyzeRequest::parse(&body, &params)?;
    request.check_known()?;
    asked.validate(request.param("index"))?;
    let index = match request.param("index") {
        None => None,
        Some(name) => {
            let state = core.state();
            cluster::resolve(&state, &[name], &IndicesOptions::SINGLE, clock::now_ms())?.pop()
        }
    };
    blocks::check(&core.state(), BlockLevel::Read, index.as_deref())?;
    if let Some(index) = index.as_ref().filter(|index| core.state().lacks_all_primaries(index)) {
        let reason = format!("No shard available for [analyze [{}]]", index.name);
        return Err(Error::new(ErrorKind::NoShardAvailable, reason));
    }
    // Answers of GET are kept, those of POST neither read nor kept.
    let cached = index.as_ref().filter(|_| request.method == Method::Get).map(|index| {
        let versions = Versions { settings: index.settings_version, mapping: index.mapping_version };
        (index, versions, cache_key(&params, &body))
    });
    if let Some((index, versions, key)) = &cached
        && let Some(answer) = core.analyze_cache()?.get(&index.uuid, *versions, key)
    {
        return Ok(Reply::json(200, answer));
    }
    // What an index defines is only known when it is tried.
    let is_quick = body.len() <= QUICK_BYTES_MAX && index.is_none() && asked.is_plain();
    let answer = {
        let index = index.clone();
        move || match &index {
            Some(index) => of_index(&asked, index),
            None => of_no_index(&asked),
        }
    };
    let body = match is_quick {
        true => answer()?,
        false => offload_noting(answer).await?,
    };
    if let Some((index, versions, key)) = cached {
        core.analyze_cache()?.put(&index.uuid, versions, key, body.clone());
    }
    Ok(Reply::json(200, body))
}

fn of_no_index(asked: &AnalyzeRequest) -> Result<Vec<u8>> {
    let registry = Registry::built_in_with(config_files());
    let context =
        AnalyzeContext { registry: &registry, field_analyzer: None, max_token_count: TOKEN_COUNT_MAX, index: None };
    analyze(asked, &context)
}

/// What makes two requests to one index the same.
fn cache_key(params: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut key = vec![];
    for (name, value) in params {
        for text in [name, value] {
            key.extend_from_slice(&text.len().to_le_bytes());
            key.extend_from_slice(text.as_bytes());
        }
    }
    key.extend_from_slice(body);
    key
}

fn of_index(asked: &AnalyzeRequest, index: &IndexMeta) -> Result<Vec<u8>> {
    let limit = index.settings.text("index.analyze.max_token_count").and_then(|text| text.parse().ok());
    let of_field = |name: &str| field_analysis(index, name);
    let context = AnalyzeContext {
        registry: &index.registry,
        field_analyzer: Some(&of_field),
        max_token_count: limit.unwrap_or(TOKEN_COUNT_MAX),
        index: Some(&index.name),
    };
    analyze(asked, &context)
}

fn field_analysis(index: &IndexMeta, name: &str) -> Option<FieldAnalysis> {
    let field = index.mapping.field(name)?;
    Some(match (field.family(), &field.spec.analyzer, field.normalizer()) {
        (Family::Text, Some(analyzer), _) => {
            let (own, of_analyzer) = (field.spec.position_increment_gap, analyzer.position_increment_gap());
            let is_own = matches!(field.type_name, "text" | "match_only_text") && own != analyzer.indexed_gap();
            let gap = if is_own { i32::try_from(own).unwrap_or(i32::MAX) } else { of_analyzer };
            FieldAnalysis::Analyzer(analyzer.clone(), gap)
        }
        (Family::Keyword, _, Some(normalizer)) => FieldAnalysis::Normalizer(normalizer.clone()),
        (Family::Keyword, _, None) => FieldAnalysis::Keyword,
        _ => FieldAnalysis::NotText,
    })
}
