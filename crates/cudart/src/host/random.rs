//! Random bytes: a stream of our own that is the same in every run.

use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

use libc::{size_t, ssize_t};

use super::holding::{Holding, Which, host};
use super::system::{self, Real};

/// Words taken so far.
static TAKEN: AtomicU64 = AtomicU64::new(0);

impl Which {
    /// The next word of the stream.
    fn word(self) -> u64 {
        word(self.seed(), TAKEN.fetch_add(1, Ordering::Relaxed))
    }

    /// A number that belongs to the stream.
    pub(super) fn seed(self) -> u64 {
        match self {
            Which::Usual => 0x7570_7365_7400_0001,
            Which::Other => 0x7570_7365_7400_0002,
        }
    }

    fn fill(self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.word().to_le_bytes()[..chunk.len()]);
        }
    }
}

/// A word of a stream, by its number: SplitMix64 (Steele, Lea, Flood, "Fast
/// splittable pseudorandom number generators", OOPSLA 2014).
pub fn word(seed: u64, number: u64) -> u64 {
    let mut z = seed.wrapping_add(number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Bytes of the system itself; whether all of them came.
fn really(bytes: &mut [u8]) -> bool {
    let mut rest = bytes;
    while !rest.is_empty() {
        // SAFETY: a system call that fills what is ours.
        let n = unsafe { libc::syscall(libc::SYS_getrandom, rest.as_mut_ptr(), rest.len(), 0) };
        match usize::try_from(n) {
            Ok(n) => rest = rest.get_mut(n..).unwrap_or_default(),
            Err(_) => return false,
        }
    }
    true
}

/// The caller's buffer.
///
/// # Safety
/// It has that many bytes, or none.
unsafe fn buffer<'a>(at: *mut c_void, len: size_t) -> &'a mut [u8] {
    match at.is_null() {
        true => &mut [],
        // SAFETY: as the caller promises.
        false => unsafe { std::slice::from_raw_parts_mut(at.cast(), len) },
    }
}

fn word_of(held: Option<Holding>) -> u64 {
    match held {
        Some(held) => held.used().word(),
        None => {
            let mut bytes = [0; 8];
            really(&mut bytes);
            u64::from_le_bytes(bytes)
        }
    }
}

host! {
    /// Linux's.
    fn getrandom as "getrandom" |held| (at: *mut c_void, len: size_t, flags: c_uint) -> ssize_t {
        match held {
            Some(held) if !at.is_null() => {
                // SAFETY: the caller's buffer.
                held.used().fill(unsafe { buffer(at, len) });
                len as ssize_t
            }
            // SAFETY: the call as it came, to the system.
            _ => unsafe { libc::syscall(libc::SYS_getrandom, at, len, flags) as ssize_t },
        }
    }

    /// The BSDs'.
    fn getentropy as "getentropy" |held| (at: *mut c_void, len: size_t) -> c_int {
        if len > 256 {
            system::set_errno(libc::EIO);
            return -1;
        }
        // SAFETY: the caller's buffer.
        let bytes = unsafe { buffer(at, len) };
        match held {
            Some(held) => {
                held.used().fill(bytes);
                0
            }
            None if really(bytes) => 0,
            None => -1,
        }
    }

    /// A word.
    fn arc4random as "arc4random" |held| () -> u32 {
        word_of(held) as u32
    }

    /// A word below another.
    fn arc4random_uniform as "arc4random_uniform" |held| (below: u32) -> u32 {
        // By multiplication: off by less than 2^-32.
        ((u128::from(word_of(held)) * u128::from(below)) >> 64) as u32
    }

    /// Bytes.
    fn arc4random_buf as "arc4random_buf" |held| (at: *mut c_void, len: size_t) {
        // SAFETY: the caller's buffer.
        let bytes = unsafe { buffer(at, len) };
        match held {
            Some(held) => held.used().fill(bytes),
            None => {
                really(bytes);
            }
        }
    }

    /// What `std::random_device` of libstdc++ calls for each number: it may take
    /// them from an instruction of the processor.
    fn random_device as "_ZNSt13random_device9_M_getvalEv" |held| (this: *mut c_void) -> c_uint {
        type Value = unsafe extern "C" fn(*mut c_void) -> c_uint;
        static REAL: Real = Real::of(c"libstdc++.so.6", c"_ZNSt13random_device9_M_getvalEv");
        match held {
            Some(held) => held.used().word() as c_uint,
            // SAFETY: the library's own, as it declares it, with the call as it came.
            None => unsafe { REAL.get::<Value>().map_or_else(|| word_of(None) as c_uint, |f| f(this)) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_fixed_and_differ() {
        // From the generator's reference code, seed 0.
        assert_eq!(word(0, 0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(word(0, 1), 0x6e78_9e6a_a1b9_65f4);
        assert_ne!(Which::Usual.seed(), Which::Other.seed());
        let mut bytes = [0; 11];
        Which::Usual.fill(&mut bytes);
        assert!(bytes.iter().any(|b| *b != 0));
    }
}
