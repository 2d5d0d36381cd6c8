//! The configuration of a node: flags before `-E` before the file before defaults.

use crate::api::body::{MediaType, to_json};
use crate::cluster;
use crate::settings::{Settings, cluster_setting};
use bytes::Bytes;
use pith_engine::json;
use pith_net::rt::Topology;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};

/// What the command line gives.
#[derive(Debug, Default)]
pub struct ConfigSources {
    pub file: Option<PathBuf>,
    pub settings: Vec<(String, String)>,
    pub data: Option<PathBuf>,
    pub http: Option<String>,
    pub transport: Option<String>,
    pub cores: Option<String>,
    pub insecure: bool,
}

#[derive(Clone, Debug)]
pub struct Config {
    pub cluster_name: String,
    pub node_name: String,
    pub data: PathBuf,
    /// The folder of the configuration file; without one, `config` in the data folder.
    pub folder: PathBuf,
    pub http: SocketAddr,
    pub transport: SocketAddr,
    pub topology: Topology,
    /// All that was set, by file or command line, checked.
    pub settings: Settings,
}

const CLUSTER_NAME: &str = "pith";
const DATA_FOLDER: &str = "data";
const HTTP_PORT: u16 = 9200;
const TRANSPORT_PORT: u16 = 9300;
const CORES_MAX: usize = 256;

impl Config {
    /// Reads, merges and checks everything. Errors say which key, flag or file is wrong.
    pub fn resolve(sources: ConfigSources) -> Result<Self, String> {
        let mut settings = match &sources.file {
            Some(file) => read_file(file)?,
            None => Settings::new(),
        };
        for (key, value) in sources.settings {
            settings.insert(key, value);
        }
        if let Some(data) = &sources.data {
            settings.insert("path.data", data.to_string_lossy().into_owned());
        }
        set_address(&mut settings, "http", sources.http.as_deref())?;
        set_address(&mut settings, "transport", sources.transport.as_deref())?;
        check(&settings)?;
        let topology = topology(sources.cores.as_deref().or_else(|| settings.text("node.processors")))?;
        let http = address(&settings, "http", HTTP_PORT)?;
        let transport = address(&settings, "transport", TRANSPORT_PORT)?;
        if !sources.insecure {
            let asks = cluster::is_secured(&settings);
            match (asks, super::tls::is_enabled(&settings)) {
                // Whoever connects to the transport port is turned away.
                (true, true) => {}
                (true, false) => refuse_plain_passwords(http)?,
                (false, _) => {
                    refuse_open_door("http", http)?;
                    refuse_open_door("transport", transport)?;
                }
            }
        }
        let data = data_folder(&settings)?;
        let folder = match sources.file.as_deref().map(|file| file.parent().unwrap_or(Path::new(""))) {
            Some(parent) if parent.as_os_str().is_empty() => PathBuf::from("."),
            Some(parent) => parent.to_owned(),
            None => data.join("config"),
        };
        Ok(Self {
            folder,
            cluster_name: settings.text("cluster.name").unwrap_or(CLUSTER_NAME).to_owned(),
            node_name: settings.text("node.name").map_or_else(host_name, str::to_owned),
            data,
            http,
            transport,
            topology,
            settings,
        })
    }
}

fn read_file(file: &Path) -> Result<Settings, String> {
    let name = file.display();
    let text = std::fs::read(file).map_err(|error| format!("cannot read the configuration file [{name}]: {error}"))?;
    if text.trim_ascii().is_empty() {
        return Ok(Settings::new());
    }
    let wrong = |error: pith_engine::Error| format!("the configuration file [{name}] is wrong: {}", error.reason());
    let json = to_json(MediaType::Yaml, Bytes::from(text)).map_err(wrong)?;
    let value = json::parse(&json).map_err(wrong)?;
    if value.is_null() {
        return Ok(Settings::new());
    }
    Settings::from_json(&value).map_err(wrong)
}

