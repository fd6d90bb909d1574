/* Wildcard receives whose completion was not recorded: the messages that the other receives leave, sent first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/trace/trace_test.h"
#include "trace/spool/reader.h"

enum { CALLS = 5, ANY_TAG = -1 };

/* What spool_match() must make of a call of rank 1. */
struct expected {
    int32_t peer, tag;
    int64_t bytes;
};

/* A trace in which each receive of rank 1 says "peer=1" for MPI_ANY_SOURCE and "tag=99" for MPI_ANY_TAG. */
static const struct row {
    const char *text;
    struct expected calls[CALLS];
    size_t found;
} rows[] = {
    /* Rank 0's only message is the second receive's, so the first one has rank 2's, though that is sent later. */
    {"ranks 3\n"
     "0 1 2 MPI_Send comm=0 peer=1 tag=5 bytes=8\n"
     "1 0 0 MPI_Irecv comm=0 peer=1 tag=99 bytes=64 req=0\n"
     "1 3 4 MPI_Recv comm=0 peer=0 tag=5 bytes=8\n"
     "2 5 6 MPI_Send comm=0 peer=1 tag=7 bytes=16\n",
     {{2, 7, 16}, {0, 5, 8}},
     1},
    /* Two messages of rank 0 and one known receive, which is first: the wildcard has the second message, 24 bytes at 2
     * s, before rank 2's at 3 s; the next one has rank 2's; nothing is left for the last. */
    {"ranks 3\n"
     "0 1 1 MPI_Send comm=0 peer=1 tag=5 bytes=8\n"
     "0 2 2 MPI_Send comm=0 peer=1 tag=5 bytes=24\n"
     "1 0 1 MPI_Recv comm=0 peer=0 tag=5 bytes=8\n"
     "1 1 1 MPI_Irecv comm=0 peer=1 tag=99 bytes=64 req=0\n"
     "1 1 1 MPI_Irecv comm=0 peer=1 tag=99 bytes=64 req=1\n"
     "1 1 1 MPI_Irecv comm=0 peer=1 tag=99 bytes=64 req=2\n"
     "2 3 3 MPI_Send comm=0 peer=1 tag=7 bytes=16\n",
     {{0, 5, 8}, {0, 5, 24}, {2, 7, 16}, {-1, 99, 64}},
     2},
    /* Both are sent at 1 s: the lower rank's message is first. A receive with less room than the message keeps its own.
     */
    {"ranks 3\n"
     "0 1 1 MPI_Send comm=0 peer=1 tag=6 bytes=32\n"
     "1 0 0 MPI_Irecv comm=0 peer=1 tag=99 bytes=24 req=0\n"
     "1 0 0 MPI_Irecv comm=0 peer=1 tag=99 bytes=64 req=1\n"
     "2 1 1 MPI_Send comm=0 peer=1 tag=5 bytes=16\n",
     {{0, 6, 24}, {2, 5, 16}},
     2},
    /* 0 is a tag like any other: not that of what was sent first. */
    {"ranks 3\n"
     "0 1 1 MPI_Send comm=0 peer=1 tag=5 bytes=8\n"
     "1 0 0 MPI_Irecv comm=0 peer=1 tag=0 bytes=64 req=0\n"
     "2 3 3 MPI_Send comm=0 peer=1 tag=0 bytes=16\n",
     {{2, 0, 16}},
     1},
    /* By the sender alone, and by the tag alone: neither takes what was sent first, 8 bytes by rank 0 with tag 5. */
    {"ranks 3\n"
     "0 1 1 MPI_Send comm=0 peer=1 tag=5 bytes=8\n"
     "0 4 4 MPI_Send comm=0 peer=1 tag=6 bytes=9\n"
     "1 0 0 MPI_Irecv comm=0 peer=2 tag=99 bytes=64 req=0\n"
     "1 0 0 MPI_Irecv comm=0 peer=1 tag=6 bytes=64 req=1\n"
     "1 0 0 MPI_Irecv comm=0 peer=1 tag=99 bytes=64 req=2\n"
     "2 2 2 MPI_Send comm=0 peer=1 tag=5 bytes=10\n"
     "2 3 3 MPI_Send comm=0 peer=1 tag=6 bytes=11\n",
     {{2, 5, 10}, {2, 6, 11}, {0, 5, 8}},
     3},
    /* Another communicator's message, and one to another rank, are no candidates; that of MPI_Sendrecv is. Its receive
     * takes rank 2's first message with tag 5. */
    {"ranks 3\ncomm 1 ranks=0,1,2\n"
     "0 1 1 MPI_Send comm=1 peer=1 tag=5 bytes=8\n"
     "0 1 1 MPI_Send comm=0 peer=2 tag=5 bytes=9\n"
     "0 3 4 MPI_Sendrecv comm=0 peer=1 tag=6 source=2 recvtag=1 bytes=10 received=8\n"
     "1 0 0 MPI_Irecv comm=0 peer=1 tag=99 bytes=64 req=0\n"
     "1 0 4 MPI_Sendrecv comm=0 peer=2 tag=1 source=2 recvtag=5 bytes=8 received=11\n"
     "2 1 1 MPI_Send comm=0 peer=1 tag=5 bytes=11\n",
     {{0, 6, 10}, {2, 1, 8}},
     1},
    /* A receive in which the recording breaks off has got nothing: its message is the wildcard's. */
    {"ranks 2\n"
     "0 1 1 MPI_Send comm=0 peer=1 tag=5 bytes=8\n"
     "1 0 0 MPI_Irecv comm=0 peer=1 tag=99 bytes=64 req=0\n"
     "1 2 3 MPI_Recv comm=0 peer=0 tag=5 bytes=8 break=1\n",
     {{0, 5, 8}, {0, 5, 8}},
     1},
    /* A wildcard in which it breaks off has got nothing either, though a message is left. */
    {"ranks 2\n"
     "0 1 1 MPI_Send comm=0 peer=1 tag=5 bytes=8\n"
     "0 2 2 MPI_Send comm=0 peer=1 tag=5 bytes=9\n"
     "1 0 0 MPI_Irecv comm=0 peer=1 tag=99 bytes=64 req=0\n"
     "1 2 3 MPI_Irecv comm=0 peer=1 tag=99 bytes=64 req=1 break=1\n",
     {{0, 5, 8}, {-1, 99, 64}},
     1},
};

