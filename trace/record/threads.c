/* Threads of the process: a buffer for each, from its first recorded call to its end. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "trace/record/mpi/handles.h"
#include "trace/record/record.h"
#include "trace/record/settings.h"
#include "trace/record/threads/creation.h"
#include "trace/record/threads/teams.h"

/* Each thread takes two files and 100 KiB until it ends, and its files stay. */
static uint32_t threads_max = 1024;

static struct spool_header header; /* of thread 0 */
static uint32_t thread_count;
static pthread_key_t at_end;
static bool have_key;
static __thread bool ended; /* or not recorded for another reason */

/* Threads whose creation and first call are known, from then on until they are joined: handle to number plus 1. */
static struct rec_table joinable;
static int joinable_locked;

static void lock_joinable(void)
{
    for (int tries = 0; __atomic_exchange_n(&joinable_locked, 1, __ATOMIC_ACQUIRE); tries++)
        if (tries >= 100) sched_yield();
}

static void unlock_joinable(void)
{
    __atomic_store_n(&joinable_locked, 0, __ATOMIC_RELEASE);
}

static uint32_t take_joinable(pthread_t thread)
{
    lock_joinable();
    uintptr_t number = rec_table_remove(&joinable, REC_KEY(thread)); /* plus 1 */
    unlock_joinable();
    return number ? (uint32_t)(number - 1) : REC_NO_OBJECT;
}

/* A record of a primitive; site: 0 none. */
static void put_primitive(enum spool_kind kind, const struct rec_primitive_call *call, uint8_t flags, uint64_t time)
{
    struct spool_record record = {.time = time,
                                  .kind = (uint8_t)kind,
                                  .flags = flags,
                                  .call = (uint16_t)(REC_CALL_COUNT + (int)call->row),
                                  .id = call->object,
                                  .peer = SPOOL_PEER_NONE,
                                  .bytes = call->value,
                                  .extra = (int64_t)(uintptr_t)call->site};
    rec_put(&record);
}

static __thread bool followed;                /* from its creation on: it has a begin and an end */
static __thread struct rec_primitive_call open; /* the primitive that it is in; site NULL: none */

static void mark_life(enum rec_primitive row, uint64_t time)
{
    struct rec_primitive_call call = {.row = row, .object = REC_NO_OBJECT, .value = REC_NO_VALUE};
    put_primitive(SPOOL_ENTER, &call, 0, time);
    put_primitive(SPOOL_EXIT, &call, 0, time);
}

/* Where the program's own code runs the thread is in no call: an exception or a cancellation has left one that is open. */
static void leave_abandoned(void)
{
    if (rec_inside == 0 || rec_inside == REC_LAST) return;
    rec_inside = 0;
    rec_put(&REC_RECORD(SPOOL_ABANDONED, .time = rec_stamp()));
}

/* Who created this thread, or forked its region, when and where. */
static void put_creator(enum spool_kind kind, uint32_t creator, uint64_t since, const void *site)
{
    struct spool_record record = {.time = rec_stamp(),
                                  .kind = (uint8_t)kind,
                                  .id = creator,
                                  .peer = SPOOL_PEER_NONE,
                                  .bytes = (int64_t)since,
                                  .extra = (int64_t)(uintptr_t)site};
    rec_put(&record);
}

/* Before the thread's first call. Its core waits are those since it began. */
static void put_creation(void)
{
    const struct rec_creation *made = rmacast_creation ? rmacast_creation() : NULL;
    if (!made || !made->site) return;
    put_creator(SPOOL_CREATED, made->creator, made->since, made->site);
    lock_joinable();
    rec_table_put(&joinable, REC_KEY(pthread_self()), (uintptr_t)rec_own->header.thread + 1);
    unlock_joinable();
    followed = true;
    rec_own->event = made->began;
    rec_own->schedstat.last = (struct rec_core_times){.stamp = made->began};
    mark_life(REC_ROW_thread_begin, made->began);
}

static bool members; /* there are further threads that are recorded and have been in a region */

static void put_team_call(enum spool_kind kind, enum rec_primitive row, uint32_t object, const void *site, uint64_t time)
{
    const struct rec_primitive_call call = {.row = row, .object = object, .site = site};
    put_primitive(kind, &call, 0, time);
}