/// `--http ADDR:PORT` and `--transport ADDR:PORT` as the settings that they stand for.
fn set_address(settings: &mut Settings, which: &str, flag: Option<&str>) -> Result<(), String> {
    let Some(flag) = flag else { return Ok(()) };
    let (host, port) = flag
        .rsplit_once(':')
        .filter(|(host, _)| !host.is_empty())
        .ok_or_else(|| format!("--{which} [{flag}] is not ADDR:PORT"))?;
    settings.insert(format!("{which}.host"), host.trim_matches(['[', ']']));
    settings.insert(format!("{which}.port"), port);
    Ok(())
}

fn check(settings: &Settings) -> Result<(), String> {
    for (key, value) in settings.iter() {
        let row = cluster_setting(key).ok_or_else(|| {
            format!(
                "unknown setting [{key}] please check that any required plugins are installed, or check the breaking changes documentation for removed settings"
            )
        })?;
        // A port may be written as a range in opensearch.yml, which its kind does not know.
        row.check(key, value).map_err(|error| error.reason().to_owned())?;
    }
    Ok(())
}

fn topology(cores: Option<&str>) -> Result<Topology, String> {
    let Some(text) = cores.map(str::trim) else { return Ok(Topology::detect()) };
    let wrong = || format!("[{text}] is neither a number of cores nor a list of them such as 0,2,4-7");
    if !text.contains([',', '-']) {
        let count: usize = text.parse().map_err(|_| wrong())?;
        return match count {
            1..=CORES_MAX => Ok(Topology::first(count)),
            _ => Err(format!("the number of cores must be from 1 to {CORES_MAX}, not {count}")),
        };
    }
    let mut cpus: Vec<usize> = vec![];
    for part in text.split(',').map(str::trim) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.parse().map_err(|_| wrong())?, last.parse().map_err(|_| wrong())?);
        if first > last || last >= CORES_MAX * 16 {
            return Err(wrong());
        }
        cpus.extend(first..=last);
    }
    if cpus.len() > CORES_MAX {
        return Err(format!("at most {CORES_MAX} cores can be used, the list has {}", cpus.len()));
    }
    Ok(Topology::list(&cpus))
}

/// Where to listen: `http.host` before `network.host` before loopback.
fn address(settings: &Settings, which: &str, default_port: u16) -> Result<SocketAddr, String> {
    let keys =
        [format!("{which}.bind_host"), format!("{which}.host"), "network.bind_host".into(), "network.host".into()];
    let found = keys.iter().find_map(|key| Some((key.as_str(), settings.get(key)?.list())));
    let (key, hosts) = found.unwrap_or(("network.host", vec!["_local_".into()]));
    let [host] = hosts.as_slice() else {
        return Err(format!("[{key}] must name one address, not {}", hosts.len()));
    };
    let port = match settings.text(&format!("{which}.port")) {
        None => default_port,
        Some(text) => {
            text.parse().map_err(|_| format!("[{which}.port] must be one port from 0 to 65535, not [{text}]"))?
        }
    };
    let ip: IpAddr = match host.as_str() {
        "_local_" | "localhost" => IpAddr::from([127, 0, 0, 1]),
        "_site_" | "_global_" => {
            return Err(format!(
                "[{key}]: [{host}] is not supported, name the address itself (0.0.0.0 is all of them)"
            ));
        }
        name => resolve(name).map_err(|error| format!("[{key}]: no address for [{name}]: {error}"))?,
    };
    Ok(SocketAddr::new(ip, port))
}

fn resolve(name: &str) -> std::io::Result<IpAddr> {
    if let Ok(ip) = name.parse() {
        return Ok(ip);
    }
    let found = (name, 0).to_socket_addrs()?.next();
    found.map(|address| address.ip()).ok_or_else(|| std::io::Error::from(std::io::ErrorKind::NotFound))
}

