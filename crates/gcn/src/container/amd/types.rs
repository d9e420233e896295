//! Types of arguments, as the metadata spells them (Multi2Sim, `Arg.cc`).

/// Bytes of a value of a type with so many elements.
pub fn bytes(name: &str, elements: u32) -> Option<u32> {
    let one = match name {
        "i1" | "u1" | "i8" | "u8" => 1,
        "i16" | "u16" => 2,
        "i32" | "u32" | "float" => 4,
        "i64" | "u64" | "double" => 8,
        // Their "elements" are bytes.
        "struct" | "union" | "event" | "opaque" => return Some(elements),
        _ => return None,
    };
    match elements {
        // OpenCL stores a vector of three as one of four.
        3 => Some(4 * one),
        1 | 2 | 4 | 8 | 16 => Some(elements * one),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn sizes_are_those_of_opencl() {
        assert_eq!(bytes("float", 1), Some(4));
        assert_eq!(bytes("float", 3), Some(16));
        assert_eq!(bytes("double", 16), Some(128));
        assert_eq!(bytes("i8", 4), Some(4));
        assert_eq!(bytes("struct", 82), Some(82));
        assert_eq!((bytes("float", 5), bytes("half", 1)), (None, None));
    }
}
