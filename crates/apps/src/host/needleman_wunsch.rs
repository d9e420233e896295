use super::Host;
use super::substitution_scores::BLOSUM62;
use crate::error::AppError;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Side of a tile; fixed in the kernels.
const TILE: u32 = 16;

/// Scores of the global alignment of two sequences.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NeedlemanWunsch {
    length: u32,
    penalty: i32,
}

impl NeedlemanWunsch {
    /// Two sequences of amino acids, as indices into the score table.
    fn input(&self, seed: u64) -> [Vec<u8>; 2] {
        [0, 1].map(|stream| {
            let mut generator = Generator::new(seed, stream);
            let acid = |_| generator.below(BLOSUM62.len() as u32) as u8;
            (0..self.length).map(acid).collect()
        })
    }
}

fn score(a: u8, b: u8) -> i32 {
    i32::from(BLOSUM62[usize::from(a)][usize::from(b)])
}

impl Host for NeedlemanWunsch {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let [down, across] = self.input(seed);
        // One more row and column than letters: the empty prefixes.
        let side = self.length as usize + 1;
        let mut similarity = vec![0; side * side];
        for (row, &a) in similarity[side..].chunks_exact_mut(side).zip(&down) {
            for (cell, &b) in row[1..].iter_mut().zip(&across) {
                *cell = score(a, b);
            }
        }
        let mut scores = vec![0; side * side];
        for i in 1..side {
            scores[i * side] = -self.penalty * i as i32;
            scores[i] = -self.penalty * i as i32;
        }

        let similarity = session.place(&similarity)?;
        let scores_at = session.place(&scores)?;
        let tiles = self.length / TILE;
        let mut diagonal = |kernel: &str, count: u32| {
            let args = Args::new()
                .ptr(similarity)
                .ptr(scores_at)
                .i32(side as i32)
                .i32(self.penalty)
                .i32(count as i32)
                .i32(tiles as i32);
            session.launch(kernel, [count, 1, 1], [TILE, 1, 1], &args)
        };
        for count in 1..=tiles {
            diagonal("needle_cuda_shared_1", count)?;
        }
        for count in (1..tiles).rev() {
            diagonal("needle_cuda_shared_2", count)?;
        }
        let scores: Vec<i32> = session.read(scores_at, scores.len())?;
        Ok(vec![Output::new("scores", scores)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        let [down, across] = self.input(seed);
        let scores = reference::alignment_scores(&down, &across, self.penalty, score);
        vec![Expected::ints("scores", &scores)]
    }
}
