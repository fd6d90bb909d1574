# cases.sh RUN_STREAMS RMACAST DIRECTORY: all hand-worked cases.
exec "$1" "$3" tests/cases/*/trace.txt
