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

/* The members of an outcome of fixed size. The arrays follow in the order of the members. */
struct outcome_head {
    double run_time_s, wall_s;
    struct engine_stats stats;
    uint64_t transfers, transfer_bytes, peak_bytes;
    struct buffer_use buffer;
};

struct rank_head {
    size_t count;
    double speed;
    bool incomplete;
    uint32_t thread_count;
    bool has_threads, has_extents, has_before[BEFORE_COUNT];
};

static enum status put_bytes(FILE *out, const void *data, size_t bytes, struct err *err)
{
    if (bytes == 0 || fwrite(data, 1, bytes, out) == bytes) return STATUS_OK;
    return err_memory(err);
}

/* Length with the closing NUL, 0 for NULL, then the text. */
static enum status put_text(FILE *out, const char *text, struct err *err)
{
    uint64_t bytes = text ? strlen(text) + 1 : 0;
    TRY(put_bytes(out, &bytes, sizeof bytes, err));
    return put_bytes(out, text, bytes, err);
}

static enum status put_trace(FILE *out, const struct trace *trace, struct err *err)
{
    TRY(put_text(out, trace->name, err));
    TRY(put_text(out, trace->provenance.platform, err));
    TRY(put_text(out, trace->provenance.engine, err));
    TRY(put_text(out, trace->provenance.semantics, err));
    TRY(put_text(out, trace->provenance.lock, err));
    TRY(put_bytes(out, &trace->provenance.record_cost_ps, sizeof trace->provenance.record_cost_ps, err));
    uint64_t notes = trace->provenance.note_count;
    TRY(put_bytes(out, &notes, sizeof notes, err));
    for (size_t i = 0; i < trace->provenance.note_count; i++) TRY(put_text(out, trace->provenance.notes[i], err));
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const struct trace_rank *rank = &trace->ranks[r];
        struct rank_head head = {.count = rank->count,
                                 .speed = rank->speed,
                                 .incomplete = rank->incomplete,
                                 .thread_count = rank->thread_count,
                                 .has_threads = rank->thread != NULL,
                                 .has_extents = rank->extents != NULL};
        for (int b = 0; b < BEFORE_COUNT; b++) head.has_before[b] = rank->before_ps[b] != NULL;
        TRY(put_bytes(out, &head, sizeof head, err));
        TRY(put_text(out, rank->incomplete_why, err));
        TRY(put_bytes(out, rank->calls, rank->count * sizeof *rank->calls, err));
        TRY(put_bytes(out, rank->sim, rank->count * sizeof *rank->sim, err));
        if (rank->thread) TRY(put_bytes(out, rank->thread, rank->count * sizeof *rank->thread, err));
        if (rank->extents) TRY(put_bytes(out, rank->extents, rank->count * sizeof *rank->extents, err));
        for (int b = 0; b < BEFORE_COUNT; b++)
            if (rank->before_ps[b]) TRY(put_bytes(out, rank->before_ps[b], rank->count * sizeof *rank->before_ps[b], err));
    }
    return STATUS_OK;
}

static enum status put_outcome(FILE *out, const struct replay_outcome *outcome, uint32_t ranks, struct err *err)
{
    struct outcome_head head = {
        .run_time_s = outcome->run_time_s,
        .wall_s = outcome->wall_s,
        .stats = outcome->stats,
        .transfers = outcome->transfers,
        .transfer_bytes = outcome->transfer_bytes,
        .peak_bytes = outcome->peak_bytes,
        .buffer = outcome->buffer,
    };
    TRY(put_bytes(out, &head, sizeof head, err));
    TRY(put_bytes(out, outcome->rank_time_s, ranks * sizeof *outcome->rank_time_s, err));
    for (int p = 0; p < PATTERN_COUNT; p++) {
        TRY(put_bytes(out, outcome->totals.severity_ps[p], ranks * sizeof *outcome->totals.severity_ps[p], err));
        TRY(put_bytes(out, outcome->totals.count[p], ranks * sizeof *outcome->totals.count[p], err));
    }
    return outcome->trace ? put_trace(out, outcome->trace, err) : STATUS_OK;
}

