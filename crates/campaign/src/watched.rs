//! Whether performance counters would have noticed a faulty run.

use std::path::Path;

use upset_apps::{App, Scale};
use upset_chip::ChipSpec;
use upset_device::{Device, Mode};
use upset_metrics::{FirstAlarm, Noticed};
use upset_watch::{Profile, Subject, Verdict, digest};

use crate::CampaignError;
use crate::golden::Bench;

/// What a profile of an application is of.
pub fn subject(app: &dyn App, scale: Scale, chip: &ChipSpec, mode: Mode) -> Subject {
    let code: Vec<u8> = app.binaries(chip).into_iter().flat_map(|(_, code)| code).collect();
    Subject {
        name: app.id().to_string(),
        code: digest(&code),
        chip: chip.chip.name.clone(),
        chip_digest: digest(chip.to_toml().as_bytes()),
        mode: mode.name().to_string(),
        scale: Some(scale.name().to_string()),
    }
}

/// Reads a profile.
pub fn read(path: &Path) -> Result<Profile, CampaignError> {
    let bad = |what: String| CampaignError::Spec(format!("{}: {what}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|e| bad(format!("cannot be read: {e}")))?;
    Profile::parse(&text).map_err(|e| bad(e.to_string()))
}

/// The profile of an application among those that a specification names; none
/// where it names none.
pub fn profile(paths: &[String], bench: &Bench) -> Result<Option<Profile>, CampaignError> {
    if paths.is_empty() {
        return Ok(None);
    }
    let wanted = subject(bench.app(), bench.scale, &bench.chip, Mode::Timing);
    let mut near = None;
    for path in paths {
        let profile = read(Path::new(path))?;
        match wanted.is(&profile.subject) {
            Ok(()) => return Ok(Some(profile)),
            // The one of this application says best what differs.
            Err(e) if profile.subject.name == wanted.name => near = Some(format!("{path}: {e}")),
            Err(_) => {}
        }
    }
    let none = || {
        format!(
            "none of the profiles in `watch` is of {}: learn one with `upset watch learn`",
            bench.name()
        )
    };
    Err(CampaignError::Spec(near.unwrap_or_else(none)))
}

/// Lets a device count as a profile was learned.
pub fn count(device: &mut Device, profile: &Profile) -> Result<(), CampaignError> {
    Ok(device.start_counting_each(profile.lessons.every.clone())?)
}

/// What a profile notices of a run that is over.
pub fn noticed(profile: &Profile, device: &Device) -> Noticed {
    of(&profile.judge(device.readings()))
}

fn of(verdict: &Verdict) -> Noticed {
    let mut paper: Vec<String> = verdict.paper.iter().map(|a| a.what.clone()).collect();
    paper.sort_unstable();
    paper.dedup();
    Noticed {
        layers: verdict.layers().iter().map(|l| l.name().to_string()).collect(),
        ways: verdict.ways(),
        first: verdict.first().map(|a| FirstAlarm {
            layer: a.layer.name().to_string(),
            what: a.what.clone(),
            cycle: a.cycle,
            launch: a.launch,
            sm: a.sm,
            before_output: a.before_output,
        }),
        paper,
        score: verdict.score,
    }
}

/// What is noticed of the fault-free run: of those that are proved to be like
/// it, nothing else.
pub fn of_golden(profile: &Profile, bench: &Bench) -> Result<Noticed, CampaignError> {
    let mut device = bench.device()?;
    count(&mut device, profile)?;
    bench.golden_on(&mut device)?;
    Ok(noticed(profile, &device))
}
