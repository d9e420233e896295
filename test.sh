#!/usr/bin/env bash
# The whole gate: formatting, lints, documentation, tests. Installs what the
# tests need if it is missing. People and CI run the same script.
set -euo pipefail
cd "$(dirname "$0")"
export RUSTFLAGS="${RUSTFLAGS:-} -D warnings" RUSTDOCFLAGS="${RUSTDOCFLAGS:-} -D warnings"

step() { printf '\n== %s\n' "$*"; }

command -v cargo >/dev/null || { echo "cargo is missing: install Rust (stable) first" >&2; exit 2; }
for component in rustfmt clippy; do
    cargo "${component/rustfmt/fmt}" --version >/dev/null 2>&1 || rustup component add "$component"
done
cargo nextest --version >/dev/null 2>&1 || { step "install cargo-nextest"; cargo install --locked cargo-nextest; }

step "format";  cargo fmt --all --check
step "tree";    cargo xtask check
step "lint";    cargo clippy --workspace --all-targets --locked
step "docs";    cargo doc --workspace --no-deps --locked
step "doctest"; cargo test --workspace --doc --locked
step "test";    cargo nextest run --workspace --locked --no-fail-fast
