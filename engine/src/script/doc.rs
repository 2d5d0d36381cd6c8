//! The values of the current document: columns bound to the segment that is being worked on.

use super::class::{ClassId, class, registry};
use super::error::{Failed, Outcome, illegal, throw};
use super::lib::{zoned_of_millis, zoned_of_nanos};
use super::term_counts::TermList;
use super::value::{Data, Value};
use super::vm::Vm;
use crate::geo::decode_point;
use crate::mapping::number::in_signed_order;
use crate::mapping::types::range_bytes::{EndForm, read_as_utf8, together};
use crate::mapping::{DocValueFormat, DocValues, Family, Field, Mapping};
use crate::segment::{NumericColumn, OpenedBlock, OrdinalColumn, SegmentView, Snapshot};
use std::sync::Arc;

/// What a field's values are to a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Longs,
    Unsigned,
    Doubles,
    Booleans,
    Millis,
    Nanos,
    Strings,
    Addresses,
    Bytes,
    /// All ranges in one value.
    Ranges(EndForm),
    /// The values of a flat object, each behind its name.
    Flat,
    Constant,
    /// The name of the index.
    Index,
    Points,
    Ids,
}

struct Slot {
    name: String,
    kind: Kind,
    field: Arc<str>,
    numbers: Option<NumericColumn>,
    ordinals: Option<OrdinalColumn>,
}

/// The fields that a script has asked for, and where it is.
pub struct Documents {
    pub(super) mapping: Arc<Mapping>,
    /// The name of the index, where it is known.
    index: Option<Arc<str>>,
    slots: Vec<Slot>,
    view: Option<SegmentView>,
    doc: u32,
    doc_base: u32,
    /// What random scores of this shard begin with.
    pub(super) salt: i32,
    /// All of the shard, for scripts that ask for counts of terms.
    pub(super) snapshot: Option<Arc<Snapshot>>,
    /// The lists of terms whose counts were asked for.
    pub(super) terms: Vec<TermList>,
    /// The block of stored documents that was read last.
    pub(super) opened: OpenedBlock,
    numbers: Vec<i64>,
    ords: Vec<u32>,
    /// A text field whose terms by document have to be made before the script can go on.
    lacking: Option<Arc<str>>,
}

impl Documents {
    pub fn new(mapping: Arc<Mapping>, index: Option<Arc<str>>) -> Self {
        Self {
            mapping,
            index,
            slots: vec![],
            view: None,
            doc: 0,
            doc_base: 0,
            salt: 0,
            snapshot: None,
            terms: vec![],
            opened: OpenedBlock::default(),
            numbers: vec![],
            ords: vec![],
            lacking: None,
        }
    }

    /// Goes on to a segment, whose documents are numbered from `doc_base` in the shard.
    pub fn enter_segment(&mut self, view: &SegmentView, doc_base: u32) {
        self.view = Some(view.clone());
        self.doc_base = doc_base;
        self.terms.clear();
        self.opened = OpenedBlock::default();
        for slot in &mut self.slots {
            bind(slot, view);
        }
    }

    pub fn set_doc(&mut self, doc: u32) {
        self.doc = doc;
    }

    /// The segment that is worked on, and where in it.
    pub(super) fn place(&self) -> Option<(SegmentView, u32)> {
        Some((self.view.clone()?, self.doc))
    }

    /// The slot of a field, made when first asked for.
    pub fn slot(&mut self, name: &str) -> Result<u32, Failed> {
        if let Some(known) = self.slots.iter().position(|slot| slot.name == name) {
            return Ok(known as u32);
        }
        let Some(field) = self.mapping.field(name) else {
            return Err(illegal(format!("No field found for [{name}] in mapping")));
        };
        let kind = match field.family() {
            Family::Index if self.index.is_some() => Kind::Index,
            _ => kind_of(field)?,
        };
        let mut slot =
            Slot { name: name.to_owned(), kind, field: (&*field.name).into(), numbers: None, ordinals: None };
        if let Some(view) = &self.view {
            if field.fielddata() && view.segment.field(&field.name).is_some_and(|held| held.lacks_fielddata()) {
                self.lacking = Some(slot.field.clone());
                return Err(illegal(format!("the terms of [{name}] by document are not loaded")));
            }
            bind(&mut slot, view);
        }
        self.slots.push(slot);
        Ok(self.slots.len() as u32 - 1)
    }

