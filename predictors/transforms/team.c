#include "predictors/transforms/team.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/map.h"
#include "platforms/platform.h"
#include "simulate/engine/engine.h"
#include "simulate/replay/replay.h"

/* From one lock, unlock or barrier of a thread to the next one, or to its end. Between them it may wait at or signal one
 * condition, maybe several times until its predicate is true. */
struct slot {
    int64_t before_ps, behind_ps; /* computing before the calls on the condition, and behind them */
    size_t condition;             /* the first of these calls, SIZE_MAX: none */
    size_t call;                  /* SIZE_MAX: the end */
};

struct member {
    struct slot *slots, open; /* the open one is the last one */
    size_t count, capacity;
    int64_t work_ps;
    uint32_t thread;
    bool present;
};

/* What the calls of all members on a slot's condition mean together. */
enum role {
    ROLE_NONE,
    ROLE_MEET,   /* all members but the last one wait, which wakes them */
    ROLE_WAIT,   /* each waits until thread 0 wakes all */
    ROLE_REPORT, /* thread 0 waits until all were here */
};

struct team {
    const struct trace *trace;
    uint32_t rank; /* of the region */
    uint32_t threads;
    struct platform *platform;
    const struct engine_descriptor *engine;
    struct member *all, **members; /* by thread; those that share the work, the one that computes longest first */
    size_t count, member_count;
    uint32_t seen; /* threads of the region: up to here */
    enum role *roles; /* of the members' slots */
    bool *own;        /* slots whose computing is each member's own */
    size_t role_capacity, own_capacity;
    struct map users, taken, held; /* objects */
    struct map next_slots;         /* of a condition: where the next of its calls of thread 0 belongs */
    bool waits;
    struct trace *made;
    int64_t *now_ps; /* of the made trace's threads */
};

enum { USERS_SEVERAL = UINT32_MAX, OBJECT_MADE = 1u << 31 };

bool team_knows(const struct trace_call *call)
{
    const enum call_kind kind = call_kind(call->call);
    return call_works_on(kind, OBJECT_MUTEX) || call_works_on(kind, OBJECT_CONDITION) || call_works_on(kind, OBJECT_RWLOCK);
}

static const struct trace_call *call_of(const struct team *team, size_t index)
{
    return &team->trace->ranks[team->rank].calls[index];
}

/* Tries that got it are as calls that waited for it. */
static enum mpi_call plain_call(const struct trace_call *call)
{
    const struct call_kind_row *row = &call_kind_rows[call_kind(call->call)];
    if (row->works_on == OBJECT_MUTEX) return row->does == CALL_TAKES ? ID_pthread_mutex_lock : ID_pthread_mutex_unlock;
    if (row->works_on != OBJECT_RWLOCK) return ID_pthread_barrier_wait;
    return row->does == CALL_TAKES ? ID_pthread_rwlock_wrlock : row->does == CALL_SHARES ? ID_pthread_rwlock_rdlock
                                                                                        : ID_pthread_rwlock_unlock;
}

static bool is_waiting(const struct trace_call *call)
{
    return call_kind_rows[call_kind(call->call)].does == CALL_DOES_NOTHING;
}

static enum status refuse_call(const struct team *team, uint32_t thread, size_t call, const char *why, struct err *err)
{
    return err_set(err, STATUS_DATA, team->trace->name, NULL,
                   "thread %" PRIu32 " of rank %" PRIu32 " calls %s (event %zu) %s: what other numbers of threads do does not "
                   "follow from it", thread, team->rank, call_name(call_of(team, call)->call), call + 1, why);
}

enum status team_open(const struct trace *trace, uint32_t threads, uint32_t cores, struct team **team, struct err *err)
{
    struct team *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    *made = (struct team){.trace = trace, .threads = threads, .engine = engine_by_name("loggp")};
    for (uint32_t r = 0; r < trace->rank_count; r++)
        if (trace_thread_count(trace, r) > made->count) made->count = trace_thread_count(trace, r);
    made->all = calloc(made->count, sizeof *made->all);
    made->members = calloc(made->count, sizeof *made->members);
    made->now_ps = calloc((size_t)threads + 1, sizeof *made->now_ps);
    enum status status = made->all && made->members && made->now_ps ? STATUS_OK : err_memory(err);
    if (status == STATUS_OK) status = platform_open("ideal", NULL, 0, &made->platform, err);
    if (status == STATUS_OK) made->platform->groups[0].cores = (int32_t)(cores < threads ? cores : threads + 1);
    GIVE(status, *team = made, team_close(made));
}

