//! How estimates are made from stores: raw FIT, intervals, confidence.

use clap::Args;
use upset_chip::ChipSpec;
use upset_metrics::Method;
use upset_report::Options;
use upset_store::Results;

use crate::failure::Failure;

/// What `upset report` and `upset compare` are asked alike.
#[derive(Debug, Args)]
pub struct EstimateArgs {
    /// Raw FIT of a bit, for FIT, MTBF and EPF: chip (what the chip file says), 12nm, 28nm, sifi, or a number with its source
    #[arg(long, value_name = "NAME|NUMBER")]
    raw_fit: Option<String>,
    /// Where the number given with --raw-fit comes from
    #[arg(long, value_name = "TEXT", requires = "raw_fit")]
    raw_fit_source: Option<String>,
    /// How intervals are made
    #[arg(long, value_name = "clopper-pearson|wilson", default_value = "clopper-pearson", value_parser = method)]
    interval: Method,
    /// Confidence of intervals (default: what the stores were made with)
    #[arg(long, value_name = "PERCENT", value_parser = upset_campaign::confidence)]
    confidence: Option<f64>,
}

fn method(name: &str) -> Result<Method, String> {
    Method::parse(name).ok_or_else(|| "give clopper-pearson or wilson".to_string())
}

impl EstimateArgs {
    /// The options for some stores, whose chips may say their raw FIT.
    pub fn options(&self, stores: &[Results]) -> Result<Options, Failure> {
        let raw_fit = match &self.raw_fit {
            None => None,
            Some(value) => {
                let subjects = stores.iter().flat_map(|store| &store.subjects);
                let chips = subjects.map(|s| {
                    Ok((s.chip.clone(), ChipSpec::parse::<&str>(&s.chip_toml, &s.chip, &[])?))
                });
                let chips = || chips.collect::<Result<Vec<_>, Failure>>();
                Some(super::raw_fit::given(value, self.raw_fit_source.as_deref(), chips)?)
            }
        };
        let (interval, confidence) = (self.interval, self.confidence);
        Ok(Options { interval, confidence, raw_fit, ..Options::default() })
    }
}
