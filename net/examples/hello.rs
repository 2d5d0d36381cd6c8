//! `hello [port] [cores]`: our HTTP server with a handler that does nothing.

use std::{
    rc::Rc,
    sync::{Arc, Mutex},
};

use pith_net::{
    http::{self, Config, Limits, Refusal, Response},
    rt::{self, StopSignal, Topology},
};

fn main() {
    rt::preflight().expect("the machine is fit");
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<usize>().expect("a number"));
    let port = args.next().unwrap_or(9300) as u16;
    let cores = args.next().unwrap_or(1);
    let (listener, addr) = http::listen(([127, 0, 0, 1], port).into()).expect("the port is free");
    let stop = StopSignal::install().expect("signals can be handled");
    let seats = Arc::new(Mutex::new(http::seats(listener, cores).into_iter().map(Some).collect::<Vec<_>>()));
    let config = Config { limits: Limits::default(), error_page, stop, tls: None };
    eprintln!("listening on {addr} with {cores} cores");
    let ended = rt::run(&Topology::first(cores), move |core| {
        let seat = seats.lock().expect("short")[core].take().expect("one core, one seat");
        http::serve(seat, config.clone(), Rc::new(|_| Box::pin(async { hello() })), Rc::new(|_| ()))
    });
    eprintln!("{:?}, {} stalls", ended.expect("executors start"), rt::stalls());
}

fn hello() -> Response {
    Response::new(200)
        .header("X-OpenSearch-Version", "OpenSearch/3.8.0 (opensearch)")
        .header("content-type", "application/json; charset=UTF-8")
        .body("{\"count\":8,\"_shards\":{\"total\":2,\"successful\":2,\"skipped\":0,\"failed\":0}}")
}

fn error_page(refusal: &Refusal) -> Response {
    Response::new(refusal.status).body(format!("{}\n", refusal.reason))
}
