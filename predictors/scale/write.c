/* program_write() of predictors/scale/scale.h: a program as the text of a program model. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predictors/scale/scale.h"
#include "trace/program_model/program_model.h"
#include "trace/text/fields.h"

struct writer {
    const struct program *program;
    FILE *out;
    int depth;
    uint32_t series; /* number of the step whose partners are in use */
    uint32_t turn;   /* 1 + that of the repetition around the call; 0: there is none */
    bool takes_after; /* some step has computing behind it */
};

/* --- functions --- */

static void write_count(const struct writer *writer, const struct count_model *model)
{
    static const char *const tails[] = {
        [COUNT_FIXED] = "",
        [COUNT_RANKS] = "*nranks",
        [COUNT_OTHERS] = "*(nranks-1)",
        [COUNT_SHARE] = "/nranks",
        [COUNT_SHARE_SQUARED] = "/nranks^2",
        [COUNT_PER_X] = "/nx",
        [COUNT_PER_Y] = "/ny",
        [COUNT_PER_Z] = "/nz",
        [COUNT_X] = "*nx",             [COUNT_Y] = "*ny",              [COUNT_Z] = "*nz",
        [COUNT_PER_XY] = "/(nx*ny)",
        [COUNT_PER_XZ] = "/(nx*nz)",
        [COUNT_PER_YZ] = "/(ny*nz)",
        [COUNT_LOG] = "*ilog2(nranks)",
    };
    static const char *const powers[][2] = {
        [COUNT_WITHOUT] = {"", ""}, [COUNT_N] = {"*", ""},       [COUNT_N_SQUARED] = {"*", "^2"}, [COUNT_N_CUBED] = {"*", "^3"},
        [COUNT_PER_N] = {"/", ""},  [COUNT_LOG_N] = {"*ilog2(", ")"},
    };
    if (model->sum) fprintf(writer->out, "%" PRId64 "%s", model->b, model->a < 0 ? "" : "+");
    fprintf(writer->out, "%" PRId64 "%s", model->a, powers[model->power][0]);
    if (model->power != COUNT_WITHOUT) fprintf(writer->out, "%s%s", writer->program->parameter, powers[model->power][1]);
    fputs(tails[model->form], writer->out);
    if (model->per > 1) fprintf(writer->out, "/%" PRId64, model->per);
}

static bool is_zero(const struct time_model *model)
{
    return model->c0 == 0 && model->c1 == 0;
}

static void write_term(const struct time_term *term, const char *of, FILE *out)
{
    if (term->exponent != 0) fprintf(out, "*%s^%.17g", of, term->exponent);
    if (term->logs) fprintf(out, "*log2(%s)^%d", of, term->logs);
}

static void write_time(const struct writer *writer, const struct time_model *model)
{
    FILE *out = writer->out;
    if (model->c1 == 0) {
        fprintf(out, "%.17g", model->c0);
        return;
    }
    if (model->c0 != 0) fprintf(out, "%.17g%s", model->c0, model->c1 < 0 ? "" : "+");
    fprintf(out, "%.17g", model->c1);
    write_term(&model->ranks, "nranks", out);
    write_term(&model->n, writer->program->parameter, out);
}

static void write_offset(const struct grid_offset *offset, FILE *out)
{
    int last = GRID_DIMENSIONS - 1;
    while (last > 0 && offset->of[last] == 0) last--;
    fputs("neighbor(", out);
    for (int d = 0; d <= last; d++) fprintf(out, "%s%d", d ? "," : "", offset->of[d]);
    fputc(')', out);
}

enum { PLACE_BYTES = 160 };
typedef char place_text[PLACE_BYTES];

/* A part of the grid in the model's expressions: the position of a rank in it, its number of ranks, its dimensions. */
struct part {
    const char *place, *count;
    int dimensions[GRID_DIMENSIONS], dimension_count;
};

static const struct part parts[1 << GRID_DIMENSIONS] = {
    {"rank", "nranks", {0, 1, 2}, 3},       {"(y+ny*z)", "(ny*nz)", {1, 2, 0}, 2}, {"(x+nx*z)", "(nx*nz)", {0, 2, 1}, 2},
    {"z", "nz", {2, 0, 0}, 1},              {"(x+nx*y)", "(nx*ny)", {0, 1, 2}, 2}, {"y", "ny", {1, 0, 0}, 1},
    {"x", "nx", {0, 0, 0}, 1},              {"0", "1", {0, 0, 0}, 0},
};

