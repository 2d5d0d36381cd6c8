//! Programs that a core has compiled, kept by what they were compiled of.
//!
//! Compiling is what a request with a script costs most, and a program holds memory: a core keeps the [`KEPT_MAX`] programs that
//! were used last, and whoever runs the engine says how fast new ones may be made ([`super::ScriptHost::admit`]).

use super::{Context, Program, stored};
use crate::error::Result;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Programs that a core keeps.
pub const KEPT_MAX: usize = 100;

#[derive(Default)]
struct Kept {
    /// By context and language, then by source, with when each was last used.
    programs: HashMap<(&'static str, String, String), (Arc<Program>, u64)>,
    clock: u64,
}

static EVICTIONS: AtomicU64 = AtomicU64::new(0);

/// How many programs had to go for others in this process.
pub fn evictions() -> u64 {
    EVICTIONS.load(Ordering::Relaxed)
}

thread_local! {
    static KEPT: RefCell<Kept> = RefCell::default();
}

/// The program of a source, made by `compile` unless it is kept.
pub(super) fn program(
    lang: &str,
    source: &str,
    context: &'static Context,
    compile: impl FnOnce() -> Result<Arc<Program>>,
) -> Result<Arc<Program>> {
    let key = (context.name, lang.to_owned(), source.to_owned());
    if let Some(program) = KEPT.with_borrow_mut(|kept| kept.find(&key)) {
        return Ok(program);
    }
    if !context.unlimited {
        stored::admit(lang, source)?;
    }
    let program = compile()?;
    KEPT.with_borrow_mut(|kept| kept.keep(key, program.clone()));
    Ok(program)
}

impl Kept {
    fn find(&mut self, key: &(&'static str, String, String)) -> Option<Arc<Program>> {
        self.clock += 1;
        let (program, used) = self.programs.get_mut(key)?;
        *used = self.clock;
        Some(program.clone())
    }

    fn keep(&mut self, key: (&'static str, String, String), program: Arc<Program>) {
        if self.programs.len() >= KEPT_MAX
            && let Some(oldest) = self.programs.iter().min_by_key(|(_, (_, used))| *used).map(|(key, _)| key.clone())
        {
            self.programs.remove(&oldest);
            EVICTIONS.fetch_add(1, Ordering::Relaxed);
        }
        self.programs.insert(key, (program, self.clock));
    }
}

#[cfg(test)]
mod tests {
    use super::super::context::SCORE;
    use super::super::{ScriptHost, compile_painless, set_host};
    use super::*;
    use crate::error::{Error, ErrorKind};
    use std::cell::Cell;
    use std::rc::Rc;

    /// Lets so many compilations through.
    struct Few(Cell<u32>);

    impl ScriptHost for Few {
        fn stored(&self, _id: &str) -> Option<crate::script::StoredSource> {
            None
        }

        fn admit(&self, _lang: &str, _source: &str) -> Result<()> {
            match self.0.get() {
                0 => Err(Error::new(ErrorKind::CircuitBreaking, "enough")),
                left => {
                    self.0.set(left - 1);
                    Ok(())
                }
            }
        }
    }

    fn ask(source: &str) -> Result<Arc<Program>> {
        program("painless", source, &SCORE, || compile_painless(source, &SCORE))
    }

    #[test]
    fn what_is_kept_is_not_compiled_again_and_new_programs_need_leave() {
        set_host(Rc::new(Few(Cell::new(KEPT_MAX as u32 + 1))));
        let first = ask("return 0").unwrap();
        for n in 1..KEPT_MAX {
            ask(&format!("return {n}")).unwrap();
            assert!(Arc::ptr_eq(&first, &ask("return 0").unwrap()));
        }
        // One more takes the place of the one that was not used for longest.
        ask("return -1").unwrap();
        assert!(Arc::ptr_eq(&first, &ask("return 0").unwrap()));
        assert_eq!(ask("return 1").unwrap_err().kind(), ErrorKind::CircuitBreaking);
    }
}
