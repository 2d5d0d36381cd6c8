//! Settings that name nodes: `include`, `exclude` and `require`, each with values by attribute.

use super::Node;
use crate::settings::{Setting, glob};
use pith_engine::java_order::java_ordered;
use pith_engine::json::{Map, Value};

/// The values by attribute of one group of settings, and how many of them have to match.
#[derive(Debug)]
pub struct NodeFilters {
    by_attribute: Vec<(String, Vec<String>)>,
    takes: Takes,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Takes {
    /// One value of one attribute.
    Any,
    /// Every value of every attribute.
    All,
}

impl NodeFilters {
    /// Reads settings whose keys begin with `prefix`, which ends before the attribute. Tiers are left out: one node has all of
    /// them. `None` where nothing is left that a node could fail.
    pub fn read<'a>(
        settings: impl Iterator<Item = (&'a str, &'a Setting)>,
        prefix: &str,
        takes: Takes,
    ) -> Option<Self> {
        let values = |setting: &Setting| -> Vec<String> {
            let text = setting.text();
            text.split(',').map(str::trim).filter(|value| !value.is_empty()).map(str::to_owned).collect()
        };
        let by_attribute: Vec<(String, Vec<String>)> = settings
            .filter_map(|(key, setting)| Some((key.strip_prefix(prefix)?.to_owned(), values(setting))))
            .filter(|(attribute, values)| !values.is_empty() && !attribute.starts_with("_tier"))
            .collect();
        (!by_attribute.is_empty()).then_some(Self { by_attribute, takes })
    }

    pub fn matches(&self, node: &Node) -> bool {
        let matches = |(attribute, values): &(String, Vec<String>)| {
            // Of several addresses one is enough: a node has no two.
            let any = self.takes == Takes::Any || matches!(attribute.as_str(), "_ip" | "_host_ip" | "_publish_ip");
            match any {
                true => values.iter().any(|value| has(node, attribute, value)),
                false => values.iter().all(|value| has(node, attribute, value)),
            }
        };
        match self.takes {
            Takes::Any => self.by_attribute.iter().any(matches),
            Takes::All => self.by_attribute.iter().all(matches),
        }
    }

    /// The filters as explanations name them.
    pub fn text(&self) -> String {
        let between = if self.takes == Takes::Any { " OR " } else { " AND " };
        let entries = self.by_attribute.iter();
        let map: Map = entries.map(|(name, values)| (name.as_str(), Value::from(values.join(between)))).collect();
        let texts = java_ordered(map);
        let texts: Vec<String> =
            texts.iter().map(|(name, values)| format!("{name}:\"{}\"", values.as_str().unwrap_or_default())).collect();
        texts.join(",")
    }
}

/// Whether a node has a value, in which `*` stands for anything.
fn has(node: &Node, attribute: &str, value: &str) -> bool {
    let publish_ip = node.transport_address.rsplit_once(':').map_or("", |(ip, _)| ip);
    let publish_ip = publish_ip.trim_start_matches('[').trim_end_matches(']');
    match attribute {
        "_ip" => glob(value, &node.ip) || glob(value, publish_ip),
        "_host_ip" => glob(value, &node.ip),
        "_publish_ip" => glob(value, publish_ip),
        "_host" => glob(value, &node.host) || glob(value, &node.ip),
        "_id" => *node.id == *value,
        "_name" | "name" => glob(value, &node.name),
        other => node.attributes.get(other).is_some_and(|own| glob(value, own)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    fn node() -> Node {
        Node {
            id: "x1".into(),
            ephemeral_id: "e".into(),
            name: "node-1".into(),
            host: "h".into(),
            ip: "10.0.0.7".into(),
            transport_address: "10.0.1.7:9300".into(),
            http_address: "10.0.0.7:9200".into(),
            roles: vec![],
            attributes: [("zone".to_owned(), "a1".to_owned())].into(),
            cores: 1,
        }
    }

    fn filters(entries: &[(&str, &str)], takes: Takes) -> Option<NodeFilters> {
        let mut settings = Settings::new();
        entries.iter().for_each(|(key, value)| settings.insert(format!("p.{key}"), *value));
        NodeFilters::read(settings.with_prefix("p."), "p.", takes)
    }

    #[test]
    fn attributes() {
        for (attribute, value) in [
            ("_name", "node-*"),
            ("_name", "y,node-1"),
            ("_id", "x1"),
            ("_host", "h"),
            ("_host", "10.0.*"),
            ("_ip", "10.0.0.7"),
            ("_ip", "10.0.1.7"),
            ("_host_ip", "10.0.0.*"),
            ("_publish_ip", "10.0.1.*"),
            ("zone", "b, a*"),
        ] {
            let any = filters(&[(attribute, value)], Takes::Any).unwrap();
            assert!(any.matches(&node()), "{attribute} {value}");
        }
        for (attribute, value) in
            [("_name", "node"), ("_id", "x*"), ("_host_ip", "10.0.1.7"), ("zone", "b"), ("rack", "*")]
        {
            let any = filters(&[(attribute, value)], Takes::Any).unwrap();
            assert!(!any.matches(&node()), "{attribute} {value}");
        }
    }

    #[test]
    fn any_and_all() {
        let entries = [("_name", "node-1"), ("zone", "b")];
        assert!(filters(&entries, Takes::Any).unwrap().matches(&node()));
        assert!(!filters(&entries, Takes::All).unwrap().matches(&node()));
        assert!(!filters(&[("_name", "node-1,zz")], Takes::All).unwrap().matches(&node()));
        assert!(filters(&[("_ip", "1.1.1.1,10.0.0.7")], Takes::All).unwrap().matches(&node()));
        assert_eq!(
            filters(&[("_ip", "127.0.0.1"), ("zone", "q,r")], Takes::All).unwrap().text(),
            "zone:\"q AND r\",_ip:\"127.0.0.1\""
        );
    }

    #[test]
    fn nothing_to_fail() {
        assert!(filters(&[("_name", " , ")], Takes::All).is_none());
        assert!(filters(&[("_tier", "data_hot")], Takes::All).is_none());
    }
}
