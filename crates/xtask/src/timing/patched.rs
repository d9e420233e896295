//! The micro-benchmarks made of single instruction words: how small a stall
//! count may be, how often a unit takes an instruction, when a scoreboard is
//! released. All in the frame, so sm_90 only.

use upset_sass::Word;

use super::bench::{Bench, Code, Data, Group, Reading};
use super::frame::register;
use super::words::{self as w, Ctl, Op, RZ, Width};

/// Every row.
pub fn rows() -> Vec<Bench> {
    let mut rows = Vec::new();
    stalls(&mut rows);
    predicate_stalls(&mut rows);
    uniform_stalls(&mut rows);
    address_stalls(&mut rows);
    boards(&mut rows);
    intervals(&mut rows);
    chains(&mut rows);
    order(&mut rows);
    memory_queue(&mut rows);
    banks(&mut rows);
    rows
}

/// Waits for every scoreboard, and longer than any fixed latency.
fn settle() -> [Word; 2] {
    let all = Ctl { wait: 0x3f, ..Ctl::stall(15) };
    [w::nop().with(all), w::nop().stall(15)]
}

fn bench(group: Group, name: impl Into<String>, words: Vec<Word>) -> Bench {
    let input = std::array::from_fn(|i| 0x3f80_0000 + i as u32);
    Bench {
        name: name.into(),
        group,
        code: Code::Words(words, input),
        grid: 1,
        block: 32,
        shared: 4096,
        data: Data::Operands,
        numbers: Vec::new(),
        launches: 1,
        reading: Reading::Difference(0, 1),
        less: 0.0,
        per: 1.0,
        unit: "cycles",
    }
}

// ---- Smallest stall counts.

/// Registers with operands, and the destinations of producers.
const T: u8 = 40;
const ONE_F: u8 = 41;
const EXPONENT: u8 = 42;
const TWO_F: u8 = 43;
const ONE: u8 = 44;
const SIGN: u8 = 45;
const HALVES: u8 = 46;
const BYTES: u8 = 47;
const DOUBLE: u8 = 48;
const PAIR: u8 = 50;
/// What a destination holds before the producer: 1.5 as FP32.
const OLD: u32 = 0x3fc0_0000;

fn operands() -> Vec<Word> {
    let mut words: Vec<Word> = settle().to_vec();
    for (register, value) in [
        (ONE_F, 0x3f80_0000),
        (EXPONENT, 0x0080_0000),
        (TWO_F, 0x4000_0000),
        (ONE, 1),
        (SIGN, 0x8000_0000),
        (HALVES, 0x3c00_3c00),
        (BYTES, 0x3210),
        (DOUBLE, 0),
        (DOUBLE + 1, 0x3ff0_0000),
    ] {
        words.push(w::mov(register, value).stall(4));
    }
    words
}

/// For each stall count: `reset`, the producer with that count, the consumer
/// into its own word of the output.
fn sweep(
    name: String,
    setup: Vec<Word>,
    reset: &dyn Fn(u8) -> Vec<Word>,
    producer: Op,
    consumer: &dyn Fn(u8) -> Vec<Word>,
) -> Bench {
    const COUNTS: usize = 15;
    let mut words = setup;
    words.extend(settle());
    for stall in 1..=COUNTS {
        let d = register(stall - 1);
        words.extend(reset(d));
        words.extend(settle());
        words.push(producer.stall(stall as u8));
        words.extend(consumer(d));
        words.extend(settle());
    }
    bench(Group::Stall, format!("stall_{name}"), words)
        .reading(Reading::SmallestStall(COUNTS))
        .per(1.0, "smallest stall count")
}

/// An instruction of variable latency, and the wait for it.
fn waited(op: Op) -> Vec<Word> {
    vec![op.with(Ctl { write: Some(0), ..Ctl::stall(2) })]
}

