//! Tables: columns, cells, and how they become text or JSON as the request says (`v`, `h`, `s`, `help`, `bytes`, `time`).

use super::super::body::MediaType;
use super::super::reply::Content;
use super::super::{ApiRequest, Reply, unknown};
use crate::coordinate::clock::{duration_text, time_text};
use crate::settings::glob;
pub use crate::settings::units::bytes_text;
use pith_engine::json::Writer;
use pith_engine::{Error, ErrorKind, Result};
use std::cmp::Ordering;
use std::fmt::Write;
use std::time::Duration;

/// The parameters that every table knows.
pub const TABLE_PARAMS: &[&str] = &["v", "h", "s", "help", "bytes?", "time?", "ts?", "pri?", "size?", "timeout?"];

#[derive(Clone, Copy, Debug)]
pub struct Column {
    pub name: &'static str,
    /// Separated by commas.
    pub aliases: &'static str,
    pub align: Align,
    /// Whether it is shown without being asked for.
    pub shown: bool,
    pub doc: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Align {
    Left,
    Right,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Null,
    Text(String),
    Number(u64),
    Decimal(f64),
    Bytes(u64),
    /// A duration in milliseconds.
    Millis(u64),
    /// The same in nanoseconds.
    Nanos(u64),
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// A column that is shown unless others are asked for.
pub const fn column(name: &'static str, aliases: &'static str, align: Align, doc: &'static str) -> Column {
    Column { name, aliases, align, shown: true, doc }
}

/// A column for those who ask for it.
pub const fn extra(name: &'static str, aliases: &'static str, align: Align, doc: &'static str) -> Column {
    Column { name, aliases, align, shown: false, doc }
}

impl Column {
    fn is_called(&self, name: &str) -> bool {
        self.name == name || (!self.aliases.is_empty() && self.aliases.split(',').any(|alias| alias == name))
    }

    fn matches(&self, pattern: &str) -> bool {
        glob(pattern, self.name)
            || (!self.aliases.is_empty() && self.aliases.split(',').any(|alias| glob(pattern, alias)))
    }
}

/// Whether the request wants to know the columns only; the rows need not be made then. What the path and the other parameters
/// choose is not looked at for that, and what is not looked at is refused.
pub fn wants_help(request: &ApiRequest) -> Result<bool> {
    let help = request.flag("help", false)?;
    if help {
        let route = request.route;
        let own: &[&str] = match route.name {
            "cat_indices_action" => &["health", "local"],
            "cat_tasks_action" => &["detailed"],
            "cat_threadpool_action" => &["thread_pool_patterns"],
            _ => &[],
        };
        let of_tables = |name: &str| TABLE_PARAMS.iter().any(|known| known.strip_suffix('?').unwrap_or(known) == name);
        let is_read = |name: &&str| [unknown::COMMON, own].iter().any(|names| names.contains(name)) || of_tables(name);
        let given = request.params.iter().map(|(name, _)| name.as_str());
        unknown::refuse(
            route,
            &request.path,
            route.path_params().map(|name| -> &str { name }).chain(given).filter(|name| !is_read(name)),
        )?;
    }
    Ok(help)
}

/// The columns, one a line.
pub fn help(columns: &[Column]) -> Reply {
    let width =
        |of: fn(&Column) -> &'static str| columns.iter().map(|column| of(column).chars().count()).max().unwrap_or(0);
    let (name, aliases, doc) = (width(|c| c.name), width(|c| c.aliases), width(|c| c.doc));
    let mut text = String::new();
    for column in columns {
        let _ = writeln!(text, "{:<name$} | {:<aliases$} | {:<doc$}", column.name, column.aliases, column.doc);
    }
    Reply::text(200, text)
}

/// The table in the form that the request asks for. Every row has a cell for every column.
pub fn table(request: &ApiRequest, columns: &[Column], mut rows: Vec<Vec<Cell>>) -> Result<Reply> {
    // Objects have no line of names, and nobody looks whether it was asked for.
    let objects_wanted = wants_objects(request);
    let verbose = !objects_wanted && request.flag("v", false)?;
    sort(request, columns, &mut rows)?;
    let mut chosen = chosen(request, columns)?;
    // Whoever asks for them by another of their names gets them all the same.
    if chosen.iter().any(Shown::is_moment) && !request.flag("ts", true)? {
        chosen.retain(|shown| !shown.is_moment());
    }
    let units =
        Units { bytes: request.param("bytes").unwrap_or_default(), time: request.param("time").unwrap_or_default() };
    let cells: Vec<Vec<Option<String>>> = rows
        .iter()
        .map(|row| chosen.iter().map(|shown| row.get(shown.at).and_then(|cell| units.text(cell))).collect())
        .collect();
    if objects_wanted {
        return Ok(objects(&chosen, &cells));
    }
    Ok(Reply::text(200, text(columns, &chosen, &cells, verbose)))
}

/// One page of a long table: the table, and what the next page is asked for with. As objects, the rows are called `name`.
pub fn page(
    request: &ApiRequest,
    columns: &[Column],
    rows: Vec<Vec<Cell>>,
    name: &str,
    next: Option<&str>,
) -> Result<Reply> {
    let mut reply = table(request, columns, rows)?;
    match &mut reply.content {
        Content::Text(text) => {
            let _ = writeln!(text, "next_token {}", next.unwrap_or("null"));
        }
        Content::Json(json) => {
            let mut w = Writer::new();
            w.begin_object().key("next_token");
            match next {
                Some(token) => w.string(token),
                None => w.null(),
            };
            w.key(name).raw(json);
            w.end_object();
            *json = w.finish();
        }
        Content::Verbatim(_) | Content::Empty => {}
    }
    Ok(reply)
}

fn wants_objects(request: &ApiRequest) -> bool {
    match request.param("format") {
        Some(format) => MediaType::of_format(format).is_some(),
        None => request.accept.as_deref().and_then(MediaType::parse).is_some(),
    }
}

/// A column that is shown, and what it is called by whoever asked for it.
struct Shown {
    at: usize,
    title: String,
}

impl Shown {
    fn is_moment(&self) -> bool {
        matches!(self.title.as_str(), "epoch" | "timestamp")
    }
}

fn chosen(request: &ApiRequest, columns: &[Column]) -> Result<Vec<Shown>> {
    let asked = request.list("h");
    let all = columns.iter().enumerate();
    if !request.has("h") {
        return Ok(all.filter(|(_, c)| c.shown).map(|(at, c)| Shown { at, title: c.name.to_owned() }).collect());
    }
    let of_primaries = request.flag("pri", false)?;
    let mut chosen: Vec<Shown> = vec![];
    let mut add_one = |at: usize, title: &str| {
        if !chosen.iter().any(|shown: &Shown| shown.title == title) {
            chosen.push(Shown { at, title: title.to_owned() });
        }
    };
    let mut add = |at: usize, title: &str| {
        add_one(at, title);
        // What there is of primaries alone stands beside what there is of all copies.
        let beside = columns.iter().position(|column| column.name.strip_prefix("pri.") == Some(columns[at].name));
        if let Some(beside) = beside.filter(|_| of_primaries) {
            add_one(beside, &format!("pri.{title}"));
        }
    };
    for name in asked {
        if name.contains('*') {
            all.clone().filter(|(_, column)| column.matches(name)).for_each(|(at, column)| add(at, column.name));
        } else if let Some(at) = columns.iter().position(|column| column.is_called(name)) {
            add(at, name);
        }
    }
    Ok(chosen)
}

fn sort(request: &ApiRequest, columns: &[Column], rows: &mut [Vec<Cell>]) -> Result<()> {
    let mut keys: Vec<(usize, bool)> = vec![];
    for key in request.list("s") {
        let (name, descending) = match key.rsplit_once(':') {
            Some((name, "desc")) => (name, true),
            Some((name, "asc")) => (name, false),
            _ => (key, false),
        };
        let at = columns.iter().position(|column| column.is_called(name)).ok_or_else(|| {
            Error::new(ErrorKind::UnsupportedOperation, format!("Unable to sort by unknown sort key `{name}`"))
        })?;
        keys.push((at, descending));
    }
    rows.sort_by(|a, b| {
        let by = |(at, descending): &(usize, bool)| {
            let order = compare(a.get(*at), b.get(*at));
            if *descending { order.reverse() } else { order }
        };
        keys.iter().map(by).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    });
    Ok(())
}

/// Nothing comes before something.
fn compare(a: Option<&Cell>, b: Option<&Cell>) -> Ordering {
    match (a, b) {
        (Some(Cell::Text(a)), Some(Cell::Text(b))) => a.cmp(b),
        (Some(a), Some(b)) => number(a).total_cmp(&number(b)),
        _ => Ordering::Equal,
    }
}

fn number(cell: &Cell) -> f64 {
    match cell {
        Cell::Null => f64::NEG_INFINITY,
        Cell::Text(text) => text.parse().unwrap_or(f64::INFINITY),
        Cell::Number(number) | Cell::Bytes(number) | Cell::Millis(number) | Cell::Nanos(number) => *number as f64,
        Cell::Decimal(number) => *number,
    }
}

/// The units of `bytes` and `time`; an unknown one is as none.
struct Units<'a> {
    bytes: &'a str,
    time: &'a str,
}

impl Units<'_> {
    fn text(&self, cell: &Cell) -> Option<String> {
        Some(match cell {
            Cell::Null => return None,
            Cell::Text(text) => text.clone(),
            Cell::Number(number) => number.to_string(),
            Cell::Decimal(number) => format!("{number:.2}"),
            Cell::Bytes(bytes) => self.bytes(*bytes),
            Cell::Millis(0) => self.nanos(0).unwrap_or_else(|| "0s".to_owned()),
            Cell::Millis(ms) => self
                .nanos(ms.saturating_mul(1_000_000))
                .unwrap_or_else(|| time_text(i64::try_from(*ms).unwrap_or(i64::MAX))),
            Cell::Nanos(ns) => self.nanos(*ns).unwrap_or_else(|| duration_text(Duration::from_nanos(*ns))),
        })
    }

