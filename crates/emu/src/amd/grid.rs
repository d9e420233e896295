//! Runs a launch of waves.

use upset_gcn::inst::Inst;
use upset_gcn::row::Unit;
use upset_gcn::sem::Does;
use upset_gcn::trap::{Trap, TrapKind};
use upset_gcn::wave::{
    Destinations, Memory, Next, Operands, Outcome, WAVE, evaluate, execute_buffer, execute_share,
    scalar_read, write,
};

use super::code::WaveCode;
use super::memory::Global;
use super::wave::Wave;
use crate::launch::{Counts, Limits};
use crate::memory::GlobalMemory;

/// Instructions a wave may run before its neighbours get a turn: large enough
/// to cost nothing, small enough that spinning on a flag ends.
const TURN: u64 = 1 << 16;

/// Everything a launch of waves needs to know.
pub struct WaveGrid<'a> {
    /// Code.
    pub code: &'a WaveCode,
    /// Address of the first instruction.
    pub entry: u64,
    /// Work-groups in x, y, z.
    pub grid: [u32; 3],
    /// Work-items of a work-group in x, y, z.
    pub block: [u32; 3],
    /// Vector registers of a wave.
    pub vgprs: u32,
    /// Scalar registers of a wave, VCC among them.
    pub sgprs: u32,
    /// Bytes of LDS of a work-group.
    pub lds_bytes: u32,
    /// MODE that waves begin with.
    pub mode: u32,
    /// Values that the first scalar registers begin with.
    pub user: &'a [u32],
    /// Which coordinates of the work-group follow them.
    pub group_ids: [bool; 3],
    /// The work-group's size follows those: a word for each wave.
    pub group_size: Option<&'a [u32]>,
    /// The wave's offset into scratch follows that.
    pub scratch_offset: bool,
    /// Coordinates of the work-item in vector registers: one to three.
    pub item_ids: u32,
    /// Bytes of scratch of a wave.
    pub scratch_per_wave: u64,
}

struct Engine<'a> {
    grid: &'a WaveGrid<'a>,
    memory: Global<'a>,
    outcome: Box<Outcome>,
    counts: Counts,
    limits: Limits,
}

/// Runs a launch to its end. `progress` is called now and then with the counts so far.
pub fn run_waves(
    grid: &WaveGrid<'_>,
    memory: &mut GlobalMemory,
    limits: Limits,
    progress: &mut dyn FnMut(&Counts),
) -> Result<Counts, Trap> {
    let total = grid.grid.iter().map(|&n| u64::from(n)).product::<u64>();
    let items = grid.block.iter().product::<u32>();
    let mut waves: Vec<Wave> =
        (0..items.div_ceil(WAVE as u32)).map(|id| Wave::new(id, grid.vgprs, grid.sgprs)).collect();
    let mut lds = vec![0; grid.lds_bytes as usize];
    let (outcome, counts) = (Box::default(), Counts::default());
    let mut engine = Engine { grid, memory: Global(memory), outcome, counts, limits };
    for index in 0..total {
        let [gx, gy, _] = grid.grid.map(|n| u64::from(n.max(1)));
        let id = [(index % gx) as u32, (index / gx % gy) as u32, (index / gx / gy) as u32];
        for wave in &mut waves {
            start(grid, wave, id, items);
        }
        engine.run_group(&mut waves, &mut lds, id)?;
        engine.counts.ctas += 1;
        progress(&engine.counts);
    }
    Ok(engine.counts)
}

/// Fills a wave's first registers.
fn start(grid: &WaveGrid<'_>, wave: &mut Wave, group: [u32; 3], items: u32) {
    let first = wave.id * WAVE as u32;
    let alive = (items - first).min(WAVE as u32);
    wave.exec = if alive == WAVE as u32 { u64::MAX } else { (1 << alive) - 1 };
    (wave.scc, wave.m0, wave.mode, wave.pc) = (0, !0, grid.mode, grid.entry);
    (wave.ended, wave.at_barrier) = (false, false);
    let [bx, by, _] = grid.block.map(|n| n.max(1));
    for lane in 0..WAVE {
        let t = first + lane as u32;
        let ids = [t % bx, t / bx % by, t / bx / by];
        for (r, id) in ids.into_iter().enumerate().take(grid.item_ids as usize) {
            if let Some(row) = wave.vgprs.get_mut(2 * r + lane / 32) {
                row[lane % 32] = id;
            }
        }
    }
    let ids = grid.group_ids.iter().zip(group).filter(|(wanted, _)| **wanted).map(|(_, id)| id);
    let offset = (u64::from(wave.id) * grid.scratch_per_wave) as u32;
    let size = grid.group_size.and_then(|words| words.get(wave.id as usize).copied());
    let user = grid.user.iter().copied().chain(ids).chain(size);
    for (to, value) in wave.sgprs.iter_mut().zip(user.chain(grid.scratch_offset.then_some(offset)))
    {
        *to = value;
    }
}

