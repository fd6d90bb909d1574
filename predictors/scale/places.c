/* The steps of a body are a circle, with a gap before each. Computing between two calls of a rank lies in one or more of the gaps
 * from the one call to the other. Little computing shows that no work is in any of its gaps. So much computing is in one of the
 * others: first in those with the fewest to choose from, in the gap that the most other computing may be in, too. */
#include "predictors/scale/places.h"

#include <stdlib.h>

enum { STEPS_MAX = 256, SPANS_MAX = 512 }; /* of a body; larger ones remain as they are */

struct span {
    size_t first, length; /* gaps */
    const struct walk_interval *of;
    bool large, found; /* found: it has a gap that was chosen */
};

struct body {
    size_t count; /* of gaps */
    struct span spans[SPANS_MAX];
    size_t span_count;
    bool idle[STEPS_MAX], chosen[STEPS_MAX];
};

static double mean_of(const struct span *span)
{
    return span->of->sum_s / (double)span->of->count;
}

static bool has_gap(const struct body *body, const struct span *span, size_t gap)
{
    return (gap + body->count - span->first) % body->count < span->length;
}

/* false: too many */
static bool collect_spans(const struct walk *walk, const struct step *steps, struct body *body)
{
    for (size_t i = 0; i < walk->interval_count; i++) {
        const struct walk_interval *of = &walk->intervals[i];
        if (of->enters || of->previous < steps || of->previous >= steps + body->count) continue;
        if (body->span_count == SPANS_MAX) return false;
        size_t from = (size_t)(of->previous - steps), to = (size_t)(of->next - steps);
        size_t length = (to + body->count - from - 1) % body->count + 1;
        body->spans[body->span_count++] = (struct span){.first = (from + 1) % body->count, .length = length, .of = of};
    }
    return true;
}

/* Returns the sum of all. */
static double find_large(struct body *body)
{
    const double share = 1.0 / 8;
    double most = 0, sum = 0;
    for (size_t i = 0; i < body->span_count; i++) {
        if (mean_of(&body->spans[i]) > most) most = mean_of(&body->spans[i]);
        sum += body->spans[i].of->sum_s;
    }
    for (size_t i = 0; i < body->span_count; i++) {
        body->spans[i].large = mean_of(&body->spans[i]) >= share * most;
        for (size_t gap = 0; !body->spans[i].large && gap < body->count; gap++)
            body->idle[gap] = body->idle[gap] || has_gap(body, &body->spans[i], gap);
    }
    return sum;
}

static size_t count_spans(const struct body *body, size_t gap)
{
    size_t count = 0;
    for (size_t i = 0; i < body->span_count; i++)
        count += body->spans[i].large && !body->spans[i].found && has_gap(body, &body->spans[i], gap);
    return count;
}

static void choose_gap(struct body *body, const struct span *span)
{
    size_t best = SIZE_MAX, most = 0;
    for (size_t i = 0; i < span->length; i++) {
        size_t gap = (span->first + i) % body->count, count = body->idle[gap] ? 0 : count_spans(body, gap);
        if (count > most) best = gap;
        if (count > most) most = count;
    }
    if (best == SIZE_MAX) return;
    body->chosen[best] = true;
    for (size_t i = 0; i < body->span_count; i++)
        body->spans[i].found = body->spans[i].found || has_gap(body, &body->spans[i], best);
}

static void choose_gaps(struct body *body)
{
    for (size_t length = 1; length <= body->count; length++)
        for (size_t i = 0; i < body->span_count; i++) {
            const struct span *span = &body->spans[i];
            if (span->large && !span->found && span->length == length) choose_gap(body, span);
        }
}

