//! AMD's devices: both containers run, and what does not fit is told in one
//! sentence.

#[path = "../../../gcn/tests/it/app_sdk_builder.rs"]
#[allow(dead_code)]
mod app_sdk_builder;

use app_sdk_builder::{KernelParts, Parts};
use upset_chip::ChipSpec;
use upset_device::{Args, Device, DeviceError, Launch, Mode};

/// `c[i] = a[i] + b[i]` in the manner of AMD's own compiler: constant buffers,
/// the table of UAVs, typed buffer access.
///
/// ```text
/// s_buffer_load_dword s0, s[4:7], 0x04    ; local size
/// s_buffer_load_dword s1, s[4:7], 0x18    ; global offset
/// s_buffer_load_dword s13, s[8:11], 0x00  ; a
/// s_buffer_load_dword s14, s[8:11], 0x04  ; b
/// s_buffer_load_dword s15, s[8:11], 0x08  ; c
/// s_load_dwordx4 s[16:19], s[2:3], 0x60   ; UAV 12
/// s_load_dwordx4 s[20:23], s[2:3], 0x68   ; UAV 13
/// s_load_dwordx4 s[24:27], s[2:3], 0x70   ; UAV 14
/// s_waitcnt lgkmcnt(0)
/// s_mul_i32 s0, s12, s0
/// s_add_u32 s0, s0, s1
/// v_add_i32 v0, vcc, s0, v0
/// v_lshlrev_b32 v0, 2, v0
/// v_add_i32 v1, vcc, s13, v0
/// v_add_i32 v2, vcc, s14, v0
/// v_add_i32 v0, vcc, s15, v0
/// tbuffer_load_format_x v1, v1, s[16:19], dfmt:4, nfmt:7, 0 offen
/// tbuffer_load_format_x v2, v2, s[20:23], dfmt:4, nfmt:7, 0 offen
/// s_waitcnt vmcnt(0)
/// v_add_f32 v1, v1, v2
/// tbuffer_store_format_x v1, v0, s[24:27], dfmt:4, nfmt:7, 0 offen
/// s_endpgm
/// ```
#[rustfmt::skip]
const CODE: [u32; 25] = [
    0xc200_0504, 0xc200_8518, 0xc206_8900, 0xc207_0904, 0xc207_8908, 0xc088_0360, 0xc08a_0368,
    0xc08c_0370, 0xbf8c_007f, 0x9300_000c, 0x8000_0100, 0x4a00_0000, 0x3400_0082, 0x4a02_000d,
    0x4a04_000e, 0x4a00_000f, 0xeba0_1000, 0x8004_0101, 0xeba0_1000, 0x8005_0202, 0xbf8c_0f70,
    0x0602_0501, 0xeba4_1000, 0x8006_0100, 0xbf81_0000,
];

/// Settings of the kernel: the table of UAVs in s[2:3], constant buffers in
/// s[4:7] and s[8:11], twelve registers of the user, the work-group's x.
const INFO: [(u32, u32); 22] = [
    (0x8000_1000, 3),
    (0x8000_1001, 0x17),
    (0x8000_1002, 0),
    (0x8000_1003, 2),
    (0x8000_1004, 2),
    (0x8000_1005, 2),
    (0x8000_1006, 0),
    (0x8000_1007, 4),
    (0x8000_1008, 4),
    (0x8000_1009, 2),
    (0x8000_100a, 1),
    (0x8000_100b, 8),
    (0x8000_100c, 4),
    (0x8000_1041, 3),
    (0x8000_1042, 28),
    (0x8000_1043, 0xc0),
    (0x8000_1044, 0),
    (0x8000_1045, 0),
    (0x2e13, 0x98),
    (0x8000_001c, 0x100),
    (0x8000_001d, 0),
    (0x8000_001e, 0),
];

fn vector_add(code: &[u32]) -> Vec<u8> {
    with_uavs(code, [12, 13, 14])
}

