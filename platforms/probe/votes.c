#include "platforms/probe/votes.h"

#include <string.h>

const struct probe_case_row probe_cases[PROBE_CASE_COUNT] = {
#define PROBE_CASE(ID, NAME, ...) [PROBE_##ID] = {NAME, {__VA_ARGS__}},
#include "platforms/probe/cases.def"
};

const char *const probe_variants[PROBE_VARIANT_COUNT] = {
#define PROBE_VARIANT(ID, NAME) [PROBE_VARIANT_##ID] = NAME,
#include "platforms/probe/variants.def"
};

int probe_case_by_name(const char *name)
{
    for (int i = 0; i < PROBE_CASE_COUNT; i++)
        if (strcmp(probe_cases[i].name, name) == 0) return i;
    return -1;
}

int probe_variant_by_name(const char *name)
{
    for (int i = 0; i < PROBE_VARIANT_COUNT; i++)
        if (strcmp(probe_variants[i], name) == 0) return i;
    return -1;
}

int probe_calls(enum probe_case id)
{
    int calls = 0;
    while (calls < PROBE_CALLS_MAX && probe_cases[id].calls[calls]) calls++;
    return calls;
}

/* The two clocks agree to less than an eighth of the delay. An origin that began in the last quarter of the delay would
 * have waited too short a time to differ from one that did not wait. */
int probe_sample_vote(const struct probe_sample *sample, int calls)
{
    if (sample->begin_s > -sample->delay_s / 4) return PROBE_LATE;
    for (int i = 0; i < calls; i++) {
        double begin_s = i ? sample->end_s[i - 1] : sample->begin_s;
        if (sample->end_s[i] < -sample->delay_s / 8) continue;
        return begin_s > -sample->delay_s / 4 ? PROBE_LATE : i;
    }
    return calls;
}

bool probe_sample_is_second(const struct probe_sample *sample, int calls)
{
    return sample->end_s[calls - 1] >= sample->delay_s * 7 / 8;
}

void probe_votes_add(struct probe_votes *votes, int vote)
{
    if (vote == PROBE_LATE) {
        votes->late++;
    } else {
        votes->of++;
        votes->by_call[vote]++;
    }
}

int probe_votes_winner(const struct probe_votes *votes)
{
    int winner = 0;
    if (votes->of == 0) return PROBE_LATE;
    for (int i = 1; i <= PROBE_CALLS_MAX; i++)
        if (votes->by_call[i] > votes->by_call[winner]) winner = i;
    return winner;
}

unsigned probe_votes_lead(const struct probe_votes *votes)
{
    int winner = probe_votes_winner(votes);
    unsigned next = 0;
    if (winner == PROBE_LATE) return 0;
    for (int i = 0; i <= PROBE_CALLS_MAX; i++)
        if (i != winner && votes->by_call[i] > next) next = votes->by_call[i];
    return votes->by_call[winner] - next;
}

bool probe_are_clear(unsigned votes, unsigned of)
{
    return of > 0 && 4 * votes >= 3 * of;
}

bool probe_votes_are_clear(const struct probe_votes *votes)
{
    int winner = probe_votes_winner(votes);
    return winner != PROBE_LATE && probe_are_clear(votes->by_call[winner], votes->of);
}
