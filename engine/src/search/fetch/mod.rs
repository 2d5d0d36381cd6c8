//! Hits to JSON.
//!
//! - [`FetchTask`]: the hits of one shard, one after the other, each to its complete object.
//! - `hit`: a hit while it is fetched, with its source as a tree where a part wants that.
//! - `inner`: the hits behind a hit. - `named`: the order of the names of queries that match it.
//! - `profiling`: where the time goes. - `asking`: the queries that hits are asked about, as profiles show them.
//! - `source_fields`: the `fields` of a request, with `source_forms`. `fields`: doc values, stored fields, and all that stands under `fields`.

mod ahead;
mod asking;
mod fields;
pub(super) mod hit;
mod inner;
mod named;
mod profiling;
mod source_fields;
mod source_forms;

pub use fields::{FieldValues, write_stored};
use hit::check_whole;
use hit::ignored;
pub use hit::{FetchedDoc, values_at, values_at_all};

use self::ahead::{Highlighting, part_of};
use self::fields::{ShownField, StoredNames};
use self::inner::InnerFetch;
use self::profiling::{Asked, FetchProfiling, Phase, in_call, in_phase};
use self::source_fields::SourceField;
use super::approximated;
use super::budget::{Budget, Step};
use super::check::index_boost;
use super::highlight::{Fragments, Highlight, Highlighter};
use super::nested_place::{NestedStep, innermost, nested_path_of, source_at, write_steps};
use super::request::SearchRequest;
use super::rescore::Explaining;
use super::result::ShardHit;
use super::script_fields::ScriptFields;
use super::sort_parse::{Sort, SortBy};
use super::source::{SourceSpec, StoredFields};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Writer, parse};
use crate::pace::{Pace, check_wanted};
use crate::profile::{FetchProfile, fetch_call};
use crate::query::{Percolation, PlanContext, Query, ShardContext, Weight, match_all};
use crate::score::takes;
use crate::segment::{OpenedBlock, SegmentView, StoredDoc, ignored_follows_source};
use std::borrow::Cow;
use std::sync::Arc;

/// Hits between two looks at the budget.
const HITS_PER_SLICE: usize = 8;

/// Blocks of stored documents have some 8 KiB, unless one document has more by itself.
const LARGE_BLOCK_BYTES: usize = 128 << 10;

/// Turns the hits of one shard into complete JSON objects.
pub struct FetchTask {
    request: Arc<SearchRequest>,
    cx: ShardContext,
    hits: Vec<ShardHit>,
    /// The hits in the order of their documents, in which they are fetched, and how many are.
    order: Vec<u32>,
    fetched: usize,
    opened: OpenedBlock,
    /// The segment that was looked at last, and whether its documents may have routing or ignored values.
    metadata_in: Option<(u32, bool)>,
    /// At the places of the hits.
    out: Vec<Vec<u8>>,
    source: SourceSpec,
    shows_id: bool,
    doc_values: Vec<ShownField>,
    stored: StoredNames,
    fields: Vec<SourceField>,
    scripts: ScriptFields,
    highlighter: Option<Highlighter>,
    highlighting: Highlighting,
    explaining: Option<Explaining>,
    named: Vec<(String, Weight)>,
    /// Percolations with the documents that they bring along.
    percolations: Vec<(Percolation, ShardContext)>,
    profiling: Option<FetchProfiling>,
    /// Where hits are documents nested under this.
    path: Option<String>,
    inner: Vec<InnerFetch>,
}

/// What explains hits, if that is asked for. Of inner hits the reference explains the query by itself.
fn explaining(
    request: &SearchRequest,
    query: &Query,
    cx: &ShardContext,
    path: Option<&str>,
    inner: bool,
) -> Result<Option<Explaining>> {
    let plan = match (request.explains_hits(), inner) {
        (false, _) => return Ok(None),
        (true, true) => query.plan_among(cx, path)?,
        (true, false) => query.boosted_root_plan(cx, index_boost(request, cx)?)?,
    };
    let weight = approximated::explained(plan, request, cx, inner).weight(&cx.weighing(), true, 1.0)?;
    // What rescores the search around inner hits is told of them as well.
    let rescores = &request.around.as_deref().unwrap_or(request).rescore;
    Explaining::new(weight, rescores, cx).map(Some)
}

