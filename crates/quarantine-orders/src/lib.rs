//! What the library is told, by variables of the environment.

#![forbid(unsafe_code)]

/// How the library's file is called.
pub const LIBRARY: &str = "libupset_quarantine_preload.so";

/// The exit code of a program that the driver would not keep off the bad SMs.
pub const REFUSED: i32 = 3;

/// The variable with the SMs to leave out: `GPU-…:6,7;GPU-…:0`.
pub const ORDERS: &str = "UPSET_QUARANTINE_SMS";
/// The variable with the file that gets a line for each context made green.
pub const REPORT: &str = "UPSET_QUARANTINE_REPORT";

/// What to leave out of one GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// The GPU's UUID, as `nvidia-smi -L` prints it.
    pub uuid: String,
    /// SMs by `%smid`, each once, in order.
    pub sms: Vec<u32>,
}

/// Orders as the variable holds them.
pub fn written(orders: &[Order]) -> String {
    let order = |order: &Order| {
        let sms: Vec<_> = order.sms.iter().map(u32::to_string).collect();
        format!("{}:{}", order.uuid, sms.join(","))
    };
    orders.iter().map(order).collect::<Vec<_>>().join(";")
}

/// Reads orders; the error is a sentence about what is wrong.
pub fn parse(text: &str) -> Result<Vec<Order>, String> {
    let mut orders = Vec::new();
    for part in text.split(';').filter(|part| !part.is_empty()) {
        let wrong = || format!("{part:?} is not like GPU-…:6,7");
        let (uuid, list) = part.split_once(':').ok_or_else(wrong)?;
        let sms: Result<Vec<u32>, _> = list.split(',').map(str::parse).collect();
        let mut sms = sms.map_err(|_| wrong())?;
        sms.sort_unstable();
        sms.dedup();
        orders.push(Order { uuid: uuid.to_string(), sms });
    }
    Ok(orders)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read_as_they_are_written() {
        let order = |uuid: &str, sms: &[u32]| Order { uuid: uuid.into(), sms: sms.to_vec() };
        let orders = [order("GPU-a", &[6, 7]), order("GPU-b", &[0])];
        assert_eq!(written(&orders), "GPU-a:6,7;GPU-b:0");
        assert_eq!(parse(&written(&orders)), Ok(orders.to_vec()));
        assert_eq!(parse("GPU-a:7,6,7"), Ok(vec![order("GPU-a", &[6, 7])]));
        assert_eq!(parse(""), Ok(Vec::new()));
        for wrong in ["GPU-a", "GPU-a:", "GPU-a:x", "GPU-a:1,-2"] {
            assert!(parse(wrong).is_err_and(|e| e.contains(wrong)), "{wrong}");
        }
    }
}
