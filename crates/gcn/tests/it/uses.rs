//! What the walks say an instruction uses, against what it is seen to use.

use std::cell::RefCell;
use std::collections::BTreeSet;

use upset_gcn::inst::{Buffer, Detail, Share};
use upset_gcn::operand::Operand::{self, *};
use upset_gcn::row::{Place, Row, Specials, Status, Unit};
use upset_gcn::sem::Does;
use upset_gcn::sem::flow::Flow;
use upset_gcn::sem::vector::Results;
use upset_gcn::table::{find, rows};
use upset_gcn::wave::testing::{Registers, inst, inst_imm};
use upset_gcn::wave::{Destinations, Operands, Outcome, Reg, evaluate, scalar_read, uses, write};
use upset_gcn::{Format, Inst, decode};
use upset_lanes::{Lanes, Mask};

use crate::random::Random;

/// Registers, spelled so that they can be sorted and compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Used {
    vectors: BTreeSet<u32>,
    scalars: BTreeSet<String>,
}

impl Used {
    fn vectors(&mut self, first: u32, dwords: u8) {
        self.vectors.extend((0..u32::from(dwords)).map(|n| first.wrapping_add(n)));
    }

    fn scalar(&mut self, reg: Reg) {
        self.scalars.insert(format!("{reg:?}"));
    }

    fn is_within(&self, other: &Used) -> bool {
        self.vectors.is_subset(&other.vectors) && self.scalars.is_subset(&other.scalars)
    }

    fn without_mode(mut self) -> Used {
        self.scalars.remove("Mode");
        self
    }
}

/// Registers that note who comes.
struct Watched {
    registers: Registers,
    read: RefCell<Used>,
    written: Used,
}

impl Operands for Watched {
    fn vgpr(&self, n: u32, half: usize) -> &Lanes {
        self.read.borrow_mut().vectors(n, 1);
        self.registers.vgpr(n, half)
    }

    fn scalar(&self, reg: Reg) -> u32 {
        self.read.borrow_mut().scalar(reg);
        self.registers.scalar(reg)
    }

    fn exec(&self) -> u64 {
        self.read.borrow_mut().scalar(Reg::Exec(0));
        self.read.borrow_mut().scalar(Reg::Exec(1));
        self.registers.exec()
    }
}

impl Destinations for Watched {
    fn write_vgpr(&mut self, n: u32, _half: usize, _mask: Mask, _value: &Lanes) {
        self.written.vectors(n, 1);
    }

    fn write_scalar(&mut self, reg: Reg, _value: u32) {
        self.written.scalar(reg);
    }
}

fn watch(registers: &Registers) -> Watched {
    let (read, written) = (RefCell::default(), Used::default());
    Watched { registers: registers.clone(), read, written }
}

/// What the walks say.
fn walked(registers: &Registers, inst: &Inst) -> (Used, Used) {
    let (mut read, mut written) = (Used::default(), Used::default());
    uses::each_vgpr_read(registers, inst, |first, dwords| read.vectors(first, dwords));
    uses::each_scalar_read(registers, inst, |reg| read.scalar(reg));
    uses::each_vgpr_written(registers, inst, |first, dwords| written.vectors(first, dwords));
    uses::each_scalar_written(registers, inst, |reg| written.scalar(reg));
    (read, written)
}

/// What is seen, of everything but memory.
fn seen(registers: &Registers, inst: &Inst) -> (Used, Used) {
    let mut watched = watch(registers);
    let mut outcome = Outcome::default();
    let _ = evaluate(&watched, inst, 0x1000, &mut outcome);
    write(&mut watched, &outcome);
    (watched.read.into_inner(), watched.written)
}

fn random_registers(random: &mut Random) -> Registers {
    let mut registers = Registers::default();
    registers.sgprs.fill_with(|| random.u32());
    for half in registers.vgprs.iter_mut().flatten() {
        half.fill(random.u32());
    }
    registers.vcc = u64::from(random.u32()) << 32 | u64::from(random.u32());
    registers.exec = u64::from(random.u32()) << 32 | u64::from(random.u32()) | 1 << 32 | 1;
    // Register numbers that exist as often as others.
    registers.m0 = random.u32() >> random.below(32);
    registers.scc = random.below(2) == 1;
    registers.mode = random.u32();
    registers
}

