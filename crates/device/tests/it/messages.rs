//! `printf` and `assert` of device code, on both engines and four chips.

use upset_chip::ChipSpec;
use upset_device::{Args, Device, DeviceError, Launch, Limit, Message, Mode};

/// A chip, and test kernels compiled for it.
pub struct Case {
    pub chip: &'static str,
    pub messages: &'static [u8],
    pub heap: &'static [u8],
    pub together: &'static [u8],
}

macro_rules! kernels {
    ($name:literal, $sm:literal) => {
        include_bytes!(concat!("../kernels/", $name, "/", $name, ".sm_", $sm, ".cubin"))
    };
}

macro_rules! case {
    ($chip:literal, $sm:literal) => {
        Case {
            chip: $chip,
            messages: kernels!("messages", $sm),
            heap: kernels!("heap", $sm),
            together: kernels!("together", $sm),
        }
    };
}

pub const CASES: [Case; 4] = [
    Case {
        chip: "titan",
        messages: kernels!("messages", "35"),
        heap: kernels!("heap", "35"),
        // Cooperative launches came with compute capability 6.0.
        together: &[],
    },
    case!("gv100", "70"),
    case!("rtx2060", "75"),
    case!("h200", "90"),
];

pub fn shape(ctas: u32, threads: u32) -> Launch {
    Launch { grid: [ctas, 1, 1], block: [threads, 1, 1], shared_bytes: 0, ..Launch::default() }
}

/// Runs `test` on every chip in every mode.
pub fn everywhere(test: impl Fn(&mut Device, &Case)) {
    for case in &CASES {
        for mode in [Mode::Functional, Mode::Timing] {
            let chip = ChipSpec::preset(case.chip).expect("a preset");
            let mut device = Device::in_mode(&chip, mode).expect("a device");
            test(&mut device, case);
        }
    }
}

fn launch(
    device: &mut Device,
    case: &Case,
    kernel: &str,
    shape: Launch,
    args: &Args,
) -> Result<(), DeviceError> {
    let module = device.load_module(case.messages)?;
    let kernel = device.function(module, kernel)?;
    device.launch(kernel, &shape, args)
}

/// The messages' texts, joined.
fn text(device: &mut Device) -> String {
    let texts = device.take_messages().into_iter().map(|m| match m {
        Message::Printf { text } => String::from_utf8(text).expect("plain text"),
        Message::Assert { .. } => panic!("an assertion: {m:?}"),
    });
    texts.collect()
}

fn lines(device: &mut Device) -> Vec<String> {
    text(device).lines().map(String::from).collect()
}

#[test]
fn every_kind_of_argument() {
    everywhere(|device, case| {
        let string = device.malloc(16).unwrap();
        device.upload(string, b"string\0").unwrap();
        let args = Args::new().i32(7).u64(1 << 40).f64(2.5).ptr(string);
        launch(device, case, "everything", shape(1, 1), &args).unwrap();
        assert_eq!(
            text(device),
            "7|    7|7    |00007|+7|7|0X7|7|H|string|    string|str|1099511627776|\
             1099511627776|0x10000000000|%\n\
             2.500000 2.50 2.500000e+00 2.5 0x1.4p+1      7 2.500\n\
             7 7 1099511627776\n\
             no arguments\n"
        );
        assert!(device.take_messages().is_empty());
    });
}

#[test]
fn strings_that_no_host_can_read_are_copied() {
    everywhere(|device, case| {
        launch(device, case, "strings", shape(1, 2), &Args::new().i32(2)).unwrap();
        assert_eq!(
            lines(device),
            ["[cdefghi] [(null)]", "[cdefghi] [(null)]", "2efghi2efghi", ""],
            "{}",
            case.chip
        );
    });
}

#[test]
fn many_threads_print_each_once() {
    everywhere(|device, case| {
        let results = device.malloc(4 * 20 * 96).unwrap();
        launch(device, case, "many", shape(20, 96), &Args::new().ptr(results)).unwrap();
        let mut printed = lines(device);
        // The threads of a warp in the order of their lanes.
        for warp in printed.chunks(32) {
            let first: u32 = warp[0].split(' ').nth(1).unwrap().parse().unwrap();
            let (_, block) = warp[0].split_once(" of ").unwrap();
            for (lane, line) in warp.iter().enumerate() {
                assert_eq!(*line, format!("thread {} of {block}", first as usize + lane));
            }
        }
        let all = (0..20).flat_map(|b| (0..96).map(move |t| format!("thread {t} of block {b}")));
        let mut all: Vec<String> = all.collect();
        all.sort();
        printed.sort();
        assert_eq!(printed, all);
        let mut counts = vec![0; 4 * 20 * 96];
        device.download(results, &mut counts).unwrap();
        assert!(counts.chunks(4).all(|c| c == [2, 0, 0, 0]));
    });
}

#[test]
fn divided_warps_print() {
    everywhere(|device, case| {
        launch(device, case, "divergent", shape(1, 16), &Args::new()).unwrap();
        let printed = lines(device);
        let of = |word: &str| -> Vec<String> {
            printed.iter().filter(|l| l.starts_with(word)).cloned().collect()
        };
        let odd: Vec<_> = (1..16).step_by(2).map(|i| format!("odd {i}")).collect();
        let size = |i| if i < 8 { "low" } else { "high number" };
        let even: Vec<_> = (0..16).step_by(2).map(|i| format!("even {i} {}", size(i))).collect();
        let all: Vec<_> = (0..16).map(|i| format!("all {i}")).collect();
        assert_eq!(printed.len(), 32);
        let sorted = |mut v: Vec<String>| {
            v.sort();
            v
        };
        assert_eq!(sorted(of("odd")), sorted(odd));
        assert_eq!(sorted(of("even")), sorted(even));
        assert_eq!(sorted(of("all")), sorted(all));
    });
}

