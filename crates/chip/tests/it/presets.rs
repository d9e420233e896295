use upset_chip::{ChipRow, ChipSpec, Vendor, render_list, schema};

fn all() -> Vec<ChipSpec> {
    ChipSpec::presets().iter().map(|p| ChipSpec::preset(p.name).expect(p.name)).collect()
}

#[test]
fn every_preset_is_called_by_its_file_and_survives_a_round_trip() {
    for (preset, chip) in ChipSpec::presets().iter().zip(all()) {
        assert_eq!(chip.chip.name, preset.name);
        let again = ChipSpec::parse(&chip.to_toml(), "again.toml", &[""; 0]).expect(preset.name);
        assert_eq!(again, chip);
        let loaded = ChipSpec::load(preset.name, &[""; 0]).expect(preset.name);
        assert_eq!(loaded, chip);
    }
}

/// A number without a source is a rumour: it has a comment behind it, or its
/// table says where all its numbers come from.
#[test]
fn every_number_of_a_preset_has_a_source() {
    for preset in ChipSpec::presets() {
        let mut table_has_source = false;
        for (i, line) in preset.text.lines().enumerate() {
            if line.starts_with('#') {
                continue;
            } else if line.starts_with('[') {
                table_has_source = false;
            } else if line.starts_with("source = ") {
                table_has_source = true;
            } else if let Some((_, value)) = line.split_once(" = ") {
                let number = value.starts_with(|c: char| c.is_ascii_digit() || c == '[');
                let sourced = table_has_source || value.contains("# ");
                assert!(!number || sourced, "chips/{}.toml:{}: {line}", preset.name, i + 1);
            }
        }
    }
}

#[test]
fn the_schema_lists_exactly_the_keys_of_the_specs() {
    // Keys of the specs that the schema lacks would be refused when a preset
    // is read back; keys of the schema that the specs lack are refused by
    // serde here, one at a time.
    let (sms, units) = (ChipSpec::preset("rtx2060").unwrap(), ChipSpec::preset("hd7970").unwrap());
    for f in schema::FIELDS {
        let base = match schema::core_of(f.table) {
            Some(schema::Core::Cu) => &units,
            Some(schema::Core::Sm) | None => &sms,
        };
        let component = match f.table {
            "unit" => "fma",
            "cache" => "l1d",
            t => t,
        };
        let value = match (f.table, f.key, f.kind) {
            (_, "name", _) => "renamed".to_owned(),
            (_, "next", _) => "l2".to_owned(),
            (_, "arch", _) => "sm_75".to_owned(),
            (_, "initiation", _) => "64".to_owned(),
            // No chip may have it true.
            (_, "ecc", _) => "false".to_owned(),
            (_, "address_map", _) => base.memory.address_map.clone(),
            (_, _, schema::Kind::Int(min, _)) => {
                // A value that breaks no rule between keys: the one it has.
                let text = base.to_toml();
                let header = if component == f.table {
                    format!("[{component}]")
                } else {
                    format!("[{}.{component}]", f.table)
                };
                let table = text.split(&header).nth(1).unwrap().split("\n[").next().unwrap();
                let own = table
                    .lines()
                    .find_map(|l| l.strip_prefix(&format!("{} = ", f.key)))
                    .map(str::to_owned);
                own.unwrap_or_else(|| min.max(1).to_string())
            }
            (_, _, schema::Kind::Float(_)) => "1.5".to_owned(),
            (_, _, schema::Kind::Flag) => "true".to_owned(),
            (_, _, schema::Kind::Text) => "text".to_owned(),
            ("cache", "write", _) => "write-through".to_owned(),
            ("cache", "per", _) => "sm".to_owned(),
            ("cache", "serves", _) => "global,local".to_owned(),
            (_, _, schema::Kind::Choice(words)) => words[0].to_owned(),
            (_, _, schema::Kind::ChoiceList(words)) => words.join(","),
            ("driver", "pockets", _) => "[]".to_owned(),
            (_, _, schema::Kind::IntList(min, _)) => format!("[{min}]"),
        };
        let set = format!("{component}.{}={value}", f.key);
        let chip = base.with(&[&set]);
        assert!(chip.is_ok(), "{set}: {}", chip.unwrap_err());
    }
}

#[test]
fn every_choice_of_the_schema_is_a_variant_of_its_enum() {
    let base = ChipSpec::preset("rtx2060").unwrap();
    let of_sms = |f: &&schema::Field| schema::core_of(f.table) != Some(schema::Core::Cu);
    for f in schema::FIELDS.iter().filter(of_sms) {
        let schema::Kind::Choice(words) = f.kind else { continue };
        for word in words {
            let component = match f.table {
                "unit" => "unit.fma",
                "cache" => "cache.l1t",
                t => t,
            };
            let set = format!("{component}.{}={word}", f.key);
            if let Err(e) = base.with(&[&set]) {
                // Refused by a rule between keys is fine, unknown to serde is not.
                let text = e.to_string();
                assert!(!text.contains("unknown variant"), "{set}: {text}");
            }
        }
    }
}

#[test]
fn the_papers_figures_hold() {
    let [rtx, gv, titan, h200] = ["rtx2060", "gv100", "titan", "h200"].map(|name| {
        let chip = ChipSpec::preset(name).unwrap();
        assert_eq!(chip.chip.vendor, Vendor::Nvidia);
        chip
    });
    let limits = |chip: &ChipSpec| {
        let sm = &chip.sm().unwrap().sm;
        (sm.count, sm.threads, sm.ctas)
    };
    assert_eq!(limits(&rtx), (30, 1024, 32));
    assert_eq!(limits(&gv), (80, 2048, 32));
    assert_eq!(limits(&titan), (14, 2048, 16));
    assert_eq!((limits(&h200).0, h200.compute_capability()), (132, Some((9, 0))));
    assert_eq!(rtx.chip.raw_fit_per_bit, Some(1.8e-6));
    assert_eq!(titan.chip.raw_fit_per_bit, Some(1.2e-5));
    assert_eq!((rtx.slices(), gv.slices(), titan.slices()), (24, 64, 24));
    assert_eq!(rtx.cache("l1d").unwrap().mshr_limits(), (8192, 64));
    assert_eq!(gv.cache("l1d").unwrap().mshr_limits(), (4096, 64));
    for chip in [&rtx, &gv, &titan] {
        assert_eq!(chip.dram.atom_bytes(), 32);
        assert_eq!(chip.launch.kernel_latency, 0);
        assert!(!chip.model.flush_l1_between_kernels && !chip.model.ecc);
        assert!(!chip.model.perfect_instruction_and_constant);
    }
}

#[test]
fn list_of_chips() {
    let rows: Vec<ChipRow> = all().iter().map(ChipSpec::row).collect();
    insta::assert_snapshot!(render_list(&rows));
}

#[test]
fn one_chip_in_full() {
    insta::assert_snapshot!("describe_rtx2060", ChipSpec::preset("rtx2060").unwrap().describe());
    insta::assert_snapshot!("describe_titan", ChipSpec::preset("titan").unwrap().describe());
    insta::assert_snapshot!("describe_h200", ChipSpec::preset("h200").unwrap().describe());
    insta::assert_snapshot!("describe_hd7970", ChipSpec::preset("hd7970").unwrap().describe());
}
