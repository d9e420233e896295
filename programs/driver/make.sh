#!/bin/sh
# Makes kernels.fatbin from kernels.cu, with the nvcc that is named (or found).
set -e
cd "$(dirname "$0")"
code() { printf -- '-gencode arch=compute_%s,code=sm_%s ' "$1" "$1"; }
# shellcheck disable=SC2046
"${1:-nvcc}" -allow-unsupported-compiler -Wno-deprecated-gpu-targets -fatbin \
    $(code 35) $(code 70) $(code 75) $(code 90) -o kernels.fatbin kernels.cu
