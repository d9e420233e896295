//! Digests of a device and of its memory.

use xxhash_rust::xxh3::Xxh3;

use crate::Device;
use crate::storage::Storage;

impl Device {
    /// Nobody will ask for [`Device::digest`]: what is freed need not be read.
    pub fn forgo_digest(&mut self) {
        self.freed = None;
    }

    /// Digest of everything a run may depend on: memory as the host sees it
    /// (freed memory as it was when it was freed), what was written to the
    /// driver's own memory, cycles, statistics, outputs.
    /// Equal runs have equal digests.
    pub fn digest(&mut self) -> String {
        let mut hash = Xxh3::new();
        hash.update(format!("{:?}", self.stats).as_bytes());
        hash.update(self.outputs.digest().as_bytes());
        let freed = self.freed.as_ref().map_or(0, |f| f.digest128());
        hash.update(&freed.to_le_bytes());
        hash.update(&self.cycles().unwrap_or(0).to_le_bytes());
        for range in self.storage.global_mut().mapped_ranges() {
            hash_range(&mut self.storage, &mut hash, range.0, range.1);
        }
        for (line, bytes) in self.storage.written_outside() {
            hash.update(&line.to_le_bytes());
            hash.update(&bytes);
        }
        format!("{:032x}", hash.digest128())
    }
}

/// Takes a range of memory into a hash, a piece at a time.
pub(crate) fn hash_range(storage: &mut Storage, hash: &mut Xxh3, addr: u64, len: u64) {
    const PIECE: u64 = 1 << 20;
    let mut bytes = vec![0; PIECE.min(len) as usize];
    let mut done = 0;
    while done < len {
        let piece = &mut bytes[..PIECE.min(len - done) as usize];
        if storage.peek(addr + done, piece).is_err() {
            return;
        }
        hash.update(piece);
        done += piece.len() as u64;
    }
}
