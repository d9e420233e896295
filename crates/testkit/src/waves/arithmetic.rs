//! Arithmetic: any row of the tables, with any operands that it may have.

use upset_gcn::inst::{Detail, Inst, Modifiers};
use upset_gcn::operand::{Float, Operand};
use upset_gcn::row::{Imm, Place, Row, Slot, Specials, Unit};
use upset_gcn::sem::Does;
use upset_gcn::{Format, decode, encode};

use super::emit::{Emitter, bare, is_short, lengthened, row, rows};
use super::registers::{s, sgpr, v, vgpr};
use crate::operands;

impl Emitter<'_> {
    /// A vector register of the pool, with so many behind it.
    pub fn pool(&mut self, dwords: u8) -> Operand {
        let last = self.shape.vector_pool.saturating_sub(dwords.max(1));
        vgpr(v::POOL + self.rng.below(u32::from(last) + 1) as u8)
    }

    /// A scalar register of the pool, aligned for so many.
    pub fn scalar_pool(&mut self, dwords: u8) -> Operand {
        let align = dwords.clamp(1, 4).next_power_of_two();
        let places = (self.shape.scalar_pool - dwords.max(1)) / align + 1;
        sgpr(s::POOL + align * self.rng.below(places.into()) as u8)
    }

    /// A constant.
    fn literal(&mut self) -> Operand {
        let value = match self.rng.below(3) {
            0 => operands::f32_bits(&mut self.rng),
            1 => (self.rng.below(2000) as f32 * 0.25 - 100.0).to_bits(),
            _ => self.rng.u32(),
        };
        Operand::Literal(value)
    }

    fn inline(&mut self) -> Operand {
        if self.one_in(3) {
            Operand::Float(Float::ALL[self.rng.below(8) as usize])
        } else {
            Operand::Int(self.rng.below(81) as i8 - 16)
        }
    }

    /// Any scalar source.
    pub fn scalar_source(&mut self, dwords: u8) -> Operand {
        match self.rng.below(16) {
            0..8 => self.scalar_pool(dwords),
            8 => Operand::VccLo,
            9 => Operand::ExecLo,
            10 if dwords == 1 => self.rng.pick(&[Operand::VccHi, Operand::ExecHi, Operand::M0]),
            11 => self.rng.pick(&[Operand::Scc, Operand::Vccz, Operand::Execz]),
            12 | 13 => self.literal(),
            _ => self.inline(),
        }
    }

    /// Any operand that may stand in a place.
    fn draw(&mut self, slot: Slot) -> Operand {
        let dwords = slot.kind.dwords;
        match slot.place {
            Place::None => Operand::None,
            Place::Vector | Place::VectorOnly | Place::VectorOrLds => self.pool(dwords),
            Place::VectorSource if !self.one_in(4) => self.pool(dwords),
            Place::VectorSource | Place::ScalarSource | Place::ScalarInline => {
                self.scalar_source(dwords)
            }
            Place::Literal => self.literal(),
            Place::Carry if self.one_in(2) => Operand::VccLo,
            Place::Scalar if self.one_in(12) => {
                let words = [Operand::VccLo, Operand::VccHi, Operand::M0];
                if dwords == 1 { self.rng.pick(&words) } else { Operand::VccLo }
            }
            Place::Scalar | Place::Carry | Place::Loaded | Place::Descriptor => {
                self.scalar_pool(dwords)
            }
        }
    }

    /// An instruction of a row with operands that it may have.
    pub fn any_of(&mut self, row: &'static Row) -> Option<Inst> {
        for _ in 0..60 {
            let mut one = bare(row);
            one.dst = self.draw(row.dst);
            one.flag = self.draw(row.flag);
            for n in 0..3 {
                one.src[n] = self.draw(row.src[n]);
            }
            if row.imm == Imm::Number {
                one.detail = Detail::Imm(self.rng.u32() as u16);
            }
            let vector = row.unit == Unit::Valu;
            if vector && row.long && (self.one_in(3) || !is_short(&one)) {
                one = lengthened(one);
                self.modify(&mut one);
            }
            // What the decoder does not give back is no legal instruction.
            if decode(encode(&one).as_slice()) == Ok(one) {
                return Some(one);
            }
        }
        None
    }

    /// Modifiers of the long form.
    fn modify(&mut self, one: &mut Inst) {
        if one.row.format == Format::Vopc && self.one_in(2) || self.one_in(3) {
            return;
        }
        let m = Modifiers {
            abs: self.rng.below(8) as u8 & self.rng.below(8) as u8,
            neg: self.rng.below(8) as u8 & self.rng.below(8) as u8,
            omod: if self.one_in(3) { self.rng.below(4) as u8 } else { 0 },
            clamp: self.one_in(4),
        };
        let can =
            (0..3).fold(0, |can, n| can | u8::from(one.row.src[n].kind.number.is_float()) << n);
        let (flag, float) = (one.row.flag.place != Place::None, one.row.dst.kind.number.is_float());
        one.detail = Detail::Modifiers(Modifiers {
            abs: if flag { 0 } else { m.abs & can },
            neg: m.neg & can,
            omod: if float { m.omod } else { 0 },
            clamp: m.clamp && float && !flag,
        });
    }

    /// Scalar arithmetic.
    pub fn scalar(&mut self) {
        for _ in 0..1 + self.rng.below(3) {
            let format = self.rng.pick(&[
                Format::Sop1,
                Format::Sop2,
                Format::Sop2,
                Format::Sopc,
                Format::Sopk,
            ]);
            let plain =
                |row: &&Row| matches!(row.does, Does::Scalar(_)) && !row.writes.has(Specials::EXEC);
            self.one_row(rows(format).filter(plain).collect());
        }
    }

    /// Vector arithmetic.
    pub fn vector(&mut self) {
        for _ in 0..1 + self.rng.below(3) {
            let format = self.rng.pick(&[
                Format::Vop1,
                Format::Vop2,
                Format::Vop2,
                Format::Vop3,
                Format::Vop3,
                Format::Vopc,
            ]);
            self.one_row(rows(format).filter(plain_vector).collect());
        }
    }

    /// Vector arithmetic on 64 bits.
    pub fn double(&mut self) {
        for _ in 0..1 + self.rng.below(2) {
            let format = self.rng.pick(&[Format::Vop1, Format::Vop3, Format::Vop3, Format::Vopc]);
            let wide =
                |row: &&Row| row.dst.kind.dwords == 2 || row.src.iter().any(|s| s.kind.dwords == 2);
            self.one_row(rows(format).filter(plain_vector).filter(wide).collect());
        }
    }

    fn one_row(&mut self, rows: Vec<&'static Row>) {
        let row = self.rng.pick(&rows);
        if let Some(one) = self.any_of(row) {
            self.push(one);
        }
    }

    /// A sum or difference of two or three words, carry by carry.
    pub fn carry(&mut self) {
        let words = 2 + self.rng.below(2);
        let (a, b) = (self.pool(3), self.pool(3));
        let d = self.pool(3);
        let (first, then) = self.rng.pick(&[
            ("v_add_i32", "v_addc_u32"),
            ("v_sub_i32", "v_subb_u32"),
            ("v_subrev_i32", "v_subbrev_u32"),
        ]);
        let carry = if self.one_in(2) { Operand::VccLo } else { self.scalar_pool(2) };
        for n in 0..words as u8 {
            let word = |r: Operand| match r {
                Operand::Vgpr(r) => vgpr(r + n),
                other => other,
            };
            let mut one = bare(row(if n == 0 { first } else { then }));
            (one.dst, one.flag) = (word(d), carry);
            one.src[0] = word(a);
            one.src[1] = word(b);
            if n > 0 {
                one.src[2] = carry;
            }
            self.push(if is_short(&one) { one } else { lengthened(one) });
        }
    }

    /// A division as compilers write it.
    pub fn divide(&mut self) {
        let double = self.one_in(2);
        let t = if double { "f64" } else { "f32" };
        let dwords = if double { 2 } else { 1 };
        let (n, d, q) = (self.pool(dwords), self.pool(dwords), self.pool(dwords));
        let (a, b) = (vgpr(v::DATA), vgpr(v::DATA + 2));
        self.op(&format!("v_div_scale_{t}"), a, &[d, d, n]);
        self.op(&format!("v_rcp_{t}"), b, &[a]);
        self.op(&format!("v_div_scale_{t}"), a, &[n, d, n]);
        self.op(&format!("v_fma_{t}"), b, &[a, b, b]);
        self.op(&format!("v_mul_{t}"), a, &[a, b]);
        self.op(&format!("v_div_fmas_{t}"), a, &[a, b, a]);
        self.op(&format!("v_div_fixup_{t}"), q, &[a, d, n]);
    }
}

fn plain_vector(row: &&Row) -> bool {
    matches!(row.does, Does::Vector(_) | Does::Nothing) && !row.writes.has(Specials::EXEC)
}
