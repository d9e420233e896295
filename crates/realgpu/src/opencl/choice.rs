//! Which of a machine's OpenCL devices.

use std::str::FromStr;

/// A platform and one of its devices, both counted from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// Number of the platform.
    pub platform: usize,
    /// Number of the device in it.
    pub device: usize,
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Choice, String> {
        let wrong = || "write PLATFORM:DEVICE, two numbers from 0, such as 0:0".to_string();
        let (platform, device) = text.split_once(':').ok_or_else(wrong)?;
        Ok(Choice {
            platform: platform.parse().map_err(|_| wrong())?,
            device: device.parse().map_err(|_| wrong())?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Choice;

    #[test]
    fn two_numbers_and_nothing_else() {
        assert_eq!("1:2".parse(), Ok(Choice { platform: 1, device: 2 }));
        for text in ["", "1", "1:", ":2", "a:b", "1:2:3", "-1:0"] {
            assert!(text.parse::<Choice>().is_err(), "{text:?}");
        }
    }
}