static enum status replay_whole(void *context, size_t index, FILE *out, struct err *err)
{
    const struct one_job *job = context;
    (void)index;
    struct replay_outcome outcome = {0};
    TRY(replay_run(job->trace, job->platform, job->options, &outcome, err));
    enum status status = put_outcome(out, &outcome, job->trace->rank_count, err);
    replay_outcome_clear(&outcome);
    return status;
}

/* Reads what put_bytes() wrote. The child is our own program, so missing bytes are its failure, not the user's. */
struct reader {
    const char *at, *end;
};

static enum status take_bytes(struct reader *reader, void *data, size_t bytes, struct err *err)
{
    if ((size_t)(reader->end - reader->at) < bytes)
        return err_set(err, STATUS_SYSTEM, NULL, NULL, "the answer of a child process is too short");
    if (bytes) memcpy(data, reader->at, bytes);
    reader->at += bytes;
    return STATUS_OK;
}

/* Replaces *text. */
static enum status take_text(struct reader *reader, char **text, struct err *err)
{
    uint64_t bytes = 0;
    TRY(take_bytes(reader, &bytes, sizeof bytes, err));
    free(*text);
    *text = bytes ? calloc(bytes, 1) : NULL;
    if (bytes && !*text) return err_memory(err);
    return take_bytes(reader, *text, bytes, err);
}

static enum status take_before(struct reader *reader, struct trace *trace, uint32_t rank, enum trace_before what,
                               struct err *err)
{
    for (size_t i = 0; i < trace->ranks[rank].count; i++) {
        int64_t ps = TRACE_UNKNOWN_PS;
        TRY(take_bytes(reader, &ps, sizeof ps, err));
        TRY(trace_set_before(trace, rank, i, what, ps, err));
    }
    return STATUS_OK;
}

static enum status take_rank(struct reader *reader, struct trace *trace, uint32_t rank, struct err *err)
{
    struct trace_rank *process = &trace->ranks[rank];
    struct rank_head head = {0};
    TRY(take_bytes(reader, &head, sizeof head, err));
    TRY(take_text(reader, &process->incomplete_why, err));
    size_t count = head.count;
    process->speed = head.speed;
    process->incomplete = head.incomplete;
    process->calls = calloc(count + 1, sizeof *process->calls);
    process->sim = calloc(count + 1, sizeof *process->sim);
    if (!process->calls || !process->sim) return err_memory(err);
    TRY(take_bytes(reader, process->calls, count * sizeof *process->calls, err));
    TRY(take_bytes(reader, process->sim, count * sizeof *process->sim, err));
    process->count = count;
    process->capacity = count + 1;
    process->thread_count = head.thread_count;
    if (head.has_threads) {
        process->thread = calloc(count + 1, sizeof *process->thread);
        if (!process->thread) return err_memory(err);
        process->thread_capacity = count + 1;
        TRY(take_bytes(reader, process->thread, count * sizeof *process->thread, err));
    }
    if (head.has_extents) TRY(trace_reserve_extents(process, err));
    if (head.has_extents) TRY(take_bytes(reader, process->extents, count * sizeof *process->extents, err));
    for (int b = 0; b < BEFORE_COUNT; b++)
        if (head.has_before[b]) TRY(take_before(reader, trace, rank, (enum trace_before)b, err));
    return STATUS_OK;
}

/* The notes of the recorded trace are in it already. */
static enum status take_notes(struct reader *reader, struct trace *trace, struct err *err)
{
    uint64_t count;
    char *text = NULL;
    enum status status = take_bytes(reader, &count, sizeof count, err);
    for (uint64_t i = 0; status == STATUS_OK && i < count; i++) {
        status = take_text(reader, &text, err);
        if (status == STATUS_OK && text) status = trace_add_note(trace, err, "%s", text);
    }
    free(text);
    return status;
}

/* The predicted trace has the definitions of the recorded one (simulate/replay/replay.h). */
static enum status take_trace(struct reader *reader, const struct one_job *job, struct replay_outcome *outcome,
                              struct err *err)
{
    TRY(trace_new_like(job->trace, &outcome->trace, err));
    struct trace *trace = outcome->trace;
    trace->provenance.simulated = true;
    TRY(take_text(reader, &trace->name, err));
    TRY(take_text(reader, &trace->provenance.platform, err));
    TRY(take_text(reader, &trace->provenance.engine, err));
    TRY(take_text(reader, &trace->provenance.semantics, err));
    TRY(take_text(reader, &trace->provenance.lock, err));
    TRY(take_bytes(reader, &trace->provenance.record_cost_ps, sizeof trace->provenance.record_cost_ps, err));
    TRY(take_notes(reader, trace, err));
    for (uint32_t r = 0; r < trace->rank_count; r++) TRY(take_rank(reader, trace, r, err));
    return STATUS_OK;
}