/* The position of a series' partner; P is the own position, N the number of ranks, K the loop's variable. */
static char *series_place(enum series series, const struct part *part, uint32_t number, place_text text)
{
    static const char *const texts[] = {
        [SERIES_UP] = "(P+1+K)%N",          [SERIES_DOWN] = "(P-1-K)%N",    [SERIES_ASCENDING] = "K+(K>=P)",
        [SERIES_FROM_SELF] = "(P+K)%N",     [SERIES_ALL] = "K",             [SERIES_EXCLUSIVE] = "xor(P,1+K)",
        [SERIES_CUBE] = "xor(P,2^K)",       [SERIES_DOUBLE_UP] = "(P+2^K)%N", [SERIES_DOUBLE_DOWN] = "(P-2^K)%N",
    };
    size_t used = 0;
    for (const char *at = texts[series]; *at && used < PLACE_BYTES; at++) {
        int written = *at == 'P'   ? snprintf(text + used, PLACE_BYTES - used, "%s", part->place)
                      : *at == 'N' ? snprintf(text + used, PLACE_BYTES - used, "%s", part->count)
                      : *at == 'K' ? snprintf(text + used, PLACE_BYTES - used, "k%" PRIu32, number)
                                   : snprintf(text + used, PLACE_BYTES - used, "%c", *at);
        used += (size_t)written;
    }
    return text;
}

static char *series_rounds_text(enum series series, const struct part *part, place_text text)
{
    const char *form = series == SERIES_FROM_SELF || series == SERIES_ALL            ? "%s"
                       : series == SERIES_CUBE                                       ? "ilog2(%s)"
                       : series == SERIES_DOUBLE_UP || series == SERIES_DOUBLE_DOWN ? "clog2(%s)"
                                                                                     : "%s-1";
    snprintf(text, PLACE_BYTES, form, part->count);
    return text;
}

/* Writes the rank at a position of the own part; on two of three dimensions the first one varies fastest. */
static void write_rank(const struct part *part, const char *place, FILE *out)
{
    if (part == parts) {
        fputs(place, out);
        return;
    }
    place_text to[GRID_DIMENSIONS] = {"0", "0", "0"};
    int first = part->dimensions[0], second = part->dimensions[1], last = GRID_DIMENSIONS - 1;
    if (part->dimension_count == 1) snprintf(to[first], PLACE_BYTES, "%.120s-%c", place, "xyz"[first]);
    if (part->dimension_count == 2) {
        snprintf(to[first], PLACE_BYTES, "(%.120s)%%n%c-%c", place, "xyz"[first], "xyz"[first]);
        snprintf(to[second], PLACE_BYTES, "floor((%.120s)/n%c)-%c", place, "xyz"[first], "xyz"[second]);
    }
    while (last > 0 && strcmp(to[last], "0") == 0) last--;
    for (int d = 0; d <= last; d++) fprintf(out, "%s%s", d ? "," : "neighbor(", to[d]);
    fputc(')', out);
}

/* Writes the partner's position in its part; false if it is a neighbour. */
static bool partner_place(const struct writer *writer, const struct part *part, const struct partner *partner, place_text text)
{
    switch (partner->kind) {
    case PARTNER_FIRST: snprintf(text, PLACE_BYTES, "0"); return true;
    case PARTNER_LAST: snprintf(text, PLACE_BYTES, "%s-1", part->count); return true;
    case PARTNER_RANK: snprintf(text, PLACE_BYTES, "%d", partner->rank); return true;
    case PARTNER_SERIES: series_place(partner->series, part, writer->series, text); return true;
    case PARTNER_TURN:
        if (writer->turn) snprintf(text, PLACE_BYTES, "k%" PRIu32 "%%%s", writer->turn - 1, part->count);
        else snprintf(text, PLACE_BYTES, "0");
        return true;
    default: return false;
    }
}

static void write_partner(const struct writer *writer, unsigned shared, const struct partner *partner)
{
    const struct part *part = &parts[shared];
    place_text place;
    if (partner->kind == PARTNER_NONE) fputs("none", writer->out);
    else if (partner_place(writer, part, partner, place)) write_rank(part, place, writer->out);
    else write_offset(&partner->offset, writer->out);
}

