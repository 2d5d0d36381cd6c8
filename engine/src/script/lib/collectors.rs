//! `Collectors`: what the items of a stream are gathered into.

use super::super::class::{ClassRow, Row};
use super::super::error::{Failed, Outcome, no_cast, throw, thrown};
use super::super::value::{Data, Map, MapKind, Value};
use super::super::vm::Vm;
use super::args::{double, long, text, unexpected};
use super::comparator::sort;
use super::list::truth;
use super::stream::Compensated;
use super::{get, put};

#[derive(Debug)]
pub enum Collector {
    List,
    Set,
    Joining(String, String, String),
    /// By a function, into another collector, in a map of a supplier perhaps.
    Grouping(Value, Option<Value>, Value),
    Partitioning(Value, Option<Value>),
    /// Keys, values, what to do with a key that comes twice.
    Map(Value, Value, Option<Value>),
    /// The same with a supplier of the map.
    MapInto([Value; 4]),
    Counting,
    Summing(Value, bool),
    /// Of fractions, or of whole numbers.
    Averaging(Value, bool),
    Summarizing(Value, &'static str),
    Mapping(Value, Value),
    Extreme(Value, bool),
    Reducing(Option<Value>, Value),
    Collection(Value),
    Then(Value, Value),
}

impl Collector {
    pub fn children(&self, out: &mut Vec<Value>) {
        match self {
            Self::List | Self::Set | Self::Joining(..) | Self::Counting => {}
            Self::Grouping(a, b, c) => {
                out.extend([a.clone(), c.clone()]);
                out.extend(b.clone());
            }
            Self::Partitioning(a, b) | Self::Reducing(b, a) => {
                out.push(a.clone());
                out.extend(b.clone());
            }
            Self::Map(a, b, c) => {
                out.extend([a.clone(), b.clone()]);
                out.extend(c.clone());
            }
            Self::MapInto(parts) => out.extend(parts.iter().cloned()),
            Self::Mapping(a, b) | Self::Then(a, b) => out.extend([a.clone(), b.clone()]),
            Self::Summing(a, _)
            | Self::Summarizing(a, _)
            | Self::Averaging(a, _)
            | Self::Extreme(a, _)
            | Self::Collection(a) => out.push(a.clone()),
        }
    }
}

/// Collectors within collectors that are followed.
const DEPTH_MAX: u32 = 30;

pub(super) fn collect(vm: &mut Vm, collector: &Value, items: Vec<Value>) -> Outcome {
    gather(vm, collector, items, 0)
}

fn gather(vm: &mut Vm, collector: &Value, items: Vec<Value>, depth: u32) -> Outcome {
    if depth > DEPTH_MAX {
        return Err(thrown("StackOverflowError", None));
    }
    vm.work(items.len() + 1)?;
    let Some(Data::Collector(kind)) = collector.data() else { return Err(unexpected(collector)) };
    match kind {
        Collector::List => vm.list(items),
        Collector::Set => super::set::new_set(vm, MapKind::Hash, items),
        Collector::Joining(separator, prefix, suffix) => {
            if let Some(other) = items.iter().find(|item| !item.is_null() && text(item).is_err()) {
                return Err(no_cast(&other.java_class(), "java.lang.CharSequence"));
            }
            let joined = super::list::join(vm, &items, separator)?;
            vm.string(format!("{prefix}{}{suffix}", joined.as_str().unwrap_or_default()))
        }
        Collector::Grouping(by, supplier, into) => {
            let out = match supplier {
                Some(supplier) => vm.call(supplier, &[])?,
                None => vm.alloc(Data::Map(Map::new(MapKind::Hash).into()))?,
            };
            group(vm, &out, by, into, items, depth)
        }
        Collector::Partitioning(by, into) => {
            let out = vm.alloc(Data::Map(Map::new(MapKind::Linked).into()))?;
            let (mut yes, mut no) = (vec![], vec![]);
            for item in items {
                if truth(vm.call(by, std::slice::from_ref(&item))?)? { yes.push(item) } else { no.push(item) }
            }
            for (key, part) in [(false, no), (true, yes)] {
                let part = match into {
                    Some(into) => gather(vm, into, part, depth + 1)?,
                    None => vm.list(part)?,
                };
                put(vm, &out, Value::Bool(key), part)?;
            }
            Ok(out)
        }
        Collector::Map(key, value, merge) => {
            let out = vm.alloc(Data::Map(Map::new(MapKind::Hash).into()))?;
            to_map(vm, out, (key, value, merge.as_ref()), items)
        }
        Collector::MapInto([key, value, merge, supplier]) => {
            let out = vm.call(supplier, &[])?;
            to_map(vm, out, (key, value, Some(merge)), items)
        }
        Collector::Summarizing(f, kind) => {
            let items = items.into_iter().map(|item| vm.call(f, &[item])).collect::<Result<Vec<_>, _>>()?;
            super::stream::summary::summarize(vm, kind, &items)
        }
        Collector::Mapping(f, into) => {
            let items = items.into_iter().map(|item| vm.call(f, &[item])).collect::<Result<Vec<_>, _>>()?;
            gather(vm, into, items, depth + 1)
        }
        Collector::Then(into, f) => {
            let result = gather(vm, into, items, depth + 1)?;
            vm.call(f, &[result])
        }
        Collector::Collection(supplier) => {
            let out = vm.call(supplier, &[])?;
            for item in items {
                let method = super::super::class::registry().method(vm.class_of(&out), "add", 1);
                (method.ok_or_else(|| unexpected(&out))?.run)(vm, &[out.clone(), item])?;
            }
            Ok(out)
        }
        other => summarize(vm, other, items),
    }
}

/// Collectors of one number or item.
fn summarize(vm: &mut Vm, kind: &Collector, items: Vec<Value>) -> Outcome {
    match kind {
        Collector::Summing(f, false) => {
            let mut sum = 0i64;
            for item in items {
                sum = sum.wrapping_add(long(&vm.call(f, &[item])?)?);
            }
            Ok(Value::Long(sum))
        }
        Collector::Summing(f, true) => {
            let numbers = items.into_iter().map(|item| double(&vm.call(f, &[item])?));
            numbers.collect::<Result<Compensated, _>>().map(|sum| Value::Double(sum.total()))
        }
        Collector::Averaging(f, fractions) => {
            let (mut whole, mut sum, count) = (0i64, Compensated::default(), items.len());
            for item in items {
                let number = vm.call(f, &[item])?;
                if *fractions { sum.add(double(&number)?) } else { whole = whole.wrapping_add(long(&number)?) }
            }
            let total = if *fractions { sum.total() } else { whole as f64 };
            Ok(Value::Double(if count == 0 { 0.0 } else { total / count as f64 }))
        }
        Collector::Extreme(comparator, last) => {
            let sorted = sort(vm, items, Some(comparator))?;
            let found = if *last { sorted.last() } else { sorted.first() };
            super::optional::new(vm, "Optional", found.cloned())
        }
        Collector::Reducing(start, f) => {
            let mut result = start.clone();
            for item in items {
                result = Some(match result {
                    Some(so_far) => vm.call(f, &[so_far, item])?,
                    None => item,
                });
            }
            match start {
                Some(_) => Ok(result.unwrap_or_default()),
                None => super::optional::new(vm, "Optional", result),
            }
        }
        _ => Ok(Value::Long(items.len() as i64)),
    }
}

fn group(vm: &mut Vm, out: &Value, by: &Value, into: &Value, items: Vec<Value>, depth: u32) -> Outcome {
    for item in items {
        let key = vm.call(by, std::slice::from_ref(&item))?;
        if key.is_null() {
            return Err(throw("NullPointerException", "element cannot be mapped to a null key"));
        }
        let known = get(vm, out, &key)?;
        let part = match known.is_null() {
            true => {
                let part = vm.list(vec![])?;
                put(vm, out, key, part.clone())?;
                part
            }
            false => known,
        };
        vm.grow(16)?;
        if let Some(Data::List(list)) = part.data() {
            list.borrow_mut().items.push(item);
        }
    }
    for (key, part) in super::entries(out) {
        let items = super::items_of(vm, &part)?;
        let done = gather(vm, into, items, depth + 1)?;
        put(vm, out, key, done)?;
    }
    Ok(out.clone())
}

/// Fills a map by functions of keys, of values, and of what becomes of a key that comes twice.
fn to_map(
    vm: &mut Vm,
    out: Value,
    (key, value, merge): (&Value, &Value, Option<&Value>),
    items: Vec<Value>,
) -> Outcome {
    for item in items {
        let key = vm.call(key, std::slice::from_ref(&item))?;
        let value = vm.call(value, &[item])?;
        let known = get(vm, &out, &key)?;
        let value = match (known.is_null(), merge) {
            (true, _) => value,
            (false, Some(merge)) => vm.call(merge, &[known, value])?,
            (false, None) => {
                let (key, a, b) = (super::plain(&key), super::plain(&known), super::plain(&value));
                let what = format!("Duplicate key {key} (attempted merging values {a} and {b})");
                return Err(throw("IllegalStateException", what));
            }
        };
        put(vm, &out, key, value)?;
    }
    Ok(out)
}

fn new(vm: &mut Vm, collector: Collector) -> Outcome {
    vm.alloc(Data::Collector(collector))
}

fn joining(vm: &mut Vm, a: &[Value]) -> Outcome {
    let part = |i: usize| a.get(i).map_or(Ok(String::new()), |v| text(v).map(|t| t.into_owned()));
    let (separator, prefix, suffix): (Result<_, Failed>, _, _) = (part(0), part(1), part(2));
    new(vm, Collector::Joining(separator?, prefix?, suffix?))
}

const ROWS: &[Row] = &[
    Row("static Collector toList()", |vm, _| new(vm, Collector::List)),
    Row("static Collector toSet()", |vm, _| new(vm, Collector::Set)),
    Row("static Collector toCollection(Supplier)", |vm, a| new(vm, Collector::Collection(a[0].clone()))),
    Row("static Collector joining()", joining),
    Row("static Collector joining(CharSequence)", joining),
    Row("static Collector joining(CharSequence,CharSequence,CharSequence)", joining),
    Row("static Collector groupingBy(Function)", |vm, a| {
        let list = new(vm, Collector::List)?;
        new(vm, Collector::Grouping(a[0].clone(), None, list))
    }),
    Row("static Collector groupingBy(Function,Collector)", |vm, a| {
        new(vm, Collector::Grouping(a[0].clone(), None, a[1].clone()))
    }),
    Row("static Collector groupingBy(Function,Supplier,Collector)", |vm, a| {
        new(vm, Collector::Grouping(a[0].clone(), Some(a[1].clone()), a[2].clone()))
    }),
    Row("static Collector partitioningBy(Predicate)", |vm, a| new(vm, Collector::Partitioning(a[0].clone(), None))),
    Row("static Collector partitioningBy(Predicate,Collector)", |vm, a| {
        new(vm, Collector::Partitioning(a[0].clone(), Some(a[1].clone())))
    }),
    Row("static Collector toMap(Function,Function)", |vm, a| new(vm, Collector::Map(a[0].clone(), a[1].clone(), None))),
    Row("static Collector toMap(Function,Function,BinaryOperator)", |vm, a| {
        new(vm, Collector::Map(a[0].clone(), a[1].clone(), Some(a[2].clone())))
    }),
    Row("static Collector toMap(Function,Function,BinaryOperator,Supplier)", |vm, a| {
        new(vm, Collector::MapInto([a[0].clone(), a[1].clone(), a[2].clone(), a[3].clone()]))
    }),
    Row("static Collector counting()", |vm, _| new(vm, Collector::Counting)),
    Row("static Collector summingInt(ToIntFunction)", |vm, a| new(vm, Collector::Summing(a[0].clone(), false))),
    Row("static Collector summingLong(ToLongFunction)", |vm, a| new(vm, Collector::Summing(a[0].clone(), false))),
    Row("static Collector summingDouble(ToDoubleFunction)", |vm, a| new(vm, Collector::Summing(a[0].clone(), true))),
    Row("static Collector summarizingInt(ToIntFunction)", |vm, a| summarizing(vm, a, "IntSummaryStatistics")),
    Row("static Collector summarizingLong(ToLongFunction)", |vm, a| summarizing(vm, a, "LongSummaryStatistics")),
    Row("static Collector summarizingDouble(ToDoubleFunction)", |vm, a| summarizing(vm, a, "DoubleSummaryStatistics")),
    Row("static Collector reducing(def,Function,BinaryOperator)", |vm, a| {
        let into = new(vm, Collector::Reducing(Some(a[0].clone()), a[2].clone()))?;
        new(vm, Collector::Mapping(a[1].clone(), into))
    }),
    Row("static Collector averagingInt(ToIntFunction)", |vm, a| new(vm, Collector::Averaging(a[0].clone(), false))),
    Row("static Collector averagingLong(ToLongFunction)", |vm, a| new(vm, Collector::Averaging(a[0].clone(), false))),
    Row("static Collector averagingDouble(ToDoubleFunction)", |vm, a| {
        new(vm, Collector::Averaging(a[0].clone(), true))
    }),
    Row("static Collector mapping(Function,Collector)", |vm, a| {
        new(vm, Collector::Mapping(a[0].clone(), a[1].clone()))
    }),
    Row("static Collector maxBy(Comparator)", |vm, a| new(vm, Collector::Extreme(a[0].clone(), true))),
    Row("static Collector minBy(Comparator)", |vm, a| new(vm, Collector::Extreme(a[0].clone(), false))),
    Row("static Collector reducing(BinaryOperator)", |vm, a| new(vm, Collector::Reducing(None, a[0].clone()))),
    Row("static Collector reducing(def,BinaryOperator)", |vm, a| {
        new(vm, Collector::Reducing(Some(a[0].clone()), a[1].clone()))
    }),
    Row("static Collector collectingAndThen(Collector,Function)", |vm, a| {
        new(vm, Collector::Then(a[0].clone(), a[1].clone()))
    }),
];

fn summarizing(vm: &mut Vm, a: &[Value], kind: &'static str) -> Outcome {
    new(vm, Collector::Summarizing(a[0].clone(), kind))
}

pub const CLASSES: &[ClassRow] =
    &[ClassRow::new("java.util.stream.Collector", &[], &[]), ClassRow::new("java.util.stream.Collectors", &[], ROWS)];
