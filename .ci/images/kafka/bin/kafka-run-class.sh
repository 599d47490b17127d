#!/usr/bin/env bash
# kafka-run-class.sh <main class> [arguments]; KAFKA_HEAP_OPTS, KAFKA_OPTS, KAFKA_LOG4J_OPTS and
# KAFKA_JVM_PERFORMANCE_OPTS mean what they mean in the distribution.
base=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
# The jars one by one, sorted: a class data archive holds only for the class path it was made with.
classpath=$(printf '%s:' "$base"/libs/*.jar)
archive=()
if [ -n "${ARCHIVE_MAKE-}" ]; then
  archive=(-XX:ArchiveClassesAtExit="$base/$ARCHIVE_MAKE.jsa")
elif [ -f "$base/${ARCHIVE_USE:-tools}.jsa" ]; then
  archive=(-XX:SharedArchiveFile="$base/${ARCHIVE_USE:-tools}.jsa" -Xshare:auto -Xlog:cds=off -Xlog:cds+dynamic=off)
fi
# shellcheck disable=SC2086 # the *_OPTS variables are lists of words
exec java "${archive[@]}" ${KAFKA_HEAP_OPTS:--Xmx256M} ${KAFKA_JVM_PERFORMANCE_OPTS:--XX:+UseSerialGC -XX:TieredStopAtLevel=1} \
  ${KAFKA_LOG4J_OPTS:--Dlog4j2.configurationFile=/etc/kafka/docker/tools-log4j2.yaml} -cp "${classpath%:}" ${KAFKA_OPTS-} "$@"
