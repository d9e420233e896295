//! Textures: what a handle names, and how a fetch samples it.

mod fetch;

pub use fetch::{coordinate_words, fetch, texture_rows};

use crate::trap::TrapKind;

/// Reads `len` bytes (1, 2 or 4) of global memory as a little-endian number.
pub type Read<'a> = dyn FnMut(u64, usize) -> Result<u32, TrapKind> + 'a;

/// How a texel's bits are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TexelKind {
    /// Floating point (16 or 32 bits).
    Float,
    /// Signed integer.
    Signed,
    /// Unsigned integer.
    Unsigned,
}

/// Format of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexFormat {
    /// Channels: 1, 2 or 4.
    pub channels: u8,
    /// Bits per channel: 8, 16 or 32.
    pub bits: u8,
    /// Interpretation.
    pub kind: TexelKind,
}

impl TexFormat {
    /// One 32-bit float.
    pub const F32: TexFormat = TexFormat { channels: 1, bits: 32, kind: TexelKind::Float };

    /// Bytes per texel.
    pub fn bytes(self) -> u64 {
        u64::from(self.channels) * u64::from(self.bits) / 8
    }
}

/// What happens outside the texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressMode {
    /// Repeat (normalised coordinates only).
    Wrap,
    /// Nearest edge texel.
    Clamp,
    /// Repeat mirrored (normalised coordinates only).
    Mirror,
    /// Zero.
    Border,
}

/// A texture: memory plus how to read it.
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    /// First texel in global memory.
    pub addr: u64,
    /// Texels per row; rows; layers or slices.
    pub size: [u32; 3],
    /// Bytes from row to row.
    pub pitch: u64,
    /// Texel format.
    pub format: TexFormat,
    /// Integers are read as fractions of their range.
    pub normalized_read: bool,
    /// Coordinates run from 0 to 1.
    pub normalized_coords: bool,
    /// Linear filtering.
    pub linear_filter: bool,
    /// Behaviour outside, per dimension.
    pub address: [AddressMode; 3],
}

impl Texture {
    /// A one-dimensional texture over linear memory, as `cudaBindTexture` makes it.
    pub fn linear(addr: u64, bytes: u64, format: TexFormat) -> Texture {
        Texture {
            addr,
            size: [u32::try_from(bytes / format.bytes()).unwrap_or(u32::MAX), 1, 1],
            pitch: bytes,
            format,
            normalized_read: false,
            normalized_coords: false,
            linear_filter: false,
            address: [AddressMode::Border; 3],
        }
    }

    /// One texel as four channels in register form; outside reads zero.
    fn texel(&self, read: &mut Read<'_>, at: [i64; 3]) -> Result<[u32; 4], TrapKind> {
        let inside = at.iter().zip(self.size).all(|(&c, n)| c >= 0 && c < i64::from(n));
        if !inside {
            return Ok([0; 4]);
        }
        let [x, y, z] = at.map(|c| c as u64);
        let row = y + z * u64::from(self.size[1]);
        let addr = self
            .addr
            .wrapping_add(row.wrapping_mul(self.pitch))
            .wrapping_add(x * self.format.bytes());
        let step = u64::from(self.format.bits / 8);
        let mut out = [0, 0, 0, self.one()];
        for (i, o) in out.iter_mut().enumerate().take(usize::from(self.format.channels)) {
            *o = self.convert(read(addr.wrapping_add(i as u64 * step), step as usize)?);
        }
        Ok(out)
    }

    fn one(&self) -> u32 {
        if self.is_float() { 1f32.to_bits() } else { 1 }
    }

    fn is_float(&self) -> bool {
        self.normalized_read || self.format.kind == TexelKind::Float
    }

    fn convert(&self, raw: u32) -> u32 {
        let bits = u32::from(self.format.bits);
        let signed = ((raw << (32 - bits)) as i32) >> (32 - bits);
        match (self.format.kind, self.normalized_read) {
            (TexelKind::Float, _) if bits == 16 => half_to_f32(raw as u16).to_bits(),
            (TexelKind::Float, _) => raw,
            (TexelKind::Unsigned, true) => (raw as f32 / ((1u64 << bits) - 1) as f32).to_bits(),
            (TexelKind::Signed, true) => {
                (signed as f32 / ((1u64 << (bits - 1)) - 1) as f32).max(-1.0).to_bits()
            }
            (TexelKind::Unsigned, false) => raw,
            (TexelKind::Signed, false) => signed as u32,
        }
    }

