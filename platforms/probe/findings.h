/* Derives verdicts and measured times from the probe's record. It is a pure function of the record.
 *
 * A verdict is the answer of most tries of one operation and size with the longest delay, three quarters at least. Its
 * confidence is the probability that a try gives this answer more often than not, given its votes and no prior knowledge: 9 of 9
 * give 99.9 %, 7 of 9 give 94.5 %. A measured time is the median of a series; its error is the standard error of a median
 * (1.253 s / sqrt(n), s from the quartiles). It is refused if the 90th percentile is above 1.2 medians. It is also refused if
 * other processes used a rank's core for more than a fifth of the time, since it then includes waiting for the core. A smaller
 * share shows in the 90th percentile. */
#ifndef PLATFORMS_PROBE_FINDINGS_H
#define PLATFORMS_PROBE_FINDINGS_H

#include "platforms/probe/record.h"

#define PROBE_LOST_MOST 0.2

enum probe_refusal { PROBE_ACCEPTED, PROBE_SPREAD, PROBE_BUSY };

enum probe_question {
#define PROBE_QUESTION(ID, ...) PROBE_ASKS_##ID,
#include "platforms/probe/questions.def"
    PROBE_QUESTION_COUNT
};

struct probe_question_row {
    const char *key, *title;
    enum probe_case id;
    bool second;
    const char *verdicts[PROBE_CALLS_MAX + 1];
};
extern const struct probe_question_row probe_questions[PROBE_QUESTION_COUNT];

struct probe_verdict {
    enum probe_question question;
    enum probe_variant variant;
    int64_t bytes;
    const char *name;     /* one of the question's, or "thread" */
    const char *call;     /* the call in which most tries show the delay; NULL: none */
    unsigned votes, of, late;
    double delay_s, confidence;
};

struct probe_time {
    const char *name; /* borrowed from the record */
    int64_t bytes;
    double value_s, error_s, spread; /* spread: 90th percentile over median */
    double low_s, low_error_s;       /* 10th percentile, its distance to the lower quartile: load only adds time */
    size_t n;
    enum probe_refusal refused;
};

struct probe_findings {
    const struct probe_record *record; /* borrowed */
    struct probe_verdict *verdicts;    /* by question, variant and bytes */
    size_t verdict_count, verdict_capacity;
    struct probe_skip *unsure;         /* of which the tries disagree */
    size_t unsure_count, unsure_capacity;
    struct probe_time *times;
    size_t time_count, time_capacity;
};

/* The record must outlive the findings. */
enum status probe_evaluate(const struct probe_record *record, struct probe_findings *findings, struct err *err);
void probe_findings_clear(struct probe_findings *findings);

/* The verdict; NULL if the question was not asked, or no try gave an answer. With bytes < 0 it is that of the smallest
 * size. */
const struct probe_verdict *probe_find_verdict(const struct probe_findings *findings, enum probe_question question,
                                               enum probe_variant variant, int64_t bytes);
bool probe_says(const struct probe_findings *findings, enum probe_question question, enum probe_variant variant, int64_t bytes,
                const char *name);
/* The first accepted series of that name; NULL if none was measured or accepted. */
const struct probe_time *probe_find_time(const struct probe_findings *findings, const char *name, int64_t bytes);
/* The same, but it may be a refused series. */
const struct probe_time *probe_find_series(const struct probe_findings *findings, const char *name, int64_t bytes);

/* The size limit between a verdict and that of the next larger size; NULL if none was found. */
const struct probe_limit *probe_find_limit(const struct probe_findings *findings, const struct probe_verdict *verdict,
                                           const struct probe_verdict *next);
/* The largest size to which the verdict applies, if the next verdict differs. */
int64_t probe_upto(const struct probe_findings *findings, const struct probe_verdict *verdict, const struct probe_verdict *next);

/* The latency of one message: half the time of a put of 8 bytes and flush or, where puts need no progress at their
 * target, of a ping-pong. latency->name is the series used. Returns false if it was not measured. */
bool probe_latency(const struct probe_findings *findings, struct probe_time *latency);

/* A cost per byte, which is higher above upto_bytes. upto_bytes INT64_MAX: it is the same for all sizes. upto_error_bytes: the
 * distance to the sizes beside it. error_s: of the put's cost three standard errors. */
struct probe_cost {
    int64_t upto_bytes;
    double upto_error_bytes;
    double below_s_per_byte, above_s_per_byte, error_s;
    size_t n;
};
/* Cost per byte of MPI_Put's call: the slope over its sizes. False: too few sizes, or no clear slope. */
bool probe_put_cost(const struct probe_findings *findings, struct probe_cost *cost);
/* Cost per byte of applying an accumulate: its time minus that of a put of the same bytes. */
bool probe_apply_cost(const struct probe_findings *findings, struct probe_cost *cost);

#endif
