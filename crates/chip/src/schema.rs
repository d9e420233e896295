//! Every key of a chip description: its table, type, range and meaning.
//!
//! Checks, overrides, the writer and the reference in `docs/chips.md` read
//! this table; a test holds it against the Spec structs.

use Kind::{Choice, ChoiceList, Flag, Float, Int, IntList, Text};
use Reader::{Launch, People};

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
    /// Who reads it.
    pub by: Reader,
    /// What it means, in one line.
    pub doc: &'static str,
}

/// Who reads a key. Tests hold each to it: a key that nobody reads is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// Who builds the machine: another value is another machine, or refused.
    Machine,
    /// Who launches a kernel: what fits, and where its windows are.
    Launch,
    /// People, and programs that ask what they run on.
    People,
}

/// One table of the file, in the order written.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Whether it holds named members (`[cache.l1d]`) rather than keys.
    pub family: bool,
    /// The cores whose table it is; none: all chips have it.
    pub core: Option<Core>,
    /// What it describes.
    pub doc: &'static str,
}

/// What a chip executes code with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Core {
    /// NVIDIA's SMs.
    Sm,
    /// AMD's compute units.
    Cu,
}

impl Core {
    /// Its table that no such chip is without.
    pub const fn table(self) -> &'static str {
        match self {
            Core::Sm => "sm",
            Core::Cu => "cu",
        }
    }
}

