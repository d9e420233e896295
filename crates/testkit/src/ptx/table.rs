//! PTX instructions that sm_35 has, as patterns: `(a|b)` are alternatives. The
//! first letter of a signature is the type of the result, the others those of
//! the operands: `h` 16 bits, `r` 32, `l` 64, `f` FP32, `d` FP64, `p` predicate.
//! A pattern with `$d`, `$a`, `$b`, `$c` and `$t` (a word for the time being) is
//! the whole statement; others are followed by their operands.

/// Integers, logic, moves.
static INTEGERS: &[(&str, &str)] = &[
    ("(add|sub|mul.lo|mul.hi|min|max|div|rem).(u16|s16)", "hhh"),
    ("(add|sub|mul.lo|mul.hi|min|max|div|rem).(u32|s32)", "rrr"),
    ("(add|sub|mul.lo|mul.hi|min|max|div|rem).(u64|s64)", "lll"),
    ("(add|sub).sat.s32", "rrr"),
    ("mul.wide.(u16|s16)", "rhh"),
    ("mul.wide.(u32|s32)", "lrr"),
    ("mad.(lo|hi).(u16|s16)", "hhhh"),
    // Of mad.hi beside mad.wide ptxas 11.8 makes wrong code for sm_70.
    ("mad.lo.(u32|s32)", "rrrr"),
    ("mad.(lo|hi).(u64|s64)", "llll"),
    ("mad.wide.(u16|s16)", "rhhr"),
    ("mad.wide.(u32|s32)", "lrrl"),
    ("mad.hi.sat.s32", "rrrr"),
    ("mul24.(lo|hi).(u32|s32)", "rrr"),
    ("mad24.(lo|hi).(u32|s32)", "rrrr"),
    ("mad24.hi.sat.s32", "rrrr"),
    ("sad.(u16|s16)", "hhhh"),
    ("sad.(u32|s32)", "rrrr"),
    ("sad.(u64|s64)", "llll"),
    ("(abs|neg).s16", "hh"),
    ("(abs|neg).s32", "rr"),
    ("(abs|neg).s64", "ll"),
    ("(popc|clz|brev).b32", "rr"),
    ("(popc|clz).b64", "rl"),
    ("brev.b64", "ll"),
    ("bfind(|.shiftamt).(u32|s32)", "rr"),
    ("bfind(|.shiftamt).(u64|s64)", "rl"),
    ("bfe.(u32|s32)", "rrrr"),
    ("bfe.(u64|s64)", "llrr"),
    ("bfe.(u32|s32) $d, $a, (0|3|17|31), (0|1|8|15|32);", "rr"),
    ("bfi.b32", "rrrrr"),
    ("bfi.b64", "lllrr"),
    // A field of 32 bits elsewhere than at bit 0 is nothing to ptxas for sm_70.
    ("bfi.b32 $d, $a, $b, (0|5|31), (1|8);", "rrr"),
    ("bfi.b32 $d, $a, $b, 0, 32;", "rrr"),
    ("(and|or|xor).b16", "hhh"),
    ("(and|or|xor).b32", "rrr"),
    ("(and|or|xor).b64", "lll"),
    ("(not|cnot).b16", "hh"),
    ("(not|cnot).b32", "rr"),
    ("(not|cnot).b64", "ll"),
    ("shl.b16", "hhr"),
    ("shl.b32", "rrr"),
    ("shl.b64", "llr"),
    ("shr.(b16|u16|s16)", "hhr"),
    ("shr.(u32|s32)", "rrr"),
    ("shr.(u64|s64)", "llr"),
    ("sh(l.b|r.s|r.u)32 $d, $a, (1|7|31);", "rr"),
    ("sh(l.b|r.s|r.u)64 $d, $a, (1|7|31|32|33|63);", "ll"),
    ("shf.(l|r).(clamp|wrap).b32", "rrrr"),
    ("shf.(l|r).(clamp|wrap).b32 $d, $a, $b, (1|13|31);", "rrr"),
    ("prmt.b32(|.f4e|.b4e|.rc8|.ecl|.ecr|.rc16)", "rrrr"),
    ("prmt.b32 $d, $a, $b, (0x0123|0x7531|0x89ab|0xfedc);", "rrr"),
    ("add.s32 $d, $a, (1|-1|0x12345|0x7fffffff);", "rr"),
    ("mul.lo.s32 $d, $a, (3|-7|0x12345|0x7fffffff);", "rr"),
    ("(and|or|xor).b32 $d, $a, (1|0xffff|0x12345678);", "rr"),
    ("mad.lo.s32 $d, $a, (3|-7|0x12345), $b;", "rrr"),
    ("selp.b32 $d, $a, $b, $p;", "rrrp"),
    ("selp.b64 $d, $a, $b, $p;", "lllp"),
    ("selp.f32 $d, $a, $b, $p;", "fffp"),
    ("selp.f64 $d, $a, $b, $p;", "dddp"),
    ("slct.b32.s32", "rrrr"),
    ("slct.b64.s32", "lllr"),
    ("slct.b32.f32", "rrrf"),
    ("slct(|.ftz).f32.f32", "ffff"),
    ("slct.f64.s32", "dddr"),
    ("(and|or|xor).pred", "ppp"),
    ("not.pred", "pp"),
];

