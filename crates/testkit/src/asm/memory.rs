//! Loads, stores, atomics, fences.

use upset_sass::Arch;

use super::{Code, PT, R, U, WITH_UNIFORM, form};

/// What an access moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// `.U8`
    U8 = 0,
    /// `.S8`
    S8 = 1,
    /// `.U16`
    U16 = 2,
    /// `.S16`
    S16 = 3,
    /// A word.
    Word = 4,
    /// `.64`, a pair.
    Pair = 5,
    /// `.128`, four registers.
    Quad = 6,
}

impl Size {
    /// All sizes.
    pub const ALL: [Size; 7] =
        [Size::U8, Size::S8, Size::U16, Size::S16, Size::Word, Size::Pair, Size::Quad];

    /// Bytes in memory.
    pub fn bytes(self) -> u32 {
        [1, 1, 2, 2, 4, 8, 16][self as usize]
    }

    /// Registers.
    pub fn registers(self) -> u8 {
        self.bytes().div_ceil(4) as u8
    }
}

/// How a global access is seen by the memory system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Like any load or store of a program.
    Weak,
    /// `.CONSTANT`: memory that the kernel does not write. Loads only.
    Constant,
    /// `.STRONG.GPU`: seen by the whole GPU.
    Gpu,
}

/// Where a global access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// `[a + offset]`, `a` a pair.
    Reg(R, i32),
    /// `[a.64 + offset]` through the memory descriptor in a uniform pair, from
    /// sm_80 on, where compilers write nothing else.
    Described(R, U, i32),
    /// `[a.U32 + u + offset]`, `u` a pair; sm_75 and sm_80.
    Indexed(R, U, i32),
}

impl At {
    /// The address `bytes` further on.
    pub fn plus(self, bytes: u32) -> At {
        let bytes = bytes as i32;
        match self {
            At::Reg(a, n) => At::Reg(a, n + bytes),
            At::Described(a, u, n) => At::Described(a, u, n + bytes),
            At::Indexed(a, u, n) => At::Indexed(a, u, n + bytes),
        }
    }

    fn register(self) -> R {
        match self {
            At::Reg(a, _) | At::Described(a, ..) | At::Indexed(a, ..) => a,
        }
    }

    fn offset(self) -> u32 {
        match self {
            At::Reg(_, n) | At::Described(_, _, n) | At::Indexed(_, _, n) => n as u32 & 0xff_ffff,
        }
    }
}

/// Bits 77-80 and, up to sm_75, `.SYS` of accesses that say nothing.
fn order(code: Code, arch: Arch, order: Order) -> Code {
    let old = match order {
        // Scope (77-78), order (79-80).
        Order::Weak => 3 | 1 << 2,
        Order::Constant => 3,
        Order::Gpu => 2 | 2 << 2,
    };
    let new = match order {
        Order::Weak => 0,
        Order::Constant => 4,
        Order::Gpu => 7,
    };
    code.at(77, if arch <= Arch::Sm75 { old } else { new } as u8)
}

/// Default eviction policy.
const EVICT: u8 = 1;

/// Where the parts of an address with a uniform register stand.
struct Parts {
    uniform: u32,
    wide: u32,
    descriptor: u32,
}

fn address(opcode: u16, at: At, plain: u128, p: Parts) -> Code {
    let code = match at {
        At::Reg(..) => Code::new(opcode, plain),
        At::Described(_, u, _) => {
            let code = Code::new(opcode, form::IMM).at(p.uniform, u.0);
            Code(code.flag(p.wide, true).flag(p.descriptor, true).0 | WITH_UNIFORM)
        }
        At::Indexed(_, u, _) => {
            Code(Code::new(opcode, form::IMM).at(p.uniform, u.0).0 | WITH_UNIFORM)
        }
    };
    code.a(at.register()).at(40, at.offset()).flag(72, true)
}

/// `LDG.E d, [at]`.
pub fn ldg(arch: Arch, d: R, at: At, size: Size, how: Order) -> Code {
    let parts = Parts { uniform: 32, wide: 90, descriptor: 76 };
    let code = address(0x181, at, form::REG, parts).dst(d).at(73, size as u8);
    order(code, arch, how).at(81, PT.index).at(84, EVICT)
}

/// `STG.E [at], b`.
pub fn stg(arch: Arch, at: At, b: R, size: Size, how: Order) -> Code {
    let parts = Parts { uniform: 64, wide: 90, descriptor: 76 };
    let code = address(0x186, at, form::REG, parts).at(32, b.0).at(73, size as u8);
    order(code, arch, how).at(84, EVICT)
}

/// Operations of atomics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atomic {
    /// `.ADD`
    Add = 0,
    /// `.MIN`
    Min = 1,
    /// `.MAX`
    Max = 2,
    /// `.INC`
    Inc = 3,
    /// `.DEC`
    Dec = 4,
    /// `.AND`
    And = 5,
    /// `.OR`
    Or = 6,
    /// `.XOR`
    Xor = 7,
    /// `.EXCH`, not for reductions.
    Exch = 8,
}

