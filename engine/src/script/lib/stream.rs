//! Streams. Stages run at once over the items.

mod compensated;
mod mapped;
pub(super) mod summary;

use super::super::class::{ClassId, ClassRow, Row, registry};
use super::super::error::{Failed, Outcome, illegal};
use super::super::types::Type;
use super::super::value::{Array, Data, Key, Value};
use super::super::vm::Vm;
use super::args::{double, int, long, ok_bool, unexpected};
use super::comparator::sort;
use super::list::truth;
use ahash::AHashSet;
pub(super) use compensated::Compensated;
use mapped::{failing, flat_mapped, mapped};
pub use summary::Summary;
use summary::summarize;

/// What scripts are told of a class without a name.
pub(super) const NAMELESS_CLASS: &str = "$anonymous";

#[derive(Debug)]
pub struct Stream {
    class: ClassId,
    items: Vec<Value>,
    /// What an earlier stage came to grief over: Java runs stages only when the result is asked for.
    failed: Option<Failed>,
    /// See [`Value::java_class`].
    own_class: Option<&'static str>,
}

impl Stream {
    pub fn class(&self) -> ClassId {
        self.class
    }

    pub fn own_class(&self) -> Option<&'static str> {
        self.own_class
    }

    pub fn empty(&mut self, out: &mut Vec<Value>) {
        out.append(&mut self.items);
    }

    pub fn children(&self, out: &mut Vec<Value>) {
        out.extend(self.items.iter().cloned());
    }
}

pub(super) fn new(vm: &mut Vm, class: &str, items: Vec<Value>) -> Outcome {
    vm.grow(items.len() * 16)?;
    let (own_class, class) = (Some(source_class(class)), registry().find(class).expect("the row is below"));
    vm.alloc(Data::Stream(Stream { class, items, failed: None, own_class }.into()))
}

/// The class of what no stage has been added to.
fn source_class(class: &str) -> &'static str {
    match class {
        "IntStream" => "java.util.stream.IntPipeline$Head",
        "LongStream" => "java.util.stream.LongPipeline$Head",
        "DoubleStream" => "java.util.stream.DoublePipeline$Head",
        _ => "java.util.stream.ReferencePipeline$Head",
    }
}

/// The same stream, of the class of a stage, which most often has no name.
fn of_stage(stream: Value, own_class: &'static str) -> Value {
    if let Some(Data::Stream(stream)) = stream.data() {
        stream.borrow_mut().own_class = Some(own_class);
    }
    stream
}

pub(super) fn of_objects(vm: &mut Vm, items: Vec<Value>) -> Outcome {
    new(vm, "Stream", items)
}

pub(super) fn of_ints(vm: &mut Vm, items: Vec<Value>) -> Outcome {
    new(vm, "IntStream", items)
}

/// Takes the items: a stream can be used once.
pub(super) fn take(vm: &mut Vm, of: &Value) -> Result<Vec<Value>, Failed> {
    let Some(Data::Stream(stream)) = of.data() else { return Err(unexpected(of)) };
    let mut stream = stream.borrow_mut();
    if let Some(failed) = stream.failed.take() {
        return Err(failed);
    }
    vm.work(stream.items.len() + 1)?;
    Ok(std::mem::take(&mut stream.items))
}

/// The stream of a stage, by what it makes of the items of the one before. Where that one failed, so does this: Java runs no stage
/// before a result is asked for, and tells of what asks.
fn staged(
    vm: &mut Vm,
    of: &Value,
    class: &str,
    make: impl FnOnce(&mut Vm, Vec<Value>) -> Result<Vec<Value>, Failed>,
) -> Outcome {
    if let Some(Data::Stream(stream)) = of.data()
        && let Some(failed) = stream.borrow_mut().failed.take()
    {
        return failing(vm, class, failed);
    }
    let items = take(vm, of)?;
    let items = make(vm, items)?;
    Ok(of_stage(new(vm, class, items)?, NAMELESS_CLASS))
}

fn class_name(of: &Value) -> &'static str {
    match of.data() {
        Some(Data::Stream(stream)) => registry().class(stream.borrow().class).simple,
        _ => "Stream",
    }
}

fn limited(vm: &mut Vm, a: &[Value]) -> Outcome {
    let limit = usize::try_from(long(&a[1])?).map_err(|_| illegal(super::plain(&a[1])))?;
    let class = class_name(&a[0]);
    staged(vm, &a[0], class, |_, mut items| {
        items.truncate(limit);
        Ok(items)
    })
}

