//! What a server shows and a client trusts, from PEM.

use std::{io, sync::Arc};

use rustls::{
    ClientConfig, RootCertStore, ServerConfig, SupportedProtocolVersion,
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject},
    server::{NoServerSessionStorage, WebPkiClientVerifier},
    version::{TLS12, TLS13},
};

/// The only protocol that servers offer under TLS.
const ALPN: &[u8] = b"http/1.1";

/// Certificates that clients may show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClientCertificates {
    /// Are not asked for.
    #[default]
    None,
    /// Are asked for; one that is shown must be signed by a trusted authority.
    Optional,
    /// Without one there is no connection.
    Required,
}

/// Versions of the protocol that are spoken; one at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Versions {
    pub tls12: bool,
    pub tls13: bool,
}

impl Default for Versions {
    fn default() -> Self {
        Self { tls12: true, tls13: true }
    }
}

impl Versions {
    fn list(self) -> Vec<&'static SupportedProtocolVersion> {
        [(self.tls13, &TLS13), (self.tls12, &TLS12)].into_iter().filter(|(on, _)| *on).map(|(_, v)| v).collect()
    }
}

/// What a server needs, as the contents of PEM files.
#[derive(Clone, Debug, Default)]
pub struct ServerTls {
    /// The server's own certificate, then those that lead to an authority.
    pub certificates: Vec<u8>,
    /// Its private key: PKCS#8, PKCS#1 or SEC1, not encrypted.
    pub key: Vec<u8>,
    /// Authorities that sign certificates of clients.
    pub client_authorities: Option<Vec<u8>>,
    pub client_certificates: ClientCertificates,
    pub versions: Versions,
}

/// Makes connections that come in secure. Cheap to clone; the same on every core.
#[derive(Clone)]
pub struct Acceptor(pub(super) Arc<ServerConfig>);

/// Makes connections that go out secure. Cheap to clone; the same on every core.
#[derive(Clone)]
pub struct Connector(pub(super) Arc<ClientConfig>);

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

fn certificates(what: &str, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match read {
        Ok(certificates) if certificates.is_empty() => Err(format!("{what} holds no certificate in PEM")),
        Ok(certificates) => Ok(certificates),
        Err(error) => Err(format!("{what} is no PEM: {error}")),
    }
}

fn roots(what: &str, pem: &[u8]) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(what, pem)? {
        roots.add(certificate).map_err(|error| format!("{what} holds no certificate of an authority: {error}"))?;
    }
    Ok(roots)
}

impl Acceptor {
    /// Errors say which part is wrong.
    pub fn new(tls: &ServerTls) -> Result<Self, String> {
        let chain = certificates("the certificate file", &tls.certificates)?;
        let key = PrivateKeyDer::from_pem_slice(&tls.key).map_err(|error| {
            format!("the key file holds no private key that can be read (encrypted ones cannot): {error}")
        })?;
        let builder = ServerConfig::builder_with_provider(provider())
            .with_protocol_versions(&tls.versions.list())
            .map_err(|error| format!("the versions of TLS cannot be used: {error}"))?;
        let builder = match (tls.client_certificates, &tls.client_authorities) {
            (ClientCertificates::Required, None) => {
                return Err("certificates of clients are required, but no authorities are given that sign them".into());
            }
            (ClientCertificates::None, _) | (_, None) => builder.with_no_client_auth(),
            (wanted, Some(pem)) => {
                let roots = Arc::new(roots("the file of trusted authorities", pem)?);
                let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider());
                let verifier = match wanted {
                    ClientCertificates::Optional => verifier.allow_unauthenticated(),
                    _ => verifier,
                };
                let verifier = verifier.build().map_err(|error| format!("clients cannot be verified: {error}"))?;
                builder.with_client_cert_verifier(verifier)
            }
        };
        let mut config = builder
            .with_single_cert(chain, key)
            .map_err(|error| format!("certificate and key do not go together: {error}"))?;
        config.alpn_protocols = vec![ALPN.to_vec()];
        // Sessions live in tickets at the client: a table of ours would be shared by all cores.
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.ticketer = ring::Ticketer::new().map_err(|error| format!("no key for tickets: {error}"))?;
        config.send_tls13_tickets = 1;
        Ok(Self(Arc::new(config)))
    }
}

impl Connector {
    /// Trusts whom the system trusts. Reads files, for some milliseconds.
    pub fn system() -> io::Result<Self> {
        let found = rustls_native_certs::load_native_certs();
        let mut roots = RootCertStore::empty();
        let (added, ignored) = roots.add_parsable_certificates(found.certs);
        tracing::debug!(added, ignored, "read the authorities that the system trusts");
        if roots.is_empty() {
            let errors: Vec<String> = found.errors.iter().map(ToString::to_string).collect();
            let what = format!("the system trusts no authority, so that nobody can be verified: {}", errors.join("; "));
            return Err(io::Error::new(io::ErrorKind::NotFound, what));
        }
        Self::with_roots(roots)
    }

    /// Trusts the authorities of this PEM and nobody else.
    pub fn trusting(pem: &[u8]) -> io::Result<Self> {
        let roots = roots("the list of authorities", pem);
        Self::with_roots(roots.map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?)
    }

    fn with_roots(roots: RootCertStore) -> io::Result<Self> {
        let builder = ClientConfig::builder_with_provider(provider());
        let builder = builder.with_safe_default_protocol_versions().map_err(io::Error::other)?;
        let mut config = builder.with_root_certificates(roots).with_no_client_auth();
        // Connections are made now and then, and resuming would need a table that all cores share.
        config.resumption = rustls::client::Resumption::disabled();
        Ok(Self(Arc::new(config)))
    }
}

/// The name that a server's certificate must hold: a host's, or an address.
pub(super) fn server_name(name: &str) -> io::Result<ServerName<'static>> {
    ServerName::try_from(name.trim_matches(['[', ']']).to_owned())
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, format!("[{name}] is no name of a host")))
}
