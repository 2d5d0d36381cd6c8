//! What went wrong on shards, and what that makes of the whole search.

use super::targets::UnassignedTarget;
use pith_engine::json::{self, Value, Writer};
use pith_engine::script::is_unwritable;
use pith_engine::search::ShardFailure;
use pith_engine::{Error, ErrorKind};

/// The failures without repetitions: of one index those with the same type and reason are shown once.
pub fn grouped(failures: &[ShardFailure]) -> Vec<&ShardFailure> {
    let mut shown: Vec<&ShardFailure> = vec![];
    for failure in failures {
        let same = |other: &&ShardFailure| {
            other.index == failure.index
                && other.reason.kind() == failure.reason.kind()
                && other.reason.reason() == failure.reason.reason()
        };
        if !shown.iter().any(same) {
            shown.push(failure);
        }
    }
    shown
}

/// The failures as the value of `failed_shards`.
fn to_value(failures: &[&ShardFailure]) -> Value {
    let one = |failure: &&ShardFailure| {
        let mut w = Writer::new();
        failure.write(&mut w);
        json::parse(&w.finish()).unwrap_or_default()
    };
    Value::Array(failures.iter().map(one).collect())
}

/// What cannot be written is met when the answer is, whatever other shards have.
pub fn unwritable<'f>(failures: impl IntoIterator<Item = &'f ShardFailure>) -> Option<Error> {
    let failure = failures.into_iter().find(|failure| is_unwritable(&failure.reason))?;
    Some(rooted(failure.reason.clone()))
}

/// Why a search has no answer that wants all shards, where some have answered.
pub const PARTIAL: &str = "Partial shards failure";

/// The error of a search that has no answer. `phase` is the one that failed.
pub fn phase_failed(phase: &str, reason: &str, failures: &[ShardFailure]) -> Error {
    if let Some(error) = unwritable(failures) {
        return error;
    }
    let error = telling(phase, reason, failures);
    let Some(first) = failures.first() else { return error };
    let root = root_of(first.reason.unwrapped());
    // Where some shards answered no cause is given, and the first failure's stands for it as it is.
    error.caused_by(match is_plain(root) && reason != PARTIAL {
        true => root.alike().caused_by(root.clone()),
        false => root.clone(),
    })
}

/// The error of a phase, with the shards that failed.
fn telling(phase: &str, reason: &str, failures: &[ShardFailure]) -> Error {
    let shown = grouped(failures);
    let roots = shown.iter().map(|failure| root_of(failure.reason.unwrapped()).clone()).collect();
    Error::new(ErrorKind::SearchPhaseExecution, reason)
        .with("phase", phase)
        .with("grouped", true)
        .with("failed_shards", to_value(&shown))
        .with_status(status(failures))
        .with_root_causes(roots)
}

/// The error of a search that wants all shards where some cannot be asked. `phase` is the one that it did not begin.
pub fn missing_shards(phase: &str, missing: &[UnassignedTarget]) -> Error {
    let named: Vec<String> = missing.iter().map(|missing| format!("[{}][{}]", missing.index, missing.shard)).collect();
    let reason = format!(
        "Search rejected due to missing shards [{}]. Consider using `allow_partial_search_results` setting to bypass this error.",
        named.join(", ")
    );
    phase_failed(phase, "", &[]).caused_by(phase_failed(phase, &reason, &[]))
}

/// An error that is answered by itself, with the root that it has among its causes.
pub fn rooted(error: Error) -> Error {
    let root = root_of(&error).clone();
    error.with_root_causes(vec![root])
}

/// The innermost of the causes that are errors of the interface rather than plain ones of the language.
fn root_of(error: &Error) -> &Error {
    match error.cause() {
        // What keeps a formula from being one is an error of the library that reads it.
        Some(cause) if error.kind() == ErrorKind::Script && cause.kind() == ErrorKind::Parse => error,
        // What a query string does not parse into is an error of the library that reads it.
        Some(cause) if error.kind() == ErrorKind::QueryShard && cause.kind() == ErrorKind::Parse => match cause.cause()
        {
            Some(inner)
                if matches!(inner.kind(), ErrorKind::Parse | ErrorKind::TokenManager | ErrorKind::TooManyClauses)
                    && error.reason().starts_with("Failed to parse query") =>
            {
                error
            }
            _ => root_of(cause),
        },
        Some(cause) if !is_plain(error) && !is_plain(cause) => root_of(cause),
        _ => error,
    }
}

