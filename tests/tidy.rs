//! Rules of the house that no compiler checks: who may import whom, where `unsafe` may stand, that every room has a map,
//! and how long files and functions may be. A rule that nobody checks fades.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Longest file and function, in lines. What is longer stands in `tests/tidy_ratchet.txt` and may only shrink.
const FILE_LINES_MAX: usize = 600;
const FUNCTION_LINES_MAX: usize = 80;

/// The rooms of the root crate and the rooms that each may import. `node` and `cli` join everything; nothing imports them.
const ROOMS: &[(&str, &[&str])] = &[
    ("api", &["cluster", "coordinate", "notify", "observe", "security", "settings", "tasks"]),
    ("cli", &["node", "observe", "settings"]),
    ("cluster", &["notify", "security", "settings"]),
    ("coordinate", &["cluster", "notify", "observe", "security", "settings", "shards", "tasks"]),
    ("node", &["api", "cluster", "coordinate", "observe", "security", "settings", "shards", "store"]),
    ("notify", &["settings"]),
    ("observe", &["settings"]),
    ("security", &["settings"]),
    ("settings", &[]),
    ("shards", &["cluster", "observe", "settings", "store", "tasks"]),
    ("store", &["observe"]),
    ("tasks", &["observe", "security", "settings"]),
];

/// Paths below which `unsafe` may stand.
const UNSAFE_ROOMS: &[&str] = &["engine/src/codec/simd", "net/src/rt", "net/src/mesh"];

/// What the pure crate must not know.
const ENGINE_FORBIDDEN: &[&str] = &[
    "io_uring",
    "pith_net",
    "std::fs",
    "TcpStream",
    "TcpListener",
    "UdpSocket",
    "ToSocketAddrs",
    "std::thread",
    "std::time::Instant",
    "SystemTime",
    "std::process",
    "std::env",
];

/// Pure rooms of the root crate, and what they must not know.
const PURE_ROOMS: &[&str] = &["src/cluster/", "src/security/"];
const PURE_FORBIDDEN: &[&str] = &["pith_net", "std::fs", "std::net", "std::thread", "Instant::now", "SystemTime::now"];

#[test]
fn rooms_import_one_way() {
    let rooms: BTreeMap<&str, &[&str]> = ROOMS.iter().copied().collect();
    let mut breaches = vec![];
    for (path, text) in sources() {
        if let Some(room) = room_of(&path) {
            let Some(allowed) = rooms.get(room) else {
                breaches.push(format!("{path}: room `{room}` is not in the table"));
                continue;
            };
            for imported in imported_rooms(&text) {
                let imported = imported.as_str();
                if imported != room && rooms.contains_key(imported) && !allowed.contains(&imported) {
                    breaches.push(format!("{path}: `{room}` must not import `{imported}`"));
                }
            }
        }
        let mut forbid = |words: &[&str]| {
            for line in code_lines(&text) {
                let found = words.iter().find(|w| line.contains(**w));
                breaches.extend(found.map(|word| format!("{path}: must not know `{word}`")));
            }
        };
        if path.starts_with("src/") {
            forbid(&["io_uring"]);
        }
        if path.starts_with("engine/src/") {
            forbid(ENGINE_FORBIDDEN);
        }
        if path.starts_with("net/src/") {
            forbid(&["pith_engine"]);
        }
        if PURE_ROOMS.iter().any(|r| path.starts_with(r)) {
            forbid(PURE_FORBIDDEN);
        }
    }
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}

#[test]
fn unsafe_stands_only_where_the_plan_allows_it() {
    let mut breaches = vec![];
    for (path, text) in sources() {
        let allowed = UNSAFE_ROOMS.iter().any(|room| path.starts_with(room));
        let lines: Vec<&str> = text.lines().collect();
        for (i, line) in lines.iter().enumerate() {
            let code = line.split("//").next().unwrap_or("");
            let opens = code.contains("unsafe {") || code.contains("unsafe impl");
            if (opens || code.contains("unsafe fn") || code.contains("unsafe extern")) && !allowed {
                breaches.push(format!("{path}:{}: `unsafe` outside its rooms", i + 1));
            }
            // The proof stands above the block, or above the statement that the block is part of.
            if opens && !lines[i.saturating_sub(8)..=i].iter().any(|l| l.contains("SAFETY")) {
                breaches.push(format!("{path}:{}: `unsafe` without a `SAFETY:` proof", i + 1));
            }
        }
    }
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}

#[test]
fn every_room_has_a_map() {
    let without: Vec<String> = sources()
        .into_iter()
        .filter(|(path, _)| path.ends_with("/mod.rs") || path.ends_with("src/lib.rs"))
        .filter(|(_, text)| !text.starts_with("//!"))
        .map(|(path, _)| path)
        .collect();
    assert!(without.is_empty(), "rooms without a map comment: {without:?}");
}

