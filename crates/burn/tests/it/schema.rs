//! Records against the schema that docs/ has of them.

use serde_json::Value;
use upset_burn::{Injection, metrics, page};

use crate::{burn, small};

/// The part of JSON Schema that our schema uses.
fn fits(schema: &Value, root: &Value, value: &Value, at: &str, wrong: &mut Vec<String>) {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.trim_start_matches("#/$defs/");
        return fits(&root["$defs"][name], root, value, at, wrong);
    }
    if let Some(ways) = schema["anyOf"].as_array() {
        let fit = ways.iter().any(|way| {
            let mut wrong = Vec::new();
            fits(way, root, value, at, &mut wrong);
            wrong.is_empty()
        });
        if !fit {
            wrong.push(format!("{at}: fits none"));
        }
        return;
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let is = |kind: &&str| match *kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("{at}: the schema says {other}"),
    };
    if !kinds.is_empty() && !kinds.iter().any(is) {
        wrong.push(format!("{at}: {value} is no {kinds:?}"));
    }
    if schema.get("const").is_some_and(|c| c != value)
        || schema["enum"].as_array().is_some_and(|all| !all.contains(value))
    {
        wrong.push(format!("{at}: {value} is none of those allowed"));
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.is_object() && value.get(name).is_none() {
            wrong.push(format!("{at}: no {name}"));
        }
    }
    for (name, part) in value.as_object().into_iter().flatten() {
        match schema["properties"].get(name) {
            Some(schema) => fits(schema, root, part, &format!("{at}.{name}"), wrong),
            None if schema["additionalProperties"] == false => {
                wrong.push(format!("{at}: {name} is not described"));
            }
            None => {}
        }
    }
    if let Some(items) = schema.get("items") {
        for (i, item) in value.as_array().into_iter().flatten().enumerate() {
            fits(items, root, item, &format!("{at}[{i}]"), wrong);
        }
    }
}

#[test]
fn records_fit_their_schema() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/burn.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let wrong = Injection { sm: 1, sub_core: 2, lane: 3, mask: 4, period: 5 };
    for inject in [None, Some(wrong)] {
        let record = burn(&mut small(2), &["half"], inject);
        let value: Value = serde_json::from_str(&record.json().unwrap()).unwrap();
        let mut wrong = Vec::new();
        fits(&schema, &schema, &value, "record", &mut wrong);
        assert!(wrong.is_empty(), "{wrong:#?}");
        // The check can fail.
        let mut less = value.clone();
        less["tests"][0]["state"] = "fine".into();
        less["tests"][0].as_object_mut().unwrap().remove("why");
        fits(&schema, &schema, &less, "record", &mut wrong);
        assert_eq!(wrong.len(), 2, "{wrong:#?}");
    }
}

#[test]
fn metrics_and_page_tell_the_same() {
    let wrong = Injection { sm: 1, sub_core: 2, lane: 3, mask: 4, period: 1 };
    let record = burn(&mut small(2), &["half"], Some(wrong));
    let text = metrics::render(&record);
    let errors: u64 = record.tests[0].errors;
    assert!(text.ends_with("# EOF\n"));
    assert!(text.contains(&format!("test=\"half\"}} {errors}\n")), "{text}");
    assert!(text.contains(&format!("sm=\"1\"}} {errors}\n")), "{text}");
    assert!(text.contains("upset_burn_test_state=\"failed\"} 1"), "{text}");
    let page = page::render(&record);
    assert!(page.contains("Defect found") && page.contains("SM 1 sub-core 2 warp 2 lane 3"));
    assert_eq!(page.matches("class=\"sm bad\"").count(), 1);
    assert!(!page.contains("http"), "it stands alone");
}
