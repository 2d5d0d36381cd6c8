//! `BigDecimal`, `MathContext` and `RoundingMode`.

use super::super::big::Big;
use super::super::class::{ClassRow, Row, registry};
use super::super::decimal::{Decimal, MathContext, Rounding};
use super::super::error::{Failed, Outcome, illegal, throw, thrown};
use super::super::types::Type;
use super::super::value::{Array, Data, Value};
use super::super::vm::Vm;
use super::args::{double, int, text, unexpected};
use super::collection::natural;

fn decimal(value: &Value) -> Result<&Decimal, Failed> {
    match value.data() {
        Some(Data::BigDecimal(decimal)) => Ok(decimal),
        _ => Err(unexpected(value)),
    }
}

fn context(value: &Value) -> Result<MathContext, Failed> {
    match value.data() {
        Some(Data::MathContext(context)) => Ok(*context),
        _ => Err(unexpected(value)),
    }
}

pub(super) fn rounding(value: &Value) -> Result<Rounding, Failed> {
    match value.data() {
        Some(Data::Constant(_, _, ordinal)) => Rounding::at(*ordinal).ok_or_else(|| unexpected(value)),
        _ => Err(unexpected(value)),
    }
}

pub(super) fn rounding_mode(vm: &mut Vm, rounding: Rounding) -> Outcome {
    let class = registry().find("RoundingMode").expect("the row is below");
    vm.alloc(Data::Constant(class, Rounding::NAMES[rounding as usize], rounding as i32))
}

/// Makes a decimal a value, and counts what it took.
fn new(vm: &mut Vm, decimal: Decimal) -> Outcome {
    let limbs = decimal.unscaled.size();
    vm.work(limbs * limbs / 16 + 1)?;
    vm.grow(limbs * 4 + 32)?;
    vm.alloc(Data::BigDecimal(decimal.into()))
}

fn rounded(vm: &mut Vm, exact: Decimal, a: &[Value], at: usize) -> Outcome {
    let decimal = exact.round(context(&a[at])?)?;
    new(vm, decimal)
}

fn parsed(vm: &mut Vm, value: &Value) -> Result<Decimal, Failed> {
    let text = text(value)?;
    vm.work(text.len())?;
    Decimal::parse(&text).unwrap_or_else(|| {
        let wrong = text.chars().find(|c| !c.is_ascii_digit() && !matches!(c, '.' | '-' | '+' | 'e' | 'E'));
        Err(match wrong {
            Some(c) => throw(
                "NumberFormatException",
                format!("Character {c} is neither a decimal digit number, decimal point, nor \"e\" notation exponential mark."),
            ),
            None => thrown("NumberFormatException", None),
        })
    })
}

/// The exact whole number in a range.
fn exact(value: &Value, least: i64, most: i64) -> Result<i64, Failed> {
    let whole = decimal(value)?.to_whole(Rounding::Unnecessary)?;
    let fits = whole.to_i128().and_then(|whole| i64::try_from(whole).ok()).filter(|v| (least..=most).contains(v));
    fits.ok_or_else(|| throw("ArithmeticException", "Overflow"))
}

fn both(vm: &mut Vm, quotient: Decimal, rest: Decimal) -> Outcome {
    let items = vec![new(vm, quotient)?, new(vm, rest)?];
    let class = Type::class(registry().find("BigDecimal").expect("the row is below"));
    vm.grow(32)?;
    vm.alloc(Data::Array(Array::Objects(class, items).into()))
}

