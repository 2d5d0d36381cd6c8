//! `UUID`, `Base64`, `System`, `Debug` and formatting.

use super::super::class::{ClassRow, Row, registry};
use super::super::error::{Failed, Outcome, illegal, throw, thrown};
use super::super::value::{Array, Data, Value};
use super::super::vm::Vm;
use super::args::{int, long, ok_int, text, unexpected};
use super::display::write_text;
use crate::mapping::java_base64;
use sha1::Digest;

pub fn base64_text(bytes: &[u8]) -> String {
    crate::mapping::base64(bytes)
}

/// The bytes of Base64, or Java's words for what is wrong with it.
pub(super) fn decode_base64(text: &[u8], url: bool) -> Result<Vec<u8>, Failed> {
    java_base64::decode(text, url).map_err(illegal)
}

pub fn uuid_text(bits: u128) -> String {
    let hex = format!("{bits:032x}");
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// The next of a sequence of random numbers that differs from script to script.
pub(super) fn next_random(vm: &mut Vm) -> u64 {
    if vm.random == 0 {
        vm.random = (vm.now_ms as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    }
    vm.random = vm.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut x = vm.random;
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

pub(super) fn next_double(vm: &mut Vm) -> f64 {
    (next_random(vm) >> 11) as f64 / (1u64 << 53) as f64
}

fn explain(vm: &mut Vm, a: &[Value]) -> Outcome {
    let mut failed = thrown("PainlessExplainError", None);
    let mut shown = String::new();
    write_text(vm, &a[0], &mut shown)?;
    let class = vm.class_of(&a[0]);
    let name = a[0].class_name();
    let name =
        if matches!(a[0].data(), Some(Data::DocValues(_))) { registry().class(class).name.to_owned() } else { name };
    if !a[0].is_null() {
        failed.explained = vec![("painless_class", name.clone()), ("to_string", shown), ("java_class", name)];
        if matches!(a[0].data(), Some(Data::Map(map)) if map.borrow().frozen) {
            failed.explained.remove(0);
            failed.explained[1].1 = "java.util.Collections$UnmodifiableMap".to_owned();
        }
    } else {
        failed.explained = vec![("to_string", "null".to_owned())];
    }
    Err(failed)
}

fn byte_array(vm: &mut Vm, bytes: Vec<u8>) -> Outcome {
    vm.grow(bytes.len())?;
    vm.alloc(Data::Array(Array::Byte(bytes.into_iter().map(|b| b as i8).collect()).into()))
}

fn array_bytes(value: &Value) -> Result<Vec<u8>, Failed> {
    match &*super::args::array(value)?.borrow() {
        Array::Byte(bytes) => Ok(bytes.iter().map(|b| *b as u8).collect()),
        _ => Err(unexpected(value)),
    }
}

/// `System.arraycopy`, within one array too.
fn array_copy(vm: &mut Vm, a: &[Value]) -> Outcome {
    let (from, to, count) = (int(&a[1])?, int(&a[3])?, int(&a[4])?);
    let source = super::args::array(&a[0])?;
    let (have, room) = (source.borrow().len(), super::args::array(&a[2])?.borrow().len());
    if source.borrow().element_type() != super::args::array(&a[2])?.borrow().element_type() {
        return Err(throw("ArrayStoreException", "arraycopy: type mismatch"));
    }
    let place = |at: i32, length: usize, what: &str| {
        let fits = usize::try_from(at).ok().zip(usize::try_from(count).ok()).filter(|(at, n)| at + n <= length);
        fits.ok_or_else(|| {
            let end = i64::from(at) + i64::from(count);
            let class = source.borrow().element_type();
            let array = if class.is_primitive() { class.name() } else { "object array".to_owned() };
            let reason = format!("arraycopy: last {what} index {end} out of bounds for {array}[{length}]");
            throw("ArrayIndexOutOfBoundsException", reason)
        })
    };
    let ((from, count), (to, _)) = (place(from, have, "source")?, place(to, room, "destination")?);
    vm.work(count)?;
    let items: Vec<Value> = (from..from + count).filter_map(|at| source.borrow().get(at)).collect();
    let mut target = super::args::array(&a[2])?.borrow_mut();
    for (i, item) in items.into_iter().enumerate() {
        target.set(to + i, item);
    }
    Ok(Value::Null)
}

fn token(vm: &mut Vm, class: &str, name: &'static str) -> Outcome {
    vm.alloc(Data::Token(registry().find(class).expect("the row is below"), name))
}

/// Base64 in lines of 76 characters, as in mails.
fn in_lines(text: &str) -> String {
    let lines: Vec<&str> =
        text.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap_or_default()).collect();
    lines.join("\r\n")
}

fn is_mime(value: &Value) -> bool {
    matches!(value.data(), Some(Data::Token(_, "mime" | "mime without padding")))
}

/// What a decoder for mails looks at: what is not of Base64 is left out there.
fn decode(value: &Value, bytes: &[u8]) -> Result<Vec<u8>, Failed> {
    if !is_mime(value) {
        return decode_base64(bytes, is_url(value));
    }
    let known = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    decode_base64(&bytes.iter().copied().filter(known).collect::<Vec<u8>>(), false)
}

/// Writes bytes to the beginning of an array, and tells how many.
fn into_array(target: &Value, bytes: &[u8], what: &str) -> Outcome {
    let mut array = super::args::array(target)?.borrow_mut();
    if bytes.len() > array.len() {
        return Err(illegal(format!("Output byte array is too small for {what} all input bytes")));
    }
    for (at, byte) in bytes.iter().enumerate() {
        array.set(at, Value::Byte(*byte as i8));
    }
    ok_int(bytes.len())
}

fn is_url(value: &Value) -> bool {
    matches!(value.data(), Some(Data::Token(_, "url" | "url without padding")))
}

fn encode(value: &Value, bytes: &[u8]) -> String {
    let mut text = base64_text(bytes);
    if matches!(value.data(), Some(Data::Token(_, name)) if name.ends_with("without padding")) {
        text.truncate(text.trim_end_matches('=').len());
    }
    if is_mime(value) {
        return in_lines(&text);
    }
    if is_url(value) { text.replace('+', "-").replace('/', "_") } else { text }
}

/// A part of a UUID that was made of the time.
fn time_based(of: &Value, part: impl Fn(u128) -> i64) -> Result<i64, Failed> {
    match of.data() {
        Some(Data::Uuid(id)) if id >> 76 & 0xf == 1 => Ok(part(*id)),
        Some(Data::Uuid(_)) => Err(throw("UnsupportedOperationException", "Not a time-based UUID")),
        _ => Err(unexpected(of)),
    }
}

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new(
        "java.util.UUID",
        &["Comparable"],
        &[
            Row("static UUID fromString(String)", |vm, a| {
                let text = text(&a[0])?;
                let parts: Vec<&str> = text.split('-').collect();
                let bad = || illegal(format!("Invalid UUID string: {text}"));
                if parts.len() != 5 {
                    return Err(bad());
                }
                let mut bits = 0u128;
                for (part, digits) in parts.iter().zip([8u32, 4, 4, 4, 12]) {
                    let value = u128::from_str_radix(part, 16).map_err(|_| bad())?;
                    bits = bits << (digits * 4) | (value & ((1 << (digits * 4)) - 1));
                }
                vm.alloc(Data::Uuid(bits))
            }),
            Row("static UUID nameUUIDFromBytes(byte[])", |vm, a| {
                let bytes = array_bytes(&a[0])?;
                vm.work(bytes.len() / 8)?;
                let mut digest: [u8; 16] = md5::Md5::digest(&bytes).into();
                // Version three, and the variant of the standard.
                digest[6] = digest[6] & 0x0f | 0x30;
                digest[8] = digest[8] & 0x3f | 0x80;
                vm.alloc(Data::Uuid(u128::from_be_bytes(digest)))
            }),
            Row("new(long,long)", |vm, a| {
                let bits = u128::from(long(&a[0])? as u64) << 64 | u128::from(long(&a[1])? as u64);
                vm.alloc(Data::Uuid(bits))
            }),
            Row("long getMostSignificantBits()", |_, a| uuid(&a[0]).map(|bits| Value::Long((bits >> 64) as i64))),
            Row("long getLeastSignificantBits()", |_, a| uuid(&a[0]).map(|bits| Value::Long(bits as i64))),
            Row("static UUID randomUUID()", |vm, _| {
                let bits = u128::from(next_random(vm)) << 64 | u128::from(next_random(vm));
                // Version four, and the variant of the standard.
                vm.alloc(Data::Uuid(bits & !(0xf << 76) & !(0x3 << 62) | 0x4 << 76 | 0x2 << 62))
            }),
            // The variant of the standard, whose first bits are 10.
            Row("int variant()", |_, a| {
                uuid(&a[0]).map(|bits| {
                    Value::Int(match bits as u64 >> 61 {
                        0..4 => 0,
                        4..6 => 2,
                        other => other as i32,
                    })
                })
            }),
            Row("int version()", |_, a| uuid(&a[0]).map(|bits| Value::Int((bits >> 76) as i32 & 15))),
            Row("long timestamp()", |_, a| {
                time_based(&a[0], |id| {
                    let (low, middle, high) = (id >> 96, id >> 80 & 0xffff, id >> 64 & 0x0fff);
                    (high << 48 | middle << 32 | low) as i64
                })
                .map(Value::Long)
            }),
            Row("int clockSequence()", |_, a| {
                time_based(&a[0], |id| (id >> 48 & 0x3fff) as i64).map(|v| Value::Int(v as i32))
            }),
            Row("long node()", |_, a| time_based(&a[0], |id| (id & 0xffff_ffff_ffff) as i64).map(Value::Long)),
            Row("int compareTo(UUID)", |_, a| super::collection::natural(&a[0], &a[1]).map(Value::Int)),
        ],
    ),
    ClassRow::new(
        "java.util.Base64",
        &[],
        &[
            Row("static Base64.Encoder getEncoder()", |vm, _| token(vm, "Base64.Encoder", "basic")),
            Row("static Base64.Encoder getMimeEncoder()", |vm, _| token(vm, "Base64.Encoder", "mime")),
            Row("static Base64.Decoder getMimeDecoder()", |vm, _| token(vm, "Base64.Decoder", "mime")),
            Row("static Base64.Encoder getUrlEncoder()", |vm, _| token(vm, "Base64.Encoder", "url")),
            Row("static Base64.Decoder getDecoder()", |vm, _| token(vm, "Base64.Decoder", "basic")),
            Row("static Base64.Decoder getUrlDecoder()", |vm, _| token(vm, "Base64.Decoder", "url")),
        ],
    ),
    ClassRow::new(
        "java.util.Base64.Encoder",
        &[],
        &[
            Row("String encodeToString(byte[])", |vm, a| vm.string(encode(&a[0], &array_bytes(&a[1])?))),
            Row("Base64.Encoder withoutPadding()", |vm, a| {
                let name = match (is_url(&a[0]), is_mime(&a[0])) {
                    (true, _) => "url without padding",
                    (_, true) => "mime without padding",
                    _ => "without padding",
                };
                token(vm, "Base64.Encoder", name)
            }),
            Row("int encode(byte[],byte[])", |_, a| {
                into_array(&a[2], encode(&a[0], &array_bytes(&a[1])?).as_bytes(), "encoding")
            }),
            Row("byte[] encode(byte[])", |vm, a| byte_array(vm, encode(&a[0], &array_bytes(&a[1])?).into_bytes())),
        ],
    ),
    ClassRow::new(
        "java.util.Base64.Decoder",
        &[],
        &[
            Row("byte[] decode(String)", |vm, a| {
                // As Latin-1, in which what is not of it is a question mark.
                let bytes: Vec<u8> = text(&a[1])?.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect();
                let decoded = decode(&a[0], &bytes)?;
                byte_array(vm, decoded)
            }),
            Row("int decode(byte[],byte[])", |_, a| {
                into_array(&a[2], &decode(&a[0], &array_bytes(&a[1])?)?, "decoding")
            }),
        ],
    ),
    ClassRow::new(
        "java.lang.System",
        &[],
        &[
            Row("static long currentTimeMillis()", |vm, _| Ok(Value::Long(vm.now_ms))),
            Row("static void arraycopy(Object,int,Object,int,int)", array_copy),
            Row("static long nanoTime()", |vm, _| Ok(Value::Long(vm.now_ms.wrapping_mul(1_000_000)))),
        ],
    ),
    ClassRow::new("org.opensearch.painless.api.Debug", &[], &[Row("static void explain(Object)", explain)]),
    ClassRow::new(
        "org.apache.lucene.util.BytesRef",
        &["Comparable"],
        &[
            Row("String utf8ToString()", |vm, a| {
                let text = String::from_utf8_lossy(bytes_of(&a[0])?).into_owned();
                vm.string(text)
            }),
            Row("boolean bytesEquals(BytesRef)", |_, a| Ok(Value::Bool(bytes_of(&a[0])? == bytes_of(&a[1])?))),
            Row("byte[] bytes", |vm, a| byte_array(vm, bytes_of(&a[0])?.to_vec())),
            Row("int length", |_, a| ok_int(bytes_of(&a[0])?.len())),
            Row("int offset", |_, _| Ok(Value::Int(0))),
        ],
    ),
];

fn bytes_of(value: &Value) -> Result<&[u8], Failed> {
    match value.data() {
        Some(Data::Bytes(bytes)) => Ok(bytes),
        _ => Err(unexpected(value)),
    }
}

fn uuid(value: &Value) -> Result<u128, Failed> {
    match value.data() {
        Some(Data::Uuid(bits)) => Ok(*bits),
        _ => Err(unexpected(value)),
    }
}
