//! The loop over instructions.

use super::super::class::registry;
use super::super::error::{Failed, Outcome, throw, thrown};
use super::super::lib::{charge_walks, told_of_null};
use super::super::op::{Link, Op, Program, Receiver, Reg};
use super::super::value::{Array, Closure, Data, Value};
use super::{Vm, arith, cast};
use smallvec::SmallVec;

type Done = Result<(), Failed>;

/// Why a frame stopped.
enum Exit {
    Return(Value),
    Call(u16, Reg, Reg),
}

impl Vm {
    /// Runs until the frames are down to `floor` again, and gives what the last of them returned.
    pub(super) fn run(&mut self, program: &Program, floor: usize) -> Outcome {
        loop {
            match self.run_frame(program) {
                Ok(Exit::Return(value)) => {
                    let frame = self.frames.pop().expect("the frame that returned");
                    if self.frames.len() == floor {
                        return Ok(value);
                    }
                    self.registers.truncate(frame.base);
                    let caller = self.frames.last().expect("above the floor");
                    let at = caller.base + usize::from(frame.to);
                    self.registers[at] = value;
                }
                Ok(Exit::Call(function, args, to)) => {
                    if let Err(failed) = self.enter(program, function, args, to) {
                        self.unwind(program, floor, failed)?;
                    }
                }
                Err(failed) => self.unwind(program, floor, failed)?,
            }
        }
    }

    fn enter(&mut self, program: &Program, function: u16, args: Reg, to: Reg) -> Done {
        let callee = &program.functions[usize::from(function)];
        let base = self.registers.len();
        let from = self.frames.last().expect("a caller").base + usize::from(args);
        self.push_frame(function, base, to)?;
        self.registers.resize(base + usize::from(callee.registers).max(callee.params.len()), Value::Null);
        for i in 0..callee.params.len() {
            self.registers[base + i] = std::mem::take(&mut self.registers[from + i]);
        }
        Ok(())
    }

    /// Finds who catches what was thrown. Frames that do not are left.
    fn unwind(&mut self, program: &Program, floor: usize, mut failed: Failed) -> Done {
        while self.frames.len() > floor {
            let frame = self.frames.last_mut().expect("above the floor");
            let function = &program.functions[usize::from(frame.function)];
            let pc = frame.pc.saturating_sub(1);
            if failed.at.is_none() {
                failed.at = function.places.get(pc as usize).copied();
            }
            let catches = |h: &&super::super::op::Handler| {
                (h.start..h.end).contains(&pc) && registry().is_subclass(failed.class, h.class)
            };
            if let Some(handler) = function.handlers.iter().find(catches) {
                frame.pc = handler.target;
                let at = frame.base + usize::from(handler.reg);
                let end = frame.base + usize::from(function.registers).max(function.params.len());
                self.registers.truncate(end);
                let object = match failed.object.take() {
                    Some(object) => object,
                    None => {
                        self.heap.alloc(Data::Throwable(failed.class, failed.message, failed.at, Box::default()))?
                    }
                };
                self.registers[at] = object;
                return Ok(());
            }
            let base = frame.base;
            self.frames.pop();
            self.registers.truncate(base);
        }
        Err(failed)
    }

