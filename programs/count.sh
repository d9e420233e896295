#!/bin/sh
# Runs the built programs on the machine's own GPU under Nsight Compute and writes
# down how many instructions the hardware counted:
#
#   LD_LIBRARY_PATH=FOLDER_OF_LIBCUDART programs/count.sh BINARIES OUTPUT.tsv
#
# BINARIES is a folder that `cargo xtask programs build` filled. A line per program
# and kernel, tab-separated: program, kernel (without what it is in, templates and
# arguments), launches that ended, smsp__inst_executed and
# smsp__thread_inst_executed of them together. About three minutes.
set -u
if [ $# -ne 2 ] || [ ! -d "$1" ]; then
    echo "usage: LD_LIBRARY_PATH=FOLDER_OF_LIBCUDART $0 BINARIES OUTPUT.tsv" >&2
    exit 2
fi
binaries=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
# A crashing program is expected here; its core is not wanted.
ulimit -c 0

# sums NAME TABLE: the profiler's table, launches of one kernel put together.
sums() {
    awk -v name="$1" -F '","' '
        !/^"/ { next }
        !columns { for (i = 1; i <= NF; i++) { gsub(/"/, "", $i); at[$i] = i }; columns = 1; next }
        {
            gsub(/"/, "", $NF)
            warps = $at["smsp__inst_executed.sum"]; threads = $at["smsp__thread_inst_executed.sum"]
            gsub(/,/, "", warps); gsub(/,/, "", threads)
            # The line of units, and launches that ended in a trap.
            if (warps !~ /^[0-9]+$/ || threads !~ /^[0-9]+$/) next
            kernel = $at["Kernel Name"]
            gsub(/<unnamed>::/, "", kernel); sub(/^void /, "", kernel)
            sub(/[<(].*/, "", kernel); sub(/.*::/, "", kernel)
            if (!(kernel in launches)) order[++kernels] = kernel
            launches[kernel]++; all_warps[kernel] += warps; all_threads[kernel] += threads
        }
        END {
            for (i = 1; i <= kernels; i++) {
                k = order[i]
                printf "%s\t%s\t%d\t%d\t%d\n", name, k, launches[k], all_warps[k], all_threads[k]
            }
        }' "$2"
}

# count NAME ARGUMENT...
count() {
    name=$1
    shift
    # Away from the caller's folder, should a program leave something behind.
    (cd "$work" && timeout 60 ncu --target-processes all --clock-control none --cache-control none \
        --csv --page raw --print-units base \
        --metrics smsp__inst_executed.sum,smsp__thread_inst_executed.sum \
        --log-file "$work/table" "$binaries/$name" "$@" >/dev/null 2>&1 </dev/null)
    sums "$name" "$work/table"
}

{
    echo "# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1)"
    printf '# program\tkernel\tlaunches\twarp instructions\tthread instructions\n'
    for path in "$binaries"/*; do
        case $path in
        *.so) ;;
        *) [ -f "$path" ] && [ -x "$path" ] && count "$(basename "$path")" ;;
        esac
    done
    for path in "$binaries"/apps/*; do
        [ -f "$path" ] && [ -x "$path" ] && count "apps/$(basename "$path")" small 1 "$work/bytes"
    done
} >"$2"
exit 0
