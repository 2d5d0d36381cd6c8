//! Documents of which a script reaches some entries: these are read into the heap, the others only copied.
//!
//! What comes of it is what [`read`](super::source::read) and [`write_json`] make of the whole document, byte by byte. Whatever is
//! not plain enough for that to be certain goes their way.

use super::error::Failed;
use super::json::write_json;
use super::source::{Reading, Shape, Stop};
use super::text::Text;
use super::value::{Data, Key, Map, MapKind, Value};
use super::vm::Vm;
use crate::json::scanner::{Malformed, Plain, Scanner};
use crate::json::{write_f64, write_string};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

/// Entries of an object whose names are compared with each other; larger ones are read as a whole.
const ENTRIES_MAX: usize = 256;
const INNER_ENTRIES_MAX: usize = 32;
/// Objects and arrays within each other.
const DEPTH_MAX: usize = 32;
/// From the end of a name to its value: a quote and a colon.
const COLON_BYTES: usize = 2;

/// A document in parts. Reused from one document to the next, which most often has the same names in the same order.
#[derive(Default)]
pub struct Parts {
    names: Vec<Name>,
    /// The entries that are not reached, as they will be written, with commas between those that stand side by side.
    text: Vec<u8>,
    pieces: Vec<Piece>,
    /// Keys of values that are read.
    shape: Shape,
}

struct Name {
    name: Box<str>,
    /// As the script knows it, if it is reached.
    key: Option<Rc<Text>>,
}

#[derive(Clone)]
enum Piece {
    /// Entries of the text.
    Copied(Range<usize>),
    /// An entry that is reached.
    Reached(Rc<Text>),
}

/// The document has to be read as a whole.
struct Whole;

impl From<Malformed> for Whole {
    fn from(_: Malformed) -> Self {
        Self
    }
}

impl Parts {
    /// The map of the entries that are reached. Nothing where the document has to be read as a whole.
    pub fn read(
        &mut self,
        vm: &mut Vm,
        document: &[u8],
        reached: &BTreeSet<Box<str>>,
    ) -> Result<Option<Value>, Failed> {
        self.text.clear();
        self.pieces.clear();
        self.shape.begin();
        let Ok(text) = std::str::from_utf8(document) else { return Ok(None) };
        let mut map = Map::new(MapKind::Linked);
        match self.entries(vm, text, reached, &mut map) {
            Ok(()) => vm.alloc(Data::Map(map.into())).map(Some),
            Err(Stop::Malformed) => Ok(None),
            Err(Stop::Failed(failed)) => Err(failed),
        }
    }

    fn entries(&mut self, vm: &mut Vm, text: &str, reached: &BTreeSet<Box<str>>, map: &mut Map) -> Result<(), Stop> {
        let mut scanner = Scanner::new(text);
        scanner.expect(b'{')?;
        // Whether all names so far are those of the document before, which were told apart then.
        let (mut known, mut at) = (true, 0);
        if !scanner.closes(b'}')? {
            loop {
                let (name, span) = scanner.key()?;
                known &= self.names.get(at).is_some_and(|known| *known.name == *name);
                if !known {
                    self.learn(at, &name, reached)?;
                }
                match &self.names[at].key {
                    Some(key) => {
                        vm.grow(name.len() + 96)?;
                        self.pieces.push(Piece::Reached(key.clone()));
                        let key = Key(Value::Str(key.clone()));
                        let mut reading = Reading::of(vm, scanner, &mut self.shape);
                        let value = reading.value(1)?;
                        scanner = reading.into_scanner();
                        map.entries.insert(key, value);
                    }
                    None => {
                        let as_written =
                            matches!(name, Cow::Borrowed(_)) && scanner.at == span.1 as usize + COLON_BYTES;
                        let raw = as_written.then_some(span.0 as usize - 1);
                        self.copy(&name, raw, &mut scanner).map_err(|Whole| Stop::Malformed)?;
                    }
                }
                at += 1;
                if !scanner.more(b'}')? {
                    break;
                }
            }
        }
        self.names.truncate(at);
        match scanner.peek_or_end()? {
            None => Ok(()),
            Some(_) => Err(Stop::Malformed),
        }
    }

