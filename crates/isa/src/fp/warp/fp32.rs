//! Single-precision operations.

use super::mods::{self, sign_masks};
use super::{ADD, FMA, LANE_BIT, MUL, WideOp, set_predicates, wide};
use crate::fp::lane::{self, FmaMode, flush, flush_if};
use crate::fp::{NAN32, Rounding};
use crate::{AluFn, Mask, Results, Sources, WARP};

/// Scale of `FMUL` in its own bits, biased by 4 (`.D8` = 1 … none = 4 … `.M8` = 7).
pub fn mul_scale(code: u32) -> u32 {
    code << mods::OWN
}

/// Sign pattern of `FSWZADD` in its own bits.
pub fn swizzle(pattern: u32) -> u32 {
    pattern << mods::OWN
}

/// `FMNMX.XORSIGN`, in its own bits.
pub const XORSIGN: u32 = 1 << mods::OWN;

fn mode(m: u32, scale: i32) -> FmaMode {
    FmaMode {
        rm: mods::get_rounding(m),
        ftz: m & mods::FTZ != 0,
        fmz: m & mods::FMZ != 0,
        sat: m & mods::SAT != 0,
        scale,
    }
}

fn is_plain(m: u32) -> bool {
    mods::get_rounding(m) == Rounding::Nearest && m & mods::FMZ == 0
}

/// Picks one of the four instances of a fast path by flush and saturation.
macro_rules! by_ftz_sat {
    ($m:expr, $f:ident) => {
        match ($m & mods::FTZ != 0, $m & mods::SAT != 0) {
            (false, false) => $f::<false, false> as AluFn,
            (true, false) => $f::<true, false>,
            (false, true) => $f::<false, true>,
            (true, true) => $f::<true, true>,
        }
    };
}

/// `FADD` for these modifiers.
pub fn fadd(m: u32) -> AluFn {
    if is_plain(m) { by_ftz_sat!(m, add_nearest) } else { wide::<General<ADD>> }
}

/// `FMUL` for these modifiers.
pub fn fmul(m: u32) -> AluFn {
    if is_plain(m) && m >> mods::OWN & 7 == 4 {
        by_ftz_sat!(m, mul_nearest)
    } else {
        wide::<General<MUL>>
    }
}

/// `FFMA` for these modifiers.
pub fn ffma(m: u32) -> AluFn {
    if is_plain(m) { by_ftz_sat!(m, fma_nearest) } else { wide::<General<FMA>> }
}

fn add_nearest<const FTZ: bool, const SAT: bool>(m: u32, s: &Sources<'_>, r: &mut Results) {
    let ((aa, ax), (ba, bx)) = (sign_masks(m, 0), sign_masks(m, 1));
    let (a, b, d) = (s.a(), s.b(), &mut r.d[0]);
    for i in 0..WARP {
        d[i] = lane::add::<FTZ, SAT>(a[i] & aa ^ ax, b[i] & ba ^ bx);
    }
}

fn mul_nearest<const FTZ: bool, const SAT: bool>(m: u32, s: &Sources<'_>, r: &mut Results) {
    let ((aa, ax), (ba, bx)) = (sign_masks(m, 0), sign_masks(m, 1));
    let (a, b, d) = (s.a(), s.b(), &mut r.d[0]);
    let mut edges = 0;
    for i in 0..WARP {
        let (v, edge) = lane::mul_or_edge::<FTZ, SAT>(a[i] & aa ^ ax, b[i] & ba ^ bx);
        d[i] = v;
        edges |= edge;
    }
    if edges >> 31 != 0 {
        for i in 0..WARP {
            d[i] = lane::mul::<FTZ, SAT>(a[i] & aa ^ ax, b[i] & ba ^ bx);
        }
    }
}

fn fma_nearest<const FTZ: bool, const SAT: bool>(m: u32, s: &Sources<'_>, r: &mut Results) {
    wide::<Fma<FTZ, SAT>>(m, s, r);
}

struct Fma<const FTZ: bool, const SAT: bool>;

impl<const FTZ: bool, const SAT: bool> WideOp for Fma<FTZ, SAT> {
    #[inline(always)]
    fn run<const FUSED: bool>(m: u32, s: &Sources<'_>, r: &mut Results) {
        let mut doubts = 0;
        each(m, s, r, |a, b, c| {
            let (v, doubt) = if FUSED {
                lane::fma_or_edge::<FTZ, SAT>(a, b, c)
            } else {
                lane::fma_or_tie::<FTZ, SAT>(a, b, c)
            };
            doubts |= doubt;
            v
        });
        if doubts >> 31 != 0 {
            each(m, s, r, lane::fma::<FTZ, SAT>);
        }
    }
}

