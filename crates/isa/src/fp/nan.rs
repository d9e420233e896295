//! NaNs that operations generate.

/// Canonical NaN of FP32 results: single-precision operations do not carry payloads.
pub const NAN32: u32 = 0x7fff_ffff;
/// Canonical NaN of FP16 and BF16 results.
pub const NAN16: u16 = 0x7fff;
/// NaN that an invalid FP64 operation generates (`CUDART_NAN` of CUDA's headers).
pub const NAN64: u64 = 0xfff8_0000_0000_0000;
