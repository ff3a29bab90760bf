#!/usr/bin/env bash
# Functions that the scripts of this folder share. This file is sourced and not run.
set -euo pipefail

readonly house_root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
# These folders are separate from SwiftPM's own .build, so that the builds of an editor and of these scripts do not wait for each other.
readonly debug_build="$house_root/.build-debug"
# Tools/test sets GREENTEA_BUILD, so that the scripts that it starts use the build in which its tests run. In that build, tests can reach
# internal declarations, and there is no debug information, with which it takes much longer.
readonly release_build="${GREENTEA_BUILD:-$house_root/.build-release}"
release_options=(--package-path "$house_root" --scratch-path "$release_build" -c release)
[[ -z ${GREENTEA_BUILD:-} ]] || release_options+=(-Xswiftc -enable-testing -Xswiftc -gnone)
packages_needed=(liblmdb-dev libqrencode-dev libsqlite3-dev libgd-dev libpango1.0-dev fonts-noto-cjk libphonenumber-dev libzbar-dev
    libjs-leaflet pkg-config python3 python3-yaml)

# Prints a message for people on standard error, because standard output is for results.
say() { printf '%s\n' "$*" >&2; }

# Prints the seconds since the machine started. Unlike those of SECONDS, nobody can set this clock.
uptime_seconds() {
    local seconds
    read -r seconds _ </proc/uptime
    printf '%s' "${seconds%.*}"
}
readonly script_began=$(uptime_seconds)

# Prints the seconds since this script, or the moment $1 of the same clock, began.
seconds_since() { printf '%s' $(($(uptime_seconds) - ${1:-$script_began})); }

# Ends the script with an error that states a reason and a remedy.
refuse() {
    printf '%s: %s\n' "${0##*/}" "$1" >&2
    exit 2
}

# Installs missing system packages. If none is missing, it does nothing. On systems without dpkg, it only checks that the needed programs
# and libraries are present.
install_what_is_missing() {
    command -v swift >/dev/null || refuse "no swift on PATH: install Swift 6.3 (https://www.swift.org/install) and put its usr/bin on PATH."
    if ! command -v dpkg-query >/dev/null; then
        python3 -c "import yaml" 2>/dev/null || refuse "no python3 with PyYAML on PATH: install both."
        pkg-config --exists libqrencode sqlite3 gdlib zbar libjpeg libpng libwebpdemux pangocairo 2>/dev/null ||
            refuse "install pkg-config and what builds against LMDB, libqrencode, SQLite, libgd, libjpeg, libpng, libwebp, zbar, Pango."
        [[ -r ${GREENTEA_LEAFLET:-/usr/share/javascript/leaflet}/leaflet.esm.min.js ]] ||
            refuse "install Leaflet, and name its folder, with leaflet.esm.min.js and leaflet.css, in GREENTEA_LEAFLET."
        return 0
    fi
    local missing=() package
    for package in "${packages_needed[@]}"; do
        is_installed "$package" || missing+=("$package")
    done
    [[ ${#missing[@]} -gt 0 ]] || return 0
    if [[ $(id -u) -ne 0 ]] && ! command -v sudo >/dev/null; then
        refuse "packages are missing that only root can install: apt-get install ${missing[*]}"
    fi
    say "installing ${missing[*]}"
    quietly as_root apt-get update -qq
    # The run level keeps a package's own service from being started.
    quietly as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

as_root() {
    if [[ $(id -u) -eq 0 ]]; then "$@"; else sudo "$@"; fi
}

is_installed() {
    # On newer systems, the package pkgconf replaces pkg-config, so only the presence of the command is checked.
    case $1 in
        pkg-config | python3) command -v "$1" >/dev/null ;;
        python3-venv) python3 -c 'import ensurepip' 2>/dev/null ;;
        *) [[ $(dpkg-query -W -f '${Status}' "$1" 2>/dev/null) == "install ok installed" ]] ;;
    esac
}

# Runs a command and shows its output only if it fails.
quietly() {
    local output status=0
    output=$(mktemp)
    "$@" >"$output" 2>&1 || status=$?
    if [[ $status -ne 0 ]]; then
        tail -n 100 "$output" >&2
        say "${0##*/}: this failed with status $status: $*"
    fi
    rm -f "$output"
    return "$status"
}

# Runs a build as `quietly` does, and shows its progress.
building() {
    local status=0
    python3 "$house_root/Tools/lib/build_progress.py" "$@" || status=$?
    [[ $status -eq 0 ]] || say "${0##*/}: this failed with status $status: $*"
    return "$status"
}

readonly release_programs=(greentea greentea-audit greentea-replay greentea-rebuild greentea-load greentea-bench)

# build_release PROGRAM...: builds these programs, or all programs if none is named, quietly and only if they are out of date. Programs are
# built one by one, because a build of the whole package also builds programs of our dependencies, such as a Protocol Buffers compiler in
# C++.
build_release() {
    local program
    [[ -d $release_build ]] || say "building; the first time takes some minutes"
    [[ $# -gt 0 ]] || set -- "${release_programs[@]}"
    for program in "$@"; do
        building swift build "${release_options[@]}" --product "$program" || return
    done
}

# Prints the folder of release binaries.
release_binaries() { swift build "${release_options[@]}" --show-bin-path; }
