//! What scripts of a context can name, as `_scripts/painless/_context` tells it: the classes of the compiler with their members,
//! and the functions that stand alone.

use super::class::{ClassId, Method, Registry, class, is_nameable, is_shared_rows, registry};
use super::context::allows;
use super::types::{Base, Type};
use crate::json::Writer;

/// The primitives are told of as classes without members.
const PRIMITIVES: &[&str] = &["boolean", "byte", "char", "double", "float", "int", "long", "short", "void"];

/// What scripts have and Java has not is declared here.
const AUGMENTATION: &str = "org.opensearch.painless.api.Augmentation";

/// The class whose static methods a context calls without a class.
pub(super) fn functions_of(context: &str) -> Option<ClassId> {
    let name = match context {
        "score" => "ScoreFunctions",
        "derived_field" => "DerivedFieldScript",
        _ => return None,
    };
    registry().find(name)
}

/// How the functions of a context are told of: by the classes that are bound to a script and to so many of their arguments.
struct Binding {
    name: &'static str,
    arity: usize,
    declaring: &'static str,
    /// The script, where it is the first argument.
    script: Option<&'static str>,
    /// How many arguments have to be constants.
    constants: usize,
}

const fn binding(
    name: &'static str,
    arity: usize,
    declaring: &'static str,
    script: Option<&'static str>,
    constants: usize,
) -> Binding {
    Binding { name, arity, declaring, script, constants }
}

const SCORE: Option<&str> = Some("org.opensearch.script.ScoreScript");
const DERIVED: Option<&str> = Some("org.opensearch.script.DerivedFieldScript");

#[rustfmt::skip]
const BINDINGS: &[Binding] = &[
    binding("decayDateExp", 5, "org.opensearch.script.ScoreScriptUtils$DecayDateExp", None, 4),
    binding("decayDateGauss", 5, "org.opensearch.script.ScoreScriptUtils$DecayDateGauss", None, 4),
    binding("decayDateLinear", 5, "org.opensearch.script.ScoreScriptUtils$DecayDateLinear", None, 4),
    binding("decayGeoExp", 5, "org.opensearch.script.ScoreScriptUtils$DecayGeoExp", None, 4),
    binding("decayGeoGauss", 5, "org.opensearch.script.ScoreScriptUtils$DecayGeoGauss", None, 4),
    binding("decayGeoLinear", 5, "org.opensearch.script.ScoreScriptUtils$DecayGeoLinear", None, 4),
    binding("decayNumericExp", 5, "org.opensearch.script.ScoreScriptUtils$DecayNumericExp", None, 4),
    binding("decayNumericGauss", 5, "org.opensearch.script.ScoreScriptUtils$DecayNumericGauss", None, 4),
    binding("decayNumericLinear", 5, "org.opensearch.script.ScoreScriptUtils$DecayNumericLinear", None, 4),
    binding("emit", 1, "org.opensearch.script.ScriptEmitValues$EmitSingle", DERIVED, 1),
    binding("emit", 2, "org.opensearch.script.ScriptEmitValues$GeoPoint", DERIVED, 1),
    binding("randomScore", 1, "org.opensearch.script.ScoreScriptUtils$RandomScoreDoc", SCORE, 2),
    binding("randomScore", 2, "org.opensearch.script.ScoreScriptUtils$RandomScoreField", SCORE, 3),
    binding("sumTotalTermFreq", 1, "org.opensearch.script.ScoreScriptUtils$SumTotalTermFreq", SCORE, 1),
    binding("termFreq", 2, "org.opensearch.script.ScoreScriptUtils$TermFreq", SCORE, 1),
    binding("totalTermFreq", 2, "org.opensearch.script.ScoreScriptUtils$TotalTermFreq", SCORE, 1),
];

/// Writes what scripts of a context can name, which is some 900 KB: a class at a time, for callers that have to give way.
pub struct Listing {
    context: &'static str,
    classes: std::vec::IntoIter<Told>,
}

impl Listing {
    /// Begins the object of a context. Contexts of other languages have what all have.
    pub fn begin(context: &'static str, w: &mut Writer) -> Self {
        w.begin_object().key("name").string(context).key("classes").begin_array();
        Self { context, classes: classes_of(context).into_iter() }
    }

    /// Writes one class more, or else ends the object: whether there is more to write.
    pub fn step(&mut self, w: &mut Writer) -> bool {
        match self.classes.next() {
            Some(told) => told.write(self.context, w),
            None => {
                w.end_array();
                write_functions(self.context, w);
                w.end_object();
                return false;
            }
        }
        true
    }
}

