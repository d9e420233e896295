/// Needleman and Wunsch's table: the best score of aligning each prefix of
/// `down` with each prefix of `across`, a gap costing `penalty` per letter.
pub(crate) fn alignment_scores(
    down: &[u8],
    across: &[u8],
    penalty: i32,
    score: impl Fn(u8, u8) -> i32,
) -> Vec<i32> {
    let mut table: Vec<Vec<i32>> = vec![(0..=across.len() as i32).map(|j| -penalty * j).collect()];
    for (i, &a) in down.iter().enumerate() {
        let above = &table[i];
        let mut row = vec![-penalty * (i as i32 + 1)];
        for (j, &b) in across.iter().enumerate() {
            let matched = above[j] + score(a, b);
            let gap = above[j + 1].max(row[j]) - penalty;
            row.push(matched.max(gap));
        }
        table.push(row);
    }
    table.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_textbook_alignment() {
        // GCATGCG against GATTACA with match 1, mismatch and gap -1 scores 0.
        let score = |a, b| if a == b { 1 } else { -1 };
        let table = alignment_scores(b"GCATGCG", b"GATTACA", 1, score);
        assert_eq!(table.len(), 64);
        assert_eq!(table.last(), Some(&0));
    }
}
