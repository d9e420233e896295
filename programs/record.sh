#!/bin/sh
# Runs the built programs on the machine's own GPU and writes down how they end:
#
#   LD_LIBRARY_PATH=FOLDER_OF_LIBCUDART programs/record.sh BINARIES OUTPUT
#
# BINARIES is a folder that `cargo xtask programs build` filled. For each program
# OUTPUT gets NAME.stdout, NAME.stderr and NAME.exit (128 + n where signal n
# ended it, 124 where it ran longer than 20 seconds), and for the applications
# NAME.bytes with the raw outputs.
set -u
if [ $# -ne 2 ] || [ ! -d "$1" ]; then
    echo "usage: LD_LIBRARY_PATH=FOLDER_OF_LIBCUDART $0 BINARIES OUTPUT" >&2
    exit 2
fi
binaries=$(cd "$1" && pwd)
mkdir -p "$2/apps"
output=$(cd "$2" && pwd)
# A crashing program is expected here; its core is not wanted.
ulimit -c 0

# record NAME ARGUMENT...
record() {
    name=$1
    shift
    # Away from the caller's folder, should a program leave something behind.
    (cd "$output" && timeout 20 "$binaries/$name" "$@" >"$name.stdout" 2>"$name.stderr" </dev/null)
    echo $? >"$output/$name.exit"
    echo "$name $(cat "$output/$name.exit")"
}

for path in "$binaries"/*; do
    case $path in
    *.so) ;;
    *) [ -f "$path" ] && [ -x "$path" ] && record "$(basename "$path")" ;;
    esac
done
for path in "$binaries"/apps/*; do
    if [ -f "$path" ] && [ -x "$path" ]; then
        name=apps/$(basename "$path")
        record "$name" small 1 "$output/$name.bytes"
    fi
done
exit 0
