#include "predictors/recording.h"

#include <stdlib.h>

#include "common/array.h"
#include "simulate/tasks/queues.h"
#include "trace/limits.h"
#include "trace/spins.h"

enum {
    READ_CALLS = 16384,
    NEXT_ALL = 1 << 17, /* calls of all ranks */
    NEXT_LEAST = 16,
    NEXT_MOST = 4096,
};

/* What is known of the rank that is being read. */
struct rank_reading {
    struct trace_moved moved;
    uint32_t failed_tests; /* in a row */
    uint16_t failed;       /* their function */
    bool initializes, finalizes, locks;
};

struct reading {
    struct trace_source *source;
    const struct recording_options *options;
    struct recording *made;
    struct trace *trace; /* the source's */
    enum trace_computing computing;
    struct trace_checker *checker;
    struct disturbance_inside *inside; /* by rank */
    struct rank_end {
        struct trace_call last; /* as it was recorded */
        int64_t moved_ps;
    } *ends; /* by rank */
    struct rank_reading now;
    bool whole; /* the trace must be held */
    bool initializes, finalizes;
    int64_t begin_ps;
};

/* Whether the call may belong to a row of failed tests that is long enough for a spin. */
static bool may_spin(struct rank_reading *now, const struct trace_call *call)
{
    if (!trace_is_failed_test(call)) now->failed_tests = 0;
    else now->failed_tests = now->failed_tests > 0 && now->failed == call->call ? now->failed_tests + 1 : 1;
    now->failed = call->call;
    return now->failed_tests >= SPIN_LEAST_TESTS;
}

static bool may_claim(struct rank_reading *now, const struct trace_call *call)
{
    now->locks = now->locks || (call_kind(call->call) == CALL_LOCK && (call->flags & TRACE_EXCLUSIVE));
    return task_adds_to_counter(call) || (now->locks && call_kind(call->call) == CALL_GET);
}

/* Whether the replay of the call needs others than the next ones of each rank. */
static bool needs_whole(struct reading *reading, const struct trace_call *call)
{
    const enum call_kind kind = call_kind(call->call);
    if (call_is_thread(call->call) || call_is_shmem(call->call) || (call->flags & TRACE_GAPS)) return true;
    if ((kind >= CALL_GATHERV && kind <= CALL_NEIGHBOR) || (call_row(call->call)->allowed & F_NEIGHBORS)) return true;
    const bool collective = call_arm(kind) == ARM_COLLECTIVE || call_arm(kind) == ARM_COMM;
    if (collective && call->handle != TRACE_NONE && reading->trace->definitions.comms[call->handle].first_group > 0) return true;
    if (may_claim(&reading->now, call)) reading->made->may_claim = true;
    return may_spin(&reading->now, call) || (reading->options->decides_again && reading->made->may_claim);
}

/* The new calls of a rank, as they were recorded. */
static enum status take_recorded(struct reading *reading, uint32_t rank, size_t first, struct err *err)
{
    struct recording *made = reading->made;
    const struct trace_rank *process = &reading->trace->ranks[rank];
    const bool begins = process->first_event == 0 && first == 0;
    for (size_t i = first; i < process->count && !reading->whole; i++) {
        const struct trace_call *call = &process->calls[i];
        reading->whole = needs_whole(reading, call);
        reading->now.initializes = reading->now.initializes || call_kind(call->call) == CALL_INIT;
        reading->now.finalizes = reading->now.finalizes || call_kind(call->call) == CALL_FINALIZE;
        made->large += call->bytes > reading->options->most_bytes && call->peer != TRACE_NONE;
    }
    if (reading->whole || first == process->count) return STATUS_OK;
    /* Sleep before the first call is compared with a begin that is not known yet. */
    if (begins && trace_before_ps(process, BEFORE_SLEPT, 0) > 0) reading->whole = true;
    if (begins && process->calls[0].enter_ps < reading->begin_ps) reading->begin_ps = process->calls[0].enter_ps;
    reading->ends[rank].last = process->calls[process->count - 1];
    if (trace_origin(reading->trace) == TRACE_RECORDED)
        recorded_time_add(reading->trace, rank, first, reading->inside, &made->time);
    return synchronisation_add(&made->synchronisation, reading->trace, rank, first, begins, err);
}

