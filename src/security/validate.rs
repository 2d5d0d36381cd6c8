//! What a client may put into a section, and the complaints about what it may not.

use super::store::Section;
use pith_engine::json::{Map, Value, Writer};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Text,
    List,
    Object,
}

/// Keys of a request and what they hold.
const KEYS: &[(Section, &[(&str, Type)])] = &[
    (
        Section::Users,
        &[
            ("password", Type::Text),
            ("hash", Type::Text),
            ("backend_roles", Type::List),
            ("attributes", Type::Object),
            ("description", Type::Text),
            ("opendistro_security_roles", Type::List),
        ],
    ),
    (
        Section::Roles,
        &[
            ("cluster_permissions", Type::List),
            ("index_permissions", Type::List),
            ("tenant_permissions", Type::List),
            ("description", Type::Text),
        ],
    ),
    (
        Section::Mappings,
        &[
            ("backend_roles", Type::List),
            ("and_backend_roles", Type::List),
            ("hosts", Type::List),
            ("users", Type::List),
            ("description", Type::Text),
        ],
    ),
    (Section::Groups, &[("allowed_actions", Type::List), ("description", Type::Text), ("type", Type::Text)]),
    (Section::Tenants, &[("description", Type::Text)]),
];

/// Whom a mapping is for; one that names none of these would take the role from everybody.
const MAPPED: [&str; 4] = ["backend_roles", "hosts", "and_backend_roles", "users"];

/// Entries, texts and depth of one entry together; a role beyond that is no role for people.
const ENTRY_BYTES_MAX: usize = 256 << 10;

/// Why a request is not taken.
#[derive(Clone, Debug, PartialEq)]
pub enum Complaint {
    /// A sentence about the body.
    Reason(String),
    /// Keys that are wrong or missing.
    Keys { invalid: Vec<String>, missing: Vec<String> },
    /// None of the keys that say whom a mapping is for, and keys that are wrong.
    NobodyMapped { invalid: Vec<String> },
    /// Keys with values of the wrong type, and what is expected.
    Types(Vec<(String, String)>),
    /// A sentence about what is asked for.
    Message(String),
}

impl Complaint {
    /// The body of the answer; its status is 400.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut w = Writer::new();
        w.begin_object();
        if let Self::Message(message) = self {
            w.key("status").string("BAD_REQUEST").key("message").string(message).end_object();
            return w.finish();
        }
        w.key("status").string("error").key("reason");
        match self {
            Self::Reason(reason) | Self::Message(reason) => drop(w.string(reason)),
            Self::Keys { invalid, missing } => {
                w.string("Invalid configuration");
                write_keys(&mut w, "invalid_keys", invalid);
                write_keys(&mut w, "missing_mandatory_keys", missing);
            }
            Self::NobodyMapped { invalid } => {
                w.string("Invalid configuration");
                write_keys(&mut w, "invalid_keys", invalid);
                write_keys(&mut w, "specify_one_of", &MAPPED);
            }
            Self::Types(wrong) => {
                w.string("Wrong datatype");
                for (key, expected) in wrong {
                    w.key(key).string(expected);
                }
            }
        }
        w.end_object();
        w.finish()
    }
}

fn write_keys<T: std::borrow::Borrow<str>>(w: &mut Writer, key: &str, names: &[T]) {
    if !names.is_empty() {
        w.key(key).begin_object().key("keys").string(&names.join(",")).end_object();
    }
}

/// The object of a body, with the keys and types of its section.
pub fn check(section: Section, body: &[u8]) -> Result<Map, Complaint> {
    let reason = |text: &str| Complaint::Reason(text.to_owned());
    if body.len() > ENTRY_BYTES_MAX {
        return Err(reason("Request body is too large for one entry."));
    }
    if body.is_empty() {
        return Err(reason("Request body required for this action."));
    }
    match pith_engine::json::parse(body) {
        Ok(Value::Object(map)) => check_map(section, map),
        Ok(Value::Array(items)) if !items.is_empty() => Err(reason("Could not parse content of request.")),
        Ok(_) => Err(reason("Request body required for this action.")),
        Err(_) => Err(reason("Could not parse content of request.")),
    }
}

