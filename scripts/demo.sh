#!/usr/bin/env bash
# The console on the demo. Without a display: the same demo in this terminal, and a picture of the console.
set -euo pipefail
cd "$(dirname "$0")/.."

picture=pilothouse-demo.png
case "$(uname)-${QT_QPA_PLATFORM:-}" in
*-offscreen | *-minimal) display= ;;
Linux-*) display=${DISPLAY:-}${WAYLAND_DISPLAY:-} ;;
*) display=yes ;;
esac

if [ -n "$display" ]; then
    exec .venv/bin/pilothouse demo
fi
echo "No display here: playing the demo in this terminal with a scripted operator; $picture will show the console."
.venv/bin/pilothouse demo --headless
.venv/bin/pilothouse shot console --story office --out "$picture"
