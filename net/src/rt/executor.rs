//! The loop of a core.
//!
//! ```text
//! ┌─► wakes of other threads ─► answers of the ring ─► timers ─┬─► the tasks that are ready now, each once ─┐
//! │                                                            └─► none: sleep, in the ring                 │
//! └────────────────────────────────────────────────────────────────────────────────────────────────────────┘
//! ```

use std::{
    cell::Cell,
    future::Future,
    io,
    pin::pin,
    rc::Rc,
    sync::{
        Arc,
        mpsc::{self, Receiver},
    },
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use super::{
    bell::Sleeper,
    busy::BusyMeter,
    core::{self, Core, Live},
    figures::{Figures, Stretches},
    home::Home,
    reactor::Reactor,
    remote::{self, Inbox},
    run_queue::{Ready, RunQueue},
    signal,
    simulation::Simulation,
    stall::Meter,
    task::{Class, Panicked, spawn_in},
    timers::Timers,
};

/// How long tasks may keep the core before [`super::need_preempt`] asks for it and the ring is looked at again.
const TURN: Duration = Duration::from_millis(2);

/// One core's, of the thread that made it.
pub(super) struct Executor {
    home: Arc<Home>,
    inbound: Receiver<Ready>,
    reactor: Reactor,
    simulation: Option<Simulation>,
}

impl Executor {
    pub fn new() -> io::Result<Self> {
        let (home, inbound) = Home::new()?;
        let reactor = Reactor::new(home.raw())?;
        Ok(Self { home, inbound, reactor, simulation: None })
    }

    /// The same in a made-up world.
    pub fn simulated(self, simulation: Simulation) -> Self {
        Self { simulation: Some(simulation), ..self }
    }

    /// Runs `main` to its end as core `index`, and all tasks meanwhile; those that are left are dropped.
    pub fn run(
        self,
        index: usize,
        inbox: Arc<Inbox>,
        posts: mpsc::Receiver<Box<dyn FnOnce() + Send>>,
        main: impl Future<Output = ()> + 'static,
    ) -> Result<(), Panicked> {
        let Self { home, inbound, reactor, simulation } = self;
        let core = core::enter(Core {
            index,
            home: home.clone(),
            reactor,
            timers: Timers::default(),
            queue: RunQueue::default(),
            live: Live::default(),
            class: Cell::new(Class::Latency),
            task_began: Cell::new(Instant::now()),
            turn_end: Cell::new(Instant::now()),
            inbox: inbox.clone(),
            meter: Meter::new(),
            busy: BusyMeter::new(Instant::now()),
            figures: Cell::new(Figures::default()),
            stretches: Stretches::new(Instant::now()),
            stop_waiters: signal::Waiters::default(),
            simulation,
        });
        spawn_in(Class::Latency, remote::attend(inbox, posts)).detach();
        let main = spawn_in(Class::Latency, main);
        turn_until(&core, &inbound, || main.is_finished());
        let Poll::Ready(ended) = pin!(main.join()).poll(&mut Context::from_waker(Waker::noop())) else {
            unreachable!("it has finished, and nobody else takes its result");
        };
        core.live.close();
        core.timers.clear();
        core.reactor.drain();
        core::leave();
        ended
    }
}

fn turn_until(core: &Rc<Core>, inbound: &Receiver<Ready>, ended: impl Fn() -> bool) {
    let sleeper = core.home.bell().sleeper();
    let rouser = core.home.rouser();
    // Read at the end of whatever takes time, and valid until the next: a request would otherwise read the clock at every step.
    let mut now = Instant::now();
    while !ended() {
        take_inbound(core, inbound);
        if let Some(simulation) = &core.simulation {
            simulation.turn(core);
            continue;
        }
        if core.reactor.poll() {
            now = Instant::now();
        }
        if core.timers.next().is_some() {
            core.timers.fire(now);
        }
        now = match core.queue.len() {
            0 => sleep(core, &sleeper, &rouser, now),
            ready => run_ready(core, ready, now),
        };
    }
}

fn take_inbound(core: &Core, inbound: &Receiver<Ready>) {
    if !core.home.has_inbound() {
        return;
    }
    while let Ok(ready) = inbound.try_recv() {
        core.home.taken();
        core.queue.push(ready);
    }
}

/// Runs the tasks that are ready now, but not those that they make ready, so that a task that yields in a loop does not keep the
/// core from its ring. Gives the time at which they end.
fn run_ready(core: &Core, ready: usize, mut now: Instant) -> Instant {
    core.busy.look(now);
    let (began, turn_end) = (now, now + TURN);
    core.turn_end.set(turn_end);
    let mut figures = core.figures.get();
    for _ in 0..ready {
        let Some(next) = core.queue.pop() else { break };
        let Some(task) = core.live.get(next) else { continue };
        figures.polls += 1;
        figures.waited += now - began;
        core.class.set(next.class);
        core.task_began.set(now);
        core.stretches.begin(now);
        task.run();
        let started = std::mem::replace(&mut now, Instant::now());
        core.stretches.end(now);
        let gave_way = core.queue.account(next.class, now - started);
        if core.meter.end(started, now, core.index, task.name()) {
            figures.stalls += 1;
            figures.stalled_by = Some(task.name());
        }
        // What made a long task give way is not kept waiting by the next long one.
        if now >= turn_end || gave_way && core.has_news() {
            break;
        }
    }
    figures.turns += 1;
    figures.longest_turn = figures.longest_turn.max(now - began);
    core.figures.set(figures);
    now
}

/// Sleeps until the ring answers, a timer ends or another thread wakes a task; gives the time then.
fn sleep(core: &Core, sleeper: &Sleeper<'_>, rouser: &Waker, now: Instant) -> Instant {
    let inbound = || core.home.has_inbound().then_some(());
    if sleeper.poll(&mut Context::from_waker(rouser), inbound).is_ready() {
        return now;
    }
    match core.timers.next().map(|at| at.saturating_duration_since(now)) {
        Some(Duration::ZERO) => {}
        limit => core.reactor.sleep(limit),
    }
    sleeper.awake();
    let woken = Instant::now();
    core.busy.slept(now, woken);
    woken
}
