//! Local data share: banks, conflicts, and what instructions do there.

use upset_gcn::sem::share::ShareAccess;
use upset_gcn::trap::TrapKind;
use upset_gcn::wave::each;
use upset_gcn::wave::{Operands, share};
use upset_state::{ByteArray, Probe};

use crate::access::{Access, Way};
use crate::code::Op;
use crate::config::Config;
use crate::counters::Counter;
use crate::cu::Cu;
use crate::group::Cx;
use crate::todo::Todo;
use crate::view::View;
use crate::witness::Stage;

impl Cu {
    /// An LDS instruction issues: addresses and data are read.
    pub(crate) fn issue_share<P: Probe>(
        &mut self,
        s: usize,
        slot: u32,
        op: &Op,
        cx: &mut Cx<'_, P>,
    ) -> Result<(), TrapKind> {
        share::operation(&op.inst)?;
        let wave = &self.waves[slot as usize];
        let group = self.groups.get(wave.group as usize).and_then(Option::as_ref);
        let bytes = group.map_or(0, |g| g.taken);
        let view = View::of(&self.simds[s], wave);
        let located = share::locate(&view, &op.inst, bytes)?;
        let pc = wave.pc.wrapping_sub(cx.kernel.code.base) as u32;
        let index = self.accesses.take();
        let a = &mut self.accesses[index];
        a.begin(slot, pc, &op.inst, Way::Share);
        bring(&view, a, &located);
        let cost = cost(a, &located, cx.config);
        match &mut a.share {
            Some(to) => **to = located,
            none => *none = Some(Box::new(located)),
        }
        self.tell_step(index, Stage::Begun { slot }, cx);
        if P::GHOSTS {
            self.haunt_bring(index, cx);
        }
        let wave = &mut self.waves[slot as usize];
        wave.in_flight += 1;
        wave.counters.raise(op.inst.raises());
        let port = s / cx.config.core.lds.simds_per_way.max(1) as usize % self.share_free.len();
        let when = self.share_free[port].max(cx.now + 1);
        self.share_free[port] = when + u64::from(cost);
        self.accesses[index].late = cost;
        self.todo.push(when, Todo::Share(index));
        Ok(())
    }

    /// An LDS instruction has its turn.
    pub(crate) fn access_share<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        self.tell_step(index, Stage::Shared, cx);
        let stored = match P::GHOSTS {
            true => self.haunt_share(index, cx),
            false => Vec::new(),
        };
        let Cu { accesses, lds, waves, groups, .. } = self;
        let a = &mut accesses[index];
        let place = waves[a.slot as usize].group as usize;
        let base = groups.get(place).and_then(Option::as_ref).map_or(0, |g| g.lds);
        access(a, lds, base, cx.now, cx.probe);
        let late = u64::from(a.late.saturating_sub(1));
        if P::GHOSTS && !stored.is_empty() {
            self.haunt_shared(stored, cx);
        }
        let after = u64::from(cx.config.core.lds.latency) + late;
        self.todo.push(cx.now + after, Todo::Complete(index));
    }

    /// The result of an LDS instruction goes to the registers.
    pub(crate) fn complete_share<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        let lanes = self.accesses[index].share.as_ref().map_or(0, |l| l.active);
        self.write_returned(index, lanes, cx);
        self.finish(index, Counter::Lgkm, 1, cx);
    }
}

/// Reads what an instruction brings from registers; of an exchange between
/// lanes that is the result.
pub(crate) fn bring(view: &impl Operands, a: &mut Access, located: &share::Located) {
    let Ok(op) = share::operation(&a.inst) else { return };
    match op.access {
        ShareAccess::Read { .. } | ShareAccess::FromLds(_) => {}
        ShareAccess::Swizzle => a.returned.words[0] = share::swizzle(view, &a.inst),
        ShareAccess::Write | ShareAccess::Atomic(_) | ShareAccess::Count(_) => {
            let compares = matches!(op.access, ShareAccess::Atomic(_));
            for lane in each(located.active) {
                for element in 0..located.elements.min(2) {
                    a.operands[element][lane] = share::data(view, &a.inst, element, lane);
                }
                if compares {
                    a.operands[2][lane] = share::compare(view, &a.inst, lane);
                }
            }
        }
    }
}

/// Bytes as a number.
pub(crate) fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b))
}

