//! A disk that is not there: it keeps apart what a running system sees and what would outlive a power cut, answers late and out of
//! order, and fails when it is told to.
//!
//! ```text
//! image    names and contents, each as it is seen and as it is kept for certain; what a power cut leaves of them
//! this     the calls: counted, delayed, stopped by a cut, failed once or for good
//! ```

mod image;

use std::{
    future::{Future, pending},
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::named;
use crate::rt::{self, Random};
pub(super) use image::Image;

/// The longest that a call takes, in microseconds, before and after it takes effect.
const DELAY_MAX_US: u64 = 300;
/// The same of a sync.
const SYNC_DELAY_MAX_US: u64 = 3000;

/// A simulated disk. Clones are the same disk.
#[derive(Clone)]
pub struct SimulatedDisk {
    shared: Arc<Mutex<Shared>>,
}

struct Shared {
    image: Image,
    random: Random,
    calls: u64,
    stop_at: Option<u64>,
    stopped: bool,
    fault: Option<Fault>,
    /// The call that was failed first.
    failed: Option<String>,
    trace: Option<Vec<String>>,
}

/// What calls are to be answered with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The number of the call, from 1.
    pub at: u64,
    /// The number of the system's error. Calls that only read get EIO instead of what only writers can get.
    pub errno: i32,
    /// Whether all later calls that change something fail as well.
    pub lasting: bool,
}

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    Read,
    Change,
    Sync,
}

impl SimulatedDisk {
    /// An empty disk. What chance decides on it follows from `seed`.
    pub fn new(seed: u64) -> Self {
        let shared = Shared {
            image: Image::default(),
            random: Random::new(seed ^ 0xd15c),
            calls: 0,
            stop_at: None,
            stopped: false,
            fault: None,
            failed: None,
            trace: None,
        };
        Self { shared: Arc::new(Mutex::new(shared)) }
    }

    /// The power goes when this many more calls have begun: from then on none is answered.
    pub fn stop_after(&self, calls: u64) {
        let mut shared = self.lock();
        shared.stop_at = Some(shared.calls + calls);
    }

    pub fn is_stopped(&self) -> bool {
        self.lock().stopped
    }

