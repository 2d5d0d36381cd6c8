//! A search that takes long is shared with cores that have nothing to do.
//!
//! ```text
//! core 0   |== 4 ms ==|== its half ====|                 |joins|
//! core 1      asleep   \\=== the other half, divided ===|/
//! core 2      asleep                   \\=== again =====|/
//! ```
//!
//! Segments do not change, so that any core may read them; what is in a shard's buffer is not searched at all. A search that is over soon
//! is never divided: what it takes to reach another core, and to do there again what comes before the first document, would be a good
//! part of it. Whoever asks for something of a core that helps does not wait for it: parts give way like all long work.

use super::search::{BUDGET, clock_ns};
use crate::observe::Pressure;
use crate::tasks::{Cost, Meter, check_cancelled, check_memory, current};
use pith_engine::pace::Pace;
use pith_engine::search::{Budget, Part, ShardResult, ShardSearch, Step};
use pith_engine::{Error, Result};
use pith_net::rt::{self, Remote};
use std::cell::Cell;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// How long a search works before it looks for others, and how long until it looks again.
const ALONE: Duration = Duration::from_millis(4);
const BETWEEN: Duration = Duration::from_micros(500);

/// Documents that have to be left of a search that is divided: what is gone through in about a tenth of [`ALONE`] or more.
const LEFT_MIN: u64 = 1 << 18;

/// The cores of a node, as they see each other.
#[derive(Debug, Default)]
pub struct Neighbours {
    cores: Vec<OnceLock<Remote>>,
}

impl Neighbours {
    pub fn new(cores: usize) -> Arc<Self> {
        Arc::new(Self { cores: (0..cores).map(|_| OnceLock::new()).collect() })
    }

    /// To be called by every core, once.
    pub fn enter(&self) {
        if let Some(place) = self.cores.get(rt::current_core()) {
            _ = place.set(Remote::current());
        }
    }

    /// A core that has nothing to do: the next one of them, so that not all turn to the first.
    fn asleep(&self) -> Option<&Remote> {
        let (count, here) = (self.cores.len(), rt::current_core());
        let mut others = (1..count).filter_map(|distance| self.cores[(here + distance) % count].get());
        others.find(|remote| remote.is_asleep())
    }
}

thread_local! {
    /// When the search that runs looks for others.
    static LOOK_AT_NS: Cell<u64> = const { Cell::new(u64::MAX) };
}

fn is_to_look() -> bool {
    let at = LOOK_AT_NS.get();
    at != u64::MAX && clock_ns() >= at
}

const LENDING_BUDGET: Budget = Budget { should_yield: || rt::need_preempt() || is_to_look(), ..BUDGET };

/// What a part found: its results in the order of their documents, and what that took.
type Found = Result<(Vec<ShardResult>, Cost)>;

/// Those who work at a search, together.
#[derive(Clone)]
pub struct Crew {
    neighbours: Arc<Neighbours>,
    pressure: Arc<Pressure>,
    /// Nobody wants the result any more.
    given_up: Arc<AtomicBool>,
    /// See [`ALONE`] and [`LEFT_MIN`].
    alone: Duration,
    least: u64,
}

/// Ends the work of others when it is dropped.
struct Lead<'a>(&'a Crew);

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        self.0.given_up.store(true, Ordering::Relaxed);
    }
}

/// A part that somebody else has, and what comes of it.
struct Lent {
    part: Part,
    found: Pin<Box<dyn Future<Output = Option<Found>>>>,
}

impl Crew {
    pub fn new(neighbours: Arc<Neighbours>, pressure: Arc<Pressure>) -> Self {
        Self { neighbours, pressure, given_up: Arc::default(), alone: ALONE, least: LEFT_MIN }
    }

    /// Searches, with the help of others if it takes long and `shares`.
    pub async fn search(&self, search: Box<ShardSearch>, shares: bool) -> Result<ShardResult> {
        let request = search.request().clone();
        let _lead = Lead(self);
        let alone = if shares { self.alone } else { Duration::MAX };
        let (mut results, lent) = self.work(search, alone).await?;
        if lent.is_empty() {
            return Ok(results.pop().unwrap_or_default());
        }
        let cost = Box::pin(self.gather(lent, &mut results)).await?;
        if let Some(task) = current() {
            task.took_elsewhere(cost);
        }
        ShardResult::joined(&request, results)
    }

