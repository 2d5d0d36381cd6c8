//! Points in time that outlive a request: scrolls, and points in time proper.
//!
//! A context keeps the snapshot of one shard, on the shard's core, until it is freed, until its time is over, or until
//! the shard goes. Its key is made by the core that a client asked; the client holds it (see `coordinate`).

use super::open_shard::OpenShard;
use super::protocol::{SegmentInfo, ShardAddr};
use pith_engine::search::{SearchRequest, ShardContext, ShardHit, Slice};
use pith_engine::segment::Segment;
use pith_engine::shard::SearchStats;
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Names a context on all shards that belong to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ContextKey {
    /// Unique in the cluster and over starts.
    pub maker: Arc<str>,
    /// What messages call the context.
    pub number: u64,
}

/// What a context is for.
#[derive(Clone, Debug)]
pub enum Purpose {
    Scroll {
        request: Arc<SearchRequest>,
        slice: Option<Slice>,
        /// What is found is written anew, or deleted.
        rewrites: bool,
        /// The user who began it and alone may go on with it; none where nobody is asked who they are.
        owner: Option<Arc<str>>,
    },
    PointInTime {
        /// What the client knows it by.
        id: Arc<str>,
        created_ms: i64,
    },
}

/// A context that is wanted.
#[derive(Clone, Debug)]
pub struct OpenContext {
    pub key: ContextKey,
    pub purpose: Purpose,
    pub keep_alive: Duration,
    /// How many of its kind the node may have (`search.max_open_scroll_context`, `search.max_open_pit_context`).
    pub most: usize,
}

/// Which contexts are to be freed.
#[derive(Clone, Debug)]
pub enum Free {
    Keys(Vec<ContextKey>),
    Scrolls,
    PointsInTime,
}

/// What is told of a point in time.
#[derive(Clone, Debug, PartialEq)]
pub struct PointInTimeInfo {
    pub id: Arc<str>,
    pub created_ms: i64,
    pub keep_alive_ms: u64,
    /// Of the shard that tells of it.
    pub segments: Vec<SegmentInfo>,
}

/// Contexts of all cores of a node, counted for their bounds.
#[derive(Debug, Default)]
pub struct OpenContexts {
    scrolls: AtomicUsize,
    points_in_time: AtomicUsize,
}

/// One context.
pub struct Context {
    pub shard: ShardContext,
    pub purpose: Purpose,
    /// The last hit of this shard that a scroll has shown.
    pub shown: RefCell<Option<ShardHit>>,
    /// What the first page found, which later ones repeat.
    pub totals: Cell<Option<Totals>>,
    keep_alive: Cell<Duration>,
    used: Cell<Instant>,
    opened: Instant,
    running: Cell<usize>,
}

#[derive(Clone, Copy, Debug)]
pub struct Totals {
    pub total: u64,
    pub is_lower_bound: bool,
    pub max_score: Option<f32>,
}

/// The contexts of a core.
#[derive(Default)]
pub struct Contexts {
    open: RefCell<HashMap<(ContextKey, ShardAddr), Rc<Context>>>,
}

/// A context in use: it is not reaped meanwhile.
pub struct InUse(Rc<Context>);

impl std::ops::Deref for InUse {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.0
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        self.0.running.set(self.0.running.get() - 1);
        self.0.used.set(rt::now());
    }
}

/// The error for a context that is not there (any more).
#[cold]
pub fn missing(number: u64) -> Error {
    Error::new(ErrorKind::SearchContextMissing, format!("No search context found for id [{number}]"))
}

impl Contexts {
    /// Finds a context. `keep_alive` is how long it is wanted from now on, if that changes.
    pub fn find(&self, key: &ContextKey, addr: &ShardAddr, keep_alive: Option<Duration>) -> Result<InUse> {
        let open = self.open.borrow();
        let context = open.get(&(key.clone(), addr.clone())).ok_or_else(|| missing(key.number))?;
        if let Some(keep_alive) = keep_alive {
            context.keep_alive.set(keep_alive.max(context.keep_alive.get()));
        }
        context.running.set(context.running.get() + 1);
        Ok(InUse(context.clone()))
    }

    /// Takes out the contexts whose time is over. The places of their shards are given.
    fn expired(&self) -> Vec<(ShardAddr, Rc<Context>)> {
        let is_over = |context: &Context| {
            context.running.get() == 0 && rt::elapsed(context.used.get()) > context.keep_alive.get()
        };
        self.take(|_, context| is_over(context))
    }

    fn take(
        &self,
        mut wanted: impl FnMut(&(ContextKey, ShardAddr), &Context) -> bool,
    ) -> Vec<(ShardAddr, Rc<Context>)> {
        let mut open = self.open.borrow_mut();
        open.extract_if(|key, context| wanted(key, context)).map(|((_, addr), context)| (addr, context)).collect()
    }
}

impl Context {
    fn rewrites(&self) -> bool {
        matches!(self.purpose, Purpose::Scroll { rewrites: true, .. })
    }
}

