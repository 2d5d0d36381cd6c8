//! Certificates for tests (they hold for `localhost` and the loopback addresses for a hundred years), and what is wrong with others.

use super::*;

pub const AUTHORITY: &[u8] = include_bytes!("testdata/ca.pem");
pub const ANOTHER_AUTHORITY: &[u8] = include_bytes!("testdata/another-ca.pem");
const CERTIFICATE: &[u8] = include_bytes!("testdata/cert.pem");
const KEY: &[u8] = include_bytes!("testdata/key.pem");

fn parts() -> ServerTls {
    ServerTls { certificates: CERTIFICATE.to_vec(), key: KEY.to_vec(), ..ServerTls::default() }
}

pub fn acceptor() -> Acceptor {
    Acceptor::new(&parts()).expect("certificate and key go together")
}

/// Trusts the authority of [`acceptor`].
pub fn connector() -> Connector {
    stranger(AUTHORITY)
}

pub fn stranger(authority: &[u8]) -> Connector {
    Connector::trusting(authority).expect("an authority")
}

#[test]
fn errors_say_what_is_wrong() {
    let error = |tls: ServerTls| Acceptor::new(&tls).err().expect("something is wrong");
    let none = error(ServerTls { certificates: b"none".to_vec(), ..parts() });
    assert_eq!(none, "the certificate file holds no certificate in PEM");
    assert!(error(ServerTls { key: CERTIFICATE.to_vec(), ..parts() }).starts_with("the key file holds no private key"));
    let others = ServerTls { certificates: ANOTHER_AUTHORITY.to_vec(), ..parts() };
    assert!(error(others).starts_with("certificate and key do not go together"));
    let required = ServerTls { client_certificates: ClientCertificates::Required, ..parts() };
    assert!(error(required).contains("no authorities are given"));
    assert!(Connector::trusting(b"").is_err());
}
