//! Statements of the paper's text, each beside what the study has of it.

use super::kept::{Row, Structure, Study};
use super::share::{percent, three};
use crate::timing::spearman;

/// What the paper says and what is here.
pub fn all(study: &Study) -> Vec<(&'static str, String)> {
    vec![
        (
            "register file: silent corruption dominates, in all benchmarks and chips (Fig. 1)",
            by_chip(study, dominant),
        ),
        ("register file: crashes are practically zero in most cases", by_chip(study, crashes)),
        ("register file: many timeouts in HS, KM, LUD, PATHF, NW and SP", by_chip(study, timeouts)),
        (
            "register file: KM is highest in all chips, BP nearly zero",
            by_chip(study, extremes_of_registers),
        ),
        ("SP is more vulnerable than VA and BP in all three (Fig. 3)", by_chip(study, sp_first)),
        ("SRAD2 above SRAD1 above KM, in occupancy and in vulnerability", by_chip(study, sradic)),
        (
            "what has the higher occupancy tends to be more vulnerable",
            by_chip(study, with_occupancy),
        ),
        ("trends are virtually the same on all chips", between_chips(study)),
        (
            "other cycles alone: up to 8.6 % of what is masked on RTX 2060 (nearly 4 % on average), \
             16.2 % on GV100, 12.2 % on Titan (Fig. 4)",
            by_chip(study, slowed),
        ),
        (
            "three bits: around twice the AVF of one in most benchmarks, on RTX 2060 (Fig. 6)",
            by_chip(study, triple),
        ),
        ("the older the GPU, the larger the FIT, in most benchmarks (Fig. 7)", oldest(study)),
    ]
}

/// What can be said of each chip.
fn by_chip(study: &Study, say: fn(&[&Row], &Study) -> Option<String>) -> String {
    let of = |chip: &str| {
        let rows: Vec<&Row> =
            study.run_on(chip).iter().filter_map(|app| study.row(app, chip, 1)).collect();
        Some(format!("{chip}: {}", say(&rows, study)?))
    };
    let said: Vec<String> = study.chips.iter().filter_map(|c| of(&c.name)).collect();
    if said.is_empty() { "-".into() } else { said.join("; ") }
}

fn registers<'a>(rows: &[&'a Row]) -> Vec<(&'a str, &'a Structure)> {
    rows.iter().filter_map(|r| Some((r.app.as_str(), r.structure("rf")?))).collect()
}

fn dominant(rows: &[&Row], _: &Study) -> Option<String> {
    let list = registers(rows);
    let most = |s: &Structure| s.sdc.0 > s.crash.0 && s.sdc.0 > s.timeout.0;
    let count = list.iter().filter(|(_, s)| most(s)).count();
    Some(format!("in {count} of {}", list.len()))
}

/// The largest of some values, with its name.
fn largest<'a>(values: impl Iterator<Item = (&'a str, f64)>) -> Option<(&'a str, f64)> {
    values.max_by(|a, b| a.1.total_cmp(&b.1))
}

fn crashes(rows: &[&Row], _: &Study) -> Option<String> {
    let list = registers(rows);
    let (app, most) = largest(list.iter().map(|(app, s)| (*app, s.crash.0)))?;
    let few = list.iter().filter(|(_, s)| s.crash.0 < 0.001).count();
    Some(format!("below 0.1 % in {few} of {}, at most {} % ({app})", list.len(), percent(most)))
}

fn timeouts(rows: &[&Row], _: &Study) -> Option<String> {
    let list = registers(rows);
    let (app, most) = largest(list.iter().map(|(app, s)| (*app, s.timeout.0)))?;
    Some(match most > 0.0 {
        true => format!("at most {} % ({app})", percent(most)),
        false => "none".into(),
    })
}

fn extremes_of_registers(rows: &[&Row], _: &Study) -> Option<String> {
    let list = registers(rows);
    let (app, most) = largest(list.iter().map(|(app, s)| (*app, s.avf.0)))?;
    let bp = list.iter().find(|(app, _)| *app == "bp");
    let bp = bp.map_or(String::new(), |(_, s)| format!(", bp {} %", percent(s.avf.0)));
    Some(format!("{app} is highest with {} %{bp}", percent(most)))
}

fn avf_of(rows: &[&Row], app: &str) -> Option<f64> {
    rows.iter().find(|r| r.app == app).map(|r| r.weighted.0)
}

fn sp_first(rows: &[&Row], _: &Study) -> Option<String> {
    let [sp, va, bp] = ["sp", "va", "bp"].map(|app| avf_of(rows, app));
    let (sp, va, bp) = (sp?, va?, bp?);
    let told = format!("{} against {} and {} %", percent(sp), percent(va), percent(bp));
    Some(format!("{} ({told})", if sp > va && sp > bp { "yes" } else { "no" }))
}

fn sradic(rows: &[&Row], _: &Study) -> Option<String> {
    let find = |app: &str| rows.iter().find(|r| r.app == app).copied();
    let [a, b, c] = ["srad2", "srad1", "km"].map(find);
    let three = [a?, b?, c?];
    let falls = |of: &dyn Fn(&Row) -> f64| {
        let values: Vec<f64> = three.iter().map(|r| of(r)).collect();
        let told: Vec<String> = values.iter().map(|v| percent(*v)).collect();
        let yes = if values.is_sorted_by(|a, b| a > b) { "yes" } else { "no" };
        format!("{yes} ({} %)", told.join(", "))
    };
    Some(format!("{}, {}", falls(&|r| r.occupancy), falls(&|r| r.weighted.0)))
}