/// Chains of carries.
static CARRIES: &[(&str, &str)] = &[
    ("add.cc.u32 $t, $a, $b; addc.u32 $d, $b, $c;", "rrrr"),
    ("sub.cc.u32 $t, $a, $b; subc.u32 $d, $b, $c;", "rrrr"),
    ("add.cc.u32 $t, $a, $b; addc.cc.u32 $t, $c, $c; addc.u32 $d, $t, 0;", "rrrr"),
    ("sub.cc.s32 $t, $a, $b; subc.cc.s32 $t, $c, $a; subc.s32 $d, $t, $b;", "rrrr"),
    ("add.cc.u64 $u, $a, $b; addc.u64 $d, $b, $c;", "llll"),
    ("sub.cc.u64 $u, $a, $b; subc.u64 $d, $b, $c;", "llll"),
    ("mad.lo.cc.u32 $t, $a, $b, $c; madc.hi.u32 $d, $a, $b, $t;", "rrrr"),
    ("mad.hi.cc.u32 $t, $a, $b, $c; addc.u32 $d, $t, $a;", "rrrr"),
    ("mad.lo.cc.s32 $t, $a, $b, $c; madc.lo.cc.s32 $t, $b, $c, $t; addc.s32 $d, $t, 0;", "rrrr"),
    (
        "mad.lo.cc.u32 $t, $a, $b, $c; madc.hi.cc.u32 $t, $c, $a, $t; madc.hi.s32 $d, $a, $c, $t;",
        "rrrr",
    ),
];

/// Comparisons.
static COMPARISONS: &[(&str, &str)] = &[
    ("setp.(eq|ne|lt|le|gt|ge).(u16|s16)", "phh"),
    ("setp.(eq|ne|lt|le|gt|ge).(u32|s32)", "prr"),
    ("setp.(lo|ls|hi|hs).u32", "prr"),
    ("setp.(eq|ne|lt|le|gt|ge).(u64|s64)", "pll"),
    ("setp.(lt|ne).(and|or|xor).s32 $d, $a, $b, (|!)$p;", "prrp"),
    ("setp.(lt|eq).(and|or|xor).s64 $d, $a, $b, (|!)$p;", "pllp"),
    ("setp.(lt|eq).(and|or|xor).f32 $d, $a, $b, (|!)$p;", "pffp"),
    ("setp.lt.(and|or|xor).f64 $d, $a, $b, (|!)$p;", "pddp"),
    ("setp.(eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan)(|.ftz).f32", "pff"),
    ("setp.(eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan).f64", "pdd"),
    ("set.(eq|lt|ge).(u32|s32).(u32|s32)", "rrr"),
    ("set.(eq|lt|gt).u32.(u64|s64)", "rll"),
    ("set.(eq|lt|neu|nan).(u32|s32).f32", "rff"),
    ("set.(eq|lt|neu|nan).(u32|s32).f64", "rdd"),
    ("set.(eq|lt|ge).f32.(u32|s32)", "frr"),
    ("set.(eq|lt|neu)(|.ftz).f32.f32", "fff"),
    ("set.(eq|lt|neu).f32.f64", "fdd"),
    ("set.(lt|gt).f32.s64", "fll"),
    ("set.lt.(and|or|xor).u32.s32 $d, $a, $b, (|!)$p;", "rrrp"),
    ("set.lt.(and|or|xor).f32.f32 $d, $a, $b, (|!)$p;", "fffp"),
    ("testp.(finite|infinite|number|notanumber|normal|subnormal).f32", "pf"),
    ("testp.(finite|infinite|number|notanumber|normal|subnormal).f64", "pd"),
];

