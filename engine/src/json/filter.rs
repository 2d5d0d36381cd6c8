//! `filter_path`: keeps or drops parts of a JSON value, on its tokens, so that what is kept stays as it was written.
//!
//! A filter is a path of names with `*` inside names and `**` for one or more levels; one that begins with `-` says
//! what to drop. Arrays do not count as levels. An object or array of which a filter keeps nothing disappears.

use super::tokens::{Token, Tokens, unescape};

/// A filter as its names. A dot that belongs to a name is written `\.`.
#[derive(Debug)]
struct Filter {
    names: Vec<String>,
}

/// What the filters say of a value.
#[derive(Debug)]
enum Verdict {
    Keep,
    Drop,
    /// It depends on what is inside: for each filter that still matches how many of its names are used up.
    Inside(Vec<(usize, usize)>),
}

/// Applies `filters` (the items of the comma-separated parameter). Empty items count for nothing; the outermost
/// object or array always stays.
pub fn filter(json: &[u8], filters: &[String]) -> Vec<u8> {
    let mut includes = vec![];
    let mut excludes = vec![];
    for text in filters.iter().map(|text| text.trim()).filter(|text| !text.is_empty()) {
        match text.strip_prefix('-') {
            Some(rest) => excludes.push(Filter::parse(rest)),
            None => includes.push(Filter::parse(text)),
        }
    }
    let mut out = json.to_vec();
    for (filters, include) in [(includes, true), (excludes, false)] {
        if !filters.is_empty() {
            out = Run { filters, include, out: Vec::with_capacity(out.len()), open: vec![] }.apply(&out);
        }
    }
    out
}

impl Filter {
    fn parse(text: &str) -> Self {
        let mut names = vec![String::new()];
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\\' if chars.peek() == Some(&'.') => names.last_mut().expect("never empty").extend(chars.next()),
                '.' => names.push(String::new()),
                other => names.last_mut().expect("never empty").push(other),
            }
        }
        Self { names }
    }
}

/// An object or array that is being copied.
struct Open {
    verdict: Verdict,
    object: bool,
    /// Where it begins in the output, the comma and the key before it included.
    start: usize,
    /// Whether anything inside has been written.
    filled: bool,
    /// What holds for the value of the key just read, and where that key begins in the output.
    pending: Option<(Verdict, usize)>,
}

struct Run {
    filters: Vec<Filter>,
    include: bool,
    out: Vec<u8>,
    open: Vec<Open>,
}

impl Run {
    fn apply(mut self, json: &[u8]) -> Vec<u8> {
        let mut tokens = Tokens::new(json);
        while let Some(token) = tokens.next() {
            match token {
                Token::Key(key) => self.key(key),
                Token::Scalar(text) => self.scalar(text),
                Token::BeginObject => self.begin(true, &mut tokens),
                Token::BeginArray => self.begin(false, &mut tokens),
                Token::EndObject | Token::EndArray => self.end(),
            }
        }
        self.out
    }

    fn key(&mut self, key: &[u8]) {
        let Some(open) = self.open.last() else { return };
        let verdict = match &open.verdict {
            Verdict::Inside(states) => self.evaluate(states, &unescape(key)),
            _ => Verdict::Keep,
        };
        let start = self.out.len();
        let open = self.open.last_mut().expect("just seen");
        if !matches!(verdict, Verdict::Drop) {
            if open.filled {
                self.out.push(b',');
            }
            self.out.extend_from_slice(key);
            self.out.push(b':');
        }
        open.pending = Some((verdict, start));
    }

    fn evaluate(&self, states: &[(usize, usize)], name: &str) -> Verdict {
        let mut inside = vec![];
        for &(filter, used) in states {
            let names = &self.filters[filter].names;
            if names[used] != "**" && !glob(&names[used], name) {
                continue;
            }
            if used + 1 == names.len() {
                return self.matched();
            }
            inside.push((filter, used + 1));
            if names[used] == "**" {
                inside.push((filter, used));
            }
        }
        inside.sort_unstable();
        inside.dedup();
        match (inside.is_empty(), self.include) {
            (false, _) => Verdict::Inside(inside),
            (true, true) => Verdict::Drop,
            (true, false) => Verdict::Keep,
        }
    }

    fn matched(&self) -> Verdict {
        if self.include { Verdict::Keep } else { Verdict::Drop }
    }

    /// The verdict on the value that comes now, and where it begins with its key.
    fn value(&mut self) -> (Verdict, usize) {
        let start = self.out.len();
        let Some(open) = self.open.last_mut() else {
            return (Verdict::Inside((0..self.filters.len()).map(|f| (f, 0)).collect()), start);
        };
        if open.object {
            return open.pending.take().unwrap_or((Verdict::Drop, start));
        }
        let verdict = match &open.verdict {
            Verdict::Inside(states) => Verdict::Inside(states.clone()),
            _ => Verdict::Keep,
        };
        if open.filled {
            self.out.push(b',');
        }
        (verdict, start)
    }

    fn scalar(&mut self, text: &[u8]) {
        let (verdict, start) = self.value();
        let keep = match verdict {
            Verdict::Keep => true,
            Verdict::Drop => false,
            // No filter has matched as a whole: nothing of it is to be kept, or to be dropped.
            Verdict::Inside(_) => !self.include || self.open.is_empty(),
        };
        if keep {
            self.out.extend_from_slice(text);
            self.fill();
        } else {
            self.out.truncate(start);
        }
    }