    /// Returns when the power has gone.
    pub async fn stopped(&self) {
        while !self.is_stopped() {
            rt::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Forgets what was not synced, as chance has it, and is there again for the next start.
    pub fn cut_power(&self) {
        let mut shared = self.lock();
        let Shared { image, random, .. } = &mut *shared;
        image.cut(random);
        shared.stop_at = None;
        shared.stopped = false;
    }

    /// From now on calls fail as `fault` says; `None`: no more of them.
    pub fn fail(&self, fault: Option<Fault>) {
        let mut shared = self.lock();
        shared.fault = fault;
        shared.failed = None;
    }

    /// The first call that was failed on purpose, in words.
    pub fn failed(&self) -> Option<String> {
        self.lock().failed.clone()
    }

    /// How many calls have begun.
    pub fn calls(&self) -> u64 {
        self.lock().calls
    }

    /// Begins to keep the calls that are made, for comparison; gives what was kept so far.
    pub fn trace(&self) -> Vec<String> {
        self.lock().trace.replace(vec![]).unwrap_or_default()
    }

    /// All files that a running system sees.
    pub fn files(&self) -> Vec<PathBuf> {
        self.lock().image.files()
    }

    /// Changes the content of a file behind everybody's back, on the disk itself.
    pub fn damage(&self, path: &Path, how: impl FnOnce(&mut Vec<u8>)) {
        self.lock().image.damage(path, how);
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a call that has no effect when it fails.
    pub(super) async fn call<T>(
        &self,
        kind: Call,
        what: &str,
        path: &Path,
        effect: impl FnOnce(&mut Image) -> io::Result<T>,
    ) -> io::Result<T> {
        self.call_or(kind, what, path, |_| {}, effect).await
    }

    /// Makes a call; `harm` is what it does when it is made to fail.
    pub(super) async fn call_or<T>(
        &self,
        kind: Call,
        what: &str,
        path: &Path,
        harm: impl FnOnce(&mut Image),
        effect: impl FnOnce(&mut Image) -> io::Result<T>,
    ) -> io::Result<T> {
        let (number, before, after) = self.lock().begin(kind, what, path);
        self.pass(before).await;
        let result = {
            let mut shared = self.lock();
            match shared.fault_of(number, kind) {
                None => effect(&mut shared.image),
                Some(errno) => {
                    let words = format!("call {number}: cannot {what} [{}], errno {errno}", path.display());
                    shared.failed.get_or_insert(words);
                    harm(&mut shared.image);
                    Err(io::Error::from_raw_os_error(errno))
                }
            }
        };
        self.pass(after).await;
        result.map_err(|error| named(path, &format!("cannot {what}"), error))
    }

    /// Time goes by, and with it perhaps the power.
    fn pass(&self, time: Duration) -> impl Future<Output = ()> {
        let disk = self.clone();
        async move {
            if !time.is_zero() {
                rt::sleep(time).await;
            }
            if disk.is_stopped() {
                pending::<()>().await;
            }
        }
    }
}

impl Shared {
    fn begin(&mut self, kind: Call, what: &str, path: &Path) -> (u64, Duration, Duration) {
        self.calls += 1;
        if self.stop_at.is_some_and(|at| self.calls >= at) {
            self.stopped = true;
        }
        if let Some(trace) = &mut self.trace {
            trace.push(format!("{what} {}", path.display()));
        }
        let most = if kind == Call::Sync { SYNC_DELAY_MAX_US } else { DELAY_MAX_US };
        let mut delay = || Duration::from_micros(self.random.below(most));
        (self.calls, delay(), delay())
    }

    fn fault_of(&self, number: u64, kind: Call) -> Option<i32> {
        let fault = self.fault?;
        let hit = number == fault.at || (fault.lasting && number > fault.at && kind != Call::Read);
        hit.then_some(if kind == Call::Read { libc::EIO } else { fault.errno })
    }
}

/// An open file of a simulated disk.
pub(super) struct OpenFile {
    disk: SimulatedDisk,
    path: PathBuf,
    /// Its number on the disk: the file stays what it is when its name goes to another.
    file: u64,
}

impl OpenFile {
    pub async fn create(disk: SimulatedDisk, path: &Path) -> io::Result<Self> {
        let file = disk.call(Call::Change, "create", path, |image| image.create(path)).await?;
        Ok(Self { disk, path: path.to_owned(), file })
    }

    /// Also gives its length.
    pub async fn open(disk: SimulatedDisk, path: &Path) -> io::Result<(Self, u64)> {
        let found = disk.call(Call::Read, "open", path, |image| {
            let file = image.file(path)?;
            Ok((file, image.content(file).len() as u64))
        });
        let (file, len) = found.await?;
        Ok((Self { disk, path: path.to_owned(), file }, len))
    }

    pub async fn read_at(&self, pos: u64, len: usize) -> io::Result<Vec<u8>> {
        let file = self.file;
        let read = self.disk.call(Call::Read, "read", &self.path, |image| {
            let content = image.content(file);
            let from = (pos as usize).min(content.len());
            Ok(content[from..(from + len).min(content.len())].to_vec())
        });
        read.await
    }

    /// One that fails has written a part all the same.
    pub async fn write_at(&self, pos: u64, data: &[u8]) -> io::Result<()> {
        let file = self.file;
        let part = &data[..data.len() / 2];
        let harm = |image: &mut Image| image.write(file, pos, part);
        let effect = |image: &mut Image| {
            image.write(file, pos, data);
            Ok(())
        };
        self.disk.call_or(Call::Change, "write", &self.path, harm, effect).await
    }

    pub async fn set_len(&self, len: u64) -> io::Result<()> {
        let file = self.file;
        let effect = |image: &mut Image| {
            image.set_len(file, len);
            Ok(())
        };
        self.disk.call(Call::Change, "truncate", &self.path, effect).await
    }

    /// One that fails has lost what was to be synced: a later one succeeds without it, as on Linux.
    pub async fn sync(&self) -> io::Result<()> {
        let file = self.file;
        let effect = |image: &mut Image| {
            image.sync(file);
            Ok(())
        };
        self.disk.call_or(Call::Sync, "sync", &self.path, |image| image.lose(file), effect).await
    }
}