/// Carries out an access to LDS that begins at byte `base`.
fn access<P: Probe>(a: &mut Access, lds: &mut ByteArray, base: u32, now: u64, probe: &mut P) {
    let Ok(op) = share::operation(&a.inst) else { return };
    let Some(located) = &a.share else { return };
    let len = usize::from(located.bytes);
    let at = |element: usize, lane: usize| (base + located.addrs[element][lane]) as usize;
    match op.access {
        ShareAccess::Swizzle => {}
        ShareAccess::Read { .. } => {
            a.returned.words[..4].fill([[0; 32]; 2]);
            for element in 0..located.elements {
                for lane in each(located.lanes[element]) {
                    let bytes = lds.read(now, at(element, lane), len, probe).unwrap_or(&[]);
                    let value = op.extend(number(bytes));
                    if len == 8 {
                        a.returned.set64(2 * element, lane, value);
                    } else {
                        a.returned.set(element, lane, value as u32);
                    }
                }
            }
        }
        ShareAccess::Write => {
            for element in 0..located.elements {
                for lane in each(located.lanes[element]) {
                    let bytes = a.operands[element][lane].to_le_bytes();
                    lds.write(now, at(element, lane), &bytes[..len], probe);
                }
            }
        }
        ShareAccess::Atomic(f) | ShareAccess::Count(f) => {
            a.returned.words[..4].fill([[0; 32]; 2]);
            for element in 0..located.elements {
                for lane in each(located.lanes[element]) {
                    let to = at(element, lane);
                    let old = number(lds.read(now, to, len, probe).unwrap_or(&[]));
                    let new = f(old, a.operands[element][lane], a.operands[2][lane]);
                    lds.write(now, to, &new.to_le_bytes()[..len], probe);
                    if len == 8 {
                        a.returned.set64(2 * element, lane, old);
                    } else {
                        a.returned.set(element, lane, old as u32);
                    }
                }
            }
            if let ShareAccess::Count(_) = op.access {
                // All lanes get what the first one found.
                let first = located.active.trailing_zeros() as usize & 63;
                let found = a.returned.words[0][first / 32][first % 32];
                a.returned.words[0] = [[found; 32]; 2];
            }
        }
        ShareAccess::FromLds(f) => {
            for lane in each(located.lanes[0]) {
                let operand = match located.lanes[1] >> lane & 1 {
                    1 => number(lds.read(now, at(1, lane), len, probe).unwrap_or(&[])),
                    _ => 0,
                };
                let to = at(0, lane);
                let old = number(lds.read(now, to, len, probe).unwrap_or(&[]));
                let new = f(old, operand, 0);
                lds.write(now, to, &new.to_le_bytes()[..len], probe);
            }
        }
    }
}

/// Cycles for which an instruction keeps its way into LDS.
fn cost(a: &Access, located: &share::Located, config: &Config) -> u32 {
    let lds = &config.core.lds;
    let Ok(op) = share::operation(&a.inst) else { return 4 };
    let words = (u32::from(located.bytes).div_ceil(4) * located.elements.max(1) as u32).max(1);
    let compares = a.inst.row.src[2].kind.dwords > 0 && located.elements == 1;
    let of = |one: u32, two: u32, four: u32| match words {
        1 => one,
        2 => two,
        _ => four,
    };
    let (base, serial) = match op.access {
        ShareAccess::Read { .. } => (of(lds.read_1, lds.read_2, lds.read_4), false),
        ShareAccess::Swizzle => return lds.read_1,
        ShareAccess::Write => (of(lds.write_1, lds.write_2, lds.write_4), false),
        ShareAccess::Atomic(_) if compares => {
            (of(lds.compare_1, lds.compare_2, lds.compare_2), true)
        }
        _ => (of(lds.atomic_1, lds.atomic_2, lds.atomic_2), true),
    };
    // Without conflicts each group of lanes takes two cycles of it.
    let group = if located.bytes > 4 { 16 } else { 32 };
    let mut extra = 0;
    for element in 0..located.elements {
        for first in (0..64).step_by(group) {
            let degree = conflicts(located, element, first, group, serial, config);
            extra += degree.saturating_sub(2);
        }
    }
    base + extra
}

/// How many accesses the most wanted bank has from a group of lanes; the same
/// dword is read once for all.
fn conflicts(
    located: &share::Located,
    element: usize,
    first: usize,
    group: usize,
    serial: bool,
    config: &Config,
) -> u32 {
    let lds = &config.core.lds;
    let (banks, width) = (lds.banks.max(1), lds.bank_bytes.max(1));
    let lanes = located.lanes[element] >> first & ((1 << group) - 1);
    let mut seen: [u32; 64] = [0; 64];
    let mut count = 0;
    let mut per_bank = [0u8; 64];
    let mut most = 0;
    for lane in each(lanes) {
        let word = located.addrs[element][first + lane] / width;
        if !serial && seen[..count].contains(&word) {
            continue;
        }
        seen[count] = word;
        count += 1;
        let bank = &mut per_bank[(word % banks) as usize % 64];
        *bank += 1;
        most = most.max(u32::from(*bank));
    }
    most
}
