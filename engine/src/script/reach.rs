//! What of a document a script can get at, as its tree tells: most updates name the fields that they look at, and all others may stay
//! as they are.

use super::ast::{Block, Expr, ExprKind, Script, Stmt, StmtKind};
use std::collections::BTreeSet;

/// The variable that holds the document, and the entry of it that is the source.
const CTX: &str = "ctx";
const SOURCE: &str = "_source";

/// Names of members that are no entries of a map.
const NO_ENTRIES: &[&str] = &["length", "empty", "class"];

/// The entries of `ctx`, and of `ctx._source`, that a script can read or change. It sees no others, nor how many there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    pub of_ctx: BTreeSet<Box<str>>,
    pub of_source: BTreeSet<Box<str>>,
}

/// What a script can reach through `ctx`; nothing where `ctx` or its source go anywhere as a whole.
pub fn reach(script: &Script) -> Option<Reach> {
    let mut walk = Walk { reach: Reach::default(), set: BTreeSet::new(), removed: BTreeSet::new() };
    let bodies = script.functions.iter().map(|function| &function.body).chain([&script.body]);
    for body in bodies {
        walk.block(body)?;
    }
    // An entry that goes and comes again stands behind the others, which could not be told from one that stayed.
    walk.set.is_disjoint(&walk.removed).then_some(walk.reach)
}

struct Walk {
    reach: Reach,
    /// Entries of the source that are set, and that are removed.
    set: BTreeSet<Box<str>>,
    removed: BTreeSet<Box<str>>,
}

fn is_ctx(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Name(name) if name == CTX)
}

/// The entry that an expression means of what it is part of, if it says so.
fn entry(expr: &Expr) -> Option<(&Expr, &str)> {
    match &expr.kind {
        ExprKind::Member(of, name, _) => (!NO_ENTRIES.contains(&name.as_str())).then_some((&**of, name.as_str())),
        ExprKind::Index(of, at) => match &at.kind {
            ExprKind::Str(name) => Some((&**of, name.as_str())),
            _ => None,
        },
        _ => None,
    }
}

fn is_source(expr: &Expr) -> bool {
    entry(expr).is_some_and(|(of, name)| is_ctx(of) && name == SOURCE)
}

impl Walk {
    fn block(&mut self, block: &Block) -> Option<()> {
        block.statements.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Stmt) -> Option<()> {
        match &statement.kind {
            StmtKind::If(condition, then, otherwise) => {
                self.expr(condition)?;
                self.block(then)?;
                otherwise.iter().try_for_each(|block| self.block(block))
            }
            StmtKind::While(condition, body) | StmtKind::Do(body, condition) => {
                self.expr(condition)?;
                self.block(body)
            }
            StmtKind::For(first, condition, step, body) => {
                first.iter().try_for_each(|statement| self.statement(statement))?;
                condition.iter().chain(step).try_for_each(|expr| self.expr(expr))?;
                body.iter().try_for_each(|block| self.block(block))
            }
            StmtKind::ForEach(_, _, over, body) => {
                self.expr(over)?;
                self.block(body)
            }
            StmtKind::Declare(_, declared) => {
                declared.iter().filter_map(|declared| declared.value.as_ref()).try_for_each(|expr| self.expr(expr))
            }
            StmtKind::Expr(expr) | StmtKind::Throw(expr) => self.expr(expr),
            StmtKind::Return(value) => value.iter().try_for_each(|expr| self.expr(expr)),
            StmtKind::Continue | StmtKind::Break => Some(()),
            StmtKind::Try(body, catches) => {
                self.block(body)?;
                catches.iter().try_for_each(|catch| self.block(&catch.body))
            }
        }
    }

    fn all(&mut self, exprs: &[Expr]) -> Option<()> {
        exprs.iter().try_for_each(|expr| self.expr(expr))
    }

