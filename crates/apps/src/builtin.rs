//! The applications of the papers, with their code embedded.

use crate::app::{App, AppRun};
use crate::error::AppError;
use crate::host::{self, Host};
use crate::launcher::Way;
use crate::manifest::Manifest;
use crate::scale::Scale;
use crate::session::{Session, binary};
use crate::target::Target;
use crate::verdict::{Tolerance, Verdict, compare};
use serde::de::DeserializeOwned;
use std::sync::LazyLock;
use upset_chip::{ChipSpec, Vendor};
use upset_device::Device;

/// An application whose host side is in this crate.
struct BuiltIn {
    manifest: Manifest,
    code: Vec<(Target, &'static [u8])>,
    small: Box<dyn Host>,
    paper: Box<dyn Host>,
}

impl BuiltIn {
    /// Reads the embedded manifest. It is part of the program, so a mistake in
    /// it is ours and stops the first test that lists the applications.
    fn new<H: Host + DeserializeOwned + 'static>(
        manifest: &str,
        code: Vec<(Target, &'static [u8])>,
    ) -> Self {
        let manifest = Manifest::parse(manifest).unwrap_or_else(|e| panic!("{e}"));
        let host = |scale| {
            let parameters = manifest.parameters(scale).cloned();
            let parameters = parameters.unwrap_or_else(|e| panic!("{}: {e}", manifest.id));
            let host = parameters.try_into::<H>();
            Box::new(host.unwrap_or_else(|e| panic!("{}, {scale}: {e}", manifest.id)))
        };
        Self { small: host(Scale::Small), paper: host(Scale::Paper), manifest, code }
    }

    fn host(&self, scale: Scale) -> &dyn Host {
        match scale {
            Scale::Small => self.small.as_ref(),
            Scale::Paper => self.paper.as_ref(),
        }
    }
}

impl App for BuiltIn {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn run_by(
        &self,
        gpu: &mut Device,
        scale: Scale,
        seed: u64,
        way: Way<'_>,
    ) -> Result<AppRun, AppError> {
        let mut session =
            Session::open(gpu, &self.manifest.id, &self.code, way.code, way.launcher)?;
        let outputs = self.host(scale).run(&mut session, seed)?;
        Ok(AppRun {
            app: self.manifest.id.clone(),
            scale,
            seed,
            outputs,
            launches: session.close()?,
        })
    }

    fn targets(&self) -> Vec<Target> {
        self.code.iter().map(|(target, _)| *target).collect()
    }

    fn binaries(&self, chip: &ChipSpec) -> Vec<(String, Vec<u8>)> {
        binary(&self.manifest.id, chip, &self.code)
    }

    fn check(&self, run: &AppRun) -> Verdict {
        let expected = self.host(run.scale).expected(run.seed);
        let tolerance = self.manifest.tolerance.as_ref();
        compare(&run.outputs, &expected, tolerance.unwrap_or(&Tolerance::EXACT))
    }
}

/// The files of `kernels/<id>`.
macro_rules! file {
    (text $id:literal, $name:expr) => {
        include_str!(concat!("../../../kernels/", $id, "/", $name))
    };
    (code $id:literal, $suffix:literal) => {
        include_bytes!(concat!("../../../kernels/", $id, "/", $id, $suffix)).as_slice()
    };
}

/// One row of the registry: host side, and code for NVIDIA's chips since Volta,
/// and for an older one where that is named.
macro_rules! cuda {
    ($host:ty, $id:literal $(, $sm:literal $suffix:literal)?) => {
        Box::new(BuiltIn::new::<$host>(
            file!(text $id, "app.toml"),
            vec![
                $((Target::Sm($sm), file!(code $id, $suffix)),)?
                (Target::Sm(70), file!(code $id, ".sm_70.cubin")),
                (Target::Sm(75), file!(code $id, ".sm_75.cubin")),
                (Target::Sm(80), file!(code $id, ".sm_80.cubin")),
                (Target::Sm(90), file!(code $id, ".sm_90.cubin")),
            ],
        ))
    };
}

/// The same with code for Kepler: the applications of the papers.
macro_rules! cuda_since_kepler {
    ($host:ty, $id:literal) => {
        cuda!($host, $id, 35 ".sm_35.cubin")
    };
}

/// One row of the registry: host side, and code for AMD's chips.
macro_rules! opencl {
    ($host:ty, $id:literal) => {
        Box::new(BuiltIn::new::<$host>(
            file!(text $id, "app.toml"),
            vec![(Target::Gfx(600), file!(code $id, ".gfx600.co"))],
        ))
    };
}

static BUILT_IN: LazyLock<Vec<Box<dyn App>>> = LazyLock::new(|| {
    vec![
        cuda_since_kepler!(host::VectorAdd, "va"),
        cuda_since_kepler!(host::ScalarProduct, "sp"),
        cuda_since_kepler!(host::Hotspot, "hs"),
        cuda_since_kepler!(host::KMeans, "km"),
        cuda_since_kepler!(host::SradV1, "srad1"),
        cuda_since_kepler!(host::SradV2, "srad2"),
        cuda_since_kepler!(host::LuDecomposition, "lud"),
        cuda_since_kepler!(host::BreadthFirst, "bfs"),
        cuda_since_kepler!(host::Pathfinder, "pathf"),
        cuda_since_kepler!(host::NeedlemanWunsch, "nw"),
        cuda_since_kepler!(host::Gaussian, "ge"),
        cuda_since_kepler!(host::Backpropagation, "bp"),
        cuda!(host::counters::Fourier, "fft"),
        cuda!(host::counters::Luma, "gray"),
        cuda!(host::counters::Product, "mmul"),
        cuda!(host::counters::Sum, "reduce"),
        cuda!(host::counters::Edges, "sobel"),
        cuda!(host::counters::Sort, "sort"),
        cuda!(host::counters::Transpose, "tran"),
        opencl!(host::amd::BinarySearch, "bins"),
        opencl!(host::amd::BitonicSort, "bits"),
        opencl!(host::amd::CosineTransform, "dct"),
        opencl!(host::amd::HaarWavelet, "dwt"),
        opencl!(host::amd::WalshTransform, "fwt"),
        opencl!(host::amd::FloydWarshall, "fw"),
        opencl!(host::amd::Histogram, "his"),
        opencl!(host::amd::MatrixMultiplication, "mm"),
        opencl!(host::amd::MatrixTranspose, "mt"),
        opencl!(host::amd::QuasiRandom, "qrs"),
        opencl!(host::amd::RecursiveGaussian, "rg"),
        opencl!(host::amd::Reduction, "red"),
        opencl!(host::amd::Convolution, "sc"),
        opencl!(host::amd::UniformNoise, "urng"),
    ]
});

/// Every built-in application, in the order of the documentation.
pub fn built_in() -> &'static [Box<dyn App>] {
    &BUILT_IN
}

