//! A wave that runs a few instructions, ten cycles each.

use upset_chip::ChipSpec;
use upset_cu::{Code, Config, Stage};
use upset_gcn::encode;
use upset_gcn::inst::{Detail, Inst, Share};
use upset_gcn::operand::Operand;
use upset_gcn::sem::Does;
use upset_gcn::wave::execute_share;
use upset_gcn::wave::testing::{Registers, inst};

use crate::amd::back::{Subject, back};
use crate::amd::held::{Given, Held};
use crate::amd::life::Arrival;
use crate::amd::trace::{Done, Trace};
use crate::clock::{Launches, Tally};
use crate::refined::Refined;

pub(super) use Operand::{Int, None as Nothing, Sgpr, VccLo, Vgpr};

/// Bytes of LDS.
const LDS: u32 = 256;
/// Registers of the wave: VCC is behind s15.
pub(super) const GIVEN: Given = Given { vgprs: 16, sgprs: 18 };

/// A wave with one lane, and what it has done.
pub(super) struct Lab {
    pub(super) registers: Registers,
    insts: Vec<Inst>,
    trace: Trace,
    held: Held,
    lds: Vec<u8>,
    /// The trace is cut when the instruction with this number has issued.
    pub(super) cut_at: Option<u32>,
    /// What was found before the cut, and when that was.
    before: Option<(Refined, u64)>,
}

impl Lab {
    /// One lane; s[4:7] is a buffer of 4 KiB.
    pub(super) fn new() -> Lab {
        let mut registers = Registers { exec: 1, m0: !0, ..Registers::default() };
        registers.sgprs[4..8].copy_from_slice(&[0x10_0000, 0, 4096, 0]);
        let (insts, trace, held) = (Vec::new(), Trace::default(), Held::default());
        let lds = vec![0; LDS as usize];
        Lab { registers, insts, trace, held, lds, cut_at: None, before: None }
    }

    /// It reads in the first cycle, and if it computes writes then; data of
    /// stores is read in the fourth, as LDS is accessed; memory's results are
    /// written in the seventh.
    pub(super) fn run(&mut self, insts: &[Inst]) -> &mut Lab {
        for inst in insts {
            let number = self.insts.len() as u32;
            let at = 10 * u64::from(number);
            let pc = self.insts.iter().map(|i| i.length() as u32).sum();
            let values = self.trace.values.len() as u32;
            self.held.record(&self.registers, inst, GIVEN, &mut self.trace.values);
            self.trace.add(at, Done { pc, wave: 0, values, begun: false });
            self.insts.push(*inst);
            if matches!(inst.row.does, Does::Buffer(_) | Does::Share(_) | Does::ScalarRead { .. }) {
                self.trace.begun(0, number);
            }
            if self.cut_at == Some(number) {
                self.before = Some((self.refined(Some(at)), at));
                self.trace.cut();
            }
            match inst.row.does {
                Does::Buffer(_) => {
                    if inst.raises().exp > 0 {
                        self.trace.stepped(at + 3, number, Stage::Taken);
                    }
                    self.trace.stepped(at + 6, number, Stage::Completed);
                }
                Does::Share(_) => {
                    self.trace.stepped(at + 3, number, Stage::Shared);
                    execute_share(&mut self.registers, inst, &mut self.lds).expect("an access");
                    self.trace.stepped(at + 6, number, Stage::Completed);
                }
                Does::ScalarRead { .. } => {
                    self.trace.stepped(at + 6, number, Stage::Completed);
                }
                _ => {
                    self.registers.step(inst, pc.into()).expect("no trap");
                }
            }
        }
        self
    }

    /// Goes back; bit-cycles of vector and scalar registers and of LDS.
    pub(super) fn spent(&self) -> [u64; 3] {
        let sums = |r: &Refined| [&r.vrf, &r.srf, &r.lds].map(sum);
        let (after, before) = (sums(&self.refined(None)), self.before.as_ref());
        let before = before.map_or([0; 3], |(refined, _)| sums(refined));
        [0, 1, 2].map(|n| before[n] + after[n])
    }

    /// The way back, with the trace going on after a cycle or not.
    pub(super) fn refined(&self, cut: Option<u64>) -> Refined {
        let chip = ChipSpec::preset("hd7970").expect("a preset");
        let words = self.insts.iter().flat_map(|i| encode(i).as_slice().to_vec());
        let code = Code::new(0, words.collect(), &Config::new(&chip).expect("compute units"));
        let waves = [Arrival::default()];
        let subject = Subject {
            code: &code,
            kernel: 0,
            given: GIVEN,
            lds_bytes: LDS,
            cu: 0,
            lds: 0,
            lds_before: &[],
            waves: &waves,
            cut,
            continues: self.before.as_ref().map(|(_, cycle)| *cycle),
        };
        let mut refined = Refined::default();
        back(&subject, &self.trace, &launches(), &mut refined);
        refined
    }
}

fn launches() -> Launches {
    let mut launches = Launches::default();
    launches.begin(0, "kernel");
    launches
}

/// Bit-cycles of a tally.
pub(super) fn sum(tally: &Tally) -> u64 {
    tally.by_kernel(&launches(), 1000)[0]
}

/// `to = from`
pub(super) fn mov(to: u8, from: Operand) -> Inst {
    inst("v_mov_b32", Vgpr(to), &[from])
}

/// Stores a register to the buffer; of so many bits.
pub(super) fn store(data: u8, bits: u32) -> Inst {
    let name = match bits {
        8 => "buffer_store_byte",
        16 => "buffer_store_short",
        _ => "buffer_store_dword",
    };
    inst(name, Nothing, &[Vgpr(0), Sgpr(4), Int(0), Vgpr(data)])
}

/// Stores a register to LDS at the address in another.
pub(super) fn put(address: u8, data: u8) -> Inst {
    inst("ds_write_b32", Nothing, &[Vgpr(address), Vgpr(data)])
}

/// Loads a register from LDS.
pub(super) fn get(to: u8, address: u8, offset: u16) -> Inst {
    let detail = Detail::Share(Share { offset, gds: false });
    Inst { detail, ..inst("ds_read_b32", Vgpr(to), &[Vgpr(address)]) }
}