    /// Takes note of the name at this place, which no name before it may be.
    fn learn(&mut self, at: usize, name: &str, reached: &BTreeSet<Box<str>>) -> Result<(), Stop> {
        let before = &self.names[..at];
        if at >= ENTRIES_MAX || before.iter().any(|before| *before.name == *name) {
            // What came later in the document before may be what came earlier in this one.
            self.names.clear();
            return Err(Stop::Malformed);
        }
        self.names.truncate(at);
        let key = reached.contains(name).then(|| Text::new(name));
        self.names.push(Name { name: name.into(), key });
        Ok(())
    }

    /// Copies an entry, whose name has been read: from `raw` on, if name and colon stand there as they would be written.
    fn copy(&mut self, name: &str, raw: Option<usize>, scanner: &mut Scanner) -> Result<(), Whole> {
        let start = match self.pieces.last_mut() {
            Some(Piece::Copied(range)) => {
                self.text.push(b',');
                range.start
            }
            _ => {
                self.pieces.push(Piece::Copied(0..0));
                self.text.len()
            }
        };
        let value_at = scanner.at;
        match raw {
            Some(raw) if is_as_written(scanner, 0)? => {
                self.text.extend_from_slice(&scanner.text.as_bytes()[raw..scanner.at]);
            }
            _ => {
                scanner.at = value_at;
                write_string(&mut self.text, name);
                self.text.push(b':');
                copy_value(scanner, &mut self.text, 0)?;
            }
        }
        let end = self.text.len();
        self.pieces.last_mut().map(|piece| *piece = Piece::Copied(start..end)).ok_or(Whole)
    }

    /// Appends the document, with what the script has left of the entries that it could reach and what it has added to them.
    pub fn write(&self, vm: &mut Vm, left: &Map, out: &mut Vec<u8>) -> Result<(), Failed> {
        out.push(b'{');
        let start = out.len();
        let separate = |out: &mut Vec<u8>| {
            if out.len() > start {
                out.push(b',');
            }
        };
        let mut reached = 0;
        for piece in &self.pieces {
            match piece {
                Piece::Copied(range) => {
                    separate(out);
                    out.extend_from_slice(&self.text[range.clone()]);
                }
                Piece::Reached(key) => {
                    let Some(value) = left.entries.get(&Key(Value::Str(key.clone()))) else { continue };
                    reached += 1;
                    separate(out);
                    write_entry(vm, key, value, out)?;
                }
            }
        }
        // Entries that were there keep their places, so the others stand behind them.
        for (Key(key), value) in left.entries.iter().skip(reached) {
            let Value::Str(key) = key else { continue };
            separate(out);
            write_entry(vm, key, value, out)?;
        }
        out.push(b'}');
        Ok(())
    }
}

fn write_entry(vm: &mut Vm, key: &Text, value: &Value, out: &mut Vec<u8>) -> Result<(), Failed> {
    write_string(out, key.as_str());
    out.push(b':');
    write_json(vm, value, out)
}

/// Passes over a value if it stands there as [`copy_value`] would write it: then all of it is copied at once. Ends at the first byte that
/// does not.
fn is_as_written(scanner: &mut Scanner, depth: usize) -> Result<bool, Whole> {
    let start = scanner.at;
    let first = scanner.peek()?;
    if scanner.at != start {
        return Ok(false);
    }
    let close = match first {
        b'{' | b'[' if depth == DEPTH_MAX => return Err(Whole),
        b'{' => b'}',
        b'[' => b']',
        _ => {
            return Ok(match scanner.plain()? {
                Plain::Null | Plain::Bool(_) => true,
                Plain::String(text) => matches!(text, Cow::Borrowed(_)),
                Plain::Number(digits) => is_written_alike(digits),
            });
        }
    };
    scanner.at += 1;
    let mut names = smallvec::SmallVec::<[Cow<str>; 16]>::new();
    let (inside, empty) = (scanner.at, scanner.closes(close)?);
    if empty || scanner.at != inside {
        return Ok(empty && scanner.at == inside + 1);
    }
    loop {
        if close == b'}' {
            let at = scanner.at;
            let (name, span) = scanner.key()?;
            let alike = matches!(name, Cow::Borrowed(_)) && span.0 as usize == at + 1;
            if !alike || scanner.at != span.1 as usize + COLON_BYTES {
                return Ok(false);
            }
            take_name(&mut names, name)?;
        }
        if !is_as_written(scanner, depth + 1)? {
            return Ok(false);
        }
        let end = scanner.at;
        let more = scanner.more(close)?;
        if scanner.at != end + 1 || !more {
            return Ok(scanner.at == end + 1);
        }
    }
}

