#!/usr/bin/env bash
# Records what `upset burn` does on a real GPU into oracles/burn. Needs the
# program alone, neither cargo nor a compiler: UPSET names it, OUT the folder.
# Each part takes at most ten minutes; parts whose file is there are not run
# again, so that a machine that is taken away costs one part.
#
#   UPSET=./upset OUT=oracles/burn studies/burn-h200.sh [PART…]
set -uo pipefail
cd "$(dirname "$0")/.."
upset="${UPSET:-upset}"
out="${OUT:-oracles/burn}"
limit=600
mkdir -p "$out"

# One part: its file, then the command that prints it. A command that ends with
# 3 could not run something; its words are kept, and the part is tried again.
part() {
    local file="$out/$1"; shift
    [[ -s "$file" ]] && { echo "$file is there"; return; }
    timeout "$limit" "$@" >"$file.part" 2>"$file.said"
    local code=$?
    echo "exit code $code" >>"$file.said"
    cat "$file.said"
    if [[ $code == 0 || $code == 1 ]]; then mv "$file.part" "$file"; else return "$code"; fi
}

coverage()  { part coverage.json "$upset" burn --level 1 --json -; part probe.txt "$upset" burn --probe; }
injected()  { part injected.txt "$upset" burn --self-test 1000 --seed 17; }
clean()     { part clean.json "$upset" burn --level 1 --iterations 500 --json -; }
references() { part references.json "$upset" burn fma imad alu fp64 mufu convert half --level 2 --json -; }
opencl()    { part opencl.json "$upset" burn --opencl --level 1 --json -; }
jit()       { part jit.json "$upset" burn fma --jit --json -; }

# Every group of SMs left out in turn. The two SMs of the group are then not
# reached, and nothing else may be wrong: the record says which were.
excluded() {
    coverage
    local groups; groups=$(grep -c '^group ' "$out/probe.txt" 2>/dev/null || echo 0)
    for ((g = 0; g < groups; g++)); do
        local file="$out/excluded-$g.json"
        [[ -s "$file" ]] && continue
        timeout "$limit" "$upset" burn fma --leave-out "$g" --json "$file" >/dev/null 2>>"$out/excluded.said"
    done
}

parts=("$@")
[[ ${#parts[@]} == 0 ]] && parts=(coverage injected clean references excluded opencl jit)
for name in "${parts[@]}"; do
    case "$name" in
        coverage|injected|clean|references|excluded|opencl|jit) echo "== $name"; "$name" ;;
        *) echo "no part $name: coverage injected clean references excluded opencl jit" >&2; exit 2 ;;
    esac
done
