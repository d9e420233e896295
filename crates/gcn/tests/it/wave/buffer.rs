//! Vector memory.

use proptest::prelude::*;
use upset_gcn::sem::descriptor::Descriptor;
use upset_gcn::table::rows;
use upset_gcn::trap::TrapKind;
use upset_gcn::wave::{buffer, execute_buffer};
use upset_gcn::{Format, Inst, Row, decode};

use super::buffer_model::{ADDRESS, DATA, DESCRIPTOR, Fields, SOFFSET, execute};
use super::storage::{Flat, Random, Wave};

const FIRST: u64 = 0x12_3456_7000;
const BYTES: usize = 1 << 14;

fn inst(row: &Row, f: &Fields) -> Inst {
    let flag = |set: bool, at: u32| u32::from(set) << at;
    let common =
        f.offset | flag(f.offen, 12) | flag(f.idxen, 13) | flag(f.glc, 14) | flag(f.addr64, 15);
    let op = u32::from(row.op);
    let first = match row.format {
        Format::Mtbuf => {
            let formats = u32::from(f.dfmt) << 19 | u32::from(f.nfmt) << 23;
            0b111010 << 26 | op << 16 | formats | common
        }
        _ => 0b111000 << 26 | op << 18 | flag(f.lds, 16) | common,
    };
    let registers = ADDRESS | DATA << 8 | (DESCRIPTOR / 4) << 16 | SOFFSET << 24;
    decode(&[first, registers as u32 | flag(f.tfe, 23)]).unwrap()
}

fn named(name: &str) -> &'static Row {
    let all = rows(Format::Mubuf).iter().chain(rows(Format::Mtbuf));
    all.into_iter().find(|row| row.name == name).unwrap()
}

/// A descriptor of a buffer in the middle of memory.
fn descriptor(random: &mut Random) -> [u32; 4] {
    let base = FIRST + 1024 + random.below(64);
    let stride = match random.below(3) {
        0 => 0,
        1 => random.below(40),
        _ => 16,
    } as u32;
    let swizzle = u32::from(random.one_in(3));
    let high = (base >> 32) as u32 | stride << 16 | (random.word() & 1) << 30 | swizzle << 31;
    let records = match random.below(4) {
        0 => u32::MAX,
        1 => random.below(200) as u32,
        _ => random.below(80) as u32,
    };
    let mut last = random.word() & !(1 << 23);
    last |= u32::from(random.one_in(3)) << 23;
    [base as u32, high, records, last]
}

fn fields(random: &mut Random, row: &Row) -> Fields {
    let (offen, idxen) = (random.one_in(2), random.one_in(2));
    let addr64 = random.one_in(4);
    let loads = row.name.contains("load");
    let lds = row.to_lds && random.one_in(4);
    Fields {
        offset: if random.one_in(2) { 0 } else { random.below(40) as u32 },
        offen: offen && !addr64,
        idxen: idxen && !addr64,
        addr64,
        glc: random.one_in(2),
        tfe: loads && !lds && random.one_in(3),
        lds,
        dfmt: random.below(16) as u8,
        nfmt: [0, 1, 2, 3, 4, 5, 7][random.below(7) as usize],
    }
}

/// Registers that name places in the buffer, mostly; in a row, at times.
fn wave(random: &mut Random, f: &Fields) -> Wave {
    let mut wave = Wave::new(random);
    wave.m0 = random.below(300) as u32;
    wave.s[DESCRIPTOR..DESCRIPTOR + 4].copy_from_slice(&descriptor(random));
    // Only formats that can be stored.
    if wave.s[DESCRIPTOR + 3] >> 12 & 7 == 6 {
        wave.s[DESCRIPTOR + 3] ^= 1 << 12;
    }
    wave.s[SOFFSET] = if random.one_in(2) { 0 } else { random.below(60) as u32 };
    let step = [0, 1, 4, 8, 16][random.below(5) as usize];
    let regular = random.one_in(2);
    let wild = random.one_in(8);
    for lane in 0..64 {
        let mut small = |n: u64| match random.below(64) {
            0 if wild => random.word(),
            1 => (random.below(8) as u32).wrapping_sub(8),
            _ if regular => lane as u32 * step,
            _ => random.below(n) as u32,
        };
        let first = small(if f.idxen { 80 } else { 300 });
        wave.set(ADDRESS, lane, first);
        let second = if f.addr64 { (first as i32 >> 31) as u32 } else { small(48) };
        wave.set(ADDRESS + 1, lane, second);
        if random.one_in(3) {
            (0..4).for_each(|n| wave.set(DATA + n, lane, random.below(3) as u32));
        }
    }
    wave
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn every_instruction_is_what_its_name_says(seed: u64) {
        let mut random = Random(seed);
        for row in rows(Format::Mubuf).iter().chain(rows(Format::Mtbuf)) {
            let f = if row.name.contains("wbinvl1") {
                Fields::default()
            } else {
                fields(&mut random, row)
            };
            let before = wave(&mut random, &f);
            let mut memory = Flat { first: FIRST, bytes: random.bytes(BYTES) };
            if random.one_in(2) {
                let few = random.below(3) as u8;
                memory.bytes.chunks_exact_mut(4).for_each(|b| b.copy_from_slice(&[few, 0, 0, 0]));
            }
            let mut lds = random.bytes(400);
            let (mut expected, mut expected_memory) = (before.clone(), memory.clone());
            let mut expected_lds = lds.clone();
            let wanted =
                execute(&mut expected, row.name, &f, &mut expected_memory, &mut expected_lds);
            let mut got = before.clone();
            let done = execute_buffer(&mut got, &inst(row, &f), &mut memory, &mut lds);
            let told = format!("{} {f:?} {:x?}", row.name, &before.s[DESCRIPTOR..][..4]);
            prop_assert_eq!(done, wanted.map_err(TrapKind::MemoryViolation), "{}", told);
            prop_assert!(memory.bytes == expected_memory.bytes, "memory: {}", told);
            prop_assert_eq!(&got.v, &expected.v, "registers: {}", told);
            prop_assert_eq!(&lds, &expected_lds, "LDS: {}", told);
        }
    }
}

