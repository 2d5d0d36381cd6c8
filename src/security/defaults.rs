//! What is there from the start: action groups, roles and tenants that nobody can change, and the entries of a new cluster. Names and contents
//! are those that clients and documentation of the security plugin go by.

use super::store::Section;
use pith_engine::json::{Map, Value};

/// Name, kind, description, actions.
const GROUPS: &[(&str, &str, &str, &[&str])] = &[
    ("cluster_all", "cluster", "Allow everything on cluster level", &["cluster:*"]),
    (
        "cluster_composite_ops",
        "cluster",
        "Allow read/write bulk and m* operations",
        &[
            "indices:data/write/bulk",
            "indices:admin/aliases*",
            "indices:data/write/reindex",
            "cluster_composite_ops_ro",
        ],
    ),
    (
        "cluster_composite_ops_ro",
        "cluster",
        "Allow readonly bulk and m* operations",
        &[
            "indices:data/read/mget",
            "indices:data/read/msearch",
            "indices:data/read/mtv",
            "indices:admin/aliases/exists*",
            "indices:admin/aliases/get*",
            "indices:data/read/scroll",
            "indices:admin/resolve/index",
        ],
    ),
    (
        "cluster_manage_index_templates",
        "cluster",
        "Manage index templates",
        &["indices:admin/template/*", "indices:admin/index_template/*", "cluster:admin/component_template/*"],
    ),
    ("cluster_manage_pipelines", "cluster", "Manage pipelines", &["cluster:admin/ingest/pipeline/*"]),
    ("cluster_monitor", "cluster", "Allow monitoring the cluster", &["cluster:monitor/*"]),
    ("create_index", "index", "Allow creating new indices", &["indices:admin/create", "indices:admin/mapping/put"]),
    ("crud", "index", "Allow all read/write operations on data", &["read", "write"]),
    ("data_access", "index", "Allow all read/write operations on data", &["indices:data/*", "crud"]),
    ("delete", "index", "Allow deleting documents", &["indices:data/write/delete*"]),
    ("get", "index", "Allow get", &["indices:data/read/get*", "indices:data/read/mget*"]),
    (
        "index",
        "index",
        "Allow indexing",
        &[
            "indices:data/write/index*",
            "indices:data/write/update*",
            "indices:admin/mapping/put",
            "indices:data/write/bulk*",
        ],
    ),
    ("indices_all", "index", "Allow everything on indices", &["indices:*"]),
    ("indices_monitor", "index", "Allow monitoring indices", &["indices:monitor/*"]),
    ("kibana_all_read", "kibana", "Allow reading in all OpenSearch Dashboards apps", &["kibana:saved_objects/*/read"]),
    (
        "kibana_all_write",
        "kibana",
        "Allow writing in all OpenSearch Dashboards apps",
        &["kibana:saved_objects/*/write"],
    ),
    ("manage", "index", "Allow indices management", &["indices:monitor/*", "indices:admin/*"]),
    ("manage_aliases", "index", "Allow managing index aliases", &["indices:admin/aliases*"]),
    (
        "manage_data_streams",
        "index",
        "Manage data streams",
        &["indices:admin/data_stream/*", "indices:monitor/data_stream/stats"],
    ),
    (
        "manage_point_in_time",
        "index",
        "Manage point in time actions",
        &[
            "indices:data/read/point_in_time/create",
            "indices:data/read/point_in_time/delete",
            "indices:data/read/point_in_time/readall",
            "indices:data/read/search",
            "indices:monitor/point_in_time/segments",
        ],
    ),
    ("manage_snapshots", "cluster", "Allow snapshots", &["cluster:admin/snapshot/*", "cluster:admin/repository/*"]),
    (
        "read",
        "index",
        "Allow all read operations",
        &["indices:data/read*", "indices:admin/mappings/fields/get*", "indices:admin/resolve/index"],
    ),
    (
        "search",
        "index",
        "Allow searching",
        &["indices:data/read/search*", "indices:data/read/msearch*", "indices:admin/resolve/index", "suggest"],
    ),
    ("suggest", "index", "Allow suggestions", &["indices:data/read/suggest*"]),
    ("unlimited", "all", "Allow all", &["*"]),
    ("write", "index", "Allow writing data", &["indices:data/write*", "indices:admin/mapping/put"]),
];

