//! For people.

use std::fmt::Write;

use upset_metrics::Class;
use upset_trial::story::Told;

use super::{Explained, words};
use crate::report::short_name;

/// Hits and steps that are shown.
const SHOWN: usize = 16;

impl Explained {
    /// The whole story.
    pub fn text(&self) -> String {
        let mut out = String::new();
        row(&mut out, "fault", &brief(&self.fault));
        let scale = self.scale.as_ref().map_or(String::new(), |s| format!(" {s}"));
        let subject = format!(
            "{}{scale} on {}: {} cycles without the fault",
            self.subject, self.chip, self.golden_cycles
        );
        row(&mut out, "run", &subject);
        self.hits(&mut out);
        self.steps(&mut out);
        self.end(&mut out);
        out
    }

    fn hits(&self, out: &mut String) {
        let story = &self.story;
        // Of many bits what they have in common is told, and one as an example.
        let many = story.hits_total > SHOWN as u64;
        if many {
            let arrays = arrays(&self.fault);
            row(out, "hit", &format!("{} changes of bits: {arrays}", story.hits_total));
            let (warp, group) = (self.words.warp, self.words.group);
            let owned = format!("were of bits that belong to a {warp}, a {group} or a valid line");
            row(out, "", &format!("{} {owned}", story.hits_allocated));
            row(out, "", &format!("{} gave the bit another value", story.hits_effective));
            row(out, "", "the first of them:");
        }
        // Bits of one row have most in common; what was said of the last is not said again.
        let mut said: Vec<String> = Vec::new();
        for hit in story.hits.iter().take(if many { 1 } else { SHOWN }) {
            let mut lines = Vec::new();
            let kernel = match &hit.owner.kernel {
                Some(k) => {
                    let launch = hit.owner.launch.unwrap_or(0);
                    format!("during {} (launch {launch})", short_name(k))
                }
                None => "no kernel was running".into(),
            };
            lines.push(format!("cycle {}, {kernel}", hit.cycle));
            lines.push(format!("{}: {}", hit.site, words::array(&hit.site)));
            lines.push(words::owner(hit, &self.words));
            if let Some(i) = &hit.holds {
                lines.push(format!("the entry holds {}", words::instruction(i)));
            }
            if let Some(i) = &hit.stands_at {
                let warp = self.words.warp;
                lines.push(format!("its {warp} stands at {}", words::instruction(i)));
            }
            let mut label = if many || !said.is_empty() { "" } else { "hit" };
            for (i, line) in lines.iter().enumerate() {
                if !said.contains(line) {
                    row(out, label, line);
                    label = "";
                }
                // What it is now stands below whose it is.
                if let Some(now) = words::change(hit).filter(|_| i == 2) {
                    row(out, "", &now);
                }
            }
            said = lines;
        }
    }

    fn steps(&self, out: &mut String) {
        let first = self.story.hits.first().map(|h| h.site.as_str()).unwrap_or_default();
        let mut label = "then";
        let steps = together(&self.story.steps);
        let mut told_of = 0u64;
        for (step, bits, of) in steps.iter().take(SHOWN) {
            told_of += *of;
            let place = match *bits {
                1 if step.site == first => String::new(),
                1 => format!("{}: ", step.site),
                n => format!("{n} bits of {}: ", row_of(&step.site)),
            };
            let told = words::step(step.what, step.by, step.instruction.as_ref(), &self.words);
            row(out, label, &format!("cycle {}  {place}{told}", step.cycle));
            label = "";
        }
        let more = self.story.steps_total.saturating_sub(told_of);
        if more > 0 {
            row(out, "", &format!("and {more} more accesses"));
        }
        if self.story.steps_total == 0 {
            let told = match self.observed {
                true if first.contains(".tag.") || first.contains(".state.") => {
                    "the line was not used again"
                }
                true => "nobody read or overwrote it",
                false => "uses of this array are not told one by one",
            };
            row(out, "then", told);
        }
        match self.story.still_wrong.as_slice() {
            _ if !self.observed => {}
            [] => {}
            [one] if one == first => {
                let last = self.story.hits.iter().rfind(|h| h.site == first);
                let stuck = last.is_some_and(|h| h.change.starts_with("hold"));
                let state = if stuck { "stuck" } else { "wrong" };
                row(out, "", &format!("it is still {state} at the end"));
            }
            many => {
                let list = shorten(many, self.story.still_wrong_total);
                row(out, "", &format!("still wrong at the end: {list}"));
            }
        }
    }

