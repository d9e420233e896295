#!/usr/bin/env bash
# Compiles add.cl anew: Debian's clang-19, lld-19 and libclc-19, installed or unpacked under $LLVM.
set -euo pipefail
cd "$(dirname "$0")"
llvm="${LLVM:-}"
bin="$llvm/usr/lib/llvm-19/bin"
"$bin/clang" -x cl -cl-std=CL1.2 -target amdgcn-amd-amdhsa -mcpu=tahiti -nogpulib -O2 -Wno-linker-warnings \
    -Xclang -finclude-default-header \
    -Xclang -mlink-builtin-bitcode -Xclang "$llvm/usr/lib/clc/amdgcn--amdhsa.bc" \
    -c add.cl -o add.o
"$bin/ld.lld" -shared add.o -o add.co
rm add.o
