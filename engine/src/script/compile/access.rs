//! Members, items and calls.

use super::super::ast::{Expr, ExprKind};
use super::super::class::{ClassId, Method, class, is_nameable, registry};
use super::super::error::Compile;
use super::super::listing::functions_of;
use super::super::op::{Constant, Op, Reg};
use super::super::types::{Base, Type};
use super::{Compiler, Result, Val};

impl Compiler {
    /// The class that a chain of names stands for, unless its first is a variable.
    pub(super) fn static_class(&self, expr: &Expr) -> Option<ClassId> {
        let mut parts: Vec<&str> = vec![];
        let mut at = expr;
        loop {
            match &at.kind {
                ExprKind::Name(name) => {
                    parts.push(name);
                    if self.local(name).is_some() {
                        return None;
                    }
                    break;
                }
                ExprKind::Member(inner, name, false) => {
                    parts.push(name);
                    at = inner;
                }
                _ => return None,
            }
        }
        parts.reverse();
        let context = self.program.context.name;
        registry().find(&parts.join(".")).filter(|id| is_nameable(registry().class(*id), context))
    }

    /// The names of a chain that is nothing but names.
    fn dotted(expr: &Expr) -> Option<String> {
        match &expr.kind {
            ExprKind::Name(name) => Some(name.clone()),
            ExprKind::Member(inner, name, false) => Some(format!("{}.{name}", Self::dotted(inner)?)),
            _ => None,
        }
    }

    /// The value of what stands before a dot. A chain of names that means nothing is refused as a whole.
    pub(super) fn prefix(&mut self, at: u32, object: &Expr, name: Option<&str>) -> Result<Val> {
        if let Some(dotted) = Self::dotted(object) {
            let first = dotted.split('.').next().unwrap_or_default();
            let is_variable = self.local(first).is_some() || (first == "_score" && self.program.context.scores);
            if !is_variable && self.static_class_begins(object).is_none() {
                let whole = name.map_or(dotted.clone(), |name| format!("{dotted}.{name}"));
                return Err(Compile::illegal(at, format!("cannot resolve symbol [{whole}]")));
            }
        }
        self.expr(object)
    }

    /// Where the script is when it goes on with a value: where that stands, if all that was done with it was to forget its type.
    fn place_behind(&self, object: &Expr, at: u32) -> u32 {
        match object.kind {
            ExprKind::Cast(..) => self.f.untyped.unwrap_or(at),
            _ => at,
        }
    }

    /// A type stands where a value has to.
    #[cold]
    pub(super) fn type_as_value(&self, at: u32, id: ClassId) -> Compile {
        let what = format!("value required: instead found unexpected type [{}]", registry().class(id).name);
        Compile::illegal(at, what)
    }

    /// Whether some beginning of a chain of names is a class.
    fn static_class_begins(&self, expr: &Expr) -> Option<ClassId> {
        self.static_class(expr).or_else(|| match &expr.kind {
            ExprKind::Member(inner, _, false) => self.static_class_begins(inner),
            _ => None,
        })
    }

    pub(super) fn member(&mut self, at: u32, object: &Expr, name: &str, null_safe: bool) -> Result<Val> {
        if let Some(id) = self.static_class(object) {
            let Some(constant) = registry().constant(id, name) else {
                return Err(Compile::illegal(at, format!("field [{}, {name}] not found", registry().class(id).name)));
            };
            self.f.place = at;
            return self.native(constant, 0, 0);
        }
        if let Some(value) = self.document(at, object, name) {
            return Ok(value);
        }
        let mark = self.f.next;
        let value = self.prefix(at, object, Some(name))?;
        self.f.place = self.place_behind(object, at);
        self.guarded(at, value, null_safe, mark, |c, value| c.member_of(at, value, name))
    }

    /// Runs an access unless the value is null and the access null-safe.
    fn guarded(
        &mut self,
        at: u32,
        value: Val,
        null_safe: bool,
        mark: usize,
        access: impl FnOnce(&mut Self, Val) -> Result<Val>,
    ) -> Result<Val> {
        if !null_safe {
            let result = access(self, value)?;
            return Ok(self.lowered(result, mark));
        }
        let to = self.temp();
        self.store(&value, to);
        let leave = self.emit(Op::JumpIfNull { when: true, reg: to, target: 0 });
        let class = value.class;
        let held = self.settled(to, class);
        let result = access(self, held)?;
        if result.class.is_primitive() {
            let what = "Result of null safe operator must be nullable";
            return Err(Compile::nowhere("illegal_argument_exception", what));
        }
        if class.is_primitive() {
            // Only the machine that the reference runs on refuses it.
            let what = "invalid null safe operator: cannot be applied to a primitive type";
            self.complain_later(Compile::illegal(at, what));
        }
        self.store(&result, to);
        let end = self.here();
        self.patch(leave, end);
        let result = self.settled(to, result.class);
        let result = self.lowered(result, mark);
        self.f.guarded = Some(self.f.function.ops.len());
        Ok(result)
    }

