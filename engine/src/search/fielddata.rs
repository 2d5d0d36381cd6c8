//! Searches that sort or aggregate by the terms of text fields: those have to be made first, in slices. A search that meets
//! a field without them ends with an error that names it; whoever runs the search has them made and begins anew.

use crate::error::{Error, ErrorKind, Result};
use crate::mapping::{DocValues, Family, Field};
use crate::pace::Pace;
use crate::query::ShardContext;
use crate::segment::SegmentView;

/// The key under which the error has the name of the field.
const FIELD: &str = "fielddata";

/// Refuses to go on where a field with `fielddata` has no terms by document yet.
pub(crate) fn check_fielddata(field: &Field, cx: &ShardContext) -> Result<()> {
    let lacks = |view: &SegmentView| view.segment.field(&field.name).is_some_and(|held| held.lacks_fielddata());
    if !field.fielddata() || !cx.snapshot.segments.iter().any(lacks) {
        return Ok(());
    }
    Err(lacks_fielddata(&field.name))
}

/// The error of whoever cannot go on without the terms of a field by document.
#[cold]
pub(crate) fn lacks_fielddata(field: &str) -> Error {
    let reason = format!("the terms of the field [{field}] by document are not loaded");
    Error::new(ErrorKind::IllegalState, reason).with(FIELD, field)
}

/// The error of a field whose values are of another kind than is `wanted`: both by their classes in the reference.
#[cold]
pub(crate) fn not_castable(field: &Field, wanted: &str) -> Error {
    let class = match field.family() {
        Family::GeoPoint => "AbstractLatLonPointIndexFieldData$LatLonPointIndexFieldData",
        Family::GeoShape => "AbstractGeoShapeIndexFieldData$GeoShapeIndexFieldData",
        Family::Range => "BinaryIndexFieldData",
        Family::Binary => "BytesBinaryIndexFieldData",
        Family::Text => "PagedBytesIndexFieldData",
        Family::Index | Family::ConstantKeyword => "ConstantIndexFieldData",
        _ if field.type_name == "wildcard" => "NonPruningSortedSetOrdinalsIndexFieldData",
        _ if field.spec.doc_values == DocValues::Numeric => "SortedNumericIndexFieldData",
        _ => "SortedSetOrdinalsIndexFieldData",
    };
    let class = match field.family() {
        Family::Id => "org.opensearch.index.mapper.IdFieldMapper$IdFieldType$1$1".to_owned(),
        _ => format!("org.opensearch.index.fielddata.plain.{class}"),
    };
    let wanted = format!("org.opensearch.index.fielddata.{wanted}");
    let modules = format!("({class} and {wanted} are in unnamed module of loader 'app')");
    Error::new(ErrorKind::ClassCast, format!("class {class} cannot be cast to class {wanted} {modules}"))
}

/// The field whose terms a search could not go on without, if that is what ended it.
pub fn wanted_fielddata(error: &Error) -> Option<&str> {
    error.field(FIELD).and_then(|name| name.as_str())
}

/// Makes the terms of a field by document, in all segments: those that its mapping wants. Whether they are there then: not where something has to be read first.
pub async fn load_fielddata(cx: &ShardContext, name: &str, pace: &Pace) -> bool {
    let field = cx.mapping.field(name);
    let mut loaded = true;
    for view in &cx.snapshot.segments {
        if let Some(held) = view.segment.field(name) {
            let docs = held.stats().doc_count;
            let frequencies = field.map_or(0..=u32::MAX, |field| field.fielddata_frequencies(docs));
            loaded &= held.load_fielddata(view.max_doc(), &frequencies, pace).await;
        }
    }
    loaded
}
