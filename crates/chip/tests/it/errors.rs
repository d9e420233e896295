//! Every error says what, where, and how to mend it.

use upset_chip::{ChipSpec, schema};

fn load(name: &str, set: &[&str]) -> String {
    ChipSpec::load(name, set).unwrap_err().to_string()
}

fn parse(text: &str) -> String {
    ChipSpec::parse(text, "mine.toml", &[""; 0]).unwrap_err().to_string()
}

fn variant(text: &str) -> String {
    parse(&format!("extends = \"rtx2060\"\n{text}"))
}

#[test]
fn messages() {
    let cases = [
        ("unknown preset", load("rtx2600", &[])),
        ("missing file", load("./nowhere.toml", &[]).split(": No such").next().unwrap().to_owned()),
        ("not TOML", parse("[sm\ncount = 1")),
        ("unknown table", variant("[smm]\ncount = 1\n")),
        ("unknown key", variant("[sm]\n  cuont = 15\n")),
        ("unknown key of a cache", variant("[cache.l1d]\nway = 4\n")),
        ("unknown unit", variant("[unit.fpu]\nlanes = 4\n")),
        ("bad cache name", variant("[cache.\"L1 D\"]\nways = 4\n")),
        ("wrong type", variant("[sm]\ncount = \"many\"\n")),
        ("out of range", variant("[sm]\ncount = 0\n")),
        ("no such choice", variant("[cache.l1d]\nreplacement = \"lur\"\n")),
        ("not a table", variant("sm = 3\n")),
        ("not a cache", variant("[cache]\nl1d = 3\n")),
        ("missing key", parse("[chip]\nname = \"x\"\n")),
        ("missing key of a cache", variant("[cache.l3]\nways = 4\n")),
        ("rule between keys", variant("[sm]\nwarps = 64\n")),
        ("no power of two", variant("[cache.l2]\nsets = 48\n")),
        ("hash", variant("[cache.l2]\nsets = 128\n")),
        ("circle of levels", variant("[cache.l2]\nnext = \"l1d\"\n")),
        ("no such level", variant("[cache.l1d]\nnext = \"l3\"\n")),
        ("raw FIT without source", parse(&titanless())),
        ("source of no raw FIT", load("h200", &["chip.raw_fit_source=somebody"])),
        ("override without =", load("rtx2060", &["sm.count"])),
        ("override of nothing", load("rtx2060", &["sm.cuont=15"])),
        ("override of a cache key", load("rtx2060", &["l1d.sest=15"])),
        ("override of the wrong type", load("rtx2060", &["sm.count=many"])),
        ("override out of range", load("rtx2060", &["sm.count=0"])),
        ("override that breaks a rule", load("rtx2060", &["l2.sets=3"])),
        ("override that nothing would follow", load("rtx2060", &["model.ecc=true"])),
        ("a key that nothing would follow", variant("[model]\necc = true\n")),
        ("override of a table", load("rtx2060", &["l1d=4"])),
        ("a key that nothing reads", variant("[lsu]\nqueue = 4\nresponse_buffer = 2\n")),
        ("a key of a cache that nothing reads", variant("[cache.l1d]\nmshr = \"associative\"\n")),
        ("override that nothing reads", load("rtx2060", &["interconnect.arbiter=islip"])),
        ("override of a cache's that nothing reads", load("rtx2060", &["l1d.miss_queue=4"])),
        ("the same in full", load("rtx2060", &["cache.l1d.miss_queue=4"])),
        ("another vendor", load("rtx2060", &["chip.vendor=amd"])),
        ("a wavefront", load("rtx2060", &["sm.warp_size=64"])),
        ("a wavefront and its threads", variant("[sm]\nwarp_size = 64\nthreads = 2048\n")),
        ("dual issue", load("rtx2060", &["scheduler.issue_width=2"])),
        ("schedulers that share a sub-core", load("rtx2060", &["scheduler.per_sm=8"])),
        ("stack instead of barriers", load("rtx2060", &["sm.convergence_barriers=0"])),
        ("hardware that checks hazards", load("rtx2060", &["sm.scoreboards=0"])),
        ("no uniform datapath", load("rtx2060", &["sm.uniform_registers=0"])),
        (
            "more warps than a scheduler knows",
            load(
                "rtx2060",
                &["sm.warps=256", "sm.threads=8192", "sm.subcores=2", "scheduler.per_sm=2"],
            ),
        ),
        (
            "rows between sub-cores",
            load("rtx2060", &["registers.per_sm=65664", "registers.granule=128"]),
        ),
        ("a unit that is missing", load("rtx2060", &["fma=none"])),
        ("units side by side", load("rtx2060", &["alu.count=2"])),
        ("three pipes", load("h200", &["fma.count=3"])),
        ("lanes without threads", load("rtx2060", &["uniform.lanes=2"])),
        ("lanes in vain", load("rtx2060", &["alu.lanes=17"])),
        ("faster than its lanes", load("rtx2060", &["mufu.initiation=4"])),
        ("a hit before operands are read", load("rtx2060", &["l1d.latency=11"])),
        ("compute units on a chip with SMs", load("rtx2060", &["cu.simds=1"])),
        ("SMs on a chip with compute units", load("hd7970", &["sm.count=1"])),
        ("both", variant("[cu]\ncount = 3\n")),
        ("SMs of AMD", parse("extends = \"hd7970\"\n[chip]\nvendor = \"nvidia\"\n")),
        ("code of another vendor", load("hd7970", &["chip.arch=sm_75"])),
        ("three SIMD units", load("hd7970", &["cu.simds=3"])),
        ("a warp of AMD", load("hd7970", &["cu.wave_size=32"])),
        ("registers in parts of granules", load("hd7970", &["vgpr.per_simd=250"])),
        ("work-groups without room", load("hd7970", &["cu.simds=1", "cu.waves=1"])),
        ("more LDS than there is", load("hd7970", &["lds.bytes=16384"])),
        ("a misspelt key of AMD", load("hd7970", &["cu.simd=1"])),
        ("a missing key of AMD", parse("[chip]\nname = \"x\"\nvendor = \"amd\"\n")),
        ("a cache of SMs", load("hd7970", &["l1v.per=sm"])),
        ("no vector cache", load("hd7970", &["l1v=none"])),
        ("lines longer than those of L2", load("hd7970", &["l1s.line_bytes=128"])),
        ("L2 lines of AMD", load("hd7970", &["l2.line_bytes=32", "l2.sector_bytes=32"])),
        ("stores to scalars", load("hd7970", &["l1s.write=write-back"])),
        ("a port that nothing reads", load("hd7970", &["l1v.port_bytes=64"])),
        ("L2 lines", load("rtx2060", &["l2.line_bytes=64"])),
        (
            "L2 lines, with their sectors",
            variant("[cache.l2]\nline_bytes = 64\nsector_bytes = 64\n"),
        ),
        ("data lines", load("rtx2060", &["l1d.line_bytes=64"])),
        ("long lines", load("rtx2060", &["l1t.line_bytes=256"])),
        ("a level that no SM has", variant(LEVEL_0)),
        ("another level 2", variant("[cache.l1t]\nper = \"slice\"\n")),
        ("a cache of a sub-core", load("rtx2060", &["l1i.per=subcore"])),
        ("past L2", load("rtx2060", &["l1t.next=memory"])),
        ("half a data cache", load("rtx2060", &["l1d.serves=local"])),
        ("half an L2", load("rtx2060", &["l2.serves=texture"])),
        ("stores that fetch", load("h200", &["l1d.write_allocate=fetch-on-write"])),
        (
            "stores without a policy",
            load("rtx2060", &["l1d.write=read-only", "l1d.write_local=read-only"]),
        ),
        ("stores to textures", load("rtx2060", &["l1t.write=write-back"])),
        ("local stores elsewhere", load("rtx2060", &["l1t.write_local=write-back"])),
        ("banks that nothing reads", load("rtx2060", &["l1t.banks=2"])),
        ("parts of sectors", load("rtx2060", &["l1d.port_bytes=20"])),
        ("more misses than an L2 counts", load("rtx2060", &["l2.mshr_entries=70000"])),
        ("parts of command cycles", load("rtx2060", &["dram.data_per_command=3"])),
        ("extends nothing", parse("extends = \"rtx\"\n")),
        ("extends a number", parse("extends = 4\n")),
        ("too large", parse(&" ".repeat((1 << 20) + 1))),
    ];
    let text: String = cases.iter().map(|(name, error)| format!("{name}:\n  {error}\n")).collect();
    insta::assert_snapshot!(text);
}

