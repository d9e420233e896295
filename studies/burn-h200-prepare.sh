#!/usr/bin/env bash
# Puts all that studies/burn-h200.sh needs into target/h200, on a machine with
# cargo and network: `upset`, compressed; the program of burn-h200.cu with
# NVIDIA's runtime linked in; the loader of OpenCL, for machines without one.
#
#   studies/burn-h200-prepare.sh        (with .cuda from `upset toolkit fetch .cuda`)
set -euo pipefail
cd "$(dirname "$0")/.."
to=target/h200
mkdir -p "$to"
cargo build --release -p upset-cli
cp "${CARGO_TARGET_DIR:-target}/release/upset" "$to/upset"
strip "$to/upset"
gzip --force "$to/upset"

# The static runtime is in no Debian package that .cuda is made of; the wheel of
# CUDA 13.0 has it, the release of driver 580.
if [[ ! -e "$to/libcudart_static.a" ]]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    python3 -m pip download --quiet --no-deps --dest "$work" 'nvidia-cuda-runtime==13.0.96'
    python3 -m zipfile -e "$work"/*.whl "$work/wheel"
    cp "$work/wheel/nvidia/cu13/lib/libcudart_static.a" "$to/"
fi
.cuda/bin/nvcc -allow-unsupported-compiler -arch=sm_90 -O2 -c studies/burn-h200.cu -o "$to/program.o"
g++ "$to/program.o" "$to/libcudart_static.a" -ldl -lrt -lpthread -o "$to/program"
rm "$to/program.o"
strip "$to/program"

crates/cli/tests/pocl.sh target/pocl
cp target/pocl/usr/lib/x86_64-linux-gnu/libOpenCL.so.1 "$to/"
ls -l "$to"
