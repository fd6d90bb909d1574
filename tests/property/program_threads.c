/* Ranks that make threads, which use the primitives of POSIX threads and send messages, and join them.
 *
 * Items are written one after another, each with all threads that take part in it: run in this order, none waits for a
 * later one. So no order of the replay deadlocks, as long as nothing can be taken in the place of another: semaphores
 * that hand something over, conditions and tags are new for each item, a barrier is for all threads of the rank.
 * Recorded times are those of this schedule. */
#include "tests/property/program_parts.h"

enum { TEAM_MAX = 4, MUTEXES = 2, GUARD_SEMAPHORE = MUTEXES, SPIN, RWLOCK, BARRIER, OBJECTS_FREE = BARRIER + TEAM_MAX + 1 };
enum { FIRST_TAG = 100, GAP_MAX_US = 50, ITEMS_MAX = 20 };

enum status make_threads(struct random *random, uint32_t members, struct phase *phase, struct err *err)
{
    static const enum mpi_call calls[] = {
        ID_pthread_mutex_lock,
        ID_pthread_mutex_lock,
        ID_pthread_mutex_trylock,
        ID_pthread_mutex_timedlock,
        ID_pthread_spin_lock,
        ID_pthread_spin_trylock,
        ID_pthread_rwlock_rdlock,
        ID_pthread_rwlock_rdlock,
        ID_pthread_rwlock_tryrdlock,
        ID_pthread_rwlock_timedrdlock,
        ID_pthread_rwlock_wrlock,
        ID_pthread_rwlock_trywrlock,
        ID_pthread_rwlock_timedwrlock,
        ID_pthread_cond_signal,
        ID_pthread_cond_broadcast,
        ID_pthread_cond_timedwait,
        ID_pthread_barrier_wait,
        ID_sem_wait,
        ID_sem_post,
        ID_sem_trywait,
        ID_sem_timedwait,
        ID_Send,
        ID_Ssend,
        ID_Isend,
        ID_Put,
        ID_Get,
        ID_Accumulate,
    };
    phase->together = random_chance(random, 50);
    for (uint32_t r = 0; r < RANKS_MAX; r++) phase->targets[r] = random_below(random, TEAM_MAX);
    for (uint32_t n = random_below(random, ITEMS_MAX); n > 0; n--) {
        struct item item = {
            .kind = ITEM_THREADS,
            .call = calls[random_below(random, sizeof calls / sizeof *calls)],
            .origin = random_member(random, members),
            .target = random_member(random, members),
            .bytes = random_bytes(random),
            .slot = random_below(random, 4),
            .thread = {random_below(random, TEAM_MAX), random_below(random, TEAM_MAX)},
        };
        TRY(add_item(phase, &item, err));
    }
    return STATUS_OK;
}

/* The threads of each rank: 0 and those that it made. */
struct team {
    struct writer *writer;
    const struct phase *phase;
    uint32_t members, count[RANKS_MAX], first[RANKS_MAX];
    int64_t now_ps[RANKS_MAX][TEAM_MAX];
    int64_t free_ps[RANKS_MAX][RWLOCK + 1]; /* by object: when it was given back last, a read-write lock by a writer */
    int64_t read_ps[RANKS_MAX];             /* the same of its readers */
};

/* Enters no earlier than `ready` and leaves no earlier than `until`; *call gets its times. */
static enum status put_at(struct team *team, uint32_t rank, uint32_t thread, struct trace_call *call, int64_t ready_ps,
                          int64_t until_ps, struct err *err)
{
    struct random *gaps = &team->writer->gaps[rank];
    int64_t *now_ps = &team->now_ps[rank][thread];
    call->enter_ps = *now_ps + 1 + random_below(gaps, GAP_MAX_US * US);
    if (call->enter_ps < ready_ps) call->enter_ps = ready_ps;
    call->exit_ps = call->enter_ps > until_ps ? call->enter_ps : until_ps;
    *now_ps = call->exit_ps;
    uint32_t number = thread == 0 ? 0 : team->first[rank] + thread - 1;
    return trace_add_thread_call(team->writer->trace, team->writer->rank_of[rank], number, call, err);
}