/// The same with its three buffers in other entries of the table.
fn with_uavs(code: &[u32], [a, b, c]: [u32; 3]) -> Vec<u8> {
    let lines = format!(
        ";memory:uavprivate:0\n;memory:hwlocal:0\n\
         ;pointer:a:float:1:1:0:uav:{a}:4:RO:0:0\n\
         ;pointer:b:float:1:1:16:uav:{b}:4:RO:0:0\n\
         ;pointer:c:float:1:1:32:uav:{c}:4:RW:0:0\n"
    );
    Parts::new(&[KernelParts::new("add", &lines, code, &INFO)]).build()
}

fn device(mode: Mode) -> Device {
    let chip = ChipSpec::preset("hd7970").expect("a chip");
    Device::in_mode(&chip, mode).expect("a device")
}

fn floats(values: impl Iterator<Item = f32>) -> Vec<u8> {
    values.flat_map(f32::to_le_bytes).collect()
}

const N: u32 = 512;

fn launch() -> Launch {
    Launch { grid: [N / 128, 1, 1], block: [128, 1, 1], ..Launch::default() }
}

/// Adds two vectors with a binary in both modes.
fn adds(binary: &[u8]) {
    for mode in [Mode::Functional, Mode::Timing] {
        let mut device = device(mode);
        let module = device.load_module(binary).expect("it loads");
        let add = device.function(module, "add").expect("a kernel");
        let [c, a, b] = [0; 3].map(|_| device.malloc(4 * u64::from(N)).expect("room"));
        device.upload(a, &floats((0..N).map(|i| i as f32))).expect("room");
        device.upload(b, &floats((0..N).map(|i| 0.5 * i as f32))).expect("room");
        device.launch(add, &launch(), &Args::new().ptr(a).ptr(b).ptr(c)).expect("it runs");
        let mut bytes = vec![0; 4 * N as usize];
        device.download(c, &mut bytes).expect("it is there");
        assert_eq!(bytes, floats((0..N).map(|i| 1.5 * i as f32)), "{mode:?}");
    }
}

#[test]
fn a_binary_of_the_app_sdk_runs_in_both_modes() {
    adds(&vector_add(&CODE));
}

/// Where pointers may alias, the compiler gives them one resource, and their
/// arguments say where in it they lie.
#[test]
fn buffers_may_share_a_resource() {
    let mut code = CODE;
    let loads = [(6, 0xc08a_0360), (7, 0xc08c_0360)];
    for (at, word) in loads {
        code[at] = word;
    }
    adds(&with_uavs(&code, [12; 3]));
}

#[test]
fn local_arguments_lie_one_behind_the_other() {
    let lines = "\
        ;memory:uavprivate:0\n;memory:hwlocal:20\n\
        ;pointer:x:float:4:1:0:hl:1:16:RW:0:0\n\
        ;pointer:y:char:1:1:16:hl:1:1:RW:0:0\n\
        ;pointer:out:uint:1:1:32:uav:12:4:RW:0:0\n";
    // s_buffer_load_dword s0, s[8:11], 0x0; s1 from 0x4; s_load_dwordx4
    // s[16:19], s[2:3], 0x60; s_waitcnt 0; v_mov v1, s0; v_mov v2, s1;
    // v_mov v0, 0; tbuffer_store_format_xy v[1:2], v0, s[16:19]; s_endpgm
    let code = [
        0xc200_0900,
        0xc200_8904,
        0xc088_0360,
        0xbf8c_007f,
        0x7e02_0200,
        0x7e04_0201,
        0x7e00_0280,
        0xea5d_1000,
        0x8004_0100,
        0xbf81_0000,
    ];
    let binary = Parts::new(&[KernelParts::new("where", lines, &code, &INFO)]).build();
    let mut device = device(Mode::Timing);
    let module = device.load_module(&binary).expect("it loads");
    let function = device.function(module, "where").expect("a kernel");
    let out = device.malloc(64).expect("room");
    let one = Launch { grid: [1; 3], block: [1; 3], ..Launch::default() };
    let args = Args::new().local(40).local(3).ptr(out);
    device.launch(function, &one, &args).expect("it runs");
    let mut bytes = [0; 8];
    device.download(out, &mut bytes).expect("it is there");
    // Twenty bytes are the kernel's own; the next multiple of 16 is 32.
    assert_eq!(bytes, [32, 0, 0, 0, 72, 0, 0, 0]);
    let mut say = |args: &Args| device.launch(function, &one, args).expect_err("no").to_string();
    let start = "kernel `where` cannot be launched: argument";
    let local = "points to local memory: give its size";
    assert_eq!(say(&Args::new().u32(40).local(3).ptr(out)), format!("{start} 0 {local}"));
    let other = "does not point to local memory";
    assert_eq!(say(&Args::new().local(40).local(3).local(4)), format!("{start} 2 {other}"));
}