/// A class as it is told of.
enum Told {
    Primitive(&'static str),
    /// Scripts cannot name it: it is what a function is bound to.
    Script(&'static str),
    Class(ClassId, String),
}

impl Told {
    fn name(&self) -> &str {
        match self {
            Self::Primitive(name) | Self::Script(name) => name,
            Self::Class(_, name) => name,
        }
    }

    fn write(&self, context: &str, w: &mut Writer) {
        w.begin_object().key("name").string(self.name());
        w.key("imported").bool(!matches!(self, Self::Script(_)));
        let members = match self {
            Self::Primitive(_) => Members::default(),
            Self::Script(_) => Members::of(class::OBJECT, context),
            Self::Class(id, _) => Members::of(*id, context),
        };
        members.write(w);
        w.end_object();
    }
}

fn classes_of(context: &str) -> Vec<Told> {
    let own = match context {
        "score" => SCORE,
        "derived_field" => DERIVED,
        _ => None,
    };
    let classes = registry()
        .ids()
        .filter(|id| is_nameable(registry().class(*id), context))
        .map(|id| Told::Class(id, binary_name(id)));
    let mut told: Vec<Told> = PRIMITIVES.iter().map(|name| Told::Primitive(name)).collect();
    told.extend(own.map(Told::Script));
    told.extend(classes);
    told.sort_by(|a, b| a.name().cmp(b.name()));
    told
}

/// The class that declares a method of another.
pub(super) fn declaring_name(of: ClassId, method: &Method) -> String {
    declaring(registry(), of, method)
}

/// A class's name as Java's machine has it: `java.util.Map$Entry`.
fn binary_name(id: ClassId) -> String {
    let class = registry().class(id);
    let package = &class.name[..class.name.len() - class.simple.len()];
    format!("{package}{}", class.simple.replace('.', "$"))
}

/// A type as Java's machine has it: `[Ljava.lang.String;`.
fn type_name(of: Type) -> String {
    let name = match of.base {
        Base::Def => "org.opensearch.painless.lookup.def".to_owned(),
        Base::Class(id) => binary_name(id),
        _ => Type { dims: 0, ..of }.name(),
    };
    if of.dims == 0 {
        return name;
    }
    let element = match of.base {
        Base::Bool => "Z".to_owned(),
        Base::Byte => "B".to_owned(),
        Base::Short => "S".to_owned(),
        Base::Char => "C".to_owned(),
        Base::Int => "I".to_owned(),
        Base::Long => "J".to_owned(),
        Base::Float => "F".to_owned(),
        Base::Double => "D".to_owned(),
        _ => format!("L{name};"),
    };
    "[".repeat(usize::from(of.dims)) + &element
}

#[derive(Default)]
struct Members {
    constructors: Vec<Declared>,
    statics: Vec<Declared>,
    methods: Vec<Declared>,
    constants: Vec<Declared>,
    fields: Vec<Declared>,
}

/// A member, and the class that is told to declare it.
struct Declared {
    by: String,
    method: &'static Method,
}

impl Members {
    fn of(id: ClassId, context: &str) -> Self {
        let class = registry().class(id);
        let declared = |method: &'static Method| Declared { by: declaring(registry(), id, method), method };
        let sorted = |methods: &mut dyn Iterator<Item = &'static Method>| {
            let mut all: Vec<Declared> = methods.map(declared).collect();
            all.sort_by_key(|d| (d.method.name, d.method.params.len()));
            all
        };
        let mut constructors: Vec<Declared> = class.constructors().map(declared).collect();
        constructors.sort_by_key(|d| parameters(d.method).join(", ") + "]");
        Self {
            constructors,
            statics: sorted(&mut class.statics()),
            methods: sorted(&mut class.methods().filter(|m| allows(context, m.name))),
            constants: sorted(&mut class.constants()),
            fields: sorted(&mut class.fields()),
        }
    }

    fn write(&self, w: &mut Writer) {
        w.key("constructors").begin_array();
        for of in &self.constructors {
            w.begin_object().key("declaring").string(&of.by);
            write_parameters(&parameters(of.method), w);
            w.end_object();
        }
        w.end_array();
        for (key, methods) in [("static_methods", &self.statics), ("methods", &self.methods)] {
            w.key(key).begin_array();
            methods.iter().for_each(|of| write_method(&of.by, of.method, w));
            w.end_array();
        }
        for (key, fields) in [("static_fields", &self.constants), ("fields", &self.fields)] {
            w.key(key).begin_array();
            for of in fields {
                w.begin_object().key("declaring").string(&of.by).key("name").string(of.method.name);
                w.key("type").string(&type_name(of.method.returns)).end_object();
            }
            w.end_array();
        }
    }
}

/// The class that a member is declared by: rows that several classes share belong to the most general class that has them.
fn declaring(registry: &Registry, of: ClassId, method: &Method) -> String {
    if method.augmented {
        return AUGMENTATION.to_owned();
    }
    if !is_shared_rows(registry.class(method.class).name) {
        return binary_name(method.class);
    }
    let supers = registry.class(of).supers().iter();
    let having = supers.filter(|s| **s != method.class && registry.is_subclass(**s, method.class));
    let visible = having.filter(|s| !is_shared_rows(registry.class(**s).name));
    let general = visible.min_by_key(|s| registry.class(**s).supers().len());
    binary_name(*general.unwrap_or(&of))
}

fn parameters(method: &Method) -> Vec<String> {
    method.params.iter().map(|param| type_name(*param)).collect()
}

fn write_parameters(names: &[String], w: &mut Writer) {
    w.key("parameters").begin_array();
    for name in names {
        w.string(name);
    }
    w.end_array();
}

fn write_method(declaring: &str, method: &Method, w: &mut Writer) {
    w.begin_object().key("declaring").string(declaring).key("name").string(method.name);
    w.key("return").string(&type_name(method.returns));
    write_parameters(&parameters(method), w);
    w.end_object();
}

fn write_functions(context: &str, w: &mut Writer) {
    let class = functions_of(context);
    let mut functions: Vec<&Method> = class.into_iter().flat_map(|id| registry().class(id).statics()).collect();
    functions.sort_by_key(|method| (method.name, method.params.len()));
    let binding_of = |of: &Method| BINDINGS.iter().find(|b| b.name == of.name && b.arity == of.params.len());
    w.key("imported_methods").begin_array();
    for method in functions.iter().filter(|method| binding_of(method).is_none()) {
        write_method("org.opensearch.script.ScoreScriptUtils", method, w);
    }
    w.end_array().key("class_bindings").begin_array();
    for method in functions {
        let Some(binding) = binding_of(method) else { continue };
        w.begin_object().key("declaring").string(binding.declaring).key("name").string(binding.name);
        w.key("return").string(&type_name(method.returns)).key("read_only").u64(binding.constants as u64);
        let script = binding.script.map(str::to_owned);
        let names: Vec<String> = script.into_iter().chain(parameters(method)).collect();
        write_parameters(&names, w);
        w.end_object();
    }
    w.end_array().key("instance_bindings").begin_array().end_array();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(context: &'static str) -> String {
        let mut w = Writer::new();
        let mut listing = Listing::begin(context, &mut w);
        while listing.step(&mut w) {}
        String::from_utf8(w.finish()).unwrap()
    }

    #[test]
    fn classes_are_told_with_what_declares_their_members() {
        let filter = told("filter");
        for part in [
            r#"{"declaring":"java.lang.CharSequence","name":"charAt","return":"char","parameters":["int"]}"#,
            r#"{"declaring":"org.opensearch.painless.api.Augmentation","name":"findAll","return":"java.util.List","parameters":["java.util.function.Predicate"]}"#,
            r#"{"declaring":"java.time.LocalDate","name":"plusDays","return":"java.time.LocalDate","parameters":["long"]}"#,
            r#""name":"format","return":"java.lang.String","parameters":["java.lang.String","[Lorg.opensearch.painless.lookup.def;"]"#,
            r#""imported_methods":[],"class_bindings":[],"instance_bindings":[]}"#,
        ] {
            assert!(filter.contains(part), "{part}");
        }
        assert!(
            !filter.contains("StackOverflowError") && !filter.contains("sha256") && told("ingest").contains("sha256")
        );
    }

    #[test]
    fn functions_of_scores_are_bound_or_imported() {
        let score = told("score");
        for binding in BINDINGS.iter().filter(|binding| binding.script != DERIVED) {
            assert!(score.contains(&format!(r#"{{"declaring":"{}","name":"{}""#, binding.declaring, binding.name)));
        }
        assert!(told("moving-function").contains("MovingFunctions") && !score.contains("MovingFunctions"));
    }
}
