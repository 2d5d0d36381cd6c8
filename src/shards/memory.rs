//! Bounds on the memory that writes take on a core: requests being handled, and documents not sealed yet.

use crate::observe::pressure::Rate;
use crate::observe::{Pressure, WritePressure};
use pith_engine::{Error, ErrorKind, Result};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

/// Bytes of the write requests that a core is handling. Beyond the bound new ones are refused: the client is to come again.
#[derive(Clone)]
pub struct Admission {
    queued: Rc<Queued>,
    queued_bytes_max: usize,
    /// The figures of all cores.
    figures: Arc<WritePressure>,
    pressure: Arc<Pressure>,
}

struct Queued {
    bytes: Cell<usize>,
    rate: RefCell<Rate>,
    began: Instant,
}

/// A request that was let in; it leaves when this is dropped.
pub struct Admitted {
    queued: Rc<Queued>,
    figures: Arc<WritePressure>,
    bytes: usize,
}

impl Admission {
    pub fn new(queued_bytes_max: usize, figures: Arc<WritePressure>, pressure: Arc<Pressure>) -> Self {
        figures.limit_bytes.fetch_add(queued_bytes_max as u64, Relaxed);
        let queued = Queued { bytes: Cell::new(0), rate: RefCell::default(), began: Instant::now() };
        Self { queued: Rc::new(queued), queued_bytes_max, figures, pressure }
    }

    /// Lets a request of `bytes` in. One that is larger than the bound by itself is let in while nothing else is there: otherwise it
    /// could never be handled.
    pub fn admit(&self, bytes: usize) -> Result<Admitted> {
        let queued = self.queued.bytes.get();
        if queued > 0 && queued.saturating_add(bytes) > self.queued_bytes_max {
            self.figures.rejections.fetch_add(1, Relaxed);
            return Err(self.refuse(queued, bytes));
        }
        self.queued.bytes.set(queued + bytes);
        self.figures.current_bytes.fetch_add(bytes as u64, Relaxed);
        self.figures.total_bytes.fetch_add(bytes as u64, Relaxed);
        Ok(Admitted { queued: self.queued.clone(), figures: self.figures.clone(), bytes })
    }

    #[cold]
    fn refuse(&self, queued: usize, bytes: usize) -> Error {
        let max = self.queued_bytes_max;
        self.pressure.refused(queued as f64, self.queued.rate.borrow().per_second());
        Error::new(
            ErrorKind::RejectedExecution,
            format!(
                "rejected execution of primary operation [coordinating_and_primary_bytes={queued}, replica_bytes=0, \
                 all_bytes={queued}, primary_operation_bytes={bytes}, max_coordinating_and_primary_bytes={max}]"
            ),
        )
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.queued.bytes.set(self.queued.bytes.get() - self.bytes);
        self.queued.rate.borrow_mut().count(self.bytes as f64, self.queued.began.elapsed());
        self.figures.current_bytes.fetch_sub(self.bytes as u64, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_over_the_bound_are_refused_until_others_leave() {
        let pressure = Arc::new(WritePressure::default());
        let admission = Admission::new(100, pressure.clone(), Arc::default());
        let large = admission.admit(500).unwrap();
        assert_eq!(admission.admit(1).err().unwrap().status(), 429);
        drop(large);
        let first = admission.admit(60).unwrap();
        assert!(admission.admit(41).is_err());
        let second = admission.admit(40).unwrap();
        assert_eq!(admission.queued.bytes.get(), 100);
        drop((first, second));
        assert_eq!(admission.queued.bytes.get(), 0);
        let figures = [&pressure.current_bytes, &pressure.total_bytes, &pressure.rejections, &pressure.limit_bytes];
        assert_eq!(figures.map(|figure| figure.load(Relaxed)), [0, 600, 2, 100]);
    }
}
