//! Every row that says how its bits go: what it says must hold.

use upset_gcn::inst::Inst;
use upset_gcn::operand::Operand;
use upset_gcn::row::{Place as Field, Row};
use upset_gcn::sem::Does;
use upset_gcn::table;
use upset_gcn::wave::Outcome;
use upset_gcn::wave::testing::{Registers, inst};
use upset_gcn::{BitFlow, Format};

use super::lab::GIVEN;
use crate::amd::compute::{Found, carry_out, sources};
use crate::amd::held::{Held, Input};
use crate::amd::matters::Matters;
use crate::needs::Need;

/// A small generator: the same numbers each time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let bits = (self.0 >> 32) as u32;
        // Few bits and many, not half of them each time.
        match bits & 3 {
            0 => bits >> 2 & (bits << 13 | bits >> 9),
            1 => bits.rotate_left(7) | bits,
            _ => bits.rotate_left(16),
        }
    }
}

/// An instruction of registers, or with constants where `fixed` has ones.
fn instruction(row: &'static Row, fixed: u8, numbers: &mut Numbers) -> Inst {
    let scalar = matches!(row.does, Does::Scalar(_));
    let mut src = [Operand::None; 4];
    for (n, slot) in row.src.iter().enumerate().filter(|(_, s)| s.place != Field::None) {
        src[n] = match slot.place {
            Field::Carry => Operand::VccLo,
            _ if fixed >> n & 1 == 1 => Operand::Int((numbers.next() % 60) as i8),
            _ if scalar => Operand::Sgpr(2 * n as u8),
            _ => Operand::Vgpr(2 * n as u8),
        };
    }
    let dst = if scalar { Operand::Sgpr(10) } else { Operand::Vgpr(10) };
    let used = src.iter().take_while(|s| **s != Operand::None).count();
    inst(row.name, dst, &src[..used])
}

/// Bits that are said not to matter are changed, all at once: those of the
/// result that matter must stay.
fn check(row: &'static Row, fixed: u8, numbers: &mut Numbers) {
    let inst = instruction(row, fixed, numbers);
    let mut registers = Registers::default();
    for register in registers.vgprs.iter_mut().take(12) {
        register.iter_mut().flatten().for_each(|word| *word = numbers.next());
    }
    registers.sgprs.iter_mut().for_each(|word| *word = numbers.next());
    registers.vcc = u64::from(numbers.next()) << 32 | u64::from(numbers.next());
    registers.scc = numbers.next() & 1 == 1;
    let (mut held, mut words) = (Held::default(), Vec::new());
    held.record(&registers, &inst, GIVEN, &mut words);
    held.load(&inst, GIVEN, &words, 0);
    let (mut right, mut wrong) = (Outcome::default(), Outcome::default());
    carry_out(&held, &inst, &mut right);
    // Some bits of the result, the same in all lanes; nothing of what comes beside it.
    let bits = [numbers.next(), numbers.next()];
    let mut matters = Matters::NOTHING;
    for (word, bits) in bits.iter().enumerate() {
        (matters.alone[word], matters.jointly[word]) = ([[*bits; 32]; 2], [[*bits; 32]; 2]);
        if matches!(row.does, Does::Scalar(_)) && word < usize::from(row.dst.kind.dwords) {
            matters.scalars[word] = Need::all(*bits);
        }
    }
    let mut found = Vec::new();
    sources(&inst, &mut held, &matters, (&right, &mut wrong), |f| found.push(f));
    for f in &found {
        match f {
            // What is the same in all lanes at once.
            Found::Vector(n, needs, _) => {
                let all = needs.iter().flat_map(|n| n.jointly).fold(0, |all, bits| all | bits);
                held.flip(Input::Vector(*n), numbers.next() & !all);
            }
            Found::Scalar(place, need) => {
                let bits = if place.bits() == 1 { 1 } else { !0 };
                held.flip(Input::Scalar(*place), numbers.next() & !need.jointly & bits);
            }
        }
    }
    carry_out(&held, &inst, &mut wrong);
    for word in 0..usize::from(right.rows.count) {
        for half in 0..2 {
            for l in 0..32 {
                let diff = right.vector[half].d[word][l] ^ wrong.vector[half].d[word][l];
                assert_eq!(diff & bits[word], 0, "{} with {fixed:#b}", row.name);
            }
        }
    }
    for ((r, w), need) in
        right.scalars.list().iter().zip(wrong.scalars.list()).zip(&matters.scalars)
    {
        assert_eq!((r.1 ^ w.1) & need.jointly, 0, "{} with {fixed:#b}", row.name);
    }
}

#[test]
fn what_rows_say_of_their_bits_holds() {
    let mut numbers = Numbers(7);
    let formats =
        [Format::Sop1, Format::Sop2, Format::Sopk, Format::Vop1, Format::Vop2, Format::Vop3];
    let rows = formats.into_iter().flat_map(table::rows);
    let rows: Vec<&'static Row> = rows.filter(|row| row.bits != BitFlow::Any).collect();
    assert!(rows.len() > 60, "{}", rows.len());
    for row in rows {
        for fixed in [0, 0b001, 0b010, 0b100, 0b110, 0b101] {
            let is = |n: usize| fixed >> n & 1 == 1 && row.src[n].place != Field::None;
            // The second source of short forms is a register.
            let fits = row.format == Format::Vop3
                || matches!(row.does, Does::Scalar(_))
                || !(1..4).any(is);
            if (0..3).all(|n| fixed >> n & 1 == 0 || is(n)) && fits {
                (0..24).for_each(|_| check(row, fixed, &mut numbers));
            }
        }
    }
}
