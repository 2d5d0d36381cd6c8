//! JSON patches of entries: what of them is understood, and what is wrong with them.

use super::super::Reply;
use super::answers::message;
use pith_engine::json::{self, Value};
use serde_json::Value as Json;

/// Operations of one patch, and its bytes.
const PATCH_OPERATIONS_MAX: usize = 1_000;
const PATCH_BYTES_MAX: usize = 1 << 20;

/// A patch without operations is refused before what it would change is looked for.
pub fn check_patch(body: &[u8]) -> Result<(), Reply> {
    let bare = body.trim_ascii();
    let inside = bare.strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]")).unwrap_or(bare).trim_ascii();
    match inside.is_empty() || inside == b"{}" {
        true => Err(message(400, "Wrong request body")),
        false => Ok(()),
    }
}

fn wrong(error: &dyn std::fmt::Display) -> Reply {
    message(400, &format!("Error in JSON patch: {error}"))
}

/// The value after the JSON patch that a request holds.
pub fn apply(body: &[u8], value: Value) -> Result<Value, Reply> {
    if body.len() > PATCH_BYTES_MAX {
        return Err(wrong(&format!("it is longer than {PATCH_BYTES_MAX} bytes")));
    }
    // Read first by the reader that bounds depth.
    json::parse(body).map_err(|error| wrong(&error.reason()))?;
    let patch: Json = serde_json::from_slice(body).map_err(|error| wrong(&error))?;
    let Some(operations) = patch.as_array() else { return Err(message(400, "Wrong request body")) };
    if operations.len() > PATCH_OPERATIONS_MAX {
        return Err(wrong(&format!("it has more than {PATCH_OPERATIONS_MAX} operations")));
    }
    let mut target: Json = serde_json::from_slice(&value.to_bytes()).map_err(|error| wrong(&error))?;
    operations.iter().try_for_each(check)?;
    operations.iter().try_for_each(|operation| change(&mut target, operation))?;
    let patched = serde_json::to_vec(&target).map_err(|error| wrong(&error))?;
    if patched.len() > 16 * PATCH_BYTES_MAX {
        return Err(wrong(&"what it makes is too large"));
    }
    json::parse(&patched).map_err(|error| wrong(&error.reason()))
}

fn check(operation: &Json) -> Result<(), Reply> {
    let name = operation.get("op").and_then(Json::as_str).unwrap_or_default();
    if !matches!(name, "add" | "replace" | "remove") {
        let what = format!("Unsupported patch operation: {name}. Supported are: add,replace,remove");
        return Err(message(400, &what));
    }
    match operation.get("path").and_then(Json::as_str) {
        Some(_) => Ok(()),
        None => Err(message(400, "Invalid JSON Patch payload (missing 'path' field)")),
    }
}

fn change(target: &mut Json, operation: &Json) -> Result<(), Reply> {
    let text = |key: &str| operation.get(key).and_then(Json::as_str).unwrap_or_default();
    let (name, path) = (text("op"), text("path"));
    if name == "remove" {
        if path.is_empty() {
            return Err(message(400, "Cannot remove document root"));
        }
        // What is not there is as it should be.
        if target.pointer(path).is_none() {
            return Ok(());
        }
    }
    let needed = if name == "replace" { path } else { path.rsplit_once('/').map_or("", |(parent, _)| parent) };
    if let Some(missing) = first_missing(target, needed) {
        return Err(message(400, &format!("Missing field \"{missing}\"")));
    }
    let patch: json_patch::Patch =
        serde_json::from_value(Json::Array(vec![operation.clone()])).map_err(|error| wrong(&error))?;
    json_patch::patch(target, &patch).map_err(|error| message(400, &error.to_string()))
}

/// The first step of a path that leads nowhere.
fn first_missing<'p>(target: &Json, path: &'p str) -> Option<&'p str> {
    let ends = path.match_indices('/').map(|(at, _)| at).skip(1).chain([path.len()]);
    let missing = ends.map(|end| &path[..end]).find(|part| target.pointer(part).is_none())?;
    missing.rsplit('/').next()
}

#[cfg(test)]
mod tests {
    use super::super::super::reply::Content;
    use super::*;

    #[test]
    fn operations_one_after_the_other() {
        let after = |patch: &str| {
            let value = json::parse(br#"{"a":["x"],"b":{"c":1}}"#).expect("JSON");
            apply(patch.as_bytes(), value).map(|value| String::from_utf8_lossy(&value.to_bytes()).into_owned())
        };
        let complaint = |patch: &str| {
            let Content::Json(body) = after(patch).expect_err("it is wrong").content else { panic!("no JSON") };
            let body: Json = serde_json::from_slice(&body).expect("JSON");
            body["message"].as_str().unwrap_or_default().to_owned()
        };
        assert_eq!(
            after(
                r#"[{"op":"add","path":"/a/-","value":"y"},{"op":"remove","path":"/none"},{"op":"remove","path":"/b"}]"#
            )
            .ok()
            .as_deref(),
            Some(r#"{"a":["x","y"]}"#)
        );
        assert_eq!(complaint(r#"[{"op":"replace","path":"/d","value":1}]"#), r#"Missing field "d""#);
        assert_eq!(complaint(r#"[{"op":"add","path":"/d/e","value":1}]"#), r#"Missing field "d""#);
        assert_eq!(
            complaint(r#"[{"op":"test","path":"/a","value":1}]"#),
            "Unsupported patch operation: test. Supported are: add,replace,remove"
        );
        assert_eq!(complaint(r#"[{"op":"add"}]"#), "Invalid JSON Patch payload (missing 'path' field)");
        assert_eq!(complaint(r#"[{"op":"remove","path":""}]"#), "Cannot remove document root");
    }
}
