//! `rescore`: the best hits scored once more by other queries.

use super::budget::{Budget, Step};
use super::fetch::views_of;
use super::result::ShardHit;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::profile::QueryProfiler;
use crate::query::declared::{Declared, NUMERIC, OBJECT, STRING};
use crate::query::{Node, Query, ShardContext, Weight, parse_inner};
use crate::score::{Explanation, Faults, Rewriting, WeightContext, takes};
use crate::segment::SegmentView;

/// One rescorer of a request.
#[derive(Clone, Debug)]
pub struct Rescore {
    pub window: usize,
    pub query: Query,
    pub query_weight: f32,
    pub rescore_weight: f32,
    pub mode: ScoreMode,
}

/// How the two scores become one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScoreMode {
    Total,
    Multiply,
    Avg,
    Max,
    Min,
}

/// Hits that a rescorer looks at unless it says otherwise.
const WINDOW_DEFAULT: i32 = 10;
/// Hits between two looks at the budget.
const HITS_PER_SLICE: usize = 256;

const PARSER: Declared = Declared {
    name: "query",
    fields: &[
        ("rescore_query", OBJECT),
        ("query_weight", NUMERIC),
        ("rescore_query_weight", NUMERIC),
        ("score_mode", STRING),
    ],
};

fn inner_query(node: Node) -> Result<Query> {
    parse_inner(node, |place| node.error_at(place, "Could not parse inner query"))
}

impl Rescore {
    pub fn parse_all(node: Node) -> Result<Vec<Self>> {
        node.items_or_self().into_iter().map(Self::parse).collect()
    }

    fn parse(node: Node) -> Result<Self> {
        let (mut window, mut rescore) = (WINDOW_DEFAULT, None);
        if node.object().is_none() {
            // The reader goes on to what comes next, for which it has no name.
            let (pos, token) = node.after();
            return Err(match token {
                "START_OBJECT" => {
                    let reason = format!("{} unknown field [null]", node.location(pos));
                    Error::new(ErrorKind::NamedObjectNotFound, reason)
                }
                _ => node.error_at(pos, format!("unexpected token [{token}] after [null]")),
            });
        }
        for field in node.fields() {
            match field.key {
                key if matches!(field.node.value, Value::Array(_) | Value::Null) => {
                    let token = field.node.token();
                    return Err(field.node.error(format!("unexpected token [{token}] after [{key}]")));
                }
                "window_size" if field.node.object().is_none() => window = field.node.i32()?,
                "query" if field.node.object().is_some() => rescore = Some(Self::parse_query(field.node)?),
                key if field.node.object().is_some() => {
                    let at = field.node.location(field.node.pos());
                    return Err(Error::new(ErrorKind::NamedObjectNotFound, format!("{at} unknown field [{key}]")));
                }
                key => return Err(field.node.error(format!("rescore doesn't support [{key}]"))),
            }
        }
        let rescore = rescore.ok_or_else(|| node.error_at_end("missing rescore type"))?;
        let window = usize::try_from(window)
            .map_err(|_| Error::illegal_argument(format!("[window_size] cannot be negative, found [{window}]")))?;
        Ok(Self { window, ..rescore })
    }

    fn parse_query(node: Node) -> Result<Self> {
        let (mut query, mut query_weight, mut rescore_weight, mut mode) = (None, 1.0, 1.0, ScoreMode::Total);
        for field in node.fields() {
            match field.key {
                "rescore_query" => query = Some(PARSER.read(&field, inner_query)?),
                "query_weight" => query_weight = PARSER.read(&field, |node| node.f32())?,
                "rescore_query_weight" => rescore_weight = PARSER.read(&field, |node| node.f32())?,
                _ => mode = PARSER.read(&field, |node| mode_of(&node.text()?))?,
            }
        }
        let query = query.ok_or_else(|| Error::illegal_argument("rescore_query cannot be null"))?;
        Ok(Self { window: 0, query, query_weight, rescore_weight, mode })
    }

