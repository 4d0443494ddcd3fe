#!/usr/bin/env bash
# Makes ready what `make` needs; changes nothing that is already there.
#   scripts/setup.sh system    what comes from the system: a Python with venv, the libraries that Qt loads
#   scripts/setup.sh venv      .venv with the project and its development tools in it
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

missing_libraries() { # the packages whose files are not here
    local there wanted=$OFFSCREEN file package
    PATH="$PATH:/sbin:/usr/sbin" command -v ldconfig >/dev/null || return 0
    there=$(PATH="$PATH:/sbin:/usr/sbin" ldconfig -p)
    if has_display; then wanted+=$'\n'$WINDOW; fi
    while read -r file package; do
        grep -qF "$file " <<<"$there" || named_here "$package"
    done <<<"$wanted"
}

# -------------------------------------------------------------------------------------------------- Python

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
can_make_venv() { "$1" -c 'import venv, ensurepip' 2>/dev/null; }
has_venv() { .venv/bin/python -c 'import pip' 2>/dev/null; }

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

missing_python() { # the packages that bring a Python with venv
    local name
    if has_venv || find_python is_new_enough can_make_venv >/dev/null; then return 0; fi
    if name=$(find_python is_new_enough); then
        "$name" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])'
        return 0
    fi
    for name in python3.13 python3.12 python3.11; do
        known "$name-venv" && printf '%s\n' "$name" "$name-venv" && return 0
    done
    echo python3-venv
}

# ----------------------------------------------------------------------------------------------------- apt

known() { apt-cache show "$1" 2>/dev/null | grep -q '^Package:'; }

# Debian 13 and Ubuntu 24.04 renamed some libraries; take the name that this system knows.
named_here() {
    if known "$1t64"; then echo "$1t64"; else echo "$1"; fi
}

as_root=()
may_install() {
    [ "$(id -u)" -eq 0 ] && return 0
    command -v sudo >/dev/null || return 1
    as_root=(sudo)
    sudo -n true 2>/dev/null || [ -t 0 ]
}

missing() {
    missing_python
    missing_libraries
}

setup_system() {
    [ "$(uname)" = Linux ] || return 0
    local packages
    mapfile -t packages < <(missing)
    [ "${#packages[@]}" -gt 0 ] || return 0
    command -v apt-get >/dev/null || fail "Missing on this system, as Debian names it: ${packages[*]}"
    local line="sudo apt-get install ${packages[*]}"
    known libc6 || line="sudo apt-get update && $line"
    may_install || fail "Some system packages are missing. Type: $line"

    "${as_root[@]}" apt-get update -qq >&2 || say "apt-get update failed; going on with the lists at hand"
    mapfile -t packages < <(missing) # by the names of the fresh lists
    say "Installing ${packages[*]}"
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends \
        "${packages[@]}" >/dev/null || fail "That failed. Type: sudo apt-get install ${packages[*]}"
}

# ---------------------------------------------------------------------------------------------------- venv

setup_venv() {
    local python
    exec 9<scripts/setup.sh
    if command -v flock >/dev/null; then flock 9; fi # two makes at once: the second finds it done
    if [ .venv/ok -nt pyproject.toml ] && [ .venv/ok -nt scripts/setup.sh ] && has_venv; then return 0; fi
    if ! has_venv; then
        python=$(find_python is_new_enough can_make_venv) ||
            fail "Python 3.11 or newer with venv is needed: https://www.python.org/downloads/"
        say "Making .venv with $("$python" --version)"
        "$python" -m venv --clear .venv
    fi
    say "Installing Python packages into .venv"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input --editable ".[dev]"
    touch .venv/ok
}

case "${1:-}" in
system) setup_system ;;
venv) setup_venv ;;
*) fail "usage: scripts/setup.sh system|venv" ;;
esac