const BIG_DECIMAL: &[Row] = &[
    Row("new(String)", |vm, a| {
        let decimal = parsed(vm, &a[0])?;
        new(vm, decimal)
    }),
    Row("new(String,MathContext)", |vm, a| {
        let decimal = parsed(vm, &a[0])?;
        rounded(vm, decimal, a, 1)
    }),
    Row("static BigDecimal valueOf(double)", |vm, a| match Decimal::of_double(double(&a[0])?) {
        Some(decimal) => new(vm, decimal),
        None => Err(throw("NumberFormatException", "Infinite or NaN")),
    }),
    Row("static BigDecimal ZERO", |vm, _| new(vm, Decimal::whole(0))),
    Row("static BigDecimal ONE", |vm, _| new(vm, Decimal::whole(1))),
    Row("static BigDecimal TEN", |vm, _| new(vm, Decimal::whole(10))),
    Row("BigDecimal abs()", |vm, a| {
        let number = decimal(&a[0])?;
        new(vm, Decimal::new(number.unscaled.abs(), number.scale))
    }),
    Row("BigDecimal abs(MathContext)", |vm, a| {
        let number = decimal(&a[0])?;
        rounded(vm, Decimal::new(number.unscaled.abs(), number.scale), a, 1)
    }),
    Row("BigDecimal add(BigDecimal)", |vm, a| {
        let sum = decimal(&a[0])?.add(decimal(&a[1])?)?;
        new(vm, sum)
    }),
    Row("BigDecimal add(BigDecimal,MathContext)", |vm, a| {
        let sum = decimal(&a[0])?.add(decimal(&a[1])?)?;
        rounded(vm, sum, a, 2)
    }),
    Row("BigDecimal subtract(BigDecimal)", |vm, a| {
        let difference = decimal(&a[0])?.add(&decimal(&a[1])?.negated())?;
        new(vm, difference)
    }),
    Row("BigDecimal subtract(BigDecimal,MathContext)", |vm, a| {
        let difference = decimal(&a[0])?.add(&decimal(&a[1])?.negated())?;
        rounded(vm, difference, a, 2)
    }),
    Row("BigDecimal multiply(BigDecimal)", |vm, a| {
        let product = decimal(&a[0])?.mul(decimal(&a[1])?)?;
        new(vm, product)
    }),
    Row("BigDecimal multiply(BigDecimal,MathContext)", |vm, a| {
        let product = decimal(&a[0])?.mul(decimal(&a[1])?)?;
        rounded(vm, product, a, 2)
    }),
    Row("BigDecimal divide(BigDecimal)", |vm, a| {
        let quotient = decimal(&a[0])?.divide_exactly(decimal(&a[1])?)?;
        new(vm, quotient)
    }),
    Row("BigDecimal divide(BigDecimal,MathContext)", |vm, a| {
        let quotient = decimal(&a[0])?.divide(decimal(&a[1])?, context(&a[2])?)?;
        new(vm, quotient)
    }),
    Row("BigDecimal divideToIntegralValue(BigDecimal)", |vm, a| {
        let quotient = decimal(&a[0])?.divide_to_whole(decimal(&a[1])?)?;
        new(vm, quotient)
    }),
    Row("BigDecimal divideToIntegralValue(BigDecimal,MathContext)", |vm, a| {
        let quotient = decimal(&a[0])?.divide_to_whole_within(decimal(&a[1])?, context(&a[2])?)?;
        new(vm, quotient)
    }),
    Row("BigDecimal remainder(BigDecimal)", |vm, a| {
        let rest = decimal(&a[0])?.remainder(decimal(&a[1])?)?;
        new(vm, rest)
    }),
    Row("BigDecimal remainder(BigDecimal,MathContext)", |vm, a| {
        let quotient = decimal(&a[0])?.divide_to_whole_within(decimal(&a[1])?, context(&a[2])?)?;
        let rest = rest_of(&a[0], &quotient, &a[1])?;
        new(vm, rest)
    }),
    Row("BigDecimal[] divideAndRemainder(BigDecimal)", |vm, a| {
        let (number, by) = (decimal(&a[0])?, decimal(&a[1])?);
        let (quotient, rest) = (number.divide_to_whole(by)?, number.remainder(by)?);
        both(vm, quotient, rest)
    }),
    Row("BigDecimal[] divideAndRemainder(BigDecimal,MathContext)", |vm, a| {
        let quotient = decimal(&a[0])?.divide_to_whole_within(decimal(&a[1])?, context(&a[2])?)?;
        let rest = rest_of(&a[0], &quotient, &a[1])?;
        both(vm, quotient, rest)
    }),
    Row("BigDecimal negate()", |vm, a| new(vm, decimal(&a[0])?.negated())),
    Row("BigDecimal negate(MathContext)", |vm, a| rounded(vm, decimal(&a[0])?.negated(), a, 1)),
    Row("BigDecimal plus()", |_, a| Ok(a[0].clone())),
    Row("BigDecimal plus(MathContext)", |vm, a| rounded(vm, decimal(&a[0])?.clone(), a, 1)),
    Row("BigDecimal round(MathContext)", |vm, a| rounded(vm, decimal(&a[0])?.clone(), a, 1)),
    Row("BigDecimal pow(int)", |vm, a| {
        let power = decimal(&a[0])?.pow(int(&a[1])?)?;
        new(vm, power)
    }),
    Row("BigDecimal pow(int,MathContext)", |vm, a| {
        vm.work(2_000)?;
        let power = decimal(&a[0])?.pow_rounded(int(&a[1])?, context(&a[2])?)?;
        new(vm, power)
    }),
    Row("BigDecimal max(BigDecimal)", |_, a| {
        Ok(a[usize::from(decimal(&a[0])?.compare(decimal(&a[1])?)?.is_lt())].clone())
    }),
    Row("BigDecimal min(BigDecimal)", |_, a| {
        Ok(a[usize::from(decimal(&a[0])?.compare(decimal(&a[1])?)?.is_gt())].clone())
    }),
    Row("BigDecimal movePointLeft(int)", |vm, a| {
        let moved = decimal(&a[0])?.with_point_moved(i64::from(int(&a[1])?))?;
        new(vm, moved)
    }),
    Row("BigDecimal movePointRight(int)", |vm, a| {
        let moved = decimal(&a[0])?.with_point_moved(-i64::from(int(&a[1])?))?;
        new(vm, moved)
    }),
    Row("BigDecimal scaleByPowerOfTen(int)", |vm, a| {
        let (number, by) = (decimal(&a[0])?, int(&a[1])?);
        let scale = number.scale.checked_sub(by).ok_or_else(|| throw("ArithmeticException", "Overflow"))?;
        new(vm, Decimal::new(number.unscaled.clone(), scale))
    }),
    Row("BigDecimal setScale(int)", |vm, a| {
        let scaled = decimal(&a[0])?.with_scale(i64::from(int(&a[1])?), Rounding::Unnecessary)?;
        new(vm, scaled)
    }),
    Row("BigDecimal setScale(int,RoundingMode)", |vm, a| {
        let scaled = decimal(&a[0])?.with_scale(i64::from(int(&a[1])?), rounding(&a[2])?)?;
        new(vm, scaled)
    }),
    Row("BigDecimal stripTrailingZeros()", |vm, a| match decimal(&a[0])? {
        number if number.signum() == 0 => new(vm, Decimal::whole(0)),
        number => {
            let stripped = number.stripped(i64::from(i32::MIN))?;
            new(vm, stripped)
        }
    }),
    Row("BigDecimal ulp()", |vm, a| new(vm, Decimal::new(Big::from(1), decimal(&a[0])?.scale))),
    Row("int precision()", |_, a| Ok(Value::Int(decimal(&a[0])?.precision() as i32))),
    Row("int scale()", |_, a| Ok(Value::Int(decimal(&a[0])?.scale))),
    Row("int signum()", |_, a| Ok(Value::Int(decimal(&a[0])?.signum()))),
    Row("int compareTo(BigDecimal)", |_, a| natural(&a[0], &a[1]).map(Value::Int)),
    Row("byte byteValueExact()", |_, a| Ok(Value::Byte(exact(&a[0], i64::from(i8::MIN), i64::from(i8::MAX))? as i8))),
    Row("short shortValueExact()", |_, a| {
        Ok(Value::Short(exact(&a[0], i64::from(i16::MIN), i64::from(i16::MAX))? as i16))
    }),
    Row("int intValueExact()", |_, a| Ok(Value::Int(exact(&a[0], i64::from(i32::MIN), i64::from(i32::MAX))? as i32))),
    Row("long longValueExact()", |_, a| Ok(Value::Long(exact(&a[0], i64::MIN, i64::MAX)?))),
    Row("BigInteger toBigInteger()", |vm, a| super::big_integer::new(vm, decimal(&a[0])?.to_whole(Rounding::Down)?)),
    Row("BigInteger toBigIntegerExact()", |vm, a| {
        super::big_integer::new(vm, decimal(&a[0])?.to_whole(Rounding::Unnecessary)?)
    }),
    Row("String toEngineeringString()", |vm, a| vm.string(decimal(&a[0])?.text(true))),
    Row("String toPlainString()", |vm, a| {
        let shown = decimal(&a[0])?.plain()?;
        vm.string(shown)
    }),
];

