#include "validate/explain/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/children.h"
#include "common/json/field_rows.h"
#include "common/search.h"
#include "common/text/text.h"
#include "common/units.h"
#include "platforms/platform.h"
#include "predictors/prediction.h"
#include "simulate/engine/engine.h"
#include "validate/calls.h"

enum { OWN_OVERRIDES = 2, OVERRIDE_BYTES = 128 };
enum { BLOCK = 4 }; /* replays of a child: to begin one takes as long as a short replay */

struct replays {
    const struct explain_input *input;
    const struct platform_changes *changes;
    const char **overrides; /* with memory for one more */
    size_t override_count;
    char own[OWN_OVERRIDES][OVERRIDE_BYTES];
    struct explanation_replay *answers; /* one for each job; run_time_s: NAN if the platform or the replay refuses the change */
    size_t jobs, begun; /* begun: blocks */
};

/* The file may differ from what the prediction was made with. A table of semantics has no name, so it cannot be set. */
static enum status set_overrides(struct replays *replays, struct err *err)
{
    const struct explain_input *input = replays->input;
    const struct trace *trace = input->predicted;
    replays->overrides = calloc(input->override_count + OWN_OVERRIDES + 1, sizeof *replays->overrides);
    if (!replays->overrides) return err_memory(err);
    for (size_t i = 0; i < input->override_count; i++) replays->overrides[replays->override_count++] = input->overrides[i];
    const char *const keys[OWN_OVERRIDES] = {"mpi.rma.semantics", "mpi.rma.lock"};
    const char *const values[OWN_OVERRIDES] = {
        trace->provenance.semantics && strlen(trace->provenance.semantics) == 1 ? trace->provenance.semantics : NULL,
        trace->provenance.lock};
    for (int i = 0; i < OWN_OVERRIDES; i++) {
        if (!values[i]) continue;
        snprintf(replays->own[i], OVERRIDE_BYTES, "%s=%s", keys[i], values[i]);
        replays->overrides[replays->override_count++] = replays->own[i];
    }
    return STATUS_OK;
}

static enum status match_section(const struct explain_input *input, const struct trace *replayed,
                                 struct validate_calls **calls, struct err *err)
{
    struct section room;
    const struct section *section;
    const struct section_marks *marks = input->analyze ? &input->analyze->section : NULL;
    TRY(section_find_asked(replayed, marks, &room, &section, err));
    enum status status = validate_calls_match(replayed, input->measured, input->repetitions, section,
                                              marks ? marks->callpath : NULL, calls, NULL, err);
    section_clear(&room);
    return status;
}

/* Sum over the operations of |error of the time when their data were there|, where a measured run states it: a simulated one. */
static double sum_transfer_errors_s(const struct explain_input *input, const struct trace *replayed)
{
    double sum_ps = 0;
    for (size_t m = 0; m < input->repetitions; m++)
        for (uint32_t r = 0; r < replayed->rank_count && r < input->measured[m]->rank_count; r++) {
            const struct trace_rank *ours = &replayed->ranks[r], *theirs = &input->measured[m]->ranks[r];
            for (size_t i = 0; ours->sim && theirs->sim && i < ours->count && i < theirs->count; i++)
                if (ours->sim[i].xfer_end_ps != TRACE_UNKNOWN_PS && theirs->sim[i].xfer_end_ps != TRACE_UNKNOWN_PS)
                    sum_ps += fabs((double)(ours->sim[i].xfer_end_ps - theirs->sim[i].xfer_end_ps));
        }
    return sum_ps * 1e-12;
}

static enum status replay_trace(const struct explain_input *input, const struct trace *trace, const struct platform *platform,
                                struct explanation_replay *replay, struct err *err)
{
    struct prediction prediction = {.trace = trace, .platform = platform, .engine = engine_by_name("loggp"),
                                    .analyze = input->analyze, .keep_going = trace != input->predicted, .keep_trace = true};
    struct validate_calls *calls = NULL;
    TRY(prediction_run(&prediction, err));
    enum status status = match_section(input, prediction.outcome.trace, &calls, err);
    if (status == STATUS_OK)
        *replay = (struct explanation_replay){.run_time_s = prediction.result->run_time_s, .absolute_s = calls->absolute_s,
                                              .transfers_s = sum_transfer_errors_s(input, prediction.outcome.trace)};
    validate_calls_free(calls);
    prediction_clear(&prediction);
    return status;
}

