//! Compiled code says by its stall counts when it reads a result of fixed
//! latency. Ours must be there by then.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use upset_chip::ChipSpec;
use upset_compute::code::{Decoded, Op};
use upset_compute::hazard::Unwritten;
use upset_compute::{Code, Config};
use upset_device::{Args, Device, Message, Mode, TrapKind};
use upset_isa::program::{Layout, Program, Slot};
use upset_isa::{Exec, Flow, LatencyClass};
use upset_sass::decode::decode;
use upset_sass::{Arch, Word, container};
use upset_testkit::asm::cubin::param_base;
use upset_testkit::asm::flow::exit;
use upset_testkit::asm::int::imad_hi;
use upset_testkit::asm::memory::{At, Order, Size, stg};
use upset_testkit::asm::moves::mov;
use upset_testkit::asm::{Code as Written, Control, R, RZ, constant};

use crate::assembled::{chip, kernel, launch, slow};

/// Where code that NVIDIA's compilers made lies.
const FOLDERS: [&str; 3] = ["kernels", "crates/sass/tests/data", "crates/device/tests/kernels"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn cubins(folder: &Path, list: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of ours").flatten() {
        let path = entry.path();
        if path.is_dir() {
            cubins(&path, list);
        } else if path.extension().is_some_and(|e| e == "cubin") {
            list.push(path);
        }
    }
}

/// Chips and the architecture of the code they run.
const CHIPS: [(&str, Arch); 3] =
    [("gv100", Arch::Sm70), ("rtx2060", Arch::Sm75), ("h200", Arch::Sm90)];

fn ops(code: &[u8], arch: Arch, config: &Config) -> Vec<Decoded> {
    let slot = |word: Word| match decode(word, arch).ok().and_then(|d| d.lower().ok()) {
        Some(inst) => Slot::Inst(inst),
        None => Slot::Trap(TrapKind::IllegalEncoding),
    };
    let words = code.as_chunks::<16>().0.iter().map(|&b| Word::from_bytes(b));
    let slots = words.clone().map(slot).collect();
    let program =
        Program { base: 0, layout: Layout::Wide, slots, words: words.map(|w| w.0).collect() };
    Code::new(program, 255, Arc::new(|_| Slot::Trap(TrapKind::IllegalEncoding)), config).ops
}

/// Whether code after this instruction is always reached by another way.
fn ends(op: &Op) -> bool {
    let always = op.inst.guard.is_always();
    always
        && matches!(
            op.inst.exec,
            Exec::Flow(Flow::Branch(_) | Flow::Call(_) | Flow::Ret(_) | Flow::Exit)
        )
}

/// Instructions of fixed latency whose result is read before it is there:
/// where, the reader, after how many cycles, and the latency.
fn early(ops: &[Decoded]) -> Vec<(usize, usize, u64, u32)> {
    let mut found = Vec::new();
    for (i, op) in ops.iter().enumerate() {
        let Decoded::Op(op) = op else { continue };
        if op.inst.op.latency != LatencyClass::Fixed || op.late {
            continue;
        }
        let mut unwritten = Unwritten::default();
        unwritten.started(&op.inst);
        let mut after = 0;
        let mut last = op;
        for (j, reader) in ops.iter().enumerate().skip(i + 1) {
            after += u64::from(last.hold) + u64::from(last.pause);
            let Decoded::Op(reader) = reader else { break };
            if after >= u64::from(op.latency) || ends(last) {
                break;
            }
            if unwritten.reads(&reader.inst) > 0 {
                found.push((i, j, after, op.latency));
            }
            last = reader;
        }
    }
    found
}

