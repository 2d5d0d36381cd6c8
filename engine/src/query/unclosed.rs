//! Objects whose ends are taken for those of the objects around them: readers that know of no objects within theirs read what is in
//! one as if it stood beside it, and end where it ends.

use super::node::{Node, Place, skip_space};
use crate::error::{Error, Result};

impl Node<'_> {
    /// The value is read as if its end were that of the object around it: each object further out ends one bracket too early then, so
    /// that the last of them is one too many.
    pub fn ends_all_around(&self) -> Error {
        let end = self.end_pos() as usize;
        let rest = self.source.body.get(end..).unwrap_or_default();
        let other = rest.iter().position(|byte| *byte != b'}' && !byte.is_ascii_whitespace());
        let (token, at) = match other {
            None => ("END_OBJECT", rest.iter().rposition(|byte| *byte == b'}').unwrap_or(0)),
            // What stands beside the last object but one comes behind the end of the whole.
            Some(other) if closings(&rest[other..]) == 1 && rest[other] == b',' => {
                let key = rest[other..].iter().position(|byte| *byte == b'"').unwrap_or(0);
                ("FIELD_NAME", other + key)
            }
            Some(_) => ("END_OBJECT", 0),
        };
        let error =
            self.error_at((end + at) as u32, format!("Unexpected token [{token}] found after the main object."));
        if matches!(self.place, Place::At(_)) { error.unclosed_at(self.pos(), false) } else { error }
    }
}

/// A text is read anew for as many such objects.
const REREADS_MAX: usize = 4;

/// Reads a body. Where an object ends those around it, what stands behind it is read by those who read further out: as if the object had
/// never begun, and up to where the whole ends then. The error of who finds the object is that of who finds nothing behind it.
pub fn reread<T>(body: &[u8], mut read: impl FnMut(&[u8]) -> Result<T>) -> Result<T> {
    let mut last = match read(body) {
        Err(error) if error.unclosed().is_some() => error,
        other => return other,
    };
    let first = last.clone();
    let mut text = body.to_vec();
    for _ in 0..REREADS_MAX {
        let Some((at, is_value)) = last.unclosed() else { return Err(last) };
        let taken = match text.get_mut(at as usize) {
            // Any value does.
            Some(bracket @ b'{') if is_value => {
                *bracket = b'0';
                true
            }
            _ => unopen(&mut text, at as usize),
        };
        if !taken {
            break;
        }
        let whole = Whole::of(&text);
        match read(&whole.text) {
            Ok(_) => {
                if let Some(Err(error)) = whole.with_end_in_list().map(|text| read(&text)) {
                    last = error.rephrased(&|reason| reason.replace(STANDS_FOR, "END_OBJECT"));
                }
                break;
            }
            Err(error) if whole.has_name => {
                last = error.rephrased(&|reason| reason.replace(STANDS_FOR, "FIELD_NAME"));
            }
            Err(error) => last = error,
        }
    }
    Err(if last.unclosed().is_some() { first } else { last })
}

/// A text up to where its object ends, or up to where a bracket closes another one that is open: what is open ends there, then.
struct Whole {
    text: Vec<u8>,
    /// Whether names came to stand in a list.
    has_name: bool,
    /// Where an object ends within a list, and what is open there.
    end_in_list: Option<(usize, Vec<u8>)>,
}

/// What stands in lists for what cannot: no reader takes lists in lists.
const STANDS_FOR: &str = "START_ARRAY";

impl Whole {
    fn of(text: &[u8]) -> Self {
        let mut text = text.to_vec();
        let (mut open, mut in_text, mut begin, mut at, mut has_name) = (vec![], false, 0, 0, false);
        while let Some(byte) = text.get(at) {
            match byte {
                b'\\' if in_text => at += 1,
                b'"' => {
                    in_text = !in_text;
                    begin = if in_text { at } else { begin };
                }
                b'{' if !in_text => open.push(b'}'),
                b'[' if !in_text => open.push(b']'),
                b'}' | b']' if !in_text => {
                    if open.last() != Some(byte) {
                        break;
                    }
                    open.pop();
                    if open.is_empty() {
                        text.truncate(at + 1);
                        return Self { text, has_name, end_in_list: None };
                    }
                }
                b':' if !in_text && open.last() == Some(&b']') => {
                    text[begin..at].fill(b' ');
                    text[begin..begin + 2].copy_from_slice(b"[]");
                    text[at] = b',';
                    has_name = true;
                }
                _ => {}
            }
            at += 1;
        }
        text.truncate(at);
        open.reverse();
        text.extend_from_slice(&open);
        let end_in_list = (open.first() == Some(&b']')).then_some((at, open));
        Self { text, has_name, end_in_list }
    }

