//! Heat: a temperature is reached and held by how much of the time the chip
//! works, and what it computes meanwhile is compared.

use super::controller::Controller;
use super::pulses::{Wave, run_wave};
use crate::{Bench, BoardError, Group, Kind, Level, Oracle, Test, TestAbout};

/// A temperature that is held.
pub struct Thermal;

static ABOUT: TestAbout = TestAbout {
    name: "thermal",
    group: Group::Stress,
    unit: "everything, warm",
    oracle: Oracle::Cpu,
    patterns: "work of both multiply-add pipes and the integer unit, its share of the time set \
               twice a second so that the sensor reads 75 degrees Celsius",
    footprint: "every SM, filled with threads",
    blind: "temperatures between the sensors; memory's own",
    from: Level::Three,
    injectable: false,
    not_on_model: "the model has no temperature",
};

/// Below where any data-centre chip begins to slow down (H200: 85 degrees and more).
const TARGET: f64 = 75.0;
/// Between two readings.
const STEP: f64 = 0.5;
/// Within so many degrees counts as reached.
const NEAR: f64 = 3.0;

impl Test for Thermal {
    fn about(&self) -> &'static TestAbout {
        &ABOUT
    }

    fn run(&self, bench: &mut Bench<'_>) -> Result<(), BoardError> {
        let steps = match (bench.board.about().kind, bench.effort.level) {
            (Kind::Model, _) => 1,
            (_, Level::Four) => 7200,
            _ => 240,
        };
        let mut controller = Controller::new(TARGET);
        let (mut near, mut highest) = (0u32, f64::MIN);
        for _ in 0..steps {
            let Some(temperature) = bench.board.sensors().temperature else {
                return Err(BoardError::CannotRun(
                    "the board has no reading of its temperature: NVML gives one where its \
                     library is installed"
                        .to_string(),
                ));
            };
            highest = highest.max(temperature);
            near += u32::from((temperature - TARGET).abs() <= NEAR);
            let duty = controller.next(temperature, STEP);
            // A hundred periods a second: no launch is long.
            run_wave(bench, &Wave { period: 0.01, busy: duty, periods: (STEP / 0.01) as u32 })?;
        }
        if near == 0 {
            bench.not_covered(format!(
                "{TARGET} degrees: the highest reading was {highest}, at a duty cycle of {:.2}",
                controller.duty()
            ));
        }
        bench.note(format!(
            "within {NEAR} degrees of {TARGET} at {near} of {steps} readings, highest {highest}"
        ));
        Ok(())
    }
}
