//! Accesses outside of all allocations: the driver's own memory answers, holes
//! and the windows of other spaces do not, in both modes alike.

use upset_chip::ChipSpec;
use upset_device::{Args, DevPtr, Device, DeviceError, Launch, Memory, Mode, TrapKind};
use upset_testkit::asm::Code;
use upset_testkit::asm::cubin::Kernel;

use crate::propagation::lab::{ARCH, FIRST, SECOND, X, assemble, load, store};

const BYTES: u64 = 4096;

struct Bench {
    device: Device,
    /// Where the kernel looks from, and where it puts what it found.
    near: DevPtr,
    out: DevPtr,
}

impl Bench {
    fn new(mode: Mode, sets: &[&str]) -> Bench {
        let mut all = vec!["sm.count=1"];
        all.extend(sets);
        let chip = ChipSpec::load("rtx2060", &all).expect("a chip");
        let mut device = Device::in_mode(&chip, mode).expect("a device");
        let near = device.malloc(BYTES).expect("room");
        let out = device.malloc(BYTES).expect("room");
        Bench { device, near, out }
    }

    /// One warp of a program with two addresses.
    fn run(&mut self, body: &[Code], first: u64, second: u64) -> Result<(), DeviceError> {
        let kernel = Kernel {
            name: "program".into(),
            arch: ARCH,
            code: assemble(body),
            registers: 24,
            barriers: 1,
            stack_bytes: 0,
            params: vec![8, 8, 8],
            literals: Vec::new(),
            constants: Vec::new(),
        };
        let module = self.device.load_module(&kernel.image()).expect("a module");
        let function = self.device.function(module, "program").expect("its kernel");
        let shape = Launch { grid: [1, 1, 1], block: [32, 1, 1], ..Launch::default() };
        self.device.launch(function, &shape, &Args::new().u64(first).u64(second).u64(0))
    }

    /// The words that a warp finds at an address.
    fn words_at(&mut self, addr: u64) -> Result<Vec<u32>, DeviceError> {
        let out = self.out;
        self.run(&[load(X, FIRST), store(SECOND, X)], addr, out.0)?;
        let mut bytes = [0; 128];
        self.device.download(out, &mut bytes)?;
        let (words, _) = bytes.as_chunks::<4>();
        Ok(words.iter().map(|w| u32::from_le_bytes(*w)).collect())
    }
}

fn in_both(sets: &[&str], test: impl Fn(Bench)) {
    for mode in [Mode::Functional, Mode::Timing] {
        test(Bench::new(mode, sets));
    }
}

#[test]
fn a_read_below_the_first_allocation_is_answered() {
    in_both(&[], |mut b| {
        let below = b.near.0 - 1024;
        assert_eq!(b.words_at(below).expect("it is mapped"), [0; 32]);
        assert_eq!(b.device.memory_at(below), Memory::Driver);
    });
    in_both(&["driver.fill=0xa5"], |mut b| {
        let below = b.near.0 - (300 << 20);
        assert_eq!(b.words_at(below).expect("it is mapped"), [0xa5a5_a5a5; 32]);
        let near = b.near.0;
        assert_eq!(b.words_at(near).expect("it is allocated"), [0; 32]);
    });
}

#[test]
fn what_is_written_outside_is_read_there_and_counts() {
    in_both(&[], |mut b| {
        let outside = b.near.0 - 8192;
        let (near, before) = (b.near.0, b.device.digest());
        let values: Vec<u8> = (0..32u32).flat_map(|i| (i * 3 + 1).to_le_bytes()).collect();
        b.device.upload(b.near, &values).expect("a copy");
        b.run(&[load(X, FIRST), store(SECOND, X)], near, outside).expect("it runs");
        let expected: Vec<u32> = (0..32).map(|i| i * 3 + 1).collect();
        assert_eq!(b.words_at(outside).expect("it is mapped"), expected);
        assert_eq!(b.words_at(outside + 128).expect("it is mapped"), [0; 32]);
        assert_ne!(b.device.digest(), before);
        let mut copy = [0; 4];
        let refused = b.device.download(DevPtr(outside), &mut copy);
        assert!(matches!(refused, Err(DeviceError::Memory(_))), "the host copies allocations");
    });
}

/// Two runs that differ in nothing but what they wrote to the driver's memory,
/// still in L2 in timing mode.
#[test]
fn the_digest_of_a_device_tells_what_was_written_outside() {
    for mode in [Mode::Functional, Mode::Timing] {
        let [a, b, same] = [7u8, 8, 7].map(|value| {
            let mut b = Bench::new(mode, &[]);
            let (near, outside) = (b.near.0, b.near.0 - 8192);
            b.device.memset(b.near, value, 128).expect("a copy");
            b.run(&[load(X, FIRST), store(SECOND, X)], near, outside).expect("it runs");
            b.device.memset(b.near, 0, 128).expect("a copy");
            b.device.digest()
        });
        assert_eq!(a, same);
        assert_ne!(a, b, "{mode:?}");
    }
}

fn trap_of(b: &mut Bench, addr: u64) -> (TrapKind, String) {
    match b.words_at(addr) {
        Err(e @ DeviceError::Trap { .. }) => {
            let text = e.to_string();
            let DeviceError::Trap { trap, .. } = e else { unreachable!() };
            (trap.kind, text)
        }
        other => panic!("{addr:#x}: {other:?}"),
    }
}

#[test]
fn a_hole_traps_and_the_message_names_the_nearest_allocation() {
    in_both(&[], |mut b| {
        let hole = b.near.0 + (80 << 20);
        let (kind, text) = trap_of(&mut b, hole);
        assert!(matches!(kind, TrapKind::AddressOutOfRange { addr, .. } if addr == hole));
        let nearest = format!("; 80.0 MB behind the end of allocation 1 of 4 KB at {:#x}", b.out.0);
        assert!(text.ends_with(&nearest), "{text}");
    });
    in_both(&["driver.memory=strict"], |mut b| {
        let below = b.near.0 - 1024;
        let (_, text) = trap_of(&mut b, below);
        let nearest = format!("; 1 KB below allocation 0 of 4 KB at {:#x}", b.near.0);
        assert!(text.ends_with(&nearest), "{text}");
    });
}

#[test]
fn a_freed_large_allocation_is_gone_and_the_message_says_freed() {
    in_both(&[], |mut b| {
        let large = b.device.malloc(64 << 20).expect("room");
        assert!(b.words_at(large.0).is_ok());
        b.device.free(large).expect("it is live");
        let (_, text) = trap_of(&mut b, large.0 + 64);
        let nearest = format!("; byte 64 of freed allocation 2 of 64 MB at {:#x}", large.0);
        assert!(text.ends_with(&nearest), "{text}");
    });
}

#[test]
fn a_global_access_to_another_window_is_an_error_of_its_own() {
    in_both(&["driver.shared_window=0x400000000000"], |mut b| {
        let windows = [(0x4000_0000_0040, "shared"), (0x7f00_0100_0000, "local")];
        for (addr, name) in windows {
            let (kind, text) = trap_of(&mut b, addr);
            assert!(matches!(kind, TrapKind::InvalidAddressSpace { .. }), "{text}");
            assert!(text.contains(&format!("is of the {name} window")), "{text}");
        }
        let (kind, _) = trap_of(&mut b, 0x7f00_0000_0000);
        assert!(matches!(kind, TrapKind::AddressOutOfRange { .. }), "the window was moved");
    });
}
