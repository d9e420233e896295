//! The text of one instruction.

/// Collects the text of one instruction.
#[derive(Default)]
pub struct Out {
    pub(super) text: String,
    operands: usize,
}

impl Out {
    /// Starts with what stands before the modifiers.
    pub fn new(head: String) -> Out {
        Out { text: head, operands: 0 }
    }

    /// Appends a modifier.
    pub fn modifier(&mut self, s: &str) {
        self.text.push_str(s);
    }

    /// Appends an operand.
    pub fn operand(&mut self, s: &str) {
        self.text.push_str(if self.operands == 0 { " " } else { ", " });
        self.text.push_str(s);
        self.operands += 1;
    }

    /// Appends to the operand printed last.
    pub fn extend(&mut self, s: &str) {
        self.text.push_str(s);
    }

    /// Replaces the text so far (instructions that print under another name).
    pub fn rename(&mut self, from: &str, to: &str) {
        if let Some(at) = self.text.rfind(from) {
            self.text.replace_range(at..at + from.len(), to);
        }
    }

    /// The finished text.
    pub fn finish(self) -> String {
        self.text
    }
}
