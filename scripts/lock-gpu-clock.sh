#!/bin/sh
# Locks a GPU's SM clock while a command runs, and gives it back afterwards, however the command ends.
# For machines of one's own: a shared machine's clocks belong to all. Nothing is changed without --yes.
#
# usage: lock-gpu-clock.sh [--gpu N] [--clock MHZ] [--yes] [-- COMMAND …]
#
#   --gpu N       which GPU [0]
#   --clock MHZ   SM clock [the highest that the GPU holds: its default application clock]
#   --yes         really do it; without it the commands are only shown
#   COMMAND       run with the clock locked; without one the clock stays locked until reset-gpu-clock.sh
#
# exit code: COMMAND's; 2 wrong use; 3 not permitted or no GPU
set -eu

gpu=0
clock=
really=no

say() { printf '%s\n' "$*" >&2; }
usage() {
  say "error: lock-gpu-clock: $1"
  say "  try: lock-gpu-clock.sh --gpu 0 --clock 1410 --yes -- COMMAND"
  exit 2
}
is_number() { case "$1" in '' | *[!0-9]*) return 1 ;; esac; }

while [ $# -gt 0 ]; do
  case "$1" in
    --gpu) [ $# -ge 2 ] || usage "--gpu wants a number"; gpu=$2; shift 2 ;;
    --clock) [ $# -ge 2 ] || usage "--clock wants MHz"; clock=$2; shift 2 ;;
    --yes) really=yes; shift ;;
    --) shift; break ;;
    *) usage "no such flag: $1" ;;
  esac
done
is_number "$gpu" || usage "--gpu wants a number, not '$gpu'"
[ -z "$clock" ] || is_number "$clock" || usage "--clock wants MHz, not '$clock'"

smi=$(command -v nvidia-smi) || { say "error: lock-gpu-clock: there is no nvidia-smi"; exit 3; }
ask() { "$smi" -i "$gpu" --query-gpu="$1" --format=csv,noheader,nounits 2>/dev/null | head -n 1 | tr -d ' '; }

[ -n "$clock" ] || clock=$(ask clocks.default_applications.graphics)
is_number "${clock:-}" || clock=$(ask clocks.max.sm)
is_number "${clock:-}" || { say "error: lock-gpu-clock: GPU $gpu does not tell its clocks; name one with --clock"; exit 3; }

if [ "$really" = no ]; then
  say "would run: $smi -i $gpu --lock-gpu-clocks=$clock,$clock"
  [ $# -eq 0 ] || say "would run: $*"
  [ $# -eq 0 ] || say "would run: $smi -i $gpu --reset-gpu-clocks"
  say "nothing was changed; --yes does it"
  exit 0
fi
if [ "$(id -u)" -ne 0 ]; then
  say "error: lock-gpu-clock: changing clocks wants root"
  say "  try: sudo $0 …, on a machine of your own"
  exit 3
fi
# Other people's work would run at this clock, too.
busy=$("$smi" -i "$gpu" --query-compute-apps=pid --format=csv,noheader 2>/dev/null | grep -c . || true)
if [ "$busy" -gt 0 ]; then
  say "error: lock-gpu-clock: $busy other processes use GPU $gpu"
  say "  try: again when it is free"
  exit 3
fi

restore() { "$smi" -i "$gpu" --reset-gpu-clocks >&2 || say "error: lock-gpu-clock: the clock of GPU $gpu could not be given back: run reset-gpu-clock.sh --yes"; }
[ $# -eq 0 ] || trap restore EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP
"$smi" -i "$gpu" --lock-gpu-clocks="$clock,$clock" >&2 || { say "error: lock-gpu-clock: refused by the driver"; exit 3; }
if [ $# -eq 0 ]; then
  say "GPU $gpu is locked at $clock MHz until reset-gpu-clock.sh --yes"
  exit 0
fi
code=0
"$@" || code=$?
exit "$code"