#[test]
fn nothing_unfinished_is_committed() {
    let mut breaches = vec![];
    for (path, text) in sources() {
        for (i, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or("");
            for word in ["todo!(", "unimplemented!(", "dbg!("] {
                if code.contains(word) {
                    breaches.push(format!("{path}:{}: `{word}`", i + 1));
                }
            }
            if code.contains("#[allow(") && !line.contains("reason") {
                breaches.push(format!("{path}:{}: `allow` without a reason", i + 1));
            }
        }
    }
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}

#[test]
fn files_and_functions_only_shrink() {
    let ratchet_path = root().join("tests/tidy_ratchet.txt");
    let ratchet = std::fs::read_to_string(&ratchet_path).expect("tests/tidy_ratchet.txt is part of the repository");
    let mut allowed: BTreeMap<&str, usize> = ratchet
        .lines()
        .filter(|l| !l.trim().is_empty() && !l.starts_with('#'))
        .map(|l| l.rsplit_once(' ').expect("a row is `what lines`"))
        .map(|(what, lines)| (what, lines.parse().expect("a row ends in a number")))
        .collect();
    let mut rows: Vec<(String, usize, usize)> = vec![];
    for (path, text) in sources() {
        rows.push((path.clone(), text.lines().count(), FILE_LINES_MAX));
        rows.extend(functions(&text).into_iter().map(|(name, n)| (format!("{path}::{name}"), n, FUNCTION_LINES_MAX)));
    }
    let mut breaches = vec![];
    for (what, lines, max) in rows {
        match allowed.remove(what.as_str()) {
            Some(limit) if lines > limit => breaches.push(format!("{what} {lines} (the ratchet allows {limit})")),
            Some(limit) if lines < limit => breaches.push(format!("{what} {lines} (tighten the ratchet from {limit})")),
            None if lines > max => breaches.push(format!("{what} {lines} (longer than {max})")),
            _ => {}
        }
    }
    breaches.extend(allowed.keys().map(|what| format!("{what}: gone; remove its row")));
    assert!(breaches.is_empty(), "rows that differ from tests/tidy_ratchet.txt:\n{}", breaches.join("\n"));
}

/// The room of a file of the root crate; `main.rs` and `lib.rs` are in none.
fn room_of(path: &str) -> Option<&str> {
    let first = path.strip_prefix("src/")?.split(['/', '.']).next()?;
    (!["lib", "main"].contains(&first)).then_some(first)
}

/// All Rust sources of the house, as (path from the root, text).
fn sources() -> Vec<(String, String)> {
    let mut files = vec![];
    for folder in ["src", "engine/src", "net/src"] {
        collect(&root().join(folder), &mut files);
    }
    let mut sources: Vec<(String, String)> = files
        .into_iter()
        .map(|file| {
            let text = std::fs::read_to_string(&file).expect("sources are UTF-8");
            let path = file.strip_prefix(root()).expect("below the root").to_string_lossy().into_owned();
            (path, text)
        })
        .collect();
    sources.sort();
    assert!(sources.len() > 10, "the walk over the sources found too few of them");
    sources
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("source folders exist") {
        let path = entry.expect("source folders are readable").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The rooms named by `crate::room`, single or in braces.
fn imported_rooms(text: &str) -> BTreeSet<String> {
    let mut rooms = BTreeSet::new();
    let code: String = code_lines(text).collect::<Vec<_>>().join("\n");
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        let Some(group) = rest.strip_prefix('{') else {
            rooms.insert(identifier(rest));
            continue;
        };
        let group = group.split(';').next().unwrap_or("");
        let mut depth = 0;
        let mut item = String::new();
        for c in group.chars().chain([',']) {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth <= 0 => {
                    rooms.insert(identifier(item.trim()));
                    item.clear();
                }
                c => item.push(c),
            }
        }
    }
    rooms
}

fn identifier(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// Lines without comments.
fn code_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|l| l.split("//").next().unwrap_or("")).filter(|l| !l.trim().is_empty())
}

/// Functions longer than one line with their lengths; of several with the same name in a file the longest. Relies on
/// rustfmt: the closing brace stands in the column of the `fn`.
fn functions(text: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut longest: BTreeMap<String, usize> = BTreeMap::new();
    for (i, line) in lines.iter().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let Some(name) = function_name(line.trim_start()) else { continue };
        let end = format!("{}}}", " ".repeat(indent));
        if let Some(length) = lines[i..].iter().position(|l| *l == end) {
            let slot = longest.entry(name).or_default();
            *slot = (length + 1).max(*slot);
        }
    }
    longest.into_iter().collect()
}

fn function_name(line: &str) -> Option<String> {
    let mut rest = line;
    loop {
        if let Some(after) = rest.strip_prefix("fn ") {
            return Some(identifier(after));
        }
        let modifiers = ["pub(crate) ", "pub(super) ", "pub ", "async ", "const ", "unsafe ", "extern \"C\" "];
        rest = modifiers.iter().find_map(|m| rest.strip_prefix(m))?;
    }
}
