//! Relocation types: which bits of which value go where. How each was
//! established: `docs/containers.md`.

/// What a relocation writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Address of code or global memory, or offset in constant or shared memory.
    Address,
    /// A generic address: of code or global memory only.
    Generic,
    /// Offset in a constant bank; the bank's number goes to the five bits from
    /// this one on.
    ConstField(u32),
    /// Handle of a texture, sampler or surface reference.
    Handle,
    /// Zero.
    Clear,
}

/// Some bits of the value and where they go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Lowest bit in the value.
    pub from: u32,
    /// Number of bits.
    pub width: u32,
    /// Lowest bit in the patched word.
    pub to: u32,
}

/// A relocation type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelocKind {
    /// Number in the file.
    pub number: u32,
    /// NVIDIA's name.
    pub name: &'static str,
    /// What it writes.
    pub value: Value,
    /// Where it writes.
    pub fields: &'static [Field],
}

const fn field(from: u32, width: u32, to: u32) -> Field {
    Field { from, width, to }
}

const fn kind(
    number: u32,
    name: &'static str,
    value: Value,
    fields: &'static [Field],
) -> RelocKind {
    RelocKind { number, name, value, fields }
}

macro_rules! at {
    ($(($from:expr, $width:expr, $to:expr)),*) => { &[$(field($from, $width, $to)),*] };
}

/// The types that code has, by number.
pub const KINDS: &[RelocKind] = &{
    use Value::{Address, Clear, ConstField, Generic, Handle};
    [
        kind(1, "R_CUDA_32", Address, at![(0, 32, 0)]),
        kind(2, "R_CUDA_64", Address, at![(0, 64, 0)]),
        kind(3, "R_CUDA_G32", Generic, at![(0, 32, 0)]),
        kind(4, "R_CUDA_G64", Generic, at![(0, 64, 0)]),
        kind(6, "R_CUDA_TEX_HEADER_INDEX", Handle, at![(0, 32, 0)]),
        kind(7, "R_CUDA_SAMP_HEADER_INDEX", Handle, at![(0, 32, 0)]),
        // Eight words that describe the surface (sm_35); unbound they are zero.
        kind(8, "R_CUDA_SURF_HW_DESC", Handle, at![(0, 32, 0)]),
        // Code of 64-bit words has its immediates at bit 23.
        kind(12, "R_CUDA_ABS32_23", Address, at![(0, 32, 23)]),
        kind(13, "R_CUDA_ABS32_LO_23", Address, at![(0, 32, 23)]),
        kind(14, "R_CUDA_ABS32_HI_23", Address, at![(32, 32, 23)]),
        kind(25, "R_CUDA_CONST_FIELD19_23", ConstField(37), at![(2, 14, 23)]),
        kind(52, "R_CUDA_SURF_HEADER_INDEX", Handle, at![(0, 32, 0)]),
        kind(55, "R_CUDA_ABS32_32", Address, at![(0, 32, 32)]),
        kind(56, "R_CUDA_ABS32_LO_32", Address, at![(0, 32, 32)]),
        kind(57, "R_CUDA_ABS32_HI_32", Address, at![(32, 32, 32)]),
        kind(58, "R_CUDA_ABS47_34", Address, at![(2, 47, 34)]),
        kind(59, "R_CUDA_ABS16_32", Address, at![(0, 16, 32)]),
        kind(60, "R_CUDA_ABS24_32", Address, at![(0, 24, 32)]),
        kind(64, "R_CUDA_CONST_FIELD19_40", ConstField(54), at![(2, 14, 40)]),
        kind(66, "R_CUDA_CONST_FIELD21_38", ConstField(54), at![(0, 16, 38)]),
        kind(70, "R_CUDA_32_LO", Address, at![(0, 32, 0)]),
        kind(71, "R_CUDA_32_HI", Address, at![(32, 32, 0)]),
        kind(72, "R_CUDA_UNUSED_CLEAR32", Clear, at![(0, 32, 0)]),
        kind(73, "R_CUDA_UNUSED_CLEAR64", Clear, at![(0, 64, 0)]),
        kind(74, "R_CUDA_ABS24_40", Address, at![(0, 24, 40)]),
        kind(75, "R_CUDA_ABS55_16_34", Address, at![(2, 8, 16), (10, 47, 34)]),
        kind(76, "R_CUDA_8_0", Address, at![(0, 8, 0)]),
        kind(77, "R_CUDA_8_8", Address, at![(8, 8, 0)]),
        kind(78, "R_CUDA_8_16", Address, at![(16, 8, 0)]),
        kind(79, "R_CUDA_8_24", Address, at![(24, 8, 0)]),
        kind(80, "R_CUDA_8_32", Address, at![(32, 8, 0)]),
        kind(81, "R_CUDA_8_40", Address, at![(40, 8, 0)]),
        kind(82, "R_CUDA_8_48", Address, at![(48, 8, 0)]),
        kind(83, "R_CUDA_8_56", Address, at![(56, 8, 0)]),
        kind(84, "R_CUDA_G8_0", Generic, at![(0, 8, 0)]),
        kind(85, "R_CUDA_G8_8", Generic, at![(8, 8, 0)]),
        kind(86, "R_CUDA_G8_16", Generic, at![(16, 8, 0)]),
        kind(87, "R_CUDA_G8_24", Generic, at![(24, 8, 0)]),
        kind(88, "R_CUDA_G8_32", Generic, at![(32, 8, 0)]),
        kind(89, "R_CUDA_G8_40", Generic, at![(40, 8, 0)]),
        kind(90, "R_CUDA_G8_48", Generic, at![(48, 8, 0)]),
        kind(91, "R_CUDA_G8_56", Generic, at![(56, 8, 0)]),
        kind(100, "R_CUDA_ABS20_44", Address, at![(0, 20, 44)]),
    ]
};

