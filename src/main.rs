//! The program: everything is in the library.

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// What the allocator is told. Large allocations come from where the others come from: of their own they would be given back to the
/// kernel as soon as they are freed, and cleared by it when the next segment is written, which took a tenth of the time of a load.
/// (Huge pages are asked for by what stays, see `rt::on_huge_pages`.) A thread of the allocator's own gives back what nobody took again
/// for ten seconds: left to the threads that allocate, that would happen as they allocate more, and a node that comes to rest after
/// a load would keep all that the load took (1.3 GB where 0.15 are in use). What threads keep for themselves is looked through once a MiB
/// rather than every 64 KiB, which is every other request.
// SAFETY: the allocator looks for a C string under this name, and the first word of the slice points to one.
#[unsafe(export_name = "_rjem_malloc_conf")]
pub static MALLOC_CONF: &[u8] =
    b"background_thread:true,max_background_threads:1,metadata_thp:auto,oversize_threshold:0,tcache_gc_incr_bytes:1048576\0";

fn main() -> std::process::ExitCode {
    pith::cli::main()
}
