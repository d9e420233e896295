/// Lumped thermal constants of one cell of a chip divided into a square grid
/// (HotSpot, Huang et al., IEEE TVLSI 14, 2006): the defaults of the published
/// benchmark, in SI units.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HeatModel {
    pub capacity: f32,
    pub resistance_x: f32,
    pub resistance_y: f32,
    pub resistance_z: f32,
    /// Length of a time step.
    pub step: f32,
}

const CHIP_SIDE: f64 = 0.016;
const CHIP_THICKNESS: f64 = 0.0005;
/// Heat capacity of silicon per volume, and the part of it that counts.
const SPECIFIC_HEAT: f64 = 1.75e6;
const CAPACITY_FACTOR: f64 = 0.5;
const CONDUCTIVITY: f64 = 100.0;
const MAX_POWER_DENSITY: f64 = 3.0e6;
/// Largest change of temperature in one step.
const PRECISION: f64 = 0.001;
const AMBIENT: f64 = 80.0;

impl HeatModel {
    /// The constants for a chip cut into `cells` by `cells`.
    pub fn of_grid(cells: u32) -> Self {
        let side = CHIP_SIDE / f64::from(cells);
        let sideways = side / (2.0 * CONDUCTIVITY * CHIP_THICKNESS * side);
        let heat = CAPACITY_FACTOR * SPECIFIC_HEAT * CHIP_THICKNESS;
        Self {
            capacity: (heat * side * side) as f32,
            resistance_x: sideways as f32,
            resistance_y: sideways as f32,
            resistance_z: (CHIP_THICKNESS / (CONDUCTIVITY * side * side)) as f32,
            step: (PRECISION * heat / MAX_POWER_DENSITY) as f32,
        }
    }
}

/// Temperatures of a square grid after explicit steps of the heat equation; no
/// heat flows over the edge.
pub(crate) fn heat(temperature: &[f32], power: &[f32], size: usize, steps: u32) -> Vec<f64> {
    let model = HeatModel::of_grid(size as u32);
    let gain = f64::from(model.step) / f64::from(model.capacity);
    let mut now: Vec<f64> = temperature.iter().map(|&t| f64::from(t)).collect();
    for _ in 0..steps {
        let mut next = now.clone();
        for row in 0..size {
            for col in 0..size {
                let here = now[row * size + col];
                let north = now[row.saturating_sub(1) * size + col];
                let south = now[(row + 1).min(size - 1) * size + col];
                let west = now[row * size + col.saturating_sub(1)];
                let east = now[row * size + (col + 1).min(size - 1)];
                let flow = f64::from(power[row * size + col])
                    + (north + south - 2.0 * here) / f64::from(model.resistance_y)
                    + (east + west - 2.0 * here) / f64::from(model.resistance_x)
                    + (AMBIENT - here) / f64::from(model.resistance_z);
                next[row * size + col] = here + gain * flow;
            }
        }
        now = next;
    }
    now
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ambient_chip_without_power_stays_as_it_is() {
        let temperature = vec![AMBIENT as f32; 64];
        assert_eq!(heat(&temperature, &[0.0; 64], 8, 3), vec![AMBIENT; 64]);
    }

    #[test]
    fn heat_spreads_evenly_and_none_is_lost_sideways() {
        let mut temperature = vec![AMBIENT as f32; 25];
        temperature[12] += 10.0;
        let after = heat(&temperature, &[0.0; 25], 5, 1);
        let warmed = [7, 11, 13, 17].map(|i| after[i] - AMBIENT);
        assert!(warmed.iter().all(|&w| w > 0.0 && w == warmed[0]), "{warmed:?}");
        let model = HeatModel::of_grid(5);
        let gain = f64::from(model.step) / f64::from(model.capacity);
        let lost_upwards = gain * 10.0 / f64::from(model.resistance_z);
        let total: f64 = after.iter().map(|t| t - AMBIENT).sum();
        assert!((total - (10.0 - lost_upwards)).abs() < 1e-9, "{total}");
    }
}
