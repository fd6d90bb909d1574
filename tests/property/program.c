#include "tests/property/program.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "tests/property/knobs.h"
#include "tests/property/program_parts.h"

enum { NESTED_PERCENT = 15, BYTES_MAX = 1 << 20 };

int64_t random_bytes(struct random *random)
{
    static const int64_t usual[] = {0, 1, 8, 1000, 2048, 8192, 8193, 65536, 65537, BYTES_MAX};
    uint32_t count = sizeof usual / sizeof *usual;
    uint32_t pick = random_below(random, count + 3);
    return pick < count ? usual[pick] : random_below(random, BYTES_MAX >> random_below(random, 16));
}

uint32_t random_member(struct random *random, uint32_t members)
{
    uint32_t rank;
    do rank = random_below(random, RANKS_MAX);
    while (!(members >> rank & 1));
    return rank;
}

enum status add_item(struct phase *phase, const struct item *item, struct err *err)
{
    ARRAY_PUSH(phase->items, phase->item_count, phase->item_capacity, *item, err);
    return STATUS_OK;
}

static enum status add_operations(struct random *random, struct phase *phase, uint32_t origin, uint32_t targets,
                                  uint32_t slot, struct err *err)
{
    static const enum mpi_call calls[] = {ID_Put,        ID_Put,          ID_Put,
                                          ID_Get,        ID_Get,          ID_Accumulate,
                                          ID_Accumulate, ID_Get_accumulate, ID_Fetch_and_op,
                                          ID_Compare_and_swap};
    static const enum mpi_call with_requests[] = {ID_Rput, ID_Rget, ID_Raccumulate, ID_Rget_accumulate};
    static const enum mpi_call flushes[] = {ID_Win_flush, ID_Win_flush_all, ID_Win_flush_local, ID_Win_flush_local_all,
                                            ID_Win_sync};
    for (uint32_t n = random_below(random, 4); targets && n > 0; n--) {
        struct item item = {
            .kind = ITEM_OPERATION,
            .call = calls[random_below(random, sizeof calls / sizeof *calls)],
            .origin = origin,
            .target = random_member(random, targets),
            .bytes = random_bytes(random),
            .slot = slot,
            .nowhere = random_chance(random, 5),
        };
        if (phase->nested) {
            TRY(add_item(phase, &item, err));
            continue;
        }
        if (phase->kind == PHASE_LOCK && random_chance(random, 20)) item.call = with_requests[random_below(random, 4)];
        if (phase->kind == PHASE_LOCK && random_chance(random, 30)) item.flush = flushes[random_below(random, 5)];
        TRY(add_item(phase, &item, err));
    }
    return STATUS_OK;
}

static enum status make_pscw(struct random *random, uint32_t members, struct phase *phase, struct err *err)
{
    phase->order = (enum pscw_order)(random_chance(random, 60) ? 0 : random_below(random, 3));
    phase->empty_groups = random_chance(random, 10);
    phase->tests = random_chance(random, 15);
    phase->nocheck = phase->order == ORDER_POST_FIRST && random_chance(random, 15);
    uint32_t percent = 20 + random_below(random, 60);
    for (uint32_t r = 0; r < RANKS_MAX; r++) {
        if (!(members >> r & 1)) continue;
        for (uint32_t k = 0; k < RANKS_MAX; k++) {
            bool may = members >> k & 1 && (phase->order == ORDER_POST_FIRST || k < r);
            if (may && random_chance(random, percent)) phase->targets[r] |= 1u << k;
        }
        TRY(add_operations(random, phase, r, phase->targets[r], 0, err));
    }
    return STATUS_OK;
}

static enum status make_fence(struct random *random, uint32_t members, struct phase *phase, struct err *err)
{
    phase->epochs = random_below(random, 4);
    static const uint16_t hints[] = {0, 0, TRACE_NOSTORE};
    phase->first_flags = (random_chance(random, 60) ? TRACE_NOPRECEDE : 0) | hints[random_below(random, 3)];
    phase->last_flags = (random_chance(random, 60) ? TRACE_NOSUCCEED | TRACE_NOPUT : 0) | hints[random_below(random, 3)];
    for (uint32_t slot = 0; slot < phase->epochs; slot++)
        for (uint32_t r = 0; r < RANKS_MAX; r++)
            if (members >> r & 1) TRY(add_operations(random, phase, r, members, slot, err));
    return STATUS_OK;
}

