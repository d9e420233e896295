//! Cooperative launches: `grid.sync()` on both engines and three chips.

use upset_device::{Args, Device, DeviceError, Launch};

use crate::messages::Case;

const THREADS: u32 = 64;

/// Runs `test` on every chip that has such launches, in every mode.
fn everywhere(test: impl Fn(&mut Device, &Case)) {
    crate::messages::everywhere(|device, case| {
        if !case.together.is_empty() {
            test(device, case);
        }
    });
}

#[test]
fn blocks_wait_for_each_other() {
    everywhere(|device, case| {
        let (blocks, rounds) = (12, 2);
        device.limit_cycles(1_000_000);
        let n = blocks * THREADS;
        let module = device.load_module(case.together).unwrap();
        let kernel = device.function(module, "rotate").unwrap();
        let data = device.malloc(4 * u64::from(n)).unwrap();
        let facts = device.malloc(8).unwrap();
        let bytes: Vec<u8> = (0..n).flat_map(|i| (i * 10).to_le_bytes()).collect();
        device.upload(data, &bytes).unwrap();
        let shape = Launch {
            grid: [blocks, 1, 1],
            block: [THREADS, 1, 1],
            cooperative: true,
            ..Launch::default()
        };
        let args = Args::new().ptr(data).ptr(facts).i32(rounds);
        // Twice: a launch leaves nothing behind that would hurt the next.
        device.launch(kernel, &shape, &args).unwrap();
        device.launch(kernel, &shape, &args).unwrap();
        let mut after = vec![0; bytes.len()];
        device.download(data, &mut after).unwrap();
        for (i, b) in (0..n).zip(after.chunks(4)) {
            let steps = 2 * rounds as u32;
            let expected = (i + steps) % n * 10 + steps;
            assert_eq!(u32::from_le_bytes(b.try_into().unwrap()), expected, "{}", case.chip);
        }
        let mut told = [0; 8];
        device.download(facts, &mut told).unwrap();
        assert_eq!(told[..4], n.to_le_bytes());
        assert_eq!(told[4..], 1u32.to_le_bytes());
    });
}

#[test]
fn without_a_cooperative_launch_the_grid_cannot_wait() {
    everywhere(|device, case| {
        let module = device.load_module(case.together).unwrap();
        let kernel = device.function(module, "rotate").unwrap();
        let data = device.malloc(4 * 64).unwrap();
        let shape = Launch { grid: [1, 1, 1], block: [64, 1, 1], ..Launch::default() };
        let args = Args::new().ptr(data).ptr(data).i32(1);
        let ended = device.launch(kernel, &shape, &args);
        assert!(matches!(ended, Err(DeviceError::Trap { .. })), "{ended:?}");
    });
}

#[test]
fn a_grid_that_is_too_large_is_refused() {
    everywhere(|device, case| {
        let module = device.load_module(case.together).unwrap();
        let kernel = device.function(module, "rotate").unwrap();
        let fits = device.occupancy(kernel, THREADS, 0).ctas_per_sm * device.chip().processors();
        let data = device.malloc(64).unwrap();
        let shape = Launch {
            grid: [fits + 1, 1, 1],
            block: [THREADS, 1, 1],
            cooperative: true,
            ..Launch::default()
        };
        let args = Args::new().ptr(data).ptr(data).i32(1);
        let refused = device.launch(kernel, &shape, &args);
        assert!(matches!(refused, Err(DeviceError::NotResident { .. })), "{refused:?}");
    });
}