    /// The field whose terms by document the script could not go on without, if that is what ended it.
    pub fn lacking(&self) -> Option<&Arc<str>> {
        self.lacking.as_ref()
    }

    /// Whether a field holds places.
    pub fn is_place(&self, slot: u32) -> bool {
        self.slots.get(slot as usize).is_some_and(|slot| slot.kind == Kind::Points)
    }

    /// The class of a field's values.
    pub fn class(&self, slot: u32) -> ClassId {
        let name = match self.slots.get(slot as usize).map(|s| s.kind) {
            Some(Kind::Longs) => "Longs",
            Some(Kind::Unsigned) => "UnsignedLongs",
            Some(Kind::Doubles) => "Doubles",
            Some(Kind::Booleans) => "Booleans",
            Some(Kind::Millis | Kind::Nanos) => "Dates",
            Some(Kind::Bytes) => "BytesRefs",
            Some(Kind::Points) => "GeoPoints",
            Some(Kind::Addresses) => return registry().find(ADDRESSES).unwrap_or(class::LIST),
            _ => "Strings",
        };
        registry().find(&format!("ScriptDocValues.{name}")).unwrap_or(class::LIST)
    }
}

/// The class of the values of IP fields.
const ADDRESSES: &str = "IpFieldMapper.IpFieldType.IpScriptDocValues";

fn kind_of(field: &Field) -> Result<Kind, Failed> {
    if field.constant().is_some() || field.family() == Family::ConstantKeyword {
        return Ok(Kind::Constant);
    }
    if field.family() == Family::Id {
        return Ok(Kind::Ids);
    }
    if field.family() == Family::GeoShape {
        let refusal = "Script doc value for the GeoShape field is not supported";
        return Err(throw("AggregationExecutionException", refusal));
    }
    if field.fielddata() {
        return Ok(Kind::Strings);
    }
    if field.type_name == "flat_object" && field.spec.doc_values == DocValues::Ordinals {
        return Ok(Kind::Flat);
    }
    if let Err(error) = field.check_aggregatable() {
        return Err(illegal(error.reason()));
    }
    Ok(match (field.spec.doc_values, field.family()) {
        (DocValues::Ordinals, Family::Ip) => Kind::Addresses,
        (DocValues::Ordinals, Family::Binary) => Kind::Bytes,
        (DocValues::Ordinals, Family::Range) => Kind::Ranges(EndForm::of_type(field.type_name)),
        (DocValues::Ordinals, _) => Kind::Strings,
        (DocValues::Numeric, Family::Float) => Kind::Doubles,
        (DocValues::Numeric, Family::UnsignedLong) => Kind::Unsigned,
        (DocValues::Numeric, Family::GeoPoint) => Kind::Points,
        (DocValues::Numeric, Family::Boolean) => Kind::Booleans,
        (DocValues::Numeric, Family::Date) if is_nanos(field) => Kind::Nanos,
        (DocValues::Numeric, Family::Date) => Kind::Millis,
        (DocValues::Numeric, _) => Kind::Longs,
        _ => {
            return Err(illegal(format!("Fielddata is not supported on field [{}]", field.name)));
        }
    })
}

fn is_nanos(field: &Field) -> bool {
    matches!(field.doc_value_format(None, None), Ok(DocValueFormat::Date { nanos: true, .. }))
}