/* --- who takes a step, and when --- */

static void write_when(const struct writer *writer, const struct step *step)
{
    static const char *const forms[TAKERS_COUNT] = { /* P: the position, N: the number of ranks */
        [TAKERS_ALL] = "",          [TAKERS_FIRST] = "P==0",          [TAKERS_NOT_FIRST] = "P>0",
        [TAKERS_LAST] = "P==N-1",   [TAKERS_NOT_LAST] = "P<N-1",      [TAKERS_INNER] = "P>0&&P<N-1",
        [TAKERS_ENDS] = "(P==0||P==N-1)", [TAKERS_EVEN] = "P%2==0",   [TAKERS_ODD] = "P%2==1"};
    const struct part *part = &parts[step->takers_shared];
    const char *between = " when=";
    if (step->takers != TAKERS_ALL) fputs(between, writer->out);
    for (const char *at = forms[step->takers]; *at; at++) {
        if (*at == 'P') fputs(part->place, writer->out);
        else if (*at == 'N') fputs(part->count, writer->out);
        else fputc(*at, writer->out);
        between = "&&";
    }
    for (int k = 0; k < STEP_PARTNERS; k++) {
        if (step->partners[k].kind != PARTNER_OFFSET || step->null_outside) continue;
        fprintf(writer->out, "%sexists(", between);
        write_offset(&step->partners[k].offset, writer->out);
        fputc(')', writer->out);
        between = "&&";
    }
}

static bool was_seen(const struct computing *computing)
{
    return computing->executions && computing_of_largest(computing)->count > 0;
}

/* The computing of a place has the step's number: "before3", "after3". */
static const char *const places[COMPUTING_PLACES] = {"before", "after", "region"};

static bool takes_after(const struct step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!is_zero(&steps[i].computing[COMPUTING_AFTER].model) || takes_after(steps[i].body, steps[i].count)) return true;
    return false;
}

static void write_places(const struct writer *writer, const struct step *step)
{
    for (int place = 0; place < COMPUTING_REGION; place++) {
        const struct computing *computing = &step->computing[place];
        if (!was_seen(computing)) continue;
        if (is_zero(&computing->model) && step->kind == STEP_CALL && !writer->takes_after)
            continue; /* the default */
        if (is_zero(&computing->model)) fprintf(writer->out, " %s=0", places[place]);
        else fprintf(writer->out, " %s=%s%" PRIu32, places[place], places[place], step->number);
    }
}

/* --- calls --- */

static void write_group(const struct writer *writer, const struct step *step)
{
    const struct members *members = &step->members;
    if (members->kind == MEMBERS_NONE) return;
    fputs(members->kind == MEMBERS_ALL      ? " group=all"
          : members->kind == MEMBERS_OTHERS ? " group=others"
          : members->count > 0              ? " group="
                                            : " group=-",
          writer->out);
    for (size_t i = 0; i < members->count; i++) {
        if (i > 0) fputc(',', writer->out);
        write_partner(writer, step->shared, &members->listed[i]);
    }
}

static void write_site(const struct writer *writer, uint32_t number)
{
    const struct trace_site *site = &writer->program->names->definitions.sites[number];
    const char *texts[] = {site->function ? site->function : "", site->file ? site->file : ""};
    if (number == TRACE_NO_SITE) return;
    for (int i = 0; i < 2; i++) {
        char *encoded = malloc(3 * strlen(texts[i]) + 1);
        if (!encoded) return; /* out of memory: the incomplete line is an error for the reader */
        text_encode(texts[i], encoded);
        fprintf(writer->out, "%s%s", i ? "@" : " site=", encoded);
        free(encoded);
    }
    fprintf(writer->out, ":%d", site->line);
}

static void write_key(const struct writer *writer, const char *key, const struct step *step, int partner)
{
    fprintf(writer->out, " %s=", key);
    write_partner(writer, step->shared, &step->partners[partner]);
}

