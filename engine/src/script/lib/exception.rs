//! Exceptions, which scripts can throw and catch, and errors, which they cannot.

use super::super::class::{ClassRow, Row, registry};
use super::super::error::{Failed, Outcome, null_pointer, thrown};
use super::super::value::{Data, Value};
use super::super::vm::Vm;
use super::args::{int, text, unexpected};
use super::display::plain;

fn message(_: &mut Vm, a: &[Value]) -> Outcome {
    match a[0].data() {
        Some(Data::Throwable(_, message, ..)) => Ok(message.as_deref().map_or(Value::Null, Value::text)),
        _ => Err(unexpected(&a[0])),
    }
}

fn new(vm: &mut Vm, class: &str, message: Option<&Value>) -> Outcome {
    new_with(vm, class, message, &[])
}

/// An exception that tells more than its message.
fn new_with(vm: &mut Vm, class: &str, message: Option<&Value>, more: &[Value]) -> Outcome {
    let message = match message {
        Some(message) if !message.is_null() => Some(text(message)?.into_owned()),
        _ => None,
    };
    let class = registry().find(class).expect("the row is below");
    let at = vm.place();
    vm.alloc(Data::Throwable(class, message, at, more.into()))
}

/// An exception whose message tells what it was made of.
fn told(vm: &mut Vm, class: &str, before: &str, of: &Value, behind: &str) -> Outcome {
    if of.is_null() {
        return Err(null_pointer());
    }
    let message = vm.string(format!("{before}{}{behind}", plain(of)))?;
    new(vm, class, Some(&message))
}

/// What an exception tells beside its message; nothing of those that no script has made.
fn more(of: &Value, at: usize) -> Option<Value> {
    match of.data() {
        Some(Data::Throwable(.., more)) => more.get(at).cloned(),
        _ => None,
    }
}

/// What stands in a message between two texts, or behind the first if there is no second.
fn between(of: &Value, before: &str, behind: &str) -> Result<Option<String>, Failed> {
    let Some(Data::Throwable(_, Some(message), ..)) = of.data() else { return Ok(None) };
    let rest = message.split_once(before).map(|(_, rest)| rest);
    Ok(rest.map(|rest| {
        if behind.is_empty() { rest } else { rest.split_once(behind).map_or(rest, |(text, _)| text) }.to_owned()
    }))
}

fn character(text: Option<String>) -> Outcome {
    Ok(Value::Char(text.and_then(|text| text.encode_utf16().next()).unwrap_or_default()))
}

/// What stands in quotes in a message, or behind its equals sign.
fn quoted(vm: &mut Vm, of: &Value) -> Outcome {
    let message = message(vm, std::slice::from_ref(of))?;
    let text = text(&message)?;
    let inner = text.split_once('\'').map(|(_, rest)| rest.strip_suffix('\'').unwrap_or(rest));
    let inner = inner.or_else(|| text.split_once(" = ").map(|(_, rest)| rest)).unwrap_or(&text);
    vm.string(inner)
}

fn number_told(of: &Value) -> Outcome {
    match of.data() {
        Some(Data::Throwable(_, Some(message), ..)) => Ok(Value::Int(message.parse().unwrap_or_default())),
        _ => Err(unexpected(of)),
    }
}

const FLAGS: Row = Row("String getFlags()", |vm, a| quoted(vm, &a[0]));

macro_rules! exception {
    ($name:literal, $of:literal) => {
        ClassRow::new(
            $name,
            &[$of],
            &[Row("new()", |vm, _| new(vm, $name, None)), Row("new(String)", |vm, a| new(vm, $name, Some(&a[0])))],
        )
    };
}

/// The same of what can be thrown by its message alone.
macro_rules! of_message {
    ($name:literal, $of:literal) => {
        ClassRow::new($name, &[$of], &[Row("new(String)", |vm, a| new(vm, $name, Some(&a[0])))])
    };
}

const PARSE: &[Row] = &[
    Row("new(String,int)", |vm, a| new_with(vm, "ParseException", Some(&a[0]), &a[1..])),
    Row("int getErrorOffset()", |_, a| Ok(more(&a[0], 0).unwrap_or(Value::Int(0)))),
];

const DATE_TIME_PARSE: &[Row] = &[
    Row("new(String,CharSequence,int)", |vm, a| {
        let parsed = vm.string(plain(&a[1]))?;
        new_with(vm, "DateTimeParseException", Some(&a[0]), &[parsed, a[2].clone()])
    }),
    Row("String getParsedString()", |vm, a| match more(&a[0], 0) {
        Some(parsed) => Ok(parsed),
        None => {
            let parsed = between(&a[0], "Text '", "' could not be parsed")?;
            vm.string(parsed.unwrap_or_default())
        }
    }),
    Row("int getErrorIndex()", |_, a| match more(&a[0], 1) {
        Some(index) => Ok(index),
        None => {
            let index = between(&a[0], " at index ", "")?;
            Ok(Value::Int(index.and_then(|index| index.parse().ok()).unwrap_or_default()))
        }
    }),
];

