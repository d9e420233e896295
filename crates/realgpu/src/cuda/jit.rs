//! Code that the driver compiles from PTX, and whether it tests what ours does.
//!
//! A compiler may replace the operation under test by another that gives the
//! same result on a good chip. So the driver's machine code is taken from its
//! linker, decoded, and compared with the machine code that is committed; only
//! then do its results count.

use std::collections::BTreeMap;
use std::ffi::{CString, c_void};
use std::ptr::null_mut;

use upset_burn::compute::units::under_test;
use upset_burn::{BoardError, Image};
use upset_isa::Unit;
use upset_sass::container::{self, Module};
use upset_sass::{Arch, Word, decode};

use super::api::{JIT_ERROR_LOG, JIT_INPUT_PTX};
use super::driver::Driver;

const LOG: usize = 4096;

/// Compiles the image's PTX for the current context and checks the result.
pub fn compile(driver: &Driver, image: &Image, sm: u32) -> Result<Vec<u8>, BoardError> {
    if image.ptx.is_empty() {
        return Err(BoardError::CannotRun(format!(
            "{} has no machine code for sm_{sm} and no PTX to compile",
            image.name
        )));
    }
    let cubin = link(driver, image.ptx)
        .map_err(|why| BoardError::CannotRun(format!("{}: {why}", image.name)))?;
    check(image, &cubin, sm).map_err(|why| {
        BoardError::CannotRun(format!(
            "{}: JIT code not checked, so its results would not count: {why}",
            image.name
        ))
    })?;
    Ok(cubin)
}

/// The driver's linker: PTX in, a cubin out.
fn link(driver: &Driver, ptx: &str) -> Result<Vec<u8>, String> {
    let api = &driver.api;
    let (Some(create), Some(add), Some(complete), Some(destroy)) =
        (api.link_create, api.link_add, api.link_complete, api.link_destroy)
    else {
        return Err("this driver has no linker (cuLinkCreate): its PTX compiler cannot be \
                    checked"
            .into());
    };
    let text = CString::new(ptx).map_err(|_| "PTX with a zero byte".to_string())?;
    let mut log = vec![0u8; LOG];
    let mut keys = JIT_ERROR_LOG;
    let mut values = [log.as_mut_ptr().cast::<c_void>(), LOG as *mut c_void];
    let mut state = null_mut();
    // SAFETY: keys and values are pairs of two; the log outlives the state,
    // which is destroyed below. The text ends with a zero, which the driver
    // wants counted. The cubin belongs to the state and is copied before.
    unsafe {
        let status = create(2, keys.as_mut_ptr(), values.as_mut_ptr(), &mut state);
        if status != 0 {
            return Err(format!("cuLinkCreate: {}", driver.words(status)));
        }
        let bytes = text.as_bytes_with_nul();
        let data = bytes.as_ptr().cast_mut().cast();
        let mut status = add(
            state,
            JIT_INPUT_PTX,
            data,
            bytes.len(),
            c"burn".as_ptr(),
            0,
            null_mut(),
            null_mut(),
        );
        let mut call = "cuLinkAddData";
        let (mut cubin, mut length) = (null_mut(), 0usize);
        if status == 0 {
            status = complete(state, &mut cubin, &mut length);
            call = "cuLinkComplete";
        }
        let done = if status == 0 && !cubin.is_null() {
            Ok(std::slice::from_raw_parts(cubin.cast::<u8>(), length).to_vec())
        } else {
            Err(format!("{call}: {}{}", driver.words(status), first_line(&log)))
        };
        destroy(state);
        done
    }
}

fn first_line(log: &[u8]) -> String {
    let text: Vec<u8> = log.iter().copied().take_while(|b| *b != 0).collect();
    let text = String::from_utf8_lossy(&text);
    text.lines().find(|l| !l.trim().is_empty()).map_or(String::new(), |l| format!(": {}", l.trim()))
}

/// Does the machine code hold the operations that ours holds?
///
/// Each operation under test that one of our kernels has n times must occur at
/// least n/2 times: compilers move and share, but an operation under test that
/// has gone is another test. What computes addresses and counts turns is the
/// compiler's affair. Kernels of storage and control are checked for their
/// presence alone: what they test is not an instruction.
fn check(image: &Image, cubin: &[u8], sm: u32) -> Result<(), String> {
    // Our code for that chip, or else for the newest.
    let reference = image
        .cubins
        .iter()
        .filter(|c| c.sm <= sm)
        .max_by_key(|c| c.sm)
        .ok_or("there is no machine code of ours to compare it with")?;
    let arch = Arch::from_number(sm)
        .ok_or_else(|| format!("the instructions of sm_{sm} are not known to this release"))?;
    let ours = parse(reference.bytes)?;
    let theirs = parse(cubin)?;
    let our_arch = Arch::from_number(reference.sm).ok_or("machine code of an unknown kind")?;
    for kernel in &ours.kernels {
        let name = &kernel.name;
        let other = theirs.kernel(name).ok_or_else(|| format!("kernel {name} is missing"))?;
        let Some(tested) = under_test(name) else { continue };
        let wanted = arithmetic(ours.code_of(kernel), our_arch)?;
        let there = arithmetic(theirs.code_of(other), arch)?;
        for (op, n) in wanted.into_iter().filter(|(op, _)| tested.contains(op)) {
            let found = there.get(op).copied().unwrap_or(0);
            if found < n.div_ceil(2) {
                return Err(format!("{name} has {op} {found} times, ours {n} times"));
            }
        }
    }
    Ok(())
}

fn parse(cubin: &[u8]) -> Result<Module, String> {
    container::cubin::parse(cubin).map_err(|e| e.to_string())
}

/// How often each operation of an arithmetic unit occurs.
fn arithmetic(code: &[u8], arch: Arch) -> Result<BTreeMap<&'static str, u32>, String> {
    let mut counts = BTreeMap::new();
    for (i, chunk) in code.chunks_exact(16).enumerate() {
        let word = Word::from_bytes(chunk.try_into().map_err(|_| "cut code".to_string())?);
        let d = decode(word, arch).map_err(|e| format!("at {:#x}: {e}", i * 16))?;
        if matches!(
            d.row.op.unit,
            Unit::Alu | Unit::Fma | Unit::Fp64 | Unit::Half | Unit::Mufu | Unit::Tensor
        ) {
            *counts.entry(d.row.op.name).or_insert(0) += 1;
        }
    }
    Ok(counts)
}