void team_close(struct team *team)
{
    if (!team) return;
    for (size_t t = 0; team->all && t < team->count; t++) free(team->all[t].slots);
    platform_free(team->platform);
    map_clear(&team->users);
    map_clear(&team->taken);
    map_clear(&team->held);
    map_clear(&team->next_slots);
    FREE_ALL(team->all, team->members, team->roles, team->own, team->now_ps, team);
}

static const struct slot empty_slot = {.condition = SIZE_MAX, .call = SIZE_MAX};

void team_empty(struct team *team)
{
    for (uint32_t t = 0; t < team->seen; t++) {
        struct member *member = &team->all[t];
        *member = (struct member){.slots = member->slots, .capacity = member->capacity};
    }
    team->seen = 0;
    team->waits = false;
}

bool team_waits(const struct team *team)
{
    return team->waits;
}

enum status team_add(struct team *team, uint32_t rank, uint32_t thread, size_t index, int64_t gap_ps, struct err *err)
{
    struct member *member = &team->all[thread];
    const struct trace_call *call = &team->trace->ranks[rank].calls[index];
    const enum call_kind kind = call_kind(call->call);
    const bool failed = (call_row(call->call)->needed & F_FLAG) && !(call->flags & TRACE_FLAG);
    team->rank = rank;
    if (!member->present) *member = (struct member){.slots = member->slots, .capacity = member->capacity, .open = empty_slot};
    if (thread >= team->seen) team->seen = thread + 1;
    member->present = true;
    member->thread = thread;
    member->work_ps += gap_ps;
    struct slot *open = &member->open;
    *(open->condition == SIZE_MAX ? &open->before_ps : &open->behind_ps) += gap_ps;
    if (call_works_on(kind, OBJECT_CONDITION)) {
        const struct trace_call *first = open->condition == SIZE_MAX ? call : call_of(team, open->condition);
        team->waits = true;
        if (failed) return refuse_call(team, thread, index, "and its time runs out", err);
        if (first->primitive.object != call->primitive.object || is_waiting(first) != is_waiting(call))
            return refuse_call(team, thread, index, "in a section that has another call on a condition", err);
        if (open->condition == SIZE_MAX) open->condition = index;
    } else if ((team_knows(call) && !failed) || call_works_on(kind, OBJECT_BARRIER)) {
        team->waits = team->waits || team_knows(call);
        open->call = index;
        ARRAY_PUSH(member->slots, member->count, member->capacity, *open, err);
        *open = empty_slot;
    }
    return STATUS_OK;
}

/* --- who takes part, and in what --- */

static enum status note_user(struct team *team, uint32_t object, uint32_t user, struct err *err)
{
    uint64_t *slot;
    TRY(map_put(&team->users, object, user, &slot, err));
    if (*slot != user) *slot = USERS_SEVERAL;
    return STATUS_OK;
}

static enum status find_users(struct team *team, struct err *err)
{
    uint32_t workers = 0;
    map_empty(&team->users);
    for (uint32_t t = 0; t < team->seen; t++) {
        struct member *member = &team->all[t];
        if (!member->present) continue;
        workers += t > 0;
        ARRAY_PUSH(member->slots, member->count, member->capacity, member->open, err);
        for (size_t i = 0; i + 1 < member->count; i++)
            TRY(note_user(team, call_of(team, member->slots[i].call)->primitive.object, t, err));
    }
    if (workers > 1) return STATUS_OK;
    for (size_t i = 0; i + 1 < team->all[1].count && workers == 1; i++) /* what one thread takes, others would take too */
        TRY(map_set(&team->users, call_of(team, team->all[1].slots[i].call)->primitive.object, USERS_SEVERAL, err));
    return STATUS_OK;
}

static bool is_shared(const struct team *team, uint32_t object)
{
    return *map_find(&team->users, object) == USERS_SEVERAL;
}