/// The same for what has been read already.
pub fn check_map(section: Section, mut map: Map) -> Result<Map, Complaint> {
    if map.is_empty() {
        return Err(Complaint::Reason("Request body required for this action.".to_owned()));
    }
    let keys = KEYS.iter().find(|(known, _)| *known == section).map_or(&[][..], |(_, keys)| keys);
    let known = |key: &str| keys.iter().find(|(name, _)| *name == key);
    let invalid: Vec<String> =
        map.iter().filter(|(key, _)| known(key).is_none()).map(|(key, _)| key.to_owned()).collect();
    let missing: Vec<String> = match section {
        Section::Groups if !map.contains("allowed_actions") => vec!["allowed_actions".to_owned()],
        _ => vec![],
    };
    if section == Section::Mappings && !MAPPED.iter().any(|key| map.contains(key)) {
        return Err(Complaint::NobodyMapped { invalid });
    }
    if !invalid.is_empty() || !missing.is_empty() {
        return Err(Complaint::Keys { invalid, missing });
    }
    let wrong = map.iter().filter_map(|(key, value)| {
        let (_, kind) = known(key)?;
        wrong_type(*kind, value).map(|expected| (key.to_owned(), expected.to_owned()))
    });
    let wrong: Vec<(String, String)> = wrong.collect();
    if !wrong.is_empty() {
        return Err(Complaint::Types(wrong));
    }
    if map.iter().any(|(_, value)| has_blank_item(value)) {
        return Err(Complaint::Reason("`null` or blank values are not allowed as json array elements".to_owned()));
    }
    if section == Section::Roles {
        if let Some(Value::Array(items)) = map.get_mut("cluster_permissions") {
            make_texts("cluster_permissions", items)?;
        }
        check_role(&map)?;
        return Ok(map);
    }
    if section == Section::Users {
        make_attributes(&mut map)?;
    }
    for (key, _) in keys.iter().filter(|(_, kind)| *kind == Type::List) {
        if let Some(Value::Array(items)) = map.get_mut(key) {
            make_texts(key, items)?;
        }
    }
    Ok(map)
}

/// Numbers and booleans in a list of names are their texts. Where roles are named, anything else is the role without a name, which is nowhere.
fn make_texts(key: &str, items: &mut [Value]) -> Result<(), Complaint> {
    for item in items {
        let text = match item {
            Value::String(_) => continue,
            Value::Array(_) | Value::Object(_) if key == "opendistro_security_roles" => String::new(),
            Value::Array(_) | Value::Object(_) => {
                return Err(Complaint::Types(vec![(key.to_owned(), "Array of strings expected".to_owned())]));
            }
            ref plain => String::from_utf8_lossy(&plain.to_bytes()).into_owned(),
        };
        *item = Value::String(text);
    }
    Ok(())
}

fn wrong_type(kind: Type, value: &Value) -> Option<&'static str> {
    match (kind, value) {
        (Type::Text, Value::String(_)) | (Type::List, Value::Array(_)) | (Type::Object, Value::Object(_)) => None,
        (Type::Text, _) => Some("String expected"),
        (Type::List, _) => Some("Array expected"),
        (Type::Object, _) => Some("Object expected"),
    }
}

fn has_blank_item(value: &Value) -> bool {
    let is_blank = |item: &Value| item.is_null() || item.as_str().is_some_and(|text| text.trim().is_empty());
    match value {
        Value::Array(items) => items.iter().any(|item| is_blank(item) || has_blank_item(item)),
        Value::Object(map) => map.iter().any(|(_, value)| has_blank_item(value)),
        _ => false,
    }
}

/// What is told of a user is text, whatever it was given as; what is null is not told.
fn make_attributes(map: &mut Map) -> Result<(), Complaint> {
    let Some(Value::Object(given)) = map.get("attributes") else { return Ok(()) };
    let mut attributes = Map::new();
    for (key, value) in given.iter() {
        match value {
            Value::Null => {}
            Value::Array(_) | Value::Object(_) => {
                return Err(Complaint::Types(vec![("attributes".to_owned(), "Object of strings expected".to_owned())]));
            }
            plain => attributes.insert(key, plain.to_text()),
        }
    }
    map.insert("attributes", attributes);
    Ok(())
}

/// The parts of a role are what a role is about: nothing in them is passed over.
fn check_role(role: &Map) -> Result<(), Complaint> {
    check_texts(role, "cluster_permissions")?;
    for grant in role.get("index_permissions").and_then(Value::as_array).unwrap_or_default() {
        let grant =
            part(grant, "index_permissions", &["index_patterns", "dls", "fls", "masked_fields", "allowed_actions"])?;
        for key in ["index_patterns", "fls", "masked_fields", "allowed_actions"] {
            check_texts(grant, key)?;
        }
        for key in ["fls", "masked_fields"] {
            if grant.get(key).and_then(Value::as_array).is_some_and(|list| !list.is_empty()) {
                return Err(Complaint::Message(format!(
                    "[{key}] is not supported: fields cannot be hidden or masked by role here, only documents (dls)"
                )));
            }
        }
        match grant.get("dls") {
            None | Some(Value::Null) => {}
            Some(Value::String(query)) if query.is_empty() => {}
            // What asks for the user's name and the like is JSON only when that has been filled in.
            Some(Value::String(query)) if query.contains("${") => {}
            Some(Value::String(query)) => {
                if !matches!(pith_engine::json::parse(query.as_bytes()), Ok(Value::Object(_))) {
                    return Err(Complaint::Message("[dls] is no query: it must be a JSON object".to_owned()));
                }
            }
            Some(_) => return Err(Complaint::Types(vec![("dls".to_owned(), "String expected".to_owned())])),
        }
    }
    for tenant in role.get("tenant_permissions").and_then(Value::as_array).unwrap_or_default() {
        let tenant = part(tenant, "tenant_permissions", &["tenant_patterns", "allowed_actions"])?;
        check_texts(tenant, "tenant_patterns")?;
        check_texts(tenant, "allowed_actions")?;
    }
    Ok(())
}

