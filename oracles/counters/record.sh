#!/usr/bin/env bash
# Records what a GPU's counters give for every kernel of the applications, in ten
# runs, and what they copy back, on a machine with the GPU, nvcc and ncu (root, or
# counters open to all; no clocks or settings are changed).
#   cargo run --release -p xtask -- timing prepare-counts JOURNALS
#   oracles/counters/record.sh JOURNALS OUT [RUNS [PATTERN]]
#   cargo run --release -p xtask -- timing take-counts OUT…
#   tar -xf OUT/outputs.tar -C OUT && cargo run --release -p xtask -- hardware take-apps OUT
# PATTERN chooses journals, to do it in parts: '*.small', 'g*.paper' and
# '[!g]*.paper' take about four minutes each for ten runs, nearly all of it the
# profiler's (a tenth of a second a launch, 158 of which are ge's).
set -euo pipefail
journals=$1 out=$2 runs=${3:-10} pattern=${4:-*} here=$(dirname "$0") work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out" "$work/ncu" "$work/outputs"
nvcc -O1 -std=c++17 -o "$work/record" "$here/../timing/record.cpp" -lcuda -ldl
nvcc -O1 -std=c++17 -o "$work/replay" "$here/../apps/replay.cpp" -lcuda -ldl

shopt -s nullglob
all=("$journals"/$pattern.journal)
if [ ${#all[@]} -eq 0 ]; then
    echo "no $journals/$pattern.journal: cargo run --release -p xtask -- timing prepare-counts $journals" >&2
    exit 2
fi
for journal in "${all[@]}"; do
    "$work/replay" "$journal" "$work/outputs/$(basename "$journal" .journal).out"
done
tar -cf "$out/outputs.tar" -C "$work/outputs" .

# The two that the model is compared with, and others that tell which counters are
# constant; those that this chip does not have are left out.
metrics=smsp__inst_executed.sum,smsp__thread_inst_executed.sum
wanted="smsp__thread_inst_executed_pred_on
    smsp__inst_issued smsp__warps_launched smsp__threads_launched sm__ctas_launched
    smsp__inst_executed_pipe_alu smsp__inst_executed_pipe_fma smsp__inst_executed_pipe_lsu
    smsp__inst_executed_pipe_xu smsp__inst_executed_pipe_fp64 smsp__inst_executed_pipe_cbu
    smsp__inst_executed_op_branch smsp__branch_targets_threads_divergent
    smsp__cycles_active smsp__warps_active sm__cycles_active"
ncu --query-metrics | awk '{ print $1 }' | sort -u >"$work/known"
for metric in $wanted; do
    if grep -qx "$metric" "$work/known"; then
        metrics+=,$metric.sum
    else
        echo "this chip has no $metric" >&2
    fi
done
ncu --target-processes all --clock-control none --cache-control none --csv --page raw --print-units base \
    --metrics "$metrics" --log-file "$out/counts.csv" \
    "$work/record" "$work/ncu" "$runs" "${all[@]}"
cp "$work/ncu/launches.txt" "$out/counts.launches"