fn reduce(vm: &mut Vm, items: Vec<Value>, f: &Value, start: Option<Value>) -> Result<Option<Value>, Failed> {
    let mut result = start;
    for item in items {
        result = Some(match result {
            Some(so_far) => vm.call(f, &[so_far, item])?,
            None => item,
        });
    }
    Ok(result)
}

fn matches(vm: &mut Vm, a: &[Value], wanted: bool, found: bool) -> Outcome {
    for item in take(vm, &a[0])? {
        if truth(vm.call(&a[1], &[item])?)? == wanted {
            return ok_bool(found);
        }
    }
    ok_bool(!found)
}

fn extreme(vm: &mut Vm, of: &Value, comparator: Option<&Value>, last: bool, class: &str) -> Outcome {
    let items = take(vm, of)?;
    let found = super::comparator::end(vm, items, comparator, last)?;
    super::optional::new(vm, class, found)
}

fn filter(vm: &mut Vm, a: &[Value]) -> Outcome {
    staged(vm, &a[0], class_name(&a[0]), |vm, items| {
        let mut kept = vec![];
        for item in items {
            if truth(vm.call(&a[1], std::slice::from_ref(&item))?)? {
                kept.push(item);
            }
        }
        Ok(kept)
    })
}

fn each(vm: &mut Vm, a: &[Value]) -> Outcome {
    for item in take(vm, &a[0])? {
        vm.call(&a[1], &[item])?;
    }
    Ok(Value::Null)
}

fn distinct(vm: &mut Vm, a: &[Value]) -> Outcome {
    staged(vm, &a[0], class_name(&a[0]), |_, items| {
        let mut seen = AHashSet::new();
        Ok(items.into_iter().filter(|item| seen.insert(Key(item.clone()))).collect())
    })
}

fn sorted(vm: &mut Vm, a: &[Value]) -> Outcome {
    let class = class_name(&a[0]);
    let mut unsorted = None;
    let stream = staged(vm, &a[0], class, |vm, items| {
        let sorted = sort(vm, items, a.get(1));
        Ok(sorted.map_err(|failed| unsorted = Some(failed)).unwrap_or_default())
    })?;
    let sorted = match unsorted {
        Some(failed) => failing(vm, class, failed)?,
        None => stream,
    };
    Ok(of_stage(
        sorted,
        match class {
            "IntStream" => "java.util.stream.SortedOps$OfInt",
            "LongStream" => "java.util.stream.SortedOps$OfLong",
            "DoubleStream" => "java.util.stream.SortedOps$OfDouble",
            _ => "java.util.stream.SortedOps$OfRef",
        },
    ))
}

fn peek(vm: &mut Vm, a: &[Value]) -> Outcome {
    staged(vm, &a[0], class_name(&a[0]), |vm, items| {
        for item in &items {
            vm.call(&a[1], std::slice::from_ref(item))?;
        }
        Ok(items)
    })
}

fn skip(vm: &mut Vm, a: &[Value]) -> Outcome {
    let from = usize::try_from(long(&a[1])?).map_err(|_| illegal(super::plain(&a[1])))?;
    staged(vm, &a[0], class_name(&a[0]), |_, items| Ok(items.into_iter().skip(from).collect()))
}

fn count(vm: &mut Vm, a: &[Value]) -> Outcome {
    Ok(Value::Long(take(vm, &a[0])?.len() as i64))
}

fn into_supplied(vm: &mut Vm, a: &[Value]) -> Outcome {
    let out = vm.call(&a[1], &[])?;
    for item in take(vm, &a[0])? {
        vm.call(&a[2], &[out.clone(), item])?;
    }
    Ok(out)
}

fn iterator(vm: &mut Vm, a: &[Value]) -> Outcome {
    let class = match class_name(&a[0]) {
        "IntStream" => "PrimitiveIterator.OfInt",
        "LongStream" => "PrimitiveIterator.OfLong",
        "DoubleStream" => "PrimitiveIterator.OfDouble",
        _ => "Iterator",
    };
    let items = take(vm, &a[0])?;
    super::iterators::iterator_over(vm, items, class)
}

const BASE_STREAM: &[Row] = &[
    Row("void close()", |_, _| Ok(Value::Null)),
    Row("boolean isParallel()", |_, _| Ok(Value::Bool(false))),
    Row("Iterator iterator()", iterator),
    Row("BaseStream sequential()", |_, a| Ok(a[0].clone())),
    Row("BaseStream unordered()", |_, a| Ok(of_stage(a[0].clone(), NAMELESS_CLASS))),
];

