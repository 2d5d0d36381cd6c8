//! `_list`: long tables page by page, in the order in which indexes were made.

use super::table::{TABLE_PARAMS, help, page, wants_help};
use super::{indices, shards};
use crate::api::index_options::INDEX_PARAMS;
use crate::api::targets::MANAGER_TIMEOUT;
use crate::api::{ApiRequest, Method, Reply, Route};
use crate::cluster::IndexMeta;
use crate::coordinate::Core;
use base64::prelude::{BASE64_STANDARD, Engine};
use pith_engine::{Error, ErrorKind, Result};
use std::rc::Rc;
use std::sync::Arc;

const PAGE_PARAMS: &[&str] = &["next_token", "size", "sort"];

macro_rules! row {
    ($path:literal $name:literal $params:expr, $handler:ident) => {
        Route {
            method: Method::Get,
            path: $path,
            name: $name,
            params: $params,
            handler: |core, request| Box::pin($handler(core, request)),
        }
    };
}

const INDICES_PARAMS: &[&[&str]] =
    &[TABLE_PARAMS, INDEX_PARAMS, MANAGER_TIMEOUT, PAGE_PARAMS, &["health", "include_unloaded_segments", "pri"]];
const SHARDS_PARAMS: &[&[&str]] = &[TABLE_PARAMS, INDEX_PARAMS, MANAGER_TIMEOUT, PAGE_PARAMS];

pub const ROUTES: &[Route] = &[
    row!("/_list" "list_action" &[TABLE_PARAMS], list),
    row!("/_list/indices" "list_indices_action" INDICES_PARAMS, list_indices),
    row!("/_list/indices/{index}" "list_indices_action" INDICES_PARAMS, list_indices),
    row!("/_list/shards" "list_shards_action" SHARDS_PARAMS, list_shards),
    row!("/_list/shards/{index}" "list_shards_action" SHARDS_PARAMS, list_shards),
];

/// How long pages are.
struct Bounds {
    default: usize,
    least: usize,
    most: usize,
}

const INDICES: Bounds = Bounds { default: 500, least: 1, most: 5_000 };
const SHARDS: Bounds = Bounds { default: 2_000, least: 2_000, most: 20_000 };

async fn list(_core: Rc<Core>, _request: ApiRequest) -> Result<Reply> {
    let mut text = ":\u{2011}|\n".to_owned();
    for route in ROUTES.iter().skip(1) {
        text.push_str(route.path);
        text.push('\n');
    }
    Ok(Reply::text(200, text))
}

async fn list_indices(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let columns = indices::columns();
    if wants_help(&request)? {
        return Ok(help(&columns));
    }
    let asked = Page::of(&request, &INDICES)?;
    let after = asked.token.as_deref().map(|token| index_of_token(token).ok_or_else(tainted)).transpose()?;
    let mut rest = asked.ordered(indices::chosen(&core, &request)?);
    rest.retain(|index| after.as_ref().is_none_or(|after| asked.is_behind(&place(index), after)));
    let more = rest.len() > asked.size;
    rest.truncate(asked.size);
    let next = rest.last().filter(|_| more).map(|index| BASE64_STANDARD.encode(text_of(index)));
    let rows = indices::rows(&core, &rest).await;
    page(&request, &columns, rows, "indices", next.as_deref())
}

async fn list_shards(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let columns = shards::columns();
    if wants_help(&request)? {
        return Ok(help(&columns));
    }
    let asked = Page::of(&request, &SHARDS)?;
    let after = asked.token.as_deref().map(|token| shard_of_token(token).ok_or_else(tainted)).transpose()?;
    let mut indexes = asked.ordered(shards::chosen(&core, &request)?);
    indexes.retain(|index| after.as_ref().is_none_or(|(_, after)| !asked.is_behind(after, &place(index))));
    let mut wanted = vec![];
    let mut copies = 0;
    for index in indexes {
        let first = after.as_ref().filter(|(_, at)| *at == place(&index)).map_or(0, |(shard, _)| shard + 1);
        for shard in first..index.number_of_shards {
            let own = 1 + index.number_of_replicas as usize;
            if copies > 0 && copies + own > asked.size {
                return shards_page(&core, &request, &wanted, true).await;
            }
            copies += own;
            wanted.push((index.clone(), shard));
        }
    }
    shards_page(&core, &request, &wanted, false).await
}

