#!/usr/bin/env bash
export ARCHIVE_USE=kafka KAFKA_HEAP_OPTS="${KAFKA_HEAP_OPTS:--Xmx1G -Xms1G}"
export KAFKA_JVM_PERFORMANCE_OPTS="${KAFKA_JVM_PERFORMANCE_OPTS:--server -XX:+UseG1GC -XX:MaxGCPauseMillis=20 -XX:+ExplicitGCInvokesConcurrent -Djava.awt.headless=true}"
config=/opt/kafka/config/log4j2.yaml
[ -f $config ] || config=/etc/kafka/docker/log4j2.yaml
export KAFKA_LOG4J_OPTS="${KAFKA_LOG4J_OPTS:--Dlog4j2.configurationFile=$config}"
exec "$(dirname "$0")/kafka-run-class.sh" kafka.Kafka "$@"
