//! Registers and memory for tests.

use upset_gcn::wave::{Destinations, Memory, Operands, Reg};

/// One register of all lanes.
pub type Row = [[u32; 32]; 2];

/// A wave with all registers.
#[derive(Clone)]
pub struct Wave {
    pub v: Vec<Row>,
    pub s: [u32; 104],
    pub m0: u32,
    pub exec: u64,
}

impl Wave {
    pub fn new(random: &mut Random) -> Wave {
        Wave {
            v: (0..16).map(|_| [0, 1].map(|_| [0; 32].map(|_: u32| random.word()))).collect(),
            s: [0; 104],
            m0: u32::MAX,
            exec: match random.below(4) {
                0 => u64::MAX,
                1 => random.next() & random.next(),
                2 => u64::MAX << random.below(64),
                _ => random.next(),
            },
        }
    }

    pub fn lane(&self, register: usize, lane: usize) -> u32 {
        self.v[register][lane / 32][lane % 32]
    }

    pub fn set(&mut self, register: usize, lane: usize, value: u32) {
        self.v[register][lane / 32][lane % 32] = value;
    }

    /// Two registers of a lane.
    pub fn wide(&self, register: usize, lane: usize) -> u64 {
        u64::from(self.lane(register, lane)) | u64::from(self.lane(register + 1, lane)) << 32
    }

    pub fn active(&self, lane: usize) -> bool {
        self.exec >> lane & 1 == 1
    }
}

impl Operands for Wave {
    fn vgpr(&self, n: u32, half: usize) -> &[u32; 32] {
        &self.v[n as usize][half]
    }

    fn scalar(&self, reg: Reg) -> u32 {
        match reg {
            Reg::Sgpr(n) => self.s[usize::from(n)],
            Reg::M0 => self.m0,
            _ => 0,
        }
    }

    fn exec(&self) -> u64 {
        self.exec
    }
}

impl Destinations for Wave {
    fn write_vgpr(&mut self, n: u32, half: usize, mask: u32, value: &[u32; 32]) {
        for lane in (0..32).filter(|lane| mask >> lane & 1 == 1) {
            self.v[n as usize][half][lane] = value[lane];
        }
    }

    fn write_scalar(&mut self, _: Reg, _: u32) {
        unreachable!("memory instructions have vector results");
    }
}

/// Bytes from an address on, and nothing else.
#[derive(Clone)]
pub struct Flat {
    pub first: u64,
    pub bytes: Vec<u8>,
}

impl Flat {
    pub fn place(&self, addr: u64, len: usize) -> Result<usize, u64> {
        let at = addr.checked_sub(self.first).ok_or(addr)?;
        let end = at.checked_add(len as u64).ok_or(addr)?;
        if end <= self.bytes.len() as u64 { Ok(at as usize) } else { Err(addr) }
    }
}

impl Memory for Flat {
    fn load(&mut self, addr: u64, to: &mut [u8]) -> Result<(), u64> {
        let at = self.place(addr, to.len())?;
        to.copy_from_slice(&self.bytes[at..at + to.len()]);
        Ok(())
    }

    fn store(&mut self, addr: u64, from: &[u8]) -> Result<(), u64> {
        let at = self.place(addr, from.len())?;
        self.bytes[at..at + from.len()].copy_from_slice(from);
        Ok(())
    }
}

/// Numbers from a seed (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn word(&mut self) -> u32 {
        self.next() as u32
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| self.next() as u8).collect()
    }
}