impl Purpose {
    fn gauge<'s>(&self, stats: &'s mut SearchStats) -> (&'s mut u64, &'s mut u64, &'s mut u64) {
        match self {
            Self::Scroll { .. } => (&mut stats.scroll_current, &mut stats.scroll_total, &mut stats.scroll_time_ns),
            Self::PointInTime { .. } => {
                (&mut stats.point_in_time_current, &mut stats.point_in_time_total, &mut stats.point_in_time_time_ns)
            }
        }
    }

    fn counter<'c>(&self, counts: &'c OpenContexts) -> &'c AtomicUsize {
        match self {
            Self::Scroll { .. } => &counts.scrolls,
            Self::PointInTime { .. } => &counts.points_in_time,
        }
    }

    #[cold]
    fn too_many(&self, most: usize) -> Error {
        let (what, setting) = match self {
            Self::Scroll { .. } => ("scroll", "search.max_open_scroll_context"),
            Self::PointInTime { .. } => ("Point In Time", "search.max_open_pit_context"),
        };
        Error::new(
            ErrorKind::RejectedExecution,
            format!(
                "Trying to create too many {what} contexts. Must be less than or equal to: [{most}]. This limit can be set by changing the [{setting}] setting."
            ),
        )
    }
}

impl OpenShard {
    /// Keeps `shard` as a context.
    pub fn open_context(&self, shard: ShardContext, wanted: OpenContext) -> Result<InUse> {
        let OpenContext { key, purpose, keep_alive, most } = wanted;
        let counts = &self.core.config.contexts;
        let counter = purpose.counter(counts);
        if counter.fetch_add(1, Ordering::Relaxed) >= most {
            counter.fetch_sub(1, Ordering::Relaxed);
            return Err(purpose.too_many(most));
        }
        let stats = &mut self.counters.borrow_mut().search;
        stats.open_contexts += 1;
        *purpose.gauge(stats).0 += 1;
        let now = rt::now();
        let context = Rc::new(Context {
            shard,
            purpose,
            shown: RefCell::new(None),
            totals: Cell::new(None),
            keep_alive: Cell::new(keep_alive),
            used: Cell::new(now),
            opened: now,
            running: Cell::new(1),
        });
        self.core.contexts.open.borrow_mut().insert((key, self.addr.clone()), context.clone());
        Ok(InUse(context))
    }

    /// The points in time of this shard.
    pub fn points_in_time(&self) -> Vec<PointInTimeInfo> {
        let open = self.core.contexts.open.borrow();
        let here = open.iter().filter(|((_, at), _)| *at == self.addr);
        here.filter_map(|(_, context)| match &context.purpose {
            Purpose::PointInTime { id, created_ms } => Some(PointInTimeInfo {
                id: id.clone(),
                created_ms: *created_ms,
                keep_alive_ms: u64::try_from(context.keep_alive.get().as_millis()).unwrap_or(u64::MAX),
                segments: context.shard.snapshot.segments.iter().map(|view| self.about_segment(view)).collect(),
            }),
            Purpose::Scroll { .. } => None,
        })
        .collect()
    }

    /// The segments that requests which go on write anew, or empty. Merging them would be for nothing.
    pub fn rewritten_segments(&self) -> Vec<Arc<Segment>> {
        let open = self.core.contexts.open.borrow();
        let rewriting = open.iter().filter(|((_, at), context)| *at == self.addr && context.rewrites());
        let segments = rewriting.flat_map(|(_, context)| &context.shard.snapshot.segments);
        segments.map(|view| view.segment.clone()).collect()
    }

    /// Frees contexts of this shard; gives how many.
    pub fn free_contexts(self: &Rc<Self>, which: &Free) -> usize {
        let wanted = |(key, addr): &(ContextKey, ShardAddr), context: &Context| {
            *addr == self.addr
                && match (which, &context.purpose) {
                    (Free::Keys(keys), _) => keys.contains(key),
                    (Free::Scrolls, purpose) => matches!(purpose, Purpose::Scroll { .. }),
                    (Free::PointsInTime, purpose) => matches!(purpose, Purpose::PointInTime { .. }),
                }
        };
        let freed = self.core.contexts.take(wanted);
        freed.iter().for_each(|(_, context)| self.freed(context));
        freed.len()
    }

    /// Frees all contexts of this shard: its end.
    pub fn free_all_contexts(&self) {
        for (_, context) in self.core.contexts.take(|(_, addr), _| *addr == self.addr) {
            self.count_freed(&context);
        }
    }

    fn freed(self: &Rc<Self>, context: &Context) {
        self.count_freed(context);
        if context.rewrites() {
            self.schedule_merge();
        }
    }

    fn count_freed(&self, context: &Context) {
        context.purpose.counter(&self.core.config.contexts).fetch_sub(1, Ordering::Relaxed);
        let stats = &mut self.counters.borrow_mut().search;
        stats.open_contexts = stats.open_contexts.saturating_sub(1);
        let (current, total, time_ns) = context.purpose.gauge(stats);
        *current = current.saturating_sub(1);
        *total += 1;
        *time_ns += u64::try_from(rt::elapsed(context.opened).as_nanos()).unwrap_or(u64::MAX);
    }
}

impl super::host::Core {
    /// Frees the contexts whose time is over.
    pub fn reap_contexts(&self) {
        for (addr, context) in self.contexts.expired() {
            // A shard frees its contexts before it goes, so it is there.
            if let Ok(shard) = self.find(&addr) {
                shard.freed(&context);
            }
        }
    }
}
