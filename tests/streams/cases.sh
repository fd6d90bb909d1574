# cases.sh RUN_STREAMS RMACAST DIRECTORY: all hand-worked cases of ranks with one thread, and one where parts must know of a probe.
exec "$1" "$3" tests/streams/taken_out.txt $(ls tests/cases/*/trace.txt | grep -v /threads_)
