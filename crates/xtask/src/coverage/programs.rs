//! Programs whose AVF is known before anything is injected.
//!
//! Each puts words into one kind of array, waits, and takes them out into its
//! output. The output is the words themselves, so a bit matters in every cycle
//! from the one after it was written to the one in which it is last read, and
//! in no other.

use upset_sass::Arch;
use upset_state::{Access, By};
use upset_testkit::asm::cubin::Kernel;
use upset_testkit::asm::int::{self, Combine, Compare};
use upset_testkit::asm::memory::{At, Order, Size, ldg, ldl, lds, stg, stl, sts};
use upset_testkit::asm::warp::{Special, s2r};
use upset_testkit::asm::{Code, Control, P, PT, R, RZ, U, constant, flow, moves, uniform};

use super::timeline::{Held, Timeline};
use crate::Outcome;

const ARCH: Arch = Arch::Sm75;
/// Bits of a register, a line, or a word of each thread in memory.
const ROW: u64 = 1024;
/// Cycles from an instruction to the next.
pub const STALL: u64 = 15;

/// Changes of the preset `rtx2060`: one SM with one sub-core and one warp,
/// and arrays so small that a program fills a good part of them.
pub const CHIP: &[&str] = &[
    "sm.count=1",
    "sm.subcores=1",
    "sm.warps=1",
    "sm.threads=32",
    "sm.threads_per_cta=32",
    "sm.ctas=1",
    "scheduler.per_sm=1",
    "registers.partitions=1",
    "registers.per_sm=1024",
    "registers.per_cta=1024",
    "shared.bytes=1024",
    "shared.per_cta=1024",
    "cache.l1d.sets=1",
    "cache.l1d.ways=4",
    "cache.l1t.sets=1",
    "cache.l1t.ways=1",
    "cache.l1c.sets=1",
    "cache.l1c.ways=16",
    "cache.l1i.sets=1",
    "cache.l1i.ways=32",
    "cache.l2.sets=1",
    "cache.l2.ways=40",
    "cache.l2.set_hash=linear",
    "memory.partitions=1",
    "memory.slices_per_partition=1",
];

/// Finds the bits that matter from a fault-free run's timeline.
type Formula = Box<dyn Fn(&Timeline) -> Outcome<Vec<Held>> + Send + Sync>;

/// A program.
pub struct Program {
    /// Its name: letters and digits.
    pub name: &'static str,
    /// The array it is about.
    pub structure: &'static str,
    /// Changes of the preset `rtx2060` that make its chip.
    pub chip: Vec<&'static str>,
    /// Machine code.
    pub kernel: Kernel,
    /// Dynamic shared memory.
    pub shared_bytes: u32,
    /// Lines of 32 words that it reads or writes.
    pub lines: u32,
    /// Which bits matter when.
    pub held: Formula,
}

/// Thread number.
const ID: R = R(0);
/// Addresses of this thread's word of the input and of the output: pairs.
const INPUT: R = R(2);
const OUTPUT: R = R(4);
/// Address of its word of shared memory.
const SHARED: R = R(6);
/// The first of the words.
const WORD: R = R(8);
/// Where the parameters lie in the line of constants that holds them.
const PARAMETERS: std::ops::Range<u64> = 0x60 * 8..0x70 * 8;
/// First-level caches by their numbers in a chip's list.
const L1D: u8 = 0;
const L1C: u8 = 2;

fn load(d: R, line: u32) -> Code {
    ldg(ARCH, d, At::Reg(INPUT, 0).plus(128 * line), Size::Word, Order::Weak)
}

fn store(line: u32) -> Code {
    stg(ARCH, At::Reg(OUTPUT, 0).plus(128 * line), word(line), Size::Word, Order::Weak)
}

fn word(n: u32) -> R {
    WORD.plus(n as u8)
}

/// Put `n`-th: a word that is not zero.
fn put(n: u32) -> Code {
    moves::mov(word(n), 0x0101_0101 * (n + 1))
}

/// Instructions with their numbers.
struct Body(Vec<Code>);

/// Numbers of the instructions that make the thread's address in the output.
const OUTPUT_LOW: usize = 4;
const OUTPUT_HIGH: usize = 5;
const OUTPUT_SUM: usize = 6;