    /// Applies the address mode to a texel coordinate.
    fn wrap(&self, dim: usize, c: i64) -> i64 {
        let n = i64::from(self.size[dim]).max(1);
        match self.address[dim] {
            AddressMode::Border => c,
            AddressMode::Clamp => c.clamp(0, n - 1),
            AddressMode::Wrap => c.rem_euclid(n),
            AddressMode::Mirror => {
                let m = c.rem_euclid(2 * n);
                if m < n { m } else { 2 * n - 1 - m }
            }
        }
    }

    /// Samples at floating-point coordinates; `filtered` of the three take part
    /// in filtering, the others (layers) are texel numbers.
    fn sample(
        &self,
        read: &mut Read<'_>,
        coords: [f32; 3],
        filtered: usize,
    ) -> Result<[u32; 4], TrapKind> {
        let mut at = [0i64; 3];
        let mut fraction = [0u32; 3];
        for d in 0..3 {
            if d >= filtered {
                at[d] = coords[d] as i64;
                continue;
            }
            let scale = if self.normalized_coords { self.size[d] as f32 } else { 1.0 };
            let x = coords[d] * scale;
            if self.linear_filter {
                // Hardware filters with eight fraction bits.
                let fixed = ((x - 0.5) * 256.0).round_ties_even() as i64;
                at[d] = fixed >> 8;
                fraction[d] = (fixed & 255) as u32;
            } else {
                at[d] = x.floor() as i64;
            }
        }
        let wrap = |at: [i64; 3]| -> [i64; 3] { std::array::from_fn(|d| self.wrap(d, at[d])) };
        if !self.linear_filter {
            return self.texel(read, wrap(at));
        }
        let mut sum = [0f32; 4];
        for corner in 0..1usize << filtered {
            let mut p = at;
            let mut weight = 1f32;
            for d in 0..filtered {
                let f = fraction[d] as f32 / 256.0;
                if corner >> d & 1 == 1 {
                    p[d] += 1;
                    weight *= f;
                } else {
                    weight *= 1.0 - f;
                }
            }
            let t = self.texel(read, wrap(p))?;
            for (s, v) in sum.iter_mut().zip(t) {
                *s += weight * f32::from_bits(v);
            }
        }
        Ok(sum.map(f32::to_bits))
    }
}

/// Textures by handle; index 0 names nothing.
#[derive(Clone, Debug, Default)]
pub struct Textures {
    entries: Vec<Option<Texture>>,
}

/// Bits of a handle that index the texture headers; the rest name the sampler.
const HEADER_BITS: u32 = 20;

impl Textures {
    /// Adds a texture and returns its handle.
    pub fn add(&mut self, t: Texture) -> u32 {
        if self.entries.is_empty() {
            self.entries.push(None);
        }
        self.entries.push(Some(t));
        self.entries.len() as u32 - 1
    }

    /// Removes a texture.
    pub fn remove(&mut self, handle: u32) {
        if let Some(e) = self.entries.get_mut(handle as usize) {
            *e = None;
        }
    }

    /// What a handle names.
    pub fn get(&self, handle: u32) -> Result<&Texture, TrapKind> {
        self.entries
            .get((handle & ((1 << HEADER_BITS) - 1)) as usize)
            .and_then(Option::as_ref)
            .ok_or(TrapKind::InvalidTexture(handle))
    }
}

/// Exact widening of an FP16 value.
fn half_to_f32(h: u16) -> f32 {
    let sign = if h >> 15 == 1 { -1.0 } else { 1.0 };
    let exp = i32::from(h >> 10 & 31);
    let frac = f32::from(h & 1023);
    sign * match exp {
        0 => frac * 2f32.powi(-24),
        31 if frac == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + frac / 1024.0) * 2f32.powi(exp - 15),
    }
}
