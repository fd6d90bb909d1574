#include "trace/record/record.h"
#include "trace/record/settings.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "trace/record/output/guard.h"
#include "trace/record/preload/library.h"
#include "trace/record/threads/table.h"

enum rec_state rec_state REC_HOT = REC_OFF;
struct rec_buffer rec_out = {.file = -1};
int rec_rank, rec_world;
MPI_Group rec_world_group;
struct rec_anchor rec_loaded_at;
__thread uintptr_t rec_inside;
__thread struct rec_buffer *rec_own;

void rec_mark(uint32_t state)
{
    __atomic_fetch_or(&rec_out.tail->state, state, __ATOMIC_RELAXED);
}

void rec_stop(const char *why)
{
    int failure = errno;
    enum rec_state before = __atomic_exchange_n(&rec_state, REC_OFF, __ATOMIC_ACQ_REL);
    if (before == REC_OFF) return;
    if (before == REC_OPEN)
        __atomic_fetch_or(&rec_out.tail->state, (uint32_t)SPOOL_STOPPED | (uint32_t)failure << 16, __ATOMIC_RELEASE);
    dprintf(STDERR_FILENO, "rmacast: rank %d: recording stopped: %s%s%s\n", rec_rank, why, failure ? ": " : "",
            failure ? strerror(failure) : "");
    errno = failure;
}

static void stop_writing(void)
{
    if (!rec_own->limited) {
        rec_stop("the spool cannot be written");
        return;
    }
    rec_mark(SPOOL_LIMIT);
    errno = 0;
    rec_stop("the limit of its size is reached");
}

static __attribute__((noinline)) void put_slowly(struct rec_buffer *own, const struct spool_record *record,
                                                 unsigned pattern)
{
    uint64_t chunk = own->chunk;
    if (own->tail->signal != 0) own->tail->signal = 0; /* the thread left the handler by a jump */
    bool anchored = !rec_buffer_unanchored(own, record->time) || rec_buffer_anchor(own);
    if (!anchored || !rec_buffer_put_as(own, record, pattern)) stop_writing();
    if (own->chunk != chunk) rec_guard();
}

/* Into the thread's own stream, while rec_state is REC_OPEN. */
REC_INLINE void put_into(struct rec_buffer *own, const struct spool_record *record, unsigned pattern)
{
    bool near = REC_LIKELY(!rec_buffer_unanchored(own, record->time));
    if (!REC_LIKELY(near && rec_buffer_put_same(own, record, pattern))) put_slowly(own, record, pattern);
}

void rec_put(const struct spool_record *record)
{
    struct rec_buffer *own = rec_own;
    if (rec_state == REC_OPEN && own) put_into(own, record, rec_buffer_template(record));
}

/* Calls of different places have templates of their own. */
void rec_put_extents(const struct rec_call *rec, uint64_t time)
{
    if (!rec->gaps || rec_state != REC_OPEN || !rec_own) return;
    uint64_t result = (uint64_t)rec->extents[SPOOL_RESULT];
    struct spool_record record = {.time = time,
                                  .kind = SPOOL_EXTENTS,
                                  .id = SPOOL_NO_ID,
                                  .peer = (int32_t)(uint32_t)result,
                                  .tag = (int32_t)(uint32_t)(result >> 32),
                                  .bytes = rec->extents[SPOOL_ORIGIN],
                                  .extra = rec->extents[SPOOL_TARGET]};
    put_into(rec_own, &record, REC_EXTENT_TEMPLATES + rec->pattern % REC_EXTENT_TEMPLATE_COUNT);
}

void rec_anchor(void)
{
    if (rec_state == REC_OPEN && rec_own && !rec_buffer_anchor(rec_own)) stop_writing();
}

void rec_define_with(struct spool_record head, const void *first, size_t first_bytes, const void *second,
                     size_t second_bytes)
{
    if (rec_state != REC_OPEN || !rec_own) return;
    head.time = rec_stamp();
    bool anchored = !rec_buffer_unanchored(rec_own, head.time) || rec_buffer_anchor(rec_own);
    if (!anchored || !rec_buffer_define(rec_own, head, first, first_bytes, second, second_bytes)) stop_writing();
}

void rec_define(enum spool_kind kind, uint32_t id, const void *content, size_t bytes)
{
    rec_define_with((struct spool_record){.kind = (uint8_t)kind, .id = id}, content, bytes, NULL, 0);
}

/* Before the spool is open (MPI_Init) the record is kept in rec and written by rec_opened(). */
REC_INLINE void enter(struct rec_call *rec)
{
    rec->enter.time = rec_stamp_before();
    struct rec_buffer *own = rec_own;
    if (!REC_LIKELY(rec_state == REC_OPEN && own != NULL))
        return; /* own: made in the meantime by another thread's MPI_Init */
    rec->entered = true;
    put_into(own, &rec->enter, rec_call_template(rec));
}

/* What is called inside a call stands below it on the stack. */
bool rec_abandoned(uintptr_t frame)
{
    uintptr_t left = rec_inside;
    if (left == REC_LAST || frame < left || !rec_on_own_stack(frame) || !rec_on_own_stack(left)) return false;
    rec_inside = 0;
    struct spool_record record = {.kind = SPOOL_ABANDONED, .id = SPOOL_NO_ID, .peer = SPOOL_PEER_NONE};
    record.time = rec_stamp();
    rec_put(&record);
    return true;
}

