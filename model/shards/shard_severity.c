/* Writes the sums of one shard as bytes, and adds those of another shard. */
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "model/shards/shards.h"

static bool has_any(const int64_t *severity_ps, const uint64_t *count, uint32_t ranks)
{
    for (uint32_t r = 0; r < ranks; r++)
        if (severity_ps[r] != 0 || count[r] != 0) return true;
    return false;
}

/* Writes time and count per rank of a pattern, or of a function's waits. NULL: none. */
static enum status put_sums(struct bytes *bytes, const int64_t *severity_ps, const uint64_t *count, uint32_t ranks,
                            struct err *err)
{
    bool some = severity_ps && has_any(severity_ps, count, ranks);
    TRY(bytes_put(bytes, &some, sizeof some, err));
    if (!some) return STATUS_OK;
    TRY(bytes_put(bytes, severity_ps, ranks * sizeof *severity_ps, err));
    return bytes_put(bytes, count, ranks * sizeof *count, err);
}

static void add_sums(struct bytes *bytes, int64_t *severity_ps, uint64_t *count, uint32_t ranks)
{
    for (uint32_t r = 0; r < ranks; r++) {
        int64_t more_ps;
        bytes_take(bytes, &more_ps, sizeof more_ps);
        severity_ps[r] += more_ps;
    }
    for (uint32_t r = 0; r < ranks; r++) {
        uint64_t more;
        bytes_take(bytes, &more, sizeof more);
        count[r] += more;
    }
}

static enum status put_totals(struct bytes *bytes, const struct totals *totals, struct err *err)
{
    for (int p = 0; p < PATTERN_COUNT; p++)
        TRY(put_sums(bytes, totals->severity_ps[p], totals->count[p], totals->rank_count, err));
    return bytes_put(bytes, totals->in_kind_ps, sizeof totals->in_kind_ps, err);
}

static void merge_totals(struct bytes *bytes, struct totals *totals)
{
    wide_ps in_kind_ps[CALL_KIND_COUNT];
    for (int p = 0; p < PATTERN_COUNT; p++) {
        bool some;
        bytes_take(bytes, &some, sizeof some);
        if (some) add_sums(bytes, totals->severity_ps[p], totals->count[p], totals->rank_count);
    }
    bytes_take(bytes, in_kind_ps, sizeof in_kind_ps);
    for (int k = 0; k < CALL_KIND_COUNT; k++) totals->in_kind_ps[k] += in_kind_ps[k];
}

static enum status put_provisional(struct bytes *bytes, const struct provisional *provisional, uint32_t ranks,
                                   struct err *err)
{
    TRY(bytes_put(bytes, provisional->refuted, sizeof provisional->refuted, err));
    for (int d = 0; d < DOUBT_COUNT; d++)
        TRY(put_sums(bytes, provisional->severity_ps[d], provisional->count[d], ranks, err));
    return STATUS_OK;
}

static enum status merge_provisional(struct bytes *bytes, struct provisional *provisional, uint32_t ranks,
                                     struct err *err)
{
    bool refuted[DOUBT_COUNT];
    bytes_take(bytes, refuted, sizeof refuted);
    for (uint16_t d = 0; d < DOUBT_COUNT; d++) {
        bool some;
        provisional->refuted[d] = provisional->refuted[d] || refuted[d];
        bytes_take(bytes, &some, sizeof some);
        if (!some) continue;
        TRY(provisional_reserve(provisional, d, ranks, err));
        add_sums(bytes, provisional->severity_ps[d], provisional->count[d], ranks);
    }
    return STATUS_OK;
}

static enum status put_rank_sums(struct bytes *bytes, const struct rank_sums *sums, struct err *err)
{
    TRY(bytes_put(bytes, &sums->count, sizeof sums->count, err));
    return bytes_put(bytes, sums->items, sums->count * sizeof *sums->items, err);
}

/* items[i] is this shard's number of the sender's item i. */
static enum status merge_rank_sums(struct bytes *bytes, struct rank_sums *sums, const uint32_t *items, struct err *err)
{
    size_t count;
    bytes_take(bytes, &count, sizeof count);
    for (size_t i = 0; i < count; i++) {
        struct rank_sum sum;
        bytes_take(bytes, &sum, sizeof sum);
        sum.item = items[sum.item];
        TRY(rank_sums_add(sums, &sum, err));
    }
    return STATUS_OK;
}

