//! Instructions as text, as LLVM's assembler reads them for Tahiti. Short forms
//! have no suffix, long forms of vector instructions end in `_e64`.

use std::fmt::Write;

use crate::format::Format;
use crate::immediate::{Hwreg, Message, Waitcnt};
use crate::inst::{Buffer, Detail, Export, Inst, Interp, Modifiers, Share};
use crate::operand::Operand;
use crate::row::{Imm, Offsets, Place};

/// The text of an instruction.
pub fn text(inst: &Inst) -> String {
    let mut out = inst.row.name.to_owned();
    if inst.format == Format::Vop3 && inst.row.format != Format::Vop3 {
        out.push_str("_e64");
    }
    let operands = operands(inst);
    if !operands.is_empty() {
        let _ = write!(out, " {}", operands.join(", "));
    }
    let _ = write!(out, "{}", flags(inst));
    out
}

/// The name of an operand of so many dwords.
pub fn operand(op: Operand, dwords: u8) -> String {
    let group = |letter: &str, first: u8| match dwords {
        0 | 1 => format!("{letter}{first}"),
        n => format!("{letter}[{first}:{}]", u16::from(first) + u16::from(n) - 1),
    };
    let pair = |name: &str| if dwords == 2 { name.to_owned() } else { format!("{name}_lo") };
    match op {
        Operand::None => "off".to_owned(),
        Operand::Sgpr(n) => group("s", n),
        Operand::Vgpr(n) => group("v", n),
        Operand::Ttmp(n) => group("ttmp", n),
        Operand::VccLo => pair("vcc"),
        Operand::VccHi => "vcc_hi".to_owned(),
        Operand::TbaLo => pair("tba"),
        Operand::TbaHi => "tba_hi".to_owned(),
        Operand::TmaLo => pair("tma"),
        Operand::TmaHi => "tma_hi".to_owned(),
        Operand::M0 => "m0".to_owned(),
        Operand::ExecLo => pair("exec"),
        Operand::ExecHi => "exec_hi".to_owned(),
        Operand::Int(n) => n.to_string(),
        Operand::Float(f) => format!("{:?}", f.value()),
        Operand::Vccz => "src_vccz".to_owned(),
        Operand::Execz => "src_execz".to_owned(),
        Operand::Scc => "src_scc".to_owned(),
        Operand::LdsDirect => "src_lds_direct".to_owned(),
        Operand::Literal(value) => format!("{value:#x}"),
        Operand::Reserved(code) => format!("<reserved {code}>"),
    }
}

fn operands(inst: &Inst) -> Vec<String> {
    let mut list = Vec::new();
    match inst.detail {
        Detail::Buffer(b) => buffer(inst, &b, &mut list),
        Detail::Image(_) => image(inst, &mut list),
        Detail::Export(export) => self::export(inst, &export, &mut list),
        _ => plain(inst, &mut list),
    }
    list
}

fn plain(inst: &Inst, list: &mut Vec<String>) {
    let row = inst.row;
    // What is written to a hardware register comes after its name.
    let register_first = row.imm == Imm::Hwreg && inst.dst == Operand::None;
    if register_first {
        immediate(inst, list);
    }
    for (op, slot) in [(inst.dst, row.dst), (inst.flag, row.flag)] {
        if op != Operand::None {
            list.push(operand(op, slot.kind.dwords));
        }
    }
    for (n, src) in inst.src.into_iter().enumerate().filter(|(_, src)| *src != Operand::None) {
        let name = operand(src, inst.slot(n).kind.dwords);
        list.push(match inst.detail {
            Detail::Modifiers(m) => modified(name, src, &m, n),
            _ => name,
        });
    }
    if !register_first {
        immediate(inst, list);
    }
}

/// A source with its modifiers. A minus would be taken for a constant's sign.
fn modified(name: String, src: Operand, m: &Modifiers, n: usize) -> String {
    let set = |mask: u8| mask >> n & 1 == 1;
    let name = if set(m.abs) { format!("|{name}|") } else { name };
    match (set(m.neg), src.is_inline()) {
        (false, _) => name,
        (true, false) => format!("-{name}"),
        (true, true) => format!("neg({name})"),
    }
}

/// Constants that stand among the operands.
fn immediate(inst: &Inst, list: &mut Vec<String>) {
    match inst.detail {
        Detail::Imm(imm) => match inst.row.imm {
            Imm::None => {}
            Imm::Optional if imm == 0 => {}
            Imm::Branch => list.push((imm as i16).to_string()),
            Imm::Number | Imm::Optional => list.push(format!("{imm:#x}")),
            Imm::Message => list.push(message(imm)),
            Imm::Waitcnt => list.push(waitcnt(imm)),
            Imm::Hwreg => list.push(hwreg(Hwreg::of(imm))),
        },
        Detail::Scalar(scalar) => list.extend(scalar.offset.map(|o| format!("{o:#x}"))),
        Detail::Interp(interp) => self::interp(inst, &interp, list),
        _ => {}
    }
}

fn waitcnt(imm: u16) -> String {
    let w = Waitcnt::of(imm);
    if w.imm() != imm {
        return format!("{imm:#x}");
    }
    let any = Waitcnt::ANY;
    let named =
        [("vmcnt", w.vm, any.vm), ("expcnt", w.exp, any.exp), ("lgkmcnt", w.lgkm, any.lgkm)];
    let mut list: Vec<String> = named
        .into_iter()
        .filter(|(_, n, any)| n != any)
        .map(|(name, n, _)| format!("{name}({n})"))
        .collect();
    if list.is_empty() {
        list.push(format!("vmcnt({})", w.vm));
    }
    list.join(" ")
}

