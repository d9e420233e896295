//! LDS.

use proptest::prelude::*;
use upset_gcn::row::Status;
use upset_gcn::table::rows;
use upset_gcn::trap::TrapKind;
use upset_gcn::wave::{execute_share, share};
use upset_gcn::{Format, Inst, decode};

use super::share_model::{ADDRESS, FIRST, RESULT, SECOND, execute};
use super::storage::{Random, Wave};

fn inst(op: u16, offset: u16, gds: bool) -> Inst {
    let first = 0b110110 << 26 | u32::from(op) << 18 | u32::from(gds) << 17 | u32::from(offset);
    let second = ADDRESS | FIRST << 8 | SECOND << 16 | RESULT << 24;
    decode(&[first, second as u32]).unwrap()
}

fn named(name: &str, offset: u16) -> Inst {
    let row = rows(Format::Ds).iter().find(|row| row.name == name).unwrap();
    inst(row.op, offset, false)
}

/// A wave whose addresses are mostly within LDS, or just beyond its ends.
fn wave(random: &mut Random, bytes: u32) -> Wave {
    let mut wave = Wave::new(random);
    for lane in 0..64 {
        let address = match random.below(8) {
            0 => random.word(),
            1 => bytes.wrapping_add(random.below(16) as u32).wrapping_sub(8),
            2 => (random.below(16) as u32).wrapping_sub(8),
            // An address and a distance, of `_src2`.
            3 => random.below(u64::from(bytes)) as u32 | (random.below(64) as u32) << 17,
            4 => random.below(u64::from(bytes)) as u32 | (random.word() >> 26 | 0x7fc0) << 17,
            _ => random.below(u64::from(bytes)) as u32,
        };
        wave.set(ADDRESS, lane, address);
        if random.one_in(3) {
            // Small values meet what is compared.
            wave.set(FIRST, lane, random.below(3) as u32);
            wave.set(FIRST + 1, lane, 0);
        }
    }
    wave.m0 = match random.below(3) {
        0 => random.below(u64::from(bytes) + 8) as u32,
        _ => u32::MAX,
    };
    wave
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_instruction_is_what_its_name_says(seed: u64) {
        let mut random = Random(seed);
        for row in rows(Format::Ds).iter().filter(|row| row.status == Status::Planned) {
            let size = [64, 260, 1024, 4100][random.below(4) as usize];
            let mut before = wave(&mut random, size);
            let offset = match random.below(3) {
                0 => random.below(64) as u16,
                1 => random.word() as u16 & 0x8707,
                _ => random.word() as u16,
            };
            if row.name.ends_with("append") || row.name.ends_with("consume") {
                before.m0 = random.below(u64::from(size)) as u32;
            }
            let mut lds = random.bytes(size as usize);
            if random.one_in(3) {
                for chunk in lds.chunks_exact_mut(4) {
                    chunk.copy_from_slice(&(random.below(3) as u32).to_le_bytes());
                }
            }
            let (mut expected, mut expected_lds) = (before.clone(), lds.clone());
            execute(&mut expected, row.name, offset, &mut expected_lds);
            let mut got = before.clone();
            execute_share(&mut got, &inst(row.op, offset, false), &mut lds).unwrap();
            prop_assert_eq!(&lds, &expected_lds, "{}: LDS", row.name);
            prop_assert_eq!(&got.v, &expected.v, "{}: registers", row.name);
        }
    }
}

#[test]
fn the_global_data_share_is_not_there() {
    let mut wave = Wave::new(&mut Random(1));
    let trap = execute_share(&mut wave, &inst(0, 0, true), &mut [0; 64]);
    assert_eq!(trap, Err(TrapKind::Unimplemented("ds_add_u32 gds".to_owned())));
}

#[test]
fn an_offset_does_not_make_a_negative_base_right() {
    let mut wave = Wave::new(&mut Random(2));
    wave.exec = 3;
    wave.set(ADDRESS, 0, (-4i32) as u32);
    wave.set(ADDRESS, 1, 4);
    let located = share::locate(&wave, &named("ds_read_b32", 8), 64).unwrap();
    assert_eq!((located.lanes[0], located.addrs[0][1]), (2, 12));
}

#[test]
fn an_element_that_reaches_beyond_the_limit_is_out_of_range() {
    let mut wave = Wave::new(&mut Random(3));
    (wave.exec, wave.m0) = (3, 12);
    wave.set(ADDRESS, 0, 8);
    wave.set(ADDRESS, 1, 7);
    let located = share::locate(&wave, &named("ds_read_b64", 0), 64).unwrap();
    assert_eq!((located.lanes[0], located.addrs[0][1]), (2, 0));
}

#[test]
fn the_highest_lane_wins() {
    let mut wave = Wave::new(&mut Random(4));
    wave.exec = 0x8001;
    for lane in [0, 15] {
        wave.set(ADDRESS, lane, 16);
        wave.set(FIRST, lane, lane as u32 + 1);
    }
    let mut lds = [0; 32];
    execute_share(&mut wave, &named("ds_write_b32", 0), &mut lds).unwrap();
    assert_eq!(lds[16..20], [16, 0, 0, 0]);
}