/// A row that is to have a vector function gets one for the test.
fn with_meaning(row: &'static Row) -> &'static Row {
    let is_vector = row.unit == Unit::Valu && row.status == Status::Planned;
    let plain = matches!(row.dst.place, Place::Vector | Place::Carry)
        && row.reads.has(Specials::EXEC)
        && !row.reads.has(Specials::M0);
    if is_vector && plain && matches!(row.does, Does::Absent) {
        let nothing = |_: &upset_gcn::sem::vector::Sources<'_>, _: &mut Results| {};
        return Box::leak(Box::new(row.does(Does::Vector(nothing))));
    }
    row
}

/// Is exactly what the walks say used, whatever the values are?
fn is_exact(inst: &Inst) -> bool {
    let may_write_less = matches!(inst.row.does, Does::Flow(Flow::Fork | Flow::Join));
    let by_lds = inst.src.contains(&LdsDirect);
    // Messages carry M0 out of the machine.
    let sends = inst.row.unit == Unit::Branch && inst.row.reads.has(Specials::M0)
        || inst.row.name == "s_ttracedata";
    // What would be put into a register that is not there is not looked at.
    let lost = matches!(inst.row.does, Does::SetReg)
        && !matches!(inst.detail, Detail::Imm(imm) if imm & 63 == 1);
    let has_meaning = !matches!(inst.row.does, Does::Nothing | Does::Absent);
    has_meaning && !may_write_less && !by_lds && !sends && !lost && !is_memory(inst)
}

fn is_memory(inst: &Inst) -> bool {
    matches!(inst.row.unit, Unit::Smem | Unit::Vmem | Unit::Lds | Unit::Export)
}

#[test]
fn what_is_used_is_what_the_walks_say() {
    let mut random = Random::new(7);
    let mut exact = BTreeSet::new();
    for format in Format::ALL {
        for op in 0..1u16 << format.layout().width.min(9) {
            if find(format, op).is_none() {
                continue;
            }
            for _ in 0..60 {
                let Ok(inst) = decode(&random.words_of(format, op)) else { continue };
                let inst = Inst { row: with_meaning(inst.row), ..inst };
                let registers = random_registers(&mut random);
                let (read, written) = walked(&registers, &inst);
                let (seen_read, seen_written) = seen(&registers, &inst);
                assert!(seen_read.is_within(&read), "{inst:?}: {seen_read:?} of {read:?}");
                assert!(seen_written.is_within(&written), "{inst:?}: {seen_written:?}");
                if is_exact(&inst) {
                    // Whether a vector instruction is skipped is not asked here.
                    let vector = inst.row.unit == Unit::Valu;
                    let bare = |used: Used| if vector { used.without_mode() } else { used };
                    assert_eq!(bare(seen_read), bare(read), "{inst:?}");
                    assert_eq!(seen_written, written, "{inst:?}");
                    exact.insert(inst.row.name);
                }
            }
        }
    }
    // Nearly everything that is no memory access: the test is no empty one.
    assert!(exact.len() > 480, "{}", exact.len());
}

#[test]
fn scalar_reads_use_what_locating_them_uses() {
    let mut random = Random::new(8);
    let mut count = 0;
    for row in rows(Format::Smrd) {
        for _ in 0..200 {
            let Ok(inst) = decode(&random.words_of(Format::Smrd, row.op)) else { continue };
            let registers = random_registers(&mut random);
            let mut watched = watch(&registers);
            let found = scalar_read::locate(&watched, &inst);
            for (reg, value) in scalar_read::results(&inst, &[0; 16]) {
                watched.write_scalar(reg, value);
            }
            let (read, written) = walked(&registers, &inst);
            let seen = watched.read.into_inner();
            assert_eq!(watched.written, written, "{inst:?}");
            assert!(seen.is_within(&read), "{inst:?}");
            // The last word of a descriptor says nothing to scalar reads.
            let buffer = matches!(row.does, Does::ScalarRead { buffer: true });
            assert_eq!(read.scalars.len() - seen.scalars.len(), spare(&inst, buffer), "{inst:?}");
            count += usize::from(found.dwords > 0);
        }
    }
    assert!(count > 500, "{count}");
}

/// Words of a descriptor that are not looked at: none of the trap handler's is there.
fn spare(inst: &Inst, buffer: bool) -> usize {
    match (inst.src[0], inst.src[1]) {
        (Sgpr(base), Sgpr(offset)) if buffer => usize::from(offset != base + 3),
        (Sgpr(_), _) if buffer => 1,
        _ => 0,
    }
}

fn scalars(all: &[Reg]) -> BTreeSet<String> {
    all.iter().map(|reg| format!("{reg:?}")).collect()
}

fn vectors(all: impl IntoIterator<Item = u32>) -> BTreeSet<u32> {
    all.into_iter().collect()
}

const EXEC_AND_MODE: [Reg; 3] = [Reg::Exec(0), Reg::Exec(1), Reg::Mode];

fn descriptor(more: &[Reg]) -> BTreeSet<String> {
    let quad = [8, 9, 10, 11].map(Reg::Sgpr);
    scalars(&[&quad[..], &EXEC_AND_MODE, more].concat())
}

fn buffer(name: &str, dst: Operand, data: Operand, flags: Buffer) -> (Used, Used) {
    let address = if flags.address() == 0 { Operand::None } else { Vgpr(4) };
    let inst = inst(name, dst, &[address, Sgpr(8), Sgpr(30), data]);
    walked(&Registers::default(), &Inst { detail: Detail::Buffer(flags), ..inst })
}

#[test]
fn buffers_use_as_many_registers_as_their_flags_say() {
    let none = Operand::None;
    let flags = Buffer::default();
    let both = Buffer { offen: true, idxen: true, ..flags };
    let (read, written) = buffer("buffer_load_dwordx4", Vgpr(20), none, flags);
    assert_eq!((read.vectors, written.vectors), (vectors([]), vectors(20..24)));
    assert_eq!(read.scalars, descriptor(&[Reg::Sgpr(30)]));
    assert_eq!(written.scalars, scalars(&[]));
    for (flags, address) in [
        (Buffer { offen: true, ..flags }, vectors([4])),
        (Buffer { idxen: true, ..flags }, vectors([4])),
        (Buffer { addr64: true, ..flags }, vectors([4, 5])),
        (both, vectors([4, 5])),
    ] {
        let (read, written) =
            buffer("tbuffer_load_format_xyz", Vgpr(20), none, Buffer { tfe: true, ..flags });
        assert_eq!((read.vectors, written.vectors), (address, vectors(20..24)));
    }
    let (read, written) = buffer("buffer_store_dwordx2", none, Vgpr(20), both);
    assert_eq!((read.vectors, written.vectors), (vectors([4, 5, 20, 21]), vectors([])));
    let (read, written) = buffer("buffer_atomic_cmpswap_x2", Vgpr(20), Vgpr(20), both);
    assert_eq!(read.vectors, vectors([4, 5, 20, 21, 22, 23]));
    assert_eq!(written.vectors, vectors([20, 21]));
    let lds = Buffer { lds: true, ..flags };
    let (read, written) = buffer("buffer_load_dword", Vgpr(20), none, lds);
    assert_eq!((read.vectors, written.vectors), (vectors([]), vectors([])));
    assert_eq!(read.scalars, descriptor(&[Reg::Sgpr(30), Reg::M0]));
}

#[test]
fn data_share_uses_address_data_and_m0() {
    let detail = Detail::Share(Share::default());
    let used = |name, dst, src: &[Operand]| {
        walked(&Registers::default(), &Inst { detail, ..inst(name, dst, src) })
    };
    let (read, written) = used("ds_write2_b64", Operand::None, &[Vgpr(1), Vgpr(4), Vgpr(8)]);
    assert_eq!((read.vectors, written.vectors), (vectors([1, 4, 5, 8, 9]), vectors([])));
    assert_eq!(read.scalars, scalars(&[&EXEC_AND_MODE[..], &[Reg::M0]].concat()));
    let (read, written) = used("ds_read2_b64", Vgpr(10), &[Vgpr(1)]);
    assert_eq!((read.vectors, written.vectors), (vectors([1]), vectors(10..14)));
    let (read, written) = used("ds_cmpst_rtn_b32", Vgpr(10), &[Vgpr(1), Vgpr(4), Vgpr(8)]);
    assert_eq!((read.vectors, written.vectors), (vectors([1, 4, 8]), vectors([10])));
}

#[test]
fn forks_and_joins_keep_lanes_at_their_depth() {
    let registers = Registers { mode: 2 << 29, ..Registers::default() };
    let fork = inst_imm("s_cbranch_i_fork", Operand::None, &[Sgpr(20)], 0);
    let quad = |first: u8| [first, first + 1, first + 2, first + 3].map(Reg::Sgpr);
    let (read, written) = walked(&registers, &fork);
    let sources = [Reg::Sgpr(20), Reg::Sgpr(21)];
    assert_eq!(read.scalars, scalars(&[&EXEC_AND_MODE[..], &sources].concat()));
    assert_eq!(written.scalars, scalars(&[&EXEC_AND_MODE[..], &quad(8)].concat()));
    let join = inst("s_cbranch_join", Operand::None, &[Sgpr(20)]);
    let (read, written) = walked(&registers, &join);
    assert_eq!(read.scalars, scalars(&[&[Reg::Mode, Reg::Sgpr(20)], &quad(4)[..]].concat()));
    assert_eq!(written.scalars, scalars(&EXEC_AND_MODE));
}

#[test]
fn a_register_that_is_address_and_data_comes_as_both() {
    // The data is read later: who tells of reads must know which is which.
    let detail = Detail::Buffer(Buffer { offen: true, ..Buffer::default() });
    let sources = [Vgpr(1), Sgpr(4), Int(0), Vgpr(1)];
    let store = Inst { detail, ..inst("buffer_store_dword", Operand::None, &sources) };
    let mut seen = Vec::new();
    uses::each_vgpr_source(&Registers::default(), &store, |source, first, dwords| {
        seen.push((source, first, dwords));
    });
    assert_eq!(seen, [(0, 1, 1), (uses::DATA, 1, 1)]);
    // The old value of a result.
    let mac = inst("v_mac_f32", Vgpr(2), &[Vgpr(3), Vgpr(4)]);
    let mut seen = Vec::new();
    uses::each_vgpr_source(&Registers::default(), &mac, |source, first, _| {
        seen.push((source, first))
    });
    assert_eq!(seen, [(0, 3), (1, 4), (uses::OLD, 2)]);
}