/// (name, the consumer's words, given destination and source)
type Consumer = (&'static str, fn(u8, u8) -> Vec<Word>);

fn consumers() -> [Consumer; 8] {
    [
        ("iadd3", |d, s| vec![w::iadd3(d, s, RZ, RZ).stall(15)]),
        ("imad", |d, s| vec![w::imad(d, s, ONE, RZ).stall(15)]),
        ("imad_c", |d, s| vec![w::imad(d, RZ, RZ, s).stall(15)]),
        ("ffma", |d, s| vec![w::ffma(d, s, ONE_F, SIGN).stall(15)]),
        ("hfma2", |d, s| vec![w::hfma2(d, s, HALVES, RZ).stall(15)]),
        ("popc", |d, s| waited(w::popc(d, s))),
        ("shfl", |d, s| waited(w::shfl(d, s))),
        ("mufu", |d, s| waited(w::mufu_ex2(d, s))),
    ]
}

fn stalls(rows: &mut Vec<Bench>) {
    // Producer, and the register a consumer reads.
    for (name, producer, result) in [
        ("iadd3", w::iadd3(T, ONE_F, EXPONENT, RZ), T),
        ("lop3", w::lop3(T, TWO_F, RZ, RZ, 0xf0), T),
        ("shf", w::shf(T, RZ, RZ, TWO_F), T),
        ("prmt", w::prmt(T, TWO_F, BYTES, RZ), T),
        ("sel", w::sel(T, TWO_F, RZ, 7), T),
        ("mov", w::mov_reg(T, TWO_F), T),
        ("i2fp", w::i2fp(T, ONE), T),
        ("imad", w::imad(T, TWO_F, ONE, RZ), T),
        ("imad_wide_lo", w::imad_wide(PAIR, TWO_F, ONE, RZ), PAIR),
        ("imad_wide_hi", w::imad_wide(PAIR, SIGN, SIGN, RZ), PAIR + 1),
        ("fadd", w::fadd(T, ONE_F, ONE_F), T),
        ("fmul", w::fmul(T, ONE_F, TWO_F), T),
        ("ffma", w::ffma(T, ONE_F, ONE_F, ONE_F), T),
        ("hfma2", w::hfma2(T, HALVES, HALVES, HALVES), T),
        ("hfma2_mma", w::hfma2_mma(T, HALVES, HALVES, HALVES), T),
        ("dadd", w::dadd(PAIR, DOUBLE, DOUBLE), PAIR + 1),
        ("dfma", w::dfma(PAIR, DOUBLE, DOUBLE, DOUBLE), PAIR + 1),
        ("vote", w::vote(T, 7), T),
    ] {
        for (reader, consumer) in consumers() {
            let reset = |_| [T, PAIR, PAIR + 1].map(|r| w::mov(r, OLD).stall(4)).to_vec();
            let consume = |d| consumer(d, result);
            let name = format!("{name}_to_{reader}");
            rows.push(sweep(name, operands(), &reset, producer, &consume));
        }
    }
    // FP64 to itself: the high word of the sum.
    for (name, producer, op) in [
        ("dfma", w::dfma(PAIR, DOUBLE, DOUBLE, DOUBLE), w::dfma(T, DOUBLE, DOUBLE, PAIR)),
        ("dadd", w::dadd(PAIR, DOUBLE, DOUBLE), w::dadd(T, DOUBLE, PAIR)),
    ] {
        let reset = |_| [PAIR, PAIR + 1].map(|r| w::mov(r, OLD).stall(4)).to_vec();
        // T:T+1 overwrites ONE_F, which nothing here reads.
        let consume = |d| {
            let [a, b] = settle();
            vec![op.stall(15), a, b, w::mov_reg(d, T + 1).stall(15)]
        };
        rows.push(sweep(format!("{name}_to_itself"), operands(), &reset, producer, &consume));
    }
}

fn predicate_stalls(rows: &mut Vec<Bench>) {
    // P1 false before, true after; a destination that no consumer writes by chance.
    let reset = |d| vec![w::isetp_ne(1, RZ, RZ).stall(15), w::mov(d, 5).stall(4)];
    let producer = w::isetp_ne(1, ONE, RZ);
    let consumers: [Consumer; 7] = [
        // Taken, the branch leaves the old value.
        ("branch", |d, _| {
            let [a, b] = settle();
            vec![w::bra_over().guard(1).stall(15), w::mov(d, 1).stall(15), a, b]
        }),
        ("guard", |d, _| vec![w::mov(d, 1).guard(1).stall(15)]),
        ("guard_imad", |d, _| vec![w::imad(d, ONE, ONE, RZ).guard(1).stall(15)]),
        ("guard_popc", |d, _| waited(w::popc(d, ONE).guard(1))),
        ("guard_s2r", |d, _| waited(w::s2r_lane(d).guard_not(1))),
        ("sel", |d, _| vec![w::sel(d, ONE, RZ, 1).stall(15)]),
        ("vote", |d, _| vec![w::vote(d, 1).stall(15)]),
    ];
    for (reader, consumer) in consumers {
        let consume = |d| consumer(d, 0);
        rows.push(sweep(format!("isetp_to_{reader}"), operands(), &reset, producer, &consume));
    }
}

fn uniform_stalls(rows: &mut Vec<Bench>) {
    const U: u8 = 10;
    const URZ: u8 = 63;
    let producers = [
        ("umov", w::umov(U, 7)),
        ("uiadd3", w::uiadd3(U, URZ, 7)),
        ("uldc", w::uldc(U, 0x220)),
        ("r2ur", w::r2ur(U, TWO_F)),
    ];
    let consumers: [Consumer; 3] = [
        ("mov", |d, _| vec![w::mov_uniform(d, U).stall(15)]),
        ("iadd3", |d, _| vec![w::iadd3_uniform(d, RZ, U, RZ).stall(15)]),
        ("uiadd3", |d, _| {
            let [a, b] = settle();
            vec![w::uiadd3(U + 1, U, 1).stall(15), a, b, w::mov_uniform(d, U + 1).stall(15)]
        }),
    ];
    for (name, producer) in producers {
        for (reader, consumer) in consumers {
            let reset = |_| vec![w::umov(U, 5).stall(15)];
            let consume = |d| consumer(d, 0);
            let name = format!("{name}_to_{reader}");
            rows.push(sweep(name, operands(), &reset, producer, &consume));
        }
    }
}

/// A result as an address, and as data of a store.
fn address_stalls(rows: &mut Vec<Bench>) {
    // Shared memory: word 0 holds 1, word 1 holds 2.0.
    const BASE: u8 = 50;
    const FOUR: u8 = 51;
    let mut setup = operands();
    setup.extend([
        w::mov_uniform(BASE, 4).stall(15),
        w::mov(FOUR, 4).stall(15),
        w::sts(Width::W32, BASE, 0, ONE).stall(15),
        w::sts(Width::W32, BASE, 4, TWO_F).stall(15),
    ]);
    let reset = |_| vec![w::mov_reg(T, BASE).stall(15)];
    for (name, producer) in
        [("iadd3", w::iadd3(T, BASE, FOUR, RZ)), ("imad", w::imad(T, ONE, BASE, FOUR))]
    {
        let consume = |d| waited(w::lds(Width::W32, d, T, 0));
        let name = format!("{name}_to_lds_address");
        rows.push(sweep(name, setup.clone(), &reset, producer, &consume));
    }
    // Data of a store, read back.
    let reset = |_| vec![w::mov(T, OLD).stall(15)];
    for (name, producer) in [
        ("iadd3", w::iadd3(T, ONE_F, EXPONENT, RZ)),
        ("imad", w::imad(T, TWO_F, ONE, RZ)),
        ("ffma", w::ffma(T, ONE_F, ONE_F, ONE_F)),
    ] {
        let consume = |d| {
            let [a, b] = settle();
            let mut words = vec![w::sts(Width::W32, BASE, 8, T).stall(15), a, b];
            words.extend(waited(w::lds(Width::W32, d, BASE, 8)));
            words
        };
        let name = format!("{name}_to_sts_data");
        rows.push(sweep(name, setup.clone(), &reset, producer, &consume));
    }
    // Global memory: the frame's own input, whose words differ.
    const POINTER: u8 = 48;
    const ADDRESS: u8 = 50;
    let mut setup = settle().to_vec();
    setup.extend(waited(w::ldc64(POINTER, 0x218)));
    setup.extend(settle());
    setup.extend([w::mov(ONE, 1).stall(4), w::mov(T, 4).stall(4)]);
    setup.push(w::mov_reg(ADDRESS + 1, POINTER + 1).stall(15));
    let reset = |_| vec![w::mov_reg(ADDRESS, POINTER).stall(15)];
    for (name, producer) in [
        ("iadd3", w::iadd3(ADDRESS, POINTER, T, RZ)),
        ("imad", w::imad(ADDRESS, ONE, POINTER, T)),
        ("imad_wide", w::imad_wide(ADDRESS, ONE, T, POINTER)),
    ] {
        let consume = |d| waited(w::ldg(Width::W32, d, ADDRESS, 0));
        let name = format!("{name}_to_ldg_address");
        rows.push(sweep(name, setup.clone(), &reset, producer, &consume));
    }
}

// ---- Times, with the clock read before and after.

/// Addresses for the timed accesses: R48:R49 global, R50 shared, R51 zero.
const GLOBAL: u8 = 48;
const SHARED: u8 = 50;

fn addresses() -> Vec<Word> {
    let mut words = settle().to_vec();
    words.extend(waited(w::ldc64(GLOBAL, 0x218)));
    words.extend(settle());
    words.extend([w::mov_uniform(SHARED, 4).stall(15), w::mov(51, 0).stall(15)]);
    for register in 40..48 {
        words.push(w::mov(register, 0x3f80_0000).stall(4));
    }
    words.extend(settle());
    words
}

/// Clock, two cycles, the words, clock. Outputs 0 and 1 are the clocks.
fn timed(body: &[Word], last: Ctl) -> Vec<Word> {
    let mut words = addresses();
    words.push(w::clock(register(0)).stall(2));
    words.extend(body);
    words.push(w::clock(register(1)).with(last));
    words.extend(settle());
    words
}

/// Issue until the scoreboard of a single instruction is seen released.
fn boards(rows: &mut Vec<Bench>) {
    let written: [(&str, Op); 16] = [
        ("lds_32", w::lds(Width::W32, 8, SHARED, 0)),
        ("lds_64", w::lds(Width::W64, 8, SHARED, 0)),
        ("lds_128", w::lds(Width::W128, 8, SHARED, 0)),
        ("ldg_32", w::ldg(Width::W32, 8, GLOBAL, 0)),
        ("ldg_64", w::ldg(Width::W64, 8, GLOBAL, 0)),
        ("ldg_128", w::ldg(Width::W128, 8, GLOBAL, 0)),
        ("ldc_imm", w::ldc(8, RZ, 0x28)),
        ("ldc_reg", w::ldc(8, 51, 0x28)),
        ("s2r", w::s2r_lane(8)),
        ("mufu", w::mufu_ex2(8, 40)),
        ("popc", w::popc(8, 40)),
        ("flo", w::flo(8, 40)),
        ("brev", w::brev(8, 40)),
        ("f2i", w::f2i(8, 40)),
        ("i2f_f64", w::i2f_f64(8, 40)),
        ("shfl", w::shfl(8, 40)),
    ];
    let wait = Ctl { wait: 1, ..Ctl::stall(2) };
    for (name, op) in written {
        let op = op.with(Ctl { write: Some(0), ..Ctl::stall(2) });
        rows.push(
            bench(Group::Issue, format!("written_{name}"), timed(&[op], wait))
                .less(2.0)
                .per(1.0, "cycles from issue to result"),
        );
    }
    let read: [(&str, Op); 13] = [
        ("lds_32", w::lds(Width::W32, 8, SHARED, 0)),
        ("lds_128", w::lds(Width::W128, 8, SHARED, 0)),
        ("ldg_32", w::ldg(Width::W32, 8, GLOBAL, 0)),
        ("ldg_128", w::ldg(Width::W128, 8, GLOBAL, 0)),
        ("sts_32", w::sts(Width::W32, SHARED, 16, 40)),
        ("sts_64", w::sts(Width::W64, SHARED, 16, 40)),
        ("sts_128", w::sts(Width::W128, SHARED, 16, 40)),
        ("stg_32", w::stg(Width::W32, GLOBAL, 64, 40)),
        ("stg_64", w::stg(Width::W64, GLOBAL, 64, 40)),
        ("stg_128", w::stg(Width::W128, GLOBAL, 64, 40)),
        ("mufu", w::mufu_ex2(8, 40)),
        ("popc", w::popc(8, 40)),
        ("shfl", w::shfl(8, 40)),
    ];
    for (name, op) in read {
        let writes = name.starts_with("ld") || ["mufu", "popc", "shfl"].contains(&name);
        let write = writes.then_some(1);
        let op = op.with(Ctl { write, read: Some(0), ..Ctl::stall(2) });
        rows.push(
            bench(Group::Issue, format!("read_{name}"), timed(&[op], wait))
                .less(2.0)
                .per(1.0, "cycles from issue to operands read"),
        );
    }
}

/// A name, and an instruction given its destination.
type Stream = (&'static str, fn(u8) -> Op);
/// A name, the n-th of several accesses, and whether it writes registers.
type Access = (&'static str, fn(usize) -> Op, bool);

/// Independent instructions of one warp, as close as they go.
fn intervals(rows: &mut Vec<Bench>) {
    const COUNT: usize = 33;
    // Given the n-th destination.
    let fixed: [Stream; 16] = [
        ("nop", |_| w::nop()),
        ("iadd3", |d| w::iadd3(d, 40, 41, RZ)),
        ("lop3", |d| w::lop3(d, 40, 41, RZ, 0xc0)),
        ("shf", |d| w::shf(d, 40, 41, RZ)),
        ("mov", |d| w::mov_reg(d, 40)),
        ("sel", |d| w::sel(d, 40, 41, 7)),
        ("isetp", |_| w::isetp_ne(2, 40, 41)),
        ("i2fp", |d| w::i2fp(d, 40)),
        ("imad", |d| w::imad(d, 40, 41, RZ)),
        ("imad_wide", |d| w::imad_wide(d & !1, 40, 41, RZ)),
        ("fadd", |d| w::fadd(d, 40, 41)),
        ("ffma", |d| w::ffma(d, 40, 41, RZ)),
        ("hfma2", |d| w::hfma2(d, 40, 41, RZ)),
        ("hfma2_mma", |d| w::hfma2_mma(d, 40, 41, RZ)),
        ("dfma", |d| w::dfma(d & !1, 40, 42, RZ)),
        ("uiadd3", |_| w::uiadd3(10, 63, 1)),
    ];
    let variable: [Stream; 9] = [
        ("mufu", |d| w::mufu_ex2(d, 40)),
        ("popc", |d| w::popc(d, 40)),
        ("flo", |d| w::flo(d, 40)),
        ("f2i", |d| w::f2i(d, 40)),
        ("i2f_f64", |d| w::i2f_f64(d & !1, 40)),
        ("shfl", |d| w::shfl(d, 40)),
        ("s2r", |d| w::s2r_lane(d)),
        ("ldc_imm", |d| w::ldc(d, RZ, 0x28)),
        ("ldc_reg", |d| w::ldc(d, 51, 0x28)),
    ];
    let board = Ctl { write: Some(0), ..Ctl::stall(1) };
    let rows_of = fixed.map(|(n, f)| (n, f, Ctl::stall(1))).into_iter();
    for (name, op, ctl) in rows_of.chain(variable.map(|(n, f)| (n, f, board))) {
        let body: Vec<Word> = (0..COUNT).map(|i| op(8 + (i % 8) as u8).with(ctl)).collect();
        let words = timed(&body, Ctl::stall(2));
        rows.push(
            bench(Group::Issue, format!("interval_{name}"), words)
                .less(3.0)
                .per((COUNT - 1) as f64, "cycles between issues of a warp"),
        );
    }
    // What the scheduling fields themselves cost.
    let ffma = |d: u8| w::ffma(d, 40, 41, RZ);
    for (name, ctl) in [
        ("yield_1", Ctl { yields: true, ..Ctl::stall(1) }),
        ("yield_2", Ctl { yields: true, ..Ctl::stall(2) }),
        ("stall_0", Ctl { yields: true, ..Ctl::stall(0) }),
        ("stall_2", Ctl::stall(2)),
        ("stall_12", Ctl::stall(12)),
    ] {
        let body: Vec<Word> = (0..9).map(|i| ffma(8 + i).with(ctl)).collect();
        rows.push(
            bench(Group::Issue, format!("interval_{name}"), timed(&body, Ctl::stall(2)))
                .less(2.0)
                .per(9.0, "cycles per instruction"),
        );
    }
    for (name, pair) in [
        ("guard_false", vec![w::ffma(8, 40, 41, RZ).guard_not(7).stall(1)]),
        ("branch_taken", vec![w::bra_next().stall(5)]),
        ("branch_not_taken", vec![w::bra_next().guard_not(7).stall(5)]),
        ("bssy_bsync", vec![w::bssy_next().stall(1), w::bsync().stall(5)]),
        ("warpsync", vec![w::warpsync().stall(1)]),
    ] {
        let body: Vec<Word> = pair.iter().copied().cycle().take(16 * pair.len()).collect();
        rows.push(
            bench(Group::Issue, format!("interval_{name}"), timed(&body, Ctl::stall(2)))
                .less(2.0)
                .per(16.0, "cycles per repetition"),
        );
    }
}

/// Sixteen dependent instructions with the compiler's stall counts and others:
/// does anything beside the count hold them back?
fn chains(rows: &mut Vec<Bench>) {
    let kinds: [(&str, Op, &[u8]); 5] = [
        ("imad_wide_ab", w::imad_wide(8, 9, 8, RZ), &[4, 5, 6, 7, 8, 9, 10]),
        ("imad_wide_a", w::imad_wide(8, 8, 40, RZ), &[4, 6, 8]),
        ("imad_wide_c", w::imad_wide(8, 40, 41, 8), &[2, 4, 6, 8]),
        ("dfma", w::dfma(8, 8, 40, 42), &[8]),
        ("hfma2_mma", w::hfma2_mma(8, 8, 40, 41), &[8, 10]),
    ];
    for (name, op, stalls) in kinds {
        for &stall in stalls {
            let body = vec![op.stall(stall); 16];
            rows.push(
                bench(Group::Issue, format!("chain_{name}_{stall}"), timed(&body, Ctl::stall(2)))
                    .less(2.0)
                    .per(16.0, "cycles per instruction"),
            );
        }
    }
}

/// Warps of one sub-core with 256 independent FFMAs each: how soon the first
/// of them is through says whether a scheduler stays with a warp.
fn order(rows: &mut Vec<Bench>) {
    let body: Vec<Word> = (0..=255).map(|i| w::ffma(8 + i % 8, 40, 41, RZ).stall(1)).collect();
    let words = timed(&body, Ctl::stall(2));
    for warps in [4, 8, 16, 32] {
        for (name, reading) in
            [("first", Reading::FirstEnd(0, 1)), ("last", Reading::FrameSpan(0, 1))]
        {
            rows.push(
                bench(Group::Issue, format!("order_{name}_{}", warps / 4), words.clone())
                    .warps(warps)
                    .reading(reading)
                    .per(256.0, "cycles per FFMA"),
            );
        }
    }
}

/// When the n-th of n accesses is out of the way: 1 warp, and 4 warps on four sub-cores.
fn memory_queue(rows: &mut Vec<Bench>) {
    let accesses: [Access; 5] = [
        ("lds", |i| w::lds(Width::W32, 8 + (i % 24) as u8, SHARED, 4 * i as u32), true),
        ("ldg", |i| w::ldg(Width::W32, 8 + (i % 24) as u8, GLOBAL, 4 * i as u32), true),
        (
            "ldg128",
            |i| w::ldg(Width::W128, 8 + 4 * (i % 6) as u8, GLOBAL, 16 * (i % 8) as u32),
            true,
        ),
        ("sts", |i| w::sts(Width::W32, SHARED, 4 * i as u32, 40), false),
        ("stg", |i| w::stg(Width::W32, GLOBAL, 4 * i as u32, 40), false),
    ];
    for (name, op, writes) in accesses {
        for count in [1usize, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24] {
            let ctl = Ctl { write: writes.then_some(0), ..Ctl::stall(1) };
            let body: Vec<Word> = (0..count).map(|i| op(i).with(ctl)).collect();
            let words = timed(&body, Ctl::stall(2));
            for warps in [1, 2, 4, 8] {
                if warps == 2 && count != 16 || warps == 8 && count < 16 {
                    continue;
                }
                rows.push(
                    bench(Group::Issue, format!("nth_{name}_{count}_{warps}w"), words.clone())
                        .warps(warps)
                        .reading(Reading::FrameSpan(0, 1))
                        .less(2.0)
                        .per(1.0, "cycles until all have issued"),
                );
            }
        }
    }
}

/// Sources in the same or in different register banks.
fn banks(rows: &mut Vec<Bench>) {
    const COUNT: usize = 33;
    // Destinations are R8 … R15.
    let kinds: [(Stream, u8); 12] = [
        (("fmul_40_41", |d| w::fmul(d, 40, 41)), 0),
        (("fmul_40_42", |d| w::fmul(d, 40, 42)), 0),
        (("fmul_40_44", |d| w::fmul(d, 40, 44)), 0),
        (("ffma_40_41_z", |d| w::ffma(d, 40, 41, RZ)), 0),
        (("ffma_40_41_42", |d| w::ffma(d, 40, 41, 42)), 0),
        (("ffma_40_41_43", |d| w::ffma(d, 40, 41, 43)), 0),
        (("ffma_40_42_44", |d| w::ffma(d, 40, 42, 44)), 0),
        (("ffma_40_44_48", |d| w::ffma(d, 40, 44, 48)), 0),
        (("ffma_41_43_45", |d| w::ffma(d, 41, 43, 45)), 0),
        (("ffma_40_42_44_reuse_a", |d| w::ffma(d, 40, 42, 44)), 1),
        (("ffma_40_42_44_reuse_ab", |d| w::ffma(d, 40, 42, 44)), 3),
        (("ffma_40_42_44_reuse_abc", |d| w::ffma(d, 40, 42, 44)), 7),
    ];
    for ((name, op), reuse) in kinds {
        let ctl = Ctl { reuse, ..Ctl::stall(1) };
        let body: Vec<Word> = (0..COUNT).map(|i| op(8 + (i % 8) as u8).with(ctl)).collect();
        rows.push(
            bench(Group::Issue, format!("bank_{name}"), timed(&body, Ctl::stall(2)))
                .less(3.0)
                .per((COUNT - 1) as f64, "cycles between issues of a warp"),
        );
    }
}