#[test]
fn results_are_there_when_compiled_code_reads_them() {
    let mut files = Vec::new();
    FOLDERS.iter().for_each(|f| cubins(&root().join(f), &mut files));
    files.sort();
    let (mut looked_at, mut wrong) = (0, Vec::new());
    for path in files {
        let image = std::fs::read(&path).expect("a file of ours");
        for (name, arch) in CHIPS {
            let tag = format!(".sm_{}.", arch.number());
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if !file.contains(&tag) {
                continue;
            }
            let config = Config::new(&ChipSpec::preset(name).expect("a preset")).expect("SMs");
            let module = container::open(&image).and_then(|c| c.module(arch.number()));
            for function in module.expect("a cubin").code {
                let ops = ops(&function.code.bytes, arch, &config);
                looked_at += ops.len();
                for (i, j, after, latency) in early(&ops) {
                    let name = |n: usize| match &ops[n] {
                        Decoded::Op(op) => op.inst.op.name,
                        Decoded::Trap(_) | Decoded::Control => "?",
                    };
                    wrong.push(format!(
                        "{file}: {} at {:#x} takes {latency} cycles, {} reads it after {after}",
                        name(i),
                        16 * i,
                        name(j)
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(looked_at > 20_000, "{looked_at} instructions");
}

/// `printf`, `assert`, `malloc` and `free` as CUDA 12 and 13 call them: with the
/// return address from `LEPC`.
#[test]
fn calls_through_lepc_return() {
    for (name, arch) in &CHIPS[1..] {
        for cuda in [12, 13] {
            let file = format!("externs.sm_{}.cuda{cuda}.cubin", arch.number());
            let folder = root().join("crates/sass/tests/data/containers");
            let image = std::fs::read(folder.join(&file)).expect("a file of ours");
            for mode in [Mode::Functional, Mode::Timing] {
                let chip = ChipSpec::preset(name).expect("a preset");
                let mut device = Device::in_mode(&chip, mode).expect("a device");
                let out = device.malloc(4 * 32).expect("room");
                let module = device.load_module(&image).expect("a cubin");
                let function = device.function(module, "talk").expect("its kernel");
                let args = Args::new().ptr(out).i32(7);
                let shape = crate::messages::shape(1, 32);
                device
                    .launch(function, &shape, &args)
                    .unwrap_or_else(|e| panic!("{file}, {mode:?}: {e}"));
                let mut bytes = [0; 4 * 32];
                device.download(out, &mut bytes).expect("a copy");
                assert!(bytes.as_chunks().0.iter().all(|w| u32::from_le_bytes(*w) == 7), "{file}");
                let mut lines: Vec<String> = device
                    .take_messages()
                    .into_iter()
                    .map(|m| match m {
                        Message::Printf { text } => String::from_utf8(text).expect("text"),
                        Message::Assert { .. } => panic!("{m:?}"),
                    })
                    .collect();
                lines.sort();
                let mut expected: Vec<String> =
                    (0..32).map(|i| format!("thread {i} of 7\n")).collect();
                expected.sort();
                assert_eq!(lines, expected, "{file}, {mode:?}");
                if let Some(timing) = device.stats().timing() {
                    assert_eq!(timing.cores.sm.hazards, 0, "{file}: registers read too early");
                }
            }
        }
    }
}

/// Division by a number that is not known to the compiler, as CUDA 13 writes it for
/// sm_90: the upper word of the addend is a result that is three cycles old.
#[test]
fn an_addend_of_two_words_is_read_late() {
    let fast = |code: Written| code.word(Control::stall(1));
    for (name, arch) in &CHIPS[1..] {
        let (arch, params) = (*arch, param_base(*arch));
        let words: [Word; 11] = [
            slow(mov(R(2), constant(0, params))),
            slow(mov(R(3), constant(0, params + 4))),
            slow(mov(R(8), constant(0, params + 8))),
            slow(mov(R(9), constant(0, params + 12))),
            slow(mov(R(4), RZ)),
            fast(mov(R(5), R(9))),
            fast(mov(R(10), RZ)),
            fast(mov(R(11), RZ)),
            slow(imad_hi(R(6), R(9), R(8), R(4))),
            slow(stg(arch, At::Reg(R(2), 0), R(6), Size::Word, Order::Weak)),
            slow(exit()),
        ];
        let image = kernel(arch, &words, 2, Vec::new()).image();
        let mut device = Device::timed(&chip(arch)).expect("a device");
        let out = device.malloc(4).expect("room");
        let (number, factor) = (1_234_567, 0x9249_2493_u32);
        let args = Args::new().ptr(out).u64(u64::from(number) << 32 | u64::from(factor));
        launch(&mut device, &image, 1, &args).expect("it runs");
        let mut bytes = [0; 4];
        device.download(out, &mut bytes).expect("a copy");
        let product = ((u64::from(number) * u64::from(factor)) >> 32) as u32;
        assert_eq!(u32::from_le_bytes(bytes), product + number, "{name}");
    }
}
