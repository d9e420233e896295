//! Every key of a chip description: its table, type, range and meaning.
//!
//! Checks, overrides, the writer and the reference in `docs/chips.md` read
//! this table; a test holds it against the Spec structs.

use Kind::{Choice, ChoiceList, Flag, Float, Int, IntList, Text};

/// What a value may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// An integer, both bounds allowed.
    Int(u64, u64),
    /// A number above 0, up to this bound.
    Float(f64),
    /// `true` or `false`.
    Flag,
    /// Any text.
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A list of these words.
    ChoiceList(&'static [&'static str]),
    /// A list of integers.
    IntList(u64, u64),
}

/// One key.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The table it is in; `unit` and `cache` stand for each of their members.
    pub table: &'static str,
    /// Its name.
    pub key: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// Whether a chip cannot be built without it.
    pub required: bool,
    /// What it means, in one line.
    pub doc: &'static str,
}

/// One table of the file, in the order written.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Whether it holds named members (`[cache.l1d]`) rather than keys.
    pub family: bool,
    /// What it describes.
    pub doc: &'static str,
}

/// The tables, in the order they are written.
pub const TABLES: &[Table] = &[
    one("chip", "identity and technology"),
    one("clock", "clock domains"),
    one("sm", "streaming multiprocessors and their limits"),
    one("scheduler", "warp schedulers"),
    one("frontend", "instruction fetch and decode"),
    one("registers", "register file and its allocation"),
    one("shared", "shared memory and its allocation"),
    one("lsu", "load/store path of an SM"),
    many("unit", "execution units, by name"),
    many("cache", "caches, by name; the list is open"),
    one("memory", "partitions between crossbar and DRAM"),
    one("dram", "DRAM organisation and timing, in command cycles"),
    one("interconnect", "crossbar between SMs and L2 slices"),
    one("launch", "costs and limits of kernel launches"),
    one("driver", "what the driver maps around a program's memory"),
    one("model", "switches of the model"),
];

/// Execution units an instruction can be sent to.
pub const UNITS: &[&str] = &[
    "alu",
    "fma",
    "fp64",
    "half",
    "mufu",
    "tensor",
    "uniform",
    "branch",
    "load_store",
    "texture",
    "system",
];

const PLACES: &[&str] = &["subcore", "sm", "slice"];
const UNIT_PLACES: &[&str] = &["subcore", "sm"];
const SPACES: &[&str] = &["global", "local", "texture", "constant", "instruction"];
const REPLACEMENTS: &[&str] = &["lru", "fifo"];
const WRITES: &[&str] = &["read-only", "write-back", "write-through", "write-evict"];
const ALLOCATES: &[&str] = &["on-miss", "on-fill", "streaming"];
const WRITE_ALLOCATES: &[&str] = &["none", "write-and-read", "fetch-on-write", "lazy-fetch"];
const SET_HASHES: &[&str] = &["linear", "ipoly", "fermi", "xor"];
const MSHRS: &[&str] =
    &["associative", "sector-associative", "texture-fifo", "sector-texture-fifo"];
const PARTITION_HASHES: &[&str] = &["plain", "xor", "ipoly", "pae", "random"];
const POLICIES: &[&str] = &[
    "greedy-then-oldest",
    "greedy-then-youngest",
    "loose-round-robin",
    "round-robin",
    "oldest-first",
    "two-level",
];

/// Above all of global memory, below the end of a 47-bit address space.
const WINDOW: Kind = Int(1 << 45, (1 << 47) - (1 << 24));
const CYCLES: Kind = Int(0, 1_000_000);
const QUEUE: Kind = Int(0, 65_536);
const TIMING: Kind = Int(0, 10_000);

