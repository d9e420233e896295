//! Moves and choices.

use crate::sem::scalar::{Results, Sources};

fn value(value: u64) -> Results {
    Results::new(value, false)
}

/// The 16-bit constant, its sign extended to 32 bits.
fn constant(s: &Sources) -> u64 {
    u64::from(s.imm as i16 as i32 as u32)
}

/// `s_mov_b32`, `s_mov_b64`.
pub fn mov(s: &Sources) -> Results {
    value(s.a)
}

/// `s_movk_i32`.
pub fn movk(s: &Sources) -> Results {
    value(constant(s))
}

/// `s_cmov_b32`, `s_cmov_b64`: the old value stays where SCC is not set.
pub fn cmov(s: &Sources) -> Results {
    value(if s.scc { s.a } else { s.old })
}

/// `s_cmovk_i32`.
pub fn cmovk(s: &Sources) -> Results {
    value(if s.scc { constant(s) } else { s.old })
}

/// `s_cselect_b32`, `s_cselect_b64`.
pub fn cselect(s: &Sources) -> Results {
    value(if s.scc { s.a } else { s.b })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scc_chooses() {
        let s = |scc, imm| Sources { a: 1, b: 2, old: 3, imm, scc, exec: 0 };
        assert_eq!([mov(&s(true, 9)).value, mov(&s(false, 9)).value], [1, 1]);
        assert_eq!([cmov(&s(true, 9)).value, cmov(&s(false, 9)).value], [1, 3]);
        assert_eq!([cselect(&s(true, 9)).value, cselect(&s(false, 9)).value], [1, 2]);
        assert_eq!([cmovk(&s(true, 9)).value, cmovk(&s(false, 9)).value], [9, 3]);
        assert_eq!(movk(&s(false, 0x7fff)).value, 0x7fff);
        assert_eq!(movk(&s(false, 0x8000)).value, 0xffff_8000);
        assert_eq!(cmovk(&s(true, 0xffff)).value, 0xffff_ffff);
    }
}
