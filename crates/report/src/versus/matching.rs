//! Who is compared with whom.

use super::model::{Differing, Name};
use crate::cell::Cell;
use crate::panel::Group;

/// What must be the same, or differ throughout.
const FIELDS: [&str; 6] = ["application", "scale", "chip", "bits", "model", "sampling"];

/// Groups that are partners, and what differs between them.
pub struct Partners {
    /// Numbers in both lists.
    pub pairs: Vec<(usize, usize)>,
    /// The one thing that differs throughout.
    pub across: Option<Differing>,
}

/// What a group is called.
pub fn name(group: &Group<'_, '_>) -> Name {
    let subject = group.cells[0].subject;
    Name {
        app: subject.app.clone(),
        scale: subject.scale.clone(),
        chip: subject.chip.clone(),
        variant: group.variant.clone(),
    }
}

fn key(name: &Name) -> [String; FIELDS.len()] {
    let Name { app, scale, chip, variant: v } = name.clone();
    [app, scale, chip, v.bits.to_string(), v.model, v.sampling]
}

/// Finds partners: groups that agree in everything, or, where there are none, in
/// everything but one thing that each side has one value of.
pub fn partners(a: &[Name], b: &[Name]) -> Partners {
    let keys = |names: &[Name]| names.iter().map(key).collect::<Vec<_>>();
    let (a, b) = (keys(a), keys(b));
    let agree = |without: Option<usize>| {
        let same = |x: &[String; 6], y: &[String; 6]| {
            (0..FIELDS.len()).all(|i| Some(i) == without || x[i] == y[i])
        };
        let mut pairs = Vec::new();
        for (i, x) in a.iter().enumerate() {
            let of: Vec<usize> = (0..b.len()).filter(|j| same(x, &b[*j])).collect();
            // Two answers to one question: nobody knows which one is meant.
            let alone = a.iter().filter(|other| same(x, other)).count() == 1;
            if let (true, [j]) = (alone, of.as_slice()) {
                pairs.push((i, *j));
            }
        }
        pairs
    };
    let pairs = agree(None);
    if !pairs.is_empty() {
        return Partners { pairs, across: None };
    }
    for (field, what) in FIELDS.iter().enumerate() {
        let only = |keys: &[[String; 6]]| {
            let first = keys.first()?[field].clone();
            keys.iter().all(|k| k[field] == first).then_some(first)
        };
        let (x, y) = (only(&a), only(&b));
        let pairs = agree(Some(field));
        if x.is_some() && y.is_some() && !pairs.is_empty() {
            let across = Some(Differing { what: what.to_string(), a: x, b: y });
            return Partners { pairs, across };
        }
    }
    Partners { pairs: Vec::new(), across: None }
}

/// Cells of two groups that ask the same question, and those of each that have no
/// partner.
pub struct Rows<'c, 'a> {
    pub pairs: Vec<(&'c Cell<'a>, &'c Cell<'a>)>,
    pub only: [Vec<&'c Cell<'a>>; 2],
}

/// Finds partners among the cells of two groups.
pub fn rows<'c, 'a>(a: &[&'c Cell<'a>], b: &[&'c Cell<'a>]) -> Rows<'c, 'a> {
    let same = |x: &Cell<'_>, y: &Cell<'_>| {
        let (s, t) = (x.stratum, y.stratum);
        (&s.kernel, &s.window, &s.structure) == (&t.kernel, &t.window, &t.structure)
    };
    let mut rows = Rows { pairs: Vec::new(), only: [Vec::new(), Vec::new()] };
    for x in a {
        match b.iter().find(|y| same(x, y)) {
            Some(y) => rows.pairs.push((x, y)),
            None => rows.only[0].push(x),
        }
    }
    rows.only[1].extend(b.iter().filter(|y| !a.iter().any(|x| same(x, y))));
    rows
}
