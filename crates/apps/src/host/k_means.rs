use super::Host;
use crate::error::AppError;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::values::to_bytes;
use crate::verdict::Expected;
use upset_device::{Args, TexFormat, Texture};

/// K-means clustering: the device assigns points, the host moves the centres.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KMeans {
    points: u32,
    features: u32,
    clusters: u32,
    iterations: u32,
    block: u32,
}

impl KMeans {
    fn input(&self, seed: u64) -> Vec<f32> {
        let count = self.points as usize * self.features as usize;
        Generator::new(seed, 0).uniform(count, 0.0, 1.0)
    }

    /// The means of the points of each cluster; an empty cluster keeps its
    /// centre.
    fn moved(
        &self,
        input: &[f32],
        membership: &[i32],
        centres: &[f32],
    ) -> Result<Vec<f32>, AppError> {
        let features = self.features as usize;
        let mut sums = vec![0f32; centres.len()];
        let mut sizes = vec![0u32; self.clusters as usize];
        for (point, &cluster) in input.chunks_exact(features).zip(membership) {
            let cluster = usize::try_from(cluster).unwrap_or(usize::MAX);
            let size = sizes.get_mut(cluster);
            *size.ok_or_else(|| AppError::Host(format!("a point is in cluster {cluster}")))? += 1;
            let sum = &mut sums[cluster * features..][..features];
            for (sum, &feature) in sum.iter_mut().zip(point) {
                *sum += feature;
            }
        }
        for (i, sum) in sums.iter_mut().enumerate() {
            let size = sizes[i / features];
            *sum = if size > 0 { *sum / size as f32 } else { centres[i] };
        }
        Ok(sums)
    }
}

impl Host for KMeans {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let input = self.input(seed);
        let points = self.points as usize;
        let blocks = self.points.div_ceil(self.block);
        // The published grid is square.
        let side = (1..).find(|s| s * s >= blocks).unwrap_or(blocks);

        let by_point = session.place(&input)?;
        let by_feature = session.room(input.len() * 4)?;
        let membership_at = session.room(points * 4)?;
        let mut centres = input[..(self.clusters * self.features) as usize].to_vec();
        let centres_at = session.place(&centres)?;
        let block_centres = session.zeros((side * side) as usize * centres.len() * 4)?;
        let block_deltas = session.zeros((side * side) as usize * 4)?;

        let args = Args::new()
            .ptr(by_point)
            .ptr(by_feature)
            .i32(self.points as i32)
            .i32(self.features as i32);
        session.launch("invert_mapping", [blocks, 1, 1], [self.block, 1, 1], &args)?;
        let texture = Texture::linear(by_feature.0, input.len() as u64 * 4, TexFormat::F32);
        session.bind_texture("t_features", texture)?;

        let mut membership = Vec::new();
        for _ in 0..self.iterations {
            session.write(centres_at, &centres)?;
            session.write_symbol("c_clusters", &to_bytes(&centres))?;
            let args = Args::new()
                .ptr(by_feature)
                .i32(self.features as i32)
                .i32(self.points as i32)
                .i32(self.clusters as i32)
                .ptr(membership_at)
                .ptr(centres_at)
                .ptr(block_centres)
                .ptr(block_deltas);
            session.launch("kmeansPoint", [side, side, 1], [self.block, 1, 1], &args)?;
            membership = session.read::<i32>(membership_at, points)?;
            centres = self.moved(&input, &membership, &centres)?;
        }
        Ok(vec![Output::new("membership", membership), Output::new("centres", centres)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        let (membership, centres) = reference::k_means(
            &self.input(seed),
            self.features as usize,
            self.clusters as usize,
            self.iterations,
        );
        vec![Expected::ints("membership", &membership), Expected::floats("centres", &centres)]
    }
}
