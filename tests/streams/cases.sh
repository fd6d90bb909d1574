# cases.sh RUN_STREAMS RMACAST DIRECTORY: all hand-worked cases of ranks with one thread.
exec "$1" "$3" $(ls tests/cases/*/trace.txt | grep -v /threads_)
