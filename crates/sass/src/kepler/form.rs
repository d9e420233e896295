//! Operand forms.

/// Where operands B and C are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// B in bits 23-30, C in bits 42-49.
    Reg,
    /// B is the constant of bits 23-41, C in bits 42-49.
    ConstB,
    /// B in bits 42-49, C is the constant of bits 23-41.
    ConstC,
    /// B is the immediate of bits 23-41 and 59, C in bits 42-49.
    Imm,
    /// The instruction has places of its own.
    Own,
}
