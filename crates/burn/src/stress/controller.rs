//! Holding a temperature by how much of the time the chip works.

/// A proportional-integral controller of the duty cycle.
///
/// The integral is bounded so that a ramp that takes minutes does not wind it
/// up, and moves only while the duty cycle is not already at its end.
#[derive(Clone, Debug)]
pub struct Controller {
    target: f64,
    integral: f64,
    duty: f64,
}

/// Duty per degree, and per degree and second. A chip of 300 W to 700 W warms by
/// tens of degrees within half a minute: a tenth of the duty for each degree
/// is full load until ten degrees are missing.
const PROPORTIONAL: f64 = 0.08;
const INTEGRAL: f64 = 0.004;

impl Controller {
    /// A controller for a temperature in degrees Celsius.
    pub fn new(target: f64) -> Controller {
        Controller { target, integral: 0.0, duty: 0.0 }
    }

    /// The duty cycle, 0 to 1, for the next `seconds`, now that it is so warm.
    pub fn next(&mut self, temperature: f64, seconds: f64) -> f64 {
        let missing = self.target - temperature;
        let wanted = PROPORTIONAL * missing + self.integral;
        let pushes_out = (wanted >= 1.0 && missing > 0.0) || (wanted <= 0.0 && missing < 0.0);
        if !pushes_out {
            self.integral = (self.integral + INTEGRAL * missing * seconds).clamp(0.0, 1.0);
        }
        self.duty = (PROPORTIONAL * missing + self.integral).clamp(0.0, 1.0);
        self.duty
    }

    /// The last duty cycle.
    pub fn duty(&self) -> f64 {
        self.duty
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chip and its cooler as one warm body: so many degrees at full load, so
    /// many seconds to get two thirds of the way; a sensor in whole degrees.
    struct Plant {
        ambient: f64,
        rise: f64,
        slowness: f64,
        temperature: f64,
    }

    impl Plant {
        fn run(&mut self, duty: f64, seconds: f64) -> f64 {
            let settled = self.ambient + self.rise * duty;
            let share = 1.0 - (-seconds / self.slowness).exp();
            self.temperature += (settled - self.temperature) * share;
            self.temperature.floor()
        }
    }

    fn settles(mut plant: Plant, target: f64) -> (f64, f64) {
        let mut controller = Controller::new(target);
        let mut seen = plant.temperature.floor();
        let (mut highest, mut low, mut high) = (seen, f64::MAX, f64::MIN);
        for step in 0..600 {
            let duty = controller.next(seen, 0.5);
            assert!((0.0..=1.0).contains(&duty));
            seen = plant.run(duty, 0.5);
            highest = plant.temperature.max(highest);
            if step >= 400 {
                (low, high) = (low.min(plant.temperature), high.max(plant.temperature));
            }
        }
        assert!(highest < target + 5.0, "overshoot to {highest}");
        (low, high)
    }

    #[test]
    fn temperatures_are_held_within_three_degrees() {
        for slowness in [4.0, 10.0, 30.0] {
            for target in [50.0, 65.0, 75.0] {
                let plant = Plant { ambient: 28.0, rise: 55.0, slowness, temperature: 30.0 };
                let (low, high) = settles(plant, target);
                assert!(
                    low > target - 3.0 && high < target + 3.0,
                    "{target} with {slowness} s: {low:.1} to {high:.1}"
                );
            }
        }
    }

    #[test]
    fn what_cannot_be_reached_is_full_load_without_winding_up() {
        let mut plant = Plant { ambient: 25.0, rise: 20.0, slowness: 5.0, temperature: 25.0 };
        let mut controller = Controller::new(80.0);
        for _ in 0..1000 {
            let duty = controller.next(plant.temperature, 0.5);
            plant.run(duty, 0.5);
        }
        assert_eq!(controller.duty(), 1.0);
        // Asked for less, it lets go at once.
        controller.target = 30.0;
        assert!(controller.next(plant.temperature, 0.5) < 0.5);
    }
}