/// Names of types that are recognised but not applied: none of the code that
/// compilers make for sm_35 and sm_70 to sm_90 has been seen to need them.
const NAMES: &[(u32, &str)] = &[
    (34, "R_CUDA_FUNC_DESC_32"),
    (35, "R_CUDA_FUNC_DESC_64"),
    (53, "R_CUDA_INSTRUCTION64"),
    (61, "R_CUDA_FUNC_DESC32_32"),
    (62, "R_CUDA_FUNC_DESC32_LO_32"),
    (63, "R_CUDA_FUNC_DESC32_HI_32"),
    (65, "R_CUDA_BINDLESSOFF14_40"),
    (67, "R_CUDA_INSTRUCTION128"),
    (68, "R_CUDA_YIELD_OPCODE9_0"),
    (69, "R_CUDA_YIELD_CLEAR_PRED4_87"),
    (92, "R_CUDA_FUNC_DESC_8_0"),
    (101, "R_CUDA_SAMP_HEADER_INDEX_0"),
    (102, "R_CUDA_UNIFIED"),
    (103, "R_CUDA_UNIFIED_32"),
    (112, "R_CUDA_UNIFIED32_LO_32"),
    (113, "R_CUDA_UNIFIED32_HI_32"),
    (114, "R_CUDA_ABS56_16_34"),
    (115, "R_CUDA_CONST_FIELD22_37"),
];

/// The type of that number, if its meaning is known.
pub fn find(number: u32) -> Option<&'static RelocKind> {
    KINDS.iter().find(|k| k.number == number)
}

/// Whether code is right without the relocation being applied: the device
/// linker may turn a YIELD into a NOP.
pub fn is_optional(number: u32) -> bool {
    matches!(number, 68 | 69)
}

/// NVIDIA's name of a type, `unknown` if there is none.
pub fn name(number: u32) -> &'static str {
    let other = || NAMES.iter().find(|(n, _)| *n == number).map(|(_, name)| *name);
    find(number).map(|k| k.name).or_else(other).unwrap_or("unknown")
}

impl RelocKind {
    /// Patches the word at `offset` of `bytes` with `value + addend`; without
    /// an addend the bytes themselves hold one. `bank` is for constant fields.
    /// None when the word does not lie in `bytes`.
    pub fn apply(
        &self,
        bytes: &mut [u8],
        offset: u64,
        value: u64,
        bank: u8,
        addend: Option<i64>,
    ) -> Option<()> {
        let number = match self.value {
            Value::ConstField(to) => Some(field(0, 5, to)),
            _ => None,
        };
        let bits = self.fields.iter().chain(&number).map(|f| f.to + f.width).max()?;
        let start = usize::try_from(offset).ok()?;
        let word = bytes.get_mut(start..start.checked_add(bits.div_ceil(8) as usize)?)?;
        let mut padded = [0; 16];
        padded.get_mut(..word.len())?.copy_from_slice(word);
        let mut patched = u128::from_le_bytes(padded);
        let held = || self.fields.iter().fold(0, |sum, f| sum | (f.extract(patched) << f.from));
        let total = match self.value {
            Value::Clear => 0,
            _ => value.wrapping_add(addend.map_or_else(held, |a| a as u64)),
        };
        if let Some(number) = number {
            let held = if addend.is_none() { number.extract(patched) } else { 0 };
            patched = number.insert(patched, held.wrapping_add(u64::from(bank)));
        }
        for field in self.fields {
            patched = field.insert(patched, total >> field.from);
        }
        word.copy_from_slice(patched.to_le_bytes().get(..word.len())?);
        Some(())
    }
}

impl Field {
    fn mask(self) -> u128 {
        (1 << self.width) - 1
    }

    fn extract(self, word: u128) -> u64 {
        (word >> self.to & self.mask()) as u64
    }

    fn insert(self, word: u128, value: u64) -> u128 {
        word & !(self.mask() << self.to) | (u128::from(value) & self.mask()) << self.to
    }
}