fn message(imm: u16) -> String {
    let m = Message::of(imm);
    match m {
        _ if m.imm() != imm => format!("{imm:#x}"),
        // The one that compute code sends.
        Message { id: 1, operation: 0, stream: 0 } => "sendmsg(MSG_INTERRUPT)".to_owned(),
        Message { id, operation, stream } => format!("sendmsg({id}, {operation}, {stream})"),
    }
}

fn hwreg(r: Hwreg) -> String {
    let id = r.name().map_or_else(|| r.id.to_string(), str::to_owned);
    match (r.offset, r.size) {
        (0, 32) => format!("hwreg({id})"),
        (offset, size) => format!("hwreg({id}, {offset}, {size})"),
    }
}

fn interp(inst: &Inst, i: &Interp, list: &mut Vec<String>) {
    if inst.row.src[0].place == Place::None {
        list.push(match i.vertex {
            0 => "p10".to_owned(),
            1 => "p20".to_owned(),
            2 => "p0".to_owned(),
            n => format!("invalid_vertex_{n}"),
        });
    }
    let channel = ["x", "y", "z", "w"][usize::from(i.channel & 3)];
    list.push(format!("attr{}.{channel}", i.attribute));
}

fn buffer(inst: &Inst, b: &Buffer, list: &mut Vec<String>) {
    let [address, descriptor, offset, _] = inst.src;
    if descriptor == Operand::None {
        return;
    }
    list.push(data(inst, inst.row.dst.kind.dwords));
    list.push(operand(address, b.address()));
    list.push(operand(descriptor, 4));
    if inst.format == Format::Mtbuf {
        list.push(format!("dfmt:{}", b.dfmt));
        list.push(format!("nfmt:{}", b.nfmt));
    }
    list.push(operand(offset, 1));
}

/// The data register: operands of stores and atomics, else the result.
fn data(inst: &Inst, result: u8) -> String {
    match inst.src[3] {
        Operand::None => operand(inst.dst, result),
        source => operand(source, inst.slot(3).kind.dwords),
    }
}

fn image(inst: &Inst, list: &mut Vec<String>) {
    let [address, descriptor, sampler, _] = inst.src;
    list.push(data(inst, inst.result_dwords()));
    list.push(operand(address, inst.slot(0).kind.dwords));
    // The assembler wants eight registers, even where R128 says that four are read.
    list.push(operand(descriptor, 8));
    if sampler != Operand::None {
        list.push(operand(sampler, 4));
    }
}

fn export(inst: &Inst, e: &Export, list: &mut Vec<String>) {
    let target = match e.target {
        n @ 0..=7 => format!("mrt{n}"),
        8 => "mrtz".to_owned(),
        9 => "null".to_owned(),
        n @ 12..=15 => format!("pos{}", n - 12),
        n @ 32..=63 => format!("param{}", n - 32),
        n => format!("invalid_target_{n}"),
    };
    let [a, b, c, d] = inst.src;
    // Compressed, a register holds two of the values and is named for both.
    let values = if e.compressed { [a, a, b, b] } else { [a, b, c, d] };
    let mut values = values.into_iter().map(|value| operand(value, 1));
    list.push(format!("{target} {}", values.next().unwrap_or_default()));
    list.extend(values);
}

/// What stands behind the operands.
fn flags(inst: &Inst) -> String {
    let mut out = String::new();
    let mut add = |set: bool, name: &str| {
        if set {
            let _ = write!(out, " {name}");
        }
    };
    match inst.detail {
        Detail::None | Detail::Imm(_) | Detail::Scalar(_) | Detail::Interp(_) => {}
        Detail::Modifiers(m) => {
            add(m.clamp, "clamp");
            add(m.omod != 0, ["", "mul:2", "mul:4", "div:2"][usize::from(m.omod & 3)]);
        }
        Detail::Share(Share { offset, gds }) => {
            match inst.row.offsets {
                Offsets::One => add(offset != 0, &format!("offset:{offset}")),
                Offsets::Two => {
                    let [first, second] = offset.to_le_bytes();
                    add(first != 0, &format!("offset0:{first}"));
                    add(second != 0, &format!("offset1:{second}"));
                }
            }
            add(gds, "gds");
        }
        Detail::Buffer(b) => {
            add(b.idxen, "idxen");
            add(b.offen, "offen");
            add(b.addr64, "addr64");
            add(b.offset != 0, &format!("offset:{}", b.offset));
            add(b.glc, "glc");
            add(b.slc, "slc");
            add(b.tfe, "tfe");
            add(b.lds, "lds");
        }
        Detail::Image(i) => {
            add(true, &format!("dmask:{:#x}", i.dmask));
            add(i.unorm, "unorm");
            add(i.glc, "glc");
            add(i.slc, "slc");
            add(i.r128, "r128");
            add(i.tfe, "tfe");
            add(i.lwe, "lwe");
            add(i.da, "da");
        }
        Detail::Export(e) => {
            add(e.done, "done");
            add(e.compressed, "compr");
            add(e.valid_mask, "vm");
        }
    }
    out
}
