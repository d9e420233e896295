#!/bin/sh
# Makes the cubins of this folder with the nvcc that is named, of CUDA 13.4: what
# older ones emit is in ../kernels.
#
#     make.sh NVCC          makes them anew
#     make.sh NVCC --check  tells which differ
set -eu
nvcc=$1
cd "$(dirname "$0")"
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
for source in */*.cu; do
    for arch in sm_75 sm_90; do
        # Bulk copies are from sm_90 on.
        [ "$arch $source" != "sm_75 bulk/bulk.cu" ] || continue
        cubin=${source%.cu}.$arch.cubin
        "$nvcc" -w "-arch=$arch" -cubin -o "$made/cubin" "$source"
        if [ "${2:-}" = --check ]; then
            cmp "$made/cubin" "$cubin"
        else
            mv "$made/cubin" "$cubin"
        fi
    done
done