    fn bytes(&self, bytes: u64) -> String {
        let shift = match self.bytes {
            "b" => 0,
            "k" | "kb" => 10,
            "m" | "mb" => 20,
            "g" | "gb" => 30,
            "t" | "tb" => 40,
            "p" | "pb" => 50,
            _ => return bytes_text(bytes),
        };
        (bytes >> shift).to_string()
    }

    /// A duration in the unit of `time`, if that says one.
    fn nanos(&self, ns: u64) -> Option<String> {
        const NS_PER_S: u64 = 1_000_000_000;
        let unit_ns = match self.time {
            "nanos" => 1,
            "micros" => 1_000,
            "ms" => 1_000_000,
            "s" => NS_PER_S,
            "m" => 60 * NS_PER_S,
            "h" => 3_600 * NS_PER_S,
            "d" => 86_400 * NS_PER_S,
            _ => return None,
        };
        Some((ns / unit_ns).to_string())
    }
}

fn objects(chosen: &[Shown], cells: &[Vec<Option<String>>]) -> Reply {
    let mut w = Writer::new();
    w.begin_array();
    for row in cells {
        w.begin_object();
        for (shown, cell) in chosen.iter().zip(row) {
            w.key(&shown.title);
            match cell {
                Some(text) => w.string(text),
                None => w.null(),
            };
        }
        w.end_object();
    }
    w.end_array();
    Reply::ok(w)
}

