#!/bin/sh
# SIFI's study (docs/sifi-study.md): one campaign, the ACE analysis of every
# application on every chip, and the report of both.
#
#     studies/sifi.sh UPSET OUT
#     cargo xtask sifi OUT/sifi.json
#
# UPSET is the program, OUT a folder for the store, the analyses and the report.
# Stopped at any moment, the same command goes on. Variables:
#
#     RUNS     experiments per application, chip and structure (10000)
#     JOBS     worker processes (one per core)
#     ACE      0: leave the ACE analysis out
set -eu
if [ $# -ne 2 ]; then
    echo "usage: [RUNS=n] [JOBS=n] [ACE=0] $0 UPSET OUT" >&2
    exit 2
fi
upset=$1 out=$2
spec=$(dirname "$0")/sifi.toml
apps="bins bits dct dwt fwt fw his mm mt qrs rg red sc urng"
one=hd7970:cu.count=1
chips="$one:chip.name=simd4
    $one:cu.simds=2:sgpr.per_simd=1024:chip.name=simd2
    $one:cu.simds=1:sgpr.per_simd=2048:chip.name=simd1"
mkdir -p "$out"

store=$out/sifi.db
set -- "$spec" --runs "${RUNS:-10000}" --out "$store" ${JOBS:+--jobs "$JOBS"}
if [ -e "$store" ]; then
    set -- "$@" --resume
fi
"$upset" campaign "$@" -q

set -- report "$store" --raw-fit sifi
if [ "${ACE:-1}" != 0 ]; then
    for app in $apps; do
        for chip in $chips; do
            file=$out/$app.${chip##*=}.json
            if [ ! -e "$file" ]; then
                "$upset" ace "$app" --chip "$chip" --scale paper -q --json "$file.part"
                mv "$file.part" "$file"
            fi
            set -- "$@" --ace "$file"
        done
    done
fi
"$upset" "$@" --json "$out/sifi.json" --html "$out/sifi.html" -q
echo "$out/sifi.json and $out/sifi.html" >&2
