//! Floating point and conversions.

use super::{Code, R, Src};

/// `FADD d, a, b`.
pub fn fadd(d: R, a: R, b: impl Into<Src>) -> Code {
    Code::flexible(0x021, b.into(), true).dst(d).a(a)
}

/// `FMUL d, a, b`.
pub fn fmul(d: R, a: R, b: impl Into<Src>) -> Code {
    // Scale of the product: 4 = one.
    Code::flexible(0x020, b.into(), false).dst(d).a(a).at(84, 4u8)
}

/// `FFMA d, a, b, c`.
pub fn ffma(d: R, a: R, b: impl Into<Src>, c: R) -> Code {
    Code::flexible(0x023, b.into(), false).dst(d).a(a).c(c)
}

/// Functions of [`mufu`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// `.COS`
    Cos = 0,
    /// `.SIN`
    Sin = 1,
    /// `.EX2`
    Ex2 = 2,
    /// `.LG2`
    Lg2 = 3,
    /// `.RCP`
    Rcp = 4,
    /// `.RSQ`
    Rsq = 5,
    /// `.SQRT`
    Sqrt = 8,
}

/// `MUFU d, b`.
pub fn mufu(d: R, function: Function, b: impl Into<Src>) -> Code {
    Code::flexible(0x108, b.into(), false).dst(d).at(74, function as u8)
}

/// `I2F d, b`: 32 bits to FP32 (`.U32` unless `signed`).
pub fn i2f(d: R, b: impl Into<Src>, signed: bool) -> Code {
    let code = Code::flexible(0x106, b.into(), false).dst(d);
    code.flag(74, signed).at(75, 2u8).at(84, 2u8)
}

/// `I2FP.F32 d, b`, from sm_80 on: the same with a fixed latency.
pub fn i2fp(d: R, b: impl Into<Src>, signed: bool) -> Code {
    let code = Code::flexible(0x045, b.into(), false).dst(d);
    code.flag(74, signed).at(75, 2u8).at(84, 2u8)
}

/// `F2I.TRUNC.NTZ d, b`: FP32 to 32 bits (`.U32` unless `signed`).
pub fn f2i(d: R, b: impl Into<Src>, signed: bool) -> Code {
    let code = Code::flexible(0x105, b.into(), false).dst(d);
    code.flag(72, signed).at(75, 2u8).flag(77, true).at(78, 3u8).at(84, 2u8)
}

/// `DADD d, a, b`, pairs.
pub fn dadd(d: R, a: R, b: R) -> Code {
    Code::new(0x029, super::form::REG).dst(d).a(a).c(b)
}

/// `DMUL d, a, b`, pairs.
pub fn dmul(d: R, a: R, b: R) -> Code {
    Code::flexible(0x028, b.into(), false).dst(d).a(a)
}

/// `DFMA d, a, b, c`, pairs.
pub fn dfma(d: R, a: R, b: R, c: R) -> Code {
    Code::flexible(0x02b, b.into(), false).dst(d).a(a).c(c)
}
