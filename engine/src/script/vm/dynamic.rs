//! Members and items of values whose class is known only at run time.

use super::super::class::{ClassId, Method, class, registry};
use super::super::doc;
use super::super::error::{Failed, Outcome, illegal, null_pointer, throw};
use super::super::lib;
use super::super::op::Program;
use super::super::stored_values;
use super::super::value::{Closure, Data, List, ListKind, Target, Value};
use super::{Vm, cast};
use smallvec::SmallVec;

/// What functions are called that have no name.
const LAMBDA: &str = "lambda$synthetic";

impl Vm {
    /// The class whose members a value has: that of the field's kind for values of documents.
    pub fn class_of(&self, value: &Value) -> ClassId {
        match value.data() {
            Some(Data::DocValues(slot)) => self.documents.as_ref().map_or(class::LIST, |d| d.class(*slot)),
            _ => value.class(),
        }
    }

    pub(super) fn method_of(&self, object: &Value, name: &str, arity: usize) -> Option<&'static Method> {
        registry().method(self.class_of(object), name, arity)
    }

    pub(super) fn invoke(&mut self, program: &Program, site: u16, mut args: SmallVec<[Value; 6]>) -> Outcome {
        let object = &args[0];
        let at = usize::from(site);
        program.sites[at].check(object)?;
        let class = self.class_of(object);
        let method = match self.sites[at] {
            Some((known, method)) if known == class => method,
            _ => {
                let site = &program.sites[at];
                if let Some(Data::Closure(closure)) = object.data()
                    && (closure.interface == class::OBJECT || is_functional(closure.interface, &site.name))
                {
                    let callee = args.remove(0);
                    return self.call(&callee, &args);
                }
                let known = registry().method(class, &site.name, site.arity);
                let Some(method) = known.filter(|_| program.context.allows(&site.name)) else {
                    return Err(no_method(&self.shown_class(object), &site.name, site.arity));
                };
                self.sites[at] = Some((class, method));
                method
            }
        };
        for (value, param) in args[1..].iter().zip(&method.params) {
            if let Some(Data::Closure(closure)) = value.data() {
                self.check_arity(program, closure, *param)?;
            }
        }
        for (value, param) in args[1..].iter_mut().zip(&method.params) {
            *value = match self.adapt_argument(value, *param) {
                Ok(value) => value,
                Err(_) if !value.is_null() || param.is_primitive() => {
                    return Err(self.taken_otherwise(program, site, (class, method), value, *param));
                }
                Err(failed) => return Err(failed),
            };
        }
        (method.run)(self, &args).map_err(|failed| lib::told_of_null(method, &args, failed))
    }

    /// A function is joined to the interface that a member takes before the member is called: by how many parameters it has.
    fn check_arity(&self, program: &Program, closure: &Closure, to: super::super::types::Type) -> Result<(), Failed> {
        let interface = Some(to).filter(|to| to.dims == 0 && !to.is_primitive() && !to.is_def());
        let Some((id, method)) =
            interface.and_then(|to| Some((to.class_id(), registry().class(to.class_id()).functional?)))
        else {
            return Ok(());
        };
        let wanted = method.params.len();
        if closure.interface != class::OBJECT || self.arity(closure).is_none_or(|takes| takes == wanted) {
            return Ok(());
        }
        let (of, more, why) = match closure.target {
            Target::Script(function) => {
                let functions = &program.functions[..usize::from(function)];
                let name = &program.functions[usize::from(function)].name;
                match name.as_str() {
                    LAMBDA => {
                        let before = functions.iter().filter(|one| one.name == LAMBDA).count();
                        let why = " due to an incorrect number of arguments";
                        (format!("this::{LAMBDA}${before}"), closure.captured.len(), why)
                    }
                    name => (format!("this::{name}"), 0, ""),
                }
            }
            Target::Virtual(of) | Target::Static(of) => {
                (format!("{}::{}", registry().class(of.class).simple, of.name), 0, "")
            }
            Target::Named(_) | Target::Native(_) => return Ok(()),
        };
        let (class, more) = (registry().class(id).name, wanted + more);
        let what =
            format!("function reference [{of}/{more}] matching [{class}, {}/{wanted}] not found{why}", method.name);
        Err(illegal(what))
    }

    fn adapt_argument(&self, value: &Value, to: super::super::types::Type) -> Outcome {
        match cast::adapt(value, to) {
            Ok(value) => Ok(value),
            // Values of documents are lists, whatever their kind.
            Err(_) if matches!(value.data(), Some(Data::DocValues(_))) => Ok(value.clone()),
            Err(failed) => Err(failed),
        }
    }

    /// Calls a method by name; the first argument is the object.
    pub(super) fn invoke_by_name(&mut self, name: &str, args: &[Value]) -> Outcome {
        let Some((object, rest)) = args.split_first() else { return Err(null_pointer()) };
        if object.is_null() {
            return Err(null_pointer());
        }
        let known = self.method_of(object, name, rest.len());
        let Some(method) = known.filter(|_| self.program.context.allows(name)) else {
            return Err(no_method(&self.shown_class(object), name, rest.len()));
        };
        let mut args: SmallVec<[Value; 6]> = args.iter().cloned().collect();
        for (value, param) in args[1..].iter_mut().zip(&method.params) {
            *value = self.adapt_argument(value, *param)?;
        }
        (method.run)(self, &args)
    }

    pub(super) fn get_member(&mut self, name: &str, object: &Value) -> Outcome {
        self.getter = None;
        if object.is_null() {
            return Err(null_pointer());
        }
        if let Some(Data::Map(map)) = object.data() {
            // Keys win over methods only where there is no getter of the name.
            if !matches!(name, "length" | "empty" | "class") {
                return Ok(map.borrow().entries.get(&lib::key_of(name)).cloned().unwrap_or_default());
            }
        }
        if let Some(Data::Array(array)) = object.data()
            && name == "length"
        {
            return Ok(Value::Int(array.borrow().len() as i32));
        }
        let class = self.class_of(object);
        if let Some(getter) = registry().field(class, name).or_else(|| registry().getter(class, name)) {
            self.getter = Some((class, getter));
            return (getter.run)(self, std::slice::from_ref(object));
        }
        match object.data() {
            Some(Data::Map(map)) => Ok(map.borrow().entries.get(&lib::key_of(name)).cloned().unwrap_or_default()),
            Some(Data::Doc) => doc::field(self, name),
            Some(Data::Fields) => stored_values::field(self, name),
            Some(_) if has_places(object) && name.parse::<i32>().is_ok() => {
                self.get_index(object, &Value::Int(name.parse().unwrap_or(0)))
            }
            Some(_) if has_places(object) => Err(illegal(format!("Illegal list shortcut value [{name}]."))),
            _ => {
                let class = self.shown_class(object);
                Err(illegal(format!("dynamic getter [{class}, {name}] not found")))
            }
        }
    }

    fn shown_class(&self, object: &Value) -> String {
        match object.data() {
            Some(Data::DocValues(_)) => registry().class(self.class_of(object)).name.to_owned(),
            _ => object.class_name(),
        }
    }

    pub(super) fn set_member(&mut self, name: &str, object: &Value, value: Value) -> Result<(), Failed> {
        match object.data() {
            None if object.is_null() => Err(null_pointer()),
            Some(Data::Map(_)) => {
                let key = self.string(name)?;
                lib::put(self, object, key, value).map(drop)
            }
            Some(Data::List(_)) if has_places(object) && name.parse::<i32>().is_ok() => {
                let index = Value::Int(name.parse().unwrap_or(0));
                self.set_index(object, &index, value)
            }
            Some(_) if has_places(object) => Err(illegal(format!("Illegal list shortcut value [{name}]."))),
            _ => {
                let class = self.class_of(object);
                let Some(setter) = registry().setter(class, name) else {
                    let class = self.shown_class(object);
                    return Err(illegal(format!("dynamic setter [{class}, {name}] not found")));
                };
                (setter.run)(self, &[object.clone(), value]).map(drop)
            }
        }
    }

    pub fn get_index(&mut self, object: &Value, index: &Value) -> Outcome {
        match object.data() {
            Some(Data::Map(_)) => lib::get(self, object, index),
            Some(Data::List(list)) if has_places(object) => {
                let list = list.borrow();
                let at = list_index(index, list.items.len())?;
                list.items.get(at).cloned().ok_or_else(|| out_of_bounds(&list, index))
            }
            Some(Data::Array(array)) => {
                let array = array.borrow();
                let at = list_index(index, array.len())?;
                array.get(at).ok_or_else(|| array_bounds(index, array.len()))
            }
            Some(Data::Doc) => match index {
                Value::Str(name) => doc::field(self, name.clone().as_str()),
                _ => Err(illegal("No field found for [null] in mapping")),
            },
            Some(Data::Fields) => stored_values::field(self, &lib::plain(index)),
            Some(Data::DocValues(slot)) => {
                let Value::Int(at) = index else { return Err(not_an_index(index)) };
                doc::get(self, *slot, *at)
            }
            None if object.is_null() => Err(null_pointer()),
            _ => Err(no_array(object)),
        }
    }

    pub(super) fn set_index(&mut self, object: &Value, index: &Value, value: Value) -> Result<(), Failed> {
        match object.data() {
            Some(Data::Map(_)) => lib::put(self, object, index.clone(), value).map(drop),
            Some(Data::List(list)) if has_places(object) => {
                let mut list = list.borrow_mut();
                lib::check_changeable(&list)?;
                let len = list.items.len();
                let at = list_index(index, len)?;
                match list.items.get_mut(at) {
                    Some(slot) => *slot = value,
                    None => return Err(out_of_bounds(&list, index)),
                }
                Ok(())
            }
            Some(Data::Array(array)) => {
                let len = array.borrow().len();
                let at = list_index(index, len)?;
                if at >= len {
                    return Err(array_bounds(index, len));
                }
                let element = array.borrow().element_type();
                let value = cast::adapt(&value, element)?;
                array.borrow_mut().set(at, value);
                Ok(())
            }
            None if object.is_null() => Err(null_pointer()),
            _ => Err(illegal(format!("Attempting to address a non-array type [{}] as an array.", object.class_name()))),
        }
    }
}

