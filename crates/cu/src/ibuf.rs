//! A wave's instruction buffer: fetched bytes that wait for issue.

use upset_state::{Array, ArrayId, Kind, Origin, Place, Probe};

/// Bytes of a row.
pub const ROW: u64 = 16;
/// Rows a buffer can have at most; chips have fewer.
pub const ROWS: usize = 4;

/// The buffer: a ring of rows that lie behind each other in memory.
#[derive(Clone, Debug)]
pub struct Ibuf {
    /// The bytes; outside the ring old ones stay.
    pub rows: Array<u128, [u128; ROWS]>,
    /// When each row can issue.
    ready: [u64; ROWS],
    head: u8,
    len: u8,
    /// Address of the first row.
    from: u64,
    /// A line is on its way.
    pub waiting: bool,
}

/// A dword of the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dword {
    /// Its value.
    pub value: u32,
    /// First cycle at which it can issue.
    pub ready: u64,
    /// Row of the storage.
    pub row: u32,
    /// Dword of the row.
    pub word: u32,
}

impl Ibuf {
    /// An empty buffer of `count` rows, of a wave slot of a compute unit.
    pub fn new(cu: u32, slot: u32, count: u32) -> Ibuf {
        let count = count.clamp(2, ROWS as u32);
        Ibuf {
            rows: Array::part(ArrayId::data(Kind::Ibuf, cu), slot * count, count, [0; ROWS]),
            ready: [0; ROWS],
            head: 0,
            len: 0,
            from: 0,
            waiting: false,
        }
    }

    /// Drops everything and goes on at the row of `pc`.
    pub fn restart(&mut self, pc: u64) {
        self.len = 0;
        self.from = pc & !(ROW - 1);
        self.waiting = false;
    }

    /// Rows of the storage.
    pub fn capacity(&self) -> u32 {
        self.rows.count()
    }

    /// Where fetching goes on.
    pub fn fetch_at(&self) -> u64 {
        self.from.wrapping_add(u64::from(self.len) * ROW)
    }

    /// Rows that are free.
    pub fn room(&self) -> u32 {
        self.capacity() - u32::from(self.len)
    }

    /// Whether an address is in the buffer or the next to be fetched.
    pub fn leads_to(&self, pc: u64) -> bool {
        pc.wrapping_sub(self.from) < (u64::from(self.len) + 1) * ROW
    }

    /// The dword at an address, if it is here.
    #[inline]
    pub fn dword(&self, at: u64) -> Option<Dword> {
        let n = at.wrapping_sub(self.from) / ROW;
        if n >= u64::from(self.len) {
            return None;
        }
        let row = (u32::from(self.head) + n as u32) % self.capacity();
        let word = (at % ROW / 4) as u32;
        let value = (self.rows.rows()[row as usize] >> (32 * word)) as u32;
        Some(Dword { value, ready: self.ready[row as usize], row, word })
    }

    /// Rows before an address are done with.
    #[inline]
    pub fn pass(&mut self, pc: u64) {
        while self.len > 0 && pc.wrapping_sub(self.from) >= ROW {
            self.head = ((u32::from(self.head) + 1) % self.capacity()) as u8;
            self.len -= 1;
            self.from = self.from.wrapping_add(ROW);
        }
    }

    /// Adds the row at [`Ibuf::fetch_at`]; nothing where there is no room.
    pub fn push<P: Probe>(&mut self, now: u64, bits: u128, ready: u64, from: Origin, p: &mut P) {
        if self.room() == 0 {
            return;
        }
        let at = (u32::from(self.head) + u32::from(self.len)) % self.capacity();
        self.rows.copy_from(now, at, &bits, from, p);
        self.ready[at as usize] = ready;
        self.len += 1;
    }

    /// A row is taken to be decoded.
    pub fn tell_decoded<P: Probe>(&self, now: u64, row: u32, p: &mut P) {
        self.rows.tell_read(now, row, !0, p);
    }

    /// Where ghosts know a row.
    pub fn place(&self, row: u32) -> Place {
        self.rows.place(row).0
    }

    /// Address of what a row of the storage holds, if it holds something.
    pub fn address(&self, row: u32) -> Option<u64> {
        let n = (row + self.capacity() - u32::from(self.head)) % self.capacity();
        (n < u32::from(self.len)).then(|| self.from + u64::from(n) * ROW)
    }

    /// The rows that wait, in order, with the time from which they can issue.
    pub fn waiting_rows(&self) -> impl Iterator<Item = (u128, u64)> {
        (0..u32::from(self.len)).map(|n| {
            let row = ((u32::from(self.head) + n) % self.capacity()) as usize;
            (self.rows.rows()[row], self.ready[row])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_state::Quiet;

    #[test]
    fn rows_lie_behind_each_other_and_go_when_they_are_passed() {
        let mut b = Ibuf::new(0, 0, 3);
        b.restart(0x1014);
        assert_eq!((b.fetch_at(), b.room(), b.dword(0x1014)), (0x1010, 3, None));
        for n in 0..3u128 {
            b.push(0, (n << 96) | n, 5 + n as u64, Origin::ALIKE, &mut Quiet);
        }
        assert_eq!(b.room(), 0);
        assert_eq!(b.dword(0x102c), Some(Dword { value: 1, ready: 6, row: 1, word: 3 }));
        assert!(b.leads_to(0x1040) && !b.leads_to(0x1050) && !b.leads_to(0x1000));
        b.pass(0x1024);
        assert_eq!((b.room(), b.address(0), b.address(1)), (1, None, Some(0x1020)));
        b.push(0, 9, 0, Origin::ALIKE, &mut Quiet);
        assert_eq!(b.dword(0x1040).map(|d| (d.value, d.row)), Some((9, 0)));
        assert_eq!(b.waiting_rows().map(|r| r.0 as u32).collect::<Vec<_>>(), [1, 2, 9]);
    }
}
