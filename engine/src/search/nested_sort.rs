//! `nested` of a sort: the values of nested documents, for the root that they are in.

use super::sort_keys::Column;
use crate::deprecated::note;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::query::{self, Node, Query, ShardContext, Weight};
use crate::score::{BoolPlan, ChildJoin, Plan, WeightContext};
use crate::segment::{NO_MORE_DOCS, Roots, SegmentView};
use std::cell::RefCell;
use std::sync::Arc;

/// Which nested documents count, outermost first.
#[derive(Clone, Debug)]
pub struct NestedSort {
    pub path: String,
    pub filter: Option<Query>,
    pub max_children: usize,
    pub nested: Option<Box<NestedSort>>,
}

impl PartialEq for NestedSort {
    fn eq(&self, other: &Self) -> bool {
        format!("{self:?}") == format!("{other:?}")
    }
}

impl NestedSort {
    pub fn of_path(path: String) -> Self {
        Self { path, filter: None, max_children: usize::MAX, nested: None }
    }

    /// None without a path: there is nothing to choose, on this level or below it.
    pub fn parse(node: Node) -> Result<Option<Self>> {
        let (mut sort, mut has_path) = (Self::of_path(String::new()), false);
        if !matches!(node.value, Value::Object(_)) {
            let reason = "malformed nested sort format, must start with an object";
            return Err(Error::illegal_argument(reason).at(node.pos()));
        }
        for field in node.fields() {
            match field.key {
                "path" => (sort.path, has_path) = (field.node.text()?, true),
                "filter" => {
                    let unread = |cause: Error| {
                        let at = cause.place().unwrap_or(field.node.last_pos());
                        field.node.error_at(at, "Expected nested_filter element.").caused_by(cause)
                    };
                    sort.filter = Some(query::parse_node(field.node).map_err(unread)?);
                }
                "max_children" => sort.max_children = most(field.node.i32()?),
                "nested" => sort.nested = Self::parse(field.node)?.map(Box::new),
                key => {
                    let reason = format!("malformed nested sort format, unknown field name [{key}]");
                    return Err(Error::illegal_argument(reason).at(field.node.pos()));
                }
            }
        }
        Ok(has_path.then_some(sort))
    }
}

impl NestedSort {
    /// What finds the nested documents that count.
    pub fn plan(&self, cx: &ShardContext) -> Result<Plan> {
        let (mut found, mut level) = (self.own_plan(cx)?, self);
        while let Some(inner) = level.nested.as_deref() {
            if cx.mapping.nested_object(&inner.path).is_none() {
                return Err(refusal(cx, query::not_nested(&cx.mapping, &inner.path)));
            }
            let outer = Plan::custom(ChildJoin { outer: found, path: level.path.as_str().into() });
            let mut filter = if inner.filter.is_some() { vec![inner.own_plan(cx)?] } else { vec![] };
            filter.push(outer);
            let must = vec![query::of_path(&inner.path)];
            found = Plan::Bool(BoolPlan { must, filter, ..BoolPlan::default() }).simplify();
            level = inner;
        }
        Ok(found)
    }

    /// The same as profiles show it.
    pub fn shown_plan(&self, cx: &ShardContext) -> Result<Plan> {
        match (&self.filter, &self.nested) {
            (Some(filter), None) => match (self.plan(cx)?, filter.plan_among(cx, Some(&self.path))?) {
                (Plan::Points(_), alone) => Ok(filter.shown(alone, true)),
                (plan, _) => Ok(plan),
            },
            _ => self.plan(cx),
        }
    }

    /// The same of this level alone.
    fn own_plan(&self, cx: &ShardContext) -> Result<Plan> {
        let path = &self.path;
        if cx.mapping.nested_object(path).is_none() {
            return Err(refusal(cx, query::not_nested(&cx.mapping, path)));
        }
        self.filter.as_ref().map_or_else(|| Ok(query::of_path(path)), |filter| filter.plan_below(cx, path))
    }
}

/// `nested` of a sort, or what it was written as before.
#[derive(Default)]
pub struct Nesting {
    nested: Option<Option<NestedSort>>,
    path: Option<String>,
    filter: Option<Query>,
}

