//! Facades as other tools read them, and as the loader uses them.

use object::elf;
use object::read::elf::{Dyn, ElfFile64, FileHeader, ProgramHeader, SectionHeader, Sym};
use object::{Endianness, Object, ObjectSection, ObjectSymbol};

use super::*;

type Elf<'a> = ElfFile64<'a, Endianness>;

fn parsed(bytes: &[u8]) -> Elf<'_> {
    Elf::parse(bytes).expect("an ELF file")
}

fn dynamic(file: &Elf<'_>, tag: u32) -> Vec<u64> {
    let e = file.endian();
    let (entries, _) = file
        .elf_section_table()
        .dynamic(e, file.data())
        .expect("a dynamic section")
        .expect("a dynamic section");
    entries.iter().filter(|d| d.tag32(e) == Some(tag)).map(|d| d.d_val(e)).collect()
}

fn text(file: &Elf<'_>, offset: u64) -> String {
    let strings = file.section_by_name(".dynstr").expect("strings").data().expect("bytes");
    let rest = &strings[offset as usize..];
    let end = rest.iter().position(|b| *b == 0).expect("an end");
    String::from_utf8(rest[..end].to_vec()).expect("text")
}

#[test]
fn names_lists_are_sorted_and_hold_what_every_program_needs() {
    for release in Release::ALL {
        let names: Vec<&str> = release.functions().collect();
        assert!(names.len() > 390, "{release:?}");
        assert!(names.is_sorted() && names.windows(2).all(|w| w[0] != w[1]), "{release:?}");
        for name in ["cudaMalloc", "cudaLaunchKernel", "__cudaRegisterFatBinary"] {
            assert!(names.contains(&name), "{name}");
        }
    }
}

#[test]
fn a_facade_says_who_it_is_and_whom_it_needs() {
    for release in Release::ALL {
        let bytes = facade(release);
        let file = parsed(&bytes);
        let said = |tag| dynamic(&file, tag).iter().map(|v| text(&file, *v)).collect::<Vec<_>>();
        assert_eq!(said(elf::DT_SONAME), [release.soname()]);
        assert_eq!(said(elf::DT_NEEDED), [LIBRARY]);
        assert_eq!(said(elf::DT_RUNPATH), ["$ORIGIN"]);
    }
}

#[test]
fn every_function_is_there_with_the_right_version() {
    for release in Release::ALL {
        let bytes = facade(release);
        let file = parsed(&bytes);
        let e = file.endian();
        let sections = file.elf_section_table();
        let versions = sections.versions(e, file.data()).expect("versions").expect("versions");
        let symbols = sections.symbols(e, file.data(), elf::SHT_DYNSYM).expect("symbols");
        let mut found = Vec::new();
        for (i, s) in symbols.enumerate() {
            let name =
                std::str::from_utf8(s.name(e, symbols.strings()).expect("a name")).expect("a name");
            if s.is_undefined(e) {
                assert!(name.is_empty() || name.starts_with("upset_"), "{name}");
                continue;
            }
            let index = versions.version_index(e, i);
            assert!(!index.is_hidden(), "{name} is the default");
            let version = versions.version(index).expect("a version").expect("a version");
            assert_eq!(version.name(), release.soname().as_bytes());
            assert_eq!(version.hash(), hash::sysv(release.soname()));
            found.push(name);
        }
        found.sort_unstable();
        assert!(found.into_iter().eq(release.functions()), "{release:?}");
    }
}

/// What the stub at an address does: the name it passes, and the symbol of the
/// slot it jumps through.
fn stub(file: &Elf<'_>, at: u64) -> (Option<String>, String) {
    let section = file.section_by_name(".text").expect("code");
    let mut code = &section.data().expect("bytes")[(at - section.address()) as usize..];
    let mut pc = at;
    let mut relative = |opcode: &[u8]| {
        let rest = code.strip_prefix(opcode)?;
        let (distance, rest) = rest.split_at(4);
        pc += opcode.len() as u64 + 4;
        code = rest;
        let distance = i32::from_le_bytes(distance.try_into().expect("four bytes"));
        Some(pc.wrapping_add_signed(i64::from(distance)))
    };
    let strings = file.section_by_name(".dynstr").expect("strings").address();
    let name = relative(&[0x48, 0x8d, 0x3d]).map(|at| text(file, at - strings));
    let slot = relative(&[0xff, 0x25]).expect("a jump");
    let (_, reloc) = file
        .dynamic_relocations()
        .expect("relocations")
        .find(|(at, _)| *at == slot)
        .expect("a relocation for the slot");
    assert_eq!(reloc.flags(), object::RelocationFlags::Elf { r_type: elf::R_X86_64_GLOB_DAT });
    let object::RelocationTarget::Symbol(index) = reloc.target() else { panic!("a symbol") };
    use object::ObjectSymbolTable;
    let table = file.dynamic_symbol_table().expect("symbols");
    let symbol = table.symbol_by_index(index).expect("a symbol");
    (name, symbol.name().expect("a name").to_string())
}