#[test]
fn callers_keep_their_registers() {
    everywhere(|device, case| {
        let values: Vec<f32> = (0..32 * 12).map(|i| i as f32).collect();
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let p = device.malloc(bytes.len() as u64).unwrap();
        device.upload(p, &bytes).unwrap();
        launch(device, case, "keeps", shape(1, 32), &Args::new().ptr(p).i32(3)).unwrap();
        let mut after = vec![0; bytes.len()];
        device.download(p, &mut after).unwrap();
        for (i, (v, b)) in values.iter().zip(after.chunks(4)).enumerate() {
            let k = (i % 12) as f32;
            assert_eq!(f32::from_le_bytes(b.try_into().unwrap()), v * 8.0 + 7.0 * k);
        }
        assert_eq!(lines(device).len(), 96);
    });
}

#[test]
fn a_full_buffer_drops_what_comes_later() {
    everywhere(|device, case| {
        device.set_limit(Limit::PrintfFifo, 4096).unwrap();
        let results = device.malloc(4 * 256).unwrap();
        let module = device.load_module(case.messages).unwrap();
        let kernel = device.function(module, "many").unwrap();
        // Twice: the second launch finds an empty buffer again.
        for _ in 0..2 {
            device.launch(kernel, &shape(1, 256), &Args::new().ptr(results)).unwrap();
            let mut counts = vec![0; 4 * 256];
            device.download(results, &mut counts).unwrap();
            let full = counts.chunks(4).filter(|c| *c == [255; 4]).count();
            let fine = counts.chunks(4).filter(|c| *c == [2, 0, 0, 0]).count();
            // Records of 32 bytes.
            assert_eq!((fine, full), (128, 128));
            assert_eq!(lines(device).len(), 128);
        }
        assert_eq!(device.limit_of(Limit::PrintfFifo), 4096);
        let refused = device.set_limit(Limit::PrintfFifo, 8192);
        assert!(matches!(refused, Err(DeviceError::Limit { .. })));
    });
}

#[test]
fn failed_assertions_are_told_and_end_the_kernel() {
    everywhere(|device, case| {
        let after = device.malloc(4 * 64).unwrap();
        device.memset(after, 0, 4 * 64).unwrap();
        let args = Args::new().i32(30).ptr(after);
        let ended = launch(device, case, "asserts", shape(1, 32), &args).unwrap_err();
        assert!(ended.is_assert(), "{ended:?}");
        let messages = device.take_messages();
        let printed = messages.iter().filter(|m| matches!(m, Message::Printf { .. })).count();
        assert_eq!(printed, 32);
        let asserted: Vec<_> =
            messages.iter().filter(|m| matches!(m, Message::Assert { .. })).collect();
        assert_eq!(asserted.len(), 2);
        for (message, x) in asserted.iter().zip([30, 31]) {
            let Message::Assert { message, file, line, function, block, thread } = message else {
                unreachable!()
            };
            assert_eq!(message, "(int)threadIdx.x < limit && \"too many\"");
            assert_eq!((file.as_str(), *line), ("messages.cu", 66));
            assert_eq!(function, "void asserts(int, int *)");
            assert_eq!((*block, *thread), ([0, 0, 0], [x, 0, 0]));
        }
    });
}

#[test]
fn assertions_that_hold_say_nothing() {
    everywhere(|device, case| {
        let after = device.malloc(4 * 32).unwrap();
        let args = Args::new().i32(32).ptr(after);
        launch(device, case, "asserts", shape(1, 32), &args).unwrap();
        assert_eq!(lines(device).len(), 32);
        let mut bytes = [0; 4 * 32];
        device.download(after, &mut bytes).unwrap();
        assert!(bytes.chunks(4).all(|b| b == [1, 0, 0, 0]));
    });
}

#[test]
fn a_plain_trap_is_no_assertion() {
    everywhere(|device, case| {
        let ended = launch(device, case, "traps", shape(1, 32), &Args::new()).unwrap_err();
        assert!(matches!(ended, DeviceError::Trap { .. }) && !ended.is_assert());
        assert!(device.take_messages().is_empty());
    });
}

#[test]
fn programs_without_calls_keep_their_addresses() {
    let chip = ChipSpec::preset("rtx2060").unwrap();
    let mut device = Device::new(&chip).unwrap();
    let before = device.malloc(256).unwrap();
    let mut other = Device::new(&chip).unwrap();
    other.load_module(crate::CUBIN).unwrap();
    assert_eq!(other.malloc(256).unwrap(), before);
}

#[test]
fn runs_are_equal_to_the_bit() {
    for mode in [Mode::Functional, Mode::Timing] {
        let run = || {
            let chip = ChipSpec::preset("rtx2060").unwrap();
            let mut device = Device::in_mode(&chip, mode).unwrap();
            let results = device.malloc(4 * 20 * 96).unwrap();
            let args = Args::new().ptr(results);
            launch(&mut device, &CASES[1], "many", shape(20, 96), &args).unwrap();
            (text(&mut device), device.digest())
        };
        assert_eq!(run(), run());
    }
}
