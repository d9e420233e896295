//! Every field of every test cubin equals what cuobjdump says.

use std::fmt::Write as _;

use upset_sass::container::{
    Kernel, Module, RelocTarget, Relocation, SymbolKind, SymbolPlace, cubin, reloc,
};

use super::{files, read, text};

#[test]
fn reads_what_cuobjdump_reads() {
    let mut ours = String::new();
    for name in files(".cubin") {
        let module = cubin::parse(&read(&name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        writeln!(ours, "== {name} sm_{}", module.sm).unwrap();
        condense(&module, &mut ours);
    }
    let theirs = text("expected.txt");
    for (n, (ours, theirs)) in ours.lines().zip(theirs.lines()).enumerate() {
        assert_eq!(ours, theirs, "expected.txt line {}", n + 1);
    }
    assert_eq!(ours.lines().count(), theirs.lines().count());
}

/// The lines that `oracle.py` makes of cuobjdump's text.
fn condense(module: &Module, out: &mut String) {
    let code = |i: usize| format!(".text.{}", module.code[i].name);
    let mut functions = module.functions.iter();
    let mut kernels = module.kernels.iter();
    for s in &module.symbols {
        match (s.kind, s.place) {
            (SymbolKind::Function, SymbolPlace::Code { .. }) => {
                let f = functions.next().unwrap();
                assert_eq!(f.name, s.name);
                let (place, at, size, frame) = (code(f.code), f.offset, f.size, f.frame);
                writeln!(
                    out,
                    "function {} in {place} at {at:#x} size {size:#x} frame {frame:#x}",
                    f.name
                )
            }
            (SymbolKind::Object, place) => {
                let (section, at) = match place {
                    SymbolPlace::Global { offset } => (".nv.global.init", offset),
                    SymbolPlace::Zeroed { offset } => (".nv.global", offset),
                    SymbolPlace::Const { bank: 3, owner: None, offset } => {
                        (".nv.constant3", offset)
                    }
                    _ => continue,
                };
                writeln!(out, "variable {} in {section} at {at:#x} size {:#x}", s.name, s.size)
            }
            (SymbolKind::Texture | SymbolKind::Sampler | SymbolKind::Surface, _) => {
                writeln!(out, "reference {}", s.name)
            }
            (SymbolKind::Kernel, _) => {
                kernel(module, kernels.next().unwrap(), out);
                Ok(())
            }
            _ => Ok(()),
        }
        .unwrap();
    }
    for (bank, data) in &module.banks {
        writeln!(out, "bank {bank} size {:#x}", data.bytes.len()).unwrap();
    }
    if module.globals.align > 0 {
        let size = module.globals.bytes.len();
        writeln!(out, ".nv.global.init size {size:#x} align {}", module.globals.align).unwrap();
    }
    if module.zeroed.align > 0 {
        writeln!(out, ".nv.global size {:#x} align {}", module.zeroed.size, module.zeroed.align)
            .unwrap();
    }
    let mut lines: Vec<String> = module.relocations.iter().map(|r| relocation(module, r)).collect();
    lines.sort();
    for line in lines {
        writeln!(out, "{line}").unwrap();
    }
}

fn kernel(module: &Module, k: &Kernel, out: &mut String) {
    let depth = k.stack.depth.map_or("unknown".into(), |d| format!("{d:#x}"));
    writeln!(
        out,
        "kernel {} code {:#x} registers {} barriers {} frame {:#x} depth {depth} params {:#x}+{:#x}",
        k.name,
        module.code_of(k).len(),
        k.registers,
        k.barriers,
        k.stack.frame,
        k.params.base,
        k.params.size
    )
    .unwrap();
    for p in &k.params.list {
        writeln!(out, "  param {} offset {:#x} size {:#x}", p.ordinal, p.offset, p.size).unwrap();
    }
    let exits: String = k.exits.iter().map(|e| format!(" {e:#x}")).collect();
    writeln!(out, "  exits{exits}").unwrap();
    for (word, limit) in [("at most", k.max_threads), ("exactly", k.required_threads)] {
        if let Some([x, y, z]) = limit {
            writeln!(out, "  {word} {x} {y} {z} threads").unwrap();
        }
    }
    if k.shared.align > 0 {
        writeln!(out, "  shared {:#x} align {}", k.shared.size, k.shared.align).unwrap();
    }
    for (bank, data) in &k.banks {
        writeln!(out, "  bank {bank} size {:#x}", data.bytes.len()).unwrap();
    }
}

fn relocation(module: &Module, r: &Relocation) -> String {
    let section = match r.target {
        RelocTarget::Code(i) => format!(".text.{}", module.code[i].name),
        RelocTarget::Const { bank, owner: Some(i) } => {
            format!(".nv.constant{bank}.{}", module.code[i].name)
        }
        RelocTarget::Const { bank, owner: None } => format!(".nv.constant{bank}"),
        RelocTarget::Global => ".nv.global.init".into(),
    };
    let addend = r.addend.map_or("held".into(), |a| format!("{a:#x}"));
    let symbol = &module.symbols[r.symbol].name;
    format!("relocation {section}+{:#06x} {} {symbol} {addend}", r.offset, reloc::name(r.number))
}
