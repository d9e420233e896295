//! What will matter of a work-group's registers and LDS, on the way back.

use upset_cu::Issued;
use upset_gcn::wave::WAVE;
use upset_lanes::{Lanes, WARP};
use upset_state::Kind;

use super::held::{Given, Place};
use super::written::Written;
use crate::clock::Launches;
use crate::hot::ValueOrigin;
use crate::live::{LiveRow, LiveWord};
use crate::needs::{Need, Needs};
use crate::refined::Refined;
use crate::result::VCC;

/// A wave of the work-group.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arrival {
    /// It has issued something.
    pub(crate) came: bool,
    slot: u32,
    /// Its SIMD unit, and its first rows there.
    simd: u32,
    first_row: u32,
    first_sgpr: u32,
    /// When its vector and scalar registers, M0 and SCC were last written
    /// before that.
    vector: Vec<u64>,
    scalar: Vec<u64>,
    m0: u64,
    scc: u64,
}

impl Arrival {
    /// A wave with its first instruction.
    pub(crate) fn new(i: &Issued<'_>, written: &Written) -> Arrival {
        let wave = i.operands.wave;
        let of = |kind, instance, first, count| written.of(kind, instance, first, count);
        let one = |kind| of(kind, i.cu, i.slot, 1)[0];
        Arrival {
            came: true,
            slot: i.slot,
            simd: i.simd,
            first_row: wave.first_row,
            first_sgpr: wave.first_sgpr,
            vector: of(Kind::Vrf, i.simd, wave.first_row, 2 * wave.vgprs),
            scalar: of(Kind::Srf, i.simd, wave.first_sgpr, wave.sgprs),
            m0: one(Kind::M0),
            scc: one(Kind::Scc),
        }
    }
}

/// Who accounts, and for which instruction.
pub(crate) struct Book<'a> {
    pub(crate) launches: &'a Launches,
    pub(crate) to: &'a mut Refined,
    pub(crate) kernel: u32,
}

impl Book<'_> {
    /// A value of an instruction is dealt with.
    fn spend(&mut self, kind: Kind, pc: Option<u32>, register: Option<u8>, bit_cycles: u64) {
        let place = ValueOrigin { kind, kernel: self.kernel, pc, register };
        self.to.hot.add(place, bit_cycles);
    }
}

/// One wave.
pub(crate) struct WaveLife {
    given: Given,
    /// Two of each vector register.
    rows: Vec<LiveRow>,
    scalars: Vec<LiveWord>,
    m0: LiveWord,
    scc: LiveWord,
    /// EXEC is no array of the analysis: what it comes from matters as it does.
    exec: [Need; 2],
}

impl WaveLife {
    /// A wave of which these bits matter after `until`: none or all.
    pub(crate) fn new(cu: u32, a: &Arrival, given: Given, bits: u32, until: u64) -> WaveLife {
        let word =
            |bits: u32, at: (u32, u32)| LiveWord { need: Need::all(bits), until, spent: 0, at };
        WaveLife {
            given,
            rows: (0..2 * given.vgprs)
                .map(|r| LiveRow::new(bits, until, (a.simd, a.first_row + r)))
                .collect(),
            scalars: (0..given.sgprs).map(|r| word(bits, (a.simd, a.first_sgpr + r))).collect(),
            m0: word(bits, (cu, a.slot)),
            scc: word(bits & 1, (cu, a.slot)),
            exec: [Need::all(bits); 2],
        }
    }

    /// The name of a scalar register: VCC is the last two.
    fn scalar_name(&self, row: u8) -> u8 {
        match self.given.sgprs.saturating_sub(row.into()) {
            2 => VCC,
            1 => VCC + 1,
            _ => row,
        }
    }

    /// A vector register is read at `cycle` in these lanes.
    pub(crate) fn read_vector(
        &mut self,
        n: u8,
        needs: &[Needs; 2],
        lanes: u64,
        cycle: u64,
        book: &mut Book<'_>,
    ) {
        for (half, needs) in needs.iter().enumerate() {
            let mask = (lanes >> (WARP * half)) as u32;
            let row = self.rows.get_mut(2 * usize::from(n) + half).filter(|_| mask != 0);
            if let Some(row) = row {
                row.settle(cycle, &mut book.to.vrf, book.launches);
                row.join(needs, mask);
            }
        }
    }

    /// A half of a vector register is written at `cycle` in these lanes; gives
    /// what matters of it, alone and jointly.
    pub(crate) fn write_vector(
        &mut self,
        (n, half): (u32, usize),
        lanes: u32,
        (cycle, pc): (u64, u32),
        book: &mut Book<'_>,
    ) -> (Lanes, Lanes) {
        let row = self.rows.get_mut(2 * n as usize + half).filter(|_| n < self.given.vgprs);
        let Some(row) = row.filter(|_| lanes != 0) else { return ([0; WARP], [0; WARP]) };
        row.settle(cycle, &mut book.to.vrf, book.launches);
        let taken = row.take(lanes);
        let spent = std::mem::take(&mut row.spent);
        book.spend(Kind::Vrf, Some(pc), Some(n as u8), spent);
        taken
    }

    /// Lanes in which a vector register matters now.
    pub(crate) fn awaited(&self, n: u32) -> u64 {
        let half = |h: usize| self.rows.get(2 * n as usize + h).map_or(0, LiveRow::lanes);
        u64::from(half(0)) | u64::from(half(1)) << 32
    }