    fn end(&self, out: &mut String) {
        let o = &self.outcome;
        let class = match (&o.class, o.cause.as_str()) {
            (class, "") => class.name().to_string(),
            (class, cause) => format!("{}: {cause}", class.name()),
        };
        row(out, "outcome", &class);
        if let Some(sdc) = &o.sdc {
            let mut text = format!("{} of {} elements wrong", sdc.wrong, sdc.elements);
            if let Some(error) = sdc.max_relative {
                let _ = write!(text, ", largest relative error {error:.3e}");
            }
            for (n, what) in [(sdc.nan, "NaN"), (sdc.inf, "infinite")] {
                if n > 0 {
                    let _ = write!(text, ", {n} {what}");
                }
            }
            if sdc.length_differs {
                text.push_str(", another length");
            }
            row(out, "", &text);
        }
        if let Some(w) = &self.first_wrong {
            let value = |v: f64| match w.single {
                true => format!("{:?}", v as f32),
                false => format!("{v:?}"),
            };
            let found = w.found.map_or("missing".into(), value);
            let right = value(w.right);
            row(out, "", &format!("{}[{}] is {found}, should be {right}", w.output, w.index));
        }
        let cycles = match o.class {
            Class::Timeout if o.cycles < self.limit => {
                format!("nothing could happen any more after cycle {}", o.cycles)
            }
            Class::Timeout => format!("given up at cycle {}, the limit", o.cycles),
            Class::Crash | Class::ToolError => format!("ended at cycle {}", o.cycles),
            _ if o.cycles == self.golden_cycles => format!("{} cycles, as without it", o.cycles),
            _ => format!("{} cycles, {} without it", o.cycles, self.golden_cycles),
        };
        row(out, "", &cycles);
    }
}

/// Steps of several bits of a row at once are one: the first of them, how many bits
/// it is about, and how many steps they were.
fn together(steps: &[Told]) -> Vec<(&Told, u32, u64)> {
    let same = |a: &Told, b: &Told| {
        (a.cycle, a.what, a.by, &a.instruction) == (b.cycle, b.what, b.by, &b.instruction)
            && row_of(&a.site) == row_of(&b.site)
    };
    let mut list: Vec<(&Told, u32, u64)> = Vec::new();
    for step in steps {
        match list.iter_mut().find(|(first, ..)| same(first, step)) {
            Some((_, bits, of)) => {
                *bits += step.bits;
                *of += 1;
            }
            None => list.push((step, step.bits, 1)),
        }
    }
    list
}

/// A bit's name without the bit.
fn row_of(site: &str) -> &str {
    site.rsplit_once(".bit").map_or(site, |(row, _)| row)
}

fn shorten(sites: &[String], total: u64) -> String {
    let shown = sites.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
    match total {
        n if n > 3 => format!("{shown} and {} more", n - 3),
        _ => shown,
    }
}

/// The name of a fault, without the end of a very long one.
fn brief(fault: &str) -> String {
    let mut terms = fault.split(" + ");
    let shown: Vec<&str> = terms.by_ref().take(SHOWN).collect();
    match terms.count() {
        0 => fault.to_string(),
        more => format!("{} + {more} more terms (--json has them all)", shown.join(" + ")),
    }
}

/// The arrays that a fault is in, each once.
fn arrays(fault: &str) -> String {
    let mut names: Vec<String> = Vec::new();
    for term in fault.split(" + ") {
        let site = term.rsplit_once('@').map_or(term, |(site, _)| site);
        let site = site.rsplit_once(' ').map_or(site, |(_, site)| site);
        let name = words::array(site);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let more = names.len().saturating_sub(3);
    names.truncate(3);
    match more {
        0 => names.join("; "),
        n => format!("{}; and {n} more arrays", names.join("; ")),
    }
}

fn row(out: &mut String, label: &str, text: &str) {
    let _ = writeln!(out, "{:<8} {text}", label);
}

#[cfg(test)]
mod tests {
    use upset_state::By;
    use upset_trial::follow::What;

    use super::*;

    #[test]
    fn bits_of_a_row_that_share_a_step_are_one() {
        let step = |cycle, site: &str| Told {
            cycle,
            site: site.into(),
            bits: 1,
            what: What::Read,
            by: By::Warp { sm: 3, slot: 1, pc: 32 },
            instruction: None,
        };
        let steps = [
            step(9, "rf:sm3.row6.lane5.bit2"),
            step(9, "rf:sm3.row6.lane5.bit3"),
            step(9, "rf:sm3.row7.lane5.bit3"),
            step(10, "rf:sm3.row6.lane5.bit2"),
        ];
        let told: Vec<(u64, &str, u32)> =
            together(&steps).iter().map(|(s, bits, _)| (s.cycle, row_of(&s.site), *bits)).collect();
        let (six, seven) = ("rf:sm3.row6.lane5", "rf:sm3.row7.lane5");
        assert_eq!(told, [(9, six, 2), (9, seven, 1), (10, six, 1)]);
    }
}
