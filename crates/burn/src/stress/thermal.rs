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
               twice a second so that the sensor reads 75 degrees Celsius, or 5 less than full load \
               reaches in a minute",
    footprint: "every SM, filled with threads",
    blind: "temperatures between the sensors; memory's own",
    from: Level::Three,
    injectable: false,
    not_on_model: "the model has no temperature",
};

/// Below where any data-centre chip begins to slow down (H200: 85 degrees and more).
const TARGET: f64 = 75.0;
/// So many degrees below what full load reaches, where that is less.
const BELOW: f64 = 5.0;
/// Between two readings.
const STEP: f64 = 0.5;
/// Within so many degrees counts as reached.
const NEAR: f64 = 3.0;
/// Readings at full load at most, and then under control; of these the second
/// half is judged.
const WARMING: u32 = 100;
const HOLDING: u32 = 100;

impl Test for Thermal {
    fn about(&self) -> &'static TestAbout {
        &ABOUT
    }

    fn run(&self, bench: &mut Bench<'_>) -> Result<(), BoardError> {
        let (warming, holding) = match (bench.board.about().kind, bench.effort.level) {
            (Kind::Model, _) => (2, 4),
            (_, Level::Four) => (WARMING, 7200),
            _ => (WARMING, HOLDING),
        };
        let mut highest = f64::MIN;
        for _ in 0..warming {
            highest = highest.max(temperature(bench)?);
            if highest >= TARGET {
                break;
            }
            work(bench, 1.0)?;
        }
        let target = TARGET.min((highest - BELOW).floor());
        let mut controller = Controller::new(target);
        let mut read = Vec::new();
        for _ in 0..holding {
            let now = temperature(bench)?;
            read.push(now);
            work(bench, controller.next(now, STEP))?;
        }
        let judged = &read[read.len() / 2..];
        let near = judged.iter().filter(|t| (**t - target).abs() <= NEAR).count();
        let least = judged.iter().copied().fold(f64::MAX, f64::min);
        let most = judged.iter().copied().fold(f64::MIN, f64::max);
        let told = format!(
            "{target} degrees were to be held after {highest} at full load: {near} of {} readings \
             within {NEAR}, from {least} to {most}, at a duty cycle of {:.2} in the end",
            judged.len(),
            controller.duty()
        );
        // Nine tenths of them.
        if near * 10 < judged.len() * 9 {
            bench.not_covered(told.clone());
        }
        bench.note(told);
        Ok(())
    }
}

fn temperature(bench: &mut Bench<'_>) -> Result<f64, BoardError> {
    bench.board.sensors().temperature.ok_or_else(|| {
        BoardError::CannotRun(
            "the board has no reading of its temperature: NVML gives one where its library is \
             installed"
                .to_string(),
        )
    })
}

/// A hundred periods a second: no launch is long.
fn work(bench: &mut Bench<'_>, busy: f64) -> Result<(), BoardError> {
    run_wave(bench, &Wave { period: 0.01, busy, periods: (STEP / 0.01) as u32 })
}