impl Nesting {
    /// Takes the value of `nested`, `nested_path` or `nested_filter`.
    pub fn take(&mut self, key: &str, node: Node) -> Result<()> {
        let both = || {
            let reason = "Setting both nested_path/nested_filter and nested not allowed";
            Err(Error::illegal_argument(reason).at(node.last_pos()))
        };
        match key {
            "nested" => {
                let nested = NestedSort::parse(node)?;
                if self.path.is_some() || self.filter.is_some() {
                    return both();
                }
                self.nested = Some(nested);
            }
            "nested_path" => {
                note("[nested_path] has been deprecated in favor of the [nested] parameter");
                self.path = Some(node.text()?);
            }
            _ => {
                note("[nested_filter] has been deprecated in favour for the [nested] parameter");
                self.filter = Some(query::parse_node(node)?);
            }
        }
        if self.nested.is_some() && (self.path.is_some() || self.filter.is_some()) {
            return both();
        }
        Ok(())
    }

    /// The sort; without a path there is nothing to choose.
    pub fn chosen(self) -> Option<NestedSort> {
        let own = |path| NestedSort { filter: self.filter, ..NestedSort::of_path(path) };
        self.nested.unwrap_or_else(|| self.path.map(own))
    }
}

/// Finds, segment by segment, the nested documents that count.
pub struct NestedValues {
    path: String,
    /// None where all under the path count.
    weight: Option<RefCell<Weight>>,
    max_children: usize,
}

/// Those of one segment.
pub struct NestedColumn {
    pub values: Box<Column>,
    roots: Option<Arc<Roots>>,
    own: Roots,
    max_children: usize,
}

/// The largest number stands for all.
fn most(children: i32) -> usize {
    if children == i32::MAX { usize::MAX } else { children.max(0) as usize }
}

#[cold]
fn refusal(cx: &ShardContext, reason: String) -> Error {
    Error::new(ErrorKind::QueryShard, reason).with("index", &*cx.index).with("index_uuid", &*cx.index_uuid)
}

impl NestedValues {
    pub fn new(sort: &NestedSort, cx: &ShardContext) -> Result<Self> {
        let below = || std::iter::successors(sort.nested.as_deref(), |level| level.nested.as_deref());
        if below().any(|level| level.max_children != usize::MAX) {
            return Err(refusal(cx, "max_children is only supported on top level of nested sort".to_owned()));
        }
        let plan = sort.plan(cx)?;
        let all = sort.filter.is_none() && sort.nested.is_none();
        let weights = WeightContext::new(&cx.snapshot, cx.mapping.similarities());
        let weight = if all { None } else { Some(plan.weight(&weights, false, 1.0)?.into()) };
        Ok(Self { path: below().last().unwrap_or(sort).path.clone(), weight, max_children: sort.max_children })
    }

    /// The nested documents of a segment whose values count; `values` is the column that holds them.
    pub fn column(&self, view: &SegmentView, values: Column) -> Result<NestedColumn> {
        let all = view.nested_docs(&self.path);
        let own = match &self.weight {
            None => all,
            Some(weight) => {
                let mut chosen = Roots::none(view.max_doc());
                if let Some(mut scorer) = weight.borrow_mut().scorer(view)? {
                    while scorer.doc() != NO_MORE_DOCS {
                        if all.contains(scorer.doc()) {
                            chosen.insert(scorer.doc());
                        }
                        scorer.next();
                    }
                }
                chosen
            }
        };
        let (roots, max_children) = (view.segment.roots().cloned(), self.max_children);
        Ok(NestedColumn { values: Box::new(values), roots, own, max_children })
    }
}

impl NestedColumn {
    /// Calls `each` for the nested documents of the root `doc` that count; it tells whether one has a value, since those alone
    /// are as many as there may be.
    pub fn for_each(&self, doc: u32, mut each: impl FnMut(u32) -> bool) {
        let Some(roots) = &self.roots else { return };
        let mut child = self.own.from(roots.before(doc).map_or(0, |before| before + 1));
        let mut left = self.max_children;
        while child < doc && left > 0 {
            left -= usize::from(each(child));
            child = self.own.from(child + 1);
        }
    }
}
