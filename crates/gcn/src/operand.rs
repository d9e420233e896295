//! Operands: what an operand code names.

/// What an operand code names. The width is not part of it: `VccLo` of two
/// dwords is the whole VCC; the row says how many dwords there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// No operand.
    None,
    /// A scalar register (the first of several), 0 to 103.
    Sgpr(u8),
    /// A vector register (the first of several).
    Vgpr(u8),
    /// Low half of VCC.
    VccLo,
    /// High half of VCC.
    VccHi,
    /// Low half of the trap handler's address.
    TbaLo,
    /// High half of the trap handler's address.
    TbaHi,
    /// Low half of the trap handler's memory.
    TmaLo,
    /// High half of the trap handler's memory.
    TmaHi,
    /// A register of the trap handler, 0 to 11.
    Ttmp(u8),
    /// M0.
    M0,
    /// Low half of EXEC.
    ExecLo,
    /// High half of EXEC.
    ExecHi,
    /// An inline integer, -16 to 64.
    Int(i8),
    /// An inline floating-point number.
    Float(Float),
    /// 1 when VCC is zero.
    Vccz,
    /// 1 when EXEC is zero.
    Execz,
    /// The scalar condition code.
    Scc,
    /// A dword of LDS, addressed by M0.
    LdsDirect,
    /// The word after the instruction.
    Literal(u32),
    /// A code that means nothing on Southern Islands.
    Reserved(u8),
}

/// Inline floating-point numbers, in the order of their codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Float {
    /// 0.5
    Half,
    /// -0.5
    MinusHalf,
    /// 1.0
    One,
    /// -1.0
    MinusOne,
    /// 2.0
    Two,
    /// -2.0
    MinusTwo,
    /// 4.0
    Four,
    /// -4.0
    MinusFour,
}

impl Float {
    /// In the order of their codes, which begin at 240.
    pub const ALL: [Float; 8] = [
        Float::Half,
        Float::MinusHalf,
        Float::One,
        Float::MinusOne,
        Float::Two,
        Float::MinusTwo,
        Float::Four,
        Float::MinusFour,
    ];

    /// The value.
    pub const fn value(self) -> f32 {
        match self {
            Float::Half => 0.5,
            Float::MinusHalf => -0.5,
            Float::One => 1.0,
            Float::MinusOne => -1.0,
            Float::Two => 2.0,
            Float::MinusTwo => -2.0,
            Float::Four => 4.0,
            Float::MinusFour => -4.0,
        }
    }
}

/// The code that says a literal follows.
pub const LITERAL: u32 = 255;
/// Codes from here on are vector registers (nine-bit fields only).
pub const VECTOR: u32 = 256;
/// Scalar registers that an instruction can name.
pub const SGPRS: u8 = 104;
/// Registers of the trap handler.
pub const TTMPS: u8 = 12;

impl Operand {
    /// The operand of a code of seven, eight or nine bits. A literal's value is
    /// filled in later, by who has the word.
    pub const fn of(code: u32) -> Operand {
        match code {
            0..=103 => Operand::Sgpr(code as u8),
            106 => Operand::VccLo,
            107 => Operand::VccHi,
            108 => Operand::TbaLo,
            109 => Operand::TbaHi,
            110 => Operand::TmaLo,
            111 => Operand::TmaHi,
            112..=123 => Operand::Ttmp((code - 112) as u8),
            124 => Operand::M0,
            126 => Operand::ExecLo,
            127 => Operand::ExecHi,
            128..=192 => Operand::Int((code - 128) as i8),
            193..=208 => Operand::Int((192 - code as i32) as i8),
            240..=247 => Operand::Float(Float::ALL[(code - 240) as usize]),
            251 => Operand::Vccz,
            252 => Operand::Execz,
            253 => Operand::Scc,
            254 => Operand::LdsDirect,
            LITERAL => Operand::Literal(0),
            VECTOR..=511 => Operand::Vgpr((code - VECTOR) as u8),
            // 104, 105, 125, 209-239, 248-250.
            _ => Operand::Reserved(code as u8),
        }
    }

    /// The operand's code; `None` (no operand) has none and gives zero.
    pub const fn code(self) -> u32 {
        match self {
            Operand::None => 0,
            Operand::Sgpr(n) => n as u32,
            Operand::VccLo => 106,
            Operand::VccHi => 107,
            Operand::TbaLo => 108,
            Operand::TbaHi => 109,
            Operand::TmaLo => 110,
            Operand::TmaHi => 111,
            Operand::Ttmp(n) => 112 + n as u32,
            Operand::M0 => 124,
            Operand::ExecLo => 126,
            Operand::ExecHi => 127,
            Operand::Int(n) if n >= 0 => 128 + n as u32,
            Operand::Int(n) => 192 + n.unsigned_abs() as u32,
            Operand::Float(f) => 240 + f as u32,
            Operand::Vccz => 251,
            Operand::Execz => 252,
            Operand::Scc => 253,
            Operand::LdsDirect => 254,
            Operand::Literal(_) => LITERAL,
            Operand::Vgpr(n) => VECTOR + n as u32,
            Operand::Reserved(code) => code as u32,
        }
    }

    /// The inline constant with the bits of a literal, if there is one: the
    /// shorter way to write an operand of so many dwords.
    pub fn inline(literal: u32, dwords: u8) -> Option<Operand> {
        // A literal of 64 bits is not sign-extended by the assembler, and no
        // double with a high word of zero is an inline constant.
        let int = if dwords == 2 { i64::from(literal) } else { i64::from(literal as i32) };
        if (-16..=64).contains(&int) {
            return Some(Operand::Int(int as i8));
        }
        let float = Float::ALL.into_iter().find(|f| dwords == 1 && f.value().to_bits() == literal);
        float.map(Operand::Float)
    }

    /// Is it a register or a value of the scalar side (constants are neither)?
    pub const fn is_scalar(self) -> bool {
        match self {
            Operand::Sgpr(_)
            | Operand::VccLo
            | Operand::VccHi
            | Operand::TbaLo
            | Operand::TbaHi
            | Operand::TmaLo
            | Operand::TmaHi
            | Operand::Ttmp(_)
            | Operand::M0
            | Operand::ExecLo
            | Operand::ExecHi
            | Operand::Vccz
            | Operand::Execz
            | Operand::Scc => true,
            Operand::None
            | Operand::Vgpr(_)
            | Operand::Int(_)
            | Operand::Float(_)
            | Operand::LdsDirect
            | Operand::Literal(_)
            | Operand::Reserved(_) => false,
        }
    }

    /// Is it a scalar register that can be written?
    pub const fn is_scalar_register(self) -> bool {
        self.is_scalar() && !matches!(self, Operand::Vccz | Operand::Execz | Operand::Scc)
    }

    /// Is it an inline constant?
    pub const fn is_inline(self) -> bool {
        matches!(self, Operand::Int(_) | Operand::Float(_))
    }
}