static void fork_team(struct rec_team *team, const void *site)
{
    if (rec_state != REC_OPEN || rec_inside != 0 || !rec_own) return;
    *team = (struct rec_team){.site = site, .since = rec_stamp() - rec_own->base, .creator = rec_own->header.thread};
}

static bool is_followed(const struct rec_member *member)
{
    return rec_state == REC_OPEN && rec_own && member->team->site;
}

/* From its last event on the thread waited for the region. */
static void put_begin(struct rec_member *member)
{
    const struct rec_team *team = member->team;
    uint32_t own = rec_own->header.thread, object = SPOOL_TEAM_OBJECTS + 2 * own;
    if (member->told || team->creator == own) return;
    bool late = member->began != 0;
    member->told = true;
    leave_abandoned();
    __atomic_store_n(&members, true, __ATOMIC_RELAXED);
    put_creator(SPOOL_FORKED, team->creator, team->since, team->site);
    if (late && rec_own->event > member->began) rec_own->event = member->began;
    put_team_call(SPOOL_ENTER, REC_ROW_omp_begin, object, team->site, rec_own->event);
    if (late) rec_own->event = member->began;
    put_team_call(SPOOL_EXIT, REC_ROW_omp_begin, object, team->site, late ? member->began : rec_stamp());
}

static void begin_member(struct rec_member *member)
{
    if (is_followed(member))
        put_begin(member);
    else
        member->began = rec_stamp();
    if (rec_cpu) rec_cpu_leave();
}

/* Of a thread that is in a region when its first call is recorded. */
static void put_region(void)
{
    struct rec_member *member = rmacast_member ? rmacast_member() : NULL;
    if (member && is_followed(member)) put_begin(member);
}

/* The creator's own end is where its wait for the others begins. */
static void end_member(struct rec_member *member)
{
    if (!is_followed(member) || !__atomic_load_n(&members, __ATOMIC_RELAXED)) return;
    uint32_t object = SPOOL_TEAM_OBJECTS + 2 * member->team->creator + 1;
    leave_abandoned();
    if (rec_cpu) rec_cpu_enter();
    put_team_call(SPOOL_ENTER, REC_ROW_omp_end, object, member->team->site, rec_stamp());
    put_team_call(SPOOL_EXIT, REC_ROW_omp_end, object, member->team->site, rec_own->event);
    __atomic_fetch_add(&member->team->ends, 1, __ATOMIC_RELEASE);
    if (rec_cpu) rec_cpu_leave();
}

static void join_team(struct rec_team *team)
{
    uint32_t object = SPOOL_TEAM_OBJECTS + 2 * team->creator + 1;
    for (uint32_t ends = __atomic_load_n(&team->ends, __ATOMIC_ACQUIRE); ends > 0 && rec_state == REC_OPEN; ends--) {
        leave_abandoned();
        put_team_call(SPOOL_ENTER, REC_ROW_omp_join, object, team->site, rec_own->event);
        put_team_call(SPOOL_EXIT, REC_ROW_omp_join, object, team->site, rec_stamp());
    }
    if (rec_cpu) rec_cpu_leave();
}

/* Calls of this function (memory, files) are not recorded, even if they are wrapped. */
static bool begin_as(uint32_t number)
{
    int before = errno;
    struct spool_header own = header;
    own.thread = number;
    ended = true;
    struct rec_buffer *buffer = number < threads_max && have_key ? aligned_alloc(64, sizeof *buffer) : NULL;
    bool good = buffer && !rec_buffer_open(buffer, rec_directory(), &own);
    errno = before;
    if (!good || pthread_setspecific(at_end, buffer) != 0) {
        if (good) rec_buffer_close(buffer);
        free(buffer);
        /* Not recorded, and that is said. */
        ended = true;
        rec_mark(SPOOL_OTHER_THREADS);
        return false;
    }
    rec_core_wait_thread(buffer);
    rec_own = buffer;
    ended = false;
    put_creation();
    put_region();
    if (rec_functions) rec_functions_opened(rec_stamp());
    return true;
}

/* Threads that are created inside MPI are not the program's. If a thread makes no recorded calls itself, threads that
 * it creates get its own creation. */
static void note_creation(struct rec_creation *made, const void *site)
{
    if (rec_state != REC_OPEN || rec_inside != 0) {
        made->site = NULL;
        return;
    }
    if (!rec_own) return;
    if (rec_cpu) rec_cpu_enter();
    *made = (struct rec_creation){.site = site, .since = rec_stamp() - rec_own->base, .creator = rec_own->header.thread};
    if (rec_cpu) rec_cpu_leave();
}

