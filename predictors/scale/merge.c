#include "predictors/scale/merge.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

enum {
    OFFSETS_MAX = 64,   /* limit of different neighbours of one key; more are no grid */
    CLASSES_MAX = 512,  /* of calls whose order is known; more are merged without */
    STEPS_MAX = 4096,   /* of one body */
    MIXED = -3,         /* the ranks have different partners */
    UNSEEN = -2,
};

/* A step with the ranks that take it. */
struct draft {
    struct step step;              /* body: of struct draft, see below */
    uint16_t series[NODE_SLOTS];    /* bits of the series that they may form in all ranks */
    uint64_t rounds;
    bool *taken;                   /* owned, per rank */
    struct draft *body;            /* owned */
    size_t count;
};

struct drafts {
    struct draft *items;
    size_t count, capacity;
};

struct merger {
    const struct run *run;
    struct keys *keys;
    const struct program *program; /* its communicators and their windows */
    struct grid grid;
    int32_t *common[STEP_PARTNERS]; /* per key: the one partner outside series that all ranks have, MIXED, UNSEEN */
    int64_t *common_group;          /* per key: the one group that is neither all nor all others */
    struct grid_offset offsets[OFFSETS_MAX];
    size_t offset_count;
    struct draft *classes; /* owned: one of each call that fits no other; without bodies and lists */
    size_t class_count, class_capacity;
    bool *before; /* owned, class_count ^ 2: some ranks, or chains of ranks, make a call of the one class before the other's */
    uint32_t rank;
    const struct drafts *all;
    struct err *err;
};

static void set_misfit(const struct keys *keys, uint32_t key)
{
    if (keys->misfit) misfit_set(keys->misfit, keys->names, &keys->items[key]);
}

static enum status refuse_call(const struct merger *merger, const struct observed *call, const char *why)
{
    char place[TRACE_PLACE_BYTES];
    set_misfit(merger->keys, call->key);
    return err_set(merger->err, STATUS_DATA, merger->run->trace->name,
                   trace_place(merger->run->trace, merger->rank, call->at, place), "%s", why);
}

static void drafts_free(struct draft *items, size_t count)
{
    for (size_t i = 0; items && i < count; i++) {
        drafts_free(items[i].body, items[i].count);
        FREE_ALL(items[i].taken, items[i].step.members.listed);
    }
    free(items);
}

/* --- what is common --- */

/* peer: a place in the communicator */
static void note_common(int32_t *common, int32_t peer)
{
    *common = *common == UNSEEN || *common == peer ? peer : MIXED;
}

static const struct trace_group *group_of(const struct merger *merger, const struct observed *call)
{
    return &merger->run->trace->definitions.groups[call->group];
}

static const struct trace_comm *comm_of(const struct merger *merger, const struct observed *call)
{
    return &merger->run->trace->definitions.comms[call->comm];
}

static unsigned shared_of(const struct merger *merger, const struct observed *call)
{
    const struct trace_call *key = &merger->keys->items[call->key];
    if (key->handle < 0) return 0;
    bool on_window = call_row(key->call)->allowed & F_WIN;
    return merger->program->comms[on_window ? merger->program->windows[key->handle].comm : (size_t)key->handle];
}

/* Whether the group has all ranks of the communicator, with or without the calling one. */
static enum members_kind whole_group(const struct merger *merger, const struct observed *call, uint32_t rank)
{
    const struct trace_group *group = group_of(merger, call);
    uint32_t ranks = comm_of(merger, call)->count;
    if (group->count == ranks) return MEMBERS_ALL;
    if (group->count + 1 == ranks && ranks > 2 && trace_group_rank(group, (int32_t)rank) < 0) return MEMBERS_OTHERS;
    return MEMBERS_LISTED;
}