const STREAM: &[Row] = &[
    Row("static Stream.Builder builder()", |vm, _| super::wrapped(vm, "Stream.Builder", vec![])),
    Row("BaseStream sequential()", |_, a| Ok(a[0].clone())),
    Row("static Stream empty()", |vm, _| new(vm, "Stream", vec![])),
    Row("static Stream of(def[])", |vm, a| {
        let items = super::items_of(vm, &a[0])?;
        new(vm, "Stream", items)
    }),
    Row("static Stream concat(Stream,Stream)", |vm, a| {
        let mut items = take(vm, &a[0])?;
        items.extend(take(vm, &a[1])?);
        new(vm, "Stream", items)
    }),
    Row("boolean allMatch(Predicate)", |vm, a| matches(vm, a, false, false)),
    Row("boolean anyMatch(Predicate)", |vm, a| matches(vm, a, true, true)),
    Row("boolean noneMatch(Predicate)", |vm, a| matches(vm, a, true, false)),
    Row("def collect(Collector)", |vm, a| {
        let items = take(vm, &a[0])?;
        super::collectors::collect(vm, &a[1], items)
    }),
    Row("IntStream flatMapToInt(Function)", |vm, a| flat_mapped(vm, a, "IntStream")),
    Row("LongStream flatMapToLong(Function)", |vm, a| flat_mapped(vm, a, "LongStream")),
    Row("DoubleStream flatMapToDouble(Function)", |vm, a| flat_mapped(vm, a, "DoubleStream")),
    Row("def reduce(def,BiFunction,BinaryOperator)", |vm, a| {
        let items = take(vm, &a[0])?;
        Ok(reduce(vm, items, &a[2], Some(a[1].clone()))?.unwrap_or_default())
    }),
    Row("def collect(Supplier,BiConsumer,BiConsumer)", into_supplied),
    Row("long count()", count),
    Row("Stream distinct()", distinct),
    Row("Stream filter(Predicate)", filter),
    Row("Optional findAny()", |vm, a| {
        let first = take(vm, &a[0])?.into_iter().next();
        super::optional::new(vm, "Optional", first)
    }),
    Row("Optional findFirst()", |vm, a| {
        let first = take(vm, &a[0])?.into_iter().next();
        super::optional::new(vm, "Optional", first)
    }),
    Row("Stream flatMap(Function)", |vm, a| flat_mapped(vm, a, "Stream")),
    Row("void forEach(Consumer)", each),
    Row("void forEachOrdered(Consumer)", each),
    Row("Iterator iterator()", iterator),
    Row("Stream limit(long)", limited),
    Row("Stream map(Function)", |vm, a| mapped(vm, a, "Stream")),
    Row("IntStream mapToInt(ToIntFunction)", |vm, a| mapped(vm, a, "IntStream")),
    Row("LongStream mapToLong(ToLongFunction)", |vm, a| mapped(vm, a, "LongStream")),
    Row("DoubleStream mapToDouble(ToDoubleFunction)", |vm, a| mapped(vm, a, "DoubleStream")),
    Row("Optional max(Comparator)", |vm, a| extreme(vm, &a[0], Some(&a[1]), true, "Optional")),
    Row("Optional min(Comparator)", |vm, a| extreme(vm, &a[0], Some(&a[1]), false, "Optional")),
    Row("Stream peek(Consumer)", peek),
    Row("Optional reduce(BinaryOperator)", |vm, a| {
        let items = take(vm, &a[0])?;
        let result = reduce(vm, items, &a[1], None)?;
        super::optional::new(vm, "Optional", result)
    }),
    Row("def reduce(def,BinaryOperator)", |vm, a| {
        let items = take(vm, &a[0])?;
        Ok(reduce(vm, items, &a[2], Some(a[1].clone()))?.unwrap_or_default())
    }),
    Row("Stream skip(long)", skip),
    Row("Stream sorted()", sorted),
    Row("Stream sorted(Comparator)", sorted),
    Row("def[] toArray()", |vm, a| {
        let items = take(vm, &a[0])?;
        vm.alloc(Data::Array(Array::Objects(Type::DEF, items).into()))
    }),
];

