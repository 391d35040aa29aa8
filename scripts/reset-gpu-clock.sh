#!/bin/sh
# Gives a GPU's SM clock back to the driver after lock-gpu-clock.sh. Nothing is changed without --yes.
#
# usage: reset-gpu-clock.sh [--gpu N] [--yes]
#
# exit code: 0 done or shown, 2 wrong use, 3 not permitted or no GPU
set -eu

gpu=0
really=no
say() { printf '%s\n' "$*" >&2; }
while [ $# -gt 0 ]; do
  case "$1" in
    --gpu) [ $# -ge 2 ] || { say "error: reset-gpu-clock: --gpu wants a number"; exit 2; }; gpu=$2; shift 2 ;;
    --yes) really=yes; shift ;;
    *) say "error: reset-gpu-clock: no such flag: $1"; say "  try: reset-gpu-clock.sh --gpu 0 --yes"; exit 2 ;;
  esac
done
case "$gpu" in '' | *[!0-9]*) say "error: reset-gpu-clock: --gpu wants a number, not '$gpu'"; exit 2 ;; esac
smi=$(command -v nvidia-smi) || { say "error: reset-gpu-clock: there is no nvidia-smi"; exit 3; }
if [ "$really" = no ]; then
  say "would run: $smi -i $gpu --reset-gpu-clocks"
  say "nothing was changed; --yes does it"
  exit 0
fi
if [ "$(id -u)" -ne 0 ]; then
  say "error: reset-gpu-clock: changing clocks wants root"
  say "  try: sudo $0 --gpu $gpu --yes, on a machine of your own"
  exit 3
fi
"$smi" -i "$gpu" --reset-gpu-clocks >&2 || { say "error: reset-gpu-clock: refused by the driver"; exit 3; }