/// The tables, in the order they are written.
#[rustfmt::skip]
pub const TABLES: &[Table] = &[
    one("chip", "identity and technology"),
    one("clock", "clock domains"),
    one("sm", "streaming multiprocessors and their limits").of(Core::Sm),
    one("scheduler", "warp schedulers").of(Core::Sm),
    one("frontend", "instruction fetch and decode").of(Core::Sm),
    one("registers", "register file and its allocation").of(Core::Sm),
    one("shared", "shared memory and its allocation").of(Core::Sm),
    one("lsu", "load/store path of an SM").of(Core::Sm),
    many("unit", "execution units, by name").of(Core::Sm),
    one("timing", "single operations that no unit's latency says").of(Core::Sm),
    one("cu", "compute units and their limits").of(Core::Cu),
    one("vgpr", "vector registers and their allocation").of(Core::Cu),
    one("sgpr", "scalar registers and their allocation").of(Core::Cu),
    one("lds", "local data share: its allocation, and cycles for which a wavefront's instruction keeps its way there, by 32-bit words per lane").of(Core::Cu),
    one("fetch", "instruction fetch of a compute unit").of(Core::Cu),
    one("cycles", "cycles of a wavefront's instructions that touch no memory").of(Core::Cu),
    one("smem", "scalar memory: cycles for which a load keeps the scalar unit").of(Core::Cu),
    one("vmem", "vector memory: cycles for which a wavefront's instruction keeps the address unit").of(Core::Cu),
    one("counters", "the most that counters of outstanding accesses count").of(Core::Cu),
    many(
        "cache",
        "caches, by name: l1d, l1t, l1c and l1i of the SMs, l1v, l1s and l1i of the compute units, and one of the memory slices",
    ),
    one("memory", "partitions between crossbar and DRAM"),
    one("dram", "DRAM organisation and timing, in command cycles"),
    one("interconnect", "crossbar between cores and L2 slices"),
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

const PLACES: &[&str] = &["subcore", "sm", "cu", "group", "slice"];
const UNIT_PLACES: &[&str] = &["subcore", "sm"];
const SPACES: &[&str] = &["global", "local", "texture", "constant", "instruction"];
const REPLACEMENTS: &[&str] = &["lru", "fifo"];
const WRITES: &[&str] = &["read-only", "write-back", "write-through", "write-evict"];
const WRITE_ALLOCATES: &[&str] = &["none", "write-and-read", "fetch-on-write", "lazy-fetch"];
const SET_HASHES: &[&str] = &["linear", "ipoly", "fermi", "xor"];
const PARTITION_HASHES: &[&str] = &["plain", "xor", "ipoly"];
const POLICIES: &[&str] =
    &["greedy-then-oldest", "greedy-then-youngest", "loose-round-robin", "oldest-first"];

/// Below all memory that has addresses, or above all of it and below the end of
/// a 47-bit address space.
const WINDOW: Kind = Int(1 << 24, (1 << 47) - (1 << 24));
const CYCLES: Kind = Int(0, 1_000_000);
const LATENCY: Kind = Int(1, 1_000_000);
const TIMING: Kind = Int(0, 10_000);
const SPACING: Kind = Int(1, 10_000);

/// Every key, grouped by table, in the order written.
#[rustfmt::skip]
pub const FIELDS: &[Field] = &[
    must("chip", "name", Text, "short name, as used on the command line; a file without it is called by its file name").by(People),
    must("chip", "title", Text, "product name").by(People),
    must("chip", "vendor", Choice(&["nvidia", "amd"]), "who makes it: nvidia with [sm], amd with [cu]"),
    must("chip", "family", Text, "microarchitecture, e.g. Turing").by(People),
    must("chip", "arch", Text, "machine code it runs: sm_NN or gfxNNN").by(People),
    may("chip", "process_nm", Int(1, 1000), "feature size of the process, nm").by(People),
    may("chip", "raw_fit_per_bit", Float(1e6), "failures in 1e9 hours per bit, before any masking; without it no FIT is reported").by(People),
    may("chip", "raw_fit_source", Text, "where raw_fit_per_bit comes from").by(People),

    must("clock", "core_mhz", Float(1e6), "SM clock"),
    must("clock", "interconnect_mhz", Float(1e6), "crossbar clock"),
    must("clock", "l2_mhz", Float(1e6), "L2 clock"),
    must("clock", "dram_mhz", Float(1e6), "DRAM command clock"),
    may("clock", "boost_mhz", Float(1e6), "highest SM clock, which programs are told").by(People),

    must("sm", "count", Int(1, 4096), "SMs on the chip"),
    must("sm", "subcores", Int(1, 16), "sub-cores per SM, each with its own register file; from sm_70 on with its own scheduler and units too"),
    must("sm", "warp_size", Int(1, 64), "threads per warp: 32"),
    must("sm", "warps", Int(1, 256), "resident warps per SM, at most 64 per scheduler"),
    must("sm", "threads", Int(1, 16384), "resident threads per SM"),
    must("sm", "ctas", Int(1, 256), "resident CTAs per SM"),
    must("sm", "threads_per_cta", Int(1, 16384), "largest CTA").by(Launch),
    must("sm", "barriers_per_cta", Int(1, 16), "named barriers per CTA").by(Launch),
    must("sm", "convergence_barriers", Int(0, 64), "convergence-barrier registers per warp: 16; 0 before sm_70, where a stack did their work"),
    must("sm", "scoreboards", Int(0, 64), "dependence counters per warp: 6; 0 before sm_50, where hardware checked hazards"),
    must("sm", "uniform_registers", Int(0, 255), "uniform registers per warp: 63 from sm_75 on, else 0"),
    may("sm", "per_tpc", Int(1, 16), "SMs that share a TPC, neighbours by number; without it nobody says which do").by(People),

    must("scheduler", "per_sm", Int(1, 16), "warp schedulers per SM: one per sub-core; before sm_70 several may share one"),
    must("scheduler", "policy", Choice(POLICIES), "which eligible warp issues"),
    must("scheduler", "issue_width", Int(1, 4), "instructions of a warp that one scheduler issues per cycle where the code says so: 1; before sm_70 up to 4"),

    must("frontend", "fetch_instructions", Int(1, 64), "most instructions fetched at a time; no more than the buffer has room for"),
    must("frontend", "buffer_entries", Int(1, 4), "decoded instructions held per warp"),
    must("frontend", "fetch_to_issue", CYCLES, "cycles from fetch to earliest issue"),
    must("frontend", "prefetch_lines", Int(0, 64), "lines fetched ahead after an instruction miss"),

    must("registers", "per_sm", Int(32, 1 << 24), "32-bit registers per SM"),
    must("registers", "per_cta", Int(32, 1 << 24), "32-bit registers one CTA may hold").by(Launch),
    must("registers", "per_thread", Int(1, 255), "most registers a thread may use").by(Launch),
    must("registers", "granule", Int(1, 4096), "a warp's registers are rounded up to a multiple of this"),
    must("registers", "partitions", Int(1, 16), "parts the file is divided into when warps are placed").by(Launch),
    must("registers", "banks", Int(1, 4), "banks per sub-core"),
    must("registers", "ports", Int(1, 16), "read ports per bank"),
    must("registers", "reuse_slots", Int(0, 3), "operand slots of the reuse cache per bank; 0 = no reuse cache"),

    must("shared", "bytes", Int(0, 1 << 24), "shared memory per SM"),
    must("shared", "per_cta", Int(0, 1 << 24), "most a CTA may ask for").by(Launch),
    must("shared", "granule", Int(1, 65536), "a CTA's share is rounded up to a multiple of this"),
    must("shared", "reserved_per_cta", Int(0, 65536), "bytes the system takes per CTA"),
    must("shared", "banks", Int(1, 64), "banks"),
    must("shared", "bank_bytes", Int(1, 64), "width of a bank"),
    must("shared", "latency", CYCLES, "cycles from issue to result without conflicts"),
    may("shared", "carveouts_kib", IntList(0, 1 << 14), "sizes the hardware can choose, KiB, for people to read").by(People),
    may("shared", "unified_kib", Int(0, 1 << 14), "array shared between shared memory and L1, KiB, for people to read").by(People),

    must("lsu", "queue", Int(1, 256), "memory instructions waiting per scheduler"),
    must("lsu", "address_interval", Int(1, 256), "cycles between memory instructions of one scheduler"),
    may("lsu", "shared_interval", Int(1, 256), "the same for shared memory, where it differs"),
    must("lsu", "sm_interval", Int(1, 256), "cycles between memory instructions of one SM"),
    must("lsu", "return_bytes", Int(1, 4096), "bytes returned to the register file per cycle"),
    must("lsu", "store_backlog", CYCLES, "cycles of stores that may wait at the crossbar before the pipe stops"),

    must("unit", "per", Choice(UNIT_PLACES), "where it sits"),
    must("unit", "count", Int(1, 64), "how many sit there: 1; 2 of fma, of which one multiplies integers; before sm_70 up to 8 for the whole SM, but for load_store, texture and system; of several fma one multiplies integers"),
    must("unit", "lanes", Int(1, 32), "threads one of them starts per cycle: a warp takes 32 / lanes cycles; 1 of uniform, where a warp is one thread"),
    may("unit", "initiation", Int(1, 65536), "cycles before it can take the next warp, where they are more than its lanes need"),
    must("unit", "latency", LATENCY, "cycles from issue until the result is there"),

    must("timing", "pause_long", LATENCY, "cycles before a warp issues again after stall 0 with the yield flag"),
    must("timing", "pause_short", LATENCY, "the same after stall 1 with the yield flag, and after stalls from 12 on without it"),
    must("timing", "read", LATENCY, "cycles until operands are read, which a read scoreboard tells"),
    must("timing", "read_mufu", LATENCY, "the same in unit.mufu"),
    must("timing", "read_store", CYCLES, "cycles by which a store reads its data later than its address (unit.load_store.latency)"),
    must("timing", "read_store_far", CYCLES, "the same, more, where it does not go to shared memory"),
    must("timing", "read_store_word", CYCLES, "the same, more, for each word after the first"),
    must("timing", "special", LATENCY, "cycles until a special register is read (S2R, S2UR, B2R)"),
    must("timing", "barrier_move", LATENCY, "cycles until a convergence barrier is moved (BMOV)"),
    must("timing", "clock", LATENCY, "cycles until a clock is read (CS2R)"),
    must("timing", "clock_word", LATENCY, "the same of 32 bits (CS2R.32)"),
    must("timing", "code_address", LATENCY, "cycles until the address of code is there (LEPC)"),
    must("timing", "vote", LATENCY, "cycles until a vote is counted (VOTE)"),
    must("timing", "to_uniform", LATENCY, "cycles from the lanes to a uniform register (R2UR of fixed latency, VOTEU)"),
    must("timing", "uniform_move", LATENCY, "cycles of what skips the uniform pipe (UMOV, ULDC)"),
    must("timing", "uniform_most", LATENCY, "longest latency of other uniform results of fixed latency"),
    must("timing", "integer_product", LATENCY, "cycles for which an integer product keeps its pipe, at least; a wide one twice as long"),
    must("timing", "wide_read", LATENCY, "cycles after which a wide multiply-add takes its addend"),
    must("timing", "wide_hold", CYCLES, "cycles by which it keeps its warp and the issue port longer"),
    must("timing", "constant_load", LATENCY, "cycles between indexed constant loads (LDC)"),
    must("timing", "join", CYCLES, "cycles by which a reconvergence (BSYNC) takes longer than a taken branch"),
    must("timing", "gather", CYCLES, "the same of each group of a divided warp at WARPSYNC"),
    must("timing", "indirect", CYCLES, "the same of a jump whose target is in a register (RET, BRX)"),
    must("timing", "retry", LATENCY, "cycles until a cache without room is asked again"),
    must("timing", "fence_poll", LATENCY, "cycles between looks at a fence that waits for stores"),

    must("cu", "count", Int(1, 4096), "compute units on the chip"),
    must("cu", "group", Int(1, 4), "most compute units that share a scalar and an instruction cache; they are shared out as evenly as can be"),
    must("cu", "simds", Int(1, 4), "SIMD units per compute unit: 1, 2 or 4"),
    must("cu", "lanes", Int(1, 64), "lanes of a SIMD unit: 16"),
    must("cu", "wave_size", Int(1, 64), "work-items per wavefront: 64"),
    must("cu", "waves", Int(1, 16), "resident wavefronts per SIMD unit"),
    must("cu", "barriers", Int(1, 64), "resident work-groups of more than one wavefront per compute unit"),
    must("cu", "work_group", Int(1, 1024), "work-items of the largest work-group").by(Launch),

    must("vgpr", "per_simd", Int(4, 1024), "registers of each lane of a wavefront, per SIMD unit"),
    must("vgpr", "granule", Int(1, 64), "a wavefront's registers are rounded up to a multiple of this"),

    must("sgpr", "per_simd", Int(8, 4096), "registers per SIMD unit"),
    must("sgpr", "granule", Int(1, 128), "a wavefront's registers are rounded up to a multiple of this"),
    must("sgpr", "per_wave", Int(1, 104), "most registers that code can name, without VCC").by(Launch),

    must("lds", "bytes", Int(256, 1 << 20), "bytes per compute unit"),
    must("lds", "per_group", Int(0, 65536), "most a work-group may ask for").by(Launch),
    must("lds", "granule", Int(4, 65536), "a work-group's share is rounded up to a multiple of this, a power of two"),
    must("lds", "banks", Int(1, 256), "banks, a power of two"),
    must("lds", "bank_bytes", Int(4, 16), "width of a bank, a power of two"),
    must("lds", "latency", LATENCY, "cycles from issue to result without conflicts"),
    must("lds", "simds_per_way", Int(1, 4), "SIMD units that share one way into it"),
    must("lds", "read_1", LATENCY, "a read of one word or less"),
    must("lds", "read_2", LATENCY, "a read of two words"),
    must("lds", "read_4", LATENCY, "a read of four words"),
    must("lds", "write_1", LATENCY, "a write of one word or less"),
    must("lds", "write_2", LATENCY, "a write of two words"),
    must("lds", "write_4", LATENCY, "a write of four words"),
    must("lds", "atomic_1", LATENCY, "an atomic on one word"),
    must("lds", "atomic_2", LATENCY, "an atomic on two words"),
    must("lds", "compare_1", LATENCY, "a comparing or masking atomic on one word"),
    must("lds", "compare_2", LATENCY, "a comparing or masking atomic on two words"),

    must("fetch", "buffer_words", Int(2, 256), "words of 32 bits that a wavefront's buffer holds"),
    must("fetch", "bytes", Int(8, 128), "bytes that a compute unit is given per cycle, for one wavefront; a power of two"),

    must("cycles", "valu", LATENCY, "a vector instruction of full rate"),
    must("cycles", "quarter", LATENCY, "one of a quarter of it: transcendentals, 32-bit products"),
    must("cycles", "fma", LATENCY, "a fused multiply-add of 32 bits"),
    must("cycles", "double", LATENCY, "a 64-bit sum, comparison, conversion or shift"),
    must("cycles", "double_product", LATENCY, "a 64-bit product, fused multiply-add or approximation"),
    must("cycles", "salu", LATENCY, "a scalar instruction"),
    must("cycles", "salu_long", LATENCY, "one that saves EXEC or writes a hardware register"),
    must("cycles", "vector_to_scalar", CYCLES, "from a vector instruction that writes scalar registers to a scalar one that reads them"),
    must("cycles", "to_branch", CYCLES, "from a write of SCC, VCC or EXEC to a branch on it, besides its own cycles"),
    must("cycles", "branch_taken", LATENCY, "a branch that is taken"),
    must("cycles", "branch_untaken", LATENCY, "one that is not"),
    must("cycles", "sleep", LATENCY, "each unit of s_sleep"),
    must("cycles", "barrier", LATENCY, "from the last wavefront at a barrier until all go on"),

    must("smem", "load_4", LATENCY, "of at most four words"),
    must("smem", "load_8", LATENCY, "of eight words"),
    must("smem", "load_16", LATENCY, "of sixteen words"),
    must("smem", "return_bytes", Int(4, 64), "bytes that the scalar cache gives a compute unit per cycle"),
    must("smem", "retry", LATENCY, "cycles until a cache without room is asked again"),

    must("vmem", "linear", LATENCY, "a load of at most one word per lane, addresses in a row or alike"),
    must("vmem", "scattered", LATENCY, "one with other addresses"),
    must("vmem", "load_2", LATENCY, "a load of two words per lane"),
    must("vmem", "load_4", LATENCY, "a load of four words per lane"),
    must("vmem", "store", LATENCY, "a store"),
    must("vmem", "atomic", LATENCY, "an atomic"),
    must("vmem", "compare", LATENCY, "a comparing atomic"),
    must("vmem", "read_data", LATENCY, "cycles until the registers of a store's data are read, which expcnt tells"),
    must("vmem", "store_backlog", CYCLES, "cycles of stores that may wait at the crossbar before the unit stops"),
    must("vmem", "retry", LATENCY, "cycles until a cache without room is asked again"),

    must("counters", "vmcnt", Int(1, 15), "vector memory"),
    must("counters", "expcnt", Int(1, 7), "exports, and stores whose data is not read yet"),
    must("counters", "lgkmcnt", Int(2, 15), "LDS, GDS, scalar memory and messages"),

    must("cache", "per", Choice(PLACES), "one per SM, compute unit, group of compute units that share it, or memory slice"),
    must("cache", "serves", ChoiceList(SPACES), "address spaces whose accesses it sees"),
    must("cache", "next", Text, "the level below: a cache, or `memory`"),
    must("cache", "sets", Int(1, 65536), "sets, a power of two"),
    must("cache", "ways", Int(1, 65536), "lines per set"),
    must("cache", "line_bytes", Int(32, 128), "bytes per line, a power of two; 128 in l1d and the L2 of SMs, 64 or 128 in that of compute units"),
    must("cache", "sector_bytes", Int(32, 128), "bytes fetched at a time; line_bytes = not sectored"),
    must("cache", "replacement", Choice(REPLACEMENTS), "which line leaves"),
    must("cache", "write", Choice(WRITES), "what a store does on a hit"),
    may("cache", "write_local", Choice(WRITES), "the same for local memory, where it differs; l1d only"),
    must("cache", "write_allocate", Choice(WRITE_ALLOCATES), "what a store does on a miss; none or lazy-fetch in a first level"),
    must("cache", "set_hash", Choice(SET_HASHES), "set index function"),
    may("cache", "mshr_entries", Int(1, 1 << 20), "outstanding misses; without it four per line, times four when sectored"),
    may("cache", "mshr_merge", Int(1, 65536), "requests merged into one miss; 64 without it"),
    may("cache", "port_bytes", Int(1, 4096), "bytes the data port moves per cycle; l1d and L2 need it, nothing else reads it"),
    may("cache", "banks", Int(1, 256), "data banks, interleaved by sector; l1d needs it, nothing else reads it"),
    must("cache", "latency", LATENCY, "cycles of a hit: issue to result in a first level, inside the slice in L2"),
    must("cache", "tag_bits", Int(1, 64), "tag bits stored per line, as counted in the inventory"),

    must("memory", "bytes", Int(1 << 20, 1 << 44), "device memory"),
    must("memory", "partitions", Int(1, 1024), "memory channels"),
    must("memory", "slices_per_partition", Int(1, 64), "L2 slices per channel"),
    must("memory", "partition_bytes", Int(128, 1 << 20), "consecutive bytes in one channel, a power of two"),
    must("memory", "partition_hash", Choice(PARTITION_HASHES), "channel index function"),
    must("memory", "address_map", Text, "address bits inside a channel, highest first: R row, B bank, C column, S column within a burst, 0 unused"),
    must("memory", "rop_latency", CYCLES, "cycles between crossbar and L2 slice"),
    must("memory", "dram_latency", CYCLES, "cycles between L2 slice and DRAM, on top of DRAM timing"),
    must("memory", "copies_fill_l2", Flag, "whether copies from the host leave their data in L2"),
    may("memory", "copies_fill_most", Int(1, 1 << 40), "largest copy that does so; all of them without it"),

    must("dram", "scheduler", Choice(&["fr-fcfs", "fifo"]), "order of requests"),
    must("dram", "queue", Int(0, 65_536), "requests the scheduler sees; 0 = unlimited"),
    must("dram", "chips", Int(1, 64), "chips side by side per channel"),
    must("dram", "bus_bytes", Int(1, 256), "data bus of one chip"),
    must("dram", "burst", Int(1, 256), "transfers per access"),
    must("dram", "data_per_command", Int(1, 64), "transfers per command cycle"),
    must("dram", "bank_hash", Choice(&["plain", "xor"]), "bank index function"),
    must("dram", "bank_group_bits", Choice(&["high", "low"]), "which bank bits choose the group"),
    must("dram", "banks", Int(1, 1024), "banks per channel"),
    must("dram", "bank_groups", Int(1, 64), "bank groups per channel"),
    must("dram", "ccd", SPACING, "column to column"),
    must("dram", "rrd", TIMING, "activate to activate of another bank"),
    must("dram", "rcd", TIMING, "activate to column"),
    must("dram", "ras", TIMING, "activate to precharge"),
    must("dram", "rp", TIMING, "precharge to activate"),
    must("dram", "rc", TIMING, "activate to activate of the same bank"),
    must("dram", "cl", TIMING, "read to data"),
    must("dram", "wl", TIMING, "write to data"),
    must("dram", "cdlr", TIMING, "last write data to read"),
    must("dram", "wr", TIMING, "last write data to precharge"),
    must("dram", "ccdl", SPACING, "column to column in the same bank group"),
    must("dram", "rtpl", TIMING, "read to precharge in the same bank group"),

    must("interconnect", "flit_bytes", Int(1, 4096), "bytes per packet and cycle"),
    may("interconnect", "reply_flit_bytes", Int(1, 4096), "the same from L2 to the SMs, where it differs"),
    must("interconnect", "header_bytes", Int(0, 4096), "bytes of a packet besides its data, per sector"),
    may("interconnect", "ports", Int(1, 16), "ways that each core has into the crossbar and out of it, which its first-level caches share out among them; one without it"),

    must("launch", "kernel_latency", CYCLES, "cycles before a kernel's first CTA"),
    must("launch", "cta_latency", CYCLES, "cycles until a finished CTA makes room for the next"),
    may("launch", "cta_interval", LATENCY, "cycles between two CTAs that one SM is given, where it takes more than one"),

    may("driver", "memory", Choice(&["mapped", "strict"]), "which wild accesses are answered: those to the driver's own memory too, or only those to pages with allocations; mapped without it"),
    may("driver", "page_bytes", Int(1 << 16, 1 << 30), "granule in which memory is mapped, a power of two; 2 MiB without it"),
    may("driver", "small_bytes", Int(0, 1 << 30), "largest allocation that shares its page with others; 2 MiB without it"),
    may("driver", "block_bytes", Int(1 << 16, 1 << 30), "bytes of the driver's block, which answers; offsets count from its start; 490 MiB without it"),
    may("driver", "small_page", Int(0, 1 << 30), "offset of the one page of it in which small allocations are made; 414 MiB without it"),
    may("driver", "area_from", Int(1 << 16, 1 << 30), "offset of the program's area: all other allocations that fit; what the block has of it answers until it is used; 488 MiB without it"),
    may("driver", "area_to", Int(1 << 16, 1 << 30), "offset of its end; 512 MiB without it"),
    may("driver", "pockets", IntList(0, 1 << 31), "offsets at which pockets of the driver's memory behind it begin and end, by turns; 512 to 526 and 528 to 544 MiB without it"),
    may("driver", "fill", Int(0, 255), "every byte of the driver's own memory before anybody writes to it; 0 without it"),
    may("driver", "shared_window", WINDOW, "first address of the shared window; 0x7f0000000000 without it").by(Launch),
    may("driver", "local_window", WINDOW, "first address of the local window; 0x7f0001000000 without it").by(Launch),

    must("model", "flush_l1_between_kernels", Flag, "empty the first-level caches when a kernel ends"),
    must("model", "flush_l2_between_kernels", Flag, "empty L2 when a kernel ends"),
    must("model", "perfect_instruction_and_constant", Flag, "instruction and constant accesses always hit"),
    must("model", "ecc", Flag, "whether codes act in the simulation: false, as yet; `upset report --ecc` tells what they would have done"),
];

/// Keys that descriptions of GPUs and simulators have and nothing here reads:
/// table, key, and what the model does instead. They are refused, so that
/// nobody believes to have changed something.
pub const UNREAD: &[(&str, &str, &str)] = &[
    ("sm", "predicates", "machine code has seven"),
    ("sm", "uniform_predicates", "there are seven where there are uniform registers"),
    ("scheduler", "dual_issue_same_unit", "a scheduler issues one instruction per cycle"),
    ("registers", "collectors", "operands are read through banks, ports and the reuse cache"),
    ("lsu", "response_buffer", ROOM),
    ("lsu", "coalesce", "a request asks for the sectors that its threads touch"),
    ("lsu", "coalesce_threads", "the threads of a warp are coalesced together"),
    ("unit", "latency_other", CONSUMERS),
    ("unit", "latency_memory", CONSUMERS),
    ("unit", "latency_guard", CONSUMERS),
    ("cache", "allocate", "a first level takes its line when the bytes come, L2 at the miss"),
    ("cache", "mshr", "misses are kept by line and sector"),
    ("cache", "miss_queue", ROOM),
    ("cache", "result_fifo", ROOM),
    ("memory", "queue_to_l2", ROOM),
    ("memory", "queue_l2_to_dram", ROOM),
    ("memory", "queue_dram_to_l2", ROOM),
    ("memory", "queue_from_l2", ROOM),
    ("dram", "return_queue", ROOM),
    ("dram", "dual_bus", "row commands do not wait for column commands"),
    ("interconnect", "subnets", "requests and replies have a network each"),
    ("interconnect", "input_buffer", ROOM),
    ("interconnect", "output_buffer", ROOM),
    ("interconnect", "ejection_buffer", ROOM),
    ("interconnect", "arbiter", "packets go in the order in which they come"),
    ("launch", "concurrent_kernels", "kernels run one after the other"),
    ("model", "adaptive_l1", "L1 and shared memory are as large as the chip says"),
];

const ROOM: &str = "what waits there always finds room";
const CONSUMERS: &str = "a result is there after `latency`, whoever uses it";

/// What the model does instead of reading a key.
pub fn unread(table: &str, key: &str) -> Option<&'static str> {
    UNREAD.iter().find(|(t, k, _)| *t == table && *k == key).map(|(_, _, instead)| *instead)
}

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

/// The cores whose table one of that name is; none: all chips have it.
pub fn core_of(table: &str) -> Option<Core> {
    TABLES.iter().find(|t| t.name == table)?.core
}

impl Table {
    const fn of(mut self, core: Core) -> Table {
        self.core = Some(core);
        self
    }
}

impl Field {
    const fn by(mut self, by: Reader) -> Field {
        self.by = by;
        self
    }
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
    Field { table, key, kind, required: true, by: Reader::Machine, doc }
}

const fn may(table: &'static str, key: &'static str, kind: Kind, doc: &'static str) -> Field {
    Field { table, key, kind, required: false, by: Reader::Machine, doc }
}

const fn one(name: &'static str, doc: &'static str) -> Table {
    Table { name, family: false, core: None, doc }
}

const fn many(name: &'static str, doc: &'static str) -> Table {
    Table { name, family: true, core: None, doc }
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
        for (table, key, _) in UNREAD {
            assert!(field(table, key).is_none(), "{table}.{key} is read after all");
            assert!(TABLES.iter().any(|t| t.name == *table), "{key} has no table");
        }
        for t in TABLES {
            assert!(fields(t.name).next().is_some(), "[{}] has no keys", t.name);
        }
    }
}
