#!/bin/sh
# Makes kernels.fatbin from kernels.cu, and parts.fatbin, which is for linking, from parts.cu,
# with the nvcc that is named (or found).
set -e
cd "$(dirname "$0")"
code() { printf -- '-gencode arch=compute_%s,code=sm_%s ' "$1" "$1"; }
# make NAME OPTION...
make() {
    name=$1
    shift
    # shellcheck disable=SC2046
    "$nvcc" -allow-unsupported-compiler -Wno-deprecated-gpu-targets -fatbin "$@" \
        $(code 35) $(code 70) $(code 75) $(code 90) -o "$name.fatbin" "$name.cu"
}
nvcc=${1:-nvcc}
make kernels
make parts -rdc=true