#[test]
fn stubs_go_to_our_function_or_say_what_is_missing() {
    let here: Vec<&str> = api::names().collect();
    for release in Release::ALL {
        let bytes = facade(release);
        let file = parsed(&bytes);
        let mut served = 0;
        for s in file.dynamic_symbols().filter(|s| s.is_definition()) {
            let name = s.name().expect("a name");
            let listed = release.functions().find(|f| *f == name).expect("a listed function");
            let target = targets::of(release, listed);
            let expected = match here.contains(&target) {
                true => (None, symbol(target)),
                false => (Some(name.to_string()), symbol("missing")),
            };
            served += u32::from(here.contains(&target));
            assert_eq!(stub(&file, s.address()), expected);
        }
        assert!(served > 0);
    }
}

#[test]
fn the_drivers_facade_has_every_form_and_no_versions() {
    let here: BTreeSet<&str> = driver::names().collect();
    let bytes = driver_facade();
    let file = parsed(&bytes);
    let said = |tag| dynamic(&file, tag).iter().map(|v| text(&file, *v)).collect::<Vec<_>>();
    assert_eq!(said(elf::DT_SONAME), ["libcuda.so.1"]);
    let mut found = 0;
    for s in file.dynamic_symbols().filter(|s| s.is_definition()) {
        let name = s.name().expect("a name");
        let target = driver_symbols::target(name);
        let expected = match here.contains(target) {
            true => (None, symbol(target)),
            false => (Some(name.to_string()), symbol("missing")),
        };
        assert_eq!(stub(&file, s.address()), expected);
        found += 1;
    }
    assert_eq!(found, driver_symbols::exported().len());
    let versions = file.section_by_name(".gnu.version").expect("versions").data().expect("bytes");
    assert!(versions.chunks(2).all(|v| v[0] < 2 && v[1] == 0), "none but the file's own");
}

/// What the loader does with `DT_HASH`.
fn by_sysv_hash(file: &Elf<'_>, name: &str) -> Option<u32> {
    let data = file.section_by_name(".hash").expect("a table").data().expect("bytes");
    let word = |i: u32| {
        let at = i as usize * 4;
        u32::from_le_bytes(data[at..at + 4].try_into().expect("four bytes"))
    };
    let names: Vec<&str> = std::iter::once("")
        .chain(file.dynamic_symbols().map(|s| s.name().expect("a name")))
        .collect();
    let mut i = word(2 + hash::sysv(name) % word(0));
    while i != 0 {
        if names[i as usize] == name {
            return Some(i);
        }
        i = word(2 + word(0) + i);
    }
    None
}

#[test]
fn both_hash_tables_find_every_function() {
    for release in Release::ALL {
        let bytes = facade(release);
        let file = parsed(&bytes);
        let e = file.endian();
        let sections = file.elf_section_table();
        let symbols = sections.symbols(e, file.data(), elf::SHT_DYNSYM).expect("symbols");
        let (table, _) = sections
            .iter()
            .find_map(|s| s.gnu_hash(e, file.data()).expect("a table"))
            .expect("a table");
        let versions = sections.versions(e, file.data()).expect("versions").expect("versions");
        for name in release.functions() {
            let found = table.find(e, name.as_bytes(), hash::gnu(name), None, &symbols, &versions);
            let (index, _) = found.expect(name);
            assert_eq!(by_sysv_hash(&file, name), Some(index.0 as u32), "{name}");
        }
        assert_eq!(by_sysv_hash(&file, "cudaNoSuchFunction"), None);
    }
}

#[test]
fn segments_hold_their_sections_and_nothing_is_writable_and_executable() {
    let bytes = facade(Release::V11);
    let file = parsed(&bytes);
    let e = file.endian();
    let segments = file.elf_header().program_headers(e, file.data()).expect("segments");
    let of = |kind: u32| segments.iter().filter(move |p| p.p_type(e) == kind);
    for p in segments {
        let (w, x) = (p.p_flags(e) & elf::PF_W, p.p_flags(e) & elf::PF_X);
        assert!(w == 0 || x == 0);
    }
    assert_eq!(of(elf::PT_GNU_STACK).count(), 1);
    assert_eq!(of(elf::PT_DYNAMIC).count(), 1);
    for s in file.sections().filter(|s| s.address() != 0) {
        let inside = of(elf::PT_LOAD).any(|p| {
            let (from, len) = (p.p_vaddr(e), p.p_filesz(e));
            s.address() >= from && s.address() + s.size() <= from + len
        });
        assert!(inside, "{}", s.name().expect("a name"));
    }
}

