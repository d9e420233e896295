//! A module's code, decoded once.

use upset_gcn::inst::Inst;
use upset_gcn::trap::TrapKind;

/// Code at its address.
pub struct WaveCode {
    base: u64,
    /// What begins at each dword, with its length in bytes.
    insts: Vec<Result<(Inst, u32), TrapKind>>,
}

impl WaveCode {
    /// Decodes what lies at an address.
    pub fn new(base: u64, words: &[u32]) -> WaveCode {
        let at = |i: usize| match upset_gcn::decode(&words[i..]) {
            Ok(inst) => Ok((inst, inst.length() as u32)),
            Err(_) => Err(TrapKind::Illegal(words[i])),
        };
        WaveCode { base, insts: (0..words.len()).map(at).collect() }
    }

    /// The instruction at an address.
    #[inline]
    pub(super) fn at(&self, pc: u64) -> Result<&(Inst, u32), TrapKind> {
        let outside = || TrapKind::PcOutOfRange(pc);
        let i = usize::try_from(pc.wrapping_sub(self.base) / 4).map_err(|_| outside())?;
        match self.insts.get(i).filter(|_| pc.is_multiple_of(4)) {
            Some(Ok(found)) => Ok(found),
            Some(Err(kind)) => Err(kind.clone()),
            None => Err(outside()),
        }
    }
}
