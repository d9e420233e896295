//! `malloc` and `free` of device code, on both engines and four chips.

use upset_device::{Args, Device, DeviceError, Limit};

use crate::messages::{Case, shape};

/// Runs `test` on every chip in every mode.
fn everywhere(test: impl Fn(&mut Device, &Case)) {
    crate::messages::everywhere(|device, case| {
        device.limit_cycles(20_000_000);
        test(device, case);
    });
}

fn word(device: &mut Device, p: upset_device::DevPtr) -> u32 {
    let mut bytes = [0; 4];
    device.download(p, &mut bytes).unwrap();
    u32::from_le_bytes(bytes)
}

fn run(device: &mut Device, case: &Case, kernel: &str, threads: (u32, u32), args: &Args) {
    let module = device.load_module(case.heap).unwrap();
    let kernel = device.function(module, kernel).unwrap();
    device.launch(kernel, &shape(threads.0, threads.1), args).unwrap();
}

fn exhaust_args(bytes: u32, count: upset_device::DevPtr) -> Args {
    Args::new().u32(bytes).ptr(count).u64(0)
}

#[test]
fn many_threads_allocate_and_free() {
    everywhere(|device, case| {
        let p = device.malloc(8).unwrap();
        device.memset(p, 0, 8).unwrap();
        let args = Args::new().i32(12).ptr(p).ptr(p.offset(4));
        run(device, case, "stress", (6, 64), &args);
        assert_eq!((word(device, p), word(device, p.offset(4))), (0, 0), "{}", case.chip);
        // All is free again: a block of nearly the whole heap fits.
        let module = device.load_module(case.heap).unwrap();
        let exhaust = device.function(module, "exhaust").unwrap();
        let most = (8 << 20) - 16;
        device.launch(exhaust, &shape(1, 1), &exhaust_args(most, p)).unwrap();
        assert_eq!(word(device, p), 1);
    });
}

#[test]
fn an_exhausted_heap_gives_null_and_recovers() {
    everywhere(|device, case| {
        device.set_limit(Limit::MallocHeap, 64 << 10).unwrap();
        let p = device.malloc(4).unwrap();
        let module = device.load_module(case.heap).unwrap();
        let exhaust = device.function(module, "exhaust").unwrap();
        // 16 bytes of head for each block; twice the same, then larger ones.
        for (bytes, count) in [(48, 1024), (48, 1024), (1008, 64), ((64 << 10) - 16, 1)] {
            device.launch(exhaust, &shape(1, 1), &exhaust_args(bytes, p)).unwrap();
            assert_eq!(word(device, p), count, "{bytes} bytes");
        }
        device.launch(exhaust, &shape(1, 1), &exhaust_args(64 << 10, p)).unwrap();
        assert_eq!(word(device, p), 0);
        assert!(matches!(
            device.set_limit(Limit::MallocHeap, 1 << 20),
            Err(DeviceError::Limit { .. })
        ));
    });
}

#[test]
fn blocks_outlive_their_kernel() {
    everywhere(|device, case| {
        let p = device.malloc(4).unwrap();
        let module = device.load_module(case.heap).unwrap();
        let keep = device.function(module, "keep").unwrap();
        let sum = device.function(module, "sum").unwrap();
        device.launch(keep, &shape(1, 1), &Args::new().i32(10)).unwrap();
        device.launch(sum, &shape(1, 1), &Args::new().ptr(p)).unwrap();
        assert_eq!(word(device, p), 45);
    });
}

#[test]
fn freeing_what_was_not_allocated_traps() {
    everywhere(|device, case| {
        let p = device.malloc(64).unwrap();
        let module = device.load_module(case.heap).unwrap();
        let kernel = device.function(module, "free_what_was_not_allocated").unwrap();
        let ended = device.launch(kernel, &shape(1, 1), &Args::new().ptr(p));
        assert!(matches!(ended, Err(DeviceError::Trap { .. })), "{ended:?}");
    });
}