/// Every built-in application that has code for a vendor's chips, in the same
/// order.
pub fn built_in_for(vendor: Vendor) -> impl Iterator<Item = &'static dyn App> {
    let all = built_in().iter().map(Box::as_ref);
    all.filter(move |app| app.vendors().contains(&vendor))
}

/// The built-in application with this id or alias, in any case.
pub fn find(name: &str) -> Result<&'static dyn App, AppError> {
    let found = built_in().iter().find(|app| {
        let aliases = app.aliases().iter().map(String::as_str);
        aliases.chain([app.id()]).any(|known| known.eq_ignore_ascii_case(name))
    });
    found.map(Box::as_ref).ok_or_else(|| {
        let known: Vec<_> = built_in().iter().map(|app| app.id()).collect();
        AppError::Unknown { name: name.to_string(), known: known.join(" ") }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn all_are_there_and_no_name_is_taken_twice() {
        let ids = |vendor| built_in_for(vendor).map(|app| app.id()).collect::<Vec<_>>().join(" ");
        let papers = "va sp hs km srad1 srad2 lud bfs pathf nw ge bp";
        let counters = "fft gray mmul reduce sobel sort tran";
        assert_eq!(ids(Vendor::Nvidia), format!("{papers} {counters}"));
        assert_eq!(ids(Vendor::Amd), "bins bits dct dwt fwt fw his mm mt qrs rg red sc urng");
        assert_eq!(built_in().len(), 12 + 7 + 14);
        let mut names = BTreeSet::new();
        for app in built_in() {
            assert!(names.insert(app.id().to_string()), "{}", app.id());
            for alias in app.aliases() {
                assert!(names.insert(alias.clone()), "{alias}");
            }
        }
    }

    #[test]
    fn every_manifest_is_complete() {
        for app in built_in() {
            let manifest = app.manifest();
            for (key, text) in [
                ("name", &manifest.name),
                ("description", &manifest.description),
                ("suite", &manifest.suite),
                ("source", &manifest.source),
            ] {
                assert!(!text.is_empty(), "{}: {key}", manifest.id);
            }
            assert!(!manifest.kernels.is_empty(), "{}", manifest.id);
            assert!(!manifest.aliases.is_empty(), "{}", manifest.id);
            let tolerance = manifest.tolerance.as_ref();
            assert!(
                tolerance.is_none_or(|t| !t.reason.is_empty()),
                "{}: a tolerance needs its reason",
                manifest.id
            );
        }
    }

    #[test]
    fn names_are_found_in_any_case_and_unknown_ones_are_explained() {
        assert_eq!(find("HotSpot").unwrap().id(), "hs");
        assert_eq!(find("BFS").unwrap().id(), "bfs");
        assert_eq!(find("MatrixMultiplication").unwrap().id(), "mm");
        let error = find("nosuch").err().unwrap().to_string();
        assert!(error.contains("nosuch") && error.contains("va sp hs"), "{error}");
    }
}