fn part<'v>(value: &'v Value, of: &str, keys: &[&str]) -> Result<&'v Map, Complaint> {
    let map = value.as_object().ok_or_else(|| Complaint::Types(vec![(of.to_owned(), "Object expected".to_owned())]))?;
    let invalid: Vec<String> =
        map.iter().filter(|(key, _)| !keys.contains(key)).map(|(key, _)| key.to_owned()).collect();
    if invalid.is_empty() { Ok(map) } else { Err(Complaint::Keys { invalid, missing: vec![] }) }
}

fn check_texts(map: &Map, key: &str) -> Result<(), Complaint> {
    let wrong = |expected: &str| Err(Complaint::Types(vec![(key.to_owned(), expected.to_owned())]));
    match map.get(key) {
        None | Some(Value::Null) => Ok(()),
        Some(Value::Array(items)) if items.iter().all(|item| item.as_str().is_some()) => Ok(()),
        Some(Value::Array(_)) => wrong("Array of strings expected"),
        Some(_) => wrong("Array expected"),
    }
}

/// An entry as it is kept and shown, made of a request that was checked.
pub fn entry(section: Section, request: &Map) -> Map {
    let mut entry = Map::new();
    let take =
        |entry: &mut Map, key: &str, default: Value| entry.insert(key, request.get(key).cloned().unwrap_or(default));
    let empty = || Value::Array(vec![]);
    if section == Section::Users {
        take(&mut entry, "hash", Value::String(String::new()));
    }
    if section == Section::Mappings {
        take(&mut entry, "hosts", empty());
        take(&mut entry, "users", empty());
    }
    entry.insert("reserved", false);
    entry.insert("hidden", false);
    let description = |entry: &mut Map| {
        if let Some(text) = request.get("description") {
            entry.insert("description", text.clone());
        }
    };
    match section {
        Section::Users => {
            take(&mut entry, "backend_roles", empty());
            take(&mut entry, "attributes", Value::Object(Map::new()));
            description(&mut entry);
            take(&mut entry, "opendistro_security_roles", empty());
        }
        Section::Roles => {
            description(&mut entry);
            take(&mut entry, "cluster_permissions", empty());
            entry.insert("index_permissions", grants(request));
            entry.insert("tenant_permissions", tenants(request));
        }
        Section::Mappings => {
            for key in ["backend_roles", "and_backend_roles"] {
                take(&mut entry, key, empty());
            }
            description(&mut entry);
            return entry;
        }
        Section::Groups => {
            take(&mut entry, "allowed_actions", empty());
            if let Some(kind) = request.get("type") {
                entry.insert("type", kind.clone());
            }
            description(&mut entry);
        }
        Section::Tenants => description(&mut entry),
    }
    entry.insert("static", false);
    entry
}

fn list_or_empty(value: &Value, key: &str) -> Value {
    value.get(key).filter(|value| !value.is_null()).cloned().unwrap_or(Value::Array(vec![]))
}

fn tenants(request: &Map) -> Value {
    let keys = ["tenant_patterns", "allowed_actions"];
    let shown = |tenant: &Value| Value::Object(keys.iter().map(|key| (*key, list_or_empty(tenant, key))).collect());
    let given = request.get("tenant_permissions").and_then(Value::as_array).unwrap_or_default();
    Value::Array(given.iter().map(shown).collect())
}

fn grants(request: &Map) -> Value {
    let shown = |grant: &Value| {
        let mut map = Map::new();
        map.insert("index_patterns", list_or_empty(grant, "index_patterns"));
        if let Some(dls) = grant.get("dls").filter(|dls| !dls.is_null()) {
            map.insert("dls", dls.clone());
        }
        for key in ["fls", "masked_fields", "allowed_actions"] {
            map.insert(key, list_or_empty(grant, key));
        }
        Value::Object(map)
    };
    let given = request.get("index_permissions").and_then(Value::as_array).unwrap_or_default();
    Value::Array(given.iter().map(shown).collect())
}
