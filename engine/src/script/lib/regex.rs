//! `Pattern` and `Matcher`, on an engine that takes linear time.

use super::super::class::{ClassRow, Row};
use super::super::error::{Failed, Outcome, no_cast, throw, thrown};
use super::super::text::Text;
use super::super::value::{Data, Matcher, Regex, Value};
use super::super::vm::Vm;
use super::args::{int, ok_bool, text, unexpected};
use super::string::{as_text, strings};
use crate::ErrorKind;
use std::cell::RefCell;
use std::sync::Arc;

/// The bits of flags that are named with `|` between them.
pub fn flag_bits(names: &str) -> i32 {
    let bit = |name: &str| match name {
        "CASE_INSENSITIVE" => 2,
        "COMMENTS" => 4,
        "MULTILINE" => 8,
        "LITERAL" => 16,
        "DOTALL" => 32,
        "UNICODE_CASE" => 64,
        "CANON_EQ" => 128,
        "UNICODE_CHARACTER_CLASS" => 256,
        _ => 0,
    };
    names.split('|').map(bit).sum()
}

fn pattern(value: &Value) -> Result<&Arc<Regex>, Failed> {
    match value.data() {
        Some(Data::Pattern(regex, ..)) => Ok(regex),
        _ => Err(unexpected(value)),
    }
}

fn pattern_text(value: &Value) -> Result<&Text, Failed> {
    match value.data() {
        Some(Data::Pattern(_, text, _)) => Ok(text),
        _ => Err(unexpected(value)),
    }
}

fn matcher(value: &Value) -> Result<&RefCell<Matcher>, Failed> {
    match value.data() {
        Some(Data::Matcher(matcher)) => Ok(matcher),
        _ => Err(unexpected(value)),
    }
}

fn new_matcher(vm: &mut Vm, of: &Value, text: &Value) -> Outcome {
    let text = as_text(text)?;
    let region = (0, text.as_str().len());
    let matcher = Matcher {
        pattern: pattern(of)?.clone(),
        pattern_object: of.clone(),
        text,
        groups: vec![],
        from: 0,
        region,
        bounds: (true, false),
        looked: false,
    };
    vm.alloc(Data::Matcher(matcher.into()))
}

impl Matcher {
    /// Its pattern, where it looks, and what it found last.
    pub fn shown(&self) -> String {
        let found = self.groups.first().copied().flatten();
        let found = found.and_then(|(from, to)| self.text.as_str().get(from..to)).unwrap_or_default();
        let pattern = super::plain(&self.pattern_object);
        let (start, end) = (self.text.unit_of(self.region.0), self.text.unit_of(self.region.1));
        format!("java.util.regex.Matcher[pattern={pattern} region={start},{end} lastmatch={found}]")
    }

    fn keep(&mut self, captures: &regex_automata::util::captures::Captures) {
        let (groups, before) = (0..self.pattern.0.group_count(), self.region.0);
        let place = |i| captures.get_group(i).map(|span| (before + span.start, before + span.end));
        self.groups = groups.map(place).collect();
    }

    fn find(&mut self) -> bool {
        self.looked = true;
        self.groups.clear();
        let (text, (first, last)) = (self.text.clone(), self.region);
        if self.from > last {
            return false;
        }
        let mut captures = self.pattern.0.captures();
        if !self.pattern.0.find(&text.as_str()[first..last], self.from.max(first) - first, &mut captures) {
            self.from = last + 1;
            return false;
        }
        self.keep(&captures);
        let (start, end) = self.groups[0].unwrap_or((0, 0));
        // An empty match is stepped over.
        let step = text.as_str()[end..].chars().next().map_or(1, char::len_utf8);
        self.from = if end > start { end } else { end + step };
        true
    }

    fn matches(&mut self) -> bool {
        self.looked = true;
        self.groups.clear();
        let text = self.text.clone();
        let seen = &text.as_str()[self.region.0..self.region.1];
        if !self.pattern.0.matches_whole(seen) {
            return false;
        }
        let mut captures = self.pattern.0.captures();
        if self.pattern.0.find(seen, 0, &mut captures) {
            self.keep(&captures);
        }
        if let Some(first) = self.groups.first_mut() {
            *first = Some(self.region);
        }
        self.from = self.region.1;
        true
    }