/// Floating point that is defined to the last bit.
static FLOATS: &[(&str, &str)] = &[
    ("(add|sub|mul).(rn|rz|rm|rp)(|.ftz)(|.sat).f32", "fff"),
    ("(add|sub|mul).(rn|rz|rm|rp).f64", "ddd"),
    ("fma.(rn|rz|rm|rp)(|.ftz)(|.sat).f32", "ffff"),
    ("fma.(rn|rz|rm|rp).f64", "dddd"),
    ("div.(rn|rz|rm|rp)(|.ftz).f32", "fff"),
    ("div.(rn|rz|rm|rp).f64", "ddd"),
    ("(rcp|sqrt).(rn|rz|rm|rp)(|.ftz).f32", "ff"),
    ("(rcp|sqrt).(rn|rz|rm|rp).f64", "dd"),
    ("(min|max)(|.ftz).f32", "fff"),
    ("(min|max).f64", "ddd"),
    ("(abs|neg)(|.ftz).f32", "ff"),
    ("(abs|neg).f64", "dd"),
    ("copysign.f32", "fff"),
    ("copysign.f64", "ddd"),
    ("add.rn.f32 $d, $a, (0f3fc00000|0f3f9d70a4|0fbf800001);", "ff"),
    ("mul.rn.f32 $d, $a, (0f40000000|0f3f9d70a4|0f3e000000);", "ff"),
    ("add.rn.f64 $d, $a, (0d3ff8000000000000|0d3fb999999999999a);", "dd"),
    ("neg.f32 $d, $a; fma.rn.f32 $d, $d, $b, $c;", "ffff"),
    ("neg.f64 $d, $a; fma.rn.f64 $d, $b, $c, $d;", "dddd"),
    ("abs.f32 $d, $a; add.rn.f32 $d, $d, $b; neg.f32 $d, $d;", "fff"),
    ("abs.f64 $d, $a; add.rn.f64 $d, $d, $b; neg.f64 $d, $d;", "ddd"),
    ("neg.f32 $d, $a; min.f32 $d, $d, $b;", "fff"),
];

/// Functions by tables, which are one chip's for all here. (`sqrt.approx` has an
/// instruction of its own on later chips only.)
static APPROXIMATIONS: &[(&str, &str)] = &[
    ("div.(approx|full)(|.ftz).f32", "fff"),
    ("(rcp|rsqrt|sin|cos|lg2|ex2).approx(|.ftz).f32", "ff"),
    ("(rcp|rsqrt).approx.ftz.f64", "dd"),
];

