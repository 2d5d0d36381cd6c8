//! Members that are called by their names alone, and what they take and give; numbers of many digits; the very same text.

use super::{Limits, Vm, compile_painless, context, run};

#[test]
fn what_cannot_be_joined_is_told_by_types() {
    for (source, expected) in [
        (
            "def d = 'abc'; return d.replace('a', (char)'o')",
            "MethodHandle(String,CharSequence,CharSequence)String to (Object,String,char)Object",
        ),
        (
            "def d = 'abc'; String s = 'a'; return d.substring(s)",
            "MethodHandle(String,int)String to (Object,String)Object",
        ),
        ("def d = 'abc'; return d.substring(1L)", "MethodHandle(String,int)String to (Object,long)Object"),
        ("def d = 'abc'; return d.indexOf(1)", "MethodHandle(String,String)int to (Object,int)Object"),
        ("def d = 'abc'; short x = d.length(); return x", "MethodHandle(CharSequence)int to (Object)short"),
        ("def d = 'abc'; Long x = d.length(); return x", "MethodHandle(CharSequence)int to (Object)Long"),
        ("def d = 'abc'; boolean x = d.toString(); return x", "MethodHandle(Object)String to (Object)boolean"),
        ("def d = 'a,b'; return d.splitOnToken(1)", "MethodHandle(String,String)String[] to (Object,int)Object"),
        ("def d = [1, 2]; return d.get('a')", "MethodHandle(List,int)Object to (Object,String)Object"),
        ("def d = [1, 2]; d.add('x', 1); return d", "MethodHandle(List,int,Object)void to (Object,String,int)Object"),
        (
            "def d = new BigInteger('5'); return d.add(1)",
            "MethodHandle(BigInteger,BigInteger)BigInteger to (Object,int)Object",
        ),
    ] {
        let answer = run(source);
        let told = answer.split_once("wrong_method_type_exception: cannot convert ").map(|(_, told)| told);
        assert_eq!(told, Some(expected), "{source}: {answer}");
    }
}

#[test]
fn values_that_do_not_fit_are_told_by_their_classes() {
    let number = "class java.lang.String cannot be cast to class java.lang.Number (java.lang.String and java.lang.Number are in module java.base of loader 'bootstrap')";
    for (source, expected) in [
        ("def d = 'abc'; def s = 'a'; return d.substring(s)", number),
        (
            "def d = ['a': new BigInteger('5')]; return Math.abs(d.a)",
            "Cannot cast java.math.BigInteger to java.lang.Double",
        ),
        (
            "def d = [new BigInteger('5')]; return Math.abs(d[0])",
            "Cannot cast java.math.BigInteger to java.lang.Double",
        ),
        (
            "def d = [new BigInteger('5')]; return Math.abs(d.get(0))",
            "Cannot cast java.math.BigInteger to java.lang.Double",
        ),
        ("def d = 'abc'; List x = d.toString(); return x", "Cannot cast java.lang.String to java.util.List"),
        ("def d = [new double[1]]; Long x = d[0]; return x", "Cannot cast [D to java.lang.Long"),
        ("def d = [1]; Long x = d[0]; return x", "Cannot cast java.lang.Integer to java.lang.Long"),
        ("def d = [true]; int x = d.get(0); return x", "Cannot cast java.lang.Boolean to java.lang.Integer"),
        ("def d = [1]; boolean x = d.get(0); return x", "Cannot cast java.lang.Integer to java.lang.Boolean"),
        ("List l = ['a']; int x = l.get(0); return x", "cannot implicitly cast def [java.lang.String] to int"),
        ("def d = [1, 2]; return d.any('x')", "Cannot cast java.lang.String to java.util.function.Predicate"),
        ("def d = 'abc'; def e = 1; return d.contains(e)", "Cannot cast java.lang.Integer to java.lang.CharSequence"),
        ("def o = 'ab'; return (char)o", "cannot cast java.lang.String with length not equal to one to char"),
    ] {
        let answer = run(source);
        let told = answer.split_once("class_cast_exception: ").map(|(_, told)| told);
        assert_eq!(told, Some(expected), "{source}: {answer}");
    }
}

#[test]
fn nothing_is_no_number() {
    for source in ["def d = [null]; int x = d[0]; return x", "def d = 'abc'; def x = null; return d.substring(x)"] {
        assert!(
            run(source).contains("Cannot invoke \"java.lang.Number.intValue()\" because the return value of"),
            "{source}"
        );
    }
    assert!(run("def d = ['a': null]; boolean x = d.a; return x").contains("Number.intValue()"));
    assert!(run("def d = ['a': null]; double x = d.a; return x").contains("Number.doubleValue()"));
}

