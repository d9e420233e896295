#!/bin/sh
# The gpuFI-4 study (docs/gpufi4-study.md), one store per application:
#
#     studies/papers.sh UPSET STORES OUT
#     cargo xtask study OUT
#
# UPSET is the program, STORES a folder for the stores, OUT one for what the page
# is made from. Stopped at any moment, the same command goes on. Variables:
#
#     RUNS     experiments per kernel and structure (3000)
#     APPS     applications (all twelve)
#     RESULTS  those also run with only their results compared (bp nw ge bfs)
#     JOBS     worker processes (one per core)
set -eu
if [ $# -ne 3 ]; then
    echo "usage: [RUNS=n] [APPS='a b'] [RESULTS='a b'] [JOBS=n] $0 UPSET STORES OUT" >&2
    exit 2
fi
upset=$1 stores=$2 out=$3
runs=${RUNS:-3000}
apps=${APPS:-va sp hs km srad1 srad2 lud bfs pathf nw ge bp}
results=${RESULTS:-bp nw ge bfs}
spec=$(dirname "$0")/papers.toml
mkdir -p "$stores" "$out"

# study STORE-NAME FLAG...: runs or resumes a campaign, then writes NAME.json.
study() {
    name=$1
    shift
    store=$stores/$name.db
    set -- "$spec" --runs "$runs" --out "$store" ${JOBS:+--jobs "$JOBS"} "$@"
    if [ -e "$store" ]; then
        set -- "$@" --resume
    fi
    "$upset" campaign "$@" -q
    if [ ! -e "$out/$name.json" ] || [ "$store" -nt "$out/$name.json" ]; then
        "$upset" doors "$store" --json "$out/$name.part" -q
        mv "$out/$name.part" "$out/$name.json"
    fi
    echo "$name done" >&2
}

for app in $apps; do
    study "$app" --app "$app"
done
for app in $results; do
    case " $apps " in
    *" $app "*) study "$app.results" --app "$app" --compare results ;;
    esac
done
