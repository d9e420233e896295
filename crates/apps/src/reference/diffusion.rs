/// Speckle reducing anisotropic diffusion (Yu and Acton, IEEE TIP 11, 2002) of
/// a row-major image. `in_region(row, col)` tells the homogeneous region whose
/// variation is taken for speckle.
pub(crate) fn diffuse(
    mut image: Vec<f64>,
    width: usize,
    iterations: u32,
    lambda: f64,
    in_region: impl Fn(usize, usize) -> bool,
) -> Vec<f64> {
    let height = image.len() / width;
    for _ in 0..iterations {
        let speckle = squared_variation(&image, width, &in_region);
        let differences: Vec<[f64; 4]> =
            pixels(width, height).map(|(row, col)| differences(&image, width, row, col)).collect();
        let coefficient: Vec<f64> = image
            .iter()
            .zip(&differences)
            .map(|(&here, differences)| diffusivity(here, differences, speckle))
            .collect();
        let flows: Vec<f64> = pixels(width, height)
            .zip(&differences)
            .map(|((row, col), [north, south, west, east])| {
                let here = coefficient[row * width + col];
                let below = coefficient[(row + 1).min(height - 1) * width + col];
                let right = coefficient[row * width + (col + 1).min(width - 1)];
                here * north + below * south + here * west + right * east
            })
            .collect();
        for (pixel, flow) in image.iter_mut().zip(flows) {
            *pixel += lambda / 4.0 * flow;
        }
    }
    image
}

fn pixels(width: usize, height: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..height).flat_map(move |row| (0..width).map(move |col| (row, col)))
}

/// Variance over squared mean.
fn squared_variation(
    image: &[f64],
    width: usize,
    in_region: &impl Fn(usize, usize) -> bool,
) -> f64 {
    let region: Vec<f64> = pixels(width, image.len() / width)
        .filter(|&(row, col)| in_region(row, col))
        .map(|(row, col)| image[row * width + col])
        .collect();
    let count = region.len() as f64;
    let mean = region.iter().sum::<f64>() / count;
    let variance = region.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / count;
    variance / (mean * mean)
}

/// Neighbours less the pixel itself: north, south, west, east; the edge mirrors.
fn differences(image: &[f64], width: usize, row: usize, col: usize) -> [f64; 4] {
    let height = image.len() / width;
    let here = image[row * width + col];
    [
        image[row.saturating_sub(1) * width + col] - here,
        image[(row + 1).min(height - 1) * width + col] - here,
        image[row * width + col.saturating_sub(1)] - here,
        image[row * width + (col + 1).min(width - 1)] - here,
    ]
}

/// How freely a pixel exchanges: 1 in homogeneous places, towards 0 at edges.
fn diffusivity(here: f64, differences: &[f64; 4], speckle: f64) -> f64 {
    let gradient = differences.iter().map(|d| d * d).sum::<f64>() / (here * here);
    let laplacian = differences.iter().sum::<f64>() / here;
    let scale = 1.0 + laplacian / 4.0;
    let variation = (gradient / 2.0 - laplacian * laplacian / 16.0) / (scale * scale);
    let excess = (variation - speckle) / (speckle * (1.0 + speckle));
    (1.0 / (1.0 + excess)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_at_an_edge_is_kept_better_than_speckle() {
        // Left half around 1, right half around 2, with a little noise.
        let image: Vec<f64> = (0..64)
            .map(|i| {
                let base = if i % 8 < 4 { 1.0 } else { 2.0 };
                base + if (i / 8 + i) % 2 == 0 { 0.02 } else { -0.02 }
            })
            .collect();
        let after = diffuse(image.clone(), 8, 4, 0.5, |_, col| col < 4);
        let noise = |image: &[f64]| (image[9] - image[10]).abs();
        let edge = |image: &[f64]| image[13] - image[10];
        assert!(noise(&after) < 0.7 * noise(&image));
        assert!(edge(&after) > 0.95);
    }

    #[test]
    fn clear_edges_stop_diffusion_altogether() {
        assert!(diffusivity(1.0, &[5.0, 0.0, 0.0, 0.0], 1e-3) < 0.01);
        assert_eq!(diffusivity(1.0, &[0.0; 4], 0.1), 1.0);
    }
}
