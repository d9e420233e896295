//! Operations across the lanes of a warp: `VOTE`, `SHFL`, `MATCH`, `REDUX`.
//! Semantics as in the PTX ISA (`vote.sync`, `shfl.sync`, `match.sync`,
//! `redux.sync`); the participants are the executing lanes.

use crate::{Mask, Results, Sources, WARP};

/// Modes of [`vote`], as in the encoding.
pub mod vote_mode {
    /// Every participant votes yes.
    pub const ALL: u32 = 0;
    /// Some participant votes yes.
    pub const ANY: u32 = 1;
    /// All agree.
    pub const EQ: u32 = 2;
}

/// `VOTE`: the ballot of predicate source 0 and, in predicate 0, its verdict.
pub fn vote(mods: u32, s: &Sources<'_>, r: &mut Results) {
    let ballot = s.p[0] & s.active;
    let verdict = match mods {
        vote_mode::ALL => ballot == s.active,
        vote_mode::ANY => ballot != 0,
        _ => ballot == 0 || ballot == s.active,
    };
    r.d[0] = [ballot; WARP];
    r.p[0] = all_if(verdict);
}

fn all_if(yes: bool) -> Mask {
    if yes { u32::MAX } else { 0 }
}

/// Modes of [`shfl`], as in the encoding.
pub mod shfl_mode {
    /// From the lane B names.
    pub const IDX: u32 = 0;
    /// From B lanes below.
    pub const UP: u32 = 1;
    /// From B lanes above.
    pub const DOWN: u32 = 2;
    /// From the lane whose number differs by xor B.
    pub const BFLY: u32 = 3;
}

/// `SHFL`: A of another lane of the same segment; C holds the clamp in bits
/// 0-4 and the segment mask in bits 8-12. Predicate 0 = the source lane was in
/// range; out of range a lane gets its own A. A source lane that does not
/// execute gives 0 (measured on H200).
pub fn shfl(mods: u32, s: &Sources<'_>, r: &mut Results) {
    let (a, b, c) = (s.a(), s.b(), s.c());
    let mut in_range = 0;
    for i in 0..WARP {
        let lane = i as u32;
        let (step, clamp, segment) = (b[i] & 31, c[i] & 31, c[i] >> 8 & 31);
        let last = lane & segment | clamp & !segment;
        // Below lane 0 wraps to a huge number, which `UP` must refuse.
        let (from, ok) = match mods {
            shfl_mode::IDX => {
                let from = lane & segment | step & !segment;
                (from, from <= last)
            }
            shfl_mode::UP => {
                let from = lane as i32 - step as i32;
                (from as u32, from >= last as i32)
            }
            shfl_mode::DOWN => (lane + step, lane + step <= last),
            _ => (lane ^ step, lane ^ step <= last),
        };
        let from = if ok { from & 31 } else { lane };
        let runs = 0u32.wrapping_sub(s.active >> from & 1);
        r.d[0][i] = a[from as usize] & runs;
        in_range |= u32::from(ok) << i;
    }
    r.p[0] = in_range;
}

/// `MATCH.ANY`: for each lane, the participants with the same A (64 bits; the
/// high words are zero for the 32-bit form).
pub fn match_any(_: u32, s: &Sources<'_>, r: &mut Results) {
    let mut left = s.active;
    r.d[0] = [0; WARP];
    while left != 0 {
        let value = s.a64(left.trailing_zeros() as usize);
        let same = super::mask_where(|i| s.a64(i) == value) & s.active;
        for (i, d) in r.d[0].iter_mut().enumerate() {
            if same >> i & 1 == 1 {
                *d = same;
            }
        }
        left &= !same;
    }
}

/// `MATCH.ALL`: the participants if all have the same A, else 0; predicate 0 says which.
pub fn match_all(_: u32, s: &Sources<'_>, r: &mut Results) {
    let value = s.a64(s.active.trailing_zeros() as usize % WARP);
    let same = super::mask_where(|i| s.a64(i) == value) & s.active == s.active;
    r.d[0] = [if same { s.active } else { 0 }; WARP];
    r.p[0] = all_if(same);
}

/// Operations of [`redux`], as in the encoding.
pub mod redux_op {
    /// Bitwise and.
    pub const AND: u32 = 0;
    /// Bitwise or.
    pub const OR: u32 = 1;
    /// Bitwise xor.
    pub const XOR: u32 = 2;
    /// Wrapping sum.
    pub const SUM: u32 = 3;
    /// Minimum.
    pub const MIN: u32 = 4;
    /// Maximum.
    pub const MAX: u32 = 5;
}

/// `REDUX`: A reduced over the participants; bit 3 of `mods` = signed.
pub fn redux(mods: u32, s: &Sources<'_>, r: &mut Results) {
    let signed = mods & 8 != 0;
    let join = |x: u32, y: u32| match mods & 7 {
        redux_op::AND => x & y,
        redux_op::OR => x | y,
        redux_op::XOR => x ^ y,
        redux_op::SUM => x.wrapping_add(y),
        redux_op::MIN if signed => (x as i32).min(y as i32) as u32,
        redux_op::MIN => x.min(y),
        _ if signed => (x as i32).max(y as i32) as u32,
        _ => x.max(y),
    };
    let all = (0..WARP).filter(|&i| s.active >> i & 1 == 1).map(|i| s.a()[i]);
    r.d[0] = [all.reduce(join).unwrap_or(0); WARP];
}