    /// The new score of a hit; `second` is none where the rescorer's query does not match.
    pub fn combine(&self, first: f32, second: Option<f32>) -> f32 {
        let first = first * self.query_weight;
        let Some(second) = second else { return first };
        let second = second * self.rescore_weight;
        match self.mode {
            ScoreMode::Total => first + second,
            ScoreMode::Multiply => first * second,
            ScoreMode::Avg => (first + second) / 2.0,
            ScoreMode::Max => first.max(second),
            ScoreMode::Min => first.min(second),
        }
    }
}

/// What explains the scores of hits: the query, and what each rescorer adds to it.
pub struct Explaining {
    query: Weight,
    rescorers: Vec<(Rescore, Weight)>,
}

impl Explaining {
    pub fn new(query: Weight, rescores: &[Rescore], cx: &ShardContext) -> Result<Self> {
        let weight = |rescore: &Rescore| rescore.query.weight(cx, true);
        let rescorers = rescores.iter().map(|rescore| Ok((rescore.clone(), weight(rescore)?)));
        Ok(Self { query, rescorers: rescorers.collect::<Result<_>>()? })
    }

    /// Rescorers whose window a hit was not in only weigh what it had.
    pub fn explain(&mut self, view: &SegmentView, hit: &ShardHit) -> Result<Explanation> {
        let mut explained = self.query.explain(view, hit.doc)?;
        for (number, (rescore, weight)) in self.rescorers.iter_mut().enumerate() {
            let second = match hit.rescored.contains(&number) {
                true => weight.explain(view, hit.doc)?,
                false => Explanation::no_match("", vec![]),
            };
            explained = rescore.explain(explained, second);
        }
        Ok(explained)
    }
}

impl Rescore {
    /// How the score of a hit came about, of which `first` explains what it was and `second` what the rescorer gives it.
    fn explain(&self, first: Explanation, second: Explanation) -> Explanation {
        if !first.matched {
            return Explanation::no_match("First pass did not match", vec![first]);
        }
        let weighted = |explained: Explanation, by: f32, name: &str| {
            let value = explained.score() * by;
            Explanation::matching(value, "product of:", vec![explained, Explanation::matching(by, name, vec![])])
        };
        let score = first.score();
        let second = second.matched.then_some(second);
        let value = self.combine(score, second.as_ref().map(Explanation::score));
        let first = weighted(first, self.query_weight, "primaryWeight");
        let Some(second) = second else { return first };
        let description = match self.mode {
            ScoreMode::Total => "sum of:",
            ScoreMode::Multiply => "product of:",
            ScoreMode::Avg => "avg of:",
            ScoreMode::Max => "max of:",
            ScoreMode::Min => "min of:",
        };
        let second = weighted(second, self.rescore_weight, "secondaryWeight");
        Explanation::matching(value, description, vec![first, second])
    }
}

fn mode_of(text: &str) -> Result<ScoreMode> {
    match text.to_ascii_lowercase().as_str() {
        "total" => Ok(ScoreMode::Total),
        "multiply" => Ok(ScoreMode::Multiply),
        "avg" => Ok(ScoreMode::Avg),
        "max" => Ok(ScoreMode::Max),
        "min" => Ok(ScoreMode::Min),
        _ => Err(Error::illegal_argument(format!("illegal score_mode [{text}]"))),
    }
}

/// The rescorers of a request at work on the hits of one shard.
pub struct RescoreTask {
    rescorers: Vec<(Rescore, Weight)>,
    /// What is wrong with patterns, which are looked up where there are hits to score.
    refused: Option<Error>,
    /// Where what is asked is written down once there are hits.
    profiler: Option<QueryProfiler>,
    at: usize,
    /// Hits of the window in the order of the index, with their places; made when a rescorer begins.
    order: Vec<usize>,
    next: usize,
}

