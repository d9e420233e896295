//! Byte permutation: `PRMT`, modes as PTX `prmt`.

use crate::{Results, Sources, WARP};

/// Modes of [`prmt`], as in the encoding.
pub mod mode {
    /// Four selector nibbles.
    pub const INDEX: u32 = 0;
    /// Four bytes forward from the selected one.
    pub const F4E: u32 = 1;
    /// Four bytes backward from the selected one.
    pub const B4E: u32 = 2;
    /// One byte four times.
    pub const RC8: u32 = 3;
    /// Edge clamp left.
    pub const ECL: u32 = 4;
    /// Edge clamp right.
    pub const ECR: u32 = 5;
    /// One half word twice.
    pub const RC16: u32 = 6;
}

/// The four source bytes (0-3 = A, 4-7 = C) and sign flags (bit 3) of a selector.
#[inline]
fn picks(m: u32, selector: u32) -> [u32; 4] {
    let sel = selector & 3;
    std::array::from_fn(|i| {
        let i = i as u32;
        match m {
            mode::INDEX => selector >> (4 * i) & 15,
            mode::F4E => sel + i,
            mode::B4E => sel.wrapping_sub(i) & 7,
            mode::RC8 => sel,
            mode::ECL => sel.max(i),
            mode::ECR => sel.min(i),
            _ => (sel & 1) * 2 + (i & 1),
        }
    })
}

/// The bytes of `c:a` that `pick` names, with bit 3 = the byte's sign instead.
#[inline]
fn gather(pick: [u32; 4], a: u32, c: u32) -> u32 {
    let x = u64::from(c) << 32 | u64::from(a);
    let mut d = 0;
    for (i, p) in pick.into_iter().enumerate() {
        let byte = (x >> (8 * (p & 7))) as u32 & 0xff;
        // All ones or all zeroes when the sign is asked for.
        let sign = 0u32.wrapping_sub(byte >> 7) & 0xff;
        let v = if p & 8 != 0 { sign } else { byte };
        d |= v << (8 * i);
    }
    d
}

/// `PRMT`: picks bytes of `C:A` by the selector B; `mods` is the mode.
pub fn prmt(mods: u32, s: &Sources<'_>, r: &mut Results) {
    let (a, b, c) = (s.a(), s.b(), s.c());
    for i in 0..WARP {
        r.d[0][i] = gather(picks(mods, b[i]), a[i], c[i]);
    }
}

/// `PRMT` in index mode with the selector in `mods`: each result byte comes
/// from the same place in every lane.
pub fn prmt_fixed(mods: u32, s: &Sources<'_>, r: &mut Results) {
    let mut d = [0; WARP];
    for (n, pick) in picks(mode::INDEX, mods).into_iter().enumerate() {
        let row = if pick & 4 == 0 { s.a() } else { s.c() };
        let (from, to) = (8 * (pick & 3), 8 * n as u32);
        if pick & 8 == 0 {
            for i in 0..WARP {
                d[i] |= (row[i] >> from & 0xff) << to;
            }
        } else {
            for i in 0..WARP {
                let sign = (row[i] << (24 - from)) as i32 >> 31;
                d[i] |= (sign as u32 & 0xff) << to;
            }
        }
    }
    r.d[0] = d;
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Operands, operands};
    use super::*;
    use proptest::prelude::*;

    const BYTES: (u32, u32) = (0x4433_2211, 0x8877_6655);

    /// Result for bytes 0x11, 0x22, … 0x88, as a readable word.
    fn run(m: u32, selector: u32) -> u32 {
        Operands::splat(BYTES.0, selector, BYTES.1).run(prmt, m).d[0][0]
    }

    /// The table in the PTX manual, `prmt` (b3 b2 b1 b0 for selector 0-3).
    #[test]
    fn modes_follow_the_ptx_table() {
        let rows = [
            (mode::F4E, [0x4433_2211, 0x5544_3322, 0x6655_4433, 0x7766_5544]),
            (mode::B4E, [0x6677_8811, 0x7788_1122, 0x8811_2233, 0x1122_3344]),
            (mode::RC8, [0x1111_1111, 0x2222_2222, 0x3333_3333, 0x4444_4444]),
            (mode::ECL, [0x4433_2211, 0x4433_2222, 0x4433_3333, 0x4444_4444]),
            (mode::ECR, [0x1111_1111, 0x2222_2211, 0x3333_2211, 0x4433_2211]),
            (mode::RC16, [0x2211_2211, 0x4433_4433, 0x2211_2211, 0x4433_4433]),
        ];
        for (m, want) in rows {
            for (sel, w) in want.into_iter().enumerate() {
                assert_eq!(run(m, sel as u32), w, "mode {m} selector {sel}");
            }
        }
    }

    proptest! {
        #[test]
        fn index_mode_picks_bytes_or_signs(o in operands()) {
            let out = o.run(prmt, mode::INDEX);
            for lane in 0..WARP {
                let [a, _, b, _, c, _] = o.lane(lane);
                let mut bytes = a.to_le_bytes().to_vec();
                bytes.extend(c.to_le_bytes());
                let want = [0, 1, 2, 3].map(|i| {
                    let n = b >> (4 * i) & 15;
                    let byte = bytes[n as usize % 8];
                    if n < 8 { byte } else { ((byte as i8) >> 7) as u8 }
                });
                prop_assert_eq!(out.d[0][lane].to_le_bytes(), want);
                let one = Operands::splat(a, b, c);
                prop_assert_eq!(one.run(prmt_fixed, b).d[0][0].to_le_bytes(), want);
            }
        }
    }
}
