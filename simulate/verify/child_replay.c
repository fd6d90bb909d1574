#include "simulate/verify/child_replay.h"

#include <stdlib.h>
#include <string.h>

#include "common/children.h"
#include "simulate/verify/digest.h"

struct one_job {
    const struct trace *trace;
    const struct platform *platform;
    const struct replay_options *options;
};

/* A child's answer: the child writes it and its parent reads it by the same functions, member by member. The child is
 * our own program, so missing bytes are its failure, not the user's. */
struct wire {
    FILE *out; /* NULL: it is read, from `at` on */
    const char *at, *end;
    struct err *err;
};

static enum status move_bytes(struct wire *wire, void *data, size_t bytes)
{
    if (bytes == 0) return STATUS_OK;
    if (wire->out) return fwrite(data, 1, bytes, wire->out) == bytes ? STATUS_OK : err_memory(wire->err);
    if ((size_t)(wire->end - wire->at) < bytes)
        return err_set(wire->err, STATUS_SYSTEM, NULL, NULL, "the answer of a child process is too short");
    memcpy(data, wire->at, bytes);
    wire->at += bytes;
    return STATUS_OK;
}
#define MOVE(wire, member) TRY(move_bytes((wire), &(member), sizeof(member)))

/* An array that may be NULL. Reading makes it. */
static enum status move_array(struct wire *wire, void **array, size_t *capacity, size_t count, size_t item_bytes)
{
    bool present = *array != NULL;
    MOVE(wire, present);
    if (!present) return STATUS_OK;
    if (!wire->out) {
        *array = calloc(count + 1, item_bytes);
        if (!*array) return err_memory(wire->err);
        *capacity = count + 1;
    }
    return move_bytes(wire, *array, count * item_bytes);
}

/* Length with the closing NUL, 0 for NULL, then the text. Reading replaces *text. */
static enum status move_text(struct wire *wire, char **text)
{
    uint64_t bytes = wire->out && *text ? strlen(*text) + 1 : 0;
    MOVE(wire, bytes);
    if (!wire->out) {
        free(*text);
        *text = bytes ? calloc(bytes, 1) : NULL;
        if (bytes && !*text) return err_memory(wire->err);
    }
    return move_bytes(wire, *text, bytes);
}

static enum status move_rank(struct wire *wire, struct trace_rank *rank)
{
    size_t sims;
    MOVE(wire, rank->count);
    MOVE(wire, rank->speed);
    MOVE(wire, rank->memory_bound);
    MOVE(wire, rank->memory_known);
    MOVE(wire, rank->incomplete);
    MOVE(wire, rank->thread_count);
    MOVE(wire, rank->before_sum_ps);
    TRY(move_text(wire, &rank->incomplete_why));
    TRY(move_array(wire, (void **)&rank->calls, &rank->capacity, rank->count, sizeof *rank->calls));
    TRY(move_array(wire, (void **)&rank->sim, &sims, rank->count, sizeof *rank->sim));
    TRY(move_array(wire, (void **)&rank->thread, &rank->thread_capacity, rank->count, sizeof *rank->thread));
    TRY(move_array(wire, (void **)&rank->extents, &rank->extent_capacity, rank->count, sizeof *rank->extents));
    TRY(move_array(wire, (void **)&rank->compute_ps, &rank->compute_capacity, rank->count, sizeof *rank->compute_ps));
    for (int b = 0; b < BEFORE_COUNT; b++)
        TRY(move_array(wire, (void **)&rank->before_ps[b], &rank->before_capacity[b], rank->count,
                       sizeof *rank->before_ps[b]));
    return STATUS_OK;
}

/* The notes of the recorded trace are in a predicted one already. */
static enum status move_notes(struct wire *wire, struct trace *trace)
{
    uint64_t count = trace->provenance.note_count;
    MOVE(wire, count);
    for (uint64_t i = 0; i < count; i++) {
        char *text = wire->out ? trace->provenance.notes[i] : NULL;
        TRY(move_text(wire, &text));
        if (wire->out || !text) continue;
        enum status status = trace_add_note(trace, wire->err, "%s", text);
        free(text);
        TRY(status);
    }
    return STATUS_OK;
}