/* NOCHECK only where nothing can be in the way: shared locks alone. */
static enum status make_lock(struct random *random, uint32_t members, struct phase *phase, struct err *err)
{
    uint32_t slot = 0;
    bool all_shared = random_chance(random, 15);
    phase->together = random_chance(random, 30);
    phase->tests = random_chance(random, 15);
    phase->nested = random_chance(random, 20);
    for (uint32_t r = 0; r < RANKS_MAX; r++) {
        for (uint32_t n = random_below(random, 3); members >> r & 1 && n > 0; n--) {
            uint16_t exclusive = random_chance(random, 50) ? TRACE_EXCLUSIVE : 0;
            bool all = !phase->nested && random_chance(random, 20);
            struct item item = {
                .kind = ITEM_LOCK,
                .call = all ? ID_Win_lock_all : ID_Win_lock,
                .origin = r,
                .target = random_member(random, members),
                .slot = slot,
                .flags = all_shared ? TRACE_NOCHECK
                         : all      ? 0
                                    : exclusive,
            };
            TRY(add_item(phase, &item, err));
            TRY(add_operations(random, phase, r, all ? members : 1u << item.target, slot++, err));
        }
    }
    return STATUS_OK;
}

static enum status make_phase(struct random *random, const struct program *program, struct phase *phase,
                              struct err *err)
{
    static const enum phase_kind kinds[] = {PHASE_PSCW, PHASE_PSCW, PHASE_FENCE, PHASE_FENCE, PHASE_LOCK,
                                            PHASE_LOCK, PHASE_MESSAGES, PHASE_MESSAGES,
                                            PHASE_COLLECTIVE, PHASE_COLLECTIVE, PHASE_COMM};
    static const enum phase_kind of_subject[] = {[SUBJECT_THREADS] = PHASE_THREADS, [SUBJECT_SHMEM] = PHASE_SHMEM};
    bool more = program->subject == SUBJECT_THREADS || program->subject == SUBJECT_SHMEM;
    phase->kind = kinds[random_below(random, sizeof kinds / sizeof *kinds)];
    if (more && random_chance(random, 40)) phase->kind = of_subject[program->subject];
    phase->seed = random_next(random);
    phase->window = random_below(random, program->windows);
    phase->comm = random_below(random, program->comms);
    uint32_t of_window = program->comm_members[program->window_comm[phase->window]];
    uint32_t of_comm = program->comm_members[phase->comm];
    switch (phase->kind) {
    case PHASE_PSCW: return make_pscw(random, of_window, phase, err);
    case PHASE_FENCE: return make_fence(random, of_window, phase, err);
    case PHASE_LOCK: return make_lock(random, of_window, phase, err);
    case PHASE_MESSAGES: return make_messages(random, of_comm, of_window, phase, err);
    case PHASE_THREADS: return make_threads(random, of_comm, phase, err);
    case PHASE_SHMEM: return make_shmem(random, program->alive, phase, err);
    case PHASE_COMM: make_comm(random, of_comm, phase); return STATUS_OK;
    default: make_collective(random, of_comm, phase); return STATUS_OK;
    }
}

static bool holds_others(const struct phase *phase)
{
    if (phase->kind == PHASE_COLLECTIVE) return call_makes_request(phase->call);
    return phase->kind == PHASE_PSCW && phase->order == ORDER_POST_FIRST;
}

/* Inside the epoch of the PSCW phase or the collective before it, if it does not use the same window (MPI-3.1 11.5:
 * epochs of one window do not overlap). Other orders than post first would wait for what comes after the inner phase.
 */
static void nest(struct random *random, struct program *program, struct phase *phase)
{
    phase->outer = phase->id;
    if (program->phase_count == 0) return;
    const struct phase *last = &program->phases[program->phase_count - 1];
    if (last->outer != last->id) last = &program->phases[last->outer]; /* ids are indices while phases are made */
    if (!holds_others(last) || !random_chance(random, 3 * NESTED_PERCENT)) return;
    bool one_sided = phase->kind <= PHASE_LOCK || phase->kind == PHASE_THREADS || phase->mixed;
    if (last->kind == PHASE_PSCW && one_sided && phase->window == last->window) return;
    phase->outer = last->id;
}

static enum status make_phases(struct random *random, struct program *program, struct err *err)
{
    for (uint32_t n = 1 + random_below(random, 8), id = 0; n > 0; n--, id++) {
        struct phase phase = {.id = id};
        enum status status = make_phase(random, program, &phase, err);
        if (status == STATUS_OK)
            status = array_reserve((void **)&program->phases, &program->phase_capacity, program->phase_count + 1,
                                   sizeof *program->phases, err);
        if (status != STATUS_OK) {
            free(phase.items);
            return status;
        }
        nest(random, program, &phase);
        program->phases[program->phase_count++] = phase;
    }
    return STATUS_OK;
}

