//! Futures made where they stay.

use std::pin::Pin;

/// The future that `make` gives, on the heap. `Box::pin` makes a future on the stack and copies all of it, although only its arguments
/// mean anything before it is polled; here the place comes first, and nothing but the arguments is written: the futures of a search are
/// 15 KiB together.
#[inline(always)]
pub fn boxed<F>(make: impl FnOnce() -> F) -> Pin<Box<F>> {
    Box::into_pin(Box::write(Box::new_uninit(), make()))
}

#[cfg(test)]
mod tests {
    use super::boxed;
    use std::future::ready;

    #[test]
    fn what_was_made_is_what_runs() {
        let word = String::from("here");
        let future = boxed(|| async move { ready(word).await });
        assert_eq!(crate::rt::block_on(|| future), "here");
    }
}
