//! `cycle [rounds] [cores]`: starts and stops everything again and again (executors, mesh, HTTP, files) and tells how long it takes to be
//! ready. A round that hangs ends the process with status 1 and says so.

use std::{
    io::{Read, Write},
    net::TcpStream,
    rc::Rc,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use pith_net::{
    http::{self, Config, Limits, Response},
    mesh,
    rt::{self, StopSignal, Topology},
};

const HANGS: Duration = Duration::from_secs(10);

fn main() {
    rt::preflight().expect("the machine is fit");
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<usize>().expect("a number"));
    let rounds = args.next().unwrap_or(200);
    let cores = args.next().unwrap_or(8);
    let dir = std::env::temp_dir().join(format!("pith-cycle-{}", std::process::id()));
    rt::prepare_data_path(&dir).expect("the temporary folder is usable");
    let mut ready = Vec::new();
    let begun = Instant::now();
    for round in 0..rounds {
        let (sender, receiver) = mpsc::channel();
        let dir = dir.clone();
        thread::spawn(move || sender.send(one_round(cores, dir)));
        match receiver.recv_timeout(HANGS) {
            Ok(took) => ready.push(took),
            Err(error) => {
                eprintln!("round {round} hangs: {error}");
                std::process::exit(1);
            }
        }
    }
    std::fs::remove_dir_all(&dir).expect("it is ours");
    ready.sort_unstable();
    println!(
        "{rounds} rounds of {cores} cores in {:?}; ready in {:?} (median), {:?} (worst); {} stalls, {} panics",
        begun.elapsed(),
        ready[ready.len() / 2],
        ready[ready.len() - 1],
        rt::stalls(),
        rt::panics(),
    );
}

/// Returns the time from nothing to the first answer.
fn one_round(cores: usize, dir: std::path::PathBuf) -> Duration {
    let begun = Instant::now();
    let (listener, addr) = http::listen(([127, 0, 0, 1], 0).into()).expect("a free port");
    let stop = StopSignal::new();
    let parts: Vec<_> =
        http::seats(listener, cores).into_iter().zip(mesh::build::<u64, u64>(cores)).map(Some).collect();
    let parts = Arc::new(Mutex::new(parts));
    let config = Config {
        limits: Limits::default(),
        error_page: |refusal| Response::new(refusal.status),
        stop: stop.clone(),
        tls: None,
    };
    let called = Arc::new(AtomicUsize::new(0));
    let node = thread::spawn({
        let called = called.clone();
        move || {
            rt::run(&Topology::first(cores), move |core| {
                let (seat, mesh) = parts.lock().expect("short")[core].take().expect("one core, one seat");
                let (config, called, dir) = (config.clone(), called.clone(), dir.clone());
                async move {
                    let mesh = mesh.join(|from, q| Box::pin(async move { q + from as u64 }));
                    let calls = rt::spawn(async move {
                        for other in 0..cores {
                            assert_eq!(mesh.call(other, 5).await, Ok(5 + core as u64));
                        }
                        let path = dir.join(format!("file-{core}"));
                        rt::file::write_new(&path, &[b"content"], false).await.expect("the disk has room");
                        assert_eq!(rt::file::read_all(&path).await.expect("it is there"), b"content");
                        called.fetch_add(1, Ordering::SeqCst);
                        assert!(mesh.leave(HANGS).await);
                    });
                    http::serve(
                        seat,
                        config,
                        Rc::new(|_| Box::pin(async { Response::new(200).body("ready") })),
                        Rc::new(|_| ()),
                    )
                    .await;
                    calls.await;
                }
            })
        }
    });
    let mut stream = TcpStream::connect(addr).expect("it listens");
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("it reads");
    let mut answer = [0; 43];
    stream.read_exact(&mut answer).expect("it answers");
    let ready = begun.elapsed();
    stop.trigger();
    let ended = node.join().expect("no panic").expect("executors start");
    assert!(ended.iter().all(Result::is_ok), "{ended:?}");
    assert_eq!(called.load(Ordering::SeqCst), cores);
    ready
}
