//! Exceptions, which scripts can throw and catch, and errors, which they cannot.

use super::super::class::{ClassRow, Row, registry};
use super::super::error::{Outcome, null_pointer};
use super::super::value::{Data, Value};
use super::super::vm::Vm;
use super::args::{text, unexpected};
use super::display::plain;

fn message(_: &mut Vm, a: &[Value]) -> Outcome {
    match a[0].data() {
        Some(Data::Throwable(_, message, _)) => Ok(message.as_deref().map_or(Value::Null, Value::text)),
        _ => Err(unexpected(&a[0])),
    }
}

fn new(vm: &mut Vm, class: &str, message: Option<&Value>) -> Outcome {
    let message = match message {
        Some(message) if !message.is_null() => Some(text(message)?.into_owned()),
        _ => None,
    };
    let class = registry().find(class).expect("the row is below");
    let at = vm.place();
    vm.alloc(Data::Throwable(class, message, at))
}

/// An exception whose message tells what it was made of.
fn told(vm: &mut Vm, class: &str, before: &str, of: &Value, behind: &str) -> Outcome {
    if of.is_null() {
        return Err(null_pointer());
    }
    let message = vm.string(format!("{before}{}{behind}", plain(of)))?;
    new(vm, class, Some(&message))
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
        Some(Data::Throwable(_, Some(message), _)) => Ok(Value::Int(message.parse().unwrap_or_default())),
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
    exception!("java.text.ParseException", "Exception"),
    exception!("java.util.MissingResourceException", "RuntimeException"),
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
    exception!("java.util.EmptyStackException", "RuntimeException"),
    exception!("java.util.IllegalFormatException", "IllegalArgumentException"),
    // Scripts cannot name these, but they are what they get.
    ClassRow::new("java.util.FormatFlagsConversionMismatchException", &["IllegalFormatException"], &[]),
    ClassRow::new("java.util.IllegalFormatArgumentIndexException", &["IllegalFormatException"], &[]),
    ClassRow::new("java.util.IllegalFormatCodePointException", &["IllegalFormatException"], &[]),
    exception!("java.time.DateTimeException", "RuntimeException"),
    exception!("java.time.format.DateTimeParseException", "DateTimeException"),
    exception!("java.time.temporal.UnsupportedTemporalTypeException", "DateTimeException"),
    exception!("java.time.zone.ZoneRulesException", "DateTimeException"),
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
    ClassRow::new("java.util.IllegalFormatConversionException", &["IllegalFormatException"], &[]),
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
