//! Which addresses messages may go to. Whoever makes a channel chooses where the node connects to, so what is not on the open
//! network is out of reach unless an operator has allowed it: a channel must not be a way into the network that the node is in.
//!
//! Names are looked up once, every address that a name has is looked at, and the connection goes to one of exactly these.

use super::send::Sending;
use super::status::{FAILED_DEPENDENCY, REFUSED, Status};
use crate::settings::glob;
use ipnet::IpNet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Names that a node looks up at a time.
const LOOKUPS_MAX: usize = 8;

/// One item of a list of hosts.
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// An address or a network of them.
    Network(IpNet),
    Socket(SocketAddr),
    /// A name, with `*` for anything, and perhaps a port.
    Name(String),
}

#[derive(Clone, Debug)]
pub struct Guard {
    pub allow: Vec<Rule>,
    pub deny: Vec<Rule>,
    /// The setting that allows more.
    pub setting: &'static str,
}

impl Rule {
    pub fn parse(item: &str) -> Self {
        let bare = item.trim_matches(['[', ']']);
        if let Ok(network) = bare.parse::<IpNet>() {
            return Self::Network(network);
        }
        if let Ok(address) = bare.parse::<IpAddr>() {
            return Self::Network(address.into());
        }
        item.parse().map_or_else(|_| Self::Name(item.to_ascii_lowercase()), Self::Socket)
    }

    fn names(&self, host: &str, port: u16) -> bool {
        matches!(self, Self::Name(pattern) if glob(pattern, host) || glob(pattern, &format!("{host}:{port}")))
    }

    fn holds(&self, address: SocketAddr) -> bool {
        match self {
            Self::Network(network) => network.contains(&plain(address.ip())),
            Self::Socket(socket) => *socket == SocketAddr::new(plain(address.ip()), address.port()),
            Self::Name(_) => false,
        }
    }
}

impl Guard {
    /// The addresses of a host, if all of them may be connected to.
    pub async fn resolve(&self, cx: &Sending<'_>, host: &str, port: u16) -> Result<Vec<SocketAddr>, Status> {
        let bare = host.trim_matches(['[', ']']);
        let (limit, most) = (cx.options.connect_timeout, cx.share(LOOKUPS_MAX));
        let unknown = |why: String| Status::new(FAILED_DEPENDENCY, format!("Unknown host [{host}]: {why}"));
        let addresses = cx.deliveries.resolve(bare, port, limit, most).await;
        let addresses = addresses.map_err(|error| unknown(error.to_string()))?;
        if addresses.is_empty() {
            return Err(unknown("it has no address".to_owned()));
        }
        match self.check(bare, port, &addresses) {
            Ok(()) => Ok(addresses),
            Err(status) => {
                tracing::warn!(host, port, "a notification was refused: {}", status.text);
                Err(status)
            }
        }
    }

    /// Refuses a host that has an address which nothing permits.
    fn check(&self, host: &str, port: u16, addresses: &[SocketAddr]) -> Result<(), Status> {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let refused = |why: String| Err(Status::new(REFUSED, format!("Host of url is denied: {why}")));
        let matching = |rules: &[Rule], address: &SocketAddr| {
            rules.iter().any(|rule| rule.names(&host, port) || rule.holds(*address))
        };
        for address in addresses {
            if matching(&self.deny, address) {
                return refused(format!("[{host}] is in [opensearch.notifications.core.http.host_deny_list]"));
            }
            if !is_open(address.ip()) && !matching(&self.allow, address) {
                let ip = address.ip();
                let why = format!(
                    "[{host}] has the address [{ip}], which is not on the open network or in [{}]",
                    self.setting
                );
                return refused(why);
            }
        }
        Ok(())
    }
}

/// An address without the forms that only wrap another.
fn plain(ip: IpAddr) -> IpAddr {
    match ip {
        IpAddr::V6(v6) => v6.to_ipv4_mapped().map_or(ip, IpAddr::V4),
        v4 => v4,
    }
}

/// Whether an address belongs to the open network: to nobody's own machine, link or network, and to no service that tells a
/// machine its secrets.
fn is_open(ip: IpAddr) -> bool {
    match plain(ip) {
        IpAddr::V4(v4) => is_open_v4(v4),
        IpAddr::V6(v6) => is_open_v6(v6),
    }
}

