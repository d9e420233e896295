#!/bin/sh
# The gpuFI-4 paper's study (docs/gpufi4-study.md) on three chips: a campaign for
# each application, a sample of it run again from cycle 0, and one report.
#
#     studies/ispass22.sh UPSET OUT
#     cargo xtask ispass22 OUT
#
# UPSET is the program, OUT a folder for stores and reports. The second command
# makes OUT/ispass22.html, the page with the paper's figures, and what the
# repository keeps. Stopped at any moment, the same command goes on. Variables:
#
#     RUNS     experiments per kernel, structure and number of bits (3000)
#     APPS     applications (all twelve; what the repository keeps of others stays)
#     CHIPS    chips, with commas (rtx2060,gv100,titan)
#     JOBS     worker processes (one per core)
#     VERIFY   experiments of each application that are run again, of those that
#              are not proved to be masked (167, 2,004 in all; 0: none)
#     DOORS    0: do not ask which failures of caches loads bring out
#     SHARD    I/N: run one part of every campaign, and no more; when all parts
#              are there, the same command without it joins them and goes on
set -eu
if [ $# -ne 2 ]; then
    echo "usage: [RUNS=n] [APPS='a b'] [CHIPS=a,b] [JOBS=n] [VERIFY=n] [DOORS=0] [SHARD=i/n] $0 UPSET OUT" >&2
    exit 2
fi
upset=$1 out=$2
spec=$(dirname "$0")/ispass22.toml
apps=${APPS:-va sp hs km srad1 srad2 lud bfs pathf nw ge bp}
sample=${VERIFY:-167}
mkdir -p "$out"

for app in $apps; do
    store=$out/$app.db
    set -- "$spec" --app "$app" --runs "${RUNS:-3000}" ${CHIPS:+--chip "$CHIPS"} \
        --go-on ${JOBS:+--jobs "$JOBS"} -q
    if [ -n "${SHARD:-}" ]; then
        part=$out/$app.part-$(echo "$SHARD" | sed 's|/|-of-|').db
        "$upset" campaign "$@" --shard "$SHARD" --out "$part"
        continue
    fi
    if [ ! -e "$store" ] && ls "$out/$app".part-*.db >/dev/null 2>&1; then
        "$upset" merge "$out/$app".part-*.db --out "$store"
    fi
    "$upset" campaign "$@" --out "$store"
    if [ "$sample" != 0 ] && [ ! -e "$out/$app.verified" ]; then
        "$upset" verify "$store" --how simulated,followed,converged --sample "$sample" \
            ${JOBS:+--jobs "$JOBS"} -q >"$out/$app.part" || { cat "$out/$app.part" >&2; exit 1; }
        mv "$out/$app.part" "$out/$app.verified"
        sed "s/^/$app: /" "$out/$app.verified"
    fi
    if [ "${DOORS:-1}" != 0 ] && [ ! -e "$out/$app.doors" ]; then
        "$upset" doors "$store" --json "$out/$app.part" -q
        mv "$out/$app.part" "$out/$app.doors"
    fi
    echo "$app done" >&2
done
if [ -z "${SHARD:-}" ]; then
    set --
    for app in $apps; do
        set -- "$@" "$out/$app.db"
    done
    "$upset" report "$@" --raw-fit chip --json "$out/ispass22.json" -q
    echo "$out/ispass22.json" >&2
fi
