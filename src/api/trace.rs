//! `error_trace`: the `stack_trace` of errors. A program that is not Java has no such thing to show; what it can show is
//! the chain of causes in the form in which clients know it.

use pith_engine::Error;
use pith_engine::json::Value;

/// The error with its trace, if that is wanted.
pub fn traced(error: Error, wanted: bool) -> Error {
    if !wanted {
        return error;
    }
    let trace = trace(&error);
    error.with("stack_trace", trace)
}

fn trace(error: &Error) -> String {
    let text = |name: &str| error.field(name).and_then(Value::as_str);
    let place = match (text("index"), text("shard")) {
        (Some(index), Some(shard)) => format!("[[{index}][{shard}]] "),
        (Some(index), None) => format!("[{index}] "),
        _ => String::new(),
    };
    let mut out = format!("{place}{}[{}]", class_name(error.kind().type_name()), error.reason());
    let mut cause = error.cause();
    while let Some(error) = cause {
        out.push_str(&format!("; nested: {}[{}];", class_name(error.kind().type_name()), error.reason()));
        cause = error.cause();
    }
    out
}

/// `index_not_found_exception` as `IndexNotFoundException`.
fn class_name(type_name: &str) -> String {
    let capital = |word: &str| {
        let mut chars = word.chars();
        chars.next().map(|first| first.to_ascii_uppercase().to_string() + chars.as_str()).unwrap_or_default()
    };
    type_name.split('_').map(capital).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pith_engine::ErrorKind;

    #[test]
    fn traces_name_place_and_causes() {
        let error = Error::new(ErrorKind::DocumentMissing, "[1]: document missing")
            .with("index", "i")
            .with("shard", "0")
            .caused_by(Error::illegal_argument("x"));
        let error = traced(error, true);
        assert_eq!(
            error.field("stack_trace").and_then(Value::as_str),
            Some("[[i][0]] DocumentMissingException[[1]: document missing]; nested: IllegalArgumentException[x];")
        );
        assert_eq!(traced(Error::illegal_argument("x"), false).field("stack_trace"), None);
    }
}