/// Every key, grouped by table, in the order written.
#[rustfmt::skip]
pub const FIELDS: &[Field] = &[
    must("chip", "name", Text, "short name, as used on the command line; a file without it is called by its file name"),
    must("chip", "title", Text, "product name"),
    must("chip", "vendor", Choice(&["nvidia", "amd"]), "who makes it"),
    must("chip", "family", Text, "microarchitecture, e.g. Turing"),
    must("chip", "arch", Text, "machine code it runs: sm_NN, or gfxNNN"),
    may("chip", "process_nm", Int(1, 1000), "feature size of the process, nm"),
    may("chip", "raw_fit_per_bit", Float(1e6), "failures in 1e9 hours per bit, before any masking; without it no FIT is reported"),
    may("chip", "raw_fit_source", Text, "where raw_fit_per_bit comes from"),

    must("clock", "core_mhz", Float(1e6), "SM clock"),
    must("clock", "interconnect_mhz", Float(1e6), "crossbar clock"),
    must("clock", "l2_mhz", Float(1e6), "L2 clock"),
    must("clock", "dram_mhz", Float(1e6), "DRAM command clock"),
    may("clock", "boost_mhz", Float(1e6), "highest SM clock, for information"),

    must("sm", "count", Int(1, 4096), "SMs on the chip"),
    must("sm", "subcores", Int(1, 16), "sub-cores per SM, each with its own register file and units"),
    must("sm", "warp_size", Int(1, 64), "threads per warp: 32, or 64 for a wavefront"),
    must("sm", "warps", Int(1, 256), "resident warps per SM"),
    must("sm", "threads", Int(1, 16384), "resident threads per SM"),
    must("sm", "ctas", Int(1, 256), "resident CTAs per SM"),
    must("sm", "threads_per_cta", Int(1, 16384), "largest CTA"),
    must("sm", "barriers_per_cta", Int(1, 64), "named barriers per CTA"),
    must("sm", "convergence_barriers", Int(0, 64), "convergence-barrier registers per warp"),
    must("sm", "scoreboards", Int(0, 64), "dependence counters per warp; 0 = hardware checks hazards"),
    must("sm", "predicates", Int(1, 64), "predicate registers per thread, without the constant one"),
    must("sm", "uniform_registers", Int(0, 255), "uniform registers per warp"),
    must("sm", "uniform_predicates", Int(0, 63), "uniform predicates per warp"),

    must("scheduler", "per_sm", Int(1, 16), "warp schedulers per SM"),
    must("scheduler", "policy", Choice(POLICIES), "which eligible warp issues"),
    must("scheduler", "issue_width", Int(1, 4), "instructions one scheduler issues per cycle"),
    must("scheduler", "dual_issue_same_unit", Flag, "whether two instructions issued together may use the same kind of unit"),

    must("frontend", "fetch_instructions", Int(1, 64), "instructions fetched at a time"),
    must("frontend", "buffer_entries", Int(1, 64), "decoded instructions held per warp"),
    must("frontend", "fetch_to_issue", CYCLES, "cycles from fetch to earliest issue"),
    must("frontend", "prefetch_lines", Int(0, 64), "lines fetched ahead after an instruction miss"),

    must("registers", "per_sm", Int(32, 1 << 24), "32-bit registers per SM"),
    must("registers", "per_cta", Int(32, 1 << 24), "32-bit registers one CTA may hold"),
    must("registers", "per_thread", Int(1, 512), "most registers a thread may use"),
    must("registers", "granule", Int(1, 4096), "a warp's registers are rounded up to a multiple of this"),
    must("registers", "partitions", Int(1, 16), "parts the file is divided into when warps are placed"),
    must("registers", "banks", Int(1, 64), "banks per sub-core"),
    must("registers", "ports", Int(1, 16), "read ports per bank"),
    must("registers", "collectors", Int(0, 64), "operand collectors per sub-core; 0 = none"),
    must("registers", "reuse_slots", Int(0, 8), "operand slots of the reuse cache per bank; 0 = no reuse cache"),

    must("shared", "bytes", Int(0, 1 << 24), "shared memory per SM"),
    must("shared", "per_cta", Int(0, 1 << 24), "most a CTA may ask for"),
    must("shared", "granule", Int(1, 65536), "a CTA's share is rounded up to a multiple of this"),
    must("shared", "reserved_per_cta", Int(0, 65536), "bytes the system takes per CTA"),
    must("shared", "banks", Int(1, 256), "banks"),
    must("shared", "bank_bytes", Int(1, 64), "width of a bank"),
    must("shared", "latency", CYCLES, "cycles from issue to result without conflicts"),
    may("shared", "carveouts_kib", IntList(0, 1 << 14), "sizes the hardware can choose, KiB, for information"),
    may("shared", "unified_kib", Int(0, 1 << 14), "array shared between shared memory and L1, KiB, for information"),

    must("lsu", "queue", Int(1, 256), "memory instructions waiting per sub-core"),
    must("lsu", "address_interval", Int(1, 256), "cycles between memory instructions of one sub-core"),
    may("lsu", "shared_interval", Int(1, 256), "the same for shared memory, where it differs"),
    must("lsu", "sm_interval", Int(1, 256), "cycles between memory instructions of one SM"),
    must("lsu", "return_bytes", Int(1, 4096), "bytes returned to the register file per cycle"),
    must("lsu", "response_buffer", QUEUE, "responses that can wait at the SM"),
    must("lsu", "coalesce", Choice(&["sectors", "lines"]), "unit of a request to the caches"),
    must("lsu", "coalesce_threads", Int(1, 64), "threads coalesced together"),

    must("unit", "per", Choice(UNIT_PLACES), "where it sits"),
    must("unit", "count", Int(1, 64), "how many sit there"),
    must("unit", "lanes", Int(1, 64), "threads one of them starts per cycle"),
    must("unit", "initiation", Int(1, 65536), "cycles before it can take the next warp"),
    must("unit", "latency", CYCLES, "cycles from issue until a like instruction can use the result"),
    may("unit", "latency_other", CYCLES, "the same, until another pipe can use it"),
    may("unit", "latency_memory", CYCLES, "the same, until a variable-latency instruction can use it"),
    may("unit", "latency_guard", CYCLES, "the same, until a predicate result guards an instruction"),

    must("cache", "per", Choice(PLACES), "one per sub-core, SM or memory slice"),
    must("cache", "serves", ChoiceList(SPACES), "address spaces whose accesses it sees"),
    must("cache", "next", Text, "the level below: a cache, or `memory`"),
    must("cache", "sets", Int(1, 65536), "sets, a power of two"),
    must("cache", "ways", Int(1, 65536), "lines per set"),
    must("cache", "line_bytes", Int(16, 4096), "bytes per line, a power of two"),
    must("cache", "sector_bytes", Int(16, 4096), "bytes fetched at a time; line_bytes = not sectored"),
    must("cache", "replacement", Choice(REPLACEMENTS), "which line leaves"),
    must("cache", "write", Choice(WRITES), "what a store does on a hit"),
    may("cache", "write_local", Choice(WRITES), "the same for local memory, where it differs"),
    must("cache", "allocate", Choice(ALLOCATES), "when a load takes its line; streaming = on fill, misses bounded by lines only"),
    must("cache", "write_allocate", Choice(WRITE_ALLOCATES), "what a store does on a miss"),
    must("cache", "set_hash", Choice(SET_HASHES), "set index function"),
    must("cache", "mshr", Choice(MSHRS), "how outstanding misses are kept"),
    may("cache", "mshr_entries", Int(1, 1 << 20), "outstanding misses; from the cache's size when streaming"),
    may("cache", "mshr_merge", Int(1, 65536), "requests merged into one miss; 64 when streaming"),
    must("cache", "miss_queue", QUEUE, "misses waiting to leave"),
    may("cache", "result_fifo", QUEUE, "result FIFO of a texture cache"),
    must("cache", "port_bytes", Int(1, 4096), "bytes the data port moves per cycle"),
    must("cache", "banks", Int(1, 256), "data banks, interleaved by sector"),
    must("cache", "latency", CYCLES, "cycles of a hit: issue to result in a first level, inside the slice in L2"),
    must("cache", "tag_bits", Int(1, 64), "tag bits stored per line, as counted in the inventory"),

    must("memory", "bytes", Int(1 << 20, 1 << 44), "device memory"),
    must("memory", "partitions", Int(1, 1024), "memory channels"),
    must("memory", "slices_per_partition", Int(1, 64), "L2 slices per channel"),
    must("memory", "partition_bytes", Int(16, 1 << 20), "consecutive bytes in one channel, a power of two"),
    must("memory", "partition_hash", Choice(PARTITION_HASHES), "channel index function"),
    must("memory", "address_map", Text, "address bits inside a channel, highest first: R row, B bank, C column, S column within a burst, 0 unused"),
    must("memory", "rop_latency", CYCLES, "cycles between crossbar and L2 slice"),
    must("memory", "dram_latency", CYCLES, "cycles between L2 slice and DRAM, on top of DRAM timing"),
    must("memory", "queue_to_l2", QUEUE, "entries, crossbar to L2"),
    must("memory", "queue_l2_to_dram", QUEUE, "entries, L2 to DRAM"),
    must("memory", "queue_dram_to_l2", QUEUE, "entries, DRAM to L2"),
    must("memory", "queue_from_l2", QUEUE, "entries, L2 to crossbar"),
    must("memory", "copies_fill_l2", Flag, "whether copies from the host leave their data in L2"),
    may("memory", "copies_fill_most", Int(1, 1 << 40), "largest copy that does so; all of them without it"),

    must("dram", "scheduler", Choice(&["fr-fcfs", "fifo"]), "order of requests"),
    must("dram", "queue", QUEUE, "requests the scheduler sees; 0 = unlimited"),
    must("dram", "return_queue", QUEUE, "answers that can wait; 0 = unlimited"),
    must("dram", "chips", Int(1, 64), "chips side by side per channel"),
    must("dram", "bus_bytes", Int(1, 256), "data bus of one chip"),
    must("dram", "burst", Int(1, 256), "transfers per access"),
    must("dram", "data_per_command", Int(1, 64), "transfers per command cycle"),
    must("dram", "dual_bus", Flag, "whether a row and a column command can go together"),
    must("dram", "bank_hash", Choice(&["plain", "xor"]), "bank index function"),
    must("dram", "bank_group_bits", Choice(&["high", "low"]), "which bank bits choose the group"),
    must("dram", "banks", Int(1, 1024), "banks per channel"),
    must("dram", "bank_groups", Int(1, 64), "bank groups per channel"),
    must("dram", "ccd", TIMING, "column to column"),
    must("dram", "rrd", TIMING, "activate to activate of another bank"),
    must("dram", "rcd", TIMING, "activate to column"),
    must("dram", "ras", TIMING, "activate to precharge"),
    must("dram", "rp", TIMING, "precharge to activate"),
    must("dram", "rc", TIMING, "activate to activate of the same bank"),
    must("dram", "cl", TIMING, "read to data"),
    must("dram", "wl", TIMING, "write to data"),
    must("dram", "cdlr", TIMING, "last write data to read"),
    must("dram", "wr", TIMING, "last write data to precharge"),
    must("dram", "ccdl", TIMING, "column to column in the same bank group"),
    must("dram", "rtpl", TIMING, "read to precharge in the same bank group"),

    must("interconnect", "subnets", Int(1, 8), "separate networks: 2 = requests and replies"),
    must("interconnect", "flit_bytes", Int(1, 4096), "bytes per packet and cycle"),
    may("interconnect", "reply_flit_bytes", Int(1, 4096), "the same from L2 to the SMs, where it differs"),
    must("interconnect", "input_buffer", QUEUE, "packets waiting at an input"),
    must("interconnect", "output_buffer", QUEUE, "packets waiting at an output"),
    must("interconnect", "ejection_buffer", QUEUE, "packets waiting at the SM"),
    must("interconnect", "arbiter", Choice(&["islip", "round-robin"]), "who gets an output"),

    must("launch", "kernel_latency", CYCLES, "cycles before a kernel's first CTA"),
    must("launch", "cta_latency", CYCLES, "cycles until a finished CTA makes room for the next"),
    may("launch", "cta_interval", CYCLES, "cycles between two CTAs that one SM is given, where it takes more than one"),
    must("launch", "concurrent_kernels", Int(1, 1024), "kernels resident at a time"),

    may("driver", "memory", Choice(&["mapped", "strict"]), "which wild accesses are answered: those to the driver's own memory too, or only those to pages with allocations; mapped without it"),
    may("driver", "page_bytes", Int(1 << 16, 1 << 30), "granule in which memory is mapped, a power of two; 2 MiB without it"),
    may("driver", "small_bytes", Int(0, 1 << 30), "largest allocation that shares its page with others; 2 MiB without it"),
    may("driver", "block_bytes", Int(1 << 16, 1 << 30), "bytes of the driver's block, which answers; offsets count from its start; 490 MiB without it"),
    may("driver", "small_page", Int(0, 1 << 30), "offset of the one page of it in which small allocations are made; 414 MiB without it"),
    may("driver", "area_from", Int(1 << 16, 1 << 30), "offset of the program's area: all other allocations that fit; what the block has of it answers until it is used; 488 MiB without it"),
    may("driver", "area_to", Int(1 << 16, 1 << 30), "offset of its end; 512 MiB without it"),
    may("driver", "pockets", IntList(0, 1 << 31), "offsets at which pockets of the driver's memory behind it begin and end, by turns; 512 to 526 and 528 to 544 MiB without it"),
    may("driver", "fill", Int(0, 255), "every byte of the driver's own memory before anybody writes to it; 0 without it"),
    may("driver", "shared_window", WINDOW, "first address of the shared window; 0x7f0000000000 without it"),
    may("driver", "local_window", WINDOW, "first address of the local window; 0x7f0001000000 without it"),

    must("model", "flush_l1_between_kernels", Flag, "empty the first-level caches when a kernel ends"),
    must("model", "flush_l2_between_kernels", Flag, "empty L2 when a kernel ends"),
    must("model", "perfect_instruction_and_constant", Flag, "instruction and constant accesses always hit"),
    must("model", "adaptive_l1", Flag, "L1 takes what shared memory leaves of the unified array"),
    must("model", "ecc", Flag, "whether codes act in the simulation: false, as yet; `upset report --ecc` tells what they would have done"),
];