    fn begin(&mut self, object: bool, tokens: &mut Tokens<'_>) {
        let (verdict, start) = self.value();
        if matches!(verdict, Verdict::Drop) {
            self.out.truncate(start);
            return skip(tokens);
        }
        self.out.push(if object { b'{' } else { b'[' });
        self.open.push(Open { verdict, object, start, filled: false, pending: None });
    }

    fn end(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let keep = open.filled || matches!(open.verdict, Verdict::Keep) || self.open.is_empty();
        if keep {
            self.out.push(if open.object { b'}' } else { b']' });
            self.fill();
        } else {
            self.out.truncate(open.start);
        }
    }

    fn fill(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.filled = true;
        }
    }
}

/// Moves past the rest of an object or array that has just begun.
fn skip(tokens: &mut Tokens<'_>) {
    let mut depth = 1usize;
    for token in tokens {
        match token {
            Token::BeginObject | Token::BeginArray => depth += 1,
            Token::EndObject | Token::EndArray => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return;
        }
    }
}

/// Whether `name` matches `pattern`, in which `*` stands for any characters. Linear in practice, bounded by the product
/// of the lengths.
pub(crate) fn glob(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut p, mut n) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while n < name.len() {
        if pattern.get(p) == Some(&b'*') {
            retry = Some((p + 1, n));
            p += 1;
        } else if pattern.get(p) == Some(&name[n]) {
            (p, n) = (p + 1, n + 1);
        } else if let Some((after, at)) = retry {
            retry = Some((after, at + 1));
            (p, n) = (after, at + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|c| *c == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOC: &[u8] =
        br#"{"id":"2","s":{"a":{"b":1,"c":[{"d":1},{"e":2}],"x y":"v"},"true":[],"n":{},"arr":[[1,2],[]],"a.b":1.10}}"#;

    fn run(filters: &str) -> String {
        let filters: Vec<String> = filters.split(',').map(str::to_owned).collect();
        String::from_utf8(filter(DOC, &filters)).unwrap()
    }

    #[test]
    fn includes() {
        assert_eq!(run("s.a.b"), r#"{"s":{"a":{"b":1}}}"#);
        assert_eq!(run("s.a.c.d"), r#"{"s":{"a":{"c":[{"d":1}]}}}"#);
        assert_eq!(run("**.d"), r#"{"s":{"a":{"c":[{"d":1}]}}}"#);
        assert_eq!(run("s.arr"), r#"{"s":{"arr":[[1,2],[]]}}"#);
        assert_eq!(run("s.arr.*"), "{}");
        assert_eq!(run("s.n"), r#"{"s":{"n":{}}}"#);
        assert_eq!(run("s.n.*"), "{}");
        assert_eq!(run(r"s.a\.b"), r#"{"s":{"a.b":1.10}}"#);
        assert_eq!(run("s..b"), "{}");
        assert_eq!(run("s.**.**.e"), r#"{"s":{"a":{"c":[{"e":2}]}}}"#);
        assert_eq!(run("**.c.**"), r#"{"s":{"a":{"c":[{"d":1},{"e":2}]}}}"#);
        assert_eq!(run(" id ,,s.tr*e"), r#"{"id":"2","s":{"true":[]}}"#);
        assert_eq!(run("nothing"), "{}");
        assert_eq!(run("**").as_bytes(), DOC);
        assert_eq!(
            run("**.**"),
            r#"{"s":{"a":{"b":1,"c":[{"d":1},{"e":2}],"x y":"v"},"true":[],"n":{},"arr":[[1,2],[]],"a.b":1.10}}"#
        );
        assert_eq!(run("*.**.d"), r#"{"s":{"a":{"c":[{"d":1}]}}}"#);
        assert_eq!(run("s.*.d"), "{}");
    }

    #[test]
    fn excludes() {
        assert_eq!(run("-s"), r#"{"id":"2"}"#);
        assert_eq!(run("-*"), "{}");
        assert_eq!(run("-s.**"), r#"{"id":"2"}"#);
        assert_eq!(run("-**.d"), r#"{"id":"2","s":{"a":{"b":1,"c":[{"e":2}],"x y":"v"},"arr":[[1,2]],"a.b":1.10}}"#);
        assert_eq!(run("s.a.*,-s.a.b"), r#"{"s":{"a":{"c":[{"d":1},{"e":2}],"x y":"v"}}}"#);
        assert_eq!(
            run("-s.arr.x"),
            r#"{"id":"2","s":{"a":{"b":1,"c":[{"d":1},{"e":2}],"x y":"v"},"true":[],"n":{},"arr":[[1,2]],"a.b":1.10}}"#
        );
        assert_eq!(run("s.**.b,-s.a.b"), "{}");
    }

    #[test]
    fn stars_inside_names() {
        for (pattern, name, matches) in
            [("a*c", "abbc", true), ("*", "", true), ("*a*b", "xaxab", true), ("a", "ab", false), ("", "", true)]
        {
            assert_eq!(glob(pattern, name), matches, "{pattern} {name}");
        }
    }
}
