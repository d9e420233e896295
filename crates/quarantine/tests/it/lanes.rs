//! Skipping lanes in machine code, on the model of a chip.

use crate::sources::kernels;
use std::fs;
use upset_chip::ChipSpec;
use upset_device::{Args, Device, Launch};
use upset_quarantine::machine_code::lane_skipping;

const LENGTH: u32 = 30 * 300 + 77;
const PER_BLOCK: u32 = 300;

/// Who did each element: SM and lane.
fn run(sm: u32, bad: u32) -> Vec<(u32, u32)> {
    let mut device = Device::timed(&ChipSpec::preset("rtx2060").unwrap()).unwrap();
    let code = fs::read(kernels("quarantine/lane_saxpy/lane_saxpy.sm_75.cubin")).unwrap();
    let module = device.load_module(&code).unwrap();
    let kernel = device.function(module, "saxpy").unwrap();
    let bytes = 4 * u64::from(LENGTH);
    let [x, y, done_by] = [(); 3].map(|()| device.malloc(bytes).unwrap());
    let numbers: Vec<f32> = (0..LENGTH).map(|i| i as f32).collect();
    let raw: Vec<u8> = numbers.iter().flat_map(|v| v.to_le_bytes()).collect();
    device.upload(x, &raw).unwrap();
    device.upload(y, &raw).unwrap();
    device.memset(done_by, 0, bytes).unwrap();
    let args = Args::new().ptr(x).ptr(y).f32(2.0).u32(LENGTH).u32(PER_BLOCK).ptr(done_by);
    let args = args.bytes(&[sm.to_le_bytes(), bad.to_le_bytes()].concat());
    let launch = Launch {
        grid: [LENGTH.div_ceil(PER_BLOCK), 1, 1],
        block: [256, 1, 1],
        ..Launch::default()
    };
    device.launch(kernel, &launch, &args).unwrap();
    let mut words = |from| -> Vec<u32> {
        let mut raw = vec![0; bytes as usize];
        device.download(from, &mut raw).unwrap();
        raw.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
    };
    // An element that was done twice would have been added to twice.
    let right = numbers.iter().map(|v| (3.0 * v).to_bits());
    assert!(words(y).into_iter().eq(right), "SM {sm}, lanes {bad:#x}");
    let marks = words(done_by);
    assert!(marks.iter().all(|&mark| (1..=30 * 32).contains(&mark)), "once each");
    marks.into_iter().map(|mark| ((mark - 1) / 32, (mark - 1) % 32)).collect()
}

#[test]
fn bad_lanes_do_nothing_and_all_is_done() {
    for (sm, bad) in [(0, 1), (7, 1 << 5 | 1 << 21), (29, 0xffff_0000), (3, !(1 << 9))] {
        let done_by = run(sm, bad);
        let there = done_by.iter().filter(|(at, _)| *at == sm);
        assert!(there.clone().count() > 0, "SM {sm} goes on working");
        assert!(there.into_iter().all(|(_, lane)| bad >> lane & 1 == 0), "SM {sm} {bad:#x}");
        assert!(done_by.iter().any(|(at, lane)| *at != sm && bad >> lane & 1 == 1));
    }
}

#[test]
fn code_that_depends_on_its_warp_is_refused() {
    let look = |file: &str| lane_skipping(&fs::read(kernels(file)).unwrap()).unwrap();
    for sm in [70, 75, 80, 90] {
        let file = format!("quarantine/lane_saxpy/lane_saxpy.sm_{sm}.cubin");
        assert_eq!(look(&file).obstacles, [], "{file}");
    }
    // Warps meet before a barrier in code of Volta and Turing.
    let found = look("hs/hs.sm_75.cubin").obstacles;
    assert!(found.iter().any(|o| o.text.starts_with("WARPSYNC")), "{found:?}");
    let found = look("quarantine/ticket_va/ticket_va.sm_75.cubin").obstacles;
    let names: Vec<_> = found.iter().filter_map(|o| o.text.split([' ', '.']).next()).collect();
    assert!(names.contains(&"SHFL") && names.contains(&"VOTEU"), "{names:?}");
}
