//! `getByPath`: keys and indexes separated by dots.

use super::super::error::{Failed, illegal, throw};
use super::super::value::{Data, Value};

/// What stands at a path; `default` where the last of its parts is not there.
pub(super) fn by_path(of: &Value, path: &str, default: Option<&Value>) -> Result<Value, Failed> {
    let parts: Vec<&str> = path.split('.').collect();
    check(path, &parts)?;
    let mut at = of.clone();
    for (i, part) in parts.iter().enumerate() {
        let next = match at.data() {
            Some(Data::Map(map)) => map.borrow().entries.get(&super::key_of(part)).cloned(),
            Some(Data::List(list)) => item(&list.borrow().items, part, i, path)?,
            _ if matches!(at, Value::Null) => {
                let what = "Cannot invoke \"Object.getClass()\" because \"obj\" is null";
                return Err(throw("NullPointerException", what));
            }
            _ => {
                let class = at.class_name();
                return Err(illegal(format!("Non-container [{class}] at [{part}], index [{i}] in path [{path}]")));
            }
        };
        at = match (next, default) {
            (Some(next), _) => next,
            (None, _) if i + 1 < parts.len() => {
                let what = format!("Container does not have [{part}], for non-terminal index [{i}] in path [{path}]");
                return Err(illegal(what));
            }
            (None, Some(default)) => default.clone(),
            (None, None) => return Err(illegal(format!("Could not find value at path [{path}]"))),
        };
    }
    Ok(at)
}

fn check(path: &str, parts: &[&str]) -> Result<(), Failed> {
    if path.is_empty() {
        return Err(illegal("Missing path"));
    }
    if path.ends_with('.') {
        return Err(illegal(format!("Trailing '.' in path [{path}]")));
    }
    match parts.iter().position(|part| part.is_empty()) {
        Some(i) => Err(illegal(format!("Extra '.' in path [{path}] at index [{i}]"))),
        None => Ok(()),
    }
}

/// An item of a list. The place right behind the last one is looked at too, as the reference does.
fn item(items: &[Value], part: &str, i: usize, path: &str) -> Result<Option<Value>, Failed> {
    let Ok(index) = part.parse::<i32>() else {
        let what = format!("Could not parse [{part}] as a int index into list at path [{path}] and index [{i}]");
        let cause = throw("NumberFormatException", format!("For input string: \"{part}\""));
        return Err(illegal(what).made_by(*cause));
    };
    match usize::try_from(index) {
        Ok(at) if at > items.len() => Ok(None),
        Ok(at) if at < items.len() => Ok(Some(items[at].clone())),
        _ => {
            let what = format!("Index {index} out of bounds for length {}", items.len());
            Err(throw("IndexOutOfBoundsException", what))
        }
    }
}
