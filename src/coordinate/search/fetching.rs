//! The fetch phase: the documents of the best hits, and those that completions came from.

use super::failures::{PARTIAL, phase_failed, unwritable};
use super::run::{Found, SearchOptions, by_core, failure, unanswered};
use crate::coordinate::Core;
use crate::coordinate::core::addr;
use crate::shards::{ContextKey, FetchAsk, FetchedHits, ShardReply, ShardRequest};
use pith_engine::Result;
use pith_engine::join::join_all;
use pith_engine::profile::FetchProfile;
use pith_engine::search::{SearchRequest, ShardFailure, ShardHit, Suggested};
use std::collections::BTreeMap;
use std::sync::Arc;

impl Found {
    /// The hits' objects, in the order of the reduced result. What is known of the time it takes goes to the profiles.
    pub async fn fetch(&mut self, core: &Core, options: &SearchOptions) -> Result<Vec<Vec<u8>>> {
        if let [Some(fetched)] = self.fetched.as_mut_slice() {
            let FetchedHits { objects, profile } = std::mem::take(fetched);
            self.reduced.add_fetch_profile(0, profile);
            return Ok(objects);
        }
        let fetching = self.fetch_from_shards(core, options, &self.reduced.hits, self.scroll.as_ref(), false);
        let found = Box::pin(fetching).await?;
        for (slot, mut profile) in found.profiles {
            if let Some(profile) = &mut profile {
                // To the reference a shard's searches are over when another request fetches its hits: what explains them is not among them.
                profile.queries.clear();
            }
            self.reduced.add_fetch_profile(slot as u32, profile);
        }
        if found.failed.is_empty() {
            return Ok(found.objects);
        }
        if let Some(error) = unwritable(found.failed.iter().map(|(_, failure)| failure)) {
            return Err(error);
        }
        let mut objects = found.objects;
        self.give_up(found.failed, &mut objects);
        Ok(objects)
    }

    /// Goes on without the hits of shards that they could not be fetched from. `objects` are those of the hits.
    fn give_up(&mut self, failed: Vec<(usize, ShardFailure)>, objects: &mut Vec<Vec<u8>>) {
        let hits = std::mem::take(&mut self.reduced.hits);
        for (hit, object) in hits.into_iter().zip(std::mem::take(objects)) {
            if !failed.iter().any(|(slot, _)| *slot == hit.0 as usize) {
                self.reduced.hits.push(hit);
                objects.push(object);
            }
        }
        for (slot, failure) in failed {
            self.unfetched.push(slot);
            self.failures.push(failure);
        }
    }

    /// Fetches the documents that completions came from. Those of shards that fail are suggested without them: to the reference they
    /// are fetched together with the hits, of which `hits` are the objects.
    pub async fn fetch_suggested(
        &mut self,
        core: &Core,
        options: &SearchOptions,
        hits: &mut Vec<Vec<u8>>,
    ) -> Result<()> {
        let suggested = self.reduced.suggested.as_ref().map(Suggested::hits).unwrap_or_default();
        let is_fetched = |slot: u32| !self.unfetched.contains(&(slot as usize));
        let wanted: Vec<_> = suggested.iter().filter(|(slot, _)| is_fetched(*slot)).cloned().collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let found = self.fetch_from_shards(core, options, &wanted, None, true).await?;
        let mut objects = found.objects.into_iter();
        let objects = suggested.iter().map(|(slot, _)| match is_fetched(*slot) {
            true => objects.next().unwrap_or_default(),
            false => vec![],
        });
        let objects = objects.collect();
        self.reduced.add_suggested(objects, found.profiles);
        self.give_up(found.failed, hits);
        Ok(())
    }

    /// Fetches hits. `scored`: they show their scores, whatever the request sorts by.
    async fn fetch_from_shards(
        &self,
        core: &Core,
        options: &SearchOptions,
        wanted: &[(u32, ShardHit)],
        scroll: Option<&ContextKey>,
        scored: bool,
    ) -> Result<Fetched> {
        let mut by_slot: BTreeMap<usize, (Vec<usize>, Vec<ShardHit>)> = BTreeMap::new();
        for (place, (slot, hit)) in wanted.iter().enumerate() {
            let (places, hits) = by_slot.entry(*slot as usize).or_default();
            places.push(place);
            hits.push(hit.clone());
        }
        let batches = by_core(by_slot.keys().map(|slot| (self.targets[*slot].core, *slot)));
        let mut out: Vec<Vec<u8>> = wanted.iter().map(|_| vec![]).collect();
        let running = batches.into_iter().map(|(target_core, slots)| {
            let requests = slots.iter().filter_map(|slot| {
                let target = &self.targets[*slot];
                let context = self.contexts[*slot].clone()?;
                let (mut request, hits) = (self.requests[*slot].clone(), by_slot[slot].1.clone());
                if scored && !request.shows_scores() {
                    request = Arc::new(SearchRequest { sort: vec![], ..(*request).clone() });
                }
                let ask = FetchAsk { request, context, hits, scroll: scroll.cloned() };
                Some((addr(&target.index, target.shard), ShardRequest::Fetch(Box::new(ask))))
            });
            let requests = requests.collect();
            async move { (slots, core.shards(target_core, requests).await) }
        });
        let (mut failed, mut profiles) = (vec![], vec![]);
        for (slots, replies) in join_all(running).await {
            for (slot, reply) in slots.into_iter().zip(replies) {
                match reply.and_then(hits_of) {
                    Ok(fetched) => {
                        for (place, hit) in by_slot[&slot].0.iter().zip(fetched.objects) {
                            out[*place] = hit;
                        }
                        profiles.push((slot, fetched.profile));
                    }
                    Err(error) => failed.push((slot, failure(core, &self.targets[slot], error))),
                }
            }
        }
        // Of equal failures that of the first shard is told, whichever core answered first.
        failed.sort_by_key(|(slot, _)| *slot);
        let all_failed = self.failures.len() + failed.len() >= self.targets.len();
        if !failed.is_empty() && (all_failed || !options.allow_partial) {
            let reason = if options.allow_partial { "all shards failed" } else { PARTIAL };
            let failures: Vec<_> =
                self.failures.iter().cloned().chain(failed.into_iter().map(|(_, failure)| failure)).collect();
            // A shard that is alone fetches while it is queried.
            let phase = if self.targets.len() == 1 { "query" } else { "fetch" };
            return Err(phase_failed(phase, reason, &failures));
        }
        Ok(Fetched { objects: out, profiles, failed })
    }
}

/// What shards gave for the hits that were wanted of them.
struct Fetched {
    /// At the places of the hits; empty for those of shards that failed.
    objects: Vec<Vec<u8>>,
    profiles: Vec<(usize, Option<Box<FetchProfile>>)>,
    failed: Vec<(usize, ShardFailure)>,
}

fn hits_of(reply: ShardReply) -> Result<FetchedHits> {
    match reply {
        ShardReply::Fetched(hits) => Ok(hits),
        _ => Err(unanswered()),
    }
}
