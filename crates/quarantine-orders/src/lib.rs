//! What the library is told, by variables of the environment.

#![forbid(unsafe_code)]

/// How the library's file is called.
pub const LIBRARY: &str = "libupset_quarantine_preload.so";

/// The exit code of a program that the driver would not keep off the bad SMs.
pub const REFUSED: i32 = 3;

/// The variable with the orders: `GPU-…:6,7;*:groups=0,2`.
pub const ORDERS: &str = "UPSET_QUARANTINE_SMS";
/// The variable with the file that gets a line for each context made green
/// ([`Line`]).
pub const REPORT: &str = "UPSET_QUARANTINE_REPORT";
/// In place of a UUID: every GPU.
pub const EVERY: &str = "*";

/// What to keep off one GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// The GPU's UUID, as `nvidia-smi -L` prints it, or [`EVERY`].
    pub uuid: String,
    /// Where programs may run on it.
    pub place: Place,
}

/// Where programs may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Not on these SMs by `%smid`, each once, in order.
    Without(Vec<u32>),
    /// On these of the driver's groups of SMs alone.
    Groups(Vec<u32>),
    /// On all of the driver's groups.
    AllGroups,
}

/// Orders as the variable holds them.
pub fn written(orders: &[Order]) -> String {
    let order = |order: &Order| {
        let place = match &order.place {
            Place::Without(sms) => joined(sms, ","),
            Place::Groups(groups) => format!("groups={}", joined(groups, ",")),
            Place::AllGroups => "groups=all".to_string(),
        };
        format!("{}:{place}", order.uuid)
    };
    orders.iter().map(order).collect::<Vec<_>>().join(";")
}

/// Reads orders; the error is a sentence about what is wrong.
pub fn parse(text: &str) -> Result<Vec<Order>, String> {
    let mut orders = Vec::new();
    for part in text.split(';').filter(|part| !part.is_empty()) {
        let wrong = || format!("{part:?} is not like GPU-…:6,7 or GPU-…:groups=0,2");
        let (uuid, place) = part.split_once(':').ok_or_else(wrong)?;
        let place = match place.strip_prefix("groups=") {
            Some("all") => Place::AllGroups,
            Some(list) => Place::Groups(numbers(list).ok_or_else(wrong)?),
            None => Place::Without(numbers(place).ok_or_else(wrong)?),
        };
        orders.push(Order { uuid: uuid.to_string(), place });
    }
    Ok(orders)
}

/// A line of the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// A context was made: the GPU, the groups it has and how many there are,
    /// and the SMs that a probe reached in it.
    Made {
        /// The GPU's UUID.
        uuid: String,
        /// Groups of SMs in the context.
        groups: u32,
        /// Groups of SMs that the driver makes.
        of: u32,
        /// SMs that were reached, in order.
        sms: Vec<u32>,
    },
    /// The program was ended, and why.
    Refused(String),
}

impl Line {
    /// As the report holds it.
    pub fn written(&self) -> String {
        match self {
            Line::Made { uuid, groups, of, sms } => {
                format!("{uuid} runs on {groups} of {of} groups, SMs {}", joined(sms, " "))
            }
            Line::Refused(why) => format!("refused: {why}"),
        }
    }

    /// Reads a line; none if it is something else.
    pub fn parse(line: &str) -> Option<Line> {
        if let Some(why) = line.strip_prefix("refused: ") {
            return Some(Line::Refused(why.to_string()));
        }
        let (uuid, rest) = line.split_once(" runs on ")?;
        let (counts, sms) = rest.split_once(" groups, SMs ")?;
        let (groups, of) = counts.split_once(" of ")?;
        Some(Line::Made {
            uuid: uuid.to_string(),
            groups: groups.parse().ok()?,
            of: of.parse().ok()?,
            sms: sms.split(' ').map(str::parse).collect::<Result<_, _>>().ok()?,
        })
    }
}

fn joined(numbers: &[u32], by: &str) -> String {
    numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(by)
}

/// Numbers with commas, each once, in order.
fn numbers(list: &str) -> Option<Vec<u32>> {
    let mut numbers: Vec<u32> = list.split(',').map(str::parse).collect::<Result<_, _>>().ok()?;
    numbers.sort_unstable();
    numbers.dedup();
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read_as_they_are_written() {
        let order = |uuid: &str, place: Place| Order { uuid: uuid.into(), place };
        let orders = [
            order("GPU-a", Place::Without(vec![6, 7])),
            order("GPU-b", Place::Groups(vec![0, 65])),
            order(EVERY, Place::AllGroups),
        ];
        assert_eq!(written(&orders), "GPU-a:6,7;GPU-b:groups=0,65;*:groups=all");
        assert_eq!(parse(&written(&orders)), Ok(orders.to_vec()));
        assert_eq!(parse("GPU-a:7,6,7"), Ok(vec![order("GPU-a", Place::Without(vec![6, 7]))]));
        assert_eq!(parse(""), Ok(Vec::new()));
        for wrong in ["GPU-a", "GPU-a:", "GPU-a:x", "GPU-a:1,-2", "GPU-a:groups=", "*:groups=x"] {
            assert!(parse(wrong).is_err_and(|e| e.contains(wrong)), "{wrong}");
        }
    }

    #[test]
    fn reports_are_read_as_they_are_written() {
        let made =
            Line::Made { uuid: "GPU-a".into(), groups: 2, of: 66, sms: vec![0, 1, 124, 125] };
        assert_eq!(made.written(), "GPU-a runs on 2 of 66 groups, SMs 0 1 124 125");
        for line in [made, Line::Refused("no room".into())] {
            assert_eq!(Line::parse(&line.written()), Some(line));
        }
        for other in ["", "GPU-a runs on", "GPU-a runs on 1 of 2 groups, SMs x"] {
            assert_eq!(Line::parse(other), None);
        }
    }
}