static void note_nodes(struct merger *merger, uint32_t rank, const struct node *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct observed *call = nodes[i].call;
        note_nodes(merger, rank, nodes[i].body, nodes[i].count);
        if (nodes[i].kind != STEP_CALL) continue;
        for (int k = 0; k < STEP_PARTNERS; k++)
            if (!nodes[i].series[k] && call->peers[k] != TRACE_NONE && !(call->turns && k == 0))
                note_common(&merger->common[k][call->key], trace_comm_rank(comm_of(merger, call), call->peers[k]));
        if (call->group == TRACE_NO_REF || nodes[i].series[NODE_MEMBER]) continue;
        if (whole_group(merger, call, rank) != MEMBERS_LISTED) continue;
        int64_t *group = &merger->common_group[call->key];
        *group = *group == UNSEEN || *group == call->group ? (int64_t)call->group : MIXED;
    }
}

static enum status find_common(struct merger *merger, const struct nodes *ranks)
{
    size_t keys = merger->keys->count + 1;
    for (int k = 0; k < STEP_PARTNERS; k++) {
        merger->common[k] = malloc(keys * sizeof *merger->common[k]);
        if (!merger->common[k]) return err_memory(merger->err);
        for (size_t i = 0; i < keys; i++) merger->common[k][i] = UNSEEN;
    }
    merger->common_group = malloc(keys * sizeof *merger->common_group);
    if (!merger->common_group) return err_memory(merger->err);
    for (size_t i = 0; i < keys; i++) merger->common_group[i] = UNSEEN;
    for (uint32_t r = 0; r < merger->run->trace->rank_count; r++)
        note_nodes(merger, r, ranks[r].items, ranks[r].count);
    return STATUS_OK;
}

/* --- one rank's draft --- */

static struct partner absolute_partner(const struct trace_comm *comm, int32_t rank)
{
    struct partner partner = {.kind = PARTNER_RANK, .rank = trace_comm_rank(comm, rank)};
    if (partner.rank == (int32_t)comm->count - 1) partner.kind = PARTNER_LAST;
    if (partner.rank == 0) partner.kind = PARTNER_FIRST;
    return partner;
}

/* The same neighbour the other way round where a periodic side has two ranks. */
static struct grid_offset reverse_offset(const struct merger *merger, struct grid_offset offset)
{
    for (int d = 0; d < GRID_DIMENSIONS; d++)
        if (merger->grid.periodic[d] && merger->grid.extents[d] == 2) offset.of[d] = -offset.of[d];
    return offset;
}

/* Messages with an even tag go upwards, so they come from below; those with an odd tag go downwards. */
static bool goes_down(const struct merger *merger, const struct observed *call, int slot)
{
    const struct trace_call *key = &merger->keys->items[call->key];
    enum call_kind kind = call_kind(key->call);
    if (!merger->program->shifts || !call_is_message(kind)) return false;
    bool source = slot == 1 || !(call_kind_rows[kind].buffers & BUFFERS_SEND);
    int32_t tag = slot == 1 ? (int32_t)key->any.second : key->message.tag;
    return source != (tag % 2 != 0);
}

static enum status make_partner(struct merger *merger, const struct observed *call, int32_t peer, bool absolute, bool reverse,
                                struct partner *partner)
{
    *partner = (struct partner){.kind = PARTNER_NONE};
    if (peer == TRACE_NONE) return STATUS_OK;
    if (absolute) {
        *partner = absolute_partner(comm_of(merger, call), peer);
        return STATUS_OK;
    }
    partner->kind = PARTNER_OFFSET;
    partner->offset = grid_offset_between(&merger->grid, (int32_t)merger->rank, peer);
    if (reverse) partner->offset = reverse_offset(merger, partner->offset);
    for (size_t i = 0; i < merger->offset_count; i++)
        if (grid_offset_equal(&merger->offsets[i], &partner->offset)) return STATUS_OK;
    if (merger->offset_count == OFFSETS_MAX)
        return refuse_call(merger, call, "the partners are no neighbours on a grid, no series of all ranks and no one rank");
    merger->offsets[merger->offset_count++] = partner->offset;
    return STATUS_OK;
}