    /// The text with the end of an object in the list that is open, in its place. None if it has to stay as it is.
    fn with_end_in_list(&self) -> Option<Vec<u8>> {
        let (at, open) = self.end_in_list.as_ref()?;
        let mut text = self.text.get(..*at)?.to_vec();
        // The comma takes the place of what is left out; what stands between has been read.
        text.remove(text.iter().rposition(|byte| *byte == b' ')?);
        text.extend_from_slice(b",[]");
        text.extend_from_slice(open);
        Some(text)
    }
}

/// Takes the beginning of the object at `at` out of a text, with its name and, if nothing is in it, what stands between it and the value
/// before it. All other bytes stay where they are.
fn unopen(text: &mut [u8], at: usize) -> bool {
    let before = |at: usize, text: &[u8]| text[..at].iter().rposition(|byte| !byte.is_ascii_whitespace());
    let colon = before(at, text).filter(|at| text[*at] == b':');
    let quote = colon.and_then(|colon| before(colon, text)).filter(|at| text[*at] == b'"');
    let Some(quote) = quote else { return false };
    // A name may have quotes in it, each behind a backslash.
    let begins =
        |at: &usize| text[*at] == b'"' && text[..*at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 0;
    let Some(mut from) = (0..quote).rev().find(begins) else { return false };
    let inner = skip_space(text, at + 1);
    if text.get(at) != Some(&b'{') || inner >= text.len() {
        return false;
    }
    if text[inner] == b'}'
        && let Some(comma) = before(from, text).filter(|at| text[*at] == b',')
    {
        from = comma;
    }
    text[from..=at].fill(b' ');
    true
}

/// How many objects end in a text that begin before it.
fn closings(text: &[u8]) -> i32 {
    let (mut open, mut least, mut in_text, mut bytes) = (0, 0, false, text.iter());
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if in_text => drop(bytes.next()),
            b'"' => in_text = !in_text,
            b'{' if !in_text => open += 1,
            b'}' if !in_text => {
                open -= 1;
                least = least.min(open);
            }
            _ => {}
        }
    }
    -least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_read_as_if_they_had_not_begun() {
        let opened = |text: &str, key: &str| {
            let at = text.find(key).unwrap() + key.len() + 2;
            let mut bytes = text.as_bytes().to_vec();
            assert!(unopen(&mut bytes, at));
            assert_eq!(bytes.len(), text.len());
            String::from_utf8(Whole::of(&bytes).text).unwrap().split(' ').collect::<String>()
        };
        assert_eq!(opened(r#"{"p":{"h":{"a":1,"b":{}},"g":3}}"#, "b"), r#"{"p":{"h":{"a":1}},"g":3}"#);
        assert_eq!(opened(r#"{"h":{"b":{},"a":1},"g":3}"#, "b"), r#"{"h":{},"a":1}"#);
        assert_eq!(opened(r#"{"h":{"b":{"c":1}},"g":3}"#, "b"), r#"{"h":{"c":1}}"#);
        assert_eq!(opened(r#"{"l":[{"s":{"b":{},"f":"x"}}],"n":1}"#, "b"), r#"{"l":[{"s":{},"f":"x"}]}"#);
        assert_eq!(opened(r#"{"l":[{"s":{"b":{}},"f":{}}],"n":1}"#, "b"), r#"{"l":[{"s":{}},[],{}]}"#);
        assert!(!unopen(&mut br#"{"a":[{}]}"#.to_vec(), 6));
        assert!(!unopen(&mut b"{".to_vec(), 0));
    }
}
