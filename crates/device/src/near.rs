//! Where a wild address lies, as seen from the program's allocations.

use std::fmt;

use upset_emu::{GlobalMemory, TrapKind};

/// An address and the allocation nearest to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Near {
    /// Number of the allocation, in the order they were made.
    pub number: usize,
    /// Its first byte.
    pub start: u64,
    /// Its size.
    pub bytes: u64,
    /// Whether it was freed before.
    pub freed: bool,
    /// The address.
    pub addr: u64,
}

impl Near {
    /// The allocation nearest to the address of global memory that a trap is
    /// about; of equals a live one, then the newest. All that were ever made are
    /// given by start and length.
    pub(crate) fn of(
        trap: &TrapKind,
        allocations: &[(u64, u64)],
        global: &GlobalMemory,
    ) -> Option<Near> {
        let addr = trap.global_address()?;
        let all = allocations.iter().enumerate().map(|(number, &(start, bytes))| {
            let live = global.allocation(start).is_some_and(|(at, _)| at == start);
            Near { number, start, bytes, freed: !live, addr }
        });
        all.min_by_key(|n| (n.distance(), n.freed, std::cmp::Reverse(n.number)))
    }

    /// Bytes between address and allocation; 0 inside.
    fn distance(&self) -> u64 {
        let last = self.start + self.bytes.max(1) - 1;
        self.start.saturating_sub(self.addr).max(self.addr.saturating_sub(last))
    }
}

impl fmt::Display for Near {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = self.start + self.bytes;
        match self.addr {
            a if a < self.start => write!(f, "{} below ", amount(self.start - a))?,
            // The first byte behind is a distance of 0 from the end.
            a if a >= end => write!(f, "{} behind the end of ", amount(a - end))?,
            a => write!(f, "byte {} of ", a - self.start)?,
        }
        let freed = if self.freed { "freed " } else { "" };
        let (number, bytes, start) = (self.number, amount(self.bytes), self.start);
        write!(f, "{freed}allocation {number} of {bytes} at {start:#x}")
    }
}

/// A number of bytes in the largest unit that gives it exactly, beyond a
/// thousand of that unit with one decimal in the next.
fn amount(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KB", "MB", "GB", "TB"];
    if bytes == 1 {
        return "1 byte".into();
    }
    let (mut unit, mut n) = (0, bytes);
    while n >= 1024 && n.is_multiple_of(1024) && unit + 1 < UNITS.len() {
        (unit, n) = (unit + 1, n / 1024);
    }
    if n < 10_000 || unit + 1 == UNITS.len() {
        return format!("{n} {}", UNITS[unit]);
    }
    let mut size = n as f64;
    // What would be printed as 1024.0 is one of the next unit.
    while size >= 1023.95 && unit + 1 < UNITS.len() {
        (unit, size) = (unit + 1, size / 1024.0);
    }
    format!("{size:.1} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(addr: u64) -> String {
        let (start, bytes) = (0x7_0000_0000, 4096);
        Near { number: 3, start, bytes, freed: false, addr }.to_string()
    }

    #[test]
    fn an_address_is_named_by_the_allocation() {
        let start = 0x7_0000_0000;
        let tail = "allocation 3 of 4 KB at 0x700000000";
        assert_eq!(near(start - 1024), format!("1 KB below {tail}"));
        assert_eq!(near(start - 1), format!("1 byte below {tail}"));
        assert_eq!(near(start + 17), format!("byte 17 of {tail}"));
        assert_eq!(near(start + 4096), format!("0 bytes behind the end of {tail}"));
        assert_eq!(near(start + 5000), format!("904 bytes behind the end of {tail}"));
        assert_eq!(near(0), format!("28 GB below {tail}"));
    }

    #[test]
    fn amounts_are_exact_or_short() {
        let sizes = [0, 512, 1500, 1 << 20, 3 << 30, (1 << 30) + 4, (1 << 30) - 4, 123_456_789];
        let text = sizes.map(amount);
        assert_eq!(
            text,
            ["0 bytes", "512 bytes", "1500 bytes", "1 MB", "3 GB", "1.0 GB", "1.0 GB", "117.7 MB"]
        );
    }
}