static enum status make_members(struct merger *merger, const struct node *node, struct members *members)
{
    const struct observed *call = node->call;
    if (call->group == TRACE_NO_REF) return STATUS_OK;
    if (node->series[NODE_MEMBER]) {
        members->kind = MEMBERS_LISTED;
        ARRAY_PUSH(members->listed, members->count, members->capacity, (struct partner){.kind = PARTNER_SERIES}, merger->err);
        return STATUS_OK;
    }
    members->kind = whole_group(merger, call, merger->rank);
    if (members->kind != MEMBERS_LISTED) return STATUS_OK;
    const struct trace_group *group = group_of(merger, call);
    bool absolute = merger->common_group[call->key] >= 0 && shared_of(merger, call) == 0;
    for (uint32_t i = 0; i < group->count; i++) {
        struct partner partner, other;
        TRY(make_partner(merger, call, group->members[i], absolute, false, &partner));
        ARRAY_PUSH(members->listed, members->count, members->capacity, partner, merger->err);
        if (!merger->program->shifts) continue; /* both neighbours are in the group */
        TRY(make_partner(merger, call, group->members[i], absolute, true, &other));
        if (!grid_offset_equal(&partner.offset, &other.offset))
            ARRAY_PUSH(members->listed, members->count, members->capacity, other, merger->err);
    }
    return STATUS_OK;
}

static enum status make_call(struct merger *merger, const struct node *node, struct draft *draft)
{
    const struct observed *call = node->call;
    draft->step.call = merger->keys->items[call->key];
    draft->step.number = call->key; /* until the steps are numbered */
    draft->step.key = call->key;
    draft->step.waits = call->waits;
    draft->step.completed = call->completed;
    draft->step.shared = shared_of(merger, call);
    memcpy(draft->series, node->series, sizeof draft->series);
    draft->step.bytes.growth = node->growth[SIZE_BYTES];
    draft->step.aux.growth = node->growth[SIZE_AUX];
    for (int k = 0; k < STEP_PARTNERS; k++) {
        if (node->series[k]) draft->step.partners[k].kind = PARTNER_SERIES;
        else if (call->turns && k == 0) draft->step.partners[k].kind = PARTNER_TURN;
        else
            TRY(make_partner(merger, call, call->peers[k], merger->common[k][call->key] >= 0, goes_down(merger, call, k),
                             &draft->step.partners[k]));
    }
    return make_members(merger, node, &draft->step.members);
}

static enum status make_drafts(struct merger *merger, const struct node *nodes, size_t count, struct draft **made)
{
    struct draft *drafts = calloc(count + 1, sizeof *drafts);
    *made = drafts;
    if (!drafts) return err_memory(merger->err);
    for (size_t i = 0; i < count; i++) {
        drafts[i].step.kind = nodes[i].kind;
        drafts[i].rounds = nodes[i].rounds;
        drafts[i].taken = calloc(merger->run->trace->rank_count, sizeof *drafts[i].taken);
        if (!drafts[i].taken) return err_memory(merger->err);
        drafts[i].taken[merger->rank] = true;
        if (nodes[i].kind == STEP_CALL) TRY(make_call(merger, &nodes[i], &drafts[i]));
        else {
            drafts[i].count = nodes[i].count;
            TRY(make_drafts(merger, nodes[i].body, nodes[i].count, &drafts[i].body));
        }
    }
    return STATUS_OK;
}

/* --- alignment --- */

static bool partner_equal(const struct partner *a, const struct partner *b)
{
    if (a->kind == PARTNER_NONE || b->kind == PARTNER_NONE) return true; /* MPI_PROC_NULL instead of a neighbour */
    return a->kind == b->kind && a->rank == b->rank && grid_offset_equal(&a->offset, &b->offset);
}

static bool call_fits(const struct keys *keys, const struct draft *a, const struct draft *b)
{
    if (a->step.number != b->step.number || !wait_sets_fit(&keys->waits, a->step.completed, b->step.completed)) return false;
    if (a->step.members.kind != b->step.members.kind) return false;
    if (a->step.bytes.growth != b->step.bytes.growth || a->step.aux.growth != b->step.aux.growth) return false;
    for (int k = 0; k < STEP_PARTNERS; k++)
        if (!partner_equal(&a->step.partners[k], &b->step.partners[k])) return false;
    for (int k = 0; k < NODE_SLOTS; k++)
        if (a->series[k] != b->series[k] && !(a->series[k] & b->series[k])) return false;
    return true;
}

