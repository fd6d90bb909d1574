/* Judges one delayed try: which of the origin's calls returned only with the partner's event. It uses no MPI. The
 * program rmacast-probe uses it, too, to find limits. Times are seconds relative to the event.
 *
 * A call waited for the event if it began clearly before the event and returned with it or after it. No durations are
 * compared: a slow call, or an origin that lost its core, counts as a wait only if it lasts until the event. */
#ifndef PLATFORMS_PROBE_VOTES_H
#define PLATFORMS_PROBE_VOTES_H

#include <stdbool.h>
#include <stdint.h>

enum probe_case {
#define PROBE_CASE(ID, ...) PROBE_##ID,
#include "platforms/probe/cases.def"
    PROBE_CASE_COUNT
};

enum probe_variant {
#define PROBE_VARIANT(ID, NAME) PROBE_VARIANT_##ID,
#include "platforms/probe/variants.def"
    PROBE_VARIANT_COUNT
};

enum { PROBE_CALLS_MAX = 3, PROBE_LATE = -1 };

struct probe_case_row {
    const char *name, *calls[PROBE_CALLS_MAX]; /* NULL behind the last one */
};
extern const struct probe_case_row probe_cases[PROBE_CASE_COUNT];
extern const char *const probe_variants[PROBE_VARIANT_COUNT];
/* -1 for an unknown name. */
int probe_case_by_name(const char *name);
int probe_variant_by_name(const char *name);
int probe_calls(enum probe_case id);

/* One try. */
struct probe_sample {
    double delay_s;
    double helper;                   /* CPU time of the partner's other threads while it slept, as a share of the delay */
    double begin_s;                  /* of the first timed call */
    double end_s[PROBE_CALLS_MAX];   /* of each timed call */
};

/* The index of the call that waited; the number of calls if none did; PROBE_LATE if the origin arrived too late to
 * decide. */
int probe_sample_vote(const struct probe_sample *sample, int calls);

/* Whether the call waited for the partner's second event: the last call did not return before it. */
bool probe_sample_is_second(const struct probe_sample *sample, int calls);

/* If the partner's other threads ran for this share of a sleep, the library has a progress thread that polls. */
#define PROBE_HELPER_LEAST 0.1

struct probe_votes {
    unsigned late, of, by_call[PROBE_CALLS_MAX + 1];
};

void probe_votes_add(struct probe_votes *votes, int vote);
/* The vote of most tries; of equal ones the first. PROBE_LATE: there is none. */
int probe_votes_winner(const struct probe_votes *votes);
/* The winner's votes minus those of the next one. */
unsigned probe_votes_lead(const struct probe_votes *votes);
/* Whether at least three quarters of the tries agree. Fewer tell nothing. */
bool probe_are_clear(unsigned votes, unsigned of);
bool probe_votes_are_clear(const struct probe_votes *votes);

#endif