    /// The same value in the lowest free register, so that chains of accesses need few.
    fn lowered(&mut self, value: Val, mark: usize) -> Val {
        match value.place {
            super::Place::Fresh(reg) | super::Place::Reg(reg) if usize::from(reg) > mark => {
                self.f.next = mark;
                let to = self.temp();
                self.store(&value, to);
                self.settled(to, value.class)
            }
            super::Place::Fresh(reg) | super::Place::Reg(reg) if usize::from(reg) == mark => {
                self.f.next = mark + 1;
                value
            }
            _ => value,
        }
    }

    fn member_of(&mut self, at: u32, value: Val, name: &str) -> Result<Val> {
        let class = value.class;
        let source = self.source(&value);
        let object = self.load(&value);
        if class.dims > 0 {
            if name != "length" {
                return Err(Compile::illegal(
                    at,
                    format!("Field [{name}] does not exist for type [{}].", class.name()),
                ));
            }
            let to = self.temp();
            self.receives(source, class);
            self.emit(Op::ArrayLength { to, array: object });
            return Ok(self.fresh(to, Type::INT));
        }
        if class.is_def() {
            let site = self.site(name, 0);
            let to = self.temp();
            self.emit(Op::GetMember { site, to, object });
            return Ok(self.fresh(to, Type::DEF));
        }
        let id = class.class_id();
        if !class.is_primitive()
            && let Some(getter) = registry().field(id, name).or_else(|| registry().getter(id, name))
        {
            let args = self.temp();
            self.emit(Op::Move { to: args, from: object });
            self.receives(source, class);
            return self.native(getter, args, 1);
        }
        let index = if registry().is_subclass(id, class::MAP) {
            Some(Val::constant(Constant::Str(name.into()), Type::STRING))
        } else if registry().is_subclass(id, class::LIST) {
            match name.parse() {
                Ok(n) => Some(Val::constant(Constant::Int(n), Type::INT)),
                Err(_) => {
                    let cause = Some(("number_format_exception", format!("For input string: \"{name}\"")));
                    return Err(Compile { cause, ..Compile::illegal(at, format!("invalid list index [{name}]")) });
                }
            }
        } else {
            None
        };
        let Some(index) = index else {
            return Err(Compile::illegal(at, format!("field [{}, {name}] not found", class.name())));
        };
        let index = self.load(&index);
        let to = self.temp();
        self.receives(source, class);
        self.emit(Op::GetIndex { to, object, index });
        Ok(self.fresh(to, Type::DEF))
    }

    pub(super) fn index(&mut self, at: u32, object: &Expr, index: &Expr) -> Result<Val> {
        if let ExprKind::Str(field) = &index.kind
            && self.is_doc(object)
        {
            let value = self.doc_field(index.at, field);
            self.f.place = at;
            return Ok(value);
        }
        if let Some(id) = self.static_class(object) {
            return Err(self.type_as_value(object.at, id));
        }
        let mark = self.f.next;
        let value = self.prefix(object.at, object, None)?;
        let object_class = value.class;
        let source = self.source(&value);
        let value = if index.assigns { self.copied(value) } else { value };
        let object = self.load(&value);
        let before = self.f.place;
        let (index, element, given) = match object_class.is_def() {
            true => {
                let (index, given) = self.dynamic_index(index)?;
                (index, Type::DEF, Some(given))
            }
            false => {
                // The place is noted before the index, whose cast notes another.
                self.f.place = at;
                let (index, element) = self.index_value(at, object_class, index)?;
                (index, element, None)
            }
        };
        if given.is_some() && matches!(index.place, super::Place::Constant(_)) {
            // What is known before it runs is not a place where the script could be.
            self.f.place = before;
        }
        let index = self.load(&index);
        let noted = self.f.place;
        if given.is_some() {
            self.f.place = at;
        }
        let to = self.temp();
        if given.is_none() {
            self.receives(source, object_class);
        }
        self.emit(Op::GetIndex { to, object, index });
        if let Some(given) = given {
            let op = self.f.function.ops.len() - 1;
            self.f.item = Some(op);
            self.f.function.indexes.push((op as u32, given, noted));
        }
        if given.is_none() {
            // Behind it the place of the whole is noted once more.
            self.f.place = at;
        }
        let result = self.fresh(to, element);
        Ok(self.lowered(result, mark))
    }