/// Conversions.
static CONVERSIONS: &[(&str, &str)] = &[
    ("cvt.(u8|s8|u16|s16).(u8|s8|u16|s16)", "hh"),
    ("cvt.(u32|s32).(u8|s8|u16|s16)", "rh"),
    ("cvt.(u64|s64).(u8|s8|u16|s16)", "lh"),
    ("cvt(|.sat).(u8|s8|u16|s16).(u32|s32)", "hr"),
    ("cvt.(u32|s32).(u32|s32)", "rr"),
    ("cvt.(u64|s64).(u32|s32)", "lr"),
    ("cvt(|.sat).(u8|s8|u16|s16).(u64|s64)", "hl"),
    ("cvt(|.sat).(u32|s32).(u64|s64)", "rl"),
    ("cvt.(u64|s64).(u64|s64)", "ll"),
    // Clamping is allowed where it can do something.
    ("cvt.sat.u8.(s8|u16|s16)", "hh"),
    ("cvt.sat.s8.(u8|u16|s16)", "hh"),
    ("cvt.sat.(u16.s8|u16.s16|s16.u16)", "hh"),
    ("cvt.sat.u32.(s8|s16)", "rh"),
    ("cvt.sat.u64.(s8|s16)", "lh"),
    ("cvt.sat.(u32.s32|s32.u32)", "rr"),
    ("cvt.sat.u64.s32", "lr"),
    ("cvt.sat.(u64.s64|s64.u64)", "ll"),
    ("cvt.(rn|rz|rm|rp).f32.(u8|s8|u16|s16)", "fh"),
    ("cvt.(rn|rz|rm|rp)(|.sat).f32.(u32|s32)", "fr"),
    ("cvt.(rn|rz|rm|rp).f32.(u64|s64)", "fl"),
    ("cvt.(rn|rz|rm|rp).f64.(u8|s8|u16|s16)", "dh"),
    ("cvt.(rn|rz|rm|rp).f64.(u32|s32)", "dr"),
    ("cvt.(rn|rz|rm|rp).f64.(u64|s64)", "dl"),
    ("cvt.(rni|rzi|rmi|rpi)(|.ftz)(|.sat).(u8|s8|u16|s16).f32", "hf"),
    ("cvt.(rni|rzi|rmi|rpi)(|.ftz)(|.sat).(u32|s32).f32", "rf"),
    ("cvt.(rni|rzi|rmi|rpi)(|.ftz).(u64|s64).f32", "lf"),
    // What unsigned ones make of a NaN depends on the steps taken.
    ("cvt.(rni|rzi|rmi|rpi).(s8|s16).f64", "hd"),
    ("cvt.(rni|rzi|rmi|rpi).(u32|s32).f64", "rd"),
    ("cvt.(rni|rzi|rmi|rpi).(u64|s64).f64", "ld"),
    ("cvt(|.ftz)(|.sat).f32.f32", "ff"),
    ("cvt.(rni|rzi|rmi|rpi)(|.ftz)(|.sat).f32.f32", "ff"),
    ("cvt.(rni|rzi|rmi|rpi)(|.sat).f64.f64", "dd"),
    ("cvt.sat.f64.f64", "dd"),
    ("cvt(|.ftz)(|.sat).f64.f32", "df"),
    ("cvt.(rn|rz|rm|rp)(|.ftz)(|.sat).f32.f64", "fd"),
    ("cvt(|.sat)(|.ftz).f32.f16", "fh"),
    // Towards zero sm_70 adds in FP16 instead, which rounds to the nearest.
    ("cvt.(rn|rm|rp)(|.ftz)(|.sat).f16.f32", "hf"),
    ("cvt.(rn|rz).f16.(u8|s16|s32)", "hr"),
    ("cvt.rzi.(s16|u16).f16", "hh"),
    ("shr.u32 $t, $a, (8|16|24); cvt.u8.u32 $h, $t; cvt.rn.f32.(u8|s8) $d, $h;", "fr"),
    ("shr.u32 $t, $a, 16; cvt.u16.u32 $h, $t; cvt.rn.f32.(u16|s16) $d, $h;", "fr"),
];

