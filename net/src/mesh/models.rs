//! Loom runs each of these through every interleaving (with at most three forced preemptions) and every value that the memory
//! model lets a load return. A lost wake-up shows as a deadlock, a torn slot as a data race.

use std::future::poll_fn;

use loom::{future::block_on, model::Builder, thread};

use super::ring::{Consumer, Producer, ring};
use crate::{
    atomic::{Arc, AtomicUsize, Ordering},
    rt::bell::Bell,
};

fn check(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(model);
}

fn sleep_until<T>(bell: &Bell, mut look: impl FnMut() -> Option<T>) -> T {
    let sleeper = bell.sleeper();
    block_on(poll_fn(|cx| sleeper.poll(cx, &mut look)))
}

fn pop_all(consumer: &mut Consumer<u32>, count: u32, own: &Bell, producers: &Bell) {
    for expected in 1..=count {
        let item = sleep_until(own, || consumer.pop());
        assert_eq!(item, expected, "first in, first out");
        if consumer.settle() {
            producers.ring();
        }
    }
}

fn push_all(producer: &mut Producer<u32>, count: u32, own: &Bell, consumers: &Bell) {
    for item in 1..=count {
        sleep_until(own, || producer.push(item).ok());
        consumers.ring();
    }
}

#[test]
fn a_sleeping_consumer_is_woken_for_every_item() {
    check(|| {
        let (mut producer, mut consumer) = ring(2);
        let bells = Arc::new((Bell::new(), Bell::new()));
        let theirs = bells.clone();
        let sender = thread::spawn(move || push_all(&mut producer, 2, &theirs.0, &theirs.1));
        pop_all(&mut consumer, 2, &bells.1, &bells.0);
        sender.join().expect("it ended");
    });
}

#[test]
fn a_producer_at_a_full_ring_is_woken_when_there_is_room() {
    check(|| {
        let (mut producer, mut consumer) = ring(1);
        let bells = Arc::new((Bell::new(), Bell::new()));
        let theirs = bells.clone();
        let sender = thread::spawn(move || push_all(&mut producer, 3, &theirs.0, &theirs.1));
        pop_all(&mut consumer, 3, &bells.1, &bells.0);
        sender.join().expect("it ended");
    });
}

#[test]
fn two_ringers_and_one_sleeper() {
    check(|| {
        let shared = Arc::new((Bell::new(), AtomicUsize::new(0)));
        let ringers: Vec<_> = (0..2)
            .map(|_| {
                let shared = shared.clone();
                thread::spawn(move || {
                    shared.1.fetch_add(1, Ordering::Release);
                    shared.0.ring();
                })
            })
            .collect();
        sleep_until(&shared.0, || (shared.1.load(Ordering::Acquire) == 2).then_some(()));
        for ringer in ringers {
            ringer.join().expect("it ended");
        }
    });
}

#[test]
fn a_call_is_answered() {
    check(|| {
        let (mut ask, mut asked) = ring(1);
        let (mut answer, mut answered) = ring(1);
        let bells = Arc::new((Bell::new(), Bell::new()));
        let theirs = bells.clone();
        let callee = thread::spawn(move || {
            let question: u32 = sleep_until(&theirs.1, || asked.pop());
            answer.push(question + 1).expect("one answer fits");
            theirs.0.ring();
        });
        ask.push(41).expect("one question fits");
        bells.1.ring();
        assert_eq!(sleep_until(&bells.0, || answered.pop()), 42);
        callee.join().expect("it ended");
    });
}

#[test]
fn items_left_in_a_ring_are_dropped() {
    check(|| {
        let (mut producer, mut consumer) = ring::<Box<u32>>(2);
        let sender = thread::spawn(move || {
            producer.push(Box::new(1)).expect("it fits");
            producer.push(Box::new(2)).expect("it fits");
        });
        let first = consumer.pop();
        assert!(first.is_none_or(|item| *item == 1));
        drop(consumer);
        sender.join().expect("it ended");
    });
}
