//! Reports of made-up stores.

mod again;
mod anything;
mod breakdown;
mod browser;
mod ecc;
mod fixture;
mod html;
mod idle;
mod looks;
mod noticed;
mod plan;
mod pooling;
mod sequential;
mod shown;
mod structures;
mod unfinished;
mod versus;
