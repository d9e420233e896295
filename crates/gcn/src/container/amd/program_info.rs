//! The note with a kernel's settings: addresses of registers, real and invented,
//! with their values (Multi2Sim, `Binary.cc`; CLRX, `AmdBinGen.cpp`).

use std::collections::BTreeMap;

use super::app_sdk::UserData;
use super::class::DataClass;
use super::elf::word;
use crate::container::rsrc2::Rsrc2;

const RSRC2: u32 = 0x2e13;
/// Work-items of a group in x; y and z follow.
const GROUP_X: u32 = 0x8000_001c;
const USER_COUNT: u32 = 0x8000_1000;
/// Class, slot, first register and count of the first; others follow.
const USER_FIRST: u32 = 0x8000_1001;
const MOST_USERS: u32 = 16;
// CLRX's first versions had these two the other way round. The DCT sample in its
// documentation has 11 and 24 with twelve user registers: the first is the
// vector's.
const VGPRS: u32 = 0x8000_1041;
const SGPRS: u32 = 0x8000_1042;
const FLOAT_MODE: u32 = 0x8000_1043;
const IEEE_MODE: u32 = 0x8000_1044;
/// In words of 32 bits.
const SCRATCH: u32 = 0x8000_1045;
/// What AMD's compiler always wrote: doubles have denormals.
const USUAL_FLOAT_MODE: u32 = 0xc0;
/// Work-items of a group where nothing is said (CLRX).
const USUAL_ITEMS: u32 = 256;
const MOST_VGPRS: u32 = 256;
const MOST_SGPRS: u32 = 104;

/// A kernel's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramInfo {
    /// Vector registers in use.
    pub vgprs: u32,
    /// Scalar registers in use.
    pub sgprs: u32,
    /// Bytes of scratch of a work-item.
    pub scratch_bytes: u32,
    /// Rounding and denormals.
    pub float_mode: u8,
    /// Minima and maxima follow IEEE 754.
    pub ieee: bool,
    /// What a wavefront finds in its registers.
    pub rsrc2: Rsrc2,
    /// What the first of its scalar registers hold.
    pub user_data: Vec<UserData>,
    /// Work-items that a work-group may have.
    pub most_items: u32,
}

/// Reads the note's bytes; the error says what is wrong.
pub fn read(bytes: &[u8]) -> Result<ProgramInfo, String> {
    let pairs = bytes.chunks_exact(8);
    if !pairs.remainder().is_empty() {
        return Err("it ends within a pair".to_string());
    }
    let values: BTreeMap<u32, u32> =
        pairs.filter_map(|pair| Some((word(pair, 0)?, word(pair, 4)?))).collect();
    let optional = |address: u32| values.get(&address).copied();
    let needed = |address: u32, name: &str| {
        optional(address).ok_or_else(|| format!("it lacks {name} ({address:#x})"))
    };
    let at_most = |what: &str, value: u32, most: u32| {
        if value <= most { Ok(value) } else { Err(format!("{value} {what}; {most} are the most")) }
    };
    let rsrc2 = Rsrc2(needed(RSRC2, "COMPUTE_PGM_RSRC2")?);
    let users = at_most("user data", optional(USER_COUNT).unwrap_or(0), MOST_USERS)?;
    let user_data = (0..users)
        .map(|i| user_data(i, rsrc2, |part| optional(USER_FIRST + 4 * i + part)))
        .collect::<Result<_, _>>()?;
    let group = (0..3)
        .filter_map(|i| optional(GROUP_X + i))
        .filter(|&n| n > 0)
        .fold(1u32, |all, n| all.saturating_mul(n));
    let mode = optional(FLOAT_MODE).unwrap_or(USUAL_FLOAT_MODE);
    let scratch = u64::from(optional(SCRATCH).unwrap_or(0)) * 4;
    Ok(ProgramInfo {
        vgprs: at_most("vector registers", needed(VGPRS, "vector registers")?, MOST_VGPRS)?,
        sgprs: at_most("scalar registers", needed(SGPRS, "scalar registers")?, MOST_SGPRS)?,
        scratch_bytes: u32::try_from(scratch).map_err(|_| format!("{scratch} bytes of scratch"))?,
        float_mode: u8::try_from(mode).map_err(|_| format!("float mode {mode:#x}"))?,
        ieee: optional(IEEE_MODE).unwrap_or(0) != 0,
        rsrc2,
        user_data,
        most_items: if group == 1 { USUAL_ITEMS } else { group },
    })
}

/// One value of the user: a class, a slot, and registers before those that
/// hardware fills itself.
fn user_data(
    number: u32,
    rsrc2: Rsrc2,
    part: impl Fn(u32) -> Option<u32>,
) -> Result<UserData, String> {
    let missing = || format!("user data {number} is cut off");
    let mut parts = [0; 4];
    for (i, value) in (0..).zip(&mut parts) {
        *value = part(i).ok_or_else(missing)?;
    }
    let [class, slot, first, count] = parts;
    let class = DataClass::from_number(class)
        .ok_or_else(|| format!("user data {number} has unknown class {class}"))?;
    let users = rsrc2.user_sgprs();
    if u64::from(first) + u64::from(count) > u64::from(users) {
        return Err(format!(
            "user data {number} takes {count} registers from s{first}; there are {users}"
        ));
    }
    Ok(UserData { class, slot, first, count })
}