static bool enter_primitive(const struct rec_primitive_call *call)
{
    if (rec_state != REC_OPEN || !rec_begin(__builtin_dwarf_cfa(), false)) return false;
    if (rec_cpu) rec_cpu_enter();
    open = *call;
    put_primitive(SPOOL_ENTER, call, 0, rec_stamp());
    return true;
}

static void leave_primitive(const struct rec_primitive_call *call, bool flag, bool failed)
{
    put_primitive(SPOOL_EXIT, call, (uint8_t)((flag ? SPOOL_FLAG : 0) | (failed ? SPOOL_FAILED : 0)), rec_stamp());
    open.site = NULL;
    if (rec_cpu) rec_cpu_leave();
    rec_inside = 0;
}

static uint32_t new_number(void)
{
    uint32_t number = __atomic_fetch_add(&thread_count, 1, __ATOMIC_RELAXED);
    return number < threads_max ? number : REC_NO_OBJECT;
}

static void begin_thread(uint32_t number)
{
    if (rec_state != REC_OPEN || !begin_as(number)) return;
    followed = true;
    mark_life(REC_ROW_thread_begin, rec_stamp());
}

/* Another thread may have had the handle, and was not joined. */
static uint64_t note_begin(void)
{
    take_joinable(pthread_self());
    return rec_stamp();
}

static bool enter_join(const void *site)
{
    const struct rec_primitive_call call = {
        .row = REC_ROW_pthread_join, .object = REC_NO_OBJECT, .value = REC_NO_VALUE, .site = site};
    return rec_own && enter_primitive(&call);
}

/* The join of a thread that is not recorded is left out: its time is the joining thread's own, as if it had computed. */
static void leave_join(pthread_t thread, bool succeeded)
{
    open.object = succeeded ? take_joinable(thread) : REC_NO_OBJECT;
    if (open.object != REC_NO_OBJECT) {
        const struct rec_primitive_call call = open;
        leave_primitive(&call, false, false);
        return;
    }
    rec_put(&REC_RECORD(SPOOL_ABANDONED, .flags = SPOOL_LEFT_OUT, .time = rec_stamp()));
    open.site = NULL;
    if (rec_cpu) rec_cpu_leave();
    rec_inside = 0;
}

static const struct rec_life_hooks life = {note_creation, note_begin, enter_join, leave_join};
static const struct rec_team_hooks teams = {fork_team, begin_member, end_member, join_team};
static const struct rec_primitive_hooks hooks = {enter_primitive, leave_primitive, new_number, begin_thread};

static void end_thread(void *buffer)
{
    if (getpid() != (pid_t)header.pid) return; /* a child made by fork: the files are its parent's */
    if (open.site) leave_primitive(&open, false, true); /* cancelled inside it */
    leave_abandoned();
    if (followed) mark_life(REC_ROW_thread_end, rec_stamp());
    rec_put_anchor();
    rec_own = NULL;
    ended = true;
    rec_core_wait_end(buffer);
    rec_buffer_close(buffer);
    free(buffer);
    rec_pending_clear();
}

void rec_threads_begin(const struct spool_header *of_rank)
{
    int level = MPI_THREAD_SINGLE;
    const char *most = rec_setting("RMACAST_MAX_THREADS");
    if (most && *most) threads_max = (uint32_t)strtoul(most, NULL, 10);
    header = *of_rank;
    rec_own = &rec_out;
    thread_count = 1;
    PMPI_Query_thread(&level);
    rec_shared = level == MPI_THREAD_MULTIPLE;
    have_key = pthread_key_create(&at_end, end_thread) == 0;
    void *found = dlsym(RTLD_DEFAULT, "rmacast_threads_attach");
    __typeof__(rmacast_threads_attach) *attach;
    memcpy(&attach, &found, sizeof attach);
    if (attach) attach(&hooks);
    if (rmacast_creations_attach) rmacast_creations_attach(&life);
    if (rmacast_teams_attach) rmacast_teams_attach(&teams);
}

bool rec_thread_begin(void)
{
    if (ended || rec_state != REC_OPEN) return false;
    return begin_as(__atomic_fetch_add(&thread_count, 1, __ATOMIC_RELAXED));
}