static void messages_that_others_leave(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2048];
        struct err err = {.text = ""};
        struct trace *trace;
        snprintf(text, sizeof text, "rmacast-trace 1\n%s", rows[i].text);
        if (read_text(text, &trace, &err) != STATUS_OK) fail_msg("row %zu: %s", i, err.text);
        struct trace_call *calls = trace->ranks[1].calls;
        for (size_t k = 0; k < trace->ranks[1].count; k++) {
            if (calls[k].call != ID_Irecv) continue;
            if (calls[k].peer == 1) calls[k].peer = SPOOL_PEER_ANY;
            if (calls[k].message.tag == 99) calls[k].message.tag = ANY_TAG;
        }
        const struct spool spool = {.unmatched = 1};
        assert_int_equal(spool_match(&spool, trace, &err), STATUS_OK);
        for (size_t k = 0; k < trace->ranks[1].count; k++) {
            const struct expected *one = &rows[i].calls[k];
            bool has_tag = calls[k].call == ID_Irecv && one->peer >= 0;
            if (calls[k].peer != one->peer || calls[k].bytes != one->bytes ||
                (has_tag && calls[k].message.tag != one->tag))
                fail_msg("row %zu, call %zu: %d bytes from %d, tag %d", i, k, (int)calls[k].bytes, (int)calls[k].peer,
                         (int)calls[k].message.tag);
        }
        char note[16];
        snprintf(note, sizeof note, "%zu receive", rows[i].found);
        assert_int_equal(trace->provenance.note_count, 1);
        assert_memory_equal(trace->provenance.notes[0], note, strlen(note));
        trace_free(trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(messages_that_others_leave)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