    fn copied(&mut self, value: Val) -> Val {
        let to = self.temp();
        self.store(&value, to);
        self.settled(to, value.class)
    }

    fn is_doc(&self, expr: &Expr) -> bool {
        let context = self.program.context;
        matches!(&expr.kind, ExprKind::Name(name) if name == "doc")
            && self.f.is_main
            && !self.f.is_other_doc
            && context.variables.iter().any(|(name, kind)| *name == "doc" && *kind == super::super::context::Kind::Map)
    }

    fn doc_field(&mut self, at: u32, name: &str) -> Val {
        self.f.place = at;
        let field = self.field_index(at, name);
        let to = self.temp();
        self.emit(Op::DocField { field, to });
        self.fresh(to, Type::DEF)
    }

    /// `doc.field`, `doc['field'].value` and `doc.field.value`: fields that are known when compiling.
    fn document(&mut self, at: u32, object: &Expr, name: &str) -> Option<Val> {
        if self.is_doc(object) && registry().getter(class::MAP, name).is_none() {
            return Some(self.doc_field(at, name));
        }
        if name != "value" {
            return None;
        }
        let place = at;
        let (at, field) = match &object.kind {
            ExprKind::Index(doc, index) if self.is_doc(doc) => match &index.kind {
                ExprKind::Str(field) => (index.at, field),
                _ => return None,
            },
            ExprKind::Member(doc, field, false) if self.is_doc(doc) => (object.at, field),
            _ => return None,
        };
        let field = self.field_index(at, field);
        let to = self.temp();
        self.f.place = place;
        self.emit(Op::DocValue { field, to });
        Some(self.fresh(to, Type::DEF))
    }

    pub(super) fn call(
        &mut self,
        at: u32,
        object: &Expr,
        name: &str,
        arguments: &[Expr],
        null_safe: bool,
    ) -> Result<Val> {
        if let Some(id) = self.static_class(object) {
            let Some(method) = registry().static_method(id, name, arguments.len()) else {
                let (class, arity) = (registry().class(id).name, arguments.len());
                return Err(Compile::illegal(at, format!("static method [{class}, {name}/{arity}] not found")));
            };
            self.f.place = at;
            let args = self.arguments(method.params.iter().copied(), arguments)?;
            self.f.next = usize::from(args);
            return self.native(method, args, arguments.len() as u8);
        }
        let mark = self.f.next;
        let value = self.prefix(at, object, None)?;
        self.f.place = if arguments.is_empty() { self.place_behind(object, at) } else { at };
        let assigns = arguments.iter().any(|a| a.assigns);
        let value = if assigns { self.copied(value) } else { value };
        let result = self.guarded(at, value, null_safe, mark, |c, value| c.call_on(at, value, name, arguments))?;
        if arguments.is_empty() {
            self.f.place = at;
        }
        Ok(result)
    }

    fn call_on(&mut self, at: u32, value: Val, name: &str, arguments: &[Expr]) -> Result<Val> {
        let class = value.class;
        if class.is_def() {
            let args = self.temp();
            self.store(&value, args);
            let (rest, given) = self.dynamic_arguments(at, name, arguments)?;
            debug_assert!(arguments.is_empty() || rest == args + 1, "arguments stand behind the object");
            self.f.next = usize::from(args);
            let to = self.temp();
            let site = self.site(name, arguments.len());
            self.program.sites[usize::from(site)].given = given;
            self.emit(Op::Invoke { site, args, count: arguments.len() as u8 + 1, to });
            return Ok(self.fresh(to, Type::DEF));
        }
        // Primitives have the methods of their classes.
        let known = match class.dims {
            0 => registry().method(class.class_id(), name, arguments.len()),
            // An array that is known to be one has no methods at all.
            _ => None,
        };
        let Some(method) = known.filter(|_| self.program.context.allows(name)) else {
            let (class, arity) = (class.name(), arguments.len());
            return Err(Compile::illegal(at, format!("member method [{class}, {name}/{arity}] not found")));
        };
        let source = self.source(&value);
        let args = self.temp();
        self.store(&value, args);
        self.arguments(method.params.iter().copied(), arguments)?;
        self.f.next = usize::from(args);
        self.receives(source, class);
        self.native(method, args, arguments.len() as u8 + 1)
    }