    /// A scalar value is read at `cycle`.
    pub(crate) fn read_scalar(
        &mut self,
        place: Place,
        need: Need,
        cycle: u64,
        book: &mut Book<'_>,
    ) {
        let Book { launches, to, .. } = book;
        match place {
            Place::Register(n) => {
                if let Some(word) = self.scalars.get_mut(usize::from(n)) {
                    word.settle(cycle, &mut to.srf, launches);
                    word.need.join(need);
                }
            }
            Place::M0 => {
                self.m0.settle(cycle, &mut to.m0, launches);
                self.m0.need.join(need);
            }
            Place::Scc => {
                self.scc.settle(cycle, &mut to.scc, launches);
                self.scc.need.join(need.map(|bits| bits & 1));
            }
            Place::Exec(half) => self.exec[usize::from(half & 1)].join(need),
        }
    }

    /// A scalar value is written at `cycle`; gives what matters of it.
    pub(crate) fn write_scalar(
        &mut self,
        place: Place,
        (cycle, pc): (u64, u32),
        book: &mut Book<'_>,
    ) -> Need {
        match place {
            Place::Register(n) => {
                let name = self.scalar_name(n);
                let Some(word) = self.scalars.get_mut(usize::from(n)) else {
                    return Need::default();
                };
                word.settle(cycle, &mut book.to.srf, book.launches);
                let spent = std::mem::take(&mut word.spent);
                let need = std::mem::take(&mut word.need);
                book.spend(Kind::Srf, Some(pc), Some(name), spent);
                need
            }
            Place::M0 => {
                self.m0.settle(cycle, &mut book.to.m0, book.launches);
                std::mem::take(&mut self.m0.need)
            }
            Place::Scc => {
                self.scc.settle(cycle, &mut book.to.scc, book.launches);
                std::mem::take(&mut self.scc.need)
            }
            Place::Exec(half) => std::mem::take(&mut self.exec[usize::from(half & 1)]),
        }
    }

    /// EXEC decides on these lanes.
    pub(crate) fn guard(&mut self, lanes: u64) {
        self.exec[0].join(Need::all(lanes as u32));
        self.exec[1].join(Need::all((lanes >> 32) as u32));
    }

    /// What is before its first instruction: values that nobody wrote here, or
    /// that were there at cycle `from`.
    pub(crate) fn end(&mut self, a: &Arrival, from: Option<u64>, book: &mut Book<'_>) {
        let since = |list: &[u64], n: usize| from.unwrap_or(list.get(n).copied().unwrap_or(0));
        for (r, row) in self.rows.iter_mut().enumerate() {
            row.settle(since(&a.vector, r), &mut book.to.vrf, book.launches);
            let spent = std::mem::take(&mut row.spent);
            book.spend(Kind::Vrf, None, Some((r / 2) as u8), spent);
        }
        for r in 0..self.scalars.len() {
            let name = self.scalar_name(r as u8);
            let word = &mut self.scalars[r];
            word.settle(since(&a.scalar, r), &mut book.to.srf, book.launches);
            let spent = std::mem::take(&mut word.spent);
            book.spend(Kind::Srf, None, Some(name), spent);
        }
        self.m0.settle(from.unwrap_or(a.m0), &mut book.to.m0, book.launches);
        self.scc.settle(from.unwrap_or(a.scc), &mut book.to.scc, book.launches);
    }
}

/// A work-group's LDS, byte by byte.
pub(crate) struct LdsLife {
    bytes: Vec<LiveWord>,
}

impl LdsLife {
    /// So many bytes from byte `first` of a compute unit's on.
    pub(crate) fn new(cu: u32, first: u32, count: u32, bits: u32, until: u64) -> LdsLife {
        let byte =
            |n| LiveWord { need: Need::all(bits & 0xff), until, spent: 0, at: (cu, first + n) };
        LdsLife { bytes: (0..count).map(byte).collect() }
    }

    /// The bytes of an element, settled at `cycle`.
    pub(crate) fn element(
        &mut self,
        at: u32,
        len: u8,
        cycle: u64,
        book: &mut Book<'_>,
    ) -> &mut [LiveWord] {
        let at = at as usize;
        let bytes = self.bytes.get_mut(at..at + usize::from(len)).unwrap_or_default();
        for byte in bytes.iter_mut() {
            byte.settle(cycle, &mut book.to.lds, book.launches);
        }
        bytes
    }

    /// Bytes that an instruction wrote.
    pub(crate) fn spent(bytes: &mut [LiveWord], pc: u32, book: &mut Book<'_>) {
        for byte in bytes {
            book.spend(Kind::Lds, Some(pc), None, std::mem::take(&mut byte.spent));
        }
    }

    /// What is before its first access.
    pub(crate) fn end(&mut self, before: &[u64], from: Option<u64>, book: &mut Book<'_>) {
        for (n, byte) in self.bytes.iter_mut().enumerate() {
            let since = from.unwrap_or(before.get(n).copied().unwrap_or(0));
            byte.settle(since, &mut book.to.lds, book.launches);
            book.spend(Kind::Lds, None, None, std::mem::take(&mut byte.spent));
        }
    }
}

/// Needs of these bits in all lanes.
pub(crate) fn all_lanes(bits: u32) -> Box<[Needs; 2]> {
    let needs = Needs::all(&[bits; WARP]);
    Box::new([needs.clone(), needs])
}

/// Needs of each lane.
pub(crate) fn lane_needs(of: impl Fn(usize) -> Need) -> Box<[Needs; 2]> {
    let mut needs = Box::new([Needs::NOTHING; 2]);
    for lane in 0..WAVE {
        needs[lane / WARP].put(lane % WARP, of(lane));
    }
    needs
}
