#!/bin/sh
# Dumps the database once a day, and removes dumps that are older than BACKUP_KEEP_DAYS (docs/incidents/restore.md). The service
# `backup` of compose.yaml runs it; `backup.sh once` looks once and ends, for a scheduler of your own.
# pg_dump reads PGHOST, PGUSER, PGPASSWORD and PGDATABASE.
set -eu

folder=${BACKUP_FOLDER:-/var/lib/postgresql}
keep_days=${BACKUP_KEEP_DAYS:-14}

# A dump is complete or has another name, so nobody restores half of one.
dump() {
  name="$folder/tuppence-$(date -u +%Y%m%dT%H%M%SZ).dump"
  if pg_dump --format=custom --file="$name.part"; then
    mv "$name.part" "$name"
    echo "made $name"
  else
    rm -f "$name.part"
    echo "the dump failed; it is tried again" >&2
    return 1
  fi
}

newest_is_from_today() {
  # A little less than a day, so that the time of day does not wander.
  [ -n "$(find "$folder" -maxdepth 1 -name 'tuppence-*.dump' -mmin -1435)" ]
}

# Old dumps go only once there is a new one.
work() {
  newest_is_from_today || dump || return 1
  find "$folder" -maxdepth 1 -name 'tuppence-*.dump' -mmin "+$((keep_days * 1440))" -delete
}

if [ "${1:-}" = once ]; then
  work
  exit
fi
while :; do
  work || true
  sleep 300 &
  wait $!
done
