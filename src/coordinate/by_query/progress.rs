//! How far an operation is, as those see it who ask for its tasks; and the pauses that keep it to its speed.

use super::status::{Part, Shown, Status};
use crate::tasks::{Progress, Told};
use pith_net::rt::{self, Notify};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The longest pause after a page.
const PAUSE_MAX: Duration = Duration::from_secs(3600);

/// Of a task that goes through documents: a whole operation, or one slice of it.
pub struct OfWorker {
    /// As it was when it was last published; speed and pauses are told anew.
    published: RefCell<Status>,
    /// Documents a second.
    speed: Cell<f32>,
    pause: Cell<Option<Pause>>,
    /// Rung when the pause is another one.
    changed: Notify,
}

#[derive(Clone, Copy)]
struct Pause {
    /// How long it is; of one that was changed, how long it still was from then on.
    length: Duration,
    until: Instant,
    /// The speed that it was made for.
    speed: f32,
}

impl Pause {
    fn from_now(length: Duration, speed: f32) -> Self {
        Self { length, until: Instant::now() + length, speed }
    }

    fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }
}

impl OfWorker {
    pub fn new(speed: f32) -> Rc<Self> {
        Rc::new(Self {
            published: RefCell::default(),
            speed: Cell::new(speed),
            pause: Cell::default(),
            changed: Notify::new(),
        })
    }

    pub fn speed(&self) -> f32 {
        self.speed.get()
    }

    /// Shows what has been done to those who ask for the task.
    pub fn publish(&self, status: &Status) {
        self.published.replace(status.clone());
    }

    /// As long as a page of `count` documents has to take at the wanted speed, however long it took.
    pub fn pause_after(&self, count: u64) -> Duration {
        let length = Duration::try_from_secs_f32(count as f32 / self.speed.get());
        length.map_or(PAUSE_MAX, |length| length.min(PAUSE_MAX))
    }

    /// Waits for that. Gives how long the pause was that came to its end, which is what was left of it when the speed was last
    /// changed.
    pub async fn pause(&self, count: u64) -> Duration {
        self.pause.set(Some(Pause::from_now(self.pause_after(count), self.speed.get())));
        let mut waited = Duration::ZERO;
        while let Some(pause) = self.pause.get() {
            waited = pause.length;
            let left = pause.left();
            if left.is_zero() {
                break;
            }
            rt::timeout(left, self.changed.wait()).await;
        }
        self.pause.set(None);
        waited
    }

    /// What has been done so far.
    pub fn status(&self) -> Status {
        let throttled_until = self.pause.get().map_or(Duration::ZERO, |pause| pause.left());
        Status { requests_per_second: self.speed.get(), throttled_until, ..self.published.borrow().clone() }
    }
}

impl Progress for OfWorker {
    fn told(&self) -> Told {
        told(&self.status())
    }

    /// Who wants it slower gets that from the next page on. The reference measures what is left of a pause by the speed that
    /// the page began with, also where it has been changed before.
    fn rethrottle(&self, speed: f32) {
        self.speed.set(speed);
        let Some(pause) = self.pause.get().filter(|pause| speed >= pause.speed) else { return };
        let left = pause.left().mul_f32(if speed.is_finite() { pause.speed / speed } else { 0.0 });
        self.pause.set(Some(Pause::from_now(left, pause.speed)));
        self.changed.notify_one();
    }

    fn cancelled(&self) {
        self.rethrottle(f32::INFINITY);
    }
}

/// Of an operation in slices.
pub struct OfSlices {
    parts: RefCell<Vec<Part>>,
    workers: Vec<Rc<OfWorker>>,
}

impl OfSlices {
    pub fn new(workers: Vec<Rc<OfWorker>>) -> Rc<Self> {
        Rc::new(Self { parts: RefCell::new(vec![Part::Running; workers.len()]), workers })
    }

    /// A slice has come to its end.
    pub fn ended(&self, slice: usize, part: Part) {
        self.parts.borrow_mut()[slice] = part;
    }

    fn running(&self) -> impl Iterator<Item = &Rc<OfWorker>> {
        let parts = self.parts.borrow().clone();
        self.workers.iter().zip(parts).filter(|(_, part)| matches!(part, Part::Running)).map(|(worker, _)| worker)
    }
}

impl Progress for OfSlices {
    /// Slices that still run are tasks of their own, and tell themselves.
    fn told(&self) -> Told {
        told(&Status::of_parts(self.parts.borrow().clone()))
    }

    fn told_with_parts(&self) -> Told {
        let with_running = |(part, worker): (&Part, &Rc<OfWorker>)| match part {
            Part::Running => Part::Done(worker.status()),
            ended => ended.clone(),
        };
        told(&Status::of_parts(self.parts.borrow().iter().zip(&self.workers).map(with_running).collect()))
    }

    /// The slices that still run share the speed.
    fn rethrottle(&self, speed: f32) {
        let share = speed / self.running().count() as f32;
        self.running().for_each(|worker| worker.rethrottle(share));
    }

    /// Slices are tasks of their own, and are cancelled themselves.
    fn cancelled(&self) {}
}

fn told(status: &Status) -> Told {
    Told { plain: status.to_json(Shown::OF_TASK), for_people: status.to_json(Shown::ALL) }
}
