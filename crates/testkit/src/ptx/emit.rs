//! The text of a random kernel: registers, statements, branches, loops, calls.

use std::fmt::Write;
use std::sync::LazyLock;

use super::places::{INPUT, OWN, SLOT, TARGETS};
use super::{Class, Instruction, Scratch, exact};
use crate::Rng;

/// Most trips of a loop whose count differs between threads, less one: a mask.
const TRIPS: u32 = 7;
/// Loops within loops.
const LOOPS: u32 = 3;
/// Bytes of local memory.
const LOCAL: u32 = 64;

/// Registers that statements compute with.
const POOL: [(Class, u32); 6] = [
    (Class::Half, 2),
    (Class::Word, 10),
    (Class::Wide, 4),
    (Class::Float, 4),
    (Class::Double, 2),
    (Class::Predicate, 3),
];

/// Instructions of which ptxas 11.8 makes something else, beside certain others. The
/// smallest number has no opposite: what becomes of it is left to the conversion that
/// follows. A wide integer that was FP32 before is not clamped to a word, and for
/// sm_35 a register is taken for it that nobody wrote.
const UNDEFINED: [&str; 4] = ["abs.s", "neg.s", "cvt.sat.u32.u64", "cvt.sat.s32.s64"];

static INSTRUCTIONS: LazyLock<Vec<Instruction>> = LazyLock::new(exact);

/// Where a statement stands.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// All threads of the CTA come here together.
    pub together: bool,
    depth: u32,
    loops: u32,
}

/// A kernel as it comes about.
pub(super) struct Emitter {
    pub rng: Rng,
    pub text: String,
    pub threads: u32,
    functions: String,
    seed: u64,
    labels: u32,
    called: u32,
}

impl Emitter {
    pub fn new(rng: Rng, seed: u64, threads: u32) -> Emitter {
        let (text, functions) = (String::new(), String::new());
        Emitter { rng, text, threads, functions, seed, labels: 0, called: 0 }
    }

    pub fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A register of the pool.
    pub fn register(&mut self, class: Class) -> String {
        let count = POOL.iter().find(|(c, _)| *c == class).map_or(1, |(_, n)| *n);
        format!("%{}{}", class.letter(), self.rng.below(count))
    }

    pub fn word(&mut self) -> String {
        self.register(Class::Word)
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("$L{}", self.labels)
    }

    /// The statements of the kernel.
    pub fn body(&mut self, statements: u32) {
        let place = Place { together: true, depth: 0, loops: 0 };
        for _ in 0..statements {
            self.statement(place);
        }
    }

    fn block(&mut self, place: Place) {
        for _ in 0..1 + self.rng.below(4) {
            self.statement(place);
        }
    }

    fn statement(&mut self, place: Place) {
        let deep = 30 * (place.depth + place.loops);
        let inside = Place { together: false, depth: place.depth + 1, ..place };
        match self.rng.below(100 + deep) {
            0..10 if place.depth < 4 => self.conditional(inside),
            10..14 if place.depth < 4 && place.loops < LOOPS => self.lane_loop(inside),
            14..17 if place.loops < LOOPS => self.repeat(place),
            17..20 if place.depth < 3 => self.switch(inside),
            20..23 => self.call(),
            23..45 => self.access(place),
            _ => self.instruction(),
        }
    }

    /// Any instruction of the table.
    pub fn instruction(&mut self) {
        let n = self.rng.below(INSTRUCTIONS.len() as u32) as usize;
        // Half of the time one on whole words: results go on being used.
        let plain = self.rng.below(2) == 0;
        let defined = |i: &Instruction| !UNDEFINED.iter().any(|n| i.name().starts_with(n));
        let fits = |i: &&Instruction| defined(i) && (!plain || i.result == Class::Word);
        let from = INSTRUCTIONS.iter().cycle().skip(n);
        let found = from.take(400).find(fits).unwrap_or(&INSTRUCTIONS[0]);
        let result = self.register(found.result);
        let operands: Vec<String> = found.operands.iter().map(|c| self.register(*c)).collect();
        let scratch = Scratch { half: "%hs", word: "%ts", wide: "%ls" };
        self.line(&found.statement(&result, &operands, &scratch));
    }

