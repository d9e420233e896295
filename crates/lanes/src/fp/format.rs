//! Binary interchange formats by their field widths.

/// A floating-point format: sign, exponent, fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// Width of the exponent field.
    pub exp_bits: u32,
    /// Width of the fraction field.
    pub frac_bits: u32,
}

impl Format {
    /// IEEE half precision.
    pub const F16: Format = Format { exp_bits: 5, frac_bits: 10 };
    /// Upper half of single precision.
    pub const BF16: Format = Format { exp_bits: 8, frac_bits: 7 };
    /// IEEE single precision.
    pub const F32: Format = Format { exp_bits: 8, frac_bits: 23 };
    /// IEEE double precision.
    pub const F64: Format = Format { exp_bits: 11, frac_bits: 52 };

    /// Largest exponent field (infinities and NaN).
    #[inline]
    pub const fn exp_max(self) -> u64 {
        (1 << self.exp_bits) - 1
    }

    /// Exponent bias.
    #[inline]
    pub const fn bias(self) -> i32 {
        (1 << (self.exp_bits - 1)) - 1
    }

    /// The sign bit.
    #[inline]
    pub const fn sign_bit(self) -> u64 {
        1 << (self.exp_bits + self.frac_bits)
    }

    /// Positive infinity.
    #[inline]
    pub const fn infinity(self) -> u64 {
        self.exp_max() << self.frac_bits
    }

    /// Mask of the fraction.
    #[inline]
    pub const fn frac_mask(self) -> u64 {
        (1 << self.frac_bits) - 1
    }

    /// The NaN that operations of this format generate.
    #[inline]
    pub const fn nan(self) -> u64 {
        if self.frac_bits == 52 { 0xfff8_0000_0000_0000 } else { self.sign_bit() - 1 }
    }

    /// Is it a NaN?
    #[inline]
    pub const fn is_nan(self, bits: u64) -> bool {
        bits & (self.sign_bit() - 1) > self.infinity()
    }

    /// Denormals become zero of the same sign.
    #[inline]
    pub const fn flush(self, bits: u64) -> u64 {
        if bits & self.infinity() == 0 { bits & self.sign_bit() } else { bits }
    }
}
