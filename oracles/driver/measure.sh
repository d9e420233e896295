#!/bin/sh
# Measures what the driver of this machine's GPU maps around allocations:
#
#   oracles/driver/measure.sh OUTPUT.tsv [NVCC]
#
# Compiles probe.cu for the GPU and runs it for each case, several at once. Lines
# of OUTPUT.tsv, tab-separated:
#   case  allocations  index  access  offset  start  address  result  word
# `case` says what the line is for. The first lines, behind #, name GPU, driver
# and addressing mode. docs/faults.md says what was found and what is assumed;
# chips/*.toml, [driver], holds the figures.
set -eu
if [ $# -lt 1 ]; then
    echo "usage: $0 OUTPUT.tsv [NVCC]" >&2
    exit 2
fi
output=$1
nvcc=${2:-nvcc}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
"$nvcc" -arch=native -o "$work/probe" "$here/probe.cu"

mib=1048576
cases=0

# probe CASE ALLOCATIONS INDEX ACCESS OFFSET...: in the background, into a file
# of its own.
probe() {
    cases=$((cases + 1))
    at=$work/$(printf %03d $cases)
    what=$(printf '%s\t%s\t%s\t%s' "$1" "$2" "$3" "$4")
    shift
    (
        "$work/probe" "$@" >"$at.raw" 2>"$at.error" || touch "$at.failed"
        sed "s/^/$what	/" "$at.raw" >"$at.tsv"
    ) &
    [ $((cases % 16)) -ne 0 ] || wait
}

# steps FROM TO STEP, in MiB
steps() {
    step=$1
    while [ "$step" -le "$2" ]; do
        echo $((step * mib))
        step=$((step + $3))
    done
}

# The block around a first allocation: coarse below, where it is long, in pages of
# 2 MiB above, where holes and pockets are.
around="$(steps -640 -384 16) $(steps -320 -64 64) $(steps -32 -2 2) $(steps 0 160 2) $(steps 192 1280 128)"
for size in 1024 $((3 * mib)) $((64 * mib)) $((1024 * mib)); do
    # shellcheck disable=SC2086
    probe first "$size" 0 read $around
done

# Which sizes lie in it, and which have pages of their own.
near="-2097152 -64 0 $(steps 2 8 2) $(steps 20 28 4) $(steps 64 96 8)"
for size in 1 65536 $((mib - 512)) $mib $((mib + 512)) $((2 * mib)) $((8 * mib)) $((20 * mib)) \
    $((22 * mib)); do
    # shellcheck disable=SC2086
    probe size "$size" 0 read $near
done

# Just outside, reads and writes.
for size in 1024 $mib $((3 * mib)) $((64 * mib)); do
    for access in read write; do
        probe beside "$size" 0 $access -1048576 -4096 -1024 -4 $size $((size + 1024)) $((size + 4096))
    done
done

# Order of allocations: where a second one goes, and what lies around it.
for pair in 1024,1024 1024,$((3 * mib)) $((3 * mib)),1024 $((3 * mib)),$((3 * mib)) \
    $((64 * mib)),$((64 * mib)) 1024,$((64 * mib)) $((64 * mib)),1024; do
    for index in 0 1; do
        # shellcheck disable=SC2046
        probe order "$pair" $index read 0 $(steps -80 80 8)
    done
done

# How many small ones share a page, and where the next page lies.
for count in 2 3 5 16 32 80; do
    list=$mib
    n=1
    while [ $n -lt $count ]; do
        list=$list,$mib
        n=$((n + 1))
    done
    probe many "$list" $((count - 1)) read 0
done

# After a free: is it still mapped, and who gets the place?
for size in 1024 $mib $((3 * mib)) $((64 * mib)); do
    probe freed "$size,-0" 0 read 0
    probe freed "$size,-0" 0 write 0
    probe freed "$size,$size,-0" 0 read 0
    probe reused "$size,-0,$size" 1 read 0
done

# What the driver's own memory holds.
# shellcheck disable=SC2046
probe contents 1024 0 read $(for m in $(steps -256 72 8); do echo $((m + 4096)) $((m + 65536)); done)

# Which error: null, low addresses, beyond 47 bits, the middle of nowhere; and the
# windows of shared and local memory, whose place the program does not know.
probe error 1024 0 read =0 =4096 =0x100000000 =0x7fffffff0000 =0x800000000000 =0xffff000000000000 \
    =0x1000000 =0x7f0000000000 =0x6fffffff0000
wait

query=name,driver_version,addressing_mode
{
    echo "# $(nvidia-smi --query-gpu=$query --format=csv,noheader | head -1) ($query)"
    printf '# case\tallocations\tindex\taccess\toffset\tstart\taddress\tresult\tword\n'
    cat "$work"/*.tsv
} >"$output"
echo "$(grep -vc '^#' "$output") probes in $output"
for failed in "$work"/*.failed; do
    [ -e "$failed" ] || continue
    echo "$0: $(cat "${failed%.failed}.error")" >&2
    exit 1
done
