//! Adding functions of a library to a module that leaves them undefined: what
//! a driver does with `vprintf`, `malloc` and the like when it loads a module.

use std::collections::{BTreeMap, BTreeSet};

use super::ContainerError;
use super::module::{Module, RelocTarget, Relocation, SymbolKind, SymbolPlace};
use super::reloc;

/// The constant bank for what linked functions have there. Compilers use banks
/// 0 and 2 for a kernel's own and 3 and 4 for a module's.
const LINKED_BANK: u8 = 5;

/// What the functions that a piece of code can reach need.
#[derive(Clone, Copy, Debug, Default)]
struct Needs {
    registers: u32,
    stack: u32,
}

impl Module {
    /// Names of functions and variables that relocations ask for and the module lacks.
    pub fn undefined(&self) -> BTreeSet<&str> {
        let used = self.relocations.iter().filter_map(|r| self.symbols.get(r.symbol));
        used.filter(|s| s.place == SymbolPlace::Undefined && is_code_or_data(s.kind))
            .map(|s| s.name.as_str())
            .filter(|name| !name.is_empty())
            .collect()
    }

    /// Adds those functions of `library`, an object for the device linker, that
    /// the module leaves undefined, with all they call. Symbol `prefix` + X of
    /// the library defines X. Kernels that can reach the functions get the
    /// registers and the stack that these need.
    ///
    /// Returns the names that were defined; what the library itself leaves
    /// undefined is for [`super::Addresses::externs`].
    pub fn link(
        &mut self,
        library: &Module,
        prefix: &str,
    ) -> Result<BTreeSet<String>, ContainerError> {
        let found: BTreeMap<String, usize> = self
            .undefined()
            .into_iter()
            .filter_map(|name| {
                let wanted = |s: &super::Symbol| s.name.strip_prefix(prefix) == Some(name);
                let index = library.symbols.iter().position(wanted)?;
                section_of(library, index).map(|_| (name.to_string(), index))
            })
            .collect();
        if found.is_empty() {
            return Ok(BTreeSet::new());
        }
        let roots = found.values().filter_map(|&i| section_of(library, i)).collect();
        let sections = reachable(library, roots);
        let moved = self.take_code(library, &sections)?;
        let needs: BTreeMap<&str, Needs> = found
            .iter()
            .filter_map(|(name, &i)| Some((name.as_str(), needs(library, section_of(library, i)?))))
            .collect();
        self.raise(&needs);
        for symbol in self.symbols.iter_mut().filter(|s| s.place == SymbolPlace::Undefined) {
            let Some(definition) = found.get(&symbol.name).and_then(|&i| library.symbols.get(i))
            else {
                continue;
            };
            let SymbolPlace::Code { section, offset } = definition.place else { continue };
            let Some(&section) = moved.get(&section) else { continue };
            symbol.place = SymbolPlace::Code { section, offset };
            symbol.kind = SymbolKind::Function;
            symbol.size = definition.size;
        }
        Ok(found.into_keys().collect())
    }

    /// Copies code sections with their functions, symbols and relocations.
    /// Returns the new index of each section.
    fn take_code(
        &mut self,
        library: &Module,
        sections: &BTreeSet<usize>,
    ) -> Result<BTreeMap<usize, usize>, ContainerError> {
        let mut moved = BTreeMap::new();
        for &old in sections {
            if let Some(section) = library.code.get(old) {
                moved.insert(old, self.code.len());
                self.code.push(section.clone());
            }
        }
        for function in &library.functions {
            if let Some(&code) = moved.get(&function.code) {
                self.functions.push(super::Function { code, ..function.clone() });
            }
        }
        let constants = self.take_constants(library, &moved);
        let mut symbols: BTreeMap<usize, usize> = BTreeMap::new();
        for r in &library.relocations {
            let RelocTarget::Code(old) = r.target else { continue };
            // The device linker may turn YIELD into NOP; it need not.
            if reloc::is_optional(r.number) {
                continue;
            }
            let (Some(&code), Some(symbol)) = (moved.get(&old), library.symbols.get(r.symbol))
            else {
                continue;
            };
            let place = match symbol.place {
                SymbolPlace::Undefined => Some(SymbolPlace::Undefined),
                SymbolPlace::Code { section, offset } => {
                    moved.get(&section).map(|&section| SymbolPlace::Code { section, offset })
                }
                SymbolPlace::Const { bank, owner: Some(owner), offset } => {
                    constants.get(&(owner, bank)).map(|&at| SymbolPlace::Const {
                        bank: LINKED_BANK,
                        owner: None,
                        offset: at + offset,
                    })
                }
                // Variables would have to be merged as well.
                _ => None,
            };
            let place = place.ok_or_else(|| ContainerError::Relocation {
                section: library.target_name(r.target),
                offset: r.offset,
                number: r.number,
                name: reloc::name(r.number),
                symbol: symbol.name.clone(),
            })?;
            let symbol = *symbols.entry(r.symbol).or_insert_with(|| {
                self.symbols.push(super::Symbol { place, ..symbol.clone() });
                self.symbols.len() - 1
            });
            self.relocations.push(Relocation { target: RelocTarget::Code(code), symbol, ..*r });
        }
        Ok(moved)
    }