/* The first slot in which the two do not the same; SIZE_MAX: none. */
static size_t first_difference(const struct team *team, const struct member *one, const struct member *other)
{
    for (size_t i = 0; i < one->count && i < other->count; i++) {
        const bool ends = one->slots[i].call == SIZE_MAX, other_ends = other->slots[i].call == SIZE_MAX;
        if (ends && other_ends) break;
        if (ends || other_ends) return i;
        const struct trace_call *a = call_of(team, one->slots[i].call), *b = call_of(team, other->slots[i].call);
        const bool same = a->primitive.object == b->primitive.object;
        const bool own = !is_shared(team, a->primitive.object) && !is_shared(team, b->primitive.object);
        if (plain_call(a) != plain_call(b) || !(same || own)) return i;
    }
    return SIZE_MAX;
}

static bool computes_longer(const struct member *one, const struct member *other)
{
    return one->work_ps > other->work_ps;
}

/* A phase ends where all members meet. */
static bool ends_phase(const struct team *team, const struct slot *slot)
{
    return slot->call != SIZE_MAX && plain_call(call_of(team, slot->call)) == ID_pthread_barrier_wait;
}

static void count_condition(const struct team *team, const struct slot *slot, size_t *waiting, size_t *waking)
{
    if (slot->condition != SIZE_MAX) *(is_waiting(call_of(team, slot->condition)) ? waiting : waking) += 1;
}

/* Thread 0, taking the locks that the members take, is one of them if it comes to their barriers or computes half as long as they
 * do. At their conditions it must be one of those who meet. */
static bool shares_work(const struct team *team, const struct member *first)
{
    int64_t sum_ps = 0;
    bool meets = false;
    for (size_t i = 0; i < first->count; i++) {
        size_t waiting = 0, waking = 0;
        count_condition(team, &first->slots[i], &waiting, &waking);
        for (size_t m = 0; m < team->member_count; m++) count_condition(team, &team->members[m]->slots[i], &waiting, &waking);
        if (waiting + waking > 0 && (waking != 1 || waiting != team->member_count)) return false;
        meets = meets || ends_phase(team, &first->slots[i]);
    }
    for (size_t m = 0; m < team->member_count; m++) sum_ps += team->members[m]->work_ps;
    return meets || (first->count > 1 && 2 * (double)first->work_ps * (double)team->member_count >= (double)sum_ps);
}

static enum status find_members(struct team *team, size_t opened, bool openmp, struct err *err)
{
    struct member *model = NULL;
    team->member_count = 0;
    for (uint32_t t = team->seen; t-- > 0;) { /* thread 0 comes last, and may be beside them */
        struct member *member = &team->all[t];
        if (!member->present) continue;
        const size_t differs = model ? first_difference(team, model, member) : SIZE_MAX;
        if (t == 0 && !openmp && (!model || differs != SIZE_MAX || !shares_work(team, member))) continue;
        if (differs != SIZE_MAX) {
            const bool ends = member->slots[differs].call == SIZE_MAX;
            char why[64];
            snprintf(why, sizeof why, "where thread %" PRIu32 " does not", ends ? t : model->thread);
            const struct member *more = ends ? model : member;
            return refuse_call(team, more->thread, more->slots[differs].call, why, err);
        }
        model = model ? model : member;
        size_t place = team->member_count++;
        for (; place > 0 && !computes_longer(team->members[place - 1], member); place--)
            team->members[place] = team->members[place - 1];
        team->members[place] = member;
    }
    if (model) return STATUS_OK;
    return err_set(err, STATUS_DATA, team->trace->name, NULL,
                   "no thread computes in the region that thread 0 of rank %" PRIu32 " begins (event %zu)", team->rank,
                   opened + 1);
}

/* Thread 0, if it goes on beside the members. */
static const struct member *find_beside(const struct team *team)
{
    const struct member *first = &team->all[0];
    for (size_t m = 0; m < team->member_count; m++)
        if (team->members[m] == first) return NULL;
    return first->present ? first : NULL;
}

static size_t count_calls(const struct team *team, const struct member *member, uint32_t condition, bool waiting)
{
    size_t count = 0;
    for (size_t i = 0; member && i < member->count; i++) {
        if (member->slots[i].condition == SIZE_MAX) continue;
        const struct trace_call *call = call_of(team, member->slots[i].condition);
        count += call->primitive.object == condition && is_waiting(call) == waiting;
    }
    return count;
}

