//! Lists of configurations, filtered, sorted and paged.
//!
//! The configurations become a segment in memory, and a list is a search in it: texts match by their words, with the rules of a
//! `match` query, keywords match exactly, and `query` is the query string syntax over all fields.

use super::kind::Kind;
use super::store::{Configs, Stored, check_there, status};
use super::viewer::Viewer;
use pith_engine::analysis::Registry;
use pith_engine::json::{Map, Value};
use pith_engine::mapping::{DocumentScratch, Mapping, MappingSettings, Parsed};
use pith_engine::pace::{Pace, block_on_ready};
use pith_engine::search::{Budget, SearchLimits, SearchRequest, ShardContext, ShardSearch, Step, reduce};
use pith_engine::segment::{Segment, SegmentView, Snapshot};
use pith_engine::writer::{Buffer, IndexDocument, seal};
use pith_engine::{Error, ErrorKind, Result};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// What a list is asked for.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Only these, all of which must be there; empty for no such wish.
    pub ids: Vec<String>,
    /// Names of [`FILTERS`] with what they must be.
    pub filters: Vec<(String, String)>,
    pub sort_field: Option<String>,
    pub descending: bool,
    pub from: usize,
    pub max: usize,
    pub viewer: Viewer,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Before paging.
    pub total: u64,
    pub configs: Vec<(Arc<str>, Arc<Stored>)>,
}

/// Texts, which match by their words; their `.keyword` exactly.
macro_rules! texts {
    ($($name:literal)*) => {
        const TEXTS: &[&str] = &[$($name),*];
        const EXACT_TEXTS: &[&str] = &[$(concat!($name, ".keyword?")),*];
    };
}

texts! {
    "name" "description" "chat_a.url" "chat_b.url" "webhook.url" "smtp_account.host" "smtp_account.from_address"
    "topic.topic_arn" "topic.role_arn" "mail_service_account.role_arn" "mail_service_account.from_address"
    "email.recipient_list" "email_group.recipient_list"
}

const KEYWORDS: &[&str] = &[
    "config_type",
    "email.email_account_id",
    "email.email_group_id_list",
    "smtp_account.method",
    "mail_service_account.region",
];

const TIMES: &[&str] = &["last_updated_time_ms", "created_time_ms"];

/// The names that OpenSearch's own plugin has for some of them.
const SYNONYMS: &[&str] = &[
    "slack.url?",
    "chime.url?",
    "sns.topic_arn?",
    "sns.role_arn?",
    "ses_account.region?",
    "ses_account.role_arn?",
    "ses_account.from_address?",
    "slack.url.keyword?",
    "chime.url.keyword?",
    "sns.topic_arn.keyword?",
    "sns.role_arn.keyword?",
    "ses_account.role_arn.keyword?",
    "ses_account.from_address.keyword?",
    "email.recipient_list.recipient?",
    "email.recipient_list.recipient.keyword?",
    "email_group.recipient_list.recipient?",
    "email_group.recipient_list.recipient.keyword?",
];

/// All that a list can be filtered by, as a table of parameters: a name that ends in `?` is not proposed for a misspelt one.
pub const FILTERS: [&[&str]; 6] =
    [TEXTS, KEYWORDS, TIMES, &["is_enabled", "query", "text_query"], EXACT_TEXTS, SYNONYMS];

/// The configurations that are asked for. Takes milliseconds where there are many: off a core.
pub fn find(configs: &Configs, asked: &Asked) -> Result<Found> {
    let mut chosen: Vec<(&Arc<str>, &Arc<Stored>)> = match asked.ids.is_empty() {
        true => configs.iter().collect(),
        false => named(configs, &asked.ids)?,
    };
    asked.viewer.check(configs, asked.ids.iter().map(String::as_str))?;
    chosen.retain(|(_, stored)| asked.viewer.may_see(stored));
    // What ties is shown in the order in which it was made.
    chosen.sort_by_key(|(id, stored)| (stored.created_ms, *id));
    let request = request(asked)?;
    let cx = shard(&chosen)?;
    let mut search = ShardSearch::new(&request, cx)?;
    while search.run(&Budget::unlimited())? == Step::Yield {}
    let found = reduce(&request, vec![(0, search.finish()?)], 0)?;
    let page = found.hits.iter().skip(asked.from).take(asked.max);
    let config = |doc: u32| chosen.get(doc as usize).map(|(id, stored)| ((*id).clone(), (*stored).clone()));
    let configs = page.filter_map(|(_, hit)| config(hit.doc)).collect();
    Ok(Found { total: found.total.map_or(0, |(total, _)| total), configs })
}

