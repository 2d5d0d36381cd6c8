//! What goes over the wire, byte for byte.

use std::time::Instant;

use super::*;

#[test]
fn a_connection_is_kept_and_used_again() {
    let server = start(Limits::default(), echo);
    let mut stream = server.connect();
    for i in 0..3 {
        stream.write_all(format!("GET /{i}?a=b HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes()).expect("it reads");
        expect(&mut stream, &ok(&format!("GET /{i}?a=b ")));
    }
    assert_eq!((server.stats.open(), server.stats.opened(), server.stats.requests()), (1, 1, 3));
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let server = start(Limits { pipelined: 2, ..Limits::default() }, echo);
    let request = "POST /a HTTP/1.1\r\nContent-Length: 2\r\n\r\nhiGET /b HTTP/1.1\r\n\r\n".repeat(50);
    let expected = [ok("POST /a hi"), ok("GET /b ")].concat().repeat(50);
    assert_eq!(server.exchange(request), expected);
}

#[test]
fn bodies_arrive_whole_however_they_are_sent() {
    let server = start(Limits::default(), echo);
    let chunked = "PUT /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x\r\nde\r\n0\r\nT: v\r\n\r\n";
    assert_eq!(server.exchange(chunked), ok("PUT /c abcde"));
    let mut stream = server.connect();
    for byte in b"\r\n\r\nPUT /d HTTP/1.1\r\nContent-Length: 3\r\n\r\nxyz" {
        stream.write_all(&[*byte]).expect("it reads");
        thread::sleep(Duration::from_micros(200));
    }
    expect(&mut stream, &ok("PUT /d xyz"));
}

#[test]
fn a_large_body_goes_both_ways() {
    let server = start(Limits::default(), |request| Box::pin(async move { Response::new(200).body(request.body) }));
    let body: String = (0..3_000_000).map(|i| char::from(b'a' + (i % 23) as u8)).collect();
    let mut stream = server.connect();
    let request = format!("POST / HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let mut writer = stream.try_clone().expect("a descriptor");
    let sender = thread::spawn(move || writer.write_all(request.as_bytes()).expect("it reads"));
    expect(&mut stream, &format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len()));
    sender.join().expect("it ended");
    let server = start(Limits::default(), echo);
    let chunks = server.exchange("GET /big HTTP/1.1\r\n\r\n");
    assert!(chunks.starts_with("HTTP/1.1 200 OK\r\ncontent-length: 3000000\r\n\r\nxxx"));
    assert!(chunks.len() > 3_000_000 && chunks.ends_with("xxx"));
}

#[test]
fn a_head_answer_has_the_length_and_no_body() {
    let server = start(Limits::default(), echo);
    let expected = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 8\r\n\r\n";
    assert_eq!(server.exchange("HEAD /x HTTP/1.1\r\nAccept-Encoding: gzip\r\n\r\n"), expected);
}

#[test]
fn old_and_closing_clients_are_closed_after_their_answer() {
    let server = start(Limits::default(), echo);
    let old = |body: &str| ok(body).replace("HTTP/1.1", "HTTP/1.0");
    let mut stream = server.connect();
    stream.write_all(b"GET /a HTTP/1.0\r\n\r\n").expect("it reads");
    assert_eq!(read_all(stream), old("GET /a "));
    let mut stream = server.connect();
    stream.write_all(b"GET /a HTTP/1.1\r\nConnection: x, Close\r\n\r\nGET /b HTTP/1.1\r\n\r\n").expect("it reads");
    assert_eq!(read_all(stream), ok("GET /a "));
    let mut stream = server.connect();
    for _ in 0..2 {
        stream.write_all(b"GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").expect("it reads");
        expect(&mut stream, &old("GET /a "));
    }
}

#[test]
fn a_client_that_waits_for_100_continue_gets_it() {
    let server = start(Limits::default(), echo);
    let mut stream = server.connect();
    stream.write_all(b"POST /e HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n").expect("it reads");
    expect(&mut stream, "HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(b"{}").expect("it reads");
    expect(&mut stream, &ok("POST /e {}"));
    let refused = server.exchange("POST /e HTTP/1.1\r\nExpect: nonsense\r\nContent-Length: 2\r\n\r\n{}");
    assert!(refused.starts_with("HTTP/1.0 417 Expectation Failed\r\n"), "{refused}");
}

#[test]
fn answers_are_compressed_and_requests_inflated() {
    let server = start(Limits::default(), echo);
    let answer = server.exchange("GET /gzip HTTP/1.1\r\nAccept-Encoding: gzip\r\n\r\n");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
    let expected = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-encoding: gzip\r\ncontent-length: {}",
        body.chars().count()
    );
    assert_eq!(head, expected);
    let coded: Vec<u8> = body.chars().map(|c| c as u8).collect();
    let mut plain = String::new();
    flate2::read::GzDecoder::new(&coded[..]).read_to_string(&mut plain).expect("it is gzip");
    assert_eq!(plain, "GET /gzip ");
    let mut request =
        format!("POST /back HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", coded.len())
            .into_bytes();
    request.extend_from_slice(&coded);
    assert_eq!(server.exchange(request), ok("POST /back GET /gzip "));
    let broken = server
        .exchange("POST / HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcdGET /on HTTP/1.1\r\n\r\n");
    assert!(broken.starts_with("HTTP/1.1 400 Bad Request\r\n") && broken.ends_with(&ok("GET /on ")), "{broken}");
}

#[test]
fn too_large_bodies_are_refused_and_skipped() {
    let server = start(Limits { body_bytes: 10, discard_bytes: 100, ..Limits::default() }, echo);
    let page = "HTTP/1.1 413 Request Entity Too Large\r\ncontent-length: 34\r\n\r\ncontent length exceeded [10] bytes";
    let eleven = "POST / HTTP/1.1\r\nContent-Length: 11\r\n\r\n0123456789aGET /next HTTP/1.1\r\n\r\n";
    assert_eq!(server.exchange(eleven), format!("{page}{}", ok("GET /next ")));
    let chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n012345\r\n6\r\n012345\r\n0\r\n\r\nGET /next HTTP/1.1\r\n\r\n";
    assert_eq!(server.exchange(chunked), format!("{page}{}", ok("GET /next ")));
    // Nobody knows whether the body follows here; and nobody reads a gigabyte for nothing.
    for request in [
        "POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 1000000000\r\n\r\n",
    ] {
        let mut stream = server.connect();
        stream.write_all(request.as_bytes()).expect("it reads");
        assert_eq!(read_all(stream), page.replace("1.1", "1.0"));
    }
}

#[test]
fn bodies_beyond_the_budget_of_a_core_are_refused() {
    let server = start(Limits { bodies: Arc::new(BodyBudget::new(10)), ..Limits::default() }, echo);
    let eleven = server.exchange("POST / HTTP/1.1\r\nContent-Length: 11\r\n\r\n0123456789aGET /next HTTP/1.1\r\n\r\n");
    assert!(eleven.starts_with("HTTP/1.1 429 Too Many Requests\r\n"), "{eleven}");
    assert!(eleven.contains("would be [11b], which is larger than the limit of [10b]"), "{eleven}");
    assert!(eleven.ends_with(&ok("GET /next ")), "{eleven}");
    // Two clients of one core (every second connection): the first holds most of the budget until it goes away.
    let mut first = server.connect();
    first.write_all(b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n01234567").expect("it reads");
    thread::sleep(Duration::from_millis(30));
    let _other_core = server.connect();
    let small = "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n01234";
    assert!(server.exchange(small).starts_with("HTTP/1.1 429 "));
    first.write_all(b"8").expect("it reads");
    expect(&mut first, &ok("POST / 012345678"));
    let _other_core = server.connect();
    assert_eq!(server.exchange(small), ok("POST / 01234"));
}

#[test]
fn long_lines_and_headers_are_refused() {
    let server = start(Limits::default(), echo);
    let line = server.exchange(format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(4096)));
    assert!(line.starts_with("HTTP/1.0 400 ") && line.ends_with("An HTTP line is larger than 4096 bytes."), "{line}");
    let header = server.exchange(format!("GET / HTTP/1.1\r\nA: {}\r\n\r\n", "a".repeat(16384)));
    assert!(
        header.starts_with("HTTP/1.0 400 ") && header.ends_with("HTTP header is larger than 16384 bytes."),
        "{header}"
    );
    // Also when the line never ends.
    let endless = server.exchange("G".repeat(5000));
    assert!(endless.ends_with("An HTTP line is larger than 4096 bytes."), "{endless}");
    let many = server.exchange(format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(300)));
    assert!(many.starts_with("HTTP/1.0 400 "), "{many}");
}

#[test]
fn unknown_methods_and_versions_are_closed_without_a_word() {
    let server = start(Limits::default(), echo);
    for request in
        ["NONSENSE / HTTP/1.1\r\n\r\n", "get / HTTP/1.1\r\n\r\n", "GET / HTTP/2.0\r\n\r\n", "PRI * HTTP/2.0\r\n\r\n"]
    {
        assert_eq!(server.exchange(request), "", "{request:?}");
    }
}

#[test]
fn a_panic_is_answered_and_the_connection_goes_on() {
    let server = start(Limits::default(), echo);
    let answer = server.exchange("GET /panic HTTP/1.1\r\n\r\nGET /on HTTP/1.1\r\n\r\n");
    assert!(
        answer.starts_with("HTTP/1.1 500 Internal Server Error\r\n") && answer.ends_with(&ok("GET /on ")),
        "{answer}"
    );
}

#[test]
fn a_panic_before_the_future_is_answered_too() {
    let server = start(Limits::default(), |request| {
        assert_eq!(request.path(), "/fine", "another bug");
        echo(request)
    });
    let answer = server.exchange("GET /bug HTTP/1.1\r\n\r\nGET /fine HTTP/1.1\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 500 ") && answer.ends_with(&ok("GET /fine ")), "{answer}");
}

