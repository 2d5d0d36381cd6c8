//! `params._fields`: what is stored of a document's fields beside its source, read when it is asked for.

use super::doc::{Documents, documents};
use super::error::{Failed, Outcome, illegal};
use super::value::{Data, Value};
use super::vm::Vm;
use crate::json::{Value as Json, Writer, parse};
use crate::mapping::{Family, Field};
use crate::segment::{StoredDoc, StoredValue};

/// One value before it belongs to a machine.
enum Held {
    Stored(StoredValue),
    Text(String),
    Int(i32),
    Byte(i8),
    Short(i16),
    Unsigned(u64),
}

/// The values of a field of the mapping; what is not in it is refused.
pub fn field(vm: &mut Vm, name: &str) -> Outcome {
    let held = held(documents(vm)?, name)?;
    let values = held.into_iter().map(|one| value(vm, one)).collect::<Result<Vec<_>, _>>()?;
    super::lib::wrapped(vm, "FieldLookup", values)
}

fn held(documents: &mut Documents, name: &str) -> Result<Vec<Held>, Failed> {
    let mapping = documents.mapping.clone();
    let Some(field) = mapping.field(name) else {
        return Err(illegal(format!("No field found for [{name}] in mapping")));
    };
    let Some((view, doc)) = documents.place() else { return Ok(vec![]) };
    let root = view.segment.roots().map_or(doc, |roots| roots.from(doc));
    if field.family() == Family::Id {
        return Ok(vec![Held::Text(view.segment.id(root).to_owned())]);
    }
    let stored = view.segment.stored_beside(root, &mut documents.opened);
    let StoredDoc { source, routing, fields } = stored.map_err(|error| illegal(error.reason()))?;
    Ok(match &*field.name {
        "_source" => source.into_iter().map(|source| Held::Stored(StoredValue::Bytes(source.to_vec()))).collect(),
        "_routing" => routing.into_iter().map(Held::Text).collect(),
        name => fields.into_iter().filter(|(of, _)| of == name).map(|(_, one)| shown(field, one)).collect(),
    })
}

/// A value as one of the field's type. Dates are stored as numbers and shown as texts.
fn shown(field: &Field, one: StoredValue) -> Held {
    let StoredValue::Long(number) = one else { return Held::Stored(one) };
    if field.date_format().is_some() {
        let mut w = Writer::new();
        let written = field.write_doc_value_number(number, None, &mut w);
        if let (Ok(()), Ok(Json::String(text))) = (written, parse(&w.finish())) {
            return Held::Text(text);
        }
    }
    match field.type_name {
        "integer" => Held::Int(number as i32),
        "short" => Held::Short(number as i16),
        "byte" => Held::Byte(number as i8),
        "unsigned_long" => Held::Unsigned(number as u64),
        _ => Held::Stored(one),
    }
}

fn value(vm: &mut Vm, held: Held) -> Outcome {
    Ok(match held {
        Held::Text(text) | Held::Stored(StoredValue::String(text)) => return vm.string(text),
        Held::Int(number) => Value::Int(number),
        Held::Short(number) => Value::Short(number),
        Held::Byte(number) => Value::Byte(number),
        Held::Unsigned(number) => return vm.alloc(Data::BigInteger(i128::from(number).into())),
        Held::Stored(StoredValue::Long(number)) => Value::Long(number),
        Held::Stored(StoredValue::Double(number)) => Value::Double(number),
        Held::Stored(StoredValue::Float(number)) => Value::Float(number),
        Held::Stored(StoredValue::Bool(flag)) => Value::Bool(flag),
        Held::Stored(StoredValue::Bytes(bytes)) => {
            vm.grow(bytes.len())?;
            return vm.alloc(Data::Bytes(bytes));
        }
    })
}
