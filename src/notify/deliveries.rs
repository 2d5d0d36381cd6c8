//! The deliveries that a core has under way: how many there may be, and what they share.

use super::status::{Status, TOO_MANY};
use pith_net::rt;
use pith_net::tls::Connector;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

#[derive(Default)]
pub struct Deliveries {
    total: Cell<usize>,
    /// By destination.
    routes: RefCell<BTreeMap<String, usize>>,
    /// Names that are being looked up, also those that nobody waits for any more.
    lookups: Rc<Cell<usize>>,
    /// Knows whom to trust under TLS.
    connector: RefCell<Option<Connector>>,
}

/// A delivery that is under way.
pub struct Slot<'a> {
    of: &'a Deliveries,
    route: String,
}

impl Deliveries {
    /// Begins a delivery to `route`, unless `most` are under way or `most_of_route` to this destination.
    pub fn enter(&self, route: String, most: usize, most_of_route: usize) -> Result<Slot<'_>, Status> {
        let mut routes = self.routes.borrow_mut();
        let of_route = routes.get(&route).copied().unwrap_or(0);
        if self.total.get() >= most || of_route >= most_of_route {
            let text = format!(
                "Too many deliveries are under way: {} of this core, {of_route} to [{route}]",
                self.total.get()
            );
            return Err(Status::new(TOO_MANY, text));
        }
        self.total.set(self.total.get() + 1);
        routes.insert(route.clone(), of_route + 1);
        Ok(Slot { of: self, route })
    }

    /// The addresses of a name, if `most` are not being looked up and they come within `limit`. A lookup holds a thread that files
    /// are read by too until it ends, which may be long after anybody wants to know.
    pub async fn resolve(&self, host: &str, port: u16, limit: Duration, most: usize) -> io::Result<Vec<SocketAddr>> {
        if let Ok(ip) = host.parse() {
            return Ok(vec![SocketAddr::new(ip, port)]);
        }
        if self.lookups.get() >= most {
            return Err(io::Error::other("too many names are being looked up"));
        }
        let (host, lookups) = (host.to_owned(), self.lookups.clone());
        lookups.set(lookups.get() + 1);
        let mut running = rt::spawn(async move {
            let found = rt::resolve(&host, port).await;
            lookups.set(lookups.get() - 1);
            found
        });
        match rt::timeout(limit, &mut running).await {
            Some(found) => found,
            None => {
                running.detach();
                Err(io::Error::new(io::ErrorKind::TimedOut, format!("no answer within {} ms", limit.as_millis())))
            }
        }
    }

    /// What makes connections secure: trusts whom the system trusts, as it did when it was first asked for.
    pub async fn connector(&self) -> io::Result<Connector> {
        if let Some(connector) = self.connector.borrow().clone() {
            return Ok(connector);
        }
        let connector = rt::offload(Connector::system).await?;
        self.connector.replace(Some(connector.clone()));
        Ok(connector)
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.of.total.set(self.of.total.get() - 1);
        let mut routes = self.of.routes.borrow_mut();
        if let Some(count) = routes.get_mut(&self.route) {
            *count -= 1;
            if *count == 0 {
                routes.remove(&self.route);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_names_are_looked_up_and_no_more() {
        rt::block_on(|| async {
            let (deliveries, limit) = (Deliveries::default(), Duration::from_secs(5));
            let here = vec![SocketAddr::from(([127, 0, 0, 1], 9))];
            assert_eq!(deliveries.resolve("localhost", 9, limit, 0).await.unwrap_err().kind(), io::ErrorKind::Other);
            assert_eq!(deliveries.resolve("127.0.0.1", 9, limit, 0).await.unwrap(), here);
            assert!(
                deliveries
                    .resolve("localhost", 9, limit, 1)
                    .await
                    .unwrap()
                    .iter()
                    .any(|found| found.ip().is_loopback())
            );
            assert_eq!(deliveries.lookups.get(), 0);
        });
    }

    #[test]
    fn there_are_so_many_and_no_more() {
        let deliveries = Deliveries::default();
        let enter = |route: &str| deliveries.enter(route.to_owned(), 3, 2);
        let (a, b) = (enter("a").unwrap_or_else(|_| panic!()), enter("a"));
        assert!(b.is_ok() && enter("a").is_err());
        let c = enter("b");
        assert!(c.is_ok() && enter("c").is_err());
        drop(a);
        assert!(enter("a").is_ok());
        drop((b, c));
        assert!(deliveries.routes.borrow().is_empty());
        assert_eq!(deliveries.total.get(), 0);
    }
}