/// Runs `f` on the sign-modified A, B, C of every lane.
#[inline(always)]
fn each(m: u32, s: &Sources<'_>, r: &mut Results, mut f: impl FnMut(u32, u32, u32) -> u32) {
    let ((aa, ax), (ba, bx), (ca, cx)) = (sign_masks(m, 0), sign_masks(m, 1), sign_masks(m, 2));
    let (a, b, c) = (s.a(), s.b(), s.c());
    let mut d = [0; WARP];
    for i in 0..WARP {
        d[i] = f(a[i] & aa ^ ax, b[i] & ba ^ bx, c[i] & ca ^ cx);
    }
    r.d[0] = d;
}

/// One of the three with any modifiers.
struct General<const OP: u8>;

impl<const OP: u8> WideOp for General<OP> {
    #[inline(always)]
    fn run<const FUSED: bool>(m: u32, s: &Sources<'_>, r: &mut Results) {
        let scale = if OP == MUL { (m >> mods::OWN & 7) as i32 - 4 } else { 0 };
        let mode = mode(m, scale);
        // A loop for each direction, which it knows.
        match mode.rm {
            Rounding::Nearest => lanes::<OP>(FmaMode { rm: Rounding::Nearest, ..mode }, m, s, r),
            Rounding::Down => lanes::<OP>(FmaMode { rm: Rounding::Down, ..mode }, m, s, r),
            Rounding::Up => lanes::<OP>(FmaMode { rm: Rounding::Up, ..mode }, m, s, r),
            Rounding::Zero => lanes::<OP>(FmaMode { rm: Rounding::Zero, ..mode }, m, s, r),
        }
    }
}

/// As [`each`], written out: a closure of this size is not inlined, and then its loop
/// neither vectorises nor knows the direction.
#[inline(always)]
fn lanes<const OP: u8>(mode: FmaMode, m: u32, s: &Sources<'_>, r: &mut Results) {
    let ((aa, ax), (ba, bx), (ca, cx)) = (sign_masks(m, 0), sign_masks(m, 1), sign_masks(m, 2));
    let (a, b, c) = (s.a(), s.b(), s.c());
    let mut d = [0; WARP];
    for i in 0..WARP {
        let (a, b, c) = (a[i] & aa ^ ax, b[i] & ba ^ bx, c[i] & ca ^ cx);
        d[i] = match OP {
            ADD => mode.add(a, b),
            MUL => mode.mul(a, b),
            _ => mode.fma(a, b, c),
        };
    }
    r.d[0] = d;
}

/// `FMNMX`: predicate source 0 true takes the minimum.
pub fn fmnmx(m: u32) -> AluFn {
    match (m & (mods::NAN | XORSIGN) != 0, m & mods::FTZ != 0) {
        (true, _) => min_max_general,
        (_, false) => min_max::<false>,
        (_, true) => min_max::<true>,
    }
}

fn min_max<const FTZ: bool>(m: u32, s: &Sources<'_>, r: &mut Results) {
    let ((aa, ax), (ba, bx)) = (sign_masks(m, 0), sign_masks(m, 1));
    let (a, b, d, min) = (s.a(), s.b(), &mut r.d[0], s.p[0]);
    for i in 0..WARP {
        let (x, y) = (flush::<FTZ>(a[i] & aa ^ ax), flush::<FTZ>(b[i] & ba ^ bx));
        d[i] = lane::min_max(x, y, min & LANE_BIT[i] == 0);
    }
}

fn min_max_general(m: u32, s: &Sources<'_>, r: &mut Results) {
    let ((aa, ax), (ba, bx)) = (sign_masks(m, 0), sign_masks(m, 1));
    let ftz = m & mods::FTZ != 0;
    for i in 0..WARP {
        let (ra, rb) = (s.a()[i], s.b()[i]);
        let (a, b) = (flush_if(ftz, ra & aa ^ ax), flush_if(ftz, rb & ba ^ bx));
        let nan = |x: u32| x & 0x7fff_ffff > 0x7f80_0000;
        let mut v = lane::min_max(a, b, s.p[0] & LANE_BIT[i] == 0);
        if m & mods::NAN != 0 && (nan(a) || nan(b)) {
            v = NAN32;
        }
        if m & XORSIGN != 0 && !nan(v) {
            v = v & 0x7fff_ffff | (ra ^ rb) & 0x8000_0000;
        }
        r.d[0][i] = v;
    }
}