/// Sum as the kind of number of the stream.
fn sum(vm: &mut Vm, a: &[Value]) -> Outcome {
    let class = class_name(&a[0]);
    let items = take(vm, &a[0])?;
    Ok(match class {
        "DoubleStream" => Value::Double(items.iter().map(double).collect::<Result<Compensated, _>>()?.total()),
        "LongStream" => {
            let add = |sum: i64, item| Ok::<_, Failed>(sum.wrapping_add(long(item)?));
            Value::Long(items.iter().try_fold(0, add)?)
        }
        _ => {
            let add = |sum: i32, item| Ok::<_, Failed>(sum.wrapping_add(int(item)?));
            Value::Int(items.iter().try_fold(0, add)?)
        }
    })
}

fn average(vm: &mut Vm, a: &[Value]) -> Outcome {
    let class = class_name(&a[0]);
    let items = take(vm, &a[0])?;
    let total = match class {
        "DoubleStream" => items.iter().map(double).collect::<Result<Compensated, _>>()?.total(),
        _ => items.iter().try_fold(0i64, |sum, item| Ok::<_, Failed>(sum.wrapping_add(long(item)?)))? as f64,
    };
    let average = (!items.is_empty()).then(|| Value::Double(total / items.len() as f64));
    super::optional::new(vm, "OptionalDouble", average)
}

fn boxed(vm: &mut Vm, a: &[Value]) -> Outcome {
    staged(vm, &a[0], "Stream", |_, items| Ok(items))
}

fn to_array(vm: &mut Vm, a: &[Value], element: Type) -> Outcome {
    let items = take(vm, &a[0])?;
    let mut array = Array::of(element, items.len());
    for (i, item) in items.into_iter().enumerate() {
        array.set(i, item);
    }
    vm.alloc(Data::Array(array.into()))
}

fn range(vm: &mut Vm, a: &[Value], closed: bool, make: fn(i64) -> Value, class: &str) -> Outcome {
    let (from, to) = (long(&a[0])?, long(&a[1])?);
    let end = if closed { to.saturating_add(1) } else { to };
    let count = usize::try_from(end.saturating_sub(from)).unwrap_or(0);
    vm.grow(count.saturating_mul(16))?;
    new(vm, class, (from..end).map(make).collect())
}

/// The same numbers as fractions.
fn as_doubles(vm: &mut Vm, a: &[Value]) -> Outcome {
    staged(vm, &a[0], "DoubleStream", |_, items| items.iter().map(|item| double(item).map(Value::Double)).collect())
}

