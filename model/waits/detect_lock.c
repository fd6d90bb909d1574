/* Lock Contention. The holders of a lock are inferred from the order of the releases (docs/patterns.md). */
#include <stdlib.h>

#include "common/array.h"
#include "common/search.h"
#include "model/waits/detect.h"
#include "model/match/locks.h"

/* A call that waited for a release. */
struct contention {
    uint32_t rank;
    size_t call;
    const struct trace_call *at;
    int64_t release_ps;
    int64_t earlier_ps; /* how much earlier the holder's release can usefully be */
    uint32_t holder;
    size_t unlock;
};

struct contentions {
    struct detection *detection;
    struct contention *items;
    size_t count, capacity;
};

ORDER(compare_contentions, struct contention, UP(rank) UP(call) DOWN(release_ps) UP(holder))

/* How much earlier the release can usefully be: not before the holder got the lock, and not before the release of
 * another shared holder, for which the origin would then wait. */
static int64_t earlier_release_ps(const struct relations *relations, const struct holding *holding,
                                  const struct holding *holder, int64_t severity_ps)
{
    int64_t locked_ps = relations_call(relations, holder->origin, holder->epoch->open_call)->exit_ps;
    int64_t held_ps = relations_call(relations, holder->origin, holder->epoch->close_call)->enter_ps - locked_ps;
    int64_t earlier_ps = held_ps < severity_ps ? held_ps : severity_ps;
    if (!holder->exclusive && holding->next_ps != INT64_MIN && holder->release_ps - holding->next_ps < earlier_ps)
        earlier_ps = holder->release_ps - holding->next_ps;
    return earlier_ps > 0 ? earlier_ps : 0;
}

/* A simulated trace states the release; a recorded one shows that it is not before the holder's unlock began. */
static int64_t contention_ps(const struct relations *relations, const struct holding *holding, size_t call,
                             const struct holding *holder)
{
    if (call == EPOCH_NONE) return 0;
    int64_t from_ps = relations->trace->provenance.simulated
                          ? holder->release_ps
                          : relations_call(relations, holder->origin, holder->epoch->close_call)->enter_ps;
    return wait_for_release(relations_call(relations, holding->origin, call), from_ps, holder->release_ps);
}

static enum status add_contention(struct contentions *found, const struct holding *holding, size_t call,
                                  const struct holding *holder)
{
    const struct relations *relations = found->detection->relations;
    int64_t severity_ps = contention_ps(relations, holding, call, holder);
    if (severity_ps <= 0) return STATUS_OK;
    struct contention made = {holding->origin,
                              call,
                              relations_call(relations, holding->origin, call),
                              holder->release_ps,
                              earlier_release_ps(relations, holding, holder, severity_ps),
                              holder->origin,
                              holder->epoch->close_call};
    ARRAY_PUSH(found->items, found->count, found->capacity, made, found->detection->err);
    return STATUS_OK;
}

/* The wait is in the lock call; under a lazy lock in the first flush or in unlock. A lock call in which the holder's
 * unlock begins is the one that waits, unless a later call waits longer: a lazy lock may return just then. */
static enum status visit_contention(void *context, const struct holding *holding, const struct holding *holder)
{
    struct contentions *found = context;
    const struct relations *relations = found->detection->relations;
    const struct access_epoch *epoch = holding->epoch;
    const size_t calls[] = {epoch->open_call, epoch->flush_call, epoch->close_call};
    size_t longest = 0;
    if (!holder) return STATUS_OK;
    if (holding->wait_call != EPOCH_NONE) return add_contention(found, holding, holding->wait_call, holder);
    int64_t unlock_ps = relations_call(relations, holder->origin, holder->epoch->close_call)->enter_ps;
    bool spans = holding->asked_ps < unlock_ps && holding->locked_ps >= unlock_ps;
    for (size_t i = 1; i < 3; i++)
        if (contention_ps(relations, holding, calls[i], holder) >
            contention_ps(relations, holding, calls[longest], holder))
            longest = i;
    for (size_t i = 0; i < 3; i++)
        if (!spans || i == longest) TRY(add_contention(found, holding, calls[i], holder));
    return STATUS_OK;
}

/* A call that requests several locks waits for all of them together: the latest release counts. */
enum status detect_lock_contention(struct detection *detection)
{
    struct contentions found = {.detection = detection};
    enum status status = locks_visit(detection->relations, visit_contention, &found, detection->err);
    if (status == STATUS_OK && found.count > 0)
        qsort(found.items, found.count, sizeof *found.items, compare_contentions);
    for (size_t i = 0; i < found.count && status == STATUS_OK; i++) {
        const struct contention *one = &found.items[i];
        if (i > 0 && one[-1].rank == one->rank && one[-1].call == one->call) continue;
        struct finding finding = {.pattern = PATTERN_LOCK_CONTENTION,
                                  .rank = one->rank,
                                  .call = one->call,
                                  .severity_ps = wait_until(one->at, one->release_ps),
                                  .cause_rank = one->holder,
                                  .cause_call = one->unlock,
                                  .from_ps = INT64_MIN,
                                  .until_ps = one->release_ps,
                                  .earlier_ps = one->earlier_ps};
        status = detect_found(detection, &finding);
    }
    free(found.items);
    return status;
}
