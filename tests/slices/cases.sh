# cases.sh RUN_SLICES RMACAST DIRECTORY: all hand-worked cases of ranks with one thread, one with a taken probe, two with
# intervals that some ranks do not enter, one with an interval that is entered again behind another, one with
# what is counted per call site and size, one where a later epoch decides what an operation waited for, one with blocks that
# other ranks have not for a rank, one where an unlock returns behind that of the next holder, one where an unlock_all does, one
# where a wait completes a message and a get, one where a call has waits of two rounds, one that ends inside a wait, one
# whose window sizes are read late, one that is refused, one of more ranks than the archive's reader has open at once, and one of
# which a note says that equal steps differ.
"$2" generate ring --ranks 260 --iterations 2 --sync p2p -o "$3/many.txt" || exit 1
"$2" generate halo2d --ranks 4 --iterations 40 --imbalance 60% --seed 3 -o "$3/steps.txt" || exit 1
sed -i '/^property generator/d; s/^ranks 4/&\nproperty core_waits=1/; s/ MPI_Win_start .*/& core_wait=0.000005/' "$3/steps.txt"
"$2" analyze "$3/steps.txt" --json - | grep -q "the fastest quarter of equal steps" || exit 1
exec "$1" "$3" tests/slices/taken_out.txt tests/slices/intervals_elsewhere.txt tests/slices/caused_elsewhere.txt \
  tests/slices/created_again.txt tests/slices/posts_in_one_call.txt tests/slices/blocks_elsewhere.txt \
  tests/slices/nested_unlocks.txt tests/slices/shared_released.txt tests/slices/mixed_waitall.txt \
  tests/slices/message_and_progress.txt \
  tests/slices/entered_again.txt tests/slices/wait_broken.txt tests/slices/sizes_late.txt tests/slices/refused.txt \
  "$3/many.txt" "$3/steps.txt" $(ls tests/cases/*/*.case | grep -v /threads/)