static __attribute__((noinline, cold)) void enter_slowly(struct rec_call *rec)
{
    if (rec_unrecorded_any) rec_unrecorded_define();
    if (rec_cpu) rec_cpu_enter();
    rec_put_extents(rec, rec_stamp());
    enter(rec);
}

/* What is rare is a last call of another function: so nothing has to be saved for it. */
void rec_enter(struct rec_call *rec)
{
    if (rec->quiet || rec->entered) return;
    if (!REC_LIKELY(!rec_unrecorded_any && !rec_cpu && rec_ticks && !rec->gaps))
        enter_slowly(rec);
    else
        enter(rec);
}

static __attribute__((noinline, cold)) void exit_slowly(struct rec_call *rec)
{
    if (rec->entered && rec_state == REC_OPEN) put_into(rec_own, &rec->exit, rec_call_template(rec) + 1);
    if (rec_inside == REC_LAST && rec_state == REC_OPEN) {
        __atomic_fetch_or(&rec_out.tail->state, (uint32_t)SPOOL_CLOSED, __ATOMIC_RELEASE);
        rec_state = REC_OFF;
    }
    if (rec_cpu && !rec->quiet) rec_cpu_leave();
    rec_inside = 0;
}

void rec_exit(struct rec_call *rec)
{
    if (!REC_LIKELY(rec_inside != REC_LAST && !rec_cpu && rec->entered && rec_state == REC_OPEN)) {
        exit_slowly(rec);
        return;
    }
    rec_inside = 0;
    put_into(rec_own, &rec->exit, rec_call_template(rec) + 1);
}

/* shmem_finalize may leave MPI to the program. */
void rec_close_after(void)
{
    int finalized = 0;
    if (PMPI_Finalized(&finalized) == MPI_SUCCESS && finalized) rec_inside = REC_LAST;
    rec_anchor();
}

enum { REGION_NAME_BYTES = 128, OWN_FRAME_BYTES = 128, DEAD_STACK_BYTES = 1 << 20 };

/* MPI_Pcontrol takes any arguments, so the name may be no pointer at all: it is read by the kernel, which refuses
 * instead of ending the program. Two parts, since a string may end just before unreadable memory. */
static bool read_name(const void *from, char name[REGION_NAME_BYTES])
{
    uintptr_t address = (uintptr_t)from, page = (address | 4095) + 1;
    size_t first = page - address < REGION_NAME_BYTES - 1 ? page - address : REGION_NAME_BYTES - 1;
    struct iovec local = {.iov_base = name, .iov_len = REGION_NAME_BYTES - 1};
    struct iovec remote[2] = {{.iov_base = (void *)address, .iov_len = first},
                              {.iov_base = (void *)page, .iov_len = REGION_NAME_BYTES - 1 - first}};
    /* What a call before has left in a register may point to where its frames were: below the program's own. */
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0) + OWN_FRAME_BYTES;
    if (address < frame && frame - address < DEAD_STACK_BYTES) return false;
    ssize_t got = from ? process_vm_readv(getpid(), &local, 1, remote, 2, 0) : -1;
    if (got <= 0) return false;
    name[got] = '\0';
    for (const char *at = name; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 127) return false;
    return name[0] != '\0';
}

static struct rec_table regions; /* by hash of the name: id plus 1 */

static uint64_t region_hash(const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const char *at = name; *at; at++) hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    return hash;
}

static uint32_t region_id(const char *name)
{
    static uint32_t count;
    uint64_t hash = region_hash(name);
    uintptr_t *found = rec_table_find(&regions, hash);
    if (found) return (uint32_t)(*found - 1);
    if (!rec_table_put(&regions, hash, (uintptr_t)count + 1)) rec_stop("out of memory");
    rec_define(SPOOL_REGION, count, name, strlen(name));
    return count++;
}

void rec_region(struct rec_call *rec, int level, const void *name)
{
    char text[REGION_NAME_BYTES];
    bool named = read_name(name, text);
    if (level == 0) rec_pause();
    /* What follows MPI_Pcontrol(1) may look like a name by chance: while recording is off only known ones count. */
    bool known = named && rec_table_find(&regions, region_hash(text));
    if (level == 0 || (level == 1 && !known && rec_resume())) {
        rec->quiet = true;
        return;
    }
    if (!named) return;
    struct spool_record record = {.kind = level > 0 ? SPOOL_REGION_ENTER : SPOOL_REGION_LEAVE, .time = rec_stamp()};
    record.id = region_id(text);
    if (rec_cpu) rec_cpu_enter();
    rec_put(&record);
    if (rec_cpu) rec_cpu_leave();
    rec->quiet = true;
}

/* The child of a rank is another process; a process forked before MPI_Init may become the rank. */
static void forked(void)
{
    if (rec_state == REC_OPEN || rec_inside != 0) rec_state = REC_OFF;
}

__attribute__((constructor)) static void loaded(void)
{
    rec_settings_copy(rmacast_record_settings ? rmacast_record_settings() : environ);
    const char *directory = rec_setting("RMACAST_SPOOL");
    rec_library_find();
    if (!directory || !*directory) return;
    rec_ticks_choose(rec_setting("RMACAST_TIMER"), REC_CLOCK_SOURCE);
    rec_loaded_at = rec_anchor_read();
    rec_cpu_begin();
    rec_functions_begin();
    pthread_atfork(NULL, NULL, forked);
    rec_state = REC_READY;
}