/// Video instructions on one value, as far as sm_70, which has none of them, is a
/// witness: what ptxas makes of the others there is not what PTX defines (results
/// that do not fit are not clamped, merges into the upper half take the wrong
/// bits, unsigned summands of `vmad` get a sign).
static VIDEO: &[(&str, &str)] = &[
    ("v(add|sub|absdiff|min|max).(u32|s32).(u32|s32).(u32|s32) $d, $a, $b;", "rrr"),
    ("v(add|sub|min|max).s32.s32.s32.sat $d, $a, $b;", "rrr"),
    (
        "v(add|sub|absdiff|min|max).s32.(u32|s32).(u32|s32)(|.sat) $d, $a.(b0|b3|h1), $b.(b2|h0);",
        "rrr",
    ),
    ("v(add|sub|absdiff|min|max).(u32|s32).s32.s32(|.sat).add $d, $a, $b, $c;", "rrrr"),
    ("v(add|sub|min|max).s32.s32.s32(|.sat).(min|max) $d, $a, $b, $c;", "rrrr"),
    ("v(add|absdiff|min|max).u32.u32.u32(|.sat).(add|min|max) $d, $a.h0, $b.b1, $c;", "rrrr"),
    ("v(add|sub|absdiff|min|max).(u32|s32).s32.s32 $d.(b0|b1|b2|b3|h0), $a, $b, $c;", "rrrr"),
    ("vadd.s32.s32.(s32|u32) $d, $a, (5|0x1234);", "rr"),
    ("vset.(u32|s32).(u32|s32).(eq|ne|lt|le|gt|ge) $d, $a, $b;", "rrr"),
    ("vset.(u32|s32).s32.(lt|ge).add $d, $a.b1, $b, $c;", "rrrr"),
    ("vset.u32.u32.(eq|gt) $d.(b0|b1), $a, $b.h0, $c;", "rrrr"),
    ("vsh(l|r).(u32|s32).(u32|s32).u32.(clamp|wrap) $d, $a, $b;", "rrr"),
    ("vshr.(u32|s32).(u32|s32).u32.sat.(clamp|wrap) $d, $a, $b;", "rrr"),
    ("vsh(l|r).s32.s32.u32.(clamp|wrap) $d, $a.(b1|h0), $b.b0;", "rrr"),
    ("vsh(l|r).(u32|s32).s32.u32.clamp.add $d, $a, $b.b0, $c;", "rrrr"),
    ("vsh(l|r).u32.u32.u32.clamp $d.(b0|b2|h0), $a, $b.b0, $c;", "rrrr"),
    ("vmad.(u32|s32).s32.(u32|s32)(|.sat)(|.shr7|.shr15) $d, $a.h0, $b.(b1|h1), $c;", "rrrr"),
    ("vmad.(u32|s32).u32.s32(|.sat)(|.shr7|.shr15) $d, $a.h0, $b.(b1|h1), $c;", "rrrr"),
    ("vmad.(u32|s32).u32.u32 $d, $a.h0, $b.(b1|h1), $c;", "rrrr"),
    ("vmad.s32.s32.s32(|.sat)(|.shr7|.shr15) $d, -$a.h0, $b.h1, $c;", "rrrr"),
    ("vmad.s32.s32.s32(|.sat)(|.shr7) $d, $a.h0, $b.h1, -$c;", "rrrr"),
    ("vmad.(u32|s32).s32.u32.po(|.sat)(|.shr7) $d, $a.h0, $b.h1, $c;", "rrrr"),
    ("vmad.(u32|s32).s32.(u32|s32)(|.shr15) $d, $a, $b.(h0|b3), $c;", "rrrr"),
];

/// Video instructions on halves and bytes.
static SIMD: &[(&str, &str)] = &[
    (
        "v(add|sub|avrg|absdiff|min|max)2.(u32|s32).(u32|s32).(u32|s32)(|.sat) $d, $a, $b, $c;",
        "rrrr",
    ),
    ("v(add|sub|avrg|absdiff|min|max)2.s32.s32.s32.add $d, $a, $b, $c;", "rrrr"),
    (
        "v(add|sub|min)2.(u32|s32).u32.u32(|.sat) $d.(h0|h1), $a.(h01|h32|h12), $b.(h00|h31), $c;",
        "rrrr",
    ),
    ("vset2.(u32|s32).(u32|s32).(eq|ne|lt|le|gt|ge)(|.add) $d, $a, $b, $c;", "rrrr"),
    ("vset2.u32.u32.lt $d.(h0|h1), $a.h01, $b, $c;", "rrrr"),
    (
        "v(add|sub|avrg|absdiff|min|max)4.(u32|s32).(u32|s32).(u32|s32)(|.sat) $d, $a, $b, $c;",
        "rrrr",
    ),
    ("v(add|sub|avrg|absdiff|min|max)4.s32.s32.s32.add $d, $a, $b, $c;", "rrrr"),
    (
        "v(add|sub|min)4.u32.u32.u32 $d.(b0|b21|b310), $a.(b0123|b4321|b7531), $b.(b4444|b5476|b0000), $c;",
        "rrrr",
    ),
    ("vset4.(u32|s32).(u32|s32).(eq|ne|lt|le|gt|ge)(|.add) $d, $a, $b, $c;", "rrrr"),
    ("vset4.u32.u32.lt $d.(b0|b31), $a.b0123, $b, $c;", "rrrr"),
];

/// Everything that is defined to the last bit.
pub(super) static EXACT: &[&[(&str, &str)]] =
    &[INTEGERS, CARRIES, COMPARISONS, FLOATS, CONVERSIONS, VIDEO, SIMD];
/// What is not.
pub(super) static APPROXIMATE: &[&[(&str, &str)]] = &[APPROXIMATIONS];
