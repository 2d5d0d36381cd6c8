//! A document as the writer takes it: what is to be kept of each field, in the order of the values.

use crate::mapping::FieldId;
use crate::segment::StoredValue;
use std::borrow::Cow;

/// One document, parsed by its mapping.
#[derive(Clone, Debug)]
pub struct IndexDocument<'a> {
    pub id: &'a str,
    pub routing: Option<&'a str>,
    /// As it is to be stored; `None` where `_source` is disabled.
    pub source: Option<&'a [u8]>,
    pub seq_no: u64,
    pub version: u64,
    pub primary_term: u64,
    pub ops: Vec<FieldOp<'a>>,
}

/// Something to keep of a field. Ops of one field stand in the order of its values.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldOp<'a> {
    /// Analysed with the analyzer of the field. Several ops of a field are the values of an array: the position increment
    /// gap of the field stands between them.
    Text {
        field: FieldId,
        value: Cow<'a, str>,
    },
    /// One exact indexed term (keyword, boolean "T" or "F", ip, …).
    Term {
        field: FieldId,
        value: Cow<'a, [u8]>,
    },
    /// A doc value of bytes (sorted set).
    Ordinal {
        field: FieldId,
        value: Cow<'a, [u8]>,
    },
    /// A numeric doc value.
    Number {
        field: FieldId,
        value: i64,
    },
    /// An indexed number.
    Point {
        field: FieldId,
        value: i64,
    },
    Stored {
        field: FieldId,
        value: StoredValue,
    },
    /// The document has the field. Needed only where the field has neither doc values nor norms.
    Exists {
        field: FieldId,
    },
    /// The document has the field, which something else tells, and its name is a term all the same.
    Named {
        field: FieldId,
    },
    /// All ops since the last one of these, or since the start, are those of a nested document: a document of its own
    /// before the one that it stands in. Only where the mapping has nested objects.
    EndNested,
}
