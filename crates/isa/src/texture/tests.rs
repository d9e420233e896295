use crate::TrapKind;

use super::*;

/// Texels of one float each, row after row from address 0.
fn floats(size: [u32; 3]) -> Texture {
    let level = Level::rows(0, size, u64::from(size[0]) * 4);
    Texture { address: [AddressMode::Clamp; 3], ..Texture::new(level, TexFormat::F32) }
}

/// A memory in which texel (x, y, z) of an 8 x 4 x … texture is 100 z + 10 y + x.
fn places(addr: u64, _: usize) -> Result<u32, TrapKind> {
    let i = addr / 4;
    let (x, y, z) = (i % 8, i / 8 % 4, i / 32);
    Ok(((100 * z + 10 * y + x) as f32).to_bits())
}

fn sample(t: &Texture, dim: TexDim, coords: [f32; 3], layer: u32) -> f32 {
    let got = t.sample(&mut places, dim, coords, layer, Some(0.0));
    f32::from_bits(got.expect("memory is everywhere")[0])
}

#[test]
fn point_sampling_takes_the_texel_around_the_place() {
    let t = floats([8, 4, 2]);
    assert_eq!(sample(&t, TexDim::D2, [3.0, 2.0, 0.0], 0), 23.0);
    assert_eq!(sample(&t, TexDim::D2, [3.99, 2.99, 0.0], 0), 23.0);
    assert_eq!(sample(&t, TexDim::D1, [3.5, 0.0, 0.0], 0), 3.0);
    assert_eq!(sample(&t, TexDim::D3, [3.5, 2.5, 1.5], 0), 123.0);
    assert_eq!(sample(&t, TexDim::Array2D, [3.5, 2.5, 0.0], 1), 123.0);
    assert_eq!(sample(&t, TexDim::Array2D, [3.5, 2.5, 0.0], 9), 123.0, "the last layer");
}

#[test]
fn linear_filtering_follows_the_guide() {
    let t = Texture { linear_filter: true, ..floats([8, 4, 2]) };
    assert_eq!(sample(&t, TexDim::D2, [3.5, 2.5, 0.0], 0), 23.0, "a texel's centre");
    assert_eq!(sample(&t, TexDim::D2, [4.0, 2.5, 0.0], 0), 23.5);
    assert_eq!(sample(&t, TexDim::D2, [3.75, 2.75, 0.0], 0), 25.75);
    assert_eq!(sample(&t, TexDim::D3, [3.75, 2.75, 1.0], 0), 75.75);
    assert_eq!(sample(&t, TexDim::Array2D, [3.75, 2.75, 0.0], 1), 125.75);
    assert_eq!(sample(&t, TexDim::D2, [-5.0, 0.0, 0.0], 0), 0.0, "clamped");
    // Weights have eight fractional bits.
    assert_eq!(sample(&t, TexDim::D2, [3.501, 0.5, 0.0], 0), 3.0);
    assert_eq!(sample(&t, TexDim::D2, [3.503, 0.5, 0.0], 0), 3.0 + 1.0 / 256.0);
    assert_eq!(sample(&t, TexDim::D2, [4.499, 0.5, 0.0], 0), 4.0);
}

#[test]
fn address_modes_with_normalised_coordinates() {
    let t = |mode| Texture {
        normalized_coords: true,
        address: [mode; 3],
        border: [7f32.to_bits(); 4],
        ..floats([8, 4, 2])
    };
    let x = |mode, x: f32| sample(&t(mode), TexDim::D2, [x / 8.0, 0.1, 0.0], 0);
    for (mode, at) in [
        (AddressMode::Wrap, [6.0, 7.0, 0.0, 7.0, 0.0, 1.0]),
        (AddressMode::Clamp, [0.0, 0.0, 0.0, 7.0, 7.0, 7.0]),
        (AddressMode::Mirror, [1.0, 0.0, 0.0, 7.0, 7.0, 6.0]),
        (AddressMode::Border, [7.0, 7.0, 0.0, 7.0, 7.0, 7.0]),
    ] {
        let got = [-1.5, -0.5, 0.5, 7.5, 8.5, 9.5].map(|c| x(mode, c));
        assert_eq!(got, at, "{mode:?}");
    }
    let far = f32::MAX;
    assert_eq!(sample(&t(AddressMode::Clamp), TexDim::D2, [far, 0.1, 0.0], 0), 7.0);
    let linear = Texture { linear_filter: true, ..t(AddressMode::Clamp) };
    assert_eq!(sample(&linear, TexDim::D2, [far, 0.1, 0.0], 0), 7.0);
    assert_eq!(sample(&linear, TexDim::D2, [f32::NEG_INFINITY, 0.1, 0.0], 0), 0.0);
    assert_eq!(sample(&linear, TexDim::D2, [f32::NAN, 0.1, 0.0], 0), 0.0);
}

