//! Which line of the source an instruction comes from: the section
//! `.debug_line` that `nvcc -lineinfo` writes, a line-number program of DWARF 2
//! to 4 (chapter 6.2 of the DWARF 4 standard). The addresses in it are zero; a
//! relocation beside each says which function it means.
//!
//! A program that makes no sense is read as far as it does: lines are a help,
//! and code runs without them.

use std::collections::BTreeMap;

use super::bytes::{u16_at, u32_at};

/// Lines of all functions of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceLines {
    files: Vec<String>,
    functions: BTreeMap<String, Vec<LineRow>>,
}

/// From this byte of a function on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LineRow {
    offset: u64,
    file: u32,
    /// 0 after the function's end.
    line: u32,
}

impl SourceLines {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// File and line of the instruction at a byte of a function.
    pub fn at(&self, function: &str, offset: u64) -> Option<(&str, u32)> {
        let rows = self.functions.get(function)?;
        let row = rows[..rows.partition_point(|r| r.offset <= offset)].last()?;
        let file = self.files.get(row.file as usize)?;
        (row.line > 0).then_some((file, row.line))
    }

    /// Reads a section; `function_at` names the function whose address is to be
    /// at a byte of the section.
    pub(super) fn read(
        section: &[u8],
        function_at: impl Fn(usize) -> Option<String>,
    ) -> SourceLines {
        let mut lines = SourceLines::default();
        let mut at = 0;
        while let Some(length) = section.get(at..at + 4).map(|b| u32_at(b, 0) as usize) {
            let end = at.saturating_add(4).saturating_add(length).min(section.len());
            let mut reader = Reader { bytes: &section[..end], at: at + 4 };
            // What cannot be read ends the program, not the file.
            let _ = lines.program(&mut reader, &function_at);
            at = end.max(at + 4);
        }
        for rows in lines.functions.values_mut() {
            rows.sort_by_key(|r| r.offset);
        }
        lines
    }

    fn program(
        &mut self,
        r: &mut Reader<'_>,
        function_at: &impl Fn(usize) -> Option<String>,
    ) -> Option<()> {
        let version = u16_at(r.take(2)?, 0);
        if !(2..=4).contains(&version) {
            return None;
        }
        let header = u32_at(r.take(4)?, 0) as usize;
        let code = r.at.checked_add(header)?;
        let step = u64::from(r.byte()?);
        if version == 4 {
            r.byte()?;
        }
        r.byte()?;
        let (base, range) = (r.byte()? as i8, r.byte()?.max(1));
        let first_special = r.byte()?;
        let lengths = r.take(usize::from(first_special.saturating_sub(1)))?.to_vec();
        while !r.text()?.is_empty() {}
        let first_file = self.files.len() as u32;
        while let Some(name) = r.text().filter(|n| !n.is_empty()) {
            self.files.push(name.to_string());
            (0..3).try_for_each(|_| r.unsigned().map(|_| ()))?;
        }
        r.at = code;
        let mut state = State::new(first_file);
        while r.at < r.bytes.len() {
            let opcode = r.byte()?;
            if opcode >= first_special {
                let n = opcode - first_special;
                state.offset += u64::from(n / range) * step;
                state.line = state.line.wrapping_add(i64::from(base) + i64::from(n % range));
                self.note(&state);
                continue;
            }
            match opcode {
                0 => {
                    let length = r.unsigned()? as usize;
                    let next = r.at.checked_add(length)?;
                    match r.byte()? {
                        1 => {
                            state.line = 0;
                            self.note(&state);
                            state = State::new(first_file);
                        }
                        2 => {
                            state.function = function_at(r.at);
                            state.offset = 0;
                        }
                        _ => {}
                    }
                    r.at = next;
                }
                1 => self.note(&state),
                2 => state.offset = state.offset.wrapping_add(r.unsigned()?.wrapping_mul(step)),
                3 => state.line = state.line.wrapping_add(r.signed()?),
                4 => state.file = first_file.wrapping_add(r.unsigned()? as u32).wrapping_sub(1),
                8 => state.offset += u64::from((255 - first_special) / range) * step,
                9 => state.offset = state.offset.wrapping_add(u64::from(u16_at(r.take(2)?, 0))),
                n => {
                    let count = lengths.get(usize::from(n) - 1).copied().unwrap_or(0);
                    (0..count).try_for_each(|_| r.unsigned().map(|_| ()))?;
                }
            }
        }
        Some(())
    }

