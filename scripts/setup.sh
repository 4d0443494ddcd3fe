#!/usr/bin/env bash
# Makes ready what `make` needs; changes nothing that is already there.
#   scripts/setup.sh libs    the system libraries that Qt loads
#   scripts/setup.sh venv    .venv with the project and its development tools in it
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '%s\n' "$*" >&2; }

fail() {
    say "$@"
    exit 1
}

has_display() {
    case "${QT_QPA_PLATFORM:-}" in offscreen | minimal) return 1 ;; esac
    [ "$(uname)" != Linux ] || [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]
}

# ------------------------------------------------------------------------------------ apt, if it may be used

as_root=()
may_install() {
    command -v apt-get >/dev/null || return 1
    [ "$(id -u)" -eq 0 ] && return 0
    command -v sudo >/dev/null || return 1
    as_root=(sudo)
    sudo -n true 2>/dev/null || [ -t 0 ]
}

refreshed=
refresh() {
    [ -n "$refreshed" ] && return 0
    refreshed=yes
    "${as_root[@]}" apt-get update -qq >&2 || say "apt-get update failed; going on with the package lists at hand"
}

apt_install() {
    say "Installing $*"
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

known() { apt-cache show "$1" 2>/dev/null | grep -q '^Package:'; }

# Debian 13 and Ubuntu 24.04 renamed some libraries; take the name that this system knows.
named_here() {
    if known "$1t64"; then echo "$1t64"; else echo "$1"; fi
}

# ------------------------------------------------------------------------------------------ Qt's libraries

# One a line: the file that Qt loads, the package that brings it.
OFFSCREEN="libglib-2.0.so.0 libglib2.0-0
libEGL.so.1 libegl1
libGL.so.1 libgl1
libxkbcommon.so.0 libxkbcommon0
libfontconfig.so.1 libfontconfig1
libdbus-1.so.3 libdbus-1-3
libgssapi_krb5.so.2 libgssapi-krb5-2"
WINDOW="libxkbcommon-x11.so.0 libxkbcommon-x11-0
libxcb-cursor.so.0 libxcb-cursor0
libxcb-icccm.so.4 libxcb-icccm4
libxcb-keysyms.so.1 libxcb-keysyms1
libxcb-shape.so.0 libxcb-shape0"

missing_packages() {
    local there
    there=$(PATH="$PATH:/sbin:/usr/sbin" ldconfig -p)
    while read -r file package; do
        grep -qF "$file " <<<"$there" || echo "$package"
    done <<<"$1"
}

setup_libs() {
    [ "$(uname)" = Linux ] && PATH="$PATH:/sbin:/usr/sbin" command -v ldconfig >/dev/null || return 0
    local wanted=$OFFSCREEN package
    if has_display; then wanted+=$'\n'$WINDOW; fi
    local packages=()
    mapfile -t packages < <(missing_packages "$wanted")
    [ "${#packages[@]}" -gt 0 ] || return 0

    if may_install; then
        refresh
        local names=()
        for package in "${packages[@]}"; do names+=("$(named_here "$package")"); done
        apt_install "${names[@]}" && return 0
        fail "Could not install them. Install by hand: ${names[*]}"
    fi
    if command -v apt-get >/dev/null; then
        local names=()
        for package in "${packages[@]}"; do names+=("$(named_here "$package")"); done
        fail "Qt needs some system libraries. Type:" "  sudo apt-get install ${names[*]}"
    fi
    fail "Qt needs some system libraries that are not here. Debian names them: ${packages[*]}"
}

# -------------------------------------------------------------------------------------- Python and the venv

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
can_make_venv() { "$1" -c 'import venv, ensurepip' 2>/dev/null; }

find_python() { # find_python TEST...: the first Python that passes all tests
    local name test
    for name in ${PYTHON:-python3 python3.13 python3.12 python3.11 python3.14 python /usr/bin/python3}; do
        command -v "$name" >/dev/null || continue
        for test in "$@"; do "$test" "$name" || continue 2; done
        echo "$name"
        return 0
    done
    return 1
}

apt_python() { # the packages that bring a Python with venv
    local name
    if name=$(find_python is_new_enough); then
        "$name" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])'
        return 0
    fi
    for name in python3.13 python3.12 python3.11; do
        if known "$name-venv"; then
            echo "$name $name-venv"
            return 0
        fi
    done
    return 1
}

usable_python() {
    local packages
    find_python is_new_enough can_make_venv && return 0
    if may_install; then
        refresh
        packages=$(apt_python) || fail "Python 3.11 or newer is needed; this system's apt has none."
        # shellcheck disable=SC2086
        apt_install $packages
        find_python is_new_enough can_make_venv && return 0
    fi
    if command -v apt-get >/dev/null && packages=$(apt_python); then
        fail "Python 3.11 or newer with venv is needed. Type:" "  sudo apt-get install $packages"
    fi
    fail "Python 3.11 or newer with venv is needed: https://www.python.org/downloads/"
}

setup_venv() {
    local python
    if ! .venv/bin/python -c 'import pip' 2>/dev/null; then
        python=$(usable_python)
        say "Making .venv with $("$python" --version)"
        "$python" -m venv --clear .venv
    fi
    say "Installing Python packages into .venv"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input --editable ".[dev]"
    touch .venv/ok
}

case "${1:-}" in
libs) setup_libs ;;
venv) setup_venv ;;
*) fail "usage: scripts/setup.sh libs|venv" ;;
esac
