//! The layout of the H200's chip file against what was measured on one.

use std::path::Path;

use upset_chip::ChipSpec;
use upset_mem::driver_of;
use upset_state::memory::{BASE, GlobalMemory};

const MIB: i64 = 1 << 20;

/// Stretches of a case, in MiB from its allocation, that are not the same in
/// every process, so that no layout can have them all.
const VARYING: &[(Case, std::ops::Range<i64>, &str)] = &[
    (("first", "1024", 0), 98..130, NO_POCKETS),
    (("order", "1024,3145728", 1), 24..56, NO_POCKETS),
    (("order", "3145728,1024", 0), 24..56, NO_POCKETS),
    (("first", "3145728", 0), 120..134, "this process had one more pocket"),
];
const NO_POCKETS: &str = "these processes had no pockets, all others that looked had";

/// What a line is for, the allocations, and which of them the offset counts from.
type Case<'a> = (&'a str, &'a str, usize);

/// One access of the measurement.
struct Line<'a> {
    case: Case<'a>,
    /// From the start of the allocation, or an address.
    offset: Result<i64, u64>,
    start: u64,
    answered: bool,
    word: Option<u32>,
}

fn hex(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

fn line(text: &str) -> Option<Line<'_>> {
    let mut columns = text.split('\t');
    let case = (columns.next()?, columns.next()?, columns.next()?.parse().ok()?);
    let _access = columns.next()?;
    let offset = match columns.next()?.strip_prefix('=') {
        Some(address) => Err(hex(address).or_else(|| address.parse().ok())?),
        None => Ok(text.split('\t').nth(4)?.parse().ok()?),
    };
    let start = hex(columns.next()?)?;
    let _address = columns.next()?;
    let answered = columns.next()? == "cudaSuccess";
    Some(Line {
        case,
        offset,
        start,
        answered,
        word: columns.next().and_then(hex).map(|w| w as u32),
    })
}

/// Memory after the allocations of a case, and where the one it is about is.
fn prepared(chip: &ChipSpec, (_, allocations, index): Case) -> (GlobalMemory, u64) {
    let mut memory = GlobalMemory::new(chip.memory.bytes, driver_of(chip));
    let mut made = Vec::new();
    for item in allocations.split(',') {
        match item.strip_prefix('-') {
            Some(freed) => memory.free(made[freed.parse::<usize>().unwrap()]).unwrap(),
            None => made.push(memory.allocate(item.parse().unwrap()).unwrap()),
        }
    }
    (memory, made[index])
}

fn varies(line: &Line) -> Option<usize> {
    let offset = line.offset.ok()?;
    VARYING.iter().position(|(case, mib, _)| *case == line.case && mib.contains(&(offset / MIB)))
}

#[test]
fn every_measured_access_is_answered_or_not_as_on_the_h200() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../oracles/driver/sm_90.tsv");
    let text = std::fs::read_to_string(path).expect("the measurement");
    let lines = text.lines().filter(|l| !l.starts_with('#'));
    let lines: Vec<Line> = lines.map(|l| line(l).unwrap_or_else(|| panic!("{l}"))).collect();
    let chip = ChipSpec::preset("h200").expect("a chip");
    let block = BASE - chip.driver.small_page;
    let in_pocket = |addr: u64| {
        let at = addr.wrapping_sub(block);
        chip.driver.pockets.chunks(2).any(|p| (p[0]..p[1]).contains(&at))
    };
    let mut different = [0; VARYING.len()];
    for group in lines.chunk_by(|a, b| a.case == b.case) {
        let case = group[0].case;
        let (memory, start) = prepared(&chip, case);
        for line in group {
            // A block begins at a multiple of 32 MiB, where is not known.
            let low = |distance: u64| distance % (32 << 20);
            assert_eq!(
                low(start.wrapping_sub(block)),
                low(line.start),
                "{case:?} starts elsewhere"
            );
            let addr = line.offset.map_or_else(|addr| addr, |at| start.wrapping_add_signed(at));
            let answered = memory.is_mapped(addr, 4);
            if let Some(i) = varies(line) {
                different[i] += usize::from(answered != line.answered);
                continue;
            }
            assert_eq!(answered, line.answered, "{case:?} at {:?}", line.offset);
            if let Some(word) = line.word.filter(|_| !in_pocket(addr)) {
                let bytes = memory.read(addr, 4).expect("it is mapped");
                assert_eq!(bytes, word.to_le_bytes(), "{case:?} at {:?}", line.offset);
            }
        }
    }
    assert_eq!(lines.len(), 1126);
    for (count, (case, _, why)) in different.iter().zip(VARYING) {
        assert!(*count > 0, "{case:?} is listed, but the layout agrees: {why}");
    }
}