/* --- the order of calls that no rank makes both of --- */

static size_t find_class(const struct merger *merger, const struct draft *draft)
{
    size_t class = 0;
    while (class < merger->class_count && !call_fits(merger->keys, &merger->classes[class], draft)) class++;
    return class;
}

static enum status note_classes(struct merger *merger, const struct draft *drafts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        TRY(note_classes(merger, drafts[i].body, drafts[i].count));
        if (drafts[i].step.kind == STEP_CALL && find_class(merger, &drafts[i]) == merger->class_count)
            ARRAY_PUSH(merger->classes, merger->class_count, merger->class_capacity, drafts[i], merger->err);
    }
    return STATUS_OK;
}

/* Of the calls of each body. */
static void note_order(const struct merger *merger, const struct draft *drafts, size_t count)
{
    size_t last = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        note_order(merger, drafts[i].body, drafts[i].count);
        if (drafts[i].step.kind != STEP_CALL) continue;
        size_t class = find_class(merger, &drafts[i]);
        if (last != SIZE_MAX) merger->before[last * merger->class_count + class] = true;
        last = class;
    }
}

/* One pass over the calls of each rank for the classes, one for their order; chains make it transitive. */
static enum status find_order(struct merger *merger, const struct nodes *ranks)
{
    for (int ordering = 0; ordering <= 1; ordering++) {
        for (merger->rank = 0; merger->rank < merger->run->trace->rank_count; merger->rank++) {
            const struct nodes *nodes = &ranks[merger->rank];
            struct draft *made;
            if (nodes->count > STEPS_MAX || merger->class_count > CLASSES_MAX) return STATUS_OK;
            enum status status = make_drafts(merger, nodes->items, nodes->count, &made);
            if (status == STATUS_OK && ordering) note_order(merger, made, nodes->count);
            else if (status == STATUS_OK) status = note_classes(merger, made, nodes->count);
            drafts_free(made, nodes->count);
            if (status != STATUS_OK) return status;
        }
        if (!ordering) merger->before = calloc(merger->class_count * merger->class_count + 1, sizeof *merger->before);
        if (!merger->before) return err_memory(merger->err);
    }
    size_t n = merger->class_count;
    for (size_t via = 0; via < n; via++)
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; merger->before[a * n + via] && b < n; b++)
                merger->before[a * n + b] = merger->before[a * n + b] || merger->before[via * n + b];
    return STATUS_OK;
}

/* Whether calls as b's come before calls as a's, and never behind them. */
static bool comes_first(const struct merger *merger, const struct draft *b, const struct draft *a)
{
    if (!merger->before || a->step.kind != STEP_CALL || b->step.kind != STEP_CALL) return false;
    size_t n = merger->class_count, of_a = find_class(merger, a), of_b = find_class(merger, b);
    return of_a < n && of_b < n && merger->before[of_b * n + of_a] && !merger->before[of_a * n + of_b];
}

static enum status align_steps(const struct merger *merger, const struct draft *a, size_t a_count, const struct draft *b,
                               size_t b_count, uint32_t **table);

/* What a common call counts: collective calls are made together, so they are not to be divided to make others common. */
static uint32_t weigh_step(const struct draft *draft)
{
    return draft->step.kind == STEP_CALL && call_arm(call_kind(draft->step.call.call)) == ARM_COLLECTIVE ? 2 : 1;
}

static uint32_t weigh_steps(const struct draft *drafts, size_t count)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < count; i++) sum += weigh_step(&drafts[i]);
    return sum;
}