/* Whether the chosen gaps say more than the calls do: a gap has computing before several calls, or computing has several gaps. */
static bool is_needed(const struct body *body)
{
    for (size_t i = 0; i < body->span_count; i++) {
        const struct span *span = &body->spans[i];
        size_t gaps = 0;
        for (size_t gap = 0; span->large && gap < body->count; gap++) {
            if (!body->chosen[gap] || !has_gap(body, span, gap)) continue;
            gaps++;
            for (size_t k = 0; k < body->span_count; k++) {
                const struct walk_interval *other = body->spans[k].of;
                bool apart = other->place != span->of->place || other->at != span->of->at;
                if (apart && has_gap(body, &body->spans[k], gap)) return true;
            }
        }
        if (gaps > 1) return true;
    }
    return false;
}

/* Whether a run goes through the loop once, and what is computed there before its first call, in the largest run, is about what
 * is computed in each further round: it is the same computing, of which that run would have none. */
static bool begins_alike(const struct program *program, const struct walk *walk, const struct body *body,
                         const struct step *loop)
{
    bool once = false, alike = false;
    for (size_t run = 0; loop && loop->kind == STEP_REPEAT && run < walk->run_count; run++)
        once = once || walk->samples[run * program->step_count + loop->number].rounds == 1;
    for (size_t i = 0; once && i < walk->interval_count; i++) {
        const struct walk_interval *first = &walk->intervals[i];
        if (!first->enters || first->previous != loop) continue;
        for (size_t k = 0; k < body->span_count; k++) {
            double ratio = first->sum_s / (double)first->count / mean_of(&body->spans[k]);
            bool same = body->spans[k].large && body->spans[k].of->next == first->next;
            alike = alike || (same && ratio > 0.5 && ratio < 2);
        }
    }
    return alike;
}

/* The mean of the computing that has this gap only: computing in several gaps is divided among them so. 1: there is none. */
static double weigh_gap(const struct body *body, size_t at)
{
    double sum_s = 0, count = 0;
    for (size_t i = 0; i < body->span_count; i++) {
        size_t gaps = 0;
        for (size_t gap = 0; gap < body->count; gap++) gaps += body->chosen[gap] && has_gap(body, &body->spans[i], gap);
        if (!body->spans[i].large || gaps != 1 || !has_gap(body, &body->spans[i], at)) continue;
        sum_s += body->spans[i].of->sum_s;
        count += (double)body->spans[i].of->count;
    }
    return count > 0 ? sum_s / count : 1;
}

static enum status add_places(const struct body *body, struct step **steps, size_t *count, struct err *err)
{
    size_t made_count = 0;
    struct step *made = calloc(2 * *count + 1, sizeof *made);
    if (!made) return err_memory(err);
    for (size_t i = 0; i < *count; i++) {
        if (body->chosen[i]) made[made_count++] = (struct step){.kind = STEP_COMPUTE, .weight = weigh_gap(body, i)};
        made[made_count++] = (*steps)[i];
    }
    free(*steps);
    *steps = made;
    *count = made_count;
    return STATUS_OK;
}

/* loop: whose body it is */
static enum status place_in_body(const struct program *program, const struct walk *walk, double least_s, const struct step *loop,
                                 struct step **steps, size_t *count, struct body *body, bool *changed, struct err *err)
{
    for (size_t i = 0; i < *count; i++) {
        struct step *inner = &(*steps)[i];
        TRY(place_in_body(program, walk, least_s, inner, &inner->body, &inner->count, body, changed, err));
    }
    *body = (struct body){.count = *count};
    if (*count < 1 || *count > STEPS_MAX || !collect_spans(walk, *steps, body) || body->span_count == 0) return STATUS_OK;
    if (find_large(body) < least_s) return STATUS_OK;
    choose_gaps(body);
    if (!is_needed(body) && !begins_alike(program, walk, body, loop)) return STATUS_OK;
    *changed = true;
    return add_places(body, steps, count, err);
}

enum status program_place_computing(struct program *program, const struct walk *walk, double least_s, bool *changed,
                                    struct err *err)
{
    *changed = false;
    if (walk->interval_count == 0) return STATUS_OK;
    struct body *body = malloc(sizeof *body);
    if (!body) return err_memory(err);
    enum status status = place_in_body(program, walk, least_s, NULL, &program->steps, &program->count, body, changed, err);
    free(body);
    return status;
}