/* Receives of earlier batches whose senders have become known. */
static enum status replace_known(struct reading *reading, uint32_t rank, struct err *err)
{
    const struct trace_rank *process = &reading->trace->ranks[rank];
    for (size_t i = 0; i < process->kept_count; i++)
        if (!source_knows_less(&process->calls[i]))
            TRY(call_file_replace(reading->made->file, rank, process->kept[i].event, &process->calls[i], err));
    return STATUS_OK;
}

static enum status read_batch(struct reading *reading, uint32_t rank, bool *ended, struct err *err)
{
    struct trace *trace = reading->trace;
    const struct trace_rank *process = &trace->ranks[rank];
    const size_t first = process->kept_count;
    TRY(reading->source->read(reading->source, rank, reading->options->read_calls ? reading->options->read_calls : READ_CALLS,
                              ended, err));
    TRY(trace_check_rank(reading->checker, trace, rank, *ended, err));
    TRY(take_recorded(reading, rank, first, err));
    if (reading->whole) return STATUS_OK;
    trace_move_calls(trace, rank, first, reading->computing, &reading->now.moved);
    TRY(recording_facts_add(&reading->made->facts, trace, rank, first, *ended, err));
    TRY(replace_known(reading, rank, err));
    TRY(call_file_append(reading->made->file, trace, rank, first, err));
    return source_drop_calls(reading->source, rank, err);
}

static void free_calls(struct trace_rank *process)
{
    FREE_ALL(process->calls, process->kept);
    for (int b = 0; b < BEFORE_COUNT; b++) {
        free(process->before_ps[b]);
        process->before_ps[b] = NULL;
        process->before_capacity[b] = 0;
    }
    process->calls = NULL;
    process->kept = NULL;
    process->count = process->capacity = process->kept_count = 0;
    process->first_event = 0;
}

static enum status read_rank(struct reading *reading, uint32_t rank, struct err *err)
{
    struct trace_rank *process = &reading->trace->ranks[rank];
    bool ended = false;
    reading->now = (struct rank_reading){.locks = false};
    while (!ended && !reading->whole) TRY(read_batch(reading, rank, &ended, err));
    reading->initializes = reading->initializes && reading->now.initializes;
    reading->finalizes = reading->finalizes && reading->now.finalizes;
    reading->ends[rank].moved_ps = reading->now.moved.moved_ps;
    if (process->thread_count > 0) reading->whole = true;
    free_calls(process);
    return STATUS_OK;
}

/* Gives each rank its last call alone, for what asks when ranks end. */
static enum status set_ends(struct reading *reading, bool moved, struct err *err)
{
    for (uint32_t rank = 0; rank < reading->trace->rank_count; rank++) {
        struct trace_rank *process = &reading->trace->ranks[rank];
        const struct rank_end *end = &reading->ends[rank];
        if (call_file_calls_of(reading->made->file, rank) == 0) continue;
        if (process->count == 0) TRY(trace_reserve_calls(reading->trace, rank, 1, err));
        process->count = 1;
        process->calls[0] = end->last;
        process->calls[0].enter_ps += moved ? end->moved_ps : 0;
        process->calls[0].exit_ps += moved ? end->moved_ps : 0;
        if (end->last.exit_ps - reading->begin_ps > (int64_t)TRACE_LIVES_MAX_PS) reading->whole = true;
    }
    return STATUS_OK;
}