/// The whole part of a quotient, which has to have no more digits than a context lets it.
/// What is left of a number when a whole quotient is taken away.
fn rest_of(a: &Value, quotient: &Decimal, b: &Value) -> Result<Decimal, Failed> {
    decimal(a)?.add(&quotient.mul(decimal(b)?)?.negated())
}

fn new_context(vm: &mut Vm, digits: i32, rounding: Rounding) -> Outcome {
    let Ok(digits) = u32::try_from(digits) else { return Err(illegal("Digits < 0")) };
    vm.alloc(Data::MathContext(MathContext { digits, rounding }))
}

const MATH_CONTEXT: &[Row] = &[
    Row("new(int)", |vm, a| new_context(vm, int(&a[0])?, Rounding::HalfUp)),
    Row("new(int,RoundingMode)", |vm, a| new_context(vm, int(&a[0])?, rounding(&a[1])?)),
    Row("int getPrecision()", |_, a| Ok(Value::Int(context(&a[0])?.digits as i32))),
    Row("RoundingMode getRoundingMode()", |vm, a| rounding_mode(vm, context(&a[0])?.rounding)),
    Row("static MathContext DECIMAL32", |vm, _| new_context(vm, 7, Rounding::HalfEven)),
    Row("static MathContext DECIMAL64", |vm, _| new_context(vm, 16, Rounding::HalfEven)),
    Row("static MathContext DECIMAL128", |vm, _| new_context(vm, 34, Rounding::HalfEven)),
    Row("static MathContext UNLIMITED", |vm, _| new_context(vm, 0, Rounding::HalfUp)),
];