/// Takes note of a name of an inner object, which may be there once.
fn take_name<'a>(names: &mut smallvec::SmallVec<[Cow<'a, str>; 16]>, name: Cow<'a, str>) -> Result<(), Whole> {
    if names.len() == INNER_ENTRIES_MAX || names.contains(&name) {
        return Err(Whole);
    }
    names.push(name);
    Ok(())
}

/// Appends a value as it would be written after it was read.
fn copy_value(scanner: &mut Scanner, out: &mut Vec<u8>, depth: usize) -> Result<(), Whole> {
    match scanner.peek()? {
        b'{' | b'[' if depth == DEPTH_MAX => return Err(Whole),
        b'{' => {
            scanner.at += 1;
            out.push(b'{');
            if !scanner.closes(b'}')? {
                copy_entries(scanner, out, depth)?;
            }
            out.push(b'}');
        }
        b'[' => {
            scanner.at += 1;
            out.push(b'[');
            if !scanner.closes(b']')? {
                loop {
                    copy_value(scanner, out, depth + 1)?;
                    if !scanner.more(b']')? {
                        break;
                    }
                    out.push(b',');
                }
            }
            out.push(b']');
        }
        _ => match scanner.plain()? {
            Plain::Null => out.extend_from_slice(b"null"),
            Plain::Bool(value) => out.extend_from_slice(if value { b"true" } else { b"false" }),
            Plain::String(text) => write_string(out, &text),
            Plain::Number(digits) => copy_number(digits, out)?,
        },
    }
    Ok(())
}

/// The entries of an object behind its opening bracket.
fn copy_entries(scanner: &mut Scanner, out: &mut Vec<u8>, depth: usize) -> Result<(), Whole> {
    let mut names = smallvec::SmallVec::<[Cow<str>; 16]>::new();
    loop {
        let (name, _) = scanner.key()?;
        write_string(out, &name);
        out.push(b':');
        take_name(&mut names, name)?;
        copy_value(scanner, out, depth + 1)?;
        if !scanner.more(b'}')? {
            return Ok(());
        }
        out.push(b',');
    }
}

fn copy_number(digits: &str, out: &mut Vec<u8>) -> Result<(), Whole> {
    if is_written_alike(digits) {
        out.extend_from_slice(digits.as_bytes());
    } else if digits.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
        write_f64(out, digits.parse().map_err(|_| Whole)?);
    } else {
        let value: i64 = digits.parse().map_err(|_| Whole)?;
        out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
    }
    Ok(())
}