fn bind(slot: &mut Slot, view: &SegmentView) {
    let field = view.segment.field(&slot.field);
    slot.numbers = field.and_then(|f| f.numeric()).cloned();
    slot.ordinals = field.and_then(|f| f.ordinals()).cloned();
}

pub(super) fn documents(vm: &mut Vm) -> Result<&mut Documents, Failed> {
    vm.documents.as_mut().ok_or_else(|| illegal("there is no document here"))
}

/// Number of values of the current document.
pub fn count(vm: &mut Vm, slot: u32) -> Result<usize, Failed> {
    let documents = documents(vm)?;
    let doc = documents.doc;
    let Some(slot) = documents.slots.get(slot as usize) else { return Ok(0) };
    if matches!(slot.kind, Kind::Constant | Kind::Ids | Kind::Index) {
        return Ok(1);
    }
    if let Some(column) = &slot.numbers {
        if column.single_valued() {
            return Ok(usize::from(column.has(doc)));
        }
        column.values(doc, &mut documents.numbers);
        return Ok(documents.numbers.len());
    }
    let Some(column) = &slot.ordinals else { return Ok(0) };
    column.ords(doc, &mut documents.ords);
    let most = if let Kind::Ranges(_) = slot.kind { 1 } else { usize::MAX };
    Ok(documents.ords.len().min(most))
}

/// The first value; an exception if there is none, but of addresses nothing.
#[inline]
pub fn value(vm: &mut Vm, slot: u32) -> Outcome {
    let documents = documents(vm)?;
    if let Some(at) = documents.slots.get(slot as usize)
        && let Some(column) = &at.numbers
        && (at.kind != Kind::Unsigned || column.single_valued())
    {
        let Some(number) = column.first(documents.doc) else { return Err(missing()) };
        return match at.kind {
            Kind::Longs => Ok(Value::Long(number)),
            _ => number_value(vm, slot, number),
        };
    }
    let is_address = documents.slots.get(slot as usize).is_some_and(|at| at.kind == Kind::Addresses);
    match items_limited(vm, slot, 1)?.into_iter().next() {
        Some(value) => Ok(value),
        None if is_address => Ok(Value::Null),
        None => Err(missing()),
    }
}

#[cold]
pub fn missing() -> Failed {
    throw(
        "IllegalStateException",
        "A document doesn't have a value for a field! Use doc[<field>].size()==0 to check if a document is missing a field!",
    )
}

/// The value at a place.
pub fn get(vm: &mut Vm, slot: u32, at: i32) -> Outcome {
    if at == 0 {
        return value(vm, slot).and_then(|first| if first.is_null() { Err(missing()) } else { Ok(first) });
    }
    let items = items(vm, slot)?;
    let index = if at < 0 { i64::from(at) + items.len() as i64 } else { i64::from(at) };
    let found = usize::try_from(index).ok().and_then(|at| items.get(at)).cloned();
    match found {
        Some(value) => Ok(value),
        None if items.is_empty() => Err(missing()),
        None => Err(throw("IndexOutOfBoundsException", format!("Index {at} out of bounds for length {}", items.len()))),
    }
}

pub fn items(vm: &mut Vm, slot: u32) -> Result<Vec<Value>, Failed> {
    items_limited(vm, slot, usize::MAX)
}

