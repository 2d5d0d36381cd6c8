//! The power goes, at any call.
//!
//! `PITH_SEED=n` repeats one run; `PITH_SEEDS=n` makes so many. Without either, as many as fit into the time that a test may take.

use super::clients::{Clients, check};
use super::memory::Memory;
use super::world::World;
use pith_net::rt::file::SimulatedDisk;
use pith_net::rt::{self, Random};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long all seeds together may take where nobody says how many.
const TIME: Duration = Duration::from_secs(25);
const SEEDS: u64 = 300;
/// Longer than any request may take, in the time of the simulation.
const HANG: Duration = Duration::from_secs(600);
const STEPS: u64 = 25;

/// How many calls the clients make at most before the power goes.
const CALLS: u64 = 500;

/// One history of a node: it starts, is written to, loses its power, two or three times, and in the end has all that it acknowledged.
pub fn live(seed: u64, trace: bool) -> (Memory, Vec<String>) {
    let disk = SimulatedDisk::new(seed);
    if trace {
        disk.trace();
    }
    let mut random = Random::new(seed);
    let mut memory = Memory::default();
    for round in 0..2 + random.below(2) {
        let early = random.below(4) == 0;
        let calls = 1 + random.below(if early { 60 } else { CALLS });
        memory = one_life(&disk, seed ^ (round << 48), early, calls, memory);
        assert!(memory.refused.is_empty(), "refused without a fault: {:?}", memory.refused);
        disk.cut_power();
    }
    let end = disk.clone();
    let memory = rt::simulate(&disk, seed, move || async move {
        fastrand::seed(seed);
        let mut memory = memory;
        let world = World::start().await.unwrap_or_else(|why| panic!("the node does not start: {why}"));
        assert!(rt::timeout(HANG, check(&world, &mut memory)).await.is_some(), "the check hangs");
        // And once more after a clean stop.
        world.stop().await.expect("all shards close");
        let world = World::start().await.unwrap_or_else(|why| panic!("the node does not start again: {why}"));
        assert!(rt::timeout(HANG, check(&world, &mut memory)).await.is_some(), "the check hangs");
        memory
    });
    (memory, end.trace())
}

/// From a start to a power cut, which comes during the start if it comes `early`.
fn one_life(disk: &SimulatedDisk, seed: u64, early: bool, calls: u64, memory: Memory) -> Memory {
    let shared = Arc::new(Mutex::new(memory));
    let (end, kept) = (disk.clone(), shared.clone());
    rt::simulate(disk, seed, move || async move {
        fastrand::seed(seed);
        if early {
            end.stop_after(calls);
        }
        let life = async {
            let world = World::start().await.unwrap_or_else(|why| panic!("the node does not start: {why}"));
            let mut memory = kept.lock().expect("not shared yet").clone();
            check(&world, &mut memory).await;
            *kept.lock().expect("not shared yet") = memory;
            if !early {
                end.stop_after(calls);
            }
            Clients::new(&world, &kept, false).work(seed, STEPS).await;
        };
        let cut = async {
            end.stopped().await;
        };
        let ended = rt::timeout(HANG, futures_lite::future::or(life, cut)).await;
        assert!(ended.is_some(), "a request hangs");
    });
    shared.lock().expect("the run has ended").clone()
}

#[test]
fn nothing_that_was_acknowledged_is_lost_whenever_the_power_goes() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    if let Some(seed) = number("PITH_SEED") {
        let _ = tracing_subscriber::fmt().with_max_level(tracing::Level::DEBUG).with_test_writer().try_init();
        live(seed, false);
        return;
    }
    let began = Instant::now();
    let (seeds, time) = match number("PITH_SEEDS") {
        Some(seeds) => (seeds, Duration::MAX),
        None => (SEEDS, TIME),
    };
    let (next, acknowledged, failed) = (AtomicU64::new(1), AtomicU64::new(0), Mutex::new(vec![]));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while began.elapsed() < time {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed > seeds {
                        break;
                    }
                    match catch_unwind(AssertUnwindSafe(|| live(seed, false))) {
                        Ok((memory, _)) => drop(acknowledged.fetch_add(memory.acknowledged, Ordering::Relaxed)),
                        Err(_) => failed.lock().expect("only pushed to").push(seed),
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().expect("only pushed to");
    let (ran, acknowledged) = (next.into_inner().min(seeds), acknowledged.into_inner());
    println!("{ran} seeds, {acknowledged} acknowledgements, {:?}", began.elapsed());
    assert!(failed.is_empty(), "seeds {failed:?} failed; `PITH_SEED=<seed> scripts/dev power-cut` repeats one");
    assert!(acknowledged > 20 * ran, "the clients wrote next to nothing");
}

#[test]
fn a_seed_takes_the_same_steps_again() {
    // Names that are ids contain the real time.
    let steps = || -> Vec<String> {
        let (_, trace) = live(7, true);
        let is_id = |part: &&str| part.len() > 15 && !part.contains('.');
        trace.iter().map(|step| step.split('/').filter(|part| !is_id(part)).collect()).collect()
    };
    let (first, second) = (steps(), steps());
    let differs = first.iter().zip(&second).position(|(a, b)| a != b);
    assert_eq!(differs.map(|at| (at, &first[at], &second[at])), None);
    assert_eq!(first.len(), second.len());
}
