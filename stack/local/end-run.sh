#!/bin/sh
# Ends the servers of one local run and removes its folder: end-run.sh <run folder>
# Used by the guardian, by the sweep of the next start, and by hand for a stack that was kept.
folder=$1
case $folder in */.cache/runs/?*) ;; *) echo "not the folder of a run" >&2; exit 2 ;; esac
[ -d "$folder" ] || exit 0

# Process ids are reused: an id counts only while the command line of its process names the run's folder.
is_ours() {
  if [ -r /proc/self/cmdline ]; then
    grep -aqF -- "$folder" "/proc/$1/cmdline" 2>/dev/null
  else
    ps -o args= -p "$1" 2>/dev/null | grep -qF -- "$folder"
  fi
}
each() {
  for file in "$folder"/*.pid; do
    pid=$(cat "$file" 2>/dev/null) && [ -n "$pid" ] && is_ours "$pid" && "$@" "$pid"
  done
}
left() { [ -n "$(each echo)" ]; }

each kill -TERM
each kill -CONT # a paused process notices nothing until it goes on
tenths=0
while left && [ $tenths -lt 50 ]; do sleep 0.1; tenths=$((tenths + 1)); done
each kill -KILL
tenths=0
while left && [ $tenths -lt 50 ]; do sleep 0.1; tenths=$((tenths + 1)); done
rm -rf -- "$folder"