    fn expr(&mut self, expr: &Expr) -> Option<()> {
        if let Some((of, name)) = entry(expr) {
            if is_source(of) {
                self.reach.of_ctx.insert(SOURCE.into());
                self.reach.of_source.insert(name.into());
                return Some(());
            }
            if is_ctx(of) {
                // The source as a whole.
                (name != SOURCE).then_some(())?;
                self.reach.of_ctx.insert(name.into());
                return Some(());
            }
        }
        match &expr.kind {
            ExprKind::Name(name) => (name != CTX).then_some(()),
            ExprKind::FunctionRef(of, _) => {
                let first = of.as_ref().and_then(|of| of.name.split('.').next());
                (first != Some(CTX)).then_some(())
            }
            ExprKind::Call(of, method, args, _) if is_source(of) => self.call(method, args),
            ExprKind::Call(of, _, args, _) => {
                self.expr(of)?;
                self.all(args)
            }
            ExprKind::Assign(target, _, value) => {
                self.note_set(target);
                self.expr(target)?;
                self.expr(value)
            }
            ExprKind::Step(target, ..) => {
                self.note_set(target);
                self.expr(target)
            }
            ExprKind::Binary(_, a, b) | ExprKind::Elvis(a, b) | ExprKind::Index(a, b) => {
                self.expr(a)?;
                self.expr(b)
            }
            ExprKind::Ternary(a, b, c) => {
                self.expr(a)?;
                self.expr(b)?;
                self.expr(c)
            }
            ExprKind::Unary(_, of) | ExprKind::Cast(_, of) | ExprKind::InstanceOf(of, _) | ExprKind::Member(of, ..) => {
                self.expr(of)
            }
            ExprKind::New(_, args)
            | ExprKind::NewArray(_, args)
            | ExprKind::ArrayInit(_, args)
            | ExprKind::List(args)
            | ExprKind::LocalCall(_, args) => self.all(args),
            ExprKind::Map(entries) => entries.iter().try_for_each(|(key, value)| {
                self.expr(key)?;
                self.expr(value)
            }),
            ExprKind::Lambda(_, body) => self.block(body),
            ExprKind::Null
            | ExprKind::Bool(_)
            | ExprKind::Number(..)
            | ExprKind::Decimal(_)
            | ExprKind::Str(_)
            | ExprKind::Regex(..) => Some(()),
        }
    }

    fn note_set(&mut self, target: &Expr) {
        if let Some((of, name)) = entry(target)
            && is_source(of)
        {
            self.set.insert(name.into());
        }
    }

    /// A method of the source that is about one entry.
    fn call(&mut self, method: &str, args: &[Expr]) -> Option<()> {
        let (ExprKind::Str(name), rest) = args.split_first().map(|(first, rest)| (&first.kind, rest))? else {
            return None;
        };
        match (method, rest) {
            ("get" | "containsKey", []) => {}
            ("remove", []) => _ = self.removed.insert(name.as_str().into()),
            ("put", [value]) => {
                self.set.insert(name.as_str().into());
                self.expr(value)?;
            }
            _ => return None,
        }
        self.reach.of_ctx.insert(SOURCE.into());
        self.reach.of_source.insert(name.as_str().into());
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::parser::parse;
    use super::*;

    fn of(source: &str) -> Option<(String, String)> {
        let joined = |names: &BTreeSet<Box<str>>| names.iter().map(|name| &**name).collect::<Vec<_>>().join(",");
        reach(&parse(source).unwrap()).map(|reach| (joined(&reach.of_ctx), joined(&reach.of_source)))
    }

    #[test]
    fn named_entries_are_reached() {
        for (source, of_ctx, of_source) in [
            ("ctx._source.size += 1", "_source", "size"),
            ("ctx['_source']['a'] = params.x; ctx._source.b.c.add(1)", "_source", "a,b"),
            ("if (ctx._source.containsKey('a')) { ctx.op = 'noop' } else ctx._source.remove('b')", "_source,op", "a,b"),
            ("for (t in ctx._source.tags) { ctx._source.n++ }", "_source", "n,tags"),
            ("ctx._source?.a.each(x -> ctx._source.put('y', x))", "_source", "a,y"),
            ("int f(def x) { return x + 1 } ctx._source.a = f(ctx._source.b)", "_source", "a,b"),
            ("ctx._source.get('a').length()", "_source", "a"),
            ("params.x.length", "", ""),
        ] {
            assert_eq!(of(source), Some((of_ctx.into(), of_source.into())), "{source}");
        }
    }

    #[test]
    fn what_goes_elsewhere_reaches_everything() {
        for source in [
            "def s = ctx._source; s.a = 1",
            "ctx._source = params.doc",
            "ctx._source.a = ctx._source",
            "ctx._source[params.name] = 1",
            "for (e in ctx._source.entrySet()) {}",
            "ctx._source.putAll(params.x)",
            "ctx._source.a = ctx._source.length",
            "ctx._source.a = ctx._source.empty",
            "ctx.remove('_source')",
            "def f(def x) { return x } f(ctx)",
            "ctx._source.remove('a'); ctx._source.a = 1",
            "ctx._source.put('a', ctx)",
            "params.list.forEach(ctx::put)",
            "ctx[params.x] = 1",
            "return ctx",
        ] {
            assert_eq!(of(source), None, "{source}");
        }
    }
}