fn is_open_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    let is_special = match (a, b, c) {
        // This network, carriers' own, protocols' own (with a cloud's metadata), benchmarks.
        (0, ..) | (100, 64..=127, _) | (192, 0, 0) | (198, 18 | 19, _) => true,
        // Multicast and what is reserved.
        (224.., ..) => true,
        _ => false,
    };
    // A cloud's machines are told of themselves from this address, although it is nobody's private one.
    let is_metadata = ip == Ipv4Addr::new(168, 63, 129, 16);
    !(is_special || is_metadata || ip.is_loopback() || ip.is_private() || ip.is_link_local() || ip.is_documentation())
}

fn is_open_v6(ip: Ipv6Addr) -> bool {
    let segments = ip.segments();
    let v4 = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match segments {
        // Ways to wrap addresses of the fourth version: they lead where those lead.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => is_open_v4(v4(high, low)),
        // Only what is global unicast is open; tunnels, documentation, and networks of one's own are not.
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false,
        [first, ..] => (0x2000..0x4000).contains(&first),
    }
}

#[cfg(test)]
mod tests {
    use super::super::options::tests::options;
    use super::*;

    #[test]
    fn only_the_open_network_is_open() {
        for open in
            ["8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "2002:808:808::1"]
        {
            assert!(is_open(open.parse().unwrap()), "{open}");
        }
        for closed in [
            "127.0.0.1",
            "127.8.8.8",
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.100.100.200",
            "192.0.0.192",
            "168.63.129.16",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "::ffff:0:127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2001:0:1::1",
            "fe80::1",
            "fec0::1",
            "fc00::1",
            "fd00:ec2::254",
            "ff02::1",
            "2001:db8::1",
            "100::1",
        ] {
            assert!(!is_open(closed.parse().unwrap()), "{closed}");
        }
    }

    fn checked(settings: &[(&str, &str)], host: &str, addresses: &[&str]) -> String {
        let addresses: Vec<SocketAddr> =
            addresses.iter().map(|ip| (ip.parse::<IpAddr>().unwrap(), 80).into()).collect();
        match options(settings).http.check(host, 80, &addresses) {
            Ok(()) => "open".to_owned(),
            Err(status) => format!("{} {}", status.code, status.text),
        }
    }

    #[test]
    fn every_address_of_a_name_counts() {
        assert_eq!(checked(&[], "a.example", &["8.8.8.8", "1.1.1.1"]), "open");
        assert_eq!(
            checked(&[], "a.example", &["8.8.8.8", "127.0.0.1"]),
            "403 Host of url is denied: [a.example] has the address [127.0.0.1], which is not on the open network or in \
             [notifications.http.host_allow_list]"
        );
    }

    #[test]
    fn lists_allow_and_deny_by_address_network_and_name() {
        let allow =
            |list: &str, host: &str, ip: &str| checked(&[("notifications.http.host_allow_list", list)], host, &[ip]);
        for list in ["127.0.0.1", "127.0.0.0/8", "127.0.0.1:80", "localhost", "LOCAL*", "localhost:80", "x,localhost"] {
            assert_eq!(allow(list, "localhost", "127.0.0.1"), "open", "{list}");
            assert_eq!(allow(list, "LOCALHOST.", "::ffff:127.0.0.1"), "open", "{list}");
        }
        for list in ["127.0.0.2", "10.0.0.0/8", "127.0.0.1:81", "local", "localhost:81", ""] {
            assert!(allow(list, "localhost", "127.0.0.1").starts_with("403 "), "{list}");
        }
        assert_eq!(allow("[::1]", "::1", "::1"), "open");
        assert_eq!(allow("[::1]:80", "::1", "::1"), "open");
        let deny = |list: &str| {
            let settings = [
                ("opensearch.notifications.core.http.host_deny_list", list),
                ("notifications.http.host_allow_list", "*"),
            ];
            checked(&settings, "a.example", &["8.8.8.8"])
        };
        assert_eq!(deny("b.example"), "open");
        for list in ["8.8.0.0/16", "a.example", "8.8.8.8"] {
            assert_eq!(
                deny(list),
                "403 Host of url is denied: [a.example] is in [opensearch.notifications.core.http.host_deny_list]"
            );
        }
    }
}