fn named<'a>(configs: &'a Configs, ids: &[String]) -> Result<Vec<(&'a Arc<str>, &'a Arc<Stored>)>> {
    check_there(configs, ids.iter().map(String::as_str))?;
    Ok(configs.iter().filter(|(id, _)| ids.iter().any(|asked| **asked == ***id)).collect())
}

/// The search that a list is.
fn request(asked: &Asked) -> Result<Arc<SearchRequest>> {
    let filters = asked.filters.iter().map(|(name, value)| filter(name, value)).collect::<Result<Vec<Value>>>()?;
    let sort = sort_field(asked.sort_field.as_deref())?;
    let order = if asked.descending { "desc" } else { "asc" };
    let limits = SearchLimits::default();
    let body = object([
        ("query", object([("bool", object([("filter", Value::Array(filters))]))])),
        ("sort", Value::Array(vec![object([(sort.as_ref(), object([("order", Value::from(order))]))])])),
        ("size", Value::from(limits.max_result_window)),
        ("track_total_hits", Value::from(true)),
        ("_source", Value::from(false)),
    ]);
    Ok(Arc::new(SearchRequest::parse(Some(&body.to_bytes()), &[])?))
}

fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Object(fields.into_iter().collect())
}

/// The field that a name means.
enum Field {
    Text(String),
    Keyword(String),
    Time(String),
    Flag,
}

impl Field {
    fn named(name: &str) -> Option<Self> {
        let (name, is_exact) = name.strip_suffix(".keyword").map_or((name, false), |name| (name, true));
        let name = name.strip_suffix(".recipient").unwrap_or(name);
        let own = match name.split_once('.').and_then(|(kind, field)| Some((Kind::named(kind)?.0, field))) {
            Some((kind, field)) => format!("{}.{field}", kind.name()),
            None => name.to_owned(),
        };
        let known = |names: &[&str]| names.contains(&own.as_str());
        if known(TEXTS) {
            return Some(if is_exact { Self::Keyword(format!("{own}.keyword")) } else { Self::Text(own) });
        }
        let found = match own.as_str() {
            "is_enabled" => Self::Flag,
            _ if known(TIMES) => Self::Time(own),
            _ if known(KEYWORDS) => Self::Keyword(own),
            _ => return None,
        };
        (!is_exact).then_some(found)
    }
}

fn filter(name: &str, value: &str) -> Result<Value> {
    let single = |kind: &str, field: &str, value: Value| Ok(object([(kind, object([(field, value)]))]));
    let all = |fields: Vec<Value>| {
        let query = object([("query", Value::from(value)), ("fields", Value::Array(fields))]);
        Ok(object([("query_string", query)]))
    };
    match name {
        "query" => {
            let exact = TEXTS.iter().map(|text| format!("{text}.keyword"));
            let names = TEXTS.iter().chain(KEYWORDS).map(|name| (*name).to_owned()).chain(exact);
            return all(names.map(Value::from).collect());
        }
        "text_query" => return all(TEXTS.iter().map(|text| Value::from(*text)).collect()),
        _ => {}
    }
    match Field::named(name) {
        Some(Field::Text(field)) => single("match", &field, Value::from(value)),
        Some(Field::Keyword(field)) => {
            let own = |item: &str| match Kind::named(item) {
                Some((kind, _)) if field == "config_type" => Value::from(kind.name()),
                _ => Value::from(item),
            };
            single("terms", &field, Value::Array(value.split(',').map(|item| own(item.trim())).collect()))
        }
        Some(Field::Flag) => match value {
            "true" | "" => single("term", "is_enabled", Value::from(true)),
            "false" => single("term", "is_enabled", Value::from(false)),
            _ => Err(Error::illegal_argument(format!(
                "Failed to parse value [{value}] as only [true] or [false] are allowed."
            ))),
        },
        Some(Field::Time(field)) => single("range", &field, time_range(value)?),
        None => Err(status(406, format!("Query on {name} not acceptable"))),
    }
}

