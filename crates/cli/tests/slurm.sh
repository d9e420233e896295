#!/usr/bin/env bash
# Puts Slurm, which runs jobs on clusters, and GNU parallel into a folder:
# packages of Debian 12, downloaded and unpacked, nothing is installed. The tests
# of `upset slurm` start a cluster from it.
#
#   crates/cli/tests/slurm.sh FOLDER
set -euo pipefail
packages=(slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge libmunge2 libhwloc15
    liblua5.1-0 parallel)
folder="${1:?a folder}"
[[ -e "$folder/usr/sbin/slurmctld-wlm" ]] && exit 0
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
