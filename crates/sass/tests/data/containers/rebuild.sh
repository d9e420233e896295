#!/bin/sh
# Rebuilds the compiled test inputs of this folder from its sources.
#   CUDA11=prefix CUDA12=prefix CUDA13=prefix ./rebuild.sh
# CUDA11 needs bin/{nvcc,ptxas,nvlink,fatbinary} 11.8 and g++-11; CUDA12 bin/ptxas 12.9;
# CUDA13 bin/{ptxas,fatbinary} 13.x. The test snapshots come from cuobjdump
# of the same releases: see docs/containers.md.
set -eu
cd "$(dirname "$0")"
nvcc="$CUDA11/bin/nvcc -ccbin g++-11 -diag-suppress 1215,549 -Wno-deprecated-gpu-targets"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for source in calls data texture externs stack managed; do
    for sm in 70 75 80 90; do
        $nvcc -arch=sm_$sm -cubin $source.cu -o $source.sm_$sm.cubin
    done
    $nvcc -arch=compute_75 -ptx $source.cu -o "$work/$source.ptx"
    for sm in 75 90; do
        "$CUDA12/bin/ptxas" -arch=sm_$sm "$work/$source.ptx" -o $source.sm_$sm.cuda12.cubin
        "$CUDA13/bin/ptxas" -arch=sm_$sm "$work/$source.ptx" -o $source.sm_$sm.cuda13.cubin
    done
done
for source in calls data texture externs; do
    for sm in 75 90; do
        $nvcc -arch=sm_$sm -rdc=true -cubin $source.cu -o "$work/object.cubin"
        "$CUDA11/bin/nvlink" -arch=sm_$sm "$work/object.cubin" -o $source.sm_$sm.linked.cubin
    done
done
$nvcc -arch=sm_75 -rdc=true -cubin data.cu -o data.sm_75.object.cubin
for sm in 70 75 80 90; do "$CUDA11/bin/ptxas" -arch=sm_$sm jump.ptx -o jump.sm_$sm.cubin; done
for sm in 75 90; do
    "$CUDA12/bin/ptxas" -arch=sm_$sm wide.ptx -o wide.sm_$sm.cuda12.cubin
    "$CUDA13/bin/ptxas" -arch=sm_$sm wide.ptx -o wide.sm_$sm.cuda13.cubin
done

# Fat binaries: plain, LZ4, Zstandard, several images in one frame, inside a host object.
codes="-gencode arch=compute_70,code=sm_70 -gencode arch=compute_75,code=[sm_75,compute_75]"
$nvcc -fatbin $codes stack.cu -o plain.fatbin
$nvcc -fatbin -Xfatbin -compress-all $codes stack.cu -o lz4.fatbin
images="--image3=kind=elf,sm=75,file=stack.sm_75.cuda13.cubin --image3=kind=elf,sm=90,file=stack.sm_90.cuda13.cubin --image3=kind=ptx,sm=75,file=$work/stack.ptx"
"$CUDA13/bin/fatbinary" -64 --create zstd.fatbin --compress-all $images
"$CUDA13/bin/fatbinary" -64 --create concatenated.fatbin --compress-all -concat $images
$nvcc -c $codes host.cu -o host.o