macro_rules! numbers {
    ($class:literal, $number:literal, $prefix:literal, $element:expr, $summary:literal $(, $more:expr)*) => {
        ClassRow::new(
            concat!("java.util.stream.", $class),
            &["BaseStream"],
            &[
                Row(concat!("static ", $class, " empty()"), |vm, _| new(vm, $class, vec![])),
                Row(concat!("static ", $class, " of(", $number, "[])"), |vm, a| {
                    let items = super::items_of(vm, &a[0])?;
                    new(vm, $class, items)
                }),
                Row(concat!("boolean allMatch(", $prefix, "Predicate)"), |vm, a| matches(vm, a, false, false)),
                Row(concat!("boolean anyMatch(", $prefix, "Predicate)"), |vm, a| matches(vm, a, true, true)),
                Row(concat!("boolean noneMatch(", $prefix, "Predicate)"), |vm, a| matches(vm, a, true, false)),
                Row("OptionalDouble average()", average),
                Row("Stream boxed()", boxed),
                Row("long count()", count),
                Row(concat!($class, " distinct()"), distinct),
                Row(concat!($class, " filter(", $prefix, "Predicate)"), filter),
                Row(concat!("Optional", $prefix, " findFirst()"), |vm, a| {
                    let first = take(vm, &a[0])?.into_iter().next();
                    super::optional::new(vm, concat!("Optional", $prefix), first)
                }),
                Row(concat!("Optional", $prefix, " findAny()"), |vm, a| {
                    let first = take(vm, &a[0])?.into_iter().next();
                    super::optional::new(vm, concat!("Optional", $prefix), first)
                }),
                Row(concat!($class, " flatMap(", $prefix, "Function)"), |vm, a| flat_mapped(vm, a, $class)),
                Row(concat!("void forEach(", $prefix, "Consumer)"), each),
                Row(concat!("void forEachOrdered(", $prefix, "Consumer)"), each),
                Row(concat!("static ", $class, ".Builder builder()"), |vm, _| {
                    super::wrapped(vm, concat!($class, ".Builder"), vec![])
                }),
                Row(concat!("PrimitiveIterator.Of", $prefix, " iterator()"), iterator),
                Row(concat!($class, " sequential()"), |_, a| Ok(a[0].clone())),
                Row(concat!("static ", $class, " concat(", $class, ",", $class, ")"), |vm, a| {
                    let mut items = take(vm, &a[0])?;
                    items.extend(take(vm, &a[1])?);
                    new(vm, $class, items)
                }),
                Row(concat!("def collect(Supplier,Obj", $prefix, "Consumer,BiConsumer)"), into_supplied),
                Row(concat!("Optional", $prefix, " reduce(", $prefix, "BinaryOperator)"), |vm, a| {
                    let items = take(vm, &a[0])?;
                    let reduced = reduce(vm, items, &a[1], None)?;
                    super::optional::new(vm, concat!("Optional", $prefix), reduced)
                }),
                Row(concat!($class, " limit(long)"), limited),
                Row(concat!($class, " map(", $prefix, "UnaryOperator)"), |vm, a| mapped(vm, a, $class)),
                Row(concat!("Stream mapToObj(", $prefix, "Function)"), |vm, a| mapped(vm, a, "Stream")),
                Row(concat!("Optional", $prefix, " max()"), |vm, a| {
                    extreme(vm, &a[0], None, true, concat!("Optional", $prefix))
                }),
                Row(concat!("Optional", $prefix, " min()"), |vm, a| {
                    extreme(vm, &a[0], None, false, concat!("Optional", $prefix))
                }),
                Row(concat!($class, " peek(", $prefix, "Consumer)"), peek),
                Row(concat!($number, " reduce(", $number, ",", $prefix, "BinaryOperator)"), |vm, a| {
                    let items = take(vm, &a[0])?;
                    Ok(reduce(vm, items, &a[2], Some(a[1].clone()))?.unwrap_or_default())
                }),
                Row(concat!($class, " skip(long)"), skip),
                Row(concat!($class, " sorted()"), sorted),
                Row(concat!($number, " sum()"), sum),
                Row(concat!($summary, " summaryStatistics()"), |vm, a| {
                    let items = take(vm, &a[0])?;
                    summarize(vm, $summary, &items)
                }),
                Row(concat!($number, "[] toArray()"), |vm, a| to_array(vm, a, $element)),
                $($more,)*
            ],
        )
    };
}

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new("java.util.stream.BaseStream", &[], BASE_STREAM),
    ClassRow::new("java.util.stream.Stream", &["BaseStream", "ToArrayBase"], STREAM),
    numbers!(
        "IntStream",
        "int",
        "Int",
        Type::INT,
        "IntSummaryStatistics",
        Row("DoubleStream asDoubleStream()", as_doubles),
        Row("static IntStream range(int,int)", |vm, a| range(vm, a, false, |v| Value::Int(v as i32), "IntStream")),
        Row("static IntStream rangeClosed(int,int)", |vm, a| range(vm, a, true, |v| Value::Int(v as i32), "IntStream")),
        Row("LongStream mapToLong(IntToLongFunction)", |vm, a| mapped(vm, a, "LongStream")),
        Row("DoubleStream mapToDouble(IntToDoubleFunction)", |vm, a| mapped(vm, a, "DoubleStream")),
        Row("LongStream asLongStream()", |vm, a| {
            let items = take(vm, &a[0])?;
            let items = items.iter().map(|v| long(v).map(Value::Long)).collect::<Result<Vec<_>, _>>()?;
            new(vm, "LongStream", items)
        })
    ),
    numbers!(
        "LongStream",
        "long",
        "Long",
        Type::LONG,
        "LongSummaryStatistics",
        Row("DoubleStream asDoubleStream()", as_doubles),
        Row("static LongStream range(long,long)", |vm, a| range(vm, a, false, Value::Long, "LongStream")),
        Row("static LongStream rangeClosed(long,long)", |vm, a| range(vm, a, true, Value::Long, "LongStream")),
        Row("IntStream mapToInt(LongToIntFunction)", |vm, a| mapped(vm, a, "IntStream")),
        Row("DoubleStream mapToDouble(LongToDoubleFunction)", |vm, a| mapped(vm, a, "DoubleStream"))
    ),
    numbers!(
        "DoubleStream",
        "double",
        "Double",
        Type::DOUBLE,
        "DoubleSummaryStatistics",
        Row("IntStream mapToInt(DoubleToIntFunction)", |vm, a| mapped(vm, a, "IntStream")),
        Row("LongStream mapToLong(DoubleToLongFunction)", |vm, a| mapped(vm, a, "LongStream"))
    ),
];
