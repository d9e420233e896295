//! A number of the model beside the hardware's.

/// One line of the report.
pub struct Line {
    pub name: String,
    pub hardware: f64,
    pub model: f64,
}

impl Line {
    /// How far the model is off, as a part of the hardware's number.
    pub fn error(&self) -> f64 {
        self.model / self.hardware - 1.0
    }
}

/// Shows it.
pub fn print(line: &Line, unit: &str) {
    let Line { name, hardware, model, .. } = line;
    println!("{name:<34} {hardware:>12.2} {model:>12.2} {:>+7.0}%  {unit}", 100.0 * line.error());
}
