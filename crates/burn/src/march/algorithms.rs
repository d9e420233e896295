//! The March tests that this project uses or compares itself with.

use super::March;

/// A March test with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Algorithm {
    /// As the literature calls it.
    pub name: &'static str,
    /// What it does.
    pub notation: &'static str,
}

/// Van de Goor 1991, chapter 4: the algorithms that are not derived for one
/// special fault.
pub const ALGORITHMS: [Algorithm; 5] = [MATS_PLUS, MARCH_X, MARCH_Y, MARCH_C_MINUS, MARCH_B];

/// The cheapest that finds stuck cells and address faults.
pub const MATS_PLUS: Algorithm =
    Algorithm { name: "MATS+", notation: "{⇕(w0);⇑(r0,w1);⇓(r1,w0)}" };

/// Adds the last read that transition faults need, and inverting couplings.
pub const MARCH_X: Algorithm =
    Algorithm { name: "March X", notation: "{⇕(w0);⇑(r0,w1);⇓(r1,w0);⇕(r0)}" };

/// March X with a read behind every write: transition faults linked with
/// inverting couplings.
pub const MARCH_Y: Algorithm =
    Algorithm { name: "March Y", notation: "{⇕(w0);⇑(r0,w1,r1);⇓(r1,w0,r0);⇕(r0)}" };

/// All unlinked couplings of two cells as well.
pub const MARCH_C_MINUS: Algorithm = Algorithm {
    name: "March C-",
    notation: "{⇕(w0);⇑(r0,w1);⇑(r1,w0);⇓(r0,w1);⇓(r1,w0);⇕(r0)}",
};

/// Made for linked couplings; 17 operations a cell.
pub const MARCH_B: Algorithm = Algorithm {
    name: "March B",
    notation: "{⇕(w0);⇑(r0,w1,r1,w0,r0,w1);⇑(r1,w0,w1);⇓(r1,w0,w1,w0);⇓(r0,w1,w0)}",
};

impl Algorithm {
    /// Its elements.
    pub fn march(&self) -> March {
        // A test parses every row of the table.
        self.notation.parse().unwrap_or_else(|e| unreachable!("{e}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_a_march_test_of_the_published_length() {
        let lengths: Vec<_> = ALGORITHMS.iter().map(|a| (a.name, a.march().length())).collect();
        let published =
            [("MATS+", 5), ("March X", 6), ("March Y", 8), ("March C-", 10), ("March B", 17)];
        assert_eq!(lengths, published);
        for a in ALGORITHMS {
            assert_eq!(a.march().to_string(), a.notation);
        }
    }
}