    fn run_frame(&mut self, program: &Program) -> Result<Exit, Failed> {
        let frame = self.frames.last().expect("something runs");
        let (mut pc, base) = (frame.pc as usize, frame.base);
        let function = &program.functions[usize::from(frame.function)];
        loop {
            let op = &function.ops[pc];
            pc += 1;
            if self.fuel == 0 {
                self.frame().pc = pc as u32;
                self.work(1)?;
            }
            self.fuel -= 1;
            let done = match *op {
                Op::Arith { op, num, to, a, b } => {
                    let result = arith::arith(op, num, self.at(base, a), self.at(base, b));
                    if let Ok(Value::Str(text)) = &result {
                        let bytes = text.as_str().len() + 32;
                        self.grow(bytes).and_then(|()| self.settle(base, to, result))
                    } else {
                        self.settle(base, to, result)
                    }
                }
                Op::Compare { op, num, to, a, b } => {
                    let result = arith::compare(op, num, self.at(base, a), self.at(base, b));
                    charge_walks(self).and_then(|()| self.settle(base, to, result.map(Value::Bool)))
                }
                Op::Const { to, constant } => {
                    let value = self.constants[usize::from(constant)].clone();
                    self.put(base, to, value)
                }
                Op::Move { to, from } => {
                    let value = self.at(base, from).clone();
                    self.put(base, to, value)
                }
                Op::Jump { target } => {
                    pc = target as usize;
                    continue;
                }
                Op::JumpIf { when, reg, target } => {
                    if matches!(self.at(base, reg), Value::Bool(value) if *value == when) {
                        pc = target as usize;
                    }
                    continue;
                }
                Op::JumpIfNull { when, reg, target } => {
                    if self.at(base, reg).is_null() == when {
                        pc = target as usize;
                    }
                    continue;
                }
                Op::Return { from } => return Ok(Exit::Return(self.at(base, from).clone())),
                Op::Call { function, args, to } => {
                    self.frame().pc = pc as u32;
                    return Ok(Exit::Call(function, args, to));
                }
                Op::Next { to, iter, target } => match self.next_of(base, iter) {
                    Ok(Some(value)) => self.put(base, to, value),
                    Ok(None) => {
                        pc = target as usize;
                        continue;
                    }
                    Err(failed) => Err(failed),
                },
                Op::DocValue { field, to } => match self.doc_value(program, field) {
                    Err(failed) => Err(self.refused_at(program, pc, failed)),
                    value => self.settle(base, to, value),
                },
                ref other => {
                    self.frame().pc = pc as u32;
                    self.other(program, base, other).and_then(|()| charge_walks(self))
                }
            };
            if let Err(failed) = done {
                self.frame().pc = pc as u32;
                return Err(self.told_of_operands(op, base, failed));
            }
        }
    }

    /// What goes wrong with operands that are values of a document tells their class.
    #[cold]
    fn told_of_operands(&self, op: &Op, base: usize, failed: Failed) -> Failed {
        let operands: &[Reg] = match op {
            Op::Arith { a, b, .. } | Op::Compare { a, b, .. } => &[*a, *b],
            Op::Negate { from, .. } | Op::BitNot { from, .. } | Op::Plus { from, .. } => &[*from],
            _ => &[],
        };
        operands.iter().fold(failed, |failed, operand| self.told_of_documents(self.at(base, *operand), failed))
    }

    pub(super) fn frame(&mut self) -> &mut super::Frame {
        self.frames.last_mut().expect("something runs")
    }

    #[inline]
    fn at(&self, base: usize, reg: Reg) -> &Value {
        &self.registers[base + usize::from(reg)]
    }

    #[inline]
    fn put(&mut self, base: usize, reg: Reg, value: Value) -> Done {
        self.registers[base + usize::from(reg)] = value;
        Ok(())
    }

    #[inline]
    fn settle(&mut self, base: usize, reg: Reg, value: Outcome) -> Done {
        self.registers[base + usize::from(reg)] = value?;
        Ok(())
    }

    fn take(&mut self, base: usize, from: Reg, count: usize) -> SmallVec<[Value; 6]> {
        let at = base + usize::from(from);
        self.registers[at..at + count].iter_mut().map(std::mem::take).collect()
    }

