#!/bin/sh
# Grades of the tests of `upset burn` on the model (docs/grading.md).
#
#     studies/grading.sh UPSET OUT
#     cargo xtask grading OUT
#
# UPSET is the program, OUT a folder. Stopped at any moment, the same command goes
# on with the list that was not done. Variables:
#
#     SYNDROMES  of each of the four units (2500)
#     CELLS      of registers and of shared memory (250)
#     RUNS       of lists of which some are drawn besides (200)
#     JOBS       threads (one per core)
set -eu
if [ $# -ne 2 ]; then
    echo "usage: [SYNDROMES=n] [CELLS=n] [RUNS=n] [JOBS=n] $0 UPSET OUT" >&2
    exit 2
fi
upset=$1 out=$2
mkdir -p "$out"

# grade NAME ARGUMENTS...: two SMs, faults in the second, so that an SM can be wrong.
grade() {
    name=$1
    shift
    if [ ! -e "$out/$name.json" ]; then
        "$upset" grade "$@" --set sm.count=2 --sm 1 -q ${JOBS:+--jobs $JOBS} \
            --json "$out/$name.json.part"
        mv "$out/$name.json.part" "$out/$name.json"
    fi
}

# Every stuck result bit of one SM.
grade fma fma --structure fma --all --rival
grade alu alu --structure alu --all
grade fp64 fp64 --structure fp64 --all
grade mufu mufu convert --structure mufu --all
grade fma-h200 fma --structure fma --all --model h200
# Syndromes of the same units.
for unit in fma alu fp64 mufu; do
    grade "syndrome-$unit" $unit --structure $unit --fault syndrome:units \
        --runs "${SYNDROMES:-2500}" --rival
done
# Cells.
grade rf registers --structure rf --runs "${CELLS:-250}"
grade smem shared --structure smem --runs "${CELLS:-250}"
# Faults that act now and then, or for some operands only.
grade now-and-then fma --structure fma --fault syndrome:units:rate=0.01 --runs "${RUNS:-200}" --rival
grade now-and-then-3 fma --structure fma --fault syndrome:units:rate=0.01 --runs "${RUNS:-200}" --level 3
grade negative fma --structure fma --fault 'invert:if=a&0x80000000=0x80000000' --runs "${RUNS:-200}" --rival
# Which tests are worth their time.
grade smallest fma imad alu fp64 mufu convert half --structure fma,alu,fp64,mufu,opnd,lsud,lsua \
    --runs "$((${RUNS:-200} / 4))" --smallest