#[test]
fn slow_clients_run_into_their_limits() {
    let short = Duration::from_millis(60);
    let limits = Limits { header_timeout: short, body_timeout: short, idle_timeout: short, ..Limits::default() };
    let server = start(limits, echo);
    let begun = Instant::now();
    let mut stream = server.connect();
    stream.write_all(b"GET / HT").expect("it reads");
    assert!(read_all(stream).starts_with("HTTP/1.0 408 Request Timeout\r\n"));
    let mut stream = server.connect();
    stream.write_all(b"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n12").expect("it reads");
    assert!(read_all(stream).starts_with("HTTP/1.0 408 Request Timeout\r\n"));
    assert_eq!(read_all(server.connect()), "");
    // A handler may take its time.
    assert_eq!(server.exchange("GET /slow HTTP/1.1\r\n\r\n"), ok("GET /slow "));
    // One that does not read its answer is cut off.
    let mut stream = server.connect();
    stream.write_all("GET /big HTTP/1.1\r\n\r\n".repeat(20).as_bytes()).expect("it reads");
    while server.stats.open() > 0 && begun.elapsed() < Duration::from_secs(5) {
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(server.stats.open(), 0);
}

#[test]
fn connections_go_to_the_cores_in_turn() {
    let server =
        start(Limits::default(), |_| Box::pin(async { Response::new(200).body(rt::current_core().to_string()) }));
    let mut streams: Vec<_> = (0..6).map(|_| server.connect()).collect();
    let cores: String = streams
        .iter_mut()
        .map(|stream| {
            stream.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("it reads");
            let mut answer = [0; 39];
            stream.read_exact(&mut answer).expect("it answers");
            char::from(answer[38])
        })
        .collect();
    assert_eq!(cores, "010101");
}

#[test]
fn full_cores_make_clients_wait_not_fail() {
    let server = start(Limits { connections_per_core: 1, ..Limits::default() }, echo);
    let mut streams: Vec<_> = (0..3).map(|_| server.connect()).collect();
    for stream in &mut streams {
        stream.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("the kernel reads");
    }
    expect(&mut streams[0], &ok("GET / "));
    expect(&mut streams[1], &ok("GET / "));
    assert_eq!(server.stats.open(), 2);
    drop(streams.remove(0));
    expect(&mut streams[1], &ok("GET / "));
}

#[test]
fn a_stop_answers_what_runs_and_closes_what_waits() {
    let server = start(Limits::default(), echo);
    let mut running: Vec<_> = (0..4).map(|_| server.connect()).collect();
    let waiting: Vec<_> = (0..4).map(|_| server.connect()).collect();
    for stream in &mut running {
        stream.write_all(b"GET /slow HTTP/1.1\r\n\r\n").expect("it reads");
    }
    thread::sleep(Duration::from_millis(30));
    let begun = Instant::now();
    server.stop.trigger();
    for stream in waiting {
        assert_eq!(read_all(stream), "");
    }
    for stream in running {
        assert_eq!(read_all(stream), ok("GET /slow "));
    }
    drop(server);
    assert!(begun.elapsed() < Duration::from_secs(2));
}

#[test]
fn a_stop_does_not_wait_for_the_rest_of_a_request() {
    let limits = Limits { drain_receive_timeout: Duration::from_millis(50), ..Limits::default() };
    let server = start(limits, echo);
    let mut stream = server.connect();
    stream.write_all(b"POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nhalf").expect("it reads");
    thread::sleep(Duration::from_millis(200));
    let begun = Instant::now();
    drop(server);
    assert!(begun.elapsed() < Duration::from_secs(2));
    let answer = read_all(stream);
    assert!(answer.starts_with("HTTP/1.0 408 "), "{answer:?}");
}

#[test]
fn a_stop_does_not_wait_for_ever() {
    let limits = Limits { drain_timeout: Duration::from_millis(50), ..Limits::default() };
    let server = start(limits, |_| Box::pin(std::future::pending()));
    let mut stream = server.connect();
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("it reads");
    thread::sleep(Duration::from_millis(200));
    let begun = Instant::now();
    drop(server);
    assert!(begun.elapsed() < Duration::from_secs(2));
    assert_eq!(read_all(stream), "");
}

#[test]
fn a_client_that_goes_is_noticed_while_it_is_worked_for() {
    let server = start(Limits { idle_timeout: Duration::from_millis(80), ..Limits::default() }, echo);
    let mut stays = server.connect();
    stays.write_all(b"GET /awaited?4001 HTTP/1.1\r\n\r\n").expect("it reads");
    let mut goes = server.connect();
    goes.write_all(b"GET /awaited?4002 HTTP/1.1\r\n\r\n").expect("it reads");
    thread::sleep(Duration::from_millis(100));
    drop(goes);
    let began = Instant::now();
    while !GONE.lock().expect("nobody panics here").contains(&4002) {
        assert!(began.elapsed() < Duration::from_millis(1_800), "nobody noticed");
        thread::sleep(Duration::from_millis(5));
    }
    expect(&mut stays, &ok("GET /awaited?4001 "));
    assert!(!GONE.lock().expect("nobody panics here").contains(&4001));
}