/* The weight of the calls that two steps have in common; 0: they are not the same step. */
static enum status compute_likeness(const struct merger *merger, const struct draft *a, const struct draft *b, uint32_t *common)
{
    *common = 0;
    if (a->step.kind != b->step.kind || a->rounds != b->rounds) return STATUS_OK;
    if (a->step.kind == STEP_CALL) {
        *common = call_fits(merger->keys, a, b) ? weigh_step(a) : 0;
        return STATUS_OK;
    }
    uint32_t *table;
    TRY(align_steps(merger, a->body, a->count, b->body, b->count, &table));
    *common = table[0];
    free(table);
    if (a->step.kind == STEP_SERIES && (a->count != b->count || *common < weigh_steps(a->body, a->count))) *common = 0;
    return STATUS_OK;
}

/* Longest common subsequence: (*table)[i * (b_count + 1) + j] is the most that a from i and b from j have in common. */
static enum status align_steps(const struct merger *merger, const struct draft *a, size_t a_count, const struct draft *b,
                               size_t b_count, uint32_t **table)
{
    size_t width = b_count + 1;
    uint32_t *made = calloc((a_count + 1) * width, sizeof *made);
    enum status status = made ? STATUS_OK : err_memory(merger->err);
    for (size_t i = a_count; status == STATUS_OK && i-- > 0;) {
        for (size_t j = b_count; status == STATUS_OK && j-- > 0;) {
            uint32_t common, *best = &made[i * width + j];
            status = compute_likeness(merger, &a[i], &b[j], &common);
            *best = made[(i + 1) * width + j];
            if (made[i * width + j + 1] > *best) *best = made[i * width + j + 1];
            if (common > 0 && made[(i + 1) * width + j + 1] + common >= *best)
                *best = made[(i + 1) * width + j + 1] + common;
        }
    }
    GIVE(status, *table = made, free(made));
}

static enum status join_drafts(struct merger *merger, struct draft **a, size_t *a_count, struct draft *b, size_t b_count);

/* Merges `from` into `to`; `from` is empty afterwards. */
static enum status join_step(struct merger *merger, struct draft *to, struct draft *from)
{
    uint32_t a = to->step.completed, b = from->step.completed;
    if (to->step.waits != from->step.waits) to->step.waits = WAIT_SOME;
    TRY(wait_sets_join(&merger->keys->waits, a, b, &to->step.completed, merger->err));
    for (uint32_t r = 0; r < merger->run->trace->rank_count; r++) to->taken[r] = to->taken[r] || from->taken[r];
    for (int k = 0; k < NODE_SLOTS; k++) to->series[k] &= from->series[k];
    for (int k = 0; k < STEP_PARTNERS; k++) {
        bool to_null = to->step.partners[k].kind == PARTNER_NONE, from_null = from->step.partners[k].kind == PARTNER_NONE;
        if (to_null != from_null) to->step.null_outside = true;
        if (to_null) to->step.partners[k] = from->step.partners[k];
    }
    to->step.null_outside = to->step.null_outside || from->step.null_outside;
    for (size_t i = 0; i < from->step.members.count; i++) {
        bool known = false;
        for (size_t j = 0; j < to->step.members.count; j++)
            known = known || partner_equal(&to->step.members.listed[j], &from->step.members.listed[i]);
        if (!known)
            ARRAY_PUSH(to->step.members.listed, to->step.members.count, to->step.members.capacity, from->step.members.listed[i],
                       merger->err);
    }
    if (to->step.kind == STEP_CALL) return STATUS_OK;
    return join_drafts(merger, &to->body, &to->count, from->body, from->count);
}

static void move_draft(struct draft *to, struct draft *from)
{
    *to = *from;
    *from = (struct draft){.count = 0};
}

