//! The terms of single documents.

use super::open_shard::OpenShard;
use super::search::SearchAsk;
use pith_engine::Result;
use pith_engine::pace::Pace;
use pith_engine::search::{TermVectorsRequest, term_vectors};
use pith_engine::shard::{FoundDocument, GetRequest};
use pith_net::rt;
use std::rc::Rc;

/// A document whose terms are wanted.
#[derive(Clone, Debug)]
pub struct TermVectorsAsk {
    /// What the shard is to know of the request; its query is of no matter.
    pub search: SearchAsk,
    pub request: TermVectorsRequest,
}

/// The terms of a document.
#[derive(Debug)]
pub struct TermVectorsFound {
    pub version: u64,
    /// The value of `term_vectors`; none: there is no such document.
    pub vectors: Option<Vec<u8>>,
}

impl OpenShard {
    pub async fn term_vectors(self: &Rc<Self>, ask: &TermVectorsAsk) -> Result<TermVectorsFound> {
        // Many are asked for at once, and polled in one go.
        rt::yield_if_needed().await;
        let request = &ask.request;
        let found = match &request.id {
            Some(id) => self.visible_document(id, request).await?,
            None => None,
        };
        let context = self.context(&ask.search).await?;
        let version = found.as_ref().map_or(0, |found| found.version);
        let vectors = match found.is_some() || request.doc.is_some() {
            true => {
                let pace = Pace::new(rt::must_give_way);
                let files = &self.core.part_files;
                let vectors = async || term_vectors(request, found.as_ref(), &context, &pace).await;
                Some(files.complete(&context.snapshot, vectors).await?)
            }
            false => None,
        };
        Ok(TermVectorsFound { version, vectors })
    }

    /// The document, made visible first if it is not yet: statistics have to count it.
    async fn visible_document(
        self: &Rc<Self>,
        id: &str,
        request: &TermVectorsRequest,
    ) -> Result<Option<FoundDocument>> {
        let get = |realtime| GetRequest { id: id.to_owned(), realtime, version: request.version };
        if !request.realtime {
            return self.find_document(&get(false)).await;
        }
        let newest = self.find_document(&get(true)).await?;
        let visible = self.find_document(&GetRequest { version: None, ..get(false) }).await?;
        let place = |found: &Option<FoundDocument>| found.as_ref().map(|found| found.seq_no);
        if place(&newest) != place(&visible) {
            self.refresh().await?;
        }
        Ok(newest)
    }
}
