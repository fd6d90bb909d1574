#include "trace/otf2/requests.h"

#include <stdlib.h>
#include <string.h>

#include "common/map.h"

enum { FIRST_CAPACITY = 64 };

void archive_requests_clear(struct archive_requests *requests)
{
    free(requests->slots);
    *requests = (struct archive_requests){0};
}

void archive_requests_restart(struct archive_requests *requests)
{
    if (requests->count) memset(requests->slots, 0, requests->capacity * sizeof *requests->slots);
    requests->count = 0;
}

static size_t home(const struct archive_requests *requests, uint64_t id)
{
    return (size_t)map_mix(0, id) & (requests->capacity - 1);
}

/* The slot of id, or the free one that it would take. Some slot is always free. */
static size_t slot_of(const struct archive_requests *requests, uint64_t id)
{
    size_t slot = home(requests, id);
    while (requests->slots[slot].used && requests->slots[slot].id != id) slot = (slot + 1) & (requests->capacity - 1);
    return slot;
}

static enum status grow(struct archive_requests *requests, struct err *err)
{
    struct archive_requests larger = {.count = requests->count,
                                   .capacity = requests->capacity ? 2 * requests->capacity : FIRST_CAPACITY};
    larger.slots = calloc(larger.capacity, sizeof *larger.slots);
    if (!larger.slots) return err_memory(err);
    for (size_t i = 0; i < requests->capacity; i++)
        if (requests->slots[i].used) larger.slots[slot_of(&larger, requests->slots[i].id)] = requests->slots[i];
    free(requests->slots);
    *requests = larger;
    return STATUS_OK;
}

enum status archive_requests_put(struct archive_requests *requests, uint64_t id, uint64_t value, struct err *err)
{
    if (2 * (requests->count + 1) > requests->capacity) TRY(grow(requests, err));
    struct archive_request *slot = &requests->slots[slot_of(requests, id)];
    requests->count += !slot->used;
    *slot = (struct archive_request){.id = id, .value = value, .used = true};
    return STATUS_OK;
}

bool archive_requests_find(const struct archive_requests *requests, uint64_t id, uint64_t *value)
{
    if (requests->count == 0) return false;
    const struct archive_request *slot = &requests->slots[slot_of(requests, id)];
    if (slot->used) *value = slot->value;
    return slot->used;
}

bool archive_requests_take(struct archive_requests *requests, uint64_t id, uint64_t *value)
{
    if (!archive_requests_find(requests, id, value)) return false;
    size_t mask = requests->capacity - 1, hole = slot_of(requests, id);
    /* Entries behind the hole move into it unless their home is between the hole and them (Knuth vol. 3, 6.4 R). */
    for (size_t at = (hole + 1) & mask; requests->slots[at].used; at = (at + 1) & mask) {
        size_t from = home(requests, requests->slots[at].id);
        if (((at - from) & mask) < ((at - hole) & mask)) continue;
        requests->slots[hole] = requests->slots[at];
        hole = at;
    }
    requests->slots[hole].used = false;
    requests->count--;
    return true;
}

enum status archive_requests_move(struct archive_requests *requests, const size_t *moved, struct err *err)
{
    struct archive_requests made = {0};
    if (requests->count == 0) return STATUS_OK;
    for (size_t i = 0; i < requests->capacity; i++) {
        const struct archive_request *slot = &requests->slots[i];
        if (!slot->used || moved[slot->value] == SIZE_MAX) continue;
        enum status status = archive_requests_put(&made, slot->id, moved[slot->value], err);
        if (status == STATUS_OK) continue;
        archive_requests_clear(&made);
        return status;
    }
    archive_requests_clear(requests);
    *requests = made;
    return STATUS_OK;
}

static int by_value(const void *one, const void *two)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)two;
    return (a > b) - (a < b);
}

enum status archive_requests_values(const struct archive_requests *requests, uint64_t **values, struct err *err)
{
    uint64_t *made = malloc((requests->count + 1) * sizeof *made);
    if (!made) return err_memory(err);
    size_t count = 0;
    for (size_t i = 0; i < requests->capacity; i++)
        if (requests->slots[i].used) made[count++] = requests->slots[i].value;
    qsort(made, count, sizeof *made, by_value);
    *values = made;
    return STATUS_OK;
}