/* What is known only when all calls have been read. */
static enum status take_ends(struct reading *reading, struct err *err)
{
    struct recording *made = reading->made;
    struct trace *trace = reading->trace;
    trace->begin_known = true;
    trace->begin_ps = reading->begin_ps;
    TRY(set_ends(reading, false, err));
    if (reading->whole) return STATUS_OK;
    TRY(recorded_time_end(trace, reading->inside, &made->time, err));
    TRY(set_ends(reading, true, err));
    TRY(trace_note_computing(trace, reading->computing, err));
    if (reading->source->end) TRY(reading->source->end(reading->source, err));
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) free_calls(&trace->ranks[rank]);
    const uint64_t calls = call_file_calls(made->file), each = NEXT_ALL / trace->rank_count;
    made->next_calls = reading->options->next_calls ? reading->options->next_calls
                       : each < NEXT_LEAST          ? NEXT_LEAST
                       : each > NEXT_MOST           ? NEXT_MOST
                                                    : (size_t)each;
    made->source.initializes = reading->initializes;
    made->source.finalizes = reading->finalizes;
    made->source.sleeps_by_rank = call_file_sleeps(made->file);
    made->source.sleeps = made->source.sleeps_by_rank != NULL;
    made->source.calls = calls;
    reading->whole = calls == 0;
    return STATUS_OK;
}

static enum status read_all(struct reading *reading, struct err *err)
{
    struct trace *trace = reading->trace;
    const enum trace_computing computing = reading->options->computing;
    const bool core_waits = trace->provenance.core_waits;
    reading->computing = trace_choose_computing(trace, computing);
    reading->whole = trace->rank_count == 0 || trace->provenance.simulated || computing == COMPUTING_CPU ||
                     (computing == COMPUTING_UNDISTURBED && !core_waits);
    if (reading->whole) return STATUS_OK;
    reading->inside = calloc(trace->rank_count, sizeof *reading->inside);
    reading->ends = calloc(trace->rank_count, sizeof *reading->ends);
    if (!reading->inside || !reading->ends) return err_memory(err);
    TRY(trace_checker_new(trace, &reading->checker, err));
    TRY(call_file_new(trace->rank_count, &reading->made->file, err));
    for (uint32_t rank = 0; rank < trace->rank_count && !reading->whole; rank++) TRY(read_rank(reading, rank, err));
    if (trace->provenance.core_waits != core_waits) reading->whole = true; /* what counts as computing was chosen before */
    return reading->whole ? STATUS_OK : take_ends(reading, err);
}

static enum status next_calls(void *context, uint32_t rank, struct err *err)
{
    struct recording *recording = context;
    return call_file_next(recording->file, recording->trace, rank, recording->next_calls, err);
}

enum status recording_open(struct trace_source *source, const struct recording_options *options, struct recording **recording,
                           struct err *err)
{
    struct err fault;
    struct reading reading = {.source = source,
                              .options = options,
                              .trace = source->trace,
                              .initializes = true,
                              .finalizes = true,
                              .begin_ps = INT64_MAX};
    struct recording *made = reading.made = calloc(1, sizeof *made);
    enum status status = STATUS_OK;
    *recording = NULL;
    if (made) {
        *made = (struct recording){.facts = RECORDING_FACTS_NONE, .source = {.next = next_calls, .context = made}};
        source->keeps_before = true;
        status = read_all(&reading, &fault);
    } else {
        status = err_memory(&fault);
    }
    trace_checker_free(reading.checker);
    FREE_ALL(reading.inside, reading.ends);
    if (status == STATUS_OK && !reading.whole) {
        made->trace = source->trace;
        source->trace = NULL;
        source_close(source);
        *recording = made;
        return STATUS_OK;
    }
    source_close(source);
    recording_close(made);
    if (status == STATUS_OK || status == STATUS_DATA) return STATUS_OK; /* who reads all of it says what is wrong */
    if (err) *err = fault;
    return status;
}

enum status recording_begin(struct recording *recording, struct err *err)
{
    struct trace *trace = recording->trace;
    trace->definitions.list_count = trace->definitions.request_count = 0;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) trace->ranks[rank].count = trace->ranks[rank].first_event = 0;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) TRY(next_calls(recording, rank, err));
    return STATUS_OK;
}

void recording_close(struct recording *recording)
{
    if (!recording) return;
    recording_facts_clear(&recording->facts);
    synchronisation_clear(&recording->synchronisation);
    call_file_free(recording->file);
    trace_free(recording->trace);
    free(recording);
}
