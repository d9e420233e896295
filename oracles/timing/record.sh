#!/usr/bin/env bash
# Records everything that `cargo xtask timing take` reads, on a machine with
# the GPU, nvcc, CUPTI and ncu (CUDA 13; no clocks or settings are changed).
#   cargo run --release -p xtask -- timing prepare JOURNALS
#   oracles/timing/record.sh JOURNALS OUT
#   cargo run --release -p xtask -- timing take OUT
# About five minutes, nearly all of it the profiler's.
set -euo pipefail
journals=$1 out=$2 here=$(dirname "$0") work=$(mktemp -d)
cupti=${CUPTI:-/usr/local/cuda/targets/x86_64-linux}
nvcc -O1 -std=c++17 -o "$work/record" "$here/record.cpp" -lcuda -ldl
nvcc -O1 -std=c++17 -DWITH_CUPTI -I"$cupti/include" -o "$work/stamp" "$here/record.cpp" -L"$cupti/lib" -lcupti -lcuda -ldl
export LD_LIBRARY_PATH=$cupti/lib:${LD_LIBRARY_PATH:-}
mapfile -t apps < <(ls "$journals"/*.journal | grep -E '\.(small|paper)\.|/(empty|clock_rate)\.')
mapfile -t micro < <(ls "$journals"/*.journal | grep -v -E '\.(small|paper)\.')
# The profiler takes a tenth of a second a launch: compiled kernels only.
mapfile -t kernels < <(printf '%s\n' "${micro[@]}" | grep -v -E '/(stall|interval|written|read|nth|bank|chain|order_first|order_last)_')
mkdir -p "$out" "$work"/{micro,apps,ncu,kernels}

"$work/record" "$work/micro" 9 "${micro[@]}"
"$work/stamp" "$work/apps" 9 "${apps[@]}"
# One pass each, caches and clocks left alone.
profile() {
    ncu --target-processes all --clock-control none --cache-control none --csv --page raw --print-units base \
        --metrics gpc__cycles_elapsed.max,sm__cycles_active.max,gpu__time_duration.sum,smsp__inst_executed.sum,smsp__thread_inst_executed.sum \
        --log-file "$1" "${@:2}"
}
profile "$out/apps-ncu.csv" "$work/record" "$work/ncu" 3 "${apps[@]}"
profile "$out/micro-ncu.csv" "$work/record" "$work/kernels" 1 "${kernels[@]}"

cp "$work/micro/answers.bin" "$work/micro/device.txt" "$out"
cp "$work/apps/launches.txt" "$out/apps.launches"
cp "$work/ncu/launches.txt" "$out/apps-ncu.launches"
cp "$work/kernels/launches.txt" "$out/micro-ncu.launches"
rm -r "$work"