/// Index patterns and what is allowed on them.
type Grants = &'static [(&'static [&'static str], &'static [&'static str])];

/// A role that is there from the start.
struct Built {
    name: &'static str,
    description: &'static str,
    cluster: &'static [&'static str],
    indexes: Grants,
    tenants: Grants,
}

const DASHBOARDS: &[&str] = &[
    ".kibana",
    ".kibana-6",
    ".kibana_*",
    ".opensearch_dashboards",
    ".opensearch_dashboards-6",
    ".opensearch_dashboards_*",
];

const STATIC_ROLES: &[Built] = &[
    Built {
        name: "all_access",
        description: "Allow full access to all indices and all cluster APIs",
        cluster: &["*"],
        indexes: &[(&["*"], &["*"])],
        tenants: &[(&["*"], &["kibana_all_write"])],
    },
    Built {
        name: "kibana_server",
        description: "Provide the minimum permissions for the Kibana server",
        cluster: &[
            "cluster_monitor",
            "cluster_composite_ops",
            "manage_point_in_time",
            "indices:admin/template*",
            "indices:admin/index_template*",
            "indices:data/read/scroll*",
        ],
        indexes: &[
            (DASHBOARDS, &["indices_all"]),
            (&[".tasks"], &["indices_all"]),
            (&[".management-beats*"], &["indices_all"]),
            (&["*"], &["indices:admin/aliases*"]),
        ],
        tenants: &[],
    },
    Built {
        name: "kibana_user",
        description: "Provide the minimum permissions for a kibana user",
        cluster: &["cluster_composite_ops"],
        indexes: &[
            (DASHBOARDS, &["read", "delete", "manage", "index"]),
            (&[".tasks", ".management-beats", "*:.tasks", "*:.management-beats"], &["indices_all"]),
        ],
        tenants: &[],
    },
    Built {
        name: "logstash",
        description: "Provide the minimum permissions for logstash and beats",
        cluster: &[
            "cluster_monitor",
            "cluster_composite_ops",
            "indices:admin/template/get",
            "indices:admin/template/put",
            "cluster:admin/ingest/pipeline/put",
            "cluster:admin/ingest/pipeline/get",
        ],
        indexes: &[
            (&["logstash-*", "ecs-logstash-*"], &["crud", "create_index"]),
            (&["*beat*"], &["crud", "create_index"]),
        ],
        tenants: &[],
    },
    Built {
        name: "manage_snapshots",
        description: "Provide the minimum permissions for managing snapshots",
        cluster: &["manage_snapshots"],
        indexes: &[(&["*"], &["indices:data/write/index", "indices:admin/create"])],
        tenants: &[],
    },
    Built {
        name: "own_index",
        description: "Allow all for indices named like the current user",
        cluster: &["cluster_composite_ops"],
        indexes: &[(&["${user_name}"], &["indices_all"])],
        tenants: &[],
    },
    Built {
        name: "readall",
        description: "Provide the minimum permissions for to readall indices",
        cluster: &["cluster_composite_ops_ro"],
        indexes: &[(&["*"], &["read"])],
        tenants: &[],
    },
    Built {
        name: "readall_and_monitor",
        description: "Provide the minimum permissions for to readall indices and monitor the cluster",
        cluster: &["cluster_monitor", "cluster_composite_ops_ro"],
        indexes: &[(&["*"], &["read"])],
        tenants: &[],
    },
];

/// Roles that a new cluster has, reserved.
const RESERVED_ROLES: &[Built] = &[
    Built { name: "kibana_read_only", description: "", cluster: &[], indexes: &[], tenants: &[] },
    Built { name: "security_rest_api_access", description: "", cluster: &[], indexes: &[], tenants: &[] },
    Built {
        name: "security_rest_api_full_access",
        description: "",
        cluster: &[
            "restapi:admin/actiongroups",
            "restapi:admin/internalusers",
            "restapi:admin/roles",
            "restapi:admin/rolesmapping",
            "restapi:admin/tenants",
        ],
        indexes: &[],
        tenants: &[],
    },
    Built {
        name: "cross_cluster_search_remote_full_access",
        description: "",
        cluster: &[],
        indexes: &[(&["*"], &["indices:admin/shards/search_shards", "indices:data/read/search"])],
        tenants: &[],
    },
    Built {
        name: "notifications_full_access",
        description: "",
        cluster: &["cluster:admin/opensearch/notifications/*"],
        indexes: &[],
        tenants: &[],
    },
    Built {
        name: "notifications_read_access",
        description: "",
        cluster: &[
            "cluster:admin/opensearch/notifications/channels/get",
            "cluster:admin/opensearch/notifications/configs/get",
            "cluster:admin/opensearch/notifications/features",
        ],
        indexes: &[],
        tenants: &[],
    },
    Built {
        name: "point_in_time_full_access",
        description: "",
        cluster: &[],
        indexes: &[(&["*"], &["manage_point_in_time"])],
        tenants: &[],
    },
];

/// Role, users, backend roles, description, whether it is reserved.
type MappingRow = (&'static str, &'static [&'static str], &'static [&'static str], &'static str, bool);

const MAPPINGS: &[MappingRow] = &[
    ("all_access", &[], &["admin"], "Maps admin to all_access", false),
    ("kibana_server", &["kibanaserver"], &[], "", true),
    ("kibana_user", &[], &["kibanauser"], "Maps kibanauser to kibana_user", false),
    ("logstash", &[], &["logstash"], "", false),
    ("manage_snapshots", &[], &["snapshotrestore"], "", false),
    ("own_index", &["*"], &[], "Allow full access to an index named like the username", false),
    ("readall", &[], &["readall"], "", false),
];

fn list(items: &[&str]) -> Value {
    Value::Array(items.iter().map(|item| Value::from(*item)).collect())
}

fn with_description(map: &mut Map, description: &str) {
    if !description.is_empty() {
        map.insert("description", description);
    }
}

fn flags(reserved: bool) -> Map {
    Map::from_iter([("reserved", reserved), ("hidden", false)])
}

fn role(built: &Built, is_static: bool) -> Map {
    let mut map = flags(true);
    with_description(&mut map, built.description);
    map.insert("cluster_permissions", list(built.cluster));
    let grant = |(patterns, actions): &(&[&str], &[&str])| {
        Value::Object(Map::from_iter([
            ("index_patterns", list(patterns)),
            ("fls", Value::Array(vec![])),
            ("masked_fields", Value::Array(vec![])),
            ("allowed_actions", list(actions)),
        ]))
    };
    map.insert("index_permissions", Value::Array(built.indexes.iter().map(grant).collect()));
    let tenant = |(patterns, actions): &(&[&str], &[&str])| {
        Value::Object(Map::from_iter([("tenant_patterns", list(patterns)), ("allowed_actions", list(actions))]))
    };
    map.insert("tenant_permissions", Value::Array(built.tenants.iter().map(tenant).collect()));
    map.insert("static", is_static);
    map
}

/// What is there always and cannot be changed.
pub fn statics() -> impl Iterator<Item = (Section, String, Map)> {
    let groups = GROUPS.iter().map(|(name, kind, description, actions)| {
        let mut map = flags(true);
        map.insert("allowed_actions", list(actions));
        map.insert("type", *kind);
        map.insert("description", *description);
        map.insert("static", true);
        (Section::Groups, (*name).to_owned(), map)
    });
    let roles = STATIC_ROLES.iter().map(|built| (Section::Roles, built.name.to_owned(), role(built, true)));
    let mut tenant = flags(true);
    tenant.insert("description", "Global tenant");
    tenant.insert("static", true);
    groups.chain(roles).chain([(Section::Tenants, "global_tenant".to_owned(), tenant)])
}

/// What a new cluster begins with.
pub fn initial(admin_hash: &str) -> Vec<(Section, String, Map)> {
    let mut admin = Map::new();
    admin.insert("hash", admin_hash);
    admin.insert("reserved", true);
    admin.insert("hidden", false);
    admin.insert("backend_roles", list(&["admin"]));
    admin.insert("attributes", Map::new());
    admin.insert("description", "The user that administers the cluster");
    admin.insert("opendistro_security_roles", list(&[]));
    admin.insert("static", false);
    let mut tenant = flags(false);
    tenant.insert("description", "Tenant for admin user");
    tenant.insert("static", false);
    let mut all =
        vec![(Section::Users, "admin".to_owned(), admin), (Section::Tenants, "admin_tenant".to_owned(), tenant)];
    all.extend(RESERVED_ROLES.iter().map(|built| (Section::Roles, built.name.to_owned(), role(built, false))));
    all.extend(MAPPINGS.iter().map(|(role, users, backend_roles, description, reserved)| {
        let mut map = flags(*reserved);
        map.insert("backend_roles", list(backend_roles));
        map.insert("hosts", list(&[]));
        map.insert("users", list(users));
        map.insert("and_backend_roles", list(&[]));
        with_description(&mut map, description);
        (Section::Mappings, (*role).to_owned(), map)
    }));
    all
}
