//! Scalar memory reads: where they read, and where the data goes.

use super::reg::{Operands, Reg};
use super::value::scalar32;
use crate::inst::{Detail, Inst};
use crate::sem::Does;

/// What a scalar read wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ScalarAddress {
    /// The first byte, a multiple of four.
    pub addr: u64,
    /// So many dwords from there on.
    pub dwords: u8,
    /// Only the first so many of them begin in the buffer; the others are
    /// zero, and no memory is read for them.
    pub in_range: u8,
}

/// Where an instruction reads; nowhere if it is no scalar read.
///
/// The two lowest bits of base and offset are ignored (CLRX; AMD's later
/// manuals).
pub fn locate(ops: &impl Operands, inst: &Inst) -> ScalarAddress {
    let Does::ScalarRead { buffer } = inst.row.does else {
        return ScalarAddress::default();
    };
    let dwords = inst.row.dst.kind.dwords;
    let offset = match inst.detail {
        Detail::Scalar(scalar) => scalar.offset.map(|dwords| 4 * u32::from(dwords)),
        _ => None,
    };
    let offset = u64::from(offset.unwrap_or_else(|| scalar32(ops, inst.src[1])) & !3);
    let word = |n| Reg::of(inst.src[0], n).map_or(0, |reg| u64::from(ops.scalar(reg)));
    let base = word(0) | word(1) << 32;
    if !buffer {
        return ScalarAddress { addr: (base & !3).wrapping_add(offset), dwords, in_range: dwords };
    }
    let left = size(base, word(2)).saturating_sub(offset).div_ceil(4);
    ScalarAddress {
        addr: (base & BASE & !3) + offset,
        dwords,
        in_range: left.min(u64::from(dwords)) as u8,
    }
}

/// A descriptor's base address.
const BASE: u64 = (1 << 48) - 1;
/// The stride, which stands above it.
const STRIDE: u64 = (1 << 14) - 1;

/// Bytes of a buffer. AMD's manuals up to RDNA 2 print a size without the
/// stride as a factor; the descriptor's own table and later manuals have it.
fn size(first_words: u64, records: u64) -> u64 {
    match first_words >> 48 & STRIDE {
        0 => records,
        stride => stride * records,
    }
}

/// Registers that the data of a scalar read (or the clock) goes to.
pub fn results(inst: &Inst, data: &[u32]) -> impl Iterator<Item = (Reg, u32)> {
    let to = inst.dst;
    let dwords = usize::from(inst.row.dst.kind.dwords);
    let words = data.iter().take(dwords).zip(0u8..);
    words.filter_map(move |(&word, n)| Reg::of(to, n).map(|reg| (reg, word)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inst::Scalar;
    use crate::operand::Operand::{None as NoOperand, Sgpr, VccLo};
    use crate::wave::testing::{Registers, inst};

    /// At an offset in dwords, or at one in bytes in s20.
    fn read(name: &str, offset: Option<u8>) -> Inst {
        let src = if offset.is_some() { NoOperand } else { Sgpr(20) };
        let detail = Detail::Scalar(Scalar { offset });
        Inst { detail, ..inst(name, Sgpr(32), &[Sgpr(8), src]) }
    }

    fn registers(base: [u32; 4], offset: u32) -> Registers {
        let mut registers = Registers::default();
        registers.sgprs[8..12].copy_from_slice(&base);
        registers.sgprs[20] = offset;
        registers
    }

    #[test]
    fn an_address_is_base_and_offset_without_their_lowest_bits() {
        let r = registers([0x1000_0003, 0xff_0012, 0, 0], 0x107);
        let at = |addr, dwords| ScalarAddress { addr, dwords, in_range: dwords };
        let base = 0xff_0012_1000_0000;
        assert_eq!(locate(&r, &read("s_load_dword", Some(255))), at(base + 1020, 1));
        assert_eq!(locate(&r, &read("s_load_dwordx2", None)), at(base + 0x104, 2));
        assert_eq!(locate(&r, &read("s_load_dwordx16", None)), at(base + 0x104, 16));
        let top = registers([0xffff_fffc, 0xffff_ffff, 0, 0], 8);
        assert_eq!(locate(&top, &read("s_load_dwordx4", None)), at(4, 4));
    }

    #[test]
    fn dwords_beyond_a_buffer_are_told() {
        // 42 bytes: the eleventh dword begins in the buffer.
        let bytes = |offset| registers([0x2000, 0x1234, 42, 0], offset);
        for (offset, in_range) in
            [(0, 8), (12, 8), (15, 8), (16, 7), (40, 1), (43, 1), (44, 0), (!0, 0)]
        {
            let found = locate(&bytes(offset), &read("s_buffer_load_dwordx8", None));
            let addr = 0x1234_0000_2000 + u64::from(offset & !3);
            assert_eq!(found, ScalarAddress { addr, dwords: 8, in_range });
        }
        let found = locate(&bytes(0), &read("s_buffer_load_dwordx16", Some(2)));
        assert_eq!((found.addr, found.in_range), (0x1234_0000_2008, 9));
    }

    #[test]
    fn records_are_as_long_as_the_stride_says() {
        // Five records of 120 bytes; the flags above the stride are no part of it.
        let r = registers([0, 0xc000_0000 | 120 << 16, 5, !0], 592);
        assert_eq!(locate(&r, &read("s_buffer_load_dwordx4", None)).in_range, 2);
        assert_eq!(locate(&r, &read("s_buffer_load_dwordx4", Some(146))).in_range, 4);
        let empty = registers([0, 120 << 16, 0, 0], 0);
        assert_eq!(locate(&empty, &read("s_buffer_load_dword", None)).in_range, 0);
    }

    #[test]
    fn what_reads_no_memory_is_nowhere() {
        let r = registers([4, 4, 4, 4], 4);
        assert_eq!(locate(&r, &inst("s_memtime", Sgpr(0), &[])), ScalarAddress::default());
    }

    #[test]
    fn data_goes_to_registers_in_order() {
        let data: Vec<u32> = (100..116).collect();
        let wide: Vec<_> = results(&read("s_load_dwordx16", None), &data).collect();
        let expected: Vec<_> = (0..16).map(|n| (Reg::Sgpr(32 + n), 100 + u32::from(n))).collect();
        assert_eq!(wide, expected);
        let time: Vec<_> = results(&inst("s_memtime", VccLo, &[]), &data).collect();
        assert_eq!(time, [(Reg::Vcc(0), 100), (Reg::Vcc(1), 101)]);
    }
}
