//! The twelve applications of the papers, with their code embedded.

use crate::app::{App, AppRun};
use crate::error::AppError;
use crate::host::{self, Host};
use crate::manifest::Manifest;
use crate::scale::Scale;
use crate::session::{Session, binary};
use crate::verdict::{Tolerance, Verdict, compare};
use serde::de::DeserializeOwned;
use std::sync::LazyLock;
use upset_device::Device;

/// An application whose host side is in this crate.
struct BuiltIn {
    manifest: Manifest,
    code: [(u32, &'static [u8]); 4],
    small: Box<dyn Host>,
    paper: Box<dyn Host>,
}

impl BuiltIn {
    /// Reads the embedded manifest. It is part of the program, so a mistake in
    /// it is ours and stops the first test that lists the applications.
    fn new<H: Host + DeserializeOwned + 'static>(
        manifest: &str,
        code: [(u32, &'static [u8]); 4],
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

    fn run(&self, gpu: &mut Device, scale: Scale, seed: u64) -> Result<AppRun, AppError> {
        let mut session = Session::open(gpu, &self.manifest.id, &self.code)?;
        let outputs = self.host(scale).run(&mut session, seed)?;
        Ok(AppRun {
            app: self.manifest.id.clone(),
            scale,
            seed,
            outputs,
            launches: session.close()?,
        })
    }

    fn binaries(&self, arch: u32) -> Vec<(String, Vec<u8>)> {
        binary(&self.manifest.id, arch, &self.code)
    }

    fn check(&self, run: &AppRun) -> Verdict {
        let expected = self.host(run.scale).expected(run.seed);
        let tolerance = self.manifest.tolerance.as_ref();
        compare(&run.outputs, &expected, tolerance.unwrap_or(&Tolerance::EXACT))
    }
}

/// One row of the registry: host side, and the files of `kernels/<id>`.
macro_rules! application {
    ($host:ty, $id:literal) => {
        Box::new(BuiltIn::new::<$host>(
            include_str!(concat!("../../../kernels/", $id, "/app.toml")),
            [
                (70, application!(@code $id, ".sm_70.cubin")),
                (75, application!(@code $id, ".sm_75.cubin")),
                (80, application!(@code $id, ".sm_80.cubin")),
                (90, application!(@code $id, ".sm_90.cubin")),
            ],
        ))
    };
    (@code $id:literal, $suffix:literal) => {
        include_bytes!(concat!("../../../kernels/", $id, "/", $id, $suffix))
    };
}

static BUILT_IN: LazyLock<Vec<Box<dyn App>>> = LazyLock::new(|| {
    vec![
        application!(host::VectorAdd, "va"),
        application!(host::ScalarProduct, "sp"),
        application!(host::Hotspot, "hs"),
        application!(host::KMeans, "km"),
        application!(host::SradV1, "srad1"),
        application!(host::SradV2, "srad2"),
        application!(host::LuDecomposition, "lud"),
        application!(host::BreadthFirst, "bfs"),
        application!(host::Pathfinder, "pathf"),
        application!(host::NeedlemanWunsch, "nw"),
        application!(host::Gaussian, "ge"),
        application!(host::Backpropagation, "bp"),
    ]
});

/// Every built-in application, in the order of the documentation.
pub fn built_in() -> &'static [Box<dyn App>] {
    &BUILT_IN
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
    fn the_twelve_are_there_and_no_name_is_taken_twice() {
        let ids: Vec<_> = built_in().iter().map(|app| app.id()).collect();
        assert_eq!(ids.join(" "), "va sp hs km srad1 srad2 lud bfs pathf nw ge bp");
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
        let error = find("nosuch").err().unwrap().to_string();
        assert!(error.contains("nosuch") && error.contains("va sp hs"), "{error}");
    }
}
