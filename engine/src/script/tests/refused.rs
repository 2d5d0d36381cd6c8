//! What is refused as scripts are compiled or joined to what they call: fixed variables, what gives nothing, functions that do not fit.

use super::run;

#[test]
fn variables_of_loops_and_lambdas_stay() {
    for (source, expected) in [
        ("for (def x : [1]) { x = 2 } return 1", "@20 illegal_argument_exception: Variable [x] is read-only."),
        ("def l=[1]; for (e in l) { e += 1 } return 1", "@26 illegal_argument_exception: Variable [e] is read-only."),
        ("[1].each(x -> { x = 2; return x })", "@16 illegal_argument_exception: Variable [x] is read-only."),
        ("for (int i = 0; i < 1; i++) { i = 5 } return 1", "1"),
        ("int f(int a) { a = 2; return a } return f(1)", "2"),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
fn what_gives_nothing_is_no_value() {
    let list = |rest: &str| format!("List l=[1]; {rest}");
    for (source, expected) in [
        ("def d=1; d += l.sort(null)", "@22 class_cast_exception: Cannot cast from [void] to [def]."),
        ("return 1 == l.sort(null)", "@25 class_cast_exception: Cannot cast from [void] to [int]."),
        ("return l.sort(null) ?: 1", "@19 illegal_argument_exception: Extraneous elvis operator. LHS is a primitive."),
        (
            "def x = l; x.add(l.sort(null))",
            "@24 illegal_argument_exception: Argument(s) cannot be of [void] type when calling method [add].",
        ),
    ] {
        let source = list(source);
        assert!(run(&source).ends_with(expected.split_once(' ').unwrap().1), "{source}: {}", run(&source));
    }
}

#[test]
fn elvis_binds_more_than_conditions_and_assignments() {
    for (source, expected) in [
        ("return null ?: 7", "@7 illegal_argument_exception: Extraneous elvis operator. LHS is null."),
        (
            "def a = true; def b = null; return b ?: a ? 1 : 2",
            "@35 illegal_argument_exception: Elvis operator cannot return primitives",
        ),
        (
            "Map m=[:]; m?.x = foo",
            "@12 illegal_argument_exception: invalid assignment: cannot assign a value to a null safe operation [?.]",
        ),
        (
            "int a = 5; a += ((def)'pad')",
            "@22 class_cast_exception: class java.lang.String cannot be cast to class java.lang.Number (java.lang.String and java.lang.Number are in module java.base of loader 'bootstrap')",
        ),
        ("int a=1; a++ = foo", "@15 illegal_argument_exception: cannot resolve symbol [foo]"),
        ("int a=1; (a=1) = true", "@17 class_cast_exception: Cannot cast from [boolean] to [int]."),
        (
            "int a=1; ++a = 1",
            "@9 illegal_argument_exception: invalid assignment: cannot assign a value to an expression",
        ),
        ("[1].findAll((new k, v) -> v)", "@18 illegal_argument_exception: invalid sequence of tokens near [',']."),
        // What is called behind a null-safe operator does not know what is wanted of it.
        (
            "def d=[1]; String v=d?.empty",
            "@21 class_cast_exception: cannot implicitly cast def [boolean] to java.lang.String",
        ),
        ("def d=1.5; return ~d", "@18 class_cast_exception: Cannot apply not [~] to type [double]"),
        (
            "def a=1; a ?: 2 = 3",
            "@9 illegal_argument_exception: invalid assignment: cannot assign a value to elvis operation [?:]",
        ),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
fn functions_fit_by_their_parameters() {
    let not_found = |of: &str, interface: &str| {
        format!("illegal_argument_exception: function reference [{of}] matching [{interface}] not found")
    };
    for (source, expected) in [
        (
            "((def)[1]).each((a, b) -> a)",
            not_found("this::lambda$synthetic$0/1", "java.util.function.Consumer, accept/1"),
        ),
        (
            "((def)[]).each((a, b) -> a)",
            not_found("this::lambda$synthetic$0/1", "java.util.function.Consumer, accept/1"),
        ),
        (
            "int k=1; ((def)[1]).each((a, b) -> a + k)",
            not_found("this::lambda$synthetic$0/2", "java.util.function.Consumer, accept/1"),
        ),
        ("((def)[1]).stream().map(Math::max)", not_found("Math::max/1", "java.util.function.Function, apply/1")),
    ] {
        assert!(run(source).contains(&expected), "{source}: {}", run(source));
    }
}

#[test]
fn a_map_cannot_become_its_own_key_unseen() {
    assert!(run("def d = ['a': 1]; d[d] = 1; return 1").contains("stack_overflow_error"));
    assert!(run("def d = new HashSet([1]); d.add(d); return 1").contains("stack_overflow_error"));
}

/// What is assigned to is looked at before what is assigned, and where it is read as well it is told by its own place.
#[test]
fn what_is_assigned_to_comes_first() {
    for (source, told) in [
        ("for (int x : [1]) { x = y } return 1", "@20 illegal_argument_exception: Variable [x] is read-only."),
        ("for (int x : [1]) { x = 'a' } return 1", "@20 illegal_argument_exception: Variable [x] is read-only."),
        (
            "def d=1; d[0] = 2",
            "@6 illegal_argument_exception: Attempting to address a non-array-like type [java.lang.Integer] as an array.",
        ),
        (
            "def d=1; d[0] += 2",
            "@10 illegal_argument_exception: Attempting to address a non-array-like type [java.lang.Integer] as an array.",
        ),
        ("def d=1; ++d.x", "@12 illegal_argument_exception: dynamic getter [java.lang.Integer, x] not found"),
        ("List d=[1]; d[5]++", "@13 index_out_of_bounds_exception: Index 5 out of bounds for length 1"),
        ("def d=[1]; int q = d[0]++; return q + d[0]", "3"),
        (
            "def d=[1]; List l=[1]; d[0] = l.clear(); return 1",
            "@23 illegal_argument_exception: invalid assignment: cannot assign type [void]",
        ),
    ] {
        assert_eq!(run(source), told, "{source}");
    }
}