#[test]
fn the_bytes_are_the_same_every_time() {
    for release in Release::ALL {
        assert_eq!(facade(release), facade(release));
    }
}

/// With a stand-in of the stand-in, so that only the facade is tested: each
/// function returns its number, the missing one prints what it is told.
#[test]
fn a_c_program_links_and_runs_against_a_facade() {
    let Ok(dir) = tempfile::tempdir() else { return };
    let path = |name: &str| dir.path().join(name);
    let cc = |source: &str, out: &str, args: &[&str]| {
        let c = path(&format!("{out}.c"));
        std::fs::write(&c, source).expect("written");
        let mut command = std::process::Command::new("cc");
        command.arg(c).arg("-o").arg(path(out)).arg("-L").arg(dir.path()).args(args);
        let done = command.output().expect("the compiler starts");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    if std::process::Command::new("cc").arg("--version").output().is_err() {
        eprintln!("skipped: there is no C compiler (cc)");
        return;
    }
    let mut library = String::from("#include <stdio.h>\n");
    library += "int upset_missing(const char *s) { puts(s); return 801; }\n";
    for (i, name) in api::names().enumerate() {
        library += &format!("int upset_{name}(void) {{ return {i}; }}\n");
    }
    cc(&library, LIBRARY, &["-shared", "-fPIC"]);
    let malloc = api::names().position(|n| n == "cudaMalloc").expect("it is there");
    let program = "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <stdio.h>\n\
        int cudaMalloc(void);\n\
        int cudaGraphicsMapResources(void);\n\
        int main(int n, char **v) {\n\
            printf(\"%d\\n\", cudaMalloc());\n\
            printf(\"%d\\n\", cudaGraphicsMapResources());\n\
            puts(dlvsym(RTLD_DEFAULT, \"cudaFree\", v[1]) ? \"found\" : \"not found\");\n\
            puts(dlvsym(RTLD_DEFAULT, \"cudaFree\", \"other\") ? \"found\" : \"not found\");\n\
            puts(dlsym(RTLD_DEFAULT, \"cudaNoSuchThing\") ? \"found\" : \"not found\");\n\
            fflush(stdout);\n\
            return 0;\n\
        }\n";
    for release in Release::ALL {
        let name = release.soname();
        std::fs::write(path(name), facade(release)).expect("written");
        let out = format!("program-{name}");
        cc(program, &out, &[&format!("-l:{name}"), "-ldl"]);
        let o = std::process::Command::new(path(&out))
            .arg(name)
            .env("LD_LIBRARY_PATH", dir.path())
            .output()
            .expect("it starts");
        let expected =
            format!("{malloc}\ncudaGraphicsMapResources\n801\nfound\nnot found\nnot found\n");
        let said = String::from_utf8_lossy(&o.stdout).into_owned();
        assert_eq!(said, expected, "{}", String::from_utf8_lossy(&o.stderr));
        // The version went into the program.
        let bytes = std::fs::read(path(&out)).expect("a program");
        let file = parsed(&bytes);
        let e = file.endian();
        let mut needs = file
            .elf_section_table()
            .gnu_verneed(e, file.data())
            .expect("a section")
            .expect("a section")
            .0;
        let mut wanted = Vec::new();
        while let Some((_, mut nodes)) = needs.next().expect("an entry") {
            while let Some(node) = nodes.next().expect("a node") {
                wanted.push(text(&file, u64::from(node.vna_name.get(e))));
            }
        }
        assert!(wanted.iter().any(|v| v == name), "{wanted:?}");
    }
}

#[test]
fn what_is_held_has_no_version_and_jumps_into_the_library() {
    let bytes = host();
    let file = parsed(&bytes);
    let said = |tag| dynamic(&file, tag).iter().map(|v| text(&file, *v)).collect::<Vec<_>>();
    assert_eq!(
        (said(elf::DT_SONAME), said(elf::DT_NEEDED)),
        (vec![HOST.into()], vec![LIBRARY.into()])
    );
    let names = |defined: bool| {
        let mut all: Vec<String> = file
            .dynamic_symbols()
            .filter(|s| s.is_definition() == defined)
            .filter_map(|s| s.name().ok().map(String::from))
            .filter(|s| !s.is_empty())
            .collect();
        all.sort();
        all
    };
    let mut wanted: Vec<String> = host_names().map(String::from).collect();
    wanted.sort();
    assert_eq!(names(true), wanted);
    let mut targets: Vec<String> = wanted.iter().map(|n| symbol(n)).collect();
    targets.sort();
    assert_eq!(names(false), targets);
    let versions = file.section_by_name(".gnu.version").expect("versions").data().expect("bytes");
    assert!(versions.chunks(2).all(|v| v[0] < 2 && v[1] == 0), "none but the file's own");
}
