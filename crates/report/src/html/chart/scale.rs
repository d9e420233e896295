//! Ticks at round numbers.

/// Steps of 1, 2 or 5 times a power of ten, three to six of them up to `max`.
pub fn ticks(max: f64) -> Vec<f64> {
    if !(max.is_finite() && max > 0.0) {
        return vec![0.0, 1.0];
    }
    let rough = max / 4.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= rough);
    let step = step.unwrap_or(10.0 * power);
    let count = (max / step - 1e-9).ceil() as u32;
    (0..=count).map(|i| f64::from(i) * step).collect()
}

/// Powers of ten around values above zero, at most seven of them.
pub fn powers(min: f64, max: f64) -> Vec<f64> {
    if !(min.is_finite() && min > 0.0 && max.is_finite() && max >= min) {
        return vec![1.0, 10.0];
    }
    let first = min.log10().floor() as i32;
    let last = (max.log10().ceil() as i32).max(first + 1);
    let step = ((last - first) as usize).div_ceil(6);
    let mut powers: Vec<f64> = (first..last).step_by(step).map(|p| 10f64.powi(p)).collect();
    powers.push(10f64.powi(last));
    powers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_numbers_that_cover_the_data() {
        for max in [1e-9, 0.013, 0.1, 0.9999, 1.0, 3.0, 400.0, 7.7e8] {
            let t = ticks(max);
            assert!((3..=7).contains(&t.len()), "{max}: {t:?}");
            assert!(t[t.len() - 1] >= max * (1.0 - 1e-9) && t[0] == 0.0);
        }
        assert_eq!(powers(3.0, 250.0), [1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(powers(5.0, 5.0), [1.0, 10.0]);
        assert_eq!(powers(f64::INFINITY, 0.0), [1.0, 10.0]);
        assert!(powers(1e-9, 1e12).len() <= 7);
        assert_eq!(ticks(0.08).len(), 5);
        assert_eq!(ticks(0.0), [0.0, 1.0]);
        assert_eq!(ticks(f64::NAN), [0.0, 1.0]);
    }
}
