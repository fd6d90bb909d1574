/* program_print() of predictors/scale/scale.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/text/text.h"
#include "common/units.h"
#include "predictors/scale/scale.h"

static const char *const series_names[] = {
    [SERIES_UP] = "all others, upwards from the next",
    [SERIES_DOWN] = "all others, downwards from the one before",
    [SERIES_ASCENDING] = "all others, from rank 0 on",
    [SERIES_FROM_SELF] = "all, from the rank itself on",
    [SERIES_ALL] = "all, from rank 0 on",
    [SERIES_EXCLUSIVE] = "all others, by exclusive or with 1, 2, 3, ...",
    [SERIES_CUBE] = "the neighbours in a hypercube",
    [SERIES_DOUBLE_UP] = "the ranks 1, 2, 4, ... above",
    [SERIES_DOUBLE_DOWN] = "the ranks 1, 2, 4, ... below",
};

static const char *const taker_names[] = {
    [TAKERS_ALL] = "",
    [TAKERS_FIRST] = " [rank 0]",
    [TAKERS_NOT_FIRST] = " [all but rank 0]",
    [TAKERS_LAST] = " [last rank]",
    [TAKERS_NOT_LAST] = " [all but the last rank]",
    [TAKERS_INNER] = " [all but the first and the last rank]",
    [TAKERS_ENDS] = " [first and last rank]",
    [TAKERS_EVEN] = " [even ranks]",
    [TAKERS_ODD] = " [odd ranks]",
};

/* "along x", the ranks of a row; nothing for all ranks. */
static void print_part(const char *before, unsigned shared, FILE *out)
{
    if (!shared) return;
    text_print(out, "%salong ", before);
    for (int d = 0; d < GRID_DIMENSIONS; d++)
        if (!(shared & 1U << d)) fputc("xyz"[d], out);
}

static void print_takers(const struct step *step, FILE *out)
{
    fputs(taker_names[step->takers], out);
    if (step->takers != TAKERS_ALL) print_part(" ", step->takers_shared, out);
}

static void print_partner(const struct partner *partner, FILE *out)
{
    switch (partner->kind) {
    case PARTNER_FIRST: fputs("0", out); break;
    case PARTNER_LAST: fputs("p-1", out); break;
    case PARTNER_RANK: text_print(out, "%d", partner->rank); break;
    case PARTNER_SERIES: fputs("partner", out); break;
    case PARTNER_TURN: fputs("each in turn", out); break;
    case PARTNER_OFFSET:
        text_print(out, "(%+d", partner->offset.of[0]);
        for (int d = 1; d < GRID_DIMENSIONS; d++) text_print(out, ",%+d", partner->offset.of[d]);
        fputc(')', out);
        break;
    default: break;
    }
}

static void print_members(const struct members *members, FILE *out)
{
    if (members->kind == MEMBERS_NONE) return;
    fputs(members->kind == MEMBERS_ALL ? " group=all" : members->kind == MEMBERS_OTHERS ? " group=others" : " group=", out);
    for (size_t i = 0; i < members->count; i++) {
        if (i > 0) fputc(' ', out);
        print_partner(&members->listed[i], out);
    }
}

static void print_computing(const struct program *program, const struct computing *computing, int depth, FILE *out)
{
    char text[TIME_TEXT_BYTES];
    if (computing->model.c0 == 0 && computing->model.c1 == 0) return;
    text_print(out, "%*scompute %s%s\n", 2 * depth, "", time_model_text(&computing->model, program->parameter, " s", text),
               computing->model.balanced ? "" : ", uneven");
}

static void print_call(const struct program *program, const struct step *step, FILE *out)
{
    char count[COUNT_TEXT_BYTES], mean[TIME_TEXT_BYTES];
    const struct size_model *bytes = &step->bytes;
    const struct trace_site *site = &program->names->definitions.sites[step->call.site];
    fputs(call_name(step->call.call), out);
    if (call_is_region(step->call.call))
        text_print(out, " %s", program->names->definitions.regions[step->call.region.region]);
    if (step->partners[0].kind != PARTNER_NONE) fputs(" to ", out);
    print_partner(&step->partners[0], out);
    print_members(&step->members, out);
    print_part(" ", step->shared, out);
    if (bytes->is_mean) text_print(out, " bytes=mean %s", time_model_text(&bytes->mean, program->parameter, "", mean));
    else if (bytes->exact.a != 0 || bytes->exact.b != 0)
        text_print(out, " bytes=%s", count_model_text(&bytes->exact, program->parameter, count));
    if (bytes->growth != SIZE_SAME)
        text_print(out, " in the first round, then %s", bytes->growth == SIZE_DOUBLES ? "twice as many" : "half as many");
    if (site->file) text_print(out, " at %s:%d", site->file, site->line);
}

