/* Wait states of OpenSHMEM: Lock Contention of its locks (model/match/holdings.h), Wait for Write and Late Signal
 * (model/match/shmem_writes.h). */
#include <stdlib.h>

#include "model/transfers/bounds.h"
#include "model/waits/detect.h"
#include "model/match/holdings.h"
#include "model/match/shmem_writes.h"

/* Counts Lock Contention: from enter(set_lock) to the exit of the previous holder's clear_lock, at most to the call's
 * exit. */
static enum status find_wait(struct detection *detection, const struct holdings *holdings, size_t i)
{
    const struct relations *relations = detection->relations;
    if (!holding_waits(holdings, relations->trace, i)) return STATUS_OK;
    const struct holding *holding = &holdings->items[i], *before = holding - 1;
    const struct trace_call *call = relations_call(relations, holding->rank, holding->taken);
    if (before->cleared == HOLDING_NO_CALL || !slice_state_counts(relations->state, holding->rank, holding->taken))
        return STATUS_OK;
    const struct trace_call *cleared = relations_call(relations, before->rank, before->cleared);
    int64_t release_ps = cleared->exit_ps, severity_ps = wait_for_release(call, cleared->enter_ps, release_ps);
    int64_t held_ps = cleared->enter_ps > before->taken_ps ? cleared->enter_ps - before->taken_ps : 0;
    return detect_found(detection, &(struct finding){.pattern = PATTERN_LOCK_CONTENTION,
                                                     .rank = holding->rank,
                                                     .call = holding->taken,
                                                     .severity_ps = severity_ps,
                                                     .cause_rank = before->rank,
                                                     .cause_call = before->cleared,
                                                     .from_ps = INT64_MIN,
                                                     .until_ps = release_ps,
                                                     .earlier_ps = held_ps < severity_ps ? held_ps : severity_ps});
}

enum status detect_shmem_lock_contention(struct detection *detection)
{
    const struct trace *trace = detection->relations->trace;
    struct holdings holdings = {0};
    if (!bounds_have_shmem(trace)) return STATUS_OK;
    enum status status = holdings_find(trace, &holdings, detection->err);
    for (size_t i = 1; status == STATUS_OK && i < holdings.count; i++) status = find_wait(detection, &holdings, i);
    holdings_clear(&holdings);
    return status;
}

/* min(exit, arrival) - enter; for a row of tests, the sum over its calls. In a simulated trace the successful test
 * waits for the whole row and the failed ones are computing (docs/simulation.md, "Computing"). */
static int64_t write_wait_ps(const struct trace *trace, uint32_t rank, size_t index, const size_t *row,
                             int64_t arrival_ps)
{
    const struct trace_call *calls = trace->ranks[rank].calls;
    int64_t total_ps = wait_until(&calls[index], arrival_ps);
    if (trace->provenance.simulated || !row || call_kind(calls[index].call) != CALL_SHMEM_TEST) return total_ps;
    for (size_t i = row[index]; i != SHMEM_NO_TEST; i = row[i]) total_ps += wait_until(&calls[i], arrival_ps);
    return total_ps;
}

static enum status find_write_waits(struct detection *detection, enum pattern pattern, const struct shmem_writes *writes,
                                    uint32_t rank, const size_t *row)
{
    const struct trace *trace = detection->relations->trace;
    for (size_t i = 0; i < trace->ranks[rank].count; i++) {
        const struct trace_call *wait = &trace->ranks[rank].calls[i];
        if (!shmem_wait_ended(wait) || wait->flags & TRACE_BREAK || pattern_of_write(wait->call) != pattern) continue;
        const struct shmem_write *cause = shmem_writes_cause(writes, trace, rank, i);
        if (!cause || cause->origin == rank) continue;
        struct finding finding = {.pattern = pattern,
                                  .rank = rank,
                                  .call = i,
                                  .severity_ps = write_wait_ps(trace, rank, i, row, cause->time_ps),
                                  .cause_rank = cause->origin,
                                  .cause_call = cause->call,
                                  .from_ps = INT64_MIN,
                                  .until_ps = cause->time_ps};
        finding.earlier_ps = finding.severity_ps;
        TRY(detect_found(detection, &finding));
    }
    return STATUS_OK;
}

static bool has_waits(const struct trace *trace, enum pattern pattern)
{
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            const struct trace_call *call = &trace->ranks[r].calls[i];
            if (shmem_wait_ended(call) && pattern_of_write(call->call) == pattern) return true;
        }
    return false;
}

static enum status find_waits(struct detection *detection, enum pattern pattern)
{
    const struct trace *trace = detection->relations->trace;
    struct shmem_writes writes;
    if (!bounds_have_shmem(trace) || !has_waits(trace, pattern)) return STATUS_OK;
    TRY(shmem_writes_find(trace, &writes, detection->err));
    enum status status = STATUS_OK;
    for (uint32_t rank = 0; status == STATUS_OK && rank < trace->rank_count; rank++) {
        size_t *row = NULL;
        status = shmem_rows_find(trace, rank, &row, detection->err);
        if (status == STATUS_OK) status = find_write_waits(detection, pattern, &writes, rank, row);
        free(row);
    }
    shmem_writes_clear(&writes);
    return status;
}

enum status detect_wait_for_write(struct detection *detection)
{
    return find_waits(detection, PATTERN_WAIT_FOR_WRITE);
}

enum status detect_late_signal(struct detection *detection)
{
    return find_waits(detection, PATTERN_LATE_SIGNAL);
}
