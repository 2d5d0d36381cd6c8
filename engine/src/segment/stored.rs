//! Stored fields: `_source`, routing and fields with `store: true`.

use bytes::Bytes;

/// What is stored of a document, beside its `_id`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredDoc {
    pub source: Option<Bytes>,
    pub routing: Option<String>,
    /// Name and value in the order in which they were given; several values of a field stand beside each other.
    pub fields: Vec<(String, StoredValue)>,
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
