# cases.sh RUN_STREAMS RMACAST DIRECTORY: all hand-worked cases of ranks with one thread, one where parts must know of a
# probe, two with intervals that a part does not enter, one with what is counted per call site and size.
exec "$1" "$3" tests/streams/taken_out.txt tests/streams/intervals_elsewhere.txt tests/streams/caused_elsewhere.txt \
  tests/streams/created_again.txt $(ls tests/cases/*/trace.txt | grep -v /threads_)