/// Whether the reference knows the error as one of Java's own (or of a library): as a cause it wraps those once more.
fn is_plain(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::IllegalArgument
            | ErrorKind::NumberFormat
            | ErrorKind::TokenManager
            | ErrorKind::QueryValidation
            | ErrorKind::IllegalState
            | ErrorKind::XContentParse
            | ErrorKind::NullPointer
            | ErrorKind::UnsupportedOperation
            | ErrorKind::ClassCast
            | ErrorKind::ArithmeticOverflow
            | ErrorKind::ArrayIndexOutOfBounds
            | ErrorKind::CollectionTerminated
            | ErrorKind::IndexOutOfBounds
            | ErrorKind::StringIndexOutOfBounds
            | ErrorKind::NegativeArraySize
            | ErrorKind::NoSuchElement
            | ErrorKind::ConcurrentModification
            | ErrorKind::InputMismatch
            | ErrorKind::EmptyStack
            | ErrorKind::IllegalFormat
            | ErrorKind::UnsupportedTemporalType
            | ErrorKind::WrongMethodType
            | ErrorKind::ClassNotFound
            | ErrorKind::DateTime
            | ErrorKind::ZoneRules
            | ErrorKind::DateTimeParse
            | ErrorKind::Io
            | ErrorKind::JsonParse
            | ErrorKind::JsonEof
            | ErrorKind::StreamRead
            | ErrorKind::InputCoercion
            | ErrorKind::TooComplexToDeterminize
            | ErrorKind::TooManyClauses
            | ErrorKind::TooManyNestedClauses
            | ErrorKind::Runtime
            | ErrorKind::Painless
            | ErrorKind::PainlessExplain
            | ErrorKind::StackOverflow
            | ErrorKind::OutOfMemory
            | ErrorKind::NotXContent
            | ErrorKind::MissingResource
            | ErrorKind::PatternSyntax
    )
}

/// The error of a reduce that failed. Shards that failed before are told beside it.
pub fn reduce_failed(cause: Error, failures: &[ShardFailure]) -> Error {
    failed_beside("fetch", "", failures, cause)
}

/// The error of a search whose hits stand, but not what was to be shown within them.
pub fn expand_failed(cause: Error, failures: &[ShardFailure]) -> Error {
    failed_beside("expand", "failed to expand hits", failures, cause)
}

/// No shard is to blame for the cause, but the error has the status of those that failed if any did.
fn failed_beside(phase: &str, reason: &str, failures: &[ShardFailure], cause: Error) -> Error {
    let error = telling(phase, reason, failures);
    let error = if failures.is_empty() { error.with_status(cause.status()) } else { error };
    error.caused_by(cause)
}

/// The first failure's status, unless a later one is the server's fault; 503 where no shard was active.
fn status(failures: &[ShardFailure]) -> u16 {
    let mut failures = failures.iter().map(|failure| failure.reason.status());
    let Some(first) = failures.next() else { return 503 };
    failures.rfind(|status| *status >= 500).unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(shard: i32, reason: Error) -> ShardFailure {
        ShardFailure { shard, index: Some("i".into()), node: Some("n".into()), reason }
    }

    #[test]
    fn failures_are_grouped() {
        let failures = [
            failure(0, Error::illegal_argument("a")),
            failure(1, Error::illegal_argument("a")),
            failure(2, Error::new(ErrorKind::IllegalState, "b")),
        ];
        let error = phase_failed("query", "all shards failed", &failures);
        assert_eq!(error.status(), 500);
        let mut w = Writer::new();
        error.write_with_root_cause(&mut w);
        assert_eq!(
            String::from_utf8(w.finish()).unwrap(),
            r#"{"root_cause":[{"type":"illegal_argument_exception","reason":"a"},{"type":"illegal_state_exception","reason":"b"}],"type":"search_phase_execution_exception","reason":"all shards failed","phase":"query","grouped":true,"failed_shards":[{"shard":0,"index":"i","node":"n","reason":{"type":"illegal_argument_exception","reason":"a"}},{"shard":2,"index":"i","node":"n","reason":{"type":"illegal_state_exception","reason":"b"}}],"caused_by":{"type":"illegal_argument_exception","reason":"a","caused_by":{"type":"illegal_argument_exception","reason":"a"}}}"#
        );
    }

    #[test]
    fn shards_that_failed_before_a_later_phase_did_are_told() {
        let cause = || Error::illegal_argument("a");
        let alone = expand_failed(cause(), &[]);
        assert_eq!(alone.status(), 400);
        let beside = reduce_failed(cause(), &[failure(2, Error::new(ErrorKind::IllegalState, "b"))]);
        assert_eq!(beside.status(), 500);
        let mut w = Writer::new();
        beside.write_with_root_cause(&mut w);
        assert_eq!(
            String::from_utf8(w.finish()).unwrap(),
            r#"{"root_cause":[{"type":"illegal_state_exception","reason":"b"}],"type":"search_phase_execution_exception","reason":"","phase":"fetch","grouped":true,"failed_shards":[{"shard":2,"index":"i","node":"n","reason":{"type":"illegal_state_exception","reason":"b"}}],"caused_by":{"type":"illegal_argument_exception","reason":"a"}}"#
        );
    }

    #[test]
    fn the_cause_of_partial_failures_is_told_once() {
        let failures = [failure(0, Error::illegal_argument("no"))];
        let depth = |reason| {
            let error = phase_failed("fetch", reason, &failures);
            std::iter::successors(error.cause(), |cause| cause.cause()).count()
        };
        assert_eq!((depth("all shards failed"), depth(PARTIAL)), (2, 1));
    }

    #[test]
    fn no_failures_are_unavailable() {
        assert_eq!(phase_failed("query", "all shards failed", &[]).status(), 503);
    }
}
