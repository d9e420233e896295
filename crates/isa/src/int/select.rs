//! Copies and choices: `MOV`, `SEL`.

use super::ones;
use crate::{Results, Sources, WARP};

/// `MOV`: B.
pub fn mov(_: u32, s: &Sources<'_>, r: &mut Results) {
    r.d[0] = *s.b();
}

/// `MOV` of some lanes of each quad: lane `n` takes B if bit `n % 4` of `mods`
/// is set, else keeps C (the destination's old value).
pub fn mov_quad_lanes(mods: u32, s: &Sources<'_>, r: &mut Results) {
    let (b, c) = (s.b(), s.c());
    for i in 0..WARP {
        r.d[0][i] = if mods >> (i % 4) & 1 == 1 { b[i] } else { c[i] };
    }
}

/// `SEL`: A in the lanes of predicate source 0, else B.
pub fn sel(_: u32, s: &Sources<'_>, r: &mut Results) {
    let (a, b, take) = (s.a(), s.b(), ones(s.p[0]));
    for i in 0..WARP {
        let mask = 0u32.wrapping_sub(take[i]);
        r.d[0][i] = a[i] & mask | b[i] & !mask;
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::operands;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn choices(o in operands(), quad in 0u32..16) {
            let (m, q, c) = (o.run(mov, 0), o.run(mov_quad_lanes, quad), o.run(sel, 0));
            for lane in 0..WARP {
                let [a, _, b, _, old, _] = o.lane(lane);
                prop_assert_eq!(m.d[0][lane], b);
                let kept = quad & (1 << (lane & 3)) == 0;
                prop_assert_eq!(q.d[0][lane], if kept { old } else { b });
                prop_assert_eq!(c.d[0][lane], if o.preds(lane)[0] { a } else { b });
            }
        }
    }
}
