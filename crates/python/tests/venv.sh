#!/usr/bin/env bash
# Makes a Python with what the tests of the package use: pandas, polars, matplotlib,
# Altair, tqdm, and maturin, which builds it.
#
#   crates/python/tests/venv.sh FOLDER
set -euo pipefail
packages=(pandas polars pyarrow matplotlib altair tqdm maturin)
folder="${1:?a folder}"
[[ -e "$folder/complete" ]] && exit 0
command -v python3 >/dev/null || { echo "no python3 here" >&2; exit 1; }
rm -rf "$folder"
python3 -m venv "$folder" >/dev/null || { echo "python3 cannot make a venv" >&2; exit 1; }
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check "${packages[@]}" ||
    { rm -rf "$folder"; echo "pip could not fetch ${packages[*]}" >&2; exit 1; }
touch "$folder/complete"