    /// Looks at all of the text again, from its beginning on.
    fn reset(&mut self) {
        self.groups.clear();
        (self.from, self.region) = (0, (0, self.text.as_str().len()));
    }

    fn group(&self, at: i32) -> Result<Option<(usize, usize)>, Failed> {
        if self.groups.is_empty() {
            return Err(throw("IllegalStateException", "No match found"));
        }
        let group = usize::try_from(at).ok().and_then(|at| self.groups.get(at));
        group.copied().ok_or_else(|| throw("IndexOutOfBoundsException", format!("No group {at}")))
    }

    fn group_value(&self, at: i32) -> Outcome {
        Ok(self.group(at)?.map_or(Value::Null, |(from, to)| Value::text(&self.text.as_str()[from..to])))
    }

    fn edge(&self, at: i32, end: bool) -> Outcome {
        let edge = self.group(at)?.map_or(-1, |(from, to)| self.text.unit_of(if end { to } else { from }) as i32);
        Ok(Value::Int(edge))
    }
}

fn scanned(vm: &mut Vm, of: &Value) -> Result<(), Failed> {
    let bytes = matcher(of)?.borrow().text.as_str().len();
    vm.work(bytes / 2 + 8)
}

/// Replaces matches by what a function makes of each.
pub(super) fn replace(vm: &mut Vm, of: &Value, by: &Value, f: &Value, all: bool) -> Outcome {
    let object = new_matcher(vm, by, of)?;
    let text = as_text(of)?;
    let (mut out, mut copied) = (String::new(), 0);
    loop {
        scanned(vm, &object)?;
        if !matcher(&object)?.borrow_mut().find() {
            break;
        }
        let (from, to) = matcher(&object)?.borrow().groups[0].unwrap_or((0, 0));
        let with = vm.call(f, std::slice::from_ref(&object))?;
        let with = super::args::text(&with).map_err(|failed| match with.is_null() {
            true => failed,
            false => no_cast(&with.java_class(), "java.lang.String"),
        })?;
        vm.grow(from - copied + with.len())?;
        out.push_str(&text.as_str()[copied..from]);
        out.push_str(&with);
        copied = to;
        if !all {
            break;
        }
    }
    out.push_str(&text.as_str()[copied..]);
    vm.string(out)
}

fn replace_with(vm: &mut Vm, a: &[Value], all: bool) -> Outcome {
    use crate::java_regex::Replacement;
    scanned(vm, &a[0])?;
    let matcher = matcher(&a[0])?.borrow();
    let with = Replacement::parse(&text(&a[1])?, &matcher.pattern.0);
    match matcher.pattern.0.replace(matcher.text.as_str(), &with, all) {
        Ok(Some(replaced)) => vm.string(replaced),
        Ok(None) => Ok(Value::Str(matcher.text.clone())),
        Err(error) => Err(throw(
            match error.kind() {
                ErrorKind::IndexOutOfBounds => "IndexOutOfBoundsException",
                _ if with.failure().is_some() => "IllegalArgumentException",
                _ => "OutOfMemoryError",
            },
            error.reason(),
        )),
    }
}

fn split(vm: &mut Vm, of: &Value, text: &Value, limit: i32) -> Result<Vec<String>, Failed> {
    let text = as_text(text)?;
    vm.grow(text.as_str().len() * 2)?;
    let parts = pattern(of)?.0.split(text.as_str(), limit);
    let parts = parts.map_err(|error| throw("OutOfMemoryError", error.reason()))?;
    Ok(parts.into_iter().map(str::to_owned).collect())
}

