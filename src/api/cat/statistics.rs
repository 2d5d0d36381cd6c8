//! Columns of shard statistics, which several tables have.

use super::table::Cell::{Bytes, Decimal, Millis, Number};
use super::table::{Align, Cell, Column, extra};
use pith_engine::shard::ShardStats;

type Value = fn(&ShardStats) -> Cell;

const fn row(name: &'static str, aliases: &'static str, doc: &'static str, value: Value) -> (Column, Value) {
    (extra(name, aliases, Align::Right, doc), value)
}

fn ms(ns: u64) -> Cell {
    Millis(ns / 1_000_000)
}

/// The columns and what stands in them.
#[rustfmt::skip]
pub static STATISTICS: &[(Column, Value)] = &[
    row("completion.size", "cs,completionSize", "size of completion", |s| Bytes(s.completion_bytes())),
    row("fielddata.memory_size", "fm,fielddataMemory", "used fielddata cache", |s| Bytes(s.fielddata_bytes())),
    row("fielddata.evictions", "fe,fielddataEvictions", "fielddata evictions", |_| Number(0)),
    row("query_cache.memory_size", "qcm,queryCacheMemory", "used query cache", |_| Bytes(0)),
    row("query_cache.evictions", "qce,queryCacheEvictions", "query cache evictions", |_| Number(0)),
    row("flush.total", "ft,flushTotal", "number of flushes", |s| Number(s.flush.total)),
    row("flush.total_time", "ftt,flushTotalTime", "time spent in flush", |s| ms(s.flush.total_time_ns)),
    row("get.current", "gc,getCurrent", "number of current get ops", |s| Number(s.get.current)),
    row("get.time", "gti,getTime", "time spent in get", |s| ms(s.get.exists_time_ns + s.get.missing_time_ns)),
    row("get.total", "gto,getTotal", "number of get ops", |s| Number(s.get.exists_total + s.get.missing_total)),
    row("get.exists_time", "geti,getExistsTime", "time spent in successful gets", |s| ms(s.get.exists_time_ns)),
    row("get.exists_total", "geto,getExistsTotal", "number of successful gets", |s| Number(s.get.exists_total)),
    row("get.missing_time", "gmti,getMissingTime", "time spent in failed gets", |s| ms(s.get.missing_time_ns)),
    row("get.missing_total", "gmto,getMissingTotal", "number of failed gets", |s| Number(s.get.missing_total)),
    row("indexing.delete_current", "idc,indexingDeleteCurrent", "number of current deletions", |s| Number(s.indexing.delete_current)),
    row("indexing.delete_time", "idti,indexingDeleteTime", "time spent in deletions", |s| ms(s.indexing.delete_time_ns)),
    row("indexing.delete_total", "idto,indexingDeleteTotal", "number of delete ops", |s| Number(s.indexing.delete_total)),
    row("indexing.index_current", "iic,indexingIndexCurrent", "number of current indexing ops", |s| Number(s.indexing.index_current)),
    row("indexing.index_time", "iiti,indexingIndexTime", "time spent in indexing", |s| ms(s.indexing.index_time_ns)),
    row("indexing.index_total", "iito,indexingIndexTotal", "number of indexing ops", |s| Number(s.indexing.index_total)),
    row("indexing.index_failed", "iif,indexingIndexFailed", "number of failed indexing ops", |s| Number(s.indexing.index_failed)),
    row("merges.current", "mc,mergesCurrent", "number of current merges", |s| Number(s.merges.current)),
    row("merges.current_docs", "mcd,mergesCurrentDocs", "number of current merging docs", |s| Number(s.merges.current_docs)),
    row("merges.current_size", "mcs,mergesCurrentSize", "size of current merges", |s| Bytes(s.merges.current_bytes)),
    row("merges.total", "mt,mergesTotal", "number of completed merge ops", |s| Number(s.merges.total)),
    row("merges.total_docs", "mtd,mergesTotalDocs", "docs merged", |s| Number(s.merges.total_docs)),
    row("merges.total_size", "mts,mergesTotalSize", "size merged", |s| Bytes(s.merges.total_bytes)),
    row("merges.total_time", "mtt,mergesTotalTime", "time spent in merges", |s| ms(s.merges.total_time_ns)),
    row("merges.warmer.total_invocations", "mswti,mergedSegmentWarmerTotalInvocations", "total invocations of merged segment warmer", |_| Number(0)),
    row("merges.warmer.total_time", "mswtt,mergedSegmentWarmerTotalTime", "total wallclock time spent in the warming operation", |_| Millis(0)),
    row("merges.warmer.ongoing_count", "mswoc,mergedSegmentWarmerOngoingCount", "point-in-time metric for number of in-progress warm operations", |_| Number(0)),
    row("merges.warmer.total_bytes_received", "mswtbr,mergedSegmentWarmerTotalBytesReceived", "total bytes received by a replica shard during the warm operation", |_| Bytes(0)),
    row("merges.warmer.total_bytes_sent", "mswtbs,mergedSegmentWarmerTotalBytesSent", "total bytes sent by a primary shard during the warm operation", |_| Bytes(0)),
    row("merges.warmer.total_receive_time", "mswtrt,mergedSegmentWarmerTotalReceiveTime", "total wallclock time spent receiving merged segments by a replica shard", |_| Millis(0)),
    row("merges.warmer.total_failure_count", "mswtfc,mergedSegmentWarmerTotalFailureCount", "total failures in merged segment warmer", |_| Number(0)),
    row("merges.warmer.total_send_time", "mswtst,mergedSegmentWarmerTotalSendTime", "total wallclock time spent sending merged segments by a primary shard", |_| Millis(0)),
    row("refresh.total", "rto,refreshTotal", "total refreshes", |s| Number(s.refresh.total)),
    row("refresh.time", "rti,refreshTime", "time spent in refreshes", |s| ms(s.refresh.total_time_ns)),
    row("refresh.external_total", "rto,refreshTotal", "total external refreshes", |s| Number(s.refresh.external_total)),
    row("refresh.external_time", "rti,refreshTime", "time spent in external refreshes", |s| ms(s.refresh.external_total_time_ns)),
    row("refresh.listeners", "rli,refreshListeners", "number of pending refresh listeners", |s| Number(s.refresh.listeners)),
    row("search.fetch_current", "sfc,searchFetchCurrent", "current fetch phase ops", |s| Number(s.search.fetch_current)),
    row("search.fetch_time", "sfti,searchFetchTime", "time spent in fetch phase", |s| ms(s.search.fetch_time_ns)),
    row("search.fetch_total", "sfto,searchFetchTotal", "total fetch ops", |s| Number(s.search.fetch_total)),
    row("search.open_contexts", "so,searchOpenContexts", "open search contexts", |s| Number(s.search.open_contexts)),
    row("search.query_current", "sqc,searchQueryCurrent", "current query phase ops", |s| Number(s.search.query_current)),
    row("search.query_time", "sqti,searchQueryTime", "time spent in query phase", |s| ms(s.search.query_time_ns)),
    row("search.query_total", "sqto,searchQueryTotal", "total query phase ops", |s| Number(s.search.query_total)),
    row("search.query_failed", "sqf,searchQueryFailed", "failed query phase ops", |s| Number(s.search.query_failed)),
    row("search.concurrent_query_current", "scqc,searchConcurrentQueryCurrent", "current concurrent query phase ops", |_| Number(0)),
    row("search.concurrent_query_time", "scqti,searchConcurrentQueryTime", "time spent in concurrent query phase", |_| Millis(0)),
    row("search.concurrent_query_total", "scqto,searchConcurrentQueryTotal", "total concurrent query phase ops", |_| Number(0)),
    row("search.concurrent_avg_slice_count", "casc,searchConcurrentAvgSliceCount", "average query concurrency", |_| Decimal(0.0)),
    row("search.startree_query_current", "stqc,startreeQueryCurrent", "current star tree query ops", |_| Number(0)),
    row("search.startree_query_time", "stqti,startreeQueryTime", "time spent in star tree queries", |_| Millis(0)),
    row("search.startree_query_total", "stqto,startreeQueryTotal", "total star tree resolved queries", |_| Number(0)),
    row("search.startree_query_failed", "stqf,startreeQueryFailed", "failed star tree query ops", |_| Number(0)),
    row("search.scroll_current", "scc,searchScrollCurrent", "open scroll contexts", |s| Number(s.search.scroll_current)),
    row("search.scroll_time", "scti,searchScrollTime", "time scroll contexts held open", |s| ms(s.search.scroll_time_ns)),
    row("search.scroll_total", "scto,searchScrollTotal", "completed scroll contexts", |s| Number(s.search.scroll_total)),
    row("search.point_in_time_current", "spc,searchPointInTimeCurrent", "open point in time contexts", |s| Number(s.search.point_in_time_current)),
    row("search.point_in_time_time", "spti,searchPointInTimeTime", "time point in time contexts held open", |s| ms(s.search.point_in_time_time_ns)),
    row("search.point_in_time_total", "spto,searchPointInTimeTotal", "completed point in time contexts", |s| Number(s.search.point_in_time_total)),
    row("search.search_idle_reactivate_count_total", "ssirct,searchSearchIdleReactivateCountTotal", "number of times a shard reactivated", |_| Number(0)),
    row("segments.count", "sc,segmentsCount", "number of segments", |s| Number(s.segments.count)),
    row("segments.memory", "sm,segmentsMemory", "memory used by segments", |s| Bytes(s.segments.memory_bytes)),
    row("segments.index_writer_memory", "siwm,segmentsIndexWriterMemory", "memory used by index writer", |s| Bytes(s.segments.buffer_bytes)),
    row("segments.version_map_memory", "svmm,segmentsVersionMapMemory", "memory used by version map", |s| Bytes(s.segments.version_map_bytes)),
    row("segments.fixed_bitset_memory", "sfbm,fixedBitsetMemory", "memory used by fixed bit sets for nested object field types and type filters for types referred in _parent fields", |_| Bytes(0)),
    row("warmer.current", "wc,warmerCurrent", "current warmer ops", |_| Number(0)),
    row("warmer.total", "wto,warmerTotal", "total warmer ops", |_| Number(0)),
    row("warmer.total_time", "wtt,warmerTotalTime", "time spent in warmers", |_| Millis(0)),
];

/// The cells of all statistics columns; none where a shard gave no figures.
pub fn cells(stats: Option<&ShardStats>) -> impl Iterator<Item = Cell> {
    STATISTICS.iter().map(move |(_, value)| stats.map_or(Cell::Null, value))
}
