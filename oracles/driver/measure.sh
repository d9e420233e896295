#!/bin/sh
# Measures what the driver of this machine's GPU maps around allocations:
#
#   oracles/driver/measure.sh OUTPUT.tsv [NVCC]
#
# Compiles probe.cu for the GPU and runs it once per probed address, since an
# illegal access ends a context. Lines of OUTPUT.tsv, tab-separated:
#   case  allocations  index  offset  access  start  address  result  word
# `case` says what the line is for. The first lines, behind #, name GPU, driver
# and addressing mode. docs/faults.md says what is known and what is assumed so
# far; chips/*.toml, [driver], holds the figures.
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
query=name,driver_version,addressing_mode
{
    echo "# $(nvidia-smi --query-gpu=$query --format=csv,noheader | head -1) ($query)"
    printf '# case\tallocations\tindex\toffset\taccess\tstart\taddress\tresult\tword\n'
} >"$output"

mib=1048576

# probe CASE ALLOCATIONS INDEX OFFSET ACCESS
probe() {
    if line=$("$work/probe" "$2" "$3" "$4" "$5" 2>"$work/error"); then
        printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "$5" "$line" >>"$output"
    else
        echo "$0: probe $2 $3 $4 $5: $(cat "$work/error")" >&2
        exit 1
    fi
}

# sweep CASE ALLOCATIONS INDEX FROM TO STEP ACCESS, in MiB
sweep() {
    mib_at=$4
    while [ "$mib_at" -le "$5" ]; do
        probe "$1" "$2" "$3" $((mib_at * mib)) "$7"
        mib_at=$((mib_at + $6))
    done
}

# The block around a first allocation of each size: coarse below, where it is
# long, in pages of 2 MiB above, where holes and pockets are.
for size in 1 1024 65536 $((mib - 512)) $mib $((mib + 512)) $((2 * mib)) $((3 * mib)) \
    $((8 * mib)) $((20 * mib)) $((22 * mib)) $((64 * mib)) $((1024 * mib)); do
    sweep first "$size" 0 -640 -16 16 read
    sweep first "$size" 0 -14 160 2 read
    sweep first "$size" 0 192 1280 64 read
done

# Just outside, reads and writes.
for size in 1024 $mib $((3 * mib)) $((64 * mib)); do
    for offset in -1048576 -4096 -1024 -4 $size $((size + 1024)) $((size + 4096)); do
        probe beside "$size" 0 "$offset" read
        probe beside "$size" 0 "$offset" write
    done
done

# Order of allocations: where a second one goes, and what lies around it.
for pair in 1024,1024 1024,$((3 * mib)) $((3 * mib)),1024 $((3 * mib)),$((3 * mib)) \
    $((64 * mib)),$((64 * mib)) 1024,$((64 * mib)) $((64 * mib)),1024; do
    for index in 0 1; do
        probe order "$pair" $index 0 read
        sweep order "$pair" $index -80 80 8 read
    done
done

# How many small ones share a page, and where the next page lies.
many=$mib
for count in 2 3 4 5 8 16 40 80; do
    list=$many
    n=1
    while [ $n -lt $count ]; do
        list=$list,$many
        n=$((n + 1))
    done
    probe many "$list" $((count - 1)) 0 read
done

# After a free: is it still mapped, and who gets the place?
for size in 1024 $mib $((3 * mib)) $((64 * mib)); do
    probe freed "$size,-0" 0 0 read
    probe freed "$size,-0" 0 0 write
    probe freed "$size,$size,-0" 0 0 read
    probe reused "$size,-0,$size" 1 0 read
done

# What the driver's own memory holds.
offset=-256
while [ $offset -le 72 ]; do
    probe contents 1024 0 $((offset * mib + 4096)) read
    offset=$((offset + 8))
done

# Which error: null, low addresses, beyond 47 bits, the middle of nowhere.
for address in 0 4096 0x100000000 0x7fffffff0000 0x800000000000 0xffff000000000000; do
    start=$("$work/probe" 1024 0 0 read | cut -f1)
    probe error 1024 0 $((address - start)) read
done
echo "$(grep -vc '^#' "$output") probes in $output"
