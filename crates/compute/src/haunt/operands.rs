//! Operands as a ghost has them.

use upset_isa::trap::TrapKind;
use upset_isa::warp::{Operands, guarded, pred};
use upset_isa::{Codes, Exec, Inst, Lanes, Mask, PT, URZ, WARP};
use upset_state::Ghosts;
use upset_state::words::Words;

use super::shadows::Issuing;
use super::whose::Whose;
use crate::view::{Constants, View, described};

/// Whether an instruction reads condition codes.
pub(super) fn reads_codes(inst: &Inst) -> bool {
    match inst.exec {
        Exec::ReadPreds { cc, .. } | Exec::WritePreds { cc, .. } => cc,
        Exec::AluCodes { .. } => true,
        Exec::Flow(_) => inst.mods != 0,
        _ => false,
    }
}

/// A row with a difference.
pub(super) fn lanes_of(row: &Lanes, words: &Words) -> Lanes {
    std::array::from_fn(|l| row[l] ^ words[l])
}

/// Operands as a ghost has them.
pub(super) struct GhostView<'a> {
    right: &'a View<'a>,
    rows: Vec<(u8, Lanes)>,
    preds: [Mask; 8],
    upreds: [Mask; 8],
    uregs: [u32; 64],
    codes: Option<Codes>,
    constants: Constants,
}

impl Operands for GhostView<'_> {
    fn row(&self, r: u8) -> &Lanes {
        match self.rows.iter().find(|(n, _)| *n == r) {
            Some((_, row)) => row,
            None => self.right.row(r),
        }
    }
    fn preds(&self) -> &[Mask; 8] {
        &self.preds
    }
    fn codes(&self) -> Option<&Codes> {
        self.codes.as_ref()
    }
    fn upreds(&self) -> &[Mask; 8] {
        &self.upreds
    }
    fn ureg(&self, r: u8) -> u32 {
        if r >= URZ { 0 } else { self.uregs[usize::from(r)] }
    }
    fn constant(&self, bank: u8, offset: i64) -> Result<u32, TrapKind> {
        self.constants.word(bank, offset)
    }
    fn bindless(&self, ureg: u8, offset: i64) -> Result<u32, TrapKind> {
        self.constants.word(described(ureg), offset)
    }
}

impl<'a> GhostView<'a> {
    pub(super) fn new(
        right: &'a View<'a>,
        inst: &Inst,
        whose: Whose,
        g: &Ghosts,
        ghost: u32,
        issuing: Option<&Issuing>,
    ) -> Self {
        let mut this = GhostView {
            right,
            rows: Vec::new(),
            preds: *right.preds,
            upreds: *right.upreds,
            uregs: *right.uregs,
            codes: right.codes.copied(),
            constants: *right.constants,
        };
        crate::regfile::operands::each_register(inst, |r| {
            let known = this.rows.iter().any(|(n, _)| *n == r);
            if let (false, Some(words)) = (known, g.of_ghost(whose.place(r), ghost)) {
                this.rows.push((r, lanes_of(right.row(r), words)));
            }
        });
        crate::regfile::operands::each_uniform(inst, |r| {
            let (place, word) = whose.ureg(r);
            if let Some(words) = g.of_ghost(place, ghost) {
                this.uregs[usize::from(r)] = right.uregs[usize::from(r)] ^ words[word];
            }
        });
        for p in 0..PT {
            let at = usize::from(p);
            if let Some(words) = g.of_ghost(whose.pred(p), ghost) {
                this.preds[at] = right.preds[at] ^ words[0];
            }
            if let Some(words) = g.of_ghost(whose.upred(p), ghost) {
                this.upreds[at] = right.upreds[at] ^ words[0];
            }
        }
        for (flag, code) in this.codes.iter_mut().flatten().enumerate() {
            *code ^= g.of_ghost(whose.code(flag), ghost).map_or(0, |words| words[0]);
        }
        let constants = issuing.map_or(&[][..], |issuing| &issuing.constants);
        for &(_, number, xor) in constants.iter().filter(|c| c.0 == ghost) {
            this.constants.change(number, xor);
        }
        this
    }

    /// Whether an operand differs in these lanes.
    pub(super) fn differs(&self, inst: &Inst, lanes: Mask, has_constants: bool) -> bool {
        let mut differs = has_constants;
        crate::regfile::operands::each_register(inst, |r| {
            let (a, b) = (self.row(r), self.right.row(r));
            differs |= (0..WARP).any(|l| lanes >> l & 1 == 1 && a[l] != b[l]);
        });
        crate::regfile::operands::each_uniform(inst, |r| {
            differs |= self.ureg(r) != self.right.ureg(r)
        });
        differs || self.predicates_differ(inst, lanes) || self.codes_differ(inst, lanes)
    }

    /// Whether a bindless constant lies elsewhere.
    pub(super) fn binds_elsewhere(&self, inst: &Inst) -> bool {
        let mut differs = false;
        crate::regfile::operands::each_descriptor(inst, |r| {
            differs |= self.ureg(r) != self.right.ureg(r)
        });
        differs
    }

    /// Whether an operand differs where somebody reads it.
    pub(super) fn is_used(&self, inst: &Inst, active: Mask, has_constants: bool) -> bool {
        let mask = guarded(self.right, inst.guard, active);
        let all = matches!(inst.exec, Exec::ReadPreds { .. }) && self.all_differ(inst, mask);
        mask != guarded(self, inst.guard, active)
            || mask != 0 && (all || self.differs(inst, mask, has_constants))
    }

    /// Whether any predicate of those that the instruction works on differs in these lanes.
    fn all_differ(&self, inst: &Inst, lanes: Mask) -> bool {
        let (own, right, lanes) = match inst.uniform {
            true => (&self.upreds, self.right.upreds, Mask::MAX),
            false => (&self.preds, self.right.preds, lanes),
        };
        own.iter().zip(right).any(|(a, b)| (a ^ b) & lanes != 0)
    }

    /// Whether condition codes that it reads differ in these lanes.
    fn codes_differ(&self, inst: &Inst, lanes: Mask) -> bool {
        let both = self.codes.iter().flatten().zip(self.right.codes.into_iter().flatten());
        reads_codes(inst) && both.into_iter().any(|(a, b)| (a ^ b) & lanes != 0)
    }

    pub(super) fn predicates_differ(&self, inst: &Inst, lanes: Mask) -> bool {
        inst.psrc.iter().any(|&p| (pred(self, p) ^ pred(self.right, p)) & lanes != 0)
    }
}
