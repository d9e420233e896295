#!/usr/bin/env bash
# Puts pocl, an OpenCL for the host's processor, and the loader of OpenCL into a
# folder: packages of Debian 12, downloaded and unpacked, nothing is installed.
# The tests of `upset burn --opencl` run on it.
#
#   crates/cli/tests/pocl.sh FOLDER
set -euo pipefail
packages=(pocl-opencl-icd libpocl2 libpocl2-common ocl-icd-libopencl1 libhwloc15 libclang-cpp15
    libllvm15 libltdl7 libxml2 libz3-4 libedit2 libbsd0 libmd0 libicu72)
folder="${1:?a folder}"
[[ -e "$folder/etc/OpenCL/vendors/pocl.icd" ]] && exit 0
command -v apt-get dpkg-deb >/dev/null || { echo "no apt-get and dpkg-deb here" >&2; exit 1; }
new="$folder.new"
rm -rf "$new"
mkdir -p "$new/packages"
fetch() { (cd "$new/packages" && apt-get --quiet download "${packages[@]}") >"$new/said" 2>&1; }
# Lists of packages may be missing or old.
fetch || { [[ "$(id -u)" == 0 ]] && apt-get update >/dev/null 2>&1 && fetch; } || {
    tail -n 1 "$new/said" >&2
    rm -rf "$new"
    exit 1
}
for package in "$new"/packages/*.deb; do dpkg-deb -x "$package" "$new"; done
rm -rf "$new/packages" "$new/said" "$folder"
mv "$new" "$folder"
