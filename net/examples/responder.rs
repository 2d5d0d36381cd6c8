//! `responder [port]`: the least that glommio needs to answer the same bytes as `hello`: no limits, no deadlines, and a parser
//! that only looks for an empty line. The peer that `hello` is measured against.

use std::net::SocketAddr;

use futures_lite::{AsyncReadExt, AsyncWriteExt};
use glommio::{LocalExecutorBuilder, Placement, net::TcpListener};

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nX-OpenSearch-Version: OpenSearch/3.8.0 (opensearch)\r\n\
    content-type: application/json; charset=UTF-8\r\ncontent-length: 71\r\n\r\n\
    {\"count\":8,\"_shards\":{\"total\":2,\"successful\":2,\"skipped\":0,\"failed\":0}}";

fn main() {
    let port = std::env::args().nth(1).map_or(9301, |port| port.parse().expect("a port"));
    let executor = LocalExecutorBuilder::new(Placement::Fixed(0)).io_memory(64 << 10).make().expect("an executor");
    executor.run(async move {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], port))).expect("the port is free");
        loop {
            let mut stream = listener.accept().await.expect("a connection");
            stream.set_nodelay(true).expect("a socket option");
            glommio::spawn_local(async move {
                let (mut buffer, mut filled) = ([0u8; 4096], 0);
                while let Ok(len) = stream.read(&mut buffer[filled..]).await {
                    filled += len;
                    if len == 0 || filled == buffer.len() {
                        return;
                    }
                    if buffer[..filled].ends_with(b"\r\n\r\n") {
                        filled = 0;
                        if stream.write_all(ANSWER).await.is_err() {
                            return;
                        }
                    }
                }
            })
            .detach();
        }
    });
}