    /// A predicate that differs between threads, mostly.
    pub fn condition(&mut self) -> &'static str {
        let (a, b) = (self.word(), self.word());
        let bits = self.rng.pick(&[1, 2, 4, 0x8000, 0x11]);
        match self.rng.below(3) {
            0 => self.line(&format!("setp.lt.s32 %pc, {a}, {b};")),
            1 => self.line(&format!("and.b32 %ts, {a}, {bits}; setp.ne.u32 %pc, %ts, 0;")),
            _ => self.line(&format!("and.b32 %ts, %me, {bits}; setp.eq.u32 %pc, %ts, 0;")),
        }
        "%pc"
    }

    fn conditional(&mut self, inside: Place) {
        let (other, end) = (self.label(), self.label());
        let p = self.condition();
        let both = self.rng.below(2) == 0;
        let to = if both { &other } else { &end };
        self.line(&format!("@{p} bra {to};"));
        self.block(inside);
        if both {
            self.line(&format!("bra {end};\n{other}:"));
            self.block(inside);
        }
        self.line(&format!("{end}:"));
    }

    /// A loop whose trips differ between threads, which some leave early or cut short.
    fn lane_loop(&mut self, inside: Place) {
        let (counter, from) = (format!("%n{}", inside.loops), self.word());
        let (top, next, end) = (self.label(), self.label(), self.label());
        let mask = self.rng.pick(&[1, 3, TRIPS]);
        self.line(&format!("and.b32 {counter}, {from}, {mask};\n{top}:"));
        let place = Place { loops: inside.loops + 1, ..inside };
        self.block(place);
        if self.rng.below(3) == 0 {
            let p = self.condition();
            self.line(&format!("@{p} bra {end};"));
            self.block(place);
        }
        if self.rng.below(3) == 0 {
            let p = self.condition();
            self.line(&format!("@{p} bra {next};"));
            self.block(place);
        }
        self.line(&format!(
            "{next}:\nsub.s32 {counter}, {counter}, 1;\nsetp.ge.s32 %pc, {counter}, 0;\n\
             @%pc bra {top};\n{end}:"
        ));
    }

    /// A loop that all threads of the CTA run equally often.
    fn repeat(&mut self, place: Place) {
        let (counter, top) = (format!("%n{}", place.loops), self.label());
        let trips = 1 + self.rng.below(3);
        self.line(&format!("mov.u32 {counter}, {trips};\n{top}:"));
        self.block(Place { loops: place.loops + 1, ..place });
        self.line(&format!(
            "sub.s32 {counter}, {counter}, 1;\nsetp.gt.s32 %pc, {counter}, 0;\n@%pc bra {top};"
        ));
    }

    fn switch(&mut self, inside: Place) {
        let (table, end) = (self.label(), self.label());
        let arms: Vec<String> = (0..4).map(|_| self.label()).collect();
        let by = self.word();
        self.line(&format!("and.b32 %ts, {by}, 3;"));
        self.line(&format!("{table}: .branchtargets {};", arms.join(", ")));
        self.line(&format!("brx.idx %ts, {table};"));
        for arm in &arms {
            self.line(&format!("{arm}:"));
            self.block(inside);
            self.line(&format!("bra {end};"));
        }
        self.line(&format!("{end}:"));
    }

    /// A call of a function of two words, some of whose threads return early.
    fn call(&mut self) {
        let name = format!("function{}_{}", self.seed, self.called);
        self.called += 1;
        let (a, b, d) = (self.word(), self.word(), self.word());
        let step = self.rng.u32() | 1;
        let bit = self.rng.pick(&[1, 2, 16]);
        let operation = self.rng.pick(&["add.u32", "xor.b32", "max.s32", "mul.hi.u32", "sub.u32"]);
        let _ = write!(
            self.functions,
            ".func (.reg .b32 %out) {name}(.reg .b32 %x, .reg .b32 %y)\n{{\n\
             .reg .b32 %i<3>; .reg .pred %q<2>;\n\
             and.b32 %i0, %x, {bit}; setp.eq.u32 %q0, %i0, 0;\n\
             {operation} %out, %x, %y;\n@%q0 bra $end;\n\
             and.b32 %i1, %y, 3;\n$again:\nmad.lo.u32 %out, %out, {step}, %y;\n\
             sub.s32 %i1, %i1, 1; setp.ge.s32 %q1, %i1, 0;\n@%q1 bra $again;\n\
             $end:\nret;\n}}\n"
        );
        self.line(&format!("call ({d}), {name}, ({a}, {b});"));
    }

    /// The whole text, and the words that a thread stores.
    pub fn finish(mut self) -> (String, u32) {
        let mut stores = String::new();
        let mut words = 0;
        for (class, count) in POOL {
            for i in 0..count {
                let register = format!("%{}{i}", class.letter());
                let at = 8 * words;
                let _ = match class {
                    Class::Predicate => writeln!(
                        stores,
                        "selp.u32 %ts, 1, 0, {register}; st.global.b32 [%lo+{at}], %ts;"
                    ),
                    Class::Half => writeln!(stores, "st.global.b16 [%lo+{at}], {register};"),
                    Class::Word => writeln!(stores, "st.global.b32 [%lo+{at}], {register};"),
                    Class::Float => writeln!(stores, "st.global.f32 [%lo+{at}], {register};"),
                    Class::Wide => writeln!(stores, "st.global.b64 [%lo+{at}], {register};"),
                    Class::Double => writeln!(stores, "st.global.f64 [%lo+{at}], {register};"),
                };
                words += 1;
            }
        }
        let words = 2 * words;
        let ending = self.ending();
        let mut text = std::mem::take(&mut self.functions);
        let (seed, threads) = (self.seed, self.threads);
        let _ = write!(
            text,
            ".visible .entry random{seed}(.param .u64 in, .param .u64 out, .param .u64 own, \
             .param .u64 targets)\n{{\n\
             .shared .align 16 .b8 slots[{slots}];\n.shared .align 16 .b32 sums[{TARGETS}];\n\
             .local .align 16 .b8 stack[{LOCAL}];\n\
             .reg .b16 %h<8>; .reg .b32 %r<12>; .reg .b64 %l<12>; .reg .f32 %f<6>;\n\
             .reg .f64 %d<6>; .reg .pred %p<6>; .reg .b32 %n<8>;\n\
             .reg .b16 %hs; .reg .b32 %ts, %us, %me, %all, %phase, %vs<4>;\n\
             .reg .b64 %ls, %lt, %li, %lo, %lw, %lg; .reg .pred %pc;\n\
             mov.u32 %me, %tid.x; mov.u32 %all, %ctaid.x; mad.lo.u32 %all, %all, {threads}, %me;\n\
             ld.param.u64 %li, [in]; ld.param.u64 %lo, [out]; ld.param.u64 %lw, [own];\n\
             ld.param.u64 %lg, [targets]; mov.u32 %phase, 0;\n\
             mul.wide.u32 %ls, %all, {out}; add.u64 %lo, %lo, %ls;\n\
             mul.wide.u32 %ls, %all, {OWN}; add.u64 %lw, %lw, %ls;\n\
             {first}{body}{ending}{stores}ret;\n}}\n",
            slots = 2 * threads * SLOT,
            out = 4 * words,
            first = first_values(threads),
            body = self.text,
        );
        (text, words)
    }
}