/* Merges b's steps into a in the order of both, and where that does not say, of other ranks; b's items are empty afterwards. */
static enum status join_drafts(struct merger *merger, struct draft **a, size_t *a_count, struct draft *b, size_t b_count)
{
    uint32_t *table;
    size_t i = 0, j = 0, made_count = 0, width = b_count + 1;
    TRY(align_steps(merger, *a, *a_count, b, b_count, &table));
    struct draft *made = calloc(*a_count + b_count + 1, sizeof *made);
    enum status status = made ? STATUS_OK : err_memory(merger->err);
    while (status == STATUS_OK && (i < *a_count || j < b_count)) {
        uint32_t common = 0;
        if (i < *a_count && j < b_count) status = compute_likeness(merger, &(*a)[i], &b[j], &common);
        if (status != STATUS_OK) break;
        if (common > 0 && table[i * width + j] == table[(i + 1) * width + j + 1] + common) {
            status = join_step(merger, &(*a)[i], &b[j]);
            move_draft(&made[made_count++], &(*a)[i++]);
            j++;
            continue;
        }
        uint32_t without_a = i < *a_count ? table[(i + 1) * width + j] : 0;
        uint32_t without_b = j < b_count ? table[i * width + j + 1] : 0;
        bool tie = i < *a_count && j < b_count && without_a == without_b;
        if (i < *a_count && (j == b_count || without_a > without_b || (tie && !comes_first(merger, &b[j], &(*a)[i]))))
            move_draft(&made[made_count++], &(*a)[i++]);
        else move_draft(&made[made_count++], &b[j++]);
    }
    free(table);
    if (status != STATUS_OK) {
        drafts_free(made, made_count);
        return status;
    }
    drafts_free(*a, *a_count);
    *a = made;
    *a_count = made_count;
    return STATUS_OK;
}

static enum status join_rank(struct merger *merger, uint32_t rank, const struct nodes *nodes, struct drafts *all)
{
    struct draft *made;
    merger->rank = rank;
    if (nodes->count > STEPS_MAX)
        return refuse_call(merger, &merger->run->ranks[rank].calls[0], "the calls of the rank do not repeat");
    enum status status = make_drafts(merger, nodes->items, nodes->count, &made);
    if (status == STATUS_OK)
        status = join_drafts(merger, &all->items, &all->count, made, nodes->count);
    drafts_free(made, nodes->count);
    return status;
}

/* --- who takes a step --- */

/* Sets who takes the step; false: no place says it. */
static bool choose_takers(const struct merger *merger, const struct draft *draft, struct step *step)
{
    int32_t ranks = merger->grid.ranks;
    for (unsigned shared = 0; shared < (1U << GRID_DIMENSIONS) - 1; shared++)
        for (enum takers takers = 0; takers < (merger->program->lenient ? TAKERS_COUNT : TAKERS_EVEN); takers++) {
            int32_t r = 0;
            step->takers = takers;
            step->takers_shared = shared;
            while (r < ranks && draft->taken[r] == step_taken(step, &merger->grid, r)) r++;
            if (r == ranks) return true;
        }
    return false;
}

static bool all_take(const struct merger *merger, const struct draft *draft)
{
    int32_t r = 0;
    while (r < merger->grid.ranks && draft->taken[r]) r++;
    return r == merger->grid.ranks;
}

/* A call that some ranks make: it keeps the collective calls around it from being the same
 * step on all ranks. odd: no place says which ranks. */
static const struct draft *find_misfit(const struct merger *merger, const struct draft *drafts, size_t count, bool odd)
{
    for (size_t i = 0; i < count; i++) {
        struct step step = drafts[i].step;
        const struct draft *inside = find_misfit(merger, drafts[i].body, drafts[i].count, odd);
        if (inside) return inside;
        if (step.kind != STEP_CALL || call_arm(call_kind(step.call.call)) == ARM_COLLECTIVE) continue;
        if (!all_take(merger, &drafts[i]) && !(odd && choose_takers(merger, &drafts[i], &step))) return &drafts[i];
    }
    return NULL;
}

