//! What the settings under `plugins.security.ssl.http` ask for: certificates and keys from files.

use crate::settings::Settings;
use pith_net::tls::{Acceptor, ClientCertificates, ServerTls, Versions};
use std::path::Path;

const PREFIX: &str = "plugins.security.ssl.http.";

/// Whether HTTP is spoken under TLS alone.
pub fn is_enabled(settings: &Settings) -> bool {
    settings.text("plugins.security.ssl.http.enabled") == Some("true")
}

/// What makes connections secure; `None` where HTTP is plain. Files are below `folder` unless they say otherwise.
pub fn acceptor(settings: &Settings, folder: &Path) -> Result<Option<Acceptor>, String> {
    if !is_enabled(settings) {
        return Ok(None);
    }
    let text = |key: &str| settings.text(&format!("{PREFIX}{key}")).filter(|text| !text.is_empty());
    let read = |key: &str| -> Result<Option<Vec<u8>>, String> {
        let Some(file) = text(key) else { return Ok(None) };
        let path = folder.join(file);
        std::fs::read(&path)
            .map(Some)
            .map_err(|error| format!("[{PREFIX}{key}]: cannot read [{}]: {error}", path.display()))
    };
    let required =
        |key: &str| read(key)?.ok_or_else(|| format!("[{PREFIX}{key}] must be set, as [{PREFIX}enabled] is true"));
    let tls = ServerTls {
        certificates: required("pemcert_filepath")?,
        key: required("pemkey_filepath")?,
        client_authorities: read("pemtrustedcas_filepath")?,
        client_certificates: match text("clientauth_mode").map(str::to_ascii_uppercase).as_deref() {
            Some("NONE") => ClientCertificates::None,
            Some("REQUIRE") => ClientCertificates::Required,
            _ => ClientCertificates::Optional,
        },
        versions: versions(settings)?,
    };
    Acceptor::new(&tls).map(Some).map_err(|error| format!("TLS for HTTP cannot be set up: {error}"))
}

fn versions(settings: &Settings) -> Result<Versions, String> {
    let key = format!("{PREFIX}enabled_protocols");
    let Some(listed) = settings.get(&key).map(crate::settings::Setting::list).filter(|list| !list.is_empty()) else {
        return Ok(Versions::default());
    };
    let mut versions = Versions { tls12: false, tls13: false };
    for name in &listed {
        match name.as_str() {
            "TLSv1.2" => versions.tls12 = true,
            "TLSv1.3" => versions.tls13 = true,
            _ => return Err(format!("[{key}]: [{name}] is not supported, only TLSv1.2 and TLSv1.3 are")),
        }
    }
    Ok(versions)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(pairs: &[(&str, &str)]) -> String {
        let mut settings = Settings::new();
        settings.insert("plugins.security.ssl.http.enabled", "true");
        pairs.iter().for_each(|(key, value)| settings.insert(format!("{PREFIX}{key}"), *value));
        acceptor(&settings, Path::new("/nowhere")).err().expect("something is missing")
    }

    #[test]
    fn what_is_missing_is_named() {
        assert!(acceptor(&Settings::new(), Path::new("/nowhere")).expect("TLS is off").is_none());
        assert!(error(&[]).contains("pemcert_filepath] must be set"));
        let unread = error(&[("pemcert_filepath", "a.pem")]);
        assert!(unread.contains("pemcert_filepath]: cannot read [/nowhere/a.pem]"), "{unread}");
        let mut settings = Settings::new();
        settings.insert(format!("{PREFIX}enabled_protocols"), "TLSv1.1");
        assert!(versions(&settings).unwrap_err().contains("[TLSv1.1] is not supported"));
    }
}
