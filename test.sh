#!/usr/bin/env bash
# The whole gate: formatting, lints, documentation, tests. Installs what the
# tests need if it is missing. People and CI run the same script.
#
# The CUDA programs of programs/ need NVIDIA's compiler, which is fetched into
# .cuda where that is possible (Debian, network, g++). Where it is not, their
# tests are skipped; with UPSET_REQUIRE_PROGRAMS=1 that is a failure.
set -euo pipefail
cd "$(dirname "$0")"
export RUSTFLAGS="${RUSTFLAGS:-} -D warnings" RUSTDOCFLAGS="${RUSTDOCFLAGS:-} -D warnings"

step() { printf '\n== %s\n' "$*"; }

command -v cargo >/dev/null || { echo "cargo is missing: install Rust (stable) first" >&2; exit 2; }
for component in rustfmt clippy; do
    cargo "${component/rustfmt/fmt}" --version >/dev/null 2>&1 || rustup component add "$component"
done
cargo nextest --version >/dev/null 2>&1 || { step "install cargo-nextest"; cargo install --locked cargo-nextest; }

skipped=""
build_programs() {
    cargo xtask programs build && return
    [[ "${UPSET_REQUIRE_PROGRAMS:-}" != 1 ]] || { echo "UPSET_REQUIRE_PROGRAMS=1: giving up" >&2; exit 1; }
    skipped="note: the CUDA programs could not be built (see the step \"programs\"); their tests were skipped"
    echo "note: going on without the CUDA programs: their tests skip themselves" >&2
}

# The page of a report is looked at in a real browser.
find_browser() {
    command -v chromium chromium-browser google-chrome >/dev/null && return
    if [[ "$(id -u)" == 0 ]] && command -v apt-get >/dev/null; then
        { apt-get update && apt-get install -y --no-install-recommends chromium; } >/dev/null 2>&1 && return
    fi
    [[ "${UPSET_REQUIRE_BROWSER:-}" != 1 ]] || { echo "UPSET_REQUIRE_BROWSER=1: no browser, giving up" >&2; exit 1; }
    skipped="${skipped:+$skipped; }note: there is no Chromium and it could not be installed; the tests of the page in a browser were skipped"
}

# The OpenCL tests of `upset burn` run on the processor (pocl).
find_pocl() {
    crates/cli/tests/pocl.sh target/pocl && return
    [[ "${UPSET_REQUIRE_POCL:-}" != 1 ]] || { echo "UPSET_REQUIRE_POCL=1: no pocl, giving up" >&2; exit 1; }
    skipped="${skipped:+$skipped; }note: pocl could not be fetched; the tests of OpenCL were skipped"
    echo "note: going on without pocl: the tests of OpenCL skip themselves" >&2
}

# `upset slurm` is tried on a cluster of four nodes, all on this machine.
find_slurm() {
    crates/cli/tests/slurm.sh target/slurm && return
    [[ "${UPSET_REQUIRE_SLURM:-}" != 1 ]] || { echo "UPSET_REQUIRE_SLURM=1: no Slurm, giving up" >&2; exit 1; }
    skipped="${skipped:+$skipped; }note: Slurm could not be fetched; the tests on a cluster were skipped"
    echo "note: going on without Slurm: the tests on a cluster skip themselves" >&2
}

# The Python package is tested with pandas, polars, matplotlib and Altair.
find_python() {
    crates/python/tests/venv.sh target/python && return
    [[ "${UPSET_REQUIRE_PYTHON:-}" != 1 ]] || { echo "UPSET_REQUIRE_PYTHON=1: no Python, giving up" >&2; exit 1; }
    skipped="${skipped:+$skipped; }note: no Python with pandas and the others could be made; the tests of the package that need them were skipped"
    echo "note: going on without pandas and the others: the tests that need them skip themselves" >&2
}

step "format";  cargo fmt --all --check
step "tree";    cargo xtask check
step "lint";    cargo clippy --workspace --all-targets --locked
step "docs";    cargo doc --workspace --no-deps --locked
step "programs"; build_programs
step "browser"; find_browser
step "opencl";  find_pocl
step "slurm";   find_slurm
step "python";  find_python
step "doctest"; cargo test --workspace --doc --locked
step "test";    cargo nextest run --workspace --locked --no-fail-fast
step "speed, as a report"
built=$(realpath "${CARGO_TARGET_DIR:-target}")
UPSET_QUICK_BENCH="$built/debug/upset" cargo xtask bench --quick || echo "note: speed was not measured" >&2
if [[ -n "$skipped" ]]; then printf '\n%s\n' "$skipped" >&2; fi