    /// Instructions that take longer than their dispatch.
    fn other(&mut self, program: &Program, base: usize, op: &Op) -> Done {
        let (to, result) = match *op {
            Op::Native { method, args, count, to } => {
                let method = program.methods[usize::from(method)];
                let args = self.take(base, args, usize::from(count));
                if args.len() > method.params.len() && args[0].is_null() {
                    let said = self.receiver(program).map(|receiver| receiver.no_object(method));
                    return Err(thrown("NullPointerException", said));
                }
                (to, (method.run)(self, &args).map_err(|failed| told_of_null(method, &args, failed)))
            }
            Op::Invoke { site, args, count, to } => {
                let args = self.take(base, args, usize::from(count));
                (to, self.invoke(program, site, args).map_err(|failed| self.refused_before(program, failed)))
            }
            ref access @ (Op::CheckHeld { .. }
            | Op::GetMember { .. }
            | Op::SetMember { .. }
            | Op::GetIndex { .. }
            | Op::SetIndex { .. }) => return self.access(program, base, access),
            Op::Cast { to, from, cast } => {
                let cast = program.casts[usize::from(cast)];
                let value = self.at(base, from);
                let result = cast::cast(value, cast.from, cast.to, cast.explicit);
                // A box has to be of the very class where nothing but the call gives it.
                let linked = cast.link != Link::None;
                let other = |made: &Value| cast.to.unboxed().is_some() && made.class() != value.class();
                match linked && result.as_ref().map_or(true, other) {
                    true if !value.is_null() || cast.to.is_primitive() => {
                        (to, Err(self.given_otherwise(program, cast, value)))
                    }
                    _ => (to, result.map_err(|failed| self.told_of_documents(value, failed))),
                }
            }
            Op::Loop { statements } => return self.count_loop(statements),
            Op::Score { to } => (to, Ok(Value::Double(f64::from(self.score)))),
            Op::Negate { to, from } => (to, arith::negate(self.at(base, from))),
            Op::BitNot { to, from } => (to, arith::bit_not(self.at(base, from))),
            Op::Plus { to, from } => (to, arith::plus(self.at(base, from))),
            Op::CastLike { to, from, like } => (to, cast::like(self.at(base, from), self.at(base, like))),
            Op::Not { to, from } => (to, Ok(Value::Bool(!matches!(self.at(base, from), Value::Bool(true))))),
            Op::Same { negate, to, a, b } => {
                let same = arith::same(self.at(base, a), self.at(base, b));
                (to, Ok(Value::Bool(same != negate)))
            }
            Op::InstanceOf { to, from, class } => {
                let is = cast::is_instance(self.at(base, from), program.types[usize::from(class)]);
                (to, Ok(Value::Bool(is)))
            }
            Op::Concat { to, from, count } => {
                let parts = self.take(base, from, usize::from(count));
                (to, self.concat(&parts))
            }
            Op::Throw { from } => return Err(self.throw_object(program, base, op, from)),
            ref other => return self.make(program, base, other),
        };
        self.settle(base, to, result)
    }

    /// Instructions that read and write members and items.
    fn access(&mut self, program: &Program, base: usize, op: &Op) -> Done {
        let (to, result) = match *op {
            Op::CheckHeld { object } => return super::dynamic::check_held(self.at(base, object)),
            Op::GetMember { site, to, object } => {
                let (object, site) = (self.at(base, object).clone(), &program.sites[usize::from(site)]);
                site.check(&object)?;
                let read = self.get_member(&site.name, &object);
                (to, read.map_err(|failed| self.refused_before(program, failed)))
            }
            Op::SetMember { site, object, value } => {
                let (object, value) = (self.at(base, object).clone(), self.at(base, value).clone());
                let site = &program.sites[usize::from(site)];
                site.check(&object)?;
                return self.set_member(&site.name, &object, value);
            }
            Op::GetIndex { to, object, index } => {
                let (object, index) = (self.at(base, object).clone(), self.at(base, index).clone());
                if object.is_null()
                    && let Some(receiver) = self.receiver(program)
                {
                    return Err(throw("NullPointerException", receiver.no_items(op)));
                }
                let found = self.get_index(&object, &index);
                (to, found.map_err(|failed| self.before_access(program, &object, &index, failed)))
            }
            Op::SetIndex { object, index, value } => {
                let (object, index) = (self.at(base, object).clone(), self.at(base, index).clone());
                let value = self.at(base, value).clone();
                if object.is_null()
                    && let Some(receiver) = self.receiver(program)
                {
                    return Err(throw("NullPointerException", receiver.no_items(op)));
                }
                return self.set_index(&object, &index, value);
            }
            ref other => unreachable!("{other:?} is no access"),
        };
        self.settle(base, to, result)
    }

