/* Threads of the process: a stream for each, from its first recorded call to its end. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "trace/record/handles.h"
#include "trace/record/record.h"

/* Each thread takes two files and 256 KiB until it ends, and its files stay. */
enum { THREADS_MAX = 1024 };

bool rec_shared;
int rec_locked;

static struct spool_header header; /* of thread 0 */
static uint32_t thread_count;
static pthread_key_t at_end;
static bool have_key;
static __thread bool ended; /* or not recorded for another reason */

void rec_lock_wait(void)
{
    for (int tries = 0; __atomic_exchange_n(&rec_locked, 1, __ATOMIC_ACQUIRE); tries++)
        if (tries >= 100) sched_yield();
}

static void end_thread(void *stream)
{
    if (getpid() != (pid_t)header.pid) return; /* a child made by fork: the files are its parent's */
    rec_own = NULL;
    ended = true;
    rec_stream_close(stream);
    free(stream);
    rec_pending_clear();
}

void rec_threads_begin(const struct spool_header *of_rank)
{
    int level = MPI_THREAD_SINGLE;
    header = *of_rank;
    rec_own = &rec_out;
    thread_count = 1;
    PMPI_Query_thread(&level);
    rec_shared = level == MPI_THREAD_MULTIPLE;
    have_key = pthread_key_create(&at_end, end_thread) == 0;
}

/* Not recorded, and that is said. */
static bool refuse(void)
{
    ended = true;
    rec_mark(SPOOL_OTHER_THREADS);
    return false;
}

bool rec_thread_begin(void)
{
    if (ended || rec_state != REC_OPEN) return false;
    int before = errno;
    struct spool_header own = header;
    own.thread = __atomic_fetch_add(&thread_count, 1, __ATOMIC_RELAXED);
    struct rec_stream *stream = own.thread < THREADS_MAX && have_key ? calloc(1, sizeof *stream) : NULL;
    bool good = stream && !rec_stream_open(stream, getenv("RMACAST_SPOOL"), &own);
    errno = before;
    if (!good || pthread_setspecific(at_end, stream) != 0) {
        if (good) rec_stream_close(stream);
        free(stream);
        return refuse();
    }
    stream->limit = rec_out.limit;
    rec_own = stream;
    return true;
}
