use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use super::*;
use crate::rt::Topology;

type Boxed<R> = Pin<Box<dyn Future<Output = R>>>;

/// Runs `main` on every core of a mesh whose rings hold `capacity`, with a handler that adds the core's number.
fn on_mesh<Fut: Future<Output = ()> + 'static>(
    cores: usize,
    capacity: usize,
    handler: impl Fn(usize, u64) -> Boxed<u64> + Clone + Send + 'static,
    main: impl Fn(Mesh<u64, u64>) -> Fut + Clone + Send + 'static,
) -> Vec<Result<(), String>> {
    let seats: Vec<_> = build_with(cores, capacity).into_iter().map(Some).collect();
    let seats = Arc::new(Mutex::new(seats));
    rt::run(&Topology::first(cores), move |core| {
        let seat = seats.lock().expect("nobody panics here")[core].take().expect("one core, one seat");
        let (main, handler) = (main.clone(), handler.clone());
        async move { main(seat.join(handler)).await }
    })
    .expect("executors start")
}

#[test]
fn every_core_can_call_every_core() {
    let ended = on_mesh(
        4,
        RING,
        |from, q| Box::pin(async move { q * 10 + from as u64 }),
        move |mesh| async move {
            for round in 0..50 {
                for core in 0..mesh.cores() {
                    assert_eq!(mesh.call(core, round).await, Ok(round * 10 + mesh.core() as u64));
                }
            }
            assert_eq!(mesh.stats().calls, 150);
            assert!(mesh.leave(Duration::from_secs(10)).await);
            assert_eq!((mesh.stats().handled, mesh.stats().late), (150, 0));
        },
    );
    assert_eq!(ended, vec![Ok(()); 4]);
}

#[test]
fn more_calls_than_the_ring_holds_wait_and_keep_their_order() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let recorded = seen.clone();
    let handler = move |_: usize, q: u64| -> Boxed<u64> {
        recorded.lock().expect("short").push(q);
        Box::pin(async move {
            rt::sleep(Duration::from_micros(100)).await;
            q
        })
    };
    let ended = on_mesh(2, 4, handler, move |mesh| async move {
        if mesh.core() == 0 {
            let calls: Vec<_> = (0..5000)
                .map(|q| {
                    let mesh = mesh.clone();
                    rt::spawn(async move { assert_eq!(mesh.call(1, q).await, Ok(q)) })
                })
                .collect();
            for call in calls {
                call.await;
            }
            assert!(mesh.stats().full > 0);
        }
        assert!(mesh.leave(Duration::from_secs(10)).await);
    });
    assert_eq!(ended, vec![Ok(()); 2]);
    assert_eq!(*seen.lock().expect("short"), (0..5000).collect::<Vec<_>>());
}

#[test]
fn a_panic_in_a_handler_loses_its_call_only() {
    let handler = |_: usize, q: u64| -> Boxed<u64> {
        assert_ne!(q, 1, "panics before the future");
        Box::pin(async move {
            assert_ne!(q, 2, "panics inside it");
            q
        })
    };
    let ended = on_mesh(2, RING, handler, move |mesh| async move {
        for core in 0..2 {
            let answers = [
                mesh.call(core, 0).await,
                mesh.call(core, 1).await,
                mesh.call(core, 2).await,
                mesh.call(core, 3).await,
            ];
            assert_eq!(answers, [Ok(0), Err(Lost { core }), Err(Lost { core }), Ok(3)]);
        }
        assert!(mesh.leave(Duration::from_secs(10)).await);
    });
    assert_eq!(ended, vec![Ok(()); 2]);
}

#[test]
fn a_core_that_ends_loses_the_calls_to_it() {
    let ended = on_mesh(
        2,
        4,
        |_, _| Box::pin(std::future::pending()),
        |mesh| async move {
            if mesh.core() == 1 {
                rt::sleep(Duration::from_millis(20)).await;
                return;
            }
            let calls: Vec<_> = (0..20)
                .map(|q| {
                    let mesh = mesh.clone();
                    rt::spawn(async move { mesh.call(1, q).await })
                })
                .collect();
            for call in calls {
                assert_eq!(call.await, Err(Lost { core: 1 }));
            }
            assert_eq!(mesh.call(1, 0).await, Err(Lost { core: 1 }));
        },
    );
    assert_eq!(ended, vec![Ok(()); 2]);
}

#[test]
fn a_caller_that_gives_up_leaves_nothing_behind() {
    // How many calls each core has given up: those it has not are not answered, however slow the machine is.
    let given_up: Arc<[AtomicU64; 2]> = Arc::default();
    let seen = given_up.clone();
    let handler = move |from: usize, q: u64| -> Boxed<u64> {
        let seen = seen.clone();
        Box::pin(async move {
            while seen[from].load(SeqCst) < q {
                rt::yield_now().await;
            }
            q
        })
    };
    let ended = on_mesh(2, 2, handler, move |mesh| {
        let given_up = given_up.clone();
        async move {
            let other = 1 - mesh.core();
            for call in 1..=20 {
                assert_eq!(rt::timeout(Duration::from_micros(50), mesh.call(other, call)).await, None);
                given_up[mesh.core()].store(call, SeqCst);
            }
            assert_eq!(mesh.call(other, 1).await, Ok(1));
            assert!(mesh.leave(Duration::from_secs(10)).await);
        }
    });
    assert_eq!(ended, vec![Ok(()); 2]);
}