static enum status put_call(struct team *team, uint32_t rank, uint32_t thread, struct trace_call call, struct err *err)
{
    return put_at(team, rank, thread, &call, 0, 0, err);
}

/* A thread primitive that waits until `until`; *done_ps (may be NULL): when it returned. */
static enum status put_object(struct team *team, uint32_t rank, uint32_t thread, enum mpi_call id, uint32_t object,
                              int64_t until_ps, int64_t *done_ps, struct err *err)
{
    struct trace_call call = new_call(id, TRACE_NONE);
    bool tries = call_row(id)->needed & F_FLAG;
    call.ref = object;
    if (tries) call.flags = TRACE_FLAG;
    if (id == ID_pthread_barrier_wait) call.primitive.parties = team->count[rank];
    bool first = object >= OBJECTS_FREE || !in(team->writer->guarded, rank);
    if (first && call_kind(id) == CALL_SEM_POST) call.primitive.value = 0;
    TRY(put_at(team, rank, thread, &call, tries ? until_ps : 0, until_ps, err));
    if (done_ps) *done_ps = call.exit_ps;
    return STATUS_OK;
}

static enum status lock(struct team *team, uint32_t rank, uint32_t thread, enum mpi_call id, uint32_t object,
                        struct err *err)
{
    return put_object(team, rank, thread, id, object, team->free_ps[rank][object], NULL, err);
}

static enum status unlock(struct team *team, uint32_t rank, uint32_t thread, enum mpi_call id, uint32_t object,
                          struct err *err)
{
    return put_object(team, rank, thread, id, object, 0, &team->free_ps[rank][object], err);
}

/* --- items; thread: of the two that the item names --- */

typedef enum status write_item(struct team *team, const struct item *item, const uint32_t thread[2], struct err *err);

/* A try that said no, or a wait whose time was over. */
static enum status give_up(struct team *team, const struct item *item, uint32_t thread, enum mpi_call id,
                           uint32_t object, struct err *err)
{
    struct trace_call call = new_call(id, TRACE_NONE);
    enum call_kind kind = call_kind(id);
    bool timed = kind == CALL_MUTEX_TIMEDLOCK || kind == CALL_SEM_TIMEDWAIT || kind == CALL_TIMEDRDLOCK ||
                 kind == CALL_TIMEDWRLOCK;
    call.ref = object;
    return put_at(team, item->origin, thread, &call, 0, timed ? team->now_ps[item->origin][thread] + 3 * US : 0, err);
}

/* slot: bit 0 says which one, bit 1 that both are taken, always in the same order. */
static enum status write_mutex(struct team *team, const struct item *item, const uint32_t thread[2], struct err *err)
{
    uint32_t rank = item->origin, inner = item->slot & 1;
    bool both = item->slot & 2 && inner > 0;
    if (both) TRY(lock(team, rank, thread[0], ID_pthread_mutex_lock, 0, err));
    if (item->call != ID_pthread_mutex_lock && item->bytes % 3 == 0) TRY(give_up(team, item, thread[0], item->call, inner, err));
    TRY(lock(team, rank, thread[0], item->call, inner, err));
    TRY(unlock(team, rank, thread[0], ID_pthread_mutex_unlock, inner, err));
    return both ? unlock(team, rank, thread[0], ID_pthread_mutex_unlock, 0, err) : STATUS_OK;
}

static enum status write_spin(struct team *team, const struct item *item, const uint32_t thread[2], struct err *err)
{
    if (item->call != ID_pthread_spin_lock && item->bytes % 3 == 0)
        TRY(give_up(team, item, thread[0], item->call, SPIN, err));
    TRY(lock(team, item->origin, thread[0], item->call, SPIN, err));
    return unlock(team, item->origin, thread[0], ID_pthread_spin_unlock, SPIN, err);
}