static enum status move_trace(struct wire *wire, struct trace *trace)
{
    TRY(move_text(wire, &trace->name));
    TRY(move_text(wire, &trace->provenance.platform));
    TRY(move_text(wire, &trace->provenance.engine));
    TRY(move_text(wire, &trace->provenance.semantics));
    TRY(move_text(wire, &trace->provenance.lock));
    TRY(move_text(wire, &trace->provenance.library));
    TRY(move_text(wire, &trace->provenance.transport));
    MOVE(wire, trace->provenance.record_cost_ps);
    MOVE(wire, trace->provenance.core_waits);
    TRY(move_notes(wire, trace));
    for (uint32_t r = 0; r < trace->rank_count; r++) TRY(move_rank(wire, &trace->ranks[r]));
    return STATUS_OK;
}

/* The trace of tasks that were decided again, which has the definitions of the recorded one. */
static enum status move_decided(struct wire *wire, const struct trace *recorded, struct trace **decided)
{
    bool present = *decided != NULL;
    MOVE(wire, present);
    if (!present) return STATUS_OK;
    if (!wire->out) TRY(trace_new_like(recorded, decided, wire->err));
    return move_trace(wire, *decided);
}

/* A predicted trace names the platform's nodes, where the recorded one has those of its recording. */
static enum status move_nodes(struct wire *wire, struct trace *predicted)
{
    if (!wire->out) trace_clear_nodes(predicted);
    for (uint32_t r = 0; r < predicted->rank_count; r++) {
        char *name = wire->out ? (char *)trace_node_name(predicted, r) : NULL;
        TRY(move_text(wire, &name));
        if (wire->out || !name) continue;
        enum status status = trace_set_node(predicted, r, name, wire->err);
        free(name);
        TRY(status);
    }
    return STATUS_OK;
}

/* Its arrays have been made, and its trace is where there is one. */
static enum status move_outcome(struct wire *wire, struct replay_outcome *outcome, const struct trace *recorded)
{
    const uint32_t ranks = recorded->rank_count;
    MOVE(wire, outcome->run_time_s);
    MOVE(wire, outcome->run_time_ps);
    MOVE(wire, outcome->wall_s);
    MOVE(wire, outcome->stats);
    MOVE(wire, outcome->transfers);
    MOVE(wire, outcome->transfer_bytes);
    MOVE(wire, outcome->core_wait_s);
    MOVE(wire, outcome->peak_bytes);
    MOVE(wire, outcome->buffer);
    MOVE(wire, outcome->bounds);
    TRY(move_bytes(wire, outcome->rank_time_s, ranks * sizeof *outcome->rank_time_s));
    for (int p = 0; p < PATTERN_COUNT; p++) {
        TRY(move_bytes(wire, outcome->totals.severity_ps[p], ranks * sizeof *outcome->totals.severity_ps[p]));
        TRY(move_bytes(wire, outcome->totals.count[p], ranks * sizeof *outcome->totals.count[p]));
    }
    TRY(move_decided(wire, recorded, &outcome->decided));
    if (!outcome->trace) return STATUS_OK;
    TRY(move_nodes(wire, outcome->trace));
    return move_trace(wire, outcome->trace);
}

static enum status replay_whole(void *context, size_t index, FILE *out, struct err *err)
{
    const struct one_job *job = context;
    (void)index;
    struct replay_outcome outcome = {0};
    TRY(replay_run(job->trace, job->platform, job->options, &outcome, err));
    struct wire wire = {.out = out, .err = err};
    enum status status = move_outcome(&wire, &outcome, job->trace);
    replay_outcome_clear(&outcome);
    return status;
}

/* The predicted trace has the definitions of the recorded one (simulate/replay/replay.h), but for its nodes. */
static enum status read_outcome(struct wire *wire, const struct one_job *job, struct replay_outcome *outcome)
{
    uint32_t ranks = job->trace->rank_count;
    outcome->rank_time_s = calloc(ranks + 1, sizeof *outcome->rank_time_s);
    if (!outcome->rank_time_s) return err_memory(wire->err);
    TRY(totals_init(&outcome->totals, ranks, wire->err));
    if (job->options->keep_trace) {
        TRY(trace_new_like(job->trace, &outcome->trace, wire->err));
        outcome->trace->provenance.simulated = true;
    }
    return move_outcome(wire, outcome, job->trace);
}