/// The random cases above are worth something only if they reach what they are for.
#[test]
fn random_cases_reach_memory_in_all_its_ways() {
    let (mut inside, mut outside, mut short, mut violated) = (0, 0, 0, 0);
    let mut random = Random(7);
    for _ in 0..400 {
        let row = named("buffer_load_dwordx4");
        let f = fields(&mut random, row);
        let mut wave = wave(&mut random, &f);
        let located = buffer::locate(&wave, &inst(row, &f)).unwrap();
        inside += located.lanes.count_ones();
        outside += located.dead.count_ones();
        short += located.short.count_ones();
        let mut memory = Flat { first: FIRST, bytes: vec![0; BYTES] };
        violated +=
            u32::from(execute_buffer(&mut wave, &inst(row, &f), &mut memory, &mut []).is_err());
    }
    assert!(inside > 2000 && outside > 2000 && short > 200, "{inside} {outside} {short}");
    assert!((20..300).contains(&violated), "{violated}");
}

#[test]
fn a_descriptor_has_its_fields_where_the_manual_has_them() {
    let v = Descriptor::of([0x89ab_cdef, 0xc123_4567, 99, 0x80aa_7fac]);
    assert_eq!((v.base, v.stride), (0x4567_89ab_cdef, 0x123));
    assert!(v.cache_swizzle && v.swizzle && v.add_tid && !v.hash && !v.heap);
    assert_eq!((v.records, v.kind), (99, 2));
    assert_eq!((v.select, v.nfmt, v.dfmt), ([4, 5, 6, 7], 7, 4));
    assert_eq!((v.element, v.index_stride), (4, 16));
}

/// Scratch memory as LLVM sets it up: a dword of all 64 lanes side by side.
#[test]
fn scratch_is_interleaved() {
    let mut wave = Wave::new(&mut Random(1));
    wave.exec = u64::MAX;
    let last = 1 << 19 | 3 << 21 | 1 << 23;
    wave.s[DESCRIPTOR..DESCRIPTOR + 4].copy_from_slice(&[0x1000, 1 << 31, u32::MAX, last]);
    let f = Fields { offset: 12, ..Fields::default() };
    let located = buffer::locate(&wave, &inst(named("buffer_load_dword"), &f)).unwrap();
    for lane in 0..64 {
        assert_eq!(located.addrs[lane], 0x1000 + 12 * 64 + 4 * lane as u64);
    }
    assert_eq!((located.lanes, located.dead), (u64::MAX, 0));
}

/// Global memory as LLVM addresses it: no records at all, and no range check.
#[test]
fn wide_addresses_are_not_checked() {
    let mut wave = Wave::new(&mut Random(1));
    wave.exec = 5;
    wave.s[DESCRIPTOR..DESCRIPTOR + 4].copy_from_slice(&[0, 0, 0, 0x0100_f000]);
    wave.set(ADDRESS, 2, 0x103);
    wave.set(ADDRESS + 1, 2, 0x12);
    let f = Fields { addr64: true, offset: 8, ..Fields::default() };
    let located = buffer::locate(&wave, &inst(named("buffer_load_dword"), &f)).unwrap();
    assert_eq!((located.lanes, located.addrs[2]), (5, 0x12_0000_0108));
}

#[test]
fn each_dword_has_a_range_but_a_format_has_one() {
    let mut wave = Wave::new(&mut Random(1));
    wave.exec = 1;
    let float = 4 | 5 << 3 | 6 << 6 | 7 << 9 | 7 << 12 | 14 << 15;
    let words = [FIRST as u32, (FIRST >> 32) as u32, 8, float];
    wave.s[DESCRIPTOR..DESCRIPTOR + 4].copy_from_slice(&words);
    let memory = Flat { first: FIRST, bytes: vec![1; 64] };
    let load = |name: &str| {
        let mut wave = wave.clone();
        let inst = inst(named(name), &Fields::default());
        execute_buffer(&mut wave, &inst, &mut memory.clone(), &mut []).unwrap();
        [0, 1, 2, 3].map(|n| wave.lane(DATA + n, 0))
    };
    const ONES: u32 = 0x0101_0101;
    assert_eq!(load("buffer_load_dwordx4"), [ONES, ONES, 0, 0]);
    assert_eq!(load("buffer_load_format_xyzw"), [ONES; 4]);
}
