use crate::error::AppError;
use crate::host::Host;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Direction numbers of a dimension, and vectors per work-item; fixed in the
/// kernel.
const DIRECTIONS: usize = 32;
const PART: u32 = 4;

/// A primitive polynomial of every dimension but the first: its degree, and its
/// coefficients between the first and the last (Joe and Kuo, SIAM J. Sci.
/// Comput. 30, 2008, table of direction numbers).
const POLYNOMIALS: [(usize, u32); 7] = [(1, 0), (2, 1), (3, 1), (3, 2), (4, 1), (4, 4), (5, 2)];

/// Sobol's quasi-random sequence.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QuasiRandom {
    /// At most eight.
    dimensions: u32,
    /// A multiple of four.
    vectors: u32,
}

impl QuasiRandom {
    /// Direction numbers of all dimensions. Sobol's construction takes any odd
    /// number below 2^i for the i-th initial one: the seed chooses.
    fn input(&self, seed: u64) -> Vec<u32> {
        let mut directions: Vec<u32> = (0..DIRECTIONS).map(|i| 1 << (31 - i)).collect();
        let later = POLYNOMIALS.iter().zip(1..self.dimensions);
        for (&(degree, coefficients), dimension) in later {
            let mut generator = Generator::new(seed, u64::from(dimension));
            let mut numbers: Vec<u32> =
                (0..degree).map(|i| (generator.below(1 << i) * 2 + 1) << (31 - i)).collect();
            for i in degree..DIRECTIONS {
                let mut number = numbers[i - degree] ^ (numbers[i - degree] >> degree);
                for k in 1..degree {
                    if coefficients >> (degree - 1 - k) & 1 == 1 {
                        number ^= numbers[i - k];
                    }
                }
                numbers.push(number);
            }
            directions.extend(numbers);
        }
        directions
    }
}

impl Host for QuasiRandom {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let directions = session.place(&self.input(seed))?;
        let count = (self.dimensions * self.vectors) as usize;
        let numbers = session.room(count * 4)?;
        let args = Args::new().ptr(numbers).ptr(directions);
        let block = [self.vectors / PART, 1, 1];
        session.launch("QuasiRandomSequence", [self.dimensions, 1, 1], block, &args)?;
        let numbers: Vec<f32> = session.read(numbers, count)?;
        Ok(vec![Output::new("numbers", numbers)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        let directions = self.input(seed);
        let dimensions = directions.chunks_exact(DIRECTIONS);
        let numbers = dimensions.flat_map(|d| reference::sobol(d, self.vectors));
        vec![Expected::floats("numbers", &numbers.collect::<Vec<_>>())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What makes it Sobol's: among the first 2^k numbers of a dimension every
    /// interval of length 2^-k has one.
    #[test]
    fn every_interval_gets_one_number_of_a_block() {
        let vectors = 256;
        let sequence = QuasiRandom { dimensions: 8, vectors };
        let directions = sequence.input(3);
        assert_eq!(directions.len(), 8 * DIRECTIONS);
        for dimension in directions.chunks_exact(DIRECTIONS) {
            let mut seen = vec![false; vectors as usize];
            for number in reference::sobol(dimension, vectors) {
                seen[(number * vectors as f32) as usize] = true;
            }
            assert!(seen.iter().all(|seen| *seen));
        }
    }
}
