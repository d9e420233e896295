//! The rows of a subject in numbers.

use upset_metrics::Class;

use super::escape::esc;
use super::table::{self, Table};
use crate::number::{grouped, percent, significant};
use crate::panel::Panel;

/// Each structure under each kernel.
pub fn structures(p: &Panel, fit: bool) -> String {
    let mut head = vec!["Kernel", "Structure"];
    let windows = p.rows.iter().any(|r| !r.window.is_empty());
    let spreads = p.has_spreads();
    if spreads {
        head.push("Spread");
    }
    if windows {
        head.push("Window");
    }
    let words = head.len();
    head.extend(["Runs", "Masked", "Perf.", "SDC", "Crash", "Timeout", "Tool"]);
    // Mostly 1, and then not worth a column.
    let derated = p.rows.iter().any(|r| r.derating != 1.0);
    if derated {
        head.push("Derating");
    }
    head.extend(["AVF", "In use", "AVF in use", "HVF"]);
    let ace = p.rows.iter().any(|r| r.ace.is_some());
    if ace {
        head.extend(["ACE", "refined"]);
    }
    if fit {
        head.push("FIT");
    }
    let mut t = Table::new(&format!("{}, {}", p.subject(), p.variant.label()), words, &head);
    for r in &p.rows {
        let mut cells = vec![esc(&r.kernel_name), esc(&r.structure)];
        if spreads {
            cells.push(esc(&r.spread));
        }
        if windows {
            cells.push(esc(&r.window));
        }
        cells.push(table::runs(r.runs, r.planned, r.complete));
        cells.extend(Class::ALL.map(|c| grouped(r.counts.of(c))));
        if derated {
            cells.push(significant(r.derating));
        }
        cells.push(table::share(r.avf_estimate()));
        cells.push(table::maybe(r.occupancy, percent));
        cells.push(table::share(r.avf_util_estimate()));
        cells.push(table::share(r.hvf_estimate()));
        if ace {
            cells.extend([r.ace, r.ace_refined].map(|x| table::maybe(x, percent)));
        }
        if fit {
            cells.push(table::value(r.fit_estimate()));
        }
        t.push(cells);
    }
    t.render()
}

/// Each kernel over its structures.
pub fn kernels(panels: &[&Panel], first: &Panel) -> String {
    let caption = format!("Kernels of {}", first.subject());
    let head = ["Kernel", "Fault", "Launches", "Cycles", "AVF", "Occupancy", "df_reg", "df_smem"];
    let mut t = Table::new(&caption, 2, &head);
    for p in panels {
        for k in p.total.iter().flat_map(|t| &t.kernels) {
            t.push(vec![
                esc(&k.kernel_name),
                esc(&p.variant.label()),
                grouped(k.launches),
                grouped(k.cycles),
                table::share(k.avf),
                table::maybe(k.occupancy, percent),
                table::maybe(k.df_reg, percent),
                table::maybe(k.df_smem, percent),
            ]);
        }
    }
    t.render()
}