static void write_partners(const struct writer *writer, const struct step *step, uint32_t allowed)
{
    static const struct {
        uint32_t field;
        const char *key;
    } keys[] = {{F_TARGET, "target"}, {F_PEER, "peer"}, {F_ROOT, "root"}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (allowed & keys[i].field) write_key(writer, keys[i].key, step, 0);
    if (allowed & F_SOURCE) write_key(writer, "source", step, 1);
}

static void write_bytes(const struct writer *writer, const char *key, const struct size_model *bytes)
{
    fprintf(writer->out, " %s=%s", key, bytes->growth == SIZE_SAME ? "" : "(");
    if (bytes->is_mean) write_time(writer, &bytes->mean);
    else write_count(writer, &bytes->exact);
    if (bytes->growth != SIZE_SAME)
        fprintf(writer->out, ")%c2^k%" PRIu32, bytes->growth == SIZE_DOUBLES ? '*' : '/', writer->series);
}

/* In units of the target's displacement unit. */
static void write_displacement(const struct writer *writer, const struct step *step)
{
    const struct program *program = writer->program;
    int32_t unit = step->call.handle >= 0 && (size_t)step->call.handle < program->window_count
                       ? program->windows[step->call.handle].disp_unit
                       : 1;
    if (step->displacement == DISPLACEMENT_UNKNOWN) return;
    bool alone = step->displacement == DISPLACEMENT_FIXED && unit <= 1;
    fprintf(writer->out, " disp=%s", alone ? "" : "floor(");
    write_count(writer, &step->disp);
    if (!alone) fputc(')', writer->out);
    if (step->displacement == DISPLACEMENT_BY_RANK) fprintf(writer->out, "*%s", parts[step->shared].place);
    if (step->displacement == DISPLACEMENT_BY_TARGET) {
        place_text place;
        fputs("*(", writer->out);
        if (partner_place(writer, &parts[step->shared], &step->partners[0], place)) fputs(place, writer->out);
        else write_partner(writer, step->shared, &step->partners[0]);
        fputc(')', writer->out);
    }
    if (unit > 1) fprintf(writer->out, "/%d", unit);
}

/* The kinds of requests by name, "q3" for the first one, "q3:1" for the second, with reqs= "q3" for all of them. */
static void write_set(const struct writer *writer, const char *key, const struct step *step)
{
    const struct wait_set *set = &writer->program->waits.items[step->completed];
    fprintf(writer->out, " %s=%s", key, set->count ? "" : "-");
    for (size_t i = 0; i < set->count; i++) {
        fprintf(writer->out, "%sq%" PRIu32, i ? "," : "", set->items[i].key);
        if (set->items[i].place != PLACE_ALL) fprintf(writer->out, ":%d", set->items[i].place);
    }
}

static void write_waits(const struct writer *writer, const struct step *step, uint32_t needed)
{
    if (step->waits == WAIT_NONE) return;
    const char *key = needed & F_REQS ? "reqs" : "req";
    if (step->waits == WAIT_ALL) fprintf(writer->out, " %s=all", key);
    else if (step->waits != WAIT_SOME) fprintf(writer->out, " %s=%d", key, step->waits);
    else write_set(writer, key, step);
}

static bool is_waited_for(const struct writer *writer, const struct step *steps, size_t count, uint32_t key)
{
    for (size_t i = 0; i < count; i++) {
        const struct wait_set *set = &writer->program->waits.items[steps[i].completed];
        for (size_t k = 0; steps[i].waits == WAIT_SOME && k < set->count; k++)
            if (set->items[k].key == key) return true;
        if (is_waited_for(writer, steps[i].body, steps[i].count, key)) return true;
    }
    return false;
}

static void write_request_name(const struct writer *writer, const struct step *step)
{
    if (!call_makes_request(step->call.call)) return;
    if (is_waited_for(writer, writer->program->steps, writer->program->count, step->key))
        fprintf(writer->out, " request=q%" PRIu32, step->key);
}

static void write_keys(const struct writer *writer, const struct step *step)
{
    const struct call_row *row = call_row(step->call.call);
    const struct trace_call *call = &step->call;
    FILE *out = writer->out;
    if ((row->allowed & F_WIN) && call->handle >= 0) fprintf(out, " win=%d", call->handle);
    else if ((row->allowed & F_COMM) && call->handle >= 0) fprintf(out, " comm=%d", call->handle);
    write_partners(writer, step, row->allowed);
    write_group(writer, step);
    if (row->allowed & F_TAG) fprintf(out, " tag=%d", call->message.tag);
    if (row->allowed & F_RECVTAG) fprintf(out, " recvtag=%d", (int32_t)call->any.second);
    if (row->allowed & F_BYTES) write_bytes(writer, "bytes", &step->bytes);
    if (row->allowed & F_RESULT_BYTES) write_bytes(writer, "result_bytes", &step->aux);
    if ((row->allowed & F_RECEIVED) && !(row->allowed & F_SENT)) write_bytes(writer, "received", &step->aux);
    if (row->allowed & F_DISP) write_displacement(writer, step);
    if (row->allowed & F_LOCKTYPE) fprintf(out, " lock=%s", call->flags & TRACE_EXCLUSIVE ? "exclusive" : "shared");
    if (row->allowed & F_ASSERT) {
        const char *between = " assert=";
        for (int bit = 0; bit < TEXT_ASSERTION_COUNT; bit++) {
            if (!(call->flags & 1 << bit)) continue;
            fprintf(out, "%s%s", between, text_assertion(bit));
            between = "|";
        }
        if (!(call->flags & TRACE_ASSERTIONS) && (call_row(call->call)->needed & F_ASSERT)) fputs(" assert=0", out);
    }
    if ((row->allowed & F_OP) && call->rma.op != TRACE_OP_UNKNOWN) fprintf(out, " op=%s", trace_op_name(call->rma.op));
    if (call->flags & TRACE_STARTED) fputs(" started=1", out);
    if ((row->allowed & F_NEWCOMM) && call->comm.newcomm != TRACE_NO_REF)
        fprintf(out, " newcomm=%" PRIu32, call->comm.newcomm);
    write_request_name(writer, step);
    write_waits(writer, step, row->needed);
}

/* The name of the region that a call enters or leaves. */
static void write_region(const struct writer *writer, const struct step *step)
{
    const char *region = writer->program->names->definitions.regions[step->call.region.region];
    char *name = malloc(3 * strlen(region) + 1);
    if (!name) return; /* out of memory: the missing name is an error for the reader */
    text_encode(region, name);
    fputs(name, writer->out);
    free(name);
}

static void write_call(const struct writer *writer, const struct step *step)
{
    fputs(call_name(step->call.call), writer->out);
    if (call_is_region(step->call.call)) {
        fputc(' ', writer->out);
        write_region(writer, step);
    } else {
        write_keys(writer, step);
        write_site(writer, step->call.site);
        if (!is_zero(&step->duration)) {
            fputs(" takes=", writer->out);
            write_time(writer, &step->duration);
        }
    }
}

/* A region's statements are a block with its time, so that it can be reduced to that. */
static void begin_block(struct writer *writer, const struct step *step)
{
    bool enters = step->kind == STEP_CALL && call_kind(step->call.call) == CALL_REGION_ENTER;
    const struct computing *computing = &step->computing[COMPUTING_REGION];
    if (!enters || !step->pair) return;
    fprintf(writer->out, "%*sblock ", 2 * writer->depth, "");
    write_region(writer, step);
    if (was_seen(computing) && is_zero(&computing->model)) fputs(" time=0", writer->out);
    else if (was_seen(computing)) fprintf(writer->out, " time=%s%" PRIu32, places[COMPUTING_REGION], step->number);
    fputc('\n', writer->out);
    writer->depth++;
}

static void end_block(struct writer *writer, const struct step *step)
{
    if (step->kind != STEP_CALL || !step->pair || call_kind(step->call.call) == CALL_REGION_ENTER) return;
    writer->depth--;
    fprintf(writer->out, "%*send\n", 2 * writer->depth, "");
}

static bool has_turns(const struct step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (steps[i].partners[0].kind == PARTNER_TURN || has_turns(steps[i].body, steps[i].count)) return true;
    return false;
}

static void write_steps(struct writer *writer, const struct step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct step *step = &steps[i];
        uint32_t outer = writer->series, turn = writer->turn;
        if (step->kind == STEP_COMPUTE) {
            if (was_seen(&step->computing[COMPUTING_BEFORE]))
                fprintf(writer->out, "%*scompute %s%" PRIu32 "\n", 2 * writer->depth, "", places[COMPUTING_BEFORE], step->number);
            continue;
        }
        end_block(writer, step);
        fprintf(writer->out, "%*s", 2 * writer->depth, "");
        if (step->kind == STEP_CALL) write_call(writer, step);
        else fputs("repeat ", writer->out);
        if (step->kind == STEP_REPEAT) {
            writer->turn = step->number + 1;
            write_count(writer, &step->rounds);
            if (has_turns(step->body, step->count)) fprintf(writer->out, " as k%" PRIu32, step->number);
        }
        if (step->kind == STEP_SERIES) {
            writer->series = step->number;
            place_text rounds;
            fprintf(writer->out, "%s as k%" PRIu32, series_rounds_text(step->series, &parts[step->shared], rounds), step->number);
        }
        write_when(writer, step);
        write_places(writer, step);
        fputc('\n', writer->out);
        writer->depth++;
        write_steps(writer, step->body, step->count);
        writer->depth--;
        if (step->kind != STEP_CALL) fprintf(writer->out, "%*send\n", 2 * writer->depth, "");
        begin_block(writer, step);
        writer->series = outer;
        writer->turn = turn;
    }
}