/// A time alone, or `from..to` with both of them in it; either may be left out.
fn time_range(value: &str) -> Result<Value> {
    let parts: Vec<&str> = value.split("..").collect();
    let (from, to) = match parts[..] {
        [exact] => (exact, exact),
        [from, to] => (from, to),
        _ => {
            let reason = format!("Invalid Range format {value}, allowed format 'exact' or 'from..to'");
            return Err(status(406, reason));
        }
    };
    let bounds = [("gte", from), ("lte", to)].into_iter().filter(|(_, bound)| !bound.trim().is_empty());
    Ok(Value::Object(bounds.map(|(key, bound)| (key, Value::from(bound.trim()))).collect()))
}

fn sort_field(name: Option<&str>) -> Result<Cow<'static, str>> {
    match name.map(|name| (name, Field::named(name))) {
        None => Ok("last_updated_time_ms".into()),
        // By the name that is shown, of which each configuration has one.
        Some(("config_type", _)) => Ok("type_name".into()),
        Some((_, Some(Field::Text(field)))) => Ok(format!("{field}.keyword").into()),
        Some((_, Some(Field::Keyword(field) | Field::Time(field)))) => Ok(field.into()),
        Some((_, Some(Field::Flag))) => Ok("is_enabled".into()),
        Some((name, None)) => Err(status(406, format!("Sort on {name} not acceptable"))),
    }
}

/// The configurations as the only segment of a shard, in their order.
fn shard(configs: &[(&Arc<str>, &Arc<Stored>)]) -> Result<ShardContext> {
    let mapping = mapping()?;
    let mut buffer = Buffer::new();
    for (seq_no, (id, stored)) in (0..).zip(configs) {
        let (source, mut ops) = (document(stored).to_bytes(), vec![]);
        let parsed = mapping.parse_document(&source, id, &mut DocumentScratch::default(), &mut ops)?;
        if !matches!(parsed, Parsed::Ready) {
            return Err(Error::new(ErrorKind::IllegalState, format!("a field of [{id}] is not in the mapping")));
        }
        let doc = IndexDocument { id, routing: None, source: None, seq_no, version: 1, primary_term: 1, ops };
        buffer.add(&mapping, &doc)?;
    }
    let mut snapshot = Snapshot::default();
    if !configs.is_empty() {
        let (bytes, live) = block_on_ready(seal(&buffer, "_notifications", &Pace::never()))?;
        let segment = Segment::open("_notifications", bytes.into())?;
        snapshot.segments.push(SegmentView { segment, live: live.map(Arc::new) });
    }
    Ok(ShardContext {
        index: "_notifications".into(),
        index_uuid: "_na_".into(),
        shard: 0,
        node_id: "".into(),
        mapping,
        snapshot: Arc::new(snapshot),
        now_ms: 0,
        limits: SearchLimits::default(),
        profile: None,
        search: None,
        sees_all: false,
    })
}

/// The mapping of all fields; made once.
fn mapping() -> Result<Arc<Mapping>> {
    static MAPPING: OnceLock<Arc<Mapping>> = OnceLock::new();
    if let Some(mapping) = MAPPING.get() {
        return Ok(mapping.clone());
    }
    let kind = |name: &str| ("type", Value::from(name));
    let exact = object([("keyword", object([kind("keyword"), ("ignore_above", Value::from(8191))]))]);
    let text = object([kind("text"), ("fields", exact)]);
    let time = object([kind("date"), ("format", Value::from("epoch_millis"))]);
    let mut fields =
        Map::from_iter([("is_enabled", object([kind("boolean")])), ("type_name", object([kind("keyword")]))]);
    TEXTS.iter().for_each(|name| fields.insert(*name, text.clone()));
    KEYWORDS.iter().for_each(|name| fields.insert(*name, object([kind("keyword")])));
    TIMES.iter().for_each(|name| fields.insert(*name, time.clone()));
    let source = object([("dynamic", Value::from("strict")), ("properties", Value::Object(fields))]);
    let mapping = Mapping::parse(&source, &Registry::built_in(), &MappingSettings::default())?;
    Ok(MAPPING.get_or_init(|| Arc::new(mapping)).clone())
}

