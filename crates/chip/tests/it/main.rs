//! What a chip description promises to people and to the model.

mod docs;
mod driver;
mod errors;
mod import;
mod inventory;
mod occupancy;
mod presets;
mod variants;
mod waves;
