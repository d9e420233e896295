use crate::error::AppError;
use crate::host::Host;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Haar's wavelet transform of a signal.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HaarWavelet {
    /// A power of two.
    length: u32,
    /// Most work-items of a group; each takes two samples.
    group: u32,
}

impl HaarWavelet {
    fn input(&self, seed: u64) -> Vec<f32> {
        Generator::new(seed, 0).uniform(self.length as usize, 0.0, 10.0)
    }
}

impl Host for HaarWavelet {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let mut signal = session.place(&self.input(seed))?;
        let coefficients = session.room(self.length as usize * 4)?;
        let mut averages = session.room(self.length as usize * 4)?;
        let mut length = self.length;
        while length > 1 {
            let items = self.group.min(length / 2);
            let groups = length / (2 * items);
            let levels = (2 * items).ilog2();
            let args =
                Args::new().ptr(signal).ptr(coefficients).ptr(averages).u32(levels).u32(length);
            session.launch("dwtHaar1D", [groups, 1, 1], [items, 1, 1], &args)?;
            (signal, averages) = (averages, signal);
            length = groups;
        }
        let coefficients: Vec<f32> = session.read(coefficients, self.length as usize)?;
        Ok(vec![Output::new("coefficients", coefficients)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        vec![Expected::reals("coefficients", reference::haar(&self.input(seed)))]
    }
}
