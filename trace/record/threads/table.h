/* Hash table from MPI handles to values, with removal: linear probing, shifting back on removal. */
#ifndef TRACE_RECORD_THREADS_TABLE_H
#define TRACE_RECORD_THREADS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_slot {
    uint64_t key;
    uintptr_t value; /* 0: free slot */
};

struct rec_table { /* all-zero is the empty table */
    struct rec_slot *slots;
    size_t count, capacity; /* capacity is 0 or a power of two */
};

/* Handles are integers in MPICH and pointers elsewhere. */
#define REC_KEY(handle) ((uint64_t)(uintptr_t)(handle))

static inline size_t rec_table_home(const struct rec_table *table, uint64_t key)
{
    return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (table->capacity - 1);
}

/* The address of the value, valid until the table changes; NULL if the key is not there. */
static inline uintptr_t *rec_table_find(const struct rec_table *table, uint64_t key)
{
    if (table->count == 0) return NULL;
    for (size_t i = rec_table_home(table, key);; i = (i + 1) & (table->capacity - 1)) {
        struct rec_slot *slot = &table->slots[i];
        if (slot->value == 0) return NULL;
        if (slot->key == key) return &slot->value;
    }
}

/* Adds or replaces; value is not 0. False if memory is short. */
bool rec_table_put(struct rec_table *table, uint64_t key, uintptr_t value);

/* Removes the key and returns its value, 0 if it is not there. */
uintptr_t rec_table_remove(struct rec_table *table, uint64_t key);

/* The id of a list that the spool has. False: it has not yet, and the caller writes it there under *id, the next of *count
 * ids. A list that the table has no room to keep gets a new id each time. The bytes are a multiple of four. */
bool rec_list_id(struct rec_table *known, const void *list, size_t bytes, uint32_t *count, uint32_t *id);

#endif
