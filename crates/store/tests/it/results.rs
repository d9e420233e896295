//! Whatever results there are, they come back, and leave as other programs
//! want them.

use proptest::option::of;
use proptest::prelude::*;
use upset_metrics::Class;
use upset_store::export::{Format, column_names, write};
use upset_store::*;
use xxhash_rust::xxh3::xxh3_128;

use crate::samples::*;

/// Text with all that makes trouble in SQL, JSON and CSV.
fn text() -> impl Strategy<Value = String> {
    "[a-z0-9:.@+ ,;\"'\\\\\n\r\t\0äß漢🔥-]{0,12}"
}

fn finite() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("finite", |x| x.is_finite())
}

prop_compose! {
    fn sdc()(
        element in text(), counts in any::<[u64; 5]>(), max_relative in of(finite()),
        bit_counts in proptest::collection::vec(any::<u64>(), 0..5), length_differs: bool,
    ) -> Sdc {
        let [elements, wrong, nan, inf, first] = counts;
        Sdc { element, elements, wrong, max_relative, nan, inf, bit_counts, first, length_differs }
    }
}

prop_compose! {
    fn any_hit()(
        texts in [text(), text(), text(), text(), text()],
        n in proptest::array::uniform11(of(0..=i64::MAX as u64)),
        bits in 0..=i64::MAX as u64, cycle in 0..=i64::MAX as u64, allocated: Option<bool>,
    ) -> Hit {
        let [structure, part, kernel, function, register] = texts;
        let [sm, subcore, slice, warp, row, set, way, lane, bit, launch, instruction] = n;
        Hit {
            structure, part, sm, subcore, slice, warp, row, set, way, lane, bit, bits, cycle,
            allocated, kernel, launch, function, instruction, register,
        }
    }
}

prop_compose! {
    fn any_noticed()(
        layers in proptest::collection::vec(text(), 0..3),
        ways in proptest::collection::vec(proptest::collection::vec(text(), 0..3), 0..3),
        texts in [text(), text()], cycle in 0..=i64::MAX as u64, launch in 0..=i64::MAX as u64,
        sm: Option<u32>, before_output: bool, some: bool, score in 0.0..1e9,
    ) -> Noticed {
        let [layer, what] = texts;
        let first = FirstAlarm { layer, what, cycle, launch, sm, before_output };
        Noticed { paper: layers.clone(), layers, ways, first: some.then_some(first), score }
    }
}

prop_compose! {
    fn any_experiment()(
        stratum in 0..4u32, number in 0..1_000_000u64,
        texts in [text(), text(), text(), text(), text()], hit in any_hit(),
        class in 0..6usize, cycles in 0..=i64::MAX as u64, reached: Option<bool>,
        sdc in of(sdc()), attempts: u32, noticed in of(any_noticed()),
    ) -> Experiment {
        let [fault, cause, cause_kind, how, output_digest] = texts;
        let class = Class::ALL[class];
        Experiment {
            stratum, number, fault, hit, class, cause, cause_kind, cycles, reached, how,
            output_digest, sdc, attempts, noticed,
        }
    }
}

fn results() -> impl Strategy<Value = Vec<Experiment>> {
    let many = proptest::collection::vec(any_experiment(), 0..20);
    many.prop_map(|mut list| {
        list.sort_by_key(|e| (e.stratum, e.number));
        list.dedup_by_key(|e| (e.stratum, e.number));
        list
    })
}

fn exported(path: &std::path::Path, format: Format) -> Vec<u8> {
    let mut out = Vec::new();
    write(&Reader::open(path).unwrap(), format, &mut out).unwrap();
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_results_come_back(
        list in results(), seed: u64, texts in [text(), text(), text()],
        mhz in finite(), mean in finite(), confidence in 0.0..1.0f64,
    ) {
        let (_dir, path) = place();
        let [tool, spec, word] = texts;
        let header = Header { tool, spec, seed, confidence };
        let mut who = subject(3);
        who.command = vec![word.clone(), word.clone()];
        who.profile.core_mhz = mhz;
        who.profile.kernels[0].occupancy = mean;
        let mut strata: Vec<_> = (0..4).map(|id| stratum(id, 3)).collect();
        strata[1].kernel = Some(word);
        strata[2].derating = mean.abs();

        let mut store = Store::create(&path, &header).unwrap();
        store.put_subject(&who).unwrap();
        store.put_strata(&strata).unwrap();
        let middle = list.len() / 2;
        store.put(&list[middle..]).unwrap();
        store.put(&list[..middle]).unwrap();
        let digest = store.finish().unwrap().all;
        drop(store);

        let found = Store::read(&path).unwrap();
        prop_assert_eq!(&found.header, &header);
        prop_assert_eq!(&found.subjects, &[who]);
        prop_assert_eq!(&found.strata, &strata);
        prop_assert_eq!(&found.experiments, &list);

        // The digest is the hash of the canonical form.
        let lines = exported(&path, Format::JsonLines);
        prop_assert_eq!(format!("{:032x}", xxh3_128(&lines)), digest);
        let json: serde_json::Value = serde_json::from_slice(&exported(&path, Format::Json)).unwrap();
        let again: Vec<Experiment> = serde_json::from_value(json["experiments"].clone()).unwrap();
        prop_assert_eq!(&again, &list);
        let csv = exported(&path, Format::Csv);
        let mut table = csv::Reader::from_reader(&csv[..]);
        let column = |name| column_names().position(|c| c == name).unwrap();
        let (fault, cause, class) = (column("fault"), column("cause"), column("class"));
        let rows: Vec<_> = table.records().map(|r| r.unwrap()).collect();
        prop_assert_eq!(rows.len(), list.len());
        for (row, e) in rows.iter().zip(&list) {
            prop_assert_eq!(&row[fault], &e.fault);
            prop_assert_eq!(&row[cause], &e.cause);
            prop_assert_eq!(&row[class], e.class.name());
        }
    }
}