static enum status find_role(const struct team *team, size_t slot, enum role *role, struct err *err)
{
    size_t waiting = 0, waking = 0;
    const struct trace_call *first = NULL;
    const struct member *who = NULL;
    *role = ROLE_NONE;
    for (size_t m = 0; m < team->member_count; m++) {
        const size_t index = team->members[m]->slots[slot].condition;
        if (index == SIZE_MAX) continue;
        const struct trace_call *call = call_of(team, index);
        first = first ? first : call;
        who = team->members[m];
        if (call->primitive.object != first->primitive.object)
            return refuse_call(team, who->thread, index, "where another thread calls on another condition", err);
        count_condition(team, &who->slots[slot], &waiting, &waking);
    }
    if (!first) return STATUS_OK;
    const uint32_t condition = first->primitive.object;
    const struct member *beside = find_beside(team);
    const bool woken = count_calls(team, beside, condition, false) > 0, awaited = count_calls(team, beside, condition, true) > 0;
    const char *why = "and no other thread shows why it waits";
    if (waking == 1 && waiting > 0 && waiting + 1 == team->member_count) *role = ROLE_MEET;
    if (waking == 0 && woken) *role = ROLE_WAIT;
    if (waiting == 0 && awaited) *role = ROLE_REPORT;
    if (waking > 0 && waiting > 0) why = "where some of the threads wait for it, and not all others";
    if (waiting == 0 && !awaited && team->member_count > 1) return STATUS_OK; /* nobody waited for it */
    if (waiting == 0 && !awaited) why = "and no other thread shows who would wait for it";
    return *role != ROLE_NONE ? STATUS_OK : refuse_call(team, who->thread, who->slots[slot].condition, why, err);
}

static uint32_t slot_condition(const struct team *team, size_t slot)
{
    for (size_t m = 0;; m++) {
        const size_t index = team->members[m]->slots[slot].condition;
        if (index != SIZE_MAX) return call_of(team, index)->primitive.object;
    }
}

/* Thread 0 must wake, or wait for, the members as often as they are at a condition. */
static enum status check_beside(const struct team *team, struct err *err)
{
    const struct member *beside = find_beside(team);
    for (size_t i = 0; beside && i < beside->count; i++) {
        const struct slot *slot = &beside->slots[i];
        if (ends_phase(team, slot))
            return refuse_call(team, 0, slot->call, "beside its threads", err);
        if (slot->condition == SIZE_MAX) continue;
        const struct trace_call *call = call_of(team, slot->condition);
        const enum role role = is_waiting(call) ? ROLE_REPORT : ROLE_WAIT;
        size_t count = 0;
        for (size_t k = 0; k < team->members[0]->count; k++)
            count += team->roles[k] == role && slot_condition(team, k) == call->primitive.object;
        if (count == count_calls(team, beside, call->primitive.object, is_waiting(call))) continue;
        if (count == 0 && !is_waiting(call)) continue; /* no member waited for it */
        return refuse_call(team, 0, slot->condition, "not as often as its threads are at the condition", err);
    }
    return STATUS_OK;
}

static enum status count_taken(struct team *team, const struct member *model, struct err *err)
{
    uint32_t phase = 0;
    map_empty(&team->taken);
    for (size_t i = 0; i + 1 < model->count; i++) {
        const struct trace_call *call = call_of(team, model->slots[i].call);
        uint64_t *count;
        phase += team->roles[i] == ROLE_MEET;
        TRY(map_put(&team->taken, map_pair(phase, call->primitive.object), 0, &count, err));
        *count += call_kind_rows[call_kind(call->call)].does != CALL_GIVES;
        phase += ends_phase(team, &model->slots[i]);
    }
    return STATUS_OK;
}

/* A lock that a member takes once in a phase guards its own share of something; one that it takes again guards the passes of a
 * loop, which are shared. */
