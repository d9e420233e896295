//! The worst silent corruptions, with the command that makes each again.

use std::fmt::Write;

use super::escape::esc;
use super::table::Table;
use crate::number::{grouped, significant};
use crate::panel::Panel;

/// The list; nothing without a silent corruption.
pub fn list(p: &Panel) -> String {
    if p.worst.is_empty() {
        return String::new();
    }
    let all: u64 = p.rows.iter().map(|r| r.counts.sdc).sum();
    let caption = format!(
        "Worst silent corruptions: {} of {}, {}",
        p.worst.len(),
        grouped(all),
        p.variant.label()
    );
    let head = ["Kernel", "Structure", "Wrong", "Of", "Largest error", "Makes it again"];
    let mut t = Table::new(&caption, 2, &head);
    for w in &p.worst {
        let mut command = String::new();
        let _ = write!(command, "<code class=\"command\">{}</code>", esc(&w.command));
        t.push(vec![
            esc(&w.kernel_name),
            esc(&w.structure),
            grouped(w.wrong),
            grouped(w.elements),
            w.max_relative.map_or("–".into(), significant),
            command,
        ]);
    }
    t.render()
}
