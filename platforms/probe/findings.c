#include "platforms/probe/findings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "common/array.h"
#include "common/search.h"

/* Above it a series does not measure the call; docs/probe.md. */
#define SPREAD_MOST 1.2
/* with fewer tries there is no verdict: the run ended before them */
enum { TRIES_LEAST = 3 };

const struct probe_question_row probe_questions[PROBE_QUESTION_COUNT] = {
#define PROBE_QUESTION(ID, KEY, TITLE, CASE, SECOND, ...) [PROBE_ASKS_##ID] = {KEY, TITLE, PROBE_##CASE, SECOND, {__VA_ARGS__}},
#include "platforms/probe/questions.def"
};

/* --- votes --- */

/* The votes of one question on one variant and size, by the verdicts' first places: two calls may mean the same. Of the longest
 * delay: tries that disagree are repeated with a longer one. */
struct count {
    unsigned by_verdict[PROBE_CALLS_MAX + 1], by_call[PROBE_CALLS_MAX + 1], of, late, helped;
    double delay_s;
};

static int first_of_name(const struct probe_question_row *row, int verdict)
{
    int i = 0;
    while (strcmp(row->verdicts[i], row->verdicts[verdict]) != 0) i++;
    return i;
}

static void count_try(const struct probe_question_row *row, const struct probe_sample *sample, struct count *count)
{
    int calls = probe_calls(row->id), vote = probe_sample_vote(sample, calls);
    if (sample->delay_s > count->delay_s) *count = (struct count){.late = count->late, .delay_s = sample->delay_s};
    if (vote == PROBE_LATE) {
        count->late++;
        return;
    }
    int verdict = vote == calls ? calls : vote;
    if (row->second) verdict = probe_sample_is_second(sample, calls) ? 0 : 1;
    count->of++;
    count->by_call[vote]++;
    count->by_verdict[first_of_name(row, verdict)]++;
    if (sample->helper >= PROBE_HELPER_LEAST) count->helped++;
}

static int most_of(const unsigned counts[PROBE_CALLS_MAX + 1])
{
    int most = 0;
    for (int i = 1; i <= PROBE_CALLS_MAX; i++)
        if (counts[i] > counts[most]) most = i;
    return most;
}

static struct probe_verdict judge_votes(enum probe_question question, const struct probe_try *first,
                                      const struct count *count)
{
    const struct probe_question_row *row = &probe_questions[question];
    int calls = probe_calls(row->id), most = most_of(count->by_verdict), call = most_of(count->by_call);
    struct probe_verdict verdict = {.question = question,
                                    .variant = first->variant,
                                    .bytes = first->bytes,
                                    .name = row->verdicts[most],
                                    .call = call < calls ? probe_cases[row->id].calls[call] : NULL,
                                    .votes = count->by_verdict[most],
                                    .of = count->of,
                                    .late = count->late,
                                    .delay_s = count->delay_s};
    verdict.confidence = gsl_cdf_beta_Q(0.5, verdict.votes + 1.0, verdict.of - verdict.votes + 1.0);
    if (strcmp(verdict.name, "hardware") == 0 && 2 * count->helped > count->of) verdict.name = "thread";
    return verdict;
}

static struct probe_skip skip_of(const struct probe_verdict *verdict)
{
    const struct probe_question_row *row = &probe_questions[verdict->question];
    struct probe_skip skip = {.id = row->id, .variant = verdict->variant, .bytes = verdict->bytes};
    snprintf(skip.why, sizeof skip.why, "not sure, %s: %s in %u of %u", row->title, verdict->name, verdict->votes, verdict->of);
    return skip;
}

static bool is_same(const struct probe_try *a, const struct probe_try *b)
{
    return a->id == b->id && a->variant == b->variant && a->bytes == b->bytes;
}

static bool is_first(const struct probe_record *record, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (is_same(&record->tries[j], &record->tries[i])) return false;
    return true;
}

static enum status judge_question(enum probe_question question, const struct probe_record *record,
                                  struct probe_findings *findings, struct err *err)
{
    for (size_t i = 0; i < record->try_count; i++) {
        const struct probe_try *one = &record->tries[i];
        if (one->id != probe_questions[question].id || !is_first(record, i)) continue;
        struct count count = {.of = 0};
        for (size_t j = i; j < record->try_count; j++)
            if (is_same(one, &record->tries[j])) count_try(&probe_questions[question], &record->tries[j].sample, &count);
        if (count.of < TRIES_LEAST) continue;
        struct probe_verdict verdict = judge_votes(question, one, &count);
        if (probe_are_clear(verdict.votes, verdict.of))
            ARRAY_PUSH(findings->verdicts, findings->verdict_count, findings->verdict_capacity, verdict, err);
        else
            ARRAY_PUSH(findings->unsure, findings->unsure_count, findings->unsure_capacity, skip_of(&verdict), err);
    }
    return STATUS_OK;
}

ORDER(by_question, struct probe_verdict, UP(question) UP(variant) UP(bytes))

/* --- times --- */

static enum probe_refusal refuse_time(const struct probe_time *time, double lost_share)
{
    if (time->spread > SPREAD_MOST) return PROBE_SPREAD;
    return lost_share > PROBE_LOST_MOST ? PROBE_BUSY : PROBE_ACCEPTED;
}

