//! References against the machine code, executed by the functional engine.

use upset_burn::Test;
use upset_burn::compute::units::{ALL, UnitTest};
use upset_burn::images::ARITHMETIC;
use upset_chip::ChipSpec;
use upset_device::{Args, Device, Launch};

const TUPLES: usize = 2000;
const RECORD: usize = 32;

/// Results of lane 0 for every tuple.
fn executed(unit: &UnitTest, chip: &str, tuples: &[[u32; 8]]) -> Vec<Vec<u32>> {
    let mut device = Device::new(&ChipSpec::preset(chip).unwrap()).unwrap();
    let sm = device.arch_number();
    let module = device.load_module(ARITHMETIC.machine_code(sm).unwrap()).unwrap();
    let kernel = device.function(module, &format!("{}_raw", unit.kernel)).unwrap();
    let bytes: Vec<u8> = tuples
        .iter()
        .flat_map(|t| t[..unit.rows * 4].iter().flat_map(|w| w.to_le_bytes()))
        .collect();
    let size = (bytes.len() as u64).next_power_of_two();
    let operands = device.malloc_aligned(size, size).unwrap();
    device.upload(operands, &bytes).unwrap();
    let size = ((tuples.len() * 32 * RECORD * 4) as u64).next_power_of_two();
    let out = device.malloc_aligned(size, size).unwrap();
    let launch = Launch { grid: [1, 1, 1], block: [32, 1, 1], ..Launch::default() };
    let args = Args::new().u64(operands.0).u32(tuples.len() as u32).u32(0).u32(5).u64(out.0);
    device.launch(kernel, &launch, &args).unwrap();
    let mut words = vec![0; tuples.len() * 32 * RECORD * 4];
    device.download(out, &mut words).unwrap();
    let words: Vec<u32> =
        words.chunks_exact(4).map(|w| u32::from_le_bytes(w.try_into().unwrap())).collect();
    words.chunks_exact(32 * RECORD).map(|lanes| lanes[4..4 + unit.words.len()].to_vec()).collect()
}

#[test]
fn machine_code_gives_what_the_references_say() {
    for chip in ["gv100", "rtx2060", "h200"] {
        let sm = ChipSpec::preset(chip).unwrap().sm_number().unwrap();
        for unit in ALL {
            let tuples = (unit.operands)(TUPLES, 1);
            let expected = unit.results(sm, &tuples);
            let found = executed(unit, chip, &tuples);
            for ((tuple, expected), found) in tuples.iter().zip(&expected).zip(&found) {
                for (word, name) in unit.words.iter().enumerate() {
                    assert_eq!(
                        found[word],
                        expected[word],
                        "{name} of {} on {chip}: {tuple:08x?}: {:08x} should be {:08x}",
                        unit.about().name,
                        found[word],
                        expected[word]
                    );
                }
            }
        }
    }
}

/// With the operands of level 1 every bit of a unit's result is seen at 0 and at
/// 1; in units whose operations are all alike, by each operation.
#[test]
fn every_result_bit_is_seen_at_both_values() {
    for unit in ALL {
        let results = unit.results(75, &(unit.operands)(48, 0));
        let seen = |words: &[usize]| {
            let of = |r: &Vec<u32>| words.iter().map(|w| r[*w]).collect::<Vec<_>>();
            let all: Vec<u32> = results.iter().flat_map(of).collect();
            all.iter().fold(0, |ones, r| ones | r) & all.iter().fold(0, |zeroes, r| zeroes | !r)
        };
        let words: Vec<usize> = (0..unit.words.len()).collect();
        assert_eq!(seen(&words), u32::MAX, "{}", unit.about().name);
        // A cosine is never large, a count never many.
        if !["mufu", "convert"].contains(&unit.about().name) {
            for word in words {
                assert_eq!(seen(&[word]), u32::MAX, "{}", unit.words[word]);
            }
        }
    }
}
