//! The port for other nodes. This node is a cluster by itself, so nobody has anything to say here yet: whoever connects is
//! told so in the log, and the connection is closed.

use pith_net::rt::{self, StopSignal};
use std::time::{Duration, Instant};

/// A line for each stranger would let strangers fill the log.
const LOG_EVERY: Duration = Duration::from_secs(10);

/// Accepts and closes connections until the node stops.
pub async fn refuse_connections(listener: std::net::TcpListener, stop: StopSignal) {
    let listener = match rt::TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => return tracing::error!("cannot accept on the transport port: {error}"),
    };
    let mut refused: u64 = 0;
    let mut logged: Option<Instant> = None;
    let accepting = async {
        loop {
            let peer = match listener.accept().await {
                Ok(accepted) => {
                    accepted.into_stream().peer_addr().map_or_else(|_| "gone".to_owned(), |peer| peer.to_string())
                }
                Err(error) => {
                    tracing::warn!("accepting on the transport port: {error}");
                    rt::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            refused += 1;
            if logged.is_none_or(|at| at.elapsed() >= LOG_EVERY) {
                logged = Some(Instant::now());
                tracing::warn!(
                    peer,
                    refused,
                    "closed a connection to the transport port: this node forms a cluster alone"
                );
            }
            rt::yield_if_needed().await;
        }
    };
    futures_lite::future::or(accepting, stop.wait()).await;
}
