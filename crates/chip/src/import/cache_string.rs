//! `S:1:128:512,L:L:s:N:L,A:256:8,16:0,32`: a cache in one string.
//!
//! `type:sets:line:ways, replacement:write:allocate:write-allocate:hash,
//! mshr:entries:merge, miss queue[:result fifo][, port bytes]`

/// The fields of a cache string, in the chip file's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CacheString {
    pub(super) sets: u32,
    pub(super) ways: u32,
    pub(super) line_bytes: u32,
    pub(super) sector_bytes: u32,
    pub(super) replacement: &'static str,
    pub(super) write: &'static str,
    pub(super) write_local: Option<&'static str>,
    pub(super) write_allocate: &'static str,
    pub(super) set_hash: &'static str,
    /// None when streaming: the cache's size decides.
    pub(super) mshr_entries: Option<u32>,
    pub(super) mshr_merge: Option<u32>,
    pub(super) port_bytes: u32,
    /// What changed its meaning on the way.
    pub(super) remarks: Vec<&'static str>,
}

/// Reads a cache string; `Ok(None)` is the literal `none`.
pub(super) fn parse(text: &str) -> Result<Option<CacheString>, String> {
    if text == "none" {
        return Ok(None);
    }
    let tokens: Vec<&str> = text.split([':', ',']).collect();
    let marks: String = text.chars().filter(|c| matches!(c, ':' | ',')).collect();
    if !(12..=15).contains(&tokens.len()) {
        return Err(format!("{} fields where 12 to 15 are needed", tokens.len()));
    }
    if !(":::,::::,::,:,".starts_with(&marks)) {
        return Err("the `:` and `,` are not where they belong".to_owned());
    }
    let word = |i: usize| tokens.get(i).copied().unwrap_or("");
    let number = |i: usize, what: &str| {
        word(i).parse::<u32>().map_err(|_| format!("`{}` is no {what}", short(word(i))))
    };
    let optional = |i: usize, what: &str| match tokens.get(i) {
        Some(_) => number(i, what).map(Some),
        None => Ok(None),
    };
    let mut remarks = Vec::new();

    let (sets, line_bytes, ways) =
        (number(1, "set count")?, number(2, "line")?, number(3, "way count")?);
    let sectored = letter(word(0), "type", &[("N", false), ("S", true)])?;
    if sectored && line_bytes != 128 {
        return Err(format!("a sectored cache has 128-byte lines, not {line_bytes}"));
    }
    let replacement = letter(word(4), "replacement", &[("L", "lru"), ("F", "fifo")])?;
    let (write, write_local) = letter(
        word(5),
        "write policy",
        &[
            ("R", ("read-only", None)),
            ("B", ("write-back", None)),
            ("T", ("write-through", None)),
            ("E", ("write-evict", None)),
            ("L", ("write-evict", Some("write-back"))),
        ],
    )?;
    let streaming = letter(word(6), "allocation", &[("m", false), ("f", false), ("s", true)])?;
    let write_allocate = letter(
        word(7),
        "write allocation",
        &[("N", "none"), ("W", "write-and-read"), ("F", "fetch-on-write"), ("L", "lazy-fetch")],
    )?;
    let set_hash = hash(word(8), sets, &mut remarks)?;
    let texture = letter(word(9), "MSHR", &[("A", false), ("S", false), ("F", true), ("T", true)])?;
    let (entries, merge) = (number(10, "MSHR count")?, number(11, "merge count")?);
    if streaming {
        remarks.push("streaming: GPGPU-Sim ignores the written MSHRs, the cache's size decides");
    }
    remarks.push(
        "when a line is allocated, the kind of MSHR, miss queue and result FIFO are left out: \
         first levels take a line when it comes, misses always find room",
    );
    optional(12, "miss queue")?;
    let fifo = optional(13, "result FIFO")?;
    if texture && (tokens.len() != 14 || fifo == Some(0)) {
        return Err("a texture FIFO needs exactly 14 fields, the last its result FIFO".to_owned());
    }
    Ok(Some(CacheString {
        sets,
        ways,
        line_bytes,
        sector_bytes: if sectored { 32 } else { line_bytes },
        replacement,
        write,
        write_local,
        write_allocate,
        set_hash,
        mshr_entries: (!streaming).then_some(entries),
        mshr_merge: (!streaming).then_some(merge),
        port_bytes: match optional(14, "port width")? {
            None | Some(0) => line_bytes,
            Some(bytes) => bytes,
        },
        remarks,
    }))
}

