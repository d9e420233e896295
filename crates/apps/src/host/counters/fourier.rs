use crate::error::AppError;
use crate::host::Host;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Fourier transforms of signals.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fourier {
    signals: u32,
    /// Of a signal: a power of two, at most 256.
    points: u32,
}

impl Fourier {
    /// Real and imaginary parts by turns.
    fn input(&self, seed: u64) -> Vec<f32> {
        let numbers = 2 * (self.signals * self.points) as usize;
        Generator::new(seed, 0).uniform(numbers, -1.0, 1.0)
    }
}

impl Host for Fourier {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let signals = self.input(seed);
        let from = session.place(&signals)?;
        let to = session.room(signals.len() * 4)?;
        let args = Args::new().ptr(from).ptr(to).i32(self.points.ilog2() as i32);
        session.launch("fft", [self.signals, 1, 1], [self.points, 1, 1], &args)?;
        let spectra: Vec<f32> = session.read(to, signals.len())?;
        Ok(vec![Output::new("spectra", spectra)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        let input = self.input(seed);
        let signals = input.chunks_exact(2 * self.points as usize);
        let spectra = signals.flat_map(reference::fourier).collect();
        vec![Expected::reals("spectra", spectra)]
    }
}
