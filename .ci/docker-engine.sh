#!/usr/bin/env bash
# Makes sure that a Docker engine answers, on a machine that may have none.
#   docker-engine.sh         start: nothing to do when one answers; else install what is missing and start dockerd
#   docker-engine.sh stop    stop the engine that this script started, and no other
set -euo pipefail

scratch=${TMPDIR:-/tmp}/session-ci
pidfile=$scratch/dockerd.pid
log=$scratch/dockerd.log
limit=60 # seconds until a started engine has to answer

say() { echo "docker engine: $*"; }
answers() { timeout 10 docker info >/dev/null 2>&1; }

# Process ids are reused, so an id from a file counts only while the process behind it is a dockerd.
own_pid() {
  local pid
  pid=$(cat "$pidfile" 2>/dev/null) || return 1
  [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = dockerd ] || return 1
  echo "$pid"
}

install_missing() {
  local packages=()
  # Debian's name for the engine is also the host of a registry, and no file here names one.
  local ending=io
  command -v dockerd >/dev/null || packages+=("docker.$ending")
  command -v iptables >/dev/null || packages+=(iptables)
  if [ ${#packages[@]} -gt 0 ]; then
    say "installing ${packages[*]}"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends "${packages[@]}" >"$scratch/apt.log" 2>&1 ||
      { tail -n 20 "$scratch/apt.log" >&2; say "installation failed" >&2; exit 1; }
  fi
  # Newer Debian releases ship the client as a package of its own.
  command -v docker >/dev/null || apt-get install -y -qq --no-install-recommends docker-cli >>"$scratch/apt.log" 2>&1
}

start() {
  if answers; then say "already answers, version $(docker version --format '{{.Server.Version}}')"; return; fi
  install_missing
  # The package may have started its own service just now; that one is not ours to stop.
  if answers; then say "started by its package"; return; fi
  if ! own_pid >/dev/null; then
    # A session of its own, so that neither a time limit nor Ctrl-C aimed at the caller ends the engine.
    # Descriptor 9 is the lock below; the engine must not keep it.
    setsid nohup dockerd >"$log" 2>&1 </dev/null 9>&- &
    echo $! >"$pidfile"
  fi
  local deadline=$((SECONDS + limit))
  until answers; do
    own_pid >/dev/null || { tail -n 20 "$log" >&2; say "dockerd ended, its log is $log" >&2; exit 1; }
    [ $SECONDS -lt $deadline ] || { tail -n 20 "$log" >&2; say "no answer after $limit s, its log is $log" >&2; exit 1; }
    sleep 0.5
  done
  say "started dockerd, process $(own_pid), version $(docker version --format '{{.Server.Version}}'), log $log"
}

stop() {
  local pid
  pid=$(own_pid) || { say "none of ours is running"; rm -f "$pidfile"; return; }
  kill "$pid"
  for _ in $(seq 60); do
    own_pid >/dev/null || { rm -f "$pidfile"; say "stopped process $pid"; return; }
    sleep 0.5
  done
  say "process $pid does not end" >&2
  exit 1
}

mkdir -p "$scratch"
exec 9>"$scratch/engine.lock" # two runs side by side must not start two engines
flock 9
case ${1:-start} in
  start) start ;;
  stop) stop ;;
  *) echo "usage: $0 [start|stop]" >&2; exit 2 ;;
esac
