//! The keys of `app.toml`.

use super::Expression;
use crate::values::ElementType;
use crate::verdict::Tolerance;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A whole `app.toml`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Short name on the command line.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Other names it answers to.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// One line on what it computes.
    pub description: String,
    /// The benchmark suite it comes from.
    #[serde(default)]
    pub suite: String,
    /// Where the sizes and launches were published.
    #[serde(default)]
    pub source: String,
    /// Seed of the input unless the user names one.
    #[serde(default = "one")]
    pub seed: u64,
    /// How exact floating-point results must be; exact when absent.
    pub tolerance: Option<Tolerance>,
    /// Its kernels, with what was published about them.
    #[serde(default)]
    pub kernels: Vec<KernelNote>,
    /// Parameters per scale.
    pub scales: BTreeMap<String, toml::Table>,
    /// Compiled files by architecture (`sm_75 = "x.cubin"`, `gfx600 = "x.co"`).
    /// When absent, the folder's `<id>.sm_NN.cubin` and `<id>.gfxNNN.co`.
    #[serde(default)]
    pub code: BTreeMap<String, String>,
    /// Device memory.
    #[serde(default)]
    pub buffers: Vec<Buffer>,
    /// Variables of the module to fill before the first launch.
    #[serde(default)]
    pub constants: Vec<Constant>,
    /// Texture references and what they read.
    #[serde(default)]
    pub textures: Vec<TextureBinding>,
    /// What to launch, in order.
    #[serde(default)]
    pub launches: Vec<Step>,
    /// What to copy back and compare.
    #[serde(default)]
    pub outputs: Vec<OutputNote>,
}

fn one() -> u64 {
    1
}

/// A kernel and its published launches at paper scale.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelNote {
    /// The kernel's name.
    pub name: String,
    /// Launches in one run.
    pub launches: u32,
    /// Blocks of its largest launch.
    pub grid: Vec<u32>,
    /// Threads per block of its largest launch.
    pub block: Vec<u32>,
}

/// A piece of device memory.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Buffer {
    /// Its name in arguments and outputs.
    pub name: String,
    /// What its elements are.
    #[serde(rename = "type")]
    pub element: ElementType,
    /// How many.
    pub count: Expression,
    /// What it holds at first.
    #[serde(default)]
    pub init: Fill,
}

/// Initial contents.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fill {
    /// Zero bytes.
    #[default]
    Zero,
    /// 0, 1, 2, …
    Iota,
    /// One value throughout.
    Value(f64),
    /// Uniform in [low, high), from the run's seed; whole numbers for integers.
    Random([f64; 2]),
    /// A file of the folder: raw little-endian, or numbers as text if `.txt`.
    File(String),
}

/// A variable of the module and what it holds.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constant {
    /// The variable's name in the compiled code.
    pub symbol: String,
    /// What its elements are.
    #[serde(rename = "type")]
    pub element: ElementType,
    /// How many.
    pub count: Expression,
    /// What it holds.
    #[serde(default)]
    pub init: Fill,
}

/// A texture reference bound to a buffer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextureBinding {
    /// The texture reference's name in the compiled code.
    pub name: String,
    /// The buffer it reads.
    pub buffer: String,
}

/// One launch, or a sequence of steps, once or repeatedly.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// How often; `i` counts from 0 in the expressions inside.
    pub repeat: Option<Expression>,
    /// Steps to take in order, instead of a kernel.
    #[serde(default)]
    pub sequence: Vec<Step>,
    /// The kernel to launch.
    pub kernel: Option<String>,
    /// Blocks, one to three dimensions.
    #[serde(default)]
    pub grid: Vec<Expression>,
    /// Threads per block, one to three dimensions.
    #[serde(default)]
    pub block: Vec<Expression>,
    /// Dynamic shared memory in bytes.
    pub shared: Option<Expression>,
    /// The kernel's parameters in order.
    #[serde(default)]
    pub args: Vec<Argument>,
}

/// A kernel parameter. A list of numbers is a vector of OpenCL or CUDA.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Argument {
    /// A buffer's address.
    Buffer(String),
    /// A pointer to so many bytes of local memory (OpenCL's `__local`).
    Local(Expression),
    /// 8-bit integer, signed or not.
    #[serde(alias = "u8")]
    I8(Components<Expression>),
    /// 16-bit integer, signed or not.
    #[serde(alias = "u16")]
    I16(Components<Expression>),
    /// 32-bit integer, signed or not.
    #[serde(alias = "u32")]
    I32(Components<Expression>),
    /// 64-bit integer, signed or not.
    #[serde(alias = "u64")]
    I64(Components<Expression>),
    /// 32-bit float.
    F32(Components<Real>),
    /// 64-bit float.
    F64(Components<Real>),
}

/// One number, or those of a vector.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged, expecting = "a number or a formula, or a list of them for a vector")]
pub enum Components<T> {
    /// A scalar.
    One(T),
    /// A vector.
    Vector(Vec<T>),
}

impl<T> Components<T> {
    /// The numbers in order.
    pub fn as_slice(&self) -> &[T] {
        match self {
            Components::One(one) => std::slice::from_ref(one),
            Components::Vector(all) => all,
        }
    }
}

/// A real number, or the name of a parameter that is one.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Real {
    /// The number itself.
    Number(f64),
    /// A parameter of the scale.
    Parameter(String),
}

/// A buffer to copy back.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputNote {
    /// Which buffer.
    pub buffer: String,
    /// File with the right values (raw, or numbers as text if `.txt`); `{scale}`
    /// stands for the scale's name. Not compared when absent.
    pub expected: Option<String>,
}