/* Few ranks as a rule: more than eight only for the algorithms of collectives that need them. */
static void make_shape(struct random *random, struct program *program)
{
    program->ranks = random_chance(random, 90) ? 1 + random_below(random, 6) : 7 + random_below(random, RANKS_MAX - 6);
    program->alive = (1u << program->ranks) - 1;
    program->comms = 1 + random_below(random, COMMS_MAX);
    program->windows = 1 + random_below(random, WINDOWS_MAX);
    program->windows_alive = (1u << program->windows) - 1;
    program->comm_members[0] = program->alive;
    for (uint32_t c = 1; c < program->comms; c++)
        do program->comm_members[c] = (uint32_t)random_next(random) & program->alive;
        while (program->comm_members[c] == 0);
    for (uint32_t w = 0; w < program->windows; w++) {
        program->window_comm[w] = random_chance(random, 60) ? 0 : random_below(random, program->comms);
        program->window_flavor[w] = "aacsd"[random_below(random, 5)];
    }
    program->computes = random_chance(random, 90);
    program->init = random_chance(random, 30);
    program->regions = program->subject != SUBJECT_THREADS && random_chance(random, 25);
    struct random aside = *random; /* the programs of all seeds are else as they were */
    program->sleeps = program->subject != SUBJECT_THREADS && random_chance(&aside, 40);
}

enum status program_make(uint64_t seed, enum subject subject, struct program *program, struct err *err)
{
    struct random random = {seed};
    struct program made = {.seed = seed, .subject = subject};
    make_shape(&random, &made);
    knobs_turn(&random, made.knobs);
    enum status status = make_phases(&random, &made, err);
    if (status != STATUS_OK) {
        program_clear(&made);
        return status;
    }
    *program = made;
    return STATUS_OK;
}

enum status program_copy(const struct program *program, struct program *copy, struct err *err)
{
    struct program made = *program;
    made.phases = calloc(program->phase_count + 1, sizeof *made.phases);
    made.phase_capacity = program->phase_count;
    made.phase_count = 0;
    if (!made.phases) return err_memory(err);
    for (size_t i = 0; i < program->phase_count; i++) {
        const struct phase *from = &program->phases[i];
        struct phase *to = &made.phases[made.phase_count++];
        *to = *from;
        to->item_capacity = from->item_count;
        to->items = calloc(from->item_count + 1, sizeof *to->items);
        if (!to->items) {
            program_clear(&made);
            return err_memory(err);
        }
        if (from->item_count > 0) memcpy(to->items, from->items, from->item_count * sizeof *to->items);
    }
    *copy = made;
    return STATUS_OK;
}

enum status program_separate(const struct program *program, struct program *copy, struct err *err)
{
    struct program made;
    TRY(program_copy(program, &made, err));
    struct phase *phases = calloc(2 * program->phase_count + 1, sizeof *phases);
    if (!phases) {
        program_clear(&made);
        return err_memory(err);
    }
    size_t count = 0;
    for (size_t i = 0; i < made.phase_count; i++) {
        const struct phase *phase = &made.phases[i];
        uint32_t id = UINT32_MAX - phase->id; /* of no other phase */
        phases[count++] = *phase;
        bool inner = phase->outer != phase->id;
        phases[count++] = (struct phase){.kind = PHASE_COLLECTIVE,
                                         .id = id,
                                         .outer = inner ? phase->outer : id,
                                         .seed = phase->seed + 1,
                                         .call = ID_Barrier};
    }
    free(made.phases);
    made.phases = phases;
    made.phase_count = count;
    made.phase_capacity = 2 * program->phase_count + 1;
    *copy = made;
    return STATUS_OK;
}

void program_clear(struct program *program)
{
    for (size_t i = 0; i < program->phase_count; i++) free(program->phases[i].items);
    free(program->phases);
    *program = (struct program){0};
}

void program_remove_phase(struct program *program, size_t phase)
{
    free(program->phases[phase].items);
    program->phase_count--;
    memmove(&program->phases[phase], &program->phases[phase + 1],
            (program->phase_count - phase) * sizeof *program->phases);
}

void program_remove_item(struct phase *phase, size_t item)
{
    phase->item_count--;
    memmove(&phase->items[item], &phase->items[item + 1], (phase->item_count - item) * sizeof *phase->items);
}
