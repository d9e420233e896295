/// What red, green and blue weigh in luma (ITU-R BT.601), and the fraction to
/// which the weights are rounded.
const WEIGHTS: [f64; 3] = [0.299, 0.587, 0.114];
const FRACTION: f64 = 256.0;

/// Luma of pixels given as red, green and blue, rounded to the nearest.
pub(crate) fn luma(colours: &[u8]) -> Vec<u8> {
    let weights = WEIGHTS.map(|weight| (weight * FRACTION).round() / FRACTION);
    // 256ths of bytes: every step is exact.
    let of = |pixel: &[u8]| {
        let parts = pixel.iter().zip(weights).map(|(&part, weight)| f64::from(part) * weight);
        (parts.sum::<f64>() + 0.5).floor() as u8
    };
    colours.chunks_exact(3).map(of).collect()
}

/// Sobel's operator: how the image changes along one direction, smoothed along
/// the other.
const ALONG: [i32; 3] = [-1, 0, 1];
const SMOOTHED: [i32; 3] = [1, 2, 1];

/// Strength of the edges: the sizes of both gradients together, at most 255;
/// 0 at the outermost pixels.
pub(crate) fn edges(image: &[u8], width: usize) -> Vec<u8> {
    let height = image.len() / width;
    let strength = |x: usize, y: usize| {
        let gradient = |across: [i32; 3], down: [i32; 3]| -> i32 {
            let cells = (0..9).map(|cell| (cell % 3, cell / 3));
            let terms = cells.map(|(i, j)| {
                across[i] * down[j] * i32::from(image[(y + j - 1) * width + x + i - 1])
            });
            terms.sum()
        };
        let sum = gradient(ALONG, SMOOTHED).abs() + gradient(SMOOTHED, ALONG).abs();
        u8::try_from(sum).unwrap_or(u8::MAX)
    };
    let pixel = |cell: usize| {
        let (x, y) = (cell % width, cell / width);
        let inside = (1..width - 1).contains(&x) && (1..height - 1).contains(&y);
        if inside { strength(x, y) } else { 0 }
    };
    (0..image.len()).map(pixel).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn luma_of_pure_colours_and_of_white() {
        let colours = [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 2, 1, 1];
        assert_eq!(luma(&colours), [77, 149, 29, 255, 0, 1]);
    }

    #[test]
    fn edges_of_a_step_and_of_a_slope() {
        // A step of 10 between the second and third column of five.
        let step = [5, 5, 15, 15, 15].repeat(3);
        assert_eq!(&edges(&step, 5)[5..10], [0, 40, 40, 0, 0]);
        assert_eq!(&edges(&step, 5)[..5], [0; 5]);
        // One to the right and two down: 8 and 16.
        let slope: Vec<u8> = (0..16).map(|cell| (cell % 4 + 2 * (cell / 4)) as u8).collect();
        assert_eq!(&edges(&slope, 4)[4..8], [0, 24, 24, 0]);
    }

    #[test]
    fn no_edge_is_stronger_than_a_byte() {
        let steps = [0, 0, 255, 255].repeat(3);
        assert_eq!(&edges(&steps, 4)[4..8], [0, 255, 255, 0]);
    }
}