const PATTERN: &[Row] = &[
    Row("augmented Matcher matcher(CharSequence)", |vm, a| new_matcher(vm, &a[0], &a[1])),
    Row("String pattern()", |vm, a| vm.string(pattern_text(&a[0])?.as_str())),
    Row("int flags()", |_, a| match a[0].data() {
        Some(Data::Pattern(_, _, flags)) => Ok(Value::Int(*flags)),
        _ => Err(unexpected(&a[0])),
    }),
    Row("static String quote(String)", |vm, a| vm.string(format!("\\Q{}\\E", text(&a[0])?))),
    Row("Predicate asPredicate()", |vm, a| {
        super::function::native(vm, "Predicate", vec![a[0].clone()], |vm, a| {
            let object = new_matcher(vm, &a[0], &a[1])?;
            scanned(vm, &object)?;
            ok_bool(matcher(&object)?.borrow_mut().find())
        })
    }),
    Row("augmented String[] split(CharSequence)", |vm, a| {
        let parts = split(vm, &a[0], &a[1], 0)?;
        strings(vm, parts)
    }),
    Row("augmented String[] split(CharSequence,int)", |vm, a| {
        let parts = split(vm, &a[0], &a[1], int(&a[2])?)?;
        strings(vm, parts)
    }),
    Row("augmented Stream splitAsStream(CharSequence)", |vm, a| {
        let parts = split(vm, &a[0], &a[1], 0)?;
        let items = parts.into_iter().map(|part| vm.string(part)).collect::<Result<Vec<_>, _>>()?;
        super::stream::of_objects(vm, items)
    }),
];

const MATCHER: &[Row] = &[
    Row("boolean find()", |vm, a| {
        scanned(vm, &a[0])?;
        ok_bool(matcher(&a[0])?.borrow_mut().find())
    }),
    Row("boolean find(int)", |vm, a| {
        scanned(vm, &a[0])?;
        let mut matcher = matcher(&a[0])?.borrow_mut();
        matcher.reset();
        matcher.from = matcher.text.byte_of(super::args::index(&a[1])?);
        ok_bool(matcher.find())
    }),
    Row("boolean matches()", |vm, a| {
        scanned(vm, &a[0])?;
        ok_bool(matcher(&a[0])?.borrow_mut().matches())
    }),
    Row("boolean lookingAt()", |vm, a| {
        scanned(vm, &a[0])?;
        let mut matcher = matcher(&a[0])?.borrow_mut();
        matcher.from = matcher.region.0;
        let found = matcher.find() && matcher.groups[0].is_some_and(|(from, _)| from == matcher.region.0);
        if !found {
            matcher.groups.clear();
        }
        ok_bool(found)
    }),
    Row("String group()", |_, a| matcher(&a[0])?.borrow().group_value(0)),
    Row("String group(int)", |_, a| matcher(&a[0])?.borrow().group_value(int(&a[1])?)),
    Row("augmented String namedGroup(String)", |_, a| {
        let matcher = matcher(&a[0])?.borrow();
        let name = text(&a[1])?;
        matcher.group(0)?;
        match matcher.pattern.0.group_index(&name) {
            Some(at) => matcher.group_value(at as i32),
            None => Err(throw("IllegalArgumentException", format!("No group with name <{name}>"))),
        }
    }),
    Row("int groupCount()", |_, a| Ok(Value::Int(matcher(&a[0])?.borrow().pattern.0.group_count() as i32 - 1))),
    Row("int start()", |_, a| matcher(&a[0])?.borrow().edge(0, false)),
    Row("int start(int)", |_, a| matcher(&a[0])?.borrow().edge(int(&a[1])?, false)),
    Row("int end()", |_, a| matcher(&a[0])?.borrow().edge(0, true)),
    Row("int end(int)", |_, a| matcher(&a[0])?.borrow().edge(int(&a[1])?, true)),
    Row("Pattern pattern()", |_, a| Ok(matcher(&a[0])?.borrow().pattern_object.clone())),
    Row("String replaceAll(String)", |vm, a| replace_with(vm, a, true)),
    Row("String replaceFirst(String)", |vm, a| replace_with(vm, a, false)),
    Row("Matcher reset()", |_, a| {
        matcher(&a[0])?.borrow_mut().reset();
        Ok(a[0].clone())
    }),
    // What the reference looks at on its way is known where it looked for nothing yet, and where it went to the end in vain.
    Row("boolean hitEnd()", |_, a| {
        let matcher = matcher(&a[0])?.borrow();
        match matcher.from > matcher.region.1 {
            true => ok_bool(true),
            false if !matcher.looked => ok_bool(false),
            false => Err(thrown("UnsupportedOperationException", None)),
        }
    }),
    Row("boolean requireEnd()", |_, a| {
        let matcher = matcher(&a[0])?.borrow();
        match matcher.looked && asks_for_the_end(pattern_text(&matcher.pattern_object)?.as_str()) {
            true => Err(thrown("UnsupportedOperationException", None)),
            false => ok_bool(false),
        }
    }),
];