    /// Instructions that make objects.
    fn make(&mut self, program: &Program, base: usize, op: &Op) -> Done {
        let (to, result) = match *op {
            Op::NewList { from, count, to } => {
                let items = self.take(base, from, usize::from(count)).into_vec();
                (to, self.list(items))
            }
            Op::NewMap { from, count, to } => {
                let items = self.take(base, from, usize::from(count));
                (to, super::super::lib::map_of(self, &items))
            }
            Op::ArrayOf { class, from, count, to } => {
                let items = self.take(base, from, usize::from(count));
                let mut array = Array::of(program.types[usize::from(class)], items.len());
                for (i, item) in items.into_iter().enumerate() {
                    array.set(i, item);
                }
                (to, self.alloc(Data::Array(array.into())))
            }
            Op::NewArray { class, sizes, count, to } => {
                let sizes = self.take(base, sizes, usize::from(count));
                let sizes = sizes.iter().map(|size| if let Value::Int(n) = size { *n } else { 0 }).collect::<Vec<_>>();
                (to, self.new_array(program.types[usize::from(class)], &sizes))
            }
            Op::Closure { closure, from, to } => {
                let spec = &program.closures[usize::from(closure)];
                let captured = self.take(base, from, usize::from(spec.captured)).into_vec();
                let closure = Closure { interface: spec.interface, target: spec.target, captured };
                (to, self.alloc(Data::Closure(closure)))
            }
            Op::Iterate { to, from } => {
                let value = self.at(base, from).clone();
                if value.is_null()
                    && let Some(receiver) = self.receiver(program)
                {
                    return Err(throw("NullPointerException", receiver.no_items(op)));
                }
                (to, super::super::lib::iterator_of(self, &value))
            }
            Op::ArrayLength { to, array } => {
                let length = match self.at(base, array).data() {
                    Some(Data::Array(array)) => Ok(Value::Int(array.borrow().len() as i32)),
                    _ => Err(thrown(
                        "NullPointerException",
                        self.receiver(program).map(|receiver| receiver.no_items(op)),
                    )),
                };
                (to, length)
            }
            Op::DocField { field, to } => {
                let read = self.doc_field(program, field);
                (to, read.map_err(|failed| self.refused_before(program, failed)))
            }
            ref other => unreachable!("{other:?} is handled by the loop"),
        };
        self.settle(base, to, result)
    }