static void print_steps(const struct program *program, const struct step *steps, size_t count, int depth, FILE *out)
{
    char text[COUNT_TEXT_BYTES];
    for (size_t i = 0; i < count; i++) {
        print_computing(program, &steps[i].computing[COMPUTING_BEFORE], depth, out);
        if (steps[i].kind == STEP_COMPUTE) continue;
        text_print(out, "%*s", 2 * depth, "");
        if (steps[i].kind == STEP_CALL) print_call(program, &steps[i], out);
        else if (steps[i].kind == STEP_REPEAT)
            text_print(out, "repeat %s", count_model_text(&steps[i].rounds, program->parameter, text));
        else text_print(out, "for each partner of %s", series_names[steps[i].series]);
        if (steps[i].kind == STEP_SERIES) print_part(" ", steps[i].shared, out);
        print_takers(&steps[i], out);
        fputc('\n', out);
        print_steps(program, steps[i].body, steps[i].count, depth + 1, out);
        print_computing(program, &steps[i].computing[COMPUTING_AFTER], depth, out);
    }
}

void program_print(const struct program *program, FILE *out)
{
    struct grid grid;
    char text[GRID_TEXT_BYTES];
    const struct program_run_scale *largest = program_largest(program);
    grid_make(&program->shape, largest->ranks, &grid);
    text_print(out, "program of %d rank%s on %s", largest->ranks, units_plural((uint64_t)largest->ranks), grid_text(&grid, text));
    if (program->parameter) text_print(out, ", %s=%" PRId64, program->parameter, largest->n);
    fputc('\n', out);
    print_steps(program, program->steps, program->count, 1, out);
}

/* --- doubts --- */

/* The first of the other functions that gives another value at one of these scales; 0: none does. */
static size_t find_other(const struct program *program, const struct program_doubt *doubt, const uint32_t *ranks,
                         const int64_t *n, size_t count, size_t *at)
{
    for (size_t i = 1; i < doubt->count; i++)
        for (*at = 0; *at < count; ++*at) {
            struct grid grid;
            int64_t taken = -1, other = -1;
            if (!grid_make(&program->shape, (int32_t)ranks[*at], &grid)) continue;
            count_model_value(&doubt->models[0], &grid, n[*at], &taken);
            count_model_value(&doubt->models[i], &grid, n[*at], &other);
            if (taken != other) return i;
        }
    return 0;
}

/* A doubt that matters: at ranks[at] another function gives another value. */
struct open_number {
    const struct program_doubt *doubt;
    const struct trace_site *site;
    char taken[COUNT_TEXT_BYTES], other[COUNT_TEXT_BYTES];
    uint32_t ranks;
};

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_number(const struct open_number *a, const struct open_number *b)
{
    return a->doubt->call == b->doubt->call && a->ranks == b->ranks && strcmp(a->doubt->what, b->doubt->what) == 0 &&
           same_text(a->site->file, b->site->file) && a->site->line == b->site->line &&
           strcmp(a->taken, b->taken) == 0 && strcmp(a->other, b->other) == 0;
}

enum status program_print_doubts(const struct program *program, const uint32_t *ranks, const int64_t *n, size_t count, FILE *out,
                                 struct err *err)
{
    struct open_number *numbers = calloc(program->doubt_count + 1, sizeof *numbers);
    size_t printed = 0;
    if (!numbers) return err_memory(err);
    if (program->two_rounds && count > 0 && ranks[count - 1] > (uint32_t)program_largest(program)->ranks)
        text_print(out,
                   "%s: neighbours on a grid are taken, but partners in a hypercube are the same in all runs, too, and differ at "
                   "%u ranks; a run at 8 ranks or more would tell\n",
                   call_name(program->of_call), ranks[count - 1]);
    for (size_t i = 0; i < program->doubt_count; i++) {
        const struct program_doubt *doubt = &program->doubts[i];
        struct open_number *number = &numbers[printed];
        size_t at, found = find_other(program, doubt, ranks, n, count, &at), same = 0;
        if (!found) continue;
        number->doubt = doubt;
        number->site = &program->names->definitions.sites[doubt->site];
        number->ranks = ranks[at];
        count_model_text(&doubt->models[0], program->parameter, number->taken);
        count_model_text(&doubt->models[found], program->parameter, number->other);
        while (same < printed && !same_number(&numbers[same], number)) same++;
        if (same < printed) continue;
        if (number->doubt->call != ID_none) text_print(out, "%s ", call_name(number->doubt->call));
        if (number->site->file) text_print(out, "at %s:%d ", number->site->file, number->site->line);
        text_print(out, "%s: %s is taken, but %s holds in all runs, too, and differs at %u ranks; another run would tell\n",
                   number->doubt->what, number->taken, number->other, number->ranks);
        printed++;
    }
    free(numbers);
    return STATUS_OK;
}
