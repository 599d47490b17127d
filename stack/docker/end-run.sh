#!/bin/sh
# Removes the containers of one run, with their volumes: end-run.sh <run id>
# Three times, because the engine may still have been creating one when its client was killed.
[ -n "$1" ] || exit 2
for _ in 1 2 3; do
  docker ps -aq --filter "label=session-events.run=$1" | xargs -r docker rm -fv >/dev/null 2>&1
  sleep 1
done