async fn shards_page(core: &Core, request: &ApiRequest, wanted: &[(Arc<IndexMeta>, u32)], more: bool) -> Result<Reply> {
    let mut indexes: Vec<Arc<IndexMeta>> = wanted.iter().map(|(index, _)| index.clone()).collect();
    indexes.dedup_by(|a, b| a.uuid == b.uuid);
    let mut rows = vec![];
    for index in &indexes {
        let here = shards::rows(core, std::slice::from_ref(index), true).await?;
        let is_wanted = |shard: u32| wanted.iter().any(|(of, number)| of.uuid == index.uuid && *number == shard);
        rows.extend(here.into_iter().filter(|(shard, _)| is_wanted(*shard)).map(|(_, row)| row));
    }
    let next = wanted.last().filter(|_| more);
    let next = next.map(|(index, shard)| BASE64_STANDARD.encode(format!("{shard}|{}", text_of(index))));
    page(request, &shards::columns(), rows, "shards", next.as_deref())
}

/// Which page is asked for.
struct Page {
    size: usize,
    descending: bool,
    token: Option<String>,
}

/// Where an index stands: when it was made, and its name.
type Place = (u64, String);

fn place(index: &IndexMeta) -> Place {
    (index.creation_date_ms, index.name.to_string())
}

fn text_of(index: &IndexMeta) -> String {
    format!("{}|{}", index.creation_date_ms, index.name)
}

impl Page {
    fn of(request: &ApiRequest, bounds: &Bounds) -> Result<Self> {
        let refuse = |reason: String| Err(Error::illegal_argument(reason));
        let given = request.int_opt("size")?;
        let size = match given.map(usize::try_from) {
            None => bounds.default,
            Some(Ok(size)) if size > bounds.most => {
                return refuse(format!("size should be less than [{}]", bounds.most));
            }
            Some(Ok(size)) if size >= bounds.least => size,
            Some(_) if given.is_some_and(|size| size <= 0) => {
                return refuse("size must be greater than zero".to_owned());
            }
            Some(_) => return refuse(format!("size should at least be [{}]", bounds.least)),
        };
        let descending = match request.param("sort") {
            None | Some("asc") => false,
            Some("desc") => true,
            Some(_) => return refuse("value of sort can either be asc or desc".to_owned()),
        };
        Ok(Self { size, descending, token: request.param("next_token").map(str::to_owned) })
    }

    fn ordered(&self, mut indexes: Vec<Arc<IndexMeta>>) -> Vec<Arc<IndexMeta>> {
        indexes.sort_by_cached_key(|index| place(index));
        if self.descending {
            indexes.reverse();
        }
        indexes
    }

    fn is_behind(&self, one: &Place, other: &Place) -> bool {
        if self.descending { one < other } else { one > other }
    }
}

fn index_of_token(token: &str) -> Option<Place> {
    let text = String::from_utf8(BASE64_STANDARD.decode(token).ok()?).ok()?;
    let (created, name) = text.split_once('|')?;
    Some((created.parse().ok()?, name.to_owned()))
}

fn shard_of_token(token: &str) -> Option<(u32, Place)> {
    let text = String::from_utf8(BASE64_STANDARD.decode(token).ok()?).ok()?;
    let (shard, rest) = text.split_once('|')?;
    let (created, name) = rest.split_once('|')?;
    Some((shard.parse().ok()?, (created.parse().ok()?, name.to_owned())))
}

/// Told of a page that no page before it has named.
pub const TAINTED_TOKEN: &str =
    "Parameter [next_token] has been tainted and is incorrect. Please provide a valid [next_token].";

#[cold]
fn tainted() -> Error {
    Error::new(ErrorKind::Parse, TAINTED_TOKEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_say_where_the_next_page_begins() {
        assert_eq!(index_of_token("MTc5NTI0ODQ1NTU0MHxsZWFkLWE="), Some((1_795_248_455_540, "lead-a".to_owned())));
        assert_eq!(index_of_token("foo"), None);
        assert_eq!(shard_of_token(&BASE64_STANDARD.encode("3|5|a")), Some((3, (5, "a".to_owned()))));
        assert_eq!(shard_of_token(""), None);
    }

    #[test]
    fn pages_have_bounds() {
        let of = |params: &[(&str, &str)], bounds| Page::of(&ApiRequest::for_test(&ROUTES[1], params, ""), bounds);
        let reason = |params: &[(&str, &str)], bounds| of(params, bounds).err().unwrap().reason().to_owned();
        assert_eq!(of(&[], &INDICES).unwrap().size, 500);
        assert_eq!(reason(&[("size", "0")], &INDICES), "size must be greater than zero");
        assert_eq!(reason(&[("size", "5001")], &INDICES), "size should be less than [5000]");
        assert_eq!(reason(&[("size", "100")], &SHARDS), "size should at least be [2000]");
        assert_eq!(reason(&[("size", "20001")], &SHARDS), "size should be less than [20000]");
        assert_eq!(reason(&[("sort", "foo")], &SHARDS), "value of sort can either be asc or desc");
    }
}
