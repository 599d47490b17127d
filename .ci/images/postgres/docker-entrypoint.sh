#!/usr/bin/env bash
# Stand-in for the public entry point. Reads POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB (each also *_FILE),
# POSTGRES_INITDB_ARGS, POSTGRES_HOST_AUTH_METHOD and /docker-entrypoint-initdb.d/*.sh|*.sql|*.sql.gz.
set -Eeuo pipefail
case ${1:--} in -*) set -- postgres "$@" ;; esac
[ "$1" = postgres ] || exec "$@"

if [ "$(id -u)" = 0 ]; then # PostgreSQL refuses to run as root
  mkdir -p "$PGDATA" /var/run/postgresql
  chmod 700 "$PGDATA"
  find "$PGDATA" \! -user postgres -exec chown postgres '{}' +
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  mkdir -p "$PGDATA"
  for name in POSTGRES_USER POSTGRES_PASSWORD POSTGRES_DB POSTGRES_INITDB_ARGS; do
    file=${name}_FILE
    [ -z "${!file-}" ] || export "$name=$(<"${!file}")"
  done
  : "${POSTGRES_USER:=postgres}" "${POSTGRES_PASSWORD=}" "${POSTGRES_HOST_AUTH_METHOD:=scram-sha-256}"
  : "${POSTGRES_DB:=$POSTGRES_USER}"
  if [ -z "$POSTGRES_PASSWORD" ] && [ "$POSTGRES_HOST_AUTH_METHOD" != trust ]; then
    echo 'Error: Database is uninitialized and superuser password is not specified.' >&2
    exit 1
  fi
  # eval, as in the public image: POSTGRES_INITDB_ARGS is a line of shell words
  eval 'initdb --username="$POSTGRES_USER" --encoding=UTF8 --pwfile=<(printf "%s\n" "$POSTGRES_PASSWORD") '"${POSTGRES_INITDB_ARGS-}"
  printf '\nhost all all all %s\n' "$POSTGRES_HOST_AUTH_METHOD" >>"$PGDATA/pg_hba.conf"
  echo "listen_addresses = '*'" >>"$PGDATA/postgresql.conf"
  echo "unix_socket_directories = '/var/run/postgresql'" >>"$PGDATA/postgresql.conf"

  # A temporary server on the socket only: nobody can connect from outside before the database is complete. As with the
  # public image 'ready to accept connections' is therefore logged twice on a fresh volume.
  pg_ctl -D "$PGDATA" -o "-c listen_addresses=''" -w start
  export PGPASSWORD=$POSTGRES_PASSWORD
  sql=(psql -v ON_ERROR_STOP=1 --no-psqlrc -h /var/run/postgresql --username "$POSTGRES_USER")
  [ "$POSTGRES_DB" = postgres ] || "${sql[@]}" --dbname postgres -q -v db="$POSTGRES_DB" <<<'CREATE DATABASE :"db";'
  sql+=(--dbname "$POSTGRES_DB")
  for file in /docker-entrypoint-initdb.d/*; do
    case $file in
      *.sh) if [ -x "$file" ]; then "$file"; else . "$file"; fi ;;
      *.sql) "${sql[@]}" -f "$file" ;;
      *.sql.gz) gunzip -c "$file" | "${sql[@]}" ;;
    esac
  done
  pg_ctl -D "$PGDATA" -m fast -w stop
  unset PGPASSWORD
  printf '\nPostgreSQL init process complete; ready for start up.\n\n'
fi
exec "$@"