/// `ELECT`: the lowest participant in predicate source 0: its number, and in
/// predicate 0 that lane only.
pub fn elect(_: u32, s: &Sources<'_>, r: &mut Results) {
    let who = s.active & s.p[0];
    let first = who & who.wrapping_neg();
    r.d[0] = [first.trailing_zeros() & 31; WARP];
    r.p[0] = first;
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Operands, operands};
    use super::*;
    use proptest::prelude::*;

    fn lanes_of(o: &Operands) -> Vec<usize> {
        (0..WARP).filter(|&l| o.active >> l & 1 == 1).collect()
    }

    /// `__shfl_*` with a width, from the CUDA programming guide.
    fn cuda_shuffle(mode: u32, lane: usize, n: usize, width: usize) -> usize {
        let base = lane & !(width - 1);
        let at = lane - base;
        let other = match mode {
            shfl_mode::IDX => Some(base + n % width),
            shfl_mode::UP => at.checked_sub(n).map(|x| base + x),
            shfl_mode::DOWN => (at + n < width).then_some(lane + n),
            // Butterflies may reach lower segments, never higher ones.
            _ => ((lane ^ n) < base + width).then_some(lane ^ n),
        };
        other.unwrap_or(lane)
    }

    proptest! {
        #[test]
        fn shuffles_follow_cuda(
            rows in operands(), mode in 0u32..4, n in 0usize..32, log in 0u32..6,
        ) {
            let width = 1usize << log;
            let clamp = if mode == shfl_mode::UP { 0 } else { 0x1f };
            let c = (32 - width as u32) << 8 | clamp;
            let mut o = rows;
            (o.r[2], o.r[4]) = ([n as u32; WARP], [c; WARP]);
            let out = o.run(shfl, mode);
            for lane in 0..WARP {
                let from = cuda_shuffle(mode, lane, n, width);
                let want = if o.active >> from & 1 == 1 { o.r[0][from] } else { 0 };
                prop_assert_eq!(out.d[0][lane], want, "lane {}", lane);
            }
        }

        #[test]
        fn votes(o in operands()) {
            let yes: Vec<bool> = lanes_of(&o).iter().map(|&l| o.p[0] >> l & 1 == 1).collect();
            let run = |m| o.run(vote, m);
            prop_assert_eq!(run(0).p[0] & 1 == 1, yes.iter().all(|&v| v));
            prop_assert_eq!(run(1).p[0] & 1 == 1, yes.iter().any(|&v| v));
            prop_assert_eq!(run(2).p[0] & 1 == 1, yes.windows(2).all(|w| w[0] == w[1]));
            prop_assert_eq!(run(1).d[0][5], o.active & o.p[0]);
        }

        #[test]
        fn matches(mut o in operands(), few in prop::collection::vec(0u32..3, WARP)) {
            let few: crate::Lanes = std::array::from_fn(|l| few[l]);
            o.r[0] = few;
            o.r[1] = few.map(|v| v / 2);
            let any = o.run(match_any, 0);
            let same = |x: usize, y: usize| o.lane(x)[..2] == o.lane(y)[..2];
            let on = lanes_of(&o);
            for &l in &on {
                let want = on.iter().filter(|&&k| same(l, k)).fold(0u32, |m, &k| m | 1 << k);
                prop_assert_eq!(any.d[0][l], want);
            }
            let all = o.run(match_all, 0);
            let want = on.iter().all(|&k| same(on[0], k));
            prop_assert_eq!(all.p[0], if want { u32::MAX } else { 0 });
            prop_assert_eq!(all.d[0][2], if want { o.active } else { 0 });
        }

        #[test]
        fn reductions(o in operands()) {
            let v: Vec<u32> = lanes_of(&o).iter().map(|&l| o.r[0][l]).collect();
            let run = |m| o.run(redux, m).d[0][0];
            if v.is_empty() {
                prop_assert_eq!(run(redux_op::SUM), 0);
            } else {
                prop_assert_eq!(run(redux_op::SUM), v.iter().fold(0, |a: u32, &x| a.wrapping_add(x)));
                prop_assert_eq!(run(redux_op::AND), v.iter().fold(u32::MAX, |a, x| a & x));
                prop_assert_eq!(run(redux_op::OR), v.iter().fold(0, |a, x| a | x));
                prop_assert_eq!(run(redux_op::XOR), v.iter().fold(0, |a, x| a ^ x));
                prop_assert_eq!(run(redux_op::MIN), *v.iter().min().unwrap());
                prop_assert_eq!(run(redux_op::MAX), *v.iter().max().unwrap());
                let signed = |f: fn(Option<i32>) -> i32, pick: Option<i32>| f(pick) as u32;
                let i = || v.iter().map(|&x| x as i32);
                prop_assert_eq!(run(redux_op::MIN | 8), signed(Option::unwrap, i().min()));
                prop_assert_eq!(run(redux_op::MAX | 8), signed(Option::unwrap, i().max()));
            }
        }
    }
}
