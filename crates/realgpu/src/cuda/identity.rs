//! Whose GPU it is, by CUDA's driver and NVML: the same words for a record and
//! for who compares a record with the GPU that there is now.

use upset_burn::{About, BoardError, Kind};

use super::api::{DeviceHandle, attribute};
use super::driver::{Driver, release};
use crate::nvml::{Card, Identity};

/// How names of simulated devices begin, as those of the model's own board do.
const SIMULATED: &str = "model of ";

/// The GPU with a UUID as it is now, and why NVML adds nothing where it does
/// not; `None` where the driver sees no such GPU. No context is made.
pub fn now(uuid: &str) -> Result<Option<(About, Option<String>)>, BoardError> {
    let driver = Driver::open()?;
    for number in 0..driver.count()? {
        let device = driver.device(number)?;
        if driver.uuid(device)? == uuid {
            let (about, card) = of(&driver, device)?;
            return Ok(Some((about, card.err())));
        }
    }
    Ok(None)
}

/// A device, with NVML's handle of it or why there is none.
pub(super) fn of(
    driver: &Driver,
    device: DeviceHandle,
) -> Result<(About, Result<Card, String>), BoardError> {
    let uuid = driver.uuid(device)?;
    let card = Card::open(&uuid);
    let identity = card.as_ref().map(Card::identity).unwrap_or_default();
    Ok((about(driver, device, uuid, identity)?, card))
}

fn about(
    driver: &Driver,
    device: DeviceHandle,
    uuid: String,
    identity: Identity,
) -> Result<About, BoardError> {
    let sm = driver.capability(device)?;
    let number =
        |which| driver.attribute(device, which).map_or(0, |v| u32::try_from(v).unwrap_or(0));
    let mps = driver.attribute(device, attribute::MPS).map(|v| v != 0);
    let mps = mps.or(identity.mps.map(|list| !list.is_empty()));
    let warp = number(attribute::WARP).max(1);
    let name = driver.name(device)?;
    // A driver whose GPU is a simulation: its record must not pass for a GPU's,
    // and tests have the sizes of the model.
    let kind = if name.starts_with(SIMULATED) { Kind::Model } else { Kind::Cuda };
    Ok(About {
        name,
        kind,
        arch: format!("sm_{sm}"),
        sms: number(attribute::SMS),
        // Volta and everything after it that CUDA runs on.
        sub_cores: if sm >= 70 { 4 } else { 1 },
        warp,
        warps_per_sm: number(attribute::THREADS_PER_SM) / warp,
        ctas_per_sm: number(attribute::CTAS_PER_SM),
        registers_per_sm: number(attribute::REGISTERS_PER_SM),
        shared_per_cta: number(attribute::SHARED_PER_CTA),
        shared_per_sm: number(attribute::SHARED_PER_SM),
        memory: driver.memory(device)?,
        l2: number(attribute::L2).into(),
        clock_hz: f64::from(number(attribute::CLOCK_KHZ)) * 1e3,
        uuid: Some(uuid),
        vbios: identity.vbios,
        driver: Some(match identity.driver {
            Some(driver_name) => format!("{driver_name}, CUDA {}", release(driver.version)),
            None => format!("CUDA {}", release(driver.version)),
        }),
        mig: identity.mig,
        mps: mps.map(|on| if on { "on" } else { "off" }.to_string()),
    })
}
