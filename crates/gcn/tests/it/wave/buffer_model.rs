//! Buffers by the formulas of CLRX, read from the mnemonic and the fields,
//! one lane after the other.

use super::share_model::change;
use super::storage::{Flat, Wave};
use super::texel_model::{WIDTHS, load_all, one, store_all};

/// Places of an instruction's registers.
pub const ADDRESS: usize = 0;
pub const DATA: usize = 4;
pub const DESCRIPTOR: usize = 8;
pub const SOFFSET: usize = 20;

/// The fields of an instruction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fields {
    pub offset: u32,
    pub offen: bool,
    pub idxen: bool,
    pub addr64: bool,
    pub glc: bool,
    pub tfe: bool,
    pub lds: bool,
    pub dfmt: u8,
    pub nfmt: u8,
}

/// Fields of a descriptor, taken from the whole of its 128 bits.
fn field(wave: &Wave, first: u32, last: u32) -> u64 {
    let all = (0..4).rev().fold(0u128, |all, n| all << 32 | u128::from(wave.s[DESCRIPTOR + n]));
    (all >> first & ((1 << (last - first + 1)) - 1)) as u64
}

/// Where a lane goes, before alignment, and how many bytes it has there (of so
/// many bytes in steps).
fn place(wave: &Wave, f: &Fields, lane: usize) -> (u64, u64) {
    let soffset = wave.s[SOFFSET];
    let base = field(wave, 0, 47).wrapping_add(u64::from(soffset));
    if f.addr64 {
        let own = wave.wide(ADDRESS, lane);
        return (base.wrapping_add(own).wrapping_add(u64::from(f.offset)), u64::MAX);
    }
    let tid = field(wave, 119, 119) == 1;
    let (stride, records) = (field(wave, 48, 61), field(wave, 64, 95));
    let mut register = ADDRESS;
    let mut index = 0u32;
    if f.idxen {
        index = wave.lane(register, lane);
        register += 1;
    }
    if tid {
        index = index.wrapping_add(lane as u32);
    }
    let mut offset = f.offset;
    if f.offen {
        offset = offset.wrapping_add(wave.lane(register, lane));
    }
    let (i, o) = (u64::from(index), u64::from(offset));
    let inner = if field(wave, 63, 63) == 1 {
        let (es, is) = (2 << field(wave, 115, 116), 8 << field(wave, 117, 118));
        o % es + es * (i % is) + is * (i / is * stride + o / es * es)
    } else {
        i * stride + o
    };
    let inner = inner as u32;
    let addr = base.wrapping_add(u64::from(inner));
    let room = if stride == 0 {
        u64::from((records as u32).wrapping_sub(soffset)).saturating_sub(u64::from(inner))
    } else if i >= records {
        0
    } else if f.idxen || tid {
        stride.saturating_sub(o)
    } else {
        u64::MAX
    };
    (addr, room)
}

/// Carries out an instruction by its name; an error is an address that is not there.
pub fn execute(
    wave: &mut Wave,
    name: &str,
    f: &Fields,
    memory: &mut Flat,
    lds: &mut [u8],
) -> Result<(), u64> {
    let parts: Vec<&str> = name.split('_').collect();
    if parts[1] == "wbinvl1" {
        return Ok(());
    }
    let before = wave.clone();
    let mut results: Vec<(usize, Vec<u32>)> = Vec::new();
    for lane in (0..64).filter(|lane| before.active(*lane)) {
        let (addr, room) = place(&before, f, lane);
        let data = |n: usize| before.lane(DATA + n, lane);
        if parts[1] == "atomic" {
            let (size, kind) = if parts[parts.len() - 1] == "x2" { (8, 64) } else { (4, 32) };
            let old = if room == 0 {
                0
            } else {
                let at = memory.place(addr & !(size - 1), size as usize)?;
                let value = |n: usize| {
                    if size == 8 { before.wide(DATA + 2 * n, lane) } else { u64::from(data(n)) }
                };
                let bytes = &mut memory.bytes[at..at + size as usize];
                let old = bytes.iter().rev().fold(0, |all, b| all << 8 | u64::from(*b));
                let (op, letter) = match parts[2] {
                    "swap" => ("wrxchg", 'b'),
                    "cmpswap" => ("cmpst", 'b'),
                    "fcmpswap" => ("cmpst", 'f'),
                    "smin" => ("min", 'i'),
                    "umin" => ("min", 'u'),
                    "fmin" => ("min", 'f'),
                    "smax" => ("max", 'i'),
                    "umax" => ("max", 'u'),
                    "fmax" => ("max", 'f'),
                    other => (other, 'u'),
                };
                let new = change(op, &format!("{letter}{kind}"), old, value(0), value(1));
                bytes.copy_from_slice(&new.to_le_bytes()[..size as usize]);
                old
            };
            if f.glc {
                let words = [old as u32, (old >> 32) as u32];
                results.push((lane, words[..size as usize / 4].to_vec()));
            }
            continue;
        }
        let words = moved(&parts, f, &before, lane, memory, (addr, room))?;
        if let Some(words) = words {
            results.push((lane, words));
        }
    }
    for (lane, words) in results {
        if f.lds {
            let first = (before.m0 & 0xffff) as usize + f.offset as usize + 4 * lane;
            if let Some(to) = lds.get_mut(first & !3..(first & !3) + 4) {
                to.copy_from_slice(&words[0].to_le_bytes());
            }
            continue;
        }
        for (n, word) in words.into_iter().enumerate() {
            wave.set(DATA + n, lane, word);
        }
    }
    Ok(())
}

