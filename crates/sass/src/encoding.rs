//! The two encodings of machine code.

use upset_isa::{Ctl, Inst};

use crate::{Arch, LowerError, Word, decode, disasm, kepler};

/// How the code of a compute capability is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// 64-bit words in groups of eight, sm_35 and sm_37: [`kepler`].
    Kepler,
    /// 128-bit words, sm_70 and newer.
    Volta(Arch),
}

impl Encoding {
    /// The capabilities whose code is decoded, for people.
    pub const DECODED: &str = "sm_35, sm_37, sm_70, sm_75, sm_80 and sm_90";

    /// The encoding that the compute capability `sm` uses.
    pub fn from_number(sm: u32) -> Option<Encoding> {
        match sm {
            35 | 37 => Some(Encoding::Kepler),
            _ => Arch::from_number(sm).map(Encoding::Volta),
        }
    }

    /// What the bits of a slot do. Of 64-bit words, the byte above them is theirs
    /// of a control word.
    pub fn lower(self, bits: u128) -> Result<Inst, LowerError> {
        match self {
            Encoding::Kepler => {
                let decoded = kepler::decode(kepler::Word(bits as u64));
                let inst = decoded.map_err(|_| LowerError::IllegalEncoding)?.lower()?;
                Ok(Inst { ctl: Ctl::of_control_byte((bits >> 64) as u8), ..inst })
            }
            Encoding::Volta(arch) => {
                let decoded = decode(Word(bits), arch);
                decoded.map_err(|_| LowerError::IllegalEncoding)?.lower()
            }
        }
    }

    /// The bits of a slot as text; none where they are no instruction.
    pub fn text(self, bits: u128, pc: u64) -> Option<String> {
        match self {
            Encoding::Kepler => {
                let decoded = kepler::decode(kepler::Word(bits as u64)).ok()?;
                Some(kepler::disasm::text(&decoded, pc))
            }
            Encoding::Volta(arch) => Some(disasm::text(&decode(Word(bits), arch).ok()?, pc)),
        }
    }

    /// A listing of code.
    pub fn listing(self, code: &[u8]) -> String {
        match self {
            Encoding::Kepler => kepler::disasm::listing(code),
            Encoding::Volta(arch) => disasm::listing(code, arch),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_have_their_encodings() {
        assert_eq!(Encoding::from_number(35), Some(Encoding::Kepler));
        assert_eq!(Encoding::from_number(37), Some(Encoding::Kepler));
        assert_eq!(Encoding::from_number(86), Some(Encoding::Volta(Arch::Sm80)));
        // Fermi, GK104 and Maxwell have encodings of their own.
        assert!([20, 30, 52].into_iter().all(|sm| Encoding::from_number(sm).is_none()));
    }
}