impl Engine<'_> {
    fn run_group(
        &mut self,
        waves: &mut [Wave],
        lds: &mut [u8],
        group: [u32; 3],
    ) -> Result<(), Trap> {
        loop {
            let mut moved = false;
            for wave in waves.iter_mut() {
                if !wave.ended && !wave.at_barrier {
                    moved |= self.run_wave(wave, lds).map_err(|kind| Trap {
                        kind,
                        pc: wave.pc,
                        group,
                        wave: wave.id,
                    })?;
                }
            }
            if waves.iter().all(|w| w.ended) {
                return Ok(());
            }
            if waves.iter().all(|w| w.ended || w.at_barrier) {
                waves.iter_mut().for_each(|w| w.at_barrier = false);
            } else if !moved {
                let w = waves.iter().find(|w| !w.ended);
                return Err(Trap {
                    kind: TrapKind::Deadlock,
                    pc: w.map_or(0, |w| w.pc),
                    group,
                    wave: w.map_or(0, |w| w.id),
                });
            }
        }
    }

    /// Runs a wave for a while; false if it did nothing.
    fn run_wave(&mut self, wave: &mut Wave, lds: &mut [u8]) -> Result<bool, TrapKind> {
        for turn in 0..TURN {
            let (inst, len) = self.grid.code.at(wave.pc)?;
            self.counts.warp_insts += 1;
            self.counts.thread_insts += u64::from(wave.exec.count_ones());
            let next = wave.pc.wrapping_add(u64::from(*len));
            let skipped =
                wave.mode().vskip() && matches!(inst.row.unit, Unit::Valu | Unit::Vmem | Unit::Lds);
            let after = match skipped {
                true => Next::Step,
                false => self.execute(wave, inst, next, lds)?,
            };
            match after {
                Next::Jump(target) => wave.pc = target & ((1 << 48) - 1),
                Next::End => {
                    wave.ended = true;
                    return Ok(true);
                }
                Next::Barrier => {
                    wave.pc = next;
                    wave.at_barrier = true;
                    return Ok(true);
                }
                Next::Halt => return Ok(turn > 0),
                _ => wave.pc = next,
            }
            if self.counts.warp_insts > self.limits.warp_insts {
                return Err(TrapKind::InstructionLimit(self.limits.warp_insts));
            }
        }
        Ok(true)
    }

    #[inline]
    fn execute(
        &mut self,
        wave: &mut Wave,
        inst: &Inst,
        next: u64,
        lds: &mut [u8],
    ) -> Result<Next, TrapKind> {
        match inst.row.does {
            Does::Buffer(_) => execute_buffer(wave, inst, &mut self.memory, lds)?,
            Does::Share(_) => execute_share(wave, inst, lds)?,
            Does::ScalarRead { .. } => self.scalar_read(wave, inst)?,
            // There is no time here: instructions are counted instead.
            Does::Time => {
                let clock = [self.counts.warp_insts as u32, (self.counts.warp_insts >> 32) as u32];
                for (reg, value) in scalar_read::results(inst, &clock) {
                    wave.write_scalar(reg, value);
                }
            }
            _ => {
                evaluate(wave, inst, next, &mut self.outcome)?;
                write(wave, &self.outcome);
                return Ok(self.outcome.next);
            }
        }
        Ok(Next::Step)
    }

    fn scalar_read(&mut self, wave: &mut Wave, inst: &Inst) -> Result<(), TrapKind> {
        let at = scalar_read::locate(wave, inst);
        let mut bytes = [0; 64];
        let len = 4 * usize::from(at.in_range).min(16);
        self.memory.load(at.addr, &mut bytes[..len]).map_err(TrapKind::MemoryViolation)?;
        let (words, _) = bytes.as_chunks::<4>();
        let words: [u32; 16] = std::array::from_fn(|n| u32::from_le_bytes(words[n]));
        for (reg, value) in scalar_read::results(inst, &words) {
            wave.write_scalar(reg, value);
        }
        Ok(())
    }
}