/// What of a configuration can be searched.
fn document(stored: &Stored) -> Value {
    let config = &stored.config;
    let (kind, data) = (config.kind(), config.data.to_value());
    let mut document = Map::new();
    document.insert("name", config.name.as_str());
    document.insert("description", config.description.as_str());
    let names = [Some(kind.name()), kind.synonym()].into_iter().flatten();
    document.insert("config_type", Value::Array(names.map(Value::from).collect()));
    document.insert("type_name", config.type_name);
    document.insert("is_enabled", config.is_enabled);
    document.insert("last_updated_time_ms", stored.updated_ms);
    document.insert("created_time_ms", stored.created_ms);
    for (field, value) in data.as_object().into_iter().flat_map(Map::iter) {
        let name = format!("{}.{field}", kind.name());
        let value = match value {
            Value::Array(items) => Value::Array(items.iter().map(plain).collect()),
            value => value.clone(),
        };
        if TEXTS.contains(&name.as_str()) || KEYWORDS.contains(&name.as_str()) {
            document.insert(name, value);
        }
    }
    Value::Object(document)
}

/// A recipient without the object around it.
fn plain(item: &Value) -> Value {
    item.get("recipient").unwrap_or(item).clone()
}

#[cfg(test)]
mod tests {
    use super::super::store::tests::{config, create, mails};
    use super::super::store::{Change, apply};
    use super::*;

