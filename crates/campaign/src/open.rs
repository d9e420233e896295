//! The store of a campaign: a new one, or one to go on with.

use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::Duration;

use upset_store::{Header, Store, StoreError};

use crate::CampaignError;
use crate::intents::intents;
use crate::options::{Begin, Options};
use crate::shards::shard;
use crate::spec::Spec;

/// How often a store is looked at that somebody writes.
const LOOK: Duration = Duration::from_secs(1);

/// A store with its specification.
pub(crate) struct Opened {
    pub spec: Spec,
    pub store: Store,
    /// It was made just now.
    pub is_new: bool,
}

pub(crate) fn open(spec: Option<Spec>, options: &Options<'_>) -> Result<Opened, CampaignError> {
    let begins = match options.begin {
        Begin::New => true,
        Begin::Resume => false,
        Begin::GoOn => !options.out.exists(),
    };
    if begins {
        let begun = begin(spec.clone(), options);
        let raced = matches!(
            &begun,
            Err(CampaignError::Store(StoreError::Exists { .. } | StoreError::Locked { .. }))
        );
        if !raced || options.begin == Begin::New {
            return begun;
        }
    }
    resume(spec, options)
}

fn begin(spec: Option<Spec>, options: &Options<'_>) -> Result<Opened, CampaignError> {
    let spec = spec.ok_or_else(|| CampaignError::Spec("no specification".into()))?;
    spec.check()?;
    let header = Header {
        tool: env!("CARGO_PKG_VERSION").into(),
        spec: spec.to_toml(),
        seed: spec.seed,
        confidence: spec.confidence,
    };
    let plan = intents(&spec);
    let part = options.shard.map(|which| shard(&spec, &plan, which));
    let store = Store::begin(&options.out, &header, &plan, part.as_ref())?;
    Ok(Opened { spec, store, is_new: true })
}

fn resume(spec: Option<Spec>, options: &Options<'_>) -> Result<Opened, CampaignError> {
    let store = open_store(options)?;
    let stored = Spec::parse(&store.header().spec)?;
    let out = options.out.display();
    if spec.is_some_and(|given| given != stored) {
        return Err(CampaignError::Spec(format!(
            "{out} was made with another specification; give the same one, or none: \
             `upset campaign --resume --out {out}`"
        )));
    }
    let part = store.shard()?.map(|s| (s.number, s.count));
    match options.shard.map(|s| (s.number, s.count)) {
        Some(asked) if Some(asked) != part => {
            let is = part.map_or("the whole campaign".into(), |(n, of)| format!("shard {n}/{of}"));
            Err(CampaignError::Spec(format!(
                "{out} is {is}, not shard {}/{}: give each shard a store of its own",
                asked.0, asked.1
            )))
        }
        _ => Ok(Opened { spec: stored, store, is_new: false }),
    }
}

fn open_store(options: &Options<'_>) -> Result<Store, CampaignError> {
    loop {
        match Store::open(&options.out) {
            Err(StoreError::Locked { .. }) if options.begin == Begin::GoOn => {}
            opened => return Ok(opened?),
        }
        if options.stop.load(Ordering::Relaxed) {
            return Err(CampaignError::Interrupted);
        }
        sleep(LOOK);
    }
}