/* Job 0 changes nothing. Behind the changes the measured runs are replayed. */
static enum status replay_change(const struct replays *replays, size_t index, struct explanation_replay *replay,
                                 struct err *err)
{
    struct platform *platform;
    size_t count = replays->override_count, changes = replays->changes->count;
    const struct trace *trace = index > changes ? replays->input->measured[index - changes - 1] : replays->input->predicted;
    if (index > 0 && index <= changes) replays->overrides[count++] = replays->changes->items[index - 1].override;
    TRY(platform_open(replays->input->platform, replays->overrides, count, &platform, err));
    platform->decide = DECIDE_RECORDED; /* calls are compared with those of the same rank */
    enum status status = platform_check_ranks(platform, replays->input->predicted->rank_count, err);
    if (status == STATUS_OK) status = replay_trace(replays->input, trace, platform, replay, err);
    platform_free(platform);
    return status;
}

/* What the machine refuses says nothing of the change, and without the unchanged replay nothing is known: both end all. */
static enum status replay_block(void *context, size_t block, FILE *out, struct err *err)
{
    const struct replays *replays = context;
    for (size_t i = block * BLOCK; i < replays->jobs && i < (block + 1) * BLOCK; i++) {
        struct explanation_replay replay = {.run_time_s = NAN};
        enum status status = replay_change(replays, i, &replay, err);
        if (status == STATUS_SYSTEM || (status != STATUS_OK && i == 0)) return status;
        fwrite(&replay, sizeof replay, 1, out);
    }
    return STATUS_OK;
}

static bool begin_block(void *context, size_t *block)
{
    struct replays *replays = context;
    *block = replays->begun;
    return replays->begun * BLOCK < replays->jobs && ++replays->begun;
}

static enum status take_block(void *context, size_t block, struct child_answer *answer, struct err *err)
{
    struct replays *replays = context;
    if (answer->status == STATUS_OK)
        memcpy(&replays->answers[block * BLOCK], answer->data, answer->bytes);
    else if (err)
        *err = answer->err;
    return answer->status;
}

ORDER(compare_replays, struct explanation_replay, UP(absolute_s) UP(transfers_s) UP(change))

static bool is_tie(const struct explanation_replay *one, const struct explanation_replay *other)
{
    return one->absolute_s == other->absolute_s && one->transfers_s == other->transfers_s;
}

static void set_errors(const struct explain_input *input, const struct explanation *explanation,
                       struct explanation_replay *replay)
{
    double unchanged_s = explanation->unchanged.absolute_s;
    replay->run_time_error_s = replay->run_time_s - input->measured_run_time_s;
    replay->explained = unchanged_s > 0 ? 1 - replay->absolute_s / unchanged_s : 0;
}

ORDER(compare_run_times, struct explanation_replay, UP(run_time_s))

/* answers: one for each measured run. */
static void collect_computing(const struct explain_input *input, struct explanation_replay *answers,
                              struct explanation *explanation)
{
    size_t known = 0;
    for (size_t i = 0; i < input->repetitions; i++)
        if (!isnan(answers[i].run_time_s)) answers[known++] = answers[i];
    explanation->computing_known = known > 0;
    if (known == 0) return;
    qsort(answers, known, sizeof *answers, compare_run_times);
    explanation->computing = answers[(known - 1) / 2];
    set_errors(input, explanation, &explanation->computing);
}

static void collect_replays(const struct explain_input *input, const struct explanation_replay *answers,
                            struct explanation *explanation)
{
    const struct explanation_replay *unchanged = &explanation->unchanged;
    for (size_t i = 0; i < explanation->changes.count; i++) {
        struct explanation_replay replay = answers[i];
        replay.change = &explanation->changes.items[i];
        if (isnan(replay.run_time_s)) {
            explanation->failed++;
        } else if (replay.absolute_s == unchanged->absolute_s && replay.run_time_s == unchanged->run_time_s) {
            explanation->without_effect++;
        } else {
            set_errors(input, explanation, &replay);
            explanation->replays[explanation->count++] = replay;
        }
    }
    qsort(explanation->replays, explanation->count, sizeof *explanation->replays, compare_replays);
}

static enum status run_all(struct replays *replays, struct explanation *explanation, struct err *err)
{
    static const struct children_jobs blocks = {begin_block, take_block};
    const struct explain_input *input = replays->input;
    size_t changes = explanation->changes.count;
    replays->jobs = 1 + changes + input->repetitions;
    replays->answers = calloc(replays->jobs, sizeof *replays->answers);
    explanation->replays = calloc(replays->jobs, sizeof *explanation->replays);
    enum status status = replays->answers && explanation->replays
                             ? children_run_jobs(replay_block, &blocks, replays, 0, err) : err_memory(err);
    if (status == STATUS_OK) {
        explanation->unchanged = replays->answers[0];
        set_errors(input, explanation, &explanation->unchanged);
        collect_computing(input, &replays->answers[1 + changes], explanation);
        collect_replays(input, &replays->answers[1], explanation);
    }
    free(replays->answers);
    return status;
}