    fn sample() -> Configs {
        let mut configs = mails();
        let made = [
            ("a", config("Red Alert", "slack", r#"{"url":"https://hooks.example.org/red?x=1"}"#)),
            ("b", config("blue alert", "chat_a", r#"{"url":"https://domain.com/sample_a"}"#)),
            ("t", config("topic", "sns", r#"{"topic_arn":"arn:aws:sns:us-east-1:012345678912:t"}"#)),
            ("w", {
                let mut config = config("hook", "webhook", r#"{"url":"https://domain.com/sample_b"}"#);
                config.is_enabled = false;
                config
            }),
        ];
        for (now_ms, (id, config)) in (11..).zip(made) {
            apply(&mut configs, create(id, config), now_ms).unwrap();
        }
        configs
    }

    /// Ids, or the error.
    fn list(filters: &[(&str, &str)]) -> String {
        let filters = filters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        page(&Asked { filters, max: 100, ..Asked::default() })
    }

    fn page(asked: &Asked) -> String {
        match find(&sample(), asked) {
            Ok(found) => found.configs.iter().map(|(id, _)| &**id).collect::<Vec<_>>().join(""),
            Err(error) => format!("{} {}", error.status(), error.reason()),
        }
    }

    #[test]
    fn texts_match_by_their_words() {
        assert_eq!(list(&[]), "sgeabtw");
        assert_eq!(list(&[("name", "alert")]), "ab");
        assert_eq!(list(&[("name", "RED green")]), "a");
        assert_eq!(list(&[("name.keyword", "Red Alert")]), "a");
        assert_eq!(list(&[("name.keyword", "red alert")]), "");
        assert_eq!(list(&[("chat_a.url", "domain.com")]), "b");
        assert_eq!(list(&[("slack.url", "red")]), "a");
        assert_eq!(list(&[("email_group.recipient_list", "two")]), "g");
        assert_eq!(list(&[("email.recipient_list.recipient", "example.net")]), "e");
        assert_eq!(list(&[("smtp_account.from_address", "from")]), "s");
        assert_eq!(list(&[("topic.topic_arn", "012345678912")]), list(&[("sns.topic_arn", "us east 1")]));
    }

    #[test]
    fn keywords_match_exactly() {
        assert_eq!(list(&[("config_type", "chat_a")]), "ab");
        assert_eq!(list(&[("config_type", "slack,topic")]), "abt");
        assert_eq!(list(&[("config_type", "chat")]), "");
        assert_eq!(list(&[("email.email_account_id", "s"), ("email.email_group_id_list", "x,g")]), "e");
        assert_eq!(list(&[("smtp_account.method", "ssl, none")]), "s");
        assert_eq!(list(&[("is_enabled", "false")]), "w");
        assert_eq!(list(&[("is_enabled", "true"), ("name", "hook alert")]), "ab");
    }

    #[test]
    fn times_are_ranges() {
        assert_eq!(list(&[("created_time_ms", "2..11")]), "gea");
        assert_eq!(list(&[("last_updated_time_ms", "12")]), "b");
        assert_eq!(list(&[("created_time_ms", "13..")]), "tw");
        assert!(list(&[("created_time_ms", "soon")]).starts_with("400 "), "{}", list(&[("created_time_ms", "soon")]));
        assert_eq!(
            list(&[("created_time_ms", "1..2..3")]),
            "406 Invalid Range format 1..2..3, allowed format 'exact' or 'from..to'"
        );
    }

    #[test]
    fn query_strings_look_at_all_fields_or_at_texts() {
        assert_eq!(list(&[("query", "slack")]), "ab");
        assert_eq!(list(&[("text_query", "slack")]), "");
        assert_eq!(list(&[("text_query", "sample_*")]), "bw");
        assert_eq!(list(&[("query", "*.example.*")]), "sa");
        assert_eq!(list(&[("query", "alert AND NOT red")]), "b");
    }

    #[test]
    fn lists_are_sorted_and_paged() {
        let asked = Asked { max: 3, sort_field: Some("config_type".into()), ..Asked::default() };
        assert_eq!(page(&asked), "beg");
        assert_eq!(page(&Asked { from: 3, ..asked.clone() }), "ast");
        assert_eq!(page(&Asked { descending: true, sort_field: Some("name".into()), ..asked.clone() }), "tsw");
        assert_eq!(page(&Asked { sort_field: Some("topic.topic_arn".into()), max: 2, ..asked.clone() }), "ts");
        assert_eq!(
            page(&Asked { sort_field: Some("color".into()), ..asked.clone() }),
            "406 Sort on color not acceptable"
        );
        assert_eq!(page(&Asked { from: 100, ..asked.clone() }), "");
        let found = find(&sample(), &asked).unwrap();
        assert_eq!((found.total, found.configs.len()), (7, 3));
        assert_eq!(find(&Configs::new(), &asked).unwrap(), Found { total: 0, configs: vec![] });
    }

    #[test]
    fn what_may_not_be_seen_is_not_there_unless_it_is_named() {
        let mut configs = sample();
        let chat = config("chat", "chat_b", r#"{"url":"https://a.co"}"#);
        let change = Change::Create { id: "o".into(), config: chat, access: vec!["ops".into()] };
        apply(&mut configs, change, 20).unwrap();
        let asked = |role: &str, ids: &[&str]| {
            let viewer = Viewer::Roles(vec![role.to_owned()]);
            let ids = ids.iter().map(|id| (*id).to_owned()).collect();
            find(&configs, &Asked { viewer, ids, max: 100, ..Asked::default() })
        };
        assert_eq!((asked("ops", &[]).unwrap().total, asked("dev", &[]).unwrap().total), (8, 7));
        assert_eq!(asked("ops", &["o"]).unwrap().total, 1);
        assert_eq!(asked("dev", &["a", "o"]).unwrap_err().status(), 403);
    }

    #[test]
    fn named_ones_must_be_there() {
        let asked = |ids: &[&str]| {
            let ids = ids.iter().map(|id| (*id).to_owned()).collect();
            page(&Asked { ids, max: 9, ..Asked::default() })
        };
        assert_eq!(asked(&["w", "a"]), "aw");
        assert_eq!(asked(&["no"]), "404 NotificationConfig no not found");
        assert_eq!(asked(&["no", "a"]), "404 NotificationConfig [no] not found");
    }
}