impl FetchTask {
    pub fn new(request: &Arc<SearchRequest>, cx: ShardContext, hits: Vec<ShardHit>) -> Result<Self> {
        Self::within(request, cx, hits, None, false)
    }

    /// For hits that are nested under `path`, if any. `inner`: of inner hits.
    fn within(
        request: &Arc<SearchRequest>,
        cx: ShardContext,
        hits: Vec<ShardHit>,
        path: Option<String>,
        inner: bool,
    ) -> Result<Self> {
        let started = cx.profile.map_or(0, |clock| clock());
        let scripts = !request.shown_script_fields().is_empty();
        let source = SourceSpec::shown(request.source.as_ref(), request.stored_fields.as_ref(), scripts);
        let default = match_all();
        let query = request.query.as_ref().unwrap_or(&default);
        let weight = |query: &Query, scores: bool| match &path {
            Some(path) => query.plan_within(&cx, Some(path))?.weight(&cx.weighing(), scores, 1.0),
            None if scores => {
                let plan = query.boosted_root_plan(&cx, index_boost(request, &cx)?)?;
                plan.weight(&cx.weighing(), true, 1.0)
            }
            None => query.weight(&cx, false),
        };
        let explaining = explaining(request, query, &cx, path.as_deref(), inner)?;
        let named: Vec<(String, Weight)> = (named::in_shown_order(request, query, &cx).into_iter())
            .map(|(name, (query, among))| {
                let weight = match among {
                    Some(among) => {
                        query.plan_among(&cx, Some(among))?.weight(&cx.weighing(), request.named_scores, 1.0)?
                    }
                    None => weight(query, request.named_scores)?,
                };
                Ok((name.to_owned(), weight))
            })
            .collect::<Result<_>>()?;
        let documents = |of: &Percolation| Ok((of.clone(), of.documents(&PlanContext::new(&cx))?));
        let percolations = query.percolations().into_iter().map(documents).collect::<Result<Vec<_>>>()?;
        let stored = match &request.stored_fields {
            Some(StoredFields::Fields(names)) => StoredNames::new(names, &cx)?,
            _ => StoredNames::default(),
        };
        // In the order in which hits are asked for them: the first that is refused is told.
        let doc_values = fields::doc_value_fields(request, &cx, path.is_some())?;
        let scripts = ScriptFields::new(request.shown_script_fields(), &cx)?;
        let fields = source_fields::of_request(request, &cx)?;
        let highlighter = request.highlight.as_ref().map(|of| Highlighter::new(of, query, &cx)).transpose()?;
        let shows_source = source.is_wanted();
        let asked = Asked { source: shows_source, names: !named.is_empty(), percolations: !percolations.is_empty() };
        let mut profiling = cx.profile.map(|clock| FetchProfiling::new(clock, started, request, asked));
        // What is nested in hits is fetched hit by hit.
        if let Some(profiling) = profiling.as_mut().filter(|_| !inner || path.is_none()) {
            profiling.begin();
        }
        let mut behind = inner::of_request(request, &cx, path.as_deref())?;
        let shows_id = request.stored_fields != Some(StoredFields::None);
        if !shows_id {
            behind.iter_mut().for_each(InnerFetch::hide_ids);
        }
        Ok(Self {
            inner: behind,
            path,
            scripts,
            highlighter,
            highlighting: Highlighting::default(),
            doc_values,
            fields,
            profiling,
            request: request.clone(),
            shows_id,
            order: document_order(&hits),
            fetched: 0,
            opened: OpenedBlock::default(),
            metadata_in: None,
            out: vec![Vec::new(); hits.len()],
            hits,
            source,
            stored,
            explaining,
            named,
            percolations,
            cx,
        })
    }

    /// What is nested in hits that do not tell who they are does not tell it either.
    fn hide_ids(&mut self) {
        self.shows_id = false;
        self.inner.iter_mut().for_each(InnerFetch::hide_ids);
    }

    /// Whether the hits take long in one go: a large text is highlighted as one. Then better on a thread that is no core,
    /// by [`Self::run_apart`].
    pub fn takes_long(request: &SearchRequest, cx: &ShardContext, hits: &[ShardHit]) -> bool {
        let is_large = |hit: &ShardHit| {
            let view = cx.snapshot.segments.get(hit.segment as usize);
            view.is_some_and(|view| view.segment.stored_blocks().content_bytes_around(hit.doc) > LARGE_BLOCK_BYTES)
        };
        request.highlight.is_some() && hits.iter().any(is_large)
    }

