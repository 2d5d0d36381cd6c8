//! The program: everything is in the library.

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// What the allocator is told: memory on huge pages. Indexes are read all over, and a miss in the table of translations costs as
/// much as one in the cache. What threads keep for themselves is looked through once a MiB rather than every 64 KiB, which is every
/// other request.
// SAFETY: the allocator looks for a C string under this name, and the first word of the slice points to one.
#[unsafe(export_name = "_rjem_malloc_conf")]
pub static MALLOC_CONF: &[u8] = b"thp:always,metadata_thp:auto,tcache_gc_incr_bytes:1048576\0";

fn main() -> std::process::ExitCode {
    pith::cli::main()
}
