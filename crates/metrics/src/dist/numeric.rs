//! Numerical methods that the distributions share.

/// The x between `low` and `high` where a rising function reaches `target`.
pub(super) fn bisect(mut low: f64, mut high: f64, target: f64, f: impl Fn(f64) -> f64) -> f64 {
    loop {
        let middle = low + (high - low) / 2.0;
        // No number lies between them any more.
        if middle <= low || middle >= high {
            return middle;
        }
        if f(middle) < target {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// Sum of a continued fraction `1 / (1 + a1/(1 + a2/(1 + …)))` of terms `a(n)`,
/// by Lentz's method as Thompson and Barnett changed it (J. Comput. Phys. 64, 1986).
pub(super) fn continued_fraction(b0: f64, mut term: impl FnMut(u32) -> (f64, f64)) -> f64 {
    const TINY: f64 = 1e-300;
    /// Terms needed grow with the square root of the parameters: enough for 1e9 runs.
    const MOST: u32 = 200_000;
    let nonzero = |x: f64| if x.abs() < TINY { TINY } else { x };
    let mut value = nonzero(b0);
    let (mut c, mut d) = (value, 0.0);
    for n in 1..MOST {
        let (a, b) = term(n);
        d = 1.0 / nonzero(b + a * d);
        c = nonzero(b + a / c);
        let factor = c * d;
        value *= factor;
        if (factor - 1.0).abs() < 1e-16 {
            break;
        }
    }
    value
}