    fn note(&mut self, state: &State) {
        if let Some(function) = &state.function {
            let line = u32::try_from(state.line).unwrap_or(0);
            let row = LineRow { offset: state.offset, file: state.file, line };
            self.functions.entry(function.clone()).or_default().push(row);
        }
    }
}

/// Registers of the line-number machine.
struct State {
    function: Option<String>,
    offset: u64,
    file: u32,
    line: i64,
}

impl State {
    fn new(file: u32) -> State {
        State { function: None, offset: 0, file, line: 1 }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|b| b[0])
    }

    fn text(&mut self) -> Option<&'a str> {
        let rest = self.bytes.get(self.at..)?;
        let end = rest.iter().position(|b| *b == 0)?;
        self.at += end + 1;
        std::str::from_utf8(&rest[..end]).ok()
    }

    /// LEB128.
    fn unsigned(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..70).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn signed(&mut self) -> Option<i64> {
        let from = self.at;
        let value = self.unsigned()?;
        let bits = 7 * (self.at - from) as u32;
        let spare = 64u32.saturating_sub(bits);
        Some((value << spare) as i64 >> spare)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What nvcc 11.8 writes for two kernels, with another folder's name.
    fn section() -> Vec<u8> {
        let mut header = vec![1, 1, 0xfb, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1];
        header.extend(b"src\0\0t.cu\0");
        header.extend([1, 0, 0, 0]);
        let mut code = Vec::new();
        let address = |code: &mut Vec<u8>| {
            code.extend([0, 9, 2]);
            code.extend([0; 8]);
        };
        address(&mut code);
        // File 1, line 9; 16 bytes and a line on; a line and 96 bytes on.
        code.extend([4, 1, 3, 8, 1, 0xf0, 3, 1, 2, 96, 1, 2, 0x90, 1, 0, 1, 1]);
        address(&mut code);
        code.extend([4, 1, 3, 3, 1, 3, 0x7d, 2, 32, 1, 2, 32, 0, 1, 1]);
        let mut program = 2u16.to_le_bytes().to_vec();
        program.extend((header.len() as u32).to_le_bytes());
        program.extend(header);
        program.extend(code);
        let mut section = (program.len() as u32).to_le_bytes().to_vec();
        section.extend(program);
        section
    }

    fn lines(section: &[u8]) -> SourceLines {
        let first = section.windows(3).position(|w| w == [0, 9, 2]).unwrap_or(0) + 3;
        SourceLines::read(section, |at| {
            Some(if at == first { "second" } else { "first" }.to_string())
        })
    }

    #[test]
    fn each_instruction_has_its_line() {
        let lines = lines(&section());
        let second = |offset| lines.at("second", offset).map(|(_, line)| line);
        assert_eq!(lines.at("second", 0), Some(("t.cu", 9)));
        assert_eq!(
            [0x10, 0x60, 0x70, 0xf0, 0x100].map(second),
            [10, 10, 11, 11, 0].map(|l| { (l > 0).then_some(l) })
        );
        assert_eq!(lines.at("first", 16), Some(("t.cu", 4)));
        assert_eq!(lines.at("first", 48), Some(("t.cu", 1)));
        assert_eq!(lines.at("third", 0), None);
    }

    proptest! {
        #[test]
        fn broken_tables_do_no_harm(at in 0usize..100, with: u8, cut in 0usize..120) {
            let mut bytes = section();
            let n = bytes.len();
            bytes[at % n] = with;
            bytes.truncate(cut);
            let found = SourceLines::read(&bytes, |_| Some("f".into()));
            prop_assert!(found.at("f", 0).is_none_or(|(file, _)| file.len() < 120));
        }
    }
}