/* --- computing --- */

static bool all_are_one(const float *values, size_t count)
{
    size_t i = 0;
    while (i < count && values[i] == 1) i++;
    return i == count;
}

static void write_factors(const char *name, const float *values, size_t count, FILE *out)
{
    enum { A_LINE = 12 };
    bool whole = strcmp(name, "chance") != 0; /* one row */
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || (!whole && i % A_LINE == 0)) fprintf(out, "%s  %s", i ? "\n" : "", name);
        fprintf(out, " %.9g", values[i]);
    }
    fputc('\n', out);
}

static void write_counts(const struct executions *executions, size_t ranks, FILE *out)
{
    bool same = true;
    for (size_t r = 1; r < ranks; r++)
        same = same && executions->first[r + 1] - executions->first[r] == executions->first[1];
    fputs("  counts", out);
    for (size_t r = 0; r < (same ? 1 : ranks); r++) fprintf(out, " %zu", executions->first[r + 1] - executions->first[r]);
    fputc('\n', out);
}

static bool are_alike(const struct executions *executions, size_t ranks)
{
    return all_are_one(executions->by_rank, ranks) && all_are_one(executions->by_execution, executions->most) &&
           all_are_one(executions->values, executions->count);
}

static void write_executions(const struct executions *executions, size_t ranks, FILE *out)
{
    if (!all_are_one(executions->by_rank, ranks)) write_factors("by_rank", executions->by_rank, ranks, out);
    if (!all_are_one(executions->by_execution, executions->most))
        write_factors("by_execution", executions->by_execution, executions->most, out);
    write_counts(executions, ranks, out);
    write_factors("chance", executions->values, executions->count, out);
}

