//! Sampling: from coordinates to texels to one colour.
//!
//! The formulas are those of the CUDA C++ programming guide, "Texture
//! Fetching": with linear filtering, weights are fixed-point numbers of eight
//! fractional bits.

use super::op::TexDim;
use super::{AddressMode, Level, Read, Texture};
use crate::trap::TrapKind;

/// Fractional bits of a filter weight.
const FRACTION: u32 = 8;
/// The weight one.
const ONE: i64 = 1 << FRACTION;

/// Where to sample in a level: coordinates, and the slice if it is no coordinate.
#[derive(Clone, Copy)]
struct SamplePoint {
    coords: [f32; 3],
    /// Coordinates that count.
    n: usize,
    /// Slice of layers and faces.
    slice: i64,
    /// Coordinates run from 0 to 1, whatever the texture says.
    normalized: bool,
}

impl Texture {
    /// Samples at floating-point coordinates.
    pub(super) fn sample(
        &self,
        read: &mut Read<'_>,
        dim: TexDim,
        coords: [f32; 3],
        layer: u32,
        lod: Option<f32>,
    ) -> Result<[u32; 4], TrapKind> {
        let place = self.place(dim, coords, layer);
        if self.mipmaps.is_empty() {
            return self.filter(read, &self.level(0), &place);
        }
        let Some(lod) = lod else {
            let what = "a mipmap level that gradients choose";
            return Err(TrapKind::Unimplemented(what.into()));
        };
        let last = self.mipmaps.len() as f32;
        let [low, high] = self.level_clamp;
        let lod = (lod + self.level_bias).max(low).min(high).max(0.0).min(last);
        if !self.linear_levels || !self.format.reads_float(self.normalized_read) {
            return self.filter(read, &self.level((lod + 0.5) as usize), &place);
        }
        let fixed = to_fixed(lod);
        let (level, fraction) = ((fixed >> FRACTION) as usize, weight(fixed & (ONE - 1)));
        let near = self.filter(read, &self.level(level), &place)?;
        let far = self.filter(read, &self.level(level + 1), &place)?;
        Ok(std::array::from_fn(|i| {
            let [a, b] = [near[i], far[i]].map(f32::from_bits);
            (a * (1.0 - fraction) + b * fraction).to_bits()
        }))
    }

    /// One channel of the four texels that a linear filter would use, in the
    /// order that gathers have: lower left, lower right, upper right, upper
    /// left, where `y` grows downwards.
    pub(super) fn gather(
        &self,
        read: &mut Read<'_>,
        dim: TexDim,
        coords: [f32; 3],
        layer: u32,
        channel: u8,
    ) -> Result<[u32; 4], TrapKind> {
        let place = self.place(dim, coords, layer);
        let level = self.level(0);
        let at = |d| to_fixed(self.scaled(&level, &place, d) - 0.5) >> FRACTION;
        let (x, y) = (at(0), at(1));
        let mut out = [0; 4];
        for (o, (right, below)) in out.iter_mut().zip([(0, 1), (1, 1), (1, 0), (0, 0)]) {
            let texel = [x + right, y + below, place.slice];
            *o = self.addressed(read, &level, texel, 2)?[usize::from(channel & 3)];
        }
        Ok(out)
    }

    fn place(&self, dim: TexDim, coords: [f32; 3], layer: u32) -> SamplePoint {
        // A layer that is not there is the last one.
        let layers = |of: u32| i64::from(layer).min(i64::from(self.size[2] / of) - 1).max(0);
        let n = dim.coordinates();
        let place = SamplePoint { coords, n, slice: 0, normalized: self.normalized_coords };
        match dim {
            TexDim::D1 | TexDim::D2 | TexDim::D3 => place,
            TexDim::Array1D | TexDim::Array2D => SamplePoint { slice: layers(1), ..place },
            TexDim::Cube | TexDim::ArrayCube => {
                let (face, s, t) = face(coords);
                let slice = 6 * layers(6) + face;
                SamplePoint { coords: [s, t, 0.0], n: 2, slice, normalized: true }
            }
        }
    }