/// `FSEL`: predicate source 0 true takes A.
pub fn fsel(m: u32) -> AluFn {
    if m & mods::FTZ != 0 { select::<true> } else { select::<false> }
}

fn select<const FTZ: bool>(m: u32, s: &Sources<'_>, r: &mut Results) {
    let ((aa, ax), (ba, bx)) = (sign_masks(m, 0), sign_masks(m, 1));
    let (a, b, d, p) = (s.a(), s.b(), &mut r.d[0], s.p[0]);
    for i in 0..WARP {
        let (x, y) = (a[i] & aa ^ ax, b[i] & ba ^ bx);
        d[i] = flush::<FTZ>(if p & LANE_BIT[i] != 0 { x } else { y });
    }
}

fn compare<const COND: u8, const FTZ: bool>(m: u32, s: &Sources<'_>) -> Mask {
    let ((aa, ax), (ba, bx)) = (sign_masks(m, 0), sign_masks(m, 1));
    let (a, b) = (s.a(), s.b());
    let mut mask = 0;
    for i in 0..WARP {
        let x = f32::from_bits(flush::<FTZ>(a[i] & aa ^ ax));
        let y = f32::from_bits(flush::<FTZ>(b[i] & ba ^ bx));
        // The condition is known here: one machine comparison is left of this.
        let (lt, eq, gt) = (x < y, x == y, x > y);
        let ordered = COND & 1 != 0 && lt || COND & 2 != 0 && eq || COND & 4 != 0 && gt;
        let holds = ordered || COND & 8 != 0 && !(lt || eq || gt);
        mask |= if holds { LANE_BIT[i] } else { 0 };
    }
    mask
}

/// The comparison of these modifiers.
fn comparison(m: u32) -> fn(u32, &Sources<'_>) -> Mask {
    macro_rules! by_cond {
        ($($c:literal)*) => {
            match (mods::cond(m).0, m & mods::FTZ != 0) {
                $(($c, false) => compare::<$c, false>, ($c, true) => compare::<$c, true>,)*
                _ => compare::<15, false>,
            }
        };
    }
    by_cond!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14)
}

/// `FSETP` for these modifiers.
pub fn fsetp(m: u32) -> AluFn {
    macro_rules! by_cond {
        ($($c:literal)*) => {
            match (mods::cond(m).0, m & mods::FTZ != 0) {
                $(($c, false) => set_p::<$c, false>, ($c, true) => set_p::<$c, true>,)*
                _ => set_p::<15, false>,
            }
        };
    }
    by_cond!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14)
}

fn set_p<const COND: u8, const FTZ: bool>(m: u32, s: &Sources<'_>, r: &mut Results) {
    r.p = set_predicates(m, compare::<COND, FTZ>(m, s), s.p[0]);
}

/// `FSET.BF`: 1.0 or 0.0.
pub fn fset(m: u32, s: &Sources<'_>, r: &mut Results) {
    let [set, _] = set_predicates(m, comparison(m)(m, s), s.p[0]);
    for i in 0..WARP {
        r.d[0][i] = if set & LANE_BIT[i] != 0 { 0x3f80_0000 } else { 0 };
    }
}

/// `FCHK`.
pub fn fchk(m: u32, s: &Sources<'_>, r: &mut Results) {
    let ((aa, ax), (ba, bx)) = (sign_masks(m, 0), sign_masks(m, 1));
    let mut mask = 0;
    for i in 0..WARP {
        if lane::division_needs_care(s.a()[i] & aa ^ ax, s.b()[i] & ba ^ bx) {
            mask |= LANE_BIT[i];
        }
    }
    r.p[0] = mask;
}

/// `FSWZADD`: each lane of a quad adds with its own signs, lane 0 in the top
/// bits of the pattern: `A+B`, `A-B`, `B-A`, `B`.
pub fn fswzadd(m: u32, s: &Sources<'_>, r: &mut Results) {
    let mode = mode(m, 0);
    let pattern = m >> mods::OWN;
    for i in 0..WARP {
        let (a, b) = (s.a()[i], s.b()[i]);
        let (a, b) = match pattern >> (6 - 2 * (i & 3)) & 3 {
            0 => (a, b),
            1 => (a, b ^ 0x8000_0000),
            2 => (a ^ 0x8000_0000, b),
            _ => (0, b),
        };
        r.d[0][i] = mode.add(a, b);
    }
}
