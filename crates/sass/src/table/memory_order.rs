//! Modifiers that memory instructions share: cache policy, prefetch size, access
//! size, ordering and scope.

use super::column::INVALID;
use super::{Archs, Col, Cond};

/// Up to sm_75.
pub const OLD: Cond = Cond::Arch(Archs::TO75);

/// Eviction policy.
pub const CACHE: Col = Col::Enum(84, 3, &[".EF", "", ".EL", ".LU", ".EU", ".NA"]);

/// Prefetch into L2 (from sm_75).
pub const PREFETCH: Col = Col::When(
    Cond::Arch(Archs::FROM75),
    &[Col::Either(
        OLD,
        &[Col::Enum(68, 2, &["", ".LTC64B", ".LTC128B"])],
        &[Col::Enum(68, 2, &["", ".LTC64B", ".LTC128B", ".LTC256B"])],
    )],
);

/// Access size of global memory.
pub const SIZE: Col = Col::Either(
    OLD,
    &[Col::Enum(73, 3, &[".U8", ".S8", ".U16", ".S16", "", ".64", ".128", ".U.128"])],
    &[SIZE_PLAIN],
);

/// Access size of local and shared memory.
pub const SIZE_PLAIN: Col = Col::Enum(73, 3, &[".U8", ".S8", ".U16", ".S16", "", ".64", ".128"]);

const SCOPE: Col = Col::Enum(77, 2, &[".CTA", ".SM", ".GPU", ".SYS"]);
const PRIVATE: Col = Col::Flag(76, ".PRIVATE");

/// Ordering and scope of a load.
pub const LOAD_ORDER: Col = Col::Either(
    OLD,
    &[Col::Enum(79, 2, &[".CONSTANT", "", ".STRONG", ".MMIO"]), SCOPE, PRIVATE],
    &[Col::Enum(
        77,
        4,
        &[
            "",
            ".CONSTANT.PRIVATE",
            ".CONSTANT.CTA",
            ".CONSTANT.CTA.PRIVATE",
            ".CONSTANT",
            ".STRONG.SM",
            ".STRONG.GPU.PRIVATE",
            ".STRONG.GPU",
            ".MMIO.GPU",
            ".CONSTANT.SM",
            ".STRONG.SYS",
            ".CONSTANT.SM.PRIVATE",
            ".MMIO.SYS",
            ".CONSTANT.VC",
            ".CONSTANT.VC.PRIVATE",
            ".CONSTANT.GPU",
        ],
    )],
);

/// Ordering and scope from sm_80 where constant data make no sense.
const NEW_ORDER: Col = Col::Enum(
    77,
    4,
    &[
        "",
        ".CONSTANT.PRIVATE",
        ".CONSTANT.CTA",
        ".CONSTANT.CTA.PRIVATE",
        ".STRONG.SM.PRIVATE",
        ".STRONG.SM",
        ".STRONG.GPU.PRIVATE",
        ".STRONG.GPU",
        ".MMIO.GPU",
        ".CONSTANT.SM",
        ".STRONG.SYS",
        ".CONSTANT.SM.PRIVATE",
        ".MMIO.SYS",
        ".CONSTANT.VC",
        ".CONSTANT.VC.PRIVATE",
        ".CONSTANT.GPU",
    ],
);

/// Ordering and scope of a store.
pub const STORE_ORDER: Col = Col::Either(
    OLD,
    &[Col::Enum(79, 2, &[INVALID, "", ".STRONG", ".MMIO"]), SCOPE, PRIVATE],
    &[NEW_ORDER],
);

/// Ordering and scope of an atomic.
pub const ATOMIC_ORDER: Col = Col::Either(
    OLD,
    &[Col::Enum(79, 2, &[INVALID, "", ".STRONG", INVALID]), SCOPE, PRIVATE],
    &[NEW_ORDER],
);

/// Reports "no data" in a predicate instead of failing (up to sm_75).
pub const ZD: Col = Col::When(OLD, &[Col::Flag(87, ".ZD")]);
/// The predicate of [`ZD`].
pub const ZD_PRED: Col = Col::When(OLD, &[Col::When(Cond::Set(87), &[Col::P(81)])]);

/// A predicate source stored inverted in bits 64-67, left out when true (from sm_75).
pub const INVERTED_PRED: Col = Col::When(
    Cond::Arch(Archs::FROM75),
    &[Col::Fn(|f, _, out| {
        let (p, negate) = (7 - f.bits(64, 3), f.bit(67));
        if p != 7 || negate {
            out.operand(&super::print::pred(p, negate, false));
        }
    })],
);