/* slot, bit 1: a mutex within, whose holders never ask for the read-write lock. */
static enum status write_rwlock(struct team *team, const struct item *item, const uint32_t thread[2], struct err *err)
{
    uint32_t rank = item->origin;
    enum call_kind kind = call_kind(item->call);
    bool reads = kind == CALL_RDLOCK || kind == CALL_TRYRDLOCK || kind == CALL_TIMEDRDLOCK;
    int64_t until_ps = team->free_ps[rank][RWLOCK], *done_ps = &team->free_ps[rank][RWLOCK];
    if (!reads && until_ps < team->read_ps[rank]) until_ps = team->read_ps[rank];
    if (call_row(item->call)->needed & F_FLAG && item->bytes % 3 == 0)
        TRY(give_up(team, item, thread[0], item->call, RWLOCK, err));
    TRY(put_object(team, rank, thread[0], item->call, RWLOCK, until_ps, NULL, err));
    if (item->slot & 2) {
        TRY(lock(team, rank, thread[0], ID_pthread_mutex_lock, 0, err));
        TRY(unlock(team, rank, thread[0], ID_pthread_mutex_unlock, 0, err));
    }
    int64_t unlocked_ps;
    if (reads) done_ps = &team->read_ps[rank];
    TRY(put_object(team, rank, thread[0], ID_pthread_rwlock_unlock, RWLOCK, 0, &unlocked_ps, err));
    if (*done_ps < unlocked_ps) *done_ps = unlocked_ps;
    return STATUS_OK;
}

static enum status write_guard(struct team *team, const struct item *item, const uint32_t thread[2], struct err *err)
{
    if (item->call != ID_sem_wait && item->bytes % 3 == 0)
        TRY(give_up(team, item, thread[0], item->call, GUARD_SEMAPHORE, err));
    TRY(lock(team, item->origin, thread[0], item->call, GUARD_SEMAPHORE, err));
    return unlock(team, item->origin, thread[0], ID_sem_post, GUARD_SEMAPHORE, err);
}

static enum status write_hand_over(struct team *team, const struct item *item, const uint32_t thread[2],
                                   struct err *err)
{
    uint32_t object = OBJECTS_FREE + team->writer->next_object[item->origin]++;
    int64_t posted_ps;
    TRY(put_object(team, item->origin, thread[0], ID_sem_post, object, 0, &posted_ps, err));
    return put_object(team, item->origin, thread[1], ID_sem_wait, object, posted_ps, NULL, err);
}

static enum status write_barrier(struct team *team, const struct item *item, const uint32_t thread[2], struct err *err)
{
    int64_t last_ps = 0;
    uint32_t rank = item->origin;
    (void)thread;
    for (uint32_t t = 0; t < team->count[rank]; t++)
        if (last_ps < team->now_ps[rank][t]) last_ps = team->now_ps[rank][t];
    last_ps += GAP_MAX_US * (int64_t)US;
    for (uint32_t t = 0; t < team->count[rank]; t++)
        TRY(put_object(team, rank, t, ID_pthread_barrier_wait, BARRIER + team->count[rank], last_ps, NULL, err));
    return STATUS_OK;
}

/* A signal has one waiter, a broadcast all the others; each takes the mutex before and gives it back afterwards. The
 * calls of waiting are added when it is known when they end. */
static enum status write_condition(struct team *team, const struct item *item, const uint32_t thread[2],
                                   struct err *err)
{
    uint32_t rank = item->origin, mutex = item->slot & 1, woken_by = thread[0];
    uint32_t object = OBJECTS_FREE + team->writer->next_object[rank]++;
    bool all = item->call == ID_pthread_cond_broadcast;
    if (!all && thread[0] == thread[1]) return STATUS_OK;
    for (uint32_t t = 0; t < team->count[rank]; t++) {
        if (t == woken_by || (!all && t != thread[1])) continue;
        TRY(lock(team, rank, t, ID_pthread_mutex_lock, mutex, err));
        team->free_ps[rank][mutex] = team->now_ps[rank][t];
    }
    TRY(lock(team, rank, woken_by, ID_pthread_mutex_lock, mutex, err));
    TRY(put_object(team, rank, woken_by, item->call, object, 0, NULL, err));
    TRY(unlock(team, rank, woken_by, ID_pthread_mutex_unlock, mutex, err));
    for (uint32_t t = 0; t < team->count[rank]; t++) {
        if (t == woken_by || (!all && t != thread[1])) continue;
        struct trace_call wait = new_call(ID_pthread_cond_wait, TRACE_NONE);
        wait.ref = object;
        wait.primitive.mutex = mutex;
        wait.enter_ps = team->now_ps[rank][t];
        wait.exit_ps = team->now_ps[rank][t] = team->free_ps[rank][mutex];
        uint32_t number = t == 0 ? 0 : team->first[rank] + t - 1;
        TRY(trace_add_thread_call(team->writer->trace, team->writer->rank_of[rank], number, &wait, err));
        TRY(unlock(team, rank, t, ID_pthread_mutex_unlock, mutex, err));
    }
    return STATUS_OK;
}