/// Operands of atomics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// 32 bits.
    U32,
    /// `.S32`
    S32,
    /// `.64`, a pair.
    U64,
    /// `.S64`, a pair.
    S64,
}

impl Type {
    /// Registers.
    pub fn registers(self) -> u8 {
        if matches!(self, Type::U64 | Type::S64) { 2 } else { 1 }
    }

    fn bits(self, arch: Arch) -> u8 {
        match self {
            Type::U32 => 0,
            Type::S32 => 1,
            Type::U64 => 2,
            Type::S64 if arch >= Arch::Sm90 => 3,
            Type::S64 => 5,
        }
    }
}

/// `ATOMG.E PT, d, [at], b`.
pub fn atomg(arch: Arch, op: Atomic, ty: Type, d: R, at: At, b: R) -> Code {
    let parts = Parts { uniform: 64, wide: 70, descriptor: 71 };
    let code = address(0x1a8, at, form::REG, parts).dst(d).at(32, b.0).at(73, ty.bits(arch));
    order(code, arch, Order::Gpu).at(81, PT.index).at(84, EVICT).at(87, op as u8)
}

/// `ATOMG.E.CAS PT, d, [a + offset], compare, swap`.
pub fn atomg_cas(arch: Arch, ty: Type, d: R, (a, offset): (R, i32), compare: R, swap: R) -> Code {
    let parts = Parts { uniform: 0, wide: 0, descriptor: 0 };
    let code = address(0x1a9, At::Reg(a, offset), form::REG, parts).dst(d);
    let code = code.at(32, compare.0).c(swap).at(73, ty.bits(arch));
    order(code, arch, Order::Gpu).at(81, PT.index).at(84, EVICT)
}

/// `RED.E [at], b`, on sm_90 `REDG`.
pub fn red(arch: Arch, op: Atomic, ty: Type, at: At, b: R) -> Code {
    let parts = Parts { uniform: 64, wide: 90, descriptor: 71 };
    let code = address(0x18e, at, form::IMM, parts).at(32, b.0).at(73, ty.bits(arch));
    order(code, arch, Order::Gpu).at(84, EVICT).at(87, op as u8 & 7)
}

fn narrow(opcode: u16, form: u128, a: R, offset: i32) -> Code {
    Code::new(opcode, form).a(a).at(40, offset as u32 & 0xff_ffff)
}

/// `LDS d, [a + offset]`.
pub fn lds(d: R, a: R, offset: i32, size: Size) -> Code {
    narrow(0x184, form::IMM, a, offset).dst(d).at(73, size as u8)
}

/// `STS [a + offset], b`.
pub fn sts(a: R, offset: i32, b: R, size: Size) -> Code {
    narrow(0x188, form::REG, a, offset).at(32, b.0).at(73, size as u8)
}

/// `ATOMS d, [a + offset], b`.
pub fn atoms(arch: Arch, op: Atomic, ty: Type, d: R, (a, offset): (R, i32), b: R) -> Code {
    let code = narrow(0x18c, form::REG, a, offset).dst(d).at(32, b.0);
    code.at(73, ty.bits(arch)).at(87, op as u8)
}

/// `ATOMS.CAS d, [a + offset], compare, swap`.
pub fn atoms_cas(arch: Arch, ty: Type, d: R, (a, offset): (R, i32), compare: R, swap: R) -> Code {
    let code = narrow(0x18d, form::REG, a, offset).dst(d).at(32, compare.0).c(swap);
    code.at(73, ty.bits(arch))
}

/// `LDL d, [a + offset]`.
pub fn ldl(d: R, a: R, offset: i32, size: Size) -> Code {
    narrow(0x183, form::IMM, a, offset).dst(d).at(73, size as u8).at(84, EVICT)
}

/// `STL [a + offset], b`.
pub fn stl(a: R, offset: i32, b: R, size: Size) -> Code {
    narrow(0x187, form::REG, a, offset).at(32, b.0).at(73, size as u8).at(84, EVICT)
}

/// `LDC d, c[bank][a + offset]`, a word or a pair.
pub fn ldc(d: R, bank: u8, a: R, offset: u16, wide: bool) -> Code {
    let code = Code::new(0x182, form::CONST).dst(d).a(a).at(38, offset).at(54, bank);
    code.at(73, if wide { Size::Pair } else { Size::Word } as u8)
}

/// Reach of a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// `.CTA`
    Cta = 0,
    /// `.GPU`
    Gpu = 2,
    /// `.SYS`
    Sys = 3,
}

/// `MEMBAR.SC`.
pub fn membar(scope: Scope) -> Code {
    Code::new(0x192, form::IMM).at(76, scope as u8)
}