enum status explain_run(const struct explain_input *input, struct explanation *explanation, struct err *err)
{
    struct replays replays = {.input = input, .changes = &explanation->changes};
    *explanation = (struct explanation){.mpi_s = input->mpi_s, .mpi_waited_s = input->mpi_waited_s};
    enum status status = set_overrides(&replays, err);
    if (status == STATUS_OK)
        status = platform_changes_find(input->platform, replays.overrides, replays.override_count, &explanation->changes, err);
    if (status == STATUS_OK) status = run_all(&replays, explanation, err);
    free(replays.overrides);
    if (status != STATUS_OK) explanation_clear(explanation);
    return status;
}

void explanation_clear(struct explanation *explanation)
{
    platform_changes_clear(&explanation->changes);
    free(explanation->replays);
    *explanation = (struct explanation){.count = 0};
}

static void print_signed(double seconds, FILE *out)
{
    char text[UNITS_TEXT_BYTES];
    text_print(out, " %11s", units_format_duration(seconds, text));
}

/* name: of a replay without a change of the platform. */
static void print_replay(const struct explanation_replay *replay, const char *name, FILE *out)
{
    char text[UNITS_TEXT_BYTES];
    if (replay->explained != 0)
        text_print(out, "%+8.1f%%", replay->explained * 100);
    else
        text_print(out, "%9s", "");
    print_signed(replay->run_time_error_s, out);
    text_print(out, " %11s  ", units_format_duration(replay->absolute_s, text));
    if (replay->change)
        text_print(out, "%s: %s -> %s (%s)\n", replay->change->key, replay->change->from, replay->change->to,
                   change_why_name(replay->change->why));
    else
        text_print(out, "%s\n", name);
}

#define LEAST_EXPLAINED 1e-4 /* a share printed as 0.0 % explains nothing */
#define LEAST_WAITED 0.01    /* as much of the time in MPI may be waits for a core on any machine */

void explanation_print(const struct explanation *explanation, size_t top, FILE *out)
{
    char mpi[UNITS_TEXT_BYTES], waited[UNITS_TEXT_BYTES];
    text_print(out, "\nWhat would explain the error\n%9s %11s %11s  change\n", "explained", "run time", "all calls");
    print_replay(&explanation->unchanged, "as predicted", out);
    if (explanation->computing_known) print_replay(&explanation->computing, "with the computing of the measured runs", out);
    size_t shown = 0;
    for (; shown < explanation->count && shown < top && explanation->replays[shown].explained > LEAST_EXPLAINED; shown++)
        print_replay(&explanation->replays[shown], NULL, out);
    size_t equal = 1;
    while (equal < shown && is_tie(&explanation->replays[0], &explanation->replays[equal])) equal++;
    if (equal > 1) text_print(out, "The first %zu explain it equally: nothing that the runs show tells them apart.\n", equal);
    if (shown == 0) fputs("No single change makes the error smaller.\n", out);
    if (explanation->mpi_waited_s > LEAST_WAITED * explanation->mpi_s)
        text_print(out, "Of %s in MPI the measured runs were %s without a core: no value of a platform explains that.\n",
                   units_format_duration(explanation->mpi_s, mpi), units_format_duration(explanation->mpi_waited_s, waited));
    text_print(out, "%zu changes of one value tried: %zu change no time, %zu are refused. Run time: its error; all calls: sum of "
                    "the errors without sign.\n",
               explanation->changes.count, explanation->without_effect, explanation->failed);
}

static const char *name_why(int why)
{
    return change_why_name((enum change_why)why);
}

#define S struct platform_change
static const struct field change_fields[] = {SAME(key), SAME(from), SAME(to),
                                             NAME_OF("why", why, name_why, CHANGE_OTHER_VALUE + 1), FIELD("set", override), {0}};
#undef S
#define S struct explanation_replay
static const struct field replay_fields[] = {SAME(run_time_s), SAME(run_time_error_s, SIGNED),
                                             FIELD("absolute_error_s", absolute_s), {0}};
static const struct field explained_fields[] = {INLINE(NULL, change, change_fields, IF_THERE, LEFT_OUT, POINTED),
                                                {.kind = FIELD_INLINE, .rows = replay_fields}, SAME(explained, SIGNED), {0}};
#undef S
#define S struct explanation
static const struct field members_fields[] = {OBJECT("unchanged", unchanged, replay_fields),
                                              OBJECT("computing", computing, explained_fields, IF_FLAG(computing_known)),
                                              SAME(mpi_s), SAME(mpi_waited_s), FIELD("tried", changes.count),
                                              SAME(without_effect), FIELD("refused", failed),
                                              ARRAY("changes", replays, count, explained_fields), {0}};
const struct field explanation_fields[] = {PART("explanation", members_fields, LEFT_OUT), {0}};
#undef S