const LEVEL_0: &str = "[cache.l0i]\nper = \"sm\"\nserves = [\"instruction\"]\nnext = \"l1i\"\n\
    sets = 16\nways = 6\nline_bytes = 128\nsector_bytes = 128\nreplacement = \"lru\"\n\
    write = \"read-only\"\nwrite_allocate = \"none\"\nset_hash = \"linear\"\nlatency = 1\n\
    tag_bits = 57\n";

/// Each says what the model does instead, and goes for files and overrides.
#[test]
fn keys_that_nothing_reads_are_refused_everywhere() {
    for (table, key, instead) in schema::UNREAD {
        let component = match *table {
            "unit" => "unit.fma",
            "cache" => "cache.l1d",
            plain => plain,
        };
        let expected = format!("nothing reads `{component}.{key}`: {instead}; take it out");
        let text = variant(&format!("[{component}]\n{key} = 1\n"));
        assert_eq!(text, format!("mine.toml:3:1: {expected}"));
        let set = format!("{component}.{key}=1");
        assert_eq!(load("h200", &[&set]), format!("--set {set}: {expected}"));
    }
}

fn titanless() -> String {
    "extends = \"h200\"\n[chip]\nraw_fit_per_bit = 1e-6\n".to_owned()
}

#[test]
fn deep_nesting_is_an_error() {
    for text in ["[".repeat(10_000), "a=".to_owned() + &"[".repeat(10_000), "a.".repeat(20_000)] {
        assert!(!parse(&text).is_empty());
    }
}