    /// Searches, and gives away what others have time for. `alone`: how long it does not look for others at first.
    async fn work(&self, mut search: Box<ShardSearch>, alone: Duration) -> Result<(Vec<ShardResult>, Vec<Lent>)> {
        let mut lent = vec![];
        let looks = alone != Duration::MAX && self.neighbours.cores.len() > 1 && search.can_be_divided();
        let in_ns = |wait: Duration| u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX);
        let mut left = if looks { in_ns(alone) } else { u64::MAX };
        loop {
            let began = clock_ns();
            LOOK_AT_NS.set(if looks { began.saturating_add(left) } else { u64::MAX });
            if search.run(&LENDING_BUDGET)? == Step::Done {
                break;
            }
            if looks {
                left = left.saturating_sub(clock_ns().saturating_sub(began));
                if left == 0 {
                    left = in_ns(BETWEEN);
                    lent.extend(self.lend(&mut search));
                }
            }
            if rt::need_preempt() {
                rt::give_way().await;
            }
            self.check()?;
        }
        let result = search.finish_paced(&Pace::new(rt::must_give_way)).await?;
        Ok((vec![result], lent))
    }

    fn check(&self) -> Result<()> {
        check_cancelled()?;
        if self.given_up.load(Ordering::Relaxed) {
            return Err(crate::tasks::cancelled_error());
        }
        check_memory(&self.pressure)
    }

    /// Gives a part to a core that has nothing to do.
    fn lend(&self, search: &mut ShardSearch) -> Option<Lent> {
        let remote = self.neighbours.asleep()?;
        let part = search.divide(self.least)?;
        let (crew, own) = (self.clone(), part.clone());
        let found = remote.spawn(move || crew.part(own));
        Some(Lent { part, found: Box::pin(found) })
    }

    /// Searches a part, on whichever core this is.
    fn part(self, part: Part) -> Pin<Box<dyn Future<Output = Found>>> {
        Box::pin(async move {
            let meter = Meter::start();
            let search = part.search()?;
            let spent = Cell::new(meter.read());
            let (mut results, lent) =
                Metered { future: Box::pin(self.work(search, BETWEEN.min(self.alone))), spent: &spent }.await?;
            let elsewhere = self.gather(lent, &mut results).await?;
            Ok((results, spent.get().plus(elsewhere)))
        })
    }

    /// Waits for the parts that others have; what was given away last stands in front.
    async fn gather(&self, lent: Vec<Lent>, results: &mut Vec<ShardResult>) -> Result<Cost> {
        let mut cost = Cost::default();
        for Lent { part, found } in lent.into_iter().rev() {
            let found = match self.wait(found).await? {
                Some(found) => found,
                // That core has ended.
                None => self.clone().part(part).await,
            };
            let (found, spent) = found?;
            results.extend(found);
            cost = cost.plus(spent);
        }
        Ok(cost)
    }

    /// Waits, unless it is told to stop.
    async fn wait<T>(&self, found: impl Future<Output = T>) -> Result<T> {
        crate::tasks::within_task(async { Ok::<_, Error>(found.await) }).await
    }
}

/// Measures the runs of a future that no task counts.
struct Metered<'a, F> {
    future: Pin<Box<F>>,
    spent: &'a Cell<Cost>,
}

impl<F: Future> Future for Metered<'_, F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut std::task::Context<'_>) -> std::task::Poll<F::Output> {
        let meter = Meter::start();
        let polled = self.future.as_mut().poll(cx);
        self.spent.set(self.spent.get().plus(meter.read()));
        polled
    }
}

#[cfg(test)]
mod tests {
    use super::super::protocol::RefreshPolicy;
    use super::super::tests::{Data, open, search, write};
    use super::*;
    use pith_engine::search::SearchRequest;
    use pith_engine::shard::WriteOp;
    use pith_net::rt::Topology;

    /// Two cores: one of them has a shard, the other one nothing to do until the first is done.
    #[test]
    fn a_core_that_sleeps_helps_and_nothing_is_found_otherwise() {
        let (data, neighbours, done) = (Data::new("lending"), Neighbours::new(2), Arc::new(AtomicBool::new(false)));
        let path = data.0.clone();
        let (others, over) = (neighbours.clone(), done.clone());
        let ended = rt::run(&Topology { cpus: vec![0, 0] }, move |core| {
            let (path, neighbours, done) = (path.clone(), others.clone(), over.clone());
            async move {
                neighbours.enter();
                if core == 0 {
                    share(&path, &neighbours).await;
                    done.store(true, Ordering::Release);
                }
                while !done.load(Ordering::Acquire) {
                    rt::sleep(Duration::from_millis(20)).await;
                }
            }
        });
        assert!(ended.expect("executors start").iter().all(Result::is_ok));
    }

    async fn share(path: &std::path::Path, neighbours: &Arc<Neighbours>) {
        let host = open(path).await;
        for batch in 0..12 {
            let doc =
                |n: usize| WriteOp::index(format!("{batch}-{n}"), format!(r#"{{"n":{},"t":"word w{n}"}}"#, n % 7));
            write(&host, (0..40).map(doc).collect(), RefreshPolicy::Immediate).await.unwrap();
        }
        let mut lent = 0;
        for body in [
            r#"{"query":{"match":{"t":"word w3"}},"aggs":{"n":{"terms":{"field":"n","size":3},"aggs":{"s":{"stats":{"field":"n"}}}}}}"#,
            r#"{"size":0,"query":{"bool":{"must":[{"match":{"t":"word"}}],"must_not":[{"match":{"t":"w5"}}]}},"track_total_hits":true}"#,
            r#"{"size":30,"query":{"match":{"t":"w1 w2 word"}}}"#,
        ] {
            let alone = search(&host, body, false).await;
            let request = Arc::new(SearchRequest::parse(Some(body.as_bytes()), &[]).unwrap());
            for _ in 0..20 {
                let crew = crew_of(neighbours);
                let shared = ShardSearch::new(&request, alone.context.clone()).unwrap();
                let found = crew.search(shared, true).await.unwrap();
                assert_eq!((found.total, &found.hits), (alone.result.total, &alone.result.hits), "{body}");
                assert_eq!(format!("{:?}", found.aggs), format!("{:?}", alone.result.aggs), "{body}");
                rt::sleep(Duration::from_millis(1)).await;
                // What `search` does, to count the parts.
                let again = ShardSearch::new(&request, alone.context.clone()).unwrap();
                let (mut results, parts) = crew_of(neighbours).work(again, Duration::ZERO).await.unwrap();
                lent += parts.len();
                crew_of(neighbours).gather(parts, &mut results).await.unwrap();
                assert_eq!(ShardResult::joined(&request, results).unwrap().hits, alone.result.hits, "{body}");
            }
        }
        assert!(lent > 0, "the other core slept");
    }

    /// That looks for others at once, whatever is left.
    fn crew_of(neighbours: &Arc<Neighbours>) -> Crew {
        Crew { alone: Duration::ZERO, least: 2, ..Crew::new(neighbours.clone(), Arc::default()) }
    }
}