    /// Runs to the end, or until nobody waits for it any more.
    pub fn run_apart(mut self) -> Result<(Vec<Vec<u8>>, Option<FetchProfile>)> {
        let budget = Budget { should_yield: || true, ..Budget::unlimited() };
        while self.run(&budget)? == Step::Yield {
            check_wanted()?;
        }
        Ok(self.finish())
    }

    pub fn run(&mut self, budget: &Budget) -> Result<Step> {
        while self.fetched < self.hits.len() {
            for _ in 0..HITS_PER_SLICE.min(self.hits.len() - self.fetched) {
                let place = self.order[self.fetched] as usize;
                let hit = std::mem::take(&mut self.hits[place]);
                let fetched = match self.highlight_ahead(&hit, budget) {
                    Ok(Step::Yield) => Ok(None),
                    Ok(Step::Done) => self.fetch(&hit).map(Some),
                    Err(error) => Err(error),
                };
                self.hits[place] = hit;
                let Some(fetched) = fetched? else { return Ok(Step::Yield) };
                self.out[place] = fetched;
                self.fetched += 1;
            }
            if self.fetched < self.hits.len() && (budget.should_yield)() {
                return Ok(Step::Yield);
            }
        }
        Ok(Step::Done)
    }

    /// The hits' objects, in the order in which the hits were given, and where the time went, if that was asked for.
    pub fn finish(self) -> (Vec<Vec<u8>>, Option<FetchProfile>) {
        let mut profile = self.profile();
        if let Some(profile) = &mut profile {
            // What cannot be planned has failed the fetch before.
            profile.queries = self.asked_for_hits().unwrap_or_default();
        }
        (self.out, profile)
    }

    /// Where the time of what has been fetched so far went, if that was asked for and there was anything.
    fn profile(&self) -> Option<FetchProfile> {
        let profile = self.profiling.as_ref()?.profile()?;
        let mut inner = vec![];
        self.inner.iter().flat_map(InnerFetch::profile).for_each(|profile| profile.add_to(&mut inner));
        Some(FetchProfile { inner, ..profile })
    }

    fn fetch(&mut self, hit: &ShardHit) -> Result<Vec<u8>> {
        let snapshot = self.cx.snapshot.clone();
        let Some(view) = snapshot.segments.get(hit.segment as usize) else {
            return Err(Error::new(
                ErrorKind::IllegalState,
                format!("hit of segment {} of {}", hit.segment, snapshot.segments.len()),
            ));
        };
        // Stored fields are compressed in blocks: they are only opened for what stands nowhere else.
        let needs_stored = (self.shows_id && self.has_metadata(hit.segment, view))
            || self.source.is_wanted()
            || !self.stored.is_empty()
            || !self.fields.is_empty()
            || self.highlighter.is_some();
        if let Some(profiling) = &mut self.profiling {
            profiling.enter(hit.segment);
        }
        let profiling = self.profiling.as_ref();
        let (steps, root) = self.place_of(view, hit.doc);
        // What is nested has no stored fields of its own.
        let loading = profiling.filter(|_| self.path.is_none());
        let mut stored = in_call(loading, fetch_call::LOAD_STORED_FIELDS, || match needs_stored {
            true => view.segment.stored_beside(root, &mut self.opened),
            false => Ok(StoredDoc::default()),
        })?;
        if let Some(steps) = steps.as_ref().filter(|_| needs_stored) {
            stored = part_of(view, hit.doc, &stored, steps, &mut self.opened)?;
        }
        let doc = FetchedDoc::new(view, hit.doc, &stored);
        let mut w = Writer::with_capacity(256 + stored.source.as_ref().map_or(0, |source| source.len()));
        w.begin_object();
        if self.request.explains_hits() {
            w.key("_shard").string(&format!("[{}][{}]", self.cx.index, self.cx.shard));
            w.key("_node").string(&self.cx.node_id);
        }
        w.key("_index").string(&self.cx.index);
        if self.shows_id {
            w.key("_id").string(view.segment.id(root));
        }
        write_steps(steps.as_deref().unwrap_or_default(), &mut w);
        self.write_versions(view, root, steps.is_some(), &mut w);
        in_phase(profiling, Phase::Score, || {
            w.key("_score");
            if hit.score.is_nan() || !self.request.shows_scores() {
                w.null()
            } else {
                w.f32(hit.score)
            };
        });
        self.write_metadata(&stored, &mut w);
        in_phase(profiling, Phase::Source, || self.write_source(&stored, steps.as_deref(), &mut w))?;
        self.write_fields(&doc, hit.segment, &mut w)?;
        let profiling = self.profiling.take();
        self.write_highlight(&doc, hit, profiling.as_ref(), &mut w)?;
        self.profiling = profiling;
        // Groups that nothing but the score puts in order are told without it.
        let by_score =
            self.request.collapse.is_some() && matches!(&self.request.sort[..], [Sort { by: SortBy::Score, .. }]);
        if !hit.sort.is_empty() && !by_score {
            w.key("sort").begin_array();
            hit.sort.iter().for_each(|value| value.write(&mut w));
            w.end_array();
        }
        let profiling = self.profiling.take();
        in_phase(profiling.as_ref(), Phase::Matched, || self.write_matched(view, hit.doc, &mut w))?;
        self.profiling = profiling;
        if let Some(weight) = &mut self.explaining {
            w.key("_explanation");
            in_phase(self.profiling.as_ref(), Phase::Explain, || weight.explain(view, hit))?.write(&mut w);
        }
        if !self.inner.is_empty() {
            w.key("inner_hits").begin_object();
            self.inner.iter_mut().try_for_each(|inner| inner.write(view, hit, &self.cx, &mut w))?;
            w.end_object();
        }
        w.end_object();
        Ok(w.finish())
    }