fn is_functional(interface: ClassId, name: &str) -> bool {
    registry().class(interface).functional.is_some_and(|method| method.name == name)
}

#[cold]
fn no_method(class: &str, name: &str, arity: usize) -> Failed {
    illegal(format!("dynamic method [{class}, {name}/{arity}] not found"))
}

/// Negative indexes count from the end.
fn list_index(index: &Value, len: usize) -> Result<usize, Failed> {
    match index {
        Value::Int(at) if *at < 0 => Ok(usize::try_from(i64::from(*at) + len as i64).unwrap_or(usize::MAX)),
        Value::Int(at) => Ok(*at as usize),
        Value::Byte(at) => list_index(&Value::Int(i32::from(*at)), len),
        Value::Short(at) => list_index(&Value::Int(i32::from(*at)), len),
        Value::Char(at) => Ok(usize::from(*at)),
        Value::Null => Err(null_pointer()),
        _ => Err(not_an_index(index)),
    }
}

#[cold]
fn not_an_index(index: &Value) -> Failed {
    let class = index.java_class();
    throw("ClassCastException", format!("Cannot cast {class} to java.lang.Integer"))
}

#[cold]
fn out_of_bounds(list: &List, index: &Value) -> Failed {
    let len = list.items.len();
    if list.kind == ListKind::Fixed {
        // It is an array.
        return array_bounds(index, len);
    }
    super::super::lib::no_item(list, shown(index, len) as i32)
}