static enum status put_places(struct bytes *bytes, const struct wait_profile *profile, struct err *err)
{
    TRY(bytes_put(bytes, &profile->count, sizeof profile->count, err));
    TRY(bytes_put(bytes, profile->items, profile->count * sizeof *profile->items, err));
    return put_rank_sums(bytes, &profile->ranks, err);
}

static void translate_place(struct wait_place *place, const uint32_t *nodes)
{
    place->node = nodes[place->node];
    place->worst.other_node = nodes[place->worst.other_node];
}

static enum status merge_places(struct bytes *bytes, struct wait_profile *profile, const uint32_t *nodes,
                                struct err *err)
{
    size_t count;
    bytes_take(bytes, &count, sizeof count);
    uint32_t *items = malloc((count + 1) * sizeof *items);
    if (!items) return err_memory(err);
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        struct wait_place place;
        bytes_take(bytes, &place, sizeof place);
        translate_place(&place, nodes);
        status = wait_profile_merge(profile, &place, &items[i], err);
    }
    if (status == STATUS_OK) status = merge_rank_sums(bytes, &profile->ranks, items, err);
    free(items);
    return status;
}

static enum status put_distribution(struct bytes *bytes, const struct distribution *distribution, struct err *err)
{
    bool exact = distribution->exact != NULL;
    TRY(bytes_put(bytes, distribution, sizeof *distribution, err));
    if (exact) return bytes_put(bytes, distribution->exact, distribution->count * sizeof *distribution->exact, err);
    return bytes_put(bytes, distribution->classes, distribution->class_count * sizeof *distribution->classes, err);
}

static enum status merge_distribution(struct bytes *bytes, struct distribution *into, struct err *err)
{
    struct distribution head, from;
    void *exact = NULL, *classes = NULL;
    bytes_take(bytes, &head, sizeof head);
    if (head.exact)
        TRY(bytes_take_array(bytes, (size_t)head.count, sizeof *head.exact, &exact, err));
    else
        TRY(bytes_take_array(bytes, head.class_count, sizeof *head.classes, &classes, err));
    from = (struct distribution){.count = head.count,
                                 .unbounded = head.unbounded,
                                 .min = head.min,
                                 .max = head.max,
                                 .exact = exact,
                                 .classes = classes,
                                 .class_count = head.class_count};
    enum status status = distribution_merge(into, &from, err);
    free(exact);
    free(classes);
    return status;
}

static enum status put_rates(struct bytes *bytes, const struct rates *rates, struct err *err)
{
    TRY(bytes_put(bytes, rates, sizeof *rates, err));
    TRY(put_distribution(bytes, &rates->lower, err));
    TRY(put_distribution(bytes, &rates->upper, err));
    TRY(put_distribution(bytes, &rates->platform, err));
    return transfer_groups_put(&rates->groups, bytes, err);
}

static enum status merge_rates(struct bytes *bytes, struct rates *rates, const uint32_t *nodes, struct err *err)
{
    struct rates from;
    bytes_take(bytes, &from, sizeof from);
    rates->count += from.count;
    rates->bytes += from.bytes;
    rates->within_bounds += from.within_bounds;
    rates->gap_count += from.gap_count;
    rates->gap_bytes += from.gap_bytes;
    rates->true_end_unknown += from.true_end_unknown;
    TRY(merge_distribution(bytes, &rates->lower, err));
    TRY(merge_distribution(bytes, &rates->upper, err));
    TRY(merge_distribution(bytes, &rates->platform, err));
    return transfer_groups_take(&rates->groups, bytes, nodes, err);
}

static enum status put_notes(struct bytes *bytes, const struct notes *notes, struct err *err)
{
    TRY(bytes_put(bytes, notes, sizeof *notes, err));
    for (int s = 0; s < NOTE_SORT_COUNT; s++)
        for (size_t i = 0; i < notes->lists[s].kept; i++)
            TRY(bytes_put_text(bytes, notes->lists[s].items[i].text, err));
    return STATUS_OK;
}