    fn has_metadata(&mut self, segment: u32, view: &SegmentView) -> bool {
        match self.metadata_in {
            Some((known, has)) if known == segment => has,
            _ => {
                let has = ["_routing", "_ignored"].iter().any(|name| view.segment.field(name).is_some());
                self.metadata_in = Some((segment, has));
                has
            }
        }
    }

    /// Nested documents have no sequence numbers; inner hits of them are refused before (`search::check`).
    fn write_versions(&self, view: &SegmentView, doc: u32, nested: bool, w: &mut Writer) {
        if self.request.version {
            let version = in_phase(self.profiling.as_ref(), Phase::Version, || view.segment.version(doc));
            w.key("_version").u64(version);
        }
        if self.request.seq_no_primary_term && !nested {
            in_phase(self.profiling.as_ref(), Phase::SeqNo, || {
                w.key("_seq_no").u64(view.segment.seq_no(doc));
                w.key("_primary_term").u64(view.segment.primary_term(doc));
            });
        }
    }

    /// `_routing` and `_ignored`.
    fn write_metadata(&self, stored: &StoredDoc, w: &mut Writer) {
        if !self.shows_id {
            return;
        }
        if let Some(routing) = &stored.routing {
            w.key("_routing").string(routing);
        }
        let mut ignored = ignored(stored, self.reads_ignored(stored)).peekable();
        if ignored.peek().is_some() {
            w.key("_ignored").begin_array();
            for value in ignored {
                fields::write_as_kept(value, w);
            }
            w.end_array();
        }
    }

    /// Whether what was ignored of a document with a routing value is shown. The reference reads stored fields up to the last one
    /// that it needs, and what was ignored stands behind all others: it is read where something else is looked for until the end,
    /// or where it follows on the source.
    fn reads_ignored(&self, stored: &StoredDoc) -> bool {
        if stored.routing.is_none() {
            return true;
        }
        let names = match &self.request.stored_fields {
            Some(StoredFields::Fields(names)) => &names[..],
            _ => &[],
        };
        let known = |name: &str| self.cx.mapping.field(name).is_some() || self.cx.mapping.sub_field(name).is_some();
        let is_field = |name: &String| name != "_source" && (name.contains('*') || known(name));
        if names.iter().any(is_field) {
            return true;
        }
        let needs_source = self.source.is_wanted() || self.request.fields_given;
        needs_source && (stored.source.is_none() || ignored_follows_source(&stored.fields))
    }

