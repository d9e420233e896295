//! What to leave out of a GPU, by which way, and what that costs.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::record::{About, Class, Kind, Record, Verdict};

/// The form of plans that is written and understood.
pub const SCHEMA: u32 = 1;

/// A plan, as it is kept in a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Whose it is.
    pub board: About,
    /// Errors of the record were made on purpose.
    pub injected: bool,
    /// What was found.
    pub verdict: Verdict,
    /// SMs to leave out.
    pub sms: Vec<u32>,
    /// Ways to do it, the best first.
    pub ways: Vec<Choice>,
}

/// A way, what it leaves out and what it costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// Which.
    pub way: Way,
    /// SMs it leaves out; none if it leaves out lanes.
    pub sms: Vec<u32>,
    /// Lanes it leaves out on the bad SM.
    pub lanes: Vec<u32>,
    /// Share of the chip's throughput that is lost at best.
    pub lost: f64,
}

/// A way to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// A context of the driver's without the SM's group: no change to programs.
    GreenContext,
    /// Kernels compiled under tickets.
    Ticket,
    /// Kernels that skip lanes.
    Lanes,
}

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NoPlan {
    /// Nothing was found.
    #[error("the record has no findings: there is nothing to leave out")]
    Nothing,
    /// Memory is not left out this way.
    #[error(
        "the findings are in memory ({0}): SMs are not to blame; let the driver retire the rows, \
         or replace the GPU"
    )]
    Memory(String),
    /// No part of the chip explains them.
    #[error("no part of the chip explains the findings ({0}): replace the GPU")]
    Scattered(String),
    /// Nothing would be left.
    #[error("all {0} SMs are concerned: replace the GPU")]
    All(u32),
    /// It names what is not there.
    #[error("the record names SM {0} of a board with {1} SMs")]
    NoSuchSm(u32, u32),
}

/// A file that is no plan.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PlanError {
    /// Another file.
    #[error("not a plan of `upset quarantine plan`: {0}")]
    NoPlan(String),
    /// Of another time.
    #[error("a plan in form {0}, and form {SCHEMA} is understood: make it again from the record")]
    Schema(u32),
}

impl Plan {
    /// The plan for a record.
    pub fn of(record: &Record) -> Result<Plan, NoPlan> {
        let verdict = record.verdict.as_ref().ok_or(NoPlan::Nothing)?;
        let board = &record.board;
        match verdict.class {
            Class::Channel | Class::Word => {
                return Err(NoPlan::Memory(verdict.evidence.clone()));
            }
            Class::Scattered => return Err(NoPlan::Scattered(verdict.evidence.clone())),
            Class::Lane | Class::HalfWarp | Class::SubCore | Class::Sm | Class::Tpc => {}
        }
        let mut sms = verdict.sms.clone();
        sms.sort_unstable();
        sms.dedup();
        if let Some(&sm) = sms.iter().find(|&&sm| sm >= board.sms) {
            return Err(NoPlan::NoSuchSm(sm, board.sms));
        }
        let share = |lost: usize| lost as f64 / f64::from(board.sms.max(1));
        let mut ways = Vec::new();
        // Groups of two, 2k and 2k + 1, as measured on an H200; asked of the chip
        // when it is used.
        let mut group: Vec<u32> = sms.iter().flat_map(|sm| [sm & !1, sm | 1]).collect();
        group.sort_unstable();
        group.dedup();
        group.retain(|&sm| sm < board.sms);
        if sms.is_empty() || sms.len() as u32 == board.sms {
            return Err(NoPlan::All(board.sms));
        }
        if board.kind == Kind::Cuda && (group.len() as u32) < board.sms {
            let lost = share(group.len());
            ways.push(Choice { way: Way::GreenContext, sms: group, lanes: Vec::new(), lost });
        }
        let lost = share(sms.len());
        ways.push(Choice { way: Way::Ticket, sms: sms.clone(), lanes: Vec::new(), lost });
        if verdict.class == Class::Lane && !verdict.lanes.is_empty() {
            let lanes = verdict.lanes.clone();
            let lost = share(1) * lanes.len() as f64 / 32.0;
            ways.push(Choice { way: Way::Lanes, sms: Vec::new(), lanes, lost });
        }
        Ok(Plan {
            schema: SCHEMA,
            board: board.clone(),
            injected: record.injected.is_some(),
            verdict: verdict.clone(),
            sms,
            ways,
        })
    }

    /// Reads a plan.
    pub fn parse(text: &str) -> Result<Plan, PlanError> {
        let plan: Plan =
            serde_json::from_str(text).map_err(|e| PlanError::NoPlan(e.to_string()))?;
        match plan.schema {
            SCHEMA => Ok(plan),
            other => Err(PlanError::Schema(other)),
        }
    }

