//! Limits of a cluster.

use crate::commands;

/// What Slurm has where nobody set it.
const USUAL: u32 = 1001;

/// One more than the largest index of an array. Where nobody tells, sbatch will
/// say what is wrong with the usual one.
pub fn max_array_size() -> u32 {
    let said = commands::run("scontrol", &["show".into(), "config".into()]);
    said.ok().and_then(|text| parse(&text)).unwrap_or(USUAL)
}

/// `MaxArraySize` in what `scontrol show config` prints.
fn parse(text: &str) -> Option<u32> {
    let value = |line: &str| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "MaxArraySize").then(|| value.trim().parse().ok())?
    };
    text.lines().find_map(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_is_found_among_others() {
        let text = "Configuration data as of 2026-11-17T11:45:25\n\
                    MailProg                = /bin/mail\n\
                    MaxArraySize            = 10001\n\
                    MaxDBDMsgs              = 20008\n";
        assert_eq!(parse(text), Some(10001));
        assert_eq!(parse("MaxArraySize = many\n"), None);
        assert_eq!(parse(""), None);
    }
}