static enum status find_takers(struct merger *merger, const struct draft *draft, struct step *step)
{
    if (choose_takers(merger, draft, step)) return STATUS_OK;
    int32_t some = 0;
    while (!draft->taken[some]) some++;
    const struct draft *misfit = find_misfit(merger, draft, 1, false);
    for (int odd = 1; !misfit && odd >= 0; odd--) misfit = find_misfit(merger, merger->all->items, merger->all->count, odd);
    if (!misfit) misfit = draft;
    while (misfit->step.kind != STEP_CALL) misfit = misfit->body;
    set_misfit(merger->keys, misfit->step.key);
    return err_set(merger->err, STATUS_DATA, merger->run->trace->name, NULL,
                   "rank %d and some others, but not all, call %s; their places do not say which", some,
                   step->kind == STEP_CALL ? call_name(step->call.call) : "a series of calls");
}

static enum series lowest_series(uint16_t bits)
{
    return (enum series)__builtin_ctz(bits);
}

/* The series that a call of a body follows; NULL: none. */
static const struct partner *series_of(const struct step *step)
{
    const struct members *members = &step->members;
    if (step->partners[0].kind == PARTNER_SERIES) return &step->partners[0];
    return members->count > 0 && members->listed[0].kind == PARTNER_SERIES ? &members->listed[0] : NULL;
}

static enum status make_steps(struct merger *merger, struct draft *drafts, size_t count, struct step **steps);

static enum status make_step(struct merger *merger, struct draft *draft, struct step *step)
{
    *step = draft->step;
    draft->step.members = (struct members){.count = 0};
    for (int k = 0; k < STEP_PARTNERS; k++)
        if (draft->series[k]) step->partners[k].series = lowest_series(draft->series[k]);
    if (draft->series[NODE_MEMBER]) step->members.listed[0].series = lowest_series(draft->series[NODE_MEMBER]);
    TRY(find_takers(merger, draft, step));
    if (step->kind == STEP_CALL) return STATUS_OK;
    step->rounds = (struct count_model){.form = COUNT_FIXED, .a = (int64_t)draft->rounds, .per = 1};
    step->count = draft->count;
    TRY(make_steps(merger, draft->body, draft->count, &step->body));
    if (step->kind == STEP_SERIES)
        for (size_t i = step->count; i-- > 0;) {
            const struct partner *partner = series_of(&step->body[i]);
            if (!partner) continue;
            step->series = partner->series;
            step->shared = step->body[i].shared;
        }
    return STATUS_OK;
}

static enum status make_steps(struct merger *merger, struct draft *drafts, size_t count, struct step **steps)
{
    struct step *made = calloc(count + 1, sizeof *made);
    *steps = made;
    if (!made) return err_memory(merger->err);
    for (size_t i = 0; i < count; i++) TRY(make_step(merger, &drafts[i], &made[i]));
    return STATUS_OK;
}

static enum status merge_drafts(struct merger *merger, const struct nodes *ranks, struct drafts *all,
                                struct program *program)
{
    TRY(find_common(merger, ranks));
    TRY(find_order(merger, ranks));
    for (uint32_t r = 0; r < merger->run->trace->rank_count; r++) TRY(join_rank(merger, r, &ranks[r], all));
    program->count = all->count;
    merger->all = all;
    TRY(make_steps(merger, all->items, all->count, &program->steps));
    program->step_count = program_number_steps(program->steps, program->count, 0);
    return STATUS_OK;
}

enum status merge_ranks(const struct run *run, struct keys *keys, const struct nodes *ranks,
                        const struct grid_shape *shape, struct program *program, struct err *err)
{
    struct merger merger = {.run = run, .keys = keys, .program = program, .err = err};
    struct drafts all = {.count = 0};
    program->shape = *shape;
    program->steps = NULL;
    program->count = 0;
    if (!grid_make(shape, (int32_t)run->trace->rank_count, &merger.grid))
        return err_set(err, STATUS_DATA, run->trace->name, NULL, "the ranks do not divide into such a grid");
    enum status status = merge_drafts(&merger, ranks, &all, program);
    drafts_free(all.items, all.count);
    for (int k = 0; k < STEP_PARTNERS; k++) free(merger.common[k]);
    FREE_ALL(merger.common_group, merger.classes, merger.before);
    if (status == STATUS_OK) return status;
    steps_free(program->steps, program->count);
    program->steps = NULL;
    program->count = 0;
    return status;
}
