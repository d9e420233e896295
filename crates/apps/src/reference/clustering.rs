/// Lloyd's iteration from the first points as centres: the cluster of every
/// point and the centres after the last iteration.
///
/// Which centre is nearest is a comparison, so the distances must be the very
/// ones the definition gives in single precision: feature by feature, each
/// square added with one rounding (a fused multiply-add).
pub(crate) fn k_means(
    input: &[f32],
    features: usize,
    clusters: usize,
    iterations: u32,
) -> (Vec<i32>, Vec<f32>) {
    let points: Vec<&[f32]> = input.chunks_exact(features).collect();
    let mut centres: Vec<Vec<f32>> = points[..clusters].iter().map(|p| p.to_vec()).collect();
    let mut membership = Vec::new();
    for _ in 0..iterations {
        membership = points.iter().map(|p| nearest(p, &centres)).collect();
        for (cluster, centre) in centres.iter_mut().enumerate() {
            let members = points.iter().zip(&membership);
            let members = members.filter(|(_, m)| **m == cluster as i32);
            let members: Vec<&[f32]> = members.map(|(p, _)| *p).collect();
            if members.is_empty() {
                continue;
            }
            for (feature, value) in centre.iter_mut().enumerate() {
                let total = members.iter().fold(0f32, |sum, p| sum + p[feature]);
                *value = total / members.len() as f32;
            }
        }
    }
    (membership, centres.concat())
}

/// The first of the nearest centres, by squared distance.
fn nearest(point: &[f32], centres: &[Vec<f32>]) -> i32 {
    let mut best = (f32::MAX, -1);
    for (cluster, centre) in centres.iter().enumerate() {
        let gaps = point.iter().zip(centre).map(|(p, c)| p - c);
        let distance = gaps.fold(0f32, |sum, gap| gap.mul_add(gap, sum));
        if distance < best.0 {
            best = (distance, cluster as i32);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_heaps_are_told_apart() {
        let input = [0.0, 0.0, 9.0, 9.0, 0.0, 1.0, 9.0, 8.0];
        let (membership, centres) = k_means(&input, 2, 2, 3);
        assert_eq!(membership, [0, 1, 0, 1]);
        assert_eq!(centres, [0.0, 0.5, 9.0, 8.5]);
    }

    #[test]
    fn an_empty_cluster_keeps_its_centre_and_ties_go_to_the_first() {
        let (membership, centres) = k_means(&[1.0, 1.0, 1.0], 1, 2, 2);
        assert_eq!(membership, [0, 0, 0]);
        assert_eq!(centres, [1.0, 1.0]);
    }
}