#[test]
fn a_border_takes_part_in_filtering() {
    let border = [8f32.to_bits(); 4];
    let t = Texture {
        linear_filter: true,
        address: [AddressMode::Border, AddressMode::Clamp, AddressMode::Clamp],
        border,
        ..floats([8, 4, 2])
    };
    assert_eq!(sample(&t, TexDim::D2, [0.0, 0.5, 0.0], 0), 4.0);
}

#[test]
fn gathers_go_round_the_four_texels() {
    let t = floats([8, 4, 2]);
    let got = t.gather(&mut places, TexDim::D2, [4.0, 2.0, 0.0], 0, 0).expect("memory");
    assert_eq!(got.map(f32::from_bits), [23.0, 24.0, 14.0, 13.0]);
    let alpha = t.gather(&mut places, TexDim::D2, [4.0, 2.0, 0.0], 0, 3).expect("memory");
    assert_eq!(alpha.map(f32::from_bits), [1.0; 4]);
}

#[test]
fn directions_meet_the_faces_of_a_cube() {
    // Faces of 4 x 4: the slice counts in steps of 16 texels.
    let t = floats([4, 4, 12]);
    let mut slice = |addr: u64, _: usize| Ok((addr / 64) as u32);
    let mut face = |coords, layer| {
        let got = t.sample(&mut slice, TexDim::ArrayCube, coords, layer, Some(0.0));
        got.expect("memory")[0]
    };
    let axes = [
        [1.0, 0.2, 0.3],
        [-1.0, 0.2, 0.3],
        [0.2, 1.0, 0.3],
        [0.2, -1.0, 0.3],
        [0.2, 0.3, 1.0],
        [0.2, 0.3, -1.0],
    ];
    assert_eq!(axes.map(|a| face(a, 0)), [0, 1, 2, 3, 4, 5]);
    assert_eq!(face(axes[2], 1), 8);
    let mut texel = |addr: u64, _: usize| Ok((addr / 4) as u32);
    let got = t.sample(&mut texel, TexDim::Cube, [1.0, 0.9, 0.9], 0, Some(0.0));
    assert_eq!(got.expect("memory")[0], 0, "+x: s = -z, t = -y");
}

#[test]
fn levels_are_chosen_by_number() {
    let level = |addr, n: u32| Level::rows(addr, [n, n, 1], u64::from(n) * 4);
    let mut t = Texture {
        normalized_coords: true,
        mipmaps: vec![level(0x1000, 2), level(0x2000, 1)],
        level_clamp: [0.0, 2.0],
        ..floats([4, 4, 1])
    };
    let mut which = |addr: u64, _: usize| Ok(((addr >> 12) as f32).to_bits());
    let mut at = |t: &Texture, lod| {
        let got = t.sample(&mut which, TexDim::D2, [0.9, 0.9, 0.0], 0, Some(lod));
        f32::from_bits(got.expect("memory")[0])
    };
    assert_eq!([-32.0, 0.0, 0.4, 0.6, 1.0, 9.0].map(|l| at(&t, l)), [0., 0., 0., 1., 1., 2.]);
    t.linear_levels = true;
    assert_eq!([0.0, 0.25, 1.5, 7.0].map(|l| at(&t, l)), [0.0, 0.25, 1.5, 2.0]);
    t.level_bias = 1.0;
    assert_eq!(at(&t, 0.0), 1.0);
    let implicit = t.sample(&mut which, TexDim::D2, [0.0; 3], 0, None);
    assert!(matches!(implicit, Err(TrapKind::Unimplemented(_))));
}

#[test]
fn integer_loads_read_zero_outside() {
    let t = floats([8, 4, 2]);
    let at = |x, y, z| t.load(&mut places, [x, y, z], 0).expect("memory")[0];
    assert_eq!(at(3, 2, 1), 123f32.to_bits());
    assert_eq!([at(8, 0, 0), at(-1, 0, 0), at(0, 4, 0), at(0, 0, 2)], [0; 4]);
    let outside = t.load(&mut places, [8, 0, 0], 0).expect("memory");
    assert_eq!(outside, [0; 4], "all four channels");
}

#[test]
fn missing_channels_are_zero_and_one() {
    let mut pair = floats([8, 4, 2]);
    pair.format = TexFormat { channels: 2, bits: 16, kind: TexelKind::Unsigned };
    let mut count = |addr: u64, len: usize| {
        assert_eq!(len, 2);
        Ok(addr as u32 + 1)
    };
    assert_eq!(pair.load(&mut count, [1, 0, 0], 0).expect("memory"), [5, 7, 0, 1]);
}
