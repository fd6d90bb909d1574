/* The records between Enter and Leave stand as Score-P writes them (its sources, adapters/mpi: which record before
 * the call, which after it, with what in it). otf2-print is the independent reader; the expected lists are written
 * by hand from the table in docs/format-otf2.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "otf2_test.h"
#include "sample.h"
#include "trace/otf2/otf2.h"
#include "trace_test.h"

struct record {
    const char *name;
    unsigned long long time_us;
    const char *details; /* stand in the record's line */
};

/* The records of one location are exactly these, ended by a NULL name. */
static void assert_records(const char *directory, int location, const struct record *expected)
{
    char options[16];
    snprintf(options, sizeof options, "-L %d", location);
    char *printed = otf2_print(directory, options), *rest = NULL;
    for (char *line = strtok_r(printed, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char name[64];
        unsigned long long place, time;
        if (sscanf(line, "%63[A-Z_] %llu %llu", name, &place, &time) != 3) continue;
        if (!expected->name) fail_msg("one record more than expected: %s", line);
        if (strcmp(name, expected->name) != 0 || time != expected->time_us * 1000000 ||
            !strstr(line, expected->details))
            fail_msg("expected %s at %llu us with \"%s\", got: %s", expected->name, expected->time_us,
                     expected->details, line);
        expected++;
    }
    if (expected->name) fail_msg("expected %s at %llu us, got no more records", expected->name, expected->time_us);
    free(printed);
}

static void check(const char *text, int location, const struct record *expected)
{
    char directory[TEMP_DIR_BYTES];
    struct err err = {.text = ""};
    struct trace *trace = trace_of(text);
    temp_dir_make(directory);
    if (otf2_write(trace, directory, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_records(directory, location, expected);
    trace_free(trace);
    temp_dir_remove(directory);
}

#define ENTER(time, name)                                                                                              \
    {                                                                                                                  \
        "ENTER", time, "\"" name "\""                                                                                  \
    }
#define LEAVE(time, name)                                                                                              \
    {                                                                                                                  \
        "LEAVE", time, "\"" name "\""                                                                                  \
    }

/* Ranks 0, 1, 2; window 1 over ranks 2, 0: world rank 2 is its rank 0. The put's and the get's origin know in
 * complete that they are done locally; unlock knows the target too, and only of operations to the unlocked target. */
static const struct record origin_records[] = {
    ENTER(1, "MPI_Win_allocate"),
    {"RMA_COLLECTIVE_BEGIN", 1, ""},
    {"RMA_WIN_CREATE", 2, "\"Win 0\" <0>"},
    {"RMA_COLLECTIVE_END", 2,
     "CREATE_HANDLE_AND_ALLOCATE, Window: \"Win 0\" <0>, Level of Synchronicity: {PROCESS}, Root: NONE"},
    LEAVE(2, "MPI_Win_allocate"),
    ENTER(3, "MPI_Win_start"),
    {"RMA_GROUP_SYNC", 4, "{PROCESS}, Window: \"Win 0\" <0>, Group: \"RMA group\""},
    LEAVE(4, "MPI_Win_start"),
    ENTER(5, "MPI_Put"),
    {"RMA_PUT", 5, "Window: \"Win 0\" <0>, Remote: 1 (\"Master thread 1\" <1>), Bytes: 8, Matching: 1"},
    LEAVE(6, "MPI_Put"),
    ENTER(7, "MPI_Get"),
    {"RMA_GET", 7, "Remote: 2 (\"Master thread 2\" <2>), Bytes: 4, Matching: 2"},
    LEAVE(8, "MPI_Get"),
    ENTER(9, "MPI_Win_complete"),
    {"RMA_OP_COMPLETE_NON_BLOCKING", 10, "Matching: 1"},
    {"RMA_OP_COMPLETE_NON_BLOCKING", 10, "Matching: 2"},
    {"RMA_GROUP_SYNC", 10, "{PROCESS, MEMORY}, Window: \"Win 0\" <0>, Group: \"RMA group\""},
    LEAVE(10, "MPI_Win_complete"),
    ENTER(11, "MPI_Win_lock"),
    {"RMA_REQUEST_LOCK", 11, "Window: \"Win 1\" <1>, Remote: 0 (\"Master thread 2\" <2>), Lock: 0, Type: EXCLUSIVE"},
    LEAVE(12, "MPI_Win_lock"),
    ENTER(13, "MPI_Accumulate"),
    {"RMA_ATOMIC", 13, "Remote: 0 (\"Master thread 2\" <2>), Type: ACCUMULATE, Sent: 8, Received: 0, Matching: 3"},
    LEAVE(14, "MPI_Accumulate"),
    ENTER(14, "MPI_Accumulate"),
    {"RMA_ATOMIC", 14, "Remote: 1 (\"Master thread 0\" <0>), Type: ACCUMULATE, Sent: 16, Received: 0, Matching: 4"},
    LEAVE(14, "MPI_Accumulate"),
    ENTER(15, "MPI_Win_unlock"),
    {"RMA_OP_COMPLETE_NON_BLOCKING", 16, "Matching: 3"},
    {"RMA_OP_COMPLETE_REMOTE", 16, "Matching: 3"},
    {"RMA_RELEASE_LOCK", 16, "Window: \"Win 1\" <1>, Remote: 0 (\"Master thread 2\" <2>), Lock: 0"},
    LEAVE(16, "MPI_Win_unlock"),
    ENTER(17, "MPI_Win_fence"),
    {"RMA_COLLECTIVE_BEGIN", 17, ""},
    {"RMA_COLLECTIVE_END", 18, "BARRIER, Window: \"Win 0\" <0>, Level of Synchronicity: {PROCESS, MEMORY}"},
    LEAVE(18, "MPI_Win_fence"),
    ENTER(19, "MPI_Win_free"),
    {"RMA_COLLECTIVE_BEGIN", 19, ""},
    {"RMA_WIN_DESTROY", 20, "\"Win 0\" <0>"},
    {"RMA_COLLECTIVE_END", 20, "DESTROY_HANDLE_AND_DEALLOCATE"},
    LEAVE(20, "MPI_Win_free"),
    {0},
};

/* A test says no, then yes; a wait without a post names no group. */
static const struct record target_records[] = {
    ENTER(1, "MPI_Win_post"),
    {"RMA_GROUP_SYNC", 2, "{PROCESS}, Window: \"Win 0\" <0>, Group: \"RMA group\""},
    LEAVE(2, "MPI_Win_post"),
    ENTER(3, "MPI_Win_test"),
    {"RMA_GROUP_SYNC", 4, "Level of Synchronicity: NONE, Window: \"Win 0\" <0>, Group: \"RMA group\""},
    LEAVE(4, "MPI_Win_test"),
    ENTER(5, "MPI_Win_test"),
    {"RMA_GROUP_SYNC", 6, "{PROCESS, MEMORY}, Window: \"Win 0\" <0>, Group: \"RMA group\""},
    LEAVE(6, "MPI_Win_test"),
    ENTER(7, "MPI_Win_wait"),
    {"RMA_GROUP_SYNC", 8, "{PROCESS, MEMORY}, Window: \"Win 0\" <0>, Group: UNDEFINED"},
    LEAVE(8, "MPI_Win_wait"),
    {0},
};

/* Receives say whom from only when done; what never completes is told behind the last call. To MPI_PROC_NULL goes
 * nothing. */
static const struct record messages_records[] = {
    ENTER(1, "MPI_Ssend"),
    {"MPI_SEND", 1, "Receiver: 1 (\"Master thread 1\" <1>), Communicator: \"MPI_COMM_WORLD\" <0>, Tag: 7, Length: 64"},
    LEAVE(2, "MPI_Ssend"),
    ENTER(3, "MPI_Recv"),
    {"MPI_RECV", 4, "Sender: 0 (\"Master thread 1\" <1>), Communicator: \"Comm 1\" <1>, Tag: 8, Length: 32"},
    LEAVE(4, "MPI_Recv"),
    ENTER(5, "MPI_Isend"),
    {"MPI_ISEND", 5,
     "Receiver: 1 (\"Master thread 1\" <1>), Communicator: \"MPI_COMM_WORLD\" <0>, Tag: 9, Length: 16, "
     "Request: 10"},
    LEAVE(6, "MPI_Isend"),
    ENTER(6, "MPI_Irecv"),
    {"MPI_IRECV_REQUEST", 6, "Request: 11"},
    LEAVE(7, "MPI_Irecv"),
    ENTER(7, "MPI_Irecv"),
    {"MPI_IRECV_REQUEST", 7, "Request: 12"},
    LEAVE(7, "MPI_Irecv"),
    ENTER(7, "MPI_Send"),
    LEAVE(7, "MPI_Send"),
    ENTER(8, "MPI_Test"),
    {"MPI_REQUEST_TEST", 9, "Request: 11"},
    LEAVE(9, "MPI_Test"),
    ENTER(10, "MPI_Waitall"),
    {"MPI_IRECV", 11,
     "Sender: 1 (\"Master thread 1\" <1>), Communicator: \"MPI_COMM_WORLD\" <0>, Tag: 3, Length: 8, Request: 11"},
    {"MPI_ISEND_COMPLETE", 11, "Request: 10"},
    LEAVE(11, "MPI_Waitall"),
    {"MPI_REQUEST_TEST", 11, "Request: 12"},
    {0},
};

/* Three ranks, blocks of 8 bytes: the root of a gather sends its own block and receives three, the others send one;
 * each rank of an all-to-all sends and receives three. Communicator 1 has world rank 1 as its rank 0. */
static const struct record collectives_records[] = {
    ENTER(1, "MPI_Barrier"),
    {"MPI_COLLECTIVE_BEGIN", 1, ""},
    {"MPI_COLLECTIVE_END", 2, "BARRIER, Communicator: \"MPI_COMM_WORLD\" <0>, Root: NONE, Sent: 0, Received: 0"},
    LEAVE(2, "MPI_Barrier"),
    ENTER(3, "MPI_Gather"),
    {"MPI_COLLECTIVE_BEGIN", 3, ""},
    {"MPI_COLLECTIVE_END", 4,
     "GATHER, Communicator: \"MPI_COMM_WORLD\" <0>, Root: 0 (\"Master thread 0\" <0>), Sent: 8, Received: 24"},
    LEAVE(4, "MPI_Gather"),
    ENTER(5, "MPI_Bcast"),
    {"MPI_COLLECTIVE_BEGIN", 5, ""},
    {"MPI_COLLECTIVE_END", 6,
     "BCAST, Communicator: \"Comm 1\" <1>, Root: 0 (\"Master thread 1\" <1>), Sent: 0, Received: 8"},
    LEAVE(6, "MPI_Bcast"),
    ENTER(7, "MPI_Alltoall"),
    {"MPI_COLLECTIVE_BEGIN", 7, ""},
    {"MPI_COLLECTIVE_END", 8, "ALLTOALL, Communicator: \"MPI_COMM_WORLD\" <0>, Root: NONE, Sent: 24, Received: 24"},
    LEAVE(8, "MPI_Alltoall"),
    ENTER(9, "MPI_Comm_split"),
    {"MPI_COLLECTIVE_BEGIN", 9, ""},
    {"COMM_CREATE", 10, "\"Comm 1\" <1>"},
    {"MPI_COLLECTIVE_END", 10, "CREATE_HANDLE, Communicator: \"MPI_COMM_WORLD\" <0>"},
    LEAVE(10, "MPI_Comm_split"),
    ENTER(11, "MPI_Comm_free"),
    {"MPI_COLLECTIVE_BEGIN", 11, ""},
    {"COMM_DESTROY", 12, "\"Comm 1\" <1>"},
    {"MPI_COLLECTIVE_END", 12, "DESTROY_HANDLE, Communicator: \"Comm 1\" <1>"},
    LEAVE(12, "MPI_Comm_free"),
    ENTER(13, "exchange"),
    LEAVE(14, "exchange"),
    ENTER(15, "MPI_Ibcast"),
    {"NON_BLOCKING_COLLECTIVE_REQUEST", 15, "Request: 7"},
    LEAVE(16, "MPI_Ibcast"),
    ENTER(17, "MPI_Wait"),
    {"NON_BLOCKING_COLLECTIVE_COMPLETE", 18,
     "BCAST, Communicator: \"Comm 1\" <1>, Root: 0 (\"Master thread 1\" <1>), Sent: 0, Received: 8, Request: 7"},
    LEAVE(18, "MPI_Wait"),
    {0},
};

/* OpenSHMEM: a put is done here when it returns and there with the quiet; a non-blocking one is done nowhere before;
 * what waits for an answer is done when it returns. The barrier of ranks that no window has is a collective of them. */
static const struct record symmetric_records[] = {
    ENTER(1, "shmem_put"),
    {"RMA_PUT", 1, "Window: \"Win 0\" <0>, Remote: 1 (\"Master thread 1\" <1>), Bytes: 64, Matching: 1"},
    {"RMA_OP_COMPLETE_BLOCKING", 2, "Window: \"Win 0\" <0>, Matching: 1"},
    LEAVE(2, "shmem_put"),
    ENTER(2, "shmem_put_nbi"),
    {"RMA_PUT", 2, "Bytes: 32, Matching: 2"},
    LEAVE(3, "shmem_put_nbi"),
    ENTER(3, "shmem_get"),
    {"RMA_GET", 3, "Bytes: 16, Matching: 3"},
    {"RMA_OP_COMPLETE_BLOCKING", 4, "Matching: 3"},
    LEAVE(4, "shmem_get"),
    ENTER(4, "shmem_quiet"),
    {"RMA_OP_COMPLETE_REMOTE", 5, "Matching: 1"},
    {"RMA_OP_COMPLETE_NON_BLOCKING", 5, "Matching: 2"},
    {"RMA_OP_COMPLETE_REMOTE", 5, "Matching: 2"},
    LEAVE(5, "shmem_quiet"),
    ENTER(5, "shmem_atomic_swap"),
    {"RMA_ATOMIC", 5, "Type: SWAP, Sent: 8, Received: 8, Matching: 4"},
    {"RMA_OP_COMPLETE_BLOCKING", 6, "Matching: 4"},
    LEAVE(6, "shmem_atomic_swap"),
    ENTER(6, "shmem_atomic_inc"),
    {"RMA_ATOMIC", 6, "Type: INCREMENT, Sent: 8, Received: 0, Matching: 5"},
    {"RMA_OP_COMPLETE_BLOCKING", 7, "Matching: 5"},
    LEAVE(7, "shmem_atomic_inc"),
    ENTER(7, "shmem_get_nbi"),
    {"RMA_GET", 7, "Bytes: 4, Matching: 6"},
    LEAVE(8, "shmem_get_nbi"),
    ENTER(8, "shmem_sync_all"),
    {"RMA_COLLECTIVE_BEGIN", 8, ""},
    {"RMA_COLLECTIVE_END", 9, "BARRIER, Window: \"Win 0\" <0>, Level of Synchronicity: {PROCESS}, Root: NONE"},
    LEAVE(9, "shmem_sync_all"),
    ENTER(9, "shmem_barrier_all"),
    {"RMA_COLLECTIVE_BEGIN", 9, ""},
    {"RMA_OP_COMPLETE_REMOTE", 10, "Matching: 5"},
    {"RMA_OP_COMPLETE_NON_BLOCKING", 10, "Matching: 6"},
    {"RMA_COLLECTIVE_END", 10, "BARRIER, Window: \"Win 0\" <0>, Level of Synchronicity: {PROCESS, MEMORY}"},
    LEAVE(10, "shmem_barrier_all"),
    ENTER(10, "shmem_atomic_fetch_add"),
    {"RMA_ATOMIC", 10, "Type: FETCH_AND_ADD, Sent: 8, Received: 8, Matching: 7"},
    {"RMA_OP_COMPLETE_BLOCKING", 11, "Matching: 7"},
    LEAVE(11, "shmem_atomic_fetch_add"),
    ENTER(11, "shmem_put_nbi"),
    {"RMA_PUT", 11, "Bytes: 2, Matching: 8"},
    LEAVE(11, "shmem_put_nbi"),
    ENTER(12, "shmem_barrier"),
    {"MPI_COLLECTIVE_BEGIN", 12, ""},
    {"RMA_OP_COMPLETE_NON_BLOCKING", 13, "Matching: 8"},
    {"RMA_OP_COMPLETE_REMOTE", 13, "Matching: 8"},
    {"MPI_COLLECTIVE_END", 13, "BARRIER, Communicator: \"Comm 1\" <1>, Root: NONE, Sent: 0, Received: 0"},
    LEAVE(13, "shmem_barrier"),
    ENTER(14, "shmem_p"),
    {"RMA_PUT", 14, "Bytes: 8, Matching: 9"},
    {"RMA_OP_COMPLETE_BLOCKING", 15, "Matching: 9"},
    LEAVE(15, "shmem_p"),
    ENTER(15, "shmem_finalize"),
    {"RMA_OP_COMPLETE_REMOTE", 16, "Matching: 9"},
    LEAVE(16, "shmem_finalize"),
    {0},
};

/* A lock is one for all; a test that does not get it has only tried. */
static const struct record symmetric_locks_records[] = {
    ENTER(1, "shmem_put"),
    {"RMA_PUT", 1, "Matching: 1"},
    {"RMA_OP_COMPLETE_BLOCKING", 2, "Matching: 1"},
    LEAVE(2, "shmem_put"),
    ENTER(3, "shmem_test_lock"),
    {"RMA_TRY_LOCK", 4, "Window: \"Win 0\" <0>, Remote: UNDEFINED, Lock: 5, Type: EXCLUSIVE"},
    LEAVE(4, "shmem_test_lock"),
    ENTER(5, "shmem_test_lock"),
    {"RMA_REQUEST_LOCK", 5, "Lock: 5, Type: EXCLUSIVE"},
    {"RMA_ACQUIRE_LOCK", 6, "Lock: 5, Type: EXCLUSIVE"},
    LEAVE(6, "shmem_test_lock"),
    ENTER(7, "shmem_set_lock"),
    {"RMA_REQUEST_LOCK", 7, "Remote: UNDEFINED, Lock: 2, Type: EXCLUSIVE"},
    {"RMA_ACQUIRE_LOCK", 8, "Remote: UNDEFINED, Lock: 2, Type: EXCLUSIVE"},
    LEAVE(8, "shmem_set_lock"),
    ENTER(9, "shmem_clear_lock"),
    {"RMA_OP_COMPLETE_REMOTE", 10, "Matching: 1"},
    {"RMA_RELEASE_LOCK", 10, "Window: \"Win 0\" <0>, Remote: UNDEFINED, Lock: 5"},
    LEAVE(10, "shmem_clear_lock"),
    {0},
};

/* Thread 1 asks for the mutex first and gets it second; the wait for the condition lets it go for a
 * while. Of the read-write lock the writer has records, the reader none. Rank 0 has no threads: the team of rank 1 is
 * the first behind the communicators, its members are locations 1 and 2. */
static const char threads_text[] = "rmacast-trace 1\nranks 2\n"
                                   "0 0.000001 0.000002 MPI_Init\n"
                                   "1 0.000001 0.000002 pthread_create child=1\n"
                                   "1 0.000002 0.000002 pthread_create child=-\n"
                                   "1 0.000003 0.000003 thread_begin thread=1\n"
                                   "1 0.000004 0.000009 pthread_mutex_lock object=7 thread=1\n"
                                   "1 0.000005 0.000006 pthread_mutex_trylock object=7 flag=1\n"
                                   "1 0.000007 0.000008 pthread_mutex_unlock object=7\n"
                                   "1 0.000008 0.000009 pthread_mutex_trylock object=7 flag=0\n"
                                   "1 0.000009 0.000012 pthread_mutex_lock object=7\n"
                                   "1 0.000010 0.000015 pthread_cond_wait object=3 mutex=7 thread=1\n"
                                   "1 0.000013 0.000014 pthread_mutex_unlock object=7\n"
                                   "1 0.000016 0.000017 pthread_mutex_unlock object=7 thread=1\n"
                                   "1 0.000018 0.000018 thread_end thread=1\n"
                                   "1 0.000018 0.000019 pthread_join child=1\n"
                                   "1 0.000020 0.000021 pthread_rwlock_rdlock object=8\n"
                                   "1 0.000021 0.000022 pthread_rwlock_unlock object=8\n"
                                   "1 0.000022 0.000023 pthread_rwlock_timedwrlock object=8 flag=1\n"
                                   "1 0.000024 0.000025 pthread_spin_lock object=9\n"
                                   "1 0.000026 0.000027 pthread_rwlock_unlock object=8\n"
                                   "1 0.000028 0.000028 pthread_mutex_lock object=11\n"
                                   "1 0.000028 0.000028 pthread_mutex_unlock object=11\n"
                                   "1 0.000028 0.000028 pthread_mutex_lock object=11\n";

static const struct record master_records[] = {
    ENTER(1, "pthread_create"),
    {"THREAD_CREATE", 1, "Thread Contingent: \"Threads of rank 1\" <1>, Sequence Count: 1"},
    LEAVE(2, "pthread_create"),
    ENTER(2, "pthread_create"),
    LEAVE(2, "pthread_create"),
    ENTER(5, "pthread_mutex_trylock"),
    {"THREAD_ACQUIRE_LOCK", 6, "Model: \"Pthread\" <7>, Lock: 7, Acquisition Order: 1"},
    LEAVE(6, "pthread_mutex_trylock"),
    ENTER(7, "pthread_mutex_unlock"),
    {"THREAD_RELEASE_LOCK", 7, "Lock: 7, Acquisition Order: 1"},
    LEAVE(8, "pthread_mutex_unlock"),
    ENTER(8, "pthread_mutex_trylock"),
    LEAVE(9, "pthread_mutex_trylock"),
    ENTER(9, "pthread_mutex_lock"),
    {"THREAD_ACQUIRE_LOCK", 12, "Lock: 7, Acquisition Order: 3"},
    LEAVE(12, "pthread_mutex_lock"),
    ENTER(13, "pthread_mutex_unlock"),
    {"THREAD_RELEASE_LOCK", 13, "Lock: 7, Acquisition Order: 3"},
    LEAVE(14, "pthread_mutex_unlock"),
    ENTER(18, "pthread_join"),
    {"THREAD_WAIT", 19, "Thread Contingent: \"Threads of rank 1\" <1>, Sequence Count: 1"},
    LEAVE(19, "pthread_join"),
    ENTER(20, "pthread_rwlock_rdlock"),
    LEAVE(21, "pthread_rwlock_rdlock"),
    ENTER(21, "pthread_rwlock_unlock"),
    LEAVE(22, "pthread_rwlock_unlock"),
    ENTER(22, "pthread_rwlock_timedwrlock"),
    {"THREAD_ACQUIRE_LOCK", 23, "Lock: 8, Acquisition Order: 1"},
    LEAVE(23, "pthread_rwlock_timedwrlock"),
    ENTER(24, "pthread_spin_lock"),
    {"THREAD_ACQUIRE_LOCK", 25, "Lock: 9, Acquisition Order: 1"},
    LEAVE(25, "pthread_spin_lock"),
    ENTER(26, "pthread_rwlock_unlock"),
    {"THREAD_RELEASE_LOCK", 26, "Lock: 8, Acquisition Order: 1"},
    LEAVE(27, "pthread_rwlock_unlock"),
    ENTER(28, "pthread_mutex_lock"), /* at one time: in the order of the calls */
    {"THREAD_ACQUIRE_LOCK", 28, "Lock: 11, Acquisition Order: 1"},
    LEAVE(28, "pthread_mutex_lock"),
    ENTER(28, "pthread_mutex_unlock"),
    {"THREAD_RELEASE_LOCK", 28, "Lock: 11, Acquisition Order: 1"},
    LEAVE(28, "pthread_mutex_unlock"),
    ENTER(28, "pthread_mutex_lock"),
    {"THREAD_ACQUIRE_LOCK", 28, "Lock: 11, Acquisition Order: 2"},
    LEAVE(28, "pthread_mutex_lock"),
    {0},
};
static const struct record child_records[] = {
    ENTER(3, "thread_begin"),
    {"THREAD_BEGIN", 3, "Thread Contingent: \"Threads of rank 1\" <1>, Sequence Count: 1"},
    LEAVE(3, "thread_begin"),
    ENTER(4, "pthread_mutex_lock"),
    {"THREAD_ACQUIRE_LOCK", 9, "Lock: 7, Acquisition Order: 2"},
    LEAVE(9, "pthread_mutex_lock"),
    ENTER(10, "pthread_cond_wait"),
    {"THREAD_RELEASE_LOCK", 10, "Lock: 7, Acquisition Order: 2"},
    {"THREAD_ACQUIRE_LOCK", 15, "Lock: 7, Acquisition Order: 4"},
    LEAVE(15, "pthread_cond_wait"),
    ENTER(16, "pthread_mutex_unlock"),
    {"THREAD_RELEASE_LOCK", 16, "Lock: 7, Acquisition Order: 4"},
    LEAVE(17, "pthread_mutex_unlock"),
    ENTER(18, "thread_end"),
    {"THREAD_END", 18, "Thread Contingent: \"Threads of rank 1\" <1>, Sequence Count: 1"},
    LEAVE(18, "thread_end"),
    {0},
};

/* The records that the calls of a trace become. */
static const struct row {
    const char *text;
    int location;
    const struct record *records;
} rows[] = {
    {"rmacast-trace 1\nranks 3\ncomm 1 ranks=2,0\nwindow 0 comm=0\nwindow 1 comm=1\n"
     "0 0.000001 0.000002 MPI_Win_allocate win=0\n"
     "0 0.000003 0.000004 MPI_Win_start win=0 group=1,2 assert=NOCHECK\n"
     "0 0.000005 0.000006 MPI_Put win=0 target=1 bytes=8 disp=16\n"
     "0 0.000007 0.000008 MPI_Get win=0 target=2 bytes=4\n"
     "0 0.000009 0.000010 MPI_Win_complete win=0\n"
     "0 0.000011 0.000012 MPI_Win_lock win=1 target=2 lock=exclusive\n"
     "0 0.000013 0.000014 MPI_Accumulate win=1 target=2 bytes=8 op=SUM\n"
     "0 0.000014 0.000014 MPI_Accumulate win=1 target=0 bytes=16 op=SUM\n"
     "0 0.000015 0.000016 MPI_Win_unlock win=1 target=2\n"
     "0 0.000017 0.000018 MPI_Win_fence win=0 assert=NOSUCCEED\n"
     "0 0.000019 0.000020 MPI_Win_free win=0\n",
     0, origin_records},
    {"rmacast-trace 1\nranks 2\nwindow 0 comm=0\n"
     "1 0.000001 0.000002 MPI_Win_post win=0 group=0\n"
     "1 0.000003 0.000004 MPI_Win_test win=0 flag=0\n"
     "1 0.000005 0.000006 MPI_Win_test win=0 flag=1\n"
     "1 0.000007 0.000008 MPI_Win_wait win=0\n",
     1, target_records},
    {"rmacast-trace 1\nranks 2\ncomm 1 ranks=1,0\n"
     "0 0.000001 0.000002 MPI_Ssend comm=0 peer=1 tag=7 bytes=64\n"
     "0 0.000003 0.000004 MPI_Recv comm=1 peer=1 tag=8 bytes=32\n"
     "0 0.000005 0.000006 MPI_Isend comm=0 peer=1 tag=9 bytes=16 req=10\n"
     "0 0.000006 0.000007 MPI_Irecv comm=0 peer=1 tag=3 bytes=8 req=11\n"
     "0 0.000007 0.000007 MPI_Irecv comm=0 peer=1 tag=4 bytes=8 req=12\n"
     "0 0.000007 0.000007 MPI_Send comm=0 peer=- tag=4 bytes=8\n"
     "0 0.000008 0.000009 MPI_Test req=11 flag=0\n"
     "0 0.000010 0.000011 MPI_Waitall reqs=11,10\n",
     0, messages_records},
    {"rmacast-trace 1\nranks 3\ncomm 1 ranks=1,0\n"
     "0 0.000001 0.000002 MPI_Barrier comm=0\n"
     "0 0.000003 0.000004 MPI_Gather comm=0 root=0 bytes=8\n"
     "0 0.000005 0.000006 MPI_Bcast comm=1 root=1 bytes=8\n"
     "0 0.000007 0.000008 MPI_Alltoall comm=0 bytes=8\n"
     "0 0.000009 0.000010 MPI_Comm_split comm=0 newcomm=1\n"
     "0 0.000011 0.000012 MPI_Comm_free comm=1\n"
     "0 0.000013 enter exchange\n"
     "0 0.000014 leave exchange\n"
     "0 0.000015 0.000016 MPI_Ibcast comm=1 root=1 bytes=8 req=7\n"
     "0 0.000017 0.000018 MPI_Wait req=7\n",
     0, collectives_records},
    {"rmacast-trace 1\nranks 3\ncomm 1 ranks=0,1\nwindow 0 comm=0 flavor=heap\n"
     "0 0.000001 0.000002 shmem_put win=0 target=1 bytes=64 disp=8\n"
     "0 0.000002 0.000003 shmem_put_nbi win=0 target=2 bytes=32\n"
     "0 0.000003 0.000004 shmem_get win=0 target=1 bytes=16\n"
     "0 0.000004 0.000005 shmem_quiet win=0\n"
     "0 0.000005 0.000006 shmem_atomic_swap win=0 target=1 bytes=8 result_bytes=8\n"
     "0 0.000006 0.000007 shmem_atomic_inc win=0 target=1 bytes=8 op=SUM\n"
     "0 0.000007 0.000008 shmem_get_nbi win=0 target=1 bytes=4\n"
     "0 0.000008 0.000009 shmem_sync_all comm=0\n"
     "0 0.000009 0.000010 shmem_barrier_all comm=0\n"
     "0 0.000010 0.000011 shmem_atomic_fetch_add win=0 target=1 bytes=8 result_bytes=8 op=SUM\n"
     "0 0.000011 0.000011 shmem_put_nbi win=0 target=1 bytes=2\n"
     "0 0.000012 0.000013 shmem_barrier comm=1\n"
     "0 0.000014 0.000015 shmem_p win=0 target=1 bytes=8\n"
     "0 0.000015 0.000016 shmem_finalize\n",
     0, symmetric_records},
    {"rmacast-trace 1\nranks 2\nwindow 0 comm=0 flavor=heap\n"
     "0 0.000001 0.000002 shmem_put win=0 target=1 bytes=64 disp=8\n"
     "0 0.000003 0.000004 shmem_test_lock win=0 object=5 flag=0\n"
     "0 0.000005 0.000006 shmem_test_lock win=0 object=5 flag=1\n"
     "0 0.000007 0.000008 shmem_set_lock win=0 object=2\n"
     "0 0.000009 0.000010 shmem_clear_lock win=0 object=5\n",
     0, symmetric_locks_records},
    {threads_text, 1, master_records},
    {threads_text, 2, child_records},
};

static void records_of_calls(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) check(rows[i].text, rows[i].location, rows[i].records);
}

/* otf2-print opens everything that the writer can write, definitions and events, and finds nothing to complain
 * about. */
static void opens(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        char directory[TEMP_DIR_BYTES];
        struct err err = {.text = ""};
        struct trace *trace =
            sample_make(&(struct sample_options){.simulated = i & 1, .broken = i & 2, .first_ps = -i});
        temp_dir_make(directory);
        if (otf2_write(trace, directory, &err) != STATUS_OK) fail_msg("%s", err.text);
        char *definitions = otf2_print(directory, "-G"), *events = otf2_print(directory, ""),
             *anchor = otf2_print(directory, "-I");
        assert_non_null(strstr(definitions, "Name: \"Rank 3\""));
        assert_non_null(strstr(definitions, "Name: \"Master thread 3\""));
        assert_non_null(strstr(definitions, "Ticks per Seconds: 1000000000000"));
        assert_non_null(strstr(anchor, "RMACAST::PROFILE"));
        assert_int_equal(strstr(anchor, "RMACAST::INCOMPLETE") != NULL, (i & 2) != 0);
        if (i & 2) assert_non_null(strstr(definitions, "killed by signal 9"));
        free(definitions);
        free(events);
        free(anchor);
        trace_free(trace);
        temp_dir_remove(directory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(records_of_calls), cmocka_unit_test(opens)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
