#!/usr/bin/env bash
# What the tests use beside Node and Docker, from Debian's packages; what is there already is left alone.
set -euo pipefail

missing=()
need() { command -v "$1" >/dev/null 2>&1 || missing+=("$2"); }
need mvn maven
need java openjdk-17-jre-headless
need python3 python3
need kcat kcat
need zsh zsh
need fish fish
# The recipes are tried with the tools that people have.
need jq jq
need psql postgresql-client
need sqlite3 sqlite3
python3 -m pip --version >/dev/null 2>&1 || missing+=(python3-pip)

if [ ${#missing[@]} -eq 0 ]; then
  echo 'all there'
  exit 0
fi
echo "installing ${missing[*]}"
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