fn hash(text: &str, sets: u32, remarks: &mut Vec<&'static str>) -> Result<&'static str, String> {
    let wanted = letter(
        text,
        "set index function",
        &[("L", "linear"), ("P", "ipoly"), ("H", "fermi"), ("X", "xor"), ("C", "custom")],
    )?;
    Ok(match wanted {
        "custom" => {
            remarks.push("hash C is not implemented in GPGPU-Sim (always set 0): linear instead");
            "linear"
        }
        "ipoly" if !matches!(sets, 16 | 32 | 64) => {
            remarks.push("hash P exists for 16, 32 and 64 sets only: xor instead");
            "xor"
        }
        "fermi" if !matches!(sets, 32 | 64) => {
            remarks.push("hash H exists for 32 and 64 sets only: xor instead");
            "xor"
        }
        other => other,
    })
}

fn letter<T: Copy>(text: &str, what: &str, choices: &[(&str, T)]) -> Result<T, String> {
    choices.iter().find(|(l, _)| *l == text).map(|(_, v)| *v).ok_or_else(|| {
        let letters: Vec<&str> = choices.iter().map(|(l, _)| *l).collect();
        format!("`{}` is no {what}, which is one of {}", short(text), letters.join(" "))
    })
}

fn short(text: &str) -> String {
    text.chars().take(20).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ok(text: &str) -> CacheString {
        parse(text).unwrap().unwrap()
    }

    #[test]
    fn a_streaming_sector_cache() {
        let c = ok("S:1:128:512,L:L:s:N:L,A:256:8,16:0,32");
        assert_eq!((c.sets, c.ways, c.line_bytes, c.sector_bytes), (1, 512, 128, 32));
        assert_eq!((c.write, c.write_local), ("write-evict", Some("write-back")));
        assert_eq!((c.mshr_entries, c.mshr_merge, c.port_bytes), (None, None, 32));
    }

    #[test]
    fn lengths_from_12_to_15_fields() {
        assert_eq!(ok("N:64:128:16,L:R:f:N:L,S:2:48"), ok("N:64:128:16,L:R:f:N:L,S:2:48,4"));
        let tex = ok("N:4:128:256,L:R:m:N:L,T:512:8,128:2");
        assert_eq!((tex.mshr_entries, tex.port_bytes), (Some(512), 128));
        let l2 = ok("S:64:128:16,L:B:m:L:P,A:192:4,32:0,0");
        assert_eq!((l2.mshr_entries, l2.mshr_merge, l2.port_bytes), (Some(192), Some(4), 128));
        assert_eq!((l2.set_hash, l2.write_allocate), ("ipoly", "lazy-fetch"));
        assert_eq!(parse("none"), Ok(None));
    }

    #[test]
    fn every_letter_is_known() {
        for (letters, template) in [
            ("LF", "N:64:128:4,?:R:f:N:L,A:2:48,4"),
            ("RTEL", "N:64:128:4,L:?:m:N:L,A:2:48,4"),
            ("B", "N:64:128:4,L:?:m:N:L,A:2:48,4"),
            ("mfs", "N:64:128:4,L:R:?:N:L,A:2:48,4"),
            ("NWFL", "N:64:128:4,L:T:m:?:L,A:2:48,4"),
            ("LPHXC", "N:64:128:4,L:R:f:N:?,A:2:48,4"),
            ("AS", "N:64:128:4,L:R:f:N:L,?:2:48,4"),
            ("FT", "N:64:128:4,L:R:m:N:L,?:2:48,4:2"),
            ("NS", "?:64:128:4,L:R:f:N:L,A:2:48,4"),
        ] {
            for letter in letters.chars() {
                assert!(parse(&template.replace('?', &letter.to_string())).is_ok(), "{letter}");
            }
            assert!(parse(&template.replace('?', "Z")).is_err());
        }
    }

    #[test]
    fn hashes_that_do_not_fit_are_replaced() {
        let c = ok("S:256:128:20,L:B:m:L:P,A:192:4,32:0,32");
        assert_eq!((c.set_hash, c.remarks.len()), ("xor", 2));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, part) in [
            ("64:128:8,L:B:m:N,A:16:4,4", "11 fields"),
            ("8:128:5,L:R:m:N,F:128:4,128:2", "`:`"),
            ("S:64:64:16,L:B:m:L:P,A:192:4,32", "128-byte"),
            ("N:x:128:16,L:B:m:L:P,A:192:4,32", "set count"),
            ("N:4:128:256,L:R:m:N:L,T:512:8,128", "texture"),
            ("N:4:128", "3 fields"),
            ("", "1 fields"),
            ("N:99999999999:128:16,L:B:m:L:P,A:192:4,32", "set count"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