/// One lane of a load or a store; of loads its words.
fn moved(
    parts: &[&str],
    f: &Fields,
    wave: &Wave,
    lane: usize,
    memory: &mut Flat,
    (addr, room): (u64, u64),
) -> Result<Option<Vec<u32>>, u64> {
    let (store, last) = (parts[1] == "store", parts[parts.len() - 1]);
    let mut words: Vec<u32>;
    if parts[2] == "format" {
        let select = |n: u32| field(wave, 96 + 3 * n, 98 + 3 * n) as u8;
        let (dfmt, nfmt, select) = if parts[0] == "tbuffer" {
            (f.dfmt, f.nfmt, [4, 5, 6, 7])
        } else {
            let (dfmt, nfmt) = (field(wave, 111, 114) as u8, field(wave, 108, 110) as u8);
            (dfmt, nfmt, [select(0), select(1), select(2), select(3)])
        };
        let size = WIDTHS[usize::from(dfmt)].iter().sum::<u32>() as usize / 8;
        let addr = addr & !(size.clamp(1, 4) as u64 - 1);
        let there = room > 0 && size > 0;
        if store {
            let data: Vec<u32> = (0..last.len()).map(|n| wave.lane(DATA + n, lane)).collect();
            if there {
                let at = memory.place(addr, size)?;
                let bytes = store_all(&data, dfmt, nfmt, select);
                memory.bytes[at..at + size].copy_from_slice(&bytes);
            }
            return Ok(None);
        }
        words = if there {
            let at = memory.place(addr, size)?;
            load_all(&memory.bytes[at..at + size], dfmt, nfmt, select).to_vec()
        } else if size == 0 {
            vec![0; 4]
        } else {
            select.map(|code| if code == 1 { one(nfmt) } else { 0 }).to_vec()
        };
        words.truncate(last.len());
    } else {
        let (size, signed) = match last {
            "ubyte" | "byte" => (1, false),
            "sbyte" => (1, true),
            "ushort" | "short" => (2, false),
            "sshort" => (2, true),
            "dword" => (4, false),
            "dwordx2" => (8, false),
            _ => (16, false),
        };
        let addr = addr & !(size.min(4) as u64 - 1);
        // Each dword that begins in range.
        let step = size.min(4);
        let reach: usize = (0..size / step).filter(|n| ((n * step) as u64) < room).count() * step;
        if store {
            let bytes: Vec<u8> =
                (0..4).flat_map(|n| wave.lane(DATA + n, lane).to_le_bytes()).collect();
            if reach > 0 {
                let at = memory.place(addr, reach)?;
                memory.bytes[at..at + reach].copy_from_slice(&bytes[..reach]);
            }
            return Ok(None);
        }
        let mut bytes = vec![0; size.max(4)];
        if reach > 0 {
            let at = memory.place(addr, reach)?;
            bytes[..reach].copy_from_slice(&memory.bytes[at..at + reach]);
        }
        if signed && bytes[size - 1] >= 128 {
            bytes[size..].fill(255);
        }
        words = bytes.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    }
    if f.tfe {
        words.push(0);
    }
    Ok(Some(words))
}