fn small(path: &std::path::Path) {
    let mut store = planned(path);
    store.put(&experiments(0, 0..4)).unwrap();
    store.put(&experiments(3, [2])).unwrap();
    store.finish().unwrap();
}

#[test]
fn csv() {
    let (_dir, path) = place();
    small(&path);
    insta::assert_snapshot!(String::from_utf8(exported(&path, Format::Csv)).unwrap());
}

#[test]
fn json() {
    let (_dir, path) = place();
    small(&path);
    insta::assert_snapshot!(String::from_utf8(exported(&path, Format::Json)).unwrap());
}

/// The canonical form and the digest must not change: stores out there are
/// checked against them.
#[test]
fn json_lines() {
    let (_dir, path) = place();
    small(&path);
    let lines = String::from_utf8(exported(&path, Format::JsonLines)).unwrap();
    insta::assert_snapshot!(format!("{}\n{lines}", Reader::open(&path).unwrap().digest()));
}

#[test]
fn an_export_of_nothing_is_whole() {
    let (_dir, path) = place();
    drop(Store::create(&path, &header()).unwrap());
    let json: serde_json::Value = serde_json::from_slice(&exported(&path, Format::Json)).unwrap();
    assert_eq!(json["complete"], false);
    assert_eq!(json["experiments"], serde_json::json!([]));
    assert_eq!(json.get("digest"), None);
    assert_eq!(exported(&path, Format::Csv).split(|b| *b == b'\n').count(), 2);
    assert_eq!(exported(&path, Format::JsonLines).split(|b| *b == b'\n').count(), 2);
}

#[test]
fn more_experiments_than_are_read_at_once_are_all_exported() {
    let (_dir, path) = place();
    let mut store = planned(&path);
    for id in 0..4 {
        store.put(&experiments(id, 0..2500)).unwrap();
    }
    drop(store);
    let mut seen = Vec::new();
    let keep = |e| {
        seen.push(e);
        Ok(())
    };
    Reader::open(&path).unwrap().each_experiment(keep).unwrap();
    assert!(seen == Store::read(&path).unwrap().experiments);
    assert_eq!(seen.len(), 10_000);
}

/// A reader that never reads on must not keep the campaign from writing.
#[test]
fn a_slow_export_does_not_hold_up_a_campaign() {
    let (_dir, path) = place();
    let mut store = planned(&path);
    store.put(&experiments(0, 0..10)).unwrap();
    let reader = Reader::open(&path).unwrap();
    let mut next = 10;
    let write = |_| {
        if next < 20 {
            store.put(&experiments(0, [next]))?;
            next += 1;
        }
        Ok(())
    };
    reader.each_experiment(write).unwrap();
    assert_eq!(Store::read(&path).unwrap().experiments, experiments(0, 0..20));
}

#[test]
fn formats_have_names() {
    for format in Format::ALL {
        assert_eq!(Format::parse(format.name()), Some(*format));
    }
    assert_eq!(Format::parse("xml"), None);
}

#[test]
fn every_column_and_table_is_described() {
    let docs = include_str!("../../../../docs/store.md");
    for name in column_names().chain(["upset_store", "header", "tally", "stop"]) {
        assert!(docs.contains(&format!("`{name}`")), "docs/store.md does not tell of {name}");
    }
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_has_the_columns_and_values_of_csv() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    let (dir, path) = place();
    small(&path);
    let file = dir.path().join("out.parquet");
    std::fs::write(&file, exported(&path, Format::Parquet)).unwrap();
    let reader = SerializedFileReader::try_from(file.as_path()).unwrap();
    let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(|r| r.unwrap()).collect();
    assert_eq!(rows.len(), 5);
    let names: Vec<_> = rows[0].get_column_iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, column_names().collect::<Vec<_>>());
    let column = |name| column_names().position(|c| c == name).unwrap();
    assert_eq!(rows[3].get_string(column("class")).unwrap(), "crash");
    assert_eq!(rows[2].get_ulong(column("sdc_wrong")).unwrap(), 2);
    assert_eq!(rows[2].get_double(column("sdc_max_relative")).unwrap(), 0.2);
    assert!(rows[2].get_bool(column("reached")).unwrap());
    assert!(rows[3].get_ulong(column("sdc_wrong")).is_err());
}