    fn write_source(&self, stored: &StoredDoc, steps: Option<&[NestedStep]>, w: &mut Writer) -> Result<()> {
        let Some(source) = &stored.source else { return check_whole(&self.source, &self.cx.index) };
        let selected = in_call(self.profiling.as_ref(), fetch_call::LOAD_SOURCE, || match &self.source {
            SourceSpec::No | SourceSpec::Hidden(_) => None,
            SourceSpec::All => Some(Cow::Borrowed(&**source)),
            SourceSpec::Some(select) => Some(Cow::Owned(select.apply_hashed(source))),
        });
        let Some(selected) = selected else { return Ok(()) };
        match steps {
            None => _ = w.key("_source").raw(&selected),
            Some(steps) => match innermost(&parse(&selected)?, steps) {
                Some(value) => _ = w.key("_source").value(value),
                None => _ = w.key("_source").begin_object().end_object(),
            },
        }
        Ok(())
    }

    fn write_fields(&mut self, doc: &FetchedDoc, segment: u32, w: &mut Writer) -> Result<()> {
        let mut values = FieldValues::default();
        self.stored.read(doc.stored, &self.cx, &mut values)?;
        let profiling = self.profiling.as_ref();
        in_phase(profiling, Phase::DocValues, || {
            self.doc_values.iter().try_for_each(|field| field.read(doc, &mut values))
        })?;
        in_phase(profiling, Phase::Fields, || {
            let ignored: Vec<_> = ignored(doc.stored, self.reads_ignored(doc.stored)).collect();
            self.fields.iter().try_for_each(|field| field.read(doc, &ignored, &self.cx, &mut values))
        })?;
        let (scripts, place) = (&mut self.scripts, (segment, doc.view));
        in_phase(profiling, Phase::Scripts, || scripts.read(place, doc.doc, &mut values))?;
        in_phase(profiling, Phase::Slots, || self.add_slots(segment, doc.doc, &mut values))?;
        values.write(w);
        Ok(())
    }

    fn write_highlight(
        &mut self,
        doc: &FetchedDoc,
        hit: &ShardHit,
        profiling: Option<&FetchProfiling>,
        w: &mut Writer,
    ) -> Result<()> {
        let (Some(highlighter), Some(highlight)) = (&self.highlighter, &self.request.highlight) else { return Ok(()) };
        let mut found = in_phase(profiling, Phase::Highlight, || match &mut self.highlighting {
            Highlighting::Ended(found) => std::mem::replace(found, Ok(Fragments::default())),
            Highlighting::Begun(_) => highlighter.fragments(doc, &self.cx),
        })?;
        self.highlighting = Highlighting::default();
        in_phase(profiling, Phase::Percolated, || self.highlight_percolated(highlight, hit, &mut found))?;
        found.write(w);
        Ok(())
    }

    /// Adds what the stored query of a hit marks in the documents of percolations.
    fn highlight_percolated(&self, highlight: &Highlight, hit: &ShardHit, found: &mut Fragments) -> Result<()> {
        let several = self.percolations.len() > 1;
        for (percolation, within) in &self.percolations {
            let view = &self.cx.snapshot.segments[hit.segment as usize];
            let Some((stored, matched)) = percolation.matched(within, view, hit.doc)? else { continue };
            let highlighter = Highlighter::new(highlight, &stored, within)?;
            for one in matched {
                let view = &within.snapshot.segments[one.segment];
                let given = view.segment.stored(one.doc)?;
                let mut prefix = match several {
                    true => format!("{}_", percolation.told_name()),
                    false => String::new(),
                };
                if !percolation.is_single() {
                    prefix += &format!("{}_", one.slot);
                }
                found.add(&prefix, highlighter.fragments(&FetchedDoc::new(view, one.doc, &given), within)?);
            }
        }
        Ok(())
    }

    /// Which of the documents of a percolation the stored query of the hit matches.
    fn add_slots(&self, segment: u32, doc: u32, values: &mut FieldValues) -> Result<()> {
        for (percolation, within) in &self.percolations {
            let stored = percolation.matched(within, &self.cx.snapshot.segments[segment as usize], doc)?;
            let Some((_, matched)) = stored.filter(|(_, matched)| !matched.is_empty()) else { continue };
            let name = match self.percolations.len() {
                1 => "_percolator_document_slot".to_owned(),
                _ => format!("_percolator_document_slot_{}", percolation.told_name()),
            };
            let slots: Vec<String> = matched.iter().map(|matched| matched.slot.to_string()).collect();
            values.set(&name, format!("[{}]", slots.join(",")).into_bytes());
        }
        Ok(())
    }