impl RescoreTask {
    pub fn new(rescores: &[Rescore], cx: &ShardContext, weight_cx: &WeightContext) -> Result<Self> {
        let beside = WeightContext {
            faults: weight_cx.faults.clone(),
            ..WeightContext::new(&cx.snapshot, cx.mapping.similarities())
        };
        let (mut rescorers, mut refused) = (Vec::with_capacity(rescores.len()), None);
        for rescore in rescores {
            match rescore.query.weight_in(cx, &beside, true) {
                Ok(weight) => rescorers.push((rescore.clone(), weight)),
                Err(error) if error.is_of_rewriting() => refused = refused.or(Some(error)),
                Err(error) => return Err(error),
            }
        }
        // It runs when the slices are through.
        let profiler = weight_cx.profiler.as_ref().map(QueryProfiler::aside);
        Ok(Self { rescorers, refused, profiler, at: 0, order: vec![], next: 0 })
    }

    /// Enters the query of the rescorer at work into the profile, with what becomes of it in the segments of the hits.
    fn enter(&mut self, hits: &[ShardHit], cx: &ShardContext, faults: &Faults) -> Result<()> {
        let (Some(profiler), Some((rescore, weight))) = (&self.profiler, self.rescorers.get_mut(self.at)) else {
            return Ok(());
        };
        if hits.is_empty() {
            return Ok(());
        }
        let profiled = WeightContext { profiler: Some(profiler.clone()), faults: faults.clone(), ..cx.weighing() };
        *weight = rescore.query.weight_in(cx, &profiled, true)?;
        let plan = rescore.query.shard_plan(cx)?;
        let mut rewriting = Rewriting::new(profiler);
        let views = views_of(&hits[..self.order.len()], cx);
        views.into_iter().try_for_each(|view| rewriting.enter(&plan, view, true))
    }

    /// Works on few hits, and can do so again on others.
    pub fn run_at_once(&mut self, hits: &mut [ShardHit], cx: &ShardContext, faults: &Faults) -> Result<()> {
        (self.at, self.next) = (0, 0);
        while self.run(hits, cx, &Budget::unlimited(), faults)? == Step::Yield {}
        Ok(())
    }

    /// Works on `hits`, best first, which are in order again when this is done. `faults`: those of the search, where scorers
    /// report what goes wrong.
    pub fn run(&mut self, hits: &mut [ShardHit], cx: &ShardContext, budget: &Budget, faults: &Faults) -> Result<Step> {
        if let Some(error) = self.refused.take_if(|_| !hits.is_empty()) {
            return Err(error);
        }
        while let Some(window) = self.rescorers.get(self.at).map(|(rescore, _)| rescore.window.min(hits.len())) {
            if self.next == 0 {
                self.order = (0..window).collect();
                self.order.sort_unstable_by_key(|place| (hits[*place].segment, hits[*place].doc));
                self.enter(hits, cx, faults)?;
            }
            let (rescore, weight) = &mut self.rescorers[self.at];
            let until = (self.next + HITS_PER_SLICE).min(window);
            let mut places = &self.order[self.next..until];
            while let Some(first) = places.first() {
                let segment = hits[*first].segment;
                let here = places.iter().take_while(|place| hits[**place].segment == segment).count();
                let (group, rest) = places.split_at(here);
                places = rest;
                let Some(view) = cx.snapshot.segments.get(segment as usize) else { continue };
                let mut scorer = weight.scorer(view)?;
                for place in group {
                    let hit = &mut hits[*place];
                    let second =
                        scorer.as_mut().and_then(|scorer| takes(scorer.as_mut(), hit.doc).then(|| scorer.score()));
                    hit.score = rescore.combine(hit.score, second);
                    hit.rescored.push(self.at);
                }
            }
            faults.check()?;
            self.next = until;
            if until == window {
                let by_score =
                    |a: &ShardHit, b: &ShardHit| a.order_by_score(b).then((a.segment, a.doc).cmp(&(b.segment, b.doc)));
                hits[..window].sort_by(by_score);
                if window < hits.len() {
                    hits[window..].iter_mut().for_each(|hit| hit.score *= rescore.query_weight);
                    hits.sort_by(by_score);
                }
                self.at += 1;
                self.next = 0;
            }
            if self.at < self.rescorers.len() && (budget.should_yield)() {
                return Ok(Step::Yield);
            }
        }
        Ok(Step::Done)
    }
}
