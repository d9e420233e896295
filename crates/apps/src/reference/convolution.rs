/// A square mask of whole weights.
pub(crate) struct Mask<'w> {
    /// Row by row.
    pub weights: &'w [u32],
    /// What a weight is a fraction of.
    pub unit: u32,
}

impl Mask<'_> {
    /// The weighted mean around every pixel, cut to a whole number; beyond its
    /// edges the image is 0.
    pub fn applied(&self, image: &[u32], width: usize) -> Vec<u32> {
        let side = self.weights.len().isqrt();
        let (margin, height) = (side / 2, image.len() / width);
        // Coordinates are one margin to the right and down, to stay above 0.
        let pixel = |x: usize, y: usize| {
            let inside =
                (margin..width + margin).contains(&x) && (margin..height + margin).contains(&y);
            if inside { image[(y - margin) * width + x - margin] } else { 0 }
        };
        let sum = |cell: usize| -> u32 {
            let (x, y) = (cell % width, cell / width);
            let weights = self.weights.iter().enumerate();
            weights.map(|(i, weight)| weight * pixel(x + i % side, y + i / side)).sum()
        };
        (0..image.len()).map(|cell| sum(cell) / self.unit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_impulse_shows_the_mask_mirrored() {
        let weights = [1, 2, 3, 4, 5, 6, 7, 8, 9];
        let mut image = [0; 25];
        image[12] = 1;
        let found = Mask { weights: &weights, unit: 1 }.applied(&image, 5);
        let inner: Vec<u32> = (1..4).flat_map(|y| found[5 * y + 1..5 * y + 4].to_vec()).collect();
        assert_eq!(inner, [9, 8, 7, 6, 5, 4, 3, 2, 1]);
        assert_eq!(found.iter().sum::<u32>(), 45);
    }

    #[test]
    fn beyond_the_edge_is_nothing() {
        let found = Mask { weights: &[1; 9], unit: 2 }.applied(&[3; 6], 3);
        assert_eq!(found, [6, 9, 6, 6, 9, 6]);
    }
}