/// Whether a number of JSON is certainly written as it was read: whole ones that fit, and decimals of no more digits than tell all
/// doubles apart, the last of which counts, in the range that is not written with exponents.
fn is_written_alike(number: &str) -> bool {
    let digits = number.strip_prefix('-').unwrap_or(number);
    let Some((whole, fraction)) = digits.split_once('.') else {
        return digits.len() <= 18 && (digits != "0" || number == digits) && digits.bytes().all(|b| b.is_ascii_digit());
    };
    let counts = fraction == "0" || !fraction.ends_with('0');
    let in_range = whole.len() <= 7 && (whole != "0" || !fraction.starts_with("000"));
    counts && in_range && whole.len() + fraction.len() <= 15 && fraction.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::super::json::from_json;
    use super::*;
    use crate::json::parse;
    use crate::script::context::UPDATE;
    use crate::script::{Limits, Script};
    use proptest::prelude::*;

    fn vm() -> Vm {
        let script = Script::new("ctx.op = 'none'", "painless", crate::json::Value::Object(crate::json::Map::new()));
        script.vm(&UPDATE, Limits::default(), 0).unwrap()
    }

    fn slow(vm: &mut Vm, document: &str) -> String {
        let value = from_json(vm, &parse(document.as_bytes()).unwrap()).unwrap();
        let mut out = vec![];
        write_json(vm, &value, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn quick(vm: &mut Vm, parts: &mut Parts, document: &str) -> Option<String> {
        let reached = ["b", "e"].map(Box::from).into();
        let map = parts.read(vm, document.as_bytes(), &reached).unwrap()?;
        let Some(Data::Map(map)) = map.data() else { panic!("no map") };
        let mut out = vec![];
        parts.write(vm, &map.borrow(), &mut out).unwrap();
        Some(String::from_utf8(out).unwrap())
    }

    #[test]
    fn numbers_are_written_as_they_were_read() {
        let mut vm = vm();
        let mut alike = 0;
        for number in [
            "0",
            "-0",
            "7",
            "-12",
            "123456789012345678",
            "1234567890123456789",
            "9223372036854775807",
            "1.5",
            "1.50",
            "0.0",
            "-0.0",
            "12.0",
            "12.00",
            "0.001",
            "0.0010",
            "0.0009",
            "0.00123",
            "9999999.5",
            "10000000.5",
            "1e3",
            "1.5e-9",
            "0.1234567890123456",
            "0.30000000000000004",
            "123456.123456789",
            "1234567.12345678",
            "1234567.123456789",
        ] {
            let document = format!("{{\"a\":{number}}}");
            let expected = slow(&mut vm, &document);
            alike += usize::from(is_written_alike(number));
            assert_eq!(quick(&mut vm, &mut Parts::default(), &document), Some(expected), "{number}");
        }
        assert_eq!(alike, 13);
    }

    #[test]
    fn documents_that_are_not_plain_are_read_as_a_whole() {
        let (mut vm, mut parts) = (vm(), Parts::default());
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(DEPTH_MAX + 1), "]".repeat(DEPTH_MAX + 1));
        let wide = (0..=ENTRIES_MAX).map(|n| format!("\"k{n}\":{n}")).collect::<Vec<_>>().join(",");
        for document in [
            "[]",
            "{\"a\":1,\"a\":2}",
            "{\"a\":1",
            "{} {}",
            "{\"a\":{\"x\":1,\"x\":2}}",
            "{\"a\":99999999999999999999}",
            &deep,
        ] {
            assert_eq!(quick(&mut vm, &mut parts, document), None, "{document}");
        }
        assert_eq!(quick(&mut vm, &mut parts, &format!("{{{wide}}}")), None);
        // A name that stood elsewhere in the document before.
        for document in ["{\"a\":1,\"b\":2,\"c\":3}", "{\"a\":1,\"c\":2,\"c\":3}", "{\"a\":1,\"b\":2,\"a\":3}"] {
            let expected = parse(document.as_bytes()).is_ok();
            assert_eq!(quick(&mut vm, &mut parts, document).is_some(), expected, "{document}");
        }
    }

    /// Most often none.
    fn space() -> impl Strategy<Value = &'static str> {
        prop_oneof![4 => Just(""), 1 => Just(" ")]
    }

    fn json() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            Just("null".to_owned()),
            any::<bool>().prop_map(|v| v.to_string()),
            any::<i64>().prop_map(|v| v.to_string()),
            any::<f64>().prop_filter("JSON", |v| v.is_finite()).prop_map(|v| format!("{v:e}")),
            (any::<i32>(), 0usize..9).prop_map(|(v, places)| format!("{:.places$}", f64::from(v) / 1e4)),
            ".{0,6}".prop_map(|v| crate::json::Value::String(v).to_text()),
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            let colon = prop_oneof![Just(":"), Just(" :"), Just(": "), Just(":")];
            let name = prop_oneof![4 => "[a-f]", 1 => Just("\\u0061".to_owned())];
            let named =
                (name, colon, inner.clone()).prop_map(|(name, colon, value)| format!("\"{name}\"{colon}{value}"));
            prop_oneof![
                (proptest::collection::vec(inner, 0..4), space(), space(), space())
                    .prop_map(|(items, a, b, c)| format!("[{a}{}{b}]", items.join(&format!("{c},")))),
                (proptest::collection::vec(named, 0..4), space(), space(), space())
                    .prop_map(|(items, a, b, c)| format!("{{{a}{}{b}}}", items.join(&format!(",{c}")))),
            ]
        })
    }

    proptest! {
        #[test]
        fn agrees_with_its_slow_twin(documents in proptest::collection::vec(proptest::collection::vec(("[a-f]", json()), 0..6), 1..6)) {
            let (mut vm, mut parts) = (vm(), Parts::default());
            for entries in documents {
                let entries: Vec<String> = entries.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
                let document = format!("{{{}}}", entries.join(","));
                let quick = quick(&mut vm, &mut parts, &document);
                match parse(document.as_bytes()) {
                    Ok(_) => {
                        if let Some(quick) = quick {
                            prop_assert_eq!(quick, slow(&mut vm, &document));
                        }
                    }
                    Err(_) => prop_assert_eq!(quick, None),
                }
                vm.reset();
            }
        }
    }
}