fn with_occupancy(rows: &[&Row], _: &Study) -> Option<String> {
    let column = |of: fn(&Row) -> f64| rows.iter().map(|r| of(r)).collect::<Vec<f64>>();
    let rank = spearman(&column(|r| r.occupancy), &column(|r| r.weighted.0));
    (rows.len() > 2).then(|| format!("rank correlation {rank:.2}"))
}

fn slowed(rows: &[&Row], _: &Study) -> Option<String> {
    let share = |r: &Row| {
        let (slowed, all) = r.slowed();
        slowed as f64 / all.max(1) as f64
    };
    let (app, most) = largest(rows.iter().map(|r| (r.app.as_str(), share(r))))?;
    let mean = rows.iter().map(|r| share(r)).sum::<f64>() / rows.len() as f64;
    Some(format!("up to {} % ({app}), {} % on average", percent(most), percent(mean)))
}

fn triple(rows: &[&Row], study: &Study) -> Option<String> {
    let mut all: Vec<(&str, f64)> = Vec::new();
    for row in rows {
        let three = study.row(&row.app, &row.chip, 3)?.weighted.0;
        let one = row.weighted.0;
        if one > 0.0 && three > 0.0 {
            all.push((&row.app, three / one));
        }
    }
    let (high_app, high) = largest(all.iter().copied())?;
    let (low_app, low) = all.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let mean = (all.iter().map(|(_, r)| r.ln()).sum::<f64>() / all.len() as f64).exp();
    Some(format!("{low:.2} ({low_app}) to {high:.2} ({high_app}) times, geometric mean {mean:.2}"))
}

/// Rank correlations of weighted AVFs between chips.
fn between_chips(study: &Study) -> String {
    let mut said = Vec::new();
    for (i, a) in study.chips.iter().enumerate() {
        for b in &study.chips[i + 1..] {
            let both: Vec<(f64, f64)> = study
                .run_on(&a.name)
                .iter()
                .filter_map(|app| {
                    let of = |chip: &str| Some(study.row(app, chip, 1)?.weighted.0);
                    Some((of(&a.name)?, of(&b.name)?))
                })
                .collect();
            if both.len() > 2 {
                let (x, y): (Vec<f64>, Vec<f64>) = both.into_iter().unzip();
                said.push(format!("{} and {} {:.2}", a.name, b.name, spearman(&x, &y)));
            }
        }
    }
    if said.is_empty() { "-".into() } else { format!("rank correlation {}", said.join(", ")) }
}

/// In how many applications the chip with the highest raw FIT has the largest FIT.
fn oldest(study: &Study) -> String {
    let raw = |c: &&super::kept::Chip| c.raw_fit;
    let Some(old) = study.chips.iter().max_by(|a, b| raw(a).total_cmp(&raw(b))) else {
        return "-".into();
    };
    let others = study.chips.iter().filter(|c| c.name != old.name);
    if others.clone().count() == 0 {
        return "-".into();
    }
    let fit = |app: &str, chip: &str| study.row(app, chip, 1).map(|r| study.fit(r).0);
    let (mut most, mut all) = (0, 0);
    let mut ratios = Vec::new();
    for app in &study.apps {
        let own = fit(app, &old.name);
        let rest: Option<Vec<f64>> = others.clone().map(|c| fit(app, &c.name)).collect();
        let (Some(own), Some(rest)) = (own, rest) else { continue };
        all += 1;
        let next = rest.into_iter().fold(0.0, f64::max);
        most += usize::from(own > next);
        if own > 0.0 && next > 0.0 {
            ratios.push(own / next);
        }
    }
    if all == 0 {
        return "-".into();
    }
    ratios.sort_by(f64::total_cmp);
    let middle = ratios.get(ratios.len() / 2).map_or("-".into(), |r| three(*r));
    format!("{} is highest in {most} of {all}; median ratio to the next {middle}", old.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ispass22::tables::tests::study;

    #[test]
    fn statements_are_about_the_rows() {
        let said = all(&study());
        let of = |word: &str| {
            let found = said.iter().find(|(paper, _)| paper.contains(word));
            found.unwrap_or_else(|| panic!("nobody says {word}")).1.clone()
        };
        assert_eq!(of("dominates"), "rtx2060: in 2 of 3; titan: in 2 of 3");
        assert!(of("practically zero").contains("at most 1.00 % (bp)"), "{}", of("practically"));
        assert!(of("KM is highest").starts_with("rtx2060: sp is highest with 4.00 %, bp 1.00 %"));
        assert!(of("SP is more").starts_with("rtx2060: yes (3.00 against 1.50 and 0.75 %)"));
        assert!(of("trends").contains("rtx2060 and titan 1.00"));
        assert!(of("three bits").contains("geometric mean 2.00; titan: 2.00 ("));
        assert_eq!(of("the older"), "titan is highest in 3 of 3; median ratio to the next 4.44");
        assert_eq!(of("SRAD2"), "-");
    }
}
