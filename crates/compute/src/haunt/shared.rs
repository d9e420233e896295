//! Ghosts in shared memory.

use std::collections::BTreeMap;

use upset_isa::control::barriers::lanes;
use upset_isa::warp::{load_lane, store_lane};
use upset_isa::{MemKind, MemOp, atomic};
use upset_state::words::WORDS;
use upset_state::{ByteArray, Ghosts, Probe};

use super::shadows::GhostAccess;
use crate::lsu::access::Access;

/// A ghost's bytes of shared memory after an access, by their address.
pub(crate) struct Stored {
    ghost: u32,
    bytes: BTreeMap<usize, u8>,
    /// Some of them are not those that the right access changes, after which all agree.
    elsewhere: bool,
}

/// Bytes as a ghost has them.
fn own_bytes(g: &Ghosts, smem: &ByteArray, ghost: u32, at: usize, right: &[u8], to: &mut [u8]) {
    for (i, (to, right)) in to.iter_mut().zip(right).enumerate() {
        let byte = at + i;
        let words = g.of_ghost(smem.place(byte as u32), ghost);
        let xor = words.map_or(0, |w| w[byte / 4 % WORDS] >> (8 * (byte % 4)));
        *to = right ^ xor as u8;
    }
}

/// Does what an access does for the ghosts that have a part in it: call
/// before shared memory changes.
pub(crate) fn before<P: Probe>(
    shadows: &mut Vec<GhostAccess>,
    a: &Access,
    m: &MemOp,
    smem: &ByteArray,
    p: &mut P,
) -> Vec<Stored> {
    let Some(g) = p.ghosts() else { return Vec::new() };
    let len = usize::from(m.bytes);
    let mut who: Vec<u32> = Vec::new();
    if !g.is_calm() {
        let mut last = None;
        for lane in lanes(a.shared) {
            for byte in [a.addrs[lane], (a.addrs[lane] as usize + len - 1) as u32] {
                let place = smem.place(byte);
                if last != Some(place) {
                    who.extend(g.at(place).iter().map(|d| d.ghost));
                    last = Some(place);
                }
            }
        }
    }
    who.retain(|ghost| shadows.iter().all(|(known, _)| known != ghost));
    who.sort_unstable();
    who.dedup();
    let fresh = shadows.len();
    shadows.extend(who.into_iter().map(|ghost| (ghost, Box::new(a.clone()))));
    let mut stored = Vec::new();
    let mut own = [0; 16];
    for (i, (ghost, shadow)) in shadows.iter_mut().enumerate() {
        let mut bytes: BTreeMap<usize, u8> = BTreeMap::new();
        let mut differs = i < fresh;
        // Where the right one stores and the ghost does not, it keeps what it has.
        let elsewhere = shadow.shared != a.shared || shadow.addrs != a.addrs;
        if elsewhere && m.kind == MemKind::Store {
            for lane in lanes(a.shared) {
                let at = a.addrs[lane] as usize;
                let Some(right) = smem.bytes().get(at..at + len) else { continue };
                let own = &mut own[..len];
                own_bytes(g, smem, *ghost, at, right, own);
                bytes.extend((at..).zip(own.iter().copied()));
            }
        }
        for lane in lanes(shadow.shared) {
            let at = shadow.addrs[lane] as usize;
            let Some(right) = smem.bytes().get(at..at + len) else { continue };
            let own = &mut own[..len];
            own_bytes(g, smem, *ghost, at, right, own);
            match m.kind {
                MemKind::Load | MemKind::LoadLock | MemKind::PhaseCheck => {
                    differs |= own != right;
                    load_lane(m, own, lane, &mut shadow.data);
                }
                MemKind::Store | MemKind::StoreUnlock => {
                    store_lane(&shadow.data, lane, own);
                    bytes.extend((at..).zip(own.iter().copied()));
                }
                MemKind::Atomic(op, ty) | MemKind::Reduce(op, ty) => {
                    differs |= own != right;
                    for (i, byte) in own.iter_mut().enumerate() {
                        *byte = bytes.get(&(at + i)).copied().unwrap_or(*byte);
                    }
                    let before = own.iter().rev().fold(0, |v, &b| v << 8 | u64::from(b));
                    let (b, c) = shadow.operands(lane);
                    let after = atomic::apply(op, ty, before, b, c).to_le_bytes();
                    bytes.extend((at..).zip(after).take(len.min(8)));
                    shadow.returned(lane, before);
                }
                MemKind::QuerySpace(_)
                | MemKind::Copy(_)
                | MemKind::Bulk(_)
                | MemKind::CopiesEnd(_) => {}
            }
        }
        if differs {
            g.mark_used(*ghost);
            stored.push(Stored { ghost: *ghost, bytes, elsewhere });
        }
    }
    // Who read nothing wrong is no part of it; a store by others is alike for all.
    let stores = matches!(m.kind, MemKind::Store | MemKind::StoreUnlock);
    let mut i = 0;
    shadows.retain(|(ghost, _)| {
        i += 1;
        i <= fresh || stored.iter().any(|s| s.ghost == *ghost) && !stores
    });
    stored
}

/// Notes in what the ghosts differ after it: in what was stored all agree so far, but
/// where one stored elsewhere.
pub(crate) fn after<P: Probe>(
    shadows: &mut Vec<GhostAccess>,
    stored: Vec<Stored>,
    a: &Access,
    m: &MemOp,
    smem: &ByteArray,
    p: &mut P,
) {
    let Some(g) = p.ghosts() else { return };
    if matches!(m.kind, MemKind::Load | MemKind::LoadLock | MemKind::PhaseCheck) {
        let same = |shadow: &Access| {
            shadow.data == a.data && shadow.mask == a.mask && shadow.lines.is_empty()
        };
        shadows.retain(|(_, shadow)| !same(shadow));
        return;
    }
    for Stored { ghost, bytes, elsewhere } in stored {
        for (byte, value) in bytes {
            let xor = value ^ smem.bytes().get(byte).copied().unwrap_or(value);
            if xor != 0 || elsewhere {
                let mut mask = [0; WORDS];
                let (word, shift) = (byte / 4 % WORDS, 8 * (byte % 4));
                mask[word] = 0xff << shift;
                let mut words = [0; WORDS];
                words[word] = u32::from(xor) << shift;
                g.merge(smem.place(byte as u32), ghost, &mask, &words);
            }
        }
    }
}