    /// A coordinate in texels.
    fn scaled(&self, level: &Level, place: &SamplePoint, d: usize) -> f32 {
        let scale = if place.normalized { level.size[d] as f32 } else { 1.0 };
        place.coords[d] * scale
    }

    fn filter(
        &self,
        read: &mut Read<'_>,
        level: &Level,
        place: &SamplePoint,
    ) -> Result<[u32; 4], TrapKind> {
        let n = place.n;
        let mut at = [0, 0, place.slice];
        if !self.linear_filter || !self.format.reads_float(self.normalized_read) {
            for (d, c) in at.iter_mut().enumerate().take(n) {
                *c = self.scaled(level, place, d).floor() as i64;
            }
            return self.addressed(read, level, at, n);
        }
        let mut fraction = [0f32; 3];
        for d in 0..n {
            let fixed = to_fixed(self.scaled(level, place, d) - 0.5);
            at[d] = fixed >> FRACTION;
            fraction[d] = weight(fixed & (ONE - 1));
        }
        let mut sum = [0f32; 4];
        for corner in 0..1usize << n {
            let mut p = at;
            let mut share = 1f32;
            for d in 0..n {
                let far = corner >> d & 1 == 1;
                p[d] += i64::from(far);
                share *= if far { fraction[d] } else { 1.0 - fraction[d] };
            }
            let texel = self.addressed(read, level, p, n)?;
            // What has no weight takes no part, not even as an infinity.
            if share != 0.0 {
                for (s, v) in sum.iter_mut().zip(texel) {
                    *s += share * f32::from_bits(v);
                }
            }
        }
        Ok(sum.map(f32::to_bits))
    }

    /// The texel that `n` coordinates name under the address modes; the others
    /// are inside.
    fn addressed(
        &self,
        read: &mut Read<'_>,
        level: &Level,
        at: [i64; 3],
        n: usize,
    ) -> Result<[u32; 4], TrapKind> {
        let mut inside = at;
        for (d, c) in inside.iter_mut().enumerate().take(n) {
            *c = wrap(self.address[d], level.size[d], *c);
        }
        Ok(self.texel(read, level, inside)?.unwrap_or(self.border))
    }
}

/// Nearest fixed-point number.
fn to_fixed(x: f32) -> i64 {
    (x * ONE as f32).round_ties_even() as i64
}

fn weight(fraction: i64) -> f32 {
    fraction as f32 / ONE as f32
}

/// Applies an address mode to a texel coordinate. With a border, what is
/// outside stays there.
fn wrap(mode: AddressMode, size: u32, c: i64) -> i64 {
    let n = i64::from(size).max(1);
    match mode {
        AddressMode::Border => c,
        AddressMode::Clamp => c.clamp(0, n - 1),
        AddressMode::Wrap => c.rem_euclid(n),
        AddressMode::Mirror => {
            let m = c.rem_euclid(2 * n);
            if m < n { m } else { 2 * n - 1 - m }
        }
    }
}

/// The face that a direction meets, and where, from 0 to 1 (the guide's table
/// of cubemap faces; between faces the last axis wins).
fn face([x, y, z]: [f32; 3]) -> (i64, f32, f32) {
    let [ax, ay, az] = [x, y, z].map(f32::abs);
    let (face, m, s, t) = if az >= ax && az >= ay {
        if z >= 0.0 { (4, az, x, -y) } else { (5, az, -x, -y) }
    } else if ay >= ax {
        if y >= 0.0 { (2, ay, x, z) } else { (3, ay, x, -z) }
    } else if x >= 0.0 {
        (0, ax, -z, -y)
    } else {
        (1, ax, z, -y)
    };
    (face, (s / m + 1.0) / 2.0, (t / m + 1.0) / 2.0)
}