    /// Copies the constants of code sections into a bank of their own, which all
    /// kernels see. Returns where each section's bank begins there.
    fn take_constants(
        &mut self,
        library: &Module,
        moved: &BTreeMap<usize, usize>,
    ) -> BTreeMap<(usize, u8), u64> {
        let mut begins = BTreeMap::new();
        for (&section, banks) in
            library.function_banks.iter().filter(|(section, _)| moved.contains_key(section))
        {
            for (&number, constants) in banks {
                let bank = self.banks.entry(LINKED_BANK).or_default();
                bank.align = bank.align.max(constants.align);
                let align = constants.align.max(1) as usize;
                bank.bytes.resize(bank.bytes.len().next_multiple_of(align), 0);
                begins.insert((section, number), bank.bytes.len() as u64);
                bank.bytes.extend_from_slice(&constants.bytes);
            }
        }
        begins
    }

    /// Gives kernels what the undefined functions that they can reach will need.
    fn raise(&mut self, needs: &BTreeMap<&str, Needs>) {
        let named = |r: &Relocation| {
            let symbol = self.symbols.get(r.symbol)?;
            (symbol.place == SymbolPlace::Undefined)
                .then(|| needs.get(symbol.name.as_str()))
                .flatten()
        };
        // Functions whose address lies in a table can be called from anywhere.
        let tables: Vec<Needs> = self
            .relocations
            .iter()
            .filter(|r| !matches!(r.target, RelocTarget::Code(_)))
            .filter_map(|r| named(r).copied())
            .collect();
        let all: Vec<Needs> = self
            .kernels
            .iter()
            .map(|kernel| {
                let sections = reachable(self, BTreeSet::from([kernel.code]));
                let calls = self
                    .relocations
                    .iter()
                    .filter(|r| matches!(r.target, RelocTarget::Code(c) if sections.contains(&c)))
                    .filter_map(|r| named(r).copied());
                calls.chain(tables.iter().copied()).fold(Needs::default(), |a, b| Needs {
                    registers: a.registers.max(b.registers),
                    stack: a.stack.max(b.stack),
                })
            })
            .collect();
        for (kernel, needs) in self.kernels.iter_mut().zip(all) {
            kernel.registers = kernel.registers.max(needs.registers);
            kernel.stack.depth = kernel.stack.depth.map(|d| d.saturating_add(needs.stack));
        }
    }
}

fn is_code_or_data(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Untyped | SymbolKind::Object | SymbolKind::Function)
        || matches!(kind, SymbolKind::Other(_))
}

fn section_of(module: &Module, symbol: usize) -> Option<usize> {
    match module.symbols.get(symbol)?.place {
        SymbolPlace::Code { section, .. } => Some(section),
        _ => None,
    }
}

/// Code sections that relocations of `from` lead to, `from` included.
fn reachable(module: &Module, from: BTreeSet<usize>) -> BTreeSet<usize> {
    let mut calls: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for r in &module.relocations {
        if let (RelocTarget::Code(caller), Some(callee)) = (r.target, section_of(module, r.symbol))
        {
            calls.entry(caller).or_default().insert(callee);
        }
    }
    let mut all = BTreeSet::new();
    let mut next: Vec<usize> = from.into_iter().collect();
    while let Some(section) = next.pop() {
        if all.insert(section) {
            next.extend(calls.get(&section).into_iter().flatten());
        }
    }
    all
}

/// What a function and everything it calls needs: as if each were called once
/// below the other, which without recursion is enough.
fn needs(library: &Module, section: usize) -> Needs {
    let sections = reachable(library, BTreeSet::from([section]));
    let functions = library.functions.iter().filter(|f| sections.contains(&f.code));
    functions.fold(Needs::default(), |a, f| Needs {
        registers: a.registers.max(f.registers),
        stack: a.stack.saturating_add(f.frame),
    })
}
