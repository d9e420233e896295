//! Differences of ghosts on their way through caches and memory.

use upset_state::words::{WORDS, Words, apply_words, byte_mask, difference};
use upset_state::{Origin, Place, Probe, Sourced};

use crate::packet::{AtomicBatch, LaneOp, LineBytes, batch_row};
use crate::{LINE, mask};

/// Takes bytes along: into a packet, from its byte `at` on. Ghosts that differ
/// in them get a number for it.
pub(crate) fn pick_up<P: Probe>(
    to: &mut [u8],
    flight: &mut u32,
    at: usize,
    from: Sourced<'_>,
    bytes: u128,
    p: &mut P,
) {
    mask::copy(&mut to[at..], from.bytes, bytes);
    // The line's words lie further on in the packet.
    collect(p, flight, from.origin, at as u32 / 4, bytes);
}

/// Bytes on their way have come to their end.
pub fn end<P: Probe>(p: &mut P, id: u32) {
    if P::GHOSTS
        && id != 0
        && let Some(g) = p.ghosts()
    {
        g.drop_row(Place::flight(id, 0));
    }
}

/// An atomic on its way has come to its end.
pub fn end_batch<P: Probe>(p: &mut P, id: u32) {
    if P::GHOSTS
        && id != 0
        && let Some(g) = p.ghosts()
    {
        (0..batch_row::OLD + 2).for_each(|r| g.drop_row(Place::flight(id, r)));
    }
}

/// Differences in bytes that begin at `from` go along, `ahead` words further on.
pub(crate) fn collect<P: Probe>(p: &mut P, id: &mut u32, from: Origin, ahead: u32, bytes: u128) {
    if !P::GHOSTS {
        return;
    }
    let Some(g) = p.ghosts().filter(|g| !g.is_calm()) else { return };
    let mask = moved(&byte_mask(bytes), ahead);
    if *id != 0 {
        g.clear(Place::flight(*id, 0), &mask);
    }
    for delta in g.at_origin(from) {
        let words = moved(&delta.words, ahead);
        if words.iter().zip(&mask).all(|(w, m)| w & m == 0) {
            continue;
        }
        if *id == 0 {
            *id = g.take_flight();
        }
        g.mark_used(delta.ghost);
        g.merge(Place::flight(*id, 0), delta.ghost, &mask, &words);
    }
}

/// Bytes on their way join others, and end there.
pub(crate) fn join<P: Probe>(p: &mut P, id: &mut u32, other: u32, bytes: u128) {
    if !P::GHOSTS {
        return;
    }
    if other != 0 {
        collect(p, id, Origin::flight(other, 0), 0, bytes);
        end(p, other);
    } else if let (true, Some(g)) = (*id != 0, p.ghosts()) {
        g.clear(Place::flight(*id, 0), &byte_mask(bytes));
    }
}

pub(crate) fn moved(words: &Words, ahead: u32) -> Words {
    std::array::from_fn(|i| i.checked_sub(ahead as usize).map_or(0, |i| words[i]))
}

/// What an atomic does to a ghost: the line after it, and the values before.
pub(crate) struct Updated {
    ghost: u32,
    bytes: LineBytes,
    old: [Words; 2],
}

/// Carries out an atomic for the ghosts that have a part in it; call before
/// the line changes. The line begins at byte `at` of the packet's.
pub(crate) fn before_update<P: Probe>(
    p: &mut P,
    line: Place,
    bytes: &[u8],
    at: u8,
    batch: &AtomicBatch,
) -> Vec<Updated> {
    let Some(g) = p.ghosts() else { return Vec::new() };
    let operand = |r: u32| Place::flight(batch.flight, r);
    // Differences beside the words that are updated have no part in it.
    let width = usize::from(batch.width.min(8));
    let place_of = |lane: &LaneOp| lane.within(at, width, bytes.len());
    let span = |lane| place_of(lane).map_or(0, |r| mask::span(r.start as u64, width as u64));
    let touched = byte_mask(batch.lanes.iter().fold(0, |m, l| m | span(l)));
    let has_part = |words: &Words| words.iter().zip(&touched).any(|(w, m)| w & m != 0);
    let deltas = g.at(line).iter().filter(|d| has_part(&d.words));
    let mut who: Vec<u32> = deltas.map(|d| d.ghost).collect();
    if batch.flight != 0 {
        for r in batch_row::B..batch_row::OLD {
            who.extend(g.at(operand(r)).iter().map(|d| d.ghost));
        }
    }
    who.sort_unstable();
    who.dedup();
    let run = |ghost: u32| {
        let row = |r: u32| match batch.flight {
            0 => [0; WORDS],
            _ => g.of_ghost(operand(r), ghost).copied().unwrap_or([0; WORDS]),
        };
        let rows: [Words; 4] = std::array::from_fn(|r| row(r as u32));
        let mut copy = [0; LINE as usize];
        let bytes_of_ghost = &mut copy[..bytes.len()];
        bytes_of_ghost.copy_from_slice(bytes);
        if let Some(words) = g.of_ghost(line, ghost) {
            apply_words(words, bytes_of_ghost);
        }
        let mut old = [[0; WORDS]; 2];
        for (i, lane) in batch.lanes.iter().enumerate().take(WORDS) {
            let Some(range) = place_of(lane) else { continue };
            let word = &mut bytes_of_ghost[range];
            let mut value = [0; 8];
            value[..width].copy_from_slice(word);
            let before = u64::from_le_bytes(value);
            let pair = |r: usize| u64::from(rows[r][i]) | u64::from(rows[r + 1][i]) << 32;
            let after = (batch.apply)(batch.code, before, lane.b ^ pair(0), lane.c ^ pair(2));
            word.copy_from_slice(&after.to_le_bytes()[..width]);
            (old[0][i], old[1][i]) = (before as u32, (before >> 32) as u32);
        }
        Updated { ghost, bytes: copy, old }
    };
    let updated: Vec<Updated> = who.into_iter().map(run).collect();
    updated.iter().for_each(|u| g.mark_used(u.ghost));
    updated
}

/// Notes in what they differ after it.
pub(crate) fn after_update<P: Probe>(
    p: &mut P,
    line: Place,
    bytes: &[u8],
    changed: u128,
    batch: &mut AtomicBatch,
    updated: Vec<Updated>,
) {
    let Some(g) = p.ghosts() else { return };
    let mask = byte_mask(changed);
    for u in updated {
        g.merge(line, u.ghost, &mask, &difference(&u.bytes, bytes));
        for half in 0..2 {
            let value = |i: usize| batch.lanes.get(i).map_or(0, |l| (l.old >> (32 * half)) as u32);
            let words: Words = std::array::from_fn(|i| match i < batch.lanes.len() {
                true => u.old[half][i] ^ value(i),
                false => 0,
            });
            if words.iter().any(|w| *w != 0) {
                if batch.flight == 0 {
                    batch.flight = g.take_flight();
                }
                let place = Place::flight(batch.flight, batch_row::OLD + half as u32);
                g.put(place, u.ghost, &words);
            }
        }
    }
}