    fn write_matched(&mut self, view: &SegmentView, doc: u32, w: &mut Writer) -> Result<()> {
        let mut open = false;
        let scored = self.request.named_scores;
        for (name, weight) in &mut self.named {
            let Some(mut scorer) = weight.scorer(view)? else { continue };
            if !takes(scorer.as_mut(), doc) {
                continue;
            }
            if !open {
                w.key("matched_queries");
                match scored {
                    true => _ = w.begin_object(),
                    false => _ = w.begin_array(),
                }
                open = true;
            }
            match (scored, &self.path) {
                (false, _) => _ = w.string(name),
                (true, None) => _ = w.key(name).f32(scorer.score()),
                // The reference does not score behind hits.
                (true, Some(_)) => _ = w.key(name).f32(f32::NAN),
            }
        }
        if open {
            match scored {
                true => _ = w.end_object(),
                false => _ = w.end_array(),
            }
        }
        Ok(())
    }
}

/// What of a root's stored fields belongs to a document nested in it.
fn nested_part(root: &StoredDoc, steps: &[NestedStep]) -> Result<StoredDoc> {
    let Some(source) = &root.source else { return Ok(StoredDoc::default()) };
    let mut w = Writer::with_capacity(256);
    w.value(&source_at(&parse(source)?, steps));
    Ok(StoredDoc { source: Some(w.finish().into()), ..StoredDoc::default() })
}

/// Units of work of fetching a hit.
const FETCH_UNITS: u32 = 1_024;

/// Fetches hits that may be nested documents, those under each path in a way of their own.
#[derive(Default)]
struct ByPath {
    tasks: Vec<(Option<String>, FetchTask)>,
}

impl ByPath {
    fn fetch(&mut self, request: &Arc<SearchRequest>, cx: &ShardContext, hit: &ShardHit) -> Result<Vec<u8>> {
        let view = cx.snapshot.segments.get(hit.segment as usize);
        let path = view.and_then(|view| nested_path_of(view, &cx.mapping, hit.doc));
        let at = match self.tasks.iter().position(|(known, _)| known.as_deref() == path) {
            Some(at) => at,
            None => {
                let path = path.map(str::to_owned);
                let mut task = FetchTask::within(request, cx.clone(), vec![], path.clone(), true)?;
                // What is nested and stands by itself tells what it is nested in, whatever is asked for.
                task.shows_id |= path.is_some();
                self.tasks.push((path, task));
                self.tasks.len() - 1
            }
        };
        let task = &mut self.tasks[at].1;
        task.hits.push(hit.clone());
        task.fetch(hit)
    }
}

/// The objects of hits that may be nested documents, in the order of the hits.
pub async fn fetch_all(
    request: &Arc<SearchRequest>,
    cx: &ShardContext,
    hits: &[ShardHit],
    profiles: &mut Vec<FetchProfile>,
    pace: &Pace,
) -> Result<Vec<Vec<u8>>> {
    let mut found = ByPath::default();
    let mut objects = vec![vec![]; hits.len()];
    // A profile tells how often segments were entered in the order of the hits.
    let order = if cx.profile.is_some() { (0..hits.len() as u32).collect() } else { document_order(hits) };
    for place in order {
        objects[place as usize] = found.fetch(request, cx, &hits[place as usize])?;
        pace.tick(FETCH_UNITS).await;
    }
    for (_, task) in &found.tasks {
        if let Some(profile) = task.profile() {
            FetchProfile { queries: task.asked_for_names(hits)?, ..profile }.add_to(profiles);
        }
    }
    Ok(objects)
}

/// The segments that some of the hits are in.
pub fn views_of<'a>(hits: &[ShardHit], cx: &'a ShardContext) -> Vec<&'a SegmentView> {
    let mut segments: Vec<u32> = hits.iter().map(|hit| hit.segment).collect();
    segments.sort_unstable();
    segments.dedup();
    segments.iter().filter_map(|segment| cx.snapshot.segments.get(*segment as usize)).collect()
}

/// Documents that stand beside each other share blocks of stored fields.
fn document_order(hits: &[ShardHit]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..hits.len() as u32).collect();
    order.sort_unstable_by_key(|&at| (hits[at as usize].segment, hits[at as usize].doc));
    order
}
