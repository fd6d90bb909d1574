#include "trace/record/threads/table.h"

#include <stdlib.h>
#include <string.h>

static void insert_value(struct rec_table *table, uint64_t key, uintptr_t value)
{
    size_t i = rec_table_home(table, key);
    while (table->slots[i].value != 0) i = (i + 1) & (table->capacity - 1);
    table->slots[i] = (struct rec_slot){.key = key, .value = value};
    table->count++;
}

bool rec_table_put(struct rec_table *table, uint64_t key, uintptr_t value)
{
    uintptr_t *old = rec_table_find(table, key);
    if (old) {
        *old = value;
        return true;
    }
    if (table->count * 2 >= table->capacity) {
        struct rec_table grown = {.capacity = table->capacity ? table->capacity * 2 : 64};
        grown.slots = calloc(grown.capacity, sizeof *grown.slots);
        if (!grown.slots) return false;
        for (size_t i = 0; i < table->capacity; i++)
            if (table->slots[i].value != 0) insert_value(&grown, table->slots[i].key, table->slots[i].value);
        free(table->slots);
        *table = grown;
    }
    insert_value(table, key, value);
    return true;
}

/* Later members of the probe chain move up, so that no search stops at the gap. */
uintptr_t rec_table_remove(struct rec_table *table, uint64_t key)
{
    const uintptr_t *found = rec_table_find(table, key);
    if (!found) return 0;
    uintptr_t value = *found;
    size_t mask = table->capacity - 1;
    size_t gap = rec_table_home(table, key);
    while (&table->slots[gap].value != found) gap = (gap + 1) & mask;
    for (size_t i = (gap + 1) & mask; table->slots[i].value != 0; i = (i + 1) & mask) {
        size_t home = rec_table_home(table, table->slots[i].key);
        if (((i - home) & mask) < ((i - gap) & mask)) continue;
        table->slots[gap] = table->slots[i];
        gap = i;
    }
    table->slots[gap].value = 0;
    table->count--;
    return value;
}

struct known_list {
    uint32_t id;
    size_t bytes;
    char list[];
};

/* Lists remembered; one that is not gets a new id each time, and the reader finds it equal. */
enum { KNOWN_MAX = 4096 };

bool rec_list_id(struct rec_table *known_lists, const void *list, size_t bytes, uint32_t *count, uint32_t *id)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ bytes;
    for (size_t i = 0; i < bytes; i += sizeof(int32_t)) {
        uint32_t word;
        memcpy(&word, (const char *)list + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
    }
    const uintptr_t *found = rec_table_find(known_lists, hash);
    const struct known_list *same = found ? (const struct known_list *)*found : NULL;
    bool kept = same && same->bytes == bytes && memcmp(same->list, list, bytes) == 0;
    *id = kept ? same->id : (*count)++;
    if (kept) return true;
    struct known_list *made = same || known_lists->count >= KNOWN_MAX ? NULL : malloc(sizeof *made + bytes);
    if (!made) return false;
    *made = (struct known_list){*id, bytes};
    memcpy(made->list, list, bytes);
    if (!rec_table_put(known_lists, hash, (uintptr_t)made)) free(made);
    return false;
}
