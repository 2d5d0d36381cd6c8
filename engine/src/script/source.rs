//! Documents into the heap of a machine, straight from their bytes.

use super::big::Big;
use super::error::Failed;
use super::json::from_json;
use super::text::Text;
use super::value::{Data, Key, Map, MapKind, Value};
use super::vm::Vm;
use crate::error::Error;
use crate::json::scanner::{Malformed, Plain, Scanner};
use crate::json::{MAX_DEPTH, parse};
use std::rc::Rc;

/// Keys kept from one document for the next.
const KEYS_MAX: usize = 1024;

/// What documents of one kind have in common: the keys, in their order. Documents that follow one another share the texts of those
/// that stand in the same place.
#[derive(Debug, Default)]
pub struct Shape {
    keys: Vec<Rc<Text>>,
    /// How many keys of this document have been read.
    at: usize,
    /// Entries of the document before this one, not of the objects within it.
    entries: usize,
}

/// Why there is no value.
#[derive(Debug)]
pub enum Unread {
    /// The text is no JSON.
    Text(Error),
    /// There is no room for it.
    Room(Failed),
}

pub(super) enum Stop {
    Malformed,
    Failed(Failed),
}

impl From<Malformed> for Stop {
    fn from(_: Malformed) -> Self {
        Self::Malformed
    }
}

impl From<Failed> for Stop {
    fn from(failed: Failed) -> Self {
        Self::Failed(failed)
    }
}

/// The value that [`from_json`] makes of the text's tree.
pub fn read(vm: &mut Vm, text: &[u8], shape: &mut Shape) -> Result<Value, Unread> {
    shape.begin();
    let quick = match std::str::from_utf8(text) {
        Ok(text) => Reading::of(vm, Scanner::new(text), shape).whole(),
        Err(_) => Err(Stop::Malformed),
    };
    match quick {
        Ok(value) => Ok(value),
        Err(Stop::Failed(failed)) => Err(Unread::Room(failed)),
        Err(Stop::Malformed) => {
            let json = parse(text).map_err(Unread::Text)?;
            from_json(vm, &json).map_err(Unread::Room)
        }
    }
}

/// Reads values into the heap, one behind the other.
pub(super) struct Reading<'r, 'a> {
    vm: &'r mut Vm,
    scanner: Scanner<'a>,
    shape: &'r mut Shape,
}

impl<'r, 'a> Reading<'r, 'a> {
    pub fn of(vm: &'r mut Vm, scanner: Scanner<'a>, shape: &'r mut Shape) -> Self {
        Self { vm, scanner, shape }
    }

    pub fn into_scanner(self) -> Scanner<'a> {
        self.scanner
    }

    fn whole(&mut self) -> Result<Value, Stop> {
        let value = self.value(0)?;
        match self.scanner.peek_or_end()? {
            None => Ok(value),
            Some(_) => Err(Stop::Malformed),
        }
    }

    /// The next value, which has `depth` others around it.
    pub fn value(&mut self, depth: usize) -> Result<Value, Stop> {
        match self.scanner.peek()? {
            b'{' | b'[' if depth > MAX_DEPTH => Err(Stop::Malformed),
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            _ => Ok(match self.scanner.plain()? {
                Plain::Null => Value::Null,
                Plain::Bool(value) => Value::Bool(value),
                Plain::Number(digits) => self.number(digits)?,
                Plain::String(text) => self.vm.string(text)?,
            }),
        }
    }

    fn number(&mut self, digits: &str) -> Result<Value, Stop> {
        if digits.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
            return digits.parse().map(Value::Double).map_err(|_| Stop::Malformed);
        }
        if let Ok(value) = digits.parse::<i64>() {
            return Ok(i32::try_from(value).map_or(Value::Long(value), Value::Int));
        }
        match Big::parse(digits) {
            Ok(value) => Ok(self.vm.alloc(Data::BigInteger(value))?),
            Err(_) => Ok(Value::Double(digits.parse().unwrap_or(f64::INFINITY))),
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, Stop> {
        self.scanner.at += 1;
        let mut items = vec![];
        if !self.scanner.closes(b']')? {
            loop {
                items.push(self.value(depth + 1)?);
                if !self.scanner.more(b']')? {
                    break;
                }
            }
        }
        Ok(self.vm.list(items)?)
    }

    fn object(&mut self, depth: usize) -> Result<Value, Stop> {
        self.scanner.at += 1;
        let mut map = Map::new(MapKind::Linked);
        if depth == 0 {
            map.entries.reserve(self.shape.entries);
        }
        if !self.scanner.closes(b'}')? {
            loop {
                let (key, _) = self.scanner.key()?;
                self.vm.grow(key.len() + 96)?;
                let key = self.shape.key(&key);
                let value = self.value(depth + 1)?;
                if map.entries.insert(Key(Value::Str(key)), value).is_some() {
                    return Err(Stop::Malformed);
                }
                if !self.scanner.more(b'}')? {
                    break;
                }
            }
        }
        if depth == 0 {
            self.shape.entries = map.entries.len();
        }
        Ok(self.vm.alloc(Data::Map(map.into()))?)
    }
}

