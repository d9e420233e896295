//! Options of the compiler and linker of code.

use super::{Address, In};

/// Numbers of `CUjit_option`.
const MAX_REGISTERS: i32 = 0;
const INFO_LOG: [i32; 2] = [3, 4];
const ERROR_LOG: [i32; 2] = [5, 6];
const OPTIMIZATION_LEVEL: i32 = 7;

/// What the program wants. Buffers for messages are its own, and stay.
#[derive(Clone, Debug, Default)]
pub struct Options(Vec<(i32, u64)>);

impl Options {
    /// Reads two arrays of as many numbers and values.
    pub fn read(count: u32, numbers: In<i32>, values: In<u64>) -> Options {
        let option = |i| Some((numbers.at(i).ok()?, values.at(i).ok()?));
        Options((0..count as usize).map_while(option).collect())
    }

    fn get(&self, number: i32) -> Option<u64> {
        self.0.iter().find(|(n, _)| *n == number).map(|(_, value)| *value)
    }

    /// What of it a converter is told. All of them know two levels of optimisation.
    pub fn for_converter(&self) -> Vec<String> {
        // Both are 32-bit numbers in the room of a pointer.
        let number = |option| self.get(option).map(|value| value as u32);
        let registers = number(MAX_REGISTERS).filter(|n| *n > 0);
        let registers = registers.map(|n| format!("--maxrregcount={n}"));
        let plain = number(OPTIMIZATION_LEVEL).filter(|level| *level == 0);
        registers.into_iter().chain(plain.map(|_| "-O0".to_string())).collect()
    }

    /// Writes an error's message, or none, into the program's buffers.
    pub fn tell(&self, error: &str) {
        self.log(INFO_LOG, "");
        self.log(ERROR_LOG, error);
    }

    fn log(&self, [buffer, size]: [i32; 2], message: &str) {
        let (Some(at), Some(room)) = (self.get(buffer), self.get(size)) else { return };
        let room = room as u32 as usize;
        if at == 0 || room == 0 {
            return;
        }
        let n = message.len().min(room - 1);
        // SAFETY: the program's buffer of as many bytes as it said.
        let to = unsafe { Address(at).host_bytes_mut(n + 1) };
        to[..n].copy_from_slice(&message.as_bytes()[..n]);
        to[n] = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_converter_is_told_what_changes_code() {
        assert!(Options::default().for_converter().is_empty());
        let all = Options(vec![(0, 32), (7, 0), (13, 1)]);
        assert_eq!(all.for_converter(), ["--maxrregcount=32", "-O0"]);
        assert!(Options(vec![(0, 0), (7, 4)]).for_converter().is_empty());
    }

    #[test]
    fn messages_end_where_the_buffer_does() {
        let mut buffer = [7u8; 8];
        Options(vec![(5, buffer.as_mut_ptr() as u64), (6, 5)]).tell("a long one");
        assert_eq!(&buffer, b"a lo\0\x07\x07\x07");
    }
}