/// What a launch of some code with some arguments ends in.
fn refused(code: &[u32], launch: &Launch, args: u32) -> DeviceError {
    let mut device = device(Mode::Timing);
    let module = device.load_module(&vector_add(code)).expect("it loads");
    let add = device.function(module, "add").expect("a kernel");
    let buffer = device.malloc(4096).expect("room");
    let args = (0..args).fold(Args::new(), |args, _| args.ptr(buffer));
    device.launch(add, launch, &args).expect_err("it fails")
}

#[test]
fn what_does_not_fit_is_told_in_one_sentence() {
    let say = |launch: &Launch, args| refused(&CODE, launch, args).to_string();
    let launch = launch();
    let start = "kernel `add` cannot be launched: ";
    assert_eq!(say(&launch, 2), format!("{start}2 arguments given, it takes 3"));
    let large = Launch { block: [512, 1, 1], ..launch };
    assert_eq!(
        say(&large, 3),
        format!("{start}512 work-items per work-group, the chip allows 256")
    );
    let lds = Launch { shared_bytes: 40_000, ..launch };
    assert_eq!(say(&lds, 3), format!("{start}40000 bytes of LDS, the chip allows 32768"));
    let none = Launch { grid: [0, 1, 1], ..launch };
    assert_eq!(say(&none, 3), format!("{start}grid and work-group must not be empty"));
}

#[test]
fn traps_are_told_by_name() {
    let trap = |code: &[u32]| match refused(code, &launch(), 3) {
        DeviceError::Trap { trap, .. } => trap.kind.to_string(),
        other => panic!("{other}"),
    };
    // No instruction; `s_trap 1`; an image that is not there; the end of the code.
    assert_eq!(trap(&[0xffff_ffff]), "illegal instruction encoding");
    assert_eq!(trap(&[0xbf92_0001]), "trap instruction");
    assert!(trap(&[0xf000_0f00, 0x0002_0400]).contains("is not implemented"));
    assert!(trap(&[0xbf80_0000]).contains("outside the code"));
    // `s_load_dword s0, s[40:41], 0x0` from an address that is nobody's.
    assert!(trap(&[0xbea8_0381, 0xbea9_0381, 0xc000_2900, 0xbf81_0000]).contains("out of range"));
}

#[test]
fn code_of_another_vendor_is_refused() {
    let chip = ChipSpec::preset("rtx2060").expect("a chip");
    let mut nvidia = Device::new(&chip).expect("a device");
    let error = nvidia.load_module(&vector_add(&CODE)).expect_err("AMD's code");
    assert!(error.is_lacking(), "{error}");
    assert_eq!(
        error.to_string(),
        "chip `rtx2060` runs NVIDIA's machine code, and this is AMD's: choose a chip of that \
         vendor (`upset chips` lists them)"
    );
    assert!(device(Mode::Functional).load_module(b"nothing of the kind").is_err());
}