const ROUNDING_MODE: &[Row] = &[
    Row("static RoundingMode UP", |vm, _| rounding_mode(vm, Rounding::Up)),
    Row("static RoundingMode DOWN", |vm, _| rounding_mode(vm, Rounding::Down)),
    Row("static RoundingMode CEILING", |vm, _| rounding_mode(vm, Rounding::Ceiling)),
    Row("static RoundingMode FLOOR", |vm, _| rounding_mode(vm, Rounding::Floor)),
    Row("static RoundingMode HALF_UP", |vm, _| rounding_mode(vm, Rounding::HalfUp)),
    Row("static RoundingMode HALF_DOWN", |vm, _| rounding_mode(vm, Rounding::HalfDown)),
    Row("static RoundingMode HALF_EVEN", |vm, _| rounding_mode(vm, Rounding::HalfEven)),
    Row("static RoundingMode UNNECESSARY", |vm, _| rounding_mode(vm, Rounding::Unnecessary)),
    Row("static RoundingMode valueOf(String)", |vm, a| {
        let name = text(&a[0])?;
        match Rounding::NAMES.iter().position(|known| *known == name).and_then(|at| Rounding::at(at as i32)) {
            Some(rounding) => rounding_mode(vm, rounding),
            None => Err(illegal(format!("No enum constant java.math.RoundingMode.{name}"))),
        }
    }),
    Row("static RoundingMode[] values()", |vm, _| {
        let all = (0..).map_while(Rounding::at).collect::<Vec<_>>();
        let items = all.into_iter().map(|rounding| rounding_mode(vm, rounding)).collect::<Result<Vec<_>, _>>()?;
        let class = Type::class(registry().find("RoundingMode").expect("the row is below"));
        vm.alloc(Data::Array(Array::Objects(class, items).into()))
    }),
];

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new("java.math.RoundingMode", &["Enum"], ROUNDING_MODE),
    ClassRow::new("java.math.MathContext", &[], MATH_CONTEXT),
    ClassRow::new("java.math.BigDecimal", &["Number", "Comparable"], BIG_DECIMAL),
];
