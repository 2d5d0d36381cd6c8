//! What the node's settings and files say of the processors of pipelines, read before any core runs.

use super::agent_files;
use crate::settings::{Settings, config_files};
use pith_engine::ingest::allowed::{Allowed, Group, restrict};
use pith_engine::ingest::{agents, processor_kinds};
use pith_engine::search_pipeline::{request_kinds, response_kinds};

const CACHE_SIZE: &str = "ingest.user_agent.cache_size";
/// The kind that has a setting of its own.
const USER_AGENT: &str = "user_agent";

/// A mistake keeps the node from starting.
pub(super) fn prepare(settings: &Settings) -> Result<(), String> {
    let size = settings.text(CACHE_SIZE).map_or(Ok(agents::CACHE_SIZE), str::parse);
    let size = size.map_err(|_| format!("[{CACHE_SIZE}] must be a number, and not below 0"))?;
    agents::install(agent_files::read_all(&*config_files())?, size);
    restrict(allowed(settings)).map_err(|error| error.reason().to_owned())
}

/// The groups that settings restrict.
fn allowed(settings: &Settings) -> Vec<Allowed<'static>> {
    let (agent, others) = processor_kinds().partition(|kind| *kind == USER_AGENT);
    let groups = [
        (Group::Ingest, "ingest.common.processors.allowed", others),
        (Group::UserAgent, "ingest.useragent.processors.allowed", agent),
        (Group::SearchRequests, "search.pipeline.common.request.processors.allowed", request_kinds().collect()),
        (Group::SearchResponses, "search.pipeline.common.response.processors.allowed", response_kinds().collect()),
        (Group::SearchPhaseResults, "search.pipeline.common.search.phase.results.processors.allowed", vec![]),
    ];
    let named = groups.into_iter().filter_map(|(group, setting, kinds): (_, _, Vec<_>)| {
        let names = settings.get(setting)?.list();
        Some(Allowed { group, setting, names, kinds })
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_restrict_their_group() {
        let settings = Settings::from_json(
            &pith_engine::json::parse(
                br#"{"ingest.useragent.processors.allowed": [], "search.pipeline.common.response.processors.allowed": "sort,split"}"#,
            )
            .unwrap(),
        );
        let found = allowed(&settings.unwrap());
        let groups: Vec<_> = found.iter().map(|allowed| (allowed.group, allowed.names.clone())).collect();
        let names = vec!["sort".to_owned(), "split".to_owned()];
        assert_eq!(groups, [(Group::UserAgent, vec![]), (Group::SearchResponses, names)]);
        assert_eq!(found[0].kinds, ["user_agent"]);
    }
}
