//! The record of a document.

use crate::codec::varint::{self, Reader};
use bytes::Bytes;

/// What is stored of a document, beside its `_id`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredDoc {
    pub source: Option<Bytes>,
    pub routing: Option<String>,
    /// Name and value in the order in which they were given; several values of a field stand beside each other.
    pub fields: Vec<(String, StoredValue)>,
}

/// Whether nothing stands between the source of a document and the names of the fields of which something was ignored.
pub fn ignored_follows_source(fields: &[(String, StoredValue)]) -> bool {
    fields.iter().all(|(name, _)| name == "_ignored")
}

/// A value of a stored field.
#[derive(Clone, Debug, PartialEq)]
pub enum StoredValue {
    String(String),
    Long(i64),
    Double(f64),
    Float(f32),
    Bool(bool),
    Bytes(Vec<u8>),
}

#[repr(u8)]
enum Tag {
    String = 0,
    Long = 1,
    Double = 2,
    Float = 3,
    Bool = 4,
    Bytes = 5,
}

/// Appends a record.
pub(super) fn encode<'a>(
    source: Option<&[u8]>,
    routing: Option<&str>,
    fields: impl ExactSizeIterator<Item = (&'a str, &'a StoredValue)>,
    out: &mut Vec<u8>,
) {
    out.push(u8::from(source.is_some()) | u8::from(routing.is_some()) << 1);
    if let Some(source) = source {
        varint::write_bytes(out, source);
    }
    if let Some(routing) = routing {
        varint::write_bytes(out, routing.as_bytes());
    }
    varint::write(out, fields.len() as u64);
    for (name, value) in fields {
        varint::write_bytes(out, name.as_bytes());
        match value {
            StoredValue::String(text) => {
                out.push(Tag::String as u8);
                varint::write_bytes(out, text.as_bytes());
            }
            StoredValue::Long(number) => {
                out.push(Tag::Long as u8);
                out.extend_from_slice(&number.to_le_bytes());
            }
            StoredValue::Double(number) => {
                out.push(Tag::Double as u8);
                out.extend_from_slice(&number.to_le_bytes());
            }
            StoredValue::Float(number) => {
                out.push(Tag::Float as u8);
                out.extend_from_slice(&number.to_le_bytes());
            }
            StoredValue::Bool(flag) => out.extend_from_slice(&[Tag::Bool as u8, u8::from(*flag)]),
            StoredValue::Bytes(bytes) => {
                out.push(Tag::Bytes as u8);
                varint::write_bytes(out, bytes);
            }
        }
    }
}

/// Reads a record; `None` if it is damaged. The source shares the memory of `record`.
pub(super) fn decode(record: &Bytes) -> Option<StoredDoc> {
    let mut reader = Reader::new(record);
    let flags = reader.u8()?;
    let mut doc = StoredDoc::default();
    if flags & 1 != 0 {
        doc.source = Some(record.slice_ref(reader.sized()?));
    }
    if flags & 2 != 0 {
        doc.routing = Some(text(&mut reader)?);
    }
    for _ in 0..reader.varint()? {
        let name = text(&mut reader)?;
        let value = match reader.u8()? {
            tag if tag == Tag::String as u8 => StoredValue::String(text(&mut reader)?),
            tag if tag == Tag::Long as u8 => StoredValue::Long(i64::from_le_bytes(reader.array()?)),
            tag if tag == Tag::Double as u8 => StoredValue::Double(f64::from_le_bytes(reader.array()?)),
            tag if tag == Tag::Float as u8 => StoredValue::Float(f32::from_le_bytes(reader.array()?)),
            tag if tag == Tag::Bool as u8 => StoredValue::Bool(reader.u8()? != 0),
            tag if tag == Tag::Bytes as u8 => StoredValue::Bytes(reader.sized()?.to_vec()),
            _ => return None,
        };
        doc.fields.push((name, value));
    }
    reader.is_at_end().then_some(doc)
}

fn text(reader: &mut Reader<'_>) -> Option<String> {
    String::from_utf8(reader.sized()?.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_record_is_an_error() {
        let mut record = vec![];
        encode(Some(b"{}"), Some("r"), [("a", &StoredValue::Bool(true))].into_iter(), &mut record);
        assert!(decode(&record.clone().into()).is_some());
        for len in 0..record.len() {
            assert!(decode(&record[..len].to_vec().into()).is_none());
        }
    }
}