static enum status find_own(struct team *team, struct err *err)
{
    const struct member *model = team->members[0];
    uint32_t phase = 0;
    size_t once = 0;
    map_empty(&team->held);
    TRY(count_taken(team, model, err));
    for (size_t i = 0; i < model->count; i++) {
        const struct slot *slot = &model->slots[i];
        team->own[i] = once > 0;
        if (slot->call == SIZE_MAX) break;
        const struct trace_call *call = call_of(team, slot->call);
        const uint32_t object = call->primitive.object;
        uint64_t was_once = 0;
        phase += team->roles[i] == ROLE_MEET;
        if (call_kind_rows[call_kind(call->call)].does == CALL_GIVES)
            once -= map_take(&team->held, object, &was_once) && was_once;
        else if (!ends_phase(team, slot) && is_shared(team, object) && !map_find(&team->held, object)) {
            was_once = *map_find(&team->taken, map_pair(phase, object)) == 1;
            TRY(map_set(&team->held, object, was_once, err));
            once += was_once;
        }
        phase += ends_phase(team, slot);
    }
    if (team->held.count == 0) return STATUS_OK;
    return err_set(err, STATUS_DATA, team->trace->name, NULL,
                   "thread %" PRIu32 " of rank %" PRIu32 " ends with a lock that it has", model->thread, team->rank);
}

/* --- the region on N threads --- */

static enum status add_call(struct team *team, uint32_t thread, enum mpi_call id, uint32_t object, struct err *err)
{
    struct trace_call call = {.call = (uint16_t)id, .handle = TRACE_NONE, .peer = TRACE_NONE, .any = TRACE_NO_MEMBERS};
    call.enter_ps = call.exit_ps = team->now_ps[thread];
    call.primitive.object = object;
    if (id == ID_pthread_barrier_wait) call.primitive.parties = team->threads;
    if (id == ID_sem_wait || id == ID_sem_post) call.primitive.value = 0;
    return trace_add_thread_call(team->made, 0, thread, &call, err);
}

static enum status add_calls(struct team *team, uint32_t thread, enum mpi_call id, uint32_t object, uint32_t count,
                             struct err *err)
{
    for (; count > 0; count--) TRY(add_call(team, thread, id, object, err));
    return STATUS_OK;
}

/* A wait of so many units of a semaphore, or at a barrier, in which a mutex is free. */
static enum status add_wait(struct team *team, uint32_t thread, enum mpi_call id, size_t slot, uint32_t count, int64_t mutex,
                            struct err *err)
{
    const bool frees = mutex >= 0 && map_find(&team->users, (uint64_t)mutex) && is_shared(team, (uint32_t)mutex);
    if (frees) TRY(add_call(team, thread, ID_pthread_mutex_unlock, (uint32_t)mutex, err));
    TRY(add_calls(team, thread, id, (uint32_t)OBJECT_MADE + (uint32_t)slot, count, err));
    return frees ? add_call(team, thread, ID_pthread_mutex_lock, (uint32_t)mutex, err) : STATUS_OK;
}

/* The mutex of those that wait in the slot. */
static int64_t slot_mutex(const struct team *team, size_t slot)
{
    for (size_t m = 0; m < team->member_count; m++) {
        const size_t index = team->members[m]->slots[slot].condition;
        if (index != SIZE_MAX && is_waiting(call_of(team, index))) return call_of(team, index)->primitive.mutex;
    }
    return -1;
}

static enum status add_role(struct team *team, uint32_t thread, size_t slot, struct err *err)
{
    switch (team->roles[slot]) {
    case ROLE_MEET: return add_wait(team, thread, ID_pthread_barrier_wait, slot, 1, slot_mutex(team, slot), err);
    case ROLE_WAIT: return add_wait(team, thread, ID_sem_wait, slot, 1, slot_mutex(team, slot), err);
    case ROLE_REPORT: return add_call(team, thread, ID_sem_post, (uint32_t)OBJECT_MADE + (uint32_t)slot, err);
    default: return STATUS_OK;
    }
}

/* A call of thread 0, beside the members, on a condition: it wakes all, or waits for all. */
static enum status add_beside_role(struct team *team, const struct trace_call *call, struct err *err)
{
    const enum role role = is_waiting(call) ? ROLE_REPORT : ROLE_WAIT;
    uint64_t *next;
    TRY(map_put(&team->next_slots, map_pair(role, call->primitive.object), 0, &next, err));
    for (size_t slot = *next; slot < team->members[0]->count; slot++) {
        if (team->roles[slot] != role || slot_condition(team, slot) != call->primitive.object) continue;
        *next = slot + 1;
        if (role == ROLE_REPORT) return add_wait(team, 0, ID_sem_wait, slot, team->threads, call->primitive.mutex, err);
        return add_calls(team, 0, ID_sem_post, (uint32_t)OBJECT_MADE + (uint32_t)slot, team->threads, err);
    }
    return STATUS_OK;
}