    /// The way of a kind, if it is one of the plan's.
    pub fn way(&self, way: Way) -> Option<&Choice> {
        self.ways.iter().find(|option| option.way == way)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(kind: &str) -> String {
        format!(
            r#"{{"name": "H200", "kind": "{kind}", "arch": "sm_90", "sms": 132, "sub_cores": 4,
                "warp": 32, "warps_per_sm": 64, "ctas_per_sm": 32, "registers_per_sm": 65536,
                "shared_per_cta": 232448, "shared_per_sm": 233472, "memory": 1, "l2": 1,
                "clock_hz": 1.98e9, "uuid": "GPU-1", "vbios": "96.00",
                "driver": "580.82", "mig": "off", "mps": null}}"#
        )
    }

    fn record(kind: &str, verdict: &str) -> Record {
        let board = board(kind);
        let text = format!(
            r#"{{"schema": 1, "exit_code": 1, "injected": null, "more": [],
                "board": {board}, "verdict": {verdict}}}"#
        );
        Record::parse(&text).unwrap()
    }

    fn verdict(class: &str, sms: &str, lanes: &str) -> String {
        format!(
            r#"{{"class": "{class}", "sms": {sms}, "sub_cores": [2], "lanes": {lanes},
                "period": null, "addresses": [], "bits": 1, "errors": 9, "evidence": "why"}}"#
        )
    }

    #[test]
    fn a_lane_may_be_left_out_in_three_ways() {
        let plan = Plan::of(&record("cuda", &verdict("lane", "[6]", "[5, 21]"))).unwrap();
        let told: Vec<_> = plan.ways.iter().map(|w| (w.way, w.sms.as_slice())).collect();
        let none: &[u32] = &[];
        assert_eq!(
            told,
            [(Way::GreenContext, &[6, 7][..]), (Way::Ticket, &[6]), (Way::Lanes, none)]
        );
        // Of the 132 SMs of an H200: 1.52 %, 0.76 %, and a sixteenth of that.
        let lost: Vec<_> = plan.ways.iter().map(|w| format!("{:.3}", 100.0 * w.lost)).collect();
        assert_eq!(lost, ["1.515", "0.758", "0.047"]);
        let read = Plan::parse(&serde_json::to_string(&plan).unwrap()).unwrap();
        assert_eq!(read, plan);
    }

    #[test]
    fn a_tpc_costs_no_more_than_itself_and_a_model_has_no_driver() {
        let plan = Plan::of(&record("cuda", &verdict("tpc", "[7, 6]", "[]"))).unwrap();
        assert_eq!(plan.way(Way::GreenContext).unwrap().sms, [6, 7]);
        assert_eq!(plan.way(Way::Ticket).unwrap().sms, [6, 7]);
        let plan = Plan::of(&record("model", &verdict("sm", "[0]", "[]"))).unwrap();
        assert!(plan.way(Way::GreenContext).is_none() && plan.way(Way::Lanes).is_none());
    }

    #[test]
    fn what_no_sm_explains_has_no_plan() {
        let told = |verdict: &str| Plan::of(&record("cuda", verdict)).unwrap_err();
        assert_eq!(told("null"), NoPlan::Nothing);
        assert_eq!(told(&verdict("word", "[]", "[]")), NoPlan::Memory("why".into()));
        assert_eq!(told(&verdict("scattered", "[1, 9]", "[]")), NoPlan::Scattered("why".into()));
        assert_eq!(told(&verdict("sm", "[132]", "[]")), NoPlan::NoSuchSm(132, 132));
        assert_eq!(told(&verdict("sm", "[]", "[]")), NoPlan::All(132));
    }

    #[test]
    fn a_record_belongs_to_one_gpu_in_one_state() {
        let then = record("cuda", "null").board;
        assert_eq!(then.differs(&then), None);
        // What the record does not know cannot differ.
        let now = About { mps: Some("on".into()), ..then.clone() };
        assert_eq!(then.differs(&now), None);
        let now = About { driver: Some("590.10".into()), ..then.clone() };
        let told = "the record was made with driver 580.82, and now it is 590.10";
        assert_eq!(then.differs(&now).as_deref(), Some(told));
        let now = About { mig: None, ..then.clone() };
        assert!(then.differs(&now).is_some_and(|told| told.contains("MIG off")));
        let now = About { uuid: Some("GPU-2".into()), vbios: Some("x".into()), ..then.clone() };
        assert!(then.differs(&now).is_some_and(|told| told.contains("GPU GPU-1")));
    }

    #[test]
    fn other_files_are_refused_in_a_sentence() {
        use crate::record::RecordError;
        assert!(matches!(Record::parse("{}"), Err(RecordError::NoRecord(_))));
        assert_eq!(Record::parse(r#"{"schema": 2}"#), Err(RecordError::Schema(2)));
        assert!(matches!(Plan::parse("nonsense"), Err(PlanError::NoPlan(_))));
    }
}