impl Shape {
    /// Another document begins.
    pub fn begin(&mut self) {
        self.at = 0;
    }

    fn key(&mut self, key: &str) -> Rc<Text> {
        let at = self.at;
        self.at += 1;
        match self.keys.get_mut(at) {
            Some(known) if known.as_str() == key => known.clone(),
            Some(other) => {
                *other = Text::new(key);
                other.clone()
            }
            None => {
                let new = Text::new(key);
                if at < KEYS_MAX {
                    self.keys.push(new.clone());
                }
                new
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::context::UPDATE;
    use crate::script::json::to_json;
    use crate::script::{Limits, Script};

    fn vm(limits: Limits) -> Vm {
        let script = Script::new("ctx.op = 'none'", "painless", crate::json::Value::Object(crate::json::Map::new()));
        script.vm(&UPDATE, limits, 0).unwrap()
    }

    #[test]
    fn agrees_with_its_slow_twin() {
        let (mut vm, mut shape) = (vm(Limits::default()), Shape::default());
        let long = format!("{{\"d\":{}1{}}}", "[".repeat(300), "]".repeat(300));
        let texts = [
            r#"{"a":1,"b":[1.50,"x\n",null,{}],"c":{"a":true}}"#,
            r#"{"a":2,"c":{"b":-1e3},"e\u00e9":99999999999,"f":18446744073709551615}"#,
            r#"{"f":123456789012345678901234567890123456789012345678901234567890,"g":0.1,"a":-0}"#,
            " [ {\"a\" : {} /* c */} ] ",
            "17",
            &long,
        ];
        for text in texts.iter().chain(&texts) {
            let value = read(&mut vm, text.as_bytes(), &mut shape).unwrap();
            let slow = from_json(&mut vm, &parse(text.as_bytes()).unwrap()).unwrap();
            assert_eq!(value.class(), slow.class());
            let (value, slow) = (to_json(&mut vm, &value).unwrap(), to_json(&mut vm, &slow).unwrap());
            assert_eq!(value.to_text(), slow.to_text(), "{text}");
            vm.reset();
        }
    }

    #[test]
    fn what_is_no_json_is_told_as_ever() {
        let (mut vm, mut shape) = (vm(Limits::default()), Shape::default());
        for text in [&br#"{"a":1,"a":2}"#[..], b"{\"a\":", b"{} {}", b"\"\xff\"", &b"[".repeat(2000)] {
            let Err(Unread::Text(error)) = read(&mut vm, text, &mut shape) else { panic!("{text:?} was read") };
            assert_eq!(error, parse(text).unwrap_err());
        }
    }

    #[test]
    fn memory_is_bounded() {
        let mut vm = vm(Limits { fuel: 1_000_000, memory_bytes: 1000 });
        let read = read(&mut vm, format!("[\"{}\"]", "a".repeat(2000)).as_bytes(), &mut Shape::default());
        assert!(matches!(read, Err(Unread::Room(_))));
    }
}