    /// Where the object comes from that the instruction asks something of, if its class is known.
    #[cold]
    fn receiver<'p>(&self, program: &'p Program) -> Option<&'p Receiver> {
        let frame = self.frames.last()?;
        let receivers = &program.functions[usize::from(frame.function)].receivers;
        let op = frame.pc.checked_sub(1)?;
        receivers.binary_search_by_key(&op, |receiver| receiver.op).ok().map(|at| &receivers[at])
    }

    /// Whether something is a list and an index a number is looked at before the access itself: where the script was then.
    #[cold]
    fn before_access(&self, program: &Program, object: &Value, index: &Value, mut failed: Failed) -> Failed {
        let is_list = super::dynamic::has_places(object) || matches!(object.data(), Some(Data::Array(_)));
        let is_index = matches!(index, Value::Int(_) | Value::Byte(_) | Value::Short(_) | Value::Char(_));
        let is_keyed = matches!(object.data(), Some(Data::Map(_) | Data::Doc | Data::Fields));
        let frame = self.frames.last().expect("something runs");
        let indexes = &program.functions[usize::from(frame.function)].indexes;
        let dynamic = |pc: u32| indexes.binary_search_by_key(&pc, |(op, ..)| *op).ok().map(|at| indexes[at].2);
        if !is_keyed
            && (!is_list || !is_index)
            && let Some(place) = frame.pc.checked_sub(1).and_then(dynamic)
        {
            if is_list && let Some(refused) = self.index_not_joined(program, object) {
                failed = refused;
            }
            failed.at = Some(place);
        }
        failed
    }

    fn count_loop(&mut self, statements: u16) -> Done {
        let frame = self.frame();
        match frame.loop_statements.checked_sub(u32::from(statements)) {
            Some(left) => {
                frame.loop_statements = left;
                Ok(())
            }
            None => Err(throw(
                "PainlessError",
                "The maximum number of statements that can be executed in a loop has been reached.",
            )),
        }
    }

    fn next_of(&mut self, base: usize, iter: Reg) -> Result<Option<Value>, Failed> {
        let iter = self.at(base, iter).clone();
        super::super::lib::next_of(&iter)
    }

    fn throw_object(&mut self, program: &Program, base: usize, op: &Op, from: Reg) -> Failed {
        let object = self.at(base, from).clone();
        match object.data() {
            Some(Data::Throwable(class, message, at, _)) => Box::new(super::super::error::Thrown {
                class: *class,
                message: message.clone(),
                at: *at,
                object: Some(object.clone()),
                explained: vec![],
                causes: vec![],
            }),
            _ => thrown("NullPointerException", self.receiver(program).map(|receiver| receiver.no_items(op))),
        }
    }

    fn concat(&mut self, parts: &[Value]) -> Outcome {
        let mut out = String::new();
        for part in parts {
            super::super::lib::write_text(self, part, &mut out)?;
        }
        self.string(out)
    }

    fn new_array(&mut self, class: super::super::types::Type, sizes: &[i32]) -> Outcome {
        let Some((&size, rest)) = sizes.split_first() else { return Ok(Value::Null) };
        let Ok(len) = usize::try_from(size) else {
            return Err(throw("NegativeArraySizeException", size.to_string()));
        };
        self.grow(len.saturating_mul(16))?;
        let mut array = Array::of(class.element(), len);
        if !rest.is_empty() {
            for i in 0..len {
                let inner = self.new_array(class.element(), rest)?;
                array.set(i, inner);
            }
        }
        self.alloc(Data::Array(array.into()))
    }

    /// The object for `doc['field']`, and the slot of its values.
    pub(super) fn doc_slot(&mut self, program: &Program, field: u16) -> Result<u32, Failed> {
        if let Some((slot, _)) = &self.fields[usize::from(field)] {
            return Ok(*slot);
        }
        let (name, at) = &program.fields[usize::from(field)];
        let slot = match &mut self.documents {
            Some(documents) => documents.slot(name),
            None => Err(super::super::error::illegal(format!("No field found for [{name}] in mapping"))),
        };
        // Of an access it is the name that is wrong.
        let slot = slot.map_err(|mut failed| {
            failed.at = Some(*at);
            failed
        })?;
        let object = self.heap_leaf(Data::DocValues(slot));
        self.fields[usize::from(field)] = Some((slot, object));
        Ok(slot)
    }

    fn doc_field(&mut self, program: &Program, field: u16) -> Outcome {
        self.doc_slot(program, field)?;
        Ok(self.fields[usize::from(field)].as_ref().map_or(Value::Null, |(_, object)| object.clone()))
    }

    fn doc_value(&mut self, program: &Program, field: u16) -> Outcome {
        let slot = self.doc_slot(program, field)?;
        super::super::doc::value(self, slot)
    }

    fn heap_leaf(&self, data: Data) -> Value {
        Value::Obj(std::rc::Rc::new(super::super::value::Obj { data, marked: false.into() }))
    }
}