/* Nobody signals: the time is over, then it has the mutex again. */
static enum status write_timed_wait(struct team *team, const struct item *item, const uint32_t thread[2],
                                    struct err *err)
{
    uint32_t rank = item->origin, mutex = item->slot & 1;
    struct trace_call wait = new_call(item->call, TRACE_NONE);
    TRY(lock(team, rank, thread[0], ID_pthread_mutex_lock, mutex, err));
    wait.ref = OBJECTS_FREE + team->writer->next_object[rank]++;
    wait.primitive.mutex = mutex;
    TRY(put_at(team, rank, thread[0], &wait, 0, team->now_ps[rank][thread[0]] + GAP_MAX_US * (int64_t)US, err));
    return unlock(team, rank, thread[0], ID_pthread_mutex_unlock, mutex, err);
}

/* A thread's send to a thread; what MPI_Isend began another thread may wait for. */
static enum status write_message(struct team *team, const struct item *item, const uint32_t thread[2], struct err *err)
{
    struct writer *writer = team->writer;
    uint32_t from = item->origin, to = item->target, receiver = item->thread[1] % team->count[to];
    struct trace_call call = new_call(item->call, writer->comm_of[team->phase->comm]);
    bool waits = call_makes_request(item->call);
    if (!waits && from == to && thread[0] == receiver) return STATUS_OK;
    call.message.tag = FIRST_TAG + (int32_t)(item - team->phase->items);
    call.bytes = item->bytes;
    call.peer = (int32_t)writer->rank_of[to];
    if (waits) call.ref = writer->next_request[from]++;
    TRY(put_at(team, from, thread[0], &call, 0, 0, err));
    struct trace_call other = call;
    other.call = ID_Recv;
    other.ref = TRACE_NO_REF;
    other.peer = (int32_t)writer->rank_of[from];
    TRY(put_at(team, to, receiver, &other, 0, call.exit_ps, err));
    if (!waits) return STATUS_OK;
    other = new_call(ID_Wait, TRACE_NONE);
    other.ref = call.ref;
    return put_at(team, from, thread[1], &other, call.exit_ps, call.exit_ps, err);
}

/* Between lock_all and unlock_all of thread 0. slot: whether a flush follows. */
static enum status write_operation(struct team *team, const struct item *item, const uint32_t thread[2],
                                   struct err *err)
{
    struct writer *writer = team->writer;
    uint32_t both = team->members & members_of_window(writer->program, team->phase->window);
    if (!team->phase->together || !in(both, item->origin) || !in(both, item->target)) return STATUS_OK;
    struct trace_call call = new_call(item->call, writer->window_of[team->phase->window]);
    call.peer = (int32_t)writer->rank_of[item->target];
    call.bytes = item->bytes;
    call.rma.disp = 0;
    if (call_row(item->call)->allowed & F_OP) call.rma.op = TRACE_OP_SUM;
    TRY(put_call(team, item->origin, thread[0], call, err));
    struct trace_call flush = new_call(ID_Win_flush, call.handle);
    flush.peer = call.peer;
    return item->slot & 1 ? put_call(team, item->origin, thread[0], flush, err) : STATUS_OK;
}

static const struct {
    enum mpi_call call;
    write_item *write;
} item_rows[] = {
    {ID_pthread_mutex_lock, write_mutex},
    {ID_pthread_mutex_trylock, write_mutex},
    {ID_pthread_mutex_timedlock, write_mutex},
    {ID_pthread_spin_lock, write_spin},
    {ID_pthread_spin_trylock, write_spin},
    {ID_pthread_rwlock_rdlock, write_rwlock},
    {ID_pthread_rwlock_tryrdlock, write_rwlock},
    {ID_pthread_rwlock_timedrdlock, write_rwlock},
    {ID_pthread_rwlock_wrlock, write_rwlock},
    {ID_pthread_rwlock_trywrlock, write_rwlock},
    {ID_pthread_rwlock_timedwrlock, write_rwlock},
    {ID_pthread_cond_signal, write_condition},
    {ID_pthread_cond_broadcast, write_condition},
    {ID_pthread_cond_timedwait, write_timed_wait},
    {ID_pthread_barrier_wait, write_barrier},
    {ID_sem_wait, write_guard},
    {ID_sem_trywait, write_guard},
    {ID_sem_timedwait, write_guard},
    {ID_sem_post, write_hand_over},
    {ID_Send, write_message},
    {ID_Ssend, write_message},
    {ID_Isend, write_message},
    {ID_Put, write_operation},
    {ID_Get, write_operation},
    {ID_Accumulate, write_operation},
};