impl Body {
    fn new() -> Body {
        let address = |d: R, at| {
            [
                moves::mov(d, constant(0, at)),
                moves::mov(d.plus(1), constant(0, at + 4)),
                int::imad_wide(d, ID, 4, d, false),
            ]
        };
        let mut codes = vec![s2r(ID, Special::TidX)];
        codes.extend(address(INPUT, 0x160));
        codes.extend(address(OUTPUT, 0x168));
        Body(codes)
    }

    /// Adds an instruction for each of `n`; the number of the first.
    fn each(&mut self, n: u32, code: impl Fn(u32) -> Code) -> usize {
        let first = self.0.len();
        self.0.extend((0..n).map(code));
        first
    }

    fn wait(&mut self, n: u32) {
        self.each(n, |_| flow::nop());
    }

    fn program(
        mut self,
        name: &'static str,
        structure: &'static str,
        lines: u32,
        held: impl Fn(&Timeline) -> Outcome<Vec<Held>> + Send + Sync + 'static,
    ) -> Program {
        self.0.push(flow::exit());
        // Hardware fetches beyond the end.
        self.wait(4);
        let kernel = Kernel {
            name: "keep".into(),
            arch: ARCH,
            code: assemble(&self.0),
            registers: 24,
            barriers: 0,
            stack_bytes: 0,
            params: vec![8, 8],
            literals: Vec::new(),
            constants: Vec::new(),
        };
        let (chip, held) = (CHIP.to_vec(), Box::new(held));
        Program { name, structure, chip, kernel, shared_bytes: 0, lines, held }
    }
}

/// Machine code in which every instruction waits for all before it.
fn assemble(codes: &[Code]) -> Vec<u8> {
    let plain = Control { wait: 0x3f, ..Control::stall(STALL as u8) };
    let awaited = Control { write: Some(0), ..plain };
    // LDG, LDL, LDS, S2R: results whose arrival must be waited for.
    let varies = |c: &Code| matches!(c.0 & 0x1ff, 0x181 | 0x183 | 0x184 | 0x119);
    let word = |c: &Code| c.word(if varies(c) { awaited } else { plain });
    codes.iter().flat_map(|c| word(c).0.to_le_bytes()).collect()
}

/// The bits of row `n`.
fn row(n: u64, bits: u64) -> std::ops::Range<u64> {
    n * bits..(n + 1) * bits
}

/// All programs, one for each kind of array.
pub fn all() -> Vec<Program> {
    vec![registers(), shared(), first_level(), second_level(), local(), predicates(), uniform()]
}

/// Eight words in registers of every thread, and the address to store them to.
pub fn registers() -> Program {
    const N: u32 = 8;
    let mut body = Body::new();
    let puts = body.each(N, put);
    body.wait(20);
    let takes = body.each(N, store);
    body.program("registers", "rf", N, move |t| {
        let mut held = Vec::new();
        let mut keep = |register: R, from: usize, to: usize| -> Outcome<()> {
            let r = u32::from(register.0);
            let cycles = t.wrote_row(from, r)?..t.read_row(to, r)?;
            held.push(Held::between(row(r.into(), ROW), cycles));
            Ok(())
        };
        keep(ID, 0, OUTPUT_SUM)?;
        keep(OUTPUT, OUTPUT_LOW, OUTPUT_SUM)?;
        keep(OUTPUT.plus(1), OUTPUT_HIGH, OUTPUT_SUM)?;
        let last = takes + N as usize - 1;
        keep(OUTPUT, OUTPUT_SUM, last)?;
        keep(OUTPUT.plus(1), OUTPUT_SUM, last)?;
        for i in 0..N as usize {
            keep(word(i as u32), puts + i, takes + i)?;
        }
        Ok(held)
    })
}

/// Four words of every thread in shared memory.
pub fn shared() -> Program {
    const N: u32 = 4;
    let mut body = Body::new();
    body.each(1, |_| int::imad(SHARED, ID, 4, RZ));
    body.each(N, put);
    let puts = body.each(N, |i| sts(SHARED, 128 * i as i32, word(i), Size::Word));
    body.wait(20);
    let takes = body.each(N, |i| lds(word(i), SHARED, 128 * i as i32, Size::Word));
    body.each(N, store);
    let mut program = body.program("shared", "smem", N, move |t| {
        (0..N as usize)
            .map(|i| {
                let cycles = t.wrote(puts + i)?..t.read(takes + i)?;
                Ok(Held::between(row(i as u64, ROW), cycles))
            })
            .collect()
    });
    program.shared_bytes = 128 * N;
    program
}

