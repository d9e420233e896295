/// Places of the shuffle's table.
const TABLE: usize = 16;
/// Numbers that are thrown away at first, and that are drawn.
const WARM_UP: usize = 8;
const DRAWN: usize = 4;
/// 2^31 - 1.
const MODULUS: u64 = 0x7fff_ffff;

/// The minimal standard generator (Park and Miller, 1988).
fn next(x: u64) -> u64 {
    x * 16_807 % MODULUS
}

/// A number from 1 to 2^31 - 2: the generator's, shuffled through a table whose
/// places the numbers themselves choose (Bays and Durham, 1976).
fn shuffled(seed: u64) -> u64 {
    let mut x = seed;
    let mut draw = || {
        x = next(x);
        x
    };
    for _ in 0..WARM_UP {
        draw();
    }
    let mut table = [0; TABLE];
    for place in table.iter_mut().rev() {
        *place = draw();
    }
    let width = MODULUS.div_ceil(TABLE as u64);
    let mut drawn = table[0];
    for _ in 0..DRAWN {
        let place = &mut table[(drawn / width) as usize];
        drawn = std::mem::replace(place, draw());
    }
    drawn
}

/// An image of four-byte pixels with uniform noise of a range of `factor` added
/// to each, cut to whole numbers from 0 to 255. A pixel's mean seeds its noise.
///
/// Single precision, because a byte is cut from the sum: one operation after
/// the other as the definition has them.
pub(crate) fn with_noise(image: &[u8], factor: f32) -> Vec<u8> {
    let noisy = |pixel: &[u8]| {
        let mean = pixel.iter().map(|&byte| u64::from(byte)).sum::<u64>() / 4;
        let uniform = shuffled(mean + 1) as f32 / 2_147_483_648.0;
        let noise = (uniform - 0.5) * factor;
        // `as` cuts to a whole number from 0 to 255.
        [0, 1, 2, 3].map(|channel| (f32::from(pixel[channel]) + noise) as u8)
    };
    image.chunks_exact(4).flat_map(noisy).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generators_ten_thousandth_number_is_the_published_one() {
        assert_eq!((0..10_000).fold(1, |x, _| next(x)), 1_043_618_065);
    }

    #[test]
    fn the_table_has_a_place_for_every_number() {
        assert_eq!((MODULUS - 1) / MODULUS.div_ceil(TABLE as u64), TABLE as u64 - 1);
    }

    #[test]
    fn noise_is_as_wide_as_it_should_be_and_the_same_for_a_mean() {
        let image: Vec<u8> = (0..=255).flat_map(|grey| [grey; 4]).collect();
        let found = with_noise(&image, 100.0);
        let moved: Vec<i32> = (30..220).map(|g| i32::from(found[4 * g]) - g as i32).collect();
        assert!(moved.iter().all(|by| (-50..=50).contains(by)));
        assert!(moved.iter().any(|&by| by < -35) && moved.iter().any(|&by| by > 35));
        let mean: i32 = moved.iter().sum::<i32>() / 190;
        assert!(mean.abs() < 10, "{mean}");
        assert_eq!(with_noise(&image, 0.0), image);
    }
}