#[cold]
fn array_bounds(index: &Value, len: usize) -> Failed {
    throw("ArrayIndexOutOfBoundsException", format!("Index {} out of bounds for length {len}", shown(index, len)))
}

fn shown(index: &Value, len: usize) -> i64 {
    match super::arith::as_long(index) {
        Some(at) if at < 0 => at + len as i64,
        Some(at) => at,
        None => 0,
    }
}

/// Whether it is a list, or what a document has of a field: what stands there has a place.
pub(super) fn has_places(object: &Value) -> bool {
    match object.data() {
        Some(Data::List(list)) => list.borrow().has_places(),
        Some(Data::DocValues(_)) => true,
        _ => false,
    }
}

/// Whether something has items at all, which is looked at before anything else of them.
pub(super) fn check_held(object: &Value) -> Result<(), Failed> {
    match object.data() {
        Some(Data::Map(_) | Data::Array(_) | Data::Doc | Data::Fields | Data::DocValues(_)) => Ok(()),
        Some(Data::List(_)) if has_places(object) => Ok(()),
        None if object.is_null() => Err(null_pointer()),
        _ => Err(no_array(object)),
    }
}

#[cold]
fn no_array(object: &Value) -> Failed {
    illegal(format!("Attempting to address a non-array-like type [{}] as an array.", object.class_name()))
}
