//! Instructions of a wave that access LDS and memory, against models that do
//! one lane after the other.

mod buffer;
mod buffer_model;
mod share;
mod share_model;
mod storage;
mod texel;
mod texel_model;

use upset_gcn::Format;
use upset_gcn::row::Status;
use upset_gcn::sem::Does;
use upset_gcn::table::rows;

#[test]
fn every_row_that_is_planned_has_a_meaning() {
    for format in [Format::Ds, Format::Mubuf, Format::Mtbuf] {
        for row in rows(format) {
            let absent = matches!(row.does, Does::Absent);
            assert_eq!(absent, row.status == Status::NotImplemented, "{}", row.name);
        }
    }
}