/// Registers and memory get their first values.
fn first_values(threads: u32) -> String {
    let mut text = format!(
        "mul.lo.u32 %ts, %all, 104; and.b32 %ts, %ts, {}; cvt.u64.u32 %ls, %ts;\n\
         add.u64 %lt, %li, %ls;\n",
        INPUT / 2 - 8
    );
    let mut at = 0;
    for (class, count) in POOL {
        for i in 0..count {
            let register = format!("%{}{i}", class.letter());
            let _ = match class {
                Class::Predicate => {
                    writeln!(text, "ld.global.b32 %ts, [%lt+{at}]; setp.lt.s32 {register}, %ts, 0;")
                }
                Class::Half => writeln!(text, "ld.global.b16 {register}, [%lt+{at}];"),
                Class::Word => writeln!(text, "ld.global.b32 {register}, [%lt+{at}];"),
                Class::Float => writeln!(text, "ld.global.f32 {register}, [%lt+{at}];"),
                Class::Wide => writeln!(text, "ld.global.b64 {register}, [%lt+{at}];"),
                Class::Double => writeln!(text, "ld.global.f64 {register}, [%lt+{at}];"),
            };
            at += 8;
        }
    }
    for at in (0..LOCAL).step_by(8) {
        let _ = writeln!(text, "st.local.b64 [stack+{at}], %l{};", at / 8 % 4);
    }
    let _ = writeln!(text, "mov.u32 %us, slots; mad.lo.u32 %us, %me, {SLOT}, %us;");
    for buffer in 0..2 {
        for at in (0..SLOT).step_by(8) {
            let place = buffer * threads * SLOT + at;
            let _ = writeln!(text, "st.shared.b64 [%us+{place}], %l{};", at / 8);
        }
    }
    // The first thread sets all targets.
    text.push_str("setp.ne.u32 %pc, %me, 0;\n@%pc bra $first;\n");
    for i in 0..TARGETS {
        let _ = writeln!(text, "st.shared.b32 [sums+{}], {};", 4 * i, i.wrapping_mul(0x9e37_79b9));
    }
    text.push_str("$first:\nbar.sync 0;\n");
    text
}