enum status child_replay(const struct trace *trace, const struct platform *platform,
                         const struct replay_options *options, struct replay_outcome *outcome, struct err *err)
{
    struct one_job job = {.trace = trace, .platform = platform, .options = options};
    struct child_answer answer;
    /* The child loads the engine: what SimGrid's libraries do without memory is its end, not ours. */
    TRY(children_run(replay_whole, &job, 1, 1, &answer, err));
    if (answer.status != STATUS_OK) {
        if (err) *err = answer.err;
        return answer.status;
    }
    struct wire wire = {.at = answer.data, .end = answer.data + answer.bytes, .err = err};
    struct replay_outcome taken = {0};
    enum status status = read_outcome(&wire, &job, &taken);
    child_answers_clear(&answer, 1);
    GIVE(status, *outcome = taken, replay_outcome_clear(&taken));
}

struct short_answer {
    double run_time_s;
    uint64_t digest;
};

static enum status replay_job(const struct child_replay_job *job, struct short_answer *answer, struct err *err)
{
    struct replay_options options = {.engine = job->engine, .keep_trace = true};
    struct replay_outcome outcome = {0};
    TRY(replay_run(job->trace, job->platform, &options, &outcome, err));
    answer->run_time_s = outcome.run_time_s;
    enum status status = verify_digest(outcome.trace, &answer->digest, err);
    replay_outcome_clear(&outcome);
    return status;
}

static enum status replay_short(void *context, size_t index, FILE *out, struct err *err)
{
    struct short_answer answer = {0};
    struct wire wire = {.out = out, .err = err};
    TRY(replay_job((const struct child_replay_job *)context + index, &answer, err));
    return move_bytes(&wire, &answer, sizeof answer);
}

/* Whether the replays take less time than making a child. */
static bool replays_here(const struct child_replay_job *jobs, size_t count)
{
    enum { FEW_CALLS = 1000 };
    uint64_t calls = 0;
    for (size_t i = 0; i < count; i++) {
        if (jobs[i].engine->once_per_process || jobs[i].platform->simgrid_xml) return false;
        calls += trace_all_calls(jobs[i].trace);
    }
    return calls <= FEW_CALLS * (uint64_t)count;
}

/* What the machine refuses says nothing of the replay. */
static enum status find_system_error(const struct child_replay_summary *summaries, size_t count, struct err *err)
{
    size_t i = 0;
    while (i < count && summaries[i].status != STATUS_SYSTEM) i++;
    if (i == count) return STATUS_OK;
    if (err) *err = summaries[i].err;
    return STATUS_SYSTEM;
}

enum status child_replay_summaries(const struct child_replay_job *jobs, size_t count,
                                   struct child_replay_summary *summaries, struct err *err)
{
    for (size_t i = 0; i < count; i++) TRY(engine_load(jobs[i].engine, err));
    if (replays_here(jobs, count)) {
        for (size_t i = 0; i < count; i++) {
            struct short_answer answer = {0};
            summaries[i].status = replay_job(&jobs[i], &answer, &summaries[i].err);
            summaries[i].run_time_s = answer.run_time_s;
            summaries[i].digest = answer.digest;
        }
        return find_system_error(summaries, count, err);
    }
    struct child_answer *answers = calloc(count ? count : 1, sizeof *answers);
    if (!answers) return err_memory(err);
    /* The children only read the jobs. */
    enum status status = children_run(replay_short, (void *)(uintptr_t)jobs, count, 0, answers, err);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        struct short_answer got = {0};
        struct wire wire = {.at = answers[i].data, .end = answers[i].data + answers[i].bytes, .err = &summaries[i].err};
        summaries[i] = (struct child_replay_summary){.status = answers[i].status, .err = answers[i].err};
        if (summaries[i].status == STATUS_OK) summaries[i].status = move_bytes(&wire, &got, sizeof got);
        summaries[i].run_time_s = got.run_time_s;
        summaries[i].digest = got.digest;
    }
    if (status == STATUS_OK) child_answers_clear(answers, count);
    free(answers);
    return status == STATUS_OK ? find_system_error(summaries, count, err) : status;
}