static const struct time_point *point_of(const struct time_model *model, const struct program_run_scale *run)
{
    for (size_t i = 0; i < model->measured_count; i++)
        if (model->measured[i].ranks == run->ranks && model->measured[i].n == run->n) return &model->measured[i];
    return NULL;
}

static void write_scale(const struct program *program, const struct program_run_scale *run, FILE *out)
{
    fprintf(out, "%d", run->ranks);
    if (program->parameter) fprintf(out, " %s=%" PRId64, program->parameter, run->n);
}

/* Writes a run's own times, if the function and the largest run's executions do not give them. */
static void write_recorded(const struct writer *writer, const struct computing *computing, size_t run)
{
    const double negligible = 1e-6;
    const struct program *program = writer->program;
    const struct program_run_scale *scale = &program->runs[run], *largest = program_largest(program);
    const struct time_point *point = point_of(&computing->model, scale);
    const struct executions *executions = &computing->executions[run];
    if (!point) return;
    double difference = fabs(time_model_mean(&computing->model, scale->ranks, scale->n) - point->mean);
    bool alike = scale == largest || (are_alike(executions, (size_t)scale->ranks) &&
                                      are_alike(computing_of_largest(computing), (size_t)largest->ranks));
    if (alike && difference <= negligible * point->mean) return;
    fputs("  at ", writer->out);
    write_scale(program, scale, writer->out);
    fprintf(writer->out, " mean=%.9g\n", point->mean);
    if (!alike) write_executions(executions, (size_t)scale->ranks, writer->out);
}