static enum status write_items(struct team *team, struct err *err)
{
    for (size_t i = 0; i < team->phase->item_count; i++) {
        const struct item *item = &team->phase->items[i];
        if (!in(team->members, item->origin) || !in(team->members, item->target)) continue;
        uint32_t count = team->count[item->origin];
        const uint32_t thread[2] = {item->thread[0] % count, item->thread[1] % count};
        for (size_t k = 0; k < sizeof item_rows / sizeof *item_rows; k++)
            if (item_rows[k].call == item->call) TRY(item_rows[k].write(team, item, thread, err));
    }
    return STATUS_OK;
}

/* Thread 0 makes the others, in the end it joins them. */
static enum status write_fork(struct team *team, uint32_t rank, struct err *err)
{
    struct writer *writer = team->writer;
    team->count[rank] = 1 + team->phase->targets[rank] % TEAM_MAX;
    team->first[rank] = 1 + writer->threads_made[rank];
    team->now_ps[rank][0] = writer->now_ps[rank];
    if (!in(writer->guarded, rank)) TRY(unlock(team, rank, 0, ID_sem_post, GUARD_SEMAPHORE, err));
    writer->guarded |= 1u << rank;
    for (uint32_t t = 1; t < team->count[rank]; t++) {
        struct trace_call call = new_call(ID_pthread_create, TRACE_NONE);
        call.ref = team->first[rank] + t - 1;
        TRY(put_at(team, rank, 0, &call, 0, 0, err));
        writer->threads_made[rank]++;
        struct trace_call begin = new_call(ID_thread_begin, TRACE_NONE);
        TRY(put_at(team, rank, t, &begin, call.exit_ps, 0, err));
    }
    return STATUS_OK;
}

static enum status write_join(struct team *team, uint32_t rank, struct err *err)
{
    for (uint32_t t = 1; t < team->count[rank]; t++) {
        TRY(put_call(team, rank, t, new_call(ID_thread_end, TRACE_NONE), err));
        struct trace_call call = new_call(ID_pthread_join, TRACE_NONE);
        call.ref = team->first[rank] + t - 1;
        TRY(put_at(team, rank, 0, &call, 0, team->now_ps[rank][t], err));
    }
    team->writer->now_ps[rank] = team->now_ps[rank][0];
    return STATUS_OK;
}

/* With lock_all around, barriers keep exclusive locks of phases before and after away: their owners may be waited for
 * inside. */
enum status write_threads(struct writer *writer, const struct phase *phase, struct err *err)
{
    struct team team = {.writer = writer, .phase = phase, .members = members_of_comm(writer->program, phase->comm)};
    int32_t window = writer->window_of[phase->window];
    uint32_t of_window = phase->together ? members_of_window(writer->program, phase->window) : 0;
    struct trace_call barrier = new_call(ID_Barrier, writer->comm_of[writer->program->window_comm[phase->window]]);
    TRY(put_all(writer, of_window, barrier, err));
    uint32_t locked = team.members & of_window;
    TRY(put_all(writer, locked, new_call(ID_Win_lock_all, window), err));
    for (uint32_t r = 0; r < RANKS_MAX; r++)
        if (in(team.members, r)) TRY(write_fork(&team, r, err));
    TRY(write_items(&team, err));
    for (uint32_t r = 0; r < RANKS_MAX; r++)
        if (in(team.members, r)) TRY(write_join(&team, r, err));
    TRY(put_all(writer, locked, new_call(ID_Win_unlock_all, window), err));
    return put_all(writer, of_window, barrier, err);
}