static enum status add_steps(struct team *team, uint32_t thread, const struct member *member, double share, struct err *err)
{
    const bool beside = member == find_beside(team);
    for (size_t i = 0; i < member->count; i++) {
        const struct slot *slot = &member->slots[i];
        const double times = beside || team->own[i] ? 1 : share;
        team->now_ps[thread] += llround((double)slot->before_ps * times);
        if (!beside) TRY(add_role(team, thread, i, err));
        if (beside && slot->condition != SIZE_MAX) TRY(add_beside_role(team, call_of(team, slot->condition), err));
        team->now_ps[thread] += llround((double)slot->behind_ps * times);
        if (slot->call == SIZE_MAX) break;
        const struct trace_call *call = call_of(team, slot->call);
        if (is_shared(team, call->primitive.object)) TRY(add_call(team, thread, plain_call(call), call->primitive.object, err));
    }
    return STATUS_OK;
}

static enum status write_region(struct team *team, struct err *err)
{
    const struct member *beside = find_beside(team);
    const bool takes_part = !beside && team->all[0].present;
    const double share = (double)team->member_count / team->threads;
    const uint32_t first = takes_part ? 0 : 1, last = team->threads - (takes_part ? 1 : 0);
    map_empty(&team->next_slots);
    for (uint32_t t = 0; t <= last; t++) team->now_ps[t] = 0;
    TRY(add_call(team, 0, ID_thread_begin, TRACE_NO_REF, err)); /* the replay begins with a call */
    for (uint32_t t = 1; t <= last; t++) TRY(add_call(team, 0, ID_pthread_create, t, err));
    if (beside) TRY(add_steps(team, 0, beside, 1, err));
    for (uint32_t t = first; t <= last; t++) {
        if (t > 0) TRY(add_call(team, t, ID_thread_begin, TRACE_NO_REF, err));
        TRY(add_steps(team, t, team->members[(t - first) % team->member_count], share, err));
        if (t > 0) TRY(add_call(team, t, ID_thread_end, TRACE_NO_REF, err));
    }
    for (uint32_t t = 1; t <= last; t++) TRY(add_call(team, 0, ID_pthread_join, t, err));
    return trace_sort_threads(team->made, err);
}

static enum status replay_region(struct team *team, int64_t *region_ps, struct err *err)
{
    const struct replay_options options = {.engine = team->engine};
    struct replay_outcome outcome;
    TRY(trace_new(team->trace->name, 1, &team->made, err));
    enum status status = write_region(team, err);
    if (status == STATUS_OK) status = replay_run(team->made, team->platform, &options, &outcome, err);
    trace_free(team->made);
    if (status != STATUS_OK) return status;
    *region_ps = outcome.run_time_ps;
    replay_outcome_clear(&outcome);
    return STATUS_OK;
}

enum status team_time(struct team *team, uint32_t rank, size_t opened, bool openmp, int64_t *region_ps, uint32_t *members,
                      struct err *err)
{
    team->rank = rank;
    TRY(find_users(team, err));
    TRY(find_members(team, opened, openmp, err));
    const size_t slots = team->members[0]->count;
    TRY(array_reserve((void **)&team->roles, &team->role_capacity, slots, sizeof *team->roles, err));
    TRY(array_reserve((void **)&team->own, &team->own_capacity, slots, sizeof *team->own, err));
    for (size_t i = 0; i < slots; i++) TRY(find_role(team, i, &team->roles[i], err));
    TRY(check_beside(team, err));
    TRY(find_own(team, err));
    for (size_t i = 0; i + 1 < slots; i++) {
        const size_t call = team->members[0]->slots[i].call;
        const bool some = ends_phase(team, &team->members[0]->slots[i]) &&
                          call_of(team, call)->primitive.parties != (int64_t)team->member_count;
        if (some) return refuse_call(team, team->members[0]->thread, call, "which is not of all threads of the region", err);
    }
    TRY(replay_region(team, region_ps, err));
    *members = (uint32_t)team->member_count;
    return STATUS_OK;
}
