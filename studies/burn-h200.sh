#!/usr/bin/env bash
# What `upset burn`, `upset quarantine` and `upset burn replay` do on a real GPU,
# in numbered steps. Each runs alone, ends within its limit, and writes its files
# into OUT; what the machine refuses is in NN-name.said with the exit code. Needs
# what studies/burn-h200-prepare.sh puts into target/h200, and neither cargo, nor
# a compiler, nor network.
#
#   studies/burn-h200.sh OUT [STEP…]       all steps take about 25 minutes
#
# Variables, for trying it elsewhere: UPSET (the program), PROGRAM (a CUDA program
# with its arguments), ERRORS and ROUNDS (of steps 3 and 4), LEVEL, SM.
set -uo pipefail
cd "$(dirname "$0")/.."
out="${1:?usage: studies/burn-h200.sh OUT [STEP…]}"
shift
mkdir -p "$out"
out="$(cd "$out" && pwd)"
kit="$PWD/target/h200"
if [[ -z "${UPSET:-}" ]]; then
    [[ -x "$kit/upset" ]] || gunzip --keep --force "$kit/upset.gz" || exit 2
    UPSET="$kit/upset"
fi
program=(${PROGRAM:-$kit/program})
errors="${ERRORS:-1000}" rounds="${ROUNDS:-500}" sm="${SM:-6}" level="${LEVEL:-}"

# Runs a command for so many seconds at most (Ctrl-C, so that it keeps its record;
# ten seconds later the hard way), and notes what it said, its exit code and time.
part() {
    local name="$1" limit="$2"; shift 2
    local begun; begun=$(date +%s.%N)
    timeout --signal=INT --kill-after=10 "$limit" "$@" >"$out/$name.txt" 2>"$out/$name.said"
    local code=$?
    local took; took=$(awk -v a="$begun" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f", b - a }')
    echo "exit code $code after $took s (at most $limit): $*" | tee -a "$out/$name.said"
    return "$code"
}

# 132 SMs, 4 sub-cores, 32 lanes; how long each test of level 1 takes.
step_1()  { part 01-coverage 120 "$UPSET" burn --level 1 --json "$out/01-coverage.json"; }
# Which SMs the driver's groups hold, three times.
step_2()  {
    for i in 1 2 3; do part "02-groups-$i" 60 "$UPSET" burn --probe || return; done
    cmp <(grep '^group' "$out/02-groups-1.txt") <(grep '^group' "$out/02-groups-2.txt") &&
        cmp <(grep '^group' "$out/02-groups-1.txt") <(grep '^group' "$out/02-groups-3.txt") &&
        echo "groups are equal in 3 runs" | tee "$out/02-groups.txt"
}
# Errors made on purpose: found at their place, and nowhere else.
step_3()  { part 03-injected 400 "$UPSET" burn --self-test "$errors" --seed 17; }
# Clean runs: no alarm. Their number is in the record ("runs").
step_4()  { part 04-clean 585 "$UPSET" burn --level 1 --iterations "$rounds" --json "$out/04-clean.json"; }
# Each group of SMs left out: no work there, same results, how much slower.
step_5()  { part 05-without-each 150 "$UPSET" burn --without-each --json "$out/05-without-each.json"; }
# References of the CPU against the GPU: so many rounds that each unit's are 10^9,
# with other operands in each.
step_6()  {
    local pair
    for pair in fma:20 fp64:10 alu:5 mufu:5 imad:15 half:20 convert:5; do
        part "06-references-${pair%:*}" 60 "$UPSET" burn "${pair%:*}" --level 2 \
            --iterations "${pair#*:}" --json "$out/06-references-${pair%:*}.json"
    done
}
# March C- over 95 % of free memory, six backgrounds.
step_7()  { part 07-memory 60 "$UPSET" burn memory-march --level "${level:-2}" --json "$out/07-memory.json"; }
# Load that comes and goes, to once a second, and what NVML reads of it.
step_8()  { part 08-power 60 "$UPSET" burn pulses --level "${level:-2}" --json "$out/08-power.json" --trace "$out/08-power.csv"; }
# A temperature reached and held.
step_9()  { part 09-temperature 150 "$UPSET" burn thermal --level "${level:-3}" --json "$out/09-temperature.json" --trace "$out/09-temperature.csv"; }
# The portable tests through NVIDIA's OpenCL; with our copy of the loader where
# there is none.
step_10() {
    local places="${LD_LIBRARY_PATH:-}" vendors=()
    if ! ldconfig -p | grep -q 'libOpenCL\.so\.1'; then places="${places:+$places:}$kit"; fi
    if [[ ! -e /etc/OpenCL/vendors/nvidia.icd && -z "${OCL_ICD_VENDORS:-}" ]]; then
        mkdir -p "$out/vendors"
        echo libnvidia-opencl.so.1 >"$out/vendors/nvidia.icd"
        vendors=("OCL_ICD_VENDORS=$out/vendors")
    fi
    {
        ldconfig -p | grep -i opencl
        ls -l /etc/OpenCL/vendors "$out/vendors"
        find / -xdev -name 'libnvidia-opencl*' 2>/dev/null
    } >"$out/10-installed.txt" 2>&1
    part 10-opencl 40 env LD_LIBRARY_PATH="$places" "${vendors[@]}" "$UPSET" burn --opencl --json "$out/10-opencl.json"
    local code=$?
    rm -rf "$out/vendors"
    return "$code"
}
# PTX, compiled by the driver and checked.
step_11() { part 11-jit 30 "$UPSET" burn fma --jit --json "$out/11-jit.json"; }
# From a broken unit (made on purpose) to a program with NVIDIA's runtime linked
# in that runs without it.
step_12() {
    part 12-record 30 "$UPSET" burn fma --inject "sm=$sm,sub=2,lane=5,bit=29" --json "$out/12-record.json"
    part 12-plan 10 "$UPSET" quarantine plan "$out/12-record.json" --out "$out/12-plan.json" || return
    part 12-on-all 30 "${program[@]}" where
    part 12-without 30 "$UPSET" quarantine run --plan "$out/12-plan.json" -- "${program[@]}" where
}
# The same program on sets of SMs that share none.
step_13() { part 13-replay 60 "$UPSET" burn replay --json "$out/13-replay.json" -- "${program[@]}"; }

last=13
(($#)) || set -- $(seq "$last")
for step in "$@"; do
    [[ "$step" =~ ^[0-9]+$ ]] && ((step >= 1 && step <= last)) || { echo "no step $step: 1 to $last" >&2; exit 2; }
done
{
    date -u
    nvidia-smi --query-gpu=name,uuid,driver_version,vbios_version,clocks.max.sm,power.limit,ecc.mode.current,mig.mode.current --format=csv || true
} >>"$out/00-machine.txt" 2>&1
for step in "$@"; do
    echo "== step $step"
    "step_$step"
    echo "step $step ended with $?"
done
# One file, for places that give back few.
tar -C "$out" -czf "$out.tar.gz" . && echo "$out.tar.gz"