static enum status merge_notes(struct bytes *bytes, struct notes *notes, struct err *err)
{
    struct notes from;
    enum status status = STATUS_OK;
    bytes_take(bytes, &from, sizeof from);
    for (int s = 0; s < NOTE_SORT_COUNT; s++)
        for (size_t i = 0; i < from.lists[s].kept; i++) from.lists[s].items[i].text = NULL;
    for (int s = 0; s < NOTE_SORT_COUNT; s++)
        for (size_t i = 0; status == STATUS_OK && i < from.lists[s].kept; i++)
            status = bytes_take_text(bytes, &from.lists[s].items[i].text, err);
    if (status == STATUS_OK)
        notes_merge(notes, &from);
    else
        notes_clear(&from);
    return status;
}

static enum status put_times(struct bytes *bytes, const struct severity *severity, struct err *err)
{
    TRY(bytes_put(bytes, &severity->fence_pairs, sizeof severity->fence_pairs, err));
    TRY(bytes_put(bytes, &severity->behaviour, sizeof severity->behaviour, err));
    TRY(window_creations_put(&severity->creations, bytes, err));
    TRY(bytes_put(bytes, severity->inside, severity->totals.rank_count * sizeof *severity->inside, err));
    return bytes_put(bytes, severity->times_ps, sizeof severity->times_ps, err);
}

static enum status merge_times(struct bytes *bytes, struct severity *severity, struct err *err)
{
    struct fence_pairs pairs;
    wide_ps times_ps[PROPERTY_COUNT];
    struct behaviour behaviour;
    bytes_take(bytes, &pairs, sizeof pairs);
    bytes_take(bytes, &behaviour, sizeof behaviour);
    behaviour_merge(&severity->behaviour, &behaviour);
    TRY(window_creations_take(&severity->creations, bytes, err));
    for (uint32_t r = 0; r < severity->totals.rank_count; r++) {
        struct disturbance_inside more;
        bytes_take(bytes, &more, sizeof more);
        severity->inside[r].all_ps += more.all_ps;
        severity->inside[r].mpi_ps += more.mpi_ps;
    }
    bytes_take(bytes, times_ps, sizeof times_ps);
    severity->fence_pairs.pairs += pairs.pairs;
    severity->fence_pairs.unneeded += pairs.unneeded;
    severity->fence_pairs.saved_ps += pairs.saved_ps;
    severity->fence_pairs.empty += pairs.empty;
    severity->fence_pairs.empty_ps += pairs.empty_ps;
    for (int p = 0; p < PROPERTY_COUNT; p++) severity->times_ps[p] += times_ps[p];
    return STATUS_OK;
}

enum status shards_put_severity(const struct severity *severity, struct bytes *bytes, struct err *err)
{
    uint32_t ranks = severity->totals.rank_count;
    TRY(put_totals(bytes, &severity->totals, err));
    TRY(put_provisional(bytes, &severity->provisional, ranks, err));
    TRY(put_places(bytes, &severity->profile, err));
    TRY(shards_put_time_profile(&severity->calls, bytes, err));
    TRY(put_rates(bytes, &severity->rates, err));
    TRY(put_notes(bytes, &severity->notes, err));
    return put_times(bytes, severity, err);
}

enum status shards_take_severity(struct severity *severity, uint32_t ranks, struct bytes *bytes,
                                 const struct shards_sender *sender, struct err *err)
{
    merge_totals(bytes, &severity->totals);
    TRY(merge_provisional(bytes, &severity->provisional, ranks, err));
    TRY(merge_places(bytes, &severity->profile, sender->nodes.items, err));
    TRY(shards_take_time_profile(&severity->calls, bytes, sender, err));
    TRY(merge_rates(bytes, &severity->rates, sender->nodes.items, err));
    TRY(merge_notes(bytes, &severity->notes, err));
    return merge_times(bytes, severity, err);
}

struct rank_share {
    struct time_activity of;
    struct rank_sum sum;
};

enum status shards_put_time_profile(const struct time_profile *profile, struct bytes *bytes, struct err *err)
{
    uint64_t count = profile->ranks.count;
    TRY(bytes_put(bytes, &count, sizeof count, err));
    for (size_t i = 0; i < profile->ranks.count; i++) {
        const struct rank_sum *sum = &profile->ranks.items[i];
        struct rank_share made = {.of = profile->items[sum->item].of, .sum = *sum};
        TRY(bytes_put(bytes, &made, sizeof made, err));
    }
    return STATUS_OK;
}

