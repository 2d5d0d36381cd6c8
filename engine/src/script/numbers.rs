//! Scripts over numbers that the caller has already: those of pipeline aggregations.

use super::value::{Array, Data, Key, MapKind, Value};
use super::vm::arith::as_double;
use super::{Context, Limits, Script, Vm, context};
use crate::error::{Error, Result};
use crate::json::{Map, Value as Json};

/// Parameters of a script with more numbers beside them, each under its name; those win. What is not there is null.
fn with_numbers(script: &Script, numbers: &[(&str, Option<f64>)]) -> Json {
    let mut params = match &script.params {
        Json::Object(map) => map.clone(),
        _ => Map::new(),
    };
    for (name, number) in numbers {
        params.insert(*name, number.map_or(Json::Null, Json::Float));
    }
    Json::Object(params)
}

fn execute(script: &Script, context: &'static Context, numbers: &[(&str, Option<f64>)]) -> Result<(Vm, Value)> {
    let (program, params) = (script.program(context)?, with_numbers(script, numbers));
    super::expression::check_numbers(&program, &params)?;
    let mut vm = Vm::new(program, &params, Limits::default())?;
    let variables = [vm.params()];
    match vm.execute(&variables) {
        Ok(value) => Ok((vm, value)),
        Err(failed) => Err(vm.to_error(&failed)),
    }
}

/// What `bucket_script` gives for the numbers of a bucket; none for null.
pub fn number_of(script: &Script, numbers: &[(&str, Option<f64>)]) -> Result<Option<f64>> {
    let (_vm, value) = execute(script, &context::BUCKET_AGGREGATION, numbers)?;
    if value.is_null() {
        return Ok(None);
    }
    let number = as_double(&value);
    number.map(Some).ok_or_else(|| Error::illegal_argument(format!("[{}] is no number", super::lib::plain(&value))))
}

/// Whether `bucket_selector` keeps a bucket with these numbers.
pub fn keeps(script: &Script, numbers: &[(&str, Option<f64>)]) -> Result<bool> {
    let (_vm, value) = execute(script, &context::AGGREGATION_SELECTOR, numbers)?;
    Ok(matches!(value, Value::Bool(true)))
}

/// A `moving_fn` script, called with one window after the other.
pub struct Windows(Vm);

impl Windows {
    pub fn new(script: &Script) -> Result<Self> {
        Ok(Self(script.vm(&context::MOVING_FUNCTION, Limits::default(), 0)?))
    }

    pub fn number(&mut self, window: &[f64]) -> Result<f64> {
        let vm = &mut self.0;
        let result = vm.alloc(Data::Array(Array::Double(window.to_vec()).into())).and_then(|values| {
            let variables = [vm.params(), values];
            vm.execute(&variables)
        });
        let result = match result {
            Ok(value) => Ok(as_double(&value).unwrap_or(f64::NAN)),
            Err(failed) => Err(vm.to_error(&failed)),
        };
        vm.reset();
        result
    }
}

/// A script that tells how significant a value is, called with one value after the other.
pub struct Significance {
    /// What the script puts into its parameters is there in the next call.
    vm: Vm,
}

impl Significance {
    pub fn new(script: &Script) -> Result<Self> {
        let vm = script.vm(&context::SCRIPT_HEURISTIC, Limits::default(), 0)?;
        if let Some(Data::Map(map)) = vm.params().data() {
            map.borrow_mut().kind = MapKind::Hash;
        }
        Ok(Self { vm })
    }

    /// What the script makes of these numbers, which it finds among its parameters.
    pub fn score(&mut self, numbers: [(&str, u64); 4]) -> Result<f64> {
        let vm = &mut self.vm;
        let counters = numbers
            .iter()
            .map(|(name, number)| Ok((Key(Value::text(*name)), vm.alloc(Data::Counter(*number as i64))?)));
        let result = counters.collect::<std::result::Result<Vec<_>, _>>().and_then(|counters| {
            if let Some(Data::Map(map)) = vm.params().data() {
                map.borrow_mut().entries.extend(counters);
            }
            let variables = [vm.params()];
            vm.execute(&variables)
        });
        let result = match result {
            Ok(value) => Ok(as_double(&value).unwrap_or(f64::NAN)),
            Err(failed) => Err(vm.to_error(&failed)),
        };
        vm.reset();
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(source: &str) -> Script {
        Script::new(source, "painless", crate::json::parse(br#"{"by": 2}"#).unwrap())
    }

    #[test]
    fn numbers_are_parameters() {
        assert_eq!(number_of(&script("params.a * params.by"), &[("a", Some(3.0))]).unwrap(), Some(6.0));
        assert_eq!(number_of(&script("return null"), &[]).unwrap(), None);
        assert!(keeps(&script("params.a > 1"), &[("a", Some(3.0))]).unwrap());
        assert!(!keeps(&script("params.a > 1"), &[("a", Some(f64::NAN))]).unwrap());
        assert!(keeps(&script("params.a == null"), &[("a", None)]).unwrap());
    }

    #[test]
    fn parameters_keep_what_scripts_put_there() {
        let mut windows = Windows::new(&script("params.by += 1; params.l = [params.by]; return params.l[0]")).unwrap();
        assert_eq!([(); 3].map(|()| windows.number(&[]).unwrap()), [3.0, 4.0, 5.0]);
        let mut grown = Windows::new(&script("if (params.s == null) params.s = ['x']; params.s.add(params.s[0] + params.s[params.s.size() - 1]); return params.s.size()")).unwrap();
        let sizes: Vec<_> = (0..100_000).map(|_| grown.number(&[])).take_while(Result::is_ok).collect();
        assert!(sizes.len() > 1000 && sizes.len() < 100_000, "{}", sizes.len());
    }

    #[test]
    fn counters_are_numbers_to_operators_alone() {
        let score = |source: &str| {
            let counts = [("_subset_freq", 5), ("_subset_size", 14), ("_superset_freq", 8), ("_superset_size", 40)];
            Significance::new(&script(source))?.score(counts)
        };
        let told = [
            ("params._subset_freq * params.by + 0.5", 10.5),
            ("params._subset_size / params._subset_freq", 2.0),
            ("params._superset_freq.doubleValue() / params._superset_size.intValue()", 0.2),
            ("params._subset_freq == 5 && params._subset_freq > 4.5 ? 1.0 : 0.0", 1.0),
            ("params._subset_freq.equals(5) ? 1.0 : 0.0", 0.0),
            ("params.by = params._subset_freq; return params.by + 1.0", 6.0),
            ("(params._subset_size + 'a').length()", 3.0),
        ];
        for (source, expected) in told {
            assert_eq!(score(source).unwrap(), expected, "{source}");
        }
        let refused =
            ["params._subset_freq", "(double)params._subset_freq", "params._subset_freq << 1", "-params._subset_freq"];
        for source in refused {
            let error = score(source).unwrap_err();
            assert!(format!("{error:?}").contains("LongAccessor]"), "{source}: {error:?}");
        }
    }

    #[test]
    fn windows_are_arrays() {
        let mut windows = Windows::new(&script("MovingFunctions.sum(values) + params.by")).unwrap();
        assert_eq!(windows.number(&[1.0, 2.0]).unwrap(), 5.0);
        assert_eq!(windows.number(&[]).unwrap(), 2.0);
    }
}
