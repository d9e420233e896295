#!/bin/sh
# The study of counters that notice broken logic (docs/in-field.md): profiles of the
# seven applications, fresh inputs, the paper's two faults, and the campaigns.
#
#     studies/counters.sh UPSET OUT
#     cargo xtask counters OUT
#
# UPSET is the program, OUT a folder. Stopped at any moment, the same command goes
# on. Variables:
#
#     RUNS     experiments per application and structure (450)
#     FRESH    inputs that nothing was learned from, per application (3000)
#     JOBS     runs at a time (one per core)
set -eu
if [ $# -ne 2 ]; then
    echo "usage: [RUNS=n] [FRESH=n] [JOBS=n] $0 UPSET OUT" >&2
    exit 2
fi
upset=$1 out=$2
spec=$(dirname "$0")/counters.toml
apps="fft gray mmul reduce sobel sort tran"
jobs=${JOBS:+--jobs $JOBS}
mkdir -p "$out"

# made FILE COMMAND...: COMMAND writes FILE.part, which is FILE once it is whole.
# An alarm (1) is an answer.
made() {
    file=$1
    shift
    if [ ! -e "$file" ]; then
        "$@" "$file.part" >/dev/null || [ $? -eq 1 ]
        mv "$file.part" "$file"
    fi
}

profiles=
for app in $apps; do
    learn="$upset watch learn $app --chip flexgrip --scale paper $jobs"
    made "$out/$app.profile.json" $learn --inputs 100 --alpha 0.001 --out
    made "$out/$app.paper.json" $learn --method paper --out
    profiles=$profiles${profiles:+,}$out/$app.profile.json
    check="$upset watch check"
    made "$out/$app.fresh.json" $check "$out/$app.profile.json" "$app" $jobs \
        --inputs "${FRESH:-3000}" --seed 1000001 --json
    # The paper's tables have one fault each: a bit of the mask memory's port, and
    # one of the divergence unit's outputs.
    made "$out/$app.mask.json" $check "$out/$app.paper.json" "$app" --seed 1 \
        --fault 'stuck0 port:sm0.mask.bit4@0..' --json
    made "$out/$app.divergence.json" $check "$out/$app.paper.json" "$app" --seed 1 \
        --fault 'stuck1 div:sm0.sub0.taken.bit4@0..' --json
done

# campaign NAME FLAGS...
campaign() {
    store=$out/$1.db
    shift
    set -- "$spec" --watch "$profiles" --out "$store" $jobs "$@" -q
    if [ -e "$store" ]; then
        set -- "$@" --resume
    fi
    "$upset" campaign "$@"
    "$upset" export "$store" --out "${store%.db}.csv"
}
campaign cells --runs "${RUNS:-450}"
campaign columns --structure mask,pc,conv --spread column --runs "$((${RUNS:-450} / 4))"
"$upset" report "$out/cells.db" "$out/columns.db" --json "$out/report.json" --html "$out/report.html" -q
echo "$out/report.html" >&2