fn text(columns: &[Column], chosen: &[Shown], cells: &[Vec<Option<String>>], verbose: bool) -> String {
    let widths: Vec<usize> = chosen
        .iter()
        .enumerate()
        .map(|(at, shown)| {
            let title = if verbose { shown.title.chars().count() } else { 0 };
            let of = |row: &Vec<Option<String>>| row[at].as_ref().map_or(0, |text| text.chars().count());
            cells.iter().map(of).max().unwrap_or(0).max(title)
        })
        .collect();
    let mut out = String::new();
    let mut line = |texts: Vec<&str>| {
        for (at, text) in texts.iter().enumerate() {
            if at > 0 {
                out.push(' ');
            }
            let width = widths[at];
            let last = at + 1 == texts.len();
            let _ = match columns[chosen[at].at].align {
                Align::Right => write!(out, "{text:>width$}"),
                Align::Left if last => write!(out, "{text}"),
                Align::Left => write!(out, "{text:<width$}"),
            };
        }
        out.push('\n');
    };
    if verbose {
        line(chosen.iter().map(|shown| shown.title.as_str()).collect());
    }
    for row in cells {
        line(row.iter().map(|cell| cell.as_deref().unwrap_or_default()).collect());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::super::{Method, Route};
    use super::*;

    static ROUTE: Route = Route {
        method: Method::Get,
        path: "/_cat/x",
        name: "x",
        params: &[TABLE_PARAMS],
        handler: |_, _| Box::pin(async { Ok(Reply::empty(200)) }),
    };

    const COLUMNS: &[Column] = &[
        column("name", "n", Align::Left, "the name"),
        column("size", "s,sz", Align::Right, "how large"),
        extra("time", "t", Align::Right, "how long"),
    ];

    fn shown(params: &[(&str, &str)]) -> String {
        let rows = vec![
            vec!["b".into(), Cell::Bytes(4300), Cell::Millis(1500)],
            vec!["aa".into(), Cell::Bytes(208), Cell::Null],
        ];
        let reply = table(&ApiRequest::for_test(&ROUTE, params, ""), COLUMNS, rows).unwrap();
        match reply.content {
            super::super::super::reply::Content::Text(text) => text,
            super::super::super::reply::Content::Json(json) => String::from_utf8(json).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn text_with_and_without_titles() {
        assert_eq!(shown(&[]), "b  4.1kb\naa  208b\n");
        assert_eq!(shown(&[("v", "true")]), "name  size\nb    4.1kb\naa    208b\n");
        assert_eq!(shown(&[("h", "sz,n"), ("bytes", "b"), ("v", "")]), "  sz n\n4300 b\n 208 aa\n");
        assert_eq!(shown(&[("h", "t*"), ("time", "s")]), "1\n \n");
        assert_eq!((shown(&[("h", "")]), shown(&[("format", "Json"), ("h", ",")])), ("\n\n".into(), "[{},{}]".into()));
        assert_eq!(shown(&[("format", "application/json"), ("h", "n")]), "b\naa\n");
    }

    #[test]
    fn sorted_and_as_objects() {
        assert_eq!(shown(&[("s", "name"), ("h", "name")]), "aa\nb\n");
        assert_eq!(shown(&[("s", "size:desc"), ("h", "n")]), "b\naa\n");
        assert_eq!(shown(&[("format", "json"), ("h", "n,t")]), r#"[{"n":"b","t":"1.5s"},{"n":"aa","t":null}]"#);
        let request = ApiRequest::for_test(&ROUTE, &[("s", "foo")], "");
        assert_eq!(table(&request, COLUMNS, vec![]).unwrap_err().reason(), "Unable to sort by unknown sort key `foo`");
    }

    #[test]
    fn helps() {
        let reply = help(COLUMNS);
        let expected = "name | n    | the name \nsize | s,sz | how large\ntime | t    | how long \n";
        assert_eq!(reply.content, super::super::super::reply::Content::Text(expected.to_owned()));
    }
}
