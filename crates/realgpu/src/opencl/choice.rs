//! Which of a machine's OpenCL devices.

use std::str::FromStr;

use upset_burn::BoardError;

use super::api::{EVERY_TYPE, GPUS, Handle};

/// Which OpenCL device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The first GPU of any platform; where there is none, the first device.
    #[default]
    Any,
    /// A platform and one of its devices, both counted from 0.
    At {
        /// Number of the platform.
        platform: usize,
        /// Number of the device in it.
        device: usize,
    },
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Choice, String> {
        let wrong = || "write PLATFORM:DEVICE, two numbers from 0, such as 0:0, or any".to_string();
        if text == "any" {
            return Ok(Choice::Any);
        }
        let (platform, device) = text.split_once(':').ok_or_else(wrong)?;
        Ok(Choice::At {
            platform: platform.parse().map_err(|_| wrong())?,
            device: device.parse().map_err(|_| wrong())?,
        })
    }
}

/// Devices of a platform, of some types.
pub(super) type Devices<'d> = &'d dyn Fn(Handle, u64) -> Result<Vec<Handle>, BoardError>;

/// The first GPU, or else the first device. A platform that cannot be asked is
/// passed over.
pub(super) fn first(platforms: &[Handle], devices: Devices<'_>) -> Result<Handle, BoardError> {
    let of = |kind: u64| {
        let all = platforms.iter().flat_map(move |p| devices(*p, kind).unwrap_or_default());
        all.into_iter().next()
    };
    of(GPUS).or_else(|| of(EVERY_TYPE)).ok_or_else(|| {
        let count = platforms.len();
        BoardError::CannotRun(format!("there is no OpenCL device: {count} platforms, none has one"))
    })
}

/// A device by its numbers.
pub(super) fn at(
    platforms: &[Handle],
    devices: Devices<'_>,
    (platform, device): (usize, usize),
) -> Result<Handle, BoardError> {
    let of = *platforms.get(platform).ok_or_else(|| {
        BoardError::CannotRun(format!(
            "there is no OpenCL platform {platform}: {} are installed, numbered from 0",
            platforms.len()
        ))
    })?;
    let all = devices(of, EVERY_TYPE)?;
    all.get(device).copied().ok_or_else(|| {
        BoardError::CannotRun(format!(
            "OpenCL platform {platform} has no device {device}: it has {}, numbered from 0",
            all.len()
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::Choice;

    #[test]
    fn two_numbers_and_nothing_else() {
        assert_eq!("1:2".parse(), Ok(Choice::At { platform: 1, device: 2 }));
        assert_eq!("any".parse(), Ok(Choice::Any));
        for text in ["", "1", "1:", ":2", "a:b", "1:2:3", "-1:0"] {
            assert!(text.parse::<Choice>().is_err(), "{text:?}");
        }
    }
}
