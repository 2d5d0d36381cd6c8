//! `ping [cores]`: how long a call from core 0 to core 1 takes over the mesh, from parked and while busy, and how long a group of durable
//! appends takes.

use std::{
    rc::Rc,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use pith_net::{
    mesh::{self, Mesh},
    rt::{self, Topology, file::AppendFile},
};

const LIMIT: Duration = Duration::from_secs(60);

fn main() {
    let cores = std::env::args().nth(1).map_or(2, |cores| cores.parse().expect("a number"));
    let seats = Arc::new(Mutex::new(mesh::build::<u64, u64>(cores).into_iter().map(Some).collect::<Vec<_>>()));
    let ended = rt::run(&Topology::first(cores), move |core| {
        let seat = seats.lock().expect("short")[core].take().expect("one core, one seat");
        async move {
            let mesh = seat.join(|_, q| Box::pin(async move { q + 1 }));
            if core == 0 {
                calls(&mesh).await;
                appends().await;
            }
            mesh.leave(LIMIT).await;
        }
    });
    println!("{:?}, {} stalls", ended.expect("executors start"), rt::stalls());
}

async fn calls(mesh: &Mesh<u64, u64>) {
    let mut parked = Vec::new();
    for i in 0..200 {
        rt::sleep(Duration::from_millis(2)).await;
        let begun = Instant::now();
        assert_eq!(mesh.call(1, i).await, Ok(i + 1));
        parked.push(begun.elapsed());
    }
    parked.sort_unstable();
    println!("from parked: {:?} (median), {:?} (p90)", parked[100], parked[180]);
    for at_once in [1, 64] {
        let begun = Instant::now();
        let tasks: Vec<_> = (0..at_once)
            .map(|_| {
                let mesh = mesh.clone();
                rt::spawn(async move {
                    let mut calls = 0u64;
                    while begun.elapsed() < Duration::from_secs(1) {
                        assert_eq!(mesh.call(1, calls).await, Ok(calls + 1));
                        calls += 1;
                    }
                    calls
                })
            })
            .collect();
        let mut calls = 0;
        for task in tasks {
            calls += task.await;
        }
        println!("busy, {at_once} at once: {calls} calls/s; {:?}", mesh.stats());
    }
}

async fn appends() {
    let path = std::env::temp_dir().join(format!("pith-ping-{}", std::process::id()));
    for writers in [1u32, 256] {
        let file = Rc::new(AppendFile::create(&path).await.expect("the disk has room"));
        let begun = Instant::now();
        let tasks: Vec<_> = (0..writers)
            .map(|_| {
                let file = file.clone();
                rt::spawn(async move {
                    let mut done = 0u32;
                    while begun.elapsed() < Duration::from_secs(1) {
                        let appended = file.append(vec![7; 200]);
                        let synced = file.sync();
                        appended.await.expect("the disk has room");
                        synced.await.expect("the disk has room");
                        done += 1;
                    }
                    done
                })
            })
            .collect();
        let mut done = 0;
        for task in tasks {
            done += task.await;
        }
        println!("{writers} writers: {:.0} durable appends/s", f64::from(done) / begun.elapsed().as_secs_f64());
        Rc::into_inner(file).expect("all writers have ended").close().await.expect("closed");
    }
    rt::file::remove_file(&path).await.expect("it is ours");
}