static void write_computings(const struct writer *writer, const struct step *steps, size_t count)
{
    FILE *out = writer->out;
    size_t ranks = (size_t)program_largest(writer->program)->ranks;
    for (size_t i = 0; i < count; i++) {
        for (int place = 0; place < COMPUTING_PLACES; place++) {
            const struct computing *computing = &steps[i].computing[place];
            if (!was_seen(computing) || is_zero(&computing->model)) continue;
            fprintf(out, "computing %s%" PRIu32 " ", places[place], steps[i].number);
            write_time(writer, &computing->model);
            fprintf(out, " error=%.9g", computing->model.error);
            if (computing->model.missed > 0)
                fprintf(out, " missed=%.9g missed_s=%.9g doublings=%.9g", computing->model.missed, computing->model.missed_s,
                        computing->model.missed_doublings);
            if (computing->model.slept > 0) fprintf(out, " slept=%.9g", computing->model.slept);
            fputs(computing->model.balanced ? " balanced\n" : "\n", out);
            if (!are_alike(computing_of_largest(computing), ranks)) write_executions(computing_of_largest(computing), ranks, out);
            for (size_t run = 0; run < computing->run_count; run++) write_recorded(writer, computing, run);
        }
        write_computings(writer, steps[i].body, steps[i].count);
    }
}

/* --- definitions --- */

static void write_grid(const struct grid_shape *shape, FILE *out)
{
    const char *between = " periodic=";
    fprintf(out, "grid %s", grid_rule_name(shape->rule));
    if (shape->fixed) fprintf(out, " side=%d", shape->fixed);
    for (int d = 0; d < GRID_DIMENSIONS; d++) {
        if (!shape->periodic[d]) continue;
        fprintf(out, "%s%c", between, "xyz"[d]);
        between = "";
    }
    fputc('\n', out);
}

static void write_comm(unsigned shared, size_t number, FILE *out)
{
    fprintf(out, "comm %zu%s", number, shared ? " along=" : "");
    for (int d = 0; shared && d < GRID_DIMENSIONS; d++)
        if (!(shared & 1U << d)) fputc("xyz"[d], out);
    fputc('\n', out);
}

static void write_window(const struct writer *writer, const struct program_window *window, size_t number)
{
    FILE *out = writer->out;
    const char *flavor = trace_flavor_name(window->flavor);
    fprintf(out, "window %zu", number);
    if (window->comm) fprintf(out, " comm=%zu", window->comm);
    if (window->sized) {
        fputs(" bytes=", out);
        write_count(writer, &window->bytes);
    }
    if (window->disp_unit) fprintf(out, " disp_unit=%d", window->disp_unit);
    if (flavor) fprintf(out, " flavor=%s", flavor);
    fputc('\n', out);
}

void program_write(const struct program *program, FILE *out)
{
    struct writer writer = {.program = program, .out = out, .takes_after = takes_after(program->steps, program->count)};
    const struct program_run_scale *largest = program_largest(program);
    fprintf(out, PROGRAM_MODEL_WORD " 1\nranks %d\n", largest->ranks);
    if (program->parameter) fprintf(out, "parameter %s = %" PRId64 "\n", program->parameter, largest->n);
    for (size_t i = 0; i < program->run_count; i++) {
        fputs(i + 1 < program->run_count ? "recorded " : "observed ", out);
        write_scale(program, &program->runs[i], out);
        fputc('\n', out);
    }
    if (program->memory.ranks_per_node > 0) fprintf(out, "ranks_per_node %" PRIu32 "\n", program->memory.ranks_per_node);
    const struct trace_memory *memory = &program->memory;
    for (size_t i = 0; i < memory->count; i++)
        fprintf(out, "%s%.17g%s", i ? " " : "memory_bound ", memory->shares[i], i + 1 < memory->count ? "" : "\n");
    write_grid(&program->shape, out);
    for (size_t i = 1; i < program->comm_count; i++) write_comm(program->comms[i], i, out);
    for (size_t i = 0; i < program->window_count; i++) write_window(&writer, &program->windows[i], i);
    write_computings(&writer, program->steps, program->count);
    write_steps(&writer, program->steps, program->count);
}
