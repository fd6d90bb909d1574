#include "tests/property/shrink.h"

#include <string.h>

#include "tests/property/knobs.h"

enum { TRIES_MAX = 4000 };

/* An edit has `count` places in a program; apply says whether it changed anything there. Phase edits are asked for each
 * phase, item edits for each item of each phase. */
struct edit {
    size_t (*count)(const struct program *program);
    bool (*apply)(struct program *program, size_t place);
};

static size_t phase_count(const struct program *program)
{
    return program->phase_count;
}

static size_t item_count(const struct program *program)
{
    size_t count = 0;
    for (size_t i = 0; i < program->phase_count; i++) count += program->phases[i].item_count;
    return count;
}

static size_t rank_count(const struct program *program)
{
    (void)program;
    return RANKS_MAX;
}

static size_t pair_count(const struct program *program)
{
    return program->phase_count * RANKS_MAX * RANKS_MAX;
}

static size_t knobs_of(const struct program *program)
{
    (void)program;
    size_t count;
    knobs_all(&count);
    return count;
}

static size_t handle_count(const struct program *program)
{
    return program->comms + program->windows;
}

static size_t one(const struct program *program)
{
    (void)program;
    return 1;
}

static struct item *find_item(struct program *program, size_t place, struct phase **phase, size_t *index)
{
    *phase = program->phases;
    while (place >= (*phase)->item_count) place -= (*phase)++->item_count;
    *index = place;
    return &(*phase)->items[place];
}

static bool clear_bit(uint32_t *bits, uint32_t bit)
{
    bool was = *bits >> bit & 1;
    *bits &= ~(1u << bit);
    return was;
}

static bool clear_flag(bool *flag)
{
    bool was = *flag;
    *flag = false;
    return was;
}

static bool remove_phase(struct program *program, size_t place)
{
    program_remove_phase(program, place);
    return true;
}

static bool remove_item(struct program *program, size_t place)
{
    struct phase *phase;
    size_t index;
    find_item(program, place, &phase, &index);
    program_remove_item(phase, index);
    return true;
}

static bool remove_rank(struct program *program, size_t place)
{
    return clear_bit(&program->alive, (uint32_t)place) && program->alive != 0;
}

static bool remove_pair(struct program *program, size_t place)
{
    struct phase *phase = &program->phases[place / (RANKS_MAX * RANKS_MAX)];
    return clear_bit(&phase->targets[place / RANKS_MAX % RANKS_MAX], (uint32_t)(place % RANKS_MAX));
}

/* A communicator other than the world without members, a window less. */
static bool remove_handle(struct program *program, size_t place)
{
    if (place >= program->comms) return clear_bit(&program->windows_alive, (uint32_t)(place - program->comms));
    bool had = place > 0 && program->comm_members[place];
    if (had) program->comm_members[place] = 0;
    return had;
}

static bool plain_knob(struct program *program, size_t place)
{
    bool was = program->knobs[place] != 0;
    program->knobs[place] = 0;
    return was;
}

static bool plain_program(struct program *program, size_t place)
{
    (void)place;
    return clear_flag(&program->init);
}

static bool no_regions(struct program *program, size_t place)
{
    (void)place;
    return clear_flag(&program->regions);
}

static bool no_sleep(struct program *program, size_t place)
{
    (void)place;
    return clear_flag(&program->sleeps);
}

static bool no_computing(struct program *program, size_t place)
{
    (void)place;
    return clear_flag(&program->computes);
}

static bool fewer_epochs(struct program *program, size_t place)
{
    struct phase *phase = &program->phases[place];
    if (phase->epochs == 0) return false;
    phase->epochs--;
    return true;
}

/* Without the inner place, the special order, the tests and so on; one at a time would try more than it finds. */
static bool plain_phase(struct program *program, size_t place)
{
    struct phase *phase = &program->phases[place];
    bool changed = phase->outer != phase->id || phase->order || phase->first_flags || phase->last_flags;
    changed |= clear_flag(&phase->empty_groups);
    changed |= clear_flag(&phase->nocheck);
    changed |= clear_flag(&phase->tests);
    changed |= clear_flag(&phase->nested);
    changed |= clear_flag(&phase->mixed);
    phase->outer = phase->id;
    phase->order = ORDER_POST_FIRST;
    phase->first_flags = phase->last_flags = 0;
    return changed;
}

static bool fewer_bytes(int64_t *bytes, int64_t few)
{
    bool more = *bytes > few;
    if (more) *bytes = few;
    return more;
}

static bool small_phase(struct program *program, size_t place)
{
    return fewer_bytes(&program->phases[place].bytes, 8);
}

static bool small_item(struct program *program, size_t place)
{
    struct phase *phase;
    size_t index;
    return fewer_bytes(&find_item(program, place, &phase, &index)->bytes, 8);
}

/* Without the flush behind it, with a lock for everybody, without the probe before it. */
static bool plain_item(struct program *program, size_t place)
{
    struct phase *phase;
    size_t index;
    struct item *item = find_item(program, place, &phase, &index);
    bool changed = item->flush != ID_Init || item->flags || item->receive != ID_Init;
    changed |= clear_flag(&item->nowhere);
    changed |= clear_flag(&item->freed);
    item->receive = ID_Init;
    item->flush = ID_Init;
    item->flags = 0;
    return changed;
}

static bool halved_item(struct program *program, size_t place)
{
    struct phase *phase;
    size_t index;
    struct item *item = find_item(program, place, &phase, &index);
    return fewer_bytes(&item->bytes, item->bytes / 2);
}

static const struct edit edits[] = {
    {phase_count, remove_phase}, {rank_count, remove_rank},   {handle_count, remove_handle}, {item_count, remove_item},
    {pair_count, remove_pair},   {phase_count, fewer_epochs}, {phase_count, plain_phase},    {knobs_of, plain_knob},
    {one, plain_program},        {one, no_regions},           {one, no_computing},           {phase_count, small_phase},
    {item_count, small_item},    {item_count, halved_item},   {item_count, plain_item},    {one, no_sleep},
};

/* Puts candidate in the place of *program if it fails in the same way; consumes candidate. */
static enum status try_candidate(const struct property *property, const struct trial *trial, struct program *candidate,
                                 struct program *program, struct verdict *verdict, bool *better, struct err *err)
{
    struct verdict got;
    enum status status = property_check(property, trial, candidate, &got, err);
    *better = status == STATUS_OK && got.failed && strcmp(got.what, verdict->what) == 0;
    if (*better) {
        struct program old = *program;
        *program = *candidate;
        *candidate = old;
        *verdict = got;
    }
    program_clear(candidate);
    return status;
}

static enum status run_edit(const struct property *property, const struct trial *trial, const struct edit *edit,
                            struct program *program, struct verdict *verdict, uint32_t *tries, bool *progress,
                            struct err *err)
{
    for (size_t place = edit->count(program); place-- > 0;) {
        struct program candidate;
        bool better = false;
        TRY(program_copy(program, &candidate, err));
        if (*tries < TRIES_MAX && edit->apply(&candidate, place)) {
            ++*tries;
            TRY(try_candidate(property, trial, &candidate, program, verdict, &better, err));
        } else {
            program_clear(&candidate);
        }
        *progress |= better;
    }
    return STATUS_OK;
}

enum status shrink(const struct property *property, const struct trial *trial, struct program *program,
                   struct verdict *verdict, uint32_t *tries, struct err *err)
{
    bool progress = true;
    *tries = 0;
    while (progress) {
        progress = false;
        for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
            TRY(run_edit(property, trial, &edits[i], program, verdict, tries, &progress, err));
    }
    return STATUS_OK;
}
