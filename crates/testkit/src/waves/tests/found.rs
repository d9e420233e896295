//! Small programs that engines once disagreed about.

use upset_device::{Args, Device, DeviceError, Launch};
use upset_gcn::inst::{Buffer, Detail, Inst, Share};
use upset_gcn::operand::Operand;

use super::super::emit::{Emitter, bare, constant, row};
use super::super::object::Object;
use super::super::registers::{Region, s, sgpr, v, vgpr};
use super::super::{WaveProgram, layout};
use crate::generate::ENGINES;

/// What every engine makes of one wave that runs some lines with the output as
/// its buffer, and stores v20 in its first 64 dwords.
fn run(write: impl Fn(&mut Emitter<'_>)) -> Vec<Vec<u32>> {
    let mut program = WaveProgram::with_size(0, 1);
    (program.shape.grid, program.shape.block) = ([1; 3], [64, 1, 1]);
    let mut e = Emitter::new(&program.shape, 0);
    e.push(Inst {
        dst: sgpr(s::POINTERS),
        src: [sgpr(0), Operand::None, Operand::None, Operand::None],
        detail: Detail::Scalar(upset_gcn::inst::Scalar { offset: Some(0) }),
        ..bare(row("s_load_dwordx8"))
    });
    e.imm("s_waitcnt", 0);
    let d = s::DESCRIPTOR;
    e.op("s_mov_b64", sgpr(d), &[sgpr(Region::Output.pointer())]);
    e.op("s_mov_b32", sgpr(d + 2), &[Operand::Literal(4096)]);
    e.op("s_mov_b32", sgpr(d + 3), &[Operand::Int(0)]);
    e.op("v_lshlrev_b32", vgpr(v::ADDRESS), &[Operand::Int(2), vgpr(0)]);
    e.op("v_mov_b32", vgpr(20), &[Operand::Int(7)]);
    write(&mut e);
    e.imm("s_waitcnt", 0);
    e.push(access("buffer_store_dword", 0, 20));
    e.imm("s_endpgm", 0);
    let code = layout::words(&e.lines);
    let object = Object {
        name: "small",
        code: &code,
        pointers: 4,
        vgprs: 24,
        sgprs: 64,
        lds: 1024,
        float_mode: 0xc0,
    };
    let image = object.build();
    let chip = upset_chip::ChipSpec::load("hd7970", &["cu.count=1"]).expect("a chip");
    let result = |mut device: Device| -> Result<Vec<u32>, DeviceError> {
        let out = device.malloc(4096)?;
        let ramp: Vec<u8> = (0..1024u32).flat_map(|i| (1000 + i).to_le_bytes()).collect();
        device.upload(out, &ramp)?;
        let module = device.load_module(&image)?;
        let kernel = device.function(module, "small")?;
        let launch = Launch { grid: [1; 3], block: [64, 1, 1], ..Launch::default() };
        device.launch(kernel, &launch, &Args::new().ptr(out).ptr(out).ptr(out).ptr(out))?;
        let mut bytes = vec![0; 256];
        device.download(out, &mut bytes)?;
        let (words, _) = bytes.as_chunks::<4>();
        Ok(words.iter().map(|w| u32::from_le_bytes(*w)).collect())
    };
    let device = |e: &crate::generate::Engine| (e.device)(&chip).and_then(result);
    ENGINES.iter().map(|e| device(e).expect("it runs")).collect()
}

/// An access at the lane's dword behind some bytes.
fn access(name: &str, offset: u16, data: u8) -> Inst {
    let mut one = bare(row(name));
    let loads = one.row.dst.kind.dwords > 0 && !one.row.returns_by_glc;
    let (dst, src) = if loads { (vgpr(data), Operand::None) } else { (Operand::None, vgpr(data)) };
    one.dst = dst;
    one.src = [vgpr(v::ADDRESS), sgpr(s::DESCRIPTOR), Operand::Int(0), src];
    one.detail = Detail::Buffer(Buffer { offen: true, offset, ..Buffer::default() });
    one
}

/// A wait for vector memory alone.
fn vmcnt(n: u16) -> Inst {
    constant("s_waitcnt", n | 7 << 4 | 15 << 8)
}

#[test]
fn a_load_sees_the_store_before_it() {
    for out in run(|e| {
        e.push(access("buffer_load_dword", 512, 21));
        e.push(vmcnt(0));
        e.push(access("buffer_store_dword", 512, 20));
        e.push(access("buffer_load_dword", 512, 20));
    }) {
        assert_eq!(out, [7; 64]);
    }
}

#[test]
fn a_load_sees_the_atomic_before_it() {
    for out in run(|e| {
        e.push(access("buffer_load_dword", 512, 21));
        e.push(vmcnt(0));
        e.push(access("buffer_atomic_add", 512, 20));
        e.push(access("buffer_load_dword", 512, 20));
    }) {
        assert_eq!(out, (0..64).map(|i| 1000 + 128 + i + 7).collect::<Vec<u32>>());
    }
}

#[test]
fn a_counted_wait_counts_accesses_without_lanes() {
    for out in run(|e| {
        e.push(access("buffer_load_dword", 512, 20));
        e.op("s_mov_b64", Operand::ExecLo, &[Operand::Int(0)]);
        e.push(access("buffer_load_dword", 1024, 21));
        e.op("s_mov_b64", Operand::ExecLo, &[Operand::Int(-1)]);
        e.push(vmcnt(1));
        e.op("v_add_i32", vgpr(20), &[Operand::Int(1), vgpr(20)]);
    }) {
        assert_eq!(out, (0..64).map(|i| 1000 + 128 + i + 1).collect::<Vec<u32>>());
    }
}

#[test]
fn a_counted_wait_counts_lds_accesses_without_lanes() {
    let share = |name: &str, data: u8| {
        let mut one = bare(row(name));
        one.src[0] = vgpr(v::ADDRESS);
        one.detail = Detail::Share(Share { offset: 0, gds: false });
        if one.row.dst.kind.dwords > 0 {
            one.dst = vgpr(data);
        } else {
            one.src[1] = vgpr(data);
        }
        one
    };
    for out in run(|e| {
        e.op("s_mov_b32", Operand::M0, &[Operand::Int(-1)]);
        e.push(share("ds_write_b32", 20));
        e.op("v_mov_b32", vgpr(20), &[Operand::Int(9)]);
        e.push(share("ds_read_b32", 20));
        e.op("s_mov_b64", Operand::ExecLo, &[Operand::Int(0)]);
        e.push(share("ds_read_b32", 21));
        e.op("s_mov_b64", Operand::ExecLo, &[Operand::Int(-1)]);
        e.imm("s_waitcnt", 15 | 7 << 4 | 1 << 8);
        e.op("v_add_i32", vgpr(20), &[Operand::Int(1), vgpr(20)]);
    }) {
        assert_eq!(out, [8; 64]);
    }
}

#[test]
fn a_load_to_lds_goes_where_m0_said() {
    for out in run(|e| {
        e.op("s_mov_b32", Operand::M0, &[Operand::Int(0)]);
        let mut load = access("buffer_load_dword", 0, 21);
        if let Detail::Buffer(b) = &mut load.detail {
            b.lds = true;
        }
        e.push(load);
        e.op("s_mov_b32", Operand::M0, &[Operand::Literal(512)]);
        e.push(vmcnt(0));
        e.op("s_mov_b32", Operand::M0, &[Operand::Int(-1)]);
        let mut read = bare(row("ds_read_b32"));
        (read.dst, read.src[0]) = (vgpr(20), vgpr(v::ADDRESS));
        e.push(read);
    }) {
        assert_eq!(out, (0..64).map(|i| 1000 + i).collect::<Vec<u32>>());
    }
}
