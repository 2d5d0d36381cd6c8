//! Starts the executors and gathers how they ended.

use std::{
    future::Future,
    io,
    sync::{Arc, Mutex, mpsc},
    thread,
    time::Duration,
};

use glommio::{Latency, LocalExecutor, LocalExecutorBuilder, Placement, Shares};

use super::{
    Topology, core,
    core::{Core, Live},
    offload,
    preflight::raise_open_files,
    remote::{self, Inbox},
    signal,
    stall::Meter,
    task::{Panicked, report_panic},
    topology::bind_current_thread,
    vigil,
};

/// Memory that glommio pins for each ring. Its default of 10 MiB would not fit the usual memlock limit of 8 MiB; larger
/// reads and writes simply use buffers that are not registered.
const IO_MEMORY: usize = 64 << 10;

/// How long a queue may keep the core before [`super::need_preempt`] asks for it; glommio's default is 100 ms.
const PREEMPT: Duration = Duration::from_millis(2);

const SHARES_LATENCY: usize = 1000;
const SHARES_BACKGROUND: usize = 250;

/// Starts one executor thread per entry of `topology` and runs `main(core)` on each. Returns when all have ended, with how each
/// did: an `Err` holds the message of the panic that ended it. No `main` starts unless all executors could be made.
///
/// Tasks that are still alive when `main` returns are dropped on their core.
pub fn run<F, Fut>(topology: &Topology, main: F) -> io::Result<Vec<Result<(), String>>>
where
    F: Fn(usize) -> Fut + Clone + Send + 'static,
    Fut: Future<Output = ()> + 'static,
{
    raise_open_files();
    offload::prepare();
    let (made_sender, made) = mpsc::channel::<io::Result<()>>();
    let mut gates = Vec::new();
    let mut threads = Vec::new();
    let mut inboxes = Vec::new();
    for index in 0..topology.len() {
        let (gate_sender, gate) = mpsc::channel::<()>();
        let (inbox, posts) = Inbox::new();
        inboxes.push(inbox.clone());
        let binding = topology.binding(index);
        let (main, made_sender) = (main.clone(), made_sender.clone());
        let body = move || {
            let executor = match make_executor(index, &binding) {
                Ok(executor) => executor,
                Err(error) => {
                    // The receiver outlives all senders of this loop.
                    let _ = made_sender.send(Err(error));
                    return Ok(());
                }
            };
            let _ = made_sender.send(Ok(()));
            if gate.recv().is_err() {
                return Ok(());
            }
            executor.run(run_core(index, inbox, posts, main(index)))
        };
        gates.push(gate_sender);
        match thread::Builder::new().name(format!("pith-core-{index}")).spawn(body) {
            Ok(handle) => threads.push(handle),
            // Dropping the gates sends the others home.
            Err(error) => return Err(error),
        }
    }
    drop(made_sender);
    for made in made.iter().take(topology.len()) {
        made?;
    }
    let registered = signal::Registered::new(inboxes);
    for gate in &gates {
        // A thread that is gone reports below.
        let _ = gate.send(());
    }
    let ended = threads
        .into_iter()
        .map(|thread| match thread.join() {
            Ok(result) => result.map_err(|panicked: Panicked| panicked.0),
            Err(payload) => Err(report_panic(payload, "executor").0),
        })
        .collect();
    drop(registered);
    Ok(ended)
}

/// Runs a future on one executor of its own and returns its result: for tests and small tools.
///
/// # Panics
/// When the executor cannot be made, or when `f` panics.
pub fn block_on<T, F, Fut>(f: F) -> T
where
    T: Send + 'static,
    F: FnOnce() -> Fut + Send + 'static,
    Fut: Future<Output = T> + 'static,
{
    let result = Arc::new(Mutex::new(None));
    let (f, slot) = (Arc::new(Mutex::new(Some(f))), result.clone());
    let ended = run(&Topology::first(1), move |_| {
        let f = f.lock().expect("taken once").take().expect("one core");
        let slot = slot.clone();
        async move {
            let value = f().await;
            *slot.lock().expect("filled once") = Some(value);
        }
    })
    .expect("an executor can be made");
    if let Err(panic) = &ended[0] {
        panic!("{panic}");
    }
    result.lock().expect("the executor has ended").take().expect("main ended without a panic")
}

fn make_executor(index: usize, binding: &[usize]) -> io::Result<LocalExecutor> {
    // Not `Placement::Fixed`: it reads sysfs and refuses what a cpuset hides. A thread that cannot be pinned still works.
    let executor = LocalExecutorBuilder::new(Placement::Unbound)
        .name("pith-core")
        .io_memory(IO_MEMORY)
        .preempt_timer(PREEMPT)
        .make()
        .map_err(|error| {
            let hint = match io::Error::from(error) {
                error if error.raw_os_error() == Some(libc::ENOMEM) => {
                    format!("{error}; raise the limit of locked memory (`ulimit -l`) or start fewer executors")
                }
                error => error.to_string(),
            };
            io::Error::other(format!("cannot make executor {index}: {hint}"))
        })?;
    if let Err(error) = bind_current_thread(binding) {
        tracing::warn!(core = index, "cannot pin to cpus {binding:?}: {error}");
    }
    Ok(executor)
}

async fn run_core(
    index: usize,
    inbox: Arc<Inbox>,
    posts: mpsc::Receiver<Box<dyn FnOnce() + Send>>,
    main: impl Future<Output = ()> + 'static,
) -> Result<(), Panicked> {
    let executor = glommio::executor();
    let latency = executor.create_task_queue(Shares::Static(SHARES_LATENCY), Latency::Matters(PREEMPT), "latency");
    let background = executor.create_task_queue(Shares::Static(SHARES_BACKGROUND), Latency::NotImportant, "background");
    let core = core::enter(Core {
        index,
        latency,
        background,
        live: Live::default(),
        inbox: inbox.clone(),
        meter: Meter::new(),
        polls: vigil::Polls::default(),
        stop_waiters: signal::Waiters::default(),
    });
    super::spawn_in(super::Class::Latency, vigil::keep(core.clone())).detach();
    super::spawn_in(super::Class::Latency, remote::attend(inbox, posts)).detach();
    let ended = super::spawn_in(super::Class::Latency, main).join().await;
    core.live.close();
    // The kernel may still be writing into the buffers of reads that were just cancelled; let the cancellations through
    // before the rings go away.
    glommio::timer::sleep(Duration::from_micros(500)).await;
    core::leave();
    ended
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn every_core_runs_main_with_its_number() {
        let seen = Arc::new(AtomicUsize::new(0));
        let counted = seen.clone();
        let ended = run(&Topology { cpus: vec![0, 1, 0] }, move |core| {
            let seen = counted.clone();
            async move {
                assert_eq!(core, super::super::current_core());
                seen.fetch_add(1 << core, Ordering::SeqCst);
            }
        })
        .expect("executors start");
        assert_eq!(ended, vec![Ok(()), Ok(()), Ok(())]);
        assert_eq!(seen.load(Ordering::SeqCst), 0b111);
    }

    #[test]
    fn a_panic_in_main_is_reported_by_its_core_alone() {
        let ended = run(&Topology::first(2), |core| async move {
            if core == 1 {
                panic!("main gave up");
            }
        })
        .expect("executors start");
        assert_eq!(ended, vec![Ok(()), Err("main gave up".to_owned())]);
    }
}