/// Whoever can reach a node without security owns its data; that must be meant.
fn refuse_open_door(which: &str, address: SocketAddr) -> Result<(), String> {
    if address.ip().is_loopback() {
        return Ok(());
    }
    Err(format!(
        "refusing to serve {which} on [{address}]: security is not configured, and on this address others than this \
         machine could read, change and delete everything. Bind to a loopback address, or give --insecure if the network \
         in front of it is closed"
    ))
}

/// Passwords that others can read on their way are none.
fn refuse_plain_passwords(address: SocketAddr) -> Result<(), String> {
    if address.ip().is_loopback() {
        return Ok(());
    }
    Err(format!(
        "refusing to serve http on [{address}]: clients would send their passwords for everybody on the way to read. Set \
         [plugins.security.ssl.http.enabled] with a certificate and a key, or bind to a loopback address, or give --insecure"
    ))
}

fn data_folder(settings: &Settings) -> Result<PathBuf, String> {
    match settings.get("path.data").map(crate::settings::Setting::list).as_deref() {
        None | Some([]) => Ok(PathBuf::from(DATA_FOLDER)),
        Some([folder]) => Ok(PathBuf::from(folder)),
        Some(folders) => Err(format!("[path.data] must name one folder, not {}", folders.len())),
    }
}

fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "node".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve_with(settings: &[(&str, &str)], http: Option<&str>, insecure: bool) -> Result<Config, String> {
        let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Config::resolve(ConfigSources { settings, http: http.map(str::to_owned), insecure, ..ConfigSources::default() })
    }

    #[test]
    fn defaults_are_loopback() {
        let config = resolve_with(&[("node.name", "n")], None, false).unwrap();
        assert_eq!(config.http.to_string(), "127.0.0.1:9200");
        assert_eq!(config.transport.to_string(), "127.0.0.1:9300");
        assert_eq!((config.cluster_name.as_str(), config.node_name.as_str()), ("pith", "n"));
    }

    #[test]
    fn flags_go_before_settings() {
        let config = resolve_with(&[("http.port", "1"), ("http.host", "::1")], Some("127.0.0.2:0"), false).unwrap();
        assert_eq!(config.http.to_string(), "127.0.0.2:0");
    }

    #[test]
    fn open_doors_are_refused() {
        let error = resolve_with(&[], Some("0.0.0.0:9200"), false).unwrap_err();
        assert!(error.contains("--insecure"), "{error}");
        assert!(resolve_with(&[], Some("0.0.0.0:9200"), true).is_ok());
        assert!(resolve_with(&[("network.host", "0.0.0.0")], None, false).is_err());
    }

    #[test]
    fn whoever_asks_for_passwords_may_be_reached_under_tls() {
        let on = ("plugins.security.disabled", "false");
        let tls = ("plugins.security.ssl.http.enabled", "true");
        assert!(resolve_with(&[on, tls, ("network.host", "0.0.0.0")], None, false).is_ok());
        assert!(resolve_with(&[tls], Some("0.0.0.0:9200"), false).unwrap_err().contains("--insecure"));
        let plain = resolve_with(&[on], Some("0.0.0.0:9200"), false).unwrap_err();
        assert!(plain.contains("plugins.security.ssl.http.enabled"), "{plain}");
        assert!(resolve_with(&[on], None, false).is_ok(), "loopback is nobody's way");
    }

    #[test]
    fn mistakes_are_named() {
        assert!(resolve_with(&[("http.prot", "1")], None, false).unwrap_err().contains("unknown setting [http.prot]"));
        assert!(resolve_with(&[("search.max_buckets", "x")], None, false).unwrap_err().contains("search.max_buckets"));
        assert!(resolve_with(&[("http.port", "70000")], None, false).unwrap_err().contains("http.port"));
    }

    #[test]
    fn cores_as_number_or_list() {
        assert_eq!(topology(Some("3")).unwrap().len(), 3);
        assert_eq!(topology(Some("0,2,4-7")).unwrap(), Topology::list(&[0, 2, 4, 5, 6, 7]));
        assert!(topology(Some("0")).is_err());
        assert!(topology(Some("7-4")).is_err());
        assert!(topology(Some("x")).is_err());
    }
}