enum status shards_take_time_profile(struct time_profile *profile, struct bytes *bytes,
                                     const struct shards_sender *sender, struct err *err)
{
    uint64_t count;
    bytes_take(bytes, &count, sizeof count);
    for (uint64_t i = 0; i < count; i++) {
        struct rank_share share;
        bytes_take(bytes, &share, sizeof share);
        share.of.node = sender->nodes.items[share.of.node];
        TRY(time_profile_add(profile, &share.of, &share.sum, err));
    }
    return STATUS_OK;
}

struct rank_end {
    uint32_t rank;
    bool calls, incomplete;
    int64_t end_ps, before_sum_ps[BEFORE_COUNT];
};

enum status shards_put_end(const struct severity *severity, const struct trace *trace, struct bytes *bytes,
                           struct err *err)
{
    const struct several *several = &severity->several;
    TRY(bytes_put(bytes, severity->provisional.refuted, sizeof severity->provisional.refuted, err));
    TRY(bytes_put(bytes, &severity->provisional.votes, sizeof severity->provisional.votes, err));
    TRY(bytes_put(bytes, &several->count, sizeof several->count, err));
    TRY(bytes_put(bytes, several->items, several->count * sizeof *several->items, err));
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const struct trace_rank *rank = &trace->ranks[r];
        if (rank->foreign) continue;
        struct rank_end end = {r, rank->count > 0, rank->incomplete, trace_rank_end_ps(trace, r), {0}};
        memcpy(end.before_sum_ps, rank->before_sum_ps, sizeof end.before_sum_ps);
        TRY(bytes_put(bytes, &end, sizeof end, err));
        TRY(bytes_put_text(bytes, rank->incomplete_why, err));
    }
    return STATUS_OK;
}

/* Stores the time of a rank's last event as a call that has times only. */
static enum status take_rank_end(struct trace *trace, int64_t *end_ps, struct bytes *bytes, struct err *err)
{
    struct rank_end end;
    bytes_take(bytes, &end, sizeof end);
    struct trace_rank *rank = &trace->ranks[end.rank];
    struct trace_call call = {.enter_ps = end.end_ps,
                              .exit_ps = end.end_ps,
                              .any = TRACE_NO_MEMBERS,
                              .handle = TRACE_NONE,
                              .peer = TRACE_NONE,
                              .call = ID_none};
    free(rank->incomplete_why);
    rank->incomplete_why = NULL;
    TRY(bytes_take_text(bytes, &rank->incomplete_why, err));
    rank->incomplete = end.incomplete;
    memcpy(rank->before_sum_ps, end.before_sum_ps, sizeof end.before_sum_ps);
    if (end.before_sum_ps[BEFORE_CORE_WAIT] > 0 || end.before_sum_ps[BEFORE_CORE_WAIT_INSIDE] > 0)
        trace->provenance.core_waits = true;
    if (!end.calls) return STATUS_OK;
    end_ps[end.rank] = end.end_ps;
    ARRAY_PUSH(rank->calls, rank->count, rank->capacity, call, err);
    return STATUS_OK;
}

enum status shards_take_end(struct severity *severity, struct trace *trace, int64_t *end_ps, struct bytes *bytes,
                            const struct shards_sender *sender, struct several *several, struct err *err)
{
    bool refuted[DOUBT_COUNT];
    struct group_votes votes;
    size_t count;
    bytes_take(bytes, refuted, sizeof refuted);
    for (int d = 0; d < DOUBT_COUNT; d++)
        severity->provisional.refuted[d] = severity->provisional.refuted[d] || refuted[d];
    bytes_take(bytes, &votes, sizeof votes);
    group_votes_merge(&severity->provisional.votes, &votes);
    bytes_take(bytes, &count, sizeof count);
    for (size_t i = 0; i < count; i++) {
        struct several_wait wait;
        bytes_take(bytes, &wait, sizeof wait);
        translate_place(&wait.place, sender->nodes.items);
        wait.interval = sender->intervals.items[wait.interval];
        if (wait.cause != CAUSED_NOWHERE) wait.cause = sender->intervals.items[wait.cause];
        ARRAY_PUSH(several->items, several->count, several->capacity, wait, err);
    }
    while (bytes->taken < bytes->count) TRY(take_rank_end(trace, end_ps, bytes, err));
    return STATUS_OK;
}
