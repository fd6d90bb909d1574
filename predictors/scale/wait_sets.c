#include "predictors/scale/wait_sets.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"

enum status wait_sets_open(struct wait_sets *sets, struct err *err)
{
    uint32_t empty;
    *sets = (struct wait_sets){.count = 0};
    return wait_sets_add(sets, NULL, 0, &empty, err);
}

void wait_sets_clear(struct wait_sets *sets)
{
    for (size_t i = 0; i < sets->count; i++) free(sets->items[i].items);
    free(sets->items);
    *sets = (struct wait_sets){.count = 0};
}

ORDER(by_key, struct wait_item, UP(key) UP(place))

/* Sorts, and drops what is there twice. */
static size_t sort_items(struct wait_item *items, size_t count)
{
    size_t kept = 0;
    if (count > 0) qsort(items, count, sizeof *items, by_key);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || by_key(&items[kept - 1], &items[i]) != 0) items[kept++] = items[i];
    return kept;
}

enum status wait_sets_add(struct wait_sets *sets, struct wait_item *items, size_t count, uint32_t *set, struct err *err)
{
    count = sort_items(items, count);
    for (*set = 0; *set < sets->count; ++*set) {
        const struct wait_set *known = &sets->items[*set];
        if (known->count == count && (count == 0 || memcmp(known->items, items, count * sizeof *items) == 0)) return STATUS_OK;
    }
    struct wait_set made = {malloc((count + 1) * sizeof *items), count};
    if (!made.items) return err_memory(err);
    if (count > 0) memcpy(made.items, items, count * sizeof *items);
    enum status status = array_reserve((void **)&sets->items, &sets->capacity, sets->count + 1, sizeof made, err);
    if (status == STATUS_OK) sets->items[sets->count++] = made;
    else free(made.items);
    return status;
}

static bool has_key(const struct wait_set *set, uint32_t key)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->items[i].key == key) return true;
    return false;
}

static bool has_places(const struct wait_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->items[i].place != PLACE_ALL) return true;
    return false;
}

static bool have_common(const struct wait_set *a, const struct wait_set *b)
{
    for (size_t i = 0; i < a->count; i++)
        if (has_key(b, a->items[i].key)) return true;
    return false;
}

bool wait_sets_fit(const struct wait_sets *sets, uint32_t a, uint32_t b)
{
    const struct wait_set *one = &sets->items[a], *other = &sets->items[b];
    if (a == b || one->count == 0 || other->count == 0) return true;
    return have_common(one, other) && !has_places(one) && !has_places(other);
}

enum status wait_sets_join(struct wait_sets *sets, uint32_t a, uint32_t b, uint32_t *set, struct err *err)
{
    size_t of_a = sets->items[a].count, of_b = sets->items[b].count;
    struct wait_item *items = malloc((of_a + of_b + 1) * sizeof *items);
    if (!items) return err_memory(err);
    memcpy(items, sets->items[a].items, of_a * sizeof *items);
    memcpy(items + of_a, sets->items[b].items, of_b * sizeof *items);
    enum status status = wait_sets_add(sets, items, of_a + of_b, set, err);
    free(items);
    return status;
}

bool wait_sets_agree(const struct wait_sets *sets, uint32_t set, uint32_t completed, uint32_t left)
{
    const struct wait_set *all = &sets->items[set], *seen = &sets->items[completed];
    if (set == completed) return true;
    if (has_places(seen) || have_common(all, &sets->items[left])) return false;
    for (size_t i = 0; i < seen->count; i++)
        if (!has_key(all, seen->items[i].key)) return false;
    return true;
}