static enum status take_outcome(struct reader *reader, const struct one_job *job, struct replay_outcome *outcome,
                                struct err *err)
{
    uint32_t ranks = job->trace->rank_count;
    struct outcome_head head;
    TRY(take_bytes(reader, &head, sizeof head, err));
    outcome->run_time_s = head.run_time_s;
    outcome->wall_s = head.wall_s;
    outcome->stats = head.stats;
    outcome->transfers = head.transfers;
    outcome->transfer_bytes = head.transfer_bytes;
    outcome->peak_bytes = head.peak_bytes;
    outcome->buffer = head.buffer;
    outcome->rank_time_s = calloc(ranks + 1, sizeof *outcome->rank_time_s);
    if (!outcome->rank_time_s) return err_memory(err);
    TRY(totals_init(&outcome->totals, ranks, err));
    TRY(take_bytes(reader, outcome->rank_time_s, ranks * sizeof *outcome->rank_time_s, err));
    for (int p = 0; p < PATTERN_COUNT; p++) {
        TRY(take_bytes(reader, outcome->totals.severity_ps[p], ranks * sizeof *outcome->totals.severity_ps[p], err));
        TRY(take_bytes(reader, outcome->totals.count[p], ranks * sizeof *outcome->totals.count[p], err));
    }
    return job->options->keep_trace ? take_trace(reader, job, outcome, err) : STATUS_OK;
}

enum status child_replay(const struct trace *trace, const struct platform *platform,
                         const struct replay_options *options, struct replay_outcome *outcome, struct err *err)
{
    struct one_job job = {.trace = trace, .platform = platform, .options = options};
    struct child_answer answer;
    TRY(engine_load(options->engine, err));
    TRY(children_run(replay_whole, &job, 1, 1, &answer, err));
    if (answer.status != STATUS_OK) {
        if (err) *err = answer.err;
        return answer.status;
    }
    struct reader reader = {.at = answer.data, .end = answer.data + answer.bytes};
    struct replay_outcome taken = {0};
    enum status status = take_outcome(&reader, &job, &taken, err);
    child_answers_clear(&answer, 1);
    if (status != STATUS_OK) {
        replay_outcome_clear(&taken);
        return status;
    }
    *outcome = taken;
    return STATUS_OK;
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
    TRY(replay_job((const struct child_replay_job *)context + index, &answer, err));
    return put_bytes(out, &answer, sizeof answer, err);
}

static void replay_here(const struct child_replay_job *job, struct child_replay_summary *summary)
{
    struct short_answer answer = {0};
    summary->status = replay_job(job, &answer, &summary->err);
    summary->run_time_s = answer.run_time_s;
    summary->digest = answer.digest;
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

enum status child_replay_summaries(const struct child_replay_job *jobs, size_t count,
                                   struct child_replay_summary *summaries, struct err *err)
{
    for (size_t i = 0; i < count; i++) TRY(engine_load(jobs[i].engine, err));
    if (replays_here(jobs, count)) {
        for (size_t i = 0; i < count; i++) replay_here(&jobs[i], &summaries[i]);
        return STATUS_OK;
    }
    struct child_answer *answers = calloc(count ? count : 1, sizeof *answers);
    if (!answers) return err_memory(err);
    /* The children only read the jobs. */
    enum status status = children_run(replay_short, (void *)(uintptr_t)jobs, count, 0, answers, err);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        struct short_answer got = {0};
        struct reader reader = {.at = answers[i].data, .end = answers[i].data + answers[i].bytes};
        summaries[i] = (struct child_replay_summary){.status = answers[i].status, .err = answers[i].err};
        if (summaries[i].status == STATUS_OK) summaries[i].status = take_bytes(&reader, &got, sizeof got, &summaries[i].err);
        summaries[i].run_time_s = got.run_time_s;
        summaries[i].digest = got.digest;
    }
    if (status == STATUS_OK) child_answers_clear(answers, count);
    free(answers);
    return status;
}
