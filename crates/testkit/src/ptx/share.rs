//! Statements that touch memory or other threads. Why their results do not
//! depend on order: `docs/random-programs.md`.

use super::Class;
use super::emit::{Emitter, Place};
use super::places::{CONSTANTS, INPUT, SLOT, TARGETS};

/// Reductions by the word they go to, modulo eight: one operation each, whose
/// order does not matter.
const REDUCTIONS: [&str; 8] =
    ["add.u32", "min.u32", "max.u32", "min.s32", "max.s32", "and.b32", "or.b32", "xor.b32"];
/// Atomics of words; of pairs.
const ATOMICS: [&str; 11] = [
    "add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32", "and.b32", "or.b32",
    "xor.b32", "inc.u32", "dec.u32",
];
const WIDE_ATOMICS: [&str; 8] =
    ["add.u64", "min.u64", "max.u64", "min.s64", "max.s64", "and.b64", "or.b64", "xor.b64"];

impl Emitter {
    pub(super) fn access(&mut self, place: Place) {
        match self.rng.below(if place.together { 16 } else { 11 }) {
            0 => self.input(),
            1 => self.constant(),
            2 => self.local(),
            3 | 4 => self.own_global(),
            5 | 6 => self.own_shared(),
            7 => self.peer_shared(),
            8 => self.reduction("global", "%lg"),
            9 => self.reduction("shared", "sums"),
            10 => self.fence(),
            11 | 12 => self.barrier(),
            _ if self.threads.is_multiple_of(32) => self.lanes(),
            _ => self.barrier(),
        }
    }

    /// `%lt` is an address in the input.
    fn input(&mut self) {
        let (by, d, how) = (self.word(), self.word(), self.rng.below(6));
        let wide = self.register(Class::Wide);
        self.line(&format!(
            "and.b32 %ts, {by}, {}; cvt.u64.u32 %ls, %ts; add.u64 %lt, %li, %ls;",
            INPUT - 16
        ));
        let line = match how {
            0 => format!("ld.global.nc.u32 {d}, [%lt];"),
            1 => format!("ld.global.nc.u64 {wide}, [%lt+8];"),
            2 => format!("ld.global.u8 {d}, [%lt+3];"),
            3 => format!("ld.global.s16 {d}, [%lt+6];"),
            4 => format!("ld.global.v4.u32 {{%vs0, {d}, %vs2, %vs3}}, [%lt];"),
            _ => format!("ld.global.cg.u32 {d}, [%lt+4];"),
        };
        // The address has to be one of sixteen bytes.
        self.line("and.b64 %lt, %lt, -16;");
        self.line(&line);
    }

    fn constant(&mut self) {
        let (by, d, wide) = (self.word(), self.word(), self.register(Class::Wide));
        self.line(&format!(
            "and.b32 %ts, {by}, {}; cvt.u64.u32 %ls, %ts; mov.u64 %lt, table; add.u64 %lt, %lt, %ls;",
            4 * CONSTANTS - 8
        ));
        self.line("and.b64 %lt, %lt, -8;");
        match self.rng.below(3) {
            0 => self.line(&format!("ld.const.u32 {d}, [%lt];")),
            1 => self.line(&format!("ld.const.u64 {wide}, [%lt];")),
            _ => self.line(&format!("ld.const.u8 {d}, [%lt+1];")),
        }
    }

    fn local(&mut self) {
        let (by, r, wide) = (self.word(), self.word(), self.register(Class::Wide));
        self.line(&format!(
            "and.b32 %ts, {by}, 56; cvt.u64.u32 %ls, %ts; mov.u64 %lt, stack; add.u64 %lt, %lt, %ls;"
        ));
        match self.rng.below(6) {
            0 => self.line(&format!("st.local.u32 [%lt+4], {r};")),
            1 => self.line(&format!("ld.local.u32 {r}, [%lt];")),
            2 => self.line(&format!("st.local.u64 [%lt], {wide};")),
            3 => self.line(&format!("ld.local.u64 {wide}, [%lt];")),
            4 => self.line(&format!("cvta.local.u64 %lt, %lt; st.u8 [%lt+5], {r};")),
            _ => self.line(&format!("cvta.local.u64 %lt, %lt; ld.s16 {r}, [%lt+2];")),
        }
    }

    /// An access to a thread's own place: `at` is its address.
    fn own(&mut self, space: &str, at: &str) {
        let (d, a, b) = (self.word(), self.word(), self.word());
        let (wide, other) = (self.register(Class::Wide), self.register(Class::Wide));
        let more = 4 * self.rng.below(4);
        let (op, wide_op) = (self.rng.pick(&ATOMICS), self.rng.pick(&WIDE_ATOMICS));
        let line = match self.rng.below(16) {
            0 => format!("st.{space}.u32 [{at}+{more}], {a};"),
            1 => format!("ld.{space}.u32 {d}, [{at}+{more}];"),
            2 => format!("st.{space}.u8 [{at}+{more}], {a};"),
            3 => format!("ld.{space}.s8 {d}, [{at}+{more}];"),
            4 => format!("st.{space}.u16 [{at}+{more}], {a};"),
            5 => format!("st.{space}.v2.u32 [{at}+8], {{{a}, {b}}};"),
            6 => format!("ld.{space}.v4.u32 {{{d}, %vs1, %vs2, %vs3}}, [{at}];"),
            7 => format!("st.{space}.u64 [{at}+8], {wide};"),
            8 => format!("ld.{space}.u64 {wide}, [{at}];"),
            9 => format!("atom.{space}.exch.b32 {d}, [{at}+{more}], {a};"),
            10 => format!("atom.{space}.cas.b32 {d}, [{at}+{more}], {a}, {b};"),
            11 => format!("atom.{space}.cas.b64 {wide}, [{at}+8], {wide}, {other};"),
            12 => format!("atom.{space}.exch.b64 {wide}, [{at}], {other};"),
            13 => format!("atom.{space}.{wide_op} {wide}, [{at}+8], {other};"),
            _ => format!("atom.{space}.{op} {d}, [{at}+{more}], {a};"),
        };
        self.line(&line);
    }

