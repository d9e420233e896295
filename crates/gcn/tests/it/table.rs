//! The tables as tables.

use std::collections::BTreeSet;

use upset_gcn::row::{Place, Status, Unit};
use upset_gcn::sem::Does;
use upset_gcn::table::{find, rows};
use upset_gcn::{Format, Illegal, read};

#[test]
fn rows_are_in_the_order_of_their_opcodes_and_have_one_name_each() {
    for format in Format::ALL {
        let rows = rows(format);
        assert!(rows.windows(2).all(|two| two[0].op < two[1].op), "{format:?}");
        let names: BTreeSet<_> = rows.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), rows.len(), "{format:?}");
        assert!(rows.iter().all(|row| row.format == format), "{format:?}");
    }
}

#[test]
fn every_row_is_reached_by_its_words() {
    for format in Format::ALL {
        let layout = format.layout();
        for row in rows(format) {
            let word = layout.prefix | u32::from(row.op) << layout.lo;
            assert_eq!(Format::of(word), Some(format), "{}", row.name);
            let found = read(&[word, 0, 0]).unwrap();
            assert_eq!((found.row.name, found.format), (row.name, format));
        }
    }
}

#[test]
fn every_long_form_is_reached_by_its_number() {
    for format in [Format::Vop1, Format::Vop2, Format::Vopc] {
        for row in rows(format) {
            let found = find(Format::Vop3, row.long_op());
            assert_eq!(found.map(|row| row.name), row.long.then_some(row.name));
        }
    }
}

#[test]
fn what_has_no_row_is_no_instruction() {
    for format in Format::ALL {
        let layout = format.layout();
        for op in 0..1u16 << layout.width {
            let word = layout.prefix | u32::from(op) << layout.lo;
            // Long prefixes lie within short ones.
            if Format::of(word) == Some(format) && find(format, op).is_none() {
                assert_eq!(read(&[word, 0, 0]), Err(Illegal::Opcode(format, op)));
            }
        }
    }
}

#[test]
fn columns_agree_with_each_other() {
    for format in Format::ALL {
        for row in rows(format) {
            let memory = matches!(row.unit, Unit::Smem | Unit::Vmem | Unit::Lds | Unit::Export);
            let raises = row.raises.vm + row.raises.lgkm + row.raises.exp > 0;
            assert!(!memory || raises, "{}: no counter knows of it", row.name);
            let graphics = matches!(format, Format::Mimg | Format::Exp | Format::Vintrp);
            assert!(!graphics || row.status == Status::NotImplemented, "{}", row.name);
            assert!(!row.reads_dst || row.dst.place != Place::None, "{}", row.name);
            assert!(!row.returns_by_glc || row.src[3].place != Place::None, "{}", row.name);
            for slot in row.src.iter().chain([&row.dst, &row.flag]) {
                assert_eq!(slot.place == Place::None, slot.kind.dwords == 0, "{}", row.name);
            }
        }
    }
}

/// A row that is lost or doubled by an edit would be missed by nothing else.
#[test]
fn the_tables_are_as_long_as_they_were() {
    let count = |format| rows(format).len();
    let counts: Vec<usize> = Format::ALL.into_iter().map(count).collect();
    assert_eq!(counts, [50, 43, 17, 21, 26, 12, 60, 50, 196, 53, 3, 131, 56, 8, 93, 1]);
}

/// One by one, as long as not all formats are done.
#[test]
fn what_is_planned_has_a_meaning_vop1_vopc() {
    for format in [Format::Vop1, Format::Vopc] {
        for row in rows(format).iter().filter(|row| row.status == Status::Planned) {
            assert!(!matches!(row.does, Does::Absent), "{}", row.name);
        }
    }
}