static enum status measure_series(const struct probe_series *series, struct probe_findings *findings, struct err *err)
{
    double *sorted = malloc(series->count * sizeof *sorted);
    if (!sorted) return err_memory(err);
    memcpy(sorted, series->values, series->count * sizeof *sorted);
    gsl_sort(sorted, 1, series->count);
    double median = gsl_stats_median_from_sorted_data(sorted, 1, series->count);
    double most = gsl_stats_quantile_from_sorted_data(sorted, 1, series->count, 0.9);
    double low = gsl_stats_quantile_from_sorted_data(sorted, 1, series->count, 0.1);
    double quarter = gsl_stats_quantile_from_sorted_data(sorted, 1, series->count, 0.25);
    double quartiles = gsl_stats_quantile_from_sorted_data(sorted, 1, series->count, 0.75) - quarter;
    free(sorted);
    struct probe_time made = {.name = series->name,
                              .bytes = series->bytes,
                              .value_s = median,
                              .error_s = 1.253 * quartiles / 1.349 / sqrt((double)series->count),
                              .spread = median > 0 ? most / median : 1,
                              .low_s = low,
                              .low_error_s = quarter - low,
                              .n = series->count};
    made.refused = refuse_time(&made, probe_record_value(findings->record, "lost_share", 0));
    ARRAY_PUSH(findings->times, findings->time_count, findings->time_capacity, made, err);
    return STATUS_OK;
}

enum status probe_evaluate(const struct probe_record *record, struct probe_findings *findings, struct err *err)
{
    struct probe_findings made = {.record = record};
    enum status status = STATUS_OK;
    for (int question = 0; question < PROBE_QUESTION_COUNT && status == STATUS_OK; question++)
        status = judge_question((enum probe_question)question, record, &made, err);
    for (size_t i = 0; i < record->series_count && status == STATUS_OK; i++)
        status = measure_series(&record->series[i], &made, err);
    if (status != STATUS_OK) {
        probe_findings_clear(&made);
        return status;
    }
    if (made.verdict_count) qsort(made.verdicts, made.verdict_count, sizeof *made.verdicts, by_question);
    *findings = made;
    return STATUS_OK;
}

void probe_findings_clear(struct probe_findings *findings)
{
    FREE_ALL(findings->verdicts, findings->unsure, findings->times);
    *findings = (struct probe_findings){0};
}

/* --- what follows --- */

const struct probe_verdict *probe_find_verdict(const struct probe_findings *findings, enum probe_question question,
                                               enum probe_variant variant, int64_t bytes)
{
    for (size_t i = 0; i < findings->verdict_count; i++) {
        const struct probe_verdict *verdict = &findings->verdicts[i];
        if (verdict->question == question && verdict->variant == variant && (bytes < 0 || verdict->bytes == bytes))
            return verdict;
    }
    return NULL;
}

bool probe_says(const struct probe_findings *findings, enum probe_question question, enum probe_variant variant, int64_t bytes,
                const char *name)
{
    const struct probe_verdict *verdict = probe_find_verdict(findings, question, variant, bytes);
    return verdict && strcmp(verdict->name, name) == 0;
}

const struct probe_time *probe_find_time(const struct probe_findings *findings, const char *name, int64_t bytes)
{
    for (size_t i = 0; i < findings->time_count; i++) {
        const struct probe_time *time = &findings->times[i];
        if (strcmp(time->name, name) == 0 && time->bytes == bytes && !time->refused) return time;
    }
    return NULL;
}

const struct probe_time *probe_find_series(const struct probe_findings *findings, const char *name, int64_t bytes)
{
    for (size_t i = 0; i < findings->time_count; i++)
        if (strcmp(findings->times[i].name, name) == 0 && findings->times[i].bytes == bytes) return &findings->times[i];
    return NULL;
}

const struct probe_limit *probe_find_limit(const struct probe_findings *findings, const struct probe_verdict *verdict,
                                           const struct probe_verdict *next)
{
    const struct probe_record *record = findings->record;
    for (size_t i = 0; i < record->limit_count; i++) {
        const struct probe_limit *limit = &record->limits[i];
        if (limit->id == probe_questions[verdict->question].id && limit->variant == verdict->variant &&
            limit->low >= verdict->bytes && limit->high <= next->bytes)
            return limit;
    }
    return NULL;
}

int64_t probe_upto(const struct probe_findings *findings, const struct probe_verdict *verdict, const struct probe_verdict *next)
{
    const struct probe_limit *limit = probe_find_limit(findings, verdict, next);
    return limit ? limit->low : verdict->bytes;
}

bool probe_latency(const struct probe_findings *findings, struct probe_time *latency)
{
    bool alone = probe_says(findings, PROBE_ASKS_SERVES, PROBE_VARIANT_PUT, 8, "hardware");
    const struct probe_time *time = probe_find_time(findings, alone ? "ping_pong" : "put_flush", 8);
    if (!time) return false;
    *latency = *time;
    latency->value_s /= 2;
    latency->error_s /= 2;
    return latency->value_s > 0;
}
