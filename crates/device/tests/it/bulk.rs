//! Copies of many bytes at once (`later/bulk/bulk.cu`) leave what they leave on a real
//! H200, and take about as long.

use upset_device::{Args, DevPtr, Device, Launch, Mode, ModuleId};
use upset_sass::Arch;

use crate::assembled::{MODES, chip};

const CODE: &[u8] = include_bytes!("../later/bulk/bulk.sm_90.cubin");
/// A line for each piece of memory: its name, and its digest on an H200.
const H200: &str = include_str!("../later/bulk/h200.txt");

fn words(values: impl Iterator<Item = u32>) -> Vec<u8> {
    values.flat_map(u32::to_le_bytes).collect()
}

/// FNV-1a, as `h200.txt` has it.
fn digest(bytes: &[u8]) -> String {
    let step = |h: u64, b: &u8| (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3);
    format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
}

struct Run {
    device: Device,
    module: ModuleId,
    said: String,
}

impl Run {
    fn new(mode: Mode) -> Run {
        let mut device = Device::in_mode(&chip(Arch::Sm90), mode).expect("a device");
        let module = device.load_module(CODE).expect("a cubin");
        Run { device, module, said: String::new() }
    }

    fn memory(&mut self, bytes: &[u8]) -> DevPtr {
        let at = self.device.malloc(bytes.len() as u64).expect("room");
        self.device.upload(at, bytes).expect("a copy");
        at
    }

    fn read(&mut self, at: DevPtr, bytes: usize) -> Vec<u8> {
        let mut read = vec![0; bytes];
        self.device.download(at, &mut read).expect("a copy");
        read
    }

    fn launch(&mut self, kernel: &str, grid: u32, block: u32, shared: u32, args: &Args) {
        let function = self.device.function(self.module, kernel).expect("a kernel");
        let shape = Launch {
            grid: [grid, 1, 1],
            block: [block, 1, 1],
            shared_bytes: shared,
            ..Launch::default()
        };
        self.device.launch(function, &shape, args).expect("it runs");
    }

    fn say(&mut self, name: &str, bytes: &[u8]) {
        self.said += &format!("{name} {}\n", digest(bytes));
    }

    /// All kernels, as the program ran them whose output is `h200.txt`.
    fn all(mut self) -> String {
        let input = self.memory(&words((0..1 << 15).map(|i: u32| i.wrapping_mul(2_654_435_761))));
        let sizes = [16, 48, 512, 528, 4096, 8192, 1040];
        let lengths = self.memory(&words(sizes.into_iter()));
        let blank = vec![0x11; 1 << 18];
        let out = self.memory(&blank);
        let count = sizes.len() as u32;
        let args = Args::new().ptr(input).ptr(out).ptr(lengths).u32(count);
        self.launch("lengths", 2, 64, 0, &args);
        let left = self.read(out, blank.len());
        for (i, piece) in left.chunks(16384).take(2 * sizes.len()).enumerate() {
            self.say(&format!("lengths {i}"), piece);
        }
        let out = self.memory(&blank);
        self.launch("each", 1, 32, 0, &Args::new().ptr(input).ptr(out));
        let left = self.read(out, 16384 + 128);
        self.say("each", &left);
        let out = self.memory(&blank);
        let seen = self.memory(&[0; 16]);
        self.launch("back", 2, 128, 0, &Args::new().ptr(out).ptr(seen).u32(4096));
        let left = self.read(out, 65536);
        self.say("back", &left);
        let seen = self.read(seen, 16);
        let seen: Vec<String> =
            seen.as_chunks().0.iter().map(|w| format!("{:x}", u32::from_le_bytes(*w))).collect();
        self.said += &format!("seen {}\n", seen.join(" "));
        let values = (0..4096).map(|i: u32| i.wrapping_mul(0x0123_4567).wrapping_add(0x3e00_3a00));
        let out = self.memory(&words(values));
        self.launch("reduce", 1, 64, 0, &Args::new().ptr(out));
        let left = self.read(out, 16384);
        for (i, piece) in left.chunks(1024).enumerate() {
            self.say(&format!("reduce {i}"), piece);
        }
        self.said
    }
}

#[test]
fn bulk_copies_leave_what_they_leave_on_real_hardware() {
    for mode in MODES {
        assert_eq!(Run::new(mode).all(), H200, "{mode:?}");
    }
}

/// A copy that begins in memory and does not end there.
#[test]
fn a_bulk_copy_beyond_what_is_mapped_is_an_error() {
    for mode in MODES {
        let mut run = Run::new(mode);
        let told = run.memory(&[0; 12]);
        let function = run.device.function(run.module, "times").expect("a kernel");
        let (grid, block) = ([1; 3], [32, 1, 1]);
        let shape = Launch { grid, block, shared_bytes: 32768, ..Launch::default() };
        let end = run.memory(&vec![0; 1 << 22]).0 + (1 << 22);
        let from = |back: u64| Args::new().ptr(DevPtr(end - back)).ptr(told).u32(32768);
        run.device.launch(function, &shape, &from(32768)).expect("it ends at the end");
        let beyond = run.device.launch(function, &shape, &from(16)).expect_err("it is outside");
        assert!(beyond.to_string().contains("out of range"), "{mode:?}: {beyond}");
    }
}

/// Cycles of a copy to shared memory of bytes that lie in L2.
fn cycles(bytes: u32) -> u32 {
    let mut run = Run::new(Mode::Timing);
    let input = run.memory(&vec![0; 1 << 16]);
    let told = run.memory(&[0; 12]);
    run.launch("times", 1, 32, 32768, &Args::new().ptr(input).ptr(told).u32(bytes));
    let told = run.read(told, 12);
    u32::from_le_bytes(told[8..].try_into().expect("a word"))
}

#[test]
fn bulk_copies_take_about_as_long_as_on_real_hardware() {
    for (bytes, h200) in [(16, 279), (512, 297), (4096, 332), (16384, 459), (32768, 618)] {
        let ratio = f64::from(cycles(bytes)) / f64::from(h200);
        assert!((0.8..1.25).contains(&ratio), "{bytes} bytes: {ratio}");
    }
}