/// The key every table may carry: where its numbers come from.
pub const SOURCE: &str = "source";

/// The keys of a table.
pub fn fields(table: &str) -> impl Iterator<Item = &'static Field> + '_ {
    FIELDS.iter().filter(move |f| f.table == table)
}

/// One key of a table.
pub fn field(table: &str, key: &str) -> Option<&'static Field> {
    FIELDS.iter().find(|f| f.table == table && f.key == key)
}

impl Kind {
    /// The kind in words, for errors and the reference.
    pub fn describe(&self) -> String {
        match self {
            Int(min, max) => format!("integer {min} to {max}"),
            Float(max) => format!("number above 0, at most {max:e}"),
            Flag => "true or false".to_owned(),
            Text => "text".to_owned(),
            Choice(words) => words.join(", "),
            ChoiceList(words) => format!("list of {}", words.join(", ")),
            IntList(min, max) => format!("list of integers {min} to {max}"),
        }
    }
}

const fn must(table: &'static str, key: &'static str, kind: Kind, doc: &'static str) -> Field {
    Field { table, key, kind, required: true, doc }
}

const fn may(table: &'static str, key: &'static str, kind: Kind, doc: &'static str) -> Field {
    Field { table, key, kind, required: false, doc }
}

const fn one(name: &'static str, doc: &'static str) -> Table {
    Table { name, family: false, doc }
}

const fn many(name: &'static str, doc: &'static str) -> Table {
    Table { name, family: true, doc }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_is_listed_twice_and_every_table_is_used() {
        for (i, f) in FIELDS.iter().enumerate() {
            assert!(TABLES.iter().any(|t| t.name == f.table), "{} has no table", f.key);
            assert!(!f.doc.is_empty());
            assert_ne!(f.key, SOURCE);
            let twin = FIELDS.iter().skip(i + 1).find(|g| g.table == f.table && g.key == f.key);
            assert!(twin.is_none(), "{}.{} is listed twice", f.table, f.key);
        }
        for t in TABLES {
            assert!(fields(t.name).next().is_some(), "[{}] has no keys", t.name);
        }
    }
}