/// Three lines in L1D, loaded twice; the second time they are there.
pub fn first_level() -> Program {
    const N: u32 = 3;
    let mut body = Body::new();
    body.each(N, |i| load(word(i), i));
    body.wait(40);
    let takes = body.each(N, |i| load(word(i), i));
    body.each(N, store);
    body.program("first_level", "l1d.data", N, move |t| {
        let fills = t.select(N, |e| e.access == Access::Fill)?;
        let pairs = fills.iter().enumerate();
        pairs
            .map(|(i, fill)| {
                let cycles = fill.cycle..t.read_row(takes + i, fill.row)?;
                Ok(Held::between(row(fill.row.into(), ROW), cycles))
            })
            .collect()
    })
}

/// Lines in L2: input until it is loaded, output from the store to the end,
/// and the kernel's parameters until they are fetched.
pub fn second_level() -> Program {
    const N: u32 = 4;
    let mut body = Body::new();
    body.wait(10);
    body.each(N, |i| load(word(i), i));
    body.each(N, store);
    body.wait(60);
    body.program("second_level", "l2.data", N, move |t| {
        let level = |n, of: u8, access| {
            t.select(n, move |e| {
                e.access == access && matches!(e.by, By::Level { client, .. } if client == of)
            })
        };
        let bits = |r: u32| row(r.into(), ROW);
        let mut held = Vec::new();
        for e in level(1, L1C, Access::Read)? {
            let line = bits(e.row).start;
            let parameters = line + PARAMETERS.start..line + PARAMETERS.end;
            // The host writes them between the launches, after the first
            // cycle's flips.
            held.push(Held::between(parameters, t.window.start..e.cycle));
        }
        held.extend(level(N, L1D, Access::Read)?.iter().map(|e| t.until(bits(e.row), e.cycle)));
        held.extend(level(N, L1D, Access::Write)?.iter().map(|e| t.since(bits(e.row), e.cycle)));
        Ok(held)
    })
}

/// Twelve words of every thread in local memory, too many for both caches:
/// each goes to memory and comes back.
pub fn local() -> Program {
    const N: u32 = 12;
    let mut body = Body::new();
    body.each(N, put);
    body.each(N, |i| stl(RZ, 4 * i as i32, word(i), Size::Word));
    body.wait(10);
    body.each(N, |i| ldl(word(i), RZ, 4 * i as i32, Size::Word));
    body.each(N, store);
    let mut program = body.program("local", "lmem", N, |t| {
        let reads = t.select(N, |e| e.access == Access::Read)?;
        reads
            .iter()
            .map(|read| {
                let row_of = row(read.row.into(), ROW);
                Ok(Held::between(row_of, t.written_before(read)?..read.cycle))
            })
            .collect()
    });
    program.kernel.stack_bytes = 4 * 16;
    program.chip.extend(["cache.l1d.ways=2", "cache.l2.ways=4"]);
    program
}

/// Six predicates of every thread.
pub fn predicates() -> Program {
    const N: u32 = 6;
    let mut body = Body::new();
    let puts = body
        .each(N, |i| int::isetp(P::new(i as u8), Compare::Lt, false, ID, 5 * i, Combine::And, PT));
    body.wait(20);
    let take = body.each(1, |_| moves::p2r(WORD, RZ, 0x3f));
    body.each(1, store);
    body.program("predicates", "pred", 1, move |t| {
        (0..N)
            .map(|i| {
                let cycles = t.wrote_row(puts + i as usize, i)?..t.read_row(take, i)?;
                Ok(Held::between(row(i.into(), 32), cycles))
            })
            .collect()
    })
}

/// Eight uniform registers.
pub fn uniform() -> Program {
    const N: u32 = 8;
    let register = |i: u32| U(4 + i as u8);
    let mut body = Body::new();
    let puts = body.each(N, |i| uniform::umov(register(i), 0x0101_0101 * (i + 1)));
    body.wait(20);
    let takes = body.each(N, |i| moves::mov(word(i), register(i)));
    body.each(N, store);
    body.program("uniform", "ureg", N, move |t| {
        (0..N as usize)
            .map(|i| {
                let r = u32::from(register(i as u32).0);
                let cycles = t.wrote_row(puts + i, r)?..t.read_row(takes + i, r)?;
                Ok(Held::between(row(r.into(), 32), cycles))
            })
            .collect()
    })
}