fn items_limited(vm: &mut Vm, slot: u32, limit: usize) -> Result<Vec<Value>, Failed> {
    let documents = documents(vm)?;
    let doc = documents.doc;
    let Some(at) = documents.slots.get(slot as usize) else { return Ok(vec![]) };
    if at.kind == Kind::Constant {
        let constant = documents.mapping.field(&at.name).and_then(|f| f.constant()).map(str::to_owned);
        return constant.map(|text| vm.string(text)).into_iter().collect();
    }
    if at.kind == Kind::Index {
        let index = documents.index.as_deref().map(str::to_owned);
        return index.map(|index| vm.string(index)).into_iter().collect();
    }
    if at.kind == Kind::Ids {
        let id = documents.view.as_ref().map(|view| view.segment.id(doc).to_owned());
        return id.map(|id| vm.string(id)).into_iter().collect();
    }
    if let Some(column) = &at.numbers {
        let mut numbers = vec![];
        column.values(doc, &mut numbers);
        if at.kind == Kind::Unsigned {
            in_signed_order(&mut numbers);
        }
        return numbers.into_iter().take(limit).map(|number| number_value(vm, slot, number)).collect();
    }
    let Some(column) = &at.ordinals else { return Ok(vec![]) };
    let mut ords = std::mem::take(&mut documents.ords);
    column.ords(doc, &mut ords);
    let kind = at.kind;
    let before = if kind == Kind::Flat { format!("{}.", at.name).into_bytes() } else { vec![] };
    let term = |ord: &u32| [&before[..], &column.term(*ord)].concat();
    let limit = if let Kind::Ranges(_) = kind { usize::MAX } else { limit };
    let mut terms: Vec<Vec<u8>> = ords.iter().take(limit).map(term).collect();
    documents.ords = ords;
    if let Kind::Ranges(form) = kind
        && !terms.is_empty()
    {
        terms = vec![together(form, &terms)];
    }
    terms.into_iter().map(|term| bytes_value(vm, kind, term)).collect()
}

fn number_value(vm: &mut Vm, slot: u32, number: i64) -> Outcome {
    let documents = documents(vm)?;
    let Some(at) = documents.slots.get(slot as usize) else { return Ok(Value::Null) };
    Ok(match at.kind {
        Kind::Doubles => {
            let field = documents.mapping.field(&at.name);
            Value::Double(field.map_or(number as f64, |field| field.decode_number(number)))
        }
        Kind::Booleans => Value::Bool(number != 0),
        Kind::Unsigned => {
            let value = i128::from(crate::mapping::number::decode_u64(number));
            return vm.alloc(Data::BigInteger(value.into()));
        }
        Kind::Millis => return vm.alloc(Data::Temporal(zoned_of_millis(number))),
        Kind::Points => {
            let point = decode_point(number);
            return vm.alloc(Data::GeoPoint(point.lat, point.lon));
        }
        Kind::Nanos => return vm.alloc(Data::Temporal(zoned_of_nanos(number))),
        _ => Value::Long(number),
    })
}

fn bytes_value(vm: &mut Vm, kind: Kind, term: Vec<u8>) -> Outcome {
    match kind {
        Kind::Bytes => {
            vm.grow(term.len())?;
            vm.alloc(Data::Bytes(term))
        }
        Kind::Ranges(_) => vm.string(read_as_utf8(&term)),
        Kind::Addresses => vm.string(DocValueFormat::Ip.bytes_text(&term)),
        _ => vm.string(String::from_utf8_lossy(&term).into_owned()),
    }
}

/// The object for `doc[name]`, where the name is known only at run time.
pub fn field(vm: &mut Vm, name: &str) -> Outcome {
    let slot = documents(vm)?.slot(name)?;
    vm.alloc(Data::DocValues(slot))
}

pub fn has_field(vm: &mut Vm, name: &str) -> bool {
    vm.documents.as_ref().is_some_and(|d| d.mapping.field(name).is_some())
}

/// The number of the current document within the shard.
pub fn id(vm: &mut Vm) -> Result<u32, Failed> {
    let documents = documents(vm)?;
    Ok(documents.doc_base.wrapping_add(documents.doc))
}

/// What random scores of the shard begin with.
pub fn salt(vm: &mut Vm) -> Result<i32, Failed> {
    documents(vm).map(|documents| documents.salt)
}

pub fn seq_no(vm: &mut Vm) -> Result<i64, Failed> {
    let documents = documents(vm)?;
    let view = documents.view.as_ref().ok_or_else(|| illegal("there is no document here"))?;
    Ok(view.segment.seq_no(documents.doc) as i64)
}
