//! Starts the executors and gathers how they ended.

use std::{
    future::Future,
    io,
    sync::{Arc, Mutex, mpsc},
    thread,
};

use super::{
    Topology,
    executor::Executor,
    offload,
    preflight::raise_open_files,
    remote::Inbox,
    signal,
    task::{Panicked, report_panic},
    topology::bind_current_thread,
};

/// The stack of a thread that runs what requests ask for. What is made of a request goes down it by recursion, to bounds that
/// are some hundreds of steps of some kilobytes. Pages that are never reached cost nothing.
pub(super) const STACK_BYTES: usize = 16 << 20;

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
            executor.run(index, inbox, posts, main(index))
        };
        gates.push(gate_sender);
        match thread::Builder::new().name(format!("pith-core-{index}")).stack_size(STACK_BYTES).spawn(body) {
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

fn make_executor(index: usize, binding: &[usize]) -> io::Result<Executor> {
    let executor = Executor::new().map_err(|error| {
        let hint = match error.raw_os_error() {
            Some(libc::ENOMEM) => {
                format!("{error}; raise the limit of locked memory (`ulimit -l`) or start fewer executors")
            }
            _ => error.to_string(),
        };
        io::Error::other(format!("cannot make executor {index}: {hint}"))
    })?;
    if let Err(error) = bind_current_thread(binding) {
        tracing::warn!(core = index, "cannot pin to cpus {binding:?}: {error}");
    }
    Ok(executor)
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