const MISSING_RESOURCE: &[Row] = &[
    Row("new(String,String,String)", |vm, a| new_with(vm, "MissingResourceException", Some(&a[0]), &a[1..])),
    Row("String getClassName()", |_, a| Ok(more(&a[0], 0).unwrap_or_default())),
    Row("String getKey()", |_, a| Ok(more(&a[0], 1).unwrap_or_default())),
];

const FLAGS_MISMATCH: &[Row] = &[
    Row("new(String,char)", |vm, a| {
        if a[0].is_null() {
            return Err(thrown("NullPointerException", None));
        }
        let message = vm.string(format!("Conversion = {}, Flags = {}", plain(&a[1]), plain(&a[0])))?;
        new(vm, "FormatFlagsConversionMismatchException", Some(&message))
    }),
    Row("String getFlags()", |vm, a| {
        let flags = between(&a[0], "Flags = ", "")?;
        vm.string(flags.unwrap_or_default())
    }),
    Row("char getConversion()", |_, a| character(between(&a[0], "Conversion = ", ", Flags = ")?)),
];

const CODE_POINT: &[Row] = &[
    Row("new(int)", |vm, a| {
        let message = vm.string(format!("Code point = 0x{:x}", int(&a[0])?))?;
        new(vm, "IllegalFormatCodePointException", Some(&message))
    }),
    Row("int getCodePoint()", |_, a| {
        let point = between(&a[0], "0x", "")?.and_then(|point| u32::from_str_radix(&point, 16).ok());
        Ok(Value::Int(point.unwrap_or_default() as i32))
    }),
];

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new(
        "java.lang.Throwable",
        &[],
        &[Row("String getMessage()", message), Row("String getLocalizedMessage()", message)],
    ),
    exception!("java.lang.Exception", "Throwable"),
    exception!("java.lang.RuntimeException", "Exception"),
    exception!("java.lang.ArithmeticException", "RuntimeException"),
    exception!("java.lang.ClassCastException", "RuntimeException"),
    exception!("java.lang.IllegalArgumentException", "RuntimeException"),
    exception!("java.lang.IllegalStateException", "RuntimeException"),
    exception!("java.lang.IndexOutOfBoundsException", "RuntimeException"),
    exception!("java.lang.ArrayIndexOutOfBoundsException", "IndexOutOfBoundsException"),
    exception!("java.lang.StringIndexOutOfBoundsException", "IndexOutOfBoundsException"),
    exception!("java.lang.NegativeArraySizeException", "RuntimeException"),
    exception!("java.lang.NullPointerException", "RuntimeException"),
    exception!("java.lang.NumberFormatException", "IllegalArgumentException"),
    exception!("java.lang.SecurityException", "RuntimeException"),
    exception!("java.lang.UnsupportedOperationException", "RuntimeException"),
    exception!("org.opensearch.search.aggregations.AggregationExecutionException", "RuntimeException"),
    exception!("java.lang.InterruptedException", "Exception"),
    ClassRow::new("java.text.ParseException", &["Exception"], PARSE),
    ClassRow::new("java.util.MissingResourceException", &["RuntimeException"], MISSING_RESOURCE),
    exception!("java.lang.ReflectiveOperationException", "Exception"),
    exception!("java.lang.ClassNotFoundException", "ReflectiveOperationException"),
    exception!("java.lang.IllegalAccessException", "ReflectiveOperationException"),
    exception!("java.lang.InstantiationException", "ReflectiveOperationException"),
    exception!("java.lang.NoSuchFieldException", "ReflectiveOperationException"),
    exception!("java.lang.NoSuchMethodException", "ReflectiveOperationException"),
    exception!("java.lang.CloneNotSupportedException", "Exception"),
    exception!("java.lang.ArrayStoreException", "RuntimeException"),
    exception!("java.lang.IllegalMonitorStateException", "RuntimeException"),
    exception!("java.util.TooManyListenersException", "Exception"),
    exception!("java.util.ConcurrentModificationException", "RuntimeException"),
    exception!("java.util.NoSuchElementException", "RuntimeException"),
    exception!("java.util.InputMismatchException", "NoSuchElementException"),
    ClassRow::new(
        "java.util.EmptyStackException",
        &["RuntimeException"],
        &[Row("new()", |vm, _| new(vm, "EmptyStackException", None))],
    ),
    ClassRow::new("java.util.IllegalFormatException", &["IllegalArgumentException"], &[]),
    ClassRow::new("java.util.FormatFlagsConversionMismatchException", &["IllegalFormatException"], FLAGS_MISMATCH),
    // Scripts cannot name this one, but it is what they get.
    ClassRow::new("java.util.IllegalFormatArgumentIndexException", &["IllegalFormatException"], &[]),
    ClassRow::new("java.util.IllegalFormatCodePointException", &["IllegalFormatException"], CODE_POINT),
    of_message!("java.time.DateTimeException", "RuntimeException"),
    ClassRow::new("java.time.format.DateTimeParseException", &["DateTimeException"], DATE_TIME_PARSE),
    of_message!("java.time.temporal.UnsupportedTemporalTypeException", "DateTimeException"),
    of_message!("java.time.zone.ZoneRulesException", "DateTimeException"),
    exception!("java.util.regex.PatternSyntaxException", "IllegalArgumentException"),
    exception!("java.lang.invoke.WrongMethodTypeException", "RuntimeException"),
    exception!("java.lang.IllegalThreadStateException", "IllegalArgumentException"),
    ClassRow::new("java.lang.EnumConstantNotPresentException", &["RuntimeException"], &[]),
    ClassRow::new("java.lang.TypeNotPresentException", &["RuntimeException"], &[]),
    ClassRow::new(
        "java.util.DuplicateFormatFlagsException",
        &["IllegalFormatException"],
        &[Row("new(String)", |vm, a| told(vm, "DuplicateFormatFlagsException", "Flags = '", &a[0], "'")), FLAGS],
    ),
    ClassRow::new(
        "java.util.IllegalFormatFlagsException",
        &["IllegalFormatException"],
        &[Row("new(String)", |vm, a| told(vm, "IllegalFormatFlagsException", "Flags = '", &a[0], "'")), FLAGS],
    ),
    ClassRow::new(
        "java.util.UnknownFormatFlagsException",
        &["IllegalFormatException"],
        &[Row("new(String)", |vm, a| told(vm, "UnknownFormatFlagsException", "Flags = ", &a[0], "")), FLAGS],
    ),
    ClassRow::new(
        "java.util.IllegalFormatPrecisionException",
        &["IllegalFormatException"],
        &[
            Row("new(int)", |vm, a| told(vm, "IllegalFormatPrecisionException", "", &a[0], "")),
            Row("int getPrecision()", |_, a| number_told(&a[0])),
        ],
    ),
    ClassRow::new(
        "java.util.IllegalFormatWidthException",
        &["IllegalFormatException"],
        &[
            Row("new(int)", |vm, a| told(vm, "IllegalFormatWidthException", "", &a[0], "")),
            Row("int getWidth()", |_, a| number_told(&a[0])),
        ],
    ),
    ClassRow::new(
        "java.util.IllegalFormatConversionException",
        &["IllegalFormatException"],
        &[Row("char getConversion()", |_, a| character(between(&a[0], "", " != ")?))],
    ),
    ClassRow::new(
        "java.util.MissingFormatArgumentException",
        &["IllegalFormatException"],
        &[
            Row("new(String)", |vm, a| told(vm, "MissingFormatArgumentException", "Format specifier '", &a[0], "'")),
            Row("String getFormatSpecifier()", |vm, a| quoted(vm, &a[0])),
        ],
    ),
    ClassRow::new(
        "java.util.MissingFormatWidthException",
        &["IllegalFormatException"],
        &[
            Row("new(String)", |vm, a| told(vm, "MissingFormatWidthException", "", &a[0], "")),
            Row("String getFormatSpecifier()", message),
        ],
    ),
    ClassRow::new(
        "java.util.UnknownFormatConversionException",
        &["IllegalFormatException"],
        &[
            Row("new(String)", |vm, a| told(vm, "UnknownFormatConversionException", "Conversion = '", &a[0], "'")),
            Row("String getConversion()", |vm, a| quoted(vm, &a[0])),
        ],
    ),
    ClassRow::new(
        "java.util.FormatterClosedException",
        &["IllegalStateException"],
        &[Row("new()", |vm, _| new(vm, "FormatterClosedException", None))],
    ),
    // Not exceptions: no script catches them.
    ClassRow::new("org.opensearch.painless.PainlessError", &[], &[]),
    ClassRow::new("org.opensearch.painless.PainlessExplainError", &[], &[]),
    ClassRow::new("java.lang.StackOverflowError", &[], &[]),
    ClassRow::new("java.lang.OutOfMemoryError", &[], &[]),
];
