//! A map of places, coloured by rate.

use std::fmt::Write;

use super::about::{About, WIDTH, num};
use super::figure::figure;
use super::series::say;
use crate::breakdown::HeatMap;
use crate::html::escape::esc;
use crate::html::palette::STEPS;
use crate::number::{percent, trimmed};

const LEFT: f64 = 62.0;
const TOP: f64 = 4.0;

/// The figure; the legend is made here, of the map's own scale.
pub fn heat(mut about: About<'_>, map: &HeatMap) -> String {
    let value = |i: usize| map.slots.get(i).and_then(|s| s.failures.value);
    let most = (0..map.slots.len()).filter_map(value).fold(0.0, f64::max);
    let step =
        |v: f64| (v / most * (STEPS - 1) as f64).ceil().clamp(0.0, (STEPS - 1) as f64) as usize;
    about.legend = (0..STEPS)
        .map(|i| {
            let to = most * i as f64 / (STEPS - 1) as f64;
            (format!("h{i}"), if i == 0 { "0".into() } else { format!("to {}", percent(to)) })
        })
        .collect();
    let wide = (WIDTH - 4.0 - LEFT) / map.columns as f64;
    let high = (wide * 0.8).clamp(9.0, 20.0);
    let mut out = String::new();
    for (i, slot) in map.slots.iter().enumerate() {
        let (x, y) =
            (LEFT + wide * (i % map.columns) as f64, TOP + high * (i / map.columns) as f64);
        let class =
            value(i).filter(|_| slot.n > 0).map_or("none".into(), |v| format!("h{}", step(v)));
        let _ = writeln!(
            out,
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}</title></rect>",
            num(x + 0.5),
            num(y + 0.5),
            num(wide - 1.0),
            num(high - 1.0),
            esc(&say(slot))
        );
    }
    let bottom = TOP + high * map.lines as f64;
    labels(&mut out, map, wide, high, bottom);
    let desc: Vec<String> = map.slots.iter().filter(|s| s.share > 0.0).map(say).collect();
    figure(&about, &desc.join("; "), bottom + 36.0, &out)
}

fn labels(out: &mut String, map: &HeatMap, wide: f64, high: f64, bottom: f64) {
    let number = |i: usize, step: u64| trimmed((i as u64 * step) as f64);
    let every = ((26.0 / wide).ceil().max(1.0) as usize).next_power_of_two();
    for i in (0..map.columns).step_by(every) {
        let _ = writeln!(
            out,
            "<text class=\"tick\" text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text>",
            num(LEFT + wide * (i as f64 + 0.5)),
            num(bottom + 14.0),
            number(i, map.across_step)
        );
    }
    let every = ((14.0 / high).ceil().max(1.0) as usize).next_power_of_two();
    for i in (0..map.lines).step_by(every) {
        let _ = writeln!(
            out,
            "<text class=\"tick\" text-anchor=\"end\" x=\"{}\" y=\"{}\">{}</text>",
            num(LEFT - 6.0),
            num(TOP + high * (i as f64 + 0.5) + 4.0),
            number(i, map.down_step)
        );
    }
    let of = |step: u64, name: &str| match step {
        1 => name.to_string(),
        n => format!("{name}, {n} each"),
    };
    let _ = writeln!(
        out,
        "<text class=\"tick\" text-anchor=\"middle\" x=\"{}\" y=\"{}\">across: {}; down: {}</text>",
        num((LEFT + WIDTH) / 2.0),
        num(bottom + 31.0),
        esc(&of(map.across_step, map.across)),
        esc(&of(map.down_step, map.down))
    );
}