#[test]
fn numbers_have_as_many_digits_as_they_need() {
    for (source, expected) in [
        (
            "new BigInteger('123456789012345678901234567890').pow(2)",
            "15241578753238836750495351562536198787501905199875019052100",
        ),
        ("new BigInteger('123456789012345678901234567890').pow(5).bitLength()", "484"),
        (
            "new BigInteger('-123456789012345678901234567890').pow(5).shiftRight(70).toString(16)",
            "-24bf8ef4b52bacdbee7a119d7d9fda080eb91434c83186ab7c8757f549a3ff9370211c6627949f5cd317ab5a94fb1c5a1dd9968a",
        ),
        ("new BigInteger('123456789012345678901234567890').pow(7).doubleValue()", "4.371241899268725E203"),
        ("new BigInteger('123456789012345678901234567890').pow(7).longValue()", "2817248804314385536"),
        ("new BigInteger('123456789012345678901234567890').pow(7).hashCode()", "-1502360653"),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
    for (source, expected) in [
        ("new BigInteger('')", "Zero length BigInteger"),
        ("new BigInteger('+-5')", "Illegal embedded sign character"),
        ("new BigInteger('-')", "Zero length BigInteger"),
    ] {
        assert!(run(source).ends_with(&format!("number_format_exception: {expected}")), "{source}: {}", run(source));
    }
}

#[test]
fn texts_are_the_very_same_where_java_has_them_so() {
    for (source, expected) in [
        ("'' === ''", "true"),
        ("'abc' === 'abc'", "false"),
        ("'a'.trim() === 'a'", "true"),
        ("'a'.substring(0) === 'a'", "true"),
        ("def o = (char)' '; return (String)o", " "),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

/// Operators are joined to what calculates with the numbers that they meet, and give no other.
#[test]
fn what_an_operator_gives_is_of_the_type_that_is_wanted_or_none() {
    for (source, told, joined) in [
        ("def k = 3; [1, 2, 3][k + 2.5]", "double to int", "(double,double)double to (Object,double)int"),
        (
            "def k = 3; Integer i = k + 2L; return i",
            "long to class java.lang.Integer",
            "(long,long)long to (Object,long)Integer",
        ),
        ("def k = 3; List l = k + 2; return l", "int to interface java.util.List", "(int,int)int to (Object,int)List"),
        ("def k = 3L; int i = ~k; return i", "long to int", "(long)long to (Object)int"),
        ("def k = 3L; int i = k << 1; return i", "long to int", "(long,long)long to (Object,int)int"),
        (
            "def k = true; int i = k ^ true; return i",
            "boolean to int",
            "(boolean,boolean)boolean to (Object,boolean)int",
        ),
        ("def k = 3; if (k + 1) { return 1 } return 2", "int to boolean", "(int,int)int to (Object,int)boolean"),
    ] {
        let failed = match compile_painless(source, &context::PAINLESS_TEST) {
            Ok(program) => {
                let params = crate::json::parse(b"{}").unwrap();
                let mut vm = Vm::new(program, &params, Limits::default()).unwrap();
                let variables = [vm.params()];
                vm.execute(&variables).map_err(|failed| vm.to_error(&failed)).map(drop).unwrap_err()
            }
            Err(error) => error,
        };
        let cause = failed.cause().expect("script errors have a cause");
        assert_eq!(cause.reason(), format!("Cannot cast from: {told}"), "{source}");
        let within = cause.cause().map(|within| within.reason().to_owned());
        assert_eq!(within, Some(format!("cannot convert MethodHandle{joined}")), "{source}");
    }
    for (source, expected) in [
        ("def k = 'a'; int i = k + 1; return i", "class java.lang.String cannot be cast to class java.lang.Number"),
        ("def k = 'a'; List l = k + 1; return l", "Cannot cast java.lang.String to java.util.List"),
        // Where a text is wanted, it is known before that it will be one.
        ("def k = 3; String s = k + 1; return s", "31"),
        ("def k = 3; def j = 4; String s = k + j + 1; return s", "71"),
        ("def k = 3; return 'x'.concat(k + 1)", "x31"),
        ("String f(def a) { return a + 1 } return f(3)", "31"),
        ("String f(def a) { a + 1 } return f(3)", "cannot implicitly cast def [int] to java.lang.String"),
        ("def k = 3; double d = Math.sqrt(k + 1L); return d", "2.0"),
        ("def k = 3; Number n = k + 1; return n", "4"),
    ] {
        assert!(run(source).contains(expected), "{source}: {}", run(source));
    }
}

/// The type that a context wants is known to what follows `return`, not to the last statement.
#[test]
fn the_last_statement_is_cast_behind_what_it_calls() {
    for (source, expected) in [
        ("def d = 'abc'; return d.length().toString()", "cannot convert MethodHandle(Object)String to (Object)double"),
        ("def d = 'abc'; d.length().toString()", "cannot implicitly cast def [java.lang.String] to double"),
        ("def d = [true]; d[0] ? 1 : 'a'", "Cannot cast from [int] to [java.lang.Object]."),
        ("def d = ['a': 'b']; d.a == 'b' ? d.a : 1", "cannot implicitly cast def [java.lang.String] to double"),
    ] {
        let told = match compile_painless(source, &context::NUMBER_SORT) {
            Ok(program) => {
                let params = crate::json::parse(b"{}").unwrap();
                let mut vm = Vm::new(program, &params, Limits::default()).unwrap();
                let variables = vec![vm.params(); context::NUMBER_SORT.variables.len()];
                vm.execute(&variables).map_err(|failed| vm.to_error(&failed)).map(drop)
            }
            Err(error) => Err(error),
        };
        let told = told.map_err(|error| format!("{error:?}")).err().unwrap_or_default();
        assert!(told.contains(expected), "{source}: {told}");
    }
}