    fn own_global(&mut self) {
        self.own("global", "%lw");
    }

    /// `%us` is the thread's slot in the buffer that is written now.
    fn own_shared(&mut self) {
        let buffer = self.threads * SLOT;
        self.line(&format!("mov.u32 %us, slots; mad.lo.u32 %us, %me, {SLOT}, %us;"));
        self.line(&format!("mad.lo.u32 %us, %phase, {buffer}, %us;"));
        if self.rng.below(5) == 0 {
            let (d, a) = (self.word(), self.word());
            self.line("cvt.u64.u32 %lt, %us; cvta.shared.u64 %lt, %lt;");
            match self.rng.below(3) {
                0 => self.line(&format!("st.u32 [%lt+4], {a};")),
                1 => self.line(&format!("ld.u32 {d}, [%lt+8];")),
                _ => self.line(&format!("ld.u16 {d}, [%lt+2];")),
            }
        } else {
            self.own("shared", "%us");
        }
    }

    /// A load from any slot of the buffer that nobody writes now.
    fn peer_shared(&mut self) {
        let buffer = self.threads * SLOT;
        let (by, d, wide) = (self.word(), self.word(), self.register(Class::Wide));
        self.line(&format!(
            "xor.b32 %us, %phase, 1; mul.lo.u32 %us, %us, {buffer}; rem.u32 %ts, {by}, {};",
            self.threads
        ));
        self.line(&format!("mad.lo.u32 %us, %ts, {SLOT}, %us; mov.u32 %ts, slots;"));
        self.line("add.u32 %us, %us, %ts;");
        match self.rng.below(3) {
            0 => self.line(&format!("ld.shared.u32 {d}, [%us+4];")),
            1 => self.line(&format!("ld.shared.u64 {wide}, [%us+8];")),
            _ => self.line(&format!("ld.shared.u8 {d}, [%us+5];")),
        }
    }

    fn reduction(&mut self, space: &str, base: &str) {
        let (word, a) = (self.rng.below(TARGETS), self.word());
        let op = REDUCTIONS[word as usize % REDUCTIONS.len()];
        let line = format!("red.{space}.{op} [{base}+{}], {a};", 4 * word);
        self.line(&line);
    }

    fn fence(&mut self) {
        let line = self.rng.pick(&["membar.cta;", "membar.gl;", "membar.sys;"]);
        self.line(line);
    }

    /// A barrier of the CTA: buffers change their roles.
    fn barrier(&mut self) {
        let (p, d) = (self.register(Class::Predicate), self.word());
        let q = self.register(Class::Predicate);
        match self.rng.below(4) {
            0 => self.line(&format!("bar.red.popc.u32 {d}, 0, {p};")),
            1 => self.line(&format!("bar.red.and.pred {q}, 0, {p};")),
            2 => self.line(&format!("bar.red.or.pred {q}, 0, {p};")),
            _ => self.line("bar.sync 0;"),
        }
        self.line("xor.b32 %phase, %phase, 1;");
    }

    /// Votes and shuffles of whole warps.
    fn lanes(&mut self) {
        let (d, a, b) = (self.word(), self.word(), self.word());
        let (p, q) = (self.register(Class::Predicate), self.register(Class::Predicate));
        let mode = self.rng.pick(&["up", "down", "bfly", "idx"]);
        let clamp = match mode {
            "up" => self.rng.pick(&[0, 0x1800, 0x1000]),
            _ => self.rng.pick(&[0x1f, 0x181f, 0x101f]),
        };
        let by = self.rng.below(32);
        match self.rng.below(6) {
            0 => self.line(&format!("vote.sync.all.pred {q}, {p}, 0xffffffff;")),
            1 => self.line(&format!("vote.sync.any.pred {q}, {p}, 0xffffffff;")),
            2 => self.line(&format!("vote.sync.uni.pred {q}, {p}, 0xffffffff;")),
            3 => self.line(&format!("vote.sync.ballot.b32 {d}, {p}, 0xffffffff;")),
            4 => {
                self.line(&format!("shfl.sync.{mode}.b32 {d}|{q}, {a}, {by}, {clamp}, 0xffffffff;"))
            }
            _ => self.line(&format!(
                "and.b32 %ts, {b}, 31; shfl.sync.{mode}.b32 {d}|{q}, {a}, %ts, {clamp}, 0xffffffff;"
            )),
        }
    }

    /// The end: everybody is here, and the first threads store the sums.
    pub(super) fn ending(&mut self) -> String {
        format!(
            "bar.sync 0;\nsetp.ge.u32 %pc, %me, {TARGETS};\n@%pc bra $last;\n\
             mov.u32 %us, sums; mad.lo.u32 %us, %me, 4, %us; ld.shared.u32 %ts, [%us];\n\
             mov.u32 %us, %ctaid.x; mad.lo.u32 %us, %us, {TARGETS}, %me;\n\
             mul.wide.u32 %ls, %us, 4; add.u64 %lt, %lg, %ls; st.global.u32 [%lt+{}], %ts;\n\
             $last:\n",
            4 * TARGETS
        )
    }
}