/// Whether an expression has something that holds at the end of the text and might not if there were more.
fn asks_for_the_end(pattern: &str) -> bool {
    pattern.contains('$') || [r"\b", r"\B", r"\z", r"\Z"].iter().any(|what| pattern.contains(what))
}

fn bounds(of: &Value, change: impl FnOnce(&mut (bool, bool))) -> Outcome {
    change(&mut matcher(of)?.borrow_mut().bounds);
    Ok(of.clone())
}

const REGION: &[Row] = &[
    Row("Matcher region(int,int)", |_, a| {
        let mut matcher = matcher(&a[0])?.borrow_mut();
        let (len, given) = (matcher.text.len(), (int(&a[1])?, int(&a[2])?));
        let place = |at: i32| usize::try_from(at).ok().filter(|at| *at <= len);
        let (Some(start), Some(end)) = (place(given.0), place(given.1)) else {
            let which = if place(given.0).is_none() { "start" } else { "end" };
            return Err(throw("IndexOutOfBoundsException", which));
        };
        if start > end {
            return Err(throw("IndexOutOfBoundsException", "start > end"));
        }
        matcher.region = (matcher.text.byte_of(start), matcher.text.byte_of(end));
        matcher.from = matcher.region.0;
        matcher.groups.clear();
        Ok(a[0].clone())
    }),
    Row("int regionStart()", |_, a| {
        let matcher = matcher(&a[0])?.borrow();
        Ok(Value::Int(matcher.text.unit_of(matcher.region.0) as i32))
    }),
    Row("int regionEnd()", |_, a| {
        let matcher = matcher(&a[0])?.borrow();
        Ok(Value::Int(matcher.text.unit_of(matcher.region.1) as i32))
    }),
    Row("boolean hasAnchoringBounds()", |_, a| ok_bool(matcher(&a[0])?.borrow().bounds.0)),
    Row("boolean hasTransparentBounds()", |_, a| ok_bool(matcher(&a[0])?.borrow().bounds.1)),
    Row("Matcher useAnchoringBounds(boolean)", |_, a| {
        let wanted = super::args::boolean(&a[1])?;
        bounds(&a[0], |bounds| bounds.0 = wanted)
    }),
    Row("Matcher useTransparentBounds(boolean)", |_, a| {
        let wanted = super::args::boolean(&a[1])?;
        bounds(&a[0], |bounds| bounds.1 = wanted)
    }),
    Row("Matcher usePattern(Pattern)", |_, a| {
        let mut matcher = matcher(&a[0])?.borrow_mut();
        (matcher.pattern, matcher.pattern_object) = (pattern(&a[1])?.clone(), a[1].clone());
        matcher.groups.clear();
        Ok(a[0].clone())
    }),
    Row("static String quoteReplacement(String)", |vm, a| {
        let quoted = text(&a[0])?.replace('\\', "\\\\").replace('$', "\\$");
        vm.string(quoted)
    }),
];

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new("java.util.regex.Pattern", &[], PATTERN),
    ClassRow::new("java.util.regex.MatcherMoreBase", &[], REGION),
    ClassRow::new("java.util.regex.Matcher", &["MatcherMoreBase"], MATCHER),
];