    /// Arguments in registers in a row, as values of the parameters' types.
    pub(super) fn arguments(&mut self, params: impl Iterator<Item = Type>, arguments: &[Expr]) -> Result<Reg> {
        let first = self.temps(arguments.len());
        let top = self.f.next;
        for (i, (param, argument)) in params.zip(arguments).enumerate() {
            let value = match &argument.kind {
                ExprKind::Lambda(params, body) => {
                    self.f.place = argument.at;
                    self.lambda(argument.at, params, body, param)?
                }
                ExprKind::FunctionRef(class, name) => {
                    self.f.place = argument.at;
                    self.function_ref(argument.at, class.as_ref(), name, param)?
                }
                _ => self.expr_to(argument, param, true)?,
            };
            self.store(&value, first + i as Reg);
            self.f.next = top;
        }
        Ok(first)
    }

    /// Arguments of what is called by its name alone: to the reference they stay of the types that they are, so no place is noted.
    fn dynamic_arguments(&mut self, at: u32, name: &str, arguments: &[Expr]) -> Result<(Reg, Option<Vec<Type>>)> {
        let mut given = Some(vec![]);
        let first = self.temps(arguments.len());
        let top = self.f.next;
        for (i, argument) in arguments.iter().enumerate() {
            let value = match &argument.kind {
                ExprKind::Lambda(params, body) => {
                    self.f.place = argument.at;
                    given = None;
                    self.lambda(argument.at, params, body, Type::DEF)?
                }
                ExprKind::FunctionRef(class, name) => {
                    self.f.place = argument.at;
                    given = None;
                    self.function_ref(argument.at, class.as_ref(), name, Type::DEF)?
                }
                _ => {
                    let value = self.alternatives(argument, true)?;
                    if value.class == Type::VOID {
                        let what = format!("Argument(s) cannot be of [void] type when calling method [{name}].");
                        return Err(Compile::illegal(at, what));
                    }
                    given
                        .iter_mut()
                        .for_each(|given| given.push(if value.is_null() { Type::DEF } else { value.class }));
                    let place = self.f.place;
                    let converted = self.convert(value, Type::DEF, false, true, argument.at)?;
                    self.f.place = place;
                    converted
                }
            };
            self.store(&value, first + i as Reg);
            self.f.next = top;
        }
        Ok((first, given))
    }

    pub(super) fn native(&mut self, method: &'static Method, args: Reg, count: u8) -> Result<Val> {
        let class = method.returns;
        let method = self.method_index(method);
        let to = if count == 0 { self.temp() } else { args };
        if count > 0 {
            self.f.next = self.f.next.max(usize::from(args) + 1);
            let registers = self.f.function.registers.max(args + 1);
            self.f.function.registers = registers;
        }
        self.emit(Op::Native { method, args, count, to });
        Ok(self.fresh(to, class))
    }

    pub(super) fn local_call(&mut self, at: u32, name: &str, arguments: &[Expr]) -> Result<Val> {
        let known = self.signatures.iter().position(|(n, p, _)| n == name && p.len() == arguments.len());
        if let Some(function) = known {
            let (_, params, returns) = self.signatures[function].clone();
            let args = self.arguments(params.into_iter(), arguments)?;
            self.f.next = usize::from(args);
            let to = self.temp();
            self.emit(Op::Call { function: function as u16 + 1, args, to });
            return Ok(self.fresh(to, returns));
        }
        let alone = functions_of(self.program.context.name);
        if let Some(method) = alone.and_then(|class| registry().static_method(class, name, arguments.len())) {
            let args = self.arguments(method.params.iter().copied(), arguments)?;
            self.f.next = usize::from(args);
            return self.native(method, args, arguments.len() as u8);
        }
        let shown: Vec<&str> = arguments.iter().map(|a| node_name(&a.kind)).collect();
        Err(Compile::illegal(at, format!("Unknown call [{name}] with [[{}]] arguments.", shown.join(", "))))
    }
}

/// What the reference calls the kind of an expression.
fn node_name(kind: &ExprKind) -> &'static str {
    match kind {
        ExprKind::Number(..) => "ENumeric",
        ExprKind::Decimal(_) => "EDecimal",
        ExprKind::Str(_) => "EString",
        ExprKind::Name(_) => "ESymbol",
        ExprKind::Call(..) => "ECall",
        ExprKind::LocalCall(..) => "ECallLocal",
        ExprKind::Member(..) => "EDot",
        ExprKind::Index(..) => "EBrace",
        ExprKind::Binary(..) => "EBinary",
        ExprKind::Assign(..) => "EAssignment",
        _ => "AExpression",
    }
}

/// Whether a type is a class whose values lambdas can be.
pub(super) fn functional(class: Type) -> Option<(ClassId, &'static Method)> {
    match class {
        Type { base: Base::Class(id), dims: 0 } => Some((id, registry().class(id).functional?)),
        _ => None,
    }
}
